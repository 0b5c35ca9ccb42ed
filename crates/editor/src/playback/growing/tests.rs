use std::sync::Arc;

use super::super::engine::Engine;
use super::super::virtual_output::VirtualSound;
use super::*;
use audio::MemoryReader;
use base::units::SampleRate;
use dsp::measure::resample::{ResamplePlan, ResampledReader};

const NO_CHAIN: Chain = Chain::new(Vec::new());
const RATE: u32 = 48_000;
const FRAMES: u64 = 200_000;
/// Frames of a call of the output.
const CALL: usize = 480;

/// A sample of a part, whose value identifies the part and the frame.
fn value(part: usize, frame: u64) -> f32 {
    ((frame as f32 * (0.011 + 0.007 * part as f32)).sin() + 1.0 + part as f32) * 0.1
}

fn format(rate: u32) -> AudioFormat {
    AudioFormat::new(SampleRate::new(rate).unwrap(), 2)
}

fn begun(rate: u32, parts: usize) -> Arc<Growing> {
    Arc::new(Growing::begin(&std::env::temp_dir(), format(rate), parts, FRAMES).unwrap())
}

/// Settles the frames up to `end`.
fn settle(growing: &Growing, end: u64) {
    let range = growing.settled_frames()..end;
    let block = |part| {
        let plane: Vec<f32> = range.clone().map(|frame| value(part, frame)).collect();
        AudioBuffer::from_channels(vec![plane; 2])
    };
    let blocks: Vec<AudioBuffer> = (0..growing.parts).map(block).collect();
    growing.append(&blocks.iter().collect::<Vec<_>>()).unwrap();
    assert_eq!(growing.settled_frames(), end);
}

struct Rig {
    growing: Arc<Growing>,
    sound: VirtualSound,
    engine: Engine,
    now_ns: u64,
}

impl Rig {
    fn new(growing: &Arc<Growing>) -> Self {
        let sound = VirtualSound::new(RATE, 2);
        let mut engine = Engine::new(Box::new(sound.clone()), None);
        engine.load(Some(Arc::new(GrowingSource::new(Arc::clone(growing)))), NO_CHAIN, 0, 0);
        Self { growing: Arc::clone(growing), sound, engine, now_ns: 0 }
    }

    fn call(&mut self) -> Vec<f32> {
        while self.engine.step(self.now_ns) {}
        let heard = self.sound.take(CALL).iter().step_by(2).copied().collect();
        self.now_ns += 10_000_000;
        while self.engine.step(self.now_ns) {}
        heard
    }

    fn hear(&mut self, calls: usize) -> Vec<f32> {
        (0..calls).flat_map(|_| self.call()).collect()
    }

    /// Returns whether it plays, whether it is held, and its frame.
    fn now(&self) -> (bool, bool, u64) {
        let now = self.engine.transport(self.now_ns);
        assert_eq!((now.underruns, now.problem), (0, None));
        (now.playing, now.held, now.frame)
    }

    fn choose(&mut self, parts: &[usize]) {
        self.growing.hear(|part| parts.contains(&part));
        self.engine.set_chain(NO_CHAIN, self.now_ns);
    }
}

fn sum(parts: &[usize], frame: u64) -> f32 {
    parts.iter().map(|&part| value(part, frame)).fold(0.0, |sum, sample| sum + sample)
}

#[test]
fn what_is_settled_is_read_and_all_else_is_silent() {
    let growing = begun(RATE, 3);
    let source = GrowingSource::new(Arc::clone(&growing));
    settle(&growing, 1_000);
    settle(&growing, 40_000);
    growing.hear(|part| part != 1);
    let mut processed = source.processed(&NO_CHAIN, &MeasuredMap::default()).unwrap();
    let mut original = source.original().unwrap();
    let check = |reader: &mut dyn AudioReader, parts: &[usize], settled: u64| {
        let mut out = AudioBuffer::default();
        for (from, count) in [(0, 100), (500, 20_000), (39_990, 50), (39_000, 30_000), (FRAMES - 5, 99), (FRAMES, 9)] {
            reader.seek(from).unwrap();
            reader.read(&mut out, count).unwrap();
            assert_eq!(out.frames() as u64, (count as u64).min(FRAMES - from));
            for channel in 0..2 {
                for (frame, sample) in (from..).zip(out.channel(channel)) {
                    let wanted = if frame < settled { sum(parts, frame) } else { 0.0 };
                    assert_eq!(*sample, wanted, "{frame} of {parts:?}");
                }
            }
        }
    };
    check(processed.as_mut(), &[0, 2], 40_000);
    check(original.as_mut(), &[0, 1, 2], 40_000);
    // A reader that is open sees what settles later, and the new choice once it takes it up.
    settle(&growing, 60_000);
    growing.hear(|part| part == 1);
    check(processed.as_mut(), &[0, 2], 60_000);
    processed.set_chain(&NO_CHAIN, &MeasuredMap::default()).unwrap();
    check(processed.as_mut(), &[1], 60_000);
    growing.hear(|_| false);
    processed.set_chain(&NO_CHAIN, &MeasuredMap::default()).unwrap();
    check(processed.as_mut(), &[], 60_000);
    assert!(!growing.is_heard(1) && !growing.is_heard(99));
}

#[test]
fn blocks_that_do_not_fit_are_refused_and_settle_nothing() {
    let growing = begun(RATE, 2);
    let [two, short, mono] = [(2, 10), (2, 9), (1, 10)].map(|(channels, frames)| AudioBuffer::new(channels, frames));
    for blocks in [vec![], vec![&two], vec![&two, &short], vec![&two, &mono], vec![&two, &two, &two]] {
        assert!(growing.append(&blocks).is_err());
    }
    assert_eq!(growing.settled_frames(), 0);
    growing.append(&[&two, &two]).unwrap();
    settle(&growing, FRAMES);
    growing.append(&[&two, &two]).unwrap();
    assert_eq!(growing.settled_frames(), FRAMES, "no more than its length");
    for parts in [0, MAX_PARTS + 1] {
        assert!(Growing::begin(&std::env::temp_dir(), format(RATE), parts, 1).is_err());
    }
    assert!(Growing::begin(Path::new("/nowhere/at/all"), format(RATE), 1, 1).is_err());
}

#[test]
fn playing_stops_where_nothing_is_settled_and_goes_on_from_there() {
    let growing = begun(RATE, 2);
    settle(&growing, 20_000);
    let mut rig = Rig::new(&growing);
    rig.engine.play(0, None, 0);
    let heard = rig.hear(60);
    assert!((0..20_000).all(|n| heard[n] == sum(&[0, 1], n as u64)), "bit by bit");
    assert!(heard[20_000..].iter().all(|sample| *sample == 0.0), "and nothing else");
    assert_eq!(rig.now(), (false, true, 20_000));
    // Played again with nothing new, it stops at once.
    rig.engine.play(20_000, None, rig.now_ns);
    assert!(rig.hear(5).iter().all(|sample| *sample == 0.0));
    assert_eq!(rig.now(), (false, true, 20_000));
    settle(&growing, 30_000);
    rig.engine.play(20_000, None, rig.now_ns);
    let heard = rig.hear(30);
    assert!((0..10_000).all(|n| heard[n] == sum(&[0, 1], 20_000 + n as u64)));
    assert_eq!(rig.now(), (false, true, 30_000));
    // Frames beyond it cannot be sought or played from.
    rig.engine.seek(150_000);
    assert_eq!(rig.now(), (false, false, 30_000));
    rig.engine.play(150_000, None, rig.now_ns);
    assert!(rig.hear(5).iter().all(|sample| *sample == 0.0));
    assert_eq!(rig.now(), (false, true, 30_000));
    // Once all is there, it ends where the recording does.
    settle(&growing, FRAMES);
    rig.engine.play(FRAMES - 1_000, None, rig.now_ns);
    let heard = rig.hear(10);
    assert!((0..1_000).all(|n| heard[n] == sum(&[0, 1], FRAMES - 1_000 + n as u64)));
    assert_eq!(rig.now(), (false, false, FRAMES));
}

#[test]
fn what_settles_in_time_is_heard_without_a_stop() {
    for (rate, pace) in [(RATE, 480), (RATE, 700), (44_100, 441), (96_000, 960)] {
        let growing = begun(rate, 2);
        settle(&growing, u64::from(rate) / 4);
        let mut rig = Rig::new(&growing);
        rig.engine.play(0, None, 0);
        let mut heard = Vec::new();
        for _ in 0..150 {
            heard.extend(rig.call());
            settle(&growing, growing.settled_frames() + pace);
        }
        let (playing, held, _) = rig.now();
        assert!(playing && !held, "at {rate} Hz");
        // As if all had been there from the beginning.
        let plane: Vec<f32> = (0..FRAMES).map(|frame| sum(&[0, 1], frame)).collect();
        let memory = MemoryReader::new(format(rate).rate, AudioBuffer::from_channels(vec![plane; 2]));
        let mut wanted = AudioBuffer::default();
        let plan = ResamplePlan::new(format(rate).rate, format(RATE).rate);
        ResampledReader::new(memory, &plan).read(&mut wanted, heard.len()).unwrap();
        let wrong = heard.iter().zip(wanted.channel(0)).position(|(got, want)| got != want);
        assert_eq!(wrong, None, "at {rate} Hz");
        // The negative control: playback does not wait for frames that come too late.
        let mut late = Rig::new(&begun(rate, 2));
        settle(&late.growing, u64::from(rate) / 4);
        late.engine.play(0, None, 0);
        for _ in 0..60 {
            late.call();
            settle(&late.growing, late.growing.settled_frames() + pace / 4);
        }
        let (playing, held, frame) = late.now();
        assert!(!playing && held && frame >= u64::from(rate) / 4 && frame < u64::from(rate) * 6 / 10, "{frame}");
    }
}

#[test]
fn the_choice_of_parts_is_taken_up_while_it_plays_also_close_to_the_end() {
    let growing = begun(RATE, 3);
    settle(&growing, 30_000);
    let mut rig = Rig::new(&growing);
    rig.engine.play(0, None, 0);
    let first = rig.hear(10);
    assert_eq!(first[4_000], sum(&[0, 1, 2], 4_000));
    rig.choose(&[1]);
    let heard = rig.hear(20);
    assert_eq!(heard[9_000], sum(&[1], 4_800 + 9_000));
    // 240 frames before the end of the settled frames.
    let heard = rig.hear(32);
    assert_eq!(heard.last(), Some(&sum(&[1], 62 * CALL as u64 - 1)));
    rig.choose(&[0, 2]);
    let rest = rig.hear(10);
    assert!(rest.iter().all(|sample| sample.abs() < 1.0));
    assert!(rest[CALL..].iter().all(|sample| *sample == 0.0), "nothing beyond what is settled");
    assert_eq!(rig.now(), (false, true, 30_000));
}

#[test]
fn nothing_is_left_of_it_once_it_is_unloaded() {
    let growing = begun(RATE, 2);
    settle(&growing, 100_000);
    let mut rig = Rig::new(&growing);
    rig.engine.play(0, None, 0);
    rig.hear(5);
    // The computation is cancelled; its result can be heard until the player drops it.
    let left = Arc::downgrade(&growing);
    drop(growing);
    rig.growing = begun(RATE, 1);
    assert!(rig.hear(5).iter().any(|sample| *sample != 0.0));
    rig.engine.load(None, NO_CHAIN, 0, rig.now_ns);
    rig.hear(2);
    assert!(left.upgrade().is_none());
}
