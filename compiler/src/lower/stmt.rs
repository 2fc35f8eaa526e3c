//! Statements. What leaves a list of statements early sets a flag, a Bool in a slot of its own; what stands behind it is
//! conditional on the flags. Flags are values like all others, so that they fold away where control cannot have left,
//! or must have.

use super::{Lower, Result, Values};
use crate::kir::Value;
use fuseline_hlsl::hir::{BranchHint, Expr, Stmt, StmtKind, SwitchArm};
use fuseline_numerics::op::{Kind, Op};

/// Whether control never gets behind the list, as far as its last statement shows.
fn always_leaves(stmts: &[Stmt]) -> bool {
    match stmts.last().map(|s| &s.kind) {
        Some(StmtKind::Break | StmtKind::Continue | StmtKind::Return(_)) => true,
        Some(StmtKind::Block(inner)) => always_leaves(inner),
        Some(StmtKind::If { then, els, .. }) => always_leaves(then) && always_leaves(els),
        _ => false,
    }
}

impl<'a> Lower<'a> {
    pub(super) fn list(&mut self, stmts: &'a [Stmt]) -> Result {
        self.enter()?;
        self.list_inside(stmts)?;
        self.leave();
        Ok(())
    }

    fn list_inside(&mut self, stmts: &'a [Stmt]) -> Result {
        for (i, stmt) in stmts.iter().enumerate() {
            let rest = &stmts[i + 1..];
            match &stmt.kind {
                StmtKind::If {
                    cond,
                    then,
                    els,
                    hint,
                } if !rest.is_empty() && (always_leaves(then) || always_leaves(els)) => {
                    let cond = self.scalar(cond)?;
                    // What follows is part of the side that gets there.
                    self.branch(cond, *hint, |s| s.side(then, rest), |s| s.side(els, rest))?;
                    return Ok(());
                }
                _ => self.stmt(stmt)?,
            }
            let left = match stmt.kind {
                StmtKind::Declare(..) | StmtKind::Expr(_) => continue,
                _ => self.left(),
            };
            if self.b.truth(left) != Some(false) {
                return self.unless(left, |s| s.list(rest));
            }
        }
        Ok(())
    }

    /// One side of an If together with what follows it.
    fn side(&mut self, stmts: &'a [Stmt], rest: &'a [Stmt]) -> Result<Values> {
        self.list(stmts)?;
        if !always_leaves(stmts) {
            let left = self.left();
            self.unless(left, |s| s.list(rest))?;
        }
        Ok(Values::new())
    }

    /// Whether the statements here have been left.
    pub(super) fn left(&mut self) -> Value {
        let mut left = self.b.bool(false);
        for i in 0..self.exits.len() {
            let flag = self.env.get(self.exits[i]);
            left = self.b.op(Op::BOr, &[left, flag]);
        }
        left
    }

    /// Notes that control is here.
    pub(super) fn clear_exits(&mut self) {
        let no = self.b.bool(false);
        for i in 0..self.exits.len() {
            self.env.set(self.exits[i], no);
        }
    }

    /// What `f` does, unless the statements here have been left.
    pub(super) fn unless(&mut self, left: Value, f: impl FnOnce(&mut Self) -> Result) -> Result {
        if self.b.truth(left) == Some(true) {
            return Ok(());
        }
        self.branch(
            left,
            BranchHint::None,
            |_| Ok(Values::new()),
            |s| {
                s.clear_exits();
                f(s)?;
                Ok(Values::new())
            },
        )?;
        Ok(())
    }

    /// Runs `then` or `els`; gives the values that they give, and merges what they assign.
    pub(super) fn branch(
        &mut self,
        cond: Value,
        hint: BranchHint,
        then: impl FnOnce(&mut Self) -> Result<Values>,
        els: impl FnOnce(&mut Self) -> Result<Values>,
    ) -> Result<Values> {
        match self.b.truth(cond) {
            Some(true) => return then(self),
            Some(false) => return els(self),
            None => {}
        }
        let mark = self.env.mark();
        self.b.open_side(cond, true);
        let then_values = then(self)?;
        let mut then_region = self.b.close(Vec::new());
        let then_changed = self.env.take_back(mark);
        self.b.open_side(cond, false);
        let els_values = els(self)?;
        let mut els_region = self.b.close(Vec::new());
        let els_changed = self.env.take_back(mark);

        let mut slots = Vec::new();
        for (slot, t, e) in merged(&then_changed, &els_changed) {
            let old = self.env.get(slot);
            let (t, e) = (t.unwrap_or(old), e.unwrap_or(old));
            if t == e {
                self.env.set(slot, t);
            } else {
                slots.push(slot);
                then_region.yields.push(t);
                els_region.yields.push(e);
            }
        }
        then_region.yields.extend(then_values);
        els_region.yields.extend(els_values);
        let results = self.b.if_(cond, then_region, els_region, hint);
        for (slot, v) in slots.iter().zip(&results) {
            self.env.set(*slot, *v);
        }
        Ok(results[slots.len()..].into())
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> Result {
        match &stmt.kind {
            StmtKind::Declare(var, init) => {
                let values = match init {
                    Some(init) => self.expr(init)?,
                    None => self.zeros(&self.program.vars[var.0 as usize].ty),
                };
                self.set_var(*var, &values);
            }
            StmtKind::Expr(expr) => {
                self.expr(expr)?;
            }
            StmtKind::If {
                cond,
                then,
                els,
                hint,
            } => {
                let cond = self.scalar(cond)?;
                self.branch(cond, *hint, |s| s.side(then, &[]), |s| s.side(els, &[]))?;
            }
            StmtKind::Loop {
                cond,
                test_first,
                body,
                step,
                hint,
            } => self.loop_stmt(
                &super::loops::Loop {
                    cond: cond.as_ref(),
                    test_first: *test_first,
                    body,
                    step,
                    hint: *hint,
                },
                stmt.span,
            )?,
            StmtKind::Switch { value, arms, hint } => self.switch(value, arms, *hint)?,
            StmtKind::Break => self.set_flag(self.break_flag),
            StmtKind::Continue => self.set_flag(self.continue_flag),
            StmtKind::Return(value) => {
                if let Some(value) = value {
                    let values = self.expr(value)?;
                    for (k, v) in values.iter().take(self.frame.components).enumerate() {
                        self.env.set(self.frame.value + k, *v);
                    }
                }
                self.set_flag(Some(self.frame.returned));
            }
            StmtKind::Block(stmts) => self.list(stmts)?,
        }
        Ok(())
    }

    fn set_flag(&mut self, flag: Option<usize>) {
        if let Some(flag) = flag {
            let yes = self.b.bool(true);
            self.env.set(flag, yes);
        }
    }

    /// Arms one after the other, each under its own condition: no two of them hold.
    fn switch(&mut self, value: &'a Expr, arms: &'a [SwitchArm], hint: BranchHint) -> Result {
        let value = self.scalar(value)?;
        let no = self.b.bool(false);
        let flag = self.env.push(no);
        self.exits.push(flag);
        let outer = self.break_flag.replace(flag);
        let mut none = self.b.bool(true);
        let mut conds = Vec::with_capacity(arms.len());
        for arm in arms {
            let mut listed = self.b.bool(false);
            for bits in &arm.values {
                let case = self.b.constant(Kind::I32, *bits);
                let hit = self.b.op(Op::IEq, &[value, case]);
                listed = self.b.op(Op::BOr, &[listed, hit]);
            }
            conds.push(listed);
            let not = self.b.op(Op::BNot, &[listed]);
            none = self.b.op(Op::BAnd, &[none, not]);
        }
        for (arm, listed) in arms.iter().zip(conds) {
            let cond = if arm.default {
                self.b.op(Op::BOr, &[listed, none])
            } else {
                listed
            };
            self.branch(cond, hint, |s| s.arm(&arm.body), |_| Ok(Values::new()))?;
            // The next arms' conditions say that this one did not run.
            self.env.set(flag, no);
        }
        self.break_flag = outer;
        self.exits.pop();
        self.env.truncate(flag);
        Ok(())
    }

    /// An arm of a switch. Where it runs, no arm before it has set a flag, though the flags' values do not show it.
    fn arm(&mut self, body: &'a [Stmt]) -> Result<Values> {
        let before: Vec<Value> = self.exits.iter().map(|f| self.env.get(*f)).collect();
        self.clear_exits();
        self.list(body)?;
        let no = self.b.bool(false);
        for (i, old) in before.into_iter().enumerate() {
            if self.env.get(self.exits[i]) == no {
                self.env.set(self.exits[i], old);
            }
        }
        Ok(Values::new())
    }
}

/// Two lists of (slot, value) by slot, as one.
fn merged(
    a: &[(usize, Value)],
    b: &[(usize, Value)],
) -> Vec<(usize, Option<Value>, Option<Value>)> {
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::with_capacity(a.len().max(b.len()));
    while i < a.len() || j < b.len() {
        let slot = match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) => x.0.min(y.0),
            (Some(x), None) | (None, Some(x)) => x.0,
            (None, None) => break,
        };
        let take = |list: &[(usize, Value)], at: &mut usize| {
            let found = list.get(*at).filter(|e| e.0 == slot).map(|e| e.1);
            *at += usize::from(found.is_some());
            found
        };
        let x = take(a, &mut i);
        let y = take(b, &mut j);
        out.push((slot, x, y));
    }
    out
}
