//! Whether the buffers hold what they must: by the suite's rules, or by what its text checks find in the printed buffers.

use super::pipeline::{Buffer, Comparison, Format, Pipeline, Rule};
use regex::Regex;
use std::fmt::Write;

/// Compares everything.
///
/// # Errors
/// The first difference.
pub fn judge(pipeline: &Pipeline, checks: &[(&str, &str)]) -> Result<(), String> {
    let named = |name: &str| {
        let found = pipeline.buffers.iter().find(|b| b.name == name);
        found.ok_or_else(|| format!("no buffer {name}"))
    };
    for comparison in &pipeline.results {
        let (got, want) = (named(&comparison.actual)?, named(&comparison.expected)?);
        compare(got, want, comparison)?;
    }
    if pipeline.results.is_empty() {
        if checks.is_empty() {
            return Err("nothing is compared".to_owned());
        }
        find_all(&printed(pipeline), checks)?;
    }
    Ok(())
}

fn compare(got: &Buffer, want: &Buffer, comparison: &Comparison) -> Result<(), String> {
    if got.words.len() != want.words.len() {
        let (got_len, want_len) = (got.words.len(), want.words.len());
        return Err(format!("{}: {got_len} words, not {want_len}", got.name));
    }
    for (at, (&g, &w)) in got.words.iter().zip(&want.words).enumerate() {
        let (gf, wf) = (f32::from_bits(g), f32::from_bits(w));
        let alike = match comparison.rule {
            Rule::Exact => g == w,
            Rule::Ulp(ulp, zero) => near(gf, wf, |a, b| {
                if zero > 0.0 && (a.abs() <= zero || b.abs() <= zero) {
                    (a - b).abs() <= zero
                } else {
                    (a.to_bits().wrapping_sub(b.to_bits()) as i32).unsigned_abs() <= ulp
                }
            }),
            Rule::Epsilon(epsilon) => near(gf, wf, |a, b| (a - b).abs() < epsilon),
        };
        if !alike {
            return Err(format!(
                "{}[{at}] is {} ({g:#010x}), not {} ({w:#010x})\n  got {}\n want {}",
                got.name,
                number(got.format, g),
                number(want.format, w),
                numbers(got),
                numbers(want),
            ));
        }
    }
    Ok(())
}

/// The suite's rule for floats: equal, both NaN, a denormal flushed, or near.
fn near(got: f32, want: f32, rule: impl Fn(f32, f32) -> bool) -> bool {
    got == want
        || (got.is_nan() && want.is_nan())
        || (want.is_subnormal() && got == 0.0 && got.is_sign_negative() == want.is_sign_negative())
        || (!got.is_nan() && !want.is_nan() && rule(got, want))
}

/// `CHECK` lines of a test: which kind, and what they look for.
pub fn checks(content: &str) -> Vec<(&str, &str)> {
    let lines = content
        .lines()
        .filter_map(|line| line.trim().strip_prefix("# "));
    lines
        .filter_map(|line| {
            let (kind, pattern) = line.trim_start().split_once(':')?;
            matches!(kind, "CHECK" | "CHECK-NEXT" | "CHECK-NOT" | "CHECK-SAME")
                .then_some((kind, pattern.trim()))
        })
        .collect()
}

/// The buffers that are bound, as the suite's tool prints them, but with every run of blanks as one.
fn printed(pipeline: &Pipeline) -> String {
    let mut out = String::new();
    for buffer in &pipeline.buffers {
        let format = match buffer.format {
            Format::Float => "Float32",
            Format::Int => "Int32",
            Format::Uint => "UInt32",
            Format::Hex => "Hex32",
        };
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "- Name: {} Format: {format} Stride: {} Data: {} ",
            buffer.name,
            buffer.stride,
            numbers(buffer)
        );
    }
    out
}

fn numbers(buffer: &Buffer) -> String {
    let words = buffer.words.iter().map(|&word| number(buffer.format, word));
    format!("[ {} ]", words.collect::<Vec<_>>().join(", "))
}

fn number(format: Format, word: u32) -> String {
    match format {
        Format::Float => float(f32::from_bits(word)),
        Format::Int => (word as i32).to_string(),
        Format::Uint => word.to_string(),
        Format::Hex => format!("0x{word:X}"),
    }
}

/// As C's `%g` has it.
fn float(value: f32) -> String {
    if !value.is_finite() || value == 0.0 {
        return value.to_string().to_lowercase();
    }
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let fixed = format!("{value:.*}", (5 - exponent).max(0) as usize);
        return trim(&fixed).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trim(digits), exponent.abs())
}

fn trim(digits: &str) -> &str {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    }
}

/// Finds each check behind the one before it, and none that must not be there in between.
fn find_all(printed: &str, checks: &[(&str, &str)]) -> Result<(), String> {
    let (mut at, mut never) = (0, Vec::new());
    for &(kind, pattern) in checks {
        let rule = rule(pattern)?;
        if kind == "CHECK-NOT" {
            never.push(rule);
            continue;
        }
        let Some(found) = rule.find_at(printed, at) else {
            return Err(format!("not found: {pattern}\nin {}", &printed[at..]));
        };
        let between = &printed[at..found.start()];
        if let Some(rule) = never.iter().find(|rule| rule.is_match(between)) {
            return Err(format!("must not be there: {rule}\nin {between}"));
        }
        never.clear();
        at = found.end();
    }
    Ok(())
}

/// A pattern: text with blanks of any width, and regular expressions in `{{…}}`.
fn rule(pattern: &str) -> Result<Regex, String> {
    let literal = |text: &str| {
        let blank = text
            .split(' ')
            .filter(|word| !word.is_empty())
            .map(regex::escape);
        let (before, after) = (text.starts_with(' '), text.ends_with(' ') && text.len() > 1);
        let inner = blank.collect::<Vec<_>>().join(" +");
        format!(
            "{}{inner}{}",
            if before { " *" } else { "" },
            if after { " *" } else { "" }
        )
    };
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((before, behind)) = rest.split_once("{{") {
        let (inner, after) = behind.split_once("}}").ok_or("an open pattern")?;
        out.push_str(&literal(before));
        out.push_str(&format!("(?:{inner})"));
        rest = after;
    }
    out.push_str(&literal(rest));
    Regex::new(&out).map_err(|e| e.to_string())
}
