//! The arguments of `undertone generate`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::audio::encode::{Dither, FileFormat, SampleFormat};
use crate::cli::arguments::Lossy;
use crate::generate::{Distribution, SweepScale};

/// Arguments of `generate`.
#[derive(Debug, Args)]
pub struct Generate {
    /// The signal
    #[command(subcommand)]
    pub signal: SignalWords,
}

/// The signals with their parameters.
#[derive(Debug, Subcommand)]
pub enum SignalWords {
    /// A sine
    Sine(Tone),
    /// A square without aliases: all odd harmonics below half the sample rate
    Square(Tone),
    /// A rising saw without aliases: all harmonics below half the sample rate
    Saw(Tone),
    /// A triangle without aliases: all odd harmonics below half the sample rate
    Triangle(Tone),
    /// A sine whose frequency changes over the whole length
    Sweep(Sweep),
    /// White noise
    White(White),
    /// Pink noise: -3.01 dB per octave from 20 Hz on
    Pink(Noise),
    /// Brown noise: -6.02 dB per octave from 20 Hz on
    Brown(Noise),
    /// Single positive samples at equal distances
    Impulses(Impulses),
    /// Samples of exactly 0
    Silence(Silence),
    /// Tones of a telephone keypad (ITU-T Q.23)
    Dtmf(Dtmf),
    /// The clicks of a metronome
    Clicks(Clicks),
}

/// Arguments of the tones of one frequency.
#[derive(Debug, Args)]
pub struct Tone {
    /// The frequency in hertz, below half the sample rate
    #[arg(short, long, default_value_t = 440.0, value_name = "HZ", allow_negative_numbers = true)]
    pub frequency: f64,

    #[command(flatten)]
    pub peak: Peak,

    #[command(flatten)]
    pub length: Length,

    #[command(flatten)]
    pub file: File,
}

/// Arguments of `generate sweep`.
#[derive(Debug, Args)]
pub struct Sweep {
    /// The frequency at the beginning, in hertz
    #[arg(short, long, default_value_t = 20.0, value_name = "HZ", allow_negative_numbers = true)]
    pub frequency: f64,

    /// The frequency at the end, in hertz; it may be lower
    #[arg(long, default_value_t = 20_000.0, value_name = "HZ", allow_negative_numbers = true)]
    pub to: f64,

    /// How the frequency changes
    #[arg(long, default_value = "log")]
    pub sweep: SweepScale,

    #[command(flatten)]
    pub peak: Peak,

    #[command(flatten)]
    pub length: Length,

    #[command(flatten)]
    pub file: File,
}

/// Arguments of coloured noise.
#[derive(Debug, Args)]
pub struct Noise {
    /// The RMS in dBFS, where a full-scale sine has -3.01
    #[arg(short, long, default_value_t = -20.0, value_name = "DBFS", allow_negative_numbers = true)]
    pub level: f64,

    /// The seed: the same one gives the same noise. Channels differ
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    #[command(flatten)]
    pub length: Length,

    #[command(flatten)]
    pub file: File,
}

/// Arguments of `generate white`.
#[derive(Debug, Args)]
pub struct White {
    /// The distribution of the samples
    #[arg(long, default_value = "uniform")]
    pub distribution: Distribution,

    #[command(flatten)]
    pub noise: Noise,
}

/// Arguments of `generate impulses`.
#[derive(Debug, Args)]
pub struct Impulses {
    /// The distance between impulses, from the first at the beginning: a time, in the form of --length
    #[arg(long, default_value = "1", value_name = "TIME", allow_hyphen_values = true)]
    pub interval: String,

    /// Impulses per second, instead of their distance
    #[arg(short, long, value_name = "HZ", conflicts_with = "interval", allow_negative_numbers = true)]
    pub frequency: Option<f64>,

    /// The level of an impulse in dBFS
    #[arg(short, long, default_value_t = 0.0, value_name = "DBFS", allow_negative_numbers = true)]
    pub level: f64,

    #[command(flatten)]
    pub length: Length,

    #[command(flatten)]
    pub file: File,
}

/// Arguments of `generate silence`.
#[derive(Debug, Args)]
pub struct Silence {
    #[command(flatten)]
    pub length: Length,

    #[command(flatten)]
    pub file: File,
}

/// Arguments of `generate dtmf`.
#[derive(Debug, Args)]
pub struct Dtmf {
    /// The digits: 0 to 9, *, #, A to D
    #[arg(long, default_value = "0123456789*#ABCD")]
    pub digits: String,

    /// The length of a tone, in the form of --length; it fades in and out over 2 ms
    #[arg(long, default_value = "0.1", value_name = "TIME", allow_hyphen_values = true)]
    pub tone: String,

    /// The length of the pause between tones
    #[arg(long, default_value = "0.1", value_name = "TIME", allow_hyphen_values = true)]
    pub pause: String,

    #[command(flatten)]
    pub peak: Peak,

    /// The length, with silence after the digits [default: that of the digits]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub length: Option<String>,

    #[command(flatten)]
    pub file: File,
}

/// Arguments of `generate clicks`.
#[derive(Debug, Args)]
pub struct Clicks {
    /// The tempo in beats per minute
    #[arg(long, default_value_t = 120.0, allow_negative_numbers = true)]
    pub bpm: f64,

    /// The beats of a bar, whose first has an accent; 1 for clicks without accents, which are 6 dB louder than those
    /// between accents
    #[arg(long, default_value_t = 4)]
    pub beats: u32,

    #[command(flatten)]
    pub peak: Peak,

    #[command(flatten)]
    pub length: Length,

    #[command(flatten)]
    pub file: File,
}

/// The level of a signal that is given by its peak.
#[derive(Debug, Args)]
pub struct Peak {
    /// The peak in dBFS of the waveform between the samples, after band-limiting
    #[arg(short, long, default_value_t = -6.0, value_name = "DBFS", allow_negative_numbers = true)]
    pub level: f64,
}

/// The length of a signal.
#[derive(Debug, Args)]
pub struct Length {
    /// The length: seconds, MIN:SEC, HH:MM:SEC, or samples such as 44100f
    #[arg(long, default_value = "10", value_name = "TIME", allow_hyphen_values = true)]
    pub length: String,
}

/// The file to write.
#[derive(Debug, Args)]
pub struct File {
    /// The output file
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,

    /// The sample rate in hertz
    #[arg(long, default_value_t = 48_000, value_name = "HZ")]
    pub rate: u32,

    /// The number of channels
    #[arg(long, default_value_t = 1)]
    pub channels: usize,

    /// The file format [default: by the output's extension]
    #[arg(long)]
    pub format: Option<FileFormat>,

    /// The sample format
    #[arg(long, default_value = "24")]
    pub bits: SampleFormat,

    /// The dither of samples that do not fit [default: tpdf for 16 bit, otherwise none]
    #[arg(long)]
    pub dither: Option<Dither>,

    /// Replace an existing output
    #[arg(long)]
    pub overwrite: bool,

    #[command(flatten)]
    pub lossy: Lossy,
}
