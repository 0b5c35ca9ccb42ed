//! Speaker layouts: which loudspeaker each channel is meant for.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// A loudspeaker, as the number of its bit in `dwChannelMask` of WAVE files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "named after their places")]
#[repr(u8)]
pub enum Speaker {
    FrontLeft,
    FrontRight,
    FrontCentre,
    LowFrequency,
    BackLeft,
    BackRight,
    FrontLeftOfCentre,
    FrontRightOfCentre,
    BackCentre,
    SideLeft,
    SideRight,
    TopCentre,
    TopFrontLeft,
    TopFrontCentre,
    TopFrontRight,
    TopBackLeft,
    TopBackCentre,
    TopBackRight,
}

impl Speaker {
    /// All loudspeakers, in the order of WAVE files.
    pub const ALL: [Self; 18] = [
        Self::FrontLeft,
        Self::FrontRight,
        Self::FrontCentre,
        Self::LowFrequency,
        Self::BackLeft,
        Self::BackRight,
        Self::FrontLeftOfCentre,
        Self::FrontRightOfCentre,
        Self::BackCentre,
        Self::SideLeft,
        Self::SideRight,
        Self::TopCentre,
        Self::TopFrontLeft,
        Self::TopFrontCentre,
        Self::TopFrontRight,
        Self::TopBackLeft,
        Self::TopBackCentre,
        Self::TopBackRight,
    ];

    const fn bit(self) -> u32 {
        1 << self as u8
    }

    /// Returns the short name that `FFmpeg` uses too.
    pub const fn name(self) -> &'static str {
        [
            "FL", "FR", "FC", "LFE", "BL", "BR", "FLC", "FRC", "BC", "SL", "SR", "TC", "TFL", "TFC", "TFR", "TBL",
            "TBC", "TBR",
        ][self as usize]
    }
}

/// The loudspeakers of a stream's channels: at least one, each at most once, in the order of WAVE files (front left and
/// right, centre, low frequencies, back, front of centre, back centre, sides, top).
///
/// Source: Microsoft's "Multiple channel audio data and WAVE files" (2007), `dwChannelMask`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Layout(u32);

crate::declared_as!(Layout, String);

/// The layouts with a name, which is that of `FFmpeg`.
const NAMED: [(&str, u32); 32] = [
    ("mono", 0x4),
    ("stereo", 0x3),
    ("2.1", 0xb),
    ("3.0", 0x7),
    ("3.0(back)", 0x103),
    ("4.0", 0x107),
    ("quad", 0x33),
    ("quad(side)", 0x603),
    ("3.1", 0xf),
    ("5.0", 0x37),
    ("5.0(side)", 0x607),
    ("4.1", 0x10f),
    ("5.1", 0x3f),
    ("5.1(side)", 0x60f),
    ("6.0", 0x707),
    ("6.0(front)", 0x6c3),
    ("hexagonal", 0x137),
    ("6.1", 0x70f),
    ("6.1(back)", 0x13f),
    ("6.1(front)", 0x6cb),
    ("7.0", 0x637),
    ("7.0(front)", 0x6c7),
    ("7.1", 0x63f),
    ("7.1(wide)", 0xff),
    ("7.1(wide-side)", 0x6cf),
    ("7.1(top)", 0x503f),
    ("octagonal", 0x737),
    ("cube", 0x2_d033),
    ("5.1.4", 0x2_d03f),
    ("7.1.2", 0x563f),
    ("7.1.4", 0x2_d63f),
    ("top.quad", 0x2_d000),
];

impl Layout {
    /// One channel, in the centre.
    pub const MONO: Self = Self(0x4);
    /// Front left and right.
    pub const STEREO: Self = Self(0x3);

    /// Returns the layout of a `dwChannelMask`; `None` if it has no loudspeaker, or one that is not known.
    pub const fn from_mask(mask: u32) -> Option<Self> {
        if mask == 0 || mask >> Speaker::ALL.len() != 0 { None } else { Some(Self(mask)) }
    }

    /// Returns the layout that a number of channels has where nothing states it, as in Vorbis and Opus: mono, stereo, 3.0,
    /// quad, 5.0, 5.1, 6.1, 7.1. `None` for more than eight channels.
    pub fn usual(channels: usize) -> Option<Self> {
        [0x4, 0x3, 0x7, 0x33, 0x37, 0x3f, 0x70f, 0x63f].get(channels.checked_sub(1)?).copied().map(Self)
    }

    /// Returns the layout of a FLAC stream that states none: the usual one. Of five and six channels RFC 9639 (section
    /// 9.1.3) leaves open whether the surrounds are the rear or the sides; `flac` and `FFmpeg` take the sides.
    pub fn of_flac(channels: usize) -> Option<Self> {
        match channels {
            5 => Some(Self(0x607)),
            6 => Some(Self(0x60f)),
            _ => Self::usual(channels),
        }
    }

    /// Returns the bits of `dwChannelMask`.
    pub const fn mask(self) -> u32 {
        self.0
    }

    /// Returns the number of channels.
    pub const fn channels(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether the layout has a loudspeaker.
    pub const fn has(self, speaker: Speaker) -> bool {
        self.0 & speaker.bit() != 0
    }

    /// Returns the loudspeaker of each channel, in order.
    pub fn speakers(self) -> impl Iterator<Item = Speaker> {
        Speaker::ALL.into_iter().filter(move |speaker| self.has(*speaker))
    }

    /// Returns the layout of channels with these loudspeakers in any order, and for each of its channels the index in
    /// `speakers`. `None` for no loudspeaker, and for one that occurs twice.
    pub fn arranged(speakers: &[Speaker]) -> Option<(Self, Vec<usize>)> {
        let mask = speakers.iter().fold(0, |mask, speaker| mask | speaker.bit());
        let layout = Self::from_mask(mask).filter(|layout| layout.channels() == speakers.len())?;
        let mut order: Vec<usize> = (0..speakers.len()).collect();
        order.sort_by_key(|&index| speakers[index]);
        Some((layout, order))
    }
}

impl fmt::Display for Layout {
    /// Writes the layout's name, such as `5.1(side)`, or its loudspeakers, such as `FL+FR+TC`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = NAMED.iter().find(|(_, mask)| *mask == self.0) {
            return f.write_str(name);
        }
        let names: Vec<&str> = self.speakers().map(Speaker::name).collect();
        f.write_str(&names.join("+"))
    }
}

impl std::str::FromStr for Layout {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let named = NAMED.iter().find(|(name, _)| *name == text).map(|(_, mask)| Self(*mask));
        let listed = || {
            let speaker = |name: &str| Speaker::ALL.into_iter().find(|speaker| speaker.name() == name);
            let speakers: Vec<Speaker> = text.split('+').map(speaker).collect::<Option<_>>()?;
            Self::arranged(&speakers).map(|(layout, _)| layout)
        };
        named.or_else(listed).ok_or_else(|| {
            Error::invalid("speaker layout", text, "a name such as 5.1(side), or loudspeakers such as FL+FR+LFE")
        })
    }
}

impl TryFrom<String> for Layout {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Layout> for String {
    fn from(layout: Layout) -> Self {
        layout.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_is_found_by_the_name_that_it_shows() {
        for mask in (1..0x800).chain(NAMED.iter().map(|(_, mask)| *mask)) {
            let layout = Layout::from_mask(mask).unwrap();
            assert_eq!(layout.to_string().parse::<Layout>().unwrap(), layout);
            assert_eq!(layout.speakers().count(), layout.channels());
        }
        for (name, mask) in NAMED {
            assert_eq!(Layout(mask).to_string(), name);
        }
        assert_eq!(Layout(0x803).to_string(), "FL+FR+TC");
        for wrong in ["", "5.2", "FL+FL", "FL+XX", "fl+fr"] {
            assert!(wrong.parse::<Layout>().is_err(), "{wrong}");
        }
        assert_eq!((Layout::from_mask(0), Layout::from_mask(1 << 18), Layout::from_mask(1 << 31)), (None, None, None));
    }

    #[test]
    fn channels_in_any_order_are_put_into_that_of_wave_files() {
        use Speaker::{BackCentre, FrontCentre, FrontLeft, FrontRight, LowFrequency};
        let (layout, order) =
            Layout::arranged(&[FrontCentre, FrontLeft, FrontRight, BackCentre, LowFrequency]).unwrap();
        assert_eq!((layout.to_string().as_str(), order), ("4.1", vec![1, 2, 0, 4, 3]));
        assert_eq!(Layout::arranged(&[FrontLeft, FrontLeft]), None);
        assert_eq!(Layout::arranged(&[]), None);
    }
}
