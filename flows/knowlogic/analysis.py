"""What KnowLogic adds to the statistics of an edition."""

from tasks.statistics.analysis import Analysis

ANALYSIS = Analysis()
