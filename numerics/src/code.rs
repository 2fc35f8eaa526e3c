//! A way to write sequences of operations that reads like arithmetic, over any [`Machine`].

use crate::machine::Machine;
use crate::op::{Kind, Op};
use std::cell::RefCell;

/// A machine with one method for each operation. The methods take `&self`, so calls nest.
pub(crate) struct Code<'m, M: Machine>(RefCell<&'m mut M>);

macro_rules! methods {
    ($( $name:ident = $op:ident ( $($arg:ident),* ); )*) => {
        $(
            #[inline]
            pub fn $name(&self, $($arg: M::Value),*) -> M::Value { self.op(Op::$op, &[$($arg),*]) }
        )*
    };
}

impl<'m, M: Machine> Code<'m, M> {
    #[inline]
    pub fn new(machine: &'m mut M) -> Self {
        Code(RefCell::new(machine))
    }

    #[inline]
    pub fn op(&self, op: Op, args: &[M::Value]) -> M::Value {
        self.0.borrow_mut().op(op, args)
    }

    /// A known float.
    #[inline]
    pub fn f(&self, x: f32) -> M::Value {
        self.0.borrow_mut().constant(Kind::F32, x.to_bits())
    }

    /// A known integer.
    #[inline]
    pub fn i(&self, bits: u32) -> M::Value {
        self.0.borrow_mut().constant(Kind::I32, bits)
    }

    /// The canonical NaN.
    #[inline]
    pub fn nan(&self) -> M::Value {
        self.f(f32::from_bits(crate::scalar::CANONICAL_NAN))
    }

    /// `a * b + c` for a known `b`.
    #[inline]
    pub fn fma_f(&self, a: M::Value, b: f32, c: M::Value) -> M::Value {
        self.fma(a, self.f(b), c)
    }

    /// `a & mask`, and so on, for a known right operand.
    #[inline]
    pub fn and_i(&self, a: M::Value, mask: u32) -> M::Value {
        self.and(a, self.i(mask))
    }

    #[inline]
    pub fn or_i(&self, a: M::Value, bits: u32) -> M::Value {
        self.or(a, self.i(bits))
    }

    #[inline]
    pub fn add_i(&self, a: M::Value, b: u32) -> M::Value {
        self.iadd(a, self.i(b))
    }

    #[inline]
    pub fn shl_i(&self, a: M::Value, bits: u32) -> M::Value {
        self.op(Op::IShl, &[a, self.i(bits)])
    }

    #[inline]
    pub fn ushr_i(&self, a: M::Value, bits: u32) -> M::Value {
        self.op(Op::UShr, &[a, self.i(bits)])
    }

    #[inline]
    pub fn sshr_i(&self, a: M::Value, bits: u32) -> M::Value {
        self.op(Op::SShr, &[a, self.i(bits)])
    }

    /// The polynomial `c[0] + x * (c[1] + x * (…))`, one fused multiply-add per coefficient but the last.
    #[inline]
    pub fn polynomial(&self, x: M::Value, c: &[f32]) -> M::Value {
        let Some((&last, rest)) = c.split_last() else {
            return self.f(0.0);
        };
        rest.iter()
            .rev()
            .fold(self.f(last), |sum, &c| self.fma(sum, x, self.f(c)))
    }

    methods! {
        add = FAdd(a, b);
        sub = FSub(a, b);
        mul = FMul(a, b);
        div = FDiv(a, b);
        fma = Fma(a, b, c);
        sqrt = FSqrt(a);
        trunc = FTrunc(a);
        neg = FNeg(a);
        abs = FAbs(a);
        feq = FEq(a, b);
        flt = FLt(a, b);
        fselect = FSelect(c, a, b);
        s_to_f = SToF(a);
        as_int = AsInt(a);
        num_bits = NumBits(a);
        as_float = AsFloat(a);
        iadd = IAdd(a, b);
        isub = ISub(a, b);
        and = IAnd(a, b);
        or = IOr(a, b);
        xor = IXor(a, b);
        smin = SMin(a, b);
        smax = SMax(a, b);
        ine = INe(a, b);
        slt = SLt(a, b);
        iselect = ISelect(c, a, b);
    }
}
