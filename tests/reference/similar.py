"""Reference answers of the question which tracks are alike, by NumPy in f64.

    python3 tests/reference/similar.py > tests/reference/similar.json

120 made-up tracks of 25 dimensions, a tenth of the values missing. Scales are numpy.percentile's 5 and 95 (linear) over
the known values; beyond them a scaled value u above 1 becomes 1 + v / (1 + 2 v) with v = u - 1, and the same mirrored
below 0. A dimension that one of two tracks lacks adds twice the variance of the scaled values, one that both lack leaves
the weighted mean. Written with NumPy 2.4.6.
"""

import json
import sys

import numpy

random = numpy.random.default_rng(20)
count, dimensions = 120, 25
# Heavy tails, so that the part of the scale beyond the percentiles is tried as well.
values = numpy.round(random.standard_t(3, (count, dimensions)) * random.uniform(5, 50, dimensions), 3)
values = values.astype(numpy.float32).astype(float)
values[random.uniform(size=values.shape) < 0.1] = numpy.nan
weights = numpy.round(random.uniform(0, 1, dimensions), 2)

low, high = numpy.nanpercentile(values, [5, 95], axis=0)
scaled = (values - low) / (high - low)
squash = lambda v: v / (1 + 2 * v)
scaled = numpy.where(scaled > 1, 1 + squash(numpy.abs(scaled - 1)), scaled)
scaled = numpy.where(scaled < 0, -squash(numpy.abs(scaled)), scaled)
spread = 2 * numpy.nanvar(scaled, axis=0)


def distance(a, b):
    lacks_a, lacks_b = numpy.isnan(scaled[a]), numpy.isnan(scaled[b])
    squared = numpy.where(lacks_a | lacks_b, spread, (scaled[a] - scaled[b]) ** 2)
    counts = weights * ~(lacks_a & lacks_b)
    return numpy.sqrt(numpy.sum(counts * squared) / numpy.sum(counts))


asked = [0, 17, 60, 119]
neighbours, distances = [], []
for a in asked:
    all_of_them = sorted((distance(a, b), b) for b in range(count) if b != a)[:10]
    neighbours.append([b for _, b in all_of_them])
    distances.append([round(d, 9) for d, _ in all_of_them])

json.dump(
    {
        "made_with": f"NumPy {numpy.__version__}",
        "values": [[None if numpy.isnan(v) else float(f"{v:.8g}") for v in row] for row in values],
        "weights": weights.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "asked": asked,
        "neighbours": neighbours,
        "distances": distances,
    },
    sys.stdout,
)
print()
