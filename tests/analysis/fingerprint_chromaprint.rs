//! Chromaprint fingerprints: against `fpcalc`, and against themselves.

use analysis::fingerprint::chromaprint::{
    Fingerprinter, Format, ITEM_S, SILENCE, SPAN_S, best_alignment, compress, decompress, printed,
};
use analysis::fingerprint::{Listener, SourceFormat};
use audio::{AudioFormat, Layout};
use base::Error;
use base::units::SampleRate;
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    made_with: String,
    cases: Vec<Case>,
    printed: Printed,
}

#[derive(Deserialize)]
struct Case {
    rate: u32,
    channels: usize,
    seconds: f64,
    kind: String,
    length: f64,
    /// The speaker layout as bits of `dwChannelMask`; 0 if the file states none.
    mask: u32,
    items: Vec<u32>,
}

#[derive(Deserialize)]
struct Printed {
    duration: f64,
    raw: Vec<u32>,
    text: String,
    text_raw: String,
    json: String,
    json_raw: String,
    plain: String,
}

fn reference() -> Reference {
    let reference: Reference = serde_json::from_str(include_str!("../reference/chromaprint.json")).unwrap();
    assert!(reference.made_with.contains("1.5.1"));
    reference
}

/// The signal of `tests/reference/chromaprint.py`, whose whole numbers are the same here.
mod signal {
    const NOTES_MHZ: [u64; 12] =
        [110_000, 130_813, 146_832, 164_814, 195_998, 220_000, 261_626, 293_665, 329_628, 391_995, 440_000, 523_251];

    fn pick(x: u64) -> u64 {
        let x = (x * 2_654_435_761 + 974_711) % 4_294_967_296;
        let x = (x ^ (x >> 15)) * 2_246_822_519 % 4_294_967_296;
        x ^ (x >> 13)
    }

    fn triangle(n: u64, mhz: u64, rate: u64) -> i64 {
        let period = rate * 1000;
        let value = (32_768 * (n * mhz % period) / period) as i64;
        if value < 16_384 { value - 8192 } else { 24_576 - value }
    }

    pub fn sample(n: u64, channel: u64, rate: u64) -> f32 {
        let beat = 4 * n / rate;
        let voice = |voice: u64| {
            let note = pick(beat / (4 - voice) * 8 + voice) % 12;
            triangle(n, (1 + voice) * NOTES_MHZ[note as usize], rate)
        };
        let balance = 3 + ((channel + beat) % 3) as i64;
        let noise = (pick(n * 8 + channel) % 512) as i64 - 256;
        let mixed = voice(0) * balance + voice(1) * 4 + voice(2) * (8 - balance);
        (mixed.div_euclid(12) + noise) as f32 / 32_768.0
    }
}

fn planes(rate: u32, channels: usize, seconds: f64) -> Vec<Vec<f32>> {
    let frames = (f64::from(rate) * seconds) as u64;
    (0..channels as u64)
        .map(|channel| (0..frames).map(|n| signal::sample(n, channel, u64::from(rate))).collect())
        .collect()
}

fn source(rate: u32, channels: usize, bits: Option<u32>) -> SourceFormat {
    SourceFormat::new(SampleRate::new(rate).unwrap(), channels, bits)
}

fn whole(source: SourceFormat, length_s: f64, planes: &[Vec<f32>]) -> Vec<u32> {
    let mut fingerprinter = Fingerprinter::new(source, length_s).unwrap();
    let slices: Vec<&[f32]> = planes.iter().map(Vec::as_slice).collect();
    fingerprinter.push(&slices).unwrap();
    fingerprinter.finish()
}

fn differing(a: &[u32], b: &[u32]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

#[test]
fn items_are_fpcalcs() {
    let (mut bits, mut differ) = (0, 0);
    for case in reference().cases {
        let Case { rate, channels, seconds, ref kind, length, mask, ref items } = case;
        let format = AudioFormat::new(SampleRate::new(rate).unwrap(), channels).with_layout(Layout::from_mask(mask));
        let source = SourceFormat::of(format, (kind == "integer").then_some(16));
        let ours = whole(source, length, &planes(rate, channels, seconds));
        let name = format!("{rate} Hz, {channels} channels, {seconds} s, {kind}, length {length}, layout {mask:#x}");
        // Its last item may be missing: at the end of a file it drops the samples still in its converter.
        assert!(
            ours.len() == items.len() || ours.len() == items.len() + 1,
            "{name}: {} of {}",
            ours.len(),
            items.len()
        );
        let wrong = differing(&ours, items);
        println!("{name}: {} items, {wrong} bits differ", items.len());
        assert!(f64::from(wrong) <= 0.004 * (items.len() * 32) as f64, "{name}: {wrong} bits differ");
        bits += items.len() * 32;
        differ += wrong;
    }
    assert!(bits > 20_000);
    assert!(f64::from(differ) <= 0.001 * bits as f64, "{differ} of {bits} bits differ");
}

#[test]
fn a_spoiled_signal_is_told_from_the_reference() {
    let case = &reference().cases[0];
    let mut planes = planes(case.rate, case.channels, case.seconds);
    // Half a semitone higher: one frame in 35 is left out.
    for plane in &mut planes {
        *plane = plane.iter().enumerate().filter(|(n, _)| n % 35 != 0).map(|(_, x)| *x).collect();
    }
    let ours = whole(source(case.rate, case.channels, Some(16)), 0.0, &planes);
    let compared = ours.len().min(case.items.len());
    assert!(f64::from(differing(&ours, &case.items)) > 0.05 * (compared * 32) as f64);
}

#[test]
fn output_is_fpcalcs() {
    let Printed { duration, raw, text, text_raw, json, json_raw, plain } = reference().printed;
    let ours = |format, as_raw| printed(&raw, duration, format, as_raw).unwrap();
    assert_eq!(ours(Format::Text, false), text);
    assert_eq!(ours(Format::Text, true), text_raw);
    assert_eq!(ours(Format::Json, false), json);
    assert_eq!(ours(Format::Json, true), json_raw);
    assert_eq!(ours(Format::Plain, false), plain);
    assert_eq!(decompress(plain.trim()).unwrap(), raw);
    assert!(matches!(printed(&[], 1.0, Format::Text, false), Err(Error::Impossible(_))));
}

#[test]
fn blocks_and_layouts_give_the_items_of_the_whole() {
    for (rate, channels, bits) in [(44_100, 2, Some(16)), (48_000, 2, None), (8000, 1, None), (11_025, 6, Some(8))] {
        let planes = planes(rate, channels, 5.0);
        let source = source(rate, channels, bits);
        let expected = whole(source, 0.0, &planes);
        assert!(expected.len() > 15);
        for size in [997, 4096, 100_000] {
            let mut planar = Fingerprinter::new(source, 0.0).unwrap();
            let mut interleaved = Fingerprinter::new(source, 0.0).unwrap();
            let mut both = Listener::new(source, 0.0).unwrap();
            for start in (0..planes[0].len()).step_by(size) {
                let end = planes[0].len().min(start + size);
                let slices: Vec<&[f32]> = planes.iter().map(|plane| &plane[start..end]).collect();
                planar.push(&slices).unwrap();
                both.push(&slices).unwrap();
                let mixed: Vec<f32> = (start..end).flat_map(|n| planes.iter().map(move |plane| plane[n])).collect();
                interleaved.push_interleaved(&mixed).unwrap();
            }
            assert_eq!(planar.finish(), expected);
            assert_eq!(interleaved.finish(), expected);
            assert_eq!(both.finish().chromaprint, expected);
        }
    }
}

#[test]
fn length_is_the_first_seconds() {
    let planes = planes(22_050, 1, 8.0);
    let source = source(22_050, 1, Some(16));
    let all = whole(source, 0.0, &planes);
    let some = whole(source, 5.0, &planes);
    assert_eq!(some[..], all[..some.len()]);
    assert_eq!(some.len(), 1 + ((5.0 - SPAN_S) / ITEM_S) as usize);
    let mut fingerprinter = Fingerprinter::new(source, 5.0).unwrap();
    assert!(!fingerprinter.is_full());
    fingerprinter.push(&[&planes[0][..120_000]]).unwrap();
    assert!(fingerprinter.is_full());
}

#[test]
fn short_silent_and_broken_input() {
    let of = |x: &[f32]| whole(source(11_025, 1, None), 0.0, &[x.to_vec()]);
    let span = (SPAN_S * 11_025.0).round() as usize;
    assert!(of(&[]).is_empty() && of(&[0.5]).is_empty() && of(&vec![0.5; span - 1]).is_empty());
    assert_eq!(of(&vec![0.0; span]), [SILENCE]);
    assert_eq!(of(&vec![0.0; 50_000]), vec![SILENCE; 1 + (50_000 - span) / 1365]);
    assert_eq!(of(&vec![f32::NAN; 50_000]), of(&vec![0.0; 50_000]));
    assert!(!of(&vec![f32::INFINITY; 50_000]).is_empty());
    assert!(matches!(Fingerprinter::new(source(8000, 0, None), 0.0), Err(Error::Invalid { .. })));
    let mut two = Fingerprinter::new(source(8000, 2, None), 0.0).unwrap();
    assert!(matches!(two.push(&[&[0.0]]), Err(Error::Invalid { .. })));
    assert!(matches!(two.push(&[&[0.0], &[0.0, 0.0]]), Err(Error::Invalid { .. })));
    assert!(matches!(two.push_interleaved(&[0.0; 3]), Err(Error::Invalid { .. })));
}

#[test]
fn copies_align_and_strangers_do_not() {
    let song = planes(22_050, 1, 20.0);
    let cut = vec![song[0][5 * 22_050..].iter().map(|x| 0.5 * x).collect::<Vec<f32>>()];
    let (a, b) = (whole(source(22_050, 1, None), 0.0, &song), whole(source(22_050, 1, None), 0.0, &cut));
    let found = best_alignment(&a, &b).unwrap();
    assert!(found.score > 0.85, "{found:?}");
    assert!((found.offset_s + 5.0).abs() <= ITEM_S && found.overlap_s > 11.0, "{found:?}");
    let backwards: Vec<Vec<f32>> = vec![song[0].iter().rev().copied().collect()];
    assert_eq!(best_alignment(&a, &whole(source(22_050, 1, None), 0.0, &backwards)), None);
}

#[test]
fn compressed_forms_that_cannot_be() {
    assert!(matches!(decompress(""), Err(Error::Invalid { .. })));
    assert!(matches!(decompress("AAAA"), Err(Error::Invalid { .. })));
    // Algorithm 2 (counted from 0) with no items; then ours.
    assert!(matches!(decompress("AgAAAA"), Err(Error::Invalid { .. })));
    assert_eq!(decompress("AQAAAA").unwrap(), Vec::<u32>::new());
    // Claims of sixteen million items in a few bytes.
    assert!(matches!(decompress("Af___wAA"), Err(Error::Invalid { .. })));
    assert!(matches!(decompress("not a fingerprint!"), Err(Error::Invalid { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn compression_loses_nothing(items in prop::collection::vec(any::<u32>(), 0..200)) {
        prop_assert_eq!(decompress(&compress(&items).unwrap()).unwrap(), items);
    }

    #[test]
    fn any_text_is_a_fingerprint_or_an_error(text in "(AQ)?[A-Za-z0-9_-]{0,120}") {
        if let Ok(items) = decompress(&text) {
            prop_assert_eq!(decompress(&compress(&items).unwrap()).unwrap(), items);
        }
    }

    #[test]
    fn any_characters_are_no_panic(text in ".{0,60}") {
        let _ = decompress(&text);
    }
}
