//! The engine's output: the one that is wanted, changes to another, losses, rest.

use std::sync::atomic::Ordering;

use super::{Change, Engine};
use crate::playback::open::OpenOutput;
use crate::playback::output::OutputInfo;

/// The time without sound after which the output is paused.
const REST_AFTER_NS: u64 = 2_000_000_000;
/// An output that has not called for this long is considered lost.
const SILENT_OUTPUT_NS: u64 = 2_000_000_000;
/// Playback pauses if more than this many outputs are lost within [`LOSSES_WITHIN_NS`].
const MAX_LOSSES: usize = 3;
const LOSSES_WITHIN_NS: u64 = 5_000_000_000;

impl Engine {
    /// Selects the preferred output; `None` follows the system's default.
    pub fn set_preference(&mut self, preference: Option<String>, now_ns: u64) {
        if preference != self.preference {
            self.preference = preference;
            if self.output.is_some() {
                self.change_output(now_ns);
            }
        }
    }

    /// Sets whether the output is muted when the level rises far above full scale.
    pub fn set_mutes(&mut self, mutes: bool) {
        self.mutes = mutes;
        if let Some(output) = &self.output {
            output.link.shared.mutes.store(mutes, Ordering::Relaxed);
        }
    }

    /// Receives the system's current default output.
    pub fn note_default(&mut self, default: Option<OutputInfo>, now_ns: u64) {
        let followed = self.output.as_ref().filter(|output| self.preference.as_ref() != Some(&output.info.id));
        let moved = match (followed, &default) {
            (Some(output), Some(default)) => output.info != *default,
            _ => false,
        };
        if !self.playing {
            if default.is_some() {
                self.output_problem = None;
            } else if self.output.is_none() {
                self.output_problem = Some("there is no sound output".to_owned());
            }
        }
        self.default_output = default;
        if moved {
            self.change_output(now_ns);
        }
    }

    /// Opens the output that is wanted now. Returns whether there is one.
    pub(super) fn open_output(&mut self, now_ns: u64) -> bool {
        self.decks = None;
        // Its frames are not counted with those of the output before.
        self.watched(|heard| heard.broken = heard.output.is_some());
        match OpenOutput::open(self.host.as_mut(), self.preference.as_deref(), now_ns) {
            Ok((output, problem)) => {
                output.link.shared.mutes.store(self.mutes, Ordering::Relaxed);
                self.output = Some(output);
                self.output_problem = problem;
                self.tell_opened();
                true
            }
            Err(error) => {
                self.output_problem = Some(error.to_string());
                self.watched(|heard| heard.problem = Some(error.to_string()));
                false
            }
        }
    }

    /// Closes the output and continues on the one that is wanted now.
    fn change_output(&mut self, now_ns: u64) {
        let frame = self.heard_frame(now_ns);
        let pending = self.change.take();
        self.output = None;
        self.decks = None;
        self.meters.fall_silent();
        if !self.playing {
            return;
        }
        if self.open_output(now_ns) {
            let seek = pending.and_then(|change| change.seek).unwrap_or(frame);
            self.change = Some(Change { seek: Some(seek), since_ns: None });
        } else {
            self.playing = false;
            self.position = frame;
        }
    }

    /// Handles the callback's reports, the end of playback and a lost output.
    pub(super) fn look_at_output(&mut self, now_ns: u64) {
        if let Some(muted_db) = self.output.as_ref().and_then(OpenOutput::take_muted_db) {
            self.stop(now_ns);
            self.muted_db = Some(muted_db);
        }
        let Some(output) = &mut self.output else { return };
        if let Some(heard_after_ms) = output.gather_reports(now_ns, &mut self.meters, self.watch.as_ref()) {
            self.heard_after_ms = Some(heard_after_ms);
        }
        if self.playing && output.has_ended() && self.change.is_none() {
            self.playing = false;
            let held_at = self.held_at.take();
            self.held = held_at.is_some();
            let end = self.until.unwrap_or(u64::MAX).min(self.source.as_ref().map_or(0, |source| source.frames()));
            self.position = held_at.map_or(end, |held_at| held_at.min(end));
            output.note_stop(now_ns);
            self.watched(|heard| heard.ended = true);
        }
        let Some(output) = &mut self.output else { return };
        let lost = output.health.lost().or_else(|| {
            let quiet_ns = now_ns.saturating_sub(output.called_ns);
            (output.running && quiet_ns > SILENT_OUTPUT_NS)
                .then(|| "the output has stopped asking for sound".to_owned())
        });
        if let Some(message) = lost {
            self.lose_output(&message, now_ns);
        } else if !self.playing && output.running && now_ns.saturating_sub(output.stopped_ns) > REST_AFTER_NS {
            output.rest();
            // A pause is not counted in its frames.
            self.watch = None;
            self.meters.fall_silent();
        }
    }

    fn lose_output(&mut self, message: &str, now_ns: u64) {
        self.losses.retain(|&at_ns| now_ns.saturating_sub(at_ns) < LOSSES_WITHIN_NS);
        self.losses.push_back(now_ns);
        let (was_playing, often) = (self.playing, self.losses.len() > MAX_LOSSES);
        if often && was_playing {
            self.position = self.heard_frame(now_ns);
            self.playing = false;
            self.change = None;
        }
        if let Some(output) = self.output.take() {
            self.output = Some(output.abandoned());
        }
        self.change_output(now_ns);
        if was_playing && !self.playing {
            let why = self.output_problem.take().filter(|_| !often);
            let why = why.map_or_else(String::new, |why| format!("; {why}"));
            self.output_problem = Some(format!("paused, the output was lost ({message}){why}"));
        }
    }
}
