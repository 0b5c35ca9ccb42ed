"""Measures Undertone on a machine with a graphics card, within half an hour, and writes all of it into one folder.

    python3 benches/card.py PATH_OF_UNDERTONE OUT_FOLDER [--device gpu] [--seconds 420] [--minutes 30]

Needs the release build of the command line and the Vulkan loader; nothing is compiled or fetched. Every kernel is checked
and measured, then whole jobs run on the processor and on the card in turn, the best of three counts. If `torch` can be
imported and sees the card, the same work is done by `torch.stft`, `torch.fft` and, if it can be imported, by torchfx, all
synchronised, with and without copies to and from the card. `report.json` has every figure, `report.md` the tables. A step
that takes too long or fails is written down as that, and the others go on.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 3
RATE = 48_000
CHAINS = {
    "order 8": "lowpass(1 kHz, order=8)",
    "24 filters": " | ".join(f"peaking({100 * (n + 1)} Hz, q=1, gain=1 dB)" for n in range(24)),
    "FIR 1025": "fir(lowpass, 1 kHz, 1025)",
    "FIR 8193": "fir(lowpass, 1 kHz, 8193)",
}


class Report:
    def __init__(self, folder, minutes):
        self.folder, self.end = folder, time.monotonic() + 60 * minutes
        self.figures = {"machine": platform.platform(), "processor": processor(), "steps": {}}

    def left(self):
        return max(0.0, self.end - time.monotonic())

    def step(self, name, work):
        begun = time.monotonic()
        print(f"{name} ...", flush=True)
        try:
            if self.left() == 0:
                raise TimeoutError("no time was left")
            outcome = {"result": work()}
        except Exception as error:  # Each step stands by itself; what went wrong is a figure too.
            outcome = {"error": f"{type(error).__name__}: {error}"}
            print(f"  {outcome['error']}")
        outcome["took_s"] = round(time.monotonic() - begun, 2)
        self.figures["steps"][name] = outcome
        (self.folder / "report.json").write_text(json.dumps(self.figures, indent=1))
        return outcome.get("result")


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("undertone", type=Path)
    words.add_argument("out", type=Path)
    words.add_argument("--device", default="gpu")
    words.add_argument("--seconds", type=int, default=420)
    words.add_argument("--minutes", type=float, default=30)
    words = words.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    report = Report(words.out, words.minutes)
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as scratch:
        scratch = Path(scratch)
        env = {**os.environ, "UNDERTONE_CONFIG_DIR": str(scratch / "config"), "UNDERTONE_DATA_DIR": str(scratch / "data")}

        def undertone(*arguments, device=words.device, allowed=(0,)):
            line = [words.undertone, *arguments, "--device", device]
            ran = subprocess.run(line, env=env, capture_output=True, text=True, timeout=max(1.0, report.left()))
            if ran.returncode not in allowed:
                raise RuntimeError(f"status {ran.returncode}: {(ran.stderr or ran.stdout).strip()[:400]}")
            return ran.stdout

        report.step("devices", lambda: json.loads(undertone("devices", "--json")))
        limit = str(int(15 * words.minutes))
        report.step("bench", lambda: json.loads(undertone("bench", "--limit", limit, "--json")))
        input_path = scratch / "input.wav"
        made = ["generate", "pink", "-o", input_path, "--length", str(words.seconds), "--rate", str(RATE), "--channels", "2"]
        report.step("input", lambda: undertone(*made, device="cpu")[-200:])
        jobs = jobs_of(scratch, input_path)
        for name, line in jobs.items():
            report.step(f"job: {name}", lambda line=line: both(line, words.device, undertone))
        report.step("peers", lambda: peers(words.seconds))
        checked = words.out / "verify.md"
        report.step("verify", lambda: undertone("devices", "--verify", "--report", checked, allowed=(0, 1))[-2000:])
    (words.out / "report.md").write_text(tables(report.figures, words.seconds))
    print((words.out / "report.md").read_text())


def jobs_of(scratch, source):
    """The command line of each whole job; each is run on the processor and on the card."""
    jobs = {
        f"process, {name}": ["process", source, "-o", scratch / "out.wav", "--overwrite", "--bits", "f32", "-c", chain, "--json"]
        for name, chain in CHAINS.items()
    }
    jobs["analyze"] = ["analyze", source, "--json"]
    picture = ["spectrogram", source, "-o", scratch / "out.npy", "--overwrite", "--json"]
    jobs["spectrogram"] = picture
    copies = scratch / "copies"
    copies.mkdir()
    for number in range(8):
        os.link(source, copies / f"{number}.wav")
    (scratch / "outputs").mkdir()
    batch = ["process", copies, "-o", scratch / "outputs", "--recursive", "--overwrite", "--bits", "f32", "--json"]
    jobs["batch of 8, 24 filters"] = [*batch, "-c", CHAINS["24 filters"]]
    return jobs


def both(line, device, undertone):
    """Seconds on the processor and on the card in turn, the best of the rounds, and what each run says of its device."""
    result = {}
    for _ in range(ROUNDS):
        for name in ("cpu", device):
            begun = time.perf_counter()
            told = undertone(*line, device=name)
            seconds = time.perf_counter() - begun
            kept = result.setdefault("cpu" if name == "cpu" else "card", {"seconds": seconds})
            kept["seconds"] = min(kept["seconds"], seconds)
            kept["said"] = said(told)
    return result


def said(told):
    """What the program says of the device and of the time of each stage."""
    try:
        whole = json.loads(told)
    except ValueError:
        return None
    part = whole["files"][0] if isinstance(whole, dict) and whole.get("files") else whole
    return {key: part.get(key) for key in ("device", "seconds") if isinstance(part, dict) and part.get(key) is not None}


def peers(seconds):
    import torch

    if not torch.cuda.is_available():
        raise RuntimeError("torch sees no card")
    host = torch.randn(2, seconds * RATE, pin_memory=True)
    card = host.cuda()
    window = torch.hann_window(2048, device="cuda")

    def best(work):
        work()
        torch.cuda.synchronize()
        times = []
        for _ in range(5):
            begun = time.perf_counter()
            work()
            torch.cuda.synchronize()
            times.append(time.perf_counter() - begun)
        return min(times)

    def stft(signal):
        return torch.stft(signal, 2048, 512, window=window, return_complex=True)

    figures = {"torch": torch.__version__, "card": torch.cuda.get_device_name()}
    figures["torch.stft, on the card"] = best(lambda: stft(card))
    figures["torch.stft, with copies"] = best(lambda: stft(host.cuda()).abs().cpu())
    count = 1 << 15
    blocks = torch.randn(count, 2048, device="cuda")
    figures["torch.fft.rfft of 2048, transforms a second"] = count / best(lambda: torch.fft.rfft(blocks))
    figures["copy to the card, GB/s"] = host.numel() * 4e-9 / best(lambda: host.cuda())
    figures["copy from the card, GB/s"] = host.numel() * 4e-9 / best(lambda: card.cpu())
    try:
        import torchfx
    except ImportError as error:
        figures["torchfx"] = str(error)
        return figures
    figures["torchfx"] = getattr(torchfx, "__version__", "?")
    for name, filters in {
        "order 8": [torchfx.filter.LoButterworth(1000, order=8, fs=RATE)],
        "24 filters": [torchfx.filter.ParametricEQ(100 * (n + 1), 1.0, 1.0, fs=RATE) for n in range(24)],
    }.items():
        try:
            def run(signal, filters=filters):
                wave = torchfx.Wave(signal, RATE)
                wave.to("cuda")
                for one in filters:
                    wave = wave | one
                return wave.ys
            figures[f"torchfx, {name}, on the card"] = best(lambda: run(card))
        except Exception as error:  # Another version may name its filters otherwise.
            figures[f"torchfx, {name}"] = f"{type(error).__name__}: {error}"
    return figures


def tables(figures, seconds):
    steps = figures["steps"]
    lines = [f"# {figures['processor']}, {figures['machine']}", "", f"{seconds} s of stereo at {RATE} Hz, best of {ROUNDS}.", ""]
    lines += ["| job | processor, s | card, s | times | ran on |", "|---|---|---|---|---|"]
    for name, step in steps.items():
        if name.startswith("job: ") and "result" in step:
            cpu, card = step["result"]["cpu"], step["result"]["card"]
            device = ((card.get("said") or {}).get("device") or {})
            ran = f"{device.get('used', '?')}, {device.get('name', '?')}" + (" (FELL BACK)" if device.get("fallback") else "")
            times = cpu["seconds"] / card["seconds"]
            lines.append(f"| {name[5:]} | {cpu['seconds']:.3f} | {card['seconds']:.3f} | {times:.2f} | {ran} |")
    lines += ["", "| peer | figure |", "|---|---|"]
    for name, value in (steps.get("peers", {}).get("result") or {}).items():
        lines.append(f"| {name} | {value:.4g} |" if isinstance(value, float) else f"| {name} | {value} |")
    failed = {name: step["error"] for name, step in steps.items() if "error" in step}
    if failed:
        lines += ["", "Not done:", ""] + [f"- {name}: {error}" for name, error in failed.items()]
    lines += ["", "Every kernel: `report.json` (step `bench`) and `verify.md`."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
