//! Lir as text.
//!
//! ```text
//! group:
//!   v3 = load.f32x4 [stream0 + 16]
//!   v4 = fma v3, kept2, v1
//! ```
//! Constants, kept values and inputs stand where they are used.

use super::{Address, Function, Input, Inst, InstId, Memory, Region, Slot, StageKind, Value};
use std::fmt::{self, Write};

/// A function's text.
pub struct Printed<'a> {
    f: &'a Function,
    remade: Vec<Option<InstId>>,
}

/// Prepares a function for printing with `Display`.
pub fn print(f: &Function) -> Printed<'_> {
    let mut remade = vec![None; f.types.len()];
    for (i, data) in f.insts.iter().enumerate() {
        if let (true, Some(r)) = (data.inst.is_remade(), data.results.first()) {
            remade[r.0 as usize] = Some(InstId(i as u32));
        }
    }
    Printed { f, remade }
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let f = self.f;
        writeln!(
            out,
            "; groups of {}, {} slots, {} per view, {} bytes of arrays",
            f.group(),
            f.shared_slots,
            f.view_slots,
            f.array_bytes
        )?;
        for (i, table) in f.tables.iter().enumerate() {
            let words: Vec<String> = table.iter().map(|w| format!("0x{w:x}")).collect();
            writeln!(out, "table{i} = [{}]", words.join(", "))?;
        }
        for e in &f.extended {
            writeln!(out, "constants{}.extended to {} bytes", e.buffer, e.bytes)?;
        }
        for l in &f.limits {
            writeln!(
                out,
                "kept{} = limit constants{}, {}",
                l.slot, l.buffer, l.bytes
            )?;
        }
        for fixed in &f.fixed {
            for (i, address) in fixed.addresses.iter().enumerate() {
                let slot = fixed.first_slot as usize + i;
                writeln!(out, "kept{slot} = constants{}[{address}]", fixed.buffer)?;
            }
        }
        for kind in StageKind::ALL {
            let region = &f.stages[kind.index()];
            if !region.insts.is_empty() {
                writeln!(out, "{}:", kind.text())?;
                self.region(out, region, 1)?;
            }
        }
        Ok(())
    }
}

impl Printed<'_> {
    fn region(&self, out: &mut fmt::Formatter<'_>, region: &Region, depth: usize) -> fmt::Result {
        for &id in &region.insts {
            if !self.f.inst(id).is_remade() {
                self.inst(out, id, depth)?;
            }
        }
        Ok(())
    }

    fn yields(&self, out: &mut fmt::Formatter<'_>, region: &Region, depth: usize) -> fmt::Result {
        if region.yields.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "{:indent$}yield {}",
            "",
            self.list(&region.yields),
            indent = 2 * depth
        )
    }

    fn inst(&self, out: &mut fmt::Formatter<'_>, id: InstId, depth: usize) -> fmt::Result {
        let data = &self.f.insts[id.0 as usize];
        let indent = 2 * depth;
        write!(out, "{:indent$}", "")?;
        if !data.results.is_empty() {
            write!(out, "{} = ", self.list(&data.results))?;
        }
        let ty = data.results.first().map_or("", |&r| self.f.ty(r).text());
        match &data.inst {
            Inst::Op(op, args) => writeln!(out, "{} {}", op.text(), self.list(args)),
            Inst::Shuffle(a, b, lanes) => {
                let [x, y, z, w] = lanes;
                writeln!(
                    out,
                    "shuffle {}, {}, {x}{y}{z}{w}",
                    self.value(*a),
                    self.value(*b)
                )
            }
            Inst::Extract(a, lane) => writeln!(out, "extract {}, {lane}", self.value(*a)),
            Inst::Insert(a, lane, x) => {
                writeln!(out, "insert {}, {lane}, {}", self.value(*a), self.value(*x))
            }
            Inst::Keep(slot, v) => writeln!(out, "{} = {}", slot_text(*slot), self.value(*v)),
            Inst::Load(a) => writeln!(out, "load.{ty} {}", self.address(a)),
            Inst::LoadLow(n, a) => writeln!(out, "load_low{n}.{ty} {}", self.address(a)),
            Inst::LoadSplat(a) => writeln!(out, "load_splat.{ty} {}", self.address(a)),
            Inst::LoadLane(v, lane, a) => writeln!(
                out,
                "load_lane {}, {lane}, {}",
                self.value(*v),
                self.address(a)
            ),
            Inst::LoadScalar(n, a) => writeln!(out, "load{n}.{ty} {}", self.address(a)),
            Inst::Store(v, a) | Inst::StoreScalar(v, a) => {
                writeln!(out, "store {}, {}", self.value(*v), self.address(a))
            }
            Inst::StoreLanes {
                value,
                lane,
                bytes,
                address,
            } => writeln!(
                out,
                "store{bytes} {}.{lane}, {}",
                self.value(*value),
                self.address(address)
            ),
            Inst::Clear(n, a) => writeln!(out, "clear {n}, {}", self.address(a)),
            Inst::Rows {
                outside,
                addresses,
                base,
                begin,
                span,
                ..
            } => writeln!(
                out,
                "rows [{} + {begin} + {}], {span}, {}",
                self.value(*base),
                self.list(addresses),
                self.value(*outside)
            ),
            Inst::Canonicalise { table, address } => {
                writeln!(out, "canonicalise table{table}, {}", self.address(address))
            }
            Inst::Exit(c, status) => writeln!(out, "exit {status:?} if {}", self.value(*c)),
            Inst::Spend(v) => writeln!(out, "spend {}", self.value(*v)),
            Inst::If { cond, then, els } => {
                writeln!(out, "if {} {{", self.value(*cond))?;
                self.region(out, then, depth + 1)?;
                self.yields(out, then, depth + 1)?;
                if !els.insts.is_empty() || !els.yields.is_empty() {
                    writeln!(out, "{:indent$}}} else {{", "")?;
                    self.region(out, els, depth + 1)?;
                    self.yields(out, els, depth + 1)?;
                }
                writeln!(out, "{:indent$}}}", "")
            }
            Inst::Loop { init, body } => {
                writeln!(
                    out,
                    "loop {} = {} {{",
                    self.list(&body.params),
                    self.list(init)
                )?;
                self.region(out, body, depth + 1)?;
                self.yields(out, body, depth + 1)?;
                writeln!(out, "{:indent$}}}", "")
            }
            Inst::Lanes(_) | Inst::Scalar(_) | Inst::Input(_) | Inst::Kept(_) => Ok(()),
        }
    }

    fn list(&self, values: &[Value]) -> String {
        let texts: Vec<String> = values.iter().map(|&v| self.value(v)).collect();
        texts.join(", ")
    }

    fn value(&self, v: Value) -> String {
        match self.remade[v.0 as usize].map(|id| self.f.inst(id)) {
            Some(Inst::Lanes(words)) => lanes_text(self.f.ty(v) == super::Type::F32X4, words),
            Some(Inst::Scalar(n)) => n.to_string(),
            Some(Inst::Kept(slot)) => slot_text(*slot),
            Some(Inst::Input(input)) => input_text(*input),
            _ => format!("v{}", v.0),
        }
    }

    fn address(&self, a: &Address) -> String {
        let memory = match a.memory {
            Memory::ReadOnly => String::new(),
            Memory::Array(n) => format!("array{n} "),
            Memory::Output => String::new(),
        };
        format!("{memory}[{} + {}]", self.value(a.base), a.offset)
    }
}

fn slot_text(slot: Slot) -> String {
    match slot {
        Slot::Shared(n) => format!("kept{n}"),
        Slot::PerView(n) => format!("view_kept{n}"),
        Slot::Spilled(n) => format!("spilled{n}"),
    }
}

fn lanes_text(float: bool, words: &[u32; 4]) -> String {
    let one = |w: &u32| {
        let x = f32::from_bits(*w);
        if float && x.is_finite() {
            format!("{x:?}")
        } else {
            format!("0x{w:x}")
        }
    };
    if words.iter().all(|w| w == &words[0]) {
        return one(&words[0]);
    }
    let mut text = String::from("(");
    for (i, w) in words.iter().enumerate() {
        let _ = write!(text, "{}{}", if i > 0 { " " } else { "" }, one(w));
    }
    text + ")"
}

fn input_text(input: Input) -> String {
    match input {
        Input::Position => "position".into(),
        Input::Instance => "instance".into(),
        Input::View => "view".into(),
        Input::FirstVertexId => "first_vertex_id".into(),
        Input::StartVertex => "start_vertex".into(),
        Input::StartInstance => "start_instance".into(),
        Input::LoopLimit => "loop_limit".into(),
        Input::StoreVertexRate => "store_vertex_rate".into(),
        Input::Ids => "ids".into(),
        Input::Stream { stream, lane: 0 } => format!("stream{stream}"),
        Input::Stream { stream, lane } => format!("stream{stream}.{lane}"),
        Input::Row(block) => format!("row{block}"),
        Input::ConstantBase(c) => format!("constants{c}"),
        Input::Extended(c) => format!("constants{c}.extended"),
        Input::ConstantSize(c) => format!("constants{c}.size"),
        Input::InstanceBase(s) => format!("instances{s}"),
        Input::InstanceOffset(s) => format!("instances{s}.offset"),
        Input::InstanceEnd(s) => format!("instances{s}.end"),
        Input::Arrays => "arrays".into(),
        Input::Zeros => "zeros".into(),
        Input::Table(t) => format!("table{t}"),
    }
}
