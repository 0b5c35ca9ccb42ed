//! Turns the graph of a chain into a flat list of operations on registers.
//!
//! A register holds one block of audio. Series, groups and bypass leave no trace in the list. A parallel group becomes
//! copies, branches and a sum. A wet/dry mix becomes a copy and a weighted sum; the side with less latency is delayed
//! to match the other. Adjacent linear recursions and gains fuse into one cascade, across the borders of groups: gains
//! commute with linear recursions, so a gain anywhere in such a run becomes the cascade's output gain. The contribution
//! of each node stays known ([`NodeSections`]), so that state can be kept by node however nodes are fused.

mod build;
mod changes;
mod decay;
mod schedule;

pub use changes::SoundChanges;
pub use decay::decay_frames;
pub use schedule::Schedule;

use std::ops::Range;

use super::catalogue::Catalogue;
use super::graph::{Chain, NodeId};
use super::measured::{MeasuredMap, MeasurementNeed};
use crate::Process;
use audio::AudioFormat;
use base::error::Result;
use dsp::design::Section;

/// A chain prepared for one input format.
#[derive(Debug)]
pub struct Plan {
    /// The input format.
    pub input: AudioFormat,
    /// The output format.
    pub output: AudioFormat,
    /// The operations, in order. The input is in register 0.
    pub ops: Vec<Op>,
    /// When each of them runs.
    pub schedule: Schedule,
    /// The register that holds the output.
    pub output_register: usize,
    /// The number of registers.
    pub registers: usize,
    /// The latency in output frames.
    pub latency_frames: u64,
    /// How many input frames the effects look back, as they declare.
    pub memory_frames: u64,
    /// Output frames for which the chain continues to sound after its input ends, as effects declare.
    pub tail_frames: u64,
    /// Output frames per input frame; 1 for a chain that keeps time.
    pub frames_ratio: f64,
    /// Input frames that effects skip at the beginning.
    pub skipped_frames: f64,
    /// The output length in frames, if an effect derives it from a measurement of the whole signal rather than from the
    /// input length.
    pub length: Option<u64>,
    /// Whether each input frame becomes the output frame at the same position. Only then does rendering give the same
    /// frames wherever it begins.
    pub keeps_time: bool,
    /// Nodes that need a measurement of their whole input, in an order in which these can be made.
    pub needs: Vec<MeasurementNeed>,
    /// How level and pitch change.
    pub changes: SoundChanges,
    /// Notes of effects on their measurements, such as that the measured part is too short.
    pub notes: Vec<String>,
}

/// The share of one node in a fused cascade.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeSections {
    /// The node.
    pub node: NodeId,
    /// The effect's name.
    pub effect: String,
    /// Its sections within the cascade.
    pub sections: Range<usize>,
    /// The gain of each channel that precedes the node in the chain but is applied after it. The true state of the node
    /// is the state in the cascade times this gain.
    pub gain_before: Vec<f64>,
}

/// One operation. Operations with state name the node that the state belongs to.
#[derive(Debug)]
pub enum Op {
    /// Runs second-order sections in series, then a gain for each channel, in place.
    Cascade {
        /// The register.
        register: usize,
        /// The sections in order.
        sections: Vec<Section>,
        /// The gain of each channel after the sections.
        gain: Vec<f64>,
        /// The nodes that the sections belong to.
        parts: Vec<NodeSections>,
    },
    /// Applies a gain to each channel, in place.
    Gain {
        /// The register.
        register: usize,
        /// The gain of each channel.
        gain: Vec<f64>,
    },
    /// Any other processing, in place.
    Process {
        /// The register.
        register: usize,
        /// The node.
        node: NodeId,
        /// The effect's name.
        effect: String,
        /// Its position relative to the chain's input.
        place: StreamPosition,
        /// The latency of the effect itself in frames.
        latency_frames: u64,
        /// The process.
        process: Box<dyn Process>,
    },
    /// Copies a register.
    Copy {
        /// The source.
        from: usize,
        /// The target.
        to: usize,
    },
    /// Delays a register, so that two branches are aligned in time.
    Delay {
        /// The register.
        register: usize,
        /// The mixed node, the branch of a parallel group, or the part that the delayed side belongs to.
        node: NodeId,
        /// The delayed side.
        side: DelayedSide,
        /// The delay in frames.
        frames: usize,
        /// The number of channels.
        channels: usize,
    },
    /// Sums registers into the first of them, with a gain for each channel of each register.
    Mix {
        /// The summands.
        inputs: Vec<MixInput>,
    },
    /// Cross-fades at the ends of a part of the recording, in place of the dry side.
    Crossfade {
        /// The register of the dry side.
        dry: usize,
        /// The register of the processed side.
        wet: usize,
        /// The frames of the chain's input during which the processed side fades in.
        rise: Range<u64>,
        /// The frames during which it fades out.
        fall: Range<u64>,
    },
}

impl Op {
    /// Returns the effect and the reason if the operation can only run on the host.
    pub fn host_only(&self) -> Option<(&str, String)> {
        if matches!(self, Self::Crossfade { .. }) {
            return Some(("during", "the fades at the ends of a part have no GPU kernel".to_owned()));
        }
        let Self::Process { effect, process, .. } = self else { return None };
        match process.fir() {
            Some(stream) => stream.plan().on_gpu_layout().err().map(|error| (effect.as_str(), error.to_string())),
            None => Some((effect.as_str(), "it has no GPU kernel".to_owned())),
        }
    }

    /// Returns whether it processes audio and can do so on a GPU.
    pub fn has_kernel(&self) -> bool {
        !matches!(self, Self::Copy { .. } | Self::Delay { .. }) && self.host_only().is_none()
    }
}

/// The position of an operation along a stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamPosition {
    /// Frames here per frame of the chain's input.
    pub ratio: f64,
    /// The latency of the signal here, in frames here.
    pub latency_frames: u64,
    /// Frames of the chain's input skipped at its beginning.
    pub skipped: f64,
    /// The frame here at which the part of the recording begins on which the effect acts; 0 without a part.
    pub origin: u64,
    /// Whether nothing before it changes the number of frames. Otherwise its position is known at the beginning of the
    /// stream, and after that only to the process itself.
    pub keeps_time: bool,
}

impl StreamPosition {
    /// Returns the frame of the stream that arrives here next, counted from the origin, after the chain has consumed
    /// `consumed` frames.
    pub fn frame(self, consumed: u64) -> i64 {
        let passed = ((consumed as f64 - self.skipped).max(0.0) * self.ratio).round() as i64;
        passed - self.latency_frames as i64 - self.origin as i64
    }
}

/// The side of a mix or sum that is delayed to match the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayedSide {
    /// The dry side of a mixed node.
    Dry,
    /// A branch of a parallel group.
    Branch,
    /// The dry side of a part of the recording.
    Part,
}

/// One summand.
#[derive(Clone, Debug, PartialEq)]
pub struct MixInput {
    /// Its register.
    pub register: usize,
    /// The gain of each channel.
    pub gain: Vec<f64>,
}

impl Plan {
    /// Plans `chain` for streams of the format `input`, with the built-in effects.
    ///
    /// # Errors
    /// [`base::error::Error::Invalid`] for branches that do not match and for a wet/dry share outside 0..=1,
    /// [`base::error::Error::Limit`] for too many branches, [`base::error::Error::Unsupported`] for an effect that
    /// needs a side input.
    pub fn new(chain: &Chain, input: AudioFormat, measured: &MeasuredMap) -> Result<Self> {
        Self::with_catalogue(chain, input, measured, crate::find)
    }

    /// Plans `chain` with the caller's effects.
    pub fn with_catalogue(
        chain: &Chain,
        input: AudioFormat,
        measured: &MeasuredMap,
        catalogue: Catalogue,
    ) -> Result<Self> {
        build::build(chain, input, measured, catalogue)
    }

    /// Returns whether the chain leaves every sample unchanged.
    pub fn is_identity(&self) -> bool {
        self.ops.is_empty() && self.output_register == 0
    }

    /// Returns the output length in frames for an input of `frames_in` frames, without tails.
    pub fn frames_out(&self, frames_in: u64) -> u64 {
        if let Some(length) = self.length {
            return length;
        }
        if self.frames_ratio == 1.0 { frames_in } else { (frames_in as f64 * self.frames_ratio).round() as u64 }
    }

    /// Returns the output frame at the time of an input frame.
    pub fn frame_out(&self, frame_in: u64) -> u64 {
        if self.keeps_time {
            return frame_in;
        }
        ((frame_in as f64 - self.skipped_frames).max(0.0) * self.frames_ratio).round() as u64
    }

    /// Returns the number of input frames that must have passed before rendering can begin in the middle of a stream.
    pub fn lead_frames(&self) -> u64 {
        (self.skipped_frames + self.latency_frames as f64 / self.frames_ratio).ceil() as u64
    }

    /// Returns the last input frame that is heard at or before an output frame.
    pub fn frame_in(&self, frame_out: u64) -> u64 {
        if self.keeps_time {
            return frame_out;
        }
        ((frame_out as f64 / self.frames_ratio + self.skipped_frames).ceil() as u64).saturating_sub(1)
    }

    /// Returns the number of input frames after which earlier input contributes at most `attenuation_db` (negative). It
    /// is the sum of the decay of the slowest recursion of every cascade, together at most `longest`, and of the
    /// declared memories, tails and latency.
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
