//! Constant-buffer reads at addresses that cannot be far: indices of one byte into a palette, above all.
//!
//! Where the largest address is known, no read needs a check: before anything else, a buffer that is smaller than that
//! is copied to memory where zeros follow it ([`super::Extended`]), which is what reads out of bounds give. Such
//! addresses are often a word of the vertex times a constant; those are computed by scalar instructions, straight from
//! the vertex, since a vector would have to be taken apart.
//!
//! Must not know what is read.

use super::op::Op as L;
use super::vectorise::Vectoriser;
use super::{Extended, Input, Inst as LInst, Type, Value as LValue};
use crate::kir::{Inst, Source, Value};
use fuseline_numerics::op::Op;

/// Most bytes of a buffer and the zeros behind it: no buffer is larger.
const MOST: u32 = 1 << 16;

/// How many operations of an address are looked at.
const DEPTH: u32 = 6;

impl Vectoriser<'_> {
    /// Where to read `bytes` bytes of a buffer at varying addresses without a check (I64), if that is possible.
    pub(super) fn unchecked(&mut self, buffer: u32, address: Value, bytes: u32) -> Option<LValue> {
        let end = self.largest(address, DEPTH)?.checked_add(bytes)?;
        if end > MOST {
            return None;
        }
        let extended = &mut self.b.function().extended;
        match extended.iter_mut().find(|e| e.buffer == buffer) {
            Some(e) => e.bytes = e.bytes.max(end.next_multiple_of(16)),
            None => extended.push(Extended {
                buffer,
                bytes: end.next_multiple_of(16),
                copy: 0,
            }),
        }
        Some(self.b.input(Input::Extended(buffer)))
    }

    /// Gives the copies their places behind the local arrays.
    pub(super) fn place_copies(&mut self) {
        let f = self.b.function();
        for e in &mut f.extended {
            e.copy = f.array_bytes;
            f.array_bytes += e.bytes;
        }
    }

    /// The offsets of four vertices as I64, without what is the same for all addresses.
    pub(super) fn offsets(&mut self, address: Value, chain: usize) -> [LValue; 4] {
        if self.is_scalar(address, DEPTH) {
            let first = 4 * chain as u32;
            return [0, 1, 2, 3].map(|lane| self.scalar_address(address, first + lane));
        }
        let lanes = self.get(address, chain);
        self.b.four_addresses(lanes)
    }

    /// The largest value that an unsigned integer can have.
    fn largest(&self, value: Value, depth: u32) -> Option<u32> {
        let depth = depth.checked_sub(1)?;
        match self.definition(value)? {
            Inst::Constant(bits) => Some(*bits),
            Inst::Read(Source::Word { width: 1, .. }) => Some(0xFF),
            Inst::Read(Source::Word { width: 2, .. }) => Some(0xFFFF),
            Inst::Op(op, args) => {
                let mut of = args.iter().map(|&a| self.largest(a, depth));
                let (a, b) = (of.next().flatten(), of.next().flatten());
                match op {
                    Op::IAdd => a?.checked_add(b?),
                    Op::IMul => a?.checked_mul(b?),
                    Op::IShl => {
                        let count = self.known(args[1])? & 31;
                        a.filter(|a| a.leading_zeros() >= count).map(|a| a << count)
                    }
                    Op::UShr => Some(a.unwrap_or(u32::MAX) >> (self.known(args[1])? & 31)),
                    Op::IAnd | Op::UMin => a.into_iter().chain(b).min(),
                    Op::UMax => Some(a?.max(b?)),
                    Op::BToI => Some(1),
                    Op::ISelect => {
                        let b = b?;
                        Some(b.max(self.largest(args[2], depth)?))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn known(&self, value: Value) -> Option<u32> {
        match self.definition(value)? {
            Inst::Constant(bits) => Some(*bits),
            _ => None,
        }
    }

    /// Whether [`Vectoriser::scalar_address`] can compute a value.
    fn is_scalar(&self, value: Value, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        if self.word(value).is_some() {
            return true;
        }
        match self.definition(value) {
            Some(Inst::Op(Op::IMul | Op::IAdd | Op::IShl, args)) => {
                self.is_scalar(args[0], depth) && self.known(args[1]).is_some()
            }
            _ => false,
        }
    }

    /// The bytes of a vertex that a value is, zero-extended: layout element, byte, width.
    fn word(&self, value: Value) -> Option<(u32, u8, u8)> {
        match self.definition(value)? {
            Inst::Read(Source::Word {
                element,
                byte,
                width,
            }) => {
                let e = self.element(*element)?;
                e.step_rate.is_none().then_some((*element, *byte, *width))
            }
            Inst::Op(Op::UShr, args) => {
                let (element, byte, width) = self.word(args[0])?;
                let count = self.known(args[1])?;
                let bytes = (count / 8) as u8;
                let left = width.checked_sub(bytes)?;
                (count % 8 == 0 && matches!(left, 1 | 2 | 4)).then_some((
                    element,
                    byte + bytes,
                    left,
                ))
            }
            Inst::Op(Op::IAnd, args) => {
                // The bytes behind those of the mask may be any.
                let (word, count) = match self.definition(args[0])? {
                    Inst::Op(Op::UShr, shift) => (shift[0], self.known(shift[1])?),
                    _ => (args[0], 0),
                };
                let (element, byte, width) = self.word(word)?;
                let bytes = (count / 8) as u8;
                let wanted = match self.known(args[1])? {
                    0xFF => 1,
                    0xFFFF => 2,
                    _ => return None,
                };
                (count % 8 == 0 && bytes + wanted <= width).then_some((
                    element,
                    byte + bytes,
                    wanted,
                ))
            }
            _ => None,
        }
    }

    /// A value of one vertex as I64. What [`Vectoriser::largest`] bounds does not overflow.
    fn scalar_address(&mut self, value: Value, vertex: u32) -> LValue {
        if let Some((element, byte, width)) = self.word(value)
            && let Some(e) = self.element(element)
        {
            let stream = self.stream(element, e);
            let offset = e.offset + u32::from(byte);
            let from = self.vertex_address(stream, vertex, offset, u32::from(width));
            return self.b.push(LInst::LoadScalar(width, from), Type::I64);
        }
        match self.definition(value) {
            Some(Inst::Op(op, args)) => {
                let (op, a, b) = (*op, args[0], self.known(args[1]).unwrap_or_default());
                let a = self.scalar_address(a, vertex);
                let (op, b) = match op {
                    Op::IAdd => (L::Add64, i64::from(b)),
                    Op::IShl => (L::Mul64, 1 << (b & 31)),
                    _ => (L::Mul64, i64::from(b)),
                };
                let b = self.b.scalar(b, Type::I64);
                self.b.op2(op, a, b)
            }
            _ => {
                let known = self.known(value).unwrap_or_default();
                self.b.scalar(i64::from(known), Type::I64)
            }
        }
    }
}
