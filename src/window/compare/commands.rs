//! The commands of the compare page.

use super::ComparePage;
use super::types::{CompareCurve, CompareFormat, CompareSound, CompareView};
use crate::window::commands::commands;
use crate::window::jobs::JobId;
use crate::window::playback::types::TransportView;
use crate::window::workspace::types::DocumentId;

commands! {
    compare(app);

    ComparePage(&app.compare) {
        /// Returns the versions of the comparison, and their results.
        [Long] view() -> CompareView;
        /// Lets the user choose files and adds them as versions. The comparison starts at once.
        [Long] add_files() -> CompareView;
        /// Adds documents as they sound now, through their racks.
        [Long] add_documents(documents: Vec<DocumentId>) -> CompareView;
        /// Removes versions from the comparison.
        [Long] remove(versions: Vec<u32>) -> CompareView;
        /// Chooses the version that the others are compared with.
        [Long] set_reference(version: u32) -> CompareView;
        /// Starts to compare the waiting versions, and those that failed again.
        [Long] start() -> CompareView;
        /// Cancels the comparison. Finished versions keep their results.
        [Control] cancel() -> ();
        /// Sets whether versions are brought to the level of the reference before they are measured.
        [Long] measure_at_equal_level(on: bool) -> CompareView;
        /// Returns a measure over time, for each version that has it.
        [Control] curves(measure: String) -> Vec<CompareCurve>;
        /// Lets the user choose a file and starts to write the comparison to it; null if cancelled.
        [Long] export(format: CompareFormat) -> Option<JobId>;
        /// Sets whether files dropped on the window are added to the comparison.
        [Control] take_drops(on: bool) -> ();
        /// Plays the chosen version or difference from a frame of the reference's timeline.
        [Transport] play(from_frame: u64) -> TransportView;
        /// Chooses the version or difference to play, continuing at the same position.
        [Transport] hear(sound: CompareSound) -> CompareView;
        /// Turns loudness matching of the versions on or off.
        [Transport] set_matched(matched: bool) -> CompareView;
        /// Sets the gain of differences, -40 to 80 dB.
        [Transport] set_difference_gain(db: f64) -> CompareView;
        /// Cancels requests for tiles of versions that are no longer visible.
        [Control] cancel_tiles(requests: Vec<u32>) -> ();
    }
}
