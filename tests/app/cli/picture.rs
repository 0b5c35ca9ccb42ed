//! Spectrograms in files: a tone appears at its height and in its colour, and numbers follow the formula.

use std::path::Path;
use std::process::{Command, Output};

use audio::encode::{EncodeSettings, Encoder, FileFormat, SampleFormat};
use audio::{AudioBuffer, AudioFormat};
use base::units::SampleRate;
use editor::view::colours;

const RATE: u32 = 32_000;
const HZ: [f64; 2] = [4000.0, 1000.0];

fn undertone(words: &[&str], folder: &Path) -> Output {
    let folders = ["UNDERTONE_CONFIG_DIR", "UNDERTONE_DATA_DIR"].map(|name| (name, folder.join("config")));
    Command::new(env!("CARGO_BIN_EXE_undertone")).args(words).envs(folders).current_dir(folder).output().unwrap()
}

/// Writes two seconds of a half-scale sine on each channel.
fn recording(path: &Path) {
    let format = AudioFormat::new(SampleRate::new(RATE).unwrap(), 2);
    let settings =
        EncodeSettings { format: FileFormat::Wav, sample: SampleFormat::Float32, ..EncodeSettings::default() };
    let mut encoder = Encoder::create(path, &settings, format, true, &[]).unwrap();
    let sine = |hz: f64| {
        (0..2 * RATE).map(move |n| (0.5 * (std::f64::consts::TAU * hz * f64::from(n) / f64::from(RATE)).sin()) as f32)
    };
    encoder.write(&AudioBuffer::from_channels(HZ.map(|hz| sine(hz).collect()).to_vec())).unwrap();
    encoder.finish().unwrap();
}

/// Returns width, height and pixels of a PNG file.
fn pixels(path: &Path) -> (u32, u32, Vec<[u8; 3]>) {
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
    (info.width, info.height, bytes.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect())
}

#[test]
fn a_tone_stands_at_its_height_in_its_colour() {
    let folder = tempfile::tempdir().unwrap();
    recording(&folder.path().join("tones.wav"));
    let words = [
        "spectrogram",
        "tones.wav",
        "-o",
        "out.png",
        "--bare",
        "--width",
        "64",
        "--height",
        "160",
        "--colormap",
        "grey",
        "--size",
        "1024",
    ];
    let made = undertone(&words, folder.path());
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let (width, height, pixels) = pixels(&folder.path().join("out.png"));
    assert_eq!((width, height), (64, 320));
    let grey = colours::table("grey").unwrap();
    for (panel, hz) in HZ.into_iter().enumerate() {
        let at = |y: u32| pixels[((panel as u32 * 160 + y) * width + 32) as usize];
        let brightest = (0..160).max_by_key(|&y| at(y)[0]).unwrap();
        // The axis reaches to 16 kHz; the highest frequency is at the top.
        let expected = 159 - (hz / 16_000.0 * 160.0) as u32;
        assert!(brightest.abs_diff(expected) <= 1, "panel {panel}: row {brightest}, not {expected}");
        // -6 dB with a range of 120 dB is 0.95 of the scale, less the share of the row's other bins.
        assert!(at(brightest)[0] > grey[225][0] && at(brightest)[0] <= grey[243][0], "{:?}", at(brightest));
        assert!(at(20)[0] < 60, "what is silent is dark");
    }
    // Axes and legend surround the same pixels.
    let words = [
        "spectrogram",
        "tones.wav",
        "-o",
        "axes.png",
        "--width",
        "64",
        "--height",
        "160",
        "--colormap",
        "grey",
        "--size",
        "1024",
    ];
    assert!(undertone(&words, folder.path()).status.success());
    let (wide, tall, framed) = self::pixels(&folder.path().join("axes.png"));
    assert!(wide > width && tall > height);
    let row = |y: u32| &framed[((34 + y) * wide + 72) as usize..][..64];
    assert!((0..160).all(|y| row(y) == &pixels[(y * width) as usize..][..64]));
}

#[test]
fn numbers_are_decibels_of_windows_on_their_frames() {
    let folder = tempfile::tempdir().unwrap();
    recording(&folder.path().join("tones.wav"));
    let words = ["spectrogram", "tones.wav", "-o", "out.npy", "--size", "512", "--hop", "1000", "--json"];
    let made = undertone(&words, folder.path());
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let told: serde_json::Value = serde_json::from_slice(&made.stdout).unwrap();
    assert_eq!(told["shape"], serde_json::json!([2, 257, 65]));
    let bytes = std::fs::read(folder.path().join("out.npy")).unwrap();
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(bytes.len(), start + 4 * 2 * 257 * 65);
    let at = |channel: usize, bin: usize, window: usize| {
        let place = start + 4 * ((window * 257 + bin) * 2 + channel);
        f32::from_le_bytes([bytes[place], bytes[place + 1], bytes[place + 2], bytes[place + 3]])
    };
    for (channel, hz) in HZ.into_iter().enumerate() {
        let bin = (hz / f64::from(RATE) * 512.0) as usize;
        assert!((at(channel, bin, 30) + 6.0206).abs() < 1e-3, "{}", at(channel, bin, 30));
        // Half of the first window is silence.
        assert!((at(channel, bin, 0) + 12.04).abs() < 0.3, "{}", at(channel, bin, 0));
        assert!((0..257).all(|bin| at(channel, bin, 64) >= -200.0));
    }
    let words = ["spectrogram", "tones.wav", "-o", "c.npy", "--size", "512", "--hop", "1000", "--complex", "--mono"];
    assert!(undertone(&words, folder.path()).status.success());
    let complex = std::fs::read(folder.path().join("c.npy")).unwrap();
    assert!(String::from_utf8_lossy(&complex[..128]).contains("'<c8'"));
    assert_eq!(complex.len() % 64, (8 * 257 * 65) % 64);
}

#[test]
fn every_method_shows_a_tone_at_its_height_in_pictures_and_numbers() {
    let folder = tempfile::tempdir().unwrap();
    recording(&folder.path().join("tones.wav"));
    for method in ["fourier", "multi_resolution", "reassigned", "constant_q"] {
        let shape = ["--width", "64", "--height", "160", "--size", "1024", "--scale", "log", "--method", method];
        let words = ["spectrogram", "tones.wav", "-o", "out.png", "--overwrite", "--bare", "--colormap", "grey"];
        let made = undertone(&[&words[..], &shape].concat(), folder.path());
        assert!(made.status.success(), "{method}: {}", String::from_utf8_lossy(&made.stderr));
        let (width, _, pixels) = pixels(&folder.path().join("out.png"));
        for (panel, hz) in HZ.into_iter().enumerate() {
            let at = |y: u32| pixels[((panel as u32 * 160 + y) * width + 32) as usize][0];
            let brightest = (0..160).max_by_key(|&y| at(y)).unwrap();
            let expected = 159 - ((hz / 20.0).log2() / (16_000.0_f64 / 20.0).log2() * 160.0) as u32;
            assert!(brightest.abs_diff(expected) <= 1, "{method}, panel {panel}: row {brightest}, not {expected}");
            assert!(at(brightest) > 200 && at(10) < 80, "{method}: {} and {}", at(brightest), at(10));
        }
        if method == "fourier" {
            continue;
        }
        let words = ["spectrogram", "tones.wav", "-o", "out.npy", "--overwrite", "--hop", "1000", "--json"];
        let made = undertone(&[&words[..], &shape].concat(), folder.path());
        assert!(made.status.success(), "{method}: {}", String::from_utf8_lossy(&made.stderr));
        let told: serde_json::Value = serde_json::from_slice(&made.stdout).unwrap();
        assert_eq!(told["shape"], serde_json::json!([2, 160, 65]), "{method}");
        let bytes = std::fs::read(folder.path().join("out.npy")).unwrap();
        let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!(bytes.len(), start + 4 * 2 * 160 * 65);
        let row = ((HZ[0] / 20.0).log2() / (16_000.0_f64 / 20.0).log2() * 160.0) as usize;
        let place = start + 4 * ((30 * 160 + row) * 2);
        let db = f32::from_le_bytes([bytes[place], bytes[place + 1], bytes[place + 2], bytes[place + 3]]);
        assert!((db + 6.02).abs() < 1.0, "{method}: {db} dB");
    }
}

#[test]
fn a_chain_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    recording(&folder.path().join("tones.wav"));
    let words = [
        "spectrogram",
        "tones.wav",
        "-o",
        "out.npy",
        "--size",
        "512",
        "--hop",
        "4096",
        "-c",
        "gain(-20 dB)",
        "--device",
        "cpu",
    ];
    assert!(undertone(&words, folder.path()).status.success());
    let bytes = std::fs::read(folder.path().join("out.npy")).unwrap();
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let place = start + 4 * ((5 * 257 + 64) * 2);
    let db = f32::from_le_bytes([bytes[place], bytes[place + 1], bytes[place + 2], bytes[place + 3]]);
    assert!((db + 26.02).abs() < 1e-2, "{db}");
}

#[test]
fn the_device_is_told_as_of_a_rendering() {
    let folder = tempfile::tempdir().unwrap();
    recording(&folder.path().join("tones.wav"));
    for output in ["out.png", "out.npy"] {
        let words = ["spectrogram", "tones.wav", "-o", output, "--overwrite", "--device"];
        let made = undertone(&[&words[..], &["cpu", "--json"]].concat(), folder.path());
        let told: serde_json::Value = serde_json::from_slice(&made.stdout).unwrap();
        let device = &told["device"];
        assert_eq!((&device["requested"], &device["used"]), (&"cpu".into(), &"cpu".into()), "{told}");
        assert_eq!((&device["reason"], &device["fallback"]), (&"selected".into(), &false.into()), "{told}");
        let made = undertone(&[&words[..], &["Voodoo 9000"]].concat(), folder.path());
        assert!(made.status.success());
        let (said, told) = (String::from_utf8_lossy(&made.stdout), String::from_utf8_lossy(&made.stderr));
        assert!(said.contains(", on cpu"), "{said}");
        assert!(told.contains("Voodoo 9000 is not used, but cpu"), "{told}");
    }
}

#[test]
fn what_cannot_be_is_refused_and_harms_nothing() {
    let folder = tempfile::tempdir().unwrap();
    recording(&folder.path().join("tones.wav"));
    std::fs::write(folder.path().join("there.png"), b"a picture of somebody's").unwrap();
    for (words, status, said) in [
        (&["spectrogram", "tones.wav", "-o", "out.jpg"][..], 2, ".png or .npy"),
        (&["spectrogram", "tones.wav", "-o", "out.png", "--size", "1000"], 2, "power of two"),
        (&["spectrogram", "tones.wav", "-o", "out.png", "--window", "hamm"], 2, "hamming"),
        (&["spectrogram", "tones.wav", "-o", "out.png", "--scale", "octaves"], 2, "mel_htk"),
        (&["spectrogram", "tones.wav", "-o", "out.png", "--colormap", "jet"], 2, "viridis"),
        (
            &["spectrogram", "tones.wav", "-o", "out.png", "--method", "wavelet"],
            2,
            "multi_resolution, reassigned, constant_q",
        ),
        (&["spectrogram", "tones.wav", "-o", "out.png", "--bins-per-octave", "24"], 2, "--method constant_q"),
        (
            &["spectrogram", "tones.wav", "-o", "out.png", "--method", "constant_q", "--bins-per-octave", "97"],
            2,
            "12 to 96",
        ),
        (&["spectrogram", "tones.wav", "-o", "out.npy", "--method", "reassigned", "--complex"], 2, "--method fourier"),
        (&["spectrogram", "tones.wav", "-o", "out.png", "--width", "1"], 2, "16 to"),
        (&["spectrogram", "tones.wav", "-o", "out.png", "--db-range", "0"], 2, "300 dB"),
        (&["spectrogram", "tones.wav", "-o", "out.npy", "--hop", "0"], 2, "Hop must be 1 frame or more"),
        (&["spectrogram", "tones.wav", "-o", "out.png", "--complex"], 2, ".npy"),
        (&["spectrogram", "tones.wav", "-o", "there.png"], 1, "exists"),
        (&["spectrogram", "nothing.wav", "-o", "out.png"], 1, "nothing.wav"),
    ] {
        let made = undertone(words, folder.path());
        let message = String::from_utf8_lossy(&made.stderr);
        assert_eq!(made.status.code(), Some(status), "{words:?}: {message}");
        assert!(message.contains(said), "{words:?}: {message}");
        assert!(!folder.path().join("out.png").exists() && !folder.path().join("out.npy").exists());
    }
    assert_eq!(std::fs::read(folder.path().join("there.png")).unwrap(), b"a picture of somebody's");
    let left = std::fs::read_dir(folder.path())
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
    assert_eq!(left.count(), 0);
}
