//! Real shader files: every vertex entry is checked; those that read no resource run on generated data.

use crate::engine::{self, Bindings};
use crate::report::{Outcome, Report};
use crate::text;
use fuseline::hlsl::options::CompileOptions;
use fuseline::hlsl::profile::Profile;
use fuseline::hlsl::reflection::{Layout, Reflection};
use fuseline::hlsl::types::Scalar;
use fuseline::includes::Folders;
use fuseline::{Format, InputElementDesc};
use regex::Regex;
use std::path::{Path, PathBuf};

/// Vertices of a draw: some groups of lanes and a rest.
const VERTICES: u32 = 37;

/// A row of the table.
struct File {
    repository: String,
    path: String,
    entries: Vec<String>,
    /// The table names only the first entries of the file.
    more: bool,
    include_dirs: Vec<String>,
    defines: Vec<(String, String)>,
}

/// Runs all entries of a table's files: repository, file, entries, include folders, defines, in Markdown's columns.
///
/// # Errors
/// When the table cannot be read.
pub fn run(table: &Path, folder: &Path, filter: Option<&str>) -> Result<Report, String> {
    let mut report = Report::new("real", filter.is_some());
    let table = std::fs::read_to_string(table).map_err(|e| e.to_string())?;
    for file in table.lines().filter_map(File::of) {
        let path = folder.join(&file.repository).join(&file.path);
        let name = format!("{}/{}", file.repository, file.path);
        if filter.is_some_and(|filter| !name.contains(filter)) {
            continue;
        }
        match std::fs::read(&path) {
            Err(error) => report.add(&name, Outcome::Failed(error.to_string())),
            Ok(content) => {
                for entry in file.all_entries(&content) {
                    let outcome =
                        file.entry(&folder.join(&file.repository), &path, &content, &entry);
                    report.add(&format!("{name} {entry}"), outcome);
                }
            }
        }
    }
    Ok(report)
}

impl File {
    /// A row; None for headings, lines and text.
    fn of(row: &str) -> Option<File> {
        let columns: Vec<&str> = row.strip_prefix('|')?.split('|').map(str::trim).collect();
        let [repository, path, entries, include_dirs, defines, ..] = columns[..] else {
            return None;
        };
        let repository = repository.split_whitespace().next()?;
        repository.contains('/').then_some(())?;
        let list = |text: &str| -> Vec<String> {
            let items = text
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty());
            items.map(str::to_owned).collect()
        };
        let (more, entries): (Vec<String>, _) = list(entries)
            .into_iter()
            .partition(|entry| entry.starts_with("and "));
        let define = |text: String| match text.split_once('=') {
            Some((name, value)) => (name.to_owned(), value.to_owned()),
            None => (text, "1".to_owned()),
        };
        Some(File {
            repository: repository.to_owned(),
            path: path.to_owned(),
            entries,
            more: !more.is_empty(),
            include_dirs: list(include_dirs),
            defines: list(defines).into_iter().map(define).collect(),
        })
    }

    /// The entries named; where there are more, all functions that begin as the first does.
    fn all_entries(&self, content: &[u8]) -> Vec<String> {
        let function = Regex::new(r"(?m)^\s*\w+\s+(VS\w*)\s*\(");
        let (true, Ok(function)) = (self.more, function) else {
            return self.entries.clone();
        };
        let content = text::without_comments(&String::from_utf8_lossy(content));
        function
            .captures_iter(&content)
            .map(|f| f[1].to_owned())
            .collect()
    }

    fn entry(&self, repository: &Path, path: &Path, content: &[u8], entry: &str) -> Outcome {
        let mut first = None;
        // The oldest profile that has what the file uses; the first one's errors are the ones worth reading.
        for profile in ["vs_5_0", "vs_5_1", "vs_6_8"] {
            let Ok(profile) = profile.parse() else {
                continue;
            };
            match self.with_profile(repository, path, content, entry, profile) {
                Ok(()) => return Outcome::Passed,
                Err(message) => _ = first.get_or_insert(message),
            }
        }
        Outcome::Failed(first.unwrap_or_default())
    }

    fn with_profile(
        &self,
        repository: &Path,
        path: &Path,
        content: &[u8],
        entry: &str,
        profile: Profile,
    ) -> Result<(), String> {
        let options = CompileOptions {
            entry: entry.to_owned(),
            profile,
            defines: self.defines.clone(),
            ..CompileOptions::default()
        };
        let mut includes = Folders {
            shader: path.parent().map(PathBuf::from).unwrap_or_default(),
            include_dirs: self
                .include_dirs
                .iter()
                .map(|dir| repository.join(dir))
                .collect(),
        };
        let name = path.display().to_string();
        let checked = fuseline::hlsl::check_entry(&name, content, &options, &mut includes);
        let Some(reflection) = checked.reflection else {
            return Err(engine::errors(&checked.diagnostics, &checked.sources));
        };
        if reflection.resources.iter().any(|resource| resource.used) {
            return Ok(());
        }
        let compiled = engine::compile(&name, content, &options, &mut includes)?;
        engine::draw(&compiled, &bindings(&compiled.reflection), VERTICES, 2).map(|_| ())
    }
}

/// Generated vertices and constants: small integers, floats of everyday size.
fn bindings(reflection: &Reflection) -> Bindings<'_> {
    let mut numbers = Numbers(1);
    let inputs = reflection
        .inputs
        .iter()
        .filter(|input| !input.is_generated());
    let layout: Vec<InputElementDesc> = inputs
        .clone()
        .map(|input| {
            let format = match input.scalar {
                Scalar::Float => Format::R32G32B32A32_FLOAT,
                Scalar::Int => Format::R32G32B32A32_SINT,
                Scalar::Uint | Scalar::Bool => Format::R32G32B32A32_UINT,
            };
            InputElementDesc::new(&input.semantic, input.index, format)
        })
        .collect();
    let mut vertices = Vec::new();
    for _ in 0..VERTICES {
        for input in inputs.clone() {
            vertices.extend((0..4).map(|_| numbers.word(input.scalar)));
        }
    }
    let constants = reflection.constant_buffers.iter().map(|used| {
        let mut bytes = vec![0; used.buffer.size as usize];
        for member in &used.buffer.members {
            fill(&member.layout, member.offset, &mut bytes, &mut numbers);
        }
        (&used.buffer, bytes)
    });
    Bindings {
        constants: constants.collect(),
        layout,
        vertices,
    }
}

fn fill(layout: &Layout, offset: u32, bytes: &mut [u8], numbers: &mut Numbers) {
    match layout {
        Layout::Vector { scalar, .. } | Layout::Matrix { scalar, .. } => {
            let mut offsets = Vec::new();
            engine::leaves(layout, offset, &mut offsets);
            for at in offsets {
                let word = numbers.word(*scalar).to_le_bytes();
                bytes[at as usize..at as usize + 4].copy_from_slice(&word);
            }
        }
        Layout::Array {
            element,
            len,
            stride,
        } => {
            (0..*len).for_each(|i| fill(element, offset + i * stride, bytes, numbers));
        }
        Layout::Struct(members) => {
            for member in members {
                fill(&member.layout, offset + member.offset, bytes, numbers);
            }
        }
    }
}

/// A row of numbers that is the same every time: SplitMix64 (Steele, Lea, Flood 2014).
struct Numbers(u64);

impl Numbers {
    fn word(&mut self, scalar: Scalar) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let random = (z >> 32) as u32;
        match scalar {
            Scalar::Bool => random >> 31,
            Scalar::Int | Scalar::Uint => random >> 29,
            Scalar::Float => ((random as i32 >> 8) as f32 / (1 << 21) as f32).to_bits(),
        }
    }
}
