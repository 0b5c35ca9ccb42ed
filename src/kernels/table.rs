//! The table of kernels: the name, the parts and the tolerance of each.

/// One kernel: a computation that exists as shaders and as a CPU twin under one name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    /// The name of its module, its parity test `tests/kernels/NAME.rs` and its row in `undertone bench`.
    pub name: &'static str,
    /// The display name.
    pub title: &'static str,
    /// Its shaders in `shaders/`, in the order in which they are dispatched.
    pub shaders: &'static [&'static str],
    /// Tolerance for the GPU's result against the f64 oracle: the RMS of the residual in dB re max(rms in, rms out).
    pub tolerance_db: f64,
    /// Minimum memory traffic on the GPU, in bytes per sample of one channel.
    pub bytes_per_sample: f64,
    /// The bench of `benches/` that times the CPU twin.
    pub bench: &'static str,
}

/// All kernels.
pub const TABLE: &[Kernel] = &[
    Kernel {
        name: "band_sums",
        title: "Sums over bands of spectra",
        shaders: &["band_sums.wgsl"],
        tolerance_db: -120.0,
        // Reads power spectra of four windows per frame, two bins per sample.
        bytes_per_sample: 8.0,
        bench: "features",
    },
    Kernel {
        name: "chroma",
        title: "Pitch classes",
        shaders: &["chroma.wgsl"],
        // Relative to the window's largest class: 1e-5.
        tolerance_db: -100.0,
        // For each of seven octaves, writes and reads one spectrum of 513 complex points per hop of 512 frames.
        bytes_per_sample: 112.0,
        bench: "features",
    },
    Kernel {
        name: "constant_q",
        title: "Constant-Q spectrogram",
        shaders: &["constant_q.wgsl"],
        tolerance_db: -120.0,
        // Reads one sample; the products are compute-bound.
        bytes_per_sample: 4.0,
        bench: "spectrogram_methods",
    },
    Kernel {
        name: "extremes",
        title: "Means of extremes of spectra",
        shaders: &["extremes.wgsl"],
        // A relative error of 2e-6 per mean.
        tolerance_db: -114.0,
        // Reads power spectra of four windows per frame, two bins per sample, five times for each extreme.
        bytes_per_sample: 80.0,
        bench: "features",
    },
    Kernel {
        name: "fir",
        title: "Filter with a finite response",
        shaders: &["fir_direct.wgsl", "fir.wgsl", "fir_long.wgsl"],
        tolerance_db: super::fir::TOLERANCE_DB,
        // For 1025 taps: reads 3584 frames for every 2560 frames that it writes.
        bytes_per_sample: 9.6,
        bench: "fir",
    },
    Kernel {
        name: "hpss",
        title: "Harmonic and percussive energies",
        shaders: &["hpss.wgsl"],
        tolerance_db: -100.0,
        // Same as `median`, plus reading spectra and medians.
        bytes_per_sample: 56.0,
        bench: "features",
    },
    Kernel {
        name: "iir_cascade",
        title: "Cascade of second-order sections",
        shaders: &["iir_cascade.wgsl"],
        tolerance_db: -120.0,
        bytes_per_sample: 12.0,
        bench: "iir_cascade",
    },
    Kernel {
        name: "istft",
        title: "Inverse short-time Fourier transform",
        shaders: &["istft.wgsl", "istft_long.wgsl"],
        tolerance_db: -125.0,
        // With a hop of a quarter of a window: reads spectra of four reals per sample and writes one sample.
        bytes_per_sample: 20.0,
        bench: "stft",
    },
    Kernel {
        name: "median",
        title: "Medians of 31",
        shaders: &["median.wgsl"],
        tolerance_db: f64::NEG_INFINITY,
        // Power spectra of four windows per frame, two bins per sample, read and written once along each axis.
        bytes_per_sample: 32.0,
        bench: "features",
    },
    Kernel {
        name: "mix",
        title: "Weighted sum",
        shaders: &["mix.wgsl"],
        tolerance_db: -140.0,
        bytes_per_sample: 12.0,
        bench: "mix_peak",
    },
    Kernel {
        name: "multi_resolution",
        title: "Multi-resolution spectrogram",
        shaders: &["multi_resolution.wgsl"],
        tolerance_db: -130.0,
        // Same as `stft`, whose transforms it blends; their levels stay on the device.
        bytes_per_sample: 6.0,
        bench: "spectrogram_methods",
    },
    Kernel {
        name: "peak",
        title: "Sample peak",
        shaders: &["peak.wgsl"],
        tolerance_db: f64::NEG_INFINITY,
        bytes_per_sample: 4.0,
        bench: "mix_peak",
    },
    Kernel {
        name: "reassigned",
        title: "Reassigned spectrogram",
        shaders: &["reassigned.wgsl"],
        // Applies to the spectra. The destination of a cell's energy can differ by rounding at the boundary between two
        // cells.
        tolerance_db: -130.0,
        // Reads one sample; writes and reads three spectra for every quarter of a window.
        bytes_per_sample: 100.0,
        bench: "spectrogram_methods",
    },
    Kernel {
        name: "spectral_shape",
        title: "Shapes of spectra",
        shaders: &["spectral_shape.wgsl"],
        // A relative error of 1e-5 per value.
        tolerance_db: -100.0,
        // Reads spectra for the sums and again for the moments about the centroid, and the preceding spectra for the
        // flux.
        bytes_per_sample: 24.0,
        bench: "features",
    },
    Kernel {
        name: "stft",
        title: "Short-time Fourier transform",
        shaders: &["stft.wgsl", "stft_long.wgsl"],
        tolerance_db: -130.0,
        // Reads one sample and writes a 2-byte code, for a picture with one row per two bins.
        bytes_per_sample: 6.0,
        bench: "stft",
    },
    Kernel {
        name: "yin",
        title: "Pitch by YIN",
        shaders: &["yin.wgsl"],
        // Relative to the period: a twentieth of a cent.
        tolerance_db: -90.0,
        // Reads one sample; writes and reads 680 differences per hop of 512 frames. The sums of squares are
        // compute-bound.
        bytes_per_sample: 20.0,
        bench: "features",
    },
];

/// Returns the kernel of the given name.
pub fn find(name: &str) -> Option<&'static Kernel> {
    TABLE.iter().find(|kernel| kernel.name == name)
}
