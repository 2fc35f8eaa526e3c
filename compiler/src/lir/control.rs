//! Branches and loops: real ones where all lanes agree, masks where they need not.
//!
//! A mask says which lanes run. Lanes that do not run compute something that nobody looks at; what must not happen
//! for them is a store to an array, and another iteration.

use super::op::Op as L;
use super::vectorise::{Lanes, Mask, Vectoriser};
use super::{Input, Inst as LInst, Region as LRegion, Type, Value as LValue};
use crate::abi::Status;
use crate::kir::{Inst, Region, Value};
use smallvec::SmallVec;

/// Sides of a divergent If that cost no more than this are computed for all lanes without a jump.
const FLAT_COST: usize = 12;

/// Iterations between two looks at the draw's budget (a power of two).
const POLL_EVERY: i64 = 1 << 12;

impl Vectoriser<'_> {
    /// A condition with equal lanes as I32.
    fn scalar_condition(&mut self, cond: LValue) -> LValue {
        let bit = self.b.extract(cond, 0);
        self.b.op1(L::NonZero, bit)
    }

    /// Whether any lane of any chain is set, as I32.
    fn any(&mut self, masks: &[LValue]) -> LValue {
        let mut all = masks[0];
        for &mask in &masks[1..] {
            all = self.b.op2(L::IOr, all, mask);
        }
        let bits = self.b.op1(L::SignBits, all);
        self.b.op1(L::NonZero, bits)
    }

    pub(super) fn branch(
        &mut self,
        results: &[Value],
        cond: Value,
        then: &Region,
        els: &Region,
        mask: &Mask,
    ) {
        if self.varies(cond) {
            self.divergent_branch(results, cond, then, els, mask);
        } else {
            self.uniform_branch(results, cond, then, els, mask);
        }
    }

    fn uniform_branch(
        &mut self,
        results: &[Value],
        cond: Value,
        then: &Region,
        els: &Region,
        mask: &Mask,
    ) {
        let cond = self.get(cond, 0);
        let cond = self.scalar_condition(cond);
        let then = self.side(then, results, mask);
        let els = self.side(els, results, mask);
        let types = self.result_types(results);
        let values = self.b.push_many(LInst::If { cond, then, els }, &types);
        self.bind_results(results, &values);
    }

    /// A region whose yields become `results`, lane by lane where those vary.
    fn side(&mut self, region: &Region, results: &[Value], mask: &Mask) -> LRegion {
        self.b.open(&[]);
        self.region(region, mask);
        let mut yields = Vec::new();
        for (&y, &r) in region.yields.iter().zip(results) {
            if self.varies(r) {
                yields.extend(self.each(y));
            } else {
                yields.push(self.get(y, 0));
            }
        }
        self.b.close(yields)
    }

    fn result_types(&self, results: &[Value]) -> Vec<Type> {
        let mut types = Vec::new();
        for &r in results {
            let count = if self.varies(r) { self.chains() } else { 1 };
            types.extend(std::iter::repeat_n(self.ty(r), count));
        }
        types
    }

    /// Binds `results` to values in the order of [`Vectoriser::result_types`].
    fn bind_results(&mut self, results: &[Value], values: &[LValue]) {
        let mut values = values.iter().copied();
        for &r in results {
            let lanes = if self.varies(r) {
                Lanes::Each(values.by_ref().take(self.chains()).collect())
            } else {
                match values.next() {
                    Some(v) => Lanes::Uniform(v),
                    None => return,
                }
            };
            self.bind(r, lanes);
        }
    }

    fn divergent_branch(
        &mut self,
        results: &[Value],
        cond: Value,
        then: &Region,
        els: &Region,
        mask: &Mask,
    ) {
        let taken = self.each(cond);
        let not_taken: SmallVec<[LValue; 2]> = taken.iter().map(|&m| self.b.not(m)).collect();
        let els_values = self.guarded(els, results, &not_taken, mask, None);
        let chosen = self.guarded(then, results, &taken, mask, Some(els_values));
        for (&r, lanes) in results.iter().zip(chosen) {
            self.bind(r, Lanes::Each(lanes));
        }
    }

    /// Runs a region for the lanes of `lanes`, jumping over it where it is long and there are none. Gives its yields,
    /// in lanes of `lanes`, and those of `others` elsewhere (anything where there are no others).
    fn guarded(
        &mut self,
        region: &Region,
        results: &[Value],
        lanes: &[LValue],
        mask: &Mask,
        others: Option<Vec<SmallVec<[LValue; 2]>>>,
    ) -> Vec<SmallVec<[LValue; 2]>> {
        let running = self.restrict(mask, lanes);
        let merge = |v: &mut Self, yields: Vec<SmallVec<[LValue; 2]>>| match &others {
            None => yields,
            Some(others) => yields
                .into_iter()
                .zip(others)
                .map(|(y, o)| {
                    let sides = y.iter().zip(o).zip(lanes);
                    sides.map(|((&y, &o), &m)| v.b.blend(m, y, o)).collect()
                })
                .collect(),
        };
        let yields = |v: &mut Self| -> Vec<SmallVec<[LValue; 2]>> {
            region.yields.iter().map(|&y| v.each(y)).collect()
        };
        let flat = self.cost(region).is_some_and(|cost| cost <= FLAT_COST);
        if flat {
            self.region(region, &Some(running));
            let values = yields(self);
            return merge(self, values);
        }
        let cond = self.any(&running);
        self.b.open(&[]);
        self.region(region, &Some(running));
        let values = yields(self);
        let values = merge(self, values);
        let then = self.b.close(values.into_iter().flatten().collect());
        self.b.open(&[]);
        let kept = match &others {
            Some(others) => others.iter().flatten().copied().collect(),
            None => {
                let types = self.each_types(results);
                types.into_iter().map(|ty| self.zero(ty)).collect()
            }
        };
        let els = self.b.close(kept);
        let types = self.each_types(results);
        let values = self.b.push_many(LInst::If { cond, then, els }, &types);
        values
            .chunks(self.chains())
            .map(SmallVec::from_slice)
            .collect()
    }

    fn each_types(&self, results: &[Value]) -> Vec<Type> {
        let each = |&r: &Value| std::iter::repeat_n(self.ty(r), self.chains());
        results.iter().flat_map(each).collect()
    }

    fn zero(&mut self, ty: Type) -> LValue {
        self.b.push(LInst::Lanes([0; 4]), ty)
    }

    /// The lanes of `mask` that are also in `lanes`.
    fn restrict(&mut self, mask: &Mask, lanes: &[LValue]) -> SmallVec<[LValue; 2]> {
        match mask {
            None => SmallVec::from_slice(lanes),
            Some(mask) => mask
                .iter()
                .zip(lanes)
                .map(|(&a, &b)| self.b.op2(L::IAnd, a, b))
                .collect(),
        }
    }

    /// Roughly how many instructions a region takes per chain; None where it has effects or loops.
    fn cost(&self, region: &Region) -> Option<usize> {
        let mut sum = 0usize;
        for id in &region.insts {
            sum += match &self.plan.staged.function.insts[id.index()].inst {
                Inst::Constant(_) => 0,
                Inst::Op(op, _) => op_cost(*op),
                Inst::Read(_) => 1,
                Inst::ConstantLoad { address: None, .. } => 0,
                Inst::If { then, els, .. } => self.cost(then)? + self.cost(els)? + 2,
                Inst::ConstantLoad { .. } | Inst::TableLoad { .. } => 8,
                Inst::ArrayLoad { .. }
                | Inst::ArrayStore { .. }
                | Inst::Loop { .. }
                | Inst::Store { .. } => return None,
            };
            if sum > FLAT_COST {
                return None;
            }
        }
        Some(sum)
    }

    /// A loop. Where the lanes need not agree when to leave, it runs until none is left, and lanes that left keep the
    /// values they left with.
    pub(super) fn repeat(
        &mut self,
        results: &[Value],
        init: &[Value],
        body: &Region,
        counted: bool,
        mask: &Mask,
    ) {
        let Some((&again, nexts)) = body.yields.split_first() else {
            return;
        };
        let divergent = self.varies(again);
        let carried = self.carried(results, body, divergent);
        let mut types = Vec::new();
        let mut first = Vec::new();
        for (c, &i) in carried.iter().zip(init) {
            let lanes: SmallVec<[LValue; 2]> = if c.varies {
                self.each(i)
            } else {
                SmallVec::from_slice(&[self.get(i, 0)])
            };
            types.extend(std::iter::repeat_n(c.ty, lanes.len()));
            first.extend(lanes);
            if c.separate {
                types.extend(std::iter::repeat_n(c.ty, self.chains()));
                first.extend(self.each(i));
            }
        }
        if divergent {
            types.extend(std::iter::repeat_n(Type::I32X4, self.chains()));
            let all = self.b.int(u32::MAX);
            match mask {
                Some(mask) => first.extend(mask.iter().copied()),
                None => first.extend(std::iter::repeat_n(all, self.chains())),
            }
        }
        if counted {
            types.push(Type::I32);
            first.push(self.b.scalar(0, Type::I32));
        }

        let params = self.b.open(&types);
        let mut rest = params.as_slice();
        let mut old = Vec::new();
        for (c, &p) in carried.iter().zip(&body.params) {
            let lanes = take(&mut rest, if c.varies { self.chains() } else { 1 });
            self.env.insert(
                p,
                if c.varies {
                    Lanes::Each(SmallVec::from_slice(lanes))
                } else {
                    Lanes::Uniform(lanes[0])
                },
            );
            let left = if c.separate {
                take(&mut rest, self.chains())
            } else {
                lanes
            };
            old.push(left);
        }
        let live: Mask = divergent.then(|| SmallVec::from_slice(take(&mut rest, self.chains())));
        let inside = if divergent { &live } else { mask };
        self.region(body, inside);

        let mut yields = Vec::new();
        for ((c, &next), old) in carried.iter().zip(nexts).zip(&old) {
            if !c.varies {
                yields.push(self.get(next, 0));
            }
            if c.varies || c.separate {
                let next = self.each(next);
                match &live {
                    Some(live) => {
                        for ((&n, &o), &m) in next.iter().zip(*old).zip(live) {
                            yields.push(self.b.blend(m, n, o));
                        }
                    }
                    None => yields.extend(next),
                }
            }
        }
        let more = match &live {
            Some(live) => {
                let again = self.each(again);
                let left = self.restrict(&Some(live.clone()), &again);
                yields.extend(left.iter().copied());
                self.any(&left)
            }
            None => {
                let again = self.get(again, 0);
                self.scalar_condition(again)
            }
        };
        if let (true, Some(&count)) = (counted, rest.first()) {
            yields.push(self.count_iteration(count, more));
        }
        yields.insert(0, more);
        let body = self.b.close(yields);
        let values = self.b.push_many(LInst::Loop { init: first, body }, &types);

        let mut rest = values.as_slice();
        for (c, &r) in carried.iter().zip(results) {
            let lanes = take(&mut rest, if c.varies { self.chains() } else { 1 });
            let lanes = if c.separate {
                take(&mut rest, self.chains())
            } else {
                lanes
            };
            let lanes = if c.varies || c.separate {
                Lanes::Each(SmallVec::from_slice(lanes))
            } else {
                Lanes::Uniform(lanes[0])
            };
            self.bind(r, lanes);
        }
        if let (true, Some(&count)) = (counted, values.last()) {
            let batch = self.b.scalar(POLL_EVERY - 1, Type::I32);
            let rest = self.b.op2(L::And, count, batch);
            self.b.effect(LInst::Spend(rest));
        }
    }

    /// How each parameter of a loop is carried.
    fn carried(&self, results: &[Value], body: &Region, divergent: bool) -> Vec<Carried> {
        body.params
            .iter()
            .zip(results)
            .map(|(&p, &r)| Carried {
                ty: self.ty(p),
                varies: self.varies(p),
                separate: divergent && !self.varies(p) && self.is_used(r),
            })
            .collect()
    }

    /// Counts an iteration; ends the draw where one more is wanted than a loop may take, and looks now and then
    /// whether it is to be stopped.
    fn count_iteration(&mut self, count: LValue, more: LValue) -> LValue {
        let one = self.b.scalar(1, Type::I32);
        let count = self.b.op2(L::Add, count, one);
        let limit = self.b.input(Input::LoopLimit);
        let reached = self.b.op2(L::Ule, limit, count);
        let over = self.b.op2(L::And, reached, more);
        self.b.effect(LInst::Exit(over, Status::LoopLimit));
        let batch = self.b.scalar(POLL_EVERY - 1, Type::I32);
        let rest = self.b.op2(L::And, count, batch);
        let cond = self.b.op1(L::NonZero, rest);
        self.b.open(&[]);
        let then = self.b.close(Vec::new());
        self.b.open(&[]);
        let batch = self.b.scalar(POLL_EVERY, Type::I32);
        self.b.effect(LInst::Spend(batch));
        let els = self.b.close(Vec::new());
        self.b.push_many(LInst::If { cond, then, els }, &[]);
        count
    }
}

/// How a parameter of a loop is carried.
#[derive(Clone, Copy)]
struct Carried {
    ty: Type,
    /// One vector per chain.
    varies: bool,
    /// The same in all lanes that are still running: what lanes left with is carried beside it.
    separate: bool,
}

/// Cuts the first `n` values off.
fn take<'v>(values: &mut &'v [LValue], n: usize) -> &'v [LValue] {
    let (front, back) = values.split_at(n.min(values.len()));
    *values = back;
    front
}

fn op_cost(op: fuseline_numerics::op::Op) -> usize {
    use fuseline_numerics::op::Op;
    match op {
        Op::SDiv | Op::SRem | Op::UDiv | Op::URem => 20,
        Op::FDiv | Op::FSqrt => 4,
        Op::FToU => 9,
        Op::FToS | Op::UToF => 5,
        Op::FMin | Op::FMax => 3,
        _ => 1,
    }
}
