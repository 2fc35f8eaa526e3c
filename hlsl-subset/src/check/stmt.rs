//! Statements (hlsl-vs-semantics.md section 12).

use super::module::When;
use super::{Checker, R};
use crate::ast::{self, Attribute, ItemKind, StmtKind as Ast};
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::{BranchHint, Expr, LoopHint, Stmt, StmtKind};
use crate::span::Span;
use crate::types::Type;

/// What the attributes of a statement ask for.
#[derive(Clone, Copy, Default)]
pub(super) struct Hints {
    branch: BranchHint,
    r#loop: LoopHint,
}

impl Hints {
    /// Of a condition.
    pub fn branch(self) -> BranchHint {
        self.branch
    }
}

/// Attributes of statements that mean something to other compilers and nothing here.
const WITHOUT_EFFECT: &[&str] = &["fastopt", "allow_uav_condition", "forcecase", "call"];

impl<'a> Checker<'a, '_> {
    /// Statements of a block whose scope is open already.
    pub(super) fn statements(&mut self, stmts: &'a [ast::Stmt]) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(stmts.len());
        let mut is_dead = false;
        let mut has_warned = false;
        for stmt in stmts {
            if is_dead && !has_warned && !matches!(stmt.kind, Ast::Empty | Ast::Error(_)) {
                has_warned = true;
                self.warn(
                    Code::UnreachableCode,
                    stmt.span,
                    "this statement is never reached",
                );
            }
            let before = out.len();
            self.statement(stmt, &mut out);
            is_dead |= super::switch::leaves(&out[before..]);
        }
        out
    }

    /// A statement; what it becomes goes to the end of `out`. Errors are reported and leave nothing.
    pub(super) fn statement(&mut self, stmt: &'a ast::Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let hints = self.hints(&stmt.attributes);
        let mut push = |kind| out.push(Stmt { kind, span });
        match &stmt.kind {
            Ast::Empty => {}
            Ast::Block(block) => {
                self.body.names.open();
                let stmts = self.statements(&block.stmts);
                self.body.names.close();
                push(StmtKind::Block(stmts));
            }
            Ast::Expr(e) => {
                if let Ok(value) = self.discarded(e) {
                    push(StmtKind::Expr(value));
                }
            }
            Ast::Variables(vars) => self.declare_locals(vars, out),
            Ast::Item(item) => match &item.kind {
                ItemKind::Variables(vars) => self.declare_locals(vars, out),
                ItemKind::Function(decl) => {
                    let message = "functions cannot be declared inside functions";
                    self.error(Code::BadDeclaration, decl.header, message);
                }
                _ => self.item(item),
            },
            Ast::If(chain) => self.if_chain(chain, hints, span, out),
            Ast::For {
                init,
                cond,
                step,
                body,
            } => {
                self.for_loop(init, cond.as_ref(), step.as_ref(), body, hints, span, out);
            }
            Ast::While { cond, body } => {
                let cond = self.operand(cond).and_then(|c| self.condition(c));
                let body = self.loop_body(body);
                if let Ok(cond) = cond {
                    push(loop_of(Some(cond), true, body, Vec::new(), hints));
                }
            }
            Ast::DoWhile { body, cond } => {
                let body = self.loop_body(body);
                let cond = self.operand(cond).and_then(|c| self.condition(c));
                if let Ok(cond) = cond {
                    push(loop_of(Some(cond), false, body, Vec::new(), hints));
                }
            }
            Ast::Switch { value, arms } => {
                if let Ok(kind) = self.switch(value, arms, hints) {
                    push(kind);
                }
            }
            Ast::Break if self.body.breakables == 0 => {
                self.error(
                    Code::MisplacedJump,
                    span,
                    "`break` stands in no loop or switch",
                );
            }
            Ast::Break => push(StmtKind::Break),
            Ast::Continue if self.body.loops == 0 => {
                self.error(Code::MisplacedJump, span, "`continue` stands in no loop");
            }
            Ast::Continue => push(StmtKind::Continue),
            Ast::Return(value) => {
                if let Ok(kind) = self.return_statement(value.as_ref(), span) {
                    push(kind);
                }
            }
            Ast::Discard => {
                let diagnostic = Diagnostic::new(
                    Code::RefusedIntrinsic,
                    span,
                    "`discard` discards a pixel, and a vertex shader has none",
                );
                self.obstacle(When::Vertex, diagnostic);
            }
            Ast::Error(names) => {
                self.said_by_parser();
                self.lost_names.extend(names.iter().cloned());
            }
        }
    }

    /// A statement in a scope of its own.
    pub(super) fn scoped(&mut self, stmt: &'a ast::Stmt) -> Vec<Stmt> {
        self.body.names.open();
        let stmts = self.unbraced(stmt);
        self.body.names.close();
        stmts
    }

    /// The statements of a block without one more block around them, or a single statement.
    fn unbraced(&mut self, stmt: &'a ast::Stmt) -> Vec<Stmt> {
        match &stmt.kind {
            Ast::Block(block) => {
                self.hints(&stmt.attributes);
                self.statements(&block.stmts)
            }
            _ => {
                let mut out = Vec::new();
                self.statement(stmt, &mut out);
                out
            }
        }
    }

    fn loop_body(&mut self, body: &'a ast::Stmt) -> Vec<Stmt> {
        self.body.loops += 1;
        self.body.breakables += 1;
        let stmts = self.scoped(body);
        self.body.loops -= 1;
        self.body.breakables -= 1;
        stmts
    }

    #[allow(clippy::too_many_arguments)]
    fn for_loop(
        &mut self,
        init: &'a ast::Stmt,
        cond: Option<&'a ast::Expr>,
        step: Option<&'a ast::Expr>,
        body: &'a ast::Stmt,
        hints: Hints,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        self.body.names.open();
        let mut before = Vec::new();
        self.statement(init, &mut before);
        let cond = cond
            .map(|c| self.operand(c).and_then(|c| self.condition(c)))
            .transpose();
        let step = step.map(|s| self.discarded(s)).transpose();
        let body = self.loop_body(body);
        self.body.names.close_leaking();
        let (Ok(cond), Ok(step)) = (cond, step) else {
            return;
        };
        let step = step
            .into_iter()
            .map(|e| Stmt {
                span: e.span,
                kind: StmtKind::Expr(e),
            })
            .collect();
        let kind = loop_of(cond, true, body, step, hints);
        // The variables may be seen after the loop, so no block goes around it; each has a name of its own anyway.
        out.extend(before);
        out.push(Stmt { kind, span });
    }

    fn return_statement(&mut self, value: Option<&'a ast::Expr>, span: Span) -> R<StmtKind> {
        let ret = self.body.ret.clone().unwrap_or(Type::Void);
        match (value, ret) {
            (None, Type::Void) => Ok(StmtKind::Return(None)),
            (None, ret) => {
                let message = format!("the function returns `{ret}`; a value is missing here");
                Err(self.error(Code::ReturnValue, span, message))
            }
            (Some(e), Type::Void) => {
                let value = self.expr(e)?;
                if value.ty == Type::Void {
                    // `return f();` with two functions without a value.
                    return Ok(StmtKind::Block(vec![
                        Stmt {
                            kind: StmtKind::Expr(value.into_expr()),
                            span,
                        },
                        Stmt {
                            kind: StmtKind::Return(None),
                            span,
                        },
                    ]));
                }
                let message = "the function returns `void`, so no value can be returned";
                Err(self.error(Code::ReturnValue, e.span, message))
            }
            (Some(e), ret) => {
                let value = self.operand(e)?;
                let value = self.convert(value, &ret, "to return it")?;
                Ok(StmtKind::Return(Some(value)))
            }
        }
    }

    /// What attributes ask for; what is unknown or contradicts is said.
    pub(super) fn hints(&mut self, attributes: &'a [Attribute]) -> Hints {
        let mut hints = Hints::default();
        for attribute in attributes {
            let Some(name) = attribute.name.as_plain().filter(|_| !attribute.double) else {
                // `[[vk::…]]` and the like are for other compilers.
                continue;
            };
            let lower = name.name.to_ascii_lowercase();
            match lower.as_str() {
                "unroll" | "loop" => {
                    let hint = if lower == "loop" {
                        LoopHint::Loop
                    } else {
                        LoopHint::Unroll
                    };
                    if hints.r#loop != LoopHint::None && hints.r#loop != hint {
                        let message = "`[loop]` and `[unroll]` exclude each other";
                        self.error(Code::AttributeConflict, attribute.span, message);
                    }
                    hints.r#loop = hint;
                    for arg in &attribute.args {
                        let _ = self.constant_int(arg);
                    }
                }
                "branch" | "flatten" => {
                    let hint = if lower == "branch" {
                        BranchHint::Branch
                    } else {
                        BranchHint::Flatten
                    };
                    if hints.branch != BranchHint::None && hints.branch != hint {
                        let message = "`[branch]` and `[flatten]` exclude each other";
                        self.error(Code::AttributeConflict, attribute.span, message);
                    }
                    hints.branch = hint;
                }
                other if WITHOUT_EFFECT.contains(&other) => {}
                _ => {
                    let message = format!(
                        "the attribute `{}` is not known and has no effect",
                        name.name
                    );
                    self.warn(Code::UnknownAttribute, attribute.span, message);
                }
            }
        }
        hints
    }
}

fn loop_of(
    cond: Option<Expr>,
    test_first: bool,
    body: Vec<Stmt>,
    step: Vec<Stmt>,
    hints: Hints,
) -> StmtKind {
    StmtKind::Loop {
        cond,
        test_first,
        body,
        step,
        hint: hints.r#loop,
    }
}
