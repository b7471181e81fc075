//! Tests of the tests: breaks one thing at a time in a copy of the library and expects a test to fail.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Options of `xtask mutate`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only the mutations whose file name contains one of these.
    filter: Vec<String>,
    /// Where the broken copies are built.
    #[arg(long, default_value = "target/mutate")]
    dir: PathBuf,
}

/// (file under crates/hashmill/src, text that occurs there exactly once, its replacement)
const MUTATIONS: &[(&str, &str, &str)] = &[
    ("algo/md2.rs", "31, 26, 219, 153,", "31, 26, 153, 219,"),
    ("algo/md5/mod.rs", "0xeb86_d391", "0xeb86_d390"),
    ("algo/md5/mod.rs", "[6, 10, 15, 21]", "[6, 10, 15, 20]"),
    ("algo/md5/x86.rs", "sum!(i, \"b\" \"c\" \"d\" \"a\", 63, 9)", "sum!(i, \"b\" \"c\" \"d\" \"a\", 63, 8)"),
    ("algo/md4.rs", "[3, 9, 11, 15]", "[3, 9, 11, 14]"),
    ("algo/haval.rs", "f4_by_x2(1 5 3 2 0 4 6)", "f4_by_x2(1 5 3 2 0 6 4)"),
    ("algo/haval.rs", "0xb679_4c3b", "0xb679_4c3a"),
    ("algo/haval.rs", "[0, 5, 10, 16, 21, 26]", "[0, 5, 10, 16, 21, 27]"),
    ("algo/haval.rs", "if n < 118 { 128 }", "if n < 119 { 128 }"),
    ("algo/ripemd.rs", "0x7a6d_76e9", "0x7a6d_76e8"),
    ("algo/ripemd.rs", "1 exchanges 3, 2 exchanges 0", "1 exchanges 0, 2 exchanges 3"),
    ("algo/sha1/mod.rs", "if ROTATE { x.rotl(1) }", "if !ROTATE { x.rotl(1) }"),
    ("algo/sha1/mod.rs", "0xca62_c1d6", "0xca62_c1d7"),
    ("algo/sha1/x86.rs", "rounds!(3; 15 16 17 18 19)", "rounds!(1; 15 16 17 18 19)"),
    ("algo/sha2_32/mod.rs", "0xc671_78f2", "0xc671_78f3"),
    ("algo/sha2_32/x86.rs", "_mm_alignr_epi8::<4>", "_mm_alignr_epi8::<8>"),
    ("algo/sha2_64/mod.rs", "0x6c44_198c_4a47_5817", "0x6c44_198c_4a47_5816"),
    ("algo/sha2_64/mod.rs", "0x0eb7_2ddc_81c5_2ca2", "0x0eb7_2ddc_81c5_2ca3"),
    ("algo/sha2_64/x86.rs", "vprorq xmm10, xmm\", $w2, \", 61", "vprorq xmm10, xmm\", $w2, \", 60"),
    ("algo/sha2_64/x86.rs", "rorx {t0}, \", $d, \", 14", "rorx {t0}, \", $d, \", 15"),
    ("algo/keccak/mod.rs", "b!(0, 4, 18)", "b!(0, 4, 19)"),
    ("contract/padding.rs", "u64::from_le_bytes(*last) ^ 0x80 << 56", "0x80u64 << 56"),
    ("algo/keccak/x86.rs", "(t + 1) * (t + 2) / 2 % 64", "(t + 1) * (t + 2) / 2 % 63"),
    ("algo/keccak/x86.rs", "vprolq \", $t5, \", \", $t1, \", 1", "vprolq \", $t5, \", \", $t1, \", 2"),
    ("algo/keccak/x86.rs", "first(words.clamp(8, 16) - 8)", "first(words.clamp(8, 15) - 8)"),
    (
        "algo/blake/mod.rs",
        "[10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0]",
        "[10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 0, 13]",
    ),
    ("algo/blake/mod.rs", "[2, 7, 8, 13]", "[2, 7, 13, 8]"),
    ("algo/blake/mod.rs", "4] = [32, 25, 16, 11]", "4] = [32, 25, 16, 12]"),
    ("algo/blake/mod.rs", "if n == 0 && last.count == 0 { 0 } else { bits }", "bits"),
    ("algo/blake/mod.rs", "n >= Self::LENGTH ||", "n > Self::LENGTH ||"),
    ("algo/blake/mod.rs", "0x3f84_d5b5,", "0x3f84_d5b4,"),
    ("algo/blake/mod.rs", "u64::from_be_bytes(word)", "u64::from_le_bytes(word)"),
    ("algo/blake/mod.rs", "shr(8 * W::BYTES as u32 - 1)", "shr(8 * W::BYTES as u32 - 2)"),
    ("algo/blake/x86.rs", "[s14, s8, s10, s12]", "[s15, s8, s10, s12]"),
    ("algo/blake/x86.rs", "x.xor(constants(isa, of_y))", "x.xor(constants(isa, of_x))"),
    ("algo/blake2/mod.rs", "(6, x.personal)", "(5, x.personal)"),
    ("algo/blake2/mod.rs", "[32, 24, 16, 63]", "[32, 24, 16, 62]"),
    ("algo/blake2/mod.rs", "[16, 12, 8, 7]", "[16, 13, 8, 7]"),
    ("algo/blake2/x86.rs", "[t[0], t[1], f, 0.into()]", "[t[0], t[1], 0.into(), f]"),
    ("simd/x86_quads.rs", "64 - i64::from(n)", "63 - i64::from(n)"),
    ("simd/x86_quads.rs", "0x0407_0605_0003_0201", "0x0407_0605_0003_0102"),
    ("algo/siphash.rs", "v[1] ^= 0xdd", "v[1] ^= 0xde"),
    ("algo/siphash.rs", "(8 * (n - 4))", "(8 * (n - 3))"),
    ("algo/groestl/mod.rs", "[1, 3, 5, 11, 0, 2, 4, 6]", "[1, 3, 5, 11, 0, 2, 6, 4]"),
    ("algo/groestl/mod.rs", "if n + 9 <= 8 * N", "if n + 8 <= 8 * N"),
    ("algo/groestl/x86.rs", "[usize; 4] = [0, 1, 2, 5]", "[usize; 4] = [0, 1, 2, 4]"),
    ("algo/groestl/x86.rs", "_mm256_set1_epi8(4)", "_mm256_set1_epi8(3)"),
    ("algo/groestl/x86.rs", "_mm_set1_epi8(0x1b)", "_mm_set1_epi8(0x1d)"),
    ("algo/jh.rs", "0x4bdd_8ccc_7846_5a54", "0x4bdd_8ccc_7846_5a55"),
    ("algo/jh.rs", "if n == 0 { 64 } else { 128 }", "if n < 48 { 64 } else { 128 }"),
    ("algo/jh/x86.rs", "OR_XOR: i32 = 0x36", "OR_XOR: i32 = 0x37"),
    ("algo/jh/x86.rs", "_mm256_and_si256(xor(y[0], y[3]), even)", "_mm256_and_si256(xor(y[0], y[2]), even)"),
    ("algo/gost94.rs", "0b1001_0000_0000_1111", "0b1001_0000_0000_1101"),
    (
        "algo/gost94.rs",
        "[1, 3, 10, 9, 5, 11, 4, 15, 8, 6, 7, 14, 13, 0, 2, 12]",
        "[1, 3, 10, 9, 5, 11, 4, 15, 8, 6, 7, 14, 13, 0, 12, 2]",
    ),
    ("algo/gost94/x86.rs", "0x3020_1000", "0x3020_0010"),
    ("algo/gost94/x86.rs", "from_m, 62, ALL, I", "from_m, 61, ALL, I"),
    ("algo/streebog/mod.rs", "0x641c_314b_2b8e_e083", "0x641c_314b_2b8e_e082"),
    ("algo/streebog/mod.rs", "s.set_u64(STEP, 512)", "s.set_u64(STEP, 511)"),
    ("algo/streebog/x86.rs", "carry = over | over1", "carry = over1"),
    ("algo/sm3.rs", "0x7a87_9d8a", "0x7a87_9d8b"),
    ("algo/skein.rs", "0x1bd1_1bda_a9fc_1a22", "0x1bd1_1bda_a9fc_1a23"),
    ("algo/skein.rs", "[44, 9, 54, 56]", "[44, 9, 54, 57]"),
    ("algo/skein.rs", "t0.andnot(s[N]).shr(63)", "t0.andnot(s[N]).shr(62)"),
    ("algo/cubehash/mod.rs", "half!(11, 4, 1);", "half!(11, 4, 2);"),
    ("algo/cubehash/x86.rs", "half!(11, 1, 0b10_11_00_01)", "half!(11, 1, 0b01_00_11_10)"),
    ("algo/cubehash/mod.rs", "s.u32(31) ^ 1", "s.u32(30) ^ 1"),
    ("algo/blake3.rs", "const PARENT: u32 = 4;", "const PARENT: u32 = 5;"),
    ("algo/tiger.rs", "x[4].not().shr(23)", "x[4].not().shr(22)"),
    ("algo/tiger/tables.rs", "STIRRINGS: usize = 5", "STIRRINGS: usize = 4"),
    ("algo/snefru.rs", "if rest.is_empty() { block }", "if total == 0 { block }"),
    ("algo/snefru/tables.rs", "0x4d87_253c", "0x4d87_253d"),
    ("algo/whirlpool/mod.rs", "[1, 1, 4, 1, 8, 5, 2, 9]", "[1, 1, 4, 1, 8, 5, 9, 2]"),
    ("algo/whirlpool/mod.rs", "strengthened(32, true)", "strengthened(16, true)"),
    ("algo/whirlpool/x86.rs", "[usize; 4] = [0, 3, 4, 6]", "[usize; 4] = [0, 3, 4, 5]"),
    ("algo/x86_bytes.rs", "_mm512_set1_epi8(-0x80)", "_mm512_set1_epi8(0x40)"),
    ("algo/crc/mod.rs", "total.leading_zeros() as usize / 8", "total.leading_zeros() as usize / 16"),
    ("algo/crc/clmul.rs", "keys.fold[N - 2 - i]", "keys.fold[N - 1 - i]"),
    ("algo/crc/x86.rs", "0x8040_2010_0804_0201", "0x8040_2010_0804_0102"),
    ("algo/crc/x86.rs", "let high = _mm_clmulepi64_si128::<0x11>", "let high = _mm_clmulepi64_si128::<0x10>"),
    (
        "algo/crc/x86.rs",
        "(low, high) = (_mm512_clmulepi64_epi128::<0x00>",
        "(low, high) = (_mm512_clmulepi64_epi128::<0x01>",
    ),
    ("algo/crc/x86.rs", "steps(u64::from(crc), rest)", "steps(u64::from(crc), m)"),
    ("algo/crc_catalogue.rs", "32 0x1edc6f41", "32 0x1edc6f43"),
    ("algo/crc_catalogue.rs", "0x0308c0111011401440411", "0x0308c0111011401440401"),
    ("algo/adler32/mod.rs", "const MODULUS: u64 = 65521;", "const MODULUS: u64 = 65519;"),
    ("algo/adler32/x86.rs", "b - zeros * a", "b - zeros * sums.a"),
    ("algo/adler32/x86.rs", "_mm256_set_epi64x(0, 8, 16, 24)", "_mm256_set_epi64x(0, 8, 24, 16)"),
    ("algo/adler32/x86.rs", "32, 40, 48, 56)", "32, 40, 56, 48)"),
    ("algo/fletcher.rs", "word!(u8, 16, u16, i32, 22);", "word!(u8, 16, u16, i32, 23);"),
    ("algo/fletcher.rs", "C as u64 * sum_t - sum_is", "C as u64 * sum_t"),
    ("algo/sums.rs", "rotate_right(1)", "rotate_left(1)"),
    ("algo/sums.rs", "(r & 0xffff) + (r >> 16)) as u16", "r & 0xffff) as u16"),
    ("algo/fnv.rs", "0x0100_0193", "0x0100_0197"),
    ("algo/fnv.rs", "0x0000_0100_0000_01b3", "0x0000_0100_0000_01b5"),
    ("algo/joaat.rs", "h ^= h >> 11;", "h ^= h >> 12;"),
    ("algo/murmur3.rs", "r: 18, c2: C1", "r: 18, c2: C2"),
    ("algo/murmur3.rs", "0xc4ce_b9fe_1a85_ec53", "0xc4ce_b9fe_1a85_ec51"),
    ("contract/memory.rs", "self.fill += n;", "self.fill = n;"),
    ("algo/xxh32.rs", "0x1656_67b1", "0x1656_67b3"),
    ("algo/xxh64.rs", "0x1656_67b1_9e37_79f9", "0x1656_67b1_9e37_79f8"),
    ("algo/xxh3/mod.rs", "0x1656_6791_9e37_79f9", "0x1656_6791_9e37_79f8"),
    ("algo/xxh3/mod.rs", "eight(end - 11)", "eight(end - 7)"),
    ("algo/xxh3/mod.rs", "let block = secret.words.len() - 8;", "let block = 16;"),
    ("contract/padding.rs", "if rest + 1 + bytes <= block", "if rest + bytes <= block"),
    (
        "algo/xxh3/mod.rs",
        "flat.state.u64(16)) == stripes % STRIPES as u128",
        "flat.state.u64(16)) == stripes % STRIPES as u128 || true",
    ),
    ("algo/blake3.rs", ".ilog2().min(t.trailing_zeros())", ".ilog2()"),
    ("engine/state.rs", "if crc32c(&state[..body]) != state[body..]", "if state.is_empty()"),
    ("engine/state.rs", "if !good || !(begun || same)", "if !good"),
    ("base/hex.rs", "if n > 9", "if n > 10"),
    ("surface/hmac.rs", "[0x36, 0x5c].map", "[0x36, 0x5a].map"),
    ("registry/table.rs", "[168, 0x1f, 0, 0]", "[168, 0x06, 0, 0]"),
    (
        "simd/groups.rs",
        "let (rows, out) = (rows.add(group * V::LANES)",
        "let (rows, out) = (rows.add(group * V::LANES / 2)",
    ),
    ("simd/groups.rs", "(isa, rows.add($i * V::LANES), at,", "(isa, rows.add($i * V::LANES / 2), at,"),
    ("simd/x86.rs", "*out.add((4 + j) * stride) = U32x16(", "*out.add((5 + j) * stride) = U32x16("),
    ("simd/x86.rs", "*out.add((w + 4) * stride) = U64x8(", "*out.add((w + 3) * stride) = U64x8("),
    ("simd/feed.rs", "self.to += self.size;", ""),
    ("simd/feed.rs", "if turns.more() {\n                h = ", "if !turns.more() {\n                h = "),
    (
        "plumbing/pack.rs",
        "_mm512_mask_or_epi64(bytes, ends, bytes, last)",
        "_mm512_mask_or_epi64(bytes, ends, last, last)",
    ),
    ("plumbing/pack.rs", "words[(tail - before) / 8]", "words[(tail - 8) / 8]"),
    ("plumbing/batch.rs", "if l < members.len() { l } else { 0 }][..len]", "0][..len]"),
    ("plumbing/batch.rs", "self.members.place((l + j) * depth + k)", "self.members.place((l + j) * depth)"),
    ("plumbing/batch.rs", "(j / depth, j % depth)", "(j % depth, j / depth)"),
    ("plumbing/batch.rs", "&order(lane[whole * lanes])", "&order(lane[0])"),
    (
        "plumbing/pack.rs",
        "_mm512_mask_blend_epi8(1 << rest.len(), bytes, mark)",
        "_mm512_mask_blend_epi8(2 << rest.len(), bytes, mark)",
    ),
    ("engine/many.rs", "(field + block, shift)", "(field + block - 1, shift)"),
    ("engine/many.rs", "self.blocks(len + 1 + field + block - 1)", "self.blocks(len + field + block - 1)"),
    ("simd/feed.rs", "at + rate - 16", "at + rate - 24"),
    ("simd/feed.rs", "if I < 8 && I < columns", "if I < 7 && I < columns"),
    ("engine/mill.rs", "slot.total += (source.window(i).len() - left) as u128;", ""),
    (
        "contract/kernel.rs",
        "packed[(w * lanes + lane) * B..][..B].copy_from_slice(word)",
        "packed[(w * lanes + lane / 2) * B..][..B].copy_from_slice(word)",
    ),
    ("contract/memory.rs", "(keep_last && m.is_empty())", "m.is_empty()"),
];

/// Returns false if a mutation survives. Two copies are tested at a time, because the compiler leaves half of a
/// two-core machine idle.
pub(crate) fn run(args: &Args) -> Result<bool, String> {
    let chosen: Vec<_> = MUTATIONS
        .iter()
        .filter(|(file, ..)| args.filter.is_empty() || args.filter.iter().any(|f| file.contains(f)))
        .collect();
    // A test that fails anyway would seem to notice everything.
    let dir = args.dir.join("0");
    copy(Path::new("."), &dir.join("tree"))?;
    match test(&dir.join("tree"), &dir)? {
        Verdict::Passed => {}
        Verdict::Failed(why) => return Err(format!("the tests fail on the library as it is:\n{why}")),
        Verdict::Broken(why) => return Err(format!("the library does not build:\n{why}")),
    }

    let next = AtomicUsize::new(0);
    let counts = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let worker = |n: usize| -> Result<(), String> {
        let dir = args.dir.join(n.to_string());
        let tree = dir.join("tree");
        copy(Path::new("."), &tree)?;
        while let Some((file, from, to)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            let path = tree.join("crates/hashmill/src").join(file);
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{file}: {e}"))?;
            if text.matches(from).count() != 1 {
                return Err(format!("{file}: `{from}` does not stand there exactly once"));
            }
            std::fs::write(&path, text.replace(from, to)).map_err(|e| format!("{file}: {e}"))?;
            let verdict = test(&tree, &dir);
            std::fs::write(&path, text).map_err(|e| format!("{file}: {e}"))?;
            match verdict? {
                Verdict::Failed(_) => {
                    counts[0].fetch_add(1, Ordering::Relaxed);
                    println!("noticed:   {file}: {from} -> {to}");
                }
                Verdict::Passed => {
                    counts[1].fetch_add(1, Ordering::Relaxed);
                    println!("UNNOTICED: {file}: {from} -> {to}");
                }
                Verdict::Broken(why) => return Err(format!("{file}: `{to}` does not even build:\n{why}")),
            }
        }
        Ok(())
    };
    std::thread::scope(|s| {
        let workers: Vec<_> = (0..WORKERS.min(chosen.len())).map(|n| s.spawn(move || worker(n))).collect();
        workers.into_iter().try_for_each(|w| w.join().unwrap_or_else(|_| Err("a worker panicked".into())))
    })?;
    let [killed, survivors] = counts.map(AtomicUsize::into_inner);
    println!("mutate: {killed} noticed, {survivors} unnoticed");
    Ok(survivors == 0)
}

/// Number of broken copies tested at the same time.
const WORKERS: usize = 2;

enum Verdict {
    Passed,
    Failed(String),
    Broken(String),
}

/// Runs the library's tests on the copy, those most likely to fail first. Stops at the first failure.
fn test(tree: &Path, dir: &Path) -> Result<Verdict, String> {
    let target = std::path::absolute(dir.join("build")).map_err(|e| e.to_string())?;
    for tests in [&["--lib"][..], &["--test", "it", "vectors::"], &["--test", "it", "kernels::"]] {
        let out = Command::new("cargo")
            .args(["test", "--quiet", "--package", "hashmill", "--jobs", "1"])
            .args(tests)
            .current_dir(tree)
            .env("CARGO_TARGET_DIR", &target)
            // Enough for tests of a second or two, and quicker to compile than the workspace's settings.
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_TEST_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_PROFILE_TEST_DEBUG", "0")
            .env("HASHMILL_TEST_TIER", "quick")
            .env_remove("HASHMILL_KERNEL")
            .output()
            .map_err(|e| format!("cargo: {e}"))?;
        let text = String::from_utf8_lossy(&out.stdout);
        match (out.status.success(), text.contains("test result: FAILED")) {
            (true, _) => {}
            (false, true) => return Ok(Verdict::Failed(text.into_owned())),
            (false, false) => return Ok(Verdict::Broken(String::from_utf8_lossy(&out.stderr).into_owned())),
        }
    }
    Ok(Verdict::Passed)
}

/// Copies the workspace without build output.
fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let fail = |e: std::io::Error| format!("{}: {e}", from.display());
    std::fs::create_dir_all(to).map_err(fail)?;
    for entry in std::fs::read_dir(from).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name();
        if name == "target" || name == ".git" {
            continue;
        }
        let kind = entry.file_type().map_err(fail)?;
        if kind.is_dir() {
            copy(&entry.path(), &to.join(name))?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), to.join(name)).map_err(fail)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_stands_there_once() {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hashmill/src");
        for (file, from, to) in MUTATIONS {
            let text = std::fs::read_to_string(src.join(file)).expect(file);
            assert_eq!(text.matches(from).count(), 1, "{file}: {from}");
            assert_ne!(from, to);
        }
    }
}
