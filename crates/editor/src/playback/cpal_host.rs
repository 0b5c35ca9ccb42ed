//! The system's sound, through cpal.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{Data, FromSample, OutputCallbackInfo, SampleFormat, SizedSample, StreamConfig};

use super::callback::{CallTime, Callback, now_ns};
use super::connection::Connection;
use super::live::{LiveHost, LiveOutlet};
use super::output::{Health, OutputInfo, OutputStream, SoundHost};
use super::stream_format::{Wanted, stream_format, with_sample_type};
use base::driver_messages::kept_off_the_terminal;
use base::error::{Error, Result};

/// Frames per call requested from the output, where it can be set: 11 ms at 48 kHz.
const BUFFER_FRAMES: u32 = 512;
/// Samples converted at once for outputs that do not accept f32.
const CONVERTED_SAMPLES: usize = 4096;
/// How long a sound server may take to open a stream.
const OPEN_TIMEOUT: Duration = Duration::from_secs(3);

/// The system's sound. The connection is made on first use, and again after it broke.
#[derive(Default)]
pub struct CpalHost {
    connection: Connection,
}

impl CpalHost {
    fn device(&mut self, id: Option<&str>) -> Result<cpal::Device> {
        let found = self.look_for(id)?;
        if let Some(device) = found.filter(is_usable) {
            return Ok(device);
        }
        // The server may have been restarted.
        self.connection.renew();
        if let Some(device) = self.look_for(id)?.filter(is_usable) {
            return Ok(device);
        }
        // The next call connects again.
        self.connection.renew();
        Err(Error::Sound(match id {
            Some(id) => format!("The sound output {id} is gone. Choose another one"),
            None => "No sound output found".to_owned(),
        }))
    }

    fn look_for(&mut self, id: Option<&str>) -> Result<Option<cpal::Device>> {
        let Some(id) = id else { return Ok(self.connection.host().default_output_device()) };
        let parsed = cpal::DeviceId::from_str(id)
            .map_err(|error| Error::invalid("sound output", format!("{id} ({error})"), "a handle from the list"))?;
        Ok(self.connection.host().device_by_id(&parsed))
    }
}

/// ALSA offers a "default" device even without sound hardware, but that device has no configuration.
fn is_usable(device: &cpal::Device) -> bool {
    device.default_output_config().is_ok()
}

fn info(device: &cpal::Device) -> Result<OutputInfo> {
    let config = device.default_output_config().map_err(failed)?;
    Ok(OutputInfo {
        id: device.id().map_err(failed)?.to_string(),
        name: device.to_string(),
        rate: config.sample_rate(),
        channels: usize::from(config.channels()),
    })
}

impl CpalHost {
    fn list(&mut self) -> Result<Vec<OutputInfo>> {
        let mut devices = self.connection.host().output_devices();
        if devices.is_err() {
            self.connection.renew();
            devices = self.connection.host().output_devices();
        }
        let devices = devices.map_err(failed)?;
        Ok(devices.filter_map(|device| info(&device).ok()).collect())
    }

    fn default_output(&mut self) -> Option<String> {
        let id = self.connection.host().default_output_device().and_then(|device| device.id().ok());
        if id.is_none() {
            self.connection.renew();
        }
        id.map(|id| id.to_string())
    }

    /// Opens an output that calls `fill`, with `frames` per call if that can be set.
    fn stream(
        &mut self,
        output: &OutputInfo,
        frames: u32,
        fill: impl FnMut(&mut [f32], CallTime) + Send + 'static,
        health: Arc<Health>,
    ) -> Result<Box<dyn OutputStream>> {
        let device = self.device(Some(&output.id))?;
        let default = device.default_output_config().map_err(failed)?;
        let offered = device.supported_output_configs().into_iter().flatten();
        let wanted = Wanted { channels: default.channels(), rate: output.rate, frames };
        let (config, format) = stream_format(&default, offered, wanted);
        let written = match format {
            SampleFormat::F32 => unconverted(fill),
            other => with_sample_type!(other, converted(&config, fill)).ok_or_else(|| {
                let name = &output.name;
                Error::Sound(format!("{name}: The sample format {other} is not supported. Choose another output"))
            })?,
        };
        let noted = move |error| note(&health, &error);
        let stream =
            device.build_output_stream_raw(config, format, written, noted, Some(OPEN_TIMEOUT)).map_err(failed)?;
        stream.play().map_err(failed)?;
        Ok(Box::new(stream))
    }
}

impl SoundHost for CpalHost {
    fn outputs(&mut self) -> Result<Vec<OutputInfo>> {
        kept_off_the_terminal(|| self.list())
    }

    fn default_id(&mut self) -> Option<String> {
        kept_off_the_terminal(|| self.default_output())
    }

    fn find(&mut self, id: Option<&str>) -> Result<OutputInfo> {
        kept_off_the_terminal(|| info(&self.device(id)?))
    }

    fn open(&mut self, output: &OutputInfo, callback: Callback, health: Arc<Health>) -> Result<Box<dyn OutputStream>> {
        let mut callback = callback;
        let fill = move |out: &mut [f32], time| callback.fill(out, time);
        kept_off_the_terminal(|| self.stream(output, BUFFER_FRAMES, fill, health))
    }
}

impl LiveHost for CpalHost {
    fn find(&mut self, wanted: Option<&str>) -> Result<OutputInfo> {
        let Some(wanted) = wanted else { return SoundHost::find(self, None) };
        named(self.outputs()?, wanted)
    }

    fn open(
        &mut self,
        output: &OutputInfo,
        frames: u32,
        mut outlet: LiveOutlet,
        health: Arc<Health>,
    ) -> Result<Box<dyn OutputStream>> {
        let fill = move |out: &mut [f32], time| outlet.fill(out, time);
        kept_off_the_terminal(|| self.stream(output, frames, fill, health))
    }
}

/// Returns the output with a handle, a name or a part of a name.
fn named(outputs: Vec<OutputInfo>, wanted: &str) -> Result<OutputInfo> {
    let lower = wanted.to_lowercase();
    let whole = outputs.iter().position(|output| output.id == wanted || output.name == wanted);
    let place = whole.or_else(|| outputs.iter().position(|output| output.name.to_lowercase().contains(&lower)));
    let names: Vec<&str> = outputs.iter().map(|output| &output.name[..]).collect();
    let allowed = if names.is_empty() { "the name of an output, but none was found".into() } else { names.join(", ") };
    place.and_then(|place| outputs.into_iter().nth(place)).ok_or_else(|| Error::invalid("output", wanted, allowed))
}

/// Writes the samples of a call. All formats have this one type, so that cpal's streams are compiled once.
type DataCallback = Box<dyn FnMut(&mut Data, &OutputCallbackInfo) + Send>;

fn unconverted(mut fill: impl FnMut(&mut [f32], CallTime) + Send + 'static) -> DataCallback {
    Box::new(move |out, call| {
        if let Some(out) = out.as_slice_mut() {
            fill(out, call_time(call));
        }
    })
}

/// For an output that takes another sample format. Samples are converted in chunks of fixed memory and clamped to full
/// scale.
fn converted<T: SizedSample + FromSample<f32>>(
    config: &StreamConfig,
    mut fill: impl FnMut(&mut [f32], CallTime) + Send + 'static,
) -> DataCallback {
    let channels = usize::from(config.channels).max(1);
    let rate = u64::from(config.sample_rate.max(1));
    let mut samples = vec![0f32; CONVERTED_SAMPLES.next_multiple_of(channels)];
    Box::new(move |out, call| {
        let mut time = call_time(call);
        for piece in out.as_slice_mut::<T>().unwrap_or_default().chunks_mut(samples.len()) {
            let samples = &mut samples[..piece.len()];
            fill(samples, time);
            for (to, from) in piece.iter_mut().zip(samples) {
                *to = T::from_sample_(from.clamp(-1.0, 1.0));
            }
            time.latency_ns += (piece.len() / channels) as u64 * 1_000_000_000 / rate;
        }
    })
}

fn call_time(call: &OutputCallbackInfo) -> CallTime {
    let stamps = call.timestamp();
    CallTime { now_ns: now_ns(), latency_ns: stamps.playback.duration_since(stamps.callback).as_nanos() as u64 }
}

fn note(health: &Health, error: &cpal::Error) {
    match error.kind() {
        cpal::ErrorKind::Xrun => health.count_glitch(),
        cpal::ErrorKind::DeviceChanged | cpal::ErrorKind::RealtimeDenied => {}
        _ => health.lose(&error.to_string()),
    }
}

impl OutputStream for cpal::Stream {
    fn set_running(&self, running: bool) -> Result<()> {
        if running { self.play() } else { self.pause() }.map_err(failed)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn failed(error: cpal::Error) -> Error {
    Error::Sound(error.to_string())
}
