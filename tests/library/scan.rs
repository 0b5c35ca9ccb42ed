//! Library scans: new tracks, failures, and stopping and pausing.

use crate::support::library as library_support;

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use library_support::{Fixture, Seen, Test, analyser, options, rows, scan, until, wav, wav_bytes};
use rusqlite::Connection;
use undertone::error::Error;
use undertone::library::{Library, Phase, ScanEvent, ScanOptions, ScanOutcome, Series, TrackState, Versions};

#[test]
fn a_scan_finds_analyses_and_keeps_all_that_it_was_given() -> Test {
    let fixture = Fixture::new()?;
    fs::create_dir_all(fixture.music("album"))?;
    fs::write(fixture.music("album/one.wav"), wav_bytes(1, Some("The Title")))?;
    fixture.add("two.wav", 2)?;
    fs::write(fixture.music("cover.jpg"), b"no recording")?;
    fs::write(fixture.music("broken.mp3"), b"this is not audio, whatever its name says")?;
    let seen = Seen::default();
    let summary = scan(&fixture.library, &seen)?;
    assert_eq!(summary.outcome, ScanOutcome::Done);
    let counts = summary.counts;
    assert_eq!((counts.found, counts.new, counts.analysed, counts.failed), (3, 3, 2, 1));
    assert_eq!(seen.count(), 3);
    assert!((summary.audio_s - 0.1).abs() < 1e-9 && summary.time.stages.analysis > 0.0);
    let rows = rows(&fixture.library)?;
    let one = rows.iter().find(|row| row.title.is_some()).ok_or("no title")?;
    assert_eq!(one.title.as_deref(), Some("The Title"));
    assert_eq!((one.rate_hz, one.channels, one.bits, one.bit_rate), (Some(8000), Some(1), Some(16), Some(128_000)));
    assert_eq!((one.duration_s, one.key.as_deref(), one.bandwidth_hz), (Some(0.05), Some("Am"), Some(3500.0)));
    assert_eq!(one.features[10], None);
    assert!(one.features[0].is_some_and(|value| value != 0.0));
    let track = fixture.library.track(one.id)?;
    assert_eq!(track.path, fixture.music("album/one.wav"));
    assert_eq!(track.chromaprint, Some(vec![1, 2, 0xffff_ffff]));
    assert_eq!(track.missing["tempo_bpm"], "too short");
    assert_eq!(track.versions, Some(Versions { features: 1, fingerprint: 1 }));
    let Series { name, unit, step_s, width, values, .. } = &track.series[0];
    assert_eq!(
        (name.as_str(), unit.as_str(), *step_s, *width, values),
        ("loudness", "LUFS", 0.1, 1, &vec![-20.0, -21.5])
    );
    let errors = fixture.library.errors()?;
    assert_eq!(errors.len(), 1);
    assert!(errors[0].path.ends_with("broken.mp3") && errors[0].code == "malformed", "{errors:?}");
    let table = fixture.library.features_table()?;
    assert_eq!(table.ids.len(), 2);
    assert!(table.rows.iter().all(|row| row[10].is_nan() && row[0] != 0.0));
    let mut fingerprints = 0;
    fixture.library.for_each_fingerprint(|_, duration_s, chromaprint, landmarks| {
        assert_eq!((duration_s, chromaprint, landmarks), (0.05, &[1, 2, 0xffff_ffff][..], &[9, 8, 7][..]));
        fingerprints += 1;
        Ok(())
    })?;
    assert_eq!(fingerprints, 2);
    let status = fixture.library.status()?;
    assert_eq!((status.done, status.failed, status.waiting, status.scanned_by), (2, 1, 0, None));
    assert_eq!(fixture.library.history(9)?.len(), 1);
    // A second scan has nothing to do. A newer analysis repeats all tracks, including failed ones.
    assert_eq!(scan(&fixture.library, &seen)?.counts.through(), 0);
    assert_eq!(seen.count(), 3);
    let newer = fixture.library.scan(options(analyser(&seen, 2, Duration::ZERO)))?.wait()?;
    assert_eq!((newer.counts.outdated, newer.counts.analysed, newer.counts.failed), (3, 2, 1));
    assert_eq!(fixture.library.track(one.id)?.versions, Some(Versions { features: 2, fingerprint: 1 }));
    Ok(())
}

#[test]
fn what_fails_bursts_takes_too_long_or_hangs_costs_itself_alone() -> Test {
    let fixture = Fixture::new()?;
    for (seed, name) in ["a.wav", "fail.wav", "panic.wav", "slow.wav", "hang.wav", "z.wav"].iter().enumerate() {
        fixture.add(name, seed as u64)?;
    }
    let seen = Seen::default();
    let options = ScanOptions {
        track_timeout: Some(Duration::from_millis(400)),
        // Longer than a busy machine can keep the slow analysis from noticing its time limit.
        stop_grace: Duration::from_millis(1500),
        ..options(analyser(&seen, 1, Duration::ZERO))
    };
    let began = Instant::now();
    let summary = fixture.library.scan(options)?.wait()?;
    assert!(began.elapsed() < Duration::from_secs(4), "the hanging one was waited for");
    assert_eq!((summary.counts.analysed, summary.counts.failed, summary.counts.abandoned), (2, 4, 1));
    let reasons: Vec<String> = fixture.library.errors()?.into_iter().map(|error| error.reason).collect();
    let [fail, hang, panic, slow] = &reasons[..] else { return Err(format!("{reasons:?}").into()) };
    assert!(fail.contains("Broken on purpose") && panic.contains("burst on purpose"), "{reasons:?}");
    assert!(slow.contains("time for one track") && hang.contains("did not stop"), "{reasons:?}");
    // They are only retried when the user asks for it, or when their file has changed.
    assert_eq!(scan(&fixture.library, &seen)?.counts.through(), 0);
    fixture.add("panic.wav", 77)?;
    fs::remove_file(fixture.music("hang.wav"))?;
    fs::remove_file(fixture.music("slow.wav"))?;
    let failed = fixture.library.errors()?;
    let fail = failed.iter().find(|error| error.path.ends_with("fail.wav")).ok_or("not there")?;
    assert_eq!(fixture.library.retry(Some(&[fail.id]))?, [fixture.music("fail.wav")]);
    assert!(fixture.library.retry(Some(&[]))?.is_empty());
    let summary = scan(&fixture.library, &seen)?;
    assert_eq!((summary.counts.failed, summary.counts.changed, summary.counts.vanished), (2, 1, 2));
    assert_eq!(fixture.library.retry(None)?.len(), 2);
    Ok(())
}

#[test]
fn too_many_decoders_that_hang_end_the_scan_with_an_error() -> Test {
    let fixture = Fixture::new()?;
    for seed in 0..5 {
        fixture.add(&format!("hang{seed}.wav"), seed)?;
    }
    let options = ScanOptions {
        track_timeout: Some(Duration::from_millis(30)),
        stop_grace: Duration::from_millis(30),
        max_abandoned: 3,
        ..options(analyser(&Seen::default(), 1, Duration::ZERO))
    };
    assert!(matches!(fixture.library.scan(options)?.wait(), Err(Error::Limit { .. })));
    assert_eq!(fixture.library.history(1)?[0].outcome.as_deref(), Some("failed"));
    assert_eq!(fixture.library.status()?.analysing, 0);
    Ok(())
}

#[test]
fn pause_resume_and_cancel() -> Test {
    let fixture = Fixture::new()?;
    for seed in 0..60 {
        fixture.add(&format!("{seed}.wav"), seed)?;
    }
    let seen = Seen::default();
    let handle = fixture.library.scan(options(analyser(&seen, 1, Duration::from_millis(10))))?;
    assert!(until(|| seen.count() > 5));
    handle.pause();
    assert!(until(|| handle.status().phase == Phase::Paused));
    // The result of the last running track may still be pending.
    assert!(until(|| handle.status().tracks_done == seen.count() as u64));
    let (paused, status) = (seen.count(), handle.status());
    assert!(status.tracks_total == 60 && status.in_hand.is_empty(), "{status:?}");
    assert!(status.bytes_done > 0.0 && status.bytes_done < status.bytes_total as f64);
    std::thread::sleep(Duration::from_millis(60));
    assert_eq!(seen.count(), paused);
    handle.resume();
    assert!(until(|| seen.count() > paused + 5));
    let status = handle.status();
    assert!(status.tracks_per_s > 0.0 && status.remaining_s.is_some_and(|s| s > 0.0), "{status:?}");
    handle.cancel();
    let summary = handle.wait()?;
    assert_eq!(summary.outcome, ScanOutcome::Cancelled);
    let status = fixture.library.status()?;
    assert_eq!((status.analysing, status.waiting + status.done), (0, 60));
    assert!(status.waiting > 0);
    // The next scan does the rest and repeats only tracks that were being analysed.
    let rest = scan(&fixture.library, &seen)?;
    assert_eq!(rest.counts.analysed, status.waiting);
    assert!(seen.count() <= 60 + 2, "{}", seen.count());
    assert!(seen.most.load(std::sync::atomic::Ordering::SeqCst) <= 2);
    Ok(())
}

#[test]
fn a_cancel_does_not_wait_for_a_decoder_that_hears_none() -> Test {
    let fixture = Fixture::new()?;
    fixture.add("hang.wav", 1)?;
    let handle = fixture.library.scan(options(analyser(&Seen::default(), 1, Duration::ZERO)))?;
    assert!(until(|| !handle.status().in_hand.is_empty()));
    handle.cancel();
    let began = Instant::now();
    handle.wait()?;
    // The specified time is 200 ms; the test allows more for a busy machine.
    assert!(began.elapsed() < Duration::from_secs(2));
    assert_eq!(fixture.library.status()?.waiting, 1);
    Ok(())
}

#[test]
fn one_scan_at_a_time_and_the_other_is_named() -> Test {
    let fixture = Fixture::in_file()?;
    fixture.add("slow.wav", 1)?;
    let seen = Seen::default();
    let first = fixture
        .library
        .scan(ScanOptions { program: "first".to_owned(), ..options(analyser(&seen, 1, Duration::ZERO)) })?;
    let (other, _) = undertone::library::Library::open(fixture.library.path())?;
    let refused = other.scan(options(analyser(&seen, 1, Duration::ZERO))).err().ok_or("two scans at once")?;
    assert!(matches!(refused, Error::Refused { .. }) && refused.to_string().contains("First (process"), "{refused}");
    assert!(other.status()?.scanned_by.is_some_and(|holder| holder.contains("first")));
    drop(first);
    assert_eq!(other.status()?.scanned_by, None);
    // One who asks shares the lock for an instant, and is not taken for one who scans.
    let asked = fs::File::open(fixture.library.path().with_extension("scan.lock"))?;
    asked.lock_shared()?;
    assert_eq!(other.status()?.scanned_by, None);
    drop(asked);
    fs::remove_file(fixture.music("slow.wav"))?;
    other.scan(options(analyser(&seen, 1, Duration::ZERO)))?.wait()?;
    Ok(())
}

#[test]
fn a_full_disk_holds_the_scan_and_nothing_is_lost() -> Test {
    let fixture = Fixture::in_file()?;
    for seed in 0..80 {
        fixture.add(&format!("{seed}.wav"), seed)?;
    }
    let (seen, events) = (Seen::default(), Arc::new(Mutex::new(Vec::new())));
    let told = Arc::clone(&events);
    // Space for some of the tracks only: the blobs of a track take more than two pages.
    let large = {
        let inner = analyser(&seen, 1, Duration::ZERO);
        undertone::library::Analyser::new(inner.versions, move |path, progress| {
            let mut analysis = (inner.analyse)(path, progress)?;
            analysis.landmarks = vec![7; 9000];
            Ok(analysis)
        })
    };
    let now = fs::metadata(fixture.library.path())?.len();
    fixture.library.set_limit_bytes(Some(now + 300_000))?;
    let handle = fixture.library.scan(ScanOptions {
        observer: Some(Arc::new(move |event: &ScanEvent| told.lock().unwrap().push(event.clone()))),
        ..options(large.clone())
    })?;
    assert!(until(|| handle.status().phase == Phase::Held), "{:?}", handle.status());
    let status = handle.status();
    assert!(status.fault.as_ref().is_some_and(|fault| fault.contains("no room")), "{status:?}");
    assert!(status.tracks_done < 80 && status.counts.failed == 0);
    // A worker that was admitted before the fault may still start one track.
    let began = seen.count();
    std::thread::sleep(Duration::from_millis(200));
    let in_hand = 2;
    assert!(
        seen.count() <= began + in_hand,
        "it goes on analysing what it cannot keep: {} after {began}",
        seen.count()
    );
    assert!(fixture.library.check()?.is_empty());
    fixture.library.set_limit_bytes(None)?;
    handle.resume();
    let summary = handle.wait()?;
    assert_eq!((summary.counts.analysed, summary.counts.failed), (80, 0));
    assert_eq!(seen.count(), 80, "what was in hand was done again");
    let events = events.lock().unwrap();
    assert!(events.iter().any(|event| matches!(event, ScanEvent::Held(_))));
    assert!(events.contains(&ScanEvent::GoesOn));
    assert!(fixture.library.check()?.is_empty());
    // A blocked scan that is cancelled ends immediately, and the next scan does the rest.
    for seed in 100..180 {
        fixture.add(&format!("{seed}.wav"), seed)?;
    }
    let now = fs::metadata(fixture.library.path())?.len();
    fixture.library.set_limit_bytes(Some(now + 100_000))?;
    let handle = fixture.library.scan(options(large.clone()))?;
    assert!(until(|| handle.status().phase == Phase::Held), "{:?}", handle.status());
    handle.cancel();
    assert_eq!(handle.wait()?.outcome, ScanOutcome::Cancelled);
    fixture.library.set_limit_bytes(None)?;
    fixture.library.scan(options(large))?.wait()?;
    assert_eq!(fixture.library.status()?.done, 160);
    Ok(())
}

#[test]
fn memory_bounds_the_tracks_in_hand() -> Test {
    let fixture = Fixture::new()?;
    for seed in 0..12 {
        fixture.add(&format!("{seed}.wav"), seed)?;
    }
    let seen = Seen::default();
    let bounded = ScanOptions {
        workers: Some(6),
        memory_bytes: 200,
        estimate: |_| 100,
        ..options(analyser(&seen, 1, Duration::from_millis(10)))
    };
    let summary = fixture.library.scan(bounded)?.wait()?;
    assert_eq!((summary.counts.analysed, seen.most.load(std::sync::atomic::Ordering::SeqCst)), (12, 2));
    Ok(())
}

#[test]
fn a_drive_that_is_not_there_keeps_its_tracks() -> Test {
    let fixture = Fixture::new()?;
    let drive = fixture.folder.path().join("drive");
    wav(&drive.join("a.wav"), 1)?;
    wav(&drive.join("deep/b.wav"), 2)?;
    fixture.library.add_root(&drive)?;
    fixture.add("here.wav", 3)?;
    let seen = Seen::default();
    scan(&fixture.library, &seen)?;
    let away = fixture.folder.path().join("away");
    fs::rename(&drive, &away)?;
    // Unplugged, then the empty folder that a mount point leaves.
    for empty in [false, true] {
        if empty {
            fs::create_dir(&drive)?;
        }
        let summary = scan(&fixture.library, &seen)?;
        assert_eq!(summary.counts.vanished, 0);
        assert!(
            summary.notices.iter().any(|notice| notice.contains("drive") && notice.contains("2 tracks")),
            "{summary:?}"
        );
        assert_eq!(fixture.library.status()?.unreachable, [drive.as_path()]);
        assert!(fixture.states()?.values().all(|state| state == "done"));
    }
    // Meanwhile, a copy of a file on the drive is a separate track.
    fixture.add("copy.wav", 1)?;
    assert_eq!(scan(&fixture.library, &seen)?.counts.copied, 1);
    fs::remove_dir(&drive)?;
    fs::rename(&away, &drive)?;
    let summary = scan(&fixture.library, &seen)?;
    assert!(summary.notices.is_empty() && summary.counts.through() == 0, "{summary:?}");
    assert_eq!((seen.count(), fixture.library.status()?.done), (3, 4));
    assert!(fixture.library.status()?.unreachable.is_empty());
    // A file deleted from the drive is reported as vanished, and found again when it returns.
    let kept = fs::read(drive.join("deep/b.wav"))?;
    let stamp = fs::metadata(drive.join("deep/b.wav"))?.modified()?;
    fs::remove_dir_all(drive.join("deep"))?;
    assert_eq!(scan(&fixture.library, &seen)?.counts.vanished, 1);
    assert_eq!(fixture.states()?["b.wav"], "vanished");
    fs::create_dir(drive.join("deep"))?;
    fs::write(drive.join("deep/b.wav"), kept)?;
    fs::File::options().write(true).open(drive.join("deep/b.wav"))?.set_modified(stamp)?;
    let summary = scan(&fixture.library, &seen)?;
    assert_eq!((summary.counts.returned, summary.counts.through(), seen.count()), (1, 0, 3));
    Ok(())
}

#[test]
fn a_drive_that_goes_in_the_middle_of_a_scan_fails_no_track() -> Test {
    let fixture = Fixture::new()?;
    let drive = fixture.folder.path().join("drive");
    for seed in 0..30 {
        wav(&drive.join(format!("{seed}.wav")), seed)?;
    }
    fixture.library.add_root(&drive)?;
    fixture.add("here.wav", 99)?;
    let seen = Seen::default();
    let handle = fixture.library.scan(options(analyser(&seen, 1, Duration::from_millis(10))))?;
    assert!(until(|| seen.count() > 6));
    let away = fixture.folder.path().join("away");
    fs::rename(&drive, &away)?;
    let summary = handle.wait()?;
    let status = fixture.library.status()?;
    assert_eq!((summary.counts.failed, status.failed, status.vanished), (0, 0, 0), "{:?}", fixture.library.errors()?);
    assert!(status.waiting > 0 && status.waiting + status.done == 31, "{status:?}");
    assert_eq!(summary.notices.iter().filter(|notice| notice.contains("cannot be reached")).count(), 1, "{summary:?}");
    fs::rename(&away, &drive)?;
    scan(&fixture.library, &seen)?;
    assert_eq!(fixture.library.status()?.done, 31);
    Ok(())
}

#[test]
fn decisions_bin_and_forgetting_touch_no_file() -> Test {
    let fixture = Fixture::new()?;
    for seed in 0..3 {
        fixture.add(&format!("{seed}.wav"), seed)?;
    }
    let seen = Seen::default();
    scan(&fixture.library, &seen)?;
    let ids: Vec<i64> = rows(&fixture.library)?.iter().map(|row| row.id).collect();
    use undertone::library::Decision;
    fixture.library.decide(ids[1], ids[0], Some(Decision::Different))?;
    fixture.library.decide(ids[0], ids[2], Some(Decision::KeepBoth))?;
    assert!(fixture.library.decide(ids[0], ids[0], None).is_err());
    assert!(fixture.library.decide(ids[0], 999, Some(Decision::Same)).is_err());
    assert_eq!(
        fixture.library.decisions()?,
        [(ids[0], ids[1], Decision::Different), (ids[0], ids[2], Decision::KeepBoth)]
    );
    fixture.library.mark_binned(ids[1])?;
    let binned = fixture.library.track(ids[1])?;
    assert!(binned.row.state == TrackState::Vanished && binned.binned_at.is_some());
    assert!(fixture.library.features_table()?.ids.len() == 2);
    // The file still exists, so the scan restores the track with all its data.
    assert_eq!(scan(&fixture.library, &seen)?.counts.returned, 1);
    assert!(fixture.library.track(ids[1])?.binned_at.is_none());
    assert_eq!(fixture.library.forget(&[ids[2], 12345])?, 1);
    assert_eq!(fixture.library.decisions()?.len(), 1);
    assert!(fixture.library.track(ids[2]).is_err() && fixture.music("2.wav").exists());
    assert_eq!(scan(&fixture.library, &seen)?.counts.new, 1);
    assert_eq!(seen.count(), 4);
    Ok(())
}

#[test]
fn what_an_earlier_version_read_is_read_again_once() -> Test {
    let Fixture { folder, library } = Fixture::in_file()?;
    let music = |name: &str| folder.path().join("music").join(name);
    let names =
        ["same.wav", "tags.wav", "length.wav", "told.wav", "silent.wav", "changed.wav", "moved.wav", "fail.wav"];
    for (seed, name) in names.iter().enumerate() {
        fs::write(music(name), wav_bytes(seed as u64, Some("The Title")))?;
    }
    let seen = Seen::default();
    scan(&library, &seen)?;
    let ids = |library: &Library| -> Result<BTreeMap<String, i64>, Error> {
        Ok(rows(library)?.into_iter().map(|row| (row.path.rsplit('/').next().unwrap().to_owned(), row.id)).collect())
    };
    let before = ids(&library)?;
    let analysed_at = |library: &Library, name: &str| library.track(before[name]).map(|track| track.analysed_at);
    let same = analysed_at(&library, "same.wav")?;
    let path = library.path().to_path_buf();
    drop(library);
    // As an earlier version left it.
    let database = Connection::open(&path)?;
    database.execute_batch("ALTER TABLE track DROP COLUMN reading_version; PRAGMA user_version = 6;")?;
    let change = |table: &str, set: &str, name: &str| {
        let key = if table == "track" { "id" } else { "track_id" };
        database.execute(&format!("UPDATE {table} SET {set} WHERE {key} = ?1"), [before[name]])
    };
    change("track", "title = NULL", "tags.wav")?;
    change("description", "tags = '{}'", "tags.wav")?;
    change("track", "frames = 399", "length.wav")?;
    change("description", "warnings = '[\"Its end is missing.\"]'", "told.wav")?;
    change("feature", "loudness_lufs = NULL", "silent.wav")?;
    drop(database);
    fs::write(music("changed.wav"), wav_bytes(99, Some("Another")))?;
    fs::rename(music("moved.wav"), music("there.wav"))?;
    let library = Library::open(&path)?.0;
    let seen = Seen::default();
    let summary = scan(&library, &seen)?;
    let counts = summary.counts;
    assert_eq!((counts.outdated, counts.changed, counts.new), (6, 1, 1));
    assert_eq!((counts.reread, counts.corrected, counts.moved), (2, 1, 1));
    assert_eq!((counts.analysed, counts.failed, counts.through()), (4, 1, 8));
    let mut begun: Vec<String> = seen
        .begun
        .lock()
        .unwrap()
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    begun.sort_unstable();
    assert_eq!(begun, ["changed.wav", "fail.wav", "length.wav", "silent.wav", "told.wav"]);
    // The rows are the same ones, and what was read as before keeps its analysis.
    let after = ids(&library)?;
    assert!(before.iter().all(|(name, id)| after[if name == "moved.wav" { "there.wav" } else { name }] == *id));
    assert_eq!(analysed_at(&library, "same.wav")?, same);
    let tags = library.track(before["tags.wav"])?;
    assert_eq!((tags.row.title.as_deref(), tags.tags["TITLE"].as_str()), (Some("The Title"), "The Title"));
    // A file that moved meanwhile follows in the next scan; then nothing is left.
    let counts = scan(&library, &seen)?.counts;
    assert_eq!((counts.outdated, counts.reread, counts.through()), (1, 1, 1));
    assert_eq!(scan(&library, &seen)?.counts.through(), 0);
    Ok(())
}
