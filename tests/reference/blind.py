"""Writes blind.json, the statistics of blind tests by SciPy and NumPy, whose versions it names."""

import itertools
import json
import pathlib

import numpy
import scipy
from scipy import stats

random = numpy.random.default_rng(18)


def binomial():
    rows = []
    for trials in (5, 8, 10, 12, 16, 20, 25, 40, 100, 300):
        for right in sorted({0, 1, trials // 3, trials // 2, trials // 2 + 2, 3 * trials // 4, trials - 1, trials} | set(random.integers(0, trials + 1, 4).tolist())):
            greater = stats.binomtest(right, trials, 0.5, "greater").pvalue
            interval = stats.binomtest(right, trials, 0.5).proportion_ci(0.95, "exact")
            rows.append([trials, right, greater, interval.low, interval.high])
    return rows


def signed_ranks(differences):
    """All signs, with mean ranks; pairs without a difference left out."""
    differences = [value for value in differences if value != 0]
    if not differences:
        return None
    ranks = stats.rankdata(numpy.abs(differences))
    sums = numpy.array([numpy.dot(signs, ranks) for signs in itertools.product((0, 1), repeat=len(ranks))])
    got = numpy.dot(numpy.array(differences) > 0, ranks)
    return min(1.0, 2 * min((sums >= got - 1e-9).mean(), (sums <= got + 1e-9).mean()))


def ranking(passages, stimuli):
    scores = random.integers(0, 101, (passages, stimuli)).astype(float)
    scores[:, 0] = random.integers(85, 101, passages)
    scored = []
    for column in scores.T:
        mean = column.mean()
        interval = stats.t.interval(0.95, len(column) - 1, mean, stats.sem(column)) if len(column) > 1 else None
        scored.append({
            "mean": mean,
            "interval": None if interval is None else [float(limit) for limit in interval],
            "quantiles": numpy.quantile(column, [0, 0.25, 0.5, 0.75, 1]).tolist(),
        })
    pairs = list(itertools.combinations(range(stimuli), 2))
    values = [signed_ranks(scores[:, a] - scores[:, b]) for a, b in pairs]
    known = [p for p in values if p is not None]
    order = sorted(known)
    holm = {}
    least = 0.0
    for place, p in enumerate(order):
        least = max(least, min(1.0, p * (len(order) - place)))
        holm.setdefault(p, []).append(least)
    corrected = [None if p is None else max(holm[p]) for p in values]
    # Equal p-values may be corrected in either order: the later one is at least the earlier.
    return {"scores": scores.tolist(), "stimuli": scored, "pairs": [[a, b, p, c] for (a, b), p, c in zip(pairs, values, corrected)]}


answer = {
    "scipy": scipy.__version__,
    "numpy": numpy.__version__,
    "binomial": binomial(),
    "ranking": [ranking(passages, stimuli) for passages, stimuli in ((2, 3), (5, 4), (9, 5), (12, 3), (14, 6))],
}
path = pathlib.Path(__file__).with_name("blind.json")
path.write_text(json.dumps(answer) + "\n")
