//! Reads Kir's text form ([`super::text`]) as it stands, without simplifying anything. Rates are skipped.

use super::text::kind_text;
use super::{Function, Inst, InstData, InstId, Region, Source, Value};
use fuseline_hlsl::hir::BranchHint;
use fuseline_numerics::op::{Kind, Op};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Most regions inside each other.
const MAX_DEPTH: usize = 100;

/// What is wrong with the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

/// The function that `text` describes. What [`super::verify`] checks is not checked here.
pub fn parse(text: &str) -> Result<Function, ParseError> {
    let mut parser = Parser {
        tokens: tokens(text),
        at: 0,
        function: Function::default(),
        names: FxHashMap::default(),
        constants: FxHashMap::default(),
        prologue: Vec::new(),
        depth: 0,
    };
    parser.declarations()?;
    let mut body = parser.region(Vec::new())?;
    if parser.at < parser.tokens.len() {
        return Err(parser.error("expected an instruction"));
    }
    parser.prologue.append(&mut body.insts);
    body.insts = parser.prologue;
    parser.function.body = body;
    Ok(parser.function)
}

/// Words (letters, digits, `_ . -`) and single signs, each with its line.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split(';').next().unwrap_or("");
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let len = if word(first) {
                rest.find(|c| !word(c)).unwrap_or(rest.len())
            } else {
                first.len_utf8()
            };
            out.push((i + 1, &rest[..len]));
            rest = rest[len..].trim_start();
        }
    }
    out
}

struct Parser<'a> {
    tokens: Vec<(usize, &'a str)>,
    at: usize,
    function: Function,
    names: FxHashMap<&'a str, Value>,
    constants: FxHashMap<(Kind, u32), Value>,
    prologue: Vec<InstId>,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn error(&self, message: impl Into<String>) -> ParseError {
        let last = self.tokens.last().map_or(1, |t| t.0);
        ParseError {
            line: self.tokens.get(self.at).map_or(last, |t| t.0),
            message: message.into(),
        }
    }

    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |t| t.1)
    }

    fn next(&mut self) -> &'a str {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), ParseError> {
        if self.eat(token) {
            return Ok(());
        }
        Err(self.error(format!("expected `{token}`, found `{}`", self.peek())))
    }

    /// A number with the letters of `prefix` before it.
    fn number(&mut self, prefix: &str) -> Result<u32, ParseError> {
        let digits = self.peek().strip_prefix(prefix);
        let Some(number) = digits.and_then(|d| d.parse().ok()) else {
            return Err(self.error(format!("expected `{prefix}` and a number")));
        };
        self.at += 1;
        Ok(number)
    }

    fn declarations(&mut self) -> Result<(), ParseError> {
        loop {
            if self.eat("array") {
                self.number("a")?;
                self.expect("[")?;
                let len = self.number("")?;
                self.function.arrays.push(len);
                self.expect("]")?;
            } else if self.eat("table") {
                self.number("t")?;
                self.expect("=")?;
                self.expect("[")?;
                let mut entries = Vec::new();
                while !self.eat("]") {
                    let text = self.next();
                    let entry: i32 = text
                        .parse()
                        .map_err(|_| self.error(format!("`{text}` is no table entry")))?;
                    entries.push(entry as u32);
                    self.eat(",");
                }
                self.function.tables.push(entries);
            } else {
                return Ok(());
            }
        }
    }

    /// Instructions up to `}` or the end.
    fn region(&mut self, params: Vec<Value>) -> Result<Region, ParseError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("regions are nested too deeply"));
        }
        let mut region = Region {
            params,
            ..Region::default()
        };
        while !matches!(self.peek(), "" | "}") {
            if self.eat("yield") {
                region.yields.push(self.operand()?);
                while self.eat(",") {
                    region.yields.push(self.operand()?);
                }
                break;
            }
            let inst = self.statement()?;
            region.insts.push(inst);
        }
        self.depth -= 1;
        Ok(region)
    }

    fn block(&mut self, params: Vec<Value>) -> Result<Region, ParseError> {
        self.expect("{")?;
        let region = self.region(params)?;
        self.expect("}")?;
        Ok(region)
    }

    fn statement(&mut self) -> Result<InstId, ParseError> {
        let mut definitions = Vec::new();
        if self.tokens.get(self.at + 1).is_some_and(|t| t.1 == ":") {
            loop {
                definitions.push(self.definition()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("=")?;
        }
        let inst = self.inst()?;
        let id = InstId(self.function.insts.len() as u32);
        let results = definitions
            .into_iter()
            .map(|(name, kind)| self.define(name, kind))
            .collect();
        self.function.insts.push(InstData { inst, results });
        Ok(id)
    }

    /// `v1: f32 {vertex}`.
    fn definition(&mut self) -> Result<(&'a str, Kind), ParseError> {
        let name = self.next();
        self.expect(":")?;
        let kinds = [Kind::F32, Kind::I32, Kind::Bool];
        let Some(kind) = kinds.into_iter().find(|k| kind_text(*k) == self.peek()) else {
            return Err(self.error(format!("`{}` is no kind", self.peek())));
        };
        self.at += 1;
        if self.eat("{") {
            while !self.eat("}") && self.at < self.tokens.len() {
                self.at += 1;
            }
        }
        Ok((name, kind))
    }

    fn define(&mut self, name: &'a str, kind: Kind) -> Value {
        let v = Value(self.function.kinds.len() as u32);
        self.function.kinds.push(kind);
        self.names.insert(name, v);
        v
    }

    /// A value by name, or a constant.
    fn operand(&mut self) -> Result<Value, ParseError> {
        let text = self.next();
        if let Some(v) = self.names.get(text) {
            return Ok(*v);
        }
        let (kind, bits) = match text {
            "true" => (Kind::Bool, 1),
            "false" => (Kind::Bool, 0),
            "inf" => (Kind::F32, f32::INFINITY.to_bits()),
            "-inf" => (Kind::F32, f32::NEG_INFINITY.to_bits()),
            "nan" => {
                self.expect("(")?;
                let bits = u32::from_str_radix(self.next(), 16)
                    .map_err(|e| self.error(format!("NaN: {e}")))?;
                self.expect(")")?;
                (Kind::F32, bits)
            }
            _ => {
                if let Ok(int) = text.parse::<i32>() {
                    (Kind::I32, int as u32)
                } else if let (true, Ok(float)) = (text.contains(['.', 'e']), text.parse::<f32>()) {
                    (Kind::F32, float.to_bits())
                } else {
                    self.at -= 1;
                    return Err(self.error(format!("`{text}` is no value")));
                }
            }
        };
        Ok(self.constant(kind, bits))
    }

    fn constant(&mut self, kind: Kind, bits: u32) -> Value {
        if let Some(v) = self.constants.get(&(kind, bits)) {
            return *v;
        }
        let v = Value(self.function.kinds.len() as u32);
        self.function.kinds.push(kind);
        self.prologue.push(InstId(self.function.insts.len() as u32));
        self.function.insts.push(InstData {
            inst: Inst::Constant(bits),
            results: SmallVec::from_slice(&[v]),
        });
        self.constants.insert((kind, bits), v);
        v
    }

    fn indexed(&mut self, prefix: &str) -> Result<(u32, Value), ParseError> {
        let number = self.number(prefix)?;
        self.expect("[")?;
        let index = self.operand()?;
        self.expect("]")?;
        Ok((number, index))
    }

    fn inst(&mut self) -> Result<Inst, ParseError> {
        let name = self.next();
        match name {
            "read" => self.source().map(Inst::Read),
            "cload" => self.constant_load(),
            "tload" => {
                let (table, index) = self.indexed("t")?;
                Ok(Inst::TableLoad { table, index })
            }
            "aload" => {
                let (array, index) = self.indexed("a")?;
                Ok(Inst::ArrayLoad { array, index })
            }
            "astore" => {
                let (array, index) = self.indexed("a")?;
                self.expect("=")?;
                let value = self.operand()?;
                Ok(Inst::ArrayStore {
                    array,
                    index,
                    value,
                })
            }
            "store" => {
                let place = self.next();
                let parts = place.strip_prefix('o').and_then(|p| p.split_once('.'));
                let numbers = parts.and_then(|(e, c)| Some((e.parse().ok()?, c.parse().ok()?)));
                let (element, component) =
                    numbers.ok_or_else(|| self.error(format!("`{place}` is no output")))?;
                self.expect("=")?;
                let value = self.operand()?;
                Ok(Inst::Store {
                    element,
                    component,
                    value,
                })
            }
            "if" => self.if_(),
            "loop" => self.loop_(),
            _ => {
                let Some(op) = Op::ALL.iter().find(|op| op.text() == name) else {
                    self.at -= 1;
                    return Err(self.error(format!("`{name}` is no instruction")));
                };
                let mut args = SmallVec::new();
                for i in 0..op.operands().len() {
                    if i > 0 {
                        self.expect(",")?;
                    }
                    args.push(self.operand()?);
                }
                Ok(Inst::Op(*op, args))
            }
        }
    }

    fn source(&mut self) -> Result<Source, ParseError> {
        Ok(match self.next() {
            "input" => {
                let place = self.next();
                let parts = place.split_once('.');
                let numbers = parts.and_then(|(e, c)| Some((e.parse().ok()?, c.parse().ok()?)));
                let (element, component) =
                    numbers.ok_or_else(|| self.error(format!("`{place}` is no input")))?;
                Source::Input { element, component }
            }
            "word" => {
                let element = self.number("")?;
                self.expect("+")?;
                let byte = self.number("")? as u8;
                let width = self.number("w")? as u8;
                Source::Word {
                    element,
                    byte,
                    width,
                }
            }
            "vertex_id" => Source::VertexId,
            "instance_id" => Source::InstanceId,
            "view_id" => Source::ViewId,
            "start_vertex" => Source::StartVertex,
            "start_instance" => Source::StartInstance,
            other => return Err(self.error(format!("`{other}` is no source"))),
        })
    }

    fn constant_load(&mut self) -> Result<Inst, ParseError> {
        let buffer = self.number("c")?;
        self.expect("[")?;
        let address = if self.peek() == "+" {
            None
        } else {
            Some(self.operand()?)
        };
        self.expect("+")?;
        let offset = self.number("")?;
        self.expect("]")?;
        Ok(Inst::ConstantLoad {
            buffer,
            address,
            offset,
        })
    }

    fn if_(&mut self) -> Result<Inst, ParseError> {
        let cond = self.operand()?;
        let hint = if self.eat("branch") {
            BranchHint::Branch
        } else if self.eat("flatten") {
            BranchHint::Flatten
        } else {
            BranchHint::None
        };
        let then = self.block(Vec::new())?;
        let els = if self.eat("else") {
            self.block(Vec::new())?
        } else {
            Region::default()
        };
        Ok(Inst::If {
            cond,
            then,
            els,
            hint,
        })
    }

    fn loop_(&mut self) -> Result<Inst, ParseError> {
        self.expect("(")?;
        let (mut params, mut init) = (Vec::new(), Vec::new());
        while !self.eat(")") {
            let (name, kind) = self.definition()?;
            self.expect("=")?;
            init.push(self.operand()?);
            params.push((name, kind));
            self.eat(",");
        }
        let params = params.into_iter().map(|(n, k)| self.define(n, k)).collect();
        let bound = if self.eat("bound") {
            Some(self.number("")?)
        } else {
            None
        };
        let body = self.block(params)?;
        Ok(Inst::Loop { init, body, bound })
    }
}
