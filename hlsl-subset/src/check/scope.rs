//! Scopes and what names stand for in them. Must not know expressions or how declarations come about.
//!
//! Namespaces, structs and template instances are *named* scopes that live as long as the checker; blocks of a
//! function are *local* ones, kept as a stack. A name of a named scope is visible from its declaration on: each entry
//! carries its order, since bodies are checked after all declarations.

use super::Reported;
use crate::ast::{self, Name};
use crate::diagnostic::Diagnostic;
use crate::hir::{ConstantBufferId, FuncId, VarId};
use crate::span::Span;
use crate::types::Type;
use std::collections::HashMap;
use std::rc::Rc;

/// A named scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScopeId(pub u32);

/// The scope of the whole file.
pub const GLOBAL: ScopeId = ScopeId(0);

/// Why a variable cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOnly {
    /// Declared `const`.
    Const,
    /// A parameter declared `const`.
    Parameter,
}

/// How a constant buffer's data lies in memory: the checker's compact form of [`crate::reflection::Layout`].
#[derive(Debug)]
pub enum Node {
    /// Components 4 bytes apart.
    Vector,
    /// Bytes between rows and between columns.
    Matrix(u32, u32),
    /// Element and bytes between elements.
    Array(Rc<Node>, u32),
    /// Offset and layout of each field of the type; None for resources.
    Struct(Vec<Option<(u32, Rc<Node>)>>),
}

/// What a name of a value stands for.
#[derive(Clone)]
pub enum Symbol {
    /// A variable.
    Var {
        /// Which.
        var: VarId,
        /// Why it cannot be written.
        read_only: Option<ReadOnly>,
    },
    /// A member of a constant buffer.
    Member(Rc<MemberSymbol>),
    /// A loose global before `$Globals` is laid out: index into the checker's list.
    Loose(usize),
    /// `ConstantBuffer<T>` and arrays of it: buffers from `first` on, `count` of them where it is an array.
    Buffers {
        /// First buffer.
        first: ConstantBufferId,
        /// Array length.
        count: Option<u32>,
        /// What is in each.
        member: Rc<MemberSymbol>,
    },
    /// A resource or sampler, or an array of them.
    Object(super::module::ObjectId, Type),
    /// Enum values, template arguments.
    Constant(Type, u32),
    /// Overloads, prototypes and templates among them.
    Functions(Rc<Vec<Overload>>),
    /// Declared, but not supported: counts where it is used.
    Unsupported(Rc<Diagnostic>),
    /// A `string` of an effect file.
    Text,
    /// Declared, but with an error that was reported.
    Error(Reported),
}

/// A place in a constant buffer.
#[derive(Debug)]
pub struct MemberSymbol {
    /// Which buffer.
    pub buffer: ConstantBufferId,
    /// First byte.
    pub offset: u32,
    /// How it lies there.
    pub node: Rc<Node>,
    /// Its type.
    pub ty: Type,
}

/// One of several functions of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overload {
    /// A function.
    Plain(FuncId),
    /// A template: index into the checker's list.
    Template(usize),
}

/// What a name of a type stands for.
#[derive(Clone)]
pub enum TypeSymbol<'a> {
    /// A type, and the majorness written with it.
    Type(Type, Option<bool>),
    /// An enum: the scope of its values, and its type.
    Enum(ScopeId, Type),
    /// A struct whose body is not complete yet, or only announced.
    Incomplete,
    /// A struct template: index into the checker's list.
    StructTemplate(usize),
    /// `template<…> using`.
    AliasTemplate(&'a ast::AliasDecl, ScopeId),
    /// A namespace.
    Namespace(ScopeId),
    /// Declared, but made of what is not supported: counts where it is used.
    Unsupported(Rc<Diagnostic>),
    /// Declared, but with an error that was reported.
    Error(Reported),
}

/// A name with what it stands for.
#[derive(Clone)]
pub struct Entry<S> {
    /// From which point of the file on it is visible.
    pub order: u32,
    /// Where it is declared.
    pub span: Span,
    /// What it stands for.
    pub symbol: S,
}

/// A named scope.
#[derive(Default)]
pub struct Scope<'a> {
    /// `A::B::`, empty for the file.
    pub prefix: String,
    /// Around it.
    pub parent: Option<ScopeId>,
    /// The struct whose scope it is.
    pub owner: Option<u32>,
    /// Values.
    pub values: HashMap<Name, Entry<Symbol>>,
    /// Types and namespaces.
    pub types: HashMap<Name, Entry<TypeSymbol<'a>>>,
    /// `using namespace`, base structs, unnamed enums and namespaces: searched after its own names.
    pub also: Vec<ScopeId>,
}

/// A name in a block.
pub enum LocalEntry<'a> {
    /// A value.
    Value(Entry<Symbol>),
    /// A type.
    Type(Entry<TypeSymbol<'a>>),
}

/// The blocks of the function that is being checked.
#[derive(Default)]
pub struct Locals<'a> {
    names: Vec<(Name, LocalEntry<'a>)>,
    /// Where in `names` each name stands, innermost last.
    places: HashMap<Name, Vec<usize>>,
    blocks: Vec<usize>,
    /// Loop variables whose loop is over, which the rules of 2018 still let be seen; innermost last.
    leaked: HashMap<Name, Vec<Entry<Symbol>>>,
    /// Their names in order, with the depth of the block that sees them.
    leaks: Vec<(Name, usize)>,
}

impl<'a> Locals<'a> {
    /// Opens a block.
    pub fn open(&mut self) {
        self.blocks.push(self.names.len());
    }

    /// Closes the innermost block.
    pub fn close(&mut self) {
        self.end_block(false);
    }

    /// Closes the innermost block, a `for`'s, and keeps its variables visible in the block around it.
    pub fn close_leaking(&mut self) {
        self.end_block(true);
    }

    fn end_block(&mut self, keeps_values: bool) {
        let start = self.blocks.pop().unwrap_or(0);
        let depth = self.blocks.len();
        while let Some((name, _)) = self.leaks.pop_if(|(_, seen_from)| *seen_from > depth) {
            if let Some(list) = self.leaked.get_mut(&name) {
                list.pop();
            }
        }
        for (name, entry) in self.names.drain(start..).rev() {
            if let Some(places) = self.places.get_mut(&name) {
                places.pop();
            }
            if let (LocalEntry::Value(entry), true) = (entry, keeps_values) {
                self.leaks.push((name.clone(), depth));
                self.leaked.entry(name).or_default().push(entry);
            }
        }
    }

    /// Declares a name in the innermost block; gives back where that block declares it already.
    pub fn declare(&mut self, name: Name, entry: LocalEntry<'a>) -> Option<Span> {
        let start = self.blocks.last().copied().unwrap_or(0);
        let is_type = matches!(entry, LocalEntry::Type(_));
        let before = self
            .of(&name)
            .take_while(|(at, _)| *at >= start)
            .find_map(|(_, entry)| match entry {
                LocalEntry::Value(e) if !is_type => Some(e.span),
                LocalEntry::Type(e) if is_type => Some(e.span),
                _ => None,
            });
        let place = self.names.len();
        self.places.entry(name.clone()).or_default().push(place);
        self.names.push((name, entry));
        before
    }

    /// What a name stands for, innermost first, with its place.
    fn of(&self, name: &str) -> impl Iterator<Item = (usize, &LocalEntry<'a>)> {
        let places = self.places.get(name).map_or(&[][..], Vec::as_slice);
        places.iter().rev().map(|at| (*at, &self.names[*at].1))
    }

    /// Whether a block is open.
    pub fn is_open(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Gives the innermost type of that name another meaning.
    pub fn replace_type(&mut self, name: &str, new: Entry<TypeSymbol<'a>>) {
        let is_type = |e: &LocalEntry| matches!(e, LocalEntry::Type(_));
        let place = self.of(name).find(|(_, e)| is_type(e)).map(|(at, _)| at);
        if let Some(at) = place {
            self.names[at].1 = LocalEntry::Type(new);
        }
    }

    /// The innermost value of that name.
    pub fn value(&self, name: &str) -> Option<&Entry<Symbol>> {
        self.of(name).find_map(|(_, e)| match e {
            LocalEntry::Value(e) => Some(e),
            LocalEntry::Type(_) => None,
        })
    }

    /// The innermost type of that name.
    pub fn ty(&self, name: &str) -> Option<&Entry<TypeSymbol<'a>>> {
        self.of(name).find_map(|(_, e)| match e {
            LocalEntry::Type(e) => Some(e),
            LocalEntry::Value(_) => None,
        })
    }

    /// A loop variable of that name whose loop is over.
    pub fn leaked(&self, name: &str) -> Option<&Entry<Symbol>> {
        self.leaked.get(name)?.last()
    }

    /// All names of values, innermost first.
    pub fn value_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().rev().filter_map(|(n, e)| match e {
            LocalEntry::Value(_) => Some(&**n),
            LocalEntry::Type(_) => None,
        })
    }
}

/// The candidate that is most like `name`, if one is like enough to be what was meant.
pub fn similar<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = match name.chars().count() {
        // Names that long are made by machines, and comparing them with everything takes time.
        65.. => return None,
        0..=2 => 0,
        3..=5 => 1,
        6..=9 => 2,
        _ => 3,
    };
    candidates
        .filter(|c| c.len().abs_diff(name.len()) <= limit + 1)
        .map(|c| {
            let distance = if c.eq_ignore_ascii_case(name) {
                0
            } else {
                edit_distance(name, c)
            };
            (distance, c)
        })
        .filter(|(distance, c)| *distance <= limit && *c != name)
        .min()
        .map(|(_, c)| c)
}

/// How many insertions, deletions, replacements and swaps of neighbours lead from `a` to `b`.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before_last[j - 2] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_close_in_edits_or_differ_in_case() {
        let names = ["scale", "World", "texcoord0", "x"];
        let find = |name| similar(name, names.iter().copied());
        assert_eq!(find("scael"), Some("scale"));
        assert_eq!(find("world"), Some("World"));
        assert_eq!(find("texcord0"), Some("texcoord0"));
        assert_eq!(find("y"), None);
        assert_eq!(find("position"), None);
    }
}
