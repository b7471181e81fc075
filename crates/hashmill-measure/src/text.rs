//! Text tables.

use comfy_table::{CellAlignment, Table, presets};

/// Formats rows of cells as columns two spaces apart. Columns for which `left` returns true are left-aligned, the
/// others right-aligned. A row may have fewer cells than others.
pub fn aligned(rows: &[Vec<String>], left: impl Fn(usize) -> bool) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).add_rows(rows);
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if i == 0 { 0 } else { 2 }, 0));
        column.set_cell_alignment(if left(i) { CellAlignment::Left } else { CellAlignment::Right });
    }
    table.lines().map(|line| line.trim_end().to_string() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".into(), "bb".into(), "1".into()], vec!["ccc".into(), "×".into(), "22".into()]];
        assert_eq!(aligned(&rows, |c| c < 2), "a    bb   1\nccc  ×   22\n");
        assert_eq!(aligned(&[rows[0].clone(), vec!["long".into()]], |_| true), "a     bb  1\nlong\n");
        assert_eq!(aligned(&[], |_| false), "");
    }
}
