"""Times whole codec models of full size against PyTorch in one run, and compares their units and sounds.

    python3 benches/codecs_torch.py PATH_OF_UNDERTONE OUT_FOLDER [--device cpu|gpu] [--threads N] [--seconds 60] [--models ...]
                                    [--onnx] [--memory]

Needs torch and transformers. The models have random weights, so no file is fetched; they are written in the Hugging Face
layout, and both sides read the same weights and the same sound. The first sixth of the sound is coded too: what it takes
less than the whole is the time of the rest, without compiling, uploading weights and first touches. PyTorch is warm and
synchronised, the best of three. With --onnx the networks of each half, without the books, run in ONNX Runtime too, on as
many threads; with --memory each side runs once more in a process of its own, whose greatest resident size counts.

Codes are compared with those of PyTorch on the processor; `torch_codes_equal` has how many of PyTorch's on the card are
equal to these. Where codes differ, a vector may lie between two rows of a book: for EnCodec `ties` has how often a code
differs first in its frame, and the greatest difference of both distances, relative to the greater. On a card PyTorch's
convolutions keep the precision of f32 (no TF32), as ours do; a row with TF32 stands beside it. `codecs.json` has all
figures, the table is printed.
"""

import argparse
import copy
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "reference"))
from codec_models import enliven, set_books, sound  # noqa: E402

ROUNDS = 3


def encodec24():
    from transformers import EncodecConfig, EncodecModel

    return EncodecModel(EncodecConfig()).eval(), 24_000, 1, {"bandwidth": 6.0}


def encodec48():
    from transformers import EncodecConfig, EncodecModel

    config = EncodecConfig(
        target_bandwidths=[3.0, 6.0, 12.0, 24.0], sampling_rate=48_000, audio_channels=2, normalize=True,
        chunk_length_s=1.0, overlap=0.01, norm_type="time_group_norm", use_causal_conv=False,
    )
    return EncodecModel(config).eval(), 48_000, 2, {"bandwidth": 6.0}


def dac44():
    from transformers import DacConfig, DacModel

    return DacModel(DacConfig(sampling_rate=44_100)).eval(), 44_100, 1, {}


def mimi():
    from transformers import MimiConfig, MimiModel

    return MimiModel(MimiConfig()).eval(), 24_000, 1, {"num_quantizers": 8}


MODELS = {"encodec24": encodec24, "encodec48": encodec48, "dac44": dac44, "mimi": mimi}


@torch.no_grad()
def prepare(name, model, given):
    """Numbers that make a model of random weights a codec: books as wide as what they quantise."""
    enliven(model)
    piece = given[..., : 4 * 24_000]
    if name.startswith("encodec"):
        if model.config.normalize:
            piece = piece[..., :48_000] / (piece.mean(dim=1).pow(2).mean(dim=-1).sqrt() + 1e-8)
        set_books([layer.codebook.embed for layer in model.quantizer.layers], model.encoder(piece)[0], shrink=0.9)
    elif name == "dac44":
        for part in model.modules():
            if isinstance(part, (torch.nn.Conv1d, torch.nn.ConvTranspose1d)):
                torch.nn.init.kaiming_uniform_(part.weight, a=1.5)
    elif name == "mimi":
        halves = (model.quantizer.semantic_residual_vector_quantizer, model.quantizer.acoustic_residual_vector_quantizer)
        for layer in (layer for half in halves for layer in half.layers):
            layer.codebook.embed_sum.normal_()
            layer.codebook.cluster_usage.fill_(1.0)


def coder(name, model, extra):
    """Encoding and decoding by PyTorch: functions of a sound and of what encoding gave."""

    def encode(given):
        if name == "dac44":
            hop = model.config.hop_length
            return model.encode(torch.nn.functional.pad(given, (0, -given.shape[-1] % hop)))
        if name == "mimi":
            return model.encode(given, num_quantizers=extra["num_quantizers"])
        return model.encode(given, bandwidth=extra["bandwidth"])

    def decode(coded):
        if name == "dac44":
            return model.decode(audio_codes=coded.audio_codes).audio_values
        if name == "mimi":
            return model.decode(coded.audio_codes).audio_values
        pad = getattr(coded, "last_frame_pad_length", 0)
        return model.decode(coded.audio_codes, coded.audio_scales, last_frame_pad_length=pad).audio_values

    return encode, decode


def codes_of(name, coded):
    codes = coded.audio_codes
    if name.startswith("encodec"):
        parts = list(codes[:, 0])
        if getattr(coded, "last_frame_pad_length", 0):
            parts[-1] = parts[-1][:, : -coded.last_frame_pad_length]
        return torch.cat(parts, dim=-1).cpu().numpy()
    return codes[0].cpu().numpy()


def best(work):
    work()
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        work()
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        times.append(time.perf_counter() - begun)
    return min(times)


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("undertone", type=Path)
    words.add_argument("out", type=Path)
    words.add_argument("--device", default="cpu")
    words.add_argument("--threads", type=int, default=os.cpu_count())
    words.add_argument("--seconds", type=int, default=60)
    words.add_argument("--models", default=",".join(MODELS))
    words.add_argument("--onnx", action="store_true")
    words.add_argument("--memory", action="store_true")
    words.add_argument("--memory-of", help=argparse.SUPPRESS)
    words.add_argument("--keep", type=Path, help="the folder in which models and sounds stay")
    words = words.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(words.threads)
    if words.memory_of:
        return memory_of(words.memory_of, words)
    rows = {}
    for name in words.models.split(","):
        try:
            rows[name] = measure(name, words)
        except Exception as error:  # The other models stand by themselves.
            rows[name] = {"error": f"{type(error).__name__}: {error}"}
        print(name, json.dumps(rows[name]), flush=True)
        (words.out / "codecs.json").write_text(json.dumps(rows, indent=1))
    print(table(rows, words))


@torch.no_grad()
def measure(name, words):
    torch.manual_seed(11)
    model, rate, channels, extra = MODELS[name]()
    given = sound(channels, words.seconds * rate, rate)
    prepare(name, model, given)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = words.keep / name if words.keep else Path(scratch)
        scratch.mkdir(parents=True, exist_ok=True)
        model.save_pretrained(scratch / "model")
        # As 32-bit floats both sides have the same samples.
        for label, part in (("whole", given), ("part", given[..., : given.shape[-1] // 6])):
            write_wav(scratch / f"{label}.wav", part[0].numpy().T.copy(), rate)
        row = ours(name, words, scratch, extra)
        on_card = words.device != "cpu" and torch.cuda.is_available()
        place = "cuda" if on_card else "cpu"
        # A copy, as some models keep what they made on the processor.
        on_processor = copy.deepcopy(model)
        encode, _ = coder(name, on_processor, extra)
        theirs, mine = codes_of(name, encode(given)), np.load(scratch / "whole.npy")
        same = min(theirs.shape[-1], mine.shape[-1])
        row["codes"], row["torch_codes"] = list(mine.shape), list(theirs.shape)
        row["codes_equal"] = float((theirs[:, :same] == mine[:, :same]).mean())
        if name.startswith("encodec"):
            row["ties"] = ties(on_processor, lambda: encode(given), theirs[:, :same], mine[:, :same])
        model, given = model.to(place), given.to(place)
        encode, decode = coder(name, model, extra)
        for label, tf32 in (("torch", False), ("torch_tf32", True)) if on_card else (("torch", False),):
            torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = tf32
            coded = encode(given)
            row[f"{label}_encode_s"] = best(lambda: encode(given))
            row[f"{label}_decode_s"] = best(lambda: decode(coded))
            if on_card and not tf32:
                row["torch_codes_equal"] = float((theirs == codes_of(name, coded)).mean())
        if words.onnx:
            row |= onnx_times(name, model.cpu(), given.cpu(), words, scratch)
        if words.memory:
            row |= {"peak_bytes": row["peak_bytes"], "torch_peak_bytes": torch_memory(name, words)}
    row["torch"] = torch.__version__
    row["place"] = torch.cuda.get_device_name() if on_card else f"{words.threads} threads"
    return row


def ties(model, encode, theirs, mine):
    """How often a code is the first that differs in its frame, and by how much its distance does."""
    embeddings = []
    hook = model.encoder.register_forward_hook(lambda _part, _given, made: embeddings.append(made[0]))
    encode()
    hook.remove()
    # The last segment of the 48 kHz model is filled up.
    left = torch.cat(embeddings, dim=-1)[:, : theirs.shape[-1]].double().cpu()
    books = [layer.codebook.embed.double().cpu() for layer in model.quantizer.layers]
    greatest, count = 0.0, 0
    agree = np.ones(theirs.shape[-1], dtype=bool)
    for n in range(theirs.shape[0]):
        for frame in np.nonzero(agree & (theirs[n] != mine[n]))[0]:
            distances = [float((left[:, frame] - books[n][int(codes[n, frame])]).norm()) for codes in (theirs, mine)]
            greatest = max(greatest, abs(distances[0] - distances[1]) / max(distances))
            count += 1
        agree &= theirs[n] == mine[n]
        left = left - books[n][torch.from_numpy(theirs[n].astype(np.int64))].T
    return {"first_differences": count, "greatest_relative_difference": greatest}


def onnx_times(name, model, given, words, scratch):
    """The encoder and the decoder of a model in ONNX Runtime, on a whole sound at once."""
    import onnxruntime

    if name == "mimi" or (name.startswith("encodec") and model.config.normalize):
        return {}  # Not one graph of a sound: a transformer between, or segments.
    times = {}
    embedding = model.encoder(given)
    for half, part, given in (("encode", model.encoder, given), ("decode", model.decoder, embedding)):
        file = str(scratch / f"{half}.onnx")
        torch.onnx.export(part, (given,), file, dynamo=False)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = words.threads
        session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        feed = {session.get_inputs()[0].name: given.numpy()}
        times[f"onnx_{half}_s"] = best(lambda: session.run(None, feed))
    return times


@torch.no_grad()
def memory_of(name, words):
    """Codes a sound once and prints the greatest resident size of the process in bytes."""
    torch.manual_seed(11)
    model, rate, channels, extra = MODELS[name]()
    encode, decode = coder(name, model, extra)
    decode(encode(sound(channels, words.seconds * rate, rate)))
    print(peak_of("self"))


def peak_of(process):
    """The greatest resident size of a running process in bytes. `ru_maxrss` would count what its parent had at the fork."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0  # It has ended.
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def torch_memory(name, words):
    line = [sys.executable, __file__, words.undertone, words.out, "--threads", str(words.threads)]
    line += ["--seconds", str(words.seconds), "--memory-of", name]
    return int(subprocess.run(line, check=True, capture_output=True, text=True).stdout.split()[-1])


def write_wav(path, samples, rate):
    from scipy.io import wavfile

    wavfile.write(path, rate, samples.astype(np.float32))


def ours(name, words, scratch, extra):
    env = {**os.environ, "UNDERTONE_CONFIG_DIR": str(scratch / "config"), "UNDERTONE_DATA_DIR": str(scratch / "data")}
    env["RAYON_NUM_THREADS"] = str(words.threads)
    kbps = {"encodec24": "6", "encodec48": "6", "mimi": "1.1"}.get(name)
    bandwidth = ["--bandwidth", kbps] if kbps else []

    def undertone(*line):
        with tempfile.TemporaryFile("w+") as said:
            line = [str(word) for word in (words.undertone, "codec", *line, "--json", "--overwrite", "--device", words.device)]
            child = subprocess.Popen(line, env=env, stdout=said, stderr=said)
            while child.poll() is None:
                row["peak_bytes"] = max(row["peak_bytes"], peak_of(child.pid))
                time.sleep(0.01)
            said.seek(0)
            text = said.read()
        if child.returncode:
            raise RuntimeError(text.strip()[:600])
        return json.loads(text[text.index("{") :])

    row = {"peak_bytes": 0}
    for _ in range(ROUNDS):
        for label in ("part", "whole"):
            units = scratch / f"{label}.npy"
            made = undertone("encode", scratch / f"{label}.wav", "-o", units, "--model", scratch / "model", *bandwidth)
            back = undertone("decode", units, "-o", scratch / f"{label}.out.wav", "--bits", "f32", "--model", scratch / "model")
            for key, value in ((f"{label}_encode_s", made["seconds"]["encode_s"]), (f"{label}_decode_s", back["seconds"]["decode_s"]),
                               ("open_s", made["seconds"]["open_s"])):
                row[key] = min(row.get(key, value), value)
            row["device"] = made["device"]
    for half in ("encode", "decode"):
        row[f"warm_{half}_s"] = (row[f"whole_{half}_s"] - row[f"part_{half}_s"]) * 6 / 5
    return row


def table(rows, words):
    lines = [f"{words.seconds} s of sound, best of {ROUNDS}, {words.device}, {words.threads} threads", "",
             "| model | half | whole process, s | without start, s | PyTorch, s | with TF32, s | ONNX, s | times | codes equal |",
             "|---|---|---|---|---|---|---|---|---|"]
    for name, row in rows.items():
        if "error" in row:
            lines.append(f"| {name} | {row['error']} |")
            continue
        for half in ("encode", "decode"):
            warm, theirs = row[f"warm_{half}_s"], row[f"torch_{half}_s"]
            others = [row.get(f"torch_tf32_{half}_s"), row.get(f"onnx_{half}_s")]
            tf32, onnx = ["" if value is None else f"{value:.3f}" for value in others]
            lines.append(f"| {name} | {half} | {row[f'whole_{half}_s']:.3f} | {warm:.3f} | {theirs:.3f} | "
                         f"{tf32} | {onnx} | {theirs / warm:.2f} | {row['codes_equal']:.5f} |")
        for side in ("", "torch_"):
            if f"{side}peak_bytes" in row:
                lines.append(f"  {name}: {'PyTorch' if side else 'undertone'} {row[f'{side}peak_bytes'] / 2**20:.0f} MiB at the most")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
