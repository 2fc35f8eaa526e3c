//! `switch`: labels, and no falling through (decisions.md, *switch fall-through*).

use super::operator::number_of;
use super::stmt::Hints;
use super::value::Value;
use super::{Checker, R, build};
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::{Stmt, StmtKind, SwitchArm};
use crate::span::Span;
use crate::types::{Scalar, Type};
use std::collections::HashMap;

impl<'a> Checker<'a, '_> {
    /// `switch (value) { … }`.
    pub(super) fn switch(
        &mut self,
        value: &'a ast::Expr,
        arms: &'a [ast::SwitchArm],
        hints: Hints,
    ) -> R<StmtKind> {
        let value = self.operand(value);
        // The labels of an `enum class` are values of it.
        let class = match &value {
            Ok(Value {
                ty: ty @ Type::Enum(e),
                ..
            }) if e.is_scoped => Some(ty.clone()),
            _ => None,
        };
        let value = value.and_then(|v| match class {
            Some(_) => Ok(number_of(v).into_expr()),
            None => self.index_value(v),
        });
        let mut seen: HashMap<u32, Span> = HashMap::new();
        let mut default: Option<Span> = None;
        let mut checked = Vec::with_capacity(arms.len());
        let mut labels = (Vec::new(), false);
        self.body.breakables += 1;
        for (i, arm) in arms.iter().enumerate() {
            self.labels(
                &arm.labels,
                class.as_ref(),
                &mut seen,
                &mut default,
                &mut labels,
            );
            let is_last = i + 1 == arms.len();
            if arm.stmts.is_empty() && !is_last {
                // Empty cases go with the one they fall into.
                continue;
            }
            self.body.names.open();
            let mut body = self.statements(&arm.stmts);
            self.body.names.close();
            if !is_last && !leaves(&body) {
                let at = arms[i + 1].labels.first().map_or(arm.span, |l| l.span);
                let diagnostic = Diagnostic::new(
                    Code::FallThrough,
                    at,
                    "the case before this one falls through into it",
                )
                .note(arm.span, "this is the case")
                .hint("end it with `break`; only empty cases may fall through");
                self.report(diagnostic);
            }
            if is_last && !leaves(&body) {
                body.push(Stmt {
                    kind: StmtKind::Break,
                    span: arm.span,
                });
            }
            let (values, is_default) = std::mem::take(&mut labels);
            checked.push(SwitchArm {
                values,
                default: is_default,
                body,
            });
        }
        self.body.breakables -= 1;
        let value = build::retype(value?, Type::Scalar(Scalar::Int));
        Ok(StmtKind::Switch {
            value,
            arms: checked,
            hint: hints.branch(),
        })
    }

    fn labels(
        &mut self,
        written: &'a [ast::CaseLabel],
        class: Option<&Type>,
        seen: &mut HashMap<u32, Span>,
        default: &mut Option<Span>,
        labels: &mut (Vec<u32>, bool),
    ) {
        for label in written {
            let before = match &label.value {
                None => {
                    labels.1 = true;
                    default.replace(label.span)
                }
                Some(value) => {
                    let Ok(n) = self.label(value, class) else {
                        continue;
                    };
                    labels.0.push(n);
                    seen.insert(n, label.span)
                }
            };
            if let Some(before) = before {
                let diagnostic =
                    Diagnostic::new(Code::DuplicateCase, label.span, "this case exists already")
                        .note(before, "it is here");
                self.report(diagnostic);
            }
        }
    }

    /// The value of a label; of that enum, if the switch is over an `enum class`.
    fn label(&mut self, label: &'a ast::Expr, class: Option<&Type>) -> R<u32> {
        let Some(class) = class else {
            return Ok(self.constant_int(label)? as u32);
        };
        let value = self.operand(label)?;
        let span = value.span;
        let value = self.convert(value, class, "")?;
        match self.fold(&value).as_deref() {
            Some([bits]) => Ok(*bits),
            _ => {
                let message = "the value must be known when the shader is compiled";
                Err(self.error(Code::NotConstant, span, message))
            }
        }
    }
}

/// Whether control never runs off the end of the statements.
pub(super) fn leaves(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| match &s.kind {
        StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) => true,
        StmtKind::Block(inner) => leaves(inner),
        StmtKind::If { then, els, .. } => leaves(then) && leaves(els),
        _ => false,
    })
}
