//! Bytes of a source file to text: encodings, ends of line, lines joined by a backslash.
//!
//! Must not know files or places: it works on one buffer.

/// Text of a file, ready to be lexed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    /// As it is shown to people: UTF-8, every end of line a `\n`.
    pub shown: String,
    /// The same without the places where a backslash joins two lines; None where there are none.
    pub joined: Option<Joined>,
}

/// A text whose backslash-newlines are taken out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Joined {
    /// The text.
    pub text: String,
    /// For each seam: its offset in `text`, and how many bytes are missing from it on.
    pub seams: Vec<(u32, u32)>,
}

/// Decodes UTF-8, UTF-16 and UTF-32 by their marks, UTF-16 without a mark by its zero bytes, and takes everything
/// that is not valid UTF-8 for Latin-1. Never fails: parts that mean nothing become U+FFFD.
pub(super) fn decode(bytes: &[u8]) -> Decoded {
    let shown = unify_line_ends(to_utf8(bytes));
    let joined = join_lines(&shown);
    Decoded { shown, joined }
}

fn to_utf8(bytes: &[u8]) -> String {
    match bytes {
        [0xFF, 0xFE, 0, 0, rest @ ..] => utf32(rest, u32::from_le_bytes),
        [0, 0, 0xFE, 0xFF, rest @ ..] => utf32(rest, u32::from_be_bytes),
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8_or_latin1(rest),
        [1..=0xFF, 0, ..] => utf16(bytes, u16::from_le_bytes),
        [0, 1..=0xFF, ..] => utf16(bytes, u16::from_be_bytes),
        _ => utf8_or_latin1(bytes),
    }
}

fn utf8_or_latin1(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&b| char::from(b)).collect(),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text: String = char::decode_utf16(pairs.iter().map(|&pair| unit(pair)))
        .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

fn utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> String {
    let (quads, rest) = bytes.as_chunks::<4>();
    let mut text: String = quads
        .iter()
        .map(|&quad| char::from_u32(unit(quad)).unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

fn unify_line_ends(text: String) -> String {
    if !text.contains('\r') {
        return text;
    }
    let mut unified = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\r') {
        unified.push_str(&rest[..at]);
        unified.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    unified.push_str(rest);
    unified
}

/// A backslash joins its line with the next one; blanks behind it do not matter (as GCC and Clang have it).
fn join_lines(shown: &str) -> Option<Joined> {
    let mut joined: Option<Joined> = None;
    let mut copied = 0;
    for (at, _) in shown.match_indices('\\') {
        let behind = shown[at + 1..].trim_start_matches([' ', '\t']);
        if !behind.starts_with('\n') {
            continue;
        }
        let next_line = shown.len() - behind.len() + 1;
        let joined = joined.get_or_insert_with(|| Joined {
            text: String::with_capacity(shown.len()),
            seams: Vec::new(),
        });
        joined.text.push_str(&shown[copied..at]);
        copied = next_line;
        let seam = joined.text.len();
        joined.seams.push((seam as u32, (copied - seam) as u32));
    }
    if let Some(joined) = &mut joined {
        joined.text.push_str(&shown[copied..]);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn shows(bytes: &[u8], expected: &str) {
        assert_eq!(decode(bytes).shown, expected);
    }

    fn utf16_bytes(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn utf8_with_and_without_mark() {
        shows("größe".as_bytes(), "größe");
        shows("\u{FEFF}größe".as_bytes(), "größe");
    }

    #[test]
    fn utf16_with_and_without_mark() {
        shows(&utf16_bytes("\u{FEFF}ü𝄞", u16::to_le_bytes), "ü𝄞");
        shows(&utf16_bytes("\u{FEFF}ü𝄞", u16::to_be_bytes), "ü𝄞");
        shows(&utf16_bytes("float x;", u16::to_le_bytes), "float x;");
        shows(&utf16_bytes("float x;", u16::to_be_bytes), "float x;");
    }

    #[test]
    fn broken_utf16_keeps_the_rest() {
        shows(
            &[0xFF, 0xFE, b'a', 0, 0x00, 0xD8, b'b', 0, b'c'],
            "a\u{FFFD}b\u{FFFD}",
        );
    }

    #[test]
    fn what_is_not_utf8_is_latin1() {
        shows(b"gr\xF6\xDFe", "größe");
    }

    #[test]
    fn every_end_of_line_is_one() {
        shows(b"a\r\nb\rc\nd\n\re", "a\nb\nc\nd\n\ne");
    }

    #[test]
    fn a_backslash_joins_lines_even_with_blanks_behind() {
        let joined = decode(b"ab\\\ncd\\ \t\nef\\g").joined.unwrap();
        assert_eq!(joined.text, "abcdef\\g");
        assert_eq!(joined.seams, [(2, 2), (4, 6)]);
    }

    #[test]
    fn a_backslash_at_the_end_of_the_file_stays() {
        assert_eq!(decode(b"ab\\").joined, None);
    }
}
