//! Encoders: the written samples equal the given ones, and no file is harmed.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use audio::encode::{Dither, EncodeSettings, Encoded, Encoder, FileFormat, SampleFormat, UNFINISHED_PREFIX};
use audio::{AudioBuffer, AudioFile, AudioFormat, Picture, Tags};
use base::units::SampleRate;

type Test = Result<(), Box<dyn Error>>;

/// White noise in -1..1.
fn noise(seed: u64, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn noisy(channels: usize, frames: usize) -> AudioBuffer {
    AudioBuffer::from_channels((0..channels).map(|channel| noise(channel as u64 + 1, frames)).collect())
}

/// Values that a file of `bits` bits represents exactly, including both extremes.
fn on_grid(bits: u32, channels: usize, frames: usize) -> AudioBuffer {
    let scale = (1u64 << (bits - 1)) as f32;
    let mut audio = noisy(channels, frames);
    for channel in audio.iter_mut() {
        for (index, sample) in channel.iter_mut().enumerate() {
            let value = (*sample * scale).floor();
            *sample = match index % 101 {
                0 => -1.0,
                1 => (scale - 1.0) / scale,
                2 => 0.0,
                _ => value / scale,
            };
        }
    }
    audio
}

fn format(rate: u32, channels: usize) -> Result<AudioFormat, Box<dyn Error>> {
    Ok(AudioFormat::new(SampleRate::new(rate)?, channels))
}

fn settings(format: FileFormat, sample: SampleFormat, dither: Dither) -> EncodeSettings {
    EncodeSettings { format, sample, dither, seed: 42, ..EncodeSettings::default() }
}

/// Writes `audio` in blocks of `piece` frames.
fn write(
    target: &Path,
    settings: &EncodeSettings,
    rate: u32,
    audio: &AudioBuffer,
    piece: usize,
    tags: Option<&Tags>,
) -> Result<Encoded, Box<dyn Error>> {
    let mut encoder = Encoder::create(target, settings, format(rate, audio.channels())?, true, &[])?;
    let mut start = 0;
    while start < audio.frames() {
        let end = (start + piece).min(audio.frames());
        let mut part = AudioBuffer::new(audio.channels(), 0);
        part.extend_from(audio, start..end);
        encoder.write(&part)?;
        start = end;
    }
    Ok(encoder.finish_with(tags.unwrap_or(&Tags::default()))?)
}

fn read(path: &Path) -> Result<(AudioBuffer, AudioFile), Box<dyn Error>> {
    let file = AudioFile::open(path)?;
    let mut audio = AudioBuffer::default();
    file.reader()?.read(&mut audio, file.info().frames as usize + 10)?;
    Ok((audio, file))
}

#[test]
fn what_fits_comes_back_bit_for_bit() -> Test {
    let folder = tempfile::tempdir()?;
    for container in [FileFormat::Wav, FileFormat::Flac] {
        for (sample, bits) in [(SampleFormat::Int16, 16), (SampleFormat::Int24, 24), (SampleFormat::Int32, 24)] {
            if container == FileFormat::Flac && sample == SampleFormat::Int32 {
                continue;
            }
            for (channels, frames) in [(1, 0), (1, 1), (2, 1), (2, 4097), (3, 777), (6, 5000), (8, 100)] {
                let audio = on_grid(bits, channels, frames);
                let path = folder.path().join(format!("a.{}", container.extension()));
                let done = write(&path, &settings(container, sample, Dither::None), 48_000, &audio, 1000, None)?;
                assert_eq!(done.frames, frames as u64);
                assert_eq!(done.bytes, fs::metadata(&path)?.len());
                assert_eq!((done.clipped, done.warnings.len()), (0, 0));
                if container == FileFormat::Flac && frames == 0 {
                    // A FLAC file without frames is valid, but there is nothing to decode.
                    assert!(fs::read(&path)?.starts_with(b"fLaC"));
                    continue;
                }
                let (back, file) = read(&path)?;
                assert_eq!(file.info().frames, frames as u64);
                let back_format = file.info().audio;
                assert_eq!((back_format.rate, back_format.channels), (format(48_000, channels)?.rate, channels));
                // More than 24 bits give a warning.
                let told = usize::from(sample == SampleFormat::Int32);
                assert_eq!(file.info().warnings.len(), told, "{:?}", file.info().warnings);
                assert!(frames == 0 || back == audio, "{container:?} {sample:?} {channels} {frames}");
            }
        }
    }
    Ok(())
}

#[test]
fn floats_come_back_bit_for_bit_beyond_full_scale_too() -> Test {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("float.wav");
    for channels in [1, 2, 5] {
        let mut audio = noisy(channels, 3001);
        audio.channel_mut(0)[5] = 17.5;
        audio.channel_mut(0)[6] = -3.0e-40;
        let settings = settings(FileFormat::Wav, SampleFormat::Float32, Dither::Tpdf);
        let done = write(&path, &settings, 96_000, &audio, 500, None)?;
        assert_eq!((done.clipped, done.peak), (0, 17.5), "floats keep it");
        let (back, _) = read(&path)?;
        for (back, audio) in back.iter().zip(audio.iter()) {
            assert!(back.iter().zip(audio).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
    }
    Ok(())
}

#[test]
fn pieces_of_any_size_give_the_same_file() -> Test {
    let folder = tempfile::tempdir()?;
    for (container, sample) in [
        (FileFormat::Wav, SampleFormat::Int16),
        (FileFormat::Wav, SampleFormat::Int24),
        (FileFormat::Flac, SampleFormat::Int16),
    ] {
        for (dither, rate) in [(Dither::Tpdf, 44_100), (Dither::Shaped, 44_100), (Dither::Shaped, 96_000)] {
            // Samples that do not fit the file.
            let mut audio = noisy(2, 9000);
            audio.iter_mut().flatten().for_each(|sample| *sample *= 0.1);
            let settings = settings(container, sample, dither);
            let mut files = Vec::new();
            for piece in [9000, 1, 1023, 1024, 1025, 4096] {
                let path = folder.path().join("pieces");
                write(&path, &settings, rate, &audio, piece, None)?;
                files.push(fs::read(&path)?);
            }
            assert!(files.windows(2).all(|pair| pair[0] == pair[1]), "{container:?} {sample:?} {dither:?}");
            // Another seed gives another file.
            let path = folder.path().join("seed");
            write(&path, &EncodeSettings { seed: 43, ..settings }, rate, &audio, 9000, None)?;
            assert_ne!(fs::read(&path)?, files[0]);
        }
    }
    Ok(())
}

/// Returns the mean and the power of the error in 16-bit steps, and its density at low frequencies, as the power of
/// white noise with that density.
fn errors(dither: Dither, rate: u32, level: f32) -> Result<(f64, f64, f64), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("error.wav");
    let frames = 200_000;
    let sine: Vec<f32> =
        (0..frames).map(|n| level * (std::f64::consts::TAU * 997.0 * n as f64 / rate as f64).sin() as f32).collect();
    let audio = AudioBuffer::from_channels(vec![sine]);
    write(&path, &settings(FileFormat::Wav, SampleFormat::Int16, dither), rate, &audio, 5000, None)?;
    let (back, _) = read(&path)?;
    let error: Vec<f64> =
        back.channel(0).iter().zip(audio.channel(0)).map(|(&a, &b)| (a as f64 - b as f64) * 32_768.0).collect();
    let mean = error.iter().sum::<f64>() / frames as f64;
    let power = error.iter().map(|e| e * e).sum::<f64>() / frames as f64;
    let window: Vec<f64> = (0..64).map(|n| 1.0 - (std::f64::consts::TAU * (n as f64 + 0.5) / 64.0).cos()).collect();
    let gain: f64 = window.iter().map(|w| w * w).sum();
    let filtered = error.windows(64).map(|errors| errors.iter().zip(&window).map(|(e, w)| e * w).sum::<f64>().powi(2));
    Ok((mean, power, filtered.sum::<f64>() / (frames - 63) as f64 / gain))
}

#[test]
fn dither_makes_the_error_what_theory_says() -> Test {
    // A tone of a third of a step: without dither it vanishes, and the error equals the tone.
    let quiet = 0.33 / 32_768.0;
    let (_, power, _) = errors(Dither::None, 44_100, quiet)?;
    assert!((power - 0.33f64.powi(2) / 2.0).abs() < 0.002, "{power}");
    for level in [quiet, 0.4] {
        // Triangular dither: error power of 1/4 squared step (rounding 1/12 and noise 1/6), white for any signal.
        let (mean, power, low) = errors(Dither::Tpdf, 44_100, level)?;
        assert!(mean.abs() < 0.005, "{mean}");
        assert!((power - 0.25).abs() < 0.005, "{power}");
        assert!((low - 0.25).abs() < 0.02, "{low}");
        // Shaped: the total grows by the filter's power gain (1 + sum of squares), and it is much lower where hearing
        // is sensitive.
        let gain: f64 = 1.0 + [2.033f64, -2.165, 1.959, -1.590, 0.6149].iter().map(|c| c * c).sum::<f64>();
        let (mean, power, low) = errors(Dither::Shaped, 44_100, level)?;
        assert!(mean.abs() < 0.005, "{mean}");
        assert!((power / (0.25 * gain) - 1.0).abs() < 0.03, "{power} for {}", 0.25 * gain);
        assert!(low < 0.02, "{low}");
        let (_, power, low) = errors(Dither::Shaped, 96_000, level)?;
        assert!((power / (0.25 * 6.0) - 1.0).abs() < 0.03, "{power}");
        assert!(low < 0.02, "{low}");
    }
    Ok(())
}

#[test]
fn shaping_where_there_is_no_room_is_told() -> Test {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a.wav");
    let audio = noisy(1, 2000);
    let shaped =
        write(&path, &settings(FileFormat::Wav, SampleFormat::Int16, Dither::Shaped), 22_050, &audio, 999, None)?;
    assert!(shaped.warnings[0].contains("22050 Hz"), "{:?}", shaped.warnings);
    let written = fs::read(&path)?;
    let plain = write(&path, &settings(FileFormat::Wav, SampleFormat::Int16, Dither::Tpdf), 22_050, &audio, 999, None)?;
    assert!(plain.warnings.is_empty());
    assert_eq!(fs::read(&path)?, written);
    Ok(())
}

#[test]
fn what_is_beyond_full_scale_is_cut_and_counted() -> Test {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("cut");
    let samples = [0.5, 1.0, -1.0, 1.5, -2.5, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0e30, 0.25];
    let expected = [0.5, 1.0, -1.0, 1.0, -1.0, 0.0, 1.0, -1.0, 1.0, 0.25];
    for (container, sample) in [
        (FileFormat::Wav, SampleFormat::Int16),
        (FileFormat::Wav, SampleFormat::Int24),
        (FileFormat::Wav, SampleFormat::Int32),
        (FileFormat::Flac, SampleFormat::Int16),
        (FileFormat::Flac, SampleFormat::Int24),
    ] {
        for dither in [Dither::None, Dither::Tpdf, Dither::Shaped] {
            let mut audio = AudioBuffer::new(2, 2000);
            audio.channel_mut(1)[1020..1030].copy_from_slice(&samples);
            let done = write(&path, &settings(container, sample, dither), 44_100, &audio, 777, None)?;
            assert_eq!(done.clipped, 5, "what is no number is not clipped");
            assert_eq!(done.peak, 1.0e30f32 as f64);
            assert!(done.warnings[0].contains("1 samples were not numbers"), "{:?}", done.warnings);
            let (back, _) = read(&path)?;
            for (&back, want) in back.channel(1)[1020..1030].iter().zip(expected) {
                // At 16 bits a step is 3e-5, and shaped noise reaches ten steps.
                assert!((back - want).abs() < 5e-4, "{container:?} {sample:?} {dither:?}: {back} for {want}");
            }
        }
    }
    // Floats keep values beyond full scale.
    let audio = AudioBuffer::from_channels(vec![samples.to_vec()]);
    let done =
        write(&path, &settings(FileFormat::Wav, SampleFormat::Float32, Dither::None), 44_100, &audio, 777, None)?;
    assert_eq!(done.clipped, 0);
    let (back, _) = read(&path)?;
    assert_eq!(back.channel(0), [0.5, 1.0, -1.0, 1.5, -2.5, 0.0, 1.0, -1.0, 1.0e30, 0.25]);
    Ok(())
}

#[test]
fn tags_and_covers_come_back_and_the_sound_is_the_same() -> Test {
    let folder = tempfile::tempdir()?;
    let mut items = BTreeMap::new();
    for (key, value) in [("TITLE", "Nocturne \u{2014} n\u{b0} 2"), ("ARTIST", "Someone"), ("TRACKNUMBER", "7")] {
        items.insert(key.to_owned(), value.into());
    }
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde".to_vec();
    for cover in [0, 300, 40_000] {
        // Small covers fit into the reserved padding; for large ones the audio is moved.
        png.resize(33 + cover, 7);
        let picture = Picture { mime: "image/png".into(), kind: 3, data: png.clone(), ..Picture::default() };
        let pictures = if cover > 0 { vec![picture] } else { Vec::new() };
        let tags = Tags { items: items.clone(), pictures, ..Tags::default() };
        for container in [FileFormat::Wav, FileFormat::Flac] {
            let audio = on_grid(24, 2, 10_001);
            let path = folder.path().join(format!("tagged.{}", container.extension()));
            let settings = settings(container, SampleFormat::Int24, Dither::None);
            let done = write(&path, &settings, 44_100, &audio, 3000, Some(&tags))?;
            assert!(done.warnings.is_empty(), "{:?}", done.warnings);
            let (back, file) = read(&path)?;
            assert!(back == audio, "{container:?}, cover of {cover}");
            assert_eq!(file.info().tags.items, tags.items);
            assert_eq!(file.info().tags.pictures, tags.pictures);
            assert!(file.info().warnings.is_empty(), "{:?}", file.info().warnings);
        }
    }
    Ok(())
}

fn names(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names: Vec<_> =
        fs::read_dir(folder)?.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

#[test]
fn an_input_is_never_overwritten_by_whatever_path_or_link() -> Test {
    let folder = tempfile::tempdir()?;
    let input = folder.path().join("input.wav");
    fs::write(&input, b"precious")?;
    fs::create_dir(folder.path().join("sub"))?;
    let hard = folder.path().join("hard.wav");
    fs::hard_link(&input, &hard)?;
    let mut outputs = vec![input.clone(), hard, folder.path().join("sub/../input.wav")];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&input, folder.path().join("link.wav"))?;
        std::os::unix::fs::symlink(folder.path(), folder.path().join("loop"))?;
        outputs.extend([folder.path().join("link.wav"), folder.path().join("loop/input.wav")]);
    }
    let before = names(folder.path())?;
    for inputs in [vec![input.clone()], vec![folder.path().join("other.wav"), folder.path().join("sub/../input.wav")]] {
        for output in &outputs {
            let created = Encoder::create(output, &EncodeSettings::default(), format(48_000, 1)?, true, &inputs);
            let message = created.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(
                message.starts_with("This is one of the inputs") && message.contains("Choose another name"),
                "{}: {message}",
                output.display()
            );
        }
    }
    assert_eq!(fs::read(&input)?, b"precious");
    assert_eq!(names(folder.path())?, before);
    Ok(())
}

#[test]
fn an_existing_file_is_replaced_only_when_allowed_and_only_when_complete() -> Test {
    let folder = tempfile::tempdir()?;
    let target = folder.path().join("out.wav");
    fs::write(&target, b"older")?;
    let audio = noisy(1, 5000);
    let create = |overwrite| {
        Encoder::create(&target, &EncodeSettings::default(), format(48_000, 1)?, overwrite, &[])
            .map_err(Box::<dyn Error>::from)
    };
    let refused = create(false).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(refused.contains("exists"), "{refused}");
    let mut encoder = create(true)?;
    encoder.write(&audio)?;
    assert_eq!(fs::read(&target)?, b"older");
    drop(encoder);
    assert_eq!((names(folder.path())?, fs::read(&target)?), (vec!["out.wav".to_owned()], b"older".to_vec()));
    let mut encoder = create(true)?;
    encoder.write(&audio)?;
    encoder.finish()?;
    assert_eq!(names(folder.path())?, ["out.wav"]);
    assert!(fs::read(&target)?.starts_with(b"RIFF"));
    // A file that appears while the output is written is not replaced either.
    let other = folder.path().join("other.wav");
    let encoder = Encoder::create(&other, &EncodeSettings::default(), format(48_000, 1)?, false, &[])?;
    fs::write(&other, b"quick")?;
    assert!(encoder.finish().is_err());
    assert_eq!(fs::read(&other)?, b"quick");
    assert_eq!(names(folder.path())?, ["other.wav", "out.wav"]);
    Ok(())
}

#[test]
fn what_is_no_place_for_a_file_is_refused_in_words() -> Test {
    let folder = tempfile::tempdir()?;
    let message = |target: PathBuf, rate, channels, settings: EncodeSettings| -> Result<String, Box<dyn Error>> {
        let created = Encoder::create(&target, &settings, format(rate, channels)?, true, &[]);
        Ok(created.err().map(|error| error.to_string()).unwrap_or_default())
    };
    let wav = EncodeSettings::default();
    let flac = settings(FileFormat::Flac, SampleFormat::Int24, Dither::None);
    let at = |name: &str| folder.path().join(name);
    assert!(message(at("no/such/out.wav"), 48_000, 1, wav)?.contains("The folder does not exist"));
    assert!(message(folder.path().to_path_buf(), 48_000, 1, wav)?.contains("is a folder"));
    assert!(message(at(".."), 48_000, 1, wav)?.contains("no file name"));
    #[cfg(unix)]
    assert!(message("/dev/null".into(), 48_000, 1, wav)?.contains("not a regular file"));
    assert!(message(at("a.flac"), 700_000, 1, flac)?.contains("655350 Hz"));
    assert!(message(at("a.flac"), 48_000, 9, flac)?.contains("limited to 8"));
    assert!(message(at("a.wav"), 48_000, 40_000, wav)?.contains("channels of a WAV file"));
    let wide = settings(FileFormat::Flac, SampleFormat::Float32, Dither::None);
    assert!(message(at("a.flac"), 48_000, 1, wide)?.contains("32 bits"));
    assert_eq!(names(folder.path())?, Vec::<String>::new());
    let mut encoder = Encoder::create(&at("b.wav"), &wav, format(48_000, 2)?, false, &[])?;
    assert!(encoder.write(&noisy(1, 10)).is_err());
    Ok(())
}

#[cfg(unix)]
#[test]
fn links_are_replaced_not_followed_and_permissions_are_kept() -> Test {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir()?;
    let elsewhere = folder.path().join("elsewhere.wav");
    fs::write(&elsewhere, b"left alone")?;
    for to in [elsewhere.clone(), folder.path().join("nowhere.wav")] {
        let link = folder.path().join("link.wav");
        std::os::unix::fs::symlink(&to, &link)?;
        assert!(Encoder::create(&link, &EncodeSettings::default(), format(48_000, 1)?, false, &[]).is_err());
        Encoder::create(&link, &EncodeSettings::default(), format(48_000, 1)?, true, &[])?.finish()?;
        assert!(fs::symlink_metadata(&link)?.is_file());
        fs::remove_file(&link)?;
    }
    assert_eq!(fs::read(&elsewhere)?, b"left alone");
    assert_eq!(names(folder.path())?, ["elsewhere.wav"]);
    fs::set_permissions(&elsewhere, PermissionsExt::from_mode(0o640))?;
    Encoder::create(&elsewhere, &EncodeSettings::default(), format(48_000, 1)?, true, &[])?.finish()?;
    assert_eq!(fs::metadata(&elsewhere)?.permissions().mode() & 0o777, 0o640);
    // A new file has the permissions of the user's mask and not the private ones of temporary files.
    let (new, plain) = (folder.path().join("new.wav"), folder.path().join("plain"));
    Encoder::create(&new, &EncodeSettings::default(), format(48_000, 1)?, false, &[])?.finish()?;
    fs::write(&plain, b"")?;
    assert_eq!(fs::metadata(&new)?.permissions().mode(), fs::metadata(&plain)?.permissions().mode());
    Ok(())
}

#[cfg(unix)]
#[test]
fn what_a_killed_writer_left_is_removed_and_a_living_ones_is_not() -> Test {
    let folder = tempfile::tempdir()?;
    let make = |name: &str| {
        Encoder::create(&folder.path().join(name), &EncodeSettings::default(), format(48_000, 1)?, false, &[])
            .map_err(Box::<dyn Error>::from)
    };
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
    let left = folder.path().join(format!("{UNFINISHED_PREFIX}killed"));
    let age = |name: &str| fs::File::options().write(true).open(folder.path().join(name))?.set_modified(long_ago);
    fs::write(&left, b"half a file")?;
    names(folder.path())?.iter().try_for_each(|name| age(name))?;
    let living = make("living.wav")?;
    assert!(!left.exists());
    names(folder.path())?.iter().try_for_each(|name| age(name))?;
    drop(make("next.wav")?);
    living.finish()?;
    assert_eq!(names(folder.path())?, ["living.wav"]);
    Ok(())
}
