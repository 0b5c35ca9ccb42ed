//! Integrated loudness after ITU-R BS.1770 and EBU R 128, by the `ebur128` crate.

use ebur128::{EbuR128, Mode};

use crate::audio::{AudioBuffer, AudioReader};
use crate::error::{Error, Result};
use crate::progress::Progress;

/// Frames read at once.
const BLOCK_FRAMES: usize = 1 << 15;

/// The integrated loudness in LUFS of the whole reader. None when nothing passes the gates: silence, or less than
/// 400 ms. Progress counts frames.
///
/// # Errors
/// The reader's; [`Error::Unsupported`] for a rate or a number of channels that BS.1770 measurement does not take;
/// [`Error::Cancelled`].
pub fn integrated_lufs(reader: &mut dyn AudioReader, progress: &Progress) -> Result<Option<f64>> {
    let format = reader.format();
    if format.channels == 0 || reader.frames() == 0 {
        return Ok(None);
    }
    let mut meter = EbuR128::new(format.channels as u32, format.rate.hz(), Mode::I | Mode::HISTOGRAM)
        .map_err(|error| failed(error, format.channels))?;
    let mut block = AudioBuffer::default();
    reader.seek(0)?;
    loop {
        reader.read(&mut block, BLOCK_FRAMES)?;
        if block.is_empty() {
            break;
        }
        let planes: Vec<&[f32]> = block.iter().collect();
        meter.add_frames_planar_f32(&planes).map_err(|error| failed(error, format.channels))?;
        progress.advance(block.frames() as u64)?;
    }
    let lufs = meter.loudness_global().map_err(|error| failed(error, format.channels))?;
    Ok(lufs.is_finite().then_some(lufs))
}

fn failed(error: ebur128::Error, channels: usize) -> Error {
    Error::unsupported("measuring the loudness of this stream", format!("{error} ({channels} channels)"))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;
    use crate::measure::memory::Memory;

    fn sine(rate: u32, channels: usize, seconds: f64, peak_db: f64) -> Memory {
        let gain = crate::units::gain_from_db(peak_db);
        let at = |n: u32| (gain * (2.0 * PI * 1000.0 * f64::from(n) / f64::from(rate)).sin()) as f32;
        let samples: Vec<f32> = (0..(seconds * f64::from(rate)) as u32).map(at).collect();
        Memory::new(rate, vec![samples; channels])
    }

    #[test]
    fn the_stereo_sine_of_ebu_tech_3341_reads_minus_23() {
        // Its first two cases: 20 s of 1 kHz in both channels at -23 and -33 dBFS, to be read within 0.1 LU.
        for (rate, level) in [(48_000, -23.0), (44_100, -23.0), (48_000, -33.0), (192_000, -23.0)] {
            let lufs = integrated_lufs(&mut sine(rate, 2, 20.0, level), &Progress::new()).unwrap().unwrap();
            assert!((lufs - level).abs() < 0.1, "{lufs} LUFS at {rate} Hz");
        }
    }

    #[test]
    fn silence_and_what_is_too_short_have_none() {
        let none = |mut reader: Memory| integrated_lufs(&mut reader, &Progress::new()).unwrap();
        assert_eq!(none(Memory::new(48_000, vec![vec![0.0; 96_000]])), None);
        assert_eq!(none(sine(48_000, 1, 0.3, -10.0)), None);
        assert_eq!(none(Memory::new(48_000, vec![Vec::new(), Vec::new()])), None);
    }

    #[test]
    fn a_cancel_stops_it_and_progress_counts_frames() {
        let progress = Progress::new();
        integrated_lufs(&mut sine(48_000, 1, 1.0, -20.0), &progress).unwrap();
        assert_eq!(progress.snapshot().done, 48_000);
        progress.cancel();
        assert!(matches!(integrated_lufs(&mut sine(48_000, 1, 1.0, -20.0), &progress), Err(Error::Cancelled)));
    }
}
