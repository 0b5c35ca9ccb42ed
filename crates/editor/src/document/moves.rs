//! Where the sound of a document moves when it is edited, so that markers and effects bound to it can follow.

use std::ops::Range;

/// The parts of a document that an edit keeps, and where each begins afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    old: Range<u64>,
    new_start: u64,
    reversed: bool,
}

impl Moves {
    /// Frames `range` become `inserted` other frames, in a document of any length.
    pub fn replaced(range: Range<u64>, inserted: u64) -> Self {
        Self(vec![kept(0..range.start, 0), kept(range.end..u64::MAX, range.start.saturating_add(inserted))])
    }

    /// Only frames `range` are kept.
    pub fn trimmed(range: Range<u64>) -> Self {
        Self(vec![kept(range, 0)])
    }

    /// Frames `range` are played backwards.
    pub fn reversed(range: Range<u64>) -> Self {
        let new_start = range.start;
        let back = Piece { old: range.clone(), new_start, reversed: true };
        Self(vec![kept(0..range.start, 0), back, kept(range.end..u64::MAX, range.end)])
    }

    /// Frames `range` are moved to frame `to` of the document as it was.
    pub fn moved(range: Range<u64>, to: u64) -> Self {
        let length = range.end - range.start;
        let Range { start, end } = range;
        if to <= start {
            return Self(vec![kept(0..to, 0), kept(range, to), kept(to..start, to + length), kept(end..u64::MAX, end)]);
        }
        Self(vec![kept(0..start, 0), kept(end..to, start), kept(range, to - length), kept(to..u64::MAX, to)])
    }

    /// Returns where the sound of frames `range` is afterwards: from its first to its last frame that is left, or
    /// `None` if nothing is left.
    pub fn of(&self, range: &Range<u64>) -> Option<Range<u64>> {
        let parts = self.0.iter().filter_map(|piece| {
            let (start, end) = (range.start.max(piece.old.start), range.end.min(piece.old.end));
            (start < end).then(|| piece.place(start, end))
        });
        parts.reduce(|one, other| one.start.min(other.start)..one.end.max(other.end))
    }

    /// Returns where the frame that was at `frame` is afterwards, or where it would be if it had not been deleted.
    pub fn of_frame(&self, frame: u64) -> u64 {
        self.of(&(frame..frame.saturating_add(1))).map_or_else(
            || self.0.iter().find(|piece| piece.old.start > frame).map_or(0, |piece| piece.new_start),
            |range| range.start,
        )
    }
}

fn kept(old: Range<u64>, new_start: u64) -> Piece {
    Piece { old, new_start, reversed: false }
}

impl Piece {
    fn place(&self, start: u64, end: u64) -> Range<u64> {
        let from = if self.reversed { self.old.end - end } else { start - self.old.start };
        let begins = self.new_start.saturating_add(from);
        begins..begins.saturating_add(end - start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_go_where_their_sound_goes() {
        let cut = Moves::replaced(100..200, 0);
        assert_eq!(cut.of(&(20..50)), Some(20..50));
        assert_eq!(cut.of(&(250..300)), Some(150..200));
        assert_eq!(cut.of(&(120..180)), None);
        assert_eq!(cut.of(&(150..250)), Some(100..150));
        assert_eq!(cut.of(&(50..250)), Some(50..150));
        assert_eq!((cut.of_frame(99), cut.of_frame(150), cut.of_frame(200)), (99, 100, 100));
        assert_eq!(Moves::replaced(100..100, 30).of(&(90..110)), Some(90..140));
        assert_eq!(Moves::trimmed(100..200).of(&(150..300)), Some(50..100));
        assert_eq!(Moves::reversed(100..200).of(&(110..120)), Some(180..190));
        for (to, expected) in [(0, 0..100), (300, 200..300), (250, 150..250)] {
            assert_eq!(Moves::moved(100..200, to).of(&(100..200)), Some(expected), "to {to}");
        }
        assert_eq!(Moves::moved(100..200, 300).of(&(200..300)), Some(100..200));
        assert_eq!(Moves::moved(100..200, 300).of(&(300..301)), Some(300..301));
        assert_eq!(Moves::moved(100..200, 0).of(&(0..100)), Some(100..200));
        assert_eq!(Moves::moved(100..200, 0).of(&(200..210)), Some(200..210));
    }
}
