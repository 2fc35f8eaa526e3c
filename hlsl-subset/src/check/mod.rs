//! The checker: from the syntax tree to a [`module::Module`] with Hir bodies. Names, types, conversions, overloads,
//! constants, statements. Must not know entries, signatures, profiles or engines.

pub mod intrinsic_call;
pub mod module;
