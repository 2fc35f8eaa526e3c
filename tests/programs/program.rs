//! Random HLSL vertex shaders: statements and functions around random expressions.

use super::expression::{Expressions, Function, Kind, Place, Type};
use crate::random::{Choices, Element};
use Kind::{Bool, Float, Int, Uint};
use fuseline::Format;
use std::fmt::Write;

/// What every program has. The runner binds 60 words of constants: `ct` lies partly behind them and reads zero there.
const PRELUDE: &str = "\
cbuffer C : register(b0) {
    float4 cf[4]; int4 ci[3]; uint2 cu[2]; bool4 cb; float3x3 cm; float cs; int cn; uint cq; float2 ct[3];
};
struct S { float2 p; int q; bool r; };
struct Out { float4 p : SV_Position; float4 f : F; int4 i : I; uint4 u : U; float2 g : G; };
static float sf = 1.5;
static uint2 su = uint2(7, 0x80000000);
";

/// The inputs of a program's entry.
pub const INPUTS: [Element; 6] = [
    ("F", Format::R32G32B32A32_FLOAT, false),
    ("G", Format::R32G32B32A32_FLOAT, false),
    ("I", Format::R32G32B32A32_SINT, false),
    ("U", Format::R32G32B32A32_UINT, false),
    ("H", Format::R32G32B32A32_FLOAT, true),
    ("N", Format::R32G32B32A32_SINT, true),
];

const ENTRY: &str = "Out main(float4 f : F, float4 g : G, int4 i : I, uint4 u : U, float4 h : H, int4 n : N, \
                     uint vid : SV_VertexID, uint iid : SV_InstanceID) {\n    Out o = (Out)0;\n";

/// How deep statements and expressions nest.
const STATEMENT_DEPTH: usize = 3;
const EXPRESSION_DEPTH: usize = 4;

/// A function without a result.
struct Procedure {
    name: String,
    parameters: Vec<(Mode, Type)>,
}

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    In,
    Out,
    InOut,
}

/// The random program that the numbers say.
pub fn program(numbers: &[u16]) -> (String, &'static str) {
    let mut choices = Choices::new(numbers);
    let modern = choices.rarely(4);
    let mut writer = Writer {
        make: Expressions {
            choices,
            places: Vec::new(),
            arrays: Vec::new(),
            constants: Vec::new(),
            functions: Vec::new(),
            modern,
        },
        procedures: Vec::new(),
        text: PRELUDE.to_owned(),
        indent: 1,
        names: 0,
        flow: Flow::default(),
    };
    writer.globals();
    for _ in 0..writer.make.choices.below(3) {
        if writer.make.choices.rarely(2) {
            writer.procedure();
        } else {
            writer.function();
        }
    }
    writer.entry();
    (writer.text, if modern { "vs_6_0" } else { "vs_5_0" })
}

/// What may leave the statements that are being written.
#[derive(Clone, Default)]
struct Flow {
    /// Inside a loop or switch.
    breaks: bool,
    /// Inside a loop.
    continues: bool,
    /// Loops around.
    loops: usize,
    result: Returns,
}

/// What `return` gives.
#[derive(Clone, Copy, Default)]
enum Returns {
    #[default]
    Nothing,
    Value(Type),
    Entry,
}

struct Writer<'a> {
    make: Expressions<'a>,
    procedures: Vec<Procedure>,
    text: String,
    indent: usize,
    names: usize,
    flow: Flow,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", self.indent * 4);
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn place(&mut self, text: impl Into<String>, ty: Type, writable: bool) {
        let text = text.into();
        self.make.places.push(Place { text, ty, writable });
    }

    fn globals(&mut self) {
        for (name, ty) in [
            ("cs", Type::new(Float, 1)),
            ("cn", Type::new(Int, 1)),
            ("cq", Type::new(Uint, 1)),
            ("cb", Type::new(Bool, 4)),
            ("cm[1]", Type::new(Float, 3)),
        ] {
            self.place(name, ty, false);
        }
        self.place("sf", Type::new(Float, 1), true);
        self.place("su", Type::new(Uint, 2), true);
        self.make.constants = vec![
            ("cf".to_owned(), Type::new(Float, 4), 4),
            ("ci".to_owned(), Type::new(Int, 4), 3),
            ("cu".to_owned(), Type::new(Uint, 2), 2),
            ("ct".to_owned(), Type::new(Float, 2), 3),
        ];
    }

    fn any(&mut self, ty: Type) -> String {
        let depth = 1 + self.make.choices.below(EXPRESSION_DEPTH);
        self.make.expression(ty, depth)
    }

    /// A body with its own scope.
    fn scoped(&mut self, write: impl FnOnce(&mut Self)) {
        let (places, arrays) = (self.make.places.len(), self.make.arrays.len());
        let flow = self.flow.clone();
        write(self);
        self.flow = flow;
        self.make.places.truncate(places);
        self.make.arrays.truncate(arrays);
    }

    fn block(&mut self, head: &str, depth: usize) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        self.scoped(|w| w.statements(depth));
        self.indent -= 1;
        self.line("}");
    }

    fn function(&mut self) {
        let name = self.name("fn");
        let result = self.make.any_type();
        let parameters: Vec<Type> = (0..1 + self.make.choices.below(2))
            .map(|_| self.make.any_type())
            .collect();
        let list: Vec<String> = parameters
            .iter()
            .enumerate()
            .map(|(i, ty)| format!("{ty} a{i}"))
            .collect();
        let _ = writeln!(self.text, "{result} {name}({}) {{", list.join(", "));
        self.scoped(|w| {
            for (i, ty) in parameters.iter().enumerate() {
                w.place(format!("a{i}"), *ty, true);
            }
            w.flow.result = Returns::Value(result);
            w.statements(STATEMENT_DEPTH - 1);
            w.give_back();
        });
        self.text.push_str("}\n");
        self.make.functions.push(Function {
            name,
            result,
            parameters,
        });
    }

    fn procedure(&mut self) {
        let name = self.name("pr");
        let parameters: Vec<(Mode, Type)> = (0..1 + self.make.choices.below(3))
            .map(|_| {
                let mode = self.make.choices.of(&[Mode::InOut, Mode::Out, Mode::In]);
                (mode, self.make.any_type())
            })
            .collect();
        let list: Vec<String> = parameters
            .iter()
            .enumerate()
            .map(|(i, (mode, ty))| match mode {
                Mode::In => format!("{ty} a{i}"),
                Mode::Out => format!("out {ty} a{i}"),
                Mode::InOut => format!("inout {ty} a{i}"),
            })
            .collect();
        let _ = writeln!(self.text, "void {name}({}) {{", list.join(", "));
        self.scoped(|w| {
            for (i, (mode, ty)) in parameters.iter().enumerate() {
                if *mode == Mode::Out {
                    let value = w.any(*ty);
                    w.line(&format!("a{i} = {value};"));
                }
                w.place(format!("a{i}"), *ty, true);
            }
            w.statements(STATEMENT_DEPTH - 1);
        });
        self.text.push_str("}\n");
        self.procedures.push(Procedure { name, parameters });
    }

    fn entry(&mut self) {
        self.text.push_str(ENTRY);
        for (name, ty) in [
            ("f", Type::new(Float, 4)),
            ("g", Type::new(Float, 4)),
            ("i", Type::new(Int, 4)),
            ("u", Type::new(Uint, 4)),
            ("h", Type::new(Float, 4)),
            ("n", Type::new(Int, 4)),
            ("vid", Type::new(Uint, 1)),
            ("iid", Type::new(Uint, 1)),
        ] {
            self.place(name, ty, matches!(name, "g" | "u"));
        }
        for (name, ty) in outputs() {
            self.place(name, ty, true);
        }
        self.flow.result = Returns::Entry;
        self.statements(STATEMENT_DEPTH);
        for (name, ty) in outputs() {
            if !self.make.choices.rarely(3) {
                let value = self.any(ty);
                self.line(&format!("{name} = {value};"));
            }
        }
        self.line("return o;");
        self.text.push_str("}\n");
    }

    fn statements(&mut self, depth: usize) {
        let most = if depth == STATEMENT_DEPTH { 8 } else { 4 };
        for _ in 0..self.make.choices.below(most) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.make.choices.below(18) {
            0 | 1 => self.assign(),
            2 | 3 => self.variable(),
            4 => self.array(),
            5 => self.element(),
            6 => self.aggregate(),
            7 => self.leave(),
            8 => self.procedure_call(),
            9 => self.intrinsic_with_out(),
            10 => self.step(),
            _ if depth == 0 => self.assign(),
            11..=13 => self.branch(depth - 1),
            14 => self.switch(depth - 1),
            _ if self.flow.loops == 2 => self.branch(depth - 1),
            15 | 16 => self.for_loop(depth - 1),
            _ => self.while_loop(depth - 1),
        }
    }

    /// Something writable that passes the filter.
    fn target(&mut self, fits: impl Fn(Type) -> bool) -> Option<Place> {
        let targets: Vec<Place> = self
            .make
            .places
            .iter()
            .filter(|p| p.writable && fits(p.ty))
            .cloned()
            .collect();
        (!targets.is_empty()).then(|| targets[self.make.choices.below(targets.len())].clone())
    }

    fn assign(&mut self) {
        let Some(Place {
            mut text, mut ty, ..
        }) = self.target(|_| true)
        else {
            return;
        };
        if ty.width > 1 && !text.contains('_') && self.make.choices.rarely(3) {
            let masks: &[&str] = match ty.width {
                2 => &["x", "y", "yx"],
                3 => &["z", "xz", "zxy"],
                _ => &["w", "yz", "wx", "zyx", "wzyx"],
            };
            let mask = self.make.choices.of(masks);
            text = format!("{text}.{mask}");
            ty.width = mask.len();
        }
        let operators: &[&str] = match ty.kind {
            Float => &["=", "+=", "*=", "-="],
            Int | Uint => &["=", "+=", "^=", "*=", "-=", "<<=", "|="],
            Bool => &["="],
        };
        let operator = self.make.choices.of(operators);
        let value = self.any(ty);
        self.line(&format!("{text} {operator} {value};"));
    }

    fn variable(&mut self) {
        let ty = self.make.any_type();
        let name = self.name("v");
        match self.make.choices.below(8) {
            7 => self.line(&format!("{ty} {name};")),
            choice => {
                let value = self.any(ty);
                // One `precise` and nothing in the shader is fused.
                let precise = ty.kind == Float && self.make.choices.rarely(12);
                let qualifier = match choice {
                    6 => "const ",
                    _ if precise => "precise ",
                    _ => "",
                };
                self.line(&format!("{qualifier}{ty} {name} = {value};"));
                self.place(&name, ty, choice != 6);
                self.component(&name, ty);
                return;
            }
        }
        self.place(name, ty, true);
    }

    /// Sometimes a component by a dynamic index is a place of its own.
    fn component(&mut self, name: &str, ty: Type) {
        if ty.width > 1 && self.make.choices.rarely(3) {
            let index = self.make.index(ty.width);
            self.place(format!("{name}[{index}]"), Type { width: 1, ..ty }, false);
        }
    }

    fn array(&mut self) {
        let ty = self.make.any_type();
        let name = self.name("a");
        let length = 2 + self.make.choices.below(4);
        let values: Vec<String> = (0..length).map(|_| self.make.expression(ty, 2)).collect();
        self.line(&format!(
            "{ty} {name}_[{length}] = {{ {} }};",
            values.join(", ")
        ));
        self.make.arrays.push((name + "_", ty, length));
    }

    fn element(&mut self) {
        if self.make.arrays.is_empty() {
            return self.array();
        }
        let at = self.make.choices.below(self.make.arrays.len());
        let (name, ty, length) = self.make.arrays[at].clone();
        let index = self.make.index(length);
        let value = self.any(ty);
        self.line(&format!("{name}[{index}] = {value};"));
    }

    /// A struct or a matrix.
    fn aggregate(&mut self) {
        if self.make.choices.rarely(2) {
            let name = self.name("m");
            let rows: Vec<String> = (0..3)
                .map(|_| self.make.expression(Type::new(Float, 3), 2))
                .collect();
            self.line(&format!("float3x3 {name} = float3x3({});", rows.join(", ")));
            let index = self.make.index(3);
            self.place(format!("{name}[{index}]"), Type::new(Float, 3), true);
            self.place(format!("{name}._m02_m11"), Type::new(Float, 2), true);
        } else {
            let name = self.name("s");
            let p = self.make.expression(Type::new(Float, 2), 2);
            let q = self.make.expression(Type::new(Int, 1), 2);
            self.line(&format!("S {name} = {{ {p}, {q}, true }};"));
            self.place(format!("{name}.p"), Type::new(Float, 2), true);
            self.place(format!("{name}.q"), Type::new(Int, 1), true);
            self.place(format!("{name}.r"), Type::new(Bool, 1), true);
        }
    }

    /// `break`, `continue` or `return`, on a condition.
    fn leave(&mut self) {
        let condition = self.any(Type::new(Bool, 1));
        match self.make.choices.below(3) {
            0 if self.flow.breaks => self.line(&format!("if ({condition}) break;")),
            1 if self.flow.continues => self.line(&format!("if ({condition}) continue;")),
            _ => {
                self.line(&format!("if ({condition})"));
                self.indent += 1;
                self.give_back();
                self.indent -= 1;
            }
        }
    }

    fn give_back(&mut self) {
        let text = match self.flow.result {
            Returns::Nothing => "return;".to_owned(),
            Returns::Entry => "return o;".to_owned(),
            Returns::Value(ty) => format!("return {};", self.any(ty)),
        };
        self.line(&text);
    }

    fn procedure_call(&mut self) {
        if self.procedures.is_empty() {
            return self.assign();
        }
        let at = self.make.choices.below(self.procedures.len());
        let name = self.procedures[at].name.clone();
        let parameters = self.procedures[at].parameters.clone();
        let mut arguments = Vec::new();
        for (mode, ty) in parameters {
            let argument = match mode {
                Mode::In => self.any(ty),
                _ => match self.target(|t| t.width == ty.width) {
                    Some(place) => place.text,
                    None => return self.assign(),
                },
            };
            arguments.push(argument);
        }
        self.line(&format!("{name}({});", arguments.join(", ")));
    }

    fn intrinsic_with_out(&mut self) {
        let Some(first) = self.target(|t| t.kind == Float) else {
            return;
        };
        let Some(second) = self.target(|t| t == first.ty) else {
            return;
        };
        let value = self.any(first.ty);
        let (first, second) = (first.text, second.text);
        let call = match self.make.choices.below(3) {
            0 => format!("{first} = modf({value}, {second});"),
            1 => format!("{first} = frexp({value}, {second});"),
            _ => format!("sincos({value}, {first}, {second});"),
        };
        self.line(&call);
    }

    fn step(&mut self) {
        if let Some(place) = self.target(|t| t.kind != Bool) {
            let form = self.make.choices.of(&["++", "--"]);
            self.line(&format!("{}{form};", place.text));
        }
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.any(Type::new(Bool, 1));
        let hint = self.make.choices.of(&["", "[branch] ", "[flatten] "]);
        self.block(&format!("{hint}if ({condition})"), depth);
        if self.make.choices.rarely(2) {
            self.block("else", depth);
        }
    }

    fn switch(&mut self, depth: usize) {
        let kind = self.make.choices.of(&[Int, Uint]);
        let selector = self.any(Type::new(kind, 1));
        self.line(&format!("switch ({selector} & 3) {{"));
        self.scoped(|w| {
            w.flow.breaks = true;
            for labels in ["case 1:", "case 0: case 3:", "default:"] {
                if w.make.choices.rarely(4) {
                    continue;
                }
                w.block(labels, depth);
                w.line("    break;");
            }
            w.line("case 2: break;");
        });
        self.line("}");
    }

    /// The body of a loop, in which the counter can be read.
    fn body(&mut self, head: &str, counter: &str, first: &str, depth: usize) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        if !first.is_empty() {
            self.line(first);
        }
        self.scoped(|w| {
            w.flow.breaks = true;
            w.flow.continues = true;
            w.flow.loops += 1;
            w.place(counter, Type::new(Int, 1), false);
            w.statements(depth);
        });
        self.indent -= 1;
    }

    fn for_loop(&mut self, depth: usize) {
        let counter = self.name("k");
        let bound = match self.make.choices.below(2) {
            0 => (1 + self.make.choices.below(5)).to_string(),
            _ => format!("({} & 7)", self.any(Type::new(Int, 1))),
        };
        let hint = self.make.choices.of(&["", "[loop] ", "[unroll] "]);
        let head = format!("{hint}for (int {counter} = 0; {counter} < {bound}; {counter}++)");
        self.body(&head, &counter, "", depth);
        self.line("}");
    }

    fn while_loop(&mut self, depth: usize) {
        let counter = self.name("w");
        let start = self.any(Type::new(Int, 1));
        self.line(&format!("int {counter} = {start} & 7;"));
        let condition = self.any(Type::new(Bool, 1));
        let connective = self.make.choices.of(&["&&", "||"]);
        let go_on = match connective {
            "&&" => format!("{counter} > 0 && {condition}"),
            _ => format!("{counter} > 3 || ({condition} && {counter} > 0)"),
        };
        let first = format!("{counter}--;");
        if self.make.choices.rarely(2) {
            self.body("do", &counter, &first, depth);
            self.line(&format!("}} while ({go_on});"));
        } else {
            self.body(&format!("while ({go_on})"), &counter, &first, depth);
            self.line("}");
        }
    }
}

fn outputs() -> [(&'static str, Type); 5] {
    [
        ("o.f", Type::new(Float, 4)),
        ("o.i", Type::new(Int, 4)),
        ("o.u", Type::new(Uint, 4)),
        ("o.g", Type::new(Float, 2)),
        ("o.p", Type::new(Float, 4)),
    ]
}
