"""Practice questions: drawn by a seed without end, graded by their benchmark, held by no edition."""
