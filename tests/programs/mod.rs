//! Random typed HLSL: expressions, and whole vertex shaders.

pub mod expression;
pub mod program;
