//! The sum of a document's tracks, as a playback source.
//!
//! The chain that the player changes is the one that the window shows: of one of the tracks, or of the sum. The others are
//! rendered with the chains that they have. Gains, pans and what is muted may change at any time: what is rendered after
//! the player sets the chain again has them.

use std::sync::{Arc, Mutex};

use super::preview::preview_of;
use super::source::{PlaybackSource, PreviewRender};
use crate::audio::{AudioBuffer, AudioFormat, AudioReader, Damage};
use crate::chain::{Chain, MeasuredMap, NodeId, Placement, Plan, Seeking, measure_whole};
use crate::document::{Mix, MixMeasurements, MixPart, MixReader, MixRender, OpenSource};
use crate::error::Result;
use crate::lock::lock;
use crate::progress::Progress;

/// The sum of tracks with a changeable chain of one of them, or of all.
pub struct MixSource {
    shared: Arc<Shared>,
    format: AudioFormat,
    frames: u64,
}

struct Shared {
    mix: Mutex<Arc<Mix>>,
    open: OpenSource,
    measured: Arc<MixMeasurements>,
    placement: Placement,
}

impl Shared {
    fn mix(&self) -> Arc<Mix> {
        Arc::clone(&lock(&self.mix))
    }

    fn how<'a>(&'a self, measures: Option<&'a Progress>) -> MixRender<'a> {
        MixRender { placement: &self.placement, measured: &self.measured, seeking: Seeking::Preroll, measures }
    }

    fn raw(&self, part: &MixPart) -> Result<Box<dyn AudioReader>> {
        Ok(Box::new(part.reader(|source| (self.open)(source))?))
    }

    /// Opens the sum before its chain, with the chosen track through `chain`.
    fn sum(&self, mix: &Mix, chain: &Chain, how: &MixRender<'_>) -> Result<MixReader> {
        let mut mix = mix.clone();
        mix.parts.iter_mut().filter(|part| part.is_chosen).for_each(|part| part.chain = chain.clone());
        mix.reader(&self.open, how)
    }
}

/// Returns a text that changes when what the changeable chain is fed with does.
fn key(mix: &Mix) -> String {
    let chosen = mix.parts.iter().find(|part| part.is_chosen);
    chosen.map_or_else(|| mix.content_key(), MixPart::content_key).as_str().to_owned()
}

/// Returns a key of the sum with the chosen track through `chain`.
fn sum_key(mix: &Mix, chain: &Chain) -> String {
    let nodes: Vec<u32> = mix.chain.walk().map(|node| node.id.0).collect();
    format!("{}|{}|{}|{nodes:?}", mix.content_key().as_str(), chain.sound_key(), mix.chain.sound_key())
}

impl MixSource {
    /// Creates a source of a sum.
    pub fn new(mix: Mix, open: OpenSource, measured: Arc<MixMeasurements>, placement: Placement) -> Self {
        let (format, frames) = (mix.format, mix.frames);
        let shared = Shared { mix: Mutex::new(Arc::new(mix)), open, measured, placement };
        Self { shared: Arc::new(shared), format, frames }
    }

    /// Changes how the tracks are heard. Their recordings and edits must be the same.
    pub fn set_mix(&self, mix: Mix) {
        *lock(&self.shared.mix) = Arc::new(mix);
    }
}

impl PlaybackSource for MixSource {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn original(&self) -> Result<Box<dyn AudioReader>> {
        let mix = self.shared.mix();
        let parts = mix.parts.iter().map(|part| Ok((self.shared.raw(part)?, part.gains)));
        Ok(Box::new(MixReader::new(parts.collect::<Result<Vec<_>>>()?, mix.format, mix.frames)))
    }

    fn processed(&self, chain: &Chain, measured: &MeasuredMap) -> Result<Box<dyn PreviewRender>> {
        Ok(Box::new(MixPreview::new(Arc::clone(&self.shared), chain, measured)?))
    }

    fn is_measured(&self, chain: &Chain, measured: &MeasuredMap) -> Result<bool> {
        let mix = self.shared.mix();
        let chosen = mix.parts.iter().find(|part| part.is_chosen);
        let format = if mix.is_chosen { Some(mix.format) } else { chosen.map(|part| part.format) };
        if let Some(format) = format {
            let needs = Plan::new(chain, format, measured)?.needs;
            if !needs.iter().all(|need| measured.is_current(chain, *need, &key(&mix))) {
                return Ok(false);
            }
        }
        for part in mix.parts.iter().filter(|part| !part.is_chosen) {
            if !part.is_measured(&self.shared.measured)? {
                return Ok(false);
            }
        }
        Ok(mix.is_chosen || self.shared.measured.knows(&sum_key(&mix, chain), &mix.chain, mix.format)?)
    }

    fn measure(&self, chain: &Chain, progress: &Progress) -> Result<MeasuredMap> {
        let (mix, shared) = (self.shared.mix(), &self.shared);
        let how = shared.how(Some(progress));
        // The other tracks are measured by being opened.
        let others: Vec<MixPart> = mix.parts.iter().filter(|part| !part.is_chosen).cloned().collect();
        for part in &others {
            part.rendered(&shared.open, &how)?;
        }
        if mix.is_chosen {
            let mut sum = mix.reader(&shared.open, &how)?;
            return measure_whole(chain, &mut sum, &key(&mix), &shared.placement, progress);
        }
        let mut measured = MeasuredMap::default();
        if let Some(part) = mix.parts.iter().find(|part| part.is_chosen) {
            measured = measure_whole(chain, shared.raw(part)?.as_mut(), &key(&mix), &shared.placement, progress)?;
        }
        let sum = || -> Result<Box<dyn AudioReader>> { Ok(Box::new(shared.sum(&mix, chain, &how)?)) };
        shared.measured.of(&sum_key(&mix, chain), &mix.chain, sum, &how)?;
        Ok(measured)
    }
}

/// A preview that two readers share: the sum reads it, and its chain is changed from outside.
type SharedPreview = Arc<Mutex<Box<dyn PreviewRender>>>;

/// The sum of tracks as it is heard.
struct MixPreview {
    shared: Arc<Shared>,
    /// The sum through its chain.
    sum: Box<dyn PreviewRender>,
    /// The chosen track through its chain; `None` if the sum is chosen, or if the track is silent.
    front: Option<SharedPreview>,
    /// What it was made of.
    mix: Arc<Mix>,
    known: u64,
}

impl MixPreview {
    fn new(shared: Arc<Shared>, chain: &Chain, measured: &MeasuredMap) -> Result<Self> {
        let (mix, known) = (shared.mix(), shared.measured.count());
        let how = shared.how(None);
        let mut front = None;
        let mut parts: Vec<(Box<dyn AudioReader>, [f32; 2])> = Vec::with_capacity(mix.parts.len());
        for part in &mix.parts {
            let reader: Box<dyn AudioReader> = if part.is_chosen {
                let preview = preview_of(chain, shared.raw(part)?, &shared.placement, measured)?;
                let preview = Arc::new(Mutex::new(preview));
                front = Some(Arc::clone(&preview));
                Box::new(Lent(preview))
            } else {
                part.rendered(&shared.open, &how)?
            };
            parts.push((reader, part.gains));
        }
        let reader = Box::new(MixReader::new(parts, mix.format, mix.frames));
        let sum = if mix.is_chosen {
            preview_of(chain, reader, &shared.placement, measured)?
        } else {
            let unknown = || Ok(Box::new(MixReader::new(Vec::new(), mix.format, 0)) as Box<dyn AudioReader>);
            let own = shared.measured.of(&sum_key(&mix, chain), &mix.chain, unknown, &how)?;
            preview_of(&mix.chain, reader, &shared.placement, &own)?
        };
        Ok(Self { shared, sum, front, mix, known })
    }
}

impl AudioReader for MixPreview {
    fn format(&self) -> AudioFormat {
        self.sum.format()
    }

    fn frames(&self) -> u64 {
        self.sum.frames()
    }

    fn position(&self) -> u64 {
        self.sum.position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.sum.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        self.sum.read(out, frames)
    }

    fn damage(&self) -> Damage {
        self.sum.damage()
    }
}

impl PreviewRender for MixPreview {
    fn set_chain(&mut self, chain: &Chain, measured: &MeasuredMap) -> Result<()> {
        let is_same = Arc::ptr_eq(&self.mix, &self.shared.mix()) && self.known == self.shared.measured.count();
        let simple = self.mix.chain.nodes.iter().all(|node| node.bypass);
        match &self.front {
            None if is_same && self.mix.is_chosen => self.sum.set_chain(chain, measured),
            // What the sum has read ahead of the chosen track is of its former chain.
            Some(front) if is_same && simple => {
                let position = self.sum.position();
                self.sum.set_chain(&self.mix.chain, &MeasuredMap::default())?;
                let changed = lock(front).set_chain(chain, measured);
                self.sum.seek(position)?;
                changed
            }
            _ => {
                let position = self.sum.position();
                *self = Self::new(Arc::clone(&self.shared), chain, measured)?;
                self.sum.seek(position)
            }
        }
    }

    fn reductions(&self, frame: u64) -> Vec<(NodeId, f32)> {
        match &self.front {
            Some(front) => lock(front).reductions(frame),
            None if self.mix.is_chosen => self.sum.reductions(frame),
            None => Vec::new(),
        }
    }
}

/// A shared preview, read as one of the tracks.
struct Lent(SharedPreview);

impl AudioReader for Lent {
    fn format(&self) -> AudioFormat {
        lock(&self.0).format()
    }

    fn frames(&self) -> u64 {
        lock(&self.0).frames()
    }

    fn position(&self) -> u64 {
        lock(&self.0).position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        lock(&self.0).seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        lock(&self.0).read(out, frames)
    }

    fn damage(&self) -> Damage {
        lock(&self.0).damage()
    }
}
