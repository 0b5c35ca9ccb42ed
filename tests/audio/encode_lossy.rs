//! Lossy encoders: exact length, unchanged level, small error, tags and covers preserved, readable by other programs.

use std::error::Error;
use std::f64::consts::TAU;
use std::fs;
use std::path::Path;
use std::process::Command;

use audio::encode::{EncodeSettings, Encoded, Encoder, FileFormat, LossySettings, tag_limits};
use audio::tags::TagText;
use audio::{AudioBuffer, AudioFile, AudioFormat, CoverChange, Picture, TagChanges, Tags};
use base::units::SampleRate;

type Test = Result<(), Box<dyn Error>>;

/// The lossy formats that this system can write. On Linux the tests' set-up installs LAME.
fn formats() -> Vec<FileFormat> {
    let mp3 = FileFormat::Mp3.check_encoder();
    if cfg!(target_os = "linux") {
        mp3.as_ref().expect("LAME, which `npm test` installs");
    }
    let mut formats = vec![FileFormat::Vorbis, FileFormat::Opus];
    match mp3 {
        Ok(()) => formats.push(FileFormat::Mp3),
        Err(error) => eprintln!("SKIPPED for MP3: {error}"),
    }
    formats
}

fn format(rate: u32, channels: usize) -> Result<AudioFormat, Box<dyn Error>> {
    Ok(AudioFormat::new(SampleRate::new(rate)?, channels))
}

/// A music-like signal: tones that start and stop, different in each channel, plus a little noise.
fn music(rate: u32, channels: usize, frames: usize) -> AudioBuffer {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut noise = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f64 / (1u64 << 23) as f64 - 1.0
    };
    let channel = |index: usize, noise: &mut dyn FnMut() -> f64| -> Vec<f32> {
        let base = 220.0 * (1.0 + index as f64 * 0.37);
        (0..frames)
            .map(|frame| {
                let time = frame as f64 / rate as f64;
                let swell = 0.6 + 0.4 * (TAU * 1.3 * time + index as f64).sin();
                let tones: f64 = (1..5).map(|n| (TAU * base * n as f64 * time).sin() / n as f64).sum();
                (0.15 * swell * tones + 0.001 * noise()) as f32
            })
            .collect()
    };
    AudioBuffer::from_channels((0..channels).map(|index| channel(index, &mut noise)).collect())
}

fn write(
    target: &Path,
    settings: &EncodeSettings,
    rate: u32,
    audio: &AudioBuffer,
    piece: usize,
    tags: &Tags,
) -> Result<Encoded, Box<dyn Error>> {
    let mut encoder = Encoder::create_tagged(target, settings, format(rate, audio.channels())?, true, &[], tags)?;
    let mut start = 0;
    while start < audio.frames() {
        let end = (start + piece).min(audio.frames());
        let mut part = AudioBuffer::new(audio.channels(), 0);
        part.extend_from(audio, start..end);
        encoder.write(&part)?;
        start = end;
    }
    Ok(encoder.finish()?)
}

fn settings(format: FileFormat) -> EncodeSettings {
    EncodeSettings { format, ..EncodeSettings::default() }
}

fn read(path: &Path) -> Result<(AudioBuffer, AudioFile), Box<dyn Error>> {
    let file = AudioFile::open(path)?;
    let mut audio = AudioBuffer::default();
    file.reader()?.read(&mut audio, file.info().frames as usize + 10)?;
    Ok((audio, file))
}

fn power(samples: impl Iterator<Item = f64>) -> f64 {
    samples.map(|sample| sample * sample).sum::<f64>()
}

/// Returns the level of `back` relative to `audio`, and the signal-to-error ratio, both in dB.
fn likeness(back: &[f32], audio: &[f32]) -> (f64, f64) {
    let own = power(audio.iter().map(|&sample| sample as f64));
    let other = power(back.iter().map(|&sample| sample as f64));
    let error = power(back.iter().zip(audio).map(|(&a, &b)| a as f64 - b as f64));
    (10.0 * (other / own).log10(), 10.0 * (own / error.max(1e-30)).log10())
}

#[test]
fn length_level_and_sound_come_back() -> Test {
    let folder = tempfile::tempdir()?;
    for kind in formats() {
        for (rate, channels, frames) in
            [(48_000, 2, 100_003), (48_000, 1, 48_000), (44_100, 2, 30_000), (32_000, 1, 12_345), (48_000, 2, 961)]
        {
            if kind.check_rate(SampleRate::new(rate)?).is_err() {
                continue;
            }
            let audio = music(rate, channels, frames);
            let path = folder.path().join(format!("a.{}", kind.extension()));
            let done = write(&path, &settings(kind), rate, &audio, 7777, &Tags::default())?;
            assert_eq!((done.frames, done.clipped, done.warnings.len()), (frames as u64, 0, 0), "{:?}", done.warnings);
            assert_eq!(done.bytes, fs::metadata(&path)?.len());
            let (back, file) = read(&path)?;
            assert!(file.info().warnings.is_empty(), "{:?}", file.info().warnings);
            assert_eq!(file.info().audio, format(rate, channels)?);
            assert_eq!((file.info().frames, back.frames()), (frames as u64, frames), "{kind:?} {rate} {channels}");
            for channel in 0..channels {
                let (level, snr) = likeness(back.channel(channel), audio.channel(channel));
                assert!(level.abs() < 0.5, "{kind:?} {rate} {channels}: {level} dB");
                assert!(snr > 12.0, "{kind:?} {rate} {channels} {frames}: {snr} dB");
            }
        }
    }
    Ok(())
}

#[test]
fn every_length_is_exact_from_nothing_on() -> Test {
    let folder = tempfile::tempdir()?;
    for kind in formats() {
        for frames in [1, 2, 100, 575, 647, 648, 649, 959, 960, 1151, 1152, 1153, 4096, 4097, 47_999, 48_648, 48_649] {
            let audio = music(48_000, 1, frames);
            let path = folder.path().join(format!("{frames}.{}", kind.extension()));
            write(&path, &settings(kind), 48_000, &audio, 1000, &Tags::default())?;
            let (back, file) = read(&path)?;
            assert_eq!((file.info().frames, back.frames()), (frames as u64, frames), "{kind:?}");
            assert!(file.info().warnings.is_empty(), "{kind:?} {frames}: {:?}", file.info().warnings);
        }
        // An empty input also gives a valid file.
        let path = folder.path().join("none");
        let done = write(&path, &settings(kind), 48_000, &AudioBuffer::new(2, 0), 1, &Tags::default())?;
        assert_eq!(done.frames, 0);
        assert!(done.bytes > 0);
    }
    Ok(())
}

#[test]
fn the_file_does_not_depend_on_the_pieces_it_came_in() -> Test {
    let folder = tempfile::tempdir()?;
    let audio = music(48_000, 2, 30_000);
    for kind in formats() {
        let mut files = Vec::new();
        for piece in [30_000, 1, 959, 960, 961, 4096] {
            let path = folder.path().join("pieces");
            write(&path, &settings(kind), 48_000, &audio, piece, &Tags::default())?;
            files.push(fs::read(&path)?);
        }
        assert!(files.windows(2).all(|pair| pair[0] == pair[1]), "{kind:?}");
    }
    Ok(())
}

#[test]
fn more_quality_is_more_bytes_and_less_error() -> Test {
    let folder = tempfile::tempdir()?;
    let audio = music(48_000, 2, 96_000);
    let path = folder.path().join("a");
    let vorbis = |quality| LossySettings { vorbis_quality: quality, ..LossySettings::default() };
    let opus = |kbps| LossySettings { opus_kbps: Some(kbps), ..LossySettings::default() };
    let v = |quality| LossySettings { mp3_quality: quality, ..LossySettings::default() };
    let constant = |kbps| LossySettings { mp3_kbps: Some(kbps), ..LossySettings::default() };
    let rows = [
        (FileFormat::Vorbis, vec![vorbis(-1.0), vorbis(4.0), vorbis(10.0)]),
        (FileFormat::Opus, vec![opus(24), opus(96), opus(256)]),
        (FileFormat::Mp3, vec![v(9), v(4), v(0)]),
        (FileFormat::Mp3, vec![constant(64), constant(128), constant(320)]),
    ];
    for (kind, rows) in rows.into_iter().filter(|(kind, _)| formats().contains(kind)) {
        let mut before = (0, f64::NEG_INFINITY);
        for lossy in rows {
            let settings = EncodeSettings { lossy, ..settings(kind) };
            let bytes = write(&path, &settings, 48_000, &audio, 5000, &Tags::default())?.bytes;
            let (_, snr) = likeness(read(&path)?.0.channel(0), audio.channel(0));
            assert!(bytes > before.0 && snr > before.1, "{lossy:?}: {bytes} bytes, {snr} dB after {before:?}");
            before = (bytes, snr);
        }
    }
    // The bit rate is met: a constrained one closely, within two seconds of audio.
    let lossy = LossySettings { opus_constrained: true, opus_complexity: 0, ..opus(128) };
    let bytes =
        write(&path, &EncodeSettings { lossy, ..settings(FileFormat::Opus) }, 48_000, &audio, 5000, &Tags::default())?
            .bytes;
    assert!((bytes as f64 / 32_000.0 - 1.0).abs() < 0.15, "{bytes}");
    Ok(())
}

#[test]
fn tags_and_covers_of_any_size_come_back() -> Test {
    let folder = tempfile::tempdir()?;
    let mut tags = Tags::default();
    for (key, value) in
        [("TITLE", "Nocturne \u{2014} n\u{b0} 2"), ("ARTIST", "Someone"), ("TRACKNUMBER", "7"), ("MOOD", "calm")]
    {
        tags.items.insert(key.to_owned(), value.into());
    }
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde".to_vec();
    let audio = music(48_000, 2, 20_000);
    for cover in [0, 300, 65_000, 200_000] {
        png.resize(33 + cover, 7);
        if cover > 0 {
            tags.pictures =
                vec![Picture { mime: "image/png".into(), kind: 3, data: png.clone(), ..Picture::default() }];
        }
        for kind in formats() {
            let path = folder.path().join(format!("tagged.{}", kind.extension()));
            let done = write(&path, &settings(kind), 48_000, &audio, 3000, &tags)?;
            assert!(done.warnings.is_empty(), "{:?}", done.warnings);
            let (back, file) = read(&path)?;
            assert_eq!(back.frames(), 20_000, "{kind:?}, cover of {cover}");
            for (key, value) in &tags.items {
                assert_eq!(file.info().tags.items.get(key), Some(value), "{kind:?} {key}");
            }
            assert_eq!(file.info().tags.pictures, tags.pictures);
            assert!(file.info().warnings.is_empty(), "{:?}", file.info().warnings);
        }
    }
    // Tags that cannot be represented are reported.
    tags.items.insert("NO=NAME".into(), "x".into());
    let done = write(&folder.path().join("a.opus"), &settings(FileFormat::Opus), 48_000, &audio, 3000, &tags)?;
    assert!(done.warnings[0].contains("NO=NAME"), "{:?}", done.warnings);
    Ok(())
}

#[test]
fn changed_tags_are_in_every_format() -> Test {
    let folder = tempfile::tempdir()?;
    let png = |byte: u8| {
        let mut data = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde".to_vec();
        data.resize(400, byte);
        Picture { mime: "image/png".into(), kind: 3, data, ..Picture::default() }
    };
    let named = |items: &[(&str, &str)]| items.iter().map(|(key, text)| ((*key).into(), (*text).into())).collect();
    let own = Tags {
        items: named(&[("TITLE", "Old"), ("MOOD", "calm"), ("GENRE", "Pop")]),
        pictures: vec![png(1)],
        ..Tags::default()
    };
    let typed = [
        ("TITLE", "Neu \u{2014} \u{266b}"),
        ("ARTIST", "A. Nyone"),
        ("ALBUM", "Sampler"),
        ("TRACKNUMBER", "3/12"),
        ("DATE", "2024-05-01"),
        ("GENRE", ""),
        ("COMMENT", "made here"),
    ];
    let audio = music(48_000, 2, 5000);
    for kind in formats().into_iter().chain([FileFormat::Wav, FileFormat::Flac]) {
        for cover in [CoverChange::Keep, CoverChange::Remove, CoverChange::Replace(png(2))] {
            let changed =
                TagChanges { items: named(&typed), cover: cover.clone(), ..TagChanges::default() }.apply(&own);
            let path = folder.path().join(format!("changed.{}", kind.extension()));
            let done = write(&path, &settings(kind), 48_000, &audio, 3000, &changed)?;
            assert!(done.warnings.is_empty(), "{:?}", done.warnings);
            let tags = read(&path)?.1.info().tags.clone();
            for (key, text) in typed {
                let expected = Some(text).filter(|text| !text.is_empty());
                let parts = ["TRACKNUMBER", "TRACKTOTAL"].map(|key| tags.items.get(key).map_or("", TagText::as_str));
                // A total may come back as a separate field.
                let whole = key == "TRACKNUMBER" && parts == ["3", "12"];
                assert!(
                    whole || tags.items.get(key).map(TagText::as_str) == expected,
                    "{kind:?} {key}: {:?}",
                    tags.items
                );
            }
            assert_eq!(tags.items.get("MOOD").map(TagText::as_str), Some("calm"), "{kind:?}");
            let expected = match cover {
                CoverChange::Keep => vec![png(1)],
                CoverChange::Remove => Vec::new(),
                CoverChange::Replace(new) => vec![new],
            };
            assert_eq!(tags.pictures, expected, "{kind:?}");
        }
    }
    Ok(())
}

#[test]
fn tags_that_a_format_cannot_hold_are_told_before() -> Test {
    let png = Picture { mime: "image/png".into(), kind: 3, data: vec![7; 100], ..Picture::default() };
    let mut tags = Tags { pictures: vec![png], ..Tags::default() };
    tags.items.insert("TITLE".into(), "A".into());
    assert!(tag_limits(FileFormat::Mp3, &tags).is_empty());
    assert!(tag_limits(FileFormat::Opus, &tags).is_empty());
    let wav = tag_limits(FileFormat::Wav, &tags).join(" ");
    assert!(wav.contains("the cover") && !wav.contains("TITLE"), "{wav}");
    tags.items.insert("NO=NAME".into(), "x".into());
    for format in [FileFormat::Flac, FileFormat::Vorbis, FileFormat::Opus] {
        let told = tag_limits(format, &tags).join(" ");
        assert!(told.contains("NO=NAME"), "{format:?}: {told}");
    }
    tags.pictures[0].data.resize(17 << 20, 0);
    assert!(tag_limits(FileFormat::Flac, &tags).join(" ").contains("16 MiB"));
    Ok(())
}

#[test]
fn what_is_no_sound_does_not_break_an_encoder() -> Test {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("odd");
    for kind in formats() {
        for (name, value) in [("silence", 0.0), ("constant", 1.0), ("tiny", 1e-40), ("huge", 1e30)] {
            let audio = AudioBuffer::from_channels(vec![vec![value; 20_000]; 2]);
            let done = write(&path, &settings(kind), 48_000, &audio, 999, &Tags::default())?;
            assert_eq!(done.clipped, 0, "what is coded is clipped by who decodes it");
            assert_eq!(
                done.warnings.iter().any(|told| told.contains("over full scale")),
                value > 1.0,
                "{kind:?} {name}"
            );
            let (back, _) = read(&path)?;
            assert!(back.iter().flatten().all(|sample| sample.is_finite()), "{kind:?} {name}");
            if value.abs() < 1e-30 {
                assert!(back.iter().flatten().all(|sample| sample.abs() < 1e-3), "{kind:?} {name}");
            }
        }
        let mut audio = music(48_000, 2, 20_000);
        audio.channel_mut(1)[10_000..10_010].fill(f32::NAN);
        audio.channel_mut(0)[11_000] = f32::INFINITY;
        let done = write(&path, &settings(kind), 48_000, &audio, 999, &Tags::default())?;
        assert!(done.warnings[0].contains("10 samples were not numbers"), "{:?}", done.warnings);
        let (back, _) = read(&path)?;
        let (level, _) = likeness(&back.channel(1)[12_000..], &audio.channel(1)[12_000..]);
        assert!(level.abs() < 0.5, "{kind:?}: {level}");
    }
    Ok(())
}

#[test]
fn settings_and_streams_that_a_format_does_not_have_are_refused() -> Test {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("refused");
    let create = |kind, lossy, rate, channels| -> Result<String, Box<dyn Error>> {
        let settings = EncodeSettings { lossy, ..settings(kind) };
        let made = Encoder::create(&path, &settings, format(rate, channels)?, true, &[]);
        Ok(made.err().map(|error| error.to_string()).unwrap_or_default())
    };
    let usual = LossySettings::default();
    assert!(create(FileFormat::Opus, usual, 44_100, 2)?.contains("48000 Hz"));
    assert!(create(FileFormat::Vorbis, usual, 4000, 2)?.contains("8000"));
    assert!(create(FileFormat::Vorbis, usual, 48_000, 9)?.contains("channels"));
    let loud = LossySettings { vorbis_quality: 10.5, ..usual };
    assert!(create(FileFormat::Vorbis, loud, 48_000, 2)?.contains("-1 to 10"));
    let nan = LossySettings { vorbis_quality: f64::NAN, ..usual };
    assert!(create(FileFormat::Vorbis, nan, 48_000, 2)?.contains("-1 to 10"));
    let few = LossySettings { opus_kbps: Some(5), ..usual };
    assert!(create(FileFormat::Opus, few, 48_000, 2)?.contains("12 to 512"));
    let mp3 = create(FileFormat::Mp3, usual, 48_000, 6)?;
    assert!(mp3.contains("channels"), "{mp3}");
    let slow = LossySettings { mp3_kbps: Some(100), ..usual };
    assert!(create(FileFormat::Mp3, slow, 44_100, 2)?.contains("96, 112"));
    assert_eq!(fs::read_dir(folder.path())?.count(), 0);
    Ok(())
}

/// Returns ffmpeg's decoding of a file, as floats per channel in WAV order; `None` if ffmpeg is not installed.
fn by_ffmpeg(path: &Path, channels: usize) -> Option<Vec<Vec<f32>>> {
    let run = Command::new("ffmpeg").args(["-v", "error", "-i"]).arg(path).args(["-f", "f32le", "-"]).output().ok()?;
    assert!(run.status.success() && run.stderr.is_empty(), "{}", String::from_utf8_lossy(&run.stderr));
    let samples: Vec<f32> = run.stdout.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    Some((0..channels).map(|channel| samples.iter().skip(channel).step_by(channels).copied().collect()).collect())
}

#[test]
fn another_decoder_reads_the_same_sound() -> Test {
    let folder = tempfile::tempdir()?;
    for kind in formats() {
        let frames = 60_001;
        let audio = music(48_000, 2, frames);
        let path = folder.path().join(format!("a.{}", kind.extension()));
        write(&path, &settings(kind), 48_000, &audio, 5000, &Tags::default())?;
        let Some(theirs) = by_ffmpeg(&path, 2) else { return Ok(()) };
        let (ours, _) = read(&path)?;
        for channel in 0..2 {
            assert_eq!(theirs[channel].len(), frames, "{kind:?}");
            let (_, snr) = likeness(&theirs[channel], ours.channel(channel));
            assert!(snr > 60.0, "{kind:?}: {snr} dB");
        }
    }
    Ok(())
}

#[test]
fn every_channel_stays_at_its_place() -> Test {
    let folder = tempfile::tempdir()?;
    for kind in [FileFormat::Vorbis, FileFormat::Opus] {
        for channels in 3..=8 {
            // A different tone in each channel; a low one in the subwoofer channel.
            let tone = |channel: usize| -> Vec<f32> {
                let low = channels >= 6 && channel == 3;
                let hertz = if low { 60.0 } else { 300.0 + 130.0 * channel as f64 };
                (0..40_000).map(|frame| (0.3 * (TAU * hertz * frame as f64 / 48_000.0).sin()) as f32).collect()
            };
            let audio = AudioBuffer::from_channels((0..channels).map(tone).collect());
            let path = folder.path().join(format!("{channels}.{}", kind.extension()));
            write(&path, &settings(kind), 48_000, &audio, 5000, &Tags::default())?;
            let (ours, file) = read(&path)?;
            assert_eq!((file.info().audio.channels, ours.frames()), (channels, 40_000), "{kind:?}");
            // A read from the middle equals a straight read.
            let mut later = AudioBuffer::default();
            let mut reader = file.reader()?;
            reader.seek(30_000)?;
            reader.read(&mut later, 5000)?;
            let theirs = by_ffmpeg(&path, channels);
            for channel in 0..channels {
                let own = ours.channel(channel);
                let (_, snr) = likeness(later.channel(channel), &own[30_000..35_000]);
                assert!(snr > 60.0, "{kind:?}, {channel} of {channels}, after a seek: {snr} dB");
                let (level, snr) = likeness(&own[4000..36_000], &audio.channel(channel)[4000..36_000]);
                let (most_off, least) = if channels >= 6 && channel == 3 { (2.5, 10.0) } else { (0.5, 15.0) };
                assert!(
                    level.abs() < most_off && snr > least,
                    "{kind:?}, {channel} of {channels}: {level} dB, {snr} dB"
                );
                let Some(theirs) = &theirs else { continue };
                let (_, snr) = likeness(own, &theirs[channel]);
                // With three or more channels, Vorbis decoders differ by as much as the codec's error.
                let least = if kind == FileFormat::Vorbis { 15.0 } else { 60.0 };
                assert!(snr > least, "{kind:?}, {channel} of {channels}, against another decoder: {snr} dB");
                assert_eq!(theirs[channel].len(), 40_000, "{kind:?} {channels}");
                let (level, snr) = likeness(&theirs[channel][4000..36_000], &audio.channel(channel)[4000..36_000]);
                // libvorbis uses few bits for the subwoofer channel.
                let (most_off, least) = if channels >= 6 && channel == 3 { (2.5, 10.0) } else { (0.5, 15.0) };
                let fits = level.abs() < most_off && snr > least;
                assert!(fits, "{kind:?}, {channel} of {channels}: {level} dB, {snr} dB");
            }
        }
    }
    Ok(())
}
