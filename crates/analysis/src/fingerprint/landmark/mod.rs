//! Landmark fingerprints: spectral peaks in time and pitch, and matching of their constellations.
//!
//! ```text
//! one channel, 11,025 Hz -> map of power over time and log frequency (`map`) -> its local maxima (`peaks`)
//!   -> bytes for storage (`stored`)
//!   -> quintuples of peaks (`quintuples`) -> sketch of a track (`sketch`) -> sketches of many tracks (`sketches`)
//!      -> candidate pairs (`candidates`)
//!   -> triples of peaks (`triples`) -> votes for a track, a time, a speed and a pitch (`votes`, `index`; of very many
//!      tracks on disk, `stored_index`)
//!   -> peaks of two recordings matched (`verify`; for a few seconds `short`) -> [`Match`]
//!   -> the parts that two recordings have in common, in any order (`parts`) -> [`CommonPart`]
//! ```
//!
//! A change of speed scales times and shifts log frequencies, a change of pitch shifts log frequencies, and a change of
//! tempo scales times; each by one amount for the whole recording. Three peaks therefore keep the two distances between
//! their log frequencies and the ratio of their distances in time. These values select the cell of an inverted index in
//! which a query finds its triples again. The position and duration of a matching triple give the change of speed and
//! pitch. Candidates from the votes are verified on all peaks: only peaks found at their expected position count.
//! (Triples: Six and Leman, "Panako", ISMIR 2014; verification of constellations: Sonnleitner and Widmer, "Robust
//! quad-based audio fingerprinting", IEEE/ACM TASLP 24, 2016.)
//!
//! The results are the same bit for bit for any block boundaries and any number of threads.

mod candidates;
mod index;
mod map;
mod parts;
mod peaks;
mod quintuples;
mod short;
mod sketch;
mod sketches;
mod stored;
mod stored_index;
mod triples;
mod verify;
mod votes;

pub use index::{Candidate, Index};
pub use parts::{CommonPart, parts};
pub use peaks::{LandmarkExtractor, Peak};
pub use short::{SHORT_S, compare_short};
pub use sketch::{Sketch, resemble};
pub use sketches::{CandidateSettings, Sketches};
pub use stored_index::{StoredIndex, TrackContent, TrackVersion};
pub use verify::{Match, compare, verify};

use super::front::RATE_HZ;

/// Pitch steps per octave in [`Peak::place`]: 4.2 cents each.
pub const STEPS_PER_OCTAVE: u16 = 288;

/// Duration of one unit of [`Peak::time`] in seconds: a quarter of the hop.
pub const TIME_UNIT_S: f64 = map::HOP as f64 / 4.0 / RATE_HZ as f64;

/// The largest change of speed, tempo or pitch that is looked for, as a ratio: 7 %.
pub const MAX_CHANGE: f64 = 1.07;

/// The landmarks of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Landmarks {
    /// Peaks ordered by time, then by pitch.
    pub peaks: Vec<Peak>,
    /// Length of the recording in units of [`TIME_UNIT_S`].
    pub length: u32,
}

impl Landmarks {
    /// Returns the length of the recording in seconds.
    pub fn seconds(&self) -> f64 {
        f64::from(self.length) * TIME_UNIT_S
    }
}
