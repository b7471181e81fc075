//! How the memory into which files are read is divided among the lanes of a mill.

/// The longest run of bytes that an algorithm may leave unused in a window: one block.
pub(crate) const HEADROOM: usize = 256;

/// Added to every slot's part of the arena: windows a power of two apart would share few cache sets.
pub(crate) const SPARE: usize = 192;

/// Bytes of all windows of a thread together: about twice what a second-level cache holds was fastest, but not by much.
const ARENA: usize = 2 << 20;

/// Bytes of the windows of all threads together, on machines with many cores.
const ALL_ARENAS: usize = 32 << 20;

/// Bytes of one slot's window where `threads` threads have `slots` slots each. More than 64 KiB gain nothing; with less
/// than 8 KiB the calls cost more than the copying.
pub(crate) fn window_len(slots: usize, threads: usize) -> usize {
    (ARENA.min(ALL_ARENAS / threads.max(1)) / slots.max(1)).clamp(8 << 10, 64 << 10) & !0xfff
}
