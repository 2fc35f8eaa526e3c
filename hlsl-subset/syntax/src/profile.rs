//! Shader profiles: stage and shader model, and what follows from them alone.

use std::fmt;
use std::str::FromStr;

/// A pipeline stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Vertex shader.
    Vertex,
    /// Geometry shader.
    Geometry,
}

impl Stage {
    /// As in a profile's name: `vs`, `gs`.
    pub const fn prefix(self) -> &'static str {
        match self {
            Stage::Vertex => "vs",
            Stage::Geometry => "gs",
        }
    }

    /// In words, for messages.
    pub const fn text(self) -> &'static str {
        match self {
            Stage::Vertex => "vertex shader",
            Stage::Geometry => "geometry shader",
        }
    }
}

/// Which edition of the language (decisions.md, *Language*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HlslVersion {
    /// As fxc has it: both sides of `&&`, `||` and `?:` run, vectors are allowed there.
    V2018,
    /// Short-circuit, scalars only; templates, `select`, `and`, `or`.
    V2021,
}

impl HlslVersion {
    /// The year, as `__HLSL_VERSION` gives it.
    pub const fn year(self) -> u32 {
        match self {
            HlslVersion::V2018 => 2018,
            HlslVersion::V2021 => 2021,
        }
    }
}

impl FromStr for HlslVersion {
    type Err = UnknownHlslVersion;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "2018" => Ok(HlslVersion::V2018),
            "2021" => Ok(HlslVersion::V2021),
            _ => Err(UnknownHlslVersion(text.to_owned())),
        }
    }
}

/// A language version that is neither 2018 nor 2021.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownHlslVersion(pub String);

impl fmt::Display for UnknownHlslVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unknown HLSL version `{}`; known are 2018 and 2021",
            self.0
        )
    }
}

impl std::error::Error for UnknownHlslVersion {}

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

impl Profile {
    /// `vs_5_0`, what is meant where nobody says.
    pub const VS_5_0: Profile = Profile {
        stage: Stage::Vertex,
        major: 5,
        minor: 0,
    };

    /// Whether the shader model is at least `major.minor`.
    pub fn at_least(self, major: u8, minor: u8) -> bool {
        (self.major, self.minor) >= (major, minor)
    }

    /// The edition of the language that goes with it unless asked otherwise: 2018 up to 5.1, 2021 for 6.x.
    pub fn hlsl_version(self) -> HlslVersion {
        if self.major >= 6 {
            HlslVersion::V2021
        } else {
            HlslVersion::V2018
        }
    }

    /// Registers of the input signature and of the output signature: 16 in 4.0, else 32 (system-values.md 8).
    pub fn signature_registers(self) -> u32 {
        if self.at_least(4, 1) { 32 } else { 16 }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}_{}", self.stage.prefix(), self.major, self.minor)
    }
}

/// Why a text names no profile that can be compiled for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProfileError {
    /// A stage that is not run here: pixel, hull, domain, compute, library, mesh…
    Stage {
        /// The text.
        text: String,
        /// The stage in words.
        stage: &'static str,
    },
    /// A known stage with a shader model that is not: before 4.0, or made up.
    Model(String),
    /// No profile at all.
    Unknown(String),
}

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const KNOWN: &str =
            "vs_4_0, vs_4_1, vs_5_0, vs_5_1 and vs_6_0 to vs_6_8, and the same with gs";
        match self {
            ProfileError::Stage { text, stage } => {
                write!(f, "profile `{text}` is a {stage}; supported are {KNOWN}")
            }
            ProfileError::Model(text) => {
                write!(
                    f,
                    "profile `{text}` names a shader model that is not supported; supported are {KNOWN}"
                )
            }
            ProfileError::Unknown(text) => {
                write!(f, "`{text}` is not a profile; supported are {KNOWN}")
            }
        }
    }
}

impl std::error::Error for ProfileError {}

impl FromStr for Profile {
    type Err = ProfileError;

    fn from_str(text: &str) -> Result<Profile, ProfileError> {
        let unknown = || ProfileError::Unknown(text.to_owned());
        let (prefix, model) = text.split_once('_').ok_or_else(unknown)?;
        let stage = match prefix {
            "vs" => Stage::Vertex,
            "gs" => Stage::Geometry,
            other => {
                let stage = other_stage(other).ok_or_else(unknown)?;
                return Err(ProfileError::Stage {
                    text: text.to_owned(),
                    stage,
                });
            }
        };
        let (major, minor) = match model {
            "4_0" => (4, 0),
            "4_1" => (4, 1),
            "5_0" => (5, 0),
            "5_1" => (5, 1),
            _ => match model
                .strip_prefix("6_")
                .and_then(|minor| minor.parse().ok())
            {
                Some(minor @ 0..=8) if model.len() == 3 => (6, minor),
                _ => return Err(ProfileError::Model(text.to_owned())),
            },
        };
        Ok(Profile {
            stage,
            major,
            minor,
        })
    }
}

fn other_stage(prefix: &str) -> Option<&'static str> {
    Some(match prefix {
        "ps" => "pixel shader",
        "hs" => "hull shader",
        "ds" => "domain shader",
        "cs" => "compute shader",
        "as" => "amplification shader",
        "ms" => "mesh shader",
        "lib" => "shader library",
        "fx" => "effect",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_supported_profile_reads_back_as_written() {
        for stage in ["vs", "gs"] {
            for model in ["4_0", "4_1", "5_0", "5_1", "6_0", "6_1", "6_8"] {
                let text = format!("{stage}_{model}");
                assert_eq!(text.parse::<Profile>().map(|p| p.to_string()), Ok(text));
            }
        }
    }

    #[test]
    fn models_up_to_5_1_speak_2018_and_later_ones_2021() {
        let version = |p: &str| p.parse::<Profile>().map(Profile::hlsl_version);
        assert_eq!(version("vs_5_1"), Ok(HlslVersion::V2018));
        assert_eq!(version("vs_6_0"), Ok(HlslVersion::V2021));
    }

    #[test]
    fn only_model_4_0_has_sixteen_registers() {
        let registers = |p: &str| p.parse::<Profile>().map(Profile::signature_registers);
        assert_eq!(registers("vs_4_0"), Ok(16));
        assert_eq!(registers("vs_4_1"), Ok(32));
    }

    #[test]
    fn what_is_not_supported_is_refused_with_the_reason() {
        let message = |p: &str| p.parse::<Profile>().map_err(|e| e.to_string()).unwrap_err();
        assert_eq!(
            message("ps_5_0"),
            "profile `ps_5_0` is a pixel shader; supported are vs_4_0, vs_4_1, vs_5_0, vs_5_1 and vs_6_0 to vs_6_8, \
             and the same with gs"
        );
        assert_eq!(
            message("vs_3_0"),
            "profile `vs_3_0` names a shader model that is not supported; supported are vs_4_0, vs_4_1, vs_5_0, \
             vs_5_1 and vs_6_0 to vs_6_8, and the same with gs"
        );
        assert_eq!(
            message("main"),
            "`main` is not a profile; supported are vs_4_0, vs_4_1, vs_5_0, vs_5_1 and vs_6_0 to vs_6_8, and the same \
             with gs"
        );
    }
}
