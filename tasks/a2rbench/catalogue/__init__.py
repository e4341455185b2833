"""Reversible rules written and reviewed as our own code: ten or more per cell of the grid."""
