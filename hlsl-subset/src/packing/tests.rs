//! The worked examples of hlsl-vs-semantics.md section 6, by their numbers there.

use super::*;
use crate::types::{Field, StructType};
use std::sync::Arc;

const FLOAT: Type = Type::Scalar(Scalar::Float);
const INT: Type = Type::Scalar(Scalar::Int);

fn float(n: u8) -> Type {
    Type::Vector(Scalar::Float, n)
}

fn int(n: u8) -> Type {
    Type::Vector(Scalar::Int, n)
}

fn matrix(rows: u8, columns: u8) -> Type {
    Type::Matrix(Scalar::Float, rows, columns)
}

fn array(ty: Type, len: u32) -> Type {
    Type::Array(Arc::new(ty), len)
}

fn structure(fields: &[(Type, Option<bool>)]) -> Type {
    let fields = fields
        .iter()
        .map(|(ty, row_major)| Field {
            name: "m".to_owned(),
            ty: ty.clone(),
            row_major: *row_major,
            semantic: None,
            interpolation: Vec::new(),
            span: Span::default(),
        })
        .collect();
    Type::Struct(Arc::new(StructType {
        name: "S".to_owned(),
        id: 0,
        fields,
    }))
}

fn plain(types: &[Type]) -> Type {
    structure(&types.iter().map(|t| (t.clone(), None)).collect::<Vec<_>>())
}

fn declared(ty: &Type, row_major: Option<bool>, at: Option<u32>) -> Declared<'_> {
    Declared {
        name: "m",
        ty,
        row_major,
        at,
        span: Span::default(),
    }
}

/// Offsets of the members and size of the buffer.
fn constant(types: &[(Type, Option<bool>)]) -> (Vec<u32>, u32) {
    let list: Vec<_> = types
        .iter()
        .map(|(ty, row_major)| declared(ty, *row_major, None))
        .collect();
    let packed = pack(&list, false, false).expect("these fit");
    (
        packed.members.iter().map(|m| m.offset).collect(),
        packed.size(),
    )
}

fn constants(types: &[Type]) -> (Vec<u32>, u32) {
    constant(&types.iter().map(|t| (t.clone(), None)).collect::<Vec<_>>())
}

fn offsets(ty: &Type, rules: Rules) -> Vec<u32> {
    match layout(ty, None, false, rules) {
        Some(Layout::Struct(members)) => members.iter().map(|m| m.offset).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn examples_1_to_5_vectors_share_registers_but_do_not_straddle_them() {
    assert_eq!(
        constants(&[float(4), float(2), float(2)]),
        (vec![0, 16, 24], 32)
    );
    assert_eq!(
        constants(&[float(2), float(4), float(2)]),
        (vec![0, 16, 32], 48)
    );
    assert_eq!(constants(&[FLOAT, float(2), FLOAT]), (vec![0, 4, 12], 16));
    assert_eq!(constants(&[FLOAT, FLOAT, float(3)]), (vec![0, 4, 16], 32));
    assert_eq!(constants(&[FLOAT, float(3)]), (vec![0, 4], 16));
}

#[test]
fn examples_6_and_7_nothing_is_padded_at_its_end() {
    assert_eq!(constants(&[array(FLOAT, 2), FLOAT]), (vec![0, 20], 32));
    assert_eq!(
        constants(&[plain(&[float(4), FLOAT]), FLOAT]),
        (vec![0, 20], 32)
    );
}

#[test]
fn examples_8_to_10_matrices_take_a_register_per_line() {
    assert_eq!(constants(&[matrix(3, 3), FLOAT]), (vec![0, 44], 48));
    assert_eq!(constants(&[matrix(4, 3)]), (vec![0], 48));
    assert_eq!(
        constant(&[(matrix(4, 3), Some(true)), (FLOAT, None)]),
        (vec![0, 60], 64)
    );
    assert_eq!(constants(&[matrix(2, 2), float(2)]), (vec![0, 24], 32));
}

#[test]
fn example_11_constant_and_structured_layout_of_one_struct() {
    let t = structure(&[
        (FLOAT, None),
        (float(3), None),
        (plain(&[float(3)]), None),
        (matrix(2, 3), None),
        (matrix(2, 3), Some(true)),
        (array(INT, 3), None),
        (array(float(2), 2), None),
    ]);
    assert_eq!(offsets(&t, Rules::Constant), [0, 4, 16, 32, 80, 112, 160]);
    assert_eq!(offsets(&t, Rules::Structured), [0, 4, 16, 28, 52, 76, 88]);
}

fn s1() -> Type {
    let s0 = plain(&[int(2), FLOAT]);
    plain(&[
        INT,
        s0,
        int(2),
        float(3),
        int(2),
        matrix(2, 1),
        INT,
        matrix(1, 2),
    ])
}

#[test]
fn example_12_nested_structs() {
    assert_eq!(
        offsets(&s1(), Rules::Constant),
        [0, 16, 32, 48, 64, 72, 80, 96]
    );
    assert_eq!(
        offsets(&s1(), Rules::Structured),
        [0, 4, 16, 24, 36, 44, 52, 56]
    );
}

#[test]
fn example_13_members_after_structs() {
    let s2 = plain(&[INT]);
    let types = [
        s1(),
        s2.clone(),
        s2,
        float(3),
        INT,
        matrix(2, 1),
        matrix(1, 2),
    ];
    assert_eq!(constants(&types).0, [0, 128, 144, 148, 160, 164, 176]);
}

#[test]
fn example_14_a_buffer_ends_at_65536_bytes() {
    let fits = array(FLOAT, 4096);
    assert_eq!(
        pack(&[declared(&fits, None, None)], false, false).map(|p| p.end),
        Ok(65524)
    );
    let over = array(FLOAT, 4097);
    assert_eq!(
        pack(&[declared(&over, None, None)], false, false),
        Err(PackingError::TooLarge {
            span: Span::default(),
            end: 65540,
            limit: 65536
        })
    );
    let huge = array(array(float(4), u32::MAX), u32::MAX);
    assert_eq!(
        pack(&[declared(&huge, None, None)], false, false),
        Err(PackingError::TooLarge {
            span: Span::default(),
            end: u32::MAX,
            limit: 65536
        })
    );
}

#[test]
fn example_15_array_elements_begin_registers() {
    let a = layout(&array(FLOAT, 4), None, false, Rules::Constant).map(|l| l.component_offsets());
    assert_eq!(a, Some(vec![0, 16, 32, 48]));
}

#[test]
fn a_vector_like_matrix_of_one_line_packs_as_a_vector() {
    assert_eq!(constants(&[FLOAT, matrix(2, 1)]), (vec![0, 4], 16));
    assert_eq!(constants(&[FLOAT, matrix(1, 2)]), (vec![0, 16], 48));
    assert_eq!(
        constant(&[(FLOAT, None), (matrix(1, 2), Some(true))]),
        (vec![0, 4], 16)
    );
}

#[test]
fn components_of_a_matrix_come_row_by_row_whatever_its_storage() {
    let of = |row_major| {
        layout(&matrix(2, 3), Some(row_major), false, Rules::Constant)
            .map(|l| l.component_offsets())
    };
    assert_eq!(of(false), Some(vec![0, 16, 32, 4, 20, 36]));
    assert_eq!(of(true), Some(vec![0, 4, 8, 16, 20, 24]));
}

#[test]
fn components_of_structs_and_arrays_come_in_order() {
    let t = array(plain(&[FLOAT, float(2)]), 2);
    let offsets = layout(&t, None, false, Rules::Constant).map(|l| l.component_offsets());
    assert_eq!(offsets, Some(vec![0, 4, 8, 16, 20, 24]));
}

#[test]
fn the_default_majorness_holds_where_nothing_is_written() {
    let t = structure(&[(matrix(2, 3), None), (matrix(2, 3), Some(false))]);
    match layout(&t, None, true, Rules::Constant) {
        Some(Layout::Struct(m)) => assert_eq!((m[0].layout.size(), m[1].layout.size()), (28, 40)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn packoffset_places_a_member_where_it_may_lie() {
    let (scalar, vector) = (FLOAT, float(4));
    let packed = pack(
        &[
            declared(&vector, None, Some(32)),
            declared(&scalar, None, None),
        ],
        false,
        false,
    );
    let packed = packed.expect("aligned");
    assert_eq!(
        packed.members.iter().map(|m| m.offset).collect::<Vec<_>>(),
        [32, 48]
    );
    assert_eq!(packed.mixed, Some(Span::default()));
    assert_eq!(
        pack(&[declared(&vector, None, Some(4))], false, false),
        Err(PackingError::Misaligned {
            span: Span::default(),
            at: 4,
            next: 16
        })
    );
}

#[test]
fn members_of_globals_without_a_register_follow_those_with_one() {
    let vector = float(4);
    let list = [
        declared(&vector, None, None),
        declared(&vector, None, Some(32)),
    ];
    let at = |fixed_first| {
        let packed = pack(&list, false, fixed_first).expect("aligned");
        packed.members.iter().map(|m| m.offset).collect::<Vec<_>>()
    };
    assert_eq!(at(true), [48, 32]);
    assert_eq!(at(false), [0, 32]);
}

#[test]
fn objects_take_no_space() {
    let texture = Type::Object(Arc::new(crate::types::ObjectType {
        class: "Texture2D".to_owned(),
        element: None,
    }));
    assert_eq!(
        constants(&[FLOAT, texture.clone(), FLOAT]),
        (vec![0, 4], 16)
    );
    assert_eq!(
        layout(&array(texture, 4), None, false, Rules::Constant),
        None
    );
}

#[test]
fn errors_say_the_place_and_the_next_one_that_would_do() {
    let misaligned = PackingError::Misaligned {
        span: Span::default(),
        at: 24,
        next: 32,
    }
    .diagnostic();
    assert_eq!(misaligned.message, "the member may not lie at c1.z");
    assert_eq!(
        misaligned.hint.as_deref(),
        Some("the next place for it is c2")
    );
    let large = PackingError::TooLarge {
        span: Span::default(),
        end: 65540,
        limit: 65536,
    }
    .diagnostic();
    assert_eq!(
        large.message,
        "the constant buffer ends at byte 65540, past its limit of 65536"
    );
}
