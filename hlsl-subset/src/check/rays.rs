//! Types and constants that ray tracing shaders find declared. Vertex shaders have no use for them, but files that hold
//! both are checked in full.

use super::scope::{Entry, GLOBAL, TypeSymbol};
use super::value::Value;
use super::{Checker, StructInfo, build};
use crate::ast;
use crate::span::Span;
use crate::types::{Field, Scalar, StructType, Type};
use std::sync::Arc;

const FLOAT: Type = Type::Scalar(Scalar::Float);
const FLOAT2: Type = Type::Vector(Scalar::Float, 2);
const FLOAT3: Type = Type::Vector(Scalar::Float, 3);

/// The fields of the struct of that name.
fn fields(name: &str) -> Option<&'static [(&'static str, Type)]> {
    Some(match name {
        "RayDesc" => &[
            ("Origin", FLOAT3),
            ("TMin", FLOAT),
            ("Direction", FLOAT3),
            ("TMax", FLOAT),
        ],
        "BuiltInTriangleIntersectionAttributes" => &[("barycentrics", FLOAT2)],
        _ => return None,
    })
}

/// The value of the constant of that name.
fn constant(name: &str) -> Option<u32> {
    Some(match name {
        "RAY_FLAG_NONE" => 0,
        "RAY_FLAG_FORCE_OPAQUE" => 0x1,
        "RAY_FLAG_FORCE_NON_OPAQUE" => 0x2,
        "RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH" => 0x4,
        "RAY_FLAG_SKIP_CLOSEST_HIT_SHADER" => 0x8,
        "RAY_FLAG_CULL_BACK_FACING_TRIANGLES" => 0x10,
        "RAY_FLAG_CULL_FRONT_FACING_TRIANGLES" => 0x20,
        "RAY_FLAG_CULL_OPAQUE" => 0x40,
        "RAY_FLAG_CULL_NON_OPAQUE" => 0x80,
        "RAY_FLAG_SKIP_TRIANGLES" => 0x100,
        "RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES" => 0x200,
        "HIT_KIND_TRIANGLE_FRONT_FACE" => 0xFE,
        "HIT_KIND_TRIANGLE_BACK_FACE" => 0xFF,
        "COMMITTED_NOTHING" | "CANDIDATE_NON_OPAQUE_TRIANGLE" => 0,
        "COMMITTED_TRIANGLE_HIT" | "CANDIDATE_PROCEDURAL_PRIMITIVE" => 1,
        "COMMITTED_PROCEDURAL_PRIMITIVE_HIT" => 2,
        _ => return None,
    })
}

impl Checker<'_, '_> {
    /// The constant that a name stands for, where nothing of the user's has that name.
    pub(super) fn ray_constant(&mut self, path: &ast::Path) -> Option<Value> {
        let bits = constant(&path.as_plain()?.name)?;
        if self.try_value(path).is_some() {
            return None;
        }
        let ty = Type::Scalar(Scalar::Uint);
        Some(Value::computed(build::constant(vec![bits], ty, path.span)))
    }

    /// Declares the struct that a name stands for where nothing of the user's has that name.
    pub(super) fn declare_ray_struct(&mut self, name: &ast::Ident) {
        let Some(fields) = fields(&name.name) else {
            return;
        };
        let id = self.structs.len() as u32;
        let fields = fields.iter().map(|(name, ty)| Field {
            name: (*name).to_owned(),
            ty: ty.clone(),
            row_major: None,
            semantic: None,
            interpolation: Vec::new(),
            span: Span::default(),
        });
        let ty = Arc::new(StructType {
            name: name.name.to_string(),
            id,
            fields: fields.collect(),
        });
        let saved = std::mem::replace(&mut self.scope, GLOBAL);
        let scope = self.open_scope(&name.name, Some(id));
        self.scope = saved;
        self.structs.push(StructInfo {
            ty: Arc::clone(&ty),
            scope,
            ancestors: Vec::new(),
            precise: false,
        });
        let entry = Entry {
            order: 0,
            span: name.span,
            symbol: TypeSymbol::Type(Type::Struct(ty), None),
        };
        let global = &mut self.scopes[GLOBAL.0 as usize];
        global.types.insert(name.name.clone(), entry);
    }
}
