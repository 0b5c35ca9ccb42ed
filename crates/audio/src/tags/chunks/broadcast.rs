//! The broadcast extension, `bext`.
//!
//! Source: EBU Tech 3285 version 2 (2011).

use std::ops::Range;

use super::{Change, Channels, Cut, Level, Mixed, Pitch, Tempo};

/// The frames from midnight to the first frame, in two words.
const TIME_REFERENCE: Range<usize> = 338..346;
const VERSION: Range<usize> = 346..348;
const UMID: Range<usize> = 348..412;
/// Five values of loudness, since version 2.
const LOUDNESS: Range<usize> = 412..422;
/// A value that is not used.
const UNUSED: i16 = 0x7fff;

/// Changes the chunk with its sound. Returns `false` if it cannot be kept.
pub(super) fn change(data: &mut [u8], change: &mut Change<'_>) -> bool {
    if data.len() < VERSION.end {
        // It ends before the time. What is there is text.
        return true;
    }
    if !change.keeps_times() {
        let place: &mut [u8] = &mut data[TIME_REFERENCE];
        let time = place.first_chunk().copied().map_or(0, u64::from_le_bytes);
        let new = change.time_of_day(time);
        if new.is_none() && time != 0 {
            change.left_out.push(("time reference", change.of_times()));
        }
        place.copy_from_slice(&new.unwrap_or(0).to_le_bytes());
    }
    let version = u16::from_le_bytes([data[VERSION.start], data[VERSION.start + 1]]);
    if let Some(cause) = change.by(&[Cut, Mixed, Tempo, Pitch])
        && let Some(umid) = data.get_mut(UMID).filter(|umid| umid.iter().any(|byte| *byte != 0))
    {
        umid.fill(0);
        change.left_out.push(("UMID", cause));
    }
    if let Some(cause) = change.by(&[Level, Cut, Mixed, Channels])
        && version >= 2
        && let Some(loudness) = data.get_mut(LOUDNESS)
    {
        let unused = UNUSED.to_le_bytes();
        if loudness.chunks_exact(2).any(|value| *value != unused) {
            loudness.chunks_exact_mut(2).for_each(|value| value.copy_from_slice(&unused));
            change.left_out.push(("loudness", cause));
        }
    }
    true
}
