//! Invalid chain texts: the error messages and their positions.

use super::*;

fn refused(text: &str) -> NotationError {
    match text.parse::<Chain>() {
        Ok(chain) => panic!("{text} was read as {chain}"),
        Err(error) => error,
    }
}

/// Returns the text with the position of the error marked.
fn marked(text: &str) -> String {
    let error = refused(text);
    assert_eq!(error.got, text[error.start..error.end], "{text}");
    format!("{}[{}]{}", &text[..error.start], error.got, &text[error.end..])
}

#[test]
fn errors_point_at_what_is_wrong() {
    for (text, place, said) in [
        ("highpas(80)", "[highpas](80)", "There is no effect `highpas`"),
        ("gain(1) | |", "gain(1) | [|]", "Expected an effect or a bracket"),
        ("gain(1) |", "gain(1) |[]", "Expected an effect or a bracket"),
        ("+ gain(1)", "[+] gain(1)", "Expected an effect or a bracket"),
        ("()", "([)]", "Expected an effect or a bracket"),
        ("(gain(1)", "(gain(1)[]", "A bracket is not closed"),
        ("gain(1))", "gain(1)[)]", "Expected `|`, `+` or the end"),
        ("gain(1) gain(2)", "gain(1) [gain](2)", "Expected `|`, `+` or the end"),
        ("gain", "[gain]", "`gain` needs a value for `gain`"),
        ("gain(", "gain([]", "Expected a value"),
        ("gain(1", "gain(1[]", "Expected `,` or `)`"),
        ("gain(1,)", "gain(1,[)]", "Expected a value"),
        ("gain(1 2)", "gain(1 [2])", "Expected `,` or `)`"),
        ("gain(3 Hz)", "gain(3 [Hz])", "`gain` is in dB, not in Hz"),
        ("gain(gain=3 Hz)", "gain(gain=3 [Hz])", "`gain` is in dB, not in Hz"),
        ("highpass(80 dB)", "highpass(80 [dB])", "`cutoff` is in Hz or kHz, not in dB"),
        ("highpass(80, order=2 Hz)", "highpass(80, order=2 [Hz])", "`order` has no unit"),
        ("highpass(80, order=2 %)", "highpass(80, order=2 [%])", "`order` has no unit"),
        ("highpass(80, order=2.5)", "highpass(80, order=[2.5])", "`order` is out of range"),
        ("highpass(80, order=25)", "highpass(80, order=[25])", "`order` is out of range"),
        ("highpass(-80 Hz)", "highpass([-80 Hz])", "`cutoff` is out of range"),
        ("highpass(1e999)", "highpass([1e999])", "`cutoff` is not a finite number"),
        ("highpass(nan)", "highpass([nan])", "`cutoff` must be a number"),
        ("highpass(\"80\")", "highpass([\"80\"])", "`cutoff` must be a number"),
        ("highpass(80, ordr=2)", "highpass(80, [ordr]=2)", "`highpass` has no parameter `ordr`"),
        ("highpass(order=2, 80)", "highpass(order=2, [80])", "must come before named ones"),
        ("highpass(80, cutoff=80)", "highpass(80, [cutoff=80])", "`cutoff` is given twice"),
        ("gain(1, on, 2)", "gain(1, on, [2])", "`gain` has no more parameters"),
        ("highpass(80, design=buterworth)", "highpass(80, design=[buterworth])", "`design` cannot be `buterworth`"),
        ("highpass(80, design=1)", "highpass(80, design=[1])", "`design` must be a word"),
        ("bandpass(2 kHz, 1 kHz)", "[bandpass(2 kHz, 1 kHz)]", "Band-pass: Low must be below High (1 kHz)"),
        ("gain(1) | bandpass(2, 2) ", "gain(1) | [bandpass(2, 2)] ", "Band-pass: Low must be below High (2 Hz)"),
        ("gain(1/8)", "gain([1/8])", "`gain` cannot be a note"),
        ("gain(1/", "gain([1/]", "This is not a note"),
        ("delay(1/8x)", "delay([1/8x])", "This is not a note"),
        ("delay(1/0)", "delay([1/0])", "This is not a note"),
        ("delay(1/2.5)", "delay([1/2.5])", "This is not a note"),
        ("delay(-1/8)", "delay([-1/8])", "This is not a note"),
        ("delay(1/d)", "delay([1/d])", "This is not a note"),
        ("delay(eighth)", "delay([eighth])", "`time` must be a number or a note"),
        ("delay(9 Hz)", "delay(9 [Hz])", "`time` is in s or ms, not in Hz"),
        ("delay(2/1, bpm=20)", "[delay(2/1, bpm=20)]", "but 2/1 at 20 beats per minute is 24 s"),
        ("gain(1) & gain(2)", "gain(1) [&] gain(2)", "`&` has no meaning here"),
        ("gain(1) \u{2192} gain(2)", "gain(1) [\u{2192}] gain(2)", "has no meaning here"),
        ("normalize(-16 LUFS, to=peak)", "normalize([-16 LUFS], to=peak)", "LUFS means to=lufs, but to=peak is given"),
        ("gain(3 LUFS)", "gain(3 [LUFS])", "`gain` is in dB, not in LUFS"),
        ("gain(0 %)", "gain([0 %])", "`gain` is not a finite number"),
        ("gain(A4)", "gain([A4])", "`gain` must be a number"),
        ("notch(A99, q=1)", "notch([A99], q=1)", "`center` must be a number"),
        ("compressor(-20, 4:0)", "compressor(-20, [4:0])", "This is not a ratio"),
        ("highpass(3:1)", "highpass([3:1])", "`cutoff` cannot be a ratio"),
        ("off", "off[]", "off(...)"),
        ("off()", "off([)]", "Expected an effect or a bracket"),
        ("mix(gain(1))", "mix([gain](1))", "The mix must be a number"),
        ("mix(120 %, gain(1))", "mix([120 %], gain(1))", "The mix is out of range"),
        ("mix(-1 %, gain(1))", "mix([-1 %], gain(1))", "The mix is out of range"),
        ("mix(40 dB, gain(1))", "mix(40 [dB], gain(1))", "mix(40 %, ...)"),
        ("label(x, gain(1))", "label([x], gain(1))", "The label must be in quotes"),
        ("label(\"x\" gain(1))", "label(\"x\" [gain](1))", "Expected an effect after the name"),
        ("label(\"x, gain(1))", "label([\"x, gain(1))]", "The quotation mark is not closed"),
        ("label(\"\\q\", gain(1))", "label(\"[\\q]\", gain(1))", "This escape has no meaning"),
        ("label(\"\\u{110000}\", gain(1))", "label(\"[\\u{110000}]\", gain(1))", "This escape has no meaning"),
        ("label(\"\\", "label(\"[\\]", "This escape has no meaning"),
    ] {
        assert_eq!(marked(text), place);
        let message = refused(text).message;
        assert!(message.contains(said), "{text}: {message}");
    }
}

#[test]
fn errors_say_what_is_allowed_and_what_is_near() {
    let error = refused("gain(1) | hihgpass(80)");
    assert_eq!(error.nearest.as_deref(), Some("highpass"));
    assert!(error.allowed.iter().any(|name| name == "peaking") && error.allowed.iter().any(|name| name == "mix"));
    assert_eq!(refused("gain(3 Hz)").to_string(), "Position 8: `gain` is in dB, not in Hz. Allowed: dB.");
    assert_eq!(refused("peaking(1 kHz, gian=1)").nearest.as_deref(), Some("gain"));
    assert_eq!(refused("lowpass(1 kz)").nearest.as_deref(), Some("kHz"));
    assert_eq!(refused("lo_pass(1 kHz)").nearest.as_deref(), Some("lowpass"));
    // Words that mean no single effect are answered with the effect that does it.
    for (word, ours) in
        [("rumble(80)", "highpass"), ("volume(3)", "gain"), ("hiss(3)", "denoise"), ("tempo(2)", "time_stretch")]
    {
        assert_eq!(refused(word).nearest.as_deref(), Some(ours), "{word}");
    }
    assert_eq!(refused("zzz(1 kHz)").nearest, None);
    assert_eq!(refused("peaking(1 kHz)").allowed, ["q=0.001 to 1000"]);
    assert_eq!(refused("highpass(500 kHz)").allowed, ["0.1 Hz to 384 kHz"]);
    assert_eq!(refused("highpass(9, order=0)").allowed, ["a whole number from 1 to 24"]);
}

#[test]
fn nesting_ends_before_the_stack_does() {
    let nested = |depth: usize| format!("{}gain(1){}", "off(".repeat(depth), ")".repeat(depth));
    assert!(nested(MAX_DEPTH).parse::<Chain>().is_ok());
    assert!(refused(&nested(MAX_DEPTH + 1)).message.contains("too deeply"));
    assert!(refused(&"(".repeat(1_000_000)).message.contains("too deeply"));
    assert!(refused(&"mix(1%,".repeat(100_000)).message.contains("too deeply"));
    // Consecutive brackets do not count as depth.
    let wide = vec!["(gain(1) + gain(2))"; 2000].join(" | ");
    assert_eq!(wide.parse::<Chain>().unwrap().nodes.len(), 2000);
    let long = |nodes: usize| vec!["gain(1)"; nodes].join(" | ");
    assert!(long(MAX_NODES).parse::<Chain>().is_ok());
    assert!(refused(&long(MAX_NODES + 1)).message.contains("too long"));
}
