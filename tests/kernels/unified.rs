//! Adapters whose memory the host shares: the same bits without staging copies.

use crate::support::gpu::{bits, engine, noise_buffer};
use dsp::device::trials::{CHANNELS, TABLE};
use dsp::kernels::signal::resident::Chunk;

#[test]
fn every_kernel_gives_the_same_bits_without_staging_copies() {
    let Some(mut engine) = engine() else { return };
    let mut without_copies = 0;
    for (kernel, trial) in TABLE {
        let trial = trial(20_011, CHANNELS).unwrap();
        let mut run = |shared| {
            assert_eq!(engine.share_memory(shared), shared, "a software adapter can");
            trial.on_gpu(&mut engine).unwrap()
        };
        let (staged, shared) = (run(false), run(true));
        // Twice, so that buffers come from the pool.
        let again = run(true);
        assert!(staged.finished.staged_bytes > 0, "{}", kernel.name);
        assert!(bits(&shared.values) == bits(&staged.values), "{}: other values", kernel.name);
        assert!(bits(&again.values) == bits(&staged.values), "{}: other values in used buffers", kernel.name);
        // An upload to memory that another buffer of the recording has used before is copied.
        assert!(3 * shared.finished.staged_bytes < staged.finished.staged_bytes, "{}: many copies", kernel.name);
        println!("{}: {} and {} bytes", kernel.name, staged.finished.staged_bytes, shared.finished.staged_bytes);
        without_copies += usize::from(shared.finished.staged_bytes == 0);
    }
    assert!(without_copies + 3 >= TABLE.len(), "{without_copies} of {} kernels copy nothing", TABLE.len());
}

#[test]
fn what_a_chain_leaves_in_memory_is_not_seen_by_the_next() {
    let Some(mut engine) = engine() else { return };
    assert!(engine.share_memory(true));
    // Sizes of one class, so that the longer input is still in the buffer of the shorter.
    for (frames, scale) in [(70_000, 1.0), (69_990, 0.5), (70_001, 0.25), (100, 0.125)] {
        let mut input = noise_buffer(2, frames);
        input.iter_mut().for_each(|channel| channel.iter_mut().for_each(|sample| *sample *= scale));
        let mut chunk = Chunk::new();
        let mut signal = chunk.upload(&input).unwrap();
        let first = chunk.readback(signal);
        signal = chunk.gain(signal, &vec![0.5; input.channels()]).unwrap();
        signal = chunk.gain(signal, &vec![2.0; input.channels()]).unwrap();
        let last = chunk.readback(signal);
        let mut done = chunk.run(&mut engine, None).unwrap();
        assert_eq!(done.audio(first), input);
        assert_eq!(done.audio(last), input);
    }
}
