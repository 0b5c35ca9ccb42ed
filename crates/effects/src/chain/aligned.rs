//! Aligns the output of a chain with the time of its input, for display beside the input: at the input's rate, with
//! silence where the chain skips a beginning or an end.

use super::graph::Chain;
use super::measured::MeasuredMap;
use super::plan::Plan;
use super::rendered::Rendered;
use super::time_mapping::TimeMapping;
use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::error::{Error, Result};
use dsp::measure::resample::{ResamplePlan, ResampledReader};

/// Aligns `rendered`, made from a recording of this format and length, with that recording's time.
///
/// # Errors
/// [`Error::Unsupported`] for a chain that stretches time, because its output frames do not correspond to input frames.
pub fn aligned(rendered: Rendered, recording: AudioFormat, frames: u64) -> Result<Box<dyn AudioReader>> {
    let mapping = rendered.renderer().plan().time_mapping();
    check_length(mapping)?;
    let inner: Box<dyn AudioReader> = if rendered.format().rate == recording.rate {
        Box::new(rendered)
    } else {
        let plan = ResamplePlan::new(rendered.format().rate, recording.rate);
        Box::new(ResampledReader::new(rendered, &plan))
    };
    if mapping == TimeMapping::IDENTITY && inner.frames() == frames {
        return Ok(inner);
    }
    Ok(Box::new(Padded {
        inner,
        before: mapping.skipped.round() as u64,
        frames,
        position: 0,
        block: AudioBuffer::default(),
    }))
}

/// Returns the format of what [`aligned`] gives for a chain over a recording of this format, without rendering.
pub fn aligned_format(chain: &Chain, recording: AudioFormat) -> Result<AudioFormat> {
    let plan = Plan::new(chain, recording, &MeasuredMap::default())?;
    check_length(plan.time_mapping())?;
    Ok(plan.output.with_rate(recording.rate))
}

fn check_length(mapping: TimeMapping) -> Result<()> {
    if mapping.ratio == 1.0 {
        return Ok(());
    }
    let percent = (mapping.ratio * 1000.0).round() / 10.0;
    let reason = format!(
        "the chain changes the length to {percent} %, so the two cannot be shown side by side. Play it, or export it \
         and open that file"
    );
    Err(Error::unsupported("Showing the processed sound along the recording", reason))
}

/// A reader with silence before and after it.
struct Padded {
    inner: Box<dyn AudioReader>,
    before: u64,
    frames: u64,
    position: u64,
    block: AudioBuffer,
}

impl AudioReader for Padded {
    fn format(&self) -> AudioFormat {
        self.inner.format()
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
        let channels = self.format().channels;
        let count = (frames as u64).min(self.frames - self.position) as usize;
        out.clear();
        let silent = (self.before.saturating_sub(self.position)).min(count as u64) as usize;
        out.resize(channels, silent);
        let wanted = self.position + silent as u64;
        if silent < count {
            let from = wanted - self.before;
            if from < self.inner.frames() {
                if self.inner.position() != from {
                    self.inner.seek(from)?;
                }
                while out.frames() < count {
                    self.inner.read(&mut self.block, count - out.frames())?;
                    if self.block.is_empty() {
                        break;
                    }
                    let given = self.block.frames().min(count - out.frames());
                    out.extend_from(&self.block, 0..given);
                }
            }
        }
        out.resize(channels, count);
        self.position += count as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Chain, Placement, Seeking, measure_whole};
    use super::*;
    use base::progress::Progress;
    use base::units::SampleRate;

    struct Count(u64);

    impl AudioReader for Count {
        fn format(&self) -> AudioFormat {
            AudioFormat::new(SampleRate::new(48_000).unwrap(), 1)
        }

        fn frames(&self) -> u64 {
            100
        }

        fn position(&self) -> u64 {
            self.0
        }

        fn seek(&mut self, frame: u64) -> Result<()> {
            self.0 = frame.min(100);
            Ok(())
        }

        fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
            // Short reads, as decoders give them.
            let count = (frames as u64).min(100 - self.0).min(7);
            *out = AudioBuffer::from_channels(vec![(self.0..self.0 + count).map(|n| 1.0 + n as f32).collect()]);
            self.0 += count;
            Ok(())
        }
    }

    /// A second of silence, a second of a tone, and half a second of silence.
    struct Spoken(u64);

    impl AudioReader for Spoken {
        fn format(&self) -> AudioFormat {
            AudioFormat::new(SampleRate::new(48_000).unwrap(), 1)
        }

        fn frames(&self) -> u64 {
            120_000
        }

        fn position(&self) -> u64 {
            self.0
        }

        fn seek(&mut self, frame: u64) -> Result<()> {
            self.0 = frame.min(120_000);
            Ok(())
        }

        fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
            let end = (self.0 + frames as u64).min(120_000);
            *out = AudioBuffer::from_channels(vec![(self.0..end).map(spoken).collect()]);
            self.0 = end;
            Ok(())
        }
    }

    fn spoken(frame: u64) -> f32 {
        if (48_000..96_000).contains(&frame) { (0.5 * (frame as f64 / 20.0).sin()) as f32 } else { 0.0 }
    }

    /// Returns the output of a chain over [`Spoken`], aligned with it.
    fn shown(chain: &str) -> Result<Vec<f32>> {
        let chain: Chain = chain.parse().unwrap();
        let measured = measure_whole(&chain, &mut Spoken(0), "", &Placement::cpu(), &Progress::new())?;
        let rendered = Rendered::new(&chain, Box::new(Spoken(0)), &Placement::cpu(), &measured, Seeking::Preroll)?;
        let mut aligned = aligned(rendered, Spoken(0).format(), 120_000)?;
        assert_eq!((aligned.frames(), aligned.format().rate.hz()), (120_000, 48_000), "{chain}");
        let mut out = AudioBuffer::default();
        aligned.seek(0)?;
        let mut all = Vec::new();
        while all.len() < 120_000 {
            aligned.read(&mut out, 120_000)?;
            all.extend_from_slice(out.channel(0));
        }
        Ok(all)
    }

    #[test]
    fn what_is_trimmed_or_converted_lies_on_the_recordings_time_and_what_is_stretched_does_not() {
        let original: Vec<f32> = (0..120_000).map(spoken).collect();
        for (chain, most) in [
            ("gain(0 dB)", 1e-7),
            ("trim_silence(-60 dB)", 1e-7),
            ("resample(96 kHz)", 0.02),
            ("resample(32 kHz)", 0.1),
        ] {
            let shown = shown(chain).unwrap();
            let worst = shown.iter().zip(&original).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(worst <= most, "{chain}: {worst}");
        }
        let refused = shown("time_stretch(150 %)").unwrap_err();
        assert!(matches!(refused, Error::Unsupported { .. }) && refused.to_string().contains("150 %"), "{refused}");
    }

    #[test]
    fn silence_stands_where_something_was_left_out() {
        let mut placed =
            Padded { inner: Box::new(Count(0)), before: 30, frames: 150, position: 0, block: AudioBuffer::default() };
        let mut out = AudioBuffer::default();
        for (from, count) in [(0, 150), (29, 3), (30, 1), (120, 30), (128, 9), (149, 9), (0, 10), (60, 50)] {
            placed.seek(from).unwrap();
            placed.read(&mut out, count).unwrap();
            let count = count.min(150 - from as usize);
            let at = |frame: u64| if (30..130).contains(&frame) { 1.0 + (frame - 30) as f32 } else { 0.0 };
            let wanted: Vec<f32> = (from..from + count as u64).map(at).collect();
            assert_eq!(out.channel(0), wanted, "{count} from {from}");
        }
    }
}
