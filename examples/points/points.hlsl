// A torus knot from SV_VertexID alone: no vertex buffer, no layout.
static const float TWO_PI = 6.2831853;

cbuffer Knot : register(b0)
{
    float4x4 ViewProjection;
    uint Count;      // points
    float P;         // turns around the axis
    float Q;         // turns around the tube
};

struct VertexOut
{
    float4 position : SV_Position;
    float3 color : COLOR;
};

VertexOut main(uint id : SV_VertexID)
{
    float t = id * (TWO_PI / Count);
    float s, c;
    sincos(P * t, s, c);
    float radius = 2 + cos(Q * t);
    float3 p = float3(radius * c, radius * s, sin(Q * t));

    VertexOut o;
    o.position = mul(ViewProjection, float4(p, 1));
    o.color = 0.5 + 0.5 * cos(t + float3(0, 2.1, 4.2));
    return o;
}
