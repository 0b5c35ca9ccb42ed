//! Matches the channels of the other version to those of the reference, and finds their polarity and gain.

use std::ops::Range;

use rayon::prelude::*;

use super::line::Line;
use super::warp::Interpolator;
use crate::compare::material::{Material, mean};
use base::units::db_from_gain;

/// The maximum number of channels that are tried against the reference's loudest one.
const TRIED: usize = 8;
/// The maximum number of frames for correlations, in pieces spread over the recording.
const MEASURED: usize = 1 << 21;
const PIECE: usize = 1 << 14;
/// Another order must correlate by this much more, so that equal channels keep their order.
const CLEARLY: f64 = 0.01;

/// How channels belong together.
pub(super) struct Matched {
    pub order: Vec<usize>,
    pub inverted: Vec<usize>,
    pub polarity: i8,
    pub gain_db: f64,
}

/// Returns the signals to align, in this order: the means of the channels, then the reference's loudest channel with
/// each of the other's. Channels of opposite polarity cancel in the mean.
pub(super) fn tries(material: &Material) -> impl Iterator<Item = [Vec<f32>; 2]> + '_ {
    let energy = |channel: &Vec<f32>| channel.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>();
    let energies: Vec<f64> = material.reference.par_iter().map(energy).collect();
    let loudest = (0..energies.len()).max_by(|&a, &b| energies[a].total_cmp(&energies[b])).unwrap_or(0);
    let several = if material.channels() > 1 { TRIED.min(material.channels()) } else { 0 };
    let means = std::iter::once_with(|| [mean(&material.reference), mean(&material.other)]);
    means.chain((0..several).map(move |channel| [material.reference[loudest].clone(), material.other[channel].clone()]))
}

/// Assigns channels along the lines of some stretches of the reference, the best correlation first.
pub(super) fn matched(material: &Material, stretches: &[(Range<usize>, Line)], sign: f64) -> Matched {
    let count = material.channels();
    let products = products(material, stretches);
    let correlation = |to: usize, from: usize| {
        let norm = (products.reference[to] * products.others[from]).sqrt();
        if norm > 0.0 { products.cross[to][from] / norm } else { 0.0 }
    };
    let mut pairs: Vec<(usize, usize)> = (0..count).flat_map(|to| (0..count).map(move |from| (to, from))).collect();
    let preference =
        |&(to, from): &(usize, usize)| correlation(to, from).abs() + if to == from { CLEARLY } else { 0.0 };
    pairs.sort_by(|a, b| preference(b).total_cmp(&preference(a)));
    let mut order = vec![usize::MAX; count];
    for (to, from) in pairs {
        if order[to] == usize::MAX && !order.contains(&from) {
            order[to] = from;
        }
    }
    let cross: f64 = order.iter().enumerate().map(|(to, &from)| products.cross[to][from]).sum();
    let polarity = if cross == 0.0 { sign } else { cross.signum() };
    let is_inverted = |&to: &usize| correlation(to, order[to]) * polarity < -0.3;
    let inverted: Vec<usize> = (0..count).filter(is_inverted).collect();
    // The gain of corresponding channels, regardless of their polarity.
    let gain: f64 = order.iter().enumerate().map(|(to, &from)| products.cross[to][from].abs()).sum::<f64>();
    let energy: f64 = products.reference.iter().sum();
    let gain_db = if energy > 0.0 && gain > 0.0 { db_from_gain(gain / energy) } else { 0.0 };
    Matched { order, inverted, polarity: if polarity < 0.0 { -1 } else { 1 }, gain_db }
}

/// Energies of the channels of both, and the products of each channel of the reference with each of the other.
struct Products {
    reference: Vec<f64>,
    others: Vec<f64>,
    cross: Vec<Vec<f64>>,
}

fn products(material: &Material, stretches: &[(Range<usize>, Line)]) -> Products {
    let [frames, others] = material.frames();
    let count = material.channels();
    let pieces: Vec<(Range<usize>, Line)> = stretches
        .iter()
        .flat_map(|(stretch, line)| {
            let common = line.common(frames, others);
            let end = stretch.end.min(common.end);
            (stretch.start.max(common.start)..end).step_by(PIECE).map(move |at| (at..(at + PIECE).min(end), *line))
        })
        .collect();
    let used = pieces.len().min((MEASURED / PIECE / count.max(1)).max(16));
    let zero =
        || Products { reference: vec![0.0; count], others: vec![0.0; count], cross: vec![vec![0.0; count]; count] };
    let one = |piece: usize| {
        let (Range { start, end }, line) = pieces[piece * pieces.len() / used].clone();
        let warped: Vec<Vec<f32>> = material
            .other
            .iter()
            .map(|channel| {
                let mut out = vec![0.0; end - start];
                match line.whole_offset() {
                    Some(offset) => {
                        let from = (start as i64 + offset) as usize;
                        out.copy_from_slice(&channel[from..from + end - start]);
                    }
                    None => {
                        for (n, to) in out.iter_mut().enumerate() {
                            *to = Interpolator::shared().at(channel, line.at((start + n) as f64)) as f32;
                        }
                    }
                }
                out
            })
            .collect();
        let mut sums = zero();
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        for to in 0..count {
            let samples = &material.reference[to][start..end];
            sums.reference[to] = product(samples, samples);
            sums.others[to] = product(&warped[to], &warped[to]);
            for from in 0..count {
                sums.cross[to][from] = product(samples, &warped[from]);
            }
        }
        sums
    };
    // Summed in order, so that the result does not depend on the threads.
    let parts: Vec<Products> = (0..used).into_par_iter().map(one).collect();
    parts.into_iter().fold(zero(), |mut sum, part| {
        let add = |to: &mut Vec<f64>, from: &Vec<f64>| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        add(&mut sum.reference, &part.reference);
        add(&mut sum.others, &part.others);
        sum.cross.iter_mut().zip(&part.cross).for_each(|(to, from)| add(to, from));
        sum
    })
}
