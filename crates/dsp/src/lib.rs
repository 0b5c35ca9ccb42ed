//! Signal processing: filter design, kernels as shaders and as their CPU twins, the device that runs them, measures and
//! test signals.

pub mod design;
pub mod device;
pub mod generate;
pub mod gpu;
pub mod kernels;
pub mod measure;
