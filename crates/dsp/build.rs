//! Compiles `shaders/*/*.wgsl`: resolves their imports, validates them with naga and writes what they declare (bindings,
//! parameters, constants, workgroup sizes) as Rust for `src/gpu/shaders.rs`. An invalid shader fails the build with its
//! file and line, and so does a folder without shaders.

#[path = "build/shaders.rs"]
mod shaders;

use std::path::Path;
use std::process::ExitCode;

/// The shaders' folder, beside the crates.
const SHADERS: &str = "../../shaders";

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={SHADERS}");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let generated = shaders::compile(Path::new(SHADERS))
        .and_then(|text| std::fs::write(Path::new(&out).join("shaders.rs"), text).map_err(|error| error.to_string()));
    match generated {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            for line in message.lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}
