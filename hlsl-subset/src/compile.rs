//! The front end from end to end: text in; a program with its reflection, or diagnostics, out.

use crate::diagnostic::Diagnostics;
use crate::hir::Program;
use crate::reflection::Reflection;
use crate::source::SourceMap;

/// An entry that compiled.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// What the engines run.
    pub program: Program,
    /// What its caller wants to know.
    pub reflection: Reflection,
    /// The text that spans point into.
    pub sources: SourceMap,
    /// Warnings and notes.
    pub diagnostics: Diagnostics,
}

/// A text that was refused.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The text that spans point into.
    pub sources: SourceMap,
    /// At least one error.
    pub diagnostics: Diagnostics,
}
