//! Looks at inputs in the background: what they are, and the tags that names are made of.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::item::Facts;
use super::targets;
use crate::app::excerpt;
use crate::app::state::Shared;
use crate::audio::{AudioFile, Tags};
use crate::error::{Failure, Result};

/// How often the window is told.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// What a file is.
pub fn look(path: &Path) -> Result<Facts, Failure> {
    let file = AudioFile::open(path).map_err(Failure::from)?;
    let info = file.info();
    let channels = match info.audio.channels {
        1 => "mono".to_owned(),
        2 => "stereo".to_owned(),
        count => format!("{count} channels"),
    };
    Ok(Facts {
        kind: format!("{}, {}, {channels}", info.format, info.audio.rate),
        duration_s: info.audio.rate.seconds_from_frames(info.frames),
        // For names, which are short, and there may be thousands of inputs.
        tags: Tags { items: excerpt::fields(&info.tags.items), pictures: Vec::new() },
        warnings: excerpt::warnings(&info.warnings),
    })
}

impl Shared {
    /// Looks at the inputs that nothing is known of, on a thread of its own, until there is none.
    pub(super) fn look_at_inputs(self: &Arc<Self>) {
        {
            let mut state = self.batch_state();
            if state.reading || state.items.iter().all(|item| item.facts.is_some()) {
                return;
            }
            state.reading = true;
        }
        let shared = Arc::clone(self);
        self.in_background("Looking at the inputs of the batch", move || {
            let mut told = Instant::now();
            while shared.look_at_next() {
                if told.elapsed() >= TELL_EVERY {
                    told = Instant::now();
                    let mut state = shared.batch_state();
                    targets::name(&mut state);
                    shared.tell_batch(&mut state);
                }
            }
        });
    }

    /// Whether there was one.
    fn look_at_next(&self) -> bool {
        let next = {
            let mut state = self.batch_state();
            let next = state.items.iter().find(|item| item.facts.is_none()).map(|item| (item.id, item.path.clone()));
            if next.is_none() {
                state.reading = false;
                targets::name(&mut state);
                self.tell_batch(&mut state);
            }
            next
        };
        let Some((id, path)) = next else { return false };
        let facts = look(&path);
        let mut state = self.batch_state();
        // It may have been taken off the list meanwhile.
        if let Some(item) = state.items.iter_mut().find(|item| item.id == id) {
            item.facts = Some(facts);
            item.is_news = true;
        }
        true
    }
}
