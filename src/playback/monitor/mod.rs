//! What is heard, looked at while it sounds: spectra of both sides, the stereo image, loudness.
//!
//! ```text
//! Callback -> Tap (ring) -> Monitor -> History of what is heard, of the original and of the processed side
//! Engine -> Scene -------->            -> Spectra, Image, LoudnessMeter -> MonitorFrame
//! ```
//!
//! The tap gives what is heard. The other side of the same moment is read through a deck of the monitor's own, from the
//! output frames that the scene says belong to the tap's. All three histories count the frames that the output was given,
//! so that a window of one is the same moment in the others, and what is shown is what is heard now: the output's own
//! delay is waited for. All of it happens on the monitor's thread, and only while somebody looks.

mod history;
mod scene;
mod sides;
mod spectra;
#[cfg(test)]
mod tests;
mod thread;

pub(super) use scene::{Heard, Scene, SharedScene};
pub(super) use thread::MonitorThread;

use std::collections::VecDeque;

use self::history::History;
use self::sides::OtherSide;
use self::spectra::Spectra;
use super::source::Side;
use super::tap::{Tap, TapBlock};
use crate::audio::AudioFormat;
use crate::error::Result;
use crate::measure::analyser::{AnalyserSpec, Axis};
use crate::measure::loudness::{LoudnessMeter, LoudnessReading};
use crate::measure::stereo::{Correlation, goniometer};
use crate::units::SampleRate;

/// Points of the goniometer in one frame, at most.
const GONIOMETER_POINTS: u64 = 1024;
/// Blocks whose time is remembered.
const TIMED_BLOCKS: usize = 4096;

/// Which mixtures of the channels have a spectrum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonitorLanes {
    /// The mean of all channels.
    Mix,
    /// Both channels of the pair.
    Each,
    /// Half the sum and half the difference of the pair.
    MidSide,
}

/// What is asked of the monitor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MonitorRequest {
    /// How spectra are computed and move; a change begins anew.
    pub spec: AnalyserSpec,
    /// Of which mixtures.
    pub lanes: MonitorLanes,
    /// Which pair of the output's channels is looked at, from 0; the last one there is at most.
    pub pair: usize,
    /// Where levels are told.
    pub axis: Axis,
}

/// Levels of one mixture of the channels along the axis, in dB re a full-scale sine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MonitorLane {
    /// The original and the processed side.
    pub levels: [Vec<f32>; 2],
    /// Their held peaks, where these are held.
    pub held: Option<[Vec<f32>; 2]>,
}

/// What is heard at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MonitorFrame {
    /// Grows with everything new; the same number is the same frame.
    pub sequence: u64,
    /// Whether it is sound, or the silence after it.
    pub sounding: bool,
    /// The side that is heard.
    pub side: Side,
    /// Whether the other side could be read as well.
    pub both: bool,
    /// The output's rate in hertz; 0 before there was any.
    pub rate: u32,
    /// The output's channels.
    pub channels: usize,
    /// The channels looked at, from 0; the same twice where there is only one.
    pub pair: [usize; 2],
    /// Spectra, one for each mixture.
    pub lanes: Vec<MonitorLane>,
    /// Points of the goniometer since the frame before, `[side, mid]`.
    pub goniometer: Vec<[f32; 2]>,
    /// The pair's correlation; none for silence and for one channel.
    pub correlation: Option<f64>,
    /// Loudness since playback began.
    pub loudness: LoudnessReading,
}

/// What may begin anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonitorReset {
    /// Held peaks.
    Peaks,
    /// Integrated loudness, its range and the true peak.
    Loudness,
}

/// All of the monitor but its thread. Times are by [`super::now_ns`].
pub(super) struct Monitor {
    scene: SharedScene,
    on: bool,
    tap: Option<Tap>,
    other: OtherSide,
    heard: History,
    sides: [History; 2],
    blocks: VecDeque<TapBlock>,
    /// The side of the last frames taken up.
    heard_side: Side,
    /// Up to where loudness and correlation have listened, spectra and goniometer have looked.
    listened: u64,
    looked: u64,
    sounding: bool,
    begins: u64,
    loudness: Option<LoudnessMeter>,
    correlation: Correlation,
    correlated: [usize; 2],
    spectra: Option<Spectra>,
    frame: MonitorFrame,
}

impl Monitor {
    pub fn new(scene: SharedScene) -> Self {
        Self {
            scene,
            on: false,
            tap: None,
            other: OtherSide::default(),
            heard: History::default(),
            sides: [History::default(), History::default()],
            blocks: VecDeque::new(),
            heard_side: Side::default(),
            listened: 0,
            looked: 0,
            sounding: false,
            begins: 0,
            loudness: None,
            correlation: Correlation::default(),
            correlated: [0, 0],
            spectra: None,
            frame: MonitorFrame::default(),
        }
    }

    /// Begins to listen, or ends and lets go of everything that costs.
    pub fn set_on(&mut self, on: bool) {
        if on == self.on {
            return;
        }
        self.on = on;
        if let Some(tap) = &mut self.tap {
            tap.set_wanted(on);
            tap.discard();
        }
        self.begin_anew();
        self.spectra = None;
        self.other = OtherSide::default();
        self.frame = MonitorFrame { sequence: self.frame.sequence + 1, ..MonitorFrame::default() };
    }

    /// Whether it listens.
    pub fn is_on(&self) -> bool {
        self.on
    }

    pub fn reset(&mut self, what: MonitorReset) {
        match what {
            MonitorReset::Peaks => {
                if let Some(spectra) = &mut self.spectra {
                    spectra.forget_peaks();
                }
                for lane in &mut self.frame.lanes {
                    lane.held = None;
                }
            }
            MonitorReset::Loudness => {
                self.loudness = None;
                self.frame.loudness = LoudnessReading::default();
            }
        }
        self.frame.sequence += 1;
    }

    /// Takes up what was put out since the last time, and listens to what of it has been heard by now.
    ///
    /// # Errors
    /// What the loudness of the output cannot be measured for.
    pub fn listen(&mut self, now_ns: u64) -> Result<()> {
        if !self.on {
            return Ok(());
        }
        self.take_up();
        let Some(tap) = &self.tap else { return Ok(()) };
        let (rate, channels) = (tap.rate, tap.channels);
        let until = self.heard_frame(now_ns);
        if until <= self.listened {
            return Ok(());
        }
        let range = self.listened.max(self.heard.start())..until;
        let pair = self.correlated;
        if pair[0] != pair[1] && pair[1] < channels {
            let [left, right] = pair.map(|channel| self.heard.range(channel, range.clone()));
            self.correlation.add(left, right, f64::from(rate));
        }
        self.listened = until;
        self.measure_loudness(range, rate, channels)
    }

    /// What is heard now.
    ///
    /// # Errors
    /// A request that cannot be fulfilled.
    pub fn frame(&mut self, request: &MonitorRequest, now_ns: u64) -> Result<MonitorFrame> {
        if !self.on {
            return Ok(self.frame.clone());
        }
        let changed = self.spectra.as_ref().is_none_or(|spectra| !spectra.fits(request));
        if changed {
            self.spectra = Some(Spectra::new(request)?);
        }
        // A stream whose loudness cannot be measured can be looked at all the same.
        let _ = self.listen(now_ns);
        let (Some(tap), Some(spectra)) = (&self.tap, &mut self.spectra) else { return Ok(self.frame.clone()) };
        let (rate, channels) = (tap.rate, tap.channels);
        let pair = pair_of(request.pair, channels);
        if pair != self.correlated {
            self.correlated = pair;
            self.correlation = Correlation::default();
        }
        let until = self.listened;
        if until > self.looked || changed {
            let seconds = until.saturating_sub(self.looked) as f64 / f64::from(rate);
            self.frame.lanes = spectra.look(request, &self.sides, pair, until, rate, seconds)?;
            let from = self.looked.max(until.saturating_sub(4 * GONIOMETER_POINTS)).max(self.heard.start());
            let step = (until.saturating_sub(from)).div_ceil(GONIOMETER_POINTS).max(1);
            let [left, right] = pair.map(|channel| self.heard.range(channel, from..until));
            let points = left.iter().zip(right).step_by(step as usize);
            self.frame.goniometer = points.map(|(&left, &right)| goniometer(left, right)).collect();
            self.looked = until;
            self.frame.sequence += 1;
        }
        self.frame.sounding = self.sounding;
        self.frame.side = self.heard_side;
        self.frame.both = self.other.is_there();
        self.frame.rate = rate;
        self.frame.channels = channels;
        self.frame.pair = pair;
        self.frame.correlation = self.correlation.value().filter(|_| pair[0] != pair[1]);
        self.frame.loudness = self.loudness.as_mut().map(LoudnessMeter::reading).unwrap_or_default();
        Ok(self.frame.clone())
    }

    fn measure_loudness(&mut self, range: std::ops::Range<u64>, rate: u32, channels: usize) -> Result<()> {
        // A mono recording on two loudspeakers is measured as what it is, so that it reads what its file reads.
        let channels = if self.other.is_mono() { 1 } else { channels };
        let meter = match &mut self.loudness {
            Some(meter) => meter,
            none => none.insert(LoudnessMeter::new(AudioFormat { rate: SampleRate::new(rate)?, channels })?),
        };
        let planes: Vec<&[f32]> = (0..channels).map(|channel| self.heard.range(channel, range.clone())).collect();
        meter.add(&planes)
    }

    /// Moves what was put out into the histories, with the other side of the same frames.
    fn take_up(&mut self) {
        let mut read = Vec::new();
        let mut samples = Vec::new();
        while let Some(block) = self.tap.as_mut().and_then(|tap| tap.next(&mut samples)) {
            read.push((block, std::mem::take(&mut samples)));
        }
        // Looked at after the blocks were read, so that what they played is known by now.
        let scene = std::sync::Arc::clone(&self.scene);
        let mut scene = scene.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(mut tap) = scene.tap.take() {
            tap.set_wanted(true);
            self.tap = Some(tap);
            self.begin_anew();
            read.clear();
        }
        if scene.begins != self.begins {
            self.begins = scene.begins;
            self.loudness = None;
        }
        self.other.follow(&scene);
        drop(scene);
        let Some(channels) = self.tap.as_ref().map(|tap| tap.channels) else { return };
        for (block, samples) in read {
            if block.at != self.heard.end() {
                self.begin_at(block.at, channels);
            }
            self.heard.append_interleaved(&samples, channels);
            self.attribute(block, &samples, channels);
            self.blocks.push_back(block);
        }
        while self.blocks.len() > TIMED_BLOCKS {
            self.blocks.pop_front();
        }
        let keep =
            self.tap.as_ref().map_or(0, |tap| 2 * tap.rate as usize) + crate::measure::analyser::WINDOW_FRAMES.end();
        self.heard.trim(keep);
        self.sides.iter_mut().for_each(|side| side.trim(keep));
    }

    /// Appends a block to the histories of both sides: what was heard to the one it was, what is read of the other.
    fn attribute(&mut self, block: TapBlock, samples: &[f32], channels: usize) {
        let mut done = 0;
        while done < block.content {
            let clock = block.clock + u64::from(done);
            let (heard, until) = self.other.at(clock);
            let count = (until - clock).min(u64::from(block.content - done)) as u32;
            let from = done as usize * channels;
            let [this, that] = sides_of(heard);
            self.sides[this].append_interleaved(&samples[from..from + count as usize * channels], channels);
            let read = self.other.read(clock, count as usize, channels);
            self.sides[that].append_planar(read, count as usize, channels);
            self.heard_side = heard;
            done += count;
        }
        let silent = (block.frames - block.content) as usize;
        let nothing = crate::audio::AudioBuffer::default();
        self.sides.iter_mut().for_each(|side| side.append_planar(&nothing, silent, channels));
        self.sounding = block.content > 0;
    }

    fn begin_anew(&mut self) {
        self.begin_at(0, 0);
        self.loudness = None;
    }

    fn begin_at(&mut self, at: u64, channels: usize) {
        self.heard.begin_at(at, channels);
        self.sides.iter_mut().for_each(|side| side.begin_at(at, channels));
        self.blocks.clear();
        self.listened = at;
        self.looked = at;
        self.correlation = Correlation::default();
    }

    /// The frame put out that is heard at a time, never before one that was heard already.
    fn heard_frame(&self, now_ns: u64) -> u64 {
        let rate = self.tap.as_ref().map_or(0, |tap| u64::from(tap.rate));
        let begun = self.blocks.iter().rev().find(|block| block.heard_ns <= now_ns);
        let frame = begun.map_or(self.listened, |block| {
            let passed = u128::from(now_ns - block.heard_ns) * u128::from(rate) / 1_000_000_000;
            block.at + (passed as u64).min(u64::from(block.frames))
        });
        frame.clamp(self.listened, self.heard.end().max(self.listened))
    }
}

/// The places of the heard side and of the other among the histories.
fn sides_of(heard: Side) -> [usize; 2] {
    match heard {
        Side::Original => [0, 1],
        Side::Processed => [1, 0],
    }
}

/// The channels of a pair: 0 and 1, 2 and 3; a lone last channel is its own.
fn pair_of(pair: usize, channels: usize) -> [usize; 2] {
    let last = channels.saturating_sub(1);
    let first = (2 * pair).min(last - last % 2);
    [first, (first + 1).min(last)]
}
