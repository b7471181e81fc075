//! Jobs that take turns, and the choice of the fastest.

use crate::peer::contract::{Job, PeerError};
use hashmill_measure::paired::{self, Plan, Side};
use std::cell::Cell;
use std::time::Duration;

/// A job that takes turns with others.
pub struct Turn<'a> {
    job: Box<dyn Job + 'a>,
    own_clock: bool,
    time: Cell<Duration>,
    failure: Cell<Option<PeerError>>,
}

impl<'a> Turn<'a> {
    /// Runs the job once, to see whether it works and whose clock counts.
    ///
    /// # Errors
    /// If the peer fails.
    pub fn new(mut job: Box<dyn Job + 'a>) -> Result<Turn<'a>, PeerError> {
        let own_clock = job.run(1)?.is_some();
        Ok(Turn { job, own_clock, time: Cell::new(Duration::ZERO), failure: Cell::new(None) })
    }

    /// Returns the implementation's name and version.
    pub fn version(&self) -> String {
        self.job.version()
    }

    /// Returns the digest of every message.
    ///
    /// # Errors
    /// If the peer fails.
    pub fn digests(&mut self) -> Result<Vec<Vec<u8>>, PeerError> {
        self.job.digests()
    }

    /// Returns a side that takes turns in slices of this length. Each repetition is one message of this many bytes.
    pub fn side(&mut self, bytes: f64, slice: Duration) -> Side<'_> {
        let Turn { job, own_clock, time, failure } = self;
        let (time, failure) = (&*time, &*failure);
        let side = Side::new(bytes, move |times| match job.run(times) {
            Ok(took) => time.set(took.unwrap_or_default()),
            Err(e) => {
                // A failed call must take its time, too, because the repetitions that fill a slice are found by trying.
                std::thread::sleep(slice);
                time.set(slice);
                failure.set(Some(e));
            }
        });
        if *own_clock { side.clock(time) } else { side }
    }

    /// Returns the error that invalidates the measurement, if the job failed along the way.
    pub fn failure(&self) -> Option<PeerError> {
        self.failure.take()
    }
}

/// Rounds and slice length of a trial.
const TRIAL: Plan = Plan { pairs: 5, slice: Duration::from_millis(1), seed: 1 };

/// Returns the index of the fastest job in a short trial, judged by its best slice, because a disturbance can only slow
/// one.
///
/// # Errors
/// If all fail (the error of the first one), or there are none.
pub(super) fn first(turns: &mut [Turn]) -> Result<usize, PeerError> {
    if turns.len() == 1 {
        return Ok(0);
    }
    let rotation = {
        let mut sides: Vec<Side> = turns.iter_mut().map(|t| t.side(1.0, TRIAL.slice)).collect();
        paired::rotate(&mut sides, &TRIAL)
    };
    let best = |i: usize| match &rotation {
        Some(r) => r.rates[i].iter().copied().fold(0.0, f64::max),
        // A SIGINT from the user arrived first.
        None => 0.0,
    };
    let mut failures = Vec::new();
    let mut works = Vec::new();
    for (i, turn) in turns.iter().enumerate() {
        match turn.failure() {
            Some(e) => failures.push(e),
            None => works.push(i),
        }
    }
    let fastest = works.into_iter().max_by(|&a, &b| best(a).total_cmp(&best(b)));
    fastest.ok_or_else(|| failures.into_iter().next().unwrap_or(PeerError::NoMessages))
}

/// Returns the fastest job in a short trial.
pub(super) fn fastest<'a>(jobs: Vec<Box<dyn Job + 'a>>) -> Result<Box<dyn Job + 'a>, PeerError> {
    let mut turns = jobs.into_iter().map(Turn::new).collect::<Result<Vec<_>, _>>()?;
    let i = first(&mut turns)?;
    Ok(turns.swap_remove(i).job)
}
