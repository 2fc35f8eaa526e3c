//! System values: which semantics mean something to the pipeline, and where.

/// A semantic that the pipeline knows (system-values.md section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SystemValue {
    /// SV_VertexID.
    VertexId,
    /// SV_InstanceID.
    InstanceId,
    /// SV_ViewID.
    ViewId,
    /// SV_StartVertexLocation.
    StartVertexLocation,
    /// SV_StartInstanceLocation.
    StartInstanceLocation,
    /// SV_PrimitiveID.
    PrimitiveId,
    /// SV_GSInstanceID.
    GsInstanceId,
    /// SV_Position.
    Position,
    /// SV_ClipDistance.
    ClipDistance,
    /// SV_CullDistance.
    CullDistance,
    /// SV_RenderTargetArrayIndex.
    RenderTargetArrayIndex,
    /// SV_ViewportArrayIndex.
    ViewportArrayIndex,
    /// SV_ShadingRate.
    ShadingRate,
}
