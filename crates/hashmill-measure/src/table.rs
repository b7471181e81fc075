//! Tables: what is in their cells, apart from how they are shown.

use comfy_table::{CellAlignment, presets};
use console::{Term, measure_text_width};

/// A table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Table {
    /// What stands above it.
    pub title: String,
    /// Names of the columns. Columns whose name begins with `<` are aligned to the left, without it, the others to the
    /// right; the first is always on the left.
    columns: Vec<(String, bool)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Begins a table with these columns, of which those whose names begin with `<` are aligned to the left, as the
    /// first is in any case.
    pub fn new<'a>(title: impl Into<String>, columns: impl IntoIterator<Item = &'a str>) -> Table {
        let columns = columns.into_iter().enumerate();
        let column = |(i, name): (usize, &str)| {
            let left = name.strip_prefix('<');
            (left.unwrap_or(name).to_string(), i == 0 || left.is_some())
        };
        Table { title: title.into(), columns: columns.map(column).collect(), rows: Vec::new() }
    }

    /// Adds a row. Cells that it lacks are empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let mut cells: Vec<String> = cells.into_iter().collect();
        cells.resize(self.columns.len(), String::new());
        self.rows.push(cells);
    }

    /// Returns whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the table as text of at most `width` columns if that can be: otherwise each row becomes lines of its
    /// own, one a cell.
    pub fn text(&self, width: usize) -> String {
        let head: Vec<String> = self.columns.iter().map(|c| c.0.clone()).collect();
        let all: Vec<Vec<String>> = std::iter::once(head).chain(self.rows.iter().cloned()).collect();
        let text = aligned(&all, |i| self.columns.get(i).is_some_and(|c| c.1));
        let text = if text.lines().all(|line| measure_text_width(line) <= width) { text } else { self.lines() };
        if self.title.is_empty() { text } else { format!("{}\n{text}", self.title) }
    }

    /// Returns the table as text that fits the terminal, if stdout is one.
    pub fn show(&self) -> String {
        self.text(Term::stdout().size_checked().map_or(usize::MAX, |(_, columns)| columns.into()))
    }

    /// Returns a line for every cell.
    fn lines(&self) -> String {
        let name = self.columns.iter().skip(1).map(|c| measure_text_width(&c.0)).max().unwrap_or(0);
        let mut text = String::new();
        for row in &self.rows {
            text += &format!("{}\n", row[0]);
            for ((column, _), cell) in self.columns.iter().zip(row).skip(1).filter(|(_, cell)| !cell.is_empty()) {
                text += &format!("  {column:name$}  {cell}\n");
            }
        }
        text
    }

    /// Returns the table in Markdown, without its title.
    pub fn markdown(&self) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let mut text = line(self.columns.iter().map(|c| escaped(&c.0)).collect()).replace("|  |", "| |");
        text += &format!(
            "|{}|\n",
            self.columns.iter().map(|c| if c.1 { "---" } else { "--:" }).collect::<Vec<_>>().join("|")
        );
        for row in &self.rows {
            text += &line(row.iter().map(|cell| escaped(cell)).collect());
        }
        text
    }
}

/// Formats rows of cells as columns two spaces apart. Columns for which `left` returns true are left-aligned, the
/// others right-aligned. A row may have fewer cells than others.
fn aligned(rows: &[Vec<String>], left: impl Fn(usize) -> bool) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(presets::NOTHING).add_rows(rows);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if i == 0 { 0 } else { 2 }, 0));
        column.set_cell_alignment(if left(i) { CellAlignment::Left } else { CellAlignment::Right });
    }
    table.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

/// Returns the text of a cell without what would end it.
fn escaped(cell: &str) -> String {
    cell.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new("Times", ["", "theirs", "ours", "<version"]);
        table.row(["`md5sum`".into(), "2.0 s".into(), "180 ms".into(), "9.1".into()]);
        table.row(["a|b".into(), "1 s".into()]);
        table
    }

    #[test]
    fn as_text() {
        let want = "Times\n          theirs    ours  version\n`md5sum`   2.0 s  180 ms  9.1\na|b          1 s\n";
        assert_eq!(table().text(80), want);
        let narrow = "Times\n`md5sum`\n  theirs   2.0 s\n  ours     180 ms\n  version  9.1\na|b\n  theirs   1 s\n";
        assert_eq!(table().text(20), narrow);
    }

    #[test]
    fn as_markdown() {
        let want = "| | theirs | ours | version |\n|---|--:|--:|---|\n| `md5sum` | 2.0 s | 180 ms | 9.1 |\n| a\\|b | 1 s |  |  |\n";
        assert_eq!(table().markdown(), want);
    }
}
