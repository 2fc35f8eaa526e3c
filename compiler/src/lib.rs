//! Fuseline's compiler: from Hir and an input layout to one native function.
//!
//! Must not know threads, draws or files.

pub mod abi;
pub mod code;
pub mod compile;
pub mod decode;
pub mod dump;
pub mod emit;
mod entry;
pub mod format;
pub mod isa;
pub mod kernel;
pub mod kir;
pub mod layout;
pub mod lir;
pub mod lower;
pub mod passes;
pub mod stage;
