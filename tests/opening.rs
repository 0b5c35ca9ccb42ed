//! Opening: every format with its exact length and right samples, exact seeks, damage, refusals.

mod opening_support;

use std::path::{Path, PathBuf};

use opening_support::{Wav, random};
use undertone::audio::{AudioBuffer, AudioFile, AudioReader, Damage, Picture, Tags, tags};
use undertone::error::ErrorCode;

const FRAMES_44: u64 = 13_001;
const FRAMES_48: u64 = 14_401;

/// How near a seed comes to the signal it was made from.
#[derive(Clone, Copy, PartialEq)]
enum Near {
    /// Bit for bit.
    Exact,
    /// To this residual in dB re the signal.
    Db(f64),
}

/// Name, codec, frames, nearness.
const SEEDS: &[(&str, &str, u64, Near)] = &[
    ("lame.mp3", "MP3", FRAMES_44, Near::Db(-20.0)),
    ("noheader.mp3", "MP3", 13 * 1152, Near::Db(f64::INFINITY)),
    ("low.mp3", "MP3", 6501, Near::Db(f64::INFINITY)),
    ("layer2.mp2", "MP2", 12 * 1152, Near::Db(f64::INFINITY)),
    ("plain.aac", "AAC", 14 * 1024, Near::Db(f64::INFINITY)),
    ("edits.m4a", "AAC", FRAMES_44, Near::Db(-15.0)),
    ("fragments.mp4", "AAC", 14_025, Near::Db(f64::INFINITY)),
    ("alac.m4a", "ALAC 16 bit", FRAMES_44, Near::Exact),
    ("alac.caf", "ALAC 16 bit", FRAMES_44, Near::Exact),
    ("pcm.caf", "PCM 16 bit", 2205, Near::Exact),
    ("pcm.mov", "PCM 24 bit", 2205, Near::Exact),
    ("flac.mkv", "FLAC 16 bit", FRAMES_44, Near::Exact),
    ("aac.mkv", "AAC", 14 * 1024, Near::Db(f64::INFINITY)),
    ("pcm.mkv", "PCM 16 bit", 2205, Near::Exact),
    ("vorbis.webm", "Vorbis", 13_888, Near::Db(-20.0)),
    ("vorbis.ogg", "Vorbis", FRAMES_44, Near::Db(-20.0)),
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
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/audio").join(name)
}

/// The signal that all seeds were made from.
fn signal(channel: usize, frame: u64, rate: f64) -> f64 {
    let (amplitude, hz) = [(12_000.0, 440.0), (8_000.0, 1_000.0)][channel];
    (amplitude * (std::f64::consts::TAU * hz * frame as f64 / rate).sin()).round() / 32_768.0
}

/// All frames of a file, read in blocks of `block`.
fn decode(path: &Path, block: usize) -> AudioBuffer {
    decode_telling(path, block).0
}

/// The same, with what its reader says of damage.
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

/// The residual in dB of `got` against the signal moved by `shift` frames, over all of it but the edges.
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
                // Moved by a frame either way it fits worse: the delay is trimmed to the frame.
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
        // The encoder gives the low frequencies next to nothing; ffmpeg decodes them to the same.
        let limit = if channel == 3 { -11.0 } else { -30.0 };
        assert!(db < limit, "channel {channel}: residual {db:.1} dB");
    }
}

#[test]
fn a_read_after_a_seek_is_the_straight_decode_bit_for_bit() {
    for (name, codec, frames, _) in SEEDS {
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
                    let same = if *codec == "AAC" { (got - want).abs() < 0.05 } else { *got == want };
                    assert!(same, "{name}: frame {} is {got}, was {want}", at + frame);
                }
            }
        }
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
        assert!(file.info().warnings.is_empty(), "{wav:?}: {:?}", file.info().warnings);
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
    assert!(file.info().warnings[0].contains("1000 frames, 699 are there"), "{:?}", file.info().warnings);
    // A recorder that was killed leaves sizes of 0.
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
        // ADTS has no header that could tell.
        assert!(name == "plain.aac" || !file.info().warnings.is_empty(), "{name} says nothing");
        // All but the last packet, which may lean on what is gone, is as it was.
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
    // One block of 1024, and nothing but silence in it.
    assert!(first / 1024 == last / 1024, "frames {first} to {last}");
    assert!(wrong.iter().all(|frame| got.channel(1)[*frame] == 0.0));
    // The reader says where, on the frame.
    let block = (first as u64 / 1024) * 1024;
    assert_eq!(damage.ranges(), std::slice::from_ref(&(block..block + 1024)));
}

#[test]
fn a_flac_with_a_damaged_end_has_as_many_frames_as_can_be_decoded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.flac");
    let whole = decode(&seed("flac.flac"), 4096);
    let mut bytes = std::fs::read(seed("flac.flac")).unwrap();
    // The header claims a day; more junk than one look from the end takes in follows the audio.
    bytes[21] = bytes[21] & 0xf0 | 15;
    bytes[22..26].fill(0xff);
    let mut random = random(5);
    bytes.extend((0..17 << 20).map(|_| random() as u8));
    std::fs::write(&path, &bytes).unwrap();
    let file = AudioFile::open(&path).unwrap();
    // All blocks of 1024 but the last, which nothing ends.
    assert_eq!(file.info().frames, FRAMES_44 / 1024 * 1024);
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
    // A fragment whose run counts millions of packets of no size, for which it says nothing else.
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
    // Pages of one packet of one byte, each a million frames after the one before.
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
        given.items.insert(key.to_owned(), value.to_owned());
    }
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde".to_vec();
    given.pictures.push(Picture { mime: "image/png".to_owned(), kind: 3, data: png });
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
