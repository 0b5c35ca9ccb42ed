//! What holds of every effect there is: strange signals, streams cut anyhow, states taken up, parameters that are turned
//! while it plays; and that the table of `docs/effects.md` tells it.

#[path = "../support/chain_runs.rs"]
mod runs;

mod docs;
mod settings;
mod sox;
mod strange;
#[path = "../streamed/mod.rs"]
mod streamed;
mod streams;
mod sweeps;
#[path = "../support/effects_table.rs"]
mod table;
