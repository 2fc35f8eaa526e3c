//! Float arithmetic against exact rationals rounded once, integer arithmetic against 64-bit integers; both engines.
//!
//! `PROPTEST_CASES` raises the number of expressions, `PROPTEST_RNG_SEED` makes other ones.

mod exact;
mod random;

use fuseline::{Engine, Format};
use proptest::prelude::*;
use random::{Choices, Element, HARD, Setting, Shader, Words, passes};
use std::fmt::Write;

const VERTICES: u32 = 45;
/// Words of input per vertex.
const OPERANDS: usize = 8;
const DEPTH: usize = 4;

/// A float expression.
enum Float {
    /// The word of the input.
    Input(usize),
    Literal(u32),
    Negate(Box<Float>),
    /// `+`, `-`, `*` or `/`, in parentheses; the extra pairs of them change nothing.
    Infix(char, Box<Float>, Box<Float>, usize),
    /// `(x + v).c`, v the vector that the input word is in: x is splatted.
    Splatted(char, Box<Float>, usize),
    /// An explicit cast, which keeps a product from being fused.
    Cast(Box<Float>),
    /// A variable, which does so, too.
    Variable(Box<Float>),
    /// A variable to which something is added or taken away by `+=` or `-=`.
    Accumulated(char, Box<Float>, Box<Float>),
    Mad(Box<Float>, Box<Float>, Box<Float>),
    Dot(Vec<(Float, Float)>),
}

impl Float {
    fn random(c: &mut Choices, depth: usize) -> Float {
        let part = |c: &mut Choices| Box::new(Float::random(c, depth - 1));
        match if depth == 0 { 0 } else { c.below(16) } {
            0 | 1 if c.rarely(4) => Float::Literal(c.of(&HARD)),
            0 | 1 => Float::Input(c.below(OPERANDS)),
            2 => Float::Negate(part(c)),
            3 => Float::Cast(part(c)),
            4 => Float::Variable(part(c)),
            5 => Float::Accumulated(c.of(&['+', '-']), part(c), part(c)),
            6 => Float::Splatted(c.of(&['+', '-']), part(c), c.below(OPERANDS)),
            7 => Float::Mad(part(c), part(c), part(c)),
            8 => Float::Dot((0..2 + c.below(3)).map(|_| (*part(c), *part(c))).collect()),
            _ => {
                let operator = c.of(&['+', '*', '-', '/', '*', '+', '*']);
                Float::Infix(operator, part(c), part(c), c.below(3))
            }
        }
    }

    /// The text; what has to come before it goes to `before`.
    fn text(&self, before: &mut Vec<String>) -> String {
        match self {
            Float::Input(word) => input("fg", *word),
            Float::Literal(bits) => format!("asfloat({bits:#010x}u)"),
            Float::Negate(x) => format!("(-{})", x.text(before)),
            Float::Infix(operator, x, y, extra) => {
                let (x, y) = (x.text(before), y.text(before));
                let (open, close) = ("(".repeat(*extra), ")".repeat(*extra));
                format!("({open}{x} {operator} {y}{close})")
            }
            Float::Splatted(operator, x, word) => {
                let place = input("fg", *word);
                let (vector, component) = place.split_at(1);
                format!("({} {operator} {vector}){component}", x.text(before))
            }
            Float::Cast(x) => format!("(float){}", x.text(before)),
            Float::Variable(x) => {
                let value = x.text(before);
                variable(before, &value)
            }
            Float::Accumulated(operator, x, y) => {
                let (x, y) = (x.text(before), y.text(before));
                let name = variable(before, &x);
                before.push(format!("{name} {operator}= {y};"));
                name
            }
            Float::Mad(x, y, z) => {
                format!(
                    "mad({}, {}, {})",
                    x.text(before),
                    y.text(before),
                    z.text(before)
                )
            }
            Float::Dot(pairs) => {
                let (x, y): (Vec<String>, Vec<String>) = pairs
                    .iter()
                    .map(|(x, y)| (x.text(before), y.text(before)))
                    .unzip();
                let vector = format!("float{}", pairs.len());
                format!(
                    "dot({vector}({}), {vector}({}))",
                    x.join(", "),
                    y.join(", ")
                )
            }
        }
    }

    fn value(&self, inputs: &[u32]) -> u32 {
        match self {
            Float::Input(word) => inputs[*word],
            Float::Literal(bits) => *bits,
            Float::Negate(x) => exact::negate(x.value(inputs)),
            Float::Infix('*', x, y, _) => exact::multiply(x.value(inputs), y.value(inputs)),
            Float::Infix('/', x, y, _) => exact::divide(x.value(inputs), y.value(inputs)),
            Float::Infix(operator, x, y, _) | Float::Accumulated(operator, x, y) => {
                // A variable on the left of `+=` is no product, whatever is in it.
                let open = matches!(self, Float::Infix(..));
                sum(*operator, x, open, y, inputs)
            }
            Float::Splatted(operator, x, word) => {
                sum(*operator, x, true, &Float::Input(*word), inputs)
            }
            Float::Cast(x) | Float::Variable(x) => x.value(inputs),
            Float::Mad(x, y, z) => exact::fused(x.value(inputs), y.value(inputs), z.value(inputs)),
            Float::Dot(pairs) => {
                let mut pairs = pairs
                    .iter()
                    .map(|(x, y)| (x.value(inputs), y.value(inputs)));
                let first = pairs.next().map_or(0, |(x, y)| exact::multiply(x, y));
                pairs.fold(first, |sum, (x, y)| exact::fused(x, y, sum))
            }
        }
    }

    fn factors(&self, inputs: &[u32]) -> Option<(u32, u32)> {
        match self {
            Float::Infix('*', x, y, _) => Some((x.value(inputs), y.value(inputs))),
            _ => None,
        }
    }
}

/// A sum: of two products the right one is fused.
fn sum(operator: char, x: &Float, left_counts: bool, y: &Float, inputs: &[u32]) -> u32 {
    let sign = if operator == '-' { 0x8000_0000 } else { 0 };
    if let Some((c, d)) = y.factors(inputs) {
        return exact::fused(c ^ sign, d, x.value(inputs));
    }
    match x.factors(inputs).filter(|_| left_counts) {
        Some((a, b)) => exact::fused(a, b, y.value(inputs) ^ sign),
        None => exact::add(x.value(inputs), y.value(inputs) ^ sign),
    }
}

fn input(vectors: &str, word: usize) -> String {
    let vector = &vectors[word / 4..=word / 4];
    format!("{vector}.{}", char::from(b"xyzw"[word % 4]))
}

fn variable(before: &mut Vec<String>, value: &str) -> String {
    let name = format!("v{}", before.len());
    before.push(format!("float {name} = {value};"));
    name
}

/// An integer expression, of int or of uint throughout.
enum Integer {
    Input(usize),
    Literal(u32),
    Unary(char, Box<Integer>),
    Infix(&'static str, Box<Integer>, Box<Integer>),
    Call(&'static str, Vec<Integer>),
    /// `x < y ? x : z`, with any comparison.
    Choice(&'static str, Box<[Integer; 3]>),
}

impl Integer {
    fn random(c: &mut Choices, depth: usize) -> Integer {
        let part = |c: &mut Choices| Box::new(Integer::random(c, depth - 1));
        match if depth == 0 { 0 } else { c.below(12) } {
            0 | 1 => match c.below(3) {
                2 => Integer::Literal(c.of(&[1, 2, 3, 0, 7, 31, 32, 255, !0, !1, 1 << 31, 641])),
                _ => Integer::Input(c.below(OPERANDS)),
            },
            2 => Integer::Unary(c.of(&['-', '~']), part(c)),
            3 => {
                let (name, count) = c.of(&[("min", 2), ("max", 2), ("mad", 3), ("clamp", 3)]);
                Integer::Call(name, (0..count).map(|_| *part(c)).collect())
            }
            4 => {
                let operator = c.of(&["<", "<=", ">", ">=", "==", "!="]);
                Integer::Choice(operator, Box::new([*part(c), *part(c), *part(c)]))
            }
            5 | 6 => {
                // A divisor that is known to be zero is refused.
                let divisor = match c.below(2) {
                    0 => Integer::Input(c.below(OPERANDS)),
                    _ => Integer::Literal(c.of(&[1, 2, 3, 7, 8, 10, !0, 1 << 31, 641, !2])),
                };
                Integer::Infix(c.of(&["/", "%"]), part(c), Box::new(divisor))
            }
            _ => {
                let operator = c.of(&["+", "-", "*", "&", "|", "^", "<<", ">>"]);
                Integer::Infix(operator, part(c), part(c))
            }
        }
    }

    fn text(&self, signed: bool) -> String {
        match self {
            Integer::Input(word) => input(if signed { "ij" } else { "uv" }, *word),
            Integer::Literal(bits) if signed => format!("(int){bits:#x}u"),
            Integer::Literal(bits) => format!("{bits}u"),
            Integer::Unary(operator, x) => format!("({operator}{})", x.text(signed)),
            Integer::Infix(operator, x, y) => {
                format!("({} {operator} {})", x.text(signed), y.text(signed))
            }
            Integer::Call(name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|x| x.text(signed)).collect();
                format!("{name}({})", arguments.join(", "))
            }
            Integer::Choice(operator, parts) => {
                let [x, y, z] = parts.each_ref().map(|x| x.text(signed));
                format!("({x} {operator} {y} ? {x} : {z})")
            }
        }
    }

    /// The value as a number: `wrap` brings it back to 32 bits.
    fn value(&self, inputs: &[u32], wrap: fn(i128) -> i128) -> i128 {
        let value = |x: &Integer| x.value(inputs, wrap);
        let low = |x: i128| (x & 31) as u32;
        wrap(match self {
            Integer::Input(word) => i128::from(inputs[*word]),
            Integer::Literal(bits) => i128::from(*bits),
            Integer::Unary('-', x) => -value(x),
            Integer::Unary(_, x) => !value(x),
            Integer::Infix(operator, x, y) => match (*operator, value(x), value(y)) {
                ("/" | "%", _, 0) => -1,
                ("/", x, y) => x / y,
                ("%", x, y) => x % y,
                ("+", x, y) => x + y,
                ("-", x, y) => x - y,
                ("*", x, y) => x * y,
                ("&", x, y) => x & y,
                ("|", x, y) => x | y,
                ("^", x, y) => x ^ y,
                ("<<", x, y) => x << low(y),
                (_, x, y) => x >> low(y),
            },
            Integer::Call(name, arguments) => {
                let arguments: Vec<i128> = arguments.iter().map(value).collect();
                match (*name, &arguments[..]) {
                    ("min", [x, y]) => *x.min(y),
                    ("max", [x, y]) => *x.max(y),
                    ("mad", [x, y, z]) => x * y + z,
                    (_, [x, low, high]) => *x.max(low).min(high),
                    (name, _) => unreachable!("{name} with other arguments"),
                }
            }
            Integer::Choice(operator, parts) => {
                let [x, y, z] = parts.each_ref().map(value);
                let holds = match *operator {
                    "<" => x < y,
                    "<=" => x <= y,
                    ">" => x > y,
                    ">=" => x >= y,
                    "==" => x == y,
                    _ => x != y,
                };
                if holds { x } else { z }
            }
        })
    }
}

fn as_int(x: i128) -> i128 {
    i128::from(x as i32)
}

fn as_uint(x: i128) -> i128 {
    i128::from(x as u32)
}

/// Draws `body`, which sets the four words of `o`, by both engines; compares with `wanted` of a vertex's words.
fn gives(
    body: &str,
    seed: u64,
    kind: &str,
    wanted: impl Fn(&[u32]) -> [u32; 4],
) -> Result<(), TestCaseError> {
    let (names, format) = match kind {
        "float" => (["f", "g"], Format::R32G32B32A32_FLOAT),
        "int" => (["i", "j"], Format::R32G32B32A32_SINT),
        _ => (["u", "v"], Format::R32G32B32A32_UINT),
    };
    let elements: [Element; 2] = [("A", format, false), ("B", format, false)];
    let text = format!(
        "{kind}4 main({kind}4 {} : A, {kind}4 {} : B) : O {{\n    {kind}4 o;\n{body}    return o;\n}}\n",
        names[0], names[1]
    );
    let setting = Setting {
        flush_denormals: true,
        vertices: VERTICES,
        indexed: false,
        ..Setting::of(seed)
    };
    let fail = |why: String| TestCaseError::fail(format!("{why}\n{setting:?}:\n{text}"));
    let shader =
        Shader::new(&text, "vs_5_0", &elements, &setting, Words::new(seed)).map_err(fail)?;
    let words: Vec<u32> = Words::new(seed)
        .take(VERTICES as usize * OPERANDS)
        .collect();
    for engine in [Engine::Jit, Engine::Interpreter] {
        let results = shader.draw(engine).map_err(fail)?;
        let output = results.output("O", 0).map_err(|e| fail(e.to_string()))?;
        for (row, inputs) in words.chunks(OPERANDS).enumerate() {
            let got = output.bits(row).unwrap_or_default();
            let wanted = wanted(inputs);
            if got[..] != wanted {
                return Err(fail(format!(
                    "{engine:?}, row {row}, of {inputs:#010x?}: got {got:#010x?}, wanted {wanted:#010x?}"
                )));
            }
        }
    }
    Ok(())
}

fn components<T>(numbers: &[u16], random: impl Fn(&mut Choices) -> T) -> [T; 4] {
    let mut choices = Choices::new(numbers);
    [(); 4].map(|()| random(&mut choices))
}

#[test]
fn float_arithmetic_is_exact_arithmetic_rounded_once_and_flushed() {
    let numbers = prop::collection::vec(any::<u16>(), 0..200);
    passes(256, &(numbers, any::<u64>()), |(numbers, seed)| {
        let expressions = components(&numbers, |c| Float::random(c, DEPTH));
        let mut before = Vec::new();
        let values = expressions.each_ref().map(|e| e.text(&mut before));
        let mut body = String::new();
        for line in before {
            let _ = writeln!(body, "    {line}");
        }
        for (component, value) in ["x", "y", "z", "w"].iter().zip(values) {
            let _ = writeln!(body, "    o.{component} = {value};");
        }
        gives(&body, seed, "float", |inputs| {
            expressions.each_ref().map(|e| e.value(inputs))
        })
    });
}

fn integers(signed: bool) {
    let (kind, wrap): (_, fn(i128) -> i128) = if signed {
        ("int", as_int)
    } else {
        ("uint", as_uint)
    };
    let numbers = prop::collection::vec(any::<u16>(), 0..200);
    passes(256, &(numbers, any::<u64>()), |(numbers, seed)| {
        let expressions = components(&numbers, |c| Integer::random(c, DEPTH));
        let mut body = String::new();
        for (component, value) in ["x", "y", "z", "w"].iter().zip(&expressions) {
            let _ = writeln!(body, "    o.{component} = {};", value.text(signed));
        }
        gives(&body, seed, kind, |inputs| {
            expressions.each_ref().map(|e| e.value(inputs, wrap) as u32)
        })
    });
}

#[test]
fn int_arithmetic_is_wide_arithmetic_wrapped() {
    integers(true);
}

#[test]
fn uint_arithmetic_is_wide_arithmetic_wrapped() {
    integers(false);
}

/// Conversions of the words of a vertex.
fn converts(kind: &str, body: &str, wanted: impl Fn(u32) -> u32) {
    for seed in 0..20 {
        let outcome = gives(body, seed, kind, |x| {
            [0, 1, 4, 7].map(|word| wanted(x[word]))
        });
        if let Err(error) = outcome {
            panic!("{error}");
        }
    }
}

#[test]
fn floats_become_integers_toward_zero_within_bounds() {
    converts(
        "float",
        "    o = asfloat(int4(f.x, f.y, g.x, g.w));\n",
        |x| exact::to_integer(x, i32::MIN.into(), i32::MAX.into()) as u32,
    );
    converts(
        "float",
        "    o = asfloat(uint4(f.x, f.y, g.x, g.w));\n",
        |x| exact::to_integer(x, 0, u32::MAX.into()) as u32,
    );
}

#[test]
fn integers_become_the_nearest_float() {
    converts("int", "    o = asint(float4(i.x, i.y, j.x, j.w));\n", |x| {
        exact::from_integer((x as i32).into())
    });
    converts(
        "uint",
        "    o = asuint(float4(u.x, u.y, v.x, v.w));\n",
        |x| exact::from_integer(x.into()),
    );
}
