//! The text notation of chains.
//!
//! ```text
//! chain  = [ series ]
//! series = sum { "|" sum }                    one after the other
//! sum    = item { "+" item }                  branches that hear the same input and are summed; binds tighter
//! item   = "(" series ")"
//!        | "off" "(" series ")"               passed over
//!        | "mix" "(" number "," series ")"    so much of it, the rest its input
//!        | "label" "(" string "," series ")"  the user's own name
//!        | "during" "(" time "," time "," [ "fade" "=" time "," ] series ")"    between two times of the recording
//!        | effect [ "(" [ argument { "," argument } ] ")" ]
//! argument = [ name "=" ] value               by position first, in the order of the parameters, then by name
//! value  = number [ unit ] | note | pitch | ratio | word | string
//! note   = number "/" number [ "d" | "t" ]     its length as a share of a whole note; dotted, triplet
//! pitch  = letter [ "#" | "b" ] octave         a frequency: A4 is 440 Hz, C4 is middle C
//! ratio  = number ":" number                   4:1
//! ```
//!
//! An empty text is an empty chain. Units are optional, and say what is meant if given: `Hz`, `kHz`, `dB`, `s`, `ms`, `%`;
//! a level may be given as an amplitude (`gain(50 %)`), a share in decibels (`mix=-6 dB`), and a unit can make a choice
//! (`normalize(-16 LUFS)`). Words of other programs for effects, parameters and choices are understood.
//!
//! Printing is canonical: it uses our names and the parameter's unit, omits arguments that equal their defaults, and
//! writes numbers with the fewest digits that read back as the same number. Parsing the printed text and printing it
//! again gives the same text.

mod arguments;
mod lexer;
mod parser;
mod print;

use std::fmt;
use std::str::FromStr;

use super::Chain;
use base::error::NotationError;

/// The maximum nesting depth of groups, in text and in JSON.
pub const MAX_DEPTH: usize = 32;

/// The maximum number of effects and groups in a chain, in text and in JSON.
pub const MAX_NODES: usize = 8192;

impl FromStr for Chain {
    type Err = NotationError;

    /// Parses a chain. Nodes are numbered from 1; [`Chain::adopt_ids`] restores the identities of an earlier text.
    fn from_str(text: &str) -> Result<Self, NotationError> {
        parser::parse(text)
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print::chain(f, self)
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod error_tests;

#[cfg(test)]
mod fuzz_tests;
