//! The clocks of an output and an input, and where they place a take.

use super::Overdub;
use crate::document::{ClockSpeed, TakePlace};
use crate::playback::{CallTimes, Heard, HeardPart};
use crate::recording::Captured;
use base::units::SampleRate;
use dsp::measure::resample::converted_frames;

/// The times at which the two clocks are compared, spread over all that they have in common.
const MOMENTS: usize = 16;
/// The shortest time in seconds that can show that one clock is faster than the other.
const DRIFT_AFTER_S: f64 = 20.0;
/// The factor by which a drift must exceed its uncertainty to count.
const CERTAIN: f64 = 5.0;
/// The shortest time without a break that is used alone, in nanoseconds.
const SHORTEST_NS: i64 = 200_000_000;
/// The smallest drift at the end of a take, in seconds, that is corrected by a [`ClockSpeed`]. A smaller one is
/// inaudible, and the samples stay as they were captured.
const CORRECTED_S: f64 = 0.0005;

/// The mapping between frames of the output and of the take: by the times that the devices report, the same moment in
/// both.
#[derive(Clone, Debug, PartialEq)]
pub struct Clocks {
    output_rate: f64,
    input_rate: f64,
    /// By how much the input is later than the output. There is more than one part if a device lost time.
    later: Vec<Later>,
    /// The frame of the input with which the take begins.
    first: f64,
    /// By how many parts in a million the input's clock is slower than the output's, as far as that is certain.
    pub drift_ppm: f64,
}

/// By how much an input is later than an output, if both count from their frames 0.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Later {
    /// The time from which it applies, in nanoseconds.
    from_ns: i64,
    /// By how many seconds at that time.
    seconds: f64,
}

impl Clocks {
    /// Compares the clocks; `None` if one of them has no calls, or the take has not begun.
    pub fn of(heard: &Heard, captured: &Captured) -> Option<Self> {
        let (out, input) = (&heard.calls, &captured.calls);
        let first = captured.first?;
        let (later, drift) = compared(out, input)?;
        let (output_rate, input_rate) = (f64::from(out.rate()), f64::from(input.rate()));
        Some(Self { output_rate, input_rate, later, first: first as f64, drift_ppm: drift * 1e6 })
    }

    /// Returns the frame of the take that was captured when a frame of the output was heard, or would have been, at about
    /// the time of `part`. May be negative.
    pub fn take_frame(&self, part: &HeardPart, stream: f64) -> f64 {
        let begun = self.later.iter().rev().find(|later| later.from_ns <= part.at_ns);
        let later_s = begun.or(self.later.first()).map_or(0.0, |later| {
            let since_s = (part.at_ns - later.from_ns) as f64 / 1e9 + (stream - part.stream as f64) / self.output_rate;
            later.seconds + self.drift_ppm * 1e-6 * since_s
        });
        self.input_rate * (stream / self.output_rate - later_s) - self.first
    }

    /// Returns the frame of the take that was captured when a frame of the document was heard in `part`, or would have
    /// been if it went on forever.
    pub fn take_frame_of(&self, part: &HeardPart, frame: u64, rate: SampleRate) -> f64 {
        let at = frame as f64 * self.output_rate / rate.as_f64();
        self.take_frame(part, part.stream as f64 + at - part.frame as f64)
    }
}

/// Returns by how much the input is later than the output, and by how many seconds more in each second.
fn compared(out: &CallTimes, input: &CallTimes) -> Option<(Vec<Later>, f64)> {
    let ((out_from, out_to), (in_from, in_to)) = (out.span_ns()?, input.span_ns()?);
    let (from, to) = (out_from.max(in_from), out_to.min(in_to));
    let mut breaks: Vec<i64> = [out.breaks_ns(), input.breaks_ns()].concat();
    breaks.retain(|at_ns| (from..to).contains(at_ns));
    breaks.sort_unstable();
    // A part begins right after the last call before a break.
    let begins = std::iter::once(from).chain(breaks.iter().map(|at_ns| at_ns + 1));
    let ends = breaks.iter().copied().chain([to]);
    let parts: Vec<Compared> = begins
        .zip(ends)
        .filter(|(begin, end)| end - begin >= SHORTEST_NS)
        .filter_map(|span| Compared::of(out, input, span))
        .collect();
    // The clocks run on through a break, so the longest part gives the drift of all parts.
    let longest = parts.iter().max_by_key(|part| part.span_ns);
    let drift = longest.map_or(0.0, Compared::drift);
    let mut later: Vec<Later> = parts.iter().filter_map(|part| part.later(drift)).collect();
    if later.is_empty() {
        // Too little in common: everything, however it was.
        let of = |times: &CallTimes| times.lateness_ns(i64::MIN, i64::MAX);
        later.push(Later { from_ns: from, seconds: (of(input)? - of(out)?) as f64 / 1e9 });
    }
    Some((later, drift))
}

/// A time without a break in which both devices had calls.
struct Compared {
    from_ns: i64,
    span_ns: i64,
    /// Seconds since its begin, and by how many the input is later then.
    points: Vec<(f64, f64)>,
}

impl Compared {
    fn of(out: &CallTimes, input: &CallTimes, (from_ns, to_ns): (i64, i64)) -> Option<Self> {
        // Both clocks are compared over the same times, so that an error of the system clock cancels.
        let span_ns = to_ns - from_ns;
        let later = |begin, end| Some((input.lateness_ns(begin, end)? - out.lateness_ns(begin, end)?) as f64 / 1e9);
        let step = (span_ns / MOMENTS as i64).max(1);
        let begins = (0..MOMENTS as i64).map(|moment| moment * step);
        let mut points: Vec<(f64, f64)> = begins
            .filter_map(|at| Some(((at + step / 2) as f64 / 1e9, later(from_ns + at, from_ns + at + step)?)))
            .collect();
        if points.is_empty() {
            points.push((span_ns as f64 / 2e9, later(from_ns, to_ns)?));
        }
        Some(Self { from_ns, span_ns, points })
    }

    /// Returns by how many seconds the input becomes later in each, as far as that is certain.
    fn drift(&self) -> f64 {
        let is_long = self.span_ns as f64 / 1e9 >= DRIFT_AFTER_S;
        let line = line(&self.points).filter(|line| is_long && line.slope.abs() > CERTAIN * line.uncertain);
        line.map_or(0.0, |line| line.slope)
    }

    /// Returns by how much the input is later at the begin, where it becomes later by `drift`.
    fn later(&self, drift: f64) -> Option<Later> {
        let mut later: Vec<f64> = self.points.iter().map(|(at_s, later)| later - drift * at_s).collect();
        later.sort_unstable_by(f64::total_cmp);
        // Moments when the machine was busy do not count.
        let quarter = later.len() / 4;
        let middle = &later[quarter..later.len() - quarter];
        let seconds = middle.iter().sum::<f64>() / middle.len() as f64;
        seconds.is_finite().then_some(Later { from_ns: self.from_ns, seconds })
    }
}

struct Line {
    slope: f64,
    /// The standard deviation of the slope.
    uncertain: f64,
}

/// Returns the line of least squares through points; `None` for fewer than eight.
fn line(points: &[(f64, f64)]) -> Option<Line> {
    let count = points.len() as f64;
    if points.len() < MOMENTS / 2 {
        return None;
    }
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let spread = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum::<f64>();
    let slope = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum::<f64>() / spread;
    let rest = points.iter().map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2)).sum::<f64>();
    Some(Line { slope, uncertain: (rest / (count - 2.0) / spread).sqrt() })
}

/// The position of a take in a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Placement {
    /// Its parts, in the order of the document. More than one if playback paused: sound captured meanwhile is left out.
    pub places: Vec<TakePlace>,
    /// How often the output ran dry.
    pub underruns: u64,
    /// Whether the times of the devices determine its position. If not, its first frame is at the start.
    pub is_aligned: bool,
    /// By how many frames of the document the clocks of the devices came apart from the start to the end. The take is read
    /// by `clock`, so that it is in time all the same.
    pub drift_frames: f64,
    /// The clock of the take.
    pub clock: ClockSpeed,
}

impl Placement {
    /// Returns the frame of the document at which the last part ends.
    pub fn end(&self) -> Option<u64> {
        self.places.last().map(|place| place.at + place.frames)
    }
}

/// Returns the position of a take's frames. `take` is its rate and its length at that rate.
pub fn placed(
    overdub: &Overdub,
    captured: &Captured,
    (rate, frames): (SampleRate, u64),
    heard: Option<&Heard>,
) -> Placement {
    let end = overdub.end.unwrap_or(u64::MAX);
    let clocks =
        heard.filter(|heard| !heard.parts.is_empty()).and_then(|heard| Some((heard, Clocks::of(heard, captured)?)));
    let Some((heard, clocks)) = clocks else {
        let length = converted_frames(frames, rate, overdub.rate);
        let frames = length.min(end.saturating_sub(overdub.start));
        let places = vec![TakePlace { at: overdub.start, from: 0, frames }];
        // Nothing was played that it could be aligned with.
        return Placement { places, is_aligned: heard.is_none(), ..Placement::default() };
    };
    let drift = clocks.drift_ppm * 1e-6;
    let is_off = (drift * rate.seconds_from_frames(frames)).abs() >= CORRECTED_S;
    // A drift of more than a clock can have is an error of the times.
    let clock = ClockSpeed::new(1.0 - drift).ok().filter(|_| is_off).unwrap_or_default();
    let length = clock.frames(frames, rate, overdub.rate);
    // The delay of each part in the take relative to the document, and the frame from which it applies.
    let mut shifts: Vec<(u64, i64)> = Vec::new();
    for part in &heard.parts {
        let begins = converted_frames(part.frame, SampleRate::new(heard.calls.rate()).unwrap_or(rate), overdub.rate);
        let frame = begins.max(overdub.start);
        let captured = clocks.take_frame_of(part, frame, overdub.rate) + overdub.offset;
        let in_take = captured * overdub.rate.as_f64() / (rate.as_f64() * f64::from(clock));
        let shift = (in_take - frame as f64).round() as i64;
        if shifts.last().is_none_or(|(_, last)| *last != shift) {
            shifts.push((begins, shift));
        }
    }
    let mut places = Vec::new();
    for (index, (begins, shift)) in shifts.iter().enumerate() {
        let from = if index == 0 { overdub.start } else { (*begins).max(overdub.start) };
        let to = shifts.get(index + 1).map_or(end, |(next, _)| (*next).min(end));
        // Frames before or beyond the take were not recorded.
        let first = i64::try_from(from).unwrap_or(i64::MAX).saturating_add(*shift);
        let from = from.saturating_add(first.min(0).unsigned_abs());
        let in_take = first.max(0) as u64;
        let frames = to.saturating_sub(from).min(length.saturating_sub(in_take));
        if frames > 0 {
            places.push(TakePlace { at: from, from: in_take, frames });
        }
    }
    let spans: u64 = places.iter().map(|place| place.frames).sum();
    Placement {
        places,
        underruns: heard.underruns,
        is_aligned: true,
        drift_frames: if clock.is_nominal() { 0.0 } else { drift * spans as f64 },
        clock,
    }
}
