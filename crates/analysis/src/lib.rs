//! Analysis of recordings: features of their sound, fingerprints that identify them, comparisons of two versions, and
//! blind listening tests.

pub mod blind;
pub mod compare;
pub mod features;
pub mod fingerprint;
