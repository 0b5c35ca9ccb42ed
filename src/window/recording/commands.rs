//! The commands of recording and live sound.

use super::types::{LeftRecordingView, OffsetView, RecordingEnd, RecordingView};
use super::{RecordingPage, onto, takes};
use crate::document::TakeTrack;
use crate::playback::capture::InputInfo;
use crate::window::commands::commands;
use crate::window::workspace::types::{DocumentId, Opened};
use crate::work::settings::Settings;

commands! {
    recording(app);

    takes(app) {
        /// Returns the state of recording and live sound.
        [Control] view() -> RecordingView;
        /// Lists the audio inputs.
        [Long] inputs() -> Vec<InputInfo>;
        /// Opens the input that the settings name, and measures its level.
        [Long] arm() -> RecordingView;
        /// Closes the input.
        [Long] disarm() -> RecordingView;
        /// Starts a recording. When it ends, its sound is appended to a document or becomes a new one.
        [Long] start(append: Option<DocumentId>) -> RecordingView;
        /// Pauses the recording or continues it.
        [Control] set_paused(paused: bool) -> RecordingView;
        /// Ends the recording and opens it.
        [Long] stop() -> RecordingEnd;
        /// Lets the user choose the folder of recordings; unchanged if cancelled.
        [Long] choose_folder() -> Settings;
        /// Makes a recording that a crash left readable as far as possible, and opens it.
        [Long] recover(id: String) -> Opened;
        /// Sends the input through the chain of a document to the output, muted at first.
        [Long] start_live(document: Option<DocumentId>) -> RecordingView;
        /// Ends live sound.
        [Long] stop_live() -> RecordingView;
        /// Measures the round trip of live sound, which needs a cable from the output to the input.
        [Long] measure_round_trip() -> RecordingView;
        /// Mutes or unmutes live sound.
        [Control] set_live_muted(muted: bool) -> RecordingView;
    }

    RecordingPage(&app.recording) {
        /// Returns the recordings that a crash left.
        [Long] left() -> Vec<LeftRecordingView>;
        /// Forgets a recording that a crash left. Its file is kept.
        [Long] forget(id: String) -> Vec<LeftRecordingView>;
    }

    onto(app) {
        /// Records onto a track of a document, from the cursor or within the selection, while the other tracks play.
        [Long] start_onto(document: DocumentId, track: TakeTrack) -> RecordingView;
        /// Returns the recording offset of the chosen input and output.
        [Long] offset() -> OffsetView;
        /// Sets or removes this recording offset.
        [Long] set_offset(samples: Option<f64>) -> OffsetView;
        /// Measures this recording offset, which needs a cable from the output to the input.
        [Long] measure_offset() -> OffsetView;
    }
}
