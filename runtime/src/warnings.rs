//! What the Direct3D debug layer would warn about: draws with a defined result that is perhaps not meant.
//!
//! Nothing here changes results, and no draw runs it: call [`Pipeline::check`] while developing.

use crate::buffer::VertexBufferView;
use crate::error::DrawError;
use crate::pipeline::{BoundElement, Pipeline};
use crate::plan::arguments::Arguments;
use crate::state::{DrawCall, DrawState, Register};

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
        "slot {slot}: offset {offset} and stride {stride} do not keep {input} aligned to {alignment} bytes (FS 4.4.6: undefined); the bytes are read as they are"
    )]
    VertexBufferMisaligned {
        /// The slot.
        slot: u32,
        /// The binding's offset.
        offset: u32,
        /// Its stride.
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
        /// The last one that the draw fetches.
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
    IndexBufferMisaligned {
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

impl Pipeline {
    /// Warnings for a draw, by rule and in the order: vertex buffers, index buffer, constants, views.
    ///
    /// # Errors
    /// When the arguments of an indirect draw cannot be read.
    pub fn check(&self, state: &DrawState, call: &DrawCall) -> Result<Vec<DrawWarning>, DrawError> {
        let arguments = Arguments::of(call)?;
        let mut warnings = Vec::new();
        for element in self.elements() {
            self.check_element(element, state, &arguments, &mut warnings);
        }
        if arguments.indexed {
            check_indices(state, &arguments, &mut warnings);
        }
        self.check_constants(state, &mut warnings);
        if self.enabled_views(state.view_mask).is_empty() {
            warnings.push(DrawWarning::NoViewEnabled {
                mask: state.view_mask,
                views: self.view_locations().len(),
            });
        }
        Ok(warnings)
    }

    fn check_element(
        &self,
        element: &BoundElement,
        state: &DrawState,
        arguments: &Arguments,
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
        if view.offset % alignment != 0 || view.stride % alignment != 0 {
            warnings.push(DrawWarning::VertexBufferMisaligned {
                slot,
                offset: view.offset,
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
        if let Some((what, last)) = last_fetched(element, arguments) {
            check_size(view, element, (what, last), input, warnings);
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

/// The last vertex or instance element that a draw fetches, where the arguments alone tell.
fn last_fetched(element: &BoundElement, arguments: &Arguments) -> Option<(&'static str, u64)> {
    match element.step_rate {
        Some(rate) => {
            let steps = arguments
                .instances
                .checked_sub(1)?
                .checked_div(rate)
                .unwrap_or(0);
            Some((
                "instance",
                u64::from(arguments.start_instance) + u64::from(steps),
            ))
        }
        None if arguments.indexed => None,
        None => {
            let last = u64::from(arguments.count.checked_sub(1)?);
            Some(("vertex", u64::from(arguments.start) + last))
        }
    }
}

fn check_size(
    view: &VertexBufferView,
    element: &BoundElement,
    (what, last): (&'static str, u64),
    input: String,
    warnings: &mut Vec<DrawWarning>,
) {
    let end = u64::from(view.offset)
        + u64::from(view.stride) * last
        + u64::from(element.offset)
        + u64::from(element.format.bytes());
    if end > view.buffer.len() as u64 {
        warnings.push(DrawWarning::VertexBufferTooSmall {
            slot: element.slot,
            input,
            what,
            last,
            end,
            len: view.buffer.len(),
        });
    }
}

fn check_indices(state: &DrawState, arguments: &Arguments, warnings: &mut Vec<DrawWarning>) {
    let Some(view) = &state.index_buffer else {
        warnings.push(DrawWarning::IndexBufferNotSet);
        return;
    };
    let size = view.format.bytes();
    if view.offset % size != 0 {
        warnings.push(DrawWarning::IndexBufferMisaligned {
            offset: view.offset,
            size,
        });
    }
    let last = u64::from(arguments.start) + u64::from(arguments.count);
    let end = u64::from(view.offset) + u64::from(size) * last;
    if arguments.count > 0 && end > view.buffer.len() as u64 {
        warnings.push(DrawWarning::IndexBufferTooSmall {
            end,
            len: view.buffer.len(),
        });
    }
}
