"""Reference values of reassigned spectra, by librosa.reassigned_spectrogram in f64.

    python3 tests/reference/reassigned.py > tests/reference/reassigned.json

The signal is a chirp, two steady sines and a click, rounded to multiples of 2^-16, which f32 holds exactly; the test has
the same formula. Of some windows, the bins within 80 dB of the loudest are given: the bin, its power |S|^2, its time in
frames and its frequency in bins. librosa's times stand half a frame after ours (it counts from a frame's middle). Written
with librosa 0.11.0, NumPy 2.4.6.
"""

import json
import sys

import librosa
import numpy

FRAMES = 4096


def signal():
    n = numpy.arange(FRAMES)
    x = 0.4 * numpy.sin(2 * numpy.pi * (0.05 * n + 0.00002 * n * n)) + 0.3 * numpy.sin(2 * numpy.pi * 0.3141 * n)
    x += 0.01 * numpy.sin(2 * numpy.pi * 0.4321 * n + 1)
    x[2500] += 0.9
    return numpy.round(x * 65536) / 65536


def case(name, size, padding, hop, windows):
    x = signal()
    frequencies, times, magnitudes = librosa.reassigned_spectrogram(
        x, sr=1, n_fft=size, hop_length=hop, win_length=size, window=name, center=True, pad_mode="constant",
        ref_power=0.0, clip=False, dtype=numpy.complex128,
    )
    rounded = lambda value: float(f"{value:.9g}")
    spectra = []
    for k in windows:
        power = magnitudes[:, k] ** 2
        bins = [int(b) for b in numpy.flatnonzero(power > 1e-8 * power.max())][::2]
        spectra.append({
            "centre": k * hop,
            "cells": [[b, rounded(power[b]), rounded(times[b, k]), rounded(frequencies[b, k] * size)] for b in bins],
        })
    return {"window": name, "size": size, "spectra": spectra}


cases = [case("hann", 256, 1, 100, [0, 7, 25, 40]), case("blackman", 512, 1, 100, [3, 24])]
json.dump({"made_with": f"librosa {librosa.__version__}, NumPy {numpy.__version__}", "cases": cases}, sys.stdout)
print()
