//! Exponentials and the hyperbolic functions made of them.

use super::{ONE, ROUNDER, limit, rounded, signum};
use crate::code::Code;
use crate::machine::Machine;
use std::f32::consts::LOG2_E;

/// ln 2 in two floats.
const LN_2: [f32; 2] = [std::f32::consts::LN_2, -1.904_654_3e-9];

/// 2^f for |f| <= 1/2: relative error 2^-25.
const EXP2: [f32; 7] = [
    1.0,
    0.69314724,
    0.24022652,
    0.055503104,
    0.009617694,
    0.0013406643,
    0.00015594566,
];

/// e^r for |r| <= ln 2 / 2: relative error 2^-28.
const EXP: [f32; 7] = [
    1.0,
    1.0,
    0.49999994,
    0.16666517,
    0.041668102,
    0.008369193,
    0.0013838926,
];

/// (sinh(x) / x - 1) / x² in x², for |x| <= 1: relative error of the whole 2^-25.
const SINH: [f32; 3] = [0.16666716, 0.008330271, 0.0002037334];

/// (tanh(x) / x - 1) / x² in x², for |x| <= 0.6: relative error of the whole 2^-28.
const TANH: [f32; 5] = [
    -0.333333,
    0.13331936,
    -0.053784717,
    0.020798625,
    -0.005897966,
];

/// A positive number, `mantissa * 2^exponent`; the exponent is an integer in the upper nine bits of a value.
struct Scaled<V> {
    mantissa: V,
    exponent: V,
}

/// 2^x.
pub(super) fn exp2<M: Machine>(o: &Code<M>, x: M::Value) -> M::Value {
    let x = limit(o, x, -151.0, 129.0);
    exp2_of_sum(o, x, o.f(0.0))
}

/// 2^(high + low) for |high| <= 151 and |low| far below 1.
pub(super) fn exp2_of_sum<M: Machine>(o: &Code<M>, high: M::Value, low: M::Value) -> M::Value {
    let (n, integer) = rounded(o, o.add(high, o.f(ROUNDER)));
    let fraction = o.add(o.sub(high, n), low);
    scale(
        o,
        Scaled {
            mantissa: o.polynomial(fraction, &EXP2),
            exponent: o.shl_i(integer, 23),
        },
    )
}

/// e^x.
pub(super) fn exp<M: Machine>(o: &Code<M>, x: M::Value) -> M::Value {
    scale(o, scaled_exp(o, x))
}

/// Hyperbolic sine: (e^a - e^-a) / 2 with a = |x|, or a polynomial where that would cancel.
pub(super) fn sinh<M: Machine>(o: &Code<M>, x: M::Value) -> M::Value {
    let a = o.abs(x);
    let (grows, shrinks) = half_exponentials(o, a);
    let large = o.mul(o.sub(grows, shrinks), signum(o, x));
    let small = odd_polynomial(o, x, &SINH);
    o.fselect(o.flt(a, o.f(1.0)), small, large)
}

/// Hyperbolic cosine.
pub(super) fn cosh<M: Machine>(o: &Code<M>, x: M::Value) -> M::Value {
    let (grows, shrinks) = half_exponentials(o, o.abs(x));
    o.add(grows, shrinks)
}

/// Hyperbolic tangent: 1 - 2 / (e^2a + 1) with a = |x|, or a polynomial where that would cancel.
pub(super) fn tanh<M: Machine>(o: &Code<M>, x: M::Value) -> M::Value {
    let a = o.abs(x);
    // At 10 the result has long been 1.
    let a_limited = o.fselect(o.flt(o.f(10.0), a), o.f(10.0), a);
    let squared = exp(o, o.add(a_limited, a_limited));
    let rest = o.div(o.f(2.0), o.add(squared, o.f(1.0)));
    let large = o.mul(o.sub(o.f(1.0), rest), signum(o, x));
    let small = odd_polynomial(o, x, &TANH);
    o.fselect(o.flt(a, o.f(0.6)), small, large)
}

/// e^a / 2 and e^-a / 2. The halves reach infinity only where the hyperbolic functions do.
fn half_exponentials<M: Machine>(o: &Code<M>, a: M::Value) -> (M::Value, M::Value) {
    let Scaled { mantissa, exponent } = scaled_exp(o, a);
    let exponent = o.isub(exponent, o.i(1 << 23));
    let grows = scale(o, Scaled { mantissa, exponent });
    (grows, o.div(o.f(0.25), grows))
}

/// `x * (1 + x² * c(x²))`.
pub(super) fn odd_polynomial<M: Machine>(o: &Code<M>, x: M::Value, c: &[f32]) -> M::Value {
    let square = o.mul(x, x);
    o.mul(x, o.fma(o.polynomial(square, c), square, o.f(1.0)))
}

/// e^x: x = n ln 2 + r, e^x = 2^n e^r.
fn scaled_exp<M: Machine>(o: &Code<M>, x: M::Value) -> Scaled<M::Value> {
    let x = limit(o, x, -105.0, 90.0);
    let (n, integer) = rounded(o, o.fma_f(x, LOG2_E, o.f(ROUNDER)));
    let r = o.fma_f(n, -LN_2[0], x);
    let r = o.fma_f(n, -LN_2[1], r);
    Scaled {
        mantissa: o.polynomial(r, &EXP),
        exponent: o.shl_i(integer, 23),
    }
}

/// Multiplies out. Two factors reach beyond the exponents of binary32 on both sides, so that overflow and underflow
/// are the multiplication's; the first product is exact.
fn scale<M: Machine>(o: &Code<M>, x: Scaled<M::Value>) -> M::Value {
    let half = o.and_i(o.sshr_i(x.exponent, 1), 0xFF80_0000);
    let rest = o.isub(x.exponent, half);
    let power = |exponent| o.as_float(o.add_i(exponent, ONE));
    o.mul(o.mul(x.mantissa, power(half)), power(rest))
}
