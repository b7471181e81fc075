//! Rows of loops: those of engines, or of the library in this program, take turns in slices.

use super::Done;
use super::file::{By, Rows, Suite};
use super::inputs::Inputs;
use super::library::Library;
use hashmill_measure::child::{ChildError, Program};
use hashmill_measure::engine::{self, Engine, Known, Loop, Runner};
use hashmill_measure::paired::Plan;
use hashmill_measure::run::{Pairing, Series, Unit};
use hashmill_measure::{suite, sys};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What the library in this program is called in suites.
pub(super) const HERE: &str = "rust";

/// The parameter of ours that says which of several loops it is.
const LOOP: &str = "loop";

/// What runs loops, by the names that the suite gives.
pub(super) struct Runners {
    all: BTreeMap<String, Box<dyn Runner>>,
}

/// A loop and what runs it.
type Side<'a> = (&'a dyn Runner, &'a Loop);

impl Runners {
    /// Starts the engines of these names; `again` if they have been started before, and so built. Also returns why some
    /// could not be started.
    pub(super) fn start(suite: &Suite, names: &BTreeSet<&str>, inputs: &Inputs, again: bool) -> (Runners, Vec<String>) {
        let mut all: BTreeMap<String, Box<dyn Runner>> = BTreeMap::new();
        let mut failed = Vec::new();
        for name in names {
            let started = match suite.engines.get(*name) {
                None => Ok(Box::new(Library::new()) as Box<dyn Runner>),
                Some(arguments) => inputs
                    .arguments(arguments)
                    .and_then(|all| start(name, suite, &all, again).map_err(|e| e.to_string()))
                    .map(|engine| Box::new(engine) as Box<dyn Runner>),
            };
            match started {
                Ok(runner) => drop(all.insert((*name).to_string(), runner)),
                Err(e) => failed.push(e),
            }
        }
        (Runners { all }, failed)
    }

    fn find(&self, by: &By, case: &str) -> Option<Side<'_>> {
        let runner = &**self.all.get(&by.engine)?;
        runner.loops().iter().find(|l| l.by == by.by && l.case == case).map(|l| (runner, l))
    }

    /// Returns the loops of a case: all of ours, and those of the others that there are.
    fn sides(&self, table: &Rows, case: &str) -> Option<(Vec<Side<'_>>, Vec<Side<'_>>)> {
        let ours: Option<Vec<_>> = table.ours.iter().map(|by| self.find(by, case)).collect();
        // Names are between backticks, and what follows a comma is the length.
        let name = case.trim_start_matches('`').split(['`', ',']).next().unwrap_or_default();
        let other = table.alias.get(name).map_or_else(|| case.to_string(), |other| case.replacen(name, other, 1));
        let theirs: Vec<_> = table.theirs.iter().filter_map(|by| self.find(by, &other)).collect();
        ours.filter(|_| !theirs.is_empty()).map(|ours| (ours, theirs))
    }

    /// Returns the cases that a table is about.
    pub(super) fn cases(&self, table: &Rows) -> Vec<String> {
        let Some(first) = table.ours.first() else { return Vec::new() };
        let Some(runner) = self.all.get(&first.engine) else { return Vec::new() };
        let cases = runner.loops().iter().filter(|l| l.by == first.by).map(|l| &l.case);
        let wanted = |case: &&String| table.cases.is_empty() || table.cases.iter().any(|c| case.starts_with(&**c));
        cases.filter(|case| wanted(case) && self.sides(table, case).is_some()).cloned().collect()
    }

    /// Returns what of the cases of a table names no loop of its engine.
    pub(super) fn unknown<'t>(&self, table: &'t Rows) -> Vec<&'t str> {
        let Some(first) = table.ours.first() else { return Vec::new() };
        let Some(runner) = self.all.get(&first.engine) else { return Vec::new() };
        let is_known = |text: &str| runner.loops().iter().any(|l| l.by == first.by && l.case.starts_with(text));
        table.cases.iter().map(|c| &**c).filter(|c| !is_known(c)).collect()
    }

    /// Measures a case, ours against all of the others. Returns `None` if that was interrupted.
    pub(super) fn row(
        &self,
        table: &Rows,
        case: &str,
        pairs: usize,
        known: &mut Known,
    ) -> Result<Option<Done>, String> {
        let (ours, theirs) = self.sides(table, case).ok_or("an engine does not have it")?;
        let all = [&ours[..], &theirs[..]].concat();
        let plan = Plan { pairs, ..Plan::default() };
        let plan = Plan { slice: table.slice.map_or(plan.slice, Duration::from_micros), ..plan };
        let rotation = engine::rotate(&all, ours.len(), !table.parallel, known, &plan).map_err(|e| e.to_string())?;
        let Some(rotation) = rotation.filter(|_| !sys::interrupted()) else { return Ok(None) };
        let series = |side: usize| {
            let (runner, of) = all[side];
            let nanoseconds = rotation.rates[side].iter().map(|rate| of.bytes as f64 / rate * 1e9).collect();
            let series = Series::of(&of.case, &of.by, runner.name(), Unit::Nanoseconds, nanoseconds);
            let series = series.mode(table.name.clone()).bytes(of.bytes);
            if side < ours.len() { Series { by: "hashmill".into(), ..series.parameter(LOOP, &of.by) } } else { series }
        };
        // As many turns as take a tenth of a second.
        let allocated = |side: usize| {
            let (runner, of) = all[side];
            runner.allocated()?;
            let seconds = of.bytes as f64 / rotation.summary(side)?.median;
            let turns = (0.1 / seconds).clamp(1.0, 100.0) as u64;
            runner.run(of, turns).ok().and_then(|_| runner.allocated())
        };
        let sides = 0..all.len();
        let pairing = |(a, b): (usize, usize)| Pairing::new(a, b, rotation.ratios(a, b));
        let pairings = sides.clone().skip(ours.len()).flat_map(|b| (0..ours.len()).map(move |a| (a, b)));
        Ok(Some(Done {
            table: table.name.clone(),
            what: case.into(),
            pairs,
            start: 0,
            columns: if ours.len() > 1 { table.ours.iter().map(|of| of.by.clone()).collect() } else { Vec::new() },
            column: 0,
            series: sides.clone().map(series).collect(),
            pairings: pairings.map(pairing).collect(),
            rows: vec![suite::Row { what: case.into(), ..suite::Row::default() }],
            allocated: sides.map(allocated).collect(),
            each_pair: false,
        }))
    }
}

/// Keeps only the fastest of the others of a loop, by all that was measured. Other tables stay as they are.
pub(super) fn against_the_fastest(table: &Rows, mut done: Done) -> Done {
    let ours = table.ours.len();
    if ours == 0 {
        return done;
    }
    let others = ours..done.series.len();
    let Some(fastest) = others.min_by(|a, b| done.series[*a].median().total_cmp(&done.series[*b].median())) else {
        return done;
    };
    let both = done.allocated.first().copied().flatten().zip(done.allocated.get(fastest).copied().flatten());
    done.pairings.retain(|p| p.b == fastest);
    done.pairings.iter_mut().for_each(|p| p.b = ours);
    done.series.swap(ours, fastest);
    done.series.truncate(ours + 1);
    for row in &mut done.rows {
        (row.pairings, row.allocated) = ((0..done.pairings.len()).map(Some).collect(), both);
    }
    done
}

/// Starts an engine of a suite.
fn start(name: &str, suite: &Suite, arguments: &[String], again: bool) -> Result<Engine, ChildError> {
    let (program, rest) = arguments.split_first().map_or(("", &[][..]), |(p, rest)| (&**p, rest));
    let path = suite.beside(program);
    let program = Program { peer: name, path: path.as_os_str(), remedy: "it is named in the suite" };
    let mut command = program.command();
    command.args(rest).envs(again.then_some((engine::BUILT, "1")));
    Engine::start(&program, &mut command)
}
