//! Encodes the monitor's frames as bytes, which a web view can draw without parsing.

use serde::Deserialize;

use crate::audio::Lanes;
use crate::design::WindowName;
use crate::error::Result;
use crate::measure::analyser::{AnalyserSpec, Averaging, Hold, LogAxis};
use crate::playback::{MonitorFrame, MonitorPart, MonitorRequest, Side};
use crate::window::App;
use crate::work::settings::AnalyserSlope;
use base::declared::TS;

/// A query to the monitor, made for every frame drawn.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, TS)]
pub struct MonitorQuery {
    /// The window function.
    pub window: WindowName,
    /// The window length in frames.
    pub window_frames: u32,
    /// How spectra are averaged.
    pub averaging: Averaging,
    /// Whether and how peaks are held.
    pub hold: Hold,
    /// The lanes that have a spectrum.
    pub channels: Lanes,
    /// The slope added to the spectrum.
    pub slope: AnalyserSlope,
    /// The channel pair of the output to show, counted from 0.
    pub pair: u32,
    /// The frequency of the first point, in Hz.
    pub from_hz: f64,
    /// The frequency of the last point, in Hz.
    pub to_hz: f64,
    /// The number of points along the frequency axis.
    pub points: u32,
}

/// The flags of a frame.
const SOUNDING: u32 = 1;
const PROCESSED: u32 = 2;
const BOTH: u32 = 4;
const HELD: u32 = 8;

impl App {
    /// Returns the monitor frame of the sound that is heard now.
    ///
    /// The result is little-endian. 32-bit words: the sequence number of the frame (unchanged if there is nothing new),
    /// flags (1: audio is playing, 2: the processed side is heard, 4: the other side is also available, 8: peak-hold
    /// values follow), sample rate in Hz (0 before anything was played), channels, both channels of the pair, lanes,
    /// points per lane, goniometer points. As f32: correlation, momentary, short-term and integrated loudness in LUFS,
    /// loudness range in LU, true peak in dB (`NaN` if unknown), and a reserved word. Then for each lane the levels of
    /// the original and of the processed side, followed by the peak-hold values of both sides if flagged, as f32; then
    /// the goniometer's points as pairs of side and mid.
    pub fn monitor(&self, query: MonitorQuery) -> Result<Vec<u8>> {
        let spec = AnalyserSpec {
            window: query.window.into(),
            size: query.window_frames as usize,
            averaging: query.averaging,
            hold: query.hold,
        };
        let axis = LogAxis::new(query.from_hz, query.to_hz, query.points as usize, query.slope.db_per_octave())?;
        let request = MonitorRequest { spec, lanes: query.channels, pair: query.pair as usize, axis };
        Ok(bytes(&self.playback.player().monitor(request)?))
    }

    pub(in crate::window) fn set_monitoring(&self, on: bool) -> Result<()> {
        self.playback.player().set_monitoring(on);
        Ok(())
    }

    pub(in crate::window) fn reset_monitor(&self, part: MonitorPart) -> Result<()> {
        self.playback.player().reset_monitor(part);
        Ok(())
    }
}

fn bytes(frame: &MonitorFrame) -> Vec<u8> {
    let held = frame.lanes.iter().all(|lane| lane.held.is_some()) && !frame.lanes.is_empty();
    let flag = |set: bool, flag: u32| if set { flag } else { 0 };
    let flags = flag(frame.sounding, SOUNDING)
        | flag(frame.side == Side::Processed, PROCESSED)
        | flag(frame.both, BOTH)
        | flag(held, HELD);
    let points = frame.lanes.first().map_or(0, |lane| lane.levels[0].len());
    let [left, right] = frame.pair.map(|channel| channel as u32);
    let counts = [frame.channels as u32, left, right, frame.lanes.len() as u32, points as u32];
    let number = |value: Option<f64>| value.map_or(f32::NAN, |value| value as f32).to_bits();
    let loudness = &frame.loudness;
    let mut words = vec![frame.sequence as u32, flags, frame.rate];
    words.extend(counts);
    words.push(frame.goniometer.len() as u32);
    let measured =
        [loudness.momentary, loudness.short_term, loudness.integrated, loudness.range, loudness.true_peak_db];
    words.push(number(frame.correlation));
    words.extend(measured.map(number));
    words.push(0);
    let mut bytes = bytemuck::cast_slice(&words).to_vec();
    for lane in &frame.lanes {
        let held = lane.held.iter().flatten().filter(|_| held);
        lane.levels.iter().chain(held).for_each(|levels| bytes.extend_from_slice(bytemuck::cast_slice(levels)));
    }
    bytes.extend_from_slice(bytemuck::cast_slice(&frame.goniometer));
    bytes
}
