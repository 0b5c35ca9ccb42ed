"""Signals of which is known how they were made, by a fixed seed. Part of features_table.py."""

import numpy

SEED = 20
MAJOR_SCALE, MINOR_SCALE = (0, 2, 4, 5, 7, 9, 11), (0, 2, 3, 5, 7, 8, 10)
NAMES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")


def hz_from_note(note):
    return 440 * 2 ** ((note - 69) / 12)


def times(rate, seconds):
    return numpy.arange(int(rate * seconds)) / rate


def at_tempo(bpm_at, seconds):
    """Beats from half a second on, `bpm_at` being the tempo of each moment."""
    beats = [0.5]
    while beats[-1] + 60 / bpm_at(beats[-1]) <= seconds - 0.3:
        beats.append(beats[-1] + 60 / bpm_at(beats[-1]))
    return numpy.array(beats)


def strike(x, rate, at, sound):
    start = int(round(at * rate))
    count = min(rate // 4, x.size - start)
    if count > 0:
        x[start:start + count] += sound(numpy.arange(count) / rate)


def drums(random, rate, seconds, beats, off_beat=0.5, clicks=False):
    """Clicks on beats; or kick and snare in turn with hats, the second of a pair at `off_beat` of the beat."""
    x = 3e-3 * random.uniform(-1, 1, int(rate * seconds))
    hiss = lambda t, level, decay: level * random.uniform(-1, 1, t.size) * numpy.exp(-t / decay)
    for index, beat in enumerate(beats):
        if clicks:
            strike(x, rate, beat, lambda t: 0.5 * numpy.sin(2 * numpy.pi * 1000 * t) * numpy.exp(-t / 0.01))
            continue
        strike(x, rate, beat, lambda t: hiss(t, 0.08, 0.02))
        if index % 2 == 0:
            strike(x, rate, beat, lambda t: 0.8 * numpy.sin(2 * numpy.pi * 60 * t) * numpy.exp(-t / 0.08))
        else:
            strike(x, rate, beat, lambda t: hiss(t, 0.4, 0.05))
        if index + 1 < len(beats):
            strike(x, rate, beat + off_beat * (beats[index + 1] - beat), lambda t: hiss(t, 0.08, 0.02))
    return x


def notes(x, rate, start, end, pitches, level, vibrato=0.0):
    """Notes of five partials between two times; vibrato in semitones at 5.5 Hz."""
    a, b = int(start * rate), min(int(end * rate), x.size)
    t = numpy.arange(max(0, b - a)) / rate
    swell = numpy.minimum(1, t / 0.01) * numpy.minimum(1, (b - a - numpy.arange(t.size)) / rate / 0.01)
    for pitch in pitches:
        bend = vibrato * numpy.sin(2 * numpy.pi * 5.5 * t)
        phase = 2 * numpy.pi * numpy.cumsum(hz_from_note(pitch + bend)) / rate
        for k in range(1, 6):
            if k * hz_from_note(pitch + vibrato) < rate / 2:
                x[a:b] += level / k ** 1.5 * swell * numpy.sin(k * phase)


def harmony(random, rate, seconds, tonic, minor, beats, level=0.06, vibrato=0.0):
    """I IV V I with a bass and a tune of the scale, a chord to four beats."""
    x = numpy.zeros(int(rate * seconds))
    scale = MINOR_SCALE if minor else MAJOR_SCALE
    # The fifth's triad is major in minor keys too, as in written music.
    degree = lambda step: 12 * (step // 7) + scale[step % 7]
    edges = [0.0, *beats[4::4], seconds]
    for bar, (start, end) in enumerate(zip(edges, edges[1:])):
        root = (0, 3, 4, 0)[bar % 4]
        chord = [degree(root), degree(root + 2) + (1 if minor and root == 4 else 0), degree(root + 4)]
        notes(x, rate, start, end, [48 + tonic + step for step in chord], level, vibrato)
        notes(x, rate, start, end, [36 + tonic + chord[0] % 12], 1.5 * level)
        for quarter in range(4):
            a, b = start + quarter * (end - start) / 4, start + (quarter + 1) * (end - start) / 4
            tune = chord[int(random.integers(3))] if quarter % 2 == 0 else degree(int(random.integers(7)))
            notes(x, rate, a, b, [60 + tonic + tune], level)
    return x


def song(random, rate, seconds, bpm, tonic, minor):
    """Two channels: drums in the middle, harmony to the left, its own noise in each."""
    beats = at_tempo(lambda _: bpm, seconds)
    band, chords = drums(random, rate, seconds, beats), harmony(random, rate, seconds, tonic, minor, beats)
    hiss = 1e-3 * random.uniform(-1, 1, (band.size, 2))
    return hiss + numpy.stack([0.5 * band + chords, 0.5 * band + 0.4 * chords], axis=1)


def band_noise(random, rate, seconds, low, high, level):
    spectrum = numpy.fft.rfft(random.standard_normal(int(rate * seconds)))
    hz = numpy.fft.rfftfreq(int(rate * seconds), 1 / rate)
    x = numpy.fft.irfft(numpy.where((hz >= low) & (hz <= high), spectrum, 0), int(rate * seconds))
    return level * x / numpy.abs(x).max()


def recordings():
    """Name, rate and samples (frames by channels) of what each definition is held against."""
    random = numpy.random.default_rng(SEED)
    t = times(44100, 5)
    yield "tone 997 Hz", 44100, (0.5 * numpy.sin(2 * numpy.pi * 997 * t))[:, None]
    x = numpy.zeros(48000 * 8)
    for bar in range(8):
        notes(x, 48000, bar, bar + 1, [48 + bar, 55 + bar, 64 + bar], 0.1, vibrato=0.4)
    yield "chords with vibrato", 48000, numpy.stack([x, numpy.roll(x, 480)], axis=1)
    beats = at_tempo(lambda at: 96 if at < 8 else 132, 16)
    yield "clicks, 96 then 132 BPM", 44100, drums(random, 44100, 16, beats, clicks=True)[:, None]
    yield "noise 300 to 3000 Hz", 8000, band_noise(random, 8000, 8, 300, 3000, 0.5)[:, None]
    yield "song in A minor, 118 BPM", 44100, song(random, 44100, 20, 118, 9, True)
    yield "song in E flat major, 84 BPM", 96000, song(random, 96000, 10, 84, 3, False)
    yield "song in G major, 140 BPM", 8000, song(random, 8000, 14, 140, 7, False)
    middle, side = band_noise(random, 48000, 8, 20, 20000, 0.4), band_noise(random, 48000, 8, 200, 9000, 0.4)
    side *= numpy.linspace(0, 1, side.size)
    yield "noise that grows wide", 48000, numpy.stack([middle + side, middle - side], axis=1)
    t = times(44100, 12)
    x = 0.6 * (t / 12) * numpy.sin(2 * numpy.pi * (60 * t + 300 * t * t)) + 0.02 * random.uniform(-1, 1, t.size)
    x[(t % 4) > 2.5] = 0
    yield "sweep with silences", 44100, numpy.stack([x, -0.3 * x], axis=1)


def performances():
    """Name, rate, samples and beats."""
    random, rate, seconds = numpy.random.default_rng(SEED + 1), 22050, 24
    courses = [(f"{bpm} BPM", lambda _, bpm=bpm: bpm) for bpm in (60, 72, 85.5, 100, 117.3, 128, 140, 163, 180)]
    courses += [
        ("100, then 130 BPM", lambda at: 100 if at < 12 else 130),
        ("90 to 120 BPM", lambda at: 90 + 30 * at / seconds),
        ("150 to 125 BPM", lambda at: 150 - 25 * at / seconds),
    ]
    for style in ("clicks", "drums", "drums, swung", "band"):
        for name, bpm_at in courses:
            beats = at_tempo(bpm_at, seconds)
            x = drums(random, rate, seconds, beats, 2 / 3 if style == "drums, swung" else 0.5, style == "clicks")
            if style == "band":
                x = x + harmony(random, rate, seconds, 2, False, beats)
            yield f"{style}, {name}", rate, x[:, None], beats


def songs_in_keys():
    """Name, rate, samples and key of a piece in each of the 24 keys."""
    random, rate, seconds = numpy.random.default_rng(SEED + 2), 22050, 10
    for minor in (False, True):
        for tonic in range(12):
            beats = at_tempo(lambda _: 110, seconds)
            x = harmony(random, rate, seconds, tonic, minor, beats)
            x += 0.3 * drums(random, rate, seconds, beats)
            yield f"key {tonic} {minor}", rate, x[:, None], f"{NAMES[tonic]} {'minor' if minor else 'major'}"


def contours():
    """Name, rate, samples and the pitch of every sample: voices that glide and waver, over faint noise."""
    random = numpy.random.default_rng(SEED + 3)
    for rate in (8000, 22050, 44100, 48000, 96000):
        for note in (45, 57, 69):
            t = times(rate, 4)
            hz = hz_from_note(note + 0.5 * t + 0.3 * numpy.sin(2 * numpy.pi * 5 * t))
            phase = 2 * numpy.pi * numpy.cumsum(hz) / rate
            x = sum(numpy.sin(k * phase) / k for k in range(1, 7) if k * hz.max() < 0.45 * rate) * 0.2
            yield f"voice {note} at {rate}", rate, (x + 1e-3 * random.uniform(-1, 1, t.size))[:, None], hz
