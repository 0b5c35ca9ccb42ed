//! Several scanning processes on one server, through kills and crashes.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use library_support::{Seen, Test, analyser, options, rows, scan, wav};
use undertone::error::Error;
use undertone::library::{Analyser, Library, ScanOptions, Versions};

use crate::support::library as library_support;
use crate::support::server::{self, Cluster};

/// The address that a child scans, and its folder.
const CHILD: &str = "UNDERTONE_TEST_SERVER_CHILD";
const LEASE: Duration = Duration::from_secs(3);

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// Not a test by itself: a machine that scans, and may be killed.
#[test]
fn child_scans_on_the_server() -> Test {
    let Ok(child) = std::env::var(CHILD) else { return Ok(()) };
    let (address, folder) = child.split_once(' ').ok_or("an address and a folder")?;
    let folder = PathBuf::from(folder);
    let log = folder.join(format!("log-{}", std::process::id()));
    let log = fs::File::options().create(true).append(true).open(log)?;
    let analyser = Analyser::new(Versions { features: 1, fingerprint: 1 }, move |path, _| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (&log).write_all(format!("{name}\n").as_bytes()).map_err(|error| Error::io("write", path, error))?;
        std::thread::sleep(Duration::from_millis(10));
        library_support::analysis_of(path)
    });
    let options = ScanOptions { workers: Some(2), max_attempts: 1000, lease: LEASE, ..ScanOptions::new(analyser) };
    // The server may be starting.
    let begun = Instant::now();
    loop {
        let place = server::place(address, &folder.join(std::process::id().to_string()));
        let done = Library::open_existing(place).and_then(|(library, _)| library.scan(options.clone())?.wait());
        match done {
            Ok(_) => return Ok(()),
            Err(error) if begun.elapsed() > Duration::from_mins(1) => return Err(error.into()),
            Err(error) => eprintln!("{error}"),
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn machine(address: &str, folder: &Path) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(["--exact", "server::machines::child_scans_on_the_server", "--nocapture", "--test-threads=1"])
        .env(CHILD, format!("{address} {}", folder.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

#[test]
fn machines_that_scan_together_lose_nothing_through_kills_and_restarts() -> Test {
    let Some(cluster) = Cluster::start() else { return Ok(()) };
    let files = number("UNDERTONE_SCANNED", 240);
    let (kills, restarts) = (number("UNDERTONE_KILLED", 6), number("UNDERTONE_RESTARTED", 1));
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    for seed in 0..files {
        wav(&folder.join(format!("music/{:02}/{seed:04}.wav", seed % 17)), seed)?;
    }
    let address = cluster.database();
    let (library, _) = Library::open_at(server::place(&address, folder))?;
    library.add_root(&folder.join("music"))?;
    let mut machines: Vec<Child> = Vec::new();
    for _ in 0..3 {
        machines.push(machine(&address, folder)?);
    }
    let begun = Instant::now();
    let mut random = 0x2545_f491u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random >> 33
    };
    for round in 0..kills {
        std::thread::sleep(Duration::from_millis(100 + next() % 300));
        let unlucky = next() as usize % machines.len();
        machines[unlucky].kill()?;
        machines[unlucky].wait()?;
        machines[unlucky] = machine(&address, folder)?;
        if restarts > 0 && round % (kills / restarts).max(1) == 1 {
            cluster.stop(round % 2 == 1);
            std::thread::sleep(Duration::from_millis(next() % 500));
            cluster.resume();
        }
    }
    for machine in &mut machines {
        while machine.try_wait()?.is_none() {
            assert!(begun.elapsed() < Duration::from_secs(120 + files / 2), "a machine does not end");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    // Another machine takes over the work of the killed ones when their leases have ended.
    let (library, _) = Library::open_existing(server::place(&address, folder))?;
    std::thread::sleep(LEASE + Duration::from_millis(500));
    let last = options(analyser(&Seen::default(), 1, Duration::ZERO));
    library.scan(ScanOptions { max_attempts: 1000, ..last })?.wait()?;
    let status = library.status()?;
    assert_eq!((status.done, status.waiting, status.analysing, status.failed), (files, 0, 0, 0));
    assert_eq!(library.check()?, Vec::<String>::new());
    let mut begun_times: BTreeMap<String, u64> = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("log-")) {
            fs::read_to_string(path)?.lines().for_each(|name| *begun_times.entry(name.to_owned()).or_default() += 1);
        }
    }
    let again: u64 = begun_times.values().map(|times| times - 1).sum();
    // Two tracks are in progress at each kill; at a restart, six whose outcome could not be written may be analysed
    // again.
    assert!(again <= 2 * kills + 6 * restarts, "{again} tracks were begun again");
    // One machine alone gets the same features.
    let (alone, _) = Library::open(&folder.join("alone.sqlite"))?;
    alone.add_root(&folder.join("music"))?;
    scan(&alone, &Seen::default())?;
    let features = |library: &Library| -> Result<BTreeMap<PathBuf, Vec<u64>>, Error> {
        let bits = |values: &[Option<f64>]| values.iter().map(|value| value.map_or(1, f64::to_bits)).collect();
        let rows = rows(library)?;
        Ok(rows.into_iter().map(|row| (PathBuf::from(row.path), bits(&row.features))).collect())
    };
    assert_eq!(features(&library)?, features(&alone)?);
    println!(
        "{files} files, {kills} kills, {restarts} restarts: {:.1} s, {again} begun again",
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}
