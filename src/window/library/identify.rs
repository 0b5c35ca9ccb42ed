//! Identifies a clip: a file, an open document, or a recording from the microphone.

use std::path::PathBuf;
use std::sync::Arc;

use super::LibraryPage;
use super::rows::{item, rows_by_id};
use super::types::{ClipSource, IdentifiedView, IdentityView};
use crate::audio::{AudioFile, AudioReader, RangeReader};
use crate::document::FrameRange;
use crate::error::{Error, Result};
use crate::library::Library;
use crate::library::answers::identify;
use crate::lock::lock;
use crate::playback::capture::record;
use crate::progress::Progress;
use crate::units::db_from_gain;
use crate::view::peaks::OpenReader;
use crate::window::host::FileChoice;
use crate::window::jobs::{JobId, JobPurpose};
use crate::window::workspace::open_document::file_name;
use crate::work::file_analysis::{Clip, clip, clip_of_file};

/// The greatest number of results.
const COUNT: usize = 20;
/// The allowed recording times, in seconds.
const LISTENING_S: std::ops::RangeInclusive<f64> = 1.0..=60.0;

/// The source of a clip's audio.
enum Sound {
    File(PathBuf),
    /// An open document, or a part of it.
    Document(OpenReader, Option<FrameRange>),
    Microphone(f64),
}

impl LibraryPage {
    pub(in crate::window) fn identify(&self, clip: ClipSource) -> Result<Option<JobId>> {
        let library = self.opened()?;
        let (name, sound) = match clip {
            ClipSource::File => {
                let choice = FileChoice::recording("Identify a recording");
                let Some(path) = self.workspace.host.choose_open(&choice).into_iter().next() else { return Ok(None) };
                (file_name(&path), Sound::File(path))
            }
            ClipSource::Document { document, range } => {
                let state = self.workspace.state();
                let open = state.document(document)?;
                (open.name(), Sound::Document(open.readers()?, range))
            }
            ClipSource::Microphone { seconds } => {
                if !LISTENING_S.contains(&seconds) {
                    return Err(Error::invalid("seconds to listen", format!("{seconds} s"), "1 to 60 s"));
                }
                (String::new(), Sound::Microphone(seconds))
            }
        };
        let kept = Arc::clone(&self.identified);
        let title = if name.is_empty() { "Identify what is heard".to_owned() } else { format!("Identify {name}") };
        let job = self.jobs.start(JobPurpose::Identify, title, move |progress| {
            let (source, heard) = hear(sound, progress)?;
            let name = source.unwrap_or(name);
            let identified = identified(&library, name, &heard, progress)?;
            *lock(&kept) = Some(identified);
            Ok(None)
        });
        Ok(Some(job))
    }

    pub(in crate::window) fn identified(&self) -> Result<Option<IdentifiedView>> {
        Ok(lock(&self.identified).clone())
    }
}

/// Fingerprints the clip. Also returns its name if it is known only after recording.
fn hear(sound: Sound, progress: &Progress) -> Result<(Option<String>, Clip)> {
    match sound {
        Sound::File(path) => Ok((None, clip_of_file(&AudioFile::open(&path)?, progress)?)),
        Sound::Document(readers, range) => {
            let mut reader: Box<dyn AudioReader> = readers()?;
            if let Some(range) = range {
                reader = Box::new(RangeReader::new(reader, range.start, range.end)?);
            }
            Ok((None, clip(reader.as_mut(), None, progress)?))
        }
        Sound::Microphone(seconds) => {
            let recorded = record(seconds, progress)?;
            let name = match recorded.gaps {
                0 => recorded.device_name.clone(),
                1 => format!("{}, with a gap", recorded.device_name),
                gaps => format!("{}, with {gaps} gaps", recorded.device_name),
            };
            // Progress counts the time of recording, which has ended.
            Ok((Some(name), clip(&mut recorded.into_reader(), None, &progress.uncounted())?))
        }
    }
}

fn identified(library: &Library, name: String, heard: &Clip, progress: &Progress) -> Result<IdentifiedView> {
    let found = identify(library, &heard.fingerprints, COUNT, progress)?;
    let ids: Vec<i64> = found.tracks.iter().map(|track| track.id).collect();
    let mut rows = rows_by_id(library, &ids)?;
    let tracks = found
        .tracks
        .iter()
        .filter_map(|identity| Some(IdentityView { track: item(rows.remove(&identity.id)?), place: identity.place }));
    Ok(IdentifiedView {
        clip: name,
        duration_s: heard.duration_s,
        peak_db: Some(db_from_gain(f64::from(heard.peak))).filter(|db| db.is_finite()),
        tracks: tracks.collect(),
        asked: found.asked,
        outdated: found.outdated,
    })
}
