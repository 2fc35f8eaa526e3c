// A lit vertex shader as one finds them: constant buffers by name, an include with a helper, a loop over lights.
#include "lighting.hlsli"

cbuffer Camera : register(b0)
{
    float4x4 ViewProjection;
    float3 Eye;
};

cbuffer Object : register(b1)
{
    float4x4 World;
    float3 Albedo;
    float Shininess;
};

struct VertexIn
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    float2 uv : TEXCOORD;
};

struct VertexOut
{
    float4 position : SV_Position;
    float3 normal : NORMAL;
    float2 uv : TEXCOORD;
    float3 color : COLOR;
};

VertexOut main(VertexIn v)
{
    float3 world = mul(World, float4(v.position, 1)).xyz;
    float3 normal = normalize(mul((float3x3)World, v.normal));
    float3 toEye = normalize(Eye - world);

    float3 color = Ambient * Albedo;
    for (int i = 0; i < LightCount; ++i)
        color += Shade(Lights[i], world, normal, toEye, Albedo, Shininess);

    VertexOut o;
    o.position = mul(ViewProjection, float4(world, 1));
    o.normal = normal;
    o.uv = v.uv;
    o.color = ToDisplay(color);
    return o;
}
