"""Reference values of REPET-SIM, in f64, written from the paper (Z. Rafii and B. Pardo, ISMIR 2012).

    python3 tests/reference/stems.py > tests/reference/stems.json

The signal has two channels at 8 kHz and is made of sines and of a linear congruential generator, so that the tests make the
same: a beat of a second that repeats with changing levels, and a gliding tone over it. Windows are periodic Hamming of 512
frames, 256 apart and centred on multiples of it, with zeros beyond the ends. Similar windows are at most 3 peaks of the
cosine between mean magnitudes that are above all others within 31 windows. The shares of what repeats are those of every
17th window. Written with NumPy 2.4.6 and SciPy 1.17.1.
"""

import json
import sys

import numpy
import scipy
from scipy.signal import ShortTimeFFT, get_window

RATE, FRAMES, SIZE, MOST, DISTANCE, EVERY = 8000, 8 * 8000, 512, 3, 31, 17
HOP = SIZE // 2
FIRST_BIN = int(numpy.ceil(100 * SIZE / RATE)) + 1


def noise(count, seed):
    values, state = numpy.empty(count), seed
    for n in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        values[n] = (state >> 40) / 2**23 - 1
    return values


def signal():
    n = numpy.arange(FRAMES)
    beat, place = n // RATE, n % RATE
    decay = numpy.exp(-place / 1500)
    level = 1 + 0.1 * (beat * 7 % 5)
    hits = noise(RATE, 1)[place] * decay * level
    chord = (numpy.sin(0.17 * place) + 0.5 * numpy.sin(0.26 * place)) * level
    hiss = noise(FRAMES, 2)
    glide = numpy.sin(2 * numpy.pi * (300 * n / RATE + 20 * (n / RATE) ** 2)) * (n % 12000 < 7000)
    left = 0.2 * hits + 0.15 * chord + 0.1 * glide + 0.03 * hiss
    right = 0.1 * hits + 0.2 * chord + 0.1 * glide - 0.03 * hiss
    # f32 holds what both sides read.
    return [channel.astype(numpy.float32).astype(float) for channel in (left, right)]


def magnitudes(channels):
    transform = ShortTimeFFT(get_window("hamming", SIZE), HOP, fs=1, phase_shift=None)
    count = 1 + -(-FRAMES // HOP)
    return numpy.array([abs(transform.stft(x, p0=0, p1=count)).T for x in channels])


def similar(spectra):
    mean = spectra.mean(axis=0)
    directions = mean / numpy.linalg.norm(mean, axis=1, keepdims=True)
    found = []
    for row in directions @ directions.T:
        around = lambda k: numpy.concatenate([row[max(0, k - DISTANCE):k], row[k + 1:k + 1 + DISTANCE]])
        peaks = [k for k in range(len(row)) if row[k] > 0 and row[k] > around(k).max()]
        found.append(sorted(peaks, key=lambda k: (-row[k], k))[:MOST])
    return found


def shares(spectra, similar, window):
    repeating = numpy.minimum(numpy.median(spectra[:, similar[window]], axis=1), spectra[:, window])
    share = repeating / spectra[:, window]
    share[:, :FIRST_BIN] = 1
    return share


spectra = magnitudes(signal())
found = similar(spectra)
windows = range(0, spectra.shape[1], EVERY)
json.dump({
    "versions": {"numpy": numpy.__version__, "scipy": scipy.__version__},
    "similar": found,
    "shares": [
        {"window": k, "values": [[round(float(v), 6) for v in row] for row in shares(spectra, found, k)]}
        for k in windows
    ],
}, sys.stdout, separators=(",", ":"))
print()
