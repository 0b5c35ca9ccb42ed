//! Low-pass prototypes as poles and zeros, and their transformation to low-pass, high-pass, band-pass and band-stop
//! filters.
//!
//! A family of designs returns a [`Prototype`]. The classical analog transformations (`s -> S/g`, `g/S`,
//! `(S^2 + c^2)/(W S)` and its inverse) are implemented here once for all families. They work on poles and zeros in
//! closed form and produce state-variable sections directly. `S` is the plane of the bilinear transform, with prewarped
//! frequencies.

use super::{Band, Section, Warped};

/// The highest order of a prototype.
pub const MAX_ORDER: usize = 24;

/// A low-pass prototype with its band edge at 1. The parts are in the order in which their sections run.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    parts: Vec<PrototypeSection>,
    gain: f64,
}

/// One section of a prototype, of unity gain at 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PrototypeSection {
    /// A real pole at minus this value, with its zero at infinity.
    Real(f64),
    /// A pair of conjugate poles.
    Pair(Pair),
}

/// A pair of poles at `frequency (-damping +- i imaginary)`, where `damping^2 + imaginary^2 == 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    /// The distance of the poles from 0.
    pub frequency: f64,
    /// Half of a section's `k`.
    pub damping: f64,
    /// Stored next to `damping` so that both keep full precision.
    pub imaginary: f64,
    /// A pair of zeros at `+-i` times this value. `None` puts them at infinity.
    pub zero: Option<f64>,
}

impl Pair {
    /// A pair of poles at `-real +- i imaginary`.
    pub fn at(real: f64, imaginary: f64, zero: Option<f64>) -> Self {
        let frequency = real.hypot(imaginary);
        Self { frequency, damping: real / frequency, imaginary: imaginary / frequency, zero }
    }
}

impl Prototype {
    /// Creates a prototype from its parts, the most resonant first, and its gain at 0.
    ///
    /// Sections run from the middle of the list outwards. Of two neighbours the more resonant one runs first, and the
    /// most resonant section runs second to last. The peak of each section thus meets the roll-off of its neighbour.
    /// Compared with running the most resonant section last, this leaves up to 10 dB more of the f32 range in cascades
    /// of high order. Compared with running it first, it prevents a sine at the cutoff from growing thirtyfold inside
    /// the cascade.
    pub(super) fn new(parts: &[PrototypeSection], gain: f64) -> Self {
        let (mut most, mut least) = (0, parts.len());
        let mut outside_in = Vec::with_capacity(parts.len());
        while most < least {
            least -= 1;
            outside_in.push(parts[least]);
            if most < least {
                outside_in.push(parts[most]);
                most += 1;
            }
        }
        outside_in.reverse();
        Self { parts: outside_in, gain }
    }

    /// Returns the low-pass with its edge at `cutoff`: a second-order section for each pair of poles, plus a
    /// first-order section if the number of poles is odd.
    pub fn lowpass(&self, cutoff: Warped) -> Vec<Section> {
        let g = cutoff.get();
        self.sections(|part, sections| match part {
            PrototypeSection::Real(pole) => sections.push(Section::first_order(g * pole, [0.0, 1.0])),
            PrototypeSection::Pair(pair) => {
                let r = pair.zero_ratio();
                let section = Section::from_prototype(g * pair.frequency, pair.k(), [r * r, 0.0, 1.0]);
                sections.push(with_low(section, (1.0 - r) * (1.0 + r)));
            }
        })
    }

    /// Returns the high-pass with its edge at `cutoff`, with the same number of sections as [`Prototype::lowpass`].
    pub fn highpass(&self, cutoff: Warped) -> Vec<Section> {
        let g = cutoff.get();
        self.sections(|part, sections| match part {
            PrototypeSection::Real(pole) => sections.push(Section::first_order(g / pole, [1.0, 0.0])),
            PrototypeSection::Pair(pair) => {
                let r = pair.zero_ratio();
                let section = Section::from_prototype(g / pair.frequency, pair.k(), [1.0, 0.0, r * r]);
                sections.push(with_low(section, -(1.0 - r) * (1.0 + r)));
            }
        })
    }

    /// Returns the band-pass, which has twice as many poles as the prototype and one section for each of the
    /// prototype's poles.
    ///
    /// Each pair of poles becomes a section below and a section above the centre, each with the zeros nearest to it.
    /// Zeros at infinity become zeros at 0 for the lower section and stay at infinity for the upper one. Both sections
    /// have the same share of the gain, so no section amplifies or attenuates the signal more than its resonance does.
    /// Compared with a pair of band-passes, this leaves up to 30 dB more of the f32 range for a wide band.
    pub fn bandpass(&self, band: Band) -> Vec<Section> {
        let half = band.width / (2.0 * band.center);
        self.sections(|part, sections| match part {
            PrototypeSection::Real(pole) => {
                let k = 2.0 * half * pole;
                sections.push(Section::from_prototype(band.center, k, [0.0, k, 0.0]));
            }
            PrototypeSection::Pair(pair) => {
                let scale = half * pair.frequency;
                let Split { k, log_ratio } = Split::of(pair.damping * scale, pair.imaginary * scale);
                let (lower, upper) = (band.center * (-log_ratio).exp(), band.center * log_ratio.exp());
                if let Some(zero) = pair.zero {
                    let base = pair.zero_ratio();
                    let beyond = (half * zero).asinh() - log_ratio;
                    let (near, far) = (base * beyond.exp(), base * (-beyond).exp());
                    let lift = 2.0 * base * beyond.sinh();
                    sections.push(with_low(Section::from_prototype(lower, k, [near, 0.0, far]), -lift));
                    sections.push(with_low(Section::from_prototype(upper, k, [far, 0.0, near]), lift));
                } else {
                    let gain = 2.0 * scale * (-log_ratio).exp();
                    sections.push(Section::from_prototype(lower, k, [gain, 0.0, 0.0]));
                    sections.push(Section::from_prototype(upper, k, [0.0, 0.0, gain]));
                }
            }
        })
    }

    /// Returns the band-stop, which has twice as many poles as the prototype and one section for each of the
    /// prototype's poles.
    ///
    /// Each pair of poles becomes a section above and a section below the centre. Their gains are scaled so that the
    /// second section undoes the boost at 0 Hz and the cut at the Nyquist frequency of the first.
    pub fn bandstop(&self, band: Band) -> Vec<Section> {
        let half = band.width / (2.0 * band.center);
        // A pole p maps to where the band-pass puts 1/p: the direction of the conjugate at the reciprocal distance.
        self.sections(|part, sections| match part {
            PrototypeSection::Real(pole) => {
                sections.push(Section::from_prototype(band.center, 2.0 * half / pole, [1.0, 0.0, 1.0]));
            }
            PrototypeSection::Pair(pair) => {
                let scale = half / pair.frequency;
                let Split { k, log_ratio } = Split::of(pair.damping * scale, pair.imaginary * scale);
                // The zeros of this side are at exp(-+within), in units of the poles' frequency.
                let within = log_ratio - pair.zero.map_or(0.0, |zero| (half / zero).asinh());
                for (log_ratio, within) in [(log_ratio, within), (-log_ratio, -within)] {
                    let frequency = band.center * log_ratio.exp();
                    let section = Section::from_prototype(frequency, k, [within.exp(), 0.0, (-within).exp()]);
                    sections.push(with_low(section, -2.0 * within.sinh()));
                }
            }
        })
    }

    fn sections(&self, place: impl Fn(PrototypeSection, &mut Vec<Section>)) -> Vec<Section> {
        let mut sections = Vec::with_capacity(2 * self.parts.len());
        self.parts.iter().for_each(|&part| place(part, &mut sections));
        if self.gain != 1.0
            && let Some(first) = sections.first_mut()
        {
            *first = first.scaled(self.gain);
        }
        sections
    }
}

impl Pair {
    fn k(&self) -> f64 {
        2.0 * self.damping
    }

    /// The poles' frequency divided by the zeros' frequency.
    fn zero_ratio(&self) -> f64 {
        self.zero.map_or(0.0, |zero| self.frequency / zero)
    }
}

/// Replaces the section's low-pass mix, `n0 - n2`, by a value in closed form, which avoids cancellation.
fn with_low(mut section: Section, low: f64) -> Section {
    section.svf.m[2] = low;
    section
}

/// The result of transforming a pair of poles to a band: two pairs of equal damping `k`, at `center * ratio` and
/// `center / ratio`.
struct Split {
    k: f64,
    /// `ln(ratio)`, 0 or more.
    log_ratio: f64,
}

impl Split {
    /// Splits the poles `-x +- i y`, given in units of `2 center / width`.
    ///
    /// The roots `r` of `r^2 - p w r + c^2 = 0` are `c u +- i c sqrt(1 - u^2)` with `u = p w / 2c`, which is
    /// `i c exp(-i asin u)` and its counterpart. Their moduli are `c exp(+-Im asin u)` and their common damping is
    /// `-2 sin(Re asin u)`. This form loses no precision for narrow or wide bands. `asin` follows Hull, Fairgrieve and
    /// Tang (1997).
    fn of(x: f64, y: f64) -> Self {
        let (r, s) = ((1.0 + x).hypot(y), (1.0 - x).hypot(y));
        let a = f64::midpoint(r, s);
        let beyond = if x < 1.0 { y * y / (s + (1.0 - x)) } else { s + (x - 1.0) };
        let a_minus_1 = 0.5 * (y * y / (r + (1.0 + x)) + beyond);
        Self { k: 2.0 * x / a, log_ratio: (a_minus_1 + (a_minus_1 * (a + 1.0)).sqrt()).ln_1p() }
    }
}
