//! Exports a recording through a chain to a file. Used by `undertone process` and by the window's export.
//!
//! Three threads overlap: one decodes, one renders (chain, then rate conversion), one encodes (counting, dither,
//! packing, writing). Blocks travel between them through short queues, and empty blocks travel back, so that memory
//! stays bounded and steady-state processing does not allocate. Whole-signal measurements are made first, exactly. A
//! forecast runs the same passes and threads, with a meter in the encoder's place.

mod input;
mod levels;
mod loudness;
mod pipeline;
mod replay_gain;
mod settings;
mod tagging;

use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

use serde::{Serialize, Serializer};

use crate::audio::encode::{self, EncodeSettings, Encoder, FileFormat};
use crate::audio::markers::{by_number, file_limits};
use crate::audio::tags::{ChangedTag, FrameMap, MapPiece};
use crate::audio::{AudioFormat, AudioReader, MarkerList};
use crate::chain::{Chain, MeasuredMap, Placement, Plan, RenderSeconds, Renderer, TimeMapping, measure_whole};
use crate::device::DeviceReport;
use crate::document::FrameRange;
use crate::effects::WholeSignal;
use crate::error::{Error, Result};
use crate::files::{Protected, check_target};
use crate::measure::resample::{ResamplePlan, Resampler};
use crate::progress::Progress;
use crate::units::{SampleRate, db_from_gain, gain_from_db};
use levels::LevelMeter;
use loudness::LoudnessMeter;
use pipeline::{Rendering, pipeline};

pub use input::{ExportInput, protected, read_by_projects};
pub use settings::{ExportForecast, ExportPlan, ExportResult, ExportSettings, LoudnessTarget, StageSeconds};
pub use tagging::{Tagging, of_plan};

/// The dither seed of every export, so that the same export gives the same file.
const DITHER_SEED: u64 = 0;
/// The output gains that an export may have, in dB.
const GAIN_DB: std::ops::RangeInclusive<f64> = -96.0..=48.0;

/// An export to run.
pub struct ExportJob {
    /// The audio before the chain: a reader of a file or a document.
    pub source: Box<dyn AudioReader>,
    /// The chain that it goes through.
    pub chain: Chain,
    /// The device on which the chain runs.
    pub placement: Placement,
    /// The export settings. The range is in frames of the source, and is cut after the chain.
    pub settings: ExportSettings,
    /// The file to write.
    pub target: PathBuf,
    /// Whether an existing file may be replaced.
    pub overwrite: bool,
    /// Files that are never replaced, by any path or link: the files that the source reads. The files that the chain
    /// reads are added.
    pub inputs: Protected,
    /// The tags and cover images to carry over, as far as they remain true.
    pub tags: Tagging,
    /// The markers of the source, at its frames. They are written if the settings request it.
    pub markers: MarkerList,
}

/// The outcome of an export.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExportOutcome {
    /// The written file.
    #[serde(flatten, serialize_with = "crate::files::json::as_output")]
    pub target: PathBuf,
    /// The sample rate and channel count of the file.
    #[serde(flatten)]
    pub format: AudioFormat,
    /// The number of frames written.
    pub frames: u64,
    /// The file size in bytes.
    pub bytes: u64,
    /// The number of samples that were clipped: those beyond full scale, in integer formats.
    pub clipped: u64,
    /// The largest magnitude before clipping; 1.0 is full scale. In JSON `peak_db` in dBFS, null for silence.
    #[serde(rename = "peak_db", serialize_with = "in_db")]
    pub peak: f64,
    /// The device that it ran on, and why.
    pub device: DeviceReport,
    /// The time of each stage.
    pub seconds: StageSeconds,
    /// The gain in dB that was applied for the target loudness; `None` if there was no target.
    pub loudness_gain_db: Option<f64>,
    /// The tags that the file does not have as they are in the recording, and why.
    pub changed_tags: Vec<ChangedTag>,
    /// Problems that did not stop the export.
    pub warnings: Vec<String>,
}

impl ExportOutcome {
    /// Converts the outcome to the form that the window shows.
    pub fn to_result(&self) -> ExportResult {
        let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        ExportResult {
            name: text(self.target.file_name()),
            folder: text(self.target.parent().map(std::path::Path::as_os_str)),
            frames: self.frames,
            rate: self.format.rate.hz(),
            bytes: self.bytes,
            clipped: self.clipped,
            peak_db: peak_db(self.peak),
            device: self.device.clone(),
            seconds: self.seconds,
            loudness_gain_db: self.loudness_gain_db,
            warnings: self.warnings.clone(),
        }
    }
}

fn peak_db(peak: f64) -> Option<f64> {
    (peak > 0.0).then(|| db_from_gain(peak))
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn in_db<S: Serializer>(peak: &f64, to: S) -> std::result::Result<S::Ok, S::Error> {
    peak_db(*peak).serialize(to)
}

/// Runs an export to its end. Progress counts frames of the source, including those of measuring passes. On an error or
/// cancellation, no file is left.
///
/// # Errors
/// [`Error::Refused`] if a file would be harmed; [`Error::Cancelled`] within 200 ms.
pub fn export(job: ExportJob, progress: &Progress) -> Result<ExportOutcome> {
    let started = Instant::now();
    let ExportJob { source, chain, placement, settings, target, overwrite, inputs, tags, markers } = job;
    let inputs = inputs.with(chain.named_files());
    let planned = PlannedExport::new(RenderJob { source, chain, placement, settings }, progress)?;
    let extent = planned.extent.clone();
    let markers = if planned.settings.markers { markers } else { MarkerList::default() };
    let wanted = markers.within(extent.range.clone(), extent.whole).len();
    let (format, encode) = (planned.format, planned.encode);
    let frames_out = extent.frames_out(&planned.plan, format.rate);
    let settings = planned.settings.clone();
    let tagged = |plan: &Plan| tags.written(&tagging::processing(plan, &settings, &extent, format.rate));
    let (_, changed_tags) = tagged(&planned.plan);
    let mut marker_warnings = Vec::new();
    let mut create = |plan: &Plan, inputs: Protected| {
        let written = extent.markers(&markers, plan, format.rate);
        let lost = wanted.saturating_sub(written.len());
        if lost > 0 {
            marker_warnings.push(by_number(
                lost,
                "1 marker was not written: the effects remove the sound that it marks.",
                "{} markers were not written: the effects remove the sound that they mark.",
            ));
        }
        Encoder::create_marked(&target, &encode, format, overwrite, inputs, &tagged(plan).0, &written, frames_out)
    };
    // A target that is refused fails before any work is done.
    check_target(&target, overwrite, &inputs)?;
    // If the chain trims the sound, the positions of markers are known only after rendering.
    let waits = wanted > 0 && trims(&planned.plan);
    let early = if waits { None } else { Some(create(&planned.plan, inputs.clone())?) };
    let mut measured = planned.measure(progress)?;
    let encoder = match early {
        Some(encoder) => encoder,
        None => create(&measured.plan, inputs)?,
    };
    let done = pipeline(measured.source.as_mut(), &mut measured.rendering, encoder, progress)?;

    let MeasuredExport { source, rendering, plan, mut seconds, mut warnings, loudness_gain } = measured;
    warnings.extend(plan.notes);
    warnings.extend(marker_warnings);
    warnings.extend(done.result.warnings);
    let non_numbers = rendering.renderer.non_numbers();
    if non_numbers > 0 {
        warnings.push(format!("{non_numbers} samples of the input were not numbers and count as silence."));
    }
    if let Some(missing) = done.missing {
        warnings.push(format!("The input ended {missing} samples early. What could be read was written."));
    }
    warnings.extend(source.damage().part(&extent.range).describe(source.format().rate));
    let bytes = match tags.changes.replay_gain.then(|| replay_gain::write(&target, &progress.uncounted())) {
        None => done.result.bytes,
        Some(Ok(bytes)) => bytes,
        Some(Err(error)) => {
            warnings.push(format!("ReplayGain was not written. {}", error.sentences()));
            done.result.bytes
        }
    };
    let RenderSeconds { upload, kernels, readback } = rendering.renderer.seconds();
    seconds.decode += done.decoding.as_secs_f64();
    seconds.upload += upload;
    seconds.kernels += kernels + rendering.resampling.as_secs_f64();
    seconds.readback += readback;
    seconds.encode += done.ending.as_secs_f64();
    seconds.total = started.elapsed().as_secs_f64();
    Ok(ExportOutcome {
        target,
        format,
        frames: done.result.frames,
        bytes,
        clipped: done.result.clipped,
        peak: done.result.peak,
        device: rendering.renderer.report(),
        seconds,
        loudness_gain_db: loudness_gain.map(db_from_gain),
        changed_tags,
        warnings,
    })
}

/// Renders and measures what [`export`] with these settings would write, and writes nothing. Progress and errors are as
/// in the export.
pub fn forecast(job: RenderJob, progress: &Progress) -> Result<ExportForecast> {
    let settings = job.settings.clone();
    let planned = PlannedExport::new(job, progress)?;
    let format = planned.format;
    let mut measured = planned.measure(progress)?;
    let meter = LevelMeter::new(format);
    let levels = pipeline(measured.source.as_mut(), &mut measured.rendering, meter, progress)?.result;
    Ok(levels.forecast(&settings, measured.loudness_gain.map(db_from_gain)))
}

/// The sound to render for an export or its forecast.
pub struct RenderJob {
    /// The audio before the chain: a reader of a file or a document.
    pub source: Box<dyn AudioReader>,
    /// The chain that it goes through.
    pub chain: Chain,
    /// The device on which the chain runs.
    pub placement: Placement,
    /// The export settings. The range is in frames of the source.
    pub settings: ExportSettings,
}

/// An export whose settings are checked and whose chain is planned.
struct PlannedExport {
    source: Box<dyn AudioReader>,
    chain: Chain,
    placement: Placement,
    settings: ExportSettings,
    encode: EncodeSettings,
    /// The sample rate and channel count of the file.
    format: AudioFormat,
    /// The plan of the chain before anything is measured.
    plan: Plan,
    extent: Extent,
}

impl PlannedExport {
    fn new(job: RenderJob, progress: &Progress) -> Result<Self> {
        let RenderJob { source, chain, placement, settings } = job;
        if !GAIN_DB.contains(&settings.gain_db) {
            let allowed = format!("{} to {} dB", GAIN_DB.start(), GAIN_DB.end());
            return Err(Error::invalid("output gain", format!("{} dB", settings.gain_db), allowed));
        }
        let extent = Extent::new(settings.range, source.frames(), settings.tail)?;
        let plan = Plan::new(&chain, source.format(), &MeasuredMap::default())?;
        let passes = plan.needs.iter().filter(|need| need.what.needs_pass()).count() as u64;
        let read = extent.read(&plan);
        let rendered_frames = (read.end - read.start) * (u64::from(settings.loudness.is_some()) + 1);
        progress.set_total(extent.whole * passes + rendered_frames);
        let placement = placement.for_frames(extent.range.end);
        let rendered = plan.output;
        let encode = EncodeSettings { source_rate: source.format().rate.hz(), ..encode_settings(&settings) };
        let format = rendered.with_rate(rate_of(&settings, rendered.rate)?);
        if let Some(target) = &settings.loudness {
            loudness::check(target, rendered)?;
        }
        Ok(Self { source, chain, placement, settings, encode, format, plan, extent })
    }

    /// Runs the measuring passes over the whole signal that precede rendering.
    fn measure(self, progress: &Progress) -> Result<MeasuredExport> {
        let Self { mut source, chain, placement, settings, extent, .. } = self;
        let before = Instant::now();
        let measured = measure_whole(&chain, source.as_mut(), "", &placement, progress)?;
        let plan = Plan::new(&chain, source.format(), &measured)?;
        let rendered = plan.output;
        let rendering = |gain: f64, resampler| -> Result<Rendering> {
            let mut renderer = Renderer::new(&chain, plan.input, &placement, &measured)?;
            renderer.watch(progress);
            Ok(Rendering::new(renderer, &extent, gain as f32, resampler))
        };
        let mut warnings = Vec::new();
        let mut loudness_gain = None;
        if let Some(wanted) = settings.loudness {
            let meter = LoudnessMeter::new(rendered)?;
            let found = pipeline(source.as_mut(), &mut rendering(1.0, None)?, meter, progress)?.result;
            loudness_gain = Some(found.gain(wanted, &mut warnings));
        }
        let seconds = StageSeconds { kernels: before.elapsed().as_secs_f64(), ..StageSeconds::default() };
        let rate = self.format.rate;
        let resampler =
            (rate != rendered.rate).then(|| Resampler::new(&ResamplePlan::new(rendered.rate, rate), rendered.channels));
        let rendering = rendering(loudness_gain.unwrap_or(1.0) * gain_from_db(settings.gain_db), resampler)?;
        Ok(MeasuredExport { source, rendering, plan, seconds, warnings, loudness_gain })
    }
}

/// An export that is ready for rendering.
struct MeasuredExport {
    source: Box<dyn AudioReader>,
    rendering: Rendering,
    /// The plan of the chain with the measurements.
    plan: Plan,
    seconds: StageSeconds,
    warnings: Vec<String>,
    loudness_gain: Option<f64>,
}

/// The exported part of a recording. It is cut after the chain, so that it sounds as it does in the whole: effects act
/// at their times, a fade-out ends at the end of the recording, and a normaliser measures the whole recording.
#[derive(Clone, Debug)]
struct Extent {
    /// The frames of the source.
    range: Range<u64>,
    /// The length of the source.
    whole: u64,
    /// Whether the tails of effects follow. They do not if the part ends before the recording.
    tail: bool,
}

impl Extent {
    fn new(range: Option<FrameRange>, whole: u64, tail: bool) -> Result<Self> {
        let range = range.map_or(0..whole, |range| range.start..range.end);
        if range.start > range.end || range.end > whole {
            let got = format!("{} to {}", range.start, range.end);
            return Err(Error::invalid("the range of frames", got, format!("within 0 to {whole}")));
        }
        Ok(Self { tail: tail && range.end == whole, range, whole })
    }

    /// Returns the frames of the source that a plan must read for the part, without its look-ahead: with effects, which
    /// have memory, everything from the start of the source; without effects, only the part.
    fn read(&self, plan: &Plan) -> Range<u64> {
        let start = if plan.ops.is_empty() && plan.needs.is_empty() { self.range.start } else { 0 };
        start..self.range.end
    }

    /// Returns the exported frames of a plan's output, without tails.
    fn heard(&self, plan: &Plan) -> Range<u64> {
        let all = plan.frames_out(self.whole);
        let at = |frame| if frame == self.whole { all } else { plan.frame_out(frame).min(all) };
        let end = at(self.range.end);
        at(self.range.start).min(end)..end
    }

    /// Returns the number of frames that a plan outputs at a sample rate; `None` if it depends on the sound.
    fn frames_out(&self, plan: &Plan, rate: SampleRate) -> Option<u64> {
        (!trims(plan)).then(|| {
            let heard = self.heard(plan);
            let frames = heard.end - heard.start + if self.tail { plan.tail_frames } else { 0 };
            if rate == plan.output.rate { frames } else { ResamplePlan::new(plan.output.rate, rate).frames_out(frames) }
        })
    }

    /// Returns the part of the source that the output contains.
    fn source_part(&self, plan: &Plan) -> Range<u64> {
        let TimeMapping { skipped, ratio } = plan.time_mapping();
        let heard = self.heard(plan);
        let source_frames =
            |frames: u64| (frames as f64 * plan.input.rate.as_f64() / plan.output.rate.as_f64() / ratio).round() as u64;
        let start = (skipped.round() as u64 + source_frames(heard.start)).min(self.whole);
        start..start.saturating_add(source_frames(heard.end - heard.start)).min(self.whole)
    }

    /// Returns where the source's frames are in the file, whose sample rate is `rate`.
    fn frame_map(&self, plan: &Plan, rate: SampleRate) -> FrameMap {
        let source = self.source_part(plan);
        let scale = plan.time_mapping().ratio * rate.as_f64() / plan.input.rate.as_f64();
        if source == (0..self.whole) && scale == 1.0 && !trims(plan) {
            return FrameMap::default();
        }
        FrameMap::of(vec![MapPiece { source, start: 0.0, scale }]).at_rate(rate)
    }

    /// Returns the source's markers at the frames of the file, whose sample rate is `rate`. Points outside the exported
    /// sound are left out, and regions shrink to their exported part.
    fn markers(&self, markers: &MarkerList, plan: &Plan, rate: SampleRate) -> MarkerList {
        let ratio = plan.time_mapping().ratio;
        let markers = markers.within(self.source_part(plan), self.whole);
        if ratio == 1.0 {
            return markers.at_rate(plan.input.rate, rate);
        }
        let scale = ratio * rate.as_f64() / plan.input.rate.as_f64();
        markers.mapped(|frame| (frame as f64 * scale).round() as u64)
    }
}

/// Returns the sample rate of the file for a rendered stream of rate `rendered`.
fn rate_of(settings: &ExportSettings, rendered: SampleRate) -> Result<SampleRate> {
    match settings.rate {
        Some(hz) => SampleRate::new(hz),
        None => Ok(settings.format.rate_for(rendered)),
    }
}

/// Returns length and size of the file that [`export`] would write, without reading the source's samples.
///
/// # Errors
/// [`Error::Unsupported`] or [`Error::Limit`] if the format does not have such channels.
pub fn plan(
    source: &dyn AudioReader,
    chain: &Chain,
    settings: &ExportSettings,
    tags: &Tagging,
    markers: &MarkerList,
) -> Result<ExportPlan> {
    let extent = Extent::new(settings.range, source.frames(), settings.tail)?;
    let plan = Plan::new(chain, source.format(), &MeasuredMap::default())?;
    let rendered = plan.output;
    let format = rendered.with_rate(rate_of(settings, rendered.rate)?);
    settings.format.check_layout(format)?;
    let (tags, changed_tags) = tags.written(&tagging::processing(&plan, settings, &extent, format.rate));
    let frames = extent.frames_out(&plan, format.rate);
    let wanted = if settings.markers { markers.clone() } else { MarkerList::default() };
    let written = if trims(&plan) {
        wanted.within(extent.range.clone(), extent.whole)
    } else {
        extent.markers(&wanted, &plan, format.rate)
    };
    let size = frames.map(|frames| encode::size(&encode_settings(settings), format, frames, &tags, &written));
    Ok(ExportPlan {
        frames,
        rate: format.rate.hz(),
        bytes: size.map(|size| size.bytes),
        bytes_exact: size.is_some_and(|size| size.exact),
        tag_limits: encode::tag_limits(settings.format, &tags),
        changed_tags,
        markers: written.len(),
        marker_limits: file_limits(settings.format, &written),
        layout: layout_words(settings.format, source.format(), format),
    })
}

/// Returns, in words, how a speaker layout changes; `None` if mono or stereo is kept.
fn layout_words(file: FileFormat, from: AudioFormat, to: AudioFormat) -> Option<String> {
    file.layout_limit(to).or_else(|| {
        let [before, after] = [from, to].map(|format| format.channels_in_words());
        if before == after {
            (to.channels > 2).then(|| format!("The channels stay {after}."))
        } else {
            Some(format!("The channels become {after} instead of {before}."))
        }
    })
}

/// Returns whether a plan trims the sound. How much it trims is known only after rendering.
fn trims(plan: &Plan) -> bool {
    plan.needs.iter().any(|need| matches!(need.what, WholeSignal::Sound(_)))
}

/// Converts export settings to encoder settings.
pub fn encode_settings(settings: &ExportSettings) -> EncodeSettings {
    EncodeSettings {
        format: settings.format,
        sample: settings.bits,
        dither: settings.dither,
        seed: DITHER_SEED,
        lossy: settings.lossy,
        source_rate: 0,
    }
}
