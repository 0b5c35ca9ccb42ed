//! What is heard, as bytes for a web view to draw without parsing.

use super::App;
use super::api::{AnalyserAveraging, AnalyserHold, LaneChannels, MonitorPart, MonitorQuery};
use super::spectrograms::window;
use crate::error::Result;
use crate::measure::analyser::{AnalyserSpec, Averaging, Axis, Hold};
use crate::playback::{MonitorFrame, MonitorLanes, MonitorRequest, MonitorReset, Side};

/// Flags of a frame.
const SOUNDING: u32 = 1;
const PROCESSED: u32 = 2;
const BOTH: u32 = 4;
const HELD: u32 = 8;

impl App {
    /// What is heard now, while it is looked at. Little-endian words of 32 bits: the frame's number (the same is nothing
    /// new), flags (1 sounding, 2 the processed side is heard, 4 the other side is there too, 8 held peaks follow), rate
    /// (0 before anything was played), channels, both channels of the pair, lanes, points, points of the goniometer; as
    /// f32 correlation, momentary, short-term and integrated loudness, loudness range, true peak in dB - not numbers where
    /// there is none - and a reserved word. Then for each lane the levels of the original and of the processed side, and
    /// both sides' held peaks if they follow, as f32; then the goniometer's points, side and mid in turn.
    ///
    /// # Errors
    /// [`crate::Error::Invalid`] for what cannot be analysed.
    pub fn monitor(&self, query: MonitorQuery) -> Result<Vec<u8>> {
        let spec = AnalyserSpec {
            window: window(query.window),
            size: query.window_frames as usize,
            averaging: match query.averaging {
                AnalyserAveraging::Off => Averaging::Off,
                AnalyserAveraging::Fast => Averaging::Fast,
                AnalyserAveraging::Slow => Averaging::Slow,
            },
            hold: match query.hold {
                AnalyserHold::Off => Hold::Off,
                AnalyserHold::Decay => Hold::Decay,
                AnalyserHold::UntilReset => Hold::UntilReset,
            },
        };
        let lanes = match query.channels {
            LaneChannels::Each => MonitorLanes::Each,
            LaneChannels::Mix => MonitorLanes::Mix,
            LaneChannels::MidSide => MonitorLanes::MidSide,
        };
        let axis = Axis::new(query.from_hz, query.to_hz, query.points as usize, query.slope.db_per_octave())?;
        let request = MonitorRequest { spec, lanes, pair: query.pair as usize, axis };
        Ok(bytes(&self.shared.transport.player().monitor(request)?))
    }

    pub(super) fn set_monitoring(&self, on: bool) -> Result<()> {
        self.shared.transport.player().set_monitoring(on);
        Ok(())
    }

    pub(super) fn reset_monitor(&self, part: MonitorPart) -> Result<()> {
        self.shared.transport.player().reset_monitor(match part {
            MonitorPart::Peaks => MonitorReset::Peaks,
            MonitorPart::Loudness => MonitorReset::Loudness,
        });
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
