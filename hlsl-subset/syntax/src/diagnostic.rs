//! Diagnostics: what the front end says about a shader, and the sink that collects it.
//!
//! Must not know what is checked; the table of codes is `diagnostic/codes.rs`, the ways to show them
//! `diagnostic/text.rs` and `diagnostic/record.rs`.

mod codes;
mod record;
mod suggest;
mod text;
mod warnings;

pub use codes::Code;
pub use record::{Place, Record, RecordNote};
pub use suggest::nearest;
pub use warnings::WarningChange;

use crate::{source::SourceMap, span::Span};
use std::collections::HashSet;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The shader is refused.
    Error,
    /// The shader is accepted, but perhaps not meant.
    Warning,
    /// Good to know.
    Note,
}

impl Severity {
    /// `error`, `warning` or `note`.
    pub fn text(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// One thing to say about a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of thing; each kind is explained at length.
    pub code: Code,
    /// How bad; the code's own unless somebody changed it.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// The text that it is about.
    pub span: Span,
    /// A few words to stand under that text.
    pub label: Option<String>,
    /// Other places that belong to it, each with what is there.
    pub notes: Vec<(Span, String)>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A diagnostic of the code's own severity.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: code.severity(),
            message: message.into(),
            span,
            label: None,
            notes: Vec::new(),
            hint: None,
        }
    }

    /// With a few words under the text.
    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }

    /// With another place that belongs to it.
    pub fn note(mut self, span: Span, note: impl Into<String>) -> Diagnostic {
        self.notes.push((span, note.into()));
        self
    }

    /// With advice.
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }
}

/// Collects diagnostics. Of several errors about the same text only the first is kept (the others mostly follow from
/// it); so it is with the same error about the same text of a macro that is invoked again. Past a number of errors or
/// warnings the rest is only counted.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    spans_with_error: HashSet<Span>,
    warned: HashSet<(Code, Span)>,
    /// What was said about texts of macros, whichever invocation they came out of.
    in_macros: HashSet<(Code, u32, u32, String)>,
    errors: usize,
    left_out: usize,
    warning_changes: Vec<(Span, WarningChange)>,
}

impl Diagnostics {
    /// Most errors, and most warnings and notes, that are kept.
    pub const MAX_KEPT: usize = 100;

    /// An empty sink.
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_new = match diagnostic.severity {
            Severity::Error => self.spans_with_error.insert(diagnostic.span),
            _ => self.warned.insert((diagnostic.code, diagnostic.span)),
        };
        if !is_new || !self.is_new_in_macro(&diagnostic) {
            return;
        }
        let kept_of_kind = match diagnostic.severity {
            Severity::Error => {
                self.errors += 1;
                self.errors - 1
            }
            _ => self.list.len() - self.errors.min(Self::MAX_KEPT),
        };
        if kept_of_kind < Self::MAX_KEPT {
            self.list.push(diagnostic);
        } else {
            self.left_out += 1;
        }
    }

    fn is_new_in_macro(&mut self, diagnostic: &Diagnostic) -> bool {
        let Diagnostic { code, span, .. } = *diagnostic;
        span.expansion == 0
            || self
                .in_macros
                .insert((code, span.lo, span.hi, diagnostic.message.clone()))
    }

    /// Adds one that has neither notes nor hint.
    pub fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::new(code, span, message));
    }

    /// Whether the shader is refused.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Number of errors, those left out included.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// Whether no further error would be kept: a good moment to give up.
    pub fn is_full(&self) -> bool {
        self.errors >= Self::MAX_KEPT
    }

    /// How many were not kept for their number.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Those kept, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Those kept, by place: in the order in which the preprocessor meets the text.
    pub fn sorted(&self, map: &SourceMap) -> Vec<&Diagnostic> {
        let mut list: Vec<_> = self.list.iter().collect();
        list.sort_by_cached_key(|d| (map.order_key(d.span), d.severity));
        list
    }
}

#[cfg(test)]
mod tests;
