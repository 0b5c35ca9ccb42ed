//! Cuts a plan where something must run on the host.

use std::ops::Range;

use super::super::plan::Op;

/// Operations that run in one go.
#[derive(Debug)]
pub(super) enum Step {
    /// On the device: these operations, what they read that stands on the host, what of theirs is read later.
    Device { ops: Range<usize>, inputs: Vec<usize>, outputs: Vec<usize> },
    /// One on the host.
    Host(usize),
}

/// The registers that an operation reads, and the one that it writes.
pub(super) fn uses(op: &Op) -> (Vec<usize>, usize) {
    match op {
        Op::Cascade { register, .. }
        | Op::Gain { register, .. }
        | Op::Process { register, .. }
        | Op::Delay { register, .. } => (vec![*register], *register),
        Op::Copy { from, to } => (vec![*from], *to),
        Op::Mix { inputs } => (inputs.iter().map(|input| input.register).collect(), inputs[0].register),
    }
}

/// Cuts a plan where something must run on the host.
pub(super) fn steps(ops: &[Op], output_register: usize) -> Vec<Step> {
    let on_host = |index: usize| ops[index].host_only().is_some();
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
        for op in &ops[index..end] {
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
        let outputs = written.into_iter().filter(|register| is_read(&ops[end..], *register, output_register)).collect();
        steps.push(Step::Device { ops: index..end, inputs, outputs });
        index = end;
    }
    steps
}

/// Whether what stands in a register is read before it is overwritten.
fn is_read(ops: &[Op], register: usize, output_register: usize) -> bool {
    for op in ops {
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
