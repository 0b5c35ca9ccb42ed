//! The order of presentation, drawn from the seed, so that a resumed session continues as it would have.

use dsp::generate::Sequence;

/// Whether each trial presents the first of both versions as the unknown one. Each trial is drawn independently, so no
/// answer reveals anything about another.
pub fn first_is_unknown(seed: u64, trial: u32) -> bool {
    Sequence::new(seed, 0).unit(u64::from(trial)) < 0.5
}

/// The order in which `count` things are presented: for passages, and for the stimuli of each.
pub fn shuffled(seed: u64, part: usize, count: usize) -> Vec<usize> {
    let sequence = Sequence::new(seed, 1 + part);
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        let other = (sequence.unit(last as u64) * (last + 1) as f64) as usize;
        order.swap(last, other.min(last));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_the_unknown_one_equally_often_and_independently() {
        let (mut first, mut same) = (0, 0);
        let trials = 20_000;
        for trial in 0..trials {
            let is_first = first_is_unknown(7, trial);
            first += u32::from(is_first);
            same += u32::from(is_first == first_is_unknown(7, trial + 1));
        }
        // Four standard deviations are 283.
        assert!(first.abs_diff(trials / 2) < 283, "{first}");
        assert!(same.abs_diff(trials / 2) < 283, "{same}");
        assert_ne!(
            (0..64).map(|trial| first_is_unknown(1, trial)).collect::<Vec<_>>(),
            (0..64).map(|trial| first_is_unknown(2, trial)).collect::<Vec<_>>()
        );
    }

    #[test]
    fn every_order_is_equally_likely() {
        let mut counts = std::collections::HashMap::new();
        let seeds = 24_000;
        for seed in 0..seeds {
            *counts.entry(shuffled(seed, 3, 4)).or_insert(0_u64) += 1;
        }
        assert_eq!(counts.len(), 24);
        // Each 1000 times; five standard deviations are 155.
        assert!(counts.values().all(|count| count.abs_diff(seeds / 24) < 155), "{counts:?}");
    }

    #[test]
    fn nothing_and_one_thing_have_one_order() {
        assert_eq!(shuffled(1, 0, 0), Vec::<usize>::new());
        assert_eq!(shuffled(1, 0, 1), [0]);
    }
}
