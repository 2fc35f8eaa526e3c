//! Input layouts: Direct3D's element descriptions, checked, resolved, and matched to a shader's inputs.
//!
//! The rules are those of input-assembler.md section 1 (FS 8.1.3, 4.4.6; `CreateInputLayout`). Must not know buffers,
//! strides or draws.

use crate::format::Format;
use fuseline_hlsl::hir::{Program, SignatureElement};
use fuseline_hlsl::types::Scalar;
use fuseline_numerics::op::Kind;
use std::fmt;
use thiserror::Error;

/// D3D11_IA_VERTEX_INPUT_STRUCTURE_ELEMENT_COUNT.
pub const MAX_ELEMENTS: usize = 32;

/// D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT.
pub const MAX_SLOTS: u32 = 32;

/// Where an element must end, bytes from the start of its structure: kernels reach every element with a signed 32-bit
/// offset. (Direct3D's structures have 2048 bytes.)
pub const MAX_ELEMENT_END: u32 = 1 << 30;

/// D3D11_APPEND_ALIGNED_ELEMENT: directly after the element before it in the same slot, aligned.
pub const APPEND_ALIGNED_ELEMENT: u32 = 0xFFFF_FFFF;

/// D3D11_INPUT_CLASSIFICATION.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InputClassification {
    /// D3D11_INPUT_PER_VERTEX_DATA.
    #[default]
    PerVertexData,
    /// D3D11_INPUT_PER_INSTANCE_DATA.
    PerInstanceData,
}

/// D3D11_INPUT_ELEMENT_DESC.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputElementDesc {
    /// Compared with the shader's without regard to case; without the index.
    pub semantic_name: String,
    /// Must equal the shader's.
    pub semantic_index: u32,
    /// How the bytes are decoded.
    pub format: Format,
    /// Vertex buffer slot, below [`MAX_SLOTS`].
    pub input_slot: u32,
    /// Bytes from the start of the vertex, or [`APPEND_ALIGNED_ELEMENT`].
    pub aligned_byte_offset: u32,
    /// Whether the element advances with vertices or instances.
    pub input_slot_class: InputClassification,
    /// Instances that share one element; 0: all. Must be 0 for per-vertex data.
    pub instance_data_step_rate: u32,
}

impl InputElementDesc {
    /// Per-vertex data of slot 0, appended.
    pub fn new(semantic_name: impl Into<String>, semantic_index: u32, format: Format) -> Self {
        InputElementDesc {
            semantic_name: semantic_name.into(),
            semantic_index,
            format,
            input_slot: 0,
            aligned_byte_offset: APPEND_ALIGNED_ELEMENT,
            input_slot_class: InputClassification::PerVertexData,
            instance_data_step_rate: 0,
        }
    }

    fn semantic(&self) -> Semantic {
        Semantic(self.semantic_name.clone(), self.semantic_index)
    }
}

/// A semantic name and its index, shown as `TEXCOORD3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semantic(pub String, pub u32);

impl Semantic {
    fn matches(&self, name: &str, index: u32) -> bool {
        self.1 == index && self.0.eq_ignore_ascii_case(name)
    }
}

impl fmt::Display for Semantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0, self.1)
    }
}

/// An element whose offset is resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputElement {
    /// As described.
    pub semantic: Semantic,
    /// How the bytes are decoded.
    pub format: Format,
    /// Vertex buffer slot.
    pub slot: u32,
    /// Bytes from the start of the vertex; a multiple of the format's alignment.
    pub offset: u32,
    /// Per-instance data: the step rate.
    pub step_rate: Option<u32>,
}

/// A layout that D3D would accept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputLayout {
    elements: Vec<InputElement>,
}

/// What is wrong with a layout, alone or with a shader. `element` counts descriptions from 0. The texts begin with the
/// name of D3D's debug message (CREATEINPUTLAYOUT_…).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// More than [`MAX_ELEMENTS`] elements.
    #[error(
        "TOOMANYELEMENTS: the layout has {count} elements, but an input layout holds at most {MAX_ELEMENTS}; leave out \
         those that no shader reads"
    )]
    TooManyElements {
        /// How many there are.
        count: usize,
    },
    /// An empty semantic name.
    #[error(
        "NULLSEMANTIC: element {element} has no semantic name; give it the shader input's, such as POSITION"
    )]
    NullSemantic {
        /// Which.
        element: usize,
    },
    /// A slot that does not exist.
    #[error(
        "INVALIDSLOT: element {element} ({semantic}) is in input slot {slot}, but slots go from 0 to {}; move it to \
         one of those", MAX_SLOTS - 1
    )]
    InvalidSlot {
        /// Which.
        element: usize,
        /// Its semantic.
        semantic: Semantic,
        /// The slot asked for.
        slot: u32,
    },
    /// Per-vertex data with a step rate.
    #[error(
        "STEPRATESLOTCLASSMISMATCH: element {element} ({semantic}) is per-vertex data with step rate {step_rate}; set \
         the step rate to 0, or the class to per-instance data"
    )]
    StepRateSlotClassMismatch {
        /// Which.
        element: usize,
        /// Its semantic.
        semantic: Semantic,
        /// The rate asked for.
        step_rate: u32,
    },
    /// One slot, both classes.
    #[error(
        "INVALIDSLOTCLASSCHANGE: element {element} ({semantic}) and element {other} read slot {slot}, one as per-vertex \
         data, one as per-instance data; move one of them to another slot"
    )]
    InvalidSlotClassChange {
        /// Which.
        element: usize,
        /// Its semantic.
        semantic: Semantic,
        /// The first element of the slot.
        other: usize,
        /// The slot.
        slot: u32,
    },
    /// One slot, two step rates.
    #[error(
        "INVALIDSTEPRATECHANGE: element {element} ({semantic}) has step rate {step_rate}, but element {other} of the \
         same slot {slot} has {other_rate}; use one step rate, or another slot"
    )]
    InvalidStepRateChange {
        /// Which.
        element: usize,
        /// Its semantic.
        semantic: Semantic,
        /// Its rate.
        step_rate: u32,
        /// The first element of the slot.
        other: usize,
        /// The rate of that.
        other_rate: u32,
        /// The slot.
        slot: u32,
    },
    /// An offset that the format does not allow.
    #[error(
        "INVALIDALIGNMENT: element {element} ({semantic}) is at byte {offset}, but {format} must be aligned to \
         {} bytes; use byte {} or {}", .format.alignment(), aligned_below(*.offset, *.format), aligned_above(*.offset, *.format)
    )]
    InvalidAlignment {
        /// Which.
        element: usize,
        /// Its semantic.
        semantic: Semantic,
        /// The offset asked for.
        offset: u32,
        /// Its format.
        format: Format,
    },
    /// An element that would end past [`MAX_ELEMENT_END`].
    #[error(
        "INVALIDALIGNMENT: element {element} ({semantic}) at byte {offset} would end past byte {MAX_ELEMENT_END}; use an \
         aligned offset inside the vertex"
    )]
    OffsetOverflow {
        /// Which.
        element: usize,
        /// Its semantic.
        semantic: Semantic,
        /// The offset asked for.
        offset: u32,
    },
    /// The same name (in any case) and index twice.
    #[error(
        "DUPLICATESEMANTIC: element {element} ({semantic}) has the semantic of element {other}; give one of them \
         another semantic index or name"
    )]
    DuplicateSemantic {
        /// Which.
        element: usize,
        /// Its semantic.
        semantic: Semantic,
        /// The earlier one.
        other: usize,
    },
    /// A shader input that no element feeds.
    #[error(
        "MISSINGELEMENT: the shader reads {semantic}, but the layout has no element with that semantic; {remedy}"
    )]
    MissingElement {
        /// The shader's input.
        semantic: Semantic,
        /// What to do.
        remedy: String,
        /// Where the shader declares it.
        span: fuseline_hlsl::span::Span,
    },
}

fn aligned_below(offset: u32, format: Format) -> u32 {
    offset - offset % format.alignment()
}

fn aligned_above(offset: u32, format: Format) -> u64 {
    u64::from(offset).next_multiple_of(u64::from(format.alignment()))
}

/// What is accepted, but perhaps not meant.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayoutWarning {
    /// A float format into an integer input, or the other way round.
    #[error(
        "TYPE_MISMATCH: the shader reads {semantic} as {scalar}, but element {element} has the format {format}; the bits \
         are not converted, so use {advice}"
    )]
    TypeMismatch {
        /// The shader's input.
        semantic: Semantic,
        /// Its component type.
        scalar: &'static str,
        /// The element that feeds it.
        element: usize,
        /// Its format.
        format: Format,
        /// What to do.
        advice: &'static str,
    },
}

/// Which element feeds which shader input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feed {
    /// Index into [`Program::inputs`].
    pub input: usize,
    /// Index into [`InputLayout::elements`].
    pub element: usize,
}

/// A layout matched to a shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// In the order of the shader's inputs; generated values are not among them.
    pub feeds: Vec<Feed>,
    /// What is accepted, but perhaps not meant.
    pub warnings: Vec<LayoutWarning>,
}

impl InputLayout {
    /// Checks the descriptions and resolves their offsets. Gives every error, in the order of the elements.
    pub fn new(descs: &[InputElementDesc]) -> Result<InputLayout, Vec<LayoutError>> {
        if descs.len() > MAX_ELEMENTS {
            return Err(vec![LayoutError::TooManyElements { count: descs.len() }]);
        }
        let mut errors = Vec::new();
        let mut elements = Vec::with_capacity(descs.len());
        // Where the next appended element of each slot goes (input-assembler.md 1.1).
        let mut cursors = [0; MAX_SLOTS as usize];
        for (number, desc) in descs.iter().enumerate() {
            check_semantic(number, desc, &descs[..number], &mut errors);
            let Some(cursor) = cursors.get_mut(desc.input_slot as usize) else {
                errors.push(LayoutError::InvalidSlot {
                    element: number,
                    semantic: desc.semantic(),
                    slot: desc.input_slot,
                });
                continue;
            };
            check_class(number, desc, &descs[..number], &mut errors);
            match resolve(number, desc, *cursor) {
                Ok(offset) => {
                    *cursor = offset + desc.format.bytes();
                    elements.push(element(desc, offset));
                }
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            Ok(InputLayout { elements })
        } else {
            Err(errors)
        }
    }

    /// The elements, in the order of their descriptions.
    pub fn elements(&self) -> &[InputElement] {
        &self.elements
    }

    /// Finds the element of each input of `program`, generated values apart; an error for each that has none.
    /// Elements that the shader does not read are ignored.
    pub fn matching(&self, program: &Program) -> Result<Matching, Vec<LayoutError>> {
        let mut matching = Matching::default();
        let mut errors = Vec::new();
        for (input, signature) in program.inputs.iter().enumerate() {
            if signature.is_generated() {
                continue;
            }
            let by_semantic =
                |e: &InputElement| e.semantic.matches(&signature.semantic, signature.index);
            let Some(element) = self.elements.iter().position(by_semantic) else {
                errors.push(self.missing(signature));
                continue;
            };
            matching
                .warnings
                .extend(self.type_mismatch(signature, element));
            matching.feeds.push(Feed { input, element });
        }
        if errors.is_empty() {
            Ok(matching)
        } else {
            Err(errors)
        }
    }

    fn missing(&self, input: &SignatureElement) -> LayoutError {
        let semantic = Semantic(input.semantic.clone(), input.index);
        let written = semantic.to_string();
        let named = |name: &str| {
            self.elements
                .iter()
                .find(|e| e.semantic.0.eq_ignore_ascii_case(name))
        };
        let remedy = if let Some(e) = named(&written) {
            format!(
                "write the semantic name '{}' without digits, and {} as its semantic index",
                e.semantic.0, input.index
            )
        } else if let Some(e) = named(&input.semantic) {
            format!(
                "it has {}: change that semantic index, or add an element",
                e.semantic
            )
        } else {
            "add one, or remove the input from the shader".to_owned()
        };
        LayoutError::MissingElement {
            semantic,
            remedy,
            span: input.span,
        }
    }

    fn type_mismatch(&self, input: &SignatureElement, element: usize) -> Option<LayoutWarning> {
        let format = self.elements.get(element)?.format;
        let is_float = format.numeric().kind() == Kind::F32;
        let (scalar, wants_float) = match input.scalar {
            Scalar::Float => ("float", true),
            Scalar::Int => ("int", false),
            Scalar::Uint => ("uint", false),
            Scalar::Bool => ("bool", false),
        };
        (is_float != wants_float).then(|| LayoutWarning::TypeMismatch {
            semantic: Semantic(input.semantic.clone(), input.index),
            scalar,
            element,
            format,
            advice: if wants_float {
                "a FLOAT, UNORM or SNORM format, or read it as int or uint"
            } else {
                "a UINT or SINT format, or read it as float"
            },
        })
    }
}

fn check_semantic(
    number: usize,
    desc: &InputElementDesc,
    earlier: &[InputElementDesc],
    errors: &mut Vec<LayoutError>,
) {
    if desc.semantic_name.is_empty() {
        errors.push(LayoutError::NullSemantic { element: number });
        return;
    }
    let semantic = desc.semantic();
    let same = |d: &InputElementDesc| semantic.matches(&d.semantic_name, d.semantic_index);
    if let Some(other) = earlier.iter().position(same) {
        errors.push(LayoutError::DuplicateSemantic {
            element: number,
            semantic,
            other,
        });
    }
}

fn check_class(
    number: usize,
    desc: &InputElementDesc,
    earlier: &[InputElementDesc],
    errors: &mut Vec<LayoutError>,
) {
    let (element, semantic, slot) = (number, desc.semantic(), desc.input_slot);
    let step_rate = desc.instance_data_step_rate;
    if desc.input_slot_class == InputClassification::PerVertexData && step_rate != 0 {
        errors.push(LayoutError::StepRateSlotClassMismatch {
            element,
            semantic,
            step_rate,
        });
        return;
    }
    let Some((other, first)) = earlier
        .iter()
        .enumerate()
        .find(|(_, d)| d.input_slot == slot)
    else {
        return;
    };
    if first.input_slot_class != desc.input_slot_class {
        errors.push(LayoutError::InvalidSlotClassChange {
            element,
            semantic,
            other,
            slot,
        });
    } else if first.instance_data_step_rate != step_rate {
        errors.push(LayoutError::InvalidStepRateChange {
            element,
            semantic,
            step_rate,
            other,
            other_rate: first.instance_data_step_rate,
            slot,
        });
    }
}

/// The offset of an element, where the next appended one of its slot would begin at `cursor`.
fn resolve(number: usize, desc: &InputElementDesc, cursor: u32) -> Result<u32, LayoutError> {
    let format = desc.format;
    let appended = desc.aligned_byte_offset == APPEND_ALIGNED_ELEMENT;
    let offset = if appended {
        aligned_above(cursor, format)
    } else {
        desc.aligned_byte_offset.into()
    };
    let semantic = || desc.semantic();
    match u32::try_from(offset) {
        Ok(offset) if offset.saturating_add(format.bytes()) <= MAX_ELEMENT_END => {
            if offset % format.alignment() == 0 {
                return Ok(offset);
            }
            Err(LayoutError::InvalidAlignment {
                element: number,
                semantic: semantic(),
                offset,
                format,
            })
        }
        _ => Err(LayoutError::OffsetOverflow {
            element: number,
            semantic: semantic(),
            offset: if appended {
                cursor
            } else {
                desc.aligned_byte_offset
            },
        }),
    }
}

fn element(desc: &InputElementDesc, offset: u32) -> InputElement {
    let is_instance = desc.input_slot_class == InputClassification::PerInstanceData;
    InputElement {
        semantic: desc.semantic(),
        format: desc.format,
        slot: desc.input_slot,
        offset,
        step_rate: is_instance.then_some(desc.instance_data_step_rate),
    }
}

#[cfg(test)]
mod tests;
