"""Reference values of short-time Fourier transforms, by scipy.signal.ShortTimeFFT in f64.

    python3 tests/reference/stft.py > tests/reference/stft.json

The signal is a fixed sequence that fills the whole band, x[n] = ((7919 n n + 104729 n) mod 65536) / 32768 - 1, which f32
holds exactly. Spectra are given as real and imaginary parts of every bin, phases being those at a window's first frame
(phase_shift=None). Written with SciPy 1.17.1 and NumPy 2.4.6.
"""

import json
import sys

import numpy
import scipy
from scipy.signal import ShortTimeFFT, get_window


def case(name, scipys, size, padding, hop, frames, windows):
    n = numpy.arange(frames)
    x = ((7919 * n * n + 104729 * n) % 65536) / 32768 - 1
    window = get_window(scipys, size)
    transform = ShortTimeFFT(window, hop, fs=1, mfft=size * padding, phase_shift=None)
    spectra = transform.stft(x, p0=0, p1=max(windows) + 1)
    rounded = lambda value: float(f"{value:.12g}")
    return {
        "window": name, "size": size, "padding": padding, "hop": hop, "frames": frames,
        "spectra": [
            {"window": k, "values": [[rounded(v.real), rounded(v.imag)] for v in spectra[:, k]]} for k in windows
        ],
    }


cases = [
    case("hann", "hann", 64, 1, 16, 700, [0, 1, 20, 43]),
    case("blackman_harris", "blackmanharris", 128, 4, 100, 700, [0, 3, 7]),
    case("kaiser(8.6)", ("kaiser", 8.6), 101, 1, 37, 300, [0, 1, 4, 8]),
    case("rectangular", "boxcar", 256, 2, 300, 500, [0, 1]),
]
json.dump({"made_with": f"SciPy {scipy.__version__}, NumPy {numpy.__version__}", "cases": cases}, sys.stdout)
print()
