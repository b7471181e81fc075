//! Lets the kernels of one algorithm take turns at one length.

use super::{Task, at_once};
use hashmill::{Algorithm, Engine, KernelInfo};
use hashmill_measure::clock::hide;
use hashmill_measure::paired::{self, Plan, Rotation, Side, core_clock};
use hashmill_measure::run::{Findings, Pairing, Series, Unit};
use hashmill_measure::stats::Summary;
use hashmill_peers::peer::{Best, PeerError};
use serde::Serialize;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Parameters of the measurement.
pub(super) struct How {
    /// Target length of a slice.
    pub(super) slice: Duration,
    /// Number of rounds; if not set, as many as fit into the time.
    pub(super) rounds: Option<usize>,
    /// Seconds per row.
    pub(super) time: f64,
}

impl How {
    /// Returns the plan for sides whose repetitions take this long.
    pub(super) fn plan(&self, each: &[Duration]) -> Plan {
        let round: Duration = each.iter().map(|d| self.slice.max(*d)).sum();
        let fitting = self.time * each.len() as f64 / round.as_secs_f64();
        let pairs = self.rounds.unwrap_or((fitting as usize).clamp(6, 10_000));
        Plan { pairs, slice: self.slice, ..Plan::default() }
    }
}

/// Returns a side that computes the digest of one message.
pub(super) fn one_stream<'a>(engine: impl Into<Engine>, message: &'a [u8]) -> Side<'a> {
    let engine = engine.into();
    let mut digest = vec![0; engine.algorithm().digest_len()];
    Side::new(message.len() as f64, move |times| {
        let message = hide(message);
        for _ in 0..times {
            // This cannot fail, because `digest` has the right length.
            let _ = engine.digest_into(message, &mut digest);
            black_box(&mut digest);
        }
    })
}

/// Returns a side that computes the digests of all messages.
pub(super) fn many<'a>(engine: Engine, messages: &'a [&'a [u8]]) -> Side<'a> {
    let bytes: usize = messages.iter().map(|m| m.len()).sum();
    Side::new(bytes as f64, move |times| {
        for _ in 0..times {
            drop(black_box(engine.digest_many(black_box(messages))));
        }
    })
}

/// A kernel and how many messages it gets at once.
struct Way {
    forced: Engine,
    info: KernelInfo,
    messages: usize,
    /// Time of one repetition during the check.
    once: Duration,
    /// Whether it has a row.
    wanted: bool,
}

/// The kernels of one algorithm at one length.
pub(super) struct Group<'a> {
    algorithm: Algorithm,
    bytes: usize,
    ways: Vec<Way>,
    messages: Vec<&'a [u8]>,
    /// Time that one message took the peer; `None` if there is no peer that agrees with us.
    peer_once: Option<Duration>,
}

impl<'a> Group<'a> {
    pub(super) fn new(task: &Task, bytes: usize, data: &'a [u8]) -> Group<'a> {
        let wanted = |k: &KernelInfo| task.kernels.iter().any(|t| t.name == k.name);
        let kernels = task.algorithm.kernels().into_iter();
        let kernels: Vec<KernelInfo> = kernels.filter(|k| k.available && (wanted(k) || k.name == "portable")).collect();
        // All kernels get the same messages, because more of them would not fit into the caches.
        let many = at_once(kernels.iter().map(|k| k.lanes).max().unwrap_or(1), bytes);
        let ways: Vec<Way> = kernels
            .into_iter()
            .filter_map(|info| {
                let forced = task.algorithm.with_kernel(info.name).ok()?;
                let messages = if info.lanes == 1 { 1 } else { many / info.lanes * info.lanes };
                Some(Way { forced, messages, once: Duration::ZERO, wanted: wanted(&info), info })
            })
            .collect();
        let most = ways.iter().map(|w| w.messages).max().unwrap_or(1);
        let messages = data.chunks_exact(bytes).take(most).collect();
        Group { algorithm: task.algorithm, bytes, ways, messages, peer_once: None }
    }

    /// Compares all digests with those of `portable`. What differs is left out and reported.
    pub(super) fn check(&mut self, peer: &mut Option<Best>) -> Vec<String> {
        let name = self.algorithm.name();
        let mut problems = Vec::new();
        let Ok(portable) = self.algorithm.with_kernel("portable") else { return problems };
        let right = portable.digest_many(&self.messages);
        let mut differs = |whose: &str, i: usize| {
            problems.push(format!(
                "{name}: {whose}: its digest of message {i} of {} bytes is not that of portable",
                self.bytes
            ));
        };
        self.ways.retain_mut(|way| {
            let messages = &self.messages[..way.messages];
            let start = Instant::now();
            let digests = way.forced.digest_many(messages);
            way.once = start.elapsed();
            let wrong = (0..messages.len()).find(|&i| digests[i] != right[i]);
            wrong.inspect(|&i| differs(way.info.name, i)).is_none()
        });
        if let Some(peer) = peer {
            let start = Instant::now();
            match peer.turn.digests() {
                Err(e) => problems.push(format!("{name}: {e}")),
                Ok(digests) if digests.first().is_some_and(|d| right[0] == **d) => {
                    self.peer_once = Some(start.elapsed())
                }
                Ok(_) => differs(&peer.version, 0),
            }
        }
        problems
    }

    /// Lets the kernels take turns. Returns `None` if a SIGINT from the user arrived first.
    pub(super) fn measure(&self, peer: &mut Option<Best>, how: &How) -> Result<Option<Measured>, PeerError> {
        let mut each = vec![Duration::ZERO];
        let mut sides = vec![core_clock()];
        for way in &self.ways {
            let messages = &self.messages[..way.messages];
            let side =
                if way.info.lanes == 1 { one_stream(way.forced, messages[0]) } else { many(way.forced, messages) };
            // What the others are compared with is not slowed down.
            sides.push(if way.info.name == "portable" { side } else { side.ours() });
            each.push(way.once);
        }
        // A peer that does not agree with us does not take part.
        let mut peer = peer.as_mut().zip(self.peer_once).map(|(peer, once)| {
            each.push(once);
            peer
        });
        if let Some(peer) = &mut peer {
            sides.push(peer.turn.side(self.bytes as f64, how.slice));
        }
        let rotation = paired::rotate(&mut sides, &how.plan(&each));
        drop(sides);
        if let Some(e) = peer.as_ref().and_then(|p| p.turn.failure()) {
            return Err(e);
        }
        let peer = peer.map(|p| (p.kind.word(), p.version.clone()));
        Ok(rotation.and_then(|rotation| {
            let core_hertz = rotation.summary(0)?.median;
            Some(Measured { rotation, core_hertz, peer })
        }))
    }
}

/// Measurements of a group: the core's clock, the kernels, and the peer if there is one.
pub(super) struct Measured {
    pub(super) rotation: Rotation,
    pub(super) core_hertz: f64,
    /// Name and version of the peer.
    peer: Option<(&'static str, String)>,
}

/// A row of the table.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) algorithm: String,
    pub(super) kernel: String,
    pub(super) mode: &'static str,
    pub(super) lanes: usize,
    /// Number of messages at once.
    pub(super) messages: usize,
    /// Bytes of each message.
    pub(super) bytes: usize,
    /// Number of messages from which on the library uses the kernel on this machine.
    pub(super) used_from: Option<usize>,
    /// Bytes per second.
    pub(super) rate: Summary,
    /// Core cycles per byte.
    pub(super) core_cycles: Option<Summary>,
    /// Ticks of the time-stamp counter per byte.
    pub(super) counter_ticks: Option<Summary>,
    pub(super) to_portable: Option<Summary>,
    pub(super) peer: Option<String>,
    pub(super) peer_rate: Option<Summary>,
    pub(super) to_peer: Option<Summary>,
}

impl Measured {
    /// Returns the rows of the table, and adds the measurements to the findings.
    pub(super) fn rows(&self, group: &Group, counter_hertz: f64, findings: &mut Findings) -> Vec<Row> {
        let r = &self.rotation;
        let (name, first) = (group.algorithm.name().into_owned(), findings.series.len());
        // Sides include the core's clock; series start with the first kernel.
        let side_of = |i: usize| i + 1;
        let portable = group.ways.iter().position(|w| w.info.name == "portable");
        let peer = self.peer.as_ref().map(|_| group.ways.len());
        for (i, way) in group.ways.iter().enumerate() {
            let series = Series::ours(&name, way.info.name, Unit::BytesPerSecond, r.rates[side_of(i)].clone());
            let series = match mode(way.info.lanes) {
                lanes @ "lanes" => series.mode(lanes).parameter("messages", way.messages),
                one => series.mode(one),
            };
            findings
                .series
                .push(Series { subtracted_ns: r.subtracted_ns[side_of(i)], ..series.bytes(group.bytes as u64) });
        }
        if let (Some((by, version)), Some(i)) = (&self.peer, peer) {
            let series = Series::of(&name, by, version, Unit::BytesPerSecond, r.rates[side_of(i)].clone());
            let series = series.bytes(group.bytes as u64).mode(mode(1));
            findings.series.push(Series { subtracted_ns: r.subtracted_ns[side_of(i)], ..series });
        }
        let mut rows = Vec::new();
        for (i, way) in group.ways.iter().enumerate() {
            let mut compared = |other: Option<usize>| {
                let other = other.filter(|&o| o != i)?;
                let pairing = Pairing::new(first + i, first + other, r.ratios(side_of(i), side_of(other)));
                let summary = pairing.summary;
                findings.pairings.push(pairing);
                summary
            };
            if !way.wanted {
                continue;
            }
            let (to_portable, to_peer) = (compared(portable), compared(peer));
            let Some(rate) = r.summary(side_of(i)) else { continue };
            let ticks: Vec<f64> = r.rates[side_of(i)].iter().map(|rate| counter_hertz / rate).collect();
            rows.push(Row {
                algorithm: name.clone(),
                kernel: way.info.name.into(),
                mode: mode(way.info.lanes),
                lanes: way.info.lanes,
                messages: way.messages,
                bytes: group.bytes,
                used_from: if way.info.active { Some(1) } else { way.info.from_messages },
                rate,
                core_cycles: Summary::of(&r.ratios(0, side_of(i))),
                counter_ticks: Summary::of(&ticks).filter(|_| counter_hertz > 0.0),
                to_portable,
                peer: self.peer.as_ref().map(|(_, version)| version.clone()),
                peer_rate: peer.and_then(|p| r.summary(side_of(p))),
                to_peer,
            });
        }
        rows
    }
}

/// Returns the mode that kernels with this many lanes are meant for.
pub(super) fn mode(lanes: usize) -> &'static str {
    if lanes == 1 { "one stream" } else { "lanes" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_measure::random::noise;
    use hashmill_peers::peer::{Job, PeerKind, Turn};

    /// A peer with wrong digests.
    struct Liar;

    impl Job for Liar {
        fn version(&self) -> String {
            "Liar 1.0".into()
        }

        fn run(&mut self, _: u64) -> Result<Option<Duration>, PeerError> {
            Ok(None)
        }

        fn digests(&mut self) -> Result<Vec<Vec<u8>>, PeerError> {
            Ok(vec![vec![7; 20]])
        }
    }

    fn task(name: &str) -> Task {
        let algorithm: Algorithm = name.parse().unwrap();
        Task { algorithm, kernels: algorithm.kernels().into_iter().filter(|k| k.available).collect() }
    }

    #[test]
    fn a_peer_that_is_wrong_is_told_and_left_out() {
        let (task, data) = (task("sha1"), noise(1 << 20));
        let mut group = Group::new(&task, 100, &data);
        let turn = Turn::new(Box::new(Liar)).unwrap();
        let mut liar = Some(Best { kind: PeerKind::Crates, version: turn.version(), turn });
        let problems = group.check(&mut liar);
        assert_eq!(problems, ["sha1: Liar 1.0: its digest of message 0 of 100 bytes is not that of portable"]);
        let how = How { slice: Duration::from_micros(100), rounds: Some(3), time: 0.01 };
        let measured = group.measure(&mut liar, &how).unwrap().unwrap();
        let mut findings = Findings::default();
        let rows = measured.rows(&group, 0.0, &mut findings);
        assert_eq!((rows.len(), findings.series.len()), (task.kernels.len(), task.kernels.len()));
        assert!(rows.iter().all(|r| r.peer.is_none() && r.to_peer.is_none() && r.counter_ticks.is_none()));
    }

    #[test]
    fn rounds_fit_into_the_time() {
        let how = How { slice: Duration::from_millis(2), rounds: None, time: 0.1 };
        assert_eq!(how.plan(&[Duration::ZERO; 4]).pairs, 50);
        // One slow side takes time away from the others.
        assert_eq!(how.plan(&[Duration::ZERO, Duration::from_millis(18)]).pairs, 10);
        assert_eq!(how.plan(&[Duration::from_secs(1)]).pairs, 6);
        assert_eq!(How { rounds: Some(3), ..how }.plan(&[Duration::ZERO]).pairs, 3);
    }
}
