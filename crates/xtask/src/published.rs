//! Tables of figures that others published, from `bench/published.json`.

use hashmill_measure::table::Table;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Returns the table of an object: its `columns`, and for each of its `rows` the values in them.
pub(crate) fn table(root: &Path, key: &str) -> Result<String, String> {
    let text = fs::read_to_string(root.join("bench/published.json")).map_err(|e| e.to_string())?;
    let all: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let object = all.pointer(&format!("/{}", key.replace('.', "/"))).ok_or("nothing of that name is published")?;
    let columns = object["columns"].as_array().ok_or("it has no columns")?;
    let rows = object["rows"].as_object().ok_or("it has no rows")?;
    let heads = [""].into_iter().chain(columns.iter().filter_map(Value::as_str));
    let mut table = Table::new("", heads);
    for (name, values) in rows {
        let values = values.as_array().map_or(std::slice::from_ref(values), Vec::as_slice);
        table.row([name.clone()].into_iter().chain(values.iter().map(shown)));
    }
    Ok(table.markdown())
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), String::from)
}
