//! Networks: sessions against the oracle in f64, pieces against the whole, batches and threads to the bit.

mod chains;
mod devices;
pub mod graphs;
mod hostile;
mod invariance;
pub mod legs;
mod reference;
pub mod session;
