//! Markers of AIFF files: the chunk `MARK` with positions and names, and the loops of the chunk `INST`, which lie between
//! two markers each.
//!
//! Source: Apple, "Audio Interchange File Format AIFF-C" (1991).

use super::{MAX_MARKERS, MAX_TEXT_BYTES, Marker};
use crate::text::utf8_or_latin1;

/// The bytes of a `MARK` chunk that are read.
pub(crate) const MAX_MARK_BYTES: usize = 2 + MAX_MARKERS * 32;
/// The bytes of an `INST` chunk.
pub(crate) const INST_BYTES: usize = 20;
/// The byte of an `INST` chunk at which the sustain loop begins, and the size of a loop: play mode, begin, end.
const LOOPS_AT: usize = 8;
const LOOP_BYTES: usize = 6;
/// The names of loops, which have none in the file.
const LOOP_NAMES: [&str; 2] = ["Loop", "Release loop"];

/// Collects markers from the chunks of a file, which may come in any order.
#[derive(Default)]
pub(crate) struct AiffMarks {
    points: Vec<(u16, u64, String)>,
    /// The markers between which the loops lie.
    loops: Vec<(u16, u16, &'static str)>,
}

impl AiffMarks {
    /// Adds the contents of a `MARK` chunk. Only whole markers that are there are read, whatever the count says.
    pub(crate) fn add_points(&mut self, bytes: &[u8]) {
        let Some((count, mut rest)) = bytes.split_first_chunk::<2>() else { return };
        for _ in 0..u16::from_be_bytes(*count) {
            let Some((head, after)) = rest.split_first_chunk::<7>() else { return };
            let length = usize::from(head[6]);
            let Some(name) = after.get(..length) else { return };
            if self.points.len() == MAX_MARKERS {
                return;
            }
            let number = u16::from_be_bytes([head[0], head[1]]);
            let frame = u32::from_be_bytes([head[2], head[3], head[4], head[5]]);
            let name = utf8_or_latin1(&name[..name.len().min(MAX_TEXT_BYTES)]);
            self.points.push((number, frame.into(), name.trim_end_matches('\0').to_owned()));
            // The length byte and the name take an even number of bytes together.
            rest = after.get(length + (length + 1) % 2..).unwrap_or_default();
        }
    }

    /// Adds the contents of an `INST` chunk, of which a file has one.
    pub(crate) fn add_loops(&mut self, bytes: &[u8]) {
        if !self.loops.is_empty() {
            return;
        }
        let loops = bytes.get(LOOPS_AT..).unwrap_or_default().chunks_exact(LOOP_BYTES);
        for (one, name) in loops.zip(LOOP_NAMES) {
            let half = |at: usize| u16::from_be_bytes([one[at], one[at + 1]]);
            if half(0) != 0 {
                self.loops.push((half(2), half(4), name));
            }
        }
    }

    /// Returns the markers.
    pub(crate) fn finish(self) -> Vec<Marker> {
        let place = |number: u16| self.points.iter().find(|point| point.0 == number).map(|point| point.1);
        let regions = self.loops.iter().filter_map(|(begin, end, name)| {
            let (begin, end) = (place(*begin)?, place(*end)?);
            (begin < end).then(|| Marker::region(begin, end, *name))
        });
        let regions: Vec<Marker> = regions.collect();
        self.points.into_iter().map(|(_, frame, name)| Marker::point(frame, name)).chain(regions).collect()
    }
}
