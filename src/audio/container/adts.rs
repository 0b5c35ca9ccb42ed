//! AAC in ADTS frames (ISO/IEC 13818-7).

use std::sync::Arc;

use super::mp4::refuse_hidden_sbr;
use super::scan::{Header, first_frame, scan, skip_id3v2};
use crate::audio::aac;
use crate::audio::codec::{Codec, CodecKind};
use crate::audio::decode::Trim;
use crate::audio::packets::{PacketPrefix, Starts, Table};
use crate::audio::probed::{ProbedFile, Stream, audio_format};
use crate::audio::source::{FileWindow, SourceFile};
use crate::error::{Error, Result};

/// The maximum number of bytes before the first frame.
const MAX_JUNK_BYTES: u64 = 64 << 10;

fn header(bytes: &[u8]) -> Option<Header> {
    let bytes = bytes.first_chunk::<7>()?;
    let size = u32::from(bytes[3] & 3) << 11 | u32::from(bytes[4]) << 3 | u32::from(bytes[5]) >> 5;
    let (rate, blocks) = ((bytes[2] >> 2) & 15, bytes[6] & 3);
    if bytes[0] != 0xff || bytes[1] & 0xf6 != 0xf0 || rate > 12 || size < 8 || blocks != 0 {
        return None;
    }
    // Version, profile, rate and channels stay the same through a stream.
    let key = u32::from(bytes[1] & 8) << 16 | u32::from(bytes[2] & 0xfd) << 8 | u32::from(bytes[3] & 0xc0);
    Some(Header { bytes: size, key })
}

/// Opens an ADTS stream; `None` if the file is not one.
pub(crate) fn open(source: &Arc<SourceFile>) -> Result<Option<ProbedFile>> {
    let mut window = FileWindow::new(source);
    let start = skip_id3v2(&mut window, 0)?;
    let Some((start, common)) = first_frame(&mut window, start, MAX_JUNK_BYTES, header)? else { return Ok(None) };
    let head = window.array::<7>(start)?.unwrap_or_default();
    let (profile, rate) = (head[2] >> 6, (head[2] >> 2) & 15);
    let channels = usize::from((head[2] & 1) << 2 | head[3] >> 6);
    if profile != 1 {
        return Err(Error::unsupported(
            format!("AAC of profile {}", ["Main", "LC", "SSR", "LTP"][usize::from(profile)]),
            "Only AAC-LC can be read. Convert it to FLAC or WAV with ffmpeg and open that",
        ));
    }
    let audio = audio_format(source, aac::RATES_HZ[usize::from(rate)], aac::channels_from_configuration(channels))?;
    let scanned = scan(&mut window, start, common.key, header)?;
    let mut warnings = Vec::new();
    if scanned.gaps > 0 {
        warnings.push(format!("{} damaged parts of the file are silent.", scanned.gaps));
    }
    let (chunks, sizes, packets) = scanned.into_sizes();
    let table = Table {
        chunks,
        sizes,
        starts: Starts::Constant(1024),
        packets,
        roll: CodecKind::Aac.roll(),
        lead: PacketPrefix::Adts,
    };
    let stream = Stream::table(
        Codec { kind: CodecKind::Aac, audio, extra: Vec::new(), packet_frames: 0, gain: 1.0 },
        table,
        Trim { delay: 0, frames: u64::from(packets) * 1024 },
    );
    refuse_hidden_sbr(&stream.codec, stream.packets(source))?;
    Ok(Some(ProbedFile::packets("ADTS", None, stream, warnings)))
}
