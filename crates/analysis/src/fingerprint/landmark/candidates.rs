//! Finds the pairs of tracks, among very many, that may be the same recording: pairs whose sketches share enough
//! quintuples at one change of pitch and tempo and one shift in time.
//!
//! Entries are sorted by cell. For each track, its entries look up entries of lower-numbered tracks in the same cell
//! with a similar pitch and span, and count them by track. Only tracks with enough votes are examined closely: votes
//! count if they agree in pitch ratio, tempo ratio and start time. Apart from the sorted entries, only one byte per
//! track is kept, so memory does not grow with the number of chance matches.
//!
//! Cells shared by many tracks carry no information. The largest cells are skipped as long as comparing their entries
//! would cost more than [`COMPARISONS`] per entry.

use rayon::prelude::*;

use super::sketch::{PLACES, SPAN_UNITS, TIMES, TRACK_BITS, cell, first_of, place, span, time, track};
use base::error::Result;
use base::progress::Progress;

/// Maximum average number of comparisons within cells, per entry.
const COMPARISONS: u64 = 128;
/// Number of entries sorted at once, between two checks for cancellation.
const SORTED_AT_ONCE: usize = 1 << 19;
/// Number of entries processed between two checks for cancellation, for other work.
const AT_ONCE: usize = 1 << 20;
/// Fields of a vote, from the highest bit: track, ordinal of the cell, differences of pitch and span, times of both.
const ORDINAL_BITS: u32 = 14;
const TIME_BITS: u32 = TIMES.ilog2();
const DIFFERENCE_BITS: u32 = 4;
const NONE: i32 = 1 << (DIFFERENCE_BITS - 1);
/// Number of distinct differences, and number of adjacent differences that count as agreeing.
const DIFFERENCES: usize = 1 << DIFFERENCE_BITS;
const AGREEING: usize = 3;
/// Tempos that are tried for a difference of span, as offsets from the middle of the difference.
const TEMPOS: [f64; 5] = [-0.8, -0.4, 0.0, 0.4, 0.8];
/// Maximum distance between agreeing shifts, in time units of an entry.
const APART: f64 = 3.0;
/// Minimum time from the first agreeing vote to the last, in time units of an entry: 6 s. Much music shares a single
/// bar.
const MIN_STRETCH: u64 = 8;
/// Maximum changes that are searched for, in pitch and span units of an entry: [`MAX_CHANGE`](super::MAX_CHANGE) plus
/// one for rounding.
const MAX_PLACES: i32 = 4;
const MAX_SPANS: i32 = 4;

/// Returns the pairs among `tracks` tracks that have enough votes; with `new`, only pairs with a new track.
pub(super) fn of(
    mut entries: Vec<u64>,
    tracks: usize,
    new: Option<&[bool]>,
    needed: usize,
    progress: &Progress,
) -> Result<Vec<(usize, usize)>> {
    let is_new = |track: usize| new.is_none_or(|new| new[track]);
    let electing: Vec<usize> = (0..tracks).filter(|&track| is_new(track)).collect();
    progress.set_total(progress.snapshot().done + electing.len() as u64);
    sort(&mut entries, u64::BITS - 1, progress)?;
    leave_out_crowds(&mut entries, progress)?;
    let places = Places::new(&entries, tracks, progress)?;
    let pairs: Vec<Vec<(usize, usize)>> = electing
        .into_par_iter()
        .with_min_len(32)
        .map_init(
            || Ballot::new(tracks),
            |ballot, track| {
                progress.advance(1)?;
                // Of two tracks that elect, the later one does.
                let may = |other: usize| other < track || (other > track && !is_new(other));
                let elected = ballot.elected(&entries, places.of(track), may, needed);
                Ok(elected.into_iter().map(|other| (track.min(other), track.max(other))).collect())
            },
        )
        .collect::<Result<_>>()?;
    let mut pairs = pairs.concat();
    pairs.par_sort_unstable();
    Ok(pairs)
}

/// Returns whether tracks 0 and 1, whose entries these are in order, have enough votes for each other.
pub(super) fn share(entries: &[u64], needed: usize) -> bool {
    let second = entries.iter().enumerate().filter(|(_, entry)| track(**entry) == 1);
    let places: Vec<u32> = second.map(|(place, _)| place as u32).collect();
    !Ballot::new(2).elected(entries, &places, |other| other == 0, needed).is_empty()
}

/// Sorts by partitioning on one bit at a time. The parts that are sorted at once are small, so that a cancellation
/// takes effect soon.
fn sort(entries: &mut [u64], bit: u32, progress: &Progress) -> Result<()> {
    progress.check()?;
    if entries.len() <= SORTED_AT_ONCE || bit <= TRACK_BITS {
        entries.sort_unstable();
        return Ok(());
    }
    let (mut from, mut to) = (0, entries.len());
    while from < to {
        if entries[from] >> bit & 1 == 0 {
            from += 1;
        } else {
            to -= 1;
            entries.swap(from, to);
        }
    }
    let (low, high) = entries.split_at_mut(from);
    let (low, high) = rayon::join(|| sort(low, bit - 1, progress), || sort(high, bit - 1, progress));
    low.and(high)
}

/// Drops the entries of the largest cells until the number of comparisons is within the limit.
fn leave_out_crowds(entries: &mut Vec<u64>, progress: &Progress) -> Result<()> {
    let same = |a: &u64, b: &u64| cell(*a) == cell(*b);
    // Sum of the squared sizes of cells with 2^n to 2^(n+1) - 1 entries.
    let mut comparisons = [0_u64; usize::BITS as usize];
    for (index, members) in entries.chunk_by(same).enumerate() {
        let members = members.len() as u64;
        comparisons[members.ilog2() as usize] += members * members;
        if index % AT_ONCE == 0 {
            progress.check()?;
        }
    }
    let allowed = entries.len() as u64 * COMPARISONS;
    let mut sum = 0;
    let within = comparisons.iter().take_while(|&&size| {
        sum += size;
        sum <= allowed
    });
    let sizes = within.count() as u32;
    if sizes == usize::BITS {
        return Ok(());
    }
    let (mut read, mut written) = (0, 0);
    while read < entries.len() {
        let members = entries[read..].chunk_by(same).next().map_or(0, <[u64]>::len);
        if members.ilog2() < sizes {
            entries.copy_within(read..read + members, written);
            written += members;
        }
        read += members;
    }
    entries.truncate(written);
    progress.check()
}

/// The indices of each track's entries among all entries.
struct Places {
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl Places {
    fn new(entries: &[u64], tracks: usize, progress: &Progress) -> Result<Self> {
        let mut starts = vec![0_u32; tracks + 2];
        for part in entries.chunks(AT_ONCE) {
            progress.check()?;
            part.iter().for_each(|&entry| starts[track(entry) as usize + 2] += 1);
        }
        for index in 2..starts.len() {
            starts[index] += starts[index - 1];
        }
        // `starts[track + 1]` is the next free index of a track. At the end it is where the next track begins.
        let mut places = vec![0_u32; entries.len()];
        let mut place = 0;
        for part in entries.chunks(AT_ONCE) {
            progress.check()?;
            for &entry in part {
                let next = &mut starts[track(entry) as usize + 1];
                places[*next as usize] = place;
                *next += 1;
                place += 1;
            }
        }
        Ok(Self { starts, places })
    }

    fn of(&self, track: usize) -> &[u32] {
        &self.places[self.starts[track] as usize..self.starts[track + 1] as usize]
    }
}

/// Counts the votes for possible partners of one track.
struct Ballot {
    /// Votes for each track, saturating at 255; all 0 between calls.
    counts: Vec<u8>,
    votes: Vec<u64>,
    /// The votes for tracks that have enough.
    close: Vec<u64>,
}

impl Ballot {
    fn new(tracks: usize) -> Self {
        Self { counts: vec![0; tracks], votes: Vec::new(), close: Vec::new() }
    }

    /// Returns the tracks that may be elected, in order, for which enough of a track's entries (at the indices `places`)
    /// agree.
    fn elected(&mut self, entries: &[u64], places: &[u32], may: impl Fn(usize) -> bool, needed: usize) -> Vec<usize> {
        let Self { counts, votes, close } = self;
        votes.clear();
        let mut ordinal = 0;
        let mut before = None;
        for &at in places {
            let entry = entries[at as usize];
            ordinal += u64::from(before.replace(cell(entry)).is_some_and(|before| before != cell(entry)));
            let (low, high) = about(entry);
            let (below, behind) = entries.split_at(at as usize);
            let below = below.iter().rev().take_while(|&&other| other >= low);
            for &other in below.chain(behind.iter().take_while(|&&other| other <= high)) {
                if (span(entry) - span(other)).abs() <= MAX_SPANS && may(track(other) as usize) {
                    let count = &mut counts[track(other) as usize];
                    *count = count.saturating_add(1);
                    votes.push(vote(entry, other, ordinal));
                }
            }
        }
        let least = needed.min(usize::from(u8::MAX)) as u8;
        close.clear();
        close.extend(votes.iter().filter(|&&vote| counts[voted(vote)] >= least));
        votes.iter().for_each(|&vote| counts[voted(vote)] = 0);
        close.sort_unstable();
        let by_track = close.chunk_by(|a, b| voted(*a) == voted(*b));
        by_track.filter(|votes| agree(votes, needed)).map(|votes| voted(votes[0])).collect()
    }
}

/// Returns the first and the last value that a changed copy of this entry may have: same cell, similar pitch.
fn about(entry: u64) -> (u64, u64) {
    let (cell, place) = (cell(entry), place(entry));
    (first_of(cell, (place - MAX_PLACES).max(0)), first_of(cell, (place + MAX_PLACES + 1).min(PLACES)) - 1)
}

/// Returns a vote of `entry` for the track of `other`. Its values compare the later track with the earlier one, so that
/// the result for two tracks does not depend on which of them votes.
fn vote(entry: u64, other: u64, ordinal: u64) -> u64 {
    let (later, earlier) = if track(other) < track(entry) { (entry, other) } else { (other, entry) };
    let difference = |later: i32, earlier: i32| (later - earlier + NONE) as u64;
    let places = difference(place(later), place(earlier));
    let differences = places << DIFFERENCE_BITS | difference(span(later), span(earlier));
    let times = u64::from(time(earlier) << TIME_BITS | time(later));
    let ordinal = ordinal & ((1 << ORDINAL_BITS) - 1);
    ((u64::from(track(other)) << ORDINAL_BITS | ordinal) << (2 * DIFFERENCE_BITS) | differences) << (2 * TIME_BITS)
        | times
}

fn voted(vote: u64) -> usize {
    (vote >> (ORDINAL_BITS + 2 * DIFFERENCE_BITS + 2 * TIME_BITS)) as usize
}

fn ordinal(vote: u64) -> u64 {
    vote >> (2 * DIFFERENCE_BITS + 2 * TIME_BITS)
}

/// Returns the differences of pitch and span in a vote: how much higher and slower the track is.
fn differences(vote: u64) -> [usize; 2] {
    let of = |bits: u64| bits as usize & (DIFFERENCES - 1);
    [of(vote >> (DIFFERENCE_BITS + 2 * TIME_BITS)), of(vote >> (2 * TIME_BITS))]
}

/// Returns whether votes for one track, from enough cells, agree in pitch and tempo, and then in the shift.
fn agree(votes: &[u64], needed: usize) -> bool {
    let mut counts = [[0_u32; DIFFERENCES]; DIFFERENCES];
    for &vote in votes {
        let [places, spans] = differences(vote);
        counts[places][spans] += 1;
    }
    let mut shifts: Vec<(f64, u64, u64)> = Vec::new();
    counts.windows(AGREEING).enumerate().any(|(places, rows)| {
        let sums: [u32; DIFFERENCES] = std::array::from_fn(|span| rows.iter().map(|row| row[span]).sum());
        sums.windows(AGREEING).enumerate().any(|(spans, near)| {
            let is_near = |vote: &&u64| {
                let [place, span] = differences(**vote);
                (places..places + AGREEING).contains(&place) && (spans..spans + AGREEING).contains(&span)
            };
            let middle = (spans + AGREEING / 2) as f64 - f64::from(NONE);
            near.iter().sum::<u32>() as usize >= needed
                && TEMPOS.iter().any(|tempo| {
                    let slope = ((middle + tempo) / SPAN_UNITS).exp();
                    shifts.clear();
                    shifts.extend(
                        votes
                            .iter()
                            .filter(is_near)
                            .map(|&vote| (shift(vote, slope), ordinal(vote), vote & u64::from(TIMES - 1))),
                    );
                    together(&mut shifts, needed)
                })
        })
    })
}

/// Returns how much later the track has the same sound, at a tempo slower by `slope`.
fn shift(vote: u64, slope: f64) -> f64 {
    let of = |bits: u64| (bits & u64::from(TIMES - 1)) as f64;
    (of(vote) - slope * of(vote >> TIME_BITS)).rem_euclid(f64::from(TIMES))
}

/// Returns whether votes from enough cells lie within [`APART`] of each other and span enough time in the track.
fn together(shifts: &mut Vec<(f64, u64, u64)>, needed: usize) -> bool {
    shifts.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    // Times wrap around, so shifts at the start of the cycle are repeated behind its end.
    let again = shifts.iter().take_while(|shift| shift.0 <= APART).count();
    shifts.extend_from_within(..again);
    let length = shifts.len();
    shifts[length - again..].iter_mut().for_each(|shift| shift.0 += f64::from(TIMES));
    let mut cells: Vec<u64> = Vec::new();
    (0..=length.saturating_sub(needed)).any(|first| {
        let Some(&(from, ..)) = shifts.get(first + needed - 1).and(shifts.get(first)) else { return false };
        if shifts[first + needed - 1].0 - from > APART {
            return false;
        }
        let alike = shifts[first..].iter().take_while(|shift| shift.0 - from <= APART);
        let times = alike.clone().fold((u64::MAX, 0), |(least, most), shift| (shift.2.min(least), shift.2.max(most)));
        if times.1 - times.0 < MIN_STRETCH {
            return false;
        }
        cells.clear();
        cells.extend(alike.map(|shift| shift.1));
        cells.sort_unstable();
        cells.dedup();
        cells.len() >= needed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_agree_in_pitch_tempo_and_shift_or_not_at_all() {
        // Votes for track 20, with differences of pitch and span, and times.
        let vote = |ordinal: u64, [places, spans]: [i32; 2], [earlier, later]: [u64; 2]| {
            let differences = ((places + NONE) as u64) << DIFFERENCE_BITS | (spans + NONE) as u64;
            let head = (20 << ORDINAL_BITS | ordinal) << (2 * DIFFERENCE_BITS) | differences;
            head << (2 * TIME_BITS) | earlier << TIME_BITS | later
        };
        let slower = [vote(0, [-2, 2], [0, 10]), vote(1, [-3, 2], [100, 114]), vote(2, [-2, 3], [200, 219])];
        assert!(slower.iter().all(|&vote| voted(vote) == 20));
        assert!(agree(&slower, 3) && !agree(&slower, 4));
        // Across the wrap-around of times.
        assert!(agree(&[vote(0, [0, 0], [0, 511]), vote(1, [0, 0], [100, 100]), vote(2, [0, 0], [150, 150])], 3));
        for other in [vote(2, [0, 2], [200, 219]), vote(2, [-2, -1], [200, 219]), vote(2, [-2, 2], [200, 199])] {
            assert!(!agree(&[slower[0], slower[1], other], 3));
        }
        // A cell that both tracks repeat counts once.
        assert!(!agree(&[vote(0, [0, 0], [0, 5]), vote(0, [0, 0], [9, 14]), vote(0, [0, 0], [18, 23])], 3));
    }

    #[test]
    fn crowds_are_left_out_and_the_rest_is_sorted() {
        let crowd = (0..200_000).map(|n| first_of(9, 0) + n);
        let mut entries: Vec<u64> = (0..1000).map(|n| first_of(n % 7, (n % 128) as i32) + n).chain(crowd).collect();
        sort(&mut entries, u64::BITS - 1, &Progress::new()).unwrap();
        assert!(entries.is_sorted());
        leave_out_crowds(&mut entries, &Progress::new()).unwrap();
        assert_eq!(entries.len(), 1000);
        let places = Places::new(&entries, 1000, &Progress::new()).unwrap();
        assert!((0..1000).all(|n| places.of(n).iter().map(|&at| track(entries[at as usize])).eq([n as u32])));
    }

    #[test]
    fn a_cancel_is_heard() {
        let progress = Progress::new();
        progress.cancel();
        assert!(of(vec![1, 2, 3], 4, None, 3, &progress).is_err());
    }
}
