//! The signed-rank test of paired scores (F. Wilcoxon, Biometrics Bulletin 1, 1945), exactly, with mean ranks for ties.
//! Pairs without a difference are left out.

/// The maximum number of pairs.
pub const MAX_PAIRS: usize = 500;

/// Returns the probability, for both directions, with which differences of random signs have rank sums as unequal as these;
/// `None` if no pair differs.
///
/// # Panics
/// For more than [`MAX_PAIRS`] differences.
pub fn p_value(differences: &[f64]) -> Option<f64> {
    assert!(differences.len() <= MAX_PAIRS, "{} pairs", differences.len());
    let mut sorted: Vec<f64> = differences.iter().copied().filter(|&difference| difference != 0.0).collect();
    if sorted.is_empty() {
        return None;
    }
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let ranks = doubled_ranks(&sorted);
    let positive: usize =
        ranks.iter().zip(&sorted).filter(|(_, difference)| **difference > 0.0).map(|(rank, _)| rank).sum();
    let all: usize = ranks.iter().sum();
    // The sum for the other sign has the same distribution, mirrored.
    let larger = positive.max(all - positive);
    let share: f64 = sum_distribution(&ranks)[larger..].iter().sum();
    Some((2.0 * share).min(1.0))
}

/// Twice the mean rank of each of some values that are sorted by magnitude: whole numbers.
fn doubled_ranks(sorted: &[f64]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(sorted.len());
    for equal in sorted.chunk_by(|a, b| a.abs() == b.abs()) {
        let first = ranks.len() + 1;
        ranks.extend(std::iter::repeat_n(2 * first + equal.len() - 1, equal.len()));
    }
    ranks
}

/// The probability of each sum of ranks whose signs are positive by chance.
fn sum_distribution(ranks: &[usize]) -> Vec<f64> {
    let mut shares = vec![1.0];
    for &rank in ranks {
        let mut next = vec![0.0; shares.len() + rank];
        for (sum, share) in shares.iter().enumerate() {
            next[sum] += share / 2.0;
            next[sum + rank] += share / 2.0;
        }
        shares = next;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_ties_are_their_mean() {
        assert_eq!(doubled_ranks(&[1.0, -2.0, 2.0, 5.0]), [2, 5, 5, 8]);
    }

    #[test]
    fn six_equal_signs_are_the_fewest_that_are_significant_at_five_percent() {
        assert_eq!(p_value(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), Some(2.0 / 64.0));
        assert_eq!(p_value(&[1.0, 2.0, 3.0, 4.0, 5.0]), Some(2.0 / 32.0));
        assert_eq!(p_value(&[0.0, 0.0]), None);
        assert_eq!(p_value(&[]), None);
    }

    #[test]
    fn opposite_signs_give_no_evidence() {
        assert_eq!(p_value(&[1.0, -1.0]), Some(1.0));
    }

    #[test]
    fn the_most_pairs_take_no_long_time_and_add_up() {
        let ranks: Vec<usize> = (1..=MAX_PAIRS).map(|rank| 2 * rank).collect();
        let sum: f64 = sum_distribution(&ranks).iter().sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    }
}
