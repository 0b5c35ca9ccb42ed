//! An approximate search for the nearest neighbours of every point.
//!
//! A small number of points is compared exhaustively. For more, trees of random hyperplanes (each orthogonal to the
//! difference of two random points, at the median) divide the points into leaves. Each point is compared with the
//! members of its leaves, then twice with the neighbours of its neighbours. The map does not need every neighbour;
//! `tests` require a recall above 90 %.

use rayon::prelude::*;

use super::points::{Points, WIDTH};
use super::random::{hashed, one_of};
use base::error::Result;
use base::progress::Progress;

/// Maximum number of points for an exhaustive comparison.
const EXACT: usize = 4096;
/// Number of random trees.
const TREES: u64 = 6;
/// Maximum number of points per leaf.
const LEAF: usize = 48;
/// Number of rounds over the neighbours' neighbours.
const ROUNDS: u64 = 2;
/// Number of progress steps of the search.
pub(super) const STEPS: u64 = TREES + ROUNDS + 1;

/// A neighbour: squared distance and index. It is ordered by both.
pub(super) type Near = (f32, u32);

/// Returns the `count` nearest neighbours of each point, nearest first, without the point itself.
pub(super) fn nearest(points: &Points, count: usize, progress: &Progress) -> Result<Vec<Vec<Near>>> {
    let all = 0..points.len();
    if points.len() <= EXACT {
        progress.advance(STEPS)?;
        return all
            .into_par_iter()
            .map(|of| {
                progress.check()?;
                Ok(best(points, of, 0..points.len() as u32, count))
            })
            .collect();
    }
    let leaves: Vec<Vec<Vec<u32>>> = (0..TREES)
        .into_par_iter()
        .map(|tree| {
            progress.advance(1)?;
            let mut leaves = Vec::new();
            split(points, &mut (0..points.len() as u32).collect::<Vec<_>>(), tree << 32, &mut leaves);
            Ok(leaves)
        })
        .collect::<Result<_>>()?;
    // The leaf of each point in each tree.
    let homes: Vec<Vec<u32>> = leaves
        .iter()
        .map(|leaves| {
            let mut home = vec![0; points.len()];
            for (leaf, members) in leaves.iter().enumerate() {
                members.iter().for_each(|&member| home[member as usize] = leaf as u32);
            }
            home
        })
        .collect();
    let mut near: Vec<Vec<Near>> = all
        .clone()
        .into_par_iter()
        .map(|of| {
            progress.check()?;
            let mates = leaves.iter().zip(&homes).flat_map(|(leaves, home)| &leaves[home[of] as usize]).copied();
            Ok(best(points, of, mates, count))
        })
        .collect::<Result<_>>()?;
    progress.advance(1)?;
    for _ in 0..ROUNDS {
        near = all
            .clone()
            .into_par_iter()
            .map(|of| {
                progress.check()?;
                let neighbours = near[of].iter().map(|&(_, other)| other);
                let theirs = near[of].iter().flat_map(|&(_, other)| near[other as usize].iter().map(|&(_, far)| far));
                Ok(best(points, of, neighbours.chain(theirs), count))
            })
            .collect::<Result<_>>()?;
        progress.advance(1)?;
    }
    Ok(near)
}

/// Returns the nearest of some candidates, which may contain duplicates.
fn best(points: &Points, of: usize, candidates: impl Iterator<Item = u32>, count: usize) -> Vec<Near> {
    let mut others: Vec<u32> = candidates.filter(|&other| other as usize != of).collect();
    others.sort_unstable();
    others.dedup();
    let mut found: Vec<Near> = others.into_iter().map(|other| (points.squared(of, other as usize), other)).collect();
    let order = |a: &Near, b: &Near| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if found.len() > count {
        found.select_nth_unstable_by(count - 1, order);
        found.truncate(count);
    }
    found.sort_unstable_by(order);
    found
}

/// Splits points by random hyperplanes until the leaves are small.
fn split(points: &Points, members: &mut [u32], seed: u64, leaves: &mut Vec<Vec<u32>>) {
    if members.len() <= LEAF {
        leaves.push(members.to_vec());
        return;
    }
    let pick = |n: u64| members[one_of(members.len(), hashed(seed, n))] as usize;
    let (a, b) = (pick(0), pick(1));
    let normal: [f32; WIDTH] = std::array::from_fn(|d| points.values()[a][d] - points.values()[b][d]);
    let mut along: Vec<(f32, u32)> = members
        .iter()
        .map(|&member| ((0..WIDTH).map(|d| points.values()[member as usize][d] * normal[d]).sum(), member))
        .collect();
    // Both halves have the same size: equal points are separated by index, and the depth is bounded.
    let half = along.len() / 2;
    along.select_nth_unstable_by(half, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    members.iter_mut().zip(&along).for_each(|(member, &(_, other))| *member = other);
    let (left, right) = members.split_at_mut(half);
    split(points, left, hashed(seed, 2), leaves);
    split(points, right, hashed(seed, 3), leaves);
}
