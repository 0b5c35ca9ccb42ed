//! Compares a codec's output with its recording.

use crate::app::App;
use crate::app::api::CompareView;
use crate::app::open_document::file_name;
use crate::error::Result;

impl App {
    pub(in crate::app) fn codecs_compare(&self, recording: u32, codec: String) -> Result<CompareView> {
        let [original, decoded] = self.codecs.files_of_cell(recording, &codec)?;
        // The files in a grid's folder are named after a key, not after the recording.
        let name = format!("{}, {codec}", file_name(&original));
        self.compare.compare_with(&original, &decoded, name)
    }
}
