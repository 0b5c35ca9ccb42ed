//! The table of kernels: what each is called, where its parts are, and how near its twins must be.

/// One kernel: a piece of computation that exists as shaders and as a CPU twin under one name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    /// The name of its module, its parity test `tests/kernels/NAME.rs` and its row in `undertone bench`.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Its shaders in `shaders/`, in the order in which they are dispatched.
    pub shaders: &'static [&'static str],
    /// How far the GPU's result may be from the f64 oracle's, as the residual's RMS in dB re max(rms in, rms out).
    pub tolerance_db: f64,
    /// Memory traffic that the GPU needs at the least, in bytes for each sample of one channel.
    pub bytes_per_sample: f64,
    /// The bench of `benches/` that times the CPU twin.
    pub bench: &'static str,
}

/// Every kernel there is.
pub const TABLE: &[Kernel] = &[
    Kernel {
        name: "band_sums",
        title: "Sums over bands of spectra",
        shaders: &["band_sums.wgsl"],
        tolerance_db: -120.0,
        // Power spectra of four windows over each frame, two bins a sample, are read.
        bytes_per_sample: 8.0,
        bench: "features",
    },
    Kernel {
        name: "chroma",
        title: "Pitch classes",
        shaders: &["chroma.wgsl"],
        // Of a window's largest class: 1e-5.
        tolerance_db: -100.0,
        // Of each of seven octaves a spectrum of 513 complex points to a hop of 512 frames is written and read.
        bytes_per_sample: 112.0,
        bench: "features",
    },
    Kernel {
        name: "constant_q",
        title: "Constant-Q spectrogram",
        shaders: &["constant_q.wgsl"],
        tolerance_db: -120.0,
        // A sample is read; the products are bound by arithmetic.
        bytes_per_sample: 4.0,
        bench: "spectrogram_methods",
    },
    Kernel {
        name: "extremes",
        title: "Means of extremes of spectra",
        shaders: &["extremes.wgsl"],
        // A relative error of 2e-6 of each mean.
        tolerance_db: -114.0,
        // Power spectra of four windows over each frame, two bins a sample, are read: five times for either end.
        bytes_per_sample: 80.0,
        bench: "features",
    },
    Kernel {
        name: "fir",
        title: "Filter with a finite response",
        shaders: &["fir_direct.wgsl", "fir.wgsl", "fir_long.wgsl"],
        tolerance_db: super::fir::TOLERANCE_DB,
        // Of 1025 taps: 2560 frames are made of 3584, and written.
        bytes_per_sample: 9.6,
        bench: "fir",
    },
    Kernel {
        name: "hpss",
        title: "Harmonic and percussive energies",
        shaders: &["hpss.wgsl"],
        tolerance_db: -100.0,
        // As of median, and spectra and medians are read.
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
        // A quarter of a window from one to the next: spectra of four reals a sample are read, a sample is written.
        bytes_per_sample: 20.0,
        bench: "stft",
    },
    Kernel {
        name: "median",
        title: "Medians of 31",
        shaders: &["median.wgsl"],
        tolerance_db: f64::NEG_INFINITY,
        // Power spectra of four windows over each frame, two bins a sample: read and written once along either axis.
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
        // As of stft, whose transforms it fades; their levels stay on the device.
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
        // Of the spectra; where energy goes, rounding decides on the edge between two places.
        tolerance_db: -130.0,
        // A sample is read; three spectra of every quarter of a window are written and read again.
        bytes_per_sample: 100.0,
        bench: "spectrogram_methods",
    },
    Kernel {
        name: "spectral_shape",
        title: "Shapes of spectra",
        shaders: &["spectral_shape.wgsl"],
        // A relative error of 1e-5 of each number.
        tolerance_db: -100.0,
        // Spectra are read for the sums and for those around the centre, and the ones before them for the rise.
        bytes_per_sample: 24.0,
        bench: "features",
    },
    Kernel {
        name: "stft",
        title: "Short-time Fourier transform",
        shaders: &["stft.wgsl", "stft_long.wgsl"],
        tolerance_db: -130.0,
        // A sample is read; of a picture with a row for every other bin, a code of two bytes is written.
        bytes_per_sample: 6.0,
        bench: "stft",
    },
    Kernel {
        name: "yin",
        title: "Pitch by YIN",
        shaders: &["yin.wgsl"],
        // Of the period: a twentieth of a cent.
        tolerance_db: -90.0,
        // A sample is read, and 680 differences a hop of 512 frames are written and read; sums of squares bind it.
        bytes_per_sample: 20.0,
        bench: "features",
    },
];

/// The kernel of that name.
pub fn find(name: &str) -> Option<&'static Kernel> {
    TABLE.iter().find(|kernel| kernel.name == name)
}
