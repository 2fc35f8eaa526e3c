//! The driver: all steps from a shader to a kernel, in one place.
//!
//! Must not know what the steps do inside.

use crate::code::{Code, CodeError};
use crate::emit::Frame;
use crate::isa::Isa;
use crate::kernel::{InstanceStreamInfo, Kernel, KernelInfo};
use crate::lir::vectorise::{Element, Plan, Planned, vectorise};
use crate::lir::{self, dead};
use crate::stage::Staged;

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
    /// One block of full rows.
    pub full_rows: bool,
}

/// From staged Kir to scheduled Lir.
pub fn plan(staged: &Staged, target: &Target<'_>) -> Planned {
    let mut planned = vectorise(Plan {
        staged,
        elements: target.elements,
        outputs: target.outputs,
        gathered: target.gathered,
        full_rows: target.full_rows,
        chains: if target.long_runs { 2 } else { 1 },
        fma: target.isa.has_fma(),
        x86: cfg!(target_arch = "x86_64"),
        flush: target.flush,
    });
    dead::run(&mut planned.function);
    if cfg!(debug_assertions)
        && let Err(e) = lir::verify::verify(&planned.function)
    {
        panic!("invalid Lir: {e}\n{}", lir::print::print(&planned.function));
    }
    planned
}

/// From Lir to a kernel.
pub fn assemble(planned: Planned, target: &Target<'_>) -> Result<Kernel, CodeError> {
    let frame = Frame {
        blocks: &planned.outputs.blocks,
        streams: &planned.streams,
        gathered: target.gathered,
        groups_per_instance: planned.groups_per_instance,
    };
    let code = Code::new(target.isa, &planned.function, frame)?;
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
        code_bytes: code.bytes(),
    };
    Ok(Kernel::new(info, code, target.flush))
}
