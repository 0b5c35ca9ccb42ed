//! Gain reduction of a preview's nodes, kept by frame until it is heard.

use std::collections::BTreeMap;

use super::graph::NodeId;
use super::renderer::Reduced;

/// The number of pieces kept per node, about three minutes at 48 kHz.
const KEPT: usize = 1 << 14;

/// Reductions by node and by the output frame at which each piece begins: its end frame and the reduction in dB.
#[derive(Debug, Default)]
pub(super) struct Reductions(BTreeMap<NodeId, BTreeMap<i64, (i64, f32)>>);

impl Reductions {
    /// Removes everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Stores the reductions of a block. They replace older values for the same frames.
    pub fn take(&mut self, reduced: &Reduced<'_>) {
        let pieces = self.0.entry(reduced.node).or_default();
        for (index, db) in reduced.pieces_db.iter().enumerate() {
            let begins = |piece: usize| reduced.frame + (piece as f64 * reduced.frames_per_piece).round() as i64;
            let (start, end) = (begins(index), begins(index + 1));
            pieces.insert(start, (end, *db));
            while pieces.len() > KEPT {
                // Drop the end that is farther away.
                let first = pieces.first_key_value().map_or(start, |(frame, _)| *frame);
                let last = pieces.last_key_value().map_or(start, |(frame, _)| *frame);
                if start - first >= last - start {
                    pieces.pop_first()
                } else {
                    pieces.pop_last()
                };
            }
        }
    }

    /// Returns the reduction of each node at an output frame, in dB. Nodes without a value are left out.
    pub fn at(&self, frame: u64) -> Vec<(NodeId, f32)> {
        let frame = frame as i64;
        let here = |pieces: &BTreeMap<i64, (i64, f32)>| {
            pieces.range(..=frame).next_back().filter(|(_, (end, _))| frame < *end).map(|(_, (_, db))| *db)
        };
        self.0.iter().filter_map(|(node, pieces)| Some((*node, here(pieces)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced(frame: i64, pieces_db: &[f32]) -> Reduced<'_> {
        Reduced { node: NodeId(3), frame, frames_per_piece: 512.0, pieces_db }
    }

    #[test]
    fn the_piece_that_is_heard_is_found_and_the_newest_counts() {
        let mut log = Reductions::default();
        log.take(&reduced(-512, &[1.0, 2.0, 3.0]));
        assert_eq!(log.at(0), [(NodeId(3), 2.0)]);
        assert_eq!(log.at(1023), [(NodeId(3), 3.0)]);
        assert!(log.at(1024).is_empty());
        log.take(&reduced(512, &[4.0]));
        assert_eq!(log.at(600), [(NodeId(3), 4.0)]);
        log.clear();
        assert!(log.at(0).is_empty());
    }

    #[test]
    fn what_is_far_away_is_forgotten() {
        let mut log = Reductions::default();
        log.take(&reduced(0, &vec![1.0; KEPT + 100]));
        assert!(log.at(0).is_empty());
        assert_eq!(log.at((KEPT as u64 + 99) * 512).len(), 1);
        assert_eq!(log.0[&NodeId(3)].len(), KEPT);
    }
}
