//! Diagnostics for programs: records with all places resolved, as JSON and in the form of Microsoft's compilers.
//!
//! Must not know how diagnostics look to people.

use super::{Diagnostic, Diagnostics, Severity};
use crate::{
    source::{Location, SourceMap},
    span::Span,
};
use serde::Serialize;
use std::fmt::Write;

/// A diagnostic with its places as file, line and column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Record {
    /// As `F0042`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Where.
    #[serde(flatten)]
    pub place: Place,
    /// A few words about the text there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Other places that belong to it.
    pub notes: Vec<RecordNote>,
    /// The text in the definitions of the macros that it came out of, innermost first.
    pub macros: Vec<RecordNote>,
    /// The `#include`s that led to it, innermost first.
    pub included_from: Vec<Place>,
}

/// Another place, and what is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordNote {
    /// What is there; of a macro, its name.
    pub message: String,
    /// Where.
    #[serde(flatten)]
    pub place: Place,
}

/// A range of text in a file: lines and columns from 1, columns in characters, the end exclusive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// The file as `#line` or its includer names it.
    pub file: String,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// One past the last column.
    pub end_column: u32,
}

impl Place {
    fn new(map: &SourceMap, span: Span) -> Place {
        let (span, _) = map.resolve(span);
        let start = map.location(span);
        let end = map.location_at(span.hi.max(span.lo));
        // A span over several files ends where it begins.
        let Location { line, column, .. } = if end.file == start.file {
            end
        } else {
            start.clone()
        };
        Place {
            file: start.file.to_string(),
            line: start.line,
            column: start.column,
            end_line: line,
            end_column: column,
        }
    }
}

impl Diagnostic {
    /// This diagnostic with all places resolved.
    pub fn record(&self, map: &SourceMap) -> Record {
        let note = |message: &str, span| RecordNote {
            message: message.to_owned(),
            place: Place::new(map, span),
        };
        let (_, steps) = map.resolve(self.span);
        Record {
            code: self.code.number(),
            severity: self.severity,
            message: self.message.clone(),
            place: Place::new(map, self.span),
            label: self.label.clone(),
            hint: self.hint.clone(),
            notes: self
                .notes
                .iter()
                .map(|(span, text)| note(text, *span))
                .collect(),
            macros: steps.iter().map(|s| note(&s.macro_name, s.text)).collect(),
            included_from: map
                .include_stack(self.span)
                .into_iter()
                .map(|from| Place::new(map, from))
                .collect(),
        }
    }
}

impl Diagnostics {
    /// All of them by place, as records.
    pub fn records(&self, map: &SourceMap) -> Vec<Record> {
        self.sorted(map).iter().map(|d| d.record(map)).collect()
    }

    /// A JSON array of all records.
    pub fn render_json(&self, map: &SourceMap) -> String {
        // Records hold nothing but strings and numbers, so that this cannot fail.
        serde_json::to_string_pretty(&self.records(map)).unwrap_or_default()
    }

    /// A line for each diagnostic and note, `file(line,col): error F0042: message`, as Visual Studio and CI systems
    /// read it.
    pub fn render_msvc(&self, map: &SourceMap) -> String {
        let mut text = String::new();
        for record in self.records(map) {
            let severity = record.severity.text();
            let mut line = |place: &Place, kind: &str, message: &str| {
                let Place {
                    file, line, column, ..
                } = place;
                let message = one_line(message);
                // Writing to a String cannot fail.
                let _ = writeln!(
                    text,
                    "{}({line},{column}): {kind}: {message}",
                    one_line(file)
                );
            };
            line(
                &record.place,
                &format!("{severity} {}", record.code),
                &record.message,
            );
            for note in &record.notes {
                line(&note.place, "note", &note.message);
            }
            for step in &record.macros {
                let message = format!("in the expansion of the macro '{}'", step.message);
                line(&step.place, "note", &message);
            }
            for from in &record.included_from {
                line(from, "note", "included from here");
            }
            if let Some(hint) = &record.hint {
                line(&record.place, "note", hint);
            }
        }
        text
    }
}

/// A text without anything that would end or spoil the line.
fn one_line(text: &str) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(clean).collect()
}
