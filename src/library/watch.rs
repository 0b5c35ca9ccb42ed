//! Watches folders for changes, so that a scan can look at what changed and nothing else.
//!
//! Changes are gathered until it has been quiet for a while. When the system loses events or has no more watches to give,
//! that is said, and everything is to be looked at again - from then on at intervals, where it cannot be watched. Folders
//! that links lead to are not watched; a whole scan finds what changed there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::error::{Error, Result};

/// More places than this are told as their folders, and beyond as everything.
const MAX_PLACES: usize = 500;

/// How changes are gathered.
#[derive(Clone, Copy, Debug)]
pub struct WatchOptions {
    /// How long it must be quiet before changes are told.
    pub quiet: Duration,
    /// How long they are held back at most.
    pub longest: Duration,
    /// Whether everything is to be looked at once when watching has begun: what changed before was not seen.
    pub from_the_beginning: bool,
    /// How often everything is to be looked at where watching does not work, and how often a folder that cannot be
    /// reached is tried.
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

/// What is to be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// These files and folders, which may be new, changed or gone: [`crate::library::ScanOptions::only`].
    Places(Vec<PathBuf>),
    /// Everything, and why.
    Everything(String),
}

enum Message {
    Event(notify::Result<Event>),
    Stop,
}

/// A watch, as long as it lives.
#[derive(Debug)]
pub struct Watch {
    stop: Sender<Message>,
    thread: Option<JoinHandle<()>>,
    problem: Problem,
}

/// Why some folder is not watched.
type Problem = Arc<Mutex<Option<String>>>;

impl Watch {
    /// Why some folder is not watched now, though it is there.
    pub fn problem(&self) -> Option<String> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
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

/// Watches `roots` and calls `on_change`, on a thread of its own, with what is to be looked at.
///
/// # Errors
/// [`Error::Internal`] without a thread. What the system refuses is told as [`Change::Everything`].
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
    /// Roots that are not watched now.
    unwatched: BTreeSet<PathBuf>,
    /// What has changed, and why all may have.
    places: BTreeSet<PathBuf>,
    everything: Option<String>,
    /// When the first and the last of them came.
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
            // Nobody listens any more when the watch ends.
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
            Err(error) => watching.cannot(vec![format!("folders cannot be watched: {error}")]),
        }
        watching.attach(false);
        if options.from_the_beginning {
            watching.all("what changed before the folders were watched was not seen".to_owned());
        }
        watching
    }

    /// Watches what is not watched yet. A folder that came back is to be looked at.
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
                // A drive that is not there is no trouble: it is tried again.
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

    /// Says what cannot be watched now; what was said before is over.
    fn cannot(&mut self, trouble: Vec<String>) {
        let problem = (!trouble.is_empty()).then(|| trouble.join("; "));
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = problem;
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
                        // Its drive went; it is watched again when it is back.
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

/// Places without those that lie in another of them; many become their folders.
fn gathered(mut places: BTreeSet<PathBuf>) -> Vec<PathBuf> {
    if places.len() > MAX_PLACES {
        places = places.iter().map(|place| place.parent().unwrap_or(place).to_path_buf()).collect();
    }
    let mut kept: Vec<PathBuf> = Vec::new();
    for place in places {
        // In order, whatever holds a place comes before it.
        if !kept.iter().rev().any(|other| place.starts_with(other)) {
            kept.push(place);
        }
    }
    kept
}

fn reason(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "the system has no more watches to give (fs.inotify.max_user_watches on Linux)".to_owned()
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
