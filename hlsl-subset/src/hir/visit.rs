//! Walking Hir: the children of statements, expressions and places, in the order in which they are evaluated.

use super::{Arg, Expr, ExprKind, Place, Stmt, StmtKind};

impl Stmt {
    /// Calls `f` on each expression that stands directly in this statement.
    pub fn exprs(&self, f: &mut dyn FnMut(&Expr)) {
        match &self.kind {
            StmtKind::Declare(_, Some(e)) | StmtKind::Expr(e) | StmtKind::Return(Some(e)) => f(e),
            StmtKind::If { cond: e, .. }
            | StmtKind::Loop { cond: Some(e), .. }
            | StmtKind::Switch { value: e, .. } => f(e),
            StmtKind::Declare(_, None)
            | StmtKind::Loop { cond: None, .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None)
            | StmtKind::Block(_) => {}
        }
    }

    /// As [`Stmt::exprs`].
    pub fn exprs_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        match &mut self.kind {
            StmtKind::Declare(_, Some(e)) | StmtKind::Expr(e) | StmtKind::Return(Some(e)) => f(e),
            StmtKind::If { cond: e, .. }
            | StmtKind::Loop { cond: Some(e), .. }
            | StmtKind::Switch { value: e, .. } => f(e),
            StmtKind::Declare(_, None)
            | StmtKind::Loop { cond: None, .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None)
            | StmtKind::Block(_) => {}
        }
    }

    /// Calls `f` on each list of statements in this one.
    pub fn blocks(&self, f: &mut dyn FnMut(&[Stmt])) {
        match &self.kind {
            StmtKind::If { then, els, .. } => {
                f(then);
                f(els);
            }
            StmtKind::Loop { body, step, .. } => {
                f(body);
                f(step);
            }
            StmtKind::Switch { arms, .. } => arms.iter().for_each(|arm| f(&arm.body)),
            StmtKind::Block(body) => f(body),
            _ => {}
        }
    }

    /// As [`Stmt::blocks`].
    pub fn blocks_mut(&mut self, f: &mut dyn FnMut(&mut Vec<Stmt>)) {
        match &mut self.kind {
            StmtKind::If { then, els, .. } => {
                f(then);
                f(els);
            }
            StmtKind::Loop { body, step, .. } => {
                f(body);
                f(step);
            }
            StmtKind::Switch { arms, .. } => arms.iter_mut().for_each(|arm| f(&mut arm.body)),
            StmtKind::Block(body) => f(body),
            _ => {}
        }
    }
}

impl Expr {
    /// Calls `f` on each operand, the indices of places included.
    pub fn children(&self, f: &mut dyn FnMut(&Expr)) {
        match &self.kind {
            ExprKind::Constant(_) => {}
            ExprKind::Load(place) => place.indices(f),
            ExprKind::ConstantLoad(load) => load.dynamic.iter().for_each(|d| f(&d.index)),
            ExprKind::Op(_, args) | ExprKind::Math(_, args) | ExprKind::Concat(args) => {
                args.iter().for_each(f)
            }
            ExprKind::Builtin(_, e)
            | ExprKind::IntegerPower(e, _)
            | ExprKind::Splat(e)
            | ExprKind::Pick(e, _)
            | ExprKind::Reduce { value: e, .. } => f(e),
            ExprKind::Index {
                base: a, index: b, ..
            }
            | ExprKind::Dot(a, b)
            | ExprKind::MatMul { a, b, .. } => {
                f(a);
                f(b);
            }
            ExprKind::Branch { cond, then, els } => {
                f(cond);
                f(then);
                f(els);
            }
            ExprKind::Call { args, .. } => {
                for Arg { input, output } in args {
                    input.iter().for_each(&mut *f);
                    output.iter().for_each(|place| place.indices(f));
                }
            }
            ExprKind::Assign { place, value } => {
                place.indices(f);
                f(value);
            }
            ExprKind::Sequence(first, last) => {
                first.iter().for_each(&mut *f);
                f(last);
            }
        }
    }

    /// As [`Expr::children`].
    pub fn children_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        match &mut self.kind {
            ExprKind::Constant(_) => {}
            ExprKind::Load(place) => place.indices_mut(f),
            ExprKind::ConstantLoad(load) => load.dynamic.iter_mut().for_each(|d| f(&mut d.index)),
            ExprKind::Op(_, args) | ExprKind::Math(_, args) | ExprKind::Concat(args) => {
                args.iter_mut().for_each(f)
            }
            ExprKind::Builtin(_, e)
            | ExprKind::IntegerPower(e, _)
            | ExprKind::Splat(e)
            | ExprKind::Pick(e, _)
            | ExprKind::Reduce { value: e, .. } => f(e),
            ExprKind::Index {
                base: a, index: b, ..
            }
            | ExprKind::Dot(a, b)
            | ExprKind::MatMul { a, b, .. } => {
                f(a);
                f(b);
            }
            ExprKind::Branch { cond, then, els } => {
                f(cond);
                f(then);
                f(els);
            }
            ExprKind::Call { args, .. } => {
                for Arg { input, output } in args {
                    input.iter_mut().for_each(&mut *f);
                    output.iter_mut().for_each(|place| place.indices_mut(f));
                }
            }
            ExprKind::Assign { place, value } => {
                place.indices_mut(f);
                f(value);
            }
            ExprKind::Sequence(first, last) => {
                first.iter_mut().for_each(&mut *f);
                f(last);
            }
        }
    }

    /// Calls `f` on this expression and all below it, operands first.
    pub fn walk(&self, f: &mut dyn FnMut(&Expr)) {
        self.children(&mut |child| child.walk(f));
        f(self);
    }

    /// As [`Expr::walk`].
    pub fn walk_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        self.children_mut(&mut |child| child.walk_mut(f));
        f(self);
    }
}

impl Place {
    fn indices(&self, f: &mut dyn FnMut(&Expr)) {
        self.dynamic.iter().for_each(|d| f(&d.index));
    }

    fn indices_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        self.dynamic.iter_mut().for_each(|d| f(&mut d.index));
    }
}

/// Calls `f` on every expression in `stmts`, operands first.
pub fn walk(stmts: &[Stmt], f: &mut dyn FnMut(&Expr)) {
    for stmt in stmts {
        stmt.exprs(&mut |e| e.walk(f));
        stmt.blocks(&mut |block| walk(block, f));
    }
}

/// As [`walk`].
pub fn walk_mut(stmts: &mut [Stmt], f: &mut dyn FnMut(&mut Expr)) {
    for stmt in stmts {
        stmt.exprs_mut(&mut |e| e.walk_mut(f));
        stmt.blocks_mut(&mut |block| walk_mut(block, f));
    }
}
