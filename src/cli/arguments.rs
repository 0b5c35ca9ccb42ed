//! The command line's arguments: one definition for parsing, help and errors.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use super::blind::Blind;
pub use super::codec::arguments::Codec;
pub use super::codecs::arguments::Codecs;
pub use super::compare::arguments::Compare;
pub use super::edit::arguments::Edit;
pub use super::follower::ProgressKind;
pub use super::generate::arguments::Generate;
pub use super::library::arguments::Library;
pub use super::live::arguments::Live;
pub use super::models::Models;
pub use super::record::arguments::Record;
pub use super::stems::arguments::Stems;
use crate::audio::encode::{Dither, FileFormat, SampleFormat};

/// Opens, shows, filters, plays and exports recordings, on the GPU or the CPU.
#[derive(Debug, Parser)]
#[command(name = "undertone", version, max_term_width = 110, propagate_version = true)]
#[command(after_help = "Results go to standard output, everything else to standard error.\n\
    Exit status: 0 done, 1 something failed (the rest was done), 2 wrong usage.")]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// Print one JSON document instead of text. For a path that is not Unicode, a second field (`path_encoded`,
    /// `input_encoded`, ...) has its bytes, percent-encoded
    #[arg(long, global = true)]
    pub json: bool,

    /// How progress is told on standard error
    #[arg(long, global = true, value_enum, value_name = "HOW", default_value_t, hide_default_value = true)]
    pub progress: ProgressKind,

    /// The device to run on: auto, cpu, gpu, gpu:N, or part of an adapter's name; several with commas, among which
    /// files are shared
    #[arg(long, global = true, value_name = "DEVICE")]
    pub device: Option<String>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Lists the CPU and every GPU adapter, with tier, limits and measured speeds
    Devices(Devices),
    /// Shows the format, codec, sample rate, channels, length and tags of files
    Info(Info),
    /// Lists the effects, or describes one: parameters, units, ranges, defaults
    Effects(Effects),
    /// Computes the frequency response of a chain
    Response(Response),
    /// Renders files through a chain and writes the result
    Process(Process),
    /// Cuts, moves, inserts, reverses and silences parts of a recording
    Edit(Edit),
    /// Writes test signals: tones, sweeps, noise, impulses, silence, DTMF, metronome clicks
    Generate(Generate),
    /// Shows the markers of a recording, exports them, or copies the recording with others
    Markers(Markers),
    /// Writes the parts of a recording to files: between markers, regions, between silences, or at times
    Split(Split),
    /// Splits recordings into stems: voice and accompaniment, tones and hits, centre and sides
    Stems(Stems),
    /// Plays a file, through a chain if one is given
    Play(Play),
    /// Records a sound input to a file, through a chain if one is given
    Record(Record),
    /// Sends a sound input through a chain to an output with low latency
    Live(Live),
    /// Writes a recording's spectrogram as a picture (.png) or as an array of numbers (.npy)
    Spectrogram(Spectrogram),
    /// Analyses how files sound: 25 features, each with its unit, and other figures
    Analyze(Analyze),
    /// Compares recordings with a reference: aligns them and measures the differences
    Compare(Compare),
    /// Prints the results of blind tests as Markdown, CSV or JSON
    Blind(Blind),
    /// Encodes recordings to the units of a neural codec (EnCodec, DAC, Mimi), and decodes them
    Codec(Codec),
    /// Measures what codecs do to recordings: files by codecs by bit rates
    Codecs(Codecs),
    /// Lists the neural models in weight files and folders, with their licences
    Models(Models),
    /// Computes Chromaprint fingerprints, the same as fpcalc
    Fingerprint(Fingerprint),
    /// Manages a library of recordings: finds duplicates, similar tracks, and the source of a clip
    Library(Library),
    /// Measures every kernel on every device
    Bench(Bench),
    /// Prints the completion script of a shell
    Completions(Completions),
    /// Writes the manual pages
    Manual(Manual),
}

/// Arguments of `devices`.
#[derive(Debug, Args)]
pub struct Devices {
    /// Measure every device again; takes some seconds
    #[arg(long)]
    pub measure: bool,
    /// Verify every kernel on every device against the CPU and against f64, then whole jobs against the CPU
    #[arg(long, conflicts_with = "measure")]
    pub verify: bool,
    /// Write the verification to a file: .md for a table, .json for data
    #[arg(long, value_name = "FILE", requires = "verify")]
    pub report: Option<PathBuf>,
    /// Replace an existing report
    #[arg(long, requires = "report")]
    pub overwrite: bool,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Arguments of `manual`.
#[derive(Debug, Args)]
pub struct Manual {
    /// An existing folder for the pages; existing pages are not replaced
    pub folder: PathBuf,
}

/// Arguments of `info`.
#[derive(Debug, Args)]
pub struct Info {
    /// Recordings and projects (.undertone)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// Arguments of `effects`.
#[derive(Debug, Args)]
pub struct Effects {
    /// The effect to describe
    pub name: Option<String>,

    /// Lists the effects that match these words, the best first
    #[arg(long, value_name = "WORDS", num_args = 1.., conflicts_with = "name")]
    pub search: Option<Vec<String>>,
}

/// Arguments of `response`.
#[derive(Debug, Args)]
pub struct Response {
    /// The chain, such as "highpass(80 Hz) | peaking(1 kHz, q=1, gain=3 dB)"
    pub chain: String,

    /// The sample rate in hertz
    #[arg(long, value_name = "HZ")]
    pub rate: u32,

    /// The number of frequencies, spaced logarithmically
    #[arg(long, default_value_t = 512, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub points: u32,

    /// The lowest frequency in hertz
    #[arg(long, default_value_t = 10.0, value_name = "HZ")]
    pub from: f64,

    /// The highest frequency in hertz [default: half the sample rate]
    #[arg(long, value_name = "HZ")]
    pub to: Option<f64>,
}

/// Arguments of `process`.
#[derive(Debug, Args)]
pub struct Process {
    /// Recordings, projects (.undertone), patterns such as "*.wav", or folders with --recursive. A project goes through
    /// its own chain first
    #[arg(required = true, value_name = "IN")]
    pub inputs: Vec<PathBuf>,

    /// The output file, or the output folder for several inputs
    #[arg(short, long, value_name = "OUT|DIR")]
    pub output: PathBuf,

    #[command(flatten)]
    pub chain: ChainChoice,

    /// The start: seconds, MIN:SEC, HH:MM:SEC, or samples such as 44100f. To `--chain`, the part is a recording of its
    /// own: a fade-out ends with it
    #[arg(long, value_name = "TIME")]
    pub start: Option<String>,

    /// The end, in the same form
    #[arg(long, value_name = "TIME")]
    pub end: Option<String>,

    /// The file format [default: by the output's extension]
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

    /// Append the tails of effects such as reverbs
    #[arg(long)]
    pub tail: bool,

    /// Replace existing outputs; an input is never replaced
    #[arg(long)]
    pub overwrite: bool,

    #[command(flatten)]
    pub lossy: Lossy,

    /// Normalise each file to this integrated loudness in LUFS
    #[arg(long, value_name = "LUFS", allow_negative_numbers = true)]
    pub loudness: Option<f64>,

    /// The true peak limit in dBTP for --loudness
    #[arg(long, value_name = "DBTP", default_value_t = -1.0, allow_negative_numbers = true)]
    pub true_peak: f64,

    /// Output gain in dB, behind the chain and --loudness
    #[arg(long, value_name = "DB", default_value_t = 0.0, allow_negative_numbers = true)]
    pub gain: f64,

    /// Measure the written file, and give it gain and peak of `ReplayGain` 2.0; an Opus file gets the gain of RFC 7845
    #[arg(long)]
    pub replaygain: bool,

    #[command(flatten)]
    pub tags: TagWords,

    #[command(flatten)]
    pub batch: Batch,
}

/// What outputs have instead of their inputs' tags.
#[derive(Debug, Args)]
pub struct TagWords {
    /// A tag of the outputs, such as TITLE=Nocturne; an empty text removes it. May be given several times, for one
    /// name too, which then has several values
    #[arg(long = "tag", value_name = "NAME=TEXT")]
    pub tags: Vec<String>,

    /// A picture as the cover: JPEG, PNG, GIF or WebP
    #[arg(long, value_name = "FILE", conflicts_with = "no_cover")]
    pub cover: Option<PathBuf>,

    /// Leave out all pictures
    #[arg(long)]
    pub no_cover: bool,
}

/// How lossy formats are written.
#[derive(Debug, Args)]
pub struct Lossy {
    /// Vorbis: -1 to 10 [default: 5]. MP3: V0 (best) to V9 [default: 2]
    #[arg(long, value_name = "Q", allow_negative_numbers = true)]
    pub quality: Option<f64>,

    /// Opus: kbit/s of all channels [default: 64 per channel]. MP3: a constant bit rate instead of a quality
    #[arg(long, value_name = "KBPS", conflicts_with = "quality")]
    pub bitrate: Option<u32>,

    /// Opus: constrain the bit rate, for streaming
    #[arg(long)]
    pub constrained: bool,

    /// Opus: encoder complexity from 0 to 10
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(0..=10))]
    pub complexity: u8,

    /// Opus: optimise for speech at low bit rates
    #[arg(long)]
    pub speech: bool,
}

/// Many files at once.
#[derive(Debug, Args)]
pub struct Batch {
    /// Process folders with their subfolders; the output has the same folders
    #[arg(short, long)]
    pub recursive: bool,

    /// The names of the outputs below the folder: {name}, {ext}, {folder}, {number}, {title}, {artist}, {album}, {track},
    /// or any tag; {track:02} has two digits, {album|Singles} gives a value for a missing tag
    #[arg(long, value_name = "TEMPLATE")]
    pub name: Option<String>,

    /// What to do with outputs of the same name
    #[arg(long, default_value = "refuse")]
    pub collisions: Collisions,

    /// Files to process at once [default: a third of the CPU cores, at least 4 if a GPU is requested]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: Option<u16>,

    /// Keep a list of finished files in the output folder (.undertone-batch.jsonl), and skip files that it lists with
    /// the same input, chain and settings
    #[arg(long)]
    pub resume: bool,
}

/// What is done with outputs of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Collisions {
    /// Refuse to start
    Refuse,
    /// Number them
    Number,
}

/// A chain given as text or as a preset.
#[derive(Debug, Args)]
pub struct ChainChoice {
    /// The chain, such as "highpass(80 Hz) | peaking(1 kHz, q=1, gain=3 dB)"
    #[arg(short, long, value_name = "CHAIN")]
    pub chain: Option<String>,

    /// A preset file with the chain
    #[arg(long, value_name = "FILE", conflicts_with = "chain")]
    pub preset: Option<PathBuf>,

    /// Allow a preset or a project to read the files that it names, such as impulse responses
    #[arg(long)]
    pub allow_files: bool,
}

/// Arguments of `markers`.
#[derive(Debug, Args)]
#[command(
    after_help = "Files of markers: .txt (Audacity's labels, or lines of a time and a name), .tsv (time and name), .csv, \
    .cue. With -o, the audio is copied byte for byte if the output has the format of the input (WAV, FLAC, MP3, Ogg, Opus); \
    otherwise it is encoded as .wav or .flac with every sample as it is, or refused."
)]
pub struct Markers {
    /// The recording, or a project
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// Take the markers from this file instead of the input
    #[arg(long, value_name = "LABELS")]
    pub import: Option<PathBuf>,

    /// Write the markers to this file
    #[arg(long, value_name = "LABELS", conflicts_with = "output")]
    pub export: Option<PathBuf>,

    /// Write the recording with the markers to this file; a project to a project
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Replace an existing output; the input is never replaced
    #[arg(long)]
    pub overwrite: bool,
}

/// Arguments of `split`.
#[derive(Debug, Args)]
#[command(
    after_help = "Parts have the tags of the recording with a TITLE, if their marker has a name, and a TRACKNUMBER; \
    and the markers within them. Samples of a recording stay as they are if the format has them. Silence of a project is \
    looked for before its chain."
)]
pub struct Split {
    /// The recording, or a project, which is rendered through its own chain
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The output folder; it is made if it does not exist
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,

    /// Where to split: markers, regions, silence, or times such as 30,1:02.5,44100f
    #[arg(long, default_value = "markers", value_name = "PLACES")]
    pub at: String,

    /// Take the markers from this file instead of the recording (.txt, .tsv, .csv, .cue)
    #[arg(long, value_name = "LABELS")]
    pub import: Option<PathBuf>,

    /// For silence: the level in dBFS up to which a frame is silent
    #[arg(long, default_value_t = -60.0, value_name = "DBFS", allow_negative_numbers = true)]
    pub threshold: f64,

    /// For silence: the shortest one at which to split, as a time
    #[arg(long, default_value = "0.5", value_name = "TIME")]
    pub gap: String,

    /// For silence: how much of it a part keeps on either side, as a time
    #[arg(long, default_value = "0", value_name = "TIME")]
    pub padding: String,

    /// The names of the parts below the folder, as for process: {number}, {title} (the marker's name), {name} (the
    /// input's), {ext}, tags [default: {number:02} {title}.{ext}]
    #[arg(long, value_name = "TEMPLATE")]
    pub name: Option<String>,

    /// The file format [default: flac for FLAC, otherwise wav]
    #[arg(long)]
    pub format: Option<FileFormat>,

    /// The sample format [default: the input's, if the file format has it, otherwise 24]
    #[arg(long)]
    pub bits: Option<SampleFormat>,

    /// Replace existing outputs; the input is never replaced
    #[arg(long)]
    pub overwrite: bool,

    #[command(flatten)]
    pub lossy: Lossy,
}

/// Arguments of `play`.
#[derive(Debug, Args)]
pub struct Play {
    /// A recording or a project
    pub file: PathBuf,

    #[command(flatten)]
    pub chain: ChainChoice,

    /// The start: seconds, MIN:SEC, HH:MM:SEC, or samples such as 44100f
    #[arg(long, value_name = "TIME")]
    pub start: Option<String>,

    /// The end, in the same form
    #[arg(long, value_name = "TIME")]
    pub end: Option<String>,

    /// The sound output, by its name or part of it [default: the system's]
    #[arg(long)]
    pub output: Option<String>,
}

/// Arguments of `spectrogram`.
#[allow(clippy::doc_markdown, reason = "these lines are the program's help")]
#[derive(Debug, Args)]
#[command(
    after_help = "Levels are in dB relative to a full-scale sine. The array of a .npy has the shape (channels, bins, \
    windows), f32, with a floor of -200 dB. Window k is centred on frame k * hop, with silence beyond the ends. With \
    --complex it holds the transform itself (complex64), unscaled."
)]
pub struct Spectrogram {
    /// A recording or a project
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The output file: .png or .npy
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,

    #[command(flatten)]
    pub chain: ChainChoice,

    /// The analysis method: fourier (windows of one length), multi_resolution (long windows
    /// for low frequencies, short ones for high), reassigned (energy moved to where it comes from),
    /// constant_q (windows of the same number of periods at every frequency, from 20 Hz up)
    #[arg(long, default_value = "fourier")]
    pub method: String,

    /// Bins per octave for --method constant_q, 12 to 96 [default: 36]
    #[arg(long, value_name = "BINS")]
    pub bins_per_octave: Option<u32>,

    /// The window function: hann, hamming, blackman, blackman_harris, nuttall, flattop, kaiser(BETA), ...
    #[arg(long, default_value = "hann")]
    pub window: String,

    /// The window length in frames; for multi_resolution around 1 kHz; unused for constant_q
    #[arg(long, default_value_t = 2048, value_name = "FRAMES")]
    pub size: u32,

    /// The hop between windows in frames [default: a quarter of the size]
    #[arg(long, value_name = "FRAMES")]
    pub hop: Option<u32>,

    /// Zero padding, as the length of the transform over the window: 1, 2, 4 or 8
    #[arg(long, default_value_t = 1)]
    pub padding: u32,

    /// The frequency axis of a picture: linear, log, mel, mel_htk, bark or erb [default: linear, log for --method
    /// constant_q]
    #[arg(long)]
    pub scale: Option<String>,

    /// The range from the darkest to the brightest colour, in dB
    #[arg(long, default_value_t = 120.0, value_name = "DB")]
    pub db_range: f64,

    /// The level of the brightest colour, in dB
    #[arg(long, default_value_t = 0.0, value_name = "DB", allow_negative_numbers = true)]
    pub db_top: f64,

    /// The colour map: undertone, viridis, magma, inferno, cividis or grey
    #[arg(long, default_value = "undertone")]
    pub colormap: String,

    /// Draw one panel of the mean of all channels
    #[arg(long)]
    pub mono: bool,

    /// The width of the spectrogram in pixels
    #[arg(long, default_value_t = 1600, value_name = "PIXELS")]
    pub width: u32,

    /// The height of each channel's panel in pixels; for a .npy its rows, except for fourier, whose rows are its bins
    #[arg(long, default_value_t = 512, value_name = "PIXELS")]
    pub height: u32,

    /// Draw the spectrogram without axes and legend
    #[arg(long)]
    pub bare: bool,

    /// Write the transform itself instead of decibels (.npy)
    #[arg(long)]
    pub complex: bool,

    /// Replace an existing output; the input is never replaced
    #[arg(long)]
    pub overwrite: bool,
}

/// Arguments of `analyze`.
#[derive(Debug, Args)]
#[command(after_help = "A value that a recording does not have, such as the tempo of silence, is null, and `missing` \
    gives the reason. With --json: files: path, features, missing, figures, bandwidth_hz, seconds, warnings; or path, error.")]
pub struct Analyze {
    /// Recordings
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// With --json, add series over time: chroma, tempogram, loudness
    #[arg(long)]
    pub series: bool,
}

/// Arguments of `fingerprint`.
#[derive(Debug, Args)]
pub struct Fingerprint {
    /// Recordings
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// The output: text, json, or the same as fpcalc
    #[arg(long, default_value = "text")]
    pub format: FingerprintFormat,

    /// Print numbers instead of the compressed text
    #[arg(long)]
    pub raw: bool,

    /// How much of the beginning to analyse, in seconds; 0 for all
    #[arg(long, default_value_t = crate::fingerprint::chromaprint::DEFAULT_LENGTH_S, value_name = "SECONDS")]
    pub length: f64,
}

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub struct Bench {
    /// Measure only kernels whose name contains this
    pub kernel: Option<String>,

    /// The length of the test signals in frames [default: 1048576, on a discrete card 4194304]
    #[arg(long, value_parser = clap::value_parser!(u32).range(4096..=1 << 24))]
    pub frames: Option<u32>,

    /// The number of channels, for kernels that take several
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub channels: u16,

    /// The most that each device may take, in seconds; kernels for which there is no time are left out
    #[arg(long, default_value_t = 120, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub limit: u32,
}

/// How fingerprints are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "their own names")]
pub enum FingerprintFormat {
    Text,
    Json,
    Fpcalc,
}
