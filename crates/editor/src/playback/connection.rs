//! The connection to the system's sound.
//!
//! The client of a `PulseAudio` server ends its thread and closes its socket only when the server goes away, not when
//! it is dropped. Connections to a running server are therefore reused instead of opened anew.

use cpal::traits::HostTrait;

use super::lock::Mutex;

/// Unused connections to running servers.
static IDLE: Mutex<Vec<cpal::Host>> = Mutex::new(Vec::new());

/// A connection, made on first use. Dropping it keeps it for reuse.
#[derive(Default)]
pub(super) struct Connection {
    host: Option<cpal::Host>,
}

impl Connection {
    /// Returns the system's sound host, connecting if necessary.
    pub fn host(&mut self) -> &cpal::Host {
        self.host.get_or_insert_with(|| {
            let mut idle = IDLE.lock();
            // Connections to a server that has gone are dropped here; they end with their socket.
            idle.retain(is_alive);
            let host = idle.pop();
            drop(idle);
            host.unwrap_or_else(cpal::default_host)
        })
    }

    /// Makes the next use reconnect, unless the server of this connection still responds.
    pub fn renew(&mut self) {
        self.host.take_if(|host| !is_alive(host));
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(host) = self.host.take()
            && is_alive(&host)
        {
            IDLE.lock().push(host);
        }
    }
}

/// Returns whether this is a connection to a running sound server. Systems without a server have nothing to keep.
fn is_alive(host: &cpal::Host) -> bool {
    host.id().name().eq_ignore_ascii_case("pulseaudio") && host.devices().is_ok()
}
