//! Places: slots of variables, bytes of constant buffers.

use super::{Interpreter, Result};
use fuseline_hlsl::hir::{ConstantLoad, DynamicIndex, Place};
use fuseline_hlsl::types::{Scalar, Type};

impl Interpreter<'_> {
    /// The slot from which a place's components count; None: an index is out of range.
    pub(super) fn resolve(&mut self, place: &Place) -> Result<Option<usize>> {
        let mut at = self.first[place.var.0 as usize] + place.offset as usize;
        let mut is_inside = true;
        for DynamicIndex { index, stride, len } in &place.dynamic {
            self.eval(index)?;
            let index = self.pop();
            is_inside &= index < *len;
            at = at.wrapping_add((index as usize).wrapping_mul(*stride as usize));
        }
        Ok(is_inside.then_some(at))
    }

    /// Pushes the components of a place; zeros where it is out of range.
    pub(super) fn load(&mut self, place: &Place) -> Result {
        match self.resolve(place)? {
            Some(at) => {
                let slots = &self.slots;
                let values = place.components.iter().map(|c| slots[at + *c as usize]);
                self.stack.extend(values);
            }
            None => {
                let len = self.stack.len() + place.components.len();
                self.stack.resize(len, 0);
            }
        }
        Ok(())
    }

    /// Copies the components on top of the stack to where a place was resolved to; nowhere if it is out of range.
    pub(super) fn store(&mut self, place: &Place, at: Option<usize>) {
        let Some(at) = at else {
            return;
        };
        let from = self.stack.len() - place.components.len();
        for (component, value) in place.components.iter().zip(&self.stack[from..]) {
            self.slots[at + *component as usize] = *value;
        }
    }

    /// Pushes components of a constant buffer: wrapping 32-bit addresses, zero for what is not wholly inside.
    pub(super) fn constant_load(&mut self, load: &ConstantLoad, ty: &Type) -> Result {
        let mut address = load.offset;
        for DynamicIndex { index, stride, .. } in &load.dynamic {
            self.eval(index)?;
            address = address.wrapping_add(self.pop().wrapping_mul(*stride));
        }
        let bytes = self.constants.get(load.buffer.0 as usize).copied();
        let bytes = bytes.unwrap_or_default();
        let base = self.stack.len();
        let values = load.components.iter().map(|component| {
            let at = address.wrapping_add(*component) as usize;
            match bytes.get(at..).and_then(<[u8]>::first_chunk) {
                Some(word) => u32::from_le_bytes(*word),
                None => 0,
            }
        });
        self.stack.extend(values);
        make_bools(ty, &mut self.stack[base..]);
        Ok(())
    }
}

/// Makes 1 of every bool that has any bit set; the components of a value of type `ty`. Gives the rest of `values`.
fn make_bools<'v>(ty: &Type, values: &'v mut [u32]) -> &'v mut [u32] {
    match ty {
        _ if ty.scalar() == Some(Scalar::Bool) => {
            let (bools, rest) = values.split_at_mut(values.len().min(ty.components() as usize));
            bools.iter_mut().for_each(|b| *b = u32::from(*b != 0));
            rest
        }
        Type::Array(element, len) => (0..*len).fold(values, |rest, _| make_bools(element, rest)),
        Type::Struct(s) => s
            .fields
            .iter()
            .fold(values, |rest, f| make_bools(&f.ty, rest)),
        _ => {
            let count = values.len().min(ty.components() as usize);
            &mut values[count..]
        }
    }
}
