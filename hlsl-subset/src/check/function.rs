//! Functions: their signatures when they are declared, their bodies later. Must not know statements.

use super::module::{AttributeArg, FunctionAttribute, ModuleFunction, ParamDecl, Uses, ValueDecl};
use super::scope::{Entry, GLOBAL, LocalEntry, Overload, ReadOnly, ScopeId, Symbol, TypeSymbol};
use super::types::Written;
use super::value::same_type;
use super::variable::Waiting;
use super::{Body, Checker, Pending, R, Reported};
use crate::ast::{self, Binding, ModifierKind, Name};
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::{Expr, FuncId, Function, Param};
use crate::span::Span;
use crate::types::Type;
use std::rc::Rc;

/// What a call must know of a function; beside [`ModuleFunction`], under the same number.
pub(super) struct Signature<'a> {
    pub name: Name,
    pub order: u32,
    pub span: Span,
    /// Without a method's `this`.
    pub params: Rc<[SigParam]>,
    pub ret: Type,
    /// The struct whose objects it is a method of.
    pub this: Option<u32>,
    /// Its declaration has an error.
    pub broken: Option<Reported>,
    defaults: Vec<Option<Expr>>,
    decl: &'a ast::FunctionDecl,
}

/// A parameter as a call sees it.
#[derive(Clone)]
pub(super) struct SigParam {
    pub name: Name,
    pub ty: Type,
    pub is_in: bool,
    pub is_out: bool,
    pub has_default: bool,
    /// Declared with `half` or a `min…` type.
    pub is_low: bool,
}

impl Signature<'_> {
    /// As in `float3 light(float3 n, out float x)`.
    pub fn describe(&self) -> String {
        let params: Vec<String> = self
            .params
            .iter()
            .map(|p| {
                let word = match (p.is_in, p.is_out) {
                    (true, true) => "inout ",
                    (false, true) => "out ",
                    _ => "",
                };
                format!("{word}{} {}", p.ty, p.name).trim_end().to_owned()
            })
            .collect();
        format!("{} {}({})", self.ret, self.name, params.join(", "))
    }
}

/// Interpolation modifiers as written.
pub(super) fn interpolation(modifiers: &[ast::Modifier]) -> Vec<String> {
    use ModifierKind::*;
    modifiers
        .iter()
        .filter(|m| {
            matches!(
                m.kind,
                Nointerpolation | Linear | Centroid | Noperspective | Sample
            )
        })
        .map(|m| m.kind.as_str().to_owned())
        .collect()
}

/// The semantic among what stands behind colons.
pub(super) fn semantic(bindings: &[Binding]) -> Option<(String, Span)> {
    bindings.iter().find_map(|b| match b {
        Binding::Semantic(name) => Some((name.name.to_string(), name.span)),
        _ => None,
    })
}

impl<'a> Checker<'a, '_> {
    /// Declares a function, method, operator or template.
    pub(super) fn declare_function(
        &mut self,
        decl: &'a ast::FunctionDecl,
        attributes: &'a [ast::Attribute],
    ) {
        let order = self.next_order();
        let saved = self.scope;
        self.check_modifiers(&decl.modifiers, super::modifier::Place::Function);
        self.check_operator(decl);
        if decl.name.as_plain().is_none() {
            match self.usable(|checker| checker.scope_of(&decl.name)) {
                Ok(scope) => self.scope = scope,
                Err(_) => return,
            }
        }
        if let Some(args) = &decl.special {
            self.declare_special(decl, args, order);
        } else if decl.template.is_empty() {
            self.declare_plain(decl, attributes, order);
        } else {
            self.declare_template(decl, order);
        }
        self.scope = saved;
    }

    /// Operators are methods, and only those that make a new value exist (HLSL 2021).
    fn check_operator(&mut self, decl: &ast::FunctionDecl) {
        const ALLOWED: &[&str] = &[
            "+", "-", "*", "/", "%", "&", "|", "^", "&&", "||", "==", "!=", "<", ">", "<=", ">=",
            "[]", "()", "!", "~",
        ];
        let name = &decl.name.name;
        let Some(symbol) = name
            .name
            .strip_prefix("operator")
            .filter(|s| s.starts_with(|c: char| c.is_ascii_punctuation() && c != '_'))
        else {
            return;
        };
        let is_method =
            decl.name.as_plain().is_none() || self.scopes[self.scope.0 as usize].owner.is_some();
        if !ALLOWED.contains(&symbol) {
            let message = format!("the operator `{symbol}` cannot be defined");
            self.error(Code::BadDeclaration, name.span, message);
        } else if !is_method {
            let diagnostic = Diagnostic::new(
                Code::BadDeclaration,
                name.span,
                format!("the operator `{symbol}` is defined outside of a struct"),
            )
            .hint("make it a method of its first operand's struct");
            self.report(diagnostic);
        }
    }

    fn declare_plain(
        &mut self,
        decl: &'a ast::FunctionDecl,
        attributes: &'a [ast::Attribute],
        order: u32,
    ) {
        let scope = self.scope;
        let is_entry = scope == GLOBAL;
        let Ok(id) = self.add_function(decl, order) else {
            return;
        };
        let attributes = self.function_attributes(attributes);
        let function = &mut self.module.functions[id.0 as usize];
        function.attributes.extend(attributes);
        function.entry_candidate = is_entry;
        if decl.body.is_some() {
            self.pending.push_back(Pending {
                function: id,
                decl,
                scope,
                order,
            });
        }
    }

    /// The function of an intrinsic's text: known to nobody by name.
    pub(super) fn declare_text(&mut self, decl: &'a ast::FunctionDecl) -> R<FuncId> {
        let (signature, function) = self.signature(decl, self.now);
        if let Some(reported) = signature.broken {
            return Err(reported);
        }
        Ok(self.push_function(signature, function))
    }

    pub(super) fn push_function(
        &mut self,
        signature: Signature<'a>,
        function: ModuleFunction,
    ) -> FuncId {
        let id = FuncId(self.signatures.len() as u32);
        self.signatures.push(signature);
        self.module.functions.push(function);
        id
    }

    /// Adds a function to the overloads of its name in the current scope, or to the prototype it belongs to.
    pub(super) fn add_function(&mut self, decl: &'a ast::FunctionDecl, order: u32) -> R<FuncId> {
        let (signature, function) = self.signature(decl, order);
        let name = decl.name.name.name.clone();
        let span = decl.name.span;
        let existing = self.scopes[self.scope.0 as usize].values.get(&name);
        let overloads = match existing.map(|e| (&e.symbol, e.span)) {
            None => Rc::default(),
            Some((Symbol::Functions(overloads), _)) => Rc::clone(overloads),
            Some((Symbol::Error(reported), _)) => {
                let reported = *reported;
                return Err(self.again(reported));
            }
            Some((_, before)) => return Err(self.redefinition(&name, span, before)),
        };
        for overload in overloads.iter() {
            let Overload::Plain(id) = *overload else {
                continue;
            };
            if self.is_same_signature(id, &signature) {
                return self.merge(id, signature, function);
            }
        }
        let id = self.push_function(signature, function);
        self.add_overload(name, Overload::Plain(id), order, span);
        self.wait_for_defaults(id, decl);
        Ok(id)
    }

    /// Adds to the overloads of a name in the current scope.
    pub(super) fn add_overload(&mut self, name: Name, overload: Overload, order: u32, span: Span) {
        let scope = &mut self.scopes[self.scope.0 as usize];
        let entry = scope.values.entry(name).or_insert_with(|| Entry {
            order,
            span,
            symbol: Symbol::Functions(Rc::default()),
        });
        if let Symbol::Functions(overloads) = &mut entry.symbol {
            Rc::make_mut(overloads).push(overload);
        }
    }

    /// Says that a name is declared twice.
    pub(super) fn redefinition(&mut self, name: &str, span: Span, before: Span) -> Reported {
        let diagnostic = Diagnostic::new(
            Code::Redefinition,
            span,
            format!("`{name}` is declared already"),
        )
        .note(before, "it is declared here");
        self.report(diagnostic)
    }

    fn is_same_signature(&self, id: FuncId, other: &Signature) -> bool {
        let signature = &self.signatures[id.0 as usize];
        signature.params.len() == other.params.len()
            && signature.broken.is_none()
            && other.broken.is_none()
            && signature.params.iter().zip(&*other.params).all(|(a, b)| {
                same_type(&a.ty, &b.ty) && a.is_out == b.is_out && a.is_low == b.is_low
            })
    }

    /// A declaration of a function that is declared already: its body, or once more its prototype.
    fn merge(&mut self, id: FuncId, new: Signature<'a>, function: ModuleFunction) -> R<FuncId> {
        let old = &mut self.signatures[id.0 as usize];
        if !same_type(&old.ret, &new.ret) {
            let message = format!(
                "`{}` returns `{}` here, but `{}` where it is declared first",
                new.name, new.ret, old.ret
            );
            let diagnostic = Diagnostic::new(Code::Redefinition, new.span, message)
                .note(old.span, "it is declared here");
            return Err(self.report(diagnostic));
        }
        let has_body = new.decl.body.is_some();
        if has_body && self.module.functions[id.0 as usize].defined {
            let diagnostic = Diagnostic::new(
                Code::Redefinition,
                new.span,
                format!("`{}` has a body already", new.describe()),
            )
            .note(old.span, "it is defined here");
            return Err(self.report(diagnostic));
        }
        let both = || old.params.iter().zip(&*new.params);
        if let Some((_, param)) = both().find(|(old, new)| old.has_default && new.has_default) {
            let message = format!("the parameter `{}` has a default already", param.name);
            let diagnostic = Diagnostic::new(Code::Redefinition, new.span, message)
                .note(old.span, "it is declared here");
            return Err(self.report(diagnostic));
        }
        old.params = both()
            .map(|(old, new)| SigParam {
                name: if has_body { &new.name } else { &old.name }.clone(),
                has_default: old.has_default || new.has_default,
                ..old.clone()
            })
            .collect();
        if has_body {
            old.span = new.span;
            old.decl = new.decl;
            let attributes = std::mem::take(&mut self.module.functions[id.0 as usize].attributes);
            self.module.functions[id.0 as usize] = ModuleFunction {
                attributes,
                ..function
            };
        }
        self.wait_for_defaults(id, new.decl);
        Ok(id)
    }

    /// Resolves a function's types. Those that cannot be resolved make it broken: calls of it fail, but what is
    /// merely not supported counts for entries that reach it only.
    pub(super) fn signature(
        &mut self,
        decl: &'a ast::FunctionDecl,
        order: u32,
    ) -> (Signature<'a>, ModuleFunction) {
        let fresh = Body {
            deferred: true,
            ..Body::default()
        };
        let saved = std::mem::replace(&mut self.body, fresh);
        let mut broken = None;
        let ret = self.declared_type(&decl.ret, &decl.modifiers);
        let ret = ret.unwrap_or_else(|reported| {
            broken = Some(reported);
            Written {
                ty: Type::Void,
                row_major: None,
            }
        });
        let is_static = decl
            .modifiers
            .iter()
            .any(|m| m.kind == ModifierKind::Static);
        let owner = self.scopes[self.scope.0 as usize].owner;
        let this = owner.filter(|_| !is_static);
        let mut params = Vec::new();
        let mut decls = Vec::new();
        let mut hir_params = Vec::new();
        if let Some(owner) = this {
            let ty = Type::Struct(self.structs[owner as usize].ty.clone());
            let span = decl.name.span;
            let var = self.new_var("this", ty.clone(), span);
            hir_params.push(Param {
                var,
                is_in: true,
                is_out: true,
            });
            decls.push(ParamDecl {
                name: "this".to_owned(),
                value: ValueDecl {
                    ty,
                    semantic: None,
                    row_major: None,
                    interpolation: Vec::new(),
                    span,
                },
                uniform: false,
                primitive: None,
            });
        }
        let mut has_default = false;
        for param in &decl.params {
            if has_default && param.default.is_none() {
                let message = "a parameter behind one with a default needs a default, too";
                self.error(Code::BadModifier, param.span, message);
            }
            has_default |= param.default.is_some();
            match self.parameter(param) {
                Ok((sig, written, value)) => {
                    let var = self.new_var(&*sig.name, written, value.value.span);
                    hir_params.push(Param {
                        var,
                        is_in: sig.is_in,
                        is_out: sig.is_out,
                    });
                    params.push(sig);
                    decls.push(value);
                }
                Err(reported) => broken = Some(reported),
            }
        }
        let body = std::mem::replace(&mut self.body, saved);
        let prefix = &self.scopes[self.scope.0 as usize].prefix;
        let function = ModuleFunction {
            hir: Function {
                name: format!("{prefix}{}", decl.name.name.name),
                params: hir_params,
                ret: ret.ty.clone(),
                locals: Vec::new(),
                body: Vec::new(),
                span: decl.name.span,
            },
            defined: decl.body.is_some(),
            entry_candidate: false,
            params: decls,
            ret: ValueDecl {
                ty: ret.ty.clone(),
                semantic: semantic(&decl.bindings),
                row_major: ret.row_major,
                interpolation: interpolation(&decl.modifiers),
                span: decl.ret.span,
            },
            attributes: Vec::new(),
            uses: Uses {
                precise: decl
                    .modifiers
                    .iter()
                    .any(|m| m.kind == ModifierKind::Precise),
                ..body.uses
            },
        };
        let signature = Signature {
            name: decl.name.name.name.clone(),
            order,
            span: decl.name.span,
            defaults: vec![None; params.len()],
            params: params.into(),
            ret: ret.ty,
            this,
            broken,
            decl,
        };
        (signature, function)
    }

    fn parameter(&mut self, param: &'a ast::Param) -> R<(SigParam, Type, ParamDecl)> {
        use ModifierKind::*;
        let has = |kind| {
            param
                .modifiers
                .iter()
                .any(|m: &ast::Modifier| m.kind == kind)
        };
        self.check_modifiers(&param.modifiers, super::modifier::Place::Parameter);
        let written = self.declared_type(&param.ty, &param.modifiers)?;
        if written.ty == Type::Void {
            return Err(self.error(Code::BadType, param.ty.span, "a parameter cannot be `void`"));
        }
        let ty = self.array_type(written.ty, &param.dims, false)?;
        self.refuse_huge(&ty, param.span)?;
        let is_out = has(Out) || has(Inout);
        let is_in = !has(Out) || has(Inout) || has(In);
        let name: Name = param
            .name
            .as_ref()
            .map_or_else(|| "".into(), |n| n.name.clone());
        if has(Precise) {
            self.body.uses.precise = true;
        }
        if let (true, Some(default)) = (is_out, &param.default) {
            let message = format!("the `out` parameter `{name}` cannot have a default value");
            self.error(Code::BadModifier, default.span, message);
        }
        let primitive = param.modifiers.iter().find_map(|m| match m.kind {
            Point | Line | Triangle | Lineadj | Triangleadj => Some(m.kind.as_str().to_owned()),
            _ => None,
        });
        let decl = ParamDecl {
            name: name.to_string(),
            value: ValueDecl {
                ty: ty.clone(),
                semantic: semantic(&param.bindings),
                row_major: written.row_major,
                interpolation: interpolation(&param.modifiers),
                span: param.name.as_ref().map_or(param.span, |n| n.span),
            },
            uniform: has(Uniform),
            primitive,
        };
        let sig = SigParam {
            name,
            ty: ty.clone(),
            is_in,
            is_out,
            has_default: param.default.is_some() && !is_out,
            is_low: super::types::is_low_precision(&param.ty),
        };
        Ok((sig, ty, decl))
    }

    /// Puts the default arguments on the list of what is checked after all declarations, or checks them at once
    /// where that is over.
    pub(super) fn wait_for_defaults(&mut self, id: FuncId, decl: &'a ast::FunctionDecl) {
        for (index, param) in decl.params.iter().enumerate() {
            let Some(init) = &param.default else { continue };
            let waiting = Waiting::Default {
                function: id,
                index,
                init,
                scope: self.scope,
                order: self.now,
            };
            if self.laid_out {
                self.finish_waiting(waiting);
            } else {
                self.waiting.push(waiting);
            }
        }
    }

    /// Checks a default argument.
    pub(super) fn finish_default(&mut self, function: FuncId, index: usize, init: &'a ast::Expr) {
        let signature = &self.signatures[function.0 as usize];
        let Some(param) = signature.params.get(index) else {
            return;
        };
        let (ty, name) = (param.ty.clone(), param.name.clone());
        let saved = std::mem::take(&mut self.body);
        let value = self.operand(init).and_then(|value| {
            self.convert(value, &ty, format_args!("for the default of `{name}`"))
        });
        let body = std::mem::replace(&mut self.body, saved);
        if let Ok(value) = value {
            // What a default uses, each caller may use; the function itself is always reached then.
            let uses = &mut self.module.functions[function.0 as usize].uses;
            uses.calls.extend(body.uses.calls);
            uses.buffers.extend(body.uses.buffers);
            uses.statics.extend(body.uses.statics);
            self.signatures[function.0 as usize].defaults[index] = Some(value);
        }
    }

    /// The value of a parameter that a call leaves out.
    pub(super) fn default_argument(&mut self, function: FuncId, index: usize) -> Option<Expr> {
        let default = self.signatures[function.0 as usize].defaults[index].clone();
        if default.is_none() && !self.laid_out {
            self.needs_layout = true;
        }
        default
    }

    fn function_attributes(&mut self, attributes: &'a [ast::Attribute]) -> Vec<FunctionAttribute> {
        let mut list = Vec::new();
        // Attributes of other stages may hold anything.
        let outer = self.held.replace(Vec::new());
        for attribute in attributes {
            let mut args = Vec::new();
            for arg in &attribute.args {
                if let ast::ExprKind::Literal(ast::Literal::String(text)) = &arg.kind {
                    args.push(AttributeArg::Text(text.to_string()));
                } else if let Ok(n) = self.constant_int(arg) {
                    args.push(AttributeArg::Int(n));
                }
            }
            list.push(FunctionAttribute {
                name: attribute.name.to_string(),
                args,
                span: attribute.span,
            });
        }
        self.held = outer;
        list
    }

    /// Checks a body.
    pub(super) fn function_body(&mut self, pending: Pending<'a>) {
        let Pending {
            function,
            decl,
            scope,
            order,
        } = pending;
        let Some(block) = &decl.body else { return };
        let signature = &self.signatures[function.0 as usize];
        if signature.broken.is_some() {
            return;
        }
        let ret = signature.ret.clone();
        let this = signature.this;
        let uses = std::mem::take(&mut self.module.functions[function.0 as usize].uses);
        let fresh = Body {
            deferred: true,
            ret: Some(ret),
            scope: Some(scope),
            uses,
            ..Body::default()
        };
        let saved_body = std::mem::replace(&mut self.body, fresh);
        let saved_scope = std::mem::replace(&mut self.scope, scope);
        let saved_now = std::mem::replace(&mut self.now, order);
        self.body.names.open();
        self.declare_parameters(function, decl, this);
        let errors = self.errors;
        let stmts = self.statements(&block.stmts);
        self.body.names.close();
        if self.errors == errors {
            // Statements with errors are missing, so nothing could be said about the flow.
            self.check_flow(function, decl, &stmts);
        }
        let body = std::mem::replace(&mut self.body, saved_body);
        self.scope = saved_scope;
        self.now = saved_now;
        let checked = &mut self.module.functions[function.0 as usize];
        checked.hir.locals = body.locals;
        checked.hir.body = stmts;
        checked.uses = body.uses;
    }

    fn declare_parameters(
        &mut self,
        function: FuncId,
        decl: &'a ast::FunctionDecl,
        this: Option<u32>,
    ) {
        let vars: Vec<_> = self.module.functions[function.0 as usize]
            .hir
            .params
            .iter()
            .map(|p| p.var)
            .collect();
        let mut vars = vars.into_iter();
        if let Some(owner) = this
            && let Some(var) = vars.next()
        {
            self.body.this = Some((var, owner));
        }
        for (param, var) in decl.params.iter().zip(vars) {
            let Some(name) = &param.name else { continue };
            // Patches are only read.
            let is_patch =
                matches!(&param.ty.kind, ast::TypeKind::Object(name, _) if name.ends_with("Patch"));
            let is_const = is_patch
                || param
                    .modifiers
                    .iter()
                    .any(|m| m.kind == ModifierKind::Const);
            let symbol = Symbol::Var {
                var,
                read_only: is_const.then_some(ReadOnly::Parameter),
            };
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
        }
    }

    /// Opens a named scope inside the current one.
    pub(super) fn open_scope(&mut self, name: &str, owner: Option<u32>) -> ScopeId {
        let parent = self.scope;
        let prefix = match name {
            "" => self.scopes[parent.0 as usize].prefix.clone(),
            name => format!("{}{name}::", self.scopes[parent.0 as usize].prefix),
        };
        let id = ScopeId(self.scopes.len() as u32);
        self.scopes.push(super::scope::Scope {
            prefix,
            parent: Some(parent),
            owner,
            ..super::scope::Scope::default()
        });
        id
    }

    /// Declares a name of a type in the innermost block or named scope.
    pub(super) fn declare_type(&mut self, name: &ast::Ident, symbol: TypeSymbol<'a>) {
        let order = self.next_order();
        let entry = Entry {
            order,
            span: name.span,
            symbol,
        };
        if self.in_block() {
            if let Some(before) = self
                .body
                .names
                .declare(name.name.clone(), LocalEntry::Type(entry))
            {
                self.redefinition(&name.name, name.span, before);
            }
            return;
        }
        let types = &mut self.scopes[self.scope.0 as usize].types;
        if let Some(before) = types.get(&name.name)
            && !matches!(
                before.symbol,
                TypeSymbol::Incomplete | TypeSymbol::Unsupported(_) | TypeSymbol::Error(_)
            )
        {
            let is_same = match (&before.symbol, &entry.symbol) {
                (TypeSymbol::Type(a, _), TypeSymbol::Type(b, _)) => same_type(a, b),
                _ => false,
            };
            let before = before.span;
            if !is_same {
                self.redefinition(&name.name, name.span, before);
            }
            return;
        }
        types.insert(name.name.clone(), entry);
    }
}
