//! Reads of constant buffers, tables and local arrays.
//!
//! Must not know how addresses in buffers were computed.

use super::op::Op as L;
use super::vectorise::{Mask, Vectoriser};
use super::{
    Address, FixedConstants, Input, Inst as LInst, Limit, Memory, Slot, Type, Value as LValue,
};
use crate::kir::{Inst, Region, Value};
use fuseline_numerics::op::Kind;

impl Vectoriser<'_> {
    /// The slot of the 32 bits of a buffer at a fixed address.
    pub(super) fn fixed_constant(&mut self, buffer: u32, address: u32) -> Slot {
        let f = self.b.function();
        for group in &f.fixed {
            if group.buffer == buffer
                && let Some(i) = group.addresses.iter().position(|&a| a == address)
            {
                return Slot::Shared(group.first_slot + i as u32);
            }
        }
        let slot = f.shared_slots;
        f.shared_slots += 1;
        match f.fixed.last_mut() {
            Some(last)
                if last.buffer == buffer
                    && last.first_slot + last.addresses.len() as u32 == slot =>
            {
                last.addresses.push(address);
            }
            _ => f.fixed.push(FixedConstants {
                buffer,
                first_slot: slot,
                addresses: vec![address],
            }),
        }
        Slot::Shared(slot)
    }

    /// 32 bits of a buffer at `address + offset`; zero where they are not wholly inside (decisions.md, *Input
    /// assembler and draws*: nothing bound reads zero).
    pub(super) fn constant_load(
        &mut self,
        result: Value,
        buffer: u32,
        address: Value,
        offset: u32,
    ) {
        let ty = self.ty(result);
        let varies = self.varies(address);
        let unchecked = if varies {
            let end = offset.saturating_add(4);
            self.unchecked(buffer, address, end)
        } else {
            None
        };
        self.define(result, |v, chain| {
            if let Some(base) = unchecked {
                let offsets = v.offsets(address, chain);
                let words = v.gather_at(base, offsets, Memory::ReadOnly, offset as i32);
                return if ty == Type::F32X4 {
                    v.b.op1(L::BitsF, words)
                } else {
                    words
                };
            }
            let address = v.get(address, chain);
            let offset = v.b.int(offset);
            let address = v.b.op2(L::IAdd, address, offset);
            let word = if varies {
                v.gather_constant(buffer, address)
            } else {
                let address = v.b.extract(address, 0);
                v.scalar_constant(buffer, address)
            };
            if ty == Type::F32X4 {
                v.b.op1(L::BitsF, word)
            } else {
                word
            }
        });
    }

    /// The word at one address, in all lanes.
    fn scalar_constant(&mut self, buffer: u32, address: LValue) -> LValue {
        let base = self.b.input(Input::ConstantBase(buffer));
        let size = self.b.input(Input::ConstantSize(buffer));
        let address = self.b.op1(L::Extend, address);
        let word = self.b.scalar(4, Type::I64);
        let end = self.b.op2(L::Add64, address, word);
        let inside = self.b.op2(L::Ule64, end, size);
        // Address 0 can always be read: the base is that of zeros where the buffer has no word.
        let zero = self.b.scalar(0, Type::I64);
        let safe = self.b.op3(L::Select64, inside, address, zero);
        let from = self.b.op2(L::Add64, base, safe);
        let from = self.b.at(from, 0);
        let word = self.b.push(LInst::LoadScalar(4, from), Type::I32);
        let none = self.b.scalar(0, Type::I32);
        let word = self.b.op3(L::Select, inside, word, none);
        self.b.op1(L::Splat, word)
    }

    /// The words at four addresses.
    fn gather_constant(&mut self, buffer: u32, addresses: LValue) -> LValue {
        let base = self.b.input(Input::ConstantBase(buffer));
        let count = self.limit(buffer, 4);
        let most = self.b.op2(L::UMax, addresses, count);
        let outside = self.b.op2(L::IEq, most, addresses);
        let safe = self.b.op2(L::IAndNot, addresses, outside);
        let words = self.gather(base, safe, Memory::ReadOnly, 0);
        self.b.op2(L::IAndNot, words, outside)
    }

    /// In all lanes, how many addresses of a buffer have so many bytes from there on.
    pub(super) fn limit(&mut self, buffer: u32, bytes: u32) -> LValue {
        let f = self.b.function();
        let known = f.limits.iter();
        let known = known.filter(|l| l.buffer == buffer && l.bytes == bytes);
        let slot = match known.map(|l| l.slot).next() {
            Some(slot) => slot,
            None => {
                let slot = f.shared_slots;
                f.shared_slots += 1;
                f.limits.push(Limit {
                    buffer,
                    bytes,
                    slot,
                });
                slot
            }
        };
        self.b.kept(Slot::Shared(slot), Type::I32X4)
    }

    /// Four words from `base + offset + addresses[lane]` (bytes).
    fn gather(&mut self, base: LValue, addresses: LValue, memory: Memory, offset: i32) -> LValue {
        let offsets = self.b.four_addresses(addresses);
        self.gather_at(base, offsets, memory, offset)
    }

    /// The same from `base + offset + offsets[lane]`, of I64.
    fn gather_at(
        &mut self,
        base: LValue,
        offsets: [LValue; 4],
        memory: Memory,
        offset: i32,
    ) -> LValue {
        let from = offsets.map(|o| Address {
            base: self.b.op2(L::Add64, base, o),
            offset,
            memory,
        });
        let first = self.b.push(LInst::LoadLow(4, from[0]), Type::I32X4);
        (1..4).fold(first, |words, lane| {
            self.b
                .push(LInst::LoadLane(words, lane as u8, from[lane]), Type::I32X4)
        })
    }

    /// Entry `index` of a table; the word behind the table is zero, and stands for all that is out of range.
    pub(super) fn table_load(&mut self, result: Value, table: u32, index: Value) {
        let len = self.b.function().tables[table as usize].len() as u32;
        let varies = self.varies(index);
        self.define(result, |v, chain| {
            let base = v.b.input(Input::Table(table));
            let index = v.get(index, chain);
            let limit = v.b.int(len);
            let index = v.b.op2(L::UMin, index, limit);
            let two = v.b.scalar(2, Type::I32);
            let byte = v.b.op2(L::IShl, index, two);
            let word = if varies {
                v.gather(base, byte, Memory::ReadOnly, 0)
            } else {
                let byte = v.b.extract(byte, 0);
                let byte = v.b.op1(L::Extend, byte);
                let from = v.b.op2(L::Add64, base, byte);
                let from = v.b.at(from, 0);
                v.b.push(LInst::LoadSplat(from), Type::I32X4)
            };
            match v.plan.staged.function.kinds[result.index()] {
                Kind::F32 => v.b.op1(L::BitsF, word),
                Kind::I32 => word,
                Kind::Bool => {
                    let zero = v.b.int(0);
                    v.b.op2(L::ISub, zero, word)
                }
            }
        });
    }

    /// Lays the local arrays out: component by component, each a vector per chain; then one component that stays zero,
    /// which is what reads out of range see, and one that takes writes out of range.
    pub(super) fn assign_arrays(&mut self) {
        let chains = self.plan.chains;
        for &len in &self.plan.staged.function.arrays {
            let f = self.b.function();
            self.arrays.push(f.array_bytes);
            f.array_bytes += (len + 2) * 16 * chains;
        }
    }

    /// Zeros the arrays that a region uses.
    pub(super) fn clear_arrays(&mut self, region: &Region) {
        let function = &self.plan.staged.function;
        let mut used = Vec::new();
        let mut regions = vec![region];
        while let Some(region) = regions.pop() {
            for id in &region.insts {
                let inst = &function.insts[id.index()].inst;
                if let Inst::ArrayLoad { array, .. } | Inst::ArrayStore { array, .. } = inst
                    && !used.contains(array)
                {
                    used.push(*array);
                }
                regions.extend(inst.regions());
            }
        }
        for array in used {
            let len = function.arrays[array as usize];
            let at = self.array(array);
            self.b
                .effect(LInst::Clear((len + 1) * self.plan.chains, at));
        }
    }

    /// The first byte of an array.
    fn array(&mut self, array: u32) -> Address {
        Address {
            base: self.b.input(Input::Arrays),
            offset: self.arrays[array as usize] as i32,
            memory: Memory::Array(array),
        }
    }

    /// Byte offsets in an array of component `index` (clamped to `limit`) for one chain; each lane its own where the
    /// index varies, all the first lane's otherwise.
    fn array_bytes(&mut self, index: LValue, limit: u32, chain: usize, varies: bool) -> LValue {
        let limit = self.b.int(limit);
        let index = self.b.op2(L::UMin, index, limit);
        let stride = self.plan.chains.trailing_zeros() + 4;
        let stride = self.b.scalar(i64::from(stride), Type::I32);
        let byte = self.b.op2(L::IShl, index, stride);
        let chain = 16 * chain as u32;
        let lanes = if varies {
            [chain, chain + 4, chain + 8, chain + 12]
        } else {
            [chain; 4]
        };
        let lanes = self.b.push(LInst::Lanes(lanes), Type::I32X4);
        self.b.op2(L::IAdd, byte, lanes)
    }

    /// The address of one lane's byte offset.
    fn array_address(&mut self, array: Address, bytes: LValue, lane: u8) -> Address {
        let byte = self.b.extract(bytes, lane);
        let byte = self.b.op1(L::Extend, byte);
        Address {
            base: self.b.op2(L::Add64, array.base, byte),
            ..array
        }
    }

    pub(super) fn array_load(&mut self, result: Value, array: u32, index: Value) {
        let len = self.plan.staged.function.arrays[array as usize];
        let at = self.array(array);
        let ty = self.ty(result);
        let varies = self.varies(index);
        self.define(result, |v, chain| {
            let index = v.get(index, chain);
            let bytes = v.array_bytes(index, len, chain, varies);
            if varies {
                let words = v.gather(at.base, bytes, at.memory, at.offset);
                if ty == Type::F32X4 {
                    v.b.op1(L::BitsF, words)
                } else {
                    words
                }
            } else {
                let from = v.array_address(at, bytes, 0);
                v.b.push(LInst::Load(from), ty)
            }
        });
    }

    /// Lanes that do not run, or whose index is out of range, store to the component that nothing reads.
    pub(super) fn array_store(&mut self, array: u32, index: Value, value: Value, mask: &Mask) {
        let len = self.plan.staged.function.arrays[array as usize];
        let at = self.array(array);
        let index_varies = self.varies(index);
        let values = self.each(value);
        for chain in 0..self.chains() {
            let mut index = self.get(index, chain);
            let value = self.b.as_int(values[chain]);
            let limit = self.b.int(len);
            // Out of range is `len` and above; `len` itself must stay zero.
            let nowhere = self.b.int(len + 1);
            let least = self.b.op2(L::UMin, index, limit);
            let outside = self.b.op2(L::IEq, least, limit);
            index = self.b.blend(outside, nowhere, index);
            if !index_varies {
                let bytes = self.array_bytes(index, len + 1, chain, false);
                let to = self.array_address(at, bytes, 0);
                let stored = match mask {
                    Some(mask) => {
                        let old = self.b.push(LInst::Load(to), Type::I32X4);
                        self.b.blend(mask[chain], value, old)
                    }
                    None => value,
                };
                self.b.effect(LInst::Store(stored, to));
                continue;
            }
            if let Some(mask) = mask {
                index = self.b.blend(mask[chain], index, nowhere);
            }
            let bytes = self.array_bytes(index, len + 1, chain, true);
            for lane in 0..4 {
                let to = self.array_address(at, bytes, lane);
                self.b.effect(LInst::StoreLanes {
                    value,
                    lane,
                    bytes: 4,
                    address: to,
                });
            }
        }
    }

    /// A word of a per-instance element, in all lanes: D3D's 32-bit address arithmetic (input-assembler.md, 3), zero
    /// where the element is not wholly inside (decisions.md).
    pub(super) fn instance_word(&mut self, element: u32, byte: u8, width: u8) -> LValue {
        let Some(e) = self.element(element) else {
            return self.b.int(0);
        };
        let stream = self.instance_stream(e.slot);
        let start = self.b.input(Input::StartInstance);
        let index = match e.step_rate {
            Some(0) | None => start,
            Some(rate) => {
                let mut steps = self.b.input(Input::Instance);
                if rate > 1 {
                    let rate = self.b.scalar(i64::from(rate), Type::I32);
                    steps = self.b.op2(L::Div, steps, rate);
                }
                self.b.op2(L::Add, start, steps)
            }
        };
        let stride = self.b.scalar(i64::from(e.stride), Type::I32);
        let from = self.b.op2(L::Mul, index, stride);
        let lower = self.b.input(Input::InstanceOffset(stream));
        let from = self.b.op2(L::Add, from, lower);
        let offset = self.b.scalar(i64::from(e.offset), Type::I32);
        let from = self.b.op2(L::Add, from, offset);
        let above = self.b.op2(L::Ule, lower, from);
        let end = self.b.input(Input::InstanceEnd(stream));
        let end = self.b.op1(L::Extend, end);
        let from = self.b.op1(L::Extend, from);
        let bytes = self.b.scalar(i64::from(e.bytes), Type::I64);
        let last = self.b.op2(L::Add64, from, bytes);
        let below = self.b.op2(L::Ule64, last, end);
        let inside = self.b.op2(L::And, above, below);
        let base = self.b.input(Input::InstanceBase(stream));
        let there = self.b.op2(L::Add64, base, from);
        let zeros = self.b.input(Input::Zeros);
        let from = self.b.op3(L::Select64, inside, there, zeros);
        let from = self.b.at(from, i32::from(byte));
        if width == 4 {
            return self.b.push(LInst::LoadSplat(from), Type::I32X4);
        }
        let word = self.b.push(LInst::LoadScalar(width, from), Type::I32);
        self.b.op1(L::Splat, word)
    }

    fn instance_stream(&mut self, slot: u32) -> u32 {
        if let Some(i) = self.instance_slots.iter().position(|&s| s == slot) {
            return i as u32;
        }
        self.instance_slots.push(slot);
        self.instance_slots.len() as u32 - 1
    }
}
