#!/usr/bin/env python3
"""Writes the names, shapes and number formats of the tensors of full-size models, without their numbers.

    python tests/reference/models.py

Writes tests/reference/models.json.gz. Needs torch, transformers, encodec, descript-audio-codec. The models are made
from their published configurations; no weights are fetched.
"""

import gzip
import importlib.machinery
import importlib.metadata
import json
import pathlib
import sys
from unittest import mock

import torch

# The packages import torchaudio, which must fit torch to the digit; the models themselves do not need it.
for name in ["audiotools", "audiotools.ml", "audiotools.core", "torchaudio"]:
    sys.modules[name] = mock.MagicMock(__spec__=importlib.machinery.ModuleSpec(name, None), __version__="2.0")
sys.modules["audiotools.ml"].BaseModel = type("BaseModel", (torch.nn.Module,), {"INTERN": [], "EXTERN": []})
sys.modules["audiotools"].ml = sys.modules["audiotools.ml"]

import dac  # noqa: E402
from encodec import EncodecModel  # noqa: E402
from transformers import DacConfig, DacModel, MimiConfig, MimiModel  # noqa: E402
from transformers import EncodecConfig as HfEncodecConfig  # noqa: E402
from transformers import EncodecModel as HfEncodecModel  # noqa: E402


def described(model, config=None):
    return {
        "config": config,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "tensors": {
            name: [str(tensor.dtype).removeprefix("torch."), list(tensor.shape)]
            for name, tensor in model.state_dict().items()
        },
    }


def older_weight_norm(described):
    """The names that weight norm has in files written before PyTorch 2.1, which are most of the published ones."""
    names = {"parametrizations.weight.original0": "weight_g", "parametrizations.weight.original1": "weight_v"}
    tensors = {}
    for name, tensor in described["tensors"].items():
        for new, old in names.items():
            name = name.replace(new, old)
        tensors[name] = tensor
    return described | {"tensors": tensors}


def main():
    models = {}
    with torch.device("meta"):
        for kind, make in [
            ("encodec_24khz", EncodecModel.encodec_model_24khz),
            ("encodec_48khz", EncodecModel.encodec_model_48khz),
        ]:
            models[f"{kind} own"] = described(make(pretrained=False))
        configs = {
            "encodec_24khz": HfEncodecConfig(),
            "encodec_48khz": HfEncodecConfig(
                target_bandwidths=[3.0, 6.0, 12.0, 24.0], sampling_rate=48000, audio_channels=2, normalize=True,
                chunk_length_s=1.0, overlap=0.01, norm_type="time_group_norm", use_causal_conv=False,
            ),
        }
        for kind, config in configs.items():
            models[f"{kind} transformers"] = described(HfEncodecModel(config), config.to_dict())
            models[f"{kind} transformers older"] = older_weight_norm(models[f"{kind} transformers"])
        for kind, rate, ratios, books in [
            ("dac_16khz", 16000, [2, 4, 5, 8], 12),
            ("dac_24khz", 24000, [2, 4, 5, 8], 32),
            ("dac_44khz", 44100, [2, 4, 8, 8], 9),
        ]:
            kwargs = {
                "encoder_dim": 64, "encoder_rates": ratios, "decoder_dim": 1536, "decoder_rates": ratios[::-1],
                "n_codebooks": books, "codebook_size": 1024, "codebook_dim": 8, "quantizer_dropout": True,
                "sample_rate": rate, "latent_dim": None,
            }
            models[f"{kind} own"] = described(dac.DAC(**kwargs))
            config = DacConfig(sampling_rate=rate, downsampling_ratios=ratios, n_codebooks=books)
            models[f"{kind} transformers"] = described(DacModel(config), config.to_dict())
        config = MimiConfig()
        models["mimi transformers"] = described(MimiModel(config), config.to_dict())
    versions = {
        package: importlib.metadata.version(package)
        for package in ["torch", "transformers", "encodec", "descript-audio-codec"]
    }
    text = json.dumps({"versions": versions, "models": models}, default=str) + "\n"
    path = pathlib.Path(__file__).parent / "models.json.gz"
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    print({name: (len(model["tensors"]), model["parameters"]) for name, model in models.items()})


if __name__ == "__main__":
    main()
