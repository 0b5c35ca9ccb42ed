//! Whole recordings through the models.

use std::sync::Arc;
use std::time::{Duration, Instant};

use audio::{AudioBuffer, AudioReader, MemoryReader};
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::SampleRate;
use dsp::device::Placement;
use dsp::device::{DeviceReport, DeviceRequest, Devices, RunPurpose};
use neural::stems::demucs::{Demucs, Options};
use neural::stems::{Separated, StemKind};

use super::{HYBRID, Reference, residual_db, thin, unpacked};

const LIMIT_DB: f64 = -100.0;

fn model(name: &str) -> Demucs {
    let folder = tempfile::tempdir().unwrap();
    Demucs::open(&unpacked(name, folder.path())).unwrap()
}

fn reader(hz: u32, channels: Vec<Vec<f32>>) -> MemoryReader {
    MemoryReader::new(SampleRate::new(hz).unwrap(), AudioBuffer::from_channels(channels))
}

fn placement(request: DeviceRequest) -> Placement {
    Placement::new(request, Arc::new(Devices::default()), RunPurpose::Export)
}

/// The channels of the input and of each wanted stem, one after the other.
struct Split {
    input: Vec<Vec<f32>>,
    stems: Vec<Vec<f32>>,
    separated: Separated,
    device: DeviceReport,
}

fn split_on(
    model: &Demucs,
    source: &mut dyn AudioReader,
    wanted: &[StemKind],
    options: &Options,
    request: DeviceRequest,
) -> Result<Split> {
    let channels = source.format().channels;
    let mut input = vec![Vec::new(); channels];
    let mut stems = vec![Vec::new(); channels * wanted.len()];
    let mut sink = |block: &neural::stems::StemBlock| {
        for (to, from) in input.iter_mut().zip(block.input.iter()) {
            to.extend_from_slice(from);
        }
        for (to, from) in stems.iter_mut().zip(block.stems.iter().flat_map(AudioBuffer::iter)) {
            to.extend_from_slice(from);
        }
        Ok(())
    };
    let (separated, device) =
        model.separate(source, wanted, options, &placement(request), &mut sink, &Progress::new())?;
    Ok(Split { input, stems, separated, device })
}

fn split(model: &Demucs, hz: u32, channels: &[Vec<f32>], options: &Options) -> Split {
    let stems = model.stems().to_vec();
    split_on(model, &mut reader(hz, channels.to_vec()), &stems, options, DeviceRequest::Cpu).unwrap()
}

/// Compares every so many samples of the stems with what Demucs gave: name, recording, options.
fn compare(model: &Demucs, reference: &Reference, runs: &[(&str, Vec<Vec<f32>>, Options)], step: usize) {
    for (name, mix, options) in runs {
        let made = split(model, 8000, mix, options);
        assert_eq!(made.input, *mix, "{name}");
        let db = residual_db(&thin(&made.stems, step), reference.get(&format!("apply.{name}|{step}")));
        println!("{name}: {db:.1} dB");
        assert!(db < LIMIT_DB, "{name}: {db:.1} dB");
    }
}

#[test]
fn whole_recordings_give_what_demucs_gives() {
    let (model, reference) = (model("four.safetensors"), Reference::of("four"));
    let mix = reference.mix();
    let part =
        |from: usize, to: usize| -> Vec<Vec<f32>> { mix.iter().map(|channel| channel[from..to].to_vec()).collect() };
    let plain = Options::default();
    let runs = [
        ("plain", mix.clone(), plain.clone()),
        ("shifts", mix.clone(), Options { offsets: vec![1234, 3001], ..plain.clone() }),
        ("overlap", mix.clone(), Options { overlap: 0.6, transition_power: 2.0, offsets: vec![4000] }),
        ("short", part(2000, 3001), plain.clone()),
        ("whole", part(0, 6000), Options { overlap: 0.0, ..plain.clone() }),
    ];
    compare(&model, &reference, &runs, 23);
    // The negative control: other shifts are other results.
    let made = split(&model, 8000, &mix, &Options { offsets: vec![1235, 3001], ..plain });
    assert!(residual_db(&thin(&made.stems, 23), reference.get("apply.shifts|23")) > -80.0);
}

/// Segments of a model without a transformer are as long as the recording has frames for them.
#[test]
fn a_hybrid_model_gives_what_demucs_gives() {
    let (model, reference) = (model(HYBRID), Reference::of(HYBRID));
    let mix = reference.mix();
    let part =
        |from: usize, to: usize| -> Vec<Vec<f32>> { mix.iter().map(|channel| channel[from..to].to_vec()).collect() };
    let plain = Options::default();
    let runs = [
        ("plain", mix.clone(), plain.clone()),
        ("shifts", mix.clone(), Options { offsets: vec![1234, 3001], ..plain.clone() }),
        ("short", part(2000, 3001), plain.clone()),
        ("tiny", part(3000, 3015), plain.clone()),
    ];
    compare(&model, &reference, &runs, 7);
    for frames in [0, 1, 2, 5] {
        let made = split(&model, 8000, &part(100, 100 + frames), &plain);
        assert!(made.stems.iter().all(|channel| channel.len() == frames && channel.iter().all(|x| x.is_finite())));
    }
    let wanted = model.stems().to_vec();
    let gpu = split_on(&model, &mut reader(8000, mix.clone()), &wanted, &plain, DeviceRequest::Gpu).unwrap();
    let db = residual_db(&thin(&gpu.stems, 7), reference.get("apply.plain|7"));
    println!("on {:?}: {db:.1} dB", gpu.device.used);
    assert!(db < LIMIT_DB, "{db:.1} dB");
}

/// The bag of `hdemucs_mmi` is a single model, whose segments it states.
#[test]
fn a_bag_says_the_segments_of_its_models() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::rename(unpacked(HYBRID, folder.path()), at("75fc33f5-1941ce65.safetensors")).unwrap();
    std::fs::write(at("hdemucs_mmi.yaml"), "models: ['75fc33f5']\nsegment: 0.5 # seconds\n").unwrap();
    let (bag, mix) = (Demucs::open(folder.path()).unwrap(), Reference::of(HYBRID).mix());
    let alone = at("75fc33f5-1941ce65.safetensors");
    let [own, half] = [None, Some(0.5)].map(|segment| Demucs::open_with(&alone, segment).unwrap());
    let made = [&bag, &half, &own].map(|model| split(model, 8000, &mix, &Options::default()).stems);
    assert!(made[0] == made[1] && made[1] != made[2]);
    assert!(bag.identity() == half.identity() && half.identity() != own.identity());
    // A transformer has positions for its segment length only; a bag that states a longer one is ignored, as in Demucs.
    let path = unpacked("four.safetensors", folder.path());
    assert!(Demucs::open_with(&path, Some(0.5)).is_ok());
    let message = Demucs::open_with(&path, Some(1.0)).unwrap_err().to_string();
    assert!(message.contains("at most 0.8"), "{message}");
    std::fs::write(at("longer.yaml"), "models: ['four']\nsegment: 39\n").unwrap();
    let (longer, alone) = (Demucs::open(&at("longer.yaml")).unwrap(), Demucs::open(&path).unwrap());
    let made = [&longer, &alone].map(|model| split(model, 8000, &mix, &Options::default()).stems);
    assert!(made[0] == made[1]);
}

#[test]
fn a_gpu_gives_the_same_stems_and_says_that_it_ran() {
    let (model, mix) = (model("six.th"), Reference::of("six").mix());
    let wanted = [StemKind::Piano, StemKind::Drums];
    let run =
        |request| split_on(&model, &mut reader(8000, mix.clone()), &wanted, &Options::default(), request).unwrap();
    let (cpu, gpu) = (run(DeviceRequest::Cpu), run(DeviceRequest::Gpu));
    if gpu.device.used == cpu.device.used {
        assert!(std::env::var_os("UNDERTONE_REQUIRE_GPU").is_none(), "{}", gpu.device.reason);
        return;
    }
    let db = residual_db(&gpu.stems.concat(), &cpu.stems.concat());
    println!("GPU against CPU: {db:.1} dB");
    assert!(db < LIMIT_DB, "{db:.1} dB");
}

#[test]
fn wanted_stems_are_those_of_the_whole_and_threads_change_no_bit() {
    let (model, mix) = (model("six.th"), Reference::of("six").mix());
    assert_eq!(model.stems().len(), 6);
    let all = split(&model, 8000, &mix, &Options::default());
    let wanted = [StemKind::Guitar, StemKind::Vocals];
    let few =
        split_on(&model, &mut reader(8000, mix.clone()), &wanted, &Options::default(), DeviceRequest::Cpu).unwrap();
    let place = |stem| model.stems().iter().position(|own| *own == stem).unwrap();
    for (n, stem) in wanted.into_iter().enumerate() {
        assert_eq!(few.stems[2 * n..2 * n + 2], all.stems[2 * place(stem)..2 * place(stem) + 2], "{stem:?}");
    }
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let made = pool.install(|| split(&model, 8000, &mix, &Options::default()));
        assert_eq!(made.stems, all.stems, "{threads} threads");
    }
    let missing = [StemKind::Voice];
    let message = split_on(&model, &mut reader(8000, mix), &missing, &Options::default(), DeviceRequest::Cpu)
        .err()
        .unwrap()
        .to_string();
    assert!(message.contains("voice") && message.contains("guitar"), "{message}");
}

#[test]
fn silence_mono_other_rates_and_lengths() {
    let (model, mix) = (model("four.safetensors"), Reference::of("four").mix());
    let plain = Options::default();
    let silent = split(&model, 8000, &[vec![0.0; 7000], vec![0.0; 7000]], &plain);
    assert!(silent.stems.iter().flatten().all(|&x| x == 0.0) && silent.stems[0].len() == 7000);
    for frames in [0, 1, 2, 700] {
        let short: Vec<Vec<f32>> = mix.iter().map(|channel| channel[..frames].to_vec()).collect();
        let made = split(&model, 8000, &short, &plain);
        assert!(made.stems.iter().all(|channel| channel.len() == frames), "{frames}");
        assert!(made.stems.iter().flatten().all(|x| x.is_finite()));
        assert_eq!(made.separated.frames, frames as u64);
    }
    // Mono is what both channels of stereo give, at their mean.
    let mono = split(&model, 8000, &mix[..1], &plain);
    let both = split(&model, 8000, &[mix[0].clone(), mix[0].clone()], &plain);
    for (n, mono) in mono.stems.iter().enumerate() {
        let mean: Vec<f32> =
            both.stems[2 * n].iter().zip(&both.stems[2 * n + 1]).map(|(a, b)| f32::midpoint(*a, *b)).collect();
        assert_eq!(*mono, mean);
    }
    // At twice the rate, the result equals that at the model's rate; with tones, as filters remove the highest
    // frequencies.
    let tone = |channel: usize, n: usize| {
        let fade = (std::f64::consts::PI * n as f64 / 13_000.0).sin().powi(2);
        let phase = n as f64 * 0.3 * (1.0 + channel as f64);
        (fade * (phase.sin() + 0.5 * (phase * 1.7).cos()) * 0.3) as f32
    };
    let tones: Vec<Vec<f32>> = (0..2).map(|channel| (0..13_000).map(|n| tone(channel, n)).collect()).collect();
    let at_own = split(&model, 8000, &tones, &plain);
    let double = |channels: &[Vec<f32>]| -> Vec<Vec<f32>> {
        use dsp::measure::resample::{ResamplePlan, Resampler};
        let rate = |hz| SampleRate::new(hz).unwrap();
        let plan = ResamplePlan::new(rate(8000), rate(16_000));
        let mut resampler = Resampler::new(&plan, channels.len());
        let mut out = AudioBuffer::new(channels.len(), 0);
        resampler.push(&AudioBuffer::from_channels(channels.to_vec()), &mut out).unwrap();
        resampler.finish(&mut out).unwrap();
        out.iter().map(<[f32]>::to_vec).collect()
    };
    let doubled = split(&model, 16_000, &double(&tones), &plain);
    let expected = double(&at_own.stems);
    assert_eq!(doubled.stems[0].len(), 26_000);
    let db = residual_db(&doubled.stems.concat(), &expected.concat());
    println!("at twice the rate: {db:.1} dB");
    assert!(db < -60.0, "{db:.1} dB");
    for hz in [44_100, 11_025, 7919] {
        let made = split(&model, hz, &mix, &plain);
        assert!(made.stems.iter().all(|channel| channel.len() == 13_000), "{hz}");
        assert_eq!(made.input, mix, "{hz}");
    }
    let three =
        split_on(&model, &mut reader(8000, vec![vec![0.1; 10]; 3]), &[StemKind::Bass], &plain, DeviceRequest::Cpu);
    assert!(three.err().unwrap().to_string().contains("3 channels"));
}

#[test]
fn broken_samples_are_silent_and_counted() {
    let (model, mut mix) = (model("four.safetensors"), Reference::of("four").mix());
    mix[0][5000] = 0.0;
    mix[1][7000] = 0.0;
    let clean = split(&model, 8000, &mix, &Options::default());
    mix[0][5000] = f32::NAN;
    mix[1][7000] = f32::INFINITY;
    let made = split(&model, 8000, &mix, &Options::default());
    assert_eq!((made.separated.non_numbers, made.stems), (2, clean.stems));
}

#[test]
fn a_cancel_ends_soon_and_progress_counts_frames() {
    let (model, mix) = (model("four.safetensors"), Reference::of("four").mix());
    let progress = Progress::new();
    let mut sink = |_: &neural::stems::StemBlock| Ok(());
    let run = |sink: &mut neural::stems::Sink<'_>, progress: &Progress, frames: usize| {
        let long: Vec<Vec<f32>> =
            mix.iter().map(|channel| channel.iter().copied().cycle().take(frames).collect()).collect();
        let (mut source, stems) = (reader(8000, long), model.stems().to_vec());
        model.separate(&mut source, &stems, &Options::default(), &placement(DeviceRequest::Cpu), sink, progress)
    };
    run(&mut sink, &progress, 13_000).unwrap();
    let shown = progress.snapshot();
    assert_eq!((shown.done, shown.total), (13_000, 13_000));
    let progress = Progress::new();
    let watch = progress.clone();
    let cancelled = std::thread::spawn(move || {
        while watch.snapshot().done == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        watch.cancel();
        Instant::now()
    });
    let result = run(&mut sink, &progress, 20_000_000);
    let waited = cancelled.join().unwrap().elapsed();
    assert!(matches!(result, Err(Error::Cancelled)), "{:?}", result.map(|_| ()));
    assert!(waited < Duration::from_secs(2), "{waited:?}");
}

#[test]
fn a_bag_gives_each_stem_of_the_model_that_counts() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let path = unpacked("four.safetensors", folder.path());
    std::fs::copy(&path, at("aaaa.safetensors")).unwrap();
    std::fs::rename(&path, at("bbbb.safetensors")).unwrap();
    // The second says another thing of every sample.
    let mut bytes = std::fs::read(at("bbbb.safetensors")).unwrap();
    let length = bytes.len();
    // A sign of f16 near the end: the last tensor in the file.
    bytes[length - 1] ^= 0x80;
    std::fs::write(at("bbbb.safetensors"), bytes).unwrap();
    let mix = Reference::of("four").mix();
    let [first, second] = ["aaaa", "bbbb"].map(|name| {
        split(&Demucs::open(&at(&format!("{name}.safetensors"))).unwrap(), 8000, &mix, &Options::default()).stems
    });
    assert_ne!(first, second);
    std::fs::write(
        at("bag.yaml"),
        "models: ['aaaa', 'bbbb']\nweights: [\n  [1., 0., 1., 3.],\n  [0., 1., 1., 1.],\n]\n",
    )
    .unwrap();
    for path in [at("bag.yaml"), folder.path().to_path_buf()] {
        let bag = Demucs::open(&path).unwrap();
        assert_eq!((bag.networks_for(&[StemKind::Drums]), bag.networks_for(&[StemKind::Other])), (1, 2));
        let made = split(&bag, 8000, &mix, &Options::default()).stems;
        assert_eq!((&made[0..2], &made[2..4]), (&first[0..2], &second[2..4]));
        let mixed: Vec<f32> = first[6].iter().zip(&second[6]).map(|(a, b)| 0.75 * a + 0.25 * b).collect();
        assert!(residual_db(&made[6], &mixed) < -120.0);
    }
    // Without the file, all count the same; with the names of htdemucs_ft, each gives its stem.
    std::fs::remove_file(at("bag.yaml")).unwrap();
    assert_eq!(Demucs::open(folder.path()).unwrap().networks_for(&[StemKind::Drums]), 2);
    std::fs::rename(at("aaaa.safetensors"), at("d12395a8.safetensors")).unwrap();
    std::fs::rename(at("bbbb.safetensors"), at("f7e0c4bc-0000.safetensors")).unwrap();
    let message = Demucs::open(folder.path()).unwrap_err().to_string();
    assert!(message.contains("leave out the stem other"), "{message}");
    for (text, said) in [
        ("models: ['cccc']", "cccc.safetensors"),
        ("models: ['d12395a8']\nweights: [[1.]]", "1 weights"),
        ("a: b", "names no `models`"),
    ] {
        std::fs::write(at("bag.yaml"), text).unwrap();
        let message = Demucs::open(&at("bag.yaml")).unwrap_err().to_string();
        assert!(message.contains(said), "{message}");
    }
}
