//! Splits with the hybrid models of Demucs, using weights that the user provides.
//!
//! ```text
//! recording -> rate of the model, stereo -> segments -> network (spectrum and samples) -> triangles, summed -> stems
//! ```
//!
//! The whole recording is read twice. The first pass measures mean and standard deviation of the mean of both channels;
//! the second takes segments of the model's length, normalised by them, every `1 - overlap` segments, and lays their
//! stems over each other with triangles, divided by the triangles' sum. A partial segment at the end is extended by the
//! sound before it and silence after it, half of the missing length on each side; a model without a transformer takes
//! it at its length. With shifts, this is repeated on a grid of segments that begins up to half a second before the
//! recording, and the stems are averaged.
//!
//! Segments of all shifts, and of all networks of a bag, are processed in order of their start, and each adds its share
//! to one sum: memory use is little more than a segment, whatever the length. The result does not depend on the number
//! of threads.
//!
//! Other rates are converted to the model's and back. A mono recording is given to both channels, and its stems are
//! their mean. The stems of a network need not sum to the recording.
//!
//! Source: `apply_model`, `TensorChunk`, `BagOfModels` (`apply.py`), `HTDemucs` (`htdemucs.py`) and `HDemucs`
//! (`hdemucs.py`) of demucs 4.1.0.

mod bag;
mod input;
mod network;
mod output;
mod pass;
mod segments;
pub mod spectrum;

use std::path::{Path, PathBuf};

use super::{Separated, Sink, StemKind};
use audio::{AudioFormat, AudioReader};
use bag::Member;
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::SampleRate;
use dsp::device::Placement;
use dsp::device::{DeviceReport, Workload};
use dsp::measure::resample::ResamplePlan;
use input::Input;
use network::Network;
use output::Output;
use pass::{Pass, Running};
use segments::{Schedule, SegmentSize};

/// The stems of networks, which use the same names.
const OF_NETWORKS: [StemKind; 6] =
    [StemKind::Vocals, StemKind::Drums, StemKind::Bass, StemKind::Other, StemKind::Guitar, StemKind::Piano];
/// The most shifts.
pub const MAX_SHIFTS: usize = 20;
/// The greatest overlap of segments.
pub const MAX_OVERLAP: f64 = 0.95;

/// How a recording is cut into segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The share of a segment that the next one has too, 0 to [`MAX_OVERLAP`].
    pub overlap: f64,
    /// The power of the triangles, 1 to 16: more makes transitions sharper.
    pub transition_power: f64,
    /// For each shift its offset in frames, as Demucs counts: the grid of its segments begins half a second less the
    /// offset before the recording. Without any, the grid begins with the recording. See [`Demucs::offsets`].
    pub offsets: Vec<u64>,
}

impl Default for Options {
    /// A quarter, triangles, no shifts.
    fn default() -> Self {
        Self { overlap: 0.25, transition_power: 1.0, offsets: Vec::new() }
    }
}

/// An opened model, or several whose stems are averaged (a bag).
#[derive(Debug)]
pub struct Demucs {
    path: PathBuf,
    files: Vec<PathBuf>,
    identity: String,
    /// Networks with the weight of each of their stems. The weights of a stem sum to 1 over the networks.
    networks: Vec<(Network, Vec<f64>)>,
    stems: Vec<StemKind>,
    rate: SampleRate,
    segments: SegmentSize,
}

impl Demucs {
    /// Opens the model in a weight file; or a bag: the YAML file of one with the weight files beside it, or a folder
    /// with these.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for models with stems that have no name here.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_with(path, None)
    }

    /// Opens a model with segments of `segment` seconds instead of the length that it or its bag specifies.
    ///
    /// # Errors
    /// [`Error::Invalid`] for segments longer than the transformer supports.
    pub fn open_with(path: &Path, segment: Option<f64>) -> Result<Self> {
        let bag = bag::open(path, segment)?;
        let first = bag.first().ok_or_else(|| Error::malformed("The bag has no models", path))?;
        let of = first.model.configuration();
        let own_s = of.segment_frames as f64 / of.rate.as_f64();
        if let Some(seconds) = segment.filter(|seconds| *seconds > own_s + 1.0 / of.rate.as_f64()) {
            return Err(Error::invalid(
                "segment in seconds",
                seconds.to_string(),
                format!("at most {own_s:.1} for this model"),
            ));
        }
        let stems = of.sources.iter().map(|name| stem_named(name)).collect::<Result<Vec<_>>>()?;
        let (rate, segments) = (of.rate, network::segments(of));
        for other in &bag {
            let configuration = other.model.configuration();
            if configuration.sources != of.sources
                || configuration.rate != rate
                || network::segments(configuration) != segments
            {
                let what = "The models of the bag have other stems, rates or segments than its first";
                return Err(Error::malformed(what, path));
            }
        }
        let totals: Vec<f64> =
            (0..stems.len()).map(|stem| bag.iter().map(|member| member.weights[stem]).sum()).collect();
        if let Some(stem) = totals.iter().position(|&total| total <= 0.0) {
            let what = format!("The weights of the bag leave out the stem {}", of.sources[stem]);
            return Err(Error::malformed(what, path));
        }
        let mut networks: Vec<(Network, Vec<f64>)> = Vec::with_capacity(bag.len());
        let (mut files, mut identities) = (Vec::with_capacity(bag.len()), Vec::with_capacity(bag.len()));
        for Member { file, identity, model, weights } in bag {
            let network = Network::new(model, networks.first().map(|(first, _)| first))?;
            let shares: Vec<f64> = weights.iter().zip(&totals).map(|(weight, total)| weight / total).collect();
            identities.push(format!("{identity} {shares:?}"));
            networks.push((network, shares));
            files.push(file);
        }
        let identity = identities.join(" ");
        Ok(Self { path: path.to_path_buf(), files, identity, networks, stems, rate, segments })
    }

    /// Returns the stems of the model that [`Demucs::open`] would open, without reading its weights.
    pub fn stems_in(path: &Path) -> Result<Vec<StemKind>> {
        bag::configuration(path)?.sources.iter().map(|name| stem_named(name)).collect()
    }

    /// Returns the device for recordings of `seconds` seconds in total, and why.
    pub fn device(&self, placement: &Placement, seconds: f64) -> Result<DeviceReport> {
        let Some((network, _)) = self.networks.first() else {
            return Ok(placement.devices.choose(&placement.request, &Workload::default(), placement.purpose).report);
        };
        let segments = seconds * self.rate.as_f64() / (0.75 * self.segments.frames as f64);
        let job = network.job(placement, Some((segments.ceil() as u64 * self.networks.len() as u64).max(1)))?;
        Ok(job.report().clone())
    }

    /// Returns whether a folder is a bag: it has one YAML file that describes one, or the models of `htdemucs_ft` and
    /// no others.
    pub fn is_bag(folder: &Path) -> bool {
        bag::is_bag(folder)
    }

    /// The weight files.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// The identity of the networks and their weights, regardless of the files' paths.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The path under which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its stems, in the model's order.
    pub fn stems(&self) -> &[StemKind] {
        &self.stems
    }

    /// The rate of the model.
    pub fn rate(&self) -> SampleRate {
        self.rate
    }

    /// The number of networks that run for these stems.
    pub fn networks_for(&self, wanted: &[StemKind]) -> usize {
        self.running(wanted).len()
    }

    /// Returns `shifts` random offsets, the same for the same seed.
    ///
    /// # Errors
    /// [`Error::Invalid`] for more than [`MAX_SHIFTS`].
    pub fn offsets(&self, shifts: usize, seed: u64) -> Result<Vec<u64>> {
        if shifts > MAX_SHIFTS {
            return Err(Error::invalid("shifts", shifts.to_string(), format!("0 to {MAX_SHIFTS}")));
        }
        Ok(segments::offsets(shifts, seed, segments::most_offset(self.rate)))
    }

    /// Checks that a recording of this format can be split.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for more than two channels.
    pub fn check(&self, format: AudioFormat) -> Result<()> {
        if (1..=2).contains(&format.channels) {
            return Ok(());
        }
        let reason = format!("The recording has {} channels. Mix it down to stereo first.", format.channels);
        Err(Error::unsupported("A split by a network of more than two channels", reason))
    }

    /// Checks options.
    pub fn check_options(&self, options: &Options) -> Result<()> {
        Schedule::new(1, self.segments, self.rate, options).map(|_| ())
    }

    /// Checks that the model has these stems.
    pub fn check_stems(&self, wanted: &[StemKind]) -> Result<()> {
        let names: Vec<&str> = self.stems.iter().map(|stem| stem.name()).collect();
        match wanted.iter().find(|stem| !self.stems.contains(stem)) {
            Some(missing) => Err(Error::invalid("stem of this model", missing.name(), names.join(", "))),
            None => Ok(()),
        }
    }

    /// Splits a source from its first frame on, and passes blocks of the wanted stems, in that order, to `sink`.
    /// Progress counts each frame once.
    pub fn separate(
        &self,
        source: &mut dyn AudioReader,
        wanted: &[StemKind],
        options: &Options,
        placement: &Placement,
        sink: &mut Sink<'_>,
        progress: &Progress,
    ) -> Result<(Separated, DeviceReport)> {
        let (format, frames) = (source.format(), source.frames());
        self.check(format)?;
        self.check_stems(wanted)?;
        progress.set_total(frames);
        let there = (format.rate != self.rate).then(|| ResamplePlan::new(format.rate, self.rate));
        let back = (format.rate != self.rate).then(|| ResamplePlan::new(self.rate, format.rate));
        let measured = Input::new(&mut *source, there.as_ref())?.measure(progress)?;
        let mut input = Input::new(source, there.as_ref())?;
        let schedule = Schedule::new(input.model_frames(), self.segments, self.rate, options)?;
        let output = Output::new(wanted.len(), format, frames, back.as_ref(), measured);
        let running = self.running(wanted);
        let runs = Some((schedule.segments().len() * running.len()) as u64);
        // Silence has nothing that a network could find.
        let first = running.first().filter(|_| !measured.is_silent() && frames > 0);
        let mut job = first.map(|running| running.network.job(placement, runs)).transpose()?;
        let mut pass = Pass::new(&schedule, &mut input, output, measured, &running);
        pass.run(job.as_mut(), sink, progress)?;
        let report = match job {
            Some(job) => job.report().clone(),
            // Nothing ran.
            None => placement.devices.choose(&placement.request, &Workload::default(), placement.purpose).report,
        };
        Ok((Separated { frames, non_numbers: input.non_numbers, missing: input.missing }, report))
    }

    /// Returns the indices of stems among those of the model.
    fn places(&self, wanted: &[StemKind]) -> Vec<usize> {
        wanted.iter().filter_map(|stem| self.stems.iter().position(|known| known == stem)).collect()
    }

    /// The networks that run for these stems.
    fn running(&self, wanted: &[StemKind]) -> Vec<Running<'_>> {
        let places = self.places(wanted);
        let running = self.networks.iter().map(|(network, shares)| {
            let counts = |&(_, place): &(usize, &usize)| shares[*place] > 0.0;
            let stems = places.iter().enumerate().filter(counts);
            Running { network, stems: stems.map(|(to, &place)| (to, place, shares[place])).collect() }
        });
        running.filter(|running| !running.stems.is_empty()).collect()
    }
}

/// Returns the kind of a model's stem.
fn stem_named(name: &str) -> Result<StemKind> {
    OF_NETWORKS.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let names = OF_NETWORKS.map(StemKind::name);
        Error::unsupported(
            format!("The stem `{name}` of a Demucs model"),
            format!("This program has names for {}.", names.join(", ")),
        )
    })
}
