//! The containers of compressed audio. Each module finds the packets of a file and their place on the timeline.

pub(crate) mod adts;
pub(crate) mod aiff;
pub(crate) mod caf;
mod chunks;
pub(crate) mod core_audio;
pub(crate) mod flac;
pub(crate) mod mkv;
pub(crate) mod mp4;
pub(crate) mod mpeg;
pub(crate) mod ogg;
mod scan;
pub(crate) mod w64;
pub(crate) mod wav;
mod wide;

use std::sync::Arc;

use super::codec::{Codec, CodecKind};
use super::durations::Durations;
use super::packets::{Packets, Starts, Table, TablePackets};
use super::source::{SourceFile, audio_format};
use crate::AudioFormat;
use crate::aac;
use crate::mpeg::frame_header;
use base::error::{Error, Result};

/// Packets at the beginning by which it is found out what the sound is.
const SETTLING_PACKETS: usize = 16;

/// Fills in the start of each packet of a table where this needs the packets' contents: reads all packets if their
/// lengths vary, or only the last one if only it may be shorter. The layer, rate and channels of MPEG audio, and the
/// elements of AAC, become those of its first packets. Returns the table and the raw frame after its last.
pub(crate) fn timed(
    source: &Arc<SourceFile>,
    mut table: Table,
    mut durations: Durations,
    codec: &mut Codec,
) -> Result<(Table, u64)> {
    match codec.kind {
        CodecKind::Mp1 | CodecKind::Mp2 | CodecKind::Mp3 => table = settle_mpeg(source, table, &mut durations, codec)?,
        CodecKind::Aac => table = settle_aac(source, table, codec)?,
        _ => {}
    }
    let constant = match durations {
        Durations::Constant(frames) | Durations::Alac(frames) => Some(frames),
        _ => None,
    };
    if matches!(table.starts, Starts::Constant(_)) {
        table.starts = Starts::Constant(constant.unwrap_or(0));
    }
    let shared = Arc::new(table);
    let mut end = shared.raw_frames();
    let mut starts = None;
    if let (Durations::Alac(frames), false) = (&durations, shared.packets == 0) {
        let (before, mut data) = (end - u64::from(*frames), Vec::new());
        let mut packets = TablePackets::new(source, &shared);
        packets.seek(before)?;
        packets.next(&mut data)?;
        end = before + u64::from(durations.frames(&data));
    } else if constant.is_none() && matches!(shared.starts, Starts::Constant(_)) {
        starts = Some(starts_of(TablePackets::new(source, &shared), durations)?);
    }
    let mut table = unshared(shared)?;
    if let Some(starts) = starts {
        table.starts = Starts::Each(starts);
        end = table.raw_frames();
    }
    Ok((table, end))
}

/// Returns the raw frame at which each packet starts, and the end. Reads the duration of every packet.
fn starts_of(mut packets: impl Packets, mut durations: Durations) -> Result<Vec<u64>> {
    let (mut starts, mut data, mut at) = (vec![0], Vec::new(), 0u64);
    while packets.next(&mut data)?.is_some() {
        at += u64::from(durations.frames(&data));
        starts.push(at);
    }
    Ok(starts)
}

/// Returns the warning about a header that states another sample rate than the sound has.
fn rate_warning(stated_hz: u32, found_hz: u32) -> Option<String> {
    (found_hz != stated_hz).then(|| format!("The header says {stated_hz} Hz. The sound has {found_hz} Hz."))
}

/// Returns the warning about a header that states another sample rate than the sound has, or of AAC other channels.
fn format_warning(stated: AudioFormat, codec: &Codec) -> Option<String> {
    if codec.kind != CodecKind::Aac {
        return rate_warning(stated.rate.hz(), codec.audio.rate.hz());
    }
    let [says, hold] = [stated, codec.audio].map(|audio| audio.channels_in_words());
    (stated != codec.audio).then(|| format!("The header says {says}, but the packets hold {hold}."))
}

/// Returns a table that nothing else uses any more.
fn unshared(table: Arc<Table>) -> Result<Table> {
    Arc::try_unwrap(table).map_err(|_| Error::Internal("a packet table is in use".to_owned()))
}

/// Takes layer, rate and channels of MPEG audio from the first packets: containers often say layer III and 2 channels,
/// whatever it is.
fn settle_mpeg(source: &Arc<SourceFile>, table: Table, durations: &mut Durations, codec: &mut Codec) -> Result<Table> {
    let whole =
        |data: Vec<u8>| frame_header(&data, data.len() as u32).filter(|frame| frame.bytes as usize <= data.len());
    let (mut table, frame) = first_packets(source, table, |mut packets| Iterator::find_map(&mut packets, whole))?;
    if let Some(frame) = frame {
        codec.kind = mpeg::kind(frame);
        codec.audio = audio_format(source, frame.rate_hz, frame.channels)?;
        *durations = Durations::Constant(frame.frames);
    }
    table.roll = codec.kind.roll();
    Ok(table)
}

/// Takes the elements of AAC from the first packets, if all of them have others than the header states.
fn settle_aac(source: &Arc<SourceFile>, table: Table, codec: &mut Codec) -> Result<Table> {
    let (table, header) = first_packets(source, table, |packets| aac::other_header(&codec.extra, packets))?;
    if let Some(header) = header {
        *codec = mp4::aac_codec(source, &header)?;
    }
    Ok(table)
}

/// Passes the first packets of a table to `look`, up to one that cannot be read.
fn first_packets<T>(
    source: &Arc<SourceFile>,
    table: Table,
    look: impl FnOnce(&mut dyn Iterator<Item = Vec<u8>>) -> T,
) -> Result<(Table, T)> {
    let shared = Arc::new(table);
    let (mut packets, mut data) = (TablePackets::new(source, &shared), Vec::new());
    let first = std::iter::from_fn(|| packets.next(&mut data).ok().flatten().map(|_| std::mem::take(&mut data)));
    let found = look(&mut first.take(SETTLING_PACKETS));
    drop(packets);
    Ok((unshared(shared)?, found))
}
