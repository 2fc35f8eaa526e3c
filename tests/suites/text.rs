//! Small things to do with HLSL text that do not need a parser: comments, brackets, files of a folder.

use std::io;
use std::path::{Path, PathBuf};

/// The text with every comment made blank, lines kept.
pub fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if c == '"' {
            let end = rest[1..]
                .find(['"', '\n'])
                .map_or(rest.len(), |end| end + 2);
            out.push_str(&rest[..end.min(rest.len())]);
            rest = &rest[end.min(rest.len())..];
            continue;
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        let blank = |c: char| if c == '\n' { '\n' } else { ' ' };
        out.extend(rest[..length].chars().map(blank));
        rest = &rest[length..];
    }
    out
}

/// The end of the bracket that opens at `open`: the place behind its closing one. None where it does not close.
pub fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text[open..].char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(open + at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The text between commas outside of all brackets and strings; nothing for blank text.
pub fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut quoted) = (0i32, 0, false);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text.trim().is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}

/// Depth of braces at a place.
pub fn brace_depth(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at];
    let count = |brace| before.iter().filter(|&&b| b == brace).count();
    count(b'{').saturating_sub(count(b'}'))
}

/// All files below a folder whose name ends so, with their paths from there; only those that a filter, if there is one, is a
/// part of.
///
/// # Errors
/// When a folder cannot be read.
pub fn tests(
    folder: &Path,
    endings: &[&str],
    filter: Option<&str>,
) -> Result<Vec<(String, PathBuf)>, String> {
    let files = files(folder, endings).map_err(|e| e.to_string())?;
    let named = files.into_iter().map(|path| {
        let name = path.strip_prefix(folder).unwrap_or(&path).display();
        (name.to_string(), path)
    });
    let wanted = |name: &str| filter.is_none_or(|filter| name.contains(filter));
    Ok(named.filter(|(name, _)| wanted(name)).collect())
}

/// All files below a folder whose name ends so, in order of their paths.
///
/// # Errors
/// When a folder cannot be read.
pub fn files(folder: &Path, endings: &[&str]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.to_string_lossy();
            if path.is_dir() {
                folders.push(path);
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
