//! Operations that move numbers without computing any.

use super::Block;
use neural::network::{Edge, Extend, Left, Right, State};

pub(super) fn extend(extend: &Extend, x: Block<'_>, state: &mut State) -> Vec<f64> {
    let Right(right, after) = extend.right;
    let kept = match &extend.left {
        Left::Kept(name, frames) => Some((state.get(name, x.shape.with_frames(*frames)), *frames)),
        Left::Edge(..) => None,
    };
    let mut extended = Vec::new();
    for (n, row) in x.rows().enumerate() {
        match (&extend.left, &kept) {
            (Left::Edge(edge, before), _) => {
                extended.extend((1..=*before).rev().map(|back| beyond(row, *edge, -(back as isize))));
            }
            (Left::Kept(..), Some((kept, frames))) => {
                extended.extend(kept[n * frames..][..*frames].iter().map(|&x| f64::from(x)));
            }
            (Left::Kept(..), None) => {}
        }
        extended.extend(row);
        extended.extend((0..after).map(|ahead| beyond(row, right, (row.len() + ahead) as isize)));
    }
    if let Some((name, keep)) = &extend.keep {
        let frames = extended.len() / (x.shape.channels * x.shape.rows).max(1);
        let last = extended.chunks(frames.max(1)).flat_map(|row| row[frames - keep..].iter().map(|&x| x as f32));
        state.set(name, x.shape.with_frames(*keep), last.collect());
    }
    extended
}

/// The number at `frame`, which is beyond the row.
fn beyond(row: &[f64], edge: Edge, frame: isize) -> f64 {
    let last = row.len() as isize - 1;
    match edge {
        Edge::Zero => 0.0,
        Edge::Replicate => row[frame.clamp(0, last) as usize],
        Edge::Reflect => {
            let mirrored = if frame < 0 { -frame } else { 2 * last - frame };
            // A row shorter than the mirrored part counts as extended by zeros.
            usize::try_from(mirrored).ok().and_then(|at| row.get(at)).copied().unwrap_or(0.0)
        }
    }
}

pub(super) fn crop(x: Block<'_>, start: usize, frames: usize) -> Vec<f64> {
    x.rows().flat_map(|row| row[start..start + frames].iter().copied()).collect()
}

pub(super) fn channels(x: Block<'_>, start: usize, channels: usize) -> Vec<f64> {
    let plane = x.shape.rows * x.shape.frames;
    x.values[start * plane..(start + channels) * plane].to_vec()
}

pub(super) fn transpose(x: Block<'_>) -> Vec<f64> {
    let (rows, frames) = (x.shape.rows, x.shape.frames);
    let of_channel =
        move |channel| (0..frames).flat_map(move |frame| (0..rows).map(move |row| x.at(channel, row, frame)));
    (0..x.shape.channels).flat_map(of_channel).collect()
}
