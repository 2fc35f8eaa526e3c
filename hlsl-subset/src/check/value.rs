//! What an expression stands for while it is checked: a place that can be narrowed to a part, or a computed value.
//! Must not know syntax, names or diagnostics.
//!
//! Members, elements and swizzles of a place stay places, so that they can be assigned and so that only what is
//! used is loaded.

use super::build;
use super::scope::{MemberSymbol, Node, ReadOnly};
use crate::hir::{ConstantBufferId, ConstantLoad, DynamicIndex, Expr, ExprKind, Place, VarId};
use crate::span::Span;
use crate::types::{Scalar, Type};
use std::rc::Rc;

/// A checked expression.
#[derive(Clone, Debug)]
pub struct Value {
    /// What it stands for.
    pub kind: ValueKind,
    /// Its type.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
    /// Made of unsuffixed literals only.
    pub literal: bool,
}

/// What an expression stands for.
#[derive(Clone, Debug)]
pub enum ValueKind {
    /// A computed value.
    Computed(ExprKind),
    /// Components of a variable.
    Variable(VarRef),
    /// Components of a constant buffer.
    Memory(MemRef),
    /// An array of `ConstantBuffer<T>`, not yet indexed.
    Buffers {
        /// First of them.
        first: ConstantBufferId,
        /// What is in each.
        member: Rc<MemberSymbol>,
    },
}

/// Components of a variable.
#[derive(Clone, Debug)]
pub struct VarRef {
    /// What has to be evaluated before its indices, in order.
    pub before: Vec<Expr>,
    /// The variable.
    pub var: VarId,
    /// First slot.
    pub offset: u32,
    /// Indices known only at run time.
    pub dynamic: Vec<DynamicIndex>,
    /// Slot of each component from there; None: one after the other.
    pub components: Option<Vec<u32>>,
    /// Why it cannot be written.
    pub read_only: Option<ReadOnly>,
}

/// Components of a constant buffer.
#[derive(Clone, Debug)]
pub struct MemRef {
    /// What has to be evaluated before its indices, in order.
    pub before: Vec<Expr>,
    /// The buffer; with `choice` the first of several.
    pub buffer: ConstantBufferId,
    /// Which of neighbouring buffers it is, if that is known only at run time: one I32 component, and how many there are.
    pub choice: Option<(Rc<Expr>, u32)>,
    /// First byte.
    pub offset: u32,
    /// Indices known only at run time.
    pub dynamic: Vec<DynamicIndex>,
    /// Where the components are from there.
    pub shape: Shape,
}

/// Where components lie from a first byte on.
#[derive(Clone, Debug)]
pub enum Shape {
    /// As the layout of the type says.
    Node(Rc<Node>),
    /// Byte of each component.
    Bytes(Vec<u32>),
}

impl Value {
    /// A computed value.
    pub fn computed(e: Expr) -> Value {
        Value {
            kind: ValueKind::Computed(e.kind),
            ty: e.ty,
            span: e.span,
            literal: false,
        }
    }

    /// All of a variable.
    pub fn variable(var: VarId, ty: Type, read_only: Option<ReadOnly>, span: Span) -> Value {
        let place = VarRef {
            before: Vec::new(),
            var,
            offset: 0,
            dynamic: Vec::new(),
            components: None,
            read_only,
        };
        Value {
            kind: ValueKind::Variable(place),
            ty,
            span,
            literal: false,
        }
    }

    /// A member of a constant buffer.
    pub fn member(member: &MemberSymbol, span: Span) -> Value {
        let memory = MemRef {
            before: Vec::new(),
            buffer: member.buffer,
            choice: None,
            offset: member.offset,
            dynamic: Vec::new(),
            shape: Shape::Node(member.node.clone()),
        };
        Value {
            kind: ValueKind::Memory(memory),
            ty: member.ty.clone(),
            span,
            literal: false,
        }
    }

    /// The value as Hir computes it.
    pub fn into_expr(self) -> Expr {
        let (ty, span) = (self.ty, self.span);
        match self.kind {
            ValueKind::Computed(kind) => build::expr(kind, ty, span),
            ValueKind::Variable(mut v) => {
                let before = std::mem::take(&mut v.before);
                let place = v.into_place(ty.components());
                build::sequence(before, build::expr(ExprKind::Load(place), ty, span))
            }
            ValueKind::Memory(m) => {
                let components = m.bytes(&ty);
                let load = |buffer| {
                    let load = ConstantLoad {
                        buffer,
                        offset: m.offset,
                        dynamic: m.dynamic.clone(),
                        components: components.clone(),
                    };
                    build::expr(ExprKind::ConstantLoad(load), ty.clone(), span)
                };
                let value = match &m.choice {
                    None => load(m.buffer),
                    Some((index, count)) => {
                        let loads = (0..*count).map(|i| load(ConstantBufferId(m.buffer.0 + i)));
                        build::element_of(loads.collect(), Expr::clone(index), ty, span)
                    }
                };
                build::sequence(m.before, value)
            }
            ValueKind::Buffers { .. } => build::zero(&ty, span),
        }
    }

    /// A field of a struct, by its number; `ty` is the field's type.
    pub fn field(self, index: usize, span: Span) -> Value {
        let Type::Struct(s) = &self.ty else {
            return self;
        };
        let ty = s.fields[index].ty.clone();
        let first: u32 = s.fields[..index].iter().map(|f| f.ty.components()).sum();
        self.part(
            first,
            |node| match node {
                Node::Struct(fields) => fields[index].clone(),
                _ => None,
            },
            ty,
            span,
        )
    }

    /// The first fields of a struct: its base.
    pub fn base(self, ty: Type, span: Span) -> Value {
        let count = match &ty {
            Type::Struct(s) => s.fields.len(),
            _ => 0,
        };
        let span_of_part = span;
        match self.kind {
            ValueKind::Memory(mut m) => {
                if let Shape::Node(node) = &m.shape
                    && let Node::Struct(fields) = &**node
                {
                    m.shape = Shape::Node(Rc::new(Node::Struct(fields[..count].to_vec())));
                }
                Value {
                    kind: ValueKind::Memory(m),
                    ty,
                    span,
                    literal: false,
                }
            }
            _ => self.part(0, |_| None, ty, span_of_part),
        }
    }

    /// Element `index` of an array.
    pub fn element(self, index: u32, span: Span) -> Value {
        let Type::Array(element, _) = &self.ty else {
            return self;
        };
        let ty = (**element).clone();
        let first = index.saturating_mul(ty.components());
        self.part(
            first,
            |node| match node {
                Node::Array(element, stride) => {
                    Some((index.saturating_mul(*stride), element.clone()))
                }
                _ => None,
            },
            ty,
            span,
        )
    }

    /// The part of an aggregate that starts at component `first`.
    fn part(
        self,
        first: u32,
        in_node: impl Fn(&Node) -> Option<(u32, Rc<Node>)>,
        ty: Type,
        span: Span,
    ) -> Value {
        let kind = match self.kind {
            ValueKind::Variable(mut v) => {
                v.offset += first;
                ValueKind::Variable(v)
            }
            ValueKind::Memory(mut m) => {
                let inner = match &m.shape {
                    Shape::Node(node) => in_node(node),
                    Shape::Bytes(_) => None,
                };
                // A resource in a constant buffer lies nowhere.
                let (offset, node) = inner.unwrap_or((0, Rc::new(Node::Vector)));
                m.offset = m.offset.wrapping_add(offset);
                m.shape = Shape::Node(node);
                ValueKind::Memory(m)
            }
            ValueKind::Computed(kind) => {
                let whole = build::expr(kind, self.ty, self.span);
                ValueKind::Computed(build::slice(whole, first, ty.components(), ty.clone()).kind)
            }
            kind @ ValueKind::Buffers { .. } => kind,
        };
        Value {
            kind,
            ty,
            span,
            literal: false,
        }
    }

    /// Components of a scalar, vector or matrix, by number.
    pub fn swizzle(self, components: &[u32], ty: Type, span: Span) -> Value {
        let kind = match self.kind {
            ValueKind::Variable(mut v) => {
                v.components = Some(match &v.components {
                    Some(own) => components.iter().map(|c| own[*c as usize]).collect(),
                    None => components.to_vec(),
                });
                ValueKind::Variable(v)
            }
            ValueKind::Memory(mut m) => {
                let own = m.bytes(&self.ty);
                m.shape = Shape::Bytes(components.iter().map(|c| own[*c as usize]).collect());
                ValueKind::Memory(m)
            }
            ValueKind::Computed(kind) => {
                let whole = build::expr(kind, self.ty, self.span);
                ValueKind::Computed(build::pick(whole, components.to_vec(), ty.clone()).kind)
            }
            kind @ ValueKind::Buffers { .. } => kind,
        };
        Value {
            kind,
            ty,
            span,
            literal: false,
        }
    }

    /// Part `index` of an array, matrix (a row) or vector, the index known only at run time. It must be cheap and
    /// pure unless the value is computed; `before` is evaluated ahead of it.
    pub fn index(self, index: Expr, before: Vec<Expr>, part: Type, len: u32, span: Span) -> Value {
        let per = part.components();
        let at = |stride| DynamicIndex {
            index: index.clone(),
            stride,
            len,
        };
        let is_array = matches!(self.ty, Type::Array(..));
        let kind = match self.kind {
            ValueKind::Variable(mut v) => {
                let own = match &v.components {
                    None => None,
                    Some(own) => match strided(own, per) {
                        Some(stride) => Some((own[..per as usize].to_vec(), stride)),
                        None => {
                            let whole = Value {
                                kind: ValueKind::Variable(v),
                                ..self
                            };
                            return whole.index_computed(index, before, part, len, span);
                        }
                    },
                };
                let (components, stride) = match own {
                    Some((components, stride)) => (Some(components), stride),
                    None => (None, per),
                };
                v.components = components;
                v.dynamic.push(at(stride));
                v.before.extend(before);
                ValueKind::Variable(v)
            }
            ValueKind::Memory(mut m) => {
                match &m.shape {
                    Shape::Node(node) if is_array => {
                        if let Node::Array(element, stride) = &**node {
                            m.dynamic.push(at(*stride));
                            m.shape = Shape::Node(element.clone());
                        }
                    }
                    _ => {
                        let own = m.bytes(&self.ty);
                        match strided(&own, per) {
                            Some(stride) => {
                                m.dynamic.push(at(stride));
                                m.shape = Shape::Bytes(own[..per as usize].to_vec());
                            }
                            None => {
                                let whole = Value {
                                    kind: ValueKind::Memory(m),
                                    ..self
                                };
                                return whole.index_computed(index, before, part, len, span);
                            }
                        }
                    }
                }
                m.before.extend(before);
                ValueKind::Memory(m)
            }
            ValueKind::Computed(_) | ValueKind::Buffers { .. } => {
                return self.index_computed(index, before, part, len, span);
            }
        };
        Value {
            kind,
            ty: part,
            span,
            literal: false,
        }
    }

    fn index_computed(
        self,
        index: Expr,
        before: Vec<Expr>,
        part: Type,
        len: u32,
        span: Span,
    ) -> Value {
        let kind = ExprKind::Index {
            base: Box::new(self.into_expr()),
            index: Box::new(index),
            stride: part.components(),
            len,
        };
        Value::computed(build::sequence(before, build::expr(kind, part, span)))
    }
}

/// The distance between the parts of `per` components that `list` consists of, if it is the same everywhere.
fn strided(list: &[u32], per: u32) -> Option<u32> {
    let per = per as usize;
    if list.len() <= per {
        return Some(per as u32);
    }
    let stride = list[per].checked_sub(list[0])?;
    let is_regular = list
        .iter()
        .zip(list.get(per..)?)
        .all(|(a, b)| b.checked_sub(*a) == Some(stride));
    is_regular.then_some(stride)
}

impl VarRef {
    /// As Hir names it, for a type of so many components.
    pub fn into_place(self, components: u32) -> Place {
        Place {
            var: self.var,
            offset: self.offset,
            dynamic: self.dynamic,
            components: self.components.unwrap_or_else(|| (0..components).collect()),
        }
    }

    /// A component occurs twice in it.
    pub fn repeats(&self) -> bool {
        self.components
            .as_ref()
            .is_some_and(|list| list.iter().enumerate().any(|(i, c)| list[..i].contains(c)))
    }
}

impl MemRef {
    /// Byte of each component of a value of type `ty`.
    fn bytes(&self, ty: &Type) -> Vec<u32> {
        match &self.shape {
            Shape::Bytes(bytes) => bytes.clone(),
            Shape::Node(node) => {
                let mut bytes = Vec::with_capacity(ty.components() as usize);
                push_bytes(node, ty, 0, &mut bytes);
                bytes
            }
        }
    }
}

fn push_bytes(node: &Node, ty: &Type, base: u32, out: &mut Vec<u32>) {
    match (node, ty) {
        (Node::Matrix(row, column), Type::Matrix(_, rows, columns)) => {
            for r in 0..u32::from(*rows) {
                out.extend((0..u32::from(*columns)).map(|c| base + r * row + c * column));
            }
        }
        (Node::Array(node, stride), Type::Array(element, len)) => {
            for i in 0..*len {
                push_bytes(node, element, base + i * stride, out);
            }
        }
        (Node::Struct(nodes), Type::Struct(s)) => {
            for (node, field) in nodes.iter().zip(&s.fields) {
                if let Some((offset, node)) = node {
                    push_bytes(node, &field.ty, base + offset, out);
                }
            }
        }
        _ => out.extend((0..ty.components()).map(|i| base + 4 * i)),
    }
}

/// The components' types in order, one after the other.
pub fn leaves(ty: &Type, out: &mut Vec<Scalar>) {
    match ty {
        Type::Void | Type::Object(_) => {}
        Type::Scalar(s) => out.push(*s),
        Type::Enum(e) => out.push(e.scalar),
        Type::Vector(s, n) => out.extend(std::iter::repeat_n(*s, usize::from(*n))),
        Type::Matrix(s, r, c) => {
            out.extend(std::iter::repeat_n(*s, usize::from(*r) * usize::from(*c)));
        }
        Type::Array(element, len) => {
            let start = out.len();
            if *len > 0 {
                leaves(element, out);
            }
            let one = out[start..].to_vec();
            for _ in 1..*len {
                out.extend_from_slice(&one);
            }
        }
        Type::Struct(s) => {
            for field in &s.fields {
                leaves(&field.ty, out);
            }
        }
    }
}

/// Whether two types are the same; structs are told apart by their number alone.
pub fn same_type(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Struct(a), Type::Struct(b)) => a.id == b.id,
        (Type::Array(a, n), Type::Array(b, m)) => n == m && same_type(a, b),
        (Type::Object(a), Type::Object(b)) => {
            a.class == b.class
                && match (&a.element, &b.element) {
                    (Some(a), Some(b)) => same_type(a, b),
                    (None, None) => true,
                    _ => false,
                }
        }
        (Type::Struct(_) | Type::Array(..) | Type::Object(_), _) => false,
        _ => a == b,
    }
}
