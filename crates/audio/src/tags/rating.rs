//! Ratings: `POPM` of `ID3v2`, and the field `RATING` from 0 to 100.
//!
//! Sources: `ID3v2.4.0`, 4.17; the bytes that Windows Media Player, `MusicBee` and `MediaMonkey` write for stars.

/// The bytes of half and whole stars, with their percent.
const STARS: [(u8, u8); 10] =
    [(13, 10), (1, 20), (54, 30), (64, 40), (118, 50), (128, 60), (186, 70), (196, 80), (242, 90), (255, 100)];

/// The contents of a `POPM`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Popularimeter {
    /// Whose rating it is; mostly an e-mail address or the name of a program.
    pub address: String,
    /// From 1, the worst, to 255; 0 is none.
    pub rating: u8,
    /// How often it was played, if the frame counts it.
    pub counter: Option<u64>,
}

impl Popularimeter {
    /// Reads the contents of a frame.
    pub(super) fn read(content: &[u8]) -> Option<Self> {
        let end = content.iter().position(|byte| *byte == 0)?;
        let (&rating, counter) = content.get(end + 1..)?.split_first()?;
        let counter = (!counter.is_empty() && counter.len() <= 8)
            .then(|| counter.iter().fold(0, |value: u64, byte| value << 8 | u64::from(*byte)));
        Some(Self { address: content[..end].iter().map(|byte| char::from(*byte)).collect(), rating, counter })
    }

    /// Returns the contents of a frame; `None` if the address is not Latin-1.
    pub(super) fn frame(&self) -> Option<Vec<u8>> {
        let latin1 = |character: char| u8::try_from(u32::from(character)).ok().filter(|byte| *byte != 0);
        let mut content = self.address.chars().map(latin1).collect::<Option<Vec<u8>>>()?;
        content.extend([0, self.rating]);
        if let Some(counter) = self.counter {
            let bytes = counter.to_be_bytes();
            let unused = bytes.iter().take(4).take_while(|byte| **byte == 0).count();
            content.extend_from_slice(&bytes[unused..]);
        }
        Some(content)
    }

    /// Returns it as text: "address|196" or "address|196|7".
    pub(super) fn text(&self) -> String {
        let counter = self.counter.map(|counter| format!("|{counter}")).unwrap_or_default();
        format!("{}|{}{counter}", self.address, self.rating)
    }

    /// Reads such a text.
    pub(super) fn from_text(text: &str) -> Option<Self> {
        let mut parts = text.split('|');
        let (address, rating) = (parts.next()?.to_owned(), parts.next()?.parse().ok()?);
        let counter = parts.next().map(str::parse).transpose().ok()?;
        parts.next().is_none().then_some(Self { address, rating, counter })
    }

    /// Returns whether it is no more than a rating in whole or half stars.
    pub(super) fn is_plain(&self) -> bool {
        self.address.is_empty() && self.counter.is_none() && STARS.iter().any(|(byte, _)| *byte == self.rating)
    }
}

/// Returns the percent of a byte; `None` for no rating.
pub(super) fn percent(byte: u8) -> Option<u8> {
    // Windows takes a range of bytes for each star.
    let stars = || match byte {
        0 => None,
        1..=31 => Some(20),
        32..=95 => Some(40),
        96..=159 => Some(60),
        160..=223 => Some(80),
        224..=255 => Some(100),
    };
    STARS.iter().find(|(known, _)| *known == byte).map(|(_, percent)| *percent).or_else(stars)
}

/// Returns the byte for a text: percent, or stars from 1 to 5. `None` for other text and for 0.
pub(super) fn byte(text: &str) -> Option<u8> {
    let number: u8 = text.trim().parse().ok().filter(|number| *number <= 100)?;
    let percent = if number <= 5 { number * 20 } else { (number + 5) / 10 * 10 };
    STARS.iter().find(|(_, known)| *known == percent).map(|(byte, _)| *byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_are_the_same_in_both_directions() {
        for (known, of) in STARS {
            assert_eq!((percent(known), byte(&of.to_string())), (Some(of), Some(known)));
        }
        for (given, expected) in [
            (0, None),
            (2, Some(20)),
            (31, Some(20)),
            (32, Some(40)),
            (95, Some(40)),
            (96, Some(60)),
            (160, Some(80)),
            (224, Some(100)),
        ] {
            assert_eq!(percent(given), expected, "{given}");
        }
        for (text, expected) in [
            ("4", Some(196)),
            (" 80 ", Some(196)),
            ("78", Some(196)),
            ("0", None),
            ("101", None),
            ("0.8", None),
            ("good", None),
        ] {
            assert_eq!(byte(text), expected, "{text}");
        }
    }

    #[test]
    fn a_popularimeter_is_the_same_as_text_and_as_a_frame() {
        for (content, text) in [
            (&b"a@b.c\0\xc4\0\0\0\x07"[..], "a@b.c|196|7"),
            (b"a@b.c\0\xc4", "a@b.c|196"),
            (b"\0\0", "|0"),
            (b"\xfc\0\xff\0\0\0\0", "\u{fc}|255|0"),
            (b"x\0\x01\x01\0\0\0\0", "x|1|4294967296"),
        ] {
            let read = Popularimeter::read(content).unwrap();
            assert_eq!(read.text(), text);
            assert_eq!(Popularimeter::from_text(text).as_ref(), Some(&read));
            assert_eq!(read.frame().as_deref(), Some(content));
        }
        for text in ["", "a", "a|300", "a|1|x", "a|1|2|3"] {
            assert_eq!(Popularimeter::from_text(text), None, "{text}");
        }
        for content in [&b""[..], b"a", b"a\0"] {
            assert_eq!(Popularimeter::read(content), None);
        }
    }
}
