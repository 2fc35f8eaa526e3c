//! The rules of input layouts, and the exact texts of their errors.

use super::*;
use fuseline_hlsl::hir::Program;
use fuseline_hlsl::semantics::SystemValue;

fn format(name: &str) -> Format {
    Format::from_name(name).expect("a format of the table")
}

/// Per-vertex data: semantic, format, slot, offset.
fn vertex(name: &str, format_name: &str, slot: u32, offset: u32) -> InputElementDesc {
    InputElementDesc {
        input_slot: slot,
        aligned_byte_offset: offset,
        ..InputElementDesc::new(name, 0, format(format_name))
    }
}

fn instance(name: &str, slot: u32, step_rate: u32) -> InputElementDesc {
    InputElementDesc {
        input_slot_class: InputClassification::PerInstanceData,
        instance_data_step_rate: step_rate,
        ..vertex(name, "R32_FLOAT", slot, APPEND)
    }
}

const APPEND: u32 = APPEND_ALIGNED_ELEMENT;

fn offsets(descs: &[InputElementDesc]) -> Vec<u32> {
    let layout = InputLayout::new(descs).expect("a good layout");
    layout.elements().iter().map(|e| e.offset).collect()
}

fn errors(descs: &[InputElementDesc]) -> Vec<String> {
    let errors = InputLayout::new(descs).expect_err("a bad layout");
    errors.iter().map(LayoutError::to_string).collect()
}

#[test]
fn appended_elements_follow_the_last_of_their_slot() {
    let v = vertex;
    assert_eq!(
        offsets(&[
            v("POSITION", "R32G32B32_FLOAT", 0, APPEND),
            v("NORMAL", "R8G8B8A8_SNORM", 0, APPEND),
            v("UV", "R16G16_FLOAT", 0, APPEND)
        ]),
        [0, 12, 16]
    );
    assert_eq!(
        offsets(&[
            v("A", "R8_UNORM", 0, APPEND),
            v("B", "R16_UINT", 0, APPEND),
            v("C", "R8G8_UNORM", 0, APPEND),
            v("D", "R32_FLOAT", 0, APPEND)
        ]),
        [0, 2, 4, 8]
    );
    assert_eq!(
        offsets(&[
            v("C2", "R32G32_FLOAT", 1, APPEND),
            v("C3", "R32G32_FLOAT", 5, APPEND),
            v("P", "R32G32B32A32_FLOAT", 0, APPEND),
            v("C0", "R32G32_FLOAT", 5, APPEND),
            v("C1", "R32G32_FLOAT", 1, APPEND),
        ]),
        [0, 0, 0, 8, 8]
    );
}

#[test]
fn explicit_offsets_move_the_place_of_appended_elements_also_backwards() {
    let v = vertex;
    assert_eq!(
        offsets(&[
            v("A", "R32G32B32A32_FLOAT", 0, 32),
            v("B", "R32_FLOAT", 0, APPEND)
        ]),
        [32, 48]
    );
    assert_eq!(
        offsets(&[
            v("A", "R32_FLOAT", 0, 16),
            v("B", "R32_FLOAT", 0, 0),
            v("C", "R32_FLOAT", 0, APPEND)
        ]),
        [16, 0, 4]
    );
}

#[test]
fn offsets_are_aligned_to_the_size_up_to_four() {
    assert_eq!(
        offsets(&[vertex("A", "R16_UINT", 0, 2), vertex("B", "R8_UINT", 0, 1)]),
        [2, 1]
    );
    assert_eq!(
        errors(&[vertex("A", "R32G32_FLOAT", 0, 2)]),
        [
            "INVALIDALIGNMENT: element 0 (A0) is at byte 2, but R32G32_FLOAT must be aligned to 4 bytes; use byte 0 or 4"
        ]
    );
    assert_eq!(
        errors(&[vertex("A", "R8G8_UNORM", 0, 3)]),
        [
            "INVALIDALIGNMENT: element 0 (A0) is at byte 3, but R8G8_UNORM must be aligned to 2 bytes; use byte 2 or 4"
        ]
    );
    assert_eq!(
        errors(&[vertex("A", "R16G16_FLOAT", 0, 2)]),
        [
            "INVALIDALIGNMENT: element 0 (A0) is at byte 2, but R16G16_FLOAT must be aligned to 4 bytes; use byte 0 or 4"
        ]
    );
}

#[test]
fn an_element_must_end_where_kernels_reach_it() {
    assert_eq!(
        errors(&[vertex("A", "R32G32B32A32_FLOAT", 0, 0xFFFF_FFF4)]),
        [
            "INVALIDALIGNMENT: element 0 (A0) at byte 4294967284 would end past byte 1073741824; use an aligned offset inside the vertex"
        ]
    );
    assert_eq!(
        errors(&[
            vertex("A", "R32_FLOAT", 0, 0x3FFF_FFFC),
            vertex("B", "R32G32_FLOAT", 0, APPEND)
        ]),
        [
            "INVALIDALIGNMENT: element 1 (B0) at byte 1073741824 would end past byte 1073741824; use an aligned offset inside the vertex"
        ]
    );
}

#[test]
fn a_semantic_stands_once_in_whatever_case() {
    let again = InputElementDesc::new("position", 0, format("R32_FLOAT"));
    assert_eq!(
        errors(&[vertex("POSITION", "R32_FLOAT", 0, APPEND), again.clone()]),
        [
            "DUPLICATESEMANTIC: element 1 (position0) has the semantic of element 0; give one of them another semantic index or name"
        ]
    );
    let other_index = InputElementDesc {
        semantic_index: 1,
        ..again
    };
    assert_eq!(
        offsets(&[vertex("POSITION", "R32_FLOAT", 0, APPEND), other_index]),
        [0, 4]
    );
}

#[test]
fn a_semantic_has_a_name() {
    assert_eq!(
        errors(&[vertex("", "R32_FLOAT", 0, APPEND)]),
        [
            "NULLSEMANTIC: element 0 has no semantic name; give it the shader input's, such as POSITION"
        ]
    );
}

#[test]
fn slots_go_up_to_31() {
    assert_eq!(offsets(&[vertex("A", "R32_FLOAT", 31, APPEND)]), [0]);
    assert_eq!(
        errors(&[vertex("A", "R32_FLOAT", 32, APPEND)]),
        [
            "INVALIDSLOT: element 0 (A0) is in input slot 32, but slots go from 0 to 31; move it to one of those"
        ]
    );
}

#[test]
fn at_most_32_elements() {
    let many = |n| {
        (0..n)
            .map(|i| InputElementDesc::new("A", i, format("R32_FLOAT")))
            .collect::<Vec<_>>()
    };
    assert_eq!(offsets(&many(32)).len(), 32);
    assert_eq!(
        errors(&many(33)),
        [
            "TOOMANYELEMENTS: the layout has 33 elements, but an input layout holds at most 32; leave out those that no shader reads"
        ]
    );
}

#[test]
fn vertex_data_have_no_step_rate() {
    let desc = InputElementDesc {
        instance_data_step_rate: 2,
        ..vertex("A", "R32_FLOAT", 0, APPEND)
    };
    assert_eq!(
        errors(&[desc]),
        [
            "STEPRATESLOTCLASSMISMATCH: element 0 (A0) is per-vertex data with step rate 2; set the step rate to 0, or the class to per-instance data"
        ]
    );
}

#[test]
fn a_slot_has_one_class_and_one_step_rate() {
    let layout = InputLayout::new(&[instance("A", 1, 0), instance("B", 2, 3)]).expect("two slots");
    assert_eq!(
        layout
            .elements()
            .iter()
            .map(|e| e.step_rate)
            .collect::<Vec<_>>(),
        [Some(0), Some(3)]
    );
    assert_eq!(
        errors(&[vertex("A", "R32_FLOAT", 0, APPEND), instance("B", 0, 1)]),
        [
            "INVALIDSLOTCLASSCHANGE: element 1 (B0) and element 0 read slot 0, one as per-vertex data, one as per-instance data; move one of them to another slot"
        ]
    );
    assert_eq!(
        errors(&[instance("A", 4, 1), instance("B", 4, 2)]),
        [
            "INVALIDSTEPRATECHANGE: element 1 (B0) has step rate 2, but element 0 of the same slot 4 has 1; use one step rate, or another slot"
        ]
    );
}

#[test]
fn every_error_is_told() {
    let told = errors(&[
        vertex("A", "R32_FLOAT", 32, APPEND),
        vertex("A", "R32_FLOAT", 0, 1),
    ]);
    let names: Vec<&str> = told.iter().filter_map(|t| t.split(':').next()).collect();
    assert_eq!(
        names,
        ["INVALIDSLOT", "DUPLICATESEMANTIC", "INVALIDALIGNMENT"]
    );
}

/// A program that has inputs and nothing else.
fn program(inputs: &[(&str, u32, Scalar, Option<SystemValue>)]) -> Program {
    let input =
        |&(semantic, index, scalar, system_value): &(&str, u32, Scalar, Option<SystemValue>)| {
            SignatureElement {
                semantic: semantic.to_owned(),
                index,
                system_value,
                scalar,
                components: 4,
                first_component: 0,
                register: Some(0),
                interpolation: Vec::new(),
                span: Default::default(),
            }
        };
    Program {
        entry_name: "main".to_owned(),
        profile: "vs_5_0".parse().expect("a profile"),
        inputs: inputs.iter().map(input).collect(),
        outputs: Vec::new(),
        constant_buffers: Vec::new(),
        fused: true,
        vars: Vec::new(),
        statics: Vec::new(),
        functions: Vec::new(),
        entry_inputs: Vec::new(),
        entry_outputs: Vec::new(),
        entry_return: None,
    }
}

fn matched(descs: &[InputElementDesc], program: &Program) -> Result<Matching, Vec<String>> {
    let layout = InputLayout::new(descs).expect("a good layout");
    layout
        .matching(program)
        .map_err(|errors| errors.iter().map(LayoutError::to_string).collect())
}

#[test]
fn inputs_are_matched_by_name_in_any_case_and_index() {
    let program = program(&[
        ("TexCoord", 1, Scalar::Float, None),
        ("POSITION", 0, Scalar::Float, None),
    ]);
    let texcoord = InputElementDesc {
        semantic_index: 1,
        ..vertex("TEXCOORD", "R32_FLOAT", 0, APPEND)
    };
    let got = matched(
        &[
            vertex("position", "R32_FLOAT", 0, APPEND),
            vertex("UNUSED", "R32_FLOAT", 0, APPEND),
            texcoord,
        ],
        &program,
    );
    let feeds = vec![
        Feed {
            input: 0,
            element: 2,
        },
        Feed {
            input: 1,
            element: 0,
        },
    ];
    assert_eq!(
        got,
        Ok(Matching {
            feeds,
            warnings: Vec::new()
        })
    );
}

#[test]
fn generated_values_need_no_element_but_other_names_with_sv_do() {
    let id = ("SV_VertexID", 0, Scalar::Uint, Some(SystemValue::VertexId));
    assert_eq!(matched(&[], &program(&[id])), Ok(Matching::default()));
    assert_eq!(
        matched(&[], &program(&[id, ("SV_Position", 0, Scalar::Float, None)])),
        Err(vec![
            "MISSINGELEMENT: the shader reads SV_Position0, but the layout has no element with that semantic; add one, \
             or remove the input from the shader"
                .to_owned()
        ])
    );
}

#[test]
fn a_missing_element_names_what_is_near() {
    let program = program(&[("TEXCOORD", 1, Scalar::Float, None)]);
    assert_eq!(
        matched(&[vertex("TEXCOORD1", "R32_FLOAT", 0, APPEND)], &program),
        Err(vec![
            "MISSINGELEMENT: the shader reads TEXCOORD1, but the layout has no element with that semantic; write the \
             semantic name 'TEXCOORD1' without digits, and 1 as its semantic index"
                .to_owned()
        ])
    );
    assert_eq!(
        matched(&[vertex("TEXCOORD", "R32_FLOAT", 0, APPEND)], &program),
        Err(vec![
            "MISSINGELEMENT: the shader reads TEXCOORD1, but the layout has no element with that semantic; it has \
             TEXCOORD0: change that semantic index, or add an element"
                .to_owned()
        ])
    );
}

#[test]
fn a_class_that_differs_from_the_shader_is_a_warning() {
    let program = program(&[
        ("BONES", 0, Scalar::Float, None),
        ("ID", 0, Scalar::Uint, None),
    ]);
    let got = matched(
        &[
            vertex("BONES", "R8G8B8A8_UINT", 0, APPEND),
            vertex("ID", "R32_FLOAT", 0, APPEND),
        ],
        &program,
    );
    let warnings: Vec<String> = got
        .expect("accepted")
        .warnings
        .iter()
        .map(LayoutWarning::to_string)
        .collect();
    assert_eq!(
        warnings,
        [
            "TYPE_MISMATCH: the shader reads BONES0 as float, but element 0 has the format R8G8B8A8_UINT; the bits are \
             not converted, so use a FLOAT, UNORM or SNORM format, or read it as int or uint",
            "TYPE_MISMATCH: the shader reads ID0 as uint, but element 1 has the format R32_FLOAT; the bits are not \
             converted, so use a UINT or SINT format, or read it as float",
        ]
    );
}
