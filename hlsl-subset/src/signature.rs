//! Signatures: an entry's parameters and return value spread over registers (hlsl-vs-semantics.md section 7).
//!
//! Each scalar, vector, matrix line and array element is one element with its semantic; inputs take a register each,
//! outputs share registers with others that are interpolated alike. Must not know functions or modules.

use crate::check::module::ValueDecl;
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::hir::{EntryBinding, SignatureElement, VarId};
use crate::profile::Profile;
use crate::semantics::{self, Interpretation, Misplaced, Point, SystemValue};
use crate::span::Span;
use crate::types::{Scalar, Type};
use std::collections::HashMap;

/// Most components of SV_ClipDistance and SV_CullDistance together.
const MAX_DISTANCES: u32 = 8;

/// One signature, inputs or outputs.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// Its elements, in order of declaration.
    pub elements: Vec<SignatureElement>,
    /// Which slot of which variable each component is.
    pub bindings: Vec<EntryBinding>,
}

/// Collects the elements of one signature.
pub struct Builder<'a> {
    profile: Profile,
    default_row_major: bool,
    diagnostics: &'a mut Diagnostics,
    signature: Signature,
    /// Elements by name in lower case and index.
    taken: HashMap<(String, u32), Span>,
    registers: Registers,
    block: Option<Block>,
    distances: u32,
    /// A limit was passed: no more is taken in.
    full: bool,
}

/// The registers of an array or matrix, which are neighbours and begin at the same component.
#[derive(Clone, Copy)]
struct Block {
    /// How many there are.
    rows: u32,
    /// The next one and its first component, once the block has a place.
    next: Option<(u32, u8)>,
}

/// Registers that are in use.
#[derive(Default)]
struct Registers {
    used: Vec<RegisterUse>,
}

/// A register of outputs that is in use.
struct RegisterUse {
    /// How what is in it is interpolated.
    kind: String,
    /// Components taken, from the left.
    components: u8,
    /// Some of them are read by the pipeline: what is not stands left of these.
    has_system_value: bool,
}

/// The semantic of a declaration while its registers are counted.
struct Running {
    name: String,
    index: u32,
    span: Span,
}

/// What is being spread.
#[derive(Clone, Copy)]
struct Declaration<'d> {
    point: Point,
    var: VarId,
    /// Of the nearest member or parameter, for messages.
    name: &'d str,
    row_major: Option<bool>,
    interpolation: &'d [String],
    span: Span,
}

/// One register's worth: a component type, and the slots of its components.
struct Line<'l> {
    scalar: Scalar,
    slots: &'l [u32],
}

impl<'a> Builder<'a> {
    /// An empty signature. Whatever is wrong goes to `diagnostics`.
    pub fn new(
        profile: Profile,
        default_row_major: bool,
        diagnostics: &'a mut Diagnostics,
    ) -> Builder<'a> {
        Builder {
            profile,
            default_row_major,
            diagnostics,
            signature: Signature::default(),
            taken: HashMap::new(),
            registers: Registers::default(),
            block: None,
            distances: 0,
            full: false,
        }
    }

    /// Adds a value that variable `var` holds; `name` is for messages.
    pub fn add(&mut self, point: Point, value: &ValueDecl, name: &str, var: VarId) {
        self.add_as(point, value, &value.ty, name, var);
    }

    /// Adds a value as if it were of type `ty`: one vertex of an array of them, what a stream takes.
    pub fn add_as(&mut self, point: Point, value: &ValueDecl, ty: &Type, name: &str, var: VarId) {
        let declaration = Declaration {
            point,
            var,
            name,
            row_major: value.row_major,
            interpolation: &value.interpolation,
            span: value.span,
        };
        let mut running = match &value.semantic {
            Some((text, span)) => match self.running(text, *span) {
                Some(running) => Some(running),
                None => return,
            },
            None => None,
        };
        self.spread(ty, declaration, running.as_mut(), &mut 0);
    }

    /// The signature as far as it is right.
    pub fn finish(self) -> Signature {
        self.signature
    }

    fn running(&mut self, text: &str, span: Span) -> Option<Running> {
        match semantics::split(text) {
            Some((name, index)) => Some(Running {
                name: name.to_owned(),
                index,
                span,
            }),
            None => {
                let message = format!("the index of semantic `{text}` does not fit 32 bits");
                self.diagnostics
                    .report(Code::SemanticIndexTooLarge, span, message);
                None
            }
        }
    }

    /// Spreads a value of type `ty` whose first slot is `slot`. A semantic that is given stands for all of it.
    fn spread(
        &mut self,
        ty: &Type,
        d: Declaration,
        mut semantic: Option<&mut Running>,
        slot: &mut u32,
    ) {
        if self.full {
            return;
        }
        match ty {
            Type::Void | Type::Object(_) => {}
            Type::Scalar(scalar) => self.lines(*scalar, 1, &[vec![0]], d, semantic, slot),
            Type::Enum(e) => self.lines(e.scalar, 1, &[vec![0]], d, semantic, slot),
            Type::Vector(scalar, n) => {
                let all = (0..u32::from(*n)).collect();
                self.lines(*scalar, u32::from(*n), &[all], d, semantic, slot);
            }
            Type::Matrix(scalar, rows, columns) => {
                let lines = matrix_lines(
                    *rows,
                    *columns,
                    d.row_major.unwrap_or(self.default_row_major),
                );
                let is_outermost = self.open_block(ty, d);
                self.lines(*scalar, ty.components(), &lines, d, semantic, slot);
                if is_outermost {
                    self.block = None;
                }
            }
            Type::Array(element, len) => {
                if element.components() == 0 {
                    return;
                }
                let before = self.diagnostics.error_count();
                let is_outermost = self.open_block(ty, d);
                for _ in 0..*len {
                    self.spread(element, d, semantic.as_deref_mut(), slot);
                    if self.full || self.diagnostics.error_count() > before {
                        break;
                    }
                }
                if is_outermost {
                    self.block = None;
                }
            }
            Type::Struct(s) => {
                for field in &s.fields {
                    let own = Declaration {
                        name: &field.name,
                        row_major: field.row_major,
                        interpolation: match field.interpolation.as_slice() {
                            [] => d.interpolation,
                            own => own,
                        },
                        span: field.span,
                        ..d
                    };
                    match (semantic.as_deref_mut(), &field.semantic) {
                        (Some(outer), _) => self.spread(&field.ty, own, Some(outer), slot),
                        (None, Some(text)) => match self.running(text, field.span) {
                            Some(mut running) => {
                                self.spread(&field.ty, own, Some(&mut running), slot)
                            }
                            None => *slot += field.ty.components(),
                        },
                        (None, None) => self.spread(&field.ty, own, None, slot),
                    }
                }
            }
        }
    }

    /// What an array or matrix of numbers spreads over is one block, unless it is part of one already.
    fn open_block(&mut self, ty: &Type, d: Declaration) -> bool {
        if self.block.is_some() {
            return false;
        }
        let row_major = d.row_major.unwrap_or(self.default_row_major);
        self.block = rows(ty, row_major).map(|rows| Block { rows, next: None });
        self.block.is_some()
    }

    /// Adds the lines of one vector or matrix of `components` slots.
    fn lines(
        &mut self,
        scalar: Scalar,
        components: u32,
        lines: &[Vec<u32>],
        d: Declaration,
        semantic: Option<&mut Running>,
        slot: &mut u32,
    ) {
        let first = *slot;
        *slot += components;
        let Some(running) = semantic else {
            let direction = if d.point.is_input() {
                "input"
            } else {
                "output"
            };
            let message = match d.name {
                "" => format!("this {direction} has no semantic"),
                name => format!("{direction} `{name}` has no semantic"),
            };
            let hint = match d.point.is_input() {
                true => "give it one, as in `float4 p : POSITION`, or declare it `uniform`",
                false => "give it one, as in `float4 main(…) : SV_Position`",
            };
            self.diagnostics
                .push(Diagnostic::new(Code::MissingSemantic, d.span, message).hint(hint));
            return;
        };
        for line in lines {
            let slots: Vec<u32> = line.iter().map(|s| first + s).collect();
            if !self.line(
                Line {
                    scalar,
                    slots: &slots,
                },
                d,
                running,
            ) {
                return;
            }
            match running.index.checked_add(1) {
                Some(next) => running.index = next,
                None => return,
            }
        }
    }

    /// Adds one element; false where it cannot be.
    fn line(&mut self, line: Line, d: Declaration, running: &Running) -> bool {
        let components = line.slots.len() as u8;
        let interpretation = match semantics::interpret(&running.name, d.point, self.profile) {
            Ok(interpretation) => interpretation,
            Err(misplaced) => {
                self.misplaced(misplaced, d.point, running);
                return false;
            }
        };
        let system_value = match interpretation {
            Interpretation::Arbitrary => None,
            Interpretation::System(value) | Interpretation::NotInSignature(value) => Some(value),
        };
        if system_value.is_some_and(|value| !self.fits(value, &line, running))
            || !self.is_new(running)
        {
            return false;
        }
        let mut element = SignatureElement {
            semantic: running.name.clone(),
            index: running.index,
            system_value,
            scalar: line.scalar,
            components,
            register: None,
            first_component: 0,
            interpolation: match d.point.is_input() {
                true => Vec::new(),
                false => d.interpolation.to_vec(),
            },
            span: running.span,
        };
        if !matches!(interpretation, Interpretation::NotInSignature(_))
            && !self.place(&mut element, d)
        {
            return false;
        }
        let number = self.signature.elements.len() as u32;
        let bindings = line
            .slots
            .iter()
            .enumerate()
            .map(|(component, slot)| EntryBinding {
                element: number,
                component: component as u8,
                var: d.var,
                slot: *slot,
            });
        self.signature.bindings.extend(bindings);
        self.signature.elements.push(element);
        true
    }

    fn misplaced(&mut self, misplaced: Misplaced, point: Point, running: &Running) {
        let name = &running.name;
        let diagnostic = match misplaced {
            Misplaced::Unknown(nearest) => {
                let message = format!("there is no system value `{name}`");
                let diagnostic = Diagnostic::new(Code::UnknownSystemValue, running.span, message);
                match nearest {
                    Some(nearest) => diagnostic.hint(format!("did you mean `{nearest}`?")),
                    None => diagnostic,
                }
            }
            Misplaced::NotHere(name, advice) => {
                let message = format!("`{name}` cannot be {}", point.text());
                let diagnostic = Diagnostic::new(Code::MisplacedSystemValue, running.span, message);
                match advice {
                    Some(advice) => diagnostic.hint(advice),
                    None => diagnostic,
                }
            }
            Misplaced::Model(name, major, minor) => {
                let message = format!(
                    "`{name}` needs shader model {major}.{minor}, the profile is {}",
                    self.profile
                );
                let profile = Profile {
                    major,
                    minor,
                    ..self.profile
                };
                Diagnostic::new(Code::SystemValueNeedsModel, running.span, message)
                    .hint(format!("compile for {profile} or later"))
            }
        };
        self.diagnostics.push(diagnostic);
    }

    /// Whether type and index of a system value are right.
    fn fits(&mut self, value: SystemValue, line: &Line, running: &Running) -> bool {
        let allowed = semantics::allowed(value);
        let components = line.slots.len() as u8;
        if !allowed.takes(line.scalar, components) {
            let found = match components {
                1 => line.scalar.to_string(),
                n => format!("{}{n}", line.scalar),
            };
            let message = format!("`{value}` is a {found}, but has to be a {}", allowed.text());
            self.diagnostics
                .report(Code::SystemValueType, running.span, message);
            return false;
        }
        let is_distance = matches!(value, SystemValue::ClipDistance | SystemValue::CullDistance);
        if !is_distance && running.index > 0 {
            let message = format!(
                "there is only one `{value}`, none with the index {}",
                running.index
            );
            self.diagnostics
                .report(Code::UnknownSystemValue, running.span, message);
            return false;
        }
        if is_distance {
            self.distances += u32::from(components);
            if self.distances > MAX_DISTANCES {
                let message = format!(
                    "SV_ClipDistance and SV_CullDistance together have more than {MAX_DISTANCES} components"
                );
                self.diagnostics
                    .report(Code::TooManyDistances, running.span, message);
                self.full = true;
                return false;
            }
        }
        true
    }

    fn is_new(&mut self, running: &Running) -> bool {
        let key = (running.name.to_ascii_lowercase(), running.index);
        match self.taken.get(&key) {
            None => {
                self.taken.insert(key, running.span);
                true
            }
            Some(&earlier) => {
                let message = format!(
                    "semantic `{}{}` stands twice in this signature",
                    running.name, running.index
                );
                let diagnostic = Diagnostic::new(Code::DuplicateSemantic, running.span, message);
                self.diagnostics.push(match earlier == running.span {
                    true => diagnostic,
                    false => diagnostic.note(earlier, "it is taken here"),
                });
                false
            }
        }
    }

    /// Gives the element a register; false where none is left.
    fn place(&mut self, element: &mut SignatureElement, d: Declaration) -> bool {
        let limit = self.profile.signature_registers();
        let (register, first) = match &mut self.block {
            _ if d.point.is_input() => self.registers.alone(element.components),
            None => self.registers.shared(element, 1),
            Some(block) => {
                let (register, first) = match block.next {
                    Some(place) => place,
                    None => self.registers.shared(element, block.rows),
                };
                block.next = Some((register + 1, first));
                (register, first)
            }
        };
        if register >= limit {
            let direction = if d.point.is_input() {
                "input"
            } else {
                "output"
            };
            let message = format!(
                "the entry has more than {limit} {direction} registers, the limit of {}",
                self.profile
            );
            self.diagnostics
                .report(Code::TooManyRegisters, element.span, message);
            self.full = true;
            return false;
        }
        element.register = Some(register);
        element.first_component = first;
        true
    }
}

impl Registers {
    /// A register of its own.
    fn alone(&mut self, components: u8) -> (u32, u8) {
        self.used.push(RegisterUse {
            kind: String::new(),
            components,
            has_system_value: false,
        });
        (self.used.len() as u32 - 1, 0)
    }

    /// The first `rows` neighbours with room for one element like this in each, at the same component of all
    /// (system-values.md section 8).
    fn shared(&mut self, element: &SignatureElement, rows: u32) -> (u32, u8) {
        let kind = interpolated(element);
        let is_system_value = element.system_value.is_some();
        let fits = |register: &RegisterUse, first: u8| {
            register.kind == kind
                && register.components <= first
                && (is_system_value || !register.has_system_value)
        };
        let rows = (rows as usize).max(1);
        let mut start = 0;
        let first = loop {
            let here = &self.used[start..(start + rows).min(self.used.len())];
            let first = here.iter().map(|r| r.components).max().unwrap_or(0);
            if first + element.components <= 4 && here.iter().all(|r| fits(r, first)) {
                break first;
            }
            start += 1;
        };
        for at in start..start + rows {
            if at == self.used.len() {
                self.used.push(RegisterUse {
                    kind: kind.clone(),
                    components: 0,
                    has_system_value: false,
                });
            }
            let register = &mut self.used[at];
            register.components = first + element.components;
            register.has_system_value |= is_system_value;
        }
        (start as u32, first)
    }
}

/// How many registers an array or matrix of numbers takes.
fn rows(ty: &Type, row_major: bool) -> Option<u32> {
    match ty {
        Type::Array(element, len) => Some(len.saturating_mul(rows(element, row_major)?)),
        Type::Matrix(_, r, c) => Some(u32::from(if row_major { *r } else { *c })),
        Type::Scalar(_) | Type::Enum(_) | Type::Vector(..) => Some(1),
        Type::Void | Type::Struct(_) | Type::Object(_) => None,
    }
}

/// What two outputs must have in common to share a register: how they are interpolated, and whether the pipeline
/// reads them.
fn interpolated(element: &SignatureElement) -> String {
    match element.system_value {
        Some(SystemValue::ClipDistance | SystemValue::CullDistance) => "distance".to_owned(),
        Some(SystemValue::Position) => "position".to_owned(),
        _ if element.scalar != Scalar::Float => "nointerpolation".to_owned(),
        _ => {
            let mut modifiers: Vec<&str> = element
                .interpolation
                .iter()
                .map(String::as_str)
                .filter(|m| *m != "linear")
                .collect();
            modifiers.sort_unstable();
            modifiers.dedup();
            modifiers.join(" ")
        }
    }
}

/// The slots of each line of a matrix: its rows or its columns.
fn matrix_lines(rows: u8, columns: u8, row_major: bool) -> Vec<Vec<u32>> {
    let (rows, columns) = (u32::from(rows), u32::from(columns));
    match row_major {
        true => (0..rows)
            .map(|r| (0..columns).map(|c| r * columns + c).collect())
            .collect(),
        false => (0..columns)
            .map(|c| (0..rows).map(|r| r * columns + c).collect())
            .collect(),
    }
}

#[cfg(test)]
mod tests;
