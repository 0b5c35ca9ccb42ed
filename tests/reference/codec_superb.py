"""Reference values of `undertone compare --as codec-superb`, and of PESQ.

Writes codec_superb.json beside itself. The formulas of Codec-SUPERB's metrics.py, written anew in NumPy with the packages
that it calls (praat-parselmouth for the pitch, pesq, librosa), for the signals and degradations of compare.py. `pesq_nb`
and `pesq_wb` are those of the package `pesq`, which compiles ITU-T's own source, at 8 and 16 kHz.
"""

import importlib.metadata
import json
import pathlib
import sys

import librosa
import numpy as np
import parselmouth
import scipy.signal
from compare import DEGRADATIONS, SIGNALS, degraded, mel, speech, stft
from pesq import pesq


def julius(x, old, new):
    """julius.resample_frac with its defaults."""
    common = np.gcd(old, new)
    old, new = old // common, new // common
    if old == new:
        return x
    lower = min(old, new) * 0.945
    width = int(np.ceil(24 * old / lower))
    index = np.arange(-width, width + old)
    padded = np.concatenate([np.full(width, x[0]), x, np.full(width + old, x[-1])])
    starts = np.arange(0, len(padded) - len(index) + 1, old)
    out = np.empty((len(starts), new))
    for phase in range(new):
        t = np.clip((-phase / new + index / old) * lower, -24, 24)
        kernel = np.sinc(t) * np.cos(np.pi * t / 24 / 2) ** 2
        kernel /= kernel.sum()
        out[:, phase] = np.lib.stride_tricks.sliding_window_view(padded, len(index))[starts] @ kernel
    return out.reshape(-1)[: new * len(x) // old]


def score(rate, r, o, band):
    try:
        return pesq(rate, r.astype(np.float32), o.astype(np.float32), band)
    except Exception:
        return None


def wide(r, o, rate):
    value = score(16000, julius(r, rate, 16000), julius(o, rate, 16000), "wb")
    return 1.0 if value is None else value


def stoi(x, y, rate):
    size, points, segment, tiny = 256, 512, 30, 1e-10
    if rate != 10000:
        x, y = (scipy.signal.resample_poly(s, 10000, rate) for s in (x, y))
    w = np.hanning(size + 2)[1:-1]
    starts = np.arange(0, len(x) - size, size // 2)
    early = x[starts[:, None] - 1 + np.arange(size)]
    levels = 20 * np.log10(np.linalg.norm(early * w, axis=1) / np.sqrt(size) + tiny)
    heard = starts[levels - levels.max() + 40 > 0]
    spectra = []
    for s in (x, y):
        joined = np.zeros((len(heard) - 1) * size // 2 + size)
        for index, start in enumerate(heard):
            joined[index * size // 2 :][:size] += s[start : start + size] * w
        count = (len(joined) - size) // (size // 2)
        frames = joined[np.arange(count)[:, None] * (size // 2) + np.arange(size)]
        power = np.abs(np.fft.rfft(frames * w / w.sum(), points, axis=1)) ** 2
        hz = np.linspace(0, 10000, points + 1)[: points // 2 + 1]
        edges = [[np.argmin((hz - 150 * 2 ** (k / 3 + side / 6)) ** 2) for side in (-1, 1)] for k in range(15)]
        spectra.append(np.sqrt([power[:, low:high].sum(axis=1) for low, high in edges]))
    values = []
    for end in range(segment, spectra[0].shape[1] + 1):
        a, b = (s[:, end - segment : end] for s in spectra)
        b = b * np.sqrt((a**2).sum(axis=1, keepdims=True) / ((b**2).sum(axis=1, keepdims=True) + tiny))
        b = np.minimum(b, a + a * 10 ** (15 / 20))
        a, b = (s - s.mean(axis=1, keepdims=True) for s in (a, b))
        a, b = (s / (np.linalg.norm(s, axis=1, keepdims=True) + tiny) for s in (a, b))
        values.append(np.sum(a * b) / 15)
    return float(np.clip(np.mean(values), 0, 1)) if values else 0.0


def f0corr(r, o, rate):
    curves = []
    for x in (r, o):
        sound = parselmouth.Sound(x, 22050)
        hz = sound.to_pitch_ac(
            time_step=256 / 22050, voicing_threshold=0.6, pitch_floor=50, pitch_ceiling=1100
        ).selected_array["frequency"]
        cents = 1200 * np.log2(hz[hz != 0] / 440)
        if len(cents) == 0:
            return 0.0
        curves.append(cents - np.median(cents))
    if min(map(len, curves)) <= 1:
        return 0.0
    _, path = librosa.sequence.dtw(*curves, backtrack=True)
    value = np.corrcoef(curves[0][path[:, 0]], curves[1][path[:, 1]])[0, 1]
    return float(value) if np.isfinite(value) else 0.0


def at_8k(x, rate):
    common = np.gcd(8000, rate)
    up, down = 8000 // common, rate // common
    taps = scipy.signal.firwin(2 * 64 * max(up, down) + 1, 0.97 / max(up, down), window=("kaiser", 12.0))
    return scipy.signal.resample_poly(x, up, down, window=taps)


def at_16k(x, rate):
    if rate == 16000:
        return x
    common = np.gcd(16000, rate)
    up, down = 16000 // common, rate // common
    taps = scipy.signal.firwin(2 * 64 * max(up, down) + 1, 0.97 / max(up, down), window=("kaiser", 12.0))
    return scipy.signal.resample_poly(x, up, down, window=taps)


# PESQ finds no utterance in the music.
SPEECH = [("speech_32k", 32000, speech), ("speech_48k", 48000, speech)]


def pesq_values(r, o, rate):
    return {
        "pesq_nb": rounded(score(8000, at_8k(r, rate), at_8k(o, rate), "nb")),
        "pesq_wb": rounded(score(16000, at_16k(r, rate), at_16k(o, rate), "wb")),
    }


def rounded(value):
    return None if value is None else float(f"{value:.9g}")


def main():
    pairs = []
    for signal, rate, make in SIGNALS:
        x = make(rate)
        r = x.astype(np.float64)
        for kind, strengths in DEGRADATIONS:
            for strength in strengths:
                o = degraded(kind, strength, x, rate)
                values = {
                    "mel": mel(r, o, rate),
                    "stft": stft(r, o, rate),
                    "waveform": np.mean(np.abs(o - r)),
                    "pesq": wide(r, o, rate),
                    "stoi": stoi(r, o, rate),
                    "f0corr": f0corr(r, o, rate),
                }
                values = {name: rounded(value) for name, value in values.items()} | pesq_values(r, o, rate)
                pairs.append({"signal": signal, "kind": kind, "strength": strength, "values": values})
                print(signal, kind, strength, file=sys.stderr)
    more = []
    for signal, rate, make in SPEECH:
        x = make(rate)
        for kind, strengths in DEGRADATIONS:
            for strength in strengths:
                values = pesq_values(x.astype(np.float64), degraded(kind, strength, x, rate), rate)
                more.append({"signal": signal, "kind": kind, "strength": strength, "values": values})
                print(signal, kind, strength, file=sys.stderr)
    packages = ["numpy", "scipy", "librosa", "praat-parselmouth", "pesq"]
    versions = {package: importlib.metadata.version(package) for package in packages}
    lines, speech_lines = (",\n".join(json.dumps(pair) for pair in of) for of in (pairs, more))
    text = f'{{"versions": {json.dumps(versions)},\n"pairs": [\n{lines}\n],\n"speech": [\n{speech_lines}\n]}}\n'
    pathlib.Path(__file__).with_suffix(".json").write_text(text)


if __name__ == "__main__":
    main()
