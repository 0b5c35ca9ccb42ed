//! Networks: sessions against the oracle in f64, pieces against the whole, batches and threads to the bit.

mod graphs;
mod hostile;
mod invariance;
mod session;
