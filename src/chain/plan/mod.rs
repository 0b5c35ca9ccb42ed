//! From a chain's graph to a straight list of operations on registers.
//!
//! A register holds one block of audio on its way. Series, groups and bypass leave no trace in the list; a parallel
//! group becomes copies, branches and a sum; wet against dry becomes a copy and a weighted sum, the shorter side delayed
//! by what the longer one lags. Neighbouring linear recursions and gains fuse into one cascade, across the borders of
//! groups: gains commute with linear recursions, so a gain anywhere in such a run becomes the cascade's output gain.
//! What each node contributed stays known ([`Part`]), so that state can be kept by node however nodes are fused.

mod build;
mod decay;

pub use decay::decay_frames;

use std::ops::Range;

use super::graph::{Chain, NodeId};
use super::measured::MeasuredMap;
use crate::audio::AudioFormat;
use crate::design::Section;
use crate::effects::{EffectSpec, Process, WholeSignal};
use crate::error::Result;

/// Finds an effect by its name in the notation: [`crate::effects::find`], or a program's own list.
pub type Catalogue = fn(&str) -> Option<&'static EffectSpec>;

/// A chain laid out for one format.
#[derive(Debug)]
pub struct Plan {
    /// What goes in.
    pub input: AudioFormat,
    /// What comes out.
    pub output: AudioFormat,
    /// What is done, in order. The input stands in register 0.
    pub ops: Vec<Op>,
    /// The register the output stands in.
    pub output_register: usize,
    /// How many registers there are.
    pub registers: usize,
    /// Frames (of the output) by which the output lags.
    pub latency_frames: u64,
    /// Frames (of the input) before the present that its effects remember, as they declare them.
    pub memory_frames: u64,
    /// Frames (of the output) that the chain goes on sounding after its input, as effects declare them.
    pub tail_frames: u64,
    /// Output frames per input frame; 1 for everything that keeps time.
    pub frames_ratio: f64,
    /// Frames (of the input) that effects leave out at its beginning.
    pub skipped_frames: f64,
    /// The length of the output where that is no share of the input's: an effect knows it of the whole signal.
    pub length: Option<u64>,
    /// Whether each frame that goes in becomes the frame at the same place that comes out. Only then are the frames that
    /// rendering gives the same wherever it begins.
    pub keeps_time: bool,
    /// Nodes that must know their whole input first, in the order in which it can be measured.
    pub needs: Vec<Need>,
}

/// A node that must know its whole input before its first frame comes out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Need {
    /// Which.
    pub node: NodeId,
    /// What it must know.
    pub what: WholeSignal,
}

/// The share of one node in a fused cascade.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The node.
    pub node: NodeId,
    /// The effect's name.
    pub effect: String,
    /// Its sections within the cascade.
    pub sections: Range<usize>,
    /// Gain of each channel that stands before it in the chain but is applied behind it: its true state is the run
    /// state times this.
    pub gain_before: Vec<f64>,
}

/// One operation. Those with state name the node whose state it is.
#[derive(Debug)]
pub enum Op {
    /// Runs second-order sections in series, then a gain for each channel, in place.
    Cascade {
        /// Where.
        register: usize,
        /// The sections in order.
        sections: Vec<Section>,
        /// The gain of each channel behind them.
        gain: Vec<f64>,
        /// Whose sections they are.
        parts: Vec<Part>,
    },
    /// A gain for each channel, in place.
    Gain {
        /// Where.
        register: usize,
        /// The gain of each channel.
        gain: Vec<f64>,
    },
    /// Anything else, in place.
    Process {
        /// Where.
        register: usize,
        /// Whose.
        node: NodeId,
        /// The effect's name.
        effect: String,
        /// How far it stands behind the chain's input.
        place: Place,
        /// Frames by which it lags by itself.
        latency_frames: u64,
        /// What runs.
        process: Box<dyn Process>,
    },
    /// Copies a register.
    Copy {
        /// From here.
        from: usize,
        /// To there.
        to: usize,
    },
    /// Delays a register, so that two branches meet in time.
    Delay {
        /// Where.
        register: usize,
        /// The mixed node, or the branch of a parallel group, that the delayed side belongs to.
        node: NodeId,
        /// Which side of it waits.
        side: Side,
        /// By so many frames.
        frames: usize,
        /// How many channels wait.
        channels: usize,
    },
    /// Sums registers into the first of them, each with a gain for each channel.
    Mix {
        /// What is summed.
        inputs: Vec<MixInput>,
    },
}

impl Op {
    /// Why it can only run on the host, if that is so: the effect, and what a GPU lacks for it.
    pub fn host_only(&self) -> Option<(&str, String)> {
        let Self::Process { effect, process, .. } = self else { return None };
        match process.fir() {
            Some(stream) => stream.plan().on_gpu_layout().err().map(|error| (effect.as_str(), error.to_string())),
            None => Some((effect.as_str(), "it has no GPU kernel".to_owned())),
        }
    }

    /// Whether it does something and can do it on a GPU.
    pub fn has_kernel(&self) -> bool {
        !matches!(self, Self::Copy { .. } | Self::Delay { .. }) && self.host_only().is_none()
    }
}

/// Where an operation stands on a stream's way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Frames here per frame of the chain's input.
    pub ratio: f64,
    /// Frames (of those here) by which what comes here lags.
    pub latency_frames: u64,
    /// Frames (of the chain's input) that were left out at its beginning.
    pub skipped: f64,
    /// Whether nothing before it changes how many frames there are. Otherwise its place is known at the stream's
    /// beginning, and from there on to the process alone.
    pub keeps_time: bool,
}

impl Place {
    /// The frame of the stream that comes here next, when the chain has taken so many frames.
    pub fn frame(self, consumed: u64) -> i64 {
        ((consumed as f64 - self.skipped).max(0.0) * self.ratio).round() as i64 - self.latency_frames as i64
    }
}

/// What is delayed until the other side has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The dry side of a mixed node.
    Dry,
    /// A branch of a parallel group.
    Branch,
}

/// One summand.
#[derive(Clone, Debug, PartialEq)]
pub struct MixInput {
    /// Where it stands.
    pub register: usize,
    /// The gain of each channel.
    pub gain: Vec<f64>,
}

impl Plan {
    /// Lays out `chain` for streams of the format `input`, with the effects of this program.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for an effect that does not exist, for parameters that it or the format does not
    /// allow, for branches that do not fit together and for a wet/dry share outside 0..1,
    /// [`crate::Error::Unsupported`] for an effect that needs a side input.
    pub fn new(chain: &Chain, input: AudioFormat, measured: &MeasuredMap) -> Result<Self> {
        Self::with_catalogue(chain, input, measured, crate::effects::find)
    }

    /// Lays out `chain` with effects of the caller's own.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn with_catalogue(
        chain: &Chain,
        input: AudioFormat,
        measured: &MeasuredMap,
        catalogue: Catalogue,
    ) -> Result<Self> {
        build::build(chain, input, measured, catalogue)
    }

    /// Whether the chain leaves every sample as it is.
    pub fn is_identity(&self) -> bool {
        self.ops.is_empty() && self.output_register == 0
    }

    /// The length of the output for an input of so many frames, tails aside.
    pub fn frames_out(&self, frames_in: u64) -> u64 {
        if let Some(length) = self.length {
            return length;
        }
        if self.frames_ratio == 1.0 { frames_in } else { (frames_in as f64 * self.frames_ratio).round() as u64 }
    }

    /// The frame of the output at the time of a frame of the input.
    pub fn frame_out(&self, frame_in: u64) -> u64 {
        if self.keeps_time {
            return frame_in;
        }
        ((frame_in as f64 - self.skipped_frames).max(0.0) * self.frames_ratio).round() as u64
    }

    /// Frames of the input that must have passed before rendering can begin in its midst.
    pub fn lead_frames(&self) -> u64 {
        (self.skipped_frames + self.latency_frames as f64 / self.frames_ratio).ceil() as u64
    }

    /// The last frame of the input that is heard at a frame of the output, or before it.
    pub fn frame_in(&self, frame_out: u64) -> u64 {
        if self.keeps_time {
            return frame_out;
        }
        ((frame_out as f64 / self.frames_ratio + self.skipped_frames).ceil() as u64).saturating_sub(1)
    }

    /// Frames of input after which what was before them is heard by no more than `attenuation_db` (negative): the
    /// decay of the slowest recursion of every cascade, though no more than `longest` for all, then declared memories,
    /// tails and latency, one after the other.
    pub fn settle_frames(&self, attenuation_db: f64, longest: u64) -> u64 {
        let recursions: u64 = self
            .ops
            .iter()
            .map(|op| match op {
                Op::Cascade { sections, .. } => {
                    sections.iter().map(|section| decay_frames(&section.svf, attenuation_db)).max().unwrap_or(0)
                }
                _ => 0,
            })
            .sum();
        let declared = self.memory_frames.saturating_add(self.tail_frames).saturating_add(self.latency_frames);
        recursions.min(longest).saturating_add(declared)
    }
}
