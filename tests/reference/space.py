"""Reference outputs of the delay and the reverbs, for tests/effects_space.rs.

    python tests/reference/space.py > tests/reference/space.json

Every effect is computed frame by frame in double precision, straight from the formulas of its documentation: loops as
loops, filters as SciPy designs them, the matrix as SciPy gives it.
"""

import json
import sys

import numpy
import scipy
from scipy.linalg import hadamard
from scipy.signal import bilinear, butter

from effects_noise import kept, noise


def nearest(value):
    """The nearest whole number, halves upwards."""
    return int(numpy.floor(value + 0.5))


class Filter:
    """A digital filter fed value by value (or array by array)."""

    def __init__(self, b, a):
        self.b0, self.b1, self.a1 = b[0] / a[0], b[1] / a[0], a[1] / a[0]
        self.x = self.y = 0.0

    def __call__(self, x):
        y = self.b0 * x + self.b1 * self.x - self.a1 * self.y
        self.x, self.y = x, y
        return y


class Biquads:
    """Second-order filters side by side."""

    def __init__(self, b, a):
        self.b, self.a = b / a[0], a / a[0]
        self.past = numpy.zeros((4, b.shape[1]))

    def __call__(self, x):
        x1, x2, y1, y2 = self.past
        y = self.b[0] * x + self.b[1] * x1 + self.b[2] * x2 - self.a[1] * y1 - self.a[2] * y2
        self.past = numpy.array([x, x1, y, y1])
        return y


def loop_filter(rate, lowpass, highpass):
    filters = []
    if lowpass:
        filters.append(Filter(*butter(1, lowpass, "lowpass", fs=rate)))
    if highpass:
        filters.append(Filter(*butter(1, highpass, "highpass", fs=rate)))

    def run(x):
        for each in filters:
            x = each(x)
        return x

    return run


def delay_mono(x, rate, seconds, feedback, mix, lowpass=None, highpass=None):
    T = nearest(seconds * rate)
    out = numpy.zeros_like(x)
    for c, channel in enumerate(x):
        run = loop_filter(rate, lowpass, highpass)
        line = numpy.zeros(len(channel))
        for n, sample in enumerate(channel):
            wet = line[n - T] if n >= T else 0.0
            line[n] = sample + feedback * run(wet)
            out[c, n] = (1 - mix) * sample + mix * wet
    return out


def delay_ping_pong(x, rate, seconds, feedback, mix, lowpass=None):
    T = nearest(seconds * rate)
    frames = x.shape[1]
    left, right = numpy.zeros(frames), numpy.zeros(frames)
    from_left, from_right = loop_filter(rate, lowpass, None), loop_filter(rate, lowpass, None)
    out = numpy.zeros_like(x)
    for n in range(frames):
        wet_left = left[n - T] if n >= T else 0.0
        wet_right = right[n - T] if n >= T else 0.0
        left[n] = 0.5 * (x[0, n] + x[1, n]) + feedback * from_right(wet_right)
        right[n] = feedback * from_left(wet_left)
        out[0, n] = (1 - mix) * x[0, n] + mix * wet_left
        out[1, n] = (1 - mix) * x[1, n] + mix * wet_right
    return out


def delay_taps(x, rate, seconds, feedback, mix, taps):
    T = nearest(seconds * rate)
    out = (1 - mix) * x
    for k in range(1, taps + 1):
        late = numpy.zeros_like(x)
        late[:, k * T :] = x[:, : -k * T]
        out += mix * feedback ** (k - 1) * late
    return out


def freeverb(x, rate, room, damping, mix, width):
    scale = rate / 44100
    g, d = 0.7 + 0.28 * room, (0.4 * damping) ** (44100 / rate)
    channels, frames = x.shape
    hears = 0.015 * (x[0] + x[1]) if channels == 2 else 0.03 * x[0]
    wet = []
    for side in range(channels):
        total = numpy.zeros(frames)
        for length in (1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617):
            D = nearest((length + 23 * side) * scale)
            line, low = numpy.zeros(frames), 0.0
            for n in range(frames):
                y = line[n - D] if n >= D else 0.0
                low = (1 - d) * y + d * low
                line[n] = hears[n] + g * low
                total[n] += y
        for length in (556, 441, 341, 225):
            D = nearest((length + 23 * side) * scale)
            line = numpy.zeros(frames)
            for n in range(frames):
                w = line[n - D] if n >= D else 0.0
                line[n] = total[n] + 0.5 * w
                total[n] = w - total[n]
        wet.append(3 * total)
    if channels == 2:
        own, other = (1 + width) / 2, (1 - width) / 2
        wet = [own * wet[0] + other * wet[1], own * wet[1] + other * wet[0]]
    return (1 - mix) * x + mix * numpy.array(wet)


def prime(least):
    while least < 2 or any(least % d == 0 for d in range(2, int(least**0.5) + 1)):
        least += 1
    return least


ENTERS = numpy.array([1, 1, -1, 1, -1, -1, 1, 1, -1, 1, 1, -1, 1, -1, -1, -1])
HEARD = numpy.array([1, -1, 1, 1, -1, 1, -1, -1, 1, 1, -1, 1, 1, -1, -1, 1])
TIMES_MS = [[4.3, 9.7, 15.1, 21.9, 28.3, 36.1, 45.7, 56.9], [5.9, 11.3, 17.9, 24.1, 31.7, 39.7, 48.1, 59.3]]
SIGNS = [[1, -1, 1, 1, -1, 1, -1, -1], [-1, 1, 1, -1, 1, -1, -1, 1]]


def fdn(x, rate, decay, size, predelay, bass, treble, low, high, modulation, lfo_hz, early, width, mix):
    channels, frames = x.shape
    m = numpy.array([prime(nearest(0.025 * (0.095 / 0.025) ** (i / 15) * size * rate)) for i in range(16)])
    gains = [10 ** (-3 * m / rate / seconds) for seconds in (decay * bass, decay, decay * treble)]

    def shelves(b, a):
        """Analogue sections to digital ones, by the bilinear map s = (1 - 1/z) / (1 + 1/z)."""
        made = [bilinear(b_line, a_line, 0.5) for b_line, a_line in zip(b, a)]
        b, a = numpy.array([each[0] for each in made]).T, numpy.array([each[1] for each in made]).T
        return Biquads(b, a)

    w_low, w_high = numpy.tan(numpy.pi * low / rate), numpy.tan(numpy.pi * high / rate)
    # The shelves of the cookbook with a slope of 1; A is its fourth root of a power gain.
    A, w = numpy.sqrt(gains[0] / gains[1]), w_low
    low_shelf = shelves([[a, a * (2 * a) ** 0.5 * w, a * a * w * w] for a in A], [[a, (2 * a) ** 0.5 * w, w * w] for a in A])
    A, w = numpy.sqrt(gains[2] / gains[1]), w_high
    high_shelf = shelves([[a * a, a * (2 * a) ** 0.5 * w, a * w * w] for a in A], [[1, (2 * a) ** 0.5 * w, a * w * w] for a in A])

    odd, odd_pairs = (-1.0) ** (numpy.arange(16) % 2), (-1.0) ** (numpy.arange(16) // 2 % 2)
    enters = [ENTERS, ENTERS * odd][:channels]
    heard = [HEARD, HEARD * odd_pairs][:channels]
    mean_gain = 10 ** (-3 * m.mean() / rate / decay)
    level = numpy.sqrt(1 - mean_gain**2)
    matrix = hadamard(16) / 4
    held = nearest(predelay * rate)
    entering = numpy.zeros_like(x)
    entering[:, held:] = x[:, : frames - held]
    reflections = numpy.zeros_like(x)
    for side in range(channels):
        amplitudes = 0.8 ** numpy.arange(8)
        amplitudes = amplitudes / numpy.sqrt(numpy.sum(amplitudes**2)) * SIGNS[side]
        for time, amplitude in zip(TIMES_MS[side], amplitudes):
            at = held + nearest(time * 1e-3 * size * rate)
            reflections[side, at:] += amplitude * x[side, : frames - at]

    past = 8192
    lines = numpy.zeros((16, frames + past))
    index = numpy.arange(16)
    wet = numpy.zeros_like(x)
    for n in range(frames):
        swing = numpy.where(index % 4 == 0, modulation * 0.0008 * rate, 0.0)
        delay = m + swing * numpy.sin(2 * numpy.pi * (lfo_hz * n / rate + index / 16))
        whole = numpy.floor(delay).astype(int)
        f = delay - whole
        at = past + n - whole
        # The cubic through the values at -1, 0, 1, 2 frames further back, by Lagrange's formula.
        left = (
            -f * (f - 1) * (f - 2) / 6 * lines[index, at + 1]
            + (f + 1) * (f - 1) * (f - 2) / 2 * lines[index, at]
            - (f + 1) * f * (f - 2) / 2 * lines[index, at - 1]
            + (f + 1) * f * (f - 1) / 6 * lines[index, at - 2]
        )
        into = matrix @ high_shelf(low_shelf(gains[1] * left))
        for side in range(channels):
            wet[side, n] = early * reflections[side, n] + level * (heard[side] @ left)
            into = into + enters[side] * entering[side, n] / 4 / numpy.sqrt(channels)
        lines[:, past + n] = into
    if channels == 2:
        own, other = (1 + width) / 2, (1 - width) / 2
        wet = numpy.array([own * wet[0] + other * wet[1], own * wet[1] + other * wet[0]])
    return (1 - mix) * x + mix * wet


def main():
    cases = []

    def case(chain, rate, channels, frames, step, model, *arguments, **named):
        x = noise(channels, frames).astype(float)
        cases.append(kept(chain, rate, frames, model(x, rate, *arguments, **named), step))

    case("delay(50 ms, feedback=60 %, mix=40 %)", 48000, 2, 20000, 50, delay_mono, 0.05, 0.6, 0.4)
    case("delay(1/32t, bpm=100, feedback=70 %, mix=50 %, lowpass=3 kHz, highpass=200 Hz)", 44100, 1, 20000, 50,
         delay_mono, 0.05, 0.7, 0.5, lowpass=3000, highpass=200)
    case("delay(40 ms, feedback=80 %, mix=60 %, mode=ping_pong, lowpass=5 kHz)", 48000, 2, 20000, 50,
         delay_ping_pong, 0.04, 0.8, 0.6, lowpass=5000)
    case("delay(30 ms, feedback=75 %, mix=35 %, taps=5)", 48000, 1, 20000, 50, delay_taps, 0.03, 0.75, 0.35, 5)
    case("reverb", 44100, 2, 16000, 40, freeverb, 0.5, 0.5, 0.3, 1.0)
    case("reverb(90 %, damping=20 %, mix=100 %, width=40 %)", 96000, 2, 16000, 40, freeverb, 0.9, 0.2, 1.0, 0.4)
    case("reverb(100 %, damping=100 %, mix=50 %)", 22050, 1, 16000, 40, freeverb, 1.0, 1.0, 0.5, 1.0)
    case("fdn_reverb", 48000, 2, 16000, 40, fdn, 2.0, 1.0, 0.01, 1.2, 0.5, 250, 4000, 0.3, 0.7, 0.3, 1.0, 0.3)
    case("fdn_reverb(0.8 s, size=40 %, predelay=3 ms, bass=200 %, treble=80 %, low=400 Hz, high=2 kHz, modulation=100 %, "
         "rate=2 Hz, early=80 %, width=50 %, mix=100 %)", 44100, 2, 16000, 40,
         fdn, 0.8, 0.4, 0.003, 2.0, 0.8, 400, 2000, 1.0, 2.0, 0.8, 0.5, 1.0)
    case("fdn_reverb(5 s, size=60 %, predelay=0 s, bass=100 %, treble=100 %, modulation=0 %, early=0 %, mix=100 %)",
         32000, 1, 16000, 40, fdn, 5.0, 0.6, 0.0, 1.0, 1.0, 250, 4000, 0.0, 0.7, 0.0, 1.0, 1.0)
    json.dump({"numpy": numpy.__version__, "scipy": scipy.__version__, "cases": cases}, sys.stdout)


main()
