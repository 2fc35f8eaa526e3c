//! Resources and samplers: their types, their methods, what of them a vertex shader may not use.
//!
//! They are checked in full, but give zeros: an entry that reaches one is refused when code is to be made from it.

use super::module::When;
use super::scope::similar;
use super::value::Value;
use super::{Checker, R, build};
use crate::ast::{self, Ident, TemplateArg};
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::Expr;
use crate::span::Span;
use crate::types::{ObjectType, Scalar, Type};
use std::sync::Arc;

/// What kind of object a class is, and what follows from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    /// Coordinates to sample with; whether it has mip levels to name in `Load`; samples per texel.
    Texture {
        coordinates: u8,
        mips: bool,
        samples: bool,
    },
    /// `Buffer`.
    Typed,
    /// `StructuredBuffer`.
    Structured,
    /// `ByteAddressBuffer`.
    Raw,
    /// `SamplerState`.
    Sampler,
    /// `ConstantBuffer`.
    Constants,
    /// `TriangleStream`.
    Stream,
    /// `InputPatch`.
    Patch,
    /// Known, without anything that a shader here could do with it.
    Other,
}

/// The family of a class; the words that only say how it may be accessed are taken off first.
fn family(class: &str) -> Family {
    let class = class
        .strip_prefix("RasterizerOrdered")
        .or_else(|| class.strip_prefix("RW"))
        .unwrap_or(class);
    let texture = |coordinates, mips, samples| Family::Texture {
        coordinates,
        mips,
        samples,
    };
    match class {
        "Texture1D" => texture(1, true, false),
        "Texture1DArray" | "Texture2D" => texture(2, true, false),
        "Texture2DArray" | "Texture3D" => texture(3, true, false),
        "TextureCube" => texture(3, false, false),
        "TextureCubeArray" => texture(4, false, false),
        "Texture2DMS" => texture(2, false, true),
        "Texture2DMSArray" => texture(3, false, true),
        "Buffer" => Family::Typed,
        "StructuredBuffer" | "AppendStructuredBuffer" | "ConsumeStructuredBuffer" => {
            Family::Structured
        }
        "ByteAddressBuffer" => Family::Raw,
        "ConstantBuffer" | "TextureBuffer" => Family::Constants,
        "PointStream" | "LineStream" | "TriangleStream" => Family::Stream,
        "InputPatch" | "OutputPatch" => Family::Patch,
        _ if class.to_ascii_lowercase().starts_with("sampler") => Family::Sampler,
        _ => Family::Other,
    }
}

/// Whether its elements can be written.
fn is_writable(class: &str) -> bool {
    class.starts_with("RW") || class.starts_with("RasterizerOrdered")
}

/// Classes of registers that an object may be bound to, as fxc and dxc have it.
pub(super) fn register_classes(class: &str) -> &'static [char] {
    let is_stored = class.starts_with("Append") || class.starts_with("Consume");
    match family(class) {
        _ if is_stored || is_writable(class) => &['u'],
        Family::Constants if class == "ConstantBuffer" => &['b'],
        Family::Texture { .. } => &['t', 's'],
        Family::Sampler => &['s', 't'],
        Family::Typed | Family::Structured | Family::Raw | Family::Constants => &['t'],
        Family::Stream | Family::Patch | Family::Other => &['t', 's', 'u', 'b', 'c', 'i'],
    }
}

/// What a method takes. `T` is the element, `N` the number of coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Sampler,
    /// float, N of them.
    Coordinates,
    /// float, as many as there are without the array's slice.
    Gradient,
    /// int, as many as there are without the array's slice.
    Offset,
    /// int: the texel, and its level where there are mips.
    Texel,
    Float,
    Int,
    /// An element.
    Element,
    /// Written to.
    Out,
    /// Anything numeric.
    Any,
}

/// What a method gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gives {
    Nothing,
    Element,
    /// Four of the element's component type.
    Four,
    Float,
    /// uint, so many.
    Uint(u8),
    /// uints, or the template argument.
    Raw(u8),
}

/// When a method may not be used, and why.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Limit {
    None,
    /// It needs derivatives; the name is the form without.
    Derivatives(&'static str),
}

struct Method {
    name: &'static str,
    families: fn(Family) -> bool,
    least: usize,
    takes: &'static [Takes],
    gives: Gives,
    limit: Limit,
}

const fn textures(f: Family) -> bool {
    matches!(f, Family::Texture { samples: false, .. })
}
const fn any_texture(f: Family) -> bool {
    matches!(f, Family::Texture { .. })
}
const fn multisampled(f: Family) -> bool {
    matches!(f, Family::Texture { samples: true, .. })
}
const fn typed(f: Family) -> bool {
    matches!(f, Family::Typed | Family::Structured)
}
const fn structured(f: Family) -> bool {
    matches!(f, Family::Structured)
}
const fn raw(f: Family) -> bool {
    matches!(f, Family::Raw)
}
const fn stream(f: Family) -> bool {
    matches!(f, Family::Stream)
}
const fn sized(f: Family) -> bool {
    matches!(
        f,
        Family::Texture { .. } | Family::Typed | Family::Structured | Family::Raw
    )
}

/// All methods. Trailing arguments past `least` may be left out.
const METHODS: &[Method] = {
    use Takes::*;
    const fn m(
        name: &'static str,
        families: fn(Family) -> bool,
        least: usize,
        takes: &'static [Takes],
        gives: Gives,
        limit: Limit,
    ) -> Method {
        Method {
            name,
            families,
            least,
            takes,
            gives,
            limit,
        }
    }
    const LEVEL: Limit = Limit::Derivatives("SampleLevel");
    const CMP_LEVEL: Limit = Limit::Derivatives("SampleCmpLevelZero");
    const FREE: Limit = Limit::None;
    &[
        m(
            "Sample",
            textures,
            2,
            &[Sampler, Coordinates, Offset, Float, Out],
            Gives::Element,
            LEVEL,
        ),
        m(
            "SampleBias",
            textures,
            3,
            &[Sampler, Coordinates, Float, Offset, Float, Out],
            Gives::Element,
            LEVEL,
        ),
        m(
            "SampleCmp",
            textures,
            3,
            &[Sampler, Coordinates, Float, Offset, Float, Out],
            Gives::Float,
            CMP_LEVEL,
        ),
        m(
            "SampleLevel",
            textures,
            3,
            &[Sampler, Coordinates, Float, Offset, Out],
            Gives::Element,
            FREE,
        ),
        m(
            "SampleGrad",
            textures,
            4,
            &[Sampler, Coordinates, Gradient, Gradient, Offset, Float, Out],
            Gives::Element,
            FREE,
        ),
        m(
            "SampleCmpLevelZero",
            textures,
            3,
            &[Sampler, Coordinates, Float, Offset, Out],
            Gives::Float,
            FREE,
        ),
        m(
            "SampleCmpLevel",
            textures,
            4,
            &[Sampler, Coordinates, Float, Float, Offset, Out],
            Gives::Float,
            FREE,
        ),
        m(
            "Gather",
            textures,
            2,
            &[Sampler, Coordinates, Offset, Out],
            Gives::Four,
            FREE,
        ),
        m(
            "GatherRed",
            textures,
            2,
            &[Sampler, Coordinates, Offset, Offset, Offset, Offset, Out],
            Gives::Four,
            FREE,
        ),
        m(
            "GatherGreen",
            textures,
            2,
            &[Sampler, Coordinates, Offset, Offset, Offset, Offset, Out],
            Gives::Four,
            FREE,
        ),
        m(
            "GatherBlue",
            textures,
            2,
            &[Sampler, Coordinates, Offset, Offset, Offset, Offset, Out],
            Gives::Four,
            FREE,
        ),
        m(
            "GatherAlpha",
            textures,
            2,
            &[Sampler, Coordinates, Offset, Offset, Offset, Offset, Out],
            Gives::Four,
            FREE,
        ),
        m(
            "GatherCmp",
            textures,
            3,
            &[Sampler, Coordinates, Float, Offset, Out],
            Gives::Four,
            FREE,
        ),
        m(
            "GatherCmpRed",
            textures,
            3,
            &[Sampler, Coordinates, Float, Offset, Out],
            Gives::Four,
            FREE,
        ),
        m(
            "CalculateLevelOfDetail",
            textures,
            2,
            &[Sampler, Gradient],
            Gives::Float,
            LEVEL,
        ),
        m(
            "CalculateLevelOfDetailUnclamped",
            textures,
            2,
            &[Sampler, Gradient],
            Gives::Float,
            LEVEL,
        ),
        m(
            "Load",
            multisampled,
            2,
            &[Texel, Int, Offset, Out],
            Gives::Element,
            FREE,
        ),
        m(
            "Load",
            any_texture,
            1,
            &[Texel, Offset, Out],
            Gives::Element,
            FREE,
        ),
        m("Load", typed, 1, &[Int, Out], Gives::Element, FREE),
        m("Load", raw, 1, &[Int, Out], Gives::Raw(1), FREE),
        m("Load2", raw, 1, &[Int, Out], Gives::Uint(2), FREE),
        m("Load3", raw, 1, &[Int, Out], Gives::Uint(3), FREE),
        m("Load4", raw, 1, &[Int, Out], Gives::Uint(4), FREE),
        m("Store", raw, 2, &[Int, Any], Gives::Nothing, FREE),
        m("Store2", raw, 2, &[Int, Any], Gives::Nothing, FREE),
        m("Store3", raw, 2, &[Int, Any], Gives::Nothing, FREE),
        m("Store4", raw, 2, &[Int, Any], Gives::Nothing, FREE),
        m(
            "InterlockedAdd",
            raw,
            2,
            &[Int, Any, Out],
            Gives::Nothing,
            FREE,
        ),
        m(
            "InterlockedAnd",
            raw,
            2,
            &[Int, Any, Out],
            Gives::Nothing,
            FREE,
        ),
        m(
            "InterlockedOr",
            raw,
            2,
            &[Int, Any, Out],
            Gives::Nothing,
            FREE,
        ),
        m(
            "InterlockedXor",
            raw,
            2,
            &[Int, Any, Out],
            Gives::Nothing,
            FREE,
        ),
        m(
            "InterlockedMin",
            raw,
            2,
            &[Int, Any, Out],
            Gives::Nothing,
            FREE,
        ),
        m(
            "InterlockedMax",
            raw,
            2,
            &[Int, Any, Out],
            Gives::Nothing,
            FREE,
        ),
        m(
            "InterlockedExchange",
            raw,
            3,
            &[Int, Any, Out],
            Gives::Nothing,
            FREE,
        ),
        m(
            "InterlockedCompareExchange",
            raw,
            4,
            &[Int, Any, Any, Out],
            Gives::Nothing,
            FREE,
        ),
        m(
            "InterlockedCompareStore",
            raw,
            3,
            &[Int, Any, Any],
            Gives::Nothing,
            FREE,
        ),
        m("IncrementCounter", structured, 0, &[], Gives::Uint(1), FREE),
        m("DecrementCounter", structured, 0, &[], Gives::Uint(1), FREE),
        m("Append", structured, 1, &[Element], Gives::Nothing, FREE),
        m("Consume", structured, 0, &[], Gives::Element, FREE),
        m("Append", stream, 1, &[Element], Gives::Nothing, FREE),
        m("RestartStrip", stream, 0, &[], Gives::Nothing, FREE),
        m(
            "GetSamplePosition",
            multisampled,
            1,
            &[Int],
            Gives::Float,
            FREE,
        ),
        m(
            "GetDimensions",
            sized,
            1,
            &[Out, Out, Out, Out, Out],
            Gives::Nothing,
            FREE,
        ),
    ]
};

/// Whether `GetDimensions` with so many arguments asks for a level, which comes first: then the number of levels is
/// among the answers, too.
fn names_level(family: Family, class: &str, args: usize) -> bool {
    let Family::Texture {
        coordinates,
        samples: false,
        ..
    } = family
    else {
        return false;
    };
    // A cube has three coordinates, but two sizes.
    let sizes = usize::from(coordinates) - usize::from(class.contains("Cube"));
    args == sizes + 2
}

impl<'a> Checker<'a, '_> {
    /// `Texture2D<float4>` and the like.
    pub(super) fn object_type(
        &mut self,
        name: &str,
        args: &'a [TemplateArg],
        span: Span,
    ) -> R<Type> {
        let family = family(name);
        let element = match args.first() {
            Some(arg) => Some(self.type_argument(arg)?),
            None => match family {
                Family::Texture { samples: false, .. } | Family::Typed if !is_writable(name) => {
                    Some(Type::Vector(Scalar::Float, 4))
                }
                Family::Texture { .. }
                | Family::Typed
                | Family::Structured
                | Family::Constants
                | Family::Stream
                | Family::Patch => {
                    let message =
                        format!("`{name}` needs the type of its elements, as in `{name}<float4>`");
                    return Err(self.error(Code::BadType, span, message));
                }
                _ => None,
            },
        };
        let is_typed = matches!(family, Family::Texture { .. } | Family::Typed);
        if let Some(element) = &element
            && is_typed
            && !matches!(element, Type::Scalar(_) | Type::Vector(..))
        {
            let message = format!(
                "an element of `{name}` is a scalar or vector, so it cannot be `{element}`"
            );
            return Err(self.error(Code::BadType, span, message));
        }
        let object = Type::Object(Arc::new(ObjectType {
            class: name.to_owned(),
            element,
        }));
        if family != Family::Patch {
            return Ok(object);
        }
        // A patch is read like an array.
        let len = match args.get(1) {
            Some(arg) => u32::try_from(self.int_argument(arg)?).unwrap_or(0),
            None => 1,
        };
        match object {
            Type::Object(o) => Ok(Type::Array(
                Arc::new(o.element.clone().unwrap_or(Type::Void)),
                len.clamp(1, 32),
            )),
            other => Ok(other),
        }
    }

    /// Members that objects have beside methods: `texture.mips[level][texel]`.
    pub(super) fn object_member(&mut self, object: Value, member: &Ident, span: Span) -> R<Value> {
        let Type::Object(o) = &object.ty else {
            return Ok(object);
        };
        if matches!(&*member.name, "mips" | "sample")
            && matches!(family(&o.class), Family::Texture { .. })
        {
            // The first index gives the level; what is behind it is read like the texture itself.
            let ty = Type::Array(Arc::new(object.ty.clone()), 0);
            return Ok(Value::computed(build::zero(&ty, span)));
        }
        let message = format!("`{}` has no member `{}`", object.ty, member.name);
        Err(self.error(Code::UnknownMember, member.span, message))
    }

    /// `buffer[i]`, `texture[texel]`.
    pub(super) fn object_index(&mut self, object: Value, index: Value, span: Span) -> R<Value> {
        let Type::Object(o) = object.ty.clone() else {
            return Ok(object);
        };
        if let Some(descriptor) = self.heap_index(&o.class, index.clone(), span) {
            return descriptor;
        }
        let coordinates = match family(&o.class) {
            Family::Texture { coordinates, .. } if !o.class.starts_with("TextureCube") => {
                coordinates
            }
            Family::Typed | Family::Structured => 1,
            _ => {
                let message = format!("`{}` cannot be indexed", object.ty);
                return Err(self.error(Code::CannotIndex, span, message));
            }
        };
        let to = Type::of_components(Scalar::Uint, coordinates);
        let given = index.ty.components();
        let fits =
            given == u32::from(coordinates) || (coordinates > 1 && given > coordinates.into());
        if index.ty.is_numeric() && !fits {
            let message = format!(
                "`{}` is indexed with `{to}`, not with `{}`",
                object.ty, index.ty
            );
            return Err(self.error(Code::CannotIndex, index.span, message));
        }
        let index = self.convert(index, &to, "to index with it")?;
        let element = o.element.clone().unwrap_or(Type::Void);
        self.resource_used(&o.class, span);
        if is_writable(&o.class) {
            // Something to write to, so that shaders of other stages are checked in full.
            let (var, fill) = self.temporary(build::zero(&element, span));
            let mut value = Value::variable(var, element, None, span);
            if let super::value::ValueKind::Variable(v) = &mut value.kind {
                v.before = vec![index, fill];
            }
            return Ok(value);
        }
        let before = if build::is_pure(&index) {
            Vec::new()
        } else {
            vec![index]
        };
        Ok(Value::computed(build::sequence(
            before,
            build::zero(&element, span),
        )))
    }

    fn resource_used(&mut self, class: &str, span: Span) {
        let message = format!("code that reads a `{class}` is not generated yet");
        self.obstacle(
            When::Codegen,
            Diagnostic::new(Code::ResourceNotRun, span, message),
        );
    }

    /// `object.method(x)`.
    pub(super) fn object_method(
        &mut self,
        object: Value,
        call: &'a ast::MethodCall,
        args: Vec<Value>,
        span: Span,
    ) -> R<Value> {
        let Type::Object(o) = object.ty.clone() else {
            return Ok(object);
        };
        let family = family(&o.class);
        let name = &*call.method.name;
        let fits = |m: &&Method| m.name == name && (m.families)(family);
        let Some(method) = METHODS.iter().find(fits) else {
            let message = format!("`{}` has no method `{name}`", object.ty);
            let known = METHODS
                .iter()
                .filter(|m| (m.families)(family))
                .map(|m| m.name);
            let mut diagnostic = Diagnostic::new(Code::UnknownMember, call.method.span, message);
            if let Some(similar) = similar(name, known) {
                diagnostic = diagnostic.hint(format!("did you mean `{similar}`?"));
            }
            return Err(self.report(diagnostic));
        };
        if args.len() < method.least || args.len() > method.takes.len() {
            let message = format!(
                "`{name}` takes {} to {} arguments, not {}",
                method.least,
                method.takes.len(),
                args.len()
            );
            return Err(self.error(Code::ArgumentCount, span, message));
        }
        let raw_type = match (method.gives, call.template_args.first()) {
            (Gives::Raw(_), Some(arg)) => Some(self.type_argument(arg)?),
            _ => None,
        };
        let mut before = Vec::new();
        let names_level = name == "GetDimensions" && names_level(family, &o.class, args.len());
        for (i, (arg, takes)) in args.into_iter().zip(method.takes).enumerate() {
            let takes = if names_level && i == 0 {
                Takes::Int
            } else {
                *takes
            };
            let arg = self.object_argument(arg, takes, family, &o, name)?;
            if !build::is_pure(&arg) {
                before.push(arg);
            }
        }
        match method.limit {
            Limit::None => self.resource_used(&o.class, span),
            Limit::Derivatives(instead) => {
                let message = format!(
                    "`{name}` chooses the mip level from derivatives, which only pixel shaders have"
                );
                let diagnostic = Diagnostic::new(Code::RefusedIntrinsic, call.method.span, message)
                    .hint(format!("in a vertex shader use `{instead}`"));
                self.obstacle(When::Vertex, diagnostic);
            }
        }
        let element = o.element.clone().unwrap_or(Type::Void);
        let result = match method.gives {
            Gives::Nothing => Type::Void,
            Gives::Element => element,
            Gives::Four => Type::Vector(element.scalar().unwrap_or(Scalar::Float), 4),
            Gives::Float => Type::Scalar(Scalar::Float),
            Gives::Uint(n) => Type::of_components(Scalar::Uint, n),
            Gives::Raw(n) => raw_type.unwrap_or(Type::of_components(Scalar::Uint, n)),
        };
        Ok(Value::computed(build::sequence(
            before,
            build::zero(&result, span),
        )))
    }

    /// Converts an argument to what the method takes. What is written gets zeros.
    fn object_argument(
        &mut self,
        arg: Value,
        takes: Takes,
        family: Family,
        object: &ObjectType,
        name: &str,
    ) -> R<Expr> {
        let (coordinates, mips) = match family {
            Family::Texture {
                coordinates, mips, ..
            } => (coordinates, mips),
            _ => (1, false),
        };
        let without_slice = match object.class.ends_with("Array") {
            true => coordinates.saturating_sub(1).max(1),
            false => coordinates,
        };
        let to = match takes {
            Takes::Sampler => {
                let is_sampler =
                    matches!(&arg.ty, Type::Object(o) if self::family(&o.class) == Family::Sampler);
                if !is_sampler {
                    let message = format!("`{name}` takes a sampler here, not `{}`", arg.ty);
                    return Err(self.error(Code::CannotConvert, arg.span, message));
                }
                return Ok(arg.into_expr());
            }
            Takes::Out => {
                let (ty, span) = (arg.ty.clone(), arg.span);
                let (before, place, _) = self.place(arg, "passed as `out`")?;
                let zero = build::zero(&ty, span);
                return Ok(super::expr::store(before, place, zero, ty, span));
            }
            Takes::Any => return Ok(arg.into_expr()),
            Takes::Coordinates => Type::of_components(Scalar::Float, coordinates),
            Takes::Gradient => Type::of_components(Scalar::Float, without_slice),
            Takes::Offset => Type::of_components(Scalar::Int, without_slice),
            Takes::Texel => Type::of_components(
                Scalar::Int,
                coordinates + u8::from(mips && !is_writable(&object.class)),
            ),
            Takes::Float => Type::Scalar(Scalar::Float),
            Takes::Int => Type::Scalar(Scalar::Int),
            Takes::Element => object.element.clone().unwrap_or(Type::Void),
        };
        self.convert(arg, &to, format_args!("for `{name}`"))
    }
}
