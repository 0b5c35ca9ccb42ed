//! Ogg (RFC 3533) with Vorbis, Opus (RFC 7845) and FLAC.

pub(crate) mod page;
pub(crate) mod page_writer;
mod walk;

use std::sync::Arc;

pub(crate) use walk::OggIndex;

use self::page::{MAX_SEGMENTS, Page, find_page};
use super::flac;
use crate::codec::{Codec, CodecKind, Decoder};
use crate::codec_names::no_codec;
use crate::decode::Trim;
use crate::durations::Durations;
use crate::flac::StreamInfo;
use crate::parts::{RecordingPart, Stream, channels_change, counted, total_frames};
use crate::probed::ProbedFile;
use crate::source::{FileWindow, SourceFile, audio_format};
use crate::unread::skip_tags;
use crate::vorbis;
use crate::{ChannelMix, Layout};
use base::error::{Error, Result};
use base::sound::silent_parts;

/// The beginnings of audio streams without a decoder here, and their names.
const UNREAD_CODECS: [(&[u8], &str); 4] =
    [(b"Speex", "Speex"), (b"CELT    ", "CELT"), (b"PCM     ", "PCM"), (b"\x01audio", "OGM audio")];
/// The beginnings of video streams, and their names.
const VIDEO_CODECS: [(&[u8], &str); 4] =
    [(b"\x80theora", "Theora"), (b"BBCD\0", "Dirac"), (b"OVP80", "VP8"), (b"\x01video", "OGM")];
/// The maximum number of multiplexed streams in a file.
const MAX_STREAMS: usize = 64;
/// The maximum number of recordings that follow one another in a file.
const MAX_LINKS: usize = 1024;
/// The maximum number of those whose decoders are tried before they are needed.
const MAX_CHECKED: u32 = 64;
/// The maximum number of warnings about recordings after the first.
const MAX_WARNINGS: usize = 12;
/// The maximum size of a header packet. Comments with pictures are large, but are not kept.
const MAX_HEADER_BYTES: usize = 64 << 20;

/// A page on which packets end: its offset and the granule position of its last packet's end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// The byte offset of the page.
    pub offset: u64,
    /// The granule position of the page.
    pub granule: u64,
}

/// Returns whether the first bytes are those of an Ogg page.
pub(crate) fn is_ogg(head: &[u8]) -> bool {
    head.starts_with(b"OggS\0")
}

/// Opens an Ogg file. Recordings that follow one another in it are played one after the other, as far as they have the
/// sample rate of the first.
pub(crate) fn open(source: &Arc<SourceFile>) -> Result<ProbedFile> {
    let mut window = FileWindow::new(source);
    let mut warnings = Vec::new();
    let first = read_link(&mut window, 0, &mut warnings)?;
    let (codec, bits, mut end) = (Arc::clone(&first.stream.codec), first.bits, first.end);
    let mut parts = vec![RecordingPart::Stream(first.stream)];
    let mut left_out = LeftOut::default();
    let mut checks = 0;
    while let Some(page) = find_page(&mut window, end, source.bytes())? {
        if parts.len() >= MAX_LINKS {
            left_out.add(page.offset, source.bytes(), None);
            end = source.bytes();
            break;
        }
        let mut told = Vec::new();
        let from = page.offset;
        let link = read_link(&mut window, from, &mut told).and_then(|link| {
            // Making a decoder takes time that a small file could ask for thousands of times.
            if *link.stream.codec != *codec && checks < MAX_CHECKED {
                checks += 1;
                Decoder::new(&link.stream.codec)?;
            }
            Ok(link)
        });
        end = match link {
            Ok(link) => {
                let frames = link.stream.trim.frames;
                if link.stream.codec.audio.rate == codec.audio.rate {
                    told.retain(|warning| warnings.len() < MAX_WARNINGS && !warnings.contains(warning));
                    warnings.append(&mut told);
                    let audio = link.stream.codec.audio;
                    let is_converted = ChannelMix::into_recording(audio, codec.audio).is_some();
                    if is_converted && !left_out.is_converted {
                        left_out.is_converted = true;
                        let at = codec.audio.rate.seconds_from_frames(total_frames(&parts));
                        let words = if audio.channels == codec.audio.channels {
                            [format!("the layout {}", audio.channels_in_words()), codec.audio.channels_in_words()]
                        } else {
                            [audio, codec.audio].map(|format| counted(format.channels))
                        };
                        warnings.push(channels_change(at, words));
                    }
                    parts.push(RecordingPart::Stream(link.stream));
                } else {
                    let seconds = link.stream.codec.audio.rate.seconds_from_frames(frames);
                    left_out.add(from, link.end, Some(seconds));
                }
                link.end
            }
            Err(error @ Error::Io { .. }) => return Err(error),
            Err(_) => {
                let after = link_end(&mut window, from)?;
                left_out.add(from, after, None);
                after
            }
        };
    }
    warnings.extend(left_out.warning());
    Ok(ProbedFile::parts("Ogg", bits, &codec, parts, warnings).read_to(end))
}

/// Recordings of a file that are not played.
#[derive(Default)]
struct LeftOut {
    count: u32,
    first: u64,
    bytes: u64,
    /// The duration, as far as it is known.
    seconds: f64,
    /// Whether a warning has said that the number of channels is converted.
    is_converted: bool,
}

impl LeftOut {
    fn add(&mut self, from: u64, end: u64, seconds: Option<f64>) {
        self.first = if self.count == 0 { from } else { self.first };
        self.count += 1;
        self.bytes += end - from;
        self.seconds += seconds.unwrap_or(0.0);
    }

    fn warning(&self) -> Option<String> {
        let duration = if self.seconds > 0.0 { format!("{:.3} s, ", self.seconds) } else { String::new() };
        let what = if self.count == 1 { "1 more recording" } else { "more recordings" };
        (self.count > 0).then(|| {
            format!(
                "The file has {what} after the first ({duration}{} bytes from byte {} on) that cannot be played with it: \
                 another sample rate, or nothing in them that is known.",
                self.bytes, self.first
            )
        })
    }
}

/// One of the recordings that follow one another in a file.
struct Link {
    stream: Stream,
    bits: Option<u32>,
    /// The byte at which its part of the file ends.
    end: u64,
}

/// Reads the recording whose first page is at `start`.
fn read_link(window: &mut FileWindow, start: u64, warnings: &mut Vec<String>) -> Result<Link> {
    let source = Arc::clone(window.source());
    let serial = choose(window, start, warnings)?;
    let (headers, first_page) = read_headers(window, serial, start)?;
    let head = Head::read(&source, &headers)?;
    let marks = scan(window, first_page, serial, head.codec.kind, warnings)?;
    let Some(last) = marks.pages.last().copied() else {
        return Err(
            source.malformed("the Ogg stream has headers, but no whole page of audio: it was cut off or is damaged")
        );
    };
    let first_frames = first_page_frames(&source, serial, first_page, &head)?;
    // The granule position at which the stream begins: negative if the encoder wants the beginning cut off, positive if
    // the stream was cut out of a longer one.
    let first = &marks.pages[0];
    let base = match first.granule as i64 - first_frames as i64 {
        base if base < 0 && marks.pages.len() == 1 && marks.ended => 0,
        base => base,
    };
    let delay = head.delay + (-base).max(0) as u64;
    let raw_end = (last.granule as i64).saturating_sub(base).max(0) as u64;
    let end = marks.end;
    let index = OggIndex {
        serial,
        first_page,
        end,
        base,
        marks: marks.pages,
        durations: head.durations,
        roll: head.codec.kind.roll(),
    };
    let stream = Stream {
        codec: Arc::new(head.codec),
        trim: Trim { delay, frames: raw_end.saturating_sub(delay) },
        index: Arc::new(index),
        ogg_serial: Some(serial),
    };
    Ok(Link { stream, bits: head.bits, end })
}

/// Returns the byte at which the pages end that belong to the recording whose first page is at `start`.
fn link_end(window: &mut FileWindow, start: u64) -> Result<u64> {
    let end = window.source().bytes();
    let (mut at, mut begun) = (start, false);
    while let Some(page) = find_page(window, at, end)? {
        if page.begins && begun {
            return Ok(page.offset);
        }
        begun |= !page.begins;
        at = page.end();
    }
    Ok(at)
}

/// Returns the serial number of the first stream with a known codec among those that begin at `start`. Returns an error if
/// there is none.
fn choose(window: &mut FileWindow, start: u64, warnings: &mut Vec<String>) -> Result<u32> {
    let source = Arc::clone(window.source());
    let (mut audio, mut known, mut video, mut at) = (Vec::new(), None, None, start);
    for _ in 0..MAX_STREAMS {
        let Some(page) = Page::read(window, at)?.filter(|page| page.begins) else { break };
        let head = window.bytes(page.body, page.body_bytes.min(16))?;
        let name = match head {
            [1, b'v', b'o', b'r', b'b', b'i', b's', ..] => Some("Vorbis"),
            [b'O', b'p', b'u', b's', b'H', b'e', b'a', b'd', ..] => Some("Opus"),
            [0x7f, b'F', b'L', b'A', b'C', ..] => Some("FLAC"),
            _ => {
                audio.extend(UNREAD_CODECS.iter().find(|(mark, _)| head.starts_with(mark)).map(|(_, name)| *name));
                video = video.or(VIDEO_CODECS.iter().find(|(mark, _)| head.starts_with(mark)).map(|(_, name)| *name));
                None
            }
        };
        if let Some(name) = name {
            audio.push(name);
            known = known.or(Some(page.serial));
        }
        at = page.end();
    }
    if audio.len() > 1 {
        warnings.push(format!("The file has {} audio streams. The first one is opened.", audio.len()));
    }
    known.ok_or_else(|| match audio.first() {
        Some(name) => no_codec(name, "Ogg"),
        None => source.malformed(match video {
            Some(name) => format!("the Ogg file holds no sound: there is only {name} video in it"),
            None if at == start => "the beginning of the Ogg file is missing or damaged".to_owned(),
            None => "the Ogg file holds no audio stream that is known".to_owned(),
        }),
    })
}

/// Reads the header packets, without the contents of the comments, and returns the offset of the page after them.
fn read_headers(window: &mut FileWindow, serial: u32, mut at: u64) -> Result<(Vec<Vec<u8>>, u64)> {
    let source = Arc::clone(window.source());
    let mut packets: Vec<Vec<u8>> = Vec::new();
    let (mut packet, mut size, mut needed, mut begun) = (Vec::new(), 0usize, 2, false);
    while let Some(page) = find_page(window, at, source.bytes())? {
        // Another recording begins.
        if page.begins && begun {
            break;
        }
        begun |= !page.begins;
        at = page.end();
        if page.serial != serial {
            continue;
        }
        let mut body = page.body;
        for lace in &page.laces[..page.segments] {
            let lace = usize::from(*lace);
            size += lace;
            if size > MAX_HEADER_BYTES {
                return Err(source.malformed("an Ogg header is larger than any sensible one"));
            }
            // Comments and their pictures are read by the `tags` module.
            if packets.len() != 1 {
                packet.extend_from_slice(window.bytes(body, lace)?);
            }
            body += lace as u64;
            if lace < MAX_SEGMENTS {
                if packets.is_empty() {
                    needed = header_count(&packet);
                }
                packets.push(std::mem::take(&mut packet));
                size = 0;
            }
        }
        if packets.len() >= needed {
            packets.truncate(needed);
            return Ok((packets, at));
        }
    }
    Err(source.malformed("the Ogg file ends within the headers of its audio"))
}

/// Returns the number of header packets of a stream with this first packet.
fn header_count(first: &[u8]) -> usize {
    match first {
        [1, b'v', ..] => 3,
        [0x7f, b'F', b'L', b'A', b'C', _, _, high, low, ..] => {
            1 + usize::from(u16::from_be_bytes([*high, *low])).max(1)
        }
        _ => 2,
    }
}

/// The contents of a stream's headers.
struct Head {
    codec: Codec,
    durations: Durations,
    delay: u64,
    bits: Option<u32>,
}

impl Head {
    fn read(source: &SourceFile, headers: &[Vec<u8>]) -> Result<Self> {
        let first = &headers[0];
        match first.first() {
            Some(1) => Self::vorbis(source, first, headers.get(2).map_or(&[], Vec::as_slice)),
            Some(b'O') => Self::opus(source, first),
            _ => Self::flac(source, first),
        }
    }

    fn vorbis(source: &SourceFile, identification: &[u8], setup: &[u8]) -> Result<Self> {
        let (codec, modes) = vorbis::read(source, identification, setup)?;
        Ok(Self { codec, durations: Durations::Vorbis { modes, previous: None }, delay: 0, bits: None })
    }

    fn opus(source: &SourceFile, head: &[u8]) -> Result<Self> {
        let (codec, delay) = opus_codec(source, head)?;
        Ok(Self { codec, durations: Durations::Opus, delay, bits: None })
    }

    fn flac(source: &SourceFile, first: &[u8]) -> Result<Self> {
        let Some(info) = first.get(17..51).and_then(StreamInfo::read) else {
            return Err(source.malformed("the Ogg FLAC header is cut off"));
        };
        let codec = flac::codec(&info, source)?;
        Ok(Self { codec, bits: Some(info.bits), durations: Durations::Flac(info), delay: 0 })
    }
}

/// Returns the codec for an Opus header, and the number of frames to skip.
pub(crate) fn opus_codec(source: &SourceFile, head: &[u8]) -> Result<(Codec, u64)> {
    if head.len() < 19 || head[8] >> 4 != 0 {
        return Err(source.malformed("the Opus header is damaged"));
    }
    let channels = usize::from(head[9]);
    // Only families 0 and 1 say what loudspeakers the channels are for.
    let layout = Layout::usual(channels).filter(|_| head[18] <= 1);
    let audio = audio_format(source, 48_000, channels)?.with_layout(layout);
    let gain_q8 = i16::from_le_bytes([head[16], head[17]]);
    let gain = if gain_q8 == 0 { 1.0 } else { base::units::gain_from_db(f64::from(gain_q8) / 256.0) as f32 };
    let extra = head.to_vec();
    let delay = u64::from(u16::from_le_bytes([head[10], head[11]]));
    Ok((Codec { kind: CodecKind::Opus, audio, extra, packet_frames: 0, gain }, delay))
}

/// The pages of a stream on which packets end.
#[derive(Debug, Default)]
struct Marks {
    pages: Vec<Mark>,
    /// Whether the last page has the end-of-stream flag.
    ended: bool,
    /// The byte at which the stream's part of the file ends.
    end: u64,
}

/// Scans the headers of all pages of the stream.
fn scan(
    window: &mut FileWindow,
    first_page: u64,
    serial: u32,
    kind: CodecKind,
    warnings: &mut Vec<String>,
) -> Result<Marks> {
    let source = Arc::clone(window.source());
    let mut found = Marks { end: first_page, ..Marks::default() };
    let (mut at, mut gaps, mut pages, mut dropped) = (first_page, 0u32, 0u64, 0u32);
    let mut marked = first_page;
    while at < source.bytes() {
        let Some(page) = find_page(window, at, source.bytes())? else { break };
        gaps += u32::from(page.offset != skip_tags(window, at, page.offset)?);
        // Another recording begins.
        if page.begins {
            found.end = page.offset;
            break;
        }
        at = page.end();
        found.end = at;
        if page.serial != serial {
            continue;
        }
        pages += 1;
        if let Some(granule) = page.granule {
            // Damage shows as an implausible granule position. A page holds a limited number of packets of at least two
            // bytes each, which bounds the increase. The checksum then decides whether the page itself is intact.
            let most = Durations::most(kind).saturating_mul((MAX_SEGMENTS as u64 * pages).min((at - marked) / 2));
            let fits = found.pages.last().is_none_or(|last| granule >= last.granule && granule - last.granule <= most);
            let sound = granule < 1 << 56 && (fits || found.pages.is_empty());
            if sound && (!(page.ends || found.pages.is_empty()) || page.is_whole(window)?) {
                found.pages.push(Mark { offset: page.offset, granule });
                found.ended = page.ends;
                (pages, marked) = (0, at);
            } else {
                dropped += 1;
            }
        }
    }
    if gaps + dropped > 0 {
        warnings.push(silent_parts(gaps + dropped));
    }
    if !found.ended && !found.pages.is_empty() {
        warnings.push("The stream has no end mark. The file may be cut off.".to_owned());
    }
    Ok(found)
}

/// Returns the number of frames in all packets up to the first page with a granule position.
fn first_page_frames(source: &Arc<SourceFile>, serial: u32, first_page: u64, head: &Head) -> Result<u64> {
    let mut durations = head.durations.clone();
    let mut frames = 0;
    walk::for_each_packet_of_first_page(source, serial, first_page, |packet| {
        frames += u64::from(durations.frames(packet));
    })?;
    Ok(frames)
}
