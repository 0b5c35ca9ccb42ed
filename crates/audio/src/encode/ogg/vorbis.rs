//! Writes Ogg Vorbis with the aoTuV encoder. The library has pointers that must stay on one thread, so the encoder runs
//! on a separate thread, which receives blocks and sends pages.

use std::io::{self, Write};
use std::num::{NonZeroU8, NonZeroU32};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use vorbis_rs::{VorbisBitrateManagementStrategy, VorbisEncoder, VorbisEncoderBuilder, VorbisError};

use crate::channel_order::vorbis_order;
use crate::encode::lossy::LossySettings;
use crate::tags::comments;
use crate::{AudioFormat, Tags};
use base::error::{Error, Result};

/// Frames passed to the encoder at once. The size is constant so that the file does not depend on the caller's blocks.
const BLOCK: usize = 4096;
/// The serial number of the stream. It is constant, so that equal exports give equal files.
const SERIAL: i32 = 0x554e_4454;

/// Writes a Vorbis stream to a file.
pub struct VorbisWriter {
    order: &'static [usize],
    /// Planar samples in Vorbis order that do not fill a block yet.
    waiting: Vec<Vec<f32>>,
    blocks: Option<SyncSender<Vec<Vec<f32>>>>,
    pages: Receiver<Vec<u8>>,
    thread: Option<JoinHandle<std::result::Result<(), VorbisError>>>,
}

/// Sends pages to the writer.
struct Sink(std::sync::mpsc::Sender<Vec<u8>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The receiver is gone if the export was cancelled.
        let _ = self.0.send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn failed(error: &VorbisError) -> Error {
    match error {
        VorbisError::LibraryError(_) => Error::unsupported(
            "Vorbis of this rate, number of channels and quality",
            format!("Choose others. The encoder says: {error}"),
        ),
        _ => Error::Internal(format!("the Vorbis encoder failed: {error}")),
    }
}

impl VorbisWriter {
    /// Starts the encoder. Its headers, including the tags, are the first bytes of [`VorbisWriter::take`]. The caller
    /// has checked settings and format.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the encoder has no mode for the format.
    pub fn begin(settings: &LossySettings, format: AudioFormat, tags: &Tags) -> Result<Self> {
        let comments = comments(tags);
        let order = vorbis_order(format.channels);
        let (Some(rate), Some(channels)) = (NonZeroU32::new(format.rate.hz()), NonZeroU8::new(order.len() as u8))
        else {
            return Err(Error::Internal("a Vorbis stream without rate or channels".into()));
        };
        let target_quality = (settings.vorbis_quality / 10.0) as f32;
        let (blocks_to, blocks_from) = sync_channel::<Vec<Vec<f32>>>(4);
        let (pages_to, pages) = channel();
        let (ready_to, ready) = sync_channel(1);
        let thread = std::thread::spawn(move || {
            let build = || -> std::result::Result<VorbisEncoder<Sink>, VorbisError> {
                let mut builder = VorbisEncoderBuilder::new_with_serial(rate, channels, Sink(pages_to), SERIAL);
                builder.bitrate_management_strategy(VorbisBitrateManagementStrategy::QualityVbr { target_quality });
                builder.comment_tags(comments)?;
                builder.build()
            };
            let mut encoder = match build() {
                Ok(encoder) => encoder,
                Err(error) => {
                    let _ = ready_to.send(Some(error));
                    return Ok(());
                }
            };
            let _ = ready_to.send(None);
            for block in blocks_from {
                encoder.encode_audio_block(&block)?;
            }
            encoder.finish().map(drop)
        });
        match ready.recv() {
            Ok(None) => {}
            Ok(Some(error)) => return Err(failed(&error)),
            Err(_) => return Err(Error::Internal("the Vorbis encoder stopped at its start".into())),
        }
        let waiting = vec![Vec::new(); order.len()];
        Ok(Self { order, waiting, blocks: Some(blocks_to), pages, thread: Some(thread) })
    }

    /// Appends planar samples and writes finished pages to `out`.
    pub fn append(&mut self, channels: &[&[f32]], out: &mut Vec<u8>) -> Result<()> {
        for (waiting, &channel) in self.waiting.iter_mut().zip(self.order) {
            waiting.extend_from_slice(channels[channel]);
        }
        let whole = self.waiting[0].len() / BLOCK;
        for index in 0..whole {
            let span = index * BLOCK..(index + 1) * BLOCK;
            let block = self.waiting.iter().map(|waiting| waiting[span.clone()].to_vec()).collect();
            self.send(block)?;
        }
        self.waiting.iter_mut().for_each(|waiting| drop(waiting.drain(..whole * BLOCK)));
        self.take(out);
        Ok(())
    }

    fn send(&mut self, block: Vec<Vec<f32>>) -> Result<()> {
        let sent = self.blocks.as_ref().is_some_and(|blocks| blocks.send(block).is_ok());
        if sent { Ok(()) } else { self.join() }
    }

    /// Writes the finished pages to `out`.
    pub fn take(&mut self, out: &mut Vec<u8>) {
        self.pages.try_iter().for_each(|bytes| out.extend_from_slice(&bytes));
    }

    /// Encodes the pending samples and ends the stream.
    pub fn end(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let rest = std::mem::take(&mut self.waiting);
        if rest.first().is_some_and(|channel| !channel.is_empty()) {
            self.send(rest)?;
        }
        self.join()?;
        self.take(out);
        Ok(())
    }

    /// Ends the encoder's thread and returns its result.
    fn join(&mut self) -> Result<()> {
        self.blocks = None;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(Err(error))) => Err(failed(&error)),
            Some(Err(_)) => Err(Error::Internal("the Vorbis encoder panicked".into())),
            Some(Ok(Ok(()))) | None => Ok(()),
        }
    }
}

impl Drop for VorbisWriter {
    fn drop(&mut self) {
        let _ = self.join();
    }
}
