//! `undertone blind`: prints the results of blind tests.

use std::path::PathBuf;

use clap::Args;

use super::Outcome;
use super::output::Output;
use crate::blind::{Report, Session};
use crate::error::{Error, Result};

/// Arguments of `blind`.
#[derive(Debug, Args)]
pub struct Blind {
    /// The files of blind tests that are over; rankings of several listeners are taken together
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Print the answers as a CSV table
    #[arg(long)]
    pub csv: bool,
}

pub fn run(words: &Blind, output: &Output) -> Result<Outcome> {
    if output.is_json() && words.csv {
        return Err(Error::impossible("A table was asked for, and JSON. Leave out one of them."));
    }
    let sessions: Vec<Session> = words.files.iter().map(|file| Session::load(file)).collect::<Result<_>>()?;
    let report = Report::new(&sessions)?;
    if output.is_json() {
        output.json(&report)?;
    } else if words.csv {
        report.csv()?.lines().for_each(|line| output.line(line));
    } else {
        report.markdown().lines().for_each(|line| output.line(line));
    }
    Ok(Outcome::Done)
}
