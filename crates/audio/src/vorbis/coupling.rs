//! The order in which channel coupling is undone.
//!
//! Encoders couple channels in steps, and a decoder must undo them from the last to the first (section 4.3.5).
//! Symphonia (0.6.1) starts with the first, so it receives the steps in reverse order. It also uses the same list to
//! find the channels that have a residue (section 4.3.3). Reversing the list must not change that result.

/// One step: the channels of magnitude and angle.
pub(super) type Step = (u32, u32);

/// A set of channels, one bit each.
type Set = u64;

/// The channels of a submap, and whether its residue interleaves them (type 2).
#[derive(Clone, Copy, Debug)]
pub(super) struct Submap {
    pub channels: Set,
    pub interleaved: bool,
    /// The index of its residue.
    pub residue: usize,
}

/// Returns the channels that have a residue if only those in `used` have a floor (section 4.3.3).
fn propagate<'a>(mut used: Set, steps: impl Iterator<Item = &'a Step>) -> Set {
    for (magnitude, angle) in steps {
        let pair = 1 << magnitude | 1 << angle;
        if used & pair != 0 {
            used |= pair;
        }
    }
    used
}

/// Returns whether the decoder reads the same from any packet if the steps are reversed.
///
/// The residue of an interleaved submap is read if any of its channels has one, otherwise for each channel separately.
/// Both are unions over the channels that have a floor, so it suffices to test each channel alone.
pub(super) fn may_be_reversed(steps: &[Step], channels: u32, parts: &[Submap]) -> bool {
    (0..channels).all(|channel| {
        let (forward, back) = (propagate(1 << channel, steps.iter()), propagate(1 << channel, steps.iter().rev()));
        parts.iter().all(|part| {
            let (forward, back) = (forward & part.channels, back & part.channels);
            if part.interleaved { (forward == 0) == (back == 0) } else { forward == back }
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: Submap = Submap { channels: 0b11_1111, interleaved: true, residue: 0 };

    #[test]
    fn the_steps_of_known_encoders_may_be_reversed() {
        // 5.1 by libvorbis: five interleaved channels, and the low-frequency channel alone.
        let parts = [Submap { channels: 0b01_1111, ..ALL }, Submap { channels: 0b10_0000, interleaved: false, ..ALL }];
        assert!(may_be_reversed(&[(0, 2), (3, 4), (0, 1), (0, 3)], 6, &parts));
        assert!(may_be_reversed(&[(0, 1)], 2, &[Submap { channels: 0b11, interleaved: false, ..ALL }]));
        assert!(may_be_reversed(&[], 6, &[ALL]));
    }

    #[test]
    fn a_chain_whose_channels_are_read_one_by_one_may_not() {
        let alone = Submap { channels: 0b111, interleaved: false, ..ALL };
        assert!(!may_be_reversed(&[(0, 1), (1, 2)], 3, &[alone]));
        assert!(may_be_reversed(&[(0, 1), (1, 2)], 3, &[Submap { interleaved: true, ..alone }]));
        // Two interleaved submaps that a chain of steps connects.
        let two = [Submap { channels: 0b011, ..ALL }, Submap { channels: 0b100, ..ALL }];
        assert!(!may_be_reversed(&[(0, 1), (1, 2)], 3, &two));
    }

    proptest! {
        #[test]
        fn it_says_what_trying_all_sets_of_channels_says(
            steps in prop::collection::vec((0u32..5, 0u32..5), 0..6),
            split in 0u64..32,
            interleaved in any::<(bool, bool)>(),
        ) {
            let parts = [
                Submap { channels: split, interleaved: interleaved.0, ..ALL },
                Submap { channels: !split & 31, interleaved: interleaved.1, ..ALL },
            ];
            let read = |used: Set| parts.map(|part| {
                if part.interleaved { u64::from(used & part.channels != 0) } else { used & part.channels }
            });
            let all = (0..32).all(|used| {
                read(propagate(used, steps.iter())) == read(propagate(used, steps.iter().rev()))
            });
            prop_assert_eq!(may_be_reversed(&steps, 5, &parts), all);
        }
    }
}
