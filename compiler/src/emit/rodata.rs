//! Constant data of a kernel: vectors and tables, each once.
//!
//! Must not know instructions.

use rustc_hash::FxHashMap;

/// Collected bytes; vectors lie at multiples of 16.
#[derive(Debug, Default)]
pub struct Rodata {
    bytes: Vec<u8>,
    vectors: FxHashMap<[u32; 4], i32>,
}

impl Rodata {
    /// The offset of these 16 bytes.
    pub fn vector(&mut self, words: [u32; 4]) -> i32 {
        if let Some(&offset) = self.vectors.get(&words) {
            return offset;
        }
        let offset = self.append(&words);
        self.vectors.insert(words, offset);
        offset
    }

    /// The offset of a new table, padded with at least four zero bytes.
    pub fn table(&mut self, words: &[u32]) -> i32 {
        let offset = self.append(words);
        self.append(&[0]);
        offset
    }

    fn append(&mut self, words: &[u32]) -> i32 {
        let offset = self.bytes.len() as i32;
        self.bytes
            .extend(words.iter().flat_map(|word| word.to_le_bytes()));
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
        offset
    }

    /// All of it; never empty, so that it has an address.
    pub fn into_bytes(mut self) -> Vec<u8> {
        if self.bytes.is_empty() {
            self.bytes.resize(16, 0);
        }
        self.bytes
    }
}
