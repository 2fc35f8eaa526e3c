//! Random shaders over hard operands: JIT and interpreter give the same bits.
//!
//! `PROPTEST_CASES` raises the number of programs, `PROPTEST_RNG_SEED` makes other ones.

mod programs;
mod random;

use fuseline::{Engine, Results, compare};
use programs::{
    expression::{Expressions, Kind, Place, Type},
    program::{INPUTS, program},
};
use proptest::prelude::*;
use random::{Choices, Setting, Shader, Words, passes};

/// Draws by both engines; the first difference, together with the shader.
fn engines_agree(text: &str, profile: &str, seed: u64) -> Result<(), TestCaseError> {
    let setting = Setting::of(seed);
    let fail = |why: String| {
        TestCaseError::fail(format!(
            "{why}\n{profile}, data {seed}, {setting:?}:\n{text}"
        ))
    };
    let shader = Shader::new(text, profile, &INPUTS, &setting, Words::new(seed)).map_err(fail)?;
    let outcome = |engine| -> Result<Results, String> { shader.draw(engine) };
    match (outcome(Engine::Jit), outcome(Engine::Interpreter)) {
        (Ok(jit), Ok(interpreter)) => match compare(&jit, &interpreter) {
            None => Ok(()),
            Some(place) => Err(fail(format!("{place} (the JIT's first)"))),
        },
        (Err(jit), Err(interpreter)) if jit == interpreter => Ok(()),
        (jit, interpreter) => {
            let [jit, interpreter] = [jit, interpreter].map(|r| r.map(|_| "results"));
            Err(fail(format!("JIT: {jit:?}; interpreter: {interpreter:?}")))
        }
    }
}

#[test]
fn random_programs_give_the_same_bits_on_both_engines() {
    let numbers = prop::collection::vec(any::<u16>(), 0..700);
    passes(192, &(numbers, any::<u64>()), |(numbers, seed)| {
        let (text, profile) = program(&numbers);
        engines_agree(&text, profile, seed)
    });
}

/// One large expression of each output's type, of inputs and constants alone.
fn expressions(numbers: &[u16]) -> String {
    let places = [
        ("f", Kind::Float, 4),
        ("g", Kind::Float, 4),
        ("h", Kind::Float, 4),
        ("i", Kind::Int, 4),
        ("n", Kind::Int, 4),
        ("u", Kind::Uint, 4),
        ("vid", Kind::Uint, 1),
        ("cb", Kind::Bool, 4),
    ];
    let place = |(text, kind, width): (&str, Kind, usize)| Place {
        text: text.to_owned(),
        ty: Type::new(kind, width),
        writable: false,
    };
    let mut make = Expressions {
        choices: Choices::new(numbers),
        places: places.map(place).to_vec(),
        arrays: Vec::new(),
        constants: vec![("cf".to_owned(), Type::new(Kind::Float, 4), 4)],
        functions: Vec::new(),
        modern: false,
    };
    let float = make.expression(Type::new(Kind::Float, 4), 5);
    let int = make.expression(Type::new(Kind::Int, 4), 5);
    let uint = make.expression(Type::new(Kind::Uint, 4), 5);
    format!(
        "cbuffer C : register(b0) {{ float4 cf[4]; float3x3 cm; bool4 cb; }};
void main(float4 f : F, float4 g : G, int4 i : I, uint4 u : U, float4 h : H, int4 n : N, uint vid : SV_VertexID,
    out float4 a : A, out int4 b : B, out uint4 c : C) {{
    a = {float};
    b = {int};
    c = {uint};
}}
"
    )
}

#[test]
fn random_expressions_give_the_same_bits_on_both_engines() {
    let numbers = prop::collection::vec(any::<u16>(), 0..300);
    passes(256, &(numbers, any::<u64>()), |(numbers, seed)| {
        engines_agree(&expressions(&numbers), "vs_5_0", seed)
    });
}
