//! Runs the operations of a plan on the CPU.

use std::ops::Range;

use super::super::plan::{MixInput, Op, Plan};
use super::carried::OpState;
use audio::AudioBuffer;
use base::error::{Error, Result};
use dsp::kernels::signal::{iir_cascade, mix};

/// Runs the operations of a plan on the registers, those that are scheduled at the frame `at` of the chain's input, with
/// which the block begins. Register 0 holds the input.
pub(super) fn run(plan: &mut Plan, carried: &mut [OpState], registers: &mut [AudioBuffer], at: u64) -> Result<()> {
    let scheduled = |index: usize| plan.schedule.runs(index, at);
    let mut ops = plan.ops.iter_mut().zip(carried).enumerate().filter(|(index, _)| scheduled(*index));
    ops.try_for_each(|(_, (op, carried))| run_one(op, carried, registers, at))
}

/// Runs one operation.
pub(super) fn run_one(op: &mut Op, carried: &mut OpState, registers: &mut [AudioBuffer], at: u64) -> Result<()> {
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
        (Op::Crossfade { dry, wet, rise, fall }, _) => crossfade(
            registers,
            *dry,
            *wet,
            |frame| {
                if rise.contains(&frame) {
                    share(rise, frame)
                } else if fall.contains(&frame) {
                    1.0 - share(fall, frame)
                } else {
                    f32::from(u8::from((rise.end..fall.start).contains(&frame)))
                }
            },
            at,
        ),
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
        let mut gain = first.gain[channel] as f32;
        for other in others {
            mix::mix(registers[other.register].channel(channel), other.gain[channel] as f32, samples, gain);
            gain = 1.0;
        }
    }
    registers[first.register] = sum;
}

/// Returns how far a fade has come at a frame, in the middle of it.
fn share(fade: &Range<u64>, frame: u64) -> f32 {
    (((frame - fade.start) as f64 + 0.5) / (fade.end - fade.start) as f64) as f32
}

/// Mixes `wet` into `dry`, with its share at each frame; the first frame is `at`.
fn crossfade(registers: &mut [AudioBuffer], dry: usize, wet: usize, share: impl Fn(u64) -> f32, at: u64) {
    let mut mixed = std::mem::take(&mut registers[dry]);
    for (to, from) in mixed.iter_mut().zip(registers[wet].iter()) {
        for ((to, from), frame) in to.iter_mut().zip(from).zip(at..) {
            let share = share(frame);
            *to = *to * (1.0 - share) + from * share;
        }
    }
    registers[dry] = mixed;
}
