//! The draw file: one TOML text with the shader, layout, buffers, constants, draws and expectations of a run.
//!
//! This file holds what a draw file can say and how it is read. It knows the file format, not the engines; [`run`]
//! carries a draw file out and [`expect`] compares what came out with what was asked for.

pub mod data;
pub mod draw;
pub mod expect;
pub mod judge;
pub mod number;
pub mod reader;
pub mod run;
pub mod suite;
pub mod values;
pub mod warnings;

use reader::{Entry, FileError, Source, Table};
use std::path::{Path, PathBuf};

/// A draw file, read and checked as far as the file alone can be.
#[derive(Debug)]
pub struct DrawFile {
    /// Where it was read from.
    pub path: PathBuf,
    /// `[shader]`.
    pub shader: Shader,
    /// `[options]`.
    pub options: Options,
    /// `[[layout]]`.
    pub layout: Vec<LayoutElement>,
    /// `[[vertex_buffer]]`.
    pub vertex_buffers: Vec<VertexBuffer>,
    /// `[index_buffer]`.
    pub index_buffer: Option<IndexBuffer>,
    /// `[[constant_buffer]]`.
    pub constant_buffers: Vec<ConstantBuffer>,
    /// `[view_instancing]`.
    pub view_instancing: Option<ViewInstancing>,
    /// `[[draw]]`.
    pub draws: Vec<draw::Draw>,
    /// `[[expect]]`.
    pub expects: Vec<expect::Expect>,
}

/// `[shader]`.
#[derive(Debug)]
pub struct Shader {
    /// What diagnostics call it.
    pub name: String,
    /// Its text, as bytes of any encoding.
    pub source: Vec<u8>,
    /// The folder that its includes are looked for first.
    pub folder: PathBuf,
    /// Entry function.
    pub entry: String,
    /// Profile, as written.
    pub profile: String,
    /// Macros.
    pub defines: Vec<(String, String)>,
    /// More folders for includes.
    pub include_dirs: Vec<PathBuf>,
    /// `/Zpr`.
    pub row_major: bool,
    /// Language version, where one is asked for.
    pub hlsl: Option<u32>,
}

/// `[options]`: what the file asks for; the command line may override it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Nothing is fused.
    pub strict_float: Option<bool>,
    /// Denormals are preserved.
    pub preserve_denormals: Option<bool>,
    /// `f32tof16` rounds to nearest even.
    pub f32tof16_nearest: Option<bool>,
    /// Most iterations of one execution of a loop.
    pub loop_limit: Option<u32>,
    /// What the device can do.
    pub view_instancing: Option<bool>,
}

/// `[[layout]]`.
#[derive(Debug)]
pub struct LayoutElement {
    /// SemanticName.
    pub semantic: String,
    /// SemanticIndex.
    pub index: u32,
    /// DXGI format name without prefix.
    pub format: String,
    /// InputSlot.
    pub slot: u32,
    /// AlignedByteOffset; None: append.
    pub offset: Option<u32>,
    /// Per-instance data.
    pub instance: bool,
    /// InstanceDataStepRate.
    pub step_rate: u32,
}

/// `[[vertex_buffer]]`.
#[derive(Debug)]
pub struct VertexBuffer {
    /// Slot.
    pub slot: u32,
    /// Bytes between elements.
    pub stride: u32,
    /// Bytes before the first.
    pub offset: u32,
    /// Contents.
    pub data: Vec<u8>,
}

/// `[index_buffer]`.
#[derive(Debug)]
pub struct IndexBuffer {
    /// R32_UINT; otherwise R16_UINT.
    pub wide: bool,
    /// Bytes before the first index.
    pub offset: u32,
    /// Contents.
    pub data: Vec<u8>,
}

/// `[[constant_buffer]]`.
#[derive(Debug)]
pub struct ConstantBuffer {
    /// Which buffer of the shader.
    pub binding: Binding,
    /// What is in it.
    pub contents: Contents,
    /// Where it stands in the file.
    pub place: FileError,
}

/// How a constant buffer is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// By register number and space.
    Register(u32, u32),
    /// By its name in the shader.
    Name(String),
}

/// Contents of a constant buffer.
#[derive(Debug)]
pub enum Contents {
    /// Bytes as the shader sees them.
    Bytes(Vec<u8>),
    /// Values by member name.
    Values(Vec<(String, values::Value)>),
}

/// `[view_instancing]`.
#[derive(Debug)]
pub struct ViewInstancing {
    /// Viewport and render-target array index of each view.
    pub views: Vec<(u32, u32)>,
    /// D3D12_VIEW_INSTANCING_FLAG_ENABLE_VIEW_INSTANCE_MASKING.
    pub masking: bool,
}

impl DrawFile {
    /// Reads a draw file and all the files it names.
    pub fn read(path: &Path) -> Result<DrawFile, FileError> {
        let text = std::fs::read_to_string(path).map_err(|e| FileError {
            path: path.to_owned(),
            place: None,
            message: format!("cannot read the file: {e}"),
        })?;
        DrawFile::parse(path, text)
    }

    /// Reads a draw file from its text; paths in it are relative to `path`.
    pub fn parse(path: &Path, text: String) -> Result<DrawFile, FileError> {
        let source = Source::parse(path.to_owned(), text)?;
        let root = source.root();
        let folder = path.parent().unwrap_or(Path::new(""));
        for later in ["geometry_shader", "resource", "sampler", "stream_output"] {
            if root.has(later) {
                return Err(root.error_at(later, format!("`{later}` is not supported yet")));
            }
        }
        let shader = root
            .table("shader")?
            .ok_or_else(|| root.error("the file has no [shader]"))?;
        let file = DrawFile {
            path: path.to_owned(),
            shader: Shader::read(shader, path, folder)?,
            options: root
                .table("options")?
                .map_or(Ok(Options::default()), Options::read)?,
            layout: root
                .tables("layout")?
                .into_iter()
                .map(LayoutElement::read)
                .collect::<Result<_, _>>()?,
            vertex_buffers: vertex_buffers(root.tables("vertex_buffer")?, folder)?,
            index_buffer: root
                .table("index_buffer")?
                .map(|t| IndexBuffer::read(t, folder))
                .transpose()?,
            constant_buffers: root
                .tables("constant_buffer")?
                .into_iter()
                .map(|t| ConstantBuffer::read(t, folder))
                .collect::<Result<_, _>>()?,
            view_instancing: root
                .table("view_instancing")?
                .map(ViewInstancing::read)
                .transpose()?,
            draws: root
                .tables("draw")?
                .into_iter()
                .map(|t| draw::Draw::read(t, folder))
                .collect::<Result<_, _>>()?,
            expects: root
                .tables("expect")?
                .into_iter()
                .map(expect::Expect::read)
                .collect::<Result<_, _>>()?,
        };
        if file.draws.is_empty() {
            return Err(root.error("the file has no [[draw]]"));
        }
        for expect in &file.expects {
            expect.check_draw(file.draws.len())?;
        }
        root.finish()?;
        Ok(file)
    }
}

/// A value that must be there.
fn needed<T>(table: &Table<'_>, key: &str, value: Option<T>) -> Result<T, FileError> {
    value.ok_or_else(|| table.error(format!("`{key}` is missing here")))
}

impl Shader {
    fn read(table: Table<'_>, path: &Path, folder: &Path) -> Result<Shader, FileError> {
        let (name, source, shader_folder) = match (table.entry("path")?, table.entry("source")?) {
            (Some(file), None) => {
                let file_path = folder.join(file.string()?);
                let source = std::fs::read(&file_path)
                    .map_err(|e| file.error(format!("cannot read {}: {e}", file_path.display())))?;
                let shader_folder = file_path.parent().unwrap_or(Path::new("")).to_owned();
                (file_path.display().to_string(), source, shader_folder)
            }
            (None, Some(source)) => {
                let name = path
                    .file_name()
                    .map_or_else(String::new, |n| n.to_string_lossy().into_owned());
                (
                    format!("{name}[shader]"),
                    source.string()?.as_bytes().to_owned(),
                    folder.to_owned(),
                )
            }
            _ => return Err(table.error("[shader] needs `path` or `source`, and not both")),
        };
        let mut defines = Vec::new();
        if let Some(list) = table.table("defines")? {
            for (name, value) in list.pairs()? {
                defines.push((name.to_owned(), value.string()?.to_owned()));
            }
        }
        let mut include_dirs = Vec::new();
        if let Some(list) = table.entry("include_dirs")? {
            for dir in list.elements()? {
                include_dirs.push(folder.join(dir.string()?));
            }
        }
        let hlsl = match table.entry("hlsl")? {
            None => None,
            Some(entry) => match entry.integer::<u32>()? {
                version @ (2018 | 2021) => Some(version),
                other => return Err(entry.error(format!("`hlsl` is 2018 or 2021, not {other}"))),
            },
        };
        let shader = Shader {
            name,
            source,
            folder: shader_folder,
            entry: table.string("entry")?.unwrap_or_else(|| "main".to_owned()),
            profile: table
                .string("profile")?
                .unwrap_or_else(|| "vs_5_0".to_owned()),
            defines,
            include_dirs,
            row_major: table
                .choice("matrix_packing", &[("column", false), ("row", true)])?
                .unwrap_or(false),
            hlsl,
        };
        table.finish()?;
        Ok(shader)
    }
}

impl Options {
    fn read(table: Table<'_>) -> Result<Options, FileError> {
        let options = Options {
            strict_float: table.boolean("strict_float")?,
            preserve_denormals: table.choice("denorm", &[("flush", false), ("preserve", true)])?,
            f32tof16_nearest: table.choice(
                "f32tof16",
                &[("toward_zero", false), ("nearest_even", true)],
            )?,
            loop_limit: table.integer("loop_limit")?,
            view_instancing: table.boolean("view_instancing")?,
        };
        table.finish()?;
        Ok(options)
    }
}

impl LayoutElement {
    fn read(table: Table<'_>) -> Result<LayoutElement, FileError> {
        let written = needed(&table, "semantic", table.string("semantic")?)?;
        let (semantic, digits) = split_semantic(&written);
        let index = match (digits, table.integer::<u32>("semantic_index")?) {
            ("", index) => index.unwrap_or(0),
            (_, Some(_)) => {
                return Err(table.error_at(
                    "semantic_index",
                    format!("`{written}` has its index in its name already"),
                ));
            }
            (digits, None) => digits.parse().map_err(|_| {
                table.error_at(
                    "semantic",
                    format!("the index of `{written}` is out of range"),
                )
            })?,
        };
        let offset = match table.entry("offset")? {
            None => None,
            Some(entry) if entry.as_string() == Some("append") => None,
            Some(entry) if entry.as_string().is_some() => {
                return Err(entry.error("`offset` is a number of bytes or \"append\""));
            }
            Some(entry) => Some(entry.integer()?),
        };
        let instance = table
            .choice("class", &[("vertex", false), ("instance", true)])?
            .unwrap_or(false);
        let element = LayoutElement {
            semantic: semantic.to_owned(),
            index,
            format: needed(&table, "format", table.string("format")?)?,
            slot: table.integer("slot")?.unwrap_or(0),
            offset,
            instance,
            step_rate: table.integer("step_rate")?.unwrap_or(u32::from(instance)),
        };
        table.finish()?;
        Ok(element)
    }
}

/// `TEXCOORD3` is TEXCOORD and 3.
pub fn split_semantic(written: &str) -> (&str, &str) {
    written.split_at(written.trim_end_matches(|c: char| c.is_ascii_digit()).len())
}

fn vertex_buffers(tables: Vec<Table<'_>>, folder: &Path) -> Result<Vec<VertexBuffer>, FileError> {
    let mut buffers: Vec<VertexBuffer> = Vec::new();
    for table in tables {
        let buffer = VertexBuffer {
            slot: table.integer("slot")?.unwrap_or(0),
            stride: needed(&table, "stride", table.integer("stride")?)?,
            offset: table.integer("offset")?.unwrap_or(0),
            data: data(&table, folder)?,
        };
        if buffers.iter().any(|b| b.slot == buffer.slot) {
            return Err(table.error(format!("slot {} has a vertex buffer already", buffer.slot)));
        }
        table.finish()?;
        buffers.push(buffer);
    }
    Ok(buffers)
}

fn data(table: &Table<'_>, folder: &Path) -> Result<Vec<u8>, FileError> {
    data::bytes(&needed(table, "data", table.entry("data")?)?, folder)
}

impl IndexBuffer {
    fn read(table: Table<'_>, folder: &Path) -> Result<IndexBuffer, FileError> {
        let wide = table.choice("format", &[("R16_UINT", false), ("R32_UINT", true)])?;
        let buffer = IndexBuffer {
            wide: needed(&table, "format", wide)?,
            offset: table.integer("offset")?.unwrap_or(0),
            data: data(&table, folder)?,
        };
        table.finish()?;
        Ok(buffer)
    }
}

impl ConstantBuffer {
    fn read(table: Table<'_>, folder: &Path) -> Result<ConstantBuffer, FileError> {
        let space = table.integer("space")?;
        let binding = match (table.entry("register")?, table.string("name")?) {
            (Some(register), None) => {
                Binding::Register(register_number(&register, 'b')?, space.unwrap_or(0))
            }
            (None, Some(name)) if space.is_none() => Binding::Name(name),
            (None, Some(_)) => {
                return Err(
                    table.error_at("space", "`space` goes with `register`, not with `name`")
                );
            }
            _ => {
                return Err(
                    table.error("[[constant_buffer]] needs `register` or `name`, and not both")
                );
            }
        };
        let contents = match (table.entry("data")?, table.table("values")?) {
            (Some(entry), None) => Contents::Bytes(data::bytes(&entry, folder)?),
            (None, Some(values)) => Contents::Values(values::members(&values)?),
            _ => {
                return Err(
                    table.error("[[constant_buffer]] needs `data` or `values`, and not both")
                );
            }
        };
        let place = table.error("");
        table.finish()?;
        Ok(ConstantBuffer {
            binding,
            contents,
            place,
        })
    }
}

fn register_number(entry: &Entry<'_>, class: char) -> Result<u32, FileError> {
    let text = entry.string()?;
    text.strip_prefix(class)
        .or_else(|| text.strip_prefix(class.to_ascii_uppercase()))
        .and_then(|n| n.parse().ok())
        .ok_or_else(|| {
            entry.error(format!(
                "a register here is written \"{class}0\", not \"{text}\""
            ))
        })
}

impl ViewInstancing {
    fn read(table: Table<'_>) -> Result<ViewInstancing, FileError> {
        let mut views = Vec::new();
        for view in table.tables("views")? {
            let viewport = view.integer("viewport_array_index")?.unwrap_or(0);
            views.push((
                viewport,
                view.integer("render_target_array_index")?.unwrap_or(0),
            ));
            view.finish()?;
        }
        let views = ViewInstancing {
            views,
            masking: table.boolean("masking")?.unwrap_or(false),
        };
        table.finish()?;
        Ok(views)
    }
}
