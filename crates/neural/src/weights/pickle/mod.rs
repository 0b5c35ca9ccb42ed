//! Reads Python's pickles without executing anything.
//!
//! A pickle is a program for a machine with a stack, whose calls can name any function of Python. This machine never
//! calls: a call is kept as what was to be called with which arguments, and only names that the reader of the format
//! knows may be called. What they mean is up to that reader.
//!
//! Objects refer to each other by number, so that neither cycles nor depth matter to memory or to the stack. Their
//! number is bounded; their text and bytes stay where they are in the pickle.

mod json;
mod machine;
mod object;

pub(crate) use json::{Budget, json};
pub(crate) use machine::refused;
pub(crate) use object::{Known, Object, ObjectId, Pickle};
