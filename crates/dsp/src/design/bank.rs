//! Filter banks: the mapping from spectrum bins to the rows of a spectrogram or the bands of a feature.
//!
//! A bank is a sparse matrix with one row per band. Each row starts at a bin and has one weight for each of a run of
//! consecutive bins.

use super::FrequencyScale;
use base::error::{Error, Result};

/// How a row combines its bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// The weighted sum of the powers.
    Power,
    /// The highest power; all weights are 1.
    Peak,
    /// The weighted sum of the levels in dB, a linear interpolation between two neighbouring bins. The weights sum to
    /// 1.
    Level,
}

/// One row: weights of consecutive bins.
#[derive(Clone, Debug, PartialEq)]
pub struct BankRow {
    /// The bin of the first weight.
    pub first_bin: usize,
    /// The weights of `first_bin` and the bins after it. An empty row is silent.
    pub weights: Vec<f64>,
    /// How the bins are combined.
    pub kind: RowKind,
}

/// Rows over the bins `0..bins` of a spectrum, in ascending order of frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct Bank {
    bins: usize,
    rows: Vec<BankRow>,
}

/// Linearly spaced bins: bin `b` of a transform of `fft_length` at `rate_hz` is at `b rate_hz / fft_length`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bins {
    /// Length of the transform in frames, including zero padding.
    pub fft_length: usize,
    /// Sample rate in hertz.
    pub rate_hz: f64,
}

impl Bins {
    /// Returns the number of bins from 0 Hz to the Nyquist frequency.
    pub fn count(self) -> usize {
        self.fft_length / 2 + 1
    }

    /// Returns the position of a frequency, in bins.
    pub fn bin_from_hz(self, hz: f64) -> f64 {
        hz / self.rate_hz * self.fft_length as f64
    }

    /// Returns the frequency of a bin in hertz.
    pub fn hz_from_bin(self, bin: usize) -> f64 {
        bin as f64 * self.rate_hz / self.fft_length as f64
    }
}

/// Logarithmically spaced bins: bin `k` is at `low_hz 2^(k / per_octave)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OctaveBins {
    /// The frequency of bin 0 in hertz.
    pub low_hz: f64,
    /// Bins per octave.
    pub per_octave: u32,
    /// The number of bins.
    pub count: usize,
}

impl OctaveBins {
    /// Returns the position of a frequency, in bins. 0 Hz is at minus infinity.
    pub fn bin_from_hz(self, hz: f64) -> f64 {
        (hz / self.low_hz).log2() * f64::from(self.per_octave)
    }

    /// Returns the frequency in hertz at a position in bins.
    pub fn hz_from_bin(self, bin: f64) -> f64 {
        self.low_hz * (bin / f64::from(self.per_octave)).exp2()
    }
}

/// The height of the triangles of a mel bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MelNorm {
    /// All triangles have a peak of 1.
    Peak,
    /// All triangles have an area of 1 Hz, so that white noise gives equal power in each (Slaney 1998).
    Area,
}

impl Bank {
    /// Creates a bank with one row per bin.
    pub fn bins(bins: Bins) -> Self {
        let one = |bin| BankRow { first_bin: bin, weights: vec![1.0], kind: RowKind::Power };
        Self { bins: bins.count(), rows: (0..bins.count()).map(one).collect() }
    }

    /// Creates `count` overlapping triangles, with corners evenly spaced on `scale` from `low_hz` to `high_hz`. On
    /// [`FrequencyScale::Mel`] and [`FrequencyScale::MelHtk`] these are the banks of `librosa.filters.mel`.
    pub fn triangles(
        bins: Bins,
        scale: FrequencyScale,
        [low_hz, high_hz]: [f64; 2],
        count: usize,
        norm: MelNorm,
    ) -> Result<Self> {
        check_bins(bins)?;
        check_span(scale, [low_hz, high_hz], count)?;
        let corners = scale.spaced(low_hz, high_hz, count + 2);
        let triangle = |row: usize| {
            let [left, top, right] = [corners[row], corners[row + 1], corners[row + 2]];
            let height = if norm == MelNorm::Area { 2.0 / (right - left) } else { 1.0 };
            let weight = |bin| {
                let hz = bins.hz_from_bin(bin);
                ((hz - left) / (top - left)).min((right - hz) / (right - top)).max(0.0) * height
            };
            // Rounding may give a bin on a corner a small positive weight, so include one more bin on either side.
            let first = bins.bin_from_hz(left).floor().max(0.0) as usize;
            let end = bins.count().min(bins.bin_from_hz(right) as usize + 2);
            trimmed(first, (first..end).map(weight).collect())
        };
        Ok(Self { bins: bins.count(), rows: (0..count).map(triangle).collect() })
    }

    /// Creates `count` rows of a spectrogram, which divide `low_hz..high_hz` evenly on `scale`.
    ///
    /// A row at least one bin high shows its highest bin, so that the brightness of a tone does not depend on the row
    /// height. A lower row is interpolated in dB between the two bins around its middle. Rows above the Nyquist
    /// frequency are silent.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the span is empty, not finite, or begins below 0 Hz (at 0 Hz or below on a logarithmic
    /// scale), if `count` is 0 or above 65,536, if the transform has fewer than two frames, or if its sample rate is
    /// not positive and finite.
    pub fn display(bins: Bins, scale: FrequencyScale, [low_hz, high_hz]: [f64; 2], count: usize) -> Result<Self> {
        check_bins(bins)?;
        check_span(scale, [low_hz, high_hz], count)?;
        let edges = scale.spaced(low_hz, high_hz, count + 1);
        let row = |pair: &[f64]| shown(bins.count(), bins.bin_from_hz(pair[0]), bins.bin_from_hz(pair[1]));
        Ok(Self { bins: bins.count(), rows: edges.windows(2).map(row).collect() })
    }

    /// Same as [`Bank::display`] for logarithmically spaced bins. Rows more than half a bin below the lowest bin are
    /// silent.
    pub fn display_octaves(
        bins: OctaveBins,
        scale: FrequencyScale,
        [low_hz, high_hz]: [f64; 2],
        count: usize,
    ) -> Result<Self> {
        check_span(scale, [low_hz, high_hz], count)?;
        let edges = scale.spaced(low_hz, high_hz, count + 1);
        let row = |pair: &[f64]| shown(bins.count, bins.bin_from_hz(pair[0]), bins.bin_from_hz(pair[1]));
        Ok(Self { bins: bins.count, rows: edges.windows(2).map(row).collect() })
    }

    /// Returns a bank of a range of rows.
    ///
    /// # Panics
    /// If the range is out of bounds.
    #[must_use]
    pub fn part(&self, rows: std::ops::Range<usize>) -> Self {
        Self { bins: self.bins, rows: self.rows[rows].to_vec() }
    }

    /// Returns the number of bins of the spectra that the bank reads.
    pub fn bin_count(&self) -> usize {
        self.bins
    }

    /// Returns the rows in ascending order of frequency.
    pub fn rows(&self) -> &[BankRow] {
        &self.rows
    }
}

fn check_bins(bins: Bins) -> Result<()> {
    if bins.fft_length < 2 || !(bins.rate_hz > 0.0 && bins.rate_hz.is_finite()) {
        let got = format!("{} at {} Hz", bins.fft_length, bins.rate_hz);
        return Err(Error::invalid("length of a transform", got, "2 frames or more at a rate above 0 Hz"));
    }
    Ok(())
}

/// The maximum number of rows of a bank: more than any picture has.
const MAX_ROWS: usize = 1 << 16;

fn check_span(scale: FrequencyScale, [low_hz, high_hz]: [f64; 2], count: usize) -> Result<()> {
    let lowest = if scale == FrequencyScale::Log { f64::MIN_POSITIVE } else { 0.0 };
    if !(low_hz >= lowest && high_hz > low_hz && high_hz.is_finite()) {
        let from = if lowest > 0.0 { "above 0 Hz" } else { "0 Hz" };
        let allowed = format!("a span that begins at {from} and ends at a higher frequency");
        return Err(Error::invalid("frequency span", format!("{low_hz} to {high_hz} Hz"), allowed));
    }
    if !(1..=MAX_ROWS).contains(&count) {
        return Err(Error::invalid("number of rows", count.to_string(), format!("1 to {MAX_ROWS}")));
    }
    Ok(())
}

/// Returns the row from `low` to `high`, positions in bins, of a spectrum of `count` bins.
fn shown(count: usize, low: f64, high: f64) -> BankRow {
    if high - low >= 1.0 { highest(count, low, high) } else { between(count, f64::midpoint(low, high)) }
}

/// Returns a row of the highest of the bins in `low..high`. The topmost bin belongs to the row that ends on it.
fn highest(count: usize, low: f64, high: f64) -> BankRow {
    let first = low.ceil().max(0.0) as usize;
    let end = if high >= (count - 1) as f64 { count } else { high.ceil().max(0.0) as usize };
    let weights = vec![1.0; end.saturating_sub(first)];
    BankRow { first_bin: if weights.is_empty() { 0 } else { first }, weights, kind: RowKind::Peak }
}

/// Returns a row of the interpolated level at `place`, in bins.
fn between(count: usize, place: f64) -> BankRow {
    let first = place.floor().max(0.0) as usize;
    let part = place.max(0.0).fract();
    let weights = match count - 1 {
        _ if place <= -0.5 => Vec::new(),
        last if first < last => vec![1.0 - part, part],
        last if first == last && part < 0.5 => vec![1.0],
        _ => Vec::new(),
    };
    let first_bin = if weights.is_empty() { 0 } else { first };
    BankRow { first_bin, weights, kind: RowKind::Level }
}

/// Returns a row of powers without leading and trailing zero weights.
fn trimmed(first: usize, weights: Vec<f64>) -> BankRow {
    let heard = |weight: &f64| *weight > 0.0;
    let Some(start) = weights.iter().position(heard) else {
        return BankRow { first_bin: 0, weights: Vec::new(), kind: RowKind::Power };
    };
    let end = weights.iter().rposition(heard).map_or(0, |last| last + 1);
    BankRow { first_bin: first + start, weights: weights[start..end].to_vec(), kind: RowKind::Power }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINS: Bins = Bins { fft_length: 2048, rate_hz: 48_000.0 };

    const SCALES: [FrequencyScale; 6] = [
        FrequencyScale::Linear,
        FrequencyScale::Log,
        FrequencyScale::Mel,
        FrequencyScale::MelHtk,
        FrequencyScale::Bark,
        FrequencyScale::Erb,
    ];

    #[test]
    fn every_display_row_shows_something_and_stays_within_the_bins() {
        for scale in SCALES {
            for count in [1, 2, 100, 1024, 5000] {
                let bank = Bank::display(BINS, scale, [20.0, 24_000.0], count).unwrap();
                assert_eq!((bank.rows().len(), bank.bin_count()), (count, 1025));
                let mut before = 0;
                for (index, row) in bank.rows().iter().enumerate() {
                    let sum: f64 = row.weights.iter().sum();
                    let right = match row.kind {
                        RowKind::Peak => !row.weights.is_empty() && row.weights.iter().all(|&weight| weight == 1.0),
                        _ => (sum - 1.0).abs() < 1e-12,
                    };
                    assert!(right, "{scale}, row {index} of {count}: {row:?}");
                    assert!(row.first_bin + row.weights.len() <= 1025);
                    assert!(row.first_bin >= before, "{scale}: row {index} begins below the one before it");
                    before = row.first_bin;
                }
            }
        }
    }

    #[test]
    fn rows_share_the_bins_out_completely() {
        for count in [1, 100, 512, 1024] {
            let bank = Bank::display(BINS, FrequencyScale::Linear, [0.0, 24_000.0], count).unwrap();
            let mut total = vec![0; 1025];
            for row in bank.rows() {
                assert_eq!(row.kind, RowKind::Peak);
                (0..row.weights.len()).for_each(|bin| total[row.first_bin + bin] += 1);
            }
            assert_eq!(total, vec![1; 1025], "{count} rows");
        }
    }

    #[test]
    fn fine_rows_lie_between_their_bins() {
        let bank = Bank::display(BINS, FrequencyScale::Linear, [0.0, 24_000.0], 10_240).unwrap();
        for (index, row) in bank.rows().iter().enumerate() {
            let place = (index as f64 + 0.5) / 10.0;
            assert_eq!((row.kind, row.first_bin), (RowKind::Level, place as usize));
            assert!((row.weights[1] - place.fract()).abs() < 1e-9);
        }
    }

    #[test]
    fn above_half_the_rate_there_is_silence() {
        let bank = Bank::display(BINS, FrequencyScale::Linear, [0.0, 48_000.0], 64).unwrap();
        let silent: Vec<bool> = bank.rows().iter().map(|row| row.weights.is_empty()).collect();
        assert!(silent[..32].iter().all(|silent| !silent) && silent[33..].iter().all(|silent| *silent));
    }

    #[test]
    fn octaves_stand_where_their_bins_do() {
        let bins = OctaveBins { low_hz: 100.0, per_octave: 12, count: 61 };
        assert!((bins.bin_from_hz(bins.hz_from_bin(7.5)) - 7.5).abs() < 1e-12);
        // Bins 0 to 60 span five octaves; rows below and above are silent, including at 0 Hz.
        for (scale, low_hz) in [(FrequencyScale::Log, 10.0), (FrequencyScale::Linear, 0.0), (FrequencyScale::Erb, 0.0)]
        {
            let bank = Bank::display_octaves(bins, scale, [low_hz, 12_000.0], 2000).unwrap();
            let edges = scale.spaced(low_hz, 12_000.0, 2001);
            for (index, row) in bank.rows().iter().enumerate() {
                let hz = f64::midpoint(edges[index], edges[index + 1]);
                assert!(row.first_bin + row.weights.len() <= 61);
                if (101.0..3150.0).contains(&hz) {
                    assert!(!row.weights.is_empty(), "{scale}: {hz} Hz");
                    let place = bins.bin_from_hz(hz);
                    assert!((row.first_bin as f64 - place).abs() <= 1.5 + row.weights.len() as f64, "{scale}: {hz} Hz");
                } else if !(90.0..3400.0).contains(&hz) {
                    assert!(row.weights.is_empty(), "{scale}: {hz} Hz: {row:?}");
                }
            }
        }
        assert!(Bank::display_octaves(bins, FrequencyScale::Log, [0.0, 1.0], 3).is_err());
    }

    #[test]
    fn spans_that_make_no_sense_are_refused() {
        for span in [[0.0, 0.0], [2.0, 1.0], [-1.0, 5.0], [f64::NAN, 5.0], [1.0, f64::INFINITY]] {
            assert!(Bank::display(BINS, FrequencyScale::Mel, span, 8).is_err(), "{span:?}");
        }
        assert!(Bank::display(BINS, FrequencyScale::Log, [0.0, 100.0], 8).is_err());
        assert!(Bank::display(BINS, FrequencyScale::Mel, [0.0, 100.0], 0).is_err());
        assert!(Bank::display(BINS, FrequencyScale::Mel, [0.0, 100.0], 1 << 31).is_err());
        assert!(Bank::display(Bins { fft_length: 0, ..BINS }, FrequencyScale::Mel, [0.0, 100.0], 3).is_err());
    }

    #[test]
    fn triangles_of_any_scale_reach_one() {
        for scale in SCALES {
            let bank = Bank::triangles(BINS, scale, [50.0, 20_000.0], 24, MelNorm::Peak).unwrap();
            let highest = bank.rows().iter().flat_map(|row| &row.weights).fold(0.0_f64, |a, &b| a.max(b));
            assert!(highest > 0.9 && highest <= 1.0, "{scale}: {highest}");
        }
    }
}
