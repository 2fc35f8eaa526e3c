//! DATA of the draw file: bytes from a file, hex digits, zeros, or typed little-endian lists.

use super::{
    number,
    reader::{Entry, FileError},
};
use std::path::Path;

/// Most bytes that one DATA may hold: what a D3D resource can be addressed with in 32 bits.
const MOST_BYTES: u64 = u32::MAX as u64;

/// The bytes of a DATA value; files are looked for from `folder`.
pub fn bytes(entry: &Entry<'_>, folder: &Path) -> Result<Vec<u8>, FileError> {
    if entry.is_array() {
        let mut all = Vec::new();
        for part in entry.elements()? {
            all.extend(bytes(&part, folder)?);
        }
        return Ok(all);
    }
    let table = entry.table()?;
    let mut found = Vec::new();
    if let Some(file) = table.entry("file")? {
        found.push(read(&file, folder)?);
    }
    if let Some(hex) = table.entry("hex")? {
        found.push(hex_bytes(&hex)?);
    }
    if let Some(zero) = table.entry("zero")? {
        let count: u64 = zero.integer()?;
        if count > MOST_BYTES {
            return Err(zero.error(format!(
                "`zero` asks for {count} bytes; at most {MOST_BYTES} can be addressed"
            )));
        }
        found.push(vec![0; count as usize]);
    }
    for (key, list) in LISTS {
        if let Some(values) = table.entry(key)? {
            let mut bytes = Vec::new();
            for value in values.elements()? {
                list(&value, &mut bytes)?;
            }
            found.push(bytes);
        }
    }
    let error = table.error("data is one of { file = … }, { hex = … }, { zero = … } or one typed list such as { f32 = […] }");
    table.finish()?;
    match <[Vec<u8>; 1]>::try_from(found) {
        Ok([bytes]) => Ok(bytes),
        Err(_) => Err(error),
    }
}

type Append = fn(&Entry<'_>, &mut Vec<u8>) -> Result<(), FileError>;

const LISTS: [(&str, Append); 8] = [
    ("f32", |e, out| {
        let x = number::to_f32(e.number()?)
            .ok_or_else(|| e.error("the number is too large for f32"))?;
        out.extend(x.to_le_bytes());
        Ok(())
    }),
    ("f16", |e, out| {
        let x = number::to_f16(e.number()?)
            .ok_or_else(|| e.error("the number is too large for f16"))?;
        out.extend(x.to_le_bytes());
        Ok(())
    }),
    ("u32", |e, out| {
        e.integer::<u32>().map(|x| out.extend(x.to_le_bytes()))
    }),
    ("i32", |e, out| {
        e.integer::<i32>().map(|x| out.extend(x.to_le_bytes()))
    }),
    ("u16", |e, out| {
        e.integer::<u16>().map(|x| out.extend(x.to_le_bytes()))
    }),
    ("i16", |e, out| {
        e.integer::<i16>().map(|x| out.extend(x.to_le_bytes()))
    }),
    ("u8", |e, out| {
        e.integer::<u8>().map(|x| out.extend(x.to_le_bytes()))
    }),
    ("i8", |e, out| {
        e.integer::<i8>().map(|x| out.extend(x.to_le_bytes()))
    }),
];

fn read(entry: &Entry<'_>, folder: &Path) -> Result<Vec<u8>, FileError> {
    let path = folder.join(entry.string()?);
    std::fs::read(&path).map_err(|e| entry.error(format!("cannot read {}: {e}", path.display())))
}

fn hex_bytes(entry: &Entry<'_>) -> Result<Vec<u8>, FileError> {
    let digits = entry
        .string()?
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| {
            c.to_digit(16)
                .ok_or_else(|| entry.error(format!("`{c}` is no hex digit")))
        })
        .collect::<Result<Vec<u32>, _>>()?;
    if digits.len() % 2 != 0 {
        return Err(entry.error("hex digits come in pairs, two for each byte"));
    }
    Ok(digits.chunks(2).map(|d| (d[0] << 4 | d[1]) as u8).collect())
}
