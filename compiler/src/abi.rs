//! The one meeting point of native code and runtime: the argument struct of a kernel.
//!
//! A kernel is `extern "C" fn(*mut KernelArgs) -> u32` (a [`Status`]). It shades the vertices
//! `vertex_begin..vertex_end` of the instances `instance_begin..instance_end` for the views in `view_mask`, and
//! stores output components into the blocks of its [`crate::kernel::OutputMap`].
//!
//! Positions and numbers: a *position* is the place of a shaded vertex in the dense order in which results are
//! stored (0 for the first vertex shaded in the draw). A Sequential kernel's position p has SV_VertexID
//! `first_vertex_id + p` and fetches vertex p of each stream. A Gathered kernel's position p has SV_VertexID
//! `ids[p]` and fetches vertex `fetch[p]` of each stream.
//!
//! The caller promises (the kernel checks none of it): for every vertex stream and every position that is shaded,
//! all bytes from [`crate::kernel::StreamInfo::read_begin`] to `read_end` around the vertex's address may be read;
//! `vertex_end - vertex_begin` is at least the kernel's `min_vertices`; output blocks reach to the last row.
//! The kernel checks addresses of constants, of per-instance data and of everything the shader indexes itself.

/// Least value of `loop_limit` for kernels whose key does not say `count_loops`. Loops that the compiler knows to run their bodies no more often, the loops
/// inside them included, are unrolled or run uncounted; the interpreter counts them, so that a smaller limit would
/// tell the engines apart.
pub const MIN_LOOP_LIMIT: u32 = 1024;

/// How a kernel ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Status {
    /// All rows are stored.
    Done = 0,
    /// A loop took more iterations than `loop_limit` in one invocation.
    LoopLimit = 1,
    /// `budget` was used up, or `cancel` was set.
    Stopped = 2,
}

/// A run of bytes that the kernel reads and checks itself.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Span {
    /// First byte; may dangle where `size` is 0.
    pub base: *const u8,
    /// Number of bytes.
    pub size: u64,
}

/// A per-instance stream, checked in the kernel with D3D's 32-bit address arithmetic.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct InstanceStream {
    /// First byte of the whole buffer (not of the binding).
    pub base: *const u8,
    /// Binding offset, bytes: the lower bound of valid addresses.
    pub offset: u32,
    /// End of valid addresses, bytes from `base`.
    pub end: u32,
}

/// Bytes between neighbouring rows of an output block; 0 or anything where it does not vary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct BlockStrides {
    /// From one enabled view to the next.
    pub view: u64,
    /// From one instance to the next.
    pub instance: u64,
}

/// A function of the kernel's calling convention that asks for vertices: given itself and the position where the kernel
/// stands, it may bring what comes later nearer. It must not unwind.
#[cfg(target_arch = "x86_64")]
pub type Bring = unsafe extern "sysv64" fn(*const Ahead, u64);
/// A function of the kernel's calling convention that asks for vertices: given itself and the position where the kernel
/// stands, it may bring what comes later nearer. It must not unwind.
#[cfg(not(target_arch = "x86_64"))]
pub type Bring = unsafe extern "C" fn(*const Ahead, u64);

/// Positions between two calls of [`Ahead::bring`].
pub const AHEAD_STEP: u32 = 16;

/// Asks for vertices that a Gathered kernel will fetch; the caller's own data may follow it in memory.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Ahead {
    /// Called with this struct's address every [`AHEAD_STEP`] positions.
    pub bring: Bring,
}

/// The argument of a kernel.
#[derive(Debug)]
#[repr(C)]
pub struct KernelArgs {
    /// Address of vertex 0 of each vertex stream, in the order of the kernel's `vertex_streams` (may lie outside
    /// the buffer where vertex 0 is not shaded).
    pub vertex_streams: *const *const u8,
    /// Per-instance streams, in the order of the kernel's `instance_streams`.
    pub instance_streams: *const InstanceStream,
    /// Constant buffers, in the order of `Program::constant_buffers`; unbound: size 0.
    pub constants: *const Span,
    /// First byte of each output block.
    pub outputs: *const *mut u8,
    /// Strides of each output block.
    pub output_strides: *const BlockStrides,
    /// Gathered: SV_VertexID of each position.
    pub ids: *const u32,
    /// Gathered: vertex fetched at each position.
    pub fetch: *const u32,
    /// Gathered: how to ask for vertices; null: not at all.
    pub ahead: *const Ahead,
    /// Memory for values computed once per draw, view or instance: `scratch_bytes` of the kernel, 64-aligned, one
    /// per thread.
    pub scratch: *mut u8,
    /// Sequential: SV_VertexID of position 0.
    pub first_vertex_id: u32,
    /// First position to shade.
    pub vertex_begin: u32,
    /// One past the last position.
    pub vertex_end: u32,
    /// First instance number (SV_InstanceID).
    pub instance_begin: u32,
    /// One past the last.
    pub instance_end: u32,
    /// StartInstanceLocation.
    pub start_instance: u32,
    /// StartVertexLocation or BaseVertexLocation, as SV_StartVertexLocation has it.
    pub start_vertex: u32,
    /// Number of enabled views.
    pub view_count: u32,
    /// SV_ViewID of each enabled view, ascending.
    pub views: [u32; 4],
    /// Whether this call also stores the outputs that do not vary with the instance (the draw's first call for
    /// these vertices).
    pub store_vertex_rate: u32,
    /// Most iterations of one execution of a loop; at least [`MIN_LOOP_LIMIT`].
    pub loop_limit: u32,
    /// Iterations left for the whole draw; counted down (not atomically exact) by all threads.
    pub budget: *const core::sync::atomic::AtomicI64,
    /// Set by another thread to stop the draw.
    pub cancel: *const core::sync::atomic::AtomicU32,
}
