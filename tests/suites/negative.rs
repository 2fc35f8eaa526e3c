//! microsoft/DirectXShaderCompiler's tests that say which lines are refused: those lines must be refused here, too, and
//! the others accepted.
//!
//! An error may keep later ones from being looked for, so lines found out are blanked and the rest is checked again.

use crate::report::{Outcome, Report};
use crate::text;
use fuseline::hlsl::diagnostic::Severity;
use fuseline::hlsl::options::CompileOptions;
use fuseline::hlsl::profile::{Profile, Stage};
use fuseline::includes::Folders;
use regex::Regex;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::Path;

/// In place of profiles that are newer.
const LATEST: Profile = Profile {
    stage: Stage::Vertex,
    major: 6,
    minor: 8,
};

/// Runs the tests below a checked-out folder: for each refused line, or for each file, whether it is so here.
///
/// # Errors
/// When files cannot be read.
pub fn run(folder: &Path, negative: bool, filter: Option<&str>) -> Result<Report, String> {
    let mut report = Report::new(
        if negative { "negative" } else { "positive" },
        filter.is_some(),
    );
    let tests = folder.join("tools/clang/test");
    for (name, path) in text::tests(&tests, &[".hlsl"], filter)? {
        if path
            .components()
            .any(|folder| folder.as_os_str() == "rewriter")
        {
            continue;
        }
        let content = std::fs::read(&path).map_err(|e| format!("{name}: {e}"))?;
        let content = String::from_utf8_lossy(&content).into_owned();
        let Some(test) = Test::of(&path, &content)? else {
            continue;
        };
        if negative {
            test.lines(&name, &mut report);
        } else {
            report.add(&name, test.without_refused());
        }
    }
    Ok(report)
}

/// A file, and what DXC says of its lines.
struct Test<'a> {
    path: &'a Path,
    content: &'a str,
    options: CompileOptions,
    /// Messages by line, counted from 1.
    refused: BTreeMap<u32, String>,
}

impl<'a> Test<'a> {
    /// None where the file is no test of what is refused.
    fn of(path: &'a Path, content: &'a str) -> Result<Option<Test<'a>>, String> {
        let pattern = |text: &str| Regex::new(text).map_err(|e| e.to_string());
        let (Some(run), true) = (
            content.lines().find(|line| line.contains("RUN:")),
            content.contains("-verify"),
        ) else {
            return Ok(None);
        };
        let expected =
            pattern(r"expected-error(?:-re)?\s*(?:@([+-]?\d+))?\s*(?:\d+[+]?\s*)?\{\{(.*?)\}\}")?;
        let mut refused = BTreeMap::new();
        for (number, line) in (1..).zip(content.lines()) {
            for found in expected.captures_iter(line) {
                let at = match found.get(1).map(|m| m.as_str()) {
                    None => Some(number),
                    Some(text) => match (text.parse::<i64>(), text.starts_with(['+', '-'])) {
                        (Ok(by), true) => u32::try_from(i64::from(number) + by).ok(),
                        (Ok(line), false) => u32::try_from(line).ok(),
                        (Err(_), _) => None,
                    },
                };
                refused.extend(at.map(|at| (at, found[2].to_owned())));
            }
        }
        let option = |text: &str| -> Result<Option<String>, String> {
            Ok(pattern(text)?
                .captures(run)
                .map(|found| found[1].to_owned()))
        };
        let model = option(r"-T\s*\w+?_(\d_\d+)")?.unwrap_or("6_0".to_owned());
        let options = CompileOptions {
            profile: format!("vs_{model}").parse().unwrap_or(LATEST),
            hlsl: option(r"-HV\s*(\w+)")?.and_then(|version| version.parse().ok()),
            defines: pattern(r"-D\s*(\w+)=?(\w*)")?
                .captures_iter(run)
                .map(|found| (found[1].to_owned(), found[2].to_owned()))
                .collect(),
            ..CompileOptions::default()
        };
        Ok(Some(Test {
            path,
            content,
            options,
            refused,
        }))
    }

    /// Lines where an error is reported, with the first message of each.
    fn errors(&self, content: &str) -> BTreeMap<u32, String> {
        let mut includes = Folders {
            shader: self
                .path
                .parent()
                .map(Path::to_path_buf)
                .unwrap_or_default(),
            include_dirs: Vec::new(),
        };
        let checked = fuseline::hlsl::check(
            "test.hlsl",
            content.as_bytes(),
            &self.options,
            &mut includes,
        );
        let mut found = BTreeMap::new();
        for error in checked
            .diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error)
        {
            let line = checked.sources.location(error.span).line;
            found.entry(line).or_insert_with(|| error.message.clone());
        }
        found
    }

    /// Each refused line as a test.
    fn lines(&self, name: &str, report: &mut Report) {
        let mut open = self.refused.clone();
        let mut lines: Vec<&str> = self.content.lines().collect();
        loop {
            let errors = self.errors(&lines.join("\n"));
            open.retain(|line, _| !errors.contains_key(line));
            let mut blanked = false;
            for line in errors.keys() {
                if let Some(text) = lines
                    .get_mut(*line as usize - 1)
                    .filter(|text| !text.is_empty())
                {
                    *text = without(text);
                    blanked = true;
                }
            }
            if open.is_empty() || !blanked {
                break;
            }
        }
        for (line, message) in &self.refused {
            let text = self
                .content
                .lines()
                .nth(*line as usize - 1)
                .unwrap_or_default();
            let outcome = match (open.contains_key(line), outside(name, message, text)) {
                (false, _) => Outcome::Passed,
                (true, Some(why)) => Outcome::Outside(why.to_owned()),
                (true, None) => Outcome::Failed(format!("{}\n{message}", text.trim())),
            };
            report.add(&format!("{name}:{line}"), outcome);
        }
    }

    /// The file without what is refused.
    fn without_refused(&self) -> Outcome {
        let kept = (1..).zip(self.content.lines()).map(|(number, line)| {
            if self.refused.contains_key(&number) {
                ""
            } else {
                line
            }
        });
        let kept: Vec<&str> = kept.collect();
        let errors = self.errors(&kept.join("\n"));
        match errors.first_key_value() {
            None => Outcome::Passed,
            Some(_) => {
                let show = |(line, message): (&u32, &String)| {
                    let text = kept.get(*line as usize - 1).map_or("", |text| text.trim());
                    format!("{line}: {message}\n    {text}")
                };
                Outcome::Failed(errors.iter().map(show).collect::<Vec<_>>().join("\n"))
            }
        }
    }
}

/// What stays of a line that is left out: the brace that others belong to, at first.
fn without(line: &str) -> &'static str {
    let code = text::without_comments(line);
    let count = |c| code.matches(c).count();
    match (code.trim(), count('{').cmp(&count('}'))) {
        ("{" | "}", _) | (_, Ordering::Equal) => "",
        (_, Ordering::Greater) => "{",
        (_, Ordering::Less) => "}",
    }
}

/// Why a refusal is none that a vertex shader of ours can show.
fn outside(name: &str, message: &str, line: &str) -> Option<&'static str> {
    let rules = [
        (line, r"fxc-pass|\bvolatile\b", "fxc accepts it"),
        (
            name,
            r"cpp-errors",
            "words of C and C++, which other compilers reserve",
        ),
        (
            message,
            r"'overload1' is ambiguous",
            "literals never make an overload ambiguous here",
        ),
        (
            line,
            r"std::is_same|__decltype",
            "the compiler's own C++, in tests only",
        ),
        (
            name,
            r"(?i)workgraph|hitobject|longvec|linalg|ray|wave|barrier|spirv|groupshared|numthreads|\bhs-|\bds-|atomic|shader_attribute|library|hull|globallycoherent|getattribute|Necessary|attributes-[hg]s|CalculateLOD|sv_target|clusterid",
            "other stages",
        ),
        (
            message,
            r"(?i)\bnodes?\b|record|wave|\bray|payload|hull|domain|patch|geometry|pixel|compute|mesh|amplification|groupshared|globallycoherent|numthreads|vertexcount|getattribute|partitioning|maxtessfactor|output(controlpoints|topology)",
            "other stages",
        ),
        (
            line,
            r"(?i)\bnode|groupshared|numthreads|globallycoherent|rwtexture|rwbuffer|Interlocked",
            "other stages",
        ),
        (
            line,
            r"\bdouble|min1[026]|int64|int16|float16|\bhalf",
            "types that are not 32 bits wide",
        ),
    ];
    let rule = rules
        .into_iter()
        .find(|(text, rule, _)| Regex::new(rule).is_ok_and(|rule| rule.is_match(text)))?;
    Some(rule.2)
}
