//! HLSL text to a program, for those who have the text in hand and want one error that says it all.

use fuseline_hlsl::Failed;
use fuseline_hlsl::diagnostic::Diagnostics;
use fuseline_hlsl::hir::Program;
use fuseline_hlsl::options::CompileOptions;
use fuseline_hlsl::preprocess::NoIncludes;
use fuseline_hlsl::profile::ProfileError;
use fuseline_hlsl::source::SourceMap;
use std::fmt;
use std::sync::Arc;

/// Why a shader was refused.
#[derive(Debug)]
pub enum ShaderError {
    /// No profile of that name.
    Profile(ProfileError),
    /// The text is wrong: shown with file, line, column, code, source line and hint.
    Text(Box<Failed>),
}

impl fmt::Display for ShaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShaderError::Profile(error) => error.fmt(f),
            ShaderError::Text(failed) => f.write_str(&render(&failed.diagnostics, &failed.sources)),
        }
    }
}

impl std::error::Error for ShaderError {}

fn render(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    diagnostics.render_text(sources, false)
}

/// Compiles the entry of a text without includes. For macros, includes, warnings and reflection use
/// [`fuseline_hlsl::compile`](crate::hlsl::compile).
///
/// # Errors
/// When the profile is unknown or the text is refused.
pub fn compile(text: &str, entry: &str, profile: &str) -> Result<Arc<Program>, ShaderError> {
    let options = CompileOptions {
        entry: entry.to_owned(),
        profile: profile.parse().map_err(ShaderError::Profile)?,
        ..CompileOptions::default()
    };
    match fuseline_hlsl::compile("shader.hlsl", text.as_bytes(), &options, &mut NoIncludes) {
        Ok(compiled) => Ok(Arc::new(compiled.program)),
        Err(failed) => Err(ShaderError::Text(failed)),
    }
}
