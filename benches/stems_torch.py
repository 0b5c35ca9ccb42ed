"""Times a split by an htdemucs of full size against demucs in PyTorch in one run, and compares the stems.

    python3 benches/stems_torch.py PATH_OF_UNDERTONE OUT_FOLDER [--device cpu|gpu] [--threads N] [--seconds 60] [--onnx]
                                   [--memory]

Needs torch, demucs and safetensors. The model has random weights, so no file is fetched; both sides read the same weights
and the same sound. A seventh of the sound is split too: what it takes less than the whole, over the number of segments, is
the time of a segment without opening and first touches. PyTorch is warm and synchronised, the best of three; on a card it
is timed with TF32 too, which ours does not use. `db` compares with PyTorch on the processor, and `torch_db` what PyTorch
makes of a segment on the card, without TF32, with what it makes of it on the processor. With --onnx the network between
the transforms runs in ONNX Runtime too, a segment on as many threads; with --memory each side's greatest resident size
counts, PyTorch's in a process of its own. All figures are printed, and kept in `stems.json`.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "reference"))
from codecs_torch import ROUNDS, best, peak_of, write_wav  # noqa: E402
from htdemucs import full_model, separated, sound, write_safetensors  # noqa: E402

RATE, SEGMENT = 44_100, 343_980
STRIDE = SEGMENT * 3 // 4


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("undertone", type=Path)
    words.add_argument("out", type=Path)
    words.add_argument("--device", default="cpu")
    words.add_argument("--threads", type=int, default=os.cpu_count())
    words.add_argument("--seconds", type=int, default=60)
    words.add_argument("--onnx", action="store_true")
    words.add_argument("--memory", action="store_true")
    words.add_argument("--memory-of-torch", action="store_true", help=argparse.SUPPRESS)
    words = words.parse_args()
    torch.set_num_threads(words.threads)
    model, kwargs = full_model()
    mix = sound(2, words.seconds * RATE, RATE)
    if words.memory_of_torch:
        separated(model, mix, [])
        return print(peak_of("self"))
    words.out.mkdir(parents=True, exist_ok=True)
    row = {"torch": torch.__version__, "seconds": words.seconds, "threads": words.threads}
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        write_safetensors(scratch / "model.safetensors", {key: value.half() for key, value in model.state_dict().items()}, kwargs)
        for label, part in (("whole", mix), ("part", mix[..., : mix.shape[-1] // 7])):
            write_wav(scratch / f"{label}.wav", part[0].numpy().T.copy(), RATE)
        row |= ours(words, scratch)
        segments = [math.ceil(frames / STRIDE) for frames in (mix.shape[-1], mix.shape[-1] // 7)]
        row["segment_s"] = (row["whole_s"] - row["part_s"]) / (segments[0] - segments[1])
        row |= theirs(words, model, mix, scratch, segments[0])
    if words.onnx:
        row["onnx_segment_s"] = onnx_segment(model, words)
    if words.memory:
        row["torch_peak_bytes"] = torch_memory(words)
    (words.out / "stems.json").write_text(json.dumps(row, indent=1))
    print(json.dumps(row, indent=1))


def ours(words, scratch):
    env = {**os.environ, "UNDERTONE_CONFIG_DIR": str(scratch / "config"), "UNDERTONE_DATA_DIR": str(scratch / "data")}
    env["RAYON_NUM_THREADS"] = str(words.threads)
    row = {"peak_bytes": 0}
    for _ in range(ROUNDS):
        for label in ("part", "whole"):
            line = [words.undertone, "stems", scratch / f"{label}.wav", "-o", scratch / "stems", "--model",
                    scratch / "model.safetensors", "--bits", "f32", "--json", "--overwrite", "--device", words.device]
            with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as told:
                child = subprocess.Popen([str(word) for word in line], env=env, stdout=said, stderr=told)
                while child.poll() is None:
                    row["peak_bytes"] = max(row["peak_bytes"], peak_of(child.pid))
                    try:
                        child.wait(0.01)
                    except subprocess.TimeoutExpired:
                        pass
                said.seek(0), told.seek(0)
                if child.returncode:
                    raise RuntimeError((told.read() + said.read()).strip()[-600:])
                file = json.load(said)["files"][0]
                row["said"] = told.read()[-4000:]
            row[f"{label}_s"] = min(row.get(f"{label}_s", math.inf), file["seconds"])
            row["device"] = file["device"]
    return row


def theirs(words, model, mix, scratch, segments):
    from scipy.io import wavfile

    on_card = words.device != "cpu" and torch.cuda.is_available()
    place = "cuda" if on_card else "cpu"
    row = {"place": torch.cuda.get_device_name() if on_card else f"{words.threads} threads", "db": {}}
    made = separated(model, mix, [])
    for source, stem in zip(model.sources, made.numpy()):
        row["db"][source] = decibels(wavfile.read(scratch / "stems" / f"whole - {source}.wav")[1].T, stem)
    with torch.no_grad():
        of_segment = model(mix[..., :SEGMENT])
    model, segment = model.to(place), mix[..., :SEGMENT].to(place)
    for label, tf32 in (("torch", False), ("torch_tf32", True)) if on_card else (("torch", False),):
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = tf32
        with torch.no_grad():
            row[f"{label}_segment_s"] = best(lambda: model(segment))
        if on_card:
            row[f"{label}_whole_s"] = best(lambda: separated(model, mix, [], device=place))
            with torch.no_grad():
                row.setdefault("torch_db", decibels(model(segment).cpu().numpy(), of_segment.numpy()))
    model.to("cpu")
    row["segments"] = segments
    return row


def decibels(ours, theirs):
    ours, theirs = ours.astype(np.float64), theirs.astype(np.float64)
    return 10 * math.log10(((ours - theirs) ** 2).sum() / (theirs**2).sum())


def onnx_segment(model, words):
    """A segment through the network in ONNX Runtime. The transforms, which have complex numbers, are left out."""
    import onnxruntime

    class Inner(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, mix, magnitude):
            self.model._spec = lambda _mix: None
            self.model._magnitude = lambda _z: magnitude
            self.model._mask = lambda _z, spectra: spectra
            # Something that needs all of the spectra, in the shape of a frame.
            self.model._ispec = lambda spectra, _length: spectra.mean((3, 4))[:, :, :2, None]
            return self.model(mix)

    mix = sound(2, SEGMENT, RATE)
    magnitude = model._magnitude(model._spec(mix))
    with tempfile.TemporaryDirectory() as scratch:
        file = str(Path(scratch) / "model.onnx")
        torch.onnx.export(Inner(), (mix, magnitude), file, dynamo=False, opset_version=17)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = words.threads
        session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        names = [given.name for given in session.get_inputs()]
        feed = dict(zip(names, (mix.numpy(), magnitude.numpy())))
        return best(lambda: session.run(None, feed))


def torch_memory(words):
    line = [sys.executable, __file__, words.undertone, words.out, "--threads", str(words.threads)]
    line += ["--seconds", str(words.seconds), "--memory-of-torch"]
    return int(subprocess.run(line, check=True, capture_output=True, text=True).stdout.split()[-1])


if __name__ == "__main__":
    main()
