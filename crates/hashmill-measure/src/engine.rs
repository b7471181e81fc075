//! Engines: programs in other languages that run slices of work and tell how long each took. Which slices take turns,
//! and what follows from their times, is decided here.
//!
//! Both sides write lines of JSON. An engine first says what it is and what it can run:
//!
//! ```text
//! {"protocol":1,"engine":"PHP 8.2.36","cases":[{"name":"hash md5 5","table":"calls","sides":["hashmill","PHP"],"bytes":5}]}
//! ```
//!
//! Each request names a case, a side of it and how many times to run it; the answer is the time in nanoseconds by the
//! engine's own clock:
//!
//! ```text
//! {"case":"hash md5 5","side":0,"times":1000}
//! {"ns":812345}
//! ```
//!
//! An engine ends at the end of its input. What it prints on stderr before it fails is the reason.

use crate::child::{ChildError, Program, Server};
use crate::paired::{Plan, Rotation, Side, rotate};
use serde::{Deserialize, Serialize};
use std::cell::{Cell, RefCell};
use std::process::Command;
use std::time::Duration;

/// Version of the protocol.
pub const PROTOCOL: u32 = 1;

/// Time that an engine has to start: it may have to be built.
const START: Duration = Duration::from_secs(600);

/// Time that it has to run a slice.
const LIMIT: Duration = Duration::from_secs(60);

/// What an engine says first.
#[derive(Debug, Deserialize)]
struct Hello {
    protocol: u32,
    engine: String,
    cases: Vec<Case>,
}

/// Something that an engine can run in two ways, the sides.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// The table that it belongs to.
    pub table: String,
    /// Names of the two sides; the first is ours.
    pub sides: Vec<String>,
    /// Number of bytes that one repetition works on.
    pub bytes: u64,
}

#[derive(Debug, Serialize)]
struct Request<'a> {
    case: &'a str,
    side: usize,
    times: u64,
}

#[derive(Debug, Deserialize)]
struct Answer {
    ns: u64,
}

/// A running engine.
#[derive(Debug)]
pub struct Engine {
    server: Server,
    /// What it is, with its version.
    pub name: String,
    /// What it can run.
    pub cases: Vec<Case>,
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
        // What is compared has two sides.
        if hello.cases.iter().any(|case| case.sides.len() != 2) {
            return Err(server.nonsense(&line));
        }
        Ok(Engine { server, name: hello.engine, cases: hello.cases })
    }

    /// Runs a side of a case as many times as is said. Returns the time by the engine's clock.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn run(&mut self, case: &str, side: usize, times: u64) -> Result<Duration, ChildError> {
        let request = serde_json::to_string(&Request { case, side, times }).unwrap_or_default() + "\n";
        let answer = self.server.ask(&[request.as_bytes()], LIMIT)?;
        match serde_json::from_str::<Answer>(&answer) {
            Ok(answer) => Ok(Duration::from_nanos(answer.ns)),
            Err(_) => Err(self.server.nonsense(&answer)),
        }
    }

    /// Lets the sides of a case take turns. Returns `None` if the user interrupted that.
    ///
    /// # Errors
    /// If the engine fails.
    pub fn rotate(&mut self, case: &Case, plan: &Plan) -> Result<Option<Rotation>, ChildError> {
        let clocks: Vec<Cell<Duration>> = case.sides.iter().map(|_| Cell::default()).collect();
        let (engine, failure) = (RefCell::new(self), Cell::new(None));
        let mut sides: Vec<Side> = Vec::new();
        for (i, clock) in clocks.iter().enumerate() {
            let (engine, failure) = (&engine, &failure);
            let run = move |times| match engine.borrow_mut().run(&case.name, i, times) {
                Ok(took) => clock.set(took),
                Err(e) => {
                    // It has failed for good; the slices that are left take as long as they should.
                    clock.set(plan.slice);
                    failure.set(Some(e));
                }
            };
            sides.push(Side::new(case.bytes as f64, run).clock(clock));
        }
        let rotation = rotate(&mut sides, plan);
        drop(sides);
        failure.take().map_or(Ok(rotation), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    const HELLO: &str =
        r#"{"protocol":1,"engine":"sh 1","cases":[{"name":"a","table":"t","sides":["ours","theirs"],"bytes":10}]}"#;

    fn engine(script: &str) -> Result<Engine, ChildError> {
        let program = Program { peer: "an engine", path: OsStr::new("sh"), remedy: "install one" };
        Engine::start(&program, program.command().args(["-c", script]))
    }

    #[test]
    fn sides_take_turns() {
        // The second side takes three times as long.
        let loop_ = "while IFS=, read -r case side times; do n=${times#*:}; n=${n%?}; s=${side#*:}; \
                     echo \"{\\\"ns\\\":$((n * (1000 + 2000 * s)))}\"; done";
        let mut engine = engine(&format!("echo '{HELLO}'; {loop_}")).expect("an engine");
        assert_eq!((&*engine.name, engine.cases.len()), ("sh 1", 1));
        let case = engine.cases[0].clone();
        let plan = Plan { pairs: 30, ..Plan::default() };
        let rotation = engine.rotate(&case, &plan).expect("it runs").expect("not interrupted");
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
        let mut dies =
            engine(&format!("echo '{HELLO}'; read -r x; echo 'out of memory' >&2; exit 1")).expect("an engine");
        let case = dies.cases[0].clone();
        let e = dies.rotate(&case, &Plan { pairs: 3, ..Plan::default() }).expect_err("it is dead");
        assert_eq!(e.to_string(), "an engine ended: out of memory");
    }
}
