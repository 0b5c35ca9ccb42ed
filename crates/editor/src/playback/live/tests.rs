use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::*;
use crate::playback::CallTime;
use crate::playback::capture::OpenInput;
use audio::{AudioBuffer, AudioReader, MemoryReader};
use effects;
use effects::chain::{MeasuredMap, Placement, Rendered, Renderer, Seeking};

const SOON: Duration = Duration::from_secs(20);
const CALL: usize = 256;

/// Devices that the test drives itself.
struct Inputs {
    info: InputInfo,
    opened: Sender<(Inlet, Arc<Health>)>,
}

impl InputHost for Inputs {
    fn inputs(&mut self) -> Result<Vec<InputInfo>> {
        Ok(vec![self.info.clone()])
    }

    fn find(&mut self, wish: &InputWish) -> Result<InputInfo> {
        if wish.rate.is_some_and(|rate| rate != self.info.rate) {
            return Err(Error::invalid("rate", "other", "its own"));
        }
        Ok(self.info.clone())
    }

    fn open(&mut self, inlet: Inlet, health: Arc<Health>) -> Result<OpenInput> {
        self.opened.send((inlet, health)).unwrap();
        Ok(Box::new(()))
    }
}

struct Outputs {
    info: OutputInfo,
    opened: Sender<(LiveOutlet, Arc<Health>)>,
}

struct Silent;

impl OutputStream for Silent {
    fn set_running(&self, _: bool) -> Result<()> {
        Ok(())
    }
}

impl LiveHost for Outputs {
    fn find(&mut self, _: Option<&str>) -> Result<OutputInfo> {
        Ok(self.info.clone())
    }

    fn open(
        &mut self,
        _: &OutputInfo,
        _: u32,
        outlet: LiveOutlet,
        health: Arc<Health>,
    ) -> Result<Box<dyn OutputStream>> {
        self.opened.send((outlet, health)).unwrap();
        Ok(Box::new(Silent))
    }
}

struct Rig {
    live: Live,
    inlet: Inlet,
    outlet: LiveOutlet,
    input_health: Arc<Health>,
    heard: Vec<f32>,
    channels: usize,
}

fn rig(chain: &str, rates: [u32; 2], channels: [usize; 2], settings: &LiveSettings) -> Result<Rig> {
    let ((to_in, ins), (to_out, outs)): ((_, Receiver<_>), (_, Receiver<_>)) = (channel(), channel());
    let info = InputInfo { name: "MIC".into(), rate: rates[0], channels: channels[0], ..InputInfo::default() };
    let inputs = Inputs { info, opened: to_in };
    let info = OutputInfo { id: "out".into(), name: "OUT".into(), rate: rates[1], channels: channels[1] };
    let outputs = Outputs { info, opened: to_out };
    let chain = chain.parse().unwrap();
    let live = Live::start_with(Box::new(inputs), Box::new(outputs), settings, &chain, &Progress::new())?;
    let (inlet, input_health) = ins.recv_timeout(SOON).unwrap();
    let (outlet, _) = outs.recv_timeout(SOON).unwrap();
    Ok(Rig { live, inlet, outlet, input_health, heard: Vec::new(), channels: channels[1] })
}

impl Rig {
    /// Pushes interleaved samples call by call, and lets the output take as many, once the worker has them.
    fn pass(&mut self, samples: &[f32], input_channels: usize) {
        for call in samples.chunks(CALL * input_channels) {
            self.inlet.note_call(0, 5_000_000);
            self.inlet.push(call);
            std::thread::sleep(Duration::from_millis(1));
            self.take();
        }
    }

    fn take(&mut self) {
        let mut out = vec![9.0; CALL * self.channels];
        self.outlet.fill(&mut out, CallTime { now_ns: 0, latency_ns: 7_000_000 });
        self.heard.extend(out);
    }

    /// Takes until the output has given that many frames.
    fn drain(&mut self, frames: usize) {
        let begun = Instant::now();
        while self.live.status().played_s * f64::from(self.live.output.rate) < frames as f64 {
            assert!(begun.elapsed() < SOON, "{:?}", self.live.status());
            std::thread::sleep(Duration::from_millis(1));
            self.take();
        }
    }

    fn heard(&self, channel: usize) -> Vec<f32> {
        self.heard.iter().skip(channel).step_by(self.channels).copied().collect()
    }
}

fn noise(frames: usize, channels: usize) -> AudioBuffer {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32 / (1 << 23) as f32 - 1.0) * 0.4
    };
    AudioBuffer::from_channels((0..channels).map(|_| (0..frames).map(|_| next()).collect()).collect())
}

fn interleaved(block: &AudioBuffer) -> Vec<f32> {
    (0..block.frames()).flat_map(|n| block.iter().map(move |channel| channel[n])).collect()
}

fn rendered(chain: &str, input: &AudioBuffer, rate: u32) -> AudioBuffer {
    let format = AudioFormat::new(SampleRate::new(rate).unwrap(), input.channels());
    let chain = chain.parse().unwrap();
    let mut renderer = Renderer::new(&chain, format, &Placement::cpu(), &MeasuredMap::default()).unwrap();
    let mut block = input.clone();
    renderer.process(&mut block).unwrap();
    block
}

/// Returns the position at which `piece` occurs in `whole`, to within -100 dB.
fn place(whole: &[f32], piece: &[f32]) -> Option<usize> {
    let near = |window: &[f32]| window.iter().zip(piece).all(|(a, b)| (a - b).abs() < 1e-5);
    whole.windows(piece.len()).position(near)
}

#[test]
fn what_is_heard_is_the_render() {
    for chain in ["", "highpass(200 Hz, order=4) | gain(-6 dB)", "limiter(-6 dB)"] {
        let input = noise(24_000, 2);
        let mut rig = rig(chain, [48_000; 2], [2; 2], &LiveSettings::default()).unwrap();
        // The mute opens first.
        rig.pass(&vec![0.0; 2 * CALL * 20], 2);
        rig.pass(&interleaved(&input), 2);
        let latency = rig.live.chain.lock().latency_frames as usize;
        rig.pass(&vec![0.0; 2 * CALL * 40], 2);
        rig.drain(CALL * 20 + 24_000 + latency);
        let wanted = rendered(chain, &input, 48_000);
        for channel in 0..2 {
            // The beginning of the limited render knows no silence before it.
            let piece = &wanted.channel(channel)[2_000..2_000 + 18_000];
            let found = place(&rig.heard(channel), &piece[..2_000]).expect(chain);
            let heard = &rig.heard(channel)[found..found + piece.len()];
            if rig.live.status().underruns == 0 {
                assert!(heard.iter().zip(piece).all(|(a, b)| (a - b).abs() < 1e-5), "{chain}");
            }
        }
        let status = rig.live.status();
        assert!(status.latency_ms.is_some_and(|latency| latency >= 12.0), "both devices: {status:?}");
        assert_eq!((status.input_ms >= 5.0, status.output_ms), (true, 7.0));
        assert_eq!(status.chain_ms, latency as f64 / 48.0);
        assert_eq!((status.problem, status.muted), (None, false));
    }
}

#[test]
fn every_effect_that_can_run_live_is_as_rendered() {
    let (input, format) = (noise(24_000, 2), AudioFormat::new(SampleRate::new(48_000).unwrap(), 2));
    let mut ran = 0;
    // Those that read files have no place here.
    for spec in effects::all().iter().filter(|spec| !spec.example.contains('"')) {
        let chain: Chain = spec.example.parse().unwrap();
        let Ok(mut running) = Running::new(&chain, format, 2) else { continue };
        let mut heard = AudioBuffer::new(running.output_format().channels, 0);
        for at in (0..input.frames()).step_by(CALL) {
            let mut block = AudioBuffer::new(2, 0);
            block.extend_from(&input, at..(at + CALL).min(input.frames()));
            let wet = running.render(&block).unwrap();
            heard.extend_from(&wet, 0..wet.frames());
        }
        heard.drop_front(running.latency_frames() as usize);
        let source = Box::new(MemoryReader::new(format.rate, input.clone()));
        let mut rendered =
            Rendered::measured(&chain, source, &Placement::cpu(), Seeking::Exact, &Progress::new()).unwrap();
        let mut wanted = AudioBuffer::default();
        rendered.read(&mut wanted, heard.frames()).unwrap();
        assert_eq!(heard.frames() + running.latency_frames() as usize, input.frames(), "{}", spec.name);
        for (heard, wanted) in heard.iter().zip(wanted.iter()) {
            assert!(heard.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5), "{}", spec.name);
        }
        ran += 1;
    }
    assert!(ran > 40, "only {ran} ran");
}

#[test]
fn other_rates_and_channels_are_converted() {
    let mut rig = rig("gain(0 dB)", [44_100, 48_000], [1, 2], &LiveSettings::default()).unwrap();
    let tone: Vec<f32> =
        (0..44_100).map(|n| 0.5 * (n as f32 * std::f32::consts::TAU * 1_000.0 / 44_100.0).sin()).collect();
    rig.pass(&tone, 1);
    rig.drain(30_000);
    let heard = rig.heard(0);
    assert_eq!(heard, rig.heard(1), "mono goes to both");
    let played = &heard[heard.len() - 20_000..];
    let crossings = played.windows(2).filter(|pair| pair[0] < 0.0 && pair[1] >= 0.0).count();
    assert!((crossings as f64 - 20_000.0 / 48.0).abs() < 30.0, "{crossings}");
}

#[test]
fn knobs_turn_without_a_jump() {
    let mut rig = rig("gain(0 dB)", [48_000; 2], [1, 1], &LiveSettings::default()).unwrap();
    rig.pass(&vec![0.5; CALL * 40], 1);
    rig.live.set_chain(&"gain(-20 dB)".parse().unwrap()).unwrap();
    rig.pass(&vec![0.5; CALL * 60], 1);
    rig.drain(CALL * 90);
    let heard = rig.heard(0);
    let loud = heard.iter().position(|&sample| sample == 0.5).expect("it was at full level");
    let steps = heard[loud..].windows(2).map(|pair| (pair[1] - pair[0]).abs());
    if rig.live.status().underruns == 0 {
        assert!(steps.fold(0.0, f32::max) < 0.01);
    }
    assert!((heard.last().unwrap() - 0.05).abs() < 1e-6, "{:?}", heard.last());
    let refused = rig.live.set_chain(&"normalize(-1 dB)".parse().unwrap());
    assert!(matches!(refused, Err(Error::Impossible(_))));
}

#[test]
fn it_begins_muted_if_wanted_and_is_limited_unless_switched_off() {
    let muted = LiveSettings { muted: true, ..LiveSettings::default() };
    let mut quiet = rig("", [48_000; 2], [1, 1], &muted).unwrap();
    quiet.pass(&vec![0.5; CALL * 40], 1);
    assert!(quiet.heard.iter().all(|&sample| sample == 0.0));
    quiet.live.set_muted(false);
    quiet.pass(&vec![0.5; CALL * 40], 1);
    quiet.drain(CALL * 50);
    assert_eq!(quiet.heard.last(), Some(&0.5));

    for (limits, ceiling) in [(true, 0.891_251), (false, 1.0)] {
        let settings = LiveSettings { limits, ..LiveSettings::default() };
        let mut rig = rig("gain(6 dB)", [48_000; 2], [1, 1], &settings).unwrap();
        rig.pass(&vec![0.9; CALL * 60], 1);
        rig.drain(CALL * 20);
        let peak = rig.heard.iter().fold(0f32, |peak, sample| peak.max(sample.abs()));
        assert!((peak - ceiling).abs() < 1e-5, "{limits}: {peak}");
        assert_eq!(rig.live.status().limited, limits);
    }
}

#[test]
fn feedback_is_muted_until_it_is_let_through_again() {
    let mut rig = rig("gain(40 dB)", [48_000; 2], [1, 1], &LiveSettings::default()).unwrap();
    rig.pass(&vec![0.5; CALL * 60], 1);
    rig.drain(CALL * 30);
    let status = rig.live.status();
    assert!(status.too_loud_db.is_some_and(|db| db > 20.0), "{status:?}");
    assert_eq!(rig.heard.last(), Some(&0.0));
    rig.live.set_chain(&"gain(0 dB)".parse().unwrap()).unwrap();
    // The worker may switch chains after it has taken later frames.
    let begun = Instant::now();
    loop {
        rig.pass(&vec![0.5; CALL * 40], 1);
        rig.live.set_muted(false);
        rig.pass(&vec![0.5; CALL * 40], 1);
        if (rig.heard.last(), rig.live.status().too_loud_db) == (Some(&0.5), None) {
            break;
        }
        assert!(begun.elapsed() < SOON, "{:?}", rig.live.status());
    }
}

#[test]
fn running_dry_is_counted_and_leaves_more_room_and_excess_is_skipped() {
    let mut rig = rig("", [48_000; 2], [1, 1], &LiveSettings::default()).unwrap();
    rig.pass(&vec![0.5; CALL * 20], 1);
    // A busy machine lets it run dry before.
    let before = rig.live.status().underruns;
    for _ in 0..20 {
        rig.take();
    }
    let after = rig.live.status().underruns;
    assert!(after >= 1 && after <= before + 1, "silence after running dry is no further one: {before}, {after}");
    rig.pass(&vec![0.5; CALL * 20], 1);
    // Much more than the output takes, as after a stop of the machine.
    for _ in 0..60 {
        rig.inlet.push(&[0.25; CALL]);
    }
    std::thread::sleep(Duration::from_millis(50));
    // A worker that gets the processor late skips the excess later.
    let begun = Instant::now();
    let status = loop {
        rig.pass(&vec![0.25; CALL * 40], 1);
        let status = rig.live.status();
        if status.overruns >= 1 && status.latency_ms.is_some_and(|latency| latency < 12.0 + 40.0) {
            break status;
        }
        assert!(begun.elapsed() < SOON, "{status:?}");
    };
    // Far too much at once finds no room.
    for _ in 0..500 {
        rig.inlet.push(&[0.25; CALL]);
    }
    let begun = Instant::now();
    while rig.live.status().overruns <= status.overruns {
        assert!(begun.elapsed() < SOON, "{:?}", rig.live.status());
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn dry_and_wet_are_copied_from_the_same_frame_on() {
    let chain = "limiter(-6 dB)";
    let mut rig = rig(chain, [48_000; 2], [1, 1], &LiveSettings::default()).unwrap();
    let (dry_to, mut dry_from) = crate::playback::capture::inlet(48_000, 1, 5);
    let (wet_to, mut wet_from) = crate::playback::capture::inlet(48_000, 1, 5);
    rig.pass(&vec![0.0; CALL * 10], 1);
    rig.live.tap(Some(dry_to), Some(wet_to));
    std::thread::sleep(Duration::from_millis(20));
    let input = noise(24_000, 1);
    rig.pass(input.channel(0), 1);
    rig.pass(&vec![0.0; CALL * 40], 1);
    let latency = rig.live.chain.lock().latency_frames as usize;
    let (mut dry, mut wet) = (vec![Vec::new()], vec![Vec::new()]);
    let begun = Instant::now();
    while wet[0].len() < 24_000 + latency {
        assert!(begun.elapsed() < SOON);
        dry_from.take(1 << 16, &mut dry);
        wet_from.take(1 << 16, &mut wet);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(&dry[0][..24_000], input.channel(0), "every sample");
    let wanted = rendered(chain, &input, 48_000);
    let piece = &wanted.channel(0)[..20_000];
    assert!(wet[0].iter().zip(piece).all(|(a, b)| (a - b).abs() < 1e-5), "aligned with the dry sound");
}

#[test]
fn what_cannot_run_is_refused_and_a_lost_input_is_told() {
    let settings = LiveSettings::default();
    for (chain, frames) in [("normalize(-1 dB)", 256), ("", 32), ("", 4_096)] {
        let settings = LiveSettings { frames, ..settings.clone() };
        assert!(rig(chain, [48_000; 2], [1, 1], &settings).is_err(), "{chain} {frames}");
    }
    let rig = rig("", [48_000; 2], [1, 1], &settings).unwrap();
    rig.input_health.lose("It was disconnected");
    assert_eq!(rig.live.status().problem.as_deref(), Some("MIC failed. It was disconnected."));
}

/// The rig is the cable: the output's sound arrives at the input after a known delay.
#[test]
fn the_round_trip_is_measured_to_the_frame() {
    const DELAY: usize = 1_111;
    for muted in [false, true] {
        let settings = LiveSettings { muted, ..LiveSettings::default() };
        let rig = rig("limiter(-6 dB)", [48_000; 2], [1, 1], &settings).unwrap();
        let Rig { live, mut inlet, mut outlet, .. } = rig;
        let ended = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let until = Arc::clone(&ended);
        let devices = std::thread::spawn(move || {
            let (mut line, mut filled) = (vec![0.0; DELAY], 0);
            while !until.load(Ordering::Relaxed) {
                let mut out = vec![9.0; CALL];
                outlet.fill(&mut out, CallTime::default());
                line.extend_from_slice(&out);
                filled += CALL;
                let call: Vec<f32> = line.drain(..CALL).collect();
                inlet.push(&call);
                std::thread::sleep(Duration::from_millis(2));
            }
            filled
        });
        let measured = live.measure_round_trip(&Progress::new()).ok();
        ended.store(true, Ordering::Relaxed);
        let filled = devices.join().unwrap();
        let status = live.status();
        assert_eq!(status.muted, muted, "as it was");
        if status.underruns == 0 && status.overruns == 0 {
            // The output began with silence until it had a cushion; from then on each frame comes after the one before.
            let silence = filled - (status.played_s * 48_000.0).round() as usize;
            assert_eq!(measured, Some((silence + DELAY) as u64));
        }
        assert_eq!(status.round_trip_ms, measured.map(|frames| 1000.0 * (frames as f64 / 48_000.0)));
        assert!(measured.is_some(), "{status:?}");
    }
}
