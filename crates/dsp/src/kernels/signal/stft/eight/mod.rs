//! Transforms of eight windows at once, one in each lane: two to four times as fast as one after the other, because
//! nothing is rearranged between the passes and the consumers of the bins work on eight windows too.
//!
//! A lane's bits do not depend on what is in the other lanes, nor on the instruction set.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

mod complex;
mod real;
#[cfg(test)]
mod tests;

pub(crate) use complex::Point;
pub(crate) use real::EightReal;
