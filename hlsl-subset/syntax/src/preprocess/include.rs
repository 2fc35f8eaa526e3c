//! `#include`: which file is meant, and the trait that reads it.
//!
//! Must not know file systems.

use super::{Kind, Preprocessor, limit};
use crate::{
    diagnostic::{Code, Diagnostic},
    span::Span,
};
use std::sync::Arc;

/// Reads included files.
pub trait IncludeHandler {
    /// Reads the file that an `#include` names. `path` has forward slashes. `includer` is the name of the including
    /// file as the handler gave it (or the main file's, or None for text without a file); `system` says that the
    /// path stands in `<>` and the includer's folder is not to be searched.
    fn read(
        &mut self,
        includer: Option<&str>,
        path: &str,
        system: bool,
    ) -> Result<IncludeFile, IncludeError>;
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludeFile {
    /// Its name in messages and for `#pragma once`: the same for the same file, whatever path led to it.
    pub name: String,
    /// What is in it, in any encoding that [`crate::source::SourceMap::add`] takes.
    pub bytes: Vec<u8>,
}

/// Why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IncludeError {
    /// It is in none of these places.
    NotFound {
        /// Paths or folders that were tried, in their order.
        searched: Vec<String>,
    },
    /// It is there, but cannot be read; the reason.
    Unreadable(String),
}

/// A handler for shaders that include nothing: no file is found.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoIncludes;

impl IncludeHandler for NoIncludes {
    fn read(&mut self, _: Option<&str>, _: &str, _: bool) -> Result<IncludeFile, IncludeError> {
        let searched = Vec::new();
        Err(IncludeError::NotFound { searched })
    }
}

/// What an `#include` names.
struct Target {
    path: String,
    system: bool,
    /// From the opening to the closing delimiter.
    span: Span,
}

impl Preprocessor<'_> {
    pub(super) fn include(&mut self, span: Span) {
        let target = match self.written_target() {
            Some(target) => Some(target),
            None => self.expanded_target(span),
        };
        match target {
            Some(target) if !target.path.is_empty() => self.include_target(span, target),
            Some(target) => self.report(Code::BadInclude, target.span, "the file name is empty"),
            None => {}
        }
    }

    /// The target as it stands in the text: in it backslashes and comment signs are nothing special.
    fn written_target(&mut self) -> Option<Target> {
        let file = self.files.last_mut()?;
        let rest = file.text[file.at..].split('\n').next().unwrap_or_default();
        let path = rest.trim_start_matches([' ', '\t']);
        let start = file.at + (rest.len() - path.len());
        let (path, close, system) = match path.as_bytes().first()? {
            b'"' => (&path[1..], '"', false),
            b'<' => (&path[1..], '>', true),
            _ => return None,
        };
        let length = path.find(close)?;
        let end = start + length + 2;
        let target = Target {
            path: path[..length].to_owned(),
            system,
            span: file.span(start, end),
        };
        file.at = end;
        self.nothing_more("the file name");
        Some(target)
    }

    /// The target as macros give it.
    fn expanded_target(&mut self, span: Span) -> Option<Target> {
        let written = self.line();
        let pieces = self.expand_fully(written);
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else {
            let message = "#include needs a file name in quotes or <>";
            self.report(Code::BadInclude, span, message);
            return None;
        };
        let place = first.span.to(last.span);
        match (first.kind, last.kind) {
            (Kind::Str, _) => {
                let text = self.text(*first);
                Some(Target {
                    path: text[1..text.len() - 1].to_owned(),
                    system: false,
                    span: first.span,
                })
            }
            (Kind::Less, Kind::Greater) => {
                let mut path = String::new();
                for piece in &pieces[1..pieces.len() - 1] {
                    if piece.spaced && !path.is_empty() {
                        path.push(' ');
                    }
                    path.push_str(self.text(*piece));
                }
                Some(Target {
                    path,
                    system: true,
                    span: place,
                })
            }
            _ => {
                let message = "#include needs a file name in quotes or <>";
                self.report(Code::BadInclude, place, message);
                None
            }
        }
    }

    fn include_target(&mut self, directive: Span, target: Target) {
        if self.files.len() > limit::INCLUDE_DEPTH || self.included >= limit::INCLUDES {
            let message = match self.files.len() > limit::INCLUDE_DEPTH {
                true => format!(
                    "files include each other more than {} deep",
                    limit::INCLUDE_DEPTH
                ),
                false => format!("more than {} files are included", limit::INCLUDES),
            };
            return self.stop(Code::IncludeTooDeep, directive, message);
        }
        self.included += 1;
        let includer = self
            .files
            .last()
            .map(|f| self.map.file(f.id).name().clone());
        let path = target.path.replace('\\', "/");
        let read = self
            .includes
            .read(includer.as_deref(), &path, target.system);
        match read {
            Ok(file) => self.enter_included(file, target.span),
            Err(error) => self.not_included(&path, target, error),
        }
    }

    fn enter_included(&mut self, file: IncludeFile, from: Span) {
        let name: Arc<str> = file.name.into();
        if self.once.contains(&name) {
            return;
        }
        match self.map.add(name, &file.bytes, Some(from)) {
            Ok(id) => self.enter(id),
            Err(error) => self.stop(Code::SourceTooLarge, from, error.to_string()),
        }
    }

    fn not_included(&mut self, path: &str, target: Target, error: IncludeError) {
        let diagnostic = match error {
            IncludeError::NotFound { searched } => {
                let message = format!("the included file '{path}' was not found");
                let diagnostic = Diagnostic::new(Code::IncludeNotFound, target.span, message);
                match searched.is_empty() {
                    true => diagnostic,
                    false => diagnostic.hint(format!("searched: {}", searched.join(", "))),
                }
            }
            IncludeError::Unreadable(reason) => {
                let message = format!("the included file '{path}' cannot be read: {reason}");
                Diagnostic::new(Code::IncludeUnreadable, target.span, message)
            }
        };
        self.diagnose(diagnostic);
    }
}
