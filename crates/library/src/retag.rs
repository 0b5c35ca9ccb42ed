//! Records that the tags of a file were changed, but not its audio.

use std::path::Path;

use super::Library;
use super::files::{AudioKey, QuickKey};
use super::sql::values;
use super::store::outcome::{Keys, describe};
use audio::AudioFile;
use base::error::Result;

impl Library {
    /// Records the new size, time and tags of a track's file, whose audio the caller knows to be the same. Nothing is
    /// recorded if the track is not analysed, or its file was another one before: `was` and `now` are size in bytes and
    /// modification time in nanoseconds since 1970.
    pub(super) fn retagged(&self, id: i64, was: (u64, i64), now: (u64, i64), path: &Path) -> Result<bool> {
        let info = AudioFile::open(path)?.info().clone();
        let (quick, audio_bytes) = QuickKey::of_file(path)?;
        self.store.write(|session| {
            let audio: Option<[u8; 32]> = session.first(
                "UPDATE track SET bytes = ?4, modified_ns = ?5, quick_key = ?6
                     WHERE id = ?1 AND bytes = ?2 AND modified_ns = ?3 AND state = 'done' AND audio_key IS NOT NULL
                     RETURNING audio_key",
                values![id, was.0 as i64, was.1, now.0 as i64, now.1, quick.0],
                |row| row.get(0),
            )?;
            let Some(audio) = audio else { return Ok(false) };
            describe(session, id, Keys { quick, audio: AudioKey(audio), audio_bytes }, &info, &[])?;
            Ok(true)
        })
    }
}
