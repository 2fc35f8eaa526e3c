//! `fuseline draw`: runs the draws of a draw file, and shows or writes their results.

use super::{Common, EngineChoice, Refused, output_file, report};
use clap::Args;
use fuseline::{
    drawfile::{
        DrawFile,
        run::{Session, Settings},
    },
    output::{csv, json, model, table},
};
use fuseline_runtime::results::Results;
use std::path::{Path, PathBuf};

/// Runs the draws of draw files.
#[derive(Args, Debug)]
#[command(
    after_help = "Example: fuseline draw examples/teapot/teapot.draw.toml --engine both --stats -o teapot.png"
)]
pub struct DrawCommand {
    /// Draw files
    #[arg(required = true, value_name = "FILE.draw.toml")]
    files: Vec<PathBuf>,
    /// What runs the draws; `both` compares the engines bit for bit
    #[arg(long, value_enum, default_value = "jit")]
    engine: EngineChoice,
    /// Threads that the native code may use (default: all cores)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Write the results: .json, .csv, .obj or .png
    #[arg(short, value_name = "OUT")]
    output: Option<PathBuf>,
    /// The output that holds the position, for .obj and .png
    #[arg(long, value_name = "SEMANTIC")]
    position: Option<String>,
    /// Tell what was done
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    common: Common,
}

/// Kinds of output files.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Json,
    Csv,
    Obj,
    Png,
}

impl DrawCommand {
    /// Runs the draws.
    pub fn run(self) -> Result<bool, Refused> {
        let kind = self.output.as_deref().map(Kind::of).transpose()?;
        if self.output.is_some() && self.files.len() > 1 {
            return Err(Refused("error: -o takes one draw file".to_owned()));
        }
        let settings = self.common.settings(self.threads.map(usize::from))?;
        for path in &self.files {
            let results = self.run_file(path, &settings)?;
            match (&self.output, kind) {
                (Some(out), Some(kind)) => self.write(out, kind, &results)?,
                _ => {
                    for (i, results) in results.iter().enumerate() {
                        report::say(table::first_rows(i, results))?;
                    }
                }
            }
        }
        Ok(true)
    }

    fn run_file(&self, path: &Path, settings: &Settings) -> Result<Vec<Results>, Refused> {
        let session =
            Session::new(DrawFile::read(path)?, settings).map_err(|e| report::run_error(&e))?;
        if !self.common.quiet {
            report::warnings(&session);
        }
        let engines = self.engine.into();
        let start = std::time::Instant::now();
        let results = (0..session.draws())
            .map(|draw| session.draw(draw, engines))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| report::run_error(&e))?;
        if self.stats {
            report::statistics(path, &results, engines, start.elapsed());
        }
        Ok(results)
    }

    fn write(&self, out: &Path, kind: Kind, results: &[Results]) -> Result<(), Refused> {
        let position = self.position.as_deref();
        let geometry = |e: model::ModelError| Refused(format!("error: {e}"));
        output_file::write(out, |mut file| match kind {
            Kind::Json => Ok(json::write(&mut file, results)),
            Kind::Csv => Ok(csv::write(&mut file, results)),
            Kind::Obj => model::write_obj(&mut file, results, position).map_err(geometry),
            Kind::Png => {
                let picture = model::picture(results, position).map_err(geometry)?;
                Ok(file.write_all(&picture.png()?))
            }
        })
    }
}

impl Kind {
    fn of(path: &Path) -> Result<Kind, Refused> {
        match path.extension().and_then(|e| e.to_str()) {
            Some("json") => Ok(Kind::Json),
            Some("csv") => Ok(Kind::Csv),
            Some("obj") => Ok(Kind::Obj),
            Some("png") => Ok(Kind::Png),
            Some(later @ ("npz" | "ply")) => Err(Refused(format!(
                "error: .{later} files are not supported yet"
            ))),
            _ => Err(Refused(format!(
                "error: cannot tell what to write to {}: name a .json, .csv, .obj or .png file",
                path.display()
            ))),
        }
    }
}
