//! Checks the invariants that [`crate::hir`] promises. Used by tests and in debug builds, so that an engine never
//! meets a program that breaks them.

use super::*;
use fuseline_numerics::op::Kind;

/// A broken invariant: where, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Name of the function (or `static`, `signature`).
    pub function: String,
    /// Where in the source.
    pub span: Span,
    /// What is wrong.
    pub what: String,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "in {}: {}", self.function, self.what)
    }
}

/// Every broken invariant of `program`.
pub fn verify(program: &Program) -> Vec<Broken> {
    let mut v = Verifier {
        program,
        place: "signature".to_owned(),
        ret: &Type::Void,
        limit: 0,
        broken: Vec::new(),
    };
    v.bindings("input", &program.inputs, &program.entry_inputs);
    v.bindings("output", &program.outputs, &program.entry_outputs);
    v.place = "static".to_owned();
    v.limit = program.functions.len();
    for s in &program.statics {
        let slots = v.slots(s.var, Span::default());
        let given = s
            .constant
            .as_ref()
            .map(Vec::len)
            .or(s.init.as_ref().map(|e| e.ty.components() as usize));
        if given.is_some_and(|n| n != slots as usize) {
            v.fail(
                Span::default(),
                format!("a static of {slots} slots is given {given:?}"),
            );
        }
        s.init.iter().for_each(|e| v.expr(e));
    }
    for (i, function) in program.functions.iter().enumerate() {
        v.place.clone_from(&function.name);
        v.ret = &function.ret;
        v.limit = i;
        v.block(&function.body, false, false);
    }
    v.broken
}

struct Verifier<'a> {
    program: &'a Program,
    place: String,
    /// What the function returns.
    ret: &'a Type,
    /// Functions below this number may be called.
    limit: usize,
    broken: Vec<Broken>,
}

impl Verifier<'_> {
    fn fail(&mut self, span: Span, what: impl Into<String>) {
        self.broken.push(Broken {
            function: self.place.clone(),
            span,
            what: what.into(),
        });
    }

    fn check(&mut self, holds: bool, span: Span, what: &str) {
        if !holds {
            self.fail(span, what);
        }
    }

    fn slots(&mut self, var: VarId, span: Span) -> u32 {
        match self.program.vars.get(var.0 as usize) {
            Some(v) => v.slots,
            None => {
                self.fail(span, format!("variable {} does not exist", var.0));
                0
            }
        }
    }

    fn bindings(&mut self, what: &str, elements: &[SignatureElement], bindings: &[EntryBinding]) {
        for b in bindings {
            let span = elements
                .get(b.element as usize)
                .map_or(Span::default(), |e| e.span);
            let slots = self.slots(b.var, span);
            let in_element = elements
                .get(b.element as usize)
                .is_some_and(|e| b.component < e.components);
            if !in_element || b.slot >= slots {
                self.fail(span, format!("{what} binding {b:?} is out of range"));
            }
        }
    }

    fn block(&mut self, stmts: &[Stmt], in_loop: bool, in_switch: bool) {
        stmts.iter().for_each(|s| self.stmt(s, in_loop, in_switch));
    }

    fn stmt(&mut self, stmt: &Stmt, in_loop: bool, in_switch: bool) {
        stmt.exprs(&mut |e| self.expr(e));
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Declare(var, init) => {
                let slots = self.slots(*var, span);
                if let Some(init) = init {
                    self.check(
                        init.ty.components() == slots,
                        span,
                        "the initialiser does not fill the variable",
                    );
                }
            }
            StmtKind::If {
                cond, then, els, ..
            } => {
                self.one(cond, Kind::Bool, "condition");
                self.block(then, in_loop, in_switch);
                self.block(els, in_loop, in_switch);
            }
            StmtKind::Loop {
                cond, body, step, ..
            } => {
                if let Some(cond) = cond {
                    self.one(cond, Kind::Bool, "condition");
                }
                self.block(body, true, false);
                self.block(step, false, false);
            }
            StmtKind::Switch { value, arms, .. } => {
                self.one(value, Kind::I32, "switch value");
                let defaults = arms.iter().filter(|a| a.default).count();
                self.check(defaults <= 1, span, "a switch has several defaults");
                for arm in arms {
                    self.block(&arm.body, in_loop, true);
                }
            }
            StmtKind::Break => self.check(
                in_loop || in_switch,
                span,
                "break outside of a loop or switch",
            ),
            StmtKind::Continue => self.check(in_loop, span, "continue outside of a loop"),
            StmtKind::Return(value) => {
                let given = value.as_ref().map_or(0, |e| e.ty.components());
                self.check(
                    given == self.ret.components(),
                    span,
                    "a return does not fill the function's value",
                );
            }
            StmtKind::Block(body) => self.block(body, in_loop, in_switch),
            StmtKind::Expr(_) => {}
        }
    }

    fn one(&mut self, e: &Expr, kind: Kind, what: &str) {
        let fits = e.ty.components() == 1 && e.ty.scalar().is_some_and(|s| s.kind() == kind);
        self.check(fits, e.span, &format!("a {what} is a {}", e.ty));
    }

    fn expr(&mut self, e: &Expr) {
        e.children(&mut |child| self.expr(child));
        let n = e.ty.components();
        let span = e.span;
        match &e.kind {
            ExprKind::Constant(bits) => self.count(e, bits.len()),
            ExprKind::Load(place) => {
                self.place(place, span);
                self.count(e, place.components.len());
            }
            ExprKind::ConstantLoad(load) => {
                let exists = (load.buffer.0 as usize) < self.program.constant_buffers.len();
                self.check(exists, span, "a constant buffer does not exist");
                self.indices(&load.dynamic);
                self.count(e, load.components.len());
            }
            ExprKind::Op(op, args) => {
                self.check(
                    args.len() == op.operands().len(),
                    span,
                    &format!("operands of {}", op.text()),
                );
                for (arg, kind) in args.iter().zip(op.operands()) {
                    self.component(arg, n, *kind, op.text());
                }
                self.kind(e, op.result(), op.text());
            }
            ExprKind::Math(function, args) => {
                self.check(
                    args.len() == function.arity(),
                    span,
                    &format!("operands of {}", function.text()),
                );
                args.iter()
                    .for_each(|a| self.component(a, n, Kind::F32, function.text()));
                self.kind(e, Kind::F32, function.text());
            }
            ExprKind::Builtin(builtin, value) => {
                self.component(value, n, builtin.operand(), builtin.text());
                self.kind(e, builtin.result(), builtin.text());
            }
            ExprKind::IntegerPower(value, exponents) => {
                self.component(value, n, Kind::F32, "power");
                self.kind(e, Kind::F32, "power");
                self.count(e, exponents.len());
            }
            ExprKind::Splat(value) => self.check(
                value.ty.components() == 1,
                span,
                "a splat of several components",
            ),
            ExprKind::Pick(value, components) => {
                let from = value.ty.components();
                self.check(
                    components.iter().all(|c| *c < from),
                    span,
                    "a pick out of range",
                );
                self.count(e, components.len());
            }
            ExprKind::Concat(parts) => {
                let sum = parts
                    .iter()
                    .map(|p| u64::from(p.ty.components()))
                    .sum::<u64>();
                self.count(e, sum as usize);
            }
            ExprKind::Index {
                base,
                index,
                stride,
                len,
            } => {
                let whole = u64::from(*stride) * u64::from(*len) == u64::from(base.ty.components());
                self.check(
                    whole && n == *stride,
                    span,
                    "an index does not divide its base",
                );
                self.one(index, Kind::I32, "index");
            }
            ExprKind::Dot(a, b) => {
                let same = a.ty.components() == b.ty.components() && n == 1;
                self.check(same, span, "the operands of a dot product differ");
            }
            ExprKind::MatMul {
                a,
                b,
                rows,
                inner,
                columns,
            } => {
                let size = |x: &u8, y: &u8| u32::from(*x) * u32::from(*y);
                let fits = a.ty.components() == size(rows, inner)
                    && b.ty.components() == size(inner, columns)
                    && n == size(rows, columns);
                self.check(fits, span, "the dimensions of a matrix product are wrong");
            }
            ExprKind::Reduce { value, .. } => {
                self.check(
                    value.ty.scalar().is_some_and(|s| s.kind() == Kind::Bool),
                    span,
                    "any or all of no bools",
                );
                self.one(e, Kind::Bool, "reduction");
            }
            ExprKind::Branch { cond, then, els } => {
                self.one(cond, Kind::Bool, "condition");
                self.check(
                    then.ty.components() == n && els.ty.components() == n,
                    span,
                    "the sides of a choice differ",
                );
            }
            ExprKind::Call { function, args } => self.call(*function, args, e),
            ExprKind::Assign { place, value } => {
                self.place(place, span);
                let fits = place.components.len() == value.ty.components() as usize;
                self.check(fits, span, "an assignment does not fill its place");
                self.count(e, place.components.len());
            }
            ExprKind::Sequence(_, last) => self.count(e, last.ty.components() as usize),
        }
    }

    fn count(&mut self, e: &Expr, components: usize) {
        if e.ty.components() as usize != components {
            self.fail(e.span, format!("{components} components for a {}", e.ty));
        }
    }

    fn component(&mut self, arg: &Expr, n: u32, kind: Kind, of: &str) {
        let fits = arg.ty.components() == n && arg.ty.scalar().is_none_or(|s| s.kind() == kind);
        self.check(
            fits,
            arg.span,
            &format!("an operand of {of} is a {}", arg.ty),
        );
    }

    fn kind(&mut self, e: &Expr, kind: Kind, of: &str) {
        self.check(
            e.ty.scalar().is_none_or(|s| s.kind() == kind),
            e.span,
            &format!("{of} gives a {}", e.ty),
        );
    }

    fn call(&mut self, function: FuncId, args: &[Arg], e: &Expr) {
        let program = self.program;
        let number = function.0 as usize;
        self.check(
            number < self.limit,
            e.span,
            "a function calls one that does not stand before it",
        );
        let Some(callee) = program.functions.get(number) else {
            return;
        };
        self.check(
            args.len() == callee.params.len(),
            e.span,
            "a call has not as many arguments as parameters",
        );
        self.count(e, callee.ret.components() as usize);
        for (arg, param) in args.iter().zip(&callee.params) {
            let slots = self.slots(param.var, e.span);
            let directions =
                (arg.input.is_some(), arg.output.is_some()) == (param.is_in, param.is_out);
            self.check(
                directions,
                e.span,
                "an argument goes another way than its parameter",
            );
            let input = arg
                .input
                .as_ref()
                .is_none_or(|i| i.ty.components() == slots);
            let output = arg
                .output
                .as_ref()
                .is_none_or(|o| o.components.len() == slots as usize);
            self.check(
                input && output,
                e.span,
                "an argument does not fill its parameter",
            );
            if let Some(output) = &arg.output {
                self.place(output, e.span);
            }
        }
    }

    fn place(&mut self, place: &Place, span: Span) {
        let slots = u64::from(self.slots(place.var, span));
        let reach = place
            .dynamic
            .iter()
            .map(|d| u64::from(d.stride) * u64::from(d.len.saturating_sub(1)))
            .sum::<u64>();
        let last = place.components.iter().max().map_or(0, |c| u64::from(*c));
        let inside = place.components.is_empty() || u64::from(place.offset) + reach + last < slots;
        self.check(inside, span, "a place reaches past its variable");
        self.indices(&place.dynamic);
    }

    fn indices(&mut self, dynamic: &[DynamicIndex]) {
        for d in dynamic {
            self.one(&d.index, Kind::I32, "index");
            let mut effects = false;
            d.index.walk(&mut |e| {
                effects |= matches!(e.kind, ExprKind::Assign { .. } | ExprKind::Call { .. })
            });
            self.check(!effects, d.index.span, "an index has side effects");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::types::Scalar;
    use fuseline_numerics::op::Op;

    const FLOAT: Type = Type::Scalar(Scalar::Float);

    fn constant(components: usize) -> Expr {
        let ty = match components {
            1 => FLOAT,
            n => Type::Vector(Scalar::Float, n as u8),
        };
        Expr {
            kind: ExprKind::Constant(vec![0; components]),
            ty,
            span: Span::default(),
        }
    }

    fn op(op: Op, args: Vec<Expr>, ty: Type) -> Expr {
        Expr {
            kind: ExprKind::Op(op, args),
            ty,
            span: Span::default(),
        }
    }

    fn stmt(kind: StmtKind) -> Stmt {
        Stmt {
            kind,
            span: Span::default(),
        }
    }

    /// What is broken in an entry with one float variable and this body.
    fn broken(body: Vec<Stmt>) -> Vec<String> {
        let entry = Function {
            name: "main".to_owned(),
            params: Vec::new(),
            ret: Type::Void,
            locals: vec![VarId(0)],
            body,
            span: Span::default(),
        };
        let program = Program {
            entry_name: "main".to_owned(),
            profile: Profile::VS_5_0,
            inputs: Vec::new(),
            outputs: Vec::new(),
            constant_buffers: Vec::new(),
            fused: true,
            vars: vec![Var {
                name: "x".to_owned(),
                ty: FLOAT,
                slots: 1,
                span: Span::default(),
            }],
            statics: Vec::new(),
            functions: vec![entry],
            entry_inputs: Vec::new(),
            entry_outputs: Vec::new(),
            entry_return: None,
        };
        verify(&program).iter().map(Broken::to_string).collect()
    }

    fn expr(e: Expr) -> Vec<Stmt> {
        vec![stmt(StmtKind::Expr(e))]
    }

    #[test]
    fn a_right_program_has_nothing_broken() {
        let sum = op(Op::FAdd, vec![constant(1), constant(1)], FLOAT);
        assert_eq!(
            broken(vec![stmt(StmtKind::Declare(VarId(0), Some(sum)))]),
            [""; 0]
        );
    }

    #[test]
    fn operands_have_as_many_components_as_the_result() {
        let sum = op(
            Op::FAdd,
            vec![constant(2), constant(1)],
            Type::Vector(Scalar::Float, 2),
        );
        assert_eq!(
            broken(expr(sum)),
            ["in main: an operand of fadd is a float"]
        );
    }

    #[test]
    fn operands_have_the_kind_that_the_operation_takes() {
        let sum = op(Op::IAdd, vec![constant(1), constant(1)], FLOAT);
        assert_eq!(
            broken(expr(sum)),
            [
                "in main: an operand of iadd is a float",
                "in main: an operand of iadd is a float",
                "in main: iadd gives a float"
            ]
        );
    }

    #[test]
    fn places_stay_in_their_variables() {
        let place = Place {
            var: VarId(0),
            offset: 1,
            dynamic: Vec::new(),
            components: vec![0],
        };
        let load = Expr {
            kind: ExprKind::Load(place),
            ty: FLOAT,
            span: Span::default(),
        };
        assert_eq!(
            broken(expr(load)),
            ["in main: a place reaches past its variable"]
        );
    }

    #[test]
    fn functions_call_those_before_them_only() {
        let call = ExprKind::Call {
            function: FuncId(0),
            args: Vec::new(),
        };
        let call = Expr {
            kind: call,
            ty: Type::Void,
            span: Span::default(),
        };
        assert_eq!(
            broken(expr(call)),
            ["in main: a function calls one that does not stand before it"]
        );
    }

    #[test]
    fn a_break_needs_something_to_leave() {
        assert_eq!(
            broken(vec![stmt(StmtKind::Break)]),
            ["in main: break outside of a loop or switch"]
        );
    }
}
