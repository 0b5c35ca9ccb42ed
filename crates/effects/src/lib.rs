//! Effects, one file each, and the contract that all of them follow.
//!
//! An [`EffectSpec`] defines an effect once. Parsing, validation, help, presets and the window's controls use that
//! definition. With arguments it becomes an [`Effect`], which describes how it changes the shape of a stream and lowers
//! itself to a [`Stage`] for a given format. The renderer in [`crate::chain`] runs stages; an effect never accesses a
//! device.

mod bounds;
pub mod chain;
mod conditions;
mod dependency;
mod dynamics;
mod filters;
mod fir;
mod image;
mod level;
mod lfo;
mod modulation;
mod note;
mod parameters;
mod permission;
mod pitch;
mod quantity;
mod rate_conversion;
mod recent_cache;
mod restore;
mod search;
mod selection;
mod space;
mod spec;
mod spectral;
mod stretch;
mod tone;
mod whole;
mod words;

pub use dependency::FileDependency;
use parameters::PLAIN;
pub use parameters::{Arguments, Parameter, ParameterKind, Rest, Scale, Travel, TravelEnd, Unit, UnitChoice, Value};
pub use permission::Permission;
pub use search::search;
pub use selection::{SelectedPart, SelectionUse};
pub use spectral::HEAL_LONGEST_S;
pub use whole::{Measured, MeasuredPart, WholeSignal};

use std::fmt::Debug;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use audio::{AudioBuffer, AudioFormat, Layout};
use base::declared::TS;
use base::error::{Error, Result};
use dsp::design::{Response, Section};
use dsp::kernels::signal::fir::FirStream;
use neural::models::ModelKind;

/// The category under which a user looks for an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Removes frequencies.
    Filter,
    /// Raises or lowers parts of the spectrum.
    Equaliser,
    /// Controls the level by the level, like a compressor.
    Dynamics,
    /// Echoes, rooms, impulse responses.
    Space,
    /// Modulates a parameter.
    Modulation,
    /// Changes the level.
    Level,
    /// Changes the stereo image or the channel layout.
    Image,
    /// Changes harmonics, pitch, tempo, rate or coding.
    Tone,
    /// Repairs or changes a part of the recording in time and frequency.
    Repair,
}

/// The definition of an effect: its name, parameters, documentation and constructor.
#[derive(Debug)]
pub struct EffectSpec {
    /// The name in the notation: `highpass`.
    pub name: &'static str,
    /// The display name: "High-pass".
    pub title: &'static str,
    /// Its category in the list.
    pub purpose: Purpose,
    /// One line of help.
    pub summary: &'static str,
    /// The description, including formula, latency and limits, in Markdown.
    pub documentation: &'static str,
    /// The source of its formulas.
    pub source: &'static str,
    /// Its parameters, in the order of positional arguments.
    pub parameters: &'static [Parameter],
    /// How many of them are printed without their names.
    pub positional: usize,
    /// Words that people look for, besides the name and the summary.
    pub search: &'static str,
    /// Its names in other programs, which chain text accepts too, with underscores for spaces.
    pub aliases: &'static [&'static str],
    /// How it uses the selected part of a recording, if it does.
    pub selection: Option<SelectionUse>,
    /// A chain of this effect alone, with settings that show what it does. Shown in its help, and run by the tests of
    /// all effects. A file in it is called `room.wav`, a model `model`.
    pub example: &'static str,
    /// The largest sample that it can put out for a signal within full scale, whatever its parameters are and were: the
    /// most that resonances and gains can add.
    pub largest_output: f32,
    /// Builds the effect from checked arguments.
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
    /// The same rate and duration as the input.
    pub const IDENTITY: Self = Self { rate_ratio: 1.0, duration_ratio: 1.0 };
}

/// A second input signal of an effect, such as a side chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideInput {
    /// Its name in the notation.
    pub name: &'static str,
    /// Whether the effect can run without it.
    pub optional: bool,
}

/// An effect with its arguments: how it processes a stream, independent of any device.
pub trait Effect: Send + Sync + Debug {
    /// Returns the number of output channels for a number of input channels.
    fn channels_out(&self, channels_in: usize) -> Result<usize> {
        Ok(channels_in)
    }

    /// Returns the loudspeakers of the output channels. Ignored if their number differs from [`Effect::channels_out`]:
    /// the output is then mono, stereo, or of no known layout.
    fn layout_out(&self, input: AudioFormat) -> Option<Layout> {
        input.layout()
    }

    /// Returns how rate and duration change.
    fn time_map(&self, _input: AudioFormat) -> TimeMap {
        TimeMap::IDENTITY
    }

    /// Returns the number of output frames if it follows from the measurement of the whole signal rather than from the
    /// input length. Any further output of this effect is silent.
    fn frames_out(&self, _input: AudioFormat, _measured: Option<&Measured>) -> Option<u64> {
        None
    }

    /// Returns the number of input frames skipped at the beginning, if the measurement of the whole signal determines
    /// it.
    fn frames_skipped(&self, _input: AudioFormat, _measured: Option<&Measured>) -> u64 {
        0
    }

    /// Returns its side inputs.
    fn side_inputs(&self) -> &'static [SideInput] {
        &[]
    }

    /// Returns the files that its sound depends on. Its parameters name them: what it may read is checked there
    /// ([`Permission`]).
    fn files(&self) -> Vec<FileDependency> {
        Vec::new()
    }

    /// Returns the kind of the model that it runs, whose licence the user may have to confirm ([`Permission`]); `None`
    /// if it runs none.
    ///
    /// # Errors
    /// If the model cannot be read.
    fn model_kind(&self) -> Result<Option<ModelKind>> {
        Ok(None)
    }

    /// Returns its latency in frames.
    fn latency_frames(&self, _input: AudioFormat) -> u64 {
        0
    }

    /// Returns the length of its tail in frames, which `--tail` appends after the end of the input. The ringing of an
    /// IIR filter does not count.
    fn tail_frames(&self, _input: AudioFormat) -> u64 {
        0
    }

    /// Returns the number of past input frames that its output depends on, if that is finite. A preview renders that
    /// much before the target of a jump. For IIR filters the renderer derives it from their poles.
    fn memory_frames(&self, _input: AudioFormat) -> u64 {
        0
    }

    /// Returns the measurement of the whole signal that it needs.
    fn whole_signal(&self) -> Option<WholeSignal> {
        None
    }

    /// Returns the part of the signal that the measurement is about, in seconds; `None` for all of it.
    fn measured_part(&self) -> Option<MeasuredPart> {
        None
    }

    /// Returns whether it never changes the level of a signal, like a change of rate.
    fn keeps_level(&self) -> bool {
        false
    }

    /// Returns by how many semitones it raises the pitch of its whole input.
    fn semitones(&self) -> f64 {
        0.0
    }

    /// Returns why, in words, the measurement keeps the effect from working, such as a sound that is too short to have
    /// a loudness.
    fn note(&self, _measured: &Measured) -> Option<String> {
        None
    }

    /// Returns the output level for a steady input level, both in dB: the static curve of an effect that controls the
    /// level by the level. `None` for any other effect.
    fn transfer_db(&self, _level_db: f64) -> Option<f64> {
        None
    }

    /// Lowers the effect to a stage for a stream of this format. `measured` is the measurement that
    /// [`Effect::whole_signal`] asked for. Without it (in a preview before the background pass is done) an effect that
    /// needs it leaves the signal unchanged.
    ///
    /// # Errors
    /// A parameter that this format does not allow, such as a cutoff above half the rate.
    fn stage(&self, input: AudioFormat, measured: Option<&Measured>) -> Result<Stage>;
}

/// The form in which the renderer runs an effect.
#[derive(Debug)]
pub enum Stage {
    /// A cascade of second-order sections, the same for every channel. Fuses with its neighbours.
    Sections(Vec<Section>),
    /// A gain for each channel. Fuses with its neighbours.
    Gain(Vec<f64>),
    /// Any other processing.
    Process(Box<dyn Process>),
}

/// A stage that is neither a cascade nor a gain. It carries state from block to block and exports that state in a form
/// that any device can adopt.
pub trait Process: Send + Debug {
    /// Renders one block in place. The block then has the shape of the output.
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()>;

    /// Sets the next frame of the stream, counted from its first frame at 0. Called before the first block, after every
    /// jump, and after restoring a state. Negative while effects before it have not put out the first frame yet.
    /// Returns `false` if the frame does not follow the last block and the past input has been dropped.
    fn seek(&mut self, _frame: i64) -> bool {
        true
    }

    /// Returns the response at `w` radians per frame if the process is linear and time-invariant and treats all
    /// channels alike. The declared latency of the effect is taken out.
    fn response(&self, _w: f64) -> Option<Response> {
        None
    }

    /// Returns the impulse response, if it is finite and [`Process::response`] is its transform, and the frames by
    /// which it lags behind the compensated output.
    fn taps(&self) -> Option<(&[f64], u64)> {
        None
    }

    /// Returns the FIR stream if running it is all that the process does. A device with that kernel can then run it
    /// instead.
    fn fir(&self) -> Option<&FirStream> {
        None
    }

    /// Returns the same stream, to update it after another device has run it.
    fn fir_mut(&mut self) -> Option<&mut FirStream> {
        None
    }

    /// Returns the state carried to the next block.
    fn state(&self) -> Vec<f64>;

    /// Restores what [`Process::state`] returned.
    fn restore(&mut self, state: &[f64]) -> Result<()>;

    /// Returns the gain reduction in the last rendered block in dB, 0 or more: the maximum over all channels in each
    /// piece of [`METER_FRAMES`] frames, counted from the start of the block. The last piece may be shorter. Empty for
    /// a process that does not reduce gain by level.
    fn reductions_db(&self) -> &[f32] {
        &[]
    }
}

/// The length in frames of the pieces in [`Process::reductions_db`]: about 10 ms, as fine as the eye can follow.
pub const METER_FRAMES: usize = 512;

static ALL: LazyLock<Vec<&EffectSpec>> = LazyLock::new(|| {
    [
        filters::ALL,
        level::ALL,
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

/// Returns all effects in listing order.
pub fn all() -> &'static [&'static EffectSpec] {
    &ALL
}

/// Returns the effect with this name in the notation.
pub fn find(name: &str) -> Option<&'static EffectSpec> {
    all().iter().copied().find(|spec| spec.name == name)
}

/// Returns the effect with this name in the notation, or with this name in another program.
pub fn find_by_any_name(name: &str) -> Option<&'static EffectSpec> {
    find(name).or_else(|| {
        let name = name.to_lowercase();
        all().iter().copied().find(|spec| spec.name == name || spec.aliases.contains(&name.as_str()))
    })
}

/// Returns the effect with this name in the notation. The error lists all effects and suggests the nearest.
pub fn known(name: &str) -> Result<&'static EffectSpec> {
    find_by_any_name(name).ok_or_else(|| {
        let names = || all().iter().map(|spec| spec.name);
        Error::impossible(format!(
            "there is no effect {}. The effects: {}",
            spec::with_nearest(name, names()),
            names().collect::<Vec<_>>().join(", ")
        ))
    })
}

pub use conditions::When;
pub(crate) use note::Note;
pub(crate) use pitch::{hz_from_pitch, pitch_length};
pub(crate) use quantity::{number_in, parse_decimal};
pub(crate) use restore::NoiseProfile;
pub(crate) use search::matching;
pub(crate) use words::meant_choice;

#[cfg(test)]
mod tests;
