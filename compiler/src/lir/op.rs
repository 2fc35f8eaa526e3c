//! The one table of Lir's pure operations: what each takes and gives.
//!
//! Each is about one machine instruction. Must not know Kir or Cranelift.

use super::Type;

macro_rules! ops {
    ($( $(#[$doc:meta])* $name:ident $text:literal ($($arg:ident),*) -> $result:ident $latency:literal; )*) => {
        /// A pure operation on vectors or scalars.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $( $(#[$doc])* $name, )* }

        impl Op {
            /// Every operation.
            pub const ALL: &'static [Op] = &[$(Op::$name),*];

            /// Its name in printed Lir.
            pub const fn text(self) -> &'static str { match self { $(Op::$name => $text,)* } }

            /// The types of the operands.
            pub const fn operands(self) -> &'static [Type] { match self { $(Op::$name => &[$(Type::$arg),*],)* } }

            /// The type of the result.
            pub const fn result(self) -> Type { match self { $(Op::$name => Type::$result,)* } }

            /// Cycles until the result can be used, roughly, on current x86-64 machines.
            pub const fn latency(self) -> u32 { match self { $(Op::$name => $latency,)* } }
        }
    };
}

impl Op {
    /// The same bits in the same register.
    pub const fn is_cast(self) -> bool {
        matches!(
            self,
            Op::BitsI | Op::BitsF | Op::BitsD | Op::DBitsI | Op::DBitsQ | Op::QBitsD
        )
    }
}

ops! {
    /// `a + b`.
    FAdd "fadd" (F32X4, F32X4) -> F32X4 4;
    /// `a - b`.
    FSub "fsub" (F32X4, F32X4) -> F32X4 4;
    /// `a * b`.
    FMul "fmul" (F32X4, F32X4) -> F32X4 4;
    /// `a / b`.
    FDiv "fdiv" (F32X4, F32X4) -> F32X4 11;
    /// `a * b + c`, rounded once; only where the machine has it.
    Fma "fma" (F32X4, F32X4, F32X4) -> F32X4 4;
    /// Square root.
    FSqrt "fsqrt" (F32X4) -> F32X4 14;
    /// Toward minus infinity.
    Floor "floor" (F32X4) -> F32X4 4;
    /// Toward plus infinity.
    Ceil "ceil" (F32X4) -> F32X4 4;
    /// Toward zero.
    Trunc "trunc" (F32X4) -> F32X4 4;
    /// To nearest, ties to even.
    Nearest "nearest" (F32X4) -> F32X4 4;
    /// `a < b ? a : b`: b where either is a NaN.
    Lesser "lesser" (F32X4, F32X4) -> F32X4 2;
    /// `a > b ? a : b`: b where either is a NaN.
    Greater "greater" (F32X4, F32X4) -> F32X4 2;
    /// Sign flipped.
    FNeg "fneg" (F32X4) -> F32X4 1;
    /// Sign cleared.
    FAbs "fabs" (F32X4) -> F32X4 1;
    /// `a == b` as a mask.
    FEq "feq" (F32X4, F32X4) -> I32X4 3;
    /// `a != b` as a mask; true for NaN.
    FNe "fne" (F32X4, F32X4) -> I32X4 3;
    /// `a < b` as a mask.
    FLt "flt" (F32X4, F32X4) -> I32X4 3;
    /// `a <= b` as a mask.
    FLe "fle" (F32X4, F32X4) -> I32X4 3;
    /// Either is a NaN, as a mask.
    FUno "funo" (F32X4, F32X4) -> I32X4 3;
    /// Neither is a NaN, as a mask.
    FOrd "ford" (F32X4, F32X4) -> I32X4 3;
    /// Signed integer to float.
    SToF "stof" (I32X4) -> F32X4 4;
    /// Float to signed integer, toward zero; 0x80000000 where it does not fit (x86's way).
    FToSX86 "ftos_x86" (F32X4) -> I32X4 4;
    /// Float to signed integer, toward zero, saturating, NaN 0 (other machines' way).
    FToSSat "ftos_sat" (F32X4) -> I32X4 4;
    /// Float to unsigned integer, toward zero, saturating, NaN 0 (other machines' way).
    FToUSat "ftou_sat" (F32X4) -> I32X4 4;
    /// Same bits.
    BitsI "bits_i" (F32X4) -> I32X4 0;
    /// Same bits.
    BitsF "bits_f" (I32X4) -> F32X4 0;
    /// `a + b`.
    IAdd "iadd" (I32X4, I32X4) -> I32X4 1;
    /// `a - b`.
    ISub "isub" (I32X4, I32X4) -> I32X4 1;
    /// Low halves of `a * b`.
    IMul "imul" (I32X4, I32X4) -> I32X4 4;
    /// Bitwise and.
    IAnd "iand" (I32X4, I32X4) -> I32X4 1;
    /// `a & !b`.
    IAndNot "iandnot" (I32X4, I32X4) -> I32X4 1;
    /// Bitwise or.
    IOr "ior" (I32X4, I32X4) -> I32X4 1;
    /// Bitwise exclusive or.
    IXor "ixor" (I32X4, I32X4) -> I32X4 1;
    /// Signed minimum.
    SMin "smin" (I32X4, I32X4) -> I32X4 1;
    /// Signed maximum.
    SMax "smax" (I32X4, I32X4) -> I32X4 1;
    /// Unsigned minimum.
    UMin "umin" (I32X4, I32X4) -> I32X4 1;
    /// Unsigned maximum.
    UMax "umax" (I32X4, I32X4) -> I32X4 1;
    /// `a == b` as a mask.
    IEq "ieq" (I32X4, I32X4) -> I32X4 1;
    /// Signed `a > b` as a mask.
    SGt "sgt" (I32X4, I32X4) -> I32X4 1;
    /// Lanes of a shifted left by one count.
    IShl "ishl" (I32X4, I32) -> I32X4 1;
    /// Lanes shifted right, sign kept.
    SShr "sshr" (I32X4, I32) -> I32X4 1;
    /// Lanes shifted right, zeros in.
    UShr "ushr" (I32X4, I32) -> I32X4 1;
    /// Lane by lane `m ? a : b` for masks m (its sign bit decides).
    Blend "blend" (I32X4, I32X4, I32X4) -> I32X4 1;
    /// The same for floats.
    FBlend "fblend" (I32X4, F32X4, F32X4) -> F32X4 1;
    /// One scalar in all lanes.
    Splat "splat" (I32) -> I32X4 4;
    /// The sign bits of the lanes, lane 0 lowest.
    SignBits "sign_bits" (I32X4) -> I32 5;
    /// Low two lanes to double.
    Promote "promote" (F32X4) -> F64X2 4;
    /// Two doubles to the low two lanes, zero above.
    Demote "demote" (F64X2) -> F32X4 4;
    /// Low two signed integers to double.
    SToD "stod" (I32X4) -> F64X2 4;
    /// `a + b`.
    DAdd "dadd" (F64X2, F64X2) -> F64X2 4;
    /// `a - b`.
    DSub "dsub" (F64X2, F64X2) -> F64X2 4;
    /// `a * b`.
    DMul "dmul" (F64X2, F64X2) -> F64X2 4;
    /// `a / b`.
    DDiv "ddiv" (F64X2, F64X2) -> F64X2 13;
    /// Toward zero.
    DTrunc "dtrunc" (F64X2) -> F64X2 4;
    /// `a < b` as a mask.
    DLt "dlt" (F64X2, F64X2) -> I64X2 3;
    /// Same bits.
    BitsD "bits_d" (I32X4) -> F64X2 0;
    /// Same bits.
    DBitsI "dbits_i" (F64X2) -> I32X4 0;
    /// Same bits.
    DBitsQ "dbits_q" (F64X2) -> I64X2 0;
    /// Same bits.
    QBitsD "qbits_d" (I64X2) -> F64X2 0;
    /// `a + b`.
    QAdd "qadd" (I64X2, I64X2) -> I64X2 1;
    /// `a - b`.
    QSub "qsub" (I64X2, I64X2) -> I64X2 1;
    /// Bitwise and.
    QAnd "qand" (I64X2, I64X2) -> I64X2 1;
    /// Bitwise or.
    QOr "qor" (I64X2, I64X2) -> I64X2 1;
    /// Bitwise exclusive or.
    QXor "qxor" (I64X2, I64X2) -> I64X2 1;
    /// `a == b` as a mask.
    QEq "qeq" (I64X2, I64X2) -> I64X2 1;
    /// Scalar sum.
    Add "add" (I32, I32) -> I32 1;
    /// Scalar product.
    Mul "mul" (I32, I32) -> I32 3;
    /// Scalar unsigned quotient; the divisor is not zero.
    Div "div" (I32, I32) -> I32 12;
    /// Scalar bitwise and.
    And "and" (I32, I32) -> I32 1;
    /// 1 where `a != 0`.
    NonZero "nonzero" (I32) -> I32 1;
    /// Unsigned `a <= b`: 0 or 1.
    Ule "ule" (I32, I32) -> I32 1;
    /// Unsigned `a <= b`: 0 or 1.
    Ule64 "ule64" (I64, I64) -> I32 1;
    /// Sum of addresses.
    Add64 "add64" (I64, I64) -> I64 1;
    /// Product.
    Mul64 "mul64" (I64, I64) -> I64 3;
    /// Lanes 0 and 1.
    Low64 "low64" (I32X4) -> I64 3;
    /// Lanes 2 and 3.
    High64 "high64" (I32X4) -> I64 4;
    /// Bits 0 to 31, zero-extended.
    LowHalf "low_half" (I64) -> I64 1;
    /// Bits 32 to 63, zero-extended.
    HighHalf "high_half" (I64) -> I64 1;
    /// Zero-extended.
    Extend "extend" (I32) -> I64 1;
    /// Low half.
    Truncate "truncate" (I64) -> I32 1;
    /// `c ? a : b`, c being 0 or 1.
    Select "select" (I32, I32, I32) -> I32 1;
    /// `c ? a : b`, c being 0 or 1.
    Select64 "select64" (I32, I64, I64) -> I64 1;
}
