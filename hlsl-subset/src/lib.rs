//! Fuseline's HLSL front end: text in, checked Hir and reflection out.
//!
//! Must not know Cranelift, buffers or files: includes are read through a handler trait.

pub mod check;
pub mod compile;
pub mod entry;
pub mod fold;
pub mod fuse;
pub mod hir;
pub mod intrinsics;
pub mod options;
pub mod packing;
pub mod reflection;
pub mod semantics;
pub mod signature;
pub mod types;

pub use fuseline_hlsl_syntax::{ast, diagnostic, parser, preprocess, profile, source, span, token};

pub use compile::{Checked, Compiled, Failed, check, check_entry, compile, syntax_tree};
