//! Calls: finding the function, converting arguments, copying in and out (decisions.md, *argument evaluation*).

use super::function::SigParam;
use super::intrinsic_call::{ArgInfo, BuildCall, Meaning, Resolved, Unresolved};
use super::lookup::Found;
use super::scope::Symbol;
use super::value::{Value, ValueKind, VarRef};
use super::{Checker, R, Reported, build};
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::{Arg, Expr, ExprKind, FuncId, Place};
use crate::span::Span;
use crate::types::Type;
use std::fmt::Display;
use std::rc::Rc;

impl<'a> Checker<'a, '_> {
    /// `f(x)`.
    pub(super) fn call(&mut self, call: &'a ast::Call, span: Span) -> R<Value> {
        let path = &call.callee;
        let name = &*path.name.name;
        let args = match crate::intrinsics::takes_text(name) {
            true => self.all(call.args.iter().filter(|a| !is_text(a))),
            false => self.all(&call.args),
        };
        let found = self.try_value(path);
        let is_intrinsic = path.as_plain().is_some() && crate::intrinsics::find(name).is_some();
        let overloads = match found {
            Some(Found::Symbol(entry)) => match entry.symbol {
                Symbol::Functions(overloads) => overloads,
                Symbol::Error(reported) => return Err(self.again(reported)),
                _ if is_intrinsic => Rc::default(),
                symbol => return self.call_object(symbol, path, args?, span),
            },
            Some(Found::Field(owner, index)) => {
                let object = self.value_of_field(owner, index, path.span)?;
                return self.user_call(object, args?, span);
            }
            None if is_intrinsic => Rc::default(),
            None => {
                self.value_of(path, true)?;
                return Err(Reported(()));
            }
        };
        let args = args?;
        if overloads.is_empty() {
            return self.intrinsic_by_name(name, args, span);
        }
        let chosen = self.choose(
            name,
            &overloads,
            &call.template_args,
            &args,
            span,
            !is_intrinsic,
        )?;
        match chosen {
            Some(chosen) if chosen.is_exact || !is_intrinsic => {
                self.call_found(chosen.function, args, path, span)
            }
            Some(chosen) => {
                // An intrinsic that takes the arguments as they are is better than a function that does not.
                let infos = infos(&args);
                let fits = match crate::intrinsics::resolve(name, &infos, &self.options) {
                    Some(Ok(resolved)) => resolved
                        .params
                        .iter()
                        .zip(&args)
                        .all(|(p, a)| super::value::same_type(&p.ty, &a.ty)),
                    _ => false,
                };
                match fits {
                    true => self.intrinsic_by_name(name, args, span),
                    false => self.call_found(chosen.function, args, path, span),
                }
            }
            None => match self.resolve_intrinsic(name, &args) {
                Some(Ok(resolved)) => self.intrinsic(name, resolved, args, span),
                Some(Err(refused @ Unresolved::Refused { .. })) => {
                    self.refused_intrinsic(name, refused, span)
                }
                _ => {
                    self.choose(name, &overloads, &call.template_args, &args, span, true)?;
                    Err(Reported(()))
                }
            },
        }
    }

    fn value_of_field(&mut self, owner: u32, index: usize, span: Span) -> R<Value> {
        let Some((var, this)) = self.body.this else {
            let name = self.structs[owner as usize].ty.fields[index].name.clone();
            let message = format!("the field `{name}` needs an object");
            return Err(self.error(Code::UnknownMember, span, message));
        };
        let ty = Type::Struct(self.structs[this as usize].ty.clone());
        Ok(Value::variable(var, ty, None, span).field(index, span))
    }

    /// Something that is no function is called: an object with `operator()`, or a mistake.
    fn call_object(
        &mut self,
        symbol: Symbol,
        path: &ast::Path,
        args: Vec<Value>,
        span: Span,
    ) -> R<Value> {
        if let Symbol::Var { var, read_only } = symbol {
            let ty = self.module.vars[var.0 as usize].ty.clone();
            if let Type::Struct(_) = ty {
                let object = Value::variable(var, ty, read_only, path.span);
                return self.user_call(object, args, span);
            }
        }
        let message = format!("`{path}` is no function");
        Err(self.error(Code::NotCallable, path.span, message))
    }

    /// A function found by name: a method of the struct whose method is being checked gets its `this`.
    fn call_found(
        &mut self,
        function: FuncId,
        args: Vec<Value>,
        path: &ast::Path,
        span: Span,
    ) -> R<Value> {
        let Some(owner) = self.signatures[function.0 as usize].this else {
            return self.call_function(function, None, args, span);
        };
        let Some((var, this)) = self.body.this else {
            let message = format!("the method `{path}` needs an object");
            return Err(self.error(Code::NotCallable, path.span, message));
        };
        let ty = Type::Struct(self.structs[this as usize].ty.clone());
        let mut object = Value::variable(var, ty, None, path.span);
        if this != owner {
            let base = Type::Struct(self.structs[owner as usize].ty.clone());
            object = object.base(base, path.span);
        }
        self.call_function(function, Some(object), args, span)
    }

    /// `object.method(x)`.
    pub(super) fn method_call(&mut self, call: &'a ast::MethodCall, span: Span) -> R<Value> {
        let object = self.operand(&call.object);
        if let Ok(Value {
            ty: Type::Object(_),
            ..
        }) = &object
        {
            let args = self.all(&call.args);
            return self.object_method(object?, call, args?, span);
        }
        let args = self.all(&call.args);
        let (object, args) = (object?, args?);
        self.struct_method(object, &call.method, &call.template_args, args, span)
    }

    /// A method of a struct by name.
    pub(super) fn struct_method(
        &mut self,
        object: Value,
        method: &ast::Ident,
        template_args: &'a [ast::TemplateArg],
        args: Vec<Value>,
        span: Span,
    ) -> R<Value> {
        let Type::Struct(s) = &object.ty else {
            let message = format!("`{}` has no methods, so no `{}`", object.ty, method.name);
            return Err(self.error(Code::UnknownMember, method.span, message));
        };
        let id = s.id;
        let scope = self.structs[id as usize].scope;
        let entry = self
            .struct_value(scope, &method.name)
            .map(|e| e.symbol.clone());
        let Some(Symbol::Functions(overloads)) = entry else {
            if let Some(Symbol::Error(reported)) = entry {
                return Err(self.again(reported));
            }
            if self.is_lost(&method.name) {
                return Err(self.again(Reported(())));
            }
            let message = format!("`{}` has no method `{}`", object.ty, method.name);
            return Err(self.error(Code::UnknownMember, method.span, message));
        };
        let chosen = self.choose(&method.name, &overloads, template_args, &args, span, true)?;
        let Some(chosen) = chosen else {
            return Err(Reported(()));
        };
        match self.signatures[chosen.function.0 as usize].this {
            None => self.call_function(chosen.function, None, args, span),
            Some(owner) => {
                let mut object = object;
                if owner != id {
                    let base = Type::Struct(self.structs[owner as usize].ty.clone());
                    let at = object.span;
                    object = object.base(base, at);
                }
                self.call_function(chosen.function, Some(object), args, span)
            }
        }
    }

    /// Notes that the body calls a function.
    pub(super) fn use_function(&mut self, function: FuncId, span: Span) {
        let calls = &mut self.body.uses.calls;
        if !calls.iter().any(|(f, _)| *f == function) {
            calls.push((function, span));
        }
    }

    /// Calls a function whose overload is chosen.
    pub(super) fn call_function(
        &mut self,
        function: FuncId,
        object: Option<Value>,
        args: Vec<Value>,
        span: Span,
    ) -> R<Value> {
        self.use_function(function, span);
        let signature = &self.signatures[function.0 as usize];
        let ret = signature.ret.clone();
        let name = signature.name.clone();
        let params = Rc::clone(&signature.params);
        let mut list = ArgList::default();
        if let Some(object) = object {
            self.this_argument(object, &mut list);
        }
        let given = args.len();
        // Where one written argument needs a conversion on its way back, all of them go back after the call, so
        // that the order stays that of the arguments.
        let by_temporaries = args
            .iter()
            .zip(&*params)
            .any(|(a, p)| p.is_out && !super::value::same_type(&a.ty, &p.ty));
        let mut outcome = Ok(());
        for (arg, param) in args.into_iter().zip(&*params) {
            let one = match param.is_out {
                false => self
                    .convert(arg, &param.ty, for_parameter(param, &name))
                    .map(|input| {
                        list.push(self, Vec::new(), Some(input), None);
                    }),
                true => self.out_argument(arg, param, by_temporaries, &name, &mut list),
            };
            outcome = outcome.and(one);
        }
        outcome?;
        for i in given..params.len() {
            let Some(default) = self.default_argument(function, i) else {
                return Err(Reported(()));
            };
            list.push(self, Vec::new(), Some(Expr { span, ..default }), None);
        }
        Ok(Value::computed(self.finish_call(function, list, ret, span)))
    }

    /// The object of a method: written back where it can be.
    fn this_argument(&mut self, object: Value, list: &mut ArgList) {
        let is_writable = matches!(&object.kind, ValueKind::Variable(v) if v.read_only.is_none());
        let (ty, span) = (object.ty.clone(), object.span);
        match object.kind {
            ValueKind::Variable(place) if is_writable => {
                let (before, place) = self.frozen(place, &ty);
                let input = build::expr(ExprKind::Load(place.clone()), ty, span);
                list.push(self, before, Some(input), Some(place));
            }
            kind => {
                let value = Value {
                    kind,
                    ty: ty.clone(),
                    span,
                    literal: false,
                }
                .into_expr();
                let (var, fill) = self.temporary(value);
                let input = build::load(var, &ty, span);
                list.push(self, vec![fill], Some(input), Some(build::whole(var, &ty)));
            }
        }
    }

    fn out_argument(
        &mut self,
        arg: Value,
        param: &SigParam,
        by_temporary: bool,
        function: &str,
        list: &mut ArgList,
    ) -> R<()> {
        let (ty, span) = (arg.ty.clone(), arg.span);
        let (mut before, place, _) = self.place(arg, "passed as `out`")?;
        let (frozen, place) = self.frozen(place, &ty);
        before.extend(frozen);
        let input = match param.is_in {
            false => None,
            true => {
                let old = build::expr(ExprKind::Load(place.clone()), ty.clone(), span);
                let what = for_parameter(param, function);
                Some(self.convert(Value::computed(old), &param.ty, what)?)
            }
        };
        if !by_temporary {
            list.push(self, before, input, Some(place));
            return Ok(());
        }
        self.temporaries += 1;
        let name = format!("%{}", self.temporaries);
        let var = self.new_local(name, param.ty.clone(), span);
        let back = Value::computed(build::load(var, &param.ty, span));
        let back = self.convert(back, &ty, for_parameter(param, function))?;
        let kind = ExprKind::Assign {
            place,
            value: Box::new(back),
        };
        list.after.push(build::expr(kind, ty, span));
        list.push(self, before, input, Some(build::whole(var, &param.ty)));
        Ok(())
    }

    /// A place whose indices cannot change any more, and what has to be evaluated to make it so.
    fn frozen(&mut self, mut place: VarRef, ty: &Type) -> (Vec<Expr>, Place) {
        let mut before = std::mem::take(&mut place.before);
        for dynamic in &mut place.dynamic {
            let (index_ty, span) = (dynamic.index.ty.clone(), dynamic.index.span);
            let index = std::mem::replace(&mut dynamic.index, build::zero(&index_ty, span));
            let (var, fill) = self.temporary(index);
            before.push(fill);
            dynamic.index = build::load(var, &index_ty, span);
        }
        (before, place.into_place(ty.components()))
    }

    fn finish_call(&mut self, function: FuncId, list: ArgList, ret: Type, span: Span) -> Expr {
        let ArgList {
            mut before,
            args,
            after,
        } = list;
        let call = build::expr(ExprKind::Call { function, args }, ret.clone(), span);
        if after.is_empty() {
            return build::sequence(before, call);
        }
        if ret == Type::Void {
            before.push(call);
            before.extend(after);
            return build::sequence(before, build::constant(Vec::new(), Type::Void, span));
        }
        let (var, fill) = self.temporary(call);
        before.push(fill);
        before.extend(after);
        build::sequence(before, build::load(var, &ret, span))
    }

    fn resolve_intrinsic(
        &mut self,
        name: &str,
        args: &[Value],
    ) -> Option<Result<Resolved, Unresolved>> {
        crate::intrinsics::resolve(name, &infos(args), &self.options)
    }

    /// Calls an intrinsic, or says what is wrong with the arguments.
    pub(super) fn intrinsic_by_name(
        &mut self,
        name: &str,
        args: Vec<Value>,
        span: Span,
    ) -> R<Value> {
        match self.resolve_intrinsic(name, &args) {
            Some(Ok(resolved)) => self.intrinsic(name, resolved, args, span),
            Some(Err(Unresolved::Count(wanted))) => {
                let message = format!("`{name}` takes {wanted}, not {}", args.len());
                Err(self.error(Code::ArgumentCount, span, message))
            }
            Some(Err(Unresolved::Argument(index, why))) => {
                let (at, ty) = match args.get(index) {
                    Some(arg) => (arg.span, arg.ty.to_string()),
                    None => (span, String::new()),
                };
                let message = format!("argument {} of `{name}` {why}, it is `{ty}`", index + 1);
                Err(self.error(Code::NoMatchingOverload, at, message))
            }
            Some(Err(refused)) => self.refused_intrinsic(name, refused, span),
            None => Err(self.error(
                Code::UnknownName,
                span,
                format!("there is no function `{name}`"),
            )),
        }
    }

    fn refused_intrinsic(&mut self, name: &str, refused: Unresolved, span: Span) -> R<Value> {
        let Unresolved::Refused { when, reason, ret } = refused else {
            return Err(Reported(()));
        };
        let diagnostic =
            Diagnostic::new(Code::RefusedIntrinsic, span, format!("`{name}` {reason}"));
        self.obstacle(when, diagnostic);
        Ok(Value::computed(build::zero(&ret, span)))
    }

    fn intrinsic(
        &mut self,
        name: &str,
        resolved: Resolved,
        args: Vec<Value>,
        span: Span,
    ) -> R<Value> {
        match resolved.meaning {
            Meaning::Build(make) => {
                let mut converted = Vec::with_capacity(args.len());
                for (arg, param) in args.into_iter().zip(&resolved.params) {
                    converted.push(self.convert(arg, &param.ty, format_args!("for `{name}`"))?);
                }
                let call = BuildCall {
                    args: converted,
                    ret: resolved.ret,
                    span,
                    fold: &|e| self.fold(e),
                };
                Ok(Value::computed(make(call)))
            }
            Meaning::Text(text) => {
                let function = self.text_function(text)?;
                self.call_function(function, None, args, span)
            }
        }
    }

    /// The operator of a struct as a function, `operator+` and the like: a method of the first operand, or a
    /// function. None where neither operand is a struct or there is no such operator.
    pub(super) fn user_operator(
        &mut self,
        word: &str,
        operands: &[&Value],
        span: Span,
    ) -> R<Option<Value>> {
        let Some(first) = operands.first() else {
            return Ok(None);
        };
        if !operands.iter().any(|v| matches!(v.ty, Type::Struct(_))) {
            return Ok(None);
        }
        let name = format!("operator{word}");
        if let Type::Struct(s) = &first.ty {
            let scope = self.structs[s.id as usize].scope;
            if let Some(entry) = self.struct_value(scope, &name)
                && matches!(entry.symbol, Symbol::Functions(_))
            {
                let method = ast::Ident {
                    name: name.into(),
                    span,
                };
                let args = operands[1..].iter().map(|v| (*v).clone()).collect();
                return self
                    .struct_method((*first).clone(), &method, &[], args, span)
                    .map(Some);
            }
        }
        let ident = ast::Ident {
            name: name.clone().into(),
            span,
        };
        let path = ast::Path {
            global: false,
            scopes: Vec::new(),
            name: ident,
            span,
        };
        let Some(Found::Symbol(entry)) = self.try_value(&path) else {
            return Ok(None);
        };
        let Symbol::Functions(overloads) = entry.symbol else {
            return Ok(None);
        };
        let args: Vec<Value> = operands.iter().map(|v| (*v).clone()).collect();
        match self.choose(&name, &overloads, &[], &args, span, true)? {
            Some(chosen) => self
                .call_function(chosen.function, None, args, span)
                .map(Some),
            None => Ok(None),
        }
    }

    /// An operator with two operands that a struct defines.
    pub(super) fn user_binary(
        &mut self,
        op: ast::BinaryOp,
        a: &Value,
        b: &Value,
        span: Span,
    ) -> R<Option<Value>> {
        self.user_operator(op.as_str(), &[a, b], span)
    }

    /// An operator with one operand that a struct defines.
    pub(super) fn user_unary(
        &mut self,
        op: ast::UnaryOp,
        a: &Value,
        span: Span,
    ) -> R<Option<Value>> {
        self.user_operator(op.as_str(), &[a], span)
    }

    /// `object[index]` on a struct.
    pub(super) fn user_index(&mut self, object: Value, index: Value, span: Span) -> R<Value> {
        match self.user_operator("[]", &[&object, &index], span)? {
            Some(value) => Ok(value),
            None => {
                let message = format!("`{}` cannot be indexed", object.ty);
                Err(self.error(Code::CannotIndex, span, message))
            }
        }
    }

    /// `object(args)` on a struct.
    fn user_call(&mut self, object: Value, args: Vec<Value>, span: Span) -> R<Value> {
        let operands: Vec<&Value> = std::iter::once(&object).chain(&args).collect();
        match self.user_operator("()", &operands, span)? {
            Some(value) => Ok(value),
            None => {
                let message = format!("a value of type `{}` cannot be called", object.ty);
                Err(self.error(Code::NotCallable, object.span, message))
            }
        }
    }
}

/// What a conversion is for, as in "for the parameter `x` of `f`".
fn for_parameter(param: &SigParam, function: &str) -> impl Display {
    std::fmt::from_fn(move |f| write!(f, "for the parameter `{}` of `{function}`", param.name))
}

fn is_text(arg: &ast::Expr) -> bool {
    matches!(arg.kind, ast::ExprKind::Literal(ast::Literal::String(_)))
}

/// What the table of intrinsics may know of arguments.
fn infos(args: &[Value]) -> Vec<ArgInfo> {
    args.iter()
        .map(|a| ArgInfo {
            ty: match &a.ty {
                Type::Enum(e) if !e.is_scoped => Type::Scalar(e.scalar),
                other => other.clone(),
            },
            literal: a.literal,
            writable: matches!(&a.kind, ValueKind::Variable(v) if v.read_only.is_none() && !v.repeats()),
        })
        .collect()
}

/// The arguments of a call while they are collected.
#[derive(Default)]
struct ArgList {
    /// Evaluated before the call.
    before: Vec<Expr>,
    /// The arguments.
    args: Vec<Arg>,
    /// Evaluated after the call: what goes back through temporaries.
    after: Vec<Expr>,
}

impl ArgList {
    /// Adds an argument. Where something has to be evaluated before it, the arguments so far are evaluated before
    /// that, so that all happens in the order written.
    fn push(
        &mut self,
        checker: &mut Checker,
        before: Vec<Expr>,
        input: Option<Expr>,
        output: Option<Place>,
    ) {
        if !before.is_empty() {
            for arg in &mut self.args {
                let Some(input) = &mut arg.input else {
                    continue;
                };
                if matches!(input.kind, ExprKind::Constant(_)) {
                    continue;
                }
                let (ty, span) = (input.ty.clone(), input.span);
                let value = std::mem::replace(input, build::zero(&ty, span));
                let (var, fill) = checker.temporary(value);
                self.before.push(fill);
                *input = build::load(var, &ty, span);
            }
            self.before.extend(before);
        }
        self.args.push(Arg { input, output });
    }
}
