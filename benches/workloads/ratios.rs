//! The figures that the project is measured by, as tables: what was just measured, put in relation, beside the targets.
//!
//! Reads what criterion wrote. Must not know what a workload does.

use comfy_table::{CellAlignment, Table, presets};
use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// One line of the table of ratios: the first figure over the second, and what it may be.
struct Line {
    what: &'static str,
    /// Group and function.
    of: (&'static str, &'static str),
    to: (&'static str, &'static str),
    /// Both are divided by their group's rows.
    per_row: bool,
    target: Target,
}

enum Target {
    AtMost(f64),
    AtLeast(f64),
}

const fn at_most(
    what: &'static str,
    of: (&'static str, &'static str),
    to: (&'static str, &'static str),
    target: f64,
) -> Line {
    let target = Target::AtMost(target);
    Line {
        what,
        of,
        to,
        per_row: true,
        target,
    }
}

const fn speed_up(group: &'static str) -> Line {
    Line {
        what: "all threads",
        of: (group, "jit"),
        to: (group, "jit, all threads"),
        per_row: false,
        target: Target::AtLeast(1.8),
    }
}

const LINES: &[Line] = &[
    at_most(
        "hand-written AVX-512",
        ("transform", "jit"),
        ("transform", "avx512"),
        1.15,
    ),
    at_most(
        "hand-written AVX-512",
        ("instanced", "jit"),
        ("instanced", "avx512"),
        1.15,
    ),
    at_most(
        "hand-written AVX-512",
        ("skin", "jit"),
        ("skin", "avx512"),
        1.15,
    ),
    at_most(
        "hand-written AVX-512",
        ("lit", "jit"),
        ("lit", "avx512"),
        2.0,
    ),
    at_most(
        "hand-written AVX2",
        ("transform", "jit"),
        ("transform", "avx2"),
        1.15,
    ),
    at_most(
        "hand-written AVX2",
        ("instanced", "jit"),
        ("instanced", "avx2"),
        1.15,
    ),
    at_most("hand-written AVX2", ("skin", "jit"), ("skin", "avx2"), 1.15),
    at_most("hand-written AVX2", ("lit", "jit"), ("lit", "avx2"), 1.2),
    at_most(
        "transform, per unique vertex",
        ("indexed", "jit"),
        ("transform", "jit"),
        1.2,
    ),
    at_most(
        "gathering rows already made",
        ("indexed, expanded", "jit"),
        ("indexed, expanded", "gathering rows"),
        1.3,
    ),
    at_most(
        "transform, per unique vertex",
        ("sparse", "jit"),
        ("transform", "jit"),
        2.0,
    ),
    at_most(
        "its matrices multiplied beforehand",
        ("packed", "jit"),
        ("packed, premultiplied", "jit"),
        1.15,
    ),
    at_most(
        "copying its output",
        ("billboards", "jit"),
        ("billboards", "copy of output"),
        2.0,
    ),
    at_most(
        "one view",
        ("views, 1 of 4", "jit"),
        ("views, 1", "jit"),
        1.05,
    ),
    at_most("one view", ("views, 2", "jit"), ("views, 1", "jit"), 1.6),
    at_most("one view", ("views, 4", "jit"), ("views, 1", "jit"), 2.8),
    speed_up("skin, 65,520 rows"),
    speed_up("lit, 65,520 rows"),
];

/// Groups of the code generation benchmark, and milliseconds that they may take.
const CODE_GENERATION: &[(&str, f64)] = &[
    ("transform", 2.0),
    ("lit", 5.0),
    ("skin", 5.0),
    ("process", 15.0),
];

/// Columns of the table of times.
const COLUMNS: &[&str] = &[
    "copy",
    "avx512",
    "avx2",
    "jit",
    "jit, all threads",
    "glam",
    "interpreter",
];

/// How many rows a workload has, and how many of them the interpreter shades.
pub struct Rows {
    pub name: &'static str,
    pub all: f64,
    pub interpreted: f64,
}

/// Where criterion writes: beside what else is built.
pub fn home() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("criterion")
}

/// Medians in nanoseconds of what was measured since `started`, by group and function.
fn medians(home: &Path, started: SystemTime) -> HashMap<(String, String), f64> {
    let mut found = HashMap::new();
    for group in entries(home) {
        for function in entries(&group) {
            let folder = function.join("new");
            let new = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
            let estimates = folder.join("estimates.json");
            if new(&estimates).is_none_or(|time| time < started) {
                continue;
            }
            let read = |name: &str| -> Option<serde_json::Value> {
                serde_json::from_slice(&fs::read(folder.join(name)).ok()?).ok()
            };
            let (Some(benchmark), Some(figures)) = (read("benchmark.json"), read("estimates.json"))
            else {
                continue;
            };
            let text = |key: &str| benchmark[key].as_str().unwrap_or_default().to_owned();
            if let Some(median) = figures["median"]["point_estimate"].as_f64() {
                found.insert((text("group_id"), text("function_id")), median);
            }
        }
    }
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = fs::read_dir(folder).into_iter().flatten().flatten();
    read.map(|entry| entry.path()).collect()
}

fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(header.iter().copied());
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// All that was measured since `started`: nanoseconds per row, ratios, and code generation.
pub fn tables(home: &Path, started: SystemTime, scenes: &[Rows]) -> String {
    let medians = medians(home, started);
    let median = |group: &str, function: &str| {
        medians
            .get(&(group.to_owned(), function.to_owned()))
            .copied()
    };
    let rows_of = |group: &str| {
        scenes
            .iter()
            .find(|s| s.name == group)
            .map_or(1.0, |s| s.all)
    };

    let mut times = table(&[&["ns per row"], COLUMNS].concat());
    for Rows {
        name,
        all,
        interpreted,
    } in scenes
    {
        let cell = |column: &&str| {
            let rows = if *column == "interpreter" {
                interpreted
            } else {
                all
            };
            median(name, column).map_or("–".to_owned(), |ns| number(ns / rows))
        };
        times.add_row(
            [(*name).to_owned()]
                .into_iter()
                .chain(COLUMNS.iter().map(cell)),
        );
    }

    let mut ratios = table(&["workload", "in relation to", "measured", "aim"]);
    for line in LINES {
        let per = |group: &str| if line.per_row { rows_of(group) } else { 1.0 };
        let figure = |at: (&str, &str)| median(at.0, at.1).map(|ns| ns / per(at.0));
        let (Some(of), Some(to)) = (figure(line.of), figure(line.to)) else {
            continue;
        };
        let aim = match line.target {
            Target::AtMost(x) => format!("≤ {x}"),
            Target::AtLeast(x) => format!("≥ {x}"),
        };
        ratios.add_row([line.of.0, line.what, &number(of / to), &aim]);
    }

    let mut code = table(&["code generation", "ms", "aim"]);
    for name in scenes.iter().map(|s| s.name).chain(["process"]) {
        let Some(ns) = median("code generation", name) else {
            continue;
        };
        let aim = CODE_GENERATION.iter().find(|c| c.0 == name);
        let aim = aim.map_or(String::new(), |(_, ms)| format!("≤ {ms}"));
        code.add_row([name, &number(ns / 1e6), &aim]);
    }
    format!("{times}\n\n{ratios}\n\n{code}\n")
}

fn number(x: f64) -> String {
    match x {
        x if x < 100.0 => format!("{x:.2}"),
        x => format!("{x:.0}"),
    }
}
