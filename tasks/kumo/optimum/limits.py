"""What the optimum's search takes: sizes of instances, and its limit of work."""

MAX_TRUTHS = 14
MAX_ACTIONS = 30
MAX_TABLE_BITS = 20  # of each table of weights: truths + half of the actions

NODE_LIMIT = 900_000  # states an instance, some 5 seconds: for results that no clock may change


def fits_tables(n_truths: int, n_actions: int, n_valid: int) -> bool:
    """Return whether the optimum applies to a size: one valid truth, and tables of bearable size."""
    table_bits = n_truths + (n_actions + 1) // 2
    return (
        n_valid == 1 and n_truths <= MAX_TRUTHS and n_actions <= MAX_ACTIONS and table_bits <= MAX_TABLE_BITS
    )
