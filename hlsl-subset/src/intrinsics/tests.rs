//! How intrinsics choose types, and what they say of calls that fit none.

use super::*;
use crate::check::intrinsic_call::Meaning;
use crate::types::{Scalar, Type};
use fuseline_numerics::op::Op;

fn arg(ty: Type) -> ArgInfo {
    ArgInfo {
        ty,
        literal: false,
        writable: true,
    }
}

fn literal(scalar: Scalar) -> ArgInfo {
    ArgInfo {
        ty: Type::Scalar(scalar),
        literal: true,
        writable: false,
    }
}

fn scalar(scalar: Scalar) -> ArgInfo {
    arg(Type::Scalar(scalar))
}

fn vector(scalar: Scalar, n: u8) -> ArgInfo {
    arg(Type::Vector(scalar, n))
}

fn matrix(r: u8, c: u8) -> ArgInfo {
    arg(Type::Matrix(Scalar::Float, r, c))
}

/// `params -> ret`, or the error.
fn types(name: &str, args: &[ArgInfo]) -> String {
    match resolve(name, args, &Options::default()) {
        None => "unknown".to_owned(),
        Some(Ok(r)) => {
            let params: Vec<String> = r.params.iter().map(|p| p.ty.to_string()).collect();
            format!("{} -> {}", params.join(", "), r.ret)
        }
        Some(Err(Unresolved::Count(text))) => format!("takes {text}"),
        Some(Err(Unresolved::Argument(i, why))) => format!("argument {i} {why}"),
        Some(Err(Unresolved::Refused { reason, .. })) => reason,
    }
}

#[test]
fn a_group_takes_the_common_component_type_and_the_smallest_dimensions() {
    use Scalar::*;
    assert_eq!(
        types("max", &[scalar(Int), scalar(Float)]),
        "float, float -> float"
    );
    assert_eq!(
        types("min", &[scalar(Uint), scalar(Int)]),
        "uint, uint -> uint"
    );
    assert_eq!(
        types("max", &[vector(Float, 3), vector(Int, 2)]),
        "float2, float2 -> float2"
    );
    assert_eq!(
        types("lerp", &[vector(Float, 3), vector(Float, 3), scalar(Float)]),
        "float3, float3, float3 -> float3"
    );
    assert_eq!(
        types("max", &[scalar(Bool), scalar(Bool)]),
        "int, int -> int"
    );
    assert_eq!(
        types("max", &[matrix(4, 4), matrix(3, 4)]),
        "float3x4, float3x4 -> float3x4"
    );
}

#[test]
fn a_literal_takes_the_type_of_the_others() {
    use Scalar::*;
    assert_eq!(
        types("max", &[scalar(Uint), literal(Int)]),
        "uint, uint -> uint"
    );
    assert_eq!(
        types("max", &[scalar(Int), literal(Uint)]),
        "int, int -> int"
    );
    assert_eq!(
        types("max", &[scalar(Int), literal(Float)]),
        "float, float -> float"
    );
    assert_eq!(
        types("max", &[literal(Int), literal(Int)]),
        "int, int -> int"
    );
}

#[test]
fn mul_has_an_overload_for_every_pair_of_dimensions() {
    use Scalar::*;
    let v = |n| vector(Float, n);
    assert_eq!(
        types("mul", &[scalar(Float), scalar(Float)]),
        "float, float -> float"
    );
    assert_eq!(
        types("mul", &[scalar(Float), v(3)]),
        "float3, float3 -> float3"
    );
    assert_eq!(
        types("mul", &[v(3), scalar(Int)]),
        "float3, float3 -> float3"
    );
    assert_eq!(
        types("mul", &[scalar(Float), matrix(2, 3)]),
        "float2x3, float2x3 -> float2x3"
    );
    assert_eq!(
        types("mul", &[matrix(2, 3), scalar(Float)]),
        "float2x3, float2x3 -> float2x3"
    );
    assert_eq!(types("mul", &[v(3), v(4)]), "float3, float3 -> float");
    assert_eq!(
        types("mul", &[v(4), matrix(4, 3)]),
        "float4, float4x3 -> float3"
    );
    assert_eq!(
        types("mul", &[matrix(4, 3), v(3)]),
        "float4x3, float3 -> float4"
    );
    assert_eq!(
        types("mul", &[v(4), matrix(3, 3)]),
        "float3, float3x3 -> float3"
    );
    assert_eq!(
        types("mul", &[matrix(2, 3), matrix(3, 4)]),
        "float2x3, float3x4 -> float2x4"
    );
    assert_eq!(
        types("mul", &[vector(Uint, 2), vector(Int, 2)]),
        "uint2, uint2 -> uint"
    );
}

#[test]
fn results_that_are_not_of_the_arguments_type() {
    use Scalar::*;
    assert_eq!(types("sign", &[vector(Float, 3)]), "float3 -> int3");
    assert_eq!(types("asuint", &[vector(Float, 3)]), "float3 -> uint3");
    assert_eq!(types("all", &[vector(Int, 3)]), "bool3 -> bool");
    assert_eq!(types("isnan", &[matrix(2, 2)]), "float2x2 -> bool2x2");
    assert_eq!(types("transpose", &[matrix(2, 3)]), "float2x3 -> float3x2");
    assert_eq!(types("length", &[vector(Float, 3)]), "float3 -> float");
    assert_eq!(
        types("cross", &[vector(Float, 4), vector(Float, 3)]),
        "float3, float3 -> float3"
    );
    assert_eq!(
        types(
            "refract",
            &[vector(Float, 3), vector(Float, 3), literal(Float)]
        ),
        "float3, float3, float -> float3"
    );
    assert_eq!(
        types(
            "select",
            &[scalar(Bool), vector(Float, 3), vector(Float, 3)]
        ),
        "bool3, float3, float3 -> float3"
    );
    assert_eq!(
        types("select", &[vector(Bool, 2), literal(Float), literal(Float)]),
        "bool2, float2, float2 -> float2"
    );
    assert_eq!(
        types(
            "sincos",
            &[vector(Float, 2), vector(Float, 2), vector(Float, 2)]
        ),
        "float2, float2, float2 -> void"
    );
    assert_eq!(types("firstbithigh", &[scalar(Int)]), "int -> int");
    assert_eq!(types("countbits", &[vector(Int, 2)]), "uint2 -> uint2");
}

#[test]
fn calls_that_fit_no_overload_say_why() {
    use Scalar::*;
    assert_eq!(types("lerp", &[scalar(Float)]), "takes 3 arguments");
    assert_eq!(types("sqrt", &[]), "takes 1 argument");
    assert_eq!(types("mul", &[scalar(Float)]), "takes 2 arguments");
    assert_eq!(
        types("dot", &[matrix(2, 2), matrix(2, 2)]),
        "argument 0 must be a vector"
    );
    assert_eq!(
        types("determinant", &[matrix(2, 3)]),
        "argument 0 must be a square matrix"
    );
    assert_eq!(
        types("transpose", &[scalar(Float)]),
        "argument 0 must be a matrix"
    );
    assert_eq!(
        types("max", &[vector(Float, 3), matrix(2, 2)]),
        "argument 1 must have the dimensions of the other arguments"
    );
    assert_eq!(
        types("firstbithigh", &[scalar(Float)]),
        "argument 0 must be an integer"
    );
    assert_eq!(
        types("abs", &[arg(Type::Void)]),
        "argument 0 must be a scalar, vector or matrix"
    );
    assert_eq!(types("no_such", &[]), "unknown");
}

#[test]
fn what_a_vertex_shader_may_not_use_is_known_and_explained() {
    assert_eq!(
        types("ddx", &[scalar(Scalar::Float)]),
        "needs derivatives across a 2x2 block of pixels, which only pixel shaders have; in a vertex shader \
         compute the difference yourself"
    );
    assert_eq!(
        types("clip", &[]),
        "discards a pixel, and a vertex shader has none"
    );
    assert_eq!(
        types("fma", &[]),
        "takes `double` only, which is not supported; for floats use `mad`, which is fused"
    );
}

#[test]
fn composites_are_text_for_the_types_at_hand() {
    let args = [
        vector(Scalar::Float, 3),
        vector(Scalar::Float, 3),
        scalar(Scalar::Float),
    ];
    match resolve("lerp", &args, &Options::default()) {
        Some(Ok(Resolved {
            meaning: Meaning::Text(text),
            ..
        })) => {
            assert_eq!(
                text,
                "float3 lerp(float3 a, float3 b, float3 s) { return a + s * (b - a); }"
            );
        }
        other => panic!("{other:?}"),
    }
}

/// Resolves and builds with arguments of the chosen types that are calls of nothing in particular.
fn build(name: &str, args: &[ArgInfo], values: Vec<crate::hir::Expr>) -> crate::hir::Expr {
    match resolve(name, args, &Options::default()) {
        Some(Ok(Resolved {
            meaning: Meaning::Build(build),
            ret,
            ..
        })) => build(crate::check::intrinsic_call::BuildCall {
            args: values,
            ret,
            span: Default::default(),
            fold: &|e| match &e.kind {
                crate::hir::ExprKind::Constant(bits) => Some(bits.clone()),
                _ => None,
            },
        }),
        other => panic!("{other:?}"),
    }
}

fn floats(values: &[f32]) -> crate::hir::Expr {
    let ty = match values.len() {
        1 => Type::Scalar(Scalar::Float),
        n => Type::Vector(Scalar::Float, n as u8),
    };
    let kind = crate::hir::ExprKind::Constant(values.iter().map(|v| v.to_bits()).collect());
    crate::hir::Expr {
        kind,
        ty,
        span: Default::default(),
    }
}

#[test]
fn pow_with_small_integer_exponents_is_repeated_multiplication() {
    use crate::hir::ExprKind;
    let powers = |exponents: &[f32]| {
        let base = floats(&vec![3.0; exponents.len()]);
        let args = [arg(base.ty.clone()), arg(base.ty.clone())];
        match build("pow", &args, vec![base, floats(exponents)]).kind {
            ExprKind::IntegerPower(_, exponents) => Some(exponents),
            _ => None,
        }
    };
    assert_eq!(powers(&[3.0]), Some(vec![3]));
    assert_eq!(powers(&[-64.0, 2.0]), Some(vec![-64, 2]));
    assert_eq!(powers(&[65.0]), None);
    assert_eq!(powers(&[2.5]), None);
    assert_eq!(powers(&[2.0, 2.5]), None);
}

#[test]
fn bits_of_arithmetic_are_made_canonical_and_those_of_bit_casts_are_not() {
    use crate::hir::{Expr, ExprKind};
    let of = |value: Expr| match build("asuint", &[arg(value.ty.clone())], vec![value]).kind {
        ExprKind::Op(Op::AsInt, args) => matches!(args[0].kind, ExprKind::Op(Op::Canon, _)),
        other => panic!("{other:?}"),
    };
    let ty = Type::Vector(Scalar::Float, 2);
    let op = |op, args| Expr {
        kind: ExprKind::Op(op, args),
        ty: ty.clone(),
        span: Default::default(),
    };
    let sum = op(Op::FAdd, vec![floats(&[1.0, 2.0]), floats(&[1.0, 2.0])]);
    let cast = op(Op::AsFloat, vec![floats(&[1.0, 2.0])]);
    let swizzled = Expr {
        kind: ExprKind::Pick(Box::new(cast.clone()), vec![1, 0]),
        ..cast.clone()
    };
    assert!(of(sum));
    assert!(!of(cast));
    assert!(!of(swizzled));
}

#[test]
fn a_scaled_result_is_not_a_product_to_fuse() {
    use crate::hir::ExprKind;
    let value = floats(&[1.0]);
    let args = [arg(value.ty.clone()), arg(value.ty.clone())];
    let product = build("mul", &args, vec![value.clone(), value.clone()]);
    assert!(matches!(product.kind, ExprKind::Pick(..)));
    assert!(matches!(
        build("radians", &args[..1], vec![value]).kind,
        ExprKind::Pick(..)
    ));
}

#[test]
fn every_name_stands_once() {
    let mut names: Vec<&str> = all()
        .map(|r| r.name)
        .chain(all_refused().map(|r| r.name))
        .collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// Those of hlsl-vs-semantics.md section 10 that a vertex shader may use without a resource.
const USABLE: &str = "abs acos asin atan all any asfloat asint asuint atan2 ceil floor trunc round clamp cos sin tan sincos \
    sinh cosh tanh countbits cross D3DCOLORtoUBYTE4 degrees radians determinant distance length dot dst exp exp2 log log2 \
    log10 f16tof32 f32tof16 faceforward firstbithigh firstbitlow fmod frac frexp isfinite isinf isnan ldexp lerp lit mad \
    max min modf msad4 mul normalize pow rcp reflect refract reversebits rsqrt saturate sign smoothstep sqrt step \
    transpose and or select isnormal NonUniformResourceIndex";

/// Those that it may not, or that are not supported.
const REFUSED: &str = "asdouble clip ddx ddx_coarse ddx_fine ddy ddy_coarse ddy_fine fwidth EvaluateAttributeAtCentroid \
    EvaluateAttributeAtSample EvaluateAttributeSnapped GetRenderTargetSampleCount GetRenderTargetSamplePosition fma noise \
    InterlockedAdd InterlockedAnd InterlockedCompareExchange InterlockedCompareStore InterlockedExchange InterlockedMax \
    InterlockedMin InterlockedOr InterlockedXor AllMemoryBarrier AllMemoryBarrierWithGroupSync DeviceMemoryBarrier \
    DeviceMemoryBarrierWithGroupSync GroupMemoryBarrier GroupMemoryBarrierWithGroupSync tex1D tex2D tex3D texCUBE tex1Dbias \
    tex1Dlod tex1Dgrad tex1Dproj tex2Dbias tex2Dlod tex2Dgrad tex2Dproj tex3Dbias tex3Dlod tex3Dgrad tex3Dproj texCUBEbias \
    texCUBElod texCUBEgrad texCUBEproj WaveActiveSum WaveReadLaneFirst asuint16 pack_u8 unpack_s8s32 printf abort";

#[test]
fn every_intrinsic_has_its_row() {
    for name in USABLE.split_whitespace() {
        assert!(matches!(find(name), Some(Known::Usable(_))), "{name}");
    }
    for name in REFUSED.split_whitespace() {
        assert!(matches!(find(name), Some(Known::Refused(_))), "{name}");
    }
}

#[test]
fn every_refusal_says_why() {
    for row in all_refused() {
        let text = row.text();
        assert!(text.starts_with(&format!("`{}` ", row.name)), "{text}");
        assert!(text.len() > row.name.len() + 20, "{text}");
    }
}

#[test]
fn every_row_is_documented() {
    for row in all() {
        assert!(
            row.doc.ends_with(['.', '`', ')']),
            "{}: {}",
            row.name,
            row.doc
        );
    }
}

/// Names of types with which an overload's group may be tried.
fn shapes(dims: Dims) -> Vec<String> {
    match dims {
        Dims::Any => [
            "float", "float1", "float3", "float4x4", "int2", "uint", "int2x3",
        ]
        .map(str::to_owned)
        .to_vec(),
        Dims::Scalar => vec!["float".to_owned(), "float1".to_owned()],
        Dims::Vector => ["float", "float1", "float2", "float3", "float4", "int3"]
            .map(str::to_owned)
            .to_vec(),
        Dims::Matrix => vec!["float2x3".to_owned(), "int4x4".to_owned()],
        Dims::Square(n) => vec![format!("float{n}x{n}")],
    }
}

#[test]
fn every_overload_makes_right_hir_for_every_shape() {
    use crate::hir::verify::verify;
    for row in all() {
        let Overloads::Templates(signatures) = row.overloads else {
            continue;
        };
        for signature in signatures {
            let shapes = shapes(signature.dims);
            for shape in shapes
                .iter()
                .filter(|s| signature.class != Class::Integer || !s.starts_with("float"))
            {
                let declared: String = (0..signature.params.len())
                    .map(|i| format!("{shape} a{i} = ({shape})x;\n"))
                    .collect();
                let args: Vec<String> = (0..signature.params.len())
                    .map(|i| format!("a{i}"))
                    .collect();
                // Parameters of dimensions of their own are given a vector that is cut to size.
                let args: Vec<String> = args
                    .iter()
                    .zip(signature.params)
                    .map(|(arg, p)| match p.shape {
                        signature::Shape::Group => arg.clone(),
                        signature::Shape::Scalar => "x".to_owned(),
                        signature::Shape::Vector(n) => format!("(float{n})x"),
                    })
                    .collect();
                let text = format!(
                    "float main(float x : X) : R {{\n{declared}{}({});\nreturn 0; }}",
                    row.name,
                    args.join(", ")
                );
                let options = crate::options::CompileOptions::default();
                match crate::compile(
                    "t.hlsl",
                    text.as_bytes(),
                    &options,
                    &mut crate::preprocess::NoIncludes,
                ) {
                    Ok(compiled) => assert_eq!(
                        verify(&compiled.program),
                        [],
                        "{text}\n{}",
                        compiled.program
                    ),
                    Err(failed) => panic!(
                        "{text}\n{}",
                        failed.diagnostics.render_text(&failed.sources, false)
                    ),
                }
            }
        }
    }
}
