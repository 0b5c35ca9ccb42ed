//! Makes a spoken recording ready to be heard: rumble and sibilance out, an even level, -16 LUFS.
//!
//! ```text
//! cargo run --release --example spoken_word -- recording.flac ready.wav
//! ```

use undertone::chain::operators::{Wave, compressor, de_esser, highpass, limiter, normalize, peaking};

fn main() -> undertone::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: spoken_word RECORDING READY.wav");
        std::process::exit(2);
    };
    let voice = highpass(80.0).order(4) | de_esser().threshold(-32.0) | peaking(3000.0, 1.0, 2.0);
    let even = compressor().threshold(-24.0).ratio(3.0).attack(0.01).release(0.15);
    let out = Wave::open(from)? | voice | even | normalize().to("lufs").target(-16.0) | limiter().ceiling(-1.0);
    let written = out.render()?.save(to)?;
    println!("{} frames, a peak of {:.2} dB", written.frames, undertone::units::db_from_gain(written.peak));
    Ok(())
}
