//! The syntax tree: what was written, before anything is known about it. Must not know types, values or scopes
//! beyond what is spelled out in the text.
//!
//! **Invariants.** Every node has a span. No tree is higher than [`MAX_HEIGHT`] (the parser refuses what is), so
//! that recursion over a tree, its dropping included, is bounded. Effect syntax (techniques, state blocks,
//! annotations) is not in the tree; [`TranslationUnit::skipped`] says where it stood.

pub mod decl;
pub mod expr;
mod print;
pub mod stmt;
pub mod types;

pub use decl::*;
pub use expr::*;
pub use stmt::*;
pub use types::*;

use crate::span::Span;

pub use crate::token::Name;

/// The greatest height of an expression or a statement, in units of half a nesting: going down into a node's part
/// costs 2, into the left operand of a binary operator, the last one of `?:` or the `else` of an `if` 1. So 256 nested
/// calls, blocks or the like, and chains (`a + b + c + …`, `else if …`) of 512 links, are accepted. Parentheses that
/// group nothing cost nothing.
pub const MAX_HEIGHT: u16 = 512;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// `name`, `A::B::name`, `::name`.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// It starts with `::`.
    pub global: bool,
    /// What stands before the last `::`, outermost first; mostly empty.
    pub scopes: Vec<Ident>,
    /// The last part.
    pub name: Ident,
    /// All of it.
    pub span: Span,
}

impl Path {
    /// The name, if nothing qualifies it.
    pub fn as_plain(&self) -> Option<&Ident> {
        (!self.global && self.scopes.is_empty()).then_some(&self.name)
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.global {
            f.write_str("::")?;
        }
        for scope in &self.scopes {
            write!(f, "{}::", scope.name)?;
        }
        f.write_str(&self.name.name)
    }
}

/// A whole file with all that it includes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TranslationUnit {
    /// Declarations in order.
    pub items: Vec<Item>,
    /// Effect syntax that was passed over, in order.
    pub skipped: Vec<Skipped>,
}

/// Effect syntax that was passed over (decisions.md, *Language*).
#[derive(Clone, Debug, PartialEq)]
pub struct Skipped {
    /// What it was.
    pub kind: SkippedKind,
    /// All of it.
    pub span: Span,
}

/// Kinds of effect syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkippedKind {
    /// `technique T { pass P { … } }`, `technique11`, `fxgroup`.
    Technique,
    /// `< string UIName = "x"; >`.
    Annotation,
    /// `SamplerState s { Filter = …; }`, `RasterizerState r { … }`.
    StateBlock,
    /// `= sampler_state { … }`, `= compile vs_5_0 F()`, `= CompileShader(…)`.
    EffectInitializer,
}

/// `[unroll(4)]`, `[RootSignature("…")]`, `[[vk::binding(0, 1)]]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Name, with its scope (`vk::binding`).
    pub name: Path,
    /// Arguments.
    pub args: Vec<Expr>,
    /// In double brackets.
    pub double: bool,
    /// With the brackets.
    pub span: Span,
}
