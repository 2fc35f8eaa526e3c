//! The front end from end to end: text in; a program with its reflection, or diagnostics, out.

use crate::ast::TranslationUnit;
use crate::check::check_module;
use crate::check::module::{Module, When};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::entry::{self, Request, Selected};
use crate::hir::Program;
use crate::options::CompileOptions;
use crate::parser::parse;
use crate::preprocess::{self, IncludeHandler, preprocess};
use crate::reflection::Reflection;
use crate::source::SourceMap;
use crate::span::Span;

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

/// A text that was checked.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What is known of the entry, if one was asked for and nothing is wrong with it.
    pub reflection: Option<Reflection>,
    /// The text that spans point into.
    pub sources: SourceMap,
    /// Errors, warnings and notes.
    pub diagnostics: Diagnostics,
}

/// Compiles one entry of a file. `name` is the file's name for messages and for `includes`; `text` may be in any
/// encoding that [`SourceMap::add`] takes.
pub fn compile(
    name: &str,
    text: &[u8],
    options: &CompileOptions,
    includes: &mut dyn IncludeHandler,
) -> Result<Compiled, Box<Failed>> {
    let mut front = Front::read(name, text, options, includes);
    let selected = front.select(options, true);
    let Front {
        sources,
        diagnostics,
        ..
    } = front.finish();
    match selected {
        Some(Selected {
            program,
            reflection,
        }) if !diagnostics.has_errors() => Ok(Compiled {
            program,
            reflection,
            sources,
            diagnostics,
        }),
        _ => Err(Box::new(Failed {
            sources,
            diagnostics,
        })),
    }
}

/// Checks one entry of a file as [`compile`] does, but accepts what is declared, typed and reflected only: code that
/// reads resources, and geometry shaders.
pub fn check_entry(
    name: &str,
    text: &[u8],
    options: &CompileOptions,
    includes: &mut dyn IncludeHandler,
) -> Checked {
    let mut front = Front::read(name, text, options, includes);
    let reflection = front
        .select(options, false)
        .map(|selected| selected.reflection);
    let Front {
        sources,
        diagnostics,
        ..
    } = front.finish();
    Checked {
        reflection,
        sources,
        diagnostics,
    }
}

/// Checks every function of a file; no entry is asked for.
pub fn check(
    name: &str,
    text: &[u8],
    options: &CompileOptions,
    includes: &mut dyn IncludeHandler,
) -> Checked {
    let mut front = Front::read(name, text, options, includes);
    front.unsupported();
    let Front {
        sources,
        diagnostics,
        ..
    } = front.finish();
    Checked {
        reflection: None,
        sources,
        diagnostics,
    }
}

/// The syntax tree of a file, empty where the text cannot be read; what is wrong with it is for [`check`] to say.
pub fn syntax_tree(
    name: &str,
    text: &[u8],
    options: &CompileOptions,
    includes: &mut dyn IncludeHandler,
) -> TranslationUnit {
    let unit = Front::default().parse(name, text, options, includes);
    unit.unwrap_or_default()
}

/// A file, read and checked.
#[derive(Default)]
struct Front {
    sources: SourceMap,
    diagnostics: Diagnostics,
    /// `None` where the text was not worth checking.
    module: Option<Module>,
}

impl Front {
    fn read(
        name: &str,
        text: &[u8],
        options: &CompileOptions,
        includes: &mut dyn IncludeHandler,
    ) -> Front {
        let mut front = Front::default();
        if let Some(unit) = front.parse(name, text, options, includes) {
            front.module = Some(check_module(
                &unit,
                &options.checking(),
                &mut front.diagnostics,
            ));
        }
        front
    }

    /// The syntax tree of a file; None where the text is not worth parsing.
    fn parse(
        &mut self,
        name: &str,
        text: &[u8],
        options: &CompileOptions,
        includes: &mut dyn IncludeHandler,
    ) -> Option<TranslationUnit> {
        let main = match self.sources.add(name, text, None) {
            Ok(main) => main,
            Err(too_large) => {
                let diagnostic =
                    Diagnostic::new(Code::SourceTooLarge, Span::default(), too_large.to_string());
                self.diagnostics.push(diagnostic);
                return None;
            }
        };
        let preprocessing = preprocess::Options {
            defines: options.defines.clone(),
            hlsl_version: options.version(),
            profile: options.profile,
        };
        let tokens = preprocess(
            &mut self.sources,
            main,
            &preprocessing,
            includes,
            &mut self.diagnostics,
        );
        // Without a file that it includes, hardly a line of a shader makes sense.
        (!self.diagnostics.has_errors()).then(|| parse(&tokens, &mut self.diagnostics))
    }

    fn select(&mut self, options: &CompileOptions, run: bool) -> Option<Selected> {
        let module = self.module.as_ref().filter(|m| !m.has_errors)?;
        if self.diagnostics.has_errors() {
            return None;
        }
        let request = Request {
            entry: &options.entry,
            profile: options.profile,
            strict_float: options.strict_float,
            run,
        };
        entry::select(module, &request, &mut self.diagnostics)
    }

    /// Reports what is not supported whoever reaches it.
    fn unsupported(&mut self) {
        let Some(module) = &self.module else { return };
        let functions = module.functions.iter().map(|f| &f.uses);
        for uses in functions.chain(module.statics.iter().map(|s| &s.uses)) {
            for obstacle in uses.obstacles.iter().filter(|o| o.when == When::Always) {
                self.diagnostics.push(obstacle.diagnostic.clone());
            }
        }
    }

    fn finish(mut self) -> Front {
        self.diagnostics.apply_warning_changes(&self.sources);
        self
    }
}

#[cfg(test)]
mod tests;
