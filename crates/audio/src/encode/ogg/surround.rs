//! Multistream Opus packets: the assignment of channels to streams (RFC 7845, section 5.1.1.2), and the self-delimited
//! framing of all streams but the last (RFC 6716, appendix B).

use base::error::{Error, Result};

/// The channels of one stream, as indices in WAV order: a pair or a single channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// A left and a right channel.
    Pair(usize, usize),
    /// A full-range channel.
    One(usize),
    /// The low-frequency channel.
    Low(usize),
}

/// Returns the streams for a number of channels, pairs first, and the decoded channel of each channel in Vorbis order.
pub fn layout(channels: usize) -> (Vec<Group>, &'static [u8]) {
    use Group::{Low, One, Pair};
    match channels {
        1 => (vec![One(0)], &[0]),
        2 => (vec![Pair(0, 1)], &[0, 1]),
        3 => (vec![Pair(0, 1), One(2)], &[0, 2, 1]),
        4 => (vec![Pair(0, 1), Pair(2, 3)], &[0, 1, 2, 3]),
        5 => (vec![Pair(0, 1), Pair(3, 4), One(2)], &[0, 4, 1, 2, 3]),
        6 => (vec![Pair(0, 1), Pair(4, 5), One(2), Low(3)], &[0, 4, 1, 2, 3, 5]),
        // WAV's fifth channel of seven is back centre; the side channels follow.
        7 => (vec![Pair(0, 1), Pair(5, 6), One(2), One(4), Low(3)], &[0, 4, 1, 2, 3, 5, 6]),
        _ => (vec![Pair(0, 1), Pair(6, 7), Pair(4, 5), One(2), Low(3)], &[0, 6, 1, 2, 3, 4, 5, 7]),
    }
}

/// Appends `packet`, which must hold a single frame, in self-delimited framing.
pub fn self_delimited(packet: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let Some((&toc, frame)) = packet.split_first().filter(|(toc, _)| toc.trailing_zeros() >= 2) else {
        return Err(Error::Internal("an Opus packet is not of one frame".into()));
    };
    out.push(toc);
    let length = frame.len();
    if length < 252 {
        out.push(length as u8);
    } else {
        // Two bytes: the first is 252 or more, the second counts units of four.
        let low = 252 + (length & 3);
        out.extend_from_slice(&[low as u8, ((length - low) / 4) as u8]);
    }
    out.extend_from_slice(frame);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel_order::vorbis_order;

    #[test]
    fn every_channel_is_carried_once_and_comes_out_at_its_place() {
        for channels in 1..=8 {
            let (groups, mapping) = layout(channels);
            // The decoder's output: the channels of the pairs, then the single channels.
            let decoded: Vec<usize> = groups
                .iter()
                .flat_map(|group| match *group {
                    Group::Pair(left, right) => vec![left, right],
                    Group::One(channel) | Group::Low(channel) => vec![channel],
                })
                .collect();
            let heard: Vec<usize> = mapping.iter().map(|&index| decoded[usize::from(index)]).collect();
            assert_eq!(heard, vorbis_order(channels), "{channels} channels");
            let pairs = groups.iter().take_while(|group| matches!(group, Group::Pair(..))).count();
            assert!(groups[pairs..].iter().all(|group| !matches!(group, Group::Pair(..))));
        }
    }

    #[test]
    fn lengths_are_said_as_the_format_has_them() {
        for length in [0usize, 1, 251, 252, 253, 255, 256, 1000, 1275] {
            let mut packet = vec![0xfc];
            packet.extend(std::iter::repeat_n(9, length));
            let mut out = Vec::new();
            self_delimited(&packet, &mut out).unwrap();
            let (said, head) = if out[1] < 252 {
                (usize::from(out[1]), 2)
            } else {
                (usize::from(out[1]) + 4 * usize::from(out[2]), 3)
            };
            assert_eq!((said, out.len() - head), (length, length));
        }
        assert!(self_delimited(&[0xfd, 1], &mut Vec::new()).is_err());
    }
}
