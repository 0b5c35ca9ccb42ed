//! The sum of a document's tracks, as a playback source.
//!
//! The chain that the player changes is the one that the window shows: of one of the tracks, or of the sum. The other
//! tracks are rendered with their chains. Gains, pans and mutes may change at any time, and take effect when the player
//! next sets the chain.

use std::sync::Arc;

use super::lock::Mutex;
use super::preparation::Preparation;
use super::preview::{preparation_of, preview_of};
use super::source::{PlaybackSource, PreviewRender, Side};
use super::track_levels::TrackLevels;
use crate::document::{Mix, MixMeasurements, MixPart, MixReader, MixRender, OpenSource, TrackId};
use audio::{AudioBuffer, AudioFormat, AudioReader, Damage};
use base::error::Result;
use base::progress::Progress;
use effects::chain::{Chain, MeasuredMap, NodeId, Placement, Plan, Seeking, measure_whole};

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
    levels: TrackLevels,
}

impl Shared {
    fn mix(&self) -> Arc<Mix> {
        Arc::clone(&self.mix.lock())
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

/// Returns a text that changes with the input of the changeable chain.
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
        let shared =
            Shared { mix: Mutex::new(Arc::new(mix)), open, measured, placement, levels: TrackLevels::default() };
        Self { shared: Arc::new(shared), format, frames }
    }

    /// Changes how the tracks are heard. Their recordings and edits must be the same.
    pub fn set_mix(&self, mix: Mix) {
        *self.shared.mix.lock() = Arc::new(mix);
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
        let levels = &self.shared.levels;
        levels.clear(Side::Original);
        let parts = mix.parts.iter().map(|part| {
            let reader = levels.metered(self.shared.raw(part)?, Side::Original, part.id, part.gains);
            Ok((reader, part.gains))
        });
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

    fn preparation(&self, chain: &Chain, measured: &MeasuredMap) -> Option<Preparation> {
        let mix = self.shared.mix();
        let chosen = mix.parts.iter().find(|part| part.is_chosen);
        let format = if mix.is_chosen { mix.format } else { chosen?.format };
        preparation_of(chain, format, &self.shared.placement, measured)
    }

    fn track_levels(&self, side: Side, frame: u64) -> Vec<(TrackId, f32)> {
        self.shared.levels.before(side, frame, u64::from(self.format.rate.hz() / 20))
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

/// The sum of tracks, rendered for listening.
struct MixPreview {
    shared: Arc<Shared>,
    /// The sum through its chain.
    sum: Box<dyn PreviewRender>,
    /// The chosen track through its chain; `None` if the sum is chosen, or if the track is silent.
    front: Option<SharedPreview>,
    /// The mix that it was made from.
    mix: Arc<Mix>,
    known: u64,
}

impl MixPreview {
    fn new(shared: Arc<Shared>, chain: &Chain, measured: &MeasuredMap) -> Result<Self> {
        let (mix, known) = (shared.mix(), shared.measured.count());
        let how = shared.how(None);
        shared.levels.clear(Side::Processed);
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
            let reader = shared.levels.metered(reader, Side::Processed, part.id, part.gains);
            parts.push((reader, part.gains));
        }
        let reader = Box::new(MixReader::new(parts, mix.format, mix.frames));
        let sum = if mix.is_chosen {
            preview_of(chain, reader, &shared.placement, measured)?
        } else {
            let unknown = || Ok(Box::new(MixReader::new(Vec::new(), mix.format, 0)) as Box<dyn AudioReader>);
            let sum_measured = shared.measured.of(&sum_key(&mix, chain), &mix.chain, unknown, &how)?;
            preview_of(&mix.chain, reader, &shared.placement, &sum_measured)?
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
            // The frames of the chosen track that the sum has read ahead are of its former chain.
            Some(front) if is_same && simple => {
                let position = self.sum.position();
                self.sum.set_chain(&self.mix.chain, &MeasuredMap::default())?;
                let changed = front.lock().set_chain(chain, measured);
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
            Some(front) => front.lock().reductions(frame),
            None if self.mix.is_chosen => self.sum.reductions(frame),
            None => Vec::new(),
        }
    }
}

/// A shared preview, read as one of the tracks.
struct Lent(SharedPreview);

impl AudioReader for Lent {
    fn format(&self) -> AudioFormat {
        self.0.lock().format()
    }

    fn frames(&self) -> u64 {
        self.0.lock().frames()
    }

    fn position(&self) -> u64 {
        self.0.lock().position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.0.lock().seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        self.0.lock().read(out, frames)
    }

    fn damage(&self) -> Damage {
        self.0.lock().damage()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{
        Clip, ClockSpeed, ContentKey, Crossfade, Document, EditList, Excerpt, FileStamp, Source, SourceSummary,
        TrackChoice, TrackEdit,
    };
    use base::units::{SampleRate, gain_from_db};

    const FRAMES: u64 = 40_000;

    fn format() -> AudioFormat {
        AudioFormat::new(SampleRate::new(48_000).unwrap(), 1)
    }

    /// A tone whose pitch depends on its file.
    struct Tone {
        period: f64,
        at: u64,
    }

    fn tone(period: f64, frame: u64) -> f32 {
        (0.25 * (frame as f64 * std::f64::consts::TAU / period).sin()) as f32
    }

    impl AudioReader for Tone {
        fn format(&self) -> AudioFormat {
            format()
        }

        fn frames(&self) -> u64 {
            FRAMES
        }

        fn position(&self) -> u64 {
            self.at
        }

        fn seek(&mut self, frame: u64) -> Result<()> {
            self.at = frame.min(FRAMES);
            Ok(())
        }

        fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
            let frames = frames.min((FRAMES - self.at) as usize);
            out.clear();
            out.resize(1, frames);
            for (frame, sample) in (self.at..).zip(out.channel_mut(0)) {
                *sample = tone(self.period, frame);
            }
            self.at += frames as u64;
            Ok(())
        }
    }

    fn source(name: &str) -> Source {
        Source {
            path: name.into(),
            content_key: ContentKey::of_parts([name]),
            stamp: FileStamp { bytes: 1, modified_ns: 0 },
            clock: ClockSpeed::NOMINAL,
            summary: SourceSummary { container: String::new(), codec: String::new(), format: format(), frames: FRAMES },
        }
    }

    /// A document of two tones of 96 and 75 frames.
    fn document() -> Document {
        let second = source("75");
        let edits = EditList { clips: vec![Clip::whole(0, FRAMES)] };
        let excerpt = Excerpt {
            format: format(),
            sources: vec![second],
            edits,
            markers: audio::MarkerList::default(),
            channels: None,
        };
        Document::of_source(source("96")).with_recording("second".into(), &excerpt).unwrap()
    }

    fn played(document: &Document) -> MixSource {
        let open: OpenSource = Arc::new(|source| {
            let period = source.path.to_string_lossy().parse().unwrap();
            Ok(Box::new(Tone { period, at: 0 }))
        });
        MixSource::new(document.mix().unwrap().unwrap(), open, Arc::default(), Placement::cpu())
    }

    fn chain(text: &str) -> Chain {
        text.parse().unwrap()
    }

    fn edited(document: &Document, edit: &TrackEdit) -> Document {
        document.with_tracks(edit, Crossfade::NONE).unwrap().0
    }

    /// Reads on and compares the left channel with both tones at these factors.
    fn hears(preview: &mut dyn PreviewRender, frames: usize, first: f64, second: f64) {
        let (from, mut block) = (preview.position(), AudioBuffer::default());
        preview.read(&mut block, frames).unwrap();
        assert_eq!(block.frames(), frames);
        for (frame, sample) in (from..).zip(block.channel(0)) {
            let wanted = f64::from(tone(96.0, frame)) * first + f64::from(tone(75.0, frame)) * second;
            assert!((f64::from(*sample) - wanted).abs() < 1e-5, "frame {frame}: {sample}, not {wanted}");
        }
    }

    #[test]
    fn the_chain_of_one_track_and_all_gains_change_while_the_sum_is_heard() {
        let document = document();
        let source = played(&document);
        let none = MeasuredMap::default();
        let half = gain_from_db(-6.0);
        let mut preview = source.processed(&chain("gain(-6 dB)"), &none).unwrap();
        preview.seek(5000).unwrap();
        hears(preview.as_mut(), 3000, half, 1.0);
        preview.set_chain(&chain("gain(0 dB)"), &none).unwrap();
        assert_eq!(preview.position(), 8000);
        hears(preview.as_mut(), 3000, 1.0, 1.0);
        // The second track is turned down and the first one up, at once.
        let quieter = edited(&document, &TrackEdit::Gain { track: TrackId(2), db: -6.0 });
        source.set_mix(quieter.mix().unwrap().unwrap());
        preview.set_chain(&chain("gain(6 dB)"), &none).unwrap();
        hears(preview.as_mut(), 3000, gain_from_db(6.0), half);
        let muted = edited(&quieter, &TrackEdit::Mute { track: TrackId(1), on: true });
        source.set_mix(muted.mix().unwrap().unwrap());
        preview.set_chain(&chain("gain(6 dB)"), &none).unwrap();
        hears(preview.as_mut(), 3000, 0.0, half);
        let mut original = played(&quieter).original().unwrap();
        let mut block = AudioBuffer::default();
        original.read(&mut block, 500).unwrap();
        let wanted = f64::from(tone(96.0, 77)) + half * f64::from(tone(75.0, 77));
        assert!((f64::from(block.channel(1)[77]) - wanted).abs() < 1e-6, "no chain, but every gain");
    }

    #[test]
    fn the_rack_of_the_sum_changes_when_the_sum_is_chosen() {
        let mut document = document();
        document.chain = chain("gain(-6 dB)");
        document.choose(TrackChoice::Sum).unwrap();
        let source = played(&document);
        let none = MeasuredMap::default();
        let half = gain_from_db(-6.0);
        let mut preview = source.processed(&chain("gain(-6 dB)"), &none).unwrap();
        hears(preview.as_mut(), 4000, half * half, half);
        preview.set_chain(&chain(""), &none).unwrap();
        hears(preview.as_mut(), 4000, half, 1.0);
    }

    #[test]
    fn pieces_of_any_length_are_the_same_sum() {
        let document = edited(&document(), &TrackEdit::Pan { track: TrackId(2), pan: 0.4 });
        let source = played(&document);
        let filter = chain("highpass(200 Hz) | compressor()");
        let read = |lengths: &[usize]| {
            let mut preview = source.processed(&filter, &MeasuredMap::default()).unwrap();
            let (mut all, mut block) = (Vec::new(), AudioBuffer::default());
            for frames in lengths.iter().cycle() {
                preview.read(&mut block, *frames).unwrap();
                if block.is_empty() {
                    return all;
                }
                let both = block.channel(0).iter().zip(block.channel(1));
                all.extend(both.map(|(left, right)| (left.to_bits(), right.to_bits())));
            }
            all
        };
        let whole = read(&[FRAMES as usize]);
        assert_eq!(whole.len(), FRAMES as usize);
        assert!(read(&[1, 700, 33, 4096]) == whole);
    }

    #[test]
    fn what_the_other_tracks_need_is_measured_in_the_background() {
        let mut document = document();
        document.choose(TrackChoice::Track(TrackId(2))).unwrap();
        document.chain = chain("normalize(-20 dB)");
        document.choose(TrackChoice::Track(TrackId(1))).unwrap();
        let source = played(&document);
        let front = chain("gain(0 dB)");
        let none = MeasuredMap::default();
        assert!(!source.is_measured(&front, &none).unwrap());
        let mut preview = source.processed(&front, &none).unwrap();
        hears(preview.as_mut(), 1000, 1.0, 1.0);
        let measured = source.measure(&front, &Progress::new()).unwrap();
        assert!(source.is_measured(&front, &measured).unwrap());
        preview.set_chain(&front, &measured).unwrap();
        let peak = (0..FRAMES).map(|frame| f64::from(tone(75.0, frame).abs())).fold(0.0, f64::max);
        hears(preview.as_mut(), 1000, 1.0, gain_from_db(-20.0) / peak);
    }
}
