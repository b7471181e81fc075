//! `hashmill mhl`: histories that ascmhl and hashmill make, one after the other and in turns, damaged in every way, and
//! what each says of them; and histories that somebody has made to do harm.

use hashmill::Digest;
use hashmill_lists::mhl::{Action, File, Folder, HashFormat, Part, read_chain, read_generation};
use hashmill_testing::{hashmill, noise, python_program, run, stdout, text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// ascmhl in one process, since starting it takes longer than what it does here.
struct Theirs {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

/// Runs commands of ascmhl, one JSON array a line. Prints the status and the output of each.
const SCRIPT: &str = "\
import json, sys, warnings
warnings.simplefilter('ignore')
from click.testing import CliRunner
import ascmhl.commands
for line in sys.stdin:
    command, *args = json.loads(line)
    done = CliRunner().invoke(getattr(ascmhl.commands, command), args)
    failed = done.exception is not None and not isinstance(done.exception, SystemExit)
    print(json.dumps([done.exit_code, done.output + (repr(done.exception) if failed else '')]), flush=True)
";

impl Theirs {
    fn start() -> Theirs {
        let mut command = Command::new(python_program("python"));
        command.args(["-c", SCRIPT]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Theirs { child, to, from }
    }

    /// Returns the status and the output of a command.
    fn run(&mut self, args: &[&str]) -> (i32, String) {
        writeln!(self.to, "{}", serde_json::to_string(args).unwrap()).unwrap();
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{args:?}: {e}: {line}"))
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Who makes histories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Maker {
    Theirs,
    Ours,
}

/// A folder `card` with files, whose history one of the programs makes.
struct Card<'a> {
    dir: TempDir,
    maker: Maker,
    theirs: &'a mut Theirs,
}

impl Card<'_> {
    fn new(maker: Maker, theirs: &mut Theirs) -> Card<'_> {
        let card = Card { dir: tempfile::tempdir().unwrap(), maker, theirs };
        for (name, content) in
            [("Clips/a.mov", "aaa"), ("Clips/b.mov", "bbb"), ("Clips/sub/c", "ccc"), ("Side.txt", "side"), ("zero", "")]
        {
            card.write(name, content);
        }
        fs::create_dir(card.path("empty")).unwrap();
        card
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("card").join(name)
    }

    fn text(&self, name: &str) -> String {
        let path = if name.is_empty() { self.dir.path().join("card") } else { self.path(name) };
        path.into_os_string().into_string().unwrap()
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    /// Makes a generation for a folder of the card, with options as hashmill has them. Returns the status.
    fn create_at(&mut self, maker: Maker, folder: &str, options: &[&str], files: &[&str]) -> (i32, String) {
        let folder = self.text(folder);
        let files: Vec<String> = files.iter().map(|name| self.text(name)).collect();
        match maker {
            Maker::Theirs => {
                let option = |o: &&str| match *o {
                    "-a" => "-h",
                    "--detect-renaming" => "-dr",
                    "--ignore-file" => "-ii",
                    other => Box::leak(other.to_string().into_boxed_str()),
                };
                let mut args = vec!["create"];
                args.extend(options.iter().map(option));
                args.extend(files.iter().flat_map(|file| ["-sf", file]));
                args.push(&folder);
                self.theirs.run(&args)
            }
            Maker::Ours => {
                let mut args = vec!["mhl", "create", "--exit-bits"];
                args.extend(options);
                args.push(&folder);
                args.extend(files.iter().map(|file| &**file));
                let o = hashmill(self.dir.path(), &args);
                (o.status.code().unwrap(), text(&o.stdout) + &text(&o.stderr))
            }
        }
    }

    /// The same for the card itself.
    fn create(&mut self, options: &[&str]) -> (i32, String) {
        self.create_at(self.maker, "", options, &[])
    }

    /// Returns the generations of a folder's history.
    fn generations(&self, folder: &str) -> Vec<PathBuf> {
        let all = fs::read_dir(self.path(folder).join("ascmhl")).unwrap().map(|e| e.unwrap().path());
        let mut all: Vec<PathBuf> = all.filter(|path| path.extension().is_some_and(|e| e == "mhl")).collect();
        all.sort();
        all
    }

    /// Replaces text in a file.
    fn edit(path: &Path, edit: impl FnOnce(String) -> String) {
        let before = fs::read_to_string(path).unwrap();
        let after = edit(before.clone());
        assert_ne!(before, after);
        fs::write(path, after).unwrap();
    }

    /// Removes a generation from the chain.
    fn unchain(&self, number: usize) {
        Card::edit(&self.path("ascmhl/ascmhl_chain.xml"), |chain| {
            let (before, rest) = chain.split_once(&format!("  <hashlist sequencenr=\"{number}\">")).unwrap();
            format!("{before}{}", rest.split_once("</hashlist>\n").unwrap().1)
        });
    }

    fn nested(&mut self) {
        self.create_at(self.maker, "Clips", &[], &[]);
        self.create(&[]);
    }

    fn renamed(&mut self) {
        self.create(&[]);
        self.rename("Clips/a.mov", "Clips/z.mov");
        self.create(&["--detect-renaming"]);
    }

    /// Returns the exit bits of a command of ours, and the damages of histories.
    fn ours(&self, command: &[&str]) -> (i32, Vec<String>, String) {
        let o = hashmill(self.dir.path(), &[&["mhl"], command, &["--exit-bits", "--json", &self.text("")]].concat());
        let (out, err) = (text(&o.stdout), text(&o.stderr));
        let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let damages = lines.iter().filter(|line| line["verdict"] == "damaged");
        let kinds = damages.map(|line| line["error"]["kind"].as_str().unwrap().to_string()).collect();
        let status = o.status.code().unwrap();
        assert_eq!(lines.last().map(|last| last["status"].as_i64().unwrap()), Some(status.into()), "{out}{err}");
        (status, kinds, out + &err)
    }
}

/// Returns the status with which a command of ascmhl ends for what ours says: what it reports first.
fn status_for(command: &str, bits: i32, damages: &[String]) -> i32 {
    let first = |order: &[(i32, i32)]| order.iter().find(|(bit, _)| bits & bit != 0).map_or(0, |(_, status)| *status);
    let damage = damages.iter().filter_map(|kind| match &**kind {
        "no-history" => Some(30),
        "modified-generation" => Some(31),
        "no-chain" => Some(32),
        "missing-generation" => Some(33),
        // Only `create` says so.
        "lost-history" => None,
        _ => Some(1),
    });
    if let Some(status) = damage.max() {
        return status;
    }
    match command {
        "diff" => first(&[(16, 10), (32, 21), (4 | 8, 1)]),
        "verify" => first(&[(1, 11), (32, 21), (16, 10), (4 | 8, 1)]),
        "verify -dh" => first(&[(2, 12)]),
        _ => first(&[(1, 11), (16, 10), (64, 30), (4 | 8, 1)]),
    }
}

/// What happens to a card, and what both programs say of it.
struct Row {
    name: &'static str,
    happens: fn(&mut Card<'_>),
    /// The bits of `hashmill mhl diff` and `check`.
    diff: i32,
    check: i32,
    /// Where ascmhl says something else: the command, its status, and why.
    but: &'static [(&'static str, i32, &'static str)],
}

const OLDER: &str = "ascmhl compares folders with all generations, also with those before a change was recorded";
const CRASH: &str = "ascmhl ends with an exception if a generation has no digests of folders";
const ROOT: &str = "ascmhl does not count the outermost folder";

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row { name: "nothing", happens: |c| { c.create(&[]); }, diff: 0, check: 0, but: &[] },
    Row { name: "a file changed", happens: |c| { c.create(&[]); c.write("Clips/a.mov", "aab"); }, diff: 0, check: 3, but: &[] },
    Row { name: "a file deleted", happens: |c| { c.create(&[]); c.remove("Clips/a.mov"); }, diff: 16, check: 18, but: &[] },
    Row { name: "a file added", happens: |c| { c.create(&[]); c.write("Clips/new", "n"); }, diff: 32, check: 34, but: &[] },
    Row { name: "a file renamed", happens: |c| { c.create(&[]); c.rename("Clips/a.mov", "Clips/z.mov"); }, diff: 48, check: 50, but: &[] },
    Row { name: "two files swapped", happens: |c| {
        c.create(&[]);
        c.rename("Clips/a.mov", "t");
        c.rename("Clips/b.mov", "Clips/a.mov");
        c.rename("t", "Clips/b.mov");
    }, diff: 0, check: 3, but: &[] },
    Row { name: "all at once", happens: |c| {
        c.create(&[]);
        c.write("Clips/a.mov", "aab");
        c.write("n", "n");
        c.remove("zero");
    }, diff: 48, check: 51, but: &[] },
    Row { name: "a folder renamed", happens: |c| { c.create(&[]); c.rename("Clips/sub", "Clips/sub2"); }, diff: 48, check: 50, but: &[] },
    Row { name: "an empty folder added", happens: |c| { c.create(&[]); fs::create_dir(c.path("Clips/e")).unwrap(); }, diff: 0, check: 2, but: &[] },
    Row { name: "an empty folder removed", happens: |c| { c.create(&[]); fs::remove_dir(c.path("empty")).unwrap(); }, diff: 16, check: 18,
        but: &[("verify -dh", 0, ROOT)] },
    Row { name: "a folder in place of a file", happens: |c| { c.create(&[]); c.remove("Side.txt"); fs::create_dir(c.path("Side.txt")).unwrap(); }, diff: 16, check: 18,
        but: &[("diff", 0, "ascmhl looks at the name only"), ("verify", 0, "the same"), ("verify -dh", 0, ROOT), ("create", 0, "the same")] },
    Row { name: "a file in place of a folder", happens: |c| { c.create(&[]); fs::remove_dir(c.path("empty")).unwrap(); c.write("empty", "x"); }, diff: 48, check: 50,
        but: &[("diff", 21, "ascmhl looks at the name only"), ("verify -dh", 0, ROOT), ("create", 0, "the same"), ("after", 0, "the same")] },
    Row { name: "no history", happens: |_| (), diff: 64, check: 64, but: &[("verify -dh", 0, "ascmhl verifies nothing")] },
    Row { name: "no files", happens: |c| { fs::remove_dir_all(c.path("")).unwrap(); fs::create_dir(c.path("")).unwrap(); c.create(&[]); }, diff: 0, check: 0,
        but: &[("verify", 20, "ascmhl misses a file to verify")] },
    Row { name: "names", happens: |c| {
        for name in ["ü mläut/☃ & <x>", " lead ", "tab\tin", "q\"'o", "[a]*?", "back\\slash"] {
            c.write(name, name);
        }
        c.create(&[]);
        c.write("[a]*?", "changed");
    }, diff: 0, check: 3, but: &[("verify -dh", 0, ROOT)] },
    Row { name: "a link", happens: |c| { symlink("Side.txt", c.path("link")).unwrap(); c.create(&[]); c.write("Side.txt", "x"); }, diff: 0, check: 3,
        but: &[("verify -dh", 0, ROOT)] },
    // The history itself.
    Row { name: "a generation touched", happens: |c| {
        c.create(&[]);
        Card::edit(&c.generations("")[0], |text| text + "\n");
    }, diff: 64, check: 64, but: &[] },
    Row { name: "a generation deleted", happens: |c| { c.create(&[]); fs::remove_file(&c.generations("")[0]).unwrap(); }, diff: 64, check: 64, but: &[] },
    Row { name: "the chain deleted", happens: |c| { c.create(&[]); c.remove("ascmhl/ascmhl_chain.xml"); }, diff: 64, check: 64, but: &[] },
    Row { name: "the chain cut off", happens: |c| {
        c.create(&[]);
        Card::edit(&c.path("ascmhl/ascmhl_chain.xml"), |chain| chain[..chain.len() / 2].into());
    }, diff: 64, check: 64, but: &[] },
    Row { name: "an empty chain", happens: |c| {
        c.write("ascmhl/ascmhl_chain.xml", "<?xml version=\"1.0\"?>\n<ascmhldirectory xmlns=\"urn:ASC:MHL:DIRECTORY:v2.0\"/>\n");
    }, diff: 64, check: 64, but: &[("verify -dh", 0, "ascmhl verifies nothing")] },
    Row { name: "the last generation not in the chain", happens: |c| { c.create(&[]); c.create(&[]); c.unchain(2); }, diff: 0, check: 0, but: &[] },
    Row { name: "the first generation not in the chain", happens: |c| { c.create(&[]); c.create(&[]); c.unchain(1); }, diff: 0, check: 0, but: &[] },
    Row { name: "the last generation not finished", happens: |c| {
        c.create(&[]);
        c.create(&[]);
        c.unchain(2);
        Card::edit(&c.generations("")[1], |text| text[..text.len() / 2].into());
    }, diff: 64, check: 64, but: &[] },
    // Several generations.
    Row { name: "other digests in each generation", happens: |c| { c.create(&["-a", "xxh64"]); c.create(&["-a", "md5"]); c.create(&["-a", "sha1", "-a", "c4"]); }, diff: 0, check: 0, but: &[] },
    Row { name: "other digests, and a file changed", happens: |c| { c.create(&["-a", "xxh64"]); c.create(&["-a", "md5"]); c.write("Clips/a.mov", "aab"); }, diff: 0, check: 3, but: &[] },
    Row { name: "a failure recorded", happens: |c| { c.create(&[]); c.write("Clips/a.mov", "aab"); c.create(&[]); }, diff: 0, check: 1, but: &[("verify -dh", 12, OLDER)] },
    Row { name: "a failure recorded, and the file restored", happens: |c| { c.create(&[]); c.write("Clips/a.mov", "aab"); c.create(&[]); c.write("Clips/a.mov", "aaa"); }, diff: 0, check: 2, but: &[] },
    Row { name: "a failure, and then other digests", happens: |c| { c.create(&["-a", "xxh64"]); c.write("Clips/a.mov", "aab"); c.create(&["-a", "md5"]); c.create(&["-a", "md5"]); }, diff: 0, check: 1, but: &[] },
    Row { name: "a new file recorded", happens: |c| { c.create(&[]); c.write("Clips/new", "n"); c.create(&[]); }, diff: 0, check: 0, but: &[("verify -dh", 12, OLDER)] },
    Row { name: "a missing file recorded", happens: |c| { c.create(&[]); c.remove("Clips/a.mov"); c.create(&[]); }, diff: 16, check: 16, but: &[("verify -dh", 12, OLDER)] },
    Row { name: "a renamed file recorded", happens: |c| c.renamed(), diff: 0, check: 0, but: &[("verify -dh", 12, OLDER)] },
    Row { name: "a renamed file changed", happens: |c| { c.renamed(); c.write("Clips/z.mov", "aab"); }, diff: 0, check: 3, but: &[] },
    Row { name: "a renamed file deleted", happens: |c| { c.renamed(); c.remove("Clips/z.mov"); }, diff: 16, check: 18, but: &[] },
    Row { name: "the old name of a renamed file used again", happens: |c| { c.renamed(); c.write("Clips/a.mov", "aab"); }, diff: 0, check: 3, but: &[] },
    Row { name: "a file renamed twice", happens: |c| { c.renamed(); c.rename("Clips/z.mov", "Clips/y.mov"); c.create(&["--detect-renaming"]); }, diff: 0, check: 0,
        but: &[("diff", 10, "ascmhl follows one renaming"), ("verify", 10, "the same"), ("verify -dh", 12, OLDER), ("create", 10, "the same")] },
    Row { name: "a file renamed back", happens: |c| { c.renamed(); c.rename("Clips/z.mov", "Clips/a.mov"); }, diff: 16, check: 18, but: &[] },
    Row { name: "a file renamed back and recorded", happens: |c| { c.renamed(); c.rename("Clips/z.mov", "Clips/a.mov"); c.create(&["--detect-renaming"]); }, diff: 0, check: 0,
        but: &[("diff", 10, "ascmhl follows one renaming"), ("verify", 10, "the same"), ("verify -dh", 12, OLDER), ("create", 10, "the same")] },
    Row { name: "a renamed folder recorded", happens: |c| { c.create(&[]); c.rename("Clips/sub", "Clips/sub2"); c.create(&["--detect-renaming"]); }, diff: 0, check: 0, but: &[("verify -dh", 12, OLDER)] },
    Row { name: "a renamed folder with folders", happens: |c| { c.create(&[]); c.rename("Clips", "Clips2"); c.create(&["--detect-renaming"]); }, diff: 0, check: 0, but: &[] },
    Row { name: "a single file", happens: |c| { c.create_at(c.maker, "", &[], &["Side.txt"]); }, diff: 32, check: 32, but: &[("verify -dh", 1, CRASH)] },
    Row { name: "a single file in a later generation", happens: |c| { c.create(&[]); c.write("Clips/n", "n"); c.create_at(c.maker, "", &[], &["Clips/n"]); }, diff: 0, check: 0, but: &[("verify -dh", 1, CRASH)] },
    Row { name: "folders without digests", happens: |c| { c.create(&["-n"]); fs::remove_dir(c.path("empty")).unwrap(); }, diff: 16, check: 16, but: &[("verify -dh", 1, CRASH)] },
    // Patterns.
    Row { name: "ignored names", happens: |c| { c.create(&["-i", "*.mov", "-i", "sub/"]); c.write("x.mov", "x"); c.remove("Clips/a.mov"); c.write("Clips/sub/y", "x"); }, diff: 0, check: 0, but: &[] },
    Row { name: "names ignored later", happens: |c| { c.create(&[]); c.create(&["-i", "*.mov"]); c.remove("Clips/a.mov"); }, diff: 0, check: 0, but: &[("verify -dh", 12, OLDER)] },
    Row { name: "names ignored at their place", happens: |c| { c.create(&["-i", "/Side.txt", "-i", "Clips/sub"]); c.write("Side.txt", "x"); c.write("Clips/sub/d", "x"); }, diff: 0, check: 0,
        but: &[("verify", 21, "ascmhl takes such patterns for those of the root of the file system")] },
    // Histories in folders below.
    Row { name: "nested", happens: |c| c.nested(), diff: 0, check: 0, but: &[] },
    Row { name: "nested, a file changed", happens: |c| { c.nested(); c.write("Clips/sub/c", "x"); }, diff: 0, check: 3, but: &[] },
    Row { name: "nested, a file added", happens: |c| { c.nested(); c.write("Clips/sub/n", "x"); }, diff: 32, check: 34, but: &[] },
    Row { name: "nested, a file deleted", happens: |c| { c.nested(); c.remove("Clips/sub/c"); }, diff: 16, check: 18, but: &[] },
    Row { name: "nested, a generation touched", happens: |c| { c.nested(); Card::edit(&c.generations("Clips")[0], |text| text + "\n"); }, diff: 64, check: 64, but: &[] },
    Row { name: "nested, its history deleted", happens: |c| { c.nested(); fs::remove_dir_all(c.path("Clips/ascmhl")).unwrap(); }, diff: 96, check: 96,
        but: &[("diff", 21, "only create misses it"), ("verify", 21, "the same")] },
    Row { name: "nested, gone on by itself", happens: |c| { c.nested(); c.write("Clips/n", "x"); c.create_at(c.maker, "Clips", &[], &[]); }, diff: 0, check: 0, but: &[("verify -dh", 12, OLDER)] },
    Row { name: "nested twice", happens: |c| { c.create_at(c.maker, "Clips/sub", &[], &[]); c.nested(); c.write("Clips/n", "n"); c.create(&[]); }, diff: 0, check: 0, but: &[("verify -dh", 12, OLDER)] },
    Row { name: "nested later", happens: |c| { c.create(&[]); c.nested(); }, diff: 0, check: 0, but: &[] },
    Row { name: "nested, and moved", happens: |c| { c.nested(); c.rename("Clips", "C2"); }, diff: 16, check: 16, but: &[] },
    Row { name: "nested, moved and recorded", happens: |c| { c.nested(); c.rename("Clips", "C2"); c.create(&["--detect-renaming"]); }, diff: 0, check: 0, but: &[] },
    Row { name: "nested, a single folder", happens: |c| { c.nested(); c.write("Clips/sub/n", "n"); c.create_at(c.maker, "", &[], &["Clips/sub"]); }, diff: 0, check: 0, but: &[("verify -dh", 1, CRASH)] },
    Row { name: "nested, with patterns", happens: |c| {
        c.create_at(c.maker, "Clips", &["-i", "*.bak"], &[]);
        c.create(&["-i", "*.tmp"]);
        for name in ["Clips/x.bak", "Clips/x.tmp", "x.tmp"] {
            c.write(name, "x");
        }
    }, diff: 0, check: 0, but: &[("verify", 21, "ascmhl has this in diff only")] },
    Row { name: "nested, another generation under a name", happens: |c| {
        c.nested();
        let generation = c.generations("Clips")[1].clone();
        Card::edit(&generation, |text| text.replace("in-place", "transfer"));
        let id = Digest::from_bytes(HashFormat::C4.algorithm().digest(&fs::read(generation).unwrap()).as_bytes());
        Card::edit(&c.path("Clips/ascmhl/ascmhl_chain.xml"), |chain| {
            let (before, rest) = chain.rsplit_once("<c4>").unwrap();
            format!("{before}<c4>{}{}", hashmill_lists::mhl::digits(HashFormat::C4, &id), &rest[90..])
        });
    }, diff: 64, check: 64, but: &[("diff", 0, "ascmhl reports it without a status"), ("verify", 0, "the same"), ("verify -dh", 0, "the same")] },
    // Both programs in turns.
    Row { name: "in turns", happens: |c| {
        for (maker, options) in [
            (Maker::Theirs, &[][..]), (Maker::Ours, &[]), (Maker::Theirs, &["-a", "md5"]), (Maker::Ours, &["-a", "c4"]), (Maker::Theirs, &[]), (Maker::Ours, &[]),
        ] {
            let (status, said) = c.create_at(maker, "", options, &[]);
            assert_eq!(status, 0, "{said}");
        }
        c.write("Clips/b.mov", "x");
    }, diff: 0, check: 3, but: &[] },
    Row { name: "nested, in turns", happens: |c| {
        for (maker, folder) in [(Maker::Theirs, "Clips"), (Maker::Ours, ""), (Maker::Theirs, ""), (Maker::Ours, "Clips"), (Maker::Theirs, ""), (Maker::Ours, "")] {
            let (status, said) = c.create_at(maker, folder, &[], &[]);
            assert_eq!(status, 0, "{said}");
        }
        c.remove("Clips/sub/c");
    }, diff: 16, check: 18, but: &[] },
];

/// Both programs on histories of both: what each says of them, and of how they go on.
#[test]
fn verdicts() {
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let makers = [Maker::Theirs, Maker::Ours].map(|maker| scope.spawn(move || compare(maker)));
        makers.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn compare(maker: Maker) -> Vec<String> {
    let mut theirs = Theirs::start();
    let mut wrong = Vec::new();
    for row in ROWS {
        let mut card = Card::new(maker, &mut theirs);
        (row.happens)(&mut card);
        let mut say = |what: String| wrong.push(format!("{maker:?}, {}: {what}", row.name));
        let root = card.text("");
        let mut damages = Vec::new();
        for (command, want, ours, args) in [
            ("diff", row.diff, &["diff"][..], &["diff", &root][..]),
            ("verify", row.check & !2, &["check", "-n"], &["verify", &root]),
            ("verify -dh", row.check, &["check"], &["verify", "-dh", &root]),
        ] {
            let (bits, kinds, said) = card.ours(ours);
            let (status, theirs) = card.theirs.run(args);
            let but = row.but.iter().find(|(c, ..)| *c == command).map(|(_, status, _)| *status);
            let expected = but.unwrap_or_else(|| status_for(command, bits, &kinds));
            // Without digests of folders, what is not there is known already.
            let want = if command == "verify -dh" && row.check & !2 == 0 { row.check } else { want };
            if bits != want || status != expected {
                say(format!("{command}: ours {bits} (not {want}), theirs {status} (not {expected})\n{said}{theirs}"));
            }
            damages = kinds;
        }
        let other = if maker == Maker::Ours { Maker::Theirs } else { Maker::Ours };
        if !damages.is_empty() {
            continue;
        }
        // The other program goes on, and says of that what this one does.
        let copy = tempfile::tempdir().unwrap();
        assert!(run(copy.path(), "cp", &["-a", &root, "."], b"").status.success());
        let mut statuses = BTreeMap::new();
        for (maker, dir) in [(maker, None), (other, Some(copy))] {
            if let Some(dir) = dir {
                card.dir = dir;
            }
            let (status, said) = card.create_at(maker, "", &[], &[]);
            statuses.insert(format!("{maker:?}"), (status, said));
            let (bits, kinds, said) = card.ours(&["check", "-n"]);
            let (status, theirs) = card.theirs.run(&["verify", &card.text("")]);
            let but = |command: &str| row.but.iter().find(|(c, ..)| *c == command).map(|(_, status, _)| *status);
            let expected = but("after").or(but("verify")).unwrap_or_else(|| status_for("verify", bits, &kinds));
            if status != expected {
                say(format!("after {maker:?}: ours {bits}, theirs {status} (not {expected})\n{said}{theirs}"));
            }
        }
        let but = row.but.iter().find(|(c, ..)| *c == "create").map(|(_, status, _)| *status);
        let expected = but.unwrap_or_else(|| status_for("create", statuses["Ours"].0, &[]));
        if statuses["Theirs"].0 != expected {
            say(format!("create: {statuses:?}"));
        }
    }
    println!("{maker:?}: {} histories compared", ROWS.len());
    wrong
}

/// What a generation says, apart from times.
fn said(path: &Path) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    read_generation(BufReader::new(fs::File::open(path).unwrap()), |_, part| {
        let part = match part {
            Part::File(File { name, previous, size, mtime, hashes }) => {
                let mtime = mtime.map(|(seconds, _)| seconds);
                // ascmhl leaves out the length of empty files.
                let size = size.filter(|size| *size > 0);
                format!("{} {previous:?} {size:?} {mtime:?} {hashes:?}", name.escape_ascii())
            }
            // Making a generation changes the times of folders.
            Part::Folder(Folder { name, previous, hashes, .. }) => {
                format!("{}/ {previous:?} {hashes:?}", name.escape_ascii())
            }
            // What is referred to has other times in it.
            Part::Reference(name, _) => format!("refers to {}", name[..name.len() - 25].escape_ascii()),
            other => format!("{other:?}"),
        };
        all.insert(part);
    })
    .unwrap();
    all
}

/// The generations of both programs are the same, file by file and folder by folder, in all formats.
#[test]
fn generations_are_the_same() {
    let mut theirs = Theirs::start();
    let mut card = Card::new(Maker::Theirs, &mut theirs);
    for i in 0..60 {
        let folder = ["", "Clips/", "Clips/sub/", "deep/er/and/deeper/", "ünï/", "empty/x/"][i % 6];
        let name = format!("{folder}{}f{i}", ["", "Ä", "z ", "%"][i % 4]);
        card.write(&name, &text(&noise(1 + i * 37, i as u64)).replace('\0', "x"));
    }
    let all = ["-a", "md5", "-a", "c4", "-a", "xxh128", "-a", "sha1", "-a", "xxh3", "-a", "xxh64"];
    let copy = tempfile::tempdir().unwrap();
    assert!(run(copy.path(), "cp", &["-a", &card.text(""), "."], b"").status.success());
    let mut both = Vec::new();
    for maker in [Maker::Theirs, Maker::Ours] {
        if maker == Maker::Ours {
            card.dir = TempDir::with_prefix("other").unwrap();
            assert!(
                run(card.dir.path(), "cp", &["-a", &format!("{}/card", copy.path().display()), "."], b"")
                    .status
                    .success()
            );
        }
        let say = |card: &mut Card<'_>, folder: &str, options: &[&str]| {
            let done = card.create_at(maker, folder, options, &[]);
            assert!([0, 10, 11, 17].contains(&done.0), "{done:?}");
        };
        say(&mut card, "Clips", &["-i", "*.bak", "-a", "xxh64", "-a", "c4"]);
        say(&mut card, "", &all);
        card.write("Clips/sub/c", "changed");
        let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_900_000_000);
        fs::File::options().append(true).open(card.path("Clips/sub/c")).unwrap().set_modified(time).unwrap();
        card.rename("zero", "deep/none");
        card.rename("ünï", "other");
        card.remove("f0");
        say(&mut card, "", &[&all[..], &["--detect-renaming", "-i", "*.tmp"]].concat());
        both.push(
            [card.generations(""), card.generations("Clips")].concat().iter().map(|g| said(g)).collect::<Vec<_>>(),
        );
    }
    let (ours, theirs) = (both.pop().unwrap(), both.pop().unwrap());
    assert_eq!(ours.len(), 5);
    for (i, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>().join("\n");
        let (ours, theirs) = (only(ours, theirs), only(theirs, ours));
        assert!(ours.is_empty() && theirs.is_empty(), "generation {i}: only ours\n{ours}\nonly theirs\n{theirs}");
    }
}

/// Returns a folder with a history of one generation.
fn history() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("t")).unwrap();
    fs::write(dir.path().join("t/a"), "a").unwrap();
    stdout(&hashmill(dir.path(), &["mhl", "create", "t"]));
    dir
}

fn generation(d: &Path) -> PathBuf {
    let mut all = fs::read_dir(d.join("t/ascmhl")).unwrap().map(|e| e.unwrap().path());
    all.find(|path| path.extension().is_some_and(|e| e == "mhl")).unwrap()
}

/// Puts a generation, as it is now, into the chain.
fn sign(d: &Path) {
    let path = generation(d);
    let digest = HashFormat::C4.algorithm().digest(&fs::read(&path).unwrap());
    let name = path.file_name().unwrap().to_str().unwrap();
    let c4 = hashmill_lists::mhl::digits(HashFormat::C4, &digest);
    let chain = format!(
        "<ascmhldirectory xmlns=\"urn:ASC:MHL:DIRECTORY:v2.0\"><hashlist sequencenr=\"1\"><path>{name}</path><c4>{c4}</c4>\
         </hashlist></ascmhldirectory>"
    );
    fs::write(d.join("t/ascmhl/ascmhl_chain.xml"), chain).unwrap();
}

/// What somebody has made to do harm is refused by name, and takes neither memory nor time.
#[test]
fn hostile_histories() {
    let says = |d: &Path, what: &str, bits: i32| {
        for command in ["check", "diff"] {
            let o = hashmill(d, &["mhl", command, "--exit-bits", "t"]);
            let err = text(&o.stderr);
            assert!(err.contains(what) && err.lines().count() < 5, "{command}: {err}");
            assert_eq!(o.status.code(), Some(bits), "{command}: {err}{}", text(&o.stdout));
        }
    };
    let with = |edit: &dyn Fn(&Path)| {
        let dir = history();
        edit(dir.path());
        dir
    };
    let chain = |d: &Path| d.join("t/ascmhl/ascmhl_chain.xml");
    let c4 = "c459dsjfscH38cYeXXYogktxf4Cd9ibshE3BHUo6a58hBXmRQdZrAkZzsWcbWtDg5oQstpDuni4Hirj75GEmTc1sFT";
    for name in ["../../secret", "/etc/passwd", "..", "x/y.mhl"] {
        let dir = with(&|d| {
            fs::write(d.join("secret"), "").unwrap();
            let link =
                format!("<hashlist sequencenr=\"2\"><path>{name}</path><c4>{c4}</c4></hashlist></ascmhldirectory>");
            Card::edit(&chain(d), |chain| chain.replace("</ascmhldirectory>", &link));
        });
        says(dir.path(), &format!("names {name}, which is not in the folder of the history"), 64);
    }
    let dir = with(&|d| {
        let link = format!("<hashlist sequencenr=\"1\"><path>x</path><c4>{c4}</c4></hashlist>");
        Card::edit(&chain(d), |chain| {
            chain.replace("</ascmhldirectory>", &(link.repeat(200_000) + "</ascmhldirectory>"))
        });
    });
    says(dir.path(), "is missing, and the chain names it", 64);
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">]>";
    let dir = with(&|d| Card::edit(&chain(d), |chain| chain.replacen("<ascm", &format!("{bomb}<ascm"), 1)));
    says(dir.path(), "DOCTYPE", 64);
    let dir = with(&|d| {
        Card::edit(&generation(d), |text| text.replacen("<hashlist", &format!("{bomb}<hashlist"), 1));
        sign(d);
    });
    says(dir.path(), "DOCTYPE", 64);
    for name in ["../secret", "/etc/passwd", "x/../../secret"] {
        let dir = with(&|d| {
            fs::write(d.join("secret"), "").unwrap();
            Card::edit(&generation(d), |text| text.replace(">a<", &format!(">{name}<")));
            sign(d);
        });
        says(dir.path(), &format!("names {name}, which is not below the folder"), 36);
    }
    // Links are not followed to a history, and not out of the folder.
    let dir = with(&|d| {
        fs::rename(d.join("t/ascmhl"), d.join("elsewhere")).unwrap();
        symlink("../elsewhere", d.join("t/ascmhl")).unwrap();
    });
    says(dir.path(), "is a symbolic link", 64);
    let o = hashmill(dir.path(), &["mhl", "create", "t"]);
    assert!(
        o.status.code() == Some(1) && text(&o.stderr).contains("there is no new generation"),
        "{}",
        text(&o.stderr)
    );
    let dir = with(&|d| {
        fs::write(d.join("secret"), "a").unwrap();
        fs::remove_file(d.join("t/a")).unwrap();
        symlink("../secret", d.join("t/a")).unwrap();
    });
    let o = hashmill(dir.path(), &["mhl", "check", "-n", "--exit-bits", "t"]);
    assert_eq!(o.status.code(), Some(4), "{}", text(&o.stderr));
    assert!(text(&o.stderr).contains("a: is outside"), "{}", text(&o.stderr));
    let o = hashmill(dir.path(), &["mhl", "create", "--exit-bits", "t"]);
    assert_eq!(o.status.code(), Some(4), "{}", text(&o.stderr));
    let dir = with(&|d| symlink("/etc", d.join("t/link")).unwrap());
    let o = hashmill(dir.path(), &["mhl", "create", "t", "t/link"]);
    assert!(text(&o.stderr).contains("t/link: is a symbolic link to a directory"), "{}", text(&o.stderr));
    // No pattern takes the history itself back.
    let dir = with(&|d| {
        Card::edit(&generation(d), |text| text.replace("</ignore>", "<pattern>!ascmhl</pattern></ignore>"));
        sign(d);
    });
    let o = hashmill(dir.path(), &["mhl", "check", "-n", "--exit-bits", "t"]);
    assert_eq!(o.status.code(), Some(0), "{}{}", text(&o.stdout), text(&o.stderr));
    // What is no file is named.
    let dir = with(&|d| {
        let path = generation(d);
        fs::remove_file(&path).unwrap();
        assert!(run(d, "mkfifo", &[path], b"").status.success());
    });
    says(dir.path(), "is no regular file", 64);
}

/// Names that XML cannot hold: a line each, and the rest is recorded. Their folders have no digests, which would be
/// those of other contents.
#[test]
fn names_that_cannot_be_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir_all(d.join("t/in/ok")).unwrap();
    fs::write(d.join("t/in/ok/x"), "x").unwrap();
    for name in [&b"t/in/\xff"[..], b"t/in/\x01", b"t/in/fine\nname"] {
        fs::write(d.join(OsString::from_vec(name.to_vec())), name).unwrap();
    }
    let o = hashmill(d, &["mhl", "create", "--exit-bits", "t"]);
    assert_eq!(o.status.code(), Some(4), "{}", text(&o.stderr));
    assert_eq!(text(&o.stderr).lines().count(), 2, "{}", text(&o.stderr));
    assert!(text(&o.stderr).contains("names that are not UTF-8") && text(&o.stderr).contains("control characters"));
    let (mut files, mut with, mut without) = (Vec::new(), Vec::new(), Vec::new());
    read_generation(BufReader::new(fs::File::open(generation(d)).unwrap()), |_, part| match part {
        Part::File(file) => files.push(file.name),
        Part::Folder(folder) if folder.hashes.is_empty() => without.push(folder.name),
        Part::Folder(folder) => with.push(folder.name),
        _ => {}
    })
    .unwrap();
    assert_eq!(files, [&b"in/ok/x"[..], b"in/fine\nname"]);
    assert_eq!((with, without), (vec![b"in/ok".to_vec()], vec![b"in".to_vec()]));
    let o = hashmill(d, &["mhl", "check", "--exit-bits", "t"]);
    assert_eq!(o.status.code(), Some(32), "{}{}", text(&o.stdout), text(&o.stderr));
}

/// What killed runs leave: a generation that the chain does not name yet, whole or not, is put right by the next run.
#[test]
fn what_killed_runs_leave() {
    let mut theirs = Theirs::start();
    for is_whole in [true, false] {
        let mut card = Card::new(Maker::Ours, &mut theirs);
        card.create(&[]);
        card.create(&[]);
        card.unchain(2);
        let name = card.generations("")[1].file_name().unwrap().to_str().unwrap().to_string();
        if !is_whole {
            Card::edit(&card.generations("")[1], |text| text[..text.len() / 2].into());
        }
        let (bits, kinds, said) = card.ours(&["check"]);
        match is_whole {
            true => assert!(bits == 0 && said.contains("the next `hashmill mhl create` adds it"), "{said}"),
            false => assert_eq!((bits, &kinds[..]), (64, &["unfinished-generation".to_string()][..]), "{said}"),
        }
        let (status, said) = card.create(&[]);
        assert_eq!(status, if is_whole { 0 } else { 64 }, "{said}");
        let chain = read_chain(BufReader::new(fs::File::open(card.path("ascmhl/ascmhl_chain.xml")).unwrap())).unwrap();
        let numbers: Vec<Option<u64>> = chain.iter().map(|link| link.number).collect();
        assert_eq!(numbers, if is_whole { vec![Some(1), Some(2), Some(3)] } else { vec![Some(1), Some(2)] });
        assert_eq!(card.path("ascmhl").join(format!("{name}.unfinished")).exists(), !is_whole);
        let (bits, _, said) = card.ours(&["check"]);
        assert!(bits == 0 && !said.contains("hashmill: "), "{said}");
        assert_eq!(card.theirs.run(&["verify", &card.text("")]).0, 0);
    }
    // A first generation that was being made.
    let dir = tempfile::tempdir().unwrap();
    let left = dir.path().join("t/.hashmill-0123456789abcdef-0.part");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("0001_t.mhl"), "<").unwrap();
    fs::write(dir.path().join("t/a"), "a").unwrap();
    let kept = dir.path().join("t/.hashmill-0123456789abcdee-0.part");
    fs::create_dir_all(&kept).unwrap();
    fs::write(kept.join("holiday.jpg"), "x").unwrap();
    stdout(&hashmill(dir.path(), &["mhl", "create", "t"]));
    assert!(!left.exists() && kept.exists());
}

/// A name with a line end, which ascmhl indents when it writes it, but understands.
#[test]
fn names_with_line_ends() {
    let mut theirs = Theirs::start();
    let mut card = Card::new(Maker::Ours, &mut theirs);
    card.write("new\nline\r", "x");
    card.create(&[]);
    assert_eq!(card.ours(&["check"]).0, 0);
    for command in [&["verify"][..], &["verify", "-dh"], &["diff"]] {
        let root = card.text("");
        assert_eq!(card.theirs.run(&[command, &[&root]].concat()).0, 0, "{command:?}");
    }
}

/// One run at a time.
#[test]
fn two_runs_at_once() {
    let dir = history();
    let program = hashmill_testing::executable();
    let o = run(dir.path(), "flock", &["t", program, "mhl", "create", "t"], b"");
    assert_eq!(o.status.code(), Some(1));
    assert!(text(&o.stderr).contains("another run is making a generation"), "{}", text(&o.stderr));
}

/// What is printed, and what is recorded besides files.
#[test]
fn output_and_options() {
    let dir = tempfile::tempdir().unwrap();
    let d = dir.path();
    fs::create_dir_all(d.join("t/sub")).unwrap();
    for name in ["a", "b", "sub/c", "sub/x.tmp"] {
        fs::write(d.join("t").join(name), name).unwrap();
    }
    fs::write(d.join("patterns"), "# comment\n\n*.tmp\n").unwrap();
    let author = [
        "--author-name", "A <Nyman>", "--author-email", "a@b.org", "--author-phone", "1", "--author-role", "DIT",
        "--location", "Stage & 3", "--comment", "first",
    ];
    let o =
        hashmill(d, &[&["mhl", "create", "-a", "c4,md5", "--ignore-file", "patterns"], &author[..], &["t"]].concat());
    let out = stdout(&o);
    assert!(out.starts_with("t/ascmhl/0001_t_") && out.ends_with(".mhl: 0 same, 3 new; 7 B read\n"), "{out}");
    let list = fs::read_to_string(generation(d)).unwrap();
    assert!(list.contains("<author role=\"DIT\" email=\"a@b.org\" phone=\"1\">A &lt;Nyman&gt;</author>"), "{list}");
    assert!(list.contains("<location>Stage &amp; 3</location>\n    <comment>first</comment>"), "{list}");
    assert!(list.contains("<pattern>*.tmp</pattern>") && !list.contains("x.tmp<"), "{list}");
    fs::rename(d.join("t/a"), d.join("t/z")).unwrap();
    fs::remove_file(d.join("t/sub/c")).unwrap();
    fs::create_dir(d.join("t/new")).unwrap();
    let o = hashmill(d, &["mhl", "check", "t"]);
    assert_eq!(
        text(&o.stdout),
        "missing     sub/c\nmoved       a -> z\nnew         new/\nt: 1 same, 1 moved, 1 missing; folders: 2 differing; 2 B read\n"
    );
    let o = hashmill(d, &["mhl", "diff", "t"]);
    assert_eq!(text(&o.stdout), "missing     a\nmissing     sub/c\nnew         z\nt: 1 same, 1 new, 2 missing\n");
    let o = hashmill(d, &["mhl", "check", "-q", "t"]);
    assert_eq!(text(&o.stdout), "missing     sub/c\nmoved       a -> z\nnew         new/\n");
    let o = hashmill(d, &["mhl", "check", "--json", "t"]);
    let objects: Vec<Value> = text(&o.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |path: &str| objects.iter().find(|o| o["path"] == path).unwrap_or_else(|| panic!("{path}"));
    assert_eq!((&of("z")["verdict"], &of("z")["from"]), (&"moved".into(), &"a".into()));
    assert_eq!((&of("sub")["verdict"], &of("sub")["folder"]), (&"differs".into(), &true.into()));
    assert_eq!(of(".")["wrong"], "content and structure");
    assert!(of("b")["digests"]["c4"].as_str().unwrap().starts_with("c4"));
    let totals = &objects.last().unwrap()["totals"];
    assert_eq!(
        (&totals["moved"], &totals["folders_differ"], &totals["generations"]),
        (&1.into(), &2.into(), &1.into())
    );
    let o = hashmill(d, &["mhl", "create", "--exit-bits", "t"]);
    assert_eq!(o.status.code(), Some(16), "{}", text(&o.stdout));
    assert!(text(&o.stderr).contains("1 missing file has another name now; --detect-renaming records it"));
    let mut second: Vec<_> = fs::read_dir(d.join("t/ascmhl")).unwrap().map(|e| e.unwrap().path()).collect();
    second.sort();
    let second = fs::read_to_string(&second[1]).unwrap();
    assert!(second.contains("<pattern>*.tmp</pattern>"), "patterns go on: {second}");
    assert!(second.contains("<c4 ") && second.contains("<md5 ") && !second.contains("<xxh"), "so do digests: {second}");
    for (args, what) in [
        (&["create", "-a", "sha256", "t"][..], "'sha256' is no digest of a history: c4, md5"),
        (&["create", "--author-email", "x", "t"], "'x' is no email address"),
        (&["create", "--comment", "a\u{1}", "t"], "the comment has control characters"),
        (&["check", "-i", "a\u{1}", "t"], "has control characters"),
        (&["check", "--ignore-file", "none", "t"], "none: no such file or directory"),
        (&["frob", "t"], "frob"),
    ] {
        let o = hashmill(d, &[&["mhl"], args].concat());
        assert_eq!(o.status.code(), Some(2), "{args:?}: {}", text(&o.stderr));
        assert!(text(&o.stderr).contains(what), "{args:?}: {}", text(&o.stderr));
    }
    for (args, what) in [
        (&["check", "none"][..], "none: no such file or directory"),
        (&["check", "t/b"], "t/b: not a directory"),
        (&["create", "t", "patterns"], "patterns: is not below the folder of the history"),
        (&["create", "t", "t/none"], "t/none: no such file or directory"),
    ] {
        let o = hashmill(d, &[&["mhl"], args].concat());
        assert_eq!(o.status.code(), Some(1), "{args:?}: {}", text(&o.stderr));
        assert!(text(&o.stderr).contains(what), "{args:?}: {}", text(&o.stderr));
    }
}

/// Every digest that any generation has of a file counts, and what is recorded as a failure does not.
#[test]
fn digests_of_all_generations() {
    let dir = history();
    let d = dir.path();
    stdout(&hashmill(d, &["mhl", "create", "-a", "md5", "t"]));
    let mut all = fs::read_dir(d.join("t/ascmhl")).unwrap().map(|e| e.unwrap().path());
    let second = all.find(|path| path.to_str().unwrap().contains("/0002_")).unwrap();
    let mut hashes = Vec::new();
    read_generation(BufReader::new(fs::File::open(second).unwrap()), |_, part| {
        if let Part::File(file) = part {
            hashes.extend(file.hashes.into_iter().map(|h| (h.format, h.action)));
        }
    })
    .unwrap();
    assert_eq!(hashes, [(HashFormat::Md5, Some(Action::Verified)), (HashFormat::Xxh128, Some(Action::Verified))]);
    let o = hashmill(d, &["mhl", "check", "--json", "t"]);
    assert!(
        text(&o.stdout).contains(
            "\"digests\":{\"md5\":\"0cc175b9c0f1b6a831c399e269772661\",\"xxh128\":\"a96faf705af16834e6c632b61e964e1f\"}"
        ),
        "{}",
        text(&o.stdout)
    );
}
