//! Asking, in a loop over listed vertices, for those that come later: memory far apart is slow to come, and no load that
//! waits for it may stand in the way of the arithmetic.
//!
//! Cranelift has no instruction for it, so that the kernel calls a function of the runtime now and then.

use super::inst::Emitter;
use crate::abi::{AHEAD_STEP, Ahead, KernelArgs};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{self, AbiParam, InstBuilder, MemFlagsData, Signature};
use std::mem::offset_of;

/// The function to call, where there is one.
#[derive(Clone, Copy)]
pub(super) struct Asking {
    ahead: ir::Value,
    signature: ir::SigRef,
}

impl Emitter<'_, '_> {
    /// What the loop needs; loaded before it.
    pub(super) fn asking(&mut self) -> Asking {
        let flags = MemFlagsData::trusted().with_readonly();
        let offset = offset_of!(KernelArgs, ahead) as i32;
        let ahead = self.b.ins().load(I64, flags, self.bases.args, offset);
        let mut signature = Signature::new(self.b.func.signature.call_conv);
        signature.params = vec![AbiParam::new(I64); 2];
        let signature = self.b.import_signature(signature);
        Asking { ahead, signature }
    }

    /// Every [`AHEAD_STEP`] positions from `begin` on, calls the function if there is one.
    pub(super) fn ask_ahead(&mut self, asking: Asking, begin: ir::Value, position: ir::Value) {
        let Asking { ahead, signature } = asking;
        let (test, call, after) = (
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
        );
        let done = self.b.ins().isub(position, begin);
        let inside = self.b.ins().band_imm_u(done, i64::from(AHEAD_STEP) - 1);
        self.b.ins().brif(inside, after, &[], test, &[]);
        self.b.switch_to_block(test);
        let wanted = self.b.ins().icmp_imm_u(IntCC::NotEqual, ahead, 0);
        self.b.ins().brif(wanted, call, &[], after, &[]);
        self.b.switch_to_block(call);
        let flags = MemFlagsData::trusted().with_readonly();
        let bring = offset_of!(Ahead, bring) as i32;
        let bring = self.b.ins().load(I64, flags, ahead, bring);
        self.b
            .ins()
            .call_indirect(signature, bring, &[ahead, position]);
        self.b.ins().jump(after, &[]);
        self.b.switch_to_block(after);
    }
}
