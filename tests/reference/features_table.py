"""The features against independent implementations, as a table in Markdown.

    python3 tests/reference/features_table.py UNDERTONE [RECORDING_OR_FOLDER ...]

Holds what `UNDERTONE analyze --json` and `UNDERTONE fingerprint` print against librosa, SciPy and NumPy in f64, ffmpeg's
ebur128 filter, fpcalc and mir_eval: on signals of a fixed seed, and on the first 40 s of the recordings that are named,
decoded once to 32-bit floats. Written with librosa 0.11.0, SciPy 1.17.1, NumPy 2.4.6, mir_eval 0.8.2, FFmpeg 5.1 and
fpcalc 1.5.1.
"""

import json
import os
import subprocess
import sys
import tempfile
import warnings

import librosa
import mir_eval
import numpy
import scipy
import soundfile

import features_table_scores as scores
import features_table_signals as signals
import features_table_values as reference

warnings.filterwarnings("ignore")
SECONDS = 40
ENDINGS = (".wav", ".flac", ".ogg", ".mp3", ".m4a", ".opus", ".aiff")

# Name, unit of the deviation (relative, or the figure's own), tolerance, whether ALGORITHMS gives it, by what.
PLAIN = "NumPy"
STFT = "librosa.stft, NumPy"
TABLE = [
    *[(f"band_{band}", "share", 1e-5, True, STFT) for band in reference.BANDS],
    ("loudness_lufs", "LU", 0.01, True, "BS.1770-4 by scipy.signal"),
    ("crest_db", "dB", 1e-3, False, PLAIN),
    ("bass_mid_ratio_db", "dB", 1e-3, False, STFT),
    ("transient_density", "relative", 0, True, "librosa.onset"),
    ("silence_ratio", "share", 0, False, PLAIN),
    ("centroid_hz", "relative", 1e-5, True, "librosa.feature.spectral_centroid"),
    ("rolloff_hz", "bins", 1, True, "librosa.feature.spectral_rolloff"),
    ("flatness", "relative", 1e-5, True, "librosa.feature.spectral_flatness"),
    ("harmonic_ratio", "share", 1e-5, False, "librosa.decompose.hpss"),
    ("pitch_stability", "absolute", 1e-3, False, "YIN by scipy.signal"),
    ("chroma_energy", "absolute", 1e-2, True, "librosa.cqt, chroma_cqt"),
    ("dynamic_range_variation", "absolute", 1e-5, False, PLAIN),
    ("loudness_variation_db", "dB", 0.01, True, "BS.1770-4 by scipy.signal"),
    ("peak_consistency", "absolute", 1e-5, False, PLAIN),
    ("stereo_width", "share", 1e-5, False, PLAIN),
    ("phase_correlation", "absolute", 1e-5, False, PLAIN),
    ("rms", "relative", 1e-5, False, PLAIN),
    ("peak", "relative", 1e-5, False, PLAIN),
    ("true_peak_db", "dB", 0.05, True, "scipy.signal.upfirdn, libebur128's 49 taps"),
    ("loudness_range_lu", "LU", 0.01, True, "EBU Tech 3342 by scipy.signal"),
    ("max_momentary_lufs", "LU", 0.01, True, "BS.1770-4 by scipy.signal"),
    ("max_short_term_lufs", "LU", 0.01, True, "BS.1770-4 by scipy.signal"),
    ("bandwidth_hz", "relative", 1e-5, False, "librosa.feature.spectral_bandwidth"),
    ("flux", "relative", 1e-5, True, STFT),
    ("contrast_db", "dB", 1e-3, False, "librosa.feature.spectral_contrast"),
    ("mfcc", "absolute", 1e-3, False, "librosa.feature.mfcc"),
    ("zero_crossing_rate", "absolute", 1e-6, False, "librosa.feature.zero_crossing_rate"),
    ("voiced_ratio", "share", 1e-3, True, "YIN by scipy.signal"),
    ("pitch_hz", "cents", 1, True, "YIN by scipy.signal"),
    ("chroma", "absolute", 1e-2, True, "librosa.cqt, chroma_cqt"),
]


def written(folder, cases):
    """Writes cases (name, rate, samples, ..) as WAV of 32-bit floats; their paths."""
    paths = []
    for index, (_, rate, x, *_) in enumerate(cases):
        paths.append(os.path.join(folder, f"{len(os.listdir(folder))}-{index}.wav"))
        soundfile.write(paths[-1], x.astype(numpy.float32), rate, subtype="FLOAT")
    return paths


def analysed(program, paths):
    done = subprocess.run([program, "analyze", "--json", *paths], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SystemExit(f"{program} analyze: {done.stderr[:2000]}")
    return json.loads(done.stdout)["files"]


def recordings(named):
    for path in named:
        inside = [os.path.join(path, name) for name in sorted(os.listdir(path))] if os.path.isdir(path) else [path]
        for file in inside:
            if file.lower().endswith(ENDINGS):
                yield file


def deviation(unit, got, wanted, rate):
    got, wanted = numpy.atleast_1d(numpy.array(got, float)), numpy.atleast_1d(numpy.array(wanted, float))
    if unit == "relative":
        return float(numpy.max(numpy.abs(got - wanted) / numpy.maximum(numpy.abs(wanted), 1e-12)))
    if unit == "cents":
        return float(abs(1200 * numpy.log2(got[0] / wanted[0])))
    size = 2 ** round(numpy.log2(0.046 * rate))
    return float(numpy.max(numpy.abs(got - wanted))) / (rate / size if unit == "bins" else 1)


def short(value):
    return "0" if value == 0 else f"{value:.2g}"


def compare(cases, reports, expected):
    print("| figure | against | generated | real | largest deviation | tolerance | within | where |")
    print("|---|---|---|---|---|---|---|---|")
    for name, unit, tolerance, given, by in TABLE:
        counts, largest, where = [0, 0], -1.0, ""
        for (case, rate, _, is_real), report, wanted in zip(cases, reports, expected):
            got = report["features"].get(name, report["figures"].get(name))
            if got is None and wanted.get(name) is None:
                continue
            counts[is_real] += 1
            known = got is not None and wanted.get(name) is not None
            off = deviation(unit, got, wanted[name], rate) if known else numpy.inf
            if off > largest:
                largest, where = off, case
        within = "yes" if largest <= tolerance else "**no**"
        print(f"| `{name}` | {by} | {counts[0]} | {counts[1]} | {short(largest)} {unit} | {short(tolerance)}{'' if given else ' *'} | {within} | {where} |")
    total, shared = 0, 0
    for report, wanted in zip(reports, expected):
        ours = report["figures"]["onsets_s"]
        total += max(len(ours), len(wanted["onsets_s"]))
        shared += sum(numpy.min(numpy.abs(wanted["onsets_s"] - at), initial=9) < 1e-6 for at in ours)
    print(f"\nOnsets at the same window: {shared} of {total}. ", end="")
    same = sum(report["figures"]["key"] == wanted["key"] for report, wanted in zip(reports, expected))
    print(f"The same key as SciPy's correlation with librosa's chroma: {same} of {len(reports)}.")
    stable = 0.0
    for report in reports:
        gaps = numpy.diff(report["figures"]["beats_s"])
        if report["features"]["rhythm_stability"] is not None:
            stable = max(stable, abs(report["features"]["rhythm_stability"] - 1 / (1 + gaps.std() / gaps.mean())))
    print(f"`rhythm_stability` by NumPy from the beats told: largest deviation {short(stable)}.\n")


def against_ffmpeg(cases, paths, reports):
    print("| figure | against | recordings | largest deviation | where |\n|---|---|---|---|---|")
    told = [reference.by_ffmpeg(path) for path in paths]
    for name, unit in (("loudness_lufs", "LU"), ("loudness_range_lu", "LU"), ("true_peak_db", "dB")):
        off = []
        for (case, *_), report, theirs in zip(cases, reports, told):
            got = report["features"].get(name, report["figures"].get(name))
            if got is not None:
                off.append((abs(got - theirs[name]), case))
        print(f"| `{name}` | ffmpeg's ebur128 | {len(off)} | {max(off)[0]:.3f} {unit} | {max(off)[1]} |")
    print()


def print_scores(program, folder, real):
    cases = list(signals.performances())
    rows, worst, count, steady = scores.rhythm(cases, analysed(program, written(folder, cases)))
    print(f"{count} synthesised performances, {steady} of one tempo:\n")
    print("| | F-measure | CMLc | CMLt | AMLc | AMLt | Accuracy1 | Accuracy2 |\n|---|---|---|---|---|---|---|---|")
    for name, beats, tempi in rows:
        print(f"| {name} | " + " | ".join(f"{value:.3f}" for value in [*beats, *tempi]) + " |")
    print(f"\nThe lowest F-measure is {worst[0]:.3f} ({worst[1]}).\n")
    cases = list(signals.songs_in_keys())
    found = scores.keys(cases, analysed(program, written(folder, cases)))
    print(f"Key of {found.size} synthesised pieces, one in each: mean weighted score {found.mean():.3f}, {int((found == 1).sum())} exactly right.")
    cases = list(signals.contours())
    cents, voiced = scores.pitches(cases, analysed(program, written(folder, cases)))
    print(f"Pitch of {cents.size} synthesised voices: the median is {numpy.median(cents):.2f} cents off (at most {cents.max():.2f}), {100 * voiced.mean():.1f} % of windows have a pitch (at least {100 * voiced.min():.1f} %).\n")
    if real:
        print("| codec | recordings | bits compared | equal to fpcalc's | other length | same text |\n|---|---|---|---|---|---|")
        for codec, count, bits, equal, lengths, texts in scores.fingerprints(program, folder, real):
            print(f"| {codec} | {count} | {bits} | {100 * equal / bits:.4f} % | {lengths} | {texts} |")


def main():
    program, named = os.path.abspath(sys.argv[1]), sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        cases = [(name, rate, x.astype(numpy.float32), False) for name, rate, x in signals.recordings()]
        real = list(recordings(named))
        for path in real:
            rate = soundfile.info(path).samplerate
            x, _ = soundfile.read(path, frames=SECONDS * rate, dtype="float32", always_2d=True)
            cases.append((os.path.splitext(os.path.basename(path))[0], rate, x, True))
        paths = written(folder, cases)
        reports = analysed(program, paths)
        print(f"librosa {librosa.__version__}, SciPy {scipy.__version__}, NumPy {numpy.__version__}, mir_eval {mir_eval.__version__}.\n")
        compare(cases, reports, [reference.values(x, rate) for _, rate, x, _ in cases])
        against_ffmpeg(cases, paths, reports)
        sys.stdout.flush()
        print_scores(program, folder, [(case[0], path) for case, path in zip(cases, paths) if case[3]])


if __name__ == "__main__":
    main()
