//! Charts as SVG: one look for everything that is measured.
//!
//! What is hashmill's is blue, and nothing else is. Series of different units stand in panels below each other, and
//! what cannot be drawn is named.

use crate::run::{Series, rfc3339};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::time::{Duration, UNIX_EPOCH};
use thiserror::Error;

/// A chart.
#[derive(Debug, Clone)]
pub struct Chart {
    /// Title at the top.
    pub title: String,
    /// Smaller line below the title: the machine and the date.
    pub subtitle: String,
    /// What is drawn, from top to bottom.
    pub panels: Vec<Panel>,
    /// What is not drawn, and why: `12 more algorithms, which are slower`.
    pub left_out: Vec<String>,
}

/// A part of a chart: values of one unit.
#[derive(Debug, Clone)]
pub struct Panel {
    /// Unit of the values: `GB/s`.
    pub unit: String,
    /// The values.
    pub plot: Plot,
}

/// The kinds of panel.
#[derive(Debug, Clone)]
pub enum Plot {
    /// Horizontal bars in groups (one per algorithm), each with the same few bars in the same order.
    Bars(Vec<Group>),
    /// Lines over something.
    Lines {
        /// What is on the x axis.
        over: Axis,
        /// The lines.
        lines: Vec<Line>,
    },
}

/// A group of bars.
#[derive(Debug, Clone)]
pub struct Group {
    /// Name of what the bars have in common.
    pub name: String,
    /// Bars, from top to bottom.
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Debug, Clone)]
pub struct Bar {
    /// Name of what is measured; bars of the same name have the same color.
    pub name: String,
    /// Whether it is hashmill.
    pub ours: bool,
    /// Value, the bar's length.
    pub value: f64,
    /// Interval of the value, marked at the bar's end.
    pub interval: Option<(f64, f64)>,
}

/// One line.
#[derive(Debug, Clone)]
pub struct Line {
    /// Name of what is measured.
    pub name: String,
    /// Whether it is hashmill.
    pub ours: bool,
    /// Points, in any order.
    pub points: Vec<Point>,
}

/// A point of a line.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// Place on the x axis; of a time, seconds since 1970.
    pub x: f64,
    /// Value.
    pub y: f64,
    /// Interval of the value, drawn through the point.
    pub interval: Option<(f64, f64)>,
}

/// What lines are drawn over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// A quantity, on a logarithmic scale: its name, and whether the values are on such a scale, too.
    Quantity(&'static str, bool),
    /// Time, as dates. The values do not start at zero, so that small changes are visible.
    Time,
}

/// Messages by their lengths, the values on a logarithmic scale.
pub const LENGTHS: Axis = Axis::Quantity("message bytes", true);

/// A reason why a chart could not be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChartError {
    /// There is nothing that could be drawn.
    #[error("nothing was measured that could be drawn")]
    Empty,
    /// The plotting library failed.
    #[error("the chart could not be drawn: {0}")]
    Backend(String),
}

/// Colors that color-blind people can tell apart (Okabe and Ito, 2008), without their blues.
const PEERS: [RGBColor; 6] = [
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(213, 94, 0),
    RGBColor(240, 228, 66),
    RGBColor(102, 102, 102),
];

/// What is hashmill's, the first of it before all others.
const OURS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(86, 180, 233), RGBColor(0, 62, 116), RGBColor(158, 202, 225)];

/// Where there is nothing but hashmill, nobody else can be meant by another color.
const ALONE: [RGBColor; 7] = [OURS[0], PEERS[0], PEERS[1], PEERS[2], PEERS[3], PEERS[4], PEERS[5]];

/// Returns at least four colors: for hashmill's series, which may be `alone` in a chart, or for those of others.
fn palette(ours: bool, alone: bool) -> &'static [RGBColor] {
    match (ours, alone) {
        (true, true) => &ALONE,
        (true, false) => &OURS,
        (false, _) => &PEERS,
    }
}

/// The name of what is ours, in series.
const OWN: &str = "hashmill";

/// The unit of ratios.
const RATIO: &str = "×";

const FONT: &str = "sans-serif";
const WIDTH: u32 = 960;

/// Margins of what is below the titles.
const SIDE: i32 = 16;

/// Height of a bar with the gap below it, of the gap below a group, of a line of text.
const BAR: i32 = 18;
const GAP: i32 = 10;
const TEXT: i32 = 22;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

impl Bar {
    /// A bar of hashmill's.
    pub fn ours(name: impl Into<String>, value: f64) -> Bar {
        Bar { name: name.into(), ours: true, value, interval: None }
    }

    /// A bar of something else's.
    pub fn peer(name: impl Into<String>, value: f64) -> Bar {
        Bar { ours: false, ..Bar::ours(name, value) }
    }

    /// Adds the interval, in units that are `scale` times smaller than the bar's.
    pub fn within(self, interval: (f64, f64), scale: f64) -> Bar {
        Bar { interval: Some((interval.0 / scale, interval.1 / scale)), ..self }
    }
}

impl Point {
    /// A point without an interval.
    pub fn at(x: f64, y: f64) -> Point {
        Point { x, y, interval: None }
    }

    /// Adds the interval, in units that are `scale` times smaller than the point's.
    pub fn within(self, interval: (f64, f64), scale: f64) -> Point {
        Point { interval: Some((interval.0 / scale, interval.1 / scale)), ..self }
    }

    /// The lowest and the highest of what is drawn.
    fn ends(&self) -> (f64, f64) {
        self.interval.map_or((self.y, self.y), |(low, high)| (low.min(self.y), high.max(self.y)))
    }
}

impl Panel {
    /// Takes out what cannot be drawn, and returns its names.
    fn drawable(&mut self) -> Vec<String> {
        let mut out = Vec::new();
        match &mut self.plot {
            Plot::Bars(groups) => {
                for g in &mut *groups {
                    g.bars.retain(|b| {
                        let good = b.value.is_finite() && b.value >= 0.0;
                        if !good {
                            out.push(format!("{} {}", g.name, b.name));
                        }
                        good
                    });
                    g.bars
                        .iter_mut()
                        .for_each(|b| b.interval = b.interval.filter(|i| i.0.is_finite() && i.1.is_finite()));
                }
                groups.retain(|g| !g.bars.is_empty());
            }
            Plot::Lines { over, lines } => {
                // A logarithmic scale has no 0.
                let least = if matches!(over, Axis::Quantity(_, true)) { f64::MIN_POSITIVE } else { 0.0 };
                for l in &mut *lines {
                    let all = l.points.len();
                    l.points.retain(|p| p.x.is_finite() && p.x > 0.0 && p.y.is_finite() && p.y >= least);
                    if l.points.len() < all {
                        out.push(format!("{} of {all} points of {}", all - l.points.len(), l.name));
                    }
                    for p in &mut l.points {
                        p.interval = p.interval.filter(|i| i.0 >= least && i.1.is_finite());
                    }
                    l.points.sort_by(|a, b| a.x.total_cmp(&b.x));
                }
                lines.retain(|l| !l.points.is_empty());
            }
        }
        out
    }

    /// Returns the names of what has colors, in order of first appearance, and whether each is hashmill.
    fn names(&self) -> Vec<(&str, bool)> {
        let all: Vec<(&str, bool)> = match &self.plot {
            Plot::Bars(groups) => groups.iter().flat_map(|g| &g.bars).map(|b| (&*b.name, b.ours)).collect(),
            Plot::Lines { lines, .. } => lines.iter().map(|l| (&*l.name, l.ours)).collect(),
        };
        let mut names: Vec<(&str, bool)> = Vec::new();
        for name in all {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// The colors of a chart's series, each with whether its marks are filled: those that share a color differ in that.
struct Colours<'a>(Vec<((&'a str, bool), RGBColor, bool)>);

impl<'a> Colours<'a> {
    fn of(panels: &'a [Panel]) -> Colours<'a> {
        let mut names: Vec<(&str, bool)> = Vec::new();
        for name in panels.iter().flat_map(Panel::names) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let alone = names.iter().all(|n| n.1);
        let (mut own, mut other) = (0, 0);
        let colour = |name: (&'a str, bool)| {
            let (all, i) = (palette(name.1, alone), if name.1 { &mut own } else { &mut other });
            let n = *i;
            *i += 1;
            let round = n / all.len();
            (name, paler(all[n % all.len()], 0.4 * round as f64), round.is_multiple_of(2))
        };
        Colours(names.into_iter().map(colour).collect())
    }

    fn get(&self, name: &str, ours: bool) -> (RGBColor, bool) {
        self.0.iter().find(|c| c.0 == (name, ours)).map_or((OURS[0], true), |c| (c.1, c.2))
    }
}

fn paler(RGBColor(r, g, b): RGBColor, by: f64) -> RGBColor {
    let towards_white = |c: u8| c + (f64::from(255 - c) * by.min(0.8)) as u8;
    RGBColor(towards_white(r), towards_white(g), towards_white(b))
}

impl Chart {
    /// A chart without anything in it.
    pub fn new(title: impl Into<String>, subtitle: impl Into<String>) -> Chart {
        Chart { title: title.into(), subtitle: subtitle.into(), panels: Vec::new(), left_out: Vec::new() }
    }

    /// Adds a bar to the group of this name, in the panel of this unit: the last ones if they are new.
    pub fn bar(&mut self, unit: &str, group: &str, bar: Bar) {
        if !self.panels.iter().any(|p| p.unit == unit && matches!(p.plot, Plot::Bars(_))) {
            self.panels.push(Panel { unit: unit.into(), plot: Plot::Bars(Vec::new()) });
        }
        for panel in self.panels.iter_mut().filter(|p| p.unit == unit) {
            let Plot::Bars(groups) = &mut panel.plot else { continue };
            match groups.iter_mut().find(|g| g.name == group) {
                Some(g) => return g.bars.push(bar),
                None => return groups.push(Group { name: group.into(), bars: vec![bar] }),
            }
        }
    }

    /// Adds a bar for what was measured, called `name`.
    pub fn series(&mut self, group: &str, name: &str, s: &Series) {
        let (scale, unit) = s.unit.scale();
        let interval = s.summary.map(|m| (m.interval.0 / scale, m.interval.1 / scale));
        self.bar(unit, group, Bar { name: name.into(), ours: s.by == OWN, value: s.median() / scale, interval });
    }

    /// Adds a point to the line of this name, in the panel of this unit over this: the last ones if they are new.
    pub fn point(&mut self, unit: &str, over: Axis, line: &str, ours: bool, point: Point) {
        let same = |p: &Panel| p.unit == unit && matches!(&p.plot, Plot::Lines { over: other, .. } if *other == over);
        if !self.panels.iter().any(same) {
            self.panels.push(Panel { unit: unit.into(), plot: Plot::Lines { over, lines: Vec::new() } });
        }
        for panel in self.panels.iter_mut().filter(|p| same(p)) {
            let Plot::Lines { lines, .. } = &mut panel.plot else { continue };
            match lines.iter_mut().find(|l| l.name == line) {
                Some(l) => return l.points.push(point),
                None => return lines.push(Line { name: line.into(), ours, points: vec![point] }),
            }
        }
    }

    /// Renders the chart as an SVG document.
    ///
    /// # Errors
    /// If there is nothing to draw, or the plotting library fails.
    pub fn svg(&self) -> Result<String, ChartError> {
        let mut panels = self.panels.clone();
        let mut left_out = self.left_out.clone();
        left_out.extend(panels.iter_mut().flat_map(Panel::drawable));
        panels.retain(|p| !p.names().is_empty());
        if panels.is_empty() {
            return Err(ChartError::Empty);
        }
        let notes =
            if left_out.is_empty() { Vec::new() } else { folded(&format!("Not drawn: {}.", left_out.join("; "))) };
        let colours = Colours::of(&panels);
        let heights: Vec<i32> = panels.iter().map(Panel::height).collect();
        let height = 60 + heights.iter().sum::<i32>() + TEXT * notes.len() as i32 + 16;
        let mut text = String::new();
        let drawn = (|| -> Drawn {
            let root = SVGBackend::with_string(&mut text, (WIDTH, height as u32)).into_drawing_area();
            root.fill(&WHITE)?;
            let faint = BLACK.mix(0.65);
            root.draw(&Text::new(self.title.clone(), (SIDE, 12), (FONT, 20).into_font()))?;
            root.draw(&Text::new(self.subtitle.clone(), (SIDE, 38), (FONT, 12).into_font().color(&faint)))?;
            let (_, mut rest) = root.margin(0, 0, SIDE, SIDE).split_vertically(60);
            for (panel, height) in panels.iter().zip(heights) {
                let (body, below) = rest.split_vertically(height);
                match &panel.plot {
                    Plot::Bars(groups) => panel.draw_bars(&body, groups, &colours)?,
                    Plot::Lines { over, lines } => panel.draw_lines(&body, *over, lines, &colours)?,
                }
                rest = below;
            }
            for (i, note) in notes.iter().enumerate() {
                rest.draw(&Text::new(note.clone(), (0, TEXT * i as i32), (FONT, 12).into_font().color(&faint)))?;
            }
            root.present()?;
            Ok(())
        })();
        drawn.map_err(|e| ChartError::Backend(e.to_string()))?;
        Ok(text)
    }
}

impl Panel {
    /// Width of the names of groups left of the bars, unless they are so long that they stand above them.
    fn left(groups: &[Group]) -> Option<i32> {
        let longest = groups.iter().map(|g| wide(&g.name)).max().unwrap_or(0);
        (longest + SIDE <= WIDTH as i32 / 3).then_some(longest + SIDE)
    }

    fn height(&self) -> i32 {
        let legend = TEXT * (1 + legend_rows(&self.names()).last().map_or(0, |last| last.2));
        match &self.plot {
            Plot::Bars(groups) => {
                let bars = groups.iter().map(|g| g.bars.len() as i32).sum::<i32>();
                let names = if Panel::left(groups).is_none() { BAR * groups.len() as i32 } else { 0 };
                legend + BAR * bars + GAP * groups.len() as i32 + names + GAP
            }
            Plot::Lines { .. } => legend + 480,
        }
    }

    /// Draws the bars one by one, because the plotting crate's histograms do not support named groups.
    fn draw_bars(&self, body: &Area<'_>, groups: &[Group], colours: &Colours<'_>) -> Drawn {
        let margin = Panel::left(groups);
        let left = margin.unwrap_or(0);
        let right = body.dim_in_pixel().0 as i32 - 90;
        let end_of = |b: &Bar| b.interval.map_or(b.value, |i| i.1.max(b.value));
        let most = groups.iter().flat_map(|g| &g.bars).map(end_of).fold(f64::MIN_POSITIVE, f64::max);
        let at = |value: f64| left + (value / most * f64::from(right - left)) as i32;
        let top = self.legend(body, colours)?;
        // Under ratios, the line at which both are equally fast.
        if self.unit == RATIO && most >= 1.0 {
            let bottom = self.height() - 2 * GAP;
            body.draw(&PathElement::new(vec![(at(1.0), top - 2), (at(1.0), bottom)], BLACK.mix(0.4).stroke_width(1)))?;
        }
        let faint = BLACK.mix(0.65);
        let mut y = top;
        for group in groups {
            let name_at = if margin.is_some() { y + BAR / 2 * group.bars.len() as i32 - 7 } else { y };
            body.draw(&Text::new(group.name.clone(), (0, name_at), (FONT, 13).into_font()))?;
            y += if margin.is_some() { 0 } else { BAR };
            for bar in &group.bars {
                let (colour, _) = colours.get(&bar.name, bar.ours);
                body.draw(&Rectangle::new([(left, y), (at(bar.value).max(left + 1), y + 14)], colour.filled()))?;
                if let Some((low, high)) = bar.interval {
                    body.draw(&PathElement::new(vec![(at(low), y + 7), (at(high), y + 7)], BLACK.stroke_width(2)))?;
                }
                let label = format!("{} {}", significant(bar.value), self.unit);
                body.draw(&Text::new(label, (at(end_of(bar)) + 6, y + 1), (FONT, 12).into_font().color(&faint)))?;
                y += BAR;
            }
            y += GAP;
        }
        Ok(())
    }

    fn draw_lines(&self, body: &Area<'_>, over: Axis, lines: &[Line], colours: &Colours<'_>) -> Drawn {
        let points = || lines.iter().flat_map(|l| &l.points);
        let extent = |f: fn(&Point) -> (f64, f64)| {
            points().map(f).fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(v.0), high.max(v.1)))
        };
        let ((x0, x1), (y0, y1)) = (extent(|p| (p.x, p.x)), extent(Point::ends));
        let below = self.legend(body, colours)?;
        let (_, body) = body.split_vertically(below);
        let mut builder = ChartBuilder::on(&body);
        builder.margin(8).x_label_area_size(40).y_label_area_size(70);
        macro_rules! draw {
            ($chart:expr, $name:expr, $label:expr) => {{
                let mut chart = $chart;
                let mut mesh = chart.configure_mesh();
                mesh.y_desc(&self.unit).y_label_formatter(&|v| significant(*v)).label_style((FONT, 12));
                mesh.x_desc($name).x_label_formatter(&$label).light_line_style(BLACK.mix(0.06)).draw()?;
                if self.unit == RATIO {
                    chart.draw_series(LineSeries::new([(x0, 1.0), (x1, 1.0)], BLACK.mix(0.4).stroke_width(1)))?;
                }
                for line in lines {
                    let (colour, filled) = colours.get(&line.name, line.ours);
                    let style = ShapeStyle { filled, ..colour.stroke_width(2) };
                    let at = line.points.iter().map(|p| (p.x, p.y));
                    let bars = line.points.iter().filter_map(|p| Some((p.x, p.interval?)));
                    let bar = |(x, (low, high))| PathElement::new(vec![(x, low), (x, high)], colour.stroke_width(1));
                    chart.draw_series(LineSeries::new(at.clone(), colour.stroke_width(2)))?;
                    chart.draw_series(bars.map(bar))?;
                    chart.draw_series(at.map(|p| Circle::new(p, 3, style)))?;
                }
            }};
        }
        match over {
            Axis::Quantity(name, log_y) => {
                let (x0, x1) = if x0 < x1 { (x0, x1) } else { (x0 / 2.0, x1 * 2.0) };
                let (x, label) = ((x0..x1).log_scale(), |v: &f64| quantity(*v));
                if log_y {
                    draw!(builder.build_cartesian_2d(x, (y0 / 1.3..y1 * 1.3).log_scale())?, name, label);
                } else {
                    draw!(builder.build_cartesian_2d(x, 0.0..(y1 * 1.15).max(f64::MIN_POSITIVE))?, name, label);
                }
            }
            Axis::Time => {
                // Some room, because there may be only a single time or value.
                let (x_room, y_room) = (((x1 - x0) * 0.03).max(60.0), ((y1 - y0) * 0.2).max(0.05 * y1).max(1e-9));
                let (x, y) = (x0 - x_room..x1 + x_room, (y0 - y_room).max(0.0)..y1 + y_room);
                let days = x1 - x0 > 3.0 * 86400.0;
                let label = |v: &f64| {
                    let text = rfc3339(UNIX_EPOCH + Duration::from_secs_f64(v.clamp(0.0, 1e12)));
                    let part = if days { text.get(..10) } else { text.get(5..16) };
                    part.unwrap_or_default().replace('T', " ")
                };
                draw!(builder.build_cartesian_2d(x, y)?, "", label);
            }
        }
        Ok(())
    }

    /// Draws a patch and a name for each color above the plot. Returns where they end.
    fn legend(&self, body: &Area<'_>, colours: &Colours<'_>) -> Result<i32, Box<dyn std::error::Error>> {
        let names = self.names();
        let rows = legend_rows(&names);
        for ((name, ours), x, row) in &rows {
            let (colour, filled) = colours.get(name, *ours);
            let y = TEXT * row;
            let style = ShapeStyle { filled, ..colour.stroke_width(2) };
            body.draw(&Rectangle::new([(*x, y), (x + 12, y + 12)], style))?;
            body.draw(&Text::new(name.to_string(), (x + 18, y), (FONT, 13).into_font()))?;
        }
        Ok(TEXT * (1 + rows.last().map_or(0, |last| last.2)))
    }
}

/// Returns the place of each name of a legend: x, and the row.
fn legend_rows<'a>(names: &[(&'a str, bool)]) -> Vec<((&'a str, bool), i32, i32)> {
    let (mut x, mut row) = (0, 0);
    let mut places = Vec::new();
    for name in names {
        let long = 18 + wide(name.0) + SIDE;
        if x > 0 && x + long > WIDTH as i32 - 2 * SIDE {
            (x, row) = (0, row + 1);
        }
        places.push((*name, x, row));
        x += long;
    }
    places
}

/// Returns how wide text of 13 pixels is taken to be, which is wider than it is on the whole.
fn wide(text: &str) -> i32 {
    8 * text.chars().count() as i32
}

/// Returns text as lines that are no wider than a chart.
fn folded(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut().filter(|l| wide(l) + wide(word) < WIDTH as i32 - 2 * SIDE) {
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word.into()),
        }
    }
    lines
}

/// Formats a value with three significant digits.
fn significant(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if size >= 100.0 || size == 0.0 => format!("{value:.0}"),
        _ if size >= 10.0 => format!("{value:.1}"),
        _ if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// Formats a quantity: `64`, `16k`, `4M`.
fn quantity(value: f64) -> String {
    match value {
        v if v >= 1_048_576.0 && v % 1_048_576.0 == 0.0 => format!("{}M", v / 1_048_576.0),
        v if v >= 1024.0 && v % 1024.0 == 0.0 => format!("{}k", v / 1024.0),
        v if v >= 1e6 => format!("{v:e}"),
        v => significant(v).trim_end_matches(".00").to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Chart {
        Chart::new("a < b & c", "here, today")
    }

    fn bars(unit: &str) -> Chart {
        let mut chart = empty();
        for (group, ours, theirs) in [("md5", 10.0, 0.75), ("sha256", 5.0, 1.8)] {
            chart.bar(unit, group, Bar::ours("lanes", ours).within((ours * 9e8, ours * 1.1e9), 1e9));
            chart.bar(unit, group, Bar::peer("openssl", theirs));
        }
        chart
    }

    #[test]
    fn every_bar_and_name_is_drawn() {
        let svg = bars("GB/s").svg().unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        let texts = ["a &lt; b &amp; c", "here, today", "md5", "sha256", "lanes", "openssl", "0.750 GB/s", "5.00 GB/s"];
        for text in texts {
            assert!(svg.contains(text), "{text}\n{svg}");
        }
        // The background, one rectangle per bar, and one per color in the legend.
        assert_eq!(svg.matches("<rect").count(), 1 + 4 + 2, "{svg}");
        assert!(!svg.contains("Not drawn"));
    }

    #[test]
    fn series_of_different_units_are_drawn_below_each_other() {
        let mut both = bars("GB/s");
        both.bar("/s", "rsa2048 sign", Bar::peer("openssl", 1800.0));
        let svg = both.svg().unwrap();
        assert!(svg.contains("5.00 GB/s") && svg.contains("1800 /s"), "{svg}");
        // The same name has the same color in all of them.
        assert_eq!(Colours::of(&both.panels).0.len(), 2);
    }

    #[test]
    fn what_cannot_be_drawn_is_named() {
        let mut c = bars("GB/s");
        c.bar("GB/s", "sha1", Bar::ours("lanes", f64::NAN));
        c.left_out.push("12 more".into());
        let svg = c.svg().unwrap();
        assert!(svg.contains("Not drawn: 12 more; sha1 lanes."), "{svg}");

        let mut lines = empty();
        lines.point("GB/s", LENGTHS, "md5", true, Point::at(64.0, 0.0));
        lines.point("GB/s", LENGTHS, "md5", true, Point::at(128.0, 2.0));
        assert!(lines.svg().unwrap().contains("Not drawn: 1 of 2 points of md5."));
    }

    #[test]
    fn long_names_stand_above_their_bars() {
        let mut chart = empty();
        let name = "a table whose title is a sentence of a dozen words or so, too long for a margin";
        chart.bar("s", name, Bar::ours("hashmill", 1.0));
        assert_eq!(Panel::left(&[Group { name: name.into(), bars: Vec::new() }]), None);
        let svg = chart.svg().unwrap();
        assert!(svg.contains(name), "{svg}");
    }

    #[test]
    fn lines_have_points() {
        for log_y in [false, true] {
            let mut lines = empty();
            for (x, y) in [(1024.0, 2.0), (64.0, 1.0), (1_048_576.0, 1.5)] {
                lines.point("GB/s", Axis::Quantity("message bytes", log_y), "sha1", true, Point::at(x, y));
            }
            let svg = lines.svg().unwrap();
            assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
            assert!(svg.contains("message bytes") && svg.contains("sha1"));
        }
        let mut one = empty();
        one.point("GB/s", Axis::Quantity("x", false), "sha1", true, Point::at(64.0, 0.0));
        one.svg().unwrap();
    }

    #[test]
    fn times_are_dates() {
        let day = 86400.0;
        let text = |days: f64, n: u32| {
            let mut chart = empty();
            for i in 0..n {
                let at = Point::at(1.775e9 + f64::from(i) * days * day, 2.0 + f64::from(i));
                chart.point("GB/s", Axis::Time, "md5", true, at.within((at.y - 0.5, at.y + 0.5), 1.0));
            }
            chart.svg().unwrap()
        };
        let years = text(100.0, 4);
        // 1.775e9 is the end of March 2026. The line, and an interval for each point.
        assert!(years.contains("\n2026-"), "{years}");
        assert_eq!(years.matches("<circle").count(), 4);
        // Hours of a day; one time alone.
        assert!(text(0.1, 4).contains("\n03-31 "), "{}", text(0.1, 4));
        assert!(text(0.0, 1).contains("<circle"));
    }

    #[test]
    fn ours_is_blue_and_nothing_else_is() {
        let mut chart = empty();
        (0..20).for_each(|i| chart.bar("GB/s", "md5", Bar::peer(format!("peer {i}"), 1.0)));
        (0..4).for_each(|i| chart.bar("GB/s", "md5", Bar::ours(format!("avx{i}"), 1.0)));
        let colours = Colours::of(&chart.panels);
        let of = |i: usize| (colours.0[i].1, colours.0[i].2);
        assert_eq!((20..24).map(|i| of(i).0).collect::<Vec<_>>(), OURS);
        for i in 0..24 {
            assert!((0..i).all(|j| of(i) != of(j)), "{:?}", colours.0[i].0);
        }
        // Kernels alone may have all colors.
        let mut chart = empty();
        (0..7).for_each(|i| chart.bar("GB/s", "md5", Bar::ours(format!("avx{i}"), 1.0)));
        let colours = Colours::of(&chart.panels);
        assert_eq!(colours.0[0].1, OURS[0]);
        assert!((1..7).all(|i| PEERS.contains(&colours.0[i].1)));
    }

    #[test]
    fn a_line_where_both_are_equal() {
        let lines = |c: Chart| c.svg().unwrap().matches("<polyline").count();
        assert_eq!(lines(bars(RATIO)), lines(bars("GB/s")) + 1);
    }

    #[test]
    fn nothing_is_an_error() {
        assert_eq!(empty().svg(), Err(ChartError::Empty));
        let mut lines = empty();
        lines.point("s", LENGTHS, "a", true, Point::at(64.0, f64::NAN));
        assert_eq!(lines.svg(), Err(ChartError::Empty));
    }
}
