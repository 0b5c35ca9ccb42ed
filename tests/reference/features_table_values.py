"""What a recording's figures are by librosa, SciPy and NumPy in f64. Part of features_table.py.

The definitions are those of src/features; nothing here is made of the program's own code.
"""

import re
import subprocess

import librosa
import numpy
import scipy

EDGES = (20, 60, 250, 500, 2000, 4000, 8000, 20000)
BANDS = ("sub_bass", "bass", "low_mid", "mid", "upper_mid", "presence", "air")
SOUNDS = 1e-3
KRUMHANSL = (
    (6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88),
    (6.33, 2.68, 3.52, 5.38, 2.60, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17),
)


def spectra(mono, rate, size, hop, sounding, out):
    s = numpy.abs(librosa.stft(mono, n_fft=size, hop_length=hop, pad_mode="constant", dtype=numpy.complex128))
    power, near = s ** 2, dict(S=s, sr=rate)
    bins = numpy.arange(s.shape[0])
    low, high = numpy.maximum(bins - 0.5, 0), numpy.minimum(bins + 0.5, s.shape[0] - 1)
    edges = numpy.array(EDGES) * size / rate
    weights = [numpy.clip(numpy.minimum(high, b) - numpy.maximum(low, a), 0, 1) for a, b in zip(edges, edges[1:])]
    bands = numpy.array([weight @ power.sum(axis=1) for weight in weights])
    for name, band in zip(BANDS, bands):
        out["band_" + name] = band / bands.sum()
    out["bass_mid_ratio_db"] = 10 * numpy.log10(bands[:2].sum() / bands[2:4].sum())
    mean = lambda series: float(numpy.mean(series[sounding]))
    out["centroid_hz"] = mean(librosa.feature.spectral_centroid(**near)[0])
    out["bandwidth_hz"] = mean(librosa.feature.spectral_bandwidth(**near)[0])
    out["rolloff_hz"] = mean(librosa.feature.spectral_rolloff(**near)[0])
    out["flatness"] = mean(librosa.feature.spectral_flatness(S=s)[0])
    rise = numpy.maximum(numpy.diff(s, axis=1), 0).sum(axis=0) * 4 / size
    out["flux"] = mean(numpy.concatenate([[0], rise]))
    stride = max(4, -(-s.shape[1] // 16384))
    octaves = min(6, sum(200 * 2 ** octave < rate / 2 for octave in range(7)))
    contrast = librosa.feature.spectral_contrast(S=s[:, ::stride], sr=rate, n_bands=octaves)
    out["contrast_db"] = contrast.mean(axis=1)
    mel = librosa.feature.melspectrogram(S=power, sr=rate, n_fft=size, hop_length=hop)
    out["mfcc"] = librosa.feature.mfcc(S=librosa.power_to_db(mel[:, ::stride])).mean(axis=1)
    harmonic, percussive = librosa.decompose.hpss(s, mask=True)
    h, p = (harmonic ** 2 * power).sum(), (percussive ** 2 * power).sum()
    out["harmonic_ratio"] = h / (h + p)
    strength = librosa.onset.onset_strength(S=librosa.power_to_db(mel), sr=rate, n_fft=size, hop_length=hop)
    least = 0.75 / max(numpy.ptp(strength), 1e-9)
    onsets = librosa.onset.onset_detect(onset_envelope=strength, sr=rate, hop_length=hop, delta=float(max(0.07, least)))
    out["onsets_s"] = onsets * hop / rate
    out["transient_density"] = len(onsets) / (mono.size / rate)
    return strength


def yin(x, rate, size, hop):
    """The paper's difference over half a window, correlated by transforms in f64."""
    low, high, half = int(rate // min(2093, rate / 4)), min(int(numpy.ceil(rate / 65)), size // 2), size // 2
    padded, found = numpy.pad(x, (half, 2 * size)), []
    for k in range(1 + x.size // hop):
        w = padded[k * hop:k * hop + half + high]
        squares = numpy.concatenate([[0], numpy.cumsum(w ** 2)])
        lags = numpy.arange(high + 1)
        both = scipy.signal.correlate(w, w[:half], "valid", "fft")
        d = numpy.maximum(squares[half] + squares[lags + half] - squares[lags] - 2 * both, 0)
        # A silent half gives 0 but for the transforms' rounding, and no period.
        d[d < 1e-12 * squares[-1]] = 0
        total = numpy.cumsum(d[1:])
        hz = numpy.nan
        if squares[-1] > 0 and total[-1] > 0:
            value = numpy.full(high + 2, numpy.inf)
            heard = total[low - 1:] > 0
            value[low:high + 1] = numpy.where(heard, lags[low:] * d[low:] / numpy.where(heard, total[low - 1:], 1), 1)
            for t in numpy.flatnonzero(value < 0.15):
                if value[t] < value[t - 1] and value[t] <= value[t + 1]:
                    shift = 0.0
                    if low < t < high:
                        a, b, c = value[t - 1:t + 2]
                        curve, slope = a + c - 2 * b, (c - a) / 2
                        shift = -slope / curve if abs(slope) < abs(curve) else 0.0
                    hz = rate / (t + shift)
                    break
        found.append(hz)
    return numpy.array(found)


def pitch(mono, rate, size, hop, out):
    hz = yin(mono, rate, size, hop)
    voiced = ~numpy.isnan(hz)
    both = voiced[1:] & voiced[:-1]
    if both.any():
        cents = 1200 * numpy.log2(hz[1:][both] / hz[:-1][both])
        out["pitch_stability"] = float(numpy.mean(1 / (1 + numpy.abs(cents) / 50)))
    out["voiced_ratio"] = float(voiced.mean())
    if voiced.any():
        out["pitch_hz"] = float(numpy.sort(hz[voiced])[voiced.sum() // 2])


def chroma(mono, rate, hop, sounding, out):
    square = 2 ** (2 / 36)
    quality = (square + 1) / (square - 1)
    end = lambda octaves: 32.70319566257483 * 2 ** ((octaves * 36 - 1) / 36) * (1 + 0.75 / quality)
    octaves = max(octaves for octaves in range(1, 8) if end(octaves) <= rate / 2)
    # As librosa.cqt estimates it, of windows that are as long as all others here.
    tuning = librosa.estimate_tuning(y=mono, sr=rate, n_fft=4 * hop, hop_length=hop, bins_per_octave=36)
    cqt = librosa.cqt(mono, sr=rate, hop_length=hop, n_bins=36 * octaves, bins_per_octave=36, tuning=tuning)
    values = librosa.feature.chroma_cqt(C=numpy.abs(cqt), sr=rate, hop_length=hop)
    raw = librosa.feature.chroma_cqt(C=numpy.abs(cqt), sr=rate, hop_length=hop, norm=None).max(axis=0)
    out["chroma_energy"] = float(values[:, sounding].mean())
    mean = values[:, raw > 1e-3 * raw.max()].mean(axis=1)
    out["chroma"] = mean
    fits = [(scipy.stats.pearsonr(numpy.roll(mean, -tonic), profile).statistic, mode, tonic)
            for mode, profile in enumerate(KRUMHANSL) for tonic in range(12)]
    fits.sort(reverse=True)
    names = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
    is_one = mean.std() >= 0.1 * mean.mean() and fits[0][0] >= 0.5
    out["key"] = names[fits[0][2]] + "m" * fits[0][1] if is_one else None


def levels(x, mono, rate, size, hop, out):
    windows = 1 + len(x) // hop
    padded = numpy.pad((x ** 2).mean(axis=1), (size // 2, size))
    rms = numpy.sqrt([padded[k * hop:k * hop + size].mean() for k in range(windows)])
    out["silence_ratio"] = float((rms < SOUNDS).mean())
    out["rms"], out["peak"] = float(numpy.sqrt((x ** 2).mean())), float(numpy.abs(x).max())
    out["crest_db"] = 20 * numpy.log10(out["peak"] / out["rms"])
    length = max(1, round(0.4 * rate / hop)) * hop
    parts = [x[a:a + length] for a in range(0, len(x) // hop * hop - length + 1, length)]
    parts = [part for part in parts if numpy.sqrt((part ** 2).mean()) >= SOUNDS]
    peaks = numpy.array([numpy.abs(part).max() for part in parts])
    v = numpy.std([20 * numpy.log10(peak / numpy.sqrt((part ** 2).mean())) for peak, part in zip(peaks, parts)])
    out["dynamic_range_variation"] = v / (v + 6)
    out["peak_consistency"] = 1 / (1 + peaks.std() / peaks.mean())
    out["zero_crossing_rate"] = float(librosa.feature.zero_crossing_rate(
        mono, frame_length=size, hop_length=hop)[0][librosa_rms(mono, size, hop) >= SOUNDS].mean())
    if x.shape[1] == 1:
        out["stereo_width"], out["phase_correlation"] = 0.0, 1.0
        return
    l, r = x[:, 0], x[:, 1]
    middle, side = (((l + r) / 2) ** 2).sum(), (((l - r) / 2) ** 2).sum()
    out["stereo_width"] = side / (middle + side)
    out["phase_correlation"] = (l * r).sum() / numpy.sqrt((l ** 2).sum() * (r ** 2).sum())


def librosa_rms(mono, size, hop):
    return librosa.feature.rms(y=mono, frame_length=size, hop_length=hop, pad_mode="constant", dtype=numpy.float64)[0]


def k_weighting(rate):
    """BS.1770-4's two filters for any rate (B. De Man, AES 145, 2018)."""
    k = numpy.tan(numpy.pi * 1681.974450955533 / rate)
    q, head = 0.7071752369554196, 10 ** (3.999843853973347 / 20)
    lift = head ** 0.4996667741545416
    shelf = ([head + lift * k / q + k * k, 2 * (k * k - head), head - lift * k / q + k * k],
             [1 + k / q + k * k, 2 * (k * k - 1), 1 - k / q + k * k])
    k, q = numpy.tan(numpy.pi * 38.13547087602444 / rate), 0.5003270373238773
    high = ([1, -2, 1], [1, 2 * (k * k - 1) / (1 + k / q + k * k), (1 - k / q + k * k) / (1 + k / q + k * k)])
    return shelf, high


def loudness(x, rate, out):
    for b, a in k_weighting(rate):
        x = scipy.signal.lfilter(b, a, x, axis=0)
    ends = numpy.arange(len(x) * 50 // rate + 1) * rate // 50
    sums = numpy.concatenate([[0], numpy.cumsum((x ** 2).sum(axis=1))])
    blocks = numpy.diff(sums[ends]) / numpy.diff(ends)
    lufs = lambda energy: -0.691 + 10 * numpy.log10(numpy.maximum(energy, 1e-300))
    over = lambda count: numpy.convolve(numpy.concatenate([numpy.zeros(count - 1), blocks]), numpy.ones(count) / count, "valid")
    momentary, short = over(20), over(150)
    gated = momentary[19:][(numpy.arange(19, len(blocks)) + 1) % 5 == 0]
    passed = gated[lufs(gated) > -70]
    passed = passed[passed > 0.1 * passed.mean()]
    out["loudness_lufs"] = float(lufs(passed.mean()))
    points = len(blocks) // 5
    out["max_momentary_lufs"] = float(lufs(momentary[:5 * points].max()))
    out["max_short_term_lufs"] = float(lufs(short[:5 * points].max()))
    curve = lufs(short[:5 * points].reshape(-1, 5).max(axis=1))
    counted = curve[29:][curve[29:] > -70]
    if counted.size > 1:
        out["loudness_variation_db"] = float(counted.std())
    ranged = short[149:][(numpy.arange(149, len(blocks)) + 1) % 5 == 0]
    ranged = ranged[lufs(ranged) > -70]
    if ranged.size:
        ranged = numpy.sort(ranged[ranged > 0.01 * ranged.mean()])
        at = lambda share: lufs(ranged[int(share * (ranged.size - 1) + 0.5)])
        out["loudness_range_lu"] = float(at(0.95) - at(0.1))


def true_peak(x, rate, out):
    """By upsampling with the 49 taps that libebur128 has, in f64."""
    factor = 4 if rate < 96000 else 2 if rate < 192000 else 1
    j = numpy.arange(49)
    taps = numpy.sinc((j - 24) / factor) * (0.5 - 0.5 * numpy.cos(2 * numpy.pi * j / 48))
    peak = max(numpy.abs(scipy.signal.upfirdn(taps, plane, factor)[:len(plane) * factor]).max() for plane in x.T)
    out["true_peak_db"] = 20 * numpy.log10(max(peak, numpy.abs(x).max()))


def by_ffmpeg(path):
    """Integrated loudness, range and true peak of ffmpeg's ebur128 filter."""
    command = ["ffmpeg", "-hide_banner", "-nostats", "-i", path, "-af", "ebur128=peak=true:metadata=1,ametadata=print:file=-", "-f", "null", "-"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    last = lambda key: float(re.findall(rf"lavfi\.r128\.{key}=(\S+)", done.stdout)[-1])
    peaks = re.findall(r"Peak:\s+(\S+) dBFS", done.stderr)
    return {"loudness_lufs": last("I"), "loudness_range_lu": last("LRA"), "true_peak_db": float(peaks[-1])}


def values(x, rate):
    """All figures of samples, frames by channels."""
    x = x.astype(float)
    mono, out = x.mean(axis=1), {}
    size = int(numpy.clip(2 ** numpy.round(numpy.log2(0.046 * rate)), 64, 65536))
    hop = size // 4
    sounding = librosa_rms(mono, size, hop) >= SOUNDS
    spectra(mono, rate, size, hop, sounding, out)
    pitch(mono, rate, size, hop, out)
    chroma(mono, rate, hop, sounding, out)
    levels(x, mono, rate, size, hop, out)
    loudness(x, rate, out)
    true_peak(x, rate, out)
    return out
