//! The output's end of live sound: the code that its audio thread runs. It takes no lock, allocates and frees nothing,
//! and does no I/O.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use rtrb::Consumer;

use super::limiter::Limiter;
use crate::playback::callback::CallTime;
use crate::playback::lock::without_locks;
use crate::playback::protection::Protection;

/// The time over which muting fades, in milliseconds.
const MUTE_MS: u32 = 10;
/// Frames over which a skip cross-fades.
const SKIP_FADE: usize = 128;
/// The largest cushion against an uneven supply, as a part of a second.
const CUSHION_PARTS: usize = 4;

/// The state that the threads of live sound share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub muted: AtomicBool,
    pub limits: AtomicBool,
    /// Whether the protection shall let sound through again.
    pub reopen: AtomicBool,
    /// The level that triggered muting, as bits of an `f32`; 0 if none did.
    pub too_loud: AtomicU32,
    /// Output calls that found too few frames.
    pub underruns: AtomicU64,
    /// Losses because too much came.
    pub overruns: AtomicU64,
    /// From the capture of a frame until its output, without the chain.
    pub latency_ns: AtomicU64,
    /// The latency of the input and its waiting frames, from the worker.
    pub before_ns: AtomicU64,
    pub output_ns: AtomicU64,
    /// The largest magnitudes since they were last read, as bits of an `f32`.
    pub input_peak: AtomicU32,
    pub output_peak: AtomicU32,
    /// The frames per call of the input.
    pub call_frames: AtomicU64,
    /// Frames that the output has been given.
    pub played: AtomicU64,
    /// The share of time that the chain took, as bits of an `f32`.
    pub load: AtomicU32,
    pub limited: AtomicBool,
}

impl Shared {
    pub fn raise(peak: &AtomicU32, to: f32) {
        // Bits of magnitudes are ordered like the magnitudes.
        peak.fetch_max(to.to_bits(), Ordering::Relaxed);
    }
}

/// Gives an output the sound that the worker makes.
#[derive(Debug)]
pub struct LiveOutlet {
    ring: Consumer<f32>,
    rate: u32,
    channels: usize,
    shared: Arc<Shared>,
    protection: Protection,
    limiter: Limiter,
    /// The present gain of muting, and its change per frame.
    gain: f32,
    step: f32,
    /// Whether enough has come to begin.
    runs: bool,
    /// The frames that stay in the ring after a call, so that an uneven supply does not run dry.
    cushion: usize,
    /// The smallest number of frames left by a call of the present second, and its frames so far.
    spare: usize,
    counted: usize,
    /// The first frames that were skipped last, and how many of them are faded.
    skipped: Box<[f32]>,
    faded: usize,
}

impl LiveOutlet {
    pub(super) fn new(ring: Consumer<f32>, rate: u32, channels: usize, cushion: usize, shared: Arc<Shared>) -> Self {
        Self {
            ring,
            rate,
            channels,
            shared,
            protection: Protection::new(rate, channels),
            limiter: Limiter::new(rate),
            gain: 0.0,
            step: 1.0 / (rate * MUTE_MS / 1000).max(1) as f32,
            runs: false,
            cushion,
            spare: usize::MAX,
            counted: 0,
            skipped: vec![0.0; SKIP_FADE * channels].into_boxed_slice(),
            faded: SKIP_FADE,
        }
    }

    /// Fills `out` with interleaved samples, all finite and within full scale.
    pub fn fill(&mut self, out: &mut [f32], time: CallTime) {
        without_locks(|| self.fill_frames(out, time));
    }

    fn fill_frames(&mut self, out: &mut [f32], time: CallTime) {
        let frames = out.len() / self.channels;
        let mut there = self.ring.slots() / self.channels;
        if !self.runs {
            let call = self.shared.call_frames.load(Ordering::Relaxed) as usize;
            self.runs = there >= frames + self.cushion.max(call) && call > 0;
        }
        if self.runs && self.counted >= self.rate as usize {
            there -= self.skip_excess();
        }
        let waiting_ns = there as u64 * 1_000_000_000 / u64::from(self.rate);
        let before_ns = self.shared.before_ns.load(Ordering::Relaxed);
        self.shared.output_ns.store(time.latency_ns, Ordering::Relaxed);
        let filled = if self.runs { there.min(frames) } else { 0 };
        // Cannot fail: for the consumer, the number of available samples only grows.
        let _ = self.ring.pop_entire_slice(&mut out[..filled * self.channels]);
        out[filled * self.channels..].fill(0.0);
        if self.faded < SKIP_FADE {
            self.fade_skip(&mut out[..filled * self.channels]);
        }
        if self.runs {
            self.shared.latency_ns.store(before_ns + waiting_ns + time.latency_ns, Ordering::Relaxed);
            self.shared.played.fetch_add(filled as u64, Ordering::Relaxed);
            self.spare = self.spare.min(there - filled);
            self.counted += frames;
            if filled < frames {
                self.shared.underruns.fetch_add(1, Ordering::Relaxed);
                self.runs = false;
                let most = self.rate as usize / CUSHION_PARTS;
                self.cushion = (self.cushion + frames / 2).min(most.max(self.cushion));
            }
        }
        self.finish(out);
    }

    /// Mutes, limits and meters.
    fn finish(&mut self, out: &mut [f32]) {
        let reopen = self.shared.reopen.swap(false, Ordering::Relaxed);
        self.protection.admit(out, reopen.then_some(0));
        let wanted = if self.shared.muted.load(Ordering::Relaxed) { 0.0 } else { 1.0 };
        if self.gain != wanted || wanted == 0.0 {
            for frame in out.chunks_exact_mut(self.channels) {
                self.gain += (wanted - self.gain).clamp(-self.step, self.step);
                frame.iter_mut().for_each(|sample| *sample *= self.gain);
            }
        }
        let limits = self.shared.limits.load(Ordering::Relaxed);
        let (limiter, mut limited) = (&mut self.limiter, false);
        let level = self.protection.limit_with(out, limits, |frame| {
            let gain = if limits { limiter.gain(frame) } else { 1.0 };
            limited |= gain < 1.0;
            gain
        });
        if let Some(level) = level {
            self.shared.too_loud.store(level.to_bits(), Ordering::Relaxed);
        }
        if limited {
            self.shared.limited.store(true, Ordering::Relaxed);
        }
        let peak = out.iter().fold(0f32, |peak, sample| peak.max(sample.abs()));
        Shared::raise(&self.shared.output_peak, peak);
    }

    /// Skips frames that no call of the last second needed: the two devices run on separate clocks, and an accumulated
    /// delay would stay. Returns their number.
    fn skip_excess(&mut self) -> usize {
        let call = self.shared.call_frames.load(Ordering::Relaxed) as usize;
        let excess = self.spare.saturating_sub(2 * self.cushion.max(call));
        (self.spare, self.counted) = (usize::MAX, 0);
        if excess < SKIP_FADE {
            return 0;
        }
        // The beginning of the skipped frames fades into the frames after them.
        let _ = self.ring.pop_entire_slice(&mut self.skipped);
        if let Ok(chunk) = self.ring.read_chunk((excess - SKIP_FADE) * self.channels) {
            chunk.commit_all();
        }
        self.faded = 0;
        self.shared.overruns.fetch_add(1, Ordering::Relaxed);
        excess
    }

    fn fade_skip(&mut self, out: &mut [f32]) {
        let rest = self.skipped[self.faded * self.channels..].chunks_exact(self.channels);
        for (frame, skipped) in out.chunks_exact_mut(self.channels).zip(rest) {
            let share = (self.faded as f32 + 0.5) / SKIP_FADE as f32;
            for (sample, skipped) in frame.iter_mut().zip(skipped) {
                *sample = skipped + (*sample - skipped) * share;
            }
            self.faded += 1;
        }
    }
}
