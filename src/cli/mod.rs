//! The command line (command-line.md): what it takes, and which part carries it out.
//!
//! Output that programs read goes to standard output, everything for people to standard error. Exit status: 0 all
//! well, 1 the input was refused or a test failed, 2 the command line itself was wrong.

mod bench;
mod check;
mod compile;
mod draw;
mod explain;
mod output_file;
mod report;
mod test;

use clap::{Args, Parser, Subcommand, ValueEnum};
use fuseline::drawfile::{
    Options,
    run::{Engines, Settings},
};
use fuseline_runtime::Threads;
use std::{ffi::OsString, path::PathBuf, process::ExitCode, sync::Arc};

/// Direct3D's Input Assembler and Vertex Shader on the CPU: HLSL compiled together with its vertex fetch.
#[derive(Debug, Parser)]
#[command(
    name = "fuseline",
    version,
    about,
    after_help = "Example: fuseline draw examples/teapot/teapot.draw.toml -o teapot.png"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check shaders without running them
    Check(check::Check),
    /// Show what the compiler makes of a shader
    Compile(compile::Compile),
    /// Run the draws of a draw file and show or write their results
    Draw(draw::DrawCommand),
    /// Run every draw file that says what it expects
    Test(test::Test),
    /// Measure compiling and running
    Bench(bench::Bench),
    /// Explain a diagnostic's code
    Explain(explain::Explain),
}

/// Options that all commands have.
#[derive(Args, Clone, Debug, Default)]
struct Common {
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]", global = true)]
    define: Vec<String>,
    /// Look for includes here, too
    #[arg(short = 'I', value_name = "DIR", global = true)]
    include: Vec<PathBuf>,
    /// Language version (default: by profile)
    #[arg(long, value_parser = ["2018", "2021"], global = true)]
    hlsl: Option<String>,
    /// Matrices are stored by rows where the shader does not say (-Zpr)
    #[arg(long, global = true)]
    row_major: bool,
    /// Fuse no multiplication with an addition
    #[arg(long, global = true)]
    strict_float: bool,
    /// What happens to denormal floats
    #[arg(long, value_enum, global = true)]
    denorm: Option<Denorm>,
    /// Say less
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Say more
    #[arg(short, long, global = true)]
    verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Denorm {
    /// They count as zero
    Flush,
    /// IEEE 754
    Preserve,
}

/// Which engines run a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EngineChoice {
    /// Native code
    Jit,
    /// The reference interpreter
    Interpreter,
    /// Both, compared bit for bit
    Both,
}

impl Common {
    /// Macros as name and value; a name alone is 1.
    fn defines(&self) -> Vec<(String, String)> {
        let split = |d: &String| match d.split_once('=') {
            Some((name, value)) => (name.to_owned(), value.to_owned()),
            None => (d.clone(), "1".to_owned()),
        };
        self.define.iter().map(split).collect()
    }

    /// What these options say to draw files; `threads` None: all cores.
    fn settings(&self, threads: Option<usize>) -> Result<Settings, Refused> {
        let threads = match threads {
            Some(1) => Threads::None,
            None => Threads::Global,
            Some(n) => Threads::Pool(Arc::new(
                rayon::ThreadPoolBuilder::new().num_threads(n).build()?,
            )),
        };
        Ok(Settings {
            defines: self.defines(),
            include_dirs: self.include.clone(),
            hlsl: self.hlsl.as_ref().and_then(|year| year.parse().ok()),
            row_major: self.row_major,
            options: Options {
                strict_float: self.strict_float.then_some(true),
                preserve_denormals: self.denorm.map(|d| d == Denorm::Preserve),
                ..Options::default()
            },
            threads,
        })
    }
}

impl From<EngineChoice> for Engines {
    fn from(choice: EngineChoice) -> Engines {
        match choice {
            EngineChoice::Jit => Engines::Jit,
            EngineChoice::Interpreter => Engines::Interpreter,
            EngineChoice::Both => Engines::Both,
        }
    }
}

/// Something that a command could not do: what is told, already complete.
#[derive(Debug)]
struct Refused(String);

impl<E: std::error::Error> From<E> for Refused {
    fn from(error: E) -> Refused {
        Refused(error.to_string())
    }
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let cli = Cli::parse_from(std::env::args_os().map(habit));
    let outcome = match cli.command {
        Command::Check(c) => c.run(),
        Command::Compile(c) => c.run(),
        Command::Draw(c) => c.run(),
        Command::Test(c) => c.run(),
        Command::Bench(c) => c.run(),
        Command::Explain(c) => c.run(),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(Refused(message)) => {
            report::error(&message);
            ExitCode::FAILURE
        }
    }
}

/// What fxc and dxc call an option that is spelled otherwise here.
fn habit(argument: OsString) -> OsString {
    match argument.to_str() {
        Some("-Zpr" | "/Zpr") => "--row-major".into(),
        Some("-Gis" | "/Gis") => "--strict-float".into(),
        _ => argument,
    }
}
