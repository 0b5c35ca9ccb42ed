//! The thread on which the monitor runs.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::super::callback::now_ns;
use super::super::lock::Mutex;
use super::scene::SharedScene;
use super::{Monitor, MonitorFrame, MonitorPart, MonitorRequest};
use base::error::{Error, Result};

/// How often it reads the tap while nobody asks: often enough for the ring buffer.
const LISTEN_EVERY: Duration = Duration::from_millis(50);

enum Message {
    On(bool),
    Frame(MonitorRequest, Sender<Result<MonitorFrame>>),
    Reset(MonitorPart),
    Done,
}

/// A handle to the monitor on its thread. The thread sleeps while the monitor is off.
pub struct MonitorThread {
    to_worker: Mutex<Sender<Message>>,
    worker: Option<JoinHandle<()>>,
}

impl MonitorThread {
    /// Starts the thread with the monitor turned off.
    pub fn new(scene: SharedScene) -> Self {
        let (to_worker, messages) = channel();
        let worker = std::thread::spawn(move || work(Monitor::new(scene), &messages));
        Self { to_worker: Mutex::new(to_worker), worker: Some(worker) }
    }

    pub fn set_on(&self, on: bool) {
        self.tell(Message::On(on));
    }

    pub fn reset(&self, what: MonitorPart) {
        self.tell(Message::Reset(what));
    }

    /// Returns the state of what is heard now. Blocks for a few milliseconds.
    pub fn frame(&self, request: MonitorRequest) -> Result<MonitorFrame> {
        let (answer, answers) = channel();
        self.tell(Message::Frame(request, answer));
        answers.recv().unwrap_or_else(|_| Err(Error::Internal("the monitor has ended".to_owned())))
    }

    fn tell(&self, message: Message) {
        let to_worker = self.to_worker.lock();
        // The thread lives as long as this handle.
        drop(to_worker.send(message));
    }
}

impl Drop for MonitorThread {
    fn drop(&mut self) {
        self.tell(Message::Done);
        if let Some(worker) = self.worker.take() {
            drop(worker.join());
        }
    }
}

fn work(mut monitor: Monitor, messages: &Receiver<Message>) {
    loop {
        let message = if monitor.is_on() {
            messages.recv_timeout(LISTEN_EVERY)
        } else {
            messages.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        match message {
            Ok(Message::On(on)) => monitor.set_on(on),
            Ok(Message::Reset(what)) => monitor.reset(what),
            Ok(Message::Frame(request, answer)) => drop(answer.send(monitor.frame(&request, now_ns()))),
            // A stream without a defined loudness shows none.
            Err(RecvTimeoutError::Timeout) => drop(monitor.listen(now_ns())),
            Ok(Message::Done) | Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
