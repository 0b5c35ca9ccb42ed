//! The sketch of a track: a small set of its quintuples, chosen the same way in every version of a recording.
//!
//! A sketch consists of the quintuples ([`super::quintuples`]) with the lowest priority, so that for two versions of a
//! recording the same ones are chosen if both contain them. Quintuples that a track repeats, as in a loop, are taken
//! only a few times. They are stored in the order of priority, so that the beginning of a sketch is a smaller sketch.
//!
//! An entry packs a quintuple into one integer, from the highest bits: cell, pitch of the first peak, span, time, and
//! room for a track number.

use std::sync::LazyLock;

use super::quintuples::{self, MAX_SPAN, MIN_SPAN, Quintuple};
use super::{Landmarks, candidates};
use base::error::{Error, Result};

const PLACE_BITS: u32 = 7;
/// Number of pitch values.
pub(super) const PLACES: i32 = 1 << PLACE_BITS;
const SPAN_BITS: u32 = 7;
const TIME_BITS: u32 = 9;
pub(super) const TRACK_BITS: u32 = 20;
const CELL_BITS: u32 = 64 - PLACE_BITS - SPAN_BITS - TIME_BITS - TRACK_BITS;
/// Pitch steps of a peak per pitch unit of an entry: 37.5 cents.
const PLACE_UNIT: u16 = 9;
/// Units of an entry's span per factor of e in duration: steps of 2.2 %.
pub(super) const SPAN_UNITS: f64 = 45.0;
/// Time units of a peak per time unit of an entry: 0.74 s. Times wrap around every 6 minutes.
const TIME_UNIT: u32 = 128;
/// Number of time values.
pub(super) const TIMES: u32 = 1 << TIME_BITS;
/// Maximum number of quintuples in the sketch of a track of usual length.
pub(super) const MAX_OF_SKETCH: usize = 600;
/// A longer recording than this, in time units, has a proportionally longer sketch, up to [`MAX_TIMES`] times as long.
const USUAL_LENGTH: u32 = 41_344;
const MAX_TIMES: usize = 8;
/// Maximum number of quintuples of one cell in a sketch.
const MAX_OF_CELL: usize = 4;
/// Approximate number of quintuples per strong peak; sets the first priority limit of the search.
const QUINTUPLES_PER_PEAK: f64 = 100.0;
/// Number of quintuples of each recording in a close comparison, and quintuples per vote that they must share.
const LOOKED_AT: usize = 1500;
const QUINTUPLES_PER_RESEMBLANCE: usize = 150;
const MIN_RESEMBLANCE: usize = 4;
/// The version of the rules for choosing a sketch, and of its bytes.
const VERSION: u8 = 1;
const ENTRY_BYTES: usize = 6;

/// The sketch of a track.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sketch {
    /// Entries without a track number, lowest priority first.
    pub(super) entries: Vec<u64>,
    /// The size limit, as a multiple of that for a usual length.
    pub(super) times: u8,
}

impl Sketch {
    /// Makes the sketch of a recording.
    pub fn of(landmarks: &Landmarks) -> Self {
        let times = (landmarks.length.div_ceil(USUAL_LENGTH) as usize).clamp(1, MAX_TIMES);
        Self { entries: chosen(landmarks, MAX_OF_SKETCH * times), times: times as u8 }
    }

    /// Encodes the sketch: six bytes per quintuple, 3.6 kB for a recording of up to four minutes. The header holds the
    /// versions of landmarks and of sketches, then the size limit as a multiple of the usual one.
    pub fn to_bytes(&self) -> Vec<u8> {
        let entries = self.entries.iter().flat_map(|entry| entry.to_le_bytes().into_iter().take(ENTRY_BYTES));
        [Landmarks::VERSION, VERSION, self.times].into_iter().chain(entries).collect()
    }

    /// Decodes the output of [`Sketch::to_bytes`].
    ///
    /// # Errors
    /// [`Error::Stored`] also for bytes of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let refuse = || Error::Stored("Stored fingerprints are damaged or of another version. Scan again".to_owned());
        let Some((&[landmarks, version, times], rest)) = bytes.split_first_chunk() else { return Err(refuse()) };
        let known = landmarks == Landmarks::VERSION && version == VERSION;
        let most = MAX_OF_SKETCH * usize::from(times) * ENTRY_BYTES;
        if !known
            || !(1..=MAX_TIMES).contains(&usize::from(times))
            || rest.len() % ENTRY_BYTES != 0
            || rest.len() > most
        {
            return Err(refuse());
        }
        let entries: Vec<u64> = rest.chunks_exact(ENTRY_BYTES).map(six).collect();
        if entries.iter().any(|entry| entry >> (64 - TRACK_BITS) != 0) {
            return Err(refuse());
        }
        Ok(Self { entries, times })
    }
}

fn six(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |entry, &byte| entry << 8 | u64::from(byte))
}

/// Returns whether two recordings share enough quintuples, at one change of pitch and tempo and one shift, to be worth
/// comparing. It looks at more quintuples than sketches hold, and takes a fraction of the time of [`super::compare`].
pub fn resemble(a: &Landmarks, b: &Landmarks) -> bool {
    let [a, b] = [a, b].map(|landmarks| {
        let times = (landmarks.length.div_ceil(USUAL_LENGTH) as usize).clamp(1, MAX_TIMES);
        chosen(landmarks, LOOKED_AT * times)
    });
    let needed = (a.len().min(b.len()).min(LOOKED_AT) / QUINTUPLES_PER_RESEMBLANCE).max(MIN_RESEMBLANCE);
    let mut entries: Vec<u64> = a.iter().map(|entry| entry << TRACK_BITS).collect();
    entries.extend(b.iter().map(|entry| entry << TRACK_BITS | 1));
    entries.sort_unstable();
    candidates::share(&entries, needed)
}

/// Returns `wanted` entries of a track, without its number, lowest priority first.
fn chosen(landmarks: &Landmarks, wanted: usize) -> Vec<u64> {
    let strong = quintuples::strong(&landmarks.peaks);
    // Aims for more than wanted, because repetitions are dropped and tracks differ.
    let share = 1.3 * wanted as f64 / (QUINTUPLES_PER_PEAK * strong.len().max(1) as f64);
    let mut up_to = (share.sqrt().min(1.0) * f64::from(u32::MAX)) as u32;
    let mut found: Vec<(u32, u64)> = Vec::new();
    loop {
        found.clear();
        quintuples::for_each(&strong, up_to, |quintuple| found.push((quintuple.priority, entry(quintuple))));
        found.sort_unstable();
        let mut chosen: Vec<u64> = Vec::with_capacity(wanted);
        for cell in found.chunk_by(|a, b| a.0 == b.0 && cell(a.1 << TRACK_BITS) == cell(b.1 << TRACK_BITS)) {
            chosen.extend(cell.iter().map(|(_, entry)| entry).take(MAX_OF_CELL.min(wanted - chosen.len())));
            if chosen.len() == wanted {
                return chosen;
            }
        }
        if up_to == u32::MAX {
            return chosen;
        }
        // The share of quintuples is quadratic in the limit, so this about doubles it.
        up_to = up_to.saturating_add(up_to / 5 * 2 + 1);
    }
}

/// The logarithm of each span, in units of an entry.
static SPANS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let units = |span: u32| (f64::from(span) / f64::from(MIN_SPAN)).ln() * SPAN_UNITS;
    (0..=MAX_SPAN).map(|span| units(span) as u8).collect()
});

fn entry(quintuple: Quintuple) -> u64 {
    let place = u64::from(quintuple.place / PLACE_UNIT);
    let span = u64::from(SPANS[usize::from(quintuple.span)]);
    let time = u64::from(quintuple.time / TIME_UNIT % TIMES);
    let cell = quintuple.mixed >> (64 - CELL_BITS);
    ((cell << PLACE_BITS | place) << SPAN_BITS | span) << TIME_BITS | time
}

/// Returns the smallest entry of a cell at this pitch.
pub(super) fn first_of(cell: u64, place: i32) -> u64 {
    ((cell << PLACE_BITS) + place as u64) << (SPAN_BITS + TIME_BITS + TRACK_BITS)
}

/// Returns the cell of an entry.
pub(super) fn cell(entry: u64) -> u64 {
    entry >> (64 - CELL_BITS)
}

/// Returns the pitch of an entry, in units of 37.5 cents.
pub(super) fn place(entry: u64) -> i32 {
    (entry >> (TRACK_BITS + TIME_BITS + SPAN_BITS)) as i32 & ((1 << PLACE_BITS) - 1)
}

/// Returns the span of an entry, in logarithmic units ([`SPAN_UNITS`]).
pub(super) fn span(entry: u64) -> i32 {
    (entry >> (TRACK_BITS + TIME_BITS)) as i32 & ((1 << SPAN_BITS) - 1)
}

/// Returns the time of an entry, in units of 0.74 s.
pub(super) fn time(entry: u64) -> u32 {
    (entry >> TRACK_BITS) as u32 & (TIMES - 1)
}

/// Returns the track number of an entry.
pub(super) fn track(entry: u64) -> u32 {
    entry as u32 & ((1 << TRACK_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_into_an_entry_comes_out_of_it() {
        let most = Quintuple { priority: 0, mixed: u64::MAX, place: 1151, span: MAX_SPAN as u16, time: 3 * TIME_UNIT };
        let packed = entry(most) << TRACK_BITS | 0x4d;
        assert_eq!((cell(packed), place(packed), time(packed), track(packed)), ((1 << CELL_BITS) - 1, 127, 3, 0x4d));
        assert!((110..128).contains(&span(packed)));
        let lowest = entry(Quintuple { mixed: 0, place: 0, span: MIN_SPAN as u16, time: TIMES * TIME_UNIT, ..most });
        assert_eq!(lowest, 0);
    }
}
