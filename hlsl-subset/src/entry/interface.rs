//! The border of an entry: which registers its parameters and return value are, and the constants that its `uniform`
//! parameters are.

use crate::check::module::{ModuleFunction, ParamDecl};
use crate::diagnostic::{Code, Diagnostic, Diagnostics};
use crate::hir::{
    ConstantBufferId, ConstantLoad, EntryBinding, Expr, ExprKind, Function, Place, Stmt, StmtKind,
    Var, VarId, visit,
};
use crate::packing::{self, Declared, Packed};
use crate::profile::{Profile, Stage};
use crate::reflection::{BufferUse, ResourceUse};
use crate::semantics::{Point, SystemValue};
use crate::signature::{Builder, Signature};
use crate::span::Span;
use crate::types::Type;
use fuseline_numerics::op::Op;
use std::collections::HashSet;

/// Stands for the return value while signatures are built.
const RETURN: VarId = VarId(u32::MAX);

/// An entry's border. In the bindings, `var` is the number of a parameter, or [`RETURN`].
pub(super) struct Interface {
    pub inputs: Signature,
    pub outputs: Signature,
    pub params: Option<ParamsBuffer>,
}

/// `$Params`: the uniform parameters.
pub(super) struct ParamsBuffer {
    pub packed: Packed,
    /// Which parameter each member is.
    params: Vec<usize>,
    pub span: Span,
}

impl Interface {
    /// The border of `function` as an entry. Whatever is wrong goes to `diagnostics`.
    pub fn of(
        function: &ModuleFunction,
        profile: Profile,
        default_row_major: bool,
        diagnostics: &mut Diagnostics,
    ) -> Interface {
        let directed = || function.params.iter().zip(&function.hir.params).enumerate();
        let mut builder = Builder::new(profile, default_row_major, diagnostics);
        for (i, (param, _)) in directed().filter(|(_, (p, hir))| hir.is_in && !p.uniform) {
            let (point, ty) = input(param, profile.stage);
            builder.add_as(point, &param.value, ty, &param.name, VarId(i as u32));
        }
        let inputs = builder.finish();
        let mut builder = Builder::new(profile, default_row_major, diagnostics);
        let point = match profile.stage {
            Stage::Vertex => Point::VertexOut,
            Stage::Geometry => Point::GeometryOut,
        };
        for (i, (param, hir)) in directed() {
            match (&param.value.ty, profile.stage) {
                (Type::Object(stream), Stage::Geometry) => {
                    if let Some(element) = stream
                        .element
                        .as_ref()
                        .filter(|_| stream.class.ends_with("Stream"))
                    {
                        builder.add_as(point, &param.value, element, &param.name, VarId(i as u32));
                    }
                }
                _ if hir.is_out => builder.add(point, &param.value, &param.name, VarId(i as u32)),
                _ => {}
            }
        }
        builder.add(point, &function.ret, "", RETURN);
        let outputs = builder.finish();
        if profile.stage == Stage::Vertex {
            refuse_objects(function, diagnostics);
        }
        let params = params_buffer(function, default_row_major, diagnostics);
        Interface {
            inputs,
            outputs,
            params,
        }
    }

    /// Makes the entry's uniform parameters variables that are read from buffer `buffer` when it begins.
    pub fn enter(&self, entry: &mut Function, buffer: ConstantBufferId) {
        let Some(params) = &self.params else { return };
        let mut loads = Vec::with_capacity(params.params.len());
        for (member, param) in params.packed.members.iter().zip(&params.params) {
            let Some(param) = entry.params.get(*param) else {
                continue;
            };
            let components = member.layout.component_offsets();
            let place = Place {
                var: param.var,
                offset: 0,
                dynamic: Vec::new(),
                components: (0..components.len() as u32).collect(),
            };
            let load = ConstantLoad {
                buffer,
                offset: member.offset,
                dynamic: Vec::new(),
                components,
            };
            let expr = |kind| Expr {
                kind,
                ty: member.ty.clone(),
                span: params.span,
            };
            let value = Box::new(expr(ExprKind::ConstantLoad(load)));
            let assign = expr(ExprKind::Assign { place, value });
            loads.push(Stmt {
                kind: StmtKind::Expr(assign),
                span: params.span,
            });
            entry.locals.push(param.var);
        }
        let mut index = 0..;
        entry
            .params
            .retain(|_| index.next().is_none_or(|i| !params.params.contains(&i)));
        entry.body.splice(0..0, loads);
    }

    /// The bindings with the program's numbers: `params` are those of all parameters. Adds a variable for the return
    /// value, if there is one.
    pub fn bindings(
        &self,
        function: &ModuleFunction,
        params: &[VarId],
        vars: &mut Vec<Var>,
    ) -> (Vec<EntryBinding>, Vec<EntryBinding>, Option<VarId>) {
        let slots = function.ret.ty.components();
        let ret = (slots > 0).then(|| {
            let (ty, span) = (function.ret.ty.clone(), function.ret.span);
            vars.push(Var {
                name: "%return".to_owned(),
                ty,
                slots,
                span,
            });
            VarId(vars.len() as u32 - 1)
        });
        let renamed = |signature: &Signature| {
            let var = |b: &EntryBinding| match b.var {
                RETURN => ret,
                VarId(i) => params.get(i as usize).copied(),
            };
            signature
                .bindings
                .iter()
                .filter_map(|b| Some(EntryBinding { var: var(b)?, ..*b }))
                .collect()
        };
        (renamed(&self.inputs), renamed(&self.outputs), ret)
    }

    /// Warns of inputs no component of which is read, and of an entry without inputs.
    pub fn warn_of_unused(
        &self,
        function: &ModuleFunction,
        entry: &Function,
        params: &[VarId],
        diagnostics: &mut Diagnostics,
    ) {
        if self.inputs.elements.is_empty() {
            let message = format!(
                "entry `{}` has no input: it does the same for every vertex",
                entry.name
            );
            diagnostics.report(Code::NoInput, entry.span, message);
        }
        let read = SlotsRead::of(entry);
        for (i, element) in self.inputs.elements.iter().enumerate() {
            let mut bound = self
                .inputs
                .bindings
                .iter()
                .filter(|b| b.element as usize == i);
            let is_read = |b: &EntryBinding| {
                params
                    .get(b.var.0 as usize)
                    .is_some_and(|v| read.has(*v, b.slot))
            };
            // What comes in and goes out again is read by being there.
            let goes_out = |b: &EntryBinding| {
                function
                    .hir
                    .params
                    .get(b.var.0 as usize)
                    .is_some_and(|p| p.is_out)
            };
            if !bound.any(|b| is_read(b) || goes_out(b)) {
                let message = format!(
                    "input `{}{}` is never read",
                    element.semantic, element.index
                );
                diagnostics.report(Code::UnusedInput, element.span, message);
            }
        }
    }
}

/// Where a parameter comes in, and the type that is spread over registers.
fn input(param: &ParamDecl, stage: Stage) -> (Point, &Type) {
    match (stage, &param.value.ty) {
        (Stage::Vertex, ty) => (Point::VertexIn, ty),
        (Stage::Geometry, Type::Array(element, _)) if param.primitive.is_some() => {
            (Point::GeometryVertexIn, element)
        }
        (Stage::Geometry, ty) => (Point::GeometryIn, ty),
    }
}

/// A vertex shader's parameters and return value are numbers.
fn refuse_objects(function: &ModuleFunction, diagnostics: &mut Diagnostics) {
    let params = function
        .params
        .iter()
        .map(|p| (format!("parameter `{}`", p.name), &p.value));
    for (what, value) in params.chain([("the return value".to_owned(), &function.ret)]) {
        if let Some(object) = object_in(&value.ty) {
            let message = format!(
                "{what} of the entry holds a {object}, which has no register in a signature"
            );
            let hint = "declare it outside of all functions";
            diagnostics.push(Diagnostic::new(Code::BadEntry, value.span, message).hint(hint));
        }
    }
}

fn object_in(ty: &Type) -> Option<&str> {
    match ty {
        Type::Object(object) => Some(&object.class),
        Type::Array(element, _) => object_in(element),
        Type::Struct(s) => s.fields.iter().find_map(|f| object_in(&f.ty)),
        Type::Void | Type::Scalar(_) | Type::Enum(_) | Type::Vector(..) | Type::Matrix(..) => None,
    }
}

fn params_buffer(
    function: &ModuleFunction,
    default_row_major: bool,
    diagnostics: &mut Diagnostics,
) -> Option<ParamsBuffer> {
    let uniform = || {
        function
            .params
            .iter()
            .enumerate()
            .filter(|(_, p)| p.uniform && p.value.ty.components() > 0)
    };
    let declared: Vec<Declared> = uniform()
        .map(|(_, p)| Declared {
            name: &p.name,
            ty: &p.value.ty,
            row_major: p.value.row_major,
            at: None,
            span: p.value.span,
        })
        .collect();
    let span = declared.first()?.span;
    match packing::pack(&declared, default_row_major, false) {
        Ok(packed) => Some(ParamsBuffer {
            packed,
            params: uniform().map(|(i, _)| i).collect(),
            span,
        }),
        Err(error) => {
            diagnostics.push(error.diagnostic());
            None
        }
    }
}

/// Takes back what the checker did to NaNs where the bits of an entry's parameter are asked for: they are its own
/// (decisions.md, row *NaN*).
pub(super) fn keep_input_bits(entry: &mut Function, params: &[VarId]) {
    visit::walk_mut(&mut entry.body, &mut |e| {
        let value = match &mut e.kind {
            ExprKind::Op(Op::AsInt, args) => args.first_mut(),
            ExprKind::Builtin(_, value) => Some(value.as_mut()),
            _ => None,
        };
        if let Some(value) = value
            && let ExprKind::Op(Op::Canon, inner) = &mut value.kind
            && inner.first().is_some_and(|e| is_part_of(e, params))
            && let Some(inner) = inner.pop()
        {
            *value = inner;
        }
    });
}

fn is_part_of(e: &Expr, params: &[VarId]) -> bool {
    match &e.kind {
        ExprKind::Pick(inner, _) => is_part_of(inner, params),
        ExprKind::Load(place) => params.contains(&place.var),
        _ => false,
    }
}

/// The slots of the entry's variables that are read somewhere.
#[derive(Default)]
struct SlotsRead {
    slots: HashSet<(VarId, u32)>,
    /// Variables indexed at run time: any slot may be read.
    whole: HashSet<VarId>,
}

impl SlotsRead {
    fn of(entry: &Function) -> SlotsRead {
        let mut read = SlotsRead::default();
        visit::walk(&entry.body, &mut |e| {
            let ExprKind::Load(place) = &e.kind else {
                return;
            };
            if place.dynamic.is_empty() {
                read.slots.extend(
                    place
                        .components
                        .iter()
                        .map(|c| (place.var, place.offset + c)),
                );
            } else {
                read.whole.insert(place.var);
            }
        });
        read
    }

    fn has(&self, var: VarId, slot: u32) -> bool {
        self.whole.contains(&var) || self.slots.contains(&(var, slot))
    }
}

/// The lowest profile of the stage that has what is used.
pub(super) fn required_profile(
    profile: Profile,
    inputs: &Signature,
    outputs: &Signature,
    buffers: &[BufferUse],
    resources: &[ResourceUse],
) -> Profile {
    let lowest = Profile {
        stage: profile.stage,
        major: 4,
        minor: 0,
    };
    let registers = |s: &Signature| {
        s.elements
            .iter()
            .filter_map(|e| e.register)
            .max()
            .map_or(0, |r| r + 1)
    };
    let many = registers(inputs).max(registers(outputs)) > lowest.signature_registers();
    let spaces = buffers.iter().any(|b| b.used && b.buffer.space > 0)
        || resources.iter().any(|r| r.used && r.space > 0);
    let unbounded = resources.iter().any(|r| r.used && r.count == 0);
    let structured = |r: &ResourceUse| r.ty.contains("Structured") || r.ty.contains("ByteAddress");
    let models = [
        (many, 4, 1),
        (resources.iter().any(|r| r.used && structured(r)), 5, 0),
        (spaces || unbounded, 5, 1),
    ];
    let values = inputs
        .elements
        .iter()
        .chain(&outputs.elements)
        .filter_map(|e| e.system_value)
        .map(|v| match v {
            SystemValue::ViewId => (6, 1),
            SystemValue::ShadingRate => (6, 4),
            SystemValue::StartVertexLocation | SystemValue::StartInstanceLocation => (6, 8),
            _ => (4, 0),
        });
    let (major, minor) = models
        .into_iter()
        .filter(|(needed, ..)| *needed)
        .map(|(_, major, minor)| (major, minor))
        .chain(values)
        .max()
        .unwrap_or((4, 0));
    Profile {
        major,
        minor,
        ..lowest
    }
}
