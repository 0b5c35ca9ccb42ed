//! The selection, the cursor and the visible range of a document. They are not steps of its history.

use crate::document::{Band, FrameRange};
use crate::error::{Error, Result};
use crate::window::App;
use crate::window::workspace::types::{DocumentId, DocumentView, LEAST_LEVEL_ZOOM, MOST_LEVEL_ZOOM, ViewRange};

impl App {
    pub(in crate::window) fn set_selection(
        &self,
        document: DocumentId,
        selection: Option<FrameRange>,
        band: Option<Band>,
        channels: Option<Vec<usize>>,
    ) -> Result<DocumentView> {
        {
            let mut state = self.workspace.state();
            let open = state.document_mut(document)?;
            let mut changed = open.document().clone();
            let frames = changed.frames();
            if let Some(range) = selection.filter(|range| range.start >= range.end || range.end > frames) {
                let got = format!("{} to {}", range.start, range.end);
                return Err(Error::invalid("selection", got, format!("within 0 to {frames} samples, start first")));
            }
            if let Some(band) =
                band.filter(|band| !(band.low_hz >= 0.0 && band.low_hz < band.high_hz && band.high_hz.is_finite()))
            {
                let got = format!("{} to {} Hz", band.low_hz, band.high_hz);
                return Err(Error::invalid("frequency band", got, "from a lower to a higher frequency, 0 Hz or more"));
            }
            changed.selection = selection;
            // A frequency band without a time range is not a selection.
            changed.band = band.filter(|_| selection.is_some());
            changed.set_channels(channels)?;
            open.history.amend(changed);
            open.revision += 1;
        }
        self.workspace.keep(document)?;
        self.playback.set_selection(document, selection);
        self.view(document)
    }

    pub(in crate::window) fn set_view(
        &self,
        document: DocumentId,
        view: ViewRange,
        cursor_frame: u64,
        level_zoom: f64,
    ) -> Result<()> {
        if !(view.start.is_finite() && view.end.is_finite() && view.start < view.end) {
            let got = format!("{} to {}", view.start, view.end);
            return Err(Error::invalid("visible range", got, "a start before an end"));
        }
        if !(LEAST_LEVEL_ZOOM..=MOST_LEVEL_ZOOM).contains(&level_zoom) {
            let allowed = format!("{LEAST_LEVEL_ZOOM} to {MOST_LEVEL_ZOOM}");
            return Err(Error::invalid("level zoom", level_zoom.to_string(), allowed));
        }
        let (key, place) = {
            let mut state = self.workspace.state();
            let open = state.document_mut(document)?;
            open.view = view;
            open.level_zoom = level_zoom;
            open.cursor_frame = cursor_frame.min(open.document().frames());
            let place = open.place();
            (state.keys.get(&document).copied(), place)
        };
        match key {
            Some(key) => self.workspace.session().save_place(key, place),
            None => Ok(()),
        }
    }
}
