//! Engines: programs in other languages that run slices of work and tell how long each took. Which slices take turns,
//! and what follows from their times, is decided here.
//!
//! Both sides write lines of JSON. An engine first says what it is and which loops it can run. A loop does the work of
//! a case in one of several ways, named after who does it:
//!
//! ```text
//! {"protocol":1,"engine":"PHP 8.2.36","loops":[{"case":"md5, 5 bytes","by":"hash","bytes":5}]}
//! ```
//!
//! Each request names a loop and how many times to go round it; the answer is the time in nanoseconds by the engine's
//! own clock, and if it counts these, how many bytes of memory were allocated meanwhile:
//!
//! ```text
//! {"case":"md5, 5 bytes","by":"hash","times":1000}
//! {"ns":812345,"allocated":64000}
//! ```
//!
//! An engine is started several times; from the second time on, the variable `HASHMILL_ENGINE_BUILT` says that it need
//! not be built. It ends at the end of its input. What it prints on stderr before it fails is the reason.

use crate::child::{ChildError, Program, Server};
use crate::paired::{self, Plan, Rotation, Side};
use crate::sys::{self, Cpus};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::process::Command;
use std::time::{Duration, Instant};

/// Version of the protocol.
pub const PROTOCOL: u32 = 1;

/// The variable of the environment that says that an engine has been started before, and so need not be built.
pub const BUILT: &str = "HASHMILL_ENGINE_BUILT";

/// Time that an engine has to start: it may have to be built.
const START: Duration = Duration::from_secs(600);

/// Time that it has to run a slice.
const LIMIT: Duration = Duration::from_secs(60);

/// What an engine says first.
#[derive(Debug, Deserialize)]
struct Hello {
    protocol: u32,
    engine: String,
    loops: Vec<Loop>,
}

/// A loop that an engine can run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// What it does: loops of the same case do the same work.
    pub case: String,
    /// Who does it, or how.
    pub by: String,
    /// Number of bytes that one turn works on.
    pub bytes: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Request<'a> {
    case: Cow<'a, str>,
    by: Cow<'a, str>,
    times: u64,
}

#[derive(Debug, Deserialize)]
struct Answer {
    ns: u64,
    allocated: Option<u64>,
}

/// What runs loops: an engine, or this program itself.
pub trait Runner {
    /// Returns what it is, with its version.
    fn name(&self) -> &str;

    /// Returns what it can run.
    fn loops(&self) -> &[Loop];

    /// Goes round one of its loops as many times as is said. Returns the time that took, by its own clock.
    ///
    /// # Errors
    /// If it fails.
    fn run(&self, which: &Loop, times: u64) -> Result<Duration, ChildError>;

    /// Returns how many bytes one turn of the loop allocated that ran last, if that is counted.
    fn allocated(&self) -> Option<f64> {
        None
    }

    /// Moves it onto CPUs; what runs in this thread goes with it.
    fn stay_on(&self, _: &Cpus) {}
}

/// A running engine.
#[derive(Debug)]
pub struct Engine {
    server: RefCell<Server>,
    name: String,
    loops: Vec<Loop>,
    allocated: Cell<Option<f64>>,
}

impl Engine {
    /// Starts an engine.
    ///
    /// # Errors
    /// If it cannot be started, or does not speak this version of the protocol.
    pub fn start(program: &Program, command: &mut Command) -> Result<Engine, ChildError> {
        let mut server = Server::start(program, command)?;
        let line = server.ask(&[], START)?;
        let Ok(hello) = serde_json::from_str::<Hello>(&line) else { return Err(server.nonsense(&line)) };
        if hello.protocol != PROTOCOL {
            let reason = format!("it speaks version {} of the protocol, not {PROTOCOL}", hello.protocol);
            return Err(program.system(reason));
        }
        let (server, allocated) = (RefCell::new(server), Cell::default());
        Ok(Engine { server, name: hello.engine, loops: hello.loops, allocated })
    }
}

impl Runner for Engine {
    fn name(&self) -> &str {
        &self.name
    }

    fn loops(&self) -> &[Loop] {
        &self.loops
    }

    fn run(&self, Loop { case, by, .. }: &Loop, times: u64) -> Result<Duration, ChildError> {
        let request = Request { case: case.into(), by: by.into(), times };
        let request = serde_json::to_string(&request).unwrap_or_default() + "\n";
        let mut server = self.server.borrow_mut();
        let answer = server.ask(&[request.as_bytes()], LIMIT)?;
        match serde_json::from_str::<Answer>(&answer) {
            Ok(answer) => {
                self.allocated.set(answer.allocated.map(|bytes| bytes as f64 / times as f64));
                Ok(Duration::from_nanos(answer.ns))
            }
            Err(_) => Err(server.nonsense(&answer)),
        }
    }

    fn allocated(&self) -> Option<f64> {
        self.allocated.get()
    }

    fn stay_on(&self, cpus: &Cpus) {
        // Every thread: it may have several, although one works at a time.
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.server.borrow().id()));
        let ids = threads.into_iter().flatten().filter_map(|t| t.ok()?.file_name().to_str()?.parse().ok());
        for thread in ids {
            // One that has ended meanwhile needs no place.
            let _ = sys::set_affinity(thread, cpus);
        }
    }
}

/// Goes round a loop so many times.
pub type Turns = Box<dyn FnMut(u64)>;

/// Runs loops as standard input asks, until it ends: an engine in Rust is a call of this.
///
/// # Errors
/// If a request is not understood, or the answer cannot be written.
pub fn serve(name: &str, loops: &mut [(Loop, Turns)]) -> io::Result<()> {
    let all: Vec<&Loop> = loops.iter().map(|(which, _)| which).collect();
    let mut out = io::stdout().lock();
    writeln!(out, "{}", serde_json::json!({ "protocol": PROTOCOL, "engine": name, "loops": all }))?;
    out.flush()?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let request: Request = serde_json::from_str(&line)?;
        let wanted = |(which, _): &&mut (Loop, Turns)| *which.case == request.case && *which.by == request.by;
        let (_, turns) = loops.iter_mut().find(wanted).ok_or_else(|| io::Error::other(format!("no loop {line}")))?;
        let start = Instant::now();
        turns(request.times);
        writeln!(out, "{}", serde_json::json!({ "ns": start.elapsed().as_nanos() as u64 }))?;
        out.flush()?;
    }
    Ok(())
}

/// How many turns of loops fill a slice, by the names of their runners and their own. A restarted engine does not need
/// to be calibrated again.
pub type Known = BTreeMap<(String, String, String), u64>;

/// Lets loops, each of a runner, take turns; the first so many are ours. `one_cpu` says that none of them uses several
/// CPUs, so that all can be kept on one. Returns `None` if the user interrupted that.
///
/// # Errors
/// If one of them fails.
pub fn rotate(
    loops: &[(&dyn Runner, &Loop)],
    ours: usize,
    one_cpu: bool,
    known: &mut Known,
    plan: &Plan,
) -> Result<Option<Rotation>, ChildError> {
    if let Some(all) = sys::affinity() {
        loops.iter().for_each(|(engine, _)| engine.stay_on(&all));
    }
    let name = |(engine, of): &(&dyn Runner, &Loop)| (engine.name().to_string(), of.case.clone(), of.by.clone());
    let clocks: Vec<Cell<Duration>> = loops.iter().map(|_| Cell::default()).collect();
    let failure = Cell::new(None);
    let mut sides: Vec<Side> = Vec::new();
    for (of, clock) in loops.iter().zip(&clocks) {
        let ((engine, which), failure) = (of, &failure);
        let run = move |times| match engine.run(which, times) {
            Ok(took) => clock.set(took),
            Err(e) => {
                // It has failed for good; the slices that are left take as long as they should.
                clock.set(plan.slice);
                failure.set(Some(e));
            }
        };
        let side = Side::new(which.bytes as f64, run).clock(clock).times(known.get(&name(of)).copied());
        let side = if one_cpu { side.follow(|cpus| engine.stay_on(cpus)) } else { side };
        sides.push(if sides.len() < ours { side.ours() } else { side });
    }
    let rotation = paired::rotate(&mut sides, plan);
    drop(sides);
    if let Some(rotation) = &rotation {
        known.extend(loops.iter().map(name).zip(rotation.times.iter().copied()));
    }
    failure.take().map_or(Ok(rotation), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    const HELLO: &str = r#"{"protocol":1,"engine":"sh 1","loops":[{"case":"a","by":"us","bytes":10},{"case":"a","by":"them","bytes":10}]}"#;

    fn engine(script: &str) -> Result<Engine, ChildError> {
        let program = Program { peer: "an engine", path: OsStr::new("sh"), remedy: "install one" };
        Engine::start(&program, program.command().args(["-c", script]))
    }

    #[test]
    fn loops_take_turns() {
        // The second takes three times as long.
        let answer = "while IFS=, read -r case by times; do n=${times#*:}; n=${n%?}; each=1000; \
                      case $by in *them*) each=3000; esac; echo \"{\\\"ns\\\":$((n * each))}\"; done";
        let engine = engine(&format!("echo '{HELLO}'; {answer}")).expect("an engine");
        assert_eq!((engine.name(), engine.loops().len()), ("sh 1", 2));
        let plan = Plan { pairs: 30, ..Plan::default() };
        let loops = engine.loops();
        let loops: [(&dyn Runner, &Loop); 2] = [(&engine, &loops[0]), (&engine, &loops[1])];
        let rotation = rotate(&loops, 1, true, &mut Known::new(), &plan).expect("it runs").expect("not interrupted");
        assert!(rotation.ratios(0, 1).iter().all(|r| (r - 3.0).abs() < 1e-3), "{rotation:?}");
    }

    #[test]
    fn what_is_no_engine() {
        let other = HELLO.replace(":1,", ":2,");
        for (script, why) in [
            ("echo '{}'".to_string(), "an engine answered '{}'"),
            ("echo hello".to_string(), "an engine answered 'hello'"),
            (format!("echo '{other}'"), "an engine: it speaks version 2 of the protocol, not 1"),
            ("echo 'no library' >&2; exit 1".to_string(), "an engine ended: no library"),
        ] {
            assert_eq!(engine(&script).expect_err("nothing").to_string(), why);
        }
        let dies = engine(&format!("echo '{HELLO}'; read -r x; echo 'out of memory' >&2; exit 1")).expect("an engine");
        let plan = Plan { pairs: 3, ..Plan::default() };
        let e = rotate(&[(&dies, &dies.loops[0])], 1, true, &mut Known::new(), &plan).expect_err("it is dead");
        assert_eq!(e.to_string(), "an engine ended: out of memory");
    }
}
