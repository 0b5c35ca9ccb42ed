//! Decodes, renders, and encodes or measures concurrently, on one thread each.

use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use crate::audio::encode::{Encoded, Encoder};
use crate::audio::{AudioBuffer, AudioReader};
use crate::chain::Renderer;
use crate::error::{Error, Result};
use crate::measure::resample::Resampler;
use crate::progress::Progress;

use super::Extent;

/// The capacity of the queue between two stages, in blocks.
const QUEUE: usize = 3;

pub(super) struct Rendering {
    pub renderer: Renderer,
    /// The gain that reaches the target loudness, and the output gain.
    gain: f32,
    resampler: Option<Resampler>,
    tail: bool,
    pub resampling: Duration,
    /// The frames of the source that are read, up to the end of the exported part.
    read: Range<u64>,
    /// The number of rendered frames before the exported part, and the length of that part if it ends before the
    /// recording.
    skip: u64,
    take: Option<u64>,
}

impl Rendering {
    /// Prepares to render a part of the source. Without effects, nothing before the part is read.
    pub fn new(renderer: Renderer, extent: &Extent, gain: f32, resampler: Option<Resampler>) -> Self {
        let plan = renderer.plan();
        let heard = extent.heard(plan);
        let read = extent.read(plan);
        let skip = if read.start == 0 { heard.start } else { 0 };
        let take = (extent.range.end < extent.whole).then_some(heard.end - heard.start);
        Self { gain, resampler, tail: extent.tail, resampling: Duration::ZERO, read, skip, take, renderer }
    }

    /// Cuts a rendered block to the exported part. Returns whether the part has ended.
    fn cut(&mut self, block: &mut AudioBuffer) -> bool {
        let skipped = self.skip.min(block.frames() as u64);
        if skipped > 0 {
            self.skip -= skipped;
            block.drop_front(skipped as usize);
        }
        let Some(take) = &mut self.take else { return false };
        block.truncate((*take).min(block.frames() as u64) as usize);
        *take -= block.frames() as u64;
        *take == 0
    }
}

/// The destination of the rendered stream: a file or a meter.
pub(super) trait Sink: Send {
    /// The result at the end of the stream.
    type Output: Send;

    /// Takes the next block.
    fn write(&mut self, block: &AudioBuffer) -> Result<()>;

    /// Marks the end of the stream. If it is not called, the stream was incomplete and no file may be left.
    fn finish(self) -> Result<Self::Output>;
}

impl Sink for Encoder {
    type Output = Encoded;

    fn write(&mut self, block: &AudioBuffer) -> Result<()> {
        Encoder::write(self, block)
    }

    fn finish(self) -> Result<Encoded> {
        Encoder::finish(self)
    }
}

pub(super) struct PipelineOutcome<T> {
    /// The number of frames by which the source ended early, if it did.
    pub missing: Option<u64>,
    pub decoding: Duration,
    /// The result of the sink, and the time for which it was busy.
    pub result: T,
    pub ending: Duration,
}

/// Decodes, renders and fills the sink on one thread each, until the source ends.
pub(super) fn pipeline<S: Sink>(
    source: &mut dyn AudioReader,
    rendering: &mut Rendering,
    sink: S,
    progress: &Progress,
) -> Result<PipelineOutcome<S::Output>> {
    let frames = rendering.renderer.preferred_frames();
    let read = rendering.read.clone();
    source.seek(read.start)?;
    let (decoded_to, decoded_from) = sync_channel(QUEUE);
    let (rendered_to, rendered_from) = sync_channel(QUEUE);
    let (empty_to, empty_from) = sync_channel(2 * QUEUE + 4);
    std::thread::scope(|scope| {
        let decoding = scope.spawn(move || decode(source, frames, &decoded_to, &empty_from, progress));
        let ending = scope.spawn(move || fill(sink, &rendered_from, &empty_to, progress));
        let rendered = render(rendering, &decoded_from, &rendered_to, progress);
        // Dropping both channel ends keeps the other stages from waiting for this one.
        drop((decoded_from, rendered_to));
        let decoded = joined(decoding);
        let ended = joined(ending);
        // A stage whose neighbour failed stops without an error, so the first error here is the cause.
        let finished = rendered?;
        let (end, decoding) = decoded?;
        let (result, ending) = ended?;
        let missing = end.and_then(|end| read.end.checked_sub(end)).filter(|missing| *missing > 0);
        match result {
            Some(result) if finished => Ok(PipelineOutcome { missing, decoding, result, ending }),
            _ => Err(Error::Internal("an export stopped without saying why".into())),
        }
    })
}

fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|_| Err(Error::Internal("a stage of the export panicked".into())))
}

/// A block and the number of source frames that it covers; `None` marks the end of a complete stream.
type Block = Option<(AudioBuffer, u64)>;

/// Decodes until the source ends, and returns the frame of its end; `None` if the next stage stopped earlier.
fn decode(
    source: &mut dyn AudioReader,
    frames: usize,
    to: &SyncSender<Block>,
    empty: &Receiver<AudioBuffer>,
    progress: &Progress,
) -> Result<(Option<u64>, Duration)> {
    let mut busy = Duration::ZERO;
    loop {
        progress.check()?;
        let mut block = empty.try_recv().unwrap_or_default();
        let started = Instant::now();
        source.read(&mut block, frames)?;
        busy += started.elapsed();
        let count = block.frames() as u64;
        let block = (count > 0).then_some((block, count));
        let end = block.is_none().then(|| source.position());
        if to.send(block).is_err() || end.is_some() {
            return Ok((end, busy));
        }
    }
}

/// Renders until the stream ends. Returns whether the end was reached.
fn render(
    rendering: &mut Rendering,
    from: &Receiver<Block>,
    to: &SyncSender<Block>,
    progress: &Progress,
) -> Result<bool> {
    let mut left = rendering.read.end - rendering.read.start;
    while let Ok(block) = from.recv() {
        progress.check()?;
        let is_last = block.is_none();
        let (mut block, count) = match block {
            Some((mut block, count)) => {
                rendering.renderer.process(&mut block)?;
                (block, count)
            }
            None => (rendering.renderer.finish(rendering.tail)?, 0),
        };
        // Look-ahead frames beyond the part do not count as progress.
        let count = count.min(left);
        left -= count;
        let ended = rendering.cut(&mut block) || is_last;
        if rendering.gain != 1.0 {
            block.iter_mut().flatten().for_each(|sample| *sample *= rendering.gain);
        }
        if let Some(resampler) = &mut rendering.resampler {
            let started = Instant::now();
            let mut converted = AudioBuffer::new(block.channels(), 0);
            resampler.push(&block, &mut converted)?;
            if ended {
                resampler.finish(&mut converted)?;
            }
            block = converted;
            rendering.resampling += started.elapsed();
        }
        if to.send(Some((block, count))).is_err() {
            return Ok(false);
        }
        if ended {
            return Ok(to.send(None).is_ok());
        }
    }
    Ok(false)
}

/// Fills the sink until the stream ends. Returns `None` if the stream was incomplete; then no file is left.
fn fill<S: Sink>(
    mut sink: S,
    from: &Receiver<Block>,
    empty: &SyncSender<AudioBuffer>,
    progress: &Progress,
) -> Result<(Option<S::Output>, Duration)> {
    let mut busy = Duration::ZERO;
    while let Ok(block) = from.recv() {
        progress.check()?;
        let started = Instant::now();
        let Some((block, count)) = block else {
            let result = sink.finish()?;
            return Ok((Some(result), busy + started.elapsed()));
        };
        sink.write(&block)?;
        busy += started.elapsed();
        progress.advance(count)?;
        // The send fails once the decoder has ended.
        let _ = empty.try_send(block);
    }
    Ok((None, busy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::AudioFormat;
    use crate::audio::encode::{EncodeSettings, FileFormat, SampleFormat};
    use crate::chain::{Chain, MeasuredMap, Placement};
    use crate::units::SampleRate;

    /// An endless tone.
    struct Tone(u64);

    impl AudioReader for Tone {
        fn format(&self) -> AudioFormat {
            AudioFormat::new(SampleRate::new(48_000).unwrap(), 2)
        }

        fn frames(&self) -> u64 {
            u64::MAX / 4
        }

        fn position(&self) -> u64 {
            self.0
        }

        fn seek(&mut self, frame: u64) -> Result<()> {
            self.0 = frame;
            Ok(())
        }

        fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
            out.resize(2, frames);
            for channel in out.iter_mut() {
                for (at, sample) in channel.iter_mut().enumerate() {
                    *sample = ((self.0 + at as u64) as f32 * 0.01).sin();
                }
            }
            self.0 += frames as u64;
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_told_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.wav");
        for format in [FileFormat::Wav, FileFormat::Flac, FileFormat::Vorbis, FileFormat::Opus] {
            let settings = EncodeSettings { format, sample: SampleFormat::Int16, ..EncodeSettings::default() };
            let mut source = Tone(0);
            let mut encoder = Encoder::create(&target, &settings, source.format(), false, &[]).unwrap();
            encoder.fail_after(if format.is_lossy() { 20_000 } else { 2_000_000 });
            let chain: Chain = "highpass(80 Hz)".parse().unwrap();
            let renderer = Renderer::new(&chain, source.format(), &Placement::cpu(), &MeasuredMap::default()).unwrap();
            let extent = Extent::new(None, source.frames(), false).unwrap();
            let mut rendering = Rendering::new(renderer, &extent, 1.0, None);
            let full = pipeline(&mut source, &mut rendering, encoder, &Progress::new()).err();
            assert!(matches!(&full, Some(Error::Io { path, .. }) if *path == target), "{full:?}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}
