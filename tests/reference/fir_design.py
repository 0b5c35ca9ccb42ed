"""Reference taps of FIR designs, for tests/design_fir.rs.

Run with the versions named in the output (pip install scipy numpy):

    python tests/reference/fir_design.py > tests/reference/fir_design.json

Window method: scipy.signal.firwin; least squares: firls; Parks-McClellan: remez with a grid of 128 points for each peak;
minimum phase: the largest difference between the magnitude of minimum_phase(h, half=False) and that of h, and its taps.
Frequencies are in cycles per frame. Of symmetric taps the first half is written.
"""

import json
import sys

import numpy
import scipy
from scipy import signal

WINDOWS = {
    "rectangular": "boxcar", "bartlett": "bartlett", "hann": "hann", "hamming": "hamming", "blackman": "blackman",
    "blackman_harris": "blackmanharris", "nuttall": "nuttall", "flattop": "flattop", "barthann": "barthann",
    "parzen": "parzen", "bohman": "bohman", "kaiser(8.6)": ("kaiser", 8.6), "kaiser(3.4)": ("kaiser", 3.4),
}
PASSES = [("low", [0.1]), ("low", [0.003]), ("high", [0.2]), ("band", [0.05, 0.12]), ("stop", [0.21, 0.4])]
ZERO = {"low": "lowpass", "high": "highpass", "band": "bandpass", "stop": "bandstop"}


def half(taps):
    assert numpy.max(numpy.abs(taps - taps[::-1])) < 1e-12
    return [float(tap) for tap in taps[: (len(taps) + 1) // 2]]


windowed = []
for name, window in WINDOWS.items():
    for kind, edges in PASSES:
        for taps in (31, 32, 5):
            if taps == 32 and kind in ("high", "stop"):
                continue
            h = signal.firwin(taps, edges, window=window, pass_zero=ZERO[kind], fs=1.0)
            windowed.append({"window": name, "kind": kind, "edges": edges, "taps": taps, "half": half(h)})

BANDS = [
    [[0, 0.1, 1, 1, 1], [0.15, 0.5, 0, 0, 1]],
    [[0, 0.1, 1, 1, 1], [0.13, 0.5, 0, 0, 10]],
    [[0, 0.2, 0, 0, 1], [0.25, 0.5, 1, 1, 1]],
    [[0, 0.08, 0, 0, 1], [0.12, 0.2, 1, 1, 1], [0.24, 0.5, 0, 0, 5]],
    [[0, 0.1, 1, 1, 1], [0.15, 0.2, 0, 0, 20], [0.25, 0.5, 1, 1, 1]],
    [[0, 0.01, 1, 1, 1], [0.03, 0.5, 0, 0, 1]],
]
SLOPED = [[[0, 0.2, 1, 0.25, 1], [0.27, 0.5, 0, 0, 2]], [[0, 0.5, 0, 1, 1]]]


def split(bands):
    edges = [edge for band in bands for edge in band[:2]]
    gains = [gain for band in bands for gain in band[2:4]]
    return edges, gains, [band[4] for band in bands]


least_squares = []
for bands in BANDS + SLOPED:
    for taps in (15, 31, 73, 101):
        edges, gains, weights = split(bands)
        h = signal.firls(taps, edges, gains, weight=weights, fs=1.0)
        least_squares.append({"bands": bands, "taps": taps, "half": half(h)})

equiripple = []
for bands in BANDS:
    for taps in (15, 31, 32, 73, 101):
        edges, gains, weights = split(bands)
        if taps == 32 and gains[-1] != 0:
            continue
        h = signal.remez(taps, edges, gains[::2], weight=weights, fs=1.0, maxiter=200, grid_density=128)
        equiripple.append({"bands": bands, "taps": taps, "half": half(h)})

minimum = []
for kind, edges in PASSES:
    for window in ("hamming", ("kaiser", 10.0)):
        h = signal.firwin(63, edges, window=window, pass_zero=ZERO[kind], fs=1.0)
        low = signal.minimum_phase(h, half=False, n_fft=1 << 18)
        w = numpy.linspace(0, numpy.pi, 1001)
        error = numpy.max(numpy.abs(numpy.abs(signal.freqz(h, worN=w)[1]) - numpy.abs(signal.freqz(low, worN=w)[1])))
        name = window if isinstance(window, str) else "kaiser(10)"
        minimum.append({"kind": kind, "edges": edges, "window": name, "error": float(error), "taps": [float(t) for t in low]})

kaiser = []
for attenuation in (30.0, 60.0, 80.0, 120.0):
    for transition in (0.001, 0.02, 0.1):
        taps, beta = signal.kaiserord(attenuation, 2 * transition)
        kaiser.append([attenuation, transition, int(taps), float(beta)])

json.dump(
    {
        "made_with": f"SciPy {scipy.__version__}, NumPy {numpy.__version__}, Python {sys.version.split()[0]}",
        "windowed": windowed,
        "least_squares": least_squares,
        "equiripple": equiripple,
        "minimum": minimum,
        "kaiser": kaiser,
    },
    sys.stdout,
)
print()
