//! A worker: takes a track, looks at it, writes what came of it, and takes the next.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::examine::{Examined, examine};
use super::find::{ending, unreachable, unreachable_notice};
use super::shared::{Shared, Stopped};
use super::slot::{Back, Slot};
use super::status::ScanEvent;
use crate::error::{Error, Failure};
use crate::library::files::stamp;
use crate::library::store::found::is_gone;
use crate::library::store::queue::{self, Claim, Turn};
use crate::library::store::{outcome, roots, stored};

/// Characters of a reason that are kept: a message may quote what a file holds.
const MAX_REASON: usize = 2000;

/// How long a worker without work waits for the walk to find some.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Works until there is nothing left to do or the scan is cancelled.
pub(super) fn work(shared: &Arc<Shared>, slot: &Arc<Slot>) {
    let _leave = Leave { shared, slot };
    while turn(shared, slot).is_ok() {}
}

/// Says that a worker has ended, however it ends.
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

/// One track.
fn turn(shared: &Shared, slot: &Slot) -> Result<(), Stopped> {
    shared.go_on()?;
    let walking = shared.control().walking;
    let versions = shared.options.analyser.versions;
    let plain = shared.persist(|transaction| queue::claim(transaction, shared.id, versions, Turn::Plain))?;
    let claimed = match plain {
        Some(claim) => Some(claim),
        None if walking => {
            shared.wait(LOOK_AGAIN);
            return Ok(());
        }
        None => suspect(shared)?,
    };
    // Whoever has the last track in hand takes the suspects.
    let Some(mut claim) = claimed else { return Err(Stopped) };
    look_again(shared, &mut claim)?;
    let release = || shared.persist(|transaction| queue::release(transaction, shared.id, claim.id));
    let began = Instant::now();
    let part = shared.budget.take((shared.options.estimate)(claim.bytes), || shared.is_cancelled());
    shared.tally().time.memory += began.elapsed().as_secs_f64();
    let Some(part) = part else {
        // What cannot be given back now is taken up by the end of the scan, or by the next one.
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
        // Whoever gave this thread up has given the memory back.
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

/// Takes a track that was in hand when a scan ended with its program, if nothing else is in hand: should the program end
/// again, it is known which track did it.
fn suspect(shared: &Shared) -> Result<Option<Claim>, Stopped> {
    // A thread that was given up may still end the program.
    if shared.tally().counts.abandoned > 0 {
        let left = shared.ask(queue::suspects).unwrap_or_default();
        if left > 0 {
            shared.notice(format!(
                "{left} tracks that were in hand when the program ended wait for the next scan: each of them is to be \
                 analysed alone, and a decoder that did not stop is still at work"
            ));
        }
        return Ok(None);
    }
    let versions = shared.options.analyser.versions;
    shared.persist(|transaction| queue::claim(transaction, shared.id, versions, Turn::Suspect))
}

/// A file may have changed since a walk found it, as one that was mended before it is tried again: it is what it is now
/// that is looked at.
fn look_again(shared: &Shared, claim: &mut Claim) -> Result<(), Stopped> {
    let Ok(metadata) = std::fs::metadata(&claim.path) else { return Ok(()) };
    let now = stamp(&metadata);
    if now == (claim.bytes, claim.modified_ns) {
        return Ok(());
    }
    shared.persist(|transaction| queue::stamp(transaction, shared.id, claim.id, now))?;
    let mut tally = shared.tally();
    let kind = ending(&claim.path);
    tally.costs.remove_waiting(&kind, claim.bytes);
    tally.costs.add_waiting(&kind, now.0);
    tally.bytes_total = tally.bytes_total.saturating_add(now.0).saturating_sub(claim.bytes);
    (claim.bytes, claim.modified_ns) = now;
    Ok(())
}

fn overdue(shared: &Shared) -> Error {
    let limit_s = shared.options.track_timeout.unwrap_or_default().as_secs_f64();
    Error::Limit {
        what: "time for one track".to_owned(),
        got: format!("more than {limit_s} s"),
        limit: format!("{limit_s} s"),
    }
}

/// The words that a panic came with.
fn words_of(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it did not say why")
}

enum Disturbance {
    None,
    Some,
}

/// Looks whether the file is still what it was when it was found; if not, the result is not written.
fn disturbance(shared: &Shared, claim: &Claim) -> Result<Disturbance, Stopped> {
    let gone = match std::fs::metadata(&claim.path) {
        Ok(metadata) if stamp(&metadata) == (claim.bytes, claim.modified_ns) => return Ok(Disturbance::None),
        Ok(_) => false,
        Err(_) if is_gone(&claim.path) => true,
        // It is there, but cannot be looked at: that is the track's error.
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
    shared.persist(|transaction| queue::disturbed(transaction, shared.id, claim.id, gone))?;
    shared.through(claim.bytes, |counts| counts.disturbed += 1);
    Ok(Disturbance::Some)
}

/// A drive went away in the middle of the scan: its tracks wait for it.
fn away(shared: &Shared, claim: &Claim, root: &roots::Root, reason: &str) -> Result<(), Stopped> {
    let waiting = shared.persist(|transaction| {
        queue::release(transaction, shared.id, claim.id)?;
        let first = roots::path_of(transaction, root.id)?.is_some() && !roots::is_unreachable(transaction, root.id)?;
        roots::walked(transaction, root.id, Some(reason))?;
        if first { queue::waiting(transaction, Some(root.id)).map(Some) } else { Ok(None) }
    })?;
    let bytes = |waiting: &[(String, u64)]| waiting.iter().fold(0u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
    let mut tally = shared.tally();
    let waiting = match waiting {
        Some(waiting) => waiting,
        // It was in hand when another worker noticed.
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

/// Writes what came of a track. What the database does not take is that track's failure.
fn write(shared: &Shared, claim: &Claim, mut examined: Result<Examined, Error>) -> Result<(), Stopped> {
    let scan = shared.id;
    let mut written = put(shared, claim, &examined)?;
    if let Err(error) = written {
        examined = Err(Error::Stored(format!("what was found out about this file cannot be kept: {error}")));
        written = put(shared, claim, &examined)?;
    }
    let written = written.map_err(|error| {
        shared.give_up(stored(&error));
        Stopped
    })?;
    if !written {
        // What it was to be taken from has changed meanwhile: it waits to be looked at again.
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

/// Writes an outcome; returns false when it can no longer be written as the track or its source is another meanwhile.
fn put(shared: &Shared, claim: &Claim, examined: &Result<Examined, Error>) -> Result<rusqlite::Result<bool>, Stopped> {
    let (scan, versions) = (shared.id, shared.options.analyser.versions);
    match examined {
        Ok(Examined::Analysed { keys, analysis }) => {
            shared.persist_rows(|to| outcome::analysed(to, scan, claim, *keys, analysis, versions))
        }
        Ok(Examined::Retagged { keys, info }) => {
            shared.persist_rows(|to| outcome::retagged(to, scan, claim, *keys, info, versions))
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
