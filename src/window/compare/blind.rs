//! The versions for blind tests, each with a reader on the reference's timeline and its matching gain.

use super::sounds::SoundPlan;
use super::types::CompareSound;
use super::{ComparePage, State};
use crate::blind;
use crate::error::{Error, Result};
use crate::units::SampleRate;
use crate::view::peaks::OpenReader;

/// A version for a blind test.
pub struct BlindVersion {
    pub id: u32,
    pub name: String,
    /// A key of its sound and of its alignment on the timeline.
    pub key: String,
    /// The gain that matches its loudness to the others.
    pub gain_db: f64,
    /// Opens a reader on the timeline.
    pub open: OpenReader,
    /// The rate and the length of the timeline.
    pub rate: SampleRate,
    pub frames: u64,
}

impl BlindVersion {
    /// Returns the version as a plan stores it.
    pub fn planned(&self) -> blind::Version {
        blind::Version { name: self.name.clone(), content: self.key.clone(), gain_db: self.gain_db }
    }
}

impl ComparePage {
    /// Returns the reference, then other versions, and whether loudness is matched.
    pub(in crate::window) fn blind_versions(&self, ids: &[u32]) -> Result<(Vec<BlindVersion>, bool)> {
        let state = self.locked();
        let reference = state.laid.ok_or_else(nothing)?.reference;
        let mut versions = vec![state.blind_version(reference)?];
        for &id in ids {
            if versions.iter().all(|version| version.id != id) {
                versions.push(state.blind_version(id)?);
            }
        }
        Ok((versions, state.matched))
    }

    /// Returns the versions of a session that is resumed, with the same sounds as before.
    ///
    /// # Errors
    /// [`Error::Impossible`] if the page has another reference, or a version is missing or has changed.
    pub(in crate::window) fn blind_versions_again(
        &self,
        wanted: &[blind::Version],
        reference: usize,
    ) -> Result<Vec<BlindVersion>> {
        let state = self.locked();
        let missing = |name: &str| {
            Error::impossible(format!(
                "The version {name} of this blind test is not on the page, or has changed. Add it, compare it with the \
                 same reference as before, and resume the test then."
            ))
        };
        let version = state.laid.and_then(|laid| state.blind_version(laid.reference).ok());
        let laid_on = version.filter(|version| version.key == wanted[reference].content);
        let laid_on = laid_on.ok_or_else(|| {
            let name = &wanted[reference].name;
            Error::impossible(format!(
                "The reference of this blind test is {name}. Make it the reference, and resume the test then."
            ))
        })?;
        let find = |wanted: &blind::Version| {
            let same = state.versions.iter().find_map(|version| state.blind_version_as(version.id, &wanted.content));
            same.ok_or_else(|| missing(&wanted.name))
        };
        drop(laid_on);
        wanted.iter().map(find).collect()
    }
}

impl State {
    /// Returns a version with its alignment from an earlier test; a new alignment may differ slightly.
    fn blind_version_as(&self, id: u32, content: &str) -> Option<BlindVersion> {
        let today = self.blind_version(id).ok()?;
        if today.key == content {
            return Some(today);
        }
        let SoundPlan { key, open } = self.plan_as(id, content)?;
        Some(BlindVersion { key, open, ..today })
    }

    fn blind_version(&self, id: u32) -> Result<BlindVersion> {
        let (_, reference) = self.reference().ok_or_else(nothing)?;
        let plan = self.plan(CompareSound::Version { version: id }, false)?;
        Ok(BlindVersion {
            id,
            name: self.version(id)?.name.clone(),
            key: plan.key,
            gain_db: self.matching_gain_db(id).unwrap_or(0.0),
            open: plan.open,
            rate: reference.format.rate,
            frames: reference.frames,
        })
    }
}

fn nothing() -> Error {
    Error::impossible("There is nothing to test. Add versions of a recording.")
}
