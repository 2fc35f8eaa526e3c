//! A test's pipeline: its buffers with their data, where they are bound, what is compared.

use super::Stop;
use super::yaml::{self, Node};

/// What a test describes in YAML.
pub struct Pipeline {
    /// Name of the shader's function.
    pub entry: String,
    /// Groups of threads along x, y and z.
    pub groups: [u32; 3],
    /// All buffers, also those that only say what is expected.
    pub buffers: Vec<Buffer>,
    /// Which buffer is bound where.
    pub bindings: Vec<Binding>,
    /// Words of the push constants, in order of their offsets.
    pub push_constants: Vec<u32>,
    /// What is compared.
    pub results: Vec<Comparison>,
}

/// A buffer's data, as 32-bit words.
pub struct Buffer {
    pub name: String,
    pub format: Format,
    /// Bytes of an element.
    pub stride: u32,
    /// Resources of an array that the data is for.
    pub array_size: u32,
    pub words: Vec<u32>,
}

/// How a buffer's words are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Format {
    Float,
    Int,
    Uint,
    Hex,
}

/// Where a resource is bound.
pub struct Binding {
    /// Of the resource, which is also its buffer's.
    pub name: String,
    /// `t`, `u` or `b`.
    pub class: char,
    pub register: Option<(u32, u32)>,
}

/// Two buffers that must be alike.
pub struct Comparison {
    pub actual: String,
    pub expected: String,
    pub rule: Rule,
}

/// How alike.
pub enum Rule {
    /// Every bit.
    Exact,
    /// Floats so many units in the last place apart, or so near where one of them is about zero.
    Ulp(u32, f32),
    /// Floats nearer than this.
    Epsilon(f32),
}

impl Pipeline {
    /// Reads the YAML.
    pub fn read(text: &str) -> Result<Pipeline, Stop> {
        let root = yaml::read(text).map_err(|e| format!("pipeline: {e}"))?;
        let [shader] = root.list("Shaders") else {
            return Err(Stop::Outside("other stages than compute"));
        };
        let mut groups = [1; 3];
        let count = shader.get("DispatchSize").or(root
            .get("DispatchParameters")
            .and_then(|p| p.get("DispatchGroupCount")));
        for (group, number) in groups
            .iter_mut()
            .zip(count.map(Node::scalars).unwrap_or_default())
        {
            *group = number.parse().unwrap_or(1);
        }
        let resources = root
            .list("DescriptorSets")
            .iter()
            .flat_map(|set| set.list("Resources"));
        let settings = root.get("RuntimeSettings").and_then(|s| s.get("DirectX"));
        let roots = settings.map_or(&[][..], |s| s.list("RootParameters"));
        Ok(Pipeline {
            entry: shader.text("Entry").unwrap_or("main").to_owned(),
            groups,
            buffers: root
                .list("Buffers")
                .iter()
                .map(buffer)
                .collect::<Result<_, _>>()?,
            bindings: resources
                .filter_map(binding)
                .chain(roots.iter().filter_map(root_binding))
                .collect(),
            push_constants: push_constants(&root)?,
            results: root.list("Results").iter().filter_map(comparison).collect(),
        })
    }

    /// The number of the buffer bound to a register, or of the one that is called like the resource.
    pub fn index_of(&self, class: char, register: (u32, u32), name: &str) -> Option<usize> {
        let bound = |b: &&Binding| b.class == class && b.register == Some(register);
        let binding = self.bindings.iter().find(bound);
        let rooted = |b: &&Binding| b.class == class && b.register.is_none();
        let root = || {
            let named = self
                .bindings
                .iter()
                .find(|b| b.class == class && b.name == name);
            named.or(self.bindings.iter().find(rooted))
        };
        let name = binding.or_else(root)?.name.as_str();
        self.buffers.iter().position(|b| b.name == name)
    }

    /// The words bound to a constant buffer's register, of an array those of its element.
    pub fn constants(&self, register: u32, space: u32, name: &str) -> Option<&[u32]> {
        let array = |binding: &Binding| {
            let (first, in_space) = binding.register?;
            let buffer = self.buffers.iter().find(|b| b.name == binding.name)?;
            let element = register.checked_sub(first)? as usize;
            let fits = binding.class == 'b' && in_space == space;
            (fits && element < buffer.array_size as usize).then_some((buffer, element))
        };
        let (buffer, element) = match self.bindings.iter().find_map(array) {
            Some(found) => found,
            None => (
                &self.buffers[self.index_of('b', (register, space), name)?],
                0,
            ),
        };
        let words = buffer.words.len() / buffer.array_size as usize;
        buffer.words.get(element * words..(element + 1) * words)
    }
}

impl Format {
    fn of(name: &str) -> Option<Format> {
        Some(match name {
            "Float32" | "Depth32" => Format::Float,
            "Int32" => Format::Int,
            "UInt32" | "Uint32" | "Bool" => Format::Uint,
            "Hex32" => Format::Hex,
            _ => return None,
        })
    }

    /// The word that a number stands for.
    fn word(self, text: &str) -> Result<u32, Stop> {
        let wrong = || Stop::Failed(format!("not a number: {text}"));
        if self == Format::Float {
            return float(text).map(f32::to_bits).ok_or_else(wrong);
        }
        let digits = text.trim_start_matches(['-', '+']);
        let magnitude = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
            Some(hex) => i64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        let magnitude = magnitude.map_err(|_| wrong())?;
        Ok(if text.starts_with('-') {
            -magnitude as u32
        } else {
            magnitude as u32
        })
    }
}

/// A float in decimal or C's hexadecimal form.
fn float(text: &str) -> Option<f32> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.trim_start_matches('+')),
    };
    let value = match digits.to_ascii_lowercase().as_str() {
        "nan" | ".nan" => f32::NAN,
        "inf" | ".inf" => f32::INFINITY,
        lower => match lower.strip_prefix("0x") {
            Some(hex) => hexadecimal(hex)?,
            None => lower.trim_end_matches('f').parse().ok()?,
        },
    };
    Some(value * sign)
}

fn hexadecimal(text: &str) -> Option<f32> {
    let (mantissa, exponent) = text.split_once('p').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let bits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    // A double holds every such number that a test writes, so that only the last step rounds.
    let scale = exponent - 4 * fraction.len() as i32;
    Some((bits as f64 * 2f64.powi(scale)) as f32)
}

fn buffer(node: &Node) -> Result<Buffer, Stop> {
    let name = node.text("Name").unwrap_or_default().to_owned();
    let format = node.text("Format").unwrap_or_default();
    let Some(format) = Format::of(format) else {
        return Err(Stop::Outside("types that are not 32 bits wide"));
    };
    let array_size = node.number("ArraySize").unwrap_or(1).max(1);
    let words = match (node.get("Data"), node.number("FillSize")) {
        (Some(data), _) => data
            .scalars()
            .into_iter()
            .map(|n| format.word(n))
            .collect::<Result<_, _>>()?,
        (None, Some(bytes)) => {
            let fill = format.word(node.text("FillValue").unwrap_or("0"))?;
            vec![fill; (bytes / 4 * array_size) as usize]
        }
        (None, None) => Vec::new(),
    };
    let channels = node.number("Channels").unwrap_or(1);
    Ok(Buffer {
        name,
        format,
        stride: node.number("Stride").unwrap_or(channels * 4),
        array_size,
        words,
    })
}

fn binding(node: &Node) -> Option<Binding> {
    let kind = node.text("Kind")?;
    let register = node
        .get("DirectXBinding")
        .and_then(|b| Some((b.number("Register")?, b.number("Space").unwrap_or(0))));
    Some(Binding {
        name: node.text("Name")?.to_owned(),
        class: match kind {
            "ConstantBuffer" => 'b',
            _ if kind.starts_with("RW") => 'u',
            _ => 't',
        },
        register,
    })
}

/// A parameter of a root signature that is no table; its register stands in the shader's text only.
fn root_binding(node: &Node) -> Option<Binding> {
    match node.text("Kind")? {
        "Constant" => Some(Binding {
            name: node.text("Name")?.to_owned(),
            class: 'b',
            register: None,
        }),
        _ => binding(node.get("Resource")?),
    }
}

fn push_constants(root: &Node) -> Result<Vec<u32>, Stop> {
    let blocks = root.list("PushConstants").iter();
    let mut values: Vec<&Node> = blocks.flat_map(|block| block.list("Values")).collect();
    values.sort_by_key(|value| value.number("Offset"));
    let mut words = Vec::new();
    for value in values {
        let format = value.text("Format").and_then(Format::of);
        let format = format.ok_or(Stop::Outside("types that are not 32 bits wide"))?;
        for number in value.get("Data").map(Node::scalars).unwrap_or_default() {
            words.push(format.word(number)?);
        }
    }
    Ok(words)
}

fn comparison(node: &Node) -> Option<Comparison> {
    let decimal = |key| node.text(key).and_then(float);
    Some(Comparison {
        actual: node.text("Actual")?.to_owned(),
        expected: node.text("Expected")?.to_owned(),
        rule: match node.text("Rule")? {
            "BufferFloatULP" => Rule::Ulp(
                node.number("ULPT").unwrap_or(0),
                decimal("ZeroTolerance").unwrap_or(0.0),
            ),
            "BufferFloatEpsilon" => Rule::Epsilon(decimal("Epsilon").unwrap_or(0.0)),
            _ => Rule::Exact,
        },
    })
}
