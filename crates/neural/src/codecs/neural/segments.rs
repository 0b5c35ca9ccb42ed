//! Models that code segments separately and overlap-add them (EnCodec at 48 kHz).
//!
//! A segment begins every `stride` frames and has `length` frames; the last has the rest. Decoded segments are weighted
//! by a triangle `0.5 - |(n + 1) / (length + 1) - 0.5|` and divided by the sum of the weights.
//!
//! Source: `EncodecModel.encode`, `_linear_overlap_add` of transformers 5.24 and encodec 0.1.1.

use super::Voice;
use super::runner::{Direction, Run, append, codes, input_of};
use super::voices;
use crate::models::Piece;
use crate::network::State;
use base::error::{Error, Result};
use base::progress::Progress;

/// The number that is added to the RMS.
const LEAST_SCALE: f64 = 1e-8;

/// Returns the scale of a segment: the RMS of the mean of its channels.
pub fn scale_of(channels: &[Vec<f32>]) -> f32 {
    let mono = voices::mean(channels);
    let mean_square = mono.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / mono.len() as f64;
    (mean_square.sqrt() + LEAST_SCALE) as f32
}

/// Returns the weight of frame `n` of a segment.
pub fn weight(n: usize, length: usize) -> f64 {
    0.5 - ((n + 1) as f64 / (length + 1) as f64 - 0.5).abs()
}

/// Returns the starts and lengths of the segments of `frames` frames.
fn segments(frames: usize, [length, stride]: [usize; 2]) -> impl Iterator<Item = (usize, usize)> {
    (0..frames).step_by(stride.max(1)).map(move |start| (start, length.min(frames - start)))
}

/// Returns the number of codes of each segment of `frames` frames.
pub fn codes_of(frames: usize, lengths: [usize; 2], hop: usize) -> Vec<usize> {
    segments(frames, lengths).map(|(_, length)| length.div_ceil(hop)).collect()
}

/// Returns the number of segments of `codes` codes, for codes without scales.
pub fn count(codes: usize, length: usize, hop: usize) -> usize {
    codes.div_ceil(length.div_ceil(hop).max(1))
}

/// Returns the number of codes of each segment when the number of frames is unknown: each has the codes of a whole
/// segment, and the last has the rest. If none are left for the last, it takes one from the segment before it, whose
/// end is in the overlap.
///
/// # Errors
/// [`Error::Invalid`] if so many segments have more or fewer codes.
fn split(codes: usize, count: usize, length: usize, hop: usize) -> Result<Vec<usize>> {
    let whole = length.div_ceil(hop);
    let mut all = vec![whole; count];
    let left = codes.checked_sub(whole * count.saturating_sub(1));
    match (left, count) {
        (Some(0), 0) => Ok(all),
        (Some(0), 2..) => {
            (all[count - 2], all[count - 1]) = (whole - 1, 1);
            Ok(all)
        }
        (Some(left), 1..) if (1..=whole).contains(&left) => {
            all[count - 1] = left;
            Ok(all)
        }
        _ => {
            let got = format!("{codes} codes in {count} segments");
            Err(Error::invalid("units", got, format!("{whole} codes for each segment but the last")))
        }
    }
}

/// Returns the frames that codes decode to.
///
/// # Errors
/// [`Error::Invalid`] if so many segments have more or fewer codes.
pub fn frames_of(codes: usize, count: usize, [length, stride]: [usize; 2], hop: usize) -> Result<usize> {
    let last = split(codes, count, length, hop)?.last().copied().unwrap_or(0);
    Ok(stride * count.saturating_sub(1) + (last * hop).min(length))
}

/// Encodes a voice.
pub fn encode(
    run: &mut Run<'_>,
    books: usize,
    lengths: [usize; 2],
    is_scaled: bool,
    channels: &[Vec<f32>],
    progress: &Progress,
) -> Result<Voice> {
    let mut voice = Voice { books: vec![Vec::new(); books], scales: Vec::new() };
    for (start, length) in segments(channels[0].len(), lengths) {
        let mut input: Vec<f32> =
            channels.iter().flat_map(|channel| &channel[start..start + length]).copied().collect();
        if is_scaled {
            let scale = scale_of(&input.chunks(length).map(<[f32]>::to_vec).collect::<Vec<_>>());
            input.iter_mut().for_each(|x| *x /= scale);
            voice.scales.push(scale);
        }
        let made = run.piece(Direction::Encode, books, Piece::whole(length), &input, &mut State::new(), progress)?;
        append(&mut voice.books, codes(made));
        progress.advance(length.min(lengths[1]) as u64)?;
    }
    Ok(voice)
}

/// Decodes a voice that has `frames` frames.
pub fn decode(
    run: &mut Run<'_>,
    lengths: [usize; 2],
    is_scaled: bool,
    voice: &Voice,
    frames: usize,
    progress: &Progress,
) -> Result<Vec<Vec<f32>>> {
    let hop = run.model().facts().hop;
    let codes = voice.books.first().map_or(0, Vec::len);
    let count = if is_scaled { voice.scales.len() } else { count(codes, lengths[0], hop) };
    let of_frames = codes_of(frames, lengths, hop);
    let is_of_frames = of_frames.len() == count && of_frames.iter().sum::<usize>() == codes;
    let all = if is_of_frames { of_frames } else { split(codes, count, lengths[0], hop)? };
    let weight = |n: usize| weight(n, lengths[0]);
    let mut sums = vec![vec![0.0f64; frames]; run.model().facts().channels];
    let mut weights = vec![0.0f64; frames];
    let mut first = 0;
    for (n, length) in all.into_iter().enumerate() {
        let (start, piece) = (n * lengths[1], Piece::whole(length));
        let room = lengths[0].min(frames.saturating_sub(start));
        let input = input_of(&voice.books, first..first + piece.length);
        first += piece.length;
        let made = run.piece(Direction::Decode, voice.books.len(), piece, &input, &mut State::new(), progress)?;
        let scale = voice.scales.get(n).map_or(1.0, |&scale| f64::from(scale));
        for (sums, made) in sums.iter_mut().zip(&made) {
            for (at, &x) in made.iter().enumerate().take(room) {
                sums[start + at] += weight(at) * scale * f64::from(x);
            }
        }
        let sounding = made.first().map_or(0, Vec::len).min(room);
        weights.iter_mut().skip(start).take(sounding).enumerate().for_each(|(at, sum)| *sum += weight(at));
        progress.advance((length * hop).min(lengths[1]) as u64)?;
    }
    let divided =
        |sums: Vec<f64>| sums.iter().zip(&weights).map(|(sum, weight)| (sum / weight.max(1e-12)) as f32).collect();
    Ok(sums.into_iter().map(divided).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTHS: [usize; 2] = [48_000, 47_520];

    #[test]
    fn segments_begin_every_stride_and_the_last_has_what_is_left() {
        let of = |frames| segments(frames, LENGTHS).collect::<Vec<_>>();
        assert_eq!(of(0), []);
        assert_eq!(of(1), [(0, 1)]);
        assert_eq!(of(48_000), [(0, 48_000), (47_520, 480)]);
        assert_eq!(of(47_600), [(0, 47_600), (47_520, 80)]);
    }

    #[test]
    fn codes_are_split_as_they_were_made() {
        for frames in
            [1, 319, 320, 321, 47_520, 47_521, 47_600, 47_680, 47_681, 48_000, 48_001, 95_040, 95_041, 95_200, 200_000]
        {
            let made = codes_of(frames, LENGTHS, 320);
            let codes = made.iter().sum();
            assert_eq!(split(codes, made.len(), LENGTHS[0], 320).unwrap(), made, "{frames}");
            let decoded = frames_of(codes, made.len(), LENGTHS, 320).unwrap();
            assert!((frames..frames + 320).contains(&decoded), "{frames}: {decoded}");
        }
        assert_eq!(frames_of(0, 0, LENGTHS, 320).unwrap(), 0);
        // As transformers fills up the last one.
        assert_eq!(frames_of(300, 2, LENGTHS, 320).unwrap(), 47_520 + 48_000);
        for (codes, count) in [(150, 3), (151, 1), (0, 1), (1, 0), (1000, 2)] {
            assert!(frames_of(codes, count, LENGTHS, 320).is_err(), "{codes} in {count}");
        }
    }
}
