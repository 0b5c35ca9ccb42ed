//! Combines pairs of equal tracks into groups.
//!
//! Joining pairs transitively would chain: `A` matches `B` and `B` matches `C`, but `A` does not match `C`, for
//! instance if `B` is a medley of both. One such track would merge two recordings into one group, and in a large
//! library thousands. Therefore each group has a reference, the track with the greatest sum of scores. The other
//! members must match the reference, and each other as far as [`MAX_CHECKS`] members. Tracks that do not fit are
//! grouped again among themselves; matching pairs between different groups are returned as links.

use std::collections::{BTreeMap, BTreeSet};

use super::{Agreement, Link, Settings};
use base::error::Result;
use base::progress::Progress;

/// Number of members, those that joined first, with which a track is compared before it joins. Comparing with all
/// members would be quadratic for a recording with many copies.
const MAX_CHECKS: usize = 8;

/// Members with their agreement with the reference. The reference comes first and has `None`.
pub(super) type Members = Vec<(usize, Option<Agreement>)>;

/// Known results for pairs, and the means to compare further pairs.
pub(super) struct Links<'a> {
    /// Agreement of the higher index with the lower one.
    known: BTreeMap<(usize, usize), Option<Agreement>>,
    neighbours: BTreeMap<usize, BTreeSet<usize>>,
    confirmed: &'a dyn Fn(usize, usize, f64) -> Option<Agreement>,
    settings: &'a Settings,
    /// Number of comparisons made here.
    pub(super) compared: usize,
}

impl<'a> Links<'a> {
    pub(super) fn new(
        links: impl Iterator<Item = Link>,
        confirmed: &'a dyn Fn(usize, usize, f64) -> Option<Agreement>,
        settings: &'a Settings,
    ) -> Self {
        let mut this = Self { known: BTreeMap::new(), neighbours: BTreeMap::new(), confirmed, settings, compared: 0 };
        for Link { first, second, agreement } in links {
            this.known.insert((first, second), Some(agreement));
            this.neighbours.entry(first).or_default().insert(second);
            this.neighbours.entry(second).or_default().insert(first);
        }
        this
    }

    /// Returns how `b` agrees with `a`, if the score is high enough for two members of a group.
    fn agreement(&mut self, a: usize, b: usize) -> Option<Agreement> {
        let key = (a.min(b), a.max(b));
        let found = *self.known.entry(key).or_insert_with(|| {
            self.compared += 1;
            (self.confirmed)(key.0, key.1, self.settings.score_within.min(self.settings.score))
        });
        if a < b { found } else { found.map(Agreement::reversed) }
    }

    /// Returns all tracks connected with this one, including itself.
    fn component(&self, track: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::from([track]);
        let mut to_visit = vec![track];
        while let Some(at) = to_visit.pop() {
            for &next in self.neighbours.get(&at).into_iter().flatten() {
                if reached.insert(next) {
                    to_visit.push(next);
                }
            }
        }
        reached
    }
}

/// Returns the groups, and the matching pairs between different groups.
pub(super) fn grouped(links: &mut Links, progress: &Progress) -> Result<(Vec<Members>, Vec<Link>)> {
    let linked: Vec<Link> = links
        .known
        .iter()
        .filter_map(|(&(first, second), agreement)| Some(Link { first, second, agreement: (*agreement)? }))
        .collect();
    let mut groups = Vec::new();
    let mut group_of: BTreeMap<usize, usize> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let tracks: Vec<usize> = links.neighbours.keys().copied().collect();
    for track in tracks {
        if seen.contains(&track) {
            continue;
        }
        let mut left = links.component(track);
        seen.extend(left.iter().copied());
        while left.len() > 1 {
            progress.check()?;
            let Some(members) = around_reference(links, &left, progress)? else { break };
            for (track, _) in &members {
                left.remove(track);
                group_of.insert(*track, groups.len());
            }
            groups.push(members);
        }
    }
    let is_across =
        |link: &Link| group_of.get(&link.first).is_none_or(|group| group_of.get(&link.second) != Some(group));
    Ok((groups, linked.into_iter().filter(is_across).collect()))
}

/// Returns the group around the track that matches the remaining ones best; `None` if no two of them are linked.
fn around_reference(links: &mut Links, left: &BTreeSet<usize>, progress: &Progress) -> Result<Option<Members>> {
    let linked = |links: &Links, track: usize| -> Vec<(usize, f64)> {
        let others = links.neighbours.get(&track).into_iter().flatten().filter(|other| left.contains(other));
        others
            .filter_map(|&other| {
                let agreement = links.known.get(&(track.min(other), track.max(other))).copied().flatten()?;
                Some((other, agreement.score))
            })
            .collect()
    };
    let sum = |links: &Links, track: usize| linked(links, track).iter().map(|(_, score)| score).sum::<f64>();
    // The lower index wins a tie.
    let best = left
        .iter()
        .rev()
        .map(|&track| (sum(links, track), track))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let Some((_, reference)) = best.filter(|(sum, _)| *sum > 0.0) else { return Ok(None) };
    let mut others: Vec<(usize, f64)> = linked(links, reference);
    // Candidates may miss a pair, so every track linked within this component is compared with the reference as well.
    for &track in left {
        progress.check()?;
        let is_linked = track == reference || others.iter().any(|&(other, _)| other == track);
        let least = links.settings.score;
        if !is_linked && let Some(found) = links.agreement(reference, track).filter(|found| found.score >= least) {
            others.push((track, found.score));
        }
    }
    others.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut members: Members = vec![(reference, None)];
    for (track, _) in others {
        progress.check()?;
        let Some(agreement) = links.agreement(reference, track) else { continue };
        let fits = members
            .iter()
            .skip(1)
            .take(MAX_CHECKS)
            .map(|&(member, _)| member)
            .collect::<Vec<_>>()
            .into_iter()
            .all(|member| links.agreement(member, track).is_some());
        if fits {
            members.push((track, Some(agreement)));
        }
    }
    Ok((members.len() > 1).then_some(members))
}
