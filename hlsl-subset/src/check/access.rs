//! Members, swizzles and elements of values (hlsl-vs-semantics.md section 3).

use super::module::When;
use super::scope::{MemberSymbol, similar};
use super::value::{Value, ValueKind};
use super::{Checker, R, Reported, build};
use crate::ast::Ident;
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::{ConstantBufferId, Expr};
use crate::span::Span;
use crate::types::{Scalar, Type};
use std::rc::Rc;

/// Why a text is no swizzle of a value.
enum SwizzleError {
    /// It does not look like one.
    NoSwizzle,
    /// It names a component that the value does not have.
    Missing(String),
    /// Two ways of naming components are mixed.
    Mixed,
    /// More than four components.
    TooLong,
}

impl Checker<'_, '_> {
    /// `object.member`.
    pub(super) fn member(&mut self, object: Value, member: &Ident) -> R<Value> {
        let span = object.span.to(member.span);
        match &object.ty {
            Type::Struct(s) => {
                if let Some(index) = s.fields.iter().rposition(|f| f.name == *member.name) {
                    return Ok(object.field(index, span));
                }
                let id = s.id;
                self.static_member(&object, id, member)
            }
            Type::Scalar(_) | Type::Enum(_) | Type::Vector(..) | Type::Matrix(..) => {
                self.swizzle(object, member, span)
            }
            Type::Object(o) if o.class == "ConstantBuffer" || o.class == "TextureBuffer" => {
                let message = "code that reads a constant buffer which is passed around, or taken from a heap, is not \
                               generated yet";
                let diagnostic = Diagnostic::new(Code::ResourceNotRun, span, message)
                    .hint("name the global constant buffer itself");
                self.obstacle(When::Codegen, diagnostic);
                let element = o.element.clone().unwrap_or(Type::Void);
                let content = build::zero(&element, object.span);
                self.member(Value::computed(content), member)
            }
            Type::Object(_) => self.object_member(object, member, span),
            Type::Array(..) | Type::Void => {
                let message = format!("`{}` has no members, so no `{}`", object.ty, member.name);
                Err(self.error(Code::UnknownMember, member.span, message))
            }
        }
    }

    /// A static member or an enum's value by way of an object, or the complaint that there is no such member.
    fn static_member(&mut self, object: &Value, id: u32, member: &Ident) -> R<Value> {
        use super::scope::Symbol;
        let info = &self.structs[id as usize];
        let entry = self.struct_value(info.scope, &member.name).cloned();
        match entry.map(|e| e.symbol) {
            Some(Symbol::Var { var, read_only }) => {
                let ty = self.module.vars[var.0 as usize].ty.clone();
                self.use_static(var);
                Ok(Value::variable(var, ty, read_only, member.span))
            }
            Some(Symbol::Constant(ty, bits)) => Ok(Value::computed(build::constant(
                vec![bits],
                ty,
                member.span,
            ))),
            Some(Symbol::Functions(_)) => {
                let message = format!("`{}` is a method; call it", member.name);
                Err(self.error(Code::UnknownMember, member.span, message))
            }
            Some(Symbol::Error(reported)) => Err(self.again(reported)),
            _ if self.is_lost(&member.name) => Err(self.again(Reported(()))),
            _ => {
                let fields = info.ty.fields.iter();
                let hint =
                    similar(&member.name, fields.clone().map(|f| &*f.name)).map(str::to_owned);
                let message = format!("`{}` has no member `{}`", object.ty, member.name);
                let mut diagnostic = Diagnostic::new(Code::UnknownMember, member.span, message);
                if let Some(name) = hint {
                    diagnostic = diagnostic.hint(format!("did you mean `{name}`?"));
                } else if info.ty.fields.len() <= 12 && !info.ty.fields.is_empty() {
                    let names: Vec<_> = fields.map(|f| format!("`{}`", f.name)).collect();
                    diagnostic = diagnostic.hint(format!("it has {}", names.join(", ")));
                }
                Err(self.report(diagnostic))
            }
        }
    }

    fn swizzle(&mut self, object: Value, member: &Ident, span: Span) -> R<Value> {
        let Some(scalar) = object.ty.scalar() else {
            return Ok(object);
        };
        let parsed = match &object.ty {
            Type::Matrix(_, r, c) => matrix_swizzle(&member.name, *r, *c),
            ty => vector_swizzle(&member.name, ty.components()),
        };
        let ty = &object.ty;
        let name = &member.name;
        match parsed {
            Ok(components) => {
                let n = components.len() as u8;
                // `v.x` is a scalar; so is `m._m00`.
                let ty = Type::of_components(scalar, n);
                Ok(object.swizzle(&components, ty, span))
            }
            Err(error) => {
                let (message, hint) = match (error, ty) {
                    (SwizzleError::NoSwizzle, Type::Matrix(..)) => (
                        format!("`{name}` is no swizzle of `{ty}`"),
                        "elements of a matrix are `_m00` (from 0) or `_11` (from 1), rows `m[0]`",
                    ),
                    (SwizzleError::NoSwizzle, _) => (
                        format!("`{name}` is no swizzle of `{ty}`"),
                        "components are `xyzw` or `rgba`",
                    ),
                    (SwizzleError::Missing(which), _) if which == **name => {
                        (format!("`{ty}` has nothing for the swizzle `{name}`"), "")
                    }
                    (SwizzleError::Missing(which), _) => (
                        format!("the swizzle `{name}` names `{which}`, which `{ty}` does not have"),
                        "",
                    ),
                    (SwizzleError::Mixed, _) => (
                        format!("the swizzle `{name}` mixes two ways of naming components"),
                        "",
                    ),
                    (SwizzleError::TooLong, _) => (
                        format!("the swizzle `{name}` has more than four components"),
                        "",
                    ),
                };
                let mut diagnostic = Diagnostic::new(Code::BadSwizzle, member.span, message);
                if !hint.is_empty() {
                    diagnostic = diagnostic.hint(hint);
                }
                Err(self.report(diagnostic))
            }
        }
    }

    /// `object[index]`.
    pub(super) fn index(&mut self, object: Value, index: Value, span: Span) -> R<Value> {
        if let Type::Struct(_) = &object.ty {
            return self.user_index(object, index, span);
        }
        if matches!(&object.ty, Type::Object(_)) {
            return self.object_index(object, index, span);
        }
        let (part, len) = match &object.ty {
            Type::Array(element, len) => ((**element).clone(), *len),
            Type::Matrix(s, r, c) => (Type::Vector(*s, *c), u32::from(*r)),
            Type::Vector(s, n) => (Type::Scalar(*s), u32::from(*n)),
            other => {
                let message = format!("`{other}` cannot be indexed");
                return Err(self.error(Code::CannotIndex, span, message));
            }
        };
        let index_span = index.span;
        let index = self.index_value(index)?;
        if let Some(bits) = self.fold(&index) {
            let at = bits.first().copied().unwrap_or(0);
            // An array of objects may be unbounded, with length 0.
            let is_unbounded = len == 0;
            if at >= len && !is_unbounded {
                let shown = if index.ty == Type::Scalar(Scalar::Int) {
                    i64::from(at as i32)
                } else {
                    i64::from(at)
                };
                let message = format!(
                    "the index {shown} is out of range: `{}` has {len} of them",
                    object.ty
                );
                return Err(self.error(Code::IndexOutOfRange, index_span, message));
            }
            return self.known_index(object, at, part, span);
        }
        if matches!(part, Type::Object(_)) {
            return Ok(Value::computed(build::zero(&part, span)));
        }
        if let ValueKind::Buffers { first, member } = &object.kind {
            return Ok(self.any_buffer(*first, member, len, index, span));
        }
        let is_place = !matches!(object.kind, ValueKind::Computed(_));
        let (before, index) = match is_place {
            true => self.reusable(index),
            false => (Vec::new(), index),
        };
        Ok(object.index(index, before, part, len, span))
    }

    /// One of `count` constant buffers from `first` on, which one is known only at run time; past the last one: zeros.
    fn any_buffer(
        &mut self,
        first: ConstantBufferId,
        member: &MemberSymbol,
        count: u32,
        index: Expr,
        span: Span,
    ) -> Value {
        for i in 0..count {
            self.use_buffer(ConstantBufferId(first.0 + i));
        }
        let (before, index) = self.reusable(index);
        let index = build::retype(index, Type::Scalar(Scalar::Int));
        let mut value = Value::member(member, span);
        if let ValueKind::Memory(memory) = &mut value.kind {
            memory.choice = Some((Rc::new(index), count));
            memory.before = before;
        }
        value
    }

    fn known_index(&mut self, object: Value, at: u32, part: Type, span: Span) -> R<Value> {
        match (&object.kind, &object.ty) {
            (ValueKind::Buffers { first, member, .. }, _) => {
                let buffer = ConstantBufferId(first.0 + at);
                self.use_buffer(buffer);
                let mut value = Value::member(member, span);
                if let ValueKind::Memory(memory) = &mut value.kind {
                    memory.buffer = buffer;
                }
                Ok(value)
            }
            (_, Type::Array(..)) => Ok(object.element(at, span)),
            _ => {
                let n = part.components();
                let components: Vec<u32> = (at * n..(at + 1) * n).collect();
                Ok(object.swizzle(&components, part, span))
            }
        }
    }

    /// An index: an integer scalar.
    pub(super) fn index_value(&mut self, index: Value) -> R<Expr> {
        let is_scalar = index.ty.is_numeric() && index.ty.components() == 1;
        if !is_scalar {
            let message = format!("an index is an integer, not `{}`", index.ty);
            return Err(self.error(Code::CannotIndex, index.span, message));
        }
        let to = match index.ty.scalar() {
            Some(Scalar::Uint) => Scalar::Uint,
            _ => Scalar::Int,
        };
        self.convert(index, &Type::Scalar(to), "")
    }
}

fn vector_swizzle(text: &str, components: u32) -> Result<Vec<u32>, SwizzleError> {
    const SETS: [&str; 2] = ["xyzw", "rgba"];
    let place = |c: char| {
        SETS.iter()
            .enumerate()
            .find_map(|(set, letters)| letters.find(c).map(|i| (set, i as u32)))
    };
    let found: Option<Vec<_>> = text.chars().map(place).collect();
    let found = found.ok_or(SwizzleError::NoSwizzle)?;
    if found.iter().any(|(set, _)| *set != found[0].0) {
        return Err(SwizzleError::Mixed);
    }
    if found.len() > 4 {
        return Err(SwizzleError::TooLong);
    }
    for ((_, component), c) in found.iter().zip(text.chars()) {
        if *component >= components {
            return Err(SwizzleError::Missing(c.to_string()));
        }
    }
    Ok(found.into_iter().map(|(_, component)| component).collect())
}

fn matrix_swizzle(text: &str, rows: u8, columns: u8) -> Result<Vec<u32>, SwizzleError> {
    let mut components = Vec::new();
    let mut base = None;
    let mut elements = text.split('_');
    if elements.next() != Some("") {
        return Err(SwizzleError::NoSwizzle);
    }
    for element in elements {
        let (from, digits) = match element.strip_prefix('m') {
            Some(digits) => (0, digits),
            None => (1, element),
        };
        let [r, c] = digits.as_bytes() else {
            return Err(SwizzleError::NoSwizzle);
        };
        if !r.is_ascii_digit() || !c.is_ascii_digit() {
            return Err(SwizzleError::NoSwizzle);
        }
        if *base.get_or_insert(from) != from {
            return Err(SwizzleError::Mixed);
        }
        let number = |digit: u8, len: u8| {
            let n = u32::from(digit - b'0').checked_sub(from)?;
            (n < u32::from(len)).then_some(n)
        };
        match (number(*r, rows), number(*c, columns)) {
            (Some(r), Some(c)) => components.push(r * u32::from(columns) + c),
            _ => return Err(SwizzleError::Missing(format!("_{element}"))),
        }
    }
    match components.len() {
        0 => Err(SwizzleError::NoSwizzle),
        1..=4 => Ok(components),
        _ => Err(SwizzleError::TooLong),
    }
}
