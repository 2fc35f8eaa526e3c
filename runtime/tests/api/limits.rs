//! What ends a draw: sizes, loops, other threads. Nothing else is harmed.

use crate::*;

const LOOP: &str = "
    cbuffer C { uint Count; uint Only; };
    void main(uint v : SV_VertexID, out uint n : N) {
        n = 0;
        [loop] for (uint i = 0; i < (v == Only ? Count : 1); ++i) n += i ^ v;
    }";

fn looping(device: &Device, count: u32, only: u32) -> (Pipeline, DrawState) {
    let pipeline = device
        .create_pipeline(&PipelineDesc::new(shader(LOOP), &[]))
        .expect("a good pipeline");
    let mut constants = pipeline.constants("C").expect("there");
    constants.set("Count", count).expect("fits");
    constants.set("Only", only).expect("fits");
    let state = DrawState::new(Topology::PointList).constants(&constants);
    (pipeline, state)
}

fn outcome(
    pipeline: &Pipeline,
    state: &DrawState,
    call: &DrawCall,
    options: &DrawOptions,
) -> Result<usize, String> {
    pipeline
        .draw_with(state, call, options)
        .map(|r| r.rows())
        .map_err(|e| e.to_string())
}

#[test]
fn too_many_rows_are_refused_with_their_number_before_anything_is_allocated() {
    let pipeline = pass(&device());
    let state = DrawState::new(Topology::PointList);
    let call = DrawCall::instanced(u32::MAX, 2);
    assert_eq!(
        outcome(&pipeline, &state, &call, &DrawOptions::default()),
        Err("DrawInstanced: 8589934590 rows take 17179869208 bytes, more than the 4294967296 that the results of a draw may take (DeviceOptions::result_limit)".to_string())
    );
    let call = DrawCall::instanced(u32::MAX, u32::MAX);
    assert_eq!(
        outcome(&pipeline, &state, &call, &DrawOptions::default()),
        Err("DrawInstanced: 18446744065119617025 rows are more than the 1099511627776 that a draw may have".to_string())
    );
    let call = DrawCall::indexed(u32::MAX);
    assert_eq!(
        outcome(&pipeline, &state, &call, &DrawOptions::default()),
        Err("DrawIndexed: 4294967295 rows take 34359738360 bytes, more than the 4294967296 that the results of a draw may take (DeviceOptions::result_limit)".to_string())
    );
}

#[test]
fn a_loop_past_the_limit_is_an_error_of_its_draw_alone() {
    let device = Device::new(DeviceOptions {
        loop_limit: 5000,
        ..DeviceOptions::default()
    })
    .expect("a device");
    for engine in [Engine::Jit, Engine::Interpreter] {
        let options = DrawOptions::engine(engine);
        let call = DrawCall::draw(20);
        let (pipeline, state) = looping(&device, 5000, 7);
        assert_eq!(outcome(&pipeline, &state, &call, &options), Ok(20));
        let (pipeline, state) = looping(&device, 5001, 7);
        assert_eq!(
            outcome(&pipeline, &state, &call, &options),
            Err(
                "a loop of the shader took more than 5000 iterations in one invocation".to_string()
            )
        );
        assert_eq!(
            outcome(&pipeline, &state, &DrawCall::draw(7), &options),
            Ok(7)
        );
    }
}

#[test]
fn padding_and_holes_never_run_into_the_limit() {
    let device = Device::new(DeviceOptions {
        loop_limit: 5000,
        ..DeviceOptions::default()
    })
    .expect("a device");
    // Vertex 3 would loop too long; no row refers to it.
    let (pipeline, state) = looping(&device, 6000, 3);
    let indices: Vec<u16> = (0..40).filter(|i| *i != 3).collect();
    let state = state.index_buffer(IndexBufferView::from_u16(&indices));
    for engine in [Engine::Jit, Engine::Interpreter] {
        let options = DrawOptions::engine(engine);
        assert_eq!(
            outcome(&pipeline, &state, &DrawCall::indexed(39), &options),
            Ok(39)
        );
        assert_eq!(
            outcome(&pipeline, &state, &DrawCall::draw(3), &options),
            Ok(3)
        );
    }
}

#[test]
fn all_loops_together_have_a_budget() {
    let device = Device::new(DeviceOptions {
        draw_loop_budget: 100_000,
        ..DeviceOptions::default()
    })
    .expect("a device");
    let text = LOOP.replace("(v == Only ? Count : 1)", "Count");
    let pipeline = device
        .create_pipeline(&PipelineDesc::new(shader(&text), &[]))
        .expect("a good pipeline");
    let mut constants = pipeline.constants("C").expect("there");
    constants.set("Count", 10_000).expect("fits");
    let state = DrawState::new(Topology::PointList).constants(&constants);
    for engine in [Engine::Jit, Engine::Interpreter] {
        assert_eq!(
            outcome(
                &pipeline,
                &state,
                &DrawCall::draw(1000),
                &DrawOptions::engine(engine)
            ),
            Err("the loops of the draw took more than 100000 iterations in all".to_string())
        );
    }
}

#[test]
fn another_thread_can_stop_a_draw() {
    let device = device();
    let (pipeline, state) = looping(&device, 1 << 20, 0);
    for engine in [Engine::Jit, Engine::Interpreter] {
        let options = DrawOptions {
            engine,
            ..DrawOptions::default()
        };
        options.cancel.cancel();
        assert_eq!(
            outcome(&pipeline, &state, &DrawCall::draw(1000), &options),
            Err("the draw was cancelled".to_string())
        );
    }
}
