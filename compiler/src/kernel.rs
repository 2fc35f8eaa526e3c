//! What the compiler is asked for, and what it hands out: the pipeline key and the kernel's description.

use crate::abi::{KernelArgs, Status};
use crate::code::Code;
use crate::entry::{self, FloatMode};
use crate::format::Format;
use fuseline_numerics::scalar::Denorm;
use std::fmt;
use std::sync::Arc;

/// How positions find their vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawKind {
    /// Position p fetches vertex p of each stream.
    Sequential,
    /// Position p fetches vertex `fetch[p]` and has SV_VertexID `ids[p]`.
    Gathered,
}

/// Where a shader input register comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FetchElement {
    /// Index into `Program::inputs`.
    pub input: u32,
    /// How the bytes are decoded.
    pub format: Format,
    /// Vertex buffer slot; None: nothing is bound there, all components read zero, defaults included.
    pub slot: Option<u32>,
    /// AlignedByteOffset, resolved.
    pub offset: u32,
    /// Bytes between vertices or instance elements of the slot.
    pub stride: u32,
    /// Per-instance data: its InstanceDataStepRate.
    pub step_rate: Option<u32>,
    /// Vertex data with a stream of its own although other elements share the slot (see ARCHITECTURE.md, *Bounds*).
    pub own_stream: bool,
}

/// All that a kernel is specialised for, besides the program and the machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelKey {
    /// One entry per input register that is fetched.
    pub elements: Vec<FetchElement>,
    /// How positions find their vertices.
    pub draw: DrawKind,
    /// Denormals flush (default) or are preserved.
    pub flush: bool,
    /// Groups of eight vertices may be used (runs have at least that many); otherwise groups of four.
    pub long_runs: bool,
    /// Every loop is counted, none unrolled: the draw's loop limit is below [`crate::abi::MIN_LOOP_LIMIT`].
    pub count_loops: bool,
    /// Which blocks the outputs are stored in.
    pub rows: RowLayout,
}

/// How output components are divided into blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum RowLayout {
    /// One block for each rate that some component has: each is stored as often as it varies.
    #[default]
    ByRate,
    /// One block of full rows, one for each instance and vertex, and for each view where the shader reads SV_ViewID.
    Full,
    /// The caller's blocks. Outputs without places are not stored; a component that varies with more than its block
    /// is an error.
    Placed(Arc<OutputMap>),
}

impl KernelKey {
    /// What happens to denormal floats.
    pub fn denorm(&self) -> Denorm {
        if self.flush {
            Denorm::Flush
        } else {
            Denorm::Preserve
        }
    }
}

/// What an output or a block varies with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rate {
    /// SV_ViewID.
    pub view: bool,
    /// The instance.
    pub instance: bool,
    /// The vertex.
    pub vertex: bool,
}

impl Rate {
    /// Once per draw.
    pub const DRAW: Rate = Rate::new(false, false, false);
    /// Once per view.
    pub const VIEW: Rate = Rate::new(true, false, false);
    /// Once per instance.
    pub const INSTANCE: Rate = Rate::new(false, true, false);
    /// Once per vertex.
    pub const VERTEX: Rate = Rate::new(false, false, true);

    /// All rates, each after those that it contains.
    pub const ALL: [Rate; 8] = [
        Rate::DRAW,
        Rate::VIEW,
        Rate::INSTANCE,
        Rate::new(true, true, false),
        Rate::VERTEX,
        Rate::new(false, true, true),
        Rate::new(true, false, true),
        Rate::new(true, true, true),
    ];

    /// The rate that varies with what is true.
    pub const fn new(view: bool, instance: bool, vertex: bool) -> Rate {
        Rate {
            view,
            instance,
            vertex,
        }
    }

    /// What varies with anything that either varies with.
    pub const fn union(self, other: Rate) -> Rate {
        Rate {
            view: self.view || other.view,
            instance: self.instance || other.instance,
            vertex: self.vertex || other.vertex,
        }
    }

    /// Whether it varies with all that `other` varies with.
    pub fn contains(self, other: Rate) -> bool {
        self.union(other) == self
    }
}

impl std::fmt::Display for Rate {
    /// `{view,instance,vertex}`, as printed Kir has it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = [
            (self.view, "view"),
            (self.instance, "instance"),
            (self.vertex, "vertex"),
        ];
        f.write_str("{")?;
        for (i, (_, name)) in names.iter().filter(|(set, _)| *set).enumerate() {
            write!(f, "{}{name}", if i > 0 { "," } else { "" })?;
        }
        f.write_str("}")
    }
}

/// A vertex stream: consecutive vertices `stride` bytes apart.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamInfo {
    /// Vertex buffer slot.
    pub slot: u32,
    /// The only element (index into `KernelKey::elements`) where it has a stream of its own.
    pub element: Option<u32>,
    /// Bytes between vertices.
    pub stride: u32,
    /// First byte that is read, from the vertex's address.
    pub read_begin: u32,
    /// One past the last byte that is read, over-reads of wide loads included.
    pub read_end: u32,
}

/// A per-instance stream: one element of one slot's binding.
#[derive(Clone, Debug, PartialEq)]
pub struct InstanceStreamInfo {
    /// Vertex buffer slot.
    pub slot: u32,
}

/// A block of interleaved output components. Row (view v, instance i, position p), where v counts enabled views, is at
/// `v * view stride + i * instance stride + p * stride`, the first two from [`crate::abi::BlockStrides`], with the
/// terms of what the block does not vary with left out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OutputBlock {
    /// What it varies with.
    pub rate: Rate,
    /// Bytes between the rows of neighbouring vertices, a multiple of 4.
    pub stride: u32,
}

/// Where an output component is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutputPlace {
    /// Index into [`OutputMap::blocks`].
    pub block: u32,
    /// Bytes from the start of the row, a multiple of 4.
    pub offset: u32,
}

/// Where all outputs are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OutputMap {
    /// The blocks.
    pub blocks: Vec<OutputBlock>,
    /// For each element of `Program::outputs`, the place of each of its components (32 bits each; Bool 0 or 1); none
    /// where it is not stored.
    pub places: Vec<Vec<OutputPlace>>,
}

/// What the runtime must know to run a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelInfo {
    /// Vertex streams, in the order of `KernelArgs::vertex_streams`.
    pub vertex_streams: Vec<StreamInfo>,
    /// Per-instance streams, in the order of `KernelArgs::instance_streams`.
    pub instance_streams: Vec<InstanceStreamInfo>,
    /// Where results go.
    pub outputs: OutputMap,
    /// Bytes of `KernelArgs::scratch`.
    pub scratch_bytes: usize,
    /// Fewest positions a run may have.
    pub min_vertices: u32,
    /// The code reads SV_ViewID or stores rows for each view (otherwise `view_count` must be 1).
    pub reads_view: bool,
    /// The code does something for each instance; otherwise one instance stands for all.
    pub per_instance: bool,
    /// Bytes of machine code.
    pub code_bytes: usize,
}

/// A kernel that can run. Its code lives as long as it does.
pub struct Kernel {
    info: KernelInfo,
    code: Code,
    mode: FloatMode,
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel").field("info", &self.info).finish()
    }
}

impl Kernel {
    pub(crate) fn new(info: KernelInfo, code: Code, flush: bool) -> Kernel {
        let mode = if flush {
            FloatMode::Flush
        } else {
            FloatMode::Preserve
        };
        Kernel { info, code, mode }
    }

    /// What the runtime must know to run it.
    pub fn info(&self) -> &KernelInfo {
        &self.info
    }

    /// Shades what `args` says.
    ///
    /// # Safety
    /// `args` keeps the promises of [`crate::abi`], and the machine has the features that the kernel was compiled for.
    pub unsafe fn run(&self, args: &mut KernelArgs) -> Status {
        // SAFETY: the code is a finished kernel, alive as long as `self`; the rest is the caller's promise.
        let status = unsafe { entry::call(self.code.entry(), args, self.mode) };
        match status {
            0 => Status::Done,
            1 => Status::LoopLimit,
            _ => Status::Stopped,
        }
    }
}
