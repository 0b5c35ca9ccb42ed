//! Edits that clips cannot express: mixed sounds, and edits of some of the channels.
//!
//! The edited part is rendered once to a new recording, which replaces it as a clip. Everything outside keeps its
//! clips: it stays bit-identical and is not analysed again.

use std::ops::Range;

use super::clip::{Clip, Crossfade};
use super::converted::converted;
use super::edit_list::EditList;
use super::reader::DocumentReader;
use super::sound_edit::{Edited, Excerpt, SoundEdit, check_length, nothing_copied, nothing_selected, place};
use super::source::Source;
use super::tracks::{OpenSource, TrackChoice};
use super::{Document, FrameRange};
use audio::{AudioBuffer, AudioFormat, AudioReader, Damage};
use base::error::{Error, Result};
use base::units::gain_from_db;
use dsp::measure::resample::converted_frames;

/// The edit of the selected channels of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    /// Adds the copied sound.
    Mix,
    /// Replaces the sound by the copied one.
    Over,
    Silence,
    Reverse,
    Gain(f64),
}

impl What {
    /// Returns the name of the edit in the history.
    const fn label(self) -> &'static str {
        match self {
            Self::Mix => "Paste mix",
            Self::Over => "Paste over channels",
            Self::Silence => "Silence channels",
            Self::Reverse => "Reverse channels",
            Self::Gain(_) => "Change gain of channels",
        }
    }
}

/// A part of a document that is to be rendered, and the edit that it is rendered for.
#[derive(Clone, Debug)]
pub struct Rendering {
    document: Document,
    /// The edit list of the track in front, as long as the document.
    lane: EditList,
    format: AudioFormat,
    what: What,
    /// The frames that the edit changes. They may end beyond the document.
    part: Range<u64>,
    /// The frames to render: the part, and the cross-fades at its edges, which would change if they were cut.
    range: Range<u64>,
    channels: Vec<usize>,
    copied: Option<Excerpt>,
    crossfade: Crossfade,
}

impl Document {
    /// Returns what has to be rendered for an edit at the selection or the cursor; `None` if clips can express it;
    /// [`Document::edited`] then makes the edit.
    pub fn rendering(
        &self,
        edit: SoundEdit,
        cursor_frame: u64,
        copied: Option<&Excerpt>,
        crossfade: Crossfade,
    ) -> Result<Option<Rendering>> {
        let what = match edit {
            SoundEdit::PasteMix => What::Mix,
            _ if self.channels.is_none() => return Ok(None),
            SoundEdit::PasteOver => What::Over,
            // The other channels stay where they are, so that no gap can close.
            SoundEdit::Delete | SoundEdit::Silence => What::Silence,
            SoundEdit::Reverse => What::Reverse,
            SoundEdit::Gain { db } => What::Gain(db),
            _ => return Ok(None),
        };
        if self.chosen() == Some(TrackChoice::Sum) {
            return Err(Error::impossible("Choose the track to paste into first."));
        }
        let frames = self.frames();
        let selection = self.selection.map(|range| range.start..range.end.min(frames));
        let selection = selection.filter(|range| !range.is_empty());
        let mut format = self.format_of(&self.edits)?;
        let mut taken = None;
        let part = match what {
            What::Mix | What::Over => {
                let copied = copied.ok_or_else(nothing_copied)?;
                let at = selection.map_or(cursor_frame.min(frames), |range| range.start);
                let length = converted_frames(copied.edits.frames(), copied.format.rate, format.rate);
                // As with clips, a track takes on the channels of the sound pasted into it.
                if !self.tracks.is_plain() && self.channels.is_none() {
                    let wide = copied.heard_format();
                    let is_empty = self.edits.clips.iter().all(|clip| clip.source.is_none());
                    if is_empty || wide.channels > format.channels {
                        format = wide.with_rate(format.rate);
                    }
                }
                taken = Some(copied.clone());
                at..at.saturating_add(length)
            }
            What::Silence => selection.ok_or_else(nothing_selected)?,
            What::Reverse | What::Gain(_) => selection.unwrap_or(0..frames),
        };
        check_length(part.end)?;
        if part.is_empty() {
            return Err(nothing_selected());
        }
        if let What::Gain(db) = what {
            // Refused here as the gain of a clip is.
            Clip { gain_db: db, ..Clip::silence(1) }.check(&[])?;
        }
        let channels = self.channels.clone().unwrap_or_else(|| (0..format.channels).collect());
        let lane = self.lane_edits().into_owned();
        let range = lane.around_fades(part.start..part.end.min(frames), &self.source_frames());
        let range = range.start..range.end.max(part.end);
        let document = self.clone();
        Ok(Some(Rendering { document, lane, format, what, part, range, channels, copied: taken, crossfade }))
    }

    /// Replaces the part with its rendering.
    ///
    /// # Errors
    /// [`Error::Impossible`] if the sound was edited in the meantime; [`Error::Invalid`] if the recording is not the
    /// requested rendering.
    pub fn rendered(&self, rendering: &Rendering, source: &Source) -> Result<Edited> {
        let Rendering { document, lane, format, what, part, range, channels, .. } = rendering;
        if !self.sounds_like(document) || self.chosen() != document.chosen() {
            return Err(Error::impossible(
                "The sound was edited while this was being made, so nothing was changed. Do it again.",
            ));
        }
        let frames = range.end - range.start;
        // Older documents say nothing of the layout.
        let shape = |format: AudioFormat, frames| (format.rate, format.channels, frames);
        if shape(source.summary.format, source.summary.frames) != shape(*format, frames) {
            let words = |format: AudioFormat, frames| format!("{} channels, {frames} frames", format.channels);
            let got = words(source.summary.format, source.summary.frames);
            return Err(Error::invalid("rendered sound", got, words(*format, frames)));
        }
        let mut next = self.clone();
        let is_padded = next.edits.frames() < next.frames();
        next.edits.clone_from(lane);
        let clip = Clip::whole(place(&mut next.sources, source), frames);
        next.edits.replace(range.clone(), EditList { clips: vec![clip] }, Crossfade::NONE);
        if is_padded {
            next.edits.end_silence();
        }
        let pastes = matches!(what, What::Mix | What::Over);
        let after = next.frames();
        if pastes || self.selection.is_some() {
            next.selection =
                Some(FrameRange::from(part.start..part.end.min(after))).filter(|range| range.start < range.end);
        }
        next.band = next.band.filter(|_| next.selection.is_some() && !pastes);
        if let Some(copied) = rendering.copied.as_ref().filter(|_| self.tracks.is_plain()) {
            next.markers = next.markers.with(&copied.shifted_markers(format.rate, part.start, part.end - part.start));
        }
        next.channels = Some(channels.clone());
        next.fit_channels();
        next.edits.check(&next.source_frames())?;
        Ok(Edited { document: next, label: what.label(), cursor_frame: part.start, moves: None })
    }
}

impl Rendering {
    /// Returns the format of the rendered recording.
    pub const fn format(&self) -> AudioFormat {
        self.format
    }

    /// Returns the name of the edit in the history.
    pub const fn label(&self) -> &'static str {
        self.what.label()
    }

    /// Opens the sound to write to a recording. `open` opens the sources of the document, `open_copied` those of the
    /// copied sound.
    pub fn reader(&self, open: &OpenSource, open_copied: &OpenSource) -> Result<Box<dyn AudioReader>> {
        let lane = |edits: &EditList| {
            DocumentReader::of_sources(&self.document.sources, |source| open(source), edits, self.format)
        };
        let mut from_start = 0;
        let other: Option<Box<dyn AudioReader>> = match (self.what, &self.copied) {
            (What::Mix | What::Over, Some(copied)) => {
                let wide = copied.heard_format().channels;
                // If the copy has as many channels as the sound, each channel goes to the same channel.
                let channels = if wide == self.format.channels { wide } else { self.channels.len() };
                let reader = copied.reader(open_copied)?;
                Some(converted(reader, self.format.with_channels(channels)))
            }
            (What::Reverse, _) => {
                from_start = self.part.start;
                let mut turned = self.lane.clone();
                turned.reverse(self.part.clone(), Crossfade::NONE);
                Some(Box::new(lane(&turned)?))
            }
            _ => None,
        };
        let edges = self.edges();
        Ok(Box::new(PartReader {
            lane: lane(&self.lane)?,
            other,
            from_start,
            rendering: self.clone(),
            edges,
            position: 0,
            block: AudioBuffer::default(),
        }))
    }

    /// Returns over how many frames the edit fades in and out, within the part.
    fn edges(&self) -> (u64, u64) {
        let frames = self.crossfade.frames.min((self.part.end - self.part.start) / 2);
        match self.what {
            What::Gain(_) => (0, 0),
            // A part that was cut out of other sound would click; a complete recording is not faded.
            What::Mix => {
                let (start, end) = self.copied.as_ref().map_or((false, false), Excerpt::is_cut_out);
                (if start { frames } else { 0 }, if end { frames } else { 0 })
            }
            What::Over | What::Silence | What::Reverse => {
                let at_start = self.part.start == 0;
                let at_end = self.part.end >= self.lane.frames();
                (if at_start { 0 } else { frames }, if at_end { 0 } else { frames })
            }
        }
    }
}

/// Reads the part with the edit applied.
struct PartReader {
    lane: DocumentReader,
    other: Option<Box<dyn AudioReader>>,
    /// The frame of `other` at the start of the part.
    from_start: u64,
    rendering: Rendering,
    edges: (u64, u64),
    position: u64,
    block: AudioBuffer,
}

impl PartReader {
    /// Returns the factors of the former and the new sound at a frame of the part.
    fn factors(&self, frame: u64) -> (f64, f64) {
        let Rendering { part, crossfade, what, .. } = &self.rendering;
        let last = part.end - part.start - 1;
        let mut factors = (if *what == What::Mix { 1.0 } else { 0.0 }, 1.0);
        for (frames, distance) in [(self.edges.0, frame), (self.edges.1, last - frame)] {
            if distance < frames {
                let (former, new) = crossfade.shape.factors((distance as f64 + 0.5) / frames as f64);
                factors = if *what == What::Mix { (1.0, factors.1 * new) } else { (former, new) };
            }
        }
        factors
    }

    /// Applies the edit to frames `from..to` of the part, which begin at frame `at` of `out`.
    fn change(&mut self, out: &mut AudioBuffer, at: usize, from: u64, to: u64) -> Result<()> {
        let count = (to - from) as usize;
        if let Some(other) = &mut self.other {
            let start = self.from_start + from;
            if other.position() != start {
                other.seek(start)?;
            }
            other.read(&mut self.block, count)?;
            let channels = self.block.channels();
            self.block.resize(channels, count);
        }
        let gain = if let What::Gain(db) = self.rendering.what { Some(gain_from_db(db)) } else { None };
        let has_other = self.other.is_some();
        let wide = has_other && self.block.channels() == self.rendering.format.channels;
        for (index, &channel) in self.rendering.channels.iter().enumerate() {
            for n in 0..count {
                let former = f64::from(out.channel(channel)[at + n]);
                let new = match gain {
                    Some(gain) => former * gain,
                    None if has_other => f64::from(self.block.channel(if wide { channel } else { index })[n]),
                    None => 0.0,
                };
                let (keeps, takes) = self.factors(from + n as u64);
                // A factor of 0 also removes NaN and infinities.
                let kept = if keeps == 0.0 { 0.0 } else { keeps * former };
                let made = if keeps == 0.0 && takes == 1.0 { new } else { kept + takes * new };
                out.channel_mut(channel)[at + n] = made as f32;
            }
        }
        Ok(())
    }
}

impl AudioReader for PartReader {
    fn format(&self) -> AudioFormat {
        self.lane.format()
    }

    fn frames(&self) -> u64 {
        self.rendering.range.end - self.rendering.range.start
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.frames());
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let (start, channels) = (self.rendering.range.start, self.rendering.format.channels);
        let count = (frames as u64).min(self.frames() - self.position);
        let from = start + self.position;
        self.lane.seek(from)?;
        self.lane.read(out, count as usize)?;
        out.resize(channels, count as usize);
        let part = self.rendering.part.clone();
        let (first, last) = (from.max(part.start), (from + count).min(part.end));
        if first < last {
            self.change(out, (first - from) as usize, first - part.start, last - part.start)?;
        }
        self.position += count;
        Ok(())
    }

    fn damage(&self) -> Damage {
        self.lane.damage()
    }
}

impl Excerpt {
    /// Returns the format of the copied sound, with only the copied channels.
    pub fn heard_format(&self) -> AudioFormat {
        let channels = self.channels.as_ref().map_or(self.format.channels, Vec::len);
        self.format.with_channels(channels)
    }

    /// Opens the copied sound.
    pub fn reader(&self, open: &OpenSource) -> Result<Box<dyn AudioReader>> {
        let reader: Box<dyn AudioReader> =
            Box::new(DocumentReader::of_sources(&self.sources, |source| open(source), &self.edits, self.format)?);
        Ok(match &self.channels {
            None => reader,
            Some(channels) => {
                Box::new(Picked { inner: reader, channels: channels.clone(), block: AudioBuffer::default() })
            }
        })
    }

    /// Returns the copy of some channels as one of the recording that they were written to.
    #[must_use]
    pub fn written_to(&self, source: Source) -> Self {
        Self {
            format: source.summary.format,
            edits: EditList { clips: vec![Clip::whole(0, source.summary.frames)] },
            sources: vec![source],
            markers: self.markers.clone(),
            channels: None,
        }
    }

    /// Returns whether the recordings go on before its start and after its end.
    fn is_cut_out(&self) -> (bool, bool) {
        let lengths: Vec<u64> = self.sources.iter().map(|source| source.frames_at(self.format.rate)).collect();
        let sounding = |clip: &Clip| clip.source.is_some();
        let first = self.edits.clips.first().filter(|clip| sounding(clip));
        let last = self.edits.clips.last().filter(|clip| sounding(clip));
        (first.is_some_and(|clip| clip.before(&lengths) > 0), last.is_some_and(|clip| clip.after(&lengths) > 0))
    }
}

/// A reader of some channels of another.
struct Picked {
    inner: Box<dyn AudioReader>,
    channels: Vec<usize>,
    block: AudioBuffer,
}

impl AudioReader for Picked {
    fn format(&self) -> AudioFormat {
        self.inner.format().with_channels(self.channels.len())
    }

    fn frames(&self) -> u64 {
        self.inner.frames()
    }

    fn position(&self) -> u64 {
        self.inner.position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.inner.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        self.inner.read(&mut self.block, frames)?;
        out.resize(self.channels.len(), self.block.frames());
        for (samples, &channel) in out.iter_mut().zip(&self.channels) {
            samples.copy_from_slice(self.block.channel(channel));
        }
        Ok(())
    }

    fn damage(&self) -> Damage {
        self.inner.damage()
    }
}
