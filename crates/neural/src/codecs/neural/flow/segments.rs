//! Models that code segments by themselves and lay them over each other (EnCodec of 48 kHz), as
//! [`super::super::segments`] does with a whole sound.

use super::super::segments::{scale_of, weight};
use super::halves::Halves;
use super::{Rows, whole};
use crate::models::Piece;
use crate::network::State;
use base::error::Result;

/// The state of a stream: the contribution of past segments to the frames from the next segment on.
#[derive(Debug)]
pub struct Segments {
    /// The frames of a segment, and from one to the next.
    lengths: [usize; 2],
    is_scaled: bool,
    /// Weighted sums, a row for each channel of each voice.
    sums: Vec<Vec<f64>>,
    weights: Vec<f64>,
}

impl Segments {
    pub fn new(lengths: [usize; 2], is_scaled: bool) -> Self {
        Self { lengths, is_scaled, sums: Vec::new(), weights: Vec::new() }
    }

    /// The frames from one segment to the next.
    pub fn stride(&self) -> usize {
        self.lengths[1]
    }

    pub fn begin(&mut self) {
        self.sums.clear();
        self.weights.clear();
    }

    /// Runs all complete segments. Returns the number of frames that are done with.
    pub fn run(&mut self, halves: &mut Halves, waiting: &Rows, out: &mut [Vec<f32>]) -> Result<usize> {
        let ([length, stride], mut at) = (self.lengths, 0);
        while waiting[0].len() >= at + length {
            self.segment(halves, waiting, at)?;
            for (sums, out) in self.sums.iter_mut().zip(out.iter_mut()) {
                let done = sums.drain(..stride).zip(&self.weights);
                out.extend(done.map(|(sum, weight)| (sum / weight.max(1e-12)) as f32));
            }
            self.weights.drain(..stride);
            at += stride;
        }
        Ok(at)
    }

    /// Adds the segment of the frames from `at` on.
    fn segment(&mut self, halves: &mut Halves, waiting: &Rows, at: usize) -> Result<()> {
        let (length, channels) = (self.lengths[0], halves.channels());
        let mut rows: Rows = waiting.iter().map(|row| row[at..at + length].to_vec()).collect();
        let scale = |voice: &mut [Vec<f32>]| {
            let scale = if self.is_scaled { scale_of(voice) } else { 1.0 };
            voice.iter_mut().flatten().for_each(|x| *x /= scale);
            scale
        };
        let scales: Vec<f32> = rows.chunks_mut(channels).map(scale).collect();
        let mut states = vec![State::new(); scales.len()];
        let codes = halves.encode(&rows, 0..length, Piece::whole(length), &mut states)?;
        let made = halves.decode(&codes, Piece::whole(length.div_ceil(halves.hop())), &mut states)?;
        self.sums.resize(rows.len(), Vec::new());
        self.sums.iter_mut().for_each(|sums| sums.resize(length, 0.0));
        self.weights.resize(length, 0.0);
        for ((voice, scale), sums) in made.iter().zip(scales).zip(self.sums.chunks_mut(channels)) {
            let frames = voice.len() / channels;
            for (row, sums) in voice.chunks(frames.max(1)).zip(sums) {
                for (n, (sum, &x)) in sums.iter_mut().zip(row).enumerate() {
                    *sum += weight(n, length) * f64::from(scale) * f64::from(x);
                }
            }
        }
        self.weights.iter_mut().enumerate().for_each(|(n, sum)| *sum += weight(n, length));
        Ok(())
    }

    pub fn write(&self, to: &mut Vec<f64>) {
        to.extend([self.sums.len() as f64, self.weights.len() as f64]);
        to.extend(self.sums.iter().flatten().chain(&self.weights));
    }

    pub fn read(&mut self, from: &mut &[f64]) -> Option<()> {
        let [rows, count] = whole(from)?;
        let (rows, count) = (usize::try_from(rows).ok()?, usize::try_from(count).ok()?);
        self.sums = (0..rows).map(|_| Some(from.split_off(..count)?.to_vec())).collect::<Option<_>>()?;
        self.weights = from.split_off(..count)?.to_vec();
        Some(())
    }
}
