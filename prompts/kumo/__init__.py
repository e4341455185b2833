"""KUMO's templates, and the kinds of synthetic worlds."""
