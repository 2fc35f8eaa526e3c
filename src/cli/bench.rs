//! `fuseline bench`: compile time, and nanoseconds per vertex of both engines, with their ratio.

use super::{Common, Refused, report};
use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use fuseline::drawfile::{
    DrawFile,
    run::{Session, Settings},
};
use fuseline_runtime::{Engine, draw::RowStorage, results::Results};
use serde_json::json;
use std::{
    hint::black_box,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Measures draw files.
#[derive(Args, Debug)]
#[command(after_help = "Example: fuseline bench examples/teapot/teapot.draw.toml")]
pub struct Bench {
    /// Draw files
    #[arg(required = true, value_name = "FILE.draw.toml")]
    files: Vec<PathBuf>,
    /// One JSON object per file on standard output
    #[arg(long)]
    json: bool,
    /// Store one full row per index instead of each result once
    #[arg(long)]
    expanded: bool,
    #[command(flatten)]
    common: Common,
}

/// How long each measurement is repeated for, and how often at least and at most.
const TIME: Duration = Duration::from_millis(1500);
const TIMES: std::ops::RangeInclusive<usize> = 3..=41;

struct Figures {
    file: String,
    rows: usize,
    invocations: u64,
    compile_ms: f64,
    /// Threads, and nanoseconds for all draws.
    jit: Vec<(usize, f64)>,
    interpreter: f64,
    copy: f64,
}

impl Bench {
    /// Measures the files.
    pub fn run(self) -> Result<bool, Refused> {
        let storage = if self.expanded {
            RowStorage::Expanded
        } else {
            RowStorage::Shared
        };
        let mut all = Vec::new();
        for path in &self.files {
            let figures = measure(path, &self.common, storage)?;
            if self.json {
                report::say(figures.json())?;
            }
            all.push(figures);
        }
        if !self.json {
            report::say(table(&all))?;
        }
        Ok(true)
    }
}

fn measure(path: &Path, common: &Common, storage: RowStorage) -> Result<Figures, Refused> {
    let one = common.settings(Some(1))?;
    let compile = median(|| {
        let session = open(path, &one)?;
        let start = Instant::now();
        // A fresh device has no kernels; what a draw costs without compiling is subtracted below.
        run(&session, Engine::Jit, storage)?;
        Ok(start.elapsed())
    })?;
    let session = open(path, &one)?;
    let results = run(&session, Engine::Jit, storage)?;
    let rows = results.iter().map(|r| r.rows()).sum();
    let invocations = results.iter().map(|r| r.statistics().vs_invocations).sum();
    let bytes = results.iter().map(Results::stored_bytes).sum::<usize>() + read_bytes(&session);
    drop(results);
    let single = median(|| timed(&session, Engine::Jit, storage))?;
    let mut jit = vec![(1, single)];
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    if threads > 1 {
        let session = open(path, &common.settings(None)?)?;
        run(&session, Engine::Jit, storage)?;
        jit.push((threads, median(|| timed(&session, Engine::Jit, storage))?));
    }
    Ok(Figures {
        file: path.display().to_string(),
        rows,
        invocations,
        compile_ms: (compile - single).max(0.0) / 1e6,
        jit,
        interpreter: median(|| timed(&session, Engine::Interpreter, storage))?,
        copy: copy(bytes),
    })
}

fn open(path: &Path, settings: &Settings) -> Result<Session, Refused> {
    Session::new(DrawFile::read(path)?, settings).map_err(|e| report::run_error(&e))
}

fn run(session: &Session, engine: Engine, storage: RowStorage) -> Result<Vec<Results>, Refused> {
    let draw = |i| {
        session
            .draw_by(i, engine, storage)
            .map_err(|e| report::run_error(&e))
    };
    (0..session.draws()).map(draw).collect()
}

fn timed(session: &Session, engine: Engine, storage: RowStorage) -> Result<Duration, Refused> {
    let start = Instant::now();
    let results = run(session, engine, storage)?;
    let time = start.elapsed();
    black_box(results);
    Ok(time)
}

/// Median of repeated measurements, in nanoseconds.
fn median(mut once: impl FnMut() -> Result<Duration, Refused>) -> Result<f64, Refused> {
    let begin = Instant::now();
    let mut times = Vec::new();
    while times.len() < *TIMES.start() || (begin.elapsed() < TIME && times.len() < *TIMES.end()) {
        times.push(once()?.as_nanos() as f64);
        // One run of a slow engine may take longer than all repetitions should.
        if begin.elapsed() > 4 * TIME {
            break;
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Bytes of the vertex, instance and index data that the draws have bound.
fn read_bytes(session: &Session) -> usize {
    let state = session.state();
    let vertices: usize = state.vertex_buffers.values().map(|v| v.buffer.len()).sum();
    vertices + state.index_buffer.as_ref().map_or(0, |v| v.buffer.len())
}

/// Nanoseconds that moving half of these bytes to the other half takes: `bytes` are read and written in all.
fn copy(bytes: usize) -> f64 {
    let from = vec![1u8; bytes.div_ceil(2)];
    let mut to = vec![0u8; from.len()];
    let mut times: Vec<f64> = (0..9)
        .map(|_| {
            let start = Instant::now();
            black_box(&mut to).copy_from_slice(black_box(&from));
            start.elapsed().as_nanos() as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

impl Figures {
    fn per_row(&self, ns: f64) -> f64 {
        ns / self.rows.max(1) as f64
    }

    fn per_invocation(&self, ns: f64) -> f64 {
        ns / self.invocations.max(1) as f64
    }

    fn speedup(&self) -> f64 {
        self.interpreter / self.jit[0].1
    }

    fn json(&self) -> serde_json::Value {
        let jit = self.jit.iter().map(|(threads, ns)| {
            json!({
                "threads": threads,
                "ns_per_vertex": self.per_row(*ns),
                "ns_per_invocation": self.per_invocation(*ns),
            })
        });
        json!({
            "file": self.file,
            "rows": self.rows,
            "invocations": self.invocations,
            "compile_ms": self.compile_ms,
            "jit": jit.collect::<Vec<_>>(),
            "interpreter": { "threads": 1, "ns_per_vertex": self.per_row(self.interpreter) },
            "speedup": self.speedup(),
            "copy": { "ns_per_vertex": self.per_row(self.copy) },
        })
    }
}

fn table(all: &[Figures]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    table.set_header([
        "file",
        "rows",
        "compile ms",
        "JIT ns/row",
        "JIT, threads",
        "interpreter",
        "speedup",
        "copy",
    ]);
    for f in all {
        let (threads, many) = f.jit[f.jit.len() - 1];
        table.add_row([
            f.file.clone(),
            f.rows.to_string(),
            format!("{:.2}", f.compile_ms),
            format!("{:.2}", f.per_row(f.jit[0].1)),
            format!("{:.2} on {threads}", f.per_row(many)),
            format!("{:.1}", f.per_row(f.interpreter)),
            format!("{:.0}x", f.speedup()),
            format!("{:.2}", f.per_row(f.copy)),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
