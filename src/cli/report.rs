//! Telling people: diagnostics and errors on standard error, with colour where it is a terminal.

use super::Refused;
use fuseline::drawfile::run::{Engines, RunError, Session};
use fuseline_hlsl::{diagnostic::Diagnostics, source::SourceMap};
use fuseline_runtime::{ClipStatistics, Statistics, results::Results};
use std::{
    fmt::Display,
    io::{ErrorKind, IsTerminal, Write},
    path::Path,
    time::Duration,
};

/// Whether standard error shows colour: a terminal, and NO_COLOR is not set.
pub fn color() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// Writes a line for programs or people to standard output. Whoever reads it may stop reading.
pub fn say(text: impl Display) -> Result<(), Refused> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Err(Refused(format!("error: cannot write standard output: {e}")))
        }
        _ => Ok(()),
    }
}

/// Tells an error.
pub fn error(message: &str) {
    eprintln!("{message}");
}

/// Tells the diagnostics of a shader; where `quiet`, only errors.
pub fn diagnostics(sources: &SourceMap, diagnostics: &Diagnostics, quiet: bool) {
    if quiet && !diagnostics.has_errors() {
        return;
    }
    let text = diagnostics.render_text(sources, color());
    if !text.trim().is_empty() {
        eprintln!("{}", text.trim_end());
    }
}

/// Tells what a draw file was accepted with.
pub fn warnings(session: &Session) {
    let compiled = session.compiled();
    diagnostics(&compiled.sources, &compiled.diagnostics, false);
    draw_warnings(session);
}

/// The same without those of the shader.
pub fn draw_warnings(session: &Session) {
    for warning in session.warnings() {
        eprintln!("{warning}");
    }
}

/// An error of a run as it is told, with colour where that shows.
pub fn run_error(error: &RunError) -> Refused {
    Refused(match error {
        RunError::Shader(failed) => failed
            .diagnostics
            .render_text(&failed.sources, color())
            .trim_end()
            .to_owned(),
        other => other.to_string(),
    })
}

/// Tells what the draws of a file did.
pub fn statistics(path: &Path, results: &[Results], engines: Engines, time: Duration) {
    let total: Statistics = results.iter().map(|r| r.statistics()).sum();
    let rows: usize = results.iter().map(|r| r.rows()).sum();
    let who = match engines {
        Engines::Jit => "JIT, compiling included",
        Engines::Interpreter => "interpreter",
        Engines::Both => "both engines, equal in every bit",
    };
    eprintln!(
        "{}: {} draws, {rows} rows in {:.2} ms ({who})",
        path.display(),
        results.len(),
        time.as_secs_f64() * 1e3
    );
    eprint!(
        "IAVertices {}, IAPrimitives {}, VSInvocations {}",
        total.ia_vertices, total.ia_primitives, total.vs_invocations
    );
    let clip: ClipStatistics = results.iter().map(Results::clip_statistics).sum();
    if clip.c_invocations > 0 {
        let came_out = match clip.c_primitives {
            Some(count) => count.to_string(),
            None => "depends on the guard band".to_owned(),
        };
        eprint!(
            ", CInvocations {}, CPrimitives {came_out}",
            clip.c_invocations
        );
    }
    eprintln!();
}
