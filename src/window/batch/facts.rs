//! Inspects inputs in the background: their format, and the tags for their output names.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::item::FileFacts;
use super::{BatchPage, targets};
use crate::audio::Tags;
use crate::effects::Permission;
use crate::error::{Failure, Result};
use crate::window::excerpt;
use crate::work::export::ExportInput;

/// The interval of events to the window.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// Inspects a file.
pub fn look(path: &Path, permission: &Permission) -> Result<FileFacts, Failure> {
    let input = ExportInput::open(path, permission).map_err(Failure::from)?;
    let (format, warnings) = (input.format(), input.warnings().map(str::to_owned).collect::<Vec<_>>());
    Ok(FileFacts {
        kind: format!("{}, {}, {}", input.kind(), format.rate, format.channels_in_words()),
        duration_s: format.rate.seconds_from_frames(input.frames()),
        // Names are short, and there may be thousands of inputs.
        tags: shown(input.tags()),
        warnings: excerpt::warnings(&warnings),
    })
}

/// Returns the fields of tags, shortened.
fn shown(tags: &Tags) -> Tags {
    let items = excerpt::fields(&tags.items).into_iter().map(|(name, text)| (name, text.into()));
    Tags { items: items.collect(), ..Tags::default() }
}

impl BatchPage {
    /// Inspects the remaining inputs on a background thread.
    pub(super) fn look_at_inputs(self: &Arc<Self>) {
        {
            let mut state = self.locked();
            if state.reading || state.items.iter().all(|item| item.facts.is_some()) {
                return;
            }
            state.reading = true;
        }
        let page = Arc::clone(self);
        self.workspace.in_background("Looking at the inputs of the batch", move || {
            let mut told = Instant::now();
            while page.look_at_next() {
                if told.elapsed() >= TELL_EVERY {
                    told = Instant::now();
                    let mut state = page.locked();
                    targets::name(&mut state);
                    page.tell_batch(&mut state);
                }
            }
        });
    }

    /// Inspects the next input. Returns whether there was one.
    fn look_at_next(&self) -> bool {
        let next = {
            let mut state = self.locked();
            let next = state.items.iter().find(|item| item.facts.is_none()).map(|item| (item.id, item.path.clone()));
            if next.is_none() {
                state.reading = false;
                targets::name(&mut state);
                self.tell_batch(&mut state);
            }
            next
        };
        let Some((id, path)) = next else { return false };
        let facts = look(&path, &self.workspace.permission);
        let mut state = self.locked();
        // The input may have been removed in the meantime.
        if let Some(item) = state.items.iter_mut().find(|item| item.id == id) {
            item.facts = Some(facts);
            item.is_news = true;
        }
        true
    }
}
