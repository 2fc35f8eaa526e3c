//! Texts to small numbers and back, so that macros are found by index.
//!
//! Must not know tokens beyond the reserved words.

use crate::token::{Name, RESERVED, Tok};
use std::collections::HashMap;

/// The number of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sym(u32);

impl Sym {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// All texts of a run. The reserved words come first.
pub(super) struct Names {
    list: Vec<Name>,
    by_text: HashMap<Name, Sym>,
}

impl Names {
    pub(super) fn new() -> Names {
        let mut names = Names {
            list: Vec::new(),
            by_text: HashMap::with_capacity(1024),
        };
        for (word, _) in RESERVED {
            names.intern(word);
        }
        names
    }

    pub(super) fn intern(&mut self, text: &str) -> Sym {
        if let Some(sym) = self.by_text.get(text) {
            return *sym;
        }
        let sym = Sym(self.list.len() as u32);
        let name = Name::from(text);
        self.list.push(name.clone());
        self.by_text.insert(name, sym);
        sym
    }

    pub(super) fn get(&self, sym: Sym) -> &Name {
        &self.list[sym.index()]
    }

    /// The token for a name: a reserved word or an identifier.
    pub(super) fn word(&self, sym: Sym) -> Tok {
        match RESERVED.get(sym.index()) {
            Some((_, word)) => word.clone(),
            None => Tok::Ident(self.get(sym).clone()),
        }
    }
}
