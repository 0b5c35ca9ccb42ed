"""Reference responses of the filters, for tests/filter_reference.rs.

Run with the versions named in the output (pip install scipy mpmath numpy):

    python tests/reference/filters.py > tests/reference/filters.json

Each filter's complex response and group delay come from mpmath with 60 digits: designs from the zeros and poles of their
prototypes, moved by the textbook's band transformations and the bilinear transform, the cookbook's biquads from its own
digital coefficients, those of the W3C's Web Audio API from the formulas of its BiquadFilterNode, what is made of several
filters as their product. The last column is the magnitude as SciPy gives it in double precision, null where there is no
counterpart or where it fails. Frequencies at which a response turns so fast that a number of double precision does not
determine it to 1e-10 are left out.
"""

import json
import sys

import mpmath
import numpy
import scipy
from mpmath import mpc, mpf
from scipy import signal

mpmath.mp.dps = 60


def unit_circle(order):
    """The left half of the roots of (-1)^n s^2n = -1."""
    return [mpmath.expjpi(mpf(2 * i + order + 1) / (2 * order)) for i in range(order)]


def excess(db):
    return mpmath.sqrt(mpf(10) ** (mpf(db) / 10) - 1)


def ellipse(order, reach):
    a = mpmath.asinh(reach) / order
    return [mpc(mpmath.sinh(a) * p.real, mpmath.cosh(a) * p.imag) for p in map(mpmath.mpmathify, unit_circle(order))]


def prototype(design, order, ripple, attenuation):
    """Zeros, poles and the gain at 0 of the low-pass with its edge at 1."""
    trough = mpf(10) ** (-mpf(ripple) / 20) if order % 2 == 0 else mpf(1)
    if design == "butterworth":
        return [], unit_circle(order), mpf(1)
    if design == "linkwitz_riley":
        return [], unit_circle(order // 2) * 2, mpf(1)
    if design == "chebyshev1":
        return [], ellipse(order, 1 / excess(ripple)), trough
    if design == "chebyshev2":
        zeros = [mpc(0, 1) / mpmath.cospi(mpf(2 * i + 1) / (2 * order)) for i in range(order) if 2 * i + 1 != order]
        return zeros, [1 / p for p in ellipse(order, excess(attenuation))], mpf(1)
    if design == "bessel":
        return [], bessel(order), mpf(1)
    ep = excess(ripple)
    k1 = ep / excess(attenuation)
    m1 = k1**2
    nome = mpmath.exp(-mpmath.pi * mpmath.ellipk(1 - m1) / mpmath.ellipk(m1) / order)
    m = mpmath.mfrom(q=nome)
    K = mpmath.ellipk(m)
    v = -mpc(0, 1) * mpmath.ellipf(mpmath.asin(mpc(0, 1) / ep), m1) / (order * mpmath.ellipk(m1))
    zeros, poles = [], []
    for i in range(order // 2):
        u = mpf(2 * i + 1) / order
        z = mpc(0, 1) / (mpmath.sqrt(m) * mpmath.ellipfun("cd", u * K, m=m))
        p = mpc(0, 1) * mpmath.ellipfun("cd", (u - mpc(0, 1) * v) * K, m=m)
        zeros += [z, mpmath.conj(z)]
        poles += [p, mpmath.conj(p)]
    if order % 2:
        poles.append(mpmath.re(mpc(0, 1) * mpmath.ellipfun("sn", mpc(0, 1) * v * K, m=m)))
    return zeros, [mpc(-abs(p.real), p.imag) for p in map(mpmath.mpmathify, poles)], trough


BESSEL = {}


def bessel(order):
    """Scaled to -3 dB at 1."""
    if order not in BESSEL:
        fac = mpmath.factorial
        terms = [fac(2 * order - k) / (mpf(2) ** (order - k) * fac(k) * fac(order - k)) for k in range(order + 1)]
        roots = mpmath.polyroots(terms[::-1], maxsteps=2000, extraprec=600)
        at = lambda w: mpmath.log(abs(mpmath.polyval(terms[::-1], mpc(0, w)) / terms[0]) ** 2 / 2)
        cutoff = mpmath.findroot(at, (mpf(order) ** mpf("0.4"), mpf(order) + 1), solver="anderson", tol=1e-50)
        BESSEL[order] = [r / cutoff for r in roots]
    return BESSEL[order]


def design(kind, name, order, edges, rate, ripple=0.1, attenuation=40):
    """Zeros, poles and gain in z."""
    zeros, poles, gain = prototype(name, order, mpf(ripple), mpf(attenuation))
    for p in poles:
        gain *= -p
    for z in zeros:
        gain /= -z
    excess_poles = len(poles) - len(zeros)
    warped = [mpmath.tan(mpmath.pi * mpf(edge) / rate) for edge in edges]
    if kind == "lowpass":
        (w,) = warped
        zeros, poles, gain = [w * z for z in zeros], [w * p for p in poles], gain * w**excess_poles
    elif kind == "highpass":
        (w,) = warped
        gain = gain * mpmath.fprod(-z for z in zeros) / mpmath.fprod(-p for p in poles)
        zeros, poles = [w / z for z in zeros] + [mpf(0)] * excess_poles, [w / p for p in poles]
    else:
        width, center2 = warped[1] - warped[0], warped[0] * warped[1]

        def split(s):
            half = (width * s if kind == "bandpass" else width / s) / 2
            root = mpmath.sqrt(half * half - center2)
            return [half + root, half - root]

        if kind == "bandpass":
            gain = gain * width**excess_poles
            extra = [mpf(0)] * excess_poles
        else:
            gain = gain * mpmath.fprod(-z for z in zeros) / mpmath.fprod(-p for p in poles)
            extra = [mpc(0, s) * mpmath.sqrt(center2) for s in (1, -1)] * excess_poles
        zeros, poles = [r for z in zeros for r in split(z)] + extra, [r for p in poles for r in split(p)]
    for p in poles:
        gain /= 1 - p
    for z in zeros:
        gain *= 1 - z
    to_z = lambda s: (1 + s) / (1 - s)
    infinite = len(poles) - len(zeros)
    return [to_z(s) for s in zeros] + [mpf(-1)] * infinite, [to_z(s) for s in poles], mpmath.re(gain)


def in_scipy(kind, name, order, edges, rate, ripple=0.1, attenuation=40):
    edges = edges if len(edges) > 1 else edges[0]
    common = dict(btype=kind, output="sos", fs=rate)
    if name == "butterworth":
        return signal.butter(order, edges, **common)
    if name == "linkwitz_riley":
        return numpy.concatenate([signal.butter(order // 2, edges, **common)] * 2)
    if name == "chebyshev1":
        return signal.cheby1(order, ripple, edges, **common)
    if name == "chebyshev2":
        return signal.cheby2(order, attenuation, edges, **common)
    if name == "elliptic":
        return signal.ellip(order, ripple, attenuation, edges, **common)
    return signal.bessel(order, edges, norm="mag", **common)


def zpk_response(zpk, w):
    zeros, poles, gain = zpk
    point = mpmath.expj(w)
    h = gain
    for z in zeros:
        h *= point - z
    for p in poles:
        h /= point - p
    slope = sum(point / (point - p) for p in poles) - sum(point / (point - z) for z in zeros if point != z)
    return h, mpmath.re(slope), abs(slope) * w


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
        return mpf(0), None, 0
    return at(b) / at(a), mpmath.re(ramp(b) / at(b) - ramp(a) / at(a)), 0


def number(value):
    return None if value is None else float(mpmath.nstr(value, 17))


filters = []
web_audio = []


def add(chain, rate, frequencies, exact, loud=None, to=filters):
    """`exact` gives the response, its group delay and how many times a relative error of the frequency it grows by."""
    rows = []
    frequencies = sorted(frequencies)
    try:
        in_double = [None] * len(frequencies) if loud is None else [float(abs(h)) for h in loud(frequencies)]
    except (ValueError, FloatingPointError, ZeroDivisionError):
        in_double = [None] * len(frequencies)
    for hz, double in zip(frequencies, in_double):
        h, delay, sensitivity = exact(2 * mpmath.pi * mpf(hz) / rate)
        if sensitivity < 2e5:
            finite = double is not None and numpy.isfinite(double)
            rows.append([hz, number(mpmath.re(h)), number(mpmath.im(h)), number(delay), double if finite else None])
    filters_row = {"chain": chain, "rate": rate, "points": rows}
    if rows:
        to.append(filters_row)


def probe(edges, rate):
    """Below, at and above the edges, kept inside the band."""
    low, high = edges[0], edges[-1]
    picked = [low / 7, low, (low * high) ** 0.5 * 1.01, high * 1.9]
    return sorted(float("%.6g" % hz) for hz in picked if 0 < hz < rate / 2)


EDGES = [([1000], 48000), ([20], 48000), ([20], 192000), ([0.5], 768000), ([300000], 768000), ([5], 192000)]
BANDS = [([900, 1100], 48000), ([20, 20000], 48000), ([0.5, 1], 768000), ([50, 60], 44100), ([1000, 1000.5], 48000)]



def add_design(kind, name, order, edges, rate, ripple=0.1, attenuation=40):
    zpk = design(kind, name, order, edges, rate, ripple, attenuation)
    words = [f"{edge} Hz" for edge in edges] + [f"order={order}"]
    words += [] if name == "butterworth" else [f"design={name}"]
    words += [f"ripple={ripple} dB"] if name in ("chebyshev1", "elliptic") else []
    words += [f"attenuation={attenuation} dB"] if name in ("chebyshev2", "elliptic") else []

    def loud(frequencies):
        with numpy.errstate(all="ignore"):
            sos = in_scipy(kind, name, order, edges, rate, ripple, attenuation)
            return signal.freqz_sos(sos, frequencies, fs=rate)[1]

    add(f"{kind}({', '.join(words)})", rate, probe(edges, rate), lambda w: zpk_response(zpk, w), loud)


for kind, settings in [("lowpass", EDGES), ("highpass", EDGES), ("bandpass", BANDS), ("bandstop", BANDS)]:
    for index, (edges, rate) in enumerate(settings):
        for order in [1, 2, 3, 12, 24] if index == 0 else [1 + 2 * (index % 2), 24] if index != 5 else [4]:
            add_design(kind, "butterworth", order, edges, rate)

# Seven settings against eleven orders, so that every setting meets many orders.
EDGES = [([1000], 48000), ([0.5], 192000), ([20], 192000), ([0.5], 768000), ([300000], 768000), ([5], 44100), ([3000], 8000)]
BANDS = [
    ([900, 1100], 48000),
    ([20, 20000], 48000),
    ([0.5, 1], 192000),
    ([50, 60], 44100),
    ([1000, 1010], 48000),
    ([200, 3900], 8000),
    ([0.5, 90000], 192000),
]
ORDERS = [2, 24, 3, 1, 4, 12, 5, 7, 16, 8, 23]
RIPPLES = [0.1, 1, 0.01, 3, 0.5]
ATTENUATIONS = [40, 60, 20, 100, 80]
for kind, settings in [("lowpass", EDGES), ("highpass", EDGES), ("bandpass", BANDS), ("bandstop", BANDS)]:
    for name in ["chebyshev1", "chebyshev2", "elliptic", "bessel", "linkwitz_riley"]:
        for index in range(24):
            edges, rate = settings[index % len(settings)]
            order = ORDERS[index % len(ORDERS)]
            if name == "linkwitz_riley":
                order = 2 * (1 + index % 12)
            ripple, attenuation = RIPPLES[index % len(RIPPLES)], ATTENUATIONS[index % len(ATTENUATIONS)]
            # At 3 and 20 dB a step of order 16 is narrower than double precision can hold.
            if name == "elliptic" and order > 12:
                ripple, attenuation = [(0.1, 40), (0.1, 80), (0.01, 100)][index % 3]
            elif name == "elliptic" and order > 5:
                ripple, attenuation = [(0.1, 40), (1, 60), (0.01, 100)][index % 3]
            add_design(kind, name, order, edges, rate, ripple, attenuation)

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


# Responses of several filters, or of a delay.


def series(*responses):
    """Of responses that each give gain, group delay and sensitivity."""

    def at(w):
        h, delay, sensitivity = mpf(1), mpf(0), 0
        for response in responses:
            one, late, turned = response(w)
            h, delay, sensitivity = h * one, None if late is None or delay is None else delay + late, sensitivity + turned
        return h, delay, sensitivity

    return at


def of_zpk(zpk, sign=1):
    return lambda w: (lambda h, delay, turned: (sign * h, delay, turned))(*zpk_response(zpk, w))


def biquad(kind, frequency, rate, q, gain):
    b, a = cookbook(kind, frequency, rate, q, gain)
    return lambda w: ba_response(b, a, w)


def smooth(response):
    """With the group delay from a difference of phases."""

    def at(w):
        step = w * mpf(10) ** -18
        h = response(w)
        if abs(h) < 1e-9:  # in a notch, where the delay is that of what is left of it
            return h, None, 0
        return h, -mpmath.arg(response(w + step) / response(w - step)) / (2 * step), 0

    return at


SPOTS = [30, 440, 2500, 12000]

for cutoff, rate in [(5, 44100), (0.5, 192000)]:
    add(f"dc_block({cutoff} Hz)", rate, [0.3, cutoff, 50, 3000], of_zpk(design("highpass", "butterworth", 1, [cutoff], rate)))

eq = {"low_shelf": (90, 3.5, 0.7071), "peaking": [(40, -6, 4), (333, 2.5, 0.7), (801, 0, 1), (1800, 12, 30), (3500, -40, 0.05), (9000, 1, 100)], "high_shelf": (12000, -5, 1.2)}
words = [f"low_cutoff={eq['low_shelf'][0]} Hz, low_gain={eq['low_shelf'][1]} dB, low_q={eq['low_shelf'][2]}"]
words += [f"center{i + 1}={f} Hz, gain{i + 1}={g} dB, q{i + 1}={q}" for i, (f, g, q) in enumerate(eq["peaking"])]
words += [f"high_cutoff={eq['high_shelf'][0]} Hz, high_gain={eq['high_shelf'][1]} dB, high_q={eq['high_shelf'][2]}"]
for rate in [44100, 192000]:
    bands = [biquad("low_shelf", eq["low_shelf"][0], rate, eq["low_shelf"][2], eq["low_shelf"][1])]
    bands += [biquad("peaking", f, rate, q, g) for f, g, q in eq["peaking"]]
    bands += [biquad("high_shelf", eq["high_shelf"][0], rate, eq["high_shelf"][2], eq["high_shelf"][1])]
    add(f"parametric_eq({', '.join(words)})", rate, SPOTS, series(*bands))


def graphic(centers, wanted, rate, q):
    """The filters' gains such that their sum is what was wanted at the centres, by Newton with 30 digits."""
    mpmath.mp.dps = 30

    def db(center, gain, hz):
        w0 = 2 * mpmath.pi * center / rate
        octaves = 2 * mpmath.asinh(mpf(1) / (2 * q)) / mpmath.log(2)
        warped = 1 / (2 * mpmath.sinh(mpmath.log(2) / 2 * octaves * w0 / mpmath.sin(w0)))
        b, a = cookbook("peaking", center, rate, warped, gain)
        h = ba_response(b, a, 2 * mpmath.pi * hz / rate)[0]
        return h if hz is None else 20 * mpmath.log10(abs(h)), (b, a)

    gains = mpmath.matrix(wanted)
    for _ in range(12):
        n, step = len(centers), mpf(10) ** -12
        missing = mpmath.matrix([wanted[i] - sum(db(c, gains[j], centers[i])[0] for j, c in enumerate(centers)) for i in range(n)])
        if max(abs(m) for m in missing) < 1e-18:
            break
        slopes = mpmath.matrix(n, n)
        for j, c in enumerate(centers):
            for i in range(n):
                slopes[i, j] = (db(c, gains[j] + step, centers[i])[0] - db(c, gains[j] - step, centers[i])[0]) / (2 * step)
        gains += mpmath.lu_solve(slopes, missing)
    mpmath.mp.dps = 60
    filters = [db(c, gains[j], centers[0])[1] for j, c in enumerate(centers)]
    return series(*[lambda w, b=b, a=a: ba_response(b, a, w) for b, a in filters])


OCTAVES = ["b31_5", "b63", "b125", "b250", "b500", "b1k", "b2k", "b4k", "b8k", "b16k"]
THIRDS = "b20 b25 b31_5 b40 b50 b63 b80 b100 b125 b160 b200 b250 b315 b400 b500 b630 b800 b1k b1_25k b1_6k b2k b2_5k b3_15k".split()
THIRDS += "b4k b5k b6_3k b8k b10k b12_5k b16k b20k".split()
draw = numpy.random.default_rng(31)
for name, bands, first, step, q, rate in [
    ("graphic_eq_10", OCTAVES, -15, 3, 1, 44100),
    ("graphic_eq_10", OCTAVES, -15, 3, 1, 96000),
    ("graphic_eq_31", THIRDS, -17, 1, 3, 48000),
]:
    centers = [1000 * mpf(10) ** (mpf(first + step * i) / 10) for i in range(len(bands))]
    wanted = [round(float(g), 1) for g in draw.uniform(-12, 12, len(bands))]
    words = ", ".join(f"{band}={gain} dB" for band, gain in zip(bands, wanted))
    add(f"{name}({words})", rate, SPOTS, graphic(centers, wanted, rate, q))

for gain, center, rate in [(6, 1000, 48000), (-18, 300, 44100)]:
    A, g = mpf(10) ** (mpf(gain) / 20), mpmath.tan(mpmath.pi * mpf(center) / rate)
    s = lambda w, g=g: mpc(0, mpmath.tan(w / 2)) / g
    add(f"tilt({gain} dB, {center} Hz)", rate, SPOTS, smooth(lambda w, A=A, s=s: (A * s(w) + 1) / (s(w) + A)))
    apart = mpf(2) ** (mpf(gain) / 5 / (20 * mpmath.log10(2)) / 4)
    places = [mpmath.tan(mpmath.pi * 5 * mpmath.sqrt(2) ** i / rate) for i in range(64) if 5 * 2 ** (i / 2) <= 0.48 * rate]

    def line(w, places=places, apart=apart, g=g):
        at = lambda S: mpmath.fprod((S + c / apart) / (S + c * apart) for c in places)
        return at(mpc(0, mpmath.tan(w / 2))) / abs(at(mpc(0, g)))

    add(f"tilt({gain} dB, {center} Hz, shape=line)", rate, SPOTS, smooth(line))

for order, splits, rate in [(4, [200, 2000], 48000), (2, [80], 44100), (6, [200, 1000, 5000], 96000), (24, [500, 4000], 48000)]:
    for band in range(len(splits) + 1):
        parts = []
        for i, f in enumerate(splits):
            low, high = (design(k, "linkwitz_riley", order, [f], rate) for k in ("lowpass", "highpass"))
            sign = -1 if order % 4 else 1
            if i < band:
                parts.append(of_zpk(high, sign))
            elif i == band:
                parts.append(of_zpk(low))
            else:
                # The sum itself, with the delay of the Butterworth filter of half the order, twice.
                half = design("lowpass", "butterworth", order // 2, [f], rate)
                both = lambda w, low=low, high=high, sign=sign: zpk_response(low, w)[0] + sign * zpk_response(high, w)[0]
                parts.append(lambda w, both=both, half=half: (both(w), 2 * zpk_response(half, w)[1], 0))
        names = ["first", "second", "third"]
        words = ", ".join(f"{n}={f} Hz" for n, f in zip(names, splits))
        add(f"crossover({band + 1}, {words}, ways={len(splits) + 1}, order={order})", rate, [60, 440, 3000, 9000], series(*parts))

for band, bands, order, rate in [(1, 10, 4, 48000), (6, 10, 4, 48000), (31, 31, 3, 44100), (5, 64, 24, 192000)]:
    edges = [20 * mpf(1000) ** (mpf(band - 1 + i) / bands) for i in (0, 1)]
    middle = float(mpmath.sqrt(edges[0] * edges[1]))
    spots = [float("%.6g" % (middle * ratio)) for ratio in (0.7, 1.003, 1.2) if middle * ratio < rate / 2]
    text = f"filter_bank({band}, bands={bands}, order={order})"
    add(text, rate, spots, of_zpk(design("bandpass", "butterworth", order, edges, rate)))


def thiran(period):
    """The response of the comb's delay: whole frames and the all-pass."""
    whole = int(mpmath.nint(period))
    order = 0 if whole == period else min(8, whole - 1)
    d = period - (whole - order)
    a = [
        (-1) ** k * mpmath.binomial(order, k) * mpmath.fprod((d - order + n) / (d - order + k + n) for n in range(order + 1))
        for k in range(order + 1)
    ] if order else [mpf(1)]

    def at(w):
        z = mpmath.expj(-w)
        down = sum(c * z**k for k, c in enumerate(a))
        up = sum(c * z ** (order - k) for k, c in enumerate(a))
        return z ** (whole - order) * up / down

    return at


for frequency, gain, kind, rate in [(100, 70, "feedforward", 48000), (441, -100, "feedforward", 48000), (50, 90, "feedback", 44100), (7000, -60, "feedback", 44100), (2999.5, 50, "feedback", 96000)]:
    delay = thiran(mpf(rate) / mpf(frequency))
    g = mpf(gain) / 100
    if kind == "feedforward":
        h = lambda w, delay=delay, g=g: 1 + g * delay(w)
    else:
        h = lambda w, delay=delay, g=g: 1 / (1 - g * delay(w))
    text = f"comb({frequency} Hz, {gain} %" + (", kind=feedback)" if kind == "feedback" else ")")
    add(text, rate, [20, frequency, 3333, 11111], smooth(h))

# The W3C's Web Audio API, BiquadFilterNode: the Q of low-pass and high-pass is in decibels, shelves are of S = 1.
for frequency, rate in [(350, 44100), (10, 48000), (23500, 48000), (3000, 192000)]:
    for q, gain in [(1, -12), (0.0001, 6), (20, 24)]:
        for kind in ["lowpass", "highpass", "bandpass", "notch", "allpass", "peaking", "lowshelf", "highshelf"]:
            linear = mpf(10) ** (mpf(q) / 20) if kind in ("lowpass", "highpass") else mpf(q)
            if kind in ("lowpass", "highpass", "bandpass", "notch", "allpass", "peaking"):
                if q < 0.001 and kind not in ("lowpass", "highpass"):
                    continue
                name = {"lowpass": "rbj_lowpass", "highpass": "rbj_highpass", "bandpass": "unity"}.get(kind, kind)
                b, a = cookbook(name, frequency, rate, linear, gain)
                text = {"lowpass": "rbj_lowpass", "highpass": "rbj_highpass", "bandpass": "rbj_bandpass"}.get(kind, kind)
                words = f"{frequency} Hz, q={mpmath.nstr(linear, 20)}"
                words += ", peak=unity" if kind == "bandpass" else f", gain={gain} dB" if kind == "peaking" else ""
            else:
                # alpha_S with S = 1 is sin(w0)/2 sqrt(2), that is Q = 1/sqrt(2).
                w0, A = 2 * mpmath.pi * mpf(frequency) / rate, mpf(10) ** (mpf(gain) / 40)
                cos, beta = mpmath.cos(w0), mpmath.sin(w0) * mpmath.sqrt(2) * mpmath.sqrt(A)
                sign = 1 if kind == "lowshelf" else -1
                b = [
                    A * ((A + 1) - sign * (A - 1) * cos + beta),
                    sign * 2 * A * ((A - 1) - sign * (A + 1) * cos),
                    A * ((A + 1) - sign * (A - 1) * cos - beta),
                ]
                a = [
                    (A + 1) + sign * (A - 1) * cos + beta,
                    -sign * 2 * ((A - 1) + sign * (A + 1) * cos),
                    (A + 1) + sign * (A - 1) * cos - beta,
                ]
                text = {"lowshelf": "low_shelf", "highshelf": "high_shelf"}[kind]
                words = f"{frequency} Hz, gain={gain} dB, q=0.70710678118654752440"
            add(f"{text}({words})", rate, probe([frequency], rate), lambda w, b=b, a=a: ba_response(b, a, w), to=web_audio)

json.dump(
    {
        "made_with": f"Python {sys.version.split()[0]}, SciPy {scipy.__version__}, NumPy {numpy.__version__}, mpmath {mpmath.__version__}",
        "columns": ["hz", "re", "im", "group_delay_frames", "scipy_magnitude"],
        "filters": filters,
        "web_audio": web_audio,
    },
    sys.stdout,
    separators=(",", ":"),
)
print()
