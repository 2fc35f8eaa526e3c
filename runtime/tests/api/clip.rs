//! What the clipper would count.

use crate::*;

/// Draws these positions, w = 1; `distances`: what each vertex writes to SV_ClipDistance0 and SV_CullDistance0.
fn clipped(
    topology: Topology,
    positions: &[[f32; 2]],
    distances: Option<&[[f32; 2]]>,
) -> ClipStatistics {
    let text = "
        struct Out { float4 p : SV_Position; float clip : SV_ClipDistance; float cull : SV_CullDistance; };
        Out main(float4 v : V) { Out o; o.p = float4(v.xy, 0.5, 1); o.clip = v.z; o.cull = v.w; return o; }";
    let vertex = |i: usize| {
        let [x, y] = positions[i];
        let [clip, cull] = distances.map_or([0.0; 2], |d| d[i]);
        [x, y, clip, cull]
    };
    let vertices: Vec<[f32; 4]> = (0..positions.len()).map(vertex).collect();
    let state = DrawState::new(topology).vertex_buffer(0, VertexBufferView::from_slice(&vertices));
    let call = DrawCall::instanced(positions.len() as u32, 2);
    let results = pipeline(&device(), text)
        .draw(&state, &call)
        .expect("drawn");
    results.clip_statistics()
}

fn counts(c_invocations: u64, c_primitives: Option<u64>) -> ClipStatistics {
    ClipStatistics {
        c_invocations,
        c_primitives,
    }
}

#[test]
fn what_is_inside_comes_out_and_what_is_outside_does_not() {
    // Two instances; one triangle inside, borders included, one left of the volume.
    let positions = [
        [-1.0, -1.0],
        [1.0, -1.0],
        [0.0, 1.0],
        [-2.0, 0.0],
        [-1.5, 5.0],
        [-3.0, -5.0],
    ];
    assert_eq!(
        clipped(Topology::TriangleList, &positions, None),
        counts(4, Some(2))
    );
}

#[test]
fn what_crosses_the_border_depends_on_the_guard_band() {
    let crossing = [[0.0, 0.0], [1.5, 0.0]];
    assert_eq!(
        clipped(Topology::LineList, &crossing, None),
        counts(2, None)
    );
    // Each end is beyond another plane: the line may cross a corner.
    let corner = [[-2.0, 0.0], [0.0, 2.0]];
    assert_eq!(clipped(Topology::LineList, &corner, None), counts(2, None));
    assert_eq!(
        clipped(Topology::PointList, &[[f32::NAN, 0.0]], None),
        counts(2, None)
    );
}

#[test]
fn adjacent_vertices_are_not_clipped() {
    let line = [[9.0, 0.0], [0.0, 0.0], [0.5, 0.0], [9.0, 0.0]];
    assert_eq!(
        clipped(Topology::LineListAdj, &line, None),
        counts(2, Some(2))
    );
}

#[test]
fn distances_clip_and_cull() {
    let line = [[0.0, 0.0], [0.5, 0.0]];
    let with = |a: [f32; 2], b: [f32; 2]| clipped(Topology::LineList, &line, Some(&[a, b]));
    assert_eq!(with([1.0, 1.0], [0.0, 0.0]), counts(2, Some(2)));
    assert_eq!(with([-1.0, 0.0], [-2.0, 0.0]), counts(2, Some(0)));
    assert_eq!(with([-1.0, 0.0], [2.0, 0.0]), counts(2, None));
    assert_eq!(with([f32::NAN, 0.0], [2.0, 0.0]), counts(2, Some(0)));
    assert_eq!(with([0.0, -1.0], [0.0, f32::NAN]), counts(2, Some(0)));
    assert_eq!(with([0.0, -1.0], [0.0, 1.0]), counts(2, Some(2)));
}

#[test]
fn patches_and_what_has_no_position_are_not_clipped() {
    let patch = Topology::from_d3d(34).expect("a patch list");
    assert_eq!(clipped(patch, &[[0.0; 2]; 2], None), ClipStatistics::NONE);
    let text = "float4 main(float4 v : V) : POSITION { return v; }";
    let state = DrawState::new(Topology::PointList).vertex_buffer(0, vertices(1));
    let results = (pipeline(&device(), text).draw(&state, &DrawCall::draw(1))).expect("drawn");
    assert_eq!(results.clip_statistics(), ClipStatistics::NONE);
}

#[test]
fn more_primitives_than_can_be_looked_at_are_sent_but_not_counted() {
    let text = "float4 main() : SV_Position { return float4(0, 0, 0.5, 1); }";
    let pipeline = (device().create_pipeline(&PipelineDesc::new(shader(text), &[]))).expect("made");
    let drawn = |count| {
        let state = DrawState::new(Topology::PointList);
        let results = pipeline.draw(&state, &DrawCall::draw(count));
        results.expect("drawn").clip_statistics()
    };
    assert_eq!(drawn(5), counts(5, Some(5)));
    assert_eq!(drawn(u32::MAX), counts(u64::from(u32::MAX), None));
}
