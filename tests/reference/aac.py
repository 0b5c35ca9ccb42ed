"""Writes aac.json: the Huffman codes and the scale factor bands of AAC (ISO/IEC 14496-3), found by experiment.

    python3 tests/reference/aac.py

Codes: writes frames with every possible beginning of a code, lets ffmpeg decode them, and transforms the sound back into
the spectrum that was read. A beginning is a whole code if whatever follows it changes nothing but signs. All books turn
out to be complete and canonical: the codes of one length are consecutive, and follow those of smaller lengths. So the
number of codes of each length says which bits belong together. Of each code there is how many sign bits and how many
escapes follow it, with which crates/audio/src/aac/ finds the end of an element; tests/support/aac.rs writes streams.

Bands: lets ffmpeg substitute noise for one band alone, and looks where it is.

Needs ffmpeg, ffprobe and NumPy; written with ffmpeg 5.1.9 and NumPy 2.4.
"""

import json
import pathlib
import subprocess
import tempfile

import numpy

FRAME = 1024
RATES = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000]


def basis(size, bins):
    """Returns the first bins of a windowed transform to `size` bins."""
    time = numpy.arange(2 * size) + 0.5
    phase = numpy.outer(numpy.arange(bins) + 0.5, time + size / 2)
    return 2 * numpy.sin(numpy.pi / (2 * size) * time) * numpy.cos(numpy.pi / size * phase)


def adts(payload, rate):
    """Returns a frame of one channel."""
    size = 7 + len(payload)
    return bytes([0xFF, 0xF1, 0x40 | rate << 2, 0x40 | size >> 11, size >> 3 & 255, (size & 7) << 5 | 0x1F, 0xFC]) + payload


def frame(bits, rate=4):
    bits += "0" * (-len(bits) % 8)
    return adts(int(bits, 2).to_bytes(len(bits) // 8, "big"), rate)


def spectrum(book, gain, bands, factors, values):
    """Returns the bits of a frame of one channel, of `bands` bands of one book, and the end mark."""
    return f"0000000{gain:08b}0000{bands:06b}0{book:04b}{bands:05b}{factors}000{values}111"


def noise(band, short):
    """Returns the bits of a frame with noise in one band, and the end mark."""
    sections, rest = "", band
    # A length of all ones goes on.
    width, most = (3, 7) if short else (5, 31)
    if band:
        sections = "0000"
        while rest >= most:
            sections, rest = sections + "1" * width, rest - most
        sections += f"{rest:0{width}b}"
    sections += f"1101{1:0{width}b}"
    info = f"0100{band + 1:04b}1111111" if short else f"0000{band + 1:06b}0"
    return f"0000000{200:08b}{info}{sections}{256:09b}000111"


def sound(frames):
    """Returns the blocks of the frames that are decoded, and where in the file these begin."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.aac"
        path.write_bytes(b"".join(frames))
        tool = ["-v", "quiet", "-i", str(path)]
        listed = ["ffprobe", "-show_entries", "frame=pkt_pos", "-of", "csv=p=0"] + tool
        places = [int(line.split(",")[0]) for line in subprocess.run(listed, capture_output=True, text=True).stdout.split()]
        raw = ["ffmpeg"] + tool + ["-f", "f32le", "-"]
        blocks = numpy.frombuffer(subprocess.run(raw, capture_output=True).stdout, "<f4").astype(float) * 32768
    blocks = blocks.reshape(-1, FRAME)
    assert len(blocks) == len(places), (len(blocks), len(places))
    return blocks, places


def decoded(frames, bins):
    """Returns the first bins of each frame's spectrum; None for a frame that is refused."""
    silent = frame(spectrum(0, 100, 1, "", ""))
    frames = [silent] + frames + [silent] * 2
    starts = numpy.cumsum([0] + [len(data) for data in frames])[:-1].tolist()
    blocks, places = sound(frames)
    pairs = numpy.concatenate([blocks[:-1], blocks[1:]], axis=1) @ basis(FRAME, bins).T
    found = dict(zip(places, pairs))
    return [found.get(start) for start in starts[1:-2]]


def bands(rate, short):
    """Returns the bounds of the scale factor bands, from 0 on."""
    bounds, size = [0], 128 if short else 1024
    while bounds[-1] < size:
        frames = [frame(noise(len(bounds) - 1, short), rate)] * 4
        blocks, _ = sound(frames)
        # Of short windows the fifth.
        both = blocks[1:3].ravel()[960:1216] if short else blocks[1:3].ravel()
        bins = abs(basis(size, size) @ both)
        bins = numpy.flatnonzero(bins > 1e-5 * bins.max())
        assert bounds[-1] <= bins[0] < bounds[-1] + 4, (bins, bounds)
        # All bounds are multiples of 4.
        bounds.append((int(bins[-1]) + 4) // 4 * 4)
    return bounds


def quantised(values, gain=100):
    """Returns whole numbers from dequantised ones."""
    scaled = numpy.abs(values) / 2 ** ((gain - 100) / 4)
    whole = numpy.round(scaled**0.75).astype(int)
    assert numpy.all(numpy.abs(whole ** (4 / 3) - scaled) < 0.02), values
    return whole * numpy.sign(values).astype(int)


def words(book):
    """Returns the codes of a book in order, each with its values; those of unsigned books without signs."""
    signed, size = book in (1, 2, 5, 6), 4 if book < 5 else 2
    # A last code takes what is left of the zeros. The end mark is of ones. Ones are no escape.
    bands, zeros = (1, range(20)) if book == 11 else (2, [0])
    ends = [bit + "0" * count + "1" * 80 for bit in "01" for count in zeros]
    leaves, level = [], [""]
    while level:
        frames = [frame(spectrum(book, 100, bands, "0" * bands, start + end)) for start in level for end in ends]
        spectra, after = decoded(frames, 4), []
        for place, start in enumerate(level):
            half = len(ends) // 2
            seen = [set(), set()]
            for at in range(len(ends)):
                bins = spectra[place * len(ends) + at]
                if bins is not None:
                    values = quantised(bins[:size])
                    values = values if signed else numpy.minimum(abs(values), 16)
                    seen[at // half].add(tuple(values.tolist()))
            assert seen[0] and seen[1], start
            if start and seen[0] == seen[1] and len(seen[0]) == 1:
                leaves.append((start, seen[0].pop()))
            else:
                after += [start + "0", start + "1"]
        level = after
    return sorted(leaves)


def factor_words():
    """Returns the codes of the scale factors in order, each with the difference that it means."""
    one = next(code for code, values in words(1) if values == (1, 1, 1, 1))
    leaves, number, length = [], 0, 1
    while number < 1 << length:
        tried = []
        for longer in range(length, 20):
            code = f"{number << (longer - length):0{longer}b}"
            tried.append((code, frame(spectrum(1, 120, 5, code + "0000", one * 5))))
        found = []
        for (code, _), bins in zip(tried, decoded([data for _, data in tried], 20)):
            if bins is not None and bins[0] > 0 and numpy.allclose(bins / bins[0], 1, atol=0.01):
                found.append((code, round(4 * numpy.log2(bins[0])) - 20))
        assert len(found) == 1, found
        leaves += found
        number, length = int(found[0][0], 2) + 1, len(found[0][0])
    return leaves


def counts(codes):
    """Returns the number of codes of each length, from one bit on. Asserts that the book is complete and canonical."""
    lengths = [len(code) for code in codes]
    assert sum(2.0**-length for length in lengths) == 1 and lengths == sorted(lengths)
    return [lengths.count(length) for length in range(1, max(lengths) + 1)]


def book(number):
    leaves = words(number)
    values = [values for _, values in leaves]
    assert len(set(values)) == len(values) == [81, 81, 81, 81, 81, 81, 64, 64, 169, 169, 289][number - 1]
    unsigned = number not in (1, 2, 5, 6)
    return {
        "lengths": counts([code for code, _ in leaves]),
        "signs": "".join(str(sum(value > 0 for value in each) if unsigned else 0) for each in values),
        "escapes": "".join(str(each.count(16)) for each in values),
    }


def main():
    factors = factor_words()
    assert sorted(value for _, value in factors) == list(range(-60, 61))
    found = {
        "tools": "ffmpeg 5.1.9, NumPy " + numpy.__version__,
        "books": [book(number) for number in range(1, 12)],
        "factors": {
            "lengths": counts([code for code, _ in factors]),
            "differences": [int(value) for _, value in factors],
        },
        "rates": RATES,
        "long": [bands(rate, False) for rate in range(12)],
        "short": [bands(rate, True) for rate in range(12)],
    }
    lines = json.dumps(found).replace('{"', '{\n"').replace(', "', ',\n"').replace(", [", ",\n[").replace(", {", ",\n{")
    pathlib.Path(__file__).with_suffix(".json").write_text(lines + "\n")


if __name__ == "__main__":
    main()
