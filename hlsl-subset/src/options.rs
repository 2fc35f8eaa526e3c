//! What a caller may ask of the checker beyond the text itself.

use crate::profile::HlslVersion;

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
