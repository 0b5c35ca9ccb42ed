//! Questions to the index: the tracks that may contain a clip, by triples or by Chromaprint items.
//!
//! A clip of ten seconds asks for some ten thousand triples, each in one to eight cells. The more tracks there are, the
//! more of their triples match by chance, so the work is limited: ranges of heads are taken from the rarest on, until
//! they have [`MAX_ENTRIES`] entries. The most common triples say the least. Ranges are read in order, each block once.

use std::collections::{HashMap, HashSet, VecDeque};

use rayon::prelude::*;

use super::super::Landmarks;
use super::super::index::{Candidate, MIN_VOTES, grouped};
use super::super::triples;
use super::super::votes::{self, Asked, Vote};
use super::entry::{self, Entry};
use super::segment::Segment;
use super::{State, StoredIndex};
use crate::fingerprint::chromaprint::SILENCE;
use base::error::Result;

/// The maximum number of entries in all ranges of a question, about a fifth of which become votes of 24 bytes.
const MAX_ENTRIES: f64 = 3.2e7;
/// The maximum for one range. More would take much memory, and such a common triple says nothing.
const MAX_OF_RANGE: f64 = 5e5;
/// Ranges read by one thread at a time.
const RANGES_AT_ONCE: usize = 512;

/// A range of heads, and the triple that asks for it.
#[derive(Clone, Copy, Debug)]
struct Wish {
    first: u32,
    last: u32,
    asked: u32,
}

impl StoredIndex {
    /// Returns at most `most` tracks that may contain `query`, those with the most votes first, each with its ID.
    ///
    /// # Errors
    /// [`base::error::Error::Malformed`] if the index is damaged.
    pub fn candidates(&self, query: &Landmarks, most: usize) -> Result<Vec<(i64, Candidate)>> {
        let mut asked: Vec<Asked> = Vec::new();
        let mut wishes: Vec<Wish> = Vec::new();
        triples::asked(&query.peaks, |question| {
            let lookup = Asked::new(question);
            wishes.extend(question.cells().map(|cell| Wish {
                first: entry::head_of(cell, lookup.lowest),
                last: entry::head_of(cell, lookup.highest),
                asked: asked.len() as u32,
            }));
            asked.push(lookup);
        });
        let wishes = self.affordable(wishes);
        let is_there: Vec<bool> = self.tracks.rows.iter().map(|(_, state)| *state != State::Gone).collect();
        let votes: Vec<Vec<Vote>> = self
            .segments
            .par_iter()
            .flat_map(|segment| wishes.par_chunks(RANGES_AT_ONCE).map(move |part| (segment, part)))
            .map(|(segment, part)| voted(segment, part, &asked, &is_there))
            .collect::<Result<_>>()?;
        let candidates = grouped(votes::seeds(votes.concat(), MIN_VOTES), most);
        let id = |candidate: &Candidate| self.tracks.rows[candidate.track as usize].0.id;
        Ok(candidates.into_iter().map(|candidate| (id(&candidate), candidate)).collect())
    }

    /// Returns the wishes that may be read, in order of their heads.
    fn affordable(&self, wishes: Vec<Wish>) -> Vec<Wish> {
        let cost =
            |wish: &Wish| self.segments.iter().map(|segment| segment.estimate(wish.first, wish.last)).sum::<f64>();
        let mut costs: Vec<(f64, Wish)> = wishes.par_iter().map(|wish| (cost(wish), *wish)).collect();
        costs.retain(|(cost, _)| *cost <= MAX_OF_RANGE);
        if costs.iter().map(|(cost, _)| cost).sum::<f64>() > MAX_ENTRIES {
            let order = |wish: &Wish| (wish.first, wish.asked);
            costs.par_sort_unstable_by(|(a, x), (b, y)| a.total_cmp(b).then(order(x).cmp(&order(y))));
            let mut sum = 0.0;
            let within = |(cost, _): &&(f64, Wish)| {
                sum += cost;
                sum <= MAX_ENTRIES
            };
            let kept = costs.iter().take_while(within).count();
            costs.truncate(kept);
        }
        let mut wishes: Vec<Wish> = costs.into_iter().map(|(_, wish)| wish).collect();
        wishes.par_sort_unstable_by_key(|wish| (wish.first, wish.last, wish.asked));
        wishes
    }

    /// Returns at most `most` IDs of tracks that share at least `least` values with some Chromaprint items, those that
    /// share the most first.
    ///
    /// # Errors
    /// [`base::error::Error::Malformed`] if the index is damaged.
    pub fn sharing(&self, items: &[u32], least: u32, most: usize) -> Result<Vec<i64>> {
        let heads: HashSet<u32> =
            items.iter().filter(|&&item| item != SILENCE).map(|&item| entry::head_of_item(item)).collect();
        let mut heads: Vec<u32> = heads.into_iter().collect();
        heads.sort_unstable();
        let mut counts: HashMap<u32, u32> = HashMap::new();
        let (mut bytes, mut entries) = (Vec::new(), Vec::new());
        for segment in &self.segments {
            for &head in &heads {
                for block in segment.blocks_of(head, head) {
                    segment.read(block, &mut bytes, &mut entries)?;
                    for entry in entries.iter().filter(|&&entry| entry::head(entry) == head) {
                        *counts.entry(entry::track(*entry)).or_default() += 1;
                    }
                }
            }
        }
        let mut shared: Vec<(u32, i64)> = counts
            .into_iter()
            .filter(|(track, count)| *count >= least && self.is_there(*track))
            .map(|(track, count)| (count, self.tracks.rows[track as usize].0.id))
            .collect();
        shared.sort_unstable_by_key(|&(count, id)| (std::cmp::Reverse(count), id));
        Ok(shared.into_iter().take(most).map(|(_, id)| id).collect())
    }
}

/// Returns the votes of a segment for wishes, which are in the order of their heads.
fn voted(segment: &Segment, wishes: &[Wish], asked: &[Asked], is_there: &[bool]) -> Result<Vec<Vote>> {
    let mut votes = Vec::new();
    // Decoded blocks from number `from` on.
    let mut decoded: VecDeque<Vec<Entry>> = VecDeque::new();
    let mut spare: Vec<Vec<Entry>> = Vec::new();
    let mut from = 0;
    let mut bytes = Vec::new();
    for wish in wishes {
        let blocks = segment.blocks_of(wish.first, wish.last);
        while from < blocks.start {
            let Some(entries) = decoded.pop_front() else {
                from = blocks.start;
                break;
            };
            spare.push(entries);
            from += 1;
        }
        while from + decoded.len() < blocks.end {
            let mut entries = spare.pop().unwrap_or_default();
            segment.read(from + decoded.len(), &mut bytes, &mut entries)?;
            decoded.push_back(entries);
        }
        let lookup = asked[wish.asked as usize];
        let (lowest, behind) = (entry::entry(wish.first, 0, 0), entry::entry(wish.last + 1, 0, 0));
        for entries in decoded.iter().take(blocks.len()) {
            let start = entries.partition_point(|&entry| entry < lowest);
            for &entry in entries[start..].iter().take_while(|&&entry| entry < behind) {
                let (track, place) = (entry::track(entry), entry::place(entry));
                if (lookup.lowest..=lookup.highest).contains(&place) && is_there.get(track as usize) == Some(&true) {
                    votes.extend(lookup.vote(track, place, entry::span(entry), entry::time(entry)));
                }
            }
        }
    }
    Ok(votes)
}
