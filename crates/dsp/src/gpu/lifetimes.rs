//! Shares memory between the buffers of a recording that are not in use at the same time.

/// The memory that each buffer of a recording takes.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Shared {
    /// The slot of each buffer; `None` if no step uses it.
    pub slots: Vec<Option<usize>>,
    /// The size class of each slot.
    pub classes: Vec<u64>,
}

/// Assigns slots to buffers of the size classes `classes`. `uses` holds the buffers of each step, in the order of the
/// steps. A slot passes to a buffer of the same class after the last step that uses its former one. Buffers for which
/// `alone` is true share no slot.
pub(super) fn share(classes: &[u64], uses: &[Vec<usize>], alone: impl Fn(usize) -> bool) -> Shared {
    let mut last = vec![0; classes.len()];
    for (step, buffers) in uses.iter().enumerate() {
        for &buffer in buffers {
            last[buffer] = step;
        }
    }
    let mut shared = Shared { slots: vec![None; classes.len()], classes: Vec::new() };
    let mut free: Vec<usize> = Vec::new();
    for (step, buffers) in uses.iter().enumerate() {
        for &buffer in buffers {
            if shared.slots[buffer].is_some() {
                continue;
            }
            let found = free.iter().rposition(|&slot| !alone(buffer) && shared.classes[slot] == classes[buffer]);
            let slot = if let Some(at) = found {
                free.remove(at)
            } else {
                shared.classes.push(classes[buffer]);
                shared.classes.len() - 1
            };
            shared.slots[buffer] = Some(slot);
        }
        for &buffer in buffers {
            let Some(slot) = shared.slots[buffer].filter(|slot| last[buffer] == step && !free.contains(slot)) else {
                continue;
            };
            if !alone(buffer) {
                free.push(slot);
            }
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_in_use_together_never_share() {
        // A chain a -> b -> c -> d: a is free when c begins, b when d does.
        let uses = [vec![0], vec![0, 1], vec![1, 2], vec![2, 3], vec![3]];
        let shared = share(&[64; 4], &uses, |_| false);
        assert_eq!(shared, Shared { slots: vec![Some(0), Some(1), Some(0), Some(1)], classes: vec![64, 64] });
        let shared = share(&[64, 64, 128, 64], &uses, |_| false);
        assert_eq!(shared.slots, [Some(0), Some(1), Some(2), Some(1)]);
        let shared = share(&[64; 4], &uses, |buffer| buffer == 0);
        assert_eq!(shared.slots, [Some(0), Some(1), Some(2), Some(1)]);
    }

    #[test]
    fn a_buffer_without_steps_takes_no_memory() {
        assert_eq!(share(&[64, 64], &[vec![1, 1], vec![1]], |_| false).slots, [None, Some(0)]);
    }

    proptest::proptest! {
        #[test]
        fn no_two_live_buffers_have_one_slot(
            uses in proptest::collection::vec(proptest::collection::vec(0_usize..12, 1..4), 1..40),
            classes in proptest::collection::vec(0_u64..2, 12),
        ) {
            let shared = share(&classes, &uses, |buffer| buffer % 5 == 0);
            let lives = |buffer: usize, step: usize| {
                uses[..=step].iter().flatten().any(|&used| used == buffer)
                    && uses[step..].iter().flatten().any(|&used| used == buffer)
            };
            for step in 0..uses.len() {
                for a in 0..12 {
                    for b in 0..a {
                        if lives(a, step) && lives(b, step) {
                            proptest::prop_assert_ne!(shared.slots[a], shared.slots[b], "{} and {} at {}", a, b, step);
                        }
                    }
                }
            }
        }
    }
}
