//! From pairs that are the same to groups.
//!
//! Pairs alone would chain: `A` is like `B` and `B` like `C`, but `A` is not like `C`, as when `B` is a medley of both,
//! and one such track would melt two recordings, and in a large library thousands, into one group. So a group stands
//! around a reference, the track with the greatest sum of scores: the others must be like it, and like one another, as far
//! as [`MOST_CHECKS`] members each. What does not fit is grouped anew without them; what a pair said nevertheless is
//! given as a link across.

use std::collections::{BTreeMap, BTreeSet};

use super::{Link, Match, Settings};
use crate::error::Result;
use crate::progress::Progress;

/// Members that a track is compared with before it joins, those that joined first: more would make the groups of a
/// much copied recording a matter of their square.
const MOST_CHECKS: usize = 8;

/// Members with their agreement with the reference, which comes first and has none.
pub(super) type Members = Vec<(usize, Option<Match>)>;

/// What is known of pairs, and what can be found out.
pub(super) struct Links<'a> {
    /// How the higher place agrees with the lower.
    known: BTreeMap<(usize, usize), Option<Match>>,
    neighbours: BTreeMap<usize, BTreeSet<usize>>,
    confirmed: &'a dyn Fn(usize, usize, f64) -> Option<Match>,
    settings: &'a Settings,
    /// Comparisons made here.
    pub(super) compared: usize,
}

impl<'a> Links<'a> {
    pub(super) fn new(
        links: impl Iterator<Item = Link>,
        confirmed: &'a dyn Fn(usize, usize, f64) -> Option<Match>,
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

    /// How `b` agrees with `a`, if at least as two members of a group must.
    fn agreement(&mut self, a: usize, b: usize) -> Option<Match> {
        let key = (a.min(b), a.max(b));
        let found = *self.known.entry(key).or_insert_with(|| {
            self.compared += 1;
            (self.confirmed)(key.0, key.1, self.settings.score_within.min(self.settings.score))
        });
        if a < b { found } else { found.map(Match::reversed) }
    }

    /// The tracks that are connected with this one, itself included.
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

/// The groups, and the pairs that were found the same across them.
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

/// The group around the track that is most like the others that are left; none when no two of them are linked.
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
    // The lower place wins a tie.
    let best = left
        .iter()
        .rev()
        .map(|&track| (sum(links, track), track))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let Some((_, reference)) = best.filter(|(sum, _)| *sum > 0.0) else { return Ok(None) };
    let mut others: Vec<(usize, f64)> = linked(links, reference);
    // Candidates may miss a pair: whoever is linked with somebody here is compared with the reference as well.
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
            .take(MOST_CHECKS)
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
