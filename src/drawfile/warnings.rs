//! What a draw file says that is accepted but perhaps not meant, and what the Direct3D debug layer would say about its
//! draws.

use super::{
    Binding, ConstantBuffer, Contents,
    reader::FileError,
    run::{RunError, Session},
    values::Value,
};
use fuseline_hlsl::{compile::Compiled, reflection::Layout};
use fuseline_runtime::{DrawReport, Register};
use std::collections::BTreeMap;

/// A warning at a place of the file.
fn at(place: &FileError, message: &str) -> String {
    let path = place.path.display();
    match place.place {
        Some((line, column)) => format!("{path}:{line}:{column}: warning: {message}"),
        None => format!("{path}: warning: {message}"),
    }
}

/// What is odd about the constant buffers of a file: those that the shader does not have, and arrays given short.
pub(super) fn of_constants(constants: &[ConstantBuffer], compiled: &Compiled) -> Vec<String> {
    let mut warnings = Vec::new();
    for buffer in constants {
        let declared = (compiled.reflection.constant_buffers.iter())
            .map(|used| &used.buffer)
            .find(|desc| match &buffer.binding {
                Binding::Register(number, space) => {
                    Register::of(desc) == Register::b(*number).space(*space)
                }
                Binding::Name(name) => desc.name == *name,
            });
        match (declared, &buffer.binding, &buffer.contents) {
            (None, Binding::Register(number, space), _) => {
                let register = Register::b(*number).space(*space);
                let message = format!(
                    "constant buffer {register} is given, but the shader declares none there: nothing reads it"
                );
                warnings.push(at(&buffer.place, &message));
            }
            (Some(desc), _, Contents::Values(values)) => {
                for (name, value) in values {
                    let member = desc.members.iter().find(|member| member.name == *name);
                    if let Some(member) = member {
                        let mut short = Vec::new();
                        short_arrays(value, &member.layout, name, &mut short);
                        warnings.extend(short.iter().map(|message| at(&buffer.place, message)));
                    }
                }
            }
            _ => {}
        }
    }
    warnings
}

/// Arrays with fewer elements than the shader declares.
fn short_arrays(value: &Value, layout: &Layout, path: &str, found: &mut Vec<String>) {
    match (layout, value) {
        (Layout::Array { element, len, .. }, Value::List(list)) => {
            if list.len() < *len as usize {
                found.push(format!(
                    "`{path}` has {len} elements, {} are given: the rest is zero",
                    list.len()
                ));
            }
            for (i, value) in list.iter().enumerate() {
                short_arrays(value, element, &format!("{path}[{i}]"), found);
            }
        }
        (Layout::Struct(members), Value::Struct(values)) => {
            for (name, value) in values {
                if let Some(member) = members.iter().find(|member| member.name == *name) {
                    short_arrays(value, &member.layout, &format!("{path}.{name}"), found);
                }
            }
        }
        _ => {}
    }
}

impl Session {
    /// What the Direct3D debug layer would say about each draw.
    fn reports(&self) -> impl Iterator<Item = DrawReport> {
        self.draw_calls()
            .map(|(call, state)| self.pipeline().check(state, call))
    }

    /// Everything that was accepted but is perhaps not meant, without the shader's own warnings: of the layout, of the
    /// file, of the draws. What several draws have in common is told once.
    pub fn warnings(&self) -> Vec<String> {
        let layout = self.pipeline().warnings().iter();
        let mut all: Vec<String> = layout
            .map(|warning| format!("warning: {warning}"))
            .collect();
        all.extend(self.file_warnings().iter().cloned());
        let mut order = Vec::new();
        let mut draws: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (number, report) in self.reports().enumerate() {
            for warning in report.warnings {
                let text = format!("{}: {warning}", warning.rule());
                let of = draws.entry(text.clone()).or_default();
                if of.is_empty() {
                    order.push(text);
                }
                of.push(number.to_string());
            }
        }
        all.extend(order.into_iter().map(|text| {
            let draws = &draws[&text];
            let plural = if draws.len() == 1 { "" } else { "s" };
            format!("warning: draw{plural} {}: {text}", draws.join(", "))
        }));
        all
    }

    /// Every reason for which draws would be refused, without running them.
    pub fn refusals(&self) -> Vec<RunError> {
        let of_draw = |(draw, report): (usize, DrawReport)| {
            report.errors.into_iter().map(move |error| RunError::Draw {
                draw,
                message: error.to_string(),
            })
        };
        self.reports().enumerate().flat_map(of_draw).collect()
    }
}
