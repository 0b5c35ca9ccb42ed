//! Low-pass prototypes as poles and zeros, and what becomes of them: low-pass, high-pass, band-pass and band-stop.
//!
//! A family of designs gives a [`Prototype`]; the classical analog transformations (`s -> S/g`, `g/S`,
//! `(S^2 + c^2)/(W S)`, its inverse) are done here once for all families, on poles and zeros in closed form, straight to
//! the state-variable sections that run. `S` is the plane of the bilinear transform, with frequencies warped beforehand.

use super::{Band, Section, Warped};

/// The highest order of a prototype.
pub const MAX_ORDER: usize = 24;

/// A low-pass prototype, its edge at 1, in the order in which its sections run.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype {
    parts: Vec<Part>,
    gain: f64,
}

/// One section of a prototype: of unity gain at 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    /// A real pole at minus this, its zero at infinity.
    Real(f64),
    /// A pair of conjugate poles.
    Pair(Pair),
}

/// Poles at `frequency (-damping +- i imaginary)`, where `damping^2 + imaginary^2 == 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    /// Their distance from 0.
    pub frequency: f64,
    /// Half of what a section calls damping.
    pub damping: f64,
    /// Kept beside the damping, so that both have all their digits.
    pub imaginary: f64,
    /// A pair of zeros at plus and minus i times this; none are at infinity.
    pub zero: Option<f64>,
}

impl Pair {
    /// Poles at `-real +- i imaginary`.
    pub fn at(real: f64, imaginary: f64, zero: Option<f64>) -> Self {
        let frequency = real.hypot(imaginary);
        Self { frequency, damping: real / frequency, imaginary: imaginary / frequency, zero }
    }
}

impl Prototype {
    /// The prototype of these parts, the most resonant first, and this gain at 0.
    ///
    /// Sections run from the middle outwards, the more resonant one of two first and the most resonant one last but one:
    /// the peak of each is met by the droop of its neighbour. Against the most resonant last this keeps up to 10 dB more
    /// of f32's range in cascades of high order, against the most resonant first it keeps a sine at the cutoff from
    /// growing thirtyfold on its way.
    pub(super) fn new(parts: &[Part], gain: f64) -> Self {
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

    /// The low-pass with its edge at `cutoff`: a section for each pair of poles, and one of first order if their number
    /// is odd.
    pub fn lowpass(&self, cutoff: Warped) -> Vec<Section> {
        let g = cutoff.get();
        self.sections(|part, sections| match part {
            Part::Real(pole) => sections.push(Section::first_order(g * pole, [0.0, 1.0])),
            Part::Pair(pair) => {
                let r = pair.zero_ratio();
                let section = Section::from_prototype(g * pair.frequency, pair.k(), [r * r, 0.0, 1.0]);
                sections.push(with_low(section, (1.0 - r) * (1.0 + r)));
            }
        })
    }

    /// The high-pass with its edge at `cutoff`: sections as of [`Prototype::lowpass`].
    pub fn highpass(&self, cutoff: Warped) -> Vec<Section> {
        let g = cutoff.get();
        self.sections(|part, sections| match part {
            Part::Real(pole) => sections.push(Section::first_order(g / pole, [1.0, 0.0])),
            Part::Pair(pair) => {
                let r = pair.zero_ratio();
                let section = Section::from_prototype(g / pair.frequency, pair.k(), [1.0, 0.0, r * r]);
                sections.push(with_low(section, -(1.0 - r) * (1.0 + r)));
            }
        })
    }

    /// The band-pass of twice as many poles: as many sections as the prototype has poles.
    ///
    /// Of each pair of poles comes a section below and one above the centre, each with the zeros next to it (those at
    /// infinity become zeros at 0 below, at infinity above), and both carry the same share of the gain, so that no
    /// section lifts or drops the signal more than its resonance does. Against a pair of band-passes this keeps up to
    /// 30 dB more of f32's range where the band is wide.
    pub fn bandpass(&self, band: Band) -> Vec<Section> {
        let half = band.width / (2.0 * band.center);
        self.sections(|part, sections| match part {
            Part::Real(pole) => {
                let k = 2.0 * half * pole;
                sections.push(Section::from_prototype(band.center, k, [0.0, k, 0.0]));
            }
            Part::Pair(pair) => {
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

    /// The band-stop of twice as many poles: as many sections as the prototype has poles.
    ///
    /// Of each pair of poles comes a section above and one below the centre, with gains scaled so that what one lifts at
    /// 0 Hz and drops at half the rate, the next undoes.
    pub fn bandstop(&self, band: Band) -> Vec<Section> {
        let half = band.width / (2.0 * band.center);
        // A pole p goes where the band-pass puts 1/p, which is the conjugate's direction at one over its distance.
        self.sections(|part, sections| match part {
            Part::Real(pole) => {
                sections.push(Section::from_prototype(band.center, 2.0 * half / pole, [1.0, 0.0, 1.0]));
            }
            Part::Pair(pair) => {
                let scale = half / pair.frequency;
                let Split { k, log_ratio } = Split::of(pair.damping * scale, pair.imaginary * scale);
                // The zeros of this side, in units of the poles' frequency, are at exp(-+within).
                let within = log_ratio - pair.zero.map_or(0.0, |zero| (half / zero).asinh());
                for (log_ratio, within) in [(log_ratio, within), (-log_ratio, -within)] {
                    let frequency = band.center * log_ratio.exp();
                    let section = Section::from_prototype(frequency, k, [within.exp(), 0.0, (-within).exp()]);
                    sections.push(with_low(section, -2.0 * within.sinh()));
                }
            }
        })
    }

    fn sections(&self, place: impl Fn(Part, &mut Vec<Section>)) -> Vec<Section> {
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

    /// The poles' frequency over the zeros'.
    fn zero_ratio(&self) -> f64 {
        self.zero.map_or(0.0, |zero| self.frequency / zero)
    }
}

/// The section with its low-pass share, `n0 - n2`, given in closed form rather than as a difference.
fn with_low(mut section: Section, low: f64) -> Section {
    section.svf.m[2] = low;
    section
}

/// Where the transformation to a band puts a pair of poles: two pairs of equal damping `k` at `center * ratio` and
/// `center / ratio`.
struct Split {
    k: f64,
    /// `ln(ratio)`, not less than 0.
    log_ratio: f64,
}

impl Split {
    /// Of poles at `-x +- i y`, in units of twice the centre over the width.
    ///
    /// The poles `r` of `r^2 - p w r + c^2 = 0` are `c u +- i c sqrt(1 - u^2)` with `u = p w / 2c`, that is
    /// `i c exp(-i asin u)` and its counterpart: of modulus `c exp(+-Im asin u)` and equal damping `-2 sin(Re asin u)`.
    /// Taken so, neither a narrow band nor a wide one loses digits. `asin` as by Hull, Fairgrieve and Tang (1997).
    fn of(x: f64, y: f64) -> Self {
        let (r, s) = ((1.0 + x).hypot(y), (1.0 - x).hypot(y));
        let a = f64::midpoint(r, s);
        let beyond = if x < 1.0 { y * y / (s + (1.0 - x)) } else { s + (x - 1.0) };
        let a_minus_1 = 0.5 * (y * y / (r + (1.0 + x)) + beyond);
        Self { k: 2.0 * x / a, log_ratio: (a_minus_1 + (a_minus_1 * (a + 1.0)).sqrt()).ln_1p() }
    }
}
