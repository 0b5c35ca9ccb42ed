//! One entry of the index: a triple of a track, or a value of its Chromaprint items.
//!
//! An entry is one integer, from the highest bits: cell, pitch in eighths of an octave's 36th (the *head*), track, and
//! what else a triple needs (the *detail*): time, the rest of its pitch, span. Sorted entries of a head therefore lie
//! together, ordered by track, and a question about a range of pitch reads a few heads in a row. Values of Chromaprint
//! items have cells behind those of the triples, and no detail.

use super::super::triples::{CELLS, Triple};
use super::super::votes::{MAX_TRACKS, SPAN_BITS, TIME_BITS, TRACK_BITS};

/// An entry.
pub(super) type Entry = u128;

/// Bits of the pitch in a head, and of the rest of it in a detail.
const GROUP_BITS: u32 = 8;
const REST_BITS: u32 = 3;
const DETAIL_BITS: u32 = TIME_BITS + REST_BITS + SPAN_BITS;
/// Leading bits of a Chromaprint item that make its value.
pub(super) const VALUE_BITS: u32 = 20;
/// The exclusive upper limits of heads and details.
pub(super) const HEADS: u32 = (CELLS + (1 << VALUE_BITS)) << GROUP_BITS;
pub(super) const DETAILS: u64 = 1 << DETAIL_BITS;
/// The first head without details.
const FIRST_VALUE: u32 = CELLS << GROUP_BITS;

/// Returns the entry of a triple; `None` if its time is beyond the limit of 6.7 h.
pub(super) fn of_triple(triple: &Triple, track: u32) -> Option<Entry> {
    let rest = u64::from(triple.place) & ((1 << REST_BITS) - 1);
    let detail = (u64::from(triple.time) << REST_BITS | rest) << SPAN_BITS | u64::from(triple.span);
    (triple.time < 1 << TIME_BITS).then(|| entry(head_of(triple.cell, triple.place), track, detail))
}

/// Returns the entry of a Chromaprint item.
pub(super) fn of_item(item: u32, track: u32) -> Entry {
    entry(head_of_item(item), track, 0)
}

pub(super) fn entry(head: u32, track: u32, detail: u64) -> Entry {
    (u128::from(head) << TRACK_BITS | u128::from(track)) << DETAIL_BITS | u128::from(detail)
}

/// Returns the head of triples of a cell and a pitch.
pub(super) fn head_of(cell: u32, place: u16) -> u32 {
    cell << GROUP_BITS | u32::from(place >> REST_BITS)
}

/// Returns the head of a Chromaprint item.
pub(super) fn head_of_item(item: u32) -> u32 {
    (CELLS + (item >> (u32::BITS - VALUE_BITS))) << GROUP_BITS
}

/// Returns whether entries of a head have details.
pub(super) fn has_detail(head: u32) -> bool {
    head < FIRST_VALUE
}

pub(super) fn head(entry: Entry) -> u32 {
    (entry >> (TRACK_BITS + DETAIL_BITS)) as u32
}

pub(super) fn track(entry: Entry) -> u32 {
    (entry >> DETAIL_BITS) as u32 & (MAX_TRACKS - 1)
}

pub(super) fn detail(entry: Entry) -> u64 {
    entry as u64 & (DETAILS - 1)
}

pub(super) fn time(entry: Entry) -> u32 {
    (entry >> (REST_BITS + SPAN_BITS)) as u32 & ((1 << TIME_BITS) - 1)
}

pub(super) fn place(entry: Entry) -> u16 {
    let group = head(entry) as u16 & ((1 << GROUP_BITS) - 1);
    group << REST_BITS | (entry >> SPAN_BITS) as u16 & ((1 << REST_BITS) - 1)
}

pub(super) fn span(entry: Entry) -> u16 {
    entry as u16 & ((1 << SPAN_BITS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_into_an_entry_comes_out_of_it() {
        let triple = Triple { cell: CELLS - 1, place: 1151, span: 400, time: (1 << TIME_BITS) - 1 };
        let packed = of_triple(&triple, MAX_TRACKS - 1).unwrap();
        assert_eq!((place(packed), span(packed), time(packed)), (1151, 400, triple.time));
        assert_eq!((head(packed), track(packed)), (head_of(triple.cell, 1151), MAX_TRACKS - 1));
        assert!(has_detail(head(packed)) && entry(head(packed), track(packed), detail(packed)) == packed);
        assert!(of_triple(&Triple { time: 1 << TIME_BITS, ..triple }, 0).is_none());
        let item = of_item(u32::MAX, 7);
        assert!(head(item) < HEADS && !has_detail(head(item)) && track(item) == 7 && detail(item) == 0);
    }
}
