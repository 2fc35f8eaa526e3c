//! What a finished body shows: variables read before they are assigned, ways to the end without a `return`.
//!
//! Works on Hir. A loop counts as run once, which misses a little and cries wolf never. Must not change the body.

use super::Checker;
use super::module::When;
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::{Expr, ExprKind, FuncId, Place, Stmt, StmtKind, VarId};
use crate::span::Span;
use crate::types::Type;
use std::collections::HashMap;

/// Variables with more slots are not followed.
const MOST_SLOTS: u32 = 1024;

/// Which slots of the followed variables are surely assigned; one bit each.
type Assigned = Vec<u64>;

/// What is to be said.
enum Finding {
    Read { var: VarId, slot: u32, at: Span },
    OutNotSet { var: VarId, slot: u32 },
}

struct Flow<'c, 'a, 'd> {
    checker: &'c Checker<'a, 'd>,
    /// First bit and number of slots of each followed variable.
    followed: HashMap<VarId, (u32, u32)>,
    /// Bits given so far.
    bits: u32,
    outs: Vec<VarId>,
    assigned: Assigned,
    /// Control can get here.
    is_live: bool,
    /// What is assigned at the jumps out of each enclosing loop or switch.
    breaks: Vec<Option<Assigned>>,
    /// What is assigned where a piece of a long `else if` chain was not taken, by the variable that says so.
    chain_ends: HashMap<VarId, Option<Assigned>>,
    returns: u32,
    findings: Vec<Finding>,
}

impl<'a> Checker<'a, '_> {
    /// Looks at a finished body and gives the warnings that follow.
    pub(super) fn check_flow(&mut self, function: FuncId, decl: &ast::FunctionDecl, body: &[Stmt]) {
        let signature = &self.signatures[function.0 as usize];
        let ret = signature.ret.clone();
        let params = &self.module.functions[function.0 as usize].hir.params;
        let outs: Vec<VarId> = params
            .iter()
            .filter(|p| p.is_out && !p.is_in)
            .map(|p| p.var)
            .collect();
        let mut flow = Flow {
            checker: self,
            followed: HashMap::new(),
            bits: 0,
            outs: outs.clone(),
            assigned: Vec::new(),
            is_live: true,
            breaks: Vec::new(),
            chain_ends: HashMap::new(),
            returns: 0,
            findings: Vec::new(),
        };
        for var in outs {
            flow.follow(var);
        }
        flow.stmts(body);
        if flow.is_live {
            flow.check_outs();
        }
        let Flow {
            is_live,
            returns,
            findings,
            ..
        } = flow;
        for finding in findings {
            self.report_finding(finding);
        }
        if ret != Type::Void && is_live {
            let name = &decl.name.name;
            if returns == 0 {
                // Unfinished functions of other stages stand in real files.
                let message = format!("`{}` returns `{ret}`, but has no `return`", name.name);
                let diagnostic = Diagnostic::new(Code::ReturnValue, name.span, message);
                self.obstacle(When::Always, diagnostic);
            } else {
                let message = format!(
                    "`{}` does not return a value on every path; it counts as zero there",
                    name.name
                );
                self.warn(Code::MissingReturn, name.span, message);
            }
        }
    }

    fn report_finding(&mut self, finding: Finding) {
        match finding {
            Finding::Read { var, slot, at } => {
                let variable = &self.module.vars[var.0 as usize];
                let path = slot_path(&variable.name, &variable.ty, slot);
                let diagnostic = Diagnostic::new(
                    Code::UninitializedRead,
                    at,
                    format!("`{path}` is read before it is assigned; it counts as zero"),
                )
                .note(variable.span, "it is declared here");
                self.report(diagnostic);
            }
            Finding::OutNotSet { var, slot } => {
                let variable = &self.module.vars[var.0 as usize];
                let path = slot_path(&variable.name, &variable.ty, slot);
                let message = format!(
                    "the `out` parameter `{path}` is not assigned on every path; it counts as zero there"
                );
                let span = variable.span;
                self.warn(Code::UninitializedRead, span, message);
            }
        }
    }
}

impl Flow<'_, '_, '_> {
    fn follow(&mut self, var: VarId) {
        let slots = self.checker.module.vars[var.0 as usize].slots;
        if slots == 0 || slots > MOST_SLOTS || self.followed.contains_key(&var) {
            return;
        }
        let first = self.bits;
        self.bits += slots;
        self.followed.insert(var, (first, slots));
        let words = self.bits.div_ceil(64) as usize;
        for list in self.breaks.iter_mut().flatten().chain([&mut self.assigned]) {
            list.resize(words.max(list.len()), 0);
        }
    }

    /// Storing to the variable says that no link of a piece of an `else if` chain was taken.
    fn ends_chain(&self, var: VarId) -> bool {
        self.checker.body.chain_ends.binary_search(&var).is_ok()
    }

    fn is_set(&self, bit: u32) -> bool {
        self.assigned[(bit / 64) as usize] & 1 << (bit % 64) != 0
    }

    fn set(&mut self, bit: u32, to: bool) {
        let word = &mut self.assigned[(bit / 64) as usize];
        match to {
            true => *word |= 1 << (bit % 64),
            false => *word &= !(1 << (bit % 64)),
        }
    }

    fn set_all(&mut self, var: VarId, to: bool) {
        if let Some((first, slots)) = self.followed.get(&var).copied() {
            (first..first + slots).for_each(|bit| self.set(bit, to));
        }
    }

    /// Joins another way to the same point.
    fn join(&mut self, other: Option<Assigned>) {
        let Some(other) = other else { return };
        if !self.is_live {
            self.assigned = other;
            self.is_live = true;
            return;
        }
        for (i, word) in self.assigned.iter_mut().enumerate() {
            *word &= other.get(i).copied().unwrap_or(0);
        }
    }

    /// Takes what is assigned here away, to be joined elsewhere.
    fn snapshot(&self) -> Option<Assigned> {
        self.is_live.then(|| self.assigned.clone())
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare(var, None) => {
                self.follow(*var);
                self.set_all(*var, false);
            }
            StmtKind::Expr(Expr {
                kind: ExprKind::Assign { place, .. },
                ..
            }) if self.ends_chain(place.var) => {
                // The rest of the chain goes on from here; what follows this piece does not.
                let here = self.snapshot();
                self.chain_ends.insert(place.var, here);
                self.is_live = false;
            }
            StmtKind::Declare(_, Some(value)) | StmtKind::Expr(value) => self.expr(value),
            StmtKind::If {
                cond:
                    Expr {
                        kind: ExprKind::Load(place),
                        ..
                    },
                then,
                ..
            } if self.chain_ends.contains_key(&place.var) => {
                let before = self.snapshot();
                let here = self.chain_ends.remove(&place.var).flatten();
                self.restore(here);
                self.stmts(then);
                self.join(before);
            }
            StmtKind::If {
                cond, then, els, ..
            } => {
                self.expr(cond);
                let before = self.snapshot();
                self.stmts(then);
                let after_then = self.snapshot();
                self.restore(before);
                self.stmts(els);
                self.join(after_then);
            }
            StmtKind::Loop {
                cond,
                test_first,
                body,
                step,
                ..
            } => {
                self.breaks.push(None);
                if *test_first {
                    cond.iter().for_each(|c| self.expr(c));
                }
                let was_live = self.is_live;
                self.stmts(body);
                self.is_live = was_live;
                self.stmts(step);
                if !*test_first {
                    cond.iter().for_each(|c| self.expr(c));
                }
                self.is_live = was_live && cond.is_some();
                let breaks = self.breaks.pop().flatten();
                self.join(breaks);
            }
            StmtKind::Switch { value, arms, .. } => {
                self.expr(value);
                let before = self.snapshot();
                self.breaks.push(None);
                let has_default = arms.iter().any(|a| a.default);
                let mut after = if has_default { None } else { before.clone() };
                for arm in arms {
                    self.restore(before.clone());
                    self.stmts(&arm.body);
                    self.join(after.take());
                    after = self.snapshot();
                }
                self.restore(after);
                let breaks = self.breaks.pop().flatten();
                self.join(breaks);
            }
            StmtKind::Break => {
                let here = self.snapshot();
                if let (Some(here), Some(breaks)) = (here, self.breaks.last_mut()) {
                    match breaks {
                        None => *breaks = Some(here),
                        Some(list) => {
                            for (i, word) in list.iter_mut().enumerate() {
                                *word &= here.get(i).copied().unwrap_or(0);
                            }
                        }
                    }
                }
                self.is_live = false;
            }
            StmtKind::Continue => self.is_live = false,
            StmtKind::Return(value) => {
                self.returns += 1;
                if let Some(value) = value {
                    match &value.kind {
                        ExprKind::Load(place) => self.read(place, value.span),
                        _ => self.expr(value),
                    }
                }
                if self.is_live {
                    self.check_outs();
                }
                self.is_live = false;
            }
            StmtKind::Block(stmts) => self.stmts(stmts),
        }
    }

    fn restore(&mut self, state: Option<Assigned>) {
        self.is_live = state.is_some();
        if let Some(mut state) = state {
            state.resize(self.assigned.len().max(state.len()), 0);
            self.assigned = state;
        }
    }

    fn check_outs(&mut self) {
        for i in 0..self.outs.len() {
            let var = self.outs[i];
            let Some((first, slots)) = self.followed.get(&var).copied() else {
                continue;
            };
            if let Some(slot) = (0..slots).find(|s| !self.is_set(first + s)) {
                self.findings.push(Finding::OutNotSet { var, slot });
                self.set_all(var, true);
            }
        }
    }

    fn read(&mut self, place: &Place, at: Span) {
        for dynamic in &place.dynamic {
            self.expr(&dynamic.index);
        }
        let Some((first, slots)) = self.followed.get(&place.var).copied() else {
            return;
        };
        if !self.is_live {
            return;
        }
        let missing = match place.dynamic.is_empty() {
            true => {
                let mut read = place.components.iter().map(|c| place.offset + c);
                read.find(|s| *s < slots && !self.is_set(first + s))
            }
            false => {
                (!(0..slots).any(|s| self.is_set(first + s))).then_some(place.offset.min(slots - 1))
            }
        };
        if let Some(slot) = missing {
            self.findings.push(Finding::Read {
                var: place.var,
                slot,
                at,
            });
            self.set_all(place.var, true);
        }
    }

    fn write(&mut self, place: &Place) {
        let Some((first, slots)) = self.followed.get(&place.var).copied() else {
            return;
        };
        if place.dynamic.is_empty() {
            for component in &place.components {
                let slot = place.offset + component;
                if slot < slots {
                    self.set(first + slot, true);
                }
            }
        } else {
            // Some element; which one is not known, so all count.
            self.set_all(place.var, true);
        }
    }

    fn expr(&mut self, value: &Expr) {
        match &value.kind {
            ExprKind::Constant(_) => {}
            ExprKind::Load(place) => {
                let is_whole = matches!(value.ty, Type::Struct(_) | Type::Array(..));
                if is_whole {
                    self.read_whole(place, value.span);
                } else {
                    self.read(place, value.span);
                }
            }
            ExprKind::ConstantLoad(load) => load.dynamic.iter().for_each(|d| self.expr(&d.index)),
            ExprKind::Op(_, args) | ExprKind::Math(_, args) | ExprKind::Concat(args) => {
                args.iter().for_each(|a| self.expr(a));
            }
            ExprKind::Builtin(_, a)
            | ExprKind::IntegerPower(a, _)
            | ExprKind::Splat(a)
            | ExprKind::Pick(a, _)
            | ExprKind::Reduce { value: a, .. } => self.expr(a),
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
                let before = self.snapshot();
                self.expr(then);
                let after = self.snapshot();
                self.restore(before);
                self.expr(els);
                self.join(after);
            }
            ExprKind::Call { function, args } => {
                let has_object = self.checker.signatures[function.0 as usize].this.is_some();
                for (i, arg) in args.iter().enumerate() {
                    match &arg.input {
                        // A method may be what sets the object up.
                        Some(_) if i == 0 && has_object => {}
                        Some(Expr {
                            kind: ExprKind::Load(place),
                            span,
                            ..
                        }) if arg.output.is_some() => {
                            self.read_whole(place, *span);
                        }
                        Some(input) => self.expr(input),
                        None => {}
                    }
                }
                for arg in args {
                    arg.output.iter().for_each(|place| self.write(place));
                }
            }
            ExprKind::Assign { place, value } => {
                place.dynamic.iter().for_each(|d| self.expr(&d.index));
                self.expr(value);
                self.write(place);
            }
            ExprKind::Sequence(first, last) => {
                first.iter().for_each(|a| self.expr(a));
                self.expr(last);
            }
        }
    }

    /// A struct, array or `inout` argument as a whole: it is enough that something of it is assigned.
    fn read_whole(&mut self, place: &Place, at: Span) {
        let Some((first, slots)) = self.followed.get(&place.var).copied() else {
            return self.read(place, at);
        };
        let mut read = place.components.iter().map(|c| place.offset + c);
        if place.dynamic.is_empty() && read.any(|s| s < slots && self.is_set(first + s)) {
            return;
        }
        self.read(place, at);
    }
}

/// The part of a variable that a slot belongs to: `o.uv`, `a[2]`, `v`.
fn slot_path(name: &str, ty: &Type, slot: u32) -> String {
    match ty {
        Type::Struct(s) => {
            let mut first = 0;
            for field in &s.fields {
                let n = field.ty.components();
                if slot < first + n {
                    return slot_path(&format!("{name}.{}", field.name), &field.ty, slot - first);
                }
                first += n;
            }
            name.to_owned()
        }
        Type::Array(element, _) => {
            let n = element.components().max(1);
            slot_path(&format!("{name}[{}]", slot / n), element, slot % n)
        }
        _ => name.to_owned(),
    }
}
