//! Tests `hashmill bench codegen --listing` as a whole. On systems where programs cannot be traced, the command says so
//! in one line, and the tests check that instead.

use hashmill::Algorithm;
use hashmill_measure::bare;
use hashmill_testing::executable;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn command(args: &[&str]) -> Command {
    let mut command = bare::command(executable());
    command.args(["bench", "codegen"]).args(args);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the output, or `None` if this system does not support it and the output says so.
fn listed(args: &[&str]) -> Option<Output> {
    let out = command(args).output().unwrap();
    let said = text(&out.stderr);
    if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
        assert_eq!(said, "hashmill: bench codegen: --listing needs Linux on x86-64\n");
        assert_eq!(out.status.code(), Some(1));
        return None;
    }
    if said.contains("this system does not let a program be traced") {
        assert_eq!((said.lines().count(), out.status.code()), (1, Some(1)), "{said}");
        println!("skipped: {said}");
        return None;
    }
    Some(out)
}

fn good(args: &[&str]) -> Option<String> {
    let out = listed(args)?;
    assert_eq!(text(&out.stderr), "");
    assert_eq!(out.status.code(), Some(0));
    Some(text(&out.stdout))
}

/// Returns the only line on stderr, without its prefix, and the exit status.
fn said(out: &Output) -> (String, Option<i32>) {
    let stderr = text(&out.stderr);
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    (stderr.trim_end().strip_prefix("hashmill: bench codegen: ").unwrap().to_string(), out.status.code())
}

#[test]
fn a_loop_with_its_jump_back() {
    let Some(text) = good(&["--listing", "crc32/bytewise"]) else { return };
    assert!(
        text.starts_with("Machine code of loops, as it runs on ") && text.contains("\n\ncrc32/bytewise: "),
        "{text}"
    );
    let lines: Vec<&str> = text.lines().collect();
    let label = lines.iter().position(|l| *l == "L1:").unwrap();
    let jump = lines.iter().rposition(|l| l.trim_start().starts_with('j') && l.ends_with(" L1")).unwrap();
    assert!(label < jump, "{text}");
    assert!(text.contains("byte ptr ["), "{text}");
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6 * a.abs()
}

#[test]
fn json() {
    // A kernel with lanes that this CPU supports, if any.
    let kernels = Algorithm::named("md5").unwrap().kernels();
    let lanes = kernels.iter().filter(|k| k.available && k.lanes > 1).min_by_key(|k| k.lanes);
    let mut names = vec!["md2/portable".to_string(), "blake3".into()];
    names.extend(lanes.map(|k| format!("md5/{}", k.name)));
    let Some(text) = good(&["--json", "--listing", &names.join(",")]) else { return };
    let run: Value = serde_json::from_str(&text).unwrap();
    assert!(run["machine"].is_object());
    let listings = run["details"]["listings"].as_array().unwrap();
    assert_eq!(listings.len(), names.len());
    for (l, name) in listings.iter().zip(&names) {
        let number = |key: &str| l[key].as_f64().unwrap();
        let per_byte = number("instructions_per_byte");
        assert!(name.starts_with(l["name"].as_str().unwrap()), "{name}: {}", l["name"]);
        assert!(name == "blake3" || name.ends_with(l["kernel"].as_str().unwrap()), "{name}: {}", l["kernel"]);
        let lines = l["instructions"].as_array().unwrap();
        let sum = |key: &str| lines.iter().map(|i| i[key].as_f64().unwrap()).sum::<f64>();
        assert!(close(sum("per_byte"), per_byte) && close(sum("per_turn"), number("turn_instructions")), "{name}");
        assert!(close(number("turn_bytes") * per_byte, number("turn_instructions")), "{name}");
        for i in lines {
            let (hex, text) = (i["bytes_hex"].as_str().unwrap(), i["text"].as_str().unwrap());
            assert!((2..=30).contains(&hex.len()) && hex.len() % 2 == 0 && !text.contains("(bad)"), "{name}: {i}");
            assert!(i["offset"].is_u64(), "{name}: {i}");
        }
        let (low, high, turn) = match name.as_str() {
            // 48 bytes are looked up in 18 rounds per 16 bytes.
            "md2/portable" => (100.0, 500.0, Some(16.0)),
            "blake3" => (0.1, 40.0, None),
            // At least 64 steps of 6 operations, for all lanes of 64 bytes at once.
            _ => (0.2, 6.0, Some(64.0 * kernels.iter().find(|k| name.ends_with(k.name)).unwrap().lanes as f64)),
        };
        assert!((low..=high).contains(&per_byte), "{name}: {per_byte}");
        assert!(turn.is_none_or(|t| close(t, number("turn_bytes"))), "{name}: {}", number("turn_bytes"));
        if name == "md2/portable" {
            assert!(lines.iter().any(|i| i["per_turn"].as_f64() > Some(17.5)), "no inner loop");
        }
    }
}

#[test]
fn names_that_are_none_and_those_that_are() {
    let Some(out) = listed(&["--listing", "nonesuch,crc32/nonesuch,crc32/slicing8"]) else { return };
    assert_eq!(out.status.code(), Some(1));
    let (stderr, stdout) = (text(&out.stderr), text(&out.stdout));
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{stderr}");
    assert!(lines[0].starts_with("hashmill: bench codegen: unknown algorithm 'nonesuch'"), "{stderr}");
    assert!(lines[1].contains("crc32: unknown kernel 'nonesuch'") && lines[1].contains("slicing8"), "{stderr}");
    assert!(stdout.contains("\ncrc32/slicing8: "), "{stdout}");
    let missing =
        Algorithm::all().flat_map(|a| a.kernels().into_iter().map(move |k| (a, k))).find(|(_, k)| !k.available);
    if let Some((a, k)) = missing {
        let (line, status) = said(&listed(&["--listing", &format!("{a}/{}", k.name)]).unwrap());
        assert!(line.contains(k.name) && line.contains("needs") && status == Some(1), "{line}");
    }
}

#[test]
fn options_for_measuring_are_refused() {
    for other in [&["md5"][..], &["--opt", "2"], &["--cpu", "native"], &["--size", "64"], &["--reps", "6"], &["--save"]]
    {
        let mut args = vec!["--listing", "crc32"];
        args.extend(other);
        let out = command(&args).output().unwrap();
        assert_eq!(out.status.code(), Some(2), "{other:?}");
        assert!(text(&out.stderr).contains("does not go with"), "{other:?}: {}", text(&out.stderr));
    }
    assert_eq!(command(&["--program", "true"]).output().unwrap().status.code(), Some(2));
}

/// A program that does what `--program` requires, unless its name tells it not to.
const PROGRAM: &str = r#"
#ifndef __i386__
#include <unistd.h>
#include <signal.h>
#include <stdlib.h>
static void stop(void) { raise(SIGSTOP); }
#else
/* Without a C library, which there may be none of for 32 bits. */
static int call(int n, int a, int b) { int r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(n), "b"(a), "c"(b) : "memory"); return r; }
static void stop(void) { call(37, call(20, 0, 0), 19); }
#endif
static unsigned char message[1 << 20];
static volatile unsigned result;
static __attribute__((noinline)) unsigned hash(const unsigned char *p, unsigned n) {
    unsigned h = 7;
    while (n--) h = h * 33 ^ *p++;
    return h;
}
static int run(const char *name, const char *bytes) {
    unsigned n = 0, turn;
    while (*bytes) n = 10 * n + (unsigned)(*bytes++ - '0');
    for (turn = 0; turn < 2; turn++) {
        if (name[0] == 'e' && turn == (unsigned)(name[1] - '0')) return 3;
        if (name[0] == 'n') for (;;) {
#ifndef __i386__
            pause();
#endif
        }
        result = hash(message, n);
        stop();
    }
    return 0;
}
#ifdef __i386__
void begin(int **);
__asm__(".globl _start\n_start: mov %esp, %eax\n push %eax\n call begin\n");
void begin(int **argv) { call(1, run((const char *)argv[3], (const char *)argv[4]), 0); }
#else
int main(int argc, char **argv) { return argc == 4 ? run(argv[2], argv[3]) : 2; }
#endif
"#;

fn compiled(dir: &Path, flags: &[&str]) -> Option<PathBuf> {
    let (source, program) = (dir.join("p.c"), dir.join("p"));
    std::fs::write(&source, PROGRAM).unwrap();
    let compiler = Command::new("cc").args(["-O1", "-o"]).arg(&program).args(flags).arg(&source).output();
    match compiler {
        Ok(out) if out.status.success() => Some(program),
        other => {
            println!("skipped: cc {flags:?}: {other:?}");
            None
        }
    }
}

#[test]
fn a_program_of_the_users() {
    if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let program = compiled(dir.path(), &[]).unwrap();
    let program = format!("{} --work", program.display());
    let Some(listing) = good(&["--listing", "mine", "--program", &program]) else { return };
    // A multiplication (or a shift and an addition), an exclusive or, a load, two counters and a jump.
    assert!(listing.contains("\nmine: ") && listing.contains(" instructions for 1 bytes)\n"), "{listing}");
    assert!(listing.contains("xor") && listing.contains(" L1\n"), "{listing}");

    for (name, right) in
        [("e0", "exit status 3) before its first stop"), ("e1", "exit status 3) before its second stop")]
    {
        let (line, status) = said(&listed(&["--listing", name, "--program", &program]).unwrap());
        assert!(line.starts_with(&program) && line.contains(right) && status == Some(1), "{line}");
    }
    let (line, status) = said(&listed(&["--listing", "x", "--program", "/nonexistent/program"]).unwrap());
    assert!(line.starts_with("/nonexistent/program: x: cannot be started: ") && status == Some(1), "{line}");

    let (line, status) = said(&listed(&["--listing", "never", "--program", &program]).unwrap());
    assert!(
        line.contains("does not come to its first stop: nothing happened for 10 seconds") && status == Some(1),
        "{line}"
    );
}

#[test]
fn ctrl_c_ends_it_and_the_child() {
    if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let program = compiled(dir.path(), &[]).unwrap();
    let work = format!("{} --work", program.display());
    let child = command(&["--listing", "never", "--program", &work]).stderr(Stdio::piped()).spawn().unwrap();
    let runs = || {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        processes.filter_map(|p| std::fs::read_link(p.path().join("exe")).ok()).any(|exe| exe == program)
    };
    let start = Instant::now();
    while !runs() && start.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent = Command::new("sh").arg("-c").arg(format!("kill -INT {}", child.id())).status().unwrap();
    assert!(sent.success());
    let out = child.wait_with_output().unwrap();
    let refused = text(&out.stderr).contains("this system does not let a program be traced");
    assert!(out.status.code() == Some(130) || refused, "{out:?}");
    assert!(!runs(), "it still runs");
}

#[test]
fn a_program_of_32_bits() {
    if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let flags = ["-m32", "-static", "-fno-pic", "-no-pie", "-nostdlib", "-fno-stack-protector", "-fcf-protection=none"];
    let Some(program) = compiled(dir.path(), &flags) else { return };
    let program = format!("{} --work", program.display());
    let Some(listing) = good(&["--listing", "mine", "--program", &program]) else { return };
    assert!(listing.contains(" instructions for 1 bytes), code of 32 bits\n"), "{listing}");
    assert!(listing.contains("byte ptr [e") && !listing.contains("[r"), "{listing}");
}
