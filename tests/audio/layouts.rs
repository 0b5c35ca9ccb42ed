//! Speaker layouts from the reader to the writer.

use std::path::Path;

use audio::encode::{EncodeSettings, Encoder, FileFormat, SampleFormat};
use audio::tags::{EditedTag, TagFormat, edit};
use audio::{AudioBuffer, AudioFile, AudioFormat, Layout};
use base::Error;
use base::units::SampleRate;

/// The layouts of every number of channels that a format knows, and one without a name. Masks as in WAVE files.
const LAYOUTS: [(&str, u32); 26] = [
    ("mono", 0x4),
    ("stereo", 0x3),
    ("2.1", 0xb),
    ("3.0", 0x7),
    ("3.0(back)", 0x103),
    ("4.0", 0x107),
    ("quad", 0x33),
    ("quad(side)", 0x603),
    ("3.1", 0xf),
    ("5.0", 0x37),
    ("5.0(side)", 0x607),
    ("4.1", 0x10f),
    ("5.1", 0x3f),
    ("5.1(side)", 0x60f),
    ("6.0", 0x707),
    ("hexagonal", 0x137),
    ("6.1", 0x70f),
    ("6.1(back)", 0x13f),
    ("7.0", 0x637),
    ("7.1", 0x63f),
    ("7.1(wide)", 0xff),
    ("7.1(wide-side)", 0x6cf),
    ("octagonal", 0x737),
    ("7.1.4", 0x2_d63f),
    ("FL+LFE", 0x9),
    ("FL+FR+TC", 0x803),
];
const RATE: u32 = 48_000;

fn format(mask: u32) -> AudioFormat {
    let layout = Layout::from_mask(mask).unwrap();
    AudioFormat::new(SampleRate::new(RATE).unwrap(), layout.channels()).with_layout(Some(layout))
}

/// The frequency of a channel's tone, which no other channel has.
fn hz(channel: usize) -> f64 {
    50.0 + 50.0 * channel as f64
}

fn tones(channels: usize) -> AudioBuffer {
    let tone = |channel| {
        let step = hz(channel) * std::f64::consts::TAU / f64::from(RATE);
        (0..RATE / 4).map(|n| (0.25 * (f64::from(n) * step).sin()) as f32).collect()
    };
    AudioBuffer::from_channels((0..channels).map(tone).collect())
}

/// The channel whose tone is strongest in these samples.
fn strongest(samples: &[f32], channels: usize) -> usize {
    let energy = |channel: &usize| {
        let step = hz(*channel) * std::f64::consts::TAU / f64::from(RATE);
        let sum = |part: fn(f64) -> f64| -> f64 {
            samples.iter().enumerate().map(|(n, x)| f64::from(*x) * part(n as f64 * step)).sum()
        };
        sum(f64::sin).hypot(sum(f64::cos))
    };
    (0..channels).max_by(|a, b| energy(a).total_cmp(&energy(b))).unwrap()
}

fn read(path: &Path) -> (AudioFormat, AudioBuffer) {
    let file = AudioFile::open(path).unwrap();
    let (mut reader, mut audio) = (file.reader().unwrap(), AudioBuffer::default());
    assert_eq!(reader.format(), file.info().audio);
    reader.read(&mut audio, usize::MAX).unwrap();
    (file.info().audio, audio)
}

/// Reads a file that is held in memory.
fn opened(bytes: Vec<u8>, name: &str) -> (Option<String>, AudioBuffer) {
    let file = AudioFile::from_bytes(bytes, Path::new(name)).unwrap();
    let (mut reader, mut audio) = (file.reader().unwrap(), AudioBuffer::default());
    reader.read(&mut audio, usize::MAX).unwrap();
    (file.info().audio.layout().map(|layout| layout.to_string()), audio)
}

#[test]
fn every_format_keeps_every_layout_or_refuses_it() {
    let folder = tempfile::tempdir().unwrap();
    let (mut kept, mut renamed, mut refused) = (0, 0, 0);
    for (name, mask) in LAYOUTS {
        let given = format(mask);
        assert_eq!(given.channels_in_words(), name);
        let audio = tones(given.channels);
        for kind in FileFormat::ALL.into_iter().filter(|kind| kind.check_encoder().is_ok()) {
            let path = folder.path().join(format!("{mask:x}.{}", kind.extension()));
            let settings = EncodeSettings { format: kind, sample: SampleFormat::Int24, ..EncodeSettings::default() };
            let case = format!("{name} in {kind:?}");
            let mut encoder = match Encoder::create(&path, &settings, given, false, &[]) {
                Ok(encoder) => encoder,
                Err(Error::Unsupported { what, reason }) => {
                    assert!(what.contains(name) && reason.contains("downmix") && kind.is_lossy(), "{case}: {what}");
                    assert!(!path.exists(), "{case}");
                    refused += 1;
                    continue;
                }
                Err(Error::Limit { .. }) => {
                    assert!(given.channels > if kind == FileFormat::Mp3 { 2 } else { 8 }, "{case}");
                    refused += 1;
                    continue;
                }
                Err(error) => panic!("{case}: {error}"),
            };
            encoder.write(&audio).unwrap();
            let warnings = encoder.finish().unwrap().warnings;
            let (got, heard) = read(&path);
            if got == given {
                assert!(warnings.is_empty(), "{case}: {warnings:?}");
                kept += 1;
            } else {
                let becomes = got.channels_in_words();
                assert!(kind.is_lossy() && name == format!("{becomes}(side)"), "{case}: {becomes}");
                assert!(warnings.concat().contains(&format!("{name} becomes {becomes}")), "{case}: {warnings:?}");
                renamed += 1;
            }
            for (channel, samples) in heard.iter().enumerate() {
                assert_eq!(strongest(samples, given.channels), channel, "{case}");
                if !kind.is_lossy() {
                    let worst = samples.iter().zip(audio.channel(channel)).map(|(a, b)| (a - b).abs());
                    assert!(worst.fold(0.0, f32::max) < 3e-7, "{case}");
                }
            }
        }
    }
    println!("{kept} kept, {renamed} with sides as the rear, {refused} refused");
    assert!(kept >= 2 * LAYOUTS.len() - 1 && renamed >= 3 && refused > 10);
}

#[test]
fn flac_states_other_layouts_by_the_comment() {
    let folder = tempfile::tempdir().unwrap();
    for (mask, comment) in
        [(0x4, ""), (0x33, ""), (0x60f, ""), (0xb, "0x000B"), (0x107, "0x0107"), (0x3f, "0x003F"), (0x603, "0x0603")]
    {
        let path = folder.path().join(format!("{mask:x}.flac"));
        let settings = EncodeSettings { format: FileFormat::Flac, ..EncodeSettings::default() };
        let mut encoder = Encoder::create(&path, &settings, format(mask), false, &[]).unwrap();
        encoder.write(&tones(format(mask).channels)).unwrap();
        encoder.finish().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let key = b"WAVEFORMATEXTENSIBLE_CHANNEL_MASK=";
        let found = bytes.windows(key.len()).position(|part| part == key);
        let said = found.map_or(&b""[..], |at| &bytes[at + key.len()..][..6]);
        assert_eq!(String::from_utf8_lossy(said), comment, "{mask:#x}");
        // It is about the channels, not a tag that other files should get.
        assert!(AudioFile::open(&path).unwrap().info().tags.items.is_empty());
        // Other tags are written beside it.
        edit(&path, TagFormat::Flac, &[(EditedTag::Bpm, "120".into())]).unwrap();
        let info = AudioFile::open(&path).unwrap().info().clone();
        assert_eq!((info.audio, info.tags.items.len()), (format(mask), 1), "{mask:#x}");
        if let Some(found) = found {
            // The number may be decimal; one for another number of channels is ignored.
            for (text, wanted) in [(format!("{mask:06}"), mask), ("0x0fff".into(), 0), ("nonsen".into(), 0)] {
                let at = found + key.len();
                let mut bytes = bytes.clone();
                bytes[at..at + 6].copy_from_slice(&text.as_bytes()[..6]);
                // Without the comment six channels have sides, as flac and FFmpeg say.
                let usual = if mask == 0x3f { Layout::from_mask(0x60f) } else { Layout::usual(format(mask).channels) };
                let usual = usual.unwrap();
                let wanted = Layout::from_mask(wanted).unwrap_or(usual);
                assert_eq!(opened(bytes, "x.flac").0.unwrap(), wanted.to_string(), "{text}");
            }
        }
    }
}

/// The `fmt ` chunk of 16-bit PCM, extensible with a mask.
fn wav(channels: u16, mask: Option<u32>) -> Vec<u8> {
    let (align, size) = (channels * 2, if mask.is_some() { 40u32 } else { 16 });
    let mut bytes = [b"RIFF\0\0\0\0WAVEfmt ", &size.to_le_bytes()[..]].concat();
    for word in [if mask.is_some() { 0xfffe } else { 1u16 }, channels] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(RATE.to_le_bytes());
    bytes.extend((RATE * u32::from(align)).to_le_bytes());
    bytes.extend(align.to_le_bytes());
    bytes.extend(16u16.to_le_bytes());
    if let Some(mask) = mask {
        bytes.extend([22, 0, 16, 0]);
        bytes.extend(mask.to_le_bytes());
        bytes.extend(b"\x01\0\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71");
    }
    bytes.extend(b"data");
    bytes.extend(u32::from(align).to_le_bytes());
    bytes.extend((0..channels).flat_map(|channel| (channel * 1000).to_le_bytes()));
    bytes
}

#[test]
fn a_wav_states_its_layout_by_the_mask() {
    for (channels, mask, wanted) in [
        (3, Some(0xb), Some("2.1")),
        (4, Some(0x107), Some("4.0")),
        (4, Some(0xf), Some("3.1")),
        (8, Some(0xff), Some("7.1(wide)")),
        (1, Some(0x8), Some("LFE")),
        (1, Some(0), Some("mono")),
        (2, None, Some("stereo")),
        // The layout is missing, contradicts the number of channels, or is not defined.
        (3, None, None),
        (4, Some(0), None),
        (4, Some(0x7), None),
        (3, Some(0x107), None),
        (3, Some(0x8000_0003), None),
    ] {
        let (layout, audio) = opened(wav(channels, mask), "x.wav");
        assert_eq!(layout.as_deref(), wanted, "{channels} channels, {mask:x?}");
        assert_eq!(audio.channels(), usize::from(channels));
    }
}

/// A chunk of Core Audio's channel layouts.
fn chan(tag: u32, bitmap: u32, labels: &[u32]) -> Vec<u8> {
    let described = labels.iter().flat_map(|label| [&label.to_be_bytes()[..], &[0; 16]].concat());
    let head = [tag, bitmap, labels.len() as u32].into_iter().flat_map(u32::to_be_bytes);
    head.chain(described).collect()
}

fn caf(channels: u32, layout: &[u8]) -> Vec<u8> {
    let chunk = |name: &[u8; 4], body: &[u8]| [&name[..], &(body.len() as u64).to_be_bytes(), body].concat();
    let mut described = f64::from(RATE).to_be_bytes().to_vec();
    described.extend(b"lpcm\0\0\0\0");
    described.extend([2 * channels, 1, channels, 16].into_iter().flat_map(u32::to_be_bytes));
    let samples: Vec<u8> = (0..channels as u16).flat_map(|channel| (channel * 1000).to_be_bytes()).collect();
    let data = [&[0; 4][..], &samples].concat();
    [b"caff\0\x01\0\0".to_vec(), chunk(b"desc", &described), chunk(b"chan", layout), chunk(b"data", &data)].concat()
}

fn aiff(channels: u16, layout: &[u8]) -> Vec<u8> {
    let chunk = |name: &[u8; 4], body: &[u8]| [&name[..], &(body.len() as u32).to_be_bytes(), body].concat();
    let mut common = channels.to_be_bytes().to_vec();
    common.extend(b"\0\0\0\x01\0\x10\x40\x0e\xbb\x80\0\0\0\0\0\0");
    let samples: Vec<u8> = (0..channels).flat_map(|channel| (channel * 1000).to_be_bytes()).collect();
    let sound = [&[0; 8][..], &samples].concat();
    let body = [chunk(b"COMM", &common), chunk(b"CHAN", layout), chunk(b"SSND", &sound)].concat();
    [b"FORM".to_vec(), (body.len() as u32 + 4).to_be_bytes().to_vec(), b"AIFF".to_vec(), body].concat()
}

#[test]
fn caf_and_aiff_give_the_channels_in_the_order_of_wave_files() {
    for (channels, layout, wanted, order) in [
        (3, chan(133 << 16 | 3, 0, &[]), Some("2.1"), vec![0, 1, 2]),
        (3, chan(114 << 16 | 3, 0, &[]), Some("3.0"), vec![1, 2, 0]),
        (5, chan(1 << 16, 0x10f, &[]), Some("4.1"), vec![0, 1, 2, 3, 4]),
        (6, chan(124 << 16 | 6, 0, &[]), Some("5.1(side)"), vec![1, 2, 0, 5, 3, 4]),
        (6, chan(122 << 16 | 6, 0, &[]), Some("5.1(side)"), vec![0, 1, 4, 5, 2, 3]),
        (8, chan(128 << 16 | 8, 0, &[]), Some("7.1"), vec![0, 1, 2, 3, 6, 7, 4, 5]),
        (4, chan(0, 0, &[3, 1, 2, 4]), Some("3.1"), vec![1, 2, 0, 3]),
        // A layout that does not fit is ignored.
        (4, chan(0, 0, &[1, 1, 2, 3]), None, vec![0, 1, 2, 3]),
        (3, chan(124 << 16 | 6, 0, &[]), None, vec![0, 1, 2]),
        (3, vec![0, 1], None, vec![0, 1, 2]),
    ] {
        for (kind, bytes) in [("CAF", caf(channels, &layout)), ("AIFF", aiff(channels as u16, &layout))] {
            let (found, audio) = opened(bytes, "x");
            assert_eq!(found.as_deref(), wanted, "{kind} of {channels} channels");
            let places: Vec<usize> = audio.iter().map(|samples| (samples[0] * 32.768).round() as usize).collect();
            assert_eq!(places, order, "{kind}, {wanted:?}");
        }
    }
}

#[test]
fn what_is_joined_to_a_recording_has_its_layout() {
    let folder = tempfile::tempdir().unwrap();
    for (kind, mask, wanted) in
        [(FileFormat::Flac, 0xb, "2.1"), (FileFormat::Opus, 0x3f, "5.1"), (FileFormat::Vorbis, 0x33, "quad")]
    {
        let path = folder.path().join(format!("part.{}", kind.extension()));
        let settings = EncodeSettings { format: kind, ..EncodeSettings::default() };
        let mut encoder = Encoder::create(&path, &settings, format(mask), false, &[]).unwrap();
        encoder.write(&tones(format(mask).channels)).unwrap();
        encoder.finish().unwrap();
        let part = std::fs::read(path).unwrap();
        let alone = opened(part.clone(), "x").1.frames();
        let (layout, audio) = opened([part.clone(), part].concat(), "x");
        assert_eq!((layout.as_deref(), audio.frames()), (Some(wanted), 2 * alone), "{kind:?}");
        for (channel, samples) in audio.iter().enumerate() {
            for half in [&samples[..alone], &samples[alone..]] {
                assert_eq!(strongest(half, audio.channels()), channel, "{kind:?}, {wanted}");
            }
        }
    }
}
