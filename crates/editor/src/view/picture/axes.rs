//! The surroundings of the panels: ticks of time and frequency, a legend of levels, a title.

use super::text::{Align, write};
use super::{Image, PictureSpec};
use crate::view::spectrogram::{FrequencyAxis, SpectrogramSource};

const GROUND: [u8; 3] = [0x10, 0x13, 0x16];
const INK: [u8; 3] = [0xe6, 0xe9, 0xec];
const DIM: [u8; 3] = [0x9a, 0xa5, 0xb1];
const LEFT: u32 = 72;
const RIGHT: u32 = 92;
const TOP: u32 = 34;
const BOTTOM: u32 = 34;
const GAP: u32 = 10;
const TICK: u32 = 5;
/// The legend's distance from the panels and its width, in pixels.
const LEGEND: (u32, u32) = (16, 14);

/// Returns the upper left pixel of a panel.
pub(super) fn origin(spec: &PictureSpec, panel: u32) -> (u32, u32) {
    let (left, top, gap) = if spec.axes { (LEFT, TOP, GAP) } else { (0, 0, 0) };
    (left, top + panel * (spec.height + gap))
}

/// Returns a picture with everything except the panels' content.
pub(super) fn frame(spec: &PictureSpec, panels: u32, axis: &FrequencyAxis, source: &SpectrogramSource) -> Image {
    if !spec.axes {
        return Image::new(spec.width, spec.height * panels, GROUND);
    }
    let below = origin(spec, panels - 1).1 + spec.height;
    let mut image = Image::new(LEFT + spec.width + RIGHT, below + BOTTOM, GROUND);
    write(&mut image, &spec.title, (LEFT as f32, TOP as f32 / 2.0), Align::Left, INK);
    for panel in 0..panels {
        frequencies(&mut image, spec, origin(spec, panel).1, axis);
    }
    times(&mut image, spec, below, source);
    legend(&mut image, spec, below);
    image
}

fn frequencies(image: &mut Image, spec: &PictureSpec, top: u32, axis: &FrequencyAxis) {
    let [low, high] = [axis.low_hz, axis.high_hz].map(|hz| axis.scale.position_from_hz(hz));
    let mut last = f32::INFINITY;
    for hz in frequency_ticks(axis.high_hz) {
        let share = (axis.scale.position_from_hz(hz) - low) / (high - low);
        let y = top as f32 + (1.0 - share as f32) * spec.height as f32;
        let inside = (0.0..=1.0).contains(&share);
        // Labels must not touch each other.
        if inside && last - y > 18.0 {
            image.fill([LEFT - TICK, (y as u32).min(top + spec.height - 1), TICK, 1], DIM);
            write(
                image,
                &hertz(hz),
                ((LEFT - TICK - 4) as f32, y.clamp(top as f32 + 6.0, (top + spec.height) as f32 - 6.0)),
                Align::Right,
                DIM,
            );
            last = y;
        }
    }
}

/// Returns round frequencies in ascending order.
fn frequency_ticks(high_hz: f64) -> Vec<f64> {
    let mut ticks = vec![0.0];
    let mut decade = 10.0;
    while decade <= high_hz {
        ticks.extend([1.0, 2.0, 3.0, 5.0, 7.0].map(|times| times * decade).into_iter().filter(|hz| *hz <= high_hz));
        decade *= 10.0;
    }
    // Above 10 kHz a linear axis has room for more.
    ticks.extend([12e3, 14e3, 16e3, 18e3, 22e3].into_iter().filter(|hz| *hz <= high_hz));
    ticks.sort_by(f64::total_cmp);
    ticks
}

fn hertz(hz: f64) -> String {
    if hz >= 1000.0 { format!("{} kHz", hz / 1000.0) } else { format!("{hz} Hz") }
}

fn times(image: &mut Image, spec: &PictureSpec, below: u32, source: &SpectrogramSource) {
    let seconds = source.format().rate.seconds_from_frames(source.frames());
    let step = time_step(seconds / f64::from(spec.width) * 90.0);
    let mut tick = 0;
    loop {
        let at = f64::from(tick) * step;
        if at > seconds {
            return;
        }
        let x = LEFT + ((at / seconds) * f64::from(spec.width)) as u32;
        image.fill([x.min(LEFT + spec.width - 1), below, 1, TICK], DIM);
        write(image, &clock(at, step), (x as f32, (below + TICK) as f32 + 11.0), Align::Centre, DIM);
        tick += 1;
    }
}

/// Returns the smallest round step of at least `least` seconds.
fn time_step(least: f64) -> f64 {
    const ROUND: [f64; 12] = [1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0];
    if least <= 1.0 {
        let decade = 10f64.powf(least.log10().floor());
        return [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|times| times * decade)
            .find(|step| *step >= least)
            .unwrap_or(1.0);
    }
    ROUND.into_iter().find(|step| *step >= least).unwrap_or_else(|| (least / 3600.0).ceil() * 3600.0)
}

fn clock(seconds: f64, step: f64) -> String {
    let decimals = if step < 1.0 { (-step.log10()).ceil() as usize } else { 0 };
    let width = if decimals > 0 { 3 + decimals } else { 2 };
    let (minutes, rest) = ((seconds / 60.0 + 1e-9).floor(), seconds % 60.0);
    let rest = if 60.0 - rest < 1e-6 { 0.0 } else { rest };
    if minutes >= 60.0 {
        return format!("{}:{:02}:{rest:0width$.decimals$}", (minutes / 60.0).floor(), minutes % 60.0);
    }
    format!("{minutes}:{rest:0width$.decimals$}")
}

fn legend(image: &mut Image, spec: &PictureSpec, below: u32) {
    let (distance, width) = LEGEND;
    let left = LEFT + spec.width + distance;
    let height = below - TOP;
    for y in 0..height {
        let share = 1.0 - f64::from(y) / f64::from((height - 1).max(1));
        image.fill([left, TOP + y, width, 1], spec.colours[(share * 255.0).round() as usize]);
    }
    let step = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]
        .into_iter()
        .find(|step| step / spec.range_db * f64::from(height) >= 28.0)
        .unwrap_or(200.0);
    let bottom_db = spec.top_db - spec.range_db;
    let mut db = (bottom_db / step).ceil() * step;
    while db <= spec.top_db + 1e-9 {
        let y = TOP as f32 + ((spec.top_db - db) / spec.range_db) as f32 * (height - 1) as f32;
        image.fill([left + width, y as u32, TICK, 1], DIM);
        let words = format!("{} dB", db.round() as i64).replace('-', "\u{2212}");
        write(image, &words, ((left + width + TICK + 4) as f32, y), Align::Left, DIM);
        db += step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_round_and_read_as_clocks() {
        assert_eq!(
            [0.003, 0.2, 0.9, 1.0, 4.0, 61.0, 5000.0].map(time_step),
            [0.005, 0.2, 1.0, 1.0, 5.0, 120.0, 7200.0]
        );
        assert_eq!(clock(0.0, 1.0), "0:00");
        assert_eq!(clock(75.5, 0.5), "1:15.5");
        assert_eq!(clock(0.005, 0.005), "0:00.005");
        assert_eq!(clock(3725.0, 5.0), "1:02:05");
        assert_eq!(clock(120.0, 60.0), "2:00");
    }

    #[test]
    fn frequencies_are_round_and_in_order() {
        let ticks = frequency_ticks(24_000.0);
        assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]) && !ticks.contains(&440.0));
        assert_eq!((hertz(50.0), hertz(2000.0)), ("50 Hz".to_owned(), "2 kHz".to_owned()));
    }
}
