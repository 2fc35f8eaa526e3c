//! The part of Fuseline's HLSL front end that reads text: sources, diagnostics, preprocessor, tokens, grammar, Ast.
//!
//! A crate of its own, since the parser that LALRPOP makes is large and seldom changes. Must not know what names, types
//! or intrinsics mean; `fuseline-hlsl` re-exports all of it.

pub mod ast;
mod classify;
pub mod diagnostic;
pub mod parser;
pub mod preprocess;
pub mod profile;
pub mod source;
pub mod span;
pub mod token;
