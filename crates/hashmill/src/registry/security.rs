//! How far an algorithm may be trusted: what every row of the registry states, and what the parameters make of it.

use crate::contract::Params;
use std::borrow::Cow;
use std::fmt;

/// How far an algorithm may be trusted.
///
/// ```
/// use hashmill::{Algorithm, Security};
/// let a: Algorithm = "sha1".parse()?;
/// assert_eq!(a.security(), Security::Broken);
/// # Ok::<(), hashmill::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Security {
    /// Practical attacks exist, if only for a digest shorter than 128 bits: never where anybody might cheat.
    Broken,
    /// No practical attack on the whole function, but less margin than it promised, or fewer than 112 bits of collision
    /// resistance.
    Weak,
    /// No known attack that matters.
    Sound,
    /// Made against accidents, not against people.
    NotCryptographic,
}

impl Security {
    /// The word that lists show.
    ///
    /// ```
    /// use hashmill::Security;
    /// assert_eq!(Security::NotCryptographic.as_str(), "not cryptographic");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Security::Broken => "broken",
            Security::Weak => "weak",
            Security::Sound => "sound",
            Security::NotCryptographic => "not cryptographic",
        }
    }
}

impl fmt::Display for Security {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Fewer bits of collision resistance than this can be overcome by trying: MD5's length.
const PRACTICAL: u32 = 64;

/// Fewer bits of collision resistance than this are too few for anything new (NIST SP 800-131A).
const ENOUGH: u32 = 112;

/// What is known about a row of the registry. It has no default: a row that says nothing does not compile.
#[derive(Clone, Copy)]
pub(crate) struct Status {
    security: Security,
    /// Bits of collision resistance of the longest digest: half the inner state, or the best attack's cost. Shorter
    /// digests give less.
    collision_bits: u16,
    reason: &'static str,
    /// Says the same of other parameters of its own (`p`), where names can carry such.
    parameters: Option<fn(&Params) -> Verdict>,
}

/// What is said about an algorithm with its parameters.
pub(crate) struct Verdict {
    pub(crate) security: Security,
    pub(crate) collision_bits: u32,
    pub(crate) reason: Cow<'static, str>,
}

pub(crate) const fn sound(collision_bits: u16, reason: &'static str) -> Status {
    Status { security: Security::Sound, collision_bits, reason, parameters: None }
}

pub(crate) const fn weak(collision_bits: u16, reason: &'static str) -> Status {
    Status { security: Security::Weak, collision_bits, reason, parameters: None }
}

pub(crate) const fn broken(reason: &'static str) -> Status {
    Status { security: Security::Broken, collision_bits: 0, reason, parameters: None }
}

pub(crate) const fn checksum(reason: &'static str) -> Status {
    Status { security: Security::NotCryptographic, collision_bits: 0, reason, parameters: None }
}

/// CubeHash with its usual parameters.
pub(crate) const fn cubehash() -> Status {
    let reason = "no attack on its 16 rounds; preimages cost 2^384 by design, not 2^512";
    Status { parameters: Some(cubehash_with), ..sound(384, reason) }
}

impl Status {
    /// What it comes to with these parameters. `usual`: the digest's usual length in bytes.
    pub(crate) fn verdict(&self, p: &Params, usual: usize) -> Verdict {
        let known = match self.parameters {
            Some(judge) => judge(p),
            None => Verdict {
                security: self.security,
                collision_bits: u32::from(self.collision_bits),
                reason: Cow::Borrowed(self.reason),
            },
        };
        if known.security == Security::NotCryptographic {
            let reason = if p.seed == 0 { known.reason } else { known.reason + "; its seed is no key" };
            return Verdict { reason, ..known };
        }
        let bits = 8 * p.out_len;
        let tries = bits / 2;
        let security = match known.security {
            Security::Broken => Security::Broken,
            _ if tries < PRACTICAL => Security::Broken,
            Security::Sound if tries >= ENOUGH => Security::Sound,
            _ => Security::Weak,
        };
        // What is broken anyway is not explained by its length, unless that is worse.
        let short = tries < if known.security == Security::Broken { PRACTICAL } else { ENOUGH };
        let reason = if short {
            let text = format!("{bits} bits: two messages with one digest are found in 2^{tries} tries");
            // Of a digest that falls to trying, a sound function's merits say nothing.
            let more = security == Security::Weak || known.security != Security::Sound;
            Cow::Owned(if more { format!("{text}; {}", known.reason) } else { text })
        } else if p.out_len as usize > usual && known.security == Security::Sound && tries > known.collision_bits {
            let most = known.collision_bits;
            Cow::Owned(format!("{}; {bits} bits resist collisions no better than {}: 2^{most}", known.reason, 2 * most))
        } else {
            known.reason
        };
        Verdict { security, collision_bits: known.collision_bits.min(tries), reason }
    }
}

/// CubeHash i+r/b+f-h, its length aside. Sound is what its author proposed last (16+16/32+32), and what does more for
/// the message: attacks get easier with fewer rounds and with larger blocks.
fn cubehash_with(p: &Params) -> Verdict {
    let [i, r, b, f] = p.p.map(u32::from);
    let h = 8 * p.out_len;
    // Two messages meet where blocks do not reach: 1024 - 8b bits of the state.
    let inner = 512 - 4 * b;
    let verdict = |security, collision_bits, reason| Verdict { security, collision_bits, reason: Cow::Owned(reason) };
    let s = |n: u32| if n == 1 { "" } else { "s" };
    let shape = format!("{r} round{} a block of {b} byte{}", s(r), s(b));
    if inner == 0 {
        return verdict(
            Security::Broken,
            0,
            format!("{shape}: a block sets the whole state, so collisions are made at will"),
        );
    }
    if inner < PRACTICAL {
        let left = 2 * inner;
        let reason = format!(
            "{shape}: only {left} bits of the state are out of its reach, so collisions are found in 2^{inner} tries"
        );
        return verdict(Security::Broken, 0, reason);
    }
    // Such a collision is one of larger blocks too, whose other bytes are zero; and, with blocks of zeros between, of
    // half the rounds. Three rounds are taken to be no harder than four.
    for (rounds, bytes, found) in [(2, 4, "in minutes (2009)"), (4, 48, "in 2^37 tries (2009)")] {
        if r <= rounds && b >= bytes {
            let reason = format!("{shape}: collisions of {rounds} rounds a block of {bytes} bytes were found {found}");
            return verdict(Security::Broken, 0, reason);
        }
    }
    if i < 16 || r < 16 || b > 32 || f < 32 {
        let reason = format!(
            "{shape}, {i} before, {f} after: fewer rounds or larger blocks than CubeHash16+16/32+32, which was \
             proposed last"
        );
        return verdict(Security::Weak, 0, reason);
    }
    let mut reason = format!("no attack on its {r} rounds");
    if h > inner {
        reason += &format!("; preimages cost 2^{inner} by design, not 2^{h}");
    }
    verdict(Security::Sound, inner, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Algorithm;
    use crate::registry::table::{DigestLength, ROWS};

    fn of(name: &str) -> (Security, u32, String) {
        let a: Algorithm = name.parse().expect(name);
        (a.security(), a.collision_bits(), a.security_reason().into_owned())
    }

    /// Checks the usual parameters of every row, and every digest length of the row up to 160 bytes.
    #[test]
    fn every_row_at_every_length() {
        for (row, usual) in ROWS.iter().zip(Algorithm::all()) {
            // The usual algorithm has the row's own status.
            assert_eq!(row.status.security, usual.security(), "{usual}");
            assert!(!row.status.reason.is_empty() && usual.security_reason().ends_with(row.status.reason), "{usual}");
            let lengths = match row.lengths {
                DigestLength::Fixed => usual.digest_len()..=usual.digest_len(),
                _ => 1..=160.min(*usual.digest_lengths().end()),
            };
            for bytes in lengths {
                let a = usual.with_digest_len(bytes).expect("a length that it has");
                let (security, bits) = (a.security(), a.collision_bits());
                assert!(bits as usize <= 4 * bytes, "{a}: {bits}");
                let fits = match bytes {
                    ..16 => [Security::Broken, Security::NotCryptographic].contains(&security),
                    16..28 => security != Security::Sound,
                    _ => true,
                };
                assert!(fits, "{a}: {security}");
                match security {
                    Security::NotCryptographic => assert_eq!((bits, row.status.security), (0, security), "{a}"),
                    Security::Sound => assert!(bits >= ENOUGH, "{a}: {bits}"),
                    Security::Weak => assert!(bits >= PRACTICAL, "{a}: {bits}"),
                    Security::Broken => assert!(bits < PRACTICAL, "{a}: {bits}"),
                }
                let reason = a.security_reason();
                let counted = reason.contains(&format!(
                    "{} bits: two messages with one digest are found in 2^{}",
                    8 * bytes,
                    4 * bytes
                ));
                assert_eq!(counted, bytes < 28 && row.status.collision_bits > 0, "{a}: {reason}");
                assert_eq!(a.tells_files_apart(), security == Security::Sound && bytes >= 32, "{a}");
            }
        }
    }

    #[test]
    fn collision_resistance() {
        for (name, bits) in [
            ("sha224", 112),
            ("sha256", 128),
            ("sha384", 192),
            ("sha512", 256),
            ("sha512-224", 112),
            ("sha512-256", 128),
            ("sha3-224", 112),
            ("sha3-512", 256),
            ("keccak256", 128),
            ("shake128", 128),
            ("shake128:16", 64),
            ("shake128:31", 124),
            ("shake128:1000", 128),
            ("shake256:32", 128),
            ("shake256:1000", 256),
            ("blake224", 112),
            ("blake512", 256),
            ("blake2b-8", 4),
            ("blake2b-160", 80),
            ("blake2b-512", 256),
            ("blake2s-256", 128),
            ("blake3", 128),
            ("blake3:28", 112),
            ("blake3:64", 128),
            ("groestl512", 256),
            ("jh384", 192),
            ("skein256-512", 128),
            ("skein512-8", 4),
            ("skein512-2048", 256),
            ("skein1024-1024", 512),
            ("cubehash256", 128),
            ("cubehash16+16/32+32-512", 256),
            ("whirlpool", 256),
            ("streebog256", 128),
            ("sm3", 128),
            ("ripemd128", 64),
            ("ripemd160", 80),
            ("ripemd256", 64),
            ("ripemd320", 80),
            ("haval256-5", 123),
            ("haval128-5", 64),
            ("haval256-4", 0),
            ("tiger192-3", 96),
            ("tiger128-4", 64),
            ("snefru128", 64),
            ("snefru256", 88),
            ("gost94", 105),
            ("md5", 0),
            ("sha1", 0),
            ("crc32", 0),
            ("xxh128", 0),
            ("siphash-2-4-128", 0),
        ] {
            assert_eq!(of(name).1, bits, "{name}");
        }
    }

    #[test]
    fn lengths_decide() {
        use Security::{Broken, NotCryptographic, Sound, Weak};
        for (name, security, says) in [
            ("blake2b-8", Broken, "8 bits: two messages with one digest are found in 2^4 tries"),
            ("blake2s:1", Broken, "8 bits: two messages with one digest are found in 2^4 tries"),
            ("blake3:1", Broken, "8 bits: two messages with one digest are found in 2^4 tries"),
            ("shake128:1", Broken, "8 bits: two messages with one digest are found in 2^4 tries"),
            ("skein512-8", Broken, "8 bits: two messages with one digest are found in 2^4 tries"),
            ("cubehash8", Broken, "8 bits: two messages with one digest are found in 2^4 tries"),
            ("skein1024-120", Broken, "120 bits: two messages with one digest are found in 2^60 tries"),
            (
                "blake2b-160",
                Weak,
                "160 bits: two messages with one digest are found in 2^80 tries; no attack on the full function",
            ),
            (
                "shake256:27",
                Weak,
                "216 bits: two messages with one digest are found in 2^108 tries; no attack beyond a few of its 24 \
                 rounds",
            ),
            ("blake2s-224", Sound, "no attack on the full function"),
            ("blake2b-256", Sound, "no attack on the full function"),
            (
                "shake128:64",
                Sound,
                "no attack beyond a few of its 24 rounds; 512 bits resist collisions no better than 256: 2^128",
            ),
            ("md5", Broken, "collisions in seconds since 2004; chosen-prefix collisions since 2007"),
            (
                "ripemd160",
                Weak,
                "160 bits: two messages with one digest are found in 2^80 tries; no attack on all 80 steps; \
                 collisions reach about half of them",
            ),
            ("xxh64", NotCryptographic, "fast and well mixed; collisions can be made at will"),
            (
                "xxh64:seed=7",
                NotCryptographic,
                "fast and well mixed; collisions can be made at will; its seed is no key",
            ),
        ] {
            let (is, _, reason) = of(name);
            assert_eq!((is, &*reason), (security, says), "{name}");
        }
    }

    /// Every parameter of CubeHash: initial rounds, rounds, bytes per block, final rounds, digest length.
    #[test]
    fn cubehash_by_its_parameters() {
        use Security::{Broken, Sound, Weak};
        for (name, security, says) in [
            ("cubehash512", Sound, "no attack on its 16 rounds; preimages cost 2^384 by design, not 2^512"),
            ("cubehash256", Sound, "no attack on its 16 rounds"),
            ("cubehash16+16/32+32-256", Sound, "no attack on its 16 rounds"),
            ("cubehash20/1-512", Sound, "no attack on its 20 rounds; preimages cost 2^508 by design, not 2^512"),
            (
                "cubehash15+16/32+32-256",
                Weak,
                "16 rounds a block of 32 bytes, 15 before, 32 after: fewer rounds or larger blocks than \
                 CubeHash16+16/32+32",
            ),
            (
                "cubehash16+15/32+32-256",
                Weak,
                "15 rounds a block of 32 bytes, 16 before, 32 after: fewer rounds or larger blocks than \
                 CubeHash16+16/32+32",
            ),
            (
                "cubehash16+16/33+32-256",
                Weak,
                "16 rounds a block of 33 bytes, 16 before, 32 after: fewer rounds or larger blocks than \
                 CubeHash16+16/32+32",
            ),
            (
                "cubehash16+16/32+31-256",
                Weak,
                "16 rounds a block of 32 bytes, 16 before, 31 after: fewer rounds or larger blocks than \
                 CubeHash16+16/32+32",
            ),
            (
                "cubehash8/1-512",
                Weak,
                "8 rounds a block of 1 byte, 80 before, 80 after: fewer rounds or larger blocks than \
                 CubeHash16+16/32+32",
            ),
            ("cubehash1/3-512", Weak, "1 round a block of 3 bytes, 10 before, 10 after"),
            (
                "cubehash2/4-512",
                Broken,
                "2 rounds a block of 4 bytes: collisions of 2 rounds a block of 4 bytes were found",
            ),
            ("cubehash4/47-512", Weak, "4 rounds a block of 47 bytes, 40 before, 40 after"),
            ("cubehash4/48-512", Broken, "4 rounds a block of 48 bytes: collisions of 4 rounds a block of 48 bytes"),
            ("cubehash5/48-512", Weak, "5 rounds a block of 48 bytes, 50 before, 50 after"),
            ("cubehash16/112-512", Weak, "16 rounds a block of 112 bytes, 160 before"),
            ("cubehash16/113-512", Broken, "16 rounds a block of 113 bytes: only 120 bits of the state"),
            ("cubehash6553/127-512", Broken, "6553 rounds a block of 127 bytes: only 8 bits of the state"),
            ("cubehash16/128-512", Broken, "16 rounds a block of 128 bytes: a block sets the whole state"),
            ("cubehash1/128-256", Broken, "1 round a block of 128 bytes: a block sets the whole state"),
            (
                "cubehash1/128-8",
                Broken,
                "8 bits: two messages with one digest are found in 2^4 tries; 1 round a block of 128 bytes: ",
            ),
            (
                "cubehash1+1/128+1-8",
                Broken,
                "8 bits: two messages with one digest are found in 2^4 tries; 1 round a block",
            ),
            (
                "cubehash8/1-160",
                Weak,
                "160 bits: two messages with one digest are found in 2^80 tries; 8 rounds a block",
            ),
        ] {
            let (is, bits, reason) = of(name);
            assert_eq!(is, security, "{name}: {reason}");
            assert!(reason.starts_with(says), "{name}: {reason}");
            let a: Algorithm = name.parse().expect(name);
            assert_eq!((bits > 0, a.tells_files_apart()), (is == Sound, is == Sound), "{name}: {bits}");
        }
    }

    #[test]
    fn files_are_told_apart_by_sound_digests_of_256_bits() {
        for name in [
            "sha256", "sha512-256", "sha3-256", "keccak256", "shake128", "shake256:32", "blake2b-256", "blake2s",
            "blake3", "skein256-256", "skein512-264", "cubehash256", "streebog256", "sm3", "whirlpool",
        ] {
            assert!(name.parse::<Algorithm>().expect(name).tells_files_apart(), "{name}");
        }
        for name in [
            "sha224", "sha3-224", "shake128:31", "shake256:31", "blake2b-248", "blake2b-8", "blake2s-128", "blake3:31",
            "blake3:1", "skein256-248", "skein512-8", "cubehash224", "cubehash1/128-256", "cubehash15/32-512",
            "ripemd160", "ripemd256", "ripemd320", "gost94", "snefru256", "haval256-5", "md5", "crc32", "xxh128",
            "xxh128:seed=7", "siphash-2-4-128",
        ] {
            assert!(!name.parse::<Algorithm>().expect(name).tells_files_apart(), "{name}");
        }
    }
}
