//! Draw calls: refusals in Direct3D's terms, views, what is shaded.

use crate::*;

fn refusal(pipeline: &Pipeline, state: &DrawState, call: &DrawCall) -> String {
    match pipeline.draw(state, call) {
        Ok(_) => "drawn".to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn an_undefined_topology_is_refused() {
    let pipeline = pass(&device());
    assert_eq!(
        refusal(&pipeline, &DrawState::default(), &DrawCall::draw(3)),
        "Draw: the primitive topology is UNDEFINED; set one before drawing"
    );
}

#[test]
fn a_topology_of_another_type_is_refused() {
    let elements = layout();
    let mut desc = PipelineDesc::new(shader(PASS), &elements);
    desc.topology_type = Some(TopologyType::Triangle);
    let pipeline = device().create_pipeline(&desc).expect("a good pipeline");
    let state = DrawState::new(Topology::LineStripAdj);
    assert_eq!(
        refusal(&pipeline, &state, &DrawCall::indexed(3)),
        "DrawIndexed: topology LINESTRIP_ADJ does not match the pipeline's topology type TRIANGLE"
    );
}

#[test]
fn bindings_past_the_limits_are_refused() {
    let pipeline = pass(&device());
    let state = DrawState::new(Topology::PointList);
    let slot = state.clone().vertex_buffer(32, vertices(1));
    assert_eq!(
        refusal(&pipeline, &slot, &DrawCall::draw(1)),
        "vertex buffer slot 32 is past the last one, 31 (D3D11_IA_VERTEX_INPUT_RESOURCE_SLOT_COUNT)"
    );
    let wide = VertexBufferView {
        stride: 2049,
        ..vertices(1)
    };
    assert_eq!(
        refusal(&pipeline, &state.vertex_buffer(3, wide), &DrawCall::draw(1)),
        "vertex buffer slot 3: stride 2049 is too large, at most 2048 bytes are possible (D3D11_REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES)"
    );
}

#[test]
fn draw_auto_says_what_it_needs() {
    let state = DrawState::new(Topology::PointList);
    assert_eq!(
        refusal(&pass(&device()), &state, &DrawCall::DrawAuto),
        "DrawAuto is not supported yet: it needs stream output"
    );
}

#[test]
fn a_masking_pipeline_draws_nothing_until_a_mask_is_set() {
    let elements = layout();
    let mut desc = PipelineDesc::new(shader(PASS), &elements);
    desc.view_instancing = ViewInstancing {
        views: vec![ViewLocation::default(); 4],
        masking: true,
    };
    let pipeline = device().create_pipeline(&desc).expect("a good pipeline");
    let state = DrawState::new(Topology::PointList).vertex_buffer(0, vertices(2));
    let nothing = pipeline.draw(&state, &DrawCall::draw(2)).expect("drawn");
    assert_eq!(
        (nothing.rows(), nothing.statistics().vs_invocations),
        (0, 0)
    );
    // Bits past the last view are ignored.
    let state = state.view_mask(0xFFFF_FFFA);
    let results = pipeline.draw(&state, &DrawCall::draw(2)).expect("drawn");
    assert_eq!(ids(&results), [[0, 0, 1], [1, 0, 1], [0, 0, 3], [1, 0, 3]]);
    assert_eq!(results.statistics().vs_invocations, 4);
}

#[test]
fn a_shader_that_reads_no_view_runs_once_for_all() {
    let text = "void main(uint v : SV_VertexID, out uint id : ID) { id = v; }";
    let mut desc = PipelineDesc::new(shader(text), &[]);
    desc.view_instancing.views = vec![ViewLocation::default(); 3];
    let pipeline = device().create_pipeline(&desc).expect("a good pipeline");
    let state = DrawState::new(Topology::PointList);
    let results = pipeline.draw(&state, &DrawCall::draw(2)).expect("drawn");
    let rows: Vec<u32> = results
        .output("ID", 0)
        .expect("there")
        .rows()
        .expect("uint")
        .collect();
    assert_eq!(rows, [0, 1, 0, 1, 0, 1]);
    assert_eq!(results.statistics().vs_invocations, 2);
}

#[test]
fn an_index_shared_by_triangles_is_shaded_once() {
    let pipeline = pass(&device());
    let state = DrawState::new(Topology::TriangleList)
        .vertex_buffer(0, vertices(8))
        .index_buffer(IndexBufferView::from_u16(&[0, 1, 2, 2, 1, 3, 3, 1, 4]));
    let results = pipeline
        .draw(&state, &DrawCall::indexed_instanced(9, 2))
        .expect("drawn");
    let wanted = Statistics {
        ia_vertices: 18,
        ia_primitives: 6,
        vs_invocations: 10,
    };
    assert_eq!(results.statistics(), wanted);
    assert_eq!(results.positions(), 5);
}

#[test]
fn far_apart_indices_and_holes_keep_the_order_of_rows() {
    let pipeline = pass(&device());
    let indices = [900_000, 3, 900_000, 7, 5, 3, 3, 2, 900_000_000];
    let state = DrawState::new(Topology::PointList)
        .vertex_buffer(0, vertices(8))
        .index_buffer(IndexBufferView::from_u32(&indices));
    let results = pipeline.draw(&state, &DrawCall::indexed(9)).expect("drawn");
    let rows: Vec<u32> = ids(&results).iter().map(|id| id[0]).collect();
    assert_eq!(rows, indices);
    assert_eq!(
        positions(&results),
        [0.0, 3.0, 0.0, 7.0, 5.0, 3.0, 3.0, 2.0, 0.0]
    );
}

#[test]
fn buffers_written_after_a_draw_leave_its_results_alone() {
    let pipeline = pass(&device());
    let mut view = vertices(8);
    let state = DrawState::new(Topology::PointList).vertex_buffer(0, view.clone());
    view.buffer.write(0, &[1; 16]).expect("inside");
    let results = pipeline.draw(&state, &DrawCall::draw(8)).expect("drawn");
    assert_eq!(positions(&results)[0], 0.0);
}

#[test]
fn constants_by_name_reach_the_shader() {
    let text = "
        cbuffer Camera { float Pad; row_major float2x3 M; float4 Scale[2]; };
        void main(float4 v : V, out float4 p : SV_Position) {
            p = float4(mul(M, v.xyz), Scale[1].zw);
        }";
    let pipeline = pipeline(&device(), text);
    let mut camera = pipeline.constants("Camera").expect("there");
    camera
        .set("M", [[1.0, 0.0, 0.0], [0.0, 0.0, 2.0f32]])
        .expect("fits");
    camera
        .set("Scale[1]", glam::vec4(0.0, 0.0, 7.0, 8.0))
        .expect("fits");
    let state = DrawState::new(Topology::PointList)
        .vertex_buffer(0, VertexBufferView::from_slice(&[[3.0f32, 4.0, 5.0, 6.0]]))
        .constants(&camera);
    for engine in [Engine::Jit, Engine::Interpreter] {
        let options = DrawOptions::engine(engine);
        let results = pipeline
            .draw_with(&state, &DrawCall::draw(1), &options)
            .expect("drawn");
        let row = results
            .output("SV_Position", 0)
            .expect("there")
            .get::<[f32; 4]>(0);
        assert_eq!(row, Ok(Some([3.0, 10.0, 7.0, 8.0])));
    }
    assert_eq!(
        pipeline
            .constants("Nope")
            .map(|_| ())
            .map_err(|e| e.to_string()),
        Err("the shader reads no constant buffer `Nope`; it reads `Camera`".to_string())
    );
}
