//! Convolution with impulse responses.

use std::path::Path;

use audio::AudioBuffer;
use effects::{Stage, Value};

use super::support::{exact, format, make, noise, residual_db, run, taps, write_wav};
use super::table;

fn with(path: &Path, more: &[(&'static str, Value)]) -> Vec<(&'static str, Value)> {
    let mut arguments = vec![("file", path.to_str().unwrap().into())];
    arguments.extend_from_slice(more);
    arguments
}

fn room(seed: u64, count: usize) -> Vec<f32> {
    let fall = -6.9 / count as f32;
    noise(seed, count).iter().enumerate().map(|(n, x)| x * (fall * n as f32).exp()).collect()
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|value| f64::from(*value)).collect()
}

#[test]
fn short_and_long_rooms_are_the_sum() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("room.wav");
    let mut worst = f64::NEG_INFINITY;
    for length in [1, 50, 3000, 100_001, 500_000] {
        let response = room(1, length);
        write_wav(&path, 48_000, std::slice::from_ref(&response));
        let effect = make("convolve", &with(&path, &[]));
        let input = AudioBuffer::from_channels(vec![noise(2, 60_000), noise(3, 60_000)]);
        let output = run(effect.as_ref(), 48_000, &input, &[10_000]);
        for channel in 0..2 {
            let db = residual_db(output.channel(channel), &wide(&response), 0, input.channel(channel));
            worst = worst.max(db);
            assert!(db < -120.0, "{length}: {db} dB");
        }
        assert_eq!(effect.tail_frames(format(48_000, 2)), length as u64 - 1);
        if length <= 100_001 {
            assert_eq!(run(effect.as_ref(), 48_000, &input, &[1, 4097, 30_001]), output, "{length}");
        }
    }
    table::measured("convolve", "the sum in f64", 5, worst, "dB");
}

#[test]
fn channels_are_matched_by_their_rule() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("room.wav");
    let rooms: Vec<Vec<f32>> = (0..4).map(|seed| room(10 + seed, 400)).collect();
    let input = |channels: u64| AudioBuffer::from_channels((0..channels).map(|c| noise(20 + c, 2000)).collect());
    let sum = |room: usize, signal: &[f32], n: usize| exact(&wide(&rooms[room]), 0, signal, n);
    let heard = |responses: usize, channels: u64| {
        write_wav(&path, 48_000, &rooms[..responses]);
        run(make("convolve", &with(&path, &[])).as_ref(), 48_000, &input(channels), &[500])
    };
    let check = |output: &AudioBuffer, channel: usize, wanted: &dyn Fn(usize) -> f64| {
        for n in (0..2000).step_by(113) {
            assert!((f64::from(output.channel(channel)[n]) - wanted(n)).abs() < 1e-5, "channel {channel} at {n}");
        }
    };
    let stereo = input(2);
    // One response for all channels; one per channel; a full matrix; cyclic; the mean.
    let output = heard(1, 2);
    (0..2).for_each(|c| check(&output, c, &|n| sum(0, stereo.channel(c), n)));
    let output = heard(2, 2);
    (0..2).for_each(|c| check(&output, c, &|n| sum(c, stereo.channel(c), n)));
    let output = heard(4, 2);
    (0..2).for_each(|c| check(&output, c, &|n| sum(c, stereo.channel(0), n) + sum(2 + c, stereo.channel(1), n)));
    let (output, six) = (heard(4, 6), input(6));
    (0..6).for_each(|c| check(&output, c, &|n| sum(c % 4, six.channel(c), n)));
    let (output, one) = (heard(2, 1), input(1));
    check(&output, 0, &|n| 0.5 * (sum(0, one.channel(0), n) + sum(1, one.channel(0), n)));
}

#[test]
fn a_response_of_another_rate_is_converted_with_its_gain() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("room.wav");
    // A bell-shaped pulse of a few hundred hertz has the same shape at any sample rate.
    let bell = |hz: f64| -> Vec<f64> {
        (0..(0.1 * hz) as usize)
            .map(|n| {
                let t = (n as f64 / hz - 0.05) / 0.004;
                (-0.5 * t * t).exp() * (2.0 * std::f64::consts::PI * 300.0 * n as f64 / hz).cos()
            })
            .collect()
    };
    write_wav(&path, 44_100, &[bell(44_100.0).iter().map(|x| *x as f32).collect()]);
    for hz in [44_100, 48_000, 96_000, 22_050] {
        let (values, lag) = taps(make("convolve", &with(&path, &[])).as_ref(), hz);
        let share = 44_100.0 / f64::from(hz);
        let wanted = bell(f64::from(hz));
        assert!(lag == 0 && values.len().abs_diff(wanted.len()) <= 1);
        for (value, wanted) in values.iter().zip(&wanted) {
            assert!((value - share * wanted).abs() < 3e-6 * share, "{hz} Hz");
        }
    }
}

#[test]
fn every_parameter_does_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("room.wav");
    let values = [0.0, 0.0001, 0.001, 0.5, -2.0, 1.0, 0.001, 0.0, 0.0];
    write_wav(&path, 48_000, &[values.to_vec(), vec![0.0; 9]]);
    let stereo = |more: &[(&'static str, Value)]| {
        let effect = make("convolve", &with(&path, more));
        let mut pulse = vec![0.0; 700];
        pulse[0] = 1.0;
        let output = run(effect.as_ref(), 48_000, &AudioBuffer::from_channels(vec![pulse; 2]), &[700]);
        assert!(output.channel(1).iter().all(|sample| *sample == 0.0));
        (output.channel(0).to_vec(), effect.tail_frames(format(48_000, 2)))
    };
    assert_eq!((&stereo(&[]).0[..9], stereo(&[]).1), (&values[..], 8));
    let (heard, tail) = stereo(&[("trim", "start".into())]);
    assert_eq!((&heard[..6], tail), (&values[3..], 5));
    let (heard, tail) = stereo(&[("trim", "end".into())]);
    assert_eq!((&heard[..6], tail), (&values[..6], 5));
    let (heard, tail) = stereo(&[("trim", "both".into()), ("threshold", (-80.0).into())]);
    assert_eq!((&heard[..5], tail), (&values[2..7], 4));
    let (heard, _) = stereo(&[("normalize", "peak".into())]);
    assert_eq!(heard[4], -1.0);
    let (heard, _) = stereo(&[("normalize", "energy".into())]);
    assert!((heard.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-6);
    let (heard, tail) = stereo(&[("predelay", 0.01.into())]);
    assert_eq!(tail, 488);
    assert!(heard.iter().zip([0.0; 480].iter().chain(&values)).all(|(heard, wanted)| (heard - wanted).abs() < 1e-6));
}

#[test]
fn without_a_file_nothing_changes_and_a_wrong_one_is_said() {
    let effect = make("convolve", &[("file", "".into())]);
    let Stage::Gain(gains) = effect.stage(format(48_000, 2), None).unwrap() else { panic!("a process") };
    assert_eq!((gains, effect.files().len(), effect.latency_frames(format(48_000, 2))), (vec![1.0; 2], 0, 0));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("room.wav");
    let message = || make("convolve", &with(&path, &[])).stage(format(48_000, 2), None).unwrap_err().to_string();
    assert!(message().contains("The file does not exist") && message().contains("room.wav"), "{}", message());
    write_wav(&path, 48_000, &[vec![0.0; 10]]);
    assert!(message().contains("silent"), "{}", message());
    write_wav(&path, 48_000, &[vec![1.0, f32::NAN]]);
    assert!(message().contains("not numbers"), "{}", message());
    write_wav(&path, 100, &[vec![1.0; 6100]]);
    assert!(message().contains("limited to 60 s. It is 61.0 s"), "{}", message());
    std::fs::write(&path, "no audio").unwrap();
    assert!(message().contains("room.wav"), "{}", message());
}

#[test]
fn a_state_is_taken_up_in_the_midst_of_a_long_room() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("room.wav");
    write_wav(&path, 48_000, &[room(30, 90_000)]);
    let effect = make("convolve", &with(&path, &[]));
    let stage = || match effect.stage(format(48_000, 1), None).unwrap() {
        Stage::Process(process) => process,
        other => panic!("{other:?}"),
    };
    let signal = noise(31, 150_000);
    let mut one = stage();
    let mut first = AudioBuffer::from_channels(vec![signal[..70_007].to_vec()]);
    one.process(&mut first).unwrap();
    let mut two = stage();
    two.restore(&one.state()).unwrap();
    assert!(two.seek(70_007));
    let [mut here, mut there] = [(); 2].map(|()| AudioBuffer::from_channels(vec![signal[70_007..].to_vec()]));
    one.process(&mut here).unwrap();
    two.process(&mut there).unwrap();
    assert_eq!(here, there);
}
