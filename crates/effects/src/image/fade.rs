//! Fade curves, and the process that applies one to a section of a stream.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::{PLAIN, Parameter, ParameterKind, Process, Scale, Unit};
use audio::AudioBuffer;
use base::error::{Error, Result};

/// The gain at which the exponential curves begin: -60 dB.
const FLOOR: f64 = 1e-3;

/// The curve of a gain from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) enum Curve {
    Linear,
    EqualPower,
    Exponential,
    Sigmoid,
    Logarithmic,
}

impl Curve {
    pub fn of(word: &str) -> Self {
        match word {
            "equal_power" => Self::EqualPower,
            "exponential" => Self::Exponential,
            "s_curve" => Self::Sigmoid,
            "logarithmic" => Self::Logarithmic,
            _ => Self::Linear,
        }
    }

    /// Returns the gain at `x`: 0 up to 0, 1 from 1 on.
    fn gain(self, x: f64) -> f64 {
        if x <= 0.0 {
            return 0.0;
        }
        if x >= 1.0 {
            return 1.0;
        }
        let exponential = |x: f64| (FLOOR.powf(1.0 - x) - FLOOR) / (1.0 - FLOOR);
        match self {
            Self::Linear => x,
            Self::EqualPower => (x * FRAC_PI_2).sin(),
            Self::Exponential => exponential(x),
            Self::Sigmoid => 0.5 - 0.5 * (x * PI).cos(),
            Self::Logarithmic => 1.0 - exponential(1.0 - x),
        }
    }
}

/// The curve parameter of both fades.
pub(super) const CURVES: Parameter = Parameter {
    name: "curve",
    title: "Curve",
    help: "Curve of the gain.",
    kind: ParameterKind::Choice {
        options: &["linear", "equal_power", "exponential", "s_curve", "logarithmic"],
        default: "linear",
    },
    ..PLAIN
};

/// A time parameter of at most an hour. Without a default if `default` is `None`.
pub(super) const fn time(
    name: &'static str,
    title: &'static str,
    help: &'static str,
    default: Option<f64>,
    initial: f64,
) -> Parameter {
    let kind =
        ParameterKind::Number { unit: Unit::Seconds, min: 0.0, max: 3600.0, default, initial, scale: Scale::Linear };
    Parameter { name, title, help, kind, ..PLAIN }
}

/// A gain that rises from 0 to 1, or falls back, over a section of a stream. It depends only on the frame number.
#[derive(Debug)]
pub(super) struct Fade {
    curve: Curve,
    /// The silent end of the fade: the signal is silent up to this frame if the gain rises, from it on if the gain
    /// falls.
    silent: i64,
    /// Frames from there to full gain; 0 makes a cut.
    frames: u64,
    rises: bool,
    /// The next frame of the stream.
    position: i64,
}

impl Fade {
    /// Creates a fade that is silent before frame `silent`, then rises over `frames`.
    pub fn rising(curve: Curve, silent: i64, frames: u64) -> Self {
        Self { curve, silent, frames, rises: true, position: 0 }
    }

    /// Creates a fade that falls over `frames` to silence at frame `silent`; `i64::MAX` for never.
    pub fn falling(curve: Curve, silent: i64, frames: u64) -> Self {
        Self { curve, silent, frames, rises: false, position: 0 }
    }

    /// Returns the distance of a frame from the silent end of the fade.
    fn depth(&self, frame: i64) -> i64 {
        if self.rises { frame.saturating_sub(self.silent) } else { self.silent.saturating_sub(frame) }
    }

    fn gain(&self, frame: i64) -> f64 {
        let depth = self.depth(frame);
        if self.frames == 0 {
            f64::from(u8::from(depth >= 0))
        } else {
            self.curve.gain(depth as f64 / self.frames as f64)
        }
    }

    /// Returns whether the gain is 1 from frame `first` to `last`.
    fn is_past(&self, first: i64, last: i64) -> bool {
        let frames = i64::try_from(self.frames).unwrap_or(i64::MAX);
        self.depth(first).min(self.depth(last)) >= frames
    }
}

impl Process for Fade {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        let (first, count) = (self.position, block.frames());
        self.position += count as i64;
        if count == 0 || self.is_past(first, self.position - 1) {
            return Ok(());
        }
        let gains: Vec<f32> = (first..self.position).map(|frame| self.gain(frame) as f32).collect();
        for samples in block.iter_mut() {
            samples.iter_mut().zip(&gains).for_each(|(sample, gain)| *sample *= gain);
        }
        Ok(())
    }

    fn seek(&mut self, frame: i64) -> bool {
        self.position = frame;
        true
    }

    fn state(&self) -> Vec<f64> {
        vec![self.position as f64]
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let [position] = state else {
            return Err(Error::Internal("a fade was given the state of another effect".into()));
        };
        self.position = *position as i64;
        Ok(())
    }
}
