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
        ("highpas(80)", "[highpas](80)", "there is no effect `highpas`"),
        ("gain(1) | |", "gain(1) | [|]", "an effect or a bracket should stand here"),
        ("gain(1) |", "gain(1) |[]", "an effect or a bracket should stand here"),
        ("+ gain(1)", "[+] gain(1)", "an effect or a bracket should stand here"),
        ("()", "([)]", "an effect or a bracket should stand here"),
        ("(gain(1)", "(gain(1)[]", "a bracket is not closed"),
        ("gain(1))", "gain(1)[)]", "should go on with"),
        ("gain(1) gain(2)", "gain(1) [gain](2)", "should go on with"),
        ("gain", "[gain]", "`gain` needs its `gain`"),
        ("gain(", "gain([]", "a value should stand here"),
        ("gain(1", "gain(1[]", "the arguments are not closed"),
        ("gain(1,)", "gain(1,[)]", "a value should stand here"),
        ("gain(1 2)", "gain(1 [2])", "the arguments are not closed"),
        ("gain(3 Hz)", "gain(3 [Hz])", "`gain` is not in Hz but in dB"),
        ("gain(gain=3 Hz)", "gain(gain=3 [Hz])", "`gain` is not in Hz but in dB"),
        ("highpass(80 dB)", "highpass(80 [dB])", "`cutoff` is not in dB but in Hz or kHz"),
        ("highpass(80, order=2 Hz)", "highpass(80, order=2 [Hz])", "`order` has no unit"),
        ("highpass(80, order=2 %)", "highpass(80, order=2 [%])", "`order` has no unit"),
        ("highpass(80, order=2.5)", "highpass(80, order=[2.5])", "`order` is out of range"),
        ("highpass(80, order=25)", "highpass(80, order=[25])", "`order` is out of range"),
        ("highpass(-80 Hz)", "highpass([-80 Hz])", "`cutoff` is out of range"),
        ("highpass(1e999)", "highpass([1e999])", "`cutoff` is not a finite number"),
        ("highpass(nan)", "highpass([nan])", "`cutoff` is a number"),
        ("highpass(\"80\")", "highpass([\"80\"])", "`cutoff` is a number"),
        ("highpass(80, ordr=2)", "highpass(80, [ordr]=2)", "`highpass` has no parameter `ordr`"),
        ("highpass(order=2, 80)", "highpass(order=2, [80])", "cannot follow one by name"),
        ("highpass(80, cutoff=80)", "highpass(80, [cutoff=80])", "`cutoff` is given twice"),
        ("gain(1, on, 2)", "gain(1, on, [2])", "`gain` has no more parameters"),
        ("highpass(80, design=buterworth)", "highpass(80, design=[buterworth])", "`design` cannot be `buterworth`"),
        ("highpass(80, design=1)", "highpass(80, design=[1])", "`design` is a word"),
        ("bandpass(2 kHz, 1 kHz)", "[bandpass(2 kHz, 1 kHz)]", "bandpass low: got 2 kHz"),
        ("gain(1) | bandpass(2, 2) ", "gain(1) | [bandpass(2, 2)] ", "bandpass low: got 2 Hz"),
        ("gain(1/8)", "gain([1/8])", "`gain` takes no note"),
        ("gain(1/", "gain([1/]", "this fraction is no note"),
        ("delay(1/8x)", "delay([1/8x])", "this fraction is no note"),
        ("delay(1/0)", "delay([1/0])", "this fraction is no note"),
        ("delay(1/2.5)", "delay([1/2.5])", "this fraction is no note"),
        ("delay(-1/8)", "delay([-1/8])", "this fraction is no note"),
        ("delay(1/d)", "delay([1/d])", "this fraction is no note"),
        ("delay(eighth)", "delay([eighth])", "`time` is a number or a note"),
        ("delay(9 Hz)", "delay(9 [Hz])", "`time` is not in Hz but in s or ms"),
        ("delay(2/1, bpm=20)", "[delay(2/1, bpm=20)]", "delay time: got 2/1 at 20 beats a minute, that is 24 s"),
        ("gain(1) & gain(2)", "gain(1) [&] gain(2)", "`&` has no meaning here"),
        ("gain(1) \u{2192} gain(2)", "gain(1) [\u{2192}] gain(2)", "has no meaning here"),
        ("off", "off[]", "off(...)"),
        ("off()", "off([)]", "an effect or a bracket should stand here"),
        ("mix(gain(1))", "mix([gain](1))", "the share should be a number"),
        ("mix(120 %, gain(1))", "mix([120 %], gain(1))", "the share is out of range"),
        ("mix(-1 %, gain(1))", "mix([-1 %], gain(1))", "the share is out of range"),
        ("mix(40 dB, gain(1))", "mix(40 [dB], gain(1))", "mix(40 %, ...)"),
        ("label(x, gain(1))", "label([x], gain(1))", "the label should be a quoted string"),
        ("label(\"x\" gain(1))", "label(\"x\" [gain](1))", "after the name comes what is named"),
        ("label(\"x, gain(1))", "label([\"x, gain(1))]", "the string has no end"),
        ("label(\"\\q\", gain(1))", "label(\"[\\q]\", gain(1))", "this escape has no meaning"),
        ("label(\"\\u{110000}\", gain(1))", "label(\"[\\u{110000}]\", gain(1))", "this escape has no meaning"),
        ("label(\"\\", "label(\"[\\]", "this escape has no meaning"),
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
    assert_eq!(refused("gain(3 Hz)").to_string(), "at 7: `gain` is not in Hz but in dB; allowed: dB");
    assert_eq!(refused("peaking(1 kHz, gian=1)").nearest.as_deref(), Some("gain"));
    assert_eq!(refused("lowpass(1 kz)").nearest.as_deref(), Some("kHz"));
    assert_eq!(refused("lo_pass(1 kHz)").nearest.as_deref(), Some("lowpass"));
    assert_eq!(refused("zzz(1 kHz)").nearest, None);
    assert_eq!(refused("peaking(1 kHz)").allowed, ["q=0.001 to 1000"]);
    assert_eq!(refused("highpass(500 kHz)").allowed, ["0.1 Hz to 384 kHz"]);
    assert_eq!(refused("highpass(9, order=0)").allowed, ["a whole number from 1 to 24"]);
}

#[test]
fn nesting_ends_before_the_stack_does() {
    let nested = |depth: usize| format!("{}gain(1){}", "off(".repeat(depth), ")".repeat(depth));
    assert!(nested(MAX_DEPTH).parse::<Chain>().is_ok());
    assert!(refused(&nested(MAX_DEPTH + 1)).message.contains("too deep"));
    assert!(refused(&"(".repeat(1_000_000)).message.contains("too deep"));
    assert!(refused(&"mix(1%,".repeat(100_000)).message.contains("too deep"));
    // Consecutive brackets do not count as depth.
    let wide = vec!["(gain(1) + gain(2))"; 2000].join(" | ");
    assert_eq!(wide.parse::<Chain>().unwrap().nodes.len(), 2000);
    let long = |nodes: usize| vec!["gain(1)"; nodes].join(" | ");
    assert!(long(MAX_NODES).parse::<Chain>().is_ok());
    assert!(refused(&long(MAX_NODES + 1)).message.contains("too long"));
}
