//! A lower sample rate: frequencies above half of it are removed. Samples are PCM of 24 bits, whose error (-146 dB re
//! full scale) does not show in any measure.

use super::coded::Coded;
use super::depth::{pcm_kbps, rounded, scaled};
use super::{Codec, Sound, check_format};
use audio::AudioFormat;
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::SampleRate;
use dsp::measure::resample::ResamplePlan;

/// The width of the samples.
const BITS: u32 = 24;
/// The lowest rate that can be chosen, in Hz.
const LOWEST_HZ: u32 = 1000;

/// PCM at a lower rate.
#[derive(Debug)]
pub struct Rate {
    rate: SampleRate,
    setting: String,
}

impl Rate {
    /// Reads the setting: a rate in hertz.
    pub fn from_setting(setting: &str) -> Result<Box<dyn Codec>> {
        let rate = setting.parse().ok().filter(|hz| *hz >= LOWEST_HZ).and_then(|hz| SampleRate::new(hz).ok());
        let allowed = || format!("{LOWEST_HZ} to {} (Hz)", SampleRate::MAX);
        let rate = rate.ok_or_else(|| Error::invalid("sample rate of `rate`", setting, allowed()))?;
        Ok(Box::new(Self { rate, setting: rate.hz().to_string() }))
    }

    /// A recording below the rate keeps its rate.
    fn rate_of(&self, format: AudioFormat) -> SampleRate {
        self.rate.min(format.rate)
    }
}

impl Codec for Rate {
    fn family(&self) -> &'static str {
        "rate"
    }

    fn setting(&self) -> &str {
        &self.setting
    }

    fn format_for(&self, format: AudioFormat) -> Result<AudioFormat> {
        Ok(format)
    }

    fn latency_frames(&self, format: AudioFormat) -> Result<u64> {
        let to = self.rate_of(format);
        if to == format.rate {
            return Ok(0);
        }
        // Far from the beginning, so that the start has no effect: the frames read until the last settled output, minus
        // the position of that output.
        let plan = ResamplePlan::new(format.rate, to);
        let read = 1i64 << 24;
        let place = plan.settled_outputs(read) as f64 * format.rate.as_f64() / to.as_f64();
        Ok((read as f64 - place).ceil().max(0.0) as u64)
    }

    fn nominal_kbps(&self, format: AudioFormat) -> Option<f64> {
        Some(pcm_kbps(BITS, format.with_rate(self.rate_of(format))))
    }

    fn encode(&self, sound: &Sound, progress: &Progress) -> Result<Coded> {
        check_format(self, sound)?;
        rounded(&sound.converted(self.rate_of(sound.format()), u64::MAX, progress)?, BITS, progress)
    }

    fn decode(&self, coded: &Coded, progress: &Progress) -> Result<Sound> {
        scaled(coded, BITS, progress)
    }
}
