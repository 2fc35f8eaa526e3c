//! What criterion has just measured, read back from its files, and tables of it.

use comfy_table::{CellAlignment, Table, presets};
use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Where criterion writes: beside what else is built.
pub fn home() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("criterion")
}

/// Medians in nanoseconds, by group and function.
pub struct Medians(HashMap<(String, String), f64>);

impl Medians {
    /// Those of the benchmarks that were run since `started`.
    pub fn since(started: SystemTime) -> Medians {
        let mut found = HashMap::new();
        for function in entries(&home()).iter().flat_map(|group| entries(group)) {
            let folder = function.join("new");
            let estimates = folder.join("estimates.json");
            let written = fs::metadata(&estimates).and_then(|m| m.modified());
            if written.is_ok_and(|time| time >= started)
                && let Some((name, median)) = read(&folder)
            {
                found.insert(name, median);
            }
        }
        Medians(found)
    }

    /// None if it was not run.
    pub fn get(&self, group: &str, function: &str) -> Option<f64> {
        let name = (group.to_owned(), function.to_owned());
        self.0.get(&name).copied()
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = fs::read_dir(folder).into_iter().flatten().flatten();
    read.map(|entry| entry.path()).collect()
}

fn read(folder: &Path) -> Option<((String, String), f64)> {
    let json = |name: &str| -> Option<serde_json::Value> {
        serde_json::from_slice(&fs::read(folder.join(name)).ok()?).ok()
    };
    let benchmark = json("benchmark.json")?;
    let text = |key: &str| Some(benchmark[key].as_str()?.to_owned());
    let median = json("estimates.json")?["median"]["point_estimate"].as_f64()?;
    Some(((text("group_id")?, text("function_id")?), median))
}

/// A table in Markdown, numbers to the right of names.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(header.iter().copied());
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A figure, or a dash where there is none.
pub fn number(x: Option<f64>) -> String {
    match x {
        Some(x) if x.abs() < 100.0 => format!("{x:.2}"),
        Some(x) => format!("{x:.0}"),
        None => "–".to_owned(),
    }
}
