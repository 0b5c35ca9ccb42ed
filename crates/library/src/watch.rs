//! Watches folders for changes, so that a scan can examine only what changed.
//!
//! Changes are collected until there has been none for a while. If the system loses events or has no more watches
//! available, everything is reported as changed, and folders that cannot be watched are reported at intervals from then
//! on. Folders that links lead to are not watched; a complete scan finds changes there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use base::error::{Error, Result};
use base::lock::lock;

/// Above this number, changed paths are replaced by their parent folders.
const MAX_PLACES: usize = 500;

/// Timing of the notifications.
#[derive(Clone, Copy, Debug)]
pub struct WatchOptions {
    /// How long there must be no change before changes are reported.
    pub quiet: Duration,
    /// Maximum delay of a report.
    pub longest: Duration,
    /// Whether to report everything once when watching begins, because earlier changes were not seen.
    pub from_the_beginning: bool,
    /// Interval at which everything is reported if watching does not work, and at which unreachable folders are tried
    /// again.
    pub fallback: Duration,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            quiet: Duration::from_secs(2),
            longest: Duration::from_secs(30),
            from_the_beginning: false,
            fallback: Duration::from_mins(5),
        }
    }
}

/// The part of the library that must be examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// These files and folders, which may be new, changed or gone; see [`crate::ScanOptions::only`].
    Places(Vec<PathBuf>),
    /// Everything, with the reason.
    Everything(String),
}

enum Message {
    Event(notify::Result<Event>),
    Stop,
}

/// A running watch. It ends when dropped.
#[derive(Debug)]
pub struct Watch {
    stop: Sender<Message>,
    thread: Option<JoinHandle<()>>,
    problem: Problem,
}

/// Why a folder is not watched.
type Problem = Arc<Mutex<Option<String>>>;

impl Watch {
    /// Returns why a folder that exists is not watched now, if there is one.
    pub fn problem(&self) -> Option<String> {
        lock(&self.problem).clone()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.stop.send(Message::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Watches `roots` and calls `on_change` on a separate thread with what must be examined.
///
/// # Errors
/// If the system refuses a watch, this is reported as [`Change::Everything`].
pub fn watch(
    roots: Vec<PathBuf>,
    options: WatchOptions,
    on_change: impl FnMut(Change) + Send + 'static,
) -> Result<Watch> {
    let (stop, messages) = channel();
    let events = stop.clone();
    let problem = Problem::default();
    let told = Arc::clone(&problem);
    let run = move || Watching::new(roots, options, events, on_change, told).run(&messages);
    let thread = thread::Builder::new().name("library watch".to_owned()).spawn(run);
    let thread = thread.map_err(|error| Error::Internal(format!("no thread to watch the library: {error}")))?;
    Ok(Watch { stop, thread: Some(thread), problem })
}

struct Watching<F> {
    roots: Vec<PathBuf>,
    options: WatchOptions,
    on_change: F,
    problem: Problem,
    watcher: Option<RecommendedWatcher>,
    /// Roots that are currently not watched.
    unwatched: BTreeSet<PathBuf>,
    /// Changed paths, and the reason why everything may have changed.
    places: BTreeSet<PathBuf>,
    everything: Option<String>,
    /// When the first and the last of them arrived.
    since: Option<(Instant, Instant)>,
    next_fallback: Instant,
}

impl<F: FnMut(Change)> Watching<F> {
    fn new(
        roots: Vec<PathBuf>,
        options: WatchOptions,
        events: Sender<Message>,
        on_change: F,
        problem: Problem,
    ) -> Self {
        let send = move |event| {
            // The receiver is gone when the watch ends.
            let _ = events.send(Message::Event(event));
        };
        let mut watching = Self {
            unwatched: roots.iter().cloned().collect(),
            roots,
            options,
            on_change,
            problem,
            watcher: None,
            places: BTreeSet::new(),
            everything: None,
            since: None,
            next_fallback: Instant::now() + options.fallback,
        };
        match notify::recommended_watcher(send) {
            Ok(watcher) => watching.watcher = Some(watcher),
            Err(error) => watching.cannot(vec![format!("Folders cannot be watched: {error}")]),
        }
        watching.attach(false);
        if options.from_the_beginning {
            watching.all("what changed before the folders were watched was not seen".to_owned());
        }
        watching
    }

    /// Watches the roots that are not watched yet. With `came_back`, new ones are reported as changed.
    fn attach(&mut self, came_back: bool) {
        let Some(watcher) = &mut self.watcher else { return };
        let mut trouble = Vec::new();
        let mut back = Vec::new();
        self.unwatched.retain(|root| match watcher.watch(root, RecursiveMode::Recursive) {
            Ok(()) => {
                back.push(root.clone());
                false
            }
            Err(error) => {
                // A drive that is not connected is not an error: it is tried again.
                if root.exists() {
                    trouble.push(format!("{} cannot be watched: {}", root.display(), reason(&error)));
                }
                true
            }
        });
        if came_back {
            back.into_iter().for_each(|root| self.place(root));
        }
        self.cannot(trouble);
    }

    /// Records what cannot be watched now, and replaces the previous record.
    fn cannot(&mut self, trouble: Vec<String>) {
        let problem = (!trouble.is_empty()).then(|| trouble.join("; "));
        *lock(&self.problem) = problem;
        trouble.into_iter().for_each(|trouble| self.all(trouble));
    }

    fn run(mut self, messages: &Receiver<Message>) {
        loop {
            let now = Instant::now();
            let due = self.since.map(|(first, last)| (last + self.options.quiet).min(first + self.options.longest));
            let until = due.map_or(self.next_fallback, |due| due.min(self.next_fallback));
            match messages.recv_timeout(until.saturating_duration_since(now)) {
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(Message::Event(event)) => self.take(event),
                Err(RecvTimeoutError::Timeout) => {
                    let now = Instant::now();
                    if due.is_some_and(|due| now >= due) {
                        self.tell();
                    }
                    if now >= self.next_fallback {
                        self.fall_back();
                    }
                }
            }
        }
    }

    fn take(&mut self, event: notify::Result<Event>) {
        match event {
            Ok(event) if event.need_rescan() => self.all("the system lost track of changes".to_owned()),
            Ok(Event { kind: EventKind::Access(_), .. }) => {}
            Ok(event) => {
                for path in event.paths {
                    if self.roots.contains(&path) && !path.exists() {
                        // Its drive was disconnected; it is watched again when it returns.
                        self.unwatched.insert(path.clone());
                    }
                    if !self.is_hidden(&path) {
                        self.place(path);
                    }
                }
            }
            Err(error) => self.all(format!("changes may have been missed: {}", reason(&error))),
        }
    }

    fn is_hidden(&self, path: &Path) -> bool {
        let within = self.roots.iter().find_map(|root| path.strip_prefix(root).ok()).unwrap_or(path);
        within.iter().any(|part| part.as_encoded_bytes().first() == Some(&b'.'))
    }

    fn place(&mut self, path: PathBuf) {
        self.places.insert(path);
        self.mark();
    }

    fn all(&mut self, why: String) {
        self.everything.get_or_insert(why);
        self.mark();
    }

    fn mark(&mut self) {
        let now = Instant::now();
        self.since = Some((self.since.map_or(now, |(first, _)| first), now));
    }

    fn tell(&mut self) {
        self.since = None;
        let places = std::mem::take(&mut self.places);
        let change = match self.everything.take() {
            Some(why) => Change::Everything(why),
            None => Change::Places(gathered(places)),
        };
        (self.on_change)(change);
    }

    fn fall_back(&mut self) {
        self.next_fallback = Instant::now() + self.options.fallback;
        self.attach(true);
        let unwatched = self.unwatched.iter().filter(|root| root.exists()).count();
        if unwatched > 0 {
            self.all(format!("{unwatched} folders cannot be watched and are looked through at intervals"));
        }
    }
}

/// Returns the paths without those inside another one. Too many paths are replaced by their parent folders.
fn gathered(mut places: BTreeSet<PathBuf>) -> Vec<PathBuf> {
    if places.len() > MAX_PLACES {
        places = places.iter().map(|place| place.parent().unwrap_or(place).to_path_buf()).collect();
    }
    let mut kept: Vec<PathBuf> = Vec::new();
    for place in places {
        // In sorted order, a folder comes before everything in it.
        if !kept.iter().rev().any(|other| place.starts_with(other)) {
            kept.push(place);
        }
    }
    kept
}

fn reason(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "The system cannot watch more folders (fs.inotify.max_user_watches on Linux)".to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<PathBuf> {
        names.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn places_are_told_once() {
        let places = paths(&["/m/a/x.wav", "/m/a", "/m/b/y.wav", "/m/a b/z.wav"]);
        assert_eq!(gathered(places.into_iter().collect()), paths(&["/m/a", "/m/a b/z.wav", "/m/b/y.wav"]));
        let many: BTreeSet<PathBuf> = (0..2000).map(|n| PathBuf::from(format!("/m/{}/{n}", n % 3))).collect();
        assert_eq!(gathered(many), paths(&["/m/0", "/m/1", "/m/2"]));
    }
}
