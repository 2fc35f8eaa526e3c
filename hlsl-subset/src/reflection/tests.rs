//! All that reflection says of a shader that has some of everything, field by field.

use crate::compile::check_entry;
use crate::options::CompileOptions;
use crate::preprocess::NoIncludes;

const SHADER: &str = "\
#pragma pack_matrix(row_major)
struct Bone { float4x3 m; float weight; };
struct Light { float3 position; float range; column_major float2x2 spin; };
cbuffer Camera : register(b2) { float4x4 world; float3 eye; float time; Light lights[2]; bool on; };
cbuffer Unused { int4 nothing; };
float tint[3];
StructuredBuffer<Bone> bones : register(t1);
Texture2D<float4> maps[4] : register(t4);
SamplerState smp;
struct VSIn { float3 position : POSITION; uint4 joints : BLENDINDICES; float4x3 instance : INSTANCE; uint id : SV_VertexID; };
struct VSOut
{
    float4 position : SV_Position;
    float2 uv[2] : TEXCOORD3;
    nointerpolation float fog : FOG;
    int kind : KIND;
    float clip : SV_ClipDistance0;
    uint slice : SV_RenderTargetArrayIndex;
};
VSOut main(VSIn v, uint view : SV_ViewID, uniform float4 extra)
{
    VSOut o = (VSOut)0;
    o.position = mul(float4(mul(float4(v.position, 1), v.instance), 1), world) + extra * tint[1];
    o.position.xyz += bones[v.joints.x].m[0] + maps[1].SampleLevel(smp, 0, 0).xyz;
    o.clip = lights[v.id & 1].range * time + eye.x + on + view;
    return o;
}
";

#[test]
fn every_field_of_everything() {
    let options = CompileOptions {
        profile: "vs_6_1".parse().expect("a profile"),
        ..CompileOptions::default()
    };
    let checked = check_entry("t.hlsl", SHADER.as_bytes(), &options, &mut NoIncludes);
    let said = checked.diagnostics.render_text(&checked.sources, false);
    let reflection = checked.reflection.expect(&said);
    insta::assert_snapshot!(reflection.to_json());
}
