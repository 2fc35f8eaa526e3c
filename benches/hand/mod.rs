//! Four workloads written by hand: what a patient person gets out of this machine without a compiler of shaders.
//!
//! They fetch from and store to the same interleaved memory as the compiled kernels, on one thread.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod plain;

/// Point lights of the lit workload.
pub const LIGHTS: usize = 4;

/// What a workload reads. `count` is a multiple of 16; `vertices` holds as many of the workload's structures;
/// `constants` is what the shader's `b0` holds.
pub struct Input<'a> {
    pub vertices: &'a [u8],
    pub instances: &'a [u8],
    pub constants: &'a [f32],
    pub count: usize,
}

/// A hand-written workload: input in, rows out.
pub type Hand = unsafe fn(&Input<'_>, &mut [f32]);

/// The versions that this machine can run, with their names.
pub fn versions(workload: &str) -> Vec<(&'static str, Hand)> {
    let mut found: Vec<(&'static str, Hand)> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            found.extend(avx512::version(workload).map(|f| ("avx512", f)));
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            found.extend(avx2::version(workload).map(|f| ("avx2", f)));
        }
    }
    found
}
