//! Rows of a book by their numbers: embeddings, and codes back to vectors.

pub mod cpu;
