//! Restores the original of one file.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use super::delta;
use super::journal::{FileState, Journal, Version, WrittenFile};
use super::plan::{check_replaceable, refused};
use super::replace::{Step, at, hash, hold, is_killed, keep_attributes, rename, temporary_for};
use crate::files::stamp;
use base::error::{Error, Result};

/// Restores a file. Returns its size and modification time before and after.
pub(super) fn undo(journal: &Journal, file: &WrittenFile) -> Result<((u64, i64), (u64, i64))> {
    let path = file.path.as_path();
    if file.state == FileState::Undone {
        return refused("The tags of this file have been undone already", path);
    }
    let Some(delta) = journal.delta(file.id)? else {
        return refused("What is needed to undo this is no longer kept", path);
    };
    let was = check_written(file)?;
    let temporary = temporary_for(path);
    journal.undoing(file.id, &temporary)?;
    let replaced = prepare(file, &delta, &temporary).and_then(|_held| {
        at(Step::Ready)?;
        let metadata = fs::metadata(path).map_err(|source| Error::io("read", path, source))?;
        if stamp(&metadata) != was {
            return refused("The file has been changed meanwhile, and is left as it is", path);
        }
        rename(&temporary, path)
    });
    if let Err(error) = replaced {
        if !is_killed() {
            let _ = fs::remove_file(&temporary);
            if let Err(error) = journal.written(file.id) {
                tracing::warn!("{error}");
            }
        }
        return Err(error);
    }
    at(Step::Renamed)?;
    if let Err(error) = journal.undone(file.id) {
        tracing::warn!("{error}");
    }
    let now = fs::metadata(path).map_err(|source| Error::io("read", path, source))?;
    Ok((was, stamp(&now)))
}

/// Refuses a file that is not, byte for byte, what was written. Returns its size and modification time.
fn check_written(file: &WrittenFile) -> Result<(u64, i64)> {
    let path = file.path.as_path();
    let metadata = fs::metadata(path).map_err(|source| Error::io("read", path, source))?;
    check_replaceable(&metadata, path)?;
    if metadata.len() != file.new.bytes || hash(path)? != file.new.hash {
        let reason = "The file has been changed since these tags were written, and is left as it is. If other tags \
                      were written later, undo those first";
        return refused(reason, path);
    }
    Ok(stamp(&metadata))
}

/// Makes the original at `temporary`, with its time of modification, and writes it to disk. Returns the hold on it.
fn prepare(file: &WrittenFile, delta: &[u8], temporary: &Path) -> Result<Option<File>> {
    at(Step::Begun)?;
    let failed = |source| Error::io("write", temporary, source);
    let out = File::options().write(true).create_new(true).open(temporary).map_err(failed)?;
    let held = hold(temporary);
    let mut hashed = Hashed { out: BufWriter::new(out), hasher: blake3::Hasher::new() };
    delta::apply(delta, &mut base::files::open(&file.path)?, &mut hashed).map_err(failed)?;
    let Version { modified_ns, hash, .. } = file.old;
    if *hashed.hasher.finalize().as_bytes() != hash {
        return refused("The original could not be rebuilt; what is kept for undo is damaged", &file.path);
    }
    let out = hashed.out.into_inner().map_err(|error| failed(error.into_error()))?;
    keep_attributes(&file.path, temporary)?;
    if let Ok(since) = u64::try_from(modified_ns) {
        out.set_modified(UNIX_EPOCH + Duration::from_nanos(since)).map_err(failed)?;
    }
    out.sync_all().map_err(failed)?;
    at(Step::Verified)?;
    Ok(held)
}

/// Writes and hashes.
struct Hashed<W> {
    out: W,
    hasher: blake3::Hasher,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
