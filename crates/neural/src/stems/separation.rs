//! The ways to split a recording.

use std::sync::Arc;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::demucs::{Demucs, Options};
use super::{Limits, QuickSplit, Separated, Sink, StemKind};
use audio::{AudioFormat, AudioReader};
use base::declared::TS;
use base::error::{Error, Result};
use base::progress::Progress;
use dsp::device::Placement;
use dsp::device::{DeviceReport, Workload};

/// Why the quick split does not run on a GPU.
const ON_CPU: &str = "the quick split has no GPU kernels";

/// The use of the residual: the sound that the wanted stems leave of the recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum ResidualUse {
    /// It is left out.
    #[default]
    LeftOut,
    /// It is a separate stem.
    Own,
    /// Each stem takes the same share of it, so that the stems sum to the recording. All stems must be wanted.
    Spread,
}

/// A way to split a recording.
#[derive(Clone, Debug)]
pub enum Separation {
    /// By repetition, duration or stereo position.
    Quick(QuickSplit),
    /// By a network.
    Network {
        /// The model.
        model: Arc<Demucs>,
        /// How the recording is cut.
        options: Options,
    },
}

impl From<QuickSplit> for Separation {
    fn from(split: QuickSplit) -> Self {
        Self::Quick(split)
    }
}

impl Separation {
    /// Checks that a recording of this format can be split.
    pub fn check(&self, format: AudioFormat) -> Result<()> {
        match self {
            Self::Quick(split) => split.check(format),
            Self::Network { model, .. } => model.check(format),
        }
    }

    /// All stems of this split.
    pub fn stems(&self) -> Vec<StemKind> {
        match self {
            Self::Quick(split) => split.stems().to_vec(),
            Self::Network { model, .. } => model.stems().to_vec(),
        }
    }

    /// Checks that what these stems leave can be used so.
    ///
    /// # Errors
    /// [`Error::Impossible`] if it is to be spread over some stems and not all: they would take what others are.
    pub fn check_residual(&self, wanted: &[StemKind], of: ResidualUse) -> Result<()> {
        let missing = self.stems().into_iter().filter(|stem| !wanted.contains(stem));
        let missing: Vec<&str> = missing.map(StemKind::name).collect();
        if of != ResidualUse::Spread || missing.is_empty() {
            return Ok(());
        }
        let missing = missing.join(", ");
        Err(Error::impossible(format!("What the stems leave is spread over all of them. Not wanted: {missing}.")))
    }

    /// Returns the stems in the blocks of [`Separation::separate`] if these are wanted, in order.
    pub fn given(&self, wanted: &[StemKind]) -> Result<Vec<StemKind>> {
        match self {
            Self::Quick(split) => {
                let stems = split.stems();
                QuickSplit::of(&[&stems[..1], wanted].concat())?;
                Ok(stems.to_vec())
            }
            Self::Network { model, .. } => model.check_stems(wanted).map(|()| wanted.to_vec()),
        }
    }

    /// Returns what to know of the stems of a recording of this format and length; `None` if there is nothing.
    pub fn warning(&self, format: AudioFormat, frames: u64) -> Option<String> {
        match self {
            Self::Quick(split) => split.warning(format, frames),
            Self::Network { .. } => None,
        }
    }

    /// Returns the device that splits recordings of `channels` channels and `seconds` seconds in total, and why.
    pub fn device(&self, channels: usize, seconds: f64, placement: &Placement) -> Result<DeviceReport> {
        match self {
            Self::Quick(_) => Ok(quick_device(channels, placement)),
            Self::Network { model, .. } => model.device(placement, seconds),
        }
    }

    /// Splits a source from its first frame on, and passes blocks of the stems to `sink`. Returns where it ran, and
    /// why.
    ///
    /// # Errors
    /// [`base::error::Error::Cancelled`] within 200 ms.
    pub fn separate(
        &self,
        source: &mut dyn AudioReader,
        wanted: &[StemKind],
        placement: &Placement,
        sink: &mut Sink<'_>,
        progress: &Progress,
    ) -> Result<(Separated, DeviceReport)> {
        match self {
            Self::Quick(split) => {
                let channels = source.format().channels;
                let separated = split.separate(source, Limits::default(), sink, progress)?;
                Ok((separated, quick_device(channels, placement)))
            }
            Self::Network { model, options } => model.separate(source, wanted, options, placement, sink, progress),
        }
    }
}

/// Returns the CPU, whatever was requested, with the reason.
fn quick_device(channels: usize, placement: &Placement) -> DeviceReport {
    let work = Workload { channels, impossible: Some(ON_CPU.to_owned()), ..Workload::default() };
    placement.devices.choose(&placement.request, &work, placement.purpose).report
}
