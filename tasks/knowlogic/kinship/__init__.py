"""Kinship: terms as paths on a family, two engines over all families, and questions."""
