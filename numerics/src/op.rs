//! The one table of primitive operations, and what each of them means on 32-bit values.
//!
//! Both engines, the constant folder and the math functions are built from these and from nothing else: an
//! interpreter evaluates [`Op`]s with [`crate::scalar`], the compiler emits them. This file must not know who
//! uses it.

/// What the 32 bits of a value are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An IEEE 754 binary32.
    F32,
    /// A signed or unsigned 32-bit integer; operations say which where it matters.
    I32,
    /// A truth value: 0 or 1 in [`crate::scalar`], a lane mask in compiled code.
    Bool,
}

macro_rules! ops {
    ($( $(#[$doc:meta])* $name:ident $text:literal ($($arg:ident),*) -> $result:ident; )*) => {
        /// A primitive operation: total, pure, on one to three 32-bit values.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $( $(#[$doc])* $name, )* }

        impl Op {
            /// Every operation, in the order of the table.
            pub const ALL: &'static [Op] = &[$(Op::$name),*];

            /// The operation's name in printed Hir, Kir and Lir.
            pub const fn text(self) -> &'static str { match self { $(Op::$name => $text,)* } }

            /// The kinds of the operands, in order.
            pub const fn operands(self) -> &'static [Kind] { match self { $(Op::$name => &[$(Kind::$arg),*],)* } }

            /// The kind of the result.
            pub const fn result(self) -> Kind { match self { $(Op::$name => Kind::$result,)* } }
        }
    };
}

ops! {
    // Float arithmetic. All of these flush denormal operands and results under `Denorm::Flush`, and give the
    // canonical NaN 0x7FC00000 where the result is a NaN.
    /// `a + b`.
    FAdd "fadd" (F32, F32) -> F32;
    /// `a - b`.
    FSub "fsub" (F32, F32) -> F32;
    /// `a * b`.
    FMul "fmul" (F32, F32) -> F32;
    /// `a / b`, correctly rounded.
    FDiv "fdiv" (F32, F32) -> F32;
    /// `a * b + c` with one rounding.
    Fma "fma" (F32, F32, F32) -> F32;
    /// Square root, correctly rounded; -0 gives -0, negative NaN.
    FSqrt "fsqrt" (F32) -> F32;
    /// Round toward minus infinity.
    FFloor "ffloor" (F32) -> F32;
    /// Round toward plus infinity.
    FCeil "fceil" (F32) -> F32;
    /// Round toward zero.
    FTrunc "ftrunc" (F32) -> F32;
    /// Round to the nearest integer, ties to even.
    FRound "fround" (F32) -> F32;
    /// `a` NaN: b; `b` NaN: a; else `a < b ? a : b`.
    FMin "fmin" (F32, F32) -> F32;
    /// `a` NaN: b; `b` NaN: a; else `a > b ? a : b`.
    FMax "fmax" (F32, F32) -> F32;
    // Sign operations: they do not flush, but a NaN becomes the canonical one.
    /// Flips the sign.
    FNeg "fneg" (F32) -> F32;
    /// Clears the sign.
    FAbs "fabs" (F32) -> F32;
    /// A NaN becomes 0x7FC00000; every other value, denormals included, stays as it is.
    Canon "canon" (F32) -> F32;
    // Comparisons: flush denormal operands; false where an operand is NaN, except FNe.
    /// `a == b`.
    FEq "feq" (F32, F32) -> Bool;
    /// `a != b`, true for NaN.
    FNe "fne" (F32, F32) -> Bool;
    /// `a < b`.
    FLt "flt" (F32, F32) -> Bool;
    /// `a <= b`.
    FLe "fle" (F32, F32) -> Bool;
    // Conversions.
    /// Float to signed integer: toward zero, saturating, NaN gives 0.
    FToS "ftos" (F32) -> I32;
    /// Float to unsigned integer: toward zero, saturating, NaN gives 0.
    FToU "ftou" (F32) -> I32;
    /// Signed integer to float, nearest even.
    SToF "stof" (I32) -> F32;
    /// Unsigned integer to float, nearest even.
    UToF "utof" (I32) -> F32;
    /// The bits of a float, unchanged.
    AsInt "asint" (F32) -> I32;
    /// As [`Op::AsInt`], for code to which it does not matter which NaN's bits it gets for a NaN: compiled code need
    /// not make it canonical first. For the inside of `numerics` only; the front end never uses it.
    NumBits "numbits" (F32) -> I32;
    /// Bits as a float, unchanged (neither flushed nor canonical).
    AsFloat "asfloat" (I32) -> F32;
    /// False 0, true 1.
    BToI "btoi" (Bool) -> I32;
    // Integers, wrapping.
    /// `a + b`.
    IAdd "iadd" (I32, I32) -> I32;
    /// `a - b`.
    ISub "isub" (I32, I32) -> I32;
    /// Low 32 bits of `a * b`.
    IMul "imul" (I32, I32) -> I32;
    /// Signed quotient toward zero; divisor 0 gives -1; MIN / -1 = MIN.
    SDiv "sdiv" (I32, I32) -> I32;
    /// Signed remainder with the dividend's sign; divisor 0 gives -1; MIN % -1 = 0.
    SRem "srem" (I32, I32) -> I32;
    /// Unsigned quotient; divisor 0 gives 0xFFFFFFFF.
    UDiv "udiv" (I32, I32) -> I32;
    /// Unsigned remainder; divisor 0 gives 0xFFFFFFFF.
    URem "urem" (I32, I32) -> I32;
    /// Bitwise and.
    IAnd "iand" (I32, I32) -> I32;
    /// Bitwise or.
    IOr "ior" (I32, I32) -> I32;
    /// Bitwise exclusive or.
    IXor "ixor" (I32, I32) -> I32;
    /// Left shift by the low five bits of `b`.
    IShl "ishl" (I32, I32) -> I32;
    /// Arithmetic right shift by the low five bits of `b`.
    SShr "sshr" (I32, I32) -> I32;
    /// Logical right shift by the low five bits of `b`.
    UShr "ushr" (I32, I32) -> I32;
    /// Signed minimum.
    SMin "smin" (I32, I32) -> I32;
    /// Signed maximum.
    SMax "smax" (I32, I32) -> I32;
    /// Unsigned minimum.
    UMin "umin" (I32, I32) -> I32;
    /// Unsigned maximum.
    UMax "umax" (I32, I32) -> I32;
    /// `a == b`.
    IEq "ieq" (I32, I32) -> Bool;
    /// `a != b`.
    INe "ine" (I32, I32) -> Bool;
    /// Signed `a < b`.
    SLt "slt" (I32, I32) -> Bool;
    /// Signed `a <= b`.
    SLe "sle" (I32, I32) -> Bool;
    /// Unsigned `a < b`.
    ULt "ult" (I32, I32) -> Bool;
    /// Unsigned `a <= b`.
    ULe "ule" (I32, I32) -> Bool;
    // Truth values.
    /// `a && b`.
    BAnd "band" (Bool, Bool) -> Bool;
    /// `a || b`.
    BOr "bor" (Bool, Bool) -> Bool;
    /// `a != b`.
    BXor "bxor" (Bool, Bool) -> Bool;
    /// `!a`.
    BNot "bnot" (Bool) -> Bool;
    // Choice: bits of the chosen operand, unchanged.
    /// `c ? a : b` on floats.
    FSelect "fselect" (Bool, F32, F32) -> F32;
    /// `c ? a : b` on integers.
    ISelect "iselect" (Bool, I32, I32) -> I32;
    /// `c ? a : b` on truth values.
    BSelect "bselect" (Bool, Bool, Bool) -> Bool;
}
