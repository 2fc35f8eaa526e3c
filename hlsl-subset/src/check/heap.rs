//! `ResourceDescriptorHeap[i]` and `SamplerDescriptorHeap[i]` (shader model 6.6): objects whose type is that of the
//! variable they go to. Must not know methods.

use super::module::When;
use super::value::Value;
use super::{Checker, R, build};
use crate::ast;
use crate::diagnostic::{Code, Diagnostic};
use crate::span::Span;
use crate::types::{ObjectType, Scalar, Type};
use std::sync::Arc;

const RESOURCES: &str = "ResourceDescriptorHeap";
const SAMPLERS: &str = "SamplerDescriptorHeap";

/// The class of what an index into that heap gives, until it is known what it is used as.
fn entry_class(heap: &str) -> Option<&'static str> {
    match heap {
        RESOURCES => Some("ResourceDescriptorHeap[…]"),
        SAMPLERS => Some("SamplerDescriptorHeap[…]"),
        _ => None,
    }
}

fn object(class: &str) -> Type {
    Type::Object(Arc::new(ObjectType {
        class: class.to_owned(),
        element: None,
    }))
}

/// Whether an object of the class `from` is a descriptor that can be used as one of the class `to`.
pub(super) fn becomes(from: &str, to: &str) -> bool {
    let is_sampler = to.to_ascii_lowercase().starts_with("sampler") && entry_class(to).is_none();
    match entry_class(RESOURCES) == Some(from) {
        true => !is_sampler,
        false => entry_class(SAMPLERS) == Some(from) && is_sampler,
    }
}

impl Checker<'_, '_> {
    /// The heap that a name stands for, where nothing of the user's has that name.
    pub(super) fn heap(&mut self, path: &ast::Path) -> Option<Value> {
        let name = &*path.as_plain()?.name;
        entry_class(name)?;
        if self.try_value(path).is_some() {
            return None;
        }
        Some(Value::computed(build::zero(&object(name), path.span)))
    }

    /// `ResourceDescriptorHeap[i]`; None where `class` is no heap.
    pub(super) fn heap_index(&mut self, class: &str, index: Value, span: Span) -> Option<R<Value>> {
        let entry = entry_class(class)?;
        let diagnostic = Diagnostic::new(
            Code::ResourceNotRun,
            span,
            format!("code that takes a descriptor from `{class}` is not generated yet"),
        );
        self.obstacle(When::Codegen, diagnostic);
        let index = self.convert(index, &Type::Scalar(Scalar::Uint), "to index with it");
        Some(index.map(|index| {
            let before = match build::is_pure(&index) {
                true => Vec::new(),
                false => vec![index],
            };
            Value::computed(build::sequence(before, build::zero(&object(entry), span)))
        }))
    }
}
