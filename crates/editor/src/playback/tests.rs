//! The engine on an output that the test drives, in lockstep.

use std::f64::consts::PI;
use std::sync::Arc;

use super::engine::Engine;
use super::source::{PlaybackSource, Side};
use super::virtual_output::{Ramp, Synthetic, VirtualSound};
use effects::chain::{Chain, Node, NodeId, NodeKind};

mod preparation;
#[path = "../../../../tests/playback/resources.rs"]
mod resources;
mod soak;
mod time_mapping;

const RATE: u32 = 48_000;
/// Frames of a cross-fade at [`RATE`].
const FADE: usize = 384;

/// Returns a chain of `nodes` nodes, which the synthetic sources treat as a gain of `1 - nodes / 4`.
fn chain(nodes: usize) -> Chain {
    let node = |id| Node {
        id: NodeId(id as u32),
        bypass: false,
        mix: 1.0,
        label: None,
        kind: NodeKind::Series { nodes: Vec::new() },
    };
    Chain::new((0..nodes).map(node).collect())
}

struct Rig {
    sound: VirtualSound,
    engine: Engine,
    now_ns: u64,
}

impl Rig {
    fn new(rate: u32, channels: usize, source: Arc<dyn PlaybackSource>) -> Self {
        let sound = VirtualSound::new(rate, channels);
        let mut engine = Engine::new(Box::new(sound.clone()), None);
        engine.load(Some(source), Chain::default(), 0, 0);
        Self { sound, engine, now_ns: 0 }
    }

    /// Lets the worker do all pending work.
    fn settle(&mut self) {
        while self.engine.step(self.now_ns) {}
    }

    /// Makes the output call for `frames` frames in calls of `piece` frames, with the worker running in between.
    fn hear(&mut self, frames: usize, piece: usize) -> Vec<f32> {
        let mut heard = Vec::new();
        let mut left = frames;
        while left > 0 {
            let count = piece.min(left);
            self.settle();
            heard.extend(self.sound.take(count));
            self.now_ns += count as u64 * 1_000_000_000 / u64::from(RATE);
            left -= count;
        }
        self.settle();
        heard
    }

    fn underruns(&self) -> u64 {
        self.engine.transport(self.now_ns).underruns
    }
}

fn ramp() -> Arc<Synthetic> {
    Synthetic::new(RATE, 2, 200_000, Ramp::value)
}

fn sine(frame: u64, channel: usize) -> f32 {
    (0.8 * (2.0 * PI * 440.0 * frame as f64 / f64::from(RATE) + channel as f64).sin()) as f32
}

/// Returns the left channel of interleaved stereo.
fn left(samples: &[f32]) -> Vec<f32> {
    samples.iter().step_by(2).copied().collect()
}

/// Returns the largest second difference: large for a click, small for a slow fade.
fn roughness(samples: &[f32]) -> f32 {
    samples.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).abs()).fold(0.0, f32::max)
}

#[test]
fn at_the_same_rate_every_bit_is_played_from_any_frame() {
    for (from, piece) in [(0, 512), (1, 64), (77_777, 1000)] {
        let mut rig = Rig::new(RATE, 2, ramp());
        rig.engine.play(from, None, 0);
        let heard = rig.hear(100_000, piece);
        for (n, frame) in heard.chunks_exact(2).enumerate() {
            let wanted = [0, 1].map(|channel| Ramp::value(from + n as u64, channel));
            assert_eq!(frame, wanted, "frame {n} from {from}");
        }
        assert_eq!(rig.underruns(), 0);
        assert!(rig.engine.transport(rig.now_ns).playing);
    }
}

#[test]
fn playing_from_the_end_or_beyond_it_ends_at_once() {
    for channels in [1, 2, 6] {
        for from in [200_000, 200_001, u64::MAX / 2] {
            let mut rig = Rig::new(RATE, 2, Synthetic::new(RATE, channels, 200_000, Ramp::value));
            rig.engine.play(from, None, 0);
            assert!(rig.hear(4_800, 480).iter().all(|&sample| sample == 0.0), "{channels} channels from {from}");
            assert!(!rig.engine.transport(rig.now_ns).playing, "{channels} channels from {from}");
        }
    }
}

#[test]
fn at_another_rate_the_conversion_is_played() {
    use audio::{AudioBuffer, AudioReader};
    use base::units::SampleRate;
    use dsp::measure::resample::{ResamplePlan, ResampledReader};
    let plan = ResamplePlan::new(SampleRate::new(44_100).unwrap(), SampleRate::new(RATE).unwrap());
    let mut wanted = AudioBuffer::default();
    let mut reader = ResampledReader::new(Ramp::new(44_100, 2, 200_000), &plan);
    reader.seek(16_000).unwrap();
    reader.read(&mut wanted, 50_000).unwrap();
    let mut rig = Rig::new(RATE, 2, Synthetic::new(44_100, 2, 200_000, Ramp::value));
    rig.engine.play(14_700, None, 0);
    let heard = rig.hear(50_000, 480);
    assert_eq!(left(&heard), wanted.channel(0));
    let frame = rig.engine.transport(rig.now_ns).frame;
    assert!(frame.abs_diff(14_700 + 50_000 * 147 / 160) < 500, "{frame}");
}

#[test]
fn a_loop_has_no_seam() {
    for length in [100, 5_000, 40_000] {
        let mut rig = Rig::new(RATE, 2, ramp());
        rig.engine.set_repeat(Some(1_000..1_000 + length));
        rig.engine.play(900, None, 0);
        let heard = left(&rig.hear(120_000, 480));
        for (n, sample) in heard.iter().enumerate() {
            let frame = 900 + n as u64;
            let frame = if frame < 1_000 + length { frame } else { 1_000 + (frame - 1_000) % length };
            assert_eq!(*sample, Ramp::value(frame, 0), "loop of {length}, frame {n}");
        }
        let transport = rig.engine.transport(rig.now_ns);
        assert!(transport.looping && (900..1_000 + length).contains(&transport.frame), "{transport:?}");
        assert_eq!(transport.underruns, 0);
    }
}

#[test]
fn a_loop_may_be_taken_away_and_put_back_while_it_plays() {
    let mut rig = Rig::new(RATE, 2, ramp());
    rig.engine.play(0, None, 0);
    rig.hear(4_800, 480);
    rig.engine.set_repeat(Some(0..9_600));
    let heard = left(&rig.hear(9_600, 480));
    assert_eq!(heard[4_700], Ramp::value(9_500, 0), "before the seam nothing changes");
    assert_eq!(heard[4_900], Ramp::value(100, 0));
    rig.engine.set_repeat(None);
    let heard = left(&rig.hear(9_600, 480));
    assert_eq!(heard[9_000], Ramp::value(4_800 + 9_000, 0));
    assert!(!rig.engine.transport(rig.now_ns).looping);
}

#[test]
fn changing_sides_keeps_the_time_and_fades_without_a_click() {
    let mut rig = Rig::new(RATE, 2, Synthetic::new(RATE, 2, 500_000, sine));
    rig.engine.set_chain(chain(2), 0);
    rig.engine.play(0, None, 0);
    let mut heard = rig.hear(20_000, 480);
    rig.engine.set_side(Side::Original, rig.now_ns);
    heard.extend(rig.hear(20_000, 480));
    rig.engine.set_side(Side::Processed, rig.now_ns);
    heard.extend(rig.hear(20_000, 480));
    let heard = left(&heard);
    let gain = |n: usize| f64::from(heard[n]) / f64::from(sine(n as u64, 0));
    let settled = |range: std::ops::Range<usize>, wanted: f64| {
        for n in range.filter(|&n| sine(n as u64, 0).abs() > 0.1) {
            assert!((gain(n) - wanted).abs() < 1e-5, "frame {n}: {} is not {wanted}", gain(n));
        }
    };
    settled(0..20_000, 0.5);
    settled(20_000 + FADE + 480..40_000, 1.0);
    settled(40_000 + FADE + 480..60_000, 0.5);
    // A sine's second difference is its amplitude times omega squared. A half-cosine fade of FADE frames over a step of
    // 0.4 adds less than the same amount.
    let curvature = 0.8 * (2.0 * PI * 440.0 / f64::from(RATE)).powi(2);
    let fade = 0.4 * 0.5 * (PI / FADE as f64).powi(2) + 0.4 * 2.0 * PI * 440.0 / f64::from(RATE) * PI / FADE as f64;
    let bound = (curvature + fade) as f32;
    assert!(roughness(&heard) <= bound, "{} > {bound}", roughness(&heard));
    // The negative control: a hard switch at the same places is refused by the same bound.
    let hard: Vec<f32> =
        (0..60_000).map(|n| sine(n, 0) * if (20_050..40_000).contains(&n) { 1.0 } else { 0.5 }).collect();
    assert!(roughness(&hard) > 3.0 * bound, "{}", roughness(&hard));
    assert_eq!(rig.underruns(), 0);
}

#[test]
fn a_change_is_heard_with_the_next_call_and_says_after_how_long() {
    let mut rig = Rig::new(RATE, 2, Synthetic::new(RATE, 2, 500_000, |_, _| 0.5));
    rig.engine.play(0, None, 0);
    rig.hear(30_000, 480);
    for nodes in [1, 3, 0, 2] {
        rig.engine.set_chain(chain(nodes), rig.now_ns);
        let heard = left(&rig.hear(FADE + 480, 480));
        let wanted = 0.5 * (1.0 - nodes as f32 / 4.0);
        assert_eq!(heard[FADE + 1], wanted, "{nodes} nodes");
        // The middle of the fade is at 4 ms; the virtual output has no latency.
        let after_ms = rig.engine.transport(rig.now_ns).heard_after_ms.unwrap();
        assert!((after_ms - 4.0).abs() < 0.1, "{after_ms} ms");
    }
}

#[test]
fn many_changes_in_a_row_all_fade() {
    let mut rig = Rig::new(RATE, 2, Synthetic::new(RATE, 2, 500_000, |_, _| 0.5));
    rig.engine.play(0, None, 0);
    rig.hear(4_800, 480);
    let mut heard = Vec::new();
    for n in 0..200 {
        rig.engine.set_chain(chain(n % 4), rig.now_ns);
        heard.extend(left(&rig.hear(100, 100)));
    }
    heard.extend(left(&rig.hear(4_800, 480)));
    assert_eq!(*heard.last().unwrap(), 0.125, "the last one is in force");
    let steepest = heard.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f32::max);
    let bound = (0.375 * 0.5 * PI / FADE as f64) as f32 * 1.01;
    assert!(steepest <= bound, "{steepest} > {bound}");
    assert_eq!(rig.underruns(), 0);
}

#[test]
fn a_worker_that_comes_late_keeps_the_time() {
    let mut rig = Rig::new(RATE, 2, ramp());
    rig.engine.play(0, None, 0);
    let mut heard = rig.hear(4_800, 480);
    rig.engine.set_side(Side::Original, rig.now_ns);
    // The output calls before the worker has done anything, and before its lane is used.
    heard.extend(rig.sound.take(480));
    rig.settle();
    heard.extend(rig.sound.take(7));
    heard.extend(rig.hear(9_600, 480));
    for (n, sample) in left(&heard).iter().enumerate() {
        let wanted = Ramp::value(n as u64, 0);
        assert!((sample - wanted).abs() < 1e-6, "frame {n}: {sample} is not {wanted}");
    }
}

#[test]
fn a_starved_output_is_counted_and_goes_on_where_it_was() {
    let mut rig = Rig::new(RATE, 2, ramp());
    rig.engine.play(0, None, 0);
    rig.hear(480, 480);
    // A little more than half a second is rendered ahead; the worker sleeps longer than that.
    let mut heard = left(&rig.sound.take(60_000));
    let dry = heard.iter().skip(1).position(|&sample| sample == 0.0).unwrap() + 1;
    assert!((24_000..60_000).contains(&dry), "{dry}");
    assert!(heard[dry..].iter().all(|&sample| sample == 0.0));
    rig.settle();
    assert_eq!(rig.underruns(), 1);
    heard = left(&rig.hear(480, 480));
    assert_eq!(heard[0], Ramp::value(480 + dry as u64, 0), "nothing is skipped");
    rig.engine.stop(rig.now_ns);
    rig.engine.play(0, None, rig.now_ns);
    assert_eq!(rig.underruns(), 0, "counted since playback began");
}

#[test]
fn seeking_while_playing_cross_fades_to_the_place() {
    let mut rig = Rig::new(RATE, 2, ramp());
    rig.engine.play(0, None, 0);
    rig.hear(4_800, 480);
    rig.engine.seek(100_000);
    let heard = left(&rig.hear(4_800, 480));
    assert_eq!(heard[0].to_bits(), {
        let share = (0.5 - 0.5 * (PI * 0.5 / FADE as f64).cos()) as f32;
        let (old, new) = (Ramp::value(4_800, 0), Ramp::value(100_000, 0));
        (old + (new - old) * share).to_bits()
    });
    assert_eq!(heard[FADE], Ramp::value(100_000 + FADE as u64, 0));
    assert!(rig.engine.transport(rig.now_ns).frame.abs_diff(104_800) <= 480);
}

#[test]
fn playing_ends_with_the_recording_or_the_range() {
    for (until, end) in [(None, 200_000), (Some(150_500), 150_500)] {
        let mut rig = Rig::new(RATE, 2, ramp());
        rig.engine.play(150_000, until, 0);
        let heard = left(&rig.hear(60_000, 480));
        let length = (end - 150_000) as usize;
        assert_eq!(heard[length - 1], Ramp::value(end - 1, 0));
        assert!(heard[length..].iter().all(|&sample| sample == 0.0));
        let transport = rig.engine.transport(rig.now_ns);
        assert_eq!((transport.playing, transport.frame, transport.underruns), (false, end, 0));
    }
}

#[test]
fn stopping_fades_out_keeps_the_place_and_lets_the_output_rest() {
    let mut rig = Rig::new(RATE, 2, Synthetic::new(RATE, 2, 500_000, |_, _| 0.5));
    rig.engine.play(10_000, None, 0);
    rig.hear(4_800, 480);
    rig.engine.stop(rig.now_ns);
    assert!(rig.engine.transport(rig.now_ns).frame.abs_diff(14_800) <= 480);
    let heard = left(&rig.hear(1_000, 250));
    assert!(heard[0] < 0.5 && heard[0] > 0.499 && heard[FADE..].iter().all(|&sample| sample == 0.0));
    assert!(heard.windows(2).all(|w| (w[1] - w[0]).abs() < 0.003));
    assert!(rig.sound.is_running());
    rig.hear(110_000, 480);
    assert!(!rig.sound.is_running());
    assert!(rig.engine.meters().peak.iter().all(|&peak| peak == 0.0));
    rig.engine.play(20_000, None, rig.now_ns);
    assert!(rig.sound.is_running());
    assert_eq!(rig.hear(480, 480)[0], 0.5);
}

#[test]
fn channels_are_mixed_and_metered() {
    let source = Synthetic::new(RATE, 1, 100_000, |frame, _| if frame % 2 == 0 { 1.5 } else { -0.5 });
    let mut rig = Rig::new(RATE, 4, source);
    rig.engine.play(0, None, 0);
    let heard = rig.hear(4_800, 480);
    // The device receives full scale at most; the meters show how far the level is above it.
    assert_eq!(heard[..8], [1.0, 1.0, 0.0, 0.0, -0.5, -0.5, 0.0, 0.0]);
    let meters = rig.engine.meters();
    assert_eq!((&meters.peak[..], meters.clipped), (&[1.5, 1.5, 0.0, 0.0][..], 4_800));
    assert!((meters.rms[0] - 1.25f64.sqrt()).abs() < 1e-6, "{:?}", meters.rms);
}

#[test]
fn what_is_far_too_loud_is_muted_until_playback_begins_again() {
    // 40 dB too loud from frame 20,000 to 60,000.
    let source = Synthetic::new(RATE, 2, 500_000, |frame, channel| {
        sine(frame, channel) * if (20_000..60_000).contains(&frame) { 125.0 } else { 1.0 }
    });
    let mut rig = Rig::new(RATE, 2, source);
    rig.engine.play(0, None, 0);
    let heard = left(&rig.hear(30_000, 480));
    assert!(heard[..20_000].iter().zip(0..).all(|(&sample, n)| sample == sine(n, 0)));
    assert!(heard.iter().all(|sample| sample.abs() <= 1.0));
    assert!(heard[20_000 + 300..].iter().all(|&sample| sample == 0.0));
    let transport = rig.engine.transport(rig.now_ns);
    assert!(!transport.playing && transport.frame.abs_diff(20_000) < 2_000, "{transport:?}");
    assert!(transport.muted_db.is_some_and(|db| (38.0..42.0).contains(&db)), "{:?}", transport.muted_db);
    // From a quiet position it sounds immediately; from a loud one it is muted again.
    rig.engine.play(100_000, None, rig.now_ns);
    assert_eq!(rig.engine.transport(rig.now_ns).muted_db, None);
    assert_eq!(left(&rig.hear(4_800, 480))[4_000], sine(104_000, 0));
    rig.engine.seek(30_000);
    rig.hear(4_800, 480);
    assert!(rig.engine.transport(rig.now_ns).muted_db.is_some() && !rig.engine.transport(rig.now_ns).playing);
    // Playback is started again within the same call, before the output has paused.
    rig.engine.play(120_000, None, rig.now_ns);
    assert_eq!(left(&rig.hear(4_800, 480))[4_000], sine(124_000, 0));
    // With muting turned off, it continues at full scale.
    rig.engine.set_mutes(false);
    rig.engine.seek(30_000);
    let heard = rig.hear(9_600, 480);
    assert!(rig.engine.transport(rig.now_ns).playing && heard.iter().all(|sample| sample.abs() <= 1.0));
    assert!(heard[12_000..].contains(&1.0));
}

#[test]
fn what_is_not_a_number_is_silent_and_counted() {
    let source = Synthetic::new(RATE, 2, 100_000, |frame, _| match frame % 1_000 {
        0 => f32::NAN,
        1 => f32::INFINITY,
        _ => 0.25,
    });
    let mut rig = Rig::new(RATE, 2, source);
    rig.engine.play(0, None, 0);
    let heard = rig.hear(9_600, 480);
    assert!(heard.chunks_exact(2).zip(0..).all(|(frame, n)| frame == [if n % 1_000 < 2 { 0.0 } else { 0.25 }; 2]));
    let (meters, transport) = (rig.engine.meters(), rig.engine.transport(rig.now_ns));
    assert_eq!((meters.not_finite, meters.peak[0], meters.clipped), (40, 0.25, 0));
    assert!(transport.playing && transport.muted_db.is_none() && meters.rms[0].is_finite());
    rig.engine.stop(rig.now_ns);
    rig.engine.play(0, None, rig.now_ns);
    assert_eq!(rig.engine.meters().not_finite, 0, "counted since playback began");
}

#[test]
fn an_output_pulled_out_moves_playback_to_the_new_default() {
    let mut rig = Rig::new(RATE, 2, ramp());
    rig.engine.play(0, None, 0);
    rig.hear(9_600, 480);
    rig.sound.plug("spare", 44_100, 1);
    rig.sound.unplug("main");
    rig.settle();
    let transport = rig.engine.transport(rig.now_ns);
    assert!(transport.playing, "{transport:?}");
    assert_eq!(transport.output.unwrap().id, "spare");
    assert_eq!(rig.sound.open_id().as_deref(), Some("spare"));
    rig.hear(4_410, 441);
    let frame = rig.engine.transport(rig.now_ns).frame;
    assert!(frame.abs_diff(9_600 + 4_800) < 1_000, "{frame}");
}

#[test]
fn without_any_output_playback_pauses_and_says_why() {
    let mut rig = Rig::new(RATE, 2, ramp());
    rig.engine.play(0, None, 0);
    rig.hear(9_600, 480);
    rig.sound.unplug("main");
    rig.settle();
    let transport = rig.engine.transport(rig.now_ns);
    assert!(!transport.playing && transport.frame.abs_diff(9_600) <= 480, "{transport:?}");
    assert!(transport.problem.unwrap().contains("unplugged"));
    rig.engine.play(5, None, rig.now_ns);
    rig.settle();
    let transport = rig.engine.transport(rig.now_ns);
    assert!(!transport.playing && transport.problem.is_some() && transport.frame == 5, "no clock is faked");
    rig.sound.plug("back", 48_000, 2);
    rig.engine.play(5, None, rig.now_ns);
    assert_eq!(left(&rig.hear(480, 480))[0], Ramp::value(5, 0));
    assert_eq!(rig.engine.transport(rig.now_ns).problem, None);
}

#[test]
fn an_output_that_stops_calling_is_given_up() {
    let mut rig = Rig::new(RATE, 2, ramp());
    rig.engine.play(0, None, 0);
    rig.hear(480, 480);
    rig.now_ns += 3_000_000_000;
    rig.settle();
    assert!(rig.engine.transport(rig.now_ns).playing, "it was opened again");
    assert!(left(&rig.hear(480, 480))[0] > 0.0);
}

#[test]
fn the_default_is_followed_and_a_preference_kept() {
    use super::output::SoundHost;
    let mut rig = Rig::new(RATE, 2, ramp());
    rig.engine.play(0, None, 0);
    rig.hear(480, 480);
    rig.sound.plug("second", 96_000, 2);
    let default = rig.sound.clone().find(None).ok();
    rig.engine.note_default(default.clone(), rig.now_ns);
    rig.settle();
    assert_eq!(rig.sound.open_id().as_deref(), Some("second"));
    rig.engine.set_preference(Some("main".to_owned()), rig.now_ns);
    rig.settle();
    assert_eq!(rig.sound.open_id().as_deref(), Some("main"));
    rig.engine.note_default(default, rig.now_ns);
    rig.settle();
    assert_eq!(rig.sound.open_id().as_deref(), Some("main"), "a preference does not follow");
    rig.engine.set_preference(Some("gone".to_owned()), rig.now_ns);
    rig.settle();
    let transport = rig.engine.transport(rig.now_ns);
    assert!(transport.playing && transport.problem.is_some_and(|problem| problem.contains("SECOND")));
}

#[test]
fn a_chain_that_cannot_run_is_told_and_the_last_good_one_heard() {
    let mut rig = Rig::new(RATE, 2, Synthetic::new(RATE, 2, 500_000, |_, _| 0.5));
    rig.engine.set_chain(chain(2), 0);
    rig.engine.play(0, None, 0);
    rig.hear(4_800, 480);
    rig.engine.set_chain(chain(5), rig.now_ns);
    let heard = rig.hear(4_800, 480);
    assert!(heard.iter().all(|&sample| sample == 0.25));
    assert!(rig.engine.transport(rig.now_ns).problem.is_some());
    rig.engine.set_chain(chain(0), rig.now_ns);
    rig.hear(4_800, 480);
    assert_eq!(rig.engine.transport(rig.now_ns).problem, None);
}

#[test]
fn matched_loudness_is_measured_and_applied() {
    let mut rig = Rig::new(RATE, 2, Synthetic::new(RATE, 2, 100_000, sine));
    rig.engine.set_chain(chain(2), 0);
    rig.engine.set_matched(true, 0);
    rig.engine.play(0, None, 0);
    assert!(rig.engine.transport(0).stale);
    let started = std::time::Instant::now();
    while rig.engine.transport(0).stale && started.elapsed().as_secs() < 20 {
        rig.settle();
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let gain_db = rig.engine.transport(0).matched_gain_db.unwrap();
    assert!((gain_db - 6.0206).abs() < 0.05, "{gain_db}");
    rig.hear(960, 480);
    let heard = left(&rig.hear(9_600, 480));
    let peak = heard.iter().fold(0f32, |peak, sample| peak.max(sample.abs()));
    assert!((peak - 0.8).abs() < 0.01, "{peak}");
    rig.engine.set_chain(chain(1), 0);
    assert!(rig.engine.transport(0).stale && rig.engine.transport(0).matched_gain_db == Some(gain_db));
}
