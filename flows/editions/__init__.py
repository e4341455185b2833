"""Work on published editions: statistics, audit, report, reproduction, pruning."""
