//! A comparison as one self-contained HTML page: tables, curves and spectrograms.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{Report, Row};
use crate::audio::Lanes;
use crate::compare::report::{alignment_cells, unit};
use crate::compare::{Curve, Direction, MEASURES, Measure, Outcome};
use crate::error::Result;
use crate::progress::Progress;
use crate::view::colours;
use crate::view::picture::{PictureSpec, draw, png};
use crate::window::compare::ComparePage;

/// Width and height of a spectrogram in pixels.
const PICTURE: [u32; 2] = [1000, 220];
/// Width and height of the curves.
const CURVES: [f64; 2] = [1000.0, 140.0];
/// The greatest number of points of a curve.
const POINTS: usize = 1000;
/// Colours of versions, distinguishable on light and dark backgrounds.
const COLOURS: [&str; 9] =
    ["#0aa6da", "#e07937", "#9886ed", "#04b28c", "#db6ea5", "#9e9f0c", "#ff5a52", "#6f8192", "#b38600"];

const STYLE: &str = "\
:root{color-scheme:light dark;--ground:#fbfcfd;--text:#14191e;--dim:#4a5663;--line:#cfd6dd}\
@media(prefers-color-scheme:dark){:root{--ground:#101316;--text:#e6e9ec;--dim:#9aa5b1;--line:#2b323a}}\
body{margin:24px auto;max-width:1180px;padding:0 16px;background:var(--ground);color:var(--text);\
font:14px/1.45 system-ui,sans-serif;font-variant-numeric:tabular-nums}\
h1{font-size:20px}h2{margin-top:28px;font-size:16px}.dim{color:var(--dim)}\
.scroll{overflow-x:auto}table{border-collapse:collapse}\
th,td{padding:4px 10px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}\
th:first-child,td:first-child{text-align:left}td.why{color:var(--dim);white-space:normal}\
figure{margin:14px 0}figcaption{margin-bottom:4px}img{max-width:100%}svg{width:100%;height:auto}\
.key{display:inline-block;width:12px;height:3px;margin:0 5px 3px 14px}";

impl ComparePage {
    /// Draws the pictures of a report as PNG files. Progress counts frames.
    pub(super) fn report_pictures(&self, report: &Report, progress: &Progress) -> Result<Vec<(String, Vec<u8>)>> {
        let settings = self.workspace.state().settings.spectrogram;
        let placement = self.spectrograms.placement();
        let sounds = report.sounds();
        let frames = self.locked().timeline().map_or(0, |timeline| timeline.frames);
        progress.set_total(frames * sounds.len() as u64);
        let mut pictures = Vec::new();
        for (name, sound) in sounds {
            let sound = self.sound(sound)?;
            progress.set_step(name.clone());
            let display = settings.display;
            let spec = PictureSpec {
                analysis: settings.analysis,
                lanes: if sound.source.format().channels > 1 { Lanes::Mix } else { Lanes::default() },
                width: PICTURE[0],
                height: PICTURE[1],
                hop: settings.analysis.size / 4,
                top_db: -display.gain_db,
                range_db: display.range_db,
                colours: colours::table(display.colours.name())?,
                axes: true,
                title: String::new(),
            };
            let (image, _) = draw(&sound.source, &spec, &placement, &progress.uncounted())?;
            progress.advance(frames)?;
            pictures.push((name, png(&image)?));
        }
        Ok(pictures)
    }
}

/// Returns the page.
pub(super) fn page(report: &Report, pictures: &[(String, Vec<u8>)]) -> String {
    let title = format!("Comparison with {}", report.reference.name);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n",
        title = escaped(&title)
    );
    let _ = writeln!(
        out,
        "<p class=\"dim\">Undertone {}; all measures are explained in its guide “Comparing versions”.</p>",
        env!("CARGO_PKG_VERSION")
    );
    versions(report, &mut out);
    measures(report, &mut out);
    curves(report, &mut out);
    out += "<h2>Spectrograms</h2>\n";
    for (name, png) in pictures {
        let name = escaped(name);
        let _ = writeln!(
            out,
            "<figure><figcaption>{name}</figcaption><img alt=\"Spectrogram of {name}\" src=\"data:image/png;base64,{}\"></figure>",
            STANDARD.encode(png)
        );
    }
    out + "</body></html>\n"
}

fn versions(report: &Report, out: &mut String) {
    *out += "<h2>Versions</h2>\n<div class=\"scroll\"><table><tr><th>Version</th><th>Offset (s)</th><th>Drift (ppm)</th>\
             <th>Polarity</th><th>Level (dB)</th><th>Confidence</th><th>Notes</th></tr>\n";
    for row in &report.rows {
        let cells = alignment_cells(row.comparison(), |number, decimals| format!("{number:.decimals$}"));
        let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        let notes = match &row.result {
            Ok(compared) => compared.comparison.notes.join(" "),
            Err(failure) => failure.message.clone(),
        };
        let (name, notes) = (escaped(&row.version.name), escaped(&notes));
        let _ = writeln!(out, "<tr><td>{name}</td>{cells}<td class=\"why\">{notes}</td></tr>");
    }
    *out += "</table></div>\n";
}

fn measures(report: &Report, out: &mut String) {
    *out += "<h2>Measures</h2>\n<div class=\"scroll\"><table><tr><th>Measure</th><th>Better</th>";
    for row in &report.rows {
        let _ = write!(out, "<th>{}</th>", escaped(&row.version.name));
    }
    *out += "</tr>\n";
    for measure in &MEASURES {
        let better = match measure.direction {
            Direction::Higher => "↑ higher",
            Direction::Lower => "↓ lower",
            Direction::NearZero => "0",
        };
        let about = escaped(&format!("{}. {}. {}", measure.definition, measure.range, measure.source));
        let _ = write!(out, "<tr><td title=\"{about}\">{}{}</td><td>{better}</td>", measure.title, unit(measure));
        for row in &report.rows {
            *out += &cell(
                row.comparison().and_then(|comparison| comparison.reading(measure)).map(|reading| &reading.whole),
                measure,
            );
        }
        *out += "</tr>\n";
    }
    *out += "</table></div>\n";
}

fn cell(outcome: Option<&Outcome>, measure: &Measure) -> String {
    match outcome {
        None => "<td>—</td>".to_owned(),
        Some(Outcome::Value(value)) if value.is_infinite() => {
            format!("<td>{}</td>", if *value > 0.0 { "∞" } else { "−∞" })
        }
        Some(outcome) => match outcome.number() {
            Ok(number) => format!("<td>{number:.*}</td>", measure.decimals),
            Err(reason) => format!("<td class=\"why\">— {}</td>", escaped(&reason)),
        },
    }
}

/// Draws each measure over time, with one line for each version.
fn curves(report: &Report, out: &mut String) {
    let of = |row: &Row, measure: &Measure| -> Option<Curve> { row.comparison()?.reading(measure)?.curve.clone() };
    let mut is_first = true;
    for measure in &MEASURES {
        let found: Vec<(usize, Curve)> = (report.rows.iter().enumerate())
            .filter_map(|(index, row)| of(row, measure).map(|curve| (index, curve)))
            .collect();
        let values = || found.iter().flat_map(|(_, curve)| curve.values.iter().flatten()).filter(|v| v.is_finite());
        let (low, high) =
            values().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
        let end_s = found.iter().map(|(_, curve)| end_of(curve)).fold(0.0, f64::max);
        if low > high || end_s <= 0.0 {
            continue;
        }
        if std::mem::take(&mut is_first) {
            *out += "<h2>Over time</h2>\n";
        }
        let _ = write!(out, "<figure><figcaption>{}{}: {low:.3} to {high:.3}", measure.title, unit(measure));
        for (index, ..) in &found {
            let (colour, name) = (COLOURS[index % COLOURS.len()], escaped(&report.rows[*index].version.name));
            let _ = write!(out, "<span class=\"key\" style=\"background:{colour}\"></span>{name}");
        }
        let [width, height] = CURVES;
        let _ = write!(
            out,
            "</figcaption><svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">",
            measure.title
        );
        let range = if high > low { high - low } else { 1.0 };
        for (index, curve) in &found {
            let place = |at: f64, value: f64| {
                let x = (curve.start_s + at * curve.step_s) / end_s * width;
                (x, height - 4.0 - (value - low) / range * (height - 8.0))
            };
            let colour = COLOURS[index % COLOURS.len()];
            let _ = write!(
                out,
                "<path fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" d=\"{}\"/>",
                path(curve, place)
            );
        }
        *out += "</svg></figure>\n";
    }
}

fn end_of(curve: &Curve) -> f64 {
    curve.start_s + curve.step_s * curve.values.len() as f64
}

/// Returns the line of a curve; a long curve is drawn through the means of equal parts.
fn path(curve: &Curve, place: impl Fn(f64, f64) -> (f64, f64)) -> String {
    let each = curve.values.len().div_ceil(POINTS).max(1);
    let mut text = String::new();
    let mut draws = false;
    for (index, part) in curve.values.chunks(each).enumerate() {
        let known: Vec<f64> = part.iter().flatten().copied().filter(|value| value.is_finite()).collect();
        if known.is_empty() {
            draws = false;
            continue;
        }
        let mean = known.iter().sum::<f64>() / known.len() as f64;
        let (x, y) = place((index * each) as f64 + (part.len() as f64 - 1.0) / 2.0, mean);
        let _ = write!(text, "{}{x:.1} {y:.1}", if draws { "L" } else { "M" });
        draws = true;
    }
    text
}

/// Returns a text for HTML, in elements and in quoted attributes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            _ => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_elements() {
        assert_eq!(escaped("<img src=x onerror='a&b'>\""), "&lt;img src=x onerror=&#39;a&amp;b&#39;&gt;&quot;");
    }

    #[test]
    fn a_long_curve_is_thinned_and_gaps_stay_open() {
        let values = (0..10_000).map(|n| (n / 1000 != 4).then_some(f64::from(n))).collect();
        let text = path(&Curve { start_s: 0.0, step_s: 1.0, values, gaps: Vec::new() }, |at, value| (at, value));
        assert!((900..=1000).contains(&(text.matches(['L', 'M']).count())), "{text}");
        assert_eq!(text.matches('M').count(), 2);
    }
}
