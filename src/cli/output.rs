//! Output of the command line: results on standard output, everything else on standard error.

use std::io::{IsTerminal, Write};
use std::path::Path;

use indicatif::ProgressDrawTarget;
use serde::Serialize;

use super::follower::{Follower, Lines, ProgressKind, bar};
use super::shown::shown;
use crate::error::{Error, Failure, NotationError, Result};
use crate::progress::Progress;

/// Prints results and messages.
pub struct Output {
    json: bool,
    progress: ProgressKind,
}

impl Output {
    /// Creates an output that prints JSON if `json` is true, text otherwise.
    pub fn new(json: bool) -> Self {
        Self { json, progress: ProgressKind::Auto }
    }

    /// Sets how progress is reported.
    #[must_use]
    pub fn telling(mut self, progress: ProgressKind) -> Self {
        self.progress = progress;
        self
    }

    /// Returns the same output with results as JSON or text.
    #[must_use]
    pub fn with_json(&self, json: bool) -> Self {
        Self { json, ..*self }
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

    /// Returns where progress bars are drawn, which may be nowhere: on a terminal, and not in JSON mode.
    pub fn draw_target(&self) -> ProgressDrawTarget {
        let draws = self.progress == ProgressKind::Auto && std::io::stderr().is_terminal() && !self.json;
        if draws { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() }
    }

    /// Returns the writer of the progress of `title` as lines, if these were requested.
    pub fn progress_lines(&self, title: &str) -> Option<Lines> {
        (self.progress == ProgressKind::Json).then(|| Lines::of(title))
    }

    /// Tells of `progress` until the follower is dropped: by a bar on a terminal, or by lines.
    pub fn follow(&self, title: &str, progress: &Progress) -> Follower {
        let progress = progress.clone();
        self.follow_with(title, move || {
            let reading = progress.snapshot();
            (reading.done, reading.total)
        })
    }

    /// Tells of `reading`, the amount done and the total, until the follower is dropped.
    pub fn follow_with(&self, title: &str, reading: impl Fn() -> (u64, u64) + Send + 'static) -> Follower {
        let target = self.draw_target();
        if let Some(lines) = self.progress_lines(title) {
            Follower::of_lines(lines, reading)
        } else if target.is_hidden() {
            Follower::of_nothing()
        } else {
            Follower::of_bar(bar(target, title), reading)
        }
    }
}

/// Returns the name of a file for display.
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
