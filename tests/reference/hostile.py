#!/usr/bin/env python3
"""Makes files that harm careless readers, in tests/reference/hostile: python3 tests/reference/hostile.py

aligned-N.ogg    valid three-channel Vorbis whose residue begins where vector loads are not aligned
codebooks.ogg    a few kilobytes of Vorbis headers whose code books unfold to gigabytes
id3-cover.mp3    an ID3 frame that inflates to 128 MiB
id3-text.mp3     a text frame that inflates to 64 MiB
junk-end.flac    a FLAC header that claims hours, some frames, then junk
"""
import os
import random
import struct
import zlib


def crc(data):
    c = 0
    for x in data:
        c ^= x << 24
        for _ in range(8):
            c = ((c << 1) ^ 0x04C11DB7) & 0xFFFFFFFF if c & 0x80000000 else (c << 1) & 0xFFFFFFFF
    return c


def page(packets, sequence, granule, flags):
    lacing = b"".join(b"\xff" * (len(p) // 255) + bytes([len(p) % 255]) for p in packets)
    head = b"OggS\0" + bytes([flags]) + struct.pack("<qII", granule, 1, sequence)
    tail = bytes([len(lacing)]) + lacing + b"".join(packets)
    return head + struct.pack("<I", crc(head + b"\0\0\0\0" + tail)) + tail


class Bits:
    def __init__(self):
        self.bits = []

    def put(self, *pairs):
        for value, count in pairs:
            self.bits += [(value >> i) & 1 for i in range(count)]

    def bytes(self):
        b = self.bits + [0] * (-len(self.bits) % 8)
        return bytes(sum(b[i + j] << j for j in range(8)) for i in range(0, len(b), 8))


def values(entries, dimension):
    n = 1
    while (n + 1) ** dimension <= entries:
        n += 1
    return n


def book(b, dimension, lookup):
    b.put((0x564342, 24), (dimension, 16), (2, 24), (0, 1), (0, 1), (0, 5), (0, 5), (lookup, 4))
    if lookup:
        b.put((0, 32), (0, 32), (0, 4), (0, 1), *[(0, 1)] * values(2, dimension))


def large_book(b, dimension, length):
    entries = 1 << length
    b.put((0x564342, 24), (dimension, 16), (entries, 24), (1, 1), (length - 1, 5), (entries, entries.bit_length()))
    b.put((1, 4), (0, 32), (0, 32), (0, 4), (0, 1), *[(0, 1)] * values(entries, dimension))


def setup(dimension, begin, large):
    b = Bits()
    b.put((1 + large, 8))
    book(b, 1, 0)
    book(b, dimension, 1)
    for _ in range(large):
        large_book(b, 15, 19)
    b.put((0, 6), (0, 16))
    b.put((0, 6), (1, 16), (0, 5), (0, 2), (7, 4))
    b.put((0, 6), (2, 16), (begin, 24), (1 << 16, 24), (63, 24), (0, 6), (0, 8), (1, 3), (0, 1), (1, 8))
    b.put((0, 6), (0, 16), (1, 1), (1, 4), (0, 1), (0, 2), (0, 4), (0, 4), (1, 4))
    for _ in range(2):
        b.put((0, 8), (0, 8), (0, 8))
    b.put((0, 6), (0, 1), (0, 16), (0, 16), (0, 8), (1, 1))
    return b"\x05vorbis" + b.bytes()


def vorbis(path, dimension=4, begin=0, large=0):
    sound = Bits()
    sound.put((0, 1), (1, 1), (100, 8), (100, 8), (1, 1), (100, 8), (100, 8), (0, 1), (0, 800))
    identity = b"\x01vorbis" + struct.pack("<IBIiii", 0, 3, 44100, 0, 0, 0) + bytes([8 | 8 << 4]) + b"\x01"
    comment = b"\x03vorbis" + struct.pack("<II", 0, 0) + b"\x01"
    out = page([identity], 0, 0, 2) + page([comment, setup(dimension, begin, large)], 1, 0, 0)
    for k in range(4):
        out += page([sound.bytes()] * 10, k + 2, 128 * (10 * k + 9), 4 if k == 3 else 0)
    open(path, "wb").write(out)


def id3(path, plain, kind, mebibytes):
    mp3 = open(plain, "rb").read()
    if mp3[:3] == b"ID3":
        mp3 = mp3[sum((x & 127) << s for x, s in zip(mp3[6:10], (21, 14, 7, 0))) + 10 :]
    c = zlib.compressobj(9)
    body = c.compress(b"\0image/png\0\x03\0\x89PNG\r\n\x1a\n" if kind == b"APIC" else b"\0")
    for _ in range(mebibytes):
        body += c.compress((b"\0" if kind == b"APIC" else b"a") * (1 << 20))
    payload = struct.pack(">I", mebibytes << 20) + body + c.flush()
    frame = kind + struct.pack(">I", len(payload)) + b"\x00\x80" + payload
    size = bytes((len(frame) >> s) & 127 for s in (21, 14, 7, 0))
    open(path, "wb").write(b"ID3\x03\x00\x00" + size + frame + mp3)


def flac(path, plain):
    data = bytearray(open(plain, "rb").read())
    # The low half of byte 21 and the four bytes after it are the number of frames.
    data[21] &= 0xF0
    data[22:26] = struct.pack(">I", 0xFFFFFFF0)
    open(path, "wb").write(bytes(data) + random.Random(1).randbytes(1 << 17))


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.join(here, "hostile")
    os.makedirs(folder, exist_ok=True)
    at = lambda name: os.path.join(folder, name)
    plain = lambda name: os.path.join(here, "audio", name)
    for dimension, begin in ((4, 2), (4, 1), (8, 2), (8, 6)):
        vorbis(at(f"aligned-{dimension}-{begin}.ogg"), dimension, begin)
    vorbis(at("codebooks.ogg"), large=64)
    flac(at("junk-end.flac"), plain("flac.flac"))
    id3(at("id3-cover.mp3"), plain("lame.mp3"), b"APIC", 128)
    id3(at("id3-text.mp3"), plain("lame.mp3"), b"TIT2", 64)
