//! The entry point of the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(undertone::cli::run(std::env::args_os()))
}
