//! llvm/offload-test-suite: compute shaders with buffers and what must be in them afterwards.
//!
//! A test file holds several parts: HLSL, a pipeline in YAML, and how to run them. Buffers become constants and
//! static arrays, and the shader runs once for each thread (a vertex) and element of a written buffer (an instance);
//! what a thread changed in an element is what it wrote.

mod judge;
mod pipeline;
mod translate;
mod yaml;

use crate::engine::{self, Bindings};
use crate::report::{Outcome, Report};
use crate::text;
use fuseline::hlsl::compile::Compiled;
use fuseline::hlsl::options::CompileOptions;
use fuseline::hlsl::preprocess::NoIncludes;
use pipeline::Pipeline;
use std::path::Path;
use translate::{Target, Translation};

/// Why a test has no result.
pub enum Stop {
    /// Not for a vertex shader.
    Outside(&'static str),
    /// Wrong or refused.
    Failed(String),
}

impl From<String> for Stop {
    fn from(message: String) -> Stop {
        Stop::Failed(message)
    }
}

/// Runs all tests below a checked-out folder.
///
/// # Errors
/// When files cannot be read.
pub fn run(folder: &Path, filter: Option<&str>) -> Result<Report, String> {
    let mut report = Report::new("offload", filter.is_some());
    let tests = folder.join("test");
    for (name, path) in text::tests(&tests, &[".test", ".yaml"], filter)? {
        let content = std::fs::read_to_string(&path).map_err(|e| format!("{name}: {e}"))?;
        let outcome = match test(&content) {
            Ok(()) => Outcome::Passed,
            Err(Stop::Outside(why)) => Outcome::Outside(why.to_owned()),
            Err(Stop::Failed(message)) => Outcome::Failed(message),
        };
        report.add(&name, outcome);
    }
    Ok(report)
}

fn test(content: &str) -> Result<(), Stop> {
    let parts = Parts::of(content)?;
    let source = text::without_comments(parts.source);
    outside(&source, &parts)?;
    let mut pipeline = Pipeline::read(parts.pipeline)?;
    let translation = translate::translate(&source, &pipeline)?;
    let options = CompileOptions {
        profile: parts.profile()?,
        row_major: parts.run.contains("-Zpr"),
        strict_float: parts.run.contains("-Gis"),
        ..CompileOptions::default()
    };
    for target in &translation.targets {
        let words = written(&translation, target, &pipeline, &options)?;
        pipeline.buffers[target.buffer].words = words;
    }
    judge::judge(&pipeline, parts.checks.as_slice()).map_err(Stop::Failed)
}

/// The parts of a test file.
struct Parts<'a> {
    source: &'a str,
    pipeline: &'a str,
    /// The line that compiles.
    run: &'a str,
    /// What the printed results must show, where they are compared as text.
    checks: Vec<(&'a str, &'a str)>,
}

impl<'a> Parts<'a> {
    fn of(content: &'a str) -> Result<Parts<'a>, Stop> {
        let (mut source, mut pipeline, mut start) = (None, None, None);
        let mut at = 0;
        for line in content.split_inclusive('\n') {
            let heading = line.strip_prefix("#--- ").or(line.strip_prefix("//--- "));
            if let Some(next) = heading.map(str::trim) {
                match start.replace((next, at + line.len())) {
                    Some((name, from)) if name.ends_with(".hlsl") => {
                        source.get_or_insert(&content[from..at]);
                    }
                    Some((name, from)) if name.ends_with(".yaml") => {
                        pipeline.get_or_insert(&content[from..at]);
                    }
                    _ => {}
                }
            }
            at += line.len();
        }
        let directives = content.lines().filter_map(|l| l.trim().strip_prefix("# "));
        let runs: Vec<&str> = directives.filter_map(|l| l.strip_prefix("RUN: ")).collect();
        if runs.iter().any(|run| run.starts_with("not ")) {
            return Err(Stop::Outside("a fault of the suite's own tool is expected"));
        }
        let compile = runs.iter().find(|run| run.contains("%dxc_target"));
        Ok(Parts {
            source: source.ok_or(Stop::Outside("no shader"))?,
            pipeline: pipeline.ok_or(Stop::Outside("no pipeline"))?,
            run: compile.ok_or(Stop::Outside("no compute shader"))?,
            checks: judge::checks(content),
        })
    }

    fn profile(&self) -> Result<fuseline::hlsl::profile::Profile, Stop> {
        let asked = self
            .run
            .split_whitespace()
            .skip_while(|w| *w != "-T")
            .nth(1);
        let model = asked
            .and_then(|profile| profile.strip_prefix("cs_"))
            .ok_or(Stop::Outside("other stages than compute"))?;
        format!("vs_{model}")
            .parse()
            .map_err(|e| Stop::Failed(format!("{e}")))
    }
}

/// Refuses what is not for a vertex shader with 32-bit types.
fn outside(source: &str, parts: &Parts<'_>) -> Result<(), Stop> {
    let rules: [(&str, &'static str); 7] = [
        (
            r"\b(double|u?int(64|16)_t|float(16|64)_t)\d?|\bhalf\d?\b|asdouble|min16|min10|min12",
            "types that are not 32 bits wide",
        ),
        (
            r"\bgroupshared\b|\bWave[A-Z]|\bQuad[A-Z]|MemoryBarrier|Groupshared",
            "features of groups",
        ),
        (
            r"\bInterlocked|IncrementCounter|DecrementCounter|\b(Append|Consume)StructuredBuffer",
            "atomics and counters",
        ),
        (r"\b(RW)?Texture|\bSampler", "textures"),
        (r"RaytracingAccelerationStructure|RayQuery", "ray tracing"),
        (
            r"\bResourceDescriptorHeap|\bSamplerDescriptorHeap",
            "descriptor heaps",
        ),
        (
            r"vk::constant_id|vk::ext_|vk::Sampled",
            "Vulkan's own features",
        ),
    ];
    for (pattern, why) in rules {
        if regex::Regex::new(pattern).is_ok_and(|rule| rule.is_match(source)) {
            return Err(Stop::Outside(why));
        }
    }
    if parts.run.contains("-enable-16bit-types")
        || ["64", "16"].iter().any(|bits| {
            ["Int", "UInt", "Float", "Hex"]
                .iter()
                .any(|kind| parts.pipeline.contains(&format!("Format: {kind}{bits}")))
        })
    {
        return Err(Stop::Outside("types that are not 32 bits wide"));
    }
    if [
        "Stage: Vertex",
        "Stage: Pixel",
        "Stage: Mesh",
        "Stage: RayGeneration",
    ]
    .iter()
    .any(|stage| parts.pipeline.contains(stage))
    {
        return Err(Stop::Outside("other stages than compute"));
    }
    Ok(())
}

/// The words of a buffer after all threads ran.
fn written(
    translation: &Translation,
    target: &Target,
    pipeline: &Pipeline,
    options: &CompileOptions,
) -> Result<Vec<u32>, Stop> {
    let options = CompileOptions {
        entry: target.entry.clone(),
        ..options.clone()
    };
    let text = &translation.text;
    let compiled = engine::compile("test.hlsl", text.as_bytes(), &options, &mut NoIncludes)
        .map_err(|message| Stop::Failed(format!("{message}\n{text}")))?;
    let bindings = Bindings {
        constants: constants(&compiled, translation, pipeline),
        ..Bindings::default()
    };
    let before = pipeline.buffers[target.buffer].words.iter();
    let before: Vec<u32> = before
        .map(|&w| if target.truth { w.min(1) } else { w })
        .collect();
    let results = engine::draw(&compiled, &bindings, translation.threads, target.elements)
        .map_err(|message| Stop::Failed(format!("{message}\n{text}")))?;
    let width = results.row_components();
    let mut after = before.clone();
    for row in 0..results.rows() {
        let place = results.location(row).map_or(0, |l| l.instance as usize) * width;
        for (component, word) in results.row(row).into_iter().flatten().enumerate() {
            if before
                .get(place + component)
                .is_some_and(|old| *old != word)
            {
                after[place + component] = word;
            }
        }
    }
    Ok(after)
}

/// The bytes of every constant buffer: the test's own, and the loose globals that stand for its other buffers.
fn constants<'a>(
    compiled: &'a Compiled,
    translation: &Translation,
    pipeline: &Pipeline,
) -> Vec<(&'a fuseline::hlsl::reflection::ConstantBuffer, Vec<u8>)> {
    let buffers = compiled.reflection.constant_buffers.iter();
    buffers
        .filter_map(|used| {
            let desc = &used.buffer;
            if desc.name != "$Globals" {
                let words = pipeline.constants(desc.register, desc.space, &desc.name)?;
                return Some((desc, words.iter().flat_map(|w| w.to_le_bytes()).collect()));
            }
            let mut bytes = vec![0; desc.size as usize];
            for member in &desc.members {
                let Some(words) = translation.data(&member.name, pipeline) else {
                    continue;
                };
                let mut offsets = Vec::new();
                engine::leaves(&member.layout, member.offset, &mut offsets);
                for (offset, word) in offsets.into_iter().zip(words) {
                    let offset = offset as usize;
                    bytes[offset..offset + 4].copy_from_slice(&word.to_le_bytes());
                }
            }
            Some((desc, bytes))
        })
        .collect()
}
