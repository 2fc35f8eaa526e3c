//! Native code in memory, and its owner.
//!
//! The memory is freed when the owner goes; whoever runs the code holds the owner. Must not know what the code does.

use crate::emit::Frame;
use crate::emit::inst::Emitter;
use crate::emit::nest;
use crate::emit::rodata::Rodata;
use crate::isa::Isa;
use crate::lir::Function;
use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, Signature, UserFuncName, types};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{
    DataDescription, FuncId, Linkage, Module, ModuleError, default_libcall_names,
};
use cranelift_object::{ObjectBuilder, ObjectModule};
use std::mem::ManuallyDrop;

/// Cranelift could not make code. No shader should lead here; it is an error of ours that costs only this kernel.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// Compiling or linking failed.
    #[error("code generation failed: {0}")]
    Module(#[from] Box<ModuleError>),
    /// The code could not be printed.
    #[error("code generation failed: {0}")]
    Compile(String),
}

impl From<ModuleError> for CodeError {
    fn from(e: ModuleError) -> CodeError {
        CodeError::Module(Box::new(e))
    }
}

/// Code in executable memory.
pub struct Code {
    module: ManuallyDrop<JITModule>,
    entry: *const u8,
    bytes: usize,
}

// SAFETY: the module is not used after `Code::new` but to free the memory, with exclusive access; the code itself does
// not change, and may run on any number of threads.
unsafe impl Send for Code {}
// SAFETY: as above; through a shared reference only the entry's address is read.
unsafe impl Sync for Code {}

impl Code {
    /// Compiles a function.
    pub fn new(isa: &Isa, f: &Function, frame: Frame<'_>) -> Result<Code, CodeError> {
        let builder =
            JITBuilder::with_isa(isa.target(f.insts.len()).clone(), default_libcall_names());
        let mut module = JITModule::new(builder);
        let defined = define(&mut module, isa, f, frame)
            .and_then(|made| Ok((module.finalize_definitions()?, made).1));
        match defined {
            Ok((id, bytes)) => Ok(Code {
                entry: module.get_finalized_function(id),
                module: ManuallyDrop::new(module),
                bytes,
            }),
            Err(e) => {
                // SAFETY: nothing of the module has run or will.
                unsafe { module.free_memory() };
                Err(e)
            }
        }
    }

    /// Its first instruction; valid as long as the owner lives.
    pub fn entry(&self) -> *const u8 {
        self.entry
    }

    /// Bytes of machine code.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        // SAFETY: the module is not used again, and nobody runs the code: they would hold a reference to its owner.
        unsafe { ManuallyDrop::take(&mut self.module).free_memory() }
    }
}

/// The kernel's Cranelift function, and its constant data.
pub fn build<M: Module>(
    module: &mut M,
    isa: &Isa,
    f: &Function,
    frame: Frame<'_>,
) -> Result<(FuncId, Context), CodeError> {
    let mut signature = Signature::new(isa.call_conv());
    signature.params.push(AbiParam::new(types::I64));
    signature.returns.push(AbiParam::new(types::I32));
    let id = module.declare_function("kernel", Linkage::Export, &signature)?;
    let data = module.declare_data("kernel_constants", Linkage::Local, false, false)?;
    let mut context = module.make_context();
    context.func.signature = signature;
    context.func.name = UserFuncName::user(0, 0);
    let mut builder_context = FunctionBuilderContext::new();
    let mut rodata = Rodata::default();
    {
        let constants = module.declare_data_in_func(data, &mut context.func);
        let mut b = FunctionBuilder::new(&mut context.func, &mut builder_context);
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let args = b.block_params(entry)[0];
        let bases = nest::bases(&mut b, f, args, constants);
        Emitter::new(b, f, &mut rodata, bases, isa.is_x86())
            .kernel(frame, isa.target(f.insts.len()).frontend_config());
    }
    let mut description = DataDescription::new();
    description.set_align(16);
    description.define(rodata.into_bytes().into_boxed_slice());
    module.define_data(data, &description)?;
    Ok((id, context))
}

/// Compiles the kernel into a module: its function and the number of bytes of its code.
pub fn define<M: Module>(
    module: &mut M,
    isa: &Isa,
    f: &Function,
    frame: Frame<'_>,
) -> Result<(FuncId, usize), CodeError> {
    let (id, mut context) = build(module, isa, f, frame)?;
    module.define_function(id, &mut context)?;
    let bytes = context.compiled_code().map_or(0, |c| c.code_buffer().len());
    Ok((id, bytes))
}

/// A module that is thrown away or written to a file.
fn object_module(isa: &Isa, f: &Function) -> Result<ObjectModule, CodeError> {
    let target = isa.target(f.insts.len()).clone();
    let builder = ObjectBuilder::new(target, "kernel", default_libcall_names())?;
    Ok(ObjectModule::new(builder))
}

/// The kernel as Cranelift gets it.
pub fn clif(isa: &Isa, f: &Function, frame: Frame<'_>) -> Result<String, CodeError> {
    let (_, context) = build(&mut object_module(isa, f)?, isa, f, frame)?;
    Ok(context.func.display().to_string())
}

/// The kernel's machine instructions.
pub fn assembly(isa: &Isa, f: &Function, frame: Frame<'_>) -> Result<String, CodeError> {
    let (_, mut context) = build(&mut object_module(isa, f)?, isa, f, frame)?;
    context.set_disasm(true);
    let compiled = context
        .compile(isa.target(f.insts.len()).as_ref(), &mut Default::default())
        .map_err(|e| CodeError::Compile(e.inner.to_string()))?;
    Ok(compiled.vcode.clone().unwrap_or_default())
}

/// An object file that holds the kernel.
pub fn object(isa: &Isa, f: &Function, frame: Frame<'_>) -> Result<Vec<u8>, CodeError> {
    let mut module = object_module(isa, f)?;
    define(&mut module, isa, f, frame)?;
    let product = module.finish();
    product
        .emit()
        .map_err(|e| CodeError::Compile(e.to_string()))
}
