//! The example of each effect, and an upper bound of its output peak.

use std::sync::LazyLock;

use tempfile::TempDir;

/// An effect as these tests run it.
pub struct Setting {
    pub name: &'static str,
    pub text: String,
    pub bound: f32,
}

/// A decaying impulse response in a file that exists while the program runs, and its path in chain notation.
static ROOM: LazyLock<(TempDir, String)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a setting");
    let path = folder.path().join("room.wav");
    let samples = (0..4000u32).map(|n| (-f64::from(n) / 900.0).exp() * (f64::from(n * n % 31) - 15.0) / 60.0);
    let data: Vec<u8> = samples.flat_map(|sample| (sample as f32).to_le_bytes()).collect();
    let mut file = Vec::new();
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(36 + data.len() as u32).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt ");
    // Sixteen bytes: floating point, one channel, 48 kHz, 192,000 bytes per second, 4 bytes per frame, 32 bits.
    for word in [16, 3 | 1 << 16, 48_000, 192_000, 4 | 32 << 16] {
        file.extend_from_slice(&u32::to_le_bytes(word));
    }
    file.extend_from_slice(b"data");
    file.extend_from_slice(&(data.len() as u32).to_le_bytes());
    file.extend_from_slice(&data);
    std::fs::write(&path, file).expect("a setting");
    let words = format!("\"{}\"", path.to_str().expect("a setting"));
    (folder, words)
});

/// A small model with random weights, in chain notation.
fn model() -> String {
    format!("{:?}", crate::support::reference("codec_models/encodec_24khz").to_string_lossy())
}

pub fn all() -> Vec<Setting> {
    let settings = effects::all().iter().map(|spec| {
        let text = spec.example.replace("\"room.wav\"", &ROOM.1).replace("\"model\"", &model());
        Setting { name: spec.name, text, bound: spec.largest_output }
    });
    settings.collect()
}

#[test]
fn every_example_is_a_chain_of_its_effect_alone() {
    for setting in all() {
        let chain: effects::chain::Chain = setting.text.parse().expect("an example");
        let named = |node: &effects::chain::Node| match &node.kind {
            effects::chain::NodeKind::Effect { effect, .. } => Some(effect.clone()),
            _ => None,
        };
        let effects: Vec<String> = chain.walk().filter_map(named).collect();
        assert_eq!(effects, [setting.name]);
    }
}
