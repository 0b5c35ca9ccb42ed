//! A chain over a recording, as a playback source.

use std::sync::Arc;

use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::SampleRate;
use dsp::measure::resample::{ResamplePlan, ResampledReader};
use effects;
use effects::chain::{
    Chain, MeasuredMap, NodeId, Placement, Plan, Rendered, Renderer, Seeking, TimeMapping, measure_whole,
};

use super::preparation::Preparation;
use super::source::{PlaybackSource, PreviewRender};

/// Opens a reader of a recording; called whenever one is needed.
pub type OpenReader = Arc<dyn Fn() -> Result<Box<dyn AudioReader>> + Send + Sync>;

/// The recording's key in the fingerprints of measurements. It can be empty, because they do not outlive their source.
const KEY: &str = "";

/// A recording with a changeable chain, rendered on the device that `placement` requests.
pub struct ChainSource {
    open: OpenReader,
    placement: Placement,
    format: AudioFormat,
    frames: u64,
}

impl ChainSource {
    /// Creates a source of the recording that `open` returns readers of. The recording must not change while the source
    /// is used.
    pub fn new(open: OpenReader, placement: Placement) -> Result<Self> {
        let reader = open()?;
        let (format, frames) = (reader.format(), reader.frames());
        Ok(Self { open, placement, format, frames })
    }
}

impl PlaybackSource for ChainSource {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn original(&self) -> Result<Box<dyn AudioReader>> {
        (self.open)()
    }

    fn processed(&self, chain: &Chain, measured: &MeasuredMap) -> Result<Box<dyn PreviewRender>> {
        preview_of(chain, (self.open)()?, &self.placement, measured)
    }

    fn is_measured(&self, chain: &Chain, measured: &MeasuredMap) -> Result<bool> {
        let needs = Plan::new(chain, self.format, measured)?.needs;
        Ok(needs.iter().all(|need| measured.is_current(chain, *need, KEY)))
    }

    fn preparation(&self, chain: &Chain, measured: &MeasuredMap) -> Option<Preparation> {
        preparation_of(chain, self.format, &self.placement, measured)
    }

    fn measure(&self, chain: &Chain, progress: &Progress) -> Result<MeasuredMap> {
        measure_whole(chain, (self.open)()?.as_mut(), KEY, &self.placement, progress)
    }
}

/// Returns work that makes the device of a placement ready for a chain; `None` if that is surely the CPU.
pub(super) fn preparation_of(
    chain: &Chain,
    format: AudioFormat,
    placement: &Placement,
    measured: &MeasuredMap,
) -> Option<Preparation> {
    if placement.devices.is_surely_cpu(&placement.request) {
        return None;
    }
    let (chain, placement, measured) = (chain.clone(), placement.clone(), measured.clone());
    Some(Box::new(move || {
        // A chain that cannot run says why when it is switched to.
        let prepared = Renderer::provisional(&chain, format, &placement, &measured, effects::find)
            .and_then(|mut chain| chain.prepare());
        if let Err(error) = prepared {
            tracing::debug!("a chain could not be prepared: {error}");
        }
    }))
}

/// Renders a chain over a recording for listening.
pub(super) fn preview_of(
    chain: &Chain,
    source: Box<dyn AudioReader>,
    placement: &Placement,
    measured: &MeasuredMap,
) -> Result<Box<dyn PreviewRender>> {
    let rate = source.format().rate;
    let rendered = Rendered::provisional(chain, source, placement, measured, Seeking::Preroll)?;
    Ok(Box::new(Preview { rate, reader: Some(Reader::of(rendered, rate)) }))
}

/// A rendered chain at the rate of its recording. A chain that changes the rate is converted back, because the preview
/// has to stay in step with the original.
struct Preview {
    rate: SampleRate,
    /// `None` only while it is being replaced.
    reader: Option<Reader>,
}

enum Reader {
    Straight(Rendered),
    Converted(ResampledReader<Rendered>),
}

impl Reader {
    fn of(rendered: Rendered, rate: SampleRate) -> Self {
        let rendered_rate = rendered.format().rate;
        if rendered_rate == rate {
            return Self::Straight(rendered);
        }
        Self::Converted(ResampledReader::new(rendered, &ResamplePlan::new(rendered_rate, rate)))
    }

    fn into_rendered(self) -> Rendered {
        match self {
            Self::Straight(rendered) => rendered,
            Self::Converted(converted) => converted.into_inner(),
        }
    }
}

impl Preview {
    fn reader(&self) -> Option<&dyn AudioReader> {
        match self.reader.as_ref()? {
            Reader::Straight(rendered) => Some(rendered),
            Reader::Converted(converted) => Some(converted),
        }
    }

    fn reader_mut(&mut self) -> Result<&mut dyn AudioReader> {
        match &mut self.reader {
            Some(Reader::Straight(rendered)) => Ok(rendered),
            Some(Reader::Converted(converted)) => Ok(converted),
            None => Err(Error::Internal("a preview was lost".into())),
        }
    }
}

impl AudioReader for Preview {
    fn format(&self) -> AudioFormat {
        self.reader().map_or(AudioFormat::new(self.rate, 0), |reader| reader.format().with_rate(self.rate))
    }

    fn frames(&self) -> u64 {
        self.reader().map_or(0, AudioReader::frames)
    }

    fn position(&self) -> u64 {
        self.reader().map_or(0, AudioReader::position)
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.reader_mut()?.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        self.reader_mut()?.read(out, frames)
    }
}

impl PreviewRender for Preview {
    fn set_chain(&mut self, chain: &Chain, measured: &MeasuredMap) -> Result<()> {
        let position = self.position();
        if let Some(Reader::Straight(rendered)) = &mut self.reader {
            rendered.set_chain(chain, measured)?;
            if rendered.format().rate == self.rate {
                return Ok(());
            }
        }
        let Some(reader) = self.reader.take() else { return Ok(()) };
        let converted = matches!(reader, Reader::Converted(_));
        let mut rendered = reader.into_rendered();
        let outcome = if converted { rendered.set_chain(chain, measured) } else { Ok(()) };
        self.reader = Some(Reader::of(rendered, self.rate));
        self.seek(position)?;
        outcome
    }

    fn time_mapping(&self) -> TimeMapping {
        match &self.reader {
            Some(Reader::Straight(rendered)) => rendered.renderer().plan().time_mapping(),
            Some(Reader::Converted(converted)) => converted.inner().renderer().plan().time_mapping(),
            None => TimeMapping::IDENTITY,
        }
    }

    fn reductions(&self, frame: u64) -> Vec<(NodeId, f32)> {
        match &self.reader {
            Some(Reader::Straight(rendered)) => rendered.reductions_at(frame),
            Some(Reader::Converted(converted)) => {
                let rendered = converted.inner();
                rendered.reductions_at((frame as f64 * rendered.format().rate.as_f64() / self.rate.as_f64()) as u64)
            }
            None => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tone of 500 Hz at 48 kHz.
    struct Tone(u64);

    impl AudioReader for Tone {
        fn format(&self) -> AudioFormat {
            AudioFormat::new(SampleRate::new(48_000).unwrap(), 1)
        }

        fn frames(&self) -> u64 {
            48_000
        }

        fn position(&self) -> u64 {
            self.0
        }

        fn seek(&mut self, frame: u64) -> Result<()> {
            self.0 = frame.min(48_000);
            Ok(())
        }

        fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
            let frames = frames.min((48_000 - self.0) as usize);
            out.clear();
            out.resize(1, frames);
            for (frame, sample) in (self.0..).zip(out.channel_mut(0)) {
                *sample = at(frame);
            }
            self.0 += frames as u64;
            Ok(())
        }
    }

    fn at(frame: u64) -> f32 {
        (frame as f64 * std::f64::consts::TAU / 96.0).sin() as f32
    }

    #[test]
    fn a_chain_of_another_rate_is_heard_in_step_with_the_original() {
        let open: OpenReader = Arc::new(|| Ok(Box::new(Tone(0))));
        let source = ChainSource::new(open, Placement::cpu()).unwrap();
        let chain = |text: &str| text.parse::<Chain>().unwrap();
        let none = MeasuredMap::default();
        let mut preview = source.processed(&chain("resample(8 kHz)"), &none).unwrap();
        let mut block = AudioBuffer::default();
        let mut check = |preview: &mut dyn PreviewRender, from: u64| {
            assert_eq!((preview.format().rate.hz(), preview.frames()), (48_000, 48_000));
            preview.seek(from).unwrap();
            preview.read(&mut block, 2000).unwrap();
            for (frame, sample) in (from..).zip(block.channel(0)) {
                assert!((sample - at(frame)).abs() < 1e-4, "{frame}");
            }
        };
        check(preview.as_mut(), 20_000);
        for text in ["gain(0 dB)", "resample(16 kHz)", "resample(96 kHz)", "off(gain(1 dB))"] {
            preview.set_chain(&chain(text), &none).unwrap();
            assert_eq!(preview.position(), 22_000, "{text}");
            check(preview.as_mut(), 20_000);
        }
    }
}
