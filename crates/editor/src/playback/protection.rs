//! Hearing protection: the last step before the device.
//!
//! `NaN` and infinite samples become silence. No sample exceeds full scale. If the level rises far above full scale, as
//! with feedback or an unstable filter, the output is muted until playback begins again: a clipped signal at full scale
//! is loud enough to damage hearing. This code never allocates, blocks or fails.

/// A single sample of this magnitude mutes: 20 dB above full scale. Loud music through a chain that adds 12 dB stays
/// below it.
const PEAK: f32 = 10.0;
/// A mean square of this size mutes: an RMS of 6 dB above full scale, 9 dB above a full-scale sine. No recording
/// reaches it: a full-scale square wave has 0 dB, loud music -8 dB.
const MEAN_SQUARE: f64 = 4.0;
/// The mean square covers the last ten blocks, each a tenth of [`MEAN_MS`].
const TENTHS: usize = 10;
/// The time over which mean squares are taken, in milliseconds.
const MEAN_MS: u32 = 100;
/// The length of the fade to silence, in milliseconds.
const FADE_MS: u32 = 3;

/// Whether the output is open, closing or muted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// Fading out, with the number of frames faded so far.
    Closing(usize),
    Closed,
}

/// The hearing protection of one output.
#[derive(Debug)]
pub(super) struct Protection {
    channels: usize,
    fade_frames: usize,
    tenth_frames: usize,
    state: State,
    /// Sums of squares of each channel over the last ten blocks.
    squares: Box<[[f64; TENTHS]]>,
    tenth: usize,
    /// Frames summed in the current block.
    summed: usize,
}

impl Protection {
    pub fn new(rate: u32, channels: usize) -> Self {
        Self {
            channels,
            fade_frames: (rate * FADE_MS / 1000).max(1) as usize,
            tenth_frames: (rate * MEAN_MS / 1000 / TENTHS as u32).max(1) as usize,
            state: State::Open,
            squares: vec![[0.0; TENTHS]; channels].into_boxed_slice(),
            tenth: 0,
            summed: 0,
        }
    }

    /// Silences non-finite samples and, while muted, all others. Sound resumes at frame `unmute_at`. Returns the number
    /// of non-finite samples.
    pub fn admit(&mut self, out: &mut [f32], unmute_at: Option<usize>) -> u32 {
        let mut not_finite = 0;
        for sample in out.iter_mut() {
            if !sample.is_finite() {
                *sample = 0.0;
                not_finite += 1;
            }
        }
        if self.state != State::Open
            && let Some(frame) = unmute_at
        {
            out[..frame * self.channels].fill(0.0);
            self.open();
        } else if self.state == State::Closed {
            out.fill(0.0);
        }
        not_finite
    }

    /// Limits samples to full scale. If `mutes` is set and the sound is too loud, begins to mute and returns the level:
    /// the largest magnitude in the rest of this call.
    pub fn limit(&mut self, out: &mut [f32], mutes: bool) -> Option<f32> {
        self.limit_with(out, mutes, |_| 1.0)
    }

    /// Does the same with a gain for each frame, which `gain` takes from the frame. The level counts before it.
    pub fn limit_with(&mut self, out: &mut [f32], mutes: bool, mut gain: impl FnMut(&[f32]) -> f32) -> Option<f32> {
        let mut level = None;
        for frame in out.chunks_exact_mut(self.channels) {
            if self.state == State::Open
                && let Some(excess) = self.excess(frame)
                && mutes
            {
                self.state = State::Closing(0);
                level = Some(excess);
            }
            if let Some(level) = &mut level {
                *level = frame.iter().fold(*level, |level, sample| level.max(sample.abs()));
            }
            let gain = gain(frame) * self.next_gain();
            for sample in frame {
                // Unmuted samples within full scale keep every bit.
                *sample = (*sample * gain).clamp(-1.0, 1.0);
            }
        }
        level
    }

    /// Returns the gain of the next frame.
    fn next_gain(&mut self) -> f32 {
        match self.state {
            State::Open => 1.0,
            State::Closed => 0.0,
            State::Closing(faded) => {
                let faded = faded + 1;
                self.state = if faded < self.fade_frames { State::Closing(faded) } else { State::Closed };
                1.0 - faded as f32 / self.fade_frames as f32
            }
        }
    }

    /// Measures a frame. Returns its level if that is too loud.
    fn excess(&mut self, frame: &[f32]) -> Option<f32> {
        let mut peak = 0f32;
        for (sample, squares) in frame.iter().zip(&mut self.squares) {
            peak = peak.max(sample.abs());
            squares[self.tenth] += f64::from(*sample) * f64::from(*sample);
        }
        if peak > PEAK {
            return Some(peak);
        }
        self.summed += 1;
        if self.summed < self.tenth_frames {
            return None;
        }
        self.summed = 0;
        let frames = (TENTHS * self.tenth_frames) as f64;
        let loudest = self.squares.iter().map(|tenths| tenths.iter().sum::<f64>() / frames).fold(0.0, f64::max);
        self.tenth = (self.tenth + 1) % TENTHS;
        for squares in &mut self.squares {
            squares[self.tenth] = 0.0;
        }
        (loudest > MEAN_SQUARE).then(|| loudest.sqrt() as f32)
    }

    fn open(&mut self) {
        self.state = State::Open;
        self.squares.fill([0.0; TENTHS]);
        (self.tenth, self.summed) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u32 = 48_000;

    /// Runs samples of one channel through the protection in calls of `call` frames. Returns the output, the number of
    /// non-finite samples, and the call and level at which it muted.
    fn run(samples: &[f32], call: usize, mutes: bool) -> (Vec<f32>, u32, Option<(usize, f32)>) {
        let mut protection = Protection::new(RATE, 1);
        let (mut out, mut not_finite, mut muted) = (samples.to_vec(), 0, None);
        for (n, piece) in out.chunks_mut(call).enumerate() {
            not_finite += protection.admit(piece, None);
            if let Some(level) = protection.limit(piece, mutes) {
                assert_eq!(muted, None, "muted once");
                muted = Some((n, level));
            }
        }
        (out, not_finite, muted)
    }

    fn sine(amplitude: f32, frames: usize) -> Vec<f32> {
        (0..frames).map(|n| amplitude * (n as f32 * 0.0577).sin()).collect()
    }

    #[test]
    fn what_is_not_a_number_or_infinite_is_silence_and_counted() {
        let strange = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        let mut samples = sine(0.5, 4_800);
        for (n, value) in strange.into_iter().enumerate() {
            samples[1_000 * (n + 1)] = value;
        }
        for mutes in [true, false] {
            let (out, not_finite, muted) = run(&samples, 480, mutes);
            assert_eq!((not_finite, muted), (4, None));
            for (n, (out, sample)) in out.iter().zip(&samples).enumerate() {
                assert_eq!(*out, if sample.is_finite() { *sample } else { 0.0 }, "sample {n}");
            }
        }
    }

    /// The negative control: nothing that a recording can hold is changed, however loud.
    #[test]
    fn full_scale_stays_as_it_is_to_the_bit() {
        let square: Vec<f32> = (0..96_000).map(|n| if n / 50 % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let edges = [-0.0, f32::MIN_POSITIVE, f32::from_bits(1), -1.0, 1.0, 1.0 - f32::EPSILON].repeat(2_000);
        for samples in [square, sine(1.0, 96_000), edges] {
            for call in [1, 480, 1_000] {
                let (out, not_finite, muted) = run(&samples, call, true);
                assert!(out.iter().zip(&samples).all(|(out, sample)| out.to_bits() == sample.to_bits()));
                assert_eq!((not_finite, muted), (0, None));
            }
        }
        // Samples above full scale are limited, but a few dB above it do not mute.
        let (out, _, muted) = run(&sine(1.5, 96_000), 480, true);
        assert_eq!(muted, None);
        assert_eq!(out.iter().fold(0f32, |peak, sample| peak.max(sample.abs())), 1.0);
    }

    #[test]
    fn far_beyond_full_scale_it_mutes_within_milliseconds_and_says_how_loud() {
        // 68 dB over full scale.
        let mut samples = sine(0.5, 4_800);
        samples.extend(sine(2_512.0, 48_000));
        for call in [64, 480, 4_096] {
            let (out, _, muted) = run(&samples, call, true);
            assert!(out[..4_800] == samples[..4_800], "untouched before");
            assert!(out.iter().all(|sample| sample.abs() <= 1.0));
            assert!(out[4_800 + 192..].iter().all(|&sample| sample == 0.0), "silent after 4 ms");
            let (_, level) = muted.unwrap();
            assert!(level > 10.0 && level <= 2_512.0, "{level}");
        }
        let (out, _, muted) = run(&samples, 480, false);
        assert!(muted.is_none() && out.iter().all(|sample| sample.abs() <= 1.0) && out[40_000..] != [0.0; 12_800]);
    }

    #[test]
    fn what_stays_loud_mutes_within_a_tenth_of_a_second_and_a_moment_does_not() {
        // A sine of 10.5 dB over full scale: an RMS of 7.5 dB.
        let (out, _, muted) = run(&sine(3.35, 48_000), 480, true);
        assert!(muted.is_some_and(|(call, level)| call <= 10 && level > 1.9), "{muted:?}");
        assert!(out[4_800 + 200..].iter().all(|&sample| sample == 0.0));
        // A burst of 30 ms counts as a normal peak.
        let mut samples = sine(3.35, 1_440);
        samples.extend(sine(0.9, 48_000));
        assert_eq!(run(&samples, 480, true).2, None);
    }

    #[test]
    fn an_unstable_filter_is_muted_before_it_overflows() {
        let (mut a, mut b) = (0.001f32, 0f32);
        let samples: Vec<f32> = (0..96_000)
            .map(|_| {
                (a, b) = (1.9985 * a - 1.002 * b, a);
                a
            })
            .collect();
        assert!(samples.iter().any(|sample| !sample.is_finite()), "it does run away");
        let (out, not_finite, muted) = run(&samples, 512, true);
        assert!(muted.is_some() && not_finite > 0);
        let loud = out.iter().filter(|sample| sample.abs() > 0.9).count();
        assert!(loud < 6_000, "{loud} loud samples");
        assert_eq!(out.last(), Some(&0.0));
    }

    #[test]
    fn it_sounds_again_from_the_frame_on_where_playback_begins() {
        let mut protection = Protection::new(RATE, 2);
        let mut loud = vec![100.0f32; 2 * 480];
        protection.admit(&mut loud, None);
        assert_eq!(protection.limit(&mut loud, true), Some(100.0));
        let mut next = vec![0.5f32; 2 * 480];
        protection.admit(&mut next, None);
        assert!(next.iter().all(|&sample| sample == 0.0), "muted before it is metered");
        let mut again = vec![0.5f32; 2 * 480];
        protection.admit(&mut again, Some(100));
        assert_eq!(protection.limit(&mut again, true), None);
        assert!(again[..200].iter().all(|&sample| sample == 0.0) && again[200..].iter().all(|&sample| sample == 0.5));
    }
}
