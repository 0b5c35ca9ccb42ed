//! The player: a handle to the worker thread that runs the engine.

use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::callback::now_ns;
use super::cpal_host::CpalHost;
use super::engine::Engine;
use super::heard::HeardLog;
use super::lock::Mutex;
use super::monitor::{MonitorFrame, MonitorPart, MonitorRequest, MonitorThread};
use super::output::{OutputInfo, SoundHost};
use super::source::{PlaybackSource, Side};
use super::transport::{MeterLevels, Transport};
use base::error::Result;
use effects::chain::Chain;

/// The worker's polling interval while the output runs.
const BUSY_PAUSE: Duration = Duration::from_millis(4);
/// The worker's polling interval while nothing runs.
const IDLE_PAUSE: Duration = Duration::from_millis(200);
/// How often the system's default output is queried.
const DEFAULT_POLL: Duration = Duration::from_secs(1);

/// Plays recordings. Every call returns immediately; [`Player::transport`] shows the result.
///
/// Dropping it stops the sound and closes the output.
pub struct Player {
    to_worker: Sender<Message>,
    shown: Arc<Mutex<Shown>>,
    monitor: MonitorThread,
    loads: Mutex<u64>,
    threads: Vec<JoinHandle<()>>,
    stop_watching: Sender<()>,
}

#[derive(Clone, Default)]
struct Shown {
    transport: Transport,
    meters: MeterLevels,
}

enum Message {
    Load(Option<Arc<dyn PlaybackSource>>, Chain, u64),
    Play(u64, Option<u64>),
    Stop,
    Seek(u64),
    Repeat(Option<Range<u64>>),
    Side(Side, u64),
    Chain(Chain, u64),
    Matched(bool, u64),
    Preference(Option<String>),
    Mutes(bool),
    Default(Option<OutputInfo>),
    Watch(HeardLog),
    Done,
}

/// Lists all sound outputs of the system.
pub fn outputs() -> Result<Vec<OutputInfo>> {
    CpalHost::default().outputs()
}

impl Player {
    /// Creates a player on the system's sound. It uses the output with the handle `output`, or follows the system's
    /// default.
    pub fn new(output: Option<String>) -> Self {
        Self::with_host(CpalHost::default, output)
    }

    /// Creates a player on another sound system. `host` is called twice: for playing and for watching the default.
    pub fn with_host<H: SoundHost + 'static>(host: impl Fn() -> H, output: Option<String>) -> Self {
        let (to_worker, messages) = channel();
        let (stop_watching, stopped) = channel();
        let shown = Arc::new(Mutex::new(Shown::default()));
        let engine = Engine::new(Box::new(host()), output);
        let monitor = MonitorThread::new(engine.scene());
        let worker = {
            let shown = Arc::clone(&shown);
            std::thread::spawn(move || work(engine, &messages, &shown))
        };
        let watcher = {
            let (mut host, to_worker) = (host(), to_worker.clone());
            std::thread::spawn(move || watch(&mut host, &to_worker, &stopped))
        };
        Self { to_worker, shown, monitor, loads: Mutex::new(0), threads: vec![worker, watcher], stop_watching }
    }

    /// Loads another recording, or unloads it; playback stops. Returns a number: the load has happened once
    /// [`Transport::loads`] reaches it.
    pub fn load(&self, source: Option<Arc<dyn PlaybackSource>>, chain: Chain) -> u64 {
        self.load_at(source, chain, 0)
    }

    /// Does the same as [`Player::load`], positioned at a frame.
    pub fn load_at(&self, source: Option<Arc<dyn PlaybackSource>>, chain: Chain, from: u64) -> u64 {
        // Numbering and sending happen under one lock, so that the numbers match the worker's order.
        let mut loads = self.loads.lock();
        *loads += 1;
        self.tell(Message::Load(source, chain, from));
        *loads
    }

    /// Plays from a frame to `until` (exclusive) or to the end.
    pub fn play(&self, from: u64, until: Option<u64>) {
        self.tell(Message::Play(from, until));
    }

    /// Starts a log of what is heard when, which ends when this is called again or the output rests.
    pub fn watch(&self) -> HeardLog {
        let log = HeardLog::default();
        self.tell(Message::Watch(log.clone()));
        log
    }

    /// Stops at the frame that is heard now.
    pub fn stop(&self) {
        self.tell(Message::Stop);
    }

    /// Seeks to a frame, whether playing or not.
    pub fn seek(&self, frame: u64) {
        self.tell(Message::Seek(frame));
    }

    /// Sets a seamless loop range, or removes it. A position beyond the end of the range moves to its start.
    pub fn set_repeat(&self, repeat: Option<Range<u64>>) {
        self.tell(Message::Repeat(repeat));
    }

    /// Selects the side that is heard, at the same position.
    pub fn set_side(&self, side: Side) {
        self.tell(Message::Side(side, now_ns()));
    }

    /// Changes the chain.
    pub fn set_chain(&self, chain: Chain) {
        self.tell(Message::Chain(chain, now_ns()));
    }

    /// Turns loudness matching of the two sides on or off.
    pub fn set_matched(&self, matched: bool) {
        self.tell(Message::Matched(matched, now_ns()));
    }

    /// Uses the output with a handle, or follows the system's default.
    pub fn set_output(&self, output: Option<String>) {
        self.tell(Message::Preference(output));
    }

    /// Sets whether the output is muted when the level rises far above full scale (on by default). In both cases
    /// non-finite samples become silence and no sample exceeds full scale. See [`Transport::muted_db`].
    pub fn set_mutes(&self, mutes: bool) {
        self.tell(Message::Mutes(mutes));
    }

    /// Returns the state of playback; at most a few milliseconds old.
    pub fn transport(&self) -> Transport {
        self.shown.lock().transport.clone()
    }

    /// Returns the levels of what is heard.
    pub fn meters(&self) -> MeterLevels {
        self.shown.lock().meters.clone()
    }

    /// Turns the monitor on or off; off, it costs nothing.
    pub fn set_monitoring(&self, on: bool) {
        self.monitor.set_on(on);
    }

    /// Returns what is heard now, while monitoring is on. Blocks for a few milliseconds.
    pub fn monitor(&self, request: MonitorRequest) -> Result<MonitorFrame> {
        self.monitor.frame(request)
    }

    /// Resets held peaks or loudness.
    pub fn reset_monitor(&self, what: MonitorPart) {
        self.monitor.reset(what);
    }

    fn tell(&self, message: Message) {
        // The worker lives as long as the player.
        drop(self.to_worker.send(message));
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.tell(Message::Done);
        let _ = self.stop_watching.send(());
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}

fn work(mut engine: Engine, messages: &Receiver<Message>, shown: &Mutex<Shown>) {
    loop {
        while engine.step(now_ns()) {
            if let Ok(message) = messages.try_recv()
                && !take(&mut engine, message)
            {
                return;
            }
        }
        let now_ns = now_ns();
        let (reductions, tracks) = (engine.reductions(now_ns), engine.track_levels(now_ns));
        let meters = MeterLevels { reductions, tracks, ..engine.meters() };
        let next = Shown { transport: engine.transport(now_ns), meters };
        *shown.lock() = next;
        let pause = if engine.is_busy() { BUSY_PAUSE } else { IDLE_PAUSE };
        match messages.recv_timeout(pause) {
            Ok(message) => {
                if !take(&mut engine, message) {
                    return;
                }
                while let Ok(message) = messages.try_recv() {
                    if !take(&mut engine, message) {
                        return;
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Carries out a message. Returns `false` for the last one.
fn take(engine: &mut Engine, message: Message) -> bool {
    match message {
        Message::Load(source, chain, from) => engine.load(source, chain, from, now_ns()),
        Message::Play(from, until) => engine.play(from, until, now_ns()),
        Message::Stop => engine.stop(now_ns()),
        Message::Seek(frame) => engine.seek(frame),
        Message::Repeat(repeat) => engine.set_repeat(repeat),
        Message::Side(side, asked_ns) => engine.set_side(side, asked_ns),
        Message::Chain(chain, asked_ns) => engine.set_chain(chain, asked_ns),
        Message::Matched(matched, asked_ns) => engine.set_matched(matched, asked_ns),
        Message::Preference(output) => engine.set_preference(output, now_ns()),
        Message::Mutes(mutes) => engine.set_mutes(mutes),
        Message::Default(output) => engine.note_default(output, now_ns()),
        Message::Watch(log) => engine.watch(Some(log), now_ns()),
        Message::Done => return false,
    }
    true
}

/// Tells the worker the system's default output whenever it changes.
fn watch(host: &mut dyn SoundHost, to_worker: &Sender<Message>, stopped: &Receiver<()>) {
    let mut known = None;
    loop {
        let id = host.default_id();
        if known.as_ref() != Some(&id) {
            known = Some(id);
            if to_worker.send(Message::Default(host.find(None).ok())).is_err() {
                return;
            }
        }
        if !matches!(stopped.recv_timeout(DEFAULT_POLL), Err(RecvTimeoutError::Timeout)) {
            return;
        }
    }
}
