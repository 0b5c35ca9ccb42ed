//! Finds tracks that are the same recording: exact copies, and near copies by their fingerprints.
//!
//! ```text
//! content keys -> exact copies, of which one represents all
//! fingerprints -> pairs that may be the same ([`fingerprint_candidates`], or any other source)
//!              -> those that a comparison confirms -> groups around a reference
//! ```
//!
//! This module knows nothing about fingerprints except that two of them can be compared. Pairs may come from any index,
//! and the caller supplies the comparison, such as an alignment of Chromaprint items or of landmarks.

mod candidates;
mod compared;
mod groups;
mod items;

pub use candidates::{CandidateSettings, fingerprint_candidates};
pub use compared::{ComparedPairs, ComparedTrack};
pub use items::Items;

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Serialize;

use self::groups::{Links, grouped};
use base::declared::TS;
use base::error::Result;
use base::progress::Progress;

/// How a track agrees with another one, the reference.
///
/// The sound at `t` seconds of the reference is at `offset_s + t / speed` in the track.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
#[ts(rename = "DuplicateMatch")]
pub struct Agreement {
    /// 1 for identical recordings, 0 for two unrelated ones.
    pub score: f64,
    /// Length in common, in seconds of the reference.
    pub overlap_s: f64,
    /// How much later the same sound is in the track than in the reference, in seconds; negative if its beginning was
    /// cut.
    pub offset_s: f64,
    /// Speed of the track relative to the reference; 1 for the same speed.
    pub speed: f64,
}

impl Agreement {
    /// Returns the same agreement, seen from the other track.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self {
            score: self.score,
            overlap_s: self.overlap_s / self.speed,
            offset_s: -self.offset_s * self.speed,
            speed: 1.0 / self.speed,
        }
    }

    fn is_enough(&self, score: f64, share: f64, compared_s: [f64; 2]) -> bool {
        // The overlap in the time of each track, as a share of its length.
        let shares = [self.overlap_s / compared_s[0], self.overlap_s / self.speed / compared_s[1]];
        self.score >= score && shares[0].max(shares[1]) >= share
    }
}

/// Thresholds for two tracks to be the same recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Minimum score of a track and its reference.
    pub score: f64,
    /// Minimum score of two tracks with the same reference. It is lower because both derive from the reference, and
    /// their errors add up.
    pub score_within: f64,
    /// Minimum share of the shorter track that both have in common. Less is a quotation, not a copy.
    pub share: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { score: 0.55, score_within: 0.4, share: 0.5 }
    }
}

/// The tracks to be grouped, by index.
pub struct Tracks<'a, K> {
    /// Values that are equal for exact copies, such as a content key; `None` if unknown.
    pub content: &'a [Option<K>],
    /// Duration of each track covered by its fingerprint, in seconds.
    pub compared_s: &'a [f64],
}

/// A group of tracks that are the same recording. The reference is the first member.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// The reference, then the others, best match first.
    pub members: Vec<Member>,
}

/// A track of a group.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Member {
    /// Its index among the tracks.
    pub track: usize,
    /// How it agrees with the reference.
    #[serde(flatten)]
    pub agreement: Agreement,
    /// Whether its content is identical to that of a better-ranked member or of the reference.
    pub exact: bool,
}

/// Two tracks that a comparison found to be the same, but that are in different groups because other members contradict
/// it, for instance if one is a medley of both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Link {
    /// The first track, which is the reference of the agreement.
    pub first: usize,
    /// The second track.
    pub second: usize,
    /// How the second agrees with the first.
    #[serde(flatten)]
    pub agreement: Agreement,
}

/// The result of a search for duplicates.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct DuplicateSearch {
    /// Groups of two or more, in the order of their references.
    pub groups: Vec<Group>,
    /// Matching pairs between different groups.
    pub across: Vec<Link>,
    /// Number of pairs compared.
    pub compared: usize,
}

/// Groups tracks into recordings.
///
/// `candidates` are pairs of indices that may be the same, in any order and number. `compare(a, b)` returns how `b`
/// agrees with `a`, or `None`. Exact copies are grouped without comparison. The result depends neither on the order of
/// candidates nor on the number of threads. Progress counts comparisons of candidates.
pub fn find<K: Ord>(
    tracks: &Tracks<K>,
    candidates: &[(usize, usize)],
    compare: impl Fn(usize, usize) -> Option<Agreement> + Sync,
    settings: &Settings,
    progress: &Progress,
) -> Result<DuplicateSearch> {
    let copies = exact_copies(tracks.content);
    let speaker = |track: usize| copies.speaker[track];
    let mut pairs: Vec<(usize, usize)> = candidates
        .iter()
        .map(|&(a, b)| (speaker(a), speaker(b)))
        .filter(|(a, b)| a != b)
        .map(|(a, b)| (a.min(b), a.max(b)))
        .collect();
    pairs.par_sort_unstable();
    pairs.dedup();
    progress.set_total(progress.snapshot().done + pairs.len() as u64);
    let confirmed = |a: usize, b: usize, score: f64| {
        let seconds = [tracks.compared_s[a], tracks.compared_s[b]];
        compare(a, b).filter(|found| found.is_enough(score, settings.share, seconds))
    };
    let links: Vec<Option<Link>> = pairs
        .par_iter()
        .map(|&(first, second)| {
            progress.advance(1)?;
            Ok(confirmed(first, second, settings.score).map(|agreement| Link { first, second, agreement }))
        })
        .collect::<Result<_>>()?;
    let mut links = Links::new(links.into_iter().flatten(), &confirmed, settings);
    let (mut groups, across) = grouped(&mut links, progress)?;
    let compared = pairs.len() + links.compared;
    let reference =
        |track: usize| Agreement { score: 1.0, overlap_s: tracks.compared_s[track], offset_s: 0.0, speed: 1.0 };
    // Exact copies join the group of their representative. Copies that match nothing else form a separate group.
    let mut is_grouped = vec![false; tracks.content.len()];
    let mut found: Vec<Group> = Vec::with_capacity(groups.len());
    let alone = copies.of.iter().map(|(&track, _)| vec![(track, None)]);
    groups.extend(alone);
    for members in groups {
        if members.iter().any(|&(track, _)| std::mem::replace(&mut is_grouped[track], true)) {
            continue;
        }
        let with_copies = members.iter().flat_map(|&(track, agreement)| {
            let agreement = agreement.unwrap_or_else(|| reference(track));
            let copies = copies.of.get(&track).map_or(&[][..], Vec::as_slice);
            let original = Member { track, agreement, exact: false };
            std::iter::once(original).chain(copies.iter().map(move |&copy| Member {
                track: copy,
                agreement,
                exact: true,
            }))
        });
        found.push(Group { members: with_copies.collect() });
    }
    found.sort_by_key(|group| group.members[0].track);
    Ok(DuplicateSearch { groups: found, across, compared })
}

/// Exact copies: the representative of each track, and the copies of each representative.
struct Copies {
    speaker: Vec<usize>,
    of: BTreeMap<usize, Vec<usize>>,
}

fn exact_copies<K: Ord>(content: &[Option<K>]) -> Copies {
    let mut first: BTreeMap<&K, usize> = BTreeMap::new();
    let mut of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let speaker = content.iter().enumerate().map(|(track, key)| {
        let Some(key) = key else { return track };
        let speaker = *first.entry(key).or_insert(track);
        if speaker != track {
            of.entry(speaker).or_default().push(track);
        }
        speaker
    });
    let speaker = speaker.collect();
    Copies { speaker, of }
}

#[cfg(test)]
mod tests;
