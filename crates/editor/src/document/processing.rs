//! The effect of a document's edits on its first recording, whose tags an exported file has.

use super::{Document, Mix, MixPart};
use audio::AudioFormat;
use audio::tags::{FrameMap, MapPiece, Processing, TagCause};
use base::error::Result;
use effects::chain::{Chain, MeasuredMap, Plan};

impl Document {
    /// Returns what edits, tracks and their chains do to the first recording, before [`Document::whole_chain`].
    pub fn processing(&self) -> Result<Processing> {
        if self.is_whole() {
            return Ok(Processing::default());
        }
        let mix = self.mix()?;
        let format = mix.as_ref().map_or_else(|| self.format_of(&self.edits), |mix| Ok(mix.format))?;
        let original = self.sources.first().map_or(format, |source| source.summary.format);
        let done = Processing::default().with(TagCause::Channels, format.with_rate(original.rate) != original);
        Ok(done.then(&mix.map_or_else(|| self.of_clips(), |mix| of_tracks(&mix))))
    }

    fn of_clips(&self) -> Processing {
        let clips = &self.edits.clips;
        let mut end = 0;
        for clip in clips {
            let continues = clip.source == Some(0) && !clip.reversed && clip.start_frame == end;
            end = if continues { clip.end_frame } else { u64::MAX };
        }
        let whole = self.sources.first().is_some_and(|source| end == source.summary.frames);
        let done = Processing::default()
            .with(TagCause::Level, clips.iter().any(|clip| !clip.is_level()))
            .with(TagCause::Mixed, clips.iter().any(|clip| clip.source.is_some_and(|source| source != 0)))
            .with(TagCause::Cut, !whole);
        if whole {
            return done;
        }
        let (mut at, mut pieces) = (0, Vec::new());
        for clip in clips {
            if clip.source == Some(0) && !clip.reversed {
                pieces.push(MapPiece { source: clip.start_frame..clip.end_frame, start: at as f64, scale: 1.0 });
            }
            at += clip.frames();
        }
        done.with_frames(FrameMap::of(pieces))
    }
}

/// The factor of the tempo and the semitones of the pitch, where they are known.
type Factors = (Option<f64>, Option<f64>);

/// A sum has a known tempo and pitch only if all tracks change them equally.
fn of_tracks(mix: &Mix) -> Processing {
    let of_part = |part: &MixPart| of_chain(&part.chain, part.format);
    let alike = |(tempo, semitones): Factors, other: Factors| {
        (tempo.filter(|_| tempo == other.0), semitones.filter(|_| semitones == other.1))
    };
    let (tempo, semitones) = mix.parts.iter().map(of_part).reduce(alike).unwrap_or((Some(1.0), Some(0.0)));
    Processing::default()
        .with(TagCause::Level, true)
        .with(TagCause::Mixed, true)
        .with_tempo(tempo)
        .with_semitones(semitones)
}

/// Returns the factor by which a chain changes the tempo, and the semitones by which it raises the pitch. A chain that
/// cannot be planned fails when it is rendered.
fn of_chain(chain: &Chain, format: AudioFormat) -> Factors {
    let plan = Plan::new(chain, format, &MeasuredMap::default());
    plan.map_or((None, None), |plan| (Some(1.0 / plan.time_mapping().ratio), plan.changes.semitones))
}
