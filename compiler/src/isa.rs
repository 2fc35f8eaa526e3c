//! The machine that kernels are compiled for: which instructions it has, and Cranelift's settings.
//!
//! Must not know shaders or keys.

use cranelift_codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use std::fmt;

/// Vector instructions of an x86-64 machine that change the code we make.
///
/// Results never depend on them (decisions.md, *Numbers*: "machines without FMA").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Features {
    /// SSE4.1, the least that is supported.
    Sse41,
    /// AVX2 and FMA, nothing newer.
    Avx2Fma,
    /// Everything that this machine has.
    Native,
}

impl Features {
    /// The name used on command lines and in printed code.
    pub const fn text(self) -> &'static str {
        match self {
            Features::Sse41 => "sse4.1",
            Features::Avx2Fma => "avx2+fma",
            Features::Native => "native",
        }
    }
}

/// No code can be made for this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IsaError {
    /// Cranelift has no back end for it, or a feature that every kernel needs is missing.
    #[error("this machine cannot run kernels: {0}")]
    Unsupported(String),
}

/// Instructions of Lir above which good registers would take longer to find than anybody waits.
pub(crate) const LONG: usize = 30_000;

/// A machine to compile for: cheap to clone, shared by all kernels.
#[derive(Clone)]
pub struct Isa {
    target: OwnedTargetIsa,
    /// The same with a register allocator whose time is in proportion to the length of the code.
    quick: OwnedTargetIsa,
    features: Features,
    fma: bool,
    avx: bool,
}

impl fmt::Debug for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Isa")
            .field("triple", &self.target.triple().to_string())
            .field("features", &self.features)
            .finish()
    }
}

impl Isa {
    /// The machine that this process runs on, with all it has.
    pub fn host() -> Result<Isa, IsaError> {
        Isa::with_features(Features::Native)
    }

    /// The host's architecture with a named set of features. Kernels compiled for features that the host lacks can
    /// be looked at, not run.
    pub fn with_features(features: Features) -> Result<Isa, IsaError> {
        let unsupported = |e: &dyn fmt::Display| IsaError::Unsupported(e.to_string());
        if cfg!(not(any(target_arch = "x86_64", target_arch = "aarch64"))) {
            // How denormals are flushed is not known here.
            return Err(unsupported(&std::env::consts::ARCH));
        }
        let native = features == Features::Native;
        let mut builder =
            cranelift_native::builder_with_options(native).map_err(|e| unsupported(&e))?;
        if cfg!(target_arch = "x86_64") {
            let names: &[&str] = match features {
                Features::Native => &[],
                Features::Sse41 => &["has_sse3", "has_ssse3", "has_sse41"],
                Features::Avx2Fma => &[
                    "has_sse3",
                    "has_ssse3",
                    "has_sse41",
                    "has_sse42",
                    "has_popcnt",
                    "has_avx",
                    "has_avx2",
                    "has_fma",
                    "has_bmi1",
                    "has_bmi2",
                    "has_lzcnt",
                ],
            };
            for name in names {
                builder.enable(name).map_err(|e| unsupported(&e))?;
            }
        }
        let finish = |allocator: &str| {
            let flags = flags(allocator).map_err(|e| unsupported(&e))?;
            builder.finish(flags).map_err(|e| unsupported(&e))
        };
        let target = finish("backtracking")?;
        let quick = finish("single_pass")?;
        let has = |name: &str| {
            target
                .isa_flags()
                .iter()
                .any(|v| v.name == name && v.as_bool() == Some(true))
        };
        let x64 = is_x86(&target);
        if x64 && !has("has_sse41") {
            return Err(IsaError::Unsupported("it has no SSE4.1".into()));
        }
        let fma = !x64 || (has("has_avx") && has("has_fma"));
        let avx = x64 && has("has_avx");
        Ok(Isa {
            target,
            quick,
            features,
            fma,
            avx,
        })
    }

    /// Which features were asked for.
    pub fn features(&self) -> Features {
        self.features
    }

    /// There is one instruction for a fused multiply-add.
    pub fn has_fma(&self) -> bool {
        self.fma
    }

    /// Vector instructions take three operands, and memory operands need no alignment.
    pub fn has_avx(&self) -> bool {
        self.avx
    }

    /// Cranelift's description of the machine, for a function of so many instructions.
    pub(crate) fn target(&self, insts: usize) -> &OwnedTargetIsa {
        if insts > LONG {
            &self.quick
        } else {
            &self.target
        }
    }

    /// The machine is an x86-64: the one place that decides between its instructions and those of other machines.
    pub fn is_x86(&self) -> bool {
        is_x86(&self.target)
    }

    /// How kernels are called: the System V way on every x86-64, so that one way in is enough (see
    /// [`crate::entry`]).
    pub(crate) fn call_conv(&self) -> CallConv {
        if self.is_x86() {
            CallConv::SystemV
        } else {
            self.target.default_call_conv()
        }
    }
}

/// Cranelift's settings.
fn flags(allocator: &str) -> Result<settings::Flags, settings::SetError> {
    let verifier = cfg!(debug_assertions).to_string();
    let mut flags = settings::builder();
    for (name, value) in [
        // We schedule ourselves; the optimiser's graph would throw the order of instructions away.
        ("opt_level", "none"),
        ("regalloc_algorithm", allocator),
        ("enable_verifier", &verifier),
        ("unwind_info", "false"),
        ("is_pic", "false"),
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
    ] {
        flags.set(name, value)?;
    }
    Ok(settings::Flags::new(flags))
}

fn is_x86(target: &OwnedTargetIsa) -> bool {
    target.name() == "x64"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_features_do_not_depend_on_the_machine() {
        let isa = Isa::with_features(Features::Sse41).expect("x86-64 or another supported machine");
        if cfg!(target_arch = "x86_64") {
            assert!(!isa.has_fma() && !isa.has_avx());
            let isa = Isa::with_features(Features::Avx2Fma).expect("x86-64");
            assert!(isa.has_fma() && isa.has_avx());
        }
    }
}
