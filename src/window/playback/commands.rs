//! The commands of playback.

use super::types::TransportView;
use crate::playback::{OutputInfo, Side};
use crate::window::App;
use crate::window::commands::commands;
use crate::window::workspace::types::DocumentId;

commands! {
    playback(app);

    App(app) {
        /// Plays from a frame to another frame or to the end.
        [Transport] play(document: DocumentId, from_frame: u64, until_frame: Option<u64>) -> TransportView;
        /// Stops playback.
        [Transport] stop() -> TransportView;
        /// Moves the playhead.
        [Transport] seek(frame: u64) -> TransportView;
        /// Turns looping of the selection on or off.
        [Transport] set_loop(looping: bool) -> TransportView;
        /// Selects whether the original or the processed side is heard.
        [Transport] set_side(side: Side) -> TransportView;
        /// Turns loudness matching of the two sides of a document on or off. It is measured at once, and again when the
        /// chain changes.
        [Transport] set_matched(document: DocumentId, matched: bool) -> TransportView;
        /// Lists the audio outputs.
        [Long] outputs() -> Vec<OutputInfo>;
    }
}
