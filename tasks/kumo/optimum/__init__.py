"""The optimum under the promise of how many truths survive: the fewest expected tests of any policy."""

MAX_TRUTHS = 12
MAX_ACTIONS = 24
NODE_LIMIT = 900_000  # states an instance, a few seconds: for results that no clock may change


def fits_tables(n_truths: int, n_actions: int, n_valid: int) -> bool:
    """Whether the optimum applies to a size: not all truths valid, and tables of bearable size."""
    return 1 <= n_valid < n_truths <= MAX_TRUTHS and n_actions <= MAX_ACTIONS
