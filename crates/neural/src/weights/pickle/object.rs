//! The contents of a pickle.

use std::ops::Range;

/// The number of an object in its pickle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ObjectId(pub(super) u32);

/// The role of a global name in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GlobalRole {
    /// A function or class that may be called: the call is kept.
    Callable,
    /// A name that is a value, such as a number format.
    Value,
    /// Not a part of the format.
    Unknown,
}

/// An object of a pickle.
#[derive(Clone, Debug)]
pub(crate) enum Object {
    /// `None`.
    Nothing,
    /// A Boolean.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A float.
    Float(f64),
    /// UTF-8 at these bytes of the pickle.
    Text(Range<u32>),
    /// Bytes at this place of the pickle.
    Bytes(Range<u32>),
    /// A tuple.
    Tuple(Vec<ObjectId>),
    /// A list, or a set.
    List(Vec<ObjectId>),
    /// A dictionary, in its order; a key may occur more than once, and the last one counts.
    Dict(Vec<(ObjectId, ObjectId)>),
    /// The name of a function or class, as `module.name`.
    Global(String),
    /// Something that the pickle stores elsewhere, by its description.
    Stored(ObjectId),
    /// A call that was not made.
    Call {
        /// The known global.
        callable: ObjectId,
        /// The arguments, a tuple.
        arguments: ObjectId,
        /// The state that was to be set on the result.
        state: Option<ObjectId>,
        /// Items that were to be set on the result, as of a dictionary.
        items: Vec<(ObjectId, ObjectId)>,
    },
}

/// The objects of a pickle.
#[derive(Debug)]
pub(crate) struct Pickle<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) objects: Vec<Object>,
    pub(super) root: ObjectId,
    /// The globals that the reader does not know. They were not called.
    pub(super) unknown: Vec<ObjectId>,
}

impl Pickle<'_> {
    /// The object that the pickle is made for.
    pub fn root(&self) -> ObjectId {
        self.root
    }

    /// The names that the reader does not know, each with its object.
    pub fn unknown(&self) -> impl Iterator<Item = (ObjectId, &str)> {
        self.unknown.iter().filter_map(|&id| match self.object(id) {
            Object::Global(name) => Some((id, name.as_str())),
            _ => None,
        })
    }

    /// Returns an object.
    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    /// Returns the text of a text object.
    pub fn text(&self, id: ObjectId) -> Option<&str> {
        match self.object(id) {
            // It was UTF-8 when it was read.
            Object::Text(range) => std::str::from_utf8(self.at(range)).ok(),
            _ => None,
        }
    }

    /// Returns the bytes of a bytes object.
    pub fn bytes(&self, id: ObjectId) -> Option<&[u8]> {
        match self.object(id) {
            Object::Bytes(range) => Some(self.at(range)),
            _ => None,
        }
    }

    fn at(&self, range: &Range<u32>) -> &[u8] {
        &self.bytes[range.start as usize..range.end as usize]
    }

    /// Returns an integer object.
    pub fn int(&self, id: ObjectId) -> Option<i64> {
        match self.object(id) {
            Object::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns an integer object that is not negative.
    pub fn size(&self, id: ObjectId) -> Option<u64> {
        self.int(id).and_then(|number| u64::try_from(number).ok())
    }

    /// Returns the members of a tuple.
    pub fn tuple(&self, id: ObjectId) -> Option<&[ObjectId]> {
        match self.object(id) {
            Object::Tuple(members) => Some(members),
            _ => None,
        }
    }

    /// Returns the name of a global.
    pub fn global(&self, id: ObjectId) -> Option<&str> {
        match self.object(id) {
            Object::Global(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the name and the arguments of a call.
    pub fn call(&self, id: ObjectId) -> Option<(&str, &[ObjectId])> {
        match self.object(id) {
            Object::Call { callable, arguments, .. } => Some((self.global(*callable)?, self.tuple(*arguments)?)),
            _ => None,
        }
    }

    /// Returns the items of a dictionary, or of a call of `OrderedDict`.
    pub fn items(&self, id: ObjectId) -> Option<&[(ObjectId, ObjectId)]> {
        match self.object(id) {
            Object::Dict(items) => Some(items),
            Object::Call { callable, items, .. } if self.global(*callable) == Some("collections.OrderedDict") => {
                Some(items)
            }
            _ => None,
        }
    }

    /// Returns the value of a text key of a dictionary.
    pub fn item(&self, id: ObjectId, key: &str) -> Option<ObjectId> {
        self.items(id)?.iter().rev().find(|(name, _)| self.text(*name) == Some(key)).map(|(_, value)| *value)
    }
}
