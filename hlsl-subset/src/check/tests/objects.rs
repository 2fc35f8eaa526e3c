//! Exact texts of what is said about registers, descriptor heaps, strings and what belongs to other stages.

use super::cases;

cases! {
    registers_of_direct3d_9, V2018,
        "float4x4 world : register(c0);
        bool lit : register(b0);
        int count : register(i0);
        sampler2D map : register(s0);
        texture t : register(t0);"
        =>
        "";

    large_arrays_of_constant_buffers, V2018,
        "struct S { float4 a; };
        ConstantBuffer<S> many[64] : register(b0, space1);
        ConstantBuffer<S> any[] : register(b0, space2);
        ConstantBuffer<float4> none;
        float4 f(uint i) { return many[i].a + any[i + 3].a; }"
        =>
        "4:24 error F0206: a constant buffer holds a struct, not `float4`";

    constant_buffers_as_parameters, V2018,
        "struct S { float4 a; };
        ConstantBuffer<S> c;
        float4 f(ConstantBuffer<S> b) { return b.a; }
        float4 g() { return f(c); }"
        =>
        "";

    members_with_and_without_packoffset, V2018,
        "cbuffer C { float4 a : packoffset(c1); float b; };"
        =>
        "1:46 warning F1501: members with and without packoffset are mixed";

    strings_of_effect_files, V2018,
        "string name = \"Color\";
        string list[] = { \"a\", \"b\" };
        static string other = \"c\";
        float4 f() { return name; }"
        =>
        "4:21 error F0206: strings are no values; they exist in attributes and effect syntax only";

    a_descriptor_heap, V2021,
        "struct S { float4 a; };
        float4 f(uint i)
        {
            StructuredBuffer<S> b = ResourceDescriptorHeap[i];
            Texture2D t = ResourceDescriptorHeap[NonUniformResourceIndex(i)];
            SamplerState s = SamplerDescriptorHeap[0];
            ConstantBuffer<S> c = ResourceDescriptorHeap[i + 1];
            Texture2D no = SamplerDescriptorHeap[0];
            return b[0].a + t.SampleLevel(s, 0, 0) + c.a;
        }"
        =>
        "8:20 error F0301: cannot convert `SamplerDescriptorHeap[…]` to `Texture2D<float4>` to initialise `no`";
}
