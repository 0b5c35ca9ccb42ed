//! A document's signal before its chain: the edit list rendered as one stream.

use crate::audio::{AudioBuffer, AudioFormat, AudioReader, Damage};
use crate::error::{Error, Result};

use super::clip::EditList;

/// Reads an edit list over its sources as one stream.
pub struct DocumentReader {
    sources: Vec<Box<dyn AudioReader>>,
    edits: EditList,
    format: AudioFormat,
    frames: u64,
    position: u64,
    block: AudioBuffer,
    /// Frames that are silent because a source ended before its stated length.
    missing: Damage,
}

impl DocumentReader {
    /// Creates a reader of `edits` over `sources`.
    ///
    /// # Errors
    /// Returns [`Error::Unsupported`] if the sources differ in rate or channels; [`Error::Invalid`] if there is no
    /// source or the edit list does not fit them.
    pub fn new(sources: Vec<Box<dyn AudioReader>>, edits: EditList) -> Result<Self> {
        let Some(first) = sources.first() else {
            return Err(Error::invalid("sources of a document", "none", "one or more"));
        };
        let format = first.format();
        if let Some(other) = sources.iter().map(AudioReader::format).find(|&other| other != format) {
            let name = |f: AudioFormat| format!("{} with {} channels", f.rate, f.channels);
            let reason = format!("one has {}, another {}; convert one of them first", name(format), name(other));
            return Err(Error::unsupported("A document of recordings in different formats", reason));
        }
        let lengths: Vec<u64> = sources.iter().map(AudioReader::frames).collect();
        edits.check(&lengths)?;
        let frames = edits.frames();
        Ok(Self {
            sources,
            edits,
            format,
            frames,
            position: 0,
            block: AudioBuffer::new(format.channels, 0),
            missing: Damage::default(),
        })
    }
}

impl AudioReader for DocumentReader {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.frames);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        out.resize(self.format.channels, 0);
        out.clear();
        while out.frames() < frames {
            let Some((index, begins)) = self.edits.clip_at(self.position) else { break };
            let clip = &self.edits.clips[index];
            let within = self.position - begins;
            let wanted = (clip.frames() - within).min((frames - out.frames()) as u64) as usize;
            let source = &mut self.sources[clip.source];
            if source.position() != clip.start_frame + within {
                source.seek(clip.start_frame + within)?;
            }
            // The usual case, a single unchanged range, is read without a copy.
            if out.is_empty() && wanted == frames && clip.is_plain() {
                source.read(out, wanted)?;
                self.missing.add(self.position + out.frames() as u64..self.position + wanted as u64);
                out.resize(self.format.channels, wanted);
                self.position += wanted as u64;
                break;
            }
            source.read(&mut self.block, wanted)?;
            // If a source ends before its stated length, the rest of the clip is silent, so that later clips keep their
            // position.
            self.missing.add(self.position + self.block.frames() as u64..self.position + wanted as u64);
            self.block.resize(self.format.channels, wanted);
            if !clip.is_plain() {
                let gain = clip.gain();
                for frame in 0..wanted {
                    let factor = gain * clip.fade_at(within + frame as u64);
                    for channel in self.block.iter_mut() {
                        channel[frame] = (channel[frame] as f64 * factor) as f32;
                    }
                }
            }
            out.extend_from(&self.block, 0..wanted);
            self.position += wanted as u64;
        }
        Ok(())
    }

    fn damage(&self) -> Damage {
        let of_sources: Vec<Damage> = self.sources.iter().map(AudioReader::damage).collect();
        let mut damage = self.missing.clone();
        let mut begins = 0;
        for clip in &self.edits.clips {
            let range = clip.start_frame..clip.start_frame + clip.frames();
            of_sources[clip.source].within(&range, begins).for_each(|each| damage.add(each));
            begins += clip.frames();
        }
        damage
    }
}
