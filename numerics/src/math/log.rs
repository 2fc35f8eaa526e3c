//! Logarithms.

use crate::code::Code;
use crate::machine::Machine;
use std::f32::consts::{LN_2, LOG2_E, LOG10_2};

/// Base of a logarithm.
#[derive(Clone, Copy)]
pub(super) enum Base {
    E,
    Two,
    Ten,
}

/// log(1 + f) / f to each base, for 1 + f between sqrt(1/2) and sqrt(2): relative error 2^-24.
const LN: [f32; 9] = [
    1.0,
    -0.49999988,
    0.33334187,
    -0.25002074,
    0.1995683,
    -0.16562413,
    0.1495232,
    -0.14366738,
    0.08722097,
];
const LOG2: [f32; 9] = [
    LOG2_E,
    -0.72134733,
    0.48091063,
    -0.36070368,
    0.2879162,
    -0.23894511,
    0.21571638,
    -0.20726822,
    0.12583326,
];
const LOG10: [f32; 9] = [
    0.43429446,
    -0.21714719,
    0.14476854,
    -0.10858262,
    0.08667141,
    -0.07192965,
    0.0649371,
    -0.062393956,
    0.037879586,
];

/// A positive finite x as (1 + f) * 2^e.
pub(super) struct Reduced<V> {
    /// The exponent, as a float.
    pub e: V,
    /// Between sqrt(1/2) - 1 and sqrt(2) - 1; exact.
    pub f: V,
}

/// Logarithm of `x` to `base`.
pub(super) fn log<M: Machine>(o: &Code<M>, x: M::Value, base: Base) -> M::Value {
    let Reduced { e, f } = reduce(o, x);
    let result = match base {
        Base::Two => o.fma(o.polynomial(f, &LOG2), f, e),
        Base::E => o.fma_f(e, LN_2, o.mul(o.polynomial(f, &LN), f)),
        Base::Ten => o.fma_f(e, LOG10_2, o.mul(o.polynomial(f, &LOG10), f)),
    };
    with_special_cases(o, x, result)
}

/// Takes `x` apart. For what is not positive and finite, any numbers.
pub(super) fn reduce<M: Machine>(o: &Code<M>, x: M::Value) -> Reduced<M::Value> {
    // Denormals, where they are preserved, are brought up first.
    let is_small = o.flt(x, o.f(f32::MIN_POSITIVE));
    let normal = o.fselect(is_small, o.mul(x, o.f((1u32 << 24) as f32)), x);
    let bias = o.fselect(is_small, o.f(24.0), o.f(0.0));
    let bits = o.num_bits(normal);
    let least = std::f32::consts::FRAC_1_SQRT_2.to_bits();
    let exponent = o.and_i(o.isub(bits, o.i(least)), 0xFF80_0000);
    let m = o.as_float(o.isub(bits, exponent));
    Reduced {
        e: o.sub(o.s_to_f(o.sshr_i(exponent, 23)), bias),
        f: o.sub(m, o.f(1.0)),
    }
}

/// `result` where x is positive and finite; log(0) = -inf (FS 22.10.8), log(inf) = inf, otherwise NaN.
pub(super) fn with_special_cases<M: Machine>(
    o: &Code<M>,
    x: M::Value,
    result: M::Value,
) -> M::Value {
    let infinity = o.f(f32::INFINITY);
    let zero = o.f(0.0);
    let positive = o.fselect(o.feq(x, infinity), infinity, result);
    let other = o.fselect(o.feq(x, zero), o.f(f32::NEG_INFINITY), o.nan());
    o.fselect(o.flt(zero, x), positive, other)
}
