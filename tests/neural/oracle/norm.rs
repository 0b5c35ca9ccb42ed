//! Normalisations.

use super::{Block, Known};
use neural::network::{Norm, Normalized};

pub(super) fn normalize(norm: &Norm, x: Block<'_>, known: Known<'_>) -> Vec<f64> {
    let (shape, mut result) = (x.shape, x.values.to_vec());
    let plane = shape.rows * shape.frames;
    let (width, rms) = match norm.over {
        Normalized::Channels => (shape.channels, false),
        Normalized::ChannelsRms => (shape.channels, true),
        Normalized::Groups(groups) | Normalized::GroupsOfRow(groups) => (shape.channels / groups, false),
    };
    // Each set of places that share a mean: channels, and ranges of a channel's plane.
    for first in (0..shape.channels).step_by(width.max(1)) {
        let ranges: Vec<std::ops::Range<usize>> = match norm.over {
            Normalized::Channels | Normalized::ChannelsRms => (0..plane).map(|at| at..at + 1).collect(),
            Normalized::Groups(_) => std::iter::once(0..plane).collect(),
            Normalized::GroupsOfRow(_) => {
                (0..shape.rows).map(|row| row * shape.frames..(row + 1) * shape.frames).collect()
            }
        };
        for range in ranges {
            let places =
                || (first..first + width).flat_map(|channel| range.clone().map(move |at| channel * plane + at));
            let count = (width * range.len()).max(1) as f64;
            let mean = if rms { 0.0 } else { places().map(|at| x.values[at]).sum::<f64>() / count };
            let variance = places().map(|at| (x.values[at] - mean).powi(2)).sum::<f64>() / count;
            let scale = 1.0 / (variance + f64::from(norm.epsilon)).sqrt();
            for at in places() {
                result[at] = (x.values[at] - mean) * scale;
            }
        }
    }
    for (channel, plane) in result.chunks_mut(plane.max(1)).enumerate() {
        let gain = norm.gain.map_or(1.0, |gain| f64::from(known.of(gain)[channel]));
        let bias = norm.bias.map_or(0.0, |bias| f64::from(known.of(bias)[channel]));
        plane.iter_mut().for_each(|x| *x = *x * gain + bias);
    }
    result
}

pub(super) fn unit_length(x: Block<'_>) -> Vec<f64> {
    let plane = x.shape.rows * x.shape.frames;
    let squares = |at: usize| (0..x.shape.channels).map(|channel| x.values[channel * plane + at].powi(2)).sum::<f64>();
    let lengths: Vec<f64> = (0..plane).map(|at| squares(at).sqrt().max(1e-12)).collect();
    x.values.iter().enumerate().map(|(at, x)| x / lengths[at % plane]).collect()
}
