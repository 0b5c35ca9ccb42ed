//! K-weighted energy in blocks of 20 ms, of which every BS.1770 loudness is a mean.
//!
//! The weighting is that of ITU-R BS.1770-4, for any rate: a high shelf, `(V s^2 + V^0.4997 s/Q + 1) / (s^2 + s/Q + 1)`
//! at 1681.97 Hz with Q = 0.7072 and 4.0 dB, followed by a high-pass, `s^2 / (s^2 + s/Q + 1)` at 38.135 Hz with Q =
//! 0.5003, with its gain set so that the numerator is `1 - 2 z^-1 + z^-2` (B. De Man, "Evaluation of implementations of
//! the EBU R128 loudness measurement", AES 145, 2018). Channels are weighted by the places of their loudspeakers, as in
//! ITU-R BS.1770-5, annex 3, table 4: 1.41 (+1.5 dB) at an azimuth of 60 to 120 degrees below an elevation of 30
//! degrees, 1 elsewhere; the LFE does not count. The places are those of ITU-R BS.2051: sides at 90 degrees, the rear
//! pair at 135 degrees if there are sides and otherwise, as the surrounds of BS.775, at 110 degrees, the back centre at
//! 180 degrees. An unknown layout counts as the usual one for its number of channels. Beyond eight channels there is no
//! usual layout, and every channel has a weight of 1.

use rayon::prelude::*;

use super::finite::Finite;
use crate::design::{Section, Warped};
use crate::kernels::signal::iir_cascade::{Cascade, cpu};
use base::error::{Error, Result};
use base::simd::Simd;
use base::sound::{AudioFormat, Speaker};

/// Blocks per second.
pub const BLOCKS_PER_S: usize = 50;
/// The lowest rate in Hz. Below it the weighting is undefined and a block has almost no frames.
const MIN_RATE: u32 = 2000;
/// The largest number of channels.
const MAX_CHANNELS: usize = 64;
/// The offset of BS.1770, in dB.
const OFFSET_DB: f64 = -0.691;
/// Frames weighted at a time, so that they stay in the cache.
const PIECE: usize = 1 << 13;
/// The least number of frames that are divided among threads by channel.
const WORTH_SHARING: usize = 1 << 13;
/// The weight of a surround channel.
const SURROUND: f64 = 1.41;

/// Returns the weights of the channels of a stream.
fn weights(format: AudioFormat) -> Vec<f64> {
    let Some(layout) = format.assumed_layout() else { return vec![1.0; format.channels] };
    let has_sides = layout.has(Speaker::SideLeft) || layout.has(Speaker::SideRight);
    let weight = |speaker| match speaker {
        Speaker::LowFrequency => 0.0,
        Speaker::SideLeft | Speaker::SideRight => SURROUND,
        Speaker::BackLeft | Speaker::BackRight if !has_sides => SURROUND,
        _ => 1.0,
    };
    layout.speakers().map(weight).collect()
}

/// Returns the two sections of the weighting.
fn k_weighting(rate_hz: f64) -> Option<[Section; 2]> {
    let lift = 10f64.powf(3.999_843_853_973_347 / 20.0);
    let shelf = Warped::new(1_681.974_450_955_533, rate_hz)?.get();
    let shelf_k = 1.0 / 0.707_175_236_955_419_6;
    let high = Warped::new(38.135_470_876_024_44, rate_hz)?.get();
    let high_k = 1.0 / 0.500_327_037_323_877_3;
    Some([
        Section::from_prototype(shelf, shelf_k, [lift, lift.powf(0.499_666_774_154_541_6) * shelf_k, 1.0]),
        Section::from_prototype(high, high_k, [1.0, 0.0, 0.0]).scaled(1.0 + high * (high + high_k)),
    ])
}

/// Returns the loudness in LUFS of a mean energy; minus infinity for 0.
pub fn lufs_from_energy(energy: f64) -> f64 {
    if energy > 0.0 { OFFSET_DB + 10.0 * energy.log10() } else { f64::NEG_INFINITY }
}

/// Returns the mean energy of a loudness in LUFS.
pub fn energy_from_lufs(lufs: f64) -> f64 {
    10f64.powf((lufs - OFFSET_DB) / 10.0)
}

/// Divides a stream into blocks and measures their weighted energy. Channels are weighted by their loudspeakers as in
/// BS.1770: those beside the listener by 1.5 dB more, the LFE by 0.
pub struct Blocks {
    cascade: Cascade,
    rate: u64,
    channels: Vec<Channel>,
    finite: Finite,
}

struct Channel {
    weight: f64,
    states: Vec<[f64; 2]>,
    samples: Vec<f64>,
    /// The frames processed, the energy of the unfinished block, and the energies of the finished ones.
    frames: u64,
    sum: f64,
    full: Vec<f64>,
}

impl Blocks {
    /// Plans the measurement of a stream.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a rate below 2 kHz, no channel, or more than 64 channels.
    pub fn new(format: AudioFormat) -> Result<Self> {
        let refused = |why: String| Error::unsupported("Measuring the loudness of this recording", why);
        let rate = format.rate.hz();
        let sections = k_weighting(format.rate.as_f64())
            .filter(|_| rate >= MIN_RATE)
            .ok_or_else(|| refused(format!("{rate} Hz is too low a rate")))?;
        if !(1..=MAX_CHANNELS).contains(&format.channels) {
            return Err(refused(format!("it has {} channels; 1 to {MAX_CHANNELS} are allowed", format.channels)));
        }
        let channel = |weight| Channel {
            weight,
            states: vec![[0.0; 2]; sections.len()],
            samples: Vec::new(),
            frames: 0,
            sum: 0.0,
            full: Vec::new(),
        };
        let channels = weights(format).into_iter().map(channel).collect();
        Ok(Self { cascade: Cascade::new(&sections), rate: u64::from(rate), channels, finite: Finite::default() })
    }

    /// Adds any number of samples and passes the mean energy of every completed block to `each`. Samples that are not
    /// finite count as silence.
    pub fn add(&mut self, planes: &[&[f32]], mut each: impl FnMut(f64)) -> Result<()> {
        if planes.len() != self.channels.len() {
            let got = format!("{} planes for the loudness of {} channels", planes.len(), self.channels.len());
            return Err(Error::Internal(got));
        }
        let (cascade, rate, planes) = (&self.cascade, self.rate, self.finite.of(planes));
        let add = |channel: &mut Channel, samples: &[f32]| {
            channel.full.clear();
            if channel.weight > 0.0 { channel.add(cascade, rate, samples) } else { Ok(()) }
        };
        if planes[0].len() >= WORTH_SHARING {
            self.channels.par_iter_mut().zip(planes).try_for_each(|(channel, samples)| add(channel, samples))?;
        } else {
            self.channels.iter_mut().zip(planes).try_for_each(|(channel, samples)| add(channel, samples))?;
        }
        let count = self.channels.iter().map(|channel| channel.full.len()).max().unwrap_or(0);
        for block in 0..count {
            let weighted = |channel: &Channel| channel.full.get(block).map_or(0.0, |energy| channel.weight * energy);
            each(self.channels.iter().map(weighted).sum());
        }
        Ok(())
    }
}

impl Channel {
    fn add(&mut self, cascade: &Cascade, rate: u64, samples: &[f32]) -> Result<()> {
        samples.chunks(PIECE).try_for_each(|samples| self.add_piece(cascade, rate, samples))
    }

    fn add_piece(&mut self, cascade: &Cascade, rate: u64, samples: &[f32]) -> Result<()> {
        self.samples.clear();
        self.samples.extend(samples.iter().map(|&x| f64::from(x)));
        cpu::run_f64(Simd::best(), cascade, &mut self.states, &mut self.samples)?;
        let mut rest: &[f64] = &self.samples;
        while !rest.is_empty() {
            let (block, begun) = self.block(rate);
            let end = (block + 1) * rate / BLOCKS_PER_S as u64;
            let count = rest.len().min((end - self.frames) as usize);
            let (now, later) = rest.split_at(count);
            self.sum += sum_of_squares(now);
            self.frames += count as u64;
            rest = later;
            if self.frames == end {
                self.full.push(self.sum / (end - begun) as f64);
                self.sum = 0.0;
            }
        }
        Ok(())
    }

    /// Returns the block that the next frame belongs to, and the block's first frame.
    fn block(&self, rate: u64) -> (u64, u64) {
        // Frame `n` is in the last block that begins at or before it.
        let mut block = self.frames * BLOCKS_PER_S as u64 / rate;
        if (block + 1) * rate / BLOCKS_PER_S as u64 <= self.frames {
            block += 1;
        }
        (block, block * rate / BLOCKS_PER_S as u64)
    }
}

/// Sums in eight lanes, so that additions do not depend on each other.
fn sum_of_squares(x: &[f64]) -> f64 {
    let (whole, rest) = x.as_chunks::<8>();
    let mut lanes = [0f64; 8];
    for x in whole {
        for lane in 0..8 {
            lanes[lane] += x[lane] * x[lane];
        }
    }
    rest.iter().fold(lanes.iter().sum(), |sum, x| sum + x * x)
}
