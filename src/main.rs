//! The command line's entry.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(undertone::cli::run(std::env::args_os()))
}
