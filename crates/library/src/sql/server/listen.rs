//! Listens for changes of a library on a server, by whatever machine.

use std::future::{pending, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use futures_util::future::select;
use tokio::runtime::Runtime;
use tokio_postgres::{AsyncMessage, Config};

use super::address::Encryption;
use super::bounded::Connector;
use super::tls;
use base::lock::lock;

/// The channel on which a transaction announces its change.
pub const CHANNEL: &str = "undertone_library";

/// How long to wait before connecting again.
const AGAIN: Duration = Duration::from_secs(2);

/// The changes heard of so far.
#[derive(Debug, Default)]
pub(super) struct Heard {
    started: AtomicBool,
    /// Grows with every change, and whenever some may have been missed.
    changes: AtomicU64,
    /// Whether every change is heard of now.
    hears: AtomicBool,
    /// The last version that was asked for, and how many changes had been heard of before.
    known: Mutex<Option<(u64, i64)>>,
}

impl Heard {
    /// See [`super::Server::known_version`].
    pub(super) fn version<E>(&self, ask: impl FnOnce() -> Result<i64, E>) -> Result<i64, E> {
        let hears = self.hears.load(Ordering::Acquire);
        let changes = self.changes.load(Ordering::Acquire);
        if hears
            && let Some((known, version)) = *lock(&self.known)
            && known == changes
        {
            return Ok(version);
        }
        let version = ask()?;
        *lock(&self.known) = Some((changes, version));
        Ok(version)
    }

    fn note(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }
}

/// Starts to listen, until the server's owner drops `heard`.
pub(super) fn start(heard: &Arc<Heard>, runtime: &Runtime, login: (&Config, &Encryption)) {
    if heard.started.swap(true, Ordering::AcqRel) {
        return;
    }
    let (heard, config, encryption) = (Arc::downgrade(heard), login.0.clone(), login.1.clone());
    runtime.spawn(async move {
        while heard.strong_count() > 0 {
            let Ok(connector) = tls::connector(&encryption) else { return };
            let ended = listen(&heard, &config, connector).await;
            if let Some(heard) = heard.upgrade() {
                heard.hears.store(false, Ordering::Release);
                heard.note();
            }
            if let Err(error) = ended {
                tracing::info!("changes of the library are not heard of: {error}");
            }
            tokio::time::sleep(AGAIN).await;
        }
    });
}

/// Listens until the connection ends.
async fn listen(heard: &Weak<Heard>, config: &Config, connector: Connector) -> Result<(), tokio_postgres::Error> {
    let (client, mut connection) = config.connect(connector).await?;
    let hear = async {
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            let Some(heard) = heard.upgrade() else { return Ok(()) };
            if let AsyncMessage::Notification(_) = message? {
                heard.note();
            }
        }
        Ok(())
    };
    let ask = async {
        client.batch_execute(&format!("LISTEN {CHANNEL}")).await?;
        if let Some(heard) = heard.upgrade() {
            // Changes before this moment are not reported.
            heard.note();
            heard.hears.store(true, Ordering::Release);
        }
        pending().await
    };
    select(pin!(hear), pin!(ask)).await.factor_first().0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_asked_for_after_a_change_only() {
        let heard = Heard::default();
        let asked = |heard: &Heard, answer: i64| heard.version(|| Ok::<_, ()>(answer)).unwrap();
        assert_eq!((asked(&heard, 1), asked(&heard, 2)), (1, 2), "nothing is heard yet");
        heard.hears.store(true, Ordering::Release);
        assert_eq!(asked(&heard, 3), 2);
        heard.note();
        assert_eq!((asked(&heard, 4), asked(&heard, 5)), (4, 4));
        heard.hears.store(false, Ordering::Release);
        assert_eq!(asked(&heard, 6), 6);
    }
}
