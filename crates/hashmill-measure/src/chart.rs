//! Charts as SVG.

use plotters::coord::Shift;
use plotters::prelude::*;
use thiserror::Error;

/// A chart.
#[derive(Debug, Clone)]
pub struct Chart {
    /// Title at the top.
    pub title: String,
    /// Smaller line below the title: the machine and the date.
    pub subtitle: String,
    /// Unit of the values: `GB/s`.
    pub unit: String,
    /// The values.
    pub plot: Plot,
}

/// The kinds of chart.
#[derive(Debug, Clone)]
pub enum Plot {
    /// Horizontal bars in groups (one per algorithm), each with the same few bars in the same order.
    Bars(Vec<Group>),
    /// Lines over a quantity, such as the message length, on a logarithmic scale.
    Lines {
        /// Quantity on the x axis: `message bytes`.
        x: String,
        /// Whether the values are on a logarithmic scale, too.
        log_y: bool,
        /// Name and points of each line.
        lines: Vec<(String, Vec<(f64, f64)>)>,
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
    /// Value, the bar's length.
    pub value: f64,
    /// Interval of the value, marked at the bar's end.
    pub interval: Option<(f64, f64)>,
}

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

/// Colors that color-blind people can tell apart (Okabe and Ito, 2008).
pub const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(240, 228, 66),
    RGBColor(102, 102, 102),
];

/// The unit of ratios.
const RATIO: &str = "×";

const FONT: &str = "sans-serif";
const WIDTH: u32 = 960;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

impl Chart {
    /// Renders the chart as an SVG document.
    ///
    /// # Errors
    /// If there is nothing to draw, or the plotting library fails.
    pub fn svg(&self) -> Result<String, ChartError> {
        let finite = |v: f64| v.is_finite() && v >= 0.0;
        let mut text = String::new();
        let height = match &self.plot {
            Plot::Bars(groups) => {
                let bars: Vec<&Bar> = groups.iter().flat_map(|g| &g.bars).collect();
                if bars.is_empty() || !bars.iter().all(|b| finite(b.value)) {
                    return Err(ChartError::Empty);
                }
                120 + 18 * bars.len() as u32 + 10 * groups.len() as u32 + 22 * names(groups).len() as u32
            }
            Plot::Lines { lines, .. } => {
                let mut points = lines.iter().flat_map(|l| &l.1).peekable();
                if points.peek().is_none() || !points.all(|p| finite(p.0) && finite(p.1)) {
                    return Err(ChartError::Empty);
                }
                540 + 22 * lines.len() as u32
            }
        };
        let drawn = (|| -> Drawn {
            let root = SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area();
            root.fill(&WHITE)?;
            root.draw(&Text::new(self.title.clone(), (16, 12), (FONT, 20).into_font()))?;
            root.draw(&Text::new(self.subtitle.clone(), (16, 38), (FONT, 12).into_font().color(&BLACK.mix(0.65))))?;
            let body = root.margin(60, 12, 16, 16);
            match &self.plot {
                Plot::Bars(groups) => self.bars(&body, groups)?,
                Plot::Lines { x, log_y, lines } => self.lines(&body, x, *log_y, lines)?,
            }
            root.present()?;
            Ok(())
        })();
        drawn.map_err(|e| ChartError::Backend(e.to_string()))?;
        Ok(text)
    }

    /// Draws the bars one by one, because the plotting crate's histograms do not support named groups.
    fn bars(&self, body: &Area, groups: &[Group]) -> Drawn {
        let names = names(groups);
        let (width, _) = body.dim_in_pixel();
        let longest = groups.iter().map(|g| g.name.chars().count()).max().unwrap_or(0) as i32;
        let left = (longest * 8 + 16).min(width as i32 / 3);
        let right = width as i32 - 90;
        let ends = groups.iter().flat_map(|g| &g.bars).map(|b| b.interval.map_or(b.value, |i| i.1.max(b.value)));
        let most = ends.fold(f64::MIN_POSITIVE, f64::max);
        let at = |value: f64| left + (value / most * f64::from(right - left)) as i32;
        let colours = colours(&names);
        let mut y = if names.len() > 1 { legend(body, &colours, left, 4)? } else { 4 };
        // Under ratios, the line at which both are equally fast.
        if self.unit == RATIO && most >= 1.0 {
            let bottom = y + groups.iter().map(|g| 18 * g.bars.len() as i32 + 10).sum::<i32>() - 10;
            body.draw(&PathElement::new(vec![(at(1.0), y - 2), (at(1.0), bottom)], BLACK.mix(0.4).stroke_width(1)))?;
        }
        let faint = BLACK.mix(0.65);
        for group in groups {
            let middle = y + 9 * group.bars.len() as i32 - 7;
            let name = Text::new(group.name.clone(), (0, middle), (FONT, 13).into_font());
            body.draw(&name)?;
            for bar in &group.bars {
                let colour = colours.iter().find(|c| c.0 == bar.name).map_or(COLOURS[0], |c| c.1);
                body.draw(&Rectangle::new([(left, y), (at(bar.value).max(left + 1), y + 14)], colour.filled()))?;
                if let Some((low, high)) = bar.interval {
                    body.draw(&PathElement::new(vec![(at(low), y + 7), (at(high), y + 7)], BLACK.stroke_width(2)))?;
                }
                let end = at(bar.interval.map_or(bar.value, |i| i.1.max(bar.value)));
                let label = format!("{} {}", significant(bar.value), self.unit);
                body.draw(&Text::new(label, (end + 6, y + 1), (FONT, 12).into_font().color(&faint)))?;
                y += 18;
            }
            y += 10;
        }
        Ok(())
    }

    fn lines(&self, body: &Area, x: &str, log_y: bool, lines: &[(String, Vec<(f64, f64)>)]) -> Drawn {
        let points = || lines.iter().flat_map(|l| l.1.iter().copied());
        let extent = |f: fn((f64, f64)) -> f64| {
            points().map(f).fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(v), high.max(v)))
        };
        let ((x0, x1), (y0, y1)) = (extent(|p| p.0.max(1e-9)), extent(|p| p.1));
        let (x0, x1) = if x0 < x1 { (x0, x1) } else { (x0 / 2.0, x1 * 2.0) };
        let names: Vec<&str> = lines.iter().map(|l| &*l.0).collect();
        let colours = colours(&names);
        let below = legend(body, &colours, 70, 4)?;
        let (_, body) = body.split_vertically(below);
        let mut builder = ChartBuilder::on(&body);
        builder.margin(8).x_label_area_size(40).y_label_area_size(70);
        macro_rules! draw {
            ($chart:expr) => {{
                let mut chart = $chart;
                chart
                    .configure_mesh()
                    .x_desc(x)
                    .y_desc(&self.unit)
                    .x_label_formatter(&|v| quantity(*v))
                    .y_label_formatter(&|v| significant(*v))
                    .label_style((FONT, 12))
                    .light_line_style(BLACK.mix(0.06))
                    .draw()?;
                if self.unit == RATIO {
                    chart.draw_series(LineSeries::new([(x0, 1.0), (x1, 1.0)], BLACK.mix(0.4).stroke_width(1)))?;
                }
                for ((_, points), (_, colour)) in lines.iter().zip(&colours) {
                    chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?;
                    chart.draw_series(points.iter().map(|p| Circle::new(*p, 3, colour.filled())))?;
                }
            }};
        }
        if log_y {
            let low = y0.max(y1 * 1e-9).max(f64::MIN_POSITIVE);
            draw!(builder.build_cartesian_2d((x0..x1).log_scale(), (low / 1.3..y1 * 1.3).log_scale())?);
        } else {
            draw!(builder.build_cartesian_2d((x0..x1).log_scale(), 0.0..(y1 * 1.15).max(f64::MIN_POSITIVE))?);
        }
        Ok(())
    }
}

/// Returns the color of each name: ours is always the same, and nobody else has it. What else is ours is paler.
fn colours<'a>(names: &[&'a str]) -> Vec<(&'a str, RGBColor)> {
    let mut others = COLOURS[1..].iter().cycle();
    let mut pale = 0.0;
    let colour = |name: &&'a str| {
        if !name.starts_with("hashmill") {
            return (*name, *others.next().unwrap_or(&COLOURS[1]));
        }
        let towards_white = |c: u8| c + (f64::from(255 - c) * pale) as u8;
        let RGBColor(r, g, b) = COLOURS[0];
        let mixed = RGBColor(towards_white(r), towards_white(g), towards_white(b));
        pale = (pale + 0.35_f64).min(0.7);
        (*name, mixed)
    };
    names.iter().map(colour).collect()
}

/// Draws a patch and a name for each color, in rows from `y` down, and returns where they end. Names are taken to be as
/// wide as text of this size is on the whole, so none lies over another.
fn legend(body: &Area, colours: &[(&str, RGBColor)], left: i32, y: i32) -> Result<i32, Box<dyn std::error::Error>> {
    let width = body.dim_in_pixel().0 as i32;
    let (mut x, mut y) = (left, y);
    for (name, colour) in colours {
        let long = 18 + 8 * name.chars().count() as i32 + 16;
        if x > left && x + long > width {
            (x, y) = (left, y + 22);
        }
        body.draw(&Rectangle::new([(x, y), (x + 12, y + 12)], colour.filled()))?;
        body.draw(&Text::new(name.to_string(), (x + 18, y), (FONT, 13).into_font()))?;
        x += long;
    }
    Ok(y + 26)
}

/// Returns the names of the bars in order of first appearance.
fn names(groups: &[Group]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for bar in groups.iter().flat_map(|g| &g.bars) {
        if !names.contains(&bar.name.as_str()) {
            names.push(&bar.name);
        }
    }
    names
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

    fn chart(plot: Plot) -> Chart {
        Chart { title: "a < b & c".into(), subtitle: "here, today".into(), unit: "GB/s".into(), plot }
    }

    #[test]
    fn every_bar_and_name_is_drawn() {
        let bar = |name: &str, value| Bar { name: name.into(), value, interval: Some((value * 0.9, value * 1.1)) };
        let groups = vec![
            Group { name: "md5".into(), bars: vec![bar("ours", 10.0), bar("theirs", 0.75)] },
            Group { name: "sha256".into(), bars: vec![bar("ours", 5.0), bar("theirs", 1.8)] },
        ];
        let svg = chart(Plot::Bars(groups)).svg().unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        for text in ["a &lt; b &amp; c", "here, today", "md5", "sha256", "ours", "theirs", "0.750 GB/s", "5.00 GB/s"] {
            assert!(svg.contains(text), "{text}\n{svg}");
        }
        // The background, one rectangle per bar, and one per color in the legend.
        assert_eq!(svg.matches("<rect").count(), 1 + 4 + 2, "{svg}");
    }

    #[test]
    fn lines_have_points() {
        for log_y in [false, true] {
            let lines = vec![("sha1".to_string(), vec![(64.0, 1.0), (1024.0, 2.0), (1_048_576.0, 1.5)])];
            let svg = chart(Plot::Lines { x: "message bytes".into(), log_y, lines }).svg().unwrap();
            assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
            assert!(svg.contains("message bytes") && svg.contains("sha1"));
        }
        let one = vec![("sha1".to_string(), vec![(64.0, 0.0)])];
        chart(Plot::Lines { x: "x".into(), log_y: false, lines: one }).svg().unwrap();
    }

    #[test]
    fn ours_has_a_color_of_its_own() {
        let of = |names: &[&str]| colours(names).iter().map(|c| c.1).collect::<Vec<_>>();
        assert_eq!(of(&["openssl", "hashmill"])[1], COLOURS[0]);
        let many: Vec<String> = (0..20).map(|i| format!("peer {i}")).collect();
        let many: Vec<&str> = many.iter().map(|n| &**n).chain(["hashmill sum", "hashmill sum -j 1"]).collect();
        let all = of(&many);
        assert!(all[..20].iter().all(|c| *c != COLOURS[0]) && all[20] == COLOURS[0] && all[21] != COLOURS[0]);
    }

    #[test]
    fn a_line_where_both_are_equal() {
        let bars = vec![Bar { name: "hashmill".into(), value: 2.0, interval: None }];
        let groups = vec![Group { name: "md5".into(), bars }];
        let ratio = Chart { unit: RATIO.into(), ..chart(Plot::Bars(groups.clone())) };
        let lines = |c: Chart| c.svg().unwrap().matches("<polyline").count();
        assert_eq!(lines(ratio), lines(chart(Plot::Bars(groups))) + 1);
    }

    #[test]
    fn nothing_is_an_error() {
        assert_eq!(chart(Plot::Bars(Vec::new())).svg(), Err(ChartError::Empty));
        let lines = vec![("a".to_string(), vec![(1.0, f64::NAN)])];
        assert_eq!(chart(Plot::Lines { x: "x".into(), log_y: false, lines }).svg(), Err(ChartError::Empty));
    }
}
