//! The player: a handle on the worker thread that runs the engine.

use std::ops::Range;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::callback::now_ns;
use super::cpal_host::CpalHost;
use super::engine::Engine;
use super::lock::Mutex;
use super::monitor::{MonitorFrame, MonitorRequest, MonitorReset, MonitorThread};
use super::output::{OutputInfo, SoundHost};
use super::source::{PlaybackSource, Side};
use super::transport::{MeterLevels, Transport};
use crate::chain::Chain;
use crate::error::Result;

/// How often the worker looks after the output while it runs.
const BUSY_PAUSE: Duration = Duration::from_millis(4);
/// How often it looks while nothing runs.
const IDLE_PAUSE: Duration = Duration::from_millis(200);
/// How often the system's default output is asked for.
const DEFAULT_POLL: Duration = Duration::from_secs(1);

/// Plays recordings. Every call returns at once; [`Player::transport`] shows what came of it.
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
    Done,
}

/// Every sound output of the system.
///
/// # Errors
/// [`crate::Error::Sound`] when the system cannot be asked.
pub fn outputs() -> Result<Vec<OutputInfo>> {
    CpalHost::default().outputs()
}

impl Player {
    /// A player on the system's sound. It uses the output of that handle, or follows the system's default.
    pub fn new(output: Option<String>) -> Self {
        Self::with_host(CpalHost::default, output)
    }

    /// A player on another sound system; `host` is called twice, for playing and for watching the default.
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

    /// Goes on with another recording, or with none; playback stops. From [`Transport::loads`] of the number returned on
    /// it has happened.
    pub fn load(&self, source: Option<Arc<dyn PlaybackSource>>, chain: Chain) -> u64 {
        self.load_at(source, chain, 0)
    }

    /// As [`Player::load`], standing at a frame.
    pub fn load_at(&self, source: Option<Arc<dyn PlaybackSource>>, chain: Chain, from: u64) -> u64 {
        // Both happen in one order, so that numbers count what the worker gets.
        let mut loads = self.loads.lock().unwrap_or_else(PoisonError::into_inner);
        *loads += 1;
        self.tell(Message::Load(source, chain, from));
        *loads
    }

    /// Plays from a frame on, to `until` (excluded) or to the end.
    pub fn play(&self, from: u64, until: Option<u64>) {
        self.tell(Message::Play(from, until));
    }

    /// Stops where the sound is now.
    pub fn stop(&self) {
        self.tell(Message::Stop);
    }

    /// Goes to a frame, playing or not.
    pub fn seek(&self, frame: u64) {
        self.tell(Message::Seek(frame));
    }

    /// Repeats a range without a seam, or nothing. A place beyond its end goes to its beginning.
    pub fn set_repeat(&self, repeat: Option<Range<u64>>) {
        self.tell(Message::Repeat(repeat));
    }

    /// Changes which side is heard, at the same place.
    pub fn set_side(&self, side: Side) {
        self.tell(Message::Side(side, now_ns()));
    }

    /// Changes the chain.
    pub fn set_chain(&self, chain: Chain) {
        self.tell(Message::Chain(chain, now_ns()));
    }

    /// Brings the processed side to the original's loudness, or not.
    pub fn set_matched(&self, matched: bool) {
        self.tell(Message::Matched(matched, now_ns()));
    }

    /// Uses the output of that handle, or follows the system's default.
    pub fn set_output(&self, output: Option<String>) {
        self.tell(Message::Preference(output));
    }

    /// Mutes the output when the sound rises far beyond full scale, or does not; it does from the start. What is not a
    /// number is silence and nothing leaves beyond full scale in both cases. See [`Transport::muted_db`].
    pub fn set_mutes(&self, mutes: bool) {
        self.tell(Message::Mutes(mutes));
    }

    /// How playback stands; at most some milliseconds old.
    pub fn transport(&self) -> Transport {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).transport.clone()
    }

    /// Levels of what is heard.
    pub fn meters(&self) -> MeterLevels {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).meters.clone()
    }

    /// Begins to look at what is heard, or ends and lets go of all that costs.
    pub fn set_monitoring(&self, on: bool) {
        self.monitor.set_on(on);
    }

    /// What is heard now, while it is looked at. Waits some milliseconds for it.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for what cannot be analysed.
    pub fn monitor(&self, request: MonitorRequest) -> Result<MonitorFrame> {
        self.monitor.frame(request)
    }

    /// Lets peaks or loudness begin anew.
    pub fn reset_monitor(&self, what: MonitorReset) {
        self.monitor.reset(what);
    }

    fn tell(&self, message: Message) {
        // The worker ends with the player, not before.
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
        let meters = MeterLevels { reductions: engine.reductions(now_ns), ..engine.meters() };
        let next = Shown { transport: engine.transport(now_ns), meters };
        *shown.lock().unwrap_or_else(PoisonError::into_inner) = next;
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

/// Does what a message says; false for the last one.
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
        Message::Done => return false,
    }
    true
}

/// Tells the worker what the system's default output is, whenever it changes.
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
