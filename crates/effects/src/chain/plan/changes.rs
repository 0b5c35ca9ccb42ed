//! How a chain changes a sound, as far as that is known without hearing it.

use crate::{Effect, Stage};

/// The changes that a chain makes to level and pitch. Changes of time and channels are in the plan itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoundChanges {
    /// Whether the level of anything in the sound may change.
    pub level: bool,
    /// By how many semitones the sound becomes higher; `None` if that is not the same for all of it.
    pub semitones: Option<f64>,
}

impl SoundChanges {
    /// No change.
    pub const NONE: Self = Self { level: false, semitones: Some(0.0) };

    /// Returns the changes including those of an effect that runs as this stage. An effect that measures first may
    /// change the level even if this stage does nothing.
    pub(super) fn after(self, effect: &dyn Effect, stage: &Stage) -> Self {
        let runs = match stage {
            Stage::Gain(gains) => gains.iter().any(|gain| *gain != 1.0),
            Stage::Sections(sections) => !sections.is_empty(),
            Stage::Process(_) => true,
        };
        let level = !effect.keeps_level() && (runs || effect.whole_signal().is_some());
        Self { level: self.level || level, semitones: self.semitones.map(|semitones| semitones + effect.semitones()) }
    }

    /// Returns the changes of a sum of branches that all continue from `self`.
    pub(super) fn sum(self, mut branches: impl Iterator<Item = Self>) -> Self {
        let alike = branches.all(|branch| branch.semitones == self.semitones);
        Self { level: true, semitones: self.semitones.filter(|_| alike) }
    }
}
