//! Floats of 16, 11 and 10 bits, converted with integer arithmetic.
//!
//! Works alike whether denormal binary32 values flush or not: every half that is not zero is a normal binary32.

use crate::code::Code;
use crate::machine::Machine;

/// Exponent bits of binary32 for which a 5-bit exponent has the bits 0: 127 - 15.
const REBIAS: u32 = 112 << 23;
const INFINITY: u32 = 0x7F80_0000;
const SIGN: u32 = 0x8000_0000;

/// How a float becomes a half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// Toward zero: what is too large gives 65504 (FS 3.2.2).
    TowardZero,
    /// Nearest, ties to even: what is too large gives an infinity.
    NearestEven,
}

/// The half in the low 16 bits of `bits` as a float; the upper 16 are ignored. A NaN becomes a quiet one with its
/// payload shifted left by 13 (FS 3.1.5; input-assembler.md section 5).
pub fn half_to_float<M: Machine>(machine: &mut M, bits: M::Value) -> M::Value {
    let o = Code::new(machine);
    let magnitude = expand(&o, o.shl_i(o.and_i(bits, 0x7FFF), 13));
    let sign = o.shl_i(o.and_i(bits, 0x8000), 16);
    o.as_float(o.or(magnitude, sign))
}

/// The unsigned float of a 5-bit exponent and `mantissa_bits` (6 or 5) that `bits` holds, with nothing above it (FS
/// 3.1.6).
pub fn unsigned_small_float<M: Machine>(
    machine: &mut M,
    bits: M::Value,
    mantissa_bits: u32,
) -> M::Value {
    let o = Code::new(machine);
    o.as_float(expand(&o, o.shl_i(bits, 23 - mantissa_bits)))
}

/// From a 5-bit exponent at bit 23 and the mantissa below it to the bits of a float.
fn expand<M: Machine>(o: &Code<M>, magnitude: M::Value) -> M::Value {
    let normal = o.add_i(magnitude, REBIAS);
    // A denormal: give it a hidden bit of the smallest exponent, and take that away again.
    let smallest = f32::from_bits(REBIAS + (1 << 23));
    let with_hidden_bit = o.as_float(o.add_i(normal, 1 << 23));
    let denormal = o.num_bits(o.sub(with_hidden_bit, o.f(smallest)));
    let finite = o.iselect(o.slt(magnitude, o.i(1 << 23)), denormal, normal);
    // All exponent bits set: an infinity, or a NaN, whose quiet bit is the carry of any payload.
    let quiet = o.and_i(o.add_i(magnitude, 0x003F_FFFF), 0x0040_0000);
    let special = o.or_i(o.or(normal, quiet), INFINITY);
    o.iselect(o.slt(magnitude, o.i(31 << 23)), finite, special)
}

/// `x` as a half in the low 16 bits, the upper 16 zero. A NaN keeps its sign and the upper bits of its payload.
pub(crate) fn float_to_half<M: Machine>(
    machine: &mut M,
    x: M::Value,
    rounding: Rounding,
) -> M::Value {
    let o = Code::new(machine);
    let bits = o.as_int(x);
    let magnitude = o.and_i(bits, !SIGN);
    // Below 2^-14 a half is a multiple of 2^-24: as an integer, in the low bits of 2^23 + |x| * 2^24.
    let units = o.mul(o.abs(x), o.f((1u32 << 24) as f32));
    let (units, rounded, largest) = match rounding {
        Rounding::TowardZero => (o.trunc(units), magnitude, 0x7BFF),
        Rounding::NearestEven => {
            let odd = o.and_i(o.ushr_i(magnitude, 13), 1);
            (units, o.iadd(o.add_i(magnitude, 0x0FFF), odd), 0x7C00)
        }
    };
    let denormal = o.and_i(o.num_bits(o.add(units, o.f((1u32 << 23) as f32))), 0x07FF);
    let normal = o.ushr_i(o.isub(rounded, o.i(REBIAS)), 13);
    let finite = o.iselect(o.slt(magnitude, o.i(0x3880_0000)), denormal, normal);
    let finite = o.smin(finite, o.i(largest));
    let payload = o.and_i(o.ushr_i(magnitude, 13), 0x7FFF);
    let quiet = o.iselect(o.slt(o.i(INFINITY), magnitude), o.i(0x0200), o.i(0));
    let is_finite = o.slt(magnitude, o.i(INFINITY));
    let half = o.iselect(is_finite, finite, o.or(payload, quiet));
    o.or(half, o.and_i(o.ushr_i(bits, 16), 0x8000))
}
