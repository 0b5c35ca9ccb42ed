//! A codec running over a stream.

use std::sync::Arc;

use crate::Process;
use crate::rate_conversion::RateConversion;
use audio::AudioBuffer;
use base::error::{Error, Result};
use dsp::measure::resample::ResamplePlan;
use neural::codecs::neural::{Flow, Opened, mean};

/// The loudest sample that is put out: 60 dB above full scale, which no model for sound has reason to exceed.
pub(super) const LOUDEST: f32 = 1e3;

/// A codec with its pending input and output. Frames are those of the stream.
#[derive(Debug)]
pub(super) struct Running {
    /// The beginning of the hash of the model, which tells its states from those of another model.
    identity: f64,
    channels: usize,
    /// The channels that the model codes together.
    together: usize,
    latency: i64,
    flow: Flow,
    /// The conversions to the model's rate and back, unless the stream has that rate.
    rates: Option<[RateConversion; 2]>,
    /// The next frame of the input.
    position: i64,
    /// Whether there was no input since it began.
    is_fresh: bool,
    /// Output from the frame `ready_from` on that waits for its time.
    ready: AudioBuffer,
    ready_from: i64,
}

impl Running {
    /// Begins at frame 0 of a stream with this many channels. `plans` are the conversions to the model's rate and back.
    pub fn new(
        opened: Opened,
        books: usize,
        channels: usize,
        plans: Option<&[Arc<ResamplePlan>; 2]>,
        latency: u64,
    ) -> Self {
        let together = opened.model().facts().channels;
        let digits = opened.identity().get(..12).and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let voices = if together == 1 { channels } else { 1 };
        Self {
            identity: digits.unwrap_or(0) as f64,
            channels,
            together,
            latency: latency as i64,
            flow: Flow::new(opened, books, voices),
            rates: plans.map(|plans| plans.each_ref().map(|plan| RateConversion::new(Arc::clone(plan), channels))),
            position: 0,
            is_fresh: true,
            ready: AudioBuffer::new(channels, 0),
            ready_from: 0,
        }
    }

    /// Begins anew at a frame. Before frame 0 the stream is silent, and the codec has not begun.
    fn begin(&mut self, frame: i64) -> Result<()> {
        (self.position, self.is_fresh) = (frame, true);
        self.ready = AudioBuffer::new(self.channels, 0);
        let first = frame.max(0);
        let Some([down, up]) = &mut self.rates else {
            self.ready_from = self.flow.begin(first);
            return Ok(());
        };
        down.begin(first)?;
        up.begin(self.flow.begin(down.next_output().max(0)))?;
        self.ready_from = up.next_output();
        Ok(())
    }

    /// Takes the next frames of the stream, and appends the output that they determine to `ready`.
    fn take(&mut self, mut sound: AudioBuffer) -> Result<()> {
        sound.iter_mut().flatten().filter(|sample| !sample.is_finite()).for_each(|sample| *sample = 0.0);
        if let Some([down, _]) = &mut self.rates {
            down.process(&mut sound)?;
        }
        let rows = self.channels.max(self.together);
        let given: Vec<Vec<f32>> = (0..rows).map(|row| sound.channel(row.min(self.channels - 1)).to_vec()).collect();
        let mut made = vec![Vec::new(); rows];
        self.flow.push(&given, &mut made)?;
        if rows > self.channels {
            made = vec![mean(&made)];
        }
        let bounded = |sample: f32| if sample.is_finite() { sample.clamp(-LOUDEST, LOUDEST) } else { 0.0 };
        made.iter_mut().flatten().for_each(|sample| *sample = bounded(*sample));
        let mut made = AudioBuffer::from_channels(made);
        if let Some([_, up]) = &mut self.rates {
            up.process(&mut made)?;
            made.iter_mut().flatten().for_each(|sample| *sample = bounded(*sample));
        }
        self.ready.extend_from(&made, 0..made.frames());
        Ok(())
    }
}

impl Process for Running {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        if block.channels() != self.channels {
            let (got, planned) = (block.channels(), self.channels);
            return Err(Error::Internal(format!("a block of {got} channels came to a codec planned for {planned}")));
        }
        let frames = block.frames();
        if frames == 0 {
            return Ok(());
        }
        let early = (-self.position).clamp(0, frames as i64) as usize;
        let mut sound = AudioBuffer::new(self.channels, 0);
        sound.extend_from(block, early..frames);
        self.is_fresh &= sound.frames() == 0;
        self.take(sound)?;
        // The frames that are due. Those before the output begins are silent.
        let from = self.position - self.latency;
        self.position += frames as i64;
        let silent = (self.ready_from - from).clamp(0, frames as i64) as usize;
        let old = (from - self.ready_from).clamp(0, self.ready.frames() as i64) as usize;
        self.ready.drop_front(old);
        self.ready_from += old as i64;
        let count = frames - silent;
        if self.ready.frames() < count {
            let missing = count - self.ready.frames();
            return Err(Error::Internal(format!("a codec is {missing} frames later than its latency")));
        }
        block.clear();
        block.resize(self.channels, silent);
        block.extend_from(&self.ready, 0..count);
        self.ready.drop_front(count);
        self.ready_from += count as i64;
        Ok(())
    }

    fn seek(&mut self, frame: i64) -> bool {
        if frame == self.position {
            return true;
        }
        let goes_on = self.is_fresh;
        self.begin(frame).is_ok() && goes_on
    }

    /// Identity, channels, position, whether there was no input; the output that waits; the conversions; the codec.
    fn state(&self) -> Vec<f64> {
        let mut state = vec![self.identity, self.channels as f64, self.position as f64];
        state.push(f64::from(u8::from(self.is_fresh)));
        state.extend([self.ready_from as f64, self.ready.frames() as f64]);
        state.extend(self.ready.iter().flatten().map(|&sample| f64::from(sample)));
        for conversion in self.rates.iter().flatten() {
            let values = conversion.state();
            state.push(values.len() as f64);
            state.extend(values);
        }
        self.flow.write(&mut state);
        state
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        if self.read(&mut &state[..]).is_some() {
            return Ok(());
        }
        self.begin(0)?;
        Err(Error::Internal("a codec was given the state of another one".into()))
    }
}

impl Running {
    fn read(&mut self, from: &mut &[f64]) -> Option<()> {
        let head: [f64; 6] = from.split_off(..6)?.try_into().ok()?;
        let [identity, channels, position, is_fresh, ready_from, frames] = head;
        if identity != self.identity || channels != self.channels as f64 {
            return None;
        }
        (self.position, self.is_fresh, self.ready_from) = (position as i64, is_fresh == 1.0, ready_from as i64);
        let mut row = || Some(from.split_off(..frames as usize)?.iter().map(|&x| x as f32).collect());
        self.ready = AudioBuffer::from_channels((0..self.channels).map(|_| row()).collect::<Option<_>>()?);
        for conversion in self.rates.iter_mut().flatten() {
            let count = *from.split_off_first()?;
            conversion.restore(from.split_off(..count as usize)?).ok()?;
        }
        self.flow.read(from)?;
        from.is_empty().then_some(())
    }
}
