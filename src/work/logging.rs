//! Logging, for programs.

/// Logs to standard error. `RUST_LOG` sets the level; warnings by default.
pub fn log_to_stderr() {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new("warn,wgpu_core=error,wgpu_hal=error,naga=error,symphonia=error"));
    // A second call, as in tests, has no effect.
    let _ = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init();
}
