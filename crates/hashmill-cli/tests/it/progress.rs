//! Progress: on a terminal (tmux), as lines, and on request.

use hashmill_measure::bare;
use hashmill_testing::{executable, hashmill, noise, run, skip, text};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A terminal whose contents can be read. The tmux server that runs it ends when this is dropped.
struct Screen {
    socket: String,
}

impl Screen {
    /// Runs a command in a new terminal. Returns `None` if there is no tmux.
    fn run(dir: &Path, command: &str) -> Option<Screen> {
        Screen::of_size(dir, 100, 12, command)
    }

    /// Runs a command in a new terminal with so many columns and rows.
    fn of_size(dir: &Path, columns: u32, rows: u32, command: &str) -> Option<Screen> {
        // Every server has a socket of its own: one that was just told to end would accept the next call, but not
        // answer.
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let socket = dir.join(format!("tmux{}", NUMBER.fetch_add(1, Ordering::Relaxed)));
        let screen = Screen { socket: socket.to_str().unwrap().into() };
        // The shell itself must survive Ctrl-C.
        let command = format!("trap : INT; cd '{}'; {command}; echo ended with $?; sleep 100", dir.display());
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let size = ["-x", &columns, "-y", &rows];
        let started = screen
            .tmux(&[&["-f", "/dev/null", "new-session", "-d"][..], &size, &["sh", "-c", command.as_str()]].concat());
        if started.is_none() {
            skip("no tmux");
        }
        started.map(|_| screen)
    }

    fn tmux(&self, args: &[&str]) -> Option<Output> {
        let output = bare::command("tmux").args(["-S", &self.socket]).args(args).output().ok()?;
        assert!(output.status.success(), "tmux {args:?}: {}", text(&output.stderr));
        Some(output)
    }

    fn text(&self) -> String {
        text(&self.tmux(&["capture-pane", "-p"]).unwrap().stdout)
    }

    fn keys(&self, keys: &str) {
        self.tmux(&["send-keys", keys]);
    }

    /// Waits until the text on the screen is as wanted, and returns it.
    fn wait(&self, what: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let text = self.text();
            if what(&text) {
                return text;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{text}");
            sleep(Duration::from_millis(30));
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = bare::command("tmux").args(["-S", &self.socket, "kill-server"]).stderr(Stdio::null()).status();
    }
}

/// Parses a number of bytes as progress shows it.
fn bytes(number: &str, unit: &str) -> f64 {
    let factor = match unit {
        "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        other => panic!("{other}"),
    };
    number.parse::<f64>().unwrap_or_else(|_| panic!("{number}")) * f64::from(1u32 << factor)
}

/// Parses a line of the form `1.00 GiB/2.00 GiB 500.00 MiB/s 0/1 files ETA 2s`. Returns bytes read, all bytes, bytes
/// per second and seconds left.
fn said(line: &str) -> [f64; 4] {
    let words: Vec<&str> =
        line.split_whitespace().skip_while(|w| !w.starts_with(|c: char| c.is_ascii_digit())).collect();
    let (unit, total) = words[1].split_once('/').unwrap();
    let eta = words.iter().position(|w| *w == "ETA").map_or("0s", |i| words[i + 1]);
    [
        bytes(words[0], unit),
        bytes(total, words[2]),
        bytes(words[3], words[4].strip_suffix("/s").unwrap()),
        duration(eta),
    ]
}

/// Parses a time such as `36s`, `5m` or `2h`, and returns it in seconds.
fn duration(text: &str) -> f64 {
    let (number, unit) = text.split_at(text.len() - 1);
    let number: f64 = number.parse().unwrap_or_else(|_| panic!("{text}"));
    match unit {
        "s" => number,
        "m" => number * 60.0,
        "h" => number * 3600.0,
        _ => panic!("{text}"),
    }
}

fn of_bar(text: &str) -> Option<&str> {
    text.lines().find(|l| l.contains(" files"))
}

/// The first bar, a second after the start, must be right about the rate of reading and the time that the rest will
/// take.
#[test]
fn a_bar_tells_the_truth() {
    let dir = tempfile::tempdir().unwrap();
    const LEN: u64 = 3 << 30;
    File::create(dir.path().join("big")).unwrap().set_len(LEN).unwrap();
    // The digest need not be right: checking a wrong one takes as long.
    fs::write(dir.path().join("list"), format!("SHA3-512 (big) = {}\n", "0".repeat(128))).unwrap();
    for (command, times, says) in [
        ("sum -j 1 -a sha3-512 big", 1, ""),
        ("check -j 1 list", 1, ""),
        // Every byte is read again from the copy.
        ("copy -j 1 -a sha3-512 big to/", 2, "hashmill: interrupted; run the same command again to finish\n"),
    ] {
        let Some(screen) = Screen::run(dir.path(), &format!("'{}' {command}", executable())) else { return };
        let start = Instant::now();
        let first = screen.wait(|t| of_bar(t).is_some());
        let then = Instant::now();
        sleep(Duration::from_millis(700));
        // The bar is missing from the screen while it is redrawn.
        let second = screen.wait(|t| of_bar(t).is_some());
        let between = then.elapsed().as_secs_f64();
        assert!(then - start > Duration::from_millis(500), "no bar for what may be over in a moment");
        let [done, total, rate, left] = said(of_bar(&first).unwrap());
        assert_eq!(total, (times * LEN) as f64, "{first}");
        // Other programs may have had the processor meanwhile. Real mistakes are off by factors of thousands.
        let elapsed = (then - start).as_secs_f64() + 0.3;
        assert!(rate < 3.0 * done / (elapsed - 0.6).max(0.3) && rate > done / elapsed / 3.0, "{first}");
        assert!((left - (total - done) / rate).abs() < 0.6 * (total - done) / rate + 1.5, "{first}");
        let [later, _, rate, _] = said(of_bar(&second).unwrap());
        assert!(
            later > done && (later - done) / between < 5.0 * rate && (later - done) / between > rate / 5.0,
            "{second}"
        );
        // Ctrl-C ends this program as it ends others, and clears the bar with the `^C` that the terminal writes behind
        // it.
        screen.keys("C-c");
        let end = screen.wait(|t| t.contains("ended with"));
        assert!(end.starts_with(&format!("{says}ended with 130")), "{end}");
        assert!(of_bar(&end).is_none() && !end.contains("^C"), "{end}");
    }
}

/// If the length is unknown, bytes, rate and time are shown instead of a bar.
#[test]
fn a_pipe_has_no_bar() {
    let dir = tempfile::tempdir().unwrap();
    let command = format!("head -c 4G /dev/zero | '{}' sum -j 1 -a sha3-512", executable());
    let Some(screen) = Screen::run(dir.path(), &command) else { return };
    let seen = screen.wait(|t| of_bar(t).is_some());
    let line = of_bar(&seen).unwrap();
    assert!(line.contains("B/s 0/1 files 00:00:0") && !line.contains("ETA") && !line.contains('█'), "{line}");
}

/// The bar takes one line of any terminal, and what matters most stays on it. Before it there is a line of text, which
/// would scroll away if the bar wrapped.
#[test]
fn a_bar_fits() {
    let dir = tempfile::tempdir().unwrap();
    File::create(dir.path().join("big")).unwrap().set_len(3 << 30).unwrap();
    for (columns, rows, parts) in [
        (200, 6, &["GiB", " files", "B/s ", "ETA ", "░"][..]),
        (40, 6, &["% ", "B/s ", "ETA ", "░"]),
        (30, 6, &["% ", "B/s ", "ETA "]),
        (20, 2, &["% "]),
        (10, 2, &["%"]),
    ] {
        let command = format!("echo before; '{}' sum -j 1 -a sha3-512 big", executable());
        let Some(screen) = Screen::of_size(dir.path(), columns, rows, &command) else { return };
        let whole = |t: &str| parts.iter().all(|p| t.contains(p));
        // Enough frames for a bar that wraps to scroll the line above it away.
        screen.wait(whole);
        sleep(Duration::from_millis(700));
        let seen = screen.wait(whole);
        let lines: Vec<&str> = seen.lines().filter(|l| !l.is_empty()).collect();
        assert!(lines.len() == 2 && lines[0] == "before", "{columns} columns: {seen}");
        assert!(lines[1].chars().count() <= columns as usize - 3, "{columns} columns: {seen}");
        screen.keys("C-c");
        // The rate may have these digits as well.
        let end = screen.wait(|t| t.lines().any(|l| l.ends_with("130") && !l.contains('%')));
        assert!(!end.contains('%'), "{end}");
    }
    let Some(screen) = Screen::of_size(dir.path(), 40, 1, &format!("'{}' sum -j 1 -a sha3-512 big", executable()))
    else {
        return;
    };
    screen.wait(|t| t.contains("ETA"));
    // A terminal that becomes narrower wraps what it shows; the next frame takes all of that away.
    screen.tmux(&["resize-window", "-x", "100", "-y", "12"]);
    screen.wait(|t| t.contains(" files"));
    // tmux tells the program of a second change within a quarter of a second only after it has wrapped the line.
    sleep(Duration::from_millis(500));
    screen.tmux(&["resize-window", "-x", "25"]);
    sleep(Duration::from_millis(500));
    let seen = screen.wait(|t| t.contains("% "));
    assert_eq!(seen.lines().filter(|l| !l.is_empty()).count(), 1, "{seen}");
}

/// What reads from a terminal says so, unless that was asked for, and ends with one Ctrl-D.
#[test]
fn one_end_of_input_is_enough() {
    let dir = tempfile::tempdir().unwrap();
    const NO_LINES: &str = "standard input: no properly formatted checksum lines found";
    for (command, says, ends) in [
        ("check", "hashmill: reading a checksum list from standard input (Ctrl-D ends it)", NO_LINES),
        ("check -", "", NO_LINES),
        ("check --status", "", NO_LINES),
        ("sum", "hashmill: reading what to hash from standard input (Ctrl-D ends it)", "b855  -"),
        ("sum -", "", "b855  -"),
        ("sha256sum", "", "b855  -"),
        ("md5sum -c", "", "no properly formatted"),
        ("xxhsum -c -", "", "no properly formatted"),
        ("b3sum -c -", "", ""),
    ] {
        let Some(screen) = Screen::run(dir.path(), &format!("echo begins; '{}' {command}", executable())) else {
            return;
        };
        let begun = screen.wait(|t| t.contains("begins\n") && t.contains(says));
        assert_eq!(begun.trim(), format!("begins\n{says}").trim(), "{command}");
        // A program that has not begun to read would get it, too.
        sleep(Duration::from_millis(300));
        screen.keys("C-d");
        let end = screen.wait(|t| t.contains("ended with"));
        assert!(end.contains(ends), "{command}: {end}");
    }
}

/// Digests and messages that go to the same terminal come in the order of the files.
#[test]
fn messages_are_in_order() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        fs::write(dir.path().join(name), name).unwrap();
    }
    let command = format!("'{}' sum -a md5 a no1 b no2 c", executable());
    let Some(screen) = Screen::run(dir.path(), &command) else { return };
    let seen = screen.wait(|t| t.contains("ended with"));
    let at = |text: &str| seen.find(text).unwrap_or_else(|| panic!("{text}: {seen}"));
    let order = ["  a\n", "no1: ", "  b\n", "no2: ", "  c\n", "ended"].map(at);
    assert!(order.is_sorted(), "{seen}");
}

/// If nothing is read, nothing must be shown.
#[test]
fn nothing_is_shown_for_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let Some(screen) = Screen::run(dir.path(), &format!("'{}' sum -", executable())) else { return };
    sleep(Duration::from_millis(1500));
    assert_eq!(screen.text().trim(), "");
    screen.keys("C-c");
}

/// The last line of a copy must report that all is done: every file once, and every byte as often as it was read.
#[test]
fn a_copy_ends_at_its_total() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("from")).unwrap();
    for i in 0..6 {
        fs::write(dir.path().join(format!("from/{i}")), noise(300_000, i)).unwrap();
    }
    for how in ["hash", "reread", "source"] {
        let o = hashmill(dir.path(), &["copy", "--verify", how, "--progress", "always", "from", how]);
        assert!(o.status.success(), "{}", text(&o.stderr));
        let said = text(&o.stderr);
        let last = said.lines().last().unwrap();
        let (done, rest) = last.split_once(" of ").unwrap();
        assert!(rest.starts_with(&format!("{done},")) && last.contains(", 6/6 files"), "{how}: {last}");
    }
}

/// SIGUSR1 prints one line of progress, even if no progress is shown otherwise.
#[test]
fn a_signal_asks() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = bare::command(executable());
    command.args(["sum", "-a", "md5"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(&noise(2 << 20, 1)).unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let (sender, receiver) = channel();
    let reader = std::thread::spawn(move || {
        let mut line = String::new();
        errors.read_line(&mut line).unwrap();
        sender.send(line).unwrap();
        let mut rest = String::new();
        errors.read_to_string(&mut rest).unwrap();
        rest
    });
    // The program now waits for more input. If the signal arrives before there is anything to report, the line follows
    // later.
    run(dir.path(), "kill", &["-USR1", &child.id().to_string()], b"");
    let line = receiver.recv_timeout(Duration::from_secs(60)).unwrap();
    assert!(line.contains(" MiB, ") && !line.contains(" of ") && line.ends_with("/s, 0/1 files\n"), "{line}");
    drop(pipe);
    assert!(child.wait().unwrap().success());
    assert_eq!(reader.join().unwrap(), "");
}
