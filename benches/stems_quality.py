"""Measures the quick split on voices over music by our own `sdr`, against doing nothing.

    python3 benches/stems_quality.py PATH_OF_UNDERTONE OUT_FOLDER [--recordings FOLDER] [--seconds 30] [--markdown]

Needs nothing but Python. Voices are read by espeak-ng, if it is there, over generated music (chords that move from side to
side, bass and drums over four bars) and over the recordings of the folder, if one is given; these recordings also stand
over the generated music. The first of both is the voice, and both are equally loud (RMS). What is skipped, and why, is
told. All sound is at 22.05 kHz, the rate of espeak-ng. For each mixture there are the SDR of both stems with the mixture in
their place (nothing), and with what `undertone stems` gives, in stereo and as the mean of both channels. `quality.json` has
all figures with the version; the table is printed.
"""

import argparse
import array
import json
import math
import random
import shutil
import subprocess
import sys
import wave
from pathlib import Path

RATE = 22_050
VOICES = {"espeak en": ("en", 150), "espeak de": ("de", 170)}
TEXTS = {
    "en": "This voice has nothing to sing. It reads a few plain lines instead, so that a program has words to look for while "
    "chords, a bass and drums go on behind it. Some words are short. Others last considerably longer, and between two "
    "sentences there is a pause, in which only the music is left to hear. Then the reading goes on as calmly as before.",
    "de": "Diese Stimme hat nichts zu singen. Stattdessen liest sie ein paar schlichte Zeilen, damit ein Programm Wörter zu "
    "suchen hat, während dahinter Akkorde, ein Bass und ein Schlagzeug weiterspielen. Manche Wörter sind kurz, andere "
    "dauern erheblich länger, und zwischen zwei Sätzen ist eine Pause, in der nur die Musik zu hören bleibt.",
}
#: A bar of the music has so many seconds, and these chords, as steps of a half tone from A3.
BAR_S = 2.0
CHORDS = [(0, 4, 7), (-3, 0, 4), (-7, -3, 0), (-5, -1, 2)]


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("undertone", type=Path)
    words.add_argument("out", type=Path)
    words.add_argument("--recordings", type=Path)
    words.add_argument("--seconds", type=int, default=30)
    words.add_argument("--markdown", action="store_true", help="print the table for a document")
    words = words.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    frames = words.seconds * RATE
    recordings = of_folder(words, frames)
    voices = of_espeak(words, frames)
    music = {"generated music": generated(frames)}
    pairs = [(voice, name) for voice in voices for name in (*music, *recordings)]
    pairs += [(recording, name) for recording in recordings for name in music]
    if not pairs:
        sys.exit("There is no voice: install espeak-ng, or name a folder with --recordings.")
    sounds, rows = voices | music | recordings, []
    version = said([str(words.undertone), "--version"]).strip()
    for voice, name in pairs:
        try:
            rows += split(words, voice, sounds[voice], name, sounds[name])
        except subprocess.CalledProcessError as error:
            print(f"skipped: {voice} over {name}: status {error.returncode}: {error.stderr.strip()}", file=sys.stderr)
        figures = {"version": version, "seconds": words.seconds, "rows": rows}
        (words.out / "quality.json").write_text(json.dumps(figures, indent=1))
    print(table(rows, words.markdown))


def of_espeak(words, frames):
    """Returns the voices that espeak-ng reads, mono, as often as they fit."""
    if shutil.which("espeak-ng") is None:
        print("skipped: the voices of espeak-ng, which is not installed", file=sys.stderr)
        return {}
    print(said(["espeak-ng", "--version"]).strip(), file=sys.stderr)
    voices = {}
    for name, (language, pace) in VOICES.items():
        path = words.out / f"{name}.wav"
        said(["espeak-ng", "-v", language, "-s", str(pace), "-w", str(path), TEXTS[language]])
        spoken = read(path)
        voices[name] = [looped(spoken[0], frames)] * 2
    return voices


def of_folder(words, frames):
    """Returns the recordings of a folder, in stereo at our rate."""
    if words.recordings is None:
        print("skipped: recordings, of which no folder was named", file=sys.stderr)
        return {}
    found = {}
    for path in sorted(words.recordings.iterdir()):
        target = words.out / f"{path.stem}.wav"
        made = [str(words.undertone), "process", str(path), "-o", str(target), "--rate", str(RATE), "--bits", "16", "--overwrite"]
        outcome = subprocess.run(made, capture_output=True, text=True)
        if outcome.returncode != 0:
            print(f"skipped: {path.name}: {outcome.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            continue
        channels = read(target)
        found[path.stem] = [looped(channels[min(side, len(channels) - 1)], frames) for side in range(2)]
    return found


def generated(frames):
    """Returns chords that move from side to side, bass and drums."""
    chance = random.Random(1)
    noise = [chance.uniform(-1, 1) for _ in range(RATE)]
    left, right = array.array("f", bytes(4 * frames)), array.array("f", bytes(4 * frames))
    for n in range(frames):
        t = n / RATE
        bar, within = int(t / BAR_S), t % (BAR_S / 4)
        chord = CHORDS[bar % len(CHORDS)]
        tone = 0.0
        for step in chord:
            hz = 220.0 * 2.0 ** (step / 12)
            tone += math.sin(math.tau * hz * t) + 0.4 * math.sin(math.tau * 2 * hz * t) + 0.2 * math.sin(math.tau * 3 * hz * t)
        tone *= 0.12 * math.exp(-1.5 * within)
        bass = 0.3 * math.sin(math.tau * 55.0 * 2.0 ** (chord[0] / 12) * t) * math.exp(-3.0 * within)
        hit = 0.25 * noise[n % RATE] * math.exp(-40.0 * within)
        if int(t / (BAR_S / 4)) % 2 == 0:
            hit = 0.6 * math.sin(math.tau * 60.0 * within * (1 + math.exp(-30 * within))) * math.exp(-12.0 * within)
        side = 0.5 + 0.4 * math.sin(math.tau * t / BAR_S)
        left[n] = tone * math.cos(side * math.pi / 2) + bass + hit
        right[n] = tone * math.sin(side * math.pi / 2) + bass + hit
    return [left, right]


def split(words, voice, sung, name, played):
    """Splits a mixture in stereo and as mono. Returns a row of each."""
    rows = []
    gains = [0.1 / rms(sound) for sound in (sung, played)]
    parts = [[scaled(channel, gain) for channel in sound] for sound, gain in zip((sung, played), gains)]
    for layout in ("stereo", "mono"):
        if layout == "mono":
            parts = [[array.array("f", ((a + b) / 2 for a, b in zip(*sound)))] for sound in parts]
        mix = [array.array("f", (a + b for a, b in zip(one, other))) for one, other in zip(*parts)]
        folder = words.out / f"{voice} over {name}, {layout}"
        folder.mkdir(exist_ok=True)
        paths = [folder / f"{part}.wav" for part in ("voice", "accompaniment", "mix")]
        for path, sound in zip(paths, (*parts, mix)):
            write(path, sound)
        ours = folder / "stems"
        said([str(words.undertone), "stems", str(paths[2]), "-o", str(ours), "--bits", "f32", "--overwrite"])
        row = {"mixture": f"{voice} over {name}", "layout": layout}
        for path in paths[:2]:
            stem = ours / f"mix - {path.stem}.wav"
            row[path.stem] = sdr(words, path, [paths[2], stem])
        rows.append(row)
    return rows


def sdr(words, reference, others):
    """Returns the `sdr` of files against a reference, as they stand."""
    asked = [str(words.undertone), "compare", str(reference), *map(str, others), "--no-align", "--measures", "sdr", "--json"]
    told = json.loads(said(asked))
    return [round(pair["measures"]["sdr"], 2) for pair in told["pairs"]]


def rms(sound):
    return math.sqrt(sum(sample * sample for channel in sound for sample in channel) / sum(map(len, sound)))


def scaled(channel, gain):
    return array.array("f", (sample * gain for sample in channel))


def looped(channel, frames):
    """Returns so many frames of a channel, which begins again after half a second."""
    once = channel + array.array("f", bytes(4 * (RATE // 2)))
    return (once * (frames // len(once) + 1))[:frames]


def read(path):
    """Reads the channels of a WAV file of 16 bits."""
    with wave.open(str(path)) as file:
        assert file.getsampwidth() == 2 and file.getframerate() == RATE, path
        channels, samples = file.getnchannels(), array.array("h", file.readframes(1 << 30))
    return [array.array("f", (sample / 32768 for sample in samples[channel::channels])) for channel in range(channels)]


def write(path, sound):
    """Writes channels as a WAV file of 16 bits. Nothing clips: both parts have an RMS of 0.1."""
    samples = array.array("h", (0,) * (len(sound) * len(sound[0])))
    for at, channel in enumerate(sound):
        samples[at :: len(sound)] = array.array("h", (max(-32768, min(32767, round(sample * 32767))) for sample in channel))
    with wave.open(str(path), "wb") as file:
        file.setnchannels(len(sound))
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())


def table(rows, markdown):
    head = ["mixture", "layout", "voice: nothing, split", "accompaniment: nothing, split"]
    cells = [
        [row["mixture"], row["layout"], *(", ".join(f"{db:.1f}" for db in row[part]) for part in ("voice", "accompaniment"))]
        for row in rows
    ]
    if markdown:
        return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *cells))
    return "\n".join("  ".join(f"{cell:<34}" for cell in line).rstrip() for line in (head, *cells))


def said(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
