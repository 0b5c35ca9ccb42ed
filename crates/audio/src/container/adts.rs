//! AAC in ADTS frames (ISO/IEC 13818-7).

use std::sync::Arc;

use super::mp4::refuse_hidden_sbr;
use super::scan::{Header, first_frame, scan};
use crate::aac::{self, AdtsHeader};
use crate::codec::{Codec, CodecKind};
use crate::decode::Trim;
use crate::packets::{Starts, Table};
use crate::parts::Stream;
use crate::probed::ProbedFile;
use crate::source::{FileWindow, SourceFile, audio_format};
use crate::unread::{skip_padding, unread};
use base::error::{Error, Result};

/// The maximum number of bytes before the first frame.
const MAX_JUNK_BYTES: u64 = 1 << 20;

/// The audio frames in a frame of AAC.
const PACKET_FRAMES: u32 = 1024;

fn header(bytes: &[u8]) -> Option<Header> {
    let AdtsHeader { bytes, key, rate_hz, channels } = AdtsHeader::read(bytes)?;
    Some(Header { bytes, key, frames: PACKET_FRAMES, rate_hz, channels, opens: false })
}

/// Opens an ADTS stream; `None` if the file is not one.
pub(crate) fn open(source: &Arc<SourceFile>) -> Result<Option<ProbedFile>> {
    let mut window = FileWindow::new(source);
    let begin = skip_padding(&mut window, 0, source.bytes())?;
    let Some((start, first)) = first_frame(&mut window, begin, MAX_JUNK_BYTES, header)? else { return Ok(None) };
    let head = window.array::<7>(start)?.unwrap_or_default();
    let profile = head[2] >> 6;
    if profile != 1 {
        return Err(Error::unsupported(
            format!("AAC of profile {}", ["Main", "LC", "SSR", "LTP"][usize::from(profile)]),
            "Only AAC-LC can be read. Convert it to FLAC or WAV with ffmpeg and open that",
        ));
    }
    let audio = audio_format(source, first.rate_hz, aac::channels_of_adts(&head))?;
    let scanned = scan(&mut window, start, source.bytes(), first, header)?;
    let mut warnings = scanned.warnings(first, |header| format!("{} Hz", header.rate_hz));
    warnings.extend(unread(&mut window, begin..start)?);
    let end = scanned.end;
    let (chunks, sizes, packets) = scanned.runs.into_iter().next().unwrap_or_default().into_sizes();
    let table = Table { chunks, sizes, starts: Starts::Constant(PACKET_FRAMES), packets, roll: CodecKind::Aac.roll() };
    let stream = Stream::table(
        Codec { kind: CodecKind::Aac, audio, extra: Vec::new(), packet_frames: 0, gain: 1.0 },
        table,
        Trim { delay: 0, frames: u64::from(packets) * u64::from(PACKET_FRAMES) },
    );
    refuse_hidden_sbr(&stream.codec, stream.packets(source))?;
    Ok(Some(ProbedFile::packets("ADTS", None, stream, warnings).read_to(end)))
}
