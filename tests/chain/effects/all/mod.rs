//! What holds of every effect there is: strange signals, streams cut anyhow, states taken up, parameters that are turned
//! while it plays; and that the table of `docs/effects.md` tells it.

use crate::support::{chain_runs as runs, effects_table as table, streamed};

mod docs;
mod settings;
mod sox;
mod strange;
mod streams;
mod sweeps;
