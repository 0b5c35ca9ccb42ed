//! Computes energies on a GPU. Spectra and medians stay on the device. One workgroup computes the masks of a window and
//! sums in a tree.

use std::ops::Range;

use super::Energies;
use crate::gpu::shaders::hpss as shader;
use crate::gpu::{Recording, View};
use crate::kernels::signal::Plane;
use crate::kernels::signal::median::gpu::{Axis, record as record_medians};

/// Records the energies of the windows `wanted` of power spectra. [`read`] decodes the readback.
pub fn record(recording: &mut Recording<'_>, power: Plane, wanted: Range<usize>) -> View {
    let harmonic = record_medians(recording, power, wanted.clone(), Axis::Columns);
    let percussive = record_medians(recording, power, wanted.clone(), Axis::Rows);
    let energies = recording.buffer((wanted.len() * shader::WORDS as usize * 4) as u64);
    let params = shader::Params {
        bins: power.columns as u32,
        first_window: wanted.start as u32,
        not_a_number: f32::NAN.to_bits(),
        ..bytemuck::Zeroable::zeroed()
    };
    let kernel = shader::Energies {
        power: power.view,
        harmonic: harmonic.view,
        percussive: percussive.view,
        window_energies: energies,
    };
    recording.dispatch(kernel.dispatch(&params, [wanted.len() as u32, 1, 1], (wanted.len() * power.columns) as u64));
    energies
}

/// Decodes the readback of [`record`] for `windows` windows.
pub fn read(bytes: &[u8], windows: usize) -> impl Iterator<Item = Energies> {
    let words: Vec<[f32; shader::WORDS as usize]> =
        bytemuck::pod_collect_to_vec(&bytes[..windows * 4 * shader::WORDS as usize]);
    words.into_iter().map(|[total, harmonic, percussive]| Energies { total, harmonic, percussive })
}
