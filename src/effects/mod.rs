//! Effects: one file each, and the contract that all of them keep.
//!
//! An effect is described once, by its [`EffectSpec`]: that one definition drives parsing, validation, help, presets and
//! the window's controls. With arguments it becomes an [`Effect`], which says what it does to the shape of a stream and
//! lowers itself to a [`Stage`] for a given format. The renderer (in [`crate::chain`]) runs stages; an effect never
//! sees a device.

mod allpass;
mod bandpass;
mod bandstop;
mod bounds;
mod conditions;
mod dependency;
mod design;
mod dynamics;
mod filters;
mod fir;
mod gain;
mod high_shelf;
mod highpass;
mod image;
mod low_shelf;
mod lowpass;
mod modulation;
mod normalize;
mod notch;
mod note;
mod parameters;
mod peaking;
pub mod permission;
mod quantity;
mod rbj_bandpass;
mod rbj_highpass;
mod rbj_lowpass;
mod restore;
mod space;
mod spec;
mod spectral;
mod stretch;
mod tone;
mod whole;

pub use dependency::FileDependency;
pub use parameters::{Arguments, Parameter, ParameterKind, Scale, Unit, Value};
pub use whole::{Measured, WholeSignal};

use std::fmt::Debug;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::audio::{AudioBuffer, AudioFormat};
use crate::design::{Response, Section};
use crate::error::{Error, Result};
use crate::kernels::fir::FirStream;

/// What a user looks for when adding an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Takes frequencies away.
    Filter,
    /// Raises or lowers a part of the spectrum.
    Equaliser,
    /// Acts on the level by the level: compressors and their kin.
    Dynamics,
    /// Echoes, rooms, impulse responses.
    Space,
    /// Moves a parameter to and fro.
    Modulation,
    /// Changes the level.
    Level,
    /// Changes what stands where between the channels.
    Image,
    /// Changes harmonics, pitch, tempo or rate.
    Tone,
    /// Mends or changes a part of the recording, in time and in frequency.
    Repair,
}

/// One kind of effect: its name, parameters and documentation, and how it is made.
#[derive(Debug)]
pub struct EffectSpec {
    /// The name in the notation: `highpass`.
    pub name: &'static str,
    /// The name for people: "High-pass".
    pub title: &'static str,
    /// Where it stands in the list.
    pub purpose: Purpose,
    /// One line of help.
    pub summary: &'static str,
    /// What it does, with formula, latency and limits, in Markdown.
    pub documentation: &'static str,
    /// Where its formulas come from.
    pub source: &'static str,
    /// Its parameters; the order is that of positional arguments.
    pub parameters: &'static [Parameter],
    /// How many of them are written without their names when a chain is printed.
    pub positional: usize,
    /// Makes the effect of checked arguments.
    pub build: fn(&Arguments) -> Result<Box<dyn Effect>>,
}

/// How an effect maps the time of its input to that of its output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeMap {
    /// Output rate over input rate.
    pub rate_ratio: f64,
    /// Output duration over input duration.
    pub duration_ratio: f64,
}

impl TimeMap {
    /// Output as long and as fast as the input.
    pub const IDENTITY: Self = Self { rate_ratio: 1.0, duration_ratio: 1.0 };
}

/// A second signal that an effect listens to, such as a side chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideInput {
    /// Its name in the notation.
    pub name: &'static str,
    /// Whether the effect can run without it.
    pub optional: bool,
}

/// An effect with its arguments: what it does to a stream, independent of any device.
pub trait Effect: Send + Sync + Debug {
    /// Channels out for so many channels in.
    ///
    /// # Errors
    /// When it cannot take so many.
    fn channels_out(&self, channels_in: usize) -> Result<usize> {
        Ok(channels_in)
    }

    /// How rate and duration change.
    fn time_map(&self, _input: AudioFormat) -> TimeMap {
        TimeMap::IDENTITY
    }

    /// Frames that come out, where that is no share of those that go in: what was measured of the whole signal tells.
    /// What this effect gives after them is silence.
    fn frames_out(&self, _input: AudioFormat, _measured: Option<&Measured>) -> Option<u64> {
        None
    }

    /// Frames of its input that it leaves out at the beginning, where what was measured of the whole signal tells.
    fn frames_skipped(&self, _input: AudioFormat, _measured: Option<&Measured>) -> u64 {
        0
    }

    /// Second signals that it listens to.
    fn side_inputs(&self) -> &'static [SideInput] {
        &[]
    }

    /// Files that its sound depends on.
    fn files(&self) -> Vec<FileDependency> {
        Vec::new()
    }

    /// Frames by which its output lags its input.
    fn latency_frames(&self, _input: AudioFormat) -> u64 {
        0
    }

    /// Frames that it goes on sounding after its input has ended, as `--tail` appends them. An IIR's ringing is none.
    fn tail_frames(&self, _input: AudioFormat) -> u64 {
        0
    }

    /// Frames of input before the present that its output depends on, where that is a number: what a preview that jumps
    /// must render before. An IIR's is found from its poles.
    fn memory_frames(&self, _input: AudioFormat) -> u64 {
        0
    }

    /// What it must know of the whole signal first.
    fn whole_signal(&self) -> Option<WholeSignal> {
        None
    }

    /// The level that comes out for a steady level that goes in, both in dB: the static curve of what acts on the level
    /// by the level. None for everything else.
    fn transfer_db(&self, _level_db: f64) -> Option<f64> {
        None
    }

    /// Lowers the effect to what a renderer runs, for a stream of this format. `measured` is what
    /// [`Effect::whole_signal`] asked for; without it (a preview before the background pass is done) an effect that
    /// needs it leaves the signal as it is.
    ///
    /// # Errors
    /// A parameter that this format does not allow, such as a cutoff above half the rate.
    fn stage(&self, input: AudioFormat, measured: Option<&Measured>) -> Result<Stage>;
}

/// What an effect is to a renderer.
#[derive(Debug)]
pub enum Stage {
    /// A cascade of second-order sections, the same for every channel. Neighbours fuse.
    Sections(Vec<Section>),
    /// A gain for each channel. Fuses into neighbours.
    Gain(Vec<f64>),
    /// Anything else.
    Process(Box<dyn Process>),
}

/// A stage that is neither a cascade nor a gain. It carries its state from block to block, and gives that state away in
/// a form that any device can take up.
pub trait Process: Send + Debug {
    /// Renders one block in place, leaving it with the output's shape.
    ///
    /// # Errors
    /// Whatever keeps it from going on.
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()>;

    /// Says which frame of the stream comes next, counted from the stream's first at 0: before the first block, after
    /// every jump, and when a state was taken up. Negative while effects before it have not given the first frame yet.
    /// False when that is not where the last block ended, and what was heard until then has been forgotten.
    fn seek(&mut self, _frame: i64) -> bool {
        true
    }

    /// What it does to each frequency, at `w` radians per frame, when it treats every frequency by itself, at all levels,
    /// times and channels alike: as it is heard, with the latency that its effect declares taken out.
    fn response(&self, _w: f64) -> Option<Response> {
        None
    }

    /// Its impulse response, when that is finite and is what [`Process::response`] is the transform of, and by how many
    /// frames it lags behind what is heard.
    fn taps(&self) -> Option<(&[f64], u64)> {
        None
    }

    /// The filter's stream, when all that it does is to run one: what has that kernel can run it in its place.
    fn fir(&self) -> Option<&FirStream> {
        None
    }

    /// The same, to bring it to where something else has taken it.
    fn fir_mut(&mut self) -> Option<&mut FirStream> {
        None
    }

    /// The state that carries to the next block.
    fn state(&self) -> Vec<f64>;

    /// Takes up a state that [`Process::state`] gave.
    ///
    /// # Errors
    /// [`crate::Error::Internal`] for a state of another shape.
    fn restore(&mut self, state: &[f64]) -> Result<()>;

    /// By how much the gain was reduced in the block rendered last, in dB, 0 or more: the most of all channels within
    /// each [`METER_FRAMES`] frames from the block's beginning on, the last of them fewer. Empty for what reduces nothing
    /// by its level.
    fn reductions_db(&self) -> &[f32] {
        &[]
    }
}

/// Frames of the pieces that [`Process::reductions_db`] tells of: some 10 ms, as fine as an eye can follow.
pub const METER_FRAMES: usize = 512;

/// The filters and levels that stand in files of their own; families in folders keep a list each.
static SINGLES: &[&EffectSpec] = &[
    &lowpass::SPEC,
    &highpass::SPEC,
    &bandpass::SPEC,
    &bandstop::SPEC,
    &rbj_lowpass::SPEC,
    &rbj_highpass::SPEC,
    &rbj_bandpass::SPEC,
    &notch::SPEC,
    &allpass::SPEC,
    &peaking::SPEC,
    &low_shelf::SPEC,
    &high_shelf::SPEC,
    &gain::SPEC,
    &normalize::SPEC,
];

static ALL: LazyLock<Vec<&EffectSpec>> = LazyLock::new(|| {
    [
        SINGLES,
        filters::ALL,
        fir::ALL,
        dynamics::ALL,
        space::ALL,
        modulation::ALL,
        image::ALL,
        tone::ALL,
        stretch::ALL,
        spectral::ALL,
        restore::ALL,
    ]
    .concat()
});

/// Every effect there is, in the order in which they are listed.
pub fn all() -> &'static [&'static EffectSpec] {
    &ALL
}

/// The effect of that name in the notation.
pub fn find(name: &str) -> Option<&'static EffectSpec> {
    all().iter().copied().find(|spec| spec.name == name)
}

/// The effect of that name in the notation, or an error that lists them all and names the nearest.
///
/// # Errors
/// [`Error::Invalid`] when there is none.
pub fn known(name: &str) -> Result<&'static EffectSpec> {
    find(name).ok_or_else(|| {
        let names = || all().iter().map(|spec| spec.name);
        Error::invalid("effect", spec::with_nearest(name, names()), names().collect::<Vec<_>>().join(", "))
    })
}

pub use conditions::{Condition, When};
pub(crate) use note::Note;
pub(crate) use quantity::parse_decimal;
pub(crate) use restore::NoiseProfile;
pub(crate) use spec::nearest;

#[cfg(test)]
mod tests;
