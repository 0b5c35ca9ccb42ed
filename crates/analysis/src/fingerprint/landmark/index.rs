//! An inverted index of the triples of many tracks.
//!
//! Tracks are added one by one. Their postings gather and become sorted segments; two segments of similar size are
//! merged, so that adding has amortised cost and a query reads few segments. A posting takes 8 bytes, and a track has
//! at most eight per second: 154 MB for 10,000 tracks of four minutes. The landmarks themselves stay with the caller,
//! who verifies candidates with them.

use std::collections::{HashMap, HashSet};

use super::Landmarks;
use super::triples;
use super::votes::{self, MAX_TRACKS, Postings, Seed};
use base::error::{Error, Result};

/// Number of postings that gather before they become a segment.
const GATHERED: usize = 1 << 17;
/// Minimum number of votes of a seed.
pub(super) const MIN_VOTES: u32 = 3;
/// Number of seeds kept per candidate.
const SEEDS: usize = 8;

/// An index of the triples of many tracks, for identifying a clip.
#[derive(Debug, Default)]
pub struct Index {
    /// Sorted segments, largest first.
    pieces: Vec<Postings>,
    gathered: Vec<(u32, u64)>,
    tracks: HashSet<u32>,
    removed: HashSet<u32>,
}

/// A track that may contain the query.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The number of the track.
    pub track: u32,
    /// Votes of its best seed.
    pub votes: u32,
    pub(super) seeds: Vec<Seed>,
}

impl Index {
    /// The maximum number of tracks. Track numbers are below this.
    pub const MAX_TRACKS: u32 = MAX_TRACKS;

    /// Adds a track under a number that is not in use.
    ///
    /// # Errors
    /// [`Error::Limit`] for a number of [`Index::MAX_TRACKS`] or more.
    pub fn add(&mut self, track: u32, landmarks: &Landmarks) -> Result<()> {
        if track >= MAX_TRACKS {
            return Err(Error::Limit {
                what: "track of the index of landmarks".to_owned(),
                got: track.to_string(),
                limit: (MAX_TRACKS - 1).to_string(),
            });
        }
        if self.removed.contains(&track) {
            self.forget();
        }
        if !self.tracks.insert(track) {
            return Err(Error::invalid(
                "track of the index",
                format!("{track}, which is there"),
                "one that is not there",
            ));
        }
        self.gathered
            .extend(triples::indexed(&landmarks.peaks).iter().filter_map(|triple| votes::posting(triple, track)));
        if self.gathered.len() >= GATHERED {
            self.settle();
        }
        Ok(())
    }

    /// Removes a track. Queries no longer find it; its memory is released later.
    pub fn remove(&mut self, track: u32) {
        if self.tracks.remove(&track) {
            self.removed.insert(track);
        }
    }

    /// Returns the number of tracks.
    pub fn len(&self) -> usize {
        self.tracks.len()
    }

    /// Returns whether the index has no tracks.
    pub fn is_empty(&self) -> bool {
        self.tracks.is_empty()
    }

    /// Returns the memory of the postings in bytes.
    pub fn bytes(&self) -> usize {
        self.pieces.iter().map(Postings::bytes).sum::<usize>() + self.gathered.len() * size_of::<(u32, u64)>()
    }

    /// Sorts the postings added since the last call, so that queries do not have to. Tracks can still be added and
    /// removed afterwards.
    pub fn settle(&mut self) {
        if self.gathered.is_empty() {
            return;
        }
        self.pieces.push(Postings::new(std::mem::take(&mut self.gathered)));
        while let [.., larger, smaller] = self.pieces.as_slice()
            && larger.len() < 2 * smaller.len()
        {
            let merged = Postings::merged(larger, smaller, |_| true);
            self.pieces.truncate(self.pieces.len() - 2);
            self.pieces.push(merged);
        }
    }

    /// Drops the postings of removed tracks.
    fn forget(&mut self) {
        self.settle();
        let none = Postings::default();
        for piece in &mut self.pieces {
            *piece = Postings::merged(piece, &none, |track| !self.removed.contains(&track));
        }
        self.removed.clear();
    }

    /// Returns at most `most` tracks that may contain `query`, those with the most votes first. [`super::verify()`]
    /// decides for each.
    pub fn candidates(&self, query: &Landmarks, most: usize) -> Vec<Candidate> {
        self.candidates_among(query, most, |_| true)
    }

    /// Same as [`Index::candidates`], restricted to tracks for which `wanted` is true.
    pub fn candidates_among(&self, query: &Landmarks, most: usize, wanted: impl Fn(u32) -> bool) -> Vec<Candidate> {
        let fresh = (!self.gathered.is_empty()).then(|| Postings::new(self.gathered.clone()));
        let postings: Vec<&Postings> = self.pieces.iter().chain(&fresh).collect();
        let wanted = |track| wanted(track) && !self.removed.contains(&track);
        let seeds = votes::seeds(votes::votes(&postings, &query.peaks, wanted), MIN_VOTES);
        grouped(seeds, most)
    }
}

/// Returns the first `most` tracks of seeds, each with its first seeds.
pub(super) fn grouped(seeds: Vec<Seed>, most: usize) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut places = HashMap::new();
    for seed in seeds {
        match places.get(&seed.track) {
            Some(&place) => {
                let candidate: &mut Candidate = &mut candidates[place];
                if candidate.seeds.len() < SEEDS {
                    candidate.seeds.push(seed);
                }
            }
            None if candidates.len() < most => {
                places.insert(seed.track, candidates.len());
                candidates.push(Candidate { track: seed.track, votes: seed.votes, seeds: vec![seed] });
            }
            None => {}
        }
    }
    candidates
}
