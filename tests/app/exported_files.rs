//! Exports: exact frames, no harmed files, no leftovers, reproducible files.

#[allow(dead_code, reason = "shared with the renderer's tests")]
use crate::support::signal;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use signal::{Memory, assert_close, noise, wide};
use undertone::audio::encode::{Dither, FileFormat, LossySettings, SampleFormat};
use undertone::audio::tags::TagText;
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat, AudioReader, Damage, MarkerList, Tags};
use undertone::chain::{Chain, MeasuredMap, Placement, Renderer};
use undertone::document::FrameRange;
use undertone::measure::loudness::integrated_lufs;
use undertone::progress::Progress;
use undertone::work::export::{
    ExportJob, ExportOutcome, ExportSettings, LoudnessTarget, RenderJob, Tagging, export, forecast, plan,
};
use undertone::{Error, Result};

fn settings(bits: SampleFormat, dither: Dither) -> ExportSettings {
    ExportSettings {
        format: FileFormat::Wav,
        bits,
        dither,
        range: None,
        rate: None,
        tail: false,
        lossy: LossySettings::default(),
        loudness: None,
        gain_db: 0.0,
        markers: true,
    }
}

fn job(source: impl AudioReader + 'static, chain: &str, settings: ExportSettings, target: &Path) -> ExportJob {
    ExportJob {
        source: Box::new(source),
        chain: chain.parse::<Chain>().unwrap(),
        placement: Placement::cpu(),
        settings,
        target: target.to_path_buf(),
        overwrite: false,
        inputs: undertone::files::Protected::default(),
        tags: Tagging::default(),
        markers: MarkerList::default(),
    }
}

fn read(path: &Path) -> AudioBuffer {
    let file = AudioFile::open(path).unwrap();
    let mut audio = AudioBuffer::default();
    file.reader().unwrap().read(&mut audio, file.info().frames as usize).unwrap();
    audio
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn float(source: AudioBuffer, chain: &str, target: &Path) -> ExportOutcome {
    export(job(Memory::new(source), chain, settings(SampleFormat::Float32, Dither::None), target), &Progress::new())
        .unwrap()
}

#[test]
fn an_empty_chain_writes_the_samples_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.wav");
    for frames in [0, 1, 65_535, 65_536, 200_001] {
        let source = noise(2, frames);
        let progress = Progress::new();
        let job = ExportJob {
            overwrite: true,
            ..job(Memory::new(source.clone()), "", settings(SampleFormat::Float32, Dither::None), &target)
        };
        let outcome = export(job, &progress).unwrap();
        assert_eq!(outcome.frames, frames as u64);
        assert_eq!(outcome.bytes, fs::metadata(&target).unwrap().len());
        assert_eq!((progress.snapshot().done, progress.snapshot().total), (frames as u64, frames as u64));
        assert_eq!(outcome.warnings, Vec::<String>::new());
        if frames > 0 {
            assert_eq!(read(&target), source);
        }
    }
}

#[test]
fn what_is_written_is_what_the_renderer_gives() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.wav");
    let chain =
        "highpass(100 Hz, order=4) | (peaking(1 kHz, q=2, gain=6 dB) + gain(-6 dB)) | mix(50 %, lowpass(5 kHz))";
    let source = noise(2, 150_000);
    let outcome = float(source.clone(), chain, &target);
    let mut whole = source.clone();
    let mut renderer =
        Renderer::new(&chain.parse().unwrap(), signal::format(2), &Placement::cpu(), &MeasuredMap::default()).unwrap();
    renderer.process(&mut whole).unwrap();
    let written = read(&target);
    for channel in 0..2 {
        let expected = wide(whole.channel(channel));
        assert_close(written.channel(channel), &expected, source.channel(channel), -145.0, "written");
    }
    let most = written.iter().flatten().fold(0.0f32, |most, sample| most.max(sample.abs()));
    assert_eq!(outcome.peak, f64::from(most));
    assert_eq!(outcome.device.used, "cpu");
    assert!(outcome.seconds.total > 0.0 && outcome.seconds.kernels > 0.0 && outcome.seconds.encode > 0.0);
    let view = outcome.to_result();
    assert_eq!((view.name.as_str(), Path::new(&view.folder)), ("out.wav", folder.path()));
}

#[test]
fn a_chain_that_changes_the_length_is_written_whole() {
    let folder = tempfile::tempdir().unwrap();
    let source = noise(2, 30_001);
    for (chain, frames) in [("time_stretch(150 %)", 45_002), ("time_stretch(25 %)", 7500), ("pitch_shift(2)", 30_001)] {
        let target = folder.path().join(format!("{frames}.wav"));
        assert_eq!(float(source.clone(), chain, &target).frames, frames, "{chain}");
        let mut whole = source.clone();
        let mut renderer =
            Renderer::new(&chain.parse().unwrap(), signal::format(2), &Placement::cpu(), &MeasuredMap::default())
                .unwrap();
        renderer.process(&mut whole).unwrap();
        let rest = renderer.finish(false).unwrap();
        whole.extend_from(&rest, 0..rest.frames());
        let written = read(&target);
        for channel in 0..2 {
            assert_close(
                written.channel(channel),
                &wide(whole.channel(channel)),
                whole.channel(channel),
                -140.0,
                chain,
            );
        }
    }
}

#[test]
fn a_range_is_the_part_that_is_heard() {
    let folder = tempfile::tempdir().unwrap();
    let source = noise(2, 144_000);
    let range = FrameRange { start: 40_000, end: 120_000 };
    for (n, chain) in [
        "highpass(100 Hz, order=4)",
        "normalize(-6 dB)",
        "fade_out(2 s)",
        "during(0.5 s, 2 s, gain(-20 dB))",
        "compressor(-30 dB, 4) | delay(20 ms)",
        "limiter(-12 dB)",
        "time_stretch(150 %)",
        "resample(44.1 kHz)",
        "gain(0 dB) | trim_silence(-60 dB)",
    ]
    .into_iter()
    .enumerate()
    {
        let at = |name: &str| folder.path().join(format!("{n} {name}.wav"));
        let whole = settings(SampleFormat::Float32, Dither::None);
        let part = ExportSettings { range: Some(range), ..whole.clone() };
        let heard = export(job(Memory::new(source.clone()), chain, whole, &at("whole")), &Progress::new()).unwrap();
        let progress = Progress::new();
        let planned = plan(
            &Memory::new(source.clone()),
            &chain.parse().unwrap(),
            &part,
            &Tags::default().into(),
            &MarkerList::default(),
        )
        .unwrap();
        let written = export(job(Memory::new(source.clone()), chain, part, &at("part")), &progress).unwrap();
        let scale = heard.frames as f64 / 144_000.0;
        let frame = |frame: u64| (frame as f64 * scale).round() as usize;
        let (whole, part) = (read(&at("whole")), read(&at("part")));
        assert_eq!(written.frames, (frame(range.end) - frame(range.start)) as u64, "{chain}");
        assert!(planned.frames.is_none_or(|frames| frames == written.frames), "{chain}: {planned:?}");
        for channel in 0..2 {
            let wanted = wide(&whole.channel(channel)[frame(range.start)..frame(range.end)]);
            assert_close(part.channel(channel), &wanted, source.channel(channel), -145.0, chain);
        }
        assert_eq!(progress.snapshot().done, progress.snapshot().total, "{chain}");
    }
}

#[test]
fn a_fade_out_ends_where_what_is_written_ends() {
    let folder = tempfile::tempdir().unwrap();
    let level = |audio: &AudioBuffer, frames: std::ops::Range<usize>| {
        let part = &audio.channel(0)[frames];
        (part.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / part.len() as f64).sqrt()
    };
    for (n, (chain, quiet)) in [
        ("fade_out(1 s)", 143_000..144_000),
        ("(gain(0 dB) | fade_out(1 s))", 143_000..144_000),
        ("during(0 s, 2 s, fade_out(1 s))", 94_000..95_400),
        ("fade_out(1 s) | normalize(-1 dB)", 143_000..144_000),
    ]
    .into_iter()
    .enumerate()
    {
        let target = folder.path().join(format!("{n}.wav"));
        float(noise(1, 144_000), chain, &target);
        let written = read(&target);
        assert!(level(&written, quiet) < 0.06 * level(&written, 0..40_000), "{chain}");
    }
}

#[test]
fn a_range_without_effects_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.wav");
    let source = noise(1, 100_000);
    let mut settings = settings(SampleFormat::Float32, Dither::None);
    settings.range = Some(FrameRange { start: 12_345, end: 90_001 });
    let outcome = export(job(Memory::new(source.clone()), "", settings.clone(), &target), &Progress::new()).unwrap();
    assert_eq!(outcome.frames, 90_001 - 12_345);
    assert_eq!(read(&target).channel(0), &source.channel(0)[12_345..90_001]);
    settings.range = Some(FrameRange { start: 0, end: 100_001 });
    let refused = export(job(Memory::new(source), "", settings, &folder.path().join("b.wav")), &Progress::new());
    assert!(matches!(refused, Err(Error::Invalid { .. })));
    assert_eq!(entries(folder.path()).len(), 1);
}

#[test]
fn normalising_reaches_its_target_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.wav");
    let progress = Progress::new();
    let settings = settings(SampleFormat::Float32, Dither::None);
    let job = job(Memory::new(noise(2, 150_000)), "lowpass(500 Hz) | normalize(-6 dB)", settings, &target);
    let outcome = export(job, &progress).unwrap();
    assert!((20.0 * outcome.peak.log10() + 6.0).abs() < 1e-5, "{}", outcome.peak);
    assert_eq!(progress.snapshot().done, 300_000);
}

#[test]
fn the_same_export_gives_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    for (bits, dither) in [(SampleFormat::Int16, Dither::Tpdf), (SampleFormat::Int24, Dither::Shaped)] {
        let write = |name: &str| {
            let target = folder.path().join(name);
            let job = job(Memory::new(noise(2, 300_000)), "highpass(80 Hz)", settings(bits, dither), &target);
            export(ExportJob { overwrite: true, ..job }, &Progress::new()).unwrap();
            fs::read(target).unwrap()
        };
        assert_eq!(write("a.wav"), write("b.wav"));
    }
}

#[test]
fn another_rate_keeps_length_and_sound() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.wav");
    let tone = |rate: f64, frames: usize| -> Vec<f64> {
        (0..frames).map(|frame| 0.5 * (2.0 * std::f64::consts::PI * 997.0 * frame as f64 / rate).sin()).collect()
    };
    let samples: Vec<f32> = tone(48_000.0, 96_000).iter().map(|sample| *sample as f32).collect();
    let mut settings = settings(SampleFormat::Float32, Dither::None);
    settings.rate = Some(44_100);
    let source = Memory::new(AudioBuffer::from_channels(vec![samples]));
    let outcome = export(job(source, "gain(6 dB)", settings, &target), &Progress::new()).unwrap();
    assert_eq!((outcome.frames, outcome.format.rate.hz()), (88_200, 44_100));
    let written = read(&target);
    let expected = signal::scaled(&tone(44_100.0, 88_200), 10f64.powf(0.3));
    // The ends are excluded, where the tone starts and stops abruptly.
    let middle = &written.channel(0)[4000..84_000];
    assert_close(middle, &expected[4000..84_000], middle, -115.0, "converted");
}

#[test]
fn a_loudness_is_reached_by_one_gain_and_the_true_peak_kept() {
    let folder = tempfile::tempdir().unwrap();
    let tone = |level: f64| -> Vec<f32> {
        (0..96_000)
            .map(|frame| (level * (2.0 * std::f64::consts::PI * 997.0 * frame as f64 / 48_000.0).sin()) as f32)
            .collect()
    };
    let source = || Memory::new(AudioBuffer::from_channels(vec![tone(0.01), tone(0.01)]));
    let run = |lufs: f64, name: &str| {
        let loudness = Some(LoudnessTarget { lufs, true_peak_db: -1.0 });
        let settings = ExportSettings { loudness, ..settings(SampleFormat::Float32, Dither::None) };
        let progress = Progress::new();
        let outcome = export(job(source(), "gain(6 dB)", settings, &folder.path().join(name)), &progress).unwrap();
        assert_eq!((progress.snapshot().done, progress.snapshot().total), (192_000, 192_000));
        outcome
    };
    // A full-scale 997 Hz sine in both channels has 0 LUFS; with amplitude 0.01 and a gain of 6 dB it has -34 LUFS.
    let outcome = run(-16.0, "a.wav");
    assert!((outcome.loudness_gain_db.unwrap() - 18.0).abs() < 0.1, "{outcome:?}");
    assert_eq!(outcome.warnings, Vec::<String>::new());
    let file = AudioFile::open(&folder.path().join("a.wav")).unwrap();
    let lufs = integrated_lufs(&mut *file.reader().unwrap(), &Progress::new()).unwrap().unwrap();
    assert!((lufs + 16.0).abs() < 0.1, "{lufs}");
    // 0 LUFS would need full scale. The true-peak limit holds back the last dB.
    let held = run(0.0, "b.wav");
    assert!((20.0 * held.peak.log10() + 1.0).abs() < 0.05, "{}", held.peak);
    assert!(held.warnings[0].contains("-1.0 dBTP"), "{:?}", held.warnings);
    let wrong = ExportSettings {
        loudness: Some(LoudnessTarget { lufs: 3.0, true_peak_db: -1.0 }),
        ..settings(SampleFormat::Float32, Dither::None)
    };
    let refused = export(job(source(), "", wrong, &folder.path().join("c.wav")), &Progress::new());
    assert!(matches!(refused, Err(Error::Invalid { .. })));
}

/// A reader of samples at 44.1 kHz.
struct At44(Memory);

impl AudioReader for At44 {
    fn format(&self) -> AudioFormat {
        self.0.format().with_rate(undertone::units::SampleRate::new(44_100).unwrap())
    }

    fn frames(&self) -> u64 {
        self.0.frames()
    }

    fn position(&self) -> u64 {
        self.0.position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.0.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        self.0.read(out, frames)
    }
}

#[test]
fn lossy_formats_come_out_whole_at_a_rate_they_have() {
    let folder = tempfile::tempdir().unwrap();
    // 50,000 frames at 44.1 kHz correspond to 54,421.8 frames at 48 kHz.
    for (format, name, rate, frames) in
        [(FileFormat::Opus, "a.opus", 48_000, 54_422), (FileFormat::Vorbis, "a.ogg", 44_100, 50_000)]
    {
        let mut tags = Tags::default();
        tags.items.insert("TITLE".into(), "Ein Lied".into());
        let target = folder.path().join(name);
        let settings = ExportSettings { format, ..settings(SampleFormat::Int16, Dither::None) };
        let source = At44(Memory::new(noise(2, 50_000)));
        let work = ExportJob { tags: tags.clone().into(), ..job(source, "gain(-12 dB)", settings.clone(), &target) };
        let outcome = export(work, &Progress::new()).unwrap();
        assert_eq!((outcome.format.rate.hz(), outcome.frames), (rate, frames));
        let file = AudioFile::open(&target).unwrap();
        assert_eq!((file.info().frames, &file.info().tags.items), (frames, &tags.items));
        // A rate that the format does not support is refused and not adjusted.
        let wrong = ExportSettings { rate: Some(400_000), ..settings };
        let work = ExportJob { overwrite: true, ..job(Memory::new(noise(2, 100)), "", wrong, &target) };
        assert!(matches!(export(work, &Progress::new()), Err(Error::Invalid { .. })));
    }
}

#[test]
fn samples_beyond_full_scale_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.wav");
    let source = AudioBuffer::from_channels(vec![vec![0.25, -0.75, 0.6, 0.2]]);
    let settings = settings(SampleFormat::Int16, Dither::None);
    let outcome = export(job(Memory::new(source), "gain(6.0206 dB)", settings, &target), &Progress::new()).unwrap();
    assert_eq!(outcome.clipped, 2, "-1.5 and 1.2");
    assert_eq!(read(&target).channel(0)[1], -1.0);
}

#[test]
fn a_file_is_replaced_only_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.wav");
    fs::write(&target, "precious").unwrap();
    let job = || job(Memory::new(noise(1, 1000)), "", settings(SampleFormat::Int16, Dither::None), &target);
    assert!(matches!(export(job(), &Progress::new()), Err(Error::Refused { .. })));
    assert_eq!(fs::read(&target).unwrap(), b"precious");
    export(ExportJob { overwrite: true, ..job() }, &Progress::new()).unwrap();
    assert_eq!(read(&target).frames(), 1000);
    assert_eq!(entries(folder.path()).len(), 1);
}

#[test]
fn an_input_is_never_replaced_by_any_path_or_link() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input.wav");
    float(noise(1, 1000), "", &input);
    let before = fs::read(&input).unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    let mut targets = vec![input.clone(), folder.path().join("sub/../input.wav")];
    let hard = folder.path().join("hard.wav");
    fs::hard_link(&input, &hard).unwrap();
    targets.push(hard);
    #[cfg(unix)]
    {
        let soft = folder.path().join("soft.wav");
        std::os::unix::fs::symlink(&input, &soft).unwrap();
        targets.push(soft);
    }
    for target in targets {
        let file = AudioFile::open(&input).unwrap();
        let job = ExportJob {
            source: file.reader().unwrap(),
            overwrite: true,
            inputs: vec![input.clone()].into(),
            ..job(Memory::new(noise(1, 1)), "gain(-6 dB)", settings(SampleFormat::Float32, Dither::None), &target)
        };
        let refused = export(job, &Progress::new());
        assert!(matches!(refused, Err(Error::Refused { .. })), "{}", target.display());
        assert_eq!(fs::read(&input).unwrap(), before);
    }
}

/// A source of any length that calls a function on every read.
struct Endless<F>(u64, F);

impl<F: FnMut(u64) -> Result<()> + Send> AudioReader for Endless<F> {
    fn format(&self) -> AudioFormat {
        signal::format(2)
    }

    fn frames(&self) -> u64 {
        1 << 40
    }

    fn position(&self) -> u64 {
        self.0
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.0 = frame;
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        (self.1)(self.0)?;
        out.resize(2, frames);
        self.0 += frames as u64;
        Ok(())
    }
}

#[test]
fn a_cancel_stops_at_once_and_leaves_nothing() {
    for chain in ["highpass(80 Hz)", "normalize(-1 dB)"] {
        let folder = tempfile::tempdir().unwrap();
        let progress = Progress::new();
        let source = Endless(0, |_| Ok(()));
        let job = job(source, chain, settings(SampleFormat::Int16, Dither::Tpdf), &folder.path().join("out.wav"));
        let watched = progress.clone();
        let working = std::thread::spawn(move || (export(job, &watched), Instant::now()));
        while progress.snapshot().done < 500_000 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let asked = Instant::now();
        progress.cancel();
        let (result, stopped) = working.join().unwrap();
        assert!(matches!(result, Err(Error::Cancelled)), "{result:?}");
        assert!(stopped - asked < Duration::from_millis(200), "{:?}", stopped - asked);
        assert_eq!(entries(folder.path()), Vec::<PathBuf>::new());
    }
}

#[test]
fn a_source_that_fails_midway_leaves_nothing_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.wav");
    let source = Endless(0, |at| {
        if at > 1_000_000 { Err(Error::malformed("the rest is damaged", Path::new("tape.wav"))) } else { Ok(()) }
    });
    let job = job(source, "gain(1 dB)", settings(SampleFormat::Int16, Dither::Tpdf), &target);
    let failed = export(job, &Progress::new()).unwrap_err();
    assert!(failed.to_string().contains("The rest is damaged"), "{failed}");
    assert_eq!(entries(folder.path()), Vec::<PathBuf>::new());
}

#[test]
fn a_source_that_panics_does_not_hang_the_export() {
    let folder = tempfile::tempdir().unwrap();
    let source = Endless(0, |at| if at > 300_000 { panic!("a decoder's fault") } else { Ok(()) });
    let job = job(source, "", settings(SampleFormat::Int16, Dither::None), &folder.path().join("out.wav"));
    assert!(matches!(export(job, &Progress::new()), Err(Error::Internal(_))));
    assert_eq!(entries(folder.path()), Vec::<PathBuf>::new());
}

#[test]
fn an_input_that_ends_early_is_written_as_far_as_it_goes_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.wav");
    struct Short(Memory);
    impl AudioReader for Short {
        fn format(&self) -> AudioFormat {
            self.0.format()
        }
        fn frames(&self) -> u64 {
            self.0.frames() + 500
        }
        fn position(&self) -> u64 {
            self.0.position()
        }
        fn seek(&mut self, frame: u64) -> Result<()> {
            self.0.seek(frame)
        }
        fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
            self.0.read(out, frames)
        }
    }
    let job = job(Short(Memory::new(noise(1, 1000))), "", settings(SampleFormat::Float32, Dither::None), &target);
    let outcome = export(job, &Progress::new()).unwrap();
    assert_eq!(outcome.frames, 1000);
    assert!(outcome.warnings[0].contains("500 samples early"), "{:?}", outcome.warnings);
}

/// A reader of samples with ranges that could not be decoded.
struct Damaged(Memory, Damage);

impl AudioReader for Damaged {
    fn format(&self) -> AudioFormat {
        self.0.format()
    }

    fn frames(&self) -> u64 {
        self.0.frames()
    }

    fn position(&self) -> u64 {
        self.0.position()
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.0.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        self.0.read(out, frames)
    }

    fn damage(&self) -> Damage {
        self.1.clone()
    }
}

#[test]
fn a_damaged_input_is_exported_with_a_warning_about_its_places() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = |range: Option<FrameRange>, damaged: bool, name: &str| {
        let mut damage = Damage::default();
        if damaged {
            damage.add(24_000..36_000);
        }
        let settings = ExportSettings { range, ..settings(SampleFormat::Float32, Dither::None) };
        let source = Damaged(Memory::new(noise(1, 96_000)), damage);
        export(job(source, "gain(-6 dB)", settings, &folder.path().join(name)), &Progress::new()).unwrap()
    };
    let warnings = outcome(None, true, "all.wav").warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("0.500") && warnings[0].contains("0.250"), "{warnings:?}");
    // Damage outside the exported part, or no damage, causes no warning.
    assert_eq!(outcome(None, false, "whole.wav").warnings, Vec::<String>::new());
    let before = Some(FrameRange { start: 0, end: 24_000 });
    assert_eq!(outcome(before, true, "before.wav").warnings, Vec::<String>::new());
}

#[test]
fn tags_are_carried_over() {
    let folder = tempfile::tempdir().unwrap();
    for (format, name) in [(FileFormat::Wav, "out.wav"), (FileFormat::Flac, "out.flac")] {
        let target = folder.path().join(name);
        let mut tags = Tags::default();
        tags.items.insert("TITLE".into(), "Ein Lied".into());
        let settings = ExportSettings { format, ..settings(SampleFormat::Int16, Dither::None) };
        let job = ExportJob { tags: tags.clone().into(), ..job(Memory::new(noise(2, 5000)), "", settings, &target) };
        let outcome = export(job, &Progress::new()).unwrap();
        assert_eq!(outcome.warnings, Vec::<String>::new());
        assert_eq!(outcome.bytes, fs::metadata(&target).unwrap().len());
        if format == FileFormat::Wav {
            let file = AudioFile::open(&target).unwrap();
            assert_eq!(file.info().tags.items.get("TITLE").map(TagText::as_str), Some("Ein Lied"));
            assert_eq!(file.info().frames, 5000);
        }
    }
}

#[test]
fn what_cannot_be_written_is_refused_before_any_work() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no such folder/out.wav");
    let untouched = || Endless(0, |_| panic!("nothing is to be read"));
    let settings = settings(SampleFormat::Int16, Dither::None);
    assert!(matches!(
        export(job(untouched(), "", settings.clone(), &missing), &Progress::new()),
        Err(Error::Io { .. })
    ));
    let target = folder.path().join("out.wav");
    let wrong = ExportSettings { rate: Some(0), ..settings.clone() };
    assert!(matches!(export(job(untouched(), "", wrong, &target), &Progress::new()), Err(Error::Invalid { .. })));
    let high = export(job(untouched(), "lowpass(30 kHz)", settings, &target), &Progress::new()).unwrap_err();
    assert!(high.to_string().contains("Cutoff must be below 24 kHz"), "{high}");
    assert_eq!(entries(folder.path()), Vec::<PathBuf>::new());
}

fn render(source: AudioBuffer, chain: &str, settings: &ExportSettings) -> RenderJob {
    let job = job(Memory::new(source), chain, settings.clone(), Path::new(""));
    RenderJob { source: job.source, chain: job.chain, placement: job.placement, settings: job.settings }
}

/// Returns noise that a gain takes beyond full scale in some samples.
fn loud() -> AudioBuffer {
    let channel = |seed: usize| (0..60_000).map(|n| ((n * 31 + seed) as f32 * 0.37).sin() * 0.9).collect();
    AudioBuffer::from_channels(vec![channel(0), channel(7)])
}

#[test]
fn a_forecast_is_what_the_export_finds_and_its_remedy_mends_it() {
    let folder = tempfile::tempdir().unwrap();
    let chain = "highpass(20 Hz) | gain(4 dB)";
    let ranged = Some(FrameRange { start: 1000, end: 50_001 });
    let lufs = Some(LoudnessTarget { lufs: -10.0, true_peak_db: -1.0 });
    for (index, (range, rate, loudness, normal)) in [
        (None, None, None, ""),
        (ranged, Some(44_100), None, ""),
        (ranged, None, lufs, ""),
        (None, None, None, " | normalize(0 dB) | gain(3 dB)"),
    ]
    .into_iter()
    .enumerate()
    {
        let chain = format!("{chain}{normal}");
        let settings = ExportSettings { range, rate, loudness, ..settings(SampleFormat::Int16, Dither::None) };
        let progress = Progress::new();
        let foreseen = forecast(render(loud(), &chain, &settings), &progress).unwrap();
        assert_eq!(progress.snapshot().done, progress.snapshot().total, "progress reaches its end");
        let target = folder.path().join(format!("{index}.wav"));
        let done = export(job(Memory::new(loud()), &chain, settings.clone(), &target), &Progress::new()).unwrap();
        assert_eq!((foreseen.frames, foreseen.clipped), (done.frames, done.clipped), "{index}");
        assert_eq!(foreseen.peak_db, Some(20.0 * done.peak.log10()), "{index}");
        assert_eq!(foreseen.loudness_gain_db, done.loudness_gain_db, "{index}");
        assert!(foreseen.true_peak_db >= foreseen.peak_db, "{foreseen:?}");
        if loudness.is_some() {
            assert_eq!(
                (done.clipped, foreseen.remedy_gain_db),
                (0, None),
                "the target keeps the peaks below full scale"
            );
            continue;
        }
        assert!(done.clipped > 0, "{index}: the test's sound clips");
        let remedy = foreseen.remedy_gain_db.unwrap();
        let mended = ExportSettings { gain_db: remedy, ..settings };
        let again = forecast(render(loud(), &chain, &mended), &Progress::new()).unwrap();
        assert_eq!((again.clipped, again.remedy_gain_db), (0, None), "{again:?}");
        assert!(again.true_peak_db.unwrap() > -0.11, "not more than needed: {again:?}");
        let target = folder.path().join(format!("{index}-mended.wav"));
        assert_eq!(export(job(Memory::new(loud()), &chain, mended, &target), &Progress::new()).unwrap().clipped, 0);
    }
    assert_eq!(entries(folder.path()).len(), 7);
}

#[test]
fn the_output_gain_multiplies_each_sample_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.wav");
    let settings = ExportSettings { gain_db: -2.4, ..settings(SampleFormat::Float32, Dither::None) };
    export(job(Memory::new(loud()), "", settings.clone(), &target), &Progress::new()).unwrap();
    let factor = 10f64.powf(-2.4 / 20.0) as f32;
    let written = read(&target);
    for channel in 0..2 {
        let expected: Vec<f32> = loud().channel(channel).iter().map(|sample| sample * factor).collect();
        assert_eq!(written.channel(channel), expected);
    }
    for wrong in [f64::NAN, 60.0, -100.0] {
        let settings = ExportSettings { gain_db: wrong, ..settings.clone() };
        let refused = export(job(Memory::new(loud()), "", settings, &folder.path().join("no.wav")), &Progress::new());
        assert!(matches!(refused, Err(Error::Invalid { .. })), "{wrong}");
    }
}

#[test]
fn a_forecast_stops_when_it_is_cancelled() {
    let settings = settings(SampleFormat::Int16, Dither::None);
    let progress = Progress::new();
    progress.cancel();
    let stopped = forecast(render(loud(), "", &settings), &progress);
    assert!(matches!(stopped, Err(Error::Cancelled)), "{stopped:?}");
}

#[test]
fn the_size_of_pcm_is_known_to_the_byte_and_others_are_about_right() {
    let folder = tempfile::tempdir().unwrap();
    let mut tags = Tags::default();
    tags.items.insert("TITLE".into(), "Odd".into());
    let source = Memory::new(loud());
    let range = Some(FrameRange { start: 5, end: 44_012 });
    for (index, (bits, rate, text)) in [
        (SampleFormat::Int16, None, ""),
        (SampleFormat::Int24, Some(44_100), "reverb()"),
        (SampleFormat::Int32, None, "gain(-1 dB)"),
        (SampleFormat::Float32, Some(96_000), "time_stretch(150 %)"),
    ]
    .into_iter()
    .enumerate()
    {
        let chain: Chain = text.parse().unwrap();
        let settings = ExportSettings { range, rate, tail: true, ..settings(bits, Dither::None) };
        let planned = plan(&source, &chain, &settings, &tags.clone().into(), &MarkerList::default()).unwrap();
        let target = folder.path().join(format!("{index}.wav"));
        let job = ExportJob { chain, tags: tags.clone().into(), ..job(Memory::new(loud()), "", settings, &target) };
        let done = export(job, &Progress::new()).unwrap();
        assert_eq!((planned.frames, planned.bytes), (Some(done.frames), Some(done.bytes)), "{bits:?} {text}");
        assert!(planned.bytes_exact && planned.rate == done.format.rate.hz(), "{planned:?}");
    }
    let all = [FileFormat::Flac, FileFormat::Vorbis, FileFormat::Opus, FileFormat::Mp3];
    for format in all.into_iter().filter(|format| format.check_encoder().is_ok()) {
        let settings = ExportSettings { format, ..settings(SampleFormat::Int16, Dither::None) };
        let noisy = || Memory::new(noise(2, 480_000));
        let planned =
            plan(&noisy(), &Chain::default(), &settings, &tags.clone().into(), &MarkerList::default()).unwrap();
        let target = folder.path().join(format!("a.{}", format.extension()));
        let done = export(job(noisy(), "", settings, &target), &Progress::new()).unwrap();
        let ratio = planned.bytes.unwrap() as f64 / done.bytes as f64;
        assert!(!planned.bytes_exact && (0.4..2.5).contains(&ratio), "{format:?}: {ratio}");
    }
    let chain: Chain = "trim_silence()".parse().unwrap();
    let trimmed = plan(
        &source,
        &chain,
        &settings(SampleFormat::Int16, Dither::None),
        &tags.clone().into(),
        &MarkerList::default(),
    )
    .unwrap();
    assert_eq!((trimmed.frames, trimmed.bytes), (None, None), "how much is trimmed is not known before");
}
