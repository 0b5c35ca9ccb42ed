//! Measures a part of one side of a document, and describes a whole side in words.

use super::measurements::{Description, Levels, Measuring};
use crate::audio::{AudioReader, RangeReader};
use crate::chain::{Chain, MeasuredMap, Placement, Rendered, Seeking};
use crate::document::{Band, FrameRange};
use crate::error::{Error, Result};
use crate::measure::spectrum::mean_spectrum;
use crate::measure::{levels, loudness, silence};
use crate::playback::Side;
use crate::progress::Progress;
use crate::units::{db_from_gain, gain_from_db};
use crate::window::App;
use crate::window::workspace::types::DocumentId;

/// The level below which audio counts as silence, in dBFS.
const SILENCE_DB: f64 = -60.0;
/// The shortest silence, in seconds.
const SILENCE_S: f64 = 0.5;
/// The order of the low-pass and high-pass filters that isolate a band.
const BAND_ORDER: u32 = 8;

impl App {
    pub(in crate::window) fn levels(&self, document: DocumentId, side: Side, range: FrameRange) -> Result<Levels> {
        let progress = self.measurements.begin(document, Measuring::Cursor);
        let source = self.spectrograms.source(document, side, &progress)?;
        let measured = source.read(|reader| levels::measure(reader, range.start, range.end, &progress))?;
        Ok(Levels { peak_db: level_db(measured.peak()), rms_db: level_db(measured.rms()), lufs: None, centre_hz: None })
    }

    pub(in crate::window) fn region_levels(
        &self,
        document: DocumentId,
        side: Side,
        range: FrameRange,
        band: Option<Band>,
    ) -> Result<Levels> {
        let progress = self.measurements.begin(document, Measuring::Region);
        let source = self.spectrograms.source(document, side, &progress)?;
        self.measurements.regions.of(format!("{}|{range:?}|{band:?}", source.key()), || {
            let nyquist_hz = source.format().rate.nyquist_hz();
            let chain = band.map_or_else(|| Ok(Chain::default()), |band| band_chain(band, nyquist_hz))?;
            let open = || -> Result<RangeReader<Rendered>> {
                let rendered = Rendered::new(
                    &chain,
                    source.open()?,
                    &Placement::cpu(),
                    &MeasuredMap::default(),
                    Seeking::Preroll,
                )?;
                RangeReader::new(rendered, range.start, range.end)
            };
            let mut reader = open()?;
            let frames = reader.frames();
            let measured = levels::measure(&mut reader, 0, frames, &progress)?;
            let lufs = loudness::integrated_lufs(&mut open()?, &progress)?;
            let spectrum = source.read(|reader| mean_spectrum(reader, range.start..range.end, &progress))?;
            let (low_hz, high_hz) = band.map_or((0.0, nyquist_hz), |band| (band.low_hz, band.high_hz));
            Ok(Levels {
                peak_db: level_db(measured.peak()),
                rms_db: level_db(measured.rms()),
                lufs,
                centre_hz: spectrum.centroid_hz(low_hz, high_hz),
            })
        })
    }

    pub(in crate::window) fn describe(&self, document: DocumentId, side: Side) -> Result<Description> {
        let name = self.workspace.state().document(document)?.name();
        let progress = self.measurements.begin(document, Measuring::Description);
        let (key, open) = self.spectrograms.whole(document, side, &progress)?;
        self.measurements.descriptions.of(format!("{name}|{key}"), || description(&name, open()?.as_mut(), &progress))
    }

    pub(in crate::window) fn cancel_describing(&self, document: DocumentId) -> Result<()> {
        self.measurements.cancel(document, Measuring::Description);
        Ok(())
    }
}

fn level_db(gain: f64) -> Option<f64> {
    Some(db_from_gain(gain)).filter(|db| db.is_finite())
}

fn description(name: &str, reader: &mut dyn AudioReader, progress: &Progress) -> Result<Description> {
    let (format, frames) = (reader.format(), reader.frames());
    let duration_s = format.rate.seconds_from_frames(frames);
    let peak_db = level_db(levels::measure(reader, 0, frames, progress)?.peak());
    let loudness_lufs = loudness::integrated_lufs(reader, progress)?;
    let dominant_hz = mean_spectrum(reader, 0..frames, progress)?.dominant_hz(3);
    let least = format.rate.frames_from_seconds(SILENCE_S);
    let silences = silence::silences(reader, gain_from_db(SILENCE_DB) as f32, least, progress)?;
    let seconds = |frame: u64| format.rate.seconds_from_frames(frame);
    let silent_s: Vec<[f64; 2]> = silences.iter().map(|range| [seconds(range.start), seconds(range.end)]).collect();
    let text = words(name, format.channels, duration_s, loudness_lufs, peak_db, &dominant_hz, &silent_s);
    let silences = silences.into_iter().map(FrameRange::from).collect();
    Ok(Description { text, duration_s, loudness_lufs, peak_db, dominant_hz, silences })
}

/// Returns the filters that isolate a band. An edge at an end of the frequency axis needs no filter.
fn band_chain(band: Band, nyquist_hz: f64) -> Result<Chain> {
    if !(band.low_hz >= 0.0 && band.low_hz < band.high_hz && band.low_hz < nyquist_hz) {
        let got = format!("{} to {} Hz", band.low_hz, band.high_hz);
        return Err(Error::invalid(
            "frequency band",
            got,
            format!("a lower edge below a higher one, within {nyquist_hz} Hz"),
        ));
    }
    let mut filters = Vec::new();
    if band.low_hz >= 1.0 {
        filters.push(format!("highpass({} Hz, order={BAND_ORDER})", band.low_hz));
    }
    if band.high_hz < 0.995 * nyquist_hz {
        filters.push(format!("lowpass({} Hz, order={BAND_ORDER})", band.high_hz));
    }
    filters.join(" | ").parse().map_err(Error::Notation)
}

fn words(
    name: &str,
    channels: usize,
    duration_s: f64,
    loudness_lufs: Option<f64>,
    peak_db: Option<f64>,
    dominant_hz: &[f64],
    silences: &[[f64; 2]],
) -> String {
    let channels = match channels {
        1 => "mono".to_owned(),
        2 => "stereo".to_owned(),
        more => format!("{more} channels"),
    };
    let mut sentences = vec![format!("{name} is {} long, {channels}.", length(duration_s))];
    match (loudness_lufs, peak_db) {
        (Some(lufs), Some(peak)) => {
            sentences.push(format!("Its loudness is {lufs:.1} LUFS, its peak {peak:.1} dBFS."));
        }
        (None, Some(peak)) => {
            sentences.push(format!("Its peak is {peak:.1} dBFS; it is too short or too quiet for a loudness."));
        }
        (_, None) => {
            sentences.push("It is silent throughout.".to_owned());
            return sentences.join(" ");
        }
    }
    let places: Vec<String> = dominant_hz.iter().map(|&hz| hertz(hz)).collect();
    match places.split_first() {
        Some((strongest, [])) => sentences.push(format!("It is strongest at {strongest}.")),
        Some((strongest, others)) => {
            sentences.push(format!("It is strongest at {strongest}, then at {}.", others.join(" and ")));
        }
        None => {}
    }
    sentences.push(match silences {
        [] => "Nowhere is it silent for half a second.".to_owned(),
        [[from, to]] => format!("It is silent from {from:.1} s to {to:.1} s."),
        [[from, to], ..] => {
            let sum: f64 = silences.iter().map(|[from, to]| to - from).sum();
            let (places, sum) = (silences.len(), length(sum));
            format!("It is silent in {places} places, {sum} in all, first from {from:.1} s to {to:.1} s.")
        }
    });
    sentences.join(" ")
}

fn length(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 { format!("{hours} h {minutes} min {rest} s") } else { format!("{minutes} min {rest} s") }
}

fn hertz(hz: f64) -> String {
    if hz >= 1000.0 { format!("{:.2} kHz", hz / 1000.0) } else { format!("{hz:.0} Hz") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_in_words() {
        let text = words("a.wav", 2, 75.2, Some(-14.03), Some(-1.0), &[1234.0, 60.2], &[[0.0, 2.5]]);
        assert_eq!(
            text,
            "a.wav is 1 min 15 s long, stereo. Its loudness is -14.0 LUFS, its peak -1.0 dBFS. It is strongest at 1.23 kHz, \
             then at 60 Hz. It is silent from 0.0 s to 2.5 s."
        );
        assert_eq!(words("b", 1, 3.0, None, None, &[], &[]), "b is 3.0 s long, mono. It is silent throughout.");
        assert_eq!(length(3725.0), "1 h 2 min 5 s");
    }

    #[test]
    fn an_edge_at_the_end_of_the_axis_cuts_nothing() {
        let chain = |low_hz, high_hz| band_chain(Band { low_hz, high_hz }, 24_000.0).map(|chain| chain.to_string());
        assert_eq!(chain(0.0, 24_000.0).expect("a chain"), "");
        assert_eq!(chain(100.0, 24_000.0).expect("a chain"), "highpass(100 Hz, order=8)");
        assert_eq!(chain(0.0, 500.0).expect("a chain"), "lowpass(500 Hz, order=8)");
        for (low, high) in [(500.0, 500.0), (-1.0, 5.0), (30_000.0, 40_000.0), (f64::NAN, 5.0)] {
            assert!(chain(low, high).is_err(), "{low} to {high}");
        }
    }
}
