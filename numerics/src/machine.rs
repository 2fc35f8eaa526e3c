//! The small trait over which every composite operation is written once.

use crate::op::Op;

/// Something that can carry out [`Op`]s: on plain numbers ([`crate::scalar::Scalar`]) or by emitting code.
///
/// A function generic over `Machine` must use the same sequence of operations whatever the values are: no
/// host-side branching on them, choices only through the `*Select` operations.
pub trait Machine {
    /// A 32-bit value: bits on the scalar machine, an SSA value in a compiler.
    type Value: Copy;

    /// A value known now. A `Bool` is 0 or 1.
    fn constant(&mut self, kind: crate::op::Kind, bits: u32) -> Self::Value;

    /// Carries out `op`; `args` has exactly the operands that [`Op::operands`] names.
    fn op(&mut self, op: Op, args: &[Self::Value]) -> Self::Value;
}
