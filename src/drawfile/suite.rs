//! Draw files as tests: finding them, running them, and judging them by what they expect.

use super::{
    DrawFile,
    expect::{Expect, Kind},
    judge::judge,
    run::{Engines, RunError, Session, Settings},
};
use fuseline_runtime::results::Results;
use std::{
    io,
    path::{Path, PathBuf},
};

/// How a draw file fared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All its expectations hold.
    Passed,
    /// The first one that does not, with what was expected and what came.
    Failed(String),
    /// It expects nothing: no test.
    NothingExpected,
}

/// The draw files at or under these paths, in order.
///
/// # Errors
/// When a path or folder cannot be read.
pub fn find(paths: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        let error = |e: io::Error| {
            io::Error::new(
                e.kind(),
                format!("error: cannot read {}: {e}", path.display()),
            )
        };
        if std::fs::metadata(path).map_err(error)?.is_dir() {
            find_in(path, &mut files).map_err(error)?;
        } else {
            files.push(path.clone());
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

fn find_in(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        // Links to folders are not followed: they may lead in a circle.
        if entry.file_type()?.is_dir() {
            find_in(&entry.path(), files)?;
        } else if entry.file_name().to_string_lossy().ends_with(".draw.toml") {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Runs one draw file as a test.
pub fn run(path: &Path, engines: Engines, settings: &Settings) -> Outcome {
    run_told(path, engines, settings, &mut |_| {})
}

/// The same; `tell` gets what the file was accepted with, if it was.
pub fn run_told(
    path: &Path,
    engines: Engines,
    settings: &Settings,
    tell: &mut dyn FnMut(&Session),
) -> Outcome {
    let file = match DrawFile::read(path) {
        Ok(file) => file,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    if file.expects.is_empty() {
        return Outcome::NothingExpected;
    }
    match run_file(file, engines, settings, tell) {
        Ok(()) => Outcome::Passed,
        Err(why) => Outcome::Failed(why),
    }
}

fn run_file(
    mut file: DrawFile,
    engines: Engines,
    settings: &Settings,
    tell: &mut dyn FnMut(&Session),
) -> Result<(), String> {
    let expects = std::mem::take(&mut file.expects);
    let session = match Session::new(file, settings) {
        Ok(session) => session,
        Err(error) => return expects.iter().try_for_each(|e| judge_refusal(e, &error)),
    };
    tell(&session);
    let outcomes: Vec<Result<Results, RunError>> = (0..session.draws())
        .map(|draw| session.draw(draw, engines))
        .collect();
    for (draw, outcome) in outcomes.iter().enumerate() {
        if let Err(error) = outcome
            && !expects.iter().any(|e| e.is_error_of(draw))
        {
            return Err(format!("draw {draw}: {error}"));
        }
    }
    expects
        .iter()
        .try_for_each(|expect| judge_draw(expect, &outcomes))
}

fn judge_draw(expect: &Expect, outcomes: &[Result<Results, RunError>]) -> Result<(), String> {
    if matches!(expect.kind, Kind::Error { .. }) && expect.draw.is_none() {
        let mut errors = outcomes.iter().filter_map(|o| o.as_ref().err());
        return match errors.next() {
            Some(error) => judge_refusal(expect, error),
            None => Err(expect.wanted_error("everything ran")),
        };
    }
    let draw = expect.draw.unwrap_or(0);
    match outcomes.get(draw) {
        Some(Ok(results)) => judge(expect, results).map_err(|why| format!("draw {draw}: {why}")),
        Some(Err(error)) => judge_refusal(expect, error),
        None => Err(format!("there is no draw {draw}")),
    }
}

fn judge_refusal(expect: &Expect, error: &RunError) -> Result<(), String> {
    let Kind::Error { contains, line } = &expect.kind else {
        return Err(error.to_string());
    };
    if expect.draw.is_some() && !error.is_of_draw() {
        return Err(expect.wanted_error(&format!("only that draw may be refused, but: {error}")));
    }
    let wanted = contains.to_lowercase();
    let right = |(message, at): &(String, Option<u32>)| {
        message.to_lowercase().contains(&wanted) && line.is_none_or(|line| *at == Some(line))
    };
    if error.messages().iter().any(right) {
        Ok(())
    } else {
        Err(expect.wanted_error(&error.to_string()))
    }
}

impl Expect {
    fn is_error_of(&self, draw: usize) -> bool {
        matches!(self.kind, Kind::Error { .. }) && self.draw.is_none_or(|d| d == draw)
    }

    fn wanted_error(&self, got: &str) -> String {
        let Kind::Error { contains, line } = &self.kind else {
            return got.to_owned();
        };
        let line = line.map_or(String::new(), |line| format!(" at line {line}"));
        format!("expected an error that contains {contains:?}{line}; got: {got}")
    }
}
