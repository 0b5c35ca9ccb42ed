//! Learns the pace of each kernel from the times of a recording.

use std::collections::{BTreeMap, HashMap};

use super::clock::Clock;
use super::faults;
use super::pace::Paces;
use super::steps::Step;
use super::timing::EntrySeconds;

/// The names of a shader and of an entry point in it.
type EntryName = (&'static str, &'static str);

/// The timestamps of a recording's dispatches.
#[derive(PartialEq)]
pub(super) enum Stamped {
    /// The seconds of each timed dispatch.
    Seconds(Vec<f64>),
    /// The timestamps are implausible.
    Refused,
    /// There are no timestamps.
    Missing,
}

/// A recording that has run.
pub(super) struct Timed<'t> {
    pub clock: &'t Clock,
    pub stamped: Stamped,
    pub steps: &'t [Step<'t>],
    /// The seconds of the device, uploads left out.
    pub device_seconds: f64,
}

impl Timed<'_> {
    /// Updates the measured pace of each kernel. Returns the total kernel time in seconds and that of each entry point if
    /// they come from the device's timestamps.
    pub fn learn(self, paces: &mut Paces, at_full_speed: bool) -> (Option<f64>, BTreeMap<EntryName, EntrySeconds>) {
        let Self { clock, stamped, steps, device_seconds } = self;
        let mut total: HashMap<EntryName, (f64, f64)> = HashMap::new();
        let factor = faults::clock_factor();
        let mut seconds = None;
        let mut entries: BTreeMap<_, EntrySeconds> = BTreeMap::new();
        if let Stamped::Seconds(stamped) = stamped {
            let mut sum = 0.0;
            let stamped = if at_full_speed { clock.at_full_speed(stamped) } else { stamped };
            for (&(name, count, work), took) in clock.timed.iter().zip(stamped) {
                let (shader, entry) = name;
                tracing::trace!("{shader}.{entry}: {count} dispatches, work {work:.4e}, {:.1} us", 1e6 * took);
                sum += took;
                let entry = total.entry(name).or_default();
                entry.0 += took;
                entry.1 += work;
                let entry = entries.entry(name).or_default();
                entry.seconds += took;
                entry.dispatches += count;
            }
            // Dispatches without timestamps are assumed to take as long as those with them.
            let all = 1.0 + clock.untimed as f64 / clock.timed.len().max(1) as f64;
            entries.values_mut().for_each(|entry| entry.seconds *= all);
            seconds = Some(sum * all);
        } else {
            // There is one measured time for all kernels: each gets its expected share of it.
            let slices =
                || steps.iter().filter_map(|step| if let Step::Slice(slice) = step { Some(slice) } else { None });
            let expected: f64 = slices().map(|slice| slice.work * paces.of(slice.dispatch.entry)).sum();
            for slice in slices() {
                let entry = slice.dispatch.entry;
                let share = slice.work * paces.of(entry) / expected.max(1e-12);
                let sum = total.entry((entry.shader, entry.name)).or_default();
                sum.0 += share * device_seconds;
                sum.1 += slice.work;
            }
        }
        for (name, (took, work)) in total {
            paces.learn(name, factor * took, work);
        }
        (seconds, entries)
    }
}
