//! The system's default sound input, through cpal.

use std::sync::Arc;
use std::time::Duration;

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{BufferSize, ErrorKind, FromSample, SampleFormat, SizedSample, StreamConfig, SupportedBufferSize};

use super::{Inlet, InputHost, InputInfo, OpenInput};
use crate::error::{Error, Result};
use crate::playback::connection::Connection;
use crate::playback::output::Health;

/// Frames per call requested from the input, where it can be set: 21 ms at 48 kHz.
const BUFFER_FRAMES: u32 = 1024;
/// Samples converted at once for inputs that do not deliver f32.
const CONVERTED_SAMPLES: usize = 4096;
/// How long a sound server may take to open a stream.
const OPEN_TIMEOUT: Duration = Duration::from_secs(3);

/// The system's default input.
#[derive(Default)]
pub struct CpalInput {
    /// The connection to the system's sound, which must live as long as the device found through it.
    connection: Connection,
    found: Option<(cpal::Device, InputInfo)>,
}

impl InputHost for CpalInput {
    fn find(&mut self) -> Result<InputInfo> {
        let host = self.connection.host();
        let device = host.default_input_device().ok_or_else(no_input)?;
        let config = device.default_input_config().map_err(failed)?;
        let channels = usize::from(config.channels());
        let info = InputInfo { name: device.to_string(), rate: config.sample_rate(), channels };
        self.found = Some((device, info.clone()));
        Ok(info)
    }

    fn open(&mut self, inlet: Inlet, health: Arc<Health>) -> Result<OpenInput> {
        let (device, info) = self.found.as_ref().ok_or_else(no_input)?;
        let default = device.default_input_config().map_err(failed)?;
        let gives_f32 = device.supported_input_configs().is_ok_and(|mut configs| {
            configs.any(|range| {
                range.sample_format() == SampleFormat::F32
                    && usize::from(range.channels()) == info.channels
                    && (range.min_sample_rate()..=range.max_sample_rate()).contains(&info.rate)
            })
        });
        let format = if gives_f32 { SampleFormat::F32 } else { default.sample_format() };
        let buffer_size = match default.buffer_size() {
            SupportedBufferSize::Range { min, max } if min <= max => BufferSize::Fixed(BUFFER_FRAMES.clamp(*min, *max)),
            _ => BufferSize::Default,
        };
        let config = StreamConfig { channels: info.channels as u16, sample_rate: info.rate, buffer_size };
        let stream = match format {
            SampleFormat::F32 => build_f32(device, config, inlet, health),
            SampleFormat::F64 => build::<f64>(device, config, inlet, health),
            SampleFormat::I8 => build::<i8>(device, config, inlet, health),
            SampleFormat::I16 => build::<i16>(device, config, inlet, health),
            SampleFormat::I24 => build::<cpal::I24>(device, config, inlet, health),
            SampleFormat::I32 => build::<i32>(device, config, inlet, health),
            SampleFormat::U8 => build::<u8>(device, config, inlet, health),
            SampleFormat::U16 => build::<u16>(device, config, inlet, health),
            SampleFormat::U32 => build::<u32>(device, config, inlet, health),
            other => {
                return Err(Error::Capture(format!(
                    "{}: The sample format {other} is not supported. Choose another input",
                    info.name
                )));
            }
        }
        .map_err(failed)?;
        stream.play().map_err(failed)?;
        Ok(Box::new(stream))
    }
}

fn build_f32(
    device: &cpal::Device,
    config: StreamConfig,
    mut inlet: Inlet,
    health: Arc<Health>,
) -> Result<cpal::Stream, cpal::Error> {
    device.build_input_stream::<f32, _, _>(
        config,
        move |samples, _| inlet.push(samples),
        move |error| note(&health, &error),
        Some(OPEN_TIMEOUT),
    )
}

/// Builds a stream for an input with another sample format. Samples are converted in chunks of fixed memory.
fn build<T: SizedSample>(
    device: &cpal::Device,
    config: StreamConfig,
    mut inlet: Inlet,
    health: Arc<Health>,
) -> Result<cpal::Stream, cpal::Error>
where
    f32: FromSample<T>,
{
    let mut converted = vec![0f32; CONVERTED_SAMPLES.next_multiple_of(usize::from(config.channels).max(1))];
    device.build_input_stream::<T, _, _>(
        config,
        move |samples, _| {
            for piece in samples.chunks(converted.len()) {
                let converted = &mut converted[..piece.len()];
                for (to, from) in converted.iter_mut().zip(piece) {
                    *to = f32::from_sample_(*from);
                }
                inlet.push(converted);
            }
        },
        move |error| note(&health, &error),
        Some(OPEN_TIMEOUT),
    )
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
        assert!(health.lost().is_some_and(|why| why.contains("not there any more")), "the first word counts");
    }
}
