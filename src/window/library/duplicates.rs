//! The search for duplicates as a job, and its groups with the best copy first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::LibraryPage;
use super::rows::{item, origin, rows_by_id};
use super::types::{DuplicateItem, DuplicatesView};
use crate::audio::is_lossless;
use crate::error::Result;
use crate::library::answers::{Duplicate, Duplicates, duplicates};
use crate::library::encodings::{Copy, ranked, verdict};
use crate::library::questions::duplicates::Agreement;
use crate::library::{Content, Decision, TrackRow, TrackState};
use crate::lock::lock;
use crate::window::jobs::{JobId, JobPurpose};

/// The result of a search, and the library content that was searched.
pub struct FoundDuplicates {
    found: Duplicates,
    content: Content,
}

/// Decisions by pair of track IDs, the lower one first.
type Decisions = BTreeMap<(i64, i64), Decision>;

impl LibraryPage {
    pub(in crate::window) fn find_duplicates(&self) -> Result<JobId> {
        let library = self.opened()?;
        let kept = Arc::clone(&self.duplicates);
        let started = self.jobs.start_alone(JobPurpose::Duplicates, "Find duplicates".into(), move |progress| {
            // Read before the search: changes during the search make the result outdated.
            let content = library.content()?;
            let found = duplicates(&library, progress)?;
            *lock(&kept) = Some(Arc::new(FoundDuplicates { found, content }));
            Ok(None)
        });
        Ok(started.unwrap_or_else(|running| running))
    }

    pub(in crate::window) fn duplicates(&self) -> Result<Option<DuplicatesView>> {
        let Some(last) = lock(&self.duplicates).clone() else { return Ok(None) };
        let library = self.opened()?;
        let decisions: Decisions =
            library.decisions()?.into_iter().map(|(first, second, decision)| ((first, second), decision)).collect();
        let ids: Vec<i64> = last.found.groups.iter().flatten().map(|track| track.id).collect();
        let rows = rows_by_id(&library, &ids)?;
        let mut groups: Vec<Vec<DuplicateItem>> =
            last.found.groups.iter().filter_map(|members| group(members, &rows, &decisions)).collect();
        groups.sort_by_key(|group| Reverse(spare_bytes(group)));
        Ok(Some(DuplicatesView {
            groups,
            tracks: last.found.tracks,
            compared: last.found.compared,
            outdated: last.content != library.content()?,
        }))
    }

    pub(in crate::window) fn decide_duplicates(
        &self,
        first: i64,
        second: i64,
        decision: Option<Decision>,
    ) -> Result<()> {
        self.opened()?.decide(first, second, decision)
    }
}

/// Returns a group of the tracks whose files still exist, the best copy first; `None` if fewer than two are left.
fn group(members: &[Duplicate], rows: &HashMap<i64, TrackRow>, decisions: &Decisions) -> Option<Vec<DuplicateItem>> {
    let there: Vec<(&Duplicate, &TrackRow)> = members
        .iter()
        .filter_map(|member| Some((member, rows.get(&member.id)?)))
        .filter(|(_, row)| row.state != TrackState::Vanished)
        .collect();
    if there.len() < 2 {
        return None;
    }
    let copies: Vec<Copy> = there.iter().map(|(_, row)| copy(row)).collect();
    let order = ranked(&copies);
    let &(best, best_row) = there.get(order.first()?.copy)?;
    let length = |row: &TrackRow| row.duration_s.unwrap_or(0.0);
    let items = order.into_iter().filter_map(|place| {
        let &(member, row) = there.get(place.copy)?;
        let placed = relative(member.agreement, best.agreement);
        let pair = (member.id.min(best.id), member.id.max(best.id));
        let key = member.audio_key;
        Some(DuplicateItem {
            track: item(row.clone()),
            agreement: Agreement {
                score: member.agreement.score,
                overlap_s: overlap_s(placed, length(row), length(best_row)),
                offset_s: placed.offset_s,
                speed: placed.speed,
            },
            exact: key.is_some() && there.iter().any(|(other, _)| other.id != member.id && other.audio_key == key),
            best: member.id == best.id,
            reasons: place.reasons,
            origin: origin(row),
            decision: decisions.get(&pair).copied(),
        })
    });
    Some(items.collect())
}

/// Returns the size of all copies but the best.
fn spare_bytes(group: &[DuplicateItem]) -> u64 {
    group.iter().skip(1).fold(0, |sum, item| sum.saturating_add(item.track.row.bytes))
}

/// The alignment of a track with another one.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Alignment {
    /// The position in the track at which the other begins, in the track's seconds.
    offset_s: f64,
    /// The speed of the track relative to the other.
    speed: f64,
}

/// Returns the alignment of `track` with `best`, given both alignments with the same reference.
///
/// The sound at `t` in the reference is at `u = o_b + t / s_b` in `best` and at `o + t / s` in the track.
/// With `t = (u - o_b) s_b`, it is at `o - o_b s_b / s + u s_b / s` in the track.
fn relative(track: Agreement, best: Agreement) -> Alignment {
    let speed = track.speed / best.speed;
    Alignment { offset_s: track.offset_s - best.offset_s / speed, speed }
}

/// Returns how many seconds of the other recording a track overlaps, from the durations of both.
fn overlap_s(placed: Alignment, length_s: f64, other_s: f64) -> f64 {
    // The start and end of the track in the other's time.
    let begins = -placed.offset_s * placed.speed;
    let ends = (length_s - placed.offset_s) * placed.speed;
    (ends.min(other_s) - begins.max(0.0)).max(0.0)
}

/// Converts a row to the form in which copies are ranked.
fn copy(row: &TrackRow) -> Copy {
    let codec = row.codec.clone().unwrap_or_default();
    let is_lossless = is_lossless(&codec);
    Copy {
        is_lossless,
        codec,
        duration_s: row.duration_s.unwrap_or(0.0),
        channels: row.channels.unwrap_or(0),
        bits: row.bits,
        bit_rate: row.bit_rate.map(|rate| rate.max(0) as u64),
        bytes: Some(row.bytes),
        bandwidth: row.bandwidth,
        verdict: row.bandwidth.filter(|_| is_lossless).map(|bandwidth| verdict(Some(&bandwidth))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn against_reference(offset_s: f64, speed: f64) -> Agreement {
        Agreement { score: 0.9, overlap_s: 100.0, offset_s, speed }
    }

    /// Returns the time at which a track plays what the reference plays at `t`.
    fn plays(track: Agreement, t: f64) -> f64 {
        track.offset_s + t / track.speed
    }

    #[test]
    fn a_place_over_the_best_copy_is_where_both_play_the_same() {
        let tracks = [(0.0, 1.0), (-3.5, 1.0), (12.25, 1.05), (-7.0, 0.96), (0.4, 1.0)];
        let tracks = tracks.map(|(offset_s, speed)| against_reference(offset_s, speed));
        for best in tracks {
            for track in tracks {
                let placed = relative(track, best);
                for t in [0.0, 17.0, 230.0] {
                    let over = placed.offset_s + plays(best, t) / placed.speed;
                    assert!((over - plays(track, t)).abs() < 1e-9, "{track:?} over {best:?} at {t}");
                }
                assert_eq!(relative(best, best), Alignment { offset_s: 0.0, speed: 1.0 });
            }
        }
    }

    #[test]
    fn the_overlap_is_what_both_have() {
        let at = |offset_s, speed| Alignment { offset_s, speed };
        assert_eq!(overlap_s(at(0.0, 1.0), 60.0, 60.0), 60.0);
        // Five seconds are cut from its start: the other begins five seconds before it.
        assert_eq!(overlap_s(at(-5.0, 1.0), 55.0, 60.0), 55.0);
        // Five seconds of other material come first, and it ends early.
        assert_eq!(overlap_s(at(5.0, 1.0), 45.0, 60.0), 40.0);
        // At twice the speed, half the seconds cover the whole.
        assert_eq!(overlap_s(at(0.0, 2.0), 30.0, 60.0), 60.0);
        assert_eq!(overlap_s(at(100.0, 1.0), 60.0, 60.0), 0.0);
    }
}
