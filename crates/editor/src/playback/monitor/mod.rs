//! The monitor: a live view of what is heard, with spectra of both sides, the stereo image and loudness.
//!
//! ```text
//! Callback -> Tap (ring) -> Monitor -> History of what is heard, of the original and of the processed side
//! Engine -> Scene -------->            -> Spectra, Image, LoudnessMeter -> MonitorFrame
//! ```
//!
//! The tap delivers what is heard. The other side of the same moment is read through the monitor's decks, from the
//! output frames that the scene assigns to the tap's frames. All three histories are indexed by the frames given to the
//! output, so a window in one is the same moment in the others. The monitor waits for the output's latency, so that it
//! shows what is heard now. All of this runs on the monitor's thread, and only while the monitor is on.

mod history;
mod scene;
mod sides;
mod spectra;
#[cfg(test)]
mod tests;
mod thread;

pub(super) use scene::{HeardSegment, SharedScene};
pub(super) use thread::MonitorThread;

use std::collections::VecDeque;

use serde::Deserialize;

use self::history::History;
use self::sides::OtherSide;
use self::spectra::Spectra;
use super::source::Side;
use super::tap::{Tap, TapBlock};
use audio::{AudioFormat, Lanes};
use base::declared::TS;
use base::error::Result;
use base::units::SampleRate;
use dsp::measure::analyser::{AnalyserSpec, LogAxis};
use dsp::measure::loudness::{LoudnessMeter, LoudnessReading};
use dsp::measure::stereo::{Correlation, goniometer};

/// The most goniometer points in one frame.
const GONIOMETER_POINTS: u64 = 1024;
/// The number of blocks whose time is remembered.
const TIMED_BLOCKS: usize = 4096;

/// A request to the monitor: the sound to analyse, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MonitorRequest {
    /// How spectra are computed and smoothed. A change resets them.
    pub spec: AnalyserSpec,
    /// The mixtures of the pair to show.
    pub lanes: Lanes,
    /// The index of the channel pair, from 0; clamped to the last pair of the output.
    pub pair: usize,
    /// The frequency axis of the levels.
    pub axis: LogAxis,
}

/// The levels of one mixture along the axis, in dB re a full-scale sine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MonitorLane {
    /// The levels of the original and of the processed side.
    pub levels: [Vec<f32>; 2],
    /// Their held peaks; `None` if peaks are not held.
    pub held: Option<[Vec<f32>; 2]>,
}

/// The state of the sound at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MonitorFrame {
    /// Increases with every new frame; equal numbers mean the same frame.
    pub sequence: u64,
    /// Whether sound is playing; `false` during silence afterwards.
    pub sounding: bool,
    /// The side that is heard.
    pub side: Side,
    /// Whether the other side could be read too.
    pub both: bool,
    /// The output's rate in Hz; 0 before an output was opened.
    pub rate: u32,
    /// The output's channels.
    pub channels: usize,
    /// The channels of the pair, from 0; both equal if there is only one.
    pub pair: [usize; 2],
    /// The spectra, one per mixture.
    pub lanes: Vec<MonitorLane>,
    /// Goniometer points since the previous frame, `[side, mid]`.
    pub goniometer: Vec<[f32; 2]>,
    /// The correlation of the pair; `None` for silence and for a single channel.
    pub correlation: Option<f64>,
    /// Loudness since playback began.
    pub loudness: LoudnessReading,
}

/// The part of the monitor to reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum MonitorPart {
    /// The held peaks of the analyser.
    Peaks,
    /// Integrated loudness, loudness range and true peak.
    Loudness,
}

/// The monitor without its thread. Times are in nanoseconds of [`super::now_ns`].
pub(super) struct Monitor {
    scene: SharedScene,
    on: bool,
    tap: Option<Tap>,
    other: OtherSide,
    heard: History,
    sides: [History; 2],
    blocks: VecDeque<TapBlock>,
    /// The side of the last frames taken from the tap.
    heard_side: Side,
    /// The end of what loudness and correlation have measured; `looked` is the same for spectra and goniometer.
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

    /// Turns the monitor on, or off with everything released that it uses.
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

    /// Returns whether the monitor is on.
    pub fn is_on(&self) -> bool {
        self.on
    }

    pub fn reset(&mut self, what: MonitorPart) {
        match what {
            MonitorPart::Peaks => {
                if let Some(spectra) = &mut self.spectra {
                    spectra.forget_peaks();
                }
                for lane in &mut self.frame.lanes {
                    lane.held = None;
                }
            }
            MonitorPart::Loudness => {
                self.loudness = None;
                self.frame.loudness = LoudnessReading::default();
            }
        }
        self.frame.sequence += 1;
    }

    /// Reads the new output from the tap, and measures the part that has been heard by now.
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

    /// Returns the state of what is heard now.
    pub fn frame(&mut self, request: &MonitorRequest, now_ns: u64) -> Result<MonitorFrame> {
        if !self.on {
            return Ok(self.frame.clone());
        }
        let changed = self.spectra.as_ref().is_none_or(|spectra| !spectra.fits(request));
        if changed {
            self.spectra = Some(Spectra::new(request)?);
        }
        // A stream without a defined loudness can still be shown.
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
        // A mono recording on two loudspeakers is measured as mono, so that the reading matches that of the file.
        let channels = if self.other.is_mono() { 1 } else { channels };
        let meter = match &mut self.loudness {
            Some(meter) => meter,
            none => none.insert(LoudnessMeter::new(AudioFormat::new(SampleRate::new(rate)?, channels))?),
        };
        let planes: Vec<&[f32]> = (0..channels).map(|channel| self.heard.range(channel, range.clone())).collect();
        meter.add(&planes)
    }

    /// Moves the output into the histories, together with the other side of the same frames.
    fn take_up(&mut self) {
        let mut read = Vec::new();
        let mut samples = Vec::new();
        while let Some(block) = self.tap.as_mut().and_then(|tap| tap.next(&mut samples)) {
            read.push((block, std::mem::take(&mut samples)));
        }
        // The scene is read after the blocks, so that it already covers what they played.
        let scene = std::sync::Arc::clone(&self.scene);
        let mut scene = scene.lock();
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
            self.tap.as_ref().map_or(0, |tap| 2 * tap.rate as usize) + dsp::measure::analyser::WINDOW_FRAMES.end();
        self.heard.trim(keep);
        self.sides.iter_mut().for_each(|side| side.trim(keep));
    }

    /// Appends a block to the histories of both sides: the samples to the side that was heard, and the other side as
    /// read through the decks.
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
        let nothing = audio::AudioBuffer::default();
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

    /// Returns the output frame that is heard at a time, never one before those already heard.
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

/// Returns the indices of the heard side and of the other side in the histories.
fn sides_of(heard: Side) -> [usize; 2] {
    match heard {
        Side::Original => [0, 1],
        Side::Processed => [1, 0],
    }
}

/// Returns the channels of a pair: 0 and 1, 2 and 3, and so on. A single last channel is paired with itself.
fn pair_of(pair: usize, channels: usize) -> [usize; 2] {
    let last = channels.saturating_sub(1);
    let first = (2 * pair).min(last - last % 2);
    [first, (first + 1).min(last)]
}
