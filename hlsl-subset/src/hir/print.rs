//! Hir as text, for people (`compile --emit hir`). Every variable is `name#number`; slots and bytes are in brackets.

use super::*;
use crate::types::Scalar;
use std::fmt::{self, Display, Write};

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        Printer {
            program: self,
            out: &mut out,
        }
        .program()?;
        f.write_str(&out)
    }
}

impl Program {
    /// One expression of this program, as text.
    pub fn expr_text(&self, e: &Expr) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = Printer {
            program: self,
            out: &mut out,
        }
        .expr(e);
        out
    }
}

struct Printer<'a> {
    program: &'a Program,
    out: &'a mut String,
}

impl Printer<'_> {
    fn program(&mut self) -> fmt::Result {
        let p = self.program;
        let fused = if p.fused { "" } else { ", nothing fused" };
        writeln!(self.out, "entry {}, {}{fused}", p.entry_name, p.profile)?;
        self.signature("input", &p.inputs, &p.entry_inputs)?;
        self.signature("output", &p.outputs, &p.entry_outputs)?;
        for (i, b) in p.constant_buffers.iter().enumerate() {
            let class = match b.class {
                crate::reflection::BufferClass::Constant => 'b',
                crate::reflection::BufferClass::Texture => 't',
            };
            writeln!(
                self.out,
                "buffer {i} {}, {class}{}, {} bytes",
                b.name, b.register, b.size
            )?;
        }
        for s in &p.statics {
            write!(self.out, "static ")?;
            self.declared(s.var)?;
            if let Some(bits) = &s.constant {
                let ty = p.vars.get(s.var.0 as usize).map(|v| &v.ty);
                write!(self.out, " = constant ")?;
                self.constant(ty, bits)?;
            } else if let Some(init) = &s.init {
                write!(self.out, " = ")?;
                self.expr(init)?;
            }
            writeln!(self.out)?;
        }
        for function in &p.functions {
            self.function(function)?;
        }
        Ok(())
    }

    fn signature(
        &mut self,
        what: &str,
        elements: &[SignatureElement],
        bindings: &[EntryBinding],
    ) -> fmt::Result {
        for (i, e) in elements.iter().enumerate() {
            write!(self.out, "{what} {}{} {}", e.semantic, e.index, e.scalar)?;
            if e.components > 1 {
                write!(self.out, "{}", e.components)?;
            }
            match e.register {
                Some(register) => write!(self.out, ", v{register}")?,
                None => write!(self.out, ", generated")?,
            }
            if e.first_component > 0 {
                write!(self.out, " from {}", e.first_component)?;
            }
            for b in bindings.iter().filter(|b| b.element as usize == i) {
                write!(self.out, " {}", self.name(b.var))?;
                write!(self.out, "[{}]", b.slot)?;
            }
            writeln!(self.out)?;
        }
        Ok(())
    }

    fn function(&mut self, function: &Function) -> fmt::Result {
        write!(self.out, "\n{} {}(", function.ret, function.name)?;
        for (i, param) in function.params.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            let direction = match (param.is_in, param.is_out) {
                (true, true) => "inout ",
                (false, true) => "out ",
                _ => "",
            };
            write!(self.out, "{comma}{direction}")?;
            self.declared(param.var)?;
        }
        writeln!(self.out, ") {{")?;
        self.block(&function.body, 1)?;
        writeln!(self.out, "}}")
    }

    fn declared(&mut self, var: VarId) -> fmt::Result {
        match self.program.vars.get(var.0 as usize) {
            Some(v) => write!(self.out, "{} {}", v.ty, self.name(var)),
            None => write!(self.out, "{}", self.name(var)),
        }
    }

    fn name(&self, var: VarId) -> String {
        match self.program.vars.get(var.0 as usize) {
            Some(v) => format!("{}#{}", v.name, var.0),
            None => format!("?#{}", var.0),
        }
    }

    fn indent(&mut self, depth: usize) {
        self.out.extend(std::iter::repeat_n("  ", depth));
    }

    fn block(&mut self, stmts: &[Stmt], depth: usize) -> fmt::Result {
        stmts.iter().try_for_each(|s| self.stmt(s, depth))
    }

    fn braced(&mut self, stmts: &[Stmt], depth: usize) -> fmt::Result {
        writeln!(self.out, "{{")?;
        self.block(stmts, depth + 1)?;
        self.indent(depth);
        self.out.write_char('}')
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) -> fmt::Result {
        self.indent(depth);
        match &stmt.kind {
            StmtKind::Declare(var, init) => {
                self.declared(*var)?;
                if let Some(init) = init {
                    write!(self.out, " = ")?;
                    self.expr(init)?;
                }
            }
            StmtKind::Expr(e) => self.expr(e)?,
            StmtKind::If {
                cond,
                then,
                els,
                hint,
            } => {
                self.branch_hint(*hint)?;
                write!(self.out, "if ")?;
                self.expr(cond)?;
                write!(self.out, " ")?;
                self.braced(then, depth)?;
                if !els.is_empty() {
                    write!(self.out, " else ")?;
                    self.braced(els, depth)?;
                }
            }
            StmtKind::Loop {
                cond,
                test_first,
                body,
                step,
                hint,
            } => {
                self.out.write_str(match hint {
                    LoopHint::None => "",
                    LoopHint::Unroll => "[unroll] ",
                    LoopHint::Loop => "[loop] ",
                })?;
                let cond = cond.as_ref();
                if let Some(cond) = cond.filter(|_| *test_first) {
                    write!(self.out, "while ")?;
                    self.expr(cond)?;
                } else {
                    write!(self.out, "loop")?;
                }
                write!(self.out, " ")?;
                self.braced(body, depth)?;
                if !step.is_empty() {
                    write!(self.out, " step ")?;
                    self.braced(step, depth)?;
                }
                if let Some(cond) = cond.filter(|_| !*test_first) {
                    write!(self.out, " while ")?;
                    self.expr(cond)?;
                }
            }
            StmtKind::Switch { value, arms, hint } => {
                self.branch_hint(*hint)?;
                write!(self.out, "switch ")?;
                self.expr(value)?;
                writeln!(self.out, " {{")?;
                for arm in arms {
                    self.indent(depth + 1);
                    for value in &arm.values {
                        write!(self.out, "case {} ", *value as i32)?;
                    }
                    if arm.default {
                        write!(self.out, "default ")?;
                    }
                    self.braced(&arm.body, depth + 1)?;
                    writeln!(self.out)?;
                }
                self.indent(depth);
                write!(self.out, "}}")?;
            }
            StmtKind::Break => write!(self.out, "break")?,
            StmtKind::Continue => write!(self.out, "continue")?,
            StmtKind::Return(None) => write!(self.out, "return")?,
            StmtKind::Return(Some(e)) => {
                write!(self.out, "return ")?;
                self.expr(e)?;
            }
            StmtKind::Block(body) => self.braced(body, depth)?,
        }
        writeln!(self.out)
    }

    fn branch_hint(&mut self, hint: BranchHint) -> fmt::Result {
        self.out.write_str(match hint {
            BranchHint::None => "",
            BranchHint::Branch => "[branch] ",
            BranchHint::Flatten => "[flatten] ",
        })
    }

    fn expr(&mut self, e: &Expr) -> fmt::Result {
        match &e.kind {
            ExprKind::Constant(bits) => self.constant(Some(&e.ty), bits),
            ExprKind::Load(place) => self.place(place),
            ExprKind::ConstantLoad(load) => {
                match self.program.constant_buffers.get(load.buffer.0 as usize) {
                    Some(buffer) => write!(self.out, "{}", buffer.name)?,
                    None => write!(self.out, "buffer{}", load.buffer.0)?,
                }
                self.address(load.offset, &load.dynamic)?;
                write!(self.out, "{:?}", load.components)
            }
            ExprKind::Op(op, args) => self.call(op.text(), args),
            ExprKind::Math(function, args) => self.call(function.text(), args),
            ExprKind::Builtin(builtin, value) => {
                self.call(builtin.text(), std::slice::from_ref(value.as_ref()))
            }
            ExprKind::IntegerPower(value, exponents) => {
                self.call("power", std::slice::from_ref(value.as_ref()))?;
                write!(self.out, "^{exponents:?}")
            }
            ExprKind::Splat(value) => {
                write!(self.out, "splat{}", e.ty.components())?;
                self.call("", std::slice::from_ref(value.as_ref()))
            }
            ExprKind::Pick(value, components) => {
                self.expr(value)?;
                write!(self.out, ".{components:?}")
            }
            ExprKind::Concat(parts) => self.call("concat", parts),
            ExprKind::Index {
                base,
                index,
                stride,
                len,
            } => {
                self.expr(base)?;
                write!(self.out, "[")?;
                self.expr(index)?;
                write!(self.out, " of {len} * {stride}]")
            }
            ExprKind::Dot(a, b) => self.pair("dot", a, b),
            ExprKind::MatMul {
                a,
                b,
                rows,
                inner,
                columns,
            } => self.pair(&format!("mul{rows}x{inner}x{columns}"), a, b),
            ExprKind::Reduce { all, value } => self.call(
                if *all { "all" } else { "any" },
                std::slice::from_ref(value.as_ref()),
            ),
            ExprKind::Branch { cond, then, els } => {
                write!(self.out, "(")?;
                self.expr(cond)?;
                write!(self.out, " ? ")?;
                self.expr(then)?;
                write!(self.out, " : ")?;
                self.expr(els)?;
                write!(self.out, ")")
            }
            ExprKind::Call { function, args } => self.user_call(*function, args),
            ExprKind::Assign { place, value } => {
                write!(self.out, "(")?;
                self.place(place)?;
                write!(self.out, " = ")?;
                self.expr(value)?;
                write!(self.out, ")")
            }
            ExprKind::Sequence(first, last) => {
                write!(self.out, "(")?;
                for e in first {
                    self.expr(e)?;
                    write!(self.out, "; ")?;
                }
                self.expr(last)?;
                write!(self.out, ")")
            }
        }
    }

    fn call(&mut self, name: &str, args: &[Expr]) -> fmt::Result {
        write!(self.out, "{name}(")?;
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                write!(self.out, ", ")?;
            }
            self.expr(arg)?;
        }
        write!(self.out, ")")
    }

    fn pair(&mut self, name: &str, a: &Expr, b: &Expr) -> fmt::Result {
        write!(self.out, "{name}(")?;
        self.expr(a)?;
        write!(self.out, ", ")?;
        self.expr(b)?;
        write!(self.out, ")")
    }

    fn user_call(&mut self, function: FuncId, args: &[Arg]) -> fmt::Result {
        match self.program.functions.get(function.0 as usize) {
            Some(f) => write!(self.out, "{}(", f.name)?,
            None => write!(self.out, "function{}(", function.0)?,
        }
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                write!(self.out, ", ")?;
            }
            if let Some(input) = &arg.input {
                self.expr(input)?;
            }
            if let Some(output) = &arg.output {
                write!(
                    self.out,
                    "{}",
                    if arg.input.is_some() { " -> " } else { "-> " }
                )?;
                self.place(output)?;
            }
        }
        write!(self.out, ")")
    }

    /// A place: the variable alone where all of it is meant, else its slots.
    fn place(&mut self, place: &Place) -> fmt::Result {
        write!(self.out, "{}", self.name(place.var))?;
        let slots = self.program.vars.get(place.var.0 as usize).map(|v| v.slots);
        let all = || {
            place
                .components
                .iter()
                .copied()
                .eq(0..place.components.len() as u32)
        };
        if place.dynamic.is_empty()
            && place.offset == 0
            && slots == Some(place.components.len() as u32)
            && all()
        {
            return Ok(());
        }
        self.address(place.offset, &place.dynamic)?;
        write!(self.out, "{:?}", place.components)
    }

    fn address(&mut self, offset: u32, dynamic: &[DynamicIndex]) -> fmt::Result {
        if offset == 0 && dynamic.is_empty() {
            return Ok(());
        }
        write!(self.out, "[{offset}")?;
        for d in dynamic {
            write!(self.out, " + ")?;
            self.expr(&d.index)?;
            write!(self.out, " of {} * {}", d.len, d.stride)?;
        }
        write!(self.out, "]")
    }

    fn constant(&mut self, ty: Option<&Type>, bits: &[u32]) -> fmt::Result {
        let scalar = ty.and_then(element_scalar);
        let list = bits.len() != 1;
        if list {
            write!(self.out, "(")?;
        }
        for (i, bits) in bits.iter().enumerate() {
            if i > 0 {
                write!(self.out, ", ")?;
            }
            match scalar {
                Some(Scalar::Bool) => write!(self.out, "{}", *bits != 0)?,
                Some(Scalar::Int) => write!(self.out, "{}", *bits as i32)?,
                Some(Scalar::Uint) => write!(self.out, "{bits}u")?,
                Some(Scalar::Float) if !f32::from_bits(*bits).is_nan() => {
                    write!(self.out, "{:?}", f32::from_bits(*bits))?
                }
                _ => write!(self.out, "{bits:#010x}")?,
            }
        }
        if list {
            write!(self.out, ")")?;
        }
        Ok(())
    }
}

/// The component type of a number, or of an array of numbers.
fn element_scalar(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Array(element, _) => element_scalar(element),
        other => other.scalar(),
    }
}
