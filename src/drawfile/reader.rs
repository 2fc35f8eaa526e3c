//! Reading TOML with places: typed access to keys, each of which must be asked for, and errors that name the line.
//!
//! Knows TOML, not what a draw file means.

use std::{cell::RefCell, collections::BTreeSet, fmt, ops::Range, path::PathBuf};
use toml_edit::{Document, Item, TableLike, Value};

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// Line and column, from 1; None: the file as a whole.
    pub place: Option<(usize, usize)>,
    /// What is wrong, and what to do.
    pub message: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": error: {}", self.message)
    }
}

/// A parsed file: the text and where it came from.
pub struct Source {
    path: PathBuf,
    document: Document<String>,
}

impl Source {
    /// Parses `text`, the contents of `path`.
    pub fn parse(path: PathBuf, text: String) -> Result<Source, FileError> {
        match Document::parse(text.clone()) {
            Ok(document) => Ok(Source { path, document }),
            Err(e) => {
                let place = e.span().map(|s| place(&text, s.start));
                Err(FileError {
                    path,
                    place,
                    message: e.message().trim().replace('\n', "; "),
                })
            }
        }
    }

    /// The table at the top.
    pub fn root(&self) -> Table<'_> {
        Table::new(self, "", self.document.as_table(), None)
    }

    fn error(&self, span: Option<Range<usize>>, message: String) -> FileError {
        let place = span.map(|s| place(self.document.raw(), s.start));
        FileError {
            path: self.path.clone(),
            place,
            message,
        }
    }
}

fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
    (line, column)
}

/// A table whose keys are taken one by one; [`Table::finish`] refuses those that nobody took.
pub struct Table<'a> {
    source: &'a Source,
    name: String,
    table: &'a dyn TableLike,
    span: Option<Range<usize>>,
    known: RefCell<BTreeSet<&'static str>>,
}

/// A value with its place.
#[derive(Clone)]
pub struct Entry<'a> {
    source: &'a Source,
    name: String,
    value: &'a Value,
}

impl<'a> Table<'a> {
    fn new(
        source: &'a Source,
        name: &str,
        table: &'a dyn TableLike,
        span: Option<Range<usize>>,
    ) -> Table<'a> {
        Table {
            source,
            name: name.to_owned(),
            table,
            span,
            known: RefCell::default(),
        }
    }

    /// An error at the table's head.
    pub fn error(&self, message: impl Into<String>) -> FileError {
        self.source.error(self.span.clone(), message.into())
    }

    /// An error at a key of the table.
    pub fn error_at(&self, key: &str, message: impl Into<String>) -> FileError {
        let span = self
            .table
            .get_key_value(key)
            .and_then(|(k, v)| k.span().or(v.span()));
        self.source
            .error(span.or(self.span.clone()), message.into())
    }

    fn item(&self, key: &'static str) -> Option<&'a Item> {
        self.known.borrow_mut().insert(key);
        self.table.get(key)
    }

    /// Whether the key is there.
    pub fn has(&self, key: &'static str) -> bool {
        self.item(key).is_some()
    }

    /// The value of a key that may be missing.
    pub fn entry(&self, key: &'static str) -> Result<Option<Entry<'a>>, FileError> {
        match self.item(key) {
            None => Ok(None),
            Some(Item::Value(value)) => Ok(Some(Entry {
                source: self.source,
                name: key.to_owned(),
                value,
            })),
            Some(_) => Err(self.error_at(key, format!("`{key}` must be a value, not a table"))),
        }
    }

    /// A table under a key, written `[key]` or inline.
    pub fn table(&self, key: &'static str) -> Result<Option<Table<'a>>, FileError> {
        let Some(item) = self.item(key) else {
            return Ok(None);
        };
        match item.as_table_like() {
            Some(table) => {
                let span = self
                    .table
                    .get_key_value(key)
                    .and_then(|(k, v)| v.span().or(k.span()));
                Ok(Some(Table::new(self.source, key, table, span)))
            }
            None => Err(self.error_at(key, format!("`{key}` must be one table: write [{key}]"))),
        }
    }

    /// The tables of an array of tables, written `[[key]]` or inline.
    pub fn tables(&self, key: &'static str) -> Result<Vec<Table<'a>>, FileError> {
        match self.item(key) {
            None => Ok(Vec::new()),
            Some(Item::ArrayOfTables(array)) => Ok(array
                .iter()
                .map(|t| Table::new(self.source, key, t, t.span()))
                .collect()),
            Some(Item::Value(Value::Array(_))) => match self.entry(key)? {
                Some(entry) => entry.elements()?.iter().map(|e| e.table()).collect(),
                None => Ok(Vec::new()),
            },
            Some(_) => Err(self.error_at(
                key,
                format!("`{key}` must be an array of tables: write [[{key}]]"),
            )),
        }
    }

    /// A string.
    pub fn string(&self, key: &'static str) -> Result<Option<String>, FileError> {
        self.entry(key)?
            .map(|e| e.string().map(str::to_owned))
            .transpose()
    }

    /// A truth value.
    pub fn boolean(&self, key: &'static str) -> Result<Option<bool>, FileError> {
        self.entry(key)?.map(|e| e.boolean()).transpose()
    }

    /// An integer in the range of its type.
    pub fn integer<T: TryFrom<i64>>(&self, key: &'static str) -> Result<Option<T>, FileError> {
        self.entry(key)?.map(|e| e.integer()).transpose()
    }

    /// One of several words.
    pub fn choice<T: Copy>(
        &self,
        key: &'static str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, FileError> {
        self.entry(key)?.map(|e| e.choice(words)).transpose()
    }

    /// The keys and values of a table of free names.
    pub fn pairs(&self) -> Result<Vec<(&'a str, Entry<'a>)>, FileError> {
        let mut pairs = Vec::new();
        for (key, item) in self.table.iter() {
            match item {
                Item::Value(value) => {
                    pairs.push((
                        key,
                        Entry {
                            source: self.source,
                            name: key.to_owned(),
                            value,
                        },
                    ));
                }
                _ => {
                    return Err(self.error_at(key, format!("`{key}` must be a value, not a table")));
                }
            }
        }
        Ok(pairs)
    }

    /// Refuses keys that nobody asked for.
    pub fn finish(self) -> Result<(), FileError> {
        let known = self.known.borrow();
        for (key, _) in self.table.iter() {
            if !known.contains(key) {
                let place = if self.name.is_empty() {
                    String::new()
                } else {
                    format!(" in `{}`", self.name)
                };
                let list = known
                    .iter()
                    .map(|k| format!("`{k}`"))
                    .collect::<Vec<_>>()
                    .join(", ");
                return Err(self.error_at(
                    key,
                    format!("unknown key `{key}`{place}; known here: {list}"),
                ));
            }
        }
        Ok(())
    }
}

impl<'a> Entry<'a> {
    /// An error at the value.
    pub fn error(&self, message: impl Into<String>) -> FileError {
        self.source.error(self.value.span(), message.into())
    }

    fn wrong(&self, wanted: &str) -> FileError {
        self.error(format!(
            "`{}` must be {wanted}, not {}",
            self.name,
            article(self.value.type_name())
        ))
    }

    /// The text of the value as it stands in the file.
    fn text(&self) -> &'a str {
        self.value
            .span()
            .and_then(|s| self.source.document.raw().get(s))
            .unwrap_or("")
            .trim()
    }

    /// A string.
    pub fn string(&self) -> Result<&'a str, FileError> {
        self.value.as_str().ok_or_else(|| self.wrong("a string"))
    }

    /// A string, if it is one.
    pub fn as_string(&self) -> Option<&'a str> {
        self.value.as_str()
    }

    /// A truth value.
    pub fn boolean(&self) -> Result<bool, FileError> {
        self.value
            .as_bool()
            .ok_or_else(|| self.wrong("true or false"))
    }

    /// A truth value, if it is one.
    pub fn as_boolean(&self) -> Option<bool> {
        self.value.as_bool()
    }

    /// An integer in the range of its type.
    pub fn integer<T: TryFrom<i64>>(&self) -> Result<T, FileError> {
        let value = self
            .value
            .as_integer()
            .ok_or_else(|| self.wrong("an integer"))?;
        T::try_from(value)
            .map_err(|_| self.error(format!("`{}` is out of range: {value}", self.name)))
    }

    /// A number as it is written, for rounding to any type; `nan`, `inf` and their signed forms included.
    pub fn number(&self) -> Result<Number<'a>, FileError> {
        match self.value {
            Value::Integer(i) => Ok(Number::Integer(*i.value())),
            Value::Float(_) => Ok(Number::Float(self.text())),
            _ => Err(self.wrong("a number")),
        }
    }

    /// Whether the value is an array.
    pub fn is_array(&self) -> bool {
        self.value.is_array()
    }

    /// Whether the value is an inline table.
    pub fn is_table(&self) -> bool {
        self.value.is_inline_table()
    }

    /// The elements of an array.
    pub fn elements(&self) -> Result<Vec<Entry<'a>>, FileError> {
        let array = self
            .value
            .as_array()
            .ok_or_else(|| self.wrong("an array"))?;
        Ok(array
            .iter()
            .map(|value| Entry {
                source: self.source,
                name: self.name.clone(),
                value,
            })
            .collect())
    }

    /// An inline table.
    pub fn table(&self) -> Result<Table<'a>, FileError> {
        let table = self
            .value
            .as_inline_table()
            .ok_or_else(|| self.wrong("a table"))?;
        Ok(Table::new(
            self.source,
            &self.name,
            table,
            self.value.span(),
        ))
    }

    /// One of several words.
    pub fn choice<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, FileError> {
        let text = self.string()?;
        words
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, value)| *value)
            .ok_or_else(|| {
                let list = words
                    .iter()
                    .map(|(w, _)| format!("\"{w}\""))
                    .collect::<Vec<_>>()
                    .join(", ");
                self.error(format!(
                    "`{}` cannot be \"{text}\"; it is one of {list}",
                    self.name
                ))
            })
    }
}

fn article(type_name: &str) -> String {
    let an = type_name.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {type_name}", if an { "an" } else { "a" })
}

/// A number as it stands in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number<'a> {
    /// Written without a point.
    Integer(i64),
    /// Written with one, or `nan`, `inf`.
    Float(&'a str),
}
