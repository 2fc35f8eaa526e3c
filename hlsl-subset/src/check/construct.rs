//! Making values of parts: constructors and initialiser lists (hlsl-vs-semantics.md section 1). Both flatten: what
//! counts is the components, one after the other.

use super::value::{Value, leaves};
use super::{Checker, R, build};
use crate::ast::{self, ExprKind as Ast};
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::Expr;
use crate::span::Span;
use crate::types::{Scalar, Type};
use std::sync::Arc;

impl<'a> Checker<'a, '_> {
    /// `float3(a, b)`; with one argument a cast.
    pub(super) fn construct(
        &mut self,
        ty: &'a ast::Type,
        args: &'a [ast::Expr],
        span: Span,
    ) -> R<Value> {
        let ty = self.value_type(ty);
        let args = self.all(args);
        let (ty, mut args) = (ty?, args?);
        if args.len() == 1
            && let Some(only) = args.pop()
        {
            return Ok(Value::computed(self.cast(only, &ty, span)?));
        }
        if !ty.is_numeric() {
            let diagnostic = Diagnostic::new(
                Code::ConstructorCount,
                span,
                format!("`{ty}` has no constructor"),
            )
            .hint("initialise a variable with braces, or write `(S)0` for zeros");
            return Err(self.report(diagnostic));
        }
        let wanted = ty.components();
        let given: u32 = args
            .iter()
            .fold(0, |n, a| n.saturating_add(a.ty.components()));
        if given != wanted || args.is_empty() {
            let diagnostic = Diagnostic::new(
                Code::ConstructorCount,
                span,
                format!("`{ty}` takes {wanted} components, not {given}"),
            )
            .label(count_by_type(&args));
            return Err(self.report(diagnostic));
        }
        let parts = self.flatten(args, &ty)?;
        Ok(Value::computed(build::concat(parts, ty, span)))
    }

    /// All of a list of operands, every error in them reported.
    pub(super) fn all(&mut self, list: impl IntoIterator<Item = &'a ast::Expr>) -> R<Vec<Value>> {
        let values: Vec<_> = list.into_iter().map(|e| self.operand(e)).collect();
        values.into_iter().collect()
    }

    /// The components of all values, converted to those of `ty`; the counts are equal.
    fn flatten(&mut self, values: Vec<Value>, ty: &Type) -> R<Vec<Expr>> {
        let mut to = Vec::new();
        leaves(ty, &mut to);
        let mut parts = Vec::new();
        let mut at = 0;
        for value in values {
            let mut from = Vec::new();
            leaves(&value.ty, &mut from);
            if from.is_empty() {
                // A resource or sampler in a struct: there is nothing to it.
                continue;
            }
            let wanted: Vec<Scalar> = to[at..at + from.len()].to_vec();
            at += from.len();
            parts.extend(self.retarget(value.into_expr(), &from, &wanted));
        }
        Ok(parts)
    }

    /// The initialiser of a variable. An array of length 0 gets its length from it.
    pub(super) fn initializer(&mut self, init: &'a ast::Expr, ty: &Type, name: &str) -> R<Expr> {
        let Ast::InitList(list) = &init.kind else {
            let value = self.operand(init)?;
            if let (Type::Array(element, 0), Type::Array(given, n)) = (ty, &value.ty)
                && super::value::same_type(element, given)
            {
                let ty = Type::Array(element.clone(), *n);
                return self.convert(value, &ty, "");
            }
            return self.convert(value, ty, format_args!("to initialise `{name}`"));
        };
        let mut values = Vec::new();
        self.collect(list, &mut values)?;
        let given: u32 = values
            .iter()
            .fold(0, |n, v: &Value| n.saturating_add(v.ty.components()));
        let ty = self.opened(ty, given, init.span)?;
        let wanted = ty.components();
        if given != wanted || (given == 0 && values.is_empty()) {
            let few_or_many = if given < wanted { "few" } else { "many" };
            let message = format!(
                "too {few_or_many} values to initialise `{name}`: `{ty}` has {wanted} components, the list {given}"
            );
            let mut diagnostic = Diagnostic::new(Code::InitializerCount, init.span, message);
            if given < wanted {
                diagnostic = diagnostic.hint(format!("`({ty})0` makes all components zero"));
            }
            return Err(self.report(diagnostic));
        }
        let parts = self.flatten(values, &ty)?;
        Ok(build::concat(parts, ty, init.span))
    }

    /// The values of nested lists in order.
    fn collect(&mut self, list: &'a [ast::Expr], values: &mut Vec<Value>) -> R<()> {
        let mut outcome = Ok(());
        for e in list {
            let one = match &e.kind {
                Ast::InitList(inner) => self.collect(inner, values),
                _ => self.operand(e).map(|value| values.push(value)),
            };
            outcome = outcome.and(one);
        }
        outcome
    }

    /// An array type with the length that so many components give, where it is open.
    fn opened(&mut self, ty: &Type, given: u32, span: Span) -> R<Type> {
        let Type::Array(element, 0) = ty else {
            return Ok(ty.clone());
        };
        let each = element.components();
        if each == 0 || given == 0 || !given.is_multiple_of(each) {
            let message =
                format!("the list has {given} components, an element `{element}` has {each}");
            return Err(self.error(Code::InitializerCount, span, message));
        }
        let ty = Type::Array(Arc::clone(element), given / each);
        self.refuse_huge(&ty, span)?;
        Ok(ty)
    }
}

/// "float3 has 3, float 1": what a constructor was given.
fn count_by_type(args: &[Value]) -> String {
    let each: Vec<String> = args
        .iter()
        .map(|a| format!("`{}`: {}", a.ty, a.ty.components()))
        .collect();
    match each.is_empty() {
        true => "nothing is given".to_owned(),
        false => each.join(", "),
    }
}
