//! What the preprocessor makes of whole texts, as the text of the tokens that come out.

mod conditionals;
mod errors;
mod files;
mod macros;

use super::*;
use crate::profile::Stage;
use std::collections::HashMap;

/// Files by name.
struct Folder(HashMap<&'static str, Vec<u8>>);

impl IncludeHandler for Folder {
    fn read(&mut self, _: Option<&str>, path: &str, _: bool) -> Result<IncludeFile, IncludeError> {
        match self.0.get(path) {
            Some(bytes) if bytes == b"?" => Err(IncludeError::Unreadable("it is a folder".into())),
            Some(bytes) => Ok(IncludeFile {
                name: path.into(),
                bytes: bytes.clone(),
            }),
            None => Err(IncludeError::NotFound {
                searched: vec![format!("shaders/{path}"), format!("common/{path}")],
            }),
        }
    }
}

/// A run of the preprocessor.
struct Run {
    map: SourceMap,
    diagnostics: Diagnostics,
    tokens: Tokens,
}

fn options() -> Options {
    Options {
        defines: Vec::new(),
        hlsl_version: HlslVersion::V2018,
        profile: Profile {
            stage: Stage::Vertex,
            major: 5,
            minor: 0,
        },
    }
}

fn run_with(options: &Options, files: &[(&'static str, &str)]) -> Run {
    let mut map = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let (name, text) = files[0];
    let main = map.add(name, text.as_bytes(), None).unwrap();
    let files = files.iter().map(|(n, t)| (*n, t.as_bytes().to_vec()));
    let mut folder = Folder(files.collect());
    let tokens = preprocess(&mut map, main, options, &mut folder, &mut diagnostics);
    Run {
        map,
        diagnostics,
        tokens,
    }
}

impl Run {
    fn text(&self) -> String {
        let texts = self.tokens.list.iter().map(|t| t.kind.to_string());
        texts.collect::<Vec<_>>().join(" ")
    }

    /// Each diagnostic as `line:column number message`, with notes and hint on lines of their own.
    fn complaints(&self) -> String {
        let place = |span| {
            let at = self.map.location(span);
            format!("{}:{}:{}", at.file, at.line, at.column)
        };
        let mut lines = Vec::new();
        for d in self.diagnostics.sorted(&self.map) {
            lines.push(format!(
                "{} {} {}",
                place(d.span),
                d.code.number(),
                d.message
            ));
            for (span, note) in &d.notes {
                lines.push(format!("  {} {note}", place(*span)));
            }
            lines.extend(d.hint.iter().map(|hint| format!("  {hint}")));
        }
        lines.join("\n")
    }
}

/// The file `m` becomes these tokens, without a complaint.
#[track_caller]
fn becomes(text: &str, expected: &str) {
    becomes_with(&options(), &[("m", text)], expected);
}

#[track_caller]
fn becomes_with(options: &Options, files: &[(&'static str, &str)], expected: &str) {
    let run = run_with(options, files);
    assert_eq!(run.complaints(), "");
    assert_eq!(run.text(), expected);
}

/// The file `m` gives these tokens and these complaints.
#[track_caller]
fn complains(text: &str, tokens: &str, complaints: &str) {
    complains_with(&[("m", text)], tokens, complaints);
}

#[track_caller]
fn complains_with(files: &[(&'static str, &str)], tokens: &str, complaints: &str) {
    let run = run_with(&options(), files);
    assert_eq!(run.complaints(), complaints);
    assert_eq!(run.text(), tokens);
}
