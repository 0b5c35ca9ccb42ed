//! Progress while a command works: a bar on a terminal, or lines of JSON for other programs.

use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use super::shown::shown;

/// The interval between reports of the work.
const TICK: Duration = Duration::from_millis(100);
/// The least time between two lines.
const BETWEEN_LINES: Duration = Duration::from_millis(500);

/// How progress is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgressKind {
    /// By a bar on a terminal, without --json
    #[default]
    Auto,
    /// By lines of JSON on standard error, twice a second
    Json,
    /// Not at all
    None,
}

/// Returns a bar of some work.
pub fn bar(target: ProgressDrawTarget, title: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), target);
    if let Ok(style) = ProgressStyle::with_template("{prefix:24!} {wide_bar} {percent:>3} %  {eta} left") {
        bar.set_style(style);
    }
    bar.set_prefix(shown(title).into_owned());
    bar
}

/// Writes lines of JSON, at most two a second:
/// `{"progress": {"title", "done", "total", "share", "elapsed_s", "remaining_s"}}`. `done` and `total` have the unit of the
/// command; `total`, `share` and `remaining_s` are null while they are unknown.
pub struct Lines {
    title: String,
    begun: Instant,
    last: Option<Instant>,
}

impl Lines {
    /// Begins with the title of the work.
    pub fn of(title: &str) -> Self {
        Self { title: title.to_owned(), begun: Instant::now(), last: None }
    }

    /// Writes the progress, unless it was written just now.
    pub fn tell(&mut self, done: u64, total: u64) {
        if self.last.is_none_or(|last| last.elapsed() >= BETWEEN_LINES) {
            self.write(done, total);
        }
    }

    /// Writes the progress.
    pub fn write(&mut self, done: u64, total: u64) {
        self.last = Some(Instant::now());
        let line = line(&self.title, done, total, self.begun.elapsed().as_secs_f64());
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

fn line(title: &str, done: u64, total: u64, elapsed_s: f64) -> serde_json::Value {
    let is_known = total > 0;
    let share = is_known.then(|| (done as f64 / total as f64).min(1.0));
    let left = total.saturating_sub(done) as f64;
    let remaining_s = (is_known && done > 0).then(|| left * elapsed_s / done as f64);
    let total = is_known.then_some(total);
    json!({ "progress": {
        "title": title, "done": done, "total": total, "share": share, "elapsed_s": elapsed_s, "remaining_s": remaining_s,
    } })
}

/// Reports the progress of some work until it is dropped.
pub struct Follower {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Follower {
    /// Reports nothing.
    pub fn of_nothing() -> Self {
        Self { running: None }
    }

    /// Draws a bar.
    pub fn of_bar(bar: ProgressBar, reading: impl Fn() -> (u64, u64) + Send + 'static) -> Self {
        Self::start(move |ended| {
            let (done, total) = reading();
            bar.set_length(total);
            bar.set_position(done);
            if ended {
                bar.finish_and_clear();
            }
        })
    }

    /// Writes lines; the last one has the final progress.
    pub fn of_lines(mut lines: Lines, reading: impl Fn() -> (u64, u64) + Send + 'static) -> Self {
        Self::start(move |ended| {
            let (done, total) = reading();
            if ended {
                lines.write(done, total);
            } else {
                lines.tell(done, total);
            }
        })
    }

    /// Calls `tell` at every tick, and with `true` at the end.
    fn start(mut tell: impl FnMut(bool) + Send + 'static) -> Self {
        let (end, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                tell(false);
            }
            tell(true);
        });
        Self { running: Some((end, thread)) }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.running.take() {
            let _ = end.send(());
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn lines_say_only_what_is_known() {
        let unknown = &line("a", 3, 0, 2.0)["progress"];
        assert!(unknown["total"].is_null() && unknown["share"].is_null() && unknown["remaining_s"].is_null());
        let half = &line("b \" c", 5, 10, 2.0)["progress"];
        assert_eq!((half["share"].as_f64(), half["remaining_s"].as_f64()), (Some(0.5), Some(2.0)));
        assert_eq!(half["title"], "b \" c");
        assert_eq!(line("c", 12, 10, 1.0)["progress"]["share"], 1.0, "more than was expected");
        assert!(line("d", 0, 10, 1.0)["progress"]["remaining_s"].is_null());
    }
}
