//! MP4, M4A and `QuickTime` (ISO/IEC 14496-12). Reads the sample tables of the first audio track, also if fragmented.

pub(crate) mod boxes;
mod fragments;
mod gapless;
mod sample_entry;
mod tables;

use std::sync::Arc;

pub(crate) use self::sample_entry::{aac_configuration, alac_codec};

use self::boxes::{Mp4Box, boxes_end, children, find};
use self::gapless::Heard;
use self::sample_entry::Entry;
use super::{core_audio, format_warning, timed};
use crate::aac;
use crate::codec::{Codec, CodecKind};
use crate::codec_names::no_codec;
use crate::packets::{PacketIndex, Packets};
use crate::parts::{RecordingPart, Stream};
use crate::probed::ProbedFile;
use crate::source::{FileWindow, SourceFile};
use base::error::{Error, Result};

/// Returns whether the first bytes are those of an MP4 or `QuickTime` file.
pub(crate) fn is_mp4(head: &[u8]) -> bool {
    head.len() >= 8 && matches!(&head[4..8], b"ftyp" | b"moov" | b"mdat" | b"wide" | b"free" | b"skip" | b"pnot")
}

/// The parts of a track that the reader needs.
struct Track {
    id: u32,
    trak: Mp4Box,
    table: Mp4Box,
    timescale: u32,
    entry: Entry,
    /// The contents of the `chan` box.
    layout: Vec<u8>,
}

/// Opens an MP4 file.
pub(crate) fn open(source: &Arc<SourceFile>) -> Result<ProbedFile> {
    let mut window = FileWindow::new(source);
    let all = Mp4Box { kind: *b"file", start: 0, end: source.bytes() };
    let Some(movie) = find(&mut window, all, *b"moov")? else {
        return Err(source.malformed(
            "the MP4 has no index (`moov`): it was cut off before it was finished, and nothing in it can be found",
        ));
    };
    let mut warnings = Vec::new();
    let track = choose(&mut window, movie, &mut warnings)?;
    let entry = &track.entry;
    let mut table = tables::read(&mut window, track.table, entry)?;
    let mut durations = tables::total_duration(&mut window, track.table)?;
    // The samples of the index may be followed by those of fragments.
    if table.packets == 0 || find(&mut window, movie, *b"mvex")?.is_some() {
        let (fragments, ticks) = fragments::read(&mut window, movie, track.id, entry)?;
        table.append(fragments)?;
        durations = durations.saturating_add(ticks);
    }
    if table.packets == 0 {
        return Err(source.malformed("the MP4's audio track is empty"));
    }
    table.roll = entry.codec.kind.roll();
    let lost = table.drop_beyond(source.bytes());
    if table.packets == 0 {
        return Err(source.malformed("the MP4 ends before any of its audio"));
    }
    // With overlapping packets, a small file could hold days of audio, read from the same bytes.
    if table.bytes() > source.bytes() {
        return Err(source.malformed(format!(
            "the MP4's index says {} bytes of audio in a file of {} bytes: its packets overlap",
            table.bytes(),
            source.bytes()
        )));
    }
    if lost > 0 {
        warnings.push(format!(
            "The file is cut off. {} of {} packets can be used.",
            table.packets,
            table.packets + lost
        ));
    }
    let (mut codec, bits) = (entry.codec.clone(), entry.bits);
    let (table, whole) = timed(source, table, entry.durations.clone(), &mut codec)?;
    warnings.extend(format_warning(entry.codec.audio, &codec));
    let rate = codec.audio.rate;
    // The packets' time stamps may end before the last packet does.
    let ends = frames_from_ticks(durations, track.timescale, rate.hz()).min(whole);
    let raw_frames = if lost > 0 || ends + 65_536 < whole { whole } else { ends };
    let scales = gapless::Scales { track: track.timescale, rate_hz: rate.hz(), raw_frames };
    let heard = gapless::read(&mut window, movie, track.trak, scales, entry.delay, &mut warnings)?;
    let (codec, index) = (Arc::new(codec), Arc::new(table));
    let parts: Vec<RecordingPart> = heard
        .into_iter()
        .map(|heard| match heard {
            Heard::Silence(frames) => RecordingPart::Silence(frames),
            Heard::Sound(trim) => {
                let (codec, index) = (Arc::clone(&codec), Arc::clone(&index));
                RecordingPart::Stream(Stream { codec, trim, index, ogg_serial: None })
            }
        })
        .collect();
    refuse_hidden_sbr(&codec, Arc::clone(&index).packets(source))?;
    let read_to = boxes_end(&mut window)?;
    // The codec defines the order of coded channels.
    let layout = if matches!(codec.kind, CodecKind::Pcm(_)) {
        core_audio::layout(&track.layout, codec.audio.channels)
    } else {
        None
    };
    Ok(ProbedFile::parts("MP4", bits, &codec, parts, warnings).arranged(layout).read_to(read_to))
}

/// Returns the first audio track that can be read.
fn choose(window: &mut FileWindow, movie: Mp4Box, warnings: &mut Vec<String>) -> Result<Track> {
    let source = Arc::clone(window.source());
    let (mut chosen, mut refusal, mut audio) = (None, None, 0);
    for trak in children(window, movie)?.into_iter().filter(|child| child.kind == *b"trak") {
        let Some(media) = find(window, trak, *b"mdia")? else { continue };
        let Some(handler) = find(window, media, *b"hdlr")? else { continue };
        if window.array::<4>(handler.start + 8)? != Some(*b"soun") {
            continue;
        }
        audio += 1;
        if chosen.is_some() {
            continue;
        }
        match read_track(window, trak, media) {
            Ok(track) => chosen = Some(track),
            Err(error) => refusal = refusal.or(Some(error)),
        }
    }
    if audio > 1 {
        warnings.push(format!("The file has {audio} audio tracks. The first readable one is opened."));
    }
    chosen.ok_or_else(|| refusal.unwrap_or_else(|| source.malformed("the MP4 holds no sound: it has no audio track")))
}

fn read_track(window: &mut FileWindow, trak: Mp4Box, media: Mp4Box) -> Result<Track> {
    let source = Arc::clone(window.source());
    let missing = |name: &str| source.malformed(format!("the MP4's audio track has no `{name}` box"));
    let header = find(window, media, *b"mdhd")?.ok_or_else(|| missing("mdhd"))?;
    let long = window.array::<1>(header.start)? == Some([1]);
    let timescale = window.be32(header.start + if long { 20 } else { 12 })?.unwrap_or(0);
    if timescale == 0 {
        return Err(source.malformed("the MP4's audio track has a time scale of 0"));
    }
    let id = match find(window, trak, *b"tkhd")? {
        Some(header) => {
            let long = window.array::<1>(header.start)? == Some([1]);
            window.be32(header.start + if long { 20 } else { 12 })?.unwrap_or(0)
        }
        None => 0,
    };
    let information = find(window, media, *b"minf")?.ok_or_else(|| missing("minf"))?;
    let table = find(window, information, *b"stbl")?.ok_or_else(|| missing("stbl"))?;
    let description = find(window, table, *b"stsd")?.ok_or_else(|| missing("stsd"))?;
    let entry = sample_entry::read(window, description)?;
    let layout = sample_entry::layout(window, description)?;
    Ok(Track { id, trak, table, timescale, entry, layout })
}

fn frames_from_ticks(ticks: u64, timescale: u32, rate_hz: u32) -> u64 {
    let frames = u128::from(ticks) * u128::from(rate_hz) + u128::from(timescale) / 2;
    (frames / u128::from(timescale)).min(u128::from(u64::MAX >> 8)) as u64
}

/// Returns an error for HE-AAC that is signalled only within its packets.
pub(crate) fn refuse_hidden_sbr(codec: &Codec, mut packets: Box<dyn Packets>) -> Result<()> {
    if codec.kind != CodecKind::Aac || codec.audio.rate.hz() > 24_000 {
        return Ok(());
    }
    let several = aac::own_program(&codec.extra, codec.audio.channels).is_some();
    let has_sbr =
        |data: &[u8]| if several { aac::has_sbr(data, codec.audio.rate.hz()) } else { aac::ends_with_sbr(data) };
    let (mut data, mut with_sbr, mut seen) = (Vec::new(), 0, 0);
    while seen < aac::SBR_PROBE_PACKETS && packets.next(&mut data)?.is_some() {
        with_sbr += u32::from(has_sbr(&data));
        seen += 1;
    }
    if with_sbr * 2 > seen { Err(aac::he_aac_refusal()) } else { Ok(()) }
}

/// Returns the error for a codec without a decoder.
fn unsupported(name: &str) -> Error {
    no_codec(name, "MP4")
}

/// Returns the codec of an AAC configuration, or an error if it is damaged or unsupported.
pub(crate) fn aac_codec(source: &SourceFile, configuration: &[u8]) -> Result<Codec> {
    let Some(config) = aac::read_config(configuration) else {
        return Err(source.malformed("the AAC configuration is damaged"));
    };
    if config.sbr {
        return Err(aac::he_aac_refusal());
    }
    if config.object_type != 2 || config.packet_frames != 1024 {
        return Err(Error::unsupported(
            format!("AAC of object type {} with {} frames a packet", config.object_type, config.packet_frames),
            "Only AAC-LC can be read. Convert it to FLAC or WAV with ffmpeg and open that",
        ));
    }
    let Some(program) = config.program else {
        return Err(Error::unsupported(
            format!("AAC of channel configuration {}", config.configuration),
            "Convert it to FLAC or WAV with ffmpeg and open that",
        ));
    };
    program.check()?;
    let audio = crate::source::audio_format(source, config.rate_hz, program.channels())?.with_layout(program.layout());
    Ok(Codec { kind: CodecKind::Aac, audio, extra: configuration.to_vec(), packet_frames: 0, gain: 1.0 })
}
