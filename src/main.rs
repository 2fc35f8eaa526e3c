//! The program `fuseline`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
