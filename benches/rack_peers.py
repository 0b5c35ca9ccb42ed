"""The rack's chains in turn with torchfx and SciPy, on the same threads and the same length of signal.

    cargo bench --bench rack --no-run
    python benches/rack_peers.py PATH_OF_THAT_BENCH [THREADS]

Each round runs all three once, each the best of its passes; the best of the rounds counts. torchfx and SciPy get the whole
signal as one array in memory, in 32-bit floats (SciPy also in 64-bit ones). Needs torchfx (0.8 was used) and SciPy.
"""

import subprocess
import sys
import time

import numpy
import scipy
from scipy import signal

RATE, SECONDS, ROUNDS, PASSES = 48000, 60, 5, 3


def noise(channels):
    loud = numpy.where((numpy.arange(RATE * SECONDS) // 24000) % 2 == 0, 1.0, 0.03)
    return (numpy.random.default_rng(1).uniform(-1, 1, (channels, RATE * SECONDS)) * loud).astype(numpy.float32)


def best(work):
    def once():
        begun = time.perf_counter()
        work()
        return time.perf_counter() - begun

    return min(once() for _ in range(PASSES))


def sections(*designs):
    return numpy.concatenate([design(output="sos", fs=RATE) for design in designs])


def butter(order, hz, kind):
    return lambda **more: signal.butter(order, hz, kind, **more)


ORDER_8 = sections(butter(8, 1000, "low"))
FOUR = sections(
    butter(2, 1000, "high"),
    butter(2, 5000, "low"),
    lambda **more: signal.cheby1(2, 0.1, 1500, "high", **more),
    butter(2, 1800, "low"),
)
TAPS = signal.firwin(1025, 1000, window="hann", fs=RATE)


def scipy_runs(name, x):
    """SciPy's ways of doing it, by what they are called."""
    if name.startswith("order") or name.startswith("four"):
        sos = ORDER_8 if name.startswith("order") else FOUR
        wide = x.astype(numpy.float64)
        return {
            "sosfilt f64": lambda: signal.sosfilt(sos, wide, axis=1),
            "sosfilt f32": lambda: signal.sosfilt(sos.astype(numpy.float32), x, axis=1),
        }
    if name.startswith("fir"):
        taps = TAPS.astype(numpy.float32)[None, :]
        return {"oaconvolve f32": lambda: signal.oaconvolve(x, taps, axes=1)}
    return {}


def torchfx_run(name, x, threads):
    import torch
    import torchfx
    from torchfx import effect, filter as filters

    torch.set_num_threads(threads)
    wave = torchfx.Wave(torch.from_numpy(x.copy()), RATE)
    if name.startswith("order"):
        return lambda: wave | filters.LoButterworth(1000, order=8, fs=RATE)
    if name.startswith("four"):
        return lambda: (
            wave
            | filters.HiButterworth(1000, order=2, fs=RATE)
            | filters.LoButterworth(5000, order=2, fs=RATE)
            | filters.HiChebyshev1(1500, order=2, ripple=0.1, fs=RATE)
            | filters.LoButterworth(1800, order=2, fs=RATE)
        )
    if name.startswith("fir"):
        return lambda: wave | filters.FIR(TAPS.tolist())
    if name.startswith("reverb"):
        return lambda: wave | effect.Reverb()
    if name.startswith("compressor"):
        return lambda: wave | effect.Compressor(threshold=-20, ratio=4)
    if name.startswith("limiter"):
        return lambda: wave | effect.Limiter(threshold=-1)
    return None


def finished(run):
    """torchfx puts work off until it is looked at."""

    def work():
        result = run()
        result.ys.sum().item() if hasattr(result, "ys") else result

    return work


def main():
    program = sys.argv[1]
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    print(f"{SECONDS} s at {RATE} Hz on {threads} threads, Msamples/s; SciPy {scipy.__version__}, NumPy {numpy.__version__}")
    cases = {"order_8_stereo": 2, "order_8_of_8": 8, "four_sections_of_8": 8, "fir_1025_stereo": 2, "fir_1025_of_8": 8, "reverb_stereo": 2, "compressor_stereo": 2, "limiter_stereo": 2}
    for name, channels in cases.items():
        x = noise(channels)
        runs = scipy_runs(name, x)
        try:
            run = torchfx_run(name, x, threads)
            if run:
                runs["torchfx"] = finished(run)
        except ImportError:
            pass
        times = {}
        for _ in range(ROUNDS):
            ours = float(subprocess.run([program, name, str(threads)], capture_output=True, text=True, check=True).stdout)
            times["undertone"] = min(times.get("undertone", 1e9), ours)
            for peer, work in runs.items():
                times[peer] = min(times.get(peer, 1e9), best(work))
        ours = times["undertone"]
        rates = [f"{peer} {RATE * SECONDS * channels / took / 1e6:.0f} ({took / ours:.2f})" for peer, took in times.items()]
        print(f"{name:20} {'; '.join(rates)}", flush=True)


if __name__ == "__main__":
    main()
