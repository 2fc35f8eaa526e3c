//! Kernels against Kir's evaluator: the same bits for every vertex, instance and view.

mod control;
mod harness;
mod memory;
mod ops;
mod random;
mod rates;
mod schedule;
