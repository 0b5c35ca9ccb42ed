//! Valid and invalid chain texts, and their error messages.

use super::*;
use crate::chain::{NodeId, NodeKind};

fn canonical(text: &str) -> String {
    text.parse::<Chain>().unwrap_or_else(|error| panic!("{text}: {error}")).to_string()
}

#[test]
fn canonical_texts_print_as_they_are() {
    for text in [
        "",
        "normalize",
        "gain(-3 dB)",
        "highpass(80 Hz, order=4) | (peaking(1 kHz, q=2, gain=3 dB) + gain(-6 dB)) | normalize(-3 dB)",
        "gain(1 dB) + gain(2 dB)",
        "bandpass(300 Hz, 3.4 kHz, order=24)",
        "rbj_bandpass(1 kHz, q=2, peak=unity) | (gain(1 dB) | gain(2 dB))",
        "off(mix(40 %, label(\"low \\\"cut\\\" \u{e9}\\n\", highpass(80 Hz))))",
        "off(gain(1 dB) | gain(2 dB))",
        "mix(50 %, gain(1 dB) + gain(2 dB))",
        "(gain(1 dB) + gain(2 dB)) | (gain(1 dB) + (gain(2 dB) | gain(3 dB)) + (gain(4 dB) + gain(5 dB)))",
        "off(off(gain(1 dB)))",
        "mix(20 %, mix(30 %, gain(1 dB)))",
        "normalize(mode=per_channel)",
        "highpass(80 Hz, order=4) | (peaking(1 kHz, q=2, gain=3 dB) + delay(1/8, bpm=125, mix=20 %)) | gain(-1 dB)",
        "delay(3/16d) | delay(1/8t, bpm=90) | delay(350 ms)",
        "(gain(1 dB) | gain(2 dB))",
    ] {
        assert_eq!(canonical(text), text);
    }
}

#[test]
fn other_spellings_print_canonically() {
    for (text, printed) in [
        ("  \n", ""),
        ("normalize()", "normalize"),
        ("gain(3)|gain(gain=-0.5DB)", "gain(3 dB) | gain(-0.5 dB)"),
        ("gain(\u{2212}3 dB)", "gain(-3 dB)"),
        ("gain(+3dB)", "gain(3 dB)"),
        ("delay(time = 1 / 8 d)", "delay(1/8d)"),
        ("delay(0.25)", "delay(250 ms)"),
        ("highpass(0.08 kHz, 2, butterworth)", "highpass(80 Hz)"),
        ("highpass(8e1)", "highpass(80 Hz)"),
        ("lowpass(1234.5)", "lowpass(1.2345 kHz)"),
        ("peaking(1000, 2, 3)", "peaking(1 kHz, q=2, gain=3 dB)"),
        ("peaking(gain=3, q=2, center=1khz)", "peaking(1 kHz, q=2, gain=3 dB)"),
        ("((gain(1)))", "gain(1 dB)"),
        ("mix(0.4, gain(1))", "mix(40 %, gain(1 dB))"),
        ("mix(100 %, gain(1))", "gain(1 dB)"),
        ("label(\"x\", off(mix(40%, gain(1))))", "off(mix(40 %, label(\"x\", gain(1 dB))))"),
        ("label(\"\\u{1F50A}\", gain(1))", "label(\"\u{1F50A}\", gain(1 dB))"),
        ("gain(1)+gain(2)", "gain(1 dB) + gain(2 dB)"),
        ("gain(1)+gain(2)|gain(3)", "(gain(1 dB) + gain(2 dB)) | gain(3 dB)"),
        ("off(label(\"x\", off(gain(1))))", "off(off(label(\"x\", gain(1 dB))))"),
    ] {
        assert_eq!(canonical(text), printed, "{text}");
        assert_eq!(canonical(printed), printed);
    }
}

#[test]
fn a_unit_a_pitch_or_a_word_of_another_program_says_what_is_meant() {
    for (text, printed) in [
        ("normalize(-16 LUFS)", "normalize(-16 dB, to=lufs)"),
        ("normalize(-16 lufs, ceiling=-1 dBTP)", "normalize(-16 dB, to=lufs, ceiling=-1 dB)"),
        ("normalize(-1 dBTP)", "normalize(to=true_peak)"),
        ("normalize(-3 dBFS)", "normalize(-3 dB)"),
        ("normalize(-16 LUFS, to=lufs)", "normalize(-16 dB, to=lufs)"),
        ("gain(50 %)", "gain(-6.0206 dB)"),
        ("gain(200 %)", "gain(6.0206 dB)"),
        ("gain(2 x)", "gain(6.0206 dB)"),
        ("delay(1/8)", "delay(1/8)"),
        ("delay(1/8, 90 bpm)", "delay(1/8, bpm=90)"),
        ("delay(250 ms, feedback=-6 dB)", "delay(250 ms, feedback=50.12 %)"),
        ("delay(1/4, lowpass=off)", "delay(1/4)"),
        ("delay(1/4, taps=endless)", "delay(1/4)"),
        ("peaking(A4, q=1, gain=3)", "peaking(440 Hz, q=1, gain=3 dB)"),
        ("notch(C#3, q=30)", "notch(138.5913 Hz, q=30)"),
        ("notch(db3, q=30)", "notch(138.5913 Hz, q=30)"),
        ("highpass(0.08k)", "highpass(80 Hz)"),
        ("compressor(-20 dBFS, 3:1)", "compressor(ratio=3)"),
        ("compressor(-30, ratio=8:2)", "compressor(-30 dB)"),
        ("pitch_shift(3 semitones)", "pitch_shift(3)"),
        ("fade_in(0.5 min)", "fade_in(30 s)"),
        ("fade_in(250000 us)", "fade_in(250 ms)"),
        ("hpf(80) | lpf(8k)", "highpass(80 Hz) | lowpass(8 kHz)"),
        ("low_cut(80 Hz)", "highpass(80 Hz)"),
        ("Amplify(3)", "gain(3 dB)"),
        ("echo(1/8, wet=20 %)", "delay(1/8, mix=20 %)"),
        ("normalise(-16, to=loudness)", "normalize(-16 dB, to=lufs)"),
        ("highpass(freq=80, slope=4, type=butter)", "highpass(80 Hz, order=4)"),
        ("gain(3, clamp=yes)", "gain(3 dB, clamp=on)"),
        ("limiter(-1 dBTP)", "limiter"),
    ] {
        assert_eq!(canonical(text), printed, "{text}");
        assert_eq!(canonical(printed), printed);
    }
}

#[test]
fn nodes_are_numbered_in_the_order_of_the_text() {
    let chain: Chain = "gain(1) | (gain(2) + gain(3)) | gain(4)".parse().unwrap();
    let ids: Vec<u32> = chain.walk().map(|node| node.id.0).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5]);
    assert!(matches!(chain.find(NodeId(2)).unwrap().kind, NodeKind::Parallel { .. }));
}
