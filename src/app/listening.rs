//! Listening to one file for the library: one decoding, from which features, fingerprints and bandwidth are taken, after a look
//! at a minute of it that tells how it is tuned.
//!
//! ```text
//! AudioFile -> Tee -> features::analyse_on     (25 dimensions, figures, series)
//!               |---> fingerprint::Listener    (Chromaprint's items, landmarks)
//!               `---> RunningSpectrum          (up to where there is sound)
//! ```

use std::path::Path;
use std::time::Instant;

use crate::audio::{AudioBuffer, AudioFile, AudioFormat, AudioReader, Damage, FileInfo, read_ahead};
use crate::chain::Placement;
use crate::device::DeviceReport;
use crate::error::{Error, Result};
use crate::features::tuning::tuning_of;
use crate::features::{self, Analysis, Options, Placed, analyse_on};
use crate::fingerprint::chromaprint::Fingerprinter;
use crate::fingerprint::landmark::{Landmarks, Sketch};
use crate::fingerprint::{Fingerprints, Listener, Source};
use crate::library::questions::encodings::{Bandwidth, bandwidth};
use crate::library::{Analyser, Series, StageSeconds, TrackAnalysis, Versions};
use crate::measure::running_spectrum::RunningSpectrum;
use crate::progress::Progress;

/// The version of the features, bandwidth and key: raised whenever a recording's values may come out otherwise.
pub const FEATURES_VERSION: u32 = 3;
/// The version of Chromaprint's items; the landmarks have their own, [`Landmarks::VERSION`].
pub const CHROMAPRINT_VERSION: u32 = 1;
/// What a library's tracks are marked with.
pub const VERSIONS: Versions =
    Versions { features: FEATURES_VERSION, fingerprint: (CHROMAPRINT_VERSION << 8) | Landmarks::VERSION as u32 };

/// Frames that are read at once where nothing else says how many: 6 s, since a thread that is woken for less is waited for
/// longer than it saves.
const FRAMES_AT_ONCE: usize = 1 << 18;

/// What is to be found out beside the 25 dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// As of [`analyse_on`].
    pub options: Options,
    /// Both fingerprints, of the whole recording.
    pub fingerprints: bool,
}

/// What was found out about a file.
#[derive(Clone, Debug)]
pub struct Heard {
    /// What it is.
    pub info: FileInfo,
    /// The dimensions, other figures, series.
    pub analysis: Analysis,
    /// Up to where there is sound; none for silence and for rates below 3.2 kHz.
    pub bandwidth: Option<Bandwidth>,
    /// The fingerprints, where they were wanted.
    pub fingerprints: Option<Fingerprints>,
    /// What was wrong while it was read, beside [`FileInfo::warnings`].
    pub warnings: Vec<String>,
    /// Where the time went: decoding, what the analysis took on the clock beyond it, and a GPU's work beside it.
    pub seconds: StageSeconds,
    /// Where spectra were analysed, and why.
    pub device: DeviceReport,
}

/// Listens to the file at `path`, which is decoded once, on the device that is asked for. Progress counts frames.
///
/// # Errors
/// What opening and reading it fails with; [`Error::Malformed`] for a file without any sound; [`Error::Cancelled`].
pub fn listen(path: &Path, wanted: Wanted, placement: &Placement, progress: &Progress) -> Result<Heard> {
    let began = Instant::now();
    let file = AudioFile::open(path)?;
    let opened_s = began.elapsed().as_secs_f64();
    let info = file.info().clone();
    if info.frames == 0 {
        return Err(Error::malformed("it holds no sound", path));
    }
    // What is listened to must be read in order: another reader goes where tuning is heard.
    let tuning = match wanted.options.tuning {
        Some(tuning) => tuning,
        None => tuning_of(file.reader()?.as_mut(), progress)?,
    };
    let options = Options { tuning: Some(tuning), ..wanted.options };
    let mut tee = Tee::new(file.reader()?, &info, wanted.fingerprints)?;
    let Placed { analysis, device, gpu_s } = analyse_on(&mut tee, options, placement, progress)?;
    let rate = info.audio.rate;
    let mut warnings: Vec<String> = tee.damage().describe(rate).into_iter().collect();
    if analysis.not_finite > 0 {
        warnings.push(format!("{} samples are no numbers and count as silence", analysis.not_finite));
    }
    if analysis.frames != info.frames {
        warnings.push(format!("it ends at frame {} of {}", analysis.frames, info.frames));
    }
    let decode = opened_s + tee.decode_s;
    let spectrum = tee.spectrum.finish()?;
    let bandwidth = bandwidth(&spectrum.power, spectrum.bins.hz_from_bin(1));
    let fingerprints = tee.listener.map(Listener::finish).transpose()?;
    let all = began.elapsed().as_secs_f64();
    let seconds = StageSeconds { decode, analysis: (all - decode).max(0.0), gpu: gpu_s };
    Ok(Heard { info, analysis, bandwidth, fingerprints, warnings, seconds, device })
}

/// What a scan does to each file, marked with [`VERSIONS`], on the device that is asked for. Where each file was analysed
/// is told to `observer`.
pub fn analyser(placement: Placement, observer: impl Fn(&DeviceReport) + Send + Sync + 'static) -> Analyser {
    Analyser::new(VERSIONS, move |path, progress| {
        let options = Options { tuning: None, timbre: false, series: true };
        let heard = listen(path, Wanted { options, fingerprints: true }, &placement, progress)?;
        observer(&heard.device);
        Ok(track_analysis(heard))
    })
}

/// As the library keeps it.
fn track_analysis(heard: Heard) -> TrackAnalysis {
    let fingerprints = heard.fingerprints.unwrap_or_default();
    TrackAnalysis {
        info: heard.info,
        key: heard.analysis.figures.key,
        features: heard.analysis.features,
        bandwidth: heard.bandwidth,
        chromaprint: fingerprints.chromaprint,
        sketch: Sketch::of(&fingerprints.landmarks).to_bytes(),
        landmarks: fingerprints.landmarks.to_bytes(),
        series: heard.analysis.series.into_iter().map(series).collect(),
        warnings: heard.warnings,
        seconds: heard.seconds,
    }
}

fn series(series: features::Series) -> Series {
    Series {
        name: series.name,
        unit: if series.unit == "1" { String::new() } else { series.unit },
        start_s: 0.0,
        step_s: series.step_s,
        width: series.rows as u32,
        values: series.values,
    }
}

/// Chromaprint's fingerprint of a file's first `length_s` seconds, or of all of it for 0. Progress counts frames.
///
/// # Errors
/// What opening and reading it fails with; [`Error::Cancelled`].
pub fn chromaprint(file: &AudioFile, length_s: f64, progress: &Progress) -> Result<Vec<u32>> {
    let info = file.info();
    let mut reader = file.reader()?;
    let mut fingerprinter = Fingerprinter::new(source(info), length_s)?;
    let wanted = if length_s > 0.0 { info.audio.rate.frames_from_seconds(length_s) } else { info.frames };
    progress.set_total(wanted.min(info.frames));
    read_ahead(reader.as_mut(), FRAMES_AT_ONCE, |audio| {
        fingerprinter.push(&audio.iter().collect::<Vec<_>>())?;
        progress.advance(audio.frames() as u64)?;
        Ok(!fingerprinter.is_full())
    })?;
    fingerprinter.finish()
}

/// What a clip is known by.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Both fingerprints.
    pub fingerprints: Fingerprints,
    /// How long it is, in seconds.
    pub duration_s: f64,
    /// Its largest sample, 1 being full scale.
    pub peak: f32,
}

/// Both fingerprints of a whole file, without its features. Progress counts frames.
///
/// # Errors
/// As [`chromaprint`].
pub fn clip_of_file(file: &AudioFile, progress: &Progress) -> Result<Clip> {
    clip(file.reader()?.as_mut(), file.info().bits, progress)
}

/// Both fingerprints of all that a reader gives, which comes from samples of so many bits. Progress counts frames.
///
/// # Errors
/// What reading fails with; [`Error::Cancelled`].
pub fn clip(reader: &mut dyn AudioReader, bits: Option<u32>, progress: &Progress) -> Result<Clip> {
    let AudioFormat { rate, channels } = reader.format();
    let mut listener = Listener::new(Source::new(rate, channels, bits), 0.0)?;
    progress.set_total(reader.frames());
    let (mut frames, mut peak) = (0, 0f32);
    read_ahead(reader, FRAMES_AT_ONCE, |audio| {
        frames += audio.frames() as u64;
        peak = audio.iter().flatten().map(|sample| sample.abs()).filter(|x| x.is_finite()).fold(peak, f32::max);
        listener.push(&audio.iter().collect::<Vec<_>>())?;
        progress.advance(audio.frames() as u64)?;
        Ok(true)
    })?;
    Ok(Clip { fingerprints: listener.finish()?, duration_s: rate.seconds_from_frames(frames), peak })
}

/// What fingerprints must know of a file. Lossy codecs have bits of no sample.
fn source(info: &FileInfo) -> Source {
    Source::new(info.audio.rate, info.audio.channels, info.bits)
}

/// Reads a file and passes on what it reads, which must be all of it in order.
struct Tee {
    inner: Box<dyn AudioReader>,
    listener: Option<Listener>,
    spectrum: RunningSpectrum,
    decode_s: f64,
}

impl Tee {
    fn new(inner: Box<dyn AudioReader>, info: &FileInfo, fingerprints: bool) -> Result<Self> {
        let listener = fingerprints.then(|| Listener::new(source(info), 0.0)).transpose()?;
        let spectrum = RunningSpectrum::new(info.audio, info.frames)?;
        Ok(Self { inner, listener, spectrum, decode_s: 0.0 })
    }

    fn hear(&mut self, planes: &[&[f32]]) -> Result<()> {
        if let Some(listener) = &mut self.listener {
            listener.push(planes)?;
        }
        self.spectrum.push(planes)
    }
}

impl AudioReader for Tee {
    fn format(&self) -> AudioFormat {
        self.inner.format()
    }

    fn frames(&self) -> u64 {
        self.inner.frames()
    }

    fn position(&self) -> u64 {
        self.inner.position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        if frame == self.inner.position() {
            return Ok(());
        }
        Err(Error::Internal(format!("a stream that is listened to was moved to frame {frame}")))
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let began = Instant::now();
        self.inner.read(out, frames)?;
        self.decode_s += began.elapsed().as_secs_f64();
        if out.iter().all(|plane| plane.iter().all(|sample| sample.is_finite())) {
            return self.hear(&out.iter().collect::<Vec<_>>());
        }
        // What is no number counts as silence here; the analysis counts it, so that it gets it as it is.
        let clean = |plane: &[f32]| plane.iter().map(|&x| if x.is_finite() { x } else { 0.0 }).collect::<Vec<f32>>();
        let planes: Vec<Vec<f32>> = out.iter().map(clean).collect();
        self.hear(&planes.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    fn damage(&self) -> Damage {
        self.inner.damage()
    }
}
