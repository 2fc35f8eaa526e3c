//! Semantics: names with an index, and the table of system values with what each is at each point of the pipeline.
//!
//! The table is system-values.md section 7, cut down to the points at which a vertex or geometry shader has a
//! signature. Must not know how types are spread over registers (that is `signature`).

use crate::profile::Profile;
use crate::types::Scalar;
use std::fmt;

/// A semantic that the pipeline knows (system-values.md section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

impl SystemValue {
    /// Its name as Direct3D's documentation writes it.
    pub fn text(self) -> &'static str {
        TABLE
            .iter()
            .find(|row| row.value == Some(self))
            .map_or("SV_", |row| row.name)
    }
}

impl fmt::Display for SystemValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// A place in the pipeline at which a shader has a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Point {
    /// Inputs of a vertex shader.
    VertexIn,
    /// Outputs of a vertex shader.
    VertexOut,
    /// Inputs of a geometry shader that each vertex of the primitive has.
    GeometryVertexIn,
    /// Inputs of a geometry shader that the primitive has.
    GeometryIn,
    /// Outputs of a geometry shader.
    GeometryOut,
}

impl Point {
    /// In words, for messages.
    pub const fn text(self) -> &'static str {
        match self {
            Point::VertexIn => "a vertex shader input",
            Point::VertexOut => "a vertex shader output",
            Point::GeometryVertexIn => "a vertex of a geometry shader input",
            Point::GeometryIn => "a geometry shader input",
            Point::GeometryOut => "a geometry shader output",
        }
    }

    /// Whether values come in there.
    pub const fn is_input(self) -> bool {
        matches!(
            self,
            Point::VertexIn | Point::GeometryVertexIn | Point::GeometryIn
        )
    }
}

/// What a semantic is at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpretation {
    /// Plain data; also a system value's name where the pipeline gives it no meaning (FS 4.4.5).
    Arbitrary,
    /// A system value that takes a register.
    System(SystemValue),
    /// A system value that is not in the signature.
    NotInSignature(SystemValue),
}

/// Why a semantic may not stand at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misplaced {
    /// There is no such system value; the nearest name, if one is near.
    Unknown(Option<&'static str>),
    /// It exists elsewhere only. The name as documented, and advice where there is some.
    NotHere(&'static str, Option<&'static str>),
    /// It needs a later shader model: name, major, minor.
    Model(&'static str, u8, u8),
}

/// What the table has in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cell {
    /// Not available.
    No,
    /// Plain data.
    Arb,
    /// System value, in the signature, from this shader model on.
    Sv(u8, u8),
    /// System value, not in the signature, from this shader model on.
    Nis(u8, u8),
}

/// Which types a system value may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// One `uint` (an `int` has the same bits and is accepted).
    Uint,
    /// `float4`.
    Float4,
    /// Floats: scalars, vectors or arrays of them.
    Floats,
}

impl Allowed {
    /// Whether so many components of `scalar` will do.
    pub fn takes(self, scalar: Scalar, components: u8) -> bool {
        match self {
            Allowed::Uint => scalar.is_integer() && components == 1,
            Allowed::Float4 => scalar == Scalar::Float && components == 4,
            Allowed::Floats => scalar == Scalar::Float,
        }
    }

    /// In words, for messages.
    pub const fn text(self) -> &'static str {
        match self {
            Allowed::Uint => "uint",
            Allowed::Float4 => "float4",
            Allowed::Floats => "float",
        }
    }
}

struct Row {
    name: &'static str,
    value: Option<SystemValue>,
    allowed: Allowed,
    /// By [`Point`].
    cells: [Cell; 5],
}

macro_rules! rows {
    ($($name:ident $value:expr, $allowed:ident: $vi:expr, $vo:expr, $gvi:expr, $gi:expr, $go:expr;)*) => {
        static TABLE: &[Row] = {
            use Cell::{Arb, Nis, No, Sv};
            &[$(Row {
                name: stringify!($name), value: $value, allowed: Allowed::$allowed, cells: [$vi, $vo, $gvi, $gi, $go],
            }),*]
        };
    };
}

const NOW: Cell = Cell::Sv(4, 0);

// A shadow (Sh), a generated value (SGV) and the clip and cull distances (CC) of the document are system values here.
rows! {
    SV_VertexID Some(SystemValue::VertexId), Uint: NOW, No, No, No, No;
    SV_InstanceID Some(SystemValue::InstanceId), Uint: NOW, Arb, Arb, No, Arb;
    SV_Position Some(SystemValue::Position), Float4: Arb, NOW, NOW, No, NOW;
    SV_RenderTargetArrayIndex Some(SystemValue::RenderTargetArrayIndex), Uint: Arb, NOW, NOW, No, NOW;
    SV_ViewportArrayIndex Some(SystemValue::ViewportArrayIndex), Uint: Arb, NOW, NOW, No, NOW;
    SV_ClipDistance Some(SystemValue::ClipDistance), Floats: Arb, NOW, NOW, No, NOW;
    SV_CullDistance Some(SystemValue::CullDistance), Floats: Arb, NOW, NOW, No, NOW;
    SV_PrimitiveID Some(SystemValue::PrimitiveId), Uint: No, No, No, NOW, NOW;
    SV_GSInstanceID Some(SystemValue::GsInstanceId), Uint: No, No, No, Nis(5, 0), No;
    SV_ViewID Some(SystemValue::ViewId), Uint: Nis(6, 1), No, No, Nis(6, 1), No;
    SV_ShadingRate Some(SystemValue::ShadingRate), Uint: No, Sv(6, 4), NOW, No, NOW;
    SV_StartVertexLocation Some(SystemValue::StartVertexLocation), Uint: Nis(6, 8), No, No, No, No;
    SV_StartInstanceLocation Some(SystemValue::StartInstanceLocation), Uint: Nis(6, 8), No, No, No, No;
    SV_IsFrontFace None, Uint: No, No, No, No, Arb;
    SV_OutputControlPointID None, Uint: No, No, No, No, No;
    SV_DomainLocation None, Floats: No, No, No, No, No;
    SV_SampleIndex None, Uint: No, No, No, No, No;
    SV_Coverage None, Uint: No, No, No, No, No;
    SV_InnerCoverage None, Uint: No, No, No, No, No;
    SV_Target None, Floats: No, No, No, No, No;
    SV_Depth None, Floats: No, No, No, No, No;
    SV_DepthLessEqual None, Floats: No, No, No, No, No;
    SV_DepthGreaterEqual None, Floats: No, No, No, No, No;
    SV_StencilRef None, Uint: No, No, No, No, No;
    SV_TessFactor None, Floats: No, No, No, No, No;
    SV_InsideTessFactor None, Floats: No, No, No, No, No;
    SV_Barycentrics None, Floats: No, No, No, No, No;
    SV_CullPrimitive None, Uint: No, No, No, No, No;
    SV_DispatchThreadID None, Uint: No, No, No, No, No;
    SV_GroupID None, Uint: No, No, No, No, No;
    SV_GroupIndex None, Uint: No, No, No, No, No;
    SV_GroupThreadID None, Uint: No, No, No, No, No;
}

/// A semantic as written, taken apart: name without trailing digits, index (0 where there are none). `None` where
/// the index does not fit 32 bits.
pub fn split(semantic: &str) -> Option<(&str, u32)> {
    let name = semantic.trim_end_matches(|c: char| c.is_ascii_digit());
    match &semantic[name.len()..] {
        "" => Some((name, 0)),
        digits => digits.parse().ok().map(|index| (name, index)),
    }
}

/// Whether a name is reserved for system values.
pub fn is_reserved(name: &str) -> bool {
    name.get(..3)
        .is_some_and(|prefix| prefix.eq_ignore_ascii_case("SV_"))
}

/// What the semantic `name` (without digits, in any case) is at `point` for a shader of this profile.
pub fn interpret(name: &str, point: Point, profile: Profile) -> Result<Interpretation, Misplaced> {
    if !is_reserved(name) {
        return Ok(Interpretation::Arbitrary);
    }
    let Some(row) = TABLE.iter().find(|row| row.name.eq_ignore_ascii_case(name)) else {
        let names = TABLE.iter().map(|row| row.name);
        return Err(Misplaced::Unknown(crate::diagnostic::nearest(name, names)));
    };
    match (row.cells[point as usize], row.value) {
        (Cell::Arb, _) => Ok(Interpretation::Arbitrary),
        (Cell::Sv(major, minor) | Cell::Nis(major, minor), _)
            if !profile.at_least(major, minor) =>
        {
            Err(Misplaced::Model(row.name, major, minor))
        }
        (Cell::Sv(..), Some(value)) => Ok(Interpretation::System(value)),
        (Cell::Nis(..), Some(value)) => Ok(Interpretation::NotInSignature(value)),
        _ => Err(Misplaced::NotHere(row.name, advice(row.name, point))),
    }
}

/// Which types a system value may have.
pub fn allowed(value: SystemValue) -> Allowed {
    TABLE
        .iter()
        .find(|row| row.value == Some(value))
        .map_or(Allowed::Uint, |row| row.allowed)
}

fn advice(name: &str, point: Point) -> Option<&'static str> {
    match (name, point) {
        ("SV_PrimitiveID", Point::VertexIn) => Some(
            "a vertex can belong to several primitives; take it in a geometry shader (`[geometry_shader]` in a draw \
             file), or compute it from SV_VertexID",
        ),
        ("SV_Target", Point::VertexOut) => {
            Some("a vertex shader hands colours on with a name of yours, as COLOR0")
        }
        ("SV_Depth", Point::VertexOut) => Some("a vertex shader sets the depth with SV_Position.z"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(name: &str, point: Point, profile: &str) -> Result<Interpretation, Misplaced> {
        interpret(name, point, profile.parse().expect("a profile"))
    }

    #[test]
    fn trailing_digits_are_the_index() {
        assert_eq!(split("TEXCOORD12"), Some(("TEXCOORD", 12)));
        assert_eq!(split("POSITION"), Some(("POSITION", 0)));
        assert_eq!(split("A1B2"), Some(("A1B", 2)));
        assert_eq!(split("A99999999999"), None);
    }

    #[test]
    fn names_are_compared_without_case() {
        assert_eq!(
            at("sv_POSITION", Point::VertexOut, "vs_5_0"),
            Ok(Interpretation::System(SystemValue::Position))
        );
    }

    #[test]
    fn a_position_that_comes_in_is_plain_data() {
        assert_eq!(
            at("SV_Position", Point::VertexIn, "vs_5_0"),
            Ok(Interpretation::Arbitrary)
        );
        assert_eq!(
            at("POSITION", Point::VertexOut, "vs_5_0"),
            Ok(Interpretation::Arbitrary)
        );
        assert_eq!(
            at("SV_InstanceID", Point::VertexOut, "vs_5_0"),
            Ok(Interpretation::Arbitrary)
        );
    }

    #[test]
    fn the_primitive_id_is_never_a_vertex_shaders() {
        assert!(matches!(
            at("SV_PrimitiveID", Point::VertexIn, "vs_5_0"),
            Err(Misplaced::NotHere("SV_PrimitiveID", Some(advice))) if advice.contains("[geometry_shader]")
        ));
        assert_eq!(
            at("SV_PrimitiveID", Point::GeometryIn, "gs_5_0"),
            Ok(Interpretation::System(SystemValue::PrimitiveId))
        );
    }

    #[test]
    fn later_system_values_need_later_models() {
        assert_eq!(
            at("SV_ViewID", Point::VertexIn, "vs_6_0"),
            Err(Misplaced::Model("SV_ViewID", 6, 1))
        );
        assert_eq!(
            at("SV_ViewID", Point::VertexIn, "vs_6_1"),
            Ok(Interpretation::NotInSignature(SystemValue::ViewId))
        );
        assert_eq!(
            at("SV_StartVertexLocation", Point::VertexIn, "vs_6_7"),
            Err(Misplaced::Model("SV_StartVertexLocation", 6, 8))
        );
        assert_eq!(
            at("SV_ShadingRate", Point::VertexOut, "vs_6_3"),
            Err(Misplaced::Model("SV_ShadingRate", 6, 4))
        );
    }

    /// system-values.md section 7: at VSIn, VSOut, GSVIn, GSIn and GSOut. `sv`: system value; `arb`: plain data;
    /// `nis`: not in the signature; `-`: not available; with the first shader model behind `@`.
    const STAGES: &str = "
        VertexID                sv      -       -       -       -
        InstanceID              sv      arb     arb     -       arb
        Position                arb     sv      sv      -       sv
        RenderTargetArrayIndex  arb     sv      sv      -       sv
        ViewportArrayIndex      arb     sv      sv      -       sv
        ClipDistance            arb     sv      sv      -       sv
        CullDistance            arb     sv      sv      -       sv
        PrimitiveID             -       -       -       sv      sv
        OutputControlPointID    -       -       -       -       -
        DomainLocation          -       -       -       -       -
        GSInstanceID            -       -       -       nis@5.0 -
        SampleIndex             -       -       -       -       -
        Coverage                -       -       -       -       -
        InnerCoverage           -       -       -       -       -
        Target                  -       -       -       -       -
        Depth                   -       -       -       -       -
        DepthLessEqual          -       -       -       -       -
        DepthGreaterEqual       -       -       -       -       -
        StencilRef              -       -       -       -       -
        TessFactor              -       -       -       -       -
        InsideTessFactor        -       -       -       -       -
        ViewID                  nis@6.1 -       -       nis@6.1 -
        Barycentrics            -       -       -       -       -
        ShadingRate             -       sv@6.4  sv      -       sv
        StartVertexLocation     nis@6.8 -       -       -       -
        StartInstanceLocation   nis@6.8 -       -       -       -";

    #[test]
    fn every_system_value_at_every_point() {
        let points = [
            Point::VertexIn,
            Point::VertexOut,
            Point::GeometryVertexIn,
            Point::GeometryIn,
            Point::GeometryOut,
        ];
        let mut lines = 0;
        for line in STAGES.lines().filter(|l| !l.trim().is_empty()) {
            lines += 1;
            let mut words = line.split_whitespace();
            let name = format!("SV_{}", words.next().expect("a name"));
            for (point, cell) in points.into_iter().zip(words) {
                let stage = if (point as usize) < 2 { "vs" } else { "gs" };
                let found = match at(&name, point, &format!("{stage}_6_8")) {
                    Ok(Interpretation::Arbitrary) => "arb",
                    Ok(Interpretation::System(_)) => "sv",
                    Ok(Interpretation::NotInSignature(_)) => "nis",
                    Err(Misplaced::NotHere(..)) => "-",
                    Err(other) => panic!("{name} at {point:?}: {other:?}"),
                };
                let (want, model) = cell.split_once('@').unwrap_or((cell, ""));
                assert_eq!(found, want, "{name} at {point:?}");
                if let Some((major, minor)) = model.split_once('.') {
                    let first = (
                        major.parse().expect("a number"),
                        minor.parse().expect("a number"),
                    );
                    let early = at(&name, point, &format!("{stage}_4_1"));
                    assert!(
                        matches!(early, Err(Misplaced::Model(_, a, b)) if (a, b) == first),
                        "{name} at {point:?}: {early:?}"
                    );
                }
            }
        }
        assert_eq!(lines, 26);
    }

    #[test]
    fn a_misspelt_system_value_has_a_nearest_one() {
        assert_eq!(
            at("SV_VertxID", Point::VertexIn, "vs_5_0"),
            Err(Misplaced::Unknown(Some("SV_VertexID")))
        );
        assert_eq!(
            at("SV_Nonsense", Point::VertexIn, "vs_5_0"),
            Err(Misplaced::Unknown(None))
        );
    }

    #[test]
    fn only_positions_need_four_floats() {
        assert!(allowed(SystemValue::Position).takes(Scalar::Float, 4));
        assert!(!allowed(SystemValue::Position).takes(Scalar::Float, 3));
        assert!(allowed(SystemValue::VertexId).takes(Scalar::Uint, 1));
        assert!(!allowed(SystemValue::VertexId).takes(Scalar::Float, 1));
    }
}
