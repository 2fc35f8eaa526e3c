//! What a caller may ask of the front end beyond the text itself.

use crate::profile::{HlslVersion, Profile};

/// What [`crate::compile`] is asked for; [`crate::check`] looks at all but the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileOptions {
    /// Name of the entry function (`-E`).
    pub entry: String,
    /// Stage and shader model (`-T`).
    pub profile: Profile,
    /// Macros (`-D NAME=VALUE`): name, or `NAME(a, b)`, and value.
    pub defines: Vec<(String, String)>,
    /// Edition of the language; none: the one that goes with the profile.
    pub hlsl: Option<HlslVersion>,
    /// Matrices are stored row by row where nothing else is said (`-Zpr`).
    pub row_major: bool,
    /// No product is fused with a sum, as if something were `precise`.
    pub strict_float: bool,
    /// `f32tof16` rounds to the nearest, not toward zero.
    pub f32tof16_nearest: bool,
}

impl Default for CompileOptions {
    fn default() -> CompileOptions {
        CompileOptions {
            entry: "main".to_owned(),
            profile: Profile::VS_5_0,
            defines: Vec::new(),
            hlsl: None,
            row_major: false,
            strict_float: false,
            f32tof16_nearest: false,
        }
    }
}

impl CompileOptions {
    /// The edition of the language that holds.
    pub fn version(&self) -> HlslVersion {
        self.hlsl.unwrap_or_else(|| self.profile.hlsl_version())
    }

    /// What the checker is told.
    pub fn checking(&self) -> Options {
        Options {
            version: self.version(),
            default_row_major: self.row_major,
            f32tof16_nearest: self.f32tof16_nearest,
        }
    }
}

/// Options of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Which edition of the language.
    pub version: HlslVersion,
    /// Matrices are stored row by row where nothing else is said (`/Zpr`).
    pub default_row_major: bool,
    /// `f32tof16` rounds to the nearest, not toward zero.
    pub f32tof16_nearest: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            version: HlslVersion::V2018,
            default_row_major: false,
            f32tof16_nearest: false,
        }
    }
}
