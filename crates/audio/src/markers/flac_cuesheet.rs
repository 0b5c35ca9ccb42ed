//! The CUESHEET block of FLAC files (RFC 9639, section 8.7): tracks at exact frames, without names.
//!
//! It is written before the comments, which have the names. ffmpeg, and the players that use it, take chapters from both;
//! one of a number that they have already gets the later name, and one of another number is added.

use super::Marker;

/// The type of the block.
pub(crate) const BLOCK_TYPE: u8 = 5;
/// The largest number of tracks besides the lead-out.
pub(crate) const MAX_TRACKS: usize = 254;
/// The size before the tracks: catalogue number, lead-in, flags and reserved bits, number of tracks.
const HEAD_BYTES: usize = 128 + 8 + 259 + 1;
/// The size of a track before its index points: offset, number, ISRC, flags and reserved bits, number of points.
const TRACK_BYTES: usize = 8 + 1 + 12 + 14 + 1;
/// The size of an index point.
const POINT_BYTES: usize = 8 + 1 + 3;
/// The numbers of the lead-out, on a CD and elsewhere.
const LEAD_OUTS: [u8; 2] = [170, 255];
/// The largest size of a block in bytes: 100 tracks of a CD and 255 of others, with up to 100 points each, and some more.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// Reads the tracks of a block, up to where it ends. A track is at its index point 1, otherwise at its first one.
pub(crate) fn read(block: &[u8]) -> Vec<Marker> {
    let mut markers = Vec::new();
    let Some((head, mut rest)) = block.split_at_checked(HEAD_BYTES) else { return markers };
    let is_cd = head[136] & 0x80 != 0;
    for _ in 0..head[HEAD_BYTES - 1] {
        let Some((track, points)) = rest.split_at_checked(TRACK_BYTES) else { break };
        let (offset, number) = (be64(track), track[8]);
        let count = usize::from(track[TRACK_BYTES - 1]);
        let Some((points, after)) = points.split_at_checked(count * POINT_BYTES) else { break };
        rest = after;
        if number == LEAD_OUTS[usize::from(!is_cd)] {
            continue;
        }
        let mut points = points.chunks_exact(POINT_BYTES).map(|point| (point[8], be64(point)));
        let first = points.clone().next();
        let start = points.find(|(number, _)| *number == 1).or(first).map_or(0, |(_, start)| start);
        markers.push(Marker::point(offset.saturating_add(start), String::new()));
    }
    markers
}

fn be64(bytes: &[u8]) -> u64 {
    bytes.first_chunk().copied().map_or(0, u64::from_be_bytes)
}

/// Returns the block, with its header, for markers of a stream of `frames` frames; `None` if there are none, or more than
/// [`MAX_TRACKS`].
pub(crate) fn block(markers: &[Marker], frames: u64) -> Option<Vec<u8>> {
    if markers.is_empty() || markers.len() > MAX_TRACKS {
        return None;
    }
    let mut content = vec![0; HEAD_BYTES];
    content[HEAD_BYTES - 1] = markers.len() as u8 + 1;
    for (index, marker) in markers.iter().enumerate() {
        track(&mut content, marker.start_frame, index as u8 + 1, true);
    }
    track(&mut content, frames, LEAD_OUTS[1], false);
    let mut block = vec![BLOCK_TYPE];
    block.extend_from_slice(&(content.len() as u32).to_be_bytes()[1..]);
    block.append(&mut content);
    Some(block)
}

fn track(content: &mut Vec<u8>, offset: u64, number: u8, has_point: bool) {
    content.extend_from_slice(&offset.to_be_bytes());
    content.push(number);
    content.extend_from_slice(&[0; 12 + 14]);
    content.push(u8::from(has_point));
    if has_point {
        content.extend_from_slice(&[0; 8]);
        content.push(1);
        content.extend_from_slice(&[0; 3]);
    }
}
