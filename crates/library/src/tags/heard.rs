//! Decodes a file for the hash of all samples, their peak, and the energies that loudness is measured from.

use audio::{AudioBuffer, AudioFile, AudioReader, read_ahead};
use base::error::Result;
use base::progress::Progress;
use dsp::measure::loudness::{Blocks, LoudnessCurve};

/// The number of frames read at once.
const FRAMES_AT_ONCE: usize = 1 << 16;

/// The decoded sound of a file. Equal hashes mean equal sound, bit for bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heard {
    /// The hash of the frames and of all samples as they are decoded.
    pub hash: [u8; 32],
    /// The largest magnitude of a finite sample; full scale is 1.
    pub peak: f32,
}

impl Heard {
    /// Decodes the whole file.
    pub fn of(file: &AudioFile, progress: &Progress) -> Result<Self> {
        Self::decoded(file.reader()?.as_mut(), progress, |_| Ok(()))
    }

    /// Decodes the whole file, and measures the energies of its 400 ms windows, ten per second.
    pub fn with_energies(file: &AudioFile, progress: &Progress) -> Result<(Self, Vec<f32>)> {
        let mut reader = file.reader()?;
        let (mut blocks, mut curve) = (Blocks::new(reader.format())?, LoudnessCurve::default());
        let heard = Self::decoded(reader.as_mut(), progress, |audio| {
            let planes: Vec<&[f32]> = audio.iter().collect();
            blocks.add(&planes, |energy| curve.push(energy))
        })?;
        Ok((heard, curve.into_momentary_energies()))
    }

    fn decoded(
        reader: &mut dyn AudioReader,
        progress: &Progress,
        mut also: impl FnMut(&AudioBuffer) -> Result<()> + Send,
    ) -> Result<Self> {
        let mut hasher = blake3::Hasher::new();
        let (mut peak, mut bytes) = (0f32, Vec::new());
        read_ahead(reader, FRAMES_AT_ONCE, |audio| {
            progress.check()?;
            for plane in audio.iter() {
                bytes.clear();
                bytes.extend(plane.iter().flat_map(|sample| sample.to_le_bytes()));
                hasher.update(&bytes);
                peak = plane.iter().map(|sample| sample.abs()).filter(|sample| sample.is_finite()).fold(peak, f32::max);
            }
            hasher.update(&(audio.frames() as u64).to_le_bytes());
            also(audio)?;
            Ok(true)
        })?;
        Ok(Self { hash: *hasher.finalize().as_bytes(), peak })
    }
}
