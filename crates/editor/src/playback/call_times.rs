//! When the frames of a stream pass, from the times of its calls.

/// The most calls that are kept. When it is reached, every second one is dropped from then on.
const KEPT: usize = 1 << 14;
/// The most breaks that are kept.
const BREAKS: usize = 64;

/// The calls of a stream: which frame began each, and when that frame was heard or captured, in nanoseconds of
/// [`super::now_ns`] and as far as the host reports it. A single call may be milliseconds late, so estimates use many
/// calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallTimes {
    rate: u32,
    /// Each with its distance from where a stream of exactly the rate would have it that began at 0.
    calls: Vec<(i64, i64)>,
    every: u32,
    left_out: u32,
    /// The last call before each time at which the device lost time.
    breaks: Vec<i64>,
}

impl CallTimes {
    /// Creates an empty list of calls of a stream with this rate in Hz.
    pub fn new(rate: u32) -> Self {
        Self { rate, every: 1, ..Self::default() }
    }

    /// Returns the rate of the stream in Hz.
    pub fn rate(&self) -> u32 {
        self.rate
    }

    /// Notes a call: its first frame, counted from the beginning of the stream, is heard or captured at `at_ns`.
    pub fn note(&mut self, frame: u64, at_ns: i64) {
        self.left_out += 1;
        if self.rate == 0 || self.left_out < self.every {
            return;
        }
        self.left_out = 0;
        let nominal_ns = i128::from(frame) * 1_000_000_000 / i128::from(self.rate);
        self.calls.push((at_ns, (i128::from(at_ns) - nominal_ns) as i64));
        if self.calls.len() >= KEPT {
            let mut number = 0;
            self.calls.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.every *= 2;
        }
    }

    /// Notes that the device lost time here: calls before this do not predict those after it.
    pub fn break_off(&mut self) {
        if let Some((last, _)) = self.calls.last()
            && self.breaks.len() < BREAKS
            && self.breaks.last() != Some(last)
        {
            self.breaks.push(*last);
        }
    }

    /// Returns the times of the first and of the last call; `None` without any.
    pub fn span_ns(&self) -> Option<(i64, i64)> {
        Some((self.calls.first()?.0, self.calls.last()?.0))
    }

    /// Returns the times after which the device lost time, each that of the last call before.
    pub fn breaks_ns(&self) -> &[i64] {
        &self.breaks
    }

    /// Returns by how many nanoseconds the stream was later than one of exactly its rate that began at 0: the mean of the
    /// middle half of the calls from `from_ns` to `to_ns`, so that single late ones do not count; `None` without any.
    pub fn lateness_ns(&self, from_ns: i64, to_ns: i64) -> Option<i64> {
        let begin = self.calls.partition_point(|(at_ns, _)| *at_ns < from_ns);
        let within = self.calls[begin..].iter().take_while(|(at_ns, _)| *at_ns <= to_ns);
        let mut late: Vec<i64> = within.map(|(_, late_ns)| *late_ns).collect();
        if late.is_empty() {
            return None;
        }
        late.sort_unstable();
        let quarter = late.len() / 4;
        let middle = &late[quarter..late.len() - quarter];
        let sum: i128 = middle.iter().map(|&late_ns| i128::from(late_ns)).sum();
        Some((sum / middle.len() as i128) as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_late_calls_do_not_count_and_breaks_are_kept() {
        let mut times = CallTimes::new(48_000);
        for call in 0..100u64 {
            let late = if call % 7 == 3 { 4_000_000 } else { 0 };
            times.note(480 * call, 5_000_000 + 10_000_000 * call as i64 + late);
        }
        assert_eq!(times.lateness_ns(i64::MIN, i64::MAX), Some(5_000_000));
        times.break_off();
        times.break_off();
        let (first, last) = times.span_ns().unwrap();
        times.note(48_000, 2_000_000_000);
        assert_eq!((times.span_ns(), times.breaks_ns()), (Some((first, 2_000_000_000)), &[last][..]));
        assert_eq!(times.lateness_ns(3_000_000_000, i64::MAX), None);
    }

    #[test]
    fn a_day_of_calls_stays_small() {
        let mut times = CallTimes::new(48_000);
        (0..200_000u64).for_each(|call| times.note(512 * call, (512 * call * 1_000_000_000 / 48_000) as i64 + 7));
        assert!(times.calls.len() < KEPT);
        assert!(times.calls.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(times.lateness_ns(i64::MIN, i64::MAX).is_some_and(|late_ns| (6..=8).contains(&late_ns)));
    }
}
