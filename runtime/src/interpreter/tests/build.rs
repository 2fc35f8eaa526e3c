//! Short ways to write Hir.

use fuseline_hlsl::hir::{
    Arg, EntryBinding, Expr, ExprKind, FuncId, Function, Param, Place, Program, SignatureElement,
    Static, Stmt, StmtKind, Var, VarId,
};
use fuseline_hlsl::span::Span;
use fuseline_hlsl::types::{Scalar, Type};
use fuseline_numerics::op::Op;

/// A program in the making.
pub(super) struct Builder {
    pub fused: bool,
    pub statics: Vec<Static>,
    vars: Vec<Var>,
    functions: Vec<Function>,
    inputs: Vec<(VarId, SignatureElement)>,
}

impl Default for Builder {
    fn default() -> Self {
        Builder {
            fused: true,
            statics: Vec::new(),
            vars: Vec::new(),
            functions: Vec::new(),
            inputs: Vec::new(),
        }
    }
}

impl Builder {
    pub fn var(&mut self, name: &str, ty: Type) -> VarId {
        self.vars.push(Var {
            name: name.to_owned(),
            slots: ty.components(),
            ty,
            span: Span::default(),
        });
        VarId(self.vars.len() as u32 - 1)
    }

    pub fn function(
        &mut self,
        name: &str,
        params: Vec<Param>,
        ret: Type,
        body: Vec<StmtKind>,
    ) -> FuncId {
        self.functions.push(Function {
            name: name.to_owned(),
            params,
            ret,
            locals: Vec::new(),
            body: stmts(body),
            span: Span::default(),
        });
        FuncId(self.functions.len() as u32 - 1)
    }

    /// Makes a variable one of a function's locals.
    pub fn local(&mut self, function: FuncId, var: VarId) {
        self.functions[function.0 as usize].locals.push(var);
    }

    /// A parameter of the entry, one input register.
    pub fn input(&mut self, var: VarId, scalar: Scalar) {
        let element = element("INPUT", scalar);
        self.inputs.push((var, element));
    }

    /// The program whose entry has one output, its value. Variables that belong to no function are statics.
    pub fn entry(mut self, ret: Type, body: Vec<StmtKind>) -> Program {
        let result = self.var("%return", ret.clone());
        let output = element("OUTPUT", Scalar::Int);
        let params = self.inputs.iter().map(|(var, _)| Param {
            var: *var,
            is_in: true,
            is_out: false,
        });
        let params = params.collect();
        self.function("main", params, ret, body);
        let binding = |element, var| EntryBinding {
            element,
            component: 0,
            var,
            slot: 0,
        };
        let entry_inputs = (0..)
            .zip(&self.inputs)
            .map(|(i, (var, _))| binding(i, *var))
            .collect();
        Program {
            entry_name: "main".to_owned(),
            profile: "vs_5_0".parse().expect("a profile"),
            inputs: self
                .inputs
                .into_iter()
                .map(|(_, element)| element)
                .collect(),
            outputs: vec![output],
            constant_buffers: Vec::new(),
            fused: self.fused,
            vars: self.vars,
            statics: self.statics,
            functions: self.functions,
            entry_inputs,
            entry_outputs: vec![binding(0, result)],
            entry_return: Some(result),
        }
    }
}

fn element(semantic: &str, scalar: Scalar) -> SignatureElement {
    SignatureElement {
        semantic: semantic.to_owned(),
        index: 0,
        system_value: None,
        scalar,
        components: 1,
        register: Some(0),
        first_component: 0,
        interpolation: Vec::new(),
        span: Span::default(),
    }
}

pub(super) fn stmts(kinds: Vec<StmtKind>) -> Vec<Stmt> {
    let span = Span::default();
    kinds.into_iter().map(|kind| Stmt { kind, span }).collect()
}

pub(super) fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}

pub(super) fn int(value: u32) -> Expr {
    expr(ExprKind::Constant(vec![value]), Type::Scalar(Scalar::Int))
}

pub(super) fn float(value: f32) -> Expr {
    expr(
        ExprKind::Constant(vec![value.to_bits()]),
        Type::Scalar(Scalar::Float),
    )
}

pub(super) fn op(op: Op, args: Vec<Expr>, ty: Type) -> Expr {
    expr(ExprKind::Op(op, args), ty)
}

/// The bits of a float.
pub(super) fn bits(value: Expr) -> Expr {
    op(Op::AsInt, vec![value], Type::Scalar(Scalar::Int))
}

/// One slot of a variable.
pub(super) fn slot(var: VarId, offset: u32) -> Place {
    Place {
        var,
        offset,
        dynamic: Vec::new(),
        components: vec![0],
    }
}

pub(super) fn load(var: VarId) -> Expr {
    expr(ExprKind::Load(slot(var, 0)), Type::Scalar(Scalar::Int))
}

pub(super) fn assign(place: Place, value: Expr) -> Expr {
    let ty = value.ty.clone();
    expr(
        ExprKind::Assign {
            place,
            value: value.into(),
        },
        ty,
    )
}

pub(super) fn call(function: FuncId, args: Vec<Arg>, ty: Type) -> Expr {
    expr(ExprKind::Call { function, args }, ty)
}
