//! Test signals: tones, sweeps, noise, impulses, silence, DTMF and metronome clicks, as seekable streams.
//!
//! A sample depends only on the settings, the channel and the absolute frame, so that any split of the stream into
//! blocks gives the same bits. Signals are computed in f64 and rounded to f32.
//!
//! Levels are in dB relative to full scale (1.0). For noise, the level is that of the expected RMS, where an RMS of 1.0
//! is 0 dB (a full-scale sine has -3.01 dB). For all other signals it is the peak of the continuous waveform as it is
//! written: for a square, the peak of the band-limited square with its overshoot. A level of up to 0 dB therefore never
//! clips them.

mod beats;
mod clicks;
mod coloured;
mod dtmf;
mod harmonics;
mod impulses;
mod oscillator;
mod random;
mod settings;
mod silence;
mod sine;
mod sweep;
mod white;

pub use clicks::{MAX_BEATS, TEMPI};
pub use coloured::{CORNER_HZ, Colour};
pub use dtmf::{MAX_DIGITS, frames as dtmf_frames};
pub use harmonics::{MAX_HARMONICS, Shape};
pub use random::Sequence;
pub use settings::{Distribution, GeneratorSettings, LEVELS_DB, MAX_CHANNELS, MAX_SECONDS, Signal, SweepScale};

use base::error::Result;
use base::sound::{AudioBuffer, AudioFormat, AudioReader};
use base::units::gain_from_db;

/// A signal at unit level.
trait Waveform: Send {
    /// Fills `out` with the frames from `start` on of a channel, scaled by `gain`. The frames may be any, in any order.
    fn fill(&mut self, channel: usize, start: u64, gain: f64, out: &mut [f32]);

    /// Returns whether the channels differ. If not, only channel 0 is computed.
    fn differs_by_channel(&self) -> bool {
        false
    }
}

/// A generated signal as a stream of known length.
pub struct Generator {
    format: AudioFormat,
    frames: u64,
    position: u64,
    gain: f64,
    waveform: Box<dyn Waveform>,
}

impl Generator {
    /// Creates the stream at its first frame. Band-limited tones and coloured noise are prepared here, which takes up to
    /// a second for extreme settings.
    pub fn new(settings: &GeneratorSettings) -> Result<Self> {
        settings.check()?;
        let AudioFormat { rate, channels, .. } = settings.format;
        let waveform: Box<dyn Waveform> = match &settings.signal {
            Signal::Sine { frequency_hz } => Box::new(sine::Sine::new(*frequency_hz, rate)),
            Signal::Square { frequency_hz } => {
                Box::new(harmonics::BandLimited::new(Shape::Square, *frequency_hz, rate))
            }
            Signal::Saw { frequency_hz } => Box::new(harmonics::BandLimited::new(Shape::Saw, *frequency_hz, rate)),
            Signal::Triangle { frequency_hz } => {
                Box::new(harmonics::BandLimited::new(Shape::Triangle, *frequency_hz, rate))
            }
            Signal::Sweep { from_hz, to_hz, scale } => {
                Box::new(sweep::Sweep::new(*scale, *from_hz, *to_hz, settings.frames, rate))
            }
            Signal::White { distribution } => Box::new(white::White::new(*distribution, settings.seed)),
            Signal::Pink => Box::new(coloured::Coloured::new(Colour::Pink, settings.seed, rate, channels)),
            Signal::Brown => Box::new(coloured::Coloured::new(Colour::Brown, settings.seed, rate, channels)),
            Signal::Impulses { interval_frames } => Box::new(impulses::Impulses::new(*interval_frames)),
            Signal::Silence => Box::new(silence::Silence),
            Signal::Dtmf { digits, tone_frames, pause_frames } => {
                Box::new(dtmf::Dtmf::new(digits, *tone_frames, *pause_frames, rate))
            }
            Signal::Clicks { bpm, beats } => Box::new(clicks::Clicks::new(*bpm, *beats, rate)),
        };
        Ok(Self {
            format: settings.format,
            frames: settings.frames,
            position: 0,
            gain: gain_from_db(settings.level_db),
            waveform,
        })
    }
}

impl AudioReader for Generator {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.frames);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let count = (frames as u64).min(self.frames - self.position) as usize;
        out.resize(self.format.channels, count);
        let differs = self.waveform.differs_by_channel();
        let Some((first, others)) = out.as_mut_vecs().split_first_mut() else { return Ok(()) };
        self.waveform.fill(0, self.position, self.gain, first);
        for (index, channel) in others.iter_mut().enumerate() {
            if differs {
                self.waveform.fill(index + 1, self.position, self.gain, channel);
            } else {
                channel.copy_from_slice(first);
            }
        }
        self.position += count as u64;
        Ok(())
    }
}
