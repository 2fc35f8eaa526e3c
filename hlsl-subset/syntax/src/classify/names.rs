//! Which names mean types at a place of the text: scopes, as far as the grammar needs them. Must not know tokens.

use std::collections::HashMap;

/// What the grammar has to know about a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A type.
    Type,
    /// A template of functions: `<` behind it opens arguments.
    TemplateFunction,
    /// Anything else; matters where it hides a type.
    Other,
}

/// A struct, enum or namespace whose members `::` can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(u32);

/// What a name means, and the scope that `name::` opens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub meaning: Meaning,
    pub scope: Option<ScopeId>,
}

/// Where a block began; [`Names::leave`] goes back to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    undo: usize,
    visible: usize,
    within: Option<ScopeId>,
}

/// The names declared so far that matter.
#[derive(Debug, Default)]
pub(super) struct Names<'t> {
    lexical: HashMap<&'t str, Entry>,
    undo: Vec<(&'t str, Option<Entry>)>,
    members: HashMap<(ScopeId, &'t str), Entry>,
    /// Scopes whose members are seen without `::`, outermost first.
    visible: Vec<ScopeId>,
    /// The scope that declarations belong to.
    within: Option<ScopeId>,
    scopes: u32,
}

impl<'t> Names<'t> {
    pub fn lookup(&self, name: &str) -> Option<Entry> {
        if let Some(entry) = self.lexical.get(name) {
            return Some(*entry);
        }
        self.visible
            .iter()
            .rev()
            .find_map(|scope| self.member(*scope, name))
    }

    pub fn member(&self, scope: ScopeId, name: &str) -> Option<Entry> {
        self.members.get(&(scope, name)).copied()
    }

    pub fn declare(&mut self, name: &'t str, entry: Entry) {
        let before = self.lexical.insert(name, entry);
        self.undo.push((name, before));
        if let Some(scope) = self.within {
            self.members.insert((scope, name), entry);
        }
    }

    /// The scope that `name::` opens; made now if there is none yet.
    pub fn scope_of(&mut self, name: &'t str, meaning: Meaning) -> ScopeId {
        let known = match self.within {
            Some(scope) => self.member(scope, name),
            None => self.lexical.get(name).copied(),
        };
        if let Some(scope) = known.and_then(|e| e.scope) {
            return scope;
        }
        let scope = self.fresh_scope();
        self.declare(
            name,
            Entry {
                meaning,
                scope: Some(scope),
            },
        );
        scope
    }

    pub fn fresh_scope(&mut self) -> ScopeId {
        self.scopes += 1;
        ScopeId(self.scopes)
    }

    pub fn mark(&self) -> Mark {
        Mark {
            undo: self.undo.len(),
            visible: self.visible.len(),
            within: self.within,
        }
    }

    /// A block begins that belongs to no scope that `::` can reach.
    pub fn enter_block(&mut self) {
        self.within = None;
    }

    /// The body of a struct or namespace begins.
    pub fn enter(&mut self, scope: ScopeId) {
        self.visible.push(scope);
        self.within = Some(scope);
    }

    /// `using namespace`.
    pub fn import(&mut self, scope: ScopeId) {
        self.visible.push(scope);
    }

    pub fn leave(&mut self, mark: Mark) {
        for (name, before) in self.undo.drain(mark.undo..).rev() {
            match before {
                Some(entry) => self.lexical.insert(name, entry),
                None => self.lexical.remove(name),
            };
        }
        self.visible.truncate(mark.visible);
        self.within = mark.within;
    }
}
