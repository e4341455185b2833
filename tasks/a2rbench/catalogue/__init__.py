"""Reversible rules written and reviewed as our own code: ten or more a cell of the grid."""
