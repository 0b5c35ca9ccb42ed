//! Playback: transport, rings and the sound output.
//!
//! ```text
//! PlaybackSource -> Unrolled (loop, mix, gain) -> rate conversion -> lane (ring) -> Callback -> output
//!                   \______________ Engine, on the worker's thread ______________/   audio thread
//! ```
//!
//! A [`Player`] owns a worker thread, which runs the engine: it renders ahead into a *lane*, a ring of samples, from
//! which the output's callback takes them. Whatever is to be heard differently - another parameter, the other side, a
//! matching gain, another place, another loop - is rendered from the same frame on into a second lane, to which the
//! callback cross-fades over 8 ms as soon as it is there. What comes late begins in its middle, so that time is kept.
//! The first chunk after a change has 2048 frames; from there on chunks grow until half a second is rendered ahead.
//!
//! What the callback put out can be looked at ([`Player::monitor`]); it then copies it into a ring, else it does not.

mod audition;
mod callback;
pub mod capture;
mod connection;
mod cpal_host;
mod deck;
mod engine;
mod laid;
mod lock;
mod meters;
mod mix;
mod monitor;
mod open;
mod output;
mod player;
mod preview;
mod protection;
mod ring;
mod source;
mod tap;
mod timeline;
mod transport;
mod whole;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod virtual_output;

pub use audition::{AuditionSide, AuditionSource};
pub use callback::{CallTime, Callback, now_ns};
pub use cpal_host::CpalHost;
pub use mix::Mix;
pub use monitor::{MonitorFrame, MonitorLane, MonitorLanes, MonitorRequest, MonitorReset};
pub use output::{Health, OutputInfo, OutputStream, SoundHost};
pub use player::{Player, outputs};
pub use preview::{ChainSource, OpenReader};
pub use source::{MatchingGain, PlaybackSource, PreviewRender, Side};
pub use transport::{MeterLevels, Transport};
