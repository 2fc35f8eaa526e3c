//! Templates of functions, structs and aliases: binding their parameters and making instances on demand.

use super::scope::{Entry, Overload, ScopeId, Symbol, TypeSymbol};
use super::types::Written;
use super::value::{Value, same_type};
use super::{Checker, MAX_INSTANCES, Pending, R, Reported};
use crate::ast::{self, Name, TemplateArg, TemplateParam, TemplateParamKind, TypeKind};
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::FuncId;
use crate::span::Span;
use crate::types::{Scalar, Type};

/// Deepest nesting of instances that are being made inside each other.
const MAX_DEPTH: u32 = 32;

/// A template.
pub(super) struct Template<'a> {
    pub name: Name,
    pub order: u32,
    pub span: Span,
    scope: ScopeId,
    kind: TemplateKind<'a>,
}

#[derive(Clone, Copy)]
enum TemplateKind<'a> {
    Function(&'a ast::FunctionDecl),
    Struct(&'a ast::StructDecl),
}

/// What a template parameter stands for in an instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bound {
    Type(Type),
    Value(Scalar, u32),
}

/// A template and its arguments.
pub(super) type InstanceKey = (usize, Vec<Bound>);

/// What has been made for a key.
#[derive(Clone)]
pub(super) enum Instance {
    Function(FuncId),
    Struct(R<Type>),
}

impl<'a> Checker<'a, '_> {
    /// Declares a function template.
    pub(super) fn declare_template(&mut self, decl: &'a ast::FunctionDecl, order: u32) {
        if decl.body.is_none() {
            // A prototype of a template says nothing that its definition does not.
            return;
        }
        let name = &decl.name.name;
        let index = self.add_template(name, order, TemplateKind::Function(decl));
        let existing = self.scopes[self.scope.0 as usize].values.get(&name.name);
        match existing.map(|e| (&e.symbol, e.span)) {
            None | Some((Symbol::Functions(_), _)) => {
                self.add_overload(
                    name.name.clone(),
                    Overload::Template(index),
                    order,
                    name.span,
                );
            }
            Some((_, before)) => {
                self.redefinition(&name.name, name.span, before);
            }
        }
    }

    /// `template<> float f<float>(float x) { … }`: what a template is for these arguments.
    pub(super) fn declare_special(
        &mut self,
        decl: &'a ast::FunctionDecl,
        args: &'a [TemplateArg],
        order: u32,
    ) {
        let name = &decl.name.name;
        let (mut signature, function) = self.signature(decl, order);
        signature.order = 0;
        let candidates: Vec<usize> = match self.scopes[self.scope.0 as usize].values.get(&name.name)
        {
            Some(Entry {
                symbol: Symbol::Functions(overloads),
                ..
            }) => overloads
                .iter()
                .filter_map(|o| match o {
                    Overload::Template(index) => Some(*index),
                    Overload::Plain(_) => None,
                })
                .collect(),
            _ => Vec::new(),
        };
        let params: Vec<Type> = signature.params.iter().map(|p| p.ty.clone()).collect();
        for index in candidates {
            let key = match self.bound_by_types(index, args, &params) {
                Ok(Some(bound)) => (index, bound),
                Ok(None) => continue,
                Err(_) => return,
            };
            if let Some(Instance::Function(id)) = self.instances.get(&key) {
                let before = self.signatures[id.0 as usize].span;
                self.redefinition(&name.name, name.span, before);
                return;
            }
            let id = self.push_function(signature, function);
            self.instances.insert(key, Instance::Function(id));
            self.wait_for_defaults(id, decl);
            if decl.body.is_some() {
                self.pending.push_back(Pending {
                    function: id,
                    decl,
                    scope: self.scope,
                    order,
                });
            }
            return;
        }
        let message = format!("there is no template `{}` that this specialises", name.name);
        let diagnostic = Diagnostic::new(Code::BadTemplate, name.span, message)
            .hint("the template stands before it, with parameters that fit these");
        self.report(diagnostic);
    }

    /// The arguments of a function template, where some are written and the others follow from the parameters' types.
    fn bound_by_types(
        &mut self,
        index: usize,
        explicit: &'a [TemplateArg],
        params: &[Type],
    ) -> R<Option<Vec<Bound>>> {
        let TemplateKind::Function(decl) = self.templates[index].kind else {
            return Ok(None);
        };
        if explicit.len() > decl.template.len() || params.len() != decl.params.len() {
            return Ok(None);
        }
        let mut bound = self.explicit(&decl.template, explicit)?;
        for (param, ty) in decl.params.iter().zip(params) {
            if !self.deduce_param(decl, &mut bound, param, ty) {
                return Ok(None);
            }
        }
        self.complete(index, &decl.template, bound)
    }

    /// Finds template parameters by an argument of a parameter; false where they contradict each other.
    fn deduce_param(
        &mut self,
        decl: &ast::FunctionDecl,
        bound: &mut [Option<Bound>],
        param: &ast::Param,
        actual: &Type,
    ) -> bool {
        let mut ty = actual;
        for dim in &param.dims {
            let Type::Array(element, len) = ty else {
                return false;
            };
            if let Some(len_expr) = &dim.len {
                bind_value(&decl.template, bound, len_expr, *len);
            }
            ty = element;
        }
        self.deduce(&decl.template, bound, &param.ty, ty)
    }

    /// Declares a struct template.
    pub(super) fn declare_struct_template(&mut self, decl: &'a ast::StructDecl) {
        let Some(name) = &decl.name else { return };
        let order = self.next_order();
        let index = self.add_template(name, order, TemplateKind::Struct(decl));
        self.declare_type(name, TypeSymbol::StructTemplate(index));
    }

    fn add_template(&mut self, name: &ast::Ident, order: u32, kind: TemplateKind<'a>) -> usize {
        self.templates.push(Template {
            name: name.name.clone(),
            order,
            span: name.span,
            scope: self.scope,
            kind,
        });
        self.templates.len() - 1
    }

    /// The instance of a function template for a call; None where its parameters cannot be found.
    pub(super) fn instantiate_function(
        &mut self,
        index: usize,
        explicit: &'a [TemplateArg],
        args: &[Value],
        span: Span,
    ) -> R<Option<FuncId>> {
        let TemplateKind::Function(decl) = self.templates[index].kind else {
            return Ok(None);
        };
        let mut bound = self.explicit(&decl.template, explicit)?;
        if explicit.len() > decl.template.len() || args.len() > decl.params.len() {
            return Ok(None);
        }
        for (param, arg) in decl.params.iter().zip(args) {
            if !self.deduce_param(decl, &mut bound, param, &arg.ty) {
                return Ok(None);
            }
        }
        let Some(bound) = self.complete(index, &decl.template, bound)? else {
            return Ok(None);
        };
        let key = (index, bound);
        if let Some(Instance::Function(id)) = self.instances.get(&key) {
            return Ok(Some(*id));
        }
        self.count_instance(span)?;
        let (saved_scope, saved_now) = (self.scope, self.now);
        let scope = self.bind(self.templates[index].scope, &decl.template, &key.1);
        self.scope = scope;
        let (mut signature, function) = self.signature(decl, saved_now);
        signature.order = 0;
        let id = self.push_function(signature, function);
        self.instances.insert(key, Instance::Function(id));
        self.wait_for_defaults(id, decl);
        self.pending.push_back(Pending {
            function: id,
            decl,
            scope,
            order: saved_now,
        });
        (self.scope, self.now) = (saved_scope, saved_now);
        Ok(Some(id))
    }

    /// The instance of a struct template.
    pub(super) fn instantiate_struct(
        &mut self,
        index: usize,
        args: &'a [TemplateArg],
        span: Span,
    ) -> R<Type> {
        let TemplateKind::Struct(decl) = self.templates[index].kind else {
            return Err(Reported(()));
        };
        let name = self.templates[index].name.clone();
        let bound = self.explicit(&decl.template, args)?;
        let bound = match self.complete(index, &decl.template, bound)? {
            Some(bound) if args.len() <= decl.template.len() => bound,
            _ => return Err(self.wrong_arguments(&name, decl.template.len(), args.len(), span)),
        };
        let key = (index, bound);
        if let Some(Instance::Struct(ty)) = self.instances.get(&key) {
            let ty = ty.clone();
            return ty.map_err(|reported| self.again(reported));
        }
        self.count_instance(span)?;
        if self.instance_depth >= MAX_DEPTH {
            let message = format!("instances of `{name}` are nested without end");
            return Err(self.error(Code::BadTemplate, span, message));
        }
        // While it is being made it is incomplete, so that it cannot contain itself.
        let diagnostic = Diagnostic::new(
            Code::IncompleteType,
            span,
            format!("the struct `{name}` contains itself"),
        );
        let full_name = format!("{name}<{}>", describe(&key.1));
        self.instances
            .insert(key.clone(), Instance::Struct(Err(Reported(()))));
        let saved = self.scope;
        self.instance_depth += 1;
        self.scope = self.bind(self.templates[index].scope, &decl.template, &key.1);
        let errors = self.errors;
        let ty = self.define_struct(decl, full_name);
        if ty.is_err() && self.errors == errors {
            self.report(diagnostic);
        }
        self.instances
            .insert(key.clone(), Instance::Struct(ty.clone()));
        if let Ok(Type::Struct(s)) = &ty {
            self.origins.insert(s.id, key);
            // Inside, the template's name without arguments is the instance.
            if let (Some(name), Ok(ty)) = (&decl.name, &ty) {
                let entry = Entry {
                    order: 0,
                    span: name.span,
                    symbol: TypeSymbol::Type(ty.clone(), None),
                };
                self.scopes[self.scope.0 as usize]
                    .types
                    .insert(name.name.clone(), entry);
            }
            let scope = self.structs[s.id as usize].scope;
            self.methods(decl, scope);
        }
        self.instance_depth -= 1;
        self.scope = saved;
        ty
    }

    /// What a template alias stands for with these arguments.
    pub(super) fn instantiate_alias(
        &mut self,
        decl: &'a ast::AliasDecl,
        scope: ScopeId,
        args: &'a [TemplateArg],
        span: Span,
    ) -> R<Written> {
        let bound = self.explicit(&decl.template, args)?;
        let bound: Option<Vec<Bound>> = bound.into_iter().collect();
        let Some(bound) = bound else {
            return Err(self.wrong_arguments(
                &decl.name.name,
                decl.template.len(),
                args.len(),
                span,
            ));
        };
        if self.instance_depth >= MAX_DEPTH {
            return Err(self.error(Code::BadTemplate, span, "aliases are nested without end"));
        }
        let saved = self.scope;
        self.instance_depth += 1;
        self.scope = self.bind(scope, &decl.template, &bound);
        let written = self.declared_type(&decl.ty, &decl.modifiers);
        self.instance_depth -= 1;
        self.scope = saved;
        written
    }

    fn wrong_arguments(&mut self, name: &str, wanted: usize, given: usize, span: Span) -> Reported {
        let message = format!("the template `{name}` takes {wanted} arguments, not {given}");
        self.error(Code::BadTemplate, span, message)
    }

    fn count_instance(&mut self, span: Span) -> R<()> {
        if self.instances.len() < MAX_INSTANCES {
            return Ok(());
        }
        let message =
            format!("the templates of this file have more than {MAX_INSTANCES} instances");
        Err(self.error(Code::BadTemplate, span, message))
    }

    /// The arguments that are written, in the order of the parameters.
    fn explicit(
        &mut self,
        params: &'a [TemplateParam],
        args: &'a [TemplateArg],
    ) -> R<Vec<Option<Bound>>> {
        let mut bound = vec![None; params.len()];
        for ((param, arg), slot) in params.iter().zip(args).zip(&mut bound) {
            *slot = Some(match &param.kind {
                TemplateParamKind::Type(_) => Bound::Type(self.type_argument(arg)?),
                TemplateParamKind::Value(ty, _) => {
                    let scalar = self.value_type(ty)?.scalar().unwrap_or(Scalar::Int);
                    Bound::Value(scalar, self.int_argument(arg)? as u32)
                }
            });
        }
        Ok(bound)
    }

    /// Fills in the defaults; None where a parameter stays without an argument.
    fn complete(
        &mut self,
        index: usize,
        params: &'a [TemplateParam],
        mut bound: Vec<Option<Bound>>,
    ) -> R<Option<Vec<Bound>>> {
        for i in 0..params.len() {
            if bound[i].is_some() {
                continue;
            }
            // A default may name the parameters before it.
            let known: Vec<Bound> = bound[..i].iter().flatten().cloned().collect();
            let saved = self.scope;
            self.scope = self.bind(self.templates[index].scope, &params[..i], &known);
            let default = match &params[i].kind {
                TemplateParamKind::Type(Some(ty)) => {
                    self.value_type(ty).map(|ty| Some(Bound::Type(ty)))
                }
                TemplateParamKind::Value(ty, Some(e)) => self.value_type(ty).and_then(|ty| {
                    let scalar = ty.scalar().unwrap_or(Scalar::Int);
                    Ok(Some(Bound::Value(scalar, self.constant_int(e)? as u32)))
                }),
                _ => Ok(None),
            };
            self.scope = saved;
            match default? {
                Some(value) => bound[i] = Some(value),
                None => return Ok(None),
            }
        }
        Ok(bound.into_iter().collect())
    }

    /// A scope in which the parameters stand for the arguments.
    fn bind(&mut self, parent: ScopeId, params: &[TemplateParam], bound: &[Bound]) -> ScopeId {
        let saved = std::mem::replace(&mut self.scope, parent);
        let owner = self.scopes[parent.0 as usize].owner;
        let scope = self.open_scope("", owner);
        self.scope = saved;
        let here = &mut self.scopes[scope.0 as usize];
        for (param, value) in params.iter().zip(bound) {
            let Some(name) = &param.name else { continue };
            let (order, span) = (0, name.span);
            match value {
                Bound::Type(ty) => {
                    let symbol = TypeSymbol::Type(ty.clone(), None);
                    here.types.insert(
                        name.name.clone(),
                        Entry {
                            order,
                            span,
                            symbol,
                        },
                    );
                }
                Bound::Value(scalar, bits) => {
                    let symbol = Symbol::Constant(Type::Scalar(*scalar), *bits);
                    here.values.insert(
                        name.name.clone(),
                        Entry {
                            order,
                            span,
                            symbol,
                        },
                    );
                }
            }
        }
        scope
    }

    /// Finds template parameters by comparing a parameter's written type with an argument's; false where they
    /// contradict each other.
    fn deduce(
        &mut self,
        params: &[TemplateParam],
        bound: &mut [Option<Bound>],
        written: &ast::Type,
        actual: &Type,
    ) -> bool {
        let scalar = |s: Scalar| Type::Scalar(s);
        match (&written.kind, actual) {
            (TypeKind::Named(path, args), _) if args.is_empty() => {
                let Some(name) = path.as_plain() else {
                    return true;
                };
                bind_type(params, bound, &name.name, actual)
            }
            (TypeKind::VectorTemplate(args), Type::Vector(s, n)) => {
                self.deduce_arg(params, bound, args.first(), &scalar(*s))
                    && deduce_size(params, bound, args.get(1), *n)
            }
            (TypeKind::VectorTemplate(args), Type::Scalar(s)) => {
                self.deduce_arg(params, bound, args.first(), &scalar(*s))
                    && deduce_size(params, bound, args.get(1), 1)
            }
            (TypeKind::MatrixTemplate(args), Type::Matrix(s, r, c)) => {
                self.deduce_arg(params, bound, args.first(), &scalar(*s))
                    && deduce_size(params, bound, args.get(1), *r)
                    && deduce_size(params, bound, args.get(2), *c)
            }
            (TypeKind::Object(_, args), Type::Object(object)) => match &object.element {
                Some(element) => {
                    let element = element.clone();
                    self.deduce_arg(params, bound, args.first(), &element)
                }
                None => true,
            },
            (TypeKind::Named(_, args), Type::Struct(s)) => {
                let Some((_, values)) = self.origins.get(&s.id).cloned() else {
                    return true;
                };
                args.iter().zip(&values).all(|(arg, value)| match value {
                    Bound::Type(ty) => self.deduce_arg(params, bound, Some(arg), ty),
                    Bound::Value(_, bits) => {
                        if let TemplateArg::Expr(e) = arg {
                            bind_value(params, bound, e, *bits);
                        }
                        true
                    }
                })
            }
            _ => true,
        }
    }

    fn deduce_arg(
        &mut self,
        params: &[TemplateParam],
        bound: &mut [Option<Bound>],
        arg: Option<&TemplateArg>,
        actual: &Type,
    ) -> bool {
        match arg {
            Some(TemplateArg::Type(_, ty)) => self.deduce(params, bound, ty, actual),
            _ => true,
        }
    }
}

/// The number of a template parameter by its name.
fn param_of(params: &[TemplateParam], name: &str) -> Option<usize> {
    params
        .iter()
        .position(|p| p.name.as_ref().is_some_and(|n| *n.name == *name))
}

fn bind_type(
    params: &[TemplateParam],
    bound: &mut [Option<Bound>],
    name: &str,
    actual: &Type,
) -> bool {
    let Some(slot) = param_of(params, name).and_then(|i| bound.get_mut(i)) else {
        return true;
    };
    match slot {
        None => {
            *slot = Some(Bound::Type(actual.clone()));
            true
        }
        Some(Bound::Type(ty)) => same_type(ty, actual) || (ty.is_numeric() && actual.is_numeric()),
        Some(Bound::Value(..)) => false,
    }
}

fn bind_value(
    params: &[TemplateParam],
    bound: &mut [Option<Bound>],
    written: &ast::Expr,
    actual: u32,
) {
    let ast::ExprKind::Name(path) = &written.kind else {
        return;
    };
    let Some(name) = path.as_plain() else { return };
    if let Some(slot @ None) = param_of(params, &name.name).and_then(|i| bound.get_mut(i)) {
        *slot = Some(Bound::Value(Scalar::Int, actual));
    }
}

fn deduce_size(
    params: &[TemplateParam],
    bound: &mut [Option<Bound>],
    arg: Option<&TemplateArg>,
    n: u8,
) -> bool {
    if let Some(TemplateArg::Expr(e)) = arg {
        bind_value(params, bound, e, u32::from(n));
    }
    true
}

/// Arguments as people write them.
fn describe(bound: &[Bound]) -> String {
    let each: Vec<String> = bound
        .iter()
        .map(|b| match b {
            Bound::Type(ty) => ty.to_string(),
            Bound::Value(Scalar::Uint, bits) => bits.to_string(),
            Bound::Value(_, bits) => (*bits as i32).to_string(),
        })
        .collect();
    each.join(", ")
}
