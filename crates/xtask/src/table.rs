//! docs/algorithms.md and docs/formats.md: the algorithms and the forms of lists as pages.

use hashmill::{Algorithm, Security};
use hashmill_lists::{Base, FORMS, Form};
use std::fmt::Write;
use std::path::Path;

/// Options of `xtask table`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only compare: fail if a page does not match.
    #[arg(long)]
    check: bool,
}

/// What makes a page.
type Page = fn() -> String;

/// Each page, and what makes it.
const PAGES: [(&str, Page); 2] = [("docs/algorithms.md", algorithms), ("docs/formats.md", formats)];

pub(crate) fn run(args: &Args) -> Result<bool, String> {
    let mut same = true;
    for (page, text) in PAGES {
        let (path, text) = (Path::new(page), text());
        if !args.check {
            std::fs::write(path, text).map_err(|e| format!("{page}: {e}"))?;
            continue;
        }
        let there = std::fs::read_to_string(path).map_err(|e| format!("{page}: {e}"))?;
        if there != text {
            println!("{page} is not what the code says; run `cargo run -p xtask -- table` to regenerate it");
            same = false;
        }
    }
    Ok(same)
}

fn formats() -> String {
    let mut s = String::from(
        "<!-- Written by `cargo run -p xtask -- table`, from the table of forms. -->\n\
         # Forms of checksum lists\n\n\
         `hashmill check` finds out which form a list has. Lists of the first kind consist of lines that each stand\n\
         alone, so that a list may mix them; the others are read as a whole. Any of them may be compressed with gzip,\n\
         xz, zstd or bzip2, be in UTF-16, begin with a byte order mark, have lines that end with CR and LF, or be in a\n\
         PGP clear-signed text; then only what is signed counts, and gpg verifies the signature.\n\n\
         `hashmill sum --format NAME` and `hashmill copy --manifest-form NAME` write those with a name in bold.\n",
    );
    let (lines, whole): (Vec<&Form>, Vec<&Form>) = FORMS.iter().partition(|f| f.lines);
    for (title, forms) in [("Lines that each stand alone", lines), ("Lists that are read as a whole", whole)] {
        let _ = write!(
            s,
            "\n## {title}\n\n\
             | name | what it looks like | written by | algorithms | digests of a file | has | cannot hold names | names are relative to |\n\
             |---|---|---|---|---|---|---|---|\n"
        );
        for f in forms {
            let has = match (f.sizes, f.times) {
                (true, true) => "sizes, times",
                (true, false) => "sizes",
                (false, true) => "times",
                (false, false) => "",
            };
            let base = match f.base {
                Base::Current => "the current folder",
                Base::List => "the list's folder",
                Base::Above => "the folder above the list's",
            };
            let mark = if f.writes { "**" } else { "" };
            let _ = writeln!(
                s,
                "| {mark}{}{mark} | {} | {} | {} | {} | {has} | {} | {base} |",
                f.name,
                f.what.replace('|', "\\|"),
                f.programs,
                f.algorithms,
                if f.several { "any number" } else { "one" },
                f.cannot
            );
        }
    }
    s
}

fn algorithms() -> String {
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
    fn pages_are_what_the_code_says() {
        for (page, text) in super::PAGES {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
            let there = std::fs::read_to_string(path).expect("the page");
            assert!(there == text(), "{page}: run `cargo run -p xtask -- table`");
        }
    }
}
