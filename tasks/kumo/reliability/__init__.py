"""Outcomes that are reported with a known reliability: reports, what they make probable, the best play."""
