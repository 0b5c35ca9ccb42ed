//! Writes a recording through a chain into a file: what `undertone process` and the window's export both do.
//!
//! Three threads overlap: one decodes, one renders (chain, then rate conversion), one encodes (counting, dither,
//! packing, writing). Blocks travel between them through short queues, and empty ones travel back, so that memory stays
//! bounded and nothing is allocated while it runs. What must be known of the whole signal is measured first, exactly.

mod loudness;
mod pipeline;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::api::{self, ExportBits, ExportFormat, ExportResult, ExportSettings, StageSeconds};
use crate::audio::encode::{Dither, EncodeSettings, Encoder, FileFormat, SampleFormat};
use crate::audio::{AudioFormat, AudioReader, RangeReader, Tags};
use crate::chain::{Chain, Placement, RenderSeconds, Renderer, measure_whole, passes};
use crate::device::DeviceReport;
use crate::error::Result;
use crate::files::Protected;
use crate::measure::resample::{ResamplePlan, Resampler};
use crate::progress::Progress;
use crate::units::SampleRate;
use pipeline::{Rendering, pipeline};

/// Seeds the dither of every export, so that the same export gives the same file.
const DITHER_SEED: u64 = 0;

/// What to export.
pub struct ExportJob {
    /// The sound before the chain: a file's reader or a document's.
    pub source: Box<dyn AudioReader>,
    /// What it goes through.
    pub chain: Chain,
    /// Where that runs.
    pub placement: Placement,
    /// How it is written. The range is in frames of the source.
    pub settings: ExportSettings,
    /// Where to.
    pub target: PathBuf,
    /// Whether a file that stands there may be replaced.
    pub overwrite: bool,
    /// Files that are never replaced, by whatever path or link: those that the source reads. Those that the chain reads
    /// are not either.
    pub inputs: Protected,
    /// Tags and pictures to carry over.
    pub tags: Tags,
}

/// What an export did.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportOutcome {
    /// Where it was written to.
    pub target: PathBuf,
    /// Rate and channels of the file.
    pub format: AudioFormat,
    /// Frames written.
    pub frames: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Samples beyond full scale, which integers cut to it.
    pub clipped: u64,
    /// The largest magnitude before cutting; full scale is 1.0.
    pub peak: f64,
    /// Where it ran, and why.
    pub device: DeviceReport,
    /// Where the time went.
    pub seconds: StageSeconds,
    /// The gain in dB that brought it to the loudness asked for, if one was.
    pub loudness_gain_db: Option<f64>,
    /// What was not as wished.
    pub warnings: Vec<String>,
}

impl ExportOutcome {
    /// The outcome as the window shows it.
    pub fn to_result(&self) -> ExportResult {
        let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        ExportResult {
            name: text(self.target.file_name()),
            folder: text(self.target.parent().map(std::path::Path::as_os_str)),
            frames: self.frames,
            bytes: self.bytes,
            clipped: self.clipped,
            peak_db: (self.peak > 0.0).then(|| crate::units::db_from_gain(self.peak)),
            device: self.device.clone(),
            seconds: self.seconds,
            loudness_gain_db: self.loudness_gain_db,
            warnings: self.warnings.clone(),
        }
    }
}

/// Runs an export to its end. Progress counts frames of the source, those of the measuring passes included. On any
/// error, a cancel included, nothing is left under the target's name or beside it.
///
/// # Errors
/// [`Error::Refused`] when a file would be harmed; [`Error::Invalid`] for a range or a rate that cannot be; what source,
/// chain and encoder say; [`Error::Cancelled`], within 200 ms.
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
    // A target that is refused is refused before any work is done.
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
        warnings.push(format!("{non_numbers} samples of the input were not numbers and were taken as silence"));
    }
    if done.decoded < frames {
        warnings
            .push(format!("the input ended {} frames early; what could be read was written", frames - done.decoded));
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

/// How an encoder is to write what the settings say.
pub fn encode_settings(settings: &ExportSettings) -> EncodeSettings {
    EncodeSettings {
        format: file_format(settings.format),
        sample: match settings.bits {
            ExportBits::Int16 => SampleFormat::Int16,
            ExportBits::Int24 => SampleFormat::Int24,
            ExportBits::Int32 => SampleFormat::Int32,
            ExportBits::Float32 => SampleFormat::Float32,
        },
        dither: match settings.dither {
            api::Dither::None => Dither::None,
            api::Dither::Tpdf => Dither::Tpdf,
            api::Dither::Shaped => Dither::Shaped,
        },
        seed: DITHER_SEED,
        lossy: settings.lossy,
        source_rate: 0,
    }
}

/// The formats that this build exports to.
pub fn formats() -> Vec<ExportFormat> {
    let all = [ExportFormat::Wav, ExportFormat::Flac, ExportFormat::Vorbis, ExportFormat::Opus, ExportFormat::Mp3];
    all.into_iter().filter(|format| file_format(*format).is_available()).collect()
}

/// The encoder's name of a format.
pub const fn file_format(format: ExportFormat) -> FileFormat {
    match format {
        ExportFormat::Wav => FileFormat::Wav,
        ExportFormat::Flac => FileFormat::Flac,
        ExportFormat::Vorbis => FileFormat::Vorbis,
        ExportFormat::Opus => FileFormat::Opus,
        ExportFormat::Mp3 => FileFormat::Mp3,
    }
}
