"""Writes dynamics.json: what the dynamics effects give for a test signal, by models of their definitions in NumPy.

The models are sample by sample, in double precision, with NumPy's logarithms and SciPy's filters; they share nothing with
the program but the formulas of its documentation. The limiter is modelled with its ideal gain (means of real numbers, peaks
of the samples). Signals are made by whole numbers, so that both sides have the same:

    python tests/reference/dynamics.py
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy.signal import butter, sosfilt

RATE = 8000
FRAMES = 4000
CHANNELS = 2


def signal():
    """Bursts of noise of different levels, a tone in the second channel: as tests/effects_dynamics.rs makes them."""
    state = 12345
    channels = np.zeros((CHANNELS, FRAMES))
    for channel in range(CHANNELS):
        for n in range(FRAMES):
            state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
            noise = (state >> 8) / 2**23 - 1.0
            # Eight levels, from full scale down by 8 dB each, in an order of their own in each channel.
            step = ((n // 500) * (3 if channel == 0 else 5)) % 8
            channels[channel, n] = np.float32(noise * (0.4**step))
    return channels


def coefficient(seconds):
    return np.exp(-1.0 / (seconds * RATE)) if seconds > 0 else 0.0


def levels(x, p):
    """Of each channel: magnitude, or mean square; filtered before, held after."""
    if p.get("highpass", 1.0) > 1.0:
        x = sosfilt(butter(2, p["highpass"], "highpass", fs=RATE, output="sos"), x)
    if p.get("lowpass", 384e3) < RATE / 2:
        x = sosfilt(butter(2, p["lowpass"], fs=RATE, output="sos"), x)
    if p.get("detector", "peak") == "rms":
        a = coefficient(p.get("rms_time", 0.01))
        mean, out = 0.0, np.zeros(x.shape)
        for channel in range(len(x)):
            mean = 0.0
            for n in range(x.shape[1]):
                mean = a * mean + (1 - a) * x[channel, n] ** 2
                out[channel, n] = np.sqrt(mean)
        x = out
    x = np.abs(x)
    hold = round(p.get("hold", 0.0) * RATE)
    return np.array([[channel[max(0, n - hold) : n + 1].max() for n in range(len(channel))] for channel in x])


def decibels(levels):
    return 20 * np.log10(np.maximum(levels, 1e-15))


def linked(values, share, outermost):
    return values + share * (outermost(values, axis=0) - values)


def bend(over, width):
    """Giannoulis, Massberg, Reiss 2012, equation 4, without its slope."""
    if width == 0:
        return np.maximum(over, 0)
    return np.where(
        2 * over < -width, 0.0, np.where(2 * np.abs(over) <= width, (over + width / 2) ** 2 / (2 * width), over)
    )




def applied(x, gain, p):
    frames = round(p.get("lookahead", 0.0) * RATE)
    # The gain of frame n + lookahead meets the sample n; the input goes on with silence.
    return x * gain[:, frames : frames + FRAMES]


def padded(x, p):
    return np.pad(x, ((0, 0), (0, round(p.get("lookahead", 0.0) * RATE))))


def compressor(x, p):
    slope = 1 - 1 / p.get("ratio", 4.0)
    threshold, width = p.get("threshold", -20.0), p.get("knee", 6.0)
    curve = lambda level: np.minimum(slope * bend(level - threshold, width), p.get("range", 120.0))
    wanted = linked(curve(decibels(levels(padded(x, p), p))), p.get("link", 1.0), np.max)
    attack, release = coefficient(p.get("attack", 0.005)), coefficient(p.get("release", 0.05))
    reduction = np.zeros(wanted.shape)
    for channel in range(len(x)):
        held = smooth = 0.0
        for n, now in enumerate(wanted[channel]):
            held = max(now, release * held + (1 - release) * now)
            smooth = attack * smooth + (1 - attack) * held
            reduction[channel, n] = smooth
    makeup = p.get("makeup", 0.0) + (float(curve(np.array(0.0))) if p.get("auto_makeup") == "on" else 0.0)
    return applied(x, 10 ** ((makeup - reduction) / 20), p)


def expander(x, p):
    slope = p.get("ratio", 2.0) - 1
    p = {"hold": 0.01, **p}
    over = p.get("threshold", -40.0) - decibels(levels(padded(x, p), p))
    wanted = linked(np.minimum(slope * bend(over, p.get("knee", 6.0)), p.get("range", 60.0)), p.get("link", 1.0), np.min)
    attack, release = coefficient(p.get("attack", 0.005)), coefficient(p.get("release", 0.1))
    reduction = np.zeros(wanted.shape)
    for channel in range(len(x)):
        smooth = 0.0
        for n, now in enumerate(wanted[channel]):
            a = release if now > smooth else attack
            smooth = a * smooth + (1 - a) * now
            reduction[channel, n] = smooth
    return applied(x, 10 ** (-reduction / 20), p)


def gate(x, p):
    p = {"hold": 0.01, **p}
    level = linked(levels(padded(x, p), p), p.get("link", 1.0), np.max)
    opens = 10 ** (p.get("threshold", -50.0) / 20)
    closes = 10 ** ((p.get("threshold", -50.0) - p.get("hysteresis", 3.0)) / 20)
    floor = 10 ** (p.get("floor", -80.0) / 20)
    attack, release = coefficient(p.get("attack", 0.001)), coefficient(p.get("release", 0.05))
    gains = np.zeros(level.shape)
    for channel in range(len(x)):
        gain, is_open = floor, False
        for n, now in enumerate(level[channel]):
            is_open = now >= (closes if is_open else opens)
            a, target = (attack, 1.0) if is_open else (release, floor)
            gain = a * gain + (1 - a) * target
            gains[channel, n] = gain
    return applied(x, gains, p)


def limiter(x, p):
    ahead = round(p.get("lookahead", 0.005) * RATE)
    p = {"lookahead": 0.005, **p}
    ceiling = 10 ** (p.get("ceiling", -1.0) / 20)
    x = padded(x, p)
    wanted = np.maximum(0, 20 * np.log10(np.maximum(np.abs(x), 1e-15) / ceiling))
    wanted = linked(wanted, p.get("link", 1.0), np.max)
    release = coefficient(p.get("release", 0.05))
    second = ahead // 2
    gains = np.zeros(x.shape)
    for channel in range(len(x)):
        greatest = [wanted[channel, max(0, n - ahead) : n + 1].max() for n in range(x.shape[1])]
        held, after = 0.0, np.zeros(x.shape[1])
        for n, now in enumerate(greatest):
            held = max(now, release * held + (1 - release) * now)
            after[n] = held
        for length in (ahead - second + 1, second + 1):
            after = np.convolve(after, np.full(length, 1 / length))[: x.shape[1]]
        gains[channel] = 10 ** (-after / 20)
    return np.clip(applied(x[:, :FRAMES], gains, p), -ceiling, ceiling)


def de_esser(x, p):
    frequency = p["frequency"]
    high = butter(2, frequency, "highpass", fs=RATE, output="sos")
    low = butter(2, frequency, fs=RATE, output="sos")
    band = sosfilt(high, sosfilt(high, x))
    inner = {"threshold": -30.0, "range": 12.0, "attack": 0.001, "release": 0.04, **p}
    slope = 1 - 1 / inner.get("ratio", 4.0)
    wanted = np.minimum(slope * bend(decibels(np.abs(band)) - inner["threshold"], inner.get("knee", 6.0)), inner["range"])
    wanted = linked(wanted, inner.get("link", 1.0), np.max)
    attack, release = coefficient(inner["attack"]), coefficient(inner["release"])
    gain = np.zeros(x.shape)
    for channel in range(len(x)):
        held = smooth = 0.0
        for n, now in enumerate(wanted[channel]):
            held = max(now, release * held + (1 - release) * now)
            smooth = attack * smooth + (1 - attack) * held
            gain[channel, n] = 10 ** (-smooth / 20)
    if p.get("mode") == "split":
        return sosfilt(low, sosfilt(low, x)) + gain * band
    return x * gain


MODELS = {f.__name__: f for f in (compressor, expander, gate, limiter, de_esser)}

CASES = [
    ("compressor", {}),
    ("compressor", {"threshold": -30.0, "ratio": 100.0, "attack": 0.0, "release": 0.0, "knee": 0.0, "link": 0.0}),
    ("compressor", {"ratio": 1.5, "attack": 0.02, "release": 0.2, "knee": 24.0, "makeup": 6.0, "link": 0.4}),
    ("compressor", {"detector": "rms", "rms_time": 0.02, "auto_makeup": "on", "range": 9.0}),
    ("compressor", {"highpass": 500.0, "lowpass": 2000.0, "hold": 0.015, "lookahead": 0.006}),
    ("compressor", {"attack": 0.1, "release": 0.01, "makeup": -6.0, "auto_makeup": "on"}),
    ("expander", {"link": 0.0}),
    ("expander", {"threshold": -15.0, "ratio": 4.0, "attack": 0.002, "release": 0.03, "knee": 12.0, "link": 0.0}),
    ("expander", {"threshold": -20.0, "ratio": 10.0, "range": 20.0, "detector": "rms", "hold": 0.0, "lookahead": 0.01, "link": 0.5}),
    ("expander", {"threshold": -10.0, "attack": 0.2, "release": 0.01, "knee": 0.0, "highpass": 300.0}),
    ("gate", {}),
    ("gate", {"threshold": -20.0, "floor": -30.0, "attack": 0.003, "release": 0.02, "hold": 0.004, "link": 0.0}),
    ("gate", {"threshold": -25.0, "hysteresis": 12.0, "detector": "rms", "lookahead": 0.004, "link": 0.7}),
    ("limiter", {"peak": "sample"}),
    ("limiter", {"peak": "sample", "ceiling": -12.0, "release": 0.3, "lookahead": 0.0111, "link": 0.0}),
    ("limiter", {"peak": "sample", "ceiling": -6.0, "release": 0.0, "lookahead": 0.0, "link": 0.3}),
    ("de_esser", {"frequency": 2000.0}),
    ("de_esser", {"frequency": 1500.0, "mode": "split", "threshold": -40.0, "ratio": 8.0, "range": 30.0, "link": 0.0}),
]


def main():
    x = signal()
    cases = []
    for name, parameters in CASES:
        y = MODELS[name](x, parameters)
        # Every eleventh frame: short enough to be kept, and no phase of anything in the signal.
        points = [[float(f"{value:.7g}") for value in channel[::11]] for channel in y]
        cases.append({"effect": name, "parameters": parameters, "points": points})
    made_with = f"NumPy {np.__version__}, SciPy {scipy.__version__}"
    text = json.dumps({"made_with": made_with, "rate": RATE, "frames": FRAMES, "cases": cases}, separators=(",", ":"))
    Path(__file__).with_suffix(".json").write_text(text + "\n")


if __name__ == "__main__":
    main()
