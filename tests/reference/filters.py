"""Reference responses of the filters, for tests/filter_reference.rs.

Run with the versions named in the output (pip install scipy mpmath numpy):

    python tests/reference/filters.py > tests/reference/filters.json

Each filter's complex response and group delay come from mpmath with 60 digits: Butterworth filters from zeros and poles
moved by the textbook's band transformations and the bilinear transform, the cookbook's biquads from its own digital
coefficients. The last column is the magnitude as SciPy gives it in double precision.
"""

import json
import sys

import mpmath
import numpy
import scipy
from mpmath import mpc, mpf
from scipy import signal

mpmath.mp.dps = 60


def butterworth(kind, order, edges, rate):
    """Zeros, poles and gain in z."""
    warped = [mpmath.tan(mpmath.pi * mpf(edge) / rate) for edge in edges]
    poles = [mpmath.expjpi(mpf(2 * i + order + 1) / (2 * order)) for i in range(order)]
    if kind == "lowpass":
        (w,) = warped
        zeros, poles, gain = [], [w * p for p in poles], w**order
    elif kind == "highpass":
        (w,) = warped
        zeros, poles, gain = [mpf(0)] * order, [w / p for p in poles], mpf(1)
    else:
        width, center2 = warped[1] - warped[0], warped[0] * warped[1]
        split = []
        for p in poles:
            half = (width * p if kind == "bandpass" else width / p) / 2
            root = mpmath.sqrt(half * half - center2)
            split += [half + root, half - root]
        if kind == "bandpass":
            zeros, gain = [mpf(0)] * order, width**order
        else:
            zeros, gain = [mpc(0, s) * mpmath.sqrt(center2) for s in (1, -1)] * order, mpf(1)
        poles = split
    for p in poles:
        gain /= 1 - p
    for z in zeros:
        gain *= 1 - z
    to_z = lambda s: (1 + s) / (1 - s)
    infinite = len(poles) - len(zeros)
    return [to_z(s) for s in zeros] + [mpf(-1)] * infinite, [to_z(s) for s in poles], gain


def zpk_response(zpk, w):
    zeros, poles, gain = zpk
    point = mpmath.expj(w)
    h = gain
    for z in zeros:
        h *= point - z
    for p in poles:
        h /= point - p
    delay = sum(point / (point - p) for p in poles) - sum(point / (point - z) for z in zeros if point != z)
    return h, mpmath.re(delay)


def cookbook(kind, frequency, rate, q, gain_db=0):
    """b and a as the Audio EQ Cookbook writes them."""
    w0 = 2 * mpmath.pi * mpf(frequency) / rate
    q = mpf(q)
    cos, alpha = mpmath.cos(w0), mpmath.sin(w0) / (2 * q)
    A = mpf(10) ** (mpf(gain_db) / 40)
    beta = 2 * mpmath.sqrt(A) * alpha
    if kind == "rbj_lowpass":
        b = [(1 - cos) / 2, 1 - cos, (1 - cos) / 2]
    elif kind == "rbj_highpass":
        b = [(1 + cos) / 2, -(1 + cos), (1 + cos) / 2]
    elif kind == "skirt":
        b = [q * alpha, mpf(0), -q * alpha]
    elif kind == "unity":
        b = [alpha, mpf(0), -alpha]
    elif kind == "notch":
        b = [mpf(1), -2 * cos, mpf(1)]
    elif kind == "allpass":
        b = [1 - alpha, -2 * cos, 1 + alpha]
    elif kind == "peaking":
        b = [1 + alpha * A, -2 * cos, 1 - alpha * A]
        return b, [1 + alpha / A, -2 * cos, 1 - alpha / A]
    elif kind == "low_shelf":
        b = [A * (A + 1 - (A - 1) * cos + beta), 2 * A * (A - 1 - (A + 1) * cos), A * (A + 1 - (A - 1) * cos - beta)]
        return b, [A + 1 + (A - 1) * cos + beta, -2 * (A - 1 + (A + 1) * cos), A + 1 + (A - 1) * cos - beta]
    elif kind == "high_shelf":
        b = [A * (A + 1 + (A - 1) * cos + beta), -2 * A * (A - 1 + (A + 1) * cos), A * (A + 1 + (A - 1) * cos - beta)]
        return b, [A + 1 - (A - 1) * cos + beta, 2 * (A - 1 - (A + 1) * cos), A + 1 - (A - 1) * cos - beta]
    return b, [1 + alpha, -2 * cos, 1 - alpha]


def ba_response(b, a, w):
    d = mpmath.expj(-w)
    at = lambda c: c[0] + c[1] * d + c[2] * d * d
    ramp = lambda c: c[1] * d + 2 * c[2] * d * d
    if abs(at(b)) < mpf(10) ** -40:  # on the zero of a notch, where there is no phase
        return mpf(0), None
    return at(b) / at(a), mpmath.re(ramp(b) / at(b) - ramp(a) / at(a))


def number(value):
    return None if value is None else float(mpmath.nstr(value, 17))


filters = []


def add(chain, rate, frequencies, exact, in_scipy):
    rows = []
    for hz, loud in zip(frequencies, in_scipy(frequencies)):
        h, delay = exact(2 * mpmath.pi * mpf(hz) / rate)
        rows.append([hz, number(mpmath.re(h)), number(mpmath.im(h)), number(delay), float(abs(loud))])
    filters.append({"chain": chain, "rate": rate, "points": rows})


def probe(edges, rate):
    """Below, at and above the edges, kept inside the band."""
    low, high = edges[0], edges[-1]
    picked = [low / 7, low, (low * high) ** 0.5 * 1.01, high * 1.9]
    return sorted(float("%.6g" % hz) for hz in picked if 0 < hz < rate / 2)


EDGES = [([1000], 48000), ([20], 48000), ([20], 192000), ([0.5], 768000), ([300000], 768000), ([5], 192000)]
BANDS = [([900, 1100], 48000), ([20, 20000], 48000), ([0.5, 1], 768000), ([50, 60], 44100), ([1000, 1000.5], 48000)]

for kind, settings in [("lowpass", EDGES), ("highpass", EDGES), ("bandpass", BANDS), ("bandstop", BANDS)]:
    for index, (edges, rate) in enumerate(settings):
        for order in [1, 2, 3, 12, 24] if index == 0 else [1 + 2 * (index % 2), 24] if index != 5 else [4]:
            zpk = butterworth(kind, order, edges, rate)
            sos = signal.butter(order, edges if len(edges) > 1 else edges[0], kind, output="sos", fs=rate)
            add(
                f"{kind}({', '.join(f'{edge} Hz' for edge in edges)}, order={order})",
                rate,
                probe(edges, rate),
                lambda w, zpk=zpk: zpk_response(zpk, w),
                lambda f, sos=sos, rate=rate: signal.freqz_sos(sos, f, fs=rate)[1],
            )

for frequency, rate in [(1000, 48000), (20, 192000), (0.5, 768000), (23000, 48000)]:
    for q in [0.7071, 100, 0.05]:
        for kind in ["rbj_lowpass", "rbj_highpass", "skirt", "unity", "notch", "allpass", "peaking", "low_shelf", "high_shelf"]:
            gain = {0.7071: -7.5, 100: 12, 0.05: 1e-4}[q]
            if (q == 0.05 or rate == 192000) and kind not in ("peaking", "low_shelf", "high_shelf"):
                continue
            b, a = cookbook(kind, frequency, rate, q, gain)
            name = f"rbj_bandpass({frequency} Hz, q={q}, peak={kind})" if kind in ("skirt", "unity") else f"{kind}({frequency} Hz, q={q})"
            if kind in ("peaking", "low_shelf", "high_shelf"):
                name = f"{kind}({frequency} Hz, q={q}, gain={gain:.4f} dB)"
            add(
                name,
                rate,
                probe([frequency], rate),
                lambda w, b=b, a=a: ba_response(b, a, w),
                lambda f, b=b, a=a, rate=rate: signal.freqz([float(v) for v in b], [float(v) for v in a], f, fs=rate)[1],
            )

json.dump(
    {
        "made_with": f"Python {sys.version.split()[0]}, SciPy {scipy.__version__}, NumPy {numpy.__version__}, mpmath {mpmath.__version__}",
        "columns": ["hz", "re", "im", "group_delay_frames", "scipy_magnitude"],
        "filters": filters,
    },
    sys.stdout,
    separators=(",", ":"),
)
print()
