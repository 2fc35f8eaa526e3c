//! A compute shader as a vertex shader: buffers as arrays, a vertex for each thread, an instance for each element.

use super::Stop;
use super::pipeline::Pipeline;
use crate::text::{arguments, brace_depth, closing};
use regex::{Captures, Regex};
use std::fmt::Write;

/// Most shader runs of one test.
const MOST_RUNS: u64 = 1 << 20;

/// A vertex shader with an entry for each buffer that is written.
pub struct Translation {
    pub text: String,
    /// Vertices to draw.
    pub threads: u32,
    pub targets: Vec<Target>,
    resources: Vec<Resource>,
}

/// A buffer that is written.
pub struct Target {
    pub entry: String,
    /// Number of the buffer.
    pub buffer: usize,
    /// Instances to draw.
    pub elements: u32,
    /// Whether its elements are `bool`s, which read any word but zero as 1.
    pub truth: bool,
}

/// A buffer as the shader declares it.
struct Resource {
    name: String,
    written: bool,
    /// Type of its elements; raw buffers have `uint`.
    element: String,
    raw: bool,
    /// Dimensions of an array of resources, with their brackets.
    dimensions: String,
    /// Number of the buffer.
    buffer: usize,
    /// Elements of each resource, and how many resources.
    elements: u32,
    count: u32,
    /// What `GetDimensions` says: elements by the bound format, and bytes of each.
    dimension: u32,
    stride: u32,
}

impl Translation {
    /// The words of a global that stands for a buffer.
    pub fn data<'a>(&self, global: &str, pipeline: &'a Pipeline) -> Option<&'a [u32]> {
        let name = global.strip_prefix("fuseline_init_").unwrap_or(global);
        match self.resources.iter().find(|r| r.name == name) {
            Some(resource) => Some(&pipeline.buffers[resource.buffer].words),
            None if !pipeline.push_constants.is_empty() => Some(&pipeline.push_constants),
            None => None,
        }
    }
}

/// Turns a test into a vertex shader.
pub fn translate(source: &str, pipeline: &Pipeline) -> Result<Translation, Stop> {
    let mut resources = Vec::new();
    let mut failure = None;
    let mut free = Free::default();
    let declaration = pattern(
        r"(?x) (?: \[\[ [^\]]* \]\] \s* )* (?: globallycoherent \s+ | reordercoherent \s+ )*
        \b (RW)? (StructuredBuffer|ByteAddressBuffer|Buffer) \s* (?: < ( (?: [^<>] | <[^<>]*> )* ) > )?
        \s+ (\w+) \s* ( (?: \[ [^\]]* \] \s* )* ) (?: : \s* register \s* \( ([^)]*) \) )? \s* ;",
    )?;
    for found in declaration
        .captures_iter(source)
        .filter(|f| used(source, f))
    {
        free.taken.extend(register(&found));
    }
    let text = declaration.replace_all(source, |found: &Captures<'_>| {
        let at = found.get(0).map_or(0, |m| m.start());
        match resource(found, pipeline, &mut free, used(source, found)) {
            _ if brace_depth(source, at) > 0 => {
                failure = Some(Stop::Outside("resources as values"));
                String::new()
            }
            Err(_) if !used(source, found) => String::new(),
            Ok(resource) => {
                let declared = resource.declaration();
                resources.push(resource);
                declared
            }
            Err(stop) => {
                failure.get_or_insert(stop);
                String::new()
            }
        }
    });
    if let Some(stop) = failure {
        return Err(stop);
    }
    if pattern(r"\b(RW)?(Structured|ByteAddress)?Buffer\b")?.is_match(&text) {
        return Err(Stop::Outside("resources as values"));
    }
    let mut text = pattern(r"\[\s*RootSignature\s*\([^\]]*\)\s*\]|\[\[vk::push_constant\]\]")?
        .replace_all(&text, "")
        .into_owned();
    for resource in &resources {
        text = methods(&text, resource)?;
    }
    let threads = threads(source, pipeline)?;
    let total: u32 = threads.iter().chain(&pipeline.groups).product();
    let targets = entries(&mut text, source, pipeline, &resources, threads)?;
    let runs = targets
        .iter()
        .map(|t| u64::from(t.elements) * u64::from(total));
    if runs.max().is_some_and(|runs| runs > MOST_RUNS) {
        return Err(Stop::Outside("too many threads and elements"));
    }
    Ok(Translation {
        text,
        threads: total,
        targets,
        resources,
    })
}

fn pattern(text: &str) -> Result<Regex, Stop> {
    Regex::new(text).map_err(|e| Stop::Failed(e.to_string()))
}

/// Registers that are written, by class, and those given to resources without one.
#[derive(Default)]
struct Free {
    taken: Vec<(char, u32, u32)>,
}

impl Free {
    /// The lowest free register of space 0.
    fn next(&mut self, class: char) -> (char, u32, u32) {
        let free = (0..)
            .map(|number| (class, number, 0))
            .find(|r| !self.taken.contains(r));
        let register = free.unwrap_or((class, 0, 0));
        self.taken.push(register);
        register
    }
}

/// Whether a resource is named again after its declaration.
fn used(source: &str, found: &Captures<'_>) -> bool {
    let name = found.get(4).map_or("", |m| m.as_str());
    let behind = found.get(0).map_or(0, |m| m.end());
    Regex::new(&format!(r"\b{name}\b")).is_ok_and(|name| name.is_match(&source[behind..]))
}

/// The register that a declaration names.
fn register(found: &Captures<'_>) -> Option<(char, u32, u32)> {
    let mut parts = found.get(6)?.as_str().split(',').map(str::trim);
    let register = parts.next()?;
    let space = parts
        .next()
        .and_then(|s| s.strip_prefix("space")?.parse().ok());
    Some((
        register.chars().next()?,
        register.get(1..)?.parse().ok()?,
        space.unwrap_or(0),
    ))
}

fn resource(
    found: &Captures<'_>,
    pipeline: &Pipeline,
    free: &mut Free,
    used: bool,
) -> Result<Resource, Stop> {
    let part = |i: usize| found.get(i).map(|m| m.as_str().trim());
    let name = part(4).unwrap_or_default().to_owned();
    let written = part(1).is_some();
    let raw = part(2) == Some("ByteAddressBuffer");
    let structured = part(2) == Some("StructuredBuffer");
    let class = if written { 'u' } else { 't' };
    let (class, number, space) = match register(found) {
        Some(register) => register,
        None if used => free.next(class),
        None => (class, u32::MAX, 0),
    };
    let register = (number, space);
    let index = pipeline.index_of(class, register, &name);
    let buffer = index.ok_or_else(|| Stop::Failed(format!("{name} is not bound")))?;
    let data = &pipeline.buffers[buffer];
    let element = if raw {
        "uint"
    } else {
        part(3).unwrap_or("float4")
    };
    let size = size_of(element).unwrap_or(data.stride);
    let stride = if structured || raw { size } else { data.stride };
    let dimensions = match part(5).unwrap_or_default() {
        "[]" => format!("[{}]", data.array_size),
        dimensions => dimensions.to_owned(),
    };
    let count = if dimensions.is_empty() {
        1
    } else {
        data.array_size
    };
    let words = data.words.len() as u32 / count;
    let elements = words * 4 / size.max(4);
    Ok(Resource {
        element: element.to_owned(),
        elements,
        dimension: words * 4 / stride.max(4),
        name,
        written,
        raw,
        dimensions,
        buffer,
        count,
        stride,
    })
}

/// Bytes of a scalar, vector or matrix type.
fn size_of(element: &str) -> Option<u32> {
    let shape = [
        "float",
        "int",
        "uint",
        "uint32_t",
        "int32_t",
        "float32_t",
        "bool",
        "dword",
    ]
    .iter()
    .find_map(|scalar| {
        let rest = element.strip_prefix(scalar)?;
        matches!(rest.len(), 0 | 1 | 3).then_some(rest)
    })?;
    let digits = shape.chars().filter_map(|c| c.to_digit(10));
    Some(4 * digits.product::<u32>())
}

impl Resource {
    /// What stands in the place of its declaration.
    fn declaration(&self) -> String {
        let Resource {
            name,
            element,
            dimensions,
            ..
        } = self;
        let array = format!("{dimensions}[{}]", self.elements.max(1));
        let mut out = if self.written {
            format!("{element} fuseline_init_{name}{array}; static {element} {name}{array};")
        } else {
            format!("{element} {name}{array};")
        };
        if self.raw {
            self.accessors(&mut out);
        }
        out
    }

    /// Functions in place of a raw buffer's methods.
    fn accessors(&self, out: &mut String) {
        let name = &self.name;
        for (scalar, cast) in [
            ("uint", ""),
            ("int", "asint"),
            ("float", "asfloat"),
            ("bool", "bool"),
        ] {
            for width in 1..=4 {
                let ty = if width == 1 {
                    scalar.to_owned()
                } else {
                    format!("{scalar}{width}")
                };
                let word = |i| format!("{cast}({name}[a / 4 + {i}])");
                let words: Vec<String> = (0..width).map(word).collect();
                // Writing to a String cannot fail.
                let _ = write!(
                    out,
                    " {ty} fuseline_{name}_Load_{ty}(uint a) {{ return {ty}({}); }}",
                    words.join(", ")
                );
                if self.written {
                    let bits = if scalar == "bool" { "uint" } else { "asuint" };
                    let component = |i: usize| {
                        if width == 1 {
                            "v".to_owned()
                        } else {
                            format!("v.{}", ["x", "y", "z", "w"][i])
                        }
                    };
                    let stores: Vec<String> = (0..width)
                        .map(|i| format!("{name}[a / 4 + {i}] = {bits}({});", component(i)))
                        .collect();
                    let _ = write!(
                        out,
                        " void fuseline_{name}_Store_{ty}(uint a, {ty} v) {{ {} }}",
                        stores.join(" ")
                    );
                }
            }
        }
    }
}

/// Methods of a buffer as expressions of an array.
fn methods(text: &str, resource: &Resource) -> Result<String, Stop> {
    let call = pattern(&format!(
        r"\b{}((?:\s*\[[^\[\]]*\])*)\s*\.\s*(GetDimensions|Load|Store)(\d?)\s*(?:<([^<>]*)>)?\s*\(",
        resource.name
    ))?;
    let mut text = text.to_owned();
    let mut from = 0;
    while let Some(found) = call.captures_at(&text, from) {
        let part = |i: usize| found.get(i).map_or("", |m| m.as_str());
        let start = found.get(0).map_or(0, |m| m.start());
        let open = found.get(0).map_or(0, |m| m.end()) - 1;
        let end = closing(&text, open).ok_or_else(|| Stop::Failed("an open bracket".to_owned()))?;
        let inside = &text[open + 1..end - 1];
        let parts = arguments(inside);
        let Resource {
            name,
            dimension,
            stride,
            raw,
            ..
        } = resource;
        let new = match (part(2), parts.as_slice()) {
            ("GetDimensions", [bytes]) if *raw => format!("({bytes} = {})", dimension * stride),
            ("GetDimensions", [count]) => format!("({count} = {dimension})"),
            ("GetDimensions", [count, size]) => {
                format!("({count} = {dimension}, {size} = {stride})")
            }
            ("Load" | "Store", _) if *raw => {
                let ty = match (part(4), part(3)) {
                    ("", width) => format!("uint{width}"),
                    (ty, _) => ty.to_owned(),
                };
                if size_of(&ty).is_none() || ty.contains('x') {
                    return Err(Stop::Outside("structs and matrices in raw buffers"));
                }
                format!("fuseline_{name}_{}_{ty}({inside})", part(2))
            }
            ("Load", [index]) => format!("{name}{}[{index}]", part(1)),
            _ => return Err(Stop::Outside("status of loads")),
        };
        text.replace_range(start..end, &new);
        from = start + 1;
    }
    Ok(text)
}

/// Threads of a group.
fn threads(source: &str, pipeline: &Pipeline) -> Result<[u32; 3], Stop> {
    let attribute = pattern(r"(?i)\[\s*numthreads\s*\(([^)]*)\)\s*\]")?;
    let found = attribute.captures(source);
    let numbers = found
        .as_ref()
        .map_or("", |f| f.get(1).map_or("", |m| m.as_str()));
    let mut threads = [1; 3];
    for (thread, number) in threads.iter_mut().zip(arguments(numbers)) {
        let defined = Regex::new(&format!(r"#define\s+{number}\s+(\d+)"));
        let value = number.parse().ok().or_else(|| {
            let captures = defined.ok()?.captures(source)?;
            captures.get(1)?.as_str().parse().ok()
        });
        *thread =
            value.ok_or_else(|| Stop::Failed(format!("{}: threads {number}", pipeline.entry)))?;
    }
    Ok(threads)
}

/// Appends an entry for each written buffer.
fn entries(
    text: &mut String,
    source: &str,
    pipeline: &Pipeline,
    resources: &[Resource],
    [x, y, z]: [u32; 3],
) -> Result<Vec<Target>, Stop> {
    let function = pattern(&format!(r"\bvoid\s+{}\s*\(", pipeline.entry))?;
    let open = function.find(source).map(|m| m.end() - 1);
    let open = open.ok_or_else(|| Stop::Failed(format!("no function {}", pipeline.entry)))?;
    let end = closing(source, open).unwrap_or(source.len());
    let group = x * y * z;
    let [groups_x, groups_y, _] = pipeline.groups;
    let in_group = format!("uint3(index % {x}, index / {x} % {y}, index / {})", x * y);
    let of_group = format!(
        "uint3(thread / {group} % {groups_x}, thread / {} % {groups_y}, thread / {})",
        group * groups_x,
        group * groups_x * groups_y
    );
    let mut given = Vec::new();
    for parameter in arguments(&source[open + 1..end - 1]) {
        let semantic = parameter.rsplit(':').next().unwrap_or_default().trim();
        given.push(match semantic.to_ascii_lowercase().as_str() {
            "sv_groupindex" => "index".to_owned(),
            "sv_groupthreadid" => in_group.clone(),
            "sv_groupid" => of_group.clone(),
            "sv_dispatchthreadid" => format!("{of_group} * uint3({x}, {y}, {z}) + {in_group}"),
            _ => return Err(Stop::Failed(format!("parameter {parameter}"))),
        });
    }
    let written = || resources.iter().filter(|r| r.written);
    let initial: String = written()
        .map(|r| format!("    {0} = fuseline_init_{0};\n", r.name))
        .collect();
    let mut targets = Vec::new();
    for resource in written() {
        let Resource {
            name,
            element,
            elements,
            ..
        } = resource;
        let entry = format!("fuseline_{name}");
        let place = match resource.dimensions.matches('[').count() {
            0 => "[element]".to_owned(),
            1 => format!("[element / {0}][element % {0}]", elements.max(&1)),
            _ => return Err(Stop::Outside("arrays of arrays of resources")),
        };
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "\nvoid {entry}(uint thread : SV_VertexID, uint element : SV_InstanceID, out {element} value : VALUE) {{\n\
             {initial}    uint index = thread % {group};\n    {}({});\n    value = {name}{place};\n}}\n",
            pipeline.entry,
            given.join(", "),
        );
        targets.push(Target {
            entry,
            buffer: resource.buffer,
            elements: elements * resource.count,
            truth: element.starts_with("bool"),
        });
    }
    Ok(targets)
}
