//! The two sides of a recording, each readable at the output's rate from any frame.

use std::ops::Range;
use std::sync::Arc;

use super::output::OutputInfo;
use super::ring::{Filling, Link};
use super::source::{PlaybackSource, PreviewRender, Side};
use super::timeline::Unrolled;
use audio::{AudioBuffer, AudioReader};
use base::error::{Error, Result};
use base::units::SampleRate;
use dsp::measure::resample::{ResamplePlan, ResampledReader};
use effects::chain::{Chain, MeasuredMap, NodeId, TimeMapping};

/// Both sides of a recording, for one output.
pub(super) struct Decks {
    plan: Arc<ResamplePlan>,
    original: ResampledReader<Unrolled<dyn AudioReader>>,
    processed: ResampledReader<Unrolled<dyn PreviewRender>>,
    block: AudioBuffer,
    interleaved: Vec<f32>,
}

impl Decks {
    /// Opens both sides. If the chain cannot run, the processed side is the original, and the reason is returned as
    /// well.
    pub fn new(
        source: &dyn PlaybackSource,
        chain: &Chain,
        measured: &MeasuredMap,
        output: &OutputInfo,
    ) -> Result<(Self, Option<String>)> {
        let plan = ResamplePlan::new(source.format().rate, SampleRate::new(output.rate)?);
        let (processed, problem) = match source.processed(chain, measured) {
            Ok(processed) => (processed, None),
            Err(error) => (source.processed(&Chain::default(), measured)?, Some(error.to_string())),
        };
        if processed.format().rate != source.format().rate {
            return Err(Error::Internal("a chain for listening must keep the rate".to_owned()));
        }
        let decks = Self {
            original: ResampledReader::new(Unrolled::new(source.original()?, output.channels), &plan),
            processed: ResampledReader::new(Unrolled::new(processed, output.channels), &plan),
            block: AudioBuffer::default(),
            interleaved: Vec::new(),
            plan,
        };
        Ok((decks, problem))
    }

    /// Changes the chain at the position where reading continues, given as an output frame. On an error the old chain
    /// stays.
    pub fn set_chain(&mut self, chain: &Chain, measured: &MeasuredMap, output_frame: u64) -> Result<()> {
        // The filter of the rate conversion begins to read before the output frame.
        let unrolled = self.plan.first_input(output_frame as i64).max(0) as u64;
        self.processed.inner_mut().inner_at(unrolled)?.set_chain(chain, measured)
    }

    /// Returns the gain reduction of the chain's nodes at a frame of the recording, in dB.
    pub fn reductions(&self, recording_frame: u64) -> Vec<(NodeId, f32)> {
        let processed = self.processed.inner().inner();
        processed.reductions(processed.time_mapping().heard(recording_frame))
    }

    /// Returns the time map of a side.
    pub fn time_mapping(&self, side: Side) -> TimeMapping {
        match side {
            Side::Original => TimeMapping::IDENTITY,
            Side::Processed => self.processed.inner().inner().time_mapping(),
        }
    }

    /// Sets the audible part of a side from now on, in frames of that side.
    pub fn configure(&mut self, side: Side, repeat: Option<Range<u64>>, end: u64, gain: f32) {
        match side {
            Side::Original => self.original.inner_mut().configure(repeat, end, gain),
            Side::Processed => self.processed.inner_mut().configure(repeat, end, gain),
        }
    }

    /// Seeks a side to an output frame.
    pub fn seek(&mut self, side: Side, output_frame: u64) -> Result<()> {
        self.deck(side).seek(output_frame)
    }

    /// Returns the next output frame of a side.
    pub fn position(&self, side: Side) -> u64 {
        match side {
            Side::Original => self.original.position(),
            Side::Processed => self.processed.position(),
        }
    }

    /// Returns how many frames of a side can be rendered from its position if only `settled_frames` frames of the
    /// recording are settled.
    pub fn settled(&self, side: Side, settled_frames: u64) -> usize {
        let settled = i64::try_from(settled_frames).unwrap_or(i64::MAX);
        let end = self.plan.settled_outputs(settled).max(0) as u64;
        usize::try_from(end.saturating_sub(self.position(side))).unwrap_or(usize::MAX)
    }

    /// Reads the next frames of a side, or as many as there are.
    pub fn read(&mut self, side: Side, frames: usize, out: &mut AudioBuffer) -> Result<()> {
        self.deck(side).read(out, frames)
    }

    /// Renders the next frames of a side into a lane, or as many as there are. Returns `true` if that was the end.
    pub fn render(&mut self, side: Side, frames: usize, link: &mut Link, filling: &mut Filling) -> Result<bool> {
        let mut block = std::mem::take(&mut self.block);
        let deck = self.deck(side);
        let frames = frames.min(link.room(filling));
        let read = deck.read(&mut block, frames);
        let complete = deck.position() >= deck.frames() || (block.is_empty() && frames > 0);
        self.block = block;
        read?;
        let channels = self.block.channels();
        self.interleaved.clear();
        self.interleaved.resize(self.block.frames() * channels, 0.0);
        for (channel, samples) in self.block.iter().enumerate() {
            for (to, from) in self.interleaved.iter_mut().skip(channel).step_by(channels).zip(samples) {
                *to = *from;
            }
        }
        link.fill(filling, &self.interleaved);
        if complete {
            Link::end(filling);
        }
        Ok(complete)
    }

    fn deck(&mut self, side: Side) -> &mut dyn AudioReader {
        match side {
            Side::Original => &mut self.original,
            Side::Processed => &mut self.processed,
        }
    }
}
