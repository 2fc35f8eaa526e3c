//! Expressions: the walk over the tree, names, and everything that assigns. Must not know statements.

use super::lookup::Found;
use super::scope::{ReadOnly, Symbol};
use super::value::{Value, ValueKind, VarRef};
use super::{Checker, R, Reported, build};
use crate::ast::{self, BinaryOp, ExprKind as Ast, UnaryOp};
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::{Expr, ExprKind};
use crate::span::Span;
use crate::types::{Scalar, Type};

impl<'a> Checker<'a, '_> {
    /// An expression.
    pub(super) fn expr(&mut self, e: &'a ast::Expr) -> R<Value> {
        let value = self.expr_inner(e)?;
        Ok(Value {
            span: e.span,
            ..value
        })
    }

    fn expr_inner(&mut self, e: &'a ast::Expr) -> R<Value> {
        let span = e.span;
        match &e.kind {
            Ast::Literal(literal) => self.literal(literal, span),
            Ast::Name(path) => self.name(path),
            Ast::This => self.this(span),
            Ast::Unary(UnaryOp::PreInc, operand) => self.step(operand, BinaryOp::Add, false, span),
            Ast::Unary(UnaryOp::PreDec, operand) => self.step(operand, BinaryOp::Sub, false, span),
            Ast::Unary(UnaryOp::PostInc, operand) => self.step(operand, BinaryOp::Add, true, span),
            Ast::Unary(UnaryOp::PostDec, operand) => self.step(operand, BinaryOp::Sub, true, span),
            Ast::Unary(op, operand) => {
                let operand = self.operand(operand)?;
                self.unary(*op, operand, span)
            }
            Ast::Binary(op, a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                let (a, b) = (a?, b?);
                match op {
                    BinaryOp::And | BinaryOp::Or => self.logic(*op, a, b, span),
                    _ => self.binary(*op, a, b, span),
                }
            }
            Ast::Assign(None, target, value) => {
                let (target, value) = (self.expr(target), self.operand(value));
                let (target, value) = (target?, value?);
                self.assign(target, value, span)
            }
            Ast::Assign(Some(op), target, value) => {
                let (target, value) = (self.expr(target), self.operand(value));
                let (target, value) = (target?, value?);
                self.compound(*op, target, value, span)
            }
            Ast::Conditional(cond, a, b) => {
                let cond = self.operand(cond);
                let (a, b) = (self.operand(a), self.operand(b));
                let (cond, a, b) = (cond?, a?, b?);
                self.conditional(cond, a, b, span)
            }
            Ast::Comma(first, last) => {
                let first = self.discarded(first);
                let last = self.expr(last);
                let (first, last) = (first?, last?);
                let last = Expr {
                    span,
                    ..last.into_expr()
                };
                Ok(Value::computed(after(first, last)))
            }
            Ast::Cast(ty, operand) => {
                let ty = self.written_type(ty);
                let operand = self.expr(operand);
                let (ty, operand) = (ty?.ty, operand?);
                Ok(Value::computed(self.cast(operand, &ty, span)?))
            }
            Ast::Construct(ty, args) => self.construct(ty, args, span),
            Ast::Call(call) => self.call(call, span),
            Ast::MethodCall(call) => self.method_call(call, span),
            Ast::Member(object, member) => {
                let object = self.expr(object)?;
                self.member(object, member)
            }
            Ast::Index(object, index) => {
                let (object, index) = (self.expr(object), self.expr(index));
                self.index(object?, index?, span)
            }
            Ast::InitList(_) => {
                let diagnostic = Diagnostic::new(
                    Code::MisplacedInitializer,
                    span,
                    "braces initialise variables only",
                )
                .hint("a value is made with its type's name, as in `float2(a, b)`");
                Err(self.report(diagnostic))
            }
            Ast::SizeOfType(ty) => {
                let ty = self.value_type(ty)?;
                Ok(size_of(&ty, span))
            }
            Ast::SizeOfExpr(operand) => {
                let operand = self.operand(operand)?;
                Ok(size_of(&operand.ty, span))
            }
            Ast::Error => Err(self.said_by_parser()),
        }
    }

    /// An expression whose value is used: not void.
    pub(super) fn operand(&mut self, e: &'a ast::Expr) -> R<Value> {
        let value = self.expr(e)?;
        if value.ty == Type::Void {
            return Err(self.error(
                Code::BadOperands,
                e.span,
                "this has no value: the function returns `void`",
            ));
        }
        Ok(value)
    }

    /// An expression that is evaluated for its effects only.
    pub(super) fn discarded(&mut self, e: &'a ast::Expr) -> R<Expr> {
        let value = match &e.kind {
            Ast::Unary(UnaryOp::PostInc, operand) => {
                self.step(operand, BinaryOp::Add, false, e.span)?
            }
            Ast::Unary(UnaryOp::PostDec, operand) => {
                self.step(operand, BinaryOp::Sub, false, e.span)?
            }
            Ast::Comma(first, last) => {
                let (first, last) = (self.discarded(first), self.discarded(last));
                return Ok(after(first?, last?));
            }
            _ => self.expr(e)?,
        };
        let is_call = matches!(e.kind, Ast::Call(_) | Ast::MethodCall(_));
        let value = value.into_expr();
        if build::is_pure(&value) && value.ty != Type::Void && !is_call {
            let mut diagnostic =
                Diagnostic::new(Code::UnusedResult, e.span, "this expression has no effect");
            if let Ast::Binary(BinaryOp::Eq, ..) = e.kind {
                diagnostic = diagnostic.hint("`==` compares; did you mean `=`?");
            }
            self.report(diagnostic);
        }
        Ok(value)
    }

    fn name(&mut self, path: &'a ast::Path) -> R<Value> {
        let span = path.span;
        // Names that the language declares, all of them long.
        if path.name.name.len() > 12
            && let Some(known) = self.heap(path).or_else(|| self.ray_constant(path))
        {
            return Ok(known);
        }
        let symbol = match self.value_of(path, false)? {
            Found::Field(owner, index) => return self.own_field(owner, index, span),
            Found::Symbol(entry) => entry.symbol,
        };
        Ok(match symbol {
            Symbol::Var { var, read_only } => {
                let ty = self.module.vars[var.0 as usize].ty.clone();
                self.use_static(var);
                Value::variable(var, ty, read_only, span)
            }
            Symbol::Member(member) => {
                self.use_buffer(member.buffer);
                Value::member(&member, span)
            }
            Symbol::Loose(index) => return self.loose_global(index, span),
            Symbol::Buffers {
                first,
                count: None,
                member,
            } => {
                self.use_buffer(first);
                Value::member(&member, span)
            }
            Symbol::Buffers {
                first,
                count: Some(count),
                member,
            } => Value {
                ty: Type::Array(std::sync::Arc::new(member.ty.clone()), count),
                kind: ValueKind::Buffers { first, member },
                span,
                literal: false,
            },
            Symbol::Object(id, ty) => {
                if !self.body.uses.objects.contains(&id) {
                    self.body.uses.objects.push(id);
                }
                Value::computed(build::zero(&ty, span))
            }
            Symbol::Constant(ty, bits) => Value::computed(build::constant(vec![bits], ty, span)),
            Symbol::Functions(_) => {
                let message = format!("`{path}` is a function; call it with `{path}(…)`");
                return Err(self.error(Code::BadOperands, span, message));
            }
            Symbol::Unsupported(diagnostic) => {
                return Err(self.unsupported((*diagnostic).clone()));
            }
            Symbol::Text => return Err(self.text_as_value(span)),
            Symbol::Error(reported) => return Err(self.again(reported)),
        })
    }

    /// Notes that the body uses a buffer.
    pub(super) fn use_buffer(&mut self, buffer: crate::hir::ConstantBufferId) {
        let used = &mut self.body.uses.buffers;
        if !used.contains(&buffer) {
            used.push(buffer);
        }
    }

    /// Notes that the body uses a static, if it is one.
    pub(super) fn use_static(&mut self, var: crate::hir::VarId) {
        if self.is_static(var) && !self.body.uses.statics.contains(&var) {
            self.body.uses.statics.push(var);
        }
    }

    fn this(&mut self, span: Span) -> R<Value> {
        match self.body.this {
            Some((var, owner)) => {
                let ty = Type::Struct(self.structs[owner as usize].ty.clone());
                Ok(Value::variable(var, ty, None, span))
            }
            None => Err(self.error(Code::UnknownName, span, "`this` exists in methods only")),
        }
    }

    /// A field of the struct whose method is being checked, without `this.`.
    fn own_field(&mut self, owner: u32, index: usize, span: Span) -> R<Value> {
        let Some((var, this)) = self.body.this else {
            let name = self.structs[owner as usize].ty.fields[index].name.clone();
            let message = format!("the field `{name}` needs an object");
            return Err(self.error(Code::UnknownMember, span, message));
        };
        let ty = Type::Struct(self.structs[this as usize].ty.clone());
        Ok(Value::variable(var, ty, None, span).field(index, span))
    }

    /// The place that a value stands for, if it can be written; `done` as in "cannot be assigned".
    pub(super) fn place(&mut self, value: Value, done: &str) -> R<(Vec<Expr>, VarRef, Type)> {
        let span = value.span;
        match value.kind {
            ValueKind::Variable(v) if v.read_only.is_none() && v.repeats() => {
                let message = format!("a swizzle that names a component twice cannot be {done}");
                Err(self.error(Code::BadSwizzle, span, message))
            }
            ValueKind::Variable(mut v) if v.read_only.is_none() => {
                let before = std::mem::take(&mut v.before);
                Ok((before, v, value.ty))
            }
            kind => Err(self.not_assignable(&kind, done, span)),
        }
    }

    /// Says why a value cannot be written.
    fn not_assignable(&mut self, kind: &ValueKind, done: &str, span: Span) -> super::Reported {
        let (subject, why, hint) = match kind {
            ValueKind::Variable(v) => {
                let name = format!("`{}`", self.module.vars[v.var.0 as usize].name);
                let (why, hint) = match v.read_only {
                    Some(ReadOnly::Parameter) => {
                        ("it is a `const` parameter", "copy it to a local variable")
                    }
                    _ => ("it is `const`", ""),
                };
                (name, why, hint)
            }
            ValueKind::Memory(_) | ValueKind::Buffers { .. } => (
                "a constant".to_owned(),
                "loose globals and members of constant buffers are only read",
                "copy it to a local variable, or declare the global `static`",
            ),
            ValueKind::Computed(_) => {
                ("this".to_owned(), "it is a computed value, no variable", "")
            }
        };
        let message = format!("{subject} cannot be {done}: {why}");
        let mut diagnostic = Diagnostic::new(Code::NotAssignable, span, message);
        if let ValueKind::Variable(v) = kind {
            let declared = self.module.vars[v.var.0 as usize].span;
            diagnostic = diagnostic.note(declared, "it is declared here");
        }
        if !hint.is_empty() {
            diagnostic = diagnostic.hint(hint);
        }
        self.report(diagnostic)
    }

    /// `target = value`.
    fn assign(&mut self, target: Value, value: Value, span: Span) -> R<Value> {
        let (before, place, ty) = self.place(target, "assigned")?;
        let value = self.convert(value, &ty, "")?;
        Ok(Value::computed(store(before, place, value, ty, span)))
    }

    /// `target op= value`: the target's indices are evaluated once.
    fn compound(&mut self, op: BinaryOp, target: Value, value: Value, span: Span) -> R<Value> {
        let target_span = target.span;
        let (before, place, ty) = self.place(target, "assigned")?;
        let is_bitwise = matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor);
        if ty.scalar() == Some(Scalar::Bool) && !is_bitwise {
            let message = format!("`{}=` cannot be applied to `{ty}`", op.as_str());
            return Err(self.error(Code::BadOperands, span, message));
        }
        if let Type::Struct(s) = &ty {
            let scope = self.structs[s.id as usize].scope;
            let own = format!("operator{}=", op.as_str());
            if self.struct_value(scope, &own).is_some() {
                // Such an operator cannot be defined, and that was said.
                return Err(self.again(Reported(())));
            }
        }
        let old = Value {
            kind: ValueKind::Variable(place.clone()),
            ty: ty.clone(),
            span: target_span,
            literal: false,
        };
        let new = self.binary(op, old, value, span)?;
        let new = self.convert(new, &ty, "")?;
        Ok(Value::computed(store(before, place, new, ty, span)))
    }

    /// `++x`, `--x`, and the same behind it (`gives_old`).
    fn step(
        &mut self,
        operand: &'a ast::Expr,
        op: BinaryOp,
        gives_old: bool,
        span: Span,
    ) -> R<Value> {
        let target = self.expr(operand)?;
        let word = if op == BinaryOp::Add { "++" } else { "--" };
        let is_number = target.ty.is_numeric() && !matches!(target.ty, Type::Enum(_));
        if !is_number || target.ty.scalar() == Some(Scalar::Bool) {
            let message = format!("`{word}` cannot be applied to `{}`", target.ty);
            return Err(self.error(Code::BadOperands, span, message));
        }
        let target_span = target.span;
        let (mut before, place, ty) = self.place(target, "assigned")?;
        let load = |place: &VarRef| Value {
            kind: ValueKind::Variable(place.clone()),
            ty: ty.clone(),
            span: target_span,
            literal: false,
        };
        let one = Value::computed(build::one(&ty, span));
        if !gives_old {
            let new = self.binary(op, load(&place), one, span)?.into_expr();
            return Ok(Value::computed(store(before, place, new, ty, span)));
        }
        let (var, fill) = self.temporary(load(&place).into_expr());
        let old = build::load(var, &ty, span);
        let new = self
            .binary(op, Value::computed(old.clone()), one, span)?
            .into_expr();
        before.push(fill);
        before.push(store(Vec::new(), place, new, ty, span));
        Ok(Value::computed(build::sequence(before, old)))
    }
}

/// `first` for its effects, if it has any, then `last`.
fn after(first: Expr, last: Expr) -> Expr {
    match build::is_pure(&first) {
        true => last,
        false => build::sequence(vec![first], last),
    }
}

/// Stores a converted value.
pub(super) fn store(before: Vec<Expr>, place: VarRef, value: Expr, ty: Type, span: Span) -> Expr {
    let kind = ExprKind::Assign {
        place: place.into_place(ty.components()),
        value: Box::new(value),
    };
    build::sequence(before, build::expr(kind, ty, span))
}

fn size_of(ty: &Type, span: Span) -> Value {
    let bytes = ty.components().saturating_mul(4);
    Value::computed(build::constant(
        vec![bytes],
        Type::Scalar(Scalar::Uint),
        span,
    ))
}
