//! What every operation on floats, integers and halves means in Fuseline.
//!
//! Below all other crates; knows nothing of shaders, buffers or compilers.

pub mod builtin;
mod code;
pub mod half;
mod int;
pub mod machine;
pub mod math;
pub mod op;
pub mod scalar;
