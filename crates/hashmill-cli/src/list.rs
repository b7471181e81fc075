//! `hashmill list`: what there is, and how it runs here.

use crate::cli::ListArgs;
use hashmill::{Algorithm, KernelInfo};
use serde::Serialize;
use std::fmt::Write;
use std::io::Write as _;
use std::process::ExitCode;

/// An algorithm, as JSON shows it.
#[derive(Serialize)]
struct Entry {
    name: String,
    aliases: &'static [&'static str],
    family: &'static str,
    year: u16,
    specification: &'static str,
    digest_bits: usize,
    block_bytes: usize,
    extendable: bool,
    max_key_bytes: usize,
    seed: bool,
    security: &'static str,
    security_reason: &'static str,
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
            digest_bits: 8 * a.digest_len(),
            block_bytes: a.block_len(),
            extendable: a.is_extendable(),
            max_key_bytes: a.max_key_len(),
            seed: a.takes_seed(),
            security: a.security().as_str(),
            security_reason: a.security_reason(),
            kernels: a.kernels().into_iter().map(kernel).collect(),
        }
    }
}

pub(crate) fn run(args: &ListArgs) -> ExitCode {
    let algorithms = if args.algorithms.is_empty() { Algorithm::all().collect() } else { args.algorithms.clone() };
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
    let mut out = std::io::stdout().lock();
    ExitCode::from(u8::from(out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err()))
}

/// Kernels in the order of preference, marked as `hashmill list --help` says.
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
        let _ = writeln!(s, "{:width$}  {:>4}  {:status$}  {}", e.name, e.digest_bits, e.security, kernels(e));
    }
    s
}

fn long(entries: &[Entry]) -> String {
    let mut s = String::new();
    for e in entries {
        let mut extras = vec![format!("{} bits", e.digest_bits)];
        if e.extendable {
            extras.push("any length".into());
        }
        if e.max_key_bytes > 0 {
            extras.push(format!("keys up to {} bytes", e.max_key_bytes));
        }
        if e.seed {
            extras.push("seed".into());
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
