//! Writes the planned tags to one file.

use std::fs::{self, File};
use std::path::Path;

use super::delta;
use super::journal::{Journal, Version};
use super::plan::{Plan, check, refused};
use super::replace::{Step, at, hash, hold, is_killed, keep_attributes, rename, sync, temporary_for};
use super::verify::verify;
use crate::files::stamp;
use audio::tags::edit;
use base::error::{Error, Result};
use base::progress::Progress;

/// Writes a file, and returns its new size and modification time. On failure the file is as it was.
pub(super) fn write(journal: &Journal, write: i64, plan: &Plan, progress: &Progress) -> Result<(u64, i64)> {
    check(&plan.target, (plan.bytes, plan.modified_ns))?;
    let temporary = temporary_for(&plan.target);
    let entry = journal.begin_file(write, plan, &temporary)?;
    let replaced = prepare(plan, &temporary, progress).and_then(|prepared| {
        journal.ready(entry, prepared.old_hash, &prepared.new, &prepared.delta)?;
        at(Step::Ready)?;
        // The last look before the file is replaced.
        check(&plan.target, (plan.bytes, plan.modified_ns))?;
        rename(&temporary, &plan.target)?;
        Ok((prepared.new.bytes, prepared.new.modified_ns))
    });
    match replaced {
        Ok(now) => {
            at(Step::Renamed)?;
            // The next writer finds out by itself that the file was replaced.
            if let Err(error) = journal.written(entry) {
                tracing::warn!("{error}");
            }
            Ok(now)
        }
        Err(error) => {
            if !is_killed() {
                let _ = fs::remove_file(&temporary);
                // An entry that stays is put in order by the next writer.
                if let Err(error) = journal.remove(entry) {
                    tracing::warn!("{error}");
                }
            }
            Err(error)
        }
    }
}

struct Prepared {
    old_hash: [u8; 32],
    new: Version,
    delta: Vec<u8>,
    /// Keeps others from tidying the copy up before it is renamed.
    _held: Option<File>,
}

/// Makes the file with the new tags at `temporary`, verifies it, and writes it to disk.
fn prepare(plan: &Plan, temporary: &Path, progress: &Progress) -> Result<Prepared> {
    at(Step::Begun)?;
    let original = plan.target.as_path();
    fs::copy(original, temporary).map_err(|source| Error::io("copy", original, source))?;
    let held = hold(temporary);
    at(Step::Copied)?;
    progress.check()?;
    // The copy counts as new: programs that keep copies of files must see that it has changed.
    let touched =
        File::options().write(true).open(temporary).and_then(|file| file.set_modified(std::time::SystemTime::now()));
    touched.map_err(|source| Error::io("write", temporary, source))?;
    edit(temporary, plan.format, &plan.edits)?;
    keep_attributes(original, temporary)?;
    at(Step::Edited)?;
    verify(plan, temporary, progress)?;
    let old_hash = hash(original)?;
    let delta = delta::make(original, temporary)?;
    let mut rebuilt = blake3::Hasher::new();
    delta::apply(&delta, &mut base::files::open(temporary)?, &mut rebuilt)
        .map_err(|source| Error::io("read", temporary, source))?;
    if *rebuilt.finalize().as_bytes() != old_hash {
        return refused("The original could not be rebuilt from what would be kept for undo", original);
    }
    sync(temporary)?;
    let metadata = fs::metadata(temporary).map_err(|source| Error::io("read", temporary, source))?;
    let (bytes, modified_ns) = stamp(&metadata);
    let new = Version { bytes, modified_ns, hash: hash(temporary)? };
    at(Step::Verified)?;
    Ok(Prepared { old_hash, new, delta, _held: held })
}
