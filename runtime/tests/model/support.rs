//! Programs built by hand: what draws do with them depends on nothing but the runtime and the engines.

use fuseline_hlsl::hir::{
    EntryBinding, Expr, ExprKind, Function, Place, Program, SignatureElement, Stmt, StmtKind, Var,
    VarId,
};
use fuseline_hlsl::profile::{Profile, Stage};
use fuseline_hlsl::semantics::SystemValue;
use fuseline_hlsl::span::Span;
use fuseline_hlsl::types::{Scalar, Type};
use fuseline_numerics::op::Op;

/// A shader whose outputs are bitwise functions of its inputs.
#[derive(Default)]
pub struct Builder {
    inputs: Vec<SignatureElement>,
    outputs: Vec<SignatureElement>,
    body: Vec<Stmt>,
}

/// An input register, by number.
#[derive(Clone, Copy)]
pub struct Input(u32);

fn element(semantic: &str, index: u32, scalar: Scalar, components: u8) -> SignatureElement {
    SignatureElement {
        semantic: semantic.to_string(),
        index,
        system_value: None,
        scalar,
        components,
        register: None,
        first_component: 0,
        interpolation: Vec::new(),
        span: Span::default(),
    }
}

fn ty(scalar: Scalar, components: u8) -> Type {
    if components == 1 {
        Type::Scalar(scalar)
    } else {
        Type::Vector(scalar, components)
    }
}

fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}

fn place(var: u32, components: u8) -> Place {
    Place {
        var: VarId(var),
        offset: 0,
        dynamic: Vec::new(),
        components: (0..u32::from(components)).collect(),
    }
}

impl Builder {
    /// A `uint4` that a vertex buffer feeds.
    pub fn attribute(&mut self, semantic: &str, index: u32) -> Input {
        self.inputs.push(element(semantic, index, Scalar::Uint, 4));
        Input(self.inputs.len() as u32 - 1)
    }

    /// A value that the pipeline makes.
    pub fn generated(&mut self, value: SystemValue) -> Input {
        let mut signature = element("SV_Generated", 0, Scalar::Uint, 1);
        signature.system_value = Some(value);
        self.inputs.push(signature);
        Input(self.inputs.len() as u32 - 1)
    }

    fn load(&self, input: Input) -> Expr {
        let signature = &self.inputs[input.0 as usize];
        let ty = ty(signature.scalar, signature.components);
        expr(ExprKind::Load(place(input.0, signature.components)), ty)
    }

    /// An output that is the exclusive or of some inputs with the same number of components.
    pub fn output(&mut self, semantic: &str, index: u32, inputs: &[Input]) {
        let mut values = inputs.iter().map(|input| self.load(*input));
        let mut value = values.next().expect("an input");
        for other in values {
            let ty = value.ty.clone();
            value = expr(ExprKind::Op(Op::IXor, vec![value, other]), ty);
        }
        let components = value.ty.components() as u8;
        self.outputs
            .push(element(semantic, index, Scalar::Uint, components));
        let ty = value.ty.clone();
        let assign = ExprKind::Assign {
            place: place(1000 + self.outputs.len() as u32 - 1, components),
            value: Box::new(value),
        };
        self.body.push(Stmt {
            kind: StmtKind::Expr(expr(assign, ty)),
            span: Span::default(),
        });
    }

    /// The program.
    pub fn program(mut self) -> Program {
        let first_output = self.inputs.len() as u32;
        for stmt in &mut self.body {
            if let StmtKind::Expr(Expr {
                kind: ExprKind::Assign { place, .. },
                ..
            }) = &mut stmt.kind
            {
                place.var = VarId(place.var.0 - 1000 + first_output);
            }
        }
        let all = self.inputs.iter().chain(&self.outputs);
        let vars: Vec<Var> = all
            .map(|e| Var {
                name: e.semantic.clone(),
                ty: ty(e.scalar, e.components),
                slots: u32::from(e.components),
                span: Span::default(),
            })
            .collect();
        let bindings = |elements: &[SignatureElement], first: u32| {
            let of = |(i, e): (u32, &SignatureElement)| {
                (0..e.components)
                    .map(|component| EntryBinding {
                        element: i,
                        component,
                        var: VarId(first + i),
                        slot: u32::from(component),
                    })
                    .collect::<Vec<_>>()
            };
            (0u32..).zip(elements).flat_map(of).collect::<Vec<_>>()
        };
        let param = |var: u32, is_in| fuseline_hlsl::hir::Param {
            var: VarId(var),
            is_in,
            is_out: !is_in,
        };
        let params = (0..first_output)
            .map(|v| param(v, true))
            .chain((first_output..vars.len() as u32).map(|v| param(v, false)))
            .collect();
        Program {
            entry_name: "main".to_string(),
            profile: Profile {
                stage: Stage::Vertex,
                major: 6,
                minor: 8,
            },
            constant_buffers: Vec::new(),
            fused: true,
            vars,
            statics: Vec::new(),
            functions: vec![Function {
                name: "main".to_string(),
                params,
                ret: Type::Void,
                locals: Vec::new(),
                body: self.body,
                span: Span::default(),
            }],
            entry_inputs: bindings(&self.inputs, 0),
            entry_outputs: bindings(&self.outputs, first_output),
            entry_return: None,
            inputs: self.inputs,
            outputs: self.outputs,
        }
    }
}
