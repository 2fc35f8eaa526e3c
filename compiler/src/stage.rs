//! A function split by how often its parts must run: what Lir is planned from.
//!
//! Must not know lanes or memory: where a value that one stage computes and another uses is kept is Lir's business.

use crate::kernel::Rate;
use crate::kir::{Function, Region};

/// A fused function, its instructions sorted into stages.
///
/// **Invariants**
/// - `function.body` is empty; its arenas hold everything that the stages refer to.
/// - `stages` are in the order of [`Rate::ALL`], without the empty ones. An instruction uses values of its own stage
///   and of stages whose rate its own contains.
/// - Instructions that hold regions lie in one stage whole, with all that is inside them.
/// - All accesses of one local array lie in one stage.
/// - A `Store` stands in the stage that decides its output block: what the stored value (as computed) varies with.
#[derive(Clone, Debug)]
pub struct Staged {
    /// Arenas, tables, arrays.
    pub function: Function,
    /// What runs, and how often.
    pub stages: Vec<Stage>,
    /// What each value varies with, by [`crate::kir::Value`]. This may be less than the rate of the stage that computes
    /// it (a uniform condition inside a loop over vertices). The result of a `Loop` varies with what decides how often
    /// it runs; a body's parameter does not: among the vertices still in the loop it may be the same for all.
    pub rates: Vec<Rate>,
}

/// What runs once per combination of what its rate names.
#[derive(Clone, Debug)]
pub struct Stage {
    /// What it varies with.
    pub rate: Rate,
    /// The instructions; no parameters, no yields.
    pub region: Region,
}
