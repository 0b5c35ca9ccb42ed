//! The chunks of samplers: `smpl` with loops and pitch, `inst` with the pitch.
//!
//! Source: Microsoft and IBM, "Multimedia programming interface and data specifications 1.0" (1991), and "New multimedia
//! data types and data techniques 3.0" (1994).

use super::{Change, le32, put_le32, semitones};

/// The nanoseconds of a frame.
const PERIOD: usize = 8;
const NOTE: usize = 12;
/// The part of a semitone above the note; 2^32 is a semitone.
const FRACTION: usize = 16;
const SMPTE: usize = 20;
const LOOP_COUNT: usize = 28;
const SAMPLER_BYTES: usize = 32;
const LOOPS: usize = 36;
const LOOP_BYTES: usize = 24;
/// The places in a loop of its first and its last frame.
const LOOP_START: usize = 8;
const LOOP_END: usize = 12;
const NOTES: f64 = 127.0;
const SEMITONE: f64 = 4_294_967_296.0;

/// Changes the chunk `smpl` with its sound. Returns `false` if it cannot be kept.
pub(super) fn change(data: &mut Vec<u8>, change: &mut Change<'_>) -> bool {
    if data.len() < LOOPS {
        let is_kept = change.keeps_times();
        change.left_out.extend((!is_kept).then(|| ("", change.of_times())));
        return is_kept;
    }
    match semitones(change) {
        Ok(up) if up != 0.0 => {
            let fraction = f64::from(le32(data, FRACTION).unwrap_or(0)) / SEMITONE;
            let pitch = (f64::from(le32(data, NOTE).unwrap_or(0)) + fraction + up).clamp(0.0, NOTES);
            put_le32(data, NOTE, pitch.floor() as u32);
            put_le32(data, FRACTION, (pitch.fract() * SEMITONE) as u32);
        }
        Ok(_) => {}
        Err(cause) => {
            change.left_out.push(("", cause));
            return false;
        }
    }
    if change.keeps_times() {
        return true;
    }
    if change.new_rate() != change.rate {
        put_le32(data, PERIOD, (1e9 / change.new_rate().as_f64()).round() as u32);
    }
    if change.map.first() != Some(0) {
        // The time code of the first frame.
        put_le32(data, SMPTE, 0);
        put_le32(data, SMPTE + 4, 0);
    }
    let count = (le32(data, LOOP_COUNT).unwrap_or(0) as usize).min((data.len() - LOOPS) / LOOP_BYTES);
    let (mut kept, mut is_lost) = (Vec::new(), false);
    for place in data[LOOPS..].chunks_exact(LOOP_BYTES).take(count) {
        let frame = |at| u64::from(le32(place, at).unwrap_or(0));
        // The last frame is in the loop.
        let region = change.map.region(frame(LOOP_START)..frame(LOOP_END).saturating_add(1));
        let frames = region.filter(|region| region.start < region.end && u32::try_from(region.end).is_ok());
        match frames {
            Some(frames) => {
                let start = kept.len();
                kept.extend_from_slice(place);
                put_le32(&mut kept, start + LOOP_START, frames.start as u32);
                put_le32(&mut kept, start + LOOP_END, (frames.end - 1) as u32);
            }
            None => is_lost = true,
        }
    }
    if is_lost {
        change.left_out.push(("loops", change.of_times()));
    }
    put_le32(data, LOOP_COUNT, (kept.len() / LOOP_BYTES) as u32);
    data.splice(LOOPS..LOOPS + count * LOOP_BYTES, kept);
    // The bytes for a particular sampler stay where they follow the loops.
    let more = data.len() - LOOPS - LOOP_BYTES * le32(data, LOOP_COUNT).unwrap_or(0) as usize;
    put_le32(data, SAMPLER_BYTES, more as u32);
    true
}

/// Changes the chunk `inst` with its sound. Returns `false` if it cannot be kept.
pub(super) fn change_instrument(data: &mut [u8], change: &mut Change<'_>) -> bool {
    let up = match semitones(change) {
        Ok(up) => up,
        Err(cause) => {
            change.left_out.push(("", cause));
            return false;
        }
    };
    // A note, and cents above or below it.
    if let (Some([note, cents, ..]), true) = (data.get_mut(..2), up != 0.0) {
        let pitch = (f64::from(*note) + f64::from(*cents as i8) / 100.0 + up).clamp(0.0, NOTES);
        *note = pitch.round() as u8;
        *cents = ((pitch - pitch.round()) * 100.0).round() as i8 as u8;
    }
    true
}
