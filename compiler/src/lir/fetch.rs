//! Loads the words of vertex elements: for each window of 16 bytes that holds some, one load per vertex and a
//! transposition.
//!
//! Must not know what the words mean.

use super::op::Op as L;
use super::vectorise::{Element, Lanes, Vectoriser};
use super::{Input, Inst as LInst, Type, Value as LValue};
use crate::kernel::StreamInfo;
use crate::kir::{Inst, Source};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// A word: layout element, byte in it, width in bytes.
type WordKey = (u32, u8, u8);

impl Vectoriser<'_> {
    /// Loads all words of vertex elements that stages for groups compute with.
    pub(super) fn load_words(&mut self) {
        let wanted = self.wanted_words();
        // By stream: the dwords that hold them, by their offset in the vertex.
        let mut dwords: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        let mut places = Vec::new();
        for key in wanted {
            let Some(e) = self.element(key.0) else {
                continue;
            };
            let stream = self.stream(key.0, e);
            let byte = e.offset + u32::from(key.1);
            let dword = if key.2 == 4 { byte } else { byte & !3 };
            // A narrow word that straddles two aligned dwords (an odd 16-bit offset) has one of its own.
            let dword = if byte + u32::from(key.2) > dword + 4 {
                byte
            } else {
                dword
            };
            dwords.entry(stream).or_default().insert(dword);
            places.push((key, stream, dword, byte - dword));
        }
        let mut loaded: BTreeMap<(u32, u32), Lanes> = BTreeMap::new();
        for (stream, offsets) in dwords {
            self.load_stream(stream, &offsets, &mut loaded);
        }
        for (key, stream, dword, shift) in places {
            if let Some(Lanes::Each(vs)) = loaded.get(&(stream, dword)).cloned() {
                let lanes = vs.into_iter().map(|v| self.narrow(v, shift, key.2));
                let lanes = Lanes::Each(lanes.collect());
                self.words.insert(key, lanes);
            }
        }
    }

    /// The words that the stages for groups read, in order.
    fn wanted_words(&self) -> BTreeSet<WordKey> {
        let staged = self.plan.staged;
        let mut found = BTreeSet::new();
        let mut regions: Vec<_> = staged.stages.iter().map(|s| &s.region).collect();
        while let Some(region) = regions.pop() {
            for id in &region.insts {
                let data = &staged.function.insts[id.index()];
                if let Inst::Read(Source::Word {
                    element,
                    byte,
                    width,
                }) = data.inst
                    && self.element(element).is_some_and(|e| e.step_rate.is_none())
                    // Words that are only copied from input to output need no lanes.
                    && data.results.iter().any(|&r| self.is_computed_with(r))
                {
                    found.insert((element, byte, width));
                }
                regions.extend(data.inst.regions());
            }
        }
        found
    }

    /// The stream that an element of vertex data is fetched from.
    pub(super) fn stream(&mut self, index: u32, e: Element) -> u32 {
        let own = e.own_stream.then_some(index);
        let found = self
            .streams
            .iter()
            .position(|s| s.slot == e.slot && s.element == own);
        if let Some(i) = found {
            return i as u32;
        }
        self.streams.push(StreamInfo {
            slot: e.slot,
            element: own,
            stride: e.stride,
            read_begin: u32::MAX,
            read_end: 0,
        });
        self.streams.len() as u32 - 1
    }

    /// The place of byte `offset` of a vertex, and the note that so many bytes from there are read.
    pub(super) fn vertex_address(
        &mut self,
        stream: u32,
        vertex: u32,
        offset: u32,
        bytes: u32,
    ) -> super::Address {
        let info = &mut self.streams[stream as usize];
        info.read_begin = info.read_begin.min(offset);
        info.read_end = info.read_end.max(offset + bytes);
        let stride = info.stride;
        let (lane, step) = if self.plan.gathered {
            (vertex, 0)
        } else {
            (0, vertex * stride)
        };
        let base = self.b.input(Input::Stream { stream, lane });
        self.b.at(base, (step + offset) as i32)
    }

    fn load_stream(
        &mut self,
        stream: u32,
        offsets: &BTreeSet<u32>,
        loaded: &mut BTreeMap<(u32, u32), Lanes>,
    ) {
        let stride = self.streams[stream as usize].stride;
        let mut left: Vec<u32> = offsets.iter().copied().collect();
        while let Some(&first) = left.first() {
            let window = window(first, stride);
            let (inside, rest): (Vec<u32>, Vec<u32>) = left.iter().partition(|&&o| {
                o >= window && o + 4 <= window + 16 && (o - window).is_multiple_of(4)
            });
            left = rest;
            let mut lanes: Vec<SmallVec<[LValue; 2]>> = vec![SmallVec::new(); inside.len()];
            for chain in 0..self.chains() as u32 {
                let words = self.load_window(stream, 4 * chain, window, &inside);
                for (all, word) in lanes.iter_mut().zip(words) {
                    all.push(word);
                }
            }
            for (&offset, lanes) in inside.iter().zip(lanes) {
                loaded.insert((stream, offset), Lanes::Each(lanes));
            }
        }
    }

    /// The dwords at `offsets` of four vertices from `vertex` on.
    fn load_window(
        &mut self,
        stream: u32,
        vertex: u32,
        window: u32,
        offsets: &[u32],
    ) -> Vec<LValue> {
        if let [offset] = offsets {
            return vec![self.load_single(stream, vertex, *offset)];
        }
        let rows: Vec<LValue> = (vertex..vertex + 4)
            .map(|v| {
                let address = self.vertex_address(stream, v, window, 16);
                self.b.push(LInst::Load(address), Type::I32X4)
            })
            .collect();
        let wanted: Vec<usize> = offsets
            .iter()
            .map(|o| ((o - window) / 4) as usize)
            .collect();
        let columns = self.transpose([rows[0], rows[1], rows[2], rows[3]], &wanted);
        wanted.iter().map(|&c| columns[c]).collect()
    }

    /// One dword of four vertices.
    fn load_single(&mut self, stream: u32, vertex: u32, offset: u32) -> LValue {
        let address = self.vertex_address(stream, vertex, offset, 4);
        let first = self.b.push(LInst::LoadLow(4, address), Type::I32X4);
        (1..4).fold(first, |lanes, lane| {
            let address = self.vertex_address(stream, vertex + lane, offset, 4);
            self.b
                .push(LInst::LoadLane(lanes, lane as u8, address), Type::I32X4)
        })
    }

    /// Columns of a 4 x 4 matrix given by rows; those not `wanted` may be anything.
    pub(super) fn transpose(&mut self, rows: [LValue; 4], wanted: &[usize]) -> [LValue; 4] {
        let [a, b, c, d] = rows;
        let mut columns = rows;
        if wanted.iter().any(|&w| w < 2) {
            let ab = self.b.shuffle(a, b, [0, 4, 1, 5]);
            let cd = self.b.shuffle(c, d, [0, 4, 1, 5]);
            columns[0] = self.b.shuffle(ab, cd, [0, 1, 4, 5]);
            columns[1] = self.b.shuffle(ab, cd, [2, 3, 6, 7]);
        }
        if wanted.iter().any(|&w| w >= 2) {
            let ab = self.b.shuffle(a, b, [2, 6, 3, 7]);
            let cd = self.b.shuffle(c, d, [2, 6, 3, 7]);
            columns[2] = self.b.shuffle(ab, cd, [0, 1, 4, 5]);
            columns[3] = self.b.shuffle(ab, cd, [2, 3, 6, 7]);
        }
        columns
    }

    /// `width` bytes of a dword from byte `shift` on.
    fn narrow(&mut self, dword: LValue, shift: u32, width: u8) -> LValue {
        if width == 4 {
            return dword;
        }
        let bits = 8 * u32::from(width);
        let shifted = if shift == 0 {
            dword
        } else {
            let count = self.b.scalar(i64::from(8 * shift), Type::I32);
            self.b.op2(L::UShr, dword, count)
        };
        if 8 * shift + bits == 32 {
            return shifted;
        }
        let mask = self.b.int((1 << bits) - 1);
        self.b.op2(L::IAnd, shifted, mask)
    }
}

/// Where the 16 bytes begin that are loaded for the dword at `first`, the lowest of those left: there, or as far
/// before as keeps them inside the stride.
fn window(first: u32, stride: u32) -> u32 {
    let inside_stride = stride >= 16 && first + 16 > stride && first + 4 <= stride;
    let back = if inside_stride { stride - 16 } else { first };
    if back <= first && (first - back).is_multiple_of(4) {
        back
    } else {
        first
    }
}
