//! Analyses one file for the library. The file is decoded once for features, fingerprints and bandwidth; of a long
//! file, up to a minute is decoded once more beforehand, for its tuning.
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
use crate::features::{self, Analysis, AnalysisWithDevice, Options, analyse_on};
use crate::fingerprint::chromaprint::Fingerprinter;
use crate::fingerprint::landmark::{Landmarks, Sketch};
use crate::fingerprint::{Fingerprints, Listener, SourceFormat};
use crate::kernels::signal::peak::peak;
use crate::library::encodings::{Bandwidth, bandwidth};
use crate::library::{Analyser, AnalysisSeconds, Series, TrackAnalysis, Versions};
use crate::measure::running_spectrum::RunningSpectrum;
use crate::progress::Progress;

/// The version of the features, bandwidth and key. Raise it whenever a recording's values may change.
pub const FEATURES_VERSION: u32 = 4;
/// The version of the Chromaprint items. Landmarks have a separate version, [`Landmarks::VERSION`].
pub const CHROMAPRINT_VERSION: u32 = 2;
/// The versions stored with each track of a library.
pub const VERSIONS: Versions =
    Versions { features: FEATURES_VERSION, fingerprint: (CHROMAPRINT_VERSION << 8) | Landmarks::VERSION as u32 };

/// The default number of frames to read at once: 6 s at 44.1 kHz. For shorter reads, waking a thread costs more than it
/// saves.
const FRAMES_AT_ONCE: usize = 1 << 18;

/// The results to compute in addition to the 25 dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnalysisRequest {
    /// The options of [`analyse_on`].
    pub options: Options,
    /// Whether to compute both fingerprints of the whole recording.
    pub fingerprints: bool,
}

/// The results of analysing a file.
#[derive(Clone, Debug)]
pub struct FileAnalysis {
    /// The description of the file.
    pub info: FileInfo,
    /// The dimensions, other figures and series.
    pub analysis: Analysis,
    /// The highest frequency with content; `None` for silence and for sample rates below 3.2 kHz.
    pub bandwidth: Option<Bandwidth>,
    /// The fingerprints, if requested.
    pub fingerprints: Option<Fingerprints>,
    /// Problems found while reading, in addition to [`FileInfo::warnings`].
    pub warnings: Vec<String>,
    /// The time of each stage in seconds: decoding, the remaining wall time of the analysis, and the GPU's work within
    /// it.
    pub seconds: AnalysisSeconds,
    /// The device that analysed the spectra, and why.
    pub device: DeviceReport,
}

/// Analyses the file at `path`, which is decoded once, on the requested device. Progress counts frames.
///
/// # Errors
/// [`Error::Malformed`] if the file has no sound.
pub fn listen(
    path: &Path,
    wanted: AnalysisRequest,
    placement: &Placement,
    progress: &Progress,
) -> Result<FileAnalysis> {
    let began = Instant::now();
    let file = AudioFile::open(path)?;
    let opened_s = began.elapsed().as_secs_f64();
    let info = file.info().clone();
    if info.frames == 0 {
        return Err(Error::malformed("The file has no sound", path));
    }
    let mut tee = Tee::new(file.reader()?, &info, wanted.fingerprints)?;
    let AnalysisWithDevice { analysis, device, gpu_s } = analyse_on(&mut tee, wanted.options, placement, progress)?;
    let rate = info.audio.rate;
    let mut warnings: Vec<String> = tee.damage().describe(rate).into_iter().collect();
    if analysis.not_finite > 0 {
        warnings.push(format!("{} samples are not numbers and count as silence.", analysis.not_finite));
    }
    if analysis.frames != info.frames {
        warnings.push(format!("The file ends after {} of {} samples.", analysis.frames, info.frames));
    }
    let decode = opened_s + tee.decode_s;
    let spectrum = tee.spectrum.finish()?;
    let bandwidth = bandwidth(&spectrum.power, spectrum.bins.hz_from_bin(1));
    let fingerprints = tee.listener.map(Listener::finish);
    let all = began.elapsed().as_secs_f64();
    let seconds = AnalysisSeconds { decode, analysis: (all - decode).max(0.0), gpu: gpu_s };
    Ok(FileAnalysis { info, analysis, bandwidth, fingerprints, warnings, seconds, device })
}

/// Returns the analysis that a scan runs on each file, marked with [`VERSIONS`], on the requested device. `observer`
/// receives the device report of each file.
pub fn analyser(placement: Placement, observer: impl Fn(&DeviceReport) + Send + Sync + 'static) -> Analyser {
    Analyser::new(VERSIONS, move |path, progress| {
        let options = Options { tuning: None, timbre: false, series: true };
        let heard = listen(path, AnalysisRequest { options, fingerprints: true }, &placement, progress)?;
        observer(&heard.device);
        Ok(track_analysis(heard))
    })
}

/// Converts the results to the form that the library stores.
fn track_analysis(heard: FileAnalysis) -> TrackAnalysis {
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

/// Computes the Chromaprint fingerprint of a file's first `length_s` seconds, or of the whole file if `length_s` is 0.
/// Progress counts frames.
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
    Ok(fingerprinter.finish())
}

/// The data by which a clip is identified.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Both fingerprints.
    pub fingerprints: Fingerprints,
    /// The duration in seconds.
    pub duration_s: f64,
    /// The largest absolute sample value; 1 is full scale.
    pub peak: f32,
}

/// Computes both fingerprints of a whole file, without its features. Progress counts frames.
pub fn clip_of_file(file: &AudioFile, progress: &Progress) -> Result<Clip> {
    clip(file.reader()?.as_mut(), file.info().bits, progress)
}

/// Computes both fingerprints of everything that a reader returns. `bits` is the sample size of its source, if known.
/// Progress counts frames.
pub fn clip(reader: &mut dyn AudioReader, bits: Option<u32>, progress: &Progress) -> Result<Clip> {
    let format = reader.format();
    let mut listener = Listener::new(SourceFormat::of(format, bits), 0.0)?;
    progress.set_total(reader.frames());
    let (mut frames, mut peak) = (0, 0f32);
    read_ahead(reader, FRAMES_AT_ONCE, |audio| {
        frames += audio.frames() as u64;
        peak = audio.iter().flatten().map(|sample| sample.abs()).filter(|x| x.is_finite()).fold(peak, f32::max);
        listener.push(&audio.iter().collect::<Vec<_>>())?;
        progress.advance(audio.frames() as u64)?;
        Ok(true)
    })?;
    Ok(Clip { fingerprints: listener.finish(), duration_s: format.rate.seconds_from_frames(frames), peak })
}

/// Returns what fingerprints need to know about a file. Lossy codecs have no sample size.
fn source(info: &FileInfo) -> SourceFormat {
    SourceFormat::of(info.audio, info.bits)
}

/// A reader that passes its frames on to the fingerprints and the spectrum, each once and in order. It may seek, but
/// must be read to the end from the first frame that it has not passed on yet.
struct Tee {
    inner: Box<dyn AudioReader>,
    listener: Option<Listener>,
    spectrum: RunningSpectrum,
    /// The first frame that was not passed on yet.
    next: u64,
    decode_s: f64,
}

impl Tee {
    fn new(inner: Box<dyn AudioReader>, info: &FileInfo, fingerprints: bool) -> Result<Self> {
        let listener = fingerprints.then(|| Listener::new(source(info), 0.0)).transpose()?;
        let spectrum = RunningSpectrum::new(info.audio, info.frames)?;
        Ok(Self { inner, listener, spectrum, next: 0, decode_s: 0.0 })
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
        self.inner.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let (began, position) = (Instant::now(), self.inner.position());
        self.inner.read(out, frames)?;
        self.decode_s += began.elapsed().as_secs_f64();
        let end = position + out.frames() as u64;
        if position > self.next || end <= self.next {
            return Ok(());
        }
        let heard = (self.next - position) as usize;
        self.next = end;
        let planes: Vec<&[f32]> = out.iter().map(|plane| &plane[heard..]).collect();
        if planes.iter().all(|plane| peak(plane).is_finite()) {
            return self.hear(&planes);
        }
        // Samples that are not finite count as silence here. The analysis receives them unchanged, because it counts
        // them.
        let clean = |plane: &&[f32]| plane.iter().map(|&x| if x.is_finite() { x } else { 0.0 }).collect::<Vec<f32>>();
        let planes: Vec<Vec<f32>> = planes.iter().map(clean).collect();
        self.hear(&planes.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    fn damage(&self) -> Damage {
        self.inner.damage()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audio::MemoryReader;
    use crate::units::SampleRate;

    fn heard(blocks: &[(u64, usize)]) -> (Fingerprints, Vec<f64>) {
        let noise = |n: usize| ((7919 * n * n + 104_729 * n) % 65_536) as f32 / 65_536.0 - 0.5;
        let samples = AudioBuffer::from_channels(vec![(0..100_000).map(noise).collect()]);
        let rate = SampleRate::new(22_050).unwrap();
        let reader = MemoryReader::new(rate, samples);
        let format = reader.format();
        let mut tee = Tee {
            listener: Some(Listener::new(SourceFormat::new(rate, 1, None), 0.0).unwrap()),
            spectrum: RunningSpectrum::new(format, reader.frames()).unwrap(),
            inner: Box::new(reader),
            next: 0,
            decode_s: 0.0,
        };
        let mut out = AudioBuffer::default();
        for (from, frames) in blocks {
            tee.seek(*from).unwrap();
            tee.read(&mut out, *frames).unwrap();
        }
        while tee.next < 100_000 {
            tee.read(&mut out, 4096).unwrap();
        }
        (tee.listener.unwrap().finish(), tee.spectrum.finish().unwrap().power)
    }

    #[test]
    fn a_reader_that_is_moved_passes_every_frame_on_once() {
        let whole = heard(&[(0, 100_000)]);
        assert!(!whole.0.landmarks.peaks.is_empty());
        let moved = [(0, 5000), (40_000, 9000), (99_000, 5000), (3000, 1000), (4990, 20), (2000, 6000), (0, 1)];
        assert_eq!(heard(&moved[..6]), whole);
        let again: Vec<(u64, usize)> = moved.into_iter().chain([(8000, 0)]).collect();
        assert_eq!(heard(&again), whole);
    }
}
