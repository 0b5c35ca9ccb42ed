//! A log of what was heard when, kept during an overdub.

use std::sync::Arc;

use super::call_times::CallTimes;
use super::lock::Mutex;
use super::output::OutputInfo;
use super::ring::Report;
use super::timeline::Timeline;

/// A log of what the output plays while it is watched. The engine's worker writes it, never the audio thread.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// The output; `None` before it has played.
    pub output: Option<OutputInfo>,
    /// The rate of the recording that plays, in Hz.
    pub recording_rate: u32,
    /// When the frames of the output were heard, counted from when it is watched, silence included.
    pub calls: CallTimes,
    /// The frames that were asked for so far.
    pub stream_frames: u64,
    /// The parts that were heard in them, each of frames that follow one another without a gap.
    pub parts: Vec<HeardPart>,
    /// Whether the output has lost time since the last part.
    pub lost_time: bool,
    /// How often the output ran dry.
    pub underruns: u64,
    /// Whether playing has begun and ended.
    pub ended: bool,
    /// Whether the output was lost or changed; the log is of the first one.
    pub broken: bool,
    /// Why it cannot be played.
    pub problem: Option<String>,
}

/// Frames that were heard one after the other, without a time that the output lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeardPart {
    /// The first of them, counted in frames of the output since the watch began.
    pub stream: u64,
    /// The corresponding frame of the recording, at the output's rate.
    pub frame: u64,
    /// Their number.
    pub frames: u64,
    /// When the first of them was heard.
    pub at_ns: i64,
}

impl Heard {
    /// Returns the frame of the recording up to which was played, if anything was.
    pub fn reached(&self) -> Option<u64> {
        let last = self.parts.last()?;
        let (end, from, to) = (last.frame + last.frames, self.recording_rate, self.calls.rate());
        Some((u128::from(end) * u128::from(from) / u128::from(to.max(1))) as u64)
    }
}

/// A note that the engine writes and others read.
#[derive(Clone, Debug, Default)]
pub struct HeardLog(Arc<Mutex<Heard>>);

impl HeardLog {
    /// Returns a copy of the log so far.
    pub fn read(&self) -> Heard {
        self.0.lock().clone()
    }

    /// Calls `look` with the log so far.
    pub fn with<T>(&self, look: impl FnOnce(&Heard) -> T) -> T {
        look(&self.0.lock())
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut Heard)) {
        let mut heard = self.0.lock();
        if !heard.broken {
            change(&mut heard);
        }
    }

    /// Notes a call of the output.
    pub(super) fn note(&self, report: &Report, output: &OutputInfo, timeline: Option<&Timeline>) {
        self.change(|heard| {
            if heard.output.is_none() {
                heard.output = Some(output.clone());
                heard.calls = CallTimes::new(output.rate);
            }
            let at_ns = report.at_ns as i64 + report.latency_ns as i64;
            heard.calls.note(heard.stream_frames, at_ns);
            let content = u64::from(report.content);
            if let Some(timeline) = timeline.filter(|_| content > 0) {
                heard.recording_rate = timeline.recording_rate;
                // The content ends at the clock, even if the clock has skipped what came late.
                let clock = report.clock + u64::from(report.frames) - content;
                let frame = timeline.output_frame(clock);
                let lost_time = std::mem::take(&mut heard.lost_time);
                match heard.parts.last_mut() {
                    Some(last)
                        if !lost_time
                            && last.stream + last.frames == heard.stream_frames
                            && last.frame + last.frames == frame =>
                    {
                        last.frames += content;
                    }
                    _ => heard.parts.push(HeardPart { stream: heard.stream_frames, frame, frames: content, at_ns }),
                }
            }
            heard.stream_frames += u64::from(report.asked);
        });
    }
}
