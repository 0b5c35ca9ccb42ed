//! Products on a GPU.

use rayon::prelude::*;

use super::{Kind, Plan};
use crate::gpu::shaders::convolution as shader;
use crate::gpu::{Constant, MAX_BINDING_BYTES, Recording};
use crate::kernels::network::block::{Block, too_large};
use crate::kernels::network::pointwise::Activation;
use crate::kernels::network::pointwise::gpu::code;
use base::error::{Error, Result};

/// Rows of a panel.
const TILE: usize = shader::TILE as usize;
/// Columns of a workgroup.
const COLUMNS: usize = shader::COLUMNS as usize;

/// Weights for the device: for each group and panel of 64 rows, for each step of the sums, one number per row.
#[derive(Clone, Debug)]
pub struct Weights {
    constant: Constant,
    panels: usize,
}

impl Weights {
    /// Reorders weights from the order of [`Kind`] to that of the device.
    ///
    /// # Panics
    /// Panics if their number does not match the sizes.
    pub fn new(kind: Kind, groups: usize, outputs: usize, inputs: usize, values: &[f32]) -> Self {
        let matrix = super::weights::Matrix::new(kind, groups, outputs, inputs);
        let panels = matrix.height.div_ceil(TILE);
        let mut numbers = vec![0.0_f32; groups * panels * matrix.depth * TILE];
        let of_panel = (matrix.depth * TILE).max(1);
        numbers.par_chunks_mut(of_panel).enumerate().for_each(|(n, panel)| {
            let (group, first) = (n / panels, n % panels * TILE);
            for row in first..matrix.height.min(first + TILE) {
                for step in 0..matrix.depth {
                    panel[step * TILE + row - first] = matrix.at(values, group, row, step);
                }
            }
        });
        Self { constant: Constant::of(&numbers), panels }
    }
}

/// The per-channel numbers of an [`super::Epilogue`] for the device.
#[derive(Clone, Debug)]
pub struct Numbers {
    constant: Constant,
    bias: u32,
    alpha: u32,
    gains: u32,
}

impl Numbers {
    /// Joins bias, numbers of Snake, and gains.
    pub fn new(bias: Option<&[f32]>, alpha: Option<&[f32]>, gains: Option<&[f32]>) -> Self {
        let mut all: Vec<f32> = Vec::new();
        let mut place = |numbers: Option<&[f32]>| {
            numbers.map_or(shader::NONE, |numbers| {
                all.extend_from_slice(numbers);
                (all.len() - numbers.len()) as u32
            })
        };
        let [bias, alpha, gains] = [bias, alpha, gains].map(&mut place);
        // A buffer cannot be empty.
        all.push(0.0);
        Self { constant: Constant::of(&all), bias, alpha, gains }
    }
}

/// Records a product. `numbers` are those of the epilogue; `residual` is added at the end.
///
/// # Errors
/// [`Error::Unsupported`] for a product without inputs.
pub fn record(
    recording: &mut Recording<'_>,
    plan: &Plan,
    weights: &Weights,
    numbers: &Numbers,
    activation: Option<Activation<'_>>,
    x: Block,
    residual: Option<Block>,
) -> Result<Block> {
    let y = Block::new(recording, plan.y.len())?;
    if plan.depth == 0 {
        return Err(Error::unsupported("a product without inputs", "there is nothing for a GPU to read"));
    }
    let all = recording.constant(&weights.constant);
    let constant = recording.constant(&numbers.constant);
    let of_panel = (plan.depth * TILE * 4) as u64;
    // Bind as many panels at once as fit; groups are stored one after the other, and go together or one by one.
    let at_once = (MAX_BINDING_BYTES / of_panel) as usize;
    if at_once == 0 {
        return Err(too_large(of_panel));
    }
    let whole = plan.groups * weights.panels <= at_once;
    if let Some(residual) = residual {
        recording.copy(residual.part(0, plan.y.len()), y.part(0, plan.y.len()));
    }
    for group in 0..if whole { 1 } else { plan.groups } {
        let mut panel = 0;
        while panel < weights.panels {
            let panels = (weights.panels - panel).min(at_once);
            let first = (group * weights.panels + panel) as u64 * of_panel;
            let bytes = if whole { all.bytes } else { panels as u64 * of_panel };
            let params = shader::Params {
                height: plan.height as u32,
                depth: plan.depth as u32,
                columns: plan.columns as u32,
                first_panel: panel as u32,
                panels: weights.panels as u32,
                first_of_groups: group as u32,
                inputs: plan.inputs as u32,
                x_rows: plan.x.rows as u32,
                x_frames: plan.x.frames as u32,
                x_first: x.first as u32,
                row_taps: plan.taps[0] as u32,
                taps: plan.taps[1] as u32,
                row_stride: plan.stride[0] as u32,
                stride: plan.stride[1] as u32,
                row_dilation: plan.dilation[0] as u32,
                dilation: plan.dilation[1] as u32,
                row_padding: plan.padding[0] as u32,
                padding: plan.padding[1] as u32,
                row_columns: plan.row_columns as u32,
                phases: plan.phases as u32,
                along_rows: u32::from(plan.along_rows),
                skipped: plan.skipped as u32,
                y_rows: plan.y.rows as u32,
                y_frames: plan.y.frames as u32,
                activation: code(activation),
                bias: numbers.bias,
                alpha: numbers.alpha,
                gains: numbers.gains,
                adds: u32::from(residual.is_some()),
                ..bytemuck::Zeroable::zeroed()
            };
            let entry = shader::Product { weights: all.part(first, bytes), x: x.view, numbers: constant, y: y.view };
            let groups = if whole { plan.groups as u32 } else { 1 };
            let columns = plan.columns.div_ceil(COLUMNS) as u32;
            let work = (groups as usize * panels * TILE * plan.depth * columns as usize * COLUMNS) as u64;
            recording.dispatch(entry.dispatch(&params, [columns, panels as u32, groups], work));
            panel += panels;
        }
    }
    Ok(y)
}
