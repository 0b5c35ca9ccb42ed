//! The frequency response of a chain: magnitude, phase, group delay, and sections for use in other programs.

use std::f64::consts::{PI, TAU};

use serde::Serialize;

use super::graph::{Chain, Node, NodeId, NodeKind};
use crate::{Permission, Process, Stage, Unit};
use audio::AudioFormat;
use base::error::{Error, Result};
use base::units::SampleRate;
use dsp::design::{Response, Section, Svf};

/// The response of a chain or node. Values are `None` at frequencies where the output is zero.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResponseCurve {
    /// Frames per second.
    pub rate: SampleRate,
    /// The response as second-order sections `[b0, b1, b2, a0, a1, a2]`, with gains folded into the first. `None`
    /// unless the chain is a series of sections and gains.
    pub sections: Option<Vec<[f64; 6]>>,
    /// The response as the taps of one finite impulse response, with gains folded in. `None` unless the chain is a
    /// series of finite responses and gains.
    pub taps: Option<Vec<f64>>,
    /// Frames by which the taps lag behind the output. Phase and group delay below refer to the output.
    pub taps_lag_frames: u64,
    /// The frequencies in Hz.
    pub frequency_hz: Vec<f64>,
    /// Magnitude in dB.
    pub magnitude_db: Vec<Option<f64>>,
    /// Unwrapped phase in radians: continuous except for the jumps at zeros on the unit circle.
    pub phase_rad: Vec<Option<f64>>,
    /// Group delay in frames.
    pub group_delay_frames: Vec<Option<f64>>,
    /// Notes on parts that the response omits, such as gains that depend on the signal.
    pub notes: Vec<String>,
}

/// Computes the response of the whole chain at ascending frequencies from 0 to half the rate.
///
/// A normalise effect, whose gain depends on the signal, counts as unity gain and is listed in the notes.
pub fn chain_response(chain: &Chain, rate: SampleRate, frequency_hz: &[f64]) -> Result<ResponseCurve> {
    let mut notes = Vec::new();
    let linear = Linear::Series(lower_all(&chain.nodes, rate, chain.permission(), &mut notes)?);
    curve(&linear, rate, frequency_hz, notes)
}

/// Computes the response of one node by itself, with its mix, as if it were not bypassed.
pub fn node_response(chain: &Chain, node: NodeId, rate: SampleRate, frequency_hz: &[f64]) -> Result<ResponseCurve> {
    let found = chain.find(node);
    let mut node = found.ok_or_else(|| Error::NotFound { what: "effect", name: node.0.to_string() })?.clone();
    node.bypass = false;
    let mut notes = Vec::new();
    let linear = lower(&node, rate, chain.permission(), &mut notes)?;
    curve(&linear, rate, frequency_hz, notes)
}

/// Returns frequencies with a constant ratio, including both ends. `low_hz` must be above 0.
pub fn log_grid(low_hz: f64, high_hz: f64, points: usize) -> Vec<f64> {
    let last = points.saturating_sub(1);
    let step = (high_hz / low_hz).ln() / last.max(1) as f64;
    (0..points).map(|point| if point == last { high_hz } else { low_hz * (step * point as f64).exp() }).collect()
}

/// The longest impulse response without linear phase, in taps, whose phase is followed between the requested
/// frequencies.
const MAX_FOLLOWED: usize = 4096;

/// A chain, reduced to what the response needs.
enum Linear {
    Sections(Vec<Section>),
    Gain(f64),
    Process(Box<dyn Process>),
    Series(Vec<Linear>),
    Sum(Vec<Linear>),
    Mix(f64, Box<Linear>),
}

fn lower_all(
    nodes: &[Node],
    rate: SampleRate,
    permission: &Permission,
    notes: &mut Vec<String>,
) -> Result<Vec<Linear>> {
    nodes.iter().map(|node| lower(node, rate, permission, notes)).collect()
}

fn lower(node: &Node, rate: SampleRate, permission: &Permission, notes: &mut Vec<String>) -> Result<Linear> {
    if node.bypass {
        return Ok(Linear::Series(Vec::new()));
    }
    let linear = match &node.kind {
        NodeKind::Series { nodes } => Linear::Series(lower_all(nodes, rate, permission, notes)?),
        NodeKind::Parallel { nodes } => Linear::Sum(lower_all(nodes, rate, permission, notes)?),
        NodeKind::During { .. } => {
            notes.push(format!("{}: it acts on a part of the recording, and is left out", node.name()));
            Linear::Series(Vec::new())
        }
        NodeKind::Effect { effect, arguments } => {
            let effect = crate::known(effect)?.make_with(arguments, permission)?;
            let stage = effect.stage(AudioFormat::new(rate, 1), None)?;
            if effect.whole_signal().is_some() && !matches!(stage, Stage::Process(_)) {
                notes.push(format!("{}: its gain depends on the signal and is left out", node.name()));
            }
            match stage {
                Stage::Sections(sections) => Linear::Sections(sections),
                Stage::Gain(gains) => Linear::Gain(gains.first().copied().unwrap_or(1.0)),
                Stage::Process(process) if process.response(0.0).is_some() => Linear::Process(process),
                Stage::Process(_) => {
                    let reason = "it does not treat every frequency by itself, at all levels and times alike, or its \
                                  impulse response is too long to be drawn";
                    notes.push(format!("{}: {reason}, and is left out", node.name()));
                    Linear::Series(Vec::new())
                }
            }
        }
    };
    Ok(if node.mix == 1.0 { linear } else { Linear::Mix(node.mix, Box::new(linear)) })
}

impl Linear {
    fn at(&self, w: f64) -> Response {
        let unity = Response::gain(1.0);
        match self {
            Self::Gain(gain) => Response::gain(*gain),
            Self::Process(process) => process.response(w).unwrap_or(unity),
            Self::Sections(sections) => {
                sections.iter().fold(unity, |sum, section| sum.then(section.response_with_slope(w)))
            }
            Self::Series(parts) => parts.iter().fold(unity, |sum, part| sum.then(part.at(w))),
            Self::Sum(parts) => parts.iter().fold(Response::gain(0.0), |sum, part| sum.plus(part.at(w))),
            Self::Mix(share, wet) => Response::gain(*share).then(wet.at(w)).plus(Response::gain(1.0 - share)),
        }
    }

    /// Returns the unwrapped phase along ascending `w`.
    fn phase(&self, w: &[f64]) -> Vec<f64> {
        match self {
            Self::Gain(_) => vec![0.0; w.len()],
            Self::Sections(sections) => {
                w.iter().map(|&w| sections.iter().map(|section| section.phase_rad(w)).sum()).collect()
            }
            Self::Series(parts) => parts.iter().fold(vec![0.0; w.len()], |mut sum, part| {
                sum.iter_mut().zip(part.phase(w)).for_each(|(sum, phase)| *sum += phase);
                sum
            }),
            Self::Process(..) | Self::Sum(_) | Self::Mix(..) => self.unwrapped(w),
        }
    }

    /// Follows the phase of a sum along `w`, through every resonance on the way.
    fn unwrapped(&self, w: &[f64]) -> Vec<f64> {
        let mut resonances = Vec::new();
        self.resonances(&mut resonances);
        let halvings = if self.is_intricate() { 0 } else { 12 };
        resonances.sort_by(|a, b| a.0.total_cmp(&b.0));
        // A wide resonance beside another shows nothing new: without this, time is quadratic in the number of filters.
        resonances.dedup_by(|next, kept| next.0 - kept.0 < 0.1 * next.1);
        let mut resonances = resonances.into_iter().map(|(w, _)| w).peekable();

        let mut phases = Vec::with_capacity(w.len());
        let mut last: Option<(f64, Response)> = None;
        let mut phase = 0.0;
        let mut go_to = |w: f64| {
            let here = self.at(w);
            if let Some(principal) = here.phase_rad() {
                phase = last.map_or(principal, |last| phase + self.turn(last, (w, here), halvings));
                last = Some((w, here));
            }
            phase
        };
        for (index, &w) in w.iter().enumerate() {
            while let Some(resonance) = resonances.next_if(|&resonance| resonance < w) {
                if index > 0 {
                    go_to(resonance);
                }
            }
            phases.push(go_to(w));
        }
        phases
    }

    /// Returns whether any part has a phase too intricate to follow from one frequency to the next, such as a measured
    /// room response.
    fn is_intricate(&self) -> bool {
        match self {
            Self::Gain(_) | Self::Sections(_) => false,
            Self::Process(process) => process.taps().is_some_and(|(taps, lag)| taps.len() > MAX_FOLLOWED && lag == 0),
            Self::Series(parts) | Self::Sum(parts) => parts.iter().any(Self::is_intricate),
            Self::Mix(_, wet) => wet.is_intricate(),
        }
    }

    /// Collects the centre and the flanks of every section's resonance, each with the resonance's width, in radians per
    /// frame.
    fn resonances(&self, places: &mut Vec<(f64, f64)>) {
        match self {
            Self::Gain(_) | Self::Process(..) => {}
            Self::Sections(sections) => places.extend(sections.iter().flat_map(|section| {
                let Svf { g, k, .. } = section.svf;
                let flank = (0.5 * k).exp();
                let places = [1.0 / flank, 1.0, flank].map(|ratio| 2.0 * (g * ratio).atan());
                places.map(|w| (w, places[2] - places[0]))
            })),
            Self::Series(parts) | Self::Sum(parts) => parts.iter().for_each(|part| part.resonances(places)),
            Self::Mix(_, wet) => wet.resonances(places),
        }
    }

    /// Returns the change of phase between two frequencies. Of the angles that match both responses, chooses the one
    /// nearest to the prediction of the group delays. Where these differ much, halves the interval.
    fn turn(&self, from: (f64, Response), to: (f64, Response), halvings: u32) -> f64 {
        let width = to.0 - from.0;
        let (Some(first), Some(last)) = (from.1.group_delay_frames(), to.1.group_delay_frames()) else { return 0.0 };
        if halvings > 0 && (first - last).abs() * width > 0.5 {
            let middle_w = f64::midpoint(from.0, to.0);
            let middle = (middle_w, self.at(middle_w));
            if middle.1.phase_rad().is_some() {
                return self.turn(from, middle, halvings - 1) + self.turn(middle, to, halvings - 1);
            }
        }
        let turn = from.1.turn_to(&to.1);
        let foretold = -f64::midpoint(first, last) * width;
        turn + TAU * ((foretold - turn) / TAU).round()
    }

    /// Returns the sections and the gain of a plain series, else `None`.
    fn cascade(&self) -> Option<(Vec<Section>, f64)> {
        match self {
            Self::Gain(gain) => Some((Vec::new(), *gain)),
            Self::Sections(sections) => Some((sections.clone(), 1.0)),
            Self::Series(parts) => parts.iter().try_fold((Vec::new(), 1.0), |(mut sections, gain), part| {
                let (more, factor) = part.cascade()?;
                sections.extend(more);
                Some((sections, gain * factor))
            }),
            Self::Process(..) | Self::Sum(_) | Self::Mix(..) => None,
        }
    }

    /// Returns the taps and the lag of a series of finite responses and gains; `None` if it contains no taps or
    /// anything else.
    fn taps(&self) -> Option<(Vec<f64>, u64)> {
        match self {
            Self::Process(process) => process.taps().map(|(taps, lag)| (taps.to_vec(), lag)),
            Self::Series(parts) => {
                let mut whole: Option<(Vec<f64>, u64)> = None;
                let mut gain = 1.0;
                for part in parts {
                    if let Some((_, factor)) = part.cascade().filter(|(sections, _)| sections.is_empty()) {
                        gain *= factor;
                        continue;
                    }
                    let (taps, lag) = part.taps()?;
                    whole = Some(match whole {
                        None => (taps, lag),
                        Some((before, earlier)) => (convolved(&before, &taps)?, earlier + lag),
                    });
                }
                whole.map(|(taps, lag)| (taps.iter().map(|tap| tap * gain).collect(), lag))
            }
            _ => None,
        }
    }

    fn exported_sections(&self) -> Option<Vec<[f64; 6]>> {
        let (sections, gain) = self.cascade()?;
        let mut rows: Vec<[f64; 6]> = sections
            .iter()
            .map(|Section { b: [b0, b1, b2], a: [a0, a1, a2], .. }| [*b0, *b1, *b2, *a0, *a1, *a2])
            .collect();
        if rows.is_empty() {
            rows.push([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        }
        rows[0][..3].iter_mut().for_each(|b| *b *= gain);
        Some(rows)
    }
}

/// Convolves the taps of two filters in series. `None` if that takes more than 2^24 products.
fn convolved(first: &[f64], second: &[f64]) -> Option<Vec<f64>> {
    if first.len().saturating_mul(second.len()) > 1 << 24 {
        return None;
    }
    let mut taps = vec![0.0; (first.len() + second.len()).saturating_sub(1)];
    for (at, a) in first.iter().enumerate() {
        taps[at..].iter_mut().zip(second).for_each(|(tap, b)| *tap += a * b);
    }
    Some(taps)
}

fn curve(linear: &Linear, rate: SampleRate, frequency_hz: &[f64], notes: Vec<String>) -> Result<ResponseCurve> {
    let nyquist = rate.nyquist_hz();
    if let Some(&wrong) = frequency_hz.iter().find(|hz| !(0.0..=nyquist).contains(*hz)) {
        let allowed = format!("0 Hz to {}, half the sample rate", Unit::Hz.written(nyquist));
        return Err(Error::invalid("frequency", Unit::Hz.written(wrong), allowed));
    }
    if !frequency_hz.is_sorted() {
        return Err(Error::invalid("frequencies", "in disorder", "in ascending order"));
    }
    let w: Vec<f64> = frequency_hz.iter().map(|hz| PI * (hz / nyquist)).collect();
    let points: Vec<Response> = w.iter().map(|&w| linear.at(w)).collect();
    let phases = linear.phase(&w);
    let (taps, taps_lag_frames) = linear.taps().unzip();
    Ok(ResponseCurve {
        rate,
        sections: linear.exported_sections(),
        taps,
        taps_lag_frames: taps_lag_frames.unwrap_or(0),
        frequency_hz: frequency_hz.to_vec(),
        magnitude_db: points.iter().map(Response::magnitude_db).collect(),
        phase_rad: points.iter().zip(phases).map(|(point, phase)| point.phase_rad().map(|_| phase)).collect(),
        group_delay_frames: points.iter().map(Response::group_delay_frames).collect(),
        notes,
    })
}
