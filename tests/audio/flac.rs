//! FLAC of any legal combination of features, of old and odd numbering, cut, joined and damaged.

use std::path::Path;
use std::process::Command;

use crate::support::flac::{Format, Numbers, Stream, crc16, format, frame, stream};
use crate::support::opening::random;
use audio::{AudioBuffer, AudioFile, AudioFormat, ChannelMix, Damage};

/// The number of random streams. `UNDERTONE_FLAC_STREAMS` makes it larger, for the long run.
fn rounds() -> u64 {
    std::env::var("UNDERTONE_FLAC_STREAMS").map_or(300, |count| count.parse().unwrap())
}

fn open(bytes: Vec<u8>) -> AudioFile {
    AudioFile::from_bytes(bytes, Path::new("made.flac")).unwrap_or_else(|error| panic!("{error}"))
}

fn read_all(file: &AudioFile) -> (AudioBuffer, Damage) {
    let mut reader = file.reader().unwrap();
    let (mut all, mut part) = (AudioBuffer::new(file.info().audio.channels, 0), AudioBuffer::default());
    loop {
        reader.read(&mut part, 5000).unwrap();
        if part.is_empty() {
            return (all, reader.damage());
        }
        all.extend_from(&part, 0..part.frames());
    }
}

/// Asserts that frames `from..` of `got` are the stream.
fn assert_equal(got: &AudioBuffer, from: usize, made: &Stream, what: &str) {
    for channel in 0..got.channels() {
        for frame in 0..made.length().min(got.frames() - from) {
            let (got, expected) = (got.channel(channel)[from + frame], made.float(channel, frame));
            assert_eq!(got, expected, "{what}: channel {channel}, frame {frame}");
        }
    }
}

fn plain(blocks: usize, seed: u64) -> Stream {
    let format = Format { rate_hz: 44_100, channels: 2, bits: 16, numbers: Numbers::Fixed, begins: 0 };
    stream(format, blocks, &mut random(seed))
}

#[test]
fn any_legal_stream_is_decoded_exactly() {
    for seed in 0..rounds() {
        let mut random = random(seed + 1);
        let mut format = format(&mut random);
        if seed % 10 == 0 {
            format.numbers = [Numbers::OldSamples, Numbers::OldFrames][seed as usize / 10 % 2];
        }
        let made = stream(format, 1 + random() as usize % 9, &mut random);
        let what = format!("seed {seed}, {format:?}");
        let file = open(made.bytes());
        assert_eq!((file.info().frames, file.info().bits), (made.length() as u64, Some(format.bits)), "{what}");
        // More than 24 bits give a warning.
        assert_eq!(file.info().warnings.len(), usize::from(format.bits > 24), "{what}: {:?}", file.info().warnings);
        let (got, damage) = read_all(&file);
        assert!(damage.is_empty(), "{what}: {damage:?}");
        assert_equal(&got, 0, &made, &what);
        let (mut reader, mut part) = (file.reader().unwrap(), AudioBuffer::default());
        for _ in 0..5 {
            let at = random() as usize % made.length();
            reader.seek(at as u64).unwrap();
            reader.read(&mut part, 100).unwrap();
            for channel in 0..part.channels() {
                assert_eq!(part.channel(channel), &got.channel(channel)[at..at + part.frames()], "{what} from {at}");
            }
        }
    }
}

/// The streams of the test above are what libFLAC decodes to the same samples: it compares their MD5.
#[test]
fn libflac_agrees_on_the_streams_of_the_grammar() {
    if Command::new("flac").arg("--version").output().is_err() {
        return println!("SKIPPED: `flac` is not installed, so no second decoder judges the streams");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.flac");
    for seed in 0..rounds() / 6 {
        let mut random = random(seed + 1);
        let format = format(&mut random);
        let made = stream(format, 1 + random() as usize % 9, &mut random);
        std::fs::write(&path, made.bytes()).unwrap();
        let output = Command::new("flac").args(["-t", "-s"]).arg(&path).output().unwrap();
        assert!(output.status.success(), "seed {seed}, {format:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn the_difference_of_two_channels_of_32_bits_has_33() {
    let format = Format { rate_hz: 48_000, channels: 2, bits: 32, numbers: Numbers::Fixed, begins: 0 };
    let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
    let channels =
        [[least, most, 0, -1, least, most, 12_345, 1 << 30], [most, least, -1, 0, least, most, -54_321, -(1 << 30)]];
    for seed in 0..60 {
        let made = stream(format, 2, &mut random(seed));
        let bytes = frame(&format, &[&channels[0], &channels[1]], 0, &mut random(seed));
        let info = made.info_with_total(8);
        let file = open([b"fLaC\x80\0\0\x22", &info[..18], &[0; 16], &bytes[..]].concat());
        let (got, damage) = read_all(&file);
        assert!(damage.is_empty(), "{damage:?}");
        for (channel, expected) in channels.iter().enumerate() {
            let expected: Vec<f32> = expected.iter().map(|sample| *sample as f32 / 2_147_483_648.0).collect();
            assert_eq!(got.channel(channel), expected, "seed {seed}, channel {channel}");
        }
    }
}

#[test]
fn parts_of_a_longer_recording_begin_where_they_begin() {
    for (begins, numbers) in [(1, Numbers::Fixed), (100, Numbers::Fixed), (54_321, Numbers::Variable)] {
        let format = Format { numbers, begins, ..plain(1, 1).format };
        let made = stream(format, 9, &mut random(begins));
        let length = made.length() as u64;
        // The header states the length of the part, no length, or still the length of the whole.
        for total in [length, 0, length + 400_000] {
            let file = open(made.bytes_with(&made.info_with_total(total)));
            let what = format!("{numbers:?} from {begins}, {total} of {length}");
            assert_eq!(file.info().frames, length, "{what}");
            let told = file.info().warnings.join(" ");
            assert_eq!(told.contains(&total.to_string()), total > length, "{what}: {told}");
            let (got, damage) = read_all(&file);
            assert!(damage.is_empty(), "{what}: {damage:?}");
            assert_equal(&got, 0, &made, &what);
        }
    }
}

#[test]
fn a_wrong_total_makes_no_recording_shorter() {
    let made = plain(8, 3);
    let total = made.length() as u64 / 2;
    let file = open(made.bytes_with(&made.info_with_total(total)));
    assert_eq!(file.info().frames, made.length() as u64);
    assert!(file.info().warnings[0].contains(&format!("{total} samples")), "{:?}", file.info().warnings);
    let (got, damage) = read_all(&file);
    assert!(damage.is_empty(), "{damage:?}");
    assert_equal(&got, 0, &made, "total");
}

#[test]
fn joined_recordings_play_on() {
    // Also of the same length, so that neither the last number nor the total reveals it.
    for (first, second) in [(9, 9), (9, 3), (3, 9), (12, 1)] {
        let (one, two) = (plain(first, 5), plain(second, if first == second { 5 } else { 6 }));
        let file = open([one.bytes(), two.bytes()].concat());
        let what = format!("{first} and {second} blocks");
        assert_eq!(file.info().frames as usize, one.length() + two.length(), "{what}");
        assert!(file.info().warnings.iter().any(|told| told.contains("2 FLAC recordings")), "{what}");
        let (got, damage) = read_all(&file);
        assert!(damage.is_empty(), "{what}: {damage:?}");
        assert_equal(&got, 0, &one, &what);
        assert_equal(&got, one.length(), &two, &what);
    }
    // Another depth is played, another rate is left out with a warning.
    let one = plain(5, 7);
    // Only frames that state their bit depth can be told from frames of the first recording.
    let states_bits = |made: &Stream| made.frames.iter().all(|(bytes, _)| bytes[3] >> 1 & 7 != 0);
    let deep = (0..1000)
        .map(|seed| stream(Format { bits: 24, ..one.format }, 4, &mut random(seed)))
        .find(states_bits)
        .unwrap();
    let fast = stream(Format { rate_hz: 96_000, ..one.format }, 4, &mut random(9));
    let file = open([one.bytes(), fast.bytes(), deep.bytes()].concat());
    let told = file.info().warnings.join(" ");
    let seconds = format!("{:.3} s", fast.length() as f64 / 96_000.0);
    assert!(
        told.contains("3 FLAC recordings") && told.contains(&seconds) && !told.contains("cut off"),
        "{seconds}: {told}"
    );
    let (got, damage) = read_all(&file);
    assert!(damage.is_empty(), "{damage:?}");
    assert_equal(&got, 0, &one, "first");
    let last = AudioBuffer::from_channels(got.iter().map(|channel| channel[one.length()..].to_vec()).collect());
    assert_equal(&last, 0, &deep, "24 bits");
}

#[test]
fn what_stands_behind_the_audio_is_padding_or_told() {
    let made = plain(6, 11);
    let expect = |behind: &[u8], told: Option<&str>| {
        let file = open([&made.bytes(), behind].concat());
        assert_eq!(file.info().frames as usize, made.length());
        match told {
            None => assert!(file.info().warnings.is_empty(), "{:?}", file.info().warnings),
            Some(told) => assert!(file.info().warnings.join(" ").contains(told), "{:?}", file.info().warnings),
        }
        let (got, damage) = read_all(&file);
        assert!(damage.is_empty(), "{damage:?}");
        assert_equal(&got, 0, &made, "before what stands behind");
    };
    expect(&[0; 100_000], None);
    expect(&[b"TAG".as_slice(), &[0; 125]].concat(), None);
    expect(&[0x55; 1234], Some("1234 bytes"));
    expect(&[0x55; 123_456], Some("123456 bytes"));
}

#[test]
fn a_file_without_frames_is_an_empty_recording() {
    let made = plain(1, 1);
    let head = [b"fLaC\x80\0\0\x22", &made.info_with_total(0)[..]].concat();
    let file = open(head.clone());
    assert_eq!(file.info().frames, 0);
    assert!(file.info().warnings.is_empty() && read_all(&file).0.is_empty());
    // It says that there is something: then it is cut off, and cannot be opened.
    let cut = [b"fLaC\x80\0\0\x22", &made.info[..]].concat();
    assert!(AudioFile::from_bytes(cut, Path::new("cut.flac")).is_err());
}

#[test]
fn a_checksum_of_the_whole_is_compared() {
    let made = plain(6, 13);
    let mut info = made.info.clone();
    info[33] ^= 1;
    let file = open(made.bytes_with(&info));
    let (_, damage) = read_all(&file);
    assert!(damage.breaks_checksum() && damage.ranges().is_empty(), "{damage:?}");
    // A part alone does not reveal the whole.
    let (mut reader, mut part) = (file.reader().unwrap(), AudioBuffer::default());
    reader.seek(made.length() as u64 / 2).unwrap();
    reader.read(&mut part, made.length()).unwrap();
    assert!(reader.damage().is_empty());
}

#[test]
fn samples_beyond_their_bits_are_silent_and_told() {
    let made = plain(3, 17);
    let block = made.frames[1].1;
    // A frame of 16 bits with correct checksums: the first sample at full scale, then differences that go beyond.
    let mut bits = crate::support::flac::Bits(Vec::new(), 0);
    for _ in 0..2 {
        bits.put(9, 7);
        bits.put(0, 1);
        bits.put(0x7fff, 16);
        // One partition without a code: 16 bits each.
        bits.put(0, 2);
        bits.put(0, 4);
        bits.put(15, 4);
        bits.put(16, 5);
        (1..block).for_each(|_| bits.put(1, 16));
    }
    let mut bytes = vec![0xff, 0xf8, 7 << 4, 1 << 4, 1];
    bytes.extend((block as u16 - 1).to_be_bytes());
    bytes.push(crate::support::flac::crc8(&bytes));
    bytes.extend(bits.0);
    bytes.extend(crc16(&bytes).to_be_bytes());
    let mut spoiled =
        Stream { frames: made.frames.clone(), info: made.info.clone(), samples: made.samples.clone(), ..made };
    spoiled.frames[1].0 = bytes;
    let file = open(spoiled.bytes());
    let (got, damage) = read_all(&file);
    assert_eq!(damage.ranges(), std::slice::from_ref(&(block as u64..2 * block as u64)));
    assert!(got.iter().all(|channel| channel[block..2 * block].iter().all(|sample| *sample == 0.0)));
}

#[test]
fn a_damaged_frame_takes_no_other_with_it() {
    for numbers in [Numbers::Fixed, Numbers::Variable] {
        let format = Format { numbers, ..plain(1, 1).format };
        let made = stream(format, 9, &mut random(23));
        for spoiled in 0..9 {
            let mut frames = made.frames.clone();
            // The middle of the frame, or its sync code, so that the frame before it has no header behind it.
            for at in [frames[spoiled].0.len() / 2, 0] {
                frames[spoiled].0[at] ^= 0x55;
            }
            let file = open(Stream { frames, info: made.info.clone(), samples: made.samples.clone(), format }.bytes());
            let (got, damage) = read_all(&file);
            let start = made.frames[spoiled].1;
            let end = made.frames.get(spoiled + 1).map_or(made.length(), |(_, start)| *start);
            let expected = if spoiled == 8 { 0..0 } else { start as u64..end as u64 };
            assert_eq!(damage.ranges().first().cloned().unwrap_or(0..0), expected, "{numbers:?}, frame {spoiled}");
            assert_eq!(got.frames(), if spoiled == 8 { start } else { made.length() }, "{numbers:?}, frame {spoiled}");
            for channel in 0..2 {
                for at in (0..got.frames()).filter(|at| !(start..end).contains(at)) {
                    assert_eq!(got.channel(channel)[at], made.float(channel, at), "frame {spoiled}, at {at}");
                }
            }
        }
    }
}

/// Returns a stream whose frames all state their bits.
fn stating_bits(format: Format, seed: u64) -> Stream {
    let states_bits = |made: &Stream| made.frames.iter().all(|(bytes, _)| bytes[3] >> 1 & 7 != 0);
    (1000 * seed..1000 * seed + 1000).map(|seed| stream(format, 4, &mut random(seed))).find(states_bits).unwrap()
}

#[test]
fn frames_of_other_channels_are_converted_and_told() {
    let base = plain(1, 1).format;
    for (seed, (first, second)) in [(1, 2), (2, 1), (2, 6), (6, 2), (3, 1), (2, 8)].into_iter().enumerate() {
        let one = stating_bits(Format { channels: first, ..base }, seed as u64);
        let two = stating_bits(Format { channels: second, ..base }, 100 + seed as u64);
        let third = stating_bits(Format { channels: first, ..base }, 200 + seed as u64);
        let sound = |made: &Stream| {
            let channels =
                (0..made.format.channels).map(|channel| (0..made.length()).map(|at| made.float(channel, at)).collect());
            AudioBuffer::from_channels(channels.collect())
        };
        let frames: Vec<u8> = two.frames.iter().flat_map(|(frame, _)| frame.clone()).collect();
        // With a header of its own or without, and with sound of the first kind behind it.
        for middle in [two.bytes(), frames] {
            let file = open([one.bytes(), middle, third.bytes()].concat());
            let what = format!("{first} and {second} channels");
            assert_eq!(file.info().frames as usize, one.length() + two.length() + third.length(), "{what}");
            let told = file.info().warnings.join(" ");
            let from = format!("from {:.3} s on", one.length() as f64 / 44_100.0);
            let count = if second == 1 { "1 channel ".to_owned() } else { format!("{second} channels ") };
            assert!(told.contains(&from) && told.contains(&count) && !told.contains("left out"), "{what}: {told}");
            let (got, damage) = read_all(&file);
            assert!(damage.is_empty(), "{what}: {damage:?}");
            assert_equal(&got, 0, &one, &what);
            let to = file.info().audio;
            let from = AudioFormat::new(to.rate, second);
            let mut want = AudioBuffer::default();
            ChannelMix::into_recording(from, to).unwrap().apply(&sound(&two), 1.0, &mut want);
            for (got, want) in got.iter().zip(want.iter()) {
                assert!(got[one.length()..one.length() + two.length()] == *want, "{what}: converted");
            }
            let behind = one.length() + two.length();
            let last = AudioBuffer::from_channels(got.iter().map(|channel| channel[behind..].to_vec()).collect());
            assert_equal(&last, 0, &third, &what);
        }
    }
}

#[test]
fn another_depth_and_another_rate_are_told_with_their_place() {
    let base = plain(1, 1).format;
    for (seed, (bits, rate_hz)) in
        [(24, 48_000), (8, 96_000), (20, 8_000), (12, 32_000), (32, 22_050)].into_iter().enumerate()
    {
        let one = stating_bits(base, seed as u64);
        let deep = stating_bits(Format { bits, ..base }, 50 + seed as u64);
        let fast = stating_all(Format { rate_hz, ..base }, seed as u64);
        let file = open([one.bytes(), fast.bytes(), deep.bytes()].concat());
        let told = file.info().warnings.join(" ");
        let place = format!("{:.3} s", one.length() as f64 / 44_100.0);
        let bytes: usize = fast.frames.iter().map(|(frame, _)| frame.len()).sum();
        let begin = one.bytes().len() + fast.bytes().len() - bytes;
        let seconds = fast.length() as f64 / f64::from(rate_hz);
        for words in [
            format!("The samples have {bits} bits from {place} on, and 16 before."),
            format!("The format changes to {rate_hz} Hz, 16 bits at {place} (byte {begin})."),
            format!("{seconds:.3} s of sound ({bytes} bytes)"),
        ] {
            assert!(told.contains(&words), "{words} in {told}");
        }
        assert_eq!(file.info().frames as usize, one.length() + deep.length());
        // A header that counts the first format alone is right. There are more bytes of the other than a frame may have,
        // so that they are read as frames.
        let frames: Vec<u8> = fast.frames.iter().flat_map(|(frame, _)| frame.clone()).collect();
        let times = 1 + (1 << 18) / frames.len();
        let file = open([one.bytes(), frames.repeat(times)].concat());
        let told = file.info().warnings.join(" ");
        let left_out = format!("{:.3} s of sound ({} bytes)", seconds * times as f64, frames.len() * times);
        assert!(told.contains("The format changes to") && told.contains(&left_out), "{left_out} in {told}");
        assert!(!told.contains("The header says"), "{told}");
        assert_eq!(file.info().frames as usize, one.length());
    }
}

/// Returns a stream whose frames all state their rate and bits.
fn stating_all(format: Format, seed: u64) -> Stream {
    (seed..seed + 1000)
        .map(|seed| stating_bits(format, seed))
        .find(|made| made.frames.iter().all(|(bytes, _)| bytes[2] & 15 != 0))
        .unwrap()
}

#[test]
fn frames_decide_where_the_header_says_another_rate_or_other_channels() {
    for (seed, (rate_hz, channels)) in
        [(48_000, 2), (44_100, 1), (8_000, 2), (96_000, 6), (32_000, 1)].into_iter().enumerate()
    {
        let made = stating_all(Format { rate_hz, channels, ..plain(1, 1).format }, seed as u64);
        // The header says 44.1 kHz and two channels, or five.
        for stated in [2u64, 5] {
            let mut info = made.info.clone();
            let packed = 44_100 << 44 | (stated - 1) << 41 | 15 << 36 | made.length() as u64;
            info[10..18].copy_from_slice(&packed.to_be_bytes());
            let (file, what) = (open(made.bytes_with(&info)), format!("{rate_hz} Hz, {channels} of {stated} channels"));
            let (got, damage) = read_all(&file);
            assert_eq!(
                (file.info().audio.rate.hz(), got.channels(), got.frames()),
                (rate_hz, channels, made.length()),
                "{what}"
            );
            assert_equal(&got, 0, &made, &what);
            assert!(damage.ranges().is_empty(), "{what}: {damage:?}");
            let is_other = (rate_hz, channels as u64) != (44_100, stated);
            let told = file.info().warnings.join(" ");
            assert_eq!(told.contains("The header says 44100 Hz and"), is_other, "{what}: {told}");
        }
    }
}
