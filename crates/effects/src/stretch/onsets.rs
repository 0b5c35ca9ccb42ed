//! Onset detection: finds the times at which much of a signal's energy is new.
//!
//! Short spectra (10.7 ms, with a hop of a quarter of that) are summed over all channels into bands of at least a third
//! of an octave, with treble weighted up. The energy of a band above twice its maximum between about 8 and 21 ms before
//! is new. A spectrum with a share of new energy above [`NEW_SHARE`] is an onset. Its time is where the energy of the
//! first differences first reaches half of its maximum in range, accurate to 0.7 ms. After A. Roebel (2003), who
//! applies the same test to each peak of the long spectrum.

use std::collections::VecDeque;

use base::error::Result;
use base::units::SampleRate;
use dsp::design::Window;
use dsp::kernels::signal::stft::{Samples, StftPlan, StftSpec, Transform};

/// The share of a short spectrum that must be new.
const NEW_SHARE: f32 = 0.5;
/// The minimum power of an onset (re a full-scale sine, summed over bands).
const MIN_POWER: f32 = 1e-9;
/// The length of a short spectrum in seconds.
const WINDOW_S: f64 = 512.0 / 48_000.0;
/// The minimum distance of onsets in hops: 27 ms.
const APART: i64 = 10;
/// The past spectra to compare with, in hops back.
const PAST: std::ops::Range<usize> = 3..9;
/// The number of energy blocks per short window for placing an onset.
const PLACES: usize = 16;

/// An onset detector for a stream.
#[derive(Debug)]
pub(super) struct Onsets {
    plan: StftPlan,
    /// The first bin of each band, and one past the last bin.
    bands: Vec<usize>,
    /// The next short spectrum.
    next: i64,
    /// Powers of the last spectra by band, newest first.
    past: VecDeque<Vec<f32>>,
    /// Whether the last spectrum was new.
    above: bool,
    /// The last spectrum with an onset.
    last: i64,
    /// A detected onset not placed yet.
    waiting: Option<i64>,
    /// Placed onsets in order, in frames.
    pub found: Vec<i64>,
}

impl Onsets {
    pub fn new(rate: SampleRate) -> Result<Self> {
        let size = ((WINDOW_S * rate.as_f64() / 64.0).round() as usize * 64).clamp(64, *StftSpec::SIZES.end());
        let plan = StftPlan::new(StftSpec { window: Window::Hann, size, padding: 1, hop: size / 4 })?;
        let mut bands = vec![1];
        let mut edge = 1.0f64;
        while (edge as usize) < plan.bins() {
            // Bands have at least four bins, so that random fluctuations of noise average out.
            edge = (edge * 1.26).max(edge + 4.0);
            bands.push((edge as usize).min(plan.bins()));
        }
        let mut onsets = Self {
            plan,
            bands,
            next: 0,
            past: VecDeque::new(),
            above: false,
            last: 0,
            waiting: None,
            found: Vec::new(),
        };
        onsets.begin(0);
        Ok(onsets)
    }

    fn hop(&self) -> i64 {
        self.plan.spec().hop as i64
    }

    /// Returns how many frames after an onset are needed to find it.
    pub fn reach(&self) -> i64 {
        3 * self.plan.spec().size as i64
    }

    /// Clears all state. The stream continues at `frame`, with silence before it.
    pub fn begin(&mut self, frame: i64) {
        self.next = frame.div_euclid(self.hop());
        self.past = VecDeque::from(vec![vec![0.0; self.bands.len() - 1]; PAST.end]);
        (self.above, self.last, self.waiting) = (false, i64::MIN / 2, None);
        self.found.clear();
    }

    /// Finds onsets in `channels`, which begin at `first_frame` and end with the newest input.
    pub fn listen(&mut self, channels: &[Vec<f32>], first_frame: i64) -> Result<()> {
        let end = first_frame + channels.first().map_or(0, Vec::len) as i64;
        let plan = self.plan.clone();
        let size = plan.spec().size as i64;
        let mut transform = plan.transform();
        while self.next * self.hop() + 2 * size <= end {
            let centre = self.next * self.hop();
            // Place an onset once all candidate frames are known, so that the result does not depend on block sizes.
            if let Some(seen) = self.waiting.filter(|seen| (self.next - seen) * self.hop() >= size / 2) {
                self.found.push(place(channels, first_frame, seen * self.hop() - size / 2, size));
                self.waiting = None;
            }
            let new = self.is_new(&mut transform, channels, first_frame, centre)?;
            if new && !self.above && self.next - self.last >= APART {
                self.last = self.next;
                self.waiting = Some(self.next);
            }
            self.above = new;
            self.next += 1;
        }
        Ok(())
    }

    /// Returns whether much of the short spectrum at `centre` is new.
    fn is_new(
        &mut self,
        transform: &mut Transform<'_>,
        channels: &[Vec<f32>],
        first_frame: i64,
        centre: i64,
    ) -> Result<bool> {
        let mut powers = self.past.pop_back().unwrap_or_default();
        powers.fill(0.0);
        let start = self.plan.start_of_centre(centre);
        let scale = self.plan.power_scale() as f32;
        for samples in channels {
            let spectrum = transform.spectrum(Samples { samples, first_frame }, start)?;
            for (band, power) in powers.iter_mut().enumerate() {
                let bins = self.bands[band]..self.bands[band + 1];
                *power += scale * spectrum[bins].iter().map(transforms::num_complex::Complex::norm_sqr).sum::<f32>();
            }
        }
        let (mut new, mut all, mut power_sum) = (0.0f32, 0.0f32, 0.0f32);
        for (band, &power) in powers.iter().enumerate() {
            let weight = self.bands[band] as f32;
            let most = self.past.range(PAST.start - 1..).map(|past| past[band]).fold(0.0f32, f32::max);
            new += weight * (power - 2.0 * most).max(0.0);
            all += weight * power;
            power_sum += power;
        }
        self.past.push_front(powers);
        Ok(power_sum > MIN_POWER && new > NEW_SHARE * all)
    }

    /// Drops onsets before `frame`.
    pub fn forget_before(&mut self, frame: i64) {
        let gone = self.found.partition_point(|onset| *onset < frame);
        self.found.drain(..gone);
    }

    pub fn state(&self) -> Vec<f64> {
        let waiting = self.waiting.map_or(f64::MIN, |at| at as f64);
        let head = [self.next as f64, f64::from(u8::from(self.above)), self.last as f64, waiting];
        let past = self.past.iter().flatten().map(|power| f64::from(*power));
        let found = self.found.iter().map(|onset| *onset as f64);
        head.into_iter().chain(past).chain(found).collect()
    }

    /// Restores a state. Returns `false` if it does not fit.
    pub fn restore(&mut self, state: &[f64]) -> bool {
        let width = self.bands.len() - 1;
        let Some((head, rest)) = state.split_first_chunk::<4>() else { return false };
        let Some((past, found)) = rest.split_at_checked(width * PAST.end) else { return false };
        (self.next, self.above, self.last) = (head[0] as i64, head[1] != 0.0, head[2] as i64);
        self.waiting = (head[3] > f64::MIN).then_some(head[3] as i64);
        self.past = past.chunks_exact(width).map(|row| row.iter().map(|power| *power as f32).collect()).collect();
        self.found = found.iter().map(|onset| *onset as i64).collect();
        true
    }
}

/// Returns the frame, within `size * 3/2` frames from `start` on, at which the sound starts.
fn place(channels: &[Vec<f32>], first_frame: i64, start: i64, size: i64) -> i64 {
    let block = (size / PLACES as i64).max(1);
    let mut seen = Vec::new();
    let mut energies = [0.0f32; PLACES * 3 / 2];
    for samples in channels {
        seen.clear();
        let end = start + block * energies.len() as i64;
        Samples { samples, first_frame }.extract(start - 1..end, &mut seen);
        for (energy, part) in energies.iter_mut().zip(seen.windows(2).collect::<Vec<_>>().chunks(block as usize)) {
            *energy += part.iter().map(|pair| (pair[1] - pair[0]).powi(2)).sum::<f32>();
        }
    }
    let most = energies.iter().fold(0.0f32, |most, energy| most.max(*energy));
    let least = energies[0].min(most);
    let half = f32::midpoint(least, most);
    let at = energies.iter().position(|energy| *energy >= half).unwrap_or(0);
    start + at as i64 * block + block / 2
}
