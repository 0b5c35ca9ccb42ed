//! Figures of a real GPU compiler for every entry point: registers, spills, instructions, latency. Mesa's RADV compiles
//! for a Radeon 7900 (gfx1100) on its null device, so that no card is needed.
//!
//! `benches/shader_statistics.csv` has the figures and `benches/shader_statistics.driver` the compiler that produced
//! them. After a change of a shader, or with another compiler, `UNDERTONE_WRITE_STATISTICS=1 cargo test --test kernels
//! statistics` writes both again.

mod radv;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use dsp::gpu::shaders::ALL;

/// The card whose compiler is used.
const FAMILY: &str = "gfx1100";
/// The columns after the entry point, and the names that the driver gives them.
const COLUMNS: [(&str, &str); 7] = [
    ("vgprs", "VGPRs"),
    ("spilled_vgprs", "Spilled VGPRs"),
    ("lds", "LDS size"),
    ("scratch", "Scratch size"),
    ("instructions", "Instructions"),
    ("latency", "Latency"),
    ("inverse_throughput", "Inverse Throughput"),
];
/// The change of a figure from which the file must be updated.
const CHANGE: f64 = 0.1;
/// Where the process with the null device writes.
const OUT: &str = "UNDERTONE_STATISTICS_OUT";

/// The figures of each entry point, in the order of [`COLUMNS`].
type Table = BTreeMap<String, [u64; COLUMNS.len()]>;

fn benches(name: &str) -> PathBuf {
    crate::support::repository().join("benches").join(name)
}

fn heading() -> String {
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    format!("entry,{}", names.join(","))
}

fn text(table: &Table) -> String {
    let rows = table.iter().map(|(entry, figures)| {
        let figures: Vec<String> = figures.iter().map(u64::to_string).collect();
        format!("{entry},{}\n", figures.join(","))
    });
    format!("{}\n{}", heading(), rows.collect::<String>())
}

fn parse(text: &str) -> Table {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(heading().as_str()), "the columns");
    lines
        .map(|line| {
            let (entry, figures) = line.split_once(',').unwrap();
            let figures: Vec<u64> = figures.split(',').map(|figure| figure.parse().unwrap()).collect();
            (entry.to_owned(), figures.try_into().unwrap())
        })
        .collect()
}

/// Returns the faults of `now`, given the recorded figures `before`. Figures of another compiler are not compared.
fn complaints(now: &Table, before: &Table, same_compiler: bool) -> Vec<String> {
    let mut found = Vec::new();
    for (entry, figures) in now {
        for (column, figure) in COLUMNS.iter().zip(figures) {
            if matches!(column.0, "spilled_vgprs" | "scratch") && *figure > 0 {
                found.push(format!("{entry}: {} is {figure}, must be 0", column.0));
            }
        }
        let Some(known) = before.get(entry) else {
            found.push(format!("{entry} is not in the table"));
            continue;
        };
        for ((column, figure), known) in COLUMNS.iter().zip(figures).zip(known) {
            let change = (*figure as f64 - *known as f64) / (*known as f64).max(1.0);
            if same_compiler && change.abs() > CHANGE {
                found.push(format!("{entry}: {} was {known}, is {figure}", column.0));
            }
        }
    }
    found.extend(before.keys().filter(|entry| !now.contains_key(*entry)).map(|entry| format!("{entry} is no more")));
    found
}

/// Returns the driver's manifest on this machine, if it is installed.
fn manifest() -> Option<PathBuf> {
    let drivers = std::fs::read_dir("/usr/share/vulkan/icd.d").ok()?;
    drivers
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("radeon_icd")))
}

#[test]
fn every_entry_point_compiles_for_a_radeon_without_spills_and_no_worse_than_before() {
    let Some(manifest) = manifest() else {
        assert!(std::env::var_os("UNDERTONE_REQUIRE_GPU").is_none(), "Mesa's RADV is not installed");
        eprintln!("skipped: Mesa's RADV is not installed");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("statistics.csv");
    // A separate process: the environment chooses the driver.
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["statistics::on_the_null_device", "--exact", "--ignored", "--quiet"])
        .env("RADV_FORCE_FAMILY", FAMILY)
        .env("VK_DRIVER_FILES", manifest)
        .env(OUT, &out)
        .status()
        .unwrap();
    assert!(status.success(), "the null device: {status}");
    let written = std::fs::read_to_string(&out).unwrap();
    let (driver, written) = written.split_once('\n').unwrap();
    let now = parse(written);
    let entries: usize = ALL.iter().map(|shader| shader.entries.len()).sum();
    assert_eq!(now.len(), entries, "every entry point");
    if std::env::var_os("UNDERTONE_WRITE_STATISTICS").is_some() {
        std::fs::write(benches("shader_statistics.csv"), text(&now)).unwrap();
        std::fs::write(benches("shader_statistics.driver"), format!("{driver}\n")).unwrap();
    }
    let before = parse(&std::fs::read_to_string(benches("shader_statistics.csv")).unwrap());
    let same = std::fs::read_to_string(benches("shader_statistics.driver")).unwrap().trim() == driver;
    let found = complaints(&now, &before, same);
    assert!(found.is_empty(), "{driver}:\n{}\nIf that is meant, write the table again.", found.join("\n"));
}

#[test]
#[ignore = "runs in a process of its own, started by the test above"]
fn on_the_null_device() {
    let Some(out) = std::env::var_os(OUT) else { return };
    let device = radv::Device::open().unwrap();
    let mut table = Table::new();
    for shader in ALL {
        for entry in shader.entries {
            let said = device.statistics(entry).unwrap();
            let figure = |name: &str| *said.get(name).unwrap_or_else(|| panic!("no {name} in {said:?}"));
            table.insert(format!("{}.{}", shader.name, entry.name), COLUMNS.map(|(_, name)| figure(name)));
        }
    }
    std::fs::write(out, format!("{}\n{}", device.driver, text(&table))).unwrap();
}

#[test]
fn spills_growth_and_unknown_entry_points_are_told() {
    let before = Table::from([("a.x".into(), [10, 0, 64, 0, 100, 1_000, 500]), ("a.gone".into(), [1; 7])]);
    let mut now = before.clone();
    now.remove("a.gone");
    assert_eq!(complaints(&now, &before, true), ["a.gone is no more"]);
    now.insert("a.x".into(), [10, 2, 64, 16, 111, 1_100, 440]);
    let found = complaints(&now, &now, true);
    assert_eq!(found, ["a.x: spilled_vgprs is 2, must be 0", "a.x: scratch is 16, must be 0"]);
    let found = complaints(&now, &before, true);
    assert!(found.contains(&"a.x: instructions was 100, is 111".to_owned()), "{found:?}");
    assert!(found.contains(&"a.x: inverse_throughput was 500, is 440".to_owned()), "{found:?}");
    assert!(!found.iter().any(|line| line.contains("latency")), "{found:?}");
    assert_eq!(complaints(&now, &before, false).len(), 3, "another compiler: spills and entry points only");
    assert_eq!(parse(&text(&now)), now);
}
