"""What descript-audio-codec's `compress` and `decompress` make of a sound, with a small model of random weights.

    python dac_container.py

writes into `tests/reference/codec_models/` the model (`dac_chunks.pth`), its sounds, codes and decoded sounds
(`dac_chunks.reference.safetensors`) and its container (`dac_chunks.dac`). `AudioSignal` of audiotools, which the package
takes its sounds from, is written anew for what is needed here: it measures with pyloudnorm, as audiotools does.

Written with torch 2.15.0, descript-audio-codec 1.0.0, pyloudnorm 0.2.0, numpy 2.4.6, on the CPU in f32.
"""

import copy
import math
import sys

import numpy as np
import pyloudnorm
import torch

from codec_models import OUT, enliven, seeded, sound, spread_projections, without, write_reference

RATE = 8000


class AudioSignal:
    def __init__(self, audio_data, sample_rate):
        self.audio_data, self.sample_rate, self.known = audio_data, sample_rate, None

    device = "cpu"
    signal_length = property(lambda self: self.audio_data.shape[-1])
    shape = property(lambda self: self.audio_data.shape)
    signal_duration = property(lambda self: self.signal_length / self.sample_rate)

    def clone(self):
        return copy.deepcopy(self)

    def resample(self, rate):
        assert rate == self.sample_rate

    def loudness(self):
        if self.known is None:
            padded = torch.nn.functional.pad(self.audio_data, (0, max(0, self.sample_rate // 2 - self.signal_length)))
            meter = pyloudnorm.Meter(self.sample_rate)
            found = [meter.integrated_loudness(item.numpy().T.astype(np.float64)) for item in padded]
            self.known = torch.tensor([max(lufs, -70.0) for lufs in found], dtype=torch.float32)
        return self.known

    def normalize(self, db):
        gain = torch.exp((torch.as_tensor(db) - self.loudness()) * (math.log(10) / 20))
        self.audio_data = self.audio_data * gain[:, None, None]

    def ensure_max_of_audio(self):
        peak = self.audio_data.abs().max(dim=-1, keepdim=True)[0]
        self.audio_data = self.audio_data / torch.clamp(peak, min=1.0)

    def zero_pad(self, before, after):
        self.audio_data = torch.nn.functional.pad(self.audio_data, (before, after))
        return self

    def __getitem__(self, key):
        return AudioSignal(self.audio_data[key], self.sample_rate)


@torch.no_grad()
def main():
    without("audiotools", "audiotools.ml", "argbind", "dac.utils")
    sys.modules["audiotools"].ml = sys.modules["audiotools.ml"]
    sys.modules["audiotools"].AudioSignal = AudioSignal
    sys.modules["audiotools.ml"].BaseModel = type("BaseModel", (torch.nn.Module,), {"device": "cpu", "INTERN": [], "EXTERN": []})
    from dac.model.dac import DAC

    seeded(21)
    kwargs = dict(
        encoder_dim=2, encoder_rates=[2, 4], decoder_dim=16, decoder_rates=[4, 2], n_codebooks=3, codebook_size=16,
        codebook_dim=4, sample_rate=RATE,
    )
    model = DAC(**kwargs).eval()
    for part in model.modules():
        if hasattr(part, "weight_v"):
            torch.nn.init.kaiming_uniform_(part.weight_v, a=1.5)
    enliven(model)
    given = (sound(1, RATE * 2 - 700, RATE) * 0.3 * 32768).round() / 32768
    spread_projections(model.quantizer.quantizers, model.encoder(given[..., :3000]))
    torch.save(
        {"state_dict": model.state_dict(), "metadata": {"kwargs": kwargs | {"latent_dim": None, "quantizer_dropout": False}}},
        OUT / "dac_chunks.pth",
    )
    values = {"input": given[0]}
    for name, part in [("long", given), ("short", given[..., 2000:8000])]:
        file = model.compress(AudioSignal(part, RATE))
        decoded = model.decompress(file)
        values |= {
            f"{name}_codes": file.codes[0].int(),
            f"{name}_facts": torch.tensor([file.chunk_length, file.original_length, int(file.padding)]).int(),
            f"{name}_lufs": file.input_db,
            f"{name}_decoded": decoded.audio_data[0],
        }
        if name == "long":
            file.save(OUT / "dac_chunks.dac")
        print(name, file.codes.shape, file.chunk_length, file.padding, file.input_db)
    write_reference(OUT / "dac_chunks.reference.safetensors", values, {})


if __name__ == "__main__":
    main()
