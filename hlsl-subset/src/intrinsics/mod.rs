//! HLSL's intrinsic functions: one table, and how a call chooses its row's overload.
//!
//! [`find`] looks a name up, [`resolve`] chooses types and says what the call does. Must not know names in scope,
//! syntax trees, or how arguments are converted: the checker does that with the types chosen here.

mod build;
mod mul;
mod refused;
mod signature;
mod table;

use crate::check::intrinsic_call::{ArgInfo, BuildFn, Resolved, Unresolved};
use crate::options::Options;
use signature::{Class, Dims, Param, Ret};
use std::collections::HashMap;
use std::sync::LazyLock;

/// A row of the table.
#[derive(Debug)]
pub struct Intrinsic {
    /// Its name.
    pub name: &'static str,
    /// What it computes, in a sentence or two, edge cases included.
    pub doc: &'static str,
    /// Its types.
    overloads: Overloads,
}

/// The types of an intrinsic.
#[derive(Debug)]
enum Overloads {
    /// The first one that takes the arguments' number and dimensions is chosen.
    Templates(&'static [Signature]),
    /// Types that no template describes: number of arguments, and what chooses.
    Special(usize, fn(&[ArgInfo]) -> Result<Resolved, Unresolved>),
}

/// Types of an overload, and its meaning.
#[derive(Debug)]
struct Signature {
    /// Which component types the group of "same type" parameters may have.
    class: Class,
    /// Which dimensions it may have.
    dims: Dims,
    /// Parameters.
    params: &'static [Param],
    /// Result.
    ret: Ret,
    /// Meaning.
    meaning: How,
}

/// What a call does.
#[derive(Clone, Copy, Debug)]
enum How {
    /// Hir built from the arguments.
    Build(BuildFn),
    /// HLSL text, with `$T` for the group's type and `$F`, `$I`, `$U`, `$B` for its shape with that component type.
    Text(&'static str),
    /// One for floats, one for signed and one for unsigned integers.
    ByKind(&'static How, &'static How, &'static How),
    /// As an option says: the first by default, the second where halves are rounded to the nearest.
    Rounding(BuildFn, BuildFn),
}

/// An intrinsic that a vertex shader may not use, or that is not supported.
#[derive(Debug)]
pub struct Refused {
    /// Its name.
    pub name: &'static str,
    /// When, and why.
    reason: &'static refused::Reason,
    /// What the checker takes the call to be; none: as its first argument.
    ret: Option<Ret>,
}

/// What is known of a name.
#[derive(Clone, Copy, Debug)]
pub enum Known {
    /// It can be called.
    Usable(&'static Intrinsic),
    /// It cannot, and why is known.
    Refused(&'static Refused),
}

/// Every intrinsic that can be called, by name.
pub fn all() -> impl Iterator<Item = &'static Intrinsic> {
    table::TABLE.iter()
}

/// Every intrinsic that is known and refused.
pub fn all_refused() -> impl Iterator<Item = &'static Refused> {
    refused::TABLE.iter()
}

/// Looks a name up.
pub fn find(name: &str) -> Option<Known> {
    static NAMES: LazyLock<HashMap<&'static str, Known>> = LazyLock::new(|| {
        let usable = all().map(|row| (row.name, Known::Usable(row)));
        let refused = all_refused().map(|row| (row.name, Known::Refused(row)));
        usable.chain(refused).collect()
    });
    NAMES.get(name).copied()
}

/// Whether strings may be among the arguments of a function of that name.
pub fn takes_text(name: &str) -> bool {
    matches!(find(name), Some(Known::Refused(row)) if row.reason.takes_text)
}

/// Chooses the overload of intrinsic `name` for these arguments; `None` where there is no such intrinsic.
pub fn resolve(
    name: &str,
    args: &[ArgInfo],
    options: &Options,
) -> Option<Result<Resolved, Unresolved>> {
    Some(match find(name)? {
        Known::Usable(row) => row.resolve(args, options),
        Known::Refused(row) => Err(row.unresolved(args)),
    })
}

#[cfg(test)]
mod tests;
