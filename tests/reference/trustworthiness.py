"""Reference values of trustworthiness, continuity and the share of neighbours kept, by scikit-learn.

    python3 tests/reference/trustworthiness.py > tests/reference/trustworthiness.json

Continuity is trustworthiness with the two spaces exchanged. The share kept is that of each point's nearest points which
are among its nearest places, both found by `NearestNeighbors`. Points are rounded to f32. Written with scikit-learn 1.9.1
and NumPy 2.4.6.
"""

import json
import sys

import numpy
import sklearn
from sklearn.manifold import trustworthiness
from sklearn.neighbors import NearestNeighbors


def nearest(points, k):
    found = NearestNeighbors(n_neighbors=k).fit(points).kneighbors(return_distance=False)
    return [set(row) for row in found.tolist()]


random = numpy.random.default_rng(8)
cases = []
for count, dimensions, noise, k in [(60, 5, 0.1, 5), (100, 8, 1.0, 12), (40, 3, 10.0, 3)]:
    points = random.standard_normal((count, dimensions)).astype(numpy.float32).astype(float)
    places = points[:, :2] + noise * random.standard_normal((count, 2))
    places = places.astype(numpy.float32).astype(float)
    cases.append({
        "points": numpy.round(points, 9).tolist(),
        "places": numpy.round(places, 9).tolist(),
        "k": k,
        "trustworthiness": float(trustworthiness(points, places, n_neighbors=k)),
        "continuity": float(trustworthiness(places, points, n_neighbors=k)),
        "kept": float(numpy.mean([len(a & b) / k for a, b in zip(nearest(points, k), nearest(places, k))])),
    })
json.dump({"made_with": f"scikit-learn {sklearn.__version__}, NumPy {numpy.__version__}", "cases": cases}, sys.stdout)
print()
