//! Integer operations that no vector instruction does: division, remainder, and shifts by a count per lane.

use super::build::Builder;
use super::op::Op as L;
use super::{Inst, Type, Value};

/// 2^52 as a double, high word: adding it puts an integer into the low bits.
const TWO_52_HIGH: u32 = 0x4330_0000;
/// 2^52 + 2^51, for signed integers.
const TWO_52_51_HIGH: u32 = 0x4338_0000;

impl Builder {
    /// Quotient and remainder. Doubles hold 32-bit integers exactly, and their quotient, rounded, never reaches the
    /// next integer: its distance from that is at least 2^-32 of it.
    pub fn divide(&mut self, a: Value, b: Value, signed: bool) -> (Value, Value) {
        let low = self.divide_low(a, b, signed);
        let (a_high, b_high) = (
            self.shuffle(a, a, [2, 3, 2, 3]),
            self.shuffle(b, b, [2, 3, 2, 3]),
        );
        let high = self.divide_low(a_high, b_high, signed);
        // The integers are in the even lanes.
        let quotient = self.shuffle(low, high, [0, 2, 4, 6]);
        let product = self.op2(L::IMul, quotient, b);
        let remainder = self.op2(L::ISub, a, product);
        let zero = self.int(0);
        let by_zero = self.op2(L::IEq, b, zero);
        (
            self.op2(L::IOr, quotient, by_zero),
            self.op2(L::IOr, remainder, by_zero),
        )
    }

    /// The quotients of the low two lanes, in lanes 0 and 2 (as I32X4).
    fn divide_low(&mut self, a: Value, b: Value, signed: bool) -> Value {
        let (a, b) = if signed {
            (self.op1(L::SToD, a), self.op1(L::SToD, b))
        } else {
            (self.unsigned_to_double(a), self.unsigned_to_double(b))
        };
        let quotient = self.op2(L::DDiv, a, b);
        let quotient = self.op1(L::DTrunc, quotient);
        let high = if signed { TWO_52_51_HIGH } else { TWO_52_HIGH };
        let bias = self.push(Inst::Lanes([0, high, 0, high]), Type::F64X2);
        let sum = self.op2(L::DAdd, quotient, bias);
        self.op1(L::DBitsI, sum)
    }

    fn unsigned_to_double(&mut self, a: Value) -> Value {
        let high = self.int(TWO_52_HIGH);
        let bits = self.shuffle(a, high, [0, 4, 1, 5]);
        let biased = self.op1(L::BitsD, bits);
        let bias = self.push(Inst::Lanes([0, TWO_52_HIGH, 0, TWO_52_HIGH]), Type::F64X2);
        self.op2(L::DSub, biased, bias)
    }

    /// A shift by the low five bits of `count`.
    pub fn shift(&mut self, op: L, a: Value, count: Value, uniform: bool) -> Value {
        let same = match self.lanes(count) {
            Some([n, y, z, w]) if n == y && n == z && n == w => {
                Some(self.scalar(i64::from(n & 31), Type::I32))
            }
            Some(_) => None,
            None if uniform => {
                let n = self.extract(count, 0);
                let mask = self.scalar(31, Type::I32);
                Some(self.op2(L::And, n, mask))
            }
            None => None,
        };
        match same {
            Some(n) => self.op2(op, a, n),
            None if op == L::IShl => self.shift_left(a, count),
            None => self.shift_right(op, a, count),
        }
    }

    /// A multiplication by 2^count, which comes from the exponent of a float.
    fn shift_left(&mut self, a: Value, count: Value) -> Value {
        let mask = self.int(31);
        let count = self.op2(L::IAnd, count, mask);
        let mantissa_bits = self.scalar(23, Type::I32);
        let exponent = self.op2(L::IShl, count, mantissa_bits);
        let one = self.int(1.0f32.to_bits());
        let power = self.op2(L::IAdd, exponent, one);
        let power = self.op1(L::BitsF, power);
        let power = if self.x86 {
            // 2^31 does not fit, and gives 0x80000000: right.
            self.op1(L::FToSX86, power)
        } else {
            self.op1(L::FToUSat, power)
        };
        self.op2(L::IMul, a, power)
    }

    /// Five shifts by powers of two, each where that bit of the count is set.
    fn shift_right(&mut self, op: L, a: Value, count: Value) -> Value {
        let mut a = a;
        for bit in 0..5 {
            let to_sign = self.scalar(31 - bit, Type::I32);
            let mut chosen = self.op2(L::IShl, count, to_sign);
            if !self.x86 {
                // Only x86's blend looks at nothing but the sign.
                let top = self.scalar(31, Type::I32);
                chosen = self.op2(L::SShr, chosen, top);
            }
            let amount = self.scalar(1 << bit, Type::I32);
            let shifted = self.op2(op, a, amount);
            a = self.op3(L::Blend, chosen, shifted, a);
        }
        a
    }
}
