//! The command line, a front end to the core: parses arguments, prints text or JSON, and sets the exit status.

mod analyze;
mod arguments;
mod bench;
mod blind;
mod codec;
mod codecs;
mod compare;
mod devices;
mod edit;
mod effects;
mod fingerprint;
mod follower;
mod generate;
mod info;
mod interrupt;
mod library;
mod live;
mod markers;
mod models;
mod options;
mod output;
mod packaging;
mod play;
mod process;
mod record;
mod response;
mod shown;
mod spectrogram;
mod split;
mod stems;
mod time;

use std::ffi::OsString;

use clap::Parser;
use clap::error::ErrorKind;

use crate::device::DeviceRequest;
use arguments::{Arguments, Command};
use output::Output;
use shown::shown;

pub use time::{frame_from_text, text_from_seconds};

/// Exit status if everything was done.
const DONE: u8 = 0;
/// Exit status if something failed. Everything that could be done was done.
const FAILED: u8 = 1;
/// Exit status for wrong usage.
const USAGE: u8 = 2;

/// Runs the command line with the given arguments, starting with the program's name, and returns the exit status: 0
/// done, 1 failed, 2 wrong usage. Results go to standard output, everything else to standard error.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    crate::work::log_to_stderr();
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => {
            print_usage(&error);
            return if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
                DONE
            } else {
                USAGE
            };
        }
    };
    let output = Output::new(arguments.json).telling(arguments.progress);
    let device = arguments.device.map(DeviceRequest::from);
    let result = match &arguments.command {
        Command::Devices(words) => devices::run(words, device.as_ref(), &output),
        Command::Info(words) => info::run(words, &output),
        Command::Effects(words) => effects::run(words, &output),
        Command::Response(words) => response::run(words, &output),
        Command::Process(words) => process::run(words, device, &output),
        Command::Spectrogram(words) => spectrogram::run(words, device, &output),
        Command::Edit(words) => edit::run(words, &output),
        Command::Generate(words) => generate::run(words, &output),
        Command::Markers(words) => markers::run(words, &output),
        Command::Split(words) => split::run(words, &output),
        Command::Stems(words) => stems::run(words, device, &output),
        Command::Play(words) => play::run(words, device, &output),
        Command::Record(words) => record::run(words, device, &output),
        Command::Live(words) => live::run(words, &output),
        Command::Analyze(words) => analyze::run(words, device, &output),
        Command::Compare(words) => compare::run(words, &output),
        Command::Blind(words) => blind::run(words, &output),
        Command::Codec(words) => codec::run(words, device.as_ref(), &output),
        Command::Codecs(words) => codecs::run(words, &output),
        Command::Models(words) => models::run(words, &output),
        Command::Fingerprint(words) => fingerprint::run(words, &output),
        Command::Library(words) => library::run(words, device, &output),
        Command::Bench(words) => bench::run(words, device.as_ref(), &output),
        Command::Completions(words) => packaging::completions(words, &output),
        Command::Manual(words) => packaging::manual(words, &output),
    };
    match result {
        Ok(Outcome::Done) => DONE,
        Ok(Outcome::SomeFailed) => FAILED,
        Err(error) => {
            output.error(&error);
            if error.is_wrong_request() { USAGE } else { FAILED }
        }
    }
}

/// Prints help or a usage error. A usage error may quote the arguments, so control characters are escaped.
fn print_usage(error: &clap::Error) {
    let text = error.render().to_string();
    if text.lines().all(|line| shown(line) == line) {
        let _ = error.print();
    } else {
        let output = Output::new(false);
        text.lines().for_each(|line| output.note(line));
    }
}

/// The outcome of a command that processes several items.
enum Outcome {
    /// All succeeded.
    Done,
    /// Some failed, and the failures were reported.
    SomeFailed,
}

impl Outcome {
    fn of(any_failed: bool) -> Self {
        if any_failed { Self::SomeFailed } else { Self::Done }
    }
}
