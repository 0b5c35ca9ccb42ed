//! The nearest neighbours of every point, nearly all of them.
//!
//! Few points are compared with all others. Of many, trees of random hyperplanes (each through the middle between two of
//! the points) part them into leaves of neighbours; those of all leaves that a point lies in are compared with it, then the
//! neighbours of its neighbours, twice. The picture does not need every last neighbour; `tests` hold the share that is
//! found above 90 %.

use rayon::prelude::*;

use super::points::{Points, WIDTH};
use super::random::{hashed, one_of};
use crate::error::Result;
use crate::progress::Progress;

/// Points up to which all are compared with all.
const EXACT: usize = 4096;
/// Random trees.
const TREES: u64 = 6;
/// Points of a leaf at most.
const LEAF: usize = 48;
/// Times that the neighbours' neighbours are looked at.
const ROUNDS: u64 = 2;
/// What it counts as progress.
pub(super) const STEPS: u64 = TREES + ROUNDS + 1;

/// A neighbour: its squared distance and who it is; ordered by both.
pub(super) type Near = (f32, u32);

/// The `count` nearest of each point, the nearest first, itself left out.
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
    // Which leaf of each tree a point lies in.
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
                let own = near[of].iter().map(|&(_, other)| other);
                let theirs = near[of].iter().flat_map(|&(_, other)| near[other as usize].iter().map(|&(_, far)| far));
                Ok(best(points, of, own.chain(theirs), count))
            })
            .collect::<Result<_>>()?;
        progress.advance(1)?;
    }
    Ok(near)
}

/// The nearest of some candidates, which may come more than once.
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

/// Parts points by random hyperplanes until leaves are small.
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
    // Halves of the same size: equal points are parted by their numbers, and depth stays bounded.
    let half = along.len() / 2;
    along.select_nth_unstable_by(half, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    members.iter_mut().zip(&along).for_each(|(member, &(_, other))| *member = other);
    let (left, right) = members.split_at_mut(half);
    split(points, left, hashed(seed, 2), leaves);
    split(points, right, hashed(seed, 3), leaves);
}
