//! Generates the window's context. Each command has its own permission; none is granted by default.

fn main() {
    let manifest = tauri_build::AppManifest::new().commands(&[
        "call",
        "peaks",
        "track_peaks",
        "samples",
        "spectrogram",
        "compare_peaks",
        "compare_samples",
        "compare_spectrogram",
        "monitor",
        "loudness",
        "library_map",
    ]);
    let attributes = tauri_build::Attributes::new().app_manifest(manifest);
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo::error={error:#}");
        std::process::exit(1);
    }
}
