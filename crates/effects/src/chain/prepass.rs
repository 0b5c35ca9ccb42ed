//! Measures what a chain needs to know of the whole signal before its first frame.

use std::ops::Range;

use super::catalogue::Catalogue;
use super::graph::{Chain, TimeSpan};
use super::measured::{MeasuredMap, MeasurementNeed, fingerprint, input_of};
use super::meter::WholeSignalMeter;
use super::plan::Plan;
use super::renderer::Renderer;
use crate::{Measured, WholeSignal};
use audio::{AudioBuffer, AudioReader};
use base::error::Result;
use base::progress::Progress;
use dsp::device::Placement;

/// The level to which sound before a part decays before the part is measured, in dB.
const RUN_IN_DB: f64 = -120.0;

/// The longest time for that in seconds.
const LONGEST_RUN_IN_S: f64 = 10.0;

/// Returns the number of passes that [`measure_whole`] makes over the whole source for `chain`.
pub fn passes(chain: &Chain, source: &dyn AudioReader) -> Result<usize> {
    let needs = Plan::new(chain, source.format(), &MeasuredMap::default())?.needs;
    Ok(needs.iter().filter(|need| need.what.needs_pass()).count())
}

/// Runs the prepasses of `chain` over `source` in order, each over the output of the nodes before the measuring node.
/// `source_key` is a text that changes when the source does; it becomes part of the fingerprints. Progress counts the
/// frames of each pass.
pub fn measure_whole(
    chain: &Chain,
    source: &mut dyn AudioReader,
    source_key: &str,
    placement: &Placement,
    progress: &Progress,
) -> Result<MeasuredMap> {
    measure_whole_with(chain, source, source_key, placement, progress, crate::find)
}

/// Like [`measure_whole`], with the caller's effects.
pub fn measure_whole_with(
    chain: &Chain,
    source: &mut dyn AudioReader,
    source_key: &str,
    placement: &Placement,
    progress: &Progress,
    catalogue: Catalogue,
) -> Result<MeasuredMap> {
    let mut measured = MeasuredMap::default();
    let needs = Plan::with_catalogue(chain, source.format(), &measured, catalogue)?.needs;
    for need in needs {
        let Some(before) = input_of(chain, need.node) else { continue };
        // The nodes before may need an earlier measurement themselves.
        let mut renderer = Renderer::with_catalogue(&before, source.format(), placement, &measured, catalogue)?;
        renderer.watch(progress);
        let frames = renderer.plan().frames_out(source.frames());
        let frames = need.span.map_or(frames, |span| {
            let part = part_of(span, source);
            part.end - part.start
        });
        let found = match (need.what, need.span) {
            (WholeSignal::Frames, _) => Measured::length(frames),
            (_, None) => listen(need, &mut renderer, source, progress)?,
            (_, Some(span)) => listen_within(need, part_of(span, source), &mut renderer, source, progress)?,
        };
        measured.insert(need.node, found, fingerprint(chain, need.node, source_key, catalogue));
    }
    Ok(measured)
}

/// Runs the renderer over the whole source and measures its output.
fn listen(
    need: MeasurementNeed,
    renderer: &mut Renderer,
    source: &mut dyn AudioReader,
    progress: &Progress,
) -> Result<Measured> {
    let mut meter = WholeSignalMeter::new(need.what, need.part, renderer.output_format())?;
    source.seek(0)?;
    let mut block = AudioBuffer::default();
    loop {
        source.read(&mut block, renderer.preferred_frames())?;
        if block.is_empty() {
            break;
        }
        let frames = block.frames() as u64;
        renderer.process(&mut block)?;
        meter.add(&block)?;
        progress.advance(frames)?;
    }
    meter.add(&renderer.finish(false)?)?;
    Ok(meter.finish())
}

/// Returns the frames of a part that the source has.
fn part_of(span: TimeSpan, source: &dyn AudioReader) -> Range<u64> {
    let frame = |seconds| source.format().rate.frames_from_seconds(seconds).min(source.frames());
    frame(span.from_s)..frame(span.to_s)
}

/// Runs the renderer over a part of the source and what must be heard before it, and measures the output of the part.
/// Nothing before a part changes time, so that it has the same frames there.
fn listen_within(
    need: MeasurementNeed,
    part: Range<u64>,
    renderer: &mut Renderer,
    source: &mut dyn AudioReader,
    progress: &Progress,
) -> Result<Measured> {
    let mut meter = WholeSignalMeter::new(need.what, need.part, renderer.output_format())?;
    let longest = source.format().rate.frames_from_seconds(LONGEST_RUN_IN_S);
    let begin = part.start.saturating_sub(renderer.plan().settle_frames(RUN_IN_DB, longest));
    source.seek(begin)?;
    if begin > 0 {
        renderer.reset(begin)?;
    }
    progress.advance(begin)?;
    let mut block = AudioBuffer::default();
    let mut read = begin;
    while renderer.produced() < part.end {
        let from = renderer.produced();
        source.read(&mut block, renderer.preferred_frames())?;
        let frames = block.frames() as u64;
        if frames == 0 {
            block = renderer.finish(false)?;
        } else {
            renderer.process(&mut block)?;
        }
        let heard = from.max(part.start)..renderer.produced().min(part.end);
        if !heard.is_empty() {
            let mut within = AudioBuffer::new(block.channels(), 0);
            within.extend_from(&block, (heard.start - from) as usize..(heard.end - from) as usize);
            meter.add(&within)?;
        }
        read += frames;
        progress.advance(frames)?;
        if frames == 0 {
            break;
        }
    }
    progress.advance(source.frames() - read)?;
    Ok(meter.finish())
}
