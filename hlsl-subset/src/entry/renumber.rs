//! New numbers for what a program keeps of a module.

use crate::check::module::Module;
use crate::hir::{
    ConstantBufferId, Expr, ExprKind, FuncId, Function, Param, Static, Stmt, StmtKind, Var, VarId,
    visit,
};
use std::collections::HashMap;

/// Maps numbers of a module to numbers of a program. Variables get theirs when they first occur.
pub(super) struct Renumber<'m> {
    module: &'m Module,
    vars: Vec<Var>,
    var_ids: HashMap<VarId, VarId>,
    functions: HashMap<FuncId, FuncId>,
    buffers: HashMap<ConstantBufferId, ConstantBufferId>,
}

impl<'m> Renumber<'m> {
    /// For a program with these functions and buffers, in this order.
    pub fn new(
        module: &'m Module,
        functions: &[FuncId],
        buffers: &[ConstantBufferId],
    ) -> Renumber<'m> {
        let numbered = |i: usize| i as u32;
        Renumber {
            module,
            vars: Vec::new(),
            var_ids: HashMap::new(),
            functions: functions
                .iter()
                .enumerate()
                .map(|(i, id)| (*id, FuncId(numbered(i))))
                .collect(),
            buffers: buffers
                .iter()
                .enumerate()
                .map(|(i, id)| (*id, ConstantBufferId(numbered(i))))
                .collect(),
        }
    }

    /// The program's variables.
    pub fn finish(self) -> Vec<Var> {
        self.vars
    }

    /// The new number of a variable.
    pub fn var(&mut self, id: VarId) -> VarId {
        let Renumber {
            module,
            vars,
            var_ids,
            ..
        } = self;
        match module.vars.get(id.0 as usize) {
            Some(var) => *var_ids.entry(id).or_insert_with(|| {
                vars.push(var.clone());
                VarId(vars.len() as u32 - 1)
            }),
            None => id,
        }
    }

    /// A static with new numbers.
    pub fn fixed(&mut self, s: &Static) -> Static {
        let mut s = s.clone();
        s.var = self.var(s.var);
        if let Some(init) = &mut s.init {
            init.walk_mut(&mut |e| self.expr(e));
        }
        s
    }

    /// A function with new numbers.
    pub fn function(&mut self, function: &Function) -> Function {
        let mut function = function.clone();
        for Param { var, .. } in &mut function.params {
            *var = self.var(*var);
        }
        for var in &mut function.locals {
            *var = self.var(*var);
        }
        self.declarations(&mut function.body);
        visit::walk_mut(&mut function.body, &mut |e| self.expr(e));
        function
    }

    fn declarations(&mut self, stmts: &mut [Stmt]) {
        for stmt in stmts {
            if let StmtKind::Declare(var, _) = &mut stmt.kind {
                *var = self.var(*var);
            }
            stmt.blocks_mut(&mut |block| self.declarations(block));
        }
    }

    /// One expression, its operands aside.
    fn expr(&mut self, e: &mut Expr) {
        match &mut e.kind {
            ExprKind::Load(place) | ExprKind::Assign { place, .. } => {
                place.var = self.var(place.var)
            }
            ExprKind::ConstantLoad(load) => {
                if let Some(id) = self.buffers.get(&load.buffer) {
                    load.buffer = *id;
                }
            }
            ExprKind::Call { function, args } => {
                if let Some(id) = self.functions.get(function) {
                    *function = *id;
                }
                for place in args.iter_mut().filter_map(|a| a.output.as_mut()) {
                    place.var = self.var(place.var);
                }
            }
            _ => {}
        }
    }
}
