//! Tests that need a process to themselves.

use std::process::Command;

/// Runs an ignored test in a separate process.
pub fn alone(scenario: &str, environment: &[(&str, &str)]) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", scenario, "--ignored", "--nocapture"]).envs(environment.iter().copied());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{scenario}:\n{text}");
}
