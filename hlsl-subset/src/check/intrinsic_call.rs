//! The border between checking a call and the table of intrinsics.
//!
//! The checker asks the table which overload the argument types choose ([`Resolved`]), converts the arguments to the
//! parameter types itself, as for any function, and has the call built or, for a composite intrinsic, calls a
//! function made from HLSL text. Must not know names, scopes or the table's rows.

use crate::hir::Expr;
use crate::span::Span;
use crate::types::Type;

/// What the table may know of an argument when it chooses.
#[derive(Clone, Debug)]
pub struct ArgInfo {
    /// Its type.
    pub ty: Type,
    /// It is an unsuffixed literal (or made of such by operators): it takes the component type that the other
    /// arguments ask for.
    pub literal: bool,
    /// It can be written to.
    pub writable: bool,
}

/// A parameter of the chosen overload.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedParam {
    /// Type to which the argument is converted.
    pub ty: Type,
    /// Written by the intrinsic (`out`); such parameters occur in composites only.
    pub is_out: bool,
}

/// The chosen overload.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// As many as there are arguments.
    pub params: Vec<ResolvedParam>,
    /// Type of the result.
    pub ret: Type,
    /// What the call does.
    pub meaning: Meaning,
}

/// What a call of an intrinsic does.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// Builds the call from its converted arguments.
    Build(BuildFn),
    /// Calls the function that this HLSL text defines, made for exactly these types. Equal texts share one function.
    /// It sees intrinsics and nothing of the user's.
    Text(String),
}

/// Builds a call from its converted arguments.
pub type BuildFn = fn(BuildCall) -> Expr;

/// What a [`BuildFn`] gets.
pub struct BuildCall<'a> {
    /// The converted arguments.
    pub args: Vec<Expr>,
    /// Type of the result.
    pub ret: Type,
    /// Where the call stands.
    pub span: Span,
    /// The bits of an expression whose value is known while checking.
    pub fold: &'a dyn Fn(&Expr) -> Option<Vec<u32>>,
}

/// Why no overload was chosen. The texts are what the user reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Unresolved {
    /// No overload takes so many arguments; the text says how many there must be ("2 arguments", "1 to 3 arguments").
    Count(String),
    /// An argument does not fit: its index, and why ("must be an integer").
    Argument(usize, String),
    /// The intrinsic is known, but not for a vertex shader (or not in this project); the text says why. Counts only
    /// for entries that reach the call; `ret` is the type that the checker goes on with.
    Refused {
        /// When it counts.
        when: crate::check::module::When,
        /// The reason, and what to use instead.
        reason: String,
        /// Type of the call.
        ret: Type,
    },
}
