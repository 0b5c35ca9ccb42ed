//! The choice of a method and its grid from a filter's number of taps.

/// The maximum number of taps of a direct sum. With more taps, transforms are cheaper.
const MAX_DIRECT: usize = 64;
/// The maximum length of a transform of pairs, in complex values.
const MAX_PAIR_TRANSFORM: usize = 1 << 15;
/// The maximum length of a partition in frames, which limits the latency of a preview.
const MAX_BLOCK: usize = 1 << 15;
/// The minimum length of a partition in frames.
const MIN_BLOCK: usize = 1 << 9;
/// The cost of multiplying one bin of two spectra, in operations of a transform. It is limited by memory.
const PRODUCT: f64 = 16.0;
/// A smaller unit, which has less latency, is preferred if its cost is at most this factor above the lowest.
const SLACK: f64 = 1.1;

/// The method by which a filter is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The direct sum.
    Direct {
        /// The number of taps.
        taps: usize,
    },
    /// Overlap-save with two stretches of a channel in one complex transform.
    Pairs {
        /// The number of taps.
        taps: usize,
        /// The length of the transform in complex values.
        transform: usize,
    },
    /// Convolution in partitions as long as a block.
    Partitions {
        /// The number of partitions.
        count: usize,
        /// The length of a block in frames. The transform has twice as many real values.
        block: usize,
    },
}

impl Strategy {
    /// Returns the cheapest method for `taps` taps, or one with less latency that costs at most a tenth more.
    pub fn new(taps: usize) -> Self {
        if taps <= MAX_DIRECT {
            return Self::Direct { taps };
        }
        let pairs = (9..=15).flat_map(|power| [1 << power, 3 << (power - 1)]).filter(|n| *n <= MAX_PAIR_TRANSFORM);
        let pairs = pairs.filter(|transform| *transform >= 2 * taps).map(|transform| Self::Pairs { taps, transform });
        let blocks = (0..).map(|power| MIN_BLOCK << power).take_while(|block| *block <= MAX_BLOCK);
        let partitions = blocks.map(|block| Self::Partitions { count: taps.div_ceil(block), block });
        let mut all: Vec<Self> = pairs.chain(partitions).collect();
        all.sort_by_key(|shape| shape.unit());
        let least = all.iter().map(|shape| shape.operations()).fold(f64::INFINITY, f64::min);
        all.into_iter().find(|shape| shape.operations() <= least * SLACK).unwrap_or(Self::Direct { taps })
    }

    /// Returns the approximate number of operations per sample.
    pub(super) fn operations(self) -> f64 {
        match self {
            Self::Direct { taps } => 2.0 * taps as f64,
            Self::Pairs { taps, transform } => {
                let n = transform as f64;
                (10.0 * n * n.log2() + 8.0 * n) / (2.0 * (transform - taps + 1) as f64)
            }
            Self::Partitions { count, block } => {
                let n = 2.0 * block as f64;
                // A real transform is a complex transform of half the length and a pass over its result.
                (5.0 * n * n.log2() + 16.0 * n) / block as f64 + count as f64 * PRODUCT
            }
        }
    }

    /// Returns the length of a unit in frames. A unit is computed at once, so this is also the latency of the output.
    /// 0 for the direct sum, which has no latency.
    pub fn unit(self) -> usize {
        match self {
            Self::Direct { .. } => 0,
            Self::Pairs { taps, transform } => 2 * (transform - taps + 1),
            Self::Partitions { block, .. } => block,
        }
    }

    /// Returns the number of input frames before a unit on which its output depends.
    pub fn before(self) -> usize {
        match self {
            Self::Direct { taps } | Self::Pairs { taps, .. } => taps - 1,
            Self::Partitions { count, block } => count * block,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_the_later_the_way() {
        assert_eq!(Strategy::new(1), Strategy::Direct { taps: 1 });
        assert_eq!(Strategy::new(64), Strategy::Direct { taps: 64 });
        assert!(matches!(Strategy::new(65), Strategy::Pairs { .. }));
        assert_eq!(Strategy::new(1025), Strategy::Pairs { taps: 1025, transform: 4096 });
        let Strategy::Partitions { count, block } = Strategy::new(480_000) else {
            panic!("{:?}", Strategy::new(480_000))
        };
        assert_eq!((count, block), (15, 32_768));
        for taps in (65..200_000).step_by(977) {
            let shape = Strategy::new(taps);
            assert!(shape.unit() > 0 && shape.before() + 1 >= taps, "{taps}: {shape:?}");
        }
    }
}
