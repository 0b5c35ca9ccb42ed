//! Weight files and the models in them.

mod codecs;
mod demucs;
mod recognise;
#[path = "../../support/torch_file.rs"]
#[allow(dead_code, reason = "the fuzz targets use the rest")]
mod torch_file;
mod unit_files;
mod weights;
mod weights_hostile;
mod weights_views;
