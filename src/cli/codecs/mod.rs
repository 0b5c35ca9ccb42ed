//! `undertone codecs`: what codecs do to recordings.

pub mod arguments;
mod list;
mod run;

use super::Outcome;
use super::output::Output;
use crate::error::Result;
use arguments::{Codecs, CodecsCommand};

pub fn run(words: &Codecs, output: &Output) -> Result<Outcome> {
    match &words.command {
        CodecsCommand::List => list::run(output),
        CodecsCommand::Run(words) => run::run(words, output),
    }
}
