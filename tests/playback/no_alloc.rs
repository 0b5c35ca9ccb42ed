//! The audio thread never allocates or frees memory.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use assert_no_alloc::{AllocDisabler, assert_no_alloc};
use undertone::Result;
use undertone::chain::{Chain, Placement};
use undertone::playback::capture::{Inlet, InputHost, InputInfo, InputWish, OpenInput, record_from};
use undertone::playback::live::{Live, LiveHost, LiveOutlet, LiveSettings};
use undertone::playback::{
    CallTime, Callback, ChainSource, Health, OutputInfo, OutputStream, Player, Side, SoundHost, now_ns,
};
use undertone::progress::Progress;

use super::signal::{noise, opener};

#[global_allocator]
static ALLOCATOR: AllocDisabler = AllocDisabler;

/// A sound system that passes its callback to the test.
#[derive(Clone, Default)]
struct Handing(Arc<Mutex<Option<Callback>>>);

struct Running;

impl OutputStream for Running {
    fn set_running(&self, _: bool) -> Result<()> {
        Ok(())
    }
}

impl SoundHost for Handing {
    fn outputs(&mut self) -> Result<Vec<OutputInfo>> {
        Ok(vec![self.find(None)?])
    }

    fn default_id(&mut self) -> Option<String> {
        Some("test".into())
    }

    fn find(&mut self, _: Option<&str>) -> Result<OutputInfo> {
        Ok(OutputInfo { id: "test".into(), name: "test".into(), rate: 48_000, channels: 2 })
    }

    fn open(&mut self, _: &OutputInfo, callback: Callback, _: Arc<Health>) -> Result<Box<dyn OutputStream>> {
        *self.0.lock().unwrap() = Some(callback);
        Ok(Box::new(Running))
    }
}

fn chain(text: &str) -> Chain {
    text.parse().unwrap()
}

/// A log that must not be written to.
struct Silent;

impl tracing::Subscriber for Silent {
    /// This is called on every thread, but `enabled` only on the thread that logs.
    fn register_callsite(&self, _: &'static tracing::Metadata<'static>) -> tracing::subscriber::Interest {
        tracing::subscriber::Interest::sometimes()
    }

    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        panic!("the audio thread logs: {}", metadata.name());
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, _: &tracing::Event<'_>) {}

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

/// Everything that can happen in a callback: monitoring on and off, start, overlapping changes, sides, seeks, loops,
/// underruns, muting, the end and stopping. A single allocation aborts the process; a lock of playback or a log message
/// panics.
#[test]
fn the_callback_neither_allocates_nor_locks_nor_logs() {
    let host = Handing::default();
    let player = Player::with_host(|| host.clone(), None);
    let source = ChainSource::new(opener(44_100, noise(3 * 44_100)), Placement::cpu()).unwrap();
    player.load(Some(Arc::new(source)), chain("gain(-6 dB)"));
    // Monitored half of the time, but never read in between, so that the tap's ring buffer overflows.
    player.set_monitoring(true);
    player.play(0, None);
    let begun = Instant::now();
    let mut callback = loop {
        if let Some(callback) = host.0.lock().unwrap().take() {
            break callback;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "no output was opened");
        std::thread::sleep(Duration::from_millis(1));
    };
    let mut out = vec![0f32; 2 * 480];
    let silent = tracing::Dispatch::new(Silent);
    let mut fill = || {
        let time = CallTime { now_ns: now_ns(), latency_ns: 10_000_000 };
        tracing::dispatcher::with_default(&silent, || assert_no_alloc(|| callback.fill(&mut out, time)));
        out.iter().any(|&sample| sample != 0.0)
    };
    // However late a busy machine schedules the worker, each state is heard before the next one begins.
    let until = |what: &str, fill: &mut dyn FnMut() -> bool, done: &dyn Fn(bool) -> bool| {
        let begun = Instant::now();
        while !done(fill()) {
            assert!(begun.elapsed() < Duration::from_secs(30), "{what}: {:?}", player.transport());
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    for call in 0..600u32 {
        match call % 40 {
            3 => player.set_chain(chain(&format!("lowpass({} Hz) | gain(-6 dB)", 1000 + call % 600))),
            4 => player.set_chain(chain("gain(-3 dB)")),
            9 => player.set_side(if call % 80 < 40 { Side::Original } else { Side::Processed }),
            14 => player.seek(u64::from(call % 600 * 100)),
            19 => player.set_repeat((call % 80 < 40).then_some(10_000..20_000)),
            24 => player.set_matched(call % 80 < 40),
            27 => player.set_monitoring(call % 80 < 40),
            29 => player.stop(),
            31 => player.play(50_000, None),
            2 | 8 | 13 | 18 | 23 | 28 | 38 => until("it sounds", &mut fill, &|sounds| sounds),
            _ => {}
        }
        // Most calls give the worker time. The others do not, so that the output underruns.
        if call % 100 < 60 {
            std::thread::sleep(Duration::from_micros(1500));
        }
        fill();
    }
    // Muted because it is too loud, and heard again.
    player.set_repeat(None);
    player.set_side(Side::Processed);
    player.set_matched(false);
    player.play(20_000, None);
    player.set_chain(chain("gain(60 dB)"));
    until("it is muted", &mut fill, &|_| player.transport().muted_db.is_some());
    player.set_chain(chain("gain(-3 dB)"));
    player.play(20_000, None);
    until("it sounds again", &mut fill, &|sounds| sounds && player.transport().playing);
    player.seek(3 * 44_100 - 2_000);
    until("it ends", &mut fill, &|_| !player.transport().playing);
    // Dropping the player while the output still calls frees nothing on that thread either.
    drop(player);
    assert_no_alloc(|| callback.fill(&mut out, CallTime::default()));
}

/// An input that passes its inlet to the test.
struct HandingInput(std::sync::mpsc::Sender<Inlet>);

impl InputHost for HandingInput {
    fn inputs(&mut self) -> Result<Vec<InputInfo>> {
        Ok(Vec::new())
    }

    fn find(&mut self, _: &InputWish) -> Result<InputInfo> {
        Ok(InputInfo { name: "test".into(), rate: 48_000, channels: 2, ..InputInfo::default() })
    }

    fn open(&mut self, inlet: Inlet, _: Arc<Health>) -> Result<OpenInput> {
        drop(self.0.send(inlet));
        Ok(Box::new(()))
    }
}

/// With and without space in the ring buffer.
#[test]
fn what_an_input_gives_is_taken_without_allocating() {
    let (to, inlets) = std::sync::mpsc::channel();
    let recorder = std::thread::spawn(move || record_from(Box::new(HandingInput(to)), 5.0, &Progress::new()));
    let mut inlet = inlets.recv_timeout(Duration::from_secs(10)).unwrap();
    let samples = vec![0.25f32; 2 * 480];
    let begun = Instant::now();
    while !recorder.is_finished() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it does not end");
        // Far more than is read in the meantime; samples without space are dropped.
        assert_no_alloc(|| (0..500).for_each(|_| inlet.push(&samples)));
        std::thread::sleep(Duration::from_millis(1));
    }
    let recorded = recorder.join().unwrap().unwrap();
    assert!(recorded.gaps > 0 && recorded.channels.iter().all(|channel| channel.len() == 5 * 48_000));
}

/// An output that passes its outlet to the test.
struct HandingOutput(std::sync::mpsc::Sender<LiveOutlet>);

impl LiveHost for HandingOutput {
    fn find(&mut self, _: Option<&str>) -> Result<OutputInfo> {
        Ok(OutputInfo { id: "test".into(), name: "test".into(), rate: 48_000, channels: 2 })
    }

    fn open(&mut self, _: &OutputInfo, _: u32, outlet: LiveOutlet, _: Arc<Health>) -> Result<Box<dyn OutputStream>> {
        drop(self.0.send(outlet));
        Ok(Box::new(Running))
    }
}

/// Everything that can happen in the callbacks of live sound: the beginning, changes of the chain, muting, feedback,
/// running dry, too much at once, and the end. A lock panics in the outlet's callback.
#[test]
fn live_sound_neither_allocates_nor_locks_in_its_callbacks() {
    let ((to_in, inlets), (to_out, outlets)) = (std::sync::mpsc::channel(), std::sync::mpsc::channel());
    let live = Live::start_with(
        Box::new(HandingInput(to_in)),
        Box::new(HandingOutput(to_out)),
        &LiveSettings::default(),
        &chain("gain(-6 dB)"),
        &Progress::new(),
    )
    .unwrap();
    let mut inlet = inlets.recv_timeout(Duration::from_secs(10)).unwrap();
    let mut outlet = outlets.recv_timeout(Duration::from_secs(10)).unwrap();
    let samples = vec![0.25f32; 2 * 256];
    let mut out = vec![0f32; 2 * 256];
    let silent = tracing::Dispatch::new(Silent);
    let mut sounded = 0;
    for call in 0..2_000u32 {
        match call % 200 {
            10 => live.set_chain(&chain("lowpass(1 kHz) | gain(-6 dB)")).unwrap(),
            40 => live.set_muted(true),
            60 => live.set_muted(false),
            80 => live.set_chain(&chain("gain(60 dB)")).unwrap(),
            120 => live.set_chain(&chain("gain(-3 dB)")).unwrap(),
            140 => live.set_muted(false),
            _ => {}
        }
        let pushes = if call == 1_960 { 300 } else { u32::from(call % 200 < 180) };
        tracing::dispatcher::with_default(&silent, || {
            assert_no_alloc(|| {
                (0..pushes).for_each(|_| inlet.push(&samples));
                inlet.note_call(now_ns(), 1_000_000);
                outlet.fill(&mut out, CallTime { now_ns: now_ns(), latency_ns: 10_000_000 });
            });
        });
        sounded += u32::from(out.iter().any(|&sample| sample != 0.0));
        if call % 4 == 0 {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    let status = live.status();
    assert!(sounded > 100 && status.underruns > 0 && status.overruns > 0, "{sounded} {status:?}");
    drop(live);
    assert_no_alloc(|| outlet.fill(&mut out, CallTime::default()));
}
