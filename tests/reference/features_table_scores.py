"""Scores of beats, tempo, key, pitch and fingerprints where the truth is known. Part of features_table.py."""

import os
import subprocess

import librosa
import mir_eval
import numpy

CODECS = (
    ("WAV", "wav", ("-c:a", "pcm_s16le")),
    ("FLAC", "flac", ("-c:a", "flac", "-sample_fmt", "s16")),
    ("MP3 128", "mp3", ("-c:a", "libmp3lame", "-b:a", "128k")),
    ("AAC 128", "m4a", ("-c:a", "aac", "-b:a", "128k")),
    ("Vorbis q4", "ogg", ("-c:a", "libvorbis", "-q:a", "4")),
    ("Opus 96", "opus", ("-c:a", "libopus", "-b:a", "96k")),
)


def beat_scores(truth, found):
    """F-measure, CMLc, CMLt, AMLc, AMLt; the first 5 s are trimmed, as mir_eval does."""
    truth, found = mir_eval.beat.trim_beats(numpy.array(truth)), mir_eval.beat.trim_beats(numpy.array(found))
    return [mir_eval.beat.f_measure(truth, found), *mir_eval.beat.continuity(truth, found)]


def accuracy(bpm, found):
    """Accuracy1 and Accuracy2: within 4 % of the tempo; of it, its half, third, double or triple."""
    near = lambda factor: found is not None and abs(found / (bpm * factor) - 1) <= 0.04
    return [near(1), any(near(factor) for factor in (1, 2, 3, 1 / 2, 1 / 3))]


def rhythm(cases, reports):
    """Means over performances, of the program and of librosa; tempi where it does not change."""
    ours, theirs, tempi, their_tempi, worst = [], [], [], [], (2, "")
    for (name, rate, x, beats), report in zip(cases, reports):
        score = beat_scores(beats, report["figures"]["beats_s"])
        worst = min(worst, (score[0], name))
        tempo, found = librosa.beat.beat_track(y=x[:, 0].astype(numpy.float32), sr=rate, units="time")
        ours.append(score)
        theirs.append(beat_scores(beats, found))
        gaps = numpy.diff(beats)
        if numpy.ptp(gaps) < 1e-9:
            tempi.append(accuracy(60 / gaps[0], report["features"]["tempo_bpm"]))
            their_tempi.append(accuracy(60 / gaps[0], float(numpy.atleast_1d(tempo)[0])))
    return [
        ("Undertone", numpy.mean(ours, axis=0), numpy.mean(tempi, axis=0)),
        ("librosa 0.11", numpy.mean(theirs, axis=0), numpy.mean(their_tempi, axis=0)),
    ], worst, len(ours), len(tempi)


def keys(cases, reports):
    """mir_eval's weighted scores and how many are exactly right."""
    scores = []
    for (_, _, _, key), report in zip(cases, reports):
        found = report["figures"]["key"]
        words = f"{found.rstrip('m')} {'minor' if found.endswith('m') else 'major'}" if found else None
        scores.append(mir_eval.key.weighted_score(key, words) if words else 0.0)
    return numpy.array(scores)


def pitches(cases, reports):
    """The median pitch in cents off the contour's, and the share of windows that have a pitch."""
    cents, voiced = [], []
    for (_, _, _, hz), report in zip(cases, reports):
        figures = report["figures"]
        cents.append(abs(1200 * numpy.log2((figures["pitch_hz"] or numpy.nan) / numpy.median(hz))))
        voiced.append(figures["voiced_ratio"])
    return numpy.array(cents), numpy.array(voiced)


def items(command):
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    lines = [line[12:] for line in done.stdout.splitlines() if line.startswith("FINGERPRINT=")]
    return lines[0] if lines else ""


def fingerprints(program, folder, recordings):
    """For each codec the recordings, bits compared, bits equal, lengths that differ, and texts that are the same."""
    rows = []
    for codec, ending, options in CODECS:
        count, bits, equal, lengths, texts = 0, 0, 0, 0, 0  # A length differs too where only one finds it too short.
        for name, source in recordings:
            path = os.path.join(folder, f"{name}.{ending}")
            subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", source, *options, path], check=True, stdin=subprocess.DEVNULL)
            raw = [items([*command, path]) for command in (
                (program, "fingerprint", "--format", "fpcalc", "--raw", "--length", "0"), ("fpcalc", "-raw", "-length", "0"))]
            ours, theirs = (numpy.array([int(x) for x in text.split(",") if x], dtype=numpy.uint32) for text in raw)
            shared = min(ours.size, theirs.size)
            count += 1
            bits += 32 * shared
            equal += 32 * shared - int(numpy.bitwise_count(ours[:shared] ^ theirs[:shared]).sum())
            lengths += ours.size != theirs.size
            texts += items([program, "fingerprint", "--format", "fpcalc", "--length", "0", path]) == items(["fpcalc", "-length", "0", path])
        rows.append((codec, count, bits, equal, lengths, texts))
    return rows
