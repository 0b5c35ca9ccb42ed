//! Devices: the one that is chosen, benches, verification.

use serde_json::Value;

use crate::support::terminal::{Terminal, said, status};

#[test]
fn a_device_that_does_not_exist_falls_back_and_says_so() {
    let terminal = Terminal::new();
    terminal.tone("in.wav");
    let output = terminal.run(&[
        "process",
        "in.wav",
        "-o",
        "out.wav",
        "-c",
        "lowpass(1 kHz)",
        "--device",
        "no such adapter",
        "--json",
    ]);
    assert_eq!(status(&output), 0, "{}", said(&output));
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let device = &told["files"][0]["device"];
    assert_eq!(
        (&device["requested"], &device["used"], &device["fallback"]),
        (&"no such adapter".into(), &"cpu".into(), &true.into())
    );
    assert!(said(&output).contains("no such adapter"));
}

#[test]
fn devices_names_the_cpu_first() {
    let terminal = Terminal::new();
    let told = terminal.json(&["devices", "--device", "cpu", "--json"]);
    assert_eq!(told["devices"][0]["id"], "cpu");
    assert_eq!(told["choice"]["used"], "cpu");
}

#[test]
fn a_bench_has_rows_and_says_how_it_measured() {
    let terminal = Terminal::new();
    let words = ["bench", "peak", "--frames", "8192", "--channels", "3", "--limit", "30", "--device", "cpu"];
    let told = terminal.json(&[&words[..], &["--json"]].concat());
    let row = &told["rows"][0];
    assert_eq!(
        (row["kernel"].as_str(), row["entry"].as_str(), row["channels"].as_u64()),
        (Some("peak"), None, Some(3))
    );
    assert_eq!((row["samples"].as_u64(), row["device_seconds"].as_f64()), (Some(3 * 8192), None));
    assert!(row["wall_seconds"].as_f64() > Some(0.0) && row["runs"].as_u64() >= Some(5), "{row}");
    let device = &told["devices"][0];
    assert!(device["spread_bytes"].as_u64() >= device["cache_bytes"].as_u64(), "{device}");
    assert_eq!((device["limit_seconds"].as_u64(), device["left_out"].as_array().map(Vec::len)), (Some(30), Some(0)));
    let output = terminal.run(&words);
    assert!(said(&output).contains("cpu: the last-level cache "), "{output:?}");
    // A length that no chunk has, and a kernel that does not exist.
    assert_eq!(status(&terminal.run(&["bench", "--frames", "0", "--device", "cpu"])), 2);
    assert!(said(&terminal.run(&["bench", "nonsense", "--device", "cpu"])).contains("band_sums, chroma"));
}

#[test]
fn devices_are_verified_and_the_report_is_written_once() {
    let terminal = Terminal::new();
    let words = ["devices", "--verify", "--device", "cpu", "--report", "report.md", "--json"];
    let told = terminal.json(&words);
    let adapter = &told["adapters"][0];
    assert_eq!((&adapter["id"], &adapter["backend"]), (&Value::from("cpu"), &Value::from("Rust")));
    let kernels = adapter["kernels"].as_array().expect("kernels");
    assert_eq!(kernels.len(), 3 * undertone::device::trials::TABLE.len());
    for check in kernels {
        assert_eq!(check["passed"], true, "{check}");
        for name in ["size", "ms", "gb_s", "share"] {
            assert!(check[name].is_number(), "{name} of {check}");
        }
    }
    let report = std::fs::read_to_string(terminal.path("report.md")).expect("the report");
    assert!(report.contains("| iir_cascade | 262144 |") && report.contains("everything passed"), "{report}");
    // Refused before the verification starts, not after minutes.
    assert_eq!(status(&terminal.run(&words)), 1);
    assert_eq!(status(&terminal.run(&["devices", "--verify", "--report", "report.txt"])), 2);
    assert_ne!(status(&terminal.run(&["devices", "--verify", "--device", "gpu:99"])), 0);
    assert_eq!(std::fs::read_to_string(terminal.path("report.md")).expect("the report"), report);
}
