//! When the operations of a plan run. Most always run; those that act on a part of the recording run only around it.

use std::ops::Range;

/// The runs of each operation, as ranges of frames of the chain's input. An operation takes part in rendering a frame
/// of the input if the frame is within one of its runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// `None` for an operation that always runs.
    runs: Vec<Option<Vec<Range<u64>>>>,
    /// Where runs begin and end, in order.
    edges: Vec<u64>,
}

impl Schedule {
    /// Creates a schedule from the runs of each operation; `None` for one that always runs.
    pub(super) fn new(runs: Vec<Option<Vec<Range<u64>>>>) -> Self {
        let mut edges: Vec<u64> = runs.iter().flatten().flatten().flat_map(|run| [run.start, run.end]).collect();
        edges.sort_unstable();
        edges.dedup();
        Self { runs, edges }
    }

    /// Returns whether every operation always runs.
    pub fn is_constant(&self) -> bool {
        self.edges.is_empty()
    }

    /// Returns whether an operation runs at this frame.
    pub fn runs(&self, op: usize, frame: u64) -> bool {
        self.of(op).is_none_or(|runs| runs.iter().any(|run| run.contains(&frame)))
    }

    /// Returns whether a run of an operation begins at this frame.
    pub fn begins(&self, op: usize, frame: u64) -> bool {
        self.of(op).is_some_and(|runs| runs.iter().any(|run| run.start == frame && !run.is_empty()))
    }

    /// Returns how many of the frames from `frame` on, at most `frames`, are rendered by the same operations.
    pub fn even_frames(&self, frame: u64, frames: usize) -> usize {
        let next = self.edges.partition_point(|edge| *edge <= frame);
        self.edges
            .get(next)
            .map_or(frames, |edge| usize::try_from(edge - frame).map_or(frames, |even| even.min(frames)))
    }

    fn of(&self, op: usize) -> Option<&[Range<u64>]> {
        self.runs.get(op).and_then(Option::as_deref)
    }
}

/// A single run.
pub(super) fn once(run: Range<u64>) -> Vec<Range<u64>> {
    std::iter::once(run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_end_where_runs_begin_and_end() {
        let schedule = Schedule::new(vec![None, Some(once(10..40)), Some(vec![20..25, 35..40])]);
        let active = |frame| [0, 1, 2].map(|op| schedule.runs(op, frame));
        assert_eq!(active(9), [true, false, false]);
        assert_eq!(active(10), [true, true, false]);
        assert_eq!(active(24), [true, true, true]);
        assert_eq!(active(25), [true, true, false]);
        assert_eq!(active(40), [true, false, false]);
        assert!(schedule.begins(2, 35) && !schedule.begins(2, 36) && !schedule.begins(0, 0));
        assert_eq!([0, 10, 19, 20, 39, 40].map(|frame| schedule.even_frames(frame, 12)), [10, 10, 1, 5, 1, 12]);
        assert!(!schedule.is_constant() && Schedule::new(vec![None, None]).is_constant());
    }
}
