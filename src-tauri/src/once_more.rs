//! A start while the former instance ends.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

/// Counts the starts, from one to the next.
const STARTS: &str = "UNDERTONE_STARTS";
/// The former instance has ended long before.
const MAX_STARTS: u32 = 20;
const WAIT: Duration = Duration::from_millis(100);

/// Starts this program once more, in this process, if it could not start because the instance that it handed its files to
/// was ending. Otherwise it would be gone with its files, and so would the former one.
pub fn if_the_former_was_ending(error: &tauri::Error) {
    let tauri::Error::PluginInitialization(plugin, reason) = error else { return };
    let starts = std::env::var(STARTS).ok().and_then(|starts| starts.parse().ok()).unwrap_or(1);
    if plugin != "single-instance" || starts >= MAX_STARTS {
        return;
    }
    tracing::info!("starts once more: {reason}");
    sleep(WAIT);
    let Ok(program) = std::env::current_exe() else { return };
    let failed = Command::new(program).args(std::env::args_os().skip(1)).env(STARTS, (starts + 1).to_string()).exec();
    tracing::error!("cannot start once more: {failed}");
}
