//! Variables: locals, statics and their initialisers. Loose globals and resources stand elsewhere.

use super::module::{ModuleStatic, Uses};
use super::scope::{Entry, LocalEntry, ReadOnly, ScopeId, Symbol};
use super::{Checker, R, Reported, build};
use crate::ast::{self, Declarator, ModifierKind, VarDecl};
use crate::diagnostic::{Code, Diagnostic};
use crate::hir::{self, Expr, ExprKind, FuncId, Place, Static, StmtKind, VarId};
use crate::types::{Scalar, Type};
use std::rc::Rc;

/// What waits for the layout of `$Globals`.
pub(super) enum Waiting<'a> {
    /// The initialiser of a static.
    Static {
        index: usize,
        init: &'a ast::Expr,
        scope: ScopeId,
        order: u32,
    },
    /// A default argument.
    Default {
        function: FuncId,
        index: usize,
        init: &'a ast::Expr,
        scope: ScopeId,
        order: u32,
    },
}

impl<'a> Checker<'a, '_> {
    /// Static globals, and static members of structs.
    pub(super) fn declare_statics(&mut self, vars: &'a VarDecl) {
        let written = self.declared_type(&vars.ty, &vars.modifiers);
        for declarator in &vars.declarators {
            let ty = written
                .clone()
                .and_then(|w| self.variable_type(w.ty, vars, declarator));
            match ty {
                Ok(ty) => self.declare_static(vars, declarator, ty),
                Err(reported) => self.declare_lost(&declarator.name, reported),
            }
        }
    }

    /// The type of a declared variable.
    pub(super) fn variable_type(
        &mut self,
        ty: Type,
        vars: &'a VarDecl,
        declarator: &'a Declarator,
    ) -> R<Type> {
        if ty == Type::Void {
            let message = format!("the variable `{}` cannot be `void`", declarator.name.name);
            return Err(self.error(Code::BadType, vars.ty.span, message));
        }
        let ty = self.array_type(ty, &declarator.dims, declarator.init.is_some())?;
        self.refuse_huge(&ty, declarator.span)?;
        Ok(ty)
    }

    fn declare_static(&mut self, vars: &'a VarDecl, declarator: &'a Declarator, ty: Type) {
        let is_const = vars.has(ModifierKind::Const);
        let (var, index) = self.add_static(vars, declarator, ty, is_const);
        match &declarator.init {
            Some(init) => self.try_static(index, init),
            None if is_const => drop(self.missing_initializer(declarator)),
            None => {}
        }
        let symbol = Symbol::Var {
            var,
            read_only: is_const.then_some(ReadOnly::Const),
        };
        self.declare_value(&declarator.name, symbol);
    }

    fn add_static(
        &mut self,
        vars: &VarDecl,
        declarator: &Declarator,
        ty: Type,
        is_const: bool,
    ) -> (VarId, usize) {
        let prefix = &self.scopes[self.scope.0 as usize].prefix;
        let name = format!("{prefix}{}", declarator.name.name);
        let var = self.new_var(name, ty, declarator.name.span);
        let index = self.module.statics.len();
        self.module.statics.push(ModuleStatic {
            hir: Static {
                var,
                constant: None,
                init: None,
            },
            temporaries: Vec::new(),
            uses: Uses {
                precise: vars.has(ModifierKind::Precise),
                ..Uses::default()
            },
            is_const,
        });
        self.statics.insert(var, index);
        (var, index)
    }

    /// Whether a variable lives outside of functions.
    pub(super) fn is_static(&self, var: VarId) -> bool {
        self.statics.contains_key(&var)
    }

    fn missing_initializer(&mut self, declarator: &Declarator) -> Reported {
        let message = format!("the constant `{}` has no initialiser", declarator.name.name);
        self.error(Code::MissingInitializer, declarator.name.span, message)
    }

    /// Checks an initialiser at once, or puts it off where it reads loose globals, whose places are not known yet.
    fn try_static(&mut self, index: usize, init: &'a ast::Expr) {
        if self.laid_out {
            self.finish_static(index, init);
            return;
        }
        self.needs_layout = false;
        let outer = self.held.replace(Vec::new());
        self.finish_static(index, init);
        let held = std::mem::replace(&mut self.held, outer).unwrap_or_default();
        if std::mem::take(&mut self.needs_layout) {
            let waiting = Waiting::Static {
                index,
                init,
                scope: self.scope,
                order: self.now,
            };
            self.waiting.push(waiting);
            return;
        }
        for diagnostic in held {
            self.report(diagnostic);
        }
    }

    fn finish_static(&mut self, index: usize, init: &'a ast::Expr) {
        let var = self.module.statics[index].hir.var;
        let ty = self.module.vars[var.0 as usize].ty.clone();
        let name = self.module.vars[var.0 as usize].name.clone();
        let saved = std::mem::take(&mut self.body);
        let value = self.initializer(init, &ty, &name);
        let body = std::mem::replace(&mut self.body, saved);
        if let Ok(value) = value {
            self.set_static(index, value, body.locals, body.uses);
        }
    }

    /// Gives a static its checked initialiser.
    fn set_static(&mut self, index: usize, value: Expr, temporaries: Vec<VarId>, mut uses: Uses) {
        let var = self.module.statics[index].hir.var;
        self.set_type(var, &value.ty);
        if self.module.statics[index].is_const {
            self.remember(var, &value);
        }
        let entry = &mut self.module.statics[index];
        uses.precise |= entry.uses.precise;
        entry.uses = uses;
        entry.temporaries = temporaries;
        entry.hir.init = Some(value);
    }

    /// An array without a length gets it from its initialiser.
    fn set_type(&mut self, var: VarId, ty: &Type) {
        let variable = &mut self.module.vars[var.0 as usize];
        if let Type::Array(_, 0) = variable.ty {
            variable.ty = ty.clone();
            variable.slots = ty.components();
        }
    }

    /// Remembers the value of a constant if it is known. Floats count only where they are written as literals: what
    /// is computed may be fused, which is decided later.
    fn remember(&mut self, var: VarId, value: &Expr) {
        let has_floats = {
            let mut leaves = Vec::new();
            super::value::leaves(&value.ty, &mut leaves);
            leaves.contains(&Scalar::Float)
        };
        let is_literal = matches!(value.kind, ExprKind::Constant(_));
        if (is_literal || !has_floats)
            && let Some(bits) = self.fold(value)
        {
            self.known.insert(var, Rc::from(bits));
        }
    }

    /// Checks what waited for the layout of `$Globals`, in order.
    pub(super) fn finish_statics(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            self.finish_waiting(waiting);
        }
    }

    pub(super) fn finish_waiting(&mut self, waiting: Waiting<'a>) {
        let (Waiting::Static { scope, order, .. } | Waiting::Default { scope, order, .. }) =
            waiting;
        let saved = (self.scope, self.now);
        (self.scope, self.now) = (scope, order);
        match waiting {
            Waiting::Static { index, init, .. } => self.finish_static(index, init),
            Waiting::Default {
                function,
                index,
                init,
                ..
            } => self.finish_default(function, index, init),
        }
        (self.scope, self.now) = saved;
    }

    /// Variables declared in a block.
    pub(super) fn declare_locals(&mut self, vars: &'a VarDecl, out: &mut Vec<hir::Stmt>) {
        self.check_modifiers(&vars.modifiers, super::modifier::Place::Local);
        let written = self.declared_type(&vars.ty, &vars.modifiers);
        if vars.has(ModifierKind::Precise) {
            self.body.uses.precise = true;
        }
        for declarator in &vars.declarators {
            self.refuse_semantic(declarator, "a local variable");
            let ty = written
                .clone()
                .and_then(|w| self.variable_type(w.ty, vars, declarator));
            let declared = ty.and_then(|ty| match vars.has(ModifierKind::Static) {
                true => self.declare_static_local(vars, declarator, ty),
                false => self.declare_local(vars, declarator, ty, out),
            });
            if let Err(reported) = declared {
                self.declare_local_name(declarator, Symbol::Error(reported));
            }
        }
    }

    fn declare_local(
        &mut self,
        vars: &'a VarDecl,
        declarator: &'a Declarator,
        ty: Type,
        out: &mut Vec<hir::Stmt>,
    ) -> R<()> {
        let name = &declarator.name;
        let is_const = vars.has(ModifierKind::Const);
        let value = match &declarator.init {
            Some(init) => Some(self.initializer(init, &ty, &name.name)?),
            None if is_const => return Err(self.missing_initializer(declarator)),
            None => None,
        };
        let ty = value.as_ref().map_or(ty, |v| v.ty.clone());
        let var = self.new_local(&*name.name, ty, name.span);
        if super::types::is_low_precision(&vars.ty) {
            self.low_precision.insert(var);
        }
        if is_const && let Some(value) = &value {
            self.remember(var, value);
        }
        let read_only = is_const.then_some(ReadOnly::Const);
        out.push(hir::Stmt {
            kind: StmtKind::Declare(var, value),
            span: declarator.span,
        });
        self.declare_local_name(declarator, Symbol::Var { var, read_only });
        Ok(())
    }

    fn declare_local_name(&mut self, declarator: &Declarator, symbol: Symbol) {
        let name = &declarator.name;
        let entry = Entry {
            order: 0,
            span: name.span,
            symbol,
        };
        if let Some(before) = self
            .body
            .names
            .declare(name.name.clone(), LocalEntry::Value(entry))
        {
            self.redefinition(&name.name, name.span, before);
        }
    }

    /// A static local: it keeps its value from call to call, and its initialiser runs once, before the entry.
    fn declare_static_local(
        &mut self,
        vars: &'a VarDecl,
        declarator: &'a Declarator,
        ty: Type,
    ) -> R<()> {
        let is_const = vars.has(ModifierKind::Const);
        let (var, index) = self.add_static(vars, declarator, ty.clone(), is_const);
        match &declarator.init {
            None if is_const => return Err(self.missing_initializer(declarator)),
            None => {}
            Some(init) => {
                let first = self.body.locals.len();
                let value = self.initializer(init, &ty, &declarator.name.name)?;
                let temporaries = self.body.locals.split_off(first);
                if let Some(local) = self.local_read(&value, &temporaries) {
                    let name = self.module.vars[local.0 as usize].name.clone();
                    let diagnostic = Diagnostic::new(
                        Code::NotConstant,
                        init.span,
                        format!("the initialiser of a static variable cannot read the local `{name}`"),
                    )
                    .hint("it runs once, before the entry; assign the value in a statement of its own");
                    return Err(self.report(diagnostic));
                }
                // Its uses are among the function's already; the initialiser runs whenever the static is used.
                let uses = Uses {
                    calls: self.body.uses.calls.clone(),
                    buffers: self.body.uses.buffers.clone(),
                    statics: self.body.uses.statics.clone(),
                    ..Uses::default()
                };
                self.set_static(index, value, temporaries, uses);
            }
        }
        let read_only = is_const.then_some(ReadOnly::Const);
        self.declare_local_name(declarator, Symbol::Var { var, read_only });
        Ok(())
    }

    /// A variable of the function that an expression touches, its own temporaries aside.
    fn local_read(&self, value: &Expr, temporaries: &[VarId]) -> Option<VarId> {
        let mut found = None;
        build::places(value, &mut |place: &Place| {
            if !self.is_static(place.var) && !temporaries.contains(&place.var) {
                found = Some(place.var);
            }
        });
        found
    }
}
