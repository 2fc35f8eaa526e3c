//! Finding what a name stands for, and saying so well where it stands for nothing.

use super::scope::{Entry, GLOBAL, ScopeId, Symbol, TypeSymbol, similar};
use super::{Checker, R, Reported};
use crate::ast::{Ident, Path};
use crate::diagnostic::{Code, Diagnostic};
use crate::span::Span;

/// What a name of a value was found to be.
pub(super) enum Found {
    /// A name of a block or of a named scope.
    Symbol(Entry<Symbol>),
    /// A field of the struct whose method is being checked.
    Field(u32, usize),
}

/// The outcome of a search that looks at the order of declarations.
enum Search<T> {
    Found(T),
    /// Only declared further down, there.
    Later(Span),
    Missing,
}

impl<'a> Checker<'a, '_> {
    /// What a path to a value stands for. `is_call`: the user is told about intrinsics with similar names, too.
    pub(super) fn value_of(&mut self, path: &Path, is_call: bool) -> R<Found> {
        match self.search_value(path)? {
            Search::Found(found) => Ok(found),
            Search::Later(declared) => {
                let diagnostic = Diagnostic::new(
                    Code::UsedBeforeDeclaration,
                    path.span,
                    format!("`{path}` is used before its declaration"),
                )
                .note(declared, "it is declared here")
                .hint("declare it above its first use; a function may have a prototype there");
                Err(self.report(diagnostic))
            }
            Search::Missing => Err(self.unknown_value(path, is_call)),
        }
    }

    /// The same where it is no error that the name stands for nothing.
    pub(super) fn try_value(&mut self, path: &Path) -> Option<Found> {
        match self.search_value(path) {
            Ok(Search::Found(found)) => Some(found),
            _ => None,
        }
    }

    fn search_value(&mut self, path: &Path) -> R<Search<Found>> {
        let name = &*path.name.name;
        if path.as_plain().is_none() {
            let scope = self.scope_of(path)?;
            return Ok(match self.value_in(scope, name, true, 0) {
                Some(entry) if entry.order <= self.now || self.is_struct(scope) => {
                    Search::Found(Found::Symbol(entry.clone()))
                }
                Some(entry) => Search::Later(entry.span),
                None => Search::Missing,
            });
        }
        if let Some(entry) = self.body.names.value(name) {
            return Ok(Search::Found(Found::Symbol(entry.clone())));
        }
        if let Some(entry) = self.body.names.leaked(name).cloned() {
            if self.is_2021() {
                let diagnostic = Diagnostic::new(
                    Code::UnknownName,
                    path.span,
                    format!("`{name}` belongs to a loop that has ended"),
                )
                .note(entry.span, "it is declared here")
                .hint("declare it before the loop");
                return Err(self.report(diagnostic));
            }
            let warning = Diagnostic::new(
                Code::LoopVariableLeaks,
                path.span,
                format!("`{name}` is used after its loop; HLSL 2021 does not allow this"),
            )
            .note(entry.span, "it is declared here");
            self.report(warning);
            return Ok(Search::Found(Found::Symbol(entry)));
        }
        if self.in_text {
            return Ok(Search::Missing);
        }
        let mut later = None;
        let mut scope = Some(self.scope);
        while let Some(id) = scope {
            let here = &self.scopes[id.0 as usize];
            let is_struct = here.owner.is_some();
            if let Some(owner) = here.owner
                && let Some(info) = self.structs.get(owner as usize)
                && let Some(index) = info.ty.fields.iter().rposition(|f| f.name == name)
            {
                return Ok(Search::Found(Found::Field(owner, index)));
            }
            match self.value_in(id, name, true, 0) {
                Some(entry) if entry.order <= self.now || is_struct => {
                    return Ok(Search::Found(Found::Symbol(entry.clone())));
                }
                Some(entry) => later = Some(entry.span),
                None => {}
            }
            scope = here.parent;
        }
        Ok(later.map_or(Search::Missing, Search::Later))
    }

    fn is_struct(&self, scope: ScopeId) -> bool {
        self.scopes[scope.0 as usize].owner.is_some()
    }

    /// A value in a named scope and in what it includes; `depth` bounds chains of `using`.
    fn value_in(
        &self,
        scope: ScopeId,
        name: &str,
        also: bool,
        depth: u32,
    ) -> Option<&Entry<Symbol>> {
        let here = self.scopes.get(scope.0 as usize)?;
        here.values.get(name).or_else(|| {
            let more = if also && depth < 16 {
                &here.also[..]
            } else {
                &[]
            };
            more.iter()
                .find_map(|id| self.value_in(*id, name, true, depth + 1))
        })
    }

    /// A type in a named scope and in what it includes.
    fn type_in(&self, scope: ScopeId, name: &str, depth: u32) -> Option<&Entry<TypeSymbol<'a>>> {
        let here = self.scopes.get(scope.0 as usize)?;
        here.types.get(name).or_else(|| {
            let more = if depth < 16 { &here.also[..] } else { &[] };
            more.iter()
                .find_map(|id| self.type_in(*id, name, depth + 1))
        })
    }

    /// A member of a struct's scope: a method, a static or an enum's value.
    pub(super) fn struct_value(&self, scope: ScopeId, name: &str) -> Option<&Entry<Symbol>> {
        self.value_in(scope, name, true, 0)
    }

    /// The type or namespace that a plain name stands for.
    pub(super) fn find_type(&self, name: &str) -> Option<Entry<TypeSymbol<'a>>> {
        if let Some(entry) = self.body.names.ty(name) {
            return Some(entry.clone());
        }
        let mut scope = Some(self.scope);
        while let Some(id) = scope {
            if let Some(entry) = self.type_in(id, name, 0) {
                return Some(entry.clone());
            }
            scope = self.scopes[id.0 as usize].parent;
        }
        None
    }

    /// What a path to a type stands for.
    pub(super) fn type_of_path(&mut self, path: &Path) -> R<Entry<TypeSymbol<'a>>> {
        let name = &*path.name.name;
        let found = match path.as_plain() {
            Some(ident) => self.find_type(name).or_else(|| {
                self.declare_ray_struct(ident);
                self.find_type(name)
            }),
            None => {
                let scope = self.scope_of(path)?;
                self.type_in(scope, name, 0).cloned()
            }
        };
        found.ok_or_else(|| self.unknown_type(path))
    }

    /// The named scope that stands before the last `::` of a path.
    pub(super) fn scope_of(&mut self, path: &Path) -> R<ScopeId> {
        let mut scopes = path.scopes.iter();
        let mut at = if path.global {
            GLOBAL
        } else {
            let Some(first) = scopes.next() else {
                return Ok(self.scope);
            };
            let found = self.find_type(&first.name);
            self.as_scope(first, found)?
        };
        for ident in scopes {
            let found = self.type_in(at, &ident.name, 0).cloned();
            at = self.as_scope(ident, found)?;
        }
        Ok(at)
    }

    fn as_scope(&mut self, ident: &Ident, found: Option<Entry<TypeSymbol<'a>>>) -> R<ScopeId> {
        match found.map(|e| e.symbol) {
            Some(TypeSymbol::Namespace(scope) | TypeSymbol::Enum(scope, _)) => Ok(scope),
            Some(TypeSymbol::Type(crate::types::Type::Struct(s), _)) => {
                Ok(self.structs[s.id as usize].scope)
            }
            // Inside its own body a struct is incomplete, but its scope is open.
            Some(TypeSymbol::Incomplete) => Ok(self.scope),
            Some(symbol @ (TypeSymbol::Unsupported(_) | TypeSymbol::Error(_))) => {
                Err(self.lost_type(symbol))
            }
            Some(_) => Err(self.error(
                Code::UnknownName,
                ident.span,
                format!("`{}` is neither a namespace nor a struct", ident.name),
            )),
            None => {
                let message = format!("there is no namespace or struct `{}`", ident.name);
                let names = self.type_names();
                let hint = similar(&ident.name, names.iter().map(|n| &**n)).map(str::to_owned);
                let mut diagnostic = Diagnostic::new(Code::UnknownName, ident.span, message);
                if let Some(name) = hint {
                    diagnostic = diagnostic.hint(format!("did you mean `{name}`?"));
                }
                Err(self.report(diagnostic))
            }
        }
    }

    fn type_names(&self) -> Vec<crate::ast::Name> {
        let mut names = Vec::new();
        let mut scope = Some(self.scope).filter(|_| !self.is_beyond_help());
        while let Some(id) = scope {
            let here = &self.scopes[id.0 as usize];
            names.extend(here.types.keys().cloned());
            scope = here.parent;
        }
        names
    }

    /// The name may have been declared in text that could not be parsed.
    pub(super) fn is_lost(&self, name: &str) -> bool {
        self.lost_names.iter().any(|n| **n == *name)
    }

    fn unknown_value(&mut self, path: &Path, is_call: bool) -> Reported {
        let name = &*path.name.name;
        if self.is_lost(name) {
            return self.again(Reported(()));
        }
        let message = match path.as_plain() {
            Some(_) if is_call => format!("there is no function `{name}`"),
            Some(_) => format!("`{name}` is not declared"),
            None => format!("there is no `{path}`"),
        };
        let mut diagnostic = Diagnostic::new(Code::UnknownName, path.span, message);
        if self.find_type(name).is_some() && path.as_plain().is_some() {
            diagnostic = diagnostic.hint(format!("`{name}` is a type; a value is wanted here"));
        } else if let Some(hint) = super::foreign::value_hint(name) {
            diagnostic = diagnostic.hint(hint);
        } else if let Some(similar) = self.similar_value(path, is_call) {
            diagnostic = diagnostic.hint(format!("did you mean `{similar}`?"));
        }
        self.report(diagnostic)
    }

    /// Whether so many errors were found that looking for similar names would take more time than it is worth.
    fn is_beyond_help(&self) -> bool {
        self.errors > 100
    }

    fn similar_value(&mut self, path: &Path, is_call: bool) -> Option<String> {
        if self.is_beyond_help() {
            return None;
        }
        let mut names: Vec<&str> = self.body.names.value_names().collect();
        let mut scope = match path.as_plain() {
            Some(_) => Some(self.scope),
            None => None,
        };
        while let Some(id) = scope {
            let here = &self.scopes[id.0 as usize];
            if let Some(info) = here.owner.and_then(|o| self.structs.get(o as usize)) {
                names.extend(info.ty.fields.iter().map(|f| &*f.name));
            }
            let visible = here.values.iter().filter(|(_, e)| e.order <= self.now);
            names.extend(visible.map(|(name, _)| &**name));
            scope = here.parent;
        }
        if is_call {
            names.extend(crate::intrinsics::all().map(|row| row.name));
        }
        similar(&path.name.name, names.into_iter()).map(str::to_owned)
    }

    pub(super) fn unknown_type(&mut self, path: &Path) -> Reported {
        let name = &*path.name.name;
        if self.is_lost(name) {
            return self.again(Reported(()));
        }
        let mut diagnostic = Diagnostic::new(
            Code::UnknownType,
            path.span,
            format!("there is no type `{path}`"),
        );
        let names = self.type_names();
        let known = names
            .iter()
            .map(|n| &**n)
            .chain(super::types::BUILT_IN.iter().copied());
        if let Some(hint) = super::foreign::type_hint(name) {
            diagnostic = diagnostic.hint(hint);
        } else if let Some(similar) = similar(name, known) {
            diagnostic = diagnostic.hint(format!("did you mean `{similar}`?"));
        }
        self.report(diagnostic)
    }
}
