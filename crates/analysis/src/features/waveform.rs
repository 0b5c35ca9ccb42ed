//! Sums over the samples of each hop: energies, peaks, zero crossings, stereo image.
//!
//! Hop `h` covers the frames `h hop..(h + 1) hop`. A window of four hops around its centre covers the hops
//! `k - 2..k + 2`, so the levels of windows are sums over hops:
//!
//! | series | unit | formula | as |
//! |---|---|---|---|
//! | RMS | full scale | `sqrt(sum x^2 / size)`, silence beyond the ends | `librosa.feature.rms` |
//! | zero crossings | share | changes of sign within the window over `size` | `librosa.feature.zero_crossing_rate` |
//!
//! A sample of magnitude 1e-10 or less counts as 0, and 0 as positive, as in librosa.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use super::frames::{Block, Layout};
use base::simd::{LANES, Lanes, Simd, Task};

/// Samples up to this magnitude have no sign.
const NO_SIGN: f32 = 1e-10;

/// Sums over one hop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hop {
    /// The sum of squares over all channels.
    pub energy: f64,
    /// The largest magnitude over all channels.
    pub peak: f32,
    /// The sum of squares of the channels' mean.
    pub mono_energy: f64,
    /// The number of sign changes of the channels' mean, including one from the sample before the hop.
    pub crossings: u32,
    /// Whether the sign changes at the hop's first sample.
    pub crosses_first: bool,
    /// The sums of `l^2`, `r^2` and `l r` over the first two channels; zeros for a single channel.
    pub stereo: [f64; 3],
}

/// Returns the sums over a block's hops, one for each of its windows. The last hop of a stream can be short or empty.
pub fn hops(block: &Block, layout: Layout) -> Vec<Hop> {
    let channels: Vec<&[f32]> = (0..block.channels()).map(|channel| block.own_channel(channel)).collect();
    let mono = block.mono();
    let before = (block.frames.start as i64 - 1 - mono.first_frame).try_into().ok().map(|at: usize| mono.samples[at]);
    Simd::best().dispatch(Hops {
        count: (block.windows.end - block.windows.start) as usize,
        hop: layout.hop,
        channels: &channels,
        mono: block.own_mono(),
        before,
    })
}

struct Hops<'a> {
    count: usize,
    hop: usize,
    channels: &'a [&'a [f32]],
    mono: &'a [f32],
    before: Option<f32>,
}

impl Task for Hops<'_> {
    type Output = Vec<Hop>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<Hop> {
        let Self { count, hop, channels, mono: all, before } = self;
        let mut hops = Vec::with_capacity(count);
        // A loop, not `map`: a closure is not compiled for the instruction set of its caller.
        for index in 0..count {
            let (from, to) = ((index * hop).min(all.len()), ((index + 1) * hop).min(all.len()));
            let mono = &all[from..to];
            let mut sums = Hop::default();
            if let [left, right] = channels {
                let (left, right) = (&left[from..to], &right[from..to]);
                // Four chains of sums at a time, since each waits for its last addition.
                let [l, r, m, lr] = products::<L, 4>([[left, left], [right, right], [mono, mono], [left, right]]);
                (sums.energy, sums.mono_energy, sums.stereo) = (l + r, m, [l, r, lr]);
                sums.peak = peak(left).max(peak(right));
            } else {
                for (channel, samples) in channels.iter().enumerate() {
                    let samples = &samples[from..to];
                    let [energy] = products::<L, 1>([[samples, samples]]);
                    sums.energy += energy;
                    sums.peak = sums.peak.max(peak(samples));
                    if channel < 2 && channels.len() > 1 {
                        sums.stereo[channel] = energy;
                    }
                }
                [sums.mono_energy] = products::<L, 1>([[mono, mono]]);
                if let [left, right, ..] = channels {
                    [sums.stereo[2]] = products::<L, 1>([[&left[from..to], &right[from..to]]]);
                }
            }
            if from < to {
                let last = if from == 0 { before } else { Some(all[from - 1]) };
                sums.crosses_first = last.is_some_and(|last| is_negative(last) != is_negative(mono[0]));
                sums.crossings = crossings(mono) + u32::from(sums.crosses_first);
            }
            hops.push(sums);
        }
        hops
    }
}

#[inline(always)]
fn is_negative(x: f32) -> bool {
    x < -NO_SIGN
}

#[inline(always)]
fn crossings(x: &[f32]) -> u32 {
    let mut count = 0;
    for (&now, &before) in x[1..].iter().zip(x) {
        count += u32::from(is_negative(now) != is_negative(before));
    }
    count
}

#[inline(always)]
fn peak(x: &[f32]) -> f32 {
    let mut most = 0;
    for x in x {
        most = (x.to_bits() & 0x7fff_ffff).max(most);
    }
    f32::from_bits(most)
}

/// Returns the sums of products of pairs of equal length in f64, in an order that depends on the length alone.
#[inline(always)]
fn products<L: Lanes, const N: usize>(pairs: [[&[f32]; 2]; N]) -> [f64; N] {
    let length = pairs[0][0].len();
    let whole = length / LANES * LANES;
    let mut sums = [L::splat(0.0); N];
    for at in (0..whole).step_by(LANES) {
        for n in 0..N {
            let [a, b] = pairs[n];
            if let (Some(a), Some(b)) = (a[at..].first_chunk(), b[at..].first_chunk()) {
                // A product of two `f32` is exact in `f64`, so that a fused addition rounds as another does.
                sums[n] = L::widen(a).mul_add(L::widen(b), sums[n]);
            }
        }
    }
    let mut totals = [0.0; N];
    for n in 0..N {
        let mut l = [0.0; LANES];
        sums[n].store(&mut l);
        totals[n] = ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
        for at in whole..length {
            totals[n] += f64::from(pairs[n][0][at]) * f64::from(pairs[n][1][at]);
        }
    }
    totals
}

/// Returns the hops of window `k`, limited to those that exist.
fn around(hops: &[Hop], layout: Layout, k: usize) -> &[Hop] {
    let half = layout.size / layout.hop / 2;
    &hops[k.saturating_sub(half)..(k + half).min(hops.len())]
}

/// Returns the RMS of every window of the channels' mean; full scale is 1.
pub fn rms(hops: &[Hop], layout: Layout) -> Vec<f32> {
    let of = |k| around(hops, layout, k).iter().map(|hop| hop.mono_energy).sum::<f64>();
    (0..hops.len()).map(|k| (of(k) / layout.size as f64).sqrt() as f32).collect()
}

/// Returns the RMS of every window over all channels; full scale is 1.
pub fn rms_of_channels(hops: &[Hop], layout: Layout, channels: usize) -> Vec<f32> {
    let of = |k| around(hops, layout, k).iter().map(|hop| hop.energy).sum::<f64>();
    (0..hops.len()).map(|k| (of(k) / (layout.size * channels.max(1)) as f64).sqrt() as f32).collect()
}

/// Returns the share of samples in every window at which the sign changes, 0..=1.
pub fn zero_crossing_rate(hops: &[Hop], layout: Layout) -> Vec<f32> {
    let half = layout.size / layout.hop / 2;
    let of = |k: usize| {
        let count: u32 = around(hops, layout, k).iter().map(|hop| hop.crossings).sum();
        // The sample before the window's first is not part of the window, so a change there does not count.
        let first = k.checked_sub(half).is_some_and(|first| hops[first].crosses_first);
        count - u32::from(first)
    };
    (0..hops.len()).map(|k| of(k) as f32 / layout.size as f32).collect()
}
