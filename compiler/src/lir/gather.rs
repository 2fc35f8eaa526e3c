//! Constant-buffer reads at addresses that vary from vertex to vertex: rows of 16 bytes per vertex instead of words.
//!
//! Reads of one buffer at one address (plus fixed offsets) are a *cluster*: its bounds are checked once, and its words
//! are loaded as rows. A *quad* is up to four neighbouring words of each of four vertices, in four vectors, one for each
//! vertex. It becomes the usual vectors, one for each word, by a transposition; but operations that do the same to all
//! words of a quad (a weighted sum of matrices) are carried out on the rows, and only their result is transposed. Every
//! float is computed by the same operation from the same operands either way.
//!
//! Must not know what the buffers hold.

use super::op::Op as L;
use super::vectorise::{Lanes, Vectoriser};
use super::{Input, Inst as LInst, Type, Value as LValue};
use crate::kir::{Inst, InstId, Value};
use fuseline_numerics::op::{Kind, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// Most bytes between the first and the last word of a cluster that is loaded as rows.
const MAX_SPAN: u32 = 4096;

/// Highest fixed part of an address: no buffer holds more bytes.
const MAX_OFFSET: u32 = 1 << 16;

/// Reads of a buffer around one address.
#[derive(Debug)]
struct Cluster {
    buffer: u32,
    address: Value,
    /// Lowest offset, and bytes from there to the end of the last row.
    begin: u32,
    span: u32,
    /// Addresses of the four rows' first bytes, by chain, once they are known.
    rows: Vec<[LValue; 4]>,
}

/// What the vectors of a quad are.
#[derive(Clone, Debug)]
enum QuadKind {
    /// 16 bytes of a cluster, from this offset.
    Row { cluster: usize, offset: u32 },
    /// An operation on quads, and on values that are the same for all words.
    Op(Op, SmallVec<[Operand; 3]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    Quad(usize),
    Lanes(Value),
}

/// Up to four words of each vertex.
#[derive(Clone, Debug)]
struct Quad {
    members: [Option<Value>; 4],
    kind: QuadKind,
}

/// Clusters and quads found so far.
#[derive(Debug, Default)]
pub(super) struct Gathers {
    clusters: Vec<Cluster>,
    quads: Vec<Quad>,
    /// The quad of a value, and its place there.
    member: FxHashMap<Value, (usize, usize)>,
    /// The vectors of quads that were needed, by quad and chain.
    rows: FxHashMap<(usize, usize), [LValue; 4]>,
}

impl Gathers {
    /// Whether a value is part of a quad: it is made when it is asked for.
    pub fn holds(&self, value: Value) -> bool {
        self.member.contains_key(&value)
    }
}

impl Vectoriser<'_> {
    /// Finds the quads among the instructions of a region.
    pub(super) fn find_gathers(&mut self, insts: &[InstId]) {
        if !self.kind.is_group() {
            return;
        }
        let mut found: BTreeMap<(u32, Value), BTreeMap<u32, Value>> = BTreeMap::new();
        for id in insts {
            let data = &self.plan.staged.function.insts[id.index()];
            if let (
                Inst::ConstantLoad {
                    buffer,
                    address: Some(address),
                    offset,
                },
                Some(&result),
            ) = (&data.inst, data.results.first())
                && self.varies(*address)
            {
                found
                    .entry((*buffer, *address))
                    .or_default()
                    .insert(*offset, result);
            }
        }
        let first = self.gathers.quads.len();
        for ((buffer, address), words) in found {
            self.add_cluster(buffer, address, &words);
        }
        if self.gathers.quads.len() > first {
            self.find_operations(insts, first);
        }
    }

    /// Cuts the words of a cluster into rows. A single word is better loaded as it is.
    fn add_cluster(&mut self, buffer: u32, address: Value, words: &BTreeMap<u32, Value>) {
        let (Some((&begin, _)), Some((&last, _))) =
            (words.first_key_value(), words.last_key_value())
        else {
            return;
        };
        if words.len() < 2 || last - begin > MAX_SPAN || last > MAX_OFFSET {
            return;
        }
        let cluster = self.gathers.clusters.len();
        let mut end = begin;
        let mut row: Option<u32> = None;
        for (&offset, &value) in words {
            let start = match row {
                Some(start) if offset + 4 <= start + 16 && (offset - start).is_multiple_of(4) => {
                    start
                }
                _ => {
                    self.gathers.quads.push(Quad {
                        members: [None; 4],
                        kind: QuadKind::Row { cluster, offset },
                    });
                    end = offset + 16;
                    offset
                }
            };
            row = Some(start);
            let quad = self.gathers.quads.len() - 1;
            let place = ((offset - start) / 4) as usize;
            self.gathers.quads[quad].members[place] = Some(value);
            self.gathers.member.insert(value, (quad, place));
        }
        self.gathers.clusters.push(Cluster {
            buffer,
            address,
            begin,
            span: end - begin,
            rows: Vec::new(),
        });
    }

    /// Finds operations that do the same to all words of a quad, until there are no more.
    fn find_operations(&mut self, insts: &[InstId], first: usize) {
        let staged = self.plan.staged;
        let mut users: FxHashMap<Value, Vec<InstId>> = FxHashMap::default();
        for &id in insts {
            let data = &staged.function.insts[id.index()];
            if let Inst::Op(op, args) = &data.inst
                && matches!(op, Op::FMul | Op::Fma | Op::FAdd | Op::FSub)
            {
                let different: FxHashSet<Value> = args.iter().copied().collect();
                for arg in different {
                    users.entry(arg).or_default().push(id);
                }
            }
        }
        let mut at = first;
        let mut tried = first;
        while at < self.gathers.quads.len() {
            let Some(member) = self.gathers.quads[at].members.iter().flatten().next() else {
                at += 1;
                continue;
            };
            for &user in users.get(member).into_iter().flatten() {
                self.try_operation(user, at, &users);
            }
            at += 1;
            // A sum may become possible when the quad of its other operand is found: look again at all that came before.
            if at == self.gathers.quads.len() && self.gathers.quads.len() > tried {
                tried = self.gathers.quads.len();
                at = first;
            }
        }
    }

    /// Makes the operation `user`, on the first word of a quad, and its like on the other words, a quad.
    fn try_operation(&mut self, user: InstId, quad: usize, users: &FxHashMap<Value, Vec<InstId>>) {
        let function = &self.plan.staged.function;
        let data = &function.insts[user.index()];
        let (Inst::Op(op, args), Some(&result)) = (&data.inst, data.results.first()) else {
            return;
        };
        if self.gathers.holds(result) {
            return;
        }
        let mask = self.gathers.quads[quad].members.map(|m| m.is_some());
        let Some(place) = mask.iter().position(|&m| m) else {
            return;
        };
        let operands: SmallVec<[Operand; 3]> = args
            .iter()
            .map(|&a| match self.gathers.member.get(&a) {
                Some(&(q, p))
                    if p == place && self.gathers.quads[q].members.map(|m| m.is_some()) == mask =>
                {
                    Operand::Quad(q)
                }
                _ => Operand::Lanes(a),
            })
            .collect();
        let mut members = [None; 4];
        members[place] = Some(result);
        for (p, member) in members.iter_mut().enumerate().skip(place + 1) {
            let Some(word) = self.gathers.quads[quad].members[p] else {
                continue;
            };
            let wanted: SmallVec<[Option<Value>; 3]> = operands
                .iter()
                .map(|o| match *o {
                    Operand::Quad(q) => self.gathers.quads[q].members[p],
                    Operand::Lanes(v) => Some(v),
                })
                .collect();
            let like = users.get(&word).into_iter().flatten().find(|id| {
                matches!(&function.insts[id.index()].inst, Inst::Op(o, a)
                    if o == op && a.iter().copied().map(Some).eq(wanted.iter().copied()))
            });
            let Some(like) = like.and_then(|id| function.insts[id.index()].results.first()) else {
                return;
            };
            if self.gathers.holds(*like) {
                return;
            }
            *member = Some(*like);
        }
        let new = self.gathers.quads.len();
        for (p, m) in members.iter().enumerate() {
            if let Some(m) = m {
                self.gathers.member.insert(*m, (new, p));
            }
        }
        self.gathers.quads.push(Quad {
            members,
            kind: QuadKind::Op(*op, operands),
        });
    }

    /// The usual vectors of a value that is part of a quad.
    pub(super) fn gathered(&mut self, value: Value) -> Option<Lanes> {
        let &(quad, place) = self.gathers.member.get(&value)?;
        let members = self.gathers.quads[quad].members;
        let wanted: SmallVec<[usize; 4]> = (0..4).filter(|&p| members[p].is_some()).collect();
        let mut columns: [SmallVec<[LValue; 2]>; 4] = Default::default();
        self.find_rows(quad);
        for chain in 0..self.chains() {
            let rows = self.quad_vectors(quad, chain);
            let words = self.transpose(rows, &wanted);
            for &p in &wanted {
                columns[p].push(words[p]);
            }
        }
        for &p in &wanted {
            let Some(member) = members[p] else { continue };
            let float = self.plan.staged.function.kinds[member.index()] == Kind::F32;
            let lanes: SmallVec<[LValue; 2]> = columns[p]
                .iter()
                .map(|&w| {
                    if float {
                        self.b.as_float(w)
                    } else {
                        self.b.as_int(w)
                    }
                })
                .collect();
            self.bind(member, Lanes::Each(lanes));
        }
        let member = members[place]?;
        self.env.get(&member).cloned()
    }

    /// The vectors of a quad, one for each vertex of a chain.
    fn quad_vectors(&mut self, quad: usize, chain: usize) -> [LValue; 4] {
        if let Some(rows) = self.gathers.rows.get(&(quad, chain)) {
            return *rows;
        }
        let rows = match self.gathers.quads[quad].kind.clone() {
            QuadKind::Row { cluster, offset } => {
                let at = self.gathers.clusters[cluster].rows[chain];
                [0, 1, 2, 3].map(|vertex| {
                    let from = self.b.at(at[vertex], offset as i32);
                    self.b.push(LInst::Load(from), Type::F32X4)
                })
            }
            QuadKind::Op(op, operands) => {
                let vectors: SmallVec<[[LValue; 4]; 3]> = operands
                    .iter()
                    .map(|&o| match o {
                        Operand::Quad(q) => self.quad_vectors(q, chain),
                        Operand::Lanes(v) => self.spread(v, chain),
                    })
                    .collect();
                [0, 1, 2, 3].map(|vertex| {
                    let args: SmallVec<[LValue; 3]> = vectors.iter().map(|v| v[vertex]).collect();
                    self.b.numeric(op, &args, false)
                })
            }
        };
        self.gathers.rows.insert((quad, chain), rows);
        rows
    }

    /// Each lane of a value, repeated in a vector of its own.
    fn spread(&mut self, value: Value, chain: usize) -> [LValue; 4] {
        let v = self.get(value, chain);
        if matches!(self.lanes(value), Lanes::Uniform(_)) {
            return [v; 4];
        }
        [0, 1, 2, 3].map(|lane| self.b.shuffle(v, v, [lane; 4]))
    }

    /// Finds out where the rows of all clusters below a quad are, those of one buffer with one check.
    fn find_rows(&mut self, quad: usize) {
        let mut below: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        let mut seen = FxHashSet::default();
        let mut open = vec![quad];
        while let Some(quad) = open.pop() {
            if !seen.insert(quad) || self.gathers.rows.contains_key(&(quad, 0)) {
                continue;
            }
            match &self.gathers.quads[quad].kind {
                QuadKind::Row { cluster, .. } => {
                    let c = &self.gathers.clusters[*cluster];
                    if c.rows.is_empty() {
                        below.entry(c.buffer).or_default().insert(*cluster);
                    }
                }
                QuadKind::Op(_, operands) => open.extend(operands.iter().filter_map(|o| match o {
                    Operand::Quad(q) => Some(*q),
                    Operand::Lanes(_) => None,
                })),
            }
        }
        for (buffer, mut clusters) in below {
            clusters.retain(|&cluster| !self.find_unchecked(cluster));
            if !clusters.is_empty() {
                self.check_clusters(buffer, &clusters);
            }
        }
    }

    /// Finds the rows of a cluster whose addresses need no check, if it is one.
    fn find_unchecked(&mut self, cluster: usize) -> bool {
        let c = &self.gathers.clusters[cluster];
        let (buffer, address, end) = (c.buffer, c.address, c.begin + c.span);
        let Some(base) = self.unchecked(buffer, address, end) else {
            return false;
        };
        for chain in 0..self.chains() {
            let offsets = self.offsets(address, chain);
            let rows = offsets.map(|o| self.b.op2(L::Add64, base, o));
            self.gathers.clusters[cluster].rows.push(rows);
        }
        true
    }

    /// The addresses of the rows of clusters in one buffer, checked (see [`LInst::Rows`]).
    fn check_clusters(&mut self, buffer: u32, clusters: &BTreeSet<usize>) {
        let words = |c: &usize| &self.gathers.clusters[*c];
        let begin = clusters.iter().map(|c| words(c).begin).min();
        let begin = begin.unwrap_or_default();
        let end = clusters.iter().map(|c| words(c).begin + words(c).span);
        let span = end.max().unwrap_or_default() - begin;
        let mut addresses: SmallVec<[LValue; 4]> = SmallVec::new();
        for &cluster in clusters {
            let address = self.gathers.clusters[cluster].address;
            addresses.extend(self.each(address));
        }
        let base = self.b.input(Input::ConstantBase(buffer));
        let size = self.b.input(Input::ConstantSize(buffer));
        let count = self.limit(buffer, begin + span);
        let mut highest = addresses[0];
        for &a in &addresses[1..] {
            highest = self.b.op2(L::UMax, highest, a);
        }
        let most = self.b.op2(L::UMax, highest, count);
        let outside = self.b.op2(L::IEq, most, highest);
        let outside = self.b.op1(L::SignBits, outside);
        let outside = self.b.op1(L::NonZero, outside);
        let vectors = addresses.len() as u32;
        let f = self.b.function();
        let copy = f.array_bytes;
        f.array_bytes += 16 * vectors + (4 * vectors * span).next_multiple_of(16);
        let arrays = self.b.input(Input::Arrays);
        let mut types = vec![Type::I64];
        types.resize(1 + addresses.len(), Type::I32X4);
        let rows = LInst::Rows {
            outside,
            addresses,
            base,
            size,
            arrays,
            begin,
            span,
            copy,
        };
        let found = self.b.push_many(rows, &types);
        let offsets: SmallVec<[LValue; 4]> = SmallVec::from_slice(&found[1..]);
        for (&cluster, offsets) in clusters.iter().zip(offsets.chunks(self.chains())) {
            for &offsets in offsets {
                let rows = self.b.four_addresses(offsets);
                let rows = rows.map(|row| self.b.op2(L::Add64, found[0], row));
                self.gathers.clusters[cluster].rows.push(rows);
            }
        }
    }
}
