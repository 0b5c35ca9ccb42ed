#!/usr/bin/env python3
"""Files of units as the Python packages write them, and a check that they read those of Undertone.

    python tests/reference/unit_files.py          writes tests/reference/unit_files/
    python tests/reference/unit_files.py check    reads ours.dac there with descript-audio-codec

Needs numpy, torch, encodec, descript-audio-codec. The codes are numbers of a formula, no model is run. The files of
`encodec` and NumPy are the same as ours, byte by byte, which the tests compare; pickles can be written in several ways.
"""

import importlib.machinery
import importlib.metadata
import io
import json
import pathlib
import pickle
import struct
import sys
from unittest import mock

import numpy as np
import torch

# The packages import torchaudio, which must fit torch to the digit; their containers do not need it.
for name in ["audiotools", "audiotools.ml", "audiotools.core", "torchaudio"]:
    sys.modules[name] = mock.MagicMock(__spec__=importlib.machinery.ModuleSpec(name, None), __version__="2.0")
sys.modules["audiotools.ml"].BaseModel = type("BaseModel", (torch.nn.Module,), {"INTERN": [], "EXTERN": []})
sys.modules["audiotools"].ml = sys.modules["audiotools.ml"]

from dac.model.base import DACFile  # noqa: E402
from encodec import binary  # noqa: E402

HERE = pathlib.Path(__file__).parent / "unit_files"


def codes(books, count, start=0):
    """The same as `codes` in tests/neural/models/unit_files.rs."""
    book, place = np.meshgrid(np.arange(books), np.arange(count), indexing="ij")
    return (book * 331 + place * 97 + start) % 1024


def arrays():
    plain = codes(3, 5)
    for name, dtype in [("int64", "<i8"), ("int32", "<i4"), ("int16", "<i2"), ("uint16", "<u2"), ("big", ">i4")]:
        np.save(HERE / f"{name}.npy", plain.astype(dtype))
    np.save(HERE / "fortran.npy", np.asfortranarray(plain.astype(np.int32)))
    np.save(HERE / "batch.npy", plain[None].astype(np.int64))
    np.save(HERE / "batch_fortran.npy", np.asfortranarray(plain[None].astype(np.int16)))
    for version in [(2, 0), (3, 0)]:
        with open(HERE / f"version{version[0]}.npy", "wb") as file:
            np.lib.format.write_array(file, plain, version=version)
    # Not units.
    np.save(HERE / "floats.npy", plain.astype(np.float32))
    np.save(HERE / "negative.npy", plain.astype(np.int64) - 5)
    np.save(HERE / "several.npy", np.stack([plain, plain]))
    np.save(HERE / "fields.npy", np.zeros(2, dtype=[("a", "<i2"), ("b", "<i4")]))
    np.save(HERE / "objects.npy", np.array([{"codes": 1}, None], dtype=object), allow_pickle=True)


def write_ecdc(name, model, frames, segments, books, use_lm=False):
    """As `encodec.compress.compress_to_file` writes it, with codes that are given."""
    out = io.BytesIO()
    binary.write_ecdc_header(out, {"m": model, "al": frames, "nc": books, "lm": use_lm})
    for scale, values in segments:
        if scale is not None:
            out.write(struct.pack("!f", scale))
        packer = binary.BitPacker(10, out)
        for value in values.T.flatten().tolist():
            packer.push(value)
        packer.flush()
    (HERE / name).write_bytes(out.getvalue())


def ecdc():
    write_ecdc("encodec24.ecdc", "encodec_24khz", 1000, [(None, codes(3, 4))], 3)
    # 48,000 frames, then 6,080 of which 5,600 are new.
    segments = [(0.125, codes(2, 150)), (0.25, codes(2, 19, start=500))]
    write_ecdc("encodec48.ecdc", "encodec_48khz", 47520 + 6080, segments, 2)
    write_ecdc("language_model.ecdc", "encodec_24khz", 1000, [(None, codes(3, 4))], 3, use_lm=True)


def dac_file(**changes):
    both = np.stack([codes(3, 8), codes(3, 8, start=7)])
    own = {
        "codes": torch.from_numpy(both), "chunk_length": 4, "original_length": 4000,
        "input_db": torch.tensor([-23.25]), "channels": 2, "sample_rate": 44100, "padding": False,
        "dac_version": "1.0.0",
    }
    return DACFile(**(own | changes))


def dac():
    dac_file().save(HERE / "stereo.dac")
    # As with NumPy before version 2, and by other protocols.
    content = (HERE / "stereo.dac").read_bytes()
    start = 10 + struct.unpack("<H", content[8:10])[0]
    array = pickle.loads(content[start:])
    for protocol in [3, 4]:
        text = pickle.dumps(array, protocol=protocol)
        if protocol == 3:
            text = text.replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
        (HERE / f"protocol{protocol}.dac").write_bytes(content[:start] + text)

    class Calls:
        def __reduce__(self):
            return (print, ("executed",))

    array[()]["metadata"]["input_db"] = Calls()
    (HERE / "calls.dac").write_bytes(content[:start] + pickle.dumps(array, protocol=4))


def check():
    ours, theirs = DACFile.load(HERE / "ours.dac"), DACFile.load(HERE / "stereo.dac")
    assert torch.equal(ours.codes, theirs.codes), (ours.codes, theirs.codes)
    for name in ["chunk_length", "original_length", "channels", "sample_rate", "padding", "dac_version"]:
        assert getattr(ours, name) == getattr(theirs, name), name
    assert ours.input_db.dtype == np.float32 and np.array_equal(ours.input_db, theirs.input_db)
    metadata = binary.read_ecdc_header(io.BytesIO((HERE / "encodec48.ecdc").read_bytes()))
    assert metadata == {"m": "encodec_48khz", "al": 53600, "nc": 2, "lm": False}
    print("read as written")


def main():
    if sys.argv[1:] == ["check"]:
        return check()
    HERE.mkdir(exist_ok=True)
    arrays()
    ecdc()
    dac()
    versions = {
        package: importlib.metadata.version(package) for package in ["numpy", "torch", "encodec", "descript-audio-codec"]
    }
    (HERE / "versions.json").write_text(json.dumps(versions) + "\n")


if __name__ == "__main__":
    main()
