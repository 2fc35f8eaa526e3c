//! Registers of constant buffers, resources and samplers: those that are written, and for the others the lowest free
//! ones in order of declaration (hlsl-vs-semantics.md section 6).

use super::interface::{Interface, ParamsBuffer};
use super::reach::Reached;
use crate::check::module::{BufferDecl, BufferKind, Module, ObjectId, Register};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::hir::ConstantBufferId;
use crate::packing::{self, Rules};
use crate::profile::Profile;
use crate::reflection::{BufferClass, ConstantBuffer, Layout, ResourceUse};
use crate::span::Span;
use crate::types::{ObjectType, Type};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// A register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Slot {
    number: u32,
    space: u32,
}

/// Where everything is bound.
#[derive(Clone, Debug, Default)]
pub(super) struct Registers {
    buffers: Vec<Slot>,
    objects: Vec<Slot>,
    params: Slot,
}

impl Registers {
    /// A declared buffer with its register.
    pub fn buffer(&self, index: usize, decl: &BufferDecl) -> ConstantBuffer {
        let slot = self.buffers.get(index).copied().unwrap_or_default();
        ConstantBuffer {
            name: decl.name.clone(),
            class: match decl.kind {
                BufferKind::Texture => BufferClass::Texture,
                BufferKind::Constant | BufferKind::Globals => BufferClass::Constant,
            },
            register: slot.number,
            space: slot.space,
            size: decl.size,
            members: decl.members.clone(),
        }
    }

    /// The buffer of uniform parameters with its register.
    pub fn params(&self, params: &ParamsBuffer) -> ConstantBuffer {
        ConstantBuffer {
            name: "$Params".to_owned(),
            class: BufferClass::Constant,
            register: self.params.number,
            space: self.params.space,
            size: params.packed.size(),
            members: params.packed.members.clone(),
        }
    }

    /// Every resource and sampler of the file.
    pub fn resources(&self, module: &Module, reached: &Reached) -> Vec<ResourceUse> {
        module
            .objects
            .iter()
            .enumerate()
            .map(|(i, object)| {
                let slot = self.objects.get(i).copied().unwrap_or_default();
                ResourceUse {
                    name: object.name.clone(),
                    ty: Type::Object(Arc::clone(&object.ty)).to_string(),
                    class: object.ty.register_class(),
                    register: slot.number,
                    space: slot.space,
                    count: object.count,
                    element: structured_element(&object.ty, module.default_row_major),
                    used: reached.objects.contains(&ObjectId(i as u32)),
                }
            })
            .collect()
    }
}

/// How an element of a structured buffer lies in memory; none for other objects.
fn structured_element(object: &ObjectType, default_row_major: bool) -> Option<Layout> {
    let element = object.element.as_ref()?;
    let is_structured = object.class.ends_with("StructuredBuffer");
    is_structured
        .then(|| packing::layout(element, None, default_row_major, Rules::Structured))
        .flatten()
}

/// Number of registers of a class up to shader model 5.0; later models address them by space and have no such limit.
fn limit(class: char, profile: Profile) -> u32 {
    match class {
        _ if profile.at_least(5, 1) => u32::MAX,
        'b' => 14,
        's' => 16,
        't' => 128,
        _ => 64,
    }
}

/// Something that wants a register.
struct Wanted<'m> {
    name: &'m str,
    class: char,
    count: u32,
    written: Option<Register>,
    used: bool,
    span: Span,
}

/// Registers that are taken: by class, space and first number of each range, with its length and owner.
#[derive(Default)]
struct Taken<'m> {
    ranges: BTreeMap<(char, u32, u32), (u32, &'m str, Span)>,
    /// Below these numbers there is no room for so many neighbours of that class.
    full_below: HashMap<(char, u32), u32>,
}

impl<'m> Taken<'m> {
    /// A range that overlaps `count` registers from `slot` on: its first number, length and owner.
    fn overlap(&self, class: char, slot: Slot, count: u32) -> Option<(u32, u32, &'m str, Span)> {
        let end = slot.number.saturating_add(count);
        let key = |number| (class, slot.space, number);
        let mut before = self.ranges.range(key(0)..=key(slot.number)).rev();
        let mut inside = self.ranges.range(key(slot.number)..key(end));
        let nearest = before.next().into_iter().chain(inside.next());
        nearest
            .map(|((.., at), (n, name, span))| (*at, *n, *name, *span))
            .find(|(at, n, ..)| *at < end && slot.number < at.saturating_add(*n))
    }

    /// The lowest `count` neighbours of space 0 that are free.
    fn free(&mut self, class: char, count: u32) -> Slot {
        let start = self.full_below.get(&(class, count)).copied();
        let mut slot = Slot {
            number: start.unwrap_or(0),
            space: 0,
        };
        while let Some((at, n, ..)) = self.overlap(class, slot, count) {
            match at.checked_add(n) {
                Some(next) => slot.number = next,
                None => break,
            }
        }
        self.full_below.insert((class, count), slot.number);
        slot
    }

    fn take(&mut self, w: &Wanted<'m>, slot: Slot) {
        self.ranges.insert(
            (w.class, slot.space, slot.number),
            (w.count, w.name, w.span),
        );
    }
}

/// Gives everything a register. Those that the entry uses come first; two of them at one register are an error.
pub(super) fn assign(
    module: &Module,
    reached: &Reached,
    interface: &Interface,
    profile: Profile,
    diagnostics: &mut Diagnostics,
) -> Registers {
    let buffers = module.buffers.iter().enumerate().map(|(i, b)| Wanted {
        name: &b.name,
        class: if b.kind == BufferKind::Texture {
            't'
        } else {
            'b'
        },
        count: 1,
        written: b.register,
        used: reached.buffers.contains(&ConstantBufferId(i as u32)),
        span: b.span,
    });
    let objects = module.objects.iter().enumerate().map(|(i, o)| Wanted {
        name: &o.name,
        class: o.ty.register_class(),
        // An array without bounds takes what follows it, too; nobody else can be told from it but by its first one.
        count: o.count.max(1),
        written: o.register,
        used: reached.objects.contains(&ObjectId(i as u32)),
        span: o.span,
    });
    let params = interface.params.as_ref().map(|p| Wanted {
        name: "$Params",
        class: 'b',
        count: 1,
        written: None,
        used: true,
        span: p.span,
    });
    let wanted: Vec<Wanted> = buffers.chain(objects).chain(params).collect();
    let slots = distribute(&wanted, profile, diagnostics);
    let (buffers, rest) = slots.split_at(module.buffers.len());
    let (objects, params) = rest.split_at(module.objects.len());
    Registers {
        buffers: buffers.to_vec(),
        objects: objects.to_vec(),
        params: params.first().copied().unwrap_or_default(),
    }
}

fn distribute(wanted: &[Wanted], profile: Profile, diagnostics: &mut Diagnostics) -> Vec<Slot> {
    let mut slots = vec![Slot::default(); wanted.len()];
    let mut taken = Taken::default();
    let written = |w: &Wanted| {
        let slot = |r: Register| Slot {
            number: r.number,
            space: r.space,
        };
        w.written.filter(|r| r.class == w.class).map(slot)
    };
    for (w, slot) in wanted.iter().zip(&mut slots) {
        if let Some(at) = written(w) {
            *slot = at;
            if w.used {
                claim(w, at, &mut taken, profile, diagnostics);
            }
        }
    }
    for used in [true, false] {
        for (w, slot) in wanted
            .iter()
            .zip(&mut slots)
            .filter(|(w, _)| w.used == used && written(w).is_none())
        {
            *slot = taken.free(w.class, w.count);
            if used {
                claim(w, *slot, &mut taken, profile, diagnostics);
            } else {
                taken.take(w, *slot);
            }
        }
    }
    slots
}

fn claim<'m>(
    w: &Wanted<'m>,
    at: Slot,
    taken: &mut Taken<'m>,
    profile: Profile,
    diagnostics: &mut Diagnostics,
) {
    let (class, name) = (w.class, w.name);
    let span = w.written.map_or(w.span, |r| r.span);
    if let Some((_, _, other, place)) = taken.overlap(class, at, w.count) {
        let space = if at.space > 0 {
            format!(", space{}", at.space)
        } else {
            String::new()
        };
        let message = format!(
            "`{name}` and `{other}` are both bound to {class}{}{space}",
            at.number
        );
        diagnostics.push(
            Diagnostic::new(Code::RegisterTaken, span, message)
                .note(place, format!("`{other}` is here")),
        );
    }
    if at.space > 0 && !profile.at_least(5, 1) {
        let message = format!(
            "`{name}` is bound to space{}, but {profile} has no register spaces",
            at.space
        );
        let later = Profile {
            major: 5,
            minor: 1,
            ..profile
        };
        diagnostics.push(
            Diagnostic::new(Code::BadRegister, span, message).hint(format!(
                "compile for {later} or later, or leave the space out"
            )),
        );
    }
    let limit = limit(class, profile);
    if at.number.saturating_add(w.count) > limit {
        let message = format!(
            "`{name}` does not fit into the registers {class}0 to {class}{} of {profile}",
            limit - 1
        );
        diagnostics.report(Code::TooManyBindings, span, message);
    }
    taken.take(w, at);
}
