//! The device: the settings that all draws share, threads, and the cache of compiled kernels.

use crate::cache::{Cache, CacheStatistics};
use crate::error::{DrawError, KernelError};
use crate::memory::Pool;
use crate::plan::cached::PlanCache;
use fuseline_compiler::compile::compile;
use fuseline_compiler::dump::Dump;
use fuseline_compiler::isa::{Isa, IsaError};
use fuseline_compiler::kernel::{Kernel, KernelKey};
use fuseline_hlsl::hir::Program;
use std::fmt;
use std::sync::Arc;

pub use fuseline_compiler::isa::Features;

/// What runs the shaders. Both give the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Native code, compiled by Cranelift together with the fetch.
    #[default]
    Jit,
    /// The reference: plain and slow.
    Interpreter,
}

/// Where draws run. The calling thread works along with those of a pool, so that as many run as the pool has.
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
    /// Instructions that kernels may use. Results never depend on it.
    pub features: Features,
    /// Denormals flush (Direct3D's rule) or are preserved.
    pub flush_denormals: bool,
    /// Most iterations of one execution of a loop in one invocation; at least 1.
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
    /// Most different (index buffer, range, cut) whose sharing of vertices is remembered.
    pub index_cache: usize,
    /// Most bytes of that.
    pub index_cache_bytes: usize,
    /// Most bytes of results kept for further draws when they are dropped.
    pub recycled_bytes: usize,
}

impl DeviceOptions {
    /// Loops that can only be short are unrolled, or run without counting, unless the limit is lower still.
    pub(crate) fn counts_all_loops(&self) -> bool {
        self.loop_limit < fuseline_compiler::abi::MIN_LOOP_LIMIT
    }
}

impl Default for DeviceOptions {
    fn default() -> Self {
        DeviceOptions {
            features: Features::Native,
            flush_denormals: true,
            loop_limit: 1 << 20,
            draw_loop_budget: 1 << 36,
            threads: Threads::None,
            view_instancing: ViewInstancingTier::Tier3,
            result_limit: 4 << 30,
            kernel_cache: 256,
            index_cache: 64,
            index_cache_bytes: 256 << 20,
            recycled_bytes: 256 << 20,
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
    /// An error where no code can be made: then only the interpreter runs.
    isa: Result<Isa, IsaError>,
    kernels: Cache<CacheKey, Cached>,
    plans: PlanCache,
    pool: Arc<Pool>,
}

/// A program, by its address, and what its kernel is specialised for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CacheKey {
    program: usize,
    key: KernelKey,
}

/// A kernel, and the program whose address is its key: while the entry lives no other program can have that.
#[derive(Clone, Debug)]
struct Cached {
    _program: Arc<Program>,
    kernel: Result<Arc<Kernel>, KernelError>,
}

/// Why there is no device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// No loop could run at all.
    #[error("a loop limit of 0 lets no loop run; the least is 1")]
    LoopLimit,
    /// Code for the features that were asked for would not run here.
    #[error("this machine does not have the features {}", .0.text())]
    Features(Features),
}

impl Device {
    /// A device.
    ///
    /// # Errors
    /// When the options contradict themselves or the machine.
    pub fn new(options: DeviceOptions) -> Result<Device, DeviceError> {
        if options.loop_limit == 0 {
            return Err(DeviceError::LoopLimit);
        }
        let isa = Isa::with_features(options.features);
        if let (Ok(wanted), Ok(host)) = (&isa, Isa::host()) {
            let lacks = wanted.has_avx() && !host.has_avx() || wanted.has_fma() && !host.has_fma();
            if lacks {
                return Err(DeviceError::Features(options.features));
            }
        }
        let kernels = Cache::new(options.kernel_cache, usize::MAX);
        let plans = PlanCache::new(options.index_cache, options.index_cache_bytes);
        let pool = Arc::new(Pool::new(options.recycled_bytes));
        Ok(Device {
            inner: Arc::new(Inner {
                options,
                isa,
                kernels,
                plans,
                pool,
            }),
        })
    }

    /// The kernel of a program for a key, compiled if it is not in the cache.
    pub(crate) fn kernel(
        &self,
        program: &Arc<Program>,
        key: KernelKey,
    ) -> Result<Arc<Kernel>, DrawError> {
        let isa = self
            .inner
            .isa
            .as_ref()
            .map_err(|e| DrawError::NoNativeCode(e.clone()))?;
        let key = CacheKey {
            program: Arc::as_ptr(program) as usize,
            key,
        };
        let cached = self.inner.kernels.get_or_make(&key, || {
            let kernel = compile(program, &key.key, isa, &mut Dump::from_environment());
            let cached = Cached {
                _program: program.clone(),
                kernel: kernel.map(Arc::new).map_err(KernelError::from),
            };
            (cached, Some(0))
        });
        cached.kernel.map_err(DrawError::Kernel)
    }

    pub(crate) fn plans(&self) -> &PlanCache {
        &self.inner.plans
    }

    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.inner.pool
    }

    /// How the cache of kernels was used.
    pub fn cache_statistics(&self) -> CacheStatistics {
        self.inner.kernels.statistics()
    }

    /// Its settings.
    pub fn options(&self) -> &DeviceOptions {
        &self.inner.options
    }
}
