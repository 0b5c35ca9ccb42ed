//! Arguments of `stems`.

use std::path::PathBuf;

use clap::Args;

use crate::audio::encode::{Dither, FileFormat, SampleFormat};
use crate::cli::arguments::{Collisions, Lossy, TagWords};
use crate::stems::ResidualUse;

/// Arguments of `stems`.
#[derive(Debug, Args)]
#[command(after_help = "The quick split needs no weights and is rough. It gives voice,accompaniment (what repeats is \
    accompaniment), tones,hits, or centre,sides (stereo only), and these sum to the recording. A model file of Demucs \
    gives vocals,drums,bass,other, one with six stems also guitar,piano; --device chooses where it runs. With several, such \
    as --device gpu:0,gpu:1, each takes files of its own. With --json: files: input, model, rough, stems (stem, output, \
    bytes, clipped, peak_db), frames, rate, channels, device, seconds, realtime_factor, warnings; of a file that was \
    finished before input, model, skipped, stems (stem, output); or input, error.")]
pub struct Stems {
    /// Recordings, projects (.undertone), patterns such as "*.wav", or folders with --recursive. A project goes through
    /// its own chain first
    #[arg(required_unless_present_any = ["list_models", "list_devices"], value_name = "IN")]
    pub inputs: Vec<PathBuf>,

    /// The output folder; it is made if it does not exist
    #[arg(short, long, required_unless_present_any = ["list_models", "list_devices"], value_name = "DIR")]
    pub output: Option<PathBuf>,

    /// quick, a weight file of Demucs (.th, .safetensors), or a folder or YAML file of a bag of them
    #[arg(long, default_value = "quick", value_name = "MODEL")]
    pub model: String,

    /// The stems to write, separated by commas: of voice,accompaniment or tones,hits or centre,sides; or of a model's
    /// [default: voice,accompaniment, or all of the model]
    #[arg(long, value_delimiter = ',', value_name = "STEMS")]
    pub stems: Option<Vec<String>>,

    /// For a model: split so many times with segments at other places, 0 to 20, and take the mean. Each takes as long as
    /// one without
    #[arg(long, default_value = "0", value_name = "N")]
    pub shifts: usize,

    /// For a model: the share of a segment that the next one has too, 0 to 0.95
    #[arg(long, default_value = "0.25", value_name = "SHARE")]
    pub overlap: f64,

    /// For a model: the power of the weights with which segments lie over each other, 1 to 16. More makes transitions sharper
    #[arg(long, default_value = "1", value_name = "POWER")]
    pub transition_power: f64,

    /// For a model: the length of the segments in seconds, at most its own if it has a transformer, as htdemucs. Shorter
    /// ones take less memory [default: the model's]
    #[arg(long, value_name = "SECONDS")]
    pub segment: Option<f64>,

    /// For a model: the seed of the places of --shifts
    #[arg(long, default_value = "0", value_name = "N")]
    pub seed: u64,

    /// What becomes of what the stems leave of the recording: own, which --residual alone says, writes it too; spread adds
    /// the same share of it to each stem, so that they sum to the recording
    #[arg(long, value_name = "USE", num_args = 0..=1, require_equals = true, default_value = "left-out", default_missing_value = "own")]
    pub residual: ResidualUse,

    /// List the models and their stems: the quick split, and those in the files and folders IN [default: in the folders of
    /// the window's Models page]
    #[arg(long, conflicts_with = "output")]
    pub list_models: bool,

    /// List the devices in short, and say on which one the model would run; `undertone devices` says more
    #[arg(long, conflicts_with_all = ["output", "list_models"])]
    pub list_devices: bool,

    /// The start: seconds, MIN:SEC, HH:MM:SEC, or samples such as 44100f
    #[arg(long, value_name = "TIME")]
    pub start: Option<String>,

    /// The end, in the same form
    #[arg(long, value_name = "TIME")]
    pub end: Option<String>,

    /// The file format [default: flac for FLAC, otherwise wav]
    #[arg(long)]
    pub format: Option<FileFormat>,

    /// The sample format [default: the input's, if the file format has it, otherwise 24]
    #[arg(long)]
    pub bits: Option<SampleFormat>,

    /// The dither of samples that do not fit [default: tpdf for 16 bit, otherwise none]
    #[arg(long)]
    pub dither: Option<Dither>,

    /// The sample rate to convert to, in hertz
    #[arg(long, value_name = "HZ")]
    pub rate: Option<u32>,

    /// Replace existing outputs; an input is never replaced
    #[arg(long)]
    pub overwrite: bool,

    #[command(flatten)]
    pub lossy: Lossy,

    #[command(flatten)]
    pub tags: TagWords,

    /// Process folders with their subfolders; the output has the same folders
    #[arg(short, long)]
    pub recursive: bool,

    /// The names of the outputs below the folder, as for process, with {stem} [default: {folder}/{name} - {stem}.{ext}]
    #[arg(long, value_name = "TEMPLATE")]
    pub name: Option<String>,

    /// What to do with outputs of the same name
    #[arg(long, default_value = "refuse")]
    pub collisions: Collisions,

    /// Keep a list of finished files in the output folder (.undertone-batch.jsonl), and skip files all stems of which it
    /// lists with the same input, model and settings
    #[arg(long)]
    pub resume: bool,

    /// Allow a project to read the files that its chain names, such as impulse responses
    #[arg(long)]
    pub allow_files: bool,
}
