//! Attention and the positions that it sees.

use super::Block;
use neural::network::{Attention, Rotary};

/// `first` is the number of frames before this piece.
pub(super) fn rotary(rotary: &Rotary, x: Block<'_>, first: u64) -> Vec<f64> {
    let (width, frames) = (x.shape.channels / rotary.heads, x.shape.frames);
    let half = width / 2;
    let mut result = x.values.to_vec();
    for head in 0..rotary.heads {
        for n in 0..half {
            let speed = f64::from(rotary.base).powf(-2.0 * n as f64 / width as f64);
            let (low, high) = (head * width + n, head * width + half + n);
            for frame in 0..frames {
                let (sin, cos) = ((first + frame as u64) as f64 * speed).sin_cos();
                let (a, b) = (x.at(low, 0, frame), x.at(high, 0, frame));
                result[low * frames + frame] = a * cos - b * sin;
                result[high * frames + frame] = b * cos + a * sin;
            }
        }
    }
    result
}

/// `first` is the number of frames before this piece, if the sequence has a state; `falls` what scores fall by.
pub(super) fn attention(
    attention: &Attention,
    [query, keys, values]: [Block<'_>; 3],
    falls: Option<Block<'_>>,
    first: Option<u64>,
) -> Vec<f64> {
    let width = query.shape.channels / attention.heads;
    let value_width = values.shape.channels / attention.key_heads;
    let (frames, all) = (query.shape.frames, keys.shape.frames);
    let causal = attention.window.is_some();
    // Keys begin `before` frames before the query.
    let before = if causal || first.is_some() { all - frames } else { 0 };
    let beginning = before.saturating_sub(first.map_or(before, |first| first.try_into().unwrap_or(usize::MAX)));
    let mut result = vec![0.0; value_width * attention.heads * frames];
    for head in 0..attention.heads {
        let of_keys = head / (attention.heads / attention.key_heads);
        for frame in 0..frames {
            let seen = match attention.window {
                Some(window) => (before + frame + 1).saturating_sub(window).max(beginning)..before + frame + 1,
                None => beginning..all,
            };
            let score = |at: usize| {
                let products =
                    (0..width).map(|n| query.at(head * width + n, 0, frame) * keys.at(of_keys * width + n, 0, at));
                let score = products.sum::<f64>() / (width as f64).sqrt();
                match falls {
                    Some(_) if at == frame => f64::from(Attention::OWN_SCORE),
                    Some(falls) => score - falls.at(head, 0, frame) * at.abs_diff(frame) as f64,
                    None => score,
                }
            };
            let scores: Vec<f64> = seen.clone().map(score).collect();
            let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let shares: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
            let sum: f64 = shares.iter().sum();
            for n in 0..value_width {
                let values = seen.clone().map(|at| values.at(of_keys * value_width + n, 0, at));
                let mean = shares.iter().zip(values).map(|(share, value)| share * value).sum::<f64>() / sum;
                result[(head * value_width + n) * frames + frame] = mean;
            }
        }
    }
    result
}
