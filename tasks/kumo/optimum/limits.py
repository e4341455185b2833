"""What the optimum's search takes: sizes of instances, and its limit of work."""

MAX_TRUTHS = 12
MAX_ACTIONS = 24
NODE_LIMIT = 900_000  # states an instance, a few seconds: for results that no clock may change


def fits_tables(n_truths: int, n_actions: int, n_valid: int) -> bool:
    """Return whether the optimum applies to a size: one valid truth, and tables of bearable size."""
    return n_valid == 1 and n_truths <= MAX_TRUTHS and n_actions <= MAX_ACTIONS
