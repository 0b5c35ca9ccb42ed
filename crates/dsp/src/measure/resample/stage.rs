//! The stages of a conversion, pulled from the last one. Each keeps the part of its input that it still needs.

use rayon::prelude::*;

use super::bank::Bank;
use super::dot::dot_pair;
use base::error::Result;
use base::simd::{Lanes, Simd, Task};

/// The maximum number of input frames that a stage takes at once, besides the width of its filter.
const BLOCK: usize = 1 << 14;

/// Blocks with fewer products than this are not split between threads.
const PARALLEL_PRODUCTS: usize = 1 << 20;
/// Output frames per parallel task.
const PARALLEL_FRAMES: usize = 1024;

/// Planar samples in f64, as passed between stages.
pub(super) type Planes = [Vec<f64>];

/// The source of the first stage. Appends frames to every plane; the arguments are the first frame and the number of
/// frames. Frames outside the source are silent.
pub(super) type Fetch<'a> = dyn FnMut(i64, usize, &mut Planes) -> Result<()> + 'a;

/// The state of one stage between calls.
#[derive(Debug)]
pub(super) struct StageHistory {
    /// The input from `start` on, one vector per channel.
    planes: Vec<Vec<f64>>,
    start: i64,
}

impl StageHistory {
    pub fn new(channels: usize) -> Self {
        Self { planes: vec![Vec::new(); channels], start: 0 }
    }

    fn end(&self) -> i64 {
        self.start + self.planes.first().map_or(0, Vec::len) as i64
    }

    /// Drops everything before `first`, or the whole window if `first` is not in it.
    fn begin_at(&mut self, first: i64) {
        let keep = first >= self.start && first < self.end();
        for plane in &mut self.planes {
            if keep {
                plane.drain(..(first - self.start) as usize);
            } else {
                plane.clear();
            }
        }
        self.start = first;
    }
}

/// Appends the output frames `first..first + frames` of the last stage to every plane of `out`.
pub(super) fn pull(
    banks: &[Bank],
    windows: &mut [StageHistory],
    first: i64,
    frames: usize,
    out: &mut Planes,
    fetch: &mut Fetch<'_>,
) -> Result<()> {
    let (Some((bank, banks)), Some((window, windows))) = (banks.split_last(), windows.split_last_mut()) else {
        return fetch(first, frames, out);
    };
    let at_once = bank.outputs_for(BLOCK).clamp(1, BLOCK);
    let mut done = 0;
    while done < frames {
        let count = at_once.min(frames - done);
        let begin = first + done as i64;
        let needed_end = bank.first_input(begin + count as i64 - 1) + bank.taps() as i64;
        window.begin_at(bank.first_input(begin));
        let end = window.end();
        if needed_end > end {
            pull(banks, windows, end, (needed_end - end) as usize, &mut window.planes, fetch)?;
        }
        filter(bank, window, begin, count, out);
        done += count;
    }
    Ok(())
}

/// Appends `count` output frames from `begin` on; the window holds all of their input. Large blocks are split between
/// threads, which changes no bit.
fn filter(bank: &Bank, window: &StageHistory, begin: i64, count: usize, out: &mut Planes) {
    if count * bank.taps() * out.len() < PARALLEL_PRODUCTS {
        return filter_piece(bank, window, begin, count, out);
    }
    let starts: Vec<usize> = (0..count).step_by(PARALLEL_FRAMES).collect();
    let pieces: Vec<Vec<Vec<f64>>> = starts
        .into_par_iter()
        .map(|start| {
            let mut piece = vec![Vec::new(); window.planes.len()];
            filter_piece(bank, window, begin + start as i64, PARALLEL_FRAMES.min(count - start), &mut piece);
            piece
        })
        .collect();
    for piece in pieces {
        for (out, samples) in out.iter_mut().zip(piece) {
            out.extend(samples);
        }
    }
}

fn filter_piece(bank: &Bank, window: &StageHistory, begin: i64, count: usize, out: &mut Planes) {
    for plane in out.iter_mut() {
        plane.reserve(count);
    }
    Simd::best().dispatch(Piece { bank, window, begin, count, out });
}

/// Output frames to compute, on any instruction set.
struct Piece<'a> {
    bank: &'a Bank,
    window: &'a StageHistory,
    begin: i64,
    count: usize,
    out: &'a mut Planes,
}

impl Task for Piece<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "so that it is compiled for the lanes' instruction set")]
    fn run<L: Lanes>(self) {
        let mut scratch = Vec::new();
        let mut place = self.bank.place(self.begin);
        for _ in 0..self.count {
            let row = self.bank.coefficients(place.phase, &mut scratch);
            let offset = (self.bank.first_tap(place) - self.window.start) as usize;
            let taps = offset..offset + row.len();
            for (planes, out) in self.window.planes.chunks(2).zip(self.out.chunks_mut(2)) {
                let (left, right) = (&planes[0][taps.clone()], &planes[planes.len() - 1][taps.clone()]);
                for (out, sum) in out.iter_mut().zip(dot_pair::<L>(row, left, right)) {
                    out.push(sum);
                }
            }
            self.bank.advance(&mut place);
        }
    }
}
