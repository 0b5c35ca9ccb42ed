//! Opening files: every format with its exact length and correct samples, exact seeks, damage, refusals.

use crate::support::{assert_reads_from, opening as opening_support};

use std::io::Write;
use std::path::{Path, PathBuf};

use audio::{AudioBuffer, AudioFile, AudioReader, Damage, Picture, Tags, tags};
use base::error::ErrorCode;
use opening_support::{Wav, random};

const FRAMES_44: u64 = 13_001;
const FRAMES_48: u64 = 14_401;

/// How closely a seed file matches its original signal.
#[derive(Clone, Copy, PartialEq)]
enum Near {
    /// Bit-exact.
    Exact,
    /// Up to this residual in dB relative to the signal.
    Db(f64),
}

/// Name, codec, frames and match of each seed file.
const SEEDS: &[(&str, &str, u64, Near)] = &[
    ("lame.mp3", "MP3", FRAMES_44, Near::Db(-20.0)),
    ("noheader.mp3", "MP3", 13 * 1152, Near::Db(f64::INFINITY)),
    ("low.mp3", "MP3", 6501, Near::Db(f64::INFINITY)),
    ("mono.mp3", "MP3", 13 * 1152, Near::Db(f64::INFINITY)),
    ("48k.mp3", "MP3", 14 * 1152, Near::Db(f64::INFINITY)),
    ("mono-mp3.mp4", "MP3", FRAMES_44, Near::Db(f64::INFINITY)),
    ("layer2.mp2", "MP2", 12 * 1152, Near::Db(f64::INFINITY)),
    ("plain.aac", "AAC", 14 * 1024, Near::Db(f64::INFINITY)),
    ("mono.aac", "AAC", 14 * 1024, Near::Db(f64::INFINITY)),
    ("48k.aac", "AAC", 16 * 1024, Near::Db(f64::INFINITY)),
    ("edits.m4a", "AAC", FRAMES_44, Near::Db(-15.0)),
    ("fragments.mp4", "AAC", 14_025, Near::Db(f64::INFINITY)),
    ("hybrid.mp4", "AAC", 14_025, Near::Db(f64::INFINITY)),
    ("alac.m4a", "ALAC 16 bit", FRAMES_44, Near::Exact),
    ("alac.caf", "ALAC 16 bit", FRAMES_44, Near::Exact),
    ("pcm.caf", "PCM 16 bit", 2205, Near::Exact),
    ("pcm.mov", "PCM 24 bit", 2205, Near::Exact),
    ("flac.mkv", "FLAC 16 bit", FRAMES_44, Near::Exact),
    ("aac.mkv", "AAC", 14 * 1024, Near::Db(f64::INFINITY)),
    ("pcm.mkv", "PCM 16 bit", 2205, Near::Exact),
    ("vorbis.webm", "Vorbis", 13_888, Near::Db(-20.0)),
    ("vorbis.ogg", "Vorbis", FRAMES_44, Near::Db(-20.0)),
    ("mono.ogg", "Vorbis", FRAMES_44, Near::Db(f64::INFINITY)),
    ("48k.ogg", "Vorbis", FRAMES_48, Near::Db(f64::INFINITY)),
    ("surround.ogg", "Vorbis", FRAMES_44, Near::Db(f64::INFINITY)),
    ("flac.oga", "FLAC 16 bit", FRAMES_44, Near::Exact),
    ("flac.flac", "FLAC 16 bit", FRAMES_44, Near::Exact),
    ("ms.wav", "ADPCM (Microsoft)", 13_156, Near::Db(-20.0)),
    ("ima.wav", "ADPCM (IMA)", 13_221, Near::Db(-20.0)),
    ("opus.webm", "Opus", FRAMES_48, Near::Db(-20.0)),
    ("opus.mp4", "Opus", FRAMES_48, Near::Db(-20.0)),
    ("opusenc.opus", "Opus", FRAMES_48, Near::Db(-20.0)),
];

fn seed(name: &str) -> PathBuf {
    crate::support::reference("audio").join(name)
}

/// The original signal of all seed files.
fn signal(channel: usize, frame: u64, rate: f64) -> f64 {
    let (amplitude, hz) = [(12_000.0, 440.0), (8_000.0, 1_000.0)][channel];
    (amplitude * (std::f64::consts::TAU * hz * frame as f64 / rate).sin()).round() / 32_768.0
}

/// Decodes all frames of a file in blocks of `block` frames.
fn decode(path: &Path, block: usize) -> AudioBuffer {
    decode_telling(path, block).0
}

/// Like [`decode`], but also returns the reader's damage.
fn decode_telling(path: &Path, block: usize) -> (AudioBuffer, Damage) {
    let file = AudioFile::open(path).unwrap_or_else(|error| panic!("{error}"));
    let mut reader = file.reader().unwrap();
    let mut all = AudioBuffer::new(file.info().audio.channels, 0);
    let mut part = AudioBuffer::default();
    loop {
        reader.read(&mut part, block).unwrap();
        if part.is_empty() {
            break;
        }
        all.extend_from(&part, 0..part.frames());
    }
    assert_eq!(all.frames() as u64, file.info().frames, "{}", path.display());
    (all, reader.damage())
}

/// Returns the residual in dB of `got` against the signal shifted by `shift` frames, without the edges.
fn residual_db(got: &AudioBuffer, rate: f64, shift: i64) -> f64 {
    let (mut error, mut power) = (0.0, 0.0);
    for channel in 0..2 {
        for frame in 2000..got.frames().min(11_000) {
            let want = signal(channel, (frame as i64 + shift) as u64, rate);
            error += (f64::from(got.channel(channel)[frame]) - want).powi(2);
            power += want * want;
        }
    }
    10.0 * f64::log10(error / power)
}

#[test]
fn every_seed_opens_with_its_exact_length_and_right_samples() {
    for (name, codec, frames, near) in SEEDS {
        let file = AudioFile::open(&seed(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let info = file.info();
        assert_eq!((info.codec.as_str(), info.frames), (*codec, *frames), "{name}");
        assert!(info.warnings.is_empty(), "{name}: {:?}", info.warnings);
        let (got, damage) = decode_telling(&seed(name), 4096);
        assert!(damage.is_empty(), "{name}: {damage:?}");
        let rate = info.audio.rate.as_f64();
        match near {
            Near::Exact => {
                for channel in 0..2 {
                    for frame in 0..got.frames() {
                        let want = signal(channel, frame as u64, rate) as f32;
                        assert_eq!(got.channel(channel)[frame], want, "{name}, channel {channel}, frame {frame}");
                    }
                }
            }
            Near::Db(limit) if limit.is_finite() => {
                let db = residual_db(&got, rate, 0);
                assert!(db < *limit, "{name}: residual {db:.1} dB");
                // A shift by a frame in either direction fits worse, so the delay is trimmed exactly.
                for shift in [-2, -1, 1, 2] {
                    let moved = residual_db(&got, rate, shift);
                    assert!(moved > db, "{name}: {moved:.1} dB when moved by {shift}, {db:.1} dB in place");
                }
            }
            Near::Db(_) => assert!(got.iter().flatten().any(|sample| sample.abs() > 0.1), "{name} is silent"),
        }
    }
}

#[test]
fn surround_vorbis_keeps_its_channels_apart() {
    let got = decode(&seed("surround.ogg"), 4096);
    for (channel, hz) in [440.0, 660.0, 880.0, 60.0, 1320.0, 1760.0].into_iter().enumerate() {
        let (mut error, mut power) = (0.0, 0.0);
        for frame in 2000..11_000 {
            let want = 8000.0 / 32_768.0 * (std::f64::consts::TAU * hz * frame as f64 / 44_100.0).sin();
            error += (f64::from(got.channel(channel)[frame]) - want).powi(2);
            power += want * want;
        }
        let db = 10.0 * f64::log10(error / power);
        // The encoder spends almost no bits on the low-frequency channel; ffmpeg decodes it to the same result.
        let limit = if channel == 3 { -11.0 } else { -30.0 };
        assert!(db < limit, "channel {channel}: residual {db:.1} dB");
    }
}

#[test]
fn a_read_after_a_seek_is_the_straight_decode_bit_for_bit() {
    for (name, _, frames, _) in SEEDS {
        let whole = decode(&seed(name), 1000);
        let file = AudioFile::open(&seed(name)).unwrap();
        let mut reader = file.reader().unwrap();
        let mut random = random(7);
        let mut part = AudioBuffer::default();
        for round in 0..60 {
            let (at, count) = (random() % (frames + 2), (random() % 3000) as usize);
            reader.seek(at).unwrap();
            reader.read(&mut part, count).unwrap();
            let at = at.min(*frames) as usize;
            assert_eq!(part.frames(), count.min(*frames as usize - at), "{name}, round {round}");
            assert_eq!(reader.position(), (at + part.frames()) as u64, "{name}");
            for channel in 0..whole.channels() {
                for (frame, got) in part.channel(channel).iter().enumerate() {
                    let want = whole.channel(channel)[at + frame];
                    assert!(*got == want, "{name}: frame {} is {got}, was {want}", at + frame);
                }
            }
        }
    }
}

#[test]
fn the_noise_of_aac_is_the_same_wherever_reading_begins() {
    // The seed substitutes noise. Repeated, it is longer than the segments in which it is decoded.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.aac");
    let packets = std::fs::read(seed("plain.aac")).unwrap();
    std::fs::write(&path, packets.repeat(60)).unwrap();
    let whole = decode(&path, 5000);
    assert_eq!(whole.frames(), 60 * 14 * 1024);
    let file = AudioFile::open(&path).unwrap();
    let mut random = random(3);
    // At the edges of segments of 256 packets, and anywhere.
    let edges = [254, 255, 256, 257, 511, 512, 767, 768].map(|packet| packet * 1024);
    for at in edges.into_iter().chain((0..20).map(|_| random() % whole.frames() as u64)) {
        assert_reads_from(&file, at, &whole);
    }
}

#[test]
fn the_size_of_the_reads_changes_nothing() {
    for name in ["lame.mp3", "vorbis.ogg", "flac.flac", "opusenc.opus", "alac.m4a", "pcm.mov", "ms.wav"] {
        let whole = decode(&seed(name), 1 << 20);
        for block in [1, 997, 1152] {
            assert_eq!(decode(&seed(name), block), whole, "{name} in blocks of {block}");
        }
    }
}

#[test]
fn readers_of_one_file_are_independent() {
    let file = AudioFile::open(&seed("lame.mp3")).unwrap();
    let (mut one, mut two) = (file.reader().unwrap(), file.clone().reader().unwrap());
    let (mut a, mut b) = (AudioBuffer::default(), AudioBuffer::default());
    one.seek(5000).unwrap();
    two.read(&mut b, 100).unwrap();
    one.read(&mut a, 100).unwrap();
    assert_eq!((one.position(), two.position()), (5100, 100));
    assert_ne!(a, b);
    two.seek(5000).unwrap();
    two.read(&mut b, 100).unwrap();
    assert_eq!(a, b);
}

#[test]
fn uncompressed_files_of_every_kind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.wav");
    let value = |channel: usize, frame: usize| ((frame * 37 + channel * 1001) % 200) as f64 / 200.0 - 0.5;
    for wav in Wav::all_kinds() {
        std::fs::write(&path, wav.bytes(1001, value)).unwrap();
        let file = AudioFile::open(&path).unwrap_or_else(|error| panic!("{wav:?}: {error}"));
        assert_eq!(file.info().frames, 1001, "{wav:?}");
        assert_eq!(file.info().format, wav.format_name(), "{wav:?}");
        // A warning reports samples that 32-bit floating point cannot represent.
        let told = wav.bits > 32 || (wav.bits == 32 && !wav.float);
        assert_eq!(file.info().warnings.len(), usize::from(told), "{wav:?}: {:?}", file.info().warnings);
        let got = decode(&path, 300);
        for channel in 0..wav.channels {
            for frame in 0..1001 {
                let error = (f64::from(got.channel(channel)[frame]) - value(channel, frame)).abs();
                assert!(error <= wav.step() / 2.0 + 1e-7, "{wav:?}: channel {channel}, frame {frame}: {error}");
            }
        }
    }
}

#[test]
fn a_wav_that_was_cut_off_or_never_finished_is_read_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.wav");
    let wav = Wav::plain(16, 2);
    let mut bytes = wav.bytes(1000, |_, _| 0.25);
    bytes.truncate(bytes.len() - 4 * 300 - 1);
    std::fs::write(&path, &bytes).unwrap();
    let file = AudioFile::open(&path).unwrap();
    assert_eq!(file.info().frames, 699);
    assert!(file.info().warnings[0].contains("699 of 1000 samples"), "{:?}", file.info().warnings);
    // A killed recorder leaves sizes of 0.
    bytes[4..8].fill(0);
    let data = bytes.windows(4).position(|four| four == b"data").unwrap();
    bytes[data + 4..data + 8].fill(0);
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(AudioFile::open(&path).unwrap().info().frames, 699);
}

#[test]
fn cut_off_files_keep_what_is_there_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["flac.flac", "lame.mp3", "flac.mkv", "plain.aac"] {
        let bytes = std::fs::read(seed(name)).unwrap();
        let whole = decode(&seed(name), 4096);
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes[..bytes.len() * 2 / 3]).unwrap();
        let file = AudioFile::open(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let got = decode(&path, 4096);
        assert!(got.frames() > 0 && got.frames() < whole.frames(), "{name}: {} frames", got.frames());
        // ADTS has no header that states a length.
        assert!(name == "plain.aac" || !file.info().warnings.is_empty(), "{name} says nothing");
        // All frames are unchanged, except those of the last packet, which may depend on missing data.
        for frame in 0..got.frames().saturating_sub(1200) {
            assert_eq!(got.channel(0)[frame], whole.channel(0)[frame], "{name}, frame {frame}");
        }
    }
}

#[test]
fn a_damaged_packet_in_the_middle_is_silent_and_keeps_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.flac");
    let mut bytes = std::fs::read(seed("flac.flac")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    std::fs::write(&path, &bytes).unwrap();
    let (got, damage) = decode_telling(&path, 4096);
    let whole = decode(&seed("flac.flac"), 4096);
    assert_eq!(got.frames(), whole.frames());
    let wrong: Vec<usize> = (0..got.frames()).filter(|f| got.channel(1)[*f] != whole.channel(1)[*f]).collect();
    let (first, last) = (wrong[0], wrong[wrong.len() - 1]);
    // The damage is one block of 1024 frames, which is silent.
    assert!(first / 1024 == last / 1024, "frames {first} to {last}");
    assert!(wrong.iter().all(|frame| got.channel(1)[*frame] == 0.0));
    // The reader reports the exact range.
    let block = (first as u64 / 1024) * 1024;
    assert_eq!(damage.ranges(), std::slice::from_ref(&(block..block + 1024)));
}

#[test]
fn a_flac_with_a_damaged_end_has_as_many_frames_as_can_be_decoded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.flac");
    let whole = decode(&seed("flac.flac"), 4096);
    let mut bytes = std::fs::read(seed("flac.flac")).unwrap();
    // The header states a day of audio, and the junk after the audio exceeds a single read of the backward search.
    bytes[21] = bytes[21] & 0xf0 | 15;
    bytes[22..26].fill(0xff);
    let mut random = random(5);
    bytes.extend((0..17 << 20).map(|_| random() as u8));
    std::fs::write(&path, &bytes).unwrap();
    let file = AudioFile::open(&path).unwrap();
    // Only decoding shows where the last block ends.
    assert_eq!(file.info().frames, FRAMES_44);
    assert!(file.info().warnings[0].contains("its end is damaged"), "{:?}", file.info().warnings);
    let (got, damage) = decode_telling(&path, 4096);
    assert!(damage.is_empty(), "{damage:?}");
    for channel in 0..2 {
        assert_eq!(got.channel(channel), &whole.channel(channel)[..got.frames()]);
    }
}

#[test]
fn packets_without_bytes_make_no_recording_longer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mp4");
    let mut bytes = std::fs::read(seed("fragments.mp4")).unwrap();
    let frames = AudioFile::open(&seed("fragments.mp4")).unwrap().info().frames;
    // A fragment whose run has millions of packets without a size.
    let sized = |kind: &[u8; 4], body: &[u8]| [&(body.len() as u32 + 8).to_be_bytes(), kind, body].concat();
    let header = sized(b"tfhd", &[0x00, 0, 0, 0x10, 0, 0, 0, 1, 0, 0, 0, 0]);
    let run = sized(b"trun", &[0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff]);
    bytes.extend(sized(b"moof", &sized(b"traf", &[header, run].concat())));
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(AudioFile::open(&path).unwrap().info().frames, frames);
}

#[test]
fn an_ogg_whose_times_run_away_is_no_longer_than_its_pages() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ogg");
    let mut bytes = std::fs::read(seed("vorbis.ogg")).unwrap();
    let frames = AudioFile::open(&seed("vorbis.ogg")).unwrap().info().frames;
    // Pages with one packet of one byte, each a million frames after the previous one.
    let serial: [u8; 4] = bytes[14..18].try_into().unwrap();
    for page in 1..200u64 {
        let granule = (frames + page * 1_000_000).to_le_bytes();
        bytes.extend([b"OggS\0\0".as_slice(), &granule, &serial, &[0; 8], &[1, 1, 0]].concat());
    }
    std::fs::write(&path, &bytes).unwrap();
    let got = AudioFile::open(&path).unwrap().info().frames;
    assert!(got < frames + 200 * 29 / 2 * 4096, "{got} frames");
}

#[test]
fn what_is_no_audio_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let error = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let error = AudioFile::open(&path).unwrap_err();
        (error.code(), error.to_string())
    };
    let cases: [(&str, &[u8], ErrorCode, &str); 7] = [
        ("empty.wav", b"", ErrorCode::Malformed, "empty"),
        ("text.wav", b"Dear reader, this is a letter.", ErrorCode::Malformed, "not audio"),
        ("head.wav", b"RIFF\x24\0\0\0WAVE", ErrorCode::Malformed, "`fmt ` chunk"),
        ("head.flac", b"fLaC\0\0", ErrorCode::Malformed, "STREAMINFO"),
        ("a.wv", b"wvpk\0\0\0\0\0\0\0\0", ErrorCode::Unsupported, "wvunpack"),
        ("a.m4a", b"\0\0\0\x10ftypM4A \0\0\0\0", ErrorCode::Malformed, "moov"),
        ("a.caf", b"caff\0\x01\0\0", ErrorCode::Malformed, "desc"),
    ];
    for (name, bytes, code, part) in cases {
        let (got, message) = error(name, bytes);
        assert_eq!(got, code, "{name}: {message}");
        assert!(message.contains(part) && message.contains(name), "{name}: {message}");
    }
    let folder_error = AudioFile::open(folder.path()).unwrap_err().to_string();
    assert!(folder_error.contains("folder"), "{folder_error}");
    let missing = AudioFile::open(&folder.path().join("none.wav")).unwrap_err();
    assert_eq!(missing.code(), ErrorCode::Io);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe.wav");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let error = AudioFile::open(&path).unwrap_err().to_string();
    assert!(error.contains("pipe"), "{error}");
}

#[test]
fn tags_and_pictures_survive_being_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut given = Tags::default();
    for (key, value) in [("TITLE", "Ein Stück"), ("ARTIST", "Someone"), ("TRACKNUMBER", "7"), ("MY_OWN_FIELD", "kept")]
    {
        given.items.insert(key.to_owned(), value.into());
    }
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde".to_vec();
    given.pictures.push(Picture { mime: "image/png".to_owned(), kind: 3, data: png, ..Picture::default() });
    for name in ["a.wav", "a.flac"] {
        let path = folder.path().join(name);
        if name == "a.wav" {
            std::fs::write(&path, Wav::plain(16, 2).bytes(500, |_, _| 0.25)).unwrap();
        } else {
            std::fs::copy(seed("flac.flac"), &path).unwrap();
        }
        let before = decode(&path, 4096);
        let warnings = tags::write(&path, &given).unwrap();
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        let file = AudioFile::open(&path).unwrap();
        for (key, value) in &given.items {
            assert_eq!(file.info().tags.items.get(key), Some(value), "{name}: {key} of {:?}", file.info().tags.items);
        }
        assert_eq!(file.info().tags.pictures, given.pictures, "{name}");
        assert_eq!(decode(&path, 4096), before, "{name}: the audio changed");
    }
    assert_eq!(AudioFile::open(&seed("vorbis.ogg")).unwrap().info().tags.items["TITLE"], "Seed");
    assert_eq!(AudioFile::open(&seed("lame.mp3")).unwrap().info().tags.items["TITLE"], "Seed");
}

/// Builds an `ID3v2` tag of a version with the given tag flags.
fn id3(version: u8, flags: u8, body: &[u8]) -> Vec<u8> {
    let size = [21, 14, 7, 0].map(|shift| (body.len() >> shift & 0x7f) as u8);
    [b"ID3" as &[u8], &[version, 0, flags], &size, body].concat()
}

/// Builds a version 2.3 frame; `flags` is its second flag byte.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "names are byte strings")]
fn id3_frame(id: &[u8; 4], flags: u8, content: &[u8]) -> Vec<u8> {
    [id as &[u8], &(content.len() as u32).to_be_bytes(), &[0, flags], content].concat()
}

/// Compresses bytes and prepends their length, as in version 2.3.
fn deflated(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    [&(content.len() as u32).to_be_bytes() as &[u8], &encoder.finish().unwrap()].concat()
}

/// Opens an MP3 with `before` prepended and `behind` appended.
fn tagged_mp3(before: &[u8], behind: &[u8]) -> audio::FileInfo {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mp3");
    let plain = std::fs::read(seed("noheader.mp3")).unwrap();
    std::fs::write(&path, [before, &plain, behind].concat()).unwrap();
    let info = AudioFile::open(&path).unwrap().info().clone();
    assert_eq!(info.frames, AudioFile::open(&seed("noheader.mp3")).unwrap().info().frames);
    info
}

#[test]
fn id3_is_read_in_every_version() {
    let item =
        |info: &audio::FileInfo, key: &str| info.tags.items.get(key).map(ToString::to_string).unwrap_or_default();
    // 2.2: identifiers of three letters and sizes of three bytes.
    let two = [b"TT2\0\0\x04\0Two" as &[u8], b"TCO\0\0\x05\0(17)", b"PIC\0\0\x0b\0PNG\x03\0\x89PNG1"].concat();
    let info = tagged_mp3(&id3(2, 0, &two), b"");
    assert_eq!((item(&info, "TITLE"), item(&info, "GENRE")), ("Two".into(), "Rock".into()));
    assert_eq!(
        (info.tags.pictures[0].mime.as_str(), info.tags.pictures[0].data.as_slice()),
        ("image/png", &b"\x89PNG1"[..])
    );
    // 2.3: UTF-16, a date in three frames, compression, an extended header, unsynchronisation of the whole tag.
    let three = [
        vec![0, 0, 0, 6, 0, 0, 0, 0, 0, 0],
        id3_frame(b"TIT2", 0, b"\x01\xff\xfeT\0\xfc\0"),
        id3_frame(b"TYER", 0, b"\x001999"),
        id3_frame(b"TDAT", 0, b"\x003112"),
        id3_frame(b"TPE1", 0x80, &deflated(b"\0Packed")),
        id3_frame(b"TXXX", 0, b"\0MY FIELD\0mine"),
        id3_frame(b"TRCK", 0x20, b"\x07\x003/12"),
        id3_frame(b"COMM", 0, b"\0engiTunNORM\0 0000"),
        id3_frame(b"COMM", 0, b"\0eng\0said"),
    ]
    .concat();
    // A zero is inserted after 0xff where the bytes would look like a frame header.
    let unsynchronised: Vec<u8> = three
        .iter()
        .enumerate()
        .flat_map(|(at, byte)| {
            let more = *byte == 0xff && three.get(at + 1).is_some_and(|next| *next >= 0xe0 || *next == 0);
            std::iter::once(*byte).chain(more.then_some(0))
        })
        .collect();
    for (flags, body) in [(0x40, &three), (0xc0, &unsynchronised)] {
        let info = tagged_mp3(&id3(3, flags, body), b"");
        assert!(info.warnings.is_empty(), "{:?}", info.warnings);
        for (key, value) in [
            ("TITLE", "Tü"),
            ("DATE", "1999-12-31"),
            ("ARTIST", "Packed"),
            ("MY FIELD", "mine"),
            ("TRACKNUMBER", "3"),
            ("TRACKTOTAL", "12"),
            ("COMMENT", "said"),
        ] {
            assert_eq!(item(&info, key), value, "{key}");
        }
    }
    // 2.4: UTF-8, several values, a length indicator and unsynchronisation of one frame, a footer; then APE and ID3v1.
    let four = [
        b"TPE1\0\0\0\x06\0\0\x03A\0B\0C" as &[u8],
        b"TIT2\0\0\0\x09\0\x03\0\0\0\x05\0\xff\0\xffx",
        b"TDRC\0\0\0\x08\0\0\x032001-05",
    ]
    .concat();
    let mut tag = id3(4, 0x10, &four);
    tag.extend([b"3DI" as &[u8], &tag[3..10]].concat());
    let mut ape =
        [b"\x04\0\0\0\0\0\0\0Album\0Ape!\x03\0\0\0\0\0\0\0Title\0not" as &[u8], b"APETAGEX\xd0\x07\0\0"].concat();
    let bytes = ape.len() as u32 - 12 + 32;
    ape.extend(bytes.to_le_bytes());
    ape.extend([2, 0, 0, 0]);
    ape.extend([0; 12]);
    let mut old = b"TAG".to_vec();
    old.resize(33, b'o');
    old.resize(127, 0);
    old.push(8);
    let info = tagged_mp3(&tag, &[ape, old].concat());
    assert!(info.warnings.is_empty(), "{:?}", info.warnings);
    for (key, value) in
        [("ARTIST", "A; B; C"), ("TITLE", "ÿÿx"), ("DATE", "2001-05"), ("ALBUM", "Ape!"), ("GENRE", "Jazz")]
    {
        assert_eq!(item(&info, key), value, "{key}");
    }
}

#[test]
fn tags_are_bounded_and_the_audio_opens() {
    use tags::limits::{MAX_FIELD_BYTES, MAX_PICTURE_BYTES, MAX_PICTURES_BYTES, MAX_TEXT_BYTES, MAX_VALUES};
    let said = |info: &audio::FileInfo, words: &[&str]| {
        let found = info.warnings.iter().any(|warning| words.iter().all(|word| warning.contains(word)));
        assert!(found, "{words:?} of {:?}", info.warnings);
    };
    // A few kilobytes that inflate to 64 MiB.
    let bomb = deflated(&vec![b'a'; 64 << 20]);
    let picture = deflated(&[b"\0image/png\0\x03\0\x89PNG" as &[u8], &vec![0; 40 << 20]].concat());
    let info =
        tagged_mp3(&id3(3, 0, &[id3_frame(b"TIT2", 0x80, &bomb), id3_frame(b"APIC", 0x80, &picture)].concat()), b"");
    assert!(info.tags.is_empty(), "{:?}", info.tags.items.keys());
    said(&info, &["TIT2", "inflate", "KiB"]);
    said(&info, &["APIC", "inflate", "16 MiB"]);
    // Excess text is truncated. The warning states the field, its size and the limit.
    let long = [b"\x03" as &[u8], &vec![b'x'; 300 << 10]].concat();
    let info =
        tagged_mp3(&id3(3, 0, &[id3_frame(b"TIT2", 0, &long), id3_frame(b"TPE1", 0, b"\0Artist")].concat()), b"");
    assert_eq!((info.tags.items["TITLE"].len(), info.tags.items["ARTIST"].as_str()), (MAX_FIELD_BYTES, "Artist"));
    said(&info, &["TITLE", &(300 << 10).to_string(), "256 KiB"]);
    // Many values in one field, and in many fields.
    let many: Vec<u8> =
        (0..2 * MAX_VALUES).flat_map(|at| id3_frame(b"TPE1", 0, format!("\0a{at}").as_bytes())).collect();
    let info = tagged_mp3(&id3(3, 0, &many), b"");
    assert_eq!(info.tags.items["ARTIST"].split("; ").count(), MAX_VALUES);
    said(&info, &["ARTIST", &MAX_VALUES.to_string()]);
    let wide: Vec<u8> = (0..20)
        .flat_map(|at| id3_frame(b"TXXX", 0, &[format!("\0F{at}\0").as_bytes(), &vec![b'y'; 250 << 10]].concat()))
        .collect();
    let info = tagged_mp3(&id3(3, 0, &wide), b"");
    let text: usize = info.tags.items.iter().map(|(key, value)| key.len() + value.len()).sum();
    assert!(text <= MAX_TEXT_BYTES && text > MAX_TEXT_BYTES - (8 << 10), "{text}");
    said(&info, &["4 MiB"]);
    // A picture that is too large, and too many pictures.
    let cover = |bytes: usize| id3_frame(b"APIC", 0, &[b"\0image/png\0\x03\0" as &[u8], &vec![1; bytes]].concat());
    let info = tagged_mp3(&id3(3, 0, &[cover(MAX_PICTURE_BYTES + 1), cover(5)].concat()), b"");
    assert_eq!(info.tags.pictures.iter().map(|picture| picture.data.len()).collect::<Vec<_>>(), [5]);
    said(&info, &["picture", &(MAX_PICTURE_BYTES + 1).to_string(), "16 MiB"]);
    let info = tagged_mp3(&id3(3, 0, &cover(12 << 20).repeat(4)), b"");
    assert!(info.tags.pictures.iter().map(|picture| picture.data.len()).sum::<usize>() <= MAX_PICTURES_BYTES);
    assert_eq!(info.tags.pictures.len(), 2);
    said(&info, &["picture", "32 MiB"]);
}

#[test]
fn matroska_elements_of_open_size_do_not_nest_without_end() {
    let plain = std::fs::read(seed("aac.mkv")).unwrap();
    let at = plain.windows(4).position(|id| id == [0x18, 0x53, 0x80, 0x67]).unwrap() + 4;
    assert_eq!(plain[at], 1, "the segment's size has eight bytes");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.mkv");
    let open = [1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    let nested = [0xae, 0xff].repeat(400_000);
    std::fs::write(&path, [&plain[..at], &open, &plain[at + 8..], &nested].concat()).unwrap();
    assert_eq!(AudioFile::open(&path).unwrap().info().frames, 14 * 1024);
}

#[test]
fn chunks_of_a_caf_that_end_beyond_what_a_number_holds() {
    let plain = std::fs::read(seed("pcm.caf")).unwrap();
    // Each chunk's offset. The data have a size that is known.
    let (mut chunks, mut at) = (Vec::new(), 8);
    while at + 12 <= plain.len() {
        chunks.push(at);
        let size = u64::from_be_bytes(plain[at + 4..at + 12].try_into().unwrap());
        at += 12 + usize::try_from(size).unwrap();
    }
    assert!(chunks.len() > 1 && at == plain.len());
    for chunk in chunks {
        for from_end in [1, 2, 5, 8, 12, 13, 20, chunk as u64 + 12] {
            let mut bytes = plain.clone();
            bytes[chunk + 4..chunk + 12].copy_from_slice(&(u64::MAX - from_end).to_be_bytes());
            let opened = AudioFile::from_bytes(bytes, Path::new("a.caf"));
            assert!(opened.is_err() || opened.is_ok_and(|file| file.info().frames <= 2205), "{chunk}, {from_end}");
        }
    }
}
