use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::*;
use crate::document::{ClockSpeed, ContentKey, Crossfade, Document, FileStamp, Source, SourceSummary, TakePlace};
use crate::playback::capture::{Inlet, InputHost, InputInfo, InputWish, OpenInput};
use crate::playback::virtual_output::VirtualSound;
use crate::playback::{CallTimes, ChainSource, Health, HeardPart, Player};
use crate::recording::{Captured, InputChoice, RecorderStatus, Take};
use audio::encode::SampleFormat;
use audio::{AudioBuffer, AudioFile, AudioFormat, AudioReader, MemoryReader};
use base::error::Result;
use base::progress::Progress;
use effects::chain::{Chain, Placement as DevicePlacement};

const RATE: u32 = 48_000;
const CALL: usize = 480;
const SOON: Duration = Duration::from_secs(30);
/// The latencies that the output and the input state.
const SAID_NS: (u64, u64) = (21_000_000, 7_000_000);

/// An input that the test drives itself.
struct Inputs {
    rate: u32,
    opened: Sender<(Inlet, Arc<Health>)>,
}

impl InputHost for Inputs {
    fn inputs(&mut self) -> Result<Vec<InputInfo>> {
        Ok(Vec::new())
    }

    fn find(&mut self, _: &InputWish) -> Result<InputInfo> {
        Ok(InputInfo { id: "mic".into(), name: "MIC".into(), rate: self.rate, channels: 1, ..InputInfo::default() })
    }

    fn open(&mut self, inlet: Inlet, health: Arc<Health>) -> Result<OpenInput> {
        self.opened.send((inlet, health)).unwrap();
        Ok(Box::new(()))
    }
}

/// A cable from the output to the input, which a thread drives faster than time.
struct Cable {
    sound: VirtualSound,
    input_rate: u32,
    inlet: Arc<Mutex<Option<(Inlet, Arc<Health>)>>>,
    /// The frames that the next call asks for at once, instead of the usual ones.
    rush: Arc<AtomicU64>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Cable {
    /// Creates a cable through which sound comes back `delay` output frames after it is requested. Calls are late by up
    /// to `jitter_ns`.
    fn new(delay: usize, input_rate: u32, jitter_ns: u64) -> Self {
        let sound = VirtualSound::new(RATE, 1);
        sound.set_latency_ns(SAID_NS.0);
        let inlet: Arc<Mutex<Option<(Inlet, Arc<Health>)>>> = Arc::default();
        let (rush, ended) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let thread = {
            let (sound, inlet, rush, ended) =
                (sound.clone(), Arc::clone(&inlet), Arc::clone(&rush), Arc::clone(&ended));
            let times = (input_rate / RATE) as usize;
            std::thread::spawn(move || {
                let mut line = vec![0.0f32; delay];
                let mut state = 1u64;
                let mut late = || {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    if jitter_ns == 0 { 0 } else { (state >> 33) % jitter_ns }
                };
                let (begun_ns, mut frame) = (crate::playback::now_ns(), 0u64);
                while !ended.load(Ordering::Relaxed) {
                    // A device would not call this fast, so wait for frames that are not rendered yet.
                    if rush.load(Ordering::Relaxed) == 0 && sound.awaits(CALL) {
                        std::thread::sleep(Duration::from_millis(1));
                        continue;
                    }
                    let rushed = rush.swap(0, Ordering::Relaxed) as usize;
                    let frames = if rushed > 0 { rushed } else { CALL };
                    let now_ns = begun_ns + frame * 1_000_000_000 / u64::from(RATE);
                    sound.set_now_ns(now_ns, late());
                    line.extend(sound.take(frames));
                    let came: Vec<f32> =
                        line.drain(..frames).flat_map(|sample| std::iter::repeat_n(sample, times)).collect();
                    if let Some((inlet, _)) = &mut *inlet.lock().unwrap() {
                        inlet.note_call(now_ns + late(), SAID_NS.1);
                        inlet.push(&came);
                    }
                    frame += frames as u64;
                    std::thread::sleep(Duration::from_millis(3));
                }
            })
        };
        Self { sound, input_rate, inlet, rush, ended, thread: Some(thread) }
    }

    fn player(&self) -> Player {
        let sound = self.sound.clone();
        Player::with_host(move || sound.clone(), None)
    }

    fn recorder(&self) -> Recorder {
        let (opened, opens) = channel();
        let inputs = Inputs { rate: self.input_rate, opened };
        let recorder = Recorder::arm_with(Box::new(inputs), &InputChoice::default(), &Progress::new()).unwrap();
        *self.inlet.lock().unwrap() = Some(opens.recv_timeout(SOON).unwrap());
        recorder
    }

    /// The latency, in frames of the output, that no device reports.
    fn untold(delay: usize) -> f64 {
        delay as f64 - (SAID_NS.0 + SAID_NS.1) as f64 * 1e-9 * f64::from(RATE)
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Noise without a period, in steps that 24 bits hold.
fn noise(frame: u64) -> f32 {
    let mixed = (frame + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((mixed >> 48) as f32 - 32_768.0) / 131_072.0
}

fn document(frames: u64) -> Arc<ChainSource> {
    let samples = Arc::new(AudioBuffer::from_channels(vec![(0..frames).map(noise).collect()]));
    let rate = SampleRate::new(RATE).unwrap();
    let open = move || Ok(Box::new(MemoryReader::new(rate, Arc::clone(&samples))) as Box<dyn AudioReader>);
    Arc::new(ChainSource::new(Arc::new(open), DevicePlacement::cpu()).unwrap())
}

fn take_in(folder: &Path) -> Take {
    Take {
        path: folder.join("take.wav"),
        sample: SampleFormat::Float32,
        length_s: None,
        start_at_db: None,
        preroll_s: 0.0,
        belongs: None,
    }
}

struct RecordedOverdub {
    placement: Placement,
    take: Vec<f32>,
    status: RecorderStatus,
}

/// Records against the document from `preroll` frames before the start until the recording ends by itself.
fn overdubbed(cable: &Cable, overdub: &Overdub, preroll: u64, meanwhile: impl Fn(&HeardLog)) -> RecordedOverdub {
    let folder = tempfile::tempdir().unwrap();
    let (player, recorder) = (cable.player(), cable.recorder());
    let take = take_in(folder.path());
    player.load(Some(document(10 * u64::from(RATE))), Chain::default());
    let log = player.watch();
    recorder.begin(&take, None).unwrap();
    player.play(overdub.start - preroll, overdub.play_until);
    let begun = Instant::now();
    while !overdub.is_complete(&recorder, Some(&log)) {
        meanwhile(&log);
        assert!(begun.elapsed() < SOON, "{:?} {:?}", recorder.status(), log.with(Heard::reached));
        std::thread::sleep(Duration::from_millis(2));
    }
    let (heard, captured, rate) = (log.read(), recorder.captured(), recorder.format().rate);
    let status = recorder.stop();
    let placement = overdub.placement(&captured, rate, status.frames, Some(&heard));
    let mut all = AudioBuffer::default();
    AudioFile::open(&take.path).unwrap().reader().unwrap().read(&mut all, usize::MAX).unwrap();
    RecordedOverdub { placement, take: all.channel(0).to_vec(), status }
}

/// By how many frames of the take a part of it lies beside what was heard; `times` frames of the take are one.
fn beside(take: &[f32], place: TakePlace, times: usize) -> i64 {
    let frames = place.frames.min(20_000);
    let differs = |lag: i64| -> f64 {
        let of = |k: u64| {
            let at = (place.from + k) as i64 * times as i64 + lag;
            usize::try_from(at).ok().and_then(|at| take.get(at)).copied().unwrap_or(9.0)
        };
        (0..frames).map(|k| f64::from((of(k) - noise(place.at + k)).abs())).sum()
    };
    (-50..50).min_by(|a, b| differs(*a).total_cmp(&differs(*b))).unwrap()
}

fn punch(offset: f64) -> Overdub {
    let rate = SampleRate::new(RATE).unwrap();
    Overdub { start: 96_000, end: Some(144_000), play_until: Some(156_000), rate, offset }
}

#[test]
fn what_the_devices_do_not_say_is_measured_and_a_take_then_lies_where_it_was_heard() {
    // More than they say, and less.
    for delay in [5_000, 700] {
        let cable = Cable::new(delay, RATE, 1_500_000);
        let folder = tempfile::tempdir().unwrap();
        let measured =
            measure_offset(&cable.player(), || Ok(cable.recorder()), folder.path(), &Progress::new()).unwrap();
        let untold = Cable::untold(delay);
        assert!((measured.frames - untold).abs() < 12.0, "{} of {untold}", measured.frames);
        assert_eq!(measured.output.id, "main");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "its take is removed");
        let done = overdubbed(&cable, &punch(measured.frames), 24_000, |_| {});
        let [place] = done.placement.places[..] else { panic!("{:?}", done.placement) };
        assert_eq!((place.at, place.frames), (96_000, 48_000));
        assert!(done.placement.is_aligned && done.placement.underruns == 0, "{:?}", done.placement);
        // Both estimates have the jitter of the calls.
        let beside = beside(&done.take, place, 1);
        assert!(beside.abs() <= 12, "{beside} with {delay}");
    }
}

#[test]
fn with_steady_calls_it_is_exact_to_the_frame() {
    let cable = Cable::new(3_001, RATE, 0);
    let folder = tempfile::tempdir().unwrap();
    let measured = measure_offset(&cable.player(), || Ok(cable.recorder()), folder.path(), &Progress::new()).unwrap();
    assert!((measured.frames - Cable::untold(3_001)).abs() < 0.6, "{measured:?}");
    let done = overdubbed(&cable, &punch(measured.frames), 24_000, |_| {});
    let [place] = done.placement.places[..] else { panic!("{:?}", done.placement) };
    assert!(beside(&done.take, place, 1).abs() <= 1);
    // It ended by itself, with something beyond for the joins.
    assert!(done.status.frames < 96_000 + 48_000 + 3 * 48_000, "{:?}", done.status);
    assert!(done.take.len() as u64 > place.from + place.frames + 2_000);
    // Without the offset it would lie elsewhere: the measurement is what makes it right.
    let done = overdubbed(&cable, &punch(0.0), 0, |_| {});
    let untold =
        beside(&done.take, TakePlace { from: done.placement.places[0].from + 1_657, ..done.placement.places[0] }, 1);
    assert!(untold.abs() <= 1, "{untold}");
}

#[test]
fn an_input_of_another_rate_is_aligned_too() {
    let cable = Cable::new(2_000, 2 * RATE, 0);
    let folder = tempfile::tempdir().unwrap();
    let measured = measure_offset(&cable.player(), || Ok(cable.recorder()), folder.path(), &Progress::new()).unwrap();
    // In frames of the input. The test sound is at its rate, the output's conversion is centred.
    assert!((measured.frames - 2.0 * Cable::untold(2_000)).abs() < 2.5, "{measured:?}");
    let done = overdubbed(&cable, &punch(measured.frames), 24_000, |_| {});
    let [place] = done.placement.places[..] else { panic!("{:?}", done.placement) };
    assert_eq!(place.frames, 48_000);
    assert!(beside(&done.take, place, 2).abs() <= 2);
}

#[test]
fn what_was_captured_while_playing_stood_still_is_left_out() {
    let cable = Cable::new(1_344, RATE, 0);
    let rush = Arc::clone(&cable.rush);
    let done = overdubbed(&cable, &punch(0.0), 24_000, |log| {
        // More than is rendered ahead, once within the selection.
        if log.with(|heard| heard.parts.len() == 1 && heard.reached().is_some_and(|at| at > 110_000)) {
            rush.store(90_000, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    assert!(done.placement.underruns > 0);
    let places = &done.placement.places;
    assert!(places.len() >= 2, "{places:?}");
    assert_eq!(places[0].at, 96_000);
    assert!(places.windows(2).all(|pair| pair[0].end() == pair[1].at), "{places:?}");
    assert_eq!(done.placement.end(), Some(144_000));
    for place in places.iter().filter(|place| place.frames > 1_000) {
        assert!(beside(&done.take, *place, 1).abs() <= 1, "{place:?} of {places:?}");
    }
}

#[test]
fn an_input_that_goes_away_leaves_what_came() {
    let cable = Cable::new(1_344, RATE, 0);
    let folder = tempfile::tempdir().unwrap();
    let (player, recorder) = (cable.player(), cable.recorder());
    player.load(Some(document(10 * u64::from(RATE))), Chain::default());
    let log = player.watch();
    recorder.begin(&take_in(folder.path()), None).unwrap();
    player.play(96_000, None);
    let begun = Instant::now();
    while log.with(|heard| heard.reached().is_none_or(|at| at < 120_000)) {
        assert!(begun.elapsed() < SOON);
        std::thread::sleep(Duration::from_millis(2));
    }
    cable.inlet.lock().unwrap().take().unwrap().1.lose("It was disconnected");
    while recorder.status().state != RecorderState::Ended {
        assert!(begun.elapsed() < SOON);
        std::thread::sleep(Duration::from_millis(2));
    }
    let status = recorder.status();
    let overdub = Overdub { end: None, ..punch(0.0) };
    let placement = overdub.placement(&recorder.captured(), recorder.format().rate, status.frames, Some(&log.read()));
    let [place] = placement.places[..] else { panic!("{placement:?}") };
    assert_eq!(place.at, 96_000);
    assert_eq!(place.from + place.frames, status.frames);
    assert!(place.frames > 15_000, "{place:?}");
}

#[test]
fn without_playing_the_first_frame_lies_at_the_start_and_it_ends_at_its_length() {
    let cable = Cable::new(0, RATE, 0);
    let folder = tempfile::tempdir().unwrap();
    let recorder = cable.recorder();
    recorder.begin(&take_in(folder.path()), None).unwrap();
    let overdub = punch(100.0);
    let begun = Instant::now();
    while !overdub.is_complete(&recorder, None) {
        assert!(begun.elapsed() < SOON);
        std::thread::sleep(Duration::from_millis(2));
    }
    let (captured, rate) = (recorder.captured(), recorder.format().rate);
    let status = recorder.stop();
    assert!(status.frames >= 48_000);
    let placement = overdub.placement(&captured, rate, status.frames, None);
    assert_eq!(placement.places, [TakePlace { at: 96_000, from: 0, frames: 48_000 }]);
}

/// Clocks whose calls come every 10 ms for `seconds`; the input's is faster by `ppm`.
fn clocks(seconds: u64, ppm: f64, broken_at: Option<u64>) -> Clocks {
    let mut heard = Heard { calls: CallTimes::new(RATE), ..Heard::default() };
    let mut captured = Captured { calls: CallTimes::new(RATE), first: Some(4_800), came: 0 };
    for call in 0..100 * seconds {
        // A system clock that differs from both.
        let now_ns = (call as f64 * 10_000_300.0) as i64;
        let jump_ns = if broken_at.is_some_and(|at| call >= at) { 500_000_000 } else { 0 };
        if broken_at == Some(call) {
            heard.calls.break_off();
        }
        heard.calls.note(480 * call, 1_000_000_000 + now_ns + jump_ns);
        captured.calls.note(480 * call, 3_000_000_000 + (now_ns as f64 * (1.0 - ppm * 1e-6)) as i64);
    }
    Clocks::of(&heard, &captured).unwrap()
}

#[test]
fn clocks_are_compared_over_what_they_have_in_common() {
    // The input starts two seconds later, by clocks that are slower than the system's, and the take begins a tenth of a
    // second after its first call.
    let expected = -2.0 / 1.000_03 * 48_000.0 - 4_800.0;
    let at = |at_ns| HeardPart { stream: 0, frame: 0, frames: 1, at_ns };
    let early = at(1_000_000_000);
    for seconds in [5, 60] {
        let clocks = clocks(seconds, 0.0, None);
        assert!((clocks.take_frame(&early, 0.0) - expected).abs() < 0.1, "{clocks:?}");
        assert_eq!(clocks.drift_ppm, 0.0);
    }
    let drifting = clocks(600, 40.0, None);
    assert!((drifting.drift_ppm + 40.0).abs() < 1.0, "{drifting:?}");
    // After ten minutes the input has counted 40 ppm more frames.
    let end = drifting.take_frame(&early, 600.0 * 48_000.0) - drifting.take_frame(&early, 0.0);
    assert!((end - 600.0 * 48_000.0 * (1.0 + 40e-6)).abs() < 12.0, "{end}");
    // A break changes nothing of that.
    let both = clocks(600, 40.0, Some(40_000));
    assert!((both.drift_ppm + 40.0).abs() < 1.0, "{both:?}");
    // After 30 s the output lost half a second: everything after that is heard half a second later.
    let broken = clocks(60, 0.0, Some(3_000));
    assert!((broken.take_frame(&early, 0.0) - expected).abs() < 0.1, "{broken:?}");
    let after = broken.take_frame(&at(40_000_000_000), 0.0) - expected;
    assert!((after - 24_000.0).abs() < 1.0, "{after} {broken:?}");
}

#[test]
fn a_take_that_begins_late_or_is_short_keeps_what_it_has() {
    let rate = SampleRate::new(RATE).unwrap();
    let mut heard = Heard { calls: CallTimes::new(RATE), recording_rate: RATE, ..Heard::default() };
    heard.parts.push(HeardPart { stream: 0, frame: 96_000, frames: 48_000, at_ns: 0 });
    let mut captured = Captured { calls: CallTimes::new(RATE), first: Some(1_000), came: 0 };
    for call in 0..200 {
        heard.calls.note(480 * call, 10_000_000 * call as i64);
        captured.calls.note(480 * call, 10_000_000 * call as i64);
    }
    let placement = punch(0.0).placement(&captured, rate, 20_000, Some(&heard));
    assert_eq!(placement.places, [TakePlace { at: 97_000, from: 0, frames: 20_000 }]);
    // Nothing is known of the times.
    let placement = punch(0.0).placement(&Captured::default(), rate, 20_000, Some(&heard));
    assert_eq!((placement.is_aligned, placement.places[0].at), (false, 96_000));
}

/// A ten-minute take from an input whose clock is faster by `ppm`, onto a document from 1 s on.
fn drifted(ppm: f64) -> (Placement, Source) {
    const SECONDS: u64 = 600;
    let mut heard = Heard { calls: CallTimes::new(RATE), recording_rate: RATE, ..Heard::default() };
    let frames = SECONDS * u64::from(RATE);
    heard.parts.push(HeardPart { stream: 0, frame: 48_000, frames, at_ns: 0 });
    let mut captured = Captured { calls: CallTimes::new(RATE), first: Some(0), came: 0 };
    for call in 0..100 * SECONDS {
        let at_ns = 10_000_000 * call as i64;
        heard.calls.note(480 * call, at_ns);
        captured.calls.note(480 * call, (at_ns as f64 / (1.0 + ppm * 1e-6)) as i64);
    }
    let rate = SampleRate::new(RATE).unwrap();
    let overdub = Overdub { start: 48_000, end: None, play_until: None, rate, offset: 0.0 };
    let length = (frames as f64 * (1.0 + ppm * 1e-6)) as u64;
    let placement = overdub.placement(&captured, rate, length, Some(&heard));
    let summary = SourceSummary {
        format: AudioFormat::new(rate, 1),
        frames: length,
        container: "WAV".into(),
        codec: String::new(),
    };
    let content_key = ContentKey::of_parts(["take"]);
    let source =
        Source { path: "take".into(), content_key, stamp: FileStamp::default(), summary, clock: placement.clock };
    (placement, source)
}

#[test]
fn a_take_whose_clock_differs_is_in_time_from_its_beginning_to_its_end() {
    for ppm in [60.0, -35.0, 8.0] {
        let (placement, source) = drifted(ppm);
        assert!((placement.drift_frames + ppm * 1e-6 * 28_800_000.0).abs() < 30.0, "{placement:?}");
        let document = Document::of_source(Source { clock: ClockSpeed::NOMINAL, ..source.clone() });
        let document = document.with_take(&source, &placement.places, None, Crossfade::NONE).unwrap();
        // Every second has a click, as the output played it, at a frame of the input's clock.
        let open = |source: &Source| -> Result<Box<dyn AudioReader>> {
            let mut samples = vec![0.0; source.summary.frames as usize];
            for second in 0..600 {
                samples[(f64::from(second * RATE) * (1.0 + ppm * 1e-6)).round() as usize] = 1.0;
            }
            let rate = source.summary.format.rate;
            Ok(Box::new(MemoryReader::new(rate, AudioBuffer::from_channels(vec![samples]))))
        };
        let mut reader = document.reader(open).unwrap();
        let mut block = AudioBuffer::default();
        for second in [1u64, 2, 300, 598] {
            reader.seek((second + 1) * 48_000 - 100).unwrap();
            reader.read(&mut block, 200).unwrap();
            let found = block.channel(0).iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0 as i64;
            assert!((found - 100).abs() <= 1, "{found} at {second} s of {ppm} ppm");
        }
        // It is read so again by a later program.
        let text = serde_json::to_string(&source).unwrap();
        assert_eq!(serde_json::from_str::<Source>(&text).unwrap(), source);
    }
}

#[test]
fn clocks_that_agree_leave_every_sample_and_speeds_that_no_clock_has_are_refused() {
    for ppm in [0.0, 0.4] {
        let (placement, source) = drifted(ppm);
        assert!(placement.clock.is_nominal() && placement.drift_frames == 0.0, "{placement:?}");
        let text = serde_json::to_string(&source).unwrap();
        assert!(!text.contains("clock"), "{text}");
        for speed in ["0.0", "-1.0", "2.0", "1e300", "null"] {
            let with_speed = format!(r#"{},"clock":{speed}}}"#, text.strip_suffix('}').unwrap());
            assert!(serde_json::from_str::<Source>(&with_speed).is_err(), "{speed}");
        }
    }
    assert!(ClockSpeed::new(f64::NAN).is_err());
}
