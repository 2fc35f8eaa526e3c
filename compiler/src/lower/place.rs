//! Parts of variables, read and written; values indexed at run time; constant buffers.

use super::{Lower, Result, Storage, Values, for_each_kind};
use crate::kir::Value;
use fuseline_hlsl::hir::{self, DynamicIndex, Expr, VarId};
use fuseline_numerics::op::{Kind, Op};
use smallvec::SmallVec;

/// Most elements among which selects choose; beyond, memory is better.
const MAX_CHOICES: u32 = 12;

/// A place whose indices are evaluated.
pub(super) struct Place<'a> {
    var: VarId,
    offset: u32,
    indices: SmallVec<[Index; 2]>,
    components: &'a [u32],
    /// An index is out of range, whatever the others are.
    outside: bool,
}

/// An index that is not known.
#[derive(Clone, Copy)]
struct Index {
    value: Value,
    stride: u32,
    len: u32,
}

/// Where a part is that is chosen at run time.
enum Chosen {
    /// One of the offsets, each under its condition.
    Among(Vec<(Value, u32)>),
    /// At a component number; far out of range where an index is.
    At(Value),
}

impl<'a> Lower<'a> {
    /// Evaluates the indices of a place.
    pub(super) fn place(&mut self, place: &'a hir::Place) -> Result<Place<'a>> {
        let mut offset = place.offset;
        let mut indices = SmallVec::new();
        let mut outside = false;
        for DynamicIndex { index, stride, len } in &place.dynamic {
            let value = self.scalar(index)?;
            match self.b.bits(value) {
                Some(i) if i < *len => offset += i * stride,
                Some(_) => outside = true,
                None => indices.push(Index {
                    value,
                    stride: *stride,
                    len: *len,
                }),
            }
        }
        Ok(Place {
            var: place.var,
            offset,
            indices,
            components: &place.components,
            outside,
        })
    }

    /// Sets all slots of a variable.
    pub(super) fn set_var(&mut self, var: VarId, values: &[Value]) {
        match self.storage(var) {
            Storage::Constant(_) => {}
            Storage::Slots(first) => {
                for (k, v) in values.iter().enumerate() {
                    self.env.set(first as usize + k, *v);
                }
            }
            Storage::Array(array) => {
                for (k, v) in values.iter().enumerate() {
                    let index = self.b.int(k as u32);
                    self.array_store(array, index, *v);
                }
            }
        }
    }

    /// All slots of a variable.
    pub(super) fn whole_var(&mut self, var: VarId) -> Values {
        let slots = self.program.vars[var.0 as usize].slots;
        (0..slots).map(|slot| self.read_slot(var, slot)).collect()
    }

    /// One slot of a variable.
    pub(super) fn read_slot(&mut self, var: VarId, slot: u32) -> Value {
        if let Storage::Slots(first) = self.storage(var) {
            return self.env.get((first + slot) as usize);
        }
        let kind = self.slot_kind(var, slot);
        match self.storage(var) {
            Storage::Constant(bits) => {
                let bits = bits.get(slot as usize).copied().unwrap_or(0);
                self.b.constant(kind, bits)
            }
            Storage::Array(array) => {
                let index = self.b.int(slot);
                self.array_load(kind, array, index)
            }
            Storage::Slots(_) => unreachable!("handled above"),
        }
    }

    fn slot_kind(&self, var: VarId, slot: u32) -> Kind {
        if let Storage::Slots(first) = self.storage(var) {
            return self.b.kind(self.env.get((first + slot) as usize));
        }
        let mut ty = &self.program.vars[var.0 as usize].ty;
        let mut slot = slot;
        loop {
            use fuseline_hlsl::types::Type;
            match ty {
                Type::Array(element, _) => {
                    slot %= element.components().max(1);
                    ty = element;
                }
                Type::Struct(s) => {
                    let mut found = None;
                    for field in &s.fields {
                        let n = field.ty.components();
                        if slot < n {
                            found = Some(&field.ty);
                            break;
                        }
                        slot -= n;
                    }
                    let Some(field) = found else {
                        return Kind::F32;
                    };
                    ty = field;
                }
                _ => return ty.scalar().map_or(Kind::F32, |s| s.kind()),
            }
        }
    }

    /// Reads a place.
    pub(super) fn load(&mut self, place: &Place) -> Values {
        let slots = place.components.iter().map(|c| place.offset + c);
        if place.outside {
            let kinds: SmallVec<[Kind; 16]> = slots.map(|s| self.slot_kind(place.var, s)).collect();
            return kinds.into_iter().map(|k| self.b.constant(k, 0)).collect();
        }
        if place.indices.is_empty() {
            return slots.map(|slot| self.read_slot(place.var, slot)).collect();
        }
        match self.chosen(place) {
            Chosen::Among(offsets) => slots
                .map(|slot| {
                    let kind = self.slot_kind(place.var, slot);
                    let mut v = self.b.constant(kind, 0);
                    for (cond, offset) in &offsets {
                        let candidate = self.read_slot(place.var, slot + offset);
                        v = self.b.select(*cond, candidate, v);
                    }
                    v
                })
                .collect(),
            Chosen::At(at) => slots
                .map(|slot| self.load_at(place.var, at, slot))
                .collect(),
        }
    }

    /// Component `at + slot` of a variable that is not in slots.
    fn load_at(&mut self, var: VarId, at: Value, slot: u32) -> Value {
        let kind = self.slot_kind(var, slot);
        let offset = self.b.int(slot);
        let index = self.b.op(Op::IAdd, &[at, offset]);
        match self.storage(var) {
            Storage::Array(array) => self.array_load(kind, array, index),
            Storage::Constant(bits) => {
                let table = self.b.table(bits.to_vec());
                self.table_component(kind, table, index)
            }
            Storage::Slots(_) => {
                let table = self.constant_slots(var).map(|bits| self.b.table(bits));
                match table {
                    Some(table) => self.table_component(kind, table, index),
                    None => self.b.constant(kind, 0),
                }
            }
        }
    }

    /// A table's entry as a value of any kind.
    fn table_component(&mut self, kind: Kind, table: u32, index: Value) -> Value {
        match kind {
            Kind::Bool => {
                let bits = self.b.table_load(Kind::I32, table, index);
                self.is_set(bits)
            }
            kind => self.b.table_load(kind, table, index),
        }
    }

    /// An array's component as a value of any kind.
    fn array_load(&mut self, kind: Kind, array: u32, index: Value) -> Value {
        match kind {
            Kind::Bool => {
                let bits = self.b.array_load(Kind::I32, array, index);
                self.is_set(bits)
            }
            kind => self.b.array_load(kind, array, index),
        }
    }

    fn array_store(&mut self, array: u32, index: Value, value: Value) {
        let value = match self.b.kind(value) {
            Kind::Bool => self.b.op(Op::BToI, &[value]),
            _ => value,
        };
        self.b.array_store(array, index, value);
    }

    /// The bits of all slots of a variable, if all are known.
    fn constant_slots(&self, var: VarId) -> Option<Vec<u32>> {
        let Storage::Slots(first) = self.storage(var) else {
            return None;
        };
        let slots = self.program.vars[var.0 as usize].slots as usize;
        self.env
            .range(first as usize, slots)
            .iter()
            .map(|v| self.b.bits(*v))
            .collect()
    }

    /// Writes a place.
    pub(super) fn store(&mut self, place: &Place, values: &[Value]) {
        if place.outside {
            return;
        }
        let targets = place
            .components
            .iter()
            .map(|c| place.offset + c)
            .zip(values);
        if place.indices.is_empty() {
            for (slot, v) in targets {
                self.write_slot(place.var, slot, *v);
            }
            return;
        }
        match self.chosen(place) {
            Chosen::Among(offsets) => {
                for (slot, v) in targets {
                    for (cond, offset) in &offsets {
                        let old = self.read_slot(place.var, slot + offset);
                        let new = self.b.select(*cond, *v, old);
                        self.write_slot(place.var, slot + offset, new);
                    }
                }
            }
            Chosen::At(at) => {
                // Slots are written only among choices: here the variable is in an array, or will be.
                if let Storage::Array(array) = self.storage(place.var) {
                    for (slot, v) in targets {
                        let offset = self.b.int(slot);
                        let index = self.b.op(Op::IAdd, &[at, offset]);
                        self.array_store(array, index, *v);
                    }
                } else {
                    self.wants_array(place.var);
                }
            }
        }
    }

    fn write_slot(&mut self, var: VarId, slot: u32, value: Value) {
        match self.storage(var) {
            Storage::Slots(first) => self.env.set((first + slot) as usize, value),
            Storage::Array(array) => {
                let index = self.b.int(slot);
                self.array_store(array, index, value);
            }
            Storage::Constant(_) => {}
        }
    }

    fn wants_array(&mut self, var: VarId) {
        self.in_array[var.0 as usize] = true;
        self.array_missing = true;
    }

    /// How the part that a place's indices choose is found.
    fn chosen(&mut self, place: &Place) -> Chosen {
        let choices = place
            .indices
            .iter()
            .fold(1u32, |n, i| n.saturating_mul(i.len));
        if let Storage::Slots(_) = self.storage(place.var) {
            if choices <= MAX_CHOICES {
                return Chosen::Among(self.conditions(&place.indices));
            }
            if self.constant_slots(place.var).is_none() {
                self.wants_array(place.var);
            }
        }
        Chosen::At(self.component_number(&place.indices))
    }

    /// All offsets that the indices can give, each under the condition that they do.
    fn conditions(&mut self, indices: &[Index]) -> Vec<(Value, u32)> {
        let yes = self.b.bool(true);
        let mut all = vec![(yes, 0)];
        for index in indices {
            let mut next = Vec::with_capacity(all.len() * index.len as usize);
            for (cond, offset) in all {
                for i in 0..index.len {
                    let number = self.b.int(i);
                    let hit = self.b.op(Op::IEq, &[index.value, number]);
                    next.push((self.b.op(Op::BAnd, &[cond, hit]), offset + i * index.stride));
                }
            }
            all = next;
        }
        all
    }

    /// The sum of the strides, or 2^31 where an index is out of range.
    fn component_number(&mut self, indices: &[Index]) -> Value {
        let mut at = self.b.int(0);
        let mut inside = self.b.bool(true);
        for index in indices {
            let len = self.b.int(index.len);
            let stride = self.b.int(index.stride);
            let below = self.b.op(Op::ULt, &[index.value, len]);
            let distance = self.b.op(Op::IMul, &[index.value, stride]);
            inside = self.b.op(Op::BAnd, &[inside, below]);
            at = self.b.op(Op::IAdd, &[at, distance]);
        }
        let outside = self.b.int(1 << 31);
        self.b.op(Op::ISelect, &[inside, at, outside])
    }

    /// A value indexed at run time.
    pub(super) fn index(
        &mut self,
        base: &'a Expr,
        index: &'a Expr,
        stride: u32,
        len: u32,
    ) -> Result<Values> {
        let base = self.expr(base)?;
        let value = self.scalar(index)?;
        let part = |i: u32, k: u32| base[(i * stride + k) as usize];
        if let Some(i) = self.b.bits(value) {
            return Ok((0..stride)
                .map(|k| {
                    if i < len {
                        part(i, k)
                    } else {
                        let kind = self.b.kind(part(0, k));
                        self.b.constant(kind, 0)
                    }
                })
                .collect());
        }
        let indices = [Index { value, stride, len }];
        if len <= MAX_CHOICES {
            let conds = self.conditions(&indices);
            return Ok((0..stride)
                .map(|k| {
                    let kind = self.b.kind(part(0, k));
                    let mut v = self.b.constant(kind, 0);
                    for (i, (cond, _)) in conds.iter().enumerate() {
                        v = self.b.select(*cond, part(i as u32, k), v);
                    }
                    v
                })
                .collect());
        }
        let at = self.component_number(&indices);
        let bits: Option<Vec<u32>> = base.iter().map(|v| self.b.bits(*v)).collect();
        let table = bits.map(|bits| self.b.table(bits));
        let array = match table {
            Some(_) => None,
            None => {
                let array = self.b.array(base.len() as u32);
                for (k, v) in base.iter().enumerate() {
                    let number = self.b.int(k as u32);
                    self.array_store(array, number, *v);
                }
                Some(array)
            }
        };
        Ok((0..stride)
            .map(|k| {
                let kind = self.b.kind(part(0, k));
                let offset = self.b.int(k);
                let number = self.b.op(Op::IAdd, &[at, offset]);
                match (table, array) {
                    (Some(table), _) => self.table_component(kind, table, number),
                    (None, Some(array)) => self.array_load(kind, array, number),
                    (None, None) => self.b.constant(kind, 0),
                }
            })
            .collect())
    }

    /// A read of a constant buffer; `expr` has its type.
    pub(super) fn constant_load(
        &mut self,
        load: &'a hir::ConstantLoad,
        expr: &'a Expr,
    ) -> Result<Values> {
        let mut address = None;
        for DynamicIndex { index, stride, .. } in &load.dynamic {
            let index = self.scalar(index)?;
            let stride = self.b.int(*stride);
            let distance = self.b.op(Op::IMul, &[index, stride]);
            address = Some(match address {
                Some(a) => self.b.op(Op::IAdd, &[a, distance]),
                None => distance,
            });
        }
        let mut kinds: SmallVec<[Kind; 16]> = SmallVec::new();
        for_each_kind(&expr.ty, &mut |kind| kinds.push(kind));
        Ok(load
            .components
            .iter()
            .zip(kinds)
            .map(|(c, kind)| {
                let offset = load.offset.wrapping_add(*c);
                let buffer = load.buffer.0;
                match kind {
                    Kind::Bool => {
                        let bits = self.b.constant_load(Kind::I32, buffer, address, offset);
                        self.is_set(bits)
                    }
                    kind => self.b.constant_load(kind, buffer, address, offset),
                }
            })
            .collect())
    }
}
