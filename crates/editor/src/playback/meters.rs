//! Levels of what is heard, collected from the callback's reports.

use std::collections::VecDeque;

use super::ring::{METERED_CHANNELS, MeterBlock, Report};
use super::transport::MeterLevels;

/// Levels over the last 50 ms.
#[derive(Debug, Default)]
pub(super) struct MeterWindow {
    blocks: VecDeque<(u32, [MeterBlock; METERED_CHANNELS])>,
    frames: u64,
    clipped: u64,
    not_finite: u64,
}

impl MeterWindow {
    /// Adds one call of the callback, at an output of this rate.
    pub fn add(&mut self, report: &Report, rate: u32) {
        self.blocks.push_back((report.asked, report.meters));
        self.frames += u64::from(report.asked);
        self.clipped += u64::from(report.clipped);
        self.not_finite += u64::from(report.not_finite);
        while let Some(&(oldest, _)) = self.blocks.front()
            && self.frames - u64::from(oldest) >= u64::from(rate / 20)
        {
            self.blocks.pop_front();
            self.frames -= u64::from(oldest);
        }
    }

    /// Clears the levels, when the output is paused or replaced.
    pub fn fall_silent(&mut self) {
        self.blocks.clear();
        self.frames = 0;
    }

    /// Clears the counters, when playback begins.
    pub fn begin(&mut self) {
        self.clipped = 0;
        self.not_finite = 0;
    }

    /// Returns the levels of the first `channels` channels.
    pub fn levels(&self, channels: usize) -> MeterLevels {
        let channels = channels.min(METERED_CHANNELS);
        let (peak, rms) = (vec![0.0; channels], vec![0.0; channels]);
        let (clipped, not_finite) = (self.clipped, self.not_finite);
        let mut levels = MeterLevels { peak, rms, clipped, not_finite, reductions: Vec::new(), tracks: Vec::new() };
        for channel in 0..channels {
            let meters = self.blocks.iter().map(|(_, meters)| meters[channel]);
            levels.peak[channel] = meters.clone().fold(0.0, |peak, meter| f64::max(peak, f64::from(meter.peak)));
            if self.frames > 0 {
                let sum: f64 = meters.map(|meter| meter.sum_of_squares).sum();
                levels.rms[channel] = (sum / self.frames as f64).sqrt();
            }
        }
        levels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(asked: u32, peak: f32, sum_of_squares: f64) -> Report {
        let mut meters = [MeterBlock::default(); METERED_CHANNELS];
        meters[0] = MeterBlock { peak, sum_of_squares };
        Report {
            clock: 0,
            frames: asked,
            content: asked,
            asked,
            at_ns: 0,
            latency_ns: 0,
            heard: None,
            clipped: 1,
            not_finite: 0,
            meters,
        }
    }

    #[test]
    fn levels_are_those_of_the_last_fifty_milliseconds() {
        let mut window = MeterWindow::default();
        window.add(&report(1200, 1.0, 1200.0), 48_000);
        window.add(&report(1200, 0.5, 300.0), 48_000);
        assert_eq!(window.levels(2).peak, [1.0, 0.0]);
        assert!((window.levels(1).rms[0] - (1500.0f64 / 2400.0).sqrt()).abs() < 1e-12);
        window.add(&report(1200, 0.5, 300.0), 48_000);
        let levels = window.levels(1);
        assert_eq!((levels.peak[0], levels.rms[0], levels.clipped), (0.5, 0.5, 3));
        window.fall_silent();
        let silent = MeterLevels { peak: vec![0.0], rms: vec![0.0], clipped: 3, ..MeterLevels::default() };
        assert_eq!(window.levels(1), silent);
    }
}
