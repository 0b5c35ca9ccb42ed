//! The tags of an exported file: the recording's tags without those that are no longer true, with the user's changes.

use super::{ExportSettings, Extent};
use crate::audio::tags::{ChangedTag, Processing, TagCause};
use crate::audio::{TagChanges, Tags};
use crate::chain::Plan;
use crate::units::SampleRate;

/// The tags of a recording to export, and how it was processed before the export.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tagging {
    /// The tags of the recording.
    pub source: Tags,
    /// The processing of the recording before the export's chain, such as edits.
    pub done: Processing,
    /// The changes that the user wants.
    pub changes: TagChanges,
}

impl From<Tags> for Tagging {
    /// Returns the tags of a recording that is exported unprocessed.
    fn from(source: Tags) -> Self {
        Self { source, ..Self::default() }
    }
}

impl Tagging {
    /// Returns the same tags with the user's changes.
    #[must_use]
    pub fn with(self, changes: TagChanges) -> Self {
        Self { changes, ..self }
    }

    /// Returns the same tags for a recording with further processing.
    #[must_use]
    pub fn after(self, done: &Processing) -> Self {
        Self { done: self.done.then(done), ..self }
    }

    /// Returns the tags of a file that `export` writes, and the recording's tags that it changes or drops.
    pub fn written(&self, export: &Processing) -> (Tags, Vec<ChangedTag>) {
        self.done.clone().then(export).apply(&self.source, &self.changes)
    }
}

/// Returns the processing of the sound by an export of a part through a plan, to a file of this sample rate.
pub(super) fn processing(plan: &Plan, settings: &ExportSettings, extent: &Extent, rate: SampleRate) -> Processing {
    let is_cut = extent.range != (0..extent.whole) || (extent.tail && plan.tail_frames > 0);
    of_plan(plan)
        .with(TagCause::Level, settings.gain_db != 0.0 || settings.loudness.is_some())
        .with(TagCause::Cut, is_cut)
        .with(TagCause::Encoding, true)
        .with_frames(extent.frame_map(plan, rate))
}

/// Returns what a plan does to the sound.
pub fn of_plan(plan: &Plan) -> Processing {
    let channels = plan.output.with_rate(plan.input.rate) != plan.input;
    Processing::default()
        .with(TagCause::Level, plan.changes.level)
        .with(TagCause::Cut, super::trims(plan) || plan.length.is_some())
        .with(TagCause::Channels, channels)
        .with_tempo(Some(1.0 / plan.time_mapping().ratio))
        .with_semitones(plan.changes.semitones)
}
