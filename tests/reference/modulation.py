"""Reference outputs of chorus, flanger, phaser, swept comb, tremolo and vibrato, for tests/effects_modulation.rs.

    python tests/reference/modulation.py > tests/reference/modulation.json

Flanger, swept comb and tremolo are those of SoX, which must be on the path; the others are computed frame by frame in
double precision, straight from the formulas of their documentation. `gain` is what our output is multiplied by first.
"""

import json
import subprocess
import sys

import numpy

from effects_noise import kept, noise


def sox(x, rate, *effect):
    command = ["sox", "-D", "-r", str(rate), "-c", str(len(x)), "-t", "f32", "-", "-t", "f32", "-", *effect]
    done = subprocess.run(command, input=x.T.astype("<f4").tobytes(), capture_output=True, check=True)
    if b"clip" in done.stderr:
        raise RuntimeError(done.stderr)
    return numpy.frombuffer(done.stdout, "<f4").reshape(-1, len(x)).T.astype(float)


def swing(shape, cycles):
    if shape == "sine":
        return numpy.sin(2 * numpy.pi * cycles)
    place = (cycles + 0.25) % 1.0
    return numpy.where(place < 0.5, 4 * place - 1, 3 - 4 * place)


def cubic(line, place):
    """Between the values at whole places, by Lagrange's formula for four."""
    at = int(numpy.floor(place))
    value = 0.0
    for i in range(-1, 3):
        weight = 1.0
        for j in range(-1, 3):
            if j != i:
                weight *= (place - at - j) / (i - j)
        k = at + i
        value += weight * (line[k] if 0 <= k < len(line) else 0.0)
    return value


def chorus(x, rate, hz, depth, delay, voices, feedback, spread, mix, shape):
    channels, frames = x.shape
    out = numpy.zeros_like(x)
    for c in range(channels):
        line, last = numpy.zeros(frames), 0.0
        for n in range(frames):
            line[n] = x[c, n] + feedback * last
            total = 0.0
            for v in range(voices):
                phase = v / voices + spread * c / channels / voices
                total += cubic(line, n - rate * (delay + depth * float(swing(shape, hz * n / rate + phase))))
            last = total / voices
            out[c, n] = (1 - mix) * x[c, n] + mix * total / numpy.sqrt(voices)
    return out


def vibrato(x, rate, hz, cents, shape):
    steepest = 2 * numpy.pi if shape == "sine" else 4
    a = (2 ** (cents / 1200) - 1) / (steepest * hz) * rate
    frames = x.shape[1]
    return numpy.array([
        [cubic(channel, n - a * float(swing(shape, hz * n / rate))) for n in range(frames)] for channel in x
    ])


def phaser(x, rate, hz, stages, low, high, feedback, mix, shape, phase):
    """Each all-pass as the trapezoidal rule has it; the loop solved as a system of linear equations."""
    channels, frames = x.shape

    def corner(n, c):
        lift = (1 + float(swing(shape, hz * n / rate + 0.75 + phase * c))) / 2
        return numpy.tan(numpy.pi * low * (high / low) ** lift / rate)

    out = numpy.zeros_like(x)
    for c in range(channels):
        s = numpy.zeros(stages)
        for n in range(frames):
            k = n // 16 * 16
            g = corner(k, c) + (corner(k + 16, c) - corner(k, c)) * (n - k) / 16
            # Unknown: the outputs of all stages. Each is 2 lp - in with lp = (g in + s) / (1 + g).
            A, b = numpy.eye(stages), 2 * s / (1 + g)
            a = (g - 1) / (g + 1)
            for i in range(1, stages):
                A[i, i - 1] -= a
            A[0, stages - 1] -= a * feedback
            b[0] += a * x[c, n]
            y = numpy.linalg.solve(A, b)
            into = numpy.concatenate([[x[c, n] + feedback * y[-1]], y[:-1]])
            lp = (g * into + s) / (1 + g)
            s = lp + g / (1 + g) * (into - s)
            out[c, n] = (1 - mix) * x[c, n] + mix * (1 - abs(feedback)) * y[-1]
    return out


def main():
    version = subprocess.run(["sox", "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    cases = []

    def case(chain, rate, channels, frames, step, gain, output):
        cases.append({**kept(chain, rate, frames, output, step), "gain": gain})

    def against_sox(chain, rate, channels, effect, gain=1.0, frames=48000, step=97):
        case(chain, rate, channels, frames, step, gain, sox(noise(channels, frames), rate, *effect.split()))

    def share(width):
        return f"{100 * width / (1 + width)} %"

    against_sox(f"flanger(0.5 Hz, depth=2 ms, delay=0 s, feedback=0 %, mix={share(0.71)}, phase=25 %)", 48000, 2, "flanger")
    against_sox(f"flanger(2 Hz, depth=5 ms, delay=3 ms, feedback=80 %, mix={share(1.0)}, shape=triangle, phase=50 %)",
                48000, 2, "flanger 3 5 80 100 2 triangle 50 linear")
    against_sox(f"flanger(1 Hz, depth=4 ms, delay=1 ms, feedback=-60 %, mix={share(0.5)}, interpolation=quadratic)",
                44000, 2, "flanger 1 4 -60 50 1 sine 25 quadratic")
    against_sox(f"flanger(5 Hz, depth=10 ms, feedback=95 %, mix={share(0.9)}, shape=triangle, interpolation=quadratic)",
                8000, 1, "flanger 0 10 95 90 5 triangle 25 quadratic")
    against_sox("swept_comb(0.5 Hz, delay=3 ms, feedback=40 %)", 48000, 1, "phaser 0.6 0.66 3 0.4 0.5 -s",
                gain=0.6 * 0.66 / 0.6)
    against_sox("swept_comb(2 Hz, delay=5 ms, feedback=40 %, shape=triangle)", 44000, 2, "phaser 0.5 0.7 5 0.4 2 -t",
                gain=0.5 * 0.7 / 0.6)
    against_sox("tremolo(5 Hz, depth=40 %)", 48000, 2, "tremolo 5")
    against_sox("tremolo(12.5 Hz, depth=90 %)", 44100, 1, "tremolo 12.5 90")

    frames = 6000
    x = [noise(channels, frames).astype(float) for channels in (1, 2)]
    case("chorus", 48000, 2, frames, 25, 1.0, chorus(x[1], 48000, 0.8, 0.0026, 0.02, 3, 0.0, 1.0, 0.5, "sine"))
    case("chorus(3 Hz, depth=5 ms, delay=9 ms, voices=2, feedback=70 %, spread=50 %, mix=80 %, shape=triangle)", 44100, 2,
         frames, 25, 1.0, chorus(x[1], 44100, 3.0, 0.005, 0.009, 2, 0.7, 0.5, 0.8, "triangle"))
    case("vibrato", 48000, 1, frames, 25, 1.0, vibrato(x[0], 48000, 5.0, 30.0, "sine"))
    case("vibrato(2 Hz, 150, shape=triangle)", 44100, 2, frames, 25, 1.0, vibrato(x[1], 44100, 2.0, 150.0, "triangle"))
    case("phaser", 48000, 2, frames, 25, 1.0, phaser(x[1], 48000, 0.5, 4, 300, 3000, 0.3, 0.5, "sine", 0.0))
    case("phaser(4 Hz, stages=7, low=100 Hz, high=9 kHz, feedback=-80 %, mix=70 %, shape=triangle, phase=25 %)", 44100, 2,
         frames, 25, 1.0, phaser(x[1], 44100, 4.0, 7, 100, 9000, -0.8, 0.7, "triangle", 0.25))
    json.dump({"numpy": numpy.__version__, "sox": version, "cases": cases}, sys.stdout)


main()
