//! Every draw file under `tests/` holds on both engines, which agree bit for bit; the examples run on both.

use fuseline::drawfile::{
    DrawFile,
    run::{Engines, Session, Settings},
    suite::{self, Outcome},
};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Runs the draw files under a folder of `tests/cases`.
fn holds(folder: &str) {
    let files =
        suite::find(&[root().join("tests/cases").join(folder)]).expect("the folder can be read");
    let settings = Settings::default();
    let failures: Vec<String> = files
        .iter()
        .filter_map(|file| match suite::run(file, Engines::Both, &settings) {
            Outcome::Passed => None,
            Outcome::Failed(why) => Some(format!("{}: {why}", file.display())),
            Outcome::NothingExpected => Some(format!("{}: expects nothing", file.display())),
        })
        .collect();
    assert!(!files.is_empty(), "no draw file in {folder}");
    assert!(
        failures.is_empty(),
        "{} of {} fail:\n{}",
        failures.len(),
        files.len(),
        failures.join("\n")
    );
}

macro_rules! folders {
    ($($name:ident)*) => { $(
        #[test]
        fn $name() {
            holds(stringify!($name));
        }
    )* };
}

folders! { cbuffer draws errors formats language matrix programs topology views }

fn runs(example: &Path) {
    let file = DrawFile::read(example).expect("the example reads");
    let session = Session::new(file, &Settings::default()).expect("the example compiles");
    for draw in 0..session.draws() {
        let results = session
            .draw(draw, Engines::Both)
            .expect("the engines agree");
        assert!(results.rows() > 0);
    }
}

#[test]
fn the_examples_run_on_both_engines() {
    for example in ["teapot", "points"] {
        runs(&root().join(format!("examples/{example}/{example}.draw.toml")));
    }
}

#[test]
fn a_failing_expectation_says_what_was_wanted_and_what_came() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("wrong.draw.toml");
    let text = "
[shader]
source = '''
float4 main(uint id : SV_VertexID) : SV_Position { return float4(id, 0, 0, 1); }
'''
[[draw]]
call = \"Draw\"
topology = \"POINTLIST\"
vertex_count = 2
[[expect]]
output = \"SV_Position\"
rows = [[0, 0, 0, 1], [2, 0, 0, 1]]
";
    std::fs::write(&path, text).expect("the file is written");
    let wanted = "draw 0: SV_Position: 1 of 2 rows differ
  row 1: expected [2.0 (0x40000000), 0.0 (0x00000000), 0.0 (0x00000000), 1.0 (0x3F800000)], \
got [1.0 (0x3F800000), 0.0 (0x00000000), 0.0 (0x00000000), 1.0 (0x3F800000)]";
    assert_eq!(
        suite::run(&path, Engines::Both, &Settings::default()),
        Outcome::Failed(wanted.to_owned())
    );
}
