//! Smooths a gain over time.
//!
//! A time constant `t` is the time to complete `1 - 1/e` (63 %) of a step: `a = exp(-1 / (t rate))`. The recursions run
//! in f64, one sample at a time: in f32 they would stall at long time constants, where a step is less than half a unit
//! in the last place. Their speed is limited by the dependency chain of one multiply-add and one comparison per frame.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use base::simd::{Lanes, Simd, Task};
use base::units::SampleRate;

/// Returns the share of the old value left after one frame.
pub(super) fn coefficient(seconds: f64, rate: SampleRate) -> f64 {
    let frames = seconds * rate.as_f64();
    if frames > 0.0 { (-1.0 / frames).exp() } else { 0.0 }
}

/// Two state values per channel.
pub(super) type Memory = [f64; 2];

/// Smooths a reduction that begins with the attack and ends with the release: the smooth decoupled detector
/// (Giannoulis, Massberg and Reiss 2012, equation 17), `y1 = max(x, aR y1 + (1 - aR) x)`, `y = aA y + (1 - aA) y1`.
pub(super) struct Decoupled<'a> {
    pub values: &'a mut [f32],
    pub memory: &'a mut Memory,
    pub attack: f64,
    pub release: f64,
}

impl Task for Decoupled<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { values, memory, attack, release } = self;
        let [mut held, mut smooth] = *memory;
        for value in values {
            let wanted = f64::from(*value);
            let falling = L::mul_add_one(release, held, (1.0 - release) * wanted);
            held = if falling > wanted { falling } else { wanted };
            smooth = L::mul_add_one(attack, smooth, (1.0 - attack) * held);
            *value = smooth as f32;
        }
        *memory = [held, smooth];
    }
}

/// Smooths a reduction that ends with the attack and begins with the release, as in an expander: one recursion with
/// either coefficient.
pub(super) struct Branching<'a> {
    pub values: &'a mut [f32],
    pub memory: &'a mut Memory,
    pub rising: f64,
    pub falling: f64,
}

impl Task for Branching<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { values, memory, rising, falling } = self;
        let mut smooth = memory[0];
        for value in values {
            let wanted = f64::from(*value);
            let up = L::mul_add_one(rising, smooth, (1.0 - rising) * wanted);
            let down = L::mul_add_one(falling, smooth, (1.0 - falling) * wanted);
            smooth = if wanted > smooth { up } else { down };
            *value = smooth as f32;
        }
        memory[0] = smooth;
    }
}

/// A gate that opens at `opens` and closes when the level falls below `closes`. The gain, not its logarithm, approaches
/// 1 or `floor` exponentially. Replaces levels by gains. The memory holds the gain above the floor, and whether the
/// gate is open.
pub(super) struct Gating<'a> {
    pub values: &'a mut [f32],
    pub memory: &'a mut Memory,
    pub opens: f32,
    pub closes: f32,
    pub floor: f64,
    pub attack: f64,
    pub release: f64,
}

impl Task for Gating<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { values, memory, opens, closes, floor, attack, release } = self;
        let mut above = memory[0];
        let mut open = memory[1] > 0.0;
        // Keeps the gain of a closed gate from becoming subnormal.
        const NOTHING: f64 = 1e-30;
        let (opening, closing) = ((1.0 - attack) * (1.0 - floor), (1.0 - release) * NOTHING);
        for value in values {
            open = *value >= if open { closes } else { opens };
            let (keep, add) = if open { (attack, opening) } else { (release, closing) };
            above = L::mul_add_one(keep, above, add);
            *value = (floor + above) as f32;
        }
        *memory = [above, f64::from(u8::from(open))];
    }
}

/// Runs one of the smoothers on the best available vector unit, for its multiply-adds.
pub(super) fn smooth<T: Task>(task: T) -> T::Output {
    Simd::best().dispatch(task)
}
