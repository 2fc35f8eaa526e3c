//! The examples of hlsl-vs-semantics.md section 7 and system-values.md, and what a wrong signature is told.

use super::*;
use crate::types::{Field, StructType};
use std::sync::Arc;

const FLOAT: Type = Type::Scalar(Scalar::Float);
const UINT: Type = Type::Scalar(Scalar::Uint);

fn float(n: u8) -> Type {
    Type::Vector(Scalar::Float, n)
}

fn array(ty: Type, len: u32) -> Type {
    Type::Array(Arc::new(ty), len)
}

fn at(lo: u32) -> Span {
    Span {
        lo,
        hi: lo + 1,
        expansion: 0,
    }
}

fn structure(fields: &[(&str, Type, Option<&str>)]) -> Type {
    let fields = fields
        .iter()
        .enumerate()
        .map(|(i, (name, ty, semantic))| Field {
            name: (*name).to_owned(),
            ty: ty.clone(),
            row_major: None,
            semantic: semantic.map(str::to_owned),
            interpolation: Vec::new(),
            span: at(1000 + i as u32),
        })
        .collect();
    Type::Struct(Arc::new(StructType {
        name: "S".to_owned(),
        id: 0,
        fields,
    }))
}

struct Decl(Type, Option<&'static str>, Option<bool>);

fn plain(ty: Type, semantic: &'static str) -> Decl {
    Decl(ty, Some(semantic), None)
}

fn build(point: Point, profile: &str, declarations: &[Decl]) -> (Signature, Vec<Diagnostic>) {
    let mut diagnostics = Diagnostics::new();
    let mut builder = Builder::new(profile.parse().expect("a profile"), false, &mut diagnostics);
    for (i, Decl(ty, semantic, row_major)) in declarations.iter().enumerate() {
        let span = at(i as u32);
        let value = ValueDecl {
            ty: ty.clone(),
            semantic: semantic.map(|s| (s.to_owned(), span)),
            row_major: *row_major,
            interpolation: Vec::new(),
            span,
        };
        builder.add(point, &value, "x", VarId(i as u32));
    }
    let signature = builder.finish();
    (signature, diagnostics.iter().cloned().collect())
}

/// `NAMEi@register.first` of each element.
fn names(point: Point, profile: &str, declarations: &[Decl]) -> Vec<String> {
    let (signature, diagnostics) = build(point, profile, declarations);
    assert_eq!(diagnostics, []);
    signature
        .elements
        .iter()
        .map(|e| match e.register {
            Some(register) => format!("{}{}@{register}.{}", e.semantic, e.index, e.first_component),
            None => format!("{}{}", e.semantic, e.index),
        })
        .collect()
}

fn errors(point: Point, profile: &str, declarations: &[Decl]) -> Vec<String> {
    build(point, profile, declarations)
        .1
        .into_iter()
        .map(|d| d.message)
        .collect()
}

#[test]
fn a_semantic_on_an_array_of_structs_counts_through_all_of_it() {
    let foo = structure(&[("a", FLOAT, None), ("b", array(FLOAT, 2), None)]);
    let found = names(
        Point::VertexIn,
        "vs_5_0",
        &[
            plain(UINT, "SV_VertexID"),
            plain(float(4), "POSITION"),
            plain(array(foo, 3), "SemIn1"),
            plain(FLOAT, "SemIn10"),
        ],
    );
    assert_eq!(
        found,
        [
            "SV_VertexID0@0.0",
            "POSITION0@1.0",
            "SemIn1@2.0",
            "SemIn2@3.0",
            "SemIn3@4.0",
            "SemIn4@5.0",
            "SemIn5@6.0",
            "SemIn6@7.0",
            "SemIn7@8.0",
            "SemIn8@9.0",
            "SemIn9@10.0",
            "SemIn10@11.0"
        ]
    );
}

#[test]
fn a_matrix_takes_a_register_per_column_or_per_row() {
    let matrix = Type::Matrix(Scalar::Int, 2, 2);
    let slots = |row_major| {
        let (signature, _) = build(
            Point::VertexIn,
            "vs_5_0",
            &[Decl(matrix.clone(), Some("M"), Some(row_major))],
        );
        signature
            .bindings
            .iter()
            .map(|b| (b.element, b.component, b.slot))
            .collect::<Vec<_>>()
    };
    assert_eq!(slots(false), [(0, 0, 0), (0, 1, 2), (1, 0, 1), (1, 1, 3)]);
    assert_eq!(slots(true), [(0, 0, 0), (0, 1, 1), (1, 0, 2), (1, 1, 3)]);
}

#[test]
fn a_semantic_on_a_struct_overrides_those_of_its_members() {
    let inner = structure(&[("a", FLOAT, Some("A")), ("b", FLOAT, Some("B"))]);
    let own = [Decl(inner.clone(), None, None)];
    assert_eq!(names(Point::VertexIn, "vs_5_0", &own), ["A0@0.0", "B0@1.0"]);
    assert_eq!(
        names(Point::VertexIn, "vs_5_0", &[plain(inner, "C4")]),
        ["C4@0.0", "C5@1.0"]
    );
}

#[test]
fn outputs_that_are_interpolated_alike_share_registers() {
    let found = names(
        Point::VertexOut,
        "vs_5_0",
        &[
            plain(float(4), "SV_Position"),
            plain(float(2), "A"),
            plain(UINT, "ID"),
            plain(float(2), "B"),
            plain(float(3), "C"),
            plain(FLOAT, "SV_ClipDistance0"),
            plain(FLOAT, "D"),
        ],
    );
    assert_eq!(
        found,
        [
            "SV_Position0@0.0",
            "A0@1.0",
            "ID0@2.0",
            "B0@1.2",
            "C0@3.0",
            "SV_ClipDistance0@4.0",
            "D0@3.3"
        ]
    );
}

#[test]
fn an_array_or_matrix_of_outputs_is_a_block() {
    let found = names(
        Point::VertexOut,
        "vs_5_0",
        &[
            plain(FLOAT, "A"),
            plain(array(float(2), 2), "B"),
            plain(float(2), "C"),
            Decl(Type::Matrix(Scalar::Float, 3, 2), Some("M"), Some(false)),
            plain(array(FLOAT, 3), "D"),
        ],
    );
    assert_eq!(
        found,
        [
            "A0@0.0", "B0@0.1", "B1@1.1", "C0@2.0", "M0@3.0", "M1@4.0", "D0@0.3", "D1@1.3",
            "D2@2.3"
        ]
    );
}

#[test]
fn system_values_stand_right_of_the_others() {
    let found = names(
        Point::VertexOut,
        "vs_5_0",
        &[
            plain(UINT, "A"),
            plain(UINT, "SV_RenderTargetArrayIndex"),
            plain(UINT, "B"),
        ],
    );
    assert_eq!(
        found,
        ["A0@0.0", "SV_RenderTargetArrayIndex0@0.1", "B0@1.0"]
    );
}

#[test]
fn generated_values_outside_of_the_signature_take_no_register() {
    let found = names(
        Point::VertexIn,
        "vs_6_8",
        &[plain(UINT, "SV_ViewID"), plain(FLOAT, "A")],
    );
    assert_eq!(found, ["SV_ViewID0", "A0@0.0"]);
}

#[test]
fn what_has_no_semantic_is_refused_by_name() {
    let members = structure(&[("a", FLOAT, Some("A")), ("b", FLOAT, None)]);
    assert_eq!(
        errors(Point::VertexIn, "vs_5_0", &[Decl(float(4), None, None)]),
        ["input `x` has no semantic"]
    );
    assert_eq!(
        errors(
            Point::VertexOut,
            "vs_5_0",
            &[Decl(array(members, 1000), None, None)]
        ),
        ["output `b` has no semantic"]
    );
}

#[test]
fn the_same_name_and_index_twice_is_an_error_whatever_the_case() {
    assert_eq!(
        errors(
            Point::VertexIn,
            "vs_5_0",
            &[plain(FLOAT, "TexCoord"), plain(FLOAT, "TEXCOORD0")]
        ),
        ["semantic `TEXCOORD0` stands twice in this signature"]
    );
    assert_eq!(
        errors(
            Point::VertexIn,
            "vs_5_0",
            &[plain(array(FLOAT, 3), "A"), plain(FLOAT, "A2")]
        ),
        ["semantic `A2` stands twice in this signature"]
    );
}

#[test]
fn a_primitive_id_is_refused_with_the_way_out() {
    let (_, diagnostics) = build(Point::VertexIn, "vs_5_0", &[plain(UINT, "SV_PrimitiveID")]);
    assert_eq!(
        diagnostics[0].message,
        "`SV_PrimitiveID` cannot be a vertex shader input"
    );
    assert!(
        diagnostics[0]
            .hint
            .as_deref()
            .is_some_and(|h| h.contains("[geometry_shader]"))
    );
}

#[test]
fn system_values_out_of_place_or_time_are_refused() {
    let one = |point, semantic| errors(point, "vs_5_0", &[plain(UINT, semantic)]).concat();
    assert_eq!(
        one(Point::VertexOut, "SV_VertexID"),
        "`SV_VertexID` cannot be a vertex shader output"
    );
    assert_eq!(
        one(Point::VertexIn, "SV_ViewID"),
        "`SV_ViewID` needs shader model 6.1, the profile is vs_5_0"
    );
    assert_eq!(
        one(Point::VertexIn, "SV_Vertex"),
        "there is no system value `SV_Vertex`"
    );
    assert_eq!(
        one(Point::VertexOut, "A99999999999"),
        "the index of semantic `A99999999999` does not fit 32 bits"
    );
}

#[test]
fn system_values_have_their_types() {
    assert_eq!(
        errors(
            Point::VertexOut,
            "vs_5_0",
            &[plain(float(3), "SV_Position")]
        ),
        ["`SV_Position` is a float3, but has to be a float4"]
    );
    assert_eq!(
        errors(Point::VertexIn, "vs_5_0", &[plain(FLOAT, "SV_VertexID")]),
        ["`SV_VertexID` is a float, but has to be a uint"]
    );
    assert_eq!(
        errors(
            Point::VertexOut,
            "vs_5_0",
            &[plain(float(4), "SV_Position1")]
        ),
        ["there is only one `SV_Position`, none with the index 1"]
    );
}

#[test]
fn profile_4_0_has_half_the_registers() {
    let many = |n| [plain(array(FLOAT, n), "A")];
    assert_eq!(errors(Point::VertexIn, "vs_4_0", &many(16)), [""; 0]);
    assert_eq!(
        errors(Point::VertexIn, "vs_4_0", &many(17)),
        ["the entry has more than 16 input registers, the limit of vs_4_0"]
    );
    assert_eq!(errors(Point::VertexIn, "vs_5_0", &many(32)), [""; 0]);
    assert_eq!(
        errors(Point::VertexIn, "vs_5_0", &many(4_000_000)),
        ["the entry has more than 32 input registers, the limit of vs_5_0"]
    );
    assert_eq!(errors(Point::VertexOut, "vs_5_0", &many(32)), [""; 0]);
    assert_eq!(
        errors(Point::VertexOut, "vs_5_0", &many(4_000_000)),
        ["the entry has more than 32 output registers, the limit of vs_5_0"]
    );
}

#[test]
fn clip_and_cull_distances_share_eight_components() {
    let with = |clip, cull| {
        errors(
            Point::VertexOut,
            "vs_5_0",
            &[
                plain(array(FLOAT, clip), "SV_ClipDistance"),
                plain(array(FLOAT, cull), "SV_CullDistance"),
            ],
        )
    };
    assert_eq!(with(4, 4), [""; 0]);
    assert_eq!(
        with(6, 3),
        ["SV_ClipDistance and SV_CullDistance together have more than 8 components"]
    );
}
