//! Requests to separate recordings, and what is known of one before it starts.

use std::path::PathBuf;

use super::StemsPage;
use super::models::models;
use super::recordings::{Recording, unread};
use super::run::key_of;
use super::speeds::Speeds;
use super::types::{StemsModel, StemsOutlook, StemsSource};
use crate::error::{Error, Result};
use crate::library::answers::track_here;
use crate::window::App;
use crate::window::event::{Notice, NoticeLevel};
use crate::window::jobs::JobId;
use crate::work::settings::StemsWish;

/// The greatest number of recordings to request at once; each becomes a document.
const MAX_RECORDINGS: usize = 64;

/// The recordings that could be opened, and the messages about the others.
struct FoundRecordings {
    recordings: Vec<Recording>,
    unread: Vec<String>,
}

#[allow(clippy::needless_pass_by_value, reason = "commands own their arguments")]
pub(super) fn outlook(app: &App, source: StemsSource, wish: StemsWish) -> Result<StemsOutlook> {
    let FoundRecordings { recordings, unread } = recordings_of(app, source)?;
    app.stems.outlook(&recordings, unread, &wish)
}

#[allow(clippy::needless_pass_by_value, reason = "commands own their arguments")]
pub(super) fn start(app: &App, source: StemsSource, wish: StemsWish) -> Result<JobId> {
    let chosen = app.stems.chosen(&wish)?;
    let FoundRecordings { mut recordings, mut unread } = recordings_of(app, source)?;
    if let [only] = recordings.as_slice() {
        chosen.check(only.format())?;
    }
    recordings.retain(|recording| match chosen.check(recording.format()) {
        Ok(()) => true,
        Err(error) => {
            unread.push(format!("{}: {}", recording.name, error.sentences()));
            false
        }
    });
    if recordings.is_empty() {
        return Err(Error::impossible(unread.join(" ")));
    }
    for message in unread {
        app.workspace.notify(Notice { level: NoticeLevel::Error, message });
    }
    let kept = wish.clone();
    app.change_settings(|settings| settings.stems.wish = kept)?;
    Ok(app.stems.queue(recordings, &wish))
}

fn recordings_of(app: &App, source: StemsSource) -> Result<FoundRecordings> {
    let mut found = FoundRecordings { recordings: Vec::new(), unread: Vec::new() };
    match source {
        StemsSource::Document { document, track } => {
            found.recordings.push(Recording::of_document(&app.workspace.state(), document, track)?);
        }
        StemsSource::Tracks { tracks } => {
            if tracks.is_empty() || tracks.len() > MAX_RECORDINGS {
                let allowed = format!("1 to {MAX_RECORDINGS}");
                return Err(Error::invalid("number of recordings", tracks.len().to_string(), allowed));
            }
            let library = app.library.opened()?;
            let paths =
                tracks.iter().map(|id| Ok(track_here(&library, *id)?.path)).collect::<Result<Vec<PathBuf>>>()?;
            for path in paths {
                match Recording::of_file(&path) {
                    Ok(recording) => found.recordings.push(recording),
                    Err(error) => found.unread.push(unread(&path, &error)),
                }
            }
        }
    }
    Ok(found)
}

impl StemsPage {
    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub(in crate::window) fn models(&self) -> Result<Vec<StemsModel>> {
        let settings = self.workspace.state().settings.models.clone();
        Ok(models(&settings))
    }

    fn outlook(&self, recordings: &[Recording], unread: Vec<String>, wish: &StemsWish) -> Result<StemsOutlook> {
        let placement = self.placement();
        let chosen = self.chosen(wish)?;
        let channels = recordings.iter().map(|recording| recording.format().channels).max().unwrap_or(2);
        let seconds: f64 = recordings.iter().map(Recording::seconds).sum();
        let device = chosen.device(channels, seconds, &placement)?;
        let cache = self.cache();
        let (mut warnings, mut refused) = (unread, Vec::new());
        let (mut cached, mut samples) = (0, 0_u64);
        for recording in recordings {
            let named = |text: String| {
                if recordings.len() == 1 { text } else { format!("{}: {text}", recording.name) }
            };
            if let Err(error) = chosen.check(recording.format()) {
                refused.push(named(error.sentences()));
                continue;
            }
            warnings.extend(chosen.warning(recording.format(), recording.frames()).map(named));
            if cache.has(&key_of(recording, &chosen)) {
                cached += 1;
            } else {
                samples = samples.saturating_add(recording.samples());
            }
        }
        let is_hopeless = refused.len() == recordings.len();
        let problem = is_hopeless.then(|| if refused.is_empty() { warnings.join(" ") } else { refused.join(" ") });
        if !is_hopeless {
            warnings.extend(refused);
        }
        let speeds = Speeds::load(&self.folder());
        let expected_s = if samples == 0 { Some(0.0) } else { speeds.expected_s(&chosen.key, &device.used, samples) };
        Ok(StemsOutlook {
            recordings: recordings.len(),
            name: recordings.first().map(|recording| recording.name.clone()).unwrap_or_default(),
            seconds,
            cached,
            device,
            expected_s,
            problem,
            warnings,
        })
    }
}
