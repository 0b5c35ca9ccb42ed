//! The names of codecs that have no decoder here, by the codes that containers have for them.

use base::error::Error;

/// A codec, and its codes.
struct CodecName {
    name: &'static str,
    /// The format tags of WAV files, and of what Matroska takes over from them.
    wave: &'static [u16],
    /// The four bytes of MP4, `QuickTime`, AIFF-C and CAF.
    four: &'static [&'static [u8; 4]],
    /// The object types of MP4.
    object: &'static [u8],
    /// The names of Matroska, which may have more words behind a slash.
    matroska: &'static [&'static str],
}

const fn codec(
    name: &'static str,
    wave: &'static [u16],
    four: &'static [&'static [u8; 4]],
    object: &'static [u8],
    matroska: &'static [&'static str],
) -> CodecName {
    CodecName { name, wave, four, object, matroska }
}

const CODEC_NAMES: &[CodecName] = &[
    codec("AAC", &[0xff, 0x1600, 0x1601, 0x1602, 0x1610, 0xa106, 0x706d], &[b"mp4a", b"aac "], &[0x40], &["A_AAC"]),
    codec("HE-AAC", &[], &[b"aach", b"aacp"], &[], &[]),
    codec("AAC of Audible, which is encrypted,", &[], &[b"aavd"], &[], &[]),
    codec("protected (FairPlay) audio", &[], &[b"drms"], &[], &[]),
    codec("protected (encrypted) audio", &[], &[b"enca"], &[], &[]),
    codec("MPEG-2 AAC", &[], &[], &[0x66, 0x67, 0x68], &[]),
    codec("MP3", &[0x55], &[b".mp3", b"ms\0\x55"], &[0x69, 0x6b], &["A_MPEG/L3"]),
    codec("MP2", &[0x50], &[b".mp2"], &[], &["A_MPEG/L2"]),
    codec("MPEG layer 1", &[], &[b".mp1"], &[], &["A_MPEG/L1"]),
    codec("Dolby Digital (AC-3)", &[0x2000, 0x92, 0x240], &[b"ac-3", b"sac3"], &[0xa5], &["A_AC3"]),
    codec("Dolby Digital Plus (E-AC-3)", &[0x2002], &[b"ec-3"], &[0xa6], &["A_EAC3"]),
    codec("Dolby AC-4", &[], &[b"ac-4"], &[], &[]),
    codec("Dolby TrueHD", &[], &[b"mlpa"], &[], &["A_TRUEHD"]),
    codec("Meridian Lossless Packing (MLP)", &[], &[], &[], &["A_MLP"]),
    codec(
        "DTS",
        &[0x2001, 0x08],
        &[b"dtsc", b"dtsh", b"dtsl", b"dtse", b"dtsx"],
        &[0xa9, 0xaa, 0xab, 0xac],
        &["A_DTS"],
    ),
    codec("MPEG-H 3D Audio", &[], &[b"mha1", b"mha2", b"mhm1", b"mhm2"], &[], &[]),
    codec("FLAC", &[0xf1ac], &[b"fLaC", b"flac"], &[0xdf], &["A_FLAC"]),
    codec("Apple Lossless (ALAC)", &[], &[b"alac"], &[], &["A_ALAC"]),
    codec("WavPack", &[0x5756], &[b"WVPK"], &[], &["A_WAVPACK4"]),
    codec("True Audio (TTA)", &[0x77a1], &[], &[], &["A_TTA1"]),
    codec("Musepack", &[], &[], &[], &["A_MPC"]),
    codec("Vorbis", &[0x674f, 0x6750, 0x6751, 0x676f, 0x6770, 0x6771, 0x566f], &[], &[0xdd], &["A_VORBIS"]),
    codec("Opus", &[0x704f], &[b"Opus", b"opus"], &[0xad], &["A_OPUS"]),
    codec("Speex", &[0xa109], &[b"spex"], &[0xd8], &[]),
    codec("Windows Media Audio", &[0x160, 0x161, 0x162, 0x163, 0x164, 0x0a], &[b"wma ", b"WMA2"], &[], &["A_WMA"]),
    codec("RealAudio", &[], &[], &[], &["A_REAL"]),
    codec("ATRAC", &[0x270, 0xe923], &[b"atrc"], &[], &["A_ATRAC"]),
    codec("QDesign Music", &[], &[b"QDM2", b"QDMC"], &[], &["A_QUICKTIME/QDM2", "A_QUICKTIME/QDMC"]),
    codec("Qualcomm PureVoice", &[0x150], &[b"Qclp"], &[0xe1], &[]),
    codec("MACE", &[], &[b"MAC3", b"MAC6"], &[], &[]),
    codec("ADPCM (Microsoft)", &[0x02], &[b"ms\0\x02"], &[], &[]),
    codec("ADPCM (IMA)", &[0x11], &[b"ima4", b"ms\0\x11"], &[], &[]),
    codec("ADPCM (Yamaha)", &[0x20], &[], &[], &[]),
    codec("ADPCM (Creative)", &[0x200], &[], &[], &[]),
    codec("ADPCM (Dialogic)", &[0x17], &[], &[], &[]),
    codec("ADPCM (Flash)", &[0x5346], &[], &[], &[]),
    codec("G.722", &[0x65, 0x28f], &[b"G722"], &[], &[]),
    codec("G.723.1", &[0x42, 0x111, 0x14], &[b"G723"], &[], &[]),
    codec("G.726", &[0x45, 0x64, 0x40, 0x85, 0x14c], &[b"G726", b"g726"], &[], &[]),
    codec("G.729", &[0x83], &[b"G729"], &[], &[]),
    codec("GSM speech", &[0x31, 0x32], &[b"agsm", b"GSM "], &[], &[]),
    codec("AMR speech", &[0x57, 0x4201, 0x136], &[b"samr", b"sawb"], &[], &["A_AMR"]),
    codec("EVRC speech", &[], &[b"sevc"], &[0xa0], &[]),
    codec("iLBC speech", &[], &[b"ilbc"], &[], &[]),
    codec("TrueSpeech", &[0x22], &[], &[], &[]),
    codec("TwinVQ", &[], &[b"twvq"], &[], &[]),
];

/// Returns the name of the codec for which `is_it` holds.
fn name(is_it: impl Fn(&CodecName) -> bool) -> Option<&'static str> {
    CODEC_NAMES.iter().find(|codec| is_it(codec)).map(|codec| codec.name)
}

/// Returns the error for a codec with this format tag of WAV files.
pub(crate) fn no_wave_codec(tag: u16, container: &str) -> Error {
    let name = name(|codec| codec.wave.contains(&tag));
    no_codec(name.map_or_else(|| format!("the codec 0x{tag:04x}"), str::to_owned), container)
}

/// Returns the error for a codec with these four bytes.
pub(crate) fn no_four_codec(four: [u8; 4], container: &str) -> Error {
    let name = name(|codec| codec.four.contains(&&four)).map(str::to_owned);
    let name = name.or_else(|| match four {
        // A format tag of WAV files.
        [b'm', b's', high, low] => {
            let tag = u16::from_be_bytes([high, low]);
            self::name(|codec| codec.wave.contains(&tag)).map(str::to_owned)
        }
        _ => None,
    });
    no_codec(name.unwrap_or_else(|| format!("the codec `{}`", four.escape_ascii())), container)
}

/// Returns the error for a codec with this object type of MP4.
pub(crate) fn no_object_codec(object: u8, container: &str) -> Error {
    let name = name(|codec| codec.object.contains(&object));
    no_codec(name.map_or_else(|| format!("the codec with object type 0x{object:02x}"), str::to_owned), container)
}

/// Returns the error for a codec with this name of Matroska, whose header is `private`.
pub(crate) fn no_matroska_codec(id: &str, private: &[u8]) -> Error {
    const CONTAINER: &str = "Matroska";
    if let ("A_MS/ACM", Some(tag)) = (id, private.first_chunk()) {
        return no_wave_codec(u16::from_le_bytes(*tag), CONTAINER);
    }
    let is_it = |codec: &CodecName| codec.matroska.iter().any(|known| id.starts_with(known));
    no_codec(name(is_it).map_or_else(|| format!("the codec {id}"), str::to_owned), CONTAINER)
}

/// Returns the error for a codec of this name.
pub(crate) fn no_codec(name: impl std::fmt::Display, container: &str) -> Error {
    Error::unsupported(format!("{name} in {container}"), "Convert it to FLAC or WAV with ffmpeg and open that")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_stands_once() {
        let mut seen = std::collections::HashSet::new();
        for codec in CODEC_NAMES {
            let codes = codec.wave.iter().map(|tag| format!("wave {tag}"));
            let codes = codes.chain(codec.four.iter().map(|four| format!("four {}", four.escape_ascii())));
            let codes = codes.chain(codec.object.iter().map(|object| format!("object {object}")));
            for code in codes.chain(codec.matroska.iter().map(|id| (*id).to_owned())) {
                assert!(seen.insert(code.clone()), "{}: {code} stands twice", codec.name);
            }
        }
    }

    #[test]
    fn codecs_are_refused_by_name() {
        for (error, words) in [
            (no_wave_codec(0x161, "WAV"), "Windows Media Audio in WAV is not supported."),
            (no_wave_codec(0xbeef, "WAV"), "The codec 0xbeef in WAV is not supported."),
            (no_four_codec(*b"ac-3", "CAF"), "Dolby Digital (AC-3) in CAF is not supported."),
            (no_four_codec(*b"ms\x20\x01", "MP4"), "DTS in MP4 is not supported."),
            (no_four_codec(*b"\0abc", "MP4"), "The codec `\\x00abc` in MP4 is not supported."),
            (no_object_codec(0xa9, "MP4"), "DTS in MP4 is not supported."),
            (no_object_codec(0x21, "MP4"), "The codec with object type 0x21 in MP4 is not supported."),
            (no_matroska_codec("A_EAC3", &[]), "Dolby Digital Plus (E-AC-3) in Matroska is not supported."),
            (no_matroska_codec("A_DTS/LOSSLESS", &[]), "DTS in Matroska is not supported."),
            (no_matroska_codec("A_MS/ACM", &[0x61, 1, 2]), "Windows Media Audio in Matroska is not supported."),
            (no_matroska_codec("A_MS/ACM", &[0x61]), "The codec A_MS/ACM in Matroska is not supported."),
        ] {
            let said = error.to_string();
            assert!(said.starts_with(words) && said.ends_with("with ffmpeg and open that."), "{said}");
        }
    }
}
