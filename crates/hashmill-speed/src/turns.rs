//! `-peer`: lets ours and the peers take turns on one operation, slice by slice.

use super::data::{Data, Messages};
use super::log::{Log, end_of_line, tell};
use super::options::Options;
use super::report;
use super::time::{Cell, Versus, per_second};
use super::timing::{Op, Task, Timing};
use super::work::{self, By, Work, WorkError, peers_work, rows_own, rows_peer, work};
use hashmill_measure::paired::{self, Plan, Side};
use hashmill_measure::sys;
use hashmill_peers::peer::{Peer, PeerError, PeerKind};
use std::cell::{Cell as Shared, RefCell};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Digest peers that could be opened.
pub(super) struct Peers(BTreeMap<PeerKind, Box<dyn Peer>>);

impl Peers {
    /// Opens the peers, if some row needs them.
    pub(super) fn open(options: &Options, log: &mut Log) -> Peers {
        let digests = options.jobs.iter().any(|j| matches!(j.task, Task::Digest(_)));
        let mut opened = BTreeMap::new();
        for &kind in options.peers.iter().filter(|_| digests) {
            match work::open(kind) {
                Ok(peer) => {
                    opened.insert(kind, peer);
                }
                Err(e) => log.error(format!("peer {e}")),
            }
        }
        Peers(opened)
    }
}

/// Minimum number of rounds, which gives a 95 % interval.
const LEAST: usize = 6;

/// Lets ours and the peers take turns on one operation, for as many seconds as the row has. Announces the measurement
/// when the peers are ready.
pub(super) fn rotate(
    job: &Timing,
    op: Op,
    options: &Options,
    data: &[(String, Data)],
    peers: &mut Peers,
    log: &mut Log,
) -> Result<(By, Cell, Vec<Versus>), WorkError> {
    let size = if let Op::Block(n) = op { n } else { 1 };
    let contents: Vec<Messages> =
        data.iter().map(|(_, data)| data.messages(size, options.misalign)).collect::<Result<_, _>>()?;
    let every: Vec<Vec<&[u8]>> = contents.iter().map(Messages::all).collect();
    let whose = rows_own(job.task, options.primes, options.provider);
    // Each of ours has a peer of its own, if it is one that does the work.
    let mut own_peers: Vec<Option<Box<dyn Peer>>> = Vec::new();
    for _ in data {
        own_peers.push(rows_peer(job.task, whose).map(work::open).transpose()?);
    }
    let mut sides_of_ours: Vec<Work> = Vec::new();
    for ((messages, all), peer) in contents.iter().zip(&every).zip(&mut own_peers) {
        let peer = peer.as_deref_mut().map(|p| p as &mut dyn Peer);
        sides_of_ours.push(work(job, op, whose, options.primes, (messages, all), peer)?);
    }
    let mut ours = sides_of_ours.remove(0);
    let (messages, all) = (&contents[0], &every[0]);
    // Keys have no contents.
    let mut theirs: Vec<Work> = if matches!(op, Op::Block(_)) { sides_of_ours } else { Vec::new() };
    let others = theirs.len();
    let mut lacking: Vec<&str> = Vec::new();
    let mut opened = peers.0.iter_mut().map(|(k, p)| (*k, p)).collect::<BTreeMap<_, _>>();
    for &kind in &options.peers {
        let peer = opened.remove(&kind);
        if matches!(job.task, Task::Digest(_)) && peer.is_none() {
            // It could not be opened, which has already been reported.
            continue;
        }
        if kind.word() == ours.by.by {
            log.once(format!(
                "{}: {} is the implementation being timed: it is not compared with itself",
                job.what,
                kind.word()
            ));
            continue;
        }
        let peer = peer.map(|p| &mut **p as &mut dyn Peer);
        match peers_work(job, op, kind, options.primes, (messages, all), peer) {
            Ok(w) => theirs.push(w),
            Err(WorkError::Peer(_, PeerError::NoDigest { .. })) => lacking.push(kind.word()),
            Err(e) => log.error_once(e.to_string()),
        }
    }
    if !lacking.is_empty() {
        let verb = if lacking.len() == 1 { "does" } else { "do" };
        log.once(format!("{}: {} {verb} not have it", job.what, lacking.join(", ")));
    }
    // Ours is also timed by the clocks that the rows in OpenSSL's format use.
    let count = Shared::new(0u64);
    let (user, wall) = (Shared::new(Duration::ZERO), Shared::new(Duration::ZERO));
    let failed: RefCell<Option<WorkError>> = RefCell::new(None);
    let fail = |by: &By, e: PeerError| {
        *failed.borrow_mut() = Some(WorkError::Peer(format!("{} {} by {}", job.what, op.word(), by.by), e));
    };
    // Run each side once, to see whether it works, how long it takes, and whose clock counts.
    let mut own_clock = Vec::new();
    let slice = Duration::from_millis(3);
    let mut round = Duration::ZERO;
    for w in std::iter::once(&mut ours).chain(&mut theirs) {
        let start = Instant::now();
        let clock = (w.run)(1).map_err(|e| WorkError::Peer(format!("{} by {}", job.what, w.by.by), e))?;
        own_clock.push(clock.map(Shared::new));
        round += start.elapsed().max(slice);
    }
    tell(&report::before(job, op, options));
    let seconds = Duration::from_secs(options.seconds(job).into());
    let pairs = if options.test { 1 } else { (seconds.as_secs_f64() / round.as_secs_f64()) as usize };
    let slice = if options.test { Duration::from_nanos(1) } else { slice };
    let plan = Plan { pairs: pairs.clamp(if options.test { 1 } else { LEAST }, 1_000_000), slice, ..Plan::default() };
    let ours_by = ours.by.clone();
    let their_bys: Vec<By> = theirs.iter().map(|w| w.by.clone()).collect();
    let mut run_ours = ours.run;
    let mut sides = vec![Side::new(op.weight(), |times| {
        let (u, w) = (sys::user_time(), Instant::now());
        let ran = run_ours(times);
        let (w, u) = (w.elapsed(), sys::user_time().saturating_sub(u));
        match ran {
            Ok(_) => {
                count.set(count.get() + times);
                user.set(user.get() + u);
                wall.set(wall.get() + w);
            }
            Err(e) => fail(&ours_by, e),
        }
    })];
    for ((w, by), clock) in theirs.iter_mut().zip(&their_bys).zip(&own_clock[1..]) {
        let run = &mut w.run;
        let fail = &fail;
        let side = Side::new(op.weight(), move |times| match run(times) {
            Ok(took) => {
                if let (Some(took), Some(clock)) = (took, clock) {
                    clock.set(took);
                }
            }
            Err(e) => fail(by, e),
        });
        sides.push(if let Some(clock) = clock { side.clock(clock) } else { side });
    }
    let rotation = paired::rotate(&mut sides, &plan);
    drop(sides);
    if let Some(failure) = failed.borrow_mut().take() {
        tell(end_of_line(options));
        return Err(failure);
    }
    let (user, wall) = (user.get().as_secs_f64(), wall.get().as_secs_f64());
    let seconds = if options.by_wall() { wall } else { user };
    let rate = per_second(count.get() as f64, seconds) * op.weight();
    let mut cell = Cell { count: count.get(), user, wall, seconds, rate, ..Cell::none(op) };
    let Some(rotation) = rotation else { return Ok((ours_by, cell, Vec::new())) };
    if !options.test {
        for warning in rotation.warnings() {
            log.later.push(format!("{} {}: {warning}", job.what, op.word()));
        }
    }
    cell.samples.clone_from(&rotation.rates[0]);
    cell.subtracted_ns = rotation.subtracted_ns[0];
    let versus = their_bys.into_iter().enumerate().map(|(i, by)| Versus {
        by,
        data: (i < others).then(|| data[i + 1].0.clone()),
        rates: rotation.rates[i + 1].clone(),
        subtracted_ns: rotation.subtracted_ns[i + 1],
        ratios: rotation.ratios(0, i + 1),
    });
    Ok((ours_by, cell, versus.collect()))
}
