//! The connection to the system's sound.
//!
//! The client of a `PulseAudio` server ends its thread and closes its socket only when the server goes away, not when it
//! is dropped. A connection to a living server is therefore used again, never opened anew.

use std::sync::PoisonError;

use cpal::traits::HostTrait;

use super::lock::Mutex;

/// Connections to living servers that nobody uses now.
static IDLE: Mutex<Vec<cpal::Host>> = Mutex::new(Vec::new());

/// A connection, made when it is first needed. Dropping it leaves it to the next one.
#[derive(Default)]
pub(super) struct Connection {
    host: Option<cpal::Host>,
}

impl Connection {
    /// The system's sound.
    pub fn host(&mut self) -> &cpal::Host {
        self.host.get_or_insert_with(|| {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            // What a server left behind that has gone is dropped here, and ends with its socket.
            idle.retain(is_alive);
            let host = idle.pop();
            drop(idle);
            host.unwrap_or_else(cpal::default_host)
        })
    }

    /// Lets the next use connect anew, unless this is a connection to a server that still answers.
    pub fn renew(&mut self) {
        self.host.take_if(|host| !is_alive(host));
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(host) = self.host.take()
            && is_alive(&host)
        {
            IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(host);
        }
    }
}

/// Whether this is a connection to a sound server that answers. Other systems have none, and nothing to keep.
fn is_alive(host: &cpal::Host) -> bool {
    host.id().name().eq_ignore_ascii_case("pulseaudio") && host.devices().is_ok()
}
