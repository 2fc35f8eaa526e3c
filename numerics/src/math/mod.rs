//! The math functions that HLSL has beyond the primitive operations, and what they share.
//!
//! The coefficients of all polynomials are minimax fits (Remez exchange against 40-digit arithmetic), rounded to
//! binary32.

use crate::code::Code;
use crate::machine::Machine;

mod exp;
mod inverse;
mod log;
mod pow;
mod trig;

pub use pow::integer_power;

macro_rules! math_fns {
    ($( $(#[$doc:meta])* $name:ident $text:literal $arity:literal; )*) => {
        /// A math function: floats in, one float out, component by component.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum MathFn { $( $(#[$doc])* $name, )* }

        impl MathFn {
            /// Every function.
            pub const ALL: &'static [MathFn] = &[$(MathFn::$name),*];

            /// Its HLSL name.
            pub const fn text(self) -> &'static str { match self { $(MathFn::$name => $text,)* } }

            /// Number of arguments.
            pub const fn arity(self) -> usize { match self { $(MathFn::$name => $arity,)* } }
        }
    };
}

math_fns! {
    /// e to the x.
    Exp "exp" 1;
    /// 2 to the x.
    Exp2 "exp2" 1;
    /// Natural logarithm.
    Log "log" 1;
    /// Logarithm to base 2.
    Log2 "log2" 1;
    /// Logarithm to base 10.
    Log10 "log10" 1;
    /// `exp2(y * log2(x))`.
    Pow "pow" 2;
    /// Sine of radians.
    Sin "sin" 1;
    /// Cosine of radians.
    Cos "cos" 1;
    /// Tangent of radians.
    Tan "tan" 1;
    /// Arc sine.
    Asin "asin" 1;
    /// Arc cosine.
    Acos "acos" 1;
    /// Arc tangent.
    Atan "atan" 1;
    /// Arc tangent of y / x: arguments y, x.
    Atan2 "atan2" 2;
    /// Hyperbolic sine.
    Sinh "sinh" 1;
    /// Hyperbolic cosine.
    Cosh "cosh" 1;
    /// Hyperbolic tangent.
    Tanh "tanh" 1;
}

/// Carries out `function` on one component. `args` holds [`MathFn::arity`] values.
///
/// Accuracy and special cases: decisions.md, *Numbers*; hlsl-vs-semantics.md section 10. The same operations run
/// whatever the values, so any two machines agree in every bit; both ways of treating denormals are served.
pub fn math<M: Machine>(machine: &mut M, function: MathFn, args: &[M::Value]) -> M::Value {
    let o = Code::new(machine);
    let x = args[0];
    match function {
        MathFn::Exp => exp::exp(&o, x),
        MathFn::Exp2 => exp::exp2(&o, x),
        MathFn::Log => log::log(&o, x, log::Base::E),
        MathFn::Log2 => log::log(&o, x, log::Base::Two),
        MathFn::Log10 => log::log(&o, x, log::Base::Ten),
        MathFn::Pow => pow::pow(&o, x, args[1]),
        MathFn::Sin => trig::sin(&o, x),
        MathFn::Cos => trig::cos(&o, x),
        MathFn::Tan => trig::tan(&o, x),
        MathFn::Asin => inverse::asin(&o, x),
        MathFn::Acos => inverse::acos(&o, x),
        MathFn::Atan => inverse::atan(&o, x),
        MathFn::Atan2 => inverse::atan2(&o, x, args[1]),
        MathFn::Sinh => exp::sinh(&o, x),
        MathFn::Cosh => exp::cosh(&o, x),
        MathFn::Tanh => exp::tanh(&o, x),
    }
}

/// `x` limited to `low..=high` with two selections, so that a NaN stays one.
fn limit<M: Machine>(o: &Code<M>, x: M::Value, low: f32, high: f32) -> M::Value {
    let (low, high) = (o.f(low), o.f(high));
    let x = o.fselect(o.flt(high, x), high, x);
    o.fselect(o.flt(x, low), low, x)
}

/// 1.5 * 2^23: added to a float below 2^22 it leaves the nearest integer in the low bits.
const ROUNDER: f32 = 12_582_912.0;

/// The sum of a small float and [`ROUNDER`] taken apart: the integer as a float, and in the low 22 bits.
fn rounded<M: Machine>(o: &Code<M>, sum: M::Value) -> (M::Value, M::Value) {
    (o.sub(sum, o.f(ROUNDER)), o.num_bits(sum))
}

/// 1 with the sign of `x`; -1 or 1 for a NaN.
fn signum<M: Machine>(o: &Code<M>, x: M::Value) -> M::Value {
    let sign = o.and_i(o.num_bits(x), 0x8000_0000);
    o.as_float(o.or_i(sign, ONE))
}

/// The bits of 1.0.
const ONE: u32 = 0x3F80_0000;
