//! Tables of text.

/// Rows of cells as columns two spaces apart; the cells of the columns for which `left` holds begin at the same place,
/// those of the others end there. A row may be shorter than others.
pub(crate) fn aligned(rows: &[Vec<String>], left: impl Fn(usize) -> bool) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cell =
            |(c, (s, &w)): (usize, (&String, &usize))| if left(c) { format!("{s:<w$}") } else { format!("{s:>w$}") };
        let line: Vec<String> = row.iter().zip(&widths).enumerate().map(cell).collect();
        text += line.join("  ").trim_end();
        text.push('\n');
    }
    text
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
