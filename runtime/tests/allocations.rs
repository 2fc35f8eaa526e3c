//! What draws allocate: nothing that hostile arguments alone could blow up, and nothing for each primitive.

use fuseline_compiler::format::Format;
use fuseline_compiler::layout::InputElementDesc;
use fuseline_hlsl::preprocess::NoIncludes;
use fuseline_runtime::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    /// Number and bytes of what this thread allocated.
    static ALLOCATED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

struct Counting;

fn count(bytes: usize) {
    // A thread that ends no longer counts.
    let _ = ALLOCATED.try_with(|all| {
        let (number, sum) = all.get();
        all.set((number + 1, sum.saturating_add(bytes)));
    });
}

// SAFETY: everything is left to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller promises the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller promises the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: the caller promises the same.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller promises the same.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a function allocates, in number and bytes, and its value.
fn allocated<T>(f: impl FnOnce() -> T) -> ((usize, usize), T) {
    let (number, bytes) = ALLOCATED.get();
    let value = f();
    let (numbers, sum) = ALLOCATED.get();
    ((numbers - number, sum - bytes), value)
}

fn pipeline() -> Pipeline {
    let text = b"float4 main(float4 v : V, uint id : SV_VertexID) : SV_Position { return v + id; }";
    let options = Default::default();
    let compiled = fuseline_hlsl::compile("test.hlsl", text, &options, &mut NoIncludes)
        .unwrap_or_else(|_| panic!("a good shader"));
    let device = Device::new(DeviceOptions::default()).expect("a device");
    let layout = [InputElementDesc::new("V", 0, Format::R32G32B32A32_FLOAT)];
    let desc = PipelineDesc::new(Arc::new(compiled.program), &layout);
    device.create_pipeline(&desc).expect("a good pipeline")
}

#[test]
fn primitives_cost_no_memory() {
    let pipeline = pipeline();
    let indices: Vec<u16> = (0..3000)
        .map(|i| if i % 50 == 7 { 0xFFFF } else { i })
        .collect();
    for value in (1..=5).chain(10..=13).chain(33..=64) {
        let topology = Topology::from_d3d(value).expect("a topology");
        let state = DrawState::new(topology).index_buffer(IndexBufferView::from_u16(&indices));
        let results = pipeline
            .draw(&state, &DrawCall::indexed_instanced(3000, 2))
            .expect("drawn");
        let primitives = results.primitives();
        let (cost, (count, rows)) = allocated(|| {
            let each = primitives.iter().map(|p| p.rows().sum::<usize>());
            each.fold((0, 0), |(n, sum), rows| (n + 1, sum + rows))
        });
        assert!(count > 50 && rows > 0, "{topology}");
        assert_eq!(cost, (0, 0), "{topology}");
        let (cost, places) = allocated(|| primitives.places().count());
        assert_eq!(cost, (0, 0), "{topology}");
        assert_eq!(2 * places, count * primitives.corners());
    }
}

#[test]
fn hostile_arguments_are_refused_before_memory_is_taken() {
    let pipeline = pipeline();
    let state =
        DrawState::new(Topology::TriangleStrip).index_buffer(IndexBufferView::from_u16(&[1, 2, 3]));
    let all = u32::MAX;
    let words = Buffer::from_slice(&[all; 5]);
    let calls = [
        DrawCall::draw(all),
        DrawCall::indexed(all),
        DrawCall::instanced(all, all),
        DrawCall::instanced(1, all),
        DrawCall::indexed_instanced(all, all),
        DrawCall::indexed_instanced(3, all),
        DrawCall::DrawInstancedIndirect {
            args: words.clone(),
            offset: 0,
        },
        DrawCall::DrawIndexedInstancedIndirect {
            args: words,
            offset: 0,
        },
    ];
    // The kernels are there before anything is counted.
    for call in [DrawCall::draw(100), DrawCall::indexed(100)] {
        pipeline.draw(&state, &call).expect("drawn");
    }
    for engine in [Engine::Jit, Engine::Interpreter] {
        for storage in [RowStorage::Shared, RowStorage::Expanded] {
            for call in &calls {
                let options = DrawOptions {
                    engine,
                    storage,
                    ..DrawOptions::default()
                };
                // Once for its kernel, if it needs one.
                let _ = pipeline.draw_with(&state, call, &options);
                let ((_, bytes), drawn) =
                    allocated(|| pipeline.draw_with(&state, call, &options).map(|r| r.rows()));
                let text = drawn.map_err(|error| error.to_string());
                // Instances that differ in nothing take no memory where each result is stored once.
                let stored_once = engine == Engine::Jit && storage == RowStorage::Shared;
                let right = match &text {
                    Err(text) => text.contains("rows"),
                    Ok(_) => stored_once,
                };
                assert!(right, "{call:?}: {text:?}");
                assert!(bytes < 1 << 20, "{call:?} allocates {bytes} bytes");
            }
        }
    }
}
