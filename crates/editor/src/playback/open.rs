//! An open output, and the lanes that were sent to it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::heard::HeardLog;
use super::meters::MeterWindow;
use super::output::{Health, OutputInfo, OutputStream, SoundHost};
use super::ring::{Command, Filling, Link, Report, link};
use super::source::Side;
use super::timeline::Timeline;
use base::error::{Error, Result};
use base::units::{SampleRate, db_from_gain};

/// The length of a cross-fade in milliseconds.
const FADE_MS: u32 = 8;
/// Frames per call that are assumed until the output has called.
const USUAL_CALL: u32 = 512;
/// Timelines kept: the one that plays, and earlier ones whose sound may not have reached the listener yet.
const TIMELINES: usize = 8;

/// An open output.
pub(super) struct OpenOutput {
    pub info: OutputInfo,
    pub link: Link,
    pub health: Arc<Health>,
    /// Whether the output calls back.
    pub running: bool,
    /// The time of its last call.
    pub called_ns: u64,
    /// The time at which playback last stopped.
    pub stopped_ns: u64,
    /// Frames that it asks for per call.
    pub asked: u32,
    pub timelines: VecDeque<Timeline>,
    /// The lane that is being rendered into, and its side.
    pub filling: Option<Filling>,
    pub side: Side,
    /// Whether that lane holds everything up to its end.
    pub complete: bool,
    /// Frames per rendered chunk.
    pub chunk: usize,
    /// The clock of the last switch that was sent.
    pub switched_at: u64,
    epoch: u32,
    calls: u64,
    last_report: Option<Report>,
    unheard: VecDeque<(u32, u64)>,
    base_underruns: u64,
    /// Calls that came so late that the output must have run dry.
    late_calls: u64,
    /// The losses, counted here and by the host, that a watch knows of.
    known_losses: u64,
    read_reports: u64,
    stream: Option<Box<dyn OutputStream>>,
}

impl OpenOutput {
    /// Opens the preferred output. If no output has that handle, opens the default and returns a message about it.
    pub fn open(host: &mut dyn SoundHost, preference: Option<&str>, now_ns: u64) -> Result<(Self, Option<String>)> {
        let mut problem = None;
        let info = match preference.map(|id| host.find(Some(id))) {
            Some(Ok(info)) => info,
            Some(Err(error)) => {
                let info = host.find(None)?;
                problem = Some(format!("{error}; playing on {}", info.name));
                info
            }
            None => host.find(None)?,
        };
        SampleRate::new(info.rate)?;
        if info.channels == 0 {
            return Err(Error::Sound(format!("{} has no channels. Choose another output", info.name)));
        }
        let (callback, link) = link(info.rate, info.channels, lane_frames(info.rate), info.rate * FADE_MS / 1000);
        let health = Arc::new(Health::default());
        let stream = host.open(&info, callback, Arc::clone(&health))?;
        let open = Self {
            info,
            link,
            health,
            running: true,
            called_ns: now_ns,
            stopped_ns: now_ns,
            asked: USUAL_CALL,
            timelines: VecDeque::new(),
            filling: None,
            side: Side::default(),
            complete: false,
            chunk: 0,
            switched_at: 0,
            epoch: 0,
            calls: 0,
            last_report: None,
            unheard: VecDeque::new(),
            base_underruns: 0,
            late_calls: 0,
            known_losses: 0,
            read_reports: 0,
            stream: Some(stream),
        };
        Ok((open, problem))
    }

    /// Starts the output for playback.
    pub fn begin(&mut self, now_ns: u64) {
        self.base_underruns = self.all_underruns();
        self.known_losses = self.health.glitches() + self.late_calls;
        if !self.running {
            self.called_ns = now_ns;
            self.running = true;
            if let Some(stream) = &self.stream
                && let Err(error) = stream.set_running(true)
            {
                self.health.lose(&error.to_string());
            }
        }
    }

    /// Pauses the output.
    pub fn rest(&mut self) {
        self.running = false;
        if let Some(stream) = &self.stream
            && let Err(error) = stream.set_running(false)
        {
            self.health.lose(&error.to_string());
        }
    }

    /// Returns this output without its stream, which is closed on a separate thread: closing a lost stream can block.
    pub fn abandoned(mut self) -> Self {
        let stream = self.stream.take();
        std::thread::spawn(move || drop(stream));
        self
    }

    /// Returns whether sound is playing or about to play.
    pub fn is_sounding(&self) -> bool {
        self.filling.is_some()
    }

    /// Sends a lane to the callback and continues to render into it.
    pub fn splice(&mut self, command: Command, filling: Filling, side: Side, complete: bool, since_ns: Option<u64>) {
        self.epoch += 1;
        self.switched_at = command.at;
        self.filling = Some(filling);
        self.side = side;
        self.complete = complete;
        self.chunk = FIRST_AHEAD;
        self.unheard.extend(since_ns.map(|since_ns| (self.epoch, since_ns)));
        if !self.link.send(Command { epoch: self.epoch, ..command }) {
            self.health.lose("the output does not take commands any more");
        }
    }

    /// Fades to silence. Returns `false` if the command cannot be sent.
    pub fn silence(&mut self, now_ns: u64) -> bool {
        self.note_stop(now_ns);
        self.epoch += 1;
        self.link.send(Command { target: None, at: 0, epoch: self.epoch, unmutes: false })
    }

    /// Records that nothing is rendered any more.
    pub fn note_stop(&mut self, now_ns: u64) {
        self.stopped_ns = now_ns;
        self.filling = None;
        self.unheard.clear();
    }

    /// Returns the level in dB above full scale that muted the output, if that happened since the last call.
    pub fn take_muted_db(&self) -> Option<f64> {
        let level = f32::from_bits(self.link.shared.muted.swap(0, Ordering::AcqRel));
        (level > 0.0).then(|| db_from_gain(f64::from(level)))
    }

    /// Returns whether the last lane has played to its end.
    pub fn has_ended(&self) -> bool {
        self.epoch > 0 && self.link.shared.ended.load(Ordering::Acquire) == self.epoch
    }

    /// Adds the timeline that begins with the next switch.
    pub fn push_timeline(&mut self, timeline: Timeline) {
        if self.timelines.back() != Some(&timeline) {
            self.timelines.push_back(timeline);
        }
        if self.timelines.len() > TIMELINES {
            self.timelines.pop_front();
        }
    }

    /// Reads the callback's reports, and notes them in `watch`. Returns the latency of a change in milliseconds if one
    /// became audible.
    pub fn gather_reports(&mut self, now_ns: u64, meters: &mut MeterWindow, watch: Option<&HeardLog>) -> Option<f64> {
        let calls = self.link.shared.calls.load(Ordering::Acquire);
        if calls != self.calls {
            self.calls = calls;
            self.called_ns = now_ns;
        }
        let mut heard_after_ms = None;
        while let Some(report) = self.link.report() {
            meters.add(&report, self.link.rate);
            if self.last_report.is_some_and(|last| is_late(&last, &report, self.link.rate)) {
                self.late_calls += 1;
            }
            if report.asked > 0 {
                self.asked = report.asked;
            }
            if let Some(watch) = watch {
                let losses = self.health.glitches() + self.late_calls;
                if losses > std::mem::replace(&mut self.known_losses, losses) {
                    watch.change(|heard| {
                        heard.calls.break_off();
                        heard.lost_time = true;
                    });
                }
                let clock = report.clock + u64::from(report.frames - report.content);
                watch.note(&report, &self.info, self.timeline_at(clock));
            }
            if let Some((epoch, offset)) = report.heard {
                let frames = u64::from(offset + self.link.fade_frames / 2);
                let heard_ns = report.at_ns + report.latency_ns + frames * 1_000_000_000 / u64::from(self.link.rate);
                while let Some(&(unheard, since_ns)) = self.unheard.front()
                    && unheard <= epoch
                {
                    self.unheard.pop_front();
                    heard_after_ms = Some(heard_ns.saturating_sub(since_ns) as f64 / 1e6);
                }
            }
            self.last_report = Some(report);
            self.read_reports += 1;
        }
        if self.read_reports < calls {
            // Reports were dropped, because nobody read them for long. Frames cannot be counted by them any more.
            self.read_reports = calls;
            if let Some(watch) = watch {
                watch.change(|heard| heard.broken = true);
            }
        }
        if let Some(watch) = watch {
            watch.change(|heard| heard.underruns = self.underruns());
        }
        heard_after_ms
    }

    /// Returns the frame of the recording that is heard now; `None` before the first.
    pub fn heard_frame(&self, now_ns: u64) -> Option<u64> {
        let rate = u64::from(self.link.rate);
        let clock = self.last_report.as_ref().map_or(0, |report| {
            let heard_ns = i128::from(now_ns) - i128::from(report.at_ns) - i128::from(report.latency_ns);
            let frames = (heard_ns * i128::from(rate) / 1_000_000_000).min(i128::from(report.frames));
            (i128::from(report.clock) + frames).max(0) as u64
        });
        self.timeline_at(clock).map(|timeline| timeline.recording_frame(clock))
    }

    /// Returns the timeline that is heard at a clock; before the first timeline, the first.
    fn timeline_at(&self, clock: u64) -> Option<&Timeline> {
        let timeline = self.timelines.iter().rev().find(|timeline| timeline.clock <= clock);
        timeline.or(self.timelines.front())
    }

    /// Returns how often the output has run dry since playback began.
    pub fn underruns(&self) -> u64 {
        self.all_underruns() - self.base_underruns
    }

    fn all_underruns(&self) -> u64 {
        self.link.shared.underruns.load(Ordering::Acquire) + self.health.glitches() + self.late_calls
    }
}

/// Returns whether a call came so late that the output must have run dry before it. Some hosts do not report that. The
/// samples of the previous call last for the latency reported then plus their length; one more length is allowed
/// because the reported latency can be imprecise.
fn is_late(last: &Report, report: &Report, rate: u32) -> bool {
    let given_ns = 2 * u64::from(last.asked) * 1_000_000_000 / u64::from(rate);
    last.frames > 0 && report.frames > 0 && report.at_ns > last.at_ns + last.latency_ns + given_ns
}

/// The size of the second chunk after a change, in frames. Each later chunk is twice as long, up to a limit.
const FIRST_AHEAD: usize = 2048;

/// Returns the capacity of a lane in frames: half a second of render-ahead plus room for the chunk that a change
/// renders.
fn lane_frames(rate: u32) -> usize {
    rate as usize / 2 + 32_768
}

#[cfg(test)]
mod tests {
    use super::super::ring::{METERED_CHANNELS, MeterBlock};
    use super::*;

    #[test]
    fn a_call_is_late_once_all_that_was_given_is_over() {
        let at = |at_ns, frames| Report {
            clock: 0,
            frames,
            content: frames,
            asked: 480,
            at_ns,
            latency_ns: 10_000_000,
            heard: None,
            clipped: 0,
            not_finite: 0,
            meters: [MeterBlock::default(); METERED_CHANNELS],
        };
        assert!(!is_late(&at(0, 480), &at(29_000_000, 480), 48_000));
        assert!(is_late(&at(0, 480), &at(31_000_000, 480), 48_000));
        assert!(!is_late(&at(0, 0), &at(90_000_000, 480), 48_000), "before playing nothing runs dry");
    }
}
