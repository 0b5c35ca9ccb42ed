//! Writes WAV: RIFF, with the extensible format where the plain one is not sufficient, and RF64 beyond 4 GiB.
//!
//! Sources: Microsoft's "Multiple channel audio data and WAVE files" (2007); EBU Tech 3306, "RF64: an extended file
//! format for audio" (2009).

use crate::{AudioFormat, Layout};
use base::error::{Error, Result};
use base::units::SampleRate;

use super::SampleFormat;
use super::output::EncodeOutput;

/// The size of the placeholder chunk that becomes `ds64` if the file exceeds 4 GiB.
const RESERVED: u64 = 28;
/// The bytes before the first chunk after that placeholder.
const BEFORE_CHUNKS: usize = 12 + 8 + RESERVED as usize;

/// Writes a WAV stream to a file.
#[derive(Debug)]
pub struct WavWriter {
    sample: SampleFormat,
    format: AudioFormat,
    /// The bytes of the header, without chunks.
    header: u64,
    /// The bytes of the chunks in the header.
    chunks: u64,
    data: u64,
    /// The largest size for which RIFF is used.
    riff_limit: u64,
}

impl WavWriter {
    /// Writes the header with some chunks, each of even length. The sizes are filled in at the end.
    ///
    /// # Errors
    /// [`Error::Limit`] if a frame has more than 65,535 bytes.
    pub fn begin(file: &mut EncodeOutput, sample: SampleFormat, format: AudioFormat, chunks: &[u8]) -> Result<Self> {
        let align = format.channels * sample.bytes();
        if align > usize::from(u16::MAX) || format.channels == 0 {
            return Err(Error::Limit {
                what: "the number of channels of a WAV file".into(),
                got: format.channels.to_string(),
                limit: (usize::from(u16::MAX) / sample.bytes()).to_string(),
            });
        }
        let head = head(sample, format, align as u16);
        let (before, after) = head.split_at(BEFORE_CHUNKS);
        file.append(before)?;
        file.append(chunks)?;
        file.append(after)?;
        let (header, chunks) = (head.len() as u64, chunks.len() as u64);
        Ok(Self { sample, format, header, chunks, data: 0, riff_limit: u64::from(u32::MAX) })
    }

    /// Uses RF64 for files of more than `bytes`, so that tests need not write 4 GiB.
    #[cfg(test)]
    pub fn set_riff_limit(&mut self, bytes: u64) {
        self.riff_limit = bytes;
    }

    /// Appends frames packed by [`pack_integers`] or [`pack_floats`].
    pub fn append(&mut self, file: &mut EncodeOutput, bytes: &[u8]) -> Result<()> {
        self.data += bytes.len() as u64;
        file.append(bytes)
    }

    /// Appends the tag chunks and writes the sizes.
    pub fn end(self, file: &mut EncodeOutput, tags: &[u8]) -> Result<()> {
        if self.data % 2 == 1 {
            file.append(&[0])?;
        }
        file.append(tags)?;
        let riff = self.header - 8 + self.chunks + self.data + self.data % 2 + tags.len() as u64;
        let head = sized_head(self.sample, self.format, self.data, riff, self.riff_limit);
        let (before, after) = head.split_at(BEFORE_CHUNKS);
        file.patch(0, before)?;
        file.patch(BEFORE_CHUNKS as u64 + self.chunks, after)
    }
}

/// Returns everything before the samples, for `data` bytes of them and `riff` bytes after the first eight. Beyond
/// `riff_limit` it is that of an RF64.
pub fn sized_head(sample: SampleFormat, format: AudioFormat, data: u64, riff: u64, riff_limit: u64) -> Vec<u8> {
    let align = format.channels * sample.bytes();
    let frames = data / align as u64;
    let mut head = head(sample, format, align as u16);
    let data_size = head.len() - 4;
    if let Some(fact) = fact_offset(sample, format) {
        head[fact as usize..][..4].copy_from_slice(&(frames.min(u64::from(u32::MAX)) as u32).to_le_bytes());
    }
    if riff <= riff_limit {
        head[data_size..].copy_from_slice(&(data as u32).to_le_bytes());
        head[4..8].copy_from_slice(&(riff as u32).to_le_bytes());
        return head;
    }
    head[data_size..].copy_from_slice(&u32::MAX.to_le_bytes());
    head[..8].copy_from_slice(b"RF64\xff\xff\xff\xff");
    head[12..16].copy_from_slice(b"ds64");
    for (place, size) in head[20..44].chunks_exact_mut(8).zip([riff, data, frames]) {
        place.copy_from_slice(&size.to_le_bytes());
    }
    head
}

/// Returns the sample format and the audio format of a file that begins with a header of this writer, and the length of
/// that header.
pub fn read_head(bytes: &[u8]) -> Option<(SampleFormat, AudioFormat, u64)> {
    let word = |at: usize| Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let long = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let (is_extensible, tag) = match word(56)? {
        0xfffe => (true, word(80)?),
        tag => (false, tag),
    };
    let sample = match (tag, word(70)?) {
        (1, 16) => SampleFormat::Int16,
        (1, 24) => SampleFormat::Int24,
        (1, 32) => SampleFormat::Int32,
        (3, 32) => SampleFormat::Float32,
        _ => return None,
    };
    let layout = if is_extensible { Layout::from_mask(long(76)?) } else { None };
    let format = AudioFormat::new(SampleRate::new(long(60)?).ok()?, usize::from(word(58)?)).with_layout(layout);
    if format.channels == 0 || is_extensible != extensible(sample, format) {
        return None;
    }
    let mut known = head(sample, format, (format.channels * sample.bytes()) as u16);
    let there = bytes.get(..known.len())?;
    // The sizes do not matter.
    let fact = fact_offset(sample, format).map(|fact| fact as usize..fact as usize + 4);
    for sizes in [0..8, 12..48].into_iter().chain(fact).chain(std::iter::once(known.len() - 4..known.len())) {
        known[sizes.clone()].copy_from_slice(&there[sizes]);
    }
    (known == there && matches!(&there[..4], b"RIFF" | b"RF64")).then_some((sample, format, known.len() as u64))
}

/// Returns the number of bytes before the samples.
pub fn header_bytes(sample: SampleFormat, format: AudioFormat) -> u64 {
    head(sample, format, 0).len() as u64
}

/// Returns whether the plain format chunk is not sufficient: a layout other than mono and stereo, or integers of more
/// than 16 bits.
fn extensible(sample: SampleFormat, format: AudioFormat) -> bool {
    !matches!(format.layout(), Some(Layout::MONO | Layout::STEREO))
        || matches!(sample, SampleFormat::Int24 | SampleFormat::Int32)
}

/// Returns the byte offset of the frame count. All formats but plain PCM have a `fact` chunk.
fn fact_offset(sample: SampleFormat, format: AudioFormat) -> Option<u64> {
    let plain = sample == SampleFormat::Int16 && !extensible(sample, format);
    (!plain).then(|| 12 + 8 + RESERVED + 8 + if extensible(sample, format) { 40 } else { 18 } + 8)
}

fn head(sample: SampleFormat, format: AudioFormat, align: u16) -> Vec<u8> {
    let mut head = Vec::with_capacity(128);
    head.extend_from_slice(b"RIFF\0\0\0\0WAVEJUNK");
    head.extend_from_slice(&(RESERVED as u32).to_le_bytes());
    head.extend_from_slice(&[0; RESERVED as usize]);
    let tag: u16 = if sample == SampleFormat::Float32 { 3 } else { 1 };
    let extensible = extensible(sample, format);
    let size: u32 = match (extensible, tag) {
        (true, _) => 40,
        (false, 3) => 18,
        (false, _) => 16,
    };
    let bits = sample.bytes() as u16 * 8;
    head.extend_from_slice(b"fmt ");
    head.extend_from_slice(&size.to_le_bytes());
    head.extend_from_slice(&if extensible { 0xfffe } else { tag }.to_le_bytes());
    head.extend_from_slice(&(format.channels as u16).to_le_bytes());
    head.extend_from_slice(&format.rate.hz().to_le_bytes());
    head.extend_from_slice(&format.rate.hz().saturating_mul(u32::from(align)).to_le_bytes());
    head.extend_from_slice(&align.to_le_bytes());
    head.extend_from_slice(&bits.to_le_bytes());
    if extensible {
        head.extend_from_slice(&22u16.to_le_bytes());
        head.extend_from_slice(&bits.to_le_bytes());
        head.extend_from_slice(&speakers(format).to_le_bytes());
        head.extend_from_slice(&tag.to_le_bytes());
        // The remaining bytes of KSDATAFORMAT_SUBTYPE_PCM and KSDATAFORMAT_SUBTYPE_IEEE_FLOAT.
        head.extend_from_slice(&[0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]);
    } else if size == 18 {
        head.extend_from_slice(&0u16.to_le_bytes());
    }
    if fact_offset(sample, format).is_some() {
        head.extend_from_slice(b"fact\x04\0\0\0\0\0\0\0");
    }
    head.extend_from_slice(b"data\0\0\0\0");
    head
}

/// Returns the speakers as bits of `dwChannelMask`. Where no layout is known or usual it is 0, which assigns no speakers.
fn speakers(format: AudioFormat) -> u32 {
    format.assumed_layout().map_or(0, Layout::mask)
}

/// Interleaves planar integers of the sample format's width and appends them to `bytes` as little-endian.
pub fn pack_integers(sample: SampleFormat, channels: &[Vec<i32>], bytes: &mut Vec<u8>) {
    let frames = channels.first().map_or(0, Vec::len);
    let start = bytes.len();
    bytes.resize(start + frames * channels.len() * sample.bytes(), 0);
    let out = &mut bytes[start..];
    match (sample, channels) {
        (SampleFormat::Int16, [left, right]) => {
            for ((out, &left), &right) in out.as_chunks_mut::<4>().0.iter_mut().zip(left).zip(right) {
                *out = ((left as u32 & 0xffff) | ((right as u32) << 16)).to_le_bytes();
            }
        }
        (SampleFormat::Int16, _) => interleave(channels, out, |sample| (sample as i16).to_le_bytes()),
        (SampleFormat::Int24, _) => interleave(channels, out, |sample| {
            let [low, middle, high, _] = sample.to_le_bytes();
            [low, middle, high]
        }),
        _ => interleave(channels, out, i32::to_le_bytes),
    }
}

/// Interleaves planar floats and appends them to `bytes` as little-endian.
pub fn pack_floats(channels: &[&[f32]], bytes: &mut Vec<u8>) {
    let frames = channels.first().map_or(0, |channel| channel.len());
    let start = bytes.len();
    bytes.resize(start + frames * channels.len() * 4, 0);
    let out = &mut bytes[start..];
    if let [left, right] = channels {
        for ((out, &left), &right) in out.as_chunks_mut::<8>().0.iter_mut().zip(*left).zip(*right) {
            *out = (left.to_bits() as u64 | (right.to_bits() as u64) << 32).to_le_bytes();
        }
    } else {
        interleave(channels, out, f32::to_le_bytes);
    }
}

fn interleave<T: Copy, C: AsRef<[T]>, const N: usize>(channels: &[C], out: &mut [u8], bytes: impl Fn(T) -> [u8; N]) {
    for (index, channel) in channels.iter().enumerate() {
        let places = out.as_chunks_mut::<N>().0.iter_mut().skip(index).step_by(channels.len());
        for (place, &sample) in places.zip(channel.as_ref()) {
            *place = bytes(sample);
        }
    }
}
