//! The device's own clock around dispatches, where it has one that can be read.

use super::context::Context;
use super::pool::{Pool, Role};
use super::taken::Taken;
use crate::error::Result;

/// Dispatches of one recording that are timed on the device.
const MOST_TIMED: u32 = 1024;

/// Timestamps around dispatches, where the device has them.
#[derive(Default)]
pub(super) struct Clock {
    queries: Option<wgpu::QuerySet>,
    pub timed: Vec<((&'static str, &'static str), f64)>,
    pub untimed: u64,
}

impl Clock {
    pub fn start(
        &mut self,
        context: &Context,
        pool: &mut Pool,
        queries: &mut Option<wgpu::QuerySet>,
        taken: &mut Taken,
    ) -> Result<()> {
        let bytes = u64::from(MOST_TIMED) * 16;
        taken.clock = Some(pool.take(context, Role::Timestamps, bytes)?);
        taken.clock_readback = Some(pool.take(context, Role::Readback, bytes)?);
        let made = queries.get_or_insert_with(|| {
            context.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count: MOST_TIMED * 2,
            })
        });
        self.queries = Some(made.clone());
        Ok(())
    }

    pub fn stamps(
        &mut self,
        name: (&'static str, &'static str),
        work: f64,
    ) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let index = self.timed.len() as u32;
        match &self.queries {
            Some(query_set) if index < MOST_TIMED => {
                self.timed.push((name, work));
                Some(wgpu::ComputePassTimestampWrites {
                    query_set,
                    beginning_of_pass_write_index: Some(index * 2),
                    end_of_pass_write_index: Some(index * 2 + 1),
                })
            }
            _ => {
                self.untimed += 1;
                None
            }
        }
    }

    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, taken: &Taken) {
        if let (Some(queries), Some(resolved), Some(readback)) = (&self.queries, &taken.clock, &taken.clock_readback) {
            let count = self.timed.len() as u32 * 2;
            encoder.resolve_query_set(queries, 0..count, &resolved.buffer, 0);
            encoder.copy_buffer_to_buffer(&resolved.buffer, 0, &readback.buffer, 0, u64::from(count) * 8);
        }
    }
}
