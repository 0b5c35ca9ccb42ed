//! Measures what a chain needs to know of the whole signal before its first frame.

use super::catalogue::Catalogue;
use super::graph::Chain;
use super::measured::{MeasuredMap, MeasurementNeed, fingerprint, input_of};
use super::meter::WholeSignalMeter;
use super::placement::Placement;
use super::plan::Plan;
use super::renderer::Renderer;
use crate::audio::{AudioBuffer, AudioReader};
use crate::effects::{Measured, WholeSignal};
use crate::error::Result;
use crate::progress::Progress;

/// Returns the number of passes that [`measure_whole`] makes over the whole source for `chain`.
///
/// # Errors
/// Like [`Plan::new`].
pub fn passes(chain: &Chain, source: &dyn AudioReader) -> Result<usize> {
    let needs = Plan::new(chain, source.format(), &MeasuredMap::default())?.needs;
    Ok(needs.iter().filter(|need| need.what.needs_pass()).count())
}

/// Runs the prepasses of `chain` over `source` in order, each over the output of the nodes before the measuring node.
/// `source_key` is a text that changes when the source does; it becomes part of the fingerprints. Progress counts the
/// frames of each pass.
///
/// # Errors
/// Like [`Plan::new`]; errors of the source; [`crate::Error::Cancelled`].
pub fn measure_whole(
    chain: &Chain,
    source: &mut dyn AudioReader,
    source_key: &str,
    placement: &Placement,
    progress: &Progress,
) -> Result<MeasuredMap> {
    measure_whole_with(chain, source, source_key, placement, progress, crate::effects::find)
}

/// Like [`measure_whole`], with the caller's own effects.
///
/// # Errors
/// Like [`measure_whole`].
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
        let found = match need.what {
            WholeSignal::Frames => Measured::length(frames),
            _ => listen(need, &mut renderer, source, progress)?,
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
