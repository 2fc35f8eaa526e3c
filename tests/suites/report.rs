//! What became of each test of a suite: counted, failures with whose fault they are.

use std::collections::BTreeMap;
use std::process::ExitCode;

/// What became of a test.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Right, by both engines.
    Passed,
    /// Not for a vertex shader; why.
    Outside(String),
    /// Wrong, or refused; what was said.
    Failed(String),
}

/// Outcomes by test.
pub struct Report {
    /// Name of the suite in `faults.txt`.
    suite: &'static str,
    outcomes: Vec<(String, Outcome)>,
    filtered: bool,
}

impl Report {
    /// Nothing yet. `filtered`: the user looks for one test and wants to read all about it.
    pub fn new(suite: &'static str, filtered: bool) -> Report {
        Report {
            suite,
            outcomes: Vec::new(),
            filtered,
        }
    }

    /// Notes what became of a test.
    pub fn add(&mut self, name: &str, outcome: Outcome) {
        self.outcomes.push((name.to_owned(), outcome));
    }

    /// To standard output; failure where something failed that is Fuseline's fault.
    pub fn print(&self) -> ExitCode {
        let faults = faults(self.suite);
        let mut outside: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut passed, mut failed, mut ours) = (0, 0, 0);
        for (name, outcome) in &self.outcomes {
            match outcome {
                Outcome::Passed => passed += 1,
                Outcome::Outside(why) => *outside.entry(why).or_default() += 1,
                Outcome::Failed(message) => {
                    failed += 1;
                    let fault = faults.iter().find(|(test, _)| name.starts_with(test));
                    match fault {
                        Some((_, whose)) => {
                            println!("FAILED {name}: not Fuseline's fault: {whose}")
                        }
                        None => {
                            ours += 1;
                            println!("FAILED {name}");
                        }
                    }
                    for line in message.trim_end().lines().take(self.lines(fault.is_some())) {
                        println!("    {line}");
                    }
                }
            }
        }
        let left_out: usize = outside.values().sum();
        for (why, count) in &outside {
            println!("{count:5} outside: {why}");
        }
        println!(
            "{}: {} found, {left_out} outside of what a vertex shader can express, {} run, {passed} passed, \
             {failed} failed ({ours} of them through Fuseline's fault)",
            self.suite,
            self.outcomes.len(),
            passed + failed,
        );
        if ours == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }

    /// How much of a message is shown.
    fn lines(&self, known: bool) -> usize {
        match (self.filtered, known) {
            (true, _) => usize::MAX,
            (false, true) => 0,
            (false, false) => 12,
        }
    }
}

/// Beginnings of names of a suite's tests that fail through no fault of Fuseline's, and whose fault it is.
fn faults(suite: &str) -> Vec<(&'static str, &'static str)> {
    let rows = include_str!("faults.txt").lines();
    rows.filter_map(|row| {
        let mut columns = row.splitn(3, " | ");
        (columns.next()? == suite).then_some(())?;
        Some((columns.next()?, columns.next()?))
    })
    .collect()
}
