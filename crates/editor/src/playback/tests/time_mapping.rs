//! Chains that change the length: the play head, seeks, loops and sides follow the recording's time.

use super::*;
use crate::playback::ChainSource;
use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::error::Result;
use base::units::SampleRate;
use effects::chain::{MeasuredMap, Placement, Rendered, Seeking};

const FRAMES: u64 = 120_000;
/// The tolerance in frames for the delay of the output's reports.
const NEAR: u64 = 600;

/// A rising tone, so that no two positions sound alike.
struct Sweep(u64);

impl AudioReader for Sweep {
    fn format(&self) -> AudioFormat {
        AudioFormat::new(SampleRate::new(RATE).unwrap(), 2)
    }

    fn frames(&self) -> u64 {
        FRAMES
    }

    fn position(&self) -> u64 {
        self.0
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.0 = frame.min(FRAMES);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let end = (self.0 + frames as u64).min(FRAMES);
        let at = |frame: u64| {
            let t = frame as f64 / f64::from(RATE);
            (0.5 * (2.0 * PI * (200.0 + 150.0 * t) * t).sin()) as f32
        };
        let plane: Vec<f32> = (self.0..end).map(at).collect();
        *out = AudioBuffer::from_channels(vec![plane.clone(), plane]);
        self.0 = end;
        Ok(())
    }
}

fn stretched(percent: u32) -> Chain {
    format!("time_stretch({percent} %)").parse().unwrap()
}

/// Returns a rig that plays the sweep through a chain.
fn rig(chain: Chain) -> Rig {
    let open = || Ok(Box::new(Sweep(0)) as Box<dyn AudioReader>);
    let source = ChainSource::new(Arc::new(open), Placement::cpu()).unwrap();
    let mut rig = Rig::new(RATE, 2, Arc::new(source));
    rig.engine.set_chain(chain, 0);
    rig
}

/// Returns the complete output of a chain.
fn whole(chain: &Chain) -> Vec<f32> {
    let mut rendered =
        Rendered::new(chain, Box::new(Sweep(0)), &Placement::cpu(), &MeasuredMap::default(), Seeking::Exact).unwrap();
    let (mut all, mut block) = (Vec::new(), AudioBuffer::default());
    loop {
        rendered.read(&mut block, 1 << 14).unwrap();
        if block.is_empty() {
            return all;
        }
        all.extend_from_slice(block.channel(0));
    }
}

fn worst(heard: &[f32], wanted: &[f32]) -> f32 {
    assert_eq!(heard.len(), wanted.len());
    heard.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn what_is_heard_from_the_cursor_is_what_was_recorded_there() {
    for (percent, times) in [(200, 2.0), (50, 0.5)] {
        let chain = stretched(percent);
        let all = whole(&chain);
        let mut rig = rig(chain);
        rig.engine.play(48_000, None, 0);
        let heard = left(&rig.hear(9_600, 480));
        let from = (48_000.0 * times) as usize;
        assert!(worst(&heard, &all[from..from + 9_600]) < 1e-6, "{percent} %");
        // The negative control: the frame of the same number sounds different.
        assert!(worst(&heard, &all[48_000..57_600]) > 0.1, "{percent} %");
        let head = rig.engine.transport(rig.now_ns).frame;
        assert!(head.abs_diff(48_000 + (9_600.0 / times) as u64) < NEAR, "{percent} %: {head}");
        rig.engine.seek(24_000);
        rig.hear(480, 480);
        let heard = left(&rig.hear(4_800, 480));
        let head = rig.engine.transport(rig.now_ns).frame;
        assert!(head.abs_diff(24_000 + (5_280.0 / times) as u64) < NEAR, "{percent} % after a seek: {head}");
        assert!(heard.iter().any(|sample| sample.abs() > 0.1));
    }
}

#[test]
fn it_ends_where_both_end_and_at_what_was_asked_for() {
    let mut rig = rig(stretched(200));
    rig.engine.play(FRAMES - 4_800, None, 0);
    let heard = left(&rig.hear(14_400, 480));
    assert!(heard[8_000..9_000].iter().any(|sample| sample.abs() > 0.1), "twice as long as recorded");
    assert!(heard[9_700..].iter().all(|&sample| sample == 0.0));
    let transport = rig.engine.transport(rig.now_ns);
    assert!(!transport.playing && transport.frame == FRAMES, "{transport:?}");
    rig.engine.play(10_000, Some(12_400), rig.now_ns);
    let heard = left(&rig.hear(9_600, 480));
    assert!(heard[4_000..4_700].iter().any(|sample| sample.abs() > 0.1));
    assert!(heard[5_300..].iter().all(|&sample| sample == 0.0));
    assert_eq!(rig.engine.transport(rig.now_ns).frame, 12_400);
}

#[test]
fn a_loop_repeats_what_was_selected_of_the_recording() {
    let mut rig = rig(stretched(200));
    rig.engine.set_repeat(Some(24_000..28_800));
    rig.engine.play(24_000, None, 0);
    let heard = left(&rig.hear(28_800, 480));
    assert_eq!(worst(&heard[..9_600], &heard[9_600..19_200]), 0.0);
    assert!(worst(&heard[..4_800], &heard[4_800..9_600]) > 0.1, "all of the selection, not half of it twice");
    let head = rig.engine.transport(rig.now_ns).frame;
    assert!((24_000..28_800).contains(&head), "{head}");
}

#[test]
fn sides_and_chains_change_at_the_same_moment_of_the_recording() {
    let mut rig = rig(stretched(200));
    rig.engine.play(24_000, None, 0);
    rig.hear(19_200, 480);
    rig.engine.set_side(Side::Original, rig.now_ns);
    let heard = left(&rig.hear(9_600, 480));
    let head = rig.engine.transport(rig.now_ns).frame;
    assert!(head.abs_diff(24_000 + 9_600 + 9_600) < NEAR, "{head}");
    let mut wanted = AudioBuffer::default();
    Sweep(24_000 + 9_600 + 4_800).read(&mut wanted, 4_800).unwrap();
    let nearest =
        (0..480).map(|shift| worst(&heard[4_800 - shift..9_600 - shift], wanted.channel(0))).fold(1.0, f32::min);
    assert!(nearest < 1e-6, "the recording goes on where it was heard: {nearest}");
    rig.engine.set_side(Side::Processed, rig.now_ns);
    rig.hear(4_800, 480);
    rig.engine.set_chain(Chain::default(), rig.now_ns);
    rig.hear(9_600, 480);
    let head = rig.engine.transport(rig.now_ns).frame;
    assert!(head.abs_diff(43_200 + 2_400 + 9_600) < 2 * NEAR, "{head}");
    assert_eq!(rig.underruns(), 0);
}
