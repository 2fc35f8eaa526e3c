//! Declarations in order: what each kind of item does. Must not know how any of them is carried out.

use super::scope::{Entry, GLOBAL, ScopeId, TypeSymbol};
use super::types::Written;
use super::{Checker, R};
use crate::ast::{self, Item, ItemKind};
use crate::diagnostic::Code;

impl<'a> Checker<'a, '_> {
    /// Declarations of the file, a namespace or a struct.
    pub(super) fn items(&mut self, items: &'a [Item]) {
        for item in items {
            self.item(item);
        }
    }

    /// A declaration.
    pub(super) fn item(&mut self, item: &'a Item) {
        match &item.kind {
            ItemKind::Function(decl) => self.declare_function(decl, &item.attributes),
            ItemKind::Variables(vars) => self.declare_globals(vars),
            ItemKind::Struct(decl) if !decl.template.is_empty() => {
                self.declare_struct_template(decl)
            }
            ItemKind::Struct(decl) => drop(self.declare_struct(decl)),
            ItemKind::Forward(kind, name) => self.announce_struct(*kind, name),
            ItemKind::Buffer(decl) => self.declare_buffer(decl, item.span),
            ItemKind::Typedef(vars) => self.declare_typedef(vars),
            ItemKind::Alias(decl) => self.declare_alias(decl),
            ItemKind::UsingNamespace(path) => {
                if let Ok(scope) = self.namespace(path) {
                    let here = &mut self.scopes[self.scope.0 as usize].also;
                    if !here.contains(&scope) {
                        here.push(scope);
                    }
                }
            }
            ItemKind::UsingName(path) => self.declare_using(path),
            ItemKind::Enum(decl) => drop(self.declare_enum(decl)),
            ItemKind::Namespace(decl) => self.declare_namespace(decl),
            ItemKind::StaticAssert(cond, message) => self.static_assert(cond, message.as_deref()),
            ItemKind::Empty => {}
            ItemKind::Error(names) => {
                self.said_by_parser();
                self.lost_names.extend(names.iter().cloned());
            }
        }
    }

    /// The namespace that a whole path names.
    fn namespace(&mut self, path: &ast::Path) -> R<ScopeId> {
        match self.type_of_path(path)?.symbol {
            TypeSymbol::Namespace(scope) => Ok(scope),
            _ => {
                let message = format!("`{path}` is no namespace");
                Err(self.error(Code::UnknownName, path.span, message))
            }
        }
    }

    fn declare_namespace(&mut self, decl: &'a ast::NamespaceDecl) {
        let Some(name) = &decl.name else {
            return self.items(&decl.items);
        };
        let here = &self.scopes[self.scope.0 as usize].types;
        let scope = match here.get(&name.name).map(|e| (&e.symbol, e.span)) {
            Some((TypeSymbol::Namespace(scope), _)) => *scope,
            Some((_, before)) => {
                self.redefinition(&name.name, name.span, before);
                return;
            }
            None => {
                let scope = self.open_scope(&name.name, None);
                self.declare_type(name, TypeSymbol::Namespace(scope));
                scope
            }
        };
        let saved = std::mem::replace(&mut self.scope, scope);
        self.items(&decl.items);
        self.scope = saved;
    }

    fn declare_typedef(&mut self, vars: &'a ast::VarDecl) {
        self.check_modifiers(&vars.modifiers, super::modifier::Place::Typedef);
        let written = self.usable(|checker| checker.declared_type(&vars.ty, &vars.modifiers));
        for declarator in &vars.declarators {
            self.refuse_semantic(declarator, "a typedef");
            let symbol = match &written {
                Ok(Written { ty, row_major }) => {
                    match self.array_type(ty.clone(), &declarator.dims, false) {
                        Ok(ty) => TypeSymbol::Type(ty, *row_major),
                        Err(reported) => TypeSymbol::Error(reported),
                    }
                }
                Err(symbol) => symbol.clone(),
            };
            self.declare_type(&declarator.name, symbol);
        }
    }

    fn declare_alias(&mut self, decl: &'a ast::AliasDecl) {
        let symbol = if decl.template.is_empty() {
            match self.usable(|checker| checker.declared_type(&decl.ty, &decl.modifiers)) {
                Ok(written) => TypeSymbol::Type(written.ty, written.row_major),
                Err(symbol) => symbol,
            }
        } else {
            TypeSymbol::AliasTemplate(decl, self.scope)
        };
        self.declare_type(&decl.name, symbol);
    }

    /// `using N::x;`: what the name stands for there, here.
    fn declare_using(&mut self, path: &'a ast::Path) {
        let Ok(from) = self.scope_of(path) else {
            return;
        };
        let name = &path.name;
        let scope = &self.scopes[from.0 as usize];
        let value = scope.values.get(&name.name).cloned();
        let ty = scope.types.get(&name.name).cloned();
        if value.is_none() && ty.is_none() {
            self.error(
                Code::UnknownName,
                path.span,
                format!("there is no `{path}`"),
            );
            return;
        }
        if let Some(Entry { symbol, .. }) = ty {
            self.declare_type(name, symbol);
        }
        if let Some(Entry { symbol, .. }) = value {
            self.declare_value(name, symbol);
        }
    }

    /// Whether declarations go into a block of a function rather than into a named scope.
    pub(super) fn in_block(&self) -> bool {
        self.body.names.is_open() && self.scope == self.body.scope.unwrap_or(GLOBAL)
    }
}
