//! Gathers the frames that windows cover into one buffer, without the frames between them. A picture of several hours
//! uploads only the frames that it shows.

use super::super::Samples;

/// Frames, and the index in them at which each window begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Gathered {
    pub samples: Vec<f32>,
    pub starts: Vec<u32>,
}

/// Gathers windows of `size` frames that begin at `starts`, which must not decrease.
pub(super) fn gather(samples: Samples<'_>, starts: impl Iterator<Item = i64>, size: usize) -> Gathered {
    let mut gathered = Gathered { samples: Vec::new(), starts: Vec::new() };
    // The end, in the signal, of the frames gathered so far.
    let mut end = i64::MIN;
    for start in starts {
        if end < start {
            end = start;
        }
        let until = (start + size as i64).max(end);
        samples.extract(end..until, &mut gathered.samples);
        end = until;
        gathered.starts.push((gathered.samples.len() as i64 - (end - start)) as u32);
    }
    gathered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_are_taken_once_and_gaps_not_at_all() {
        let samples = Samples { samples: &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], first_frame: 1 };
        let gathered = gather(samples, [-1, 1, 1, 7, 20].into_iter(), 3);
        assert_eq!(gathered.starts, [0, 2, 2, 5, 8]);
        assert_eq!(gathered.samples, [0.0, 0.0, 1.0, 2.0, 3.0, 7.0, 8.0, 9.0, 0.0, 0.0, 0.0]);
        assert_eq!(gather(samples, std::iter::empty(), 3).samples, [0.0; 0]);
    }
}
