"""Reference values of windows and mel banks, by scipy.signal.get_window and librosa.filters.mel.

    python3 tests/reference/windows.py > tests/reference/windows.json

Windows are given whole, symmetric and periodic, at an even and an odd length. Mel banks are given as the weights above
zero of some rows, with the bin of the first. Written with SciPy 1.17.1, NumPy 2.4.6 and librosa 0.11.0.
"""

import json
import sys

import librosa
import numpy
import scipy
from scipy.signal import get_window

WINDOWS = {
    "rectangular": "boxcar",
    "bartlett": "bartlett",
    "hann": "hann",
    "hamming": "hamming",
    "blackman": "blackman",
    "blackman_harris": "blackmanharris",
    "nuttall": "nuttall",
    "flattop": "flattop",
    "barthann": "barthann",
    "parzen": "parzen",
    "bohman": "bohman",
    "kaiser(0)": ("kaiser", 0.0),
    "kaiser(8.6)": ("kaiser", 8.6),
    "kaiser(20)": ("kaiser", 20.0),
    "gaussian(0.4)": "gaussian",
}


def windows():
    for name, scipys in WINDOWS.items():
        for length in (16, 33):
            for periodic in (True, False):
                # The library's deviation is in samples, ours in half lengths.
                last = length if periodic else length - 1
                kind = ("gaussian", 0.4 * last / 2) if scipys == "gaussian" else scipys
                values = get_window(kind, length, fftbins=periodic)
                yield {"window": name, "periodic": periodic, "values": [float(value) for value in values]}


def mel_bank(rate, fft_length, count, low, high, htk, area):
    norm = "slaney" if area else None
    bank = librosa.filters.mel(
        sr=rate, n_fft=fft_length, n_mels=count, fmin=low, fmax=high, htk=htk, norm=norm, dtype=numpy.float64
    )
    rows = []
    for index in sorted({0, 1, count // 3, count // 2, count - 2, count - 1}):
        heard = numpy.flatnonzero(bank[index] > 1e-12)
        first = int(heard[0]) if len(heard) else 0
        weights = bank[index][first : heard[-1] + 1] if len(heard) else []
        rows.append({"row": index, "first_bin": first, "weights": [float(f"{weight:.13g}") for weight in weights]})
    return {
        "rate": rate, "fft_length": fft_length, "count": count, "span": [low, high], "htk": htk, "area": area,
        "sum": float(bank.sum()), "rows": rows,
    }


banks = [
    mel_bank(22050, 1024, 40, 0.0, 11025.0, False, True),
    mel_bank(22050, 1024, 40, 0.0, 11025.0, True, False),
    mel_bank(48000, 2048, 80, 20.0, 16000.0, False, False),
    mel_bank(44100, 512, 128, 0.0, 22050.0, True, True),
]
made_with = f"SciPy {scipy.__version__}, NumPy {numpy.__version__}, librosa {librosa.__version__}"
json.dump({"made_with": made_with, "windows": list(windows()), "mel_banks": banks}, sys.stdout)
print()
