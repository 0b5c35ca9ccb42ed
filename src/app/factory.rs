//! Chains that come with the program, by task.

/// A chain that comes with the program.
pub struct FactoryPreset {
    /// Its name, as it stands in the list.
    pub name: &'static str,
    /// The chain in notation.
    pub text: &'static str,
}

/// All of them, in the order of the list.
pub const PRESETS: &[FactoryPreset] = &[
    FactoryPreset {
        name: "Speech: clear",
        text: "highpass(80 Hz, order=4) | peaking(250 Hz, q=1, gain=-2 dB) | peaking(3 kHz, q=0.8, gain=3 dB)",
    },
    FactoryPreset {
        name: "Speech: less sibilance",
        text: "highpass(80 Hz, order=4) | peaking(6.5 kHz, q=2, gain=-5 dB) | high_shelf(10 kHz, gain=-2 dB)",
    },
    FactoryPreset { name: "Telephone", text: "bandpass(300 Hz, 3.4 kHz, order=4)" },
    FactoryPreset { name: "Remove rumble", text: "highpass(30 Hz, order=6)" },
    FactoryPreset {
        name: "Remove mains hum, 50 Hz",
        text: "notch(50 Hz, q=30) | notch(100 Hz, q=30) | notch(150 Hz, q=30) | notch(200 Hz, q=30) | notch(250 Hz, q=30)",
    },
    FactoryPreset {
        name: "Remove mains hum, 60 Hz",
        text: "notch(60 Hz, q=30) | notch(120 Hz, q=30) | notch(180 Hz, q=30) | notch(240 Hz, q=30) | notch(300 Hz, q=30)",
    },
    FactoryPreset { name: "Less hiss", text: "high_shelf(8 kHz, gain=-6 dB)" },
    FactoryPreset { name: "Warm", text: "low_shelf(200 Hz, gain=2 dB) | high_shelf(6 kHz, gain=-2 dB)" },
    FactoryPreset { name: "Bright", text: "low_shelf(150 Hz, gain=-1.5 dB) | high_shelf(7 kHz, gain=3 dB)" },
    FactoryPreset { name: "Bird song", text: "highpass(1 kHz, order=8)" },
    FactoryPreset { name: "Normalise to -1 dB", text: "normalize" },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Chain;

    #[test]
    fn every_preset_is_a_chain_in_its_own_notation() {
        for preset in PRESETS {
            let chain: Chain = preset.text.parse().unwrap_or_else(|error| panic!("{}: {error}", preset.name));
            assert_eq!(chain.to_string(), preset.text, "{}", preset.name);
        }
    }
}
