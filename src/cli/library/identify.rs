//! `undertone library identify`: finds the track that a clip is from.

use std::path::Path;

use serde::Serialize;

use super::arguments::Identify;
use crate::audio::AudioFile;
use crate::cli::Outcome;
use crate::cli::output::{Output, name};
use crate::cli::time::text_from_seconds;
use crate::error::Result;
use crate::library::Library;
use crate::library::answers::{Identity, identify};
use crate::progress::Progress;
use crate::work::file_analysis::clip_of_file;

#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten, serialize_with = "crate::files::json::as_path")]
    path: &'a Path,
    tracks: &'a [Identity],
    asked: usize,
}

pub fn run(words: &Identify, library: &Library, output: &Output) -> Result<Outcome> {
    let file = AudioFile::open(&words.file)?;
    let progress = Progress::new();
    let found = {
        let _bar = output.follow(&name(&words.file), &progress);
        let clip = clip_of_file(&file, &progress)?;
        identify(library, &clip.fingerprints, words.count, &progress)?
    };
    if output.is_json() {
        output.json(&Report { path: &words.file, tracks: &found.tracks, asked: found.asked })?;
    } else {
        for track in &found.tracks {
            let place = match track.place.offset_s {
                offset if offset < 0.0 => format!("starts {:.2} s before it", -offset),
                offset => format!("at {}", text_from_seconds(offset)),
            };
            let speed = 100.0 * (track.place.speed - 1.0);
            output.line(&format!(
                "{:>6} {:.3}  {}  ({place}, {speed:+.2} % speed)",
                track.id, track.place.score, track.path
            ));
        }
        if found.tracks.is_empty() {
            output.note(&format!("no match among {} tracks", found.asked));
        }
    }
    if found.outdated > 0 {
        output.note(&format!("undertone: {} tracks wait for a scan and were not searched", found.outdated));
    }
    Ok(Outcome::Done)
}
