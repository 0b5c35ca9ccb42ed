//! Scans that the window or a watched folder requests: one at a time; further requests are queued as one.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::LibraryPage;
use super::keeper::Message;
use super::scan_part::ScanPart;
use super::scan_view::{ended, failed, running};
use super::types::{LibraryView, ScanView, TrackProblem};
use crate::chain::Placement;
use crate::device::{DeviceReport, RunPurpose};
use crate::error::{Error, Result};
use crate::library::{ScanHandle, ScanOptions};
use crate::lock::lock;
use crate::window::moment::Moment;
use crate::work::file_analysis::analyser;

/// The name of this process as other processes see it while it scans.
const PROGRAM: &str = "the window of Undertone";
/// The scan of this process.
#[derive(Default)]
pub struct Scanning {
    handle: Option<ScanHandle>,
    /// The scan that is being started, which may wait for a server. If this is cleared meanwhile, the scan ends at
    /// once.
    starting: Option<Arc<()>>,
    last: Option<ScanView>,
    /// The device that analysed the last track, and why.
    device: Arc<Mutex<Option<DeviceReport>>>,
    /// The part to scan next, once nothing prevents it.
    next: Option<ScanPart>,
    closed: bool,
}

impl Scanning {
    /// Prevents further scans. Returns the running one, which ends when it is dropped.
    pub fn close(&mut self) -> Option<ScanHandle> {
        self.closed = true;
        (self.next, self.starting) = (None, None);
        self.handle.take()
    }

    /// Forgets all scans of a library. Returns the running one, which ends when it is dropped.
    pub fn leave(&mut self) -> Option<ScanHandle> {
        let closed = self.closed;
        let left = std::mem::replace(self, Self { closed, ..Self::default() });
        left.handle
    }

    /// Whether a scan runs in this process.
    pub fn is_running(&self) -> bool {
        self.handle.is_some()
    }

    /// Whether a scan runs in this process, or is being started.
    pub fn is_busy(&self) -> bool {
        self.is_running() || self.starting.is_some()
    }

    /// Returns the state of the running scan, or of the last one, at the moment of the call: the scan is locked.
    pub fn view(&self) -> Option<ScanView> {
        let shown = self.handle.as_ref().map(|scan| running(&scan.status())).or_else(|| self.last.clone());
        shown.map(|view| ScanView { moment: Moment::next(), device: lock(&self.device).clone(), ..view })
    }

    /// Collects a scan that has finished. Returns its outcome; `None` if no scan has finished.
    pub fn collect(&mut self) -> Option<Result<()>> {
        let scan = self.handle.take_if(|scan| scan.is_finished())?;
        let status = scan.status();
        let outcome = scan.wait();
        self.last = Some(match &outcome {
            Ok(summary) => ended(&status, summary),
            Err(error) => failed(&status, error),
        });
        Some(outcome.map(drop))
    }

    /// Takes the queued part, if no scan is running.
    pub fn take_next(&mut self) -> Option<ScanPart> {
        if self.is_busy() || self.closed { None } else { self.next.take() }
    }

    /// Adds a part to the queued one.
    pub fn add_next(&mut self, part: ScanPart) {
        self.next = Some(match self.next.take() {
            Some(next) => next.with(part),
            None => part.bounded(),
        });
    }
}

impl LibraryPage {
    pub(in crate::window) fn scan(&self, folders: Vec<i64>) -> Result<LibraryView> {
        let library = self.opened()?;
        let roots = library.roots()?;
        let path = |id: &i64| {
            let root = roots.iter().find(|root| root.id == *id);
            root.map(|root| root.path.clone()).ok_or_else(|| Error::NotFound { what: "folder", name: id.to_string() })
        };
        if roots.is_empty() {
            return Err(Error::impossible("The library has no folders. Add a folder first."));
        }
        let places = folders.iter().map(path).collect::<Result<Vec<_>>>()?;
        self.start_scan(if places.is_empty() { ScanPart::Everything } else { ScanPart::Places(places) })?;
        self.view_of(&library)
    }

    pub(in crate::window) fn pause_scan(&self) -> Result<()> {
        self.with_scan(ScanHandle::pause)
    }

    pub(in crate::window) fn resume_scan(&self) -> Result<()> {
        self.with_scan(ScanHandle::resume)
    }

    pub(in crate::window) fn cancel_scan(&self) -> Result<()> {
        {
            let mut scanning = lock(&self.scanning);
            (scanning.next, scanning.starting) = (None, None);
        }
        self.with_scan(ScanHandle::cancel)
    }

    /// Runs `wish` on the running scan. A scan that has already ended cannot be controlled; this is not an error.
    fn with_scan(&self, wish: impl FnOnce(&ScanHandle)) -> Result<()> {
        if let Some(scan) = &lock(&self.scanning).handle {
            wish(scan);
        }
        self.tell_keeper(Message::Look);
        Ok(())
    }

    pub(in crate::window) fn problems(&self) -> Result<Vec<TrackProblem>> {
        let errors = self.opened()?.errors()?;
        let problem = |error: crate::library::TrackError| {
            let path = PathBuf::from(&error.path);
            TrackProblem {
                id: error.id,
                name: super::rows::name_of(&error.path),
                folder: path.parent().map_or_else(String::new, |folder| folder.display().to_string()),
                reason: error.reason,
                attempts: error.attempts,
            }
        };
        Ok(errors.into_iter().map(problem).collect())
    }

    pub(in crate::window) fn retry(&self, tracks: Option<Vec<i64>>) -> Result<LibraryView> {
        let library = self.opened()?;
        let places = library.retry(tracks.as_deref())?;
        if !places.is_empty() {
            self.start_scan(ScanPart::Places(places))?;
        }
        self.view_of(&library)
    }
}

impl LibraryPage {
    /// Starts a scan, or queues it if one is running in this process.
    ///
    /// # Errors
    /// [`Error::Refused`] while another process scans; [`Error::Cancelled`] during shutdown.
    pub(super) fn start_scan(&self, part: ScanPart) -> Result<()> {
        let library = self.opened()?;
        let only = match part.bounded() {
            ScanPart::Everything => Vec::new(),
            // To a scan, no paths mean everything.
            ScanPart::Places(places) if places.is_empty() => return Ok(()),
            ScanPart::Places(places) => places,
        };
        let (start, device) = (Arc::default(), Arc::default());
        {
            let mut scanning = lock(&self.scanning);
            if scanning.closed {
                return Err(Error::Cancelled);
            }
            if scanning.is_busy() {
                scanning.add_next(if only.is_empty() { ScanPart::Everything } else { ScanPart::Places(only) });
                return Ok(());
            }
            scanning.starting = Some(Arc::clone(&start));
            scanning.device = Arc::clone(&device);
        }
        let request = self.workspace.state().settings.device.clone();
        let placement = Placement::new(request, Arc::clone(&self.workspace.devices), RunPurpose::Export).shared();
        let analyser = analyser(placement, move |report| *lock(&device) = Some(report.clone()));
        let options = ScanOptions { program: PROGRAM.to_owned(), only, ..ScanOptions::new(analyser) };
        let started = library.scan(options);
        {
            let mut scanning = lock(&self.scanning);
            let is_wanted = scanning.starting.take_if(|starting| Arc::ptr_eq(starting, &start)).is_some();
            match started {
                Ok(handle) if is_wanted => scanning.handle = Some(handle),
                // The scan was cancelled, or the library was closed, while the scan was being started.
                other => {
                    drop(scanning);
                    return other.and(Err(Error::Cancelled));
                }
            }
        }
        self.tell_keeper(Message::Look);
        Ok(())
    }

    /// Starts a scan, or queues it while this or another process is scanning.
    pub(super) fn scan_when_possible(&self, part: ScanPart) -> Result<()> {
        match self.start_scan(part.clone()) {
            Err(Error::Refused { .. }) => {
                lock(&self.scanning).add_next(part);
                Ok(())
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::window::library::scan_part::MAX_PLACES;

    fn places(names: &[&str]) -> ScanPart {
        ScanPart::Places(names.iter().map(PathBuf::from).collect())
    }

    #[test]
    fn what_waits_is_gathered() {
        let mut scanning = Scanning::default();
        scanning.add_next(places(&["/m/b"]));
        scanning.add_next(places(&["/m/a", "/m/b"]));
        assert_eq!(scanning.take_next(), Some(places(&["/m/a", "/m/b"])));
        assert_eq!(scanning.take_next(), None);
        scanning.add_next(places(&["/m/a"]));
        scanning.add_next(ScanPart::Everything);
        assert_eq!(scanning.take_next(), Some(ScanPart::Everything));
        scanning.add_next(ScanPart::Places((0..=MAX_PLACES).map(|n| PathBuf::from(n.to_string())).collect()));
        assert_eq!(scanning.take_next(), Some(ScanPart::Everything));
        scanning.add_next(places(&[]));
        assert_eq!(scanning.take_next(), Some(places(&[])), "no path is not everything");
        scanning.add_next(places(&["/m/a"]));
        assert!(scanning.close().is_none());
        assert_eq!(scanning.take_next(), None);
    }
}
