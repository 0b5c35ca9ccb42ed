"""SciPy's oaconvolve, and torchfx's FIR where it is installed, on the numbers of benches/fir.rs.

    python benches/fir_peers.py

Both filter a minute of stereo in 32-bit floats; the best of five runs counts.
"""

import time

import numpy
import scipy
from scipy import signal

RATE, SECONDS, CHANNELS = 48000, 60, 2


def best(work, times=5):
    def once():
        begun = time.perf_counter()
        work()
        return time.perf_counter() - begun

    return min(once() for _ in range(times))


def torchfx_filter(taps):
    try:
        import torch
        from torchfx.filter import FIR
    except ImportError:
        return None
    filter_ = FIR(taps)
    return lambda x: filter_(torch.from_numpy(x))


frames = RATE * SECONDS
n = numpy.arange(frames)
x = numpy.stack([((n * 7919 + c * 31) % 65536) / 65536 - 0.5 for c in range(CHANNELS)]).astype(numpy.float32)
print(f"SciPy {scipy.__version__}, NumPy {numpy.__version__}: {SECONDS} s of {CHANNELS} channels at {RATE} Hz")
for length in (31, 64, 128, 255, 1025, 4097, 10 * RATE):
    k = numpy.arange(length)
    taps = (numpy.sin(k * 0.7) / (k + 9) / 10).astype(numpy.float32)
    seconds = best(lambda: signal.oaconvolve(x, taps[None, :], axes=1))
    line = f"{length:6} taps: oaconvolve {frames * CHANNELS / seconds / 1e6:7.1f} Msamples/s"
    run = torchfx_filter(taps.tolist()) if length <= 4097 else None
    if run:
        line += f"; torchfx {frames * CHANNELS / best(lambda: run(x)) / 1e6:7.1f}"
    print(line)
