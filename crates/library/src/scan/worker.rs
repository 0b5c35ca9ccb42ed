//! A worker: claims a track, examines it, writes the outcome, and claims the next.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::examine::{Examined, examine};
use super::find::{ending, unreachable, unreachable_notice};
use super::shared::{Shared, Stopped};
use super::slot::{Back, Slot};
use super::status::ScanEvent;
use crate::files::stamp;
use crate::sql;
use crate::store::found::is_gone;
use crate::store::queue::{self, Claim, Turn};
use crate::store::{outcome, roots, stored};
use base::error::{Error, Failure};

/// Maximum number of characters kept of a reason, which may quote the content of a file.
const MAX_REASON: usize = 2000;

/// How long a worker without work waits for the walk to find some.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Works until nothing is left to do or the scan is cancelled.
pub(super) fn work(shared: &Arc<Shared>, slot: &Arc<Slot>) {
    let _leave = Leave { shared, slot };
    while turn(shared, slot).is_ok() {}
}

/// Records the end of a worker on drop, however it ends.
struct Leave<'a> {
    shared: &'a Shared,
    slot: &'a Slot,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.give_up(Error::Internal("a worker of the scan ended abnormally".to_owned()));
        }
        self.slot.leave();
        self.shared.wake();
    }
}

/// Processes one track.
fn turn(shared: &Shared, slot: &Slot) -> Result<(), Stopped> {
    shared.go_on()?;
    let walking = shared.control().walking;
    let versions = shared.options.analyser.versions;
    let token = shared.next_claim();
    let plain = shared.persist(|session| queue::claim(session, shared.id, versions, Turn::Plain, token))?;
    let claimed = match plain {
        Some(claim) => Some(claim),
        None if walking => {
            shared.wait(LOOK_AGAIN);
            return Ok(());
        }
        None => suspect(shared)?,
    };
    // The worker that finishes the last other track takes the suspects.
    let Some(mut claim) = claimed else { return Err(Stopped) };
    look_again(shared, &mut claim)?;
    let release = || shared.persist(|session| queue::release(session, shared.id, claim.id));
    let began = Instant::now();
    let part = shared.budget.take((shared.options.estimate)(claim.bytes), || shared.is_cancelled());
    shared.tally().time.memory += began.elapsed().as_secs_f64();
    let Some(part) = part else {
        // If the release fails now, the end of the scan or the next scan releases the track.
        release()?;
        return Err(Stopped);
    };
    let progress = slot.begin(&claim);
    if shared.is_cancelled() {
        progress.cancel();
    }
    let began = Instant::now();
    let examined = catch_unwind(AssertUnwindSafe(|| examine(shared, &claim, &progress)));
    let seconds = began.elapsed().as_secs_f64();
    let back = slot.end();
    if back == Back::Abandoned {
        // The thread that abandoned this one has returned the memory.
        std::mem::forget(part);
        return Err(Stopped);
    }
    drop(part);
    let examined = match examined {
        Ok(examined) => examined,
        Err(panic) => Err(Error::Internal(format!("the analysis broke down: {}", words_of(panic.as_ref())))),
    };
    let examined = match examined {
        Err(Error::Cancelled) if back == Back::Overdue => Err(overdue(shared)),
        Err(Error::Cancelled) if shared.is_cancelled() => {
            release()?;
            return Err(Stopped);
        }
        other => other,
    };
    if let Disturbance::None = disturbance(shared, &claim)? {
        write(shared, &claim, examined)?;
    }
    shared.tally().costs.add_taken(&ending(&claim.path), claim.bytes, seconds);
    Ok(())
}

/// Claims a suspect (a track in progress when a scan ended with its program) if no other track is in progress. If the
/// program ends again, the cause is then known.
fn suspect(shared: &Shared) -> Result<Option<Claim>, Stopped> {
    // An abandoned thread could still end the program.
    if shared.tally().counts.abandoned > 0 {
        let left = shared.ask(|session| queue::suspects(session, shared.id)).unwrap_or_default();
        if left > 0 {
            shared.notice(format!(
                "{left} tracks that were in hand when the program ended wait for the next scan: each of them is to be \
                 analysed alone, and a decoder that did not stop is still at work"
            ));
        }
        return Ok(None);
    }
    let versions = shared.options.analyser.versions;
    let token = shared.next_claim();
    shared.persist(|session| queue::claim(session, shared.id, versions, Turn::Suspect, token))
}

/// Updates the recorded size and time of a file that changed since the walk found it, for instance because it was
/// repaired before a retry. The analysis refers to the file as it is now.
fn look_again(shared: &Shared, claim: &mut Claim) -> Result<(), Stopped> {
    let Ok(metadata) = std::fs::metadata(&claim.path) else { return Ok(()) };
    let now = stamp(&metadata);
    if now == (claim.bytes, claim.modified_ns) {
        return Ok(());
    }
    shared.persist(|session| queue::stamp(session, shared.id, claim.id, now))?;
    let mut tally = shared.tally();
    let kind = ending(&claim.path);
    tally.costs.remove_waiting(&kind, claim.bytes);
    tally.costs.add_waiting(&kind, now.0);
    tally.bytes_total = tally.bytes_total.saturating_add(now.0).saturating_sub(claim.bytes);
    (claim.bytes, claim.modified_ns) = now;
    claim.reread = false;
    Ok(())
}

fn overdue(shared: &Shared) -> Error {
    let limit_s = shared.options.track_timeout.unwrap_or_default().as_secs_f64();
    Error::Limit {
        what: "the time for one track".to_owned(),
        got: format!("more than {limit_s} s"),
        limit: format!("{limit_s} s"),
    }
}

/// Returns the message of a panic.
fn words_of(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it did not say why")
}

enum Disturbance {
    None,
    Some,
}

/// Checks whether the file is unchanged since it was found. If not, the result is not written.
fn disturbance(shared: &Shared, claim: &Claim) -> Result<Disturbance, Stopped> {
    let gone = match std::fs::metadata(&claim.path) {
        Ok(metadata) if stamp(&metadata) == (claim.bytes, claim.modified_ns) => return Ok(Disturbance::None),
        Ok(_) => false,
        Err(_) if is_gone(&claim.path) => true,
        // The file exists but cannot be examined: this is an error of the track.
        Err(_) => return Ok(Disturbance::None),
    };
    let roots = shared.store.read(roots::all).unwrap_or_default();
    if gone
        && let Some(root) = roots.iter().find(|root| root.id == claim.root)
        && let Some(reason) = unreachable(&root.path, true)
    {
        away(shared, claim, root, &reason)?;
        return Ok(Disturbance::Some);
    }
    shared.persist(|session| queue::disturbed(session, shared.id, claim.id, gone))?;
    shared.through(claim.bytes, |counts| counts.disturbed += 1);
    Ok(Disturbance::Some)
}

/// Handles a drive that was disconnected during the scan: its tracks wait for it.
fn away(shared: &Shared, claim: &Claim, root: &roots::Root, reason: &str) -> Result<(), Stopped> {
    let waiting = shared.persist(|session| {
        queue::release(session, shared.id, claim.id)?;
        let first = roots::path_of(session, root.id)?.is_some() && !roots::is_unreachable(session, shared.id, root.id)?;
        roots::reached(session, shared.id, root.id, Some(reason))?;
        if first { queue::waiting(session, shared.id, Some(root.id)).map(Some) } else { Ok(None) }
    })?;
    let bytes = |waiting: &[(String, u64)]| waiting.iter().fold(0u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
    let mut tally = shared.tally();
    let waiting = match waiting {
        Some(waiting) => waiting,
        // The track was in progress when another worker noticed.
        None => vec![(claim.path.to_string_lossy().into_owned(), claim.bytes)],
    };
    tally.tracks_total = tally.tracks_total.saturating_sub(waiting.len() as u64);
    tally.bytes_total = tally.bytes_total.saturating_sub(bytes(&waiting));
    for (path, bytes) in &waiting {
        tally.costs.remove_waiting(&ending(path.as_ref()), *bytes);
    }
    drop(tally);
    if root.unreachable.is_none() {
        shared.notice(unreachable_notice(root, reason, root.tracks));
    }
    Ok(())
}

/// Writes the outcome of a track. If the database rejects the data, the track fails.
fn write(shared: &Shared, claim: &Claim, mut examined: Result<Examined, Error>) -> Result<(), Stopped> {
    let scan = shared.id;
    let mut written = put(shared, claim, &examined)?;
    if let Err(error) = written {
        examined = Err(Error::Stored(format!("The results for this file cannot be stored: {error}")));
        written = put(shared, claim, &examined)?;
    }
    let written = written.map_err(|error| {
        shared.give_up(stored(&error));
        Stopped
    })?;
    if !written {
        // The source of the result has changed meanwhile, so the track waits to be examined again.
        return shared.persist(|to| queue::release(to, scan, claim.id));
    }
    let id = match &examined {
        Ok(Examined::Moved { from, .. }) => from.id,
        _ => claim.id,
    };
    match examined {
        Ok(Examined::Analysed { analysis, .. }) => {
            let mut tally = shared.tally();
            tally.audio_s += analysis.info.audio.rate.seconds_from_frames(analysis.info.frames);
            tally.time.stages.add(analysis.seconds);
            drop(tally);
            shared.through(claim.bytes, |counts| counts.analysed += 1);
        }
        Ok(Examined::Retagged { .. }) => shared.through(claim.bytes, |counts| counts.retagged += 1),
        Ok(Examined::Reread { is_corrected, .. }) => shared.through(claim.bytes, |counts| {
            counts.reread += 1;
            counts.corrected += u64::from(is_corrected);
        }),
        Ok(Examined::Copied { .. }) => shared.through(claim.bytes, |counts| counts.copied += 1),
        Ok(Examined::Moved { .. }) => shared.through(claim.bytes, |counts| counts.moved += 1),
        Err(error) => {
            shared.through(claim.bytes, |counts| counts.failed += 1);
            shared.tell(&ScanEvent::Failed { id, reason: error.to_string() });
            return Ok(());
        }
    }
    shared.tell(&ScanEvent::Done { id });
    Ok(())
}

/// Writes an outcome. Returns false if it is no longer valid because the track or its source has changed.
fn put(shared: &Shared, claim: &Claim, examined: &Result<Examined, Error>) -> Result<sql::Result<bool>, Stopped> {
    let (scan, versions) = (shared.id, shared.options.analyser.versions);
    match examined {
        Ok(Examined::Analysed { keys, analysis }) => {
            shared.persist_rows(|to| outcome::analysed(to, scan, claim, *keys, analysis, versions))
        }
        Ok(Examined::Retagged { keys, info }) => {
            shared.persist_rows(|to| outcome::retagged(to, scan, claim, *keys, info, versions))
        }
        Ok(Examined::Reread { keys, info, .. }) => {
            shared.persist_rows(|to| outcome::reread(to, scan, claim, *keys, info))
        }
        Ok(Examined::Copied { keys, from, info }) => {
            shared.persist_rows(|to| outcome::copied(to, scan, claim, *from, *keys, info, versions))
        }
        Ok(Examined::Moved { keys, from, info }) => {
            shared.persist_rows(|to| outcome::moved(to, scan, claim, (from.id, &from.path), *keys, info.as_deref()))
        }
        Err(error) => {
            let failure = Failure::from(error);
            let code = serde_json::to_value(failure.code).ok();
            let code = code.as_ref().and_then(|code| code.as_str()).unwrap_or("internal").to_owned();
            let reason: String = failure.message.chars().take(MAX_REASON).collect();
            shared.persist_rows(|to| queue::fail(to, scan, claim.id, (&code, &reason), versions))
        }
    }
}
