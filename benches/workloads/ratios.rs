//! The figures that the project is measured by, as tables: what was just measured, put in relation, beside the targets.
//!
//! Reads what criterion wrote. Must not know what a workload does.

use crate::measured::{Medians, number, table};
use comfy_table::Table;
use std::time::SystemTime;

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

/// How many rows a workload has, how many of them the interpreter shades, and MiB that a draw takes besides its inputs
/// and outputs.
pub struct Rows {
    pub name: &'static str,
    pub all: f64,
    pub interpreted: f64,
    pub memory: Option<f64>,
}

/// All that was measured since `started`: nanoseconds per row, ratios, and code generation.
pub fn tables(started: SystemTime, scenes: &[Rows]) -> String {
    let medians = Medians::since(started);
    let times = times(&medians, scenes);
    let ratios = ratios(&medians, scenes);
    let code = code_generation(&medians, scenes);
    let memory = memory(scenes);
    format!("{times}\n\n{ratios}\n\n{code}\n\n{memory}\n")
}

fn times(medians: &Medians, scenes: &[Rows]) -> Table {
    let mut table = table(&[&["ns per row"], COLUMNS].concat());
    for scene in scenes {
        let cell = |column: &&str| {
            let rows = match *column {
                "interpreter" => scene.interpreted,
                _ => scene.all,
            };
            number(medians.get(scene.name, column).map(|ns| ns / rows))
        };
        let name = [scene.name.to_owned()].into_iter();
        table.add_row(name.chain(COLUMNS.iter().map(cell)));
    }
    table
}

fn ratios(medians: &Medians, scenes: &[Rows]) -> Table {
    let rows = |group: &str| {
        let scene = scenes.iter().find(|scene| scene.name == group);
        scene.map_or(1.0, |scene| scene.all)
    };
    let mut table = table(&["workload", "in relation to", "measured", "aim"]);
    for line in LINES {
        let figure = |(group, function): (&str, &str)| {
            let rows = if line.per_row { rows(group) } else { 1.0 };
            medians.get(group, function).map(|ns| ns / rows)
        };
        let Some((of, to)) = figure(line.of).zip(figure(line.to)) else {
            continue;
        };
        let aim = match line.target {
            Target::AtMost(x) => format!("≤ {x}"),
            Target::AtLeast(x) => format!("≥ {x}"),
        };
        table.add_row([line.of.0, line.what, &number(Some(of / to)), &aim]);
    }
    table
}

fn code_generation(medians: &Medians, scenes: &[Rows]) -> Table {
    let mut table = table(&["code generation", "ms", "aim"]);
    for name in scenes.iter().map(|scene| scene.name).chain(["process"]) {
        let Some(ns) = medians.get("code generation", name) else {
            continue;
        };
        let aim = CODE_GENERATION.iter().find(|(group, _)| *group == name);
        let aim = aim.map_or(String::new(), |(_, ms)| format!("≤ {ms}"));
        table.add_row([name, &number(Some(ns / 1e6)), &aim]);
    }
    table
}

fn memory(scenes: &[Rows]) -> Table {
    let mut table = table(&["MiB beyond inputs and outputs", "at most", "aim"]);
    for scene in scenes {
        table.add_row([scene.name, &number(scene.memory), "≤ 64"]);
    }
    table
}
