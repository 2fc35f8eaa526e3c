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
        Err("ExecuteBundle: the list is still recording; close it first".to_string())
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
