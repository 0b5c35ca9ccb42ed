//! A document's signal before its chain: the edit list rendered as one stream.

use std::ops::Range;

use audio::{AudioBuffer, AudioFormat, AudioReader, Damage, Layout};
use base::error::{Error, Result};

use super::clip::Clip;
use super::converted::converted_source;
use super::edit_list::EditList;
use super::join::Join;
use super::source::{ClockSpeed, Source};

/// The most frames that are rendered at once of a cross-fade or of a clip that is played backwards. Of the latter, so
/// many are read ahead, because every step back is a seek.
const PIECE_FRAMES: u64 = 1 << 15;

/// Reads an edit list over its sources as one stream.
pub struct DocumentReader {
    sources: Vec<Box<dyn AudioReader>>,
    clips: Vec<Clip>,
    /// The document frame at which each clip begins, and the length of the document last.
    starts: Vec<u64>,
    /// The cross-fade at the start of each clip.
    joins: Vec<Join>,
    format: AudioFormat,
    position: u64,
    block: AudioBuffer,
    other: AudioBuffer,
    backward: Option<Backward>,
    /// Frames that are silent because a source ended before its stated length.
    missing: Damage,
}

/// Frames of a source that were read for clips that are played backwards.
struct Backward {
    source: usize,
    start: u64,
    audio: AudioBuffer,
}

impl Backward {
    fn end(&self) -> u64 {
        self.start + self.audio.frames() as u64
    }
}

/// The clip that is heard at a place of the document, and up to where.
struct Piece {
    clip: usize,
    until: u64,
    /// The clip that is cross-faded in here.
    fading: Option<usize>,
}

impl DocumentReader {
    /// Creates a reader of `edits` over `sources`, in the format of the first. The others are converted to it.
    pub fn new(sources: Vec<Box<dyn AudioReader>>, edits: &EditList) -> Result<Self> {
        let Some(first) = sources.first() else {
            return Err(Error::invalid("sources of a document", "none", "one or more"));
        };
        let format = first.format();
        let with_layout = |source: Box<dyn AudioReader>| {
            let layout = source.format().layout();
            (source, layout, ClockSpeed::NOMINAL)
        };
        Self::in_format(sources.into_iter().map(with_layout).collect(), edits, format)
    }

    /// Creates a reader of `edits` over the recordings of a document, which `open` opens, all converted to `format`.
    pub(super) fn of_sources(
        sources: &[Source],
        mut open: impl FnMut(&Source) -> Result<Box<dyn AudioReader>>,
        edits: &EditList,
        format: AudioFormat,
    ) -> Result<Self> {
        let opened = sources.iter().map(|source| Ok((open(source)?, source.summary.format.layout(), source.clock)));
        Self::in_format(opened.collect::<Result<_>>()?, edits, format)
    }

    /// Creates a reader over sources with their layouts and clocks.
    ///
    /// Older documents have no layout; it is that of their first recording. The channels of the other recordings then
    /// keep their order, whatever layout their files have: older versions wrote the usual layout to rendered edits.
    fn in_format(
        sources: Vec<(Box<dyn AudioReader>, Option<Layout>, ClockSpeed)>,
        edits: &EditList,
        format: AudioFormat,
    ) -> Result<Self> {
        let known =
            sources.iter().map(|(source, ..)| source.format()).find(|recorded| recorded.channels == format.channels);
        let format = format.with_layout(format.layout().or_else(|| known?.layout()));
        let converted = |(source, layout, clock)| converted_source(source, layout, clock, format);
        let sources: Vec<Box<dyn AudioReader>> = sources.into_iter().map(converted).collect::<Result<_>>()?;
        let lengths: Vec<u64> = sources.iter().map(AudioReader::frames).collect();
        edits.check(&lengths)?;
        let clips: Vec<Clip> = edits.clips.iter().filter(|clip| clip.frames() > 0).cloned().collect();
        let mut starts = vec![0];
        starts.extend(clips.iter().scan(0, |end, clip| {
            *end += clip.frames();
            Some(*end)
        }));
        let joins = EditList { clips: clips.clone() }.crossfades(&lengths);
        let (block, other) = (AudioBuffer::new(format.channels, 0), AudioBuffer::new(format.channels, 0));
        Ok(Self {
            sources,
            clips,
            starts,
            joins,
            format,
            position: 0,
            block,
            other,
            backward: None,
            missing: Damage::default(),
        })
    }

    /// Returns the piece at `frame`, which must be before the end.
    fn piece(&self, frame: u64) -> Piece {
        let clip = self.starts.partition_point(|&start| start <= frame) - 1;
        let (start, end) = (self.starts[clip], self.starts[clip + 1]);
        let after = start + self.joins[clip].after;
        if frame < after {
            return Piece { clip, until: after, fading: Some(clip) };
        }
        let next = self.joins.get(clip + 1).copied().unwrap_or_default();
        let before = end - next.before;
        if frame < before {
            Piece { clip, until: before, fading: None }
        } else {
            Piece { clip, until: end, fading: Some(clip + 1) }
        }
    }

    /// Adds `frames` frames of a clip to `out`, the first of which is `frame` of the document, times gain and fades.
    /// Frames before and after the clip come from the source beyond its edges.
    fn render(&mut self, index: usize, frame: u64, frames: usize, out: &mut AudioBuffer) -> Result<()> {
        let clip = &self.clips[index];
        let within = frame as i64 - self.starts[index] as i64;
        out.resize(self.format.channels, 0);
        out.clear();
        let Some(source) = clip.source else {
            out.resize(self.format.channels, frames);
            return Ok(());
        };
        if clip.reversed {
            let end = (clip.end_frame as i64 - within).clamp(0, self.sources[source].frames() as i64) as u64;
            let start = end.saturating_sub(frames as u64);
            let missing = self.read_backward(source, start, end, out)?;
            // If a source ends before its stated length, the missing frames are silent, so that later clips keep their
            // position.
            self.missing.add(frame..frame + missing);
        } else {
            let start = (clip.start_frame as i64 + within).max(0) as u64;
            read_at(self.sources[source].as_mut(), start, frames, out)?;
            let whole = self.clips[index].end_frame.saturating_sub(start).min(frames as u64);
            self.missing.add(frame + (out.frames() as u64).min(whole)..frame + whole);
        }
        let clip = &self.clips[index];
        out.resize(self.format.channels, frames);
        if !clip.is_level() {
            let (gain, last) = (clip.gain(), clip.frames().saturating_sub(1) as i64);
            for n in 0..frames {
                let factor = gain * clip.fade_at((within + n as i64).clamp(0, last) as u64);
                for channel in out.iter_mut() {
                    channel[n] = (f64::from(channel[n]) * factor) as f32;
                }
            }
        }
        Ok(())
    }

    /// Reads frames `start..end` of a source in reverse order. Returns how many of them, at the front, are missing.
    fn read_backward(&mut self, source: usize, start: u64, end: u64, out: &mut AudioBuffer) -> Result<u64> {
        let has = |kept: &Backward| kept.source == source && kept.start <= start && end <= kept.end();
        if !self.backward.as_ref().is_some_and(has) {
            let first = end.saturating_sub(PIECE_FRAMES).min(start);
            let mut audio = self.backward.take().map(|kept| kept.audio).unwrap_or_default();
            let wanted = (end - first) as usize;
            read_at(self.sources[source].as_mut(), first, wanted, &mut audio)?;
            let found = audio.frames();
            audio.resize(self.format.channels, wanted);
            self.backward = Some(Backward { source, start: first, audio });
            let missing = (wanted - found) as u64;
            self.copy_backward(start, end, out);
            return Ok(missing.min(end - start));
        }
        self.copy_backward(start, end, out);
        Ok(0)
    }

    fn copy_backward(&self, start: u64, end: u64, out: &mut AudioBuffer) {
        if let Some(kept) = &self.backward {
            let range = (start - kept.start) as usize..(end - kept.start) as usize;
            out.extend_from(&kept.audio, range);
            out.iter_mut().for_each(<[f32]>::reverse);
        }
    }

    /// Renders `frames` frames of the fade to clip `second` into `self.block`.
    fn render_join(&mut self, second: usize, frame: u64, frames: usize) -> Result<()> {
        let (mut one, mut other) = (std::mem::take(&mut self.block), std::mem::take(&mut self.other));
        let rendered = self
            .render(second - 1, frame, frames, &mut one)
            .and_then(|()| self.render(second, frame, frames, &mut other));
        let join = self.joins[second];
        let begins = self.starts[second] - join.before;
        for n in 0..frames {
            let (first_factor, second_factor) = join.factors(frame - begins + n as u64);
            for (one, other) in one.iter_mut().zip(other.iter()) {
                one[n] = (f64::from(one[n]) * first_factor + f64::from(other[n]) * second_factor) as f32;
            }
        }
        (self.block, self.other) = (one, other);
        rendered
    }
}

/// Reads up to `frames` frames from frame `start` of a source.
fn read_at(source: &mut dyn AudioReader, start: u64, frames: usize, out: &mut AudioBuffer) -> Result<()> {
    if source.position() != start {
        source.seek(start)?;
    }
    source.read(out, frames)
}

impl AudioReader for DocumentReader {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.starts[self.clips.len()]
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.frames());
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        out.resize(self.format.channels, 0);
        out.clear();
        while out.frames() < frames && self.position < self.frames() {
            let Piece { clip, until, fading } = self.piece(self.position);
            let mut wanted = (until - self.position).min((frames - out.frames()) as u64);
            if fading.is_some() || self.clips[clip].reversed {
                wanted = wanted.min(PIECE_FRAMES);
            }
            if let Some(second) = fading {
                self.render_join(second, self.position, wanted as usize)?;
                out.extend_from(&self.block, 0..wanted as usize);
            } else if out.is_empty() && wanted as usize == frames && self.clips[clip].is_plain() {
                // The usual case, a single unchanged range, is read without a copy.
                self.render(clip, self.position, frames, out)?;
            } else {
                let mut block = std::mem::take(&mut self.block);
                let rendered = self.render(clip, self.position, wanted as usize, &mut block);
                out.extend_from(&block, 0..wanted as usize);
                self.block = block;
                rendered?;
            }
            self.position += wanted;
        }
        Ok(())
    }

    fn damage(&self) -> Damage {
        let of_sources: Vec<Damage> = self.sources.iter().map(AudioReader::damage).collect();
        let mut damage = self.missing.clone();
        for (clip, &begins) in self.clips.iter().zip(&self.starts) {
            let Some(source) = clip.source else { continue };
            let range: Range<u64> = clip.start_frame..clip.end_frame;
            if !clip.reversed {
                damage.add_of(&of_sources[source], of_sources[source].within(&range, begins));
                continue;
            }
            // The last frame of the range is heard first.
            let end = begins + clip.frames();
            let heard = of_sources[source].within(&range, 0).map(|each| end - each.end..end - each.start);
            damage.add_of(&of_sources[source], heard);
        }
        damage
    }
}
