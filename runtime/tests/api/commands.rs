//! Command lists and bundles.

use crate::*;

fn masked(device: &Device) -> Pipeline {
    let elements = layout();
    let mut desc = PipelineDesc::new(shader(PASS), &elements);
    desc.view_instancing = ViewInstancing {
        views: vec![ViewLocation::default(); 2],
        masking: true,
    };
    device.create_pipeline(&desc).expect("a good pipeline")
}

fn run(list: &CommandList) -> Result<Vec<Results>, String> {
    list.execute(&DrawOptions::default())
        .map_err(|e| e.to_string())
}

#[test]
fn a_list_draws_what_the_immediate_draw_draws() -> Result<(), CommandError> {
    let pipeline = pass(&device());
    let mut list = CommandList::new();
    list.set_pipeline_state(&pipeline)?;
    list.ia_set_primitive_topology(Topology::TriangleList)?;
    list.ia_set_vertex_buffer(0, Some(vertices(9)))?;
    list.draw(DrawCall::draw(9))?;
    list.ia_set_vertex_buffer(0, None)?;
    list.draw(DrawCall::draw(3))?;
    list.close()?;
    let results = run(&list).expect("drawn");
    let state = DrawState::new(Topology::TriangleList).vertex_buffer(0, vertices(9));
    let immediate = pipeline.draw(&state, &DrawCall::draw(9)).expect("drawn");
    assert_eq!(compare(&results[0], &immediate), None);
    assert_eq!(positions(&results[1]), [0.0; 3]);
    let total: Statistics = results.iter().map(|r| r.statistics()).sum();
    assert_eq!((total.ia_vertices, total.ia_primitives), (12, 4));
    Ok(())
}

#[test]
fn calls_in_the_wrong_order_are_named() {
    let text = |result: Result<(), CommandError>| result.map_err(|e| e.to_string());
    let mut list = CommandList::new();
    assert_eq!(
        run(&list).map(|_| ()),
        Err("ExecuteCommandLists: the list is still recording; close it first".to_string())
    );
    assert_eq!(
        text(list.reset()),
        Err("Reset: the list is still recording; close it first".to_string())
    );
    assert_eq!(
        text(list.execute_bundle(&Bundle::new())),
        Err("ExecuteBundle: the bundle is still recording; close it first".to_string())
    );
    assert_eq!(text(list.draw(DrawCall::indexed(3))), Ok(()));
    assert_eq!(text(list.close()), Ok(()));
    assert_eq!(
        text(list.set_view_instance_mask(1)),
        Err("SetViewInstanceMask: the list is closed; reset it before recording".to_string())
    );
    assert_eq!(
        run(&list).map(|_| ()),
        Err("command 0, DrawIndexed: no pipeline is set".to_string())
    );
    assert_eq!(text(list.reset()), Ok(()));
    assert_eq!(text(list.set_view_instance_mask(1)), Ok(()));
}

#[test]
fn a_bundle_inherits_buffers_but_no_pipeline_topology_or_mask() -> Result<(), CommandError> {
    let pipeline = masked(&device());
    let mut bundle = Bundle::new();
    bundle.draw(DrawCall::draw(2))?;
    bundle.close()?;
    let mut list = CommandList::new();
    list.set_pipeline_state(&pipeline)?;
    list.ia_set_primitive_topology(Topology::PointList)?;
    list.ia_set_vertex_buffer(0, Some(vertices(2)))?;
    list.set_view_instance_mask(3)?;
    list.execute_bundle(&bundle)?;
    list.close()?;
    assert_eq!(
        run(&list).map(|_| ()),
        Err("command 4, Draw: no pipeline is set (bundles inherit none)".to_string())
    );
    let mut bundle = Bundle::new();
    bundle.set_pipeline_state(&pipeline)?;
    bundle.draw(DrawCall::draw(2))?;
    bundle.close()?;
    list.reset()?;
    list.ia_set_primitive_topology(Topology::PointList)?;
    list.execute_bundle(&bundle)?;
    list.close()?;
    assert_eq!(
        run(&list).map(|_| ()),
        Err(
            "command 1: Draw: the primitive topology is UNDEFINED; set one before drawing"
                .to_string()
        )
    );
    Ok(())
}

#[test]
fn a_bundle_starts_with_mask_0_and_leaves_its_own_to_the_caller() -> Result<(), CommandError> {
    let pipeline = masked(&device());
    let mut bundle = Bundle::new();
    bundle.set_pipeline_state(&pipeline)?;
    bundle.ia_set_primitive_topology(Topology::PointList)?;
    bundle.draw(DrawCall::draw(1))?;
    bundle.set_view_instance_mask(2)?;
    bundle.close()?;
    let mut list = CommandList::new();
    list.ia_set_vertex_buffer(0, Some(vertices(1)))?;
    list.set_view_instance_mask(1)?;
    list.execute_bundle(&bundle)?;
    // The bundle's pipeline, topology and mask are still set.
    list.draw(DrawCall::draw(1))?;
    list.close()?;
    let results = run(&list).expect("drawn");
    assert_eq!(results[0].rows(), 0);
    assert_eq!(ids(&results[1]), [[0, 0, 1]]);
    Ok(())
}

#[test]
fn queries_sum_what_is_drawn_between_their_ends() -> Result<(), CommandError> {
    let pipeline = pass(&device());
    let mut bundle = Bundle::new();
    bundle.set_pipeline_state(&pipeline)?;
    bundle.ia_set_primitive_topology(Topology::LineList)?;
    bundle.draw(DrawCall::instanced(4, 3))?;
    bundle.close()?;
    let heap = QueryHeap::new(3);
    let mut list = CommandList::new();
    list.set_pipeline_state(&pipeline)?;
    list.ia_set_primitive_topology(Topology::TriangleList)?;
    list.draw(DrawCall::draw(3))?;
    list.begin_query(&heap, 0)?;
    list.draw(DrawCall::draw(7))?;
    list.begin_query(&heap, 2)?;
    list.execute_bundle(&bundle)?;
    list.end_query(&heap, 0)?;
    list.draw(DrawCall::draw(1))?;
    list.end_query(&heap, 2)?;
    list.close()?;
    assert_eq!(heap.statistics(0), None);
    run(&list).expect("drawn");
    // All positions are (0, 0, 0, 0), which is inside.
    let sum = |ia_vertices, primitives| {
        Some(PipelineStatistics {
            shading: Statistics {
                ia_vertices,
                ia_primitives: primitives,
                vs_invocations: ia_vertices,
            },
            clipping: ClipStatistics {
                c_invocations: primitives,
                c_primitives: Some(primitives),
            },
        })
    };
    assert_eq!(heap.statistics(0), sum(7 + 12, 2 + 6));
    assert_eq!(heap.statistics(1), None);
    assert_eq!(heap.statistics(2), sum(12 + 1, 6));
    Ok(())
}

#[test]
fn queries_that_do_not_pair_are_named() {
    let heap = QueryHeap::new(2);
    let text = |result: Result<(), CommandError>| result.map_err(|e| e.to_string());
    let error = |text: &str| Err(text.to_string());
    let mut list = CommandList::new();
    assert_eq!(
        text(list.begin_query(&heap, 2)),
        error("BeginQuery: query 2 is past the end of a heap of 2")
    );
    assert_eq!(
        text(list.end_query(&heap, 1)),
        error("EndQuery: query 1 has not begun")
    );
    assert_eq!(text(list.begin_query(&heap, 1)), Ok(()));
    assert_eq!(
        text(list.begin_query(&heap.clone(), 1)),
        error("BeginQuery: query 1 has begun already; end it first")
    );
    // Another heap's query is another query.
    assert_eq!(
        text(list.end_query(&QueryHeap::new(2), 1)),
        error("EndQuery: query 1 has not begun")
    );
    assert_eq!(
        text(list.close()),
        error("Close: query 1 has begun, but not ended")
    );
    assert_eq!(text(list.end_query(&heap, 1)), Ok(()));
    assert_eq!(text(list.close()), Ok(()));
    assert_eq!(
        text(list.begin_query(&heap, 0)),
        error("BeginQuery: the list is closed; reset it before recording")
    );
}
