//! Timestamps around dispatches, taken by the device's clock if it has one that can be read.

use std::collections::HashMap;

use super::context::Context;
use super::pool::{Pool, Role};
use super::taken::Taken;
use base::error::Result;

/// The maximum number of passes of one recording that are timed on the device.
const MAX_TIMED: u32 = 1024;

/// The timestamps of one recording's passes.
#[derive(Default)]
pub(super) struct Clock {
    queries: Option<wgpu::QuerySet>,
    /// The passes with timestamps: shader and entry point, the number of dispatches and their work.
    pub timed: Vec<((&'static str, &'static str), u64, f64)>,
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
        let bytes = u64::from(MAX_TIMED) * 16;
        taken.clock = Some(pool.take(context, Role::Timestamps, bytes)?);
        taken.clock_readback = Some(pool.take(context, Role::Readback, bytes)?);
        let made = queries.get_or_insert_with(|| {
            context.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count: MAX_TIMED * 2,
            })
        });
        self.queries = Some(made.clone());
        Ok(())
    }

    pub fn stamps(
        &mut self,
        name: (&'static str, &'static str),
        dispatches: u64,
        work: f64,
    ) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let index = self.timed.len() as u32;
        match &self.queries {
            Some(query_set) if index < MAX_TIMED => {
                self.timed.push((name, dispatches, work));
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

    /// Returns the seconds between the two timestamps of each timed dispatch. Returns `None` if they are implausible:
    /// their sum must be above 0 and at most `wall_seconds`, the time in which everything was submitted and awaited, and
    /// each pair must have been written and run forwards. Some drivers write timestamps of 0 or in another unit.
    pub fn seconds(&self, ticks: &[u64], tick_ns: f64, wall_seconds: f64) -> Option<Vec<f64>> {
        let pairs = || ticks.chunks_exact(2).take(self.timed.len());
        if pairs().any(|pair| pair[1] < pair[0] || pair == [0, 0]) {
            return None;
        }
        let seconds: Vec<f64> = pairs().map(|pair| (pair[1] - pair[0]) as f64 * tick_ns * 1e-9).collect();
        let sum: f64 = seconds.iter().sum();
        (sum > 0.0 && sum <= wall_seconds).then_some(seconds)
    }

    /// Returns the seconds that each pass would have taken at the speed of the later half. In the earlier half, a
    /// device that was idle is still ramping up its clock.
    pub fn at_full_speed(&self, seconds: Vec<f64>) -> Vec<f64> {
        let half = self.timed.len() / 2;
        let mut of_entries: HashMap<(&str, &str), [(f64, f64); 2]> = HashMap::new();
        for (at, (&(name, _, work), &took)) in self.timed.iter().zip(&seconds).enumerate() {
            let sums = &mut of_entries.entry(name).or_default()[usize::from(at >= half)];
            sums.0 += took;
            sums.1 += work;
        }
        let faster = |name: &(&str, &str)| match of_entries.get(name) {
            Some(&[(early, early_work), (late, late_work)]) if early > 0.0 && early_work > 0.0 && late_work > 0.0 => {
                ((late / late_work) / (early / early_work)).min(1.0)
            }
            _ => 1.0,
        };
        let scaled = |(at, took): (usize, f64)| if at < half { took * faster(&self.timed[at].0) } else { took };
        seconds.into_iter().enumerate().map(scaled).collect()
    }

    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, taken: &Taken) {
        if let (Some(queries), Some(resolved), Some(readback)) = (&self.queries, &taken.clock, &taken.clock_readback) {
            let count = self.timed.len() as u32 * 2;
            encoder.resolve_query_set(queries, 0..count, &resolved.buffer, 0);
            encoder.copy_buffer_to_buffer(&resolved.buffer, 0, &readback.buffer, 0, u64::from(count) * 8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_rises_does_not_count() {
        let clock = |timed: Vec<(&'static str, f64)>| Clock {
            timed: timed.into_iter().map(|(entry, work)| (("a", entry), 1, work)).collect(),
            ..Clock::default()
        };
        let rising = clock(vec![("x", 1.0), ("y", 2.0), ("x", 3.0), ("y", 2.0)]);
        assert_eq!(rising.at_full_speed(vec![4.0, 6.0, 3.0, 2.0]), [1.0, 2.0, 3.0, 2.0]);
        assert_eq!(rising.at_full_speed(vec![1.0, 2.0, 6.0, 8.0]), [1.0, 2.0, 6.0, 8.0], "never more than it took");
        let once = clock(vec![("x", 1.0), ("y", 1.0)]);
        assert_eq!(once.at_full_speed(vec![4.0, 6.0]), [4.0, 6.0], "nothing to compare with");
    }

    #[test]
    fn stamps_that_cannot_be_true_are_not_believed() {
        let clock = Clock { timed: vec![(("a", "b"), 1, 1.0); 2], ..Clock::default() };
        // 1 ms and 3 ms in ticks of 100 ns.
        assert_eq!(clock.seconds(&[0, 10_000, 20_000, 50_000], 100.0, 0.005), Some(vec![0.001, 0.003]));
        for (ticks, tick_ns, wall_seconds) in [
            ([0, 0, 0, 0], 100.0, 0.005),
            // Backwards, one of two backwards, one of two not written.
            ([9, 3, 8, 2], 100.0, 0.005),
            ([0, 10_000, 8, 2], 100.0, 0.005),
            ([0, 0, 20_000, 50_000], 100.0, 0.005),
            // Longer than the wall time, in another unit, and overflowing.
            ([0, 10_000, 20_000, 50_000], 100.0, 0.003_9),
            ([0, 10_000, 20_000, 50_000], 1e6, 0.005),
            ([0, u64::MAX, 0, u64::MAX], 1.0, 0.005),
            ([0, 10_000, 20_000, 50_000], f64::NAN, 0.005),
            ([0, 10_000, 20_000, 50_000], 0.0, 0.005),
        ] {
            assert_eq!(clock.seconds(&ticks, tick_ns, wall_seconds), None, "{ticks:?} of {tick_ns} ns");
        }
    }
}
