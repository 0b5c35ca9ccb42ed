//! Splits a recording into stems and writes each to a file, in one pass.

use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;

use super::export::{ExportInput, Tagging, encode_settings, of_plan};
use crate::audio::encode::Encoder;
use crate::audio::tags::{ChangedTag, FrameMap, MapPiece, Processing, TagCause};
use crate::audio::{AudioBuffer, AudioFormat, AudioReader, MarkerList, RangeReader};
use crate::chain::{Chain, MeasuredMap, Placement, Plan};
use crate::device::DeviceReport;
use crate::error::Result;
use crate::files::{Protected, check_target};
use crate::measure::resample::{ResamplePlan, Resampler};
use crate::progress::Progress;
use crate::stems::{Separation, StemBlock, StemKind};
use crate::units::{SampleRate, db_from_gain};
use crate::work::export::ExportSettings;

/// A recording to split.
pub struct StemsJob {
    /// The recording.
    pub source: Box<dyn AudioReader>,
    /// The requested device, and the available devices.
    pub placement: Placement,
    /// The split.
    pub split: Separation,
    /// The wanted stems, from the split or the residual, each with its file. The residual is the remainder after the
    /// other wanted stems.
    pub targets: Vec<(StemKind, PathBuf)>,
    /// Whether each stem receives a share of the remainder that all of them leave; see [`Separation::check_residual`].
    pub spread: bool,
    /// Format, samples, dither, rate and range. Gain, loudness and tail are not applied, so that the stems still sum to
    /// the recording.
    pub settings: ExportSettings,
    /// Whether existing files may be replaced.
    pub overwrite: bool,
    /// Files that are never replaced.
    pub inputs: Protected,
    /// The tags of the recording. Each file gets those that are true of a stem.
    pub tags: Tagging,
    /// The markers of the recording, at its frames.
    pub markers: MarkerList,
    /// Called with the blocks of the wanted stems, in their order and at the recording's rate, before they are written.
    pub follow: Option<Follow>,
}

/// A callback that receives the stems of a recording, block by block.
pub type Follow = Box<dyn FnMut(&[&AudioBuffer]) + Send>;

/// A stem that was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StemFile {
    /// The kind of stem.
    pub stem: StemKind,
    /// The file.
    #[serde(flatten, serialize_with = "crate::files::json::as_output")]
    pub target: PathBuf,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The number of samples that were clipped: those beyond full scale, in integer formats.
    pub clipped: u64,
    /// The largest magnitude before clipping in dBFS; `None` for silence.
    pub peak_db: Option<f64>,
}

/// The stems of a recording.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StemsOutcome {
    /// The files, in the requested order.
    pub stems: Vec<StemFile>,
    /// The sample rate and channels of each file.
    #[serde(flatten)]
    pub format: AudioFormat,
    /// The number of frames of each file.
    pub frames: u64,
    /// The device that it ran on, and why.
    pub device: DeviceReport,
    /// The time taken, in seconds.
    pub seconds: f64,
    /// The seconds of the recording that were split per second.
    pub realtime_factor: f64,
    /// The tags that the files do not have as they are in the recording, and why.
    pub changed_tags: Vec<ChangedTag>,
    /// Problems that did not stop the split.
    pub warnings: Vec<String>,
}

/// Returns the tags of an input, with the processing by a project's chain.
pub fn tagging_of(input: &ExportInput) -> Result<Tagging> {
    let plan = Plan::new(&input.chain(&Chain::default()), input.format(), &MeasuredMap::default())?;
    Ok(input.tagging()?.after(&of_plan(&plan)))
}

/// Splits a recording and writes the wanted stems. Progress counts the frames of the recording; with the quick split,
/// [`crate::stems::QuickSplit::passes`] times. If it fails or is cancelled before everything is encoded, no file is
/// left.
///
/// # Errors
/// [`crate::Error::Refused`] if a file would be harmed; [`crate::Error::Cancelled`] within 200 ms.
pub fn write_stems(job: StemsJob, progress: &Progress) -> Result<StemsOutcome> {
    let started = Instant::now();
    let StemsJob { source, placement, split, targets, spread, settings, overwrite, inputs, tags, markers, mut follow } =
        job;
    let whole = source.frames();
    let (start, end) = settings.range.map_or((0, whole), |range| (range.start, range.end));
    let done = Processing::default()
        .with(TagCause::Level, true)
        .with(TagCause::Mixed, true)
        .with(TagCause::Cut, (start, end) != (0, whole))
        .with(TagCause::Encoding, true);
    let mut source = RangeReader::new(source, start, end)?;
    let from = source.format();
    split.check(from)?;
    for (_, target) in &targets {
        check_target(target, overwrite, &inputs)?;
    }
    let rate = settings.rate.map_or_else(|| Ok(settings.format.rate_for(from.rate)), SampleRate::new)?;
    let format = from.with_rate(rate);
    let scale = rate.as_f64() / from.rate.as_f64();
    let map = FrameMap::of(vec![MapPiece { source: start..end, start: 0.0, scale }]).at_rate(rate);
    let (tags, changed_tags) = tags.written(&done.with_frames(map));
    let resampling = (rate != from.rate).then(|| ResamplePlan::new(from.rate, rate));
    let frames = resampling.as_ref().map_or(source.frames(), |plan| plan.frames_out(source.frames()));
    let encode = crate::audio::encode::EncodeSettings { source_rate: from.rate.hz(), ..encode_settings(&settings) };
    let wanted = if settings.markers { markers.within(start..end, whole) } else { MarkerList::default() };
    let marked = wanted.at_rate(from.rate, rate);
    let create = |target: &PathBuf| {
        let inputs = inputs.clone();
        Encoder::create_marked(target, &encode, format, overwrite, inputs, &tags, &marked, Some(frames))
    };
    let wanted: Vec<StemKind> =
        targets.iter().map(|(kind, _)| *kind).filter(|kind| *kind != StemKind::Residual).collect();
    let given = split.given(&wanted)?;
    // The residual has no index.
    let places: Vec<Option<usize>> =
        targets.iter().map(|(kind, _)| given.iter().position(|given| given == kind)).collect();
    let kept: Vec<usize> = places.iter().flatten().copied().collect();
    let mut outputs = targets
        .iter()
        .map(|(_, target)| {
            let resampler = resampling.as_ref().map(|plan| Resampler::new(plan, from.channels));
            Ok(StemOutput { encoder: create(target)?, resampler, converted: AudioBuffer::new(from.channels, 0) })
        })
        .collect::<Result<Vec<_>>>()?;
    let mut sink = |block: &StemBlock| {
        let residual = if places.contains(&None) { block.residual(&kept) } else { AudioBuffer::default() };
        let spread = if spread { block.spread(&kept) } else { Vec::new() };
        let sound = |place: usize| {
            let at = kept.iter().position(|kept| *kept == place);
            at.and_then(|at| spread.get(at)).unwrap_or(&block.stems[place])
        };
        let stem = |place: &Option<usize>| place.map_or(&residual, sound);
        if let Some(follow) = &mut follow {
            follow(&places.iter().map(stem).collect::<Vec<_>>());
        }
        for (output, place) in outputs.iter_mut().zip(&places) {
            output.write(stem(place))?;
        }
        Ok(())
    };
    let (separated, device) = split.separate(&mut source, &wanted, &placement, &mut sink, progress)?;
    let mut warnings: Vec<String> = split.warning(from, separated.frames).into_iter().collect();
    if separated.non_numbers > 0 {
        warnings.push(format!("{} samples of the input were not numbers and count as silence.", separated.non_numbers));
    }
    if separated.missing > 0 {
        warnings.push(format!("The input ended {} samples early. Silence stands in their place.", separated.missing));
    }
    warnings.extend(source.damage().describe(from.rate));
    let mut stems = Vec::with_capacity(targets.len());
    for ((stem, target), output) in targets.into_iter().zip(outputs) {
        let encoded = output.finish()?;
        // All have the same tags and markers, so each gives the same warnings.
        warnings.extend(encoded.warnings.into_iter().filter(|_| stems.is_empty()));
        let peak_db = (encoded.peak > 0.0).then(|| db_from_gain(encoded.peak));
        stems.push(StemFile { stem, target, bytes: encoded.bytes, clipped: encoded.clipped, peak_db });
    }
    let seconds = started.elapsed().as_secs_f64();
    let realtime_factor = from.rate.seconds_from_frames(separated.frames) / seconds.max(1e-9);
    Ok(StemsOutcome { stems, format, frames, device, seconds, realtime_factor, changed_tags, warnings })
}

/// A file that is being written.
struct StemOutput {
    encoder: Encoder,
    resampler: Option<Resampler>,
    converted: AudioBuffer,
}

impl StemOutput {
    fn write(&mut self, stem: &AudioBuffer) -> Result<()> {
        let Some(resampler) = &mut self.resampler else { return self.encoder.write(stem) };
        self.converted.clear();
        resampler.push(stem, &mut self.converted)?;
        self.encoder.write(&self.converted)
    }

    fn finish(mut self) -> Result<crate::audio::encode::Encoded> {
        if let Some(resampler) = &mut self.resampler {
            self.converted.clear();
            resampler.finish(&mut self.converted)?;
            self.encoder.write(&self.converted)?;
        }
        self.encoder.finish()
    }
}
