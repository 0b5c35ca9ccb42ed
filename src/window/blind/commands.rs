//! The commands of blind tests.

use super::BlindPage;
use super::types::{BlindFormat, BlindOdds, BlindSound, BlindView};
use crate::blind::{Report, Rule, Said, Test};
use crate::window::commands::commands;
use crate::window::playback::types::TransportView;

commands! {
    blind(app);

    BlindPage(&app.blind) {
        /// Returns the blind tests, and the trial that waits for an answer.
        [Long] view() -> BlindView;
        /// Returns the odds that a rule gives guessers and listeners.
        [Long] odds(rule: Rule) -> BlindOdds;
        /// Begins a blind test of versions of the comparison.
        [Long] start(listener: String, note: String, versions: Vec<u32>, test: Test) -> BlindView;
        /// Continues a blind test, whose versions must be in the comparison.
        [Long] resume(session: String) -> BlindView;
        /// Plays the passage of the trial, repeated, from a frame of the timeline.
        [Transport] play(from_frame: u64) -> TransportView;
        /// Chooses the sound to play in the trial, continuing at the same position.
        [Transport] hear(sound: BlindSound) -> BlindView;
        /// Answers the trial.
        [Long] answer(said: Said) -> BlindView;
        /// Ends the blind test early. It keeps its answers and has no result.
        [Long] give_up() -> BlindView;
        /// Leaves the blind test, which can be resumed.
        [Long] leave() -> BlindView;
        /// Returns the results of finished blind tests.
        [Long] report(sessions: Vec<String>) -> Report;
        /// Lets the user choose a file and writes the results of blind tests to it; false if cancelled.
        [Long] export(sessions: Vec<String>, format: BlindFormat) -> bool;
        /// Removes a blind test.
        [Long] remove(session: String) -> BlindView;
    }
}
