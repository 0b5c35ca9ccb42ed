//! Repeats recordings for benchmarks: over more memory than a cache holds, and for longer than a clock's grain.

use super::recording::{Command, Recording};

/// The largest number of dispatches of a repeated recording.
const MAX_DISPATCHES: usize = 4000;
/// The largest number of copies of a recording.
const MAX_COPIES: u64 = 512;

/// How recordings are repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spread {
    /// Each recording is copied until the buffers of all copies have at least this size together, in bytes.
    pub bytes: u64,
    /// How often all copies run one after the other.
    pub rounds: usize,
}

impl Spread {
    /// Returns the number of copies of this recording and of rounds over them, each at least 1.
    pub fn counts(self, recording: &Recording<'_>) -> (usize, usize) {
        let size: u64 = recording.sizes().iter().sum();
        let dispatches = recording.commands().iter().filter(|command| matches!(command, Command::Dispatch(_))).count();
        let affordable = MAX_DISPATCHES / dispatches.max(1);
        let copies = self.bytes.div_ceil(size.max(1)).clamp(1, MAX_COPIES) as usize;
        let copies = copies.min(affordable.max(1));
        (copies, self.rounds.min(affordable / copies).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::shaders::peak;

    fn recording(bytes: usize, dispatches: usize) -> Recording<'static> {
        let mut recording = Recording::new();
        let input = recording.buffer(bytes as u64);
        let output = recording.buffer(4);
        recording.upload(input, vec![0; bytes]);
        for _ in 0..dispatches {
            let params: peak::Params = bytemuck::Zeroable::zeroed();
            recording.dispatch(peak::Finish { group_peaks: input, peaks: output }.dispatch(&params, [1, 1, 1], 1));
        }
        recording.upload(input, vec![0; 4]);
        recording.readback(output);
        recording
    }

    #[test]
    fn copies_span_the_bytes_and_dispatches_stay_few() {
        let of = |bytes, rounds, recording: &Recording<'_>| Spread { bytes, rounds }.counts(recording);
        assert_eq!(of(0, 1, &recording(1020, 1)), (1, 1));
        assert_eq!(of(10_240, 3, &recording(1020, 1)), (10, 3));
        assert_eq!(of(10_241, 3, &recording(1020, 1)), (11, 3));
        assert_eq!(of(10_240, 30, &recording(1020, 20)), (10, 20));
        assert_eq!(of(10_240, 30, &recording(1020, 5000)), (1, 1));
        assert_eq!(of(u64::MAX, 1, &Recording::new()), (512, 1));
    }

    #[test]
    fn a_repeated_recording_uploads_first_and_reads_back_once() {
        let one = recording(1020, 2);
        let all = one.repeated(3, 2);
        assert_eq!(all.sizes().len(), 6);
        let kinds: String = all
            .commands()
            .iter()
            .map(|command| match command {
                Command::Upload { .. } => 'u',
                Command::Dispatch(_) => 'd',
                Command::Copy { .. } => 'c',
                Command::Readback { .. } => 'r',
            })
            .collect();
        // The second upload of a copy is to a buffer that its dispatches have used: it stays behind them.
        assert_eq!(kinds, "uuu".to_owned() + "ddur" + "ddu" + "ddu" + &"ddu".repeat(3));
        assert_eq!(one.repeated(1, 1).commands().len(), one.commands().len());
        assert!(Recording::new().repeated(4, 4).commands().is_empty());
    }
}
