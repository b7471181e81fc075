//! How the memory into which files are read is divided among the lanes of a mill.

/// Maximum number of messages per thread and kernel, so that a thread needs only a few megabytes.
pub(crate) const MOST_SLOTS: usize = 64;

/// Maximum number of bytes that an algorithm may leave unused in a window: one block.
pub(crate) const HEADROOM: usize = 256;

/// Padding of every slot's part of the arena: windows a power of two apart would share few cache sets.
pub(crate) const SPARE: usize = 192;

/// Total size of a thread's windows. About twice the size of a second-level cache was fastest, but not by much.
const ARENA: usize = 2 << 20;

/// Total size of the windows of all threads, on machines with many cores.
const ALL_ARENAS: usize = 32 << 20;

/// Returns the size of a slot's window if `threads` threads have `slots` slots each. More than 64 KiB gains nothing;
/// with less than 8 KiB the read calls cost more than the copying.
pub(crate) fn window_len(slots: usize, threads: usize) -> usize {
    (ARENA.min(ALL_ARENAS / threads.max(1)) / slots.max(1)).clamp(8 << 10, 64 << 10) & !0xfff
}
