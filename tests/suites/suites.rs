//! Public suites and real shader files against Fuseline, from folders where others have checked them out.
//!
//! Nothing of the suites is kept here: each test is read where it lies, turned into a vertex shader where a vertex
//! shader can express it, and run by both engines.

mod engine;
mod interpreter;
mod negative;
mod offload;
mod real;
mod report;
mod text;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo run --release --example suites -- SUITE …

  offload FOLDER [FILTER]       llvm/offload-test-suite: its compute shaders that need only 32-bit types and no groups
  interpreter FOLDER [FILTER]   pema99/HLSLInterpreter: the [Test] functions of its shaders
  real TABLE FOLDER [FILTER]    the shader files of a Markdown table, repositories in FOLDER/OWNER/NAME
  negative FOLDER [FILTER]      microsoft/DirectXShaderCompiler: what its tests refuse
  positive FOLDER [FILTER]      … and what they accept

FILTER: only tests whose name holds this text; they are shown with all their messages.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let report = match arguments.as_slice() {
        ["offload", folder, filter @ ..] if filter.len() < 2 => {
            offload::run(Path::new(folder), filter.first().copied())
        }
        ["interpreter", folder, filter @ ..] if filter.len() < 2 => {
            interpreter::run(Path::new(folder), filter.first().copied())
        }
        ["real", table, folder, filter @ ..] if filter.len() < 2 => {
            real::run(Path::new(table), Path::new(folder), filter.first().copied())
        }
        [suite @ ("negative" | "positive"), folder, filter @ ..] if filter.len() < 2 => {
            negative::run(
                Path::new(folder),
                *suite == "negative",
                filter.first().copied(),
            )
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match report {
        Ok(report) => report.print(),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
