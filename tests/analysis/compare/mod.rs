//! Comparison of two versions of a recording: alignment, measures, whole streams, the command.

mod alignment;
mod codecs;
mod degradations;
mod documented;
mod joins;
mod laid;
mod parts;
mod precision;
mod references;
mod versions;
mod whole;
