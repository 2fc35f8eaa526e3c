// Point lights with a Blinn-Phong highlight.
#ifndef LIGHTING_HLSLI
#define LIGHTING_HLSLI

#define MAX_LIGHTS 4

struct Light
{
    float3 position;
    float range;
    float3 color;
};

cbuffer Lighting : register(b2)
{
    Light Lights[MAX_LIGHTS];
    float3 Ambient;
    int LightCount;
};

float3 Shade(Light light, float3 position, float3 normal, float3 toEye, float3 albedo, float shininess)
{
    float3 toLight = light.position - position;
    float distance = length(toLight);
    toLight /= distance;
    float diffuse = saturate(dot(normal, toLight));
    if (diffuse == 0)
        return 0;
    float falloff = saturate(1 - distance / light.range);
    float3 halfway = normalize(toLight + toEye);
    float highlight = pow(saturate(dot(normal, halfway)), shininess);
    return light.color * falloff * (albedo * diffuse + highlight);
}

// Linear light as a display wants it.
float3 ToDisplay(float3 color)
{
    return pow(saturate(color), 1 / 2.2);
}

#endif
