// A meadow: one blade, drawn many times. Where it stands comes from per-instance data, how it bends from
// SV_InstanceID.
cbuffer Scene : register(b0)
{
    float4x4 ViewProjection;
    float Time;
    float Wind;
};

struct VertexIn
{
    float2 shape : POSITION;     // across the blade, up the blade: 0 to 1
    float3 place : PLACE;        // x, y, and the blade's height
    float4 tint : TINT;
    uint instance : SV_InstanceID;
};

struct VertexOut
{
    float4 position : SV_Position;
    float3 color : COLOR;
};

// A number from 0 to 1 that looks random.
float Hash(uint n)
{
    n = (n ^ 61) ^ (n >> 16);
    n *= 9;
    n ^= n >> 4;
    n *= 0x27d4eb2d;
    n ^= n >> 15;
    return n * (1.0 / 4294967296.0);
}

VertexOut main(VertexIn v)
{
    float turn = Hash(v.instance) * 6.2831853;
    float sway = Wind * sin(Time + v.place.x * 0.7 + v.place.y * 0.4) + 0.3 * Hash(v.instance + 7919);

    float height = v.place.z * v.shape.y;
    float2 across = float2(cos(turn), sin(turn)) * (v.shape.x * 0.06 * (1 - v.shape.y));
    float2 bend = float2(sway, 0.3 * sway) * v.shape.y * v.shape.y;

    VertexOut o;
    o.position = mul(ViewProjection, float4(v.place.xy + across + bend, height, 1));
    o.color = v.tint.rgb * (0.35 + 0.65 * v.shape.y);
    return o;
}
