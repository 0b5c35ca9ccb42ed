//! Reads compressed files: decodes packets to frames and places them on the timeline.

use super::codec::{Codec, Decoder};
use super::packets::{FramePosition, Packets};
use super::{AudioBuffer, AudioFormat, AudioReader, Damage};
use base::error::Result;

/// The part of the raw timeline that is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trim {
    /// Raw frames before the first frame that is heard: the encoder's delay.
    pub delay: u64,
    /// Number of frames that are heard.
    pub frames: u64,
}

/// Decodes packets and places their frames on the timeline. Missing or damaged frames read as silence of the same
/// length; overlapping frames are dropped. A read after a seek therefore equals a straight read.
pub(crate) struct PacketReader {
    packets: Box<dyn Packets>,
    decoder: Decoder,
    audio: AudioFormat,
    trim: Trim,
    position: u64,
    /// The block decoded last. `block_start` is the raw frame that it begins with.
    block: AudioBuffer,
    block_start: u64,
    /// Whether some channels of the block are silent because its packet lacks them.
    block_lacks_channels: bool,
    data: Vec<u8>,
    ended: bool,
    must_seek: bool,
    damage: Damage,
}

impl PacketReader {
    /// Creates a reader at frame 0.
    pub(crate) fn new(packets: Box<dyn Packets>, codec: &Codec, trim: Trim) -> Result<Self> {
        let mut decoder = Decoder::new(codec)?;
        if trim.delay == 0 {
            decoder.compare_checksum(trim.frames);
        }
        Ok(Self {
            packets,
            decoder,
            audio: codec.audio,
            trim,
            position: 0,
            block: AudioBuffer::new(codec.audio.channels, 0),
            block_start: 0,
            block_lacks_channels: false,
            data: Vec::new(),
            ended: false,
            must_seek: true,
            damage: Damage::default(),
        })
    }

    fn block_end(&self) -> u64 {
        self.block_start + self.block.frames() as u64
    }

    /// Decodes packets until one gives frames at or after `raw`, or the stream ends.
    fn advance(&mut self, raw: u64) -> Result<()> {
        while self.block_end() <= raw || self.block.is_empty() {
            let Some(packet) = self.packets.next(&mut self.data)? else {
                self.ended = true;
                self.block.clear();
                return Ok(());
            };
            if packet.gap {
                self.decoder.reset();
            }
            if packet.restart {
                self.decoder.restart();
            }
            if self.decoder.decode(&self.data, &packet, &mut self.block).is_err() {
                // The packet's frames stay missing, which reads as silence.
                self.block.clear();
                continue;
            }
            self.block_lacks_channels = self.decoder.lacks_channels();
            self.block_start = match packet.place {
                FramePosition::Start(start) => start,
                FramePosition::End(end) => {
                    let frames = self.block.frames() as u64;
                    // Frames before the beginning of the stream are cut off.
                    self.block.drop_front(frames.saturating_sub(end) as usize);
                    end - frames.min(end)
                }
            };
            if !self.decoder.matches_checksum(self.block_start) {
                self.damage.break_checksum();
            }
        }
        Ok(())
    }
}

impl AudioReader for PacketReader {
    fn format(&self) -> AudioFormat {
        self.audio
    }

    fn frames(&self) -> u64 {
        self.trim.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        let frame = frame.min(self.trim.frames);
        let raw = frame.saturating_add(self.trim.delay);
        // A position within the current block, or at its end, needs no seek.
        let held = !self.block.is_empty() && (self.block_start..=self.block_end()).contains(&raw);
        self.must_seek |= frame != self.position && !held;
        self.position = frame;
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let frames = (self.trim.frames - self.position).min(frames as u64) as usize;
        out.resize(self.audio.channels, frames);
        if frames == 0 {
            return Ok(());
        }
        let mut raw = self.position + self.trim.delay;
        if self.must_seek {
            self.packets.seek(raw)?;
            self.decoder.reset();
            self.block.clear();
            self.ended = false;
            self.must_seek = false;
        }
        let mut done = 0;
        while done < frames {
            if !self.ended && (self.block.is_empty() || self.block_end() <= raw) {
                self.advance(raw)?;
            }
            let left = frames - done;
            // Silence up to the block, or to the end of the read if the stream has ended.
            let silent = if self.ended { left } else { self.block_start.saturating_sub(raw).min(left as u64) as usize };
            for channel in out.iter_mut() {
                channel[done..done + silent].fill(0.0);
            }
            self.damage.add(raw - self.trim.delay..raw - self.trim.delay + silent as u64);
            done += silent;
            raw += silent as u64;
            if done == frames || self.ended {
                break;
            }
            let from = (raw - self.block_start) as usize;
            let count = (self.block.frames() - from).min(frames - done);
            for (to, block) in out.iter_mut().zip(self.block.iter()) {
                to[done..done + count].copy_from_slice(&block[from..from + count]);
            }
            if self.block_lacks_channels {
                self.damage.add(raw - self.trim.delay..raw - self.trim.delay + count as u64);
            }
            done += count;
            raw += count as u64;
        }
        self.position += frames as u64;
        Ok(())
    }

    fn damage(&self) -> Damage {
        self.damage.clone()
    }
}
