//! How a test under a rule can end, with which probability: from it follow the p-value, the confidence interval and the
//! power, exactly, for rules with and without early ends.
//!
//! Outcomes are ordered from the most convincing to the least: those that pass, the earlier the better; then those at the
//! last trial; then those that were not passed before it, the later the better; each by the number of right answers. For a
//! fixed number of trials that is the number of right answers, the p-value the binomial one, and the interval that of
//! C. Clopper and E. Pearson (Biometrika 26, 1934).

use super::rule::{Rule, Standing};

/// The level of confidence of intervals.
pub const CONFIDENCE: f64 = 0.95;

/// One way to end.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Outcome {
    answered: u32,
    right: u32,
    passed: bool,
    probability: f64,
}

/// Returns all outcomes for a listener who is right with probability `ability`, the most convincing first.
fn outcomes(rule: &Rule, ability: f64) -> Vec<Outcome> {
    let mut found = Vec::new();
    // The probability of each number of right answers in tests that go on.
    let mut open = vec![1.0];
    for answered in 1..=rule.most() {
        let mut next = vec![0.0; answered as usize + 1];
        for (right, probability) in open.iter().enumerate() {
            next[right] += probability * (1.0 - ability);
            next[right + 1] += probability * ability;
        }
        // Where a test had ended before, nothing goes on.
        for right in 0..=answered {
            let probability = next[right as usize];
            match rule.standing(answered, right) {
                Standing::Open => continue,
                standing if probability > 0.0 => {
                    found.push(Outcome { answered, right, passed: standing == Standing::Passed, probability });
                }
                _ => {}
            }
            next[right as usize] = 0.0;
        }
        open = next;
    }
    found.sort_by_key(|outcome| rank(outcome.passed, outcome.answered, outcome.right));
    found
}

/// The place of an outcome in the order: the smaller, the more convincing.
fn rank(passed: bool, answered: u32, right: u32) -> (bool, i64, i64) {
    let time = i64::from(answered);
    (!passed, if passed { time } else { -time }, -i64::from(right))
}

/// Returns the probability with which a listener of an ability passes.
pub fn pass_rate(rule: &Rule, ability: f64) -> f64 {
    outcomes(rule, ability).iter().filter(|outcome| outcome.passed).map(|outcome| outcome.probability).sum()
}

/// Returns the mean number of trials until the test of a listener of an ability ends.
pub fn expected_trials(rule: &Rule, ability: f64) -> f64 {
    outcomes(rule, ability).iter().map(|outcome| f64::from(outcome.answered) * outcome.probability).sum()
}

/// Returns the probability with which guessing ends as convincingly as a test that has ended, or more so; `None` while the
/// test is open.
pub fn p_value(rule: &Rule, answered: u32, right: u32) -> Option<f64> {
    let standing = rule.standing(answered, right);
    (standing != Standing::Open).then(|| share_up_to(rule, 0.5, (answered, right), standing).min(1.0))
}

/// Returns the interval of abilities, at a confidence of [`CONFIDENCE`], under which a test ends so; `None` while it is open.
pub fn interval(rule: &Rule, answered: u32, right: u32) -> Option<(f64, f64)> {
    let standing = rule.standing(answered, right);
    if standing == Standing::Open {
        return None;
    }
    let outside = (1.0 - CONFIDENCE) / 2.0;
    let ended = (answered, right);
    let chance = |ability: f64| {
        outcomes(rule, ability)
            .iter()
            .filter(|outcome| (outcome.answered, outcome.right) == ended)
            .map(|outcome| outcome.probability)
            .sum::<f64>()
    };
    let at_least = |ability: f64| share_up_to(rule, ability, ended, standing);
    let low = first(|ability| at_least(ability) >= outside);
    let high = first(|ability| 1.0 - at_least(ability) + chance(ability) <= outside);
    Some((low, high))
}

/// The probability of an outcome and of all that are more convincing.
fn share_up_to(rule: &Rule, ability: f64, (answered, right): (u32, u32), standing: Standing) -> f64 {
    let limit = rank(standing == Standing::Passed, answered, right);
    outcomes(rule, ability)
        .iter()
        .take_while(|outcome| rank(outcome.passed, outcome.answered, outcome.right) <= limit)
        .map(|outcome| outcome.probability)
        .sum()
}

/// The smallest ability of 0..1 for which a condition holds, which then holds for all larger ones.
fn first(holds: impl Fn(f64) -> bool) -> f64 {
    if holds(0.0) {
        return 0.0;
    }
    let (mut below, mut above) = (0.0, 1.0);
    for _ in 0..50 {
        let middle = f64::midpoint(below, above);
        if holds(middle) { above = middle } else { below = middle }
    }
    above
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEQUENTIAL: Rule = Rule::Sequential { level: 0.05, miss: 0.05, ability: 0.75, most: 100 };

    fn fixed(trials: u32) -> Rule {
        Rule::Fixed { trials, level: 0.05 }
    }

    #[derive(serde::Deserialize)]
    struct Reference {
        binomial: Vec<(u32, u32, f64, f64, f64)>,
    }

    #[test]
    fn p_values_and_intervals_of_fixed_tests_are_those_of_scipy() {
        let text = include_str!("../../../../tests/reference/blind.json");
        let reference: Reference = serde_json::from_str(text).unwrap();
        assert!(reference.binomial.len() > 90);
        for (trials, right, p, low, high) in reference.binomial {
            let what = format!("{right} of {trials}");
            let got = p_value(&fixed(trials), trials, right).unwrap();
            assert!((got - p).abs() <= 1e-12 + 1e-9 * p, "{what}: {got}, not {p}");
            let (got_low, got_high) = interval(&fixed(trials), trials, right).unwrap();
            assert!((got_low - low).abs() < 1e-9 && (got_high - high).abs() < 1e-9, "{what}: {got_low} to {got_high}");
        }
    }

    #[test]
    fn the_probabilities_of_all_outcomes_are_one() {
        for rule in [fixed(16), fixed(500), SEQUENTIAL] {
            for ability in [0.0, 0.3, 0.5, 0.8, 1.0] {
                let sum: f64 = outcomes(&rule, ability).iter().map(|outcome| outcome.probability).sum();
                assert!((sum - 1.0).abs() < 1e-12, "{rule:?} {ability}: {sum}");
            }
        }
    }

    #[test]
    fn guessing_passes_at_most_at_the_level() {
        for level in [0.001, 0.01, 0.05, 0.2] {
            for trials in [16, 25, 100, 300] {
                let rate = pass_rate(&Rule::Fixed { trials, level }, 0.5);
                assert!(rate <= level, "{trials} trials at {level}: {rate}");
                for ability in [0.6, 0.75, 0.9] {
                    let rate = pass_rate(&Rule::Sequential { level, miss: 0.05, ability, most: trials }, 0.5);
                    assert!(rate <= level, "sequential, {trials} trials at {level} for {ability}: {rate}");
                }
            }
        }
    }

    #[test]
    fn a_sequential_test_misses_no_more_than_it_says_and_takes_fewer_trials() {
        let rule = Rule::Sequential { level: 0.05, miss: 0.05, ability: 0.75, most: 500 };
        assert!(pass_rate(&rule, 0.75) >= 0.95);
        // A fixed test of the same level and power needs 42 trials.
        assert!(expected_trials(&rule, 0.75) < 30.0, "{}", expected_trials(&rule, 0.75));
        assert!(expected_trials(&rule, 0.5) < 30.0, "{}", expected_trials(&rule, 0.5));
        assert_eq!(expected_trials(&fixed(16), 0.9).round(), 16.0);
    }

    #[test]
    fn the_p_value_of_a_passed_test_is_no_larger_than_its_level() {
        for rule in [fixed(16), SEQUENTIAL] {
            let mut former = 0.0;
            for outcome in outcomes(&rule, 0.5) {
                let p = p_value(&rule, outcome.answered, outcome.right).unwrap();
                assert!(!outcome.passed || p <= rule.level(), "{outcome:?}: {p}");
                assert!(p > former, "{outcome:?} is less convincing than the one before: {p}, {former}");
                former = p;
            }
        }
    }

    #[test]
    fn intervals_of_sequential_tests_cover_the_truth() {
        for ability in [0.5, 0.6, 0.75, 0.9] {
            let covered: f64 = outcomes(&SEQUENTIAL, ability)
                .iter()
                .filter(|outcome| {
                    let (low, high) = interval(&SEQUENTIAL, outcome.answered, outcome.right).unwrap();
                    (low..=high).contains(&ability)
                })
                .map(|outcome| outcome.probability)
                .sum();
            assert!(covered >= CONFIDENCE, "{ability}: {covered}");
        }
    }

    #[test]
    fn an_open_test_has_no_result() {
        assert_eq!(p_value(&fixed(16), 15, 15), None);
        assert_eq!(interval(&fixed(16), 15, 15), None);
    }
}
