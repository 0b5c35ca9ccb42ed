//! Which way a filter of so many taps is cheapest, and the grid that it works on.

/// From so many taps on transforms pay.
const MAX_DIRECT: usize = 64;
/// Complex values of a transform of pairs at the most.
const MAX_PAIR_TRANSFORM: usize = 1 << 15;
/// Frames of a partition at the most: what a preview waits for.
const MAX_BLOCK: usize = 1 << 15;
/// Frames of a partition at the least.
const MIN_BLOCK: usize = 1 << 9;
/// What a product in a spectrum costs, in operations of a transform: it waits for memory.
const PRODUCT: f64 = 16.0;
/// A smaller shape is preferred if it costs at most this many times what the cheapest does: its blocks come sooner.
const SLACK: f64 = 1.1;

/// How a filter is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// As the sum that it is.
    Direct {
        /// How many taps.
        taps: usize,
    },
    /// Two stretches in one complex transform.
    Pairs {
        /// How many taps.
        taps: usize,
        /// Complex values of the transform.
        transform: usize,
    },
    /// In partitions as long as a block.
    Partitions {
        /// How many partitions.
        count: usize,
        /// Frames of a block; the transform has twice as many real values.
        block: usize,
    },
}

impl Strategy {
    /// The cheapest for so many taps.
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

    /// Operations for a sample, about.
    pub(super) fn operations(self) -> f64 {
        match self {
            Self::Direct { taps } => 2.0 * taps as f64,
            Self::Pairs { taps, transform } => {
                let n = transform as f64;
                (10.0 * n * n.log2() + 8.0 * n) / (2.0 * (transform - taps + 1) as f64)
            }
            Self::Partitions { count, block } => {
                let n = 2.0 * block as f64;
                // A real transform, made of a complex one of half the length and a pass over the result.
                (5.0 * n * n.log2() + 16.0 * n) / block as f64 + count as f64 * PRODUCT
            }
        }
    }

    /// Frames of the grid: what is made at once, and how many frames later it comes. 0 where every frame comes at once.
    pub fn unit(self) -> usize {
        match self {
            Self::Direct { .. } => 0,
            Self::Pairs { taps, transform } => 2 * (transform - taps + 1),
            Self::Partitions { block, .. } => block,
        }
    }

    /// Frames before a unit that what comes of it depends on.
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
