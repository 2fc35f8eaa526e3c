//! The driver: all steps from a shader to a kernel, in one place.
//!
//! Must not know what the steps do inside.

use crate::code::{self, Code, CodeError};
use crate::emit::Frame;
use crate::isa::Isa;
use crate::kernel::{
    DrawKind, FetchElement, InstanceStreamInfo, Kernel, KernelInfo, KernelKey, Rate, RowLayout,
};
use crate::lir::vectorise::{Element, Plan, Planned, vectorise};
use crate::lir::{self, StageKind, dead, outputs, schedule, spill};
use crate::lower::{LowerError, lower};
use crate::passes::{self, Observer};
use crate::stage::Staged;
use fuseline_hlsl::hir::Program;

/// Why there is no kernel.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The shader is too large in some way.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// Cranelift could not make code.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// The caller's block has one row for what needs several.
    #[error("output {output} varies with {rate}, its block with {block}")]
    Rate {
        /// Number of the output.
        output: usize,
        /// What it varies with.
        rate: Rate,
        /// What its block varies with.
        block: Rate,
    },
}

/// The kernel of a program for a key, on a machine; `observer` sees the code between the steps.
pub fn compile(
    program: &Program,
    key: &KernelKey,
    isa: &Isa,
    observer: &mut dyn Observer,
) -> Result<Kernel, CompileError> {
    let staged = stages(program, key, observer)?;
    let layout = Layout::new(program, key);
    check_placed(&staged, key, &layout)?;
    let target = layout.target(key, isa);
    let planned = plan(&staged, &target);
    observer.after("plan", &lir::print::print(&planned.function));
    Ok(assemble(planned, &target)?)
}

/// Whether the outputs of a program vary with no more than the caller's blocks do, where it places them.
///
/// # Errors
/// [`CompileError::Rate`] where one does, or when the shader is too large in some way.
pub fn check_rows(program: &Program, key: &KernelKey) -> Result<(), CompileError> {
    let staged = stages(program, key, &mut ())?;
    check_placed(&staged, key, &Layout::new(program, key))
}

fn check_placed(staged: &Staged, key: &KernelKey, layout: &Layout) -> Result<(), CompileError> {
    match &key.rows {
        RowLayout::Placed(map) => outputs::check(&outputs::rates(staged, &layout.outputs), map),
        RowLayout::ByRate | RowLayout::Full => Ok(()),
    }
}

/// A form of a kernel that can be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Listing {
    /// Kir in stages, as text.
    Kir,
    /// Lir as it is emitted, as text.
    Lir,
    /// Cranelift's input, as text.
    Clif,
    /// Machine instructions, as text.
    Asm,
    /// An object file with the function `kernel` (see [`crate::abi`]).
    Object,
}

/// A form of the kernel of a program for a key.
pub fn listing(
    program: &Program,
    key: &KernelKey,
    isa: &Isa,
    listing: Listing,
) -> Result<Vec<u8>, CompileError> {
    let staged = stages(program, key, &mut ())?;
    if listing == Listing::Kir {
        return Ok(staged.to_string().into_bytes());
    }
    let layout = Layout::new(program, key);
    let target = layout.target(key, isa);
    let planned = plan(&staged, &target);
    let f = &planned.function;
    let frame = frame(&planned, &target);
    Ok(match listing {
        Listing::Kir | Listing::Lir => lir::print::print(f).to_string().into_bytes(),
        Listing::Clif => code::clif(isa, f, frame)?.into_bytes(),
        Listing::Asm => code::assembly(isa, f, frame)?.into_bytes(),
        Listing::Object => code::object(isa, f, frame)?,
    })
}

fn stages(
    program: &Program,
    key: &KernelKey,
    observer: &mut dyn Observer,
) -> Result<Staged, CompileError> {
    let lowered = lower(program, key.denorm(), key.count_loops)?;
    observer.after("lower", &lowered);
    Ok(passes::run(&lowered, program, key, observer))
}

/// What a program and a key say about elements and outputs.
struct Layout {
    elements: Vec<Option<Element>>,
    outputs: Vec<u8>,
}

impl Layout {
    fn new(program: &Program, key: &KernelKey) -> Layout {
        let element = |e: &FetchElement| {
            Some(Element {
                slot: e.slot?,
                offset: e.offset,
                stride: e.stride,
                bytes: e.format.bytes(),
                step_rate: e.step_rate,
                own_stream: e.own_stream,
            })
        };
        Layout {
            elements: key.elements.iter().map(element).collect(),
            outputs: program.outputs.iter().map(|o| o.components).collect(),
        }
    }

    fn target<'a>(&'a self, key: &'a KernelKey, isa: &'a Isa) -> Target<'a> {
        Target {
            isa,
            elements: &self.elements,
            outputs: &self.outputs,
            gathered: key.draw == DrawKind::Gathered,
            flush: key.flush,
            long_runs: key.long_runs,
            rows: &key.rows,
        }
    }
}

/// What code generation needs besides the staged function.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The machine.
    pub isa: &'a Isa,
    /// By layout element; None where nothing is bound.
    pub elements: &'a [Option<Element>],
    /// Number of components of each output.
    pub outputs: &'a [u8],
    /// Positions find their vertices through `KernelArgs::fetch`.
    pub gathered: bool,
    /// Denormals flush.
    pub flush: bool,
    /// Groups of eight are allowed.
    pub long_runs: bool,
    /// Which blocks the outputs are stored in.
    pub rows: &'a RowLayout,
}

/// From staged Kir to scheduled Lir.
pub fn plan(staged: &Staged, target: &Target<'_>) -> Planned {
    let planned = unordered(staged, target, 1);
    if target.long_runs && schedule::wants_two_chains(&planned.function) {
        return ordered(unordered(staged, target, 2));
    }
    ordered(planned)
}

/// The same with so many vectors of vertices in a group.
#[cfg(test)]
pub fn plan_with(staged: &Staged, target: &Target<'_>, chains: u32) -> Planned {
    ordered(unordered(staged, target, chains))
}

fn unordered(staged: &Staged, target: &Target<'_>, chains: u32) -> Planned {
    let mut planned = vectorise(Plan {
        staged,
        elements: target.elements,
        outputs: target.outputs,
        gathered: target.gathered,
        rows: target.rows,
        chains,
        fma: target.isa.has_fma(),
        x86: target.isa.is_x86(),
        flush: target.flush,
    });
    dead::run(&mut planned.function);
    planned
}

fn ordered(mut planned: Planned) -> Planned {
    schedule::run(&mut planned.function);
    spill::run(&mut planned.function);
    if cfg!(debug_assertions)
        && let Err(e) = lir::verify::verify(&planned.function)
    {
        panic!("invalid Lir: {e}\n{}", lir::print::print(&planned.function));
    }
    planned
}

/// From Lir to a kernel.
pub fn assemble(planned: Planned, target: &Target<'_>) -> Result<Kernel, CodeError> {
    let code = Code::new(target.isa, &planned.function, frame(&planned, target))?;
    let [.., scratch_bytes] = crate::emit::nest::scratch_layout(&planned.function);
    let info = KernelInfo {
        instance_streams: planned
            .instance_slots
            .iter()
            .map(|&slot| InstanceStreamInfo { slot })
            .collect(),
        vertex_streams: planned.streams,
        outputs: planned.outputs,
        scratch_bytes,
        min_vertices: planned.function.group(),
        reads_view: planned.reads_view,
        per_instance: planned.groups_per_instance
            || [StageKind::Instance, StageKind::InstanceView]
                .iter()
                .any(|kind| !planned.function.stages[kind.index()].insts.is_empty()),
        code_bytes: code.bytes(),
    };
    Ok(Kernel::new(info, code, target.flush))
}

fn frame<'a>(planned: &'a Planned, target: &Target<'_>) -> Frame<'a> {
    Frame {
        blocks: &planned.outputs.blocks,
        streams: &planned.streams,
        gathered: target.gathered,
        groups_per_instance: planned.groups_per_instance,
    }
}
