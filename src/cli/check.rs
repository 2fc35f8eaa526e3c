//! `fuseline check`: shaders through the front end alone; draw files up to the point where they would run.

use super::{Common, Refused, report};
use clap::{Args, ValueEnum};
use fuseline::{
    drawfile::{
        DrawFile,
        run::{RunError, Session},
    },
    includes::Folders,
};
use fuseline_hlsl::{diagnostic::Diagnostics, options::CompileOptions, source::SourceMap};
use std::path::{Path, PathBuf};

/// Checks shaders, and draw files, without running them.
#[derive(Args, Debug)]
#[command(after_help = "Example: fuseline check examples/teapot/teapot.hlsl -E main -T vs_5_0")]
pub struct Check {
    /// Shader files; draw files (.draw.toml) with everything that they bind and draw
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Entry function; without -E and -T every function is checked and no entry is asked for
    #[arg(short = 'E', value_name = "ENTRY")]
    entry: Option<String>,
    /// Profile, vs_4_0 to vs_6_8 [default with -E: vs_5_0]
    #[arg(short = 'T', value_name = "PROFILE")]
    profile: Option<String>,
    /// How diagnostics are written: text for people, the others on standard output
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON array
    Json,
    /// file(line,col): error F0042: …
    Msvc,
}

impl Check {
    /// Checks the files; true where none has an error.
    pub fn run(self) -> Result<bool, Refused> {
        let mut good = true;
        for path in &self.files {
            if path.to_string_lossy().ends_with(".draw.toml") {
                good &= self.check_draws(path)?;
                continue;
            }
            let (sources, diagnostics) = self.check(path)?;
            good &= !diagnostics.has_errors();
            self.tell(&sources, &diagnostics)?;
        }
        Ok(good)
    }

    /// Tells the diagnostics of a shader in the form that was asked for.
    fn tell(&self, sources: &SourceMap, diagnostics: &Diagnostics) -> Result<(), Refused> {
        match self.format {
            Format::Text => report::diagnostics(sources, diagnostics, self.common.quiet),
            Format::Json => report::say(diagnostics.render_json(sources).trim_end())?,
            Format::Msvc if diagnostics.iter().next().is_some() => {
                report::say(diagnostics.render_msvc(sources).trim_end())?;
            }
            Format::Msvc => {}
        }
        Ok(())
    }

    /// Whether a draw file would run, as far as can be told without running it.
    fn check_draws(&self, path: &Path) -> Result<bool, Refused> {
        let settings = self.common.settings(Some(1))?;
        let session = match Session::new(DrawFile::read(path)?, &settings) {
            Ok(session) => session,
            Err(RunError::Shader(failed)) => {
                self.tell(&failed.sources, &failed.diagnostics)?;
                return Ok(false);
            }
            Err(error) => {
                report::error(&error.to_string());
                return Ok(false);
            }
        };
        let compiled = session.compiled();
        self.tell(&compiled.sources, &compiled.diagnostics)?;
        if !self.common.quiet {
            report::draw_warnings(&session);
        }
        let refused = session.refusals();
        for error in &refused {
            report::error(&error.to_string());
        }
        Ok(refused.is_empty())
    }

    fn check(&self, path: &Path) -> Result<(SourceMap, Diagnostics), Refused> {
        let (options, mut includes, source) =
            self.common
                .shader(path, self.entry.as_deref(), self.profile.as_deref())?;
        let name = path.display().to_string();
        if self.entry.is_none() && self.profile.is_none() {
            let checked = fuseline_hlsl::check(&name, &source, &options, &mut includes);
            return Ok((checked.sources, checked.diagnostics));
        }
        let checked = fuseline_hlsl::check_entry(&name, &source, &options, &mut includes);
        Ok((checked.sources, checked.diagnostics))
    }
}

impl Common {
    /// A shader file with the options that the command line gives it.
    pub(super) fn shader(
        &self,
        path: &Path,
        entry: Option<&str>,
        profile: Option<&str>,
    ) -> Result<(CompileOptions, Folders, Vec<u8>), Refused> {
        let source = std::fs::read(path)
            .map_err(|e| Refused(format!("error: cannot read {}: {e}", path.display())))?;
        let mut options = CompileOptions {
            defines: self.defines(),
            row_major: self.row_major,
            ..Default::default()
        };
        if let Some(entry) = entry {
            options.entry = entry.to_owned();
        }
        if let Some(profile) = profile {
            options.profile = profile
                .parse()
                .map_err(|e| Refused(format!("error: -T: {e}")))?;
        }
        if let Some(version) = &self.hlsl {
            options.hlsl = Some(
                version
                    .parse()
                    .map_err(|e| Refused(format!("error: --hlsl: {e}")))?,
            );
        }
        options.strict_float = self.strict_float;
        let folders = Folders {
            shader: path.parent().unwrap_or(Path::new("")).to_owned(),
            include_dirs: self.include.clone(),
        };
        Ok((options, folders, source))
    }
}
