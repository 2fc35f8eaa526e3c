//! The device: the settings that all draws share, threads, and the cache of compiled kernels.

use std::fmt;
use std::sync::Arc;

/// What runs the shaders. Both give the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Native code, compiled by Cranelift together with the fetch.
    #[default]
    Jit,
    /// The reference: plain and slow.
    Interpreter,
}

/// Where draws run.
#[derive(Clone, Default)]
pub enum Threads {
    /// On the thread that calls.
    #[default]
    None,
    /// On rayon's global pool.
    Global,
    /// On this pool.
    Pool(Arc<rayon::ThreadPool>),
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Threads::None => f.write_str("None"),
            Threads::Global => f.write_str("Global"),
            Threads::Pool(pool) => write!(f, "Pool({})", pool.current_num_threads()),
        }
    }
}

/// `D3D12_VIEW_INSTANCING_TIER`, as far as it can be told apart here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ViewInstancingTier {
    /// Pipelines with more than one view, or with the masking flag, are refused.
    NotSupported,
    /// Up to four views; what does not depend on SV_ViewID is computed once for all (tier 3).
    #[default]
    Tier3,
}

/// Settings of a device.
#[derive(Clone, Debug)]
pub struct DeviceOptions {
    /// Denormals flush (Direct3D's rule) or are preserved.
    pub flush_denormals: bool,
    /// Most iterations of one execution of a loop in one invocation; at least 1024.
    pub loop_limit: u32,
    /// Most iterations of loops in one draw, counted roughly.
    pub draw_loop_budget: u64,
    /// Where draws run.
    pub threads: Threads,
    /// Whether pipelines may have several views.
    pub view_instancing: ViewInstancingTier,
    /// Most bytes that the results of one draw may take; more is refused before anything is allocated.
    pub result_limit: u64,
    /// Most kernels kept; the least recently used goes.
    pub kernel_cache: usize,
}

impl Default for DeviceOptions {
    fn default() -> Self {
        DeviceOptions {
            flush_denormals: true,
            loop_limit: 1 << 20,
            draw_loop_budget: 1 << 36,
            threads: Threads::None,
            view_instancing: ViewInstancingTier::Tier3,
            result_limit: 4 << 30,
            kernel_cache: 256,
        }
    }
}

/// A device: cheap to clone, usable from many threads at once.
#[derive(Clone, Debug)]
pub struct Device {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: DeviceOptions,
}

/// Why there is no device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// Loops that compilers unroll are not counted, so that smaller limits would tell the engines apart.
    #[error("a loop limit of {0} iterations is less than the least, {min}", min = MIN_LOOP_LIMIT)]
    LoopLimit(u32),
}

pub use fuseline_compiler::abi::MIN_LOOP_LIMIT;

impl Device {
    /// A device.
    ///
    /// # Errors
    /// When the options contradict themselves or the machine.
    pub fn new(options: DeviceOptions) -> Result<Device, DeviceError> {
        if options.loop_limit < MIN_LOOP_LIMIT {
            return Err(DeviceError::LoopLimit(options.loop_limit));
        }
        Ok(Device {
            inner: Arc::new(Inner { options }),
        })
    }

    pub(crate) fn kernel(
        &self,
        _: &Arc<fuseline_hlsl::hir::Program>,
        _: fuseline_compiler::kernel::KernelKey,
    ) -> Result<Arc<dyn crate::native::Native>, crate::error::DrawError> {
        Err(crate::error::DrawError::NotThereYet)
    }

    /// Its settings.
    pub fn options(&self) -> &DeviceOptions {
        &self.inner.options
    }
}
