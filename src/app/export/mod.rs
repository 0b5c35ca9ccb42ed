//! Exports a recording through a chain to a file. Used by `undertone process` and by the window's export.
//!
//! Three threads overlap: one decodes, one renders (chain, then rate conversion), one encodes (counting, dither,
//! packing, writing). Blocks travel between them through short queues, and empty blocks travel back, so that memory
//! stays bounded and steady-state processing does not allocate. Whole-signal measurements are made first, exactly.

mod input;
mod loudness;
mod pipeline;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Serialize, Serializer};

use super::api::{ExportResult, ExportSettings, StageSeconds};
use crate::audio::encode::{EncodeSettings, Encoder};
use crate::audio::{AudioFormat, AudioReader, RangeReader, Tags};
use crate::chain::{Chain, Placement, RenderSeconds, Renderer, measure_whole, passes};
use crate::device::DeviceReport;
use crate::error::Result;
use crate::files::Protected;
use crate::measure::resample::{ResamplePlan, Resampler};
use crate::progress::Progress;
use crate::units::SampleRate;
use pipeline::{Rendering, pipeline};

pub use input::{ExportInput, protected};

/// The dither seed of every export, so that the same export gives the same file.
const DITHER_SEED: u64 = 0;

/// An export to run.
pub struct ExportJob {
    /// The audio before the chain: a reader of a file or a document.
    pub source: Box<dyn AudioReader>,
    /// The chain that it goes through.
    pub chain: Chain,
    /// The device on which the chain runs.
    pub placement: Placement,
    /// The export settings. The range is in frames of the source.
    pub settings: ExportSettings,
    /// The file to write.
    pub target: PathBuf,
    /// Whether an existing file may be replaced.
    pub overwrite: bool,
    /// Files that are never replaced, by whatever path or link: those that the source reads. Files that the chain reads
    /// are added.
    pub inputs: Protected,
    /// The tags and cover images to carry over.
    pub tags: Tags,
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
    /// The number of samples beyond full scale, which integer formats clip.
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
    (peak > 0.0).then(|| crate::units::db_from_gain(peak))
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn in_db<S: Serializer>(peak: &f64, to: S) -> std::result::Result<S::Ok, S::Error> {
    peak_db(*peak).serialize(to)
}

/// Runs an export to its end. Progress counts frames of the source, including those of measuring passes. On any error
/// or cancellation, nothing is left at the target or beside it.
///
/// # Errors
/// Returns [`Error::Refused`] if a file would be harmed, [`Error::Invalid`] for an invalid range or sample rate, any
/// error of source, chain and encoder, and [`Error::Cancelled`] within 200 ms.
pub fn export(job: ExportJob, progress: &Progress) -> Result<ExportOutcome> {
    let started = Instant::now();
    let ExportJob { source, chain, placement, settings, target, overwrite, inputs, tags } = job;
    let range = settings.range.map_or((0, source.frames()), |range| (range.start, range.end));
    let inputs = inputs.with(chain.named_files());
    let mut source = RangeReader::new(source, range.0, range.1)?;
    let passes = passes(&chain, &source)? as u64;
    let frames = source.frames();
    progress.set_total(frames * (passes + u64::from(settings.loudness.is_some()) + 1));
    let placement = placement.for_frames(frames);

    let planned = Renderer::new(&chain, source.format(), &placement, &crate::chain::MeasuredMap::default())?;
    let rendered = planned.output_format();
    let encode = EncodeSettings { source_rate: source.format().rate.hz(), ..encode_settings(&settings) };
    let rate = match settings.rate {
        Some(hz) => SampleRate::new(hz)?,
        None => encode.format.rate_for(rendered.rate),
    };
    let format = AudioFormat { rate, ..rendered };
    if let Some(target) = &settings.loudness {
        loudness::check(target, rendered)?;
    }
    // A target that is refused fails before any work is done.
    let encoder = Encoder::create_tagged(&target, &encode, format, overwrite, inputs, &tags)?;

    let mut seconds = StageSeconds::default();
    let mut renderer = planned;
    let mut measured = crate::chain::MeasuredMap::default();
    if passes > 0 {
        let before = Instant::now();
        measured = measure_whole(&chain, &mut source, "", &placement, progress)?;
        seconds.kernels += before.elapsed().as_secs_f64();
        source.seek(0)?;
        renderer = Renderer::new(&chain, source.format(), &placement, &measured)?;
    }
    let mut warnings = Vec::new();
    let mut gain = None;
    if let Some(wanted) = settings.loudness {
        let before = Instant::now();
        let found = loudness::measure(renderer, &mut source, settings.tail, progress)?;
        gain = Some(found.gain(wanted, &mut warnings));
        source.seek(0)?;
        renderer = Renderer::new(&chain, source.format(), &placement, &measured)?;
        seconds.kernels += before.elapsed().as_secs_f64();
    }
    renderer.watch(progress);
    let resampler =
        (rate != rendered.rate).then(|| Resampler::new(&ResamplePlan::new(rendered.rate, rate), rendered.channels));
    let mut rendering = Rendering {
        renderer,
        gain: gain.unwrap_or(1.0) as f32,
        resampler,
        tail: settings.tail,
        resampling: Duration::ZERO,
    };
    let done = pipeline(&mut source, &mut rendering, encoder, &tags, progress)?;

    warnings.extend(done.encoded.warnings);
    let non_numbers = rendering.renderer.non_numbers();
    if non_numbers > 0 {
        warnings.push(format!("{non_numbers} samples of the input were not numbers and count as silence."));
    }
    if done.decoded < frames {
        warnings
            .push(format!("The input ended {} samples early. What could be read was written.", frames - done.decoded));
    }
    warnings.extend(source.damage().describe(source.format().rate));
    let RenderSeconds { upload, kernels, readback } = rendering.renderer.seconds();
    seconds.decode += done.decoding.as_secs_f64();
    seconds.upload += upload;
    seconds.kernels += kernels + rendering.resampling.as_secs_f64();
    seconds.readback += readback;
    seconds.encode += done.encoding.as_secs_f64();
    seconds.total = started.elapsed().as_secs_f64();
    Ok(ExportOutcome {
        target,
        format,
        frames: done.encoded.frames,
        bytes: done.encoded.bytes,
        clipped: done.encoded.clipped,
        peak: done.encoded.peak,
        device: rendering.renderer.report(),
        seconds,
        loudness_gain_db: gain.map(crate::units::db_from_gain),
        warnings,
    })
}

/// Converts export settings to those of the encoder.
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
