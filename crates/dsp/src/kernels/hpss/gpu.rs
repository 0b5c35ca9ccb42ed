//! Computes energies on a GPU. Spectra and medians stay on the device. One workgroup computes the masks of a window and
//! sums in a tree.

use std::ops::Range;

use super::{Energies, MARGIN, check};
use crate::gpu::shaders::hpss as shader;
use crate::gpu::{Engine, Finished, Recording, View};
use crate::kernels::Plane;
use crate::kernels::median::gpu::{Axis, record as record_medians};
use crate::kernels::stft::Spectra;
use crate::kernels::stft::gpu::in_chunks;
use base::error::{Error, Result};
use base::progress::Progress;

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

/// Returns the energies of the windows `wanted` of a block, like [`super::energies`].
pub fn energies(
    engine: &mut Engine,
    power: &Spectra<f32>,
    wanted: Range<usize>,
    progress: Option<&Progress>,
) -> Result<(Vec<Energies>, Finished)> {
    check(power, &wanted)?;
    let (bins, all) = (power.bins, power.values.len().checked_div(power.bins).unwrap_or(0));
    let most = Plane::max_rows(bins).saturating_sub(2 * MARGIN);
    if most == 0 {
        let limit = format!("{} bins", Plane::max_rows(2 * MARGIN + 1));
        return Err(Error::Limit { what: "spectra on a GPU".to_owned(), got: format!("{bins} bins"), limit });
    }
    let mut found = Vec::with_capacity(wanted.len());
    let finished = in_chunks(wanted.len(), most, |chunk| {
        let chunk = wanted.start + chunk.start..wanted.start + chunk.end;
        let around = chunk.start.saturating_sub(MARGIN)..all.min(chunk.end + MARGIN);
        let mut recording = Recording::new();
        let plane = Plane::upload(&mut recording, bins, &power.values[around.start * bins..around.end * bins]);
        let energies = record(&mut recording, plane, chunk.start - around.start..chunk.end - around.start);
        let ticket = recording.readback(energies);
        engine.execute(&recording, progress, &mut |got, bytes| {
            if got == ticket {
                found.extend(read(bytes, chunk.len()));
            }
        })
    })?;
    Ok((found, finished))
}
