//! Functions made from the HLSL text of composite intrinsics.
//!
//! A text is parsed once per process and kept: there are a few per intrinsic and shape, so their number is bounded.

use super::{Checker, Pending, R, Reported, scope::GLOBAL};
use crate::ast::{ItemKind, TranslationUnit};
use crate::diagnostic::Diagnostics;
use crate::hir::FuncId;
use crate::preprocess::{NoIncludes, Options, preprocess};
use crate::profile::{HlslVersion, Profile};
use crate::source::SourceMap;
use crate::span::Span;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

/// The syntax tree of a text; None for one that is wrong.
fn parsed(text: &str) -> Option<&'static TranslationUnit> {
    static UNITS: LazyLock<Mutex<HashMap<String, Option<&'static TranslationUnit>>>> =
        LazyLock::new(Mutex::default);
    let mut units = match UNITS.lock() {
        Ok(units) => units,
        Err(poisoned) => poisoned.into_inner(),
    };
    if let Some(unit) = units.get(text) {
        return *unit;
    }
    let unit = parse(text).map(|unit| &*Box::leak(Box::new(unit)));
    units.insert(text.to_owned(), unit);
    unit
}

/// Parses a text. Its spans are taken away: they would point into some file of the user's.
fn parse(text: &str) -> Option<TranslationUnit> {
    let mut map = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let main = map.add("intrinsic", text.as_bytes(), None).ok()?;
    let options = Options {
        defines: Vec::new(),
        hlsl_version: HlslVersion::V2018,
        profile: Profile::VS_5_0,
    };
    let mut tokens = preprocess(&mut map, main, &options, &mut NoIncludes, &mut diagnostics);
    for token in &mut tokens.list {
        token.span = Span::default();
    }
    let unit = crate::parser::parse(&tokens, &mut diagnostics);
    (!diagnostics.has_errors()).then_some(unit)
}

impl<'a> Checker<'a, '_> {
    /// The function that a text defines, checked on its first use.
    pub(super) fn text_function(&mut self, text: String) -> R<FuncId> {
        if let Some(id) = self.texts.get(&text) {
            return Ok(*id);
        }
        let item = parsed(&text).and_then(|unit| unit.items.first());
        let Some(ItemKind::Function(decl)) = item.map(|i| &i.kind) else {
            debug_assert!(false, "the text of an intrinsic does not parse: {text}");
            return Err(Reported(()));
        };
        let body = std::mem::take(&mut self.body);
        let scope = std::mem::replace(&mut self.scope, GLOBAL);
        let was_text = std::mem::replace(&mut self.in_text, true);
        let now = self.now;
        let id = self.declare_text(decl);
        if let Ok(id) = id {
            self.texts.insert(text, id);
            self.function_body(Pending {
                function: id,
                decl,
                scope: GLOBAL,
                order: now,
            });
        }
        self.in_text = was_text;
        self.scope = scope;
        self.now = now;
        self.body = body;
        id
    }
}
