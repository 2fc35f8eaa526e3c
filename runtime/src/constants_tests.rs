//! Packing of constants, against byte offsets worked out by hand.

use super::*;
use fuseline_hlsl::types::Type;

fn member(name: &str, offset: u32, layout: Layout) -> Member {
    Member {
        name: name.to_string(),
        offset,
        layout,
        ty: Type::Void,
    }
}

fn vector(scalar: Scalar, components: u8) -> Layout {
    Layout::Vector { scalar, components }
}

fn matrix(rows: u8, columns: u8, row_major: bool) -> Layout {
    let (row_stride, column_stride) = if row_major { (16, 4) } else { (4, 16) };
    Layout::Matrix {
        scalar: Scalar::Float,
        rows,
        columns,
        row_major,
        row_stride,
        column_stride,
    }
}

fn array(element: Layout, len: u32, stride: u32) -> Layout {
    Layout::Array {
        element: Box::new(element),
        len,
        stride,
    }
}

/// `float4 Tint; column_major float4x4 World; row_major float3x2 Uv; float A[3]; struct { float3 p; int n; } L[2];
/// bool On; uint Mask;`
fn camera() -> ConstantBuffer {
    let light = Layout::Struct(vec![
        member("p", 0, vector(Scalar::Float, 3)),
        member("n", 12, vector(Scalar::Int, 1)),
    ]);
    ConstantBuffer::new(Arc::new(reflection::ConstantBuffer {
        name: "Camera".to_string(),
        class: reflection::BufferClass::Constant,
        register: 0,
        space: 0,
        size: 240,
        members: vec![
            member("Tint", 0, vector(Scalar::Float, 4)),
            member("World", 16, matrix(4, 4, false)),
            member("Uv", 80, matrix(3, 2, true)),
            member("A", 128, array(vector(Scalar::Float, 1), 3, 16)),
            member("L", 176, array(light, 2, 16)),
            member("On", 208, vector(Scalar::Bool, 1)),
            member("Mask", 212, vector(Scalar::Uint, 1)),
        ],
    }))
}

fn float_at(buffer: &ConstantBuffer, byte: usize) -> f32 {
    f32::from_bits(word_at(buffer, byte))
}

fn word_at(buffer: &ConstantBuffer, byte: usize) -> u32 {
    let bytes = buffer.buffer().as_bytes();
    u32::from_le_bytes(bytes[byte..byte + 4].try_into().expect("four bytes"))
}

#[test]
fn a_glam_matrix_keeps_its_rows_and_columns_in_either_majorness() {
    let mut buffer = camera();
    let world = glam::Mat4::from_translation(glam::vec3(7.0, 8.0, 9.0));
    buffer.set("World", world).expect("fits");
    // Row 0, column 3 is the x of the translation: column-major, column 3 begins at 16 + 48.
    assert_eq!(float_at(&buffer, 64), 7.0);
    buffer
        .set("Uv", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0f32]])
        .expect("fits");
    assert_eq!(float_at(&buffer, 84), 2.0);
    assert_eq!(float_at(&buffer, 112), 5.0);
}

#[test]
fn array_elements_start_registers() {
    let mut buffer = camera();
    buffer.set("A", [1.0f32, 2.0, 3.0]).expect("fits");
    assert_eq!(
        [128, 144, 160].map(|b| float_at(&buffer, b)),
        [1.0, 2.0, 3.0]
    );
    buffer.set("A[1]", 9.0f32).expect("fits");
    assert_eq!(
        [128, 144, 160].map(|b| float_at(&buffer, b)),
        [1.0, 9.0, 3.0]
    );
}

#[test]
fn struct_members_are_reached_by_path() {
    let mut buffer = camera();
    (buffer.set("L[1].p", glam::vec3(1.0, 2.0, 3.0)))
        .and_then(|b| b.set("L[1].n", -4))
        .expect("fits");
    assert_eq!(float_at(&buffer, 200), 3.0);
    assert_eq!(word_at(&buffer, 204), -4i32 as u32);
}

#[test]
fn a_dynamic_value_is_packed_like_a_typed_one() {
    let n = |v: f64| Constant::Number(Number::Float(v));
    let mut buffer = camera();
    let light = Constant::Struct(vec![
        (
            "p".to_string(),
            Constant::List(vec![n(1.0), n(2.0), n(3.0)]),
        ),
        ("n".to_string(), Constant::Number(Number::Int(5))),
    ]);
    buffer.set("L", Constant::List(vec![light])).expect("fits");
    assert_eq!(float_at(&buffer, 180), 2.0);
    assert_eq!(word_at(&buffer, 188), 5);
    let rows = Constant::List(
        (0..3)
            .map(|r| Constant::List(vec![n(f64::from(r)), n(0.5)]))
            .collect(),
    );
    buffer.set("Uv", rows).expect("fits");
    assert_eq!(float_at(&buffer, 112), 2.0);
}

#[test]
fn numbers_become_what_the_member_is() {
    let mut buffer = camera();
    buffer
        .set("On", true)
        .and_then(|b| b.set("Mask", u32::MAX))
        .expect("fits");
    buffer
        .set("Tint", [1, 2, 3, 4])
        .expect("integers for floats");
    assert_eq!(word_at(&buffer, 208), 1);
    assert_eq!(word_at(&buffer, 212), u32::MAX);
    assert_eq!(float_at(&buffer, 12), 4.0);
}

#[test]
fn refusals_say_what_does_not_fit() {
    let text = |path: &str, value: &dyn ConstantValue| match camera().set(path, value) {
        Ok(_) => "accepted".to_string(),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        text("World", &1.0f32),
        "`World` is float4x4, the value is 1 component"
    );
    assert_eq!(
        text("Tint", &[1.0f32, 2.0, 3.0]),
        "`Tint` is float4, the value is 3 components"
    );
    assert_eq!(
        text("A", &[0.0f32; 4]),
        "`A` is float[3], the value is a list of 4 elements"
    );
    assert_eq!(
        text("A[3]", &0.0f32),
        "`A`: index 3 is past the array's 3 elements"
    );
    assert_eq!(text("Mask", &-1), "`Mask` is uint: -1 does not fit");
    assert_eq!(
        text("L[0].q", &0),
        "`L[0]` has no member `q`; it has `p`, `n`"
    );
    assert_eq!(
        text("Tin", &0),
        "`Camera` has no member `Tin`; it has `Tint`, `World`, `Uv`, `A`, `L`, `On`, `Mask`"
    );
    assert_eq!(
        text("World", &glam::Mat3::IDENTITY),
        "`World` is float4x4, the value is a 3x3 matrix"
    );
    assert_eq!(text("Tint.x", &0), "`Camera` has no member `Tint.x`");
}
