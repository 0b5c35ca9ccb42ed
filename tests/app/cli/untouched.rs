//! Untouched sound keeps its bits: every command that can leave sound unchanged, from 16 bits to 16 and 24 bits, in WAV
//! and FLAC.

use undertone::audio::encode::{Dither, EncodeSettings, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFile, AudioReader, Tags};

use crate::support::terminal::{Terminal, said, status};

const FRAMES: usize = 96_000;

/// Returns 16-bit noise in two different channels, with digital silence from 0.5 s to 0.8 s and at the end.
fn sound() -> Vec<Vec<f32>> {
    let channel = |step: u32| {
        let mut state = step;
        (0..FRAMES)
            .map(|n| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let is_silent = (24_000..38_400).contains(&n) || n > 90_000;
                if is_silent { 0.0 } else { (state >> 18) as f32 / 32_768.0 - 0.25 }
            })
            .collect()
    };
    vec![channel(1), channel(77)]
}

fn terminal() -> Terminal {
    let terminal = Terminal::new();
    let settings = EncodeSettings { sample: SampleFormat::Int16, dither: Dither::None, ..EncodeSettings::default() };
    terminal.write("in.wav", 48_000, sound(), &settings, &Tags::default());
    std::fs::write(terminal.path("labels.txt"), "0\t0\tOne\n1\t1\tTwo\n").expect("labels");
    std::fs::create_dir(terminal.path("parts")).expect("a folder");
    terminal
}

fn read(terminal: &Terminal, name: &str) -> Vec<Vec<f32>> {
    let file = AudioFile::open(&terminal.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut block = AudioBuffer::default();
    file.reader().expect("a reader").read(&mut block, 1 << 20).expect("samples");
    block.iter().map(<[f32]>::to_vec).collect()
}

fn run(terminal: &Terminal, words: &[&str]) {
    let output = terminal.run(words);
    assert_eq!(status(&output), 0, "{words:?}: {}", said(&output));
}

#[test]
fn files_that_are_only_copied_are_the_same() {
    let (terminal, sound) = (terminal(), sound());
    for (name, more) in [
        ("a.flac", &[][..]),
        ("b.wav", &["--tag", "TITLE=Two"]),
        ("c.wav", &["--bits", "24"]),
        ("d.wav", &["--bits", "16", "--dither", "tpdf"]),
        ("e.flac", &["--bits", "16", "--dither", "shaped"]),
        ("f.wav", &["-c", "gain(0 dB)"]),
        ("g.wav", &["-c", "off(gain(-6 dB))"]),
        ("h.wav", &["-c", "swap | swap"]),
        ("i.flac", &["-c", "invert | invert"]),
    ] {
        run(&terminal, &[&["process", "in.wav", "-o", name], more].concat());
        assert!(read(&terminal, name) == sound, "{name}");
    }
    // Through a lossless file and back.
    run(&terminal, &["process", "a.flac", "-o", "back.wav"]);
    assert_eq!(read(&terminal, "back.wav"), sound);
    run(&terminal, &["process", "in.wav", "-o", "part.wav", "--start", "0.25", "--end", "1.5"]);
    let part: Vec<Vec<f32>> = sound.iter().map(|channel| channel[12_000..72_000].to_vec()).collect();
    assert_eq!(read(&terminal, "part.wav"), part);
    run(&terminal, &["markers", "in.wav", "--import", "labels.txt", "-o", "marked.flac"]);
    assert_eq!(read(&terminal, "marked.flac"), sound);
    run(&terminal, &["split", "in.wav", "--at", "1", "-o", "parts"]);
    let parts: Vec<Vec<Vec<f32>>> =
        terminal.names("parts").iter().map(|name| read(&terminal, &format!("parts/{name}"))).collect();
    assert_eq!(parts.len(), 2);
    for channel in 0..2 {
        assert!([&parts[0][channel][..], &parts[1][channel]].concat() == sound[channel], "parts");
    }
}

#[test]
fn what_an_edit_or_a_part_leaves_alone_is_the_same() {
    let (terminal, sound) = (terminal(), sound());
    let words = ["edit", "in.wav", "-o", "edited.wav", "--reverse", "0..0.5", "--silence", "1..1.1"];
    run(&terminal, &words);
    let edited = read(&terminal, "edited.wav");
    // An edit fades within 5 ms of its edges.
    let differ = |got: &[Vec<f32>], from: usize, to: usize| {
        got.iter().zip(&sound).any(|(got, sound)| got[from..to] != sound[from..to])
    };
    assert!(!differ(&edited, 24_240, 47_760) && !differ(&edited, 53_040, FRAMES));
    let reversed: Vec<f32> = sound[0][240..23_760].iter().rev().copied().collect();
    assert_eq!(edited[0][240..23_760], reversed);
    assert!(edited.iter().all(|channel| channel[48_240..52_560].iter().all(|sample| *sample == 0.0)));

    for (name, more) in [("p.wav", &[][..]), ("q.flac", &["--dither", "shaped"])] {
        let chain = "during(0.9 s, 1.1 s, gain(-3 dB))";
        run(&terminal, &[&["process", "in.wav", "-o", name, "-c", chain], more].concat());
        let during = read(&terminal, name);
        assert!(!differ(&during, 0, 43_200) && !differ(&during, 52_800, FRAMES), "{name}");
        assert!(differ(&during, 43_800, 52_200));
        // Changed samples do not fit 16 bits and are dithered: without dither, all of them would only be rounded.
        let rounded = |sample: f32| (sample * 0.707_945_8 * 32_768.0).round() / 32_768.0;
        let plain = (43_800..52_200).filter(|&n| (during[0][n] - rounded(sound[0][n])).abs() < 1e-7).count();
        assert!(plain < 8_000, "{name}: {plain} samples are only rounded");
    }
}

#[test]
fn what_does_not_fit_is_dithered_and_counted() {
    let terminal = terminal();
    run(&terminal, &["process", "in.wav", "-o", "deep.wav", "--bits", "24", "-c", "gain(-1 dB)"]);
    run(&terminal, &["process", "deep.wav", "-o", "usual.wav", "--bits", "16"]);
    run(&terminal, &["process", "deep.wav", "-o", "none.wav", "--bits", "16", "--dither", "none"]);
    let (usual, none) = (read(&terminal, "usual.wav"), read(&terminal, "none.wav"));
    let differing = (0..24_000).filter(|&n| usual[0][n] != none[0][n]).count();
    assert!((4_000..12_000).contains(&differing), "{differing}");
    // The silence fits 16 bits and is not dithered.
    for channel in &usual {
        assert!(channel[24_000..38_400].iter().all(|sample| *sample == 0.0), "silence is not dithered");
    }
}
