//! Tests of the parser: the tree as text, the exact texts of syntax errors, and that nothing is too much for it.

mod errors;
mod hostile;
mod trees;

use super::parse;
use crate::{
    diagnostic::{Diagnostics, Severity},
    preprocess::{NoIncludes, Options, preprocess},
    profile::{HlslVersion, Profile},
    source::SourceMap,
};

/// The tree of a text, and what is said about it: `line:column message (hint)`.
fn parsed(text: &str) -> (String, Vec<String>) {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let main = sources
        .add("t.hlsl", text.as_bytes(), None)
        .expect("test texts are small");
    let options = Options {
        defines: Vec::new(),
        hlsl_version: HlslVersion::V2021,
        profile: Profile::VS_5_0,
    };
    let tokens = preprocess(
        &mut sources,
        main,
        &options,
        &mut NoIncludes,
        &mut diagnostics,
    );
    let unit = parse(&tokens, &mut diagnostics);
    let said = diagnostics.sorted(&sources).into_iter().map(|d| {
        let place = sources.location(d.span);
        let kind = match d.severity {
            Severity::Error => "",
            Severity::Warning => "warning: ",
            Severity::Note => "note: ",
        };
        let hint = d.hint.as_ref().map_or(String::new(), |h| format!(" ({h})"));
        format!("{}:{} {kind}{}{hint}", place.line, place.column, d.message)
    });
    (unit.to_string(), said.collect())
}

/// The tree of a text about which there is nothing to say.
fn tree(text: &str) -> String {
    let (tree, said) = parsed(text);
    assert_eq!(said, Vec::<String>::new(), "{tree}");
    tree
}

/// What is said about a text.
fn said(text: &str) -> Vec<String> {
    parsed(text).1
}
