//! Live sound: an input through a chain to an output.
//!
//! ```text
//! input -> Inlet (the input's thread) -> ring -> Worker: chain, mix, rate -> ring -> LiveOutlet (the output's thread)
//! ```
//!
//! The callbacks of both devices only copy samples, count, mute and limit; the chain runs on a thread between them. The
//! output begins when a cushion of one call has come. It grows whenever the output runs dry, and surplus frames are
//! skipped, because the two devices run on separate clocks.
//!
//! A chain's latency delays the sound in addition to the latency of the devices; the two are reported separately.

mod check;
mod limiter;
mod outlet;
mod probe;
mod running;
mod worker;

#[cfg(test)]
mod tests;

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rtrb::RingBuffer;
use serde::Serialize;

pub use check::check_live;
pub use outlet::LiveOutlet;

use super::CpalHost;
use super::capture::{ChannelChoice, CpalInput, Inlet, Input, InputHost, InputInfo, InputWish};
use super::output::{Health, OutputInfo, OutputStream};
use audio::AudioFormat;
use base::declared::TS;
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::{SampleRate, db_from_gain};
use dsp::measure::resample::{ResamplePlan, Resampler};
use effects::chain::Chain;
use outlet::Shared;
use probe::{Heard, Probe};
pub(crate) use probe::{burst, burst_in};
use running::Running;
use worker::{Command, Worker};

/// The frames per call that may be requested.
pub const CALL_FRAMES: std::ops::RangeInclusive<u32> = 64..=2048;
/// The usual frames per call.
pub const USUAL_CALL_FRAMES: u32 = 256;
/// How often a cancel of a measurement is noticed, and how long a measurement may take.
const PROBE_PAUSE: Duration = Duration::from_millis(20);
const PROBE_LIMIT: Duration = Duration::from_secs(8);
/// The length of the input's ring buffer in seconds.
const INPUT_ROOM_S: usize = 1;

/// The devices and settings of live sound.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveSettings {
    /// The input's handle, name or a part of it; `None` for the system's default.
    pub input: Option<String>,
    /// The channels of the input.
    pub channels: ChannelChoice,
    /// The output's handle, name or a part of it; `None` for the system's default.
    pub output: Option<String>,
    /// The frames per call of the devices, in [`CALL_FRAMES`].
    pub frames: u32,
    /// Whether the output is limited to -1 dB, and muted if it rises far above full scale.
    pub limits: bool,
    /// Whether it begins muted.
    pub muted: bool,
}

impl Default for LiveSettings {
    fn default() -> Self {
        Self {
            input: None,
            channels: ChannelChoice::default(),
            output: None,
            frames: USUAL_CALL_FRAMES,
            limits: true,
            muted: false,
        }
    }
}

/// The state of live sound. Peaks are linear gains since the last reading. The window does not show all of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
pub struct LiveStatus {
    /// The input's name.
    #[ts(skip)]
    pub input: String,
    /// The output's name.
    #[ts(skip)]
    pub output: String,
    /// The sample rate of the input in Hz.
    #[ts(skip)]
    pub rate: u32,
    /// Whether the output is muted.
    pub muted: bool,
    /// How far the level was above full scale in dB when it muted the output; null if it did not.
    pub too_loud_db: Option<f64>,
    /// From the input to the output in milliseconds, without the chain: the latency that the devices report, and the
    /// frames waiting between them. Null before sound has passed.
    pub latency_ms: Option<f64>,
    /// The part before the chain.
    pub input_ms: f64,
    /// The part of it that the output reports.
    pub output_ms: f64,
    /// The round trip from the output to the input in milliseconds, as it was measured last; null before that.
    pub round_trip_ms: Option<f64>,
    /// The latency of the chain in milliseconds.
    pub chain_ms: f64,
    /// How often the output ran dry.
    #[ts(type = "number")]
    pub underruns: u64,
    /// How often sound was dropped because too much had come.
    #[ts(type = "number")]
    pub overruns: u64,
    /// The peak of the input.
    #[ts(skip)]
    pub input_peak: f32,
    /// The peak of the output.
    #[ts(skip)]
    pub output_peak: f32,
    /// Whether the limiter had to reduce the level.
    #[ts(skip)]
    pub limited: bool,
    /// The share of time that the chain is busy.
    #[ts(skip)]
    pub load: f32,
    /// The seconds that were heard.
    #[ts(skip)]
    pub played_s: f64,
    /// Why it has ended; null while it runs.
    pub problem: Option<String>,
}

/// The outputs of a sound system, for live sound.
pub trait LiveHost: Send {
    /// Finds an output by its handle, its name or a part of it; the system's default for `None`.
    ///
    /// # Errors
    /// [`Error::Sound`] if there is no output; [`Error::Invalid`] for a name that no output has.
    fn find(&mut self, wanted: Option<&str>) -> Result<OutputInfo>;

    /// Opens an output with `frames` per call, if it can be set, and starts calling [`LiveOutlet::fill`]. If the stream
    /// ends, the reason is reported to `health`.
    fn open(
        &mut self,
        output: &OutputInfo,
        frames: u32,
        outlet: LiveOutlet,
        health: Arc<Health>,
    ) -> Result<Box<dyn OutputStream>>;
}

/// Live sound. Dropping it ends it.
pub struct Live {
    input: InputInfo,
    output: OutputInfo,
    input_format: AudioFormat,
    shared: Arc<Shared>,
    health: [Arc<Health>; 2],
    failed: Arc<OnceLock<String>>,
    chain: super::lock::Mutex<ChainFacts>,
    round_trip: Arc<super::lock::Mutex<Option<u64>>>,
    commands: Sender<Command>,
    worker: Option<JoinHandle<()>>,
    held: Option<(Box<dyn OutputStream>, Box<dyn LiveHost>)>,
}

#[derive(Clone, Copy, Debug)]
struct ChainFacts {
    latency_frames: u64,
    output: AudioFormat,
}

impl Live {
    /// Sends an input of the system through `chain` to an output.
    ///
    /// # Errors
    /// [`Error::Impossible`] for a chain that cannot run live ([`check_live`]); [`Error::Invalid`] for a device that
    /// does not exist.
    pub fn start(settings: &LiveSettings, chain: &Chain, progress: &Progress) -> Result<Self> {
        Self::start_with(Box::new(CpalInput::default()), Box::new(CpalHost::default()), settings, chain, progress)
    }

    /// Does the same on another sound system.
    pub fn start_with(
        inputs: Box<dyn InputHost>,
        mut outputs: Box<dyn LiveHost>,
        settings: &LiveSettings,
        chain: &Chain,
        progress: &Progress,
    ) -> Result<Self> {
        if !CALL_FRAMES.contains(&settings.frames) {
            let allowed = format!("{} to {}", CALL_FRAMES.start(), CALL_FRAMES.end());
            return Err(Error::invalid("frames per call", settings.frames.to_string(), allowed));
        }
        let output = outputs.find(settings.output.as_deref())?;
        let output_rate = SampleRate::new(output.rate)?;
        let (input, channels) = open_input(inputs, settings, output.rate, progress)?;
        let info = input.info.clone();
        let format = AudioFormat::new(SampleRate::new(info.rate)?, channels.len());
        let running = Box::new(Running::new(chain, format, output.channels)?);
        let resampler = (format.rate != output_rate)
            .then(|| Resampler::new(&ResamplePlan::new(format.rate, output_rate), output.channels));
        let shared = Arc::new(Shared::default());
        shared.muted.store(settings.muted, Ordering::Relaxed);
        shared.limits.store(settings.limits, Ordering::Relaxed);
        let (to, from) = RingBuffer::new(output.rate as usize * output.channels);
        let outlet = LiveOutlet::new(from, output.rate, output.channels, settings.frames as usize, Arc::clone(&shared));
        let (commands, received) = channel();
        let health = [Arc::clone(&input.health), Arc::new(Health::default())];
        let facts = ChainFacts { latency_frames: running.latency_frames(), output: running.output_format() };
        let worker = Worker {
            input,
            channels,
            rate: info.rate,
            running,
            resampler,
            ring: to,
            output_channels: output.channels,
            commands: received,
            shared: Arc::clone(&shared),
            dry: None,
            wet: None,
            incoming: None,
            probe: None,
            pending: None,
        };
        let failed = Arc::new(OnceLock::new());
        let failure = Arc::clone(&failed);
        let thread = thread::Builder::new().name("live".into()).spawn(move || {
            if let Err(error) = worker.run() {
                let _ = failure.set(error.sentences());
            }
        });
        let thread = thread.map_err(|error| Error::Internal(format!("no thread for live sound: {error}")))?;
        let mut live = Self {
            input: info,
            output,
            input_format: format,
            shared,
            health,
            failed,
            chain: super::lock::Mutex::new(facts),
            round_trip: Arc::default(),
            commands,
            worker: Some(thread),
            held: None,
        };
        let stream = outputs.open(&live.output, settings.frames, outlet, Arc::clone(&live.health[1]))?;
        live.held = Some((stream, outputs));
        Ok(live)
    }

    /// Returns the format before the chain.
    pub fn dry_format(&self) -> AudioFormat {
        self.input_format
    }

    /// Returns the format after the chain.
    pub fn wet_format(&self) -> AudioFormat {
        self.chain.lock().output
    }

    /// Fades over to another chain.
    ///
    /// # Errors
    /// [`Error::Impossible`] for a chain that cannot run live; the present chain goes on.
    pub fn set_chain(&self, chain: &Chain) -> Result<()> {
        let running = Running::new(chain, self.input_format, self.output.channels)?;
        let facts = ChainFacts { latency_frames: running.latency_frames(), output: running.output_format() };
        *self.chain.lock() = facts;
        let _ = self.commands.send(Command::Run(Box::new(running)));
        Ok(())
    }

    /// Copies the sound before and after the chain to inlets, from the same moment on. The latency of the chain is left
    /// out of the latter.
    pub fn tap(&self, dry: Option<Inlet>, wet: Option<Inlet>) {
        let _ = self.commands.send(Command::Tap { dry, wet });
    }

    /// Measures the round trip from the output to the input, through a cable or the air: the output has a short noise of
    /// -20 dBFS meanwhile, and nothing of the input. Returns it in frames of the input, without the chain's latency.
    ///
    /// # Errors
    /// [`Error::Capture`] if the noise does not come back.
    pub fn measure_round_trip(&self, progress: &Progress) -> Result<u64> {
        self.begin_round_trip().wait(progress)
    }

    /// Begins to measure the round trip, for callers that must not keep this while they wait.
    pub fn begin_round_trip(&self) -> RoundTrip {
        let (done, heard) = channel();
        let was_muted = self.shared.muted.swap(false, Ordering::Relaxed);
        let _ = self.commands.send(Command::Probe(Box::new(Probe::new(self.input.rate, done))));
        RoundTrip { heard, was_muted, shared: Arc::clone(&self.shared), found: Arc::clone(&self.round_trip) }
    }

    /// Mutes the output or lets it sound. Sounding also ends a mute of the protection.
    pub fn set_muted(&self, muted: bool) {
        if !muted {
            self.shared.too_loud.store(0, Ordering::Relaxed);
            self.shared.reopen.store(true, Ordering::Relaxed);
        }
        self.shared.muted.store(muted, Ordering::Relaxed);
    }

    /// Limits the output to -1 dB and mutes it if it rises far above full scale, or does neither.
    pub fn set_limits(&self, on: bool) {
        self.shared.limits.store(on, Ordering::Relaxed);
    }

    /// Returns the present state. Peaks are those since the last call.
    pub fn status(&self) -> LiveStatus {
        let shared = &self.shared;
        let milliseconds = |nanoseconds: u64| nanoseconds as f64 / 1e6;
        let latency_ns = shared.latency_ns.load(Ordering::Relaxed);
        let too_loud = f32::from_bits(shared.too_loud.load(Ordering::Relaxed));
        let [input, output] = &self.health;
        let lost = |health: &Health, name: &str| {
            health.lost().map(|why| Error::Sound(format!("{name} failed. {why}")).sentences())
        };
        let problem = self.failed.get().cloned();
        let rate = self.input_format.rate;
        LiveStatus {
            input: self.input.name.clone(),
            output: self.output.name.clone(),
            rate: rate.hz(),
            muted: shared.muted.load(Ordering::Relaxed),
            too_loud_db: (too_loud > 0.0).then(|| db_from_gain(f64::from(too_loud))),
            latency_ms: (latency_ns > 0).then(|| milliseconds(latency_ns)),
            input_ms: milliseconds(shared.before_ns.load(Ordering::Relaxed)),
            output_ms: milliseconds(shared.output_ns.load(Ordering::Relaxed)),
            round_trip_ms: self.round_trip.lock().map(|frames| 1000.0 * rate.seconds_from_frames(frames)),
            chain_ms: 1000.0 * rate.seconds_from_frames(self.chain.lock().latency_frames),
            underruns: shared.underruns.load(Ordering::Relaxed) + output.glitches(),
            overruns: shared.overruns.load(Ordering::Relaxed),
            input_peak: f32::from_bits(shared.input_peak.swap(0, Ordering::Relaxed)),
            output_peak: f32::from_bits(shared.output_peak.swap(0, Ordering::Relaxed)),
            limited: shared.limited.load(Ordering::Relaxed),
            load: f32::from_bits(shared.load.load(Ordering::Relaxed)),
            played_s: shared.played.load(Ordering::Relaxed) as f64 / f64::from(self.output.rate),
            problem: problem.or_else(|| lost(input, &self.input.name)).or_else(|| lost(output, &self.output.name)),
        }
    }
}

/// A measurement of the round trip that runs.
pub struct RoundTrip {
    heard: Receiver<Heard>,
    was_muted: bool,
    shared: Arc<Shared>,
    found: Arc<super::lock::Mutex<Option<u64>>>,
}

impl RoundTrip {
    /// Waits for the result; see [`Live::measure_round_trip`].
    pub fn wait(self, progress: &Progress) -> Result<u64> {
        let begun = Instant::now();
        let heard = loop {
            match self.heard.recv_timeout(PROBE_PAUSE) {
                Ok(heard) => break Ok(heard),
                Err(_) if begun.elapsed() > PROBE_LIMIT => break Err(not_heard()),
                Err(_) => {}
            }
            if let Err(error) = progress.check() {
                break Err(error);
            }
        };
        self.shared.muted.store(self.was_muted, Ordering::Relaxed);
        let frames = heard?.round_trip_frames().ok_or_else(not_heard)?;
        *self.found.lock() = Some(frames);
        Ok(frames)
    }
}

/// Returns the failure of a measurement whose test sound did not come back.
pub(crate) fn not_heard() -> Error {
    Error::Capture(
        "The test sound was not heard on the input. Connect the output to the input by a cable, turn both up, and \
         measure again"
            .to_owned(),
    )
}

impl Drop for Live {
    fn drop(&mut self) {
        // Closing a lost stream can block.
        let held = self.held.take();
        thread::spawn(move || drop(held));
        let (gone, _) = channel();
        drop(std::mem::replace(&mut self.commands, gone));
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

/// Opens the input at the output's rate if possible, otherwise at its default rate.
fn open_input(
    mut inputs: Box<dyn InputHost>,
    settings: &LiveSettings,
    rate: u32,
    progress: &Progress,
) -> Result<(Input, std::ops::Range<usize>)> {
    let mut wish = InputWish { input: settings.input.clone(), rate: Some(rate), frames: Some(settings.frames) };
    if inputs.find(&wish).is_err() {
        wish.rate = None;
    }
    let input = Input::open(inputs, wish, INPUT_ROOM_S, progress)?;
    let channels = settings.channels.of(&input.info)?;
    Ok((input, channels))
}
