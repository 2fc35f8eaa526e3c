//! What the debug layer warns about.

use crate::*;

fn texts(state: &DrawState, call: &DrawCall) -> Vec<String> {
    let text = "
        cbuffer C : register(b3) { float4 X; };
        float4 main(float4 v : V) : SV_Position { return v + X; }";
    let pipeline = pipeline(&device(), text);
    let warnings = pipeline.check(state, call).expect("readable arguments");
    warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_draw_as_it_should_be_warns_of_nothing() {
    let state = DrawState::new(Topology::PointList)
        .vertex_buffer(0, vertices(4))
        .index_buffer(IndexBufferView::from_u16(&[0, 1, 2]))
        .constant_bytes(Register::b(3), &Buffer::zeroed(16));
    assert_eq!(texts(&state, &DrawCall::draw(4)), [""; 0]);
    assert_eq!(texts(&state, &DrawCall::indexed(3)), [""; 0]);
}

#[test]
fn what_is_not_bound_reads_zero() {
    assert_eq!(
        texts(&DrawState::new(Topology::PointList), &DrawCall::indexed(3)),
        [
            "slot 0: nothing is bound, V0 reads zero in all components",
            "no index buffer is bound: every index is 0",
            "constant buffer b3 (C): nothing is bound, its members read zero",
        ]
    );
}

#[test]
fn what_is_too_small_or_misaligned_is_named() {
    let odd = VertexBufferView {
        offset: 2,
        stride: 15,
        ..vertices(4)
    };
    let indices = IndexBufferView {
        offset: 1,
        ..IndexBufferView::from_u16(&[0, 1])
    };
    let state = DrawState::new(Topology::PointList)
        .vertex_buffer(0, odd)
        .index_buffer(indices)
        .constant_bytes(Register::b(3), &Buffer::zeroed(8));
    assert_eq!(
        texts(&state, &DrawCall::draw(4))[..3],
        [
            "slot 0: offset 2 and stride 15 do not keep V0 aligned to 4 bytes (FS 4.4.6: undefined); the bytes are read as they are",
            "slot 0: stride 15 is less than 16, where V0 ends: neighbouring elements overlap",
            "constant buffer b3 (C): 8 bytes are bound, the shader declares 16: the rest reads zero",
        ]
    );
    assert_eq!(
        texts(&state, &DrawCall::draw(5))[2],
        "slot 0: V0 of vertex 4 ends at byte 78 of a buffer of 64 bytes: out of bounds reads give 0"
    );
    assert_eq!(
        texts(&state, &DrawCall::indexed(2))[2..4],
        [
            "index buffer: offset 1 is no multiple of the index size 2 (FS 4.4.6: undefined); the bytes are read as they are",
            "index buffer: the last index ends at byte 5 of a buffer of 4 bytes: out of bounds indices are 0",
        ]
    );
}
