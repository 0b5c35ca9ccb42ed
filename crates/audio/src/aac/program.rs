//! The elements of a stream, and the loudspeakers that their channels are meant for: by a channel configuration (ISO/IEC
//! 14496-3, table 1.19) or by a program configuration element (section 4.5.1.2).

use super::RATES_HZ;
use super::bits::Bits;
use super::elements::ElementKind::{Low, Pair, Single};
use super::elements::{Element, ElementKind};
use crate::{Layout, Speaker};
use base::error::{Error, Result};

use Speaker::{
    BackCentre, BackLeft, BackRight, FrontCentre, FrontLeft, FrontLeftOfCentre, FrontRight, FrontRightOfCentre,
    LowFrequency, SideLeft, SideRight, TopFrontLeft, TopFrontRight,
};

/// The largest number of channels that is decoded, and so of elements.
pub(super) const MAX_CHANNELS: usize = 16;

const CENTRE: &[Speaker] = &[FrontCentre];
const INNER: &[Speaker] = &[FrontLeftOfCentre, FrontRightOfCentre];
const FRONT: &[Speaker] = &[FrontLeft, FrontRight];
const SIDE: &[Speaker] = &[SideLeft, SideRight];
const BACK: &[Speaker] = &[BackLeft, BackRight];
const REAR: &[Speaker] = &[BackCentre];
const LOW: &[Speaker] = &[LowFrequency];
const TOP: &[Speaker] = &[TopFrontLeft, TopFrontRight];

/// An element that a stream has in each packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub kind: ElementKind,
    /// The tag; `None` if elements are told apart by their order.
    pub tag: Option<u8>,
}

/// The elements of a stream, and what their channels are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// The elements.
    pub(super) parts: Vec<Part>,
    /// For each channel its place among the channels of the elements. Each is there once.
    pub(super) order: Vec<usize>,
    /// The program configuration element; `None` for a channel configuration.
    pub(super) stated: Option<ProgramConfig>,
    layout: Option<Layout>,
}

impl Program {
    /// Returns the program of a channel configuration; `None` if none is defined, or none that is decoded.
    pub(super) fn of_configuration(configuration: u32) -> Option<Self> {
        let elements: &[&[Speaker]] = match configuration {
            1 => &[CENTRE],
            2 => &[FRONT],
            3 => &[CENTRE, FRONT],
            4 => &[CENTRE, FRONT, REAR],
            5 => &[CENTRE, FRONT, BACK],
            6 => &[CENTRE, FRONT, BACK, LOW],
            // The standard says that the second pair of 7 is in front, but encoders mean what FFmpeg makes of it.
            7 | 12 => &[CENTRE, FRONT, SIDE, BACK, LOW],
            11 => &[CENTRE, FRONT, BACK, REAR, LOW],
            14 => &[CENTRE, FRONT, BACK, LOW, TOP],
            _ => return None,
        };
        let kind = |speakers: &&[Speaker]| match *speakers {
            LOW => Low,
            [_] => Single,
            _ => Pair,
        };
        let parts = elements.iter().map(|speakers| Part { kind: kind(speakers), tag: None }).collect();
        Some(Self::new(parts, Layout::arranged(&elements.concat()), None))
    }

    fn new(parts: Vec<Part>, arranged: Option<(Layout, Vec<usize>)>, stated: Option<ProgramConfig>) -> Self {
        let channels = parts.iter().map(|part| part.kind.channels()).sum();
        let (layout, order) = match arranged {
            Some((layout, order)) => (Some(layout), order),
            None => (None, (0..channels).collect()),
        };
        Self { parts, order, stated, layout }
    }

    /// Returns the number of channels.
    pub(crate) fn channels(&self) -> usize {
        self.order.len()
    }

    /// Returns the layout; `None` if it is not known.
    pub(crate) fn layout(&self) -> Option<Layout> {
        self.layout
    }

    /// Returns for each element of the program that of a packet; `None` in its place if the packet lacks it. `None` for a
    /// packet with elements that the program does not have, and for one without any.
    ///
    /// Elements without tags are told apart by their order among those of their kind. Some encoders write low frequencies as
    /// a single channel behind the others.
    pub(super) fn assigned<'a>(&self, elements: &'a [Element]) -> Option<Vec<Option<&'a Element>>> {
        let mut chosen = vec![None; self.parts.len()];
        for element in elements {
            let place = self.parts.iter().zip(&chosen).position(|(part, chosen)| {
                let is_kind =
                    part.kind == element.kind || part.tag.is_none() && (part.kind, element.kind) == (Low, Single);
                chosen.is_none() && is_kind && part.tag.is_none_or(|tag| tag == element.tag)
            });
            chosen[place?] = Some(element);
        }
        (!elements.is_empty()).then_some(chosen)
    }

    /// Returns whether a packet has the elements of the program. Low frequencies may be missing, and one channel or two in
    /// another form are decoded too.
    pub(super) fn is_in(&self, elements: &[Element]) -> bool {
        if self.stated.is_none() && self.channels() <= 2 {
            return elements.iter().map(|element| element.kind.channels()).sum::<usize>() == self.channels();
        }
        self.assigned(elements).is_some_and(|chosen| self.is_complete(&chosen))
    }

    /// Returns whether nothing but low frequencies is missing among the elements of a packet.
    pub(super) fn is_complete(&self, chosen: &[Option<&Element>]) -> bool {
        chosen.iter().zip(&self.parts).all(|(chosen, part)| chosen.is_some() || part.kind == Low)
    }

    /// Returns an error for a program that cannot be decoded.
    pub(crate) fn check(&self) -> Result<()> {
        let what = match (&self.stated, self.channels()) {
            (Some(stated), _) if stated.coupled => "AAC with coupling channels".to_owned(),
            (_, channels) if channels > MAX_CHANNELS => format!("AAC with {channels} channels"),
            _ => return Ok(()),
        };
        Err(Error::unsupported(what, "Convert it to FLAC or WAV with ffmpeg and open that"))
    }
}

/// The elements that a program configuration element states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProgramConfig {
    /// The elements in front, from the centre outwards.
    front: Vec<Part>,
    /// The elements at the sides, from the front to the back.
    side: Vec<Part>,
    /// The elements at the back, from outside to the centre.
    back: Vec<Part>,
    low: Vec<Part>,
    /// Whether there are elements that add to the channels of others.
    coupled: bool,
}

impl ProgramConfig {
    /// Reads a program configuration element after its name. A packet or an `AudioSpecificConfig` begins with bit 0.
    pub(super) fn read(bits: &mut Bits) -> Option<Self> {
        // Tag, object type and rate, which a stream's header states too.
        bits.take(4 + 2 + 4)?;
        let [front, side, back] = [bits.take(4)?, bits.take(4)?, bits.take(4)?];
        let [low, data, coupled] = [bits.take(2)?, bits.take(3)?, bits.take(4)?];
        // The mixes to one channel and to two, and a matrix.
        for width in [4, 4, 3] {
            if bits.take(1)? == 1 {
                bits.take(width)?;
            }
        }
        let mut program = Self { coupled: coupled > 0, ..Self::default() };
        for (count, parts) in [(front, &mut program.front), (side, &mut program.side), (back, &mut program.back)] {
            for _ in 0..count {
                let kind = if bits.take(1)? == 1 { Pair } else { Single };
                parts.push(Part { kind, tag: Some(bits.take(4)? as u8) });
            }
        }
        for _ in 0..low {
            program.low.push(Part { kind: Low, tag: Some(bits.take(4)? as u8) });
        }
        bits.skip((4 * data + 5 * coupled) as usize);
        bits.align();
        let comment = bits.take(8)?;
        bits.skip(8 * comment as usize);
        bits.left().map(|_| program)
    }

    /// Returns what a stream has that states no program, by the elements of one of its packets. Those up to the first
    /// pair are in front and the others behind, as in the common configurations.
    pub(super) fn of_elements(elements: &[Element]) -> Self {
        let mut program = Self::default();
        for Element { kind, tag, .. } in elements {
            let parts = match kind {
                Low => &mut program.low,
                _ if program.front.iter().any(|part| part.kind == Pair) => &mut program.back,
                _ => &mut program.front,
            };
            parts.push(Part { kind: *kind, tag: Some(*tag) });
        }
        program
    }

    /// Returns an `AudioSpecificConfig` of AAC-LC with this program; `None` if it has more elements than one can state.
    pub(super) fn header(&self, rate_hz: u32) -> Option<Vec<u8>> {
        let rate = RATES_HZ.iter().position(|rate| *rate == rate_hz).map_or(15, |rate| rate as u32);
        let (front, side, back, low) = (&self.front, &self.side, &self.back, &self.low);
        if low.len() > 3 || [front, side, back].iter().any(|parts| parts.len() > 15) {
            return None;
        }
        let mut fields = vec![(2, 5), (rate, 4)];
        if rate == 15 {
            fields.push((rate_hz, 24));
        }
        fields.extend([(0, 4 + 3), (0, 4), (1, 2), (rate, 4)]);
        fields.extend([front, side, back].map(|parts| (parts.len() as u32, 4)));
        fields.extend([(low.len() as u32, 2), (0, 3), (u32::from(self.coupled), 4), (0, 3)]);
        for part in front.iter().chain(side).chain(back) {
            fields.extend([(u32::from(part.kind == Pair), 1), (part.tag.unwrap_or(0).into(), 4)]);
        }
        fields.extend(low.iter().map(|part| (part.tag.unwrap_or(0).into(), 4)));
        if self.coupled {
            fields.push((0, 5));
        }
        let (mut bytes, mut held, mut count) = (Vec::new(), 0u64, 0);
        // Up to a whole byte, and a comment of none.
        for (value, width) in fields.into_iter().chain([(0, 7)]) {
            (held, count) = (held << width | u64::from(value), count + width);
            while count >= 8 {
                count -= 8;
                bytes.push((held >> count) as u8);
            }
        }
        bytes.push(0);
        Some(bytes)
    }

    /// Returns the program, with a layout if the elements are those of one.
    pub(super) fn program(self) -> Program {
        let parts = [&self.front, &self.side, &self.back, &self.low].into_iter().flatten().copied().collect();
        Program::new(parts, self.speakers().and_then(|speakers| Layout::arranged(&speakers)), Some(self))
    }

    /// Returns the loudspeakers of the channels, in the order of the elements; `None` if they are not clear.
    fn speakers(&self) -> Option<Vec<Speaker>> {
        let pairs = |parts: &[Part]| parts.iter().all(|part| part.kind == Pair).then_some(parts.len());
        let (centre, front) = match self.front.split_first() {
            Some((Part { kind: Single, .. }, front)) => (CENTRE, front),
            _ => (&[] as _, self.front.as_slice()),
        };
        let (rear, back) = match self.back.split_last() {
            Some((Part { kind: Single, .. }, back)) => (REAR, back),
            _ => (&[] as _, self.back.as_slice()),
        };
        let front: &[&[Speaker]] = match pairs(front)? {
            0 => &[],
            1 => &[FRONT],
            2 => &[INNER, FRONT],
            _ => return None,
        };
        let around: &[&[Speaker]] = match (pairs(&self.side)?, pairs(back)?) {
            (0, 0) => &[],
            (1, 0) => &[SIDE],
            (0, 1) => &[BACK],
            (1, 1) | (0, 2) => &[SIDE, BACK],
            _ => return None,
        };
        let low: &[Speaker] = match self.low.len() {
            0 => &[],
            1 => LOW,
            _ => return None,
        };
        Some([centre, &front.concat(), &around.concat(), rear, low].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::super::read_config;
    use super::*;

    fn parts(kinds: &str) -> Vec<Part> {
        let kind = |kind| match kind {
            'S' => Single,
            'P' => Pair,
            _ => Low,
        };
        kinds.chars().zip(0..).map(|(name, tag)| Part { kind: kind(name), tag: Some(tag) }).collect()
    }

    fn program(front: &str, side: &str, back: &str, low: &str) -> ProgramConfig {
        let [front, side, back, low] = [front, side, back, low].map(parts);
        ProgramConfig { front, side, back, low, coupled: false }
    }

    fn name(program: &Program) -> String {
        program.layout().map_or("none".to_owned(), |layout| layout.to_string())
    }

    #[test]
    fn channel_configurations() {
        let found: Vec<String> = (0..16)
            .map(|number| Program::of_configuration(number).map_or(String::new(), |found| name(&found)))
            .collect();
        let expected = [
            "",
            "mono",
            "stereo",
            "3.0",
            "4.0",
            "5.0",
            "5.1",
            "7.1",
            "",
            "",
            "",
            "6.1(back)",
            "7.1",
            "",
            "7.1(top)",
            "",
        ];
        assert_eq!(found, expected);
        let order = |number| Program::of_configuration(number).unwrap().order;
        assert_eq!(order(6), [1, 2, 0, 5, 3, 4]);
        assert_eq!(order(11), [1, 2, 0, 6, 3, 4, 5]);
        assert_eq!(order(12), [1, 2, 0, 7, 5, 6, 3, 4]);
    }

    #[test]
    fn programs_are_written_and_read_and_have_the_layout_that_is_clear() {
        for (stated, expected) in [
            (program("S", "", "", ""), "mono"),
            (program("P", "", "", ""), "stereo"),
            (program("P", "", "", "L"), "2.1"),
            (program("P", "", "S", ""), "3.0(back)"),
            (program("P", "", "P", ""), "quad"),
            (program("P", "P", "", ""), "quad(side)"),
            (program("SP", "P", "", "L"), "5.1(side)"),
            (program("SP", "", "P", "L"), "5.1"),
            (program("SP", "", "PS", "L"), "6.1(back)"),
            (program("SP", "P", "S", "L"), "6.1"),
            (program("SP", "", "PP", "L"), "7.1"),
            (program("SPP", "", "P", "L"), "7.1(wide)"),
            (program("SP", "P", "PS", ""), "octagonal"),
            // What FFmpeg's encoder states for 5.1(side): low frequencies at the side.
            (program("PS", "S", "P", ""), "none"),
            (program("SP", "PP", "", ""), "none"),
            (program("SP", "", "SP", ""), "none"),
            (program("SP", "", "P", "LL"), "none"),
        ] {
            let header = stated.header(44_100).unwrap();
            let mut bits = Bits::new(&header, 16);
            assert_eq!(ProgramConfig::read(&mut bits).as_ref(), Some(&stated), "{expected}");
            assert_eq!(bits.left(), Some(0));
            let other_rate = read_config(&stated.header(50_000).unwrap()).unwrap();
            assert_eq!((other_rate.rate_hz, other_rate.program), (50_000, Some(stated.clone().program())));
            for cut in 2..header.len() {
                assert_eq!(ProgramConfig::read(&mut Bits::new(&header[..cut], 16)), None, "{expected} cut to {cut}");
            }
            let program = stated.program();
            assert_eq!(name(&program), expected);
            let mut order = program.order;
            order.sort_unstable();
            assert!(order.into_iter().eq(0..program.parts.iter().map(|part| part.kind.channels()).sum()));
        }
    }

    #[test]
    fn elements_without_a_program_are_those_of_the_common_configurations() {
        for (kinds, expected) in [
            ("S", "mono"),
            ("SP", "3.0"),
            ("SPS", "4.0"),
            ("SPP", "5.0"),
            ("SPPL", "5.1"),
            ("SPPPL", "7.1"),
            ("SPPSL", "6.1(back)"),
            ("PL", "2.1"),
            ("PP", "quad"),
            ("PSSP", "none"),
            ("PSL", "FL+FR+LFE+BC"),
        ] {
            let element = |part: &Part| Element { kind: part.kind, tag: part.tag.unwrap(), bits: 0..0 };
            let elements: Vec<Element> = parts(kinds).iter().map(element).collect();
            let found = ProgramConfig::of_elements(&elements).program();
            assert_eq!(name(&found), expected, "{kinds}");
        }
    }

    #[test]
    fn a_packet_has_the_elements_of_a_program_or_not() {
        let is_in = |program: &Program, kinds: &str| {
            let element = |part: Part| Element { kind: part.kind, tag: part.tag.unwrap(), bits: 0..0 };
            program.is_in(&parts(kinds).into_iter().map(element).collect::<Vec<_>>())
        };
        for (configuration, has, has_not) in [
            (1, &["S", "L"][..], &["P", "SP", "", "SS"][..]),
            (2, &["P", "SS"], &["S", "SPPL", "PL", ""]),
            (3, &["SP"], &["P", "S", "PP", "SPL", ""]),
            (6, &["SPPL", "SPP", "LPSP", "SPPS"], &["SP", "S", "P", "PP", "SPPLL", "SPPPL", "L", ""]),
            (7, &["SPPPL", "SPPP"], &["SPPL", "P", "SPPPLL"]),
        ] {
            let program = Program::of_configuration(configuration).unwrap();
            assert!(has.iter().all(|kinds| is_in(&program, kinds)), "{configuration}");
            assert!(!has_not.iter().any(|kinds| is_in(&program, kinds)), "{configuration}");
        }
        let stated = program("P", "", "", "").program();
        assert!(is_in(&stated, "P") && !is_in(&stated, "SS"));
    }

    #[test]
    fn more_elements_than_a_header_can_state() {
        assert!(program("SPPPPPPPPPPPPPP", "", "", "LLL").header(48_000).is_some());
        assert_eq!(program("", "", "", "LLLL").header(48_000), None);
        assert_eq!(program("SPPPPPPPPPPPPPPP", "", "", "").header(48_000), None);
    }

    #[test]
    fn what_no_decoder_takes_is_refused() {
        assert!(program("SP", "", "P", "L").program().check().is_ok());
        let many = program("SPPPPPPPP", "", "", "").program();
        assert_eq!(many.channels(), 17);
        let error = many.check().unwrap_err().to_string();
        assert!(error.contains("17 channels"), "{error}");
        let error =
            ProgramConfig { coupled: true, ..program("P", "", "", "") }.program().check().unwrap_err().to_string();
        assert!(error.contains("coupling"), "{error}");
    }

    #[test]
    fn elements_are_told_apart_by_order_or_by_tag() {
        let element = |kind, tag| Element { kind, tag, bits: 0..0 };
        let places = |program: &Program, elements: &[Element]| {
            let chosen = program.assigned(elements)?;
            let place = |chosen: Option<&Element>| elements.iter().position(|element| Some(element) == chosen);
            Some(chosen.into_iter().map(place).collect::<Vec<_>>())
        };
        // Whatever their tags are.
        let ordered = Program::of_configuration(6).unwrap();
        let [centre, front, back, low] =
            [(Single, 3), (Pair, 5), (Pair, 0), (Low, 9)].map(|(kind, tag)| element(kind, tag));
        let all = [centre.clone(), front.clone(), back.clone(), low.clone()];
        assert_eq!(places(&ordered, &all), Some(vec![Some(0), Some(1), Some(2), Some(3)]));
        assert_eq!(places(&ordered, &all[2..]), Some(vec![None, Some(0), None, Some(1)]));
        assert_eq!(places(&ordered, &[]), None);
        assert_eq!(places(&ordered, &[low.clone(), back.clone()]), Some(vec![None, Some(1), None, Some(0)]));
        // Low frequencies as a single channel.
        let named = [centre.clone(), front.clone(), element(Single, 7)];
        assert_eq!(places(&ordered, &named), Some(vec![Some(0), Some(1), None, Some(2)]));
        for wrong in [
            [centre.clone(), centre.clone(), low.clone()].as_slice(),
            &[low.clone(), low.clone()],
            &[front.clone(), back.clone(), element(Pair, 7)],
        ] {
            assert_eq!(places(&ordered, wrong), None, "{wrong:?}");
        }
        // In any order, by their tags.
        let stated = ProgramConfig::of_elements(&all).program();
        let turned = [low.clone(), back.clone(), front.clone(), centre.clone()];
        assert_eq!(places(&stated, &turned), Some(vec![Some(3), Some(2), Some(1), Some(0)]));
        assert_eq!(places(&stated, &turned[1..3]), Some(vec![None, Some(1), Some(0), None]));
        for wrong in [[element(Pair, 1)].as_slice(), &[element(Single, 5)], &[back.clone(), back.clone()]] {
            assert_eq!(places(&stated, wrong), None, "{wrong:?}");
        }
    }
}
