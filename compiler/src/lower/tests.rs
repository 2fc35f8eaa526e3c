//! Lowering of small programs built by hand.

use super::{LowerErrorKind, lower};
use crate::kir::eval::{Inputs, Nan, eval};
use crate::kir::{Function, Source, verify};
use crate::passes::dead;
use fuseline_hlsl::hir::*;
use fuseline_hlsl::profile::{Profile, Stage};
use fuseline_hlsl::span::Span;
use fuseline_hlsl::types::{Scalar, Type};
use fuseline_numerics::op::{Kind, Op};
use fuseline_numerics::scalar::Denorm;
use std::sync::Arc;

const INT: Type = Type::Scalar(Scalar::Int);
const BOOL: Type = Type::Scalar(Scalar::Bool);

fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}

fn int(n: i32) -> Expr {
    expr(ExprKind::Constant(vec![n as u32]), INT)
}

fn whole(var: u32) -> Place {
    Place {
        var: VarId(var),
        offset: 0,
        dynamic: Vec::new(),
        components: vec![0],
    }
}

fn get(var: u32) -> Expr {
    expr(ExprKind::Load(whole(var)), INT)
}

fn op(op: Op, args: impl Into<Vec<Expr>>) -> Expr {
    let ty = if op.result() == Kind::Bool { BOOL } else { INT };
    expr(ExprKind::Op(op, args.into()), ty)
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Span::default(),
    }
}

fn set(var: u32, value: Expr) -> Stmt {
    set_place(whole(var), value)
}

fn set_place(place: Place, value: Expr) -> Stmt {
    let value = Box::new(value);
    stmt(StmtKind::Expr(expr(ExprKind::Assign { place, value }, INT)))
}

fn if_(cond: Expr, then: Vec<Stmt>, els: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::If {
        cond,
        then,
        els,
        hint: BranchHint::None,
    })
}

fn return_(value: Expr) -> Stmt {
    stmt(StmtKind::Return(Some(value)))
}

/// `for (var = 0; var < limit; ++var) body`, the initialiser left out.
fn for_(var: u32, limit: Expr, hint: LoopHint, body: Vec<Stmt>) -> Stmt {
    stmt(StmtKind::Loop {
        cond: Some(op(Op::SLt, [get(var), limit])),
        test_first: true,
        body,
        step: vec![set(var, op(Op::IAdd, [get(var), int(1)]))],
        hint,
    })
}

fn element() -> SignatureElement {
    SignatureElement {
        semantic: "X".into(),
        index: 0,
        system_value: None,
        scalar: Scalar::Int,
        components: 1,
        first_component: 0,
        register: Some(0),
        interpolation: Vec::new(),
        span: Span::default(),
    }
}

/// `int main(int v0 : X) : Y { body }`; variables 1 and 2 are int locals, 3 is `int[40]`, 4 receives the value, 5 is
/// the parameter of `functions`.
fn program(functions: Vec<Vec<Stmt>>, body: Vec<Stmt>) -> Program {
    let array = Type::Array(Arc::new(INT), 40);
    let vars = [INT, INT, INT, array, INT, INT]
        .into_iter()
        .map(|ty| Var {
            name: String::new(),
            slots: ty.components(),
            ty,
            span: Span::default(),
        })
        .collect();
    let param = |var| Param {
        var: VarId(var),
        is_in: true,
        is_out: false,
    };
    let function = |name: &str, var: u32, locals: Vec<VarId>, body| fuseline_hlsl::hir::Function {
        name: name.into(),
        params: vec![param(var)],
        ret: INT,
        locals,
        body,
        span: Span::default(),
    };
    let mut all: Vec<_> = functions
        .into_iter()
        .map(|body| function("f", 5, vec![], body))
        .collect();
    all.push(function(
        "main",
        0,
        vec![VarId(1), VarId(2), VarId(3)],
        body,
    ));
    let binding = |var| EntryBinding {
        element: 0,
        component: 0,
        var: VarId(var),
        slot: 0,
    };
    Program {
        entry_name: "main".into(),
        profile: Profile {
            stage: Stage::Vertex,
            major: 5,
            minor: 0,
        },
        inputs: vec![element()],
        outputs: vec![element()],
        constant_buffers: Vec::new(),
        fused: true,
        vars,
        statics: Vec::new(),
        functions: all,
        entry_inputs: vec![binding(0)],
        entry_outputs: vec![binding(4)],
        entry_return: Some(VarId(4)),
    }
}

fn lowered(body: Vec<Stmt>) -> Function {
    let function = lower(&program(vec![], body), Denorm::Flush, false).unwrap();
    verify::verify(&function).unwrap();
    dead::remove(&function)
}

/// What the function gives for an input.
fn run(function: &Function, input: i32) -> i32 {
    let read = |source| match source {
        Source::Input { .. } => input as u32,
        _ => 0,
    };
    let inputs = Inputs {
        read: &read,
        constants: &[],
        denorm: Denorm::Flush,
        loop_limit: 1 << 20,
        nan: Nan::Canonical,
    };
    eval(function, &inputs).expect("it ends")[&(0, 0)] as i32
}

#[test]
fn early_return_nests_the_rest_in_the_other_side() {
    let function = lowered(vec![
        if_(op(Op::SLt, [get(0), int(0)]), vec![return_(int(7))], vec![]),
        return_(op(Op::SDiv, [int(100), get(0)])),
    ]);
    assert_eq!(
        function.to_string(),
        "v0: i32 = read input 0.0
v1: bool = slt v0, 0
v3: i32 = if v1 {
  yield 7
} else {
  v2: i32 = sdiv 100, v0
  yield v2
}
store o0.0 = v3
"
    );
}

#[test]
fn a_loop_with_known_course_leaves_no_trace() {
    let function = lowered(vec![
        for_(
            1,
            int(5),
            LoopHint::None,
            vec![set(2, op(Op::IAdd, [get(2), get(1)]))],
        ),
        return_(get(2)),
    ]);
    assert_eq!(function.to_string(), "store o0.0 = 10\n");
}

#[test]
fn a_loop_that_shall_stay_one_has_its_bound() {
    let function = lowered(vec![
        for_(
            1,
            int(5),
            LoopHint::Loop,
            vec![set(2, op(Op::IMul, [get(2), get(1)]))],
        ),
        return_(get(2)),
    ]);
    assert_eq!(
        function.to_string(),
        "v5: i32, v6: i32 = loop (v0: i32 = 0, v1: i32 = 0) bound 5 {
  v2: i32 = imul v0, v1
  v3: i32 = iadd v0, 1
  v4: bool = slt v3, 5
  yield v4, v3, v2
}
store o0.0 = v6
"
    );
}

#[test]
fn a_loop_of_unknown_length_is_guarded_and_counted() {
    let function = lowered(vec![
        for_(
            1,
            get(0),
            LoopHint::None,
            vec![set(2, op(Op::IAdd, [get(2), get(1)]))],
        ),
        return_(get(2)),
    ]);
    assert!(function.to_string().contains("loop (") && !function.to_string().contains("bound"));
    assert_eq!(run(&function, -3), 0);
    assert_eq!(run(&function, 5), 10);
}

#[test]
fn break_continue_and_return_leave_what_they_should() {
    // for (v1 = 0; v1 < v0; ++v1) { if (v1 == 3) continue; if (v1 == 8) break; if (v2 > 100) return -1; v2 += v1; }
    // return v2 + 1000;
    let leave = |kind| vec![stmt(kind)];
    for hint in [LoopHint::None, LoopHint::Loop] {
        for limit in [get(0), int(6), int(20)] {
            let body = vec![
                if_(
                    op(Op::IEq, [get(1), int(3)]),
                    leave(StmtKind::Continue),
                    vec![],
                ),
                if_(
                    op(Op::IEq, [get(1), int(8)]),
                    leave(StmtKind::Break),
                    vec![],
                ),
                if_(
                    op(Op::SLt, [get(0), get(2)]),
                    vec![return_(int(-1))],
                    vec![],
                ),
                set(2, op(Op::IAdd, [get(2), get(1)])),
            ];
            let known = match limit.kind {
                ExprKind::Constant(ref bits) => Some(bits[0] as i32),
                _ => None,
            };
            let function = lowered(vec![
                for_(1, limit, hint, body),
                return_(op(Op::IAdd, [get(2), int(1000)])),
            ]);
            for x in 0..30 {
                let expected = || {
                    let mut sum = 0;
                    for i in 0..known.unwrap_or(x) {
                        match i {
                            3 => continue,
                            8 => break,
                            _ if x < sum => return -1,
                            _ => sum += i,
                        }
                    }
                    sum + 1000
                };
                assert_eq!(run(&function, x), expected(), "{x} {hint:?} {known:?}");
            }
        }
    }
}

#[test]
fn switch_runs_one_arm() {
    let arm = |values: &[u32], default, value| SwitchArm {
        values: values.to_vec(),
        default,
        body: vec![set(1, int(value)), stmt(StmtKind::Break)],
    };
    let function = lowered(vec![
        stmt(StmtKind::Switch {
            value: get(0),
            arms: vec![
                arm(&[1, 2], false, 10),
                arm(&[], true, 20),
                arm(&[5], false, 30),
            ],
            hint: BranchHint::None,
        }),
        return_(get(1)),
    ]);
    assert_eq!(
        [0, 1, 2, 3, 5].map(|x| run(&function, x)),
        [20, 10, 10, 20, 30]
    );
}

fn element_of_array(index: Expr) -> Place {
    Place {
        dynamic: vec![DynamicIndex {
            index,
            stride: 1,
            len: 40,
        }],
        ..whole(3)
    }
}

#[test]
fn a_long_array_indexed_at_run_time_lies_in_memory() {
    let fill = for_(
        1,
        int(40),
        LoopHint::Unroll,
        vec![set_place(
            element_of_array(get(1)),
            op(Op::IMul, [get(1), get(0)]),
        )],
    );
    let read = return_(expr(ExprKind::Load(element_of_array(get(0))), INT));
    let function = lowered(vec![fill, read]);
    assert_eq!(
        [0, 3, 39, 40, -1].map(|x| run(&function, x)),
        [0, 9, 1521, 0, 0]
    );
    assert_eq!(function.arrays, [40]);
}

#[test]
fn a_long_array_indexed_by_an_unrolled_loop_alone_needs_no_memory() {
    let fill = for_(
        1,
        int(40),
        LoopHint::Unroll,
        vec![set_place(
            element_of_array(get(1)),
            op(Op::IMul, [get(1), get(0)]),
        )],
    );
    let read = return_(expr(ExprKind::Load(element_of_array(int(3))), INT));
    let function = lowered(vec![fill, read]);
    assert_eq!(run(&function, 5), 15);
    assert!(function.arrays.is_empty());
}

#[test]
fn calls_are_inlined_with_their_own_returns() {
    // f(v5) { if (v5 < 10) return v5; return 10; }
    let f = vec![
        if_(
            op(Op::SLt, [get(5), int(10)]),
            vec![return_(get(5))],
            vec![],
        ),
        return_(int(10)),
    ];
    let call = |arg| {
        let args = vec![Arg {
            input: Some(arg),
            output: None,
        }];
        let function = FuncId(0);
        expr(ExprKind::Call { function, args }, INT)
    };
    let main = vec![return_(op(Op::IAdd, [call(get(0)), call(call(int(50)))]))];
    let function = lower(&program(vec![f], main), Denorm::Flush, false).unwrap();
    assert_eq!([3, 12].map(|x| run(&function, x)), [13, 20]);
}

#[test]
fn nesting_without_end_is_refused() {
    let deep = (0..400).fold(vec![set(2, get(0))], |inner, level| {
        vec![if_(op(Op::SLt, [get(0), int(level)]), inner, vec![])]
    });
    let error = lower(&program(vec![], deep), Denorm::Flush, false).unwrap_err();
    assert_eq!(error.kind, LowerErrorKind::TooManyRegions);
}

#[test]
fn expressions_may_be_deep_but_not_without_end() {
    let chain = |n: usize| {
        let sum = (0..n).fold(get(0), |e, i| op(Op::IXor, [e, int(i as i32 + 7)]));
        lower(&program(vec![], vec![return_(sum)]), Denorm::Flush, false)
    };
    // On a stack as small as a thread has.
    let check = move || {
        assert!(chain(590).is_ok());
        assert_eq!(chain(610).unwrap_err().kind, LowerErrorKind::TooDeep);
    };
    let thread = std::thread::Builder::new().stack_size(1 << 21);
    thread.spawn(check).unwrap().join().unwrap();
}

#[test]
fn blocks_and_calls_may_be_deep_but_not_without_end() {
    let blocks = |n: usize| {
        let body = (0..n).fold(vec![return_(get(0))], |inner, _| {
            vec![stmt(StmtKind::Block(inner))]
        });
        lower(&program(vec![], body), Denorm::Flush, false)
    };
    assert!(blocks(590).is_ok());
    assert_eq!(blocks(610).unwrap_err().kind, LowerErrorKind::TooDeep);
}

#[test]
fn what_unrolls_to_too_much_stays_a_loop() {
    let body = |inner| vec![set(1, int(0)), for_(1, int(1000), LoopHint::Unroll, inner)];
    let inner = vec![set(2, op(Op::SDiv, [op(Op::IAdd, [get(2), get(0)]), get(1)])); 30];
    let mut all = body(inner);
    all.push(return_(get(2)));
    let function = lowered(all);
    assert!(function.to_string().contains("bound 1000"));
}

#[test]
fn a_loop_that_must_be_counted_stays_though_nobody_needs_it() {
    let body = vec![for_(1, int(5), LoopHint::Unroll, vec![]), return_(int(3))];
    let function = lower(&program(vec![], body), Denorm::Flush, true).unwrap();
    let text = dead::remove(&function).to_string();
    assert!(text.contains("loop (") && !text.contains("bound"), "{text}");
}
