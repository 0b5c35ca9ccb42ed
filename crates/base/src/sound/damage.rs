//! The parts of a recording that could not be decoded, or are not what was encoded.

use std::ops::Range;

use crate::units::SampleRate;

/// The largest number of ranges. Further ranges are merged with their nearest neighbours.
const MAX_RANGES: usize = 1024;

/// Frames that were replaced by silence, in all channels or some, because the file is damaged there, and whether the whole
/// is not what its checksum says. The ranges are sorted and neither touch nor overlap. Beyond 1024 ranges, the two nearest
/// neighbours are merged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    ranges: Vec<Range<u64>>,
    breaks_checksum: bool,
}

impl Damage {
    /// Adds a range, which may overlap ranges added before.
    pub fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let first = self.ranges.partition_point(|each| each.end < range.start);
        let last = self.ranges.partition_point(|each| each.start <= range.end);
        // Ranges that touch or overlap the new one are merged with it.
        let touched = &self.ranges[first..last];
        let start = touched.first().map_or(range.start, |each| each.start.min(range.start));
        let end = touched.last().map_or(range.end, |each| each.end.max(range.end));
        self.ranges.splice(first..last, std::iter::once(start..end));
        if self.ranges.len() > MAX_RANGES {
            self.join_nearest();
        }
    }

    fn join_nearest(&mut self) {
        let gaps = self.ranges.windows(2).map(|pair| pair[1].start - pair[0].end);
        if let Some((at, _)) = gaps.enumerate().min_by_key(|&(_, gap)| gap) {
            self.ranges[at].end = self.ranges[at + 1].end;
            self.ranges.remove(at + 1);
        }
    }

    /// Notes that the whole recording was decoded and is not what its checksum says. Which frames differ is not known.
    pub fn break_checksum(&mut self) {
        self.breaks_checksum = true;
    }

    /// Returns whether the whole recording was decoded and is not what its checksum says.
    pub fn breaks_checksum(&self) -> bool {
        self.breaks_checksum
    }

    /// Adds ranges of `other`, already placed on this timeline, and what it says of its checksum.
    pub fn add_of(&mut self, other: &Self, ranges: impl IntoIterator<Item = Range<u64>>) {
        self.breaks_checksum |= other.breaks_checksum;
        ranges.into_iter().for_each(|range| self.add(range));
    }

    /// Returns the ranges, in order.
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    /// Returns whether no damage has been found so far.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty() && !self.breaks_checksum
    }

    /// Returns the total number of damaged frames.
    pub fn frames(&self) -> u64 {
        self.ranges.iter().map(|range| range.end - range.start).sum()
    }

    /// Returns the parts of the ranges within `range`, on a timeline on which `range` begins at `at`.
    pub fn within<'a>(&'a self, range: &Range<u64>, at: u64) -> impl Iterator<Item = Range<u64>> + 'a {
        let Range { start, end } = *range;
        self.ranges
            .iter()
            .map(move |each| each.start.max(start)..each.end.min(end))
            .filter(|each| each.start < each.end)
            .map(move |each| each.start - start + at..each.end - start + at)
    }

    /// Returns the damage within `range`, at the same frames.
    #[must_use]
    pub fn part(&self, range: &Range<u64>) -> Self {
        Self { ranges: self.within(range, range.start).collect(), ..*self }
    }

    /// Describes the damage for a report: total duration, number of places, position of the first, checksum. `None` if
    /// there is none.
    pub fn describe(&self, rate: SampleRate) -> Option<String> {
        let silent = self.ranges.first().map(|first| {
            let places =
                if self.ranges.len() == 1 { "1 place".to_owned() } else { format!("{} places", self.ranges.len()) };
            format!(
                "{:.3} s in {places} could not be decoded and is silent, first at {:.3} s.",
                rate.seconds_from_frames(self.frames()),
                rate.seconds_from_frames(first.start),
            )
        });
        let differs = self.breaks_checksum.then(|| {
            "The decoded sound is not what the file's checksum (MD5) says: it was encoded wrongly or changed afterwards."
                .to_owned()
        });
        let told: Vec<String> = silent.into_iter().chain(differs).collect();
        (!told.is_empty()).then(|| told.join(" "))
    }
}

/// Returns the sentence about damaged parts.
pub fn silent_parts(count: u32) -> String {
    match count {
        1 => "1 damaged part of the file is silent.".to_owned(),
        _ => format!("{count} damaged parts of the file are silent."),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn damage(ranges: &[Range<u64>]) -> Damage {
        let mut damage = Damage::default();
        ranges.iter().for_each(|range| damage.add(range.clone()));
        damage
    }

    #[test]
    fn neighbours_are_one_place() {
        assert!(damage(&[]).is_empty());
        assert_eq!(damage(&[10..20, 30..40, 20..30, 5..5]).ranges(), std::slice::from_ref(&(10..40)));
        assert_eq!(damage(&[10..20, 30..40, 0..5]).ranges(), [0..5, 10..20, 30..40]);
        assert_eq!(damage(&[10..20, 30..40, 15..35]).frames(), 30);
    }

    #[test]
    fn a_part_is_told_on_its_own_timeline() {
        let all = damage(&[10..20, 30..40]);
        assert_eq!(all.within(&(15..35), 100).collect::<Vec<_>>(), [100..105, 115..120]);
        assert_eq!(all.within(&(20..30), 0).count(), 0);
    }

    #[test]
    fn a_report_says_how_much_and_where() {
        let rate = SampleRate::new(1000).expect("a rate");
        assert_eq!(Damage::default().describe(rate), None);
        let text = damage(&[500..600, 900..1000]).describe(rate).expect("damage");
        assert_eq!(text, "0.200 s in 2 places could not be decoded and is silent, first at 0.500 s.");
        let mut whole = damage(&[]);
        whole.break_checksum();
        assert!(!whole.is_empty() && whole.describe(rate).is_some_and(|text| text.contains("checksum")));
        let mut part = damage(&[0..5, 7..8]);
        part.add_of(&whole, [9..10, 12..13]);
        assert_eq!((part.ranges(), part.breaks_checksum()), (&[0..5, 7..8, 9..10, 12..13][..], true));
    }

    proptest! {
        #[test]
        fn it_is_the_union_of_what_was_added(ranges in prop::collection::vec((0u64..200, 0u64..20), 0..40)) {
            let mut hit = [false; 256];
            let mut damage = Damage::default();
            for (start, length) in ranges {
                damage.add(start..start + length);
                hit[start as usize..(start + length) as usize].fill(true);
            }
            let mut told = [false; 256];
            damage.ranges().iter().for_each(|range| told[range.start as usize..range.end as usize].fill(true));
            prop_assert_eq!(hit, told);
            prop_assert!(damage.ranges().windows(2).all(|pair| pair[0].end < pair[1].start));
        }
    }

    #[test]
    fn countless_places_stay_bounded_and_lose_nothing() {
        let mut damage = Damage::default();
        (0..5000u64).for_each(|at| damage.add(at * 10..at * 10 + 1));
        assert_eq!(damage.ranges().len(), MAX_RANGES);
        assert!((0..5000u64).all(|at| damage.ranges().iter().any(|range| range.contains(&(at * 10)))));
    }
}
