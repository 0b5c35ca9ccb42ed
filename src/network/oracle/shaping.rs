//! Operations that move numbers and compute none.

use super::Block;
use crate::network::{Edge, Extend, Left, Right, State};

pub(super) fn extend(extend: &Extend, x: Block<'_>, state: &mut State) -> Vec<f64> {
    let Right(right, after) = extend.right;
    let kept = match &extend.left {
        Left::Kept(name, frames) => Some((state.get(name, x.shape.with_frames(*frames)), *frames)),
        Left::Edge(..) => None,
    };
    let mirrored = match &extend.left {
        Left::Edge(Edge::Reflect, before) => *before,
        _ => 0,
    };
    let mirrored = mirrored.max(if right == Edge::Reflect { after } else { 0 });
    let mut extended = Vec::new();
    for (n, row) in x.rows().enumerate() {
        let frames = row.len();
        // What has not enough to mirror counts as longer by zeros, which stand after it before anything is mirrored.
        let filled: Vec<f64> = row.iter().copied().chain((frames..=mirrored).map(|_| 0.0)).collect();
        let row = if mirrored > 0 { &filled[..] } else { row };
        match (&extend.left, &kept) {
            (Left::Edge(edge, before), _) => {
                extended.extend((1..=*before).rev().map(|back| beyond(row, *edge, -(back as isize))));
            }
            (Left::Kept(..), Some((kept, frames))) => {
                extended.extend(kept[n * frames..][..*frames].iter().map(|&x| f64::from(x)));
            }
            (Left::Kept(..), None) => {}
        }
        extended.extend(&row[..frames]);
        extended.extend((frames..frames + after).map(|at| match row.get(at) {
            Some(filling) => *filling,
            None => beyond(row, right, at as isize),
        }));
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
            row[mirrored.clamp(0, last) as usize]
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
