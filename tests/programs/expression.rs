//! Random HLSL expressions of a wanted type.

use crate::random::Choices;

/// A component type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Float,
    Int,
    Uint,
    Bool,
}

use Kind::{Bool, Float, Int, Uint};

/// A scalar (one component) or vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    pub kind: Kind,
    pub width: usize,
}

impl Type {
    pub const fn new(kind: Kind, width: usize) -> Type {
        Type { kind, width }
    }

    fn of_kind(self, kind: Kind) -> Type {
        Type { kind, ..self }
    }

    fn of_width(self, width: usize) -> Type {
        Type { width, ..self }
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self.kind {
            Float => "float",
            Int => "int",
            Uint => "uint",
            Bool => "bool",
        };
        match self.width {
            1 => f.write_str(name),
            width => write!(f, "{name}{width}"),
        }
    }
}

/// Something with a name that can be read, and perhaps written.
#[derive(Clone, Debug)]
pub struct Place {
    pub text: String,
    pub ty: Type,
    pub writable: bool,
}

/// A function that takes values and gives one.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub result: Type,
    pub parameters: Vec<Type>,
}

/// Makes expressions from what is in scope.
pub struct Expressions<'a> {
    pub choices: Choices<'a>,
    pub places: Vec<Place>,
    /// Local arrays: name, element type, length.
    pub arrays: Vec<(String, Type, usize)>,
    /// Arrays in the constant buffer: name, element type, length.
    pub constants: Vec<(String, Type, usize)>,
    pub functions: Vec<Function>,
    /// HLSL 2021: `&&`, `||`, `?:` on scalars only.
    pub modern: bool,
}

const UNARY: [&str; 26] = [
    "abs", "floor", "ceil", "trunc", "round", "frac", "saturate", "sqrt", "rsqrt", "rcp", "sin",
    "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "log", "log2",
    "log10", "degrees", "radians",
];
const BINARY: [&str; 7] = ["min", "max", "pow", "fmod", "atan2", "step", "ldexp"];
const TERNARY: [&str; 4] = ["clamp", "lerp", "mad", "smoothstep"];
const FLOATS: [&str; 18] = [
    "0.0",
    "1.0",
    "-1.0",
    "0.5",
    "2.0",
    "3.0",
    "-0.0",
    "0.1",
    "1e-40",
    "3.4e38",
    "16777217.0",
    "1.1754944e-38",
    "5e-20",
    "1e30",
    "2147483648.0",
    "1.5",
    "asfloat(0x7F800001u)",
    "(1.0/0.0)",
];
const INTS: [&str; 12] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "31",
    "-2147483647",
    "2147483647",
    "32",
    "65535",
    "0x55555555",
    "-3",
];
const UINTS: [&str; 9] = [
    "0u",
    "1u",
    "0xFFFFFFFFu",
    "0x80000000u",
    "3u",
    "31u",
    "33u",
    "0xFFFFu",
    "0x7F800000u",
];

impl Expressions<'_> {
    /// A type, scalars and four components more often.
    pub fn any_type(&mut self) -> Type {
        let kind = self.choices.of(&[Float, Int, Float, Uint, Bool]);
        Type::new(kind, self.choices.of(&[1, 4, 1, 2, 3]))
    }

    /// An expression of the type, in parentheses where it needs them.
    pub fn expression(&mut self, ty: Type, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        match self.choices.below(16) {
            0 | 1 => self.leaf(ty),
            2 => self.construct(ty, depth),
            3 => self.swizzle(ty, depth),
            4 => self.conditional(ty, depth),
            5 => self.cast(ty, depth),
            6 => self.call(ty, depth),
            _ => match ty.kind {
                Float => self.float(ty, depth),
                Int | Uint => self.integer(ty, depth),
                Bool => self.truth(ty, depth),
            },
        }
    }

    fn operands(&mut self, ty: Type, count: usize, depth: usize) -> Vec<String> {
        (0..count).map(|_| self.expression(ty, depth - 1)).collect()
    }

    fn apply(&mut self, name: &str, ty: Type, count: usize, depth: usize) -> String {
        format!("{name}({})", self.operands(ty, count, depth).join(", "))
    }

    fn infix(&mut self, operator: &str, ty: Type, depth: usize) -> String {
        let left = self.expression(ty, depth - 1);
        let right = self.expression(ty, depth - 1);
        format!("({left} {operator} {right})")
    }

    /// A name, part of one, an element of an array, or a literal.
    fn leaf(&mut self, ty: Type) -> String {
        let fitting: Vec<String> = self
            .places
            .iter()
            .filter(|p| p.ty.kind == ty.kind && p.ty.width >= ty.width)
            .map(|p| p.text.clone() + &first_components(p.ty.width, ty.width))
            .collect();
        let arrays: Vec<(String, Type, usize)> = [&self.arrays[..], &self.constants[..]]
            .concat()
            .into_iter()
            .filter(|a| a.1.kind == ty.kind && a.1.width >= ty.width)
            .collect();
        match self.choices.below(6) {
            5 if !arrays.is_empty() => {
                let array = &arrays[self.choices.below(arrays.len())];
                let index = self.index(array.2);
                format!(
                    "{}[{index}]{}",
                    array.0,
                    first_components(array.1.width, ty.width)
                )
            }
            1..=4 if !fitting.is_empty() => fitting[self.choices.below(fitting.len())].clone(),
            _ => self.literal(ty),
        }
    }

    /// Mostly within an array, sometimes anywhere.
    pub fn index(&mut self, length: usize) -> String {
        match self.choices.below(4) {
            0 => self.choices.below(length).to_string(),
            3 => self.leaf_of_place(Type::new(Int, 1)),
            _ => {
                let index = self.leaf_of_place(Type::new(Uint, 1));
                format!("{index} % {length}u")
            }
        }
    }

    /// A leaf that is no literal, since a literal index out of range is refused.
    fn leaf_of_place(&mut self, ty: Type) -> String {
        let fitting: Vec<&Place> = self
            .places
            .iter()
            .filter(|p| p.ty.kind == ty.kind && p.ty.width >= ty.width)
            .collect();
        let place = fitting[self.choices.below(fitting.len())];
        place.text.clone() + &first_components(place.ty.width, ty.width)
    }

    fn literal(&mut self, ty: Type) -> String {
        let scalars: Vec<&str> = (0..ty.width)
            .map(|_| match ty.kind {
                Float => self.choices.of(&FLOATS),
                Int => self.choices.of(&INTS),
                Uint => self.choices.of(&UINTS),
                Bool => self.choices.of(&["false", "true"]),
            })
            .collect();
        match ty.width {
            1 => format!("({})", scalars[0]),
            _ => format!("{ty}({})", scalars.join(", ")),
        }
    }

    fn construct(&mut self, ty: Type, depth: usize) -> String {
        if ty.width == 1 {
            return self.leaf(ty);
        }
        let left = 1 + self.choices.below(ty.width - 1);
        let first = self.expression(ty.of_width(left), depth - 1);
        let second = self.expression(ty.of_width(ty.width - left), depth - 1);
        format!("{ty}({first}, {second})")
    }

    fn swizzle(&mut self, ty: Type, depth: usize) -> String {
        let from = 2 + self.choices.below(3);
        let vector = self.expression(ty.of_width(from), depth - 1);
        let letters: String = (0..ty.width)
            .map(|_| char::from(b"xyzw"[self.choices.below(from)]))
            .collect();
        if self.choices.rarely(3) && ty.width == 1 {
            let index = self.leaf_of_place(Type::new(Uint, 1));
            return format!("({vector})[{index} & 3u]");
        }
        format!("({vector}).{letters}")
    }

    fn conditional(&mut self, ty: Type, depth: usize) -> String {
        let mask = if self.choices.rarely(2) { ty.width } else { 1 };
        let condition = self.expression(Type::new(Bool, mask), depth - 1);
        let sides = self.operands(ty, 2, depth);
        if mask > 1 && self.modern {
            format!("select({condition}, {}, {})", sides[0], sides[1])
        } else {
            format!("({condition} ? {} : {})", sides[0], sides[1])
        }
    }

    fn cast(&mut self, ty: Type, depth: usize) -> String {
        let kind = self.choices.of(&[Float, Int, Uint, Bool]);
        let value = self.expression(ty.of_kind(kind), depth - 1);
        match (self.choices.below(3), ty.kind, kind) {
            (1, Float, Int | Uint) => format!("asfloat({value})"),
            (1, Int, Float | Uint) => format!("asint({value})"),
            (1, Uint, Float | Int) => format!("asuint({value})"),
            (2, ..) if ty.width > 1 => {
                format!("({ty}){}", self.expression(Type::new(kind, 1), depth - 1))
            }
            _ => format!("({ty}){value}"),
        }
    }

    fn call(&mut self, ty: Type, depth: usize) -> String {
        let fitting: Vec<Function> = self
            .functions
            .iter()
            .filter(|f| f.result == ty)
            .cloned()
            .collect();
        if fitting.is_empty() {
            return self.leaf(ty);
        }
        let function = &fitting[self.choices.below(fitting.len())];
        let arguments: Vec<String> = function
            .parameters
            .iter()
            .map(|p| self.expression(*p, depth - 1))
            .collect();
        format!("{}({})", function.name, arguments.join(", "))
    }

    fn float(&mut self, ty: Type, depth: usize) -> String {
        match self.choices.below(14) {
            0..=3 => {
                let operator = self.choices.of(&["+", "*", "-", "/", "+", "*", "-", "%"]);
                self.infix(operator, ty, depth)
            }
            4 => format!("(-{})", self.expression(ty, depth - 1)),
            5 => format!(
                "({} + {})",
                self.infix("*", ty, depth),
                self.infix("*", ty, depth)
            ),
            6 | 7 => {
                let name = self.choices.of(&UNARY);
                self.apply(name, ty, 1, depth)
            }
            8 => {
                let name = self.choices.of(&BINARY);
                self.apply(name, ty, 2, depth)
            }
            9 => {
                let name = self.choices.of(&TERNARY);
                self.apply(name, ty, 3, depth)
            }
            10 => format!("f16tof32({})", self.expression(ty.of_kind(Uint), depth - 1)),
            11 => {
                let exponent = self.choices.of(&["2", "0", "3", "-1", "7", "0.5"]);
                format!("pow({}, {exponent})", self.expression(ty, depth - 1))
            }
            _ if ty.width == 1 => self.reduced_float(depth),
            _ => self.float_vector(ty, depth),
        }
    }

    /// A scalar that vectors or matrices give.
    fn reduced_float(&mut self, depth: usize) -> String {
        let ty = Type::new(Float, 2 + self.choices.below(3));
        match self.choices.below(5) {
            0 => self.apply("dot", ty, 2, depth),
            1 => self.apply("length", ty, 1, depth),
            2 => self.apply("distance", ty, 2, depth),
            3 => self.apply("determinant(float3x3", Type::new(Float, 3), 3, depth) + ")",
            _ => self.apply("determinant(float2x2", Type::new(Float, 2), 2, depth) + ")",
        }
    }

    fn float_vector(&mut self, ty: Type, depth: usize) -> String {
        match self.choices.below(6) {
            0 => self.apply("normalize", ty, 1, depth),
            1 => self.apply("reflect", ty, 2, depth),
            2 => self.apply("faceforward", ty, 3, depth),
            3 if ty.width == 3 => self.apply("cross", ty, 2, depth),
            3 if ty.width == 4 => self.apply("lit", Type::new(Float, 1), 3, depth),
            4 if ty.width == 3 => format!("mul({}, cm)", self.expression(ty, depth - 1)),
            5 if ty.width == 3 => format!("mul(cm, {})", self.expression(ty, depth - 1)),
            _ => {
                let vectors = self.operands(ty, 2, depth).join(", ");
                format!(
                    "refract({vectors}, {})",
                    self.expression(Type::new(Float, 1), depth - 1)
                )
            }
        }
    }

    fn integer(&mut self, ty: Type, depth: usize) -> String {
        let unsigned = ty.of_kind(Uint);
        match (self.choices.below(12), ty.kind) {
            (0..=4, _) => {
                let operators = ["+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%"];
                let operator = self.choices.of(&operators);
                if matches!(operator, "/" | "%") {
                    // A literal zero as divisor may be refused.
                    let dividend = self.expression(ty, depth - 1);
                    return format!("({dividend} {operator} {})", self.leaf_vector(ty));
                }
                self.infix(operator, ty, depth)
            }
            (5, _) => format!("(~{})", self.expression(ty, depth - 1)),
            (6, Int) => format!("(-{})", self.expression(ty, depth - 1)),
            (7, _) => {
                let name = self.choices.of(&["min", "max"]);
                self.apply(name, ty, 2, depth)
            }
            (8, _) => {
                let name = self.choices.of(&["clamp", "mad"]);
                self.apply(name, ty, 3, depth)
            }
            (9, Int) => {
                let kind = self.choices.of(&[Float, Int, Uint]);
                self.apply("sign", ty.of_kind(kind), 1, depth)
            }
            (9, _) => self.apply("f32tof16", ty.of_kind(Float), 1, depth),
            (10, Int) => self.apply("abs", ty, 1, depth),
            (10, _) => {
                let name = self.choices.of(&["countbits", "firstbitlow"]);
                self.apply(name, unsigned, 1, depth)
            }
            (11, _) if ty.width == 1 => {
                let width = 2 + self.choices.below(3);
                self.apply("dot", ty.of_width(width), 2, depth)
            }
            _ => {
                let name = self.choices.of(&["firstbithigh", "reversebits"]);
                self.apply(name, ty, 1, depth)
            }
        }
    }

    /// A value that is no literal, made wide.
    fn leaf_vector(&mut self, ty: Type) -> String {
        let scalar = self.leaf_of_place(ty.of_width(1));
        format!("({ty}){scalar}")
    }

    fn truth(&mut self, ty: Type, depth: usize) -> String {
        match self.choices.below(8) {
            0..=3 => {
                let kind = self.choices.of(&[Float, Int, Uint, Bool]);
                let operators: &[&str] = match kind {
                    Bool => &["==", "!="],
                    _ => &["<", "<=", "==", "!=", ">", ">="],
                };
                let operator = self.choices.of(operators);
                self.infix(operator, ty.of_kind(kind), depth)
            }
            4 => format!("(!{})", self.expression(ty, depth - 1)),
            5 if ty.width == 1 => {
                let name = self.choices.of(&["any", "all"]);
                let of = self.any_type();
                self.apply(name, of, 1, depth)
            }
            5 | 6 => {
                let name = self.choices.of(&["isnan", "isinf", "isfinite"]);
                self.apply(name, ty.of_kind(Float), 1, depth)
            }
            _ if ty.width > 1 && self.modern => {
                let name = self.choices.of(&["and", "or"]);
                self.apply(name, ty, 2, depth)
            }
            _ => {
                let operator = self.choices.of(&["&&", "||"]);
                self.infix(operator, ty, depth)
            }
        }
    }
}

/// The swizzle that takes the first components, nothing where all are wanted.
fn first_components(of: usize, wanted: usize) -> String {
    if of == wanted {
        String::new()
    } else {
        format!(".{}", &"xyzw"[..wanted])
    }
}
