//! The Chromaprint items of many tracks.

use super::candidates::{PLACE_BITS, PLACE_UNIT};

/// Leading bits of an item that decide whether it is kept: no more than a candidate must share, so that an item that
/// two tracks share is kept for both or for neither.
const DECIDING_BITS: u32 = 28;

/// The items of tracks, which are numbered from 0 in the order in which they were added.
///
/// Of very many tracks (282,000 of usual length), only a share of all possible items is kept (a half, a quarter and so
/// on), so that they fit in memory. Two versions of a recording have hundreds of items in common, of which two suffice.
#[derive(Debug)]
pub struct Items {
    items: Vec<u32>,
    /// The position of each item in units of [`PLACE_UNIT`]; empty as long as all items are kept.
    places: Vec<u16>,
    ends: Vec<usize>,
    /// The number of items that were added.
    given: usize,
    /// The number of times that half of the items were dropped.
    halved: u32,
    room: usize,
}

impl Default for Items {
    fn default() -> Self {
        Self::with_room(1 << 28)
    }
}

impl Items {
    /// Creates an empty collection that keeps at most `room` items.
    pub fn with_room(room: usize) -> Self {
        Self { items: Vec::new(), places: Vec::new(), ends: Vec::new(), given: 0, halved: 0, room }
    }

    /// Adds a track.
    pub fn add(&mut self, items: &[u32]) {
        self.given += items.len();
        if self.is_thinned() {
            let halved = self.halved;
            for (place, item) in placed(items).filter(|(_, item)| is_kept(*item, halved)) {
                self.items.push(item);
                self.places.push(place);
            }
        } else {
            self.items.extend_from_slice(items);
        }
        self.ends.push(self.items.len());
        while self.items.len() > self.room && self.halved < DECIDING_BITS {
            self.thin();
        }
    }

    /// Drops half of the items.
    fn thin(&mut self) {
        self.halved += 1;
        if self.halved == 1 {
            self.places.reserve_exact(self.room);
        }
        let (mut from, mut written) = (0, 0);
        for end in &mut self.ends {
            let (first, behind) = (from, *end);
            from = behind;
            let mut before = None;
            for at in first..behind {
                let item = self.items[at];
                let place = if self.halved > 1 {
                    self.places[at]
                } else if before.replace(item) == Some(item) {
                    continue;
                } else {
                    place_of(at - first)
                };
                if !is_kept(item, self.halved) {
                    continue;
                }
                self.items[written] = item;
                if self.halved > 1 {
                    self.places[written] = place;
                } else {
                    self.places.push(place);
                }
                written += 1;
            }
            *end = written;
        }
        self.items.truncate(written);
        self.places.truncate(written);
    }

    /// Returns the number of tracks.
    pub fn tracks(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of items that are kept.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether no items are kept.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the number of items that were added.
    pub(super) fn given(&self) -> usize {
        self.given
    }

    /// Returns whether only a share of the items is kept.
    pub(super) fn is_thinned(&self) -> bool {
        self.halved > 0
    }

    fn range(&self, track: usize) -> std::ops::Range<usize> {
        track.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[track]
    }

    /// Returns the number of items of a track that are kept.
    pub(super) fn count(&self, track: usize) -> usize {
        self.range(track).len()
    }

    /// Returns all items of a track; `None` if only a share of them is kept.
    pub fn whole(&self, track: usize) -> Option<&[u32]> {
        (!self.is_thinned()).then(|| &self.items[self.range(track)])
    }

    /// Calls `take` with the position, in units of [`PLACE_UNIT`], and the value of each item of a track that is kept. Of
    /// a run of equal items it is the first.
    pub(super) fn each(&self, track: usize, mut take: impl FnMut(u16, u32)) {
        let range = self.range(track);
        if self.is_thinned() {
            range.for_each(|at| take(self.places[at], self.items[at]));
        } else {
            placed(&self.items[range]).for_each(|(place, item)| take(place, item));
        }
    }
}

impl<'a> FromIterator<&'a [u32]> for Items {
    fn from_iter<T: IntoIterator<Item = &'a [u32]>>(tracks: T) -> Self {
        let mut items = Self::default();
        tracks.into_iter().for_each(|track| items.add(track));
        items
    }
}

/// Returns items with their positions, without those that equal the one before.
fn placed(items: &[u32]) -> impl Iterator<Item = (u16, u32)> {
    let mut before = None;
    let differs = move |&(_, &item): &(usize, &u32)| before.replace(item) != Some(item);
    items.iter().enumerate().filter(differs).map(|(at, &item)| (place_of(at), item))
}

fn place_of(at: usize) -> u16 {
    (at / PLACE_UNIT).min((1 << PLACE_BITS) - 1) as u16
}

fn is_kept(item: u32, halved: u32) -> bool {
    // The finaliser of A. Appleby's `MurmurHash3`: items come in clusters.
    let x = item >> (32 - DECIDING_BITS);
    let x = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
    let x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
    (x ^ (x >> 16)).leading_zeros() >= halved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_kept_whatever_the_order() {
        let tracks: Vec<Vec<u32>> = (0..40u32)
            .map(|track| (0..500).map(|at| (track * 500 + at / 2).wrapping_mul(0x9e37_79b9)).collect())
            .collect();
        let mut small = Items::with_room(2000);
        tracks.iter().for_each(|track| small.add(track));
        let all: Items = tracks.iter().map(Vec::as_slice).collect();
        assert!(small.is_thinned() && (500..=2000).contains(&small.len()), "{}", small.len());
        assert!(!all.is_thinned() && all.whole(3) == Some(tracks[3].as_slice()) && small.whole(3).is_none());
        assert_eq!((small.given(), small.tracks()), (20_000, 40));
        for track in 0..40 {
            let (mut kept, mut expected) = (Vec::new(), Vec::new());
            small.each(track, |place, item| kept.push((place, item)));
            all.each(track, |place, item| expected.push((place, item)));
            expected.retain(|(_, item)| is_kept(*item, small.halved));
            assert_eq!(kept, expected);
            assert_eq!(small.count(track), kept.len());
        }
    }
}
