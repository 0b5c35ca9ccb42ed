"""Reference values of the measures of `undertone compare`.

Writes compare.json beside itself. The signals and their degradations are defined here and in
`tests/analysis/compare/degradations.rs` alike. STOI and ESTOI are pystoi's, SDR and SI-SDR those of fast_bss_eval, the
pitch is librosa's; torchmetrics and auraloss need PyTorch, so that their formulas stand here in NumPy.

With names of measures as arguments, only these are computed and added to the file.
With the argument `bench FILE FILE` it prints the seconds that these references take for two recordings instead.
"""

import importlib.metadata
import json
import pathlib
import sys
import time
import warnings

import fast_bss_eval
import fast_bss_eval.numpy
import librosa
import numpy as np
import pystoi
import scipy
from scipy.signal import lfilter

warnings.filterwarnings("ignore")
SECONDS = 3.0


def noise(seed, count):
    state, out = seed, np.empty(count)
    for n in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out[n] = (state >> 40) / 2**23 - 1.0
    return out


def speech(rate):
    """A gliding voice in syllables, with hiss between them."""
    t = np.arange(int(SECONDS * rate)) / rate
    phase = 2 * np.pi * 120.0 * t - 30.0 / 0.7 * np.cos(2 * np.pi * 0.7 * t)
    envelope = np.maximum(np.sin(2 * np.pi * 1.3 * t), 0.0)
    voice = np.zeros(len(t))
    for k in range(1, 26):
        hz = 120.0 * k
        weight = 1.0 / k + 0.5 * np.exp(-(((hz - 700.0) / 200.0) ** 2)) + 0.3 * np.exp(-(((hz - 1800.0) / 300.0) ** 2))
        voice += weight * np.sin(k * phase)
    hiss = np.maximum(-np.sin(2 * np.pi * 1.3 * t), 0.0)
    return (0.08 * voice * envelope + 0.02 * noise(1, len(t)) * hiss + 1e-4 * noise(2, len(t))).astype(np.float32)


def music(rate):
    """A chord that changes twice a second and decays, with clicks."""
    count = int(SECONDS * rate)
    t = np.arange(count) / rate
    x = 1e-4 * noise(3, count)
    for step, root in enumerate([220.0, 247.5, 165.0, 293.3, 220.0, 185.0]):
        start = int(0.5 * step * rate)
        here = slice(start, min(count, start + rate // 2))
        local = t[here] - 0.5 * step
        for ratio in (1.0, 1.25, 1.5, 2.0):
            for partial in range(1, 7):
                x[here] += (
                    0.06 / partial * np.exp(-3.0 * local) * np.sin(2 * np.pi * root * ratio * partial * local)
                )
        x[here] += 0.3 * np.exp(-200.0 * local) * noise(4, len(local))
    return x.astype(np.float32)


def hiss(rate):
    return (0.2 * noise(5, int(SECONDS * rate))).astype(np.float32)


SIGNALS = [
    ("speech_16k", 16000, speech),
    ("speech_44k", 44100, speech),
    ("music_44k", 44100, music),
    ("music_48k", 48000, music),
    ("noise_16k", 16000, hiss),
]
DEGRADATIONS = [
    ("noise", [-5.0, 0.0, 5.0, 10.0, 20.0, 30.0, 40.0, 60.0]),
    ("clip", [0.1, 0.25, 0.5, 0.8]),
    ("gain", [-20.0, -6.0, -1.0, 1.0, 3.0]),
    ("quantise", [4.0, 6.0, 8.0, 10.0, 12.0, 14.0]),
    ("one_pole", [0.1, 0.3, 0.6]),
    ("mean", [2.0, 4.0, 8.0, 16.0, 32.0]),
    ("echo", [50.0, 400.0, 2000.0]),
    ("shift", [1.0, 2.0, 5.0, 20.0, 100.0]),
    ("dropouts", [5.0, 20.0, 80.0]),
    ("hum", [0.001, 0.01, 0.1]),
]


def degraded(kind, strength, x, rate):
    x = x.astype(np.float64)
    if kind == "noise":
        n = noise(6, len(x))
        y = x + n * np.sqrt(np.sum(x * x) / np.sum(n * n) / 10 ** (strength / 10))
    elif kind == "clip":
        limit = strength * np.max(np.abs(x))
        y = np.clip(x, -limit, limit)
    elif kind == "gain":
        y = x * 10 ** (strength / 20)
    elif kind == "quantise":
        steps = 2.0 ** (strength - 1)
        y = np.floor(x * steps + 0.5) / steps
    elif kind == "one_pole":
        y = lfilter([strength], [1.0, strength - 1.0], x)
    elif kind == "mean":
        y = lfilter(np.ones(int(strength)) / strength, [1.0], x)
    elif kind == "echo":
        y = x.copy()
        y[int(strength) :] += 0.5 * x[: -int(strength)]
    elif kind == "shift":
        y = np.concatenate([np.zeros(int(strength)), x[: -int(strength)]])
    elif kind == "dropouts":
        y = x.copy()
        for start in range(rate // 4, len(x), rate // 2):
            y[start : start + int(strength * rate / 1000)] = 0.0
    elif kind == "hum":
        y = x + strength * np.sin(2 * np.pi * 50.0 * np.arange(len(x)) / rate)
    return y.astype(np.float32).astype(np.float64)


def snr(r, o, rate):
    return 10 * np.log10(np.sum(r * r) / np.sum((o - r) ** 2))


def segmental_snr(r, o, rate):
    size = int(np.floor(0.03 * rate + 0.5))
    hop = size // 4
    w = 0.5 * (1 - np.cos(2 * np.pi * np.arange(1, size + 1) / (size + 1)))
    values = []
    for start in range(0, len(r) - size + 1, hop):
        signal = np.sum((w * r[start : start + size]) ** 2)
        if signal > 0:
            rest = np.sum((w * (o - r)[start : start + size]) ** 2)
            values.append(35.0 if rest == 0 else np.clip(10 * np.log10(signal / rest), -10, 35))
    return np.mean(values)


def bss_eval(ratio, r, o, **settings):
    try:
        return ratio(r[None], o[None], **settings)[0]
    except ValueError:
        # fast_bss_eval fails where the ratio is infinite.
        return np.inf


def si_sdr(r, o, rate):
    return bss_eval(fast_bss_eval.numpy.si_sdr, r, o)


def sdr(r, o, rate):
    return bss_eval(fast_bss_eval.numpy.sdr, r, o, filter_length=512)


def l1(r, o, rate):
    return np.mean(np.abs(o - r))


def magnitudes(x, size):
    return np.abs(librosa.stft(x, n_fft=size, hop_length=size // 4, window="hann", pad_mode="reflect", dtype=np.complex128))


def spectral_loss(r, o):
    clamped = lambda m: np.log10(np.maximum(m, 1e-5) ** 2)
    return np.mean(np.abs(clamped(r) - clamped(o))) + np.mean(np.abs(r - o))


def stft(r, o, rate):
    return sum(spectral_loss(magnitudes(r, size), magnitudes(o, size)) for size in (2048, 512))


def mel(r, o, rate):
    total = 0.0
    for size, bands in ((2048, 150), (512, 80)):
        bank = librosa.filters.mel(sr=rate, n_fft=size, n_mels=bands, dtype=np.float64)
        total += spectral_loss(bank @ magnitudes(r, size), bank @ magnitudes(o, size))
    return total


def log_spectral_distance(r, o, rate):
    scale = 2.0 / np.sum(scipy.signal.get_window("hann", 2048))
    level = lambda x: 10 * np.log10(np.maximum((scale * magnitudes(x, 2048)) ** 2, 1e-10))
    return np.mean(np.sqrt(np.mean((level(r) - level(o)) ** 2, axis=0)))


def cepstral_distance(r, o, rate):
    bank = librosa.filters.mel(sr=rate, n_fft=2048, n_mels=150, dtype=np.float64)
    levels = [20 * np.log10(np.maximum(bank @ magnitudes(x, 2048), 1e-5)) for x in (r, o)]
    cepstra = [scipy.fft.dct(level, type=2, norm="ortho", axis=0)[1:25] for level in levels]
    return np.mean(np.sqrt(np.sum((cepstra[0] - cepstra[1]) ** 2, axis=0) / 150))


def noise_added(r, o, rate):
    size = int(2 ** np.round(np.log2(0.023 * rate)))
    w = scipy.signal.get_window("hann", size)
    spectra = []
    for x in (r, o):
        windows = np.lib.stride_tricks.sliding_window_view(x, size)[:: size // 2]
        spectra.append(np.fft.rfft(windows * w, axis=1))
    bins = spectra[0].shape[1]
    edges = [1]
    while edges[-1] < bins:
        end = min(max(int(np.floor(edges[-1] * 2 ** (1 / 3) + 0.5)), edges[-1] + 4), bins)
        edges.append(bins if bins - end < 4 else end)
    explained = added = 0.0
    for first in range(0, len(spectra[0]), 8):
        for low, high in zip(edges, edges[1:]):
            a, b = (spectrum[first : first + 8, low:high] for spectrum in spectra)
            power, count = np.sum(np.abs(b) ** 2), a.size
            own = np.sum(np.abs(a) ** 2)
            fits = np.abs(np.vdot(a, b)) ** 2 / own if own > 0 else 0.0
            rest = min(max(power - fits, 0.0) * count / (count - 1), power)
            added += rest
            explained += power - rest
    return np.clip(10 * np.log10(added / explained), -150, 150)


def pre_echo(r, o, rate):
    step = int(np.floor(rate / 1000 + 0.5))
    count = len(r) // step
    gain = np.sum(r * o) / np.sum(r * r)
    own, rest = (np.sum((x[: count * step] ** 2).reshape(count, step), axis=1) for x in (r, o - gain * r))
    after = np.array([np.mean(own[at : at + 20]) for at in range(count - 19)])
    before = np.array([np.mean(own[at - 30 : at]) for at in range(30, count - 19)])
    rises = after[30:] / (before + 1e-5 * np.max(after))
    ratios = []
    for index, rise in enumerate(rises):
        near = max(index - 50, 0)
        if rise >= 10**1.5 and near + np.argmax(rises[near : index + 51]) == index:
            at = index + 30
            ratios.append(np.mean(rest[at - 25 : at - 5]) / (after[at] * gain**2))
    return max(10 * np.log10(np.mean(ratios)), -120.0) if ratios else None


def crest_difference(r, o, rate):
    crest = lambda x: 20 * np.log10(np.max(np.abs(x)) / np.sqrt(np.mean(x * x)))
    return crest(o) - crest(r)


def stoi(r, o, rate):
    return pystoi.stoi(r, o, rate)


def estoi(r, o, rate):
    return pystoi.stoi(r, o, rate, extended=True)


def pitch(x, rate):
    size = int(2 ** np.round(np.log2(0.046 * rate)))
    hz, _, _ = librosa.pyin(
        x, fmin=50.0, fmax=1100.0, sr=rate, frame_length=size, hop_length=size // 4, pad_mode="constant"
    )
    return hz


def pitches(r, o, rate):
    a, b = pitch(r, rate), pitch(o, rate)
    both = ~np.isnan(a) & ~np.isnan(b)
    cents = [1200 * np.log2(x[both]) for x in (a, b)]
    varies = np.sum(both) >= 10 and min(np.std(c) for c in cents) > 1e-3
    return {
        "f0_correlation": float(np.corrcoef(*cents)[0, 1]) if varies else None,
        "voicing_agreement": float(np.mean(np.isnan(a) == np.isnan(b))),
    }


MEASURES = [
    snr,
    segmental_snr,
    si_sdr,
    sdr,
    l1,
    log_spectral_distance,
    stft,
    mel,
    cepstral_distance,
    noise_added,
    pre_echo,
    crest_difference,
    stoi,
    estoi,
]


def number(value):
    if value is None:
        return None
    value = float(value)
    return float(f"{value:.9g}") if np.isfinite(value) else None


def table(only=()):
    """Computes all measures, or adds those named to the values that stand in the file."""
    path = pathlib.Path(__file__).with_suffix(".json")
    former = {(p["signal"], p["kind"], p["strength"]): p["values"] for p in json.loads(path.read_text())["pairs"]} if only else {}
    pairs = []
    for signal, rate, make in SIGNALS:
        x = make(rate)
        r = x.astype(np.float64)
        for kind, strengths in DEGRADATIONS:
            for strength in strengths:
                o = degraded(kind, strength, x, rate)
                asked = [measure for measure in MEASURES if not only or measure.__name__ in only]
                values = dict(former.get((signal, kind, strength), {}))
                values |= {measure.__name__: number(measure(r, o, rate)) for measure in asked}
                if signal == "speech_16k" and not only:
                    values |= pitches(r, o, rate)
                pairs.append({"signal": signal, "kind": kind, "strength": strength, "values": values})
                print(signal, kind, strength, file=sys.stderr)
    packages = ["numpy", "scipy", "librosa", "pystoi", "fast_bss_eval"]
    versions = {package: importlib.metadata.version(package) for package in packages}
    lines = ",\n".join(json.dumps(pair) for pair in pairs)
    text = f'{{"versions": {json.dumps(versions)},\n"pairs": [\n{lines}\n]}}\n'
    path.write_text(text)


def bench(reference, other):
    import soundfile

    (r, rate), (o, _) = (soundfile.read(path, dtype="float64", always_2d=True) for path in (reference, other))
    count = min(len(r), len(o))
    channels = [(r[:count, c].copy(), o[:count, c].copy()) for c in range(r.shape[1])]
    total = 0.0
    for measure in [*MEASURES, pitches]:
        # Pitch is measured on the mean of the channels, the rest on each.
        pairs = [tuple(np.mean(pair, axis=1) for pair in (r[:count], o[:count]))] if measure is pitches else channels
        start = time.perf_counter()
        for pair in pairs:
            measure(*pair, rate)
        seconds = time.perf_counter() - start
        total += seconds
        print(f"{measure.__name__:<24}{seconds:8.2f} s", flush=True)
    print(f"{'together':<24}{total:8.2f} s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["bench"]:
        bench(*sys.argv[2:4])
    else:
        table(sys.argv[1:])
