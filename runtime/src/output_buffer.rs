//! Memory of the caller's that a draw writes its results to: arrays over view × instance × vertex, checked before
//! anything is written.
//!
//! Must not know how draws are carried out.

use crate::error::DrawError;
use crate::native::Job;
use crate::native::blocks::{Blocks, Store};
use crate::output::{ResultError, element_name};
use crate::reference::RowSink;
use crate::result_layout::Shape;
use bytemuck::Pod;
use fuseline_compiler::abi::BlockStrides;
use fuseline_compiler::compile::CompileError;
use fuseline_compiler::kernel::{OutputBlock, OutputMap, OutputPlace, Rate};
use fuseline_hlsl::hir::Program;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// `D3D11_SO_BUFFER_MAX_STRIDE_IN_BYTES`.
const MAX_STRIDE: usize = 2048;

/// Memory that a draw writes some of its outputs to.
///
/// The value of an output for view number v (among the enabled ones), instance i and vertex p is stored at byte
/// `offset + v * view + i * instance + p * vertex + (the element's own offset)`. Vertices are places in the vertex or
/// index sequence with [`crate::RowStorage::Expanded`], positions with [`crate::RowStorage::Shared`]
/// ([`crate::ResultLayout::position_of`] leads from one to the other). A stride of 0 is for what does not vary along
/// that axis. Bytes between elements are left alone.
#[derive(Debug)]
pub struct OutputBuffer<'a> {
    memory: &'a mut [u8],
    offset: usize,
    vertex_stride: usize,
    /// View and instance; None: rows one behind the other.
    outer_strides: Option<[usize; 2]>,
    elements: Vec<OutputElement>,
}

/// An output, and where it stands in a row (`D3D11_SO_DECLARATION_ENTRY`, with an offset in place of gaps).
#[derive(Clone, Debug)]
struct OutputElement {
    semantic_name: String,
    semantic_index: u32,
    offset: u32,
}

impl<'a> OutputBuffer<'a> {
    /// Rows of type `T` one behind the other, instance after instance, view after view.
    pub fn new<T: Pod>(rows: &'a mut [T]) -> OutputBuffer<'a> {
        OutputBuffer {
            memory: bytemuck::cast_slice_mut(rows),
            offset: 0,
            vertex_stride: size_of::<T>(),
            outer_strides: None,
            elements: Vec::new(),
        }
    }

    /// Stores an output `offset` bytes from the start of its row: component by component, 32 bits each, bool as 0 or 1.
    pub fn element(
        mut self,
        semantic_name: impl Into<String>,
        semantic_index: u32,
        offset: usize,
    ) -> OutputBuffer<'a> {
        self.elements.push(OutputElement {
            semantic_name: semantic_name.into(),
            semantic_index,
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
        });
        self
    }

    /// Begins `offset` bytes further on.
    pub fn offset(self, offset: usize) -> OutputBuffer<'a> {
        OutputBuffer { offset, ..self }
    }

    /// Bytes between neighbours along view, instance and vertex; the last at most 2048. A kernel is compiled for each
    /// combination of vertex strides and element offsets.
    pub fn strides(self, view: usize, instance: usize, vertex: usize) -> OutputBuffer<'a> {
        OutputBuffer {
            vertex_stride: vertex,
            outer_strides: Some([view, instance]),
            ..self
        }
    }
}

/// Why results cannot be written to the caller's memory. Buffers are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutputBufferError {
    /// The shader has no such output.
    #[error("output buffer {buffer}: {error}")]
    NoOutput {
        /// The buffer.
        buffer: usize,
        /// What it has.
        error: ResultError,
    },
    /// An output in two places.
    #[error("output buffer {buffer}: {output} is already stored in output buffer {other}")]
    Twice {
        /// The second.
        buffer: usize,
        /// The first.
        other: usize,
        /// The output.
        output: String,
    },
    /// Outputs are stored as whole words.
    #[error("output buffer {buffer}: {what} {bytes} is no multiple of 4")]
    Misaligned {
        /// The buffer.
        buffer: usize,
        /// The address, offset or stride.
        what: &'static str,
        /// Its value.
        bytes: usize,
    },
    /// A stride that Direct3D does not have.
    #[error(
        "output buffer {buffer}: vertex stride {stride} is too large, at most 2048 bytes are possible (D3D11_SO_BUFFER_MAX_STRIDE_IN_BYTES)"
    )]
    Stride {
        /// The buffer.
        buffer: usize,
        /// The stride.
        stride: usize,
    },
    /// Two outputs in the same bytes.
    #[error("output buffer {buffer}: {first} and {second} overlap in a row")]
    ElementsOverlap {
        /// The buffer.
        buffer: usize,
        /// One.
        first: String,
        /// The other.
        second: String,
    },
    /// Two rows in the same bytes.
    #[error(
        "output buffer {buffer}: {axis} stride {stride} is less than the {needed} bytes that lie between: rows overlap"
    )]
    RowsOverlap {
        /// The buffer.
        buffer: usize,
        /// `view`, `instance` or `vertex`.
        axis: &'static str,
        /// Its stride.
        stride: usize,
        /// Bytes from the first to the last that all with the same one take up.
        needed: usize,
    },
    /// One place for several values.
    #[error("output buffer {buffer}: {output} varies with the {axis}, but the {axis} stride is 0")]
    Varies {
        /// The buffer.
        buffer: usize,
        /// The output.
        output: String,
        /// `view`, `instance` or `vertex`.
        axis: &'static str,
    },
    /// The last row ends behind the memory.
    #[error(
        "output buffer {buffer}: the rows of {views} views, {instances} instances and {vertices} vertices end at byte {end}, the buffer has {len}"
    )]
    TooSmall {
        /// The buffer.
        buffer: usize,
        /// Enabled views.
        views: usize,
        /// Instances.
        instances: u32,
        /// Vertices of each.
        vertices: u32,
        /// Where they end; `u128::MAX`: further than can be counted.
        end: u128,
        /// Bytes of the buffer.
        len: usize,
    },
}

const AXES: [&str; 3] = ["view", "instance", "vertex"];

/// Output buffers checked against a shader and the extents of a draw.
pub(crate) struct Bound<'a> {
    /// Where outputs are, for [`fuseline_compiler::kernel::RowLayout::Placed`].
    pub map: Arc<OutputMap>,
    bases: Vec<*mut u8>,
    /// By block: bytes between views, instances and vertices; 0 where it does not vary.
    strides: Vec<[usize; 3]>,
    shape: Shape,
    memory: PhantomData<&'a mut [u8]>,
}

impl<'a> Bound<'a> {
    /// Checks buffers, one block for each. `reads_view`: the shader declares SV_ViewID.
    pub fn new(
        buffers: &'a mut [OutputBuffer<'_>],
        program: &Program,
        shape: &Shape,
        reads_view: bool,
    ) -> Result<Bound<'a>, OutputBufferError> {
        let mut bound = Bound {
            map: Arc::default(),
            bases: Vec::with_capacity(buffers.len()),
            strides: Vec::with_capacity(buffers.len()),
            shape: shape.clone(),
            memory: PhantomData,
        };
        let mut map = OutputMap {
            blocks: Vec::with_capacity(buffers.len()),
            places: vec![Vec::new(); program.outputs.len()],
        };
        for (number, buffer) in buffers.iter_mut().enumerate() {
            let row = buffer.place_elements(number, program, &mut map.places)?;
            let strides = buffer.check(number, &row, shape)?;
            // Rows begin with their first output.
            for place in map.places.iter_mut().flatten() {
                if place.block as usize == number {
                    place.offset -= row.start as u32;
                }
            }
            let [views, instances, positions] = shape.extents();
            map.blocks.push(OutputBlock {
                // One view, instance or vertex may vary as it likes: it stays in place.
                rate: Rate {
                    view: if views > 1 {
                        strides[0] > 0
                    } else {
                        reads_view
                    },
                    instance: strides[1] > 0 || instances <= 1,
                    vertex: strides[2] > 0 || positions <= 1,
                },
                stride: strides[2].max(row.len()) as u32,
            });
            bound.strides.push(strides);
            let first = buffer.offset.wrapping_add(row.start);
            bound
                .bases
                .push(buffer.memory.as_mut_ptr().wrapping_add(first));
        }
        bound.map = Arc::new(map);
        Ok(bound)
    }

    /// The error of a kernel whose blocks do not vary with all that their outputs vary with.
    pub fn varies(&self, program: &Program, error: &CompileError) -> Option<OutputBufferError> {
        let CompileError::Rate {
            output,
            rate,
            block,
        } = error
        else {
            return None;
        };
        let lacks = [
            rate.view && !block.view,
            rate.instance && !block.instance,
            rate.vertex && !block.vertex,
        ];
        let axis = AXES.iter().zip(lacks).find(|(_, lacks)| *lacks)?.0;
        Some(OutputBufferError::Varies {
            buffer: self.map.places.get(*output)?.first()?.block as usize,
            output: element_name(program.outputs.get(*output)?),
            axis,
        })
    }

    /// Whether each block has a row for all that its outputs may vary with.
    pub fn all_vary(&self, reads_view: bool) -> bool {
        let all = Rate::new(reads_view, true, true);
        self.map.blocks.iter().all(|block| block.rate.contains(all))
    }
}

impl RowSink for Bound<'_> {
    fn store(&mut self, views: Range<usize>, [instance, position]: [u32; 2], outputs: &[[u32; 4]]) {
        for (places, register) in self.map.places.iter().zip(outputs) {
            for (place, value) in places.iter().zip(register) {
                let block = place.block as usize;
                let (Some(base), Some([view, i, p])) =
                    (self.bases.get(block), self.strides.get(block))
                else {
                    continue;
                };
                let within = instance as usize * i + position as usize * p + place.offset as usize;
                for v in views.clone() {
                    let to = base.wrapping_add(v * view + within).cast::<u32>();
                    // SAFETY: `check` made sure that every row of the shape lies inside the memory, which is borrowed
                    // as long as `self` lives, and that it begins at a multiple of 4; instance and position are of
                    // the shape.
                    unsafe { to.write(*value) };
                }
            }
        }
    }
}

impl Store for Bound<'_> {
    fn blocks(&mut self, job: &Job<'_>, _: &OutputMap) -> Result<Blocks, DrawError> {
        debug_assert_eq!(*job.shape, self.shape);
        let strides = |[view, instance, _]: &[usize; 3]| BlockStrides {
            view: *view as u64,
            instance: *instance as u64,
        };
        Ok(Blocks {
            bases: self.bases.clone(),
            strides: self.strides.iter().map(strides).collect(),
        })
    }
}

impl OutputBuffer<'_> {
    /// Notes the places of its elements' components, and gives the bytes of a row that they take up.
    fn place_elements(
        &self,
        buffer: usize,
        program: &Program,
        places: &mut [Vec<OutputPlace>],
    ) -> Result<Range<usize>, OutputBufferError> {
        let mut taken: Vec<(Range<usize>, String)> = Vec::with_capacity(self.elements.len());
        for element in &self.elements {
            let (name, index) = (&element.semantic_name, element.semantic_index);
            let wanted = |e: &fuseline_hlsl::hir::SignatureElement| {
                e.semantic.eq_ignore_ascii_case(name) && e.index == index
            };
            let Some(output) = program.outputs.iter().position(wanted) else {
                let error = ResultError::no_output(&program.outputs, name, index);
                return Err(OutputBufferError::NoOutput { buffer, error });
            };
            let signature = &program.outputs[output];
            let name = element_name(signature);
            if let Some(first) = places[output].first() {
                return Err(OutputBufferError::Twice {
                    buffer,
                    other: first.block as usize,
                    output: name,
                });
            }
            let offset = element.offset as usize;
            check_words(buffer, "offset", offset)?;
            if offset >= MAX_STRIDE {
                return Err(OutputBufferError::Stride {
                    buffer,
                    stride: offset,
                });
            }
            let bytes = offset..offset + 4 * usize::from(signature.components);
            let overlaps = |(other, _): &&(Range<usize>, String)| {
                other.start < bytes.end && bytes.start < other.end
            };
            if let Some((_, first)) = taken.iter().find(overlaps) {
                return Err(OutputBufferError::ElementsOverlap {
                    buffer,
                    first: first.clone(),
                    second: name,
                });
            }
            places[output] = (0..u32::from(signature.components))
                .map(|c| OutputPlace {
                    block: buffer as u32,
                    offset: element.offset + 4 * c,
                })
                .collect();
            taken.push((bytes, name));
        }
        let start = taken.iter().map(|(bytes, _)| bytes.start).min();
        let end = taken.iter().map(|(bytes, _)| bytes.end).max();
        Ok(start.unwrap_or(0)..end.unwrap_or(0))
    }

    /// Checks strides and size for rows that take up `row`; gives the strides, 0 where there is but one.
    fn check(
        &self,
        buffer: usize,
        row: &Range<usize>,
        shape: &Shape,
    ) -> Result<[usize; 3], OutputBufferError> {
        let extents = shape.extents();
        let vertex = self.vertex_stride;
        let [view, instance] = self.outer_strides.unwrap_or_else(|| {
            let instance = vertex.saturating_mul(extents[2]);
            [instance.saturating_mul(extents[1]), instance]
        });
        check_words(buffer, "the address", self.memory.as_ptr() as usize)?;
        check_words(buffer, "offset", self.offset)?;
        let strides = [view, instance, vertex];
        for (what, stride) in ["view stride", "instance stride", "vertex stride"]
            .into_iter()
            .zip(strides)
        {
            check_words(buffer, what, stride)?;
        }
        if vertex > MAX_STRIDE {
            return Err(OutputBufferError::Stride {
                buffer,
                stride: vertex,
            });
        }
        // From the innermost axis outwards, rows must be further apart than what lies inside.
        let mut axes: Vec<usize> = (0..3)
            .filter(|&axis| extents[axis] > 1 && strides[axis] > 0)
            .collect();
        axes.sort_by_key(|&axis| strides[axis]);
        let mut span = row.len() as u128;
        for axis in axes {
            let stride = strides[axis];
            if (stride as u128) < span {
                return Err(OutputBufferError::RowsOverlap {
                    buffer,
                    axis: AXES[axis],
                    stride,
                    needed: usize::try_from(span).unwrap_or(usize::MAX),
                });
            }
            span = span.saturating_add((stride as u128).saturating_mul(extents[axis] as u128 - 1));
        }
        let end = span.saturating_add(self.offset as u128 + row.start as u128);
        if end > self.memory.len() as u128 && extents.iter().all(|extent| *extent > 0) {
            return Err(OutputBufferError::TooSmall {
                buffer,
                views: shape.views.len(),
                instances: shape.instances,
                vertices: shape.positions,
                end,
                len: self.memory.len(),
            });
        }
        Ok(strides)
    }
}

fn check_words(buffer: usize, what: &'static str, bytes: usize) -> Result<(), OutputBufferError> {
    if bytes.is_multiple_of(4) {
        Ok(())
    } else {
        Err(OutputBufferError::Misaligned {
            buffer,
            what,
            bytes,
        })
    }
}
