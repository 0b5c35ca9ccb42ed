//! The kinds of files that are known and cannot be opened: how they are told apart, and what their user can do.
//!
//! A file of one of these kinds would otherwise be searched for frames of MPEG audio, which any bytes may look like.

use std::io::Read;

use flate2::read::GzDecoder;

use crate::source::{FileWindow, SourceFile};
use crate::text::utf16;
use crate::unread::skip_zeros;
use base::error::{Error, Result};

/// What a file of a kind holds, which decides what its user can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// Sound that ffmpeg can decode.
    Sound,
    /// Sound that only the program of this name unpacks.
    PackedBy(&'static str),
    /// Moving pictures, mostly with sound.
    Video,
    /// Notes, or a program that plays them.
    Notes,
    /// The work of an editor.
    Project,
    /// Other files.
    Archive,
    /// The names of other files.
    Names,
    /// Neither sound nor anything that leads to it.
    Nothing,
}

/// A kind of file that cannot be opened.
struct RefusedKind {
    /// Its name, as the subject of a sentence.
    name: &'static str,
    holds: Holds,
    /// Byte strings and their offsets. Such a file has all of them.
    marks: &'static [(usize, &'static [u8])],
}

const fn kind(name: &'static str, holds: Holds, marks: &'static [(usize, &'static [u8])]) -> RefusedKind {
    RefusedKind { name, holds, marks }
}

/// The kinds that are known by their bytes at fixed places, the more special ones first.
const REFUSED_KINDS: &[RefusedKind] = &[
    // Sound, compressed without loss.
    kind("WavPack", Holds::PackedBy("wvunpack"), &[(0, b"wvpk")]),
    kind("Monkey's Audio (APE)", Holds::Sound, &[(0, b"MAC ")]),
    kind("Monkey's Audio (APE)", Holds::Sound, &[(0, b"MACF")]),
    kind("True Audio (TTA)", Holds::Sound, &[(0, b"TTA1")]),
    kind("True Audio (TTA)", Holds::Sound, &[(0, b"TTA2")]),
    kind("TAK", Holds::Sound, &[(0, b"tBaK")]),
    kind("Shorten", Holds::Sound, &[(0, b"ajkg")]),
    kind("OptimFROG", Holds::PackedBy("ofr"), &[(0, b"OFR ")]),
    kind("Lossless Audio (LA)", Holds::PackedBy("la"), &[(0, b"LA0")]),
    kind("MPEG-4 ALS", Holds::Sound, &[(0, b"ALS\0")]),
    kind("Meridian Lossless Packing (MLP)", Holds::Sound, &[(4, &[0xf8, 0x72, 0x6f, 0xbb])]),
    kind("Dolby TrueHD", Holds::Sound, &[(4, &[0xf8, 0x72, 0x6f, 0xba])]),
    // Sound of one bit.
    kind("DSD audio (DSF)", Holds::Sound, &[(0, b"DSD ")]),
    kind("DSD audio (DSDIFF)", Holds::Sound, &[(0, b"FRM8"), (12, b"DSD ")]),
    kind("DSD audio (WSD)", Holds::Sound, &[(0, b"1bit")]),
    // Sound, compressed with loss.
    kind("Musepack", Holds::Sound, &[(0, b"MPCK")]),
    kind("Musepack", Holds::Sound, &[(0, b"MP+")]),
    kind("Windows Media (WMA, WMV, ASF)", Holds::Sound, &[(0, &[0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11])]),
    kind("Windows Media (xWMA)", Holds::Sound, &[(0, b"RIFF"), (8, b"XWMA")]),
    kind("RealAudio", Holds::Sound, &[(0, b".ra\xfd")]),
    kind("RealMedia", Holds::Sound, &[(0, b".RMF")]),
    kind("DTS", Holds::Sound, &[(0, &[0x7f, 0xfe, 0x80, 0x01])]),
    kind("DTS", Holds::Sound, &[(0, &[0xfe, 0x7f, 0x01, 0x80])]),
    kind("DTS", Holds::Sound, &[(0, &[0x1f, 0xff, 0xe8, 0x00])]),
    kind("DTS", Holds::Sound, &[(0, &[0xff, 0x1f, 0x00, 0xe8])]),
    kind("DTS", Holds::Sound, &[(0, b"DTSHDHDR")]),
    kind("AC-3 or DTS in IEC 61937 (S/PDIF)", Holds::Sound, &[(0, &[0x72, 0xf8, 0x1f, 0x4e])]),
    kind("AAC in ADIF", Holds::Sound, &[(0, b"ADIF")]),
    kind("AMR speech", Holds::Sound, &[(0, b"#!AMR")]),
    kind("EVRC speech", Holds::Sound, &[(0, b"#!EVRC")]),
    kind("SILK speech", Holds::Sound, &[(0, b"#!SILK")]),
    kind("SILK speech", Holds::Sound, &[(1, b"#!SILK")]),
    kind("iLBC speech", Holds::Sound, &[(0, b"#!iLBC")]),
    kind("QCELP speech", Holds::Sound, &[(0, b"RIFF"), (8, b"QLCM")]),
    kind("Codec 2 speech", Holds::Sound, &[(0, &[0xc0, 0xde, 0xc2])]),
    kind("TwinVQ", Holds::Sound, &[(0, b"TWIN")]),
    kind("ATRAC (OpenMG)", Holds::Sound, &[(0, b"EA3")]),
    kind("ATRAC (OpenMG)", Holds::Sound, &[(0, b"ea3")]),
    kind("Audible audio (AA)", Holds::Sound, &[(4, &[0x57, 0x90, 0x75, 0x36])]),
    kind("CRI ADX", Holds::Sound, &[(0, &[0x80, 0x00]), (4, &[0x03, 0x12, 0x04])]),
    // Sound that is mostly uncompressed.
    kind("Sun/NeXT audio (AU)", Holds::Sound, &[(0, b".snd")]),
    kind("Sun/NeXT audio (AU)", Holds::Sound, &[(0, b"dns.")]),
    kind("Creative Voice (VOC)", Holds::Sound, &[(0, b"Creative Voice File\x1a")]),
    kind("NIST SPHERE", Holds::Sound, &[(0, b"NIST_1A")]),
    kind("IRCAM sound", Holds::Sound, &[(0, &[0x64, 0xa3]), (3, &[0])]),
    kind("IRCAM sound", Holds::Sound, &[(0, &[0x00]), (2, &[0xa3, 0x64])]),
    kind("Ensoniq PARIS audio (PAF)", Holds::Sound, &[(0, b" paf")]),
    kind("Ensoniq PARIS audio (PAF)", Holds::Sound, &[(0, b"fap ")]),
    kind("SoX native audio", Holds::Sound, &[(0, b".SoX")]),
    kind("SoX native audio", Holds::Sound, &[(0, b"XoS.")]),
    kind("Amiga IFF 8SVX", Holds::Sound, &[(0, b"FORM"), (8, b"8SVX")]),
    kind("Amiga IFF 16SV", Holds::Sound, &[(0, b"FORM"), (8, b"16SV")]),
    kind("Amiga MAUD", Holds::Sound, &[(0, b"FORM"), (8, b"MAUD")]),
    kind("Macintosh HCOM", Holds::Sound, &[(65, b"FSSD")]),
    kind("Portable Voice Format (PVF)", Holds::Sound, &[(0, b"PVF")]),
    kind("Audio Visual Research audio (AVR)", Holds::Sound, &[(0, b"2BIT")]),
    kind("Turtle Beach SampleVision", Holds::Sound, &[(0, b"SOUND SAMPLE DATA ")]),
    kind("Yamaha TX-16W", Holds::Sound, &[(0, b"LM8953")]),
    kind("Psion audio", Holds::Sound, &[(0, b"ALawSoundFile**")]),
    kind("a MIDI Sample Dump", Holds::Sound, &[(0, &[0xf0, 0x7e]), (3, &[0x01])]),
    kind("Nintendo audio (AST)", Holds::Sound, &[(0, b"STRM")]),
    kind("Nintendo audio (BRSTM)", Holds::Sound, &[(0, b"RSTM")]),
    kind("an FMOD sound bank", Holds::Sound, &[(0, b"FSB")]),
    kind("a Wwise sound bank", Holds::Sound, &[(0, b"BKHD")]),
    kind("a Propellerhead REX loop", Holds::Project, &[(0, b"CAT "), (8, b"REX2")]),
    kind("Yamaha SMAF", Holds::Notes, &[(0, b"MMMD")]),
    // Video.
    kind("AVI video", Holds::Video, &[(0, b"RIFF"), (8, b"AVI ")]),
    kind("AMV video", Holds::Video, &[(0, b"RIFF"), (8, b"AMV ")]),
    kind("Flash video (FLV)", Holds::Video, &[(0, b"FLV\x01")]),
    kind("MPEG video (MPG, VOB)", Holds::Video, &[(0, &[0, 0, 1, 0xba])]),
    kind("an MPEG transport stream (TS)", Holds::Video, &[(0, b"G"), (188, b"G"), (376, b"G"), (564, b"G")]),
    kind("an MPEG transport stream (TS)", Holds::Video, &[(0, b"G"), (204, b"G"), (408, b"G"), (612, b"G")]),
    kind("an MPEG transport stream (M2TS)", Holds::Video, &[(4, b"G"), (196, b"G"), (388, b"G"), (580, b"G")]),
    kind("DV video", Holds::Video, &[(0, &[0x1f, 0x07, 0x00]), (80, &[0x3f, 0x07, 0x00])]),
    kind("MXF video", Holds::Video, &[(0, &[0x06, 0x0e, 0x2b, 0x34])]),
    kind("GXF video", Holds::Video, &[(0, &[0, 0, 0, 0, 1, 0xbc])]),
    kind("a Windows TV recording (WTV)", Holds::Video, &[(0, &[0xb7, 0xd8, 0x00, 0x20, 0x37, 0x49, 0xda, 0x11])]),
    kind("NUT", Holds::Video, &[(0, b"nut/multimedia container\0")]),
    kind("Nullsoft video (NSV)", Holds::Video, &[(0, b"NSV")]),
    kind("Bink video", Holds::Video, &[(0, b"BIK")]),
    kind("Smacker video", Holds::Video, &[(0, b"SMK")]),
    kind("Flash (SWF)", Holds::Video, &[(0, b"FWS")]),
    kind("Flash (SWF)", Holds::Video, &[(0, b"CWS"), (8, &[0x78])]),
    // Notes.
    kind("MIDI", Holds::Notes, &[(0, b"MThd")]),
    kind("MIDI", Holds::Notes, &[(0, b"RIFF"), (8, b"RMID")]),
    kind("MIDI (XMF)", Holds::Notes, &[(0, b"XMF_")]),
    kind("a tracker module (XM)", Holds::Notes, &[(0, b"Extended Module: ")]),
    kind("a tracker module (IT)", Holds::Notes, &[(0, b"IMPM")]),
    kind("a tracker module (S3M)", Holds::Notes, &[(44, b"SCRM")]),
    kind("a tracker module (MOD)", Holds::Notes, &[(1080, b"M.K.")]),
    kind("a tracker module (MOD)", Holds::Notes, &[(1080, b"M!K!")]),
    kind("a tracker module (MOD)", Holds::Notes, &[(1080, b"4CHN")]),
    kind("a tracker module (MOD)", Holds::Notes, &[(1080, b"6CHN")]),
    kind("a tracker module (MOD)", Holds::Notes, &[(1080, b"8CHN")]),
    kind("Commodore 64 music (SID)", Holds::Notes, &[(0, b"PSID")]),
    kind("Commodore 64 music (SID)", Holds::Notes, &[(0, b"RSID")]),
    kind("Nintendo music (NSF)", Holds::Notes, &[(0, b"NESM\x1a")]),
    kind("Super Nintendo music (SPC)", Holds::Notes, &[(0, b"SNES-SPC700 Sound File Data")]),
    kind("Video game music (VGM)", Holds::Notes, &[(0, b"Vgm ")]),
    kind("Game Boy music (GBS)", Holds::Notes, &[(0, b"GBS\x01")]),
    kind("ZX Spectrum music (AY)", Holds::Notes, &[(0, b"ZXAYEMUL")]),
    kind("a SoundFont", Holds::Notes, &[(0, b"RIFF"), (8, b"sfbk")]),
    kind("Downloadable Sounds (DLS)", Holds::Notes, &[(0, b"RIFF"), (8, b"DLS ")]),
    // Projects of editors.
    kind("an Audacity project", Holds::Project, &[(0, b"SQLite format 3\0"), (68, b"AUDY")]),
    kind("a REAPER project", Holds::Project, &[(0, b"<REAPER_PROJECT")]),
    kind("a Pro Tools session", Holds::Project, &[(0, b"\x030010111100101011")]),
    kind("an FL Studio project", Holds::Project, &[(0, b"FLhd")]),
    kind("a Cubase or Nuendo project", Holds::Project, &[(0, b"RIFX"), (8, b"NUND")]),
    // Archives.
    kind("an Office document", Holds::Nothing, &[(0, b"PK\x03\x04"), (30, b"[Content_Types].xml")]),
    kind("a ZIP archive", Holds::Archive, &[(0, b"PK\x03\x04")]),
    kind("a gzip archive", Holds::Archive, &[(0, &[0x1f, 0x8b, 0x08])]),
    kind("a 7z archive", Holds::Archive, &[(0, b"7z\xbc\xaf\x27\x1c")]),
    kind("a RAR archive", Holds::Archive, &[(0, b"Rar!\x1a\x07")]),
    kind("an xz archive", Holds::Archive, &[(0, b"\xfd7zXZ\0")]),
    kind("a bzip2 archive", Holds::Archive, &[(0, b"BZh"), (4, b"1AY&SY")]),
    kind("a Zstandard archive", Holds::Archive, &[(0, &[0x28, 0xb5, 0x2f, 0xfd])]),
    kind("a tar archive", Holds::Archive, &[(257, b"ustar")]),
    kind("a disc image (ISO 9660)", Holds::Archive, &[(32_769, b"CD001")]),
    // Everything else that is found among recordings.
    kind("a JPEG picture", Holds::Nothing, &[(0, &[0xff, 0xd8, 0xff])]),
    kind("a PNG picture", Holds::Nothing, &[(0, b"\x89PNG\r\n\x1a\n")]),
    kind("a GIF picture", Holds::Nothing, &[(0, b"GIF8")]),
    kind("a WebP picture", Holds::Nothing, &[(0, b"RIFF"), (8, b"WEBP")]),
    kind("a BMP picture", Holds::Nothing, &[(0, b"BM"), (6, &[0, 0, 0, 0])]),
    kind("a TIFF picture", Holds::Nothing, &[(0, b"II*\0")]),
    kind("a TIFF picture", Holds::Nothing, &[(0, b"MM\0*")]),
    kind("a Photoshop picture", Holds::Nothing, &[(0, b"8BPS\0")]),
    kind("an IFF picture", Holds::Nothing, &[(0, b"FORM"), (8, b"ILBM")]),
    kind("a stream of MPEG video (M1V, M2V)", Holds::Nothing, &[(0, &[0, 0, 1, 0xb3])]),
    kind("a stream of H.264 video", Holds::Nothing, &[(0, &[0, 0, 0, 1, 0x67])]),
    kind("a stream of H.264 video", Holds::Nothing, &[(0, &[0, 0, 0, 1, 0x27])]),
    kind("a stream of H.264 video", Holds::Nothing, &[(0, &[0, 0, 0, 1, 0x09])]),
    kind("a stream of H.265 video", Holds::Nothing, &[(0, &[0, 0, 0, 1, 0x40, 0x01])]),
    kind("a stream of video (IVF)", Holds::Nothing, &[(0, b"DKIF")]),
    kind("a stream of video (YUV4MPEG)", Holds::Nothing, &[(0, b"YUV4MPEG2 ")]),
    kind("a PDF document", Holds::Nothing, &[(0, b"%PDF-")]),
    kind("an RTF document", Holds::Nothing, &[(0, b"{\\rtf")]),
    kind("an Office document", Holds::Nothing, &[(0, &[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])]),
    kind("a database (SQLite)", Holds::Nothing, &[(0, b"SQLite format 3\0")]),
    kind("a MATLAB file", Holds::Nothing, &[(0, b"MATLAB 5.0 MAT-file")]),
    kind("a program for Windows", Holds::Nothing, &[(0, b"MZ"), (24, &[0x40, 0])]),
    kind("a program (ELF)", Holds::Nothing, &[(0, b"\x7fELF")]),
    kind("a program (Java or macOS)", Holds::Nothing, &[(0, &[0xca, 0xfe, 0xba, 0xbe])]),
    kind("a file that macOS keeps beside another one (AppleDouble)", Holds::Nothing, &[(0, &[0, 5, 0x16, 7])]),
];

/// The beginnings of texts that are known, in lower case.
const TEXTS: &[(&str, &str, Holds)] = &[
    ("<!doctype html", "a web page (HTML)", Holds::Nothing),
    ("<html", "a web page (HTML)", Holds::Nothing),
    ("#extm3u", "a playlist (M3U)", Holds::Names),
    ("[playlist]", "a playlist (PLS)", Holds::Names),
    ("<asx", "a playlist (ASX)", Holds::Names),
    (
        "version https://git-lfs.github.com/spec/",
        "a pointer of Git LFS, which `git lfs pull` replaces by the file",
        Holds::Nothing,
    ),
    ("{\\rtf", "an RTF document", Holds::Nothing),
];

/// Words by which texts of other kinds are known, in lower case and within the first bytes.
const TEXT_WORDS: &[(&str, &str, Holds)] = &[
    ("<playlist", "a playlist (XSPF)", Holds::Names),
    ("http://audacity.sourceforge.net/xml/", "an Audacity project", Holds::Project),
    ("<html", "a web page (HTML)", Holds::Nothing),
    ("<svg", "an SVG picture", Holds::Nothing),
    ("track 01 audio", "a CUE sheet", Holds::Names),
];
/// The bytes of a text that are looked at.
const TEXT_BYTES: usize = 4096;
/// The first element of Live's files, and the bytes within which it begins.
const LIVE: &[u8] = b"<Ableton";
const LIVE_BYTES: u64 = 1024;
/// A file of fewer bytes holds no recording.
const LEAST_BYTES: u64 = 12;

/// Returns the error for a file whose contents from byte `start` on, after its tags, are of a known kind that cannot be
/// opened; `None` for other files.
pub(crate) fn refusal(window: &mut FileWindow, start: u64) -> Result<Option<Error>> {
    if is_live(window.bytes(start, TEXT_BYTES)?) {
        return Ok(Some(error(window.source(), "an Ableton Live set, clip or preset", Holds::Project)));
    }
    for kind in REFUSED_KINDS {
        let mut is_kind = true;
        for (at, mark) in kind.marks {
            is_kind = is_kind && window.bytes(start + *at as u64, mark.len())? == *mark;
        }
        if is_kind {
            return Ok(Some(error(window.source(), kind.name, kind.holds)));
        }
    }
    let found = dolby(window, start)?.or(if is_latm(window, start)? { Some("AAC in LATM or LOAS") } else { None });
    Ok(found.map(|name| error(window.source(), name, Holds::Sound)))
}

/// Returns the error for a file of a kind.
fn error(source: &SourceFile, name: &str, holds: Holds) -> Error {
    let advice = match holds {
        Holds::Sound => {
            "There is no decoder for it here; convert it to FLAC or WAV with ffmpeg and open that".to_owned()
        }
        Holds::PackedBy(program) => {
            format!("There is no decoder for it here; unpack it to WAV with `{program}` and open that")
        }
        Holds::Video => {
            "Its sound cannot be read here; take it out with `ffmpeg -i FILE sound.wav` and open that".to_owned()
        }
        Holds::Notes => {
            "It holds notes or instruments, not sound; render it to WAV with a synthesiser or player of its kind"
                .to_owned()
        }
        Holds::Project => "Export its sound as WAV with the program that wrote it, and open that".to_owned(),
        Holds::Archive => "Unpack it, and open the recordings in it".to_owned(),
        Holds::Names => "It holds no sound, but names other files; open those".to_owned(),
        Holds::Nothing => return source.malformed(format!("this is {name}, not audio")),
    };
    Error::unsupported(name, format!("{advice}: {}", source.path().display()))
}

/// Returns whether the first bytes of a file are those of XML by Ableton Live, compressed by gzip.
fn is_live(head: &[u8]) -> bool {
    if !head.starts_with(&[0x1f, 0x8b, 0x08]) {
        return false;
    }
    let mut text = Vec::new();
    // The end is cut, which is an error behind what was inflated.
    let _ = GzDecoder::new(head).take(LIVE_BYTES).read_to_end(&mut text);
    text.windows(LIVE.len()).any(|word| word == LIVE)
}

/// Returns the name of a stream of Dolby Digital that begins at `start`, in either order of bytes.
fn dolby(window: &mut FileWindow, start: u64) -> Result<Option<&'static str>> {
    let Some(head) = window.array::<6>(start)? else { return Ok(None) };
    let version = match head {
        [0x0b, 0x77, _, _, _, version] => version >> 3,
        [0x77, 0x0b, _, _, version, _] => version >> 3,
        _ => return Ok(None),
    };
    Ok(match version {
        0..=10 => Some("Dolby Digital (AC-3)"),
        11..=16 => Some("Dolby Digital Plus (E-AC-3)"),
        _ => None,
    })
}

/// Returns whether frames of LOAS follow each other from `start` on (ISO/IEC 14496-3, 1.7.2).
fn is_latm(window: &mut FileWindow, start: u64) -> Result<bool> {
    const LEAST_FRAMES: u32 = 3;
    let (mut at, end) = (start, window.source().bytes());
    for number in 0..LEAST_FRAMES {
        if number > 0 && at == end {
            return Ok(true);
        }
        let Some([sync, high, low]) = window.array::<3>(at)? else { return Ok(false) };
        if sync != 0x56 || high & 0xe0 != 0xe0 {
            return Ok(false);
        }
        at += 3 + (u64::from(high & 0x1f) << 8 | u64::from(low));
    }
    Ok(true)
}

/// Returns the error for a file in which nothing was found after the tags that end at `start`, and says what it looks
/// like.
pub(crate) fn unrecognised(window: &mut FileWindow, start: u64) -> Result<Error> {
    let bytes = window.source().bytes();
    if start == bytes {
        return Ok(window.source().malformed("the file holds tags, but no sound"));
    }
    let head = window.bytes(0, TEXT_BYTES)?;
    let text = as_text(head);
    if let Some((name, holds)) = text.as_deref().and_then(known_text) {
        return Ok(error(window.source(), name, holds));
    }
    let told = if bytes == 1 {
        ": it has only 1 byte, too few for a recording".to_owned()
    } else if bytes < LEAST_BYTES {
        format!(": it has only {bytes} bytes, too few for a recording")
    } else if text.is_some() {
        ": it looks like text".to_owned()
    } else if skip_zeros(window, 0, bytes)? == bytes {
        ": it holds nothing but zeros, as after a failed copy or download".to_owned()
    } else {
        String::new()
    };
    Ok(window.source().malformed(format!("this is not audio that can be recognised{told}")))
}

/// Returns the name of a known text, and what it holds.
fn known_text(text: &str) -> Option<(&'static str, Holds)> {
    let text = text.trim_start_matches('\u{feff}').trim_start().to_lowercase();
    let begins = TEXTS.iter().find(|(words, ..)| text.starts_with(words));
    let known = begins.or_else(|| TEXT_WORDS.iter().find(|(words, ..)| text.contains(words)));
    known.map(|(_, name, holds)| (*name, *holds))
}

/// Returns the first bytes of a file as text; `None` if they have what no text has.
fn as_text(head: &[u8]) -> Option<String> {
    let text = match head {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => utf16(head, false),
        // The last character may be cut.
        _ => match std::str::from_utf8(head) {
            Ok(text) => text.to_owned(),
            Err(error) if error.error_len().is_none() => {
                String::from_utf8_lossy(&head[..error.valid_up_to()]).into_owned()
            }
            Err(_) => return None,
        },
    };
    let is_text =
        |character: char| !character.is_control() || matches!(character, '\t' | '\n' | '\r' | '\u{c}' | '\u{1a}');
    (text.chars().any(|character| !character.is_whitespace()) && text.chars().all(is_text)).then_some(text)
}
