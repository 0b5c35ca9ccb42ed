//! Weight files and the models in them.

mod codecs;
mod demucs;
mod recognise;
mod unit_files;
mod weights;
mod weights_hostile;
mod weights_views;
