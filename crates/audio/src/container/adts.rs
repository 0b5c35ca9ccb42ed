//! AAC in ADTS frames (ISO/IEC 13818-7).

use std::sync::Arc;

use super::mp4::refuse_hidden_sbr;
use super::scan::{HEADER_BYTES, Header, first_frame, scan};
use crate::aac::{self, AdtsHeader, Program};
use crate::codec::{Codec, CodecKind};
use crate::decode::Trim;
use crate::packets::{Starts, Table};
use crate::parts::{Stream, counted};
use crate::probed::ProbedFile;
use crate::source::{FileWindow, SourceFile, audio_format};
use crate::unread::{skip_padding, unread};
use base::error::{Error, Result};

/// The maximum number of bytes before the first frame.
const MAX_JUNK_BYTES: u64 = 1 << 20;

/// The audio frames in a frame of AAC.
const PACKET_FRAMES: u32 = 1024;

/// The number of frames that are searched for a program.
const PROGRAM_FRAMES: usize = 32;

fn header(bytes: &[u8]) -> Option<Header> {
    let AdtsHeader { bytes, key, rate_hz, channels } = AdtsHeader::read(bytes)?;
    Some(Header { bytes, key, frames: PACKET_FRAMES, rate_hz, channels, opens: false })
}

/// Opens an ADTS stream; `None` if the file is not one.
pub(crate) fn open(source: &Arc<SourceFile>) -> Result<Option<ProbedFile>> {
    let mut window = FileWindow::new(source);
    let begin = skip_padding(&mut window, 0, source.bytes())?;
    let Some((start, first)) = first_frame(&mut window, begin, MAX_JUNK_BYTES, header, |_| true)? else {
        return Ok(None);
    };
    let head = window.array::<7>(start)?.unwrap_or_default();
    let profile = head[2] >> 6;
    if profile != 1 {
        return Err(Error::unsupported(
            format!("AAC of profile {}", ["Main", "LC", "SSR", "LTP"][usize::from(profile)]),
            "Only AAC-LC can be read. Convert it to FLAC or WAV with ffmpeg and open that",
        ));
    }
    // A stream whose headers leave its channels open says in its first frames what it has, and so does one whose headers
    // state others than all of them.
    let stated = first.channels;
    let extra = match aac::header_of_packets(
        aac::program_of_channels(stated).as_ref(),
        first_frames(&mut window, start, first)?.into_iter(),
        first.rate_hz,
    ) {
        Some(found) => found,
        None if stated > 0 => Vec::new(),
        None => {
            let what = "neither the AAC's headers nor its frames say which channels it has";
            return Err(source.malformed(what));
        }
    };
    let program = aac::own_program(&extra, stated);
    let channels = program.as_ref().map_or(stated, Program::channels);
    let layout = program.as_ref().and_then(Program::layout);
    program.map_or(Ok(()), |program| program.check())?;
    let audio = audio_format(source, first.rate_hz, channels)?.with_layout(layout);
    let scanned = scan(&mut window, start, source.bytes(), first, header)?;
    let mut warnings = Vec::new();
    if stated > 0 && channels != stated {
        let [stated, found] = [stated, channels].map(counted);
        warnings.push(format!("The headers of its frames say {stated}. The frames hold {found}."));
    }
    warnings.extend(scanned.warnings(Header { channels, ..first }, |header| format!("{} Hz", header.rate_hz)));
    warnings.extend(unread(&mut window, begin..start)?);
    let end = scanned.end;
    let (chunks, sizes, packets) = scanned.runs.into_iter().next().unwrap_or_default().into_sizes();
    let table = Table { chunks, sizes, starts: Starts::Constant(PACKET_FRAMES), packets, roll: CodecKind::Aac.roll() };
    let stream = Stream::table(
        Codec { kind: CodecKind::Aac, audio, extra, packet_frames: 0, gain: 1.0 },
        table,
        Trim { delay: 0, frames: u64::from(packets) * u64::from(PACKET_FRAMES) },
    );
    refuse_hidden_sbr(&stream.codec, stream.packets(source))?;
    Ok(Some(ProbedFile::packets("ADTS", None, stream, warnings).read_to(end)))
}

/// Returns the frames that are searched for the channels of a stream.
fn first_frames(window: &mut FileWindow, start: u64, first: Header) -> Result<Vec<Vec<u8>>> {
    let (mut frames, mut at) = (Vec::new(), start);
    while frames.len() < PROGRAM_FRAMES {
        let Some(next) = header(window.bytes(at, HEADER_BYTES)?).filter(|next| next.key == first.key) else { break };
        frames.push(window.bytes(at, next.bytes as usize)?.to_vec());
        at += u64::from(next.bytes);
    }
    Ok(frames)
}
