//! Names that people bring from other shading languages, and what HLSL has for them.

/// What to write for the type of that name.
pub(super) fn type_hint(name: &str) -> Option<String> {
    if let Some(hlsl) = glsl_type(name) {
        return Some(format!("`{name}` is GLSL's; write `{hlsl}`"));
    }
    let hint = match name {
        "fixed" | "fixed2" | "fixed3" | "fixed4" => {
            let size = &name["fixed".len()..];
            return Some(format!("`{name}` is Cg's; write `half{size}`"));
        }
        "String" => "effect files write `string`",
        "f32" | "vec2f" | "vec3f" | "vec4f" | "mat4x4f" => {
            "this is WGSL's; write `float`, `float2`, `float4x4`"
        }
        _ => return None,
    };
    Some(hint.to_owned())
}

/// `vec3` is `float3`, `ivec2` is `int2`, `mat4` is `float4x4`, `mat2x3` (two columns) is `float3x2`.
fn glsl_type(name: &str) -> Option<String> {
    let (scalar, rest) = [
        ("bvec", "bool"),
        ("ivec", "int"),
        ("uvec", "uint"),
        ("vec", "float"),
    ]
    .iter()
    .find_map(|(prefix, scalar)| Some((*scalar, name.strip_prefix(prefix)?)))
    .or_else(|| Some(("float", name.strip_prefix("mat")?)))?;
    let is_size = |b: &u8| (b'2'..=b'4').contains(b);
    match (name.starts_with("mat"), rest.as_bytes()) {
        (false, [n]) if is_size(n) => Some(format!("{scalar}{rest}")),
        (true, [n]) if is_size(n) => Some(format!("{scalar}{rest}x{rest}")),
        (true, [c, b'x', r]) if is_size(c) && is_size(r) => {
            Some(format!("{scalar}{}x{}", char::from(*r), char::from(*c)))
        }
        _ => None,
    }
}

/// What to write for the function or variable of that name.
pub(super) fn value_hint(name: &str) -> Option<&'static str> {
    Some(match name {
        "mix" => "this is GLSL's; write `lerp(a, b, t)`",
        "fract" => "this is GLSL's; write `frac(x)`",
        "mod" => {
            "this is GLSL's; write `x - y * floor(x / y)`; `fmod(x, y)` has the sign of `x` instead"
        }
        "inversesqrt" => "this is GLSL's; write `rsqrt(x)`",
        "dFdx" | "dFdy" => "this is GLSL's; pixel shaders write `ddx(x)` and `ddy(x)`",
        "texture2D" | "textureLod" | "texelFetch" => {
            "this is GLSL's; write `t.SampleLevel(s, uv, level)` or `t.Load(texel)`"
        }
        "inverse" => "HLSL has no inverse of a matrix; pass it in a constant buffer",
        "matrixCompMult" => "this is GLSL's; `a * b` works component by component",
        "lessThan" | "lessThanEqual" | "greaterThan" | "greaterThanEqual" | "equal"
        | "notEqual" => "this is GLSL's; operators compare component by component: `a < b`",
        "floatBitsToInt" | "floatBitsToUint" | "intBitsToFloat" | "uintBitsToFloat" => {
            "this is GLSL's; write `asint(x)`, `asuint(x)` or `asfloat(x)`"
        }
        "roundEven" => "this is GLSL's; `round(x)` rounds halves to even",
        "gl_Position" => "this is GLSL's; the entry returns a value with the semantic SV_Position",
        "gl_VertexID" | "gl_VertexIndex" => {
            "this is GLSL's; the entry takes a `uint` with the semantic SV_VertexID"
        }
        "gl_InstanceID" | "gl_InstanceIndex" => {
            "this is GLSL's; the entry takes a `uint` with the semantic SV_InstanceID"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_glsl_have_counterparts() {
        assert_eq!(glsl_type("vec3").as_deref(), Some("float3"));
        assert_eq!(glsl_type("ivec2").as_deref(), Some("int2"));
        assert_eq!(glsl_type("mat4").as_deref(), Some("float4x4"));
        assert_eq!(glsl_type("mat2x3").as_deref(), Some("float3x2"));
        assert_eq!(glsl_type("vec5"), None);
        assert_eq!(glsl_type("material"), None);
    }
}
