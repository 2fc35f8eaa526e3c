//! Fuseline's compiler: from Hir and an input layout to one native function.
//!
//! Must not know threads, draws or files.

pub mod abi;
pub mod decode;
pub mod format;
pub mod kernel;
pub mod kir;
pub mod lower;
pub mod passes;
pub mod stage;
