use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::capture::Recorded;
use super::super::engine::Engine;
use super::super::source::Side as HeardSegment;
use super::super::virtual_output::{Ramp, VirtualSound};
use super::*;
use audio::{AudioBuffer, ChannelMix};

const NO_CHAIN: Chain = Chain::new(Vec::new());

fn side(rate: u32, channels: Vec<Vec<f32>>, offset_s: f64) -> AuditionSide {
    let rate = SampleRate::new(rate).unwrap();
    let recorded = Recorded { channels, rate, device_name: String::new(), gaps: 0 };
    let open: OpenReader = Arc::new(move || Ok(Box::new(recorded.clone().into_reader())));
    AuditionSide { open, offset_s, speed: 1.0, lufs: None }
}

fn both(source: &AuditionSource) -> [Box<dyn AudioReader>; 2] {
    let processed = source.processed(&NO_CHAIN, &MeasuredMap::default()).unwrap();
    [source.original().unwrap(), processed]
}

fn all(reader: &mut dyn AudioReader) -> AudioBuffer {
    let mut out = AudioBuffer::default();
    reader.seek(0).unwrap();
    reader.read(&mut out, usize::MAX).unwrap();
    assert_eq!(out.frames() as u64, reader.frames());
    out
}

fn click(frames: usize, at: usize) -> Vec<f32> {
    let mut samples = vec![0.0; frames];
    samples[at] = 0.5;
    samples
}

/// Returns the position of a click to a fraction of a frame: the power-weighted mean of the frames, which is the mean
/// delay of all its frequencies.
fn place(samples: &[f32]) -> f64 {
    let power = |sample: f32| f64::from(sample) * f64::from(sample);
    let total: f64 = samples.iter().map(|&sample| power(sample)).sum();
    assert!(total > 0.0, "no click");
    samples.iter().enumerate().map(|(n, &sample)| n as f64 * power(sample)).sum::<f64>() / total
}

fn frame_of(samples: &[f32]) -> usize {
    (0..samples.len()).max_by(|&a, &b| samples[a].abs().total_cmp(&samples[b].abs())).unwrap()
}

#[test]
fn a_click_at_the_same_moment_lands_on_the_same_frame() {
    for (rate_a, rate_b) in [(44_100, 44_100), (44_100, 48_000), (48_000, 44_100), (48_000, 96_000), (96_000, 44_100)] {
        for offset_a in [0.0, 0.25, -0.25, 0.012_345_6, -0.098_765_4, 0.123_456_7] {
            for (at_a, at_b) in [(30_000, 31_000), (25_003, 12_001), (40_000, 4_410)] {
                let seconds = |at: usize, rate: u32| at as f64 / f64::from(rate);
                let moment = seconds(at_a, rate_a) - offset_a;
                let offset_b = seconds(at_b, rate_b) - moment;
                let (a, b) = (click(48_000, at_a), click(48_000, at_b));
                let source =
                    AuditionSource::new(&side(rate_a, vec![a], offset_a), Some(&side(rate_b, vec![b], offset_b)))
                        .unwrap();
                let rate = f64::from(rate_a.max(rate_b));
                assert_eq!(source.format().rate.as_f64(), rate);
                let [a, b] = both(&source).map(|mut reader| all(reader.as_mut()));
                let (a, b) = (a.channel(0), b.channel(0));
                let case = format!("{rate_a}, {rate_b}, {offset_a} s, {at_a}, {at_b}");
                let apart = place(a) - place(b);
                assert!(apart.abs() <= 0.5 + 1e-3, "{case}: {apart} frames apart");
                let away = place(a) - moment * rate;
                assert!(away.abs() <= 0.5 + 1e-3, "{case}: {away} frames away");
                // If the distance is a whole number of frames, nothing of it remains and no bit is changed.
                if rate_a == rate_b {
                    assert_eq!((frame_of(a), a[frame_of(a)]), (frame_of(b), 0.5), "{case}");
                }
            }
        }
    }
}

#[test]
fn a_copy_at_another_speed_lies_over_the_other_to_its_end() {
    let (rate, seconds) = (8_000, 600);
    for speed in [1.02, 0.98, 1.000_013_7, 2.0] {
        let frames = seconds * rate as usize;
        let clicks: Vec<usize> = [0.02, 0.3, 0.7, 0.999].iter().map(|share| (share * frames as f64) as usize).collect();
        let mut a = vec![0.0; frames];
        let mut b = vec![0.0; (frames as f64 / speed) as usize];
        for &at in &clicks {
            a[at] = 0.5;
            b[(at as f64 / speed).round() as usize] = 0.5;
        }
        let faster = AuditionSide { speed: 1.0 / speed, ..side(rate, vec![b], 0.0) };
        let source = AuditionSource::new(&side(rate, vec![a], 0.0), Some(&faster)).unwrap();
        let [mut a, mut b] = both(&source);
        for &at in &clicks {
            let read = |reader: &mut Box<dyn AudioReader>| {
                let mut out = AudioBuffer::default();
                reader.seek(at as u64 - 100).unwrap();
                reader.read(&mut out, 200).unwrap();
                place(out.channel(0))
            };
            // A click of the copy can be off by up to half of one of its frames.
            let apart = read(&mut a) - read(&mut b);
            assert!(apart.abs() <= 0.5 * speed.max(1.0) + 1e-2, "speed {speed}, frame {at}: {apart} frames apart");
        }
    }
}

fn ramp(frames: usize, channels: usize, from: u64) -> Vec<Vec<f32>> {
    (0..channels).map(|channel| (0..frames as u64).map(|n| Ramp::value(from + n, channel)).collect()).collect()
}

#[test]
fn at_one_rate_every_bit_is_its_recordings_and_all_else_is_silent() {
    let (a, b) = (ramp(10_000, 2, 0), ramp(3_000, 2, 500));
    let source =
        AuditionSource::new(&side(48_000, a.clone(), 0.01), Some(&side(48_000, b.clone(), -2_000.0 / 48_000.0)))
            .unwrap();
    assert_eq!(source.frames(), 10_000 - 480, "up to the later end");
    let [a_laid, b_laid] = both(&source).map(|mut reader| all(reader.as_mut()));
    for channel in 0..2 {
        assert_eq!(a_laid.channel(channel), &a[channel][480..]);
        let aligned_reader = b_laid.channel(channel);
        assert_eq!(aligned_reader[2_000..5_000], b[channel][..]);
        assert!(aligned_reader[..2_000].iter().chain(&aligned_reader[5_000..]).all(|&sample| sample == 0.0));
    }
}

#[test]
fn a_read_is_the_same_wherever_reading_began() {
    for (rate_a, rate_b, channels) in [(48_000, 48_000, (2, 2)), (44_100, 48_000, (1, 6)), (96_000, 44_100, (6, 1))] {
        let b = AuditionSide { speed: 1.01, ..side(rate_b, ramp(9_000, channels.1, 7), -0.03) };
        let source = AuditionSource::new(&side(rate_a, ramp(9_000, channels.0, 0), 0.02), Some(&b)).unwrap();
        for mut reader in both(&source) {
            let whole = all(reader.as_mut());
            assert_eq!(whole.channels(), channels.0.max(channels.1));
            let mut out = AudioBuffer::default();
            for (from, frames) in
                [(1, 1), (5_000, 700), (0, 3_000), (2_999, 64), (7_777, 100_000), (100, 0), (1 << 40, 9)]
            {
                reader.seek(from).unwrap();
                let from = (from as usize).min(whole.frames());
                assert_eq!(reader.position(), from as u64);
                reader.read(&mut out, frames).unwrap();
                let end = (from + frames).min(whole.frames());
                for channel in 0..whole.channels() {
                    assert_eq!(out.channel(channel), &whole.channel(channel)[from..end], "{from}, {frames}");
                }
            }
        }
    }
}

#[test]
fn common_channels_change_nothing_of_what_an_output_gets() {
    for a in 1..=12 {
        for b in 1..=12 {
            let common = common_channels(a, b);
            for outputs in [1, 2, 6] {
                let input = AudioBuffer::from_channels(ramp(16, a, 3));
                let (mut aligned_reader, mut heard, mut alone) = Default::default();
                let mix = |from, to| {
                    let format = |channels| AudioFormat::new(SampleRate::new(48_000).unwrap(), channels);
                    ChannelMix::new(format(from), format(to))
                };
                mix(a, common).apply(&input, 1.0, &mut aligned_reader);
                mix(common, outputs).apply(&aligned_reader, 1.0, &mut heard);
                mix(a, outputs).apply(&input, 1.0, &mut alone);
                // A stereo mix cannot reach more loudspeakers than the front.
                if common == 2 && outputs > 2 && a > 2 {
                    continue;
                }
                for (heard, alone) in heard.iter().flatten().zip(alone.iter().flatten()) {
                    assert!(
                        (heard - alone).abs() < 1e-6,
                        "{a} beside {b} channels, on {outputs}: {heard}, not {alone}"
                    );
                }
            }
        }
    }
}

#[test]
fn one_track_is_on_both_sides_and_matches_itself() {
    let source = AuditionSource::new(&side(44_100, ramp(5_000, 1, 0), 0.0), None).unwrap();
    let [a, b] = both(&source).map(|mut reader| all(reader.as_mut()));
    assert_eq!(a, b);
    assert_eq!(source.matching_gain(), MatchingGain::Exact(0.0));
}

#[test]
fn what_cannot_be_laid_says_why() {
    let tone = || side(48_000, ramp(4_800, 1, 0), 0.0);
    let with = |offset_s: f64, speed: f64| AuditionSide { offset_s, speed, ..tone() };
    for (wrong, word) in [
        (with(f64::NAN, 1.0), "common time"),
        (with(1e9, 1.0), "day"),
        (with(0.0, 0.0), "Speed"),
        (with(0.0, f64::NAN), "Speed"),
        (with(0.0, 5.0), "0.25 to 4"),
    ] {
        for (a, b) in [(&wrong, None), (&wrong, Some(&tone())), (&tone(), Some(&wrong))] {
            let told = AuditionSource::new(a, b).err().expect("an error").to_string();
            assert!(told.contains(word), "{told}");
        }
    }
    let behind = with(0.1, 1.0);
    assert!(AuditionSource::new(&behind, Some(&behind)).err().expect("an error").to_string().contains("end"));
    assert_eq!(AuditionSource::new(&behind, Some(&tone())).unwrap().frames(), 4_800, "one of them sounds");
    let gone = AuditionSide { open: Arc::new(|| Err(Error::Capture("gone".into()))), ..tone() };
    assert!(AuditionSource::new(&tone(), Some(&gone)).is_err());
}

struct Rig {
    sound: VirtualSound,
    engine: Engine,
    now_ns: u64,
}

impl Rig {
    fn new(source: AuditionSource) -> Self {
        let sound = VirtualSound::new(48_000, 2);
        let mut engine = Engine::new(Box::new(sound.clone()), None);
        engine.load(Some(Arc::new(source)), NO_CHAIN, 0, 0);
        Self { sound, engine, now_ns: 0 }
    }

    /// Returns the left channel of the output, in calls of 480 frames.
    fn hear(&mut self, calls: usize) -> Vec<f32> {
        let mut heard = Vec::new();
        for _ in 0..calls {
            while self.engine.step(self.now_ns) {}
            heard.extend(self.sound.take(480).iter().step_by(2));
            self.now_ns += 10_000_000;
        }
        while self.engine.step(self.now_ns) {}
        heard
    }
}

/// Returns a source in which both sides encode the frame of the shared timeline; side B is `late` frames late.
fn telling_the_time(late: u64) -> AuditionSource {
    let a = side(48_000, ramp(200_000, 2, 0), 1_000.0 / 48_000.0);
    let b = side(48_000, ramp(100_000, 1, 3_000 + late), -2_000.0 / 48_000.0);
    AuditionSource::new(&a, Some(&b)).unwrap()
}

fn heard_through_changes_of_side(source: AuditionSource) -> Vec<f32> {
    let mut rig = Rig::new(source);
    rig.engine.set_side(HeardSegment::Original, 0);
    rig.engine.play(5_000, None, 0);
    let mut heard = rig.hear(20);
    for side in [HeardSegment::Processed, HeardSegment::Original, HeardSegment::Processed] {
        rig.engine.set_side(side, rig.now_ns);
        heard.extend(rig.hear(15));
    }
    assert_eq!(rig.engine.transport(rig.now_ns).underruns, 0);
    heard
}

#[test]
fn changing_sides_keeps_the_common_time() {
    let wanted = |n: usize| Ramp::value(6_000 + n as u64, 0);
    let heard = heard_through_changes_of_side(telling_the_time(0));
    for (n, &sample) in heard.iter().enumerate() {
        assert_eq!(sample, wanted(n), "frame {n}");
    }
    // The negative control: a delay of one frame on one side is detected.
    let heard = heard_through_changes_of_side(telling_the_time(1));
    assert!(heard.iter().enumerate().any(|(n, &sample)| sample != wanted(n)));
}

#[test]
fn the_known_loudness_is_heard_until_it_is_measured() {
    let tone = |gain: f32| (0..96_000).map(|n| gain * (n as f32 * 0.13).sin()).collect::<Vec<f32>>();
    // The stored loudnesses differ by 5 dB, the signals by 6.02 dB; the 3.01 dB of a mono recording count in neither.
    let a = AuditionSide { lufs: Some(-15.0), ..side(48_000, vec![tone(0.5), tone(0.5)], 0.0) };
    let b = AuditionSide { lufs: Some(-20.0 - BOTH_FRONTS_DB), ..side(48_000, vec![tone(0.25)], 0.0) };
    let mut rig = Rig::new(AuditionSource::new(&a, Some(&b)).unwrap());
    rig.engine.set_matched(true, 0);
    let known = rig.engine.transport(0);
    assert!(known.stale && known.matched_gain_db.is_some_and(|db| (db - 5.0).abs() < 1e-9), "{known:?}");
    rig.engine.play(0, None, 0);
    let begun = Instant::now();
    while rig.engine.transport(0).stale && begun.elapsed() < Duration::from_secs(20) {
        while rig.engine.step(rig.now_ns) {}
        std::thread::sleep(Duration::from_millis(5));
    }
    let measured = rig.engine.transport(0).matched_gain_db.unwrap();
    // Loudness is histogrammed in steps of 0.1 dB.
    assert!((measured - 6.0206).abs() < 0.05, "{measured} dB");

    let mut alone = Rig::new(AuditionSource::new(&a, None).unwrap());
    alone.engine.set_matched(true, 0);
    let known = alone.engine.transport(0);
    assert!(!known.stale && known.matched_gain_db == Some(0.0), "nothing to be measured: {known:?}");
}

#[test]
fn another_recording_has_no_time_of_the_one_before() {
    let mut rig = Rig::new(telling_the_time(0));
    rig.sound.set_latency_ns(50_000_000);
    rig.engine.play(90_000, None, 0);
    rig.hear(30);
    assert!(rig.engine.transport(rig.now_ns).frame > 90_000);
    let short = AuditionSource::new(&side(44_100, ramp(4_000, 2, 0), 0.0), None).unwrap();
    rig.engine.load(Some(Arc::new(short)), NO_CHAIN, 0, rig.now_ns);
    assert_eq!(rig.engine.transport(rig.now_ns).frame, 0);
    rig.engine.play(1_000, None, rig.now_ns);
    for _ in 0..10 {
        let told = rig.engine.transport(rig.now_ns);
        assert!((1_000..=4_000).contains(&told.frame), "{told:?}");
        rig.hear(1);
    }
}
