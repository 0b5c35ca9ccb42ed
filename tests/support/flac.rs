//! Writes FLAC (RFC 9639) with any legal combination of features, from random choices, with samples that are known.

use md5::{Digest, Md5};

pub fn crc8(bytes: &[u8]) -> u8 {
    bytes
        .iter()
        .fold(0, |crc, byte| (0..8).fold(crc ^ byte, |crc, _| if crc & 0x80 != 0 { crc << 1 ^ 0x07 } else { crc << 1 }))
}

pub fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0u16, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte) << 8, |crc, _| crc << 1 ^ if crc >> 15 == 1 { 0x8005 } else { 0 })
    })
}

/// Returns a number in the coding of frame headers.
pub fn coded(number: u64) -> Vec<u8> {
    if number < 0x80 {
        return vec![number as u8];
    }
    let extra = (1..=6).find(|extra| number < 1 << (6 * extra + 6 - extra)).unwrap_or(6);
    let lead = (0xff00u64 >> (extra + 1)) as u8;
    let mut bytes = vec![lead | (number >> (6 * extra)) as u8];
    (0..extra).rev().for_each(|place| bytes.push(0x80 | (number >> (6 * place) & 0x3f) as u8));
    bytes
}

/// A bit writer, most significant bit first.
pub struct Bits(pub Vec<u8>, pub u32);

impl Bits {
    pub fn put(&mut self, value: u64, count: u32) {
        for bit in (0..count).rev() {
            if self.1 == 0 {
                self.0.push(0);
                self.1 = 8;
            }
            self.1 -= 1;
            let last = self.0.len() - 1;
            self.0[last] |= ((value >> bit & 1) as u8) << self.1;
        }
    }

    fn put_unary(&mut self, zeros: u64) {
        (0..zeros).for_each(|_| self.put(0, 1));
        self.put(1, 1);
    }
}

/// The unit that frames are numbered in, and the one that their headers state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Frames of one size.
    Fixed,
    /// Samples.
    Variable,
    /// Samples, although the header says that blocks are of one size, as encoders before the format was settled.
    OldSamples,
    /// Frames, although their sizes vary.
    OldFrames,
}

/// The properties that all frames of a stream share.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    pub rate_hz: u32,
    pub channels: usize,
    pub bits: u32,
    pub numbers: Numbers,
    /// The number of the first frame, in what numbers count.
    pub begins: u64,
}

/// A stream and what it contains.
pub struct Stream {
    pub format: Format,
    pub samples: Vec<Vec<i64>>,
    /// The 34 bytes of STREAMINFO.
    pub info: Vec<u8>,
    /// The bytes of each frame, and its first sample.
    pub frames: Vec<(Vec<u8>, usize)>,
}

impl Stream {
    /// Returns the file.
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes_with(&self.info)
    }

    /// Returns the file with another STREAMINFO.
    pub fn bytes_with(&self, info: &[u8]) -> Vec<u8> {
        let mut bytes = [b"fLaC\0\0\0\x22", info, &[0x81, 0, 0, 5, 0, 0, 0, 0, 0]].concat();
        self.frames.iter().for_each(|(frame, _)| bytes.extend(frame));
        bytes
    }

    /// Returns STREAMINFO with another total.
    pub fn info_with_total(&self, total: u64) -> Vec<u8> {
        let mut info = self.info.clone();
        info[13] = info[13] & 0xf0 | (total >> 32) as u8 & 15;
        info[14..18].copy_from_slice(&(total as u32).to_be_bytes());
        info
    }

    /// Returns the sample that decoders must give.
    pub fn float(&self, channel: usize, frame: usize) -> f32 {
        self.samples[channel][frame] as f32 / (1u64 << (self.format.bits - 1)) as f32
    }

    pub fn length(&self) -> usize {
        self.samples[0].len()
    }
}

/// A source of random numbers.
type Random<'a> = dyn FnMut() -> u64 + 'a;

/// Returns a random format.
pub fn format(random: &mut Random) -> Format {
    let rates = [8_000, 44_100, 48_000, 96_000, 192_000, 37_000, 44_056, 1, 655_350, 700_001, 123_450];
    Format {
        rate_hz: rates[random() as usize % rates.len()],
        channels: if random().is_multiple_of(3) { 1 + random() as usize % 8 } else { 2 },
        bits: match random() % 4 {
            0 => 4 + (random() % 29) as u32,
            1 => 32,
            2 => 24,
            _ => 16,
        },
        numbers: if random().is_multiple_of(3) { Numbers::Variable } else { Numbers::Fixed },
        begins: 0,
    }
}

/// Returns a stream of `blocks` blocks of random samples in random codings.
pub fn stream(format: Format, blocks: usize, random: &mut Random) -> Stream {
    let sizes = [16, 17, 100, 192, 256, 576, 1000, 1024, 1152, 2048, 4096, 4608];
    let block = sizes[random() as usize % sizes.len()];
    let lengths: Vec<usize> = (0..blocks)
        .map(|at| match format.numbers {
            _ if at + 1 == blocks => 1 + random() as usize % block,
            Numbers::Fixed => block,
            _ => sizes[random() as usize % sizes.len()].min(block),
        })
        .collect();
    let total = lengths.iter().sum();
    let samples: Vec<Vec<i64>> = (0..format.channels).map(|_| signal(format.bits, total, random)).collect();
    let (mut frames, mut at) = (Vec::new(), 0);
    for (number, length) in lengths.iter().enumerate() {
        let part: Vec<&[i64]> = samples.iter().map(|channel| &channel[at..at + length]).collect();
        let number = match format.numbers {
            Numbers::Fixed | Numbers::OldFrames => number,
            Numbers::Variable | Numbers::OldSamples => at,
        } as u64;
        frames.push((frame(&format, &part, format.begins + number, random), at));
        at += length;
    }
    let least = lengths[..blocks.max(2) - 1].iter().min().copied().unwrap_or(block).max(16);
    let least = if format.numbers == Numbers::Fixed { block } else { least.min(block - usize::from(block > 16)) };
    let info = info(&format, [least, block], &samples, &frames, random);
    Stream { format, samples, info, frames }
}

fn info(
    format: &Format,
    blocks: [usize; 2],
    samples: &[Vec<i64>],
    frames: &[(Vec<u8>, usize)],
    random: &mut Random,
) -> Vec<u8> {
    let mut info: Vec<u8> = blocks.iter().flat_map(|size| (*size as u16).to_be_bytes()).collect();
    let knows = random().is_multiple_of(2);
    let sizes = frames.iter().map(|(bytes, _)| bytes.len() as u32);
    for size in [sizes.clone().min(), sizes.max()] {
        info.extend(&(if knows { size.unwrap_or(0) } else { 0 }).to_be_bytes()[1..]);
    }
    let packed = u64::from(format.rate_hz) << 44
        | (format.channels as u64 - 1) << 41
        | u64::from(format.bits - 1) << 36
        | samples[0].len() as u64;
    info.extend(packed.to_be_bytes());
    let mut md5 = Md5::new();
    for at in 0..samples[0].len() {
        samples.iter().for_each(|channel| md5.update(&channel[at].to_le_bytes()[..format.bits.div_ceil(8) as usize]));
    }
    info.extend_from_slice(&md5.finalize());
    info
}

/// Random samples: of any level, smooth or rough, silent or at the extremes, with low bits that are zero.
fn signal(bits: u32, total: usize, random: &mut Random) -> Vec<i64> {
    let (most, least) = ((1i64 << (bits - 1)) - 1, -(1i64 << (bits - 1)));
    let mut out = Vec::with_capacity(total);
    while out.len() < total {
        let count = (1 + random() as usize % 3000).min(total - out.len());
        let kind = random() % 8;
        let level = if random().is_multiple_of(2) { 1.0 } else { 0.5f64.powi((random() % u64::from(bits)) as i32) };
        let (hz, noise, constant) = (0.001 + random() as f64 % 1000.0 / 2000.0, random() % 3, random());
        let zeros = if random().is_multiple_of(4) { random() as u32 % bits } else { 0 };
        for at in 0..count {
            let range = (most - least + 1) as u64;
            let rough = least + (random().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 13) as i64 % range as i64;
            let value = match kind {
                0 => 0,
                1 => least + (constant % range) as i64,
                2 => rough,
                3 => [least, most][random() as usize % 2],
                4 => [least, most][at / 7 % 2],
                _ => {
                    let smooth = (level * most as f64 * (at as f64 * hz).sin()) as i64;
                    smooth + if noise == 0 { 0 } else { rough >> (bits - 1).min(4 + 2 * noise as u32) }
                }
            };
            out.push(value.clamp(least, most) >> zeros << zeros);
        }
    }
    out
}

/// Returns a frame with these samples, in a random coding.
pub fn frame(format: &Format, samples: &[&[i64]], number: u64, random: &mut Random) -> Vec<u8> {
    let length = samples[0].len();
    let mut tail = Vec::new();
    let named: &[usize] = &[0, 192, 576, 1152, 2304, 4608, 0, 0, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768];
    let block_code = match named.iter().position(|size| *size == length) {
        Some(code) if !random().is_multiple_of(4) => code,
        _ if length <= 256 && random().is_multiple_of(2) => {
            tail.push((length - 1) as u8);
            6
        }
        _ => {
            tail.extend(((length - 1) as u16).to_be_bytes());
            7
        }
    };
    let rate = format.rate_hz;
    let rates = [88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];
    let rate_code = match (rates.iter().position(|named| *named == rate), random() % 4) {
        (Some(code), 1..) => code + 1,
        (_, 2) if rate.is_multiple_of(1000) && rate < 256_000 => {
            tail.push((rate / 1000) as u8);
            12
        }
        (_, 1 | 2) if rate < 65_536 => {
            tail.extend((rate as u16).to_be_bytes());
            13
        }
        (_, 1 | 3) if rate.is_multiple_of(10) && rate < 655_360 => {
            tail.extend(((rate / 10) as u16).to_be_bytes());
            14
        }
        _ => 0,
    };
    let bits_code = match [8, 12, 0, 16, 20, 24, 32].iter().position(|named| *named == format.bits) {
        Some(code) if !random().is_multiple_of(4) => code as u8 + 1,
        _ => 0,
    };
    let assignment = if samples.len() == 2 { [1, 8, 9, 10][random() as usize % 4] } else { samples.len() as u8 - 1 };
    let variable = u8::from(format.numbers == Numbers::Variable);
    let mut bytes = vec![0xff, 0xf8 | variable, (block_code << 4 | rate_code) as u8, assignment << 4 | bits_code << 1];
    bytes.extend(coded(number));
    bytes.extend(tail);
    bytes.push(crc8(&bytes));
    let mut bits = Bits(bytes, 0);
    let side = || samples[0].iter().zip(samples[1]).map(|(left, right)| left - right).collect::<Vec<i64>>();
    let mid = || samples[0].iter().zip(samples[1]).map(|(left, right)| (left + right) >> 1).collect::<Vec<i64>>();
    let depth = format.bits;
    match assignment {
        8 => {
            subframe(&mut bits, samples[0], depth, random);
            subframe(&mut bits, &side(), depth + 1, random);
        }
        9 => {
            subframe(&mut bits, &side(), depth + 1, random);
            subframe(&mut bits, samples[1], depth, random);
        }
        10 => {
            subframe(&mut bits, &mid(), depth, random);
            subframe(&mut bits, &side(), depth + 1, random);
        }
        _ => samples.iter().for_each(|channel| subframe(&mut bits, channel, depth, random)),
    }
    let mut bytes = bits.0;
    bytes.extend(crc16(&bytes).to_be_bytes());
    bytes
}

fn subframe(bits: &mut Bits, samples: &[i64], depth: u32, random: &mut Random) {
    let zeros = samples.iter().fold(0, |all, sample| all | sample).trailing_zeros().min(depth - 1);
    let wasted = if zeros > 0 && random().is_multiple_of(2) { 1 + random() as u32 % zeros } else { 0 };
    let samples: Vec<i64> = samples.iter().map(|sample| sample >> wasted).collect();
    let depth = depth - wasted;
    let head = |bits: &mut Bits, kind: u64| {
        bits.put(kind, 7);
        bits.put(u64::from(wasted > 0), 1);
        if wasted > 0 {
            bits.put_unary(u64::from(wasted - 1));
        }
    };
    let put_all = |bits: &mut Bits, samples: &[i64]| samples.iter().for_each(|sample| bits.put(*sample as u64, depth));
    if samples.iter().all(|sample| *sample == samples[0]) && random().is_multiple_of(2) {
        head(bits, 0);
        return put_all(bits, &samples[..1]);
    }
    let choice = random() % 8;
    if choice < 3 {
        let order = (random() as usize % 5).min(samples.len() - 1);
        let taps: &[i64] = [&[][..], &[1], &[2, -1], &[3, -3, 1], &[4, -6, 4, -1]][order];
        if let Some(residual) = residual(&samples, taps, 0) {
            head(bits, 8 + order as u64);
            put_all(bits, &samples[..order]);
            return put_residual(bits, &residual, samples.len(), order, random);
        }
    } else if choice < 7 && samples.len() > 1 {
        let order = (1 + random() as usize % 32).min(samples.len() - 1);
        let (precision, shift) = (1 + random() as u32 % 15, random() as u32 % 16);
        let limit = 1i64 << (precision - 1);
        let mut taps: Vec<i64> = (0..order).map(|_| (random() % (2 * limit as u64)) as i64 - limit).collect();
        if random().is_multiple_of(2) {
            // Near a predictor that fits, so that residuals are small.
            taps.iter_mut().for_each(|tap| *tap /= 64);
            taps[0] = (1i64 << shift).min(limit - 1);
        }
        if let Some(residual) = residual(&samples, &taps, shift) {
            head(bits, 31 + order as u64);
            put_all(bits, &samples[..order]);
            bits.put(u64::from(precision - 1), 4);
            bits.put(u64::from(shift), 5);
            taps.iter().for_each(|tap| bits.put(*tap as u64, precision));
            return put_residual(bits, &residual, samples.len(), order, random);
        }
    }
    head(bits, 1);
    put_all(bits, &samples);
}

/// Returns what the prediction leaves; `None` if it does not fit the 32 bits that the format allows.
fn residual(samples: &[i64], taps: &[i64], shift: u32) -> Option<Vec<i64>> {
    (taps.len()..samples.len())
        .map(|at| {
            let sum: i64 = taps.iter().enumerate().map(|(k, tap)| tap * samples[at - 1 - k]).sum();
            Some(samples[at] - (sum >> shift)).filter(|residual| residual.abs() < 1 << 31)
        })
        .collect()
}

fn put_residual(bits: &mut Bits, residual: &[i64], length: usize, order: usize, random: &mut Random) {
    let most =
        (0..15u32).take_while(|log| length.is_multiple_of(1 << log) && length >> log > order).last().unwrap_or(0);
    let partitions = random() as u32 % (most + 1);
    // The codes of the largest numbers would be of megabytes with the smaller parameters.
    let is_large = residual.iter().any(|value| value.abs() >= 1 << 20);
    let method = if is_large { 1 } else { random() as u32 % 2 };
    bits.put(u64::from(method), 2);
    bits.put(u64::from(partitions), 4);
    let (size, width) = (length >> partitions, 4 + method);
    let mut rest = residual;
    for partition in 0..1usize << partitions {
        let (part, after) = rest.split_at(if partition == 0 { size - order } else { size });
        rest = after;
        let folded = |value: i64| ((value << 1) ^ (value >> 63)) as u64;
        let greatest = part.iter().map(|value| folded(*value)).max().unwrap_or(0);
        // Codes of up to some hundred bits, which are longer than any word, if few numbers are as large as the greatest.
        let mean = part.iter().map(|value| folded(*value)).sum::<u64>() / part.len().max(1) as u64;
        let needed = (64 - mean.leading_zeros()).saturating_sub(random() as u32 % 3);
        let parameter = (needed + random() as u32 % 2).min([14, 30][method as usize]);
        let fits = greatest >> parameter < 300;
        let raw = 64 - greatest.leading_zeros();
        if raw <= 31 && (!fits || random().is_multiple_of(6)) {
            let raw = if raw == 0 && random().is_multiple_of(2) {
                0
            } else {
                raw.max(1) + random() as u32 % (32 - raw.max(1))
            };
            bits.put([15, 31][method as usize], width);
            bits.put(u64::from(raw), 5);
            part.iter().for_each(|value| bits.put(*value as u64, raw));
            continue;
        }
        bits.put(u64::from(parameter), width);
        for value in part {
            bits.put_unary(folded(*value) >> parameter);
            bits.put(folded(*value), parameter);
        }
    }
}
