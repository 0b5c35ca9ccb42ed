//! Speaker layouts through every command that writes recordings.

use std::path::Path;

use undertone::audio::encode::{EncodeSettings, Encoder};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat, Layout};
use undertone::units::SampleRate;

use crate::support::terminal::{Terminal, said, status, tone};

/// Writes a second of a tone in the channels of a layout, each at a different level.
fn laid_out(terminal: &Terminal, name: &str, mask: u32) {
    let layout = Layout::from_mask(mask).expect("a layout");
    let format = AudioFormat::new(SampleRate::new(48_000).expect("a rate"), layout.channels());
    let settings = EncodeSettings::default();
    let mut encoder =
        Encoder::create(&terminal.path(name), &settings, format.with_layout(Some(layout)), true, &[]).expect("made");
    let channels = (0..layout.channels()).map(|channel| tone(0.5 - 0.05 * channel as f64, 48_000, 48_000));
    encoder.write(&AudioBuffer::from_channels(channels.collect())).expect("written");
    encoder.finish().expect("finished");
}

fn layout_of(path: &Path) -> String {
    AudioFile::open(path).expect("opens").info().audio.channels_in_words()
}

/// Returns the level of each channel in dB, rounded to a tenth.
fn levels(path: &Path) -> Vec<f64> {
    let (mut reader, mut block) =
        (AudioFile::open(path).expect("opens").reader().expect("a reader"), AudioBuffer::default());
    reader.read(&mut block, 1 << 20).expect("samples");
    let rms = |samples: &[f32]| {
        let sum: f64 = samples.iter().map(|sample| f64::from(*sample).powi(2)).sum();
        (100.0 * (sum / samples.len() as f64).log10()).round() / 10.0
    };
    block.iter().map(rms).collect()
}

#[test]
fn every_command_keeps_a_layout_or_refuses_it() {
    let terminal = Terminal::new();
    std::fs::write(terminal.path("l.txt"), "0\t0\tOne\n0.5\t0.5\tTwo\n").expect("written");
    let mut seen = 0;
    for (name, mask, in_ogg) in [
        ("2.1", 0xb, None),
        ("3.1", 0xf, None),
        ("4.0", 0x107, None),
        ("quad(side)", 0x603, Some("quad")),
        ("5.1(side)", 0x60f, Some("5.1")),
        ("7.1", 0x63f, Some("7.1")),
        ("7.1(wide)", 0xff, None),
    ] {
        laid_out(&terminal, "in.wav", mask);
        for (extension, format) in [("wav", "wav"), ("flac", "flac"), ("ogg", "vorbis"), ("opus", "opus")] {
            let is_lossy = matches!(extension, "ogg" | "opus");
            let file = format!("out.{extension}");
            let first = format!("parts/01 One.{extension}");
            // Markers are written into copies, so that the source has the format.
            let source = format!("source.{extension}");
            let _ = std::fs::remove_file(terminal.path(&source));
            terminal.run(&["process", "in.wav", "-o", &source]);
            let marked = if is_lossy { source.as_str() } else { "in.wav" };
            for (words, written) in [
                (&["process", "in.wav", "-o", &file, "-c", "gain(-1 dB)", "--overwrite"][..], &file),
                (&["edit", "in.wav", "-o", &file, "--reverse", "0..0.1", "--overwrite"], &file),
                (&["split", "in.wav", "-o", "parts", "--import", "l.txt", "--format", format, "--overwrite"], &first),
                (&["markers", marked, "--import", "l.txt", "-o", &file, "--overwrite"], &file),
            ] {
                let written = terminal.path(written);
                let _ = std::fs::remove_file(&written);
                let output = terminal.run(words);
                let told = said(&output);
                let wanted = if is_lossy { in_ogg } else { Some(name) };
                seen += 1;
                if words[0] == "markers" && wanted.is_none() {
                    assert!(!terminal.path(&source).exists(), "{name}: {source}");
                    continue;
                }
                let Some(wanted) = wanted else {
                    assert_eq!(status(&output), 1, "{name}: {words:?}: {told}");
                    assert!(told.contains(name) && told.contains("downmix") && !written.exists(), "{words:?}: {told}");
                    continue;
                };
                assert_eq!(status(&output), 0, "{name}: {words:?}: {told}");
                assert_eq!(layout_of(&written), wanted, "{words:?}");
                if wanted != name && words[0] != "markers" {
                    assert!(told.contains(&format!("{name} becomes {wanted}")), "{words:?}: {told}");
                }
                let falls = levels(&written);
                let has_low = is_lossy && mask & 8 != 0;
                let in_order = |pair: &[f64]| pair[0] > pair[1] || has_low;
                assert!(falls.windows(2).all(in_order), "{name}: {words:?}: {falls:?}");
            }
        }
    }
    assert_eq!(seen, 7 * 4 * 4);
}

#[test]
fn info_shows_the_layout_by_name() {
    let terminal = Terminal::new();
    for (name, mask) in [("mono", 0x4), ("2.1", 0xb), ("quad(side)", 0x603), ("5.1(side)", 0x60f), ("FL+FR+TC", 0x803)]
    {
        laid_out(&terminal, "in.wav", mask);
        let (_, files) = terminal.reports(&["info", "in.wav"]);
        assert_eq!(files[0]["layout"], name);
        let shown = String::from_utf8(terminal.run(&["info", "in.wav"]).stdout).expect("text");
        assert!(shown.contains(&format!("  channels  {}, {name}\n", files[0]["channels"])), "{shown}");
    }
}

#[test]
fn layouts_are_changed_on_purpose() {
    let terminal = Terminal::new();
    laid_out(&terminal, "in.wav", 0x60f);
    for (chain, wanted) in [
        ("gain(-3 dB)", "5.1(side)"),
        ("swap", "5.1(side)"),
        ("mono(out=all)", "5.1(side)"),
        ("channel(3)", "mono"),
        ("mono", "mono"),
        ("downmix", "stereo"),
        ("downmix(mono)", "mono"),
        ("downmix(quad)", "quad"),
        ("downmix(five) | gain(-1 dB)", "5.0"),
        // Sound with no more channels than the target is unchanged.
        ("downmix(five_one)", "5.1(side)"),
    ] {
        let output = terminal.run(&["process", "in.wav", "-o", "out.flac", "-c", chain, "--overwrite"]);
        assert_eq!(
            (status(&output), layout_of(&terminal.path("out.flac")).as_str()),
            (0, wanted),
            "{chain}: {output:?}"
        );
    }
    // The written layout is the requested one, not the source's.
    laid_out(&terminal, "in.wav", 0xb);
    let output = terminal.run(&["process", "in.wav", "-o", "out.ogg", "-c", "downmix"]);
    assert_eq!((status(&output), layout_of(&terminal.path("out.ogg")).as_str()), (0, "stereo"), "{output:?}");
}

#[test]
fn surround_sound_is_mixed_down_into_stereo() {
    let terminal = Terminal::new();
    for (mask, gains) in [
        // The levels of left and right, from the channel levels 0.5, 0.45, ...
        (0x60f, [0.5 + 0.5f64.sqrt() * (0.4 + 0.3), 0.45 + 0.5f64.sqrt() * (0.4 + 0.25)]),
        (0xb, [0.5, 0.45]),
        (0x7, [0.5 + 0.5f64.sqrt() * 0.4, 0.45 + 0.5f64.sqrt() * 0.4]),
        (0x107, [0.5 + 0.5f64.sqrt() * 0.4 + 0.5 * 0.35, 0.45 + 0.5f64.sqrt() * 0.4 + 0.5 * 0.35]),
        (0x33, [0.5 + 0.5f64.sqrt() * 0.4, 0.45 + 0.5f64.sqrt() * 0.35]),
    ] {
        laid_out(&terminal, "in.wav", mask);
        laid_out(&terminal, "stereo.wav", 0x3);
        let words = ["edit", "stereo.wav", "-o", "out.wav", "--bits", "f32", "--overwrite", "--crossfade", "0"];
        let output = terminal.run(&[&words[..], &["--insert", "in.wav@0", "--trim", "0..1"]].concat());
        assert_eq!(status(&output), 0, "{output:?}");
        assert_eq!(layout_of(&terminal.path("out.wav")), "stereo");
        let wanted = gains.map(|gain| (100.0 * (gain * gain / 2.0).log10()).round() / 10.0);
        assert_eq!(levels(&terminal.path("out.wav")), wanted, "{mask:#x}");
    }
}
