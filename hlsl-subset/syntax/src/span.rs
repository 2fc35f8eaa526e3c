//! Where a piece of source text stands.

/// A half-open byte range in the [`crate::source::SourceMap`], and the macro expansion it came out of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte, counted through all files of the source map.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
    /// 0: written where it stands, also as an argument of a macro. Otherwise an expansion of
    /// [`crate::source::SourceMap`]: `lo..hi` lies in the macro's definition, and got here through that invocation.
    pub expansion: u32,
}

impl Span {
    /// The span from the start of `self` to the end of `other`. Where the two come from different macro
    /// expansions the caller gets `self`: a range between them would mean nothing.
    pub fn to(self, other: Span) -> Span {
        if self.expansion == other.expansion && other.hi >= self.lo {
            Span {
                hi: other.hi,
                ..self
            }
        } else {
            self
        }
    }
}
