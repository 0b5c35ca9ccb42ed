"""Small codec models with random weights, what PyTorch makes of them, layer by layer, and their files.

    python codec_models.py

writes `tests/reference/codec_models/`: for each model a folder in the Hugging Face layout (`config.json`,
`model.safetensors`) with `reference.safetensors` beside it, or a checkpoint in the naming of its own project with
`NAME.reference.safetensors`. All layers of the real models are there, with few channels.

Written with torch 2.15.0, transformers 5.24.0, encodec 0.1.1, descript-audio-codec 1.0.0, on the CPU in f32.
"""

import importlib.machinery
import json
import math
import sys
import types
from pathlib import Path

import torch
from safetensors.torch import save_file

OUT = Path(__file__).parent / "codec_models"
MOST_NUMBERS = 1200


def without(*names):
    """Stands in for packages that the codecs import for reading files only."""
    for name in names:
        module = types.ModuleType(name)
        module.__path__, module.__spec__ = [], importlib.machinery.ModuleSpec(name, None)
        module.__getattr__ = anything
        sys.modules[name] = module


def anything(wanted):
    """A class of any name, for what is imported and not used."""
    if wanted.startswith("__"):
        raise AttributeError(wanted)
    return type(wanted, (torch.nn.Module,), {})


def seeded(seed):
    torch.manual_seed(seed)
    torch.set_num_threads(1)


def sound(channels, frames, rate):
    """Tones and noise with a quiet beginning."""
    time = torch.arange(frames, dtype=torch.float64) / rate
    rows = []
    for channel in range(channels):
        tone = 0.4 * torch.sin(2 * math.pi * (220 + 90 * channel) * time) + 0.2 * torch.sin(2 * math.pi * 1870 * time + 1)
        noise = torch.randn(frames, dtype=torch.float64) * 0.08
        rows.append((tone + noise) * torch.clamp(time * rate / (0.3 * frames), max=1))
    return torch.stack(rows)[None].float()


@torch.no_grad()
def enliven(model):
    """Gains, biases and slopes that are not all one and zero."""
    for name, value in model.named_parameters():
        end = name.split(".")[-1]
        if end in ("original0", "weight_g") or "norm" in name and end == "weight":
            value.mul_(torch.empty_like(value).uniform_(0.7, 1.4))
        elif end == "alpha":
            value.uniform_(0.2, 2.0)
        elif end == "bias" and value.dim() == 1:
            value.uniform_(-0.05, 0.05)
        elif end == "scale":
            value.uniform_(0.2, 0.8)


@torch.no_grad()
def set_books(books, embeddings, shrink=0.75):
    """Books that have the spread of what they quantise: `embeddings` is components x frames."""
    spread = embeddings.std(dim=1)
    for n, book in enumerate(books):
        book.copy_(torch.randn_like(book) * spread * shrink**n + (embeddings.mean(dim=1) if n == 0 else 0))


class Watch:
    """What the parts of a model gave."""

    def __init__(self, model, wanted):
        self.taken, self.hooks = {}, []
        for name, part in model.named_modules():
            if wanted(name, part):
                self.hooks.append(part.register_forward_hook(self.hook(name)))

    def hook(self, name):
        def take(_part, _given, result):
            if isinstance(result, tuple):
                result = result[0]
            self.taken[name] = result.detach()

        return take

    def end(self):
        for hook in self.hooks:
            hook.remove()
        return self.taken


def thinned(name, value):
    """`NAME|STEP`: every so many frames, so that files stay small."""
    step = max(1, math.ceil(value.numel() / MOST_NUMBERS))
    while step > 1 and any(step % n == 0 for n in (2, 3, 5)):
        step += 1
    return f"{name}|{step}", value[..., ::step].contiguous().clone().float()


def write_reference(path, values, layers):
    tensors = {name: value.contiguous().clone() for name, value in values.items()}
    for name, value in layers.items():
        key, value = thinned(name, value[0])
        tensors[key] = value
    save_file(tensors, path)


def encodec_layers(name, part):
    kind = type(part).__name__
    return kind in ("EncodecConv1d", "EncodecConvTranspose1d", "EncodecLSTM", "EncodecResnetBlock")


def encodec(name, seed, frames, layer_frames, rename=None, **settings):
    from transformers import EncodecConfig, EncodecModel

    seeded(seed)
    config = EncodecConfig(num_filters=2, hidden_size=6, codebook_size=16, **settings)
    model = EncodecModel(config).eval()
    enliven(model)
    given = sound(config.audio_channels, frames, config.sampling_rate)
    piece = given[..., :layer_frames]
    with torch.no_grad():
        scaled = piece
        if config.normalize:
            scaled = piece / (piece.mean(dim=1).pow(2).mean(dim=-1).sqrt() + 1e-8)
        set_books([layer.codebook.embed for layer in model.quantizer.layers], model.encoder(scaled)[0])
        watch = Watch(model, encodec_layers)
        embeddings = model.encoder(scaled)
        codes = model.quantizer.encode(embeddings, config.target_bandwidths[-1])
        quantized = model.quantizer.decode(codes)
        decoded = model.decoder(quantized)
        layers = watch.end()
        values = {"input": given[0], "piece": scaled[0], "embeddings": embeddings[0], "quantized": quantized[0]}
        values["piece_codes"], values["piece_decoded"] = codes[:, 0].int(), decoded[0]
        for n, bandwidth in enumerate(config.target_bandwidths):
            coded = model.encode(given, bandwidth=bandwidth)
            # One piece after the other, each books x time; the last without its filling.
            parts = list(coded.audio_codes[:, 0])
            if coded.last_frame_pad_length:
                parts[-1] = parts[-1][:, : -coded.last_frame_pad_length]
            values[f"codes.{n}"] = torch.cat(parts, dim=-1).int()
            sounding = model.decode(coded.audio_codes, coded.audio_scales, last_frame_pad_length=coded.last_frame_pad_length)
            values[f"decoded.{n}"] = sounding.audio_values[0]
            if config.normalize:
                values[f"scales.{n}"] = torch.cat([scale.reshape(-1) for scale in coded.audio_scales])
        # Short sounds, where padding has not enough to mirror.
        # PyTorch normalises no single number.
        for frames in (7, 700) if config.normalize else (1, 7, 700):
            short = model.encode(given[..., 900 : 900 + frames], bandwidth=config.target_bandwidths[-1])
            values[f"short.{frames}.codes"] = short.audio_codes[0, 0].int()
            sounding = model.decode(short.audio_codes, short.audio_scales).audio_values[0]
            values[f"short.{frames}.decoded"] = sounding
    folder = OUT / name
    model.save_pretrained(folder)
    if rename:
        respell(folder / "model.safetensors")
    write_reference(folder / "reference.safetensors", values, layers)


def respell(path):
    """The older spelling of weight norm, which the files of the published models have."""
    from safetensors.torch import load_file

    tensors = {}
    for name, value in load_file(path).items():
        name = name.replace("parametrizations.weight.original0", "weight_g")
        tensors[name.replace("parametrizations.weight.original1", "weight_v")] = value
    save_file(tensors, path, metadata={"format": "pt"})


def encodec_own(name, seed, causal, channels, ratios):
    from encodec.model import EncodecModel
    from encodec.modules import SEANetDecoder, SEANetEncoder
    from encodec.quantization import ResidualVectorQuantizer

    seeded(seed)
    norm = "weight_norm" if causal else "time_group_norm"
    shape = dict(channels=channels, dimension=6, n_filters=2, ratios=ratios, norm=norm, causal=causal)
    books = ResidualVectorQuantizer(dimension=6, n_q=4, bins=16)
    rate = 24000 if causal else 48000
    model = EncodecModel(
        SEANetEncoder(**shape), SEANetDecoder(**shape), books, [24.0], rate, channels, normalize=not causal
    ).eval()
    enliven(model)
    given = sound(channels, 800, rate)
    with torch.no_grad():
        scaled = given if causal else given / (given.mean(dim=1).pow(2).mean(dim=-1).sqrt() + 1e-8)
        embeddings = model.encoder(scaled)
        set_books([layer._codebook.embed for layer in books.vq.layers], embeddings[0])
        for layer in books.vq.layers:
            layer._codebook.inited.fill_(1)
        codes = books.vq.encode(embeddings, n_q=4)
        decoded = model.decoder(books.decode(codes))
    torch.save(model.state_dict(), OUT / f"{name}.th")
    values = {"piece": scaled[0], "embeddings": embeddings[0], "piece_codes": codes[:, 0].int(), "piece_decoded": decoded[0]}
    write_reference(OUT / f"{name}.reference.safetensors", values, {})


def dac_layers(name, part):
    kind = type(part).__name__
    return kind in ("DacResidualUnit", "DacEncoderBlock", "DacDecoderBlock") or "Conv" in kind and "res_unit" not in name


def dac(name, seed, codes, rest, **settings):
    from transformers import DacConfig, DacModel

    seeded(seed)
    config = DacConfig(encoder_hidden_size=2, decoder_hidden_size=32, codebook_size=16, codebook_dim=4, **settings)
    model = DacModel(config).eval()
    hop = math.prod(config.downsampling_ratios)
    with torch.no_grad():
        for part in model.modules():
            if isinstance(part, (torch.nn.Conv1d, torch.nn.ConvTranspose1d)):
                torch.nn.init.kaiming_uniform_(part.weight, a=1.5)
    enliven(model)
    given = sound(1, codes * hop + rest, config.sampling_rate)
    padded = torch.nn.functional.pad(given, (0, -given.shape[-1] % hop))
    with torch.no_grad():
        embeddings = model.encoder(padded)
        spread_projections(model.quantizer.quantizers, embeddings)
        watch = Watch(model.encoder, dac_layers)
        decoder_watch = Watch(model.decoder, dac_layers)
        coded = model.encode(padded)
        decoded = model.decode(audio_codes=coded.audio_codes).audio_values
        layers = {f"encoder.{name}": value for name, value in watch.end().items()}
        layers |= {f"decoder.{name}": value for name, value in decoder_watch.end().items()}
        values = {"input": given[0], "embeddings": embeddings[0], "codes": coded.audio_codes[0].int(), "decoded": decoded}
        values["latents"] = coded.projected_latents[0]
        fewer = model.encode(padded, n_quantizers=2)
        values["codes.2"] = fewer.audio_codes[0].int()
        values["decoded.2"] = model.decode(audio_codes=fewer.audio_codes).audio_values
    folder = OUT / name
    model.save_pretrained(folder)
    write_reference(folder / "reference.safetensors", values, layers)


def spread_projections(quantizers, embeddings):
    """Each quantiser takes away about half of what the one before left."""
    residual = embeddings
    for quantizer in quantizers:
        components = quantizer.codebook.weight.shape[1]
        inward = torch.linalg.qr(torch.randn(embeddings.shape[1], components))[0].T
        set_weight(quantizer.in_proj, inward[:, :, None])
        set_weight(quantizer.out_proj, inward.T[:, :, None].contiguous())
        latents = quantizer.in_proj(residual)
        quantizer.codebook.weight.copy_(torch.randn_like(quantizer.codebook.weight) * latents.std())
        residual = residual - quantizer(residual)[0]


def set_weight(part, weight):
    if hasattr(part, "weight_g"):
        part.weight_v.copy_(weight)
        part.weight_g.copy_(weight.flatten(1).norm(dim=1).reshape(part.weight_g.shape))
    else:
        part.weight.copy_(weight)


def dac_own(name, seed):
    without("audiotools", "audiotools.ml", "argbind", "dac.utils")
    sys.modules["audiotools"].ml = sys.modules["audiotools.ml"]
    sys.modules["audiotools.ml"].BaseModel = type("BaseModel", (torch.nn.Module,), {"INTERN": [], "EXTERN": []})
    from dac.model.dac import DAC

    seeded(seed)
    kwargs = dict(
        encoder_dim=2, encoder_rates=[2, 3], decoder_dim=16, decoder_rates=[3, 2], n_codebooks=3, codebook_size=16,
        codebook_dim=4, sample_rate=44100,
    )
    model = DAC(**kwargs).eval()
    with torch.no_grad():
        for part in model.modules():
            if hasattr(part, "weight_v"):
                torch.nn.init.kaiming_uniform_(part.weight_v, a=1.5)
    enliven(model)
    given = sound(1, 300, 44100)
    with torch.no_grad():
        spread_projections(model.quantizer.quantizers, model.encoder(given))
        z, codes, *_ = model.encode(given)
        decoded = model.decode(z)
    kwargs |= {"latent_dim": None, "quantizer_dropout": False}
    torch.save({"state_dict": model.state_dict(), "metadata": {"kwargs": kwargs}}, OUT / f"{name}.pth")
    values = {"input": given[0], "codes": codes[0].int(), "decoded": decoded[0]}
    write_reference(OUT / f"{name}.reference.safetensors", values, {})


def mimi(name, seed):
    from transformers import MimiConfig, MimiModel

    seeded(seed)
    config = MimiConfig(
        num_filters=2, hidden_size=16, codebook_size=16, codebook_dim=8, num_quantizers=5,
        vector_quantization_hidden_dimension=8, upsample_groups=16, num_hidden_layers=2, intermediate_size=24,
        num_attention_heads=8, num_key_value_heads=8, sliding_window=6,
    )
    model = MimiModel(config).eval()
    enliven(model)
    given = sound(1, 1920 * 11 + 700, config.sampling_rate)
    with torch.no_grad():
        for half in (model.encoder.encoder_transformer, model.decoder.decoder_transformer):
            for part in half.modules():
                if isinstance(part, torch.nn.Linear):
                    torch.nn.init.normal_(part.weight, std=0.35)
        latents = model.encoder(given).latents
        quantizer = model.quantizer
        for half in (quantizer.semantic_residual_vector_quantizer, quantizer.acoustic_residual_vector_quantizer):
            books = [layer.codebook for layer in half.layers]
            set_books([book.embed_sum for book in books], half.input_proj(latents)[0])
            for book in books:
                book.cluster_usage.uniform_(0.5, 20)
                # One that was never used.
                book.cluster_usage[3], book.embed_sum[3] = 0, book.embed_sum[3] * 1e-5
                book.embed_sum.mul_(book.cluster_usage.clamp(min=1e-5)[:, None])
                book._embed = None
        kinds = ("MimiConv1d", "MimiConvTranspose1d", "MimiResnetBlock", "MimiTransformerLayer", "MimiAttention", "LayerNorm", "MimiMLP")
        watch = Watch(model, lambda _name, part: type(part).__name__ in kinds)
        coded = model.encode(given)
        decoded = model.decode(coded.audio_codes)
        layers = {}
        for place, value in watch.end().items():
            # As the tensors in the files are named.
            for long, short in (("encoder.encoder_seanet", "encoder"), ("decoder.decoder_seanet", "decoder"),
                                ("encoder.encoder_transformer", "encoder_transformer"),
                                ("decoder.decoder_transformer", "decoder_transformer"),
                                ("encoder.downsample", "downsample"), ("decoder.upsample", "upsample")):
                if place.startswith(long):
                    place = short + place[len(long):]
                    break
            # Sequences of vectors: components x frames.
            layers[place] = value.transpose(1, 2) if "transformer" in place else value
        values = {"input": given[0], "latents": latents[0], "codes": coded.audio_codes[0].int(), "decoded": decoded.audio_values[0]}
        for books in (1, 3):
            fewer = model.encode(given, num_quantizers=books)
            values[f"codes.{books}"] = fewer.audio_codes[0].int()
            if books == 1:
                values[f"decoded.{books}"] = model.decode(fewer.audio_codes).audio_values[0]
        for frames in (1, 700, 3000):
            short = model.encode(given[..., 9000 : 9000 + frames])
            values[f"short.{frames}.codes"] = short.audio_codes[0].int()
            values[f"short.{frames}.decoded"] = model.decode(short.audio_codes).audio_values[0]
    folder = OUT / name
    model.save_pretrained(folder)
    write_reference(folder / "reference.safetensors", values, layers)
    mimi_own(folder, config)
    # The checkpoint has no configuration: the window is that of the published model.
    model.encoder.config.sliding_window = model.decoder.config.sliding_window = 250
    with torch.no_grad():
        coded = model.encode(given)
        wide = {"codes": coded.audio_codes[0].int(), "decoded": model.decode(coded.audio_codes).audio_values[0]}
    assert (wide["decoded"] - values["decoded"]).abs().max() > 1e-4
    write_reference(OUT / "mimi_own.reference.safetensors", wide, {})


def mimi_own(folder, config):
    """The same weights as the project's own package names them: queries, keys and values in one matrix, whose rows
    have the two components of a turned pair side by side."""
    from safetensors.torch import load_file

    given, named = load_file(folder / "model.safetensors"), {}
    heads = config.num_attention_heads

    def side_by_side(weight):
        return weight.reshape(heads, 2, -1, weight.shape[1]).transpose(1, 2).reshape(weight.shape)

    for name, value in given.items():
        if "_transformer." in name:
            name = name.replace("_transformer.layers", "_transformer.transformer.layers")
            if any(f"self_attn.{part}_proj" in name for part in "kv"):
                continue
            if "self_attn.q_proj" in name:
                layer = name.split(".")[3]
                half = name.split(".")[0]
                part = lambda which: given[f"{half}.layers.{layer}.self_attn.{which}_proj.weight"]
                value = torch.cat([side_by_side(part("q")), side_by_side(part("k")), part("v")])
                name = name.replace("q_proj.weight", "in_proj_weight")
            for ours, own in (("self_attn.o_proj", "self_attn.out_proj"), ("mlp.fc1", "linear1"), ("mlp.fc2", "linear2"),
                              ("input_layernorm", "norm1"), ("post_attention_layernorm", "norm2"),
                              ("self_attn_layer_scale", "layer_scale_1"), ("mlp_layer_scale", "layer_scale_2")):
                name = name.replace(ours, own)
        elif name.startswith("quantizer"):
            name = name.replace("semantic_residual_vector_quantizer", "rvq_first").replace("acoustic_residual_vector_quantizer", "rvq_rest")
            name = name.replace(".layers.", ".vq.layers.").replace(".codebook.", "._codebook.")
            name = name.replace("embed_sum", "embedding_sum").replace(".initialized", "._initialized")
        elif name.startswith("downsample"):
            name = name.replace("downsample.conv", "downsample.conv.conv.conv")
        elif name.startswith("upsample"):
            name = name.replace("upsample.conv", "upsample.convtr.convtr.convtr")
        else:
            twice = "convtr.convtr" if value_is_transposed(name, config) else "conv.conv"
            name = name.replace(".layers.", ".model.").replace(".conv.", f".{twice}.")
        named[name] = value.contiguous()
    save_file(named, OUT / "mimi_own.safetensors")


def value_is_transposed(name, config):
    place = name.split(".")
    stage = 2 + config.num_residual_layers
    return place[0] == "decoder" and "block" not in place and int(place[2]) % stage == 2 and int(place[2]) < stage * len(config.upsampling_ratios)


def main():
    OUT.mkdir(exist_ok=True)
    without("torchaudio")
    encodec("encodec_24khz", 1, 320 * 9 + 77, 320 * 9 + 77, rename=True, target_bandwidths=[0.3, 0.6, 1.2])
    encodec(
        "encodec_48khz", 2, 4500, 1920, sampling_rate=48000, audio_channels=2, normalize=True, chunk_length_s=0.04,
        overlap=0.01, norm_type="time_group_norm", use_causal_conv=False, target_bandwidths=[0.6, 1.2, 2.4],
    )
    encodec_own("encodec_24khz_own", 3, True, 1, [4, 3, 2])
    encodec_own("encodec_48khz_own", 4, False, 2, [4, 3, 2])
    dac("dac_44khz", 5, 14, 100, n_codebooks=4, sampling_rate=44100)
    dac("dac_24khz", 6, 12, 0, n_codebooks=4, downsampling_ratios=[2, 4, 5, 8], sampling_rate=24000)
    dac_own("dac_own", 7)
    mimi("mimi", 8)
    print(json.dumps({str(path.relative_to(OUT)): path.stat().st_size for path in sorted(OUT.rglob("*")) if path.is_file()}, indent=1))


if __name__ == "__main__":
    main()
