//! `fuseline compile`: what the compiler makes of a shader, at every step.

use super::{Common, Refused, report};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Shows what the compiler makes of a shader.
#[derive(Args, Debug)]
#[command(
    after_help = "Example: fuseline compile examples/teapot/teapot.hlsl -E main -T vs_5_0 --emit kir,asm"
)]
pub struct Compile {
    /// Shader file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Entry function
    #[arg(short = 'E', value_name = "ENTRY")]
    entry: String,
    /// Profile, vs_4_0 to vs_6_8
    #[arg(short = 'T', value_name = "PROFILE")]
    profile: String,
    /// The layout and buffers of this draw file instead of one made from the shader's own inputs
    #[arg(long, value_name = "D.draw.toml")]
    draw: Option<PathBuf>,
    /// What to show
    #[arg(long, value_enum, value_delimiter = ',', required = true)]
    emit: Vec<Kind>,
    /// Write there; with several kinds, each to OUT.KIND
    #[arg(short, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// The syntax tree
    Ast,
    /// The checked program
    Hir,
    /// One vertex, scalar components
    Kir,
    /// Lanes
    Lir,
    /// Cranelift's IR
    Clif,
    /// Machine code, disassembled
    Asm,
    /// Signatures, constant buffers and the like as JSON
    Reflection,
}

impl Compile {
    /// Compiles and shows.
    pub fn run(self) -> Result<bool, Refused> {
        let _ = (&self.draw, &self.output, &self.emit);
        let (options, mut includes, source) =
            self.common
                .shader(&self.file, Some(&self.entry), Some(&self.profile))?;
        let name = self.file.display().to_string();
        match fuseline_hlsl::compile(&name, &source, &options, &mut includes) {
            Ok(compiled) => {
                report::diagnostics(&compiled.sources, &compiled.diagnostics, self.common.quiet);
                println!("{}", compiled.program);
                Ok(true)
            }
            Err(failed) => {
                report::diagnostics(&failed.sources, &failed.diagnostics, self.common.quiet);
                Ok(false)
            }
        }
    }
}
