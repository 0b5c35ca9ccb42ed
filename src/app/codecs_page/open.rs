//! Opens what a codec gave back in the editor.

use crate::app::App;
use crate::app::api::Opened;
use crate::error::Result;

impl App {
    pub(in crate::app) fn codecs_open(&self, recording: u32, codec: String) -> Result<Opened> {
        let files = self.codecs.files_of_cell(recording, &codec)?;
        Ok(self.open(&files))
    }
}
