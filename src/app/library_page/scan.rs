//! Scans that the window asks for, or that a watched folder does: one at a time, the next after it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::keeper::Message;
use super::scan_view::{ended, failed, running};
use crate::app::App;
use crate::app::api::{LibraryView, ScanView, TrackProblem};
use crate::app::listening::analyser;
use crate::app::state::{Shared, lock};
use crate::chain::Placement;
use crate::device::{DeviceReport, RunPurpose};
use crate::error::{Error, Result};
use crate::library::{ScanHandle, ScanOptions};

/// How other processes are told who scans.
const PROGRAM: &str = "the window of Undertone";
/// More places than this are looked at by looking at everything.
const MOST_PLACES: usize = 500;

/// What is to be walked by a scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// All folders of the library.
    Everything,
    /// These places in them.
    Places(Vec<PathBuf>),
}

impl Part {
    /// Both of them.
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Places(mut places), Self::Places(others)) => {
                places.extend(others);
                places.sort();
                places.dedup();
                Self::Places(places).bounded()
            }
            _ => Self::Everything,
        }
    }

    fn bounded(self) -> Self {
        match self {
            Self::Places(places) if places.is_empty() || places.len() > MOST_PLACES => Self::Everything,
            other => other,
        }
    }
}

/// The scan of this process.
#[derive(Default)]
pub struct Scanning {
    handle: Option<ScanHandle>,
    last: Option<ScanView>,
    /// Where the track that was analysed last ran, and why there.
    device: Arc<Mutex<Option<DeviceReport>>>,
    /// What is to be scanned when nothing stands in the way any more.
    next: Option<Part>,
    closed: bool,
}

impl Scanning {
    /// No more scans; gives the one that runs, which ends when it is dropped.
    pub fn close(&mut self) -> Option<ScanHandle> {
        self.closed = true;
        self.next = None;
        self.handle.take()
    }

    /// Whether one runs in this process.
    pub fn is_running(&self) -> bool {
        self.handle.is_some()
    }

    /// The one that runs, or how the last one ended.
    pub fn view(&self) -> Option<ScanView> {
        let shown = self.handle.as_ref().map(|scan| running(&scan.status())).or_else(|| self.last.clone());
        shown.map(|view| ScanView { device: lock(&self.device).clone(), ..view })
    }

    /// Notes the end of a scan that is over; what went wrong with it, if anything.
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

    /// What waits to be scanned, when it can be.
    pub fn take_next(&mut self) -> Option<Part> {
        if self.is_running() || self.closed { None } else { self.next.take() }
    }

    /// Keeps something for the next scan.
    pub fn add_next(&mut self, part: Part) {
        self.next = Some(match self.next.take() {
            Some(next) => next.with(part),
            None => part.bounded(),
        });
    }
}

impl App {
    pub(in crate::app) fn scan_library(&self, folders: Vec<i64>) -> Result<LibraryView> {
        let library = self.shared.opened_library()?;
        let roots = library.roots()?;
        let path = |id: &i64| {
            let root = roots.iter().find(|root| root.id == *id);
            root.map(|root| root.path.clone())
                .ok_or_else(|| Error::NotFound { what: "folder of the library", name: id.to_string() })
        };
        if roots.is_empty() {
            return Err(Error::invalid("folders of the library", "none", "one or more; add a folder first"));
        }
        let places = folders.iter().map(path).collect::<Result<Vec<_>>>()?;
        self.shared.scan(Part::Places(places))?;
        self.shared.library_view(&library)
    }

    pub(in crate::app) fn pause_scan(&self) -> Result<()> {
        self.with_scan(ScanHandle::pause)
    }

    pub(in crate::app) fn resume_scan(&self) -> Result<()> {
        self.with_scan(ScanHandle::resume)
    }

    pub(in crate::app) fn cancel_scan(&self) -> Result<()> {
        lock(&self.shared.library.scanning).next = None;
        self.with_scan(ScanHandle::cancel)
    }

    /// A scan that has ended by itself meanwhile is past all wishes.
    fn with_scan(&self, wish: impl FnOnce(&ScanHandle)) -> Result<()> {
        if let Some(scan) = &lock(&self.shared.library.scanning).handle {
            wish(scan);
        }
        self.shared.library.tell_keeper(Message::Look);
        Ok(())
    }

    pub(in crate::app) fn library_problems(&self) -> Result<Vec<TrackProblem>> {
        let errors = self.shared.opened_library()?.errors()?;
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

    pub(in crate::app) fn retry_tracks(&self, tracks: Option<Vec<i64>>) -> Result<LibraryView> {
        let library = self.shared.opened_library()?;
        let is_meant = |id: &i64| tracks.as_ref().is_none_or(|tracks| tracks.contains(id));
        let mut places = Vec::new();
        for error in library.errors()?.into_iter().filter(|error| is_meant(&error.id)) {
            places.push(library.track(error.id)?.path);
        }
        if library.retry(tracks.as_deref())? > 0 {
            self.shared.scan(Part::Places(places))?;
        }
        self.shared.library_view(&library)
    }
}

impl Shared {
    /// Begins a scan, or keeps it for after the one that runs in this process.
    ///
    /// # Errors
    /// [`Error::Refused`] while another process scans; [`Error::Cancelled`] at the program's end; what beginning fails with.
    pub(super) fn scan(self: &Arc<Self>, part: Part) -> Result<()> {
        let library = self.opened_library()?;
        let part = part.bounded();
        {
            let mut scanning = lock(&self.library.scanning);
            if scanning.closed {
                return Err(Error::Cancelled);
            }
            if scanning.is_running() {
                scanning.add_next(part);
                return Ok(());
            }
            let only = match part {
                Part::Everything => Vec::new(),
                Part::Places(places) => places,
            };
            let request = self.state().settings.device.clone();
            let placement = Placement::new(request, Arc::clone(&self.devices), RunPurpose::Export);
            let device = Arc::default();
            scanning.device = Arc::clone(&device);
            let analyser = analyser(placement, move |report| *lock(&device) = Some(report.clone()));
            let options = ScanOptions { program: PROGRAM.to_owned(), only, ..ScanOptions::new(analyser) };
            scanning.handle = Some(library.scan(options)?);
        }
        self.library.tell_keeper(Message::Look);
        Ok(())
    }

    /// Scans as soon as that can be: after a scan of this process or of another one.
    pub(super) fn scan_when_possible(self: &Arc<Self>, part: Part) -> Result<()> {
        match self.scan(part.clone()) {
            Err(Error::Refused { .. }) => {
                lock(&self.library.scanning).add_next(part);
                Ok(())
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(names: &[&str]) -> Part {
        Part::Places(names.iter().map(PathBuf::from).collect())
    }

    #[test]
    fn what_waits_is_gathered() {
        let mut scanning = Scanning::default();
        scanning.add_next(places(&["/m/b"]));
        scanning.add_next(places(&["/m/a", "/m/b"]));
        assert_eq!(scanning.take_next(), Some(places(&["/m/a", "/m/b"])));
        assert_eq!(scanning.take_next(), None);
        scanning.add_next(places(&["/m/a"]));
        scanning.add_next(Part::Everything);
        assert_eq!(scanning.take_next(), Some(Part::Everything));
        scanning.add_next(Part::Places((0..=MOST_PLACES).map(|n| PathBuf::from(n.to_string())).collect()));
        assert_eq!(scanning.take_next(), Some(Part::Everything));
        scanning.add_next(places(&["/m/a"]));
        assert!(scanning.close().is_none());
        assert_eq!(scanning.take_next(), None);
    }
}
