//! Which slots a loop can change: read off Hir before its body is lowered.

use fuseline_hlsl::hir::{Arg, Expr, ExprKind, FuncId, Place, Program, Stmt, StmtKind, VarId};
use std::collections::BTreeSet;

/// What a loop can change.
#[derive(Default)]
pub(super) struct Assigned {
    /// Variables and slots.
    pub(super) slots: BTreeSet<(VarId, u32)>,
    /// Whether it can leave the function.
    pub(super) returns: bool,
    declared: BTreeSet<VarId>,
}

/// Which statics each function assigns to, those that it calls included.
pub(super) struct Summaries {
    /// Whether each variable is a static.
    statics: Vec<bool>,
    of: Vec<Option<BTreeSet<(VarId, u32)>>>,
}

impl Summaries {
    pub(super) fn new(program: &Program) -> Summaries {
        let mut statics = vec![false; program.vars.len()];
        for s in &program.statics {
            statics[s.var.0 as usize] = true;
        }
        Summaries {
            statics,
            of: vec![None; program.functions.len()],
        }
    }

    /// What a loop of these parts can change of what was there before it.
    pub(super) fn of_loop<'a>(
        &mut self,
        program: &Program,
        lists: impl IntoIterator<Item = &'a [Stmt]>,
        cond: Option<&Expr>,
    ) -> Assigned {
        let mut scan = Scan {
            program,
            summaries: self,
            found: Assigned::default(),
        };
        lists.into_iter().for_each(|list| scan.list(list));
        cond.into_iter().for_each(|cond| scan.expr(cond));
        let mut found = scan.found;
        let declared = std::mem::take(&mut found.declared);
        found.slots.retain(|(var, _)| !declared.contains(var));
        found
    }

    /// Statics that a call of `function` can change. Callees stand before their callers, so that this comes to an end.
    fn of_call(&mut self, program: &Program, function: FuncId) -> &BTreeSet<(VarId, u32)> {
        let at = function.0 as usize;
        if self.of[at].is_none() {
            let mut scan = Scan {
                program,
                summaries: self,
                found: Assigned::default(),
            };
            scan.list(&program.functions[at].body);
            let mut slots = scan.found.slots;
            slots.retain(|(var, _)| self.statics[var.0 as usize]);
            self.of[at] = Some(slots);
        }
        self.of[at].get_or_insert_default()
    }
}

struct Scan<'a, 's> {
    program: &'a Program,
    summaries: &'s mut Summaries,
    found: Assigned,
}

impl Scan<'_, '_> {
    fn list(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Declare(var, init) => {
                    self.found.declared.insert(*var);
                    init.iter().for_each(|e| self.expr(e));
                }
                StmtKind::Expr(e) => self.expr(e),
                StmtKind::If {
                    cond, then, els, ..
                } => {
                    self.expr(cond);
                    self.list(then);
                    self.list(els);
                }
                StmtKind::Loop {
                    cond, body, step, ..
                } => {
                    cond.iter().for_each(|e| self.expr(e));
                    self.list(body);
                    self.list(step);
                }
                StmtKind::Switch { value, arms, .. } => {
                    self.expr(value);
                    arms.iter().for_each(|arm| self.list(&arm.body));
                }
                StmtKind::Break | StmtKind::Continue => {}
                StmtKind::Return(value) => {
                    self.found.returns = true;
                    value.iter().for_each(|e| self.expr(e));
                }
                StmtKind::Block(inner) => self.list(inner),
            }
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Load(_) | ExprKind::ConstantLoad(_) => {}
            ExprKind::Op(_, args) | ExprKind::Math(_, args) | ExprKind::Concat(args) => {
                args.iter().for_each(|e| self.expr(e));
            }
            ExprKind::Builtin(_, e)
            | ExprKind::IntegerPower(e, _)
            | ExprKind::Splat(e)
            | ExprKind::Pick(e, _)
            | ExprKind::Reduce { value: e, .. } => self.expr(e),
            ExprKind::Index {
                base: a, index: b, ..
            }
            | ExprKind::Dot(a, b)
            | ExprKind::MatMul { a, b, .. } => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Branch { cond, then, els } => {
                self.expr(cond);
                self.expr(then);
                self.expr(els);
            }
            ExprKind::Call { function, args } => self.call(*function, args),
            ExprKind::Assign { place, value } => {
                self.place(place);
                self.expr(value);
            }
            ExprKind::Sequence(first, last) => {
                first.iter().for_each(|e| self.expr(e));
                self.expr(last);
            }
        }
    }

    fn call(&mut self, function: FuncId, args: &[Arg]) {
        for arg in args {
            arg.input.iter().for_each(|e| self.expr(e));
            arg.output.iter().for_each(|p| self.place(p));
        }
        let statics = self
            .summaries
            .of_call(self.program, function)
            .iter()
            .copied();
        self.found.slots.extend(statics);
    }

    /// All slots that an assignment to the place can reach.
    fn place(&mut self, place: &Place) {
        let mut offsets = vec![place.offset];
        for index in &place.dynamic {
            offsets = offsets
                .iter()
                .flat_map(|o| (0..index.len).map(move |i| o + i * index.stride))
                .collect();
        }
        for offset in offsets {
            for c in &place.components {
                self.found.slots.insert((place.var, offset + c));
            }
        }
    }
}
