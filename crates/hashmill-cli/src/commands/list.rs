//! `hashmill list`: the available algorithms, and how they run on this machine.

use crate::args::cli::ListArgs;
use crate::terminal::output::print;
use hashmill::unstable::value_bits;
use hashmill::{Algorithm, KernelInfo, Security};
use serde::Serialize;
use std::borrow::Cow;
use std::fmt::Write;
use std::process::ExitCode;

/// An algorithm, as printed in JSON.
#[derive(Serialize)]
struct Entry {
    name: String,
    aliases: &'static [&'static str],
    family: &'static str,
    year: u16,
    specification: &'static str,
    /// Length of the value, which for some CRCs is shorter than the whole bytes of the digest.
    bits: usize,
    digest_bits: usize,
    min_digest_bits: usize,
    max_digest_bits: usize,
    block_bytes: usize,
    extendable: bool,
    /// 0 if there is no key, `None` if its length is not limited.
    max_key_bytes: Option<usize>,
    max_salt_bytes: usize,
    max_personal_bytes: usize,
    context: bool,
    seed_bits: u32,
    hmac: bool,
    security: &'static str,
    security_reason: Cow<'static, str>,
    kernels: Vec<Kernel>,
}

#[derive(Serialize)]
struct Kernel {
    name: &'static str,
    lanes: usize,
    needs: String,
    available: bool,
    active: bool,
    from_messages: Option<usize>,
}

impl From<Algorithm> for Entry {
    fn from(a: Algorithm) -> Self {
        let kernel = |k: KernelInfo| Kernel {
            name: k.name,
            lanes: k.lanes,
            needs: k.needs,
            available: k.available,
            active: k.active,
            from_messages: k.from_messages,
        };
        Entry {
            name: a.name().into_owned(),
            aliases: a.aliases(),
            family: a.family(),
            year: a.year(),
            specification: a.specification(),
            bits: value_bits(a),
            digest_bits: 8 * a.digest_len(),
            min_digest_bits: 8 * a.digest_lengths().start(),
            max_digest_bits: 8 * a.digest_lengths().end(),
            block_bytes: a.block_len(),
            extendable: a.is_extendable(),
            max_key_bytes: Some(a.max_key_len()).filter(|&n| n < usize::MAX),
            max_salt_bytes: a.max_salt_len(),
            max_personal_bytes: a.max_personal_len(),
            context: a.takes_context(),
            seed_bits: a.seed_bits(),
            hmac: a.security() != Security::NotCryptographic,
            security: a.security().as_str(),
            security_reason: a.security_reason(),
            kernels: a.kernels().into_iter().map(kernel).collect(),
        }
    }
}

pub(crate) fn run(args: &ListArgs) -> ExitCode {
    let everything = args.all || args.json;
    let chosen: Vec<_> = args.algorithms.iter().chain(&args.more).collect();
    let algorithms: Vec<Algorithm> = match &chosen[..] {
        [] => Algorithm::all().filter(|a| everything || a.is_common()).collect(),
        chosen => chosen.iter().flat_map(|c| c.0.iter().copied()).collect(),
    };
    let hidden = if chosen.is_empty() { Algorithm::all().len() - algorithms.len() } else { 0 };
    let entries: Vec<Entry> = algorithms.into_iter().map(Entry::from).collect();
    let text = if args.json {
        match serde_json::to_string_pretty(&entries) {
            Ok(json) => json + "\n",
            // Numbers, strings and lists always have a JSON form.
            Err(e) => unreachable!("{e}"),
        }
    } else if args.long {
        long(&entries)
    } else {
        table(&entries)
    };
    let text = match hidden {
        0 => text,
        n => format!("{text}and {n} more CRCs: hashmill list --all\n"),
    };
    print(text.as_bytes())
}

/// Lists kernels in order of preference, marked as `hashmill list --help` says.
fn kernels(e: &Entry) -> String {
    let mark = |k: &Kernel| match k {
        Kernel { available: false, .. } => format!("({})", k.name),
        _ => {
            let one = if k.active { "*" } else { "" };
            let many = if k.from_messages.is_some() && k.lanes > 1 { "+" } else { "" };
            format!("{}{one}{many}", k.name)
        }
    };
    e.kernels.iter().map(mark).collect::<Vec<_>>().join(" ")
}

fn table(entries: &[Entry]) -> String {
    let width = entries.iter().map(|e| e.name.len()).max().unwrap_or(0).max(4);
    let status = entries.iter().map(|e| e.security.len()).max().unwrap_or(0).max(8);
    let mut s = format!("{:width$}  {:>4}  {:status$}  KERNELS\n", "NAME", "BITS", "SECURITY");
    for e in entries {
        let _ = writeln!(s, "{:width$}  {:>4}  {:status$}  {}", e.name, e.bits, e.security, kernels(e));
    }
    s
}

fn long(entries: &[Entry]) -> String {
    let mut s = String::new();
    for e in entries {
        let mut extras = vec![format!("{} bits", e.bits)];
        if e.bits < e.digest_bits {
            extras.push(match e.digest_bits {
                8 => "written as one byte".into(),
                n => format!("written as {} bytes", n / 8),
            });
        }
        if e.max_digest_bits > e.min_digest_bits {
            extras.push(match e.extendable {
                true => "extendable to any length".into(),
                false => format!("{} to {} in whole bytes", e.min_digest_bits, e.max_digest_bits),
            });
        }
        if e.block_bytes > 1 {
            extras.push(format!("blocks of {} bytes", e.block_bytes));
        }
        for (what, most) in [
            ("key", e.max_key_bytes),
            ("salt", Some(e.max_salt_bytes)),
            ("personalization", Some(e.max_personal_bytes)),
        ] {
            match most {
                Some(0) => {}
                Some(most) => extras.push(format!("{what} up to {most} bytes")),
                None => extras.push(format!("{what} of any length")),
            }
        }
        if e.context {
            extras.push("derives keys from a context".into());
        }
        if e.seed_bits > 0 {
            extras.push(format!("seed of {} bits", e.seed_bits));
        }
        let _ = writeln!(s, "{}", e.name);
        let mut line = |what: &str, text: &str| {
            if !text.is_empty() {
                let _ = writeln!(s, "  {what:<10} {text}");
            }
        };
        line("aliases", &e.aliases.join(" "));
        line("digest", &extras.join(", "));
        line("family", &format!("{}, {}", e.family, e.year));
        line("defined in", e.specification);
        line("security", &format!("{}: {}", e.security, e.security_reason));
        line("kernels", &kernels(e));
    }
    s
}
