//! Encodes one FLAC frame: prediction, residual coding and bit packing (RFC 9639, sections 9 and 4.3).
//!
//! This encoder exists because the available crates take three to four times as long (`benches/NOTES.md`). Each channel uses the better
//! of a fixed polynomial predictor and a linear predictor of order up to 8 (autocorrelation of the windowed block,
//! Levinson-Durbin recursion). The residual is Rice-coded in partitions, as the reference encoder does at its default
//! level. A channel that this would not shorten is stored verbatim.

use super::bits::Bits;
use crate::checksums::crc16;

/// The maximum order of linear prediction.
const MAX_ORDER: usize = 8;
/// The maximum partition order.
const MAX_PARTITION_ORDER: u32 = 6;

/// The parameters that all frames of a stream share.
#[derive(Clone, Debug)]
pub struct FrameFormat {
    /// The sample rate, in frames per second.
    pub rate_hz: u32,
    /// Bits per sample, 16 or 24.
    pub bits: u32,
    /// Frames per block, except in the last block.
    pub block: usize,
    /// The window function of linear prediction for a whole block.
    window: Vec<f32>,
}

impl FrameFormat {
    /// Creates the parameters of a stream with blocks of `block` frames.
    pub fn new(rate_hz: u32, bits: u32, block: usize) -> Self {
        Self { rate_hz, bits, block, window: tukey(block) }
    }

    /// Encodes block number `number` of the stream, given as channels of equal length.
    pub fn encode(&self, channels: &[Vec<i32>], number: u64) -> Vec<u8> {
        let frames = channels.first().map_or(0, Vec::len);
        let mut bits = Bits::with_capacity(frames * channels.len() * self.bits as usize / 8 + 64);
        let short_window;
        let window = if frames == self.block {
            &self.window
        } else {
            short_window = tukey(frames);
            &short_window
        };
        let plan = |samples: &[i32], extra: u32| Subframe::plan(samples, self.bits + extra, window);
        let (assignment, subframes) = match channels {
            [left, right] => self.stereo(left, right, plan),
            _ => (channels.len() as u32 - 1, channels.iter().map(|channel| plan(channel, 0)).collect()),
        };
        self.header(&mut bits, frames, assignment, number);
        for subframe in &subframes {
            subframe.write(&mut bits);
        }
        let mut bytes = bits.into_bytes();
        let check = crc16(0, &bytes);
        bytes.extend_from_slice(&check.to_be_bytes());
        bytes
    }

    /// Chooses two of left, right, mid and side by their estimated size, and plans them.
    fn stereo(&self, left: &[i32], right: &[i32], plan: impl Fn(&[i32], u32) -> Subframe) -> (u32, Vec<Subframe>) {
        let middle: Vec<i32> = left.iter().zip(right).map(|(&l, &r)| (l + r) >> 1).collect();
        let side: Vec<i32> = left.iter().zip(right).map(|(&l, &r)| l - r).collect();
        let [l, r, m, s] = [left, right, &middle, &side].map(roughness);
        let pairs = [(1, l + r), (8, l + s), (9, r + s), (10, m + s)];
        let best = pairs.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(1, |pair| pair.0);
        let subframes = match best {
            8 => vec![plan(left, 0), plan(&side, 1)],
            9 => vec![plan(&side, 1), plan(right, 0)],
            10 => vec![plan(&middle, 0), plan(&side, 1)],
            _ => vec![plan(left, 0), plan(right, 0)],
        };
        (best, subframes)
    }

    fn header(&self, bits: &mut Bits, frames: usize, assignment: u32, number: u64) {
        bits.put(0x3ffe, 14);
        // A reserved bit, and the flag for blocks of constant size.
        bits.put(0, 2);
        let size_code = match frames {
            256 | 512 | 1024 | 2048 | 4096 | 8192 | 16_384 | 32_768 => frames.ilog2(),
            _ => 7,
        };
        bits.put(size_code, 4);
        let (rate_code, rate_bits) = rate_code(self.rate_hz);
        bits.put(rate_code, 4);
        bits.put(assignment, 4);
        bits.put(if self.bits == 16 { 4 } else { 6 }, 3);
        bits.put(0, 1);
        bits.put_number(number);
        if size_code == 7 {
            bits.put(frames as u32 - 1, 16);
        }
        if let Some((value, width)) = rate_bits {
            bits.put(value, width);
        }
        bits.put_crc8();
    }
}

/// Returns the code of a rate in a frame header, and the value and width of the bits that follow it. Code 0 refers to
/// STREAMINFO.
fn rate_code(hz: u32) -> (u32, Option<(u32, u32)>) {
    let named = [88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];
    if let Some(index) = named.iter().position(|&rate| rate == hz) {
        (index as u32 + 1, None)
    } else if hz.is_multiple_of(1000) && hz / 1000 < 256 {
        (12, Some((hz / 1000, 8)))
    } else if hz < 65_536 {
        (13, Some((hz, 16)))
    } else if hz.is_multiple_of(10) && hz / 10 < 65_536 {
        (14, Some((hz / 10, 16)))
    } else {
        (0, None)
    }
}

/// Estimates the bits per sample of a channel from its second differences.
fn roughness(samples: &[i32]) -> f64 {
    let sum: u64 = samples.windows(3).map(|w| u64::from((w[2] - 2 * w[1] + w[0]).unsigned_abs())).sum();
    (sum as f64 / samples.len().max(1) as f64 + 0.5).log2().max(0.0)
}

/// A Tukey window (tapered cosine), half of it tapered.
fn tukey(frames: usize) -> Vec<f32> {
    let taper = frames as f64 / 4.0;
    let value = |index: usize| {
        let edge = (index as f64 + 0.5).min(frames as f64 - index as f64 - 0.5);
        if edge < taper { 0.5 - 0.5 * (std::f64::consts::PI * edge / taper).cos() } else { 1.0 }
    };
    (0..frames).map(|index| value(index) as f32).collect()
}

/// The coding of one channel of a block.
enum Subframe {
    Constant { value: i32, bits: u32, wasted: u32 },
    Verbatim { samples: Vec<i32>, bits: u32, wasted: u32 },
    Predicted { warm_up: Vec<i32>, bits: u32, wasted: u32, predictor: Predictor, residual: Vec<i32>, coding: Coding },
}

enum Predictor {
    Fixed,
    Linear { coefficients: Vec<i32>, precision: u32, shift: u32 },
}

impl Subframe {
    fn plan(samples: &[i32], bits: u32, window: &[f32]) -> Self {
        if samples.iter().all(|&sample| sample == samples[0]) {
            let value = samples.first().copied().unwrap_or(0);
            return Self::Constant { value, bits, wasted: 0 };
        }
        // Low bits that are zero in every sample are stored as a count.
        let wasted = samples.iter().fold(0, |all, &sample| all | sample).trailing_zeros();
        let samples: Vec<i32> = samples.iter().map(|&sample| sample >> wasted).collect();
        let bits = bits - wasted;
        let verbatim_bits = u64::from(bits) * samples.len() as u64;
        let mut best: Option<(u64, usize, Predictor, Vec<i32>, Coding)> = None;
        let mut offer = |order: usize, predictor: Predictor, head: u64, residual: Vec<i32>| {
            let coding = Coding::plan(&residual, samples.len(), order);
            let length = head + u64::from(bits) * order as u64 + coding.length;
            if length < best.as_ref().map_or(verbatim_bits, |best| best.0) {
                best = Some((length, order, predictor, residual, coding));
            }
        };
        let order = fixed_order(&samples);
        offer(order, Predictor::Fixed, 0, fixed_residual(&samples, order));
        if samples.len() >= 64
            && let Some((coefficients, shift)) = linear_predictor(&samples, bits, window)
            && let Some(residual) = linear_residual(&samples, &coefficients, shift, bits)
        {
            let precision = precision(bits);
            let (order, head) = (coefficients.len(), 9 + u64::from(precision) * coefficients.len() as u64);
            offer(order, Predictor::Linear { coefficients, precision, shift }, head, residual);
        }
        match best {
            Some((_, order, predictor, residual, coding)) => {
                let warm_up = samples[..order].to_vec();
                Self::Predicted { warm_up, bits, wasted, predictor, residual, coding }
            }
            None => Self::Verbatim { samples, bits, wasted },
        }
    }

    fn write(&self, out: &mut Bits) {
        let head = |out: &mut Bits, kind: u32, wasted: u32| {
            out.put(kind, 7);
            if wasted == 0 {
                out.put(0, 1);
            } else {
                out.put(1, 1);
                out.put_unary(wasted - 1);
            }
        };
        match self {
            Self::Constant { value, bits, wasted } => {
                head(out, 0, *wasted);
                out.put_signed(*value, *bits);
            }
            Self::Verbatim { samples, bits, wasted } => {
                head(out, 1, *wasted);
                samples.iter().for_each(|&sample| out.put_signed(sample, *bits));
            }
            Self::Predicted { warm_up, bits, wasted, predictor, residual, coding } => {
                let order = warm_up.len() as u32;
                head(out, if matches!(predictor, Predictor::Fixed) { 8 + order } else { 31 + order }, *wasted);
                warm_up.iter().for_each(|&sample| out.put_signed(sample, *bits));
                if let Predictor::Linear { coefficients, precision, shift } = predictor {
                    out.put(precision - 1, 4);
                    out.put(*shift, 5);
                    coefficients.iter().for_each(|&coefficient| out.put_signed(coefficient, *precision));
                }
                coding.write(out, residual, warm_up.len());
            }
        }
    }
}

/// Returns the order of the fixed predictor with the smallest sum of absolute residuals.
fn fixed_order(samples: &[i32]) -> usize {
    let most = samples.len().saturating_sub(1).min(4);
    let mut sums = [0u64; 5];
    let mut last = [0i32; 4];
    for (index, &sample) in samples.iter().enumerate() {
        let mut difference = sample;
        for order in 0..5 {
            if index >= 4 {
                sums[order] += u64::from(difference.unsigned_abs());
            }
            if order < 4 {
                let before = last[order];
                last[order] = difference;
                difference = difference.wrapping_sub(before);
            }
        }
    }
    (0..=most).min_by_key(|&order| sums[order]).unwrap_or(0)
}

/// Returns the differences of order `order` for all samples from index `order` on. They fit: 25 bits grow by at most
/// four.
fn fixed_residual(samples: &[i32], order: usize) -> Vec<i32> {
    let s = samples;
    let at = |f: fn(&[i32]) -> i32| s.windows(order + 1).map(f).collect();
    match order {
        0 => s.to_vec(),
        1 => at(|w| w[1] - w[0]),
        2 => at(|w| w[2] - 2 * w[1] + w[0]),
        3 => at(|w| w[3] - 3 * w[2] + 3 * w[1] - w[0]),
        _ => at(|w| w[4] - 4 * w[3] + 6 * w[2] - 4 * w[1] + w[0]),
    }
}

/// Returns the bits per coefficient. With 12, the sum of eight products with 17-bit samples fits 32 bits.
const fn precision(bits: u32) -> u32 {
    if bits <= 17 { 12 } else { 15 }
}

/// Returns the quantised coefficients, beginning with the one for the latest sample, and their shift.
fn linear_predictor(samples: &[i32], bits: u32, window: &[f32]) -> Option<(Vec<i32>, u32)> {
    let windowed: Vec<f32> = samples.iter().zip(window).map(|(&sample, &w)| sample as f32 * w).collect();
    let correlation = autocorrelation(&windowed);
    let mut coefficients = [0.0f64; MAX_ORDER];
    let mut error = correlation[0];
    if error <= 0.0 {
        return None;
    }
    let mut best: Option<(f64, Vec<f64>)> = None;
    for order in 0..MAX_ORDER {
        let reflected: f64 = (0..order).map(|k| coefficients[k] * correlation[order - k]).sum();
        let reflection = (correlation[order + 1] - reflected) / error;
        let before = coefficients;
        for k in 0..order {
            coefficients[k] = before[k] - reflection * before[order - 1 - k];
        }
        coefficients[order] = reflection;
        error *= 1.0 - reflection * reflection;
        if !error.is_finite() || error <= 0.0 {
            break;
        }
        // The approximate bits per sample of a Laplacian residual of this power.
        let bits_each = (0.5 * (error / samples.len() as f64 * 0.5).log2()).max(0.0);
        let length = bits_each * samples.len() as f64 + (order + 1) as f64 * f64::from(bits + precision(bits));
        if best.as_ref().is_none_or(|best| length < best.0) {
            best = Some((length, coefficients[..=order].to_vec()));
        }
    }
    quantize(&best?.1, precision(bits))
}

/// Returns the autocorrelation of the block at lags 0..=8. Four partial sums per lag let compilers vectorise the loop.
fn autocorrelation(samples: &[f32]) -> [f64; MAX_ORDER + 1] {
    let mut sums = [0.0; MAX_ORDER + 1];
    for (lag, sum) in sums.iter_mut().enumerate() {
        let (early, late) = (&samples[..samples.len() - lag], &samples[lag..]);
        let mut parts = [0.0f64; 4];
        let (early, early_rest) = early.as_chunks::<4>();
        let (late, late_rest) = late.as_chunks::<4>();
        for (a, b) in early.iter().zip(late) {
            for lane in 0..4 {
                parts[lane] += f64::from(a[lane]) * f64::from(b[lane]);
            }
        }
        let rest: f64 = early_rest.iter().zip(late_rest).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
        *sum = parts.iter().sum::<f64>() + rest;
    }
    sums
}

fn quantize(coefficients: &[f64], precision: u32) -> Option<(Vec<i32>, u32)> {
    let greatest = coefficients.iter().fold(0.0f64, |greatest, c| greatest.max(c.abs()));
    if !(greatest > 0.0 && greatest.is_finite()) {
        return None;
    }
    // The largest coefficient uses all bits. The shift is 0..=15.
    let shift = precision as i32 - 2 - greatest.log2().floor() as i32;
    if shift < 0 {
        return None;
    }
    let shift = shift.min(15) as u32;
    let limit = f64::from((1i32 << (precision - 1)) - 1);
    let mut carried = 0.0;
    let quantized = coefficients.iter().map(|&coefficient| {
        carried += coefficient * f64::from(1u32 << shift);
        let rounded = carried.round().clamp(-limit - 1.0, limit);
        carried -= rounded;
        rounded as i32
    });
    Some((quantized.collect(), shift))
}

/// Returns the prediction residual; `None` if it does not fit the format's 32 bits.
fn linear_residual(samples: &[i32], coefficients: &[i32], shift: u32, bits: u32) -> Option<Vec<i32>> {
    // Padded to a constant length so that the loop unrolls, and ordered like the samples, oldest first.
    let order = coefficients.len();
    let mut taps = [0i32; MAX_ORDER];
    for (k, &coefficient) in coefficients.iter().enumerate() {
        taps[MAX_ORDER - 1 - k] = coefficient;
    }
    let mut padded = vec![0i32; MAX_ORDER - order];
    padded.extend_from_slice(samples);
    let now = &samples[order..];
    if bits <= 17 {
        let predict = |w: &[i32]| (0..MAX_ORDER).map(|k| taps[k].wrapping_mul(w[k])).sum::<i32>() >> shift;
        Some(padded.windows(MAX_ORDER).zip(now).map(|(w, &sample)| sample - predict(w)).collect())
    } else {
        let predict = |w: &[i32]| (0..MAX_ORDER).map(|k| i64::from(taps[k]) * i64::from(w[k])).sum::<i64>() >> shift;
        let residual = padded.windows(MAX_ORDER).zip(now).map(|(w, &sample)| {
            let residual = i64::from(sample) - predict(w);
            (residual.unsigned_abs() < 1 << 30).then_some(residual as i32)
        });
        residual.collect()
    }
}

/// The partitions of a residual and their Rice parameters.
struct Coding {
    partition_order: u32,
    parameters: Vec<u32>,
    /// The total size in bits.
    length: u64,
}

/// Maps signed numbers of small magnitude to small unsigned numbers.
const fn folded(residual: i32) -> u32 {
    ((residual << 1) ^ (residual >> 31)) as u32
}

impl Coding {
    /// Returns the shortest coding of the residual of a block of `frames` frames after a predictor of order `order`.
    fn plan(residual: &[i32], frames: usize, order: usize) -> Self {
        let mut partition_order =
            MAX_PARTITION_ORDER.min(frames.trailing_zeros()).min((frames / (order + 1)).max(1).ilog2());
        while partition_order > 0 && frames >> partition_order <= order {
            partition_order -= 1;
        }
        let mut sums = partition_sums(residual, frames >> partition_order, order);
        let mut best: Option<Self> = None;
        loop {
            let size = (frames >> partition_order) as u64;
            let (mut parameters, mut length) = (Vec::with_capacity(sums.len()), 0);
            for (index, &sum) in sums.iter().enumerate() {
                let count = if index == 0 { size - order as u64 } else { size };
                let (parameter, bits) = rice_parameter(sum, count);
                parameters.push(parameter);
                length += bits;
            }
            length += 6 + parameters.len() as u64 * if parameters.iter().any(|&p| p > 14) { 5 } else { 4 };
            if best.as_ref().is_none_or(|best| length < best.length) {
                best = Some(Self { partition_order, parameters, length });
            }
            if partition_order == 0 {
                break;
            }
            partition_order -= 1;
            sums = sums.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        best.unwrap_or(Self { partition_order: 0, parameters: vec![0], length: u64::MAX })
    }

    fn write(&self, out: &mut Bits, residual: &[i32], order: usize) {
        let wide = self.parameters.iter().any(|&parameter| parameter > 14);
        out.put(u32::from(wide), 2);
        out.put(self.partition_order, 4);
        let size = (residual.len() + order) >> self.partition_order;
        let mut rest = residual;
        for (index, &parameter) in self.parameters.iter().enumerate() {
            let (now, after) = rest.split_at(if index == 0 { size - order } else { size });
            out.put(parameter, if wide { 5 } else { 4 });
            for &residual in now {
                out.put_rice(folded(residual), parameter);
            }
            rest = after;
        }
    }
}

/// Returns the sums of the folded residuals per partition of `size` frames. The first partition is shorter by `order`.
fn partition_sums(residual: &[i32], size: usize, order: usize) -> Vec<u64> {
    let (first, rest) = residual.split_at((size - order).min(residual.len()));
    let sum = |part: &[i32]| part.iter().map(|&residual| u64::from(folded(residual))).sum();
    std::iter::once(sum(first)).chain(rest.chunks(size).map(sum)).collect()
}

/// Returns the parameter that codes `count` numbers with this sum in the fewest bits, and an upper bound of those bits.
fn rice_parameter(sum: u64, count: u64) -> (u32, u64) {
    let bits = |parameter: u32| (u64::from(parameter) + 1) * count + (sum >> parameter);
    let guess = (sum / count.max(1)).max(1).ilog2();
    (guess.saturating_sub(1)..=(guess + 1).min(30)).map(|p| (p, bits(p))).min_by_key(|p| p.1).unwrap_or((0, bits(0)))
}
