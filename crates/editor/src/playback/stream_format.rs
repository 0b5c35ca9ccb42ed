//! The configuration and the sample format of a stream of the system's sound, played or recorded.

use cpal::{
    BufferSize, SampleFormat, StreamConfig, SupportedBufferSize, SupportedStreamConfig, SupportedStreamConfigRange,
};

/// The wanted properties of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub channels: u16,
    pub rate: u32,
    /// Frames of a call, as far as the device lets them be chosen.
    pub frames: u32,
}

/// Returns how to open a stream of a device: in f32 if one of the `offered` configurations has it, otherwise in the
/// device's format.
pub(super) fn stream_format(
    default: &SupportedStreamConfig,
    offered: impl IntoIterator<Item = SupportedStreamConfigRange>,
    wanted: Wanted,
) -> (StreamConfig, SampleFormat) {
    let Wanted { channels, rate, frames } = wanted;
    let has_f32 = offered.into_iter().any(|range| {
        range.sample_format() == SampleFormat::F32
            && range.channels() == channels
            && (range.min_sample_rate()..=range.max_sample_rate()).contains(&rate)
    });
    let format = if has_f32 { SampleFormat::F32 } else { default.sample_format() };
    let buffer_size = match default.buffer_size() {
        SupportedBufferSize::Range { min, max } if min <= max => BufferSize::Fixed(frames.clamp(*min, *max)),
        _ => BufferSize::Default,
    };
    (StreamConfig { channels, sample_rate: rate, buffer_size }, format)
}

/// Calls a function that is generic over the type of samples with that of a format. `None` for f32, which needs no
/// conversion, and for formats that `cpal` cannot convert.
macro_rules! with_sample_type {
    ($format:expr, $function:ident($($argument:expr),*)) => {
        match $format {
            ::cpal::SampleFormat::F64 => Some($function::<f64>($($argument),*)),
            ::cpal::SampleFormat::I8 => Some($function::<i8>($($argument),*)),
            ::cpal::SampleFormat::I16 => Some($function::<i16>($($argument),*)),
            ::cpal::SampleFormat::I24 => Some($function::<::cpal::I24>($($argument),*)),
            ::cpal::SampleFormat::I32 => Some($function::<i32>($($argument),*)),
            ::cpal::SampleFormat::U8 => Some($function::<u8>($($argument),*)),
            ::cpal::SampleFormat::U16 => Some($function::<u16>($($argument),*)),
            ::cpal::SampleFormat::U32 => Some($function::<u32>($($argument),*)),
            _ => None,
        }
    };
}

pub(super) use with_sample_type;

#[cfg(test)]
mod tests {
    use super::*;

    fn range(channels: u16, rates: [u32; 2], format: SampleFormat) -> SupportedStreamConfigRange {
        let buffer = SupportedBufferSize::Range { min: 64, max: 1024 };
        SupportedStreamConfigRange::new(channels, rates[0], rates[1], buffer, format)
    }

    #[test]
    fn f32_is_chosen_where_the_channels_and_the_rate_have_it() {
        let default = range(2, [48_000, 48_000], SampleFormat::I16).with_max_sample_rate();
        let chosen = |channels, rates| {
            let offered = [range(2, [8000, 192_000], SampleFormat::I32), range(channels, rates, SampleFormat::F32)];
            stream_format(&default, offered, Wanted { channels: 2, rate: 44_100, frames: 256 })
        };
        let (config, format) = chosen(2, [44_100, 48_000]);
        assert_eq!((config.channels, config.sample_rate, format), (2, 44_100, SampleFormat::F32));
        assert_eq!(config.buffer_size, BufferSize::Fixed(256));
        assert_eq!(chosen(1, [44_100, 48_000]).1, SampleFormat::I16, "of other channels");
        assert_eq!(chosen(2, [48_000, 48_000]).1, SampleFormat::I16, "of another rate");
    }

    #[test]
    fn frames_are_those_that_the_device_allows() {
        let default = range(2, [48_000, 48_000], SampleFormat::F32).with_max_sample_rate();
        let frames = |frames| stream_format(&default, [], Wanted { channels: 2, rate: 48_000, frames }).0.buffer_size;
        assert_eq!([1, 4096].map(frames), [64, 1024].map(BufferSize::Fixed));
    }

    #[test]
    fn every_integer_and_f64_has_its_type() {
        fn bytes<T>() -> usize {
            size_of::<T>()
        }
        assert_eq!(with_sample_type!(SampleFormat::I16, bytes()), Some(2));
        assert_eq!(with_sample_type!(SampleFormat::F64, bytes()), Some(8));
        assert_eq!(with_sample_type!(SampleFormat::F32, bytes()), None);
    }
}
