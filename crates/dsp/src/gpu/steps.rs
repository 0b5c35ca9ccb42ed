//! The steps of a recording: its commands, with long dispatches cut, and small ones put into one pass.

use super::pace::Paces;
use super::recording::{Command, Dispatch, ReadbackId, Recording, View};
use super::shaders::Entry;

/// The target duration of one dispatch, in seconds. Long dispatches block the desktop and, on slow adapters, trigger
/// the driver's watchdog.
const DISPATCH_SECONDS: f64 = 0.004;
/// The maximum number of consecutive dispatches of one entry point in a pass. A pass costs more than a small dispatch,
/// because its timestamps wait for everything before and in it.
const DISPATCHES_OF_PASS: usize = 64;
const MAX_GROUPS: u32 = 65_535;

/// A dispatch or a part of one, with the offset of its parameters in the uniform buffer.
pub(super) struct Slice<'r> {
    pub dispatch: &'r Dispatch,
    pub groups_x: u32,
    pub params_offset: u32,
    pub work: f64,
}

impl Slice<'_> {
    pub fn entry(&self) -> &'static Entry {
        self.dispatch.entry
    }
}

/// One step of a recording.
pub(super) enum Step<'r> {
    Upload(View, &'r [u8]),
    Slice(Slice<'r>),
    Copy(View, View),
    Readback(View, ReadbackId),
}

impl Step<'_> {
    /// Returns the buffers that it uses, by number.
    pub fn buffers(&self) -> Vec<usize> {
        let number = |view: &View| view.buffer.0 as usize;
        match self {
            Self::Upload(to, _) => vec![number(to)],
            Self::Slice(slice) => slice.dispatch.views.iter().map(number).collect(),
            Self::Copy(from, to) => vec![number(from), number(to)],
            Self::Readback(from, _) => vec![number(from)],
        }
    }
}

/// Returns the steps, with every dispatch cut to its target duration, and the contents of the uniform buffer.
pub(super) fn cut<'r>(recording: &'r Recording<'_>, paces: &Paces, alignment: u32) -> (Vec<Step<'r>>, Vec<u8>) {
    let mut steps = Vec::new();
    let mut params = Vec::new();
    for command in recording.commands() {
        match command {
            Command::Upload { to, data } => steps.push(Step::Upload(*to, data)),
            Command::Copy { from, to } => steps.push(Step::Copy(*from, *to)),
            Command::Readback { from, ticket } => steps.push(Step::Readback(*from, *ticket)),
            Command::Dispatch(dispatch) => {
                let [total, y, z] = dispatch.groups;
                let work_per_group = dispatch.work as f64 / f64::from(total);
                let most = match dispatch.entry.first_group {
                    Some(_) => {
                        let affordable = DISPATCH_SECONDS / (paces.of(dispatch.entry) * work_per_group).max(1e-12);
                        (affordable as u32).clamp(1, MAX_GROUPS)
                    }
                    None => total,
                };
                debug_assert!(y <= MAX_GROUPS && z <= MAX_GROUPS, "grid {:?}", dispatch.groups);
                let mut first = 0;
                while first < total {
                    let groups_x = most.min(total - first);
                    let offset = params.len();
                    params.extend_from_slice(&dispatch.params);
                    if let Some(at) = dispatch.entry.first_group {
                        let at = offset + at as usize;
                        params[at..at + 4].copy_from_slice(&first.to_ne_bytes());
                    }
                    params.resize(params.len().next_multiple_of(alignment as usize), 0);
                    let work = work_per_group * f64::from(groups_x);
                    steps.push(Step::Slice(Slice { dispatch, groups_x, params_offset: offset as u32, work }));
                    first += groups_x;
                }
            }
        }
    }
    (steps, params)
}

/// Returns the leading slices of `steps` that go into one pass: they have the same entry point, and all but the first
/// take at most `room` seconds together.
pub(super) fn same_pass<'a, 'r>(steps: &'a [Step<'r>], room: f64, pace: f64) -> Vec<&'a Slice<'r>> {
    let mut alike: Vec<&Slice<'r>> = Vec::new();
    let mut seconds = 0.0;
    for step in steps.iter().take(DISPATCHES_OF_PASS) {
        let Step::Slice(slice) = step else { break };
        let fits = alike.first().is_none_or(|first| {
            seconds += slice.work * pace;
            std::ptr::eq(first.entry(), slice.entry()) && seconds <= room
        });
        if !fits {
            break;
        }
        alike.push(slice);
    }
    alike
}
