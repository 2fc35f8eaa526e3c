//! Fuseline's HLSL front end: text in, checked Hir and reflection out.
//!
//! Must not know Cranelift, buffers or files: includes are read through a handler trait.

pub mod ast;
pub mod check;
mod classify;
pub mod compile;
pub mod diagnostic;
pub mod entry;
pub mod fold;
pub mod fuse;
pub mod hir;
pub mod intrinsics;
pub mod options;
pub mod packing;
pub mod parser;
pub mod preprocess;
pub mod profile;
pub mod reflection;
pub mod semantics;
pub mod signature;
pub mod source;
pub mod span;
pub mod token;
pub mod types;

pub use compile::{Checked, Compiled, Failed, check, check_entry, compile, syntax_tree};
