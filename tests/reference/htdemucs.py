"""Small hybrid models of Demucs with random weights, what PyTorch makes of them, layer by layer, and their files.

    python htdemucs.py

writes `tests/reference/htdemucs/`: a model as the `safetensors` of Demucs 4.1, another with six sources and without the
layers before the transformer as the `.th` file of Demucs 4.0, one without a transformer (as `hdemucs_mmi`), and `NAME.reference.safetensors` with what they give. All
layers of the real models are there, with few channels. Tokens of the spectral branch stand in the order of rows and
windows. The files are compressed.

    python htdemucs.py full FOLDER

writes one of full size with random weights, and its output for one segment, to a folder of yours.

Written with torch 2.15.0 and demucs 4.1.0, on the CPU in f32, the layers of the last model in f64.
"""

import gzip
import json
import math
import random
import sys
from fractions import Fraction
from pathlib import Path

import torch
from demucs.apply import apply_model
from demucs.demucs import DConv
from demucs.hdemucs import HDemucs
from demucs.htdemucs import HTDemucs
from safetensors.torch import save_file

OUT = Path(__file__).parent / "htdemucs"
MOST_NUMBERS = 300
SMALL = {
    "sources": ["drums", "bass", "other", "vocals"], "audio_channels": 2, "samplerate": 8000,
    "segment": Fraction(3, 4), "channels": 4, "nfft": 2048, "dconv_mode": 3, "dconv_comp": 4, "bottom_channels": 16,
    "t_layers": 5, "t_heads": 2, "t_hidden_scale": 1.5, "t_dropout": 0.02, "multi_freqs": [], "freq_emb": 0.2,
}

# The fourth layer merges both branches: 32 rows over 2 * 2 * 2 are no more than the kernel has.
HYBRID = {
    "sources": SMALL["sources"], "audio_channels": 2, "samplerate": 8000, "segment": Fraction(5, 8), "channels": 16,
    "growth": 1, "kernel_size": 4, "stride": 2, "nfft": 64, "depth": 5, "freq_emb": 0.2, "hybrid_old": False, "norm_starts": 3, "norm_groups": 4, "dconv_mode": 3,
    "dconv_comp": 2, "dconv_attn": 3, "dconv_lstm": 3,
}


def sound(channels, frames, rate):
    """Tones, hits and noise, with a quiet beginning."""
    time = torch.arange(frames, dtype=torch.float64) / rate
    rows = []
    for channel in range(channels):
        tone = 0.3 * torch.sin(2 * math.pi * (220 + 90 * channel) * time) + 0.1 * torch.sin(2 * math.pi * 1870 * time + 1)
        hits = 0.5 * torch.exp(-((time * 7 + 0.2 * channel) % 1) * 9) * torch.randn(frames, dtype=torch.float64)
        rows.append((tone + hits + 0.02) * torch.clamp(time * rate / (0.2 * frames), max=1))
    return torch.stack(rows)[None].half().float()


@torch.no_grad()
def enliven(model):
    """Gains, biases and scales that are not all one, zero and tiny, rounded to what f16 has."""
    for name, value in model.named_parameters():
        end = name.split(".")[-1]
        if end == "scale":
            value.uniform_(0.2, 0.8)
        elif value.dim() == 1 and end == "weight":
            value.uniform_(0.7, 1.4)
        elif end in ("bias", "in_proj_bias"):
            value.uniform_(-0.05, 0.05)
        elif "embedding" in name:
            value.mul_(20)
        value.copy_(value.half().float())


def watched(name, part):
    parts = name.split(".")
    if isinstance(part, DConv) or parts[-1] in ("conv", "rewrite", "conv_tr"):
        return True
    if parts[0] in ("encoder", "decoder", "tencoder", "tdecoder", "freq_emb"):
        return len(parts) == 2 and parts[0] != "freq_emb"
    if parts[0] == "crosstransformer":
        return parts[-1].startswith("norm") or len(parts) == 3
    return name.startswith("channel_")


class Watch:
    """What the parts of a model gave, as channels x rows x frames."""

    def __init__(self, model, rows, tokens):
        self.taken, self.rows, self.tokens = {}, rows, tokens
        self.hooks = [part.register_forward_hook(self.hook(name)) for name, part in model.named_modules()
                      if watched(name, part)]

    def hook(self, name):
        def take(_part, _given, result):
            value = (result[0] if isinstance(result, tuple) else result).detach()
            if name.startswith("crosstransformer"):
                value = value[0].T
                if value.shape[1] == self.tokens:
                    value = value.reshape(value.shape[0], -1, self.rows).transpose(1, 2).reshape(value.shape[0], -1)
            elif value.dim() == 3 and value.shape[0] > 1:
                value = value.transpose(0, 1)
            else:
                value = value[0]
            # Undertone does not compute the ends that are cut off.
            if name.endswith("conv_tr"):
                return
            self.taken[name] = value.clone()

        return take

    def end(self):
        for hook in self.hooks:
            hook.remove()
        return self.taken


def thinned(value, most):
    value = value.reshape(value.shape[0], -1)
    step = max(1, math.ceil(value.numel() / most))
    while step > 1 and any(step % n == 0 for n in (2, 3, 5)):
        step += 1
    return step, value[:, ::step].contiguous().clone().float()


def separated(model, mix, offsets, **settings):
    """As `demucs.separate` does, with these offsets of the shifts."""
    left = iter(offsets)
    random.randint = lambda _low, _high: next(left)
    reference = mix[0].mean(0)
    mean, deviation = reference.mean(), reference.std() + 1e-8
    with torch.no_grad():
        made = apply_model(model, (mix - mean) / deviation, shifts=len(offsets), **settings)
    return made[0] * deviation + mean


def as_json(value):
    if isinstance(value, Fraction):
        return {"_type": "fraction", "numerator": value.numerator, "denominator": value.denominator}
    return value


def write_safetensors(path, state, kwargs, kind=HTDemucs):
    described = {"klass": f"{kind.__module__}.{kind.__name__}", "args": "[]",
                 "kwargs": json.dumps({key: as_json(value) for key, value in kwargs.items()})}
    save_file(state, path, metadata=described)


def small(name, seed, **changes):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    kwargs = {**SMALL, **changes}
    model = HTDemucs(**kwargs).eval()
    enliven(model)
    state = {key: value.half() for key, value in model.state_dict().items()}
    if name == "six":
        package = {"klass": HTDemucs, "args": (), "kwargs": kwargs, "state": state, "training_args": {"seed": 42}}
        torch.save(package, OUT / f"{name}.th")
    else:
        write_safetensors(OUT / f"{name}.safetensors", state, kwargs)
    mix = sound(2, 13_000, kwargs["samplerate"])
    segment = mix[..., 500:6500].clone()
    rows = kwargs["nfft"] // 2 // 4 ** 4
    watch = Watch(model, rows, rows * math.ceil(6000 / (kwargs["nfft"] // 4)))
    with torch.no_grad():
        made = model(segment)
    layers = watch.end()
    values = {"mix": mix[0].half()}
    for key, value in layers.items():
        step, value = thinned(value, MOST_NUMBERS)
        values[f"{key}|{step}"] = value
    made = made[0].reshape(-1, made.shape[-1])
    values["out|7"] = made[:, ::7]
    runs = {
        "plain": (mix, [], {}),
        "shifts": (mix, [1234, 3001], {}),
        "overlap": (mix, [4000], {"overlap": 0.6, "transition_power": 2.0}),
        "short": (mix[..., 2000:3001], [], {}),
        "whole": (mix[..., :6000], [], {"overlap": 0.0}),
    }
    for key, (given, offsets, settings) in runs.items() if name == "four" else []:
        made = separated(model, given, offsets, **settings)
        values[f"apply.{key}|23"] = made.reshape(-1, made.shape[-1])[:, ::23]
    save_file({key: value.contiguous().clone() for key, value in values.items()}, OUT / f"{name}.reference.safetensors")


def hybrid(seed):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    model = HDemucs(**HYBRID).eval()
    enliven(model)
    for name, value in model.named_parameters():
        # So many norms over so few channels magnify what f32 rounds. And scores fall over a few frames up to many.
        if name.endswith("scale"):
            value.data.mul_(0.25)
        if "query_decay" in name:
            value.data.copy_(torch.empty_like(value).uniform_(-4, 1).half().float())
    state = {key: value.half() for key, value in model.state_dict().items()}
    write_safetensors(OUT / "hybrid.safetensors", state, HYBRID, HDemucs)
    mix = sound(2, 13_000, HYBRID["samplerate"])
    values = {"mix": mix[0].half()}
    # Memory in four stretches, in three and in one, and a segment too short to be mirrored.
    for key, frames in {"four": 4880, "three": 3401, "one": 1201, "tiny": 20}.items():
        # In f64, for the same reason.
        watch = Watch(model.double(), 1, -1)
        with torch.no_grad():
            made = model(mix[..., 500:500 + frames].double())
        for name, value in watch.end().items():
            step, value = thinned(value, MOST_NUMBERS // 3)
            values[f"{key}.{name}|{step}"] = value
        values[f"{key}.out|7"] = made[0].reshape(-1, made.shape[-1])[:, ::7].float()
    runs = {
        "plain": (mix, [], {}),
        "shifts": (mix, [1234, 3001], {}),
        "short": (mix[..., 2000:3001], [], {}),
        "tiny": (mix[..., 3000:3015], [], {}),
    }
    for key, (given, offsets, settings) in runs.items():
        made = separated(model.float(), given, offsets, **settings)
        values[f"apply.{key}|7"] = made.reshape(-1, made.shape[-1])[:, ::7]
    values = {key: value.contiguous().clone() for key, value in values.items()}
    save_file(values, OUT / "hybrid.reference.safetensors")


def full_model():
    torch.manual_seed(3)
    kwargs = {**SMALL, "samplerate": 44100, "segment": Fraction(39, 5), "channels": 48, "nfft": 4096, "dconv_comp": 8,
              "bottom_channels": 512, "t_heads": 8, "t_hidden_scale": 4.0}
    model = HTDemucs(**kwargs).eval()
    enliven(model)
    return model, kwargs


def full(folder):
    model, kwargs = full_model()
    state = {key: value.half() for key, value in model.state_dict().items()}
    folder = Path(folder)
    write_safetensors(folder / "full.safetensors", state, kwargs)
    mix = sound(2, 343_980, 44100)
    with torch.no_grad():
        made = model(mix)
    save_file({"segment": mix[0], "out": made[0].reshape(8, -1).contiguous()}, folder / "full.reference.safetensors")


if __name__ == "__main__":
    if sys.argv[1:2] == ["full"]:
        full(sys.argv[2])
    else:
        OUT.mkdir(exist_ok=True)
        small("four", 1)
        six = ["drums", "bass", "other", "vocals", "guitar", "piano"]
        small("six", 2, sources=six, bottom_channels=0)
        hybrid(4)
        for path in [*OUT.glob("*.safetensors"), *OUT.glob("*.th")]:
            Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))
            path.unlink()
