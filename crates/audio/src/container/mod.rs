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
pub(crate) mod wav;

use std::sync::Arc;

use super::codec::{Codec, CodecKind};
use super::durations::Durations;
use super::packets::{Packets, Starts, Table, TablePackets};
use super::source::SourceFile;
use base::error::{Error, Result};

/// Fills in the start of each packet of a table where this needs the packets' contents: reads all packets if their
/// lengths vary, or only the last one if only it may be shorter. Returns the table and the raw frame after its last.
pub(crate) fn timed(source: &Arc<SourceFile>, mut table: Table, mut durations: Durations) -> Result<(Table, u64)> {
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
    let mut table = Arc::try_unwrap(shared).map_err(|_| Error::Internal("a packet table is in use".to_owned()))?;
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

/// Sets the number of channels of MPEG audio to that of the first packet, as containers often say 2 whatever it is.
pub(crate) fn settle_channels(codec: &mut Codec, mut packets: Box<dyn Packets>) -> Result<()> {
    if matches!(codec.kind, CodecKind::Mp1 | CodecKind::Mp2 | CodecKind::Mp3) {
        let mut data = Vec::new();
        packets.next(&mut data)?;
        codec.audio.channels = mpeg::channels(&data).unwrap_or(codec.audio.channels);
    }
    Ok(())
}
