//! The walk of a scan: puts files into the queue, marks vanished ones, and leaves unreachable folders as they were.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::shared::{Shared, Stopped};
use crate::files::{FoundFile, WalkItem, Walked, walk};
use crate::store::found::{self, Seen};
use crate::store::roots::{self, Root};
use crate::store::scans;
use base::error::Error;

/// Number of files recorded per transaction.
const BATCH: usize = 256;

/// A part of a root to be walked.
struct Start {
    root: usize,
    path: PathBuf,
}

/// Returns the extension of a file in lower case, by which its processing time is estimated.
pub(super) fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// Returns why a root cannot be used now, or `None` if it can. A folder that had tracks and is now empty counts as a
/// drive that is not connected, since an unmounted drive leaves an empty folder.
pub(crate) fn unreachable(path: &Path, had_tracks: bool) -> Option<String> {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) => return Some(error.to_string()),
    };
    if !metadata.is_dir() {
        return None;
    }
    match std::fs::read_dir(path) {
        Err(error) => Some(error.to_string()),
        Ok(mut entries) => (had_tracks && entries.next().is_none())
            .then(|| "The folder is empty. Its drive may not be connected.".to_owned()),
    }
}

/// How long to wait for another machine that walks a folder, before looking again.
const WALKED_ELSEWHERE: Duration = Duration::from_millis(500);

/// Walks everything that the scan has to walk. A folder that another machine is walking is left to it.
pub(super) fn find(shared: &Shared) -> Result<(), Stopped> {
    let all = roots_of(shared)?;
    let mut left: Vec<Root> =
        all.iter().filter(|root| !starts(&[(*root).clone()], &shared.options.only).is_empty()).cloned().collect();
    loop {
        let ids: Vec<i64> = left.iter().map(|root| root.id).collect();
        let taken = shared.persist(|session| scans::take_walks(session, shared.id, &ids))?;
        let (mine, others): (Vec<Root>, Vec<Root>) = left.into_iter().partition(|root| taken.contains(&root.id));
        find_in(shared, &mine, &all)?;
        shared.persist(|session| scans::leave_walks(session, shared.id))?;
        if others.is_empty() {
            return Ok(());
        }
        shared.go_on()?;
        shared.wait(WALKED_ELSEWHERE);
        let now = roots_of(shared)?;
        // A root that was walked completely or removed meanwhile need not be walked.
        let is_left = |root: &Root| now.iter().any(|now| now.id == root.id && now.scanned_at == root.scanned_at);
        left = others.into_iter().filter(is_left).collect();
    }
}

fn roots_of(shared: &Shared) -> Result<Vec<Root>, Stopped> {
    shared.store.read(roots::all).map_err(|error| {
        shared.give_up(error);
        Stopped
    })
}

/// Walks some of the roots.
fn find_in(shared: &Shared, roots: &[Root], all: &[Root]) -> Result<(), Stopped> {
    if roots.is_empty() {
        return Ok(());
    }
    let starts = starts(roots, &shared.options.only);
    let mut finding = Finding { shared, roots, starts: &starts, batch: Vec::new(), seen: HashSet::new() };
    let mut unread = Vec::new();
    let start_paths: Vec<PathBuf> = starts.iter().map(|start| start.path.clone()).collect();
    let root_paths: Vec<PathBuf> = all.iter().map(|root| root.path.clone()).collect();
    let walked = walk(&start_paths, &root_paths, shared.options.walk, |start, found| {
        shared.go_on().map_err(|Stopped| Error::Cancelled)?;
        match found {
            WalkItem::File(file) => finding.file(start, file).map_err(|Stopped| Error::Cancelled),
            WalkItem::Unread(place) => {
                shared.notice(format!("Cannot read {}: {}", place.path.display(), place.reason));
                unread.push(place.path);
                Ok(())
            }
        }
    });
    let walked = match walked {
        Ok(walked) => walked,
        Err(Error::Cancelled) => return Err(Stopped),
        Err(error) => {
            shared.give_up(error);
            return Err(Stopped);
        }
    };
    finding.flush()?;
    for (index, root) in roots.iter().enumerate() {
        finding.close(index, root, &walked, &unread)?;
    }
    Ok(())
}

/// Returns the parts of the roots to be walked.
fn starts(roots: &[Root], only: &[PathBuf]) -> Vec<Start> {
    let mut starts = Vec::new();
    for (root, Root { path, .. }) in roots.iter().enumerate() {
        if only.is_empty() || only.iter().any(|part| path.starts_with(part)) {
            starts.push(Start { root, path: path.clone() });
        } else {
            let parts = only.iter().filter(|part| part.starts_with(path));
            starts.extend(parts.map(|part| Start { root, path: part.clone() }));
        }
    }
    starts
}

struct Finding<'a> {
    shared: &'a Shared,
    roots: &'a [Root],
    starts: &'a [Start],
    batch: Vec<(i64, FoundFile)>,
    seen: HashSet<i64>,
}

impl Finding<'_> {
    fn file(&mut self, start: usize, file: FoundFile) -> Result<(), Stopped> {
        self.batch.push((self.roots[self.starts[start].root].id, file));
        if self.batch.len() >= BATCH { self.flush() } else { Ok(()) }
    }

    /// Records the files found so far.
    fn flush(&mut self) -> Result<(), Stopped> {
        let versions = self.shared.options.analyser.versions;
        let note = |files: &[(i64, FoundFile)]| {
            self.shared.persist_rows(|session| {
                files.iter().map(|(root, file)| found::file(session, *root, file, versions)).collect()
            })
        };
        let mut noted: Vec<(i64, Seen, bool)> = Vec::with_capacity(self.batch.len());
        if let Ok(all) = note(&self.batch)? {
            noted = all;
        } else {
            // A file that the library rejects, such as one in a folder just removed, is skipped alone.
            let mut taken = Vec::with_capacity(self.batch.len());
            for one in std::mem::take(&mut self.batch) {
                match note(std::slice::from_ref(&one))? {
                    Ok(one_noted) => {
                        noted.extend(one_noted);
                        taken.push(one);
                    }
                    Err(error) => self.shared.notice(format!("Cannot store {}: {error}", one.1.path.display())),
                }
            }
            self.batch = taken;
        }
        let mut tally = self.shared.tally();
        for ((_, file), (id, seen, waits)) in self.batch.iter().zip(noted) {
            self.seen.insert(id);
            tally.counts.found += 1;
            match seen {
                Seen::New => tally.counts.new += 1,
                Seen::Changed => tally.counts.changed += 1,
                Seen::Returned => tally.counts.returned += 1,
                Seen::Outdated => tally.counts.outdated += 1,
                Seen::Same => {}
            }
            if waits {
                tally.tracks_total += 1;
                tally.bytes_total = tally.bytes_total.saturating_add(file.bytes);
                tally.costs.add_waiting(&ending(&file.path), file.bytes);
            }
        }
        drop(tally);
        self.batch.clear();
        self.shared.wake();
        Ok(())
    }

    /// Records which tracks of a walked root are gone, or that the root is unreachable.
    fn close(&self, index: usize, root: &Root, walked: &[Walked], unread: &[PathBuf]) -> Result<(), Stopped> {
        let of_root = || self.starts.iter().zip(walked).filter(|(start, _)| start.root == index);
        let parts: Vec<&Path> = of_root().map(|(start, _)| start.path.as_path()).collect();
        if parts.is_empty() {
            return Ok(());
        }
        for (_, walked) in of_root() {
            let mut tally = self.shared.tally();
            tally.counts.hidden += walked.hidden;
            tally.counts.video += walked.video;
        }
        let fatal = |error: Error| {
            self.shared.give_up(error);
            Stopped
        };
        let present = self.shared.store.read(|session| found::present(session, root.id)).map_err(fatal)?;
        if let Some(reason) = unreachable(&root.path, present > 0) {
            self.shared.notice(unreachable_notice(root, &reason, present));
            return self
                .shared
                .persist(|session| roots::walked(session, self.shared.id, root.id, Some(&reason), false));
        }
        let mut kept = unread.to_vec();
        // Parts that exist but cannot be read.
        kept.extend(
            of_root().filter(|(start, walked)| walked.unreachable.is_some() && !found::is_gone(&start.path)).map(
                |(start, walked)| {
                    let reason = walked.unreachable.as_deref().unwrap_or_default();
                    self.shared.notice(format!("Cannot read {}: {reason}", start.path.display()));
                    start.path.clone()
                },
            ),
        );
        let gone = self.shared.store.read(|session| found::gone(session, root.id, &parts, &self.seen, &kept));
        let gone = gone.map_err(fatal)?;
        let whole = parts.contains(&root.path.as_path());
        let vanished = self.shared.persist(|session| {
            roots::walked(session, self.shared.id, root.id, None, whole)?;
            found::vanish(session, &gone)
        })?;
        self.shared.tally().counts.vanished += vanished as u64;
        Ok(())
    }
}

/// Returns the notice for an unreachable root.
pub(super) fn unreachable_notice(root: &Root, reason: &str, tracks: u64) -> String {
    format!("{} cannot be reached ({reason}); its {tracks} tracks are kept as they were", root.path.display())
}
