//! A draw by the reference interpreter: the plain thing from the specification, vertex by vertex.
//!
//! Addresses in wrapping 32-bit arithmetic, every element checked by itself. Must not know kernels.

use crate::buffer::VertexBufferView;
use crate::error::DrawError;
use crate::interpreter::{Budget, Interpreter, Options, ShadeError};
use crate::limits::Limits;
use crate::memory::Memory;
use crate::plan::Plan;
use crate::plan::arguments::Arguments;
use crate::result_layout::Shape;
use crate::sequence::Places;
use fuseline_compiler::abi::Status;
use fuseline_compiler::decode::decode;
use fuseline_compiler::kernel::{FetchElement, OutputBlock, OutputMap, OutputPlace, Rate};
use fuseline_hlsl::hir::Program;
use fuseline_hlsl::semantics::SystemValue;
use fuseline_numerics::scalar::{Denorm, Scalar};
use std::collections::BTreeMap;
use std::ops::Range;

/// A draw for the interpreter.
pub(crate) struct Reference<'a> {
    pub program: &'a Program,
    pub call: &'static str,
    pub plan: &'a Plan,
    pub arguments: &'a Arguments,
    pub elements: &'a [FetchElement],
    pub slots: &'a BTreeMap<u32, VertexBufferView>,
    pub constants: &'a [&'a [u8]],
    pub shape: &'a Shape,
    pub reads_view: bool,
    pub limits: &'a Limits,
    pub flush: bool,
}

/// What takes the outputs of the interpreter.
pub(crate) trait RowSink {
    /// Takes the outputs of one invocation, for an instance and a position; `views`: the numbers of the enabled views
    /// that they are for.
    fn store(&mut self, views: Range<usize>, at: [u32; 2], outputs: &[[u32; 4]]);
}

/// Full rows, one behind the other.
#[derive(Debug)]
pub(crate) struct FullRows {
    /// One block.
    pub map: OutputMap,
    /// Its memory.
    pub memory: Memory,
    components: Vec<u8>,
    strides: [usize; 3],
}

impl FullRows {
    /// Memory for the rows of a draw, refused first where it is too much.
    pub fn new(draw: &Reference<'_>) -> Result<FullRows, DrawError> {
        let map = full_rows(draw);
        draw.limits
            .check_size(draw.call, draw.shape, &draw.plan.sequence, &map)?;
        let (rate, stride) = (map.blocks.first()).map_or((Rate::DRAW, 0), |b| (b.rate, b.stride));
        let strides = (draw.shape.strides(rate, stride as usize))
            .ok_or(DrawError::OutOfMemory(usize::MAX))?;
        Ok(FullRows {
            memory: Memory::zeroed(draw.shape.rows(rate) as usize * stride as usize)?,
            components: draw.program.outputs.iter().map(|o| o.components).collect(),
            strides,
            map,
        })
    }
}

impl RowSink for FullRows {
    fn store(&mut self, views: Range<usize>, at: [u32; 2], outputs: &[[u32; 4]]) {
        let [view, instance, position] = self.strides;
        let first = views.start * view + at[0] as usize * instance + at[1] as usize * position;
        let components = (outputs.iter().zip(&self.components))
            .flat_map(|(register, n)| register.iter().take(usize::from(*n)));
        let row = self.memory.words_mut().iter_mut().skip(first / 4);
        for (to, from) in row.zip(components) {
            *to = *from;
        }
    }
}

/// Shades all positions that some row refers to, in all instances and views.
pub(crate) fn shade(draw: &Reference<'_>, rows: &mut dyn RowSink) -> Result<(), DrawError> {
    let referred = referred(draw.plan)?;
    let count = draw.shape.views.len();
    let views: Vec<(u32, Range<usize>)> = if draw.reads_view {
        (draw.shape.views.iter().copied().zip(0..))
            .map(|(view, v)| (view, v..v + 1))
            .collect()
    } else {
        vec![(0, 0..count)]
    };
    let mut interpreter = Interpreter::new(draw.program, draw.constants, draw.options())
        .with_budget(Budget {
            iterations: draw.limits.budget(),
            cancel: draw.limits.cancel(),
        });
    let mut inputs = vec![[0; 4]; draw.program.inputs.len()];
    let mut outputs = vec![[0; 4]; draw.program.outputs.len()];
    for (view, numbers) in views {
        for instance in 0..draw.shape.instances {
            for position in 0..draw.shape.positions {
                if referred.as_ref().is_some_and(|r| !r[position as usize]) {
                    continue;
                }
                draw.limits.check_cancel()?;
                read_inputs(draw, view, instance, position, &mut inputs);
                let shaded = interpreter.shade(&inputs, &mut outputs);
                shaded.map_err(|error| refusal(draw, &error))?;
                rows.store(numbers.clone(), [instance, position], &outputs);
            }
        }
    }
    Ok(())
}

impl Reference<'_> {
    fn options(&self) -> Options {
        let denorm = if self.flush {
            Denorm::Flush
        } else {
            Denorm::Preserve
        };
        Options {
            denorm,
            loop_limit: self.limits.loop_limit,
        }
    }
}

/// What the interpreter's error is to the draw.
fn refusal(draw: &Reference<'_>, error: &ShadeError) -> DrawError {
    let status = match error {
        ShadeError::LoopLimit { .. } => Status::LoopLimit,
        ShadeError::Stopped => Status::Stopped,
        ShadeError::TooDeep { .. } => return DrawError::TooDeep(error.to_string()),
    };
    draw.limits.error(status)
}

/// One block that holds every component of every output.
fn full_rows(draw: &Reference<'_>) -> OutputMap {
    let mut stride = 0;
    let mut places = Vec::new();
    for output in &draw.program.outputs {
        let place = |c: u32| OutputPlace {
            block: 0,
            offset: stride + 4 * c,
        };
        places.push((0..u32::from(output.components)).map(place).collect());
        stride += 4 * u32::from(output.components);
    }
    let rate = Rate::new(draw.reads_view, true, true);
    OutputMap {
        blocks: vec![OutputBlock { rate, stride }],
        places,
    }
}

/// Which positions some row refers to; None: all.
fn referred(plan: &Plan) -> Result<Option<Vec<bool>>, DrawError> {
    let Places::Dense { indices, first } = &plan.sequence.places else {
        return Ok(None);
    };
    if plan.distinct == plan.positions {
        return Ok(None);
    }
    let mut referred = Vec::new();
    (referred.try_reserve_exact(plan.positions as usize))
        .map_err(|_| DrawError::OutOfMemory(plan.positions as usize))?;
    referred.resize(plan.positions as usize, false);
    for index in indices.iter() {
        referred[index.wrapping_sub(*first) as usize] = true;
    }
    Ok(Some(referred))
}

/// The input registers of one invocation.
fn read_inputs(
    draw: &Reference<'_>,
    view: u32,
    instance: u32,
    position: u32,
    inputs: &mut [[u32; 4]],
) {
    let (id, vertex) = draw.plan.vertex(position);
    for (register, input) in inputs.iter_mut().zip(&draw.program.inputs) {
        let value = match input.system_value {
            Some(SystemValue::VertexId) => id,
            Some(SystemValue::InstanceId) => instance,
            Some(SystemValue::ViewId) => view,
            Some(SystemValue::StartVertexLocation) => draw.arguments.start_vertex_location(),
            Some(SystemValue::StartInstanceLocation) => draw.arguments.start_instance,
            _ => continue,
        };
        *register = [value, 0, 0, 0];
    }
    for element in draw.elements {
        if let Some(register) = inputs.get_mut(element.input as usize) {
            *register = fetch(draw, element, vertex, instance);
        }
    }
}

/// An element for one invocation: input-assembler.md sections 3 and 4.
fn fetch(draw: &Reference<'_>, element: &FetchElement, vertex: u32, instance: u32) -> [u32; 4] {
    let Some(view) = element.slot.and_then(|slot| draw.slots.get(&slot)) else {
        return [0; 4];
    };
    let number = match element.step_rate {
        None => vertex,
        // A step rate of 0 never steps.
        Some(rate) => {
            let steps = instance.checked_div(rate).unwrap_or(0);
            draw.arguments.start_instance.wrapping_add(steps)
        }
    };
    let address = (view.offset)
        .wrapping_add(view.stride.wrapping_mul(number))
        .wrapping_add(element.offset);
    let mut bytes = [0; 16];
    let size = element.format.bytes() as usize;
    if address >= view.offset {
        let from = address as usize;
        if let Some(inside) = view.buffer.as_bytes().get(from..from + size) {
            bytes[..size].copy_from_slice(inside);
        }
    }
    let mut words = [0; 4];
    for (word, &(first, width)) in words.iter_mut().zip(element.format.words()) {
        let mut raw = [0; 4];
        let (first, width) = (usize::from(first), usize::from(width));
        raw[..width].copy_from_slice(&bytes[first..first + width]);
        *word = u32::from_le_bytes(raw);
    }
    decode(
        &mut Scalar {
            denorm: draw.options().denorm,
        },
        element.format,
        &words,
    )
}
