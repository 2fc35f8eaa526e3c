//! Fuseline's runtime.
pub mod buffer;
pub mod constants;
pub mod topology;
