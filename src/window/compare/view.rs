//! The page as the window shows it.

use super::types::{CompareReading, CompareState, CompareTimeline, CompareValue, CompareVersion, CompareView};
use super::{Compared, State, Version};
use crate::compare::{MEASURES, Outcome, Reading};
use crate::playback::common_channels;

/// A mono version plays on two loudspeakers and is this much louder than measured alone, in dB.
const BOTH_FRONTS_DB: f64 = 3.010_299_956_639_812;

impl State {
    pub fn view(&self) -> CompareView {
        let timeline = self.timeline();
        CompareView {
            versions: self.versions.iter().map(|version| self.version_view(version)).collect(),
            reference: self.reference().map(|(id, _)| id),
            measures: &MEASURES,
            timeline,
            job: self.running.map(|(job, _)| job),
            waiting: self.running.is_none() && self.next_waiting().is_some(),
            matched: self.matched,
            match_level: self.match_level,
            difference_gain_db: self.difference_gain_db,
            heard: self.heard.filter(|_| timeline.is_some()),
        }
    }

    /// Returns the timeline of the reference, with the channels of everything that is drawn and played.
    pub fn timeline(&self) -> Option<CompareTimeline> {
        let (_, reference) = self.reference()?;
        let opened = self.versions.iter().filter_map(|version| version.opened.as_ref().ok());
        let channels =
            opened.fold(reference.format.channels, |so_far, opened| common_channels(so_far, opened.format.channels));
        Some(CompareTimeline {
            rate: reference.format.rate.hz(),
            frames: reference.frames,
            channels,
            revision: self.revision,
        })
    }

    fn version_view(&self, version: &Version) -> CompareVersion {
        let opened = version.opened.as_ref().ok();
        let result = self.compared(version.id);
        let compared = result.and_then(|result| result.as_ref().ok());
        let failure = version.opened.as_ref().err().or_else(|| result.and_then(|result| result.as_ref().err()));
        let is_reference = self.reference == Some(version.id) && opened.is_some();
        CompareVersion {
            id: version.id,
            name: version.name.clone(),
            folder: version
                .path
                .as_ref()
                .and_then(|path| path.parent())
                .map_or_else(String::new, |folder| folder.display().to_string()),
            kind: opened.map(|opened| opened.kind.clone()),
            rate: opened.map(|opened| opened.format.rate.hz()),
            channels: opened.map(|opened| opened.format.channels),
            duration_s: opened.map(|opened| opened.format.rate.seconds_from_frames(opened.frames)),
            state: match (failure, compared) {
                (Some(_), _) => CompareState::Failed,
                _ if is_reference => CompareState::Reference,
                (None, Some(_)) => CompareState::Compared,
                _ if self.running.is_some_and(|(_, now)| now == Some(version.id)) => CompareState::Running,
                _ => CompareState::Waiting,
            },
            failure: failure.cloned(),
            warnings: opened.map(|opened| opened.warnings.clone()).unwrap_or_default(),
            alignment: compared.and_then(|compared| compared.comparison.alignment.clone()),
            gain_db: self.matching_gain_db(version.id),
            notes: compared.map(|compared| compared.comparison.notes.clone()).unwrap_or_default(),
            parts: compared.map(|compared| compared.comparison.parts.clone()).unwrap_or_default(),
            readings: compared.map(|compared| readings(compared)).unwrap_or_default(),
        }
    }

    /// Returns the loudness of a version on the timeline, in LUFS, as it is played.
    fn lufs(&self, id: u32) -> Option<f64> {
        let measured = if self.reference == Some(id) {
            let of_reference = |compared: &&Compared| compared.lufs[0];
            self.results().find_map(|compared| of_reference(&compared))
        } else {
            self.aligned(id)?.as_ref().ok()?.lufs[1]
        }?;
        let is_mono = self.opened(id).ok()?.format.channels == 1;
        let channels = self.timeline()?.channels;
        Some(if is_mono && channels > 1 { measured + BOTH_FRONTS_DB } else { measured })
    }

    /// Returns the results of the comparisons with the reference that succeeded.
    pub fn results(&self) -> impl Iterator<Item = &Compared> {
        self.versions.iter().filter_map(|version| self.aligned(version.id)?.as_ref().ok().map(AsRef::as_ref))
    }

    /// Returns the gain that brings a version to the loudness of the quietest, in dB, so that no sample becomes larger.
    pub fn matching_gain_db(&self, id: u32) -> Option<f64> {
        let all = self.versions.iter().filter_map(|version| self.lufs(version.id));
        let quietest = all.reduce(f64::min)?;
        self.lufs(id).map(|lufs| quietest - lufs)
    }
}

/// Returns the readings in the order of the table.
fn readings(compared: &Compared) -> Vec<CompareReading> {
    MEASURES.iter().map(|measure| compared.comparison.reading(measure).map_or_else(unread, reading_view)).collect()
}

fn unread() -> CompareReading {
    let whole = CompareValue { value: None, infinite: None, missing: Some("not measured".to_owned()) };
    CompareReading { whole, channels: Vec::new(), curve: false }
}

fn reading_view(reading: &Reading) -> CompareReading {
    CompareReading {
        whole: value_view(&reading.whole),
        channels: reading.channels.iter().map(value_view).collect(),
        curve: reading.curve.is_some(),
    }
}

fn value_view(outcome: &Outcome) -> CompareValue {
    let infinite = match outcome {
        Outcome::Value(value) if value.is_infinite() => Some(if *value > 0.0 { 1 } else { -1 }),
        _ => None,
    };
    let number = outcome.number();
    CompareValue { value: number.as_ref().ok().copied(), infinite, missing: number.err() }
}
