//! The sum of the tracks.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::{TrackId, TrackStrip, padded};
use crate::document::converted::converted;
use crate::document::{ContentKey, Document, DocumentReader, EditList, Source};
use audio::{AudioBuffer, AudioFormat, AudioReader, Damage};
use base::error::Result;
use base::lock::lock;
use base::progress::Progress;
use base::units::gain_from_db;
use effects::chain::{Chain, MeasuredMap, Placement, Plan, Rendered, Seeking, measure_whole};

/// Opens a recording by its source.
pub type OpenSource = Arc<dyn Fn(&Source) -> Result<Box<dyn AudioReader>> + Send + Sync>;

/// The most measurements that are remembered.
const REMEMBERED: usize = 256;

/// The measurements of whole signals that the chains of tracks need, by signal and chain.
#[derive(Debug, Default)]
pub struct MixMeasurements {
    known: Mutex<HashMap<String, MeasuredMap>>,
    count: AtomicU64,
}

impl MixMeasurements {
    /// Returns how often something new was measured.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// Returns the known measurements of a chain, or measures it if `how` allows that.
    pub fn of(
        &self,
        key: &str,
        chain: &Chain,
        open: impl FnOnce() -> Result<Box<dyn AudioReader>>,
        how: &MixRender<'_>,
    ) -> Result<MeasuredMap> {
        if let Some(known) = lock(&self.known).get(key) {
            return Ok(known.clone());
        }
        let Some(progress) = how.measures else { return Ok(MeasuredMap::default()) };
        let mut reader = open()?;
        let needs = Plan::new(chain, reader.format(), &MeasuredMap::default())?.needs;
        if needs.is_empty() {
            return Ok(MeasuredMap::default());
        }
        let measured = measure_whole(chain, reader.as_mut(), key, how.placement, progress)?;
        let mut known = lock(&self.known);
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(key.to_owned(), measured.clone());
        self.count.fetch_add(1, Ordering::Release);
        Ok(measured)
    }

    /// Returns whether nothing is left to be measured for a chain.
    pub fn knows(&self, key: &str, chain: &Chain, format: AudioFormat) -> Result<bool> {
        Ok(lock(&self.known).contains_key(key) || Plan::new(chain, format, &MeasuredMap::default())?.needs.is_empty())
    }
}

/// The audible tracks, and the chain of their sum.
#[derive(Clone, Debug)]
pub struct Mix {
    /// The audible tracks in order.
    pub parts: Vec<MixPart>,
    /// The format of the sum: at least two channels.
    pub format: AudioFormat,
    /// The length in frames.
    pub frames: u64,
    /// The chain of the sum.
    pub chain: Chain,
    /// Whether the window shows the rack of the sum.
    pub is_chosen: bool,
}

/// A track as it enters the sum.
#[derive(Clone, Debug)]
pub struct MixPart {
    /// The track.
    pub id: TrackId,
    /// Its name.
    pub name: String,
    /// Whether its rack is the one that the window shows.
    pub is_chosen: bool,
    /// Its chain.
    pub chain: Chain,
    /// The factors of the first two channels; of one channel, its factors in the first two of the sum.
    pub gains: [f32; 2],
    /// Its format before the chain.
    pub format: AudioFormat,
    /// Its recordings, by the numbers of its edit list.
    sources: Vec<Source>,
    edits: EditList,
}

impl MixPart {
    /// Creates a reader of the track before its chain, as long as the document.
    pub fn reader(&self, open: impl FnMut(&Source) -> Result<Box<dyn AudioReader>>) -> Result<DocumentReader> {
        DocumentReader::of_sources(&self.sources, open, &self.edits, self.format)
    }

    /// Returns its recordings, by the numbers of its edit list.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Returns its edit list, with silence up to the end of the document.
    pub fn edits(&self) -> &EditList {
        &self.edits
    }

    /// Returns a key of the signal before the chain.
    pub fn content_key(&self) -> ContentKey {
        ContentKey::of_edits(&self.edits, &self.sources)
    }
}

/// Returns the factors of the first two channels. In the centre both are 1; towards one side the other falls as a
/// cosine, so that a track never becomes louder.
fn gains(strip: &TrackStrip) -> [f32; 2] {
    let angle = (strip.pan + 1.0) * std::f64::consts::FRAC_PI_4;
    let side = |level: f64| (gain_from_db(strip.gain_db) * (level * std::f64::consts::SQRT_2).min(1.0)) as f32;
    [side(angle.cos()), side(angle.sin())]
}

impl Document {
    /// Returns the sum of the tracks; `None` for a plain document.
    pub fn mix(&self) -> Result<Option<Mix>> {
        if self.tracks.is_plain() {
            return Ok(None);
        }
        let solo = self.tracks().any(|track| track.strip.solo);
        let chosen = self.chosen();
        let mut parts = Vec::new();
        for track in self.tracks() {
            if track.strip.mute || (solo && !track.strip.solo) {
                continue;
            }
            let format = self.format_of(track.edits)?;
            let is_chosen = chosen == Some(super::TrackChoice::Track(track.strip.id));
            parts.push(self.part(track.strip, track.edits, track.chain, format, is_chosen));
        }
        // A temporarily silent track does not change the format of the sum.
        let format = self.format_of_sum()?;
        Ok(Some(Mix {
            parts,
            format,
            frames: self.frames(),
            chain: self.sum_racks().0.clone(),
            is_chosen: self.tracks.on_sum,
        }))
    }

    /// Opens the input of [`Document::whole_chain`]: the sum of the tracks to the end of the longest, or the signal of
    /// a plain document.
    pub fn whole_reader(&self, open: &OpenSource, how: &MixRender<'_>) -> Result<Box<dyn AudioReader>> {
        match self.mix()? {
            Some(mix) => Ok(Box::new(mix.reader(open, how)?.whole())),
            None => Ok(Box::new(self.reader(|source| open(source))?)),
        }
    }

    /// Returns every track as it enters the sum, also silent ones. A plain document is one, without a name.
    pub fn stems(&self) -> Result<Vec<MixPart>> {
        if self.tracks.is_plain() {
            let strip = TrackStrip::new(TrackId(0), String::new(), 0);
            return Ok(vec![self.part(&strip, &self.edits, &self.chain, self.format_of(&self.edits)?, true)]);
        }
        self.tracks()
            .map(|track| Ok(self.part(track.strip, track.edits, track.chain, self.format_of(track.edits)?, false)))
            .collect()
    }

    fn part(
        &self,
        strip: &TrackStrip,
        edits: &EditList,
        chain: &Chain,
        format: AudioFormat,
        is_chosen: bool,
    ) -> MixPart {
        let mut edits = padded(edits, self.frames()).into_owned();
        let mut sources: Vec<(usize, Source)> = Vec::new();
        for clip in &mut edits.clips {
            let Some(source) = clip.source else { continue };
            let place = sources.iter().position(|(known, _)| *known == source).unwrap_or_else(|| {
                sources.extend(self.sources.get(source).map(|found| (source, found.clone())));
                sources.len() - 1
            });
            clip.source = Some(place);
        }
        let sources = sources.into_iter().map(|(_, source)| source).collect();
        MixPart {
            id: strip.id,
            name: strip.name.clone(),
            is_chosen,
            chain: chain.clone(),
            gains: gains(strip),
            format,
            sources,
            edits,
        }
    }
}

impl Mix {
    /// Returns a key of the sum before its chain.
    pub fn content_key(&self) -> ContentKey {
        let parts: Vec<String> = self.parts.iter().map(MixPart::key).collect();
        let form = format!("{} {}", self.format.channels, self.frames);
        ContentKey::of_parts(std::iter::once(form.as_str()).chain(parts.iter().map(String::as_str)))
    }
}

impl Mix {
    /// Opens the sum before its chain, with every track through its chain.
    pub fn reader(&self, open: &OpenSource, how: &MixRender<'_>) -> Result<MixReader> {
        let mut parts: Vec<(Box<dyn AudioReader>, [f32; 2])> = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            parts.push((part.rendered(open, how)?, part.gains));
        }
        // Older documents say nothing of the layout, but their recordings do.
        let known =
            parts.iter().map(|(reader, _)| reader.format()).find(|format| format.channels == self.format.channels);
        let layout = self.format.layout().or_else(|| known?.layout());
        Ok(MixReader::new(parts, self.format.with_layout(layout), self.frames))
    }
}

/// How the chains of tracks are rendered.
#[derive(Clone, Copy)]
pub struct MixRender<'a> {
    /// Where they run.
    pub placement: &'a Placement,
    /// The known measurements of the tracks.
    pub measured: &'a MixMeasurements,
    /// Whether seeks are exact or start with a pre-roll.
    pub seeking: Seeking,
    /// The progress of measuring chains that are not measured yet. With `None`, they run without measurements.
    pub measures: Option<&'a Progress>,
}

impl MixPart {
    /// Returns a key of the track through its chain, including the ids of the nodes.
    fn measured_key(&self) -> String {
        let nodes: Vec<u32> = self.chain.walk().map(|node| node.id.0).collect();
        format!("{}|{}|{nodes:?}", self.content_key().as_str(), self.chain.sound_key())
    }

    fn key(&self) -> String {
        format!("{}|{}|{:?}", self.content_key().as_str(), self.chain.sound_key(), self.gains)
    }

    /// Opens the track through its chain, before gain and pan. Its length is that of the chain's output.
    pub fn rendered(&self, open: &OpenSource, how: &MixRender<'_>) -> Result<Box<dyn AudioReader>> {
        let reader = || -> Result<Box<dyn AudioReader>> { Ok(Box::new(self.reader(|source| open(source))?)) };
        if self.chain.nodes.is_empty() {
            return reader();
        }
        let measured = how.measured.of(&self.measured_key(), &self.chain, reader, how)?;
        // Only playback goes on without measurements.
        let render = if how.measures.is_some() { Rendered::new } else { Rendered::provisional };
        Ok(Box::new(render(&self.chain, reader()?, how.placement, &measured, how.seeking)?))
    }

    /// Returns whether nothing is left to be measured for its chain.
    pub fn is_measured(&self, measured: &MixMeasurements) -> Result<bool> {
        measured.knows(&self.measured_key(), &self.chain, self.format)
    }
}

/// Reads several readers as their sum.
pub struct MixReader {
    parts: Vec<(Box<dyn AudioReader>, [f32; 2])>,
    format: AudioFormat,
    frames: u64,
    position: u64,
    block: AudioBuffer,
}

impl MixReader {
    /// Creates the sum of readers, each with the factors of its first two channels. Other rates are converted; a reader
    /// of one channel goes to the first two.
    pub fn new(parts: Vec<(Box<dyn AudioReader>, [f32; 2])>, format: AudioFormat, frames: u64) -> Self {
        let at_rate = |reader: Box<dyn AudioReader>| {
            // One and two channels go to the front; more go to their loudspeakers.
            let original = reader.format();
            converted(reader, if original.channels <= 2 { original.with_rate(format.rate) } else { format })
        };
        let parts = parts.into_iter().map(|(reader, gains)| (at_rate(reader), gains)).collect();
        Self { parts, format, frames, position: 0, block: AudioBuffer::default() }
    }

    /// Extends the sum to the end of its longest part, which a chain may have made longer than the document.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.frames = self.parts.iter().map(|(reader, _)| reader.frames()).fold(self.frames, u64::max);
        self
    }
}

impl AudioReader for MixReader {
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
        for (reader, _) in &mut self.parts {
            let end = reader.frames();
            reader.seek(self.position.min(end))?;
        }
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let frames = frames.min(usize::try_from(self.frames - self.position).unwrap_or(usize::MAX));
        out.clear();
        out.resize(self.format.channels, frames);
        for (reader, gains) in &mut self.parts {
            reader.read(&mut self.block, frames)?;
            let mono = self.block.channels() == 1;
            for channel in 0..self.format.channels.min(if mono { 2 } else { self.block.channels() }) {
                let factor = gains.get(channel).copied().unwrap_or(gains[0].max(gains[1]));
                let from = self.block.channel(if mono { 0 } else { channel });
                out.channel_mut(channel).iter_mut().zip(from).for_each(|(sum, sample)| *sum += factor * sample);
            }
        }
        self.position += frames as u64;
        Ok(())
    }

    fn damage(&self) -> Damage {
        let mut all = Damage::default();
        let parts = self.parts.iter().map(|(reader, _)| reader.damage());
        parts.for_each(|damage| all.add_of(&damage, damage.ranges().iter().cloned()));
        all
    }
}
