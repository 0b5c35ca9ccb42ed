"""What librosa takes for the stages that `undertone analyze` has too: `python benches/librosa_stages.py IN.wav`.

Loudness, true peak and stereo are not among them, as librosa has none. Numba's compilation is done beforehand on a
second of the same file. Prints a JSON object of seconds by stage, reading included.
"""

import json
import sys
import time

import librosa
import numpy as np

HOP = 512


def stages(path, seconds=None):
    spent = {}

    def timed(name, work):
        begun = time.perf_counter()
        result = work()
        spent[name] = time.perf_counter() - begun
        return result

    both, rate = timed("load", lambda: librosa.load(path, sr=None, mono=False, duration=seconds))
    mono = librosa.to_mono(both)
    spectrum = timed("stft", lambda: librosa.stft(mono, n_fft=2048, hop_length=HOP))
    magnitude = np.abs(spectrum)
    timed("hpss", lambda: librosa.decompose.hpss(magnitude))
    timed("yin", lambda: librosa.yin(mono, fmin=65, fmax=2093, sr=rate, hop_length=HOP))
    timed("chroma_cqt", lambda: librosa.feature.chroma_cqt(y=mono, sr=rate, hop_length=HOP))
    envelope = timed("onset_strength", lambda: librosa.onset.onset_strength(y=mono, sr=rate, hop_length=HOP))
    timed("beat_track", lambda: librosa.beat.beat_track(onset_envelope=envelope, sr=rate, hop_length=HOP))
    feature = librosa.feature
    for name in ["spectral_centroid", "spectral_bandwidth", "spectral_rolloff", "spectral_contrast"]:
        timed(name, lambda name=name: getattr(feature, name)(S=magnitude, sr=rate))
    timed("spectral_flatness", lambda: feature.spectral_flatness(S=magnitude))
    mel = timed("melspectrogram", lambda: feature.melspectrogram(S=magnitude**2, sr=rate))
    timed("mfcc", lambda: feature.mfcc(S=librosa.power_to_db(mel)))
    timed("zero_crossing_rate", lambda: feature.zero_crossing_rate(mono, hop_length=HOP))
    timed("rms", lambda: feature.rms(S=magnitude))
    return spent


stages(sys.argv[1], seconds=1.0)
spent = stages(sys.argv[1])
print(json.dumps({"librosa": librosa.__version__, "seconds": spent, "total": sum(spent.values())}))
