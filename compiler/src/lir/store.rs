//! Stores output rows: quads of components transposed into 16 bytes per row, raw copies for what passes through.
//!
//! A store may spill over into bytes of the same row that a later one sets, never beyond the row. Must not know what
//! the components are.

use super::op::Op as L;
use super::vectorise::{Element, Vectoriser};
use super::{Address, Input, Inst as LInst, Memory, Type, Value as LValue};
use crate::kernel::Rate;
use crate::kir::{Inst, Source, Value};
use fuseline_numerics::op::{Kind, Op};

/// A component to store: its place in the row (in words), and its value.
#[derive(Clone, Copy, Debug)]
struct Component {
    word: u32,
    value: Value,
}

/// Floats that are stored without having been made canonical.
#[derive(Debug, Default)]
struct Numbers {
    values: Vec<LValue>,
    /// By block, where they are stored, in bytes from the group's first row.
    offsets: Vec<(u32, Vec<u32>)>,
}

/// A run of words of a row that are copied from a vertex as they are.
#[derive(Clone, Copy, Debug)]
struct Copy {
    word: u32,
    words: u32,
    stream: u32,
    offset: u32,
}

/// A group of up to four words of a row that are computed: a store of 16 bytes from `word` on, or of fewer.
#[derive(Clone, Copy, Debug)]
struct Quad {
    word: u32,
    /// Words that count.
    words: u32,
    /// All 16 bytes may be stored: what is too much is stored later.
    whole: bool,
}

impl Vectoriser<'_> {
    /// Stores components of this stage: (output element, component, value). What does not vary with the instance is
    /// stored for the first one only.
    pub(super) fn store(&mut self, stores: &[(u32, u8, Value)], groups_per_instance: bool) {
        let mut blocks: Vec<Vec<Component>> = vec![Vec::new(); self.output_map.blocks.len()];
        for &(element, component, value) in stores {
            let place = self
                .output_map
                .places
                .get(element as usize)
                .and_then(|e| e.get(usize::from(component)));
            if let Some(place) = place {
                blocks[place.block as usize].push(Component {
                    word: place.offset / 4,
                    value,
                });
            }
        }
        let conditional = |rate: Rate| groups_per_instance && rate.vertex && !rate.instance;
        let rates: Vec<Rate> = self.output_map.blocks.iter().map(|b| b.rate).collect();
        let (once, always): (Vec<usize>, Vec<usize>) = (0..blocks.len())
            .filter(|&b| !blocks[b].is_empty())
            .partition(|&b| conditional(rates[b]));
        self.store_blocks(&always, &mut blocks);
        if once.is_empty() {
            return;
        }
        let cond = self.b.input(Input::StoreVertexRate);
        self.b.open(&[]);
        self.store_blocks(&once, &mut blocks);
        let then = self.b.close(Vec::new());
        self.b.open(&[]);
        let els = self.b.close(Vec::new());
        self.b.push_many(LInst::If { cond, then, els }, &[]);
    }

    fn store_blocks(&mut self, which: &[usize], blocks: &mut [Vec<Component>]) {
        let mut numbers = Numbers::default();
        for &block in which {
            self.store_block(block as u32, &mut blocks[block], &mut numbers);
        }
        self.canonicalise_stored(&numbers);
    }

    /// NaNs are rare: floats are stored as they are, and if there was a NaN among them, made canonical where they lie.
    fn canonicalise_stored(&mut self, numbers: &Numbers) {
        // A sum is a NaN if there is one in it (or infinities of both signs, which does no harm).
        let mut sums = numbers.values.clone();
        while sums.len() > 2 {
            sums = sums
                .chunks(2)
                .map(|pair| match *pair {
                    [a, b] => self.b.op2(L::FAdd, a, b),
                    _ => pair[0],
                })
                .collect();
        }
        let found = match sums.as_slice() {
            [] => return,
            [a] => self.b.op2(L::FUno, *a, *a),
            [a, b, ..] => self.b.op2(L::FUno, *a, *b),
        };
        let bits = self.b.op1(L::SignBits, found);
        let cond = self.b.op1(L::NonZero, bits);
        self.b.open(&[]);
        for (block, offsets) in &numbers.offsets {
            let tables = &mut self.b.function().tables;
            let table = tables.len() as u32;
            tables.push(offsets.clone());
            let row = self.b.input(Input::Row(*block));
            self.b.effect(LInst::Canonicalise {
                table,
                address: output(row, 0),
            });
        }
        let then = self.b.close(Vec::new());
        self.b.open(&[]);
        let els = self.b.close(Vec::new());
        self.b.push_many(LInst::If { cond, then, els }, &[]);
    }

    fn store_block(&mut self, block: u32, components: &mut [Component], numbers: &mut Numbers) {
        components.sort_by_key(|c| c.word);
        let row = self.b.input(Input::Row(block));
        let stride = self.output_map.blocks[block as usize].stride;
        if !self.kind.is_group() {
            for c in components.iter() {
                let value = self.stored(c.value, 0);
                self.store_words(value, 0, 1, row, 4 * c.word);
            }
            return;
        }
        self.note_numbers(block, components, stride, numbers);
        let copies = self.copies(components);
        let quads = quads(components, &copies, stride / 4);
        for chain in 0..self.chains() {
            let prepared: Vec<[LValue; 4]> = quads
                .iter()
                .map(|q| self.quad_rows(components, *q, chain))
                .collect();
            // Copies come after all quads, which may spill onto them.
            for (q, rows) in quads.iter().zip(&prepared) {
                for lane in 0..4 {
                    let at = (4 * chain as u32 + lane) * stride;
                    self.store_quad(*q, rows, lane, row, at);
                }
            }
            for c in &copies {
                for vertex in 4 * chain as u32..4 * chain as u32 + 4 {
                    self.copy(*c, vertex, row, vertex * stride);
                }
            }
        }
    }

    /// What a Canon that only stores use works on: it is left to [`Vectoriser::canonicalise_stored`].
    pub(super) fn deferred_canon(&self, value: Value) -> Option<Value> {
        match self.definition(value)? {
            Inst::Op(Op::Canon, args)
                if self.kind.is_group() && self.varies(value) && !self.is_computed_with(value) =>
            {
                Some(args[0])
            }
            _ => None,
        }
    }

    fn note_numbers(
        &mut self,
        block: u32,
        components: &[Component],
        stride: u32,
        numbers: &mut Numbers,
    ) {
        let mut offsets = Vec::new();
        for c in components {
            let Some(number) = self.deferred_canon(c.value) else {
                continue;
            };
            for (chain, v) in self.each(number).into_iter().enumerate() {
                if !self.b.never_nan(v) {
                    numbers.values.push(v);
                    let rows = 4 * chain as u32..4 * chain as u32 + 4;
                    offsets.extend(rows.map(|row| row * stride + 4 * c.word));
                }
            }
        }
        if !offsets.is_empty() {
            numbers.offsets.push((block, offsets));
        }
    }

    /// A component's value as 32 bits per lane.
    fn stored(&mut self, value: Value, chain: usize) -> LValue {
        let value = self.deferred_canon(value).unwrap_or(value);
        let v = self.get(value, chain);
        if self.plan.staged.function.kinds[value.index()] == Kind::Bool {
            return self.b.numeric(Op::BToI, &[v], false);
        }
        self.b.as_int(v)
    }

    /// For each row (lane) the vector that holds the words of a quad; two rows share one where the quad has two words,
    /// and all where it has one.
    fn quad_rows(&mut self, components: &[Component], quad: Quad, chain: usize) -> [LValue; 4] {
        let words: Vec<LValue> = components
            .iter()
            .filter(|c| c.word >= quad.word && c.word < quad.word + quad.words)
            .map(|c| c.value)
            .collect::<Vec<_>>()
            .into_iter()
            .map(|v| self.stored(v, chain))
            .collect();
        match words.as_slice() {
            [a] => [*a; 4],
            [a, b] => {
                let low = self.b.shuffle(*a, *b, [0, 4, 1, 5]);
                let high = self.b.shuffle(*a, *b, [2, 6, 3, 7]);
                [low, low, high, high]
            }
            [a, b, c] => {
                let low = self.b.shuffle(*a, *b, [0, 4, 1, 5]);
                let high = self.b.shuffle(*a, *b, [2, 6, 3, 7]);
                [
                    self.b.shuffle(low, *c, [0, 1, 4, 4]),
                    self.b.shuffle(low, *c, [2, 3, 5, 5]),
                    self.b.shuffle(high, *c, [0, 1, 6, 6]),
                    self.b.shuffle(high, *c, [2, 3, 7, 7]),
                ]
            }
            [a, b, c, d, ..] => self.transpose([*a, *b, *c, *d], &[0, 1, 2, 3]),
            [] => {
                let zero = self.b.int(0);
                [zero; 4]
            }
        }
    }

    fn store_quad(&mut self, quad: Quad, rows: &[LValue; 4], lane: u32, row: LValue, at: u32) {
        let value = rows[lane as usize];
        let at = at + 4 * quad.word;
        match (quad.words, quad.whole) {
            (1, false) => self.store_words(value, lane, 1, row, at),
            (2, false) => self.store_words(value, 2 * (lane & 1), 2, row, at),
            (3, false) => {
                self.store_words(value, 0, 2, row, at);
                self.store_words(value, 2, 1, row, at + 8);
            }
            _ => {
                let address = output(row, at);
                self.b.effect(LInst::Store(value, address));
            }
        }
    }

    /// Stores one word, or two from an even lane on.
    fn store_words(&mut self, value: LValue, lane: u32, words: u32, row: LValue, at: u32) {
        self.b.effect(LInst::StoreLanes {
            value,
            lane: lane as u8,
            bytes: 4 * words as u8,
            address: output(row, at),
        });
    }

    fn copy(&mut self, copy: Copy, vertex: u32, row: LValue, at: u32) {
        let mut done = 0;
        while done < copy.words {
            let words = match copy.words - done {
                4.. => 4,
                2 | 3 => 2,
                _ => 1,
            };
            let offset = copy.offset + 4 * done;
            let from = self.vertex_address(copy.stream, vertex, offset, 4 * words);
            let to = output(row, at + 4 * (copy.word + done));
            match words {
                4 => {
                    let v = self.b.push(LInst::Load(from), Type::I32X4);
                    self.b.effect(LInst::Store(v, to));
                }
                2 => {
                    let v = self.b.push(LInst::LoadScalar(8, from), Type::I64);
                    self.b.effect(LInst::StoreScalar(v, to));
                }
                _ => {
                    let v = self.b.push(LInst::LoadScalar(4, from), Type::I32);
                    self.b.effect(LInst::StoreScalar(v, to));
                }
            }
            done += words;
        }
    }

    /// Components that pass through, in runs that are neighbours in the row and in the vertex.
    fn copies(&mut self, components: &[Component]) -> Vec<Copy> {
        let mut runs: Vec<Copy> = Vec::new();
        for c in components {
            let Some((element, e, byte)) = self.passed_through(c.value) else {
                continue;
            };
            let stream = self.stream(element, e);
            let offset = e.offset + byte;
            match runs.last_mut() {
                Some(run)
                    if run.stream == stream
                        && run.word + run.words == c.word
                        && run.offset + 4 * run.words == offset =>
                {
                    run.words += 1;
                }
                _ => runs.push(Copy {
                    word: c.word,
                    words: 1,
                    stream,
                    offset,
                }),
            }
        }
        runs
    }

    /// The word of a vertex that a value is, bit for bit: its element and byte.
    fn passed_through(&self, value: Value) -> Option<(u32, Element, u32)> {
        match self.definition(value)? {
            Inst::Op(Op::AsFloat | Op::AsInt, args) => self.passed_through(args[0]),
            Inst::Read(Source::Word {
                element,
                byte,
                width: 4,
            }) => {
                let e = self.element(*element)?;
                e.step_rate
                    .is_none()
                    .then_some((*element, e, u32::from(*byte)))
            }
            _ => None,
        }
    }

    fn is_canon(&self, value: Value) -> bool {
        matches!(self.definition(value), Some(Inst::Op(Op::Canon, _)))
    }

    /// Whether lanes of a value are needed: something else than a copy to an output uses it.
    pub(super) fn is_computed_with(&self, value: Value) -> bool {
        self.computed[value.index()]
    }

    /// Finds the values whose lanes are needed.
    pub(super) fn find_computed(&mut self) {
        let staged = self.plan.staged;
        let mut casts = Vec::new();
        let mut regions: Vec<_> = staged.stages.iter().map(|s| &s.region).collect();
        while let Some(region) = regions.pop() {
            for y in &region.yields {
                self.computed[y.index()] = true;
            }
            for id in &region.insts {
                let data = &staged.function.insts[id.index()];
                match &data.inst {
                    Inst::Store { value, .. } if self.passed_through(*value).is_some() => {}
                    Inst::Store { value, .. } if self.is_canon(*value) => {}
                    Inst::Op(Op::AsFloat | Op::AsInt, args) => {
                        casts.extend(data.results.iter().map(|&r| (r, args[0])));
                    }
                    inst => inst.for_each_operand(|v| self.computed[v.index()] = true),
                }
                regions.extend(data.inst.regions());
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &(result, operand) in &casts {
                if self.computed[result.index()] && !self.computed[operand.index()] {
                    self.computed[operand.index()] = true;
                    changed = true;
                }
            }
        }
    }
}

/// A place in output rows.
fn output(row: LValue, at: u32) -> Address {
    Address {
        base: row,
        offset: at as i32,
        memory: Memory::Output,
    }
}

/// Divides the words of a row that are not copied into quads.
fn quads(components: &[Component], copies: &[Copy], row_words: u32) -> Vec<Quad> {
    let copied = |word: u32| {
        copies
            .iter()
            .any(|c| (c.word..c.word + c.words).contains(&word))
    };
    let present = |word: u32| components.iter().any(|c| c.word == word);
    let mut quads: Vec<Quad> = Vec::new();
    let mut word = 0;
    while word < row_words {
        if copied(word) || !present(word) {
            word += 1;
            continue;
        }
        let begin = word;
        while word < row_words && word < begin + 4 && present(word) && !copied(word) {
            word += 1;
        }
        let words = word - begin;
        // Copies are stored after quads: a quad may spill over onto them.
        let next = begin + 3;
        let spills = words == 3 && next < row_words && copied(next);
        // Three words that nothing follows are stored with the one before them.
        let back = begin
            .checked_sub(1)
            .filter(|&b| words == 3 && !spills && present(b) && !copied(b));
        quads.push(match back {
            Some(word) => Quad {
                word,
                words: 4,
                whole: true,
            },
            None => Quad {
                word: begin,
                words,
                whole: words == 4 || spills,
            },
        });
    }
    quads
}
