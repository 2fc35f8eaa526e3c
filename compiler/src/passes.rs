//! Kir to Kir: what is done to a function between lowering and planning for lanes.

pub mod dead;
pub mod rebuild;
pub mod simplify;
