//! Reads Python's pickles without executing anything.
//!
//! A pickle is a program for a stack machine, whose calls can name any function of Python. This machine never calls
//! anything: it records the function and the arguments, and refuses functions that the reader of the format does not
//! know. Their meaning is up to that reader.
//!
//! Objects refer to each other by number, so that neither cycles nor depth matter to memory or to the stack. Their
//! number is bounded; text and bytes are ranges of the pickle.

mod json;
mod machine;
mod object;

pub(crate) use json::{Budget, json};
pub(crate) use machine::refused;
pub(crate) use object::{GlobalRole, Object, ObjectId, Pickle};
