//! Choosing an entry: from a checked file to one [`Program`] with its reflection.
//!
//! Keeps what the entry reaches and renumbers it, binds parameters and return value to signatures, gives registers,
//! and, where nothing forbids it, fuses sums with products; then the values of constants are known. Must not know
//! syntax trees or engines.

mod bind;
mod interface;
mod reach;
mod renumber;

use crate::check::module::{Module, ModuleFunction, When};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, nearest};
use crate::fold;
use crate::fuse;
use crate::hir::{ConstantBufferId, FuncId, Function, Program, Static, Var, VarId};
use crate::profile::{Profile, Stage};
use crate::reflection::{BufferUse, Reflection};
use crate::span::Span;
use interface::Interface;
use reach::Reached;
use renumber::Renumber;
use std::collections::HashMap;

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Name of the entry function.
    pub entry: &'a str,
    /// Stage and model.
    pub profile: Profile,
    /// Nothing is fused.
    pub strict_float: bool,
    /// The program is to be run: what is checked only is an error then.
    pub run: bool,
}

/// An entry with what it reaches.
#[derive(Clone, Debug)]
pub struct Selected {
    /// The program.
    pub program: Program,
    /// Its reflection.
    pub reflection: Reflection,
}

/// Chooses an entry of a module without errors. Whatever is wrong goes to `diagnostics`; `None` where that is an error.
pub fn select(
    module: &Module,
    request: &Request,
    diagnostics: &mut Diagnostics,
) -> Option<Selected> {
    let before = diagnostics.error_count();
    let root = find(module, request.entry, diagnostics)?;
    let function = module.functions.get(root.0 as usize)?;
    if request.run && request.profile.stage != Stage::Vertex {
        let message = format!(
            "`{}` is a {}, which is not run",
            request.entry,
            request.profile.stage.text()
        );
        diagnostics.report(Code::StageNotRun, function.hir.span, message);
    }
    let reached = reach::reach(module, root, diagnostics);
    obstacles(module, &reached, request, diagnostics);
    let interface = Interface::of(
        function,
        request.profile,
        module.default_row_major,
        diagnostics,
    );
    let registers = bind::assign(module, &reached, &interface, request.profile, diagnostics);
    if diagnostics.error_count() > before {
        return None;
    }
    Some(
        Assembly {
            module,
            request,
            function,
            reached: &reached,
            interface,
            registers,
        }
        .build(diagnostics),
    )
}

/// The function that `name` means as an entry.
fn find(module: &Module, name: &str, diagnostics: &mut Diagnostics) -> Option<FuncId> {
    let candidates = || {
        module
            .functions
            .iter()
            .enumerate()
            .filter(|(_, f)| f.entry_candidate && f.defined)
    };
    let mut named = candidates().filter(|(_, f)| f.hir.name == name);
    match (named.next(), named.next()) {
        (Some((i, _)), None) => Some(FuncId(i as u32)),
        (Some((_, one)), Some((_, other))) => {
            let message = format!(
                "there are several functions `{name}`: which one is the entry cannot be told"
            );
            diagnostics.push(
                Diagnostic::new(Code::BadEntry, one.hir.span, message)
                    .note(other.hir.span, "another one"),
            );
            None
        }
        (None, _) => {
            let mut names: Vec<&str> = candidates().map(|(_, f)| f.hir.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            let message = format!("there is no function `{name}` to be the entry");
            let diagnostic = Diagnostic::new(Code::UnknownEntry, Span::default(), message);
            let hint = match (nearest(name, &names), names.as_slice()) {
                (_, []) => "the file defines no function".to_owned(),
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, names) => format!("the file defines {}", listed(names)),
            };
            diagnostics.push(diagnostic.hint(hint));
            None
        }
    }
}

/// Names for a message, not too many.
fn listed(names: &[&str]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = names.iter().take(MOST).map(|n| format!("`{n}`")).collect();
    match names.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Reports what stands in the way of this entry.
fn obstacles(module: &Module, reached: &Reached, request: &Request, diagnostics: &mut Diagnostics) {
    for obstacle in reached.uses(module).flat_map(|uses| &uses.obstacles) {
        let counts = match obstacle.when {
            When::Always => true,
            When::Vertex => request.profile.stage == Stage::Vertex,
            When::Codegen => request.run,
        };
        if counts {
            diagnostics.push(obstacle.diagnostic.clone());
        }
    }
}

/// What a program is put together from.
struct Assembly<'m> {
    module: &'m Module,
    request: &'m Request<'m>,

    function: &'m ModuleFunction,
    reached: &'m Reached,
    interface: Interface,
    registers: bind::Registers,
}

impl Assembly<'_> {
    fn build(self, diagnostics: &mut Diagnostics) -> Selected {
        let buffers = self.buffers();
        let mut numbers = Renumber::new(self.module, &self.reached.functions, &self.kept_buffers());
        let mut statics: Vec<(Static, bool)> = self
            .reached
            .statics
            .iter()
            .filter_map(|i| self.module.statics.get(*i))
            .map(|s| (numbers.fixed(&s.hir), s.is_const))
            .collect();
        let mut functions: Vec<Function> = self
            .reached
            .functions
            .iter()
            .filter_map(|id| self.module.functions.get(id.0 as usize))
            .map(|f| numbers.function(&f.hir))
            .collect();
        let params: Vec<VarId> = self
            .function
            .hir
            .params
            .iter()
            .map(|p| numbers.var(p.var))
            .collect();
        let mut vars = numbers.finish();
        let fused = !self.request.strict_float && !self.reached.precise;
        if let Some(entry) = functions.last_mut() {
            self.interface
                .enter(entry, ConstantBufferId(self.kept_buffers().len() as u32));
            interface::keep_input_bits(entry, &params);
            self.interface
                .warn_of_unused(self.function, entry, &params, diagnostics);
        }
        if fused {
            fuse_all(&mut statics, &mut functions, &mut vars);
        }
        let (entry_inputs, entry_outputs, entry_return) =
            self.interface.bindings(self.function, &params, &mut vars);
        let program = Program {
            entry_name: self.request.entry.to_owned(),
            profile: self.request.profile,
            inputs: self.interface.inputs.elements.clone(),
            outputs: self.interface.outputs.elements.clone(),
            constant_buffers: buffers
                .iter()
                .filter(|b| b.used)
                .map(|b| b.buffer.clone())
                .collect(),
            fused,
            vars,
            statics: known_values(statics),
            functions,
            entry_inputs,
            entry_outputs,
            entry_return,
        };
        let reflection = self.reflection(buffers);
        Selected {
            program,
            reflection,
        }
    }

    /// The module's numbers of the buffers that the program keeps, in order.
    fn kept_buffers(&self) -> Vec<ConstantBufferId> {
        self.reached.buffers.iter().copied().collect()
    }

    /// Every buffer of the file, and `$Params` where the entry has uniform parameters.
    fn buffers(&self) -> Vec<BufferUse> {
        let declared = self
            .module
            .buffers
            .iter()
            .enumerate()
            .map(|(i, b)| BufferUse {
                buffer: self.registers.buffer(i, b),
                used: self.reached.buffers.contains(&ConstantBufferId(i as u32)),
            });
        let params = self.interface.params.as_ref().map(|p| BufferUse {
            buffer: self.registers.params(p),
            used: true,
        });
        declared.chain(params).collect()
    }

    fn reflection(self, constant_buffers: Vec<BufferUse>) -> Reflection {
        let Interface {
            inputs, outputs, ..
        } = self.interface;
        let mut system_values = Vec::new();
        for value in inputs
            .elements
            .iter()
            .chain(&outputs.elements)
            .filter_map(|e| e.system_value)
        {
            if !system_values.contains(&value) {
                system_values.push(value);
            }
        }
        let resources = self.registers.resources(self.module, self.reached);
        Reflection {
            entry: self.request.entry.to_owned(),
            profile: self.request.profile,
            required_profile: interface::required_profile(
                self.request.profile,
                &inputs,
                &outputs,
                &constant_buffers,
                &resources,
            ),
            inputs: inputs.elements,
            outputs: outputs.elements,
            constant_buffers,
            resources,
            system_values,
        }
    }
}

fn fuse_all(statics: &mut [(Static, bool)], functions: &mut [Function], vars: &mut Vec<Var>) {
    for (s, _) in statics {
        fuse::fuse_static(s, vars);
    }
    for function in functions {
        let temporaries = fuse::fuse_body(&mut function.body, vars);
        function.locals.extend(temporaries);
    }
}

/// Gives every `static const` whose value can be known that value. This comes after fusing, so that the bits are
/// those that running the initialiser would give.
fn known_values(statics: Vec<(Static, bool)>) -> Vec<Static> {
    let mut known: HashMap<VarId, Vec<u32>> = HashMap::new();
    let mut list = Vec::with_capacity(statics.len());
    for (mut s, is_const) in statics {
        if let Some(init) = s.init.as_ref().filter(|_| is_const)
            && let Some(bits) = fold::fold(init, &|var| known.get(&var).map(Vec::as_slice))
        {
            known.insert(s.var, bits.clone());
            s.constant = Some(bits);
            s.init = None;
        }
        list.push(s);
    }
    list
}
