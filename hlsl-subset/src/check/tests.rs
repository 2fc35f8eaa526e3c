//! Tests of the checker on small texts.

mod cascades;
mod enums;
mod hir;
mod names;
mod objects;
mod refused;
mod robust;
mod statements;
mod values;

use super::check_module;
use super::module::Module;
use crate::diagnostic::{Diagnostics, Severity};
use crate::options::Options;
use crate::preprocess::{self, NoIncludes, preprocess};
use crate::profile::{HlslVersion, Profile};
use crate::source::SourceMap;

/// Checks a text; gives the module and what was said: `line:column severity code: message`, and below it notes and
/// hint.
fn check(text: &str, version: HlslVersion) -> (Module, String) {
    let mut map = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let main = map.add("test.hlsl", text.as_bytes(), None).expect("small");
    let options = preprocess::Options {
        defines: Vec::new(),
        hlsl_version: version,
        profile: Profile::VS_5_0,
    };
    let tokens = preprocess(&mut map, main, &options, &mut NoIncludes, &mut diagnostics);
    let unit = crate::parser::parse(&tokens, &mut diagnostics);
    let options = Options {
        version,
        ..Options::default()
    };
    let module = check_module(&unit, &options, &mut diagnostics);
    let said = shown(&map, &diagnostics);
    (module, said)
}

fn shown(map: &SourceMap, diagnostics: &Diagnostics) -> String {
    let mut lines = Vec::new();
    for d in diagnostics.sorted(map) {
        let at = map.location(d.span);
        let severity = match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let code = d.code.number();
        lines.push(format!(
            "{}:{} {severity} {code}: {}",
            at.line, at.column, d.message
        ));
        for (span, note) in &d.notes {
            let at = map.location(*span);
            lines.push(format!("  {}:{} {note}", at.line, at.column));
        }
        if let Some(hint) = &d.hint {
            lines.push(format!("  hint: {hint}"));
        }
    }
    lines.join("\n")
}

/// A text of the tables, whose further lines are indented there.
fn dedent(text: &str) -> String {
    text.replace("\n        ", "\n")
}

/// One test per row: what is said about a text.
macro_rules! cases {
    ($($name:ident, $version:ident, $text:expr => $said:expr;)*) => {$(
        #[test]
        fn $name() {
            let text = $crate::check::tests::dedent($text);
            let (_, said) = $crate::check::tests::check(&text, $crate::profile::HlslVersion::$version);
            assert_eq!(said, $crate::check::tests::dedent($said), "in\n{text}");
        }
    )*};
}
use cases;
