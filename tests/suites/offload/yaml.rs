//! YAML as a tree of texts: numbers keep the form in which they are written.

use saphyr_parser::{Event, Parser};

/// A node of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Anything without an inside.
    Scalar(String),
    /// A list.
    Sequence(Vec<Node>),
    /// Keys and values, in their order.
    Mapping(Vec<(String, Node)>),
}

/// The first document of a text.
///
/// # Errors
/// What is wrong with it.
pub fn read(text: &str) -> Result<Node, String> {
    let mut events = Parser::new_from_str(text).map(|event| match event {
        Ok((event, _)) => Ok(event),
        Err(error) => Err(error.to_string()),
    });
    loop {
        match events.next() {
            Some(Ok(Event::StreamStart | Event::DocumentStart(_))) => {}
            Some(Ok(first)) => return node(first, &mut events),
            Some(Err(error)) => return Err(error),
            None => return Err("an empty document".to_owned()),
        }
    }
}

fn node<'a>(
    first: Event<'a>,
    events: &mut impl Iterator<Item = Result<Event<'a>, String>>,
) -> Result<Node, String> {
    let next = |events: &mut dyn Iterator<Item = Result<Event<'a>, String>>| {
        events
            .next()
            .unwrap_or(Err("the document ends early".to_owned()))
    };
    match first {
        Event::Scalar(text, ..) => Ok(Node::Scalar(text.into_owned())),
        Event::SequenceStart(..) => {
            let mut items = Vec::new();
            loop {
                match next(events)? {
                    Event::SequenceEnd => return Ok(Node::Sequence(items)),
                    item => items.push(boxed(item, events)?),
                }
            }
        }
        Event::MappingStart(..) => {
            let mut entries = Vec::new();
            loop {
                match next(events)? {
                    Event::MappingEnd => return Ok(Node::Mapping(entries)),
                    Event::Scalar(key, ..) => {
                        let value = next(events)?;
                        entries.push((key.into_owned(), boxed(value, events)?));
                    }
                    other => return Err(format!("not a key: {other:?}")),
                }
            }
        }
        other => Err(format!("not a value: {other:?}")),
    }
}

/// [`node`] behind a pointer, so that its type does not grow with the depth of the document.
fn boxed<'a>(
    first: Event<'a>,
    events: &mut dyn Iterator<Item = Result<Event<'a>, String>>,
) -> Result<Node, String> {
    node(first, &mut { events })
}

impl Node {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match self {
            Node::Mapping(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The text of a key's scalar.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Node::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// The number of a key's scalar.
    pub fn number(&self, key: &str) -> Option<u32> {
        self.text(key)?.parse().ok()
    }

    /// The items of a key's list; none where there is none.
    pub fn list(&self, key: &str) -> &[Node] {
        match self.get(key) {
            Some(Node::Sequence(items)) => items,
            _ => &[],
        }
    }

    /// All scalars inside, in order.
    pub fn scalars(&self) -> Vec<&str> {
        match self {
            Node::Scalar(text) => vec![text],
            Node::Sequence(items) => items.iter().flat_map(Node::scalars).collect(),
            Node::Mapping(entries) => entries.iter().flat_map(|(_, v)| v.scalars()).collect(),
        }
    }
}
