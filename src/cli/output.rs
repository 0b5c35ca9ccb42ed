//! Output of the command line: results on standard output, everything else on standard error.

use std::io::{IsTerminal, Write};
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::shown::shown;
use crate::error::{Error, Failure, NotationError, Result};
use crate::progress::Progress;

/// Prints results and messages.
pub struct Output {
    json: bool,
}

impl Output {
    /// Creates an output that prints JSON if `json` is true, text otherwise.
    pub fn new(json: bool) -> Self {
        Self { json }
    }

    /// Returns whether results are printed as one JSON document.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a line of a result; see [`shown`].
    pub fn line(&self, text: &str) {
        // A reader that closed the pipe is not an error.
        let _ = writeln!(std::io::stdout(), "{}", shown(text));
    }

    /// Prints a result as JSON.
    ///
    /// # Errors
    /// [`Error::Internal`] if the value cannot be represented in JSON.
    pub fn json(&self, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string_pretty(value).map_err(|error| Error::Internal(error.to_string()))?;
        // JSON escapes control characters itself, without loss.
        let _ = writeln!(std::io::stdout(), "{text}");
        Ok(())
    }

    /// Prints one line that is not a result; see [`shown`].
    pub fn note(&self, text: &str) {
        let _ = writeln!(std::io::stderr(), "{}", shown(text));
    }

    /// Overwrites the current line of a terminal.
    pub fn over(&self, text: &str) {
        let _ = write!(std::io::stderr(), "\r{}", shown(text));
    }

    /// Prints an error. In JSON mode, the document on standard output reports it too.
    pub fn error(&self, error: &Error) {
        if self.json {
            let _ = self.json(&serde_json::json!({ "error": Failure::from(error) }));
        }
        self.note(&format!("undertone: {error}"));
    }

    /// Prints the text of a chain with a mark below the error.
    pub fn point_at(&self, text: &str, error: &NotationError) {
        // Uses the escaped text, so that the mark is below the right characters.
        let before = shown(text.get(..error.start).unwrap_or(text));
        let wrong = shown(text.get(error.start..error.end.max(error.start)).unwrap_or(""));
        self.note(&format!("  {text}"));
        self.note(&format!("  {}{}", " ".repeat(before.chars().count()), "^".repeat(wrong.chars().count().max(1))));
    }

    /// Returns whether progress bars are drawn: on a terminal, and not in JSON mode.
    fn draws(&self) -> bool {
        std::io::stderr().is_terminal() && !self.json
    }

    /// Returns where progress bars are drawn, which may be nowhere.
    pub fn draw_target(&self) -> ProgressDrawTarget {
        if self.draws() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() }
    }

    /// Returns a bar that follows `progress` on a terminal until it is dropped. Elsewhere, nothing is drawn.
    pub fn follow(&self, title: &str, progress: &Progress) -> Follower {
        let progress = progress.clone();
        self.follow_with(title, move || {
            let reading = progress.snapshot();
            (reading.done, reading.total)
        })
    }

    /// Returns a bar that polls `reading` for the amount done and the total.
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

/// Draws a bar until dropped.
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

/// Returns the name of a file for display.
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
