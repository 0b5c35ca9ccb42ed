//! Examines one track: recognises known audio, and analyses the rest.

use std::time::Instant;

use super::find::unreachable;
use super::shared::Shared;
use crate::analysis::TrackAnalysis;
use crate::files::{AudioKey, QuickKey};
use crate::store::found::is_gone;
use crate::store::outcome::{self, Keys, Reading};
use crate::store::queue::{self, Claim, Twin};
use crate::store::roots;
use audio::{AudioFile, FileInfo};
use base::error::Result;
use base::progress::Progress;

/// The result of examining a track.
pub(super) enum Examined {
    /// The track was analysed.
    Analysed { keys: Keys, analysis: Box<TrackAnalysis> },
    /// The audio is unchanged.
    Retagged { keys: Keys, info: Box<FileInfo> },
    /// An earlier version read the file, and its sound is read as before.
    Reread { keys: Keys, info: Box<FileInfo>, is_corrected: bool },
    /// Another track has the same audio.
    Copied { keys: Keys, from: i64, info: Box<FileInfo> },
    /// It is a known track at a new path.
    Moved { keys: Keys, from: Twin, info: Option<Box<FileInfo>> },
}

/// Examines a claimed track.
pub(super) fn examine(shared: &Shared, claim: &Claim, progress: &Progress) -> Result<Examined> {
    let began = Instant::now();
    let recognised = recognise(shared, claim, progress);
    shared.tally().time.recognising += began.elapsed().as_secs_f64();
    match recognised? {
        Recognised::Known(examined) => Ok(examined),
        Recognised::Unknown(keys) => {
            let analysis = Box::new((shared.options.analyser.analyse)(&claim.path, progress)?);
            Ok(Examined::Analysed { keys, analysis })
        }
    }
}

enum Recognised {
    Known(Examined),
    Unknown(Keys),
}

fn recognise(shared: &Shared, claim: &Claim, progress: &Progress) -> Result<Recognised> {
    let path = &claim.path;
    let (quick, audio_bytes) = QuickKey::of_file(path)?;
    let keys = |audio| Keys { quick, audio, audio_bytes };
    let info = || -> Result<Box<FileInfo>> { Ok(Box::new(AudioFile::open(path)?.info().clone())) };
    let mut whole = None;
    let mut audio_key = || -> Result<AudioKey> {
        if let Some(key) = whole {
            return Ok(key);
        }
        let key = AudioKey::of_file(path, progress)?;
        whole = Some(key);
        Ok(key)
    };
    if claim.reread {
        let info = info()?;
        let reading = shared.ask(|session| outcome::compare(session, claim.id, &info))?;
        let known = claim.keys.filter(|(known_quick, _)| *known_quick == quick && reading != Reading::OtherSound);
        let Some((_, known)) = known else { return Ok(Recognised::Unknown(keys(audio_key()?))) };
        let is_corrected = reading == Reading::OtherTags;
        return Ok(Recognised::Known(Examined::Reread { keys: keys(known), info, is_corrected }));
    }
    if let Some((known_quick, known)) = claim.keys
        && known_quick == quick
        && audio_key()? == known
    {
        return Ok(Recognised::Known(Examined::Retagged { keys: keys(known), info: info()? }));
    }
    let versions = shared.options.analyser.versions;
    let twins = shared.ask(|session| queue::twins(session, claim.id, quick, versions))?;
    let (gone, there): (Vec<Twin>, Vec<Twin>) = twins.into_iter().partition(|twin| is_away(shared, twin));
    if claim.fresh {
        for twin in gone.iter().cloned() {
            let keys = keys(twin.audio_key);
            if (twin.bytes, twin.modified_ns) == (claim.bytes, claim.modified_ns) {
                return Ok(Recognised::Known(Examined::Moved { keys, from: twin, info: None }));
            }
            if audio_key()? == twin.audio_key {
                return Ok(Recognised::Known(Examined::Moved { keys, from: twin, info: Some(info()?) }));
            }
        }
    }
    for twin in there.into_iter().chain(gone) {
        if audio_key()? == twin.audio_key {
            let keys = keys(twin.audio_key);
            return Ok(Recognised::Known(Examined::Copied { keys, from: twin.id, info: info()? }));
        }
    }
    Ok(Recognised::Unknown(keys(audio_key()?)))
}

/// Returns whether a track's file is gone, and not only its drive.
fn is_away(shared: &Shared, twin: &Twin) -> bool {
    let root = shared.ask(|session| roots::path_of(session, twin.root)).ok().flatten();
    is_gone(&twin.path) && root.is_some_and(|root| unreachable(&root, true).is_none())
}
