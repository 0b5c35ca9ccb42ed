//! Measurements of open documents: one of each kind at a time for each document. Results are remembered.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;

use serde::Serialize;

use crate::document::FrameRange;
use crate::error::Result;
use crate::lock::lock;
use crate::progress::Progress;
use crate::window::workspace::types::DocumentId;
use base::declared::TS;

/// The levels of a part of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct Levels {
    /// Sample peak in dBFS; null for silence.
    pub peak_db: Option<f64>,
    /// RMS in dBFS (a full-scale square wave is 0); null for silence.
    pub rms_db: Option<f64>,
    /// Integrated loudness in LUFS (ITU-R BS.1770, gated); null if the part is too short or too quiet, and at the cursor.
    pub lufs: Option<f64>,
    /// The centroid of the power spectrum in Hz; null for silence, and at the cursor.
    pub centre_hz: Option<f64>,
}

/// A description of a recording in words and figures.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
pub struct Description {
    /// The description in a few sentences.
    pub text: String,
    /// The duration in seconds.
    pub duration_s: f64,
    /// Integrated loudness in LUFS; null for silence.
    pub loudness_lufs: Option<f64>,
    /// Sample peak in dBFS; null for silence.
    pub peak_db: Option<f64>,
    /// The strongest frequencies of the mean spectrum in Hz, strongest first.
    pub dominant_hz: Vec<f64>,
    /// Ranges of at least 0.5 s below -60 dBFS.
    pub silences: Vec<FrameRange>,
}

/// The number of results to remember.
const REMEMBERED: usize = 64;

/// A kind of measurement of a document. Only the last request of a kind counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measuring {
    /// The level at the cursor.
    Cursor,
    /// The levels of a selection.
    Region,
    /// The description of the whole document.
    Description,
}

/// The running measurements, and their results.
#[derive(Default)]
pub struct Measurements {
    running: Mutex<HashMap<(DocumentId, Measuring), Progress>>,
    /// Levels of selections.
    pub regions: MeasurementCache<Levels>,
    /// Descriptions.
    pub descriptions: MeasurementCache<Description>,
}

impl Measurements {
    /// Cancels the running measurement of this kind, and returns the progress of the next one.
    pub fn begin(&self, document: DocumentId, what: Measuring) -> Progress {
        let progress = Progress::new();
        if let Some(former) = lock(&self.running).insert((document, what), progress.clone()) {
            former.cancel();
        }
        progress
    }

    /// Cancels the measurement of this kind.
    pub fn cancel(&self, document: DocumentId, what: Measuring) {
        if let Some(running) = lock(&self.running).remove(&(document, what)) {
            running.cancel();
        }
    }

    /// Cancels all measurements of a closed document.
    pub fn forget(&self, document: DocumentId) {
        lock(&self.running).retain(|(of, _), running| {
            if *of == document {
                running.cancel();
            }
            *of != document
        });
    }

    /// Cancels all measurements.
    pub fn stop_all(&self) {
        lock(&self.running).values().for_each(Progress::cancel);
    }
}

/// Results by the key of what was measured, the latest last.
pub struct MeasurementCache<T>(Mutex<VecDeque<(String, T)>>);

impl<T> Default for MeasurementCache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> MeasurementCache<T> {
    /// Returns the result for this key, measured if necessary.
    pub fn of(&self, key: String, measure: impl FnOnce() -> Result<T>) -> Result<T> {
        if let Some((_, known)) = lock(&self.0).iter().find(|(of, _)| *of == key) {
            return Ok(known.clone());
        }
        let measured = measure()?;
        let mut found = lock(&self.0);
        if found.len() == REMEMBERED {
            found.pop_front();
        }
        found.push_back((key, measured.clone()));
        Ok(measured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_question_ends_the_last_one_of_its_kind() {
        let measurements = Measurements::default();
        let (one, other) = (DocumentId(1), DocumentId(2));
        let cursor = measurements.begin(one, Measuring::Cursor);
        let region = measurements.begin(one, Measuring::Region);
        let of_other = measurements.begin(other, Measuring::Region);
        let again = measurements.begin(one, Measuring::Region);
        let cancelled = |progress: &Progress| progress.check().is_err();
        assert_eq!([&cursor, &region, &of_other, &again].map(cancelled), [false, true, false, false]);
        measurements.forget(one);
        assert_eq!([&cursor, &of_other, &again].map(cancelled), [true, false, true]);
    }

    #[test]
    fn a_result_is_measured_once_and_a_failure_is_not_kept() {
        let cache = MeasurementCache::default();
        assert!(cache.of("a".into(), || Err::<u32, _>(crate::Error::Cancelled)).is_err());
        assert_eq!(cache.of("a".into(), || Ok(1)).expect("measured"), 1);
        assert_eq!(cache.of("a".into(), || Ok(2)).expect("remembered"), 1);
        for number in 0..REMEMBERED {
            cache.of(format!("{number}"), || Ok(0)).expect("measured");
        }
        assert_eq!(cache.of("a".into(), || Ok(3)).expect("measured again"), 3);
    }
}
