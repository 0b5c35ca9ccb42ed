//! Containers whose headers and sound say different things, and kinds of them that are rare: samples of an MP4 in its index
//! and in fragments, in sizes of any kind; MPEG audio under wrong names; Wave64; IMA ADPCM of Apple; 24 bits in 32.

use std::path::Path;

use super::support::mp4::{Fragment, Mp4, Sizes, boxed, entry, esds};
use super::support::mpeg::{Kind, stream};
use super::support::opening::{Wav, random};
use super::support::wave64;
use audio::{AudioBuffer, AudioFile, FileInfo};

fn seed(name: &str) -> Vec<u8> {
    std::fs::read(crate::support::reference("audio").join(name)).unwrap()
}

fn open(bytes: &[u8], what: &str) -> AudioFile {
    AudioFile::from_bytes(bytes.to_vec(), Path::new("case")).unwrap_or_else(|error| panic!("{what}: {error}"))
}

/// Decodes a file, and again from several places, which must give the same. Nothing may be damaged.
fn decode(file: &AudioFile, what: &str) -> AudioBuffer {
    let (mut reader, mut all) = (file.reader().unwrap(), AudioBuffer::default());
    reader.read(&mut all, file.info().frames as usize + 1).unwrap();
    assert_eq!(all.frames() as u64, file.info().frames, "{what}");
    assert!(reader.damage().is_empty(), "{what}: {:?}", reader.damage());
    let mut part = AudioBuffer::default();
    for step in (0..7).rev() {
        let at = all.frames() * step / 7;
        reader.seek(at as u64).unwrap();
        reader.read(&mut part, 700).unwrap();
        for (part, all) in part.iter().zip(all.iter()) {
            assert!(*part == all[at..at + part.len()], "{what}: other samples after a seek to {at}");
        }
    }
    all
}

fn warned(info: &FileInfo, words: &[&str], what: &str) {
    let found = info.warnings.iter().any(|warning| words.iter().all(|word| warning.contains(word)));
    assert!(found, "{what}: {words:?} of {:?}", info.warnings);
}

/// Random samples of 16 bits.
fn noise(random: &mut impl FnMut() -> u64, count: usize) -> Vec<i16> {
    (0..count).map(|_| random() as i16).collect()
}

fn interleaved(audio: &AudioBuffer) -> Vec<f32> {
    (0..audio.frames()).flat_map(|frame| audio.iter().map(move |channel| channel[frame])).collect()
}

fn fractions(samples: &[i16]) -> Vec<f32> {
    samples.iter().map(|sample| f32::from(*sample) / 32_768.0).collect()
}

/// Splits `frames` of 16-bit samples into samples of an MP4.
fn split(sound: &[i16], channels: usize, lengths: &[usize], big_endian: bool) -> Vec<Vec<u8>> {
    let mut rest = sound;
    let bytes = |sample: &i16| if big_endian { sample.to_be_bytes() } else { sample.to_le_bytes() };
    let split = lengths.iter().map(|length| {
        let (first, after) = rest.split_at(length * channels);
        rest = after;
        first.iter().flat_map(bytes).collect()
    });
    split.collect()
}

#[test]
fn samples_of_any_size_in_the_index_and_in_fragments() {
    for seed in 0..120 {
        let mut random = random(seed);
        let channels = 1 + random() as usize % 3;
        let big_endian = random().is_multiple_of(2);
        let count = 2 + random() as usize % 30;
        let most = [1, 5, 1024, 4410][random() as usize % 4];
        let varies = random().is_multiple_of(2);
        let lengths: Vec<usize> =
            (0..count).map(|_| if varies { 1 + random() as usize % most } else { most }).collect();
        let sound = noise(&mut random, lengths.iter().sum::<usize>() * channels);
        let samples = split(&sound, channels, &lengths, big_endian);
        let kind = if big_endian { b"twos" } else { b"sowt" };
        let mut file = Mp4::new(entry(kind, channels as u16, 16, 44_100, &[]), 44_100, samples, 0);
        file.ticks = lengths.iter().map(|length| *length as u32).collect();
        file.chunk = 1 + random() as usize % count;
        if !varies && random().is_multiple_of(2) {
            file.sizes = Sizes::Constant((most * channels * 2) as u32);
        }
        // All in the index, all in fragments, or some in each.
        file.indexed = [count, 0, 1 + random() as usize % (count - 1)][seed as usize % 3];
        let mut left = count - file.indexed;
        while left > 0 {
            let here = (1 + random() as usize % 9).min(left);
            left -= here;
            let each = varies || random().is_multiple_of(2);
            let (general, relative) = (random().is_multiple_of(2), random().is_multiple_of(2));
            let run = 1 + random() as usize % here;
            file.fragments.push(Fragment { samples: here, each, general, relative, run });
        }
        let what =
            format!("seed {seed}, {lengths:?}, {} indexed, {:?}, {:?}", file.indexed, file.sizes, file.fragments);
        let opened = open(&file.bytes(), &what);
        assert!(opened.info().warnings.is_empty(), "{what}: {:?}", opened.info().warnings);
        assert!(interleaved(&decode(&opened, &what)) == fractions(&sound), "{what}");
    }
}

#[test]
fn an_index_may_count_frames_and_state_a_size_of_1() {
    for (channels, bits) in [(1, 16), (2, 16), (2, 24), (3, 8), (2, 32)] {
        let (kind, bytes) = ([b"raw ", b"twos", b"in24", b"in32"][bits / 8 - 1], bits / 8);
        let frames = 3000;
        let sound: Vec<u8> = (0..frames * channels * bytes).map(|at| (at * 7919 / 8) as u8).collect();
        let entry = entry(kind, channels as u16, bits as u16, 48_000, &[]);
        let mut file = Mp4::new(entry, 48_000, vec![sound], frames as u32);
        let usual = decode(&open(&file.bytes(), "one sample"), "one sample");
        assert_eq!((usual.channels(), usual.frames()), (channels, frames));
        for size in [1, (channels * bytes) as u32] {
            (file.sizes, file.counted) = (Sizes::Constant(size), Some(frames as u32));
            let what = format!("{channels} channels, {bits} bits, a size of {size}");
            assert!(decode(&open(&file.bytes(), &what), &what) == usual, "{what}");
        }
    }
}

const PLAIN: Kind = Kind { layer: 3, version: 0, rate: 0, mode: 0, checksums: false, free_bytes: None, emphasis: 0 };

fn chunk(id: &[u8], body: &[u8]) -> Vec<u8> {
    [id, &(body.len() as u32).to_le_bytes(), body, &vec![0; body.len() % 2]].concat()
}

/// A `fmt ` chunk's contents.
fn format(tag: u16, channels: u16, rate_hz: u32, block_bytes: u16, bits: u16) -> Vec<u8> {
    let (halves, rate) = ([tag, channels], rate_hz * u32::from(block_bytes));
    let words = [rate_hz, rate].map(u32::to_le_bytes).concat();
    [halves.map(u16::to_le_bytes).concat(), words, [block_bytes, bits].map(u16::to_le_bytes).concat()].concat()
}

fn wav(format: &[u8], behind: &[Vec<u8>]) -> Vec<u8> {
    let body = [b"WAVE".to_vec(), chunk(b"fmt ", format), behind.concat()].concat();
    [b"RIFF".as_slice(), &(body.len() as u32).to_le_bytes(), &body].concat()
}

/// A CAF of packets of the sizes of `packets`.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "names are byte strings")]
fn caf(codec: &[u8; 4], rate_hz: f64, channels: u32, constant: [u32; 2], packets: &[Vec<u8>]) -> Vec<u8> {
    let part = |id: &[u8; 4], body: &[u8]| [id.as_slice(), &(body.len() as u64).to_be_bytes(), body].concat();
    let words = [0, constant[0], constant[1], channels, 0].map(u32::to_be_bytes).concat();
    let mut out =
        [b"caff\0\x01\0\0", &part(b"desc", &[&rate_hz.to_be_bytes(), &codec[..], &words].concat())[..]].concat();
    if constant[0] == 0 {
        let mut table = [(packets.len() as u64).to_be_bytes(), [0; 8], [0; 8]].concat();
        for packet in packets {
            table.extend([
                (packet.len() >> 14) as u8 | 0x80,
                (packet.len() >> 7) as u8 | 0x80,
                packet.len() as u8 & 0x7f,
            ]);
        }
        out.extend(part(b"pakt", &table));
    }
    out.extend(part(b"data", &[vec![0; 4], packets.concat()].concat()));
    out
}

#[test]
fn mpeg_audio_in_containers_is_what_its_frames_say() {
    for number in 0..24 {
        let mut random = random(number);
        let mut kind = Kind::random(&mut random);
        // Containers do not tell the size of frames of free format.
        kind.free_bytes = None;
        let made = stream(&mut random, kind, 20);
        let what = format!("stream {number}, {kind:?}");
        let alone = decode(&open(&made.bytes(), &what), &what);
        let frames = made.frames.len() * kind.sound_frames();
        assert_eq!((alone.channels(), alone.frames()), (kind.channels(), frames), "{what}");
        // The containers say two channels, whatever it is, and any layer.
        let rate_hz = kind.rate_hz() as u32;
        let mut files = Vec::new();
        for (name, boxes) in [(b"mp4a", esds(0x6b)), (b"mp4a", esds(0x69)), (b".mp3", vec![]), (b".mp2", vec![])] {
            let entry = entry(name, 2, 16, rate_hz, &boxes);
            let file = Mp4::new(entry, rate_hz, made.frames.clone(), kind.sound_frames() as u32);
            files.push((format!("MP4 with {}", name.escape_ascii()), file.bytes()));
        }
        for tag in [0x50, 0x55] {
            let format = format(tag, 2, rate_hz, 1, 0);
            files.push((format!("WAV with codec {tag:#x}"), wav(&format, &[chunk(b"data", &made.bytes())])));
        }
        for codec in [b".mp1", b".mp2", b".mp3"] {
            files.push((
                format!("CAF with {}", codec.escape_ascii()),
                caf(codec, f64::from(rate_hz), 2, [0, 1152], &made.frames),
            ));
        }
        for (container, bytes) in files {
            let what = format!("{what} in {container}");
            let opened = open(&bytes, &what);
            assert_eq!(opened.info().audio.rate.hz(), rate_hz, "{what}");
            assert!(opened.info().warnings.is_empty(), "{what}: {:?}", opened.info().warnings);
            assert!(decode(&opened, &what) == alone, "{what}");
        }
    }
}

#[test]
fn a_wrong_rate_of_mpeg_audio_is_not_believed() {
    for (number, stated) in [(1, 48_000), (2, 22_050), (3, 44_100), (4, 8000), (5, 64_000)] {
        let mut random = random(number);
        let kind = Kind { rate: 2, mode: 3, layer: 2 + number as usize % 2, ..PLAIN };
        let made = stream(&mut random, kind, 12);
        let file =
            Mp4::new(entry(b".mp3", 2, 16, stated, &[]), 32_000, made.frames.clone(), kind.sound_frames() as u32);
        let what = format!("{stated} Hz stated");
        let opened = open(&file.bytes(), &what);
        assert_eq!((opened.info().audio.rate.hz(), opened.info().audio.channels), (32_000, 1), "{what}");
        warned(opened.info(), &[&format!("says {stated} Hz"), "has 32000 Hz"], &what);
        assert!(decode(&opened, &what) == decode(&open(&made.bytes(), &what), &what), "{what}");
    }
}

#[test]
fn what_stands_in_front_of_a_stream_is_told() {
    let streams = ["noheader.mp3", "plain.aac", "layer2.mp2", "mono.mp3", "mono.aac"];
    for (name, text) in streams.into_iter().zip([1, 100, 70_000, 200_000, 900_000]) {
        let (alone, what) = (open(&seed(name), name), format!("{text} bytes before {name}"));
        let front = vec![b'x'; text];
        for (begin, before) in [(0, front.clone()), (3000, [vec![0; 3000], front.clone()].concat())] {
            let file = open(&[before, seed(name)].concat(), &what);
            let words = if text == 1 {
                format!("1 byte of the file, at byte {begin},")
            } else {
                format!("{text} bytes of the file, from byte {begin} on")
            };
            warned(file.info(), &[&words], &what);
            assert!(decode(&file, &what) == decode(&alone, name), "{what}");
        }
        // Zeros are padding, also many.
        for zeros in [10, 70_000, 3 << 20] {
            let file = open(&[vec![0; zeros], seed(name)].concat(), &what);
            assert!(file.info().warnings.is_empty(), "{zeros} zeros before {name}: {:?}", file.info().warnings);
            assert!(decode(&file, &what) == decode(&alone, name), "{zeros} zeros before {name}");
        }
    }
}

/// Makes a Wave64 file of a WAV file.
fn w64_of(wav: &[u8]) -> Vec<u8> {
    let (mut at, mut chunks) = (12, Vec::new());
    while let Some(head) = wav.get(at..at + 8) {
        let size = u32::from_le_bytes(head[4..].try_into().unwrap()) as usize;
        let body = &wav[at + 8..(at + 8 + size).min(wav.len())];
        chunks.push(match &head[..4] {
            b"fact" => {
                wave64::chunk(b"fact", 32, &u64::from(u32::from_le_bytes(body[..4].try_into().unwrap())).to_le_bytes())
            }
            id => wave64::chunk(id, size as u64 + 24, body),
        });
        at += 8 + size + size % 2;
    }
    wave64::file(&chunks.concat(), None)
}

#[test]
fn wave64_holds_what_wav_holds() {
    let mut files: Vec<(String, Vec<u8>)> = Wav::all_kinds()
        .into_iter()
        .filter(|kind| kind.magic == "RIFF")
        .map(|kind| {
            (format!("{kind:?}"), kind.bytes(501, |channel, frame| ((frame * 31 + channel * 7) % 97) as f64 / 99.0))
        })
        .collect();
    for name in ["ima.wav", "ms.wav"] {
        files.push((name.to_owned(), seed(name)));
    }
    for tag in [6, 7] {
        let sound: Vec<u8> = (0..999).map(|at| (at * 7) as u8).collect();
        files.push((format!("codec {tag}"), wav(&format(tag, 3, 8000, 3, 8), &[chunk(b"data", &sound)])));
    }
    let mp3 = stream(&mut random(2), PLAIN, 9);
    files.push(("MP3".to_owned(), wav(&format(0x55, 2, 44_100, 1, 0), &[chunk(b"data", &mp3.bytes())])));
    for (name, bytes) in files {
        let (like, what) = (open(&bytes, &name), format!("Wave64 of {name}"));
        let file = open(&w64_of(&bytes), &what);
        let (got, want) = (file.info(), like.info());
        assert_eq!((got.format.as_str(), &got.codec, got.bits), ("Wave64", &want.codec, want.bits), "{what}");
        assert_eq!((got.audio, got.frames, &got.warnings), (want.audio, want.frames, &want.warnings), "{what}");
        assert!(decode(&file, &what) == decode(&like, &name), "{what}");
    }
}

#[test]
fn sizes_of_a_wave64_that_were_never_filled_in_or_are_wrong() {
    let sound = fractions(&noise(&mut random(1), 2000));
    let bytes: Vec<u8> = sound.iter().flat_map(|sample| ((sample * 32_768.0) as i16).to_le_bytes()).collect();
    let format = wave64::chunk(b"fmt ", 40, &format(1, 2, 44_100, 4, 16));
    let file = |whole: u64, data: u64, behind: &[u8]| {
        let chunks = [&format[..], b"data", wave64::COMMON, &data.to_le_bytes(), &bytes, behind].concat();
        wave64::file(&chunks, Some(whole))
    };
    let whole = file(0, 0, &[]).len() as u64;
    let stated = bytes.len() as u64 + 24;
    // Of ffmpeg into a pipe, of programs that stopped, and of those that count from elsewhere.
    for (all, data) in [(u64::MAX, i64::MAX as u64), (u64::MAX, u64::MAX), (0, 0), (0, 24), (104, 24), (whole, stated)]
    {
        let what = format!("{all:#x} and {data:#x}");
        let opened = open(&file(all, data, &[]), &what);
        assert!(opened.info().warnings.is_empty(), "{what}: {:?}", opened.info().warnings);
        assert!(interleaved(&decode(&opened, &what)) == sound, "{what}");
    }
    let opened = open(&file(whole, 24, &[]), "no samples");
    assert_eq!(opened.info().frames, 0);
    for more in [4, 1000, 1 << 40] {
        let what = format!("{more} bytes more than there are");
        let opened = open(&file(whole, stated + more, &[]), &what);
        warned(opened.info(), &["cut off", "1000 of"], &what);
        assert!(interleaved(&decode(&opened, &what)) == sound, "{what}");
    }
    // Chunks behind the sound are known, other bytes are told.
    let opened = open(&file(whole, stated, &wave64::chunk(b"junk", 29, &[7; 5])), "a chunk behind");
    assert!(opened.info().warnings.is_empty(), "{:?}", opened.info().warnings);
    let opened = open(&file(whole, stated, &[0xee; 300]), "bytes behind");
    warned(opened.info(), &["300 bytes", &format!("from byte {whole} on")], "bytes behind");
    let one = file(whole, stated, &[]);
    let opened = open(&[one.clone(), one].concat(), "another file behind");
    warned(opened.info(), &["(Wave64)", &format!("from byte {whole} on")], "another file behind");
    // Tags in front, and a file without sound or format.
    let opened =
        open(&[b"ID3\x03\0\0\0\0\0\x0a".as_slice(), &[0; 10], &file(whole, stated, &[])].concat(), "ID3 in front");
    assert_eq!(opened.info().frames, 1000);
    for chunks in [
        vec![],
        vec![format.clone()],
        vec![wave64::chunk(b"data", 28, &[1; 4])],
        vec![wave64::chunk(b"fmt ", 30, &[1; 6])],
    ] {
        let error =
            AudioFile::from_bytes(wave64::file(&chunks.concat(), None), Path::new("case")).unwrap_err().to_string();
        assert!(error.contains("Wave64") || error.contains("fmt"), "{error}");
    }
}

/// The step sizes of IMA ADPCM, and how its codes change the place among them.
#[rustfmt::skip]
const STEPS: [i32; 89] = [
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118,
    130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166,
    1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845,
    8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
];
const CHANGES: [i32; 8] = [-1, -1, -1, -1, 2, 4, 6, 8];

/// Decodes a block of one channel as the specification of the IMA says.
fn ima4(block: &[u8]) -> Vec<f32> {
    let head = i16::from_be_bytes([block[0], block[1]]);
    let (mut value, mut place) = (i32::from(head & !0x7f), i32::from(head & 0x7f).min(88));
    let codes = block[2..].iter().flat_map(|byte| [byte & 15, byte >> 4]);
    let samples = codes.map(|code| {
        let step = STEPS[place as usize];
        let bit = |bit: u32, part: i32| if code >> bit & 1 == 1 { part } else { 0 };
        let change = step / 8 + bit(2, step) + bit(1, step / 2) + bit(0, step / 4);
        value = (value + if code & 8 == 0 { change } else { -change }).clamp(-32_768, 32_767);
        place = (place + CHANGES[usize::from(code & 7)]).clamp(0, 88);
        value as f32 / 32_768.0
    });
    samples.collect()
}

/// An AIFF-C of `ima4` that states so many blocks or frames.
fn aifc(channels: u16, stated: u32, sound: &[u8]) -> Vec<u8> {
    let part = |id: &[u8; 4], body: &[u8]| [id.as_slice(), &(body.len() as u32).to_be_bytes(), body].concat();
    let rate = [0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0];
    let common = [&channels.to_be_bytes()[..], &stated.to_be_bytes(), &[0, 16], &rate, b"ima4\0\0"].concat();
    let body =
        [b"AIFC".to_vec(), part(b"COMM", &common), part(b"SSND", &[vec![0; 8], sound.to_vec()].concat())].concat();
    [b"FORM".as_slice(), &(body.len() as u32).to_be_bytes(), &body].concat()
}

#[test]
fn ima_adpcm_of_apple_is_decoded_in_every_container() {
    for (number, channels, blocks) in [(0, 1, 1), (1, 2, 1), (2, 2, 40), (3, 1, 300), (4, 2, 7), (5, 1, 65)] {
        let mut random = random(number);
        let each: Vec<Vec<u8>> = (0..blocks)
            .map(|_| {
                let channel = |random: &mut dyn FnMut() -> u64| {
                    // Any value, place and codes, those that run into the bounds among them.
                    let head = (random() as u16).to_be_bytes();
                    [head.to_vec(), (0..32).map(|_| random() as u8).collect()].concat()
                };
                (0..channels).flat_map(|_| channel(&mut random)).collect()
            })
            .collect();
        let mut want = vec![Vec::new(); channels];
        for block in &each {
            block.chunks(34).zip(&mut want).for_each(|(block, want)| want.extend(ima4(block)));
        }
        let (sound, frames) = (each.concat(), blocks as u32 * 64);
        let count = channels as u16;
        let entry = entry(b"ima4", count, 16, 44_100, &[]);
        let by_block = Mp4::new(entry, 44_100, each.clone(), 64);
        let mut by_constant = by_block.clone();
        by_constant.sizes = Sizes::Constant(34 * channels as u32);
        let mut by_frame = Mp4 { samples: vec![sound.clone()], indexed: 1, ticks: vec![frames], ..by_block.clone() };
        (by_frame.sizes, by_frame.counted) = (Sizes::Constant(1), Some(frames));
        for (name, bytes) in [
            ("AIFF-C", aifc(count, blocks as u32, &sound)),
            ("AIFF-C that counts frames", aifc(count, frames, &sound)),
            ("AIFF-C that counts nothing", aifc(count, 0, &sound)),
            ("CAF", caf(b"ima4", 44_100.0, channels as u32, [34 * channels as u32, 64], &each)),
            ("MOV of blocks", by_block.bytes()),
            ("MOV of blocks of one size", by_constant.bytes()),
            ("MOV of frames", by_frame.bytes()),
        ] {
            let what = format!("{name} {number}");
            let file = open(&bytes, &what);
            assert!(file.info().warnings.is_empty(), "{what}: {:?}", file.info().warnings);
            assert_eq!((file.info().codec.as_str(), file.info().frames), ("ADPCM (IMA)", u64::from(frames)), "{what}");
            for (got, want) in decode(&file, &what).iter().zip(&want) {
                assert!(got == want, "{what}");
            }
        }
        // The last block may be shortened. Numbers that fit nothing are told.
        assert_eq!(open(&aifc(count, frames - 5, &sound), "shortened").info().frames, u64::from(frames) - 5);
        if blocks > 2 {
            let half = open(&aifc(count, blocks as u32 / 2, &sound), "half");
            assert_eq!(half.info().frames, u64::from(frames));
            warned(half.info(), &[&format!("says {} blocks", blocks / 2), &format!("The {blocks} that")], "half");
            let cut = open(&aifc(count, blocks as u32, &sound)[..54 + 8 + 34 * channels + 9], "cut");
            warned(cut.info(), &["cut off", "64 samples"], "cut");
        }
    }
}

/// Where 24 bits stand in four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Upper,
    Lower,
    Float,
}

#[test]
fn samples_of_24_bits_in_four_bytes_are_found_in_them() {
    let signals: [(&str, fn(usize) -> f64); 7] = [
        ("a tone", |at| (at as f64 * 0.05).sin() * 0.9),
        ("a soft tone", |at| (at as f64 * 0.05).sin() * 0.01),
        ("noise", |at| ((at * 2_654_435_761 / 128) % 65_521) as f64 / 32_761.0 - 1.0),
        ("silence, then a tone", |at| if at < 9000 { 0.0 } else { (at as f64 * 0.2).sin() * 0.5 }),
        ("an impulse", |at| if at == 7000 { -1.0 } else { 0.0 }),
        ("16 bits", |at| ((at as f64 * 0.03).sin() * 32_000.0).round() / 32_768.0),
        ("full scale", |at| if at / 50 % 2 == 0 { 8_388_607.0 / 8_388_608.0 } else { -1.0 }),
    ];
    for (name, signal) in signals {
        let samples: Vec<i32> = (0..20_000).map(|at| (signal(at) * 8_388_608.0).round() as i32).collect();
        let want: Vec<f32> = samples.iter().map(|sample| *sample as f32 / 8_388_608.0).collect();
        for (place, words) in [(Place::Upper, "upper"), (Place::Lower, "lower"), (Place::Float, "floating")] {
            let word = |sample: &i32| match place {
                Place::Upper => sample << 8,
                Place::Lower => *sample,
                Place::Float => (*sample as f32).to_bits().cast_signed(),
            };
            let sound: Vec<u8> = samples.iter().flat_map(|sample| word(sample).to_le_bytes()).collect();
            let format = format(1, 2, 48_000, 8, 24);
            let extended = [
                &[0xfe, 0xff],
                &format[2..],
                &[22, 0, 24, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 16, 0, 128, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71],
            ]
            .concat();
            let data = wave64::chunk(b"data", sound.len() as u64 + 24, &sound);
            let long = wave64::file(&[wave64::chunk(b"fmt ", 40, &format), data].concat(), None);
            for (container, bytes) in [
                ("WAV", wav(&format, &[chunk(b"data", &sound)])),
                ("extensible WAV", wav(&extended, &[chunk(b"data", &sound)])),
                ("Wave64", long),
            ] {
                let what = format!("{name} as {place:?} in {container}");
                let file = open(&bytes, &what);
                warned(file.info(), &["24 bits in 4 bytes", words], &what);
                assert_eq!(file.info().bits, Some(if place == Place::Float { 32 } else { 24 }), "{what}");
                assert!(interleaved(&decode(&file, &what)) == want, "{what}");
            }
        }
    }
}

#[test]
fn quicktime_says_where_24_bits_stand() {
    let samples: Vec<i32> = (0..2000).map(|at| ((at as f64 * 0.07).sin() * 8_000_000.0) as i32).collect();
    let want: Vec<f32> = samples.iter().map(|sample| *sample as f32 / 8_388_608.0).collect();
    // Big-endian, signed, packed, aligned high.
    for flags in [4, 6, 4 | 16, 6 | 16] {
        let fields = [24u32, flags, 8, 1].map(u32::to_be_bytes).concat();
        let fixed = [
            &[0u8; 6][..],
            &[0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 16, 0xff, 0xfe, 0, 0, 0, 1, 0, 0, 0, 0, 0, 72],
            &48_000f64.to_be_bytes(),
            &2u32.to_be_bytes(),
            &0x7f00_0000u32.to_be_bytes(),
            &fields,
        ]
        .concat();
        let stored = |sample: &i32| {
            let word = if flags & 16 == 0 { *sample } else { sample << 8 };
            if flags & 2 == 0 { word.to_le_bytes() } else { word.to_be_bytes() }
        };
        let sound: Vec<u8> = samples.iter().flat_map(stored).collect();
        let file = Mp4::new(boxed(b"lpcm", &fixed), 48_000, vec![sound], 1000);
        let what = format!("flags {flags}");
        assert!(interleaved(&decode(&open(&file.bytes(), &what), &what)) == want, "{what}");
    }
}
