//! What an entry reaches: functions, statics, buffers, resources. Does not recurse, however deep calls go.

use crate::check::module::{Module, ObjectId, Uses};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::hir::{ConstantBufferId, FuncId, VarId};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What an entry reaches.
#[derive(Clone, Debug, Default)]
pub(super) struct Reached {
    /// Functions, callees first, the entry last.
    pub functions: Vec<FuncId>,
    /// Indices of statics, in the order of their initialisation.
    pub statics: BTreeSet<usize>,
    /// Constant buffers.
    pub buffers: BTreeSet<ConstantBufferId>,
    /// Resources and samplers.
    pub objects: BTreeSet<ObjectId>,
    /// Something in it is `precise`.
    pub precise: bool,
}

impl Reached {
    /// What each reached function and static uses.
    pub fn uses<'m>(&self, module: &'m Module) -> impl Iterator<Item = &'m Uses> + use<'m, '_> {
        let functions = self
            .functions
            .iter()
            .filter_map(|id| module.functions.get(id.0 as usize));
        let statics = self.statics.iter().filter_map(|i| module.statics.get(*i));
        functions.map(|f| &f.uses).chain(statics.map(|s| &s.uses))
    }
}

/// Finds all that `root` reaches. A call of a function without a body is an error.
pub(super) fn reach(module: &Module, root: FuncId, diagnostics: &mut Diagnostics) -> Reached {
    let mut reached = Reached::default();
    let by_var: HashMap<VarId, usize> = module
        .statics
        .iter()
        .enumerate()
        .map(|(i, s)| (s.hir.var, i))
        .collect();
    let mut seen = HashSet::new();
    let mut waiting = vec![root];
    let mut functions = Vec::new();
    let mut statics = Vec::new();
    loop {
        let uses = if let Some(id) = waiting.pop() {
            let Some(function) = module
                .functions
                .get(id.0 as usize)
                .filter(|_| seen.insert(id))
            else {
                continue;
            };
            functions.push(id);
            &function.uses
        } else if let Some(i) = statics.pop() {
            let Some(s) = module.statics.get(i).filter(|_| reached.statics.insert(i)) else {
                continue;
            };
            &s.uses
        } else {
            break;
        };
        reached.precise |= uses.precise;
        reached.buffers.extend(&uses.buffers);
        reached.objects.extend(&uses.objects);
        statics.extend(uses.statics.iter().filter_map(|var| by_var.get(var)));
        for (callee, span) in &uses.calls {
            waiting.push(*callee);
            if let Some(f) = module
                .functions
                .get(callee.0 as usize)
                .filter(|f| !f.defined)
            {
                let message = format!("`{}` is called, but has no body", f.hir.name);
                let diagnostic = Diagnostic::new(Code::CallsUndefined, *span, message);
                diagnostics.push(diagnostic.note(f.hir.span, "it is only declared, here"));
            }
        }
    }
    reached.functions = callees_first(module, root, &functions);
    reached
}

/// The functions ordered such that each stands after those that it calls; `root` last. (The checker refuses recursion.)
fn callees_first(module: &Module, root: FuncId, functions: &[FuncId]) -> Vec<FuncId> {
    let calls = |id: FuncId| {
        module
            .functions
            .get(id.0 as usize)
            .map_or(&[][..], |f| &f.uses.calls)
    };
    let mut order = Vec::with_capacity(functions.len());
    let mut seen = HashSet::from([root]);
    // Functions whose callees are being ordered, each with the number of its next callee.
    let mut open: Vec<(FuncId, usize)> = Vec::new();
    for start in functions.iter().rev().copied() {
        if seen.insert(start) {
            open.push((start, 0));
        }
        while let Some((id, next)) = open.last_mut() {
            match calls(*id).get(*next) {
                Some((callee, _)) => {
                    *next += 1;
                    if seen.insert(*callee) {
                        open.push((*callee, 0));
                    }
                }
                None => {
                    order.push(*id);
                    open.pop();
                }
            }
        }
    }
    order.push(root);
    order
}
