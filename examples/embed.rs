//! The whole of Fuseline from Rust: a shader, a vertex struct, constants by name, a draw, its results.

use bytemuck::NoUninit;
use fuseline::*;
use glam::{Mat4, Vec3, Vec4, camera::lh::proj::directx, vec3};

const SHADER: &str = "
    cbuffer Camera { float4x4 ViewProjection; float3 Light; };
    struct Out { float4 position : SV_Position; float3 colour : COLOR; };
    Out main(float3 position : POSITION, float3 normal : NORMAL, float4 tint : COLOR) {
        Out o;
        o.position = mul(ViewProjection, float4(position, 1));
        o.colour = tint.rgb * saturate(dot(normal, Light));
        return o;
    }";

#[derive(Clone, Copy, NoUninit)]
#[repr(C)]
struct Vertex(Vec3, [i8; 4], [u8; 4]);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let device = Device::new(DeviceOptions::default())?;
    let layout = [
        InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
        InputElementDesc::new("NORMAL", 0, Format::R8G8B8A8_SNORM),
        InputElementDesc::new("COLOR", 0, Format::R8G8B8A8_UNORM),
    ];
    let shader = compile(SHADER, "main", "vs_5_0")?;
    let pipeline = device.create_pipeline(&PipelineDesc::new(shader, &layout))?;

    let (normal, red, blue) = ([0, 0, 127, 0], [255, 0, 0, 255], [0, 0, 255, 255]);
    let square = [
        Vertex(vec3(-1.0, -1.0, 0.0), normal, red),
        Vertex(vec3(1.0, -1.0, 0.0), normal, red),
        Vertex(vec3(1.0, 1.0, 0.0), normal, blue),
        Vertex(vec3(-1.0, 1.0, 0.0), normal, blue),
    ];
    let mut camera = pipeline.constants("Camera")?;
    let eye = Mat4::from_translation(vec3(0.0, 0.0, 5.0));
    camera.set(
        "ViewProjection",
        directx::perspective(1.0, 1.5, 0.1, 100.0) * eye,
    )?;
    camera.set("Light", vec3(0.0, 0.6, 0.8))?;

    let state = DrawState::new(Topology::TriangleList)
        .vertex_buffer(0, VertexBufferView::from_slice(&square))
        .index_buffer(IndexBufferView::from_u16(&[0, 1, 2, 0, 2, 3]))
        .constants(&camera);
    let results = pipeline.draw(&state, &DrawCall::indexed(6))?;
    let positions: Vec<Vec4> = results.output("SV_Position", 0)?.rows()?.collect();
    for triangle in results.primitives().iter() {
        let corners: Vec<Vec4> = triangle.rows().map(|row| positions[row]).collect();
        println!("triangle {}: {corners:?}", triangle.id);
    }
    Ok(())
}
