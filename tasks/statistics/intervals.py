"""What all 95% intervals share: the level, and the error of a sum over clusters divided by another one."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Interval = tuple[float, float]

LEVEL = 0.95


def ratio_and_error(sums: "Floats", sizes: "Floats") -> tuple[float, float]:
    """Return R = sum of sums / sum of sizes over clusters, and its standard error; 0 for one cluster."""
    total, n = float(sizes.sum()), len(sums)
    ratio = float(sums.sum()) / total
    squares = float(((sums - ratio * sizes) ** 2).sum())
    return ratio, (squares * n / (n - 1)) ** 0.5 / total if n > 1 else 0.0
