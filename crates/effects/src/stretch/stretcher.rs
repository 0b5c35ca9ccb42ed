//! Changes the tempo of a stream. Input is pushed; output is produced on request.
//!
//! Output windows are a quarter of their length apart, on a grid counted from the first frame of the stream, so that
//! the result does not depend on block sizes. [`Timeline`] maps each window to a position of the input, [`Onsets`]
//! detects onsets, and [`Vocoder`] aligns the phases of a window with the one before.

use super::envelope::Envelope;
use super::onsets::Onsets;
use super::timeline::{Moment, Timeline};
use super::vocoder::Vocoder;
use audio::{AudioBuffer, AudioFormat};
use base::error::{Error, Result};
use dsp::design::Window;
use dsp::kernels::signal::stft::{StftPlan, StftSpec, Transform};

/// The number of windows over each frame.
const OVERLAP: usize = 4;
/// The sum of squared Hann windows at that overlap.
const WEIGHT: f32 = 1.5;
/// Samples below this count as silence, so that no denormals enter the computation: -600 dB.
const SILENCE: f32 = 1e-30;

/// The settings of a stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StretchSettings {
    /// Output frames per input frame.
    pub ratio: f64,
    /// The approximate length of a window in seconds.
    pub window_s: f64,
    /// Whether onsets stay sharp.
    pub crisp: bool,
    /// The factor by which frequencies are multiplied afterwards, if formants are to stay in place.
    pub formants: Option<f64>,
}

/// A stretch in progress.
#[derive(Debug)]
pub(super) struct Stretcher {
    timeline: Timeline,
    plan: StftPlan,
    /// The input from `held_first` on.
    held: Vec<Vec<f32>>,
    held_first: i64,
    onsets: Option<Onsets>,
    vocoder: Vocoder,
    envelope: Option<Envelope>,
    /// The output sums from `next_out` on.
    sums: Vec<Vec<f32>>,
    next_out: i64,
    next_window: i64,
}

/// Returns the length nearest to `window_s` that is fast to transform.
fn size_of(window_s: f64, format: AudioFormat) -> usize {
    let wanted = window_s * format.rate.as_f64();
    let sizes = (4..15).flat_map(|power| [4usize << power, 5 << power, 6 << power, 7 << power]);
    let sizes = sizes.filter(|size| StftSpec::SIZES.contains(size));
    sizes.min_by(|a, b| (*a as f64 / wanted).ln().abs().total_cmp(&(*b as f64 / wanted).ln().abs())).unwrap_or(64)
}

impl Stretcher {
    pub fn new(wish: StretchSettings, format: AudioFormat) -> Result<Self> {
        let size = size_of(wish.window_s, format);
        let plan = StftPlan::new(StftSpec { window: Window::Hann, size, padding: 1, hop: size / OVERLAP })?;
        let mut stretcher = Self {
            timeline: Timeline::new(wish.ratio, size),
            held: vec![Vec::new(); format.channels],
            held_first: 0,
            onsets: wish.crisp.then(|| Onsets::new(format.rate)).transpose()?,
            vocoder: Vocoder::new(format.channels, plan.bins()),
            envelope: wish.formants.map(|factor| Envelope::new(factor, size, format.rate)),
            sums: vec![Vec::new(); format.channels],
            next_out: 0,
            next_window: 0,
            plan,
        };
        stretcher.begin(0, 0);
        Ok(stretcher)
    }

    fn size(&self) -> i64 {
        self.plan.spec().size as i64
    }

    fn hop(&self) -> i64 {
        self.plan.spec().hop as i64
    }

    /// Returns how many input frames after `s / ratio` are needed before frame `s` can be produced.
    pub fn lookahead(&self) -> u64 {
        let half = self.size() as f64 / 2.0;
        let windows = (half + self.hop() as f64) / self.timeline.ratio;
        let around = match &self.onsets {
            Some(onsets) => self.timeline.looks_ahead() + (onsets.reach() as f64).max(half),
            None => half,
        };
        (windows + around).ceil() as u64 + 2
    }

    /// Returns how many input frames before `s / ratio` frame `s` depends on, apart from carried phases.
    pub fn memory(&self) -> u64 {
        let windows = (self.size() / 2 + self.hop()) as f64 / self.timeline.ratio;
        (windows + self.looks_back()).ceil() as u64
    }

    /// Returns how far before `s / ratio` a window centred on `s` reaches, in frames.
    fn looks_back(&self) -> f64 {
        self.timeline.looks_back() + (self.size() / 2 + self.hop()) as f64 + 2.0
    }

    /// Clears all state. The next input frame is `input`, the next output frame `output`, with silence before.
    pub fn begin(&mut self, input: i64, output: i64) {
        self.held.iter_mut().chain(&mut self.sums).for_each(Vec::clear);
        self.held_first = input;
        self.next_out = output;
        // The first window that reaches beyond that frame.
        self.next_window = (output - self.size() / 2).div_euclid(self.hop()) + 1;
        self.vocoder.clear();
        if let Some(onsets) = &mut self.onsets {
            onsets.begin(input);
        }
    }

    /// Returns whether there was no input yet.
    pub fn is_new(&self) -> bool {
        self.held.iter().all(Vec::is_empty)
    }

    /// Returns the next input frame.
    pub fn next_in(&self) -> i64 {
        self.held_first + self.held.first().map_or(0, Vec::len) as i64
    }

    /// Returns the next output frame.
    pub fn next_out(&self) -> i64 {
        self.next_out
    }

    /// Adds input. Samples that are `NaN` or infinite become silence.
    pub fn push(&mut self, block: &AudioBuffer) -> Result<()> {
        for (held, samples) in self.held.iter_mut().zip(block.iter()) {
            held.extend(samples.iter().map(|x| if x.is_finite() && x.abs() > SILENCE { *x } else { 0.0 }));
        }
        match &mut self.onsets {
            Some(onsets) => onsets.listen(&self.held, self.held_first),
            None => Ok(()),
        }
    }

    /// Appends the output up to frame `end` (excluded). The required input must be present.
    pub fn produce(&mut self, end: i64, out: &mut AudioBuffer) -> Result<()> {
        let plan = self.plan.clone();
        let mut transform = plan.transform();
        while self.next_out < end {
            let summed = self.next_window * self.hop() - self.size() / 2;
            let ready = (summed.min(end) - self.next_out).max(0) as usize;
            if ready == 0 {
                self.add_window(&mut transform)?;
                continue;
            }
            for (sums, out) in self.sums.iter_mut().zip(out.as_mut_vecs()) {
                out.extend(sums.drain(..ready));
            }
            self.next_out += ready as i64;
        }
        self.forget();
        Ok(())
    }

    fn add_window(&mut self, transform: &mut Transform<'_>) -> Result<()> {
        let (size, hop) = (self.size(), self.hop());
        let centre = self.next_window * hop;
        let onsets = self.onsets.as_ref().map_or(&[][..], |onsets| &onsets.found);
        let Moment { frame, onset } = self.timeline.at(centre, onsets);
        self.vocoder.step(transform, &self.held, self.held_first, frame - size / 2, hop as usize, onset)?;
        if let Some(envelope) = &mut self.envelope {
            envelope.apply(&self.vocoder.power, &mut self.vocoder.written)?;
        }
        let start = centre - size / 2 - self.next_out;
        let (skipped, at) = ((-start).max(0) as usize, start.max(0) as usize);
        let scale = 1.0 / (size as f32 * WEIGHT);
        for (sums, written) in self.sums.iter_mut().zip(&self.vocoder.written) {
            sums.resize(sums.len().max(at + size as usize - skipped), 0.0);
            let frames = transform.frames(written)?;
            let window = self.plan.window();
            for ((sum, x), w) in sums[at..].iter_mut().zip(&frames[skipped..]).zip(&window[skipped..]) {
                *sum += scale * *w as f32 * x;
            }
        }
        self.next_window += 1;
        Ok(())
    }

    /// Drops input that no later window needs.
    fn forget(&mut self) {
        let centre = (self.next_window * self.hop()) as f64 / self.timeline.ratio;
        let first = (centre - self.looks_back()).floor() as i64;
        let gone = (first - self.held_first).clamp(0, self.held.first().map_or(0, Vec::len) as i64);
        // The onset detector also needs past input, but that is at the newest end.
        for held in &mut self.held {
            held.drain(..gone as usize);
        }
        self.held_first += gone;
        if let Some(onsets) = &mut self.onsets {
            onsets.forget_before((centre - 4.0 * self.timeline.looks_ahead()) as i64);
        }
    }

    /// Lengths and positions, then the last written spectra, sums, input and onsets.
    pub fn state(&self) -> Vec<f64> {
        let lengths = [self.held.first().map_or(0, Vec::len), self.sums.first().map_or(0, Vec::len)];
        let mut state = vec![self.size() as f64, self.timeline.ratio, lengths[0] as f64, lengths[1] as f64];
        state.extend([self.held_first as f64, self.next_out as f64, self.next_window as f64]);
        state.extend(self.vocoder.written.iter().flatten().flat_map(|y| [f64::from(y.re), f64::from(y.im)]));
        state.extend(self.sums.iter().chain(&self.held).flatten().map(|x| f64::from(*x)));
        state.extend(self.onsets.iter().flat_map(Onsets::state));
        state
    }

    pub fn restore(&mut self, state: &[f64]) -> Result<()> {
        self.take_up(state).ok_or_else(|| Error::Internal("a stretch was given the state of another one".into()))
    }

    fn take_up(&mut self, state: &[f64]) -> Option<()> {
        let (head, mut rest) = state.split_first_chunk::<7>()?;
        if head[0] != self.size() as f64 || head[1] != self.timeline.ratio {
            return None;
        }
        let (channels, bins) = (self.held.len(), self.plan.bins());
        let mut take = |count: usize| -> Option<&[f64]> {
            let (taken, left) = rest.split_at_checked(count)?;
            rest = left;
            Some(taken)
        };
        let written = take(2 * channels * bins)?;
        let sums = take(channels * head[3] as usize)?;
        let held = take(channels * head[2] as usize)?;
        if let Some(onsets) = &mut self.onsets {
            onsets.restore(rest).then_some(())?;
        } else if !rest.is_empty() {
            return None;
        }
        for (to, from) in self.vocoder.written.iter_mut().flatten().zip(written.chunks_exact(2)) {
            (to.re, to.im) = (from[0] as f32, from[1] as f32);
        }
        let samples = |from: &[f64]| from.iter().map(|x| *x as f32).collect::<Vec<_>>();
        for channel in 0..channels {
            self.sums[channel] = samples(&sums[channel * head[3] as usize..][..head[3] as usize]);
            self.held[channel] = samples(&held[channel * head[2] as usize..][..head[2] as usize]);
        }
        (self.held_first, self.next_out, self.next_window) = (head[4] as i64, head[5] as i64, head[6] as i64);
        Some(())
    }
}
