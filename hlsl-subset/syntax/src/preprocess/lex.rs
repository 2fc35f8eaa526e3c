//! Text to pieces, with logos: names, numbers, strings, operators, as the preprocessor works on them.
//!
//! Must not know macros, directives, or what a number or string means (that is `literal`).

use crate::token::{Tok, token_table};
use logos::Logos;

macro_rules! pieces {
    (
        reserved { $($reserved:ident $rtext:literal)* }
        punctuation { $($punct:ident $ptext:literal)* }
    ) => {
        /// What a piece of text is. White space and comments lie between pieces.
        #[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
        #[logos(skip r"[ \t\x0B\x0C]+")]
        #[logos(skip(r"//[^\n]*", allow_greedy = true))]
        #[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
        pub(super) enum Kind {
            #[token("\n")]
            Newline,

            /// Reserved words are names here, because a macro may have any name.
            #[regex("[A-Za-z_][A-Za-z0-9_]*")]
            Ident,

            #[regex(r"[0-9]+([uU][lL]?[lL]?|[lL][lL]?[uU]?|[fFhH])?", priority = 30)]
            #[regex(r"0[xX][0-9A-Fa-f]+([uU][lL]?[lL]?|[lL][lL]?[uU]?)?", priority = 30)]
            #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?[fFhHlL]?", priority = 30)]
            #[regex(r"\.[0-9]+([eE][+-]?[0-9]+)?[fFhHlL]?", priority = 30)]
            #[regex(r"[0-9]+[eE][+-]?[0-9]+[fFhHlL]?", priority = 30)]
            #[regex(r"0[bB][01]+([uU][lL]?[lL]?|[lL][lL]?[uU]?)?", priority = 30)]
            #[regex(r"1\.#(INF|IND|QNAN|SNAN)[fFhHlL]?", priority = 30)]
            Number,

            /// `1.xxx`: an integer, a dot and a swizzle. [`next`] gives them one by one.
            #[regex(r"[0-9]+\.[A-Za-z_][A-Za-z0-9_]*", priority = 20)]
            SwizzledInt,

            /// No number, but it may become part of a name by `##`, as the `2D` of `Texture##2D`.
            #[regex(r"[0-9]+[A-Za-z_][A-Za-z0-9_]*", priority = 10)]
            #[regex(r"[0-9]*\.[0-9]+[A-Za-z_][A-Za-z0-9_]*", priority = 10)]
            BadNumber,

            #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
            Str,

            #[regex(r"'([^'\\\n]|\\[^\n])+'")]
            Char,

            #[token("\"")]
            #[token("'")]
            OpenQuote,

            #[token("/*")]
            OpenComment,

            #[token("#")]
            Hash,

            #[token("##")]
            HashHash,

            #[token("#@")]
            HashAt,

            /// Whatever HLSL does not have: a run of characters beyond ASCII, or one of ASCII.
            #[regex(r"[^\x00-\x7F]+", priority = 2)]
            #[regex(r"[\x00-\x7F]", priority = 0)]
            Unknown,

            /// The end of the text; never made by logos.
            End,

            $(#[token($ptext)] $punct,)*
        }

        impl Kind {
            /// The token, where it is an operator.
            pub(super) fn punctuation(self) -> Option<Tok> {
                match self {
                    $(Kind::$punct => Some(Tok::$punct),)*
                    _ => None,
                }
            }
        }
    };
}

token_table!(pieces);

/// A piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// The next piece of `text` from the byte offset `from` on (at a character boundary).
pub(super) fn next(text: &str, from: usize) -> Piece {
    let mut lexer = Kind::lexer(text.get(from..).unwrap_or_default());
    let kind = lexer.next();
    let (start, end) = (from + lexer.span().start, from + lexer.span().end);
    match kind {
        None => Piece {
            kind: Kind::End,
            start: text.len(),
            end: text.len(),
        },
        Some(Ok(Kind::SwizzledInt)) => {
            let digits = lexer.slice().bytes().take_while(u8::is_ascii_digit).count();
            Piece {
                kind: Kind::Number,
                start,
                end: start + digits,
            }
        }
        Some(kind) => Piece {
            kind: kind.unwrap_or(Kind::Unknown),
            start,
            end,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<(Kind, &str)> {
        let mut at = 0;
        let mut found = Vec::new();
        loop {
            let piece = next(text, at);
            if piece.kind == Kind::End {
                return found;
            }
            found.push((piece.kind, &text[piece.start..piece.end]));
            at = piece.end;
        }
    }

    #[track_caller]
    fn all(kind: Kind, texts: &[&str]) {
        for text in texts {
            assert_eq!(pieces(text), [(kind, *text)]);
        }
    }

    #[test]
    fn numbers() {
        all(
            Kind::Number,
            &["0", "17", "017", "0x1Fu", "1u", "1UL", "1ll", "1llu"],
        );
        all(
            Kind::Number,
            &[
                "1.", ".5", "1.5", "1e-3", "1.e5", "1.5e+3f", "1.f", "1.0h", "1f", ".5L",
            ],
        );
        all(Kind::Number, &["1.#INF", "1.#INFf", "0b101u"]);
        all(
            Kind::BadNumber,
            &["2D", "0x", "0xg", "0b2", "1.5q", "1_a", ".5x"],
        );
    }

    #[test]
    fn a_swizzle_of_a_number_is_not_part_of_it() {
        use Kind::{Dot, Ident, Number};
        let splat = |number, letters| [(Number, number), (Dot, "."), (Ident, letters)];
        assert_eq!(pieces("1.xxx"), splat("1", "xxx"));
        assert_eq!(pieces("0.rr"), splat("0", "rr"));
        assert_eq!(pieces("1.0f.xxxx"), splat("1.0f", "xxxx"));
        assert_eq!(pieces("1.5.xxx"), splat("1.5", "xxx"));
        assert_eq!(pieces("1.f.x"), splat("1.f", "x"));
        assert_eq!(pieces("0x1.x"), splat("0x1", "x"));
    }

    #[test]
    fn comments_are_space() {
        assert_eq!(
            pieces("a/* * / ** */b// c\n/**/d"),
            [
                (Kind::Ident, "a"),
                (Kind::Ident, "b"),
                (Kind::Newline, "\n"),
                (Kind::Ident, "d")
            ]
        );
        assert_eq!(pieces("/* a").first(), Some(&(Kind::OpenComment, "/*")));
    }

    #[test]
    fn strings_and_characters() {
        all(Kind::Str, &[r#""""#, r#""a\"b\\""#, r#""/* */""#]);
        all(Kind::Char, &["'a'", r"'\''"]);
        assert_eq!(pieces("\"a\nb").first(), Some(&(Kind::OpenQuote, "\"")));
        assert_eq!(pieces("'").first(), Some(&(Kind::OpenQuote, "'")));
    }

    #[test]
    fn the_longest_operator_wins() {
        use Kind::*;
        let kinds: Vec<_> = pieces(">>= >> > ::: ++ + ##@")
            .into_iter()
            .map(|p| p.0)
            .collect();
        assert_eq!(
            kinds,
            [
                ShrAssign, Shr, Greater, ColonColon, Colon, PlusPlus, Plus, HashHash, Unknown
            ]
        );
    }

    #[test]
    fn what_is_unknown_does_not_stop_the_lexer() {
        assert_eq!(
            pieces("a@\u{201C}\u{A0}b\0"),
            [
                (Kind::Ident, "a"),
                (Kind::Unknown, "@"),
                (Kind::Unknown, "\u{201C}\u{A0}"),
                (Kind::Ident, "b"),
                (Kind::Unknown, "\0")
            ]
        );
    }
}
