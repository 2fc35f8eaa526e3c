//! Intrinsics that are known but cannot be called from a vertex shader, or not here, and why.

use super::Refused;
use super::signature::{Component, Ret, Shape};
use crate::check::intrinsic_call::{ArgInfo, Unresolved};
use crate::check::module::When;
use crate::types::{Scalar, Type};

/// Why a call is refused: when that counts, and the text after "`name` ".
#[derive(Debug)]
pub(super) struct Reason {
    when: When,
    text: &'static str,
    /// Strings may be among the arguments.
    pub(super) takes_text: bool,
}

const fn vertex(text: &'static str) -> Reason {
    Reason {
        when: When::Vertex,
        text,
        takes_text: false,
    }
}

const DERIVATIVE: Reason = vertex(
    "needs derivatives across a 2x2 block of pixels, which only pixel shaders have; in a vertex shader compute the \
     difference yourself",
);
const SAMPLE: Reason = vertex(
    "chooses the mip level from derivatives, which only pixel shaders have; use the form that takes a level (`tex…lod`, \
     `SampleLevel`)",
);
const DISCARD: Reason = vertex("discards a pixel, and a vertex shader has none");
const PIXEL: Reason = vertex("is for pixel shaders only");
const HULL: Reason = vertex("is for hull shaders only");
const BARRIER: Reason = vertex(
    "waits for other threads of a compute or pixel shader; a vertex shader has none to wait for",
);
const ATOMIC: Reason = vertex(
    "changes a writable resource or group-shared memory, which vertex shaders do not have here",
);
const WAVE: Reason = Reason {
    when: When::Always,
    text: "looks at other lanes of a wave; which vertices share one is not defined here, so wave intrinsics are not \
           supported",
    takes_text: false,
};
const RAY: Reason = vertex("is for ray tracing shaders only");
const MESH: Reason = vertex("is for mesh and amplification shaders only");
const DOUBLE: Reason = Reason {
    when: When::Always,
    text: "works on `double`, which is not supported; use `float`",
    takes_text: false,
};
const FMA: Reason = Reason {
    when: When::Always,
    text: "takes `double` only, which is not supported; for floats use `mad`, which is fused",
    takes_text: false,
};
const EFFECT: Reason = Reason {
    when: When::Always,
    text: "was for effect files of Direct3D 9 and has no meaning since; use a texture",
    takes_text: false,
};
const DEBUG: Reason = Reason {
    when: When::Always,
    text: "is for debugging on the reference device and is not supported",
    takes_text: true,
};
const PACKED: Reason = Reason {
    when: When::Always,
    text: "works on packed 8- or 16-bit values and is not supported; use shifts and masks",
    takes_text: false,
};
const FETCH: Reason = Reason {
    when: When::Codegen,
    text: "reads a texture; resources are not supported yet",
    takes_text: false,
};

/// As the first argument.
const LIKE: Option<Ret> = None;
const VOID: Option<Ret> = Some(Ret::Void);
const FLOAT: Option<Ret> = Some(Ret::Value(Component::Fixed(Scalar::Float), Shape::Scalar));
const FLOAT4: Option<Ret> = Some(Ret::Value(
    Component::Fixed(Scalar::Float),
    Shape::Vector(4),
));
const UINT: Option<Ret> = Some(Ret::Value(Component::Fixed(Scalar::Uint), Shape::Scalar));
const FLOAT3: Option<Ret> = Some(Ret::Value(
    Component::Fixed(Scalar::Float),
    Shape::Vector(3),
));
const UINT3: Option<Ret> = Some(Ret::Value(Component::Fixed(Scalar::Uint), Shape::Vector(3)));
const UINT4: Option<Ret> = Some(Ret::Value(Component::Fixed(Scalar::Uint), Shape::Vector(4)));
const BOOL: Option<Ret> = Some(Ret::Value(Component::Fixed(Scalar::Bool), Shape::Scalar));

impl Refused {
    /// What the checker is told of a call.
    pub(super) fn unresolved(&self, args: &[ArgInfo]) -> Unresolved {
        let like = || {
            args.first()
                .map_or(Type::Scalar(Scalar::Float), |a| a.ty.clone())
        };
        Unresolved::Refused {
            when: self.reason.when,
            reason: self.reason.text.to_owned(),
            ret: self.ret.map_or_else(like, Ret::alone),
        }
    }

    /// The reason, as a sentence that begins with the name.
    pub fn text(&self) -> String {
        format!("`{}` {}", self.name, self.reason.text)
    }
}

macro_rules! table {
    ($($reason:ident $ret:ident: $($name:ident)*;)*) => {
        pub(super) static TABLE: &[Refused] = &[$($(Refused {
            name: stringify!($name), reason: &$reason, ret: $ret,
        },)*)*];
    };
}

table! {
    DERIVATIVE LIKE: ddx ddx_coarse ddx_fine ddy ddy_coarse ddy_fine fwidth;
    SAMPLE FLOAT4: tex1D tex1Dbias tex1Dproj tex2D tex2Dbias tex2Dproj tex3D tex3Dbias tex3Dproj texCUBE texCUBEbias
        texCUBEproj;
    FETCH FLOAT4: tex1Dlod tex1Dgrad tex2Dlod tex2Dgrad tex3Dlod tex3Dgrad texCUBElod texCUBEgrad;
    DISCARD VOID: clip;
    PIXEL LIKE: EvaluateAttributeAtCentroid EvaluateAttributeAtSample EvaluateAttributeSnapped GetAttributeAtVertex;
    PIXEL FLOAT4: GetRenderTargetSamplePosition;
    PIXEL UINT: GetRenderTargetSampleCount;
    HULL VOID: Process2DQuadTessFactorsAvg Process2DQuadTessFactorsMax Process2DQuadTessFactorsMin
        ProcessIsolineTessFactors ProcessQuadTessFactorsAvg ProcessQuadTessFactorsMax ProcessQuadTessFactorsMin
        ProcessTriTessFactorsAvg ProcessTriTessFactorsMax ProcessTriTessFactorsMin;
    BARRIER VOID: AllMemoryBarrier AllMemoryBarrierWithGroupSync DeviceMemoryBarrier DeviceMemoryBarrierWithGroupSync
        GroupMemoryBarrier GroupMemoryBarrierWithGroupSync;
    ATOMIC VOID: InterlockedAdd InterlockedAnd InterlockedCompareExchange InterlockedCompareStore
        InterlockedCompareExchangeFloatBitwise InterlockedCompareStoreFloatBitwise InterlockedExchange InterlockedMax
        InterlockedMin InterlockedOr InterlockedXor;
    WAVE LIKE: QuadReadAcrossDiagonal QuadReadAcrossX QuadReadAcrossY QuadReadLaneAt WaveActiveBitAnd WaveActiveBitOr
        WaveActiveBitXor WaveActiveMax WaveActiveMin WaveActiveProduct WaveActiveSum WaveMultiPrefixBitAnd
        WaveMultiPrefixBitOr WaveMultiPrefixBitXor WaveMultiPrefixProduct WaveMultiPrefixSum WavePrefixProduct
        WavePrefixSum WaveReadLaneAt WaveReadLaneFirst;
    WAVE UINT: WaveActiveCountBits WaveGetLaneCount WaveGetLaneIndex WaveMultiPrefixCountBits WavePrefixCountBits;
    WAVE UINT4: WaveActiveBallot WaveMatch;
    WAVE BOOL: QuadAll QuadAny WaveActiveAllEqual WaveActiveAllTrue WaveActiveAnyTrue WaveIsFirstLane;
    RAY VOID: AcceptHitAndEndSearch CallShader IgnoreHit TraceRay;
    RAY BOOL: ReportHit;
    RAY UINT: GeometryIndex HitKind InstanceID InstanceIndex PrimitiveIndex RayFlags;
    RAY UINT3: DispatchRaysDimensions DispatchRaysIndex;
    RAY FLOAT: RayTCurrent RayTMin;
    RAY FLOAT3: ObjectRayDirection ObjectRayOrigin WorldRayDirection WorldRayOrigin;
    MESH VOID: DispatchMesh SetMeshOutputCounts;
    DOUBLE FLOAT: asdouble;
    FMA FLOAT: fma;
    EFFECT FLOAT: noise;
    DEBUG VOID: abort errorf printf;
    FETCH BOOL: CheckAccessFullyMapped;
    PACKED UINT: asfloat16 asint16 asuint16 dot2add pack_clamp_s8 pack_clamp_u8 pack_s8
        pack_u8 unpack_s8s16 unpack_s8s32 unpack_u8u16 unpack_u8u32;
}
