//! For tests: an output that the test drives itself, and sources whose every sample is known.

use std::sync::{Arc, Mutex};

use super::callback::{CallTime, Callback};
use super::output::{Health, OutputInfo, OutputStream, SoundHost};
use super::source::{PlaybackSource, PreviewRender};
use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::SampleRate;
use effects::chain::{Chain, MeasuredMap};

/// The sound system as the test sees it.
#[derive(Clone, Default)]
pub(crate) struct VirtualSound(Arc<Mutex<Inside>>);

#[derive(Default)]
struct Inside {
    outputs: Vec<OutputInfo>,
    default: Option<String>,
    open: Option<(OutputInfo, Callback, Arc<Health>)>,
    running: bool,
    now_ns: u64,
    late_ns: u64,
    latency_ns: u64,
}

impl VirtualSound {
    /// A sound system with one output.
    pub fn new(rate: u32, channels: usize) -> Self {
        let sound = Self::default();
        sound.plug("main", rate, channels);
        sound
    }

    /// Adds an output and makes it the default.
    pub fn plug(&self, id: &str, rate: u32, channels: usize) {
        let mut inside = self.0.lock().unwrap();
        inside.outputs.push(OutputInfo { id: id.to_owned(), name: id.to_uppercase(), rate, channels });
        inside.default = Some(id.to_owned());
    }

    /// Removes an output: its stream is lost, and the last remaining output becomes the default.
    pub fn unplug(&self, id: &str) {
        let mut inside = self.0.lock().unwrap();
        inside.outputs.retain(|output| output.id != id);
        inside.default = inside.outputs.last().map(|output| output.id.clone());
        if let Some((info, _, health)) = &inside.open
            && info.id == id
        {
            (0..1000).for_each(|_| health.lose("unplugged"));
            inside.open = None;
        }
    }

    /// Returns the handle of the open output.
    pub fn open_id(&self) -> Option<String> {
        self.0.lock().unwrap().open.as_ref().map(|(info, ..)| info.id.clone())
    }

    /// Sets the latency of the output.
    pub fn set_latency_ns(&self, latency_ns: u64) {
        self.0.lock().unwrap().latency_ns = latency_ns;
    }

    /// Sets the current time of the output, and by how much later than it the next call says that it was made.
    pub fn set_now_ns(&self, now_ns: u64, late_ns: u64) {
        let mut inside = self.0.lock().unwrap();
        (inside.now_ns, inside.late_ns) = (now_ns, late_ns);
    }

    /// The current time of the output, in nanoseconds.
    pub fn now_ns(&self) -> u64 {
        self.0.lock().unwrap().now_ns
    }

    /// Returns the rate and the channels of the open output.
    pub fn open_format(&self) -> Option<(u32, usize)> {
        self.0.lock().unwrap().open.as_ref().map(|(info, ..)| (info.rate, info.channels))
    }

    /// Returns whether the output is running.
    pub fn is_running(&self) -> bool {
        self.0.lock().unwrap().running
    }

    /// Whether some of the next frames are still to be rendered.
    pub fn awaits(&self, frames: usize) -> bool {
        self.0.lock().unwrap().open.as_ref().is_some_and(|(_, callback, _)| callback.awaits(frames))
    }

    /// Calls the callback for `frames` frames and returns interleaved samples; silence while nothing is open.
    pub fn take(&self, frames: usize) -> Vec<f32> {
        let mut inside = self.0.lock().unwrap();
        let (now_ns, late_ns, latency_ns) = (inside.now_ns, inside.late_ns, inside.latency_ns);
        let Some((info, callback, _)) = &mut inside.open else { return vec![0.0; frames] };
        let mut out = vec![9.0; frames * info.channels];
        let rate = u64::from(info.rate);
        callback.fill(&mut out, CallTime { now_ns: now_ns + late_ns, latency_ns });
        inside.now_ns = now_ns + frames as u64 * 1_000_000_000 / rate;
        out
    }
}

impl SoundHost for VirtualSound {
    fn outputs(&mut self) -> Result<Vec<OutputInfo>> {
        Ok(self.0.lock().unwrap().outputs.clone())
    }

    fn default_id(&mut self) -> Option<String> {
        self.0.lock().unwrap().default.clone()
    }

    fn find(&mut self, id: Option<&str>) -> Result<OutputInfo> {
        let inside = self.0.lock().unwrap();
        let id = id.or(inside.default.as_deref());
        let found = inside.outputs.iter().find(|output| Some(output.id.as_str()) == id);
        found.cloned().ok_or_else(|| Error::Sound("No sound output found".to_owned()))
    }

    fn open(&mut self, output: &OutputInfo, callback: Callback, health: Arc<Health>) -> Result<Box<dyn OutputStream>> {
        let mut inside = self.0.lock().unwrap();
        inside.open = Some((output.clone(), callback, health));
        inside.running = true;
        Ok(Box::new(VirtualStream(self.clone())))
    }
}

struct VirtualStream(VirtualSound);

impl OutputStream for VirtualStream {
    fn set_running(&self, running: bool) -> Result<()> {
        self.0.0.lock().unwrap().running = running;
        Ok(())
    }
}

/// A recording in which every sample encodes its frame and channel.
pub(super) struct Ramp {
    format: AudioFormat,
    frames: u64,
    position: u64,
}

impl Ramp {
    pub fn new(rate: u32, channels: usize, frames: u64) -> Self {
        Self { format: AudioFormat::new(SampleRate::new(rate).unwrap(), channels), frames, position: 0 }
    }

    /// Returns the sample at a frame of a channel. Values are unique within 2^22 consecutive frames.
    pub fn value(frame: u64, channel: usize) -> f32 {
        ((frame % (1 << 22)) as f32 / (1 << 23) as f32) - 0.25 * channel as f32
    }
}

impl AudioReader for Ramp {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.frames);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let count = (frames as u64).min(self.frames - self.position);
        let range = self.position..self.position + count;
        let channels = (0..self.format.channels)
            .map(|channel| range.clone().map(|frame| Self::value(frame, channel)).collect())
            .collect();
        *out = AudioBuffer::from_channels(channels);
        self.position += count;
        Ok(())
    }
}

/// A recording computed from frame and channel. A chain of `n` nodes multiplies it by `1 - n / 4`.
#[derive(Clone)]
pub(super) struct Synthetic {
    pub format: AudioFormat,
    pub frames: u64,
    pub sample: fn(u64, usize) -> f32,
}

impl Synthetic {
    pub fn new(rate: u32, channels: usize, frames: u64, sample: fn(u64, usize) -> f32) -> Arc<Self> {
        let format = AudioFormat::new(SampleRate::new(rate).unwrap(), channels);
        Arc::new(Self { format, frames, sample })
    }
}

impl PlaybackSource for Synthetic {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn original(&self) -> Result<Box<dyn AudioReader>> {
        Ok(Box::new(Scaled { source: self.clone(), gain: 1.0, position: 0 }))
    }

    fn processed(&self, chain: &Chain, measured: &MeasuredMap) -> Result<Box<dyn PreviewRender>> {
        let mut scaled = Scaled { source: self.clone(), gain: 1.0, position: 0 };
        scaled.set_chain(chain, measured)?;
        Ok(Box::new(scaled))
    }

    fn is_measured(&self, _: &Chain, _: &MeasuredMap) -> Result<bool> {
        Ok(true)
    }

    fn measure(&self, _: &Chain, _: &Progress) -> Result<MeasuredMap> {
        Ok(MeasuredMap::default())
    }
}

struct Scaled {
    source: Synthetic,
    gain: f32,
    position: u64,
}

impl AudioReader for Scaled {
    fn format(&self) -> AudioFormat {
        self.source.format
    }

    fn frames(&self) -> u64 {
        self.source.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.source.frames);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let count = (frames as u64).min(self.source.frames - self.position);
        let range = self.position..self.position + count;
        let plane = |channel| range.clone().map(|frame| self.gain * (self.source.sample)(frame, channel)).collect();
        *out = AudioBuffer::from_channels((0..self.source.format.channels).map(plane).collect());
        self.position += count;
        Ok(())
    }
}

impl PreviewRender for Scaled {
    fn set_chain(&mut self, chain: &Chain, _: &MeasuredMap) -> Result<()> {
        if chain.nodes.len() > 4 {
            return Err(Error::invalid("chain", chain.nodes.len().to_string(), "up to four nodes"));
        }
        self.gain = 1.0 - chain.nodes.len() as f32 / 4.0;
        Ok(())
    }
}
