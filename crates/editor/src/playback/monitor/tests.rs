//! The monitor behind an engine and an output that the test drives, in lockstep.

use std::f64::consts::TAU;
use std::sync::Arc;

use super::super::engine::Engine;
use super::super::source::{PlaybackSource, PreviewRender, Side};
use super::super::virtual_output::{Synthetic, VirtualSound};
use super::*;
use audio::{AudioBuffer, AudioReader};
use base::progress::Progress;
use dsp::design::Window;
use dsp::measure::analyser::{Averaging, Hold};
use effects::chain::{Chain, MeasuredMap, Node, NodeId, NodeKind};

const RATE: u32 = 48_000;

/// Returns a chain of `nodes` nodes, which the synthetic sources treat as a gain of `1 - nodes / 4`.
fn chain(nodes: usize) -> Chain {
    let kind = NodeKind::Series { nodes: Vec::new() };
    let node = |id| Node { id: NodeId(id as u32), bypass: false, mix: 1.0, label: None, kind: kind.clone() };
    Chain::new((0..nodes).map(node).collect())
}

fn request() -> MonitorRequest {
    let spec = AnalyserSpec { window: Window::BlackmanHarris, size: 4096, averaging: Averaging::Off, hold: Hold::Off };
    let axis = LogAxis::new(20.0, 20_000.0, 600, 0.0).unwrap();
    MonitorRequest { spec, lanes: Lanes::Mix, pair: 0, axis }
}

struct Rig {
    sound: VirtualSound,
    engine: Engine,
    monitor: Monitor,
    now_ns: u64,
}

impl Rig {
    fn new(rate: u32, channels: usize, source: Arc<dyn PlaybackSource>, chain: Chain) -> Self {
        let sound = VirtualSound::new(rate, channels);
        let mut engine = Engine::new(Box::new(sound.clone()), None);
        let mut monitor = Monitor::new(engine.scene());
        monitor.set_on(true);
        engine.load(Some(source), chain, 0, 0);
        Self { sound, engine, monitor, now_ns: 0 }
    }

    /// Makes the output call for `frames` frames, with engine and monitor running in between. Returns the last monitor
    /// frame.
    fn hear(&mut self, frames: usize) -> MonitorFrame {
        for _ in 0..frames / 480 {
            while self.engine.step(self.now_ns) {}
            self.sound.take(480);
            self.now_ns += 480 * 1_000_000_000 / u64::from(RATE);
            self.monitor.listen(self.now_ns).unwrap();
        }
        self.monitor.frame(&request(), self.now_ns).unwrap()
    }
}

fn sine_at(frame: u64, channel: usize) -> f32 {
    let gain = [0.5, 0.25][channel % 2];
    (gain * (TAU * 1000.0 * frame as f64 / f64::from(RATE)).sin()) as f32
}

fn strongest(levels: &[f32]) -> (f64, f64) {
    let axis = request().axis;
    let (point, &db) = levels.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap();
    (axis.hz(point as f64), f64::from(db))
}

fn mono(frame: u64, _: usize) -> f32 {
    sine_at(frame, 0)
}

#[test]
fn both_traces_read_their_levels_at_the_frequency_whichever_is_heard() {
    // A full-scale sine reads 0 dB: one of 0.5 reads -6.02, and half of it -12.04.
    for side in [Side::Processed, Side::Original] {
        let mut rig = Rig::new(RATE, 2, Synthetic::new(RATE, 2, 500_000, mono), chain(2));
        rig.engine.set_side(side, 0);
        rig.engine.play(0, None, 0);
        let frame = rig.hear(48_000);
        assert_eq!((frame.side, frame.sounding, frame.both, frame.rate), (side, true, true, RATE));
        for (levels, wanted_db) in frame.lanes[0].levels.iter().zip([-6.0206, -12.0412]) {
            let (hz, db) = strongest(levels);
            assert!((db - wanted_db).abs() < 0.1, "{side:?} heard: {db} is not {wanted_db} dB");
            assert!((hz / 1000.0).log2().abs() < 0.01, "{hz} Hz");
        }
    }
}

#[test]
fn sides_stay_themselves_when_the_other_is_heard_and_when_the_chain_changes() {
    let mut rig = Rig::new(RATE, 2, Synthetic::new(RATE, 2, 2_000_000, mono), chain(2));
    rig.engine.play(0, None, 0);
    rig.hear(24_000);
    for (side, nodes, wanted_db) in [
        (Side::Original, 2, -12.04),
        (Side::Original, 3, -18.06),
        (Side::Processed, 3, -18.06),
        (Side::Processed, 0, -6.02),
    ] {
        rig.engine.set_side(side, rig.now_ns);
        rig.engine.set_chain(chain(nodes), rig.now_ns);
        let frame = rig.hear(24_000);
        let found = [0, 1].map(|place: usize| strongest(&frame.lanes[0].levels[place]).1);
        assert!((found[0] + 6.02).abs() < 0.1 && (found[1] - wanted_db).abs() < 0.1, "{side:?}, {nodes}: {found:?}");
    }
    let before = rig.hear(4_800);
    rig.engine.set_matched(true, rig.now_ns);
    let after = rig.hear(4_800);
    assert!(after.sequence > before.sequence);
}

/// A recording of clicks with a chain that delays everything and compensates for it: the output is on time.
struct Delayed(Arc<Synthetic>);

struct HeldBack {
    inner: Box<dyn AudioReader>,
    frames: usize,
    waiting: AudioBuffer,
    position: u64,
}

const HELD_BACK: usize = 1234;

impl PlaybackSource for Delayed {
    fn format(&self) -> AudioFormat {
        self.0.format
    }

    fn frames(&self) -> u64 {
        self.0.frames
    }

    fn original(&self) -> Result<Box<dyn AudioReader>> {
        self.0.original()
    }

    fn processed(&self, _: &Chain, _: &MeasuredMap) -> Result<Box<dyn PreviewRender>> {
        Ok(Box::new(HeldBack {
            inner: self.0.original()?,
            frames: HELD_BACK,
            waiting: AudioBuffer::default(),
            position: 0,
        }))
    }

    fn is_measured(&self, _: &Chain, _: &MeasuredMap) -> Result<bool> {
        Ok(true)
    }

    fn measure(&self, _: &Chain, _: &Progress) -> Result<MeasuredMap> {
        Ok(MeasuredMap::default())
    }
}

impl AudioReader for HeldBack {
    fn format(&self) -> AudioFormat {
        self.inner.format()
    }

    fn frames(&self) -> u64 {
        self.inner.frames()
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        // Behaves like a renderer with look-ahead: it reads `self.frames` frames before it returns the first.
        self.inner.seek(frame)?;
        self.inner.read(&mut self.waiting, self.frames)?;
        self.position = frame;
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        if self.waiting.channels() == 0 {
            self.seek(self.position)?;
        }
        let mut more = AudioBuffer::default();
        self.inner.read(&mut more, frames)?;
        self.waiting.extend_from(&more, 0..more.frames());
        let count = frames.min(self.waiting.frames());
        *out = AudioBuffer::new(self.waiting.channels(), 0);
        out.extend_from(&self.waiting, 0..count);
        let mut rest = AudioBuffer::new(self.waiting.channels(), 0);
        rest.extend_from(&self.waiting, count..self.waiting.frames());
        self.waiting = rest;
        self.position += count as u64;
        Ok(())
    }
}

impl PreviewRender for HeldBack {
    fn set_chain(&mut self, _: &Chain, _: &MeasuredMap) -> Result<()> {
        Ok(())
    }
}

/// Returns a different value for every frame, so that a shift by one is visible.
fn marks(frame: u64, channel: usize) -> f32 {
    let mixed = frame.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(channel as u64 * 77);
    (mixed >> 40) as f32 / (1 << 24) as f32 - 0.5
}

#[test]
fn both_histories_are_the_same_moment_through_latency_rates_seeks_and_loops() {
    for (source_rate, exact) in [(RATE, true), (44_100, false)] {
        for side in [Side::Processed, Side::Original] {
            let source = Arc::new(Delayed(Synthetic::new(source_rate, 2, 400_000, marks)));
            let mut rig = Rig::new(RATE, 2, source, Chain::default());
            rig.engine.set_side(side, 0);
            rig.engine.play(1_000, None, 0);
            rig.hear(24_000);
            rig.engine.seek(100_000);
            rig.hear(24_000);
            rig.engine.set_repeat(Some(120_000..130_000));
            rig.hear(48_000);
            let end = rig.monitor.heard.end();
            let [dry, wet] = [0, 1].map(|place: usize| rig.monitor.sides[place].range(0, end - 9_600..end).to_vec());
            let heard = rig.monitor.heard.range(0, end - 9_600..end);
            assert!(heard.iter().any(|&sample| sample != 0.0));
            let worst = dry.iter().zip(&wet).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            if exact {
                assert_eq!(worst, 0.0, "{side:?} heard at {source_rate} Hz");
            } else {
                assert!(worst < 1e-5, "{side:?} heard at {source_rate} Hz: {worst}");
            }
            // The negative control: a shift by a single frame is refused.
            let shifted = dry.iter().skip(1).zip(&wet).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(shifted > 0.1, "{shifted}");
        }
    }
}

#[test]
fn what_is_shown_is_what_is_heard_now_not_what_was_put_out() {
    let step = |frame: u64, _: usize| if frame < 24_000 { 0.0 } else { sine_at(frame, 0) };
    let mut rig = Rig::new(RATE, 2, Synthetic::new(RATE, 2, 500_000, step), chain(1));
    rig.sound.set_latency_ns(200_000_000);
    rig.engine.play(0, None, 0);
    // After 0.65 s of output, 0.45 s have been heard: still silence.
    let frame = rig.hear(31_200);
    assert!(frame.lanes[0].levels.iter().all(|levels| strongest(levels).1 < -150.0));
    let frame = rig.hear(14_400);
    let found = [0, 1].map(|place: usize| strongest(&frame.lanes[0].levels[place]).1);
    assert!((found[0] + 6.02).abs() < 0.1 && (found[1] + 8.52).abs() < 0.1, "{found:?}");
}

#[test]
fn mixtures_are_those_of_the_pair() {
    let mut rig = Rig::new(RATE, 2, Synthetic::new(RATE, 2, 500_000, sine_at), chain(0));
    rig.engine.play(0, None, 0);
    rig.hear(24_000);
    let mut at = |lanes: Lanes| {
        let frame = rig.monitor.frame(&MonitorRequest { lanes, ..request() }, rig.now_ns).unwrap();
        frame.lanes.iter().map(|lane| strongest(&lane.levels[0]).1).collect::<Vec<_>>()
    };
    let near = |found: Vec<f64>, wanted: &[f64]| {
        assert_eq!(found.len(), wanted.len());
        assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 0.1), "{found:?} is not {wanted:?}");
    };
    near(at(Lanes::Mix), &[-8.52]);
    near(at(Lanes::Each), &[-6.02, -12.04]);
    near(at(Lanes::MidSide), &[-8.52, -18.06]);
}

#[test]
fn the_image_of_the_pair_is_told_also_for_one_channel_and_for_many() {
    let inverted = |frame: u64, channel: usize| sine_at(frame, 0) * [1.0, -1.0, 0.5, 0.5][channel % 4];
    let mut rig = Rig::new(RATE, 4, Synthetic::new(RATE, 4, 500_000, inverted), chain(0));
    rig.engine.play(0, None, 0);
    rig.hear(48_000);
    rig.hear(24_000);
    let frame = rig.hear(480);
    assert_eq!((frame.pair, frame.channels), ([0, 1], 4));
    assert!((frame.correlation.unwrap() + 1.0).abs() < 1e-6);
    assert!(!frame.goniometer.is_empty() && frame.goniometer.iter().all(|[_, mid]| mid.abs() < 1e-6));
    let second = MonitorRequest { pair: 9, ..request() };
    rig.monitor.frame(&second, rig.now_ns).unwrap();
    for _ in 0..100 {
        while rig.engine.step(rig.now_ns) {}
        rig.sound.take(480);
        rig.now_ns += 10_000_000;
        rig.monitor.frame(&second, rig.now_ns).unwrap();
    }
    let frame = rig.monitor.frame(&second, rig.now_ns).unwrap();
    assert_eq!(frame.pair, [2, 3], "the last pair there is");
    assert!((frame.correlation.unwrap() - 1.0).abs() < 1e-6);

    let mut rig = Rig::new(RATE, 1, Synthetic::new(RATE, 1, 500_000, mono), chain(0));
    rig.engine.play(0, None, 0);
    rig.hear(24_000);
    let frame = rig.hear(480);
    assert_eq!((frame.pair, frame.correlation), ([0, 0], None));
    assert!(frame.goniometer.iter().all(|[side, _]| *side == 0.0));
    assert_eq!((pair_of(0, 3), pair_of(1, 3), pair_of(7, 3)), ([0, 1], [2, 2], [2, 2]));
}

#[test]
fn loudness_counts_from_the_beginning_of_playback() {
    // A sine of -23 dBFS in both channels is -23 LUFS. A mono recording of it is -26, even on two loudspeakers.
    let level = |frame: u64, _: usize| sine_at(frame, 0) * (2.0 * 10f32.powf(-23.0 / 20.0));
    for (channels, wanted) in [(2, -23.0), (1, -26.0)] {
        let mut rig = Rig::new(RATE, 2, Synthetic::new(RATE, channels, 900_000, level), chain(0));
        rig.engine.play(0, None, 0);
        let loudness = rig.hear(5 * 48_000).loudness;
        for found in [loudness.momentary, loudness.short_term, loudness.integrated] {
            assert!((found.unwrap() - wanted).abs() < 0.1, "{channels} channels: {loudness:?}");
        }
        assert!((loudness.true_peak_db.unwrap() + 23.0).abs() < 0.2);
        rig.monitor.reset(MonitorPart::Loudness);
        assert_eq!(rig.hear(480).loudness.integrated, None);
        rig.hear(48_000);
        rig.engine.stop(rig.now_ns);
        rig.hear(4_800);
        rig.engine.play(0, None, rig.now_ns);
        assert_eq!(rig.hear(4_800).loudness.integrated, None, "playing again begins anew");
    }
}

#[test]
fn silence_after_sound_is_shown_once_and_nothing_new_is_no_new_frame() {
    let mut rig = Rig::new(RATE, 2, Synthetic::new(RATE, 2, 500_000, mono), chain(1));
    assert_eq!(rig.hear(480).rate, 0, "before anything was played");
    rig.engine.play(0, None, 0);
    let frame = rig.hear(24_000);
    assert_eq!(rig.monitor.frame(&request(), rig.now_ns).unwrap().sequence, frame.sequence);
    rig.engine.stop(rig.now_ns);
    let frame = rig.hear(9_600);
    assert!(!frame.sounding && frame.lanes[0].levels.iter().all(|levels| strongest(levels).1 < -150.0));
    rig.monitor.set_on(false);
    rig.engine.play(0, None, rig.now_ns);
    let off = rig.hear(9_600);
    assert_eq!((off.rate, off.lanes.len()), (0, 0), "off is off");
    rig.monitor.set_on(true);
    assert!((strongest(&rig.hear(9_600).lanes[0].levels[0]).1 + 6.02).abs() < 0.1, "and on again");
}

#[test]
fn what_the_reader_missed_is_a_gap_and_no_shift() {
    let mut rig = Rig::new(RATE, 2, Synthetic::new(RATE, 2, 900_000, marks), chain(2));
    rig.engine.play(0, None, 0);
    rig.hear(9_600);
    // The monitor sleeps for two seconds, longer than its ring buffer lasts.
    for _ in 0..200 {
        while rig.engine.step(rig.now_ns) {}
        rig.sound.take(480);
        rig.now_ns += 10_000_000;
    }
    rig.hear(9_600);
    let end = rig.monitor.heard.end();
    let [dry, wet] = [0, 1].map(|place: usize| rig.monitor.sides[place].range(1, end - 4_800..end).to_vec());
    assert!(dry.iter().zip(&wet).all(|(dry, wet)| (0.5 * dry - wet).abs() < 1e-6));
    assert!(dry.iter().any(|&sample| sample != 0.0));
}
