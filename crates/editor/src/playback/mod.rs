//! Playback: transport, ring buffers and the sound output.
//!
//! ```text
//! PlaybackSource -> Unrolled (loop, mix, gain) -> rate conversion -> lane (ring) -> Callback -> output
//!                   \______________ Engine, on the worker's thread ______________/   audio thread
//! ```
//!
//! A [`Player`] owns a worker thread that runs the engine. The engine renders ahead into a *lane*, a ring buffer of
//! samples; the output's callback takes them from there. Any change to what is heard - a parameter, the other side, a
//! matching gain, another position, another loop - is rendered from the same frame on into a second lane. As soon as
//! that lane has samples, the callback cross-fades to it over 8 ms. A lane that arrives late is entered at the current
//! clock, not at its start, so that time is kept. The first chunk after a change has 2048 frames; later chunks grow
//! until half a second is rendered ahead.
//!
//! The output of the callback can be monitored ([`Player::monitor`]). Only then does the callback copy it into a ring
//! buffer.

mod aligned_reader;
mod audition;
mod call_times;
mod callback;
pub mod capture;
mod connection;
mod cpal_host;
mod deck;
mod engine;
mod growing;
mod heard;
pub mod live;
mod lock;
mod meters;
mod mix_source;
mod monitor;
mod open;
mod output;
mod player;
mod preparation;
mod preview;
mod protection;
mod ring;
mod source;
mod stream_format;
mod tap;
mod timeline;
mod track_levels;
mod transport;
mod versions;
mod whole;

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod virtual_output;

pub use audition::{AuditionSide, AuditionSource, common_channels, in_channels};
pub use call_times::CallTimes;
pub use callback::{CallTime, Callback, now_ns};
pub use cpal_host::CpalHost;
pub use growing::{Growing, GrowingSource};
pub use heard::{Heard, HeardLog, HeardPart};
pub use mix_source::MixSource;
pub use monitor::{MonitorFrame, MonitorLane, MonitorPart, MonitorRequest};
pub use output::{Health, OutputInfo, OutputStream, SoundHost};
pub use player::{Player, outputs};
pub use preparation::Preparation;
pub use preview::{ChainSource, OpenReader};
pub use source::{MatchingGain, PlaybackSource, PreviewRender, Side};
pub use transport::{MeterLevels, Transport};
pub use versions::{HeardVersion, VersionsSource};
