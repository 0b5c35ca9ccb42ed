//! Opens an input without blocking the caller: a sound server can hang, and a cancel must still take effect.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::inlet::{Outlet, inlet};
use super::{InputHost, InputInfo, InputWish, OpenInput, PAUSE};
use crate::playback::output::Health;
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::SampleRate;

/// How long a system may take to find and open its input.
const OPEN_LIMIT: Duration = Duration::from_secs(15);

/// An open input and its samples.
pub(crate) struct Input {
    pub info: InputInfo,
    pub outlet: Outlet,
    pub health: Arc<Health>,
    held: Option<(OpenInput, Box<dyn InputHost>)>,
}

impl Input {
    /// Opens an input of `host`, with a ring buffer of `room_s` seconds. It is opened on a separate thread, which closes
    /// it again if the caller has stopped waiting.
    pub fn open(host: Box<dyn InputHost>, wish: InputWish, room_s: usize, progress: &Progress) -> Result<Self> {
        let (to, opened) = channel();
        thread::spawn(move || drop(to.send(Self::open_now(host, &wish, room_s))));
        let begun = Instant::now();
        loop {
            progress.check()?;
            match opened.recv_timeout(PAUSE) {
                Ok(input) => return input,
                Err(RecvTimeoutError::Timeout) if begun.elapsed() < OPEN_LIMIT => {}
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Error::Capture(
                        "The system does not open its input. Restart its sound server and try again".to_owned(),
                    ));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::Internal("opening the sound input broke off".to_owned()));
                }
            }
        }
    }

    fn open_now(mut host: Box<dyn InputHost>, wish: &InputWish, room_s: usize) -> Result<Self> {
        let info = host.find(wish)?;
        SampleRate::new(info.rate)?;
        if info.channels == 0 {
            return Err(Error::Capture(format!("{} has no channels. Choose another input", info.name)));
        }
        let (inlet, outlet) = inlet(info.rate, info.channels, room_s);
        let health = Arc::new(Health::default());
        let stream = host.open(inlet, Arc::clone(&health))?;
        Ok(Self { info, outlet, health, held: Some((stream, host)) })
    }
}

impl Drop for Input {
    // Closing can block, especially for a lost input.
    fn drop(&mut self) {
        let held = self.held.take();
        thread::spawn(move || drop(held));
    }
}
