#!/usr/bin/env bash
# Makes the seeds of tests/opening.rs and tests/fuzz in this folder, with
# ffmpeg 5.1.9, flac 1.4.2, opusenc (opus-tools) 0.2, oggenc 1.4.2 and Python 3.11.
# The signal is the one that tests/opening.rs computes: 440 Hz left, 1 kHz right, 13,001 frames at 44.1 kHz
# (14,401 at 48 kHz for Opus); surround.ogg has a sine of its own in each of six channels. The lossy seeds are made by the encoders named; nothing here is anybody's recording.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$work" <<'PYTHON'
import math, struct, sys, wave
def make(path, rate, frames):
    with wave.open(path, "wb") as out:
        out.setnchannels(2); out.setsampwidth(2); out.setframerate(rate)
        out.writeframes(b"".join(struct.pack("<hh",
            round(12000 * math.sin(2 * math.pi * 440 * n / rate)),
            round(8000 * math.sin(2 * math.pi * 1000 * n / rate))) for n in range(frames)))
make(sys.argv[1] + "/44.wav", 44100, 13001)
make(sys.argv[1] + "/48.wav", 48000, 14401)
# In the order of WAV, with a header that says so: front left and right, centre, low frequencies, back left and right.
data = b"".join(struct.pack("<h", round(8000 * math.sin(2 * math.pi * hz * n / 44100)))
                for n in range(13001) for hz in (440, 660, 880, 60, 1320, 1760))
head = struct.pack("<HHIIHHHHI", 0xFFFE, 6, 44100, 44100 * 12, 12, 16, 22, 16, 0x3F)
head += bytes.fromhex("0100000000001000800000aa00389b71")
with open(sys.argv[1] + "/surround.wav", "wb") as out:
    out.write(b"RIFF" + struct.pack("<I", 20 + len(head) + len(data)) + b"WAVEfmt " + struct.pack("<I", len(head)) + head)
    out.write(b"data" + struct.pack("<I", len(data)) + data)
PYTHON
f() { ffmpeg -v error -y -bitexact -i "$work/$1.wav" "${@:2}"; }
f 44 -c:a libmp3lame -b:a 64k -metadata title=Seed lame.mp3
f 44 -c:a libmp3lame -b:a 64k -write_xing 0 -id3v2_version 0 noheader.mp3
f 44 -ar 22050 -ac 1 -c:a libmp3lame -b:a 16k low.mp3
f 44 -c:a mp2 -b:a 96k layer2.mp2
f 44 -c:a aac -b:a 64k plain.aac
f 44 -c:a aac -b:a 64k edits.m4a
f 44 -c:a aac -b:a 64k -movflags +frag_keyframe+empty_moov fragments.mp4
f 44 -c:a alac alac.m4a
f 44 -c:a alac alac.caf
f 44 -t 0.05 -c:a pcm_s16be pcm.caf
f 44 -t 0.05 -c:a pcm_s24le pcm.mov
f 44 -c:a flac flac.mkv
f 44 -c:a aac -b:a 64k aac.mkv
f 44 -t 0.05 -c:a pcm_s16le pcm.mkv
f 44 -c:a libvorbis -q:a 2 vorbis.webm
f 44 -c:a libvorbis -q:a 2 -metadata title=Seed vorbis.ogg
f 44 -c:a flac flac.oga
f 44 -c:a adpcm_ms ms.wav
f 44 -c:a adpcm_ima_wav ima.wav
f 48 -c:a libopus -b:a 48k opus.webm
f 48 -c:a libopus -b:a 48k -strict -2 opus.mp4
# Those that are joined to files of another format, and an index that is followed by fragments.
f 44 -ac 1 -c:a libmp3lame -b:a 48k -write_xing 0 -id3v2_version 0 mono.mp3
f 48 -c:a libmp3lame -b:a 64k -write_xing 0 -id3v2_version 0 48k.mp3
f 44 -ac 1 -c:a aac -b:a 32k mono.aac
f 48 -c:a aac -b:a 64k 48k.aac
f 44 -ac 1 -c:a libvorbis -q:a 2 mono.ogg
f 48 -c:a libvorbis -q:a 2 48k.ogg
f 44 -c:a aac -b:a 64k -movflags frag_keyframe -frag_duration 100000 hybrid.mp4
f 44 -ac 1 -c:a libmp3lame -b:a 48k mono-mp3.mp4
oggenc --quiet --serial 1 --quality 2 --output surround.ogg "$work/surround.wav"
opusenc --quiet --serial 1 --bitrate 48 "$work/48.wav" opusenc.opus
flac --silent --force --no-seektable --blocksize=1024 --tag=TITLE=Seed -o flac.flac "$work/44.wav"
ls -l
