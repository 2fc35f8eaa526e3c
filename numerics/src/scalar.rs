//! What each [`Op`] does, on the bits of 32-bit values.
//!
//! This is the one definition: the interpreter and the constant folder run it, compiled code must agree with it.
//! It never touches the floating-point mode register; flushing is carried out with integer and double arithmetic,
//! and gives what x86 gives with FTZ and DAZ set (decisions.md, *Numbers*). Must not know who uses it.

use crate::machine::Machine;
use crate::op::{Kind, Op};

/// The bits of the only NaN that arithmetic gives.
pub const CANONICAL_NAN: u32 = 0x7FC0_0000;

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7F80_0000;

/// Smallest magnitude that does not round, to 24 bits with an exponent without lower end, to below 2^-126:
/// 2^-126 - 2^-151.
const TINY: f64 = (1.0 - 1.0 / (1u64 << 25) as f64) * f32::MIN_POSITIVE as f64;

/// What happens to denormal floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Denorm {
    /// Operands and results become zeros of their sign (decisions.md, *denormals, default flush*).
    #[default]
    Flush,
    /// IEEE 754.
    Preserve,
}

/// The machine on which a value is its 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scalar {
    /// What happens to denormal floats.
    pub denorm: Denorm,
}

impl Machine for Scalar {
    type Value = u32;

    #[inline]
    fn constant(&mut self, _kind: Kind, bits: u32) -> u32 {
        bits
    }

    #[inline]
    fn op(&mut self, op: Op, args: &[u32]) -> u32 {
        eval(op, args, self.denorm)
    }
}

/// Carries out `op`. `args` holds as many operands as [`Op::operands`] names (missing ones count as zero); a Bool
/// is 0 or 1, as operand and as result.
#[inline]
pub fn eval(op: Op, args: &[u32], denorm: Denorm) -> u32 {
    let operand = |i: usize| args.get(i).copied().unwrap_or(0);
    let (a, b, c) = (operand(0), operand(1), operand(2));
    // A float operand of an operation that flushes.
    let float = |bits: u32| f32::from_bits(daz(bits, denorm));
    match op {
        Op::FAdd => ftz(float(a) + float(b), denorm),
        Op::FSub => ftz(float(a) - float(b), denorm),
        Op::FMul => mul(float(a), float(b), denorm),
        Op::FDiv => div(float(a), float(b), denorm),
        Op::Fma => fma(float(a), float(b), float(c), denorm),
        Op::FSqrt => canon(float(a).sqrt().to_bits()),
        Op::FFloor => canon(float(a).floor().to_bits()),
        Op::FCeil => canon(float(a).ceil().to_bits()),
        Op::FTrunc => canon(float(a).trunc().to_bits()),
        Op::FRound => canon(float(a).round_ties_even().to_bits()),
        Op::FMin => {
            let (x, y) = (float(a), float(b));
            choose(x, y, x < y)
        }
        Op::FMax => {
            let (x, y) = (float(a), float(b));
            choose(x, y, x > y)
        }
        Op::FNeg => canon(a ^ SIGN),
        Op::FAbs => canon(a & !SIGN),
        Op::Canon => canon(a),
        Op::FEq => u32::from(float(a) == float(b)),
        Op::FNe => u32::from(float(a) != float(b)),
        Op::FLt => u32::from(float(a) < float(b)),
        Op::FLe => u32::from(float(a) <= float(b)),
        // `as` saturates and takes NaN to 0; denormals truncate to 0 anyway.
        Op::FToS => f32::from_bits(a) as i32 as u32,
        Op::FToU => f32::from_bits(a) as u32,
        Op::SToF => (a as i32 as f32).to_bits(),
        Op::UToF => (a as f32).to_bits(),
        Op::AsInt | Op::NumBits | Op::AsFloat | Op::BToI => a,
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::SDiv if b == 0 => u32::MAX,
        Op::SDiv => (a as i32).wrapping_div(b as i32) as u32,
        Op::SRem if b == 0 => u32::MAX,
        Op::SRem => (a as i32).wrapping_rem(b as i32) as u32,
        Op::UDiv => a.checked_div(b).unwrap_or(u32::MAX),
        Op::URem => a.checked_rem(b).unwrap_or(u32::MAX),
        Op::IAnd => a & b,
        Op::IOr => a | b,
        Op::IXor => a ^ b,
        Op::IShl => a << (b & 31),
        Op::SShr => ((a as i32) >> (b & 31)) as u32,
        Op::UShr => a >> (b & 31),
        Op::SMin => (a as i32).min(b as i32) as u32,
        Op::SMax => (a as i32).max(b as i32) as u32,
        Op::UMin => a.min(b),
        Op::UMax => a.max(b),
        Op::IEq => u32::from(a == b),
        Op::INe => u32::from(a != b),
        Op::SLt => u32::from((a as i32) < b as i32),
        Op::SLe => u32::from(a as i32 <= b as i32),
        Op::ULt => u32::from(a < b),
        Op::ULe => u32::from(a <= b),
        Op::BAnd => a & b,
        Op::BOr => a | b,
        Op::BXor => a ^ b,
        Op::BNot => a ^ 1,
        Op::FSelect | Op::ISelect | Op::BSelect => {
            if a != 0 {
                b
            } else {
                c
            }
        }
    }
}

/// Whether `bits` are a NaN's.
#[inline]
pub const fn is_nan(bits: u32) -> bool {
    bits & !SIGN > INFINITY
}

/// Every NaN to the canonical one.
#[inline]
pub const fn canon(bits: u32) -> u32 {
    if is_nan(bits) { CANONICAL_NAN } else { bits }
}

/// Whether `bits` are a denormal's or a zero's.
#[inline]
const fn below_normal(bits: u32) -> bool {
    bits & INFINITY == 0
}

/// An operand: denormals to zero of their sign where they flush.
#[inline]
const fn daz(bits: u32, denorm: Denorm) -> u32 {
    if matches!(denorm, Denorm::Flush) && below_normal(bits) {
        bits & SIGN
    } else {
        bits
    }
}

/// The result of a sum or difference: where that is denormal it is exact, and so tiny.
#[inline]
fn ftz(r: f32, denorm: Denorm) -> u32 {
    canon(daz(r.to_bits(), denorm))
}

/// Whether a rounded result may have come from a tiny exact one: its magnitude is at most 2^-126.
#[inline]
fn may_be_tiny(r: f32) -> bool {
    r.abs() <= f32::MIN_POSITIVE
}

/// `r`, or a zero of its sign where the exact result was tiny.
#[inline]
const fn flush(r: f32, tiny: bool) -> u32 {
    if tiny {
        r.to_bits() & SIGN
    } else {
        r.to_bits()
    }
}

#[inline]
fn mul(a: f32, b: f32, denorm: Denorm) -> u32 {
    let r = a * b;
    if denorm == Denorm::Flush && may_be_tiny(r) {
        // The product of two floats is exact in a double.
        return flush(r, (f64::from(a) * f64::from(b)).abs() < TINY);
    }
    canon(r.to_bits())
}

#[inline]
fn div(a: f32, b: f32, denorm: Denorm) -> u32 {
    let r = a / b;
    if denorm == Denorm::Flush && may_be_tiny(r) {
        // |a / b| < TINY; the product is exact: 25 bits times 24.
        return flush(r, f64::from(a).abs() < TINY * f64::from(b).abs());
    }
    canon(r.to_bits())
}

#[inline]
fn fma(a: f32, b: f32, c: f32, denorm: Denorm) -> u32 {
    let exact = sum_to_odd(f64::from(a) * f64::from(b), f64::from(c));
    let r = exact as f32;
    if denorm == Denorm::Flush && may_be_tiny(r) {
        // Rounding to odd keeps the order relative to every double whose last bit is zero, as TINY's is.
        return flush(r, exact.abs() < TINY);
    }
    canon(r.to_bits())
}

/// `p + c` rounded to odd: where it is inexact the last bit of the nearest doubles that is set. A second rounding to
/// 24 bits then gives what one rounding of the exact sum would.
#[inline]
fn sum_to_odd(p: f64, c: f64) -> f64 {
    let s = p + c;
    let t = s - p;
    let error = (p - (s - t)) + (c - t);
    if error == 0.0 || s.to_bits() & 1 == 1 || !s.is_finite() {
        return s;
    }
    // s is even and rounded: the exact sum lies towards `error`; the neighbour there is odd.
    let up = (error > 0.0) == (s > 0.0);
    f64::from_bits(if up { s.to_bits() + 1 } else { s.to_bits() - 1 })
}

/// `FMin` and `FMax`: the operand that is no NaN, else `x` where it `wins`, else `y`.
#[inline]
fn choose(x: f32, y: f32, wins: bool) -> u32 {
    if wins || y.is_nan() {
        canon(x.to_bits())
    } else {
        y.to_bits()
    }
}
