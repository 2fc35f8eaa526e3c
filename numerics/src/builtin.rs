//! The composite operations on bits that HLSL has: counting and finding bits, half floats.

use crate::half::{self, Rounding};
use crate::int;
use crate::machine::Machine;
use crate::op::Kind;

macro_rules! builtins {
    ($( $(#[$doc:meta])* $name:ident $text:literal ($arg:ident) -> $result:ident; )*) => {
        /// An operation on one 32-bit value that is made of several [`crate::op::Op`]s.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Builtin { $( $(#[$doc])* $name, )* }

        impl Builtin {
            /// Every operation.
            pub const ALL: &'static [Builtin] = &[$(Builtin::$name),*];

            /// Its name in printed Hir.
            pub const fn text(self) -> &'static str { match self { $(Builtin::$name => $text,)* } }

            /// The kind of the operand.
            pub const fn operand(self) -> Kind { match self { $(Builtin::$name => Kind::$arg,)* } }

            /// The kind of the result.
            pub const fn result(self) -> Kind { match self { $(Builtin::$name => Kind::$result,)* } }
        }
    };
}

builtins! {
    /// Number of bits that are set.
    CountBits "countbits" (I32) -> I32;
    /// Index, from bit 0, of the highest bit that differs from the sign; none: 0xFFFFFFFF.
    FirstBitHighS "firstbithigh_s" (I32) -> I32;
    /// Index, from bit 0, of the highest bit that is set; none: 0xFFFFFFFF.
    FirstBitHighU "firstbithigh_u" (I32) -> I32;
    /// Index of the lowest bit that is set; none: 0xFFFFFFFF.
    FirstBitLow "firstbitlow" (I32) -> I32;
    /// The bits in opposite order.
    ReverseBits "reversebits" (I32) -> I32;
    /// The low 16 bits as a half float, exactly (denormal halves included); the upper 16 are ignored.
    F16ToF32 "f16tof32" (I32) -> F32;
    /// A half float in the low 16 bits, rounded toward zero: what is too large gives 65504, an infinity stays one.
    F32ToF16 "f32tof16" (F32) -> I32;
    /// A half float in the low 16 bits, rounded to the nearest, ties to even: what is too large gives an infinity.
    F32ToF16Nearest "f32tof16_nearest" (F32) -> I32;
}

/// Carries out `builtin` on one value. The NaN of [`Builtin::F16ToF32`] is the canonical one; one that
/// [`Builtin::F32ToF16`] is given keeps its sign and the upper bits of its payload.
pub fn builtin<M: Machine>(machine: &mut M, builtin: Builtin, x: M::Value) -> M::Value {
    match builtin {
        Builtin::CountBits => int::count_bits(machine, x),
        Builtin::FirstBitHighS => int::first_bit_high_signed(machine, x),
        Builtin::FirstBitHighU => int::first_bit_high_unsigned(machine, x),
        Builtin::FirstBitLow => int::first_bit_low(machine, x),
        Builtin::ReverseBits => int::reverse_bits(machine, x),
        Builtin::F16ToF32 => {
            let float = half::half_to_float(machine, x);
            machine.op(crate::op::Op::Canon, &[float])
        }
        Builtin::F32ToF16 => half::float_to_half(machine, x, Rounding::TowardZero),
        Builtin::F32ToF16Nearest => half::float_to_half(machine, x, Rounding::NearestEven),
    }
}
