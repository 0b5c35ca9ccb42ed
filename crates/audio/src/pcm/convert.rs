//! Converts stored samples to planar f32, in loops that the compiler vectorises.

use crate::AudioBuffer;

/// The storage format of a sample. Integers are left-justified in their container; full scale is `2^(bits - 1)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after its layout")]
pub(crate) enum SampleKind {
    U8,
    S8,
    S16Le,
    S16Be,
    S24Le,
    S24Be,
    S32Le,
    S32Be,
    /// 24 bits in the lower bytes of four.
    S24In32Le,
    S24In32Be,
    F32Le,
    F32Be,
    F64Le,
    F64Be,
    /// Floating point with a full scale of 2^23.
    F24Le,
    F24Be,
    ALaw,
    MuLaw,
}

impl SampleKind {
    /// Returns the bytes per sample.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::S8 | Self::ALaw | Self::MuLaw => 1,
            Self::S16Le | Self::S16Be => 2,
            Self::S24Le | Self::S24Be => 3,
            Self::S32Le | Self::S32Be | Self::S24In32Le | Self::S24In32Be => 4,
            Self::F32Le | Self::F32Be | Self::F24Le | Self::F24Be => 4,
            Self::F64Le | Self::F64Be => 8,
        }
    }

    /// Returns the kind for integers of `bytes` bytes. They are signed, except one-byte little-endian samples, as in
    /// RIFF.
    pub(crate) fn integer(bytes: usize, big_endian: bool) -> Option<Self> {
        Some(match (bytes, big_endian) {
            (1, false) => Self::U8,
            (1, true) => Self::S8,
            (2, false) => Self::S16Le,
            (2, true) => Self::S16Be,
            (3, false) => Self::S24Le,
            (3, true) => Self::S24Be,
            (4, false) => Self::S32Le,
            (4, true) => Self::S32Be,
            _ => return None,
        })
    }

    /// Returns the kind for IEEE floating point of `bytes` bytes.
    pub(crate) fn float(bytes: usize, big_endian: bool) -> Option<Self> {
        Some(match (bytes, big_endian) {
            (4, false) => Self::F32Le,
            (4, true) => Self::F32Be,
            (8, false) => Self::F64Le,
            (8, true) => Self::F64Be,
            _ => return None,
        })
    }

    /// Returns whether samples are floating point numbers.
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F32Le | Self::F32Be | Self::F64Le | Self::F64Be | Self::F24Le | Self::F24Be)
    }

    /// Returns the byte value that encodes silence.
    pub(crate) fn silence(self) -> u8 {
        match self {
            Self::U8 => 0x80,
            Self::ALaw => 0xd5,
            Self::MuLaw => 0xff,
            _ => 0,
        }
    }

    /// Returns the codec's display name, for example "PCM 16 bit".
    pub(crate) fn codec(self) -> &'static str {
        match self {
            Self::U8 | Self::S8 => "PCM 8 bit",
            Self::S16Le | Self::S16Be => "PCM 16 bit",
            Self::S24Le | Self::S24Be | Self::S24In32Le | Self::S24In32Be => "PCM 24 bit",
            Self::S32Le | Self::S32Be => "PCM 32 bit",
            Self::F32Le | Self::F32Be | Self::F24Le | Self::F24Be => "PCM 32 bit float",
            Self::F64Le | Self::F64Be => "PCM 64 bit float",
            Self::ALaw => "A-law",
            Self::MuLaw => "mu-law",
        }
    }
}

/// Converts interleaved `bytes` (whole frames of `stride` bytes) into `out`, from frame `at` on.
pub(crate) fn deinterleave(kind: SampleKind, bytes: &[u8], stride: usize, out: &mut AudioBuffer, at: usize) {
    const S16: f32 = 1.0 / 32_768.0;
    const S24: f32 = 1.0 / 8_388_608.0;
    const S32: f64 = 1.0 / 2_147_483_648.0;
    match kind {
        SampleKind::U8 => spread(bytes, stride, out, at, |[a]| (f32::from(a) - 128.0) / 128.0),
        SampleKind::S8 => spread(bytes, stride, out, at, |[a]| f32::from(a.cast_signed()) / 128.0),
        SampleKind::S16Le => spread(bytes, stride, out, at, |b| f32::from(i16::from_le_bytes(b)) * S16),
        SampleKind::S16Be => spread(bytes, stride, out, at, |b| f32::from(i16::from_be_bytes(b)) * S16),
        SampleKind::S24Le => {
            spread(bytes, stride, out, at, |[a, b, c]| (i32::from_le_bytes([0, a, b, c]) >> 8) as f32 * S24);
        }
        SampleKind::S24Be => {
            spread(bytes, stride, out, at, |[a, b, c]| (i32::from_le_bytes([0, c, b, a]) >> 8) as f32 * S24);
        }
        // Computed in f64, so that only the conversion to f32 rounds.
        SampleKind::S32Le => spread(bytes, stride, out, at, |b| (f64::from(i32::from_le_bytes(b)) * S32) as f32),
        SampleKind::S32Be => spread(bytes, stride, out, at, |b| (f64::from(i32::from_be_bytes(b)) * S32) as f32),
        SampleKind::S24In32Le => {
            spread(bytes, stride, out, at, |[a, b, c, _]| (i32::from_le_bytes([0, a, b, c]) >> 8) as f32 * S24);
        }
        SampleKind::S24In32Be => {
            spread(bytes, stride, out, at, |[_, a, b, c]| (i32::from_be_bytes([a, b, c, 0]) >> 8) as f32 * S24);
        }
        SampleKind::F24Le => spread(bytes, stride, out, at, |b| f32::from_le_bytes(b) * S24),
        SampleKind::F24Be => spread(bytes, stride, out, at, |b| f32::from_be_bytes(b) * S24),
        SampleKind::F32Le => spread(bytes, stride, out, at, f32::from_le_bytes),
        SampleKind::F32Be => spread(bytes, stride, out, at, f32::from_be_bytes),
        SampleKind::F64Le => spread(bytes, stride, out, at, |b| f64::from_le_bytes(b) as f32),
        SampleKind::F64Be => spread(bytes, stride, out, at, |b| f64::from_be_bytes(b) as f32),
        SampleKind::ALaw => spread(bytes, stride, out, at, |[a]| f32::from(linear_from_alaw(a)) * S16),
        SampleKind::MuLaw => spread(bytes, stride, out, at, |[a]| f32::from(linear_from_mulaw(a)) * S16),
    }
}

fn spread<const B: usize>(
    bytes: &[u8],
    stride: usize,
    out: &mut AudioBuffer,
    at: usize,
    convert: impl Fn([u8; B]) -> f32 + Copy,
) {
    let frames = bytes.len() / stride;
    let sample = |frame: &[u8], channel: usize| {
        let mut stored = [0; B];
        stored.copy_from_slice(&frame[channel * B..(channel + 1) * B]);
        convert(stored)
    };
    match out.as_mut_vecs() {
        [mono] if stride == B => {
            for (to, stored) in mono[at..at + frames].iter_mut().zip(bytes.as_chunks::<B>().0) {
                *to = convert(*stored);
            }
        }
        // The widths are constants here, which lets the compiler vectorise the loop.
        [left, right] if stride == 2 * B => {
            let pairs = left[at..at + frames].iter_mut().zip(&mut right[at..at + frames]);
            for ((left, right), frame) in pairs.zip(bytes.chunks_exact(2 * B)) {
                *left = sample(frame, 0);
                *right = sample(frame, 1);
            }
        }
        channels => {
            for (channel, to) in channels.iter_mut().enumerate() {
                for (to, frame) in to[at..at + frames].iter_mut().zip(bytes.chunks_exact(stride)) {
                    *to = sample(frame, channel);
                }
            }
        }
    }
}

/// Decodes ITU-T G.711 A-law to 16-bit linear.
fn linear_from_alaw(code: u8) -> i16 {
    let code = code ^ 0x55;
    let exponent = (code >> 4) & 7;
    let mantissa = i16::from(code & 0x0f) << 4;
    let magnitude = if exponent == 0 { mantissa + 8 } else { (mantissa + 0x108) << (exponent - 1) };
    if code & 0x80 == 0 { -magnitude } else { magnitude }
}

/// Decodes ITU-T G.711 mu-law to 16-bit linear.
fn linear_from_mulaw(code: u8) -> i16 {
    let code = !code;
    let exponent = (code >> 4) & 7;
    let magnitude = (((i16::from(code & 0x0f) << 3) + 0x84) << exponent) - 0x84;
    if code & 0x80 == 0 { magnitude } else { -magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(kind: SampleKind, bytes: &[u8]) -> f32 {
        let mut out = AudioBuffer::new(1, 1);
        deinterleave(kind, bytes, kind.bytes(), &mut out, 0);
        out.channel(0)[0]
    }

    #[test]
    fn full_scale_and_signs_come_out_right() {
        assert_eq!(one(SampleKind::U8, &[0]), -1.0);
        assert_eq!(one(SampleKind::U8, &[128]), 0.0);
        assert_eq!(one(SampleKind::S8, &[0x80]), -1.0);
        assert_eq!(one(SampleKind::S16Le, &[0, 0x80]), -1.0);
        assert_eq!(one(SampleKind::S16Be, &[0x40, 0]), 0.5);
        assert_eq!(one(SampleKind::S24Le, &[0, 0, 0xc0]), -0.5);
        assert_eq!(one(SampleKind::S24Be, &[0x7f, 0xff, 0xff]), 8_388_607.0 / 8_388_608.0);
        assert_eq!(one(SampleKind::S32Le, &[0, 0, 0, 0x80]), -1.0);
        assert_eq!(one(SampleKind::S32Be, &[0x20, 0, 0, 0]), 0.25);
        assert_eq!(one(SampleKind::S24In32Le, &[0, 0, 0xc0, 0xff]), -0.5);
        assert_eq!(one(SampleKind::S24In32Be, &[0, 0x20, 0, 0]), 0.25);
        assert_eq!(one(SampleKind::F24Le, &(-4_194_304f32).to_le_bytes()), -0.5);
        assert_eq!(one(SampleKind::F24Be, &8_388_608f32.to_be_bytes()), 1.0);
        assert_eq!(one(SampleKind::F32Be, &0.3f32.to_be_bytes()), 0.3);
        assert_eq!(one(SampleKind::F64Le, &(-0.7f64).to_le_bytes()), -0.7);
    }

    #[test]
    fn companded_codes_have_the_values_of_the_standard() {
        // The extremes given in G.711: +-32256 for A-law, +-32124 for mu-law, and the smallest steps.
        assert_eq!((linear_from_alaw(0xaa), linear_from_alaw(0x2a)), (32_256, -32_256));
        assert_eq!((linear_from_alaw(0xd5), linear_from_alaw(0x55)), (8, -8));
        assert_eq!((linear_from_mulaw(0x80), linear_from_mulaw(0x00)), (32_124, -32_124));
        assert_eq!((linear_from_mulaw(0xff), linear_from_mulaw(0x7f)), (0, 0));
    }

    #[test]
    fn any_number_of_channels_and_a_padded_stride_part_rightly() {
        for channels in 1..5usize {
            for padding in [0, 3] {
                let stride = channels * 2 + padding;
                let mut bytes = vec![0xee; stride * 3];
                for frame in 0..3 {
                    for channel in 0..channels {
                        let value = (frame * 100 + channel) as i16;
                        bytes[frame * stride + channel * 2..][..2].copy_from_slice(&value.to_le_bytes());
                    }
                }
                let mut out = AudioBuffer::new(channels, 4);
                deinterleave(SampleKind::S16Le, &bytes, stride, &mut out, 1);
                for channel in 0..channels {
                    let got: Vec<f32> = out.channel(channel)[1..].iter().map(|sample| sample * 32_768.0).collect();
                    let want: Vec<f32> = (0..3).map(|frame| (frame * 100 + channel) as f32).collect();
                    assert_eq!(got, want, "{channels} channels, padding {padding}");
                }
            }
        }
    }
}
