//! Shader profiles: stage and shader model.

/// A pipeline stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Vertex shader.
    Vertex,
    /// Geometry shader.
    Geometry,
}

/// `vs_5_0` and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    /// The stage.
    pub stage: Stage,
    /// Shader model, major.
    pub major: u8,
    /// Shader model, minor.
    pub minor: u8,
}
