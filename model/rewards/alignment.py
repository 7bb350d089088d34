"""The best way to pair two sequences in order, leaving out what has no partner: table rows, columns, whole tables.

>>> align(np.array([[0.9, 0.1], [0.2, 0.0], [0.0, 0.8]]))
[(0, 0), (2, 1)]
"""

import numpy as np


def align(similarity: np.ndarray) -> list[tuple[int, int]]:
    """The pairs (i, j), both rising, with the largest sum of ``similarity[i, j]`` >= 0; a pair of 0 is none."""
    rows, columns = similarity.shape
    best = np.zeros((rows + 1, columns + 1))
    for i in range(rows):
        np.maximum.accumulate(np.maximum(best[i, 1:], best[i, :-1] + similarity[i]), out=best[i + 1, 1:])
    pairs, i, j = [], rows, columns
    while i and j:
        if best[i, j] == best[i - 1, j]:
            i -= 1
        elif best[i, j] == best[i, j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return pairs[::-1]
