//! Positional embeddings: trained ones for rows of frequency, and sines for the transformer's vectors.

use super::{Configuration, TransformerSize};
use crate::models::tensors::Tensors;
use crate::network::Parameter;
use base::error::Result;

/// Takes the embedding of the rows after the first layer, `channels x rows`, times both of its gains; `None` for a
/// model without.
pub fn of_rows(tensors: &mut Tensors<'_>, of: &Configuration) -> Result<Option<Parameter>> {
    if of.embedding_gain == 0.0 {
        return Ok(None);
    }
    let (rows, channels) = (of.rows() / of.stride, of.channels);
    let name = "freq_emb.embedding.weight";
    let values = tensors.take(name, &[rows, channels])?;
    let gain = of.embedding_gain * of.embedding_scale;
    let value = |channel: usize, row: usize| (f64::from(values[row * channels + channel]) * gain) as f32;
    let turned = (0..channels).flat_map(|channel| (0..rows).map(move |row| (channel, row)));
    let turned = turned.map(|(channel, row)| value(channel, row)).collect();
    Ok(Some(tensors.add(name, &[channels, rows], turned)?))
}

/// Returns sines of the places of `frames` vectors, `components x frames`: `cos(n / period^(i / (half - 1)))`, then the
/// sines.
pub fn of_frames(components: usize, frames: usize, of: &TransformerSize) -> Vec<f32> {
    let half = components / 2;
    let value = |component: usize, frame: usize| {
        let phase = frame as f64 / of.max_period.powf((component % half) as f64 / (half - 1) as f64);
        of.position_gain * if component < half { phase.cos() } else { phase.sin() }
    };
    (0..components).flat_map(|component| (0..frames).map(move |frame| value(component, frame) as f32)).collect()
}

/// Returns the sines for the positions of `rows x windows` vectors, `components x (rows x windows)`: the first half of
/// the components encodes the window, the second the row, with sine and cosine of a period next to each other.
pub fn of_plane(components: usize, [rows, windows]: [usize; 2], of: &TransformerSize) -> Vec<f32> {
    let half = components / 2;
    let value = |component: usize, row: usize, window: usize| {
        let (place, component) = if component < half { (window, component) } else { (row, component - half) };
        let phase = place as f64 * (-of.max_period.ln() * (component / 2 * 2) as f64 / half as f64).exp();
        (of.position_gain * if component % 2 == 0 { phase.sin() } else { phase.cos() }) as f32
    };
    let mut values = Vec::with_capacity(components * rows * windows);
    for component in 0..components {
        for row in 0..rows {
            values.extend((0..windows).map(|window| value(component, row, window)));
        }
    }
    values
}
