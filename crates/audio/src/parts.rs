//! Recordings in several parts: edits of a track, streams that follow one another in a file.

use std::sync::Arc;

use super::codec::Codec;
use super::decode::{PacketReader, Trim};
use super::packets::{PacketIndex, Packets, Table};
use super::source::SourceFile;
use super::{AudioBuffer, AudioFormat, AudioReader, ChannelMix, Damage};
use base::error::Result;

/// A compressed stream of a file.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    /// The parameters of its decoder.
    pub codec: Arc<Codec>,
    /// The part of the raw timeline that is heard.
    pub trim: Trim,
    /// The location of the packets.
    pub index: Arc<dyn PacketIndex>,
    /// The serial number of the stream; `None` if the file is not an Ogg file.
    pub ogg_serial: Option<u32>,
}

impl Stream {
    /// Creates a stream whose packets are all in a table.
    pub(crate) fn table(codec: Codec, table: Table, trim: Trim) -> Self {
        Self { codec: Arc::new(codec), trim, index: Arc::new(table), ogg_serial: None }
    }

    /// Returns an iterator over the packets, at the first one.
    pub(crate) fn packets(&self, source: &Arc<SourceFile>) -> Box<dyn Packets> {
        Arc::clone(&self.index).packets(source)
    }
}

/// A part of a recording.
#[derive(Clone, Debug)]
pub(crate) enum RecordingPart {
    /// This many frames of silence.
    Silence(u64),
    /// The heard part of a stream of packets, of the recording's sample rate. Other channels are converted to those of
    /// the recording.
    Stream(Stream),
}

impl RecordingPart {
    /// Returns the stream; `None` for silence.
    pub(crate) fn stream(&self) -> Option<&Stream> {
        match self {
            Self::Silence(_) => None,
            Self::Stream(stream) => Some(stream),
        }
    }

    fn frames(&self) -> u64 {
        match self {
            Self::Silence(frames) => *frames,
            Self::Stream(stream) => stream.trim.frames,
        }
    }
}

/// Returns the total length of parts in frames.
pub(crate) fn total_frames(parts: &[RecordingPart]) -> u64 {
    parts.iter().fold(0, |total, part| total.saturating_add(part.frames()))
}

/// Returns the warning about a recording that continues with other channels, `at` seconds from its beginning.
pub(crate) fn channels_change(at: f64, [now, first]: [String; 2]) -> String {
    format!("The sound has {now} from {at:.3} s on. It is converted to {first}, as it begins.")
}

/// Returns a number of channels in words.
pub(crate) fn counted(channels: usize) -> String {
    if channels == 1 { "1 channel".to_owned() } else { format!("{channels} channels") }
}

/// Reads the parts of a recording one after the other. One part is open at a time.
pub(crate) struct PartsReader {
    source: Arc<SourceFile>,
    audio: AudioFormat,
    parts: Arc<[RecordingPart]>,
    /// The frame at which each part begins, and the end of the last one.
    starts: Vec<u64>,
    position: u64,
    /// The number of the open part, and its reader; `None` for silence, and for a stream that its decoder refuses.
    open: Option<(usize, Option<PacketReader>)>,
    /// How the open part is converted.
    mix: Option<ChannelMix>,
    block: AudioBuffer,
    changed: AudioBuffer,
    /// The damage of parts that are no longer open.
    damage: Damage,
}

impl PartsReader {
    /// Creates a reader at frame 0.
    pub(crate) fn new(source: &Arc<SourceFile>, audio: AudioFormat, parts: &Arc<[RecordingPart]>) -> Self {
        let mut starts = vec![0u64];
        for part in parts.iter() {
            starts.push(starts[starts.len() - 1].saturating_add(part.frames()));
        }
        Self {
            source: Arc::clone(source),
            audio,
            parts: Arc::clone(parts),
            starts,
            position: 0,
            open: None,
            mix: None,
            block: AudioBuffer::default(),
            changed: AudioBuffer::default(),
            damage: Damage::default(),
        }
    }

    /// Opens part `number`.
    fn open(&mut self, number: usize) {
        if self.open.as_ref().is_none_or(|(open, _)| *open != number) {
            self.damage = self.damage();
            self.open = None;
            let reader = match &self.parts[number] {
                RecordingPart::Silence(_) => None,
                RecordingPart::Stream(stream) => {
                    self.mix = ChannelMix::into_recording(stream.codec.audio, self.audio);
                    PacketReader::new(stream.packets(&self.source), &stream.codec, stream.trim).ok()
                }
            };
            self.open = Some((number, reader));
        }
    }
}

impl AudioReader for PartsReader {
    fn format(&self) -> AudioFormat {
        self.audio
    }

    fn frames(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.frames());
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let frames = (self.frames() - self.position).min(frames as u64) as usize;
        out.resize(self.audio.channels, 0);
        out.clear();
        out.reserve(frames);
        while out.frames() < frames {
            // The last part that begins here: those before it are empty.
            let number = self.starts.partition_point(|start| *start <= self.position) - 1;
            self.open(number);
            let inside = self.position - self.starts[number];
            let count = (self.starts[number + 1] - self.position).min((frames - out.frames()) as u64) as usize;
            if let Some((_, Some(reader))) = &mut self.open {
                reader.seek(inside)?;
                reader.read(&mut self.block, count)?;
                if let Some(mix) = &self.mix {
                    mix.apply(&self.block, 1.0, &mut self.changed);
                    out.extend_from(&self.changed, 0..self.changed.frames());
                } else {
                    out.extend_from(&self.block, 0..self.block.frames());
                }
            } else {
                out.resize(self.audio.channels, out.frames() + count);
                if self.parts[number].stream().is_some() {
                    self.damage.add(self.position..self.position + count as u64);
                }
            }
            self.position += count as u64;
        }
        Ok(())
    }

    fn damage(&self) -> Damage {
        let mut damage = self.damage.clone();
        if let Some((number, Some(reader))) = &self.open {
            let start = self.starts[*number];
            for range in reader.damage().ranges() {
                damage.add(range.start + start..range.end + start);
            }
        }
        damage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::units::SampleRate;

    #[test]
    fn silence_is_read_in_any_pieces() {
        let path = std::env::temp_dir().join("parts");
        let source = Arc::new(SourceFile::from_bytes(vec![0].into(), &path).unwrap());
        let audio = AudioFormat::new(SampleRate::new(8000).unwrap(), 2);
        let parts: Arc<[RecordingPart]> = [0, 3, 0, 0, 4, 0].map(RecordingPart::Silence).into();
        assert_eq!(total_frames(&parts), 7);
        let mut reader = PartsReader::new(&source, audio, &parts);
        let mut block = AudioBuffer::default();
        for (at, count, want) in [(0, 2, 2), (2, 9, 5), (7, 1, 0), (9, 1, 0), (1, 6, 6)] {
            reader.seek(at).unwrap();
            reader.read(&mut block, count).unwrap();
            assert_eq!((block.channels(), block.frames()), (2, want), "{count} from {at}");
        }
        assert!(reader.damage().is_empty());
    }
}
