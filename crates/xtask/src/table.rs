//! docs/algorithms.md: the registry as a page.

use hashmill::{Algorithm, Security};
use std::fmt::Write;
use std::path::Path;

/// Options of `xtask table`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only compare: fail if the page does not match the registry.
    #[arg(long)]
    check: bool,
}

const PAGE: &str = "docs/algorithms.md";

pub(crate) fn run(args: &Args) -> Result<bool, String> {
    let text = page();
    let path = Path::new(PAGE);
    if !args.check {
        return std::fs::write(path, text).map(|()| true).map_err(|e| format!("{PAGE}: {e}"));
    }
    let there = std::fs::read_to_string(path).map_err(|e| format!("{PAGE}: {e}"))?;
    if there != text {
        println!("{PAGE} is not what the registry says; run `cargo run -p xtask -- table` to regenerate it");
    }
    Ok(there == text)
}

fn page() -> String {
    let mut s = String::from(
        "<!-- Written by `cargo run -p xtask -- table`, from the registry. -->\n\
         # Algorithms\n\n\
         Any name or alias, in upper or lower case, works everywhere: in the library, with `hashmill sum -a` and in\n\
         lists to check. `hashmill list --long NAME` shows a row with its kernels. For names by which two\n\
         programs mean different functions, see [traps.md](traps.md).\n\n\
         **Lengths.** `shake128:64` asks for 64 bytes; BLAKE2, Skein and CubeHash are also named with their\n\
         length in bits: `blake2b-160`, `skein512-224`, `cubehash256`. CubeHash takes any parameters:\n\
         `cubehash160+16/32+160-512`. **Seeds** follow the name: `xxh64:seed=7`.\n\n\
         **Security.** *Broken*: practical attacks exist. *Weak*: no practical attack on the whole function, but\n\
         less margin than promised, or fewer than 112 bits against collisions. *Sound*: no attack that matters.\n\
         *Not cryptographic*: detects accidents, not attacks. The tables assume the usual parameters;\n\
         `hashmill list --long blake2b-8` shows others. Two messages with the same digest of n bits are\n\
         found in 2^(n/2) tries, so a digest shorter than 224 bits is never sound, and one shorter than 128 bits\n\
         is always broken.\n",
    );
    let (sums, hashes): (Vec<Algorithm>, Vec<Algorithm>) =
        Algorithm::all().partition(|a| a.security() == Security::NotCryptographic);
    s += "\n## Cryptographic digests\n\n";
    table(&mut s, &hashes);
    s += "\n## Checksums and fast hashes\n\n\
          Anyone can make a message with a given value of these, except for SipHash with a secret key.\n\n";
    let (crcs, others): (Vec<Algorithm>, Vec<Algorithm>) = sums.into_iter().partition(|a| a.family() == "CRC");
    table(&mut s, &others);
    s += "\n## CRCs\n\n\
          The whole catalogue of parametrised CRC algorithms. Values are numbers, most significant byte first.\n\n";
    s += "| name | bits | defined in | also called |\n|---|---:|---|---|\n";
    for a in &crcs {
        let _ = writeln!(
            s,
            "| `{}` | {} | {} | {} |",
            a.name(),
            hashmill::unstable::value_bits(*a),
            a.specification(),
            aliases(*a)
        );
    }
    s
}

fn table(s: &mut String, all: &[Algorithm]) {
    *s += "| name | digest, bits | block, bytes | family, year | security | defined in | also called |\n\
           |---|---:|---:|---|---|---|---|\n";
    for a in all {
        let lengths = a.digest_lengths();
        let mut bits = (8 * a.digest_len()).to_string();
        if lengths.end() > lengths.start() {
            bits += &match a.is_extendable() || *lengths.end() > 1024 {
                true => "; any".to_string(),
                false => format!("; {} to {}", 8 * lengths.start(), 8 * lengths.end()),
            };
        }
        let block = if a.block_len() > 1 { a.block_len().to_string() } else { String::new() };
        let _ = writeln!(
            s,
            "| `{}` | {bits} | {block} | {}, {} | {}: {} | {} | {} |",
            a.name(),
            a.family(),
            a.year(),
            a.security(),
            a.security_reason(),
            a.specification(),
            aliases(*a)
        );
    }
}

fn aliases(a: Algorithm) -> String {
    a.aliases().iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn table_is_what_the_registry_says() {
        let there = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/algorithms.md"))
            .expect("the page");
        assert!(there == super::page(), "run `cargo run -p xtask -- table`");
    }
}
