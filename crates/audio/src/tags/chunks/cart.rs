//! The cart chunk of radio automation.
//!
//! Source: AES46-2002.

use std::ops::Range;

use super::{Change, le32, put_le32};

/// Eight timers, each with four letters of its use and a frame.
const TIMERS: Range<usize> = 684..748;
const TIMER_BYTES: usize = 8;

/// Changes the chunk with its sound. Returns `false` if it cannot be kept.
pub(super) fn change(data: &mut [u8], change: &mut Change<'_>) -> bool {
    if change.keeps_times() || data.len() < TIMERS.end {
        return true;
    }
    let mut is_lost = false;
    for timer in data[TIMERS].chunks_exact_mut(TIMER_BYTES).filter(|timer| timer[..4] != [0; 4]) {
        let frame = u64::from(le32(timer, 4).unwrap_or(0));
        if let Some(frame) = change.moment(frame).and_then(|frame| u32::try_from(frame).ok()) {
            put_le32(timer, 4, frame);
        } else {
            timer.fill(0);
            is_lost = true;
        }
    }
    if is_lost {
        change.left_out.push(("timers", change.of_times()));
    }
    true
}
