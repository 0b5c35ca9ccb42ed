//! Auditions tracks of the library: one track, or two aligned tracks of which one is heard.

use std::sync::Arc;

use super::types::AuditionTrack;
use crate::audio::AudioFile;
use crate::error::{Error, Result};
use crate::library::answers::track_here;
use crate::library::{FEATURES, Library};
use crate::playback::{AuditionSide, AuditionSource, PlaybackSource, Side};
use crate::window::App;
use crate::window::playback::Audition;
use crate::window::playback::types::TransportView;

/// The feature that gives the loudness of a track.
const LOUDNESS: &str = "loudness_lufs";

pub(super) fn audition(
    app: &App,
    a: AuditionTrack,
    b: Option<AuditionTrack>,
    from_s: f64,
    side: Option<Side>,
) -> Result<TransportView> {
    if !from_s.is_finite() {
        return Err(Error::invalid("where to begin", from_s.to_string(), "seconds of the common time"));
    }
    let transport = &app.playback;
    let wish = transport.next_wish();
    let frame = |audition: &Audition| audition.rate.frames_from_seconds(from_s).min(audition.frames);
    if let Some(audition) = transport.audition().filter(|loaded| loaded.a == a && loaded.b == b) {
        if let Some(side) = side {
            transport.listen_to(side);
        }
        transport.play(frame(&audition), None);
        return Ok(transport.view());
    }
    let library = app.library.opened()?;
    let loaded = opened(&library, a).and_then(|a| {
        let b = b.map(|b| opened(&library, b)).transpose()?;
        AuditionSource::new(&a, b.as_ref())
    });
    // Something else may have been requested while the files were opened. That request wins, whatever the outcome
    // here.
    if transport.wish() != wish {
        return Ok(transport.view());
    }
    let source = loaded?;
    let audition = Audition { a, b, rate: source.format().rate, frames: source.frames() };
    let matched = app.workspace.state().settings.library.matched;
    transport.load_audition(wish, audition, Arc::new(source), frame(&audition), (side, matched));
    Ok(transport.view())
}

/// Opens the file of a track of the library.
fn opened(library: &Library, wanted: AuditionTrack) -> Result<AuditionSide> {
    let track = track_here(library, wanted.track)?;
    let file = AudioFile::open(&track.path)?;
    let loudness = FEATURES.iter().position(|&name| name == LOUDNESS);
    Ok(AuditionSide {
        open: Arc::new(move || file.reader()),
        offset_s: wanted.offset_s,
        speed: wanted.speed,
        lufs: loudness.and_then(|place| track.row.features.get(place).copied().flatten()),
    })
}
