//! Each rule of fusing on a small expression, as printed Hir.

use super::*;
use crate::hir::Program;
use crate::profile::Profile;
use crate::types::Scalar;

const FLOAT: Type = Type::Scalar(Scalar::Float);

/// A program with the float variables a to d (0 to 3), and float3 v (4).
fn program() -> Program {
    let mut vars: Vec<Var> = ["a", "b", "c", "d"]
        .iter()
        .map(|name| Var {
            name: (*name).to_owned(),
            ty: FLOAT,
            slots: 1,
            span: Span::default(),
        })
        .collect();
    let float3 = Type::Vector(Scalar::Float, 3);
    vars.push(Var {
        name: "v".to_owned(),
        ty: float3,
        slots: 3,
        span: Span::default(),
    });
    Program {
        entry_name: "main".to_owned(),
        profile: Profile::VS_5_0,
        inputs: Vec::new(),
        outputs: Vec::new(),
        constant_buffers: Vec::new(),
        fused: true,
        vars,
        statics: Vec::new(),
        functions: Vec::new(),
        entry_inputs: Vec::new(),
        entry_outputs: Vec::new(),
        entry_return: None,
    }
}

fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}

fn place(var: u32, slots: u32) -> Place {
    Place {
        var: VarId(var),
        offset: 0,
        dynamic: Vec::new(),
        components: (0..slots).collect(),
    }
}

fn load(var: u32) -> Expr {
    expr(ExprKind::Load(place(var, 1)), FLOAT)
}

fn op(op: Op, a: Expr, b: Expr) -> Expr {
    let ty = a.ty.clone();
    expr(ExprKind::Op(op, vec![a, b]), ty)
}

fn product(a: u32, b: u32) -> Expr {
    op(Op::FMul, load(a), load(b))
}

fn fused(e: Expr) -> String {
    let mut program = program();
    let mut body = vec![Stmt {
        kind: crate::hir::StmtKind::Expr(e),
        span: Span::default(),
    }];
    fuse_body(&mut body, &mut program.vars);
    let mut text = String::new();
    body[0].exprs(&mut |e| text = program.expr_text(e));
    text
}

#[test]
fn a_sum_with_one_product_is_one_operation() {
    assert_eq!(
        fused(op(Op::FAdd, product(0, 1), load(2))),
        "fma(a#0, b#1, c#2)"
    );
    assert_eq!(
        fused(op(Op::FAdd, load(2), product(0, 1))),
        "fma(a#0, b#1, c#2)"
    );
}

#[test]
fn of_two_products_the_right_one_is_fused() {
    assert_eq!(
        fused(op(Op::FAdd, product(0, 1), product(2, 3))),
        "fma(c#2, d#3, fmul(a#0, b#1))"
    );
    assert_eq!(
        fused(op(Op::FSub, product(0, 1), product(2, 3))),
        "fma(fneg(c#2), d#3, fmul(a#0, b#1))"
    );
}

#[test]
fn a_difference_negates_what_is_taken_away() {
    assert_eq!(
        fused(op(Op::FSub, load(2), product(0, 1))),
        "fma(fneg(a#0), b#1, c#2)"
    );
    assert_eq!(
        fused(op(Op::FSub, product(0, 1), load(2))),
        "fma(a#0, b#1, fneg(c#2))"
    );
}

#[test]
fn a_sum_of_many_products_fuses_each_but_the_first() {
    let two = op(Op::FAdd, product(0, 1), product(1, 2));
    assert_eq!(
        fused(op(Op::FAdd, two, product(2, 3))),
        "fma(c#2, d#3, fma(b#1, c#2, fmul(a#0, b#1)))"
    );
}

#[test]
fn an_implicit_splat_goes_to_the_factors() {
    let float3 = Type::Vector(Scalar::Float, 3);
    let v = expr(ExprKind::Load(place(4, 3)), float3.clone());
    let splat = expr(ExprKind::Splat(Box::new(product(0, 1))), float3);
    assert_eq!(
        fused(op(Op::FAdd, v, splat)),
        "fma(splat3(a#0), splat3(b#1), v#4)"
    );
}

#[test]
fn an_explicit_cast_is_in_the_way() {
    let cast = expr(ExprKind::Pick(Box::new(product(0, 1)), vec![0]), FLOAT);
    assert_eq!(
        fused(op(Op::FAdd, cast, load(2))),
        "fadd(fmul(a#0, b#1).[0], c#2)"
    );
}

#[test]
fn integers_are_left_alone() {
    let sum = op(Op::IAdd, op(Op::IMul, load(0), load(1)), load(2));
    assert_eq!(fused(sum), "iadd(imul(a#0, b#1), c#2)");
}

#[test]
fn effects_keep_their_order() {
    let assign = expr(
        ExprKind::Assign {
            place: place(0, 1),
            value: Box::new(load(3)),
        },
        FLOAT,
    );
    assert_eq!(
        fused(op(Op::FAdd, assign, product(0, 1))),
        "((%5#5 = (a#0 = d#3)); fma(a#0, b#1, %5#5))"
    );
}
