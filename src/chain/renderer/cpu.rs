//! Runs the operations of a plan on the CPU.

use super::super::plan::{MixInput, Op};
use super::carried::OpState;
use crate::audio::AudioBuffer;
use crate::error::{Error, Result};
use crate::kernels::{iir_cascade, mix};

/// Runs all operations on the registers. Register 0 holds the input.
pub(super) fn run(ops: &mut [Op], carried: &mut [OpState], registers: &mut [AudioBuffer]) -> Result<()> {
    ops.iter_mut().zip(carried).try_for_each(|(op, carried)| run_one(op, carried, registers))
}

/// Runs one operation.
pub(super) fn run_one(op: &mut Op, carried: &mut OpState, registers: &mut [AudioBuffer]) -> Result<()> {
    match (op, carried) {
        (Op::Cascade { register, .. }, OpState::Cascade { cascade, state, gain }) => {
            let block = &mut registers[*register];
            iir_cascade::cpu::run(cascade, state, block)?;
            if let Some(gain) = gain {
                scale(block, gain);
            }
        }
        (Op::Gain { register, gain }, _) => scale(&mut registers[*register], gain),
        (Op::Process { register, process, .. }, _) => process.process(&mut registers[*register])?,
        (Op::Copy { from, to }, _) => copy(registers, *from, *to),
        (Op::Delay { register, .. }, OpState::Delay(line)) => line.run(&mut registers[*register]),
        (Op::Mix { inputs }, _) => sum(registers, inputs),
        (Op::Cascade { .. } | Op::Delay { .. }, _) => {
            return Err(Error::Internal("an operation was planned without its state".into()));
        }
    }
    Ok(())
}

fn scale(block: &mut AudioBuffer, gain: &[f64]) {
    for (samples, gain) in block.iter_mut().zip(gain) {
        mix::gain(samples, *gain as f32);
    }
}

fn copy(registers: &mut [AudioBuffer], from: usize, to: usize) {
    let mut target = std::mem::take(&mut registers[to]);
    let source = &registers[from];
    target.clear();
    target.resize(source.channels(), 0);
    target.extend_from(source, 0..source.frames());
    registers[to] = target;
}

fn sum(registers: &mut [AudioBuffer], inputs: &[MixInput]) {
    let Some((first, others)) = inputs.split_first() else { return };
    let mut sum = std::mem::take(&mut registers[first.register]);
    for (channel, samples) in sum.iter_mut().enumerate() {
        let mut own = first.gain[channel] as f32;
        for other in others {
            mix::mix(registers[other.register].channel(channel), other.gain[channel] as f32, samples, own);
            own = 1.0;
        }
    }
    registers[first.register] = sum;
}
