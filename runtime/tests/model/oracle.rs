//! What a draw must give, written straight from the specification (input-assembler.md, primitive-topology.md,
//! system-values.md): nothing here is the product's but the names of formats.

/// A layout element.
#[derive(Clone, Debug)]
pub struct Element {
    pub format: &'static str,
    pub slot: u32,
    pub offset: u32,
    /// Per-instance data: the step rate.
    pub step_rate: Option<u32>,
}

/// A vertex buffer binding.
#[derive(Clone, Debug)]
pub struct Binding {
    pub bytes: Vec<u8>,
    pub offset: u32,
    pub stride: u32,
}

/// An index buffer binding.
#[derive(Clone, Debug)]
pub struct Indices {
    pub bytes: Vec<u8>,
    pub offset: u32,
    pub wide: bool,
}

/// Arguments of `DrawInstanced` or `DrawIndexedInstanced`.
#[derive(Clone, Debug)]
pub struct Arguments {
    pub indexed: bool,
    pub count: u32,
    pub instances: u32,
    pub start: u32,
    pub base_vertex: i32,
    pub start_instance: u32,
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub view: u32,
    pub instance: u32,
    pub vertex_id: u32,
    pub start_vertex: u32,
    pub start_instance: u32,
    /// Decoded elements, in the order of the layout.
    pub elements: Vec<[u32; 4]>,
}

/// How the components of a format lie: name, bits of each in memory order (None: absent), and what they become.
enum Kind {
    Float,
    Uint,
    Sint,
    Unorm,
    Snorm,
}

/// Bit positions and widths of R, G, B, A, from the name alone (FS 19.1.3.1: the component named first is in the least
/// significant bits), and their kind.
fn parse(format: &str) -> (Vec<(char, u32, u32)>, Kind) {
    let (fields, kind) = format.split_once('_').expect("NAME_KIND");
    let kind = match kind {
        "FLOAT" => Kind::Float,
        "UINT" => Kind::Uint,
        "SINT" => Kind::Sint,
        "UNORM" => Kind::Unorm,
        "SNORM" => Kind::Snorm,
        other => panic!("no such kind: {other}"),
    };
    let mut out = Vec::new();
    let mut position = 0;
    let mut rest = fields;
    while let Some(name) = rest.chars().next() {
        rest = &rest[1..];
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let width: u32 = rest[..digits].parse().expect("a width");
        rest = &rest[digits..];
        out.push((name, position, width));
        position += width;
    }
    (out, kind)
}

/// Bytes of an element.
pub fn size(format: &str) -> u32 {
    parse(format)
        .0
        .iter()
        .map(|(_, _, width)| width)
        .sum::<u32>()
        / 8
}

/// input-assembler.md section 5. `bytes`: the element, or None out of bounds.
fn decode(format: &str, bytes: Option<&[u8]>) -> [u32; 4] {
    let (fields, kind) = parse(format);
    let one = match kind {
        Kind::Uint | Kind::Sint => 1,
        _ => 1.0f32.to_bits(),
    };
    let mut out = [0, 0, 0, one];
    for (name, position, width) in fields {
        let component = match name {
            'R' => 0,
            'G' => 1,
            'B' => 2,
            'A' => 3,
            _ => continue,
        };
        let mut code: u64 = 0;
        for bit in 0..width {
            let at = position + bit;
            let set = bytes.is_some_and(|b| b[at as usize / 8] >> (at % 8) & 1 != 0);
            code |= u64::from(set) << bit;
        }
        let most = (1u64 << width) - 1;
        let signed = ((code << (64 - width)) as i64) >> (64 - width);
        out[component] = match kind {
            Kind::Uint => code as u32,
            Kind::Sint => signed as i32 as u32,
            Kind::Unorm => ((code as f64 / most as f64) as f32).to_bits(),
            Kind::Snorm => {
                let greatest = (1i64 << (width - 1)) - 1;
                ((signed.max(-greatest) as f64 / greatest as f64) as f32).to_bits()
            }
            Kind::Float => float(code, width),
        };
    }
    out
}

/// FS 3.1.5: 32 bits as they are; 16 bits with a sign; 11 and 10 bits without one.
fn float(code: u64, width: u32) -> u32 {
    let mantissa_bits = match width {
        32 => return code as u32,
        16 => 10,
        11 => 6,
        _ => 5,
    };
    let mantissa = code & ((1 << mantissa_bits) - 1);
    let exponent = code >> mantissa_bits & 31;
    let sign = if width == 16 { (code >> 15) as u32 } else { 0 };
    let scale = f64::from(1u32 << mantissa_bits);
    if exponent == 31 {
        let payload = (mantissa as u32) << (23 - mantissa_bits);
        let quiet = if mantissa == 0 { 0 } else { 1 << 22 };
        return sign << 31 | 0x7F80_0000 | payload | quiet;
    }
    let value = if exponent == 0 {
        mantissa as f64 / scale * 2f64.powi(-14)
    } else {
        (1.0 + mantissa as f64 / scale) * 2f64.powi(exponent as i32 - 15)
    };
    (value as f32).to_bits() | sign << 31
}

/// Sections 3 and 4.
fn fetch(element: &Element, binding: Option<&Binding>, number: u32) -> [u32; 4] {
    let Some(binding) = binding else {
        return [0; 4];
    };
    let wrap = 1u64 << 32;
    let product = u64::from(binding.stride) * u64::from(number) % wrap;
    let address = (u64::from(binding.offset) + product + u64::from(element.offset)) % wrap;
    let end = address + u64::from(size(element.format));
    let inside = address >= u64::from(binding.offset) && end <= binding.bytes.len() as u64;
    decode(
        element.format,
        inside.then(|| &binding.bytes[address as usize..end as usize]),
    )
}

/// The index at a place, 0 out of bounds or unbound.
fn index(indices: Option<&Indices>, number: u32) -> u32 {
    let Some(indices) = indices else {
        return 0;
    };
    let size: u64 = if indices.wide { 4 } else { 2 };
    let address = (u64::from(indices.offset) + size * u64::from(number)) % (1 << 32);
    if address < u64::from(indices.offset) || address + size > indices.bytes.len() as u64 {
        return 0;
    }
    let bytes = &indices.bytes[address as usize..(address + size) as usize];
    bytes
        .iter()
        .rev()
        .fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// The vertex ids of an instance, and the lengths of its runs.
pub fn sequence(
    arguments: &Arguments,
    indices: Option<&Indices>,
    cut: Option<u32>,
) -> (Vec<u32>, Vec<usize>) {
    let mut ids = Vec::new();
    let mut runs = vec![0];
    for i in 0..arguments.count {
        if !arguments.indexed {
            ids.push(i);
        } else {
            let index = index(indices, arguments.start.wrapping_add(i));
            if indices.is_some() && Some(index) == cut {
                runs.push(0);
                continue;
            }
            ids.push(index);
        }
        *runs.last_mut().expect("a run") += 1;
    }
    (ids, runs)
}

/// All rows of a draw.
pub fn rows(
    elements: &[Element],
    slot: impl Fn(u32) -> Option<Binding>,
    arguments: &Arguments,
    ids: &[u32],
    views: &[u32],
) -> Vec<Row> {
    let mut out = Vec::new();
    let bindings: Vec<Option<Binding>> = elements.iter().map(|e| slot(e.slot)).collect();
    let base = if arguments.indexed {
        arguments.base_vertex as u32
    } else {
        arguments.start
    };
    for &view in views {
        for instance in 0..arguments.instances {
            for &id in ids {
                let vertex = base.wrapping_add(id);
                let fetched = elements.iter().zip(&bindings).map(|(element, binding)| {
                    let number = match element.step_rate {
                        None => vertex,
                        Some(0) => arguments.start_instance,
                        Some(rate) => arguments.start_instance.wrapping_add(instance / rate),
                    };
                    fetch(element, binding.as_ref(), number)
                });
                out.push(Row {
                    view,
                    instance,
                    vertex_id: id,
                    start_vertex: base,
                    start_instance: arguments.start_instance,
                    elements: fetched.collect(),
                });
            }
        }
    }
    out
}

/// Corners of the primitives of one run of `n` vertices, by D3D's topology value (primitive-topology.md sections 1, 2).
pub fn primitives(topology: u32, n: usize) -> Vec<Vec<usize>> {
    let list = |k: usize| (0..n / k).map(|i| (k * i..k * i + k).collect()).collect();
    let strip = |k: usize| (0..(n + 1).saturating_sub(k)).map(move |i| (i..i + k).collect());
    match topology {
        1 => list(1),
        2 => list(2),
        3 => strip(2).collect(),
        4 => list(3),
        5 => (0..n.saturating_sub(2))
            .map(|i| {
                if i % 2 == 0 {
                    vec![i, i + 1, i + 2]
                } else {
                    vec![i, i + 2, i + 1]
                }
            })
            .collect(),
        10 => list(4),
        11 => strip(4).collect(),
        12 => list(6),
        13 => strip_with_adjacency(n),
        patch => list(patch as usize - 32),
    }
}

/// The table of section 2.
fn strip_with_adjacency(n: usize) -> Vec<Vec<usize>> {
    let count = if n < 6 { 0 } else { n / 2 - 2 };
    let row = |i: usize| {
        let (v, last) = (2 * i, i + 1 == count);
        match (i, i % 2, last) {
            (0, _, true) => vec![0, 1, 2, 5, 4, 3],
            (0, _, false) => vec![0, 1, 2, 6, 4, 3],
            (_, 0, false) => vec![v, v - 2, v + 2, v + 6, v + 4, v + 3],
            (_, 0, true) => vec![v, v - 2, v + 2, v + 5, v + 4, v + 3],
            (_, _, false) => vec![v, v + 3, v + 4, v + 6, v + 2, v - 2],
            (_, _, true) => vec![v, v + 3, v + 4, v + 5, v + 2, v - 2],
        }
    };
    (0..count).map(row).collect()
}
