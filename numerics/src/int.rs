//! Counting, finding and reversing bits, in operations that vector units have.

use crate::code::Code;
use crate::machine::Machine;

/// Number of bits that are set.
pub(crate) fn count_bits<M: Machine>(machine: &mut M, x: M::Value) -> M::Value {
    let o = Code::new(machine);
    let pairs = o.isub(x, o.and_i(o.ushr_i(x, 1), 0x5555_5555));
    let nibbles = o.iadd(
        o.and_i(pairs, 0x3333_3333),
        o.and_i(o.ushr_i(pairs, 2), 0x3333_3333),
    );
    let bytes = o.and_i(o.iadd(nibbles, o.ushr_i(nibbles, 4)), 0x0F0F_0F0F);
    let words = o.iadd(bytes, o.ushr_i(bytes, 8));
    o.and_i(o.iadd(words, o.ushr_i(words, 16)), 0x3F)
}

/// The bits in opposite order.
pub(crate) fn reverse_bits<M: Machine>(machine: &mut M, x: M::Value) -> M::Value {
    let o = Code::new(machine);
    let swap = |x, distance, mask| {
        let down = o.and_i(o.ushr_i(x, distance), mask);
        o.or(down, o.shl_i(o.and_i(x, mask), distance))
    };
    let x = swap(x, 1, 0x5555_5555);
    let x = swap(x, 2, 0x3333_3333);
    let x = swap(x, 4, 0x0F0F_0F0F);
    let x = swap(x, 8, 0x00FF_00FF);
    o.or(o.ushr_i(x, 16), o.shl_i(x, 16))
}

/// Index of the highest bit that is set; none: 0xFFFFFFFF.
pub(crate) fn first_bit_high_unsigned<M: Machine>(machine: &mut M, x: M::Value) -> M::Value {
    let index = first_bit_high_nonnegative(machine, x);
    let o = Code::new(machine);
    o.iselect(o.slt(x, o.i(0)), o.i(31), index)
}

/// Index of the highest bit that differs from the sign; none: 0xFFFFFFFF.
pub(crate) fn first_bit_high_signed<M: Machine>(machine: &mut M, x: M::Value) -> M::Value {
    let o = Code::new(machine);
    let differs = o.xor(x, o.sshr_i(x, 31));
    first_bit_high_nonnegative(machine, differs)
}

/// The index, for numbers that are not negative as signed ones: the exponent of the number as a float. Without the
/// bit below the highest, rounding cannot carry into the exponent.
fn first_bit_high_nonnegative<M: Machine>(machine: &mut M, x: M::Value) -> M::Value {
    let o = Code::new(machine);
    let sparse = o.and(x, o.xor(o.ushr_i(x, 1), o.i(u32::MAX)));
    exponent_or_none(&o, o.s_to_f(sparse))
}

/// Index of the lowest bit that is set; none: 0xFFFFFFFF.
pub(crate) fn first_bit_low<M: Machine>(machine: &mut M, x: M::Value) -> M::Value {
    let o = Code::new(machine);
    let lowest = o.and(x, o.isub(o.i(0), x));
    exponent_or_none(&o, o.s_to_f(lowest))
}

/// The exponent of a float that is an integer (its sign does not matter); -1 for zero.
fn exponent_or_none<M: Machine>(o: &Code<M>, x: M::Value) -> M::Value {
    let biased = o.and_i(o.ushr_i(o.num_bits(x), 23), 0xFF);
    o.smax(o.isub(biased, o.i(127)), o.i(u32::MAX))
}
