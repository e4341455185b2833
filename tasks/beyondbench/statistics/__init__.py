"""Figures of BeyondBench: cell, task, suite, overall, each the unweighted mean of the level below."""
