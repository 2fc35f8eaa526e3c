//! Makes the parser out of `src/grammar.lalrpop`.

fn main() {
    let result = lalrpop::Configuration::new()
        .use_cargo_dir_conventions()
        .emit_rerun_directives(true)
        .process();
    if let Err(error) = result {
        eprintln!("src/grammar.lalrpop: {error}");
        std::process::exit(1);
    }
}
