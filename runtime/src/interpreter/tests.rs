//! What each part of Hir means, on programs built by hand.

mod build;

use super::*;
use build::{Builder, assign, bits, call, float, int, load, op, slot};
use fuseline_hlsl::hir::{
    Arg, BranchHint, ConstantBufferId, ConstantLoad, DynamicIndex, Expr, ExprKind, LoopHint, Param,
    StmtKind, SwitchArm,
};
use fuseline_hlsl::types::Type;
use fuseline_numerics::op::Op;

const OPTIONS: Options = Options {
    denorm: Denorm::Flush,
    loop_limit: 100,
};

fn expr(kind: ExprKind, ty: Type) -> Expr {
    build::expr(kind, ty)
}

const INT: Type = Type::Scalar(Scalar::Int);
const BOOL: Type = Type::Scalar(Scalar::Bool);
const FLOAT: Type = Type::Scalar(Scalar::Float);

fn repeat(
    cond: Option<Expr>,
    test_first: bool,
    body: Vec<StmtKind>,
    step: Vec<StmtKind>,
) -> StmtKind {
    StmtKind::Loop {
        cond,
        test_first,
        body: build::stmts(body),
        step: build::stmts(step),
        hint: LoopHint::None,
    }
}

fn when(cond: Expr, then: Vec<StmtKind>) -> StmtKind {
    StmtKind::If {
        cond,
        then: build::stmts(then),
        els: Vec::new(),
        hint: BranchHint::None,
    }
}

fn set(var: VarId, value: Expr) -> StmtKind {
    StmtKind::Expr(assign(slot(var, 0), value))
}

fn add(a: Expr, b: Expr) -> Expr {
    op(Op::IAdd, vec![a, b], INT)
}

/// Runs an entry that returns one int: its bits.
fn run(builder: Builder, body: Vec<StmtKind>) -> u32 {
    try_run(builder, body).expect("it ends")
}

fn try_run(builder: Builder, body: Vec<StmtKind>) -> Result<u32> {
    let program = builder.entry(INT, body);
    let mut outputs = [[0; 4]];
    Interpreter::new(&program, &[], OPTIONS).shade(&[], &mut outputs)?;
    Ok(outputs[0][0])
}

fn give(value: Expr) -> Vec<StmtKind> {
    vec![StmtKind::Return(Some(value))]
}

#[test]
fn a_dot_product_is_fused_where_the_program_is() {
    let (a, b) = (1.0 + f32::EPSILON, 1.0 - f32::EPSILON);
    for fused in [true, false] {
        let mut builder = Builder::default();
        builder.fused = fused;
        let vector = |x, y| {
            expr(
                ExprKind::Constant(vec![f32::to_bits(x), f32::to_bits(y)]),
                Type::Vector(Scalar::Float, 2),
            )
        };
        let dot = expr(
            ExprKind::Dot(vector(-1.0, a).into(), vector(1.0, b).into()),
            FLOAT,
        );
        let got = run(builder, give(bits(dot)));
        let want = if fused {
            a.mul_add(b, -1.0)
        } else {
            a * b - 1.0
        };
        assert_eq!(f32::from_bits(got), want);
    }
}

#[test]
fn a_matrix_product_takes_rows_by_columns() {
    let matrix = |values: &[u32], rows, columns| {
        expr(
            ExprKind::Constant(values.to_vec()),
            Type::Matrix(Scalar::Int, rows, columns),
        )
    };
    let product = ExprKind::MatMul {
        a: matrix(&[1, 2, 3, 4], 2, 2).into(),
        b: matrix(&[5, 6, 7, 8, 9, 10], 2, 3).into(),
        rows: 2,
        inner: 2,
        columns: 3,
    };
    let product = expr(product, Type::Matrix(Scalar::Int, 2, 3));
    let digits =
        [0, 1, 2, 3, 4, 5].map(|i| expr(ExprKind::Pick(product.clone().into(), vec![i]), INT));
    let all = digits
        .into_iter()
        .reduce(|sum, d| add(op(Op::IMul, vec![sum, int(100)], INT), d));
    let got = run(Builder::default(), give(all.expect("six")));
    let want = [21u32, 24, 27, 47, 54, 61]
        .into_iter()
        .fold(0u32, |sum, d| sum.wrapping_mul(100).wrapping_add(d));
    assert_eq!(got, want);
}

#[test]
fn outs_are_written_back_left_to_right() {
    let mut builder = Builder::default();
    let (a, b, x) = (
        builder.var("a", INT),
        builder.var("b", INT),
        builder.var("x", INT),
    );
    let inout = |var| Param {
        var,
        is_in: true,
        is_out: true,
    };
    let f = builder.function(
        "f",
        vec![inout(a), inout(b)],
        Type::Void,
        vec![set(a, int(1)), set(b, int(2))],
    );
    let arg = || Arg {
        input: Some(load(x)),
        output: Some(slot(x, 0)),
    };
    let body = vec![
        StmtKind::Expr(call(f, vec![arg(), arg()], Type::Void)),
        StmtKind::Return(Some(load(x))),
    ];
    assert_eq!(run(builder, body), 2);
}

#[test]
fn arguments_may_call_the_same_function() {
    let mut builder = Builder::default();
    let (a, b) = (builder.var("a", INT), builder.var("b", INT));
    let input = |var| Param {
        var,
        is_in: true,
        is_out: false,
    };
    let sum = add(op(Op::IMul, vec![load(a), int(10)], INT), load(b));
    let f = builder.function("f", vec![input(a), input(b)], INT, give(sum));
    let f = |x, y| {
        let arg = |input| Arg {
            input: Some(input),
            output: None,
        };
        call(f, vec![arg(x), arg(y)], INT)
    };
    assert_eq!(
        run(builder, give(f(int(1), f(int(2), f(int(3), int(4)))))),
        10 + 20 + 34
    );
}

#[test]
fn where_an_out_goes_is_settled_before_the_call() {
    let mut builder = Builder::default();
    let array = builder.var("array", Type::Array(INT.into(), 3));
    let (i, p) = (builder.var("i", INT), builder.var("p", INT));
    let out = Param {
        var: p,
        is_in: false,
        is_out: true,
    };
    let f = builder.function(
        "f",
        vec![out],
        Type::Void,
        vec![set(i, int(2)), set(p, int(7))],
    );
    let mut place = slot(array, 0);
    place.dynamic.push(DynamicIndex {
        index: load(i),
        stride: 1,
        len: 3,
    });
    let body = vec![
        set(i, int(1)),
        StmtKind::Expr(call(
            f,
            vec![Arg {
                input: None,
                output: Some(place),
            }],
            Type::Void,
        )),
        StmtKind::Return(Some(expr(ExprKind::Load(slot(array, 1)), INT))),
    ];
    assert_eq!(run(builder, body), 7);
}

#[test]
fn locals_are_zero_on_every_call_and_outs_start_as_zero() {
    let mut builder = Builder::default();
    let (local, p, x) = (
        builder.var("local", INT),
        builder.var("p", INT),
        builder.var("x", INT),
    );
    let count = add(add(load(local), load(p)), int(1));
    let body = vec![set(local, count.clone()), set(p, load(local))];
    let f = builder.function(
        "f",
        vec![Param {
            var: p,
            is_in: false,
            is_out: true,
        }],
        Type::Void,
        body,
    );
    builder.local(f, local);
    let once = || {
        StmtKind::Expr(call(
            f,
            vec![Arg {
                input: None,
                output: Some(slot(x, 0)),
            }],
            Type::Void,
        ))
    };
    assert_eq!(
        run(
            builder,
            vec![once(), once(), StmtKind::Return(Some(load(x)))]
        ),
        1
    );
}

#[test]
fn a_declaration_in_a_loop_gives_zero_each_time() {
    let mut builder = Builder::default();
    let (i, x) = (builder.var("i", INT), builder.var("x", INT));
    let below = op(Op::SLt, vec![load(i), int(3)], BOOL);
    let body = vec![StmtKind::Declare(x, None), set(x, add(load(x), int(1)))];
    let stmts = vec![
        repeat(Some(below), true, body, vec![set(i, add(load(i), int(1)))]),
        StmtKind::Return(Some(load(x))),
    ];
    assert_eq!(run(builder, stmts), 1);
}

#[test]
fn statics_live_through_one_invocation_and_no_longer() {
    let mut builder = Builder::default();
    let counter = builder.var("counter", INT);
    builder.statics.push(Static {
        var: counter,
        constant: None,
        init: Some(int(5)),
    });
    let f = builder.function(
        "f",
        vec![],
        Type::Void,
        vec![set(counter, add(load(counter), int(1)))],
    );
    let once = || StmtKind::Expr(call(f, vec![], Type::Void));
    let program = builder.entry(
        INT,
        vec![once(), once(), StmtKind::Return(Some(load(counter)))],
    );
    let mut interpreter = Interpreter::new(&program, &[], OPTIONS);
    for _ in 0..2 {
        let mut outputs = [[0; 4]];
        assert_eq!(interpreter.shade(&[], &mut outputs), Ok(()));
        assert_eq!(outputs[0][0], 7);
    }
}

#[test]
fn an_index_out_of_range_reads_zero_and_drops_the_write() {
    for (index, want) in [(1, 9), (3, 0), (u32::MAX, 0)] {
        let mut builder = Builder::default();
        let array = builder.var("array", Type::Array(INT.into(), 3));
        let next = builder.var("next", INT);
        let mut place = slot(array, 0);
        place.dynamic.push(DynamicIndex {
            index: int(index),
            stride: 1,
            len: 3,
        });
        let read = expr(ExprKind::Load(place.clone()), INT);
        let body = vec![
            StmtKind::Expr(assign(place, int(9))),
            StmtKind::Return(Some(add(
                read,
                op(Op::IMul, vec![load(next), int(100)], INT),
            ))),
        ];
        assert_eq!(run(builder, body), want, "index {index}");
    }
}

#[test]
fn a_value_indexed_out_of_range_is_zero() {
    for (index, want) in [(0, 10), (2, 30), (3, 0)] {
        let base = expr(
            ExprKind::Constant(vec![10, 20, 30]),
            Type::Vector(Scalar::Int, 3),
        );
        let indexed = ExprKind::Index {
            base: base.into(),
            index: int(index).into(),
            stride: 1,
            len: 3,
        };
        assert_eq!(run(Builder::default(), give(expr(indexed, INT))), want);
    }
}

/// A constant buffer of 6 bytes, read at 0, at 4 (partly outside) and where addresses wrap.
#[test]
fn constants_that_are_not_wholly_inside_read_zero() {
    let bytes = [1, 0, 0, 0, 2, 0];
    for (offset, index, want) in [
        (0, 0, 1),
        (4, 0, 0),
        (8, 0, 0),
        (16, 0x0FFF_FFFF, 1),
        (0, 0x1000_0000, 1),
    ] {
        let constants = ConstantLoad {
            buffer: ConstantBufferId(0),
            offset,
            dynamic: vec![DynamicIndex {
                index: int(index),
                stride: 16,
                len: 4,
            }],
            components: vec![0],
        };
        let program =
            Builder::default().entry(INT, give(expr(ExprKind::ConstantLoad(constants), INT)));
        let mut outputs = [[0; 4]];
        assert_eq!(
            Interpreter::new(&program, &[&bytes], OPTIONS).shade(&[], &mut outputs),
            Ok(())
        );
        assert_eq!(outputs[0][0], want, "{offset} {index}");
        assert_eq!(
            Interpreter::new(&program, &[], OPTIONS).shade(&[], &mut outputs),
            Ok(())
        );
        assert_eq!(outputs[0][0], 0, "unbound");
    }
}

#[test]
fn a_bool_in_memory_is_true_where_any_bit_is_set() {
    let bytes = [0, 0, 0, 0x80, 0, 0, 0, 0, 3, 0, 0, 0];
    let constants = ConstantLoad {
        buffer: ConstantBufferId(0),
        offset: 0,
        dynamic: Vec::new(),
        components: vec![0, 4, 8],
    };
    let ty = Type::Array(Type::Vector(Scalar::Bool, 1).into(), 3);
    let bools = expr(ExprKind::ConstantLoad(constants), ty);
    let digit = |i, factor| {
        let bool = expr(ExprKind::Pick(bools.clone().into(), vec![i]), BOOL);
        op(
            Op::IMul,
            vec![op(Op::BToI, vec![bool], INT), int(factor)],
            INT,
        )
    };
    let program = Builder::default().entry(
        INT,
        give(add(add(digit(0, 100), digit(1, 10)), digit(2, 1))),
    );
    let mut outputs = [[0; 4]];
    assert_eq!(
        Interpreter::new(&program, &[&bytes], OPTIONS).shade(&[], &mut outputs),
        Ok(())
    );
    assert_eq!(outputs[0][0], 101);
}

#[test]
fn continue_goes_to_the_step_and_break_in_a_switch_stays_in_the_loop() {
    let mut builder = Builder::default();
    let (i, sum) = (builder.var("i", INT), builder.var("sum", INT));
    let is = |n| op(Op::IEq, vec![load(i), int(n)], BOOL);
    let arm = |values, default, body| SwitchArm {
        values,
        default,
        body: build::stmts(body),
    };
    let switch = StmtKind::Switch {
        value: load(i),
        arms: vec![
            arm(vec![2, 3], false, vec![StmtKind::Break]),
            arm(vec![], true, vec![set(sum, add(load(sum), load(i)))]),
        ],
        hint: BranchHint::None,
    };
    let body = vec![
        when(is(1), vec![StmtKind::Continue]),
        when(is(6), vec![StmtKind::Break]),
        switch,
    ];
    let endless = repeat(None, true, body, vec![set(i, add(load(i), int(1)))]);
    assert_eq!(
        run(builder, vec![endless, StmtKind::Return(Some(load(sum)))]),
        4 + 5
    );
}

#[test]
fn a_do_loop_tests_after_its_body() {
    let mut builder = Builder::default();
    let i = builder.var("i", INT);
    let no = expr(ExprKind::Constant(vec![0]), BOOL);
    let once = repeat(Some(no), false, vec![set(i, add(load(i), int(1)))], vec![]);
    assert_eq!(run(builder, vec![once, StmtKind::Return(Some(load(i)))]), 1);
}

#[test]
fn only_the_chosen_side_of_a_branch_runs() {
    let mut builder = Builder::default();
    let x = builder.var("x", INT);
    let side = |value: u32| Box::new(assign(slot(x, 0), add(load(x), int(value))));
    let yes = expr(ExprKind::Constant(vec![1]), BOOL);
    let branch = ExprKind::Branch {
        cond: yes.into(),
        then: side(1),
        els: side(10),
    };
    let body = vec![
        StmtKind::Expr(expr(branch, INT)),
        StmtKind::Return(Some(load(x))),
    ];
    assert_eq!(run(builder, body), 1);
}

/// A loop that runs its body `n` times.
fn counting(builder: &mut Builder, n: u32) -> Vec<StmtKind> {
    let i = builder.var("i", INT);
    let below = op(Op::ULt, vec![load(i), int(n)], BOOL);
    vec![
        repeat(
            Some(below),
            true,
            vec![],
            vec![set(i, add(load(i), int(1)))],
        ),
        StmtKind::Return(Some(load(i))),
    ]
}

#[test]
fn a_loop_may_run_its_body_as_often_as_the_limit_says_and_not_once_more() {
    let at = |n| {
        let mut builder = Builder::default();
        let body = counting(&mut builder, n);
        try_run(builder, body)
    };
    assert_eq!(at(100), Ok(100));
    let limit = ShadeError::LoopLimit {
        limit: 100,
        span: Span::default(),
    };
    assert_eq!(at(101), Err(limit.clone()));
    assert_eq!(
        limit.to_string(),
        "a loop took more than 100 iterations in one invocation"
    );
}

#[test]
fn a_budget_that_is_used_up_or_cancelled_stops_the_draw() {
    let mut builder = Builder::default();
    let body = counting(&mut builder, 100_000);
    let program = builder.entry(INT, body);
    let options = Options {
        loop_limit: 1 << 20,
        ..OPTIONS
    };
    let with = |iterations: i64, cancel: u32| {
        let (iterations, cancel) = (AtomicI64::new(iterations), AtomicU32::new(cancel));
        let budget = Budget {
            iterations: &iterations,
            cancel: &cancel,
        };
        let mut outputs = [[0; 4]];
        let result = Interpreter::new(&program, &[], options)
            .with_budget(budget)
            .shade(&[], &mut outputs);
        (result, iterations.into_inner())
    };
    let (result, left) = with(200_000, 0);
    assert_eq!(result, Ok(()));
    assert!(
        (100_000..100_000 + i64::from(CHARGE)).contains(&left),
        "{left}"
    );
    assert_eq!(with(1000, 0).0, Err(ShadeError::Stopped));
    assert_eq!(with(200_000, 1).0, Err(ShadeError::Stopped));
}

#[test]
fn what_is_nested_too_deep_is_an_error() {
    let deep = |levels| (0..levels).fold(int(0), |e, _| op(Op::IAdd, vec![e, int(1)], INT));
    assert_eq!(run(Builder::default(), give(deep(2000))), 2000);
    let refused = try_run(Builder::default(), give(deep(2100)));
    assert_eq!(
        refused,
        Err(ShadeError::TooDeep {
            span: Span::default()
        })
    );
}

#[test]
fn denormals_flush_or_not_as_the_options_say() {
    let tiny = || float(f32::from_bits(5));
    let sum = bits(op(Op::FAdd, vec![tiny(), tiny()], FLOAT));
    let program = Builder::default().entry(INT, give(sum));
    for (denorm, want) in [(Denorm::Flush, 0), (Denorm::Preserve, 10)] {
        let mut outputs = [[0; 4]];
        let options = Options { denorm, ..OPTIONS };
        assert_eq!(
            Interpreter::new(&program, &[], options).shade(&[], &mut outputs),
            Ok(())
        );
        assert_eq!(outputs[0][0], want);
    }
}

#[test]
fn inputs_reach_parameters_and_a_bool_is_any_bit() {
    let mut builder = Builder::default();
    let flag = builder.var("flag", BOOL);
    builder.input(flag, Scalar::Bool);
    let program = builder.entry(INT, give(op(Op::BToI, vec![load(flag)], INT)));
    for (bits, want) in [(0, 0), (0x8000_0000, 1)] {
        let mut outputs = [[0; 4]];
        let result =
            Interpreter::new(&program, &[], OPTIONS).shade(&[[bits, 0, 0, 0]], &mut outputs);
        assert_eq!((result, outputs[0][0]), (Ok(()), want));
    }
}
