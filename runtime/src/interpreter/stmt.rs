//! Statements.

use super::{Interpreter, Result, ShadeError};
use fuseline_hlsl::hir::{Expr, Stmt, StmtKind, SwitchArm};
use fuseline_hlsl::span::Span;

/// Where control goes after a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// To the next one.
    Next,
    /// Out of the innermost loop or switch.
    Break,
    /// To the next iteration of the innermost loop.
    Continue,
    /// Out of the function, whose value is on top of the stack.
    Return,
}

impl Interpreter<'_> {
    /// Runs statements until one of them leaves.
    pub(super) fn block(&mut self, stmts: &[Stmt]) -> Result<Flow> {
        for stmt in stmts {
            self.enter(stmt.span)?;
            let flow = self.stmt(stmt)?;
            self.nesting -= 1;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<Flow> {
        match &stmt.kind {
            StmtKind::Declare(var, None) => self.variable_mut(*var).fill(0),
            StmtKind::Declare(var, Some(value)) => {
                self.eval(value)?;
                self.pop_into(*var);
            }
            StmtKind::Expr(expr) => {
                let base = self.stack.len();
                self.eval(expr)?;
                self.stack.truncate(base);
            }
            StmtKind::If {
                cond, then, els, ..
            } => {
                let taken = if self.condition(cond)? { then } else { els };
                return self.block(taken);
            }
            StmtKind::Loop {
                cond,
                test_first,
                body,
                step,
                ..
            } => return self.repeat(cond.as_ref(), *test_first, body, step, stmt.span),
            StmtKind::Switch { value, arms, .. } => return self.switch(value, arms),
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    self.eval(value)?;
                }
                return Ok(Flow::Return);
            }
            StmtKind::Block(body) => return self.block(body),
        }
        Ok(Flow::Next)
    }

    fn repeat(
        &mut self,
        cond: Option<&Expr>,
        test_first: bool,
        body: &[Stmt],
        step: &[Stmt],
        span: Span,
    ) -> Result<Flow> {
        let mut iterations = 0;
        loop {
            if test_first && !self.goes_on(cond)? {
                return Ok(Flow::Next);
            }
            if iterations == self.options.loop_limit {
                let limit = self.options.loop_limit;
                return Err(ShadeError::LoopLimit { limit, span });
            }
            iterations += 1;
            self.charge()?;
            match self.block(body)? {
                Flow::Next | Flow::Continue => {}
                Flow::Break => return Ok(Flow::Next),
                Flow::Return => return Ok(Flow::Return),
            }
            self.block(step)?;
            if !test_first && !self.goes_on(cond)? {
                return Ok(Flow::Next);
            }
        }
    }

    fn goes_on(&mut self, cond: Option<&Expr>) -> Result<bool> {
        cond.map_or(Ok(true), |cond| self.condition(cond))
    }

    fn condition(&mut self, cond: &Expr) -> Result<bool> {
        self.eval(cond)?;
        Ok(self.pop() != 0)
    }

    fn switch(&mut self, value: &Expr, arms: &[SwitchArm]) -> Result<Flow> {
        self.eval(value)?;
        let value = self.pop();
        let listed = arms.iter().find(|arm| arm.values.contains(&value));
        let Some(arm) = listed.or_else(|| arms.iter().find(|arm| arm.default)) else {
            return Ok(Flow::Next);
        };
        Ok(match self.block(&arm.body)? {
            Flow::Break => Flow::Next,
            flow => flow,
        })
    }
}
