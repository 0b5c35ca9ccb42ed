"""Reference values of constant-Q transforms, by librosa.cqt.

    python3 tests/reference/constant_q.py > tests/reference/constant_q.json

The signal is four steady sines on and between bins and a click, rounded to multiples of 2^-16, which f32 holds exactly;
the test has the same formula. Amplitudes are given, 1 being a full-scale sine's: twice librosa's magnitude without its
scaling, over the length of the window, for every bin at some frames. Nothing is left out as too small (sparsity 0).
Written with librosa 0.11.0, NumPy 2.4.6.
"""

import json
import sys

import librosa
import numpy

RATE, FRAMES, LOW_HZ, HOP = 16000, 49152, 110.0, 512


def signal():
    n = numpy.arange(FRAMES)
    x = numpy.zeros(FRAMES)
    for hz, level in [(220.0, 0.3), (LOW_HZ * 2 ** (37.5 / 12), 0.2), (1760.0, 0.1), (3100.0, 0.05)]:
        x += level * numpy.sin(2 * numpy.pi * hz / RATE * n)
    x[24700] += 0.9
    return numpy.round(x * 65536) / 65536


def case(per_octave, octaves, frames):
    bins = per_octave * octaves
    got = librosa.cqt(
        signal(), sr=RATE, hop_length=HOP, fmin=LOW_HZ, n_bins=bins, bins_per_octave=per_octave, tuning=0.0,
        filter_scale=1, norm=1, sparsity=0.0, window="hann", scale=False, pad_mode="constant", dtype=numpy.complex128,
    )
    frequencies = librosa.cqt_frequencies(bins, fmin=LOW_HZ, bins_per_octave=per_octave)
    lengths, _ = librosa.filters.wavelet_lengths(freqs=frequencies, sr=RATE, window="hann", filter_scale=1)
    amplitudes = 2 * numpy.abs(got) / lengths[:, numpy.newaxis]
    return {
        "bins_per_octave": per_octave,
        "frames": [
            {"centre": k * HOP, "amplitudes": [float(f"{value:.6g}") for value in amplitudes[:, k]]} for k in frames
        ],
    }


cases = [case(12, 5, [30, 48]), case(36, 5, [30, 48])]
json.dump({"made_with": f"librosa {librosa.__version__}, NumPy {numpy.__version__}", "cases": cases}, sys.stdout)
print()
