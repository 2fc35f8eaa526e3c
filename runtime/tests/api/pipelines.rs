//! Pipelines that Direct3D refuses, and the cache of kernels.

use crate::*;
use fuseline_compiler::layout::InputElementDesc;

fn refusal(desc: &PipelineDesc<'_>, device: &Device) -> String {
    match device.create_pipeline(desc) {
        Ok(_) => "accepted".to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_fault_of_a_layout_is_named() {
    let mut twice = InputElementDesc::new("v", 0, Format::R32_FLOAT);
    twice.aligned_byte_offset = 18;
    let elements = [layout()[0].clone(), twice];
    let text = refusal(&PipelineDesc::new(shader(PASS), &elements), &device());
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with("DUPLICATESEMANTIC: element 1 (v0)"),
        "{text}"
    );
    assert!(
        lines[1].starts_with("INVALIDALIGNMENT: element 1 (v0) is at byte 18"),
        "{text}"
    );
}

#[test]
fn an_input_without_an_element_is_refused() {
    let text = refusal(&PipelineDesc::new(shader(PASS), &[]), &device());
    assert!(
        text.starts_with("MISSINGELEMENT: the shader reads V0"),
        "{text}"
    );
}

#[test]
fn more_than_four_views_are_refused() {
    let elements = layout();
    let mut desc = PipelineDesc::new(shader(PASS), &elements);
    desc.view_instancing.views = vec![ViewLocation::default(); 5];
    assert_eq!(
        refusal(&desc, &device()),
        "view instancing with 5 views: at most 4 are possible (D3D12_MAX_VIEW_INSTANCE_COUNT)"
    );
}

#[test]
fn a_device_without_view_instancing_refuses_views_and_the_masking_flag() {
    let device = Device::new(DeviceOptions {
        view_instancing: ViewInstancingTier::NotSupported,
        ..DeviceOptions::default()
    })
    .expect("a device");
    let elements = layout();
    let mut desc = PipelineDesc::new(shader(PASS), &elements);
    desc.view_instancing.views = vec![ViewLocation::default()];
    assert_eq!(refusal(&desc, &device), "accepted");
    desc.view_instancing.masking = true;
    assert_eq!(
        refusal(&desc, &device),
        "the pipeline asks for view instancing (the masking flag), which this device does not have (D3D12_VIEW_INSTANCING_TIER_NOT_SUPPORTED)"
    );
}

#[test]
fn a_loop_limit_of_zero_is_refused() {
    let options = DeviceOptions {
        loop_limit: 0,
        ..DeviceOptions::default()
    };
    let text = Device::new(options).map(|_| ()).map_err(|e| e.to_string());
    let message = "a loop limit of 0 lets no loop run; the least is 1";
    assert_eq!(text, Err(message.to_string()));
}

#[test]
fn types_that_do_not_match_only_warn() {
    let elements = [InputElementDesc::new("V", 0, Format::R8G8B8A8_UINT)];
    let pipeline = device().create_pipeline(&PipelineDesc::new(shader(PASS), &elements));
    assert_eq!(pipeline.expect("accepted").warnings().len(), 1);
}

#[test]
fn a_kernel_is_compiled_once_for_all_threads() {
    let device = device();
    let pipeline = pass(&device);
    let state = DrawState::new(Topology::PointList).vertex_buffer(0, vertices(100));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let results = pipeline.draw(&state, &DrawCall::draw(100)).expect("drawn");
                assert_eq!(positions(&results)[99], 99.0);
            });
        }
    });
    let statistics = device.cache_statistics();
    assert_eq!((statistics.misses, statistics.hits), (1, 3));
}

#[test]
fn counts_and_constants_share_a_kernel_strides_do_not() {
    let device = device();
    let pipeline = pass(&device);
    let state = DrawState::new(Topology::PointList).vertex_buffer(0, vertices(100));
    for count in [50, 60, 100] {
        pipeline
            .draw(&state, &DrawCall::draw(count))
            .expect("drawn");
    }
    assert_eq!(device.cache_statistics().misses, 1);
    let wide = VertexBufferView {
        stride: 32,
        ..vertices(100)
    };
    let state = state.vertex_buffer(0, wide);
    pipeline.draw(&state, &DrawCall::draw(50)).expect("drawn");
    assert_eq!(device.cache_statistics().misses, 2);
}

#[test]
fn views_go_where_their_locations_and_the_shader_say() {
    // system-values.md, example 7.
    let views: Vec<ViewLocation> = [(1, 1), (1, 2)]
        .map(
            |(viewport_array_index, render_target_array_index)| ViewLocation {
                viewport_array_index,
                render_target_array_index,
            },
        )
        .into();
    let elements = layout();
    let mut desc = PipelineDesc::new(shader(PASS), &elements);
    desc.view_instancing.views.clone_from(&views);
    let pipeline = device().create_pipeline(&desc).expect("a good pipeline");
    let locations = pipeline.view_locations();
    assert_eq!(locations, views);
    let slices = |written| [0, 1].map(|view| locations[view].render_target(written, 4));
    assert_eq!(slices(1), [2, 3]);
    assert_eq!(slices(u32::MAX), [0, 1]);
    assert_eq!(slices(2), [3, 0]);
    assert_eq!(locations[0].viewport(0, 16), 1);
    assert_eq!(locations[0].viewport(15, 16), 0);
    let plain = pass(&device());
    assert_eq!(plain.view_locations(), [ViewLocation::default()]);
}
