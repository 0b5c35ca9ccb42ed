//! Arguments of `edit`: the steps in the order in which they are given, and the file to write.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

use crate::audio::encode::{Dither, FileFormat, SampleFormat};
use crate::cli::arguments::Lossy;
use crate::document::FadeShape;

/// Arguments of `edit`.
#[derive(Debug, Args)]
pub struct Edit {
    /// The recording, or a project (.undertone)
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The output file
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,

    #[command(flatten)]
    pub steps: Steps,

    /// The length of cross-fades at joins, in seconds; 0 joins the plain samples
    #[arg(long, default_value_t = 0.005, value_name = "SECONDS")]
    pub crossfade: f64,

    /// The shape of cross-fades
    #[arg(long, default_value = "equal-power")]
    pub shape: FadeShape,

    /// The file format [default: by the output's extension]
    #[arg(long)]
    pub format: Option<FileFormat>,

    /// The sample format [default: the input's, if the file format has it, otherwise 24]
    #[arg(long)]
    pub bits: Option<SampleFormat>,

    /// The dither of samples that do not fit [default: tpdf for 16 bit, otherwise none]
    #[arg(long)]
    pub dither: Option<Dither>,

    /// Replace an existing output; an input is never replaced
    #[arg(long)]
    pub overwrite: bool,

    #[command(flatten)]
    pub lossy: Lossy,
}

/// One step, with its words as they were typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepWords {
    /// The option.
    pub kind: StepKind,
    /// Its value.
    pub value: String,
}

/// A kind of step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    Cut,
    Trim,
    Silence,
    Duplicate,
    Reverse,
    Insert,
    InsertSilence,
    Move,
}

/// Each kind with its option, the form of its value, and its help.
const STEPS: [(StepKind, &str, &str, &str); 8] = [
    (
        StepKind::Cut,
        "cut",
        "A..B",
        "Delete a range and close the gap. Times are seconds, MIN:SEC, HH:MM:SEC, or samples such as 44100f",
    ),
    (StepKind::Trim, "trim", "A..B", "Delete all but a range"),
    (StepKind::Silence, "silence", "A..B", "Delete a range and leave silence"),
    (StepKind::Duplicate, "duplicate", "A..B", "Insert a copy of a range after it"),
    (StepKind::Reverse, "reverse", "A..B", "Play a range backwards"),
    (
        StepKind::Insert,
        "insert",
        "FILE@T",
        "Insert a recording at a time, converted to the rate and channels of the input",
    ),
    (StepKind::InsertSilence, "insert-silence", "LENGTH@T", "Insert silence at a time"),
    (StepKind::Move, "move", "A..B@T", "Move a range to a time, which counts before the move"),
];

/// The steps, in the order in which they were given.
#[derive(Clone, Debug, Default)]
pub struct Steps(pub Vec<StepWords>);

// Derived arguments do not preserve the order of options with different names.
impl Args for Steps {
    fn augment_args(command: Command) -> Command {
        STEPS.iter().fold(command, |command, (_, name, value, help)| {
            let arg = Arg::new(*name).long(*name).value_name(*value).help(*help).action(ArgAction::Append);
            command.arg(arg.allow_hyphen_values(true).help_heading("Steps, in the order given"))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Steps {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut steps = Vec::new();
        for (kind, name, ..) in STEPS {
            let values = matches.get_many::<String>(name).into_iter().flatten();
            let places = matches.indices_of(name).into_iter().flatten();
            steps.extend(places.zip(values).map(|(place, value)| (place, StepWords { kind, value: value.clone() })));
        }
        steps.sort_by_key(|(place, _)| *place);
        Ok(Self(steps.into_iter().map(|(_, step)| step).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
