//! Compares what a codec gave back with its recording.

use crate::app::App;
use crate::app::api::CompareView;
use crate::error::Result;

impl App {
    pub(in crate::app) fn codecs_compare(&self, recording: u32, codec: String) -> Result<CompareView> {
        let files = self.codecs.files_of_cell(recording, &codec)?;
        self.compare.compare_with_first(&files)
    }
}
