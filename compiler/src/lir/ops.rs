//! What each primitive operation of `numerics` is in Lir: the same bits in every lane, but for NaNs, which stay as the
//! machine makes them (see ARCHITECTURE.md, *NaN*).
//!
//! Bools are masks. Integer division, remainder and shifts by varying counts are in [`super::int_ops`].

use super::build::Builder;
use super::op::Op as L;
use super::{Inst, Type, Value};
use fuseline_numerics::op::Op;

const SIGN: u32 = 0x8000_0000;
const ALL_ONES: u32 = u32::MAX;
const CANONICAL_NAN: u32 = fuseline_numerics::scalar::CANONICAL_NAN;
/// 2^31 and 2^32 as floats.
const TWO_31: u32 = 0x4F00_0000;
const TWO_32: u32 = 0x4F80_0000;
/// 65536 as a float.
const TWO_16: u32 = 0x4780_0000;

impl Builder {
    /// Carries out `op`. `uniform`: the lanes of the operands are equal.
    pub fn numeric(&mut self, op: Op, args: &[Value], uniform: bool) -> Value {
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        let c = args.get(2).copied().unwrap_or(b);
        match op {
            Op::FAdd => self.op2(L::FAdd, a, b),
            Op::FSub => self.op2(L::FSub, a, b),
            Op::FMul => self.op2(L::FMul, a, b),
            Op::FDiv => self.op2(L::FDiv, a, b),
            Op::Fma if self.fma => self.op3(L::Fma, a, b, c),
            Op::Fma => self.emulated_fma(a, b, c),
            Op::FSqrt => self.op1(L::FSqrt, a),
            Op::FFloor => self.op1(L::Floor, a),
            Op::FCeil => self.op1(L::Ceil, a),
            Op::FTrunc => self.op1(L::Trunc, a),
            Op::FRound => self.op1(L::Nearest, a),
            Op::FMin => self.float_extremum(L::Lesser, a, b),
            Op::FMax => self.float_extremum(L::Greater, a, b),
            Op::FNeg => self.op1(L::FNeg, a),
            Op::FAbs => self.op1(L::FAbs, a),
            Op::Canon => self.canonical(a),
            Op::FEq => self.op2(L::FEq, a, b),
            Op::FNe => self.op2(L::FNe, a, b),
            Op::FLt => self.op2(L::FLt, a, b),
            Op::FLe => self.op2(L::FLe, a, b),
            Op::FToS => self.float_to_signed(a),
            Op::FToU => self.float_to_unsigned(a),
            Op::SToF => self.op1(L::SToF, a),
            Op::UToF => self.unsigned_to_float(a),
            Op::AsInt | Op::NumBits => self.op1(L::BitsI, a),
            Op::AsFloat => self.op1(L::BitsF, a),
            Op::BToI => {
                let one = self.int(1);
                self.op2(L::IAnd, a, one)
            }
            Op::IAdd => self.op2(L::IAdd, a, b),
            Op::ISub => self.op2(L::ISub, a, b),
            Op::IMul => self.op2(L::IMul, a, b),
            Op::SDiv => self.divide(a, b, true).0,
            Op::SRem => self.divide(a, b, true).1,
            Op::UDiv => self.divide(a, b, false).0,
            Op::URem => self.divide(a, b, false).1,
            Op::IAnd | Op::BAnd => self.op2(L::IAnd, a, b),
            Op::IOr | Op::BOr => self.op2(L::IOr, a, b),
            Op::IXor | Op::BXor => self.op2(L::IXor, a, b),
            Op::IShl => self.shift(L::IShl, a, b, uniform),
            Op::SShr => self.shift(L::SShr, a, b, uniform),
            Op::UShr => self.shift(L::UShr, a, b, uniform),
            Op::SMin => self.op2(L::SMin, a, b),
            Op::SMax => self.op2(L::SMax, a, b),
            Op::UMin => self.op2(L::UMin, a, b),
            Op::UMax => self.op2(L::UMax, a, b),
            Op::IEq => self.op2(L::IEq, a, b),
            Op::INe => {
                let m = self.op2(L::IEq, a, b);
                self.not(m)
            }
            Op::SLt => self.op2(L::SGt, b, a),
            Op::SLe => {
                let m = self.op2(L::SGt, a, b);
                self.not(m)
            }
            Op::ULt => {
                let m = self.op2(L::UMax, a, b);
                let m = self.op2(L::IEq, m, a);
                self.not(m)
            }
            Op::ULe => {
                let m = self.op2(L::UMin, a, b);
                self.op2(L::IEq, m, a)
            }
            Op::BNot => self.not(a),
            Op::FSelect | Op::ISelect | Op::BSelect => self.blend(a, b, c),
        }
    }

    /// Every bit flipped: the negation of a mask.
    pub fn not(&mut self, a: Value) -> Value {
        if let Some(inner) = self.negated(a) {
            return inner;
        }
        let ones = self.int(ALL_ONES);
        self.op2(L::IXor, a, ones)
    }

    /// The mask that this one negates.
    fn negated(&self, a: Value) -> Option<Value> {
        match self.def(a) {
            Some(Inst::Op(L::IXor, args)) if self.lanes(args[1]) == Some([ALL_ONES; 4]) => {
                Some(args[0])
            }
            _ => None,
        }
    }

    /// Lane by lane `mask ? a : b`, for floats or integers.
    pub fn blend(&mut self, mask: Value, a: Value, b: Value) -> Value {
        if a == b {
            return a;
        }
        if let Some(mask) = self.negated(mask) {
            return self.blend(mask, b, a);
        }
        match self.lanes(mask) {
            Some([0, 0, 0, 0]) => return b,
            Some([ALL_ONES, ALL_ONES, ALL_ONES, ALL_ONES]) => return a,
            _ => {}
        }
        if self.ty(a) == Type::F32X4 {
            return self.op3(L::FBlend, mask, a, b);
        }
        match (self.lanes(a), self.lanes(b)) {
            (_, Some([0, 0, 0, 0])) => self.op2(L::IAnd, mask, a),
            (Some([0, 0, 0, 0]), _) => self.op2(L::IAndNot, b, mask),
            _ => self.op3(L::Blend, mask, a, b),
        }
    }

    /// FMin and FMax. The machine's do not flush what they pass on.
    fn float_extremum(&mut self, pick: L, a: Value, b: Value) -> Value {
        let picked = self.pick(pick, a, b);
        if !self.flush || self.never_denormal(picked) {
            return picked;
        }
        let minus_zero = self.float(SIGN);
        self.op2(L::FAdd, picked, minus_zero)
    }

    /// The extremum by `pick` (Lesser or Greater), which gives b where either operand is a NaN; a NaN in b must give a.
    fn pick(&mut self, pick: L, a: Value, b: Value) -> Value {
        if self.never_nan(b) {
            return self.op2(pick, a, b);
        }
        // Swapped, a NaN in b gives a; that differs only where both are equal but not the same: zeros.
        let normal = |&bits: &u32| f32::from_bits(bits).is_normal();
        if self.lanes(a).is_some_and(|l| l.iter().all(normal)) {
            return self.op2(pick, b, a);
        }
        let picked = self.op2(pick, a, b);
        let number = self.op2(L::FOrd, b, b);
        self.op3(L::FBlend, number, picked, a)
    }

    /// NaNs become the one NaN.
    fn canonical(&mut self, a: Value) -> Value {
        if self.never_nan(a) {
            return a;
        }
        let number = self.op2(L::FOrd, a, a);
        let nan = self.float(CANONICAL_NAN);
        self.op3(L::FBlend, number, a, nan)
    }

    /// FToS. x86 gives 0x80000000 for all that does not fit; that is right for what is too small.
    fn float_to_signed(&mut self, a: Value) -> Value {
        if !self.x86 {
            return self.op1(L::FToSSat, a);
        }
        let fits_not = {
            let limit = self.float(TWO_31);
            self.op2(L::FLe, limit, a)
        };
        let converted = self.op1(L::FToSX86, a);
        let saturated = self.op2(L::IXor, converted, fits_not);
        if self.never_nan(a) {
            return saturated;
        }
        let number = self.op2(L::FOrd, a, a);
        self.op2(L::IAnd, number, saturated)
    }

    /// FToU: the upper half of the range is converted less 2^31.
    fn float_to_unsigned(&mut self, a: Value) -> Value {
        if !self.x86 {
            return self.op1(L::FToUSat, a);
        }
        let zero = self.float(0);
        let a = self.op2(L::Greater, a, zero);
        let half = self.float(TWO_31);
        let upper = self.op2(L::FLe, half, a);
        let less = {
            let half = self.op1(L::BitsI, half);
            let less = self.op2(L::IAnd, upper, half);
            self.op1(L::BitsF, less)
        };
        let reduced = self.op2(L::FSub, a, less);
        let converted = self.op1(L::FToSX86, reduced);
        let sign = self.int(SIGN);
        let top = self.op2(L::IAnd, upper, sign);
        let restored = self.op2(L::IXor, converted, top);
        let limit = self.float(TWO_32);
        let over = self.op2(L::FLe, limit, a);
        self.op2(L::IOr, restored, over)
    }

    /// UToF: both halves convert exactly, and the sum of `high * 65536` (exact) and `low` rounds once.
    fn unsigned_to_float(&mut self, a: Value) -> Value {
        if self.never_negative(a) {
            return self.op1(L::SToF, a);
        }
        let sixteen = self.scalar(16, Type::I32);
        let high = self.op2(L::UShr, a, sixteen);
        let mask = self.int(0xFFFF);
        let low = self.op2(L::IAnd, a, mask);
        let high = self.op1(L::SToF, high);
        let low = self.op1(L::SToF, low);
        let scale = self.float(TWO_16);
        if self.fma {
            return self.op3(L::Fma, high, scale, low);
        }
        let high = self.op2(L::FMul, high, scale);
        self.op2(L::FAdd, high, low)
    }

    /// Fma by doubles: the product is exact; the sum is rounded to odd, so that rounding it to float rounds once.
    fn emulated_fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        let low = self.emulated_fma_low(a, b, c);
        let mut high = |v| self.shuffle(v, v, [2, 3, 2, 3]);
        let (a, b, c) = (high(a), high(b), high(c));
        let high = self.emulated_fma_low(a, b, c);
        self.shuffle(low, high, [0, 1, 4, 5])
    }

    fn emulated_fma_low(&mut self, a: Value, b: Value, c: Value) -> Value {
        let a = self.op1(L::Promote, a);
        let b = self.op1(L::Promote, b);
        let c = self.op1(L::Promote, c);
        let p = self.op2(L::DMul, a, b);
        let sum = self.op2(L::DAdd, p, c);
        // The exact error of the sum (Knuth's two-sum).
        let c_part = self.op2(L::DSub, sum, p);
        let p_part = self.op2(L::DSub, sum, c_part);
        let c_error = self.op2(L::DSub, c, c_part);
        let p_error = self.op2(L::DSub, p, p_part);
        let error = self.op2(L::DAdd, p_error, c_error);
        // Where there is one, the sum's last bit must be odd: an even one moves one step toward the exact value.
        let zero = {
            let zero = self.int(0);
            self.op1(L::BitsD, zero)
        };
        let above = self.op2(L::DLt, zero, error);
        let below = self.op2(L::DLt, error, zero);
        let inexact = self.op2(L::QOr, above, below);
        let bits = self.op1(L::DBitsQ, sum);
        let one = self.push(Inst::Lanes([1, 0, 1, 0]), Type::I64X2);
        let last = self.op2(L::QAnd, bits, one);
        let none = self.push(Inst::Lanes([0; 4]), Type::I64X2);
        let even = self.op2(L::QEq, last, none);
        let moved = self.op2(L::QAnd, inexact, even);
        // Away from zero (+1 on the bits) where error and sum have the same sign, else toward it (-1).
        let sum_negative = self.op2(L::DLt, sum, zero);
        let toward = self.op2(L::QXor, above, sum_negative);
        let away = {
            // toward is a mask: all ones where the magnitude grows.
            let two = self.op2(L::QAnd, toward, one);
            let two = self.op2(L::QAdd, two, two);
            self.op2(L::QSub, two, one)
        };
        let step = self.op2(L::QAnd, away, moved);
        let bits = self.op2(L::QAdd, bits, step);
        let sum = self.op1(L::QBitsD, bits);
        self.op1(L::Demote, sum)
    }
}
