//! What the Direct3D debug layer would warn about: draws with a defined result that is perhaps not meant.
//!
//! Nothing here changes results, and no draw runs it: call [`Pipeline::check`] while developing.

use crate::buffer::{IndexFormat, VertexBufferView};
use crate::draw;
use crate::error::DrawError;
use crate::pipeline::{BoundElement, Pipeline};
use crate::plan::Vertices;
use crate::plan::arguments::Arguments;
use crate::result_layout::ResultLayout;
use crate::state::{DrawCall, DrawState, Register};
use crate::topology::StripCut;

/// All that there is to say about a draw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawReport {
    /// Why it would be refused: every reason, in the order in which they are looked for.
    pub errors: Vec<DrawError>,
    /// What is odd about it, in the order: vertex buffers, index buffer, constants, views.
    pub warnings: Vec<DrawWarning>,
}

/// Something odd about a draw.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawWarning {
    /// Zeros will be read, without defaults.
    #[error("slot {slot}: nothing is bound, {input} reads zero in all components")]
    VertexBufferNotSet {
        /// The slot.
        slot: u32,
        /// The shader's input.
        input: String,
    },
    /// Undefined in Direct3D; here the plain bytes are read.
    #[error(
        "slot {slot}: offset {offset} does not keep {input} aligned to {alignment} bytes (FS 4.4.6: undefined); the bytes are read as they are"
    )]
    VertexOffsetUnaligned {
        /// The slot.
        slot: u32,
        /// The binding's offset.
        offset: u32,
        /// The shader's input.
        input: String,
        /// What its format needs.
        alignment: u32,
    },
    /// Undefined in Direct3D; here the plain bytes are read.
    #[error(
        "slot {slot}: stride {stride} does not keep {input} aligned to {alignment} bytes (FS 4.4.6: undefined); the bytes are read as they are"
    )]
    VertexStrideUnaligned {
        /// The slot.
        slot: u32,
        /// The binding's stride.
        stride: u32,
        /// The shader's input.
        input: String,
        /// What its format needs.
        alignment: u32,
    },
    /// Neighbouring vertices share bytes.
    #[error(
        "slot {slot}: stride {stride} is less than {end}, where {input} ends: neighbouring elements overlap"
    )]
    StrideTooSmall {
        /// The slot.
        slot: u32,
        /// The binding's stride.
        stride: u32,
        /// The shader's input.
        input: String,
        /// Where it ends in its structure.
        end: u64,
    },
    /// Zeros will be read past the end.
    #[error(
        "slot {slot}: {input} of {what} {last} ends at byte {end} of a buffer of {len} bytes: out of bounds reads give 0"
    )]
    VertexBufferTooSmall {
        /// The slot.
        slot: u32,
        /// The shader's input.
        input: String,
        /// `vertex` or `instance`.
        what: &'static str,
        /// The last one that the draw fetches of those that are out of bounds.
        last: u64,
        /// Where it ends.
        end: u64,
        /// Bytes of the buffer.
        len: usize,
    },
    /// All indices are 0.
    #[error("no index buffer is bound: every index is 0")]
    IndexBufferNotSet,
    /// Undefined in Direct3D; here the plain bytes are read.
    #[error(
        "index buffer: offset {offset} is no multiple of the index size {size} (FS 4.4.6: undefined); the bytes are read as they are"
    )]
    IndexOffsetUnaligned {
        /// The binding's offset.
        offset: u32,
        /// Bytes per index.
        size: u32,
    },
    /// Indices past the end are 0.
    #[error(
        "index buffer: the last index ends at byte {end} of a buffer of {len} bytes: out of bounds indices are 0"
    )]
    IndexBufferTooSmall {
        /// Where the last index ends.
        end: u64,
        /// Bytes of the buffer.
        len: usize,
    },
    /// A strip cut made for the other index format (primitive-topology.md section 3: no source decides).
    #[error(
        "strip cut {cut:#x} with {bits}-bit indices: {}", if *.bits == 16 { "no index can equal it" } else { "index 65535 cuts, 0xffffffff does not" }
    )]
    StripCutOfOtherFormat {
        /// The value that cuts.
        cut: u32,
        /// Bits of an index.
        bits: u32,
    },
    /// Members read zero.
    #[error("constant buffer {register} ({name}): nothing is bound, its members read zero")]
    ConstantBufferNotSet {
        /// `b` or `t` register.
        register: String,
        /// Its name.
        name: String,
    },
    /// Members past the end read zero.
    #[error(
        "constant buffer {register} ({name}): {len} bytes are bound, the shader declares {size}: the rest reads zero"
    )]
    ConstantBufferTooSmall {
        /// `b` or `t` register.
        register: String,
        /// Its name.
        name: String,
        /// Bytes bound.
        len: usize,
        /// Bytes declared.
        size: u32,
    },
    /// Nothing is drawn.
    #[error(
        "the view mask {mask:#x} enables none of the pipeline's {views} views: nothing is drawn (SetViewInstanceMask)"
    )]
    NoViewEnabled {
        /// The mask.
        mask: u32,
        /// How many views there are.
        views: usize,
    },
}

impl DrawWarning {
    /// The rule that it comes from: Direct3D 11's name of the message (`D3D11_MESSAGE_ID_…`) where it has one.
    pub fn rule(&self) -> &'static str {
        match self {
            DrawWarning::VertexBufferNotSet { .. } => "DEVICE_DRAW_VERTEX_BUFFER_NOT_SET",
            DrawWarning::VertexOffsetUnaligned { .. } => "DEVICE_DRAW_VERTEX_OFFSET_UNALIGNED",
            DrawWarning::VertexStrideUnaligned { .. } => "DEVICE_DRAW_VERTEX_STRIDE_UNALIGNED",
            DrawWarning::StrideTooSmall { .. } => "DEVICE_DRAW_VERTEX_BUFFER_STRIDE_TOO_SMALL",
            DrawWarning::VertexBufferTooSmall { .. } => "DEVICE_DRAW_VERTEX_BUFFER_TOO_SMALL",
            DrawWarning::IndexBufferNotSet => "DEVICE_DRAW_INDEX_BUFFER_NOT_SET",
            DrawWarning::IndexOffsetUnaligned { .. } => "DEVICE_DRAW_INDEX_OFFSET_UNALIGNED",
            DrawWarning::IndexBufferTooSmall { .. } => "DEVICE_DRAW_INDEX_BUFFER_TOO_SMALL",
            DrawWarning::StripCutOfOtherFormat { .. } => "INDEX_BUFFER_STRIP_CUT_VALUE",
            DrawWarning::ConstantBufferNotSet { .. } => "DEVICE_DRAW_CONSTANT_BUFFER_NOT_SET",
            DrawWarning::ConstantBufferTooSmall { .. } => "DEVICE_DRAW_CONSTANT_BUFFER_TOO_SMALL",
            DrawWarning::NoViewEnabled { .. } => "VIEW_INSTANCE_MASK",
        }
    }
}

impl Pipeline {
    /// What the Direct3D debug layer would say about a draw, and about the vertices that its indices lead to. Nothing is
    /// shaded.
    pub fn check(&self, state: &DrawState, call: &DrawCall) -> DrawReport {
        let mut report = DrawReport {
            errors: draw::errors(self, state, call),
            ..DrawReport::default()
        };
        let Ok(arguments) = Arguments::of(call) else {
            return report;
        };
        let vertices = match draw::layout(self, state, call, &draw::DrawOptions::default()) {
            Ok(layout) => end_vertices(&layout),
            Err(error) => {
                if report.errors.is_empty() {
                    report.errors.push(error);
                }
                Vec::new()
            }
        };
        for element in self.elements() {
            let fetched = match element.step_rate {
                Some(rate) => ("instance", end_instances(rate, &arguments)),
                None => ("vertex", vertices.clone()),
            };
            self.check_element(element, state, fetched, &mut report.warnings);
        }
        if arguments.indexed {
            self.check_indices(state, &arguments, &mut report.warnings);
        }
        self.check_constants(state, &mut report.warnings);
        if self.enabled_views(state.view_mask).is_empty() {
            report.warnings.push(DrawWarning::NoViewEnabled {
                mask: state.view_mask,
                views: self.view_locations().len(),
            });
        }
        report
    }

    fn check_element(
        &self,
        element: &BoundElement,
        state: &DrawState,
        fetched: (&'static str, Vec<u32>),
        warnings: &mut Vec<DrawWarning>,
    ) {
        let signature = self.program().inputs.get(element.input as usize);
        let input = signature.map_or(String::new(), |s| format!("{}{}", s.semantic, s.index));
        let slot = element.slot;
        let Some(view) = state.vertex_buffers.get(&slot) else {
            warnings.push(DrawWarning::VertexBufferNotSet { slot, input });
            return;
        };
        let alignment = element.format.alignment();
        if view.offset % alignment != 0 {
            warnings.push(DrawWarning::VertexOffsetUnaligned {
                slot,
                offset: view.offset,
                input: input.clone(),
                alignment,
            });
        }
        if view.stride % alignment != 0 {
            warnings.push(DrawWarning::VertexStrideUnaligned {
                slot,
                stride: view.stride,
                input: input.clone(),
                alignment,
            });
        }
        let end = u64::from(element.offset) + u64::from(element.format.bytes());
        if view.stride != 0 && u64::from(view.stride) < end {
            warnings.push(DrawWarning::StrideTooSmall {
                slot,
                stride: view.stride,
                input: input.clone(),
                end,
            });
        }
        check_size(view, element, fetched, input, warnings);
    }

    fn check_indices(
        &self,
        state: &DrawState,
        arguments: &Arguments,
        warnings: &mut Vec<DrawWarning>,
    ) {
        let Some(view) = &state.index_buffer else {
            warnings.push(DrawWarning::IndexBufferNotSet);
            return;
        };
        let size = view.format.bytes();
        if view.offset % size != 0 {
            warnings.push(DrawWarning::IndexOffsetUnaligned {
                offset: view.offset,
                size,
            });
        }
        let last = (arguments.start.wrapping_add(arguments.count)).wrapping_sub(1);
        let from = view.offset.wrapping_add(size.wrapping_mul(last));
        let end = u64::from(from) + u64::from(size);
        let outside = from < view.offset || end > view.buffer.len() as u64;
        if arguments.count > 0 && outside {
            warnings.push(DrawWarning::IndexBufferTooSmall {
                end,
                len: view.buffer.len(),
            });
        }
        let cut = state.strip_cut.unwrap_or(self.strip_cut());
        let all_ones = view.format.all_ones();
        let strip = state.topology.is_some_and(|topology| topology.is_strip());
        if let StripCut::Value(cut) = cut
            && strip
            && cut != all_ones
        {
            warnings.push(DrawWarning::StripCutOfOtherFormat {
                cut,
                bits: match view.format {
                    IndexFormat::R16Uint => 16,
                    IndexFormat::R32Uint => 32,
                },
            });
        }
    }

    fn check_constants(&self, state: &DrawState, warnings: &mut Vec<DrawWarning>) {
        for desc in &self.program().constant_buffers {
            let register = Register::of(desc);
            match state.constants.get(&register) {
                None => warnings.push(DrawWarning::ConstantBufferNotSet {
                    register: register.to_string(),
                    name: desc.name.clone(),
                }),
                Some(buffer) if buffer.len() < desc.size as usize => {
                    warnings.push(DrawWarning::ConstantBufferTooSmall {
                        register: register.to_string(),
                        name: desc.name.clone(),
                        len: buffer.len(),
                        size: desc.size,
                    });
                }
                Some(_) => {}
            }
        }
    }
}

/// The instances at the ends of what a draw fetches of per-instance data, the last one first.
fn end_instances(rate: u32, arguments: &Arguments) -> Vec<u32> {
    let Some(last) = arguments.instances.checked_sub(1) else {
        return Vec::new();
    };
    let steps = last.checked_div(rate).unwrap_or(0);
    ends(arguments.start_instance, steps)
}

/// The vertices at the ends of what the rows of a draw fetch, the greatest first.
fn end_vertices(layout: &ResultLayout) -> Vec<u32> {
    let plan = &layout.plan;
    match plan.vertices {
        Vertices::Counted { first_vertex, .. } => match plan.positions.checked_sub(1) {
            Some(steps) => ends(first_vertex, steps),
            None => Vec::new(),
        },
        Vertices::Listed { extent, .. } if !plan.ids().is_empty() => vec![extent.1, extent.0],
        Vertices::Listed { .. } => Vec::new(),
    }
}

/// The ends of `steps` steps from `first` on in wrapping arithmetic, and what is beside the wrap.
fn ends(first: u32, steps: u32) -> Vec<u32> {
    match first.checked_add(steps) {
        Some(last) => vec![last, first],
        None => vec![u32::MAX, first, first.wrapping_add(steps), 0],
    }
}

/// Reports the first of the fetched vertices or instances whose element is out of bounds: addresses wrap at 32 bits
/// (input-assembler.md section 3).
fn check_size(
    view: &VertexBufferView,
    element: &BoundElement,
    (what, fetched): (&'static str, Vec<u32>),
    input: String,
    warnings: &mut Vec<DrawWarning>,
) {
    let len = view.buffer.len();
    let end = |vertex: u32| {
        let from = (view.offset)
            .wrapping_add(view.stride.wrapping_mul(vertex))
            .wrapping_add(element.offset);
        let end = u64::from(from) + u64::from(element.format.bytes());
        (from < view.offset || end > len as u64).then_some((vertex, end))
    };
    if let Some((last, end)) = fetched.into_iter().find_map(end) {
        warnings.push(DrawWarning::VertexBufferTooSmall {
            slot: element.slot,
            input,
            what,
            last: u64::from(last),
            end,
            len,
        });
    }
}
