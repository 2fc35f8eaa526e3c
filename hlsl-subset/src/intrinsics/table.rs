//! The table of intrinsics that can be called: one row each (hlsl-vs-semantics.md section 10; decisions.md, *Numbers*).

use super::build;
use super::mul;
use super::signature::{Class, Component, Dims, Param, Ret, Shape};
use super::{How, Intrinsic, Overloads, Signature};
use crate::types::Scalar;
use fuseline_numerics::builtin::Builtin;
use fuseline_numerics::math::MathFn;
use fuseline_numerics::op::Op;

/// A member of the group.
const G: Param = Param::of(Component::Group, Shape::Group);
/// A scalar of the group's component type.
const GS: Param = Param::of(Component::Group, Shape::Scalar);
/// Written by the call, otherwise as `G`.
const OUT: Param = Param { out: true, ..G };
/// As `G`, of bools.
const B: Param = Param::of(Component::Fixed(Scalar::Bool), Shape::Group);
/// As `G`, of unsigned integers.
const U: Param = Param::of(Component::Fixed(Scalar::Uint), Shape::Group);
const FLOAT: Param = Param::of(Component::Fixed(Scalar::Float), Shape::Scalar);
const FLOAT3: Param = Param::of(Component::Fixed(Scalar::Float), Shape::Vector(3));
const FLOAT4: Param = Param::of(Component::Fixed(Scalar::Float), Shape::Vector(4));
const INT: Param = Param::of(Component::Fixed(Scalar::Int), Shape::Scalar);
const UINT: Param = Param::of(Component::Fixed(Scalar::Uint), Shape::Scalar);
const UINT2: Param = Param::of(Component::Fixed(Scalar::Uint), Shape::Vector(2));
const UINT4: Param = Param::of(Component::Fixed(Scalar::Uint), Shape::Vector(4));

/// What a parameter like this would be, as a result.
const fn value(param: Param) -> Ret {
    Ret::Value(param.component, param.shape)
}

/// The group's shape with another component type.
const fn shaped(scalar: Scalar) -> Ret {
    Ret::Value(Component::Fixed(scalar), Shape::Group)
}

const fn plain(scalar: Scalar) -> Ret {
    Ret::Value(Component::Fixed(scalar), Shape::Scalar)
}

macro_rules! op {
    ($op:ident) => {
        How::Build(|call| build::op(Op::$op, call))
    };
}

macro_rules! builtin {
    ($builtin:ident) => {
        How::Build(|call| build::builtin(Builtin::$builtin, call))
    };
}

/// One overload.
macro_rules! sig {
    ($class:ident $dims:ident $(($size:literal))? ($($param:ident),*) -> $ret:expr; $how:expr) => {
        Signature { class: Class::$class, dims: Dims::$dims $(($size))?, params: &[$($param),*], ret: $ret, meaning: $how }
    };
}

macro_rules! table {
    ($($name:ident $doc:literal $( [$($sig:tt)*] )+;)*) => {
        pub(super) static TABLE: &[Intrinsic] = &[$(Intrinsic {
            name: stringify!($name),
            doc: $doc,
            overloads: Overloads::Templates(&[$(sig!($($sig)*)),+]),
        },)* MUL];
    };
}

macro_rules! math {
    ($function:ident) => {
        How::Build(|call| build::math(MathFn::$function, call))
    };
}

const MUL: Intrinsic = Intrinsic {
    name: "mul",
    doc: "Product of scalars, vectors and matrices. A vector on the left is a row, on the right a column; two vectors \
          give their dot product; a scalar multiplies every component. Sums are made as `dot` makes them. The longer \
          side of two that do not match is truncated.",
    overloads: Overloads::Special(2, mul::resolve),
};

table! {
    abs "Absolute value. Clears a float's sign; the smallest int stays as it is."
        [Numeric Any (G) -> value(G); How::ByKind(
            &op!(FAbs), &How::Text("$T abs($T x) { return max(x, -x); }"), &How::Build(build::identity))];
    acos "Arc cosine in radians, 0 to pi; NaN outside [-1, 1]." [Float Any (G) -> value(G); math!(Acos)];
    AddUint64 "Sum of 64-bit integers, each in two components, the low word first."
        [Integer Vector (U, U) -> value(U); How::Text(ADD_UINT64)];
    all "Whether every component is not zero. NaN counts as not zero."
        [Any Any (B) -> plain(Scalar::Bool); How::Build(|call| build::reduce(true, call))];
    and "Both, component by component; both sides are evaluated." [Any Any (B, B) -> shaped(Scalar::Bool); op!(BAnd)];
    any "Whether some component is not zero. NaN counts as not zero."
        [Any Any (B) -> plain(Scalar::Bool); How::Build(|call| build::reduce(false, call))];
    asfloat "The bits as a float, unchanged: neither flushed nor made canonical."
        [Numeric Any (G) -> shaped(Scalar::Float); How::ByKind(
            &How::Build(build::identity), &op!(AsFloat), &op!(AsFloat))];
    asin "Arc sine in radians, -pi/2 to pi/2; NaN outside [-1, 1]." [Float Any (G) -> value(G); math!(Asin)];
    asint "The bits as an int. A NaN gives 0x7FC00000 unless it is written directly as `asfloat(…)`, an entry input or \
           a constant."
        [Numeric Any (G) -> shaped(Scalar::Int); How::ByKind(
            &How::Build(build::bits), &How::Build(build::identity), &How::Build(build::identity))];
    asuint "The bits as a uint. A NaN gives 0x7FC00000 unless it is written directly as `asfloat(…)`, an entry input \
            or a constant."
        [Numeric Any (G) -> shaped(Scalar::Uint); How::ByKind(
            &How::Build(build::bits), &How::Build(build::identity), &How::Build(build::identity))];
    atan "Arc tangent in radians, -pi/2 to pi/2." [Float Any (G) -> value(G); math!(Atan)];
    atan2 "Arc tangent of y / x in the quadrant of (x, y), -pi to pi; pi/2 where x is 0 and y is not negative."
        [Float Any (G, G) -> value(G); math!(Atan2)];
    ceil "Least integer that is not below x." [Float Any (G) -> value(G); op!(FCeil)];
    clamp "`min(max(x, lo), hi)`: NaN gives lo."
        [Numeric Any (G, G, G) -> value(G); How::ByKind(
            &How::Build(|call| build::clamp(Op::FMax, Op::FMin, call)),
            &How::Build(|call| build::clamp(Op::SMax, Op::SMin, call)),
            &How::Build(|call| build::clamp(Op::UMax, Op::UMin, call)))];
    cos "Cosine of radians." [Float Any (G) -> value(G); math!(Cos)];
    cosh "Hyperbolic cosine." [Float Any (G) -> value(G); math!(Cosh)];
    countbits "Number of bits that are set." [Integer Any (U) -> shaped(Scalar::Uint); builtin!(CountBits)];
    cross "Cross product `a.yzx * b.zxy - a.zxy * b.yzx`."
        [Float Vector (FLOAT3, FLOAT3) -> value(FLOAT3); How::Text(
            "float3 cross(float3 a, float3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }")];
    D3DCOLORtoUBYTE4 "`int4(x.zyxw * 255.001953)`."
        [Float Vector (FLOAT4) -> Ret::Value(Component::Fixed(Scalar::Int), Shape::Vector(4)); How::Text(
            "int4 D3DCOLORtoUBYTE4(float4 x) { return int4(x.zyxw * 255.001953); }")];
    degrees "Radians to degrees: one product with the rounded constant 180/pi."
        [Float Any (G) -> value(G); How::Build(|call| build::scale((180.0 / std::f64::consts::PI) as f32, call))];
    determinant "Determinant, expanded along the first row."
        [Float Square(1) (G) -> value(FLOAT); How::Text("float determinant(float1x1 m) { return m._m00; }")]
        [Float Square(2) (G) -> value(FLOAT); How::Text(DETERMINANT_2)]
        [Float Square(3) (G) -> value(FLOAT); How::Text(DETERMINANT_3)]
        [Float Square(4) (G) -> value(FLOAT); How::Text(DETERMINANT_4)];
    distance "`length(a - b)`."
        [Float Scalar (G, G) -> value(FLOAT); How::Text("float distance($T a, $T b) { return abs(a - b); }")]
        [Float Vector (G, G) -> value(FLOAT); How::Text("float distance($T a, $T b) { return length(a - b); }")];
    dot "Dot product: the first product, then one fused multiply-add per further component, in order."
        [Numeric Vector (G, G) -> value(GS); How::Build(build::dot)];
    dot4add_i8packed "`sum` and the products of the signed bytes of `a` and `b`."
        [Integer Scalar (UINT, UINT, INT) -> value(INT); How::Text(DOT4ADD_SIGNED)];
    dot4add_u8packed "`sum` and the products of the unsigned bytes of `a` and `b`."
        [Integer Scalar (UINT, UINT, UINT) -> value(UINT); How::Text(DOT4ADD_UNSIGNED)];
    dst "`float4(1, a.y * b.y, a.z, b.w)`."
        [Float Vector (FLOAT4, FLOAT4) -> value(FLOAT4); How::Text(
            "float4 dst(float4 a, float4 b) { return float4(1, a.y * b.y, a.z, b.w); }")];
    exp "e to the x." [Float Any (G) -> value(G); math!(Exp)];
    exp2 "2 to the x." [Float Any (G) -> value(G); math!(Exp2)];
    f16tof32 "The half float in the low 16 bits, exactly; the upper bits are ignored."
        [Integer Any (U) -> shaped(Scalar::Float); builtin!(F16ToF32)];
    f32tof16 "Half float in the low 16 bits, rounded toward zero (by option to the nearest); the upper bits are 0."
        [Float Any (G) -> shaped(Scalar::Uint); How::Rounding(
            |call| build::half_bits(Builtin::F32ToF16, call), |call| build::half_bits(Builtin::F32ToF16Nearest, call))];
    faceforward "`dot(i, ng) < 0 ? n : -n`."
        [Float Vector (G, G, G) -> value(G); How::Text(
            "$T faceforward($T n, $T i, $T ng) { return select(dot(i, ng) < 0, n, -n); }")];
    firstbithigh "Index, from bit 0, of the highest bit that is set, or of a negative int the highest that is clear; \
                  all ones where there is none."
        [Integer Any (G) -> value(G); How::ByKind(
            &builtin!(FirstBitHighU), &builtin!(FirstBitHighS), &builtin!(FirstBitHighU))];
    firstbitlow "Index of the lowest bit that is set; 0xFFFFFFFF where there is none."
        [Integer Any (U) -> shaped(Scalar::Uint); builtin!(FirstBitLow)];
    floor "Greatest integer that is not above x." [Float Any (G) -> value(G); op!(FFloor)];
    fmod "`d = a / b; f = frac(abs(d)); (d >= -d ? f : -f) * b`: the sign of a; inexact for large quotients."
        [Float Any (G, G) -> value(G); How::Text(
            "$T fmod($T a, $T b) { $T d = a / b; $T f = frac(abs(d)); return select(d >= -d, f, -f) * b; }")];
    frac "`x - floor(x)`, at most 0x3F7FFFFF, the float below 1."
        [Float Any (G) -> value(G); How::Text(
            "$T frac($T x) { $T f = x - floor(x); return select(f >= 1, ($T)0.99999994, f); }")];
    frexp "Mantissa in [0.5, 1) with the sign of x, and exponent, both as floats; zeros for zero."
        [Float Any (G, OUT) -> value(G); How::Text(FREXP)];
    isfinite "Whether x is neither infinite nor NaN."
        [Float Any (G) -> shaped(Scalar::Bool); How::Text(
            "$B isfinite($T x) { return (asuint(x) & 0x7F800000) != 0x7F800000; }")];
    isinf "Whether x is infinite."
        [Float Any (G) -> shaped(Scalar::Bool); How::Text(
            "$B isinf($T x) { return (asuint(x) & 0x7FFFFFFF) == 0x7F800000; }")];
    isnan "Whether x is NaN. Never optimised away." [Float Any (G) -> shaped(Scalar::Bool); How::Text(
            "$B isnan($T x) { return x != x; }")];
    isnormal "Whether x is neither zero, denormal, infinite nor NaN."
        [Float Any (G) -> shaped(Scalar::Bool); How::Text(
            "$B isnormal($T x) { return (asuint(x) & 0x7F800000) - 0x00800000 < 0x7F000000; }")];
    ldexp "`x * exp2(e)`." [Float Any (G, G) -> value(G); How::Text(
            "$T ldexp($T x, $T e) { return x * exp2(e); }")];
    length "`sqrt(dot(x, x))`; of a scalar its absolute value."
        [Float Scalar (G) -> value(FLOAT); How::Text("float length($T x) { return abs(x); }")]
        [Float Vector (G) -> value(FLOAT); How::Text("float length($T x) { return sqrt(dot(x, x)); }")];
    lerp "`a + s * (b - a)`."
        [Float Any (G, G, G) -> value(G); How::Text("$T lerp($T a, $T b, $T s) { return a + s * (b - a); }")];
    lit "`float4(1, l < 0 ? 0 : l, l < 0 || h < 0 ? 0 : pow(h, m), 1)`."
        [Float Scalar (FLOAT, FLOAT, FLOAT) -> value(FLOAT4); How::Text(LIT)];
    log "Natural logarithm; negative numbers give NaN, zero -infinity." [Float Any (G) -> value(G); math!(Log)];
    log10 "Logarithm to base 10." [Float Any (G) -> value(G); math!(Log10)];
    log2 "Logarithm to base 2." [Float Any (G) -> value(G); math!(Log2)];
    mad "`a * b + c`: one fused multiply-add on floats, wrapping on integers."
        [Numeric Any (G, G, G) -> value(G); How::ByKind(
            &op!(Fma), &How::Build(build::multiply_add), &How::Build(build::multiply_add))];
    max "The greater one; of a NaN and a number the number."
        [Numeric Any (G, G) -> value(G); How::ByKind(&op!(FMax), &op!(SMax), &op!(UMax))];
    min "The smaller one; of a NaN and a number the number."
        [Numeric Any (G, G) -> value(G); How::ByKind(&op!(FMin), &op!(SMin), &op!(UMin))];
    modf "Gives `x - trunc(x)` and sets the second argument to `trunc(x)`."
        [Float Any (G, OUT) -> value(G); How::Text(
            "$T modf($T x, out $T whole) { whole = trunc(x); return x - whole; }")];
    msad4 "Four masked sums of absolute differences: bytes of the reference that are 0 do not count."
        [Integer Vector (UINT, UINT2, UINT4) -> value(UINT4); How::Text(MSAD4)];
    NonUniformResourceIndex "The index itself; says that it differs between lanes." [Integer Any (U) -> value(U);
        How::Build(build::identity)];
    normalize "`x * rsqrt(dot(x, x))`: the zero vector gives NaN."
        [Float Vector (G) -> value(G); How::Text("$T normalize($T x) { return x * rsqrt(dot(x, x)); }")];
    or "Either, component by component; both sides are evaluated." [Any Any (B, B) -> shaped(Scalar::Bool); op!(BOr)];
    pow "`exp2(y * log2(x))`: NaN for negative x. An exponent known to be an integer from -64 to 64 is repeated \
         multiplication, the sign of x and all."
        [Float Any (G, G) -> value(G); How::Build(build::pow)];
    radians "Degrees to radians: one product with the rounded constant pi/180."
        [Float Any (G) -> value(G); How::Build(|call| build::scale((std::f64::consts::PI / 180.0) as f32, call))];
    rcp "`1 / x`, correctly rounded." [Float Any (G) -> value(G); How::Build(build::reciprocal)];
    reflect "`i - 2 * dot(i, n) * n`."
        [Float Vector (G, G) -> value(G); How::Text("$T reflect($T i, $T n) { return i - 2 * dot(i, n) * n; }")];
    refract "Refraction of i at a surface with normal n and ratio of indices eta; zero at total reflection."
        [Float Vector (G, G, GS) -> value(G); How::Text(REFRACT)];
    reversebits "The bits in opposite order." [Integer Any (G) -> value(G); builtin!(ReverseBits)];
    round "Nearest integer, ties to even." [Float Any (G) -> value(G); op!(FRound)];
    rsqrt "`1 / sqrt(x)`, two roundings." [Float Any (G) -> value(G); How::Build(build::reciprocal_root)];
    saturate "`min(max(x, 0), 1)`: NaN gives 0." [Float Any (G) -> value(G); How::Build(build::saturate)];
    select "`c ? a : b`, component by component; all arguments are evaluated."
        [Any Any (B, G, G) -> value(G); How::Build(build::select)];
    sign "-1, 0 or 1 as int; 0 for NaN and both zeros."
        [Numeric Any (G) -> shaped(Scalar::Int); How::ByKind(&SIGN, &SIGN, &How::Text("$I sign($T x) { return x != 0; }"))];
    sin "Sine of radians." [Float Any (G) -> value(G); math!(Sin)];
    sincos "Sets the second argument to the sine, the third to the cosine."
        [Float Any (G, OUT, OUT) -> Ret::Void; How::Text(
            "void sincos($T x, out $T s, out $T c) { s = sin(x); c = cos(x); }")];
    sinh "Hyperbolic sine." [Float Any (G) -> value(G); math!(Sinh)];
    smoothstep "`t = saturate((x - a) / (b - a)); t * t * (3 - 2 * t)`."
        [Float Any (G, G, G) -> value(G); How::Text(
            "$T smoothstep($T a, $T b, $T x) { $T t = saturate((x - a) / (b - a)); return t * t * (3 - 2 * t); }")];
    sqrt "Square root, correctly rounded." [Float Any (G) -> value(G); op!(FSqrt)];
    step "`x >= edge ? 1 : 0`: NaN gives 0." [Float Any (G, G) -> value(G); How::Build(build::step)];
    tan "Tangent of radians." [Float Any (G) -> value(G); math!(Tan)];
    tanh "Hyperbolic tangent." [Float Any (G) -> value(G); math!(Tanh)];
    transpose "Rows become columns." [Any Matrix (G) -> Ret::Transposed; How::Build(build::transpose)];
    trunc "Integer toward zero; keeps the sign of zero." [Float Any (G) -> value(G); op!(FTrunc)];
}

const SIGN: How = How::Text("$I sign($T x) { return ($I)(0 < x) - ($I)(x < 0); }");

const DETERMINANT_2: &str =
    "float determinant(float2x2 m) { return m._m00 * m._m11 - m._m01 * m._m10; }";

const DETERMINANT_3: &str = "float determinant(float3x3 m) {
    return m._m00 * (m._m11 * m._m22 - m._m12 * m._m21)
        - m._m01 * (m._m10 * m._m22 - m._m12 * m._m20)
        + m._m02 * (m._m10 * m._m21 - m._m11 * m._m20);
}";

const DETERMINANT_4: &str = "float determinant4(float4x4 m) {
    return m._m00 * determinant(float3x3(m._m11_m12_m13, m._m21_m22_m23, m._m31_m32_m33))
        - m._m01 * determinant(float3x3(m._m10_m12_m13, m._m20_m22_m23, m._m30_m32_m33))
        + m._m02 * determinant(float3x3(m._m10_m11_m13, m._m20_m21_m23, m._m30_m31_m33))
        - m._m03 * determinant(float3x3(m._m10_m11_m12, m._m20_m21_m22, m._m30_m31_m32));
}";

const FREXP: &str = "$T frexp($T x, out $T exponent) {
    $U bits = asuint(x);
    exponent = select(x == 0, ($T)0, ($T)(($I)((bits & 0x7F800000) - 0x3F000000) >> 23));
    return select(x == 0, asfloat(bits & 0x80000000), asfloat((bits & 0x807FFFFF) | 0x3F000000));
}";

const LIT: &str = "float4 lit(float l, float h, float m) {
    return float4(1, select(l < 0, 0, l), select(or(l < 0, h < 0), 0, pow(h, m)), 1);
}";

const ADD_UINT64: &str = "$U AddUint64($U a, $U b) {
    $U sum = a + b;
    for (uint low = 0; low + 1 < sizeof(sum) / 4; low += 2) sum[low + 1] += uint(sum[low] < a[low]);
    return sum;
}";

const DOT4ADD_SIGNED: &str = "int dot4add_i8packed(uint a, uint b, int sum) {
    for (uint i = 0; i < 32; i += 8) sum += (int(a << i) >> 24) * (int(b << i) >> 24);
    return sum;
}";

const DOT4ADD_UNSIGNED: &str = "uint dot4add_u8packed(uint a, uint b, uint sum) {
    for (uint i = 0; i < 32; i += 8) sum += ((a >> i) & 0xFF) * ((b >> i) & 0xFF);
    return sum;
}";

const MSAD4: &str = "uint4 msad4(uint reference, uint2 source, uint4 sum) {
    uint4 s = uint4(source.x, (source.x >> 8) | (source.y << 24), (source.x >> 16) | (source.y << 16),
        (source.x >> 24) | (source.y << 8));
    for (uint i = 0; i < 32; i += 8) {
        uint r = (reference >> i) & 0xFF;
        uint4 b = (s >> i) & 0xFF;
        sum += select(r != 0, max(r, b) - min(r, b), 0);
    }
    return sum;
}";

const REFRACT: &str = "$T refract($T i, $T n, float eta) {
    float d = dot(i, n);
    float t = 1 - eta * eta * (1 - d * d);
    return select(t >= 0, eta * i - (eta * d + sqrt(t)) * n, ($T)0);
}";
