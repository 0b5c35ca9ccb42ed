//! What the command line says: results on standard output, everything else on standard error.

use std::io::{IsTerminal, Write};
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::shown::shown;
use crate::error::{Error, Failure, NotationError, Result};
use crate::progress::Progress;

/// Where results and messages go.
pub struct Output {
    json: bool,
}

impl Output {
    /// Text, or JSON.
    pub fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether results are one JSON document.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a line of a result; see [`shown`].
    pub fn line(&self, text: &str) {
        // A reader that has gone (a closed pipe) is no failure of ours.
        let _ = writeln!(std::io::stdout(), "{}", shown(text));
    }

    /// Prints a result as JSON.
    ///
    /// # Errors
    /// [`Error::Internal`] for a value that JSON cannot hold.
    pub fn json(&self, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(value).map_err(|error| Error::Internal(error.to_string()))?;
        // JSON escapes control characters itself, and is exact.
        let _ = writeln!(std::io::stdout(), "{text}");
        Ok(())
    }

    /// Says something that is not a result, in one line; see [`shown`].
    pub fn note(&self, text: &str) {
        let _ = writeln!(std::io::stderr(), "{}", shown(text));
    }

    /// Writes over the line at the cursor of a terminal.
    pub fn over(&self, text: &str) {
        let _ = write!(std::io::stderr(), "\r{}", shown(text));
    }

    /// Says what failed. With JSON the result on standard output says it too.
    pub fn error(&self, error: &Error) {
        if self.json {
            let _ = self.json(&serde_json::json!({ "error": Failure::from(error) }));
        }
        self.note(&format!("undertone: {error}"));
    }

    /// Shows a chain's text with a mark under what is wrong with it.
    pub fn point_at(&self, text: &str, error: &NotationError) {
        // As it is shown, so that the mark stands below what it means.
        let before = shown(text.get(..error.start).unwrap_or(text));
        let wrong = shown(text.get(error.start..error.end.max(error.start)).unwrap_or(""));
        self.note(&format!("  {text}"));
        self.note(&format!("  {}{}", " ".repeat(before.chars().count()), "^".repeat(wrong.chars().count().max(1))));
    }

    /// Whether bars are drawn: on a terminal, beside text.
    fn draws(&self) -> bool {
        std::io::stderr().is_terminal() && !self.json
    }

    /// Where bars are drawn, if they are.
    pub fn draw_target(&self) -> ProgressDrawTarget {
        if self.draws() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() }
    }

    /// A bar that follows `progress` on a terminal, until it is dropped. Nothing is drawn elsewhere.
    pub fn follow(&self, title: &str, progress: &Progress) -> Follower {
        let progress = progress.clone();
        self.follow_with(title, move || {
            let reading = progress.snapshot();
            (reading.done, reading.total)
        })
    }

    /// A bar that asks `reading` what is done and what there is to do.
    pub fn follow_with(&self, title: &str, reading: impl Fn() -> (u64, u64) + Send + 'static) -> Follower {
        let bar = ProgressBar::with_draw_target(Some(0), self.draw_target());
        let draw = self.draws();
        if let Ok(style) = ProgressStyle::with_template("{prefix:24!} {wide_bar} {percent:>3} %  {eta} left") {
            bar.set_style(style);
        }
        bar.set_prefix(shown(title).into_owned());
        Follower::start(bar, reading, draw)
    }
}

/// Draws a bar until it is dropped.
pub struct Follower {
    bar: ProgressBar,
    end: std::sync::mpsc::Sender<()>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Follower {
    fn start(bar: ProgressBar, reading: impl Fn() -> (u64, u64) + Send + 'static, draw: bool) -> Self {
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let drawn = bar.clone();
        let thread = draw.then(|| {
            std::thread::spawn(move || {
                let every = std::time::Duration::from_millis(100);
                while ended.recv_timeout(every) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    let (done, total) = reading();
                    drawn.set_length(total);
                    drawn.set_position(done);
                }
            })
        });
        Self { bar, end, thread }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        let _ = self.end.send(());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

/// A file's name for people.
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
