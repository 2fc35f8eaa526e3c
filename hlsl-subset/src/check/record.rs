//! Structs and enums.

use super::function::{interpolation, semantic};
use super::scope::{Entry, LocalEntry, Symbol, TypeSymbol};
use super::{Checker, R, Reported, StructInfo};
use crate::ast::{self, Item, ItemKind, ModifierKind, StructDecl, StructKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::span::Span;
use crate::types::{EnumType, Field, Scalar, StructType, Type};
use std::collections::HashMap;
use std::sync::Arc;

impl<'a> Checker<'a, '_> {
    /// Declares a struct with all its members; where that fails, gives what it stands for then.
    pub(super) fn declare_struct(&mut self, decl: &'a StructDecl) -> Result<Type, TypeSymbol<'a>> {
        if !decl.template.is_empty() {
            let message = "a struct template cannot stand where a type is wanted";
            let reported = self.error(Code::BadTemplate, decl.span, message);
            return Err(TypeSymbol::Error(reported));
        }
        let name = decl.name.as_ref().map_or("", |n| &n.name);
        if let Some(ident) = &decl.name {
            self.declare_type(ident, TypeSymbol::Incomplete);
        }
        let full_name = match name {
            "" => format!("<unnamed {}>", decl.kind.as_str()),
            name => format!("{}{name}", self.scopes[self.scope.0 as usize].prefix),
        };
        self.open_structs += 1;
        let outcome = self.usable(|checker| checker.define_struct(decl, full_name));
        self.open_structs -= 1;
        if let Some(ident) = &decl.name {
            let symbol = match &outcome {
                Ok(ty) => TypeSymbol::Type(ty.clone(), None),
                Err(symbol) => symbol.clone(),
            };
            self.complete_type(ident, symbol);
        }
        if let Ok(Type::Struct(s)) = &outcome {
            let scope = self.structs[s.id as usize].scope;
            self.waiting_methods.push((decl, scope));
        }
        // Methods of an inner struct may name the outer one.
        if self.open_structs == 0 {
            for (decl, scope) in std::mem::take(&mut self.waiting_methods) {
                self.methods(decl, scope);
            }
        }
        outcome
    }

    /// Replaces what stands for a type while it is incomplete.
    fn complete_type(&mut self, name: &ast::Ident, symbol: TypeSymbol<'a>) {
        if self.in_block() {
            let entry = Entry {
                order: 0,
                span: name.span,
                symbol,
            };
            self.body.names.replace_type(&name.name, entry);
            return;
        }
        let scope = &mut self.scopes[self.scope.0 as usize];
        if let Some(entry) = scope.types.get_mut(&name.name)
            && entry.span == name.span
        {
            entry.symbol = symbol;
        }
    }

    /// A struct's fields, nested types and static members; methods come when the type is complete.
    pub(super) fn define_struct(&mut self, decl: &'a StructDecl, full_name: String) -> R<Type> {
        let id = self.structs.len() as u32;
        let short = decl.name.as_ref().map_or("", |n| &n.name);
        let scope = self.open_scope(short, Some(id));
        self.structs.push(StructInfo {
            ty: Arc::new(StructType {
                name: full_name.clone(),
                id,
                fields: Vec::new(),
            }),
            scope,
            ancestors: Vec::new(),
            precise: false,
        });
        let mut fields = Vec::new();
        // What the fields' declarations say of precision is the struct's, not that of the function around it.
        let was_precise = std::mem::take(&mut self.body.uses.precise);
        let mut outcome = self.inherit(decl, id, scope, &mut fields);
        let saved = std::mem::replace(&mut self.scope, scope);
        let mut names = fields
            .iter()
            .map(|f: &Field| (f.name.as_str().into(), f.span))
            .collect();
        for member in &decl.members {
            let one = self.struct_member(member, &mut fields, &mut names);
            outcome = outcome.and(one);
        }
        self.scope = saved;
        let precise = std::mem::replace(&mut self.body.uses.precise, was_precise);
        outcome?;
        let ty = Arc::new(StructType {
            name: full_name,
            id,
            fields,
        });
        let info = &mut self.structs[id as usize];
        info.ty = Arc::clone(&ty);
        info.precise = precise;
        let ty = Type::Struct(ty);
        self.refuse_huge(&ty, decl.name.as_ref().map_or(decl.span, |n| n.span))?;
        Ok(ty)
    }

    /// The fields of the base come first, its scope is searched after the struct's own.
    fn inherit(
        &mut self,
        decl: &'a StructDecl,
        id: u32,
        scope: super::scope::ScopeId,
        fields: &mut Vec<Field>,
    ) -> R<()> {
        for base in &decl.bases {
            let ty = self.value_type(base)?;
            self.note_precise(&ty);
            let Type::Struct(s) = ty else {
                let message = format!("a struct inherits from structs, not from `{ty}`");
                return Err(self.error(Code::BadInheritance, base.span, message));
            };
            if !s.fields.is_empty() {
                if !fields.is_empty() {
                    let message = "a struct inherits the fields of one struct only";
                    return Err(self.error(Code::BadInheritance, base.span, message));
                }
                fields.extend(s.fields.iter().map(copy_field));
            }
            let info = &self.structs[s.id as usize];
            let (base_scope, mut ancestors) = (info.scope, info.ancestors.clone());
            ancestors.push(s.id);
            self.structs[id as usize].ancestors.extend(ancestors);
            self.scopes[scope.0 as usize].also.push(base_scope);
        }
        Ok(())
    }

    fn struct_member(
        &mut self,
        member: &'a Item,
        fields: &mut Vec<Field>,
        names: &mut HashMap<ast::Name, Span>,
    ) -> R<()> {
        match &member.kind {
            ItemKind::Variables(vars) if vars.has(ModifierKind::Static) => {
                self.declare_statics(vars);
                Ok(())
            }
            ItemKind::Variables(vars) => self.fields(vars, fields, names),
            ItemKind::Function(_) => Ok(()),
            _ => {
                self.item(member);
                Ok(())
            }
        }
    }

    fn fields(
        &mut self,
        vars: &'a ast::VarDecl,
        fields: &mut Vec<Field>,
        names: &mut HashMap<ast::Name, Span>,
    ) -> R<()> {
        self.check_modifiers(&vars.modifiers, super::modifier::Place::Field);
        let written = self.declared_type(&vars.ty, &vars.modifiers)?;
        self.body.uses.precise |= vars.has(ModifierKind::Precise);
        if written.ty == Type::Void {
            return Err(self.error(Code::BadType, vars.ty.span, "a field cannot be `void`"));
        }
        let mut outcome = Ok(());
        for declarator in &vars.declarators {
            let name = &declarator.name;
            let ty = match self.array_type(written.ty.clone(), &declarator.dims, false) {
                Ok(ty) => ty,
                Err(reported) => {
                    outcome = Err(reported);
                    continue;
                }
            };
            if let Some(before) = names.insert(name.name.clone(), name.span) {
                outcome = Err(self.redefinition(&name.name, name.span, before));
            }
            if let Some(init) = &declarator.init {
                let message = "fields of a struct have no initialisers";
                self.error(Code::MisplacedInitializer, init.span, message);
            }
            fields.push(Field {
                name: name.name.to_string(),
                ty,
                row_major: written.row_major,
                semantic: semantic(&declarator.bindings).map(|(text, _)| text),
                interpolation: interpolation(&vars.modifiers),
                span: name.span,
            });
        }
        outcome
    }

    /// Declares the methods of a complete struct.
    pub(super) fn methods(&mut self, decl: &'a StructDecl, scope: super::scope::ScopeId) {
        let saved = std::mem::replace(&mut self.scope, scope);
        for member in &decl.members {
            if let ItemKind::Function(function) = &member.kind {
                self.declare_function(function, &member.attributes);
            }
        }
        self.scope = saved;
    }

    /// `struct S;`
    pub(super) fn announce_struct(&mut self, kind: StructKind, name: &ast::Ident) {
        if self.find_type(&name.name).is_none() || kind == StructKind::Interface {
            self.declare_type(name, TypeSymbol::Incomplete);
        }
    }

    /// Declares an enum and its values.
    pub(super) fn declare_enum(&mut self, decl: &'a ast::EnumDecl) -> R<Type> {
        let scalar = match &decl.base {
            None => Scalar::Int,
            Some(base) => match self.value_type(base)? {
                Type::Scalar(s @ (Scalar::Int | Scalar::Uint | Scalar::Bool)) => s,
                other => {
                    let message =
                        format!("the values of an enum are integers or bools, not `{other}`");
                    return Err(self.error(Code::BadType, base.span, message));
                }
            },
        };
        let name = decl.name.as_ref().map_or("", |n| &n.name);
        let full_name = match name {
            "" => "<unnamed enum>".to_owned(),
            name => format!("{}{name}", self.scopes[self.scope.0 as usize].prefix),
        };
        let ty = Type::Enum(Arc::new(EnumType {
            name: full_name,
            id: self.enums,
            scalar,
            is_scoped: decl.is_class,
        }));
        self.enums += 1;
        let scope = self.open_scope(name, None);
        if let Some(name) = &decl.name {
            self.declare_type(name, TypeSymbol::Enum(scope, ty.clone()));
        }
        let mut next = 0i64;
        let mut outcome = Ok(());
        for (name, value) in &decl.values {
            if let Some(value) = value {
                match self.constant_int(value) {
                    Ok(n) => next = n,
                    Err(reported) => outcome = Err(reported),
                }
            }
            let symbol = Symbol::Constant(ty.clone(), next as u32);
            next += 1;
            let order = self.next_order();
            let entry = Entry {
                order,
                span: name.span,
                symbol,
            };
            self.scopes[scope.0 as usize]
                .values
                .insert(name.name.clone(), entry.clone());
            if !decl.is_class {
                self.declare_value(name, entry.symbol);
            }
        }
        outcome.map(|()| ty)
    }

    /// Declares a name of a value in the innermost block or named scope.
    pub(super) fn declare_value(&mut self, name: &ast::Ident, symbol: Symbol) {
        let order = self.next_order();
        if self.in_block() {
            let entry = Entry {
                order: 0,
                span: name.span,
                symbol,
            };
            if let Some(before) = self
                .body
                .names
                .declare(name.name.clone(), LocalEntry::Value(entry))
            {
                self.redefinition(&name.name, name.span, before);
            }
            return;
        }
        let entry = Entry {
            order,
            span: name.span,
            symbol,
        };
        let values = &mut self.scopes[self.scope.0 as usize].values;
        if let Some(before) = values.get(&name.name) {
            let before = before.span;
            self.redefinition(&name.name, name.span, before);
            return;
        }
        values.insert(name.name.clone(), entry);
    }

    /// `_Static_assert(cond, "message");`
    pub(super) fn static_assert(&mut self, cond: &'a ast::Expr, message: Option<&str>) {
        let Ok(value) = self.operand(cond).and_then(|value| self.condition(value)) else {
            return;
        };
        match self.fold(&value).as_deref() {
            Some([0]) => {
                let message = match message {
                    Some(text) => format!("static assertion failed: {text}"),
                    None => "static assertion failed".to_owned(),
                };
                self.error(Code::StaticAssert, cond.span, message);
            }
            Some(_) => {}
            None => {
                let message = "the condition must be known when the shader is compiled";
                self.report(Diagnostic::new(Code::NotConstant, cond.span, message));
            }
        }
    }

    /// A variable that could not be declared: uses of it say no more.
    pub(super) fn declare_lost(&mut self, name: &ast::Ident, reported: Reported) {
        self.declare_value(name, Symbol::Error(reported));
    }
}

fn copy_field(field: &Field) -> Field {
    Field {
        name: field.name.clone(),
        ty: field.ty.clone(),
        row_major: field.row_major,
        semantic: field.semantic.clone(),
        interpolation: field.interpolation.clone(),
        span: field.span,
    }
}
