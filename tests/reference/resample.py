"""Reference values of rate conversion, by scipy.signal.resample_poly with the filter that crates/dsp/src/measure/resample documents.

    python3 tests/reference/resample.py > tests/reference/resample.json

SciPy upsamples by zeros, filters with the whole prototype and keeps every down-th sample, in f64: an independent way to
the same numbers. The input is a fixed sequence that fills the whole band, x[n] = ((7919 n n + 104729 n) mod 65536) /
32768 - 1, which f32 holds exactly. Written with SciPy 1.17.1 and NumPy 2.4.6.
"""

import json
import math
import sys

import numpy
import scipy
from scipy import signal

ATTENUATION_DB = 140.0
PASS_BAND = 5 / 11
ROW_STEP = 8


def prototype(up, down):
    """The windowed sinc at `up` times the input's rate, with a gain of one; resample_poly scales it by `up`."""
    lower = min(up / down, 1.0)
    passes, stops = PASS_BAND * lower, 0.5 * lower
    taps = math.ceil((ATTENUATION_DB - 7.95) / (2.285 * 2 * math.pi * (stops - passes))) + 1
    taps = -(-taps // ROW_STEP) * ROW_STEP
    half = taps // 2 * up
    time = numpy.arange(-half, half + 1) / up
    cutoff = (passes + stops) / 2
    window = signal.windows.kaiser(2 * half + 1, 0.1102 * (ATTENUATION_DB - 8.7))
    return 2 * cutoff / up * numpy.sinc(2 * cutoff * time) * window


def case(rate_in, rate_out, frames):
    common = math.gcd(rate_in, rate_out)
    up, down = rate_out // common, rate_in // common
    n = numpy.arange(frames)
    x = ((7919 * n * n + 104729 * n) % 65536) / 32768 - 1
    y = signal.resample_poly(x, up, down, window=prototype(up, down))
    y = y[: (2 * frames * rate_out + rate_in) // (2 * rate_in)]
    return {"from": rate_in, "to": rate_out, "frames": frames, "output": [float(f"{value:.11g}") for value in y]}


cases = [case(44100, 48000, 300), case(48000, 44100, 300), case(96000, 44100, 500), case(44101, 47981, 250)]
json.dump({"scipy": scipy.__version__, "numpy": numpy.__version__, "cases": cases}, sys.stdout)
print()
