"""Writes elliptic_sections.json: an elliptic band-pass 50-60 Hz at 48 kHz as state-variable sections.

SciPy designs the analog filter between the warped edges tan(pi f / rate), whose poles and zeros keep the digits that
poles near z = 1 lose; each pole pair takes the nearest zero pair, the most resonant last, and all share the gain.

    python3 tests/reference/elliptic_sections.py
"""

import json
import math
import pathlib

import numpy
import scipy
from scipy import signal

RATE_HZ, LOW_HZ, HIGH_HZ, ORDER, RIPPLE_DB, ATTENUATION_DB = 48000, 50, 60, 4, 0.5, 60

low, high = (math.tan(math.pi * hz / RATE_HZ) for hz in (LOW_HZ, HIGH_HZ))
zeros, poles, gain = signal.ellip(ORDER, RIPPLE_DB, ATTENUATION_DB, [low, high], "bandpass", analog=True, output="zpk")
upper_zeros = [z for z in zeros if z.imag > 0]
# The most resonant last.
upper_poles = sorted((p for p in poles if p.imag > 0), key=lambda p: p.real / abs(p))
share = abs(gain) ** (1 / len(upper_poles))
sections = []
for pole in upper_poles:
    zero = min(upper_zeros, key=lambda z: abs(z - pole))
    upper_zeros.remove(zero)
    g = abs(pole)
    k = -2 * pole.real / g
    # share * (S^2 + zero^2) with S = g s, over g^2 (s^2 + k s + 1)
    n2, n0 = share, share * abs(zero) ** 2 / g**2
    sections.append({"g": g, "k": k, "m": [n2, -n2 * k, n0 - n2]})

# The sections are the filter: their product against SciPy's own response.
worst = 0.0
for hz in numpy.geomspace(1, 20000, 400):
    s = 1j * math.tan(math.pi * hz / RATE_HZ)
    whole = 1
    for section in sections:
        x, (m0, m1, m2) = s / section["g"], section["m"]
        whole *= m0 + (m1 * x + m2) / (x * x + section["k"] * x + 1)
    exact = gain * numpy.prod(s - zeros) / numpy.prod(s - poles)
    worst = max(worst, abs(abs(whole) - abs(exact)))
assert worst < 1e-12, worst

out = {
    "made_by": f"elliptic_sections.py with SciPy {scipy.__version__}, NumPy {numpy.__version__}",
    "design": f"ellip({ORDER}, {RIPPLE_DB}, {ATTENUATION_DB}, [{LOW_HZ}, {HIGH_HZ}], 'bandpass', fs={RATE_HZ})",
    "rate_hz": RATE_HZ,
    "sections": sections,
}
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps(out, indent=1) + "\n")
