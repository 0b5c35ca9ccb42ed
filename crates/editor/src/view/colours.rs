//! The colour maps of spectrograms, as data. The window's maps are generated from these.
//!
//! viridis, magma, inferno and cividis are the published CC0 maps: matplotlib 3.11 was sampled at every 255/32 of the
//! range and rounded to 8 bits. Linear interpolation between these points is never more than 6/255 from the original.
//! "undertone" runs from the lane's background through blue and teal to warm white in even steps of `OKLab` lightness.
//! "difference" has two arms of about equal lightness at equal distance from the middle.

use serde::{Deserialize, Serialize};

use base::declared::TS;
use base::error::{Error, Result};

/// The colour map of a spectrogram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names; [`POINTS`] has them")]
pub enum ColourMap {
    Viridis,
    Magma,
    Inferno,
    Cividis,
    Grey,
    #[default]
    Undertone,
}

impl ColourMap {
    /// Returns the name in [`POINTS`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Viridis => "viridis",
            Self::Magma => "magma",
            Self::Inferno => "inferno",
            Self::Cividis => "cividis",
            Self::Grey => "grey",
            Self::Undertone => "undertone",
        }
    }
}

/// Colour maps by name, with six hexadecimal digits per point: red, green, blue.
pub const POINTS: &[(&str, &str)] = &[
    (
        "viridis",
        "440154470d6048186a482374472d7b4536814240863f49893b528b375a8d33638d2f6a8e2c728e297a8e26818e23898e\
         21908c1f988b1f9f8821a68528ae8031b57b3ebc744cc26c5dc9636ece5882d34c96d83fabdc32c0df24d5e21aeae51a\
         fde725",
    ),
    (
        "magma",
        "0000040303110a0822130d331d114628115a36106a430f7650127c5d177f691c817621818226818f2a819c2e7fa9327d\
         b63779c33b75cf4170db486ae65163ee5c5ef5695cf9785dfb8761fd9668fea571feb47bfec387fed194fde0a2fceeb0\
         fcfdbf",
    ),
    (
        "inferno",
        "0000040403120b0724150b37210c4a2e0a5a3c09654a0c6b57106d63146e70196e7d1e6d89226a962766a32b61af315c\
         bb3755c63e4dd14644db4f3be35932eb6528f1711ef67f14f98d0afb9c06fcab0ffbba1ff9ca32f5d949f2e865f3f586\
         fcffa4",
    ),
    (
        "cividis",
        "00224e00285b002e6a0433711a386f273e6e32436d3b496c434e6c4b546c52596d5a5f6e61656f686a716f7073757676\
         7c7b788481798b8778938d789b9376a39a75aba072b3a670bbad6cc3b469ccba64d4c15fddc958e6d051efd748f8df3c\
         fee838",
    ),
    ("grey", "000000ffffff"),
    (
        "undertone",
        "0a0d100c131b0e18270f1e3211243f122a4b13315215395915416116496817517017597717617e186a831973871a7c8b\
         1b858f1c8e931d97961fa19a32a99946b29556ba9266c28d74cb888ad182b3d276d7d269f3d363f6dc85f9e5a4fcedc0\
         fff6dc",
    ),
    (
        "difference",
        "bfe3ffabd8fd97cdfa83c2f76eb7f457acf1499fe54091d63783c62e75b72568a81f5a95204d7b1f3f621d324a1a2533\
         16191d2b231f412c2057351f6f3e1c8747169b5315ac6119be6f1ed17d22e38b27f19a37f5a954f8b76dfbc684fdd49a\
         ffe2b0",
    ),
];

/// 256 colours from silence to loud.
pub type ColourTable = [[u8; 3]; 256];

/// Returns the table of a colour map.
pub fn table(name: &str) -> Result<ColourTable> {
    let found = POINTS.iter().find(|(known, _)| *known == name);
    let Some((_, points)) = found else {
        let names: Vec<&str> = POINTS.iter().map(|(name, _)| *name).collect();
        return Err(Error::invalid("colour map", name, names.join(", ")));
    };
    let part = |point: usize, channel: usize| {
        let digits = &points[point * 6 + channel * 2..][..2];
        f64::from(u8::from_str_radix(digits, 16).unwrap_or(0))
    };
    let last = points.len() / 6 - 1;
    Ok(std::array::from_fn(|entry| {
        let place = entry as f64 / 255.0 * last as f64;
        let point = (place as usize).min(last - 1);
        let share = place - point as f64;
        std::array::from_fn(|channel| {
            (part(point, channel) * (1.0 - share) + part(point + 1, channel) * share).round() as u8
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_map_is_whole_and_grows_lighter() {
        for (name, points) in POINTS {
            assert!(
                points.len() % 6 == 0 && points.len() >= 12 && points.chars().all(|c| c.is_ascii_hexdigit()),
                "{name}"
            );
            let table = table(name).expect("a table");
            let light = |[r, g, b]: [u8; 3]| 0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b);
            if *name != "difference" {
                assert!(table.windows(2).all(|pair| light(pair[1]) > light(pair[0]) - 1.5), "{name}");
                assert!(light(table[255]) - light(table[0]) > 150.0, "{name}");
            }
        }
        assert_eq!(table("grey").expect("grey")[128], [128, 128, 128]);
        assert!(table("jet").expect_err("no rainbow").to_string().contains("viridis"));
    }
}
