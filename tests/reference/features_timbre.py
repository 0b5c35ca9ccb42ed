"""Reference values of timbre and pitch, by librosa in f64, and of YIN by its paper's sums in f64.

    python3 tests/reference/features_timbre.py > tests/reference/features_timbre.json

Signals are made of sines and of the noise u(n) = ((7919 n n + 104729 n) mod 65536) / 32768 - 1, and rounded to f32:

timbre   half a second: silence for 2048 frames, then a sweep from 150 Hz to 0.15 rate that swells, and fading noise
melody   eight notes of a quarter of a second, five harmonics each, gliding up by 2 %, over faint noise

Windows are those of the layout: 2048 by 512 at 44.1 kHz, 1024 by 256 at 22.05 kHz. Pitches are null where a window is
unvoiced. Written with librosa 0.11.0, SciPy 1.17.1 and NumPy 2.4.6.
"""

import json
import sys

import librosa
import numpy
import scipy

LOW, HIGH, THRESHOLD = 65.0, 2093.0, 0.15


def noise(count):
    n = numpy.arange(count, dtype=numpy.int64)
    return ((7919 * n * n + 104729 * n) % 65536) / 32768 - 1


def timbre(rate):
    t = numpy.arange(rate // 2) / rate
    sweep = numpy.sin(2 * numpy.pi * (150 * t + 0.15 * rate * t * t))
    x = 0.8 * t * sweep + (0.1 - 0.16 * t) * noise(t.size)
    x[:2048] = 0
    return x.astype(numpy.float32).astype(float)


def melody(rate):
    parts = []
    for hz in (110, 146.83, 220, 329.63, 440, 659.26, 880, 1318.5):
        t = numpy.arange(rate // 4) / rate
        phase = 2 * numpy.pi * (hz * t + 0.04 * hz * t * t)
        x = sum(numpy.sin(k * phase) / k for k in range(1, 6)) * 0.2
        x[t >= 0.23] = 0
        parts.append(x)
    x = numpy.concatenate(parts)
    return (x + 0.002 * noise(x.size)).astype(numpy.float32).astype(float)


def yin(x, rate, size, hop):
    """The paper's difference over half a window, all sums taken as they stand."""
    low, high = int(numpy.floor(rate / HIGH)), int(numpy.ceil(rate / LOW))
    half = size // 2
    padded = numpy.pad(x, (half, 2 * size))
    found = []
    for k in range(1 + x.size // hop):
        w = padded[k * hop:k * hop + size]
        d = numpy.array([numpy.sum((w[:half] - w[t:t + half]) ** 2) for t in range(high + 1)])
        total = numpy.cumsum(d[1:])
        value = numpy.full(high + 1, numpy.inf)
        heard = total[low - 1:] > 0
        value[low:][heard] = (numpy.arange(low, high + 1) * d[low:])[heard] / total[low - 1:][heard]
        hz = None
        for t in range(low, high):
            if value[t] < THRESHOLD and value[t] < value[t - 1] and value[t] <= value[t + 1]:
                shift = 0.0
                if t > low:
                    a, b, c = value[t - 1:t + 2]
                    curve, slope = a + c - 2 * b, (c - a) / 2
                    shift = -slope / curve if abs(slope) < abs(curve) else 0.0
                hz = rate / (t + shift)
                break
        found.append(hz)
    return found


def rounded(values, digits=9):
    if isinstance(values, (list, tuple, numpy.ndarray)):
        return [rounded(value, digits) for value in values]
    return None if values is None or numpy.isnan(values) else float(f"{values:.{digits}g}")


def spectra(rate, size):
    x = timbre(rate)
    hop = size // 4
    s = numpy.abs(librosa.stft(x, n_fft=size, hop_length=hop))
    near = dict(S=s, sr=rate)
    return {
        "rate": rate,
        "centroid": rounded(librosa.feature.spectral_centroid(**near)[0]),
        "bandwidth": rounded(librosa.feature.spectral_bandwidth(**near)[0]),
        "rolloff": rounded(librosa.feature.spectral_rolloff(**near)[0]),
        "flatness": rounded(librosa.feature.spectral_flatness(S=s)[0]),
        "contrast": rounded(librosa.feature.spectral_contrast(**near).T, 7),
        "mfcc": rounded(librosa.feature.mfcc(y=x, sr=rate, n_fft=size, hop_length=hop).T, 7),
        "zero_crossings": rounded(librosa.feature.zero_crossing_rate(x, frame_length=size, hop_length=hop)[0]),
        "rms": rounded(librosa.feature.rms(y=x, frame_length=size, hop_length=hop, dtype=numpy.float64)[0]),
    }


def pitch(rate, size):
    x = melody(rate)
    hz, _, voiced = librosa.pyin(x, fmin=LOW, fmax=HIGH, sr=rate, frame_length=size, hop_length=size // 4)
    return {"rate": rate, "yin": rounded(yin(x, rate, size, size // 4)), "pyin": rounded(hz), "voiced": rounded(voiced, 6)}


cases = [(44100, 2048), (22050, 1024)]
json.dump({
    "made_with": f"librosa {librosa.__version__}, SciPy {scipy.__version__}, NumPy {numpy.__version__}",
    "spectra": [spectra(*case) for case in cases],
    "pitch": [pitch(*case) for case in cases],
}, sys.stdout)
print()
