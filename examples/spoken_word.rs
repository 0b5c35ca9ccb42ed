//! Makes a spoken recording ready to be heard: rumble and sibilance out, an even level, -16 LUFS.
//!
//! ```text
//! cargo run --release --example spoken_word -- recording.flac ready.wav
//! ```

use undertone::chain::operators::{Wave, effect};

fn main() -> undertone::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: spoken_word RECORDING READY.wav");
        std::process::exit(2);
    };
    let low_cut = effect("highpass").with("cutoff", 80.0).with("order", 4);
    let presence = effect("peaking").with("center", 3000.0).with("q", 1.0).with("gain", 2.0);
    let voice = low_cut | effect("de_esser").with("threshold", -32.0) | presence;
    let even = effect("compressor").with("threshold", -24.0).with("ratio", 3.0).with("release", 0.15);
    let loud = effect("normalize").with("to", "lufs").with("target", -16.0) | effect("limiter").with("ceiling", -1.0);
    let out = Wave::open(from)? | voice | even | loud;
    let written = out.render()?.save(to)?;
    println!("{} frames, a peak of {:.2} dB", written.frames, undertone::units::db_from_gain(written.peak));
    Ok(())
}
