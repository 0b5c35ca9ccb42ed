"""Reference outputs of shelves, equalisers and the cookbook's filters of SoX, for tests/chain/effects/all/sox.rs.

    python tests/reference/sox_filters.py > tests/reference/sox_filters.json

SoX, which must be on the path, is given the noise at a quarter of its level, so that no gain of these clips; `gain` is
what our output is multiplied by first.
"""

import json
import subprocess
import sys

import numpy

from effects_noise import kept, noise

QUIET = 0.25


def sox(x, rate, *effect):
    command = ["sox", "-D", "-r", str(rate), "-c", str(len(x)), "-t", "f32", "-", "-t", "f32", "-", *effect]
    done = subprocess.run(command, input=x.T.astype("<f4").tobytes(), capture_output=True, check=True)
    if b"clip" in done.stderr:
        raise RuntimeError(done.stderr)
    return numpy.frombuffer(done.stdout, "<f4").reshape(-1, len(x)).T.astype(float)


CASES = [
    ("low_shelf(120 Hz, gain=-9 dB)", 48000, 2, "bass -9 120 0.7071q"),
    ("low_shelf(300 Hz, gain=6 dB, q=0.5)", 44100, 1, "bass 6 300 0.5q"),
    ("low_shelf(40 Hz, gain=-20 dB, q=1)", 96000, 1, "bass -20 40 1q"),
    ("low_shelf(1 kHz, gain=3 dB, q=1.3)", 8000, 1, "bass 3 1000 1.3q"),
    ("high_shelf(8 kHz, gain=-9 dB)", 48000, 2, "treble -9 8000 0.7071q"),
    ("high_shelf(3 kHz, gain=6 dB, q=0.5)", 44100, 1, "treble 6 3000 0.5q"),
    ("high_shelf(12 kHz, gain=-20 dB, q=1)", 96000, 1, "treble -20 12000 1q"),
    ("high_shelf(1 kHz, gain=3 dB, q=1.3)", 8000, 1, "treble 3 1000 1.3q"),
    ("peaking(1 kHz, q=2, gain=6 dB)", 48000, 2, "equalizer 1000 2q 6"),
    ("peaking(60 Hz, q=8, gain=-18 dB)", 44100, 1, "equalizer 60 8q -18"),
    ("rbj_lowpass(2 kHz, q=0.7071)", 48000, 1, "lowpass -2 2000 0.7071q"),
    ("rbj_lowpass(5 kHz, q=3)", 44100, 1, "lowpass -2 5000 3q"),
    ("rbj_highpass(80 Hz, q=0.7071)", 48000, 1, "highpass -2 80 0.7071q"),
    ("rbj_highpass(500 Hz, q=3)", 44100, 1, "highpass -2 500 3q"),
    ("rbj_bandpass(1 kHz, q=3, peak=unity)", 48000, 1, "bandpass 1000 3q"),
    ("rbj_bandpass(300 Hz, q=2, peak=skirt)", 44100, 1, "bandpass -c 300 2q"),
    ("notch(1 kHz, q=5)", 48000, 1, "bandreject 1000 5q"),
    ("allpass(700 Hz, q=1)", 48000, 1, "allpass 700 1q"),
]


def main():
    version = subprocess.run(["sox", "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    cases = []
    for chain, rate, channels, effect in CASES:
        output = sox(QUIET * noise(channels, 6000), rate, *effect.split())
        cases.append({**kept(chain, rate, 6000, output, 47), "gain": QUIET})
    json.dump({"numpy": numpy.__version__, "sox": version, "cases": cases}, sys.stdout)
    print()


main()
