//! The channel layouts of Core Audio, which CAF (`chan`), AIFF (`CHAN`), `QuickTime` and MP4 (`chan`) share.
//!
//! Source: Apple's `CoreAudioBaseTypes.h`, `AudioChannelLayout`. In its tags, `Ls` and `Rs` are the side channels of WAVE
//! files where rear ones exist, and `FFmpeg` reads them so everywhere.

use crate::{Layout, Speaker};

use Speaker::{
    BackCentre as CS, BackLeft as RLS, BackRight as RRS, FrontCentre as C, FrontLeft as L, FrontLeftOfCentre as LC,
    FrontRight as R, FrontRightOfCentre as RC, LowFrequency as LFE, SideLeft as LS, SideRight as RS,
};

/// The tag of a layout that is stated by its descriptions.
const DESCRIBED: u32 = 0;
/// The tag of a layout that is stated by a bitmap, whose bits are those of WAVE files.
const BITMAP: u32 = 1 << 16;
/// The number of bytes before the descriptions, and of each description.
const HEAD_BYTES: usize = 12;
const DESCRIPTION_BYTES: usize = 20;
/// The largest size of such a chunk that is read. That of 256 channels is smaller.
pub(crate) const MAX_LAYOUT_BYTES: u64 = 8 << 10;
/// The labels of rear surround channels.
const REAR_LEFT: u32 = 33;
const REAR_RIGHT: u32 = 34;

/// The speakers of a tag's channels, by the tag's upper half; the lower half is their number.
const TAGS: [(u32, &[Speaker]); 39] = [
    (100, &[C]),
    (101, &[L, R]),
    (108, &[L, R, RLS, RRS]),
    (113, &[L, R, C]),
    (114, &[C, L, R]),
    (115, &[L, R, C, CS]),
    (116, &[C, L, R, CS]),
    (117, &[L, R, C, LS, RS]),
    (118, &[L, R, LS, RS, C]),
    (119, &[L, C, R, LS, RS]),
    (120, &[C, L, R, LS, RS]),
    (121, &[L, R, C, LFE, LS, RS]),
    (122, &[L, R, LS, RS, C, LFE]),
    (123, &[L, C, R, LS, RS, LFE]),
    (124, &[C, L, R, LS, RS, LFE]),
    (125, &[L, R, C, LFE, LS, RS, CS]),
    (126, &[L, R, C, LFE, LS, RS, LC, RC]),
    (127, &[C, LC, RC, L, R, LS, RS, LFE]),
    (128, &[L, R, C, LFE, LS, RS, RLS, RRS]),
    (131, &[L, R, CS]),
    (132, &[L, R, LS, RS]),
    (133, &[L, R, LFE]),
    (134, &[L, R, LFE, CS]),
    (135, &[L, R, LFE, LS, RS]),
    (136, &[L, R, C, LFE]),
    (137, &[L, R, C, LFE, CS]),
    (138, &[L, R, LS, RS, LFE]),
    (139, &[L, R, LS, RS, C, CS]),
    (140, &[L, R, LS, RS, C, RLS, RRS]),
    (141, &[C, L, R, LS, RS, CS]),
    (142, &[C, L, R, LS, RS, CS, LFE]),
    (143, &[C, L, R, LS, RS, RLS, RRS]),
    (144, &[C, L, R, LS, RS, RLS, RRS, CS]),
    (183, &[C, L, R, LS, RS, RLS, RRS, LFE]),
    (185, &[L, R, RLS, RRS]),
    (186, &[L, R, C, RLS, RRS]),
    (187, &[L, R, C, LFE, RLS, RRS]),
    (188, &[L, R, C, LFE, CS, LS, RS]),
    (189, &[L, R, C, LFE, RLS, RRS, LS, RS]),
];

/// Returns the layout that the contents of such a chunk state for so many channels, and for each channel in the order of
/// WAVE files its place in the file. `None` if they state none that is known.
pub(crate) fn layout(chunk: &[u8], channels: usize) -> Option<(Layout, Vec<usize>)> {
    let be32 = |at: usize| chunk.get(at..)?.first_chunk().copied().map(u32::from_be_bytes);
    let (layout, order) = match be32(0)? {
        BITMAP => {
            let layout = Layout::from_mask(be32(4)?)?;
            (layout, (0..layout.channels()).collect())
        }
        DESCRIBED if be32(8)? as usize == channels => {
            let labels: Vec<u32> =
                (0..channels).map(|index| be32(HEAD_BYTES + index * DESCRIPTION_BYTES)).collect::<Option<_>>()?;
            let has_rear = labels.iter().any(|label| matches!(*label, REAR_LEFT | REAR_RIGHT));
            let speaker = |label: &u32| match *label {
                REAR_LEFT => Some(RLS),
                REAR_RIGHT => Some(RRS),
                5 if has_rear => Some(LS),
                6 if has_rear => Some(RS),
                // The first labels are numbered as the bits of WAVE files are, from 1.
                label => Speaker::ALL.get((label as usize).checked_sub(1)?).copied(),
            };
            Layout::arranged(&labels.iter().map(speaker).collect::<Option<Vec<_>>>()?)?
        }
        tag => Layout::arranged(TAGS.iter().find(|(upper, _)| *upper == tag >> 16)?.1)?,
    };
    (layout.channels() == channels).then_some((layout, order))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(tag: u32, bitmap: u32, labels: &[u32]) -> Vec<u8> {
        let head = [tag, bitmap, labels.len() as u32].into_iter().flat_map(u32::to_be_bytes);
        let described = labels.iter().flat_map(|label| [label.to_be_bytes().to_vec(), vec![0; 16]].concat());
        head.chain(described).collect()
    }

    fn read(chunk: &[u8], channels: usize) -> Option<(String, Vec<usize>)> {
        layout(chunk, channels).map(|(layout, order)| (layout.to_string(), order))
    }

    #[test]
    fn layouts_by_tag_bitmap_and_description() {
        let said = |name: &str, order: &[usize]| Some((name.to_owned(), order.to_vec()));
        let tag = |upper: u32, channels: u32| chunk(upper << 16 | channels, 0, &[]);
        assert_eq!(read(&tag(133, 3), 3), said("2.1", &[0, 1, 2]));
        assert_eq!(read(&tag(124, 6), 6), said("5.1(side)", &[1, 2, 0, 5, 3, 4]));
        assert_eq!(read(&tag(128, 8), 8), said("7.1", &[0, 1, 2, 3, 6, 7, 4, 5]));
        assert_eq!(read(&tag(127, 8), 8), said("7.1(wide-side)", &[3, 4, 0, 7, 1, 2, 5, 6]));
        assert_eq!(read(&chunk(BITMAP, 0x10f, &[]), 5), said("4.1", &[0, 1, 2, 3, 4]));
        assert_eq!(read(&chunk(0, 0, &[3, 1, 2, 4]), 4), said("3.1", &[1, 2, 0, 3]));
        assert_eq!(read(&chunk(0, 0, &[1, 2, 5, 6]), 4), said("quad", &[0, 1, 2, 3]));
        assert_eq!(read(&chunk(0, 0, &[1, 2, 33, 34, 5, 6]), 6), said("FL+FR+BL+BR+SL+SR", &[0, 1, 2, 3, 4, 5]));
        for (upper, speakers) in TAGS {
            assert!(read(&tag(upper, speakers.len() as u32), speakers.len()).is_some(), "{upper}");
        }
    }

    #[test]
    fn what_contradicts_itself_states_no_layout() {
        for (bytes, channels) in [
            (vec![], 2),
            (chunk(133 << 16 | 3, 0, &[]), 4),
            (chunk(BITMAP, 0, &[]), 1),
            (chunk(BITMAP, 1 << 18, &[]), 1),
            (chunk(0, 0, &[1, 1]), 2),
            (chunk(0, 0, &[1, 0]), 2),
            (chunk(0, 0, &[1, 2, 3])[..40].to_vec(), 3),
            (chunk(0, 0, &[1, 200]), 2),
            (chunk(999 << 16 | 2, 0, &[]), 2),
        ] {
            assert_eq!(read(&bytes, channels), None, "{bytes:?}");
        }
    }
}
