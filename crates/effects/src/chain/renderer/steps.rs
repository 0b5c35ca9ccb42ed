//! Splits a plan into device steps and host steps.

use std::ops::Range;

use super::super::plan::Op;

/// Operations that run together.
#[derive(Debug)]
pub(super) enum Step {
    /// Operations on the device, the registers to upload for them, and the registers read later.
    Device { ops: Range<usize>, inputs: Vec<usize>, outputs: Vec<usize> },
    /// One operation on the host.
    Host(usize),
}

/// Returns the registers that an operation reads, and the one that it writes.
pub(super) fn uses(op: &Op) -> (Vec<usize>, usize) {
    match op {
        Op::Cascade { register, .. }
        | Op::Gain { register, .. }
        | Op::Process { register, .. }
        | Op::Delay { register, .. } => (vec![*register], *register),
        Op::Copy { from, to } => (vec![*from], *to),
        Op::Mix { inputs } => (inputs.iter().map(|input| input.register).collect(), inputs[0].register),
        Op::Crossfade { dry, wet, .. } => (vec![*dry, *wet], *dry),
    }
}

/// Splits a plan into device steps and host steps. Operations for which `runs` is false are left out; they may lie
/// within a device step.
pub(super) fn steps(ops: &[Op], runs: &dyn Fn(usize) -> bool, output_register: usize) -> Vec<Step> {
    let on_host = |index: usize| runs(index) && ops[index].host_only().is_some();
    let mut steps = Vec::new();
    let mut index = 0;
    while index < ops.len() {
        if on_host(index) {
            steps.push(Step::Host(index));
            index += 1;
            continue;
        }
        let end = (index..ops.len()).find(|at| on_host(*at)).unwrap_or(ops.len());
        let (mut inputs, mut written) = (Vec::new(), Vec::new());
        for op in (index..end).filter(|op| runs(*op)).map(|op| &ops[op]) {
            let (reads, writes) = uses(op);
            for read in reads {
                if !written.contains(&read) && !inputs.contains(&read) {
                    inputs.push(read);
                }
            }
            if !written.contains(&writes) {
                written.push(writes);
            }
        }
        if written.is_empty() {
            index = end;
            continue;
        }
        let is_read = |register: &usize| is_read(ops, end, runs, *register, output_register);
        let outputs = written.into_iter().filter(is_read).collect();
        steps.push(Step::Device { ops: index..end, inputs, outputs });
        index = end;
    }
    steps
}

/// Returns whether the contents of a register are read by an operation from `from` on before they are overwritten.
fn is_read(ops: &[Op], from: usize, runs: &dyn Fn(usize) -> bool, register: usize, output_register: usize) -> bool {
    for op in (from..ops.len()).filter(|op| runs(*op)).map(|op| &ops[op]) {
        let (reads, writes) = uses(op);
        if reads.contains(&register) {
            return true;
        }
        if writes == register {
            return false;
        }
    }
    register == output_register
}
