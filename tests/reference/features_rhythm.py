"""Reference values for harmony and rhythm, from librosa.

Writes features_rhythm.json beside itself. The signals are defined here and in `tests/features_rhythm.rs` alike.
"""

import json
import pathlib
import warnings

import librosa
import numpy as np
import scipy

warnings.filterwarnings("ignore")


def noise(seed, count):
    state, out = seed, np.empty(count)
    for n in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out[n] = (state >> 40) / 2**23 - 1.0
    return out


def drums(rate, seconds, bpm):
    """Kick, snare and hats over a soft chord."""
    count = int(rate * seconds)
    n, hiss = np.arange(count), noise(1, count)
    x = 0.05 * sum(np.sin(2 * np.pi * hz * n / rate) for hz in (220.0, 277.18, 329.63))
    for eighth in range(int(seconds * bpm / 30.0)):
        start = round(eighth * 30.0 / bpm * rate)
        m = np.arange(max(0, min(int(0.3 * rate), count - start)))
        t, here = m / rate, slice(start, start + len(m))
        x[here] += 0.1 * hiss[here] * np.exp(-t / 0.02)
        if eighth % 4 == 0:
            x[here] += 0.8 * np.sin(2 * np.pi * 60.0 * t) * np.exp(-t / 0.08)
        if eighth % 4 == 2:
            x[here] += 0.4 * hiss[here] * np.exp(-t / 0.05)
    return x.astype(np.float32)


def chords(rate, seconds, cents):
    """A chord a second with five overtones to each note, all off by so many cents, and a little noise."""
    count = int(rate * seconds)
    t, x = np.arange(count) / rate, 1e-3 * noise(2, count)
    progression = [(48, 55, 64, 72), (45, 57, 60, 64), (41, 53, 60, 69), (43, 50, 59, 67)]
    for second in range(int(np.ceil(seconds))):
        here = slice(second * rate, min(count, (second + 1) * rate))
        for note in progression[second % 4]:
            hz = 440.0 * 2.0 ** ((note - 69 + cents / 100.0) / 12.0)
            for partial in range(1, 6):
                x[here] += 0.1 / partial**1.5 * np.sin(2 * np.pi * hz * partial * t[here])
    return x.astype(np.float32)


def plane(windows, bins):
    """Powers with level and upright lines, and a silent corner."""
    values = (0.5 + 0.5 * noise(3, windows * bins).reshape(windows, bins)) ** 4
    values[:, 7::11] += 3.0
    values[9::13, :] += 5.0
    values[:, 3] = 0.0
    values[25:, 20:] = 0.0
    return values.astype(np.float32)


def short(values, digits=7):
    return [float(f"{x:.{digits}g}") for x in np.asarray(values, dtype=float).ravel()]


def hpss():
    power = plane(40, 33)
    harmonic, percussive = librosa.decompose.hpss(np.sqrt(power.T.astype(np.float64)), mask=True)
    assert np.allclose(harmonic + percussive, 1.0)
    return {"windows": 40, "bins": 33, "harmonic": short(harmonic.T)}


def rhythm(rate, size, hop, bpm):
    y = drums(rate, 12.0, bpm)
    power = np.abs(librosa.stft(y, n_fft=size, hop_length=hop, pad_mode="constant")) ** 2
    mel = librosa.feature.melspectrogram(S=power, sr=rate, n_fft=size, hop_length=hop, fmax=rate / 2)
    strength = librosa.onset.onset_strength(S=librosa.power_to_db(mel), sr=rate, n_fft=size, hop_length=hop)
    length = librosa.time_to_frames(8.0, sr=rate, hop_length=hop).item()
    tempogram = librosa.feature.tempogram(onset_envelope=strength, sr=rate, hop_length=hop, win_length=length)
    tempo = librosa.feature.tempo(onset_envelope=strength, sr=rate, hop_length=hop)[0]
    _, beats = librosa.beat.beat_track(onset_envelope=strength, sr=rate, hop_length=hop, bpm=tempo)
    onsets = librosa.onset.onset_detect(onset_envelope=strength, sr=rate, hop_length=hop)
    return {
        "rate": rate, "size": size, "hop": hop, "bpm": bpm,
        "strength": short(strength),
        "onsets": onsets.tolist(),
        "tempogram_window": length,
        "tempogram_rows": {str(k): short(tempogram[:, k], 6) for k in (0, 100, strength.size - 1)},
        "tempogram_mean": short(tempogram.mean(axis=1), 6),
        "tempo": float(tempo),
        "beats": beats.tolist(),
    }


def chroma(rate, hop, seconds, cents):
    y = chords(rate, seconds, cents)
    power = np.abs(librosa.stft(y, n_fft=2048, pad_mode="constant"))
    tuning = librosa.estimate_tuning(S=power, sr=rate, n_fft=2048, bins_per_octave=36)
    cqt = np.abs(librosa.cqt(y, sr=rate, hop_length=hop, fmin=librosa.note_to_hz("C1"), n_bins=252, bins_per_octave=36,
                             tuning=tuning))
    values = librosa.feature.chroma_cqt(C=cqt, sr=rate, hop_length=hop)
    middle = cqt.shape[1] // 2
    return {
        "rate": rate, "hop": hop, "seconds": seconds, "cents": cents, "tuning": float(tuning),
        "windows": int(values.shape[1]),
        "cqt": short(cqt[:, middle], 6),
        "chroma": short(values.T[::4], 6),
    }


def main():
    reference = {
        "versions": {"librosa": librosa.__version__, "numpy": np.__version__, "scipy": scipy.__version__},
        "hpss": hpss(),
        "rhythm": [rhythm(22050, 2048, 512, 100.0), rhythm(44100, 2048, 512, 137.0)],
        "chroma": [chroma(22050, 512, 6.0, 0.0), chroma(22050, 512, 6.0, 22.0), chroma(44100, 1024, 4.0, -13.0)],
    }
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(reference) + "\n")


if __name__ == "__main__":
    main()
