//! Cuts a stream into windows that overlap.

/// The samples of a stream that windows still need.
pub(super) struct Overlapping {
    size: usize,
    hop: usize,
    held: Vec<f32>,
    /// Where the next window begins in `held`.
    start: usize,
}

impl Overlapping {
    /// Prepares windows of `size` samples, the first of each `hop` after that of the last.
    pub fn new(size: usize, hop: usize) -> Self {
        Self { size, hop, held: Vec::new(), start: 0 }
    }

    /// Takes the next samples.
    pub fn push(&mut self, samples: impl Iterator<Item = f32>) {
        // Not after each window, since the remaining samples are moved then.
        if self.start >= 4 * self.size {
            // A hop longer than a window leads beyond what is held.
            let passed = self.start.min(self.held.len());
            self.held.drain(..passed);
            self.start -= passed;
        }
        self.held.extend(samples);
    }

    /// Returns the next window, if all of its samples are there.
    pub fn next_window(&mut self) -> Option<&[f32]> {
        let window = self.held.get(self.start..self.start + self.size)?;
        self.start += self.hop;
        Some(window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_those_of_the_whole() {
        let stream: Vec<f32> = (0..5000).map(|n| n as f32).collect();
        for (size, hop, part) in [(64, 21, 1), (64, 21, 100), (64, 64, 7), (64, 80, 999), (5000, 1, 5000), (5001, 1, 9)]
        {
            let mut windows = Overlapping::new(size, hop);
            let mut got = Vec::new();
            for part in stream.chunks(part) {
                windows.push(part.iter().copied());
                while let Some(window) = windows.next_window() {
                    got.push(window.to_vec());
                }
            }
            let expected: Vec<Vec<f32>> = stream.windows(size).step_by(hop).map(<[f32]>::to_vec).collect();
            assert_eq!(got, expected, "{size}, {hop}, {part}");
        }
    }
}
