//! pema99/HLSLInterpreter: the `[Test]` functions of its test shaders.
//!
//! Each becomes a vertex shader of its own, from which the file's other tests are taken out; lanes become vertices,
//! and the output is the line of the first assertion that failed.

use crate::engine::{self, Bindings};
use crate::report::{Outcome, Report};
use crate::text::{self, arguments, closing};
use fuseline::hlsl::options::CompileOptions;
use fuseline::hlsl::preprocess::{IncludeError, IncludeFile, IncludeHandler};
use fuseline::hlsl::profile::{HlslVersion, Profile};
use regex::Regex;
use std::fmt::Write;
use std::path::Path;

/// In place of the suite's own include: assertions that note the first line where one fails.
const FRAMEWORK: &str = "
static uint fuseline_lane, fuseline_failed, fuseline_asserted;
void fuseline_assert(bool right, uint line_of) {
    fuseline_asserted += 1;
    if (!right && fuseline_failed == 0) fuseline_failed = line_of;
}
#define ASSERT(x) fuseline_assert(all(x), __LINE__)
#define ASSERT_MSG(x, message) ASSERT(x)
#define ASSERT_EQUAL(a, b) ASSERT((a) == (b))
#define ASSERT_NEAR(a, b, near) ASSERT(abs((a) - (b)) <= (near))
#define PASS_TEST return
#define PASS_TEST_MSG(message) return
#define FAIL_TEST fuseline_assert(false, __LINE__)
#define FAIL_TEST_MSG(message) fuseline_assert(false, __LINE__)
#define IGNORE_TEST return
#define IGNORE_TEST_MSG(message) return
#define TEST_CASE(...)
#define TEST_VALUE(...)
#define PRINTF(...)
#define WaveGetLaneIndex() fuseline_lane
";

/// Runs all tests below a checked-out folder.
///
/// # Errors
/// When files cannot be read.
pub fn run(folder: &Path, filter: Option<&str>) -> Result<Report, String> {
    let mut report = Report::new("interpreter", filter.is_some());
    let shaders = folder.join("HLSLInterpreter.Tests/Shaders");
    for path in text::files(&shaders, &[".hlsl"]).map_err(|e| e.to_string())? {
        let file = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let content = std::fs::read_to_string(&path).map_err(|e| format!("{file}: {e}"))?;
        let content = text::without_comments(content.trim_start_matches('\u{feff}'));
        let tests = tests(&content)?;
        for test in &tests {
            let name = format!("{file}/{}", test.name);
            if filter.is_none_or(|filter| name.contains(filter)) {
                report.add(&name, test.run(&content, &tests));
            }
        }
    }
    Ok(report)
}

/// A test function.
struct Test<'a> {
    name: &'a str,
    /// From the first attribute to the end of the body.
    start: usize,
    end: usize,
    /// Where the attributes end.
    function: usize,
    attributes: Vec<&'a str>,
    parameters: Vec<&'a str>,
}

fn tests(content: &str) -> Result<Vec<Test<'_>>, String> {
    let mut found = Vec::new();
    for (start, _) in content.match_indices("[Test]") {
        let test = Test::at(content, start);
        found.push(test.ok_or_else(|| {
            let line = content[..start].matches('\n').count() + 1;
            format!("no function behind [Test] in line {line}")
        })?);
    }
    Ok(found)
}

impl<'a> Test<'a> {
    fn at(content: &'a str, start: usize) -> Option<Test<'a>> {
        let blank = |at: usize| at + content[at..].len() - content[at..].trim_start().len();
        let mut attributes = Vec::new();
        let mut at = start;
        while content[at..].starts_with('[') {
            let end = closing(content, at)?;
            attributes.push(&content[at + 1..end - 1]);
            at = blank(end);
        }
        let open = at + content[at..].find('(')?;
        let close = closing(content, open)?;
        let body = close + content[close..].find('{')?;
        Some(Test {
            name: content[at..open].split_whitespace().last()?,
            start,
            end: closing(content, body)?,
            function: at,
            attributes,
            parameters: arguments(&content[open + 1..close - 1]),
        })
    }

    fn run(&self, content: &str, tests: &[Test<'_>]) -> Outcome {
        if let Some(why) = self.outside(&content[self.start..self.end]) {
            return Outcome::Outside(why.to_owned());
        }
        let Some(text) = self.shader(content, tests) else {
            return Outcome::Outside("features of groups".to_owned());
        };
        // The suite names no edition of the language: what either takes is right.
        let failed = match self.draw(&text, HlslVersion::V2018) {
            Ok(()) => return Outcome::Passed,
            Err(message) => message,
        };
        match self.draw(&text, HlslVersion::V2021) {
            Ok(()) => Outcome::Passed,
            Err(_) => Outcome::Failed(failed),
        }
    }

    /// Why a vertex shader cannot express it.
    fn outside(&self, text: &str) -> Option<&'static str> {
        let rules: [(&str, &'static str); 6] = [
            (r"\[Ignore", "ignored by the suite itself"),
            (
                r"ASSERT_UNIFORM|ASSERT_VARYING",
                "the suite's own notion of what varies",
            ),
            (
                r"MOCK_RESOURCE|MockResource|\b(RW)?(Texture|Buffer|StructuredBuffer|ByteAddressBuffer)|[sS]ampler",
                "resources",
            ),
            (
                r"\bdouble\d?\b|asdouble|\bu?int(64|16)_t|float16_t",
                "types that are not 32 bits wide",
            ),
            (r"\bInterlocked", "atomics"),
            (
                r"\bWave(Active|Prefix|Is|ReadLaneFirst|Multi)|\bQuad[A-Z]\w*\(|[gG]roup[sS]hared|MemoryBarrier|\bdd[xy]\b|\bfwidth\b",
                "features of groups",
            ),
        ];
        let rule = rules
            .iter()
            .find(|(rule, _)| Regex::new(rule).is_ok_and(|rule| rule.is_match(text)))?;
        Some(rule.1)
    }

    /// The vertex shader; None where an assertion looks at several lanes.
    fn shader(&self, content: &str, tests: &[Test<'_>]) -> Option<String> {
        let mut text = String::new();
        let mut at = 0;
        for test in tests {
            text.push_str(&content[at..test.start]);
            let from = if test.start == self.start {
                self.function
            } else {
                test.end
            };
            // Lines stay as they are, so that messages fit the file.
            text.extend(content[test.start..from].chars().filter(|&c| c == '\n'));
            text.push_str(&own_lanes(&content[from..test.end])?);
            at = test.end;
        }
        text.push_str(&content[at..]);
        let attribute = Regex::new(r"\[(Values|ValueSource)\([^\]]*\)\]").ok()?;
        let text = attribute.replace_all(&text, "");
        let mut entry = String::new();
        let mut count = 0;
        for call in self.calls(content) {
            // Writing to a String cannot fail.
            let _ = writeln!(entry, "    {}({call});", self.name);
            count += 1;
        }
        let lanes = self.lanes();
        Some(format!(
            "{text}\n#define WaveGetLaneCount() {lanes}\n// {count} calls\nvoid fuseline_main(uint lane : SV_VertexID, \
             out uint failed : FAILED, out uint asserted : ASSERTED) {{\n    fuseline_lane = lane;\n{entry}    \
             failed = fuseline_failed;\n    asserted = fuseline_asserted;\n}}\n"
        ))
    }

    fn attribute(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let inside = move |attribute: &&'a str| -> Option<&'a str> {
            attribute
                .strip_prefix(name)?
                .strip_prefix('(')?
                .strip_suffix(')')
        };
        self.attributes.iter().filter_map(inside)
    }

    fn lanes(&self) -> u32 {
        let size = self
            .attribute("WarpSize")
            .next()
            .map(arguments)
            .unwrap_or_default();
        size.iter()
            .filter_map(|n| n.parse::<u32>().ok())
            .product::<u32>()
            .max(1)
    }

    /// The argument lists to call it with.
    fn calls(&self, content: &str) -> Vec<String> {
        let mut calls: Vec<String> = self.attribute("TestCase").map(str::to_owned).collect();
        for source in self.attribute("TestCaseSource") {
            calls.extend(generated(content, source, "TEST_CASE"));
        }
        let mut products = vec![Vec::new()];
        for parameter in &self.parameters {
            let values = values(content, parameter);
            let extend = |product: &Vec<String>| -> Vec<Vec<String>> {
                let with = |value: &String| product.iter().chain([value]).cloned().collect();
                values.iter().map(with).collect()
            };
            products = products.iter().flat_map(extend).collect();
        }
        calls.extend(products.into_iter().map(|product| product.join(", ")));
        calls
    }

    fn draw(&self, text: &str, version: HlslVersion) -> Result<(), String> {
        let options = CompileOptions {
            entry: "fuseline_main".to_owned(),
            profile: Profile::VS_5_0,
            hlsl: Some(version),
            ..CompileOptions::default()
        };
        let compiled = engine::compile("test.hlsl", text.as_bytes(), &options, &mut Framework)?;
        let results = engine::draw(&compiled, &Bindings::default(), self.lanes(), 1)?;
        for row in 0..results.rows() {
            let words: Vec<u32> = results.row(row).into_iter().flatten().collect();
            if let [failed, _] = words[..]
                && failed != 0
            {
                let line = text
                    .lines()
                    .nth(failed as usize - 1)
                    .unwrap_or_default()
                    .trim();
                return Err(format!("lane {row}, line {failed}: {line}"));
            }
        }
        Ok(())
    }
}

/// The arguments of the calls of a macro in a function that generates them.
fn generated(content: &str, function: &str, call: &str) -> Vec<String> {
    let function = function.trim_matches('"');
    let body = content.find(&format!("void {function}(")).and_then(|at| {
        let open = at + content[at..].find('{')?;
        Some(&content[open..closing(content, open)?])
    });
    let body = body.unwrap_or_default();
    let call = format!("{call}(");
    let open = body
        .match_indices(&call)
        .map(|(at, name)| at + name.len() - 1);
    open.filter_map(|open| Some(body[open + 1..closing(body, open)? - 1].to_owned()))
        .collect()
}

/// The values of a parameter.
fn values(content: &str, parameter: &str) -> Vec<String> {
    let Some(end) = parameter
        .starts_with('[')
        .then(|| closing(parameter, 0))
        .flatten()
    else {
        return Vec::new();
    };
    let attribute = &parameter[1..end - 1];
    let inside = |name: &str| {
        attribute
            .strip_prefix(name)?
            .strip_prefix('(')?
            .strip_suffix(')')
    };
    if let Some(list) = inside("Values") {
        return arguments(list).into_iter().map(str::to_owned).collect();
    }
    inside("ValueSource").map_or(Vec::new(), |source| {
        generated(content, source, "TEST_VALUE")
    })
}

/// A test with each assertion that reads one lane's value made by that lane alone; None where one reads several.
fn own_lanes(text: &str) -> Option<String> {
    let read = Regex::new(r"\bWaveReadLaneAt\s*\(").ok()?;
    let assert = Regex::new(r"\bASSERT\s*\(").ok()?;
    let mut out = String::new();
    let mut at = 0;
    while let Some(found) = assert.find_at(text, at) {
        let end = closing(text, found.end() - 1)?;
        let mut condition = text[found.end()..end - 1].to_owned();
        let mut lane: Option<String> = None;
        while let Some(found) = read.find(&condition) {
            let end = closing(&condition, found.end() - 1)?;
            let inside = condition[found.end()..end - 1].to_owned();
            let [value, of] = arguments(&inside)[..] else {
                return None;
            };
            of.parse::<u32>().ok()?;
            if lane.get_or_insert(of.to_owned()) != of {
                return None;
            }
            condition.replace_range(found.start()..end, &format!("({value})"));
        }
        out.push_str(&text[at..found.start()]);
        match lane {
            None => out.push_str(&text[found.start()..end]),
            Some(lane) => {
                let _ = write!(
                    out,
                    "fuseline_assert(fuseline_lane != {lane} || all({condition}), __LINE__)"
                );
            }
        }
        at = end;
    }
    out.push_str(&text[at..]);
    (!read.is_match(&out)).then_some(out)
}

/// Gives [`FRAMEWORK`] for whatever is included.
struct Framework;

impl IncludeHandler for Framework {
    fn read(&mut self, _: Option<&str>, path: &str, _: bool) -> Result<IncludeFile, IncludeError> {
        Ok(IncludeFile {
            name: path.to_owned(),
            bytes: FRAMEWORK.as_bytes().to_vec(),
        })
    }
}
