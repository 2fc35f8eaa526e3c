//! Kir as text: what `--emit kir` shows, tests are written in, and [`super::parse`] reads.
//!
//! ```text
//! array a0[16]
//! table t0 = [1, 2, 3]
//! v0: i32 {vertex} = read word 0+4 w4
//! v1: f32 {vertex} = asfloat v0
//! v2: f32 {} = cload c0[+16]
//! v3: f32 {vertex} = fma v1, v2, 1.0
//! v4: bool {vertex} = flt v3, 0.0
//! v5: f32 {vertex} = if v4 {
//!   v6: f32 {vertex} = fneg v3
//!   yield v6
//! } else {
//!   yield v3
//! }
//! v7: i32 {} = loop (v8: i32 = 0) bound 4 {
//!   v9: i32 {} = iadd v8, 1
//!   v10: bool {} = slt v9, 4
//!   yield v10, v9
//! }
//! store o0.1 = v5
//! ```
//!
//! Constants stand where they are used. What varies with what (`{vertex}`) is shown where it is known.

use super::{Function, Inst, InstData, Region, Source, Value};
use crate::kernel::Rate;
use crate::stage::Staged;
use fuseline_hlsl::hir::BranchHint;
use fuseline_numerics::op::Kind;
use fuseline_numerics::scalar;
use std::fmt::{self, Display, Write};

/// A function that can be formatted; from [`print`].
#[derive(Debug)]
pub struct Printed<'a> {
    function: &'a Function,
    body: &'a Region,
    rates: &'a [Rate],
    constants: Vec<Option<u32>>,
}

/// The text of `body`, a region of `function` (its own, or a stage's), with the rates of its values where they are known
/// (empty otherwise). [`declarations`] are not part of it.
pub fn print<'a>(function: &'a Function, body: &'a Region, rates: &'a [Rate]) -> Printed<'a> {
    let mut constants = vec![None; function.kinds.len()];
    for data in &function.insts {
        if let (Inst::Constant(bits), Some(v)) = (&data.inst, data.results.first()) {
            constants[v.index()] = Some(*bits);
        }
    }
    Printed {
        function,
        body,
        rates,
        constants,
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&declarations(self))?;
        print(self, &self.body, &[]).fmt(f)
    }
}

impl Display for Staged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&declarations(&self.function))?;
        for stage in &self.stages {
            writeln!(f, "; per {}", stage.rate)?;
            print(&self.function, &stage.region, &self.rates).fmt(f)?;
        }
        Ok(())
    }
}

/// The text of a function's arrays and tables.
pub fn declarations(function: &Function) -> String {
    let mut text = String::new();
    for (i, len) in function.arrays.iter().enumerate() {
        let _ = writeln!(text, "array a{i}[{len}]");
    }
    for (i, table) in function.tables.iter().enumerate() {
        let entries: Vec<String> = table.iter().map(|&e| (e as i32).to_string()).collect();
        let _ = writeln!(text, "table t{i} = [{}]", entries.join(", "));
    }
    text
}

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.region(f, self.body, 0)
    }
}

/// A kind's name in Kir text.
pub(super) fn kind_text(kind: Kind) -> &'static str {
    match kind {
        Kind::F32 => "f32",
        Kind::I32 => "i32",
        Kind::Bool => "bool",
    }
}

/// A constant as [`super::parse`] reads it: its form tells its kind.
fn literal(kind: Kind, bits: u32) -> String {
    match kind {
        Kind::Bool => (bits != 0).to_string(),
        Kind::I32 => (bits as i32).to_string(),
        Kind::F32 if scalar::is_nan(bits) => format!("nan({bits:08x})"),
        Kind::F32 => format!("{:?}", f32::from_bits(bits)),
    }
}

impl Printed<'_> {
    fn value(&self, v: Value) -> String {
        match self.constants.get(v.index()) {
            Some(Some(bits)) => literal(self.function.kinds[v.index()], *bits),
            _ => format!("v{}", v.0),
        }
    }

    fn values(&self, values: &[Value]) -> String {
        let texts: Vec<String> = values.iter().map(|v| self.value(*v)).collect();
        texts.join(", ")
    }

    fn definition(&self, v: Value) -> String {
        let mut text = format!("v{}: {}", v.0, kind_text(self.function.kinds[v.index()]));
        if let Some(rate) = self.rates.get(v.index()) {
            let _ = write!(text, " {rate}");
        }
        text
    }

    fn region(&self, f: &mut fmt::Formatter<'_>, region: &Region, indent: usize) -> fmt::Result {
        for inst in &region.insts {
            let data = &self.function.insts[inst.index()];
            if !matches!(data.inst, Inst::Constant(_)) {
                write!(f, "{:indent$}", "")?;
                self.inst(f, data, indent)?;
                writeln!(f)?;
            }
        }
        if !region.yields.is_empty() {
            writeln!(f, "{:indent$}yield {}", "", self.values(&region.yields))?;
        }
        Ok(())
    }

    fn inst(&self, f: &mut fmt::Formatter<'_>, data: &InstData, indent: usize) -> fmt::Result {
        let results: Vec<String> = data.results.iter().map(|v| self.definition(*v)).collect();
        if !results.is_empty() {
            write!(f, "{} = ", results.join(", "))?;
        }
        match &data.inst {
            Inst::Constant(_) => Ok(()),
            Inst::Op(op, args) => write!(f, "{} {}", op.text(), self.values(args)),
            Inst::Read(source) => write!(f, "read {}", SourceText(*source)),
            Inst::ConstantLoad {
                buffer,
                address,
                offset,
            } => match address {
                Some(a) => write!(f, "cload c{buffer}[{} +{offset}]", self.value(*a)),
                None => write!(f, "cload c{buffer}[+{offset}]"),
            },
            Inst::TableLoad { table, index } => write!(f, "tload t{table}[{}]", self.value(*index)),
            Inst::ArrayLoad { array, index } => write!(f, "aload a{array}[{}]", self.value(*index)),
            Inst::ArrayStore {
                array,
                index,
                value,
            } => write!(
                f,
                "astore a{array}[{}] = {}",
                self.value(*index),
                self.value(*value)
            ),
            Inst::Store {
                element,
                component,
                value,
            } => write!(f, "store o{element}.{component} = {}", self.value(*value)),
            Inst::If {
                cond,
                then,
                els,
                hint,
            } => {
                let hint = match hint {
                    BranchHint::None => "",
                    BranchHint::Branch => " branch",
                    BranchHint::Flatten => " flatten",
                };
                writeln!(f, "if {}{hint} {{", self.value(*cond))?;
                self.region(f, then, indent + 2)?;
                if !els.insts.is_empty() || !els.yields.is_empty() {
                    writeln!(f, "{:indent$}}} else {{", "")?;
                    self.region(f, els, indent + 2)?;
                }
                write!(f, "{:indent$}}}", "")
            }
            Inst::Loop { init, body, bound } => {
                let params: Vec<String> = body
                    .params
                    .iter()
                    .zip(init)
                    .map(|(p, i)| format!("{} = {}", self.definition(*p), self.value(*i)))
                    .collect();
                write!(f, "loop ({})", params.join(", "))?;
                if let Some(bound) = bound {
                    write!(f, " bound {bound}")?;
                }
                writeln!(f, " {{")?;
                self.region(f, body, indent + 2)?;
                write!(f, "{:indent$}}}", "")
            }
        }
    }
}

struct SourceText(Source);

impl Display for SourceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Source::Input { element, component } => write!(f, "input {element}.{component}"),
            Source::Word {
                element,
                byte,
                width,
            } => write!(f, "word {element}+{byte} w{width}"),
            Source::VertexId => f.write_str("vertex_id"),
            Source::InstanceId => f.write_str("instance_id"),
            Source::ViewId => f.write_str("view_id"),
            Source::StartVertex => f.write_str("start_vertex"),
            Source::StartInstance => f.write_str("start_instance"),
        }
    }
}
