//! Reflection as JSON: `compile --emit reflection`. Names and order of the keys are stable.

use super::{BufferClass, BufferUse, Layout, Member, Reflection, ResourceUse};
use crate::hir::SignatureElement;
use serde::Serialize;

#[derive(Serialize)]
struct View<'a> {
    entry: &'a str,
    profile: String,
    required_profile: String,
    inputs: Vec<ElementView<'a>>,
    outputs: Vec<ElementView<'a>>,
    constant_buffers: Vec<BufferView<'a>>,
    resources: Vec<ResourceView<'a>>,
    system_values: Vec<&'static str>,
}

#[derive(Serialize)]
struct ElementView<'a> {
    semantic: &'a str,
    index: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_value: Option<&'static str>,
    #[serde(rename = "type")]
    ty: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    register: Option<u32>,
    mask: &'static str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    interpolation: &'a [String],
}

#[derive(Serialize)]
struct BufferView<'a> {
    name: &'a str,
    register: String,
    space: u32,
    size: u32,
    used: bool,
    members: Vec<MemberView<'a>>,
}

#[derive(Serialize)]
struct MemberView<'a> {
    name: &'a str,
    offset: u32,
    size: u32,
    #[serde(rename = "type")]
    ty: String,
    /// How matrices are stored, arrays of them included.
    #[serde(skip_serializing_if = "Option::is_none")]
    majorness: Option<&'static str>,
    /// Bytes between elements of an array, outermost dimension first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    strides: Vec<u32>,
    /// Of a struct, or of the struct that is an array's element; offsets count from its start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<MemberView<'a>>,
}

#[derive(Serialize)]
struct ResourceView<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    ty: &'a str,
    register: String,
    space: u32,
    count: u32,
    /// Bytes of an element of a structured buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    stride: Option<u32>,
    used: bool,
    /// Of the struct that is an element of a structured buffer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<MemberView<'a>>,
}

impl Reflection {
    /// As JSON, indented.
    pub fn to_json(&self) -> String {
        let view = View {
            entry: &self.entry,
            profile: self.profile.to_string(),
            required_profile: self.required_profile.to_string(),
            inputs: self.inputs.iter().map(element).collect(),
            outputs: self.outputs.iter().map(element).collect(),
            constant_buffers: self.constant_buffers.iter().map(buffer).collect(),
            resources: self.resources.iter().map(resource).collect(),
            system_values: self.system_values.iter().map(|v| v.text()).collect(),
        };
        // Writing plain strings and numbers to memory cannot fail.
        serde_json::to_string_pretty(&view).unwrap_or_default()
    }
}

fn element(element: &SignatureElement) -> ElementView<'_> {
    let scalar = element.scalar.text();
    ElementView {
        semantic: &element.semantic,
        index: element.index,
        system_value: element.system_value.map(|v| v.text()),
        ty: match element.components {
            1 => scalar.to_owned(),
            n => format!("{scalar}{n}"),
        },
        register: element.register,
        mask: mask(element.first_component, element.components),
        interpolation: &element.interpolation,
    }
}

/// The letters of `components` components from `first` on.
fn mask(first: u8, components: u8) -> &'static str {
    let from = usize::from(first.min(4));
    let to = (from + usize::from(components)).min(4);
    &"xyzw"[from..to]
}

fn buffer(use_: &BufferUse) -> BufferView<'_> {
    let buffer = &use_.buffer;
    let class = match buffer.class {
        BufferClass::Constant => 'b',
        BufferClass::Texture => 't',
    };
    BufferView {
        name: &buffer.name,
        register: format!("{class}{}", buffer.register),
        space: buffer.space,
        size: buffer.size,
        used: use_.used,
        members: buffer.members.iter().map(member).collect(),
    }
}

fn member(member: &Member) -> MemberView<'_> {
    let mut layout = &member.layout;
    let mut strides = Vec::new();
    while let Layout::Array {
        element, stride, ..
    } = layout
    {
        strides.push(*stride);
        layout = element;
    }
    MemberView {
        name: &member.name,
        offset: member.offset,
        size: member.layout.size(),
        ty: member.ty.to_string(),
        majorness: match layout {
            Layout::Matrix {
                row_major: true, ..
            } => Some("row_major"),
            Layout::Matrix {
                row_major: false, ..
            } => Some("column_major"),
            _ => None,
        },
        strides,
        members: match layout {
            Layout::Struct(members) => members.iter().map(self::member).collect(),
            _ => Vec::new(),
        },
    }
}

fn resource(resource: &ResourceUse) -> ResourceView<'_> {
    ResourceView {
        name: &resource.name,
        ty: &resource.ty,
        register: format!("{}{}", resource.class, resource.register),
        space: resource.space,
        count: resource.count,
        stride: resource.element.as_ref().map(Layout::size),
        used: resource.used,
        members: match &resource.element {
            Some(Layout::Struct(members)) => members.iter().map(member).collect(),
            _ => Vec::new(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packing::{Declared, pack};
    use crate::profile::Profile;
    use crate::reflection::ConstantBuffer;
    use crate::semantics::SystemValue;
    use crate::span::Span;
    use crate::types::{Scalar, Type};
    use std::sync::Arc;

    fn element(
        semantic: &str,
        system_value: Option<SystemValue>,
        scalar: Scalar,
        components: u8,
    ) -> SignatureElement {
        SignatureElement {
            semantic: semantic.to_owned(),
            index: 0,
            system_value,
            scalar,
            components,
            register: Some(0),
            first_component: 0,
            interpolation: Vec::new(),
            span: Span::default(),
        }
    }

    #[test]
    fn members_tell_offset_size_type_and_majorness() {
        let float = |n| Type::Vector(Scalar::Float, n);
        let types = [
            float(3),
            Type::Array(Arc::new(Type::Matrix(Scalar::Float, 4, 3)), 2),
        ];
        let declared: Vec<Declared> = ["eye", "bones"]
            .into_iter()
            .zip(&types)
            .map(|(name, ty)| Declared {
                name,
                ty,
                row_major: Some(true),
                at: None,
                span: Span::default(),
            })
            .collect();
        let packed = pack(&declared, false, false).expect("small");
        let reflection = Reflection {
            entry: "main".to_owned(),
            profile: Profile::VS_5_0,
            required_profile: Profile {
                minor: 0,
                major: 4,
                ..Profile::VS_5_0
            },
            inputs: vec![element(
                "SV_VertexID",
                Some(SystemValue::VertexId),
                Scalar::Uint,
                1,
            )],
            outputs: vec![SignatureElement {
                first_component: 2,
                ..element("UV", None, Scalar::Float, 2)
            }],
            constant_buffers: vec![BufferUse {
                buffer: ConstantBuffer {
                    name: "Camera".to_owned(),
                    class: BufferClass::Constant,
                    register: 3,
                    space: 0,
                    size: packed.size(),
                    members: packed.members,
                },
                used: true,
            }],
            resources: Vec::new(),
            system_values: vec![SystemValue::VertexId],
        };
        insta::assert_snapshot!(reflection.to_json());
    }
}
