//! Properties of all effects: unusual signals, arbitrary block sizes, restored states, parameter changes during
//! playback, and their figures in the table of `docs/measured/effects.md`.

use crate::support::{chain_runs as runs, effects_table as table, streamed};

mod docs;
mod reference;
mod settings;
mod sox;
mod strange;
mod streams;
mod sweeps;
