//! Walks a function and builds it anew: the frame of most passes.
//!
//! Rebuilding by itself numbers values and simplifies, because [`Builder`] does; sides of an If whose condition is known
//! are taken, and what a loop carries around unchanged is carried no more. What a pass does besides is a [`Rewrite`].

use crate::kir::{Builder, Function, Inst, InstData, InstId, Region, Value};
use fuseline_hlsl::hir::BranchHint;
use fuseline_numerics::op::Kind;
use fuseline_numerics::scalar::Denorm;

/// What a pass does on the way.
pub trait Rewrite {
    /// The value that takes the place of an instruction without operands, if another one shall.
    fn read(&mut self, builder: &mut Builder, inst: &Inst, kind: Kind) -> Option<Value> {
        let _ = (builder, inst, kind);
        None
    }

    /// Whether both sides of an If of the old function shall run, and its results be selected.
    fn flatten(&mut self, cond: Value, then: &Region, els: &Region, hint: BranchHint) -> bool {
        let _ = (cond, then, els, hint);
        false
    }
}

/// Does nothing besides.
#[derive(Clone, Copy, Debug)]
pub struct Keep;

impl Rewrite for Keep {}

/// The function, built anew.
pub fn rebuild(function: &Function, denorm: Denorm, rewrite: &mut dyn Rewrite) -> Function {
    let mut builder = Builder::with_room(function.insts.len(), denorm, function.count_loops);
    for table in &function.tables {
        builder.table(table.clone());
    }
    for len in &function.arrays {
        builder.array(*len);
    }
    let mut walk = Walk {
        function,
        builder,
        // Every value is set before it is used; this one stands in for none.
        values: vec![Value(u32::MAX); function.kinds.len()],
        rewrite,
    };
    walk.insts(&function.body.insts);
    walk.builder.finish()
}

struct Walk<'a> {
    function: &'a Function,
    builder: Builder,
    /// The new value of each old one.
    values: Vec<Value>,
    rewrite: &'a mut dyn Rewrite,
}

impl Walk<'_> {
    fn mapped(&self, v: Value) -> Value {
        self.values[v.index()]
    }

    fn all_new(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|v| self.mapped(*v)).collect()
    }

    fn set(&mut self, old: &[Value], new: &[Value]) {
        for (o, n) in old.iter().zip(new) {
            self.values[o.index()] = *n;
        }
    }

    fn insts(&mut self, insts: &[InstId]) {
        let function = self.function;
        for id in insts {
            self.inst(&function.insts[id.index()]);
        }
    }

    fn inst(&mut self, data: &InstData) {
        match &data.inst {
            Inst::If {
                cond,
                then,
                els,
                hint,
            } => self.if_(&data.results, *cond, then, els, *hint),
            Inst::Loop { init, body, bound } => self.loop_(&data.results, init, body, *bound),
            Inst::Store {
                element,
                component,
                value,
            } => {
                let value = self.mapped(*value);
                self.builder.store(*element, *component, value);
            }
            Inst::ArrayStore {
                array,
                index,
                value,
            } => {
                let (index, value) = (self.mapped(*index), self.mapped(*value));
                self.builder.array_store(*array, index, value);
            }
            inst => {
                let result = data.results[0];
                let v = self.simple(inst, self.function.kinds[result.index()]);
                self.values[result.index()] = v;
            }
        }
    }

    fn simple(&mut self, inst: &Inst, kind: Kind) -> Value {
        match inst {
            Inst::Op(op, args) => {
                let args = self.all_new(args);
                self.builder.op(*op, &args)
            }
            Inst::ConstantLoad {
                buffer,
                address: Some(address),
                offset,
            } => {
                let address = self.mapped(*address);
                self.builder
                    .constant_load(kind, *buffer, Some(address), *offset)
            }
            Inst::TableLoad { table, index } => {
                let index = self.mapped(*index);
                self.builder.table_load(kind, *table, index)
            }
            Inst::ArrayLoad { array, index } => {
                let index = self.mapped(*index);
                self.builder.array_load(kind, *array, index)
            }
            _ => {
                if let Some(v) = self.rewrite.read(&mut self.builder, inst, kind) {
                    return v;
                }
                match inst {
                    Inst::Constant(bits) => self.builder.constant(kind, *bits),
                    Inst::Read(source) => self.builder.read(kind, *source),
                    Inst::ConstantLoad { buffer, offset, .. } => {
                        self.builder.constant_load(kind, *buffer, None, *offset)
                    }
                    _ => unreachable!("instructions with operands are handled above"),
                }
            }
        }
    }

    fn if_(
        &mut self,
        results: &[Value],
        cond: Value,
        then: &Region,
        els: &Region,
        hint: BranchHint,
    ) {
        let new_cond = self.mapped(cond);
        if let Some(known) = self.builder.truth(new_cond) {
            let side = if known { then } else { els };
            self.insts(&side.insts);
            let yields = self.all_new(&side.yields);
            return self.set(results, &yields);
        }
        if self.rewrite.flatten(cond, then, els, hint) {
            self.insts(&then.insts);
            self.insts(&els.insts);
            for (k, result) in results.iter().enumerate() {
                let (t, e) = (self.mapped(then.yields[k]), self.mapped(els.yields[k]));
                let v = self.builder.select(new_cond, t, e);
                self.values[result.index()] = v;
            }
            return;
        }
        self.builder.open_side(new_cond, true);
        let then = self.closed(then);
        self.builder.open_side(new_cond, false);
        let els = self.closed(els);
        let new = self.builder.if_(new_cond, then, els, hint);
        self.set(results, &new);
    }

    /// Fills the open region from an old one and closes it.
    fn closed(&mut self, old: &Region) -> Region {
        self.insts(&old.insts);
        let yields = self.all_new(&old.yields);
        self.builder.close(yields)
    }

    fn loop_(&mut self, results: &[Value], init: &[Value], body: &Region, bound: Option<u32>) {
        let carried: Vec<usize> = (0..init.len())
            .filter(|&k| body.yields[k + 1] != body.params[k])
            .collect();
        for k in (0..init.len()).filter(|k| carried.binary_search(k).is_err()) {
            let v = self.mapped(init[k]);
            self.values[body.params[k].index()] = v;
            self.values[results[k].index()] = v;
        }
        let new_init: Vec<Value> = carried.iter().map(|&k| self.mapped(init[k])).collect();
        let kinds: Vec<Kind> = new_init.iter().map(|v| self.builder.kind(*v)).collect();
        let params = self.builder.open(kinds);
        for (&k, &p) in carried.iter().zip(&params) {
            self.values[body.params[k].index()] = p;
        }
        self.insts(&body.insts);
        let mut yields = vec![self.mapped(body.yields[0])];
        yields.extend(carried.iter().map(|&k| self.mapped(body.yields[k + 1])));
        let region = self.builder.close(yields);
        let new = self.builder.loop_(new_init, region, bound);
        for (&k, &v) in carried.iter().zip(&new) {
            self.values[results[k].index()] = v;
        }
    }
}
