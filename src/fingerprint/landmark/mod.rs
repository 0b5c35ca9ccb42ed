//! Landmark fingerprints: peaks in time and pitch, and matches of their constellations.
//!
//! ```text
//! one channel, 11,025 Hz -> map of power over time and log frequency (`map`) -> its local maxima (`peaks`)
//!   -> bytes to keep (`stored`)
//!   -> quintuples of peaks (`quintuples`) -> sketch of a track (`sketch`) -> those of very many (`sketches`) -> pairs
//!      (`candidates`)
//!   -> triples of peaks (`triples`) -> votes for a track, a place, a speed and a pitch (`votes`, `index`)
//!   -> peaks laid over each other (`verify`; of a few seconds `short`) -> [`Match`]
//! ```
//!
//! A change of speed multiplies times and shifts log frequencies, a change of pitch shifts log frequencies, a change of
//! tempo multiplies times; all by one amount for a whole recording. So three peaks keep the two distances between their
//! log frequencies and the ratio of their distances in time, and these make the cell of an inverted index in which a
//! query finds its triples again. Where they stand and how long they last says how speed and pitch were changed. What
//! votes suggest is verified on all peaks: only those that are found where they are expected count.
//! (Triples: Six and Leman, "Panako", ISMIR 2014; verification of constellations: Sonnleitner and Widmer, "Robust
//! quad-based audio fingerprinting", IEEE/ACM TASLP 24, 2016.)
//!
//! Everything is the same bits for blocks cut anywhere, and on any number of threads.

mod candidates;
mod index;
mod map;
mod peaks;
mod quintuples;
mod short;
mod sketch;
mod sketches;
mod stored;
mod triples;
mod verify;
mod votes;

pub use index::{Candidate, Index};
pub use peaks::{Listening, Peak};
pub use short::{SHORT_S, compare_short};
pub use sketch::{Sketch, resemble};
pub use sketches::{CandidateSettings, Sketches};
pub use verify::{Match, compare, verify};

use super::front::RATE_HZ;

/// Steps of a peak's place in an octave: 4.2 cents each.
pub const STEPS_PER_OCTAVE: u16 = 288;

/// Seconds of a unit of a peak's time: a quarter of the hop from window to window.
pub const TIME_UNIT_S: f64 = map::HOP as f64 / 4.0 / RATE_HZ as f64;

/// The largest change of speed, tempo or pitch that is looked for, as a ratio: a little more than 5 %.
pub const MOST_CHANGE: f64 = 1.07;

/// The landmarks of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Landmarks {
    /// Peaks in order of time, then of place.
    pub peaks: Vec<Peak>,
    /// The recording's length in units of [`TIME_UNIT_S`].
    pub length: u32,
}

impl Landmarks {
    /// The recording's length in seconds.
    pub fn seconds(&self) -> f64 {
        f64::from(self.length) * TIME_UNIT_S
    }
}
