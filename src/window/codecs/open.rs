//! Compares a codec's output with its recording.

use crate::error::Result;
use crate::window::App;
use crate::window::compare::types::CompareView;
use crate::window::workspace::open_document::file_name;

impl App {
    pub(in crate::window) fn codecs_compare(&self, recording: u32, codec: String) -> Result<CompareView> {
        let [original, decoded] = self.codecs.files_of_cell(recording, &codec)?;
        // The files in a grid's folder are named after a key, not after the recording.
        let name = format!("{}, {codec}", file_name(&original));
        self.compare.compare_with(&original, &decoded, name)
    }
}
