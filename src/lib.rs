//! The core of Undertone, an audio workbench: opens, analyses, filters, plays and writes recordings, on the CPU or a GPU.
//! The window, the command line and Rust programs use it.
//!
//! Open a recording, run it through a chain of effects and write the result:
//!
//! ```
//! use undertone::chain::operators::{Wave, effect};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let (input, output) = (folder.path().join("in.wav"), folder.path().join("out.wav"));
//! # Wave::from_channels(48_000, vec![vec![0.25; 4800]; 2])?.save(&input)?;
//! let low_cut = effect("highpass").with("cutoff", 80.0).with("order", 4);
//! let wave = Wave::open(&input)? | low_cut | effect("normalize").with("target", -1.0);
//! let written = wave.render()?.save(&output)?;
//! assert_eq!(written.frames, 4800);
//! # Ok::<(), undertone::Error>(())
//! ```
//!
//! Measure the loudness of a stream. An [`audio::AudioFile`] gives such a stream of a file:
//!
//! ```
//! use undertone::audio::{AudioBuffer, MemoryReader};
//! use undertone::measure::loudness::integrated_lufs;
//! use undertone::progress::Progress;
//! use undertone::units::SampleRate;
//!
//! let tone: Vec<f32> = (0..96_000).map(|n| (n as f32 * 0.13).sin() * 0.1).collect();
//! let mut reader = MemoryReader::new(SampleRate::new(48_000)?, AudioBuffer::from_channels(vec![tone]));
//! let lufs = integrated_lufs(&mut reader, &Progress::default())?.expect("it is not silent");
//! assert!((lufs + 23.0).abs() < 1.0);
//! # Ok::<(), undertone::Error>(())
//! ```
//!
//! Read a chain as text, as the window and the command line do, and compute its response:
//!
//! ```
//! use undertone::chain::{Chain, response::chain_response};
//! use undertone::units::SampleRate;
//!
//! let chain: Chain = "highpass(80 Hz, order=4) | peaking(3 kHz, q=1, gain=3 dB)".parse()?;
//! let response = chain_response(&chain, SampleRate::new(48_000)?, &[20.0, 3000.0])?;
//! assert!(response.magnitude_db[0].unwrap() < -40.0);
//! assert!((response.magnitude_db[1].unwrap() - 3.0).abs() < 0.1);
//! # Ok::<(), undertone::Error>(())
//! ```
//!
//! # Modules by task
//!
//! | task | module |
//! |---|---|
//! | read and write files, tags, encoders | [`audio`] |
//! | test signals | [`generate`] |
//! | chains: operators, notation, rendering on a device | [`chain`], [`effects`], [`device`] |
//! | response of a chain | [`chain::response`] |
//! | loudness, peaks, rate conversion | [`measure`] |
//! | weight files of neural networks, and which model is in them | [`weights`], [`models`] |
//! | codecs behind one interface | [`codecs`] |
//! | neural networks as plain data | [`network`] |
//! | spectrograms and waveforms to look at | [`view`] |
//! | what a recording sounds like, what identifies it | [`features`], [`fingerprint`] |
//! | two versions of a recording: alignment, measures | [`compare`] |
//! | what codecs do to recordings, as a grid | [`codec_grid`] |
//! | voice, accompaniment and other parts of a recording, as recordings | [`stems`] |
//! | a library of recordings and questions to it | [`library`] |
//! | play, hear an input through a chain | [`playback`] |
//! | record to disk | [`recording`] |
//! | documents with history, as in the window | [`document`], [`window`] |
//! | transforms and filters as kernels; windows and filter design | [`kernels`], [`design`], [`gpu`] |
//!
//! They are re-exported from the crates that this one builds on, except for [`cli`], [`work`] and [`window`]. `ARCHITECTURE.md`
//! describes them.

pub use analysis::{blind, compare, features, fingerprint};
use base::{blocking, date, lock};
pub use base::{error, files, progress, simd, sound, units};
pub use dsp::{design, device, generate, gpu, kernels, measure};
pub use editor::{document, playback, recording, view};
pub use effects::{self, chain};
pub use neural::{codec_grid, codecs, models, network, stems, weights};
pub use {audio, library};

pub mod cli;
pub mod window;
pub mod work;

pub use error::{Error, Result};
