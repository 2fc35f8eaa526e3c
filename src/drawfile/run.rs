//! Carrying out a draw file: its shader compiled, its pipeline made, its buffers bound, its draws run by either engine.

use super::{
    Binding, ConstantBuffer, Contents, DrawFile, Options,
    draw::{Call, Draw, StripCut as FileStripCut},
    reader::FileError,
    values::Value,
    warnings,
};
use crate::includes::Folders;
use fuseline_compiler::{
    compile::CompileError,
    format::Format,
    layout::{APPEND_ALIGNED_ELEMENT, InputClassification, InputElementDesc},
    lower::LowerError,
};
use fuseline_hlsl::{
    compile::{Compiled, Failed},
    diagnostic::{Diagnostics, Severity},
    options::CompileOptions,
};
use fuseline_runtime::{
    Buffer, CancelToken, Device, DeviceOptions, DrawCall, DrawError, DrawState, Engine,
    IndexBufferView, IndexFormat, PipelineError, Register, StripCut, Threads, Topology,
    VertexBufferView, ViewInstancingTier,
    compare::compare,
    constants::{ConstantError, ConstantValue, Number, Target},
    draw::{DrawOptions, RowStorage},
    pipeline::{Pipeline, PipelineDesc, ViewInstancing, ViewLocation},
    results::Results,
};
use std::{fmt, sync::Arc};

/// What the command line says that a draw file may say, too; it wins.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// More macros.
    pub defines: Vec<(String, String)>,
    /// More folders for includes.
    pub include_dirs: Vec<std::path::PathBuf>,
    /// Language version.
    pub hlsl: Option<u32>,
    /// `-Zpr`.
    pub row_major: bool,
    /// In place of `[options]`, where set.
    pub options: Options,
    /// Where draws run.
    pub threads: Threads,
}

/// Which engines run a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engines {
    /// The JIT.
    Jit,
    /// The interpreter.
    Interpreter,
    /// Both, compared bit for bit; the results are the JIT's.
    Both,
}

/// Why a draw file was not carried out.
#[derive(Debug)]
pub enum RunError {
    /// The file says something that cannot be.
    File(FileError),
    /// The shader was refused.
    Shader(Box<Failed>),
    /// Layout, pipeline or constants were refused: one message for each reason.
    Setup(Vec<String>),
    /// A draw was refused or stopped.
    Draw {
        /// Its number.
        draw: usize,
        /// Why.
        message: String,
    },
    /// The engines differ.
    Difference {
        /// The draw.
        draw: usize,
        /// Where.
        what: String,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::File(error) => error.fmt(f),
            RunError::Shader(failed) => f.write_str(
                failed
                    .diagnostics
                    .render_text(&failed.sources, false)
                    .trim_end(),
            ),
            RunError::Setup(messages) => {
                let lines: Vec<String> = messages.iter().map(|m| format!("error: {m}")).collect();
                f.write_str(&lines.join("\n"))
            }
            RunError::Draw { draw, message } => write!(f, "error: draw {draw}: {message}"),
            RunError::Difference { draw, what } => {
                write!(f, "error: draw {draw}: JIT and interpreter differ: {what}")
            }
        }
    }
}

impl std::error::Error for RunError {}

impl From<FileError> for RunError {
    fn from(error: FileError) -> RunError {
        RunError::File(error)
    }
}

impl RunError {
    /// The errors' own messages, without snippets and hints, each with its line of the shader where it has one.
    pub fn messages(&self) -> Vec<(String, Option<u32>)> {
        match self {
            RunError::Shader(failed) => {
                let errors = failed
                    .diagnostics
                    .iter()
                    .filter(|d| d.severity == Severity::Error);
                errors
                    .map(|d| {
                        (
                            d.message.clone(),
                            Some(failed.sources.location(d.span).line),
                        )
                    })
                    .collect()
            }
            RunError::Setup(messages) => messages.iter().map(|m| (m.clone(), None)).collect(),
            RunError::Draw { message, .. } => vec![(message.clone(), None)],
            RunError::File(_) | RunError::Difference { .. } => Vec::new(),
        }
    }

    /// Whether only a draw was refused, not the whole file.
    pub fn is_of_draw(&self) -> bool {
        matches!(self, RunError::Draw { .. } | RunError::Difference { .. })
    }
}

/// A draw file ready to run.
pub struct Session {
    pipeline: Pipeline,
    compiled: Compiled,
    state: DrawState,
    draws: Vec<(DrawCall, DrawState)>,
    file_warnings: Vec<String>,
}

impl Session {
    /// Compiles the shader, makes the pipeline, binds everything.
    ///
    /// # Errors
    /// When the shader, the layout, the pipeline or the constants are refused.
    pub fn new(mut file: DrawFile, settings: &Settings) -> Result<Session, RunError> {
        let options = file.options.clone().or(&settings.options);
        let compiled = compile(&file, settings, &options)?;
        let device = device(&options, settings)?;
        let layout = file
            .layout
            .iter()
            .map(element)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| RunError::Setup(vec![e]))?;
        let mut desc = PipelineDesc::new(Arc::new(compiled.program.clone()), &layout);
        if let Some(views) = &file.view_instancing {
            desc.view_instancing = view_instancing(views);
        }
        let pipeline = device
            .create_pipeline(&desc)
            .map_err(|e| RunError::Setup(pipeline_messages(&e)))?;
        let mut state = DrawState::default();
        for buffer in std::mem::take(&mut file.vertex_buffers) {
            let view = VertexBufferView {
                buffer: Buffer::new(&buffer.data),
                offset: buffer.offset,
                stride: buffer.stride,
            };
            state.vertex_buffers.insert(buffer.slot, view);
        }
        if let Some(buffer) = file.index_buffer.take() {
            let format = if buffer.wide {
                IndexFormat::R32Uint
            } else {
                IndexFormat::R16Uint
            };
            state.index_buffer = Some(IndexBufferView {
                buffer: Buffer::new(&buffer.data),
                format,
                offset: buffer.offset,
            });
        }
        for constants in &file.constant_buffers {
            bind(&mut state, &compiled, constants)?;
        }
        let file_warnings = warnings::of_constants(&file.constant_buffers, &compiled);
        let draws = file
            .draws
            .iter()
            .map(|d| draw_call(d, &state))
            .collect::<Result<_, _>>()?;
        Ok(Session {
            pipeline,
            compiled,
            state,
            draws,
            file_warnings,
        })
    }

    /// Number of draws.
    pub fn draws(&self) -> usize {
        self.draws.len()
    }

    /// The compiled shader with its warnings.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// The draws with all that is bound for them.
    pub(super) fn draw_calls(&self) -> impl Iterator<Item = &(DrawCall, DrawState)> {
        self.draws.iter()
    }

    /// What is odd about the file itself.
    pub(super) fn file_warnings(&self) -> &[String] {
        &self.file_warnings
    }

    /// The pipeline.
    pub fn pipeline(&self) -> &Pipeline {
        &self.pipeline
    }

    /// What all draws have bound.
    pub fn state(&self) -> &DrawState {
        &self.state
    }

    /// Runs a draw.
    ///
    /// # Errors
    /// When the draw is refused or stopped, or the engines differ.
    pub fn draw(&self, draw: usize, engines: Engines) -> Result<Results, RunError> {
        match engines {
            Engines::Jit => self.draw_by(draw, Engine::Jit, RowStorage::Shared),
            Engines::Interpreter => self.draw_by(draw, Engine::Interpreter, RowStorage::Shared),
            Engines::Both => {
                let wanted = self.draw_by(draw, Engine::Interpreter, RowStorage::Shared);
                let got = self.draw_by(draw, Engine::Jit, RowStorage::Shared);
                agree(draw, wanted, got)
            }
        }
    }

    /// Runs a draw by one engine.
    ///
    /// # Errors
    /// When the draw is refused or stopped.
    pub fn draw_by(
        &self,
        draw: usize,
        engine: Engine,
        storage: RowStorage,
    ) -> Result<Results, RunError> {
        let Some((call, state)) = self.draws.get(draw) else {
            return Err(RunError::Draw {
                draw,
                message: "there is no such draw".to_owned(),
            });
        };
        let options = DrawOptions {
            engine,
            storage,
            cancel: CancelToken::default(),
        };
        let error = |e: DrawError| match &e {
            DrawError::Kernel(kernel) if let CompileError::Lower(lower) = kernel.error() => {
                RunError::Shader(too_large(&self.compiled, lower))
            }
            _ => RunError::Draw {
                draw,
                message: e.to_string(),
            },
        };
        self.pipeline
            .draw_with(state, call, &options)
            .map_err(error)
    }
}

/// A shader that is too large for the compiler, as one that the front end refuses.
pub fn too_large(compiled: &Compiled, error: &LowerError) -> Box<Failed> {
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(error.diagnostic());
    Box::new(Failed {
        sources: compiled.sources.clone(),
        diagnostics,
    })
}

/// The JIT's outcome, if the interpreter's is the same.
fn agree(
    draw: usize,
    interpreter: Result<Results, RunError>,
    jit: Result<Results, RunError>,
) -> Result<Results, RunError> {
    let difference = |what: String| Err(RunError::Difference { draw, what });
    match (interpreter, jit) {
        (Ok(wanted), Ok(got)) => match compare(&got, &wanted) {
            None => Ok(got),
            Some(place) => difference(format!("{place} (the JIT's first)")),
        },
        (Err(wanted), Err(got)) if wanted.to_string() == got.to_string() => Err(got),
        (Err(wanted), Err(got)) => {
            difference(format!("the JIT says: {got}; the interpreter: {wanted}"))
        }
        (Ok(_), Err(got @ RunError::Shader(_))) => Err(got),
        (Ok(_), Err(got)) => difference(format!("only the JIT refuses: {got}")),
        (Err(wanted), Ok(_)) => difference(format!("only the interpreter refuses: {wanted}")),
    }
}

fn compile(file: &DrawFile, settings: &Settings, options: &Options) -> Result<Compiled, RunError> {
    let shader = &file.shader;
    let refuse = |message: String| RunError::Setup(vec![message]);
    let hlsl = match settings.hlsl.or(shader.hlsl) {
        None => None,
        Some(year) => Some(
            year.to_string()
                .parse()
                .map_err(|e| refuse(format!("{e}")))?,
        ),
    };
    let request = CompileOptions {
        entry: shader.entry.clone(),
        profile: shader.profile.parse().map_err(|e| refuse(format!("{e}")))?,
        defines: [&shader.defines[..], &settings.defines[..]].concat(),
        hlsl,
        row_major: shader.row_major || settings.row_major,
        strict_float: options.strict_float.unwrap_or(false),
        f32tof16_nearest: options.f32tof16_nearest.unwrap_or(false),
    };
    let include_dirs = [&shader.include_dirs[..], &settings.include_dirs[..]].concat();
    let mut includes = Folders {
        shader: shader.folder.clone(),
        include_dirs,
    };
    fuseline_hlsl::compile(&shader.name, &shader.source, &request, &mut includes)
        .map_err(RunError::Shader)
}

impl Options {
    /// The other's where it says something.
    fn or(self, over: &Options) -> Options {
        Options {
            strict_float: over.strict_float.or(self.strict_float),
            preserve_denormals: over.preserve_denormals.or(self.preserve_denormals),
            f32tof16_nearest: over.f32tof16_nearest.or(self.f32tof16_nearest),
            loop_limit: over.loop_limit.or(self.loop_limit),
            view_instancing: over.view_instancing.or(self.view_instancing),
        }
    }
}

fn device(options: &Options, settings: &Settings) -> Result<Device, RunError> {
    let defaults = DeviceOptions::default();
    let tier = match options.view_instancing {
        Some(false) => ViewInstancingTier::NotSupported,
        _ => ViewInstancingTier::Tier3,
    };
    let options = DeviceOptions {
        flush_denormals: !options.preserve_denormals.unwrap_or(false),
        loop_limit: options.loop_limit.unwrap_or(defaults.loop_limit),
        view_instancing: tier,
        threads: settings.threads.clone(),
        ..defaults
    };
    Device::new(options).map_err(|e| RunError::Setup(vec![e.to_string()]))
}

fn element(element: &super::LayoutElement) -> Result<InputElementDesc, String> {
    let format = Format::from_name(&element.format)
        .map_err(|e| format!("element {}{}: {e}", element.semantic, element.index))?;
    Ok(InputElementDesc {
        semantic_name: element.semantic.clone(),
        semantic_index: element.index,
        format,
        input_slot: element.slot,
        aligned_byte_offset: element.offset.unwrap_or(APPEND_ALIGNED_ELEMENT),
        input_slot_class: if element.instance {
            InputClassification::PerInstanceData
        } else {
            InputClassification::PerVertexData
        },
        instance_data_step_rate: element.step_rate,
    })
}

/// One message for each reason.
fn pipeline_messages(error: &PipelineError) -> Vec<String> {
    match error {
        PipelineError::Layout(errors) => errors.iter().map(ToString::to_string).collect(),
        other => vec![other.to_string()],
    }
}

fn view_instancing(views: &super::ViewInstancing) -> ViewInstancing {
    let location = |(viewport, target): &(u32, u32)| ViewLocation {
        viewport_array_index: *viewport,
        render_target_array_index: *target,
    };
    ViewInstancing {
        views: views.views.iter().map(location).collect(),
        masking: views.masking,
    }
}

fn bind(
    state: &mut DrawState,
    compiled: &Compiled,
    constants: &ConstantBuffer,
) -> Result<(), RunError> {
    let refuse = |message: String| {
        RunError::File(FileError {
            message,
            ..constants.place.clone()
        })
    };
    let desc = compiled
        .reflection
        .constant_buffers
        .iter()
        .map(|b| &b.buffer)
        .find(|b| match &constants.binding {
            Binding::Register(number, space) => {
                Register::of(b) == Register::b(*number).space(*space)
            }
            Binding::Name(name) => b.name == *name,
        });
    let register = match (&constants.binding, desc) {
        (Binding::Register(number, space), _) => Register::b(*number).space(*space),
        (Binding::Name(_), Some(desc)) => Register::of(desc),
        (Binding::Name(name), None) => {
            return Err(RunError::Setup(vec![format!(
                "the shader has no constant buffer named `{name}`"
            )]));
        }
    };
    if state.constants.contains_key(&register) {
        return Err(refuse("this constant buffer is given twice".to_owned()));
    }
    let buffer = match &constants.contents {
        Contents::Bytes(bytes) => Buffer::new(bytes),
        Contents::Values(values) => {
            let desc = desc.ok_or_else(|| {
                refuse("the shader has no constant buffer there to set by name".to_owned())
            })?;
            let mut buffer = fuseline_runtime::ConstantBuffer::new(Arc::new(desc.clone()));
            for (name, value) in values {
                buffer
                    .set(name, value)
                    .map_err(|e| RunError::Setup(vec![e.to_string()]))?;
            }
            buffer.buffer().clone()
        }
    };
    state.constants.insert(register, buffer);
    Ok(())
}

impl ConstantValue for Value {
    fn pack(&self, target: &mut Target<'_>) -> Result<(), ConstantError> {
        match self {
            Value::Number { .. } | Value::Bool(_) => target.vector(&[self.number()]),
            Value::Struct(members) => members
                .iter()
                .try_for_each(|(name, value)| target.member(name, value)),
            Value::List(list) => pack_list(list, target),
        }
    }
}

/// A list is a vector, a matrix's rows, or an array's elements: what the member is decides.
fn pack_list(list: &[Value], target: &mut Target<'_>) -> Result<(), ConstantError> {
    use fuseline_hlsl::reflection::Layout;
    let rows: Option<Vec<&[Value]>> = list.iter().map(Value::list).collect();
    match (target.layout(), rows) {
        (Layout::Matrix { .. }, Some(rows)) => {
            let columns = rows.first().map_or(0, |row| row.len());
            let regular = rows.iter().all(|row| row.len() == columns);
            let columns = if regular { columns } else { 0 };
            target.matrix((rows.len(), columns), |r, c| rows[r][c].number())
        }
        (Layout::Vector { .. }, None) => {
            let numbers: Vec<Number> = list.iter().map(Value::number).collect();
            target.vector(&numbers)
        }
        _ => target.array(list.len(), |i, element| list[i].pack(element)),
    }
}

impl Value {
    fn list(&self) -> Option<&[Value]> {
        if let Value::List(list) = self {
            Some(list)
        } else {
            None
        }
    }

    /// The value as a number; lists and structs, which no number can be, as one that fits nothing.
    fn number(&self) -> Number {
        match self {
            Value::Number {
                integer: Some(integer),
                ..
            } => Number::Int(*integer),
            Value::Number { float, .. } => Number::F32(*float),
            Value::Bool(truth) => Number::Bool(*truth),
            Value::List(_) | Value::Struct(_) => Number::Float(f64::NAN),
        }
    }
}

fn draw_call(draw: &Draw, state: &DrawState) -> Result<(DrawCall, DrawState), RunError> {
    let refuse = |message: String| FileError {
        message,
        ..draw.place.clone()
    };
    let topology = Topology::from_name(&draw.topology).ok_or_else(|| {
        refuse(format!(
            "\"{}\" is no primitive topology; write TRIANGLELIST or the like",
            draw.topology
        ))
    })?;
    let cut = match draw.strip_cut {
        FileStripCut::Default => StripCut::AllOnes,
        FileStripCut::Off => StripCut::Off,
        FileStripCut::Value16 => StripCut::Value(0xFFFF),
        FileStripCut::Value32 => StripCut::Value(u32::MAX),
        FileStripCut::ListsToo => StripCut::ListsToo,
    };
    let mut state = state.clone().strip_cut(cut).view_mask(draw.view_mask);
    state.topology = Some(topology);
    Ok((call(&draw.call), state))
}

fn call(call: &Call) -> DrawCall {
    match *call {
        Call::Vertices {
            instanced: false,
            vertex_count,
            start_vertex,
            ..
        } => DrawCall::Draw {
            vertex_count,
            start_vertex,
        },
        Call::Vertices {
            instanced: true,
            vertex_count,
            instance_count,
            start_vertex,
            start_instance,
        } => DrawCall::DrawInstanced {
            vertex_count,
            instance_count,
            start_vertex,
            start_instance,
        },
        Call::Indexed {
            instanced: false,
            index_count,
            start_index,
            base_vertex,
            ..
        } => DrawCall::DrawIndexed {
            index_count,
            start_index,
            base_vertex,
        },
        Call::Indexed {
            instanced: true,
            index_count,
            instance_count,
            start_index,
            base_vertex,
            start_instance,
        } => DrawCall::DrawIndexedInstanced {
            index_count,
            instance_count,
            start_index,
            base_vertex,
            start_instance,
        },
        Call::Auto => DrawCall::DrawAuto,
        Call::Indirect {
            indexed: true,
            ref args,
            offset,
        } => DrawCall::DrawIndexedInstancedIndirect {
            args: Buffer::new(args),
            offset,
        },
        Call::Indirect {
            indexed: false,
            ref args,
            offset,
        } => DrawCall::DrawInstancedIndirect {
            args: Buffer::new(args),
            offset,
        },
    }
}
