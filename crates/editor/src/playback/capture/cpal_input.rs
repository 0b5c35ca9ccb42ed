//! The system's sound inputs, through cpal.

use std::sync::Arc;
use std::time::Duration;

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{Data, ErrorKind, FromSample, InputCallbackInfo, SampleFormat, SizedSample, StreamConfig};

use super::{Inlet, InputHost, InputInfo, InputWish, OpenInput};
use crate::playback::callback::now_ns;
use crate::playback::connection::Connection;
use crate::playback::output::Health;
use crate::playback::stream_format::{Wanted, stream_format, with_sample_type};
use base::driver_messages::kept_off_the_terminal;
use base::error::{Error, Result};

/// Frames per call requested from the input, where it can be set: 21 ms at 48 kHz.
const BUFFER_FRAMES: u32 = 1024;
/// Samples converted at once for inputs that do not deliver f32.
const CONVERTED_SAMPLES: usize = 4096;
/// How long a sound server may take to open a stream.
const OPEN_TIMEOUT: Duration = Duration::from_secs(3);

/// The system's inputs.
#[derive(Default)]
pub struct CpalInput {
    /// The connection to the system's sound, which must outlive the device found through it.
    connection: Connection,
    found: Option<(cpal::Device, InputInfo, u32)>,
}

impl CpalInput {
    fn list(&mut self) -> Result<Vec<(cpal::Device, InputInfo)>> {
        let mut devices = self.connection.host().input_devices();
        if devices.is_err() {
            self.connection.renew();
            devices = self.connection.host().input_devices();
        }
        let devices: Vec<cpal::Device> = devices.map_err(failed)?.collect();
        let default = self.connection.host().default_input_device().and_then(|device| device.id().ok());
        let info = |device: cpal::Device| info(&device, default.as_ref()).ok().map(|info| (device, info));
        Ok(devices.into_iter().filter_map(info).collect())
    }

    fn device(&mut self, wanted: Option<&str>) -> Result<(cpal::Device, InputInfo)> {
        if let Some(wanted) = wanted {
            let all = self.list()?;
            let lower = wanted.to_lowercase();
            let whole = all.iter().position(|(_, info)| info.id == wanted || info.name == wanted);
            let part = || all.iter().position(|(_, info)| info.name.to_lowercase().contains(&lower));
            let Some(place) = whole.or_else(part) else {
                let names: Vec<&str> = all.iter().map(|(_, info)| &info.name[..]).collect();
                let allowed =
                    if names.is_empty() { "the name of an input, but none was found".into() } else { names.join(", ") };
                return Err(Error::invalid("input", wanted, allowed));
            };
            return all.into_iter().nth(place).ok_or_else(no_input);
        }
        let device = match self.connection.host().default_input_device() {
            Some(device) if device.default_input_config().is_ok() => device,
            // The server may have been restarted.
            _ => {
                self.connection.renew();
                self.connection.host().default_input_device().ok_or_else(no_input)?
            }
        };
        let info = info(&device, device.id().ok().as_ref())?;
        Ok((device, info))
    }

    fn look_for(&mut self, wish: &InputWish) -> Result<InputInfo> {
        let (device, mut info) = self.device(wish.input.as_deref())?;
        if let Some(rate) = wish.rate.filter(|rate| *rate != info.rate) {
            let configs: Vec<_> = device.supported_input_configs().map_err(failed)?.collect();
            let fits = configs.iter().any(|range| {
                usize::from(range.channels()) == info.channels
                    && (range.min_sample_rate()..=range.max_sample_rate()).contains(&rate)
            });
            if !fits {
                let allowed = format!("a rate of this input, such as {} Hz", info.rate);
                return Err(Error::invalid("rate of the input", format!("{rate} Hz"), allowed));
            }
            info.rate = rate;
        }
        self.found = Some((device, info.clone(), wish.frames.unwrap_or(BUFFER_FRAMES)));
        Ok(info)
    }

    fn stream(&mut self, inlet: Inlet, health: Arc<Health>) -> Result<OpenInput> {
        let (device, info, frames) = self.found.as_ref().ok_or_else(no_input)?;
        let default = device.default_input_config().map_err(failed)?;
        let offered = device.supported_input_configs().into_iter().flatten();
        let wanted = Wanted { channels: info.channels as u16, rate: info.rate, frames: *frames };
        let (config, format) = stream_format(&default, offered, wanted);
        let read = match format {
            SampleFormat::F32 => unconverted(inlet),
            other => with_sample_type!(other, converted(&config, inlet)).ok_or_else(|| {
                let name = &info.name;
                Error::Capture(format!("{name}: The sample format {other} is not supported. Choose another input"))
            })?,
        };
        let noted = move |error| note(&health, &error);
        let stream = device.build_input_stream_raw(config, format, read, noted, Some(OPEN_TIMEOUT)).map_err(failed)?;
        stream.play().map_err(failed)?;
        Ok(Box::new(stream))
    }
}

fn info(device: &cpal::Device, default: Option<&cpal::DeviceId>) -> Result<InputInfo> {
    let config = device.default_input_config().map_err(failed)?;
    let id = device.id().map_err(failed)?;
    Ok(InputInfo {
        is_default: default == Some(&id),
        id: id.to_string(),
        name: device.to_string(),
        rate: config.sample_rate(),
        channels: usize::from(config.channels()),
    })
}

impl InputHost for CpalInput {
    fn inputs(&mut self) -> Result<Vec<InputInfo>> {
        kept_off_the_terminal(|| Ok(self.list()?.into_iter().map(|(_, info)| info).collect()))
    }

    fn find(&mut self, wish: &InputWish) -> Result<InputInfo> {
        kept_off_the_terminal(|| self.look_for(wish))
    }

    fn open(&mut self, inlet: Inlet, health: Arc<Health>) -> Result<OpenInput> {
        kept_off_the_terminal(|| self.stream(inlet, health))
    }
}

/// Reads the samples of a call. All formats have this one type, so that cpal's streams are compiled once.
type Read = Box<dyn FnMut(&Data, &InputCallbackInfo) + Send>;

fn unconverted(mut inlet: Inlet) -> Read {
    Box::new(move |samples, call| {
        note_call(&mut inlet, call);
        inlet.push(samples.as_slice().unwrap_or_default());
    })
}

/// For an input with another sample format. Samples are converted in chunks of fixed memory.
fn converted<T: SizedSample>(config: &StreamConfig, mut inlet: Inlet) -> Read
where
    f32: FromSample<T>,
{
    let mut converted = vec![0f32; CONVERTED_SAMPLES.next_multiple_of(usize::from(config.channels).max(1))];
    Box::new(move |samples, call| {
        note_call(&mut inlet, call);
        for piece in samples.as_slice::<T>().unwrap_or_default().chunks(converted.len()) {
            let converted = &mut converted[..piece.len()];
            for (to, from) in converted.iter_mut().zip(piece) {
                *to = f32::from_sample_(*from);
            }
            inlet.push(converted);
        }
    })
}

fn note_call(inlet: &mut Inlet, call: &InputCallbackInfo) {
    let stamps = call.timestamp();
    inlet.note_call(now_ns(), stamps.callback.duration_since(stamps.capture).as_nanos() as u64);
}

fn note(health: &Health, error: &cpal::Error) {
    match error.kind() {
        ErrorKind::Xrun => health.count_glitch(),
        ErrorKind::DeviceChanged | ErrorKind::RealtimeDenied => {}
        ErrorKind::DeviceNotAvailable | ErrorKind::HostUnavailable | ErrorKind::StreamInvalidated => {
            health.lose("It was disconnected. Connect it and record again");
        }
        _ => health.lose(&words(error)),
    }
}

fn no_input() -> Error {
    Error::Capture("No sound input found. Connect a microphone, or start the sound server".to_owned())
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn failed(error: cpal::Error) -> Error {
    match error.kind() {
        ErrorKind::DeviceNotAvailable | ErrorKind::HostUnavailable => no_input(),
        // ALSA's connection to a sound server fails with these words if none runs.
        _ if words(&error).contains("Connection refused") => no_input(),
        _ => Error::Capture(words(&error)),
    }
}

fn words(error: &cpal::Error) -> String {
    match error.kind() {
        ErrorKind::PermissionDenied => {
            "The system does not allow this program to record. Allow it in the system's privacy settings for the microphone"
                .to_owned()
        }
        ErrorKind::DeviceBusy => "Another program uses the input exclusively. Close it there and try again".to_owned(),
        _ => format!("The sound input failed: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_says_what_to_do() {
        let told = |kind| failed(cpal::Error::new(kind)).to_string();
        assert!(told(ErrorKind::PermissionDenied).contains("privacy settings"));
        assert!(told(ErrorKind::DeviceNotAvailable).contains("Connect a microphone"));
        assert!(told(ErrorKind::HostUnavailable).contains("sound server"));
        assert!(told(ErrorKind::DeviceBusy).contains("Another program"));
        assert!(told(ErrorKind::BackendError).starts_with("The sound input failed: "));
    }

    #[test]
    fn only_what_ends_a_stream_ends_it() {
        let health = Health::default();
        for kind in [ErrorKind::Xrun, ErrorKind::DeviceChanged, ErrorKind::RealtimeDenied] {
            note(&health, &cpal::Error::new(kind));
        }
        assert_eq!((health.lost(), health.glitches()), (None, 1));
        note(&health, &cpal::Error::new(ErrorKind::DeviceNotAvailable));
        note(&health, &cpal::Error::new(ErrorKind::PermissionDenied));
        assert!(health.lost().is_some_and(|why| why.contains("was disconnected")), "the first word counts");
    }
}
