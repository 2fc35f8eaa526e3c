//! The runtime as an embedder sees it: what is accepted, what is refused and in which words, what comes out.

mod clip;
mod commands;
mod draws;
mod limits;
mod output_buffers;
mod pipelines;
mod results;
mod threads;
mod warnings;

use fuseline_compiler::format::Format;
use fuseline_compiler::layout::InputElementDesc;
use fuseline_hlsl::hir::Program;
use fuseline_hlsl::options::CompileOptions;
use fuseline_hlsl::preprocess::NoIncludes;
use fuseline_runtime::*;
use std::sync::Arc;

/// Compiles the `main` of a text for vs_6_8.
fn shader(text: &str) -> Arc<Program> {
    let options = CompileOptions {
        profile: "vs_6_8".parse().expect("a profile"),
        ..CompileOptions::default()
    };
    match fuseline_hlsl::compile("test.hlsl", text.as_bytes(), &options, &mut NoIncludes) {
        Ok(compiled) => Arc::new(compiled.program),
        Err(failed) => panic!("{}", failed.diagnostics.render_text(&failed.sources, false)),
    }
}

fn device() -> Device {
    Device::new(DeviceOptions::default()).expect("a device")
}

/// One `float4 v : V` from slot 0; `body` computes from it and the ids.
const PASS: &str = "
    struct Out { float4 p : SV_Position; uint3 id : ID; };
    Out main(float4 v : V, uint vertex : SV_VertexID, uint instance : SV_InstanceID, uint view : SV_ViewID) {
        Out o;
        o.p = v;
        o.id = uint3(vertex, instance, view);
        return o;
    }";

fn layout() -> [InputElementDesc; 1] {
    [InputElementDesc::new("V", 0, Format::R32G32B32A32_FLOAT)]
}

fn pass(device: &Device) -> Pipeline {
    pipeline(device, PASS)
}

fn pipeline(device: &Device, text: &str) -> Pipeline {
    (device.create_pipeline(&PipelineDesc::new(shader(text), &layout()))).expect("a good pipeline")
}

/// Vertices (0, 0, 0, 0), (1, 1, 1, 1), …
fn vertices(count: u32) -> VertexBufferView {
    let all: Vec<[f32; 4]> = (0..count).map(|i| [i as f32; 4]).collect();
    VertexBufferView::from_slice(&all)
}

fn ids(results: &Results) -> Vec<[u32; 3]> {
    let output = results.output("ID", 0).expect("an output");
    output.rows().expect("uint3").collect()
}

fn positions(results: &Results) -> Vec<f32> {
    let output = results.output("SV_Position", 0).expect("an output");
    output
        .rows::<[f32; 4]>()
        .expect("float4")
        .map(|p| p[0])
        .collect()
}
