//! Kir to Kir: what is done to a function between lowering and planning for lanes.

pub mod canon;
pub mod dead;
pub mod fuse;
pub mod hoist;
pub mod if_convert;
pub mod rates;
pub mod rebuild;
pub mod simplify;
pub mod split;
#[cfg(test)]
mod tests;
pub mod trip_count;

use crate::kernel::KernelKey;
use crate::kir::{Function, verify};
use crate::stage::Staged;
use fuseline_hlsl::hir::Program;
use std::fmt::Display;

/// Somebody who looks on while a kernel is compiled.
pub trait Observer {
    /// What the code is after a pass of this name.
    fn after(&mut self, pass: &str, code: &dyn Display);
}

/// Nobody.
impl Observer for () {
    fn after(&mut self, _: &str, _: &dyn Display) {}
}

/// All passes, from a lowered program to stages.
pub fn run(
    lowered: &Function,
    program: &Program,
    key: &KernelKey,
    observer: &mut dyn Observer,
) -> Staged {
    let denorm = key.denorm();
    let mut seen = |pass: &str, function: Function| {
        debug_assert_eq!(verify::verify(&function), Ok(()), "after {pass}");
        observer.after(pass, &function);
        function
    };
    let f = seen("fuse", fuse::fuse(lowered, program, key));
    let f = seen("dead", dead::remove(&f));
    let rates = rates::rates(&f, key);
    let f = seen("if_convert", if_convert::convert(&f, &rates, denorm));
    let mut f = seen("dead", dead::remove(&f));
    let rates = rates::rates(&f, key);
    hoist::hoist(&mut f, &rates);
    let f = seen("hoist", f);
    // What was hoisted out of both sides of an If is chosen by a select.
    let f = seen("number", rebuild::rebuild(&f, denorm, &mut rebuild::Keep));
    let mut f = seen("dead", dead::remove(&f));
    canon::insert(&mut f);
    let f = seen("canon", f);
    let rates = rates::rates(&f, key);
    let staged = split::split(f, rates);
    debug_assert_eq!(verify::verify_staged(&staged), Ok(()), "after split");
    observer.after("split", &staged);
    staged
}
