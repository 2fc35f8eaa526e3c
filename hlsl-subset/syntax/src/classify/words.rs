//! Words with a meaning of their own that are no reserved words: names of built-in types and resource classes,
//! effect keywords, words that other languages have; and what a misspelt keyword was meant to be.

use super::TypeWord;
use crate::{
    ast::{ModifierKind, ScalarName},
    token::{Name, Tok},
};

/// Resource, sampler, stream and patch classes, and the state objects of effect files.
const OBJECTS: &[&str] = &[
    "AppendStructuredBuffer",
    "BlendState",
    "Buffer",
    "ByteAddressBuffer",
    "ComputeShader",
    "ConstantBuffer",
    "ConsumeStructuredBuffer",
    "DepthStencilState",
    "DepthStencilView",
    "DomainShader",
    "FeedbackTexture2D",
    "FeedbackTexture2DArray",
    "GeometryShader",
    "HullShader",
    "InputPatch",
    "LineStream",
    "OutputPatch",
    "PixelShader",
    "PointStream",
    "RWBuffer",
    "RWByteAddressBuffer",
    "RWStructuredBuffer",
    "RWTexture1D",
    "RWTexture1DArray",
    "RWTexture2D",
    "RWTexture2DArray",
    "RWTexture2DMS",
    "RWTexture2DMSArray",
    "RWTexture3D",
    "RasterizerOrderedBuffer",
    "RasterizerOrderedByteAddressBuffer",
    "RasterizerOrderedStructuredBuffer",
    "RasterizerOrderedTexture1D",
    "RasterizerOrderedTexture1DArray",
    "RasterizerOrderedTexture2D",
    "RasterizerOrderedTexture2DArray",
    "RasterizerOrderedTexture3D",
    "RasterizerState",
    "RayQuery",
    "RaytracingAccelerationStructure",
    "RenderTargetView",
    "SamplerComparisonState",
    "SamplerState",
    "StructuredBuffer",
    "SubpassInput",
    "SubpassInputMS",
    "Texture1D",
    "Texture1DArray",
    "Texture2D",
    "Texture2DArray",
    "Texture2DMS",
    "Texture2DMSArray",
    "Texture3D",
    "TextureBuffer",
    "TextureCube",
    "TextureCubeArray",
    "TriangleStream",
    "VertexShader",
    "pixelshader",
    "sampler",
    "sampler1D",
    "sampler2D",
    "sampler3D",
    "samplerCUBE",
    "stateblock",
    "texture",
    "texture1D",
    "texture2D",
    "texture3D",
    "textureCUBE",
    "vertexshader",
];

/// The built-in type of that name.
pub(super) fn builtin_type(word: &Name) -> Option<TypeWord<'_>> {
    let text: &str = word;
    // Most names are none: their first letter or length tells.
    match text.as_bytes().first()? {
        b'b'
        | b'd'
        | b'f'
        | b'h'
        | b'i'
        | b'm'
        | b'u'
        | b'v'
        | b's'
        | b't'
        | b'p'
        | b'A'..=b'Z' => {}
        _ => return None,
    }
    match text {
        "void" => return Some(TypeWord::Void),
        "string" => return Some(TypeWord::String),
        "vector" => return Some(TypeWord::VectorTemplate),
        "matrix" => return Some(TypeWord::MatrixTemplate),
        _ => {}
    }
    if let Some(numeric) = numeric_type(text) {
        return Some(numeric);
    }
    OBJECTS
        .binary_search(&text)
        .is_ok()
        .then_some(TypeWord::Object(word))
}

/// `float`, `float3`, `float3x4` and the like.
fn numeric_type(text: &str) -> Option<TypeWord<'static>> {
    if let Some(scalar) = scalar_name(text) {
        return Some(TypeWord::Scalar(scalar));
    }
    let bytes = text.as_bytes();
    let size = |b: &u8| matches!(b, b'1'..=b'4').then(|| b - b'0');
    match bytes {
        [.., r, b'x', c] if let (Some(rows), Some(columns)) = (size(r), size(c)) => {
            let scalar = scalar_name(text.get(..text.len() - 3)?)?;
            Some(TypeWord::Matrix(scalar, rows, columns))
        }
        [.., n] if let Some(n) = size(n) => {
            let scalar = scalar_name(text.get(..text.len() - 1)?)?;
            Some(TypeWord::Vector(scalar, n))
        }
        _ => None,
    }
}

/// `unsigned int2`: the unsigned type that corresponds to the name of a type of `int`s.
pub(super) fn unsigned(name: &str) -> Option<TypeWord<'static>> {
    match numeric_type(name)? {
        TypeWord::Scalar(ScalarName::Int) => Some(TypeWord::Scalar(ScalarName::Uint)),
        TypeWord::Vector(ScalarName::Int, n) => Some(TypeWord::Vector(ScalarName::Uint, n)),
        TypeWord::Matrix(ScalarName::Int, r, c) => Some(TypeWord::Matrix(ScalarName::Uint, r, c)),
        _ => None,
    }
}

fn scalar_name(text: &str) -> Option<ScalarName> {
    Some(match text {
        "bool" => ScalarName::Bool,
        "int" | "int32_t" => ScalarName::Int,
        "uint" | "dword" | "uint32_t" | "unsigned" | "int8_t4_packed" | "uint8_t4_packed" => {
            ScalarName::Uint
        }
        "float" | "float32_t" => ScalarName::Float,
        "half" => ScalarName::Half,
        "double" | "float64_t" => ScalarName::Double,
        "min16float" => ScalarName::Min16Float,
        "min10float" => ScalarName::Min10Float,
        "min16int" => ScalarName::Min16Int,
        "min12int" => ScalarName::Min12Int,
        "min16uint" => ScalarName::Min16Uint,
        "float16_t" => ScalarName::Float16,
        "int16_t" => ScalarName::Int16,
        "uint16_t" => ScalarName::Uint16,
        "int64_t" => ScalarName::Int64,
        "uint64_t" => ScalarName::Uint64,
        _ => return None,
    })
}

/// The modifier that a reserved word is.
pub(super) fn reserved_modifier(tok: &Tok) -> Option<ModifierKind> {
    Some(match tok {
        Tok::ColumnMajor => ModifierKind::ColumnMajor,
        Tok::Const => ModifierKind::Const,
        Tok::Extern => ModifierKind::Extern,
        Tok::Groupshared => ModifierKind::Groupshared,
        Tok::In => ModifierKind::In,
        Tok::Inline => ModifierKind::Inline,
        Tok::Inout => ModifierKind::Inout,
        Tok::Nointerpolation => ModifierKind::Nointerpolation,
        Tok::Noperspective => ModifierKind::Noperspective,
        Tok::Out => ModifierKind::Out,
        Tok::RowMajor => ModifierKind::RowMajor,
        Tok::Static => ModifierKind::Static,
        Tok::Uniform => ModifierKind::Uniform,
        Tok::Volatile => ModifierKind::Volatile,
        _ => return None,
    })
}

/// The modifier that a name is where a modifier or a type follows it.
pub(super) fn contextual_modifier(word: &str) -> Option<ModifierKind> {
    Some(match word {
        "centroid" => ModifierKind::Centroid,
        "export" => ModifierKind::Export,
        "globallycoherent" => ModifierKind::Globallycoherent,
        "indices" => ModifierKind::Indices,
        "line" => ModifierKind::Line,
        "lineadj" => ModifierKind::Lineadj,
        "linear" => ModifierKind::Linear,
        "payload" => ModifierKind::Payload,
        "point" => ModifierKind::Point,
        "precise" => ModifierKind::Precise,
        "primitives" => ModifierKind::Primitives,
        "sample" => ModifierKind::Sample,
        "shared" => ModifierKind::Shared,
        "snorm" => ModifierKind::Snorm,
        "triangle" => ModifierKind::Triangle,
        "triangleadj" => ModifierKind::Triangleadj,
        "unorm" => ModifierKind::Unorm,
        "vertices" => ModifierKind::Vertices,
        _ => return None,
    })
}

/// `technique` and its kin; effect keywords do not mind case.
pub(super) fn is_technique(word: &str) -> bool {
    ["technique", "technique10", "technique11", "fxgroup"]
        .iter()
        .any(|t| word.eq_ignore_ascii_case(t))
}

/// A variable of this class is given its value by effect syntax.
pub(super) fn is_effect_object(class: &str) -> bool {
    let class = class.to_ascii_lowercase();
    (class.ends_with("shader") && class != "shader")
        || matches!(
            class.as_str(),
            "blendstate" | "depthstencilstate" | "rasterizerstate" | "stateblock"
        )
}

/// Words of C and C++ that HLSL lacks, with what to do instead.
pub(crate) fn foreign_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "goto" => "use loops, conditions and `return`",
        "new" | "delete" | "malloc" | "free" => {
            "shaders do not allocate; declare a local variable or array"
        }
        "try" | "catch" | "throw" => "shaders have no exceptions; return a value that tells",
        "union" => "use `asfloat`, `asint` and `asuint` to look at the same bits as another type",
        "virtual" | "override" => "methods are chosen at compile time",
        "public" | "private" | "protected" | "friend" => "all members are public",
        "constexpr" => "use `static const`",
        "auto" => "write the type",
        "char" | "short" | "long" | "size_t" | "wchar_t" => "use `int` or `uint`",
        "static_cast" | "reinterpret_cast" | "const_cast" | "dynamic_cast" => {
            "write `(float)x`; the bits of another type are read with `asfloat`, `asint` and `asuint`"
        }
        "nullptr" | "NULL" => "there are no pointers",
        _ => return None,
    })
}

/// Keywords that begin a statement or declaration.
const KEYWORDS: &[(&str, &Tok)] = &[
    ("break", &Tok::Break),
    ("cbuffer", &Tok::Cbuffer),
    ("const", &Tok::Const),
    ("continue", &Tok::Continue),
    ("discard", &Tok::Discard),
    ("else", &Tok::Else),
    ("namespace", &Tok::Namespace),
    ("nointerpolation", &Tok::Nointerpolation),
    ("return", &Tok::Return),
    ("row_major", &Tok::RowMajor),
    ("static", &Tok::Static),
    ("struct", &Tok::Struct),
    ("tbuffer", &Tok::Tbuffer),
    ("template", &Tok::Template),
    ("typedef", &Tok::Typedef),
    ("uniform", &Tok::Uniform),
];

/// The keyword that a name is a slip of, where it begins a statement and means nothing.
pub(super) fn misspelt_keyword(word: &str) -> Option<(&'static str, &'static Tok)> {
    if word.len() < 4 || word.len() > 20 {
        return None;
    }
    let allowed = if word.len() < 6 { 1 } else { 2 };
    KEYWORDS
        .iter()
        .map(|(keyword, tok)| (edits(word.as_bytes(), keyword.as_bytes()), *keyword, *tok))
        .filter(|(distance, ..)| *distance <= allowed)
        .min_by_key(|(distance, ..)| *distance)
        .map(|(_, keyword, tok)| (keyword, tok))
}

/// Keywords with a parenthesis behind them.
const HEADS: &[&str] = &["for", "if", "switch", "while"];

/// The keyword that a name before `(…) {` is a slip of.
pub(crate) fn misspelt_head(word: &str) -> Option<&'static str> {
    let allowed = if word.len() < 4 { 1 } else { 2 };
    if word.len() > 12 {
        return None;
    }
    HEADS
        .iter()
        .copied()
        .map(|keyword| (edits(word.as_bytes(), keyword.as_bytes()), keyword))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, keyword)| keyword)
}

/// Insertions, deletions, replacements and swaps of neighbours that make `b` out of `a`; case does not matter.
fn edits(a: &[u8], b: &[u8]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let same = x.eq_ignore_ascii_case(y);
            let mut least = (last[j] + usize::from(!same))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            let swapped = i > 0
                && j > 0
                && a[i - 1].eq_ignore_ascii_case(y)
                && x.eq_ignore_ascii_case(&b[j - 1]);
            if swapped {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_objects_is_sorted() {
        assert!(OBJECTS.is_sorted());
    }

    #[test]
    fn numeric_types_are_taken_apart() {
        let of = |word: &str| numeric_type(word);
        assert_eq!(of("float3"), Some(TypeWord::Vector(ScalarName::Float, 3)));
        assert_eq!(
            of("min16uint2x4"),
            Some(TypeWord::Matrix(ScalarName::Min16Uint, 2, 4))
        );
        assert_eq!(of("int16_t2"), Some(TypeWord::Vector(ScalarName::Int16, 2)));
        assert_eq!(of("float5"), None);
        assert_eq!(of("float3x"), None);
        assert_eq!(of("x3"), None);
        assert_eq!(of("ä1x1"), None);
    }

    #[test]
    fn slips_of_keywords_are_seen() {
        let keyword = |word: &str| misspelt_keyword(word).map(|(k, _)| k);
        assert_eq!(keyword("retrun"), Some("return"));
        assert_eq!(keyword("Struct"), Some("struct"));
        assert_eq!(keyword("cbufer"), Some("cbuffer"));
        assert_eq!(keyword("VSOut"), None);
        assert_eq!(keyword("esle"), Some("else"));
    }
}
