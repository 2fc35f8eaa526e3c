//! The checker: from the syntax tree to a [`module::Module`] with Hir bodies. Names, types, conversions, overloads,
//! constants, statements. Must not know entries, signatures, profiles or engines.
//!
//! It runs in three steps: all declarations of the file in order; then what needs the layout of `$Globals`
//! (initialisers and default arguments that read loose globals); then all bodies. A body sees the names that stand
//! before it, since every entry of a scope carries its order.

mod access;
mod build;
mod call;
mod chain;
mod construct;
mod convert;
mod declare;
mod expr;
mod flow;
mod foreign;
mod function;
mod global;
mod heap;
pub mod intrinsic_call;
mod literal;
mod lookup;
mod modifier;
pub mod module;
mod object;
mod operator;
mod overload;
mod rays;
mod record;
mod recursion;
mod scope;
mod stmt;
mod switch;
mod template;
#[cfg(test)]
mod tests;
mod text;
mod types;
mod value;
mod variable;

use crate::ast::{self, TranslationUnit};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity};
use crate::hir::{Expr, FuncId, Var, VarId};
use crate::options::Options;
use crate::span::Span;
use crate::types::{StructType, Type};
use module::{Module, Obstacle, Uses, When};
use scope::{GLOBAL, Locals, Scope, ScopeId, TypeSymbol};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

/// Most components that a variable or a type may have.
pub const MAX_COMPONENTS: u32 = 1 << 16;

/// Most instances of templates that one file may make.
pub const MAX_INSTANCES: usize = 1000;

/// Proof that a diagnostic was given, or kept as an obstacle: what depends on it says no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reported(());

/// A result whose error the user has been told.
type R<T> = Result<T, Reported>;

/// Checks a whole file. Errors go to `diagnostics`; the module is complete enough to choose an entry from where it
/// says that it has none.
pub fn check_module(
    unit: &TranslationUnit,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Module {
    let mut checker = Checker::new(options, diagnostics);
    if global::has_loose(&unit.items) {
        checker.reserve_globals();
    }
    checker.items(&unit.items);
    checker.lay_out_globals();
    checker.finish_statics();
    checker.bodies();
    checker.find_recursion();
    checker.module
}

/// A struct as the checker knows it.
struct StructInfo {
    ty: Arc<StructType>,
    /// Its methods, nested types and static members.
    scope: ScopeId,
    /// All structs it inherits from, directly or not.
    ancestors: Vec<u32>,
    /// Some field of it, or of a struct in it, is `precise`.
    precise: bool,
}

/// What is being checked: a function's body, or an initialiser outside of all functions.
#[derive(Default)]
struct Body<'a> {
    /// What its errors of the kind "not supported" do: in a function they count when it is reached.
    deferred: bool,
    ret: Option<Type>,
    /// The object of a method: its variable and its struct.
    this: Option<(VarId, u32)>,
    /// Variables other than parameters.
    locals: Vec<VarId>,
    names: Locals<'a>,
    /// The named scope that its blocks stand in.
    scope: Option<ScopeId>,
    uses: Uses,
    /// Variables that say that no link of a piece of a long `else if` chain was taken; in ascending order.
    chain_ends: Vec<VarId>,
    /// Loops and switches around the current statement.
    loops: u32,
    breakables: u32,
}

/// A body that is still to be checked.
struct Pending<'a> {
    function: FuncId,
    decl: &'a ast::FunctionDecl,
    scope: ScopeId,
    order: u32,
}

/// The state of a check.
struct Checker<'a, 'd> {
    options: Options,
    diagnostics: &'d mut Diagnostics,
    /// Where set, diagnostics are collected here: it is not sure yet that they are wanted.
    held: Option<Vec<Diagnostic>>,
    module: Module,
    scopes: Vec<Scope<'a>>,
    /// The innermost named scope.
    scope: ScopeId,
    /// Entries of scopes up to this order are visible.
    now: u32,
    /// The last order given.
    last_order: u32,
    body: Body<'a>,
    structs: Vec<StructInfo>,
    /// Number of enums so far.
    enums: u32,
    signatures: Vec<function::Signature<'a>>,
    templates: Vec<template::Template<'a>>,
    instances: HashMap<template::InstanceKey, template::Instance>,
    /// Which instance of which template a struct is.
    origins: HashMap<u32, template::InstanceKey>,
    /// Instances that are being made inside each other.
    instance_depth: u32,
    /// Structs that are being defined inside each other, and those of them whose methods come when all are complete.
    open_structs: u32,
    waiting_methods: Vec<(&'a ast::StructDecl, scope::ScopeId)>,
    pending: VecDeque<Pending<'a>>,
    /// Which variables are statics, and the place of each in the module's list.
    statics: HashMap<VarId, usize>,
    /// Values of `const` variables that are known while checking.
    known: HashMap<VarId, Rc<[u32]>>,
    /// Variables declared with `half` or a `min…` type: they prefer overloads that take such.
    low_precision: HashSet<VarId>,
    /// Loose globals, and whether `$Globals` is laid out.
    loose: Vec<global::Loose>,
    laid_out: bool,
    /// Something needed the layout of `$Globals` before it was there.
    needs_layout: bool,
    /// Statics and default arguments that wait for it.
    waiting: Vec<variable::Waiting<'a>>,
    texts: HashMap<String, FuncId>,
    /// The text of an intrinsic is being checked: no user's names, no warnings.
    in_text: bool,
    noted_min_precision: bool,
    noted_ignored_value: bool,
    temporaries: u32,
    /// Errors so far, those that are only obstacles included.
    errors: usize,
    /// Names in text that could not be parsed: they may have been declared there.
    lost_names: Vec<ast::Name>,
    /// Some text could not be read as it was meant: warnings about the rest would mislead.
    is_quiet: bool,
}

impl<'a, 'd> Checker<'a, 'd> {
    fn new(options: &Options, diagnostics: &'d mut Diagnostics) -> Self {
        let is_quiet = diagnostics.error_count() > 0;
        Checker {
            options: *options,
            diagnostics,
            held: None,
            module: Module {
                default_row_major: options.default_row_major,
                ..Module::default()
            },
            scopes: vec![Scope::default()],
            scope: GLOBAL,
            now: 0,
            last_order: 0,
            body: Body::default(),
            structs: Vec::new(),
            enums: 0,
            signatures: Vec::new(),
            templates: Vec::new(),
            instances: HashMap::new(),
            origins: HashMap::new(),
            instance_depth: 0,
            open_structs: 0,
            waiting_methods: Vec::new(),
            pending: VecDeque::new(),
            statics: HashMap::new(),
            known: HashMap::new(),
            low_precision: HashSet::new(),
            loose: Vec::new(),
            laid_out: false,
            needs_layout: false,
            waiting: Vec::new(),
            texts: HashMap::new(),
            in_text: false,
            noted_min_precision: false,
            noted_ignored_value: false,
            temporaries: 0,
            errors: 0,
            lost_names: Vec::new(),
            is_quiet,
        }
    }

    /// Gives a diagnostic.
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        let is_dropped = match diagnostic.severity {
            Severity::Error => false,
            Severity::Warning => self.in_text || self.is_quiet,
            Severity::Note => self.in_text,
        };
        if is_dropped {
            return Reported(());
        }
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        if let Some(held) = &mut self.held {
            held.push(diagnostic);
            return Reported(());
        }
        self.module.has_errors |= diagnostic.severity == Severity::Error;
        self.diagnostics.push(diagnostic);
        Reported(())
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> Reported {
        self.report(Diagnostic::new(code, span, message))
    }

    fn warn(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message));
    }

    /// Something uses what could not be declared or checked: nothing more is said, but what depends on it is lost, too.
    fn again(&mut self, reported: Reported) -> Reported {
        self.errors += 1;
        reported
    }

    /// Text that could not be parsed: the parser has reported it.
    fn said_by_parser(&mut self) -> Reported {
        self.errors += 1;
        self.module.has_errors = true;
        Reported(())
    }

    /// Something that the project does not support: an error for entries that reach it, or, outside of functions, at
    /// once.
    fn unsupported(&mut self, diagnostic: Diagnostic) -> Reported {
        self.obstacle(When::Always, diagnostic)
    }

    /// Declares a type, so that what is not supported in it counts where it is used: the symbol to put in its place.
    fn usable<T>(&mut self, declare: impl FnOnce(&mut Self) -> R<T>) -> Result<T, TypeSymbol<'a>> {
        let was_deferred = std::mem::replace(&mut self.body.deferred, true);
        let before = std::mem::take(&mut self.body.uses.obstacles);
        let outcome = declare(self);
        let found = std::mem::replace(&mut self.body.uses.obstacles, before);
        self.body.deferred = was_deferred;
        match (outcome, found.first()) {
            (Ok(ty), _) => {
                for Obstacle { when, diagnostic } in found {
                    self.obstacle(when, diagnostic);
                }
                Ok(ty)
            }
            (Err(_), Some(first)) => {
                Err(TypeSymbol::Unsupported(Rc::new(first.diagnostic.clone())))
            }
            (Err(reported), None) => Err(TypeSymbol::Error(reported)),
        }
    }

    fn obstacle(&mut self, when: When, diagnostic: Diagnostic) -> Reported {
        if self.body.deferred {
            self.errors += 1;
            self.body.uses.obstacles.push(Obstacle { when, diagnostic });
            Reported(())
        } else {
            self.report(diagnostic)
        }
    }

    fn is_2021(&self) -> bool {
        // The texts of intrinsics are written by the older rules, which allow vectors everywhere.
        self.options.version == crate::profile::HlslVersion::V2021 && !self.in_text
    }

    /// A new variable of the module.
    fn new_var(&mut self, name: impl Into<String>, ty: Type, span: Span) -> VarId {
        let id = VarId(self.module.vars.len() as u32);
        let slots = ty.components();
        self.module.vars.push(Var {
            name: name.into(),
            ty,
            slots,
            span,
        });
        id
    }

    /// A new variable of the body that is being checked.
    fn new_local(&mut self, name: impl Into<String>, ty: Type, span: Span) -> VarId {
        let var = self.new_var(name, ty, span);
        self.body.locals.push(var);
        var
    }

    /// A temporary that holds `value`, and the expression that fills it.
    fn temporary(&mut self, value: Expr) -> (VarId, Expr) {
        self.temporaries += 1;
        let name = format!("%{}", self.temporaries);
        let (ty, span) = (value.ty.clone(), value.span);
        let var = self.new_local(name, ty.clone(), span);
        (var, build::assign(var, value))
    }

    /// An expression that may be used several times, and what has to be evaluated before.
    fn reusable(&mut self, value: Expr) -> (Vec<Expr>, Expr) {
        if build::is_cheap(&value) {
            return (Vec::new(), value);
        }
        let (ty, span) = (value.ty.clone(), value.span);
        let (var, fill) = self.temporary(value);
        (vec![fill], build::load(var, &ty, span))
    }

    /// The order of the next declaration; it becomes visible from now on.
    fn next_order(&mut self) -> u32 {
        if self.laid_out {
            // Bodies are being checked: what they declare is seen by them alone.
            return self.now;
        }
        self.last_order += 1;
        self.now = self.last_order;
        self.last_order
    }

    /// Whether one struct inherits from another.
    fn derives(&self, derived: u32, base: u32) -> bool {
        let info = self.structs.get(derived as usize);
        info.is_some_and(|s| s.ancestors.contains(&base))
    }

    /// The bits of an expression whose value is known while checking.
    fn fold(&self, value: &Expr) -> Option<Vec<u32>> {
        crate::fold::fold(value, &|var| self.known.get(&var).map(|bits| &**bits))
    }

    /// Checks all bodies that wait, those that turn up meanwhile included.
    fn bodies(&mut self) {
        while let Some(pending) = self.pending.pop_front() {
            self.function_body(pending);
        }
    }
}
