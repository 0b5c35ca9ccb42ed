//! Signs of life of a scan on a server, and the tracks of scans that have stopped giving them.

use std::sync::Arc;
use std::thread;

use super::shared::Shared;
use crate::store::{queue, scans};
use base::error::{Error, Result};

/// Number of signs of life within the time for which each counts.
const BEATS: u32 = 6;

/// Starts the thread that gives signs of life until the scan has ended. A file needs none: its lock is one.
pub(super) fn start(shared: &Arc<Shared>) -> Result<()> {
    if shared.store.file().is_some() {
        return Ok(());
    }
    let scan = Arc::clone(shared);
    let started = thread::Builder::new().name("library scan's life".to_owned()).spawn(move || {
        while !scan.control().ended {
            beat(&scan);
            scan.wait_for_end(scan.options.lease / BEATS);
        }
    });
    started.map(drop).map_err(|error| Error::Internal(format!("no thread for the scan's signs of life: {error}")))
}

fn beat(shared: &Shared) {
    let (limit, versions) = (shared.options.max_attempts, shared.options.analyser.versions);
    let beaten = shared.store.try_write_unheard(|session| {
        let alive = scans::beat(session, shared.id)?;
        if scans::expire(session)? > 0 {
            let (again, given_up) = queue::recover(session, limit, versions)?;
            tracing::info!("a scan of another machine ended: {again} tracks wait again, {given_up} have failed");
        }
        Ok(alive)
    });
    match beaten {
        // The scan may have ended at this moment.
        Ok(false) if !shared.control().ended => shared.give_up(Error::Stored(
            "The connection to the library was lost for too long, and other machines have taken over. Scan again."
                .to_owned(),
        )),
        Ok(_) => {}
        Err(error) => tracing::warn!("no sign of life could be given to the library: {error}"),
    }
}
