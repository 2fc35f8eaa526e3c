//! `fuseline test`: runs every draw file that says what it expects.

use super::{Common, EngineChoice, Refused, report};
use clap::Args;
use fuseline::drawfile::{
    run::Settings,
    suite::{self, Outcome},
};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Runs every draw file that has an [[expect]].
#[derive(Args, Debug)]
#[command(after_help = "Example: fuseline test tests/cases --engine both")]
pub struct Test {
    /// Draw files, or folders to look for them in
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What runs the draws; `both` compares the engines bit for bit
    #[arg(long, value_enum, default_value = "both")]
    engine: EngineChoice,
    /// Only files whose path contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Write a JUnit report, too
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// How many files run at once (default: one per core)
    #[arg(short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(flatten)]
    common: Common,
}

impl Test {
    /// Runs the files; true where all of them pass.
    pub fn run(self) -> Result<bool, Refused> {
        let mut files = suite::find(&self.paths)?;
        files.retain(|f| {
            self.filter
                .as_ref()
                .is_none_or(|text| f.to_string_lossy().contains(text))
        });
        let settings = self.common.settings(Some(1))?;
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.jobs.map_or(0, usize::from))
            .build()?;
        let outcomes: Vec<Tested> = pool.install(|| {
            files
                .into_par_iter()
                .map(|path| self.run_file(path, &settings))
                .collect()
        });
        let outcomes: Vec<_> = outcomes
            .into_iter()
            .filter(|tested| tested.outcome != Outcome::NothingExpected)
            .collect();
        for Tested {
            path,
            outcome,
            warnings,
        } in &outcomes
        {
            for warning in warnings {
                report::error(&format!("{}: {warning}", path.display()));
            }
            match outcome {
                Outcome::Failed(why) => {
                    report::say(format_args!("FAILED {}: {why}", path.display()))?
                }
                _ if self.common.verbose => report::say(format_args!("passed {}", path.display()))?,
                _ => {}
            }
        }
        if let Some(file) = &self.junit {
            write_junit(file, &outcomes)?;
        }
        let failed = outcomes
            .iter()
            .filter(|tested| matches!(tested.outcome, Outcome::Failed(_)))
            .count();
        report::say(format_args!(
            "{} passed, {failed} failed",
            outcomes.len() - failed
        ))?;
        if outcomes.is_empty() {
            return Err(Refused(
                "error: no draw file with an [[expect]] was found there".to_owned(),
            ));
        }
        Ok(failed == 0)
    }
}

impl Test {
    /// Runs a file. Its warnings are kept where it fails, and where everything is to be told.
    fn run_file(&self, path: PathBuf, settings: &Settings) -> Tested {
        let mut warnings = Vec::new();
        let outcome = suite::run_told(&path, self.engine.into(), settings, &mut |session| {
            if !self.common.quiet {
                warnings = session.warnings();
            }
        });
        if !self.common.verbose && !matches!(outcome, Outcome::Failed(_)) {
            warnings.clear();
        }
        Tested {
            path,
            outcome,
            warnings,
        }
    }
}

/// How a file fared.
struct Tested {
    path: PathBuf,
    outcome: Outcome,
    warnings: Vec<String>,
}

fn write_junit(file: &Path, outcomes: &[Tested]) -> Result<(), Refused> {
    let mut suite = TestSuite::new("fuseline");
    for Tested { path, outcome, .. } in outcomes {
        let status = match outcome {
            Outcome::Failed(why) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status
                    .set_message(why.lines().next().unwrap_or_default())
                    .set_description(why);
                status
            }
            _ => TestCaseStatus::success(),
        };
        suite.add_test_case(TestCase::new(path.display().to_string(), status));
    }
    let mut report = Report::new("fuseline test");
    report.add_test_suite(suite);
    super::output_file::write(file, |out| {
        Ok(report.serialize(out).map_err(std::io::Error::other))
    })
}
