//! Maps output windows to positions of the input.
//!
//! In general `t = s / ratio` for the window centred on the output frame `s`. Around an onset at `o`, which sounds at
//! `ratio o`, time runs at the original pace, `t = o + (s - ratio o)`, for as long as the window has weight there. All
//! these windows place the onset at the same output frame, so that it stays sharp. If the output is longer, windows
//! outside this zone keep away from the onset and catch up at half the pace; if it is shorter, they skip.

/// The zone around an onset as a share of half a window. A squared Hann window is 33 dB down at its ends.
pub(super) const ZONE: f64 = 0.75;

/// A stretch by `ratio`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Timeline {
    /// Output frames per input frame.
    pub ratio: f64,
    /// Half the length of the zone around an onset, in frames.
    pub zone: f64,
}

/// A position of the input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moment {
    /// The frame that the window is centred on.
    pub frame: i64,
    /// Whether an onset enters the window.
    pub onset: bool,
}

impl Timeline {
    pub fn new(ratio: f64, size: usize) -> Self {
        Self { ratio, zone: ZONE * size as f64 / 2.0 }
    }

    /// Returns how far after `s / ratio` an onset may lie and still affect `s`, in frames.
    pub fn looks_ahead(self) -> f64 {
        self.zone * (1.0 / self.ratio).max(2.0)
    }

    /// Returns how far before `s / ratio` the position may lie, in frames.
    pub fn looks_back(self) -> f64 {
        self.zone * (1.0 / self.ratio).max(1.0)
    }

    /// Returns the input position of the window centred on the output frame `s`. `onsets` must be in order.
    pub fn at(self, s: i64, onsets: &[i64]) -> Moment {
        let s = s as f64;
        let even = s / self.ratio;
        let distance = |onset: i64| s - self.ratio * onset as f64;
        let next = onsets.partition_point(|onset| distance(*onset) > 0.0);
        let (past, coming) = (next.checked_sub(1).map(|at| onsets[at]), onsets.get(next).copied());
        let nearest =
            [past, coming].into_iter().flatten().min_by(|a, b| distance(*a).abs().total_cmp(&distance(*b).abs()));
        if let Some(onset) = nearest.filter(|onset| distance(*onset).abs() <= self.zone) {
            let x = distance(onset);
            return Moment { frame: onset + x.round() as i64, onset: x <= self.zone / 4.0 };
        }
        let mut frame = even;
        if self.ratio > 1.0 {
            let slow = 0.5 / self.ratio;
            let after = past.map(|onset| onset as f64 + self.zone + slow * (distance(onset) - self.zone));
            let ahead = coming.map(|onset| onset as f64 - self.zone + slow * (distance(onset) + self.zone));
            let (after, ahead) = (after.unwrap_or(even).max(even), ahead.unwrap_or(even).min(even));
            // Between onsets too close to keep away from both, take the middle.
            frame = if after > even && ahead < even { f64::midpoint(after, ahead) } else { after + ahead - even };
        }
        Moment { frame: frame.round() as i64, onset: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_runs_as_in_the_input_around_onsets_alone() {
        for ratio in [0.25, 0.5, 0.9, 1.3, 2.0, 4.0] {
            let line = Timeline::new(ratio, 2048);
            let onset = 100_000;
            let there = (f64::from(onset) * ratio).round() as i64;
            for x in [-700, 0, 500, 760] {
                let frame = line.at(there + x, &[i64::from(onset)]).frame;
                assert!((frame - i64::from(onset) - x).abs() <= 1, "{ratio} {x}");
            }
            let far = there + 10_000;
            assert_eq!(line.at(far, &[i64::from(onset)]).frame, (far as f64 / ratio).round() as i64);
            // When stretched, the onset does not enter a window's weight again outside the zone.
            if ratio > 1.0 {
                for x in (-9000..9000i64).filter(|x| x.abs() > 768) {
                    let away = line.at(there + x, &[i64::from(onset)]).frame - i64::from(onset);
                    assert!(away.abs() >= 767 && away.signum() == x.signum(), "{ratio} {x} {away}");
                }
            }
        }
    }

    #[test]
    fn what_is_far_ahead_changes_nothing() {
        for ratio in [0.25, 0.7, 1.5, 4.0] {
            let line = Timeline::new(ratio, 4096);
            for s in (0..100_000).step_by(777) {
                let known = s as f64 / ratio + line.looks_ahead();
                let coming = known.ceil() as i64 + 1;
                assert_eq!(line.at(s, &[1000, coming]), line.at(s, &[1000]), "{ratio} {s}");
            }
        }
    }
}
