//! What stands outside of functions and is not static: loose globals, constant buffers, resources.

use super::module::{BufferDecl, BufferKind, ObjectDecl, ObjectId, Register};
use super::scope::{MemberSymbol, Node, ScopeId, Symbol, TypeSymbol};
use super::value::Value;
use super::{Checker, R, Reported};
use crate::ast::{self, Binding, Declarator, ItemKind, ModifierKind, VarDecl};
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::ConstantBufferId;
use crate::packing::{self, Declared, Packed, PackingError, Rules};
use crate::reflection::{Layout, Member};
use crate::span::Span;
use crate::types::{ObjectType, Type};
use std::rc::Rc;
use std::sync::Arc;

/// Most elements of an array of constant buffers that each become one of the shader's: Direct3D 11 has so many.
const MOST_BUFFERS: u32 = 14;

/// `$Globals`.
const GLOBALS: ConstantBufferId = ConstantBufferId(0);

/// A loose global, or a member of a constant buffer before it is laid out.
pub(super) struct Loose {
    name: ast::Ident,
    full_name: String,
    ty: Type,
    row_major: Option<bool>,
    at: Option<u32>,
    /// The named scope that sees it.
    scope: ScopeId,
    /// Where it is, once that is known.
    member: Option<Rc<MemberSymbol>>,
}

/// Whether any declaration looks like one of a loose global.
pub(super) fn has_loose(items: &[ast::Item]) -> bool {
    items.iter().any(|item| match &item.kind {
        ItemKind::Variables(vars) => {
            !vars.has(ModifierKind::Static)
                && !vars.has(ModifierKind::Groupshared)
                && !matches!(
                    vars.ty.kind,
                    ast::TypeKind::Object(..) | ast::TypeKind::String
                )
        }
        _ => has_loose_inside(item),
    })
}

/// The same of what a declaration holds. Broken text may have a namespace anywhere.
fn has_loose_inside(item: &ast::Item) -> bool {
    match &item.kind {
        ItemKind::Namespace(namespace) => has_loose(&namespace.items),
        ItemKind::Struct(decl) => decl.members.iter().any(has_loose_inside),
        ItemKind::Buffer(decl) => decl.members.iter().any(has_loose_inside),
        ItemKind::Variables(vars) | ItemKind::Typedef(vars) => match &vars.ty.kind {
            ast::TypeKind::Struct(decl) => decl.members.iter().any(has_loose_inside),
            _ => false,
        },
        _ => false,
    }
}

impl<'a> Checker<'a, '_> {
    /// Variables at file scope or in a namespace.
    pub(super) fn declare_globals(&mut self, vars: &'a VarDecl) {
        self.check_modifiers(&vars.modifiers, super::modifier::Place::Global);
        if vars.ty.kind == ast::TypeKind::String {
            for declarator in &vars.declarators {
                self.declare_value(&declarator.name, Symbol::Text);
            }
            return;
        }
        if vars.has(ModifierKind::Static) || vars.has(ModifierKind::Groupshared) {
            return self.declare_statics(vars);
        }
        if matches!(vars.ty.kind, ast::TypeKind::Object(..)) {
            return self.declare_objects(vars);
        }
        let written = self.declared_type(&vars.ty, &vars.modifiers);
        for declarator in &vars.declarators {
            self.refuse_packoffset(declarator);
            let declared = written.clone().and_then(|w| {
                if let Some(object) = object_of(&w.ty) {
                    return self.declare_object(declarator, object.clone(), &w.ty);
                }
                let ty = self.variable_type(w.ty, vars, declarator)?;
                if let Type::Array(_, 0) = ty {
                    let message = "the length of the array is missing";
                    return Err(self.error(Code::ArrayLength, declarator.span, message));
                }
                self.declare_loose(declarator, ty, w.row_major);
                Ok(())
            });
            if let Err(reported) = declared {
                self.declare_lost(&declarator.name, reported);
            }
        }
    }

    /// Resources, samplers and buffers: those that are not supported count where they are used.
    fn declare_objects(&mut self, vars: &'a VarDecl) {
        for declarator in &vars.declarators {
            self.refuse_packoffset(declarator);
            let declared = self.usable(|checker| {
                let ty = checker.declared_type(&vars.ty, &vars.modifiers)?.ty;
                match object_of(&ty).cloned() {
                    Some(object) => checker.declare_object(declarator, object, &ty),
                    None => Ok(()),
                }
            });
            let lost = match declared {
                Ok(()) => continue,
                Err(TypeSymbol::Unsupported(diagnostic)) => Symbol::Unsupported(diagnostic),
                Err(_) => Symbol::Error(Reported(())),
            };
            self.declare_value(&declarator.name, lost);
        }
    }

    fn refuse_packoffset(&mut self, declarator: &Declarator) {
        for binding in &declarator.bindings {
            if let Binding::PackOffset(pack) = binding {
                let message = "only members of constant buffers have a packoffset";
                self.error(Code::BadRegister, pack.span, message);
            }
        }
    }

    fn declare_loose(&mut self, declarator: &'a Declarator, ty: Type, row_major: Option<bool>) {
        self.warn_of_ignored_value(declarator);
        let at = self.constant_register(declarator);
        let prefix = &self.scopes[self.scope.0 as usize].prefix;
        let full_name = format!("{prefix}{}", declarator.name.name);
        let index = self.loose.len();
        self.loose.push(Loose {
            name: declarator.name.clone(),
            full_name,
            ty,
            row_major,
            at,
            scope: self.scope,
            member: None,
        });
        self.declare_value(&declarator.name, Symbol::Loose(index));
    }

    fn warn_of_ignored_value(&mut self, declarator: &Declarator) {
        if let Some(init) = &declarator.init
            && !std::mem::replace(&mut self.noted_ignored_value, true)
        {
            let name = &declarator.name.name;
            let diagnostic = Diagnostic::new(
                Code::IgnoredInitializer,
                init.span,
                format!("the value of `{name}` comes from a constant buffer; this initialiser has no effect"),
            )
            .hint("declare it `static const` for a constant of the shader");
            self.report(diagnostic);
        }
    }

    /// The offset that `register(cN)` or `packoffset(cN.y)` asks for.
    fn constant_register(&mut self, declarator: &'a Declarator) -> Option<u32> {
        for binding in &declarator.bindings {
            match binding {
                Binding::PackOffset(pack) => {
                    let number = pack.register.name.strip_prefix(['c', 'C'])?.parse::<u32>();
                    let component = match pack.component.as_ref().map(|c| &*c.name) {
                        None => Some(0),
                        Some(c) => "xyzw"
                            .find(c)
                            .or_else(|| "rgba".find(c))
                            .filter(|_| c.len() == 1),
                    };
                    return match (number, component) {
                        (Ok(n), Some(c)) => Some(n.saturating_mul(16).saturating_add(4 * c as u32)),
                        _ => {
                            let message = "a packoffset is written as `packoffset(c2.y)`";
                            self.error(Code::BadRegister, pack.span, message);
                            None
                        }
                    };
                }
                Binding::Register(register) => {
                    let register = self.register(register).ok()?;
                    return (register.class == 'c').then(|| register.number.saturating_mul(16));
                }
                Binding::Semantic(_) => {}
            }
        }
        None
    }

    /// The register that a declaration names, if it names one.
    fn register_of(&mut self, bindings: &'a [Binding]) -> R<Option<Register>> {
        let mut first: Option<Register> = None;
        for binding in bindings {
            let Binding::Register(written) = binding else {
                continue;
            };
            let register = self.register(written)?;
            // For several stages there may be several.
            let is_general = written.words.iter().all(|word| !is_stage(&word.name));
            match first {
                Some(before) if is_general && before.class == register.class => {
                    let diagnostic = Diagnostic::new(
                        Code::BadRegister,
                        register.span,
                        "a second register of the same class",
                    )
                    .note(before.span, "the first one is here");
                    return Err(self.report(diagnostic));
                }
                Some(_) => {}
                None => first = Some(register),
            }
        }
        Ok(first)
    }

    /// That register, if it is of a class that such a declaration takes.
    fn register_among(&mut self, bindings: &'a [Binding], classes: &[char]) -> R<Option<Register>> {
        let register = self.register_of(bindings)?;
        if let Some(Register {
            class,
            number,
            span,
            ..
        }) = register
            && class != ' '
            && !classes.contains(&class)
        {
            let names = classes.iter().map(|class| format!("`{class}{number}`"));
            let names = names.collect::<Vec<_>>().join(" or ");
            let message =
                format!("this is bound to a register like {names}, not to `{class}{number}`");
            return Err(self.error(Code::BadRegister, span, message));
        }
        Ok(register)
    }

    fn register(&mut self, written: &'a ast::Register) -> R<Register> {
        let mut register = None;
        let mut space = 0;
        for (place, word) in written.words.iter().enumerate() {
            let split = word
                .name
                .find(|c: char| c.is_ascii_digit())
                .unwrap_or(word.name.len());
            let (letters, digits) = word.name.split_at(split);
            let number = if digits.is_empty() {
                Ok(0)
            } else {
                digits.parse::<u32>()
            };
            match (letters.to_ascii_lowercase().as_str(), number) {
                ("space", Ok(n)) => space = n,
                // As Direct3D 10's effects wrote them.
                ("cb", Ok(n)) => register = Some(('b', n)),
                ("tb", Ok(n)) => register = Some(('t', n)),
                (class @ ("b" | "t" | "s" | "u" | "c" | "i"), Ok(n)) => {
                    register = Some((class.chars().next().unwrap_or('b'), n));
                }
                _ if place == 0 && written.words.len() > 1 && is_stage(&word.name) => {}
                _ => {
                    let message = format!("`{}` is no register", word.name);
                    let diagnostic = Diagnostic::new(Code::BadRegister, word.span, message)
                        .hint("registers are `b0`, `t0`, `s0`, `u0` and `c0`, a space is `space1`");
                    return Err(self.report(diagnostic));
                }
            }
        }
        let Some((class, number)) = register else {
            return Ok(Register {
                class: ' ',
                number: 0,
                space,
                span: written.span,
            });
        };
        let offset = match &written.offset {
            Some(offset) => u32::try_from(self.constant_int(offset)?).unwrap_or(0),
            None => 0,
        };
        Ok(Register {
            class,
            number: number.saturating_add(offset),
            space,
            span: written.span,
        })
    }

    /// `cbuffer B { … }`, `tbuffer B { … }`.
    pub(super) fn declare_buffer(&mut self, decl: &'a ast::BufferDecl, span: Span) {
        let (kind, classes) = if decl.is_tbuffer {
            (BufferKind::Texture, &['t'][..])
        } else {
            (BufferKind::Constant, &['b'][..])
        };
        let register = self
            .register_among(&decl.bindings, classes)
            .unwrap_or_default();
        let mut members: Vec<Loose> = Vec::new();
        let mut statics = Vec::new();
        for item in &decl.members {
            match &item.kind {
                ItemKind::Variables(vars) if !vars.has(ModifierKind::Static) => {
                    self.buffer_members(vars, &mut members);
                }
                // They may read the members, whose places come first.
                ItemKind::Variables(vars) if !is_size(vars) => statics.push(vars),
                ItemKind::Variables(vars) => self.declare_statics(vars),
                _ => self.item(item),
            }
        }
        let name = decl
            .name
            .as_ref()
            .map_or_else(|| "<unnamed>".to_owned(), |n| n.name.to_string());
        let span = decl.name.as_ref().map_or(span, |n| n.span);
        let buffer = ConstantBufferId(self.module.buffers.len() as u32);
        self.module.buffers.push(BufferDecl {
            name,
            kind,
            members: Vec::new(),
            size: 0,
            register,
            span,
        });
        self.lay_out(buffer, &mut members, false);
        for member in members {
            let symbol = match member.member {
                Some(place) => Symbol::Member(place),
                None => Symbol::Error(Reported(())),
            };
            self.declare_value(&member.name, symbol);
        }
        for vars in statics {
            self.declare_statics(vars);
        }
    }

    fn buffer_members(&mut self, vars: &'a VarDecl, members: &mut Vec<Loose>) {
        let written = self.declared_type(&vars.ty, &vars.modifiers);
        for declarator in &vars.declarators {
            let declared = written.clone().and_then(|w| {
                if let Some(object) = object_of(&w.ty) {
                    return self.declare_object(declarator, object.clone(), &w.ty);
                }
                let ty = self.variable_type(w.ty, vars, declarator)?;
                if let Type::Array(_, 0) = ty {
                    let message = "the length of the array is missing";
                    return Err(self.error(Code::ArrayLength, declarator.span, message));
                }
                self.warn_of_ignored_value(declarator);
                members.push(Loose {
                    name: declarator.name.clone(),
                    full_name: declarator.name.name.to_string(),
                    ty,
                    row_major: w.row_major,
                    at: self.constant_register(declarator),
                    scope: self.scope,
                    member: None,
                });
                Ok(())
            });
            if let Err(reported) = declared {
                self.declare_lost(&declarator.name, reported);
            }
        }
    }

    /// Places the members of a buffer.
    fn lay_out(&mut self, buffer: ConstantBufferId, members: &mut [Loose], fixed_first: bool) {
        let declared: Vec<Declared> = members
            .iter()
            .map(|m| Declared {
                name: &m.full_name,
                ty: &m.ty,
                row_major: m.row_major,
                at: m.at,
                span: m.name.span,
            })
            .collect();
        let packed = match packing::pack(&declared, self.options.default_row_major, fixed_first) {
            Ok(packed) => packed,
            Err(error) => {
                self.report(error.diagnostic());
                return;
            }
        };
        if let Some(span) = packed.mixed
            && !fixed_first
        {
            let message = "members with and without packoffset are mixed";
            self.warn(Code::MixedPackOffset, span, message);
        }
        let mut places = packed.members.iter();
        for member in members.iter_mut().filter(|m| takes_space(&m.ty)) {
            let Some(place) = places.next() else { break };
            member.member = Some(Rc::new(MemberSymbol {
                buffer,
                offset: place.offset,
                node: node(&member.ty, &place.layout),
                ty: member.ty.clone(),
            }));
        }
        for member in members.iter_mut().filter(|m| !takes_space(&m.ty)) {
            member.member = Some(Rc::new(MemberSymbol {
                buffer,
                offset: 0,
                node: Rc::new(Node::Struct(Vec::new())),
                ty: member.ty.clone(),
            }));
        }
        self.set_members(buffer, packed);
    }

    fn set_members(&mut self, buffer: ConstantBufferId, packed: Packed) {
        let decl = &mut self.module.buffers[buffer.0 as usize];
        decl.size = packed.size();
        decl.members = packed.members;
    }

    /// Reserves `$Globals`, so that it comes first.
    pub(super) fn reserve_globals(&mut self) {
        self.module.buffers.push(BufferDecl {
            name: "$Globals".to_owned(),
            kind: BufferKind::Globals,
            members: Vec::new(),
            size: 0,
            register: None,
            span: Span::default(),
        });
    }

    /// Places the loose globals, now that all are known.
    pub(super) fn lay_out_globals(&mut self) {
        self.laid_out = true;
        if self.loose.is_empty() {
            return;
        }
        let mut loose = std::mem::take(&mut self.loose);
        self.lay_out(GLOBALS, &mut loose, true);
        if let Some(first) = loose.first() {
            self.module.buffers[GLOBALS.0 as usize].span = first.name.span;
        }
        for (index, global) in loose.iter().enumerate() {
            let values = &mut self.scopes[global.scope.0 as usize].values;
            if let Some(entry) = values.get_mut(&global.name.name)
                && matches!(entry.symbol, Symbol::Loose(i) if i == index)
            {
                entry.symbol = match &global.member {
                    Some(member) => Symbol::Member(Rc::clone(member)),
                    None => Symbol::Error(Reported(())),
                };
            }
        }
        self.loose = loose;
    }

    /// A loose global that is named before `$Globals` is laid out: what names it has to wait.
    pub(super) fn loose_global(&mut self, index: usize, span: Span) -> R<Value> {
        match self.loose.get(index).and_then(|l| l.member.clone()) {
            Some(member) => {
                self.use_buffer(member.buffer);
                Ok(Value::member(&member, span))
            }
            None => {
                if self.held.is_none() && !self.laid_out {
                    let message =
                        "a loose global is no constant: its value comes from a constant buffer";
                    return Err(self.error(Code::NotConstant, span, message));
                }
                self.needs_layout = true;
                Err(Reported(()))
            }
        }
    }

    /// A resource, a sampler or a `ConstantBuffer<T>`, or an array of them.
    fn declare_object(
        &mut self,
        declarator: &'a Declarator,
        object: Arc<ObjectType>,
        ty: &Type,
    ) -> R<()> {
        let ty = self.array_type(ty.clone(), &declarator.dims, true)?;
        let count = match &ty {
            Type::Array(_, n) => Some(*n),
            _ => None,
        };
        let classes = super::object::register_classes(&object.class);
        let register = self.register_among(&declarator.bindings, classes)?;
        let kind = match object.class.as_str() {
            "ConstantBuffer" => Some(BufferKind::Constant),
            "TextureBuffer" => Some(BufferKind::Texture),
            _ => None,
        };
        // Larger arrays, and those without bounds, are resources like others: code that reads one is not there yet.
        let is_small = count.is_none_or(|n| (1..=MOST_BUFFERS).contains(&n));
        if let (Some(kind), Some(element)) = (kind, &object.element) {
            if !matches!(element, Type::Struct(_)) {
                let message = format!("a constant buffer holds a struct, not `{element}`");
                return Err(self.error(Code::BadType, declarator.span, message));
            }
            if is_small {
                return self.declare_buffers(declarator, kind, element.clone(), count, register);
            }
        }
        let id = ObjectId(self.module.objects.len() as u32);
        let total = element_count(&ty);
        self.module.objects.push(ObjectDecl {
            name: declarator.name.name.to_string(),
            ty: object,
            count: if count == Some(0) { 0 } else { total },
            register,
            span: declarator.name.span,
        });
        self.declare_value(&declarator.name, Symbol::Object(id, ty));
        Ok(())
    }

    fn declare_buffers(
        &mut self,
        declarator: &'a Declarator,
        kind: BufferKind,
        element: Type,
        count: Option<u32>,
        register: Option<Register>,
    ) -> R<()> {
        let name = &declarator.name;
        let layout = packing::layout(
            &element,
            None,
            self.options.default_row_major,
            Rules::Constant,
        );
        let layout = layout.unwrap_or(Layout::Struct(Vec::new()));
        if layout.size() > packing::MAX_CONSTANT_BUFFER {
            let error = PackingError::TooLarge {
                span: name.span,
                end: layout.size(),
                limit: packing::MAX_CONSTANT_BUFFER,
            };
            self.report(error.diagnostic());
            return Err(Reported(()));
        }
        let first = ConstantBufferId(self.module.buffers.len() as u32);
        let node = node(&element, &layout);
        let size = layout.size().next_multiple_of(packing::REGISTER);
        let members: Vec<Member> = match layout {
            Layout::Struct(members) => members,
            _ => Vec::new(),
        };
        for i in 0..count.unwrap_or(1) {
            self.module.buffers.push(BufferDecl {
                name: match count {
                    Some(_) => format!("{}[{i}]", name.name),
                    None => name.name.to_string(),
                },
                kind,
                members: members.clone(),
                size,
                register: register.map(|r| Register {
                    number: r.number.saturating_add(i),
                    ..r
                }),
                span: name.span,
            });
        }
        let member = Rc::new(MemberSymbol {
            buffer: first,
            offset: 0,
            node,
            ty: element,
        });
        self.declare_value(
            name,
            Symbol::Buffers {
                first,
                count,
                member,
            },
        );
        Ok(())
    }
}

/// A profile or stage before a register, as in `register(vs_5_0, b0)` and `register(ps, s0)`.
fn is_stage(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let stage = word.split('_').next().unwrap_or_default();
    matches!(stage, "vs" | "ps" | "gs" | "hs" | "ds" | "cs" | "lib")
}

/// A static that may be the length of an array: an integer constant.
fn is_size(vars: &VarDecl) -> bool {
    use ast::ScalarName::{Int, Uint};
    vars.has(ModifierKind::Const) && matches!(vars.ty.kind, ast::TypeKind::Scalar(Int | Uint))
}

/// The object type inside of arrays, if that is what a type is made of.
fn object_of(ty: &Type) -> Option<&Arc<ObjectType>> {
    match ty {
        Type::Array(element, _) => object_of(element),
        Type::Object(object) => Some(object),
        _ => None,
    }
}

fn element_count(ty: &Type) -> u32 {
    match ty {
        Type::Array(element, n) => n.saturating_mul(element_count(element)),
        _ => 1,
    }
}

/// Whether packing gives it a place.
fn takes_space(ty: &Type) -> bool {
    match ty {
        Type::Array(element, _) => takes_space(element),
        Type::Void | Type::Object(_) => false,
        _ => true,
    }
}

/// The checker's form of a layout.
fn node(ty: &Type, layout: &Layout) -> Rc<Node> {
    Rc::new(match (ty, layout) {
        (
            _,
            Layout::Matrix {
                row_stride,
                column_stride,
                ..
            },
        ) => Node::Matrix(*row_stride, *column_stride),
        (
            Type::Array(inner, _),
            Layout::Array {
                element, stride, ..
            },
        ) => Node::Array(node(inner, element), *stride),
        (Type::Struct(s), Layout::Struct(members)) => {
            let mut members = members.iter();
            let fields = s.fields.iter().map(|f| {
                if !takes_space(&f.ty) {
                    return None;
                }
                members.next().map(|m| (m.offset, node(&f.ty, &m.layout)))
            });
            Node::Struct(fields.collect())
        }
        _ => Node::Vector,
    })
}
