//! `fuseline compile`: what the compiler makes of a shader, at every step.

use super::{Common, Refused, output_file, report};
use clap::{Args, ValueEnum};
use fuseline::drawfile::{
    DrawFile, Shader,
    run::{RunError, Session, Settings, too_large},
};
use fuseline_compiler::{
    compile::{CompileError, Listing, listing},
    format::Format,
    isa::Isa,
    kernel::KernelKey,
    layout::InputElementDesc,
};
use fuseline_hlsl::{
    Compiled,
    hir::{Program, SignatureElement},
    types::Scalar,
};
use fuseline_runtime::{Buffer, Device, DeviceOptions, DrawState, PipelineDesc, VertexBufferView};
use std::{
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

/// Shows what the compiler makes of a shader.
#[derive(Args, Debug)]
#[command(
    after_help = "Example: fuseline compile examples/teapot/teapot.hlsl -E main -T vs_5_0 --emit kir,asm"
)]
pub struct Compile {
    /// Shader file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Entry function
    #[arg(short = 'E', value_name = "ENTRY")]
    entry: String,
    /// Profile, vs_4_0 to vs_6_8
    #[arg(short = 'T', value_name = "PROFILE")]
    profile: String,
    /// The layout and buffers of this draw file instead of one made from the shader's own inputs
    #[arg(long, value_name = "D.draw.toml")]
    draw: Option<PathBuf>,
    /// What to show
    #[arg(long, value_enum, value_delimiter = ',', required = true)]
    emit: Vec<Kind>,
    /// Write there; with several kinds, each to OUT.KIND
    #[arg(short, value_name = "OUT")]
    output: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// The syntax tree
    Ast,
    /// The checked program
    Hir,
    /// One vertex, scalar components, in stages by how often they run
    Kir,
    /// Lanes
    Lir,
    /// Cranelift's input
    Clif,
    /// Machine code, disassembled
    Asm,
    /// An object file
    Obj,
    /// Signatures, constant buffers and the like as JSON
    Reflection,
}

/// A compiled shader with the key of the kernel to show.
struct Subject {
    compiled: Compiled,
    key: KernelKey,
}

impl Compile {
    /// Compiles and shows.
    pub fn run(self) -> Result<bool, Refused> {
        let wants_kernel = self.emit.iter().any(|k| k.listing().is_some());
        let subject = match (&self.draw, wants_kernel) {
            (Some(draw), true) => self.for_draw(draw)?,
            _ => self.alone()?,
        };
        let Some(subject) = subject else {
            return Ok(false);
        };
        let texts = self
            .emit
            .iter()
            .map(|kind| Ok((*kind, self.text(*kind, &subject)?)));
        let texts = texts.collect::<Result<Vec<_>, Refused>>()?;
        if self.output.is_none() && self.emit.contains(&Kind::Obj) {
            let out = std::io::stdout();
            if texts.len() > 1 || out.is_terminal() {
                return Err(Refused(
                    "error: an object file is no text: name a file for it with -o".to_owned(),
                ));
            }
        }
        for (kind, text) in &texts {
            match &self.output {
                None => std::io::stdout().write_all(text)?,
                Some(out) if texts.len() == 1 => write(out, text)?,
                Some(out) => write(&kind.path(out), text)?,
            }
        }
        Ok(true)
    }

    /// The shader by itself, with a layout of 32-bit formats, interleaved in slot 0.
    fn alone(&self) -> Result<Option<Subject>, Refused> {
        let (options, mut includes, source) =
            self.common
                .shader(&self.file, Some(&self.entry), Some(&self.profile))?;
        let name = self.file.display().to_string();
        match fuseline_hlsl::compile(&name, &source, &options, &mut includes) {
            Ok(compiled) => {
                report::diagnostics(&compiled.sources, &compiled.diagnostics, self.common.quiet);
                let key = own_key(&compiled.program)?;
                Ok(Some(Subject { compiled, key }))
            }
            Err(failed) => {
                report::diagnostics(&failed.sources, &failed.diagnostics, self.common.quiet);
                Ok(None)
            }
        }
    }

    /// The shader with the layout and buffers of a draw file.
    fn for_draw(&self, draw: &Path) -> Result<Option<Subject>, Refused> {
        let mut file = DrawFile::read(draw)?;
        let source = std::fs::read(&self.file)
            .map_err(|e| Refused(format!("error: cannot read {}: {e}", self.file.display())))?;
        file.shader = Shader {
            name: self.file.display().to_string(),
            source,
            folder: self.file.parent().unwrap_or(Path::new("")).to_owned(),
            entry: self.entry.clone(),
            profile: self.profile.clone(),
            ..file.shader
        };
        let settings: Settings = self.common.settings(Some(1))?;
        let session = Session::new(file, &settings).map_err(|e| report::run_error(&e))?;
        report::warnings(&session);
        let key = session.pipeline().kernel_key(session.state());
        Ok(Some(Subject {
            compiled: session.compiled().clone(),
            key,
        }))
    }

    fn text(&self, kind: Kind, subject: &Subject) -> Result<Vec<u8>, Refused> {
        let Subject { compiled, key } = subject;
        if let Some(form) = kind.listing() {
            return match listing(&compiled.program, key, &Isa::host()?, form) {
                Err(CompileError::Lower(error)) => {
                    let refused = RunError::Shader(too_large(compiled, &error));
                    Err(report::run_error(&refused))
                }
                other => Ok(other?),
            };
        }
        Ok(match kind {
            Kind::Ast => self.syntax_tree()?.into_bytes(),
            Kind::Reflection => format!("{}\n", compiled.reflection.to_json()).into_bytes(),
            _ => compiled.program.to_string().into_bytes(),
        })
    }

    fn syntax_tree(&self) -> Result<String, Refused> {
        let (options, mut includes, source) =
            self.common
                .shader(&self.file, Some(&self.entry), Some(&self.profile))?;
        let name = self.file.display().to_string();
        Ok(fuseline_hlsl::syntax_tree(&name, &source, &options, &mut includes).to_string())
    }
}

impl Kind {
    fn listing(self) -> Option<Listing> {
        match self {
            Kind::Kir => Some(Listing::Kir),
            Kind::Lir => Some(Listing::Lir),
            Kind::Clif => Some(Listing::Clif),
            Kind::Asm => Some(Listing::Asm),
            Kind::Obj => Some(Listing::Object),
            Kind::Ast | Kind::Hir | Kind::Reflection => None,
        }
    }

    /// `out` with the kind's name behind it.
    fn path(self, out: &Path) -> PathBuf {
        let name = self
            .to_possible_value()
            .map_or_else(String::new, |v| v.get_name().to_owned());
        let mut path = out.as_os_str().to_owned();
        path.push(".");
        path.push(name);
        path.into()
    }
}

fn write(path: &Path, text: &[u8]) -> Result<(), Refused> {
    output_file::write(path, |out| Ok(out.write_all(text)))
}

/// The key for a layout made from the shader's own inputs.
fn own_key(program: &Program) -> Result<KernelKey, Refused> {
    let fed = program.inputs.iter().filter(|input| !input.is_generated());
    let layout = fed.map(own_element).collect::<Result<Vec<_>, _>>()?;
    let stride = layout.iter().map(|element| element.format.bytes()).sum();
    let device = Device::new(DeviceOptions::default())?;
    let pipeline =
        device.create_pipeline(&PipelineDesc::new(Arc::new(program.clone()), &layout))?;
    let mut state = DrawState::default();
    state
        .vertex_buffers
        .insert(0, VertexBufferView::new(&Buffer::default(), stride));
    Ok(pipeline.kernel_key(&state))
}

fn own_element(input: &SignatureElement) -> Result<InputElementDesc, Refused> {
    let channels = ["R32", "R32G32", "R32G32B32", "R32G32B32A32"];
    let channels = channels[usize::from(input.components).clamp(1, 4) - 1];
    let class = match input.scalar {
        Scalar::Float => "FLOAT",
        Scalar::Int => "SINT",
        Scalar::Uint | Scalar::Bool => "UINT",
    };
    let format = Format::from_name(&format!("{channels}_{class}"))?;
    Ok(InputElementDesc::new(
        input.semantic.clone(),
        input.index,
        format,
    ))
}
