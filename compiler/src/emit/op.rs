//! The one place that says which Cranelift instruction each of Lir's operations is.

use super::inst::Emitter;
use crate::lir::Value;
use crate::lir::op::Op;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32X4, F64X2, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData};

impl Emitter<'_, '_> {
    /// Emits one operation; `result` is remembered if it is a condition.
    pub(super) fn op(&mut self, op: Op, args: &[Value], result: Option<Value>) -> ir::Value {
        if op == Op::Select || op == Op::Select64 {
            let cond = self.condition(args[0]);
            let (a, b) = (self.get(args[1]), self.get(args[2]));
            return self.b.ins().select(cond, a, b);
        }
        let operand: smallvec::SmallVec<[ir::Value; 3]> =
            args.iter().map(|&v| self.get(v)).collect();
        let a = operand[0];
        let b = operand.get(1).copied().unwrap_or(a);
        let c = operand.get(2).copied().unwrap_or(b);
        match op {
            Op::FAdd | Op::DAdd => self.b.ins().fadd(a, b),
            Op::FSub | Op::DSub => self.b.ins().fsub(a, b),
            Op::FMul | Op::DMul => self.b.ins().fmul(a, b),
            Op::FDiv | Op::DDiv => self.b.ins().fdiv(a, b),
            // The result takes the first factor's register: one that nothing else needs is best.
            Op::Fma if self.is_needed_later(args[0]) && !self.is_needed_later(args[1]) => {
                self.b.ins().fma(b, a, c)
            }
            Op::Fma => self.b.ins().fma(a, b, c),
            Op::FSqrt => self.b.ins().sqrt(a),
            Op::Floor => self.b.ins().floor(a),
            Op::Ceil => self.b.ins().ceil(a),
            Op::Trunc | Op::DTrunc => self.b.ins().trunc(a),
            Op::Nearest => self.b.ins().nearest(a),
            Op::Lesser => self.pick(a, b, a, b),
            Op::Greater => self.pick(b, a, a, b),
            Op::FNeg => self.b.ins().fneg(a),
            Op::FAbs => self.b.ins().fabs(a),
            Op::FEq => self.b.ins().fcmp(FloatCC::Equal, a, b),
            Op::FNe => self.b.ins().fcmp(FloatCC::NotEqual, a, b),
            Op::FLt | Op::DLt => self.b.ins().fcmp(FloatCC::LessThan, a, b),
            Op::FLe => self.b.ins().fcmp(FloatCC::LessThanOrEqual, a, b),
            Op::FUno => self.b.ins().fcmp(FloatCC::Unordered, a, b),
            Op::FOrd => self.b.ins().fcmp(FloatCC::Ordered, a, b),
            Op::SToF => self.b.ins().fcvt_from_sint(F32X4, a),
            Op::FToSX86 => self.b.ins().x86_cvtt2dq(I32X4, a),
            Op::FToSSat => self.b.ins().fcvt_to_sint_sat(I32X4, a),
            Op::FToUSat => self.b.ins().fcvt_to_uint_sat(I32X4, a),
            Op::BitsI | Op::DBitsI => self.cast(a, I32X4),
            Op::BitsF => self.cast(a, F32X4),
            Op::BitsD | Op::QBitsD => self.cast(a, F64X2),
            Op::DBitsQ => self.cast(a, I64X2),
            Op::IAdd | Op::QAdd | Op::Add | Op::Add64 => self.b.ins().iadd(a, b),
            Op::ISub | Op::QSub => self.b.ins().isub(a, b),
            Op::IMul | Op::Mul | Op::Mul64 => self.b.ins().imul(a, b),
            Op::Div => self.b.ins().udiv(a, b),
            Op::IAnd | Op::QAnd | Op::And => self.b.ins().band(a, b),
            Op::IAndNot => {
                let b = self.b.ins().bnot(b);
                self.b.ins().band(a, b)
            }
            Op::IOr | Op::QOr => self.b.ins().bor(a, b),
            Op::IXor | Op::QXor => self.b.ins().bxor(a, b),
            Op::SMin => self.b.ins().smin(a, b),
            Op::SMax => self.b.ins().smax(a, b),
            Op::UMin => self.b.ins().umin(a, b),
            Op::UMax => self.b.ins().umax(a, b),
            Op::IEq | Op::QEq => self.b.ins().icmp(IntCC::Equal, a, b),
            Op::SGt => self.b.ins().icmp(IntCC::SignedGreaterThan, a, b),
            Op::IShl => self.b.ins().ishl(a, b),
            Op::SShr => self.b.ins().sshr(a, b),
            Op::UShr => self.b.ins().ushr(a, b),
            Op::Blend => self.choose(a, b, c),
            Op::FBlend => {
                let (b, c) = (self.cast(b, I32X4), self.cast(c, I32X4));
                let chosen = self.choose(a, b, c);
                self.cast(chosen, F32X4)
            }
            Op::Splat => self.b.ins().splat(I32X4, a),
            Op::SignBits => self.b.ins().vhigh_bits(I32, a),
            Op::Promote => self.b.ins().fvpromote_low(a),
            Op::Demote => self.b.ins().fvdemote(a),
            Op::SToD => {
                let low = self.b.ins().swiden_low(a);
                self.b.ins().fcvt_from_sint(F64X2, low)
            }
            Op::NonZero => {
                let zero = self.b.ins().iconst(I32, 0);
                self.compare(IntCC::NotEqual, a, zero, result)
            }
            Op::Ule | Op::Ule64 => self.compare(IntCC::UnsignedLessThanOrEqual, a, b, result),
            Op::Low64 => {
                let low = self.cast(a, F64X2);
                let low = self.b.ins().extractlane(low, 0);
                self.b.ins().bitcast(I64, MemFlagsData::new(), low)
            }
            Op::High64 => {
                let pairs = self.cast(a, I64X2);
                self.b.ins().extractlane(pairs, 1)
            }
            Op::LowHalf => {
                let low = self.b.ins().ireduce(I32, a);
                self.b.ins().uextend(I64, low)
            }
            Op::HighHalf => self.b.ins().ushr_imm_u(a, 32),
            Op::Extend => self.b.ins().uextend(I64, a),
            Op::Truncate => self.b.ins().ireduce(I32, a),
            Op::Select | Op::Select64 => c,
        }
    }

    /// `x < y ? a : b`, the form in which Cranelift knows `minps` and `maxps`.
    fn pick(&mut self, x: ir::Value, y: ir::Value, a: ir::Value, b: ir::Value) -> ir::Value {
        let less = self.b.ins().fcmp(FloatCC::LessThan, x, y);
        let less = self.cast(less, F32X4);
        self.b.ins().bitselect(less, a, b)
    }

    /// Lane by lane `mask ? a : b`, of I32X4.
    fn choose(&mut self, mask: ir::Value, a: ir::Value, b: ir::Value) -> ir::Value {
        if self.x86 {
            self.b.ins().blendv(mask, a, b)
        } else {
            self.b.ins().bitselect(mask, a, b)
        }
    }

    /// A scalar comparison as I32; the comparison itself is kept for branches.
    fn compare(
        &mut self,
        cc: IntCC,
        a: ir::Value,
        b: ir::Value,
        result: Option<Value>,
    ) -> ir::Value {
        let flag = self.b.ins().icmp(cc, a, b);
        if let Some(result) = result {
            self.conditions.insert(result, flag);
        }
        self.b.ins().uextend(I32, flag)
    }
}
