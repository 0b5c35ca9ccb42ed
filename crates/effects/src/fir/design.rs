//! Turns the arguments of a filter into its taps at a rate.

use crate::Arguments;
use crate::bounds::{below_nyquist, ordered};
use crate::spec::{refuse, title};
use base::error::{Error, Result};
use base::units::SampleRate;
use dsp::design::fir::{Pass, Taps, firls, kaiser_taps, kaiser_transition, minimum_phase, remez, windowed};
use dsp::design::{Window, kaiser_beta};

use super::filter::{MAX_TAPS, NAME};

/// The specification of a filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Design {
    band: Band,
    /// The number of taps. `None`: as many as attenuation and transition need.
    taps: Option<usize>,
    shape: Method,
    attenuation_db: f64,
    /// The transition width in Hz. `None`: what the number of taps allows.
    transition_hz: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Band {
    Low(f64),
    High(f64),
    Pass(f64, f64),
    Stop(f64, f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    /// Windowed design. `None`: a Kaiser window for the attenuation.
    Window(Option<Window>),
    LeastSquares,
    Equiripple,
}

impl Design {
    /// Reads the design from the arguments of an effect.
    ///
    /// # Errors
    /// [`Error::Setting`] for edges out of order, and for `taps=0` if the other arguments do not determine the number.
    pub fn new(arguments: &Arguments) -> Result<Self> {
        let number = |name| arguments.checked_number(name);
        let edges = || {
            let (low, high) = (number("low")?, number("high")?);
            ordered(NAME, low, high).map(|()| (low, high))
        };
        let band = match arguments.checked_text("kind")? {
            "highpass" => Band::High(number("cutoff")?),
            "bandpass" => edges().map(|(low, high)| Band::Pass(low, high))?,
            "bandstop" => edges().map(|(low, high)| Band::Stop(low, high))?,
            _ => Band::Low(number("cutoff")?),
        };
        let shape = match (arguments.checked_text("method")?, arguments.checked_text("window")?) {
            ("least_squares", _) => Method::LeastSquares,
            ("equiripple", _) => Method::Equiripple,
            (_, "kaiser") => Method::Window(None),
            (_, name) => Method::Window(Some(name.parse()?)),
        };
        let taps = Some(number("taps")? as usize).filter(|taps| *taps > 0);
        let transition_hz = Some(number("transition")?).filter(|hz| *hz > 0.0);
        let design = Self { band, taps, shape, attenuation_db: number("attenuation")?, transition_hz };
        if taps.is_none() && (transition_hz.is_none() || matches!(shape, Method::Window(Some(_)))) {
            let allowed = "1 or more. 0 needs a transition, with the window kaiser, least_squares or equiripple";
            return Err(refuse(NAME, "taps", allowed));
        }
        Ok(design)
    }

    /// Returns the number of taps at this rate.
    pub fn count(&self, rate: SampleRate) -> Result<usize> {
        if let Some(taps) = self.taps {
            return Ok(taps);
        }
        let width = self.transition_hz.unwrap_or_default() / rate.as_f64();
        // An odd number, so that every kind of filter is possible and the delay is a whole number of frames.
        let needed = kaiser_taps(self.attenuation_db, width).max(3.0) / 2.0;
        let taps = 2.0 * needed.floor() + 1.0;
        if taps > MAX_TAPS as f64 {
            let allowed = format!("wider: the filter needs {taps:.0} taps, and at most {MAX_TAPS} are possible");
            return Err(refuse(NAME, "transition", &allowed));
        }
        Ok(taps as usize)
    }

    /// Returns the taps at this rate, with linear or minimum phase.
    pub fn taps(&self, rate: SampleRate, least_phase: bool) -> Result<Taps> {
        let place = |name: &str, hz: f64| -> Result<f64> {
            below_nyquist(NAME, name, hz, rate)?;
            Ok(hz / rate.as_f64())
        };
        if let Some(hz) = self.transition_hz {
            place("transition", hz)?;
        }
        let pass = match self.band {
            Band::Low(hz) => Pass::Low(place("cutoff", hz)?),
            Band::High(hz) => Pass::High(place("cutoff", hz)?),
            Band::Pass(low, high) => Pass::Band(place("low", low)?, place("high", high)?),
            Band::Stop(low, high) => Pass::Stop(place("low", low)?, place("high", high)?),
        };
        let count = self.count(rate)?;
        let linear = self.designed(pass, count, rate).map_err(|error| match error {
            Error::Invalid { what, got, allowed } => match title(NAME, &what) {
                unknown if unknown == what => Error::setting("FIR filter", format!("{what}: {got}. Choose {allowed}")),
                _ => refuse(NAME, &what, &format!("{allowed}, not {got}")),
            },
            other => other,
        })?;
        Ok(Taps::new(if least_phase { minimum_phase(&linear)? } else { linear }))
    }

    fn designed(&self, pass: Pass, count: usize, rate: SampleRate) -> Result<Vec<f64>> {
        let width = || match self.transition_hz {
            Some(hz) => hz / rate.as_f64(),
            None => kaiser_transition(self.attenuation_db, count),
        };
        match self.shape {
            Method::Window(window) => {
                let by_attenuation = || Window::Kaiser { beta: kaiser_beta(self.attenuation_db) };
                windowed(pass, count, window.unwrap_or_else(by_attenuation))
            }
            Method::LeastSquares => firls(&pass.bands(width())?, count),
            Method::Equiripple => remez(&pass.bands(width())?, count),
        }
    }
}
