"""Reference values of Chromaprint fingerprints: what fpcalc 1.5.1 prints.

    python3 tests/reference/chromaprint.py > tests/reference/chromaprint.json

Signals are computed with whole numbers alone, so that tests/fingerprint_chromaprint.rs computes the same: three voices of
triangle waves whose notes change four times a second, and a little noise. Files are WAV, of 16-bit integers or of the
same values as 32-bit floats, which fpcalc computes with otherwise. Those with a speaker layout are extensible; the
others have the layout that FFmpeg assumes for their number of channels. Needs `fpcalc` on the path; written with fpcalc 1.5.1
(FFmpeg 5.1). Builds of it with FFmpeg 5 end every file with "Error decoding audio frame (End of file)" and exit code 3
after printing the fingerprint.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile

NOTES_MHZ = [110000, 130813, 146832, 164814, 195998, 220000, 261626, 293665, 329628, 391995, 440000, 523251]


def pick(x):
    """A small hash of whole numbers."""
    x = (x * 2654435761 + 974711) % 4294967296
    x = (x ^ (x >> 15)) * 2246822519 % 4294967296
    return x ^ (x >> 13)


def triangle(n, mhz, rate):
    """A triangle wave from -8191 to 8192, exactly."""
    period = rate * 1000
    phase = n * mhz % period
    value = 32768 * phase // period
    return value - 8192 if value < 16384 else 24576 - value


def sample(n, channel, rate):
    beat = 4 * n // rate
    voices = [triangle(n, (1 + voice) * NOTES_MHZ[pick(beat // (4 - voice) * 8 + voice) % 12], rate) for voice in range(3)]
    balance = 3 + (channel + beat) % 3
    noise = pick(n * 8 + channel) % 512 - 256
    return (voices[0] * balance + voices[1] * 4 + voices[2] * (8 - balance)) // 12 + noise


def wav(path, rate, channels, seconds, kind, mask=0):
    frames = int(rate * seconds)
    values = [sample(n, channel, rate) for n in range(frames) for channel in range(channels)]
    if kind == "float":
        data = struct.pack(f"<{len(values)}f", *[value / 32768 for value in values])
        tag, width = 3, 4
    else:
        data = struct.pack(f"<{len(values)}h", *values)
        tag, width = 1, 2
    head = struct.pack("<HHIIHH", tag, channels, rate, rate * channels * width, channels * width, 8 * width)
    if mask:
        # The tag of extensible formats, and the rest of KSDATAFORMAT_SUBTYPE_PCM.
        subtype = struct.pack("<H", tag) + bytes.fromhex("000000001000800000aa00389b71")
        head = struct.pack("<H", 0xFFFE) + head[2:] + struct.pack("<HHI", 22, 8 * width, mask) + subtype
    with open(path, "wb") as file:
        size = struct.pack("<I", 20 + len(head) + len(data))
        file.write(b"RIFF" + size + b"WAVEfmt " + struct.pack("<I", len(head)) + head)
        file.write(b"data" + struct.pack("<I", len(data)) + data)


def fpcalc(path, *options):
    return subprocess.run(["fpcalc", *options, path], capture_output=True, text=True).stdout


def case(folder, rate, channels, seconds, kind, length=0, mask=0):
    path = os.path.join(folder, "case.wav")
    wav(path, rate, channels, seconds, kind, mask)
    raw = fpcalc(path, "-raw", "-plain", "-length", str(length))
    items = [int(item) for item in raw.strip().split(",")] if raw.strip() else []
    named = {"rate": rate, "channels": channels, "seconds": seconds, "kind": kind, "length": length}
    return {**named, "mask": mask, "items": items}


with tempfile.TemporaryDirectory() as folder:
    cases = [
        case(folder, rate, channels, seconds, kind, length)
        for rate, channels, seconds, kind, length in [
            (44100, 2, 10, "integer", 0),
            (44100, 2, 10, "float", 0),
            (44100, 1, 8, "integer", 0),
            (48000, 2, 8, "integer", 0),
            (48000, 2, 8, "float", 0),
            (8000, 1, 10, "integer", 0),
            (8000, 1, 10, "float", 0),
            (11025, 1, 8, "integer", 0),
            (11025, 2, 8, "float", 0),
            (16000, 1, 8, "integer", 0),
            (22050, 2, 8, "integer", 0),
            (32000, 2, 8, "integer", 0),
            (44100, 6, 6, "integer", 0),
            (48000, 4, 6, "float", 0),
            (96000, 2, 5, "integer", 0),
            (192000, 1, 4, "integer", 0),
            (44100, 1, 9, "integer", 5),
            (44100, 1, 2.6, "integer", 0),
        ]
    ]
    # No layout, 2.1, 3.0, quad, 4.0, 4.1, 5.1(side), 6.1, 7.1 and 7.1(wide).
    cases += [
        case(folder, 44100, channels, 5, "integer", 0, mask)
        for channels, mask in [
            (3, 0),
            (3, 0xB),
            (3, 0x7),
            (4, 0x33),
            (4, 0x107),
            (5, 0x10F),
            (6, 0x60F),
            (7, 0x70F),
            (8, 0x63F),
            (8, 0xFF),
        ]
    ]
    path = os.path.join(folder, "printed.wav")
    wav(path, 11025, 1, 5.5, "integer")
    printed = {
        "duration": 5.5,
        "raw": [int(item) for item in fpcalc(path, "-raw", "-plain").strip().split(",")],
        "text": fpcalc(path),
        "text_raw": fpcalc(path, "-raw"),
        "json": fpcalc(path, "-json"),
        "json_raw": fpcalc(path, "-json", "-raw"),
        "plain": fpcalc(path, "-plain"),
    }
version = subprocess.run(["fpcalc", "-version"], capture_output=True, text=True).stdout.strip()
json.dump({"made_with": version, "cases": cases, "printed": printed}, sys.stdout)
print()
