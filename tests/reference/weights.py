#!/usr/bin/env python3
"""Writes small weight files as PyTorch and safetensors write them, with the numbers that are in them.

    python tests/reference/weights.py

Writes tests/reference/weights/. Needs torch, safetensors, numpy. The numbers are small integers, halves and quarters,
so that every number format holds them exactly, but for those that are meant to be rounded.
"""

import fractions
import json
import os
import pathlib
import shutil
import sys
import types
from collections import OrderedDict

import safetensors
import safetensors.torch
import torch

HERE = pathlib.Path(__file__).parent / "weights"


def numbers(shape, dtype=torch.float32, start=0):
    count = 1
    for size in shape:
        count *= size
    values = (torch.arange(count, dtype=torch.float64) * 7 + start) % 32 - 8
    if dtype.is_floating_point:
        values = values / 4
    elif dtype in (torch.uint8, torch.bool):
        values = values.abs() % (2 if dtype == torch.bool else 256)
    return values.to(dtype).reshape(shape)


def described(tensors):
    return {
        name: {
            "shape": list(tensor.shape),
            "dtype": str(tensor.dtype).removeprefix("torch."),
            # As text, because JSON has no infinities.
            "numbers": " ".join(map(repr, tensor.detach().to(torch.float32).flatten().tolist())),
        }
        for name, tensor in tensors.items()
    }


def varied():
    """All number formats, and views of every kind."""
    base = numbers((4, 6))
    tensors = OrderedDict()
    for dtype in [torch.float32, torch.float16, torch.bfloat16, torch.float64]:
        tensors[f"float.{str(dtype).removeprefix('torch.')}"] = numbers((2, 3), dtype)
    for dtype in [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool]:
        tensors[f"integer.{str(dtype).removeprefix('torch.')}"] = numbers((5,), dtype)
    tensors["rounded.float64"] = torch.tensor([0.1, 1 / 3, 1e-40, 3.4e38], dtype=torch.float64)
    tensors["rounded.int64"] = torch.tensor([16777217, -(2**62) - 1])
    tensors["special.float16"] = torch.tensor([float("inf"), -0.0, 6e-8], dtype=torch.float16)
    tensors["number"] = torch.tensor(2.5)
    tensors["empty"] = torch.zeros((0, 3))
    tensors["view.whole"] = base
    tensors["view.transposed"] = base.t()
    tensors["view.part"] = base[1:3, 2:5]
    tensors["view.steps"] = base[::2, 1::2]
    tensors["view.permuted"] = numbers((2, 3, 4), start=3).permute(2, 0, 1)
    tensors["view.repeated"] = numbers((3, 1)).expand(3, 4)
    tensors["parameter"] = torch.nn.Parameter(numbers((3, 2), start=5))
    return tensors


def save_torch():
    """Returns what each file holds."""
    holds = {}
    tensors = varied()
    torch.save(tensors, HERE / "varied.pt")
    holds["varied.pt"] = {"tensors": described(tensors), "metadata": {}}

    layer = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Conv1d(2, 2, 3))
    for index, parameter in enumerate(layer.parameters()):
        parameter.data = numbers(tuple(parameter.shape), start=index)
    kwargs = {"encoder_rates": [2, 4], "latent_dim": None, "quantizer_dropout": 0.5, "sample_rate": 44100, "wide": True}
    torch.save({"state_dict": layer.state_dict(), "metadata": {"kwargs": kwargs}}, HERE / "audiotools.pth")
    holds["audiotools.pth"] = {
        "tensors": described(layer.state_dict()),
        "metadata": {"metadata": {"kwargs": kwargs}},
    }

    # A class that is only named: a module of this name does not exist where the file is read.
    module = types.ModuleType("demucs.htdemucs")
    module.HTDemucs = type("HTDemucs", (), {"__module__": "demucs.htdemucs"})
    sys.modules["demucs"] = types.ModuleType("demucs")
    sys.modules["demucs.htdemucs"] = module
    state = {name: tensor.half() for name, tensor in layer.state_dict().items()}
    kwargs = {"sources": ["drums", "bass"], "segment": fractions.Fraction(39, 5), "channels": 48, "t_dropout": 0.02}
    torch.save(
        {"klass": module.HTDemucs, "args": (), "kwargs": kwargs, "state": state, "training_args": {"seed": 2**40}},
        HERE / "demucs.th",
    )
    holds["demucs.th"] = {
        "tensors": described(state),
        "metadata": {
            "klass": "demucs.htdemucs.HTDemucs",
            "args": [],
            "kwargs": kwargs | {"segment": "39/5"},
            "training_args": {"seed": 2**40},
        },
    }

    nested = {"best_state": OrderedDict(weight=numbers((2, 2))), "epoch": 7, "shape": torch.Size([1, 2])}
    torch.save(nested, HERE / "nested.bin", pickle_protocol=5)
    holds["nested.bin"] = {
        "tensors": described({"best_state.weight": nested["best_state"]["weight"]}),
        "metadata": {"epoch": 7, "shape": [1, 2]},
    }
    return holds


class Calls:
    """Reduces to a call that leaves a trace where it is made."""

    def __init__(self, function, *arguments):
        self.call = (function, arguments)

    def __reduce__(self):
        return self.call


def save_refused():
    """Files that must not be read."""
    torch.save({"weight": numbers((2,)), "then": Calls(os.system, "touch executed")}, HERE / "calls.pt")
    torch.save({"weight": numbers((2,)), "name": os.system}, HERE / "names.pt")
    torch.save(torch.nn.Linear(2, 1), HERE / "module.pt")
    torch.save([numbers((2,))], HERE / "list.pt")
    torch.save({"weight": numbers((2,))}, HERE / "legacy.pt", _use_new_zipfile_serialization=False)
    torch.save({"weight": torch.zeros(2, dtype=torch.complex64)}, HERE / "complex.pt")


def save_safetensors():
    tensors = {name: tensor.detach().contiguous().clone() for name, tensor in varied().items()}
    metadata = {"format": "pt", "kwargs": '{"channels": 48}'}
    safetensors.torch.save_file(tensors, HERE / "varied.safetensors", metadata=metadata)

    folder = HERE / "folder"
    folder.mkdir()
    parts = [{"a.weight": numbers((2, 2)), "b.weight": numbers((3,))}, {"c.weight": numbers((1, 4), torch.bfloat16)}]
    names = [f"model-{index + 1:05}-of-00002.safetensors" for index in range(2)]
    for part, name in zip(parts, names):
        safetensors.torch.save_file(part, folder / name, metadata={"format": "pt"})
    where = {tensor: name for part, name in zip(parts, names) for tensor in part}
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {"total_size": 36}, "weight_map": where}, indent=1) + "\n"
    )
    config = {"model_type": "encodec", "sampling_rate": 24000}
    (folder / "config.json").write_text(json.dumps(config) + "\n")
    return {
        "varied.safetensors": {"tensors": described(tensors), "metadata": metadata},
        "folder": {"tensors": described(parts[0] | parts[1]), "metadata": config},
    }


def main():
    shutil.rmtree(HERE, ignore_errors=True)
    HERE.mkdir()
    holds = save_torch() | save_safetensors()
    save_refused()
    versions = {"torch": torch.__version__, "safetensors": safetensors.__version__, "python": sys.version.split()[0]}
    (HERE / "expected.json").write_text(json.dumps({"versions": versions, "files": holds}) + "\n")


if __name__ == "__main__":
    main()
