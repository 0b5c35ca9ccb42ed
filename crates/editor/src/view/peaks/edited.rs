//! The waveform of an edited recording, assembled from those of its sources, which are read only once.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::pyramid::{BASE_FRAMES, Bucket};
use super::query::{ColumnDivision, PeakColumns};
use super::window::{KEPT_SAMPLES, SampleWindow};
use super::{MAX_COLUMNS, MAX_SAMPLE_FRAMES, OpenReader, Peaks, PeaksState};
use audio::{AudioBuffer, Damage};
use base::error::{Error, Result};
use base::lock::lock;

/// The factor of a segment's samples by frame of the segment.
pub type SegmentLevel = Box<dyn Fn(u64) -> f64 + Send + Sync>;

/// A range of a source with its level, or silence.
pub struct Segment {
    /// The index of the source; `None` for silence.
    pub source: Option<usize>,
    /// The frames of the source; of silence, any range of its length.
    pub range: Range<u64>,
    /// Whether the range is played backwards.
    pub reversed: bool,
    /// Gain and fades; `None` for unchanged samples.
    pub level: Option<SegmentLevel>,
}

impl Segment {
    fn frames(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Returns the place in the source of a range of the segment.
    fn in_source(&self, from: f64, to: f64) -> (f64, f64) {
        if self.reversed {
            (self.range.end as f64 - to, self.range.end as f64 - from)
        } else {
            (self.range.start as f64 + from, self.range.start as f64 + to)
        }
    }
}

/// The waveform of consecutive segments of sources.
pub struct EditedPeaks {
    sources: Vec<Arc<Peaks>>,
    segments: Vec<Segment>,
    /// The frame at which each segment begins, and the length last.
    starts: Vec<u64>,
    channels: usize,
    /// Opens the edited recording, for high zoom.
    open: OpenReader,
    samples: Mutex<Option<SampleWindow>>,
}

/// A column of one channel, as far as it is known.
#[derive(Clone, Copy)]
struct Column {
    bucket: Bucket,
    frames: f64,
}

const UNKNOWN: Column = Column { bucket: Bucket::EMPTY, frames: 0.0 };

impl EditedPeaks {
    /// Creates the waveform of `segments` of `sources`, which all have `channels` channels. `open` opens the edited
    /// recording.
    pub fn new(sources: Vec<Arc<Peaks>>, segments: Vec<Segment>, channels: usize, open: OpenReader) -> Self {
        let segments: Vec<Segment> = segments.into_iter().filter(|segment| segment.frames() > 0).collect();
        let mut starts = vec![0];
        starts.extend(segments.iter().scan(0, |end, segment| {
            *end += segment.frames();
            Some(*end)
        }));
        Self { sources, segments, starts, channels, open, samples: Mutex::default() }
    }

    /// Returns the length in frames.
    pub fn frames(&self) -> u64 {
        self.starts[self.segments.len()]
    }

    /// Returns the waveform of the only source, if this is the whole of it, unchanged.
    fn whole(&self) -> Option<&Peaks> {
        let [segment] = self.segments.as_slice() else { return None };
        let peaks = self.sources.get(segment.source?)?;
        let is_whole = segment.range == (0..peaks.frames()) && !segment.reversed && segment.level.is_none();
        is_whole.then_some(peaks)
    }

    /// Returns whether reading of all sources has finished or failed.
    pub fn is_finished(&self) -> bool {
        self.sources.iter().all(|peaks| peaks.is_finished())
    }

    /// Does what [`Peaks::query`] does.
    pub fn query(&self, start: f64, end: f64, columns: usize) -> Result<PeakColumns> {
        if let Some(whole) = self.whole() {
            return whole.query(start, end, columns);
        }
        if !(start.is_finite() && end.is_finite() && start < end && end - start < 1e15) {
            return Err(Error::invalid("range of a waveform", format!("{start}..{end}"), "a start below its end"));
        }
        if !(1..=MAX_COLUMNS).contains(&columns) {
            return Err(Error::invalid("columns of a waveform", columns.to_string(), format!("1 to {MAX_COLUMNS}")));
        }
        let mut out = PeakColumns::unknown(self.channels, columns);
        let width = (end - start) / columns as f64;
        if width < BASE_FRAMES as f64 && end - start <= MAX_SAMPLE_FRAMES as f64 {
            self.fill_from_samples(&ColumnDivision::new(start, end, columns, self.frames(), BASE_FRAMES, 1), &mut out)?;
            return Ok(out);
        }
        let mut found = vec![vec![UNKNOWN; columns]; self.channels];
        let first = self.starts.partition_point(|&begins| begins as f64 <= start.max(0.0)).saturating_sub(1);
        for (segment, &begins) in self.segments.iter().zip(&self.starts).skip(first) {
            if begins as f64 >= end {
                break;
            }
            out.exact &= self.add(segment, begins, (start, width), &mut found)?;
        }
        for (channel, found) in found.iter().enumerate() {
            for (column, found) in found.iter().enumerate().filter(|(_, found)| found.frames > 0.0) {
                out.set(channel, column, found.bucket, found.frames.round().max(1.0) as u64);
            }
        }
        Ok(out)
    }

    /// Adds a segment to the columns that it touches. Returns whether all of it is known exactly.
    fn add(
        &self,
        segment: &Segment,
        begins: u64,
        (start, width): (f64, f64),
        found: &mut [Vec<Column>],
    ) -> Result<bool> {
        let columns = found.first().map_or(0, Vec::len);
        let (begins, ends) = (begins as f64, (begins + segment.frames()) as f64);
        let first = ((begins - start) / width).floor().max(0.0) as usize;
        let last = (((ends - start) / width).ceil().max(0.0) as usize).min(columns);
        let mut exact = true;
        let mut column = first;
        while column < last {
            let edge = |column: usize| start + column as f64 * width;
            // Columns that are completely within the segment are requested at once.
            let inside = (column..last).take_while(|&each| edge(each) >= begins && edge(each + 1) <= ends).count();
            let (from, to, count) = if inside > 0 {
                (edge(column), edge(column + inside), inside)
            } else {
                (edge(column).max(begins), edge(column + 1).min(ends), 1)
            };
            if from < to {
                exact &= self.add_columns(segment, (from - begins, to - begins), column..column + count, found)?;
            }
            column += count;
        }
        Ok(exact)
    }

    /// Adds frames `from..to` of a segment to columns of equal width.
    fn add_columns(
        &self,
        segment: &Segment,
        (from, to): (f64, f64),
        columns: Range<usize>,
        found: &mut [Vec<Column>],
    ) -> Result<bool> {
        let frames = (to - from) / columns.len() as f64;
        let Some(source) = segment.source else {
            for channel in found {
                channel[columns.clone()].iter_mut().for_each(|column| column.add(0.0, 0.0, 0.0, frames));
            }
            return Ok(true);
        };
        let (mut first, mut last) = segment.in_source(from, to);
        // Less than a bucket is drawn as the bucket that it is in, rather than read from the file.
        if last - first < (BASE_FRAMES * columns.len() as u64) as f64 {
            first = (first / BASE_FRAMES as f64).floor() * BASE_FRAMES as f64;
            last = last.max(first + (BASE_FRAMES * columns.len() as u64) as f64);
        }
        let known = self.sources[source].query(first, last, columns.len())?;
        let count = columns.len();
        for (channel, known) in found.iter_mut().zip(&known.channels) {
            for (index, column) in channel[columns.clone()].iter_mut().enumerate() {
                let at = if segment.reversed { count - 1 - index } else { index };
                let factor = segment.level.as_ref().map_or(1.0, |level| {
                    let edge = |index: usize| (from + index as f64 * frames).clamp(0.0, segment.frames() as f64 - 1.0);
                    let (one, other) = (level(edge(index) as u64), level(edge(index + 1) as u64));
                    one.max(other)
                }) as f32;
                column.add(factor * known.min[at], factor * known.max[at], factor * known.rms[at], frames);
            }
        }
        Ok(known.exact)
    }

    fn fill_from_samples(&self, cut: &ColumnDivision, out: &mut PeakColumns) -> Result<()> {
        let columns = out.channels.first().map_or(0, |channel| channel.min.len());
        let ranges: Vec<Range<u64>> = (0..columns).map(|column| cut.column(column)).collect();
        let inside = || ranges.iter().filter(|range| !range.is_empty());
        let Some(first) = inside().map(|range| range.start).min() else { return Ok(()) };
        let last = inside().map(|range| range.end).max().unwrap_or(first);
        let samples = self.window(first, last)?;
        for (column, range) in ranges.iter().enumerate().filter(|(_, range)| !range.is_empty()) {
            let (from, to) = ((range.start - first) as usize, ((range.end - first) as usize).min(samples.frames()));
            if from < to {
                for channel in 0..samples.channels().min(out.channels.len()) {
                    out.set(channel, column, Bucket::of(&samples.channel(channel)[from..to]), (to - from) as u64);
                }
            }
        }
        Ok(())
    }

    /// Does what [`Peaks::samples`] does.
    pub fn samples(&self, start: u64, end: u64) -> Result<AudioBuffer> {
        if end.saturating_sub(start) > MAX_SAMPLE_FRAMES {
            return Err(Error::Limit {
                what: "the number of samples read at once".into(),
                got: end.saturating_sub(start).to_string(),
                limit: MAX_SAMPLE_FRAMES.to_string(),
            });
        }
        self.window(start, end)
    }

    fn window(&self, start: u64, end: u64) -> Result<AudioBuffer> {
        let mut window = lock(&self.samples);
        if window.is_none() {
            *window = Some(SampleWindow::new((self.open)()?, KEPT_SAMPLES));
        }
        match window.as_mut() {
            Some(window) => window.read(start, end),
            None => Err(Error::Internal("no reader for samples".into())),
        }
    }

    /// Returns the progress of all sources, and the damage where it is heard.
    pub fn state(&self) -> PeaksState {
        let states: Vec<PeaksState> = self.sources.iter().map(|peaks| peaks.state()).collect();
        let frames = |peaks: &Arc<Peaks>| peaks.frames().max(1) as f64;
        let total: f64 = self.sources.iter().map(frames).sum();
        let known: f64 = self.sources.iter().zip(&states).map(|(peaks, state)| frames(peaks) * state.exact_share).sum();
        let all_known = states.iter().all(|state| state.exact_share >= 1.0);
        let mut damage = Damage::default();
        for (segment, &begins) in self.segments.iter().zip(&self.starts) {
            let Some(state) = segment.source.and_then(|source| states.get(source)) else { continue };
            let length = segment.frames();
            let heard = state.damage.within(&segment.range, 0).map(|each| {
                let heard = if segment.reversed { length - each.end..length - each.start } else { each };
                begins + heard.start..begins + heard.end
            });
            damage.add_of(&state.damage, heard);
        }
        PeaksState {
            exact_share: if all_known { 1.0 } else { known / total },
            damage,
            failure: states.into_iter().find_map(|state| state.failure),
        }
    }
}

impl Column {
    fn add(&mut self, min: f32, max: f32, rms: f32, frames: f64) {
        if min.is_nan() {
            return;
        }
        self.bucket.min = self.bucket.min.min(min);
        self.bucket.max = self.bucket.max.max(max);
        self.bucket.energy += (f64::from(rms) * f64::from(rms) * frames) as f32;
        self.frames += frames;
    }
}

/// A waveform of either kind.
#[derive(Clone)]
pub enum Waveform {
    /// Of a recording, with or without a chain.
    Rendered(Arc<Peaks>),
    /// Of an edited recording.
    Edited(Arc<EditedPeaks>),
}

impl Waveform {
    /// Does what [`Peaks::query`] does.
    pub fn query(&self, start: f64, end: f64, columns: usize) -> Result<PeakColumns> {
        match self {
            Self::Rendered(peaks) => peaks.query(start, end, columns),
            Self::Edited(peaks) => peaks.query(start, end, columns),
        }
    }

    /// Does what [`Peaks::samples`] does.
    pub fn samples(&self, start: u64, end: u64) -> Result<AudioBuffer> {
        match self {
            Self::Rendered(peaks) => peaks.samples(start, end),
            Self::Edited(peaks) => peaks.samples(start, end),
        }
    }

    /// Returns whether samples can be read.
    pub fn is_ready(&self) -> bool {
        match self {
            Self::Rendered(peaks) => peaks.is_ready(),
            Self::Edited(_) => true,
        }
    }

    /// Returns the progress and the problems so far.
    pub fn state(&self) -> PeaksState {
        match self {
            Self::Rendered(peaks) => peaks.state(),
            Self::Edited(peaks) => peaks.state(),
        }
    }
}
