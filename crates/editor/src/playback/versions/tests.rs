use std::sync::Arc;

use super::super::capture::Recorded;
use super::super::engine::Engine;
use super::super::virtual_output::VirtualSound;
use super::*;
use base::units::SampleRate;

const NO_CHAIN: Chain = Chain::new(Vec::new());
/// 8 ms at 48 kHz.
const FADE: usize = 384;

/// A sample of a version, whose value identifies the version and the frame.
fn value(version: usize, frame: usize) -> f32 {
    ((frame as f32 * (0.011 + 0.007 * version as f32)).sin() + version as f32) * 0.2
}

fn version(version: usize, frames: usize) -> OpenReader {
    let rate = SampleRate::new(48_000).unwrap();
    let channels = vec![(0..frames).map(|frame| value(version, frame)).collect::<Vec<f32>>(); 2];
    let recorded = Recorded { channels, rate, device_name: String::new(), gaps: 0 };
    Arc::new(move || Ok(Box::new(recorded.clone().into_reader())))
}

fn at(version: usize) -> HeardVersion {
    HeardVersion { version, gain: 1.0 }
}

struct Rig {
    source: Arc<VersionsSource>,
    sound: VirtualSound,
    engine: Engine,
    now_ns: u64,
}

impl Rig {
    fn new(versions: Vec<OpenReader>, heard: HeardVersion) -> Self {
        let source = Arc::new(VersionsSource::new(versions, heard).unwrap());
        let sound = VirtualSound::new(48_000, 2);
        let mut engine = Engine::new(Box::new(sound.clone()), None);
        engine.load(Some(Arc::clone(&source) as Arc<dyn PlaybackSource>), NO_CHAIN, 0, 0);
        Self { source, sound, engine, now_ns: 0 }
    }

    fn switch(&mut self, heard: HeardVersion) {
        self.source.hear(heard);
        self.engine.set_chain(NO_CHAIN, self.now_ns);
    }

    /// Returns the left channel of the output, in calls of 480 frames.
    fn hear(&mut self, calls: usize) -> Vec<f32> {
        let mut heard = Vec::new();
        for _ in 0..calls {
            while self.engine.step(self.now_ns) {}
            heard.extend(self.sound.take(480).iter().step_by(2));
            self.now_ns += 10_000_000;
        }
        heard
    }
}

/// Checks that `heard`, which begins at frame `first`, fades once from one version to the other: every sample before
/// and after, and the curve of the fade between. Returns the frame at which the fade begins.
fn switched_at(heard: &[f32], first: usize, from: HeardVersion, to: HeardVersion) -> Option<usize> {
    let wanted = |of: HeardVersion, n: usize| value(of.version, first + n) * of.gain;
    let begin = (0..heard.len()).find(|&n| heard[n] != wanted(from, n))?;
    for (n, &sample) in heard.iter().enumerate().skip(begin) {
        let phase = (n - begin) as f64 + 0.5;
        let share = if n < begin + FADE { 0.5 - 0.5 * (std::f64::consts::PI * phase / FADE as f64).cos() } else { 1.0 };
        let between = f64::from(wanted(from, n)) * (1.0 - share) + f64::from(wanted(to, n)) * share;
        let exactly = n >= begin + FADE;
        if (f64::from(sample) - between).abs() > if exactly { 0.0 } else { 1e-6 } {
            return None;
        }
    }
    (begin + FADE < heard.len()).then_some(first + begin)
}

#[test]
fn a_switch_is_a_cross_fade_at_the_same_frame_and_exact_before_and_after() {
    let versions = || (0..4).map(|each| version(each, 200_000)).collect();
    let mut rig = Rig::new(versions(), at(0));
    rig.engine.play(5_000, None, 0);
    let mut first = 5_000;
    let mut heard = rig.hear(10);
    let mut now = at(0);
    assert!(heard.iter().enumerate().all(|(n, &sample)| sample == value(0, first + n)));
    for next in [at(2), HeardVersion { version: 1, gain: 0.5 }, at(3), at(0), HeardVersion { version: 0, gain: 0.25 }] {
        first += heard.len();
        rig.switch(next);
        heard = rig.hear(12);
        let begin = switched_at(&heard, first, now, next);
        assert!(begin.is_some_and(|begin| begin < first + 2_400), "from {now:?} to {next:?}: {begin:?}");
        now = next;
    }
    assert_eq!(rig.engine.transport(rig.now_ns).underruns, 0);
    // The negative control: a version that is a frame late is found.
    let late = |each: usize| -> OpenReader {
        let rate = SampleRate::new(48_000).unwrap();
        let channels = vec![(0..200_000).map(|n: usize| value(each, n.saturating_sub(1))).collect::<Vec<f32>>(); 2];
        let recorded = Recorded { channels, rate, device_name: String::new(), gaps: 0 };
        Arc::new(move || Ok(Box::new(recorded.clone().into_reader())))
    };
    let mut rig = Rig::new(vec![version(0, 200_000), late(1)], at(0));
    rig.engine.play(0, None, 0);
    rig.hear(10);
    rig.switch(at(1));
    assert_eq!(switched_at(&rig.hear(12), 4_800, at(0), at(1)), None);
}

#[test]
fn the_last_of_many_quick_choices_is_heard() {
    let mut rig = Rig::new((0..9).map(|each| version(each, 100_000)).collect(), at(0));
    rig.engine.play(0, None, 0);
    rig.hear(5);
    for next in [3, 7, 1, 8, 5] {
        rig.switch(at(next));
    }
    let heard = rig.hear(20);
    let last = heard.len() - 1;
    assert_eq!(heard[last], value(5, 5 * 480 + last));
    assert_eq!(rig.engine.transport(rig.now_ns).underruns, 0);
}

#[test]
fn a_version_that_cannot_be_opened_leaves_the_one_before() {
    let gone: OpenReader = Arc::new(|| Err(Error::Capture("gone".into())));
    let mut rig = Rig::new(vec![version(0, 100_000), gone, version(1, 50_000)], at(0));
    rig.engine.play(0, None, 0);
    rig.hear(5);
    for wrong in [1, 2, 99] {
        rig.switch(at(wrong));
        let heard = rig.hear(5);
        let told = rig.engine.transport(rig.now_ns);
        assert!(told.playing && told.problem.is_some(), "{told:?}");
        assert!(heard.iter().all(|sample| sample.is_finite() && sample.abs() <= 0.2), "still the first one");
    }
    assert!(VersionsSource::new(Vec::new(), at(0)).is_err());
}

#[test]
fn a_version_that_comes_later_is_heard_without_a_stop() {
    let mut rig = Rig::new(vec![version(0, 100_000)], at(0));
    rig.engine.play(0, None, 0);
    rig.hear(5);
    rig.source.add(version(3, 100_000));
    rig.switch(at(1));
    let heard = rig.hear(20);
    let last = heard.len() - 1;
    assert_eq!(heard[last], value(3, 5 * 480 + last));
    assert_eq!(rig.engine.transport(rig.now_ns).underruns, 0);
}
