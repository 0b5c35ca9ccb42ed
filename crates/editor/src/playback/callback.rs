//! The code of the audio thread: it pops samples, cross-fades at an agreed frame and counts. It takes no lock,
//! allocates and frees nothing, does no I/O and logs nothing.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use rtrb::{Consumer, Producer};

use super::lock::without_locks;
use super::protection::Protection;
use super::ring::{Command, Lane, METERED_CHANNELS, MeterBlock, Report, Shared};
use super::tap::{TapBlock, TapIn};

/// Returns the nanoseconds since the first call in this process.
pub fn now_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// The time of a call and the time at which its samples are heard.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallTime {
    /// The time of the call by [`now_ns`].
    pub now_ns: u64,
    /// Nanoseconds from the call until its first frame is heard, as the host reports it.
    pub latency_ns: u64,
}

/// The state of the audio thread. The output's callback only calls [`Callback::fill`].
#[derive(Debug)]
pub struct Callback {
    rate: u32,
    channels: usize,
    /// The gain of the lane that fades in, frame by frame: half a period of a raised cosine.
    fade: Box<[f32]>,
    shared: Arc<Shared>,
    commands: Consumer<Command>,
    returns: Producer<Lane>,
    reports: Producer<Report>,
    tap: TapIn,
    protection: Protection,
    clock: u64,
    current: Option<Lane>,
    /// The command that brought the current lane.
    epoch: u32,
    incoming: Option<Incoming>,
    starved: bool,
}

/// A command that is pending or being carried out.
#[derive(Debug)]
struct Incoming {
    command: Command,
    /// Frames faded so far; `None` before the fade begins.
    faded: Option<usize>,
}

impl Callback {
    pub(super) fn new(
        rate: u32,
        channels: usize,
        fade_frames: u32,
        shared: Arc<Shared>,
        (commands, returns, reports, tap): (Consumer<Command>, Producer<Lane>, Producer<Report>, TapIn),
    ) -> Self {
        let fade = (0..fade_frames)
            .map(|n| {
                let phase = (f64::from(n) + 0.5) / f64::from(fade_frames);
                (0.5 - 0.5 * (std::f64::consts::PI * phase).cos()) as f32
            })
            .collect();
        Self {
            rate,
            channels,
            fade,
            shared,
            commands,
            returns,
            reports,
            tap,
            protection: Protection::new(rate, channels),
            clock: 0,
            current: None,
            epoch: 0,
            incoming: None,
            starved: false,
        }
    }

    /// The rate of the output in Hz.
    pub fn rate(&self) -> u32 {
        self.rate
    }

    /// The number of interleaved channels of the output.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Whether some of the next frames are still to be rendered.
    #[cfg(test)]
    pub(super) fn awaits(&self, frames: usize) -> bool {
        let is_short = |lane: &Lane| {
            let available = lane.ring.slots() / self.channels;
            available < frames && self.clock + (available as u64) < lane.end.load(Ordering::Acquire)
        };
        self.incoming.is_none() && self.commands.is_empty() && self.current.as_ref().is_some_and(is_short)
    }

    /// Fills `out` with interleaved samples, all finite and within full scale.
    pub fn fill(&mut self, out: &mut [f32], time: CallTime) {
        without_locks(|| self.fill_frames(out, time));
    }

    fn fill_frames(&mut self, out: &mut [f32], time: CallTime) {
        let frames = out.len() / self.channels;
        let clock = self.clock;
        let mut heard = None;
        let mut unmute_at = None;
        let mut done = 0;
        while done < frames {
            if self.incoming.is_none() {
                self.incoming = self.commands.pop().ok().map(|command| Incoming { command, faded: None });
            }
            if self.begin_if_due() {
                let begun = self.incoming.as_ref().map(|incoming| &incoming.command);
                heard = Some((begun.map_or(0, |command| command.epoch), done as u32));
                if begun.is_some_and(|command| command.unmutes) {
                    unmute_at = Some(done);
                }
            }
            let rest = &mut out[done * self.channels..];
            let filled = match &self.incoming {
                Some(Incoming { faded: Some(_), .. }) => match self.fade_over(rest) {
                    Some(filled) => filled,
                    None => continue,
                },
                _ => self.pass(rest),
            };
            if filled == 0 {
                break;
            }
            done += filled;
            self.clock += filled as u64;
        }
        out[done * self.channels..].fill(0.0);
        self.shared.clock.store(self.clock, Ordering::Release);
        let mut report = Report {
            clock,
            frames: (self.clock - clock) as u32,
            content: done as u32,
            asked: frames as u32,
            at_ns: time.now_ns,
            latency_ns: time.latency_ns,
            heard,
            clipped: 0,
            not_finite: self.protection.admit(out, unmute_at),
            meters: [MeterBlock::default(); METERED_CHANNELS],
        };
        // The meters show levels above full scale, although the device does not receive them.
        meter(out, self.channels, &mut report);
        if let Some(level) = self.protection.limit(out, self.shared.mutes.load(Ordering::Relaxed)) {
            self.shared.muted.store(level.to_bits(), Ordering::Release);
        }
        // Playback continues even if nobody reads the reports.
        let _ = self.reports.push(report);
        // Counted once it is reported, so that a reader with fewer reports knows that some were dropped.
        self.shared.calls.fetch_add(1, Ordering::Release);
        // The content is at the start of the call and ends at the clock, even if the clock has skipped a late part.
        let block = TapBlock {
            at: 0,
            frames: frames as u32,
            content: done as u32,
            clock: self.clock - done as u64,
            heard_ns: time.now_ns + time.latency_ns,
        };
        self.tap.put(out, block);
    }

    /// Begins the pending command if its frame has come, or if nothing is left to play before it.
    fn begin_if_due(&mut self) -> bool {
        let dry = self.current.as_ref().is_none_or(|lane| lane.ring.is_empty());
        let superseded = self.is_superseded();
        let Some(incoming) = &mut self.incoming else { return false };
        let at = &mut incoming.command.at;
        if incoming.faded.is_some() || (self.clock < *at && !dry) {
            return false;
        }
        if let Some(lane) = &mut incoming.command.target {
            // A late lane is entered in its middle: its time is the clock's.
            let late = usize::try_from(self.clock.saturating_sub(*at)).unwrap_or(usize::MAX);
            let available = lane.ring.slots() / self.channels;
            if let Ok(chunk) = lane.ring.read_chunk(late.min(available) * self.channels) {
                chunk.commit_all();
            }
            *at += late.min(available) as u64;
            if available <= late && self.clock < lane.end.load(Ordering::Acquire) && !superseded {
                return false;
            }
        }
        self.clock = self.clock.max(*at);
        // A start from silence needs no fade: sound begins at full gain.
        incoming.faded = Some(if self.current.is_none() { self.fade.len() } else { 0 });
        true
    }

    /// Returns whether a newer command is queued behind the incoming one. The worker fills only the newest lane, so
    /// samples missing in an older one never arrive.
    fn is_superseded(&self) -> bool {
        !self.commands.is_empty()
    }

    /// Copies from the current lane, up to the frame of a pending command. Returns the number of frames filled.
    fn pass(&mut self, out: &mut [f32]) -> usize {
        let Some(lane) = &mut self.current else { return 0 };
        let until_switch = match &self.incoming {
            Some(incoming) if incoming.command.at > self.clock => incoming.command.at - self.clock,
            _ => u64::MAX,
        };
        let end = lane.end.load(Ordering::Acquire);
        let available = (lane.ring.slots() / self.channels) as u64;
        let frames = available.min(until_switch).min((out.len() / self.channels) as u64) as usize;
        if frames > 0 {
            self.starved = false;
            // Cannot fail: for the consumer, the number of available samples only grows.
            let _ = lane.ring.pop_entire_slice(&mut out[..frames * self.channels]);
            return frames;
        }
        if self.clock >= end {
            self.shared.ended.store(self.epoch, Ordering::Release);
            self.give_back();
        } else if !self.starved {
            self.starved = true;
            self.shared.underruns.fetch_add(1, Ordering::Release);
        }
        0
    }

    /// Cross-fades from the current lane to the incoming one. Returns the number of frames filled; `None` once the fade
    /// is complete.
    fn fade_over(&mut self, out: &mut [f32]) -> Option<usize> {
        let superseded = self.is_superseded();
        let incoming = self.incoming.as_mut()?;
        let faded = incoming.faded?;
        if faded >= self.fade.len() {
            self.shared.settled.store(incoming.command.epoch, Ordering::Release);
            self.epoch = incoming.command.epoch;
            let target = incoming.command.target.take();
            self.incoming = None;
            self.give_back();
            self.current = target;
            return None;
        }
        let mut frames = (self.fade.len() - faded).min(out.len() / self.channels);
        if let Some(lane) = &incoming.command.target {
            let available = lane.ring.slots() / self.channels;
            if available < frames && self.clock + (available as u64) < lane.end.load(Ordering::Acquire) {
                frames = available;
                if frames == 0 && !self.starved {
                    self.starved = true;
                    self.shared.underruns.fetch_add(1, Ordering::Release);
                }
                if frames == 0 && superseded {
                    // Skip to the newer command.
                    incoming.faded = Some(self.fade.len());
                    return self.fade_over(out);
                }
            }
        }
        if frames > 0 {
            self.starved = false;
        }
        for (frame, share) in out.chunks_exact_mut(self.channels).zip(&self.fade[faded..faded + frames]) {
            for sample in frame {
                let old = self.current.as_mut().map_or(0.0, |lane| lane.ring.pop().unwrap_or(0.0));
                let new = incoming.command.target.as_mut().map_or(0.0, |lane| lane.ring.pop().unwrap_or(0.0));
                *sample = old + (new - old) * share;
            }
        }
        incoming.faded = Some(faded + frames);
        Some(frames)
    }

    /// Returns the current lane to the worker, which frees it.
    fn give_back(&mut self) {
        if let Some(lane) = self.current.take()
            && let Err(rtrb::PushError::Full(lane)) = self.returns.push(lane)
        {
            // Cannot happen: the ring buffer is longer than the number of lanes. Leaking is better than freeing on this
            // thread.
            std::mem::forget(lane);
        }
    }
}

fn meter(out: &[f32], channels: usize, report: &mut Report) {
    for frame in out.chunks_exact(channels) {
        for &sample in frame {
            report.clipped += u32::from(sample.abs() > 1.0);
        }
        for (&sample, meter) in frame.iter().zip(&mut report.meters) {
            let magnitude = sample.abs();
            meter.peak = if magnitude > meter.peak { magnitude } else { meter.peak };
            meter.sum_of_squares += f64::from(sample) * f64::from(sample);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ring::{Link, link};
    use super::*;

    /// Sends a lane with a constant value that begins at a clock.
    fn send(link: &mut Link, at: u64, frames: usize, value: f32, epoch: u32, complete: bool) {
        let (lane, mut filling) = link.take_lane(at).unwrap();
        link.fill(&mut filling, &vec![value; frames]);
        if complete {
            Link::end(&filling);
        }
        assert!(link.send(Command { target: Some(lane), at, epoch, unmutes: false }));
    }

    fn take(callback: &mut Callback, frames: usize) -> Vec<f32> {
        let mut out = vec![9.0; frames];
        callback.fill(&mut out, CallTime::default());
        out
    }

    /// The negative control of the lock refusal: a callback that takes a lock is detected, even without contention.
    #[test]
    fn a_callback_that_takes_a_lock_is_found() {
        let (mut callback, _link) = link(8_000, 1, 1_000, 4);
        let lock = super::super::lock::Mutex::new(());
        let mut spoiled = |out: &mut [f32]| {
            without_locks(|| {
                callback.fill_frames(out, CallTime::default());
                drop(lock.lock());
            });
        };
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| spoiled(&mut [0.0; 10])));
        assert!(found.is_err());
        take(&mut callback, 10);
    }

    #[test]
    fn a_switch_happens_at_its_frame_within_a_call() {
        let (mut callback, mut link) = link(8_000, 1, 1_000, 4);
        send(&mut link, 0, 1_000, 0.25, 1, false);
        send(&mut link, 70, 500, 0.75, 2, false);
        let heard = take(&mut callback, 100);
        assert!(heard[..70].iter().all(|&sample| sample == 0.25));
        assert!(heard[70..74].windows(2).all(|pair| pair[0] > 0.25 && pair[1] > pair[0] && pair[1] < 0.75));
        assert!(heard[74..].iter().all(|&sample| sample == 0.75));
        assert_eq!(link.report().and_then(|report| report.heard), Some((2, 70)));
        assert_eq!(link.shared.settled.load(Ordering::Acquire), 2);
    }

    #[test]
    fn what_comes_late_begins_in_its_middle_at_the_clock() {
        let (mut callback, mut link) = link(8_000, 1, 1_000, 4);
        send(&mut link, 0, 1_000, 0.25, 1, false);
        take(&mut callback, 300);
        // Meant for clock 100: the first 200 frames are dropped, 50 are left.
        send(&mut link, 100, 250, 0.75, 2, true);
        let heard = take(&mut callback, 100);
        assert!(heard[4..50].iter().all(|&sample| sample == 0.75));
        assert!(heard[50..].iter().all(|&sample| sample == 0.0));
        assert_eq!(link.shared.ended.load(Ordering::Acquire), 2);
        assert_eq!(link.shared.underruns.load(Ordering::Acquire), 0, "an end is no underrun");
    }

    #[test]
    fn what_comes_so_late_that_it_is_over_waits_for_more() {
        let (mut callback, mut link) = link(8_000, 1, 1_000, 4);
        send(&mut link, 0, 1_000, 0.25, 1, false);
        take(&mut callback, 300);
        let (lane, mut filling) = link.take_lane(100).unwrap();
        link.fill(&mut filling, &[0.75; 150]);
        assert!(link.send(Command { target: Some(lane), at: 100, epoch: 2, unmutes: false }));
        assert!(take(&mut callback, 50).iter().all(|&sample| sample == 0.25), "the old one goes on");
        link.fill(&mut filling, &[0.75; 400]);
        assert_eq!(take(&mut callback, 50)[4..], [0.75; 46]);
    }

    #[test]
    fn what_ran_dry_while_it_came_gives_way_to_what_is_newer() {
        // The worker was late and fills only the newest lane: the older one is too short for the fade, or ends before
        // the clock.
        for (at, frames) in [(100, 2), (60, 30)] {
            let (mut callback, mut link) = link(8_000, 1, 1_000, 4);
            send(&mut link, 0, 100, 0.25, 1, false);
            take(&mut callback, 100);
            send(&mut link, at, frames, 0.5, 2, false);
            assert!(take(&mut callback, 50)[frames..].iter().all(|&sample| sample == 0.0), "it waits for more");
            send(&mut link, 100, 500, 0.75, 3, false);
            let heard = take(&mut callback, 100);
            assert!(heard[10..].iter().all(|&sample| sample == 0.75), "{heard:?}");
            assert_eq!(link.shared.settled.load(Ordering::Acquire), 3);
            assert!(link.has_lane());
        }
    }

    #[test]
    fn lanes_come_back_and_are_emptied() {
        let (mut callback, mut link) = link(8_000, 1, 100, 4);
        for round in 1..50 {
            assert!(link.has_lane(), "round {round}");
            send(&mut link, 10 * (u64::from(round) - 1), 100, round as f32, round, false);
            take(&mut callback, 10);
        }
        let room = link.take_lane(0).map(|(_, filling)| link.room(&filling));
        assert_eq!(room, Some(100));
    }

    #[test]
    fn with_nothing_to_play_there_is_silence_and_no_underrun() {
        let (mut callback, mut link) = link(8_000, 2, 100, 4);
        assert!(take(&mut callback, 64).iter().all(|&sample| sample == 0.0));
        assert!(link.send(Command { target: None, at: 0, epoch: 1, unmutes: false }));
        assert!(take(&mut callback, 64).iter().all(|&sample| sample == 0.0));
        assert_eq!(link.shared.underruns.load(Ordering::Acquire), 0);
        assert_eq!(link.shared.clock.load(Ordering::Acquire), 0, "the clock counts what was played");
    }
}
