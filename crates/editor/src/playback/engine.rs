//! The playback engine: the worker's logic, without its thread.

mod outputs;

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::deck::Decks;
use super::heard::{Heard, HeardLog};
use super::meters::MeterWindow;
use super::monitor::{HeardSegment, SharedScene};
use super::open::OpenOutput;
use super::output::{OutputInfo, SoundHost};
use super::preparation::Preparing;
use super::ring::{Command, Link};
use super::source::{PlaybackSource, Side};
use super::timeline::next_timeline;
use super::transport::{MeterLevels, Transport};
use super::whole::{News, Whole};
use crate::document::TrackId;
use base::error::{Error, Result};
use base::units::gain_from_db;
use effects::chain::{Chain, NodeId, TimeMapping};

/// Frames rendered first after a change.
const FIRST_CHUNK: usize = 2048;
/// The longest chunk rendered at once, so that a change does not have to wait for it.
const LONGEST_CHUNK: usize = 8192;
/// Where the sound is not settled, playback ends once less than this part of a second is rendered ahead.
const LEAST_AHEAD: u64 = 10;

/// A pending change to playback.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    /// The frame to seek to.
    seek: Option<u64>,
    /// The time at which the change was requested, if its latency is to be measured.
    since_ns: Option<u64>,
}

/// The playback engine without its thread. Times are in nanoseconds of [`super::now_ns`].
pub(super) struct Engine {
    host: Box<dyn SoundHost>,
    preference: Option<String>,
    source: Option<Arc<dyn PlaybackSource>>,
    chain: Chain,
    chain_changed: bool,
    preparing: Preparing,
    decks: Option<Decks>,
    output: Option<OpenOutput>,
    default_output: Option<OutputInfo>,
    whole: Whole,
    meters: MeterWindow,
    side: Side,
    matched: bool,
    repeat: Option<Range<u64>>,
    until: Option<u64>,
    playing: bool,
    position: u64,
    /// The number of loads so far.
    loads: u64,
    change: Option<Change>,
    heard_after_ms: Option<f64>,
    output_problem: Option<String>,
    source_problem: Option<String>,
    chain_problem: Option<String>,
    losses: VecDeque<u64>,
    /// Whether the output is muted when the sound is too loud.
    mutes: bool,
    muted_db: Option<f64>,
    /// The frame at which the lane ends because what follows is not settled yet.
    held_at: Option<u64>,
    /// Whether playback stopped there.
    held: bool,
    /// Whether the next render starts playback, which unmutes a muted output.
    begins: bool,
    /// The state shared with the monitor.
    scene: SharedScene,
    /// The log of what is heard when.
    watch: Option<HeardLog>,
}

impl Engine {
    pub fn new(host: Box<dyn SoundHost>, preference: Option<String>) -> Self {
        Self {
            host,
            preference,
            source: None,
            chain: Chain::default(),
            chain_changed: false,
            preparing: Preparing::default(),
            decks: None,
            output: None,
            default_output: None,
            whole: Whole::default(),
            meters: MeterWindow::default(),
            side: Side::default(),
            matched: false,
            repeat: None,
            until: None,
            playing: false,
            position: 0,
            loads: 0,
            change: None,
            heard_after_ms: None,
            output_problem: None,
            source_problem: None,
            chain_problem: None,
            losses: VecDeque::new(),
            mutes: true,
            muted_db: None,
            held_at: None,
            held: false,
            begins: false,
            scene: SharedScene::default(),
            watch: None,
        }
    }

    /// Returns the state shared with the monitor.
    pub fn scene(&self) -> SharedScene {
        Arc::clone(&self.scene)
    }

    /// Tells the monitor about another recording or output.
    fn tell_opened(&mut self) {
        let mut scene = self.scene.lock();
        scene.opened += 1;
        scene.source.clone_from(&self.source);
        scene.heard.clear();
        if let Some(output) = &mut self.output {
            scene.output = Some(output.info.clone());
            scene.tap = output.link.tap.take().or_else(|| scene.tap.take());
        }
    }

    /// Tells the monitor about the current processed side.
    fn tell_processed(&self) {
        let gain_db = self.whole.gain_db().filter(|_| self.matched).unwrap_or(0.0);
        let mut scene = self.scene.lock();
        scene.changes += 1;
        scene.chain.clone_from(&self.chain);
        scene.measured.clone_from(self.whole.measured());
        scene.processed_gain = gain_from_db(gain_db) as f32;
    }

    /// Loads another recording at a frame, or unloads it. Playback stops.
    pub fn load(&mut self, source: Option<Arc<dyn PlaybackSource>>, chain: Chain, from: u64, now_ns: u64) {
        self.stop(now_ns);
        self.decks = None;
        // The log belongs to the recording before.
        self.watch = None;
        // The old timelines belong to the old recording; their frames must not be shown as frames of the new one.
        if let Some(output) = &mut self.output {
            output.timelines.clear();
        }
        self.whole.load(source.clone(), chain.clone());
        self.source = source;
        self.chain = chain;
        self.chain_changed = false;
        self.repeat = None;
        self.position = from;
        self.loads += 1;
        self.heard_after_ms = None;
        self.muted_db = None;
        self.held = false;
        self.source_problem = None;
        self.chain_problem = None;
        self.tell_opened();
        self.tell_processed();
    }

    /// Starts or stops logging what is heard.
    pub fn watch(&mut self, watch: Option<HeardLog>, now_ns: u64) {
        // Sound that was heard before does not belong in it.
        if let Some(output) = &mut self.output {
            output.gather_reports(now_ns, &mut self.meters, None);
        }
        self.watch = watch;
    }

    fn watched(&self, change: impl FnOnce(&mut Heard)) {
        if let Some(watch) = &self.watch {
            watch.change(change);
        }
    }

    /// Plays from a frame to `until` (exclusive) or to the end.
    pub fn play(&mut self, from: u64, until: Option<u64>, now_ns: u64) {
        let Some(source) = &self.source else { return };
        let settled = source.settled_frames();
        let from = if settled < source.frames() { from.min(settled) } else { from };
        self.until = until;
        if !self.playing {
            self.meters.begin();
            self.heard_after_ms = None;
            self.losses.clear();
            self.scene.lock().begins += 1;
        }
        self.source_problem = None;
        if !self.playing {
            self.position = from;
        }
        if self.output.is_none() && !self.open_output(now_ns) {
            return;
        }
        if !self.playing
            && let Some(output) = &mut self.output
        {
            output.begin(now_ns);
        }
        self.playing = true;
        self.muted_db = None;
        self.held = false;
        self.begins = true;
        if let Some(output) = &self.output {
            // Discards a mute that happened before this.
            output.take_muted_db();
        }
        self.change = Some(Change { seek: Some(from), since_ns: None });
    }

    /// Stops at the frame that is heard now.
    pub fn stop(&mut self, now_ns: u64) {
        self.change = None;
        if !self.playing {
            return;
        }
        self.position = self.heard_frame(now_ns);
        self.playing = false;
        self.watched(|heard| heard.ended = true);
        if let Some(output) = &mut self.output
            && !output.silence(now_ns)
        {
            self.output = None;
        }
    }

    /// Seeks to a frame, whether playing or not.
    pub fn seek(&mut self, frame: u64) {
        let frame = self.source.as_ref().map_or(0, |source| frame.min(source.frames()).min(source.settled_frames()));
        self.held = false;
        if self.playing {
            self.change = Some(Change { seek: Some(frame), ..self.change.unwrap_or_default() });
        } else {
            self.position = frame;
        }
    }

    /// Sets the loop range, or removes the loop.
    pub fn set_repeat(&mut self, repeat: Option<Range<u64>>) {
        let frames = self.source.as_ref().map_or(0, |source| source.frames());
        let repeat = repeat.map(|range| range.start..range.end.min(frames)).filter(|range| range.start < range.end);
        if repeat != self.repeat {
            self.repeat = repeat;
            self.ask(None);
        }
    }

    /// Selects the side that is heard.
    pub fn set_side(&mut self, side: Side, now_ns: u64) {
        if side != self.side {
            self.side = side;
            self.ask(Some(now_ns));
        }
    }

    /// Changes the chain; `asked_ns` is the time of the request.
    pub fn set_chain(&mut self, chain: Chain, asked_ns: u64) {
        self.whole.set_chain(chain.clone());
        self.chain = chain;
        self.chain_changed = true;
        self.preparing.chain_changed();
        self.tell_processed();
        if self.side == Side::Processed {
            self.ask(Some(asked_ns));
        }
    }

    /// Turns loudness matching of the two sides on or off.
    pub fn set_matched(&mut self, matched: bool, now_ns: u64) {
        if matched != self.matched {
            self.matched = matched;
            self.whole.set_matched(matched);
            self.tell_processed();
            if self.side == Side::Processed {
                self.ask(Some(now_ns));
            }
        }
    }

    /// Does the next piece of work. Returns `false` if there is nothing to do at the moment.
    pub fn step(&mut self, now_ns: u64) -> bool {
        self.look_at_output(now_ns);
        match self.whole.step() {
            Ok(None) | Err(Error::Cancelled) => {}
            Ok(Some(news)) => {
                self.chain_changed |= news == News::Measured;
                self.tell_processed();
                if self.side == Side::Processed {
                    self.ask(None);
                }
            }
            Err(error) => self.chain_problem = Some(error.to_string()),
        }
        if !self.playing {
            return false;
        }
        let ready = self.change.is_none_or(|change| self.is_ready(change));
        let worked = match self.change {
            Some(change) if ready => self.carry_out(change),
            _ => self.fill_ahead(),
        };
        worked.unwrap_or_else(|error| {
            self.stop(now_ns);
            self.watched(|heard| heard.problem = Some(error.to_string()));
            self.source_problem = Some(error.to_string());
            false
        })
    }

    /// Returns the state of playback.
    pub fn transport(&self, now_ns: u64) -> Transport {
        let problems = [&self.output_problem, &self.source_problem, &self.chain_problem];
        Transport {
            playing: self.playing,
            frame: if self.playing { self.heard_frame(now_ns) } else { self.position },
            loads: self.loads,
            held: self.held,
            looping: self.repeat.is_some(),
            side: self.side,
            matched: self.matched,
            matched_gain_db: self.whole.gain_db(),
            stale: self.whole.is_stale(),
            underruns: self.output.as_ref().map_or(0, OpenOutput::underruns),
            muted_db: self.muted_db,
            output: self.output.as_ref().map(|output| &output.info).or(self.default_output.as_ref()).cloned(),
            problem: problems.into_iter().flatten().next().cloned(),
            heard_after_ms: self.heard_after_ms,
        }
    }

    /// Returns the levels of what is heard.
    pub fn meters(&self) -> MeterLevels {
        self.meters.levels(self.output.as_ref().map_or(0, |output| output.info.channels))
    }

    /// Returns the gain reduction of the chain's nodes at the current position, in dB; empty while the processed side
    /// is not heard.
    pub fn reductions(&self, now_ns: u64) -> Vec<(NodeId, f32)> {
        let decks = self.decks.as_ref().filter(|_| self.playing && self.side == Side::Processed);
        decks.map_or_else(Vec::new, |decks| decks.reductions(self.heard_frame(now_ns)))
    }

    /// Returns the peaks of the tracks at the current position; empty while nothing is heard.
    pub fn track_levels(&self, now_ns: u64) -> Vec<(TrackId, f32)> {
        let source = self.source.as_ref().filter(|_| self.playing);
        source.map_or_else(Vec::new, |source| source.track_levels(self.side, self.heard_frame(now_ns)))
    }

    /// Returns whether the worker should poll again soon.
    pub fn is_busy(&self) -> bool {
        self.playing || self.output.as_ref().is_some_and(|output| output.running)
    }

    fn ask(&mut self, since_ns: Option<u64>) {
        if self.playing {
            let change = self.change.unwrap_or_default();
            self.change = Some(Change { since_ns: change.since_ns.or(since_ns), ..change });
        }
    }

    fn heard_frame(&self, now_ns: u64) -> u64 {
        self.output.as_ref().and_then(|output| output.heard_frame(now_ns)).unwrap_or(self.position)
    }

    /// Whether a change can be carried out now: the device must be ready for a changed chain that takes over from a
    /// sounding one. After a seek, the sound of the old position is not wanted.
    fn is_ready(&mut self, change: Change) -> bool {
        let sounding = self.output.as_ref().is_some_and(OpenOutput::is_sounding);
        let takes_over = self.chain_changed && self.side == Side::Processed && self.decks.is_some();
        match &self.source {
            Some(source) if takes_over && sounding && change.seek.is_none() => {
                self.preparing.is_ready(source.as_ref(), &self.chain, self.whole.measured())
            }
            _ => true,
        }
    }

    /// Renders a change into a new lane and sends it to the callback.
    fn carry_out(&mut self, change: Change) -> Result<bool> {
        let (Some(source), Some(output)) = (&self.source, &mut self.output) else { return Ok(false) };
        if !output.link.has_lane() {
            return Ok(false);
        }
        let decks = match &mut self.decks {
            Some(decks) => decks,
            none => {
                let (decks, problem) = Decks::new(source.as_ref(), &self.chain, self.whole.measured(), &output.info)?;
                self.chain_changed = false;
                self.chain_problem = problem;
                none.insert(decks)
            }
        };
        let clock = output.link.shared.clock.load(Ordering::Acquire);
        let fade = u64::from(output.link.fade_frames);
        let asked = u64::from(output.asked);
        let sounding = output.is_sounding();
        let at = if sounding { clock.max(output.switched_at + fade) } else { clock };
        // The lane that fades out must reach to the end of the fade, even if the callback takes it a call or two late.
        while let Some(filling) = &mut output.filling
            && sounding
            && filling.clock < at + fade + 2 * asked
            && !output.complete
        {
            let frames = settled_ahead(source.as_ref(), decks, output.side).min(FIRST_CHUNK);
            if frames == 0 {
                break;
            }
            output.complete = decks.render(output.side, frames, &mut output.link, filling)?;
        }
        let rates = (source.format().rate.hz(), output.link.rate);
        let last = output.timelines.back();
        let mut mapping = decks.time_mapping(self.side);
        let mut timeline = next_timeline(last, change.seek, at, self.repeat.as_ref(), rates, mapping);
        let until = self.until;
        let end = |mapping: TimeMapping| until.map_or(u64::MAX, |until| mapping.heard(until));
        let gain_db = self.whole.gain_db().filter(|_| self.matched && self.side == Side::Processed);
        let gain = gain_from_db(gain_db.unwrap_or(0.0)) as f32;
        decks.configure(self.side, timeline.repeat.clone(), end(mapping), gain);
        if self.chain_changed && self.side == Side::Processed {
            self.chain_changed = false;
            let changed = decks.set_chain(&self.chain, self.whole.measured(), timeline.output_frame(at));
            self.chain_problem = changed.err().map(|error| error.to_string());
            // The new chain can change the length or the time map.
            if decks.time_mapping(self.side) != mapping {
                mapping = decks.time_mapping(self.side);
                timeline = next_timeline(last, change.seek, at, self.repeat.as_ref(), rates, mapping);
            }
            decks.configure(self.side, timeline.repeat.clone(), end(mapping), gain);
        }
        decks.seek(self.side, timeline.output_frame(at))?;
        let Some((lane, mut filling)) = output.link.take_lane(at) else { return Ok(false) };
        let first = FIRST_CHUNK.max((fade + 2 * asked) as usize);
        let first = first.min(settled_ahead(source.as_ref(), decks, self.side));
        let complete = match decks.render(self.side, first, &mut output.link, &mut filling) {
            Ok(complete) => complete,
            Err(error) => {
                output.link.put_back(lane);
                return Err(error);
            }
        };
        self.change = None;
        self.held_at = None;
        let end = until.unwrap_or(u64::MAX);
        self.scene.lock().will_hear(HeardSegment { clock: at, timeline: timeline.clone(), side: self.side, end });
        output.push_timeline(timeline);
        let unmutes = std::mem::take(&mut self.begins);
        output.splice(
            Command { target: Some(lane), at, epoch: 0, unmutes },
            filling,
            self.side,
            complete,
            change.since_ns,
        );
        Ok(true)
    }

    /// Renders the next chunk if not enough is rendered ahead.
    fn fill_ahead(&mut self) -> Result<bool> {
        let (Some(decks), Some(output)) = (&mut self.decks, &mut self.output) else { return Ok(false) };
        let Some(filling) = output.filling.as_mut().filter(|_| !output.complete) else { return Ok(false) };
        let ahead = filling.clock.saturating_sub(output.link.shared.clock.load(Ordering::Acquire));
        let room = Link::room(&output.link, filling);
        if ahead >= u64::from(output.link.rate / 2) || room < output.chunk {
            return Ok(false);
        }
        let settled =
            self.source.as_ref().map_or(usize::MAX, |source| settled_ahead(source.as_ref(), decks, output.side));
        if settled < output.chunk {
            // More may settle while what is rendered is heard.
            if ahead > u64::from(output.link.rate) / LEAST_AHEAD {
                return Ok(false);
            }
            if settled == 0 {
                self.held_at = output.timelines.back().map(|timeline| timeline.recording_frame(filling.clock));
                Link::end(filling);
                output.complete = true;
                return Ok(true);
            }
        }
        output.complete = decks.render(output.side, output.chunk.min(settled), &mut output.link, filling)?;
        output.chunk = (output.chunk * 2).min(LONGEST_CHUNK);
        Ok(true)
    }
}

/// Returns how many output frames of a side can be rendered from its position with the settled frames of the source.
fn settled_ahead(source: &dyn PlaybackSource, decks: &Decks, side: Side) -> usize {
    let settled = source.settled_frames();
    if settled >= source.frames() { usize::MAX } else { decks.settled(side, settled) }
}
