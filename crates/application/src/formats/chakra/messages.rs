//! The messages of a Chakra trace, as far as they matter here: fields that are not here are passed over.

use prost::Message;
use turnwise_config::Flaw;

/// What begins a file.
#[derive(Clone, PartialEq, Message)]
pub struct GlobalMetadata {
    /// Version of the schema.
    #[prost(string, tag = "1")]
    pub version: String,
    /// Whatever the writer wanted to say.
    #[prost(message, repeated, tag = "2")]
    pub attributes: Vec<Attribute>,
}

/// A node of the graph.
#[derive(Clone, PartialEq, Message)]
pub struct Node {
    /// Its name among the nodes of its rank.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// What it is, see [`kinds`].
    #[prost(int32, tag = "3")]
    pub kind: i32,
    /// Nodes that must be done before.
    #[prost(uint64, repeated, tag = "4")]
    pub control: Vec<u64>,
    /// Nodes whose results it needs.
    #[prost(uint64, repeated, tag = "5")]
    pub data: Vec<u64>,
    /// How long it takes, in microseconds.
    #[prost(uint64, tag = "7")]
    pub micros: u64,
    /// What else is said of it, by name.
    #[prost(message, repeated, tag = "10")]
    pub attributes: Vec<Attribute>,
}

/// As much of a node as says what others mean.
#[derive(Clone, PartialEq, Message)]
pub struct Note {
    /// Its name among the nodes of its rank.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// What it is called.
    #[prost(string, tag = "2")]
    pub name: String,
    /// What it is, see [`kinds`].
    #[prost(int32, tag = "3")]
    pub kind: i32,
    /// What it is given.
    #[prost(message, optional, tag = "8")]
    pub inputs: Option<Inputs>,
}

/// What a node is given.
#[derive(Clone, PartialEq, Message)]
pub struct Inputs {
    /// As text.
    #[prost(string, tag = "1")]
    pub values: String,
}

/// Kinds of nodes.
pub mod kinds {
    /// Does nothing.
    pub const INVALID: i32 = 0;
    /// Says something, does nothing.
    pub const METADATA: i32 = 1;
    /// Reads memory.
    pub const MEM_LOAD: i32 = 2;
    /// Writes memory.
    pub const MEM_STORE: i32 = 3;
    /// Computes.
    pub const COMP: i32 = 4;
    /// Sends a message.
    pub const COMM_SEND: i32 = 5;
    /// Receives a message.
    pub const COMM_RECV: i32 = 6;
    /// Takes part in a collective.
    pub const COMM_COLL: i32 = 7;
}

/// A named value.
#[derive(Clone, PartialEq, Message)]
pub struct Attribute {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its value.
    #[prost(
        oneof = "Value",
        tags = "3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 28, 29"
    )]
    pub value: Option<Value>,
}

/// The value of an attribute.
#[derive(Clone, PartialEq, prost::Oneof)]
#[allow(missing_docs, reason = "they are called as in the schema")]
pub enum Value {
    #[prost(double, tag = "3")]
    Double(f64),
    #[prost(float, tag = "5")]
    Float(f32),
    #[prost(int32, tag = "7")]
    Int32(i32),
    #[prost(int64, tag = "9")]
    Int64(i64),
    #[prost(uint32, tag = "11")]
    Uint32(u32),
    #[prost(uint64, tag = "13")]
    Uint64(u64),
    #[prost(sint32, tag = "15")]
    Sint32(i32),
    #[prost(sint64, tag = "17")]
    Sint64(i64),
    #[prost(fixed32, tag = "19")]
    Fixed32(u32),
    #[prost(fixed64, tag = "21")]
    Fixed64(u64),
    #[prost(sfixed32, tag = "23")]
    Sfixed32(i32),
    #[prost(sfixed64, tag = "25")]
    Sfixed64(i64),
    #[prost(bool, tag = "27")]
    Bool(bool),
    #[prost(message, tag = "28")]
    Bools(Bools),
    #[prost(string, tag = "29")]
    Text(String),
}

/// A list of what is so and what is not.
#[derive(Clone, PartialEq, Message)]
pub struct Bools {
    /// One by one.
    #[prost(bool, repeated, tag = "1")]
    pub values: Vec<bool>,
}

impl Value {
    /// As a number, if it is one that is not negative.
    pub fn number(&self) -> Option<u64> {
        match *self {
            Self::Double(value) => (value >= 0.0).then_some(value as u64),
            Self::Float(value) => (value >= 0.0).then_some(value as u64),
            Self::Int32(value) | Self::Sint32(value) | Self::Sfixed32(value) => {
                value.try_into().ok()
            }
            Self::Int64(value) | Self::Sint64(value) | Self::Sfixed64(value) => {
                value.try_into().ok()
            }
            Self::Uint32(value) | Self::Fixed32(value) => Some(value.into()),
            Self::Uint64(value) | Self::Fixed64(value) => Some(value),
            Self::Bool(value) => Some(value.into()),
            Self::Bools(_) => None,
            Self::Text(ref text) => text.parse().ok(),
        }
    }

    /// As text.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            other => other.number().map(|number| number.to_string()),
        }
    }
}

impl Node {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        let found = self
            .attributes
            .iter()
            .find(|attribute| attribute.name == name);
        found.and_then(|attribute| attribute.value.as_ref())
    }
}

/// Reads the messages of a file, one after the other.
pub(super) struct Messages<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A message and where it stands.
type Placed<M> = Result<Option<(usize, M)>, Flaw>;

impl<'a> Messages<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn metadata(&mut self) -> Placed<GlobalMetadata> {
        self.next("the metadata of a Chakra trace")
    }

    pub(super) fn node(&mut self) -> Placed<Node> {
        self.next("a node")
    }

    /// The next node, as far as it is a note.
    pub(super) fn note(&mut self) -> Placed<Note> {
        self.next("a node")
    }

    fn next<M: Message + Default>(&mut self, what: &str) -> Placed<M> {
        let place = self.at;
        if place == self.bytes.len() {
            return Ok(None);
        }
        let mut rest = &self.bytes[place..];
        let Ok(length) = prost::decode_length_delimiter(&mut rest) else {
            let message = format!("expected the length of {what}, found something else");
            return Err(Flaw::at(place, message));
        };
        if length > rest.len() {
            let message = format!(
                "expected {what} of {length} bytes, found the end of the file after {}",
                rest.len()
            );
            return Err(Flaw::at(place, message));
        }
        self.at = self.bytes.len() - rest.len() + length;
        match M::decode(&rest[..length]) {
            Ok(message) => Ok(Some((place, message))),
            Err(error) => Err(Flaw::at(place, format!("this is not {what}: {error}"))),
        }
    }
}
